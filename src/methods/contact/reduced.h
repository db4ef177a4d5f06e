/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The matrices of an island reduced to its contacts, and the workspace of a search (reduced.c). */

#ifndef TRM_METHODS_CONTACT_REDUCED_H
#define TRM_METHODS_CONTACT_REDUCED_H

#include "methods/contact/problem.h"
#include "methods/maximal/direct.h"

/* Everything but V, l and c depends only on the rows of the problem, and is used for all solutions with the same
 * rows. */
typedef struct trm_reduced {
    const trm_problem *p;
    trm_problem_island island;
    trm_arena *arena; /* owns all arrays here */
    /* eliminated constraints: closed joints, and pulls within their limits */
    int joints, joint_rows;
    const trm_constraint **joint;
    double *compliance;         /* per joint row: u grows by this times the multiplier l; 0: closed */
    trm_direct_sparse_matrix A; /* factorised; of hubs in slices (maximal/direct.h) */
    double *x;                  /* per row of A in elimination order: workspace */
    int *slot;                  /* per body of a constraint: its number in the island; -1: no impulse moves it */
    double *l;                  /* per joint row, in the order of `joint`: multipliers without contacts */
    trm_spatial *V;             /* per body of the island: velocities with these multipliers */
    bool limits_apart;          /* a pull reached its limit: pulls with limits are not eliminated */
    /* contact space: all other constraints */
    int constraints, rows;
    const trm_constraint **constraint;
    int *first;            /* per constraint: its first row */
    int involved;          /* number of island bodies on which these constraints act */
    int *involved_slot;    /* their numbers in the island */
    int *involved_at;      /* per body of the island: its number among those; -1: none */
    trm_direct_ends ends;  /* of joints at the bodies of the island */
    trm_spatial *response; /* rows x involved bodies: velocities per unit impulse along the row, joints closed */
    double *multiplier;    /* rows x rows of A in elimination order: (A + S)^-1 J w */
    double *softening;     /* per row of A in elimination order: S; 0 for glue */
    double *D, *c;         /* rows x rows, rows: u = D p + c */
} trm_reduced;

/* Returns the first row of a joint in A. */
static inline int trm_reduced_first_row(const trm_reduced *r, int joint)
{
    return r->A.symbolic.first_row[r->A.symbolic.position[joint]];
}

/* reduced_joints.c: lists constraints, factorises joints and computes D. Returns false if out of memory. */
bool trm_reduced_make(trm_reduced *r);
/* Computes V, l and c at the velocities without any impulse. */
void trm_reduced_begin(trm_reduced *r);
/* Sets lambda of all constraints and V from the impulses p, and closes the joints that rounding has left open. */
void trm_reduced_apply(trm_reduced *r, const double *p);
/* Returns whether an eliminated pull exceeds its limit. */
bool trm_reduced_passes_limit(const trm_reduced *r);

/* Newton's method in contact space. */
typedef struct trm_reduced_search {
    trm_reduced *r;
    double *p, *u, *dp, *du, *g, *Dg; /* per row */
    double *estimate, *rho;           /* per row */
    double *lambda, *C;               /* per row, at the last gradient; nine per constraint */
    double *own;                      /* per constraint: D_own; 0: joints block it */
    double *lift, *last_lift, *last_slip;
    double *G, *S, *z; /* nine per constraint: columns of G; active x active, active */
    double *J;         /* rows x rows (reduced_natural.c) */
    int *columns;      /* per constraint: number of its columns in G */
    double R, fastest, shifted;
    double initial; /* m/s: residual of the start */
    bool at_rest;   /* the last search for g = 0 converged */
    bool nearly;    /* the remaining residual is accepted as a contradiction between rows */
    int steps;
} trm_reduced_search;

/* reduced_step.c: y = D x */
void trm_reduced_multiply(const trm_reduced *r, const double *x, double *y);
/* Computes lambda of constraint h at its speeds u, and C unless C is NULL. Returns its place (cone.h). */
int trm_reduced_obey(const trm_reduced_search *s, int h, const double *u, double *lambda, double *C);
/* Computes u = D p + c, and updates the largest term in any u. */
void trm_reduced_speeds(trm_reduced_search *s);
/* Finds p with g = 0 at given lambda_k, s and rho, as far as it gets in a limited number of steps. */
void trm_reduced_minimise(trm_reduced_search *s);
/* Replaces the upper triangle of a positive definite S by U with S = U^T U. */
void trm_reduced_factorise(double *S, int n);
/* Replaces x by S^-1 x. */
void trm_reduced_solve(const double *U, int n, double *x);

/* reduced_natural.c: starts from the present p and u and finds p, u and lambda that obey all laws to `good`, m/s, or
 * the closest that it reaches. */
void trm_reduced_natural(trm_reduced_search *s, double good);

#endif
