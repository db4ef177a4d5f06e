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

/* Body frames: 3 numbers [m] and 4 numbers per body. Either may be NULL. */
TRM_API void trm_get_poses(const trm_state *state, double *positions, double *orientations);
/* Velocities of the body frames' origins [m/s] and angular velocities [rad/s]: 3 numbers per body each. Either may be NULL. */
TRM_API void trm_get_velocities(const trm_state *state, double *velocities, double *angular_velocities);

/* Sets all bodies that can move; the rows of fixed and moving bodies are ignored. All numbers are finite, quaternions of
 * any length but zero. Velocities stay, or are set after poses. */
TRM_API void trm_set_poses(trm_state *state, const double *positions, const double *orientations);
TRM_API void trm_set_velocities(trm_state *state, const double *velocities, const double *angular_velocities);

/* ---- Steps -------------------------------------------------------------------------------- */

/* Where the numbers of a state go; an array that is NULL is not filled. */
typedef struct trm_arrays {
    double *q, *qd;                          /* trm_coordinate_count each */
    double *positions, *orientations;        /* 3 and 4 per body */
    double *velocities, *angular_velocities; /* 3 per body each */
} trm_arrays;

TRM_API void trm_get_arrays(const trm_state *state, const trm_arrays *arrays);

/* Makes so many steps of dt [s], each followed by trm_sim_observe, then fills the arrays, which may be NULL. Returns
 * whether all steps were made; else outcome says why, and the arrays have the state of the last good step. */
TRM_API bool trm_sim_steps(trm_sim *sim, double dt, int count, const trm_arrays *arrays, trm_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
