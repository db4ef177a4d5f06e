/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Newton's method on an island (newton.c): its workspace, and lambda(u) of a constraint. */

#ifndef TRM_METHODS_CONTACT_NEWTON_H
#define TRM_METHODS_CONTACT_NEWTON_H

#include <string.h>

#include "linalg/block_ldlt.h"
#include "math/four.h"
#include "methods/contact/cone.h"
#include "methods/contact/problem.h"

/* Four cones along a direction: y = estimate - rho (u + s n) there is y + part dy. */
typedef struct trm_cone_lanes {
    trm_four y[3], dy[3], du[3], friction;
} trm_cone_lanes;

/* The workspace. */
typedef struct trm_newton {
    const trm_problem *p;
    const trm_problem_island *island;
    trm_block_symbolic symbolic;
    int *slot; /* per body that a constraint has: its block; -1: none */
    double *values, *scale, *x;
    bool *dropped;
    trm_spatial *Q;    /* per body of the island: M (V - V_free) */
    trm_spatial *g;    /* likewise */
    trm_spatial *dV;   /* likewise */
    double *estimate;  /* lambda_k, six per constraint of the island, */
    double *lift;      /* s of each, of a disc its radius, */
    double *last_lift; /* that of the round before, */
    double *last_slip; /* and f of it; NAN: none yet */
    unsigned places;   /* where the cones are, as a number that differs where one does, at the last gradient */
    unsigned factorised_places;
    double *u, *du;        /* six per constraint: at the present velocities, and along dV */
    trm_cone_lanes *along; /* of all cones, four side by side: while a step is measured */
    int cones;
    double *own;          /* per constraint: the most that its rows answer */
    double *rho;          /* six per constraint */
    trm_mat3 *inertia;    /* per body of the island, in the world */
    trm_spatial *start_V; /* per body of the island */
    double *start_lambda; /* six per constraint */
    double heaviest;      /* kg */
    double R;
    double joint_R;  /* of joints: R, or more */
    bool joints;     /* there are some */
    bool heavy;      /* R/K >= R m/4 with m the heaviest of the island */
    double shifted;  /* m/s: by how much s has changed at most in the last round, */
    double behind;   /* rad/s: and by how much turning would by a change of the radius of a disc */
    double fastest;  /* m/s: the largest that u is a sum of */
    double good;     /* m/s: a residual that is small enough compared with that of the start */
    bool factorised; /* at this R */
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

static inline trm_cone_place trm_newton_disc(double radius, const double *estimate, double rho, const double *u,
                                             double *lambda, double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    const double y[2] = {estimate[0] - rho * u[0], estimate[1] - rho * u[1]};
    double P[2][2];
    const trm_cone_place place = trm_disc_project(radius, y, lambda);
    if (!C) return place;
    trm_disc_slope(radius, y, place, P);
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) C[r][c] = rho * P[r][c];
    return place;
}

/* lambda(u) of a constraint from an estimate with stiffness rho per row, and C unless it is NULL. lift: s of a cone, the radius of a
 * disc. */
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
    if (constraint->law == TRM_DISC) return trm_newton_disc(lift, estimate, rho[0], u, lambda, C);
    return trm_newton_cone(constraint->friction, lift, estimate, rho[0], u, lambda, C);
}

/* The same of constraint i of an island. */
static inline trm_cone_place trm_newton_obey(const trm_newton *d, int i, const double *u, double *lambda,
                                             double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    return trm_constraint_obey(trm_newton_constraint(d, i), d->lift[i], d->estimate + TRM_JOINT_ROWS * i,
                               d->rho + TRM_JOINT_ROWS * i, u, lambda, C);
}

/* ---- newton_matrix.c ---------------------------------------------------------------------- */

/* A wrench, or a row, over the freedoms of a body. */
static inline void trm_newton_put(const trm_body *body, trm_spatial J, double *row)
{
    row[0] = J.lin.x, row[1] = J.lin.y, row[2] = J.lin.z;
    if (trm_body_freedoms(body) == 6) row[3] = J.ang.x, row[4] = J.ang.y, row[5] = J.ang.z;
}

/* The form of the matrix: bodies are neighbours that a constraint joins. False: out of memory. */
bool trm_newton_make_symbolic(trm_newton *d);

/* M + sum J^T C J at the speeds u, factorised. */
void trm_newton_factorise(trm_newton *d);

#endif
