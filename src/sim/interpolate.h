/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States between steps (Schmitt 2003, section 5: smooth curves by interpolation of degree 5).
 *
 * Positions and velocities at three steps give six conditions, a polynomial of degree 5 by Hermite's divided
 * differences; its derivative is the velocity. Orientations are interpolated as rotation vectors r against the middle
 * step, q = exp(r) q_1, with dr/dt = T(r)^-1 omega. At the beginning of a run there are two steps only: degree 3. */

#ifndef TRM_SIM_INTERPOLATE_H
#define TRM_SIM_INTERPOLATE_H

#include "motion/state.h"

enum { TRM_PATH_NODES = 3 };

/* A curve in space: per coordinate the coefficients of Newton's form. */
typedef struct trm_path_curve {
    double f[3][2 * TRM_PATH_NODES];
} trm_path_curve;

/* The path of one body through two or three states. */
typedef struct trm_path {
    const trm_motion *motion;     /* prescribed motion; NULL: none */
    bool moves;                   /* impulses move the body, and the curves hold */
    trm_pose start;               /* pose at the first state */
    trm_quat middle;              /* orientation against which `turn` is measured */
    int count;                    /* number of entries of z */
    double z[2 * TRM_PATH_NODES]; /* s: times of the states, twice each */
    trm_path_curve place, turn;   /* m, rad */
} trm_path;

/* Computes the path of one body between two states. */
void trm_path_make(const trm_state *before, const trm_state *after, int body, trm_path *path);
/* Returns the pose on a path at t. */
trm_pose trm_path_pose(const trm_path *path, double t);

/* Interpolates a state at t. nodes: two or three states in the order of time, with projected velocities. to gets the
 * result. */
void trm_interpolate(const trm_state *const *nodes, int count, double t, trm_state *to);

#endif
