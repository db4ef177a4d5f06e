/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Newton's method on an island (newton.c): its workspace, and lambda(u) of a constraint. */

#ifndef TRM_METHODS_CONTACT_NEWTON_H
#define TRM_METHODS_CONTACT_NEWTON_H

#include <float.h>

#include <string.h>

#include "linalg/block_ldlt.h"
#include "math/four.h"
#include "methods/contact/cone.h"
#include "methods/contact/problem.h"

/* Four cones along a search direction: y = estimate - rho (u + s n) becomes y + part dy. */
typedef struct trm_cone_lanes {
    trm_four y[3], dy[3], du[3], friction;
} trm_cone_lanes;

/* The matrix of the Newton equations (newton_matrix.c). */
typedef struct trm_newton_matrix {
    trm_block_symbolic symbolic;
    int *slot; /* per body of a constraint: its block; -1: none */
    double *values, *scale;
    bool *dropped;
    bool factorised; /* the matrix is factorised at this R */
    unsigned places; /* places of all cones at that factorisation */
} trm_newton_matrix;

/* The state of the island at the start. */
typedef struct trm_newton_start {
    trm_spatial *V; /* per body of the island */
    double *lambda; /* six per constraint */
} trm_newton_start;

/* Largest speeds, m/s, of which residuals and roundings are fractions. */
typedef struct trm_newton_scale {
    double off;     /* residual at the start */
    double loaded;  /* speed that an impulse gives to its own row */
    double fastest; /* term in the sums J V + b */
    double changed; /* speed u, or change of it, since the start */
} trm_newton_scale;

/* The workspace of Newton's method. */
typedef struct trm_newton {
    const trm_problem *p;
    const trm_problem_island *island;
    trm_newton_matrix matrix;
    double *x;
    trm_spatial *Q;        /* per body of the island: M (V - V_free) */
    trm_spatial *g;        /* per body of the island: gradient */
    trm_spatial *dV;       /* per body of the island: search direction */
    double *estimate;      /* lambda_k, six per constraint of the island */
    double *lift;          /* per constraint: s of a cone, radius of a disc */
    double *last_lift;     /* lift of the previous round */
    double *last_slip;     /* f of the previous round; NAN: none yet */
    unsigned places;       /* hash of the places of all cones at the last gradient */
    double *u, *du;        /* six per constraint: speeds at the present velocities, and their change along dV */
    trm_cone_lanes *along; /* all cones in lanes of four, for the line search */
    int cones;
    double *own;       /* per constraint: its largest response */
    double *rho;       /* six per constraint: stiffness */
    trm_mat3 *inertia; /* per body of the island, world axes */
    trm_newton_start start;
    double heaviest; /* kg: largest mass of the island */
    double R;
    double joint_R; /* R of joints: R, or more */
    bool joints;    /* the island has joints */
    bool discs;     /* the island has torsional or rolling friction */
    bool heavy;     /* rho of cones is at least R m/4, with m the largest mass of the island */
    double shifted; /* m/s: largest change of s in the last round */
    double pending; /* rad/s: largest change of angular speed by new radii of discs, not yet in V */
    trm_newton_scale scale;
    double good; /* m/s: residual that is small enough compared with that of the start */
} trm_newton;

static inline const trm_constraint *trm_newton_constraint(const trm_newton *d, int i)
{
    return &d->p->constraints[d->island->constraints[i]];
}

/* ---- Laws --------------------------------------------------------------------------------- */

static inline trm_cone_place trm_newton_cone(double mu, double s, const double *estimate, double rho, const double *u,
                                             double *lambda, double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    const double y[3] = {estimate[0] - rho * (u[0] + s), estimate[1] - rho * u[1], estimate[2] - rho * u[2]};
    double P[3][3];
    const trm_cone_place place = trm_cone_project(mu, y, lambda);
    if (!C) return place;
    trm_cone_slope(mu, y, place, P);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) C[r][c] = rho * P[r][c];
    return place;
}

static inline trm_cone_place trm_newton_disc(int rows, double radius, const double *estimate, double rho,
                                             const double *u, double *lambda,
                                             double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    double y[2] = {0, 0}, p[2], P[2][2];
    for (int r = 0; r < rows; r++) y[r] = estimate[r] - rho * u[r];
    const trm_cone_place place = trm_disc_project(radius, y, p);
    for (int r = 0; r < rows; r++) lambda[r] = p[r];
    if (!C) return place;
    trm_disc_slope(radius, y, place, P);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++) C[r][c] = rho * P[r][c];
    return place;
}

/* Computes lambda(u) of a constraint from an estimate and the stiffness rho of each row, and C = -dlambda/du unless C
 * is NULL. lift: s of a cone, radius of a disc. Returns the place of u relative to the cone or the bounds. */
static inline trm_cone_place trm_constraint_obey(const trm_constraint *constraint, double lift,
                                                 const double *estimate, const double *rho, const double *u,
                                                 double *lambda, double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    if (C) memset(C, 0, TRM_JOINT_ROWS * sizeof *C);
    if (constraint->law == TRM_PULL) {
        lambda[0] = constraint->dt * trm_force_pull(constraint->pull, u[0]);
        if (C) C[0][0] = constraint->dt * trm_force_slope(constraint->pull, u[0]);
        return TRM_CONE_INSIDE;
    }
    if (constraint->law == TRM_BOUNDED) {
        const double y = estimate[0] - rho[0] * u[0];
        lambda[0] = fmin(fmax(y, constraint->least), constraint->most);
        if (C) C[0][0] = lambda[0] == y ? rho[0] : 0;
        return lambda[0] == y ? TRM_CONE_INSIDE : TRM_CONE_MANTLE;
    }
    if (constraint->law == TRM_CLOSED) {
        for (int r = 0; r < constraint->rows; r++) {
            lambda[r] = estimate[r] - rho[r] * u[r];
            if (C) C[r][r] = rho[r];
        }
        return TRM_CONE_INSIDE;
    }
    if (constraint->law == TRM_DISC) return trm_newton_disc(constraint->rows, lift, estimate, rho[0], u, lambda, C);
    return trm_newton_cone(constraint->friction, lift, estimate, rho[0], u, lambda, C);
}

/* The same for constraint i of an island. */
static inline trm_cone_place trm_newton_obey(const trm_newton *d, int i, const double *u, double *lambda,
                                             double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    return trm_constraint_obey(trm_newton_constraint(d, i), d->lift[i], d->estimate + TRM_JOINT_ROWS * i,
                               d->rho + TRM_JOINT_ROWS * i, u, lambda, C);
}

/* The ladder of stiffnesses R: the first attempt, the lowest and highest rung, and the factor by which a round
 * raises R. With a first attempt ten times lower, rounds converge more slowly; if it is ten times higher, Newton's
 * method fails more often and restarts at the bottom. Above the highest rung rounding exceeds the tolerance. */
static const double TRM_R_USUAL = 1e4, TRM_R_BOTTOM = 1, TRM_R_HIGHEST = 1e8, TRM_R_RAISED = 100;

/* Secants: largest derivative of the slip with respect to s. With a bound of 1 or larger the iteration for s
 * diverges; a smaller one only takes more rounds. */
static const double TRM_MOST_SLOPE = 0.9;

/* R is raised if more than this fraction of the residual of the last round is left. A larger fraction takes more
 * rounds, a smaller one raises R where the rounds converge anyway, and the matrix gets stiffer than necessary. */
static const double TRM_LITTLE_GAIN = 0.1;

/* g = 0 is solved to this fraction of the tolerance, or to rounding: four units in the last place of R u (twice as
 * much where u comes from the response matrix, reduced.c). With a larger fraction rounds stop short of the
 * tolerance, a smaller one only costs steps. A larger rounding ends Newton's method early at high R, a smaller one
 * is never reached, and it runs into MOST_STEPS. */
static const double TRM_INNER = 0.1, TRM_GRADIENT_ROUNDING = 4 * DBL_EPSILON;

/* A step along a direction is long enough if it leaves at most this fraction of the slope along it. With a larger
 * fraction, up to 1, the search does not converge; a smaller one takes more evaluations per step. */
static const double TRM_LEFT = 0.5;

/* ---- newton_matrix.c ---------------------------------------------------------------------- */

/* Writes a wrench, or a row, in the order of the freedoms of a body. */
static inline void trm_newton_put(const trm_body *body, trm_spatial J, double *row)
{
    row[0] = J.lin.x, row[1] = J.lin.y, row[2] = J.lin.z;
    if (trm_body_freedoms(body) == 6) row[3] = J.ang.x, row[4] = J.ang.y, row[5] = J.ang.z;
}

/* Finds the structure of the matrix: bodies are neighbours if a constraint connects them. Returns false if out of
 * memory. */
bool trm_newton_make_symbolic(trm_newton *d);

/* Computes M + sum J^T C J at the speeds u and factorises it. */
void trm_newton_factorise(trm_newton *d);

#endif
