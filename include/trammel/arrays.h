/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions that transfer many numbers in one call: all bodies and joint coordinates of a state as arrays, steps
 * that fill them, copies of simulations, and batches of simulations stepped on several threads. Bindings to other
 * languages, controllers and machine learning use them.
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

/* Returns the number of coordinates of all joints. They are in the order of the joints. */
TRM_API int trm_coordinate_count(const trm_model *model);
/* Returns the joint of a coordinate and its number in that joint, index from 0. */
TRM_API trm_coordinate_name trm_coordinate_at(const trm_model *model, int index);
TRM_API const char *trm_coordinate_unit(const trm_model *model, int index); /* returns "m" or "rad" */

/* ---- A state in arrays -------------------------------------------------------------------- */

/* Gets all coordinates [m, rad] and their rates [m/s, rad/s], trm_coordinate_count of each. Either may be NULL.
 * Rates are valid only when velocities are (trm_sim_observe). */
TRM_API void trm_get_coordinates(const trm_state *state, double *q, double *qd);

/* Sets all coordinates and, unless qd is NULL, their rates, and moves the bodies accordingly along a spanning tree
 * of the attached joints. NAN leaves a coordinate unchanged. Values of joints that close loops are ignored;
 * trm_assemble closes these joints. Fails only when out of memory. */
TRM_API trm_status trm_set_coordinates(trm_state *state, const double *q, const double *qd);
/* Sets the coordinates of one joint in the same way. Fails only when out of memory. */
TRM_API trm_status trm_set_joint_values(trm_state *state, int joint, const double *q, const double *qd);
/* Sets the coordinates of a named pose of the model (trm_find_pose) in the same way. Others are unchanged. Fails
 * only when out of memory. */
TRM_API trm_status trm_set_pose(trm_state *state, int pose);

/* Gets the poses of all body frames: 3 numbers [m] and 4 numbers per body. Either may be NULL. */
TRM_API void trm_get_poses(const trm_state *state, double *positions, double *orientations);
/* Gets the velocities of the origins of all body frames [m/s] and the angular velocities [rad/s], 3 numbers per
 * body each. Either may be NULL. */
TRM_API void trm_get_velocities(const trm_state *state, double *velocities, double *angular_velocities);

/* Sets the poses of all rigid bodies and points; rows of fixed and moving bodies are ignored. All numbers must be
 * finite; quaternions may have any length except zero. Velocities are unchanged. */
TRM_API void trm_set_poses(trm_state *state, const double *positions, const double *orientations);
/* Sets the velocities [m/s] and angular velocities [rad/s] of these bodies, which must be finite. Call it after setting
 * poses. */
TRM_API void trm_set_velocities(trm_state *state, const double *velocities, const double *angular_velocities);

/* ---- Steps -------------------------------------------------------------------------------- */

/* Arrays of the caller for the numbers of a state. An array that is NULL is not filled. */
typedef struct trm_arrays {
    double *q, *qd;                          /* coordinates [m, rad] and rates, trm_coordinate_count each */
    double *positions, *orientations;        /* 3 [m] and 4 numbers per body */
    double *velocities, *angular_velocities; /* 3 numbers per body each, m/s and rad/s */
} trm_arrays;

/* Copies the numbers of the state to the arrays that are not NULL. */
TRM_API void trm_get_arrays(const trm_state *state, const trm_arrays *arrays);

/* Observes the current state before the first step of a simulation, makes count steps of dt [s], each followed by
 * trm_sim_observe, and fills the arrays, which may be NULL. Returns whether all steps succeeded. If not, outcome
 * says why (dt may be 0 or not finite), and the arrays hold the state of the last good step. */
TRM_API bool trm_sim_steps(trm_sim *sim, double dt, int count, const trm_arrays *arrays, trm_outcome *outcome);

/* Restarts the account of accuracy after the caller has set the state. The account begins with the next
 * trm_sim_observe and ignores earlier energies, work, momentum and gaps. */
TRM_API void trm_sim_restart_account(trm_sim *sim);

/* ---- Inputs ------------------------------------------------------------------------------- */

/* Adds a joint force: a force [N] or torque [N m] of the caller along a coordinate of a joint. It acts while the
 * joint is attached, is initially 0 and is constant during a step. Call it before the first step. Fails only when
 * out of memory. */
TRM_API trm_status trm_sim_add_joint_force(trm_sim *sim, int joint, int coordinate);
/* Returns the number of joint forces that were added. */
TRM_API int trm_sim_joint_force_count(const trm_sim *sim);
/* Returns the joint forces in the order in which they were added, NULL if there are none. The caller writes them
 * between steps, or in a hook before a step. The pointer is valid until another joint force is added. */
TRM_API double *trm_sim_joint_forces(trm_sim *sim);

/* ---- Copies ------------------------------------------------------------------------------- */

/* Makes a simulation continue bit-identically to another one of the same model, options and inputs. Copies state,
 * values of inputs, the method's memory of past steps, account of accuracy, counters and events. Hooks and forces
 * of the caller are not copied. Either simulation may have run before. Returns TRM_BAD_INPUT if model, options or
 * inputs differ. Returns TRM_OUT_OF_MEMORY if out of memory; then `to` must be destroyed. */
TRM_API trm_status trm_sim_copy(trm_sim *to, trm_sim *from);

/* ---- Many simulations --------------------------------------------------------------------- */

/* Simulations of one model with the same options, stepped on several threads. Each is bit-identical to a single
 * simulation, whatever the number of threads. The batch itself belongs to one thread at a time. */
typedef struct trm_batch trm_batch;

/* Creates count simulations as trm_sim_create does; the caller destroys the batch. threads: largest number of
 * threads; 0: the number of cores (or OMP_NUM_THREADS). The allocator must be thread-safe, as malloc is. Fails as
 * trm_sim_create does. */
TRM_API trm_status trm_batch_create_sized(const trm_model *model, trm_sized options, int count, int threads,
                                          const trm_allocator *allocator, trm_messages *messages, trm_batch **batch);
static inline trm_status trm_batch_create(const trm_model *model, const trm_simulation_def *options, int count,
                                          int threads, const trm_allocator *allocator, trm_messages *messages,
                                          trm_batch **batch)
{
    return trm_batch_create_sized(model, trm_with_size(options, sizeof *options), count, threads, allocator, messages,
                                  batch);
}
/* Releases the batch and its simulations. */
TRM_API void trm_batch_destroy(trm_batch *batch);
/* Returns the number of simulations. */
TRM_API int trm_batch_count(const trm_batch *batch);
/* Returns a simulation, which belongs to the batch. The caller may read and set it between steps. */
TRM_API trm_sim *trm_batch_sim(trm_batch *batch, int index);
/* Adds a joint force to all simulations, before the first step (trm_sim_add_joint_force). Fails only when out of memory. */
TRM_API trm_status trm_batch_add_joint_force(trm_batch *batch, int joint, int coordinate);

/* Arrays that a step of a batch reads and writes, one row per simulation. Arrays that are NULL are ignored. */
typedef struct trm_batch_arrays {
    const bool *mask;     /* simulations to step; NULL: all. The output arrays are filled for all. */
    const double *forces; /* joint forces, trm_sim_joint_force_count per row; NULL: unchanged */
    const double *inputs; /* inputs (trm_sim_inputs), trm_input_count per row; NAN or NULL: unchanged */
    trm_arrays out;       /* output arrays */
    bool *failed;         /* per simulation: a step of this call failed; the state is that of the last good step */
} trm_batch_arrays;

/* Makes a number of steps of dt [s] as trm_sim_steps does; with 0 steps it only fills the arrays. Returns the
 * number of simulations that failed. */
TRM_API int trm_batch_step(trm_batch *batch, double dt, int steps, const trm_batch_arrays *arrays);
/* Returns why a simulation last failed. Its `ok` is true if it has not failed. */
TRM_API const trm_outcome *trm_batch_outcome(const trm_batch *batch, int index);

/* Resets the simulations of the mask (NULL: all) to a copy of `from` (trm_sim_copy), or to their start if `from`
 * is NULL. Fails as trm_sim_copy does. */
TRM_API trm_status trm_batch_reset(trm_batch *batch, const bool *mask, trm_sim *from);

#ifdef __cplusplus
}
#endif

#endif
