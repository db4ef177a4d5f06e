/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Intermediate data of a linearisation.
 *
 * At rest the motions y = S q in the null space of the active rows (analysis/equilibrium.h) give
 *
 *     M = S^T (D M D) S,    D = S^T C S,    K = S^T K S
 *
 * S is chosen so that q are coordinates of joints and bodies. Their rows G are selected one after the other,
 * joints first: each time the row with the longest remainder after projecting out the earlier ones. Then S <- S (G
 * S)^-1. */

#ifndef TRM_ANALYSIS_LINEAR_H
#define TRM_ANALYSIS_LINEAR_H

#include "analysis/equilibrium.h"

typedef struct trm_linear_work {
    trm_system s;
    trm_balance b;
    const trm_linearise_def *def;
    trm_messages *messages;
    trm_linearisation *result;
    int f;                       /* degrees of freedom */
    double *S;                   /* n x f */
    double *B;                   /* f x inputs: S^T times the forces of the inputs */
    double *M, *D, *K, *inverse; /* f x f */
    bool failed;                 /* an error was reported */
} trm_linear_work;

/* linear_names.c: chooses and names the coordinates; S becomes S (G S)^-1. Returns false when out of memory. */
bool trm_linear_name(trm_linear_work *l);

/* linear_modes.c: computes eigenvalues and mode shapes of A (states x states). The first `positions` states are
 * coordinates along `motion`. */
bool trm_linear_modes(trm_linear_work *l);

/* linear_inputs.c: B of the named inputs, C and D of the outputs. Returns false when out of memory or after
 * reporting an error (l->failed). */
bool trm_linear_inputs(trm_linear_work *l);
bool trm_linear_outputs(trm_linear_work *l);

#endif
