/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An island reduced to its contacts (reduced.c): its matrices, and the workspace of a search. */

#ifndef TRM_METHODS_CONTACT_REDUCED_H
#define TRM_METHODS_CONTACT_REDUCED_H

#include "linalg/block_ldlt.h"
#include "methods/contact/problem.h"

/* All but V, l and c depends on the rows of the problem alone, and serves every solution with the same rows. */
typedef struct trm_reduced {
    const trm_problem *p;
    trm_problem_island island;
    trm_arena *arena; /* of all arrays here */
    /* eliminated constraints: joints, which are closed, and pulls within their limits */
    int joints, joint_rows;
    const trm_constraint **joint;
    double *compliance; /* per joint row: its multiplier l adds this much of it to u; 0: closed */
    trm_block_symbolic symbolic;
    double *values;    /* A, factorised */
    double *x;         /* per joint row in elimination order */
    int *slot;         /* per body that a constraint has: its number in the island; -1: no impulse moves it */
    double *l;         /* per joint row, in the order of `joint`: their multipliers without contacts */
    trm_spatial *V;    /* per body of the island: velocities with those */
    bool limits_apart; /* a pull came to its limit: those that have one are not eliminated */
    /* contact space: all other constraints */
    int constraints, rows;
    const trm_constraint **constraint;
    int *first;        /* per constraint: its first row */
    int touched;       /* bodies of the island that these constraints have */
    int *touched_slot; /* their numbers in the island */
    int *touched_at;   /* per body of the island: its number among them; -1: none */
    int *first_joint_of,
        *joint_of;         /* joints of body i of the island: joint_of[first_joint_of[i]] to before that of i + 1 */
    trm_spatial *response; /* rows x touched bodies: velocities by a unit impulse along the row, joints closed */
    double *multiplier;    /* rows x joint rows in elimination order: (A + S)^-1 J w */
    double *softening;     /* per joint row in elimination order: S */
    double *D, *c;         /* rows x rows, rows: u = D p + c */
} trm_reduced;

/* reduced_joints.c: lists constraints, factorises joints, and finds D. False: out of memory. */
bool trm_reduced_make(trm_reduced *r);
/* V, l and c at the velocities without any impulse. */
void trm_reduced_begin(trm_reduced *r);
/* lambda of all constraints and V with impulses p; closes what rounding has left open in joints. */
void trm_reduced_apply(trm_reduced *r, const double *p);
/* Whether a pull that was eliminated would have to pull more than it can. */
bool trm_reduced_passes_limit(const trm_reduced *r);

/* Newton's method in contact space. */
typedef struct trm_reduced_search {
    trm_reduced *r;
    double *p, *u, *dp, *du, *g, *Dg; /* per row */
    double *estimate, *rho;           /* per row */
    double *lambda, *C;               /* per row, of the last gradient; nine per constraint */
    double *own;                      /* per constraint: D_own; 0: blocked */
    double *lift, *last_lift, *last_slip;
    double *G, *S, *z; /* nine per constraint: columns of G; active x active, active */
    double *J;         /* rows x rows (reduced_natural.c) */
    int *columns;      /* per constraint: how many it has */
    double R, fastest, shifted;
    double good;  /* m/s: a residual that is small enough compared with that of the start */
    bool at_rest; /* the last search for g = 0 came to its end */
    int steps;
} trm_reduced_search;

/* reduced_step.c: y = D x */
void trm_reduced_multiply(const trm_reduced *r, const double *x, double *y);
/* lambda of constraint h at its speeds u; C unless it is NULL. Returns its place. */
int trm_reduced_obey(const trm_reduced_search *s, int h, const double *u, double *lambda, double *C);
/* u = D p + c, and the largest that any u is a sum of. */
void trm_reduced_speeds(trm_reduced_search *s);
/* p with g = 0 at lambda_k, s and rho, as far as that goes in so many steps. */
void trm_reduced_minimise(trm_reduced_search *s);
/* S = U^T U of a positive definite S in place, its upper triangle; x <- S^-1 x. */
void trm_reduced_factorise(double *S, int n);
void trm_reduced_solve(const double *U, int n, double *x);

/* reduced_natural.c: p, u and lambda that obey all laws to `good`, m/s, or what it came to, from where p and u are. */
void trm_reduced_natural(trm_reduced_search *s, double good);

#endif
