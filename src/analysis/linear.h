/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A linearisation while it is made.
 *
 * At rest the motions y = S q in the null space of the active rows (analysis/equilibrium.h) give
 *
 *     M = S^T (D M D) S,    D = S^T C S,    K = S^T K S
 *
 * with S chosen so that q are coordinates of joints and bodies: of all such rows G those are taken, one after the other, whose part
 * that the earlier ones leave is longest, joints first; then S <- S (G S)^-1. */

#ifndef TRM_ANALYSIS_LINEAR_H
#define TRM_ANALYSIS_LINEAR_H

#include "analysis/equilibrium.h"

typedef struct trm_linear_work {
    trm_system s;
    trm_balance b;
    const trm_linearise_def *def;
    trm_messages *messages;
    trm_linearisation *result;
    int f;                       /* freedoms */
    double *S;                   /* n x f */
    double *B;                   /* f x inputs: S^T of the inputs' forces */
    double *M, *D, *K, *inverse; /* f x f */
    bool failed;                 /* something is wrong, and was reported */
} trm_linear_work;

/* linear_names.c: chooses and names coordinates; S becomes S (G S)^-1. False: out of memory. */
bool trm_linear_name(trm_linear_work *l);

/* linear_modes.c: eigenvalues and shapes of A (states x states) whose first `positions` states are coordinates along `motion`. */
bool trm_linear_modes(trm_linear_work *l);

/* linear_inputs.c: B of the inputs by name, C and D of the outputs. False: out of memory, or failed after reporting. */
bool trm_linear_inputs(trm_linear_work *l);
bool trm_linear_outputs(trm_linear_work *l);

/* Solves a x = b of size n with k right sides in place (Gauss, partial pivoting). a: n x n, b: n x k, both overwritten. False: singular. */
bool trm_solve_dense(double *a, int n, double *b, int k);

#endif
