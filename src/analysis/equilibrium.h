/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The search for an equilibrium inside. */

#ifndef TRM_ANALYSIS_EQUILIBRIUM_H
#define TRM_ANALYSIS_EQUILIBRIUM_H

#include "analysis/system.h"
#include "linalg/null_space.h"

/* Rows, forces and stiffness at one pose. */
typedef struct trm_balance {
    trm_system *s;
    int candidate_count; /* rows that hold: two-sided ones, and one-sided ones at their bound */
    int *candidates;
    double *J;         /* of the candidates: candidate_count x n */
    bool *one_sided;   /* per candidate */
    double *lambda;    /* per candidate */
    double *g, *r;     /* n: forces, and what nothing balances */
    double scale;      /* N: the largest force, of rows too */
    double residual;   /* N: the largest part of r */
    int working_count; /* candidates that hold with a force */
    int *working;
    trm_null_space *null; /* of the working rows */
    int freedoms;
    double *K;       /* n x n */
    double *reduced; /* freedoms x freedoms: S^T K S; then its eigenvectors as columns */
    double *w;       /* freedoms: eigenvalues */
    double *room;    /* n x n + 4 n */
} trm_balance;

/* Moves the poses onto all two-sided rows and out of violated one-sided ones; false: it does not converge. */
bool trm_balance_project(trm_balance *b);
/* Rows, forces and multipliers at the present pose; false: out of memory. */
bool trm_balance_forces(trm_balance *b);
/* The working rows, their null space and the stiffness in it, as eigenvectors; also: candidate rows (per candidate) that are to hold
 * besides; NULL: none. False: out of memory. */
bool trm_balance_stiffness(trm_balance *b, const bool *also);

/* motion_note.c: names the motions y_k (rows of `basis`, count x n), which are combined so that each moves few bodies. */
bool trm_name_motions(const trm_system *s, double *basis, int count, trm_motion_note *notes, trm_arena *arena);

#endif
