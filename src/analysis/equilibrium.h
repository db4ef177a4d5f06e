/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Internals of the search for an equilibrium. */

#ifndef TRM_ANALYSIS_EQUILIBRIUM_H
#define TRM_ANALYSIS_EQUILIBRIUM_H

#include "analysis/system.h"
#include "linalg/null_space.h"

/* In units of the machine's size: one-sided rows nearer to their bound than this may be active. */
#define TRM_AT_BOUND 1e-9

/* Rows, forces and stiffness at one pose. */
typedef struct trm_balance {
    trm_system *s;
    bool moving;         /* the applied forces include those of inertia */
    int candidate_count; /* active rows: two-sided ones, and one-sided ones at their bound */
    int *candidates;
    double *J;         /* candidate_count x n: rows of the candidates */
    bool *one_sided;   /* per candidate */
    double *lambda;    /* per candidate: multiplier */
    double *g, *r;     /* n: applied forces, unbalanced forces */
    double scale;      /* N: the largest force, including those of rows */
    double residual;   /* N: the largest component of r */
    int working_count; /* candidates with a nonzero multiplier */
    int *working;
    trm_null_space *null; /* null space of the working rows */
    int freedoms;
    double *K;       /* n x n: stiffness */
    double *reduced; /* freedoms x freedoms: S^T K S, then its eigenvectors as columns */
    double *w;       /* freedoms: eigenvalues of S^T K S */
    double *room;    /* n x n + 4 n: scratch */
} trm_balance;

/* Moves the poses onto all two-sided rows and out of violated one-sided ones. Returns false if it does not
 * converge. */
bool trm_balance_project(trm_balance *b);
/* Computes rows, forces and multipliers at the current pose. Returns false when out of memory. */
bool trm_balance_forces(trm_balance *b);
/* Computes the working rows, their null space, and the eigenvectors of the stiffness in it. `also` marks further
 * candidates that are to be active (NULL: none). Returns false when out of memory. */
bool trm_balance_stiffness(trm_balance *b, const bool *also);

/* motion_note.c: names the motions y_k (rows of `basis`, count x n). First it combines them so that each moves few
 * bodies. */
bool trm_name_motions(const trm_system *s, double *basis, int count, trm_motion_note *notes, trm_arena *arena);

#endif
