/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The equations of motion of steady.h at given q and q'. */

#ifndef TRM_ANALYSIS_MOVING_H
#define TRM_ANALYSIS_MOVING_H

#include "analysis/system.h"
#include "linalg/null_space.h"
#include "trammel/joint_space.h"

typedef struct trm_moving {
    trm_joint_space *space;
    trm_state *state; /* poses at q */
    trm_arena *arena;
    int n, m; /* coordinates; rows: of the joint space, of contacts, of held joints */
    int rows; /* rows of the joint space */
    int room; /* most rows */
    trm_contact *contacts;
    bool *rolls; /* per contact: it has friction */
    int contact_count;
    int *
        held; /* joints with one row that the joint space ignores: motors of limited force, active limits and ropes */
    int held_count;
    bool *position; /* per row: it has a position residual */
    double time, size;
    double *R, *phi, *gamma; /* m x n, m, m */
    double *M, *h;           /* n x n, n */
    double *body, *other;    /* scratch: 6 x n, m x n */
} trm_moving;

/* Creates the equations for the state and the contacts of a system. Returns TRM_OUT_OF_MEMORY, or the status with
 * which trm_joint_space_create fails. */
trm_status trm_moving_create(trm_moving *w, trm_system *s);
void trm_moving_destroy(trm_moving *w);

/* Adds or removes the row of a limit or rope. */
void trm_moving_activate(trm_moving *w, int joint);
void trm_moving_release(trm_moving *w, int joint);

/* Sets the b of held joints, the last of the m rows: their rates. */
void trm_moving_active_rates(const trm_moving *w, double *b);

/* trm_moving_rows computes phi and R at q; trm_moving_equations computes gamma, M and h as well, at q and q'. */
void trm_moving_rows(trm_moving *w, const double *q);
void trm_moving_equations(trm_moving *w, const double *q, const double *qd);

/* Computes the null space `null` and q'' with R q'' = gamma along its independent rows. Returns false if M is
 * singular on the null space. */
bool trm_moving_accelerations(trm_moving *w, trm_null_space *null, double *qdd);

/* Scales all rows to unit length, b (may be NULL) with them, and computes their null space. */
void trm_moving_factor(trm_moving *w, trm_null_space *null, const bool *which, double *b, double *J);

#endif
