/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The equations of steady.h at given q and q'. */

#ifndef TRM_ANALYSIS_MOVING_H
#define TRM_ANALYSIS_MOVING_H

#include "analysis/system.h"
#include "linalg/null_space.h"
#include "trammel/joint_space.h"

typedef struct trm_moving {
    trm_joint_space *space;
    trm_state *state; /* poses of q */
    trm_arena *arena;
    int n, m; /* coordinates; rows with those of contacts */
    int rows; /* of the joint space */
    trm_contact *contacts;
    bool *rolls; /* per contact: with friction */
    int contact_count;
    bool *position; /* per row: it has a residual */
    double time, size;
    double *R, *phi, *gamma; /* m x n, m, m */
    double *M, *h;           /* n x n, n */
    double *body, *other;    /* room: 6 x n, m x n */
} trm_moving;

/* Of a state, with the contacts of a system. False: out of memory, or status says more. */
trm_status trm_moving_create(trm_moving *w, trm_system *s);
void trm_moving_destroy(trm_moving *w);

/* phi and R at q; gamma, M and h at q and q' too. */
void trm_moving_rows(trm_moving *w, const double *q);
void trm_moving_equations(trm_moving *w, const double *q, const double *qd);

/* q'' with R q'' = gamma along the independent rows of `null`, which is found. False: M is singular on what rows leave. */
bool trm_moving_accelerations(trm_moving *w, trm_null_space *null, double *qdd);

/* Scales all rows, and numbers with them, to unit length, and finds their null space. b may be NULL. */
void trm_moving_factor(trm_moving *w, trm_null_space *null, const bool *which, double *b, double *J);

#endif
