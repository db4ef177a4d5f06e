/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Many numbers in one call: all bodies and all joint coordinates of a state as arrays, steps that fill them, copies of
 * simulations, and many simulations of one model stepped on several threads. For bindings to other languages, for
 * controllers and for learning.
 *
 * Arrays belong to the caller. Bodies are in the order of their numbers, the ground first. Orientations are unit
 * quaternions w, x, y, z. SI units, radians, world axes. */

#ifndef TRAMMEL_ARRAYS_H
#define TRAMMEL_ARRAYS_H

#include "trammel/base.h"
#include "trammel/model.h"
#include "trammel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Joint coordinates -------------------------------------------------------------------- */

/* The coordinates of all joints, in the order of the joints. Returns how many there are. */
TRM_API int trm_coordinate_count(const trm_model *model);
/* Returns which joint a coordinate belongs to and which of the joint's it is; index from 0. */
TRM_API trm_coordinate_name trm_coordinate_at(const trm_model *model, int index);
TRM_API const char *trm_coordinate_unit(const trm_model *model, int index); /* "m" or "rad" */

/* ---- A state in arrays -------------------------------------------------------------------- */

/* Coordinates [m, rad] and their rates [m/s, rad/s], trm_coordinate_count of each. Either may be NULL. Rates are right
 * where velocities are (trm_sim_observe). */
TRM_API void trm_get_coordinates(const trm_state *state, double *q, double *qd);

/* Sets coordinates and, unless qd is NULL, their rates, and moves all bodies that hang on them; NAN leaves one as
 * it is. The bodies hang on each other along a spanning tree of the attached joints; values of joints that close
 * loops are ignored, and trm_assemble closes these. Fails only when out of memory. */
TRM_API trm_status trm_set_coordinates(trm_state *state, const double *q, const double *qd);
/* The same of the coordinates of one joint. */
TRM_API trm_status trm_set_joint_values(trm_state *state, int joint, const double *q, const double *qd);
/* The same by a pose of the model (trm_find_pose); what it does not name stays. */
TRM_API trm_status trm_set_pose(trm_state *state, int pose);

/* Body frames: 3 numbers [m] and 4 numbers per body. Either may be NULL. */
TRM_API void trm_get_poses(const trm_state *state, double *positions, double *orientations);
/* Velocities of the body frames' origins [m/s] and angular velocities [rad/s]: 3 numbers per body each. Either may
 * be NULL. */
TRM_API void trm_get_velocities(const trm_state *state, double *velocities, double *angular_velocities);

/* Sets all bodies that can move; the rows of fixed and moving bodies are ignored. All numbers are finite,
 * quaternions of any length but zero. Velocities stay, or are set after poses. */
TRM_API void trm_set_poses(trm_state *state, const double *positions, const double *orientations);
TRM_API void trm_set_velocities(trm_state *state, const double *velocities, const double *angular_velocities);

/* ---- Steps -------------------------------------------------------------------------------- */

/* Where the numbers of a state go; an array that is NULL is not filled. */
typedef struct trm_arrays {
    double *q, *qd;                          /* trm_coordinate_count each */
    double *positions, *orientations;        /* 3 and 4 per body */
    double *velocities, *angular_velocities; /* 3 per body each */
} trm_arrays;

/* Copies the state into the caller's arrays; those that are NULL are left out. */
TRM_API void trm_get_arrays(const trm_state *state, const trm_arrays *arrays);

/* Makes so many steps of dt [s], each followed by trm_sim_observe, and observes the start before the first; then
 * fills the arrays, which may be NULL. Returns whether all steps were made; else outcome says why (a dt that is 0
 * or not finite, too), and the arrays have the state of the last good step. */
TRM_API bool trm_sim_steps(trm_sim *sim, double dt, int count, const trm_arrays *arrays, trm_outcome *outcome);

/* Begins the account of accuracy anew, after the caller has set the state: it counts from the next trm_sim_observe
 * on, and energies, work, momentum and gaps before do not matter. */
TRM_API void trm_sim_restart_account(trm_sim *sim);

/* ---- Inputs ------------------------------------------------------------------------------- */

/* Adds an input before the first step: a force [N] or torque [N m] along a coordinate of a joint, which acts while
 * the joint is attached. It is 0 until it is set and constant during a step. Fails only when out of memory. */
TRM_API trm_status trm_sim_add_joint_force(trm_sim *sim, int joint, int coordinate);
TRM_API int trm_sim_joint_force_count(const trm_sim *sim);
/* The inputs in the order in which they were added: written by the caller between steps, or in a hook before one.
 * Valid until another input is added. NULL: there are none. */
TRM_API double *trm_sim_joint_forces(trm_sim *sim);

/* ---- Copies ------------------------------------------------------------------------------- */

/* Makes a simulation continue bit-identically to another one of the same model, options and inputs: state, values
 * of the inputs, what the method remembers of past steps, account of accuracy, counters, events. Hooks and forces
 * of the caller stay. Either may have run before. TRM_BAD_INPUT: model, options or inputs differ;
 * TRM_OUT_OF_MEMORY: `to` is to be destroyed. */
TRM_API trm_status trm_sim_copy(trm_sim *to, trm_sim *from);

/* ---- Many simulations --------------------------------------------------------------------- */

/* Simulations of one model with the same options, stepped on several threads. Each has the same bits as if it were
 * alone, whatever the number of threads. */
typedef struct trm_batch trm_batch;

/* threads: at most so many; 0: as many as there are cores (or OMP_NUM_THREADS). The allocator must be safe to call
 * from several threads, as malloc is. The rest as in trm_sim_create. */
TRM_API trm_status trm_batch_create(const trm_model *model, const trm_simulation_def *options, int count, int threads,
                                    const trm_allocator *allocator, trm_messages *messages, trm_batch **batch);
TRM_API void trm_batch_destroy(trm_batch *batch);
TRM_API int trm_batch_count(const trm_batch *batch);
/* One of them, to be read, or set, between steps; it belongs to the batch. */
TRM_API trm_sim *trm_batch_sim(trm_batch *batch, int index);
TRM_API trm_status trm_batch_add_joint_force(trm_batch *batch, int joint,
                                             int coordinate); /* to all, before the first step */

/* What a step of a batch reads and writes: one row per simulation. What is NULL is left out. */
typedef struct trm_batch_arrays {
    const bool *mask;     /* which are stepped; NULL: all. Arrays are filled of all. */
    const double *forces; /* inputs: joint forces, trm_sim_joint_force_count per row; NULL: they stay */
    const double
        *inputs; /* of the model (trm_sim_inputs), trm_input_count per row, NAN: it stays; NULL: they all stay */
    trm_arrays out;
    bool *failed; /* per simulation: a step of this call could not be made; the state is that of the last good one */
} trm_batch_arrays;

/* Makes so many steps of dt [s] as trm_sim_steps does; 0 steps only fill the arrays. Returns how many simulations
 * failed. */
TRM_API int trm_batch_step(trm_batch *batch, double dt, int steps, const trm_batch_arrays *arrays);
/* Why a simulation failed last; its `ok` is true where it has not. */
TRM_API const trm_outcome *trm_batch_outcome(const trm_batch *batch, int index);

/* Makes the simulations of the mask (NULL: all) continue as another one (trm_sim_copy), or, where that is NULL, as
 * they began. */
TRM_API trm_status trm_batch_reset(trm_batch *batch, const bool *mask, trm_sim *from);

#ifdef __cplusplus
}
#endif

#endif
