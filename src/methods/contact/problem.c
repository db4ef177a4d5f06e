/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions that all solvers share: speeds, impulses, and the residual of a constraint.
 *
 *     closed   |u|
 *     cone     K |lambda - P(lambda - (u + mu |u_t| n) / K)|,  K its own response: the natural residual. The term
 *              mu |u_t| makes the law of the cone Coulomb's law: without it slipping contacts would separate (De Saxce)
 *     disc     K |lambda - P(lambda - u / K)|
 *     pull     K |lambda - dt pull(u)|
 *     bounded  K |lambda - (lambda - u / K clamped to its bounds)| */

#include "methods/contact/problem.h"
#include "base/larger.h"
#include "linalg/block_kernels.h"
#include "methods/contact/cone.h"

TRM_KERNEL void find_speeds(const trm_constraint *constraint, const trm_spatial *V, double *u, int rows, int bodies)
{
    for (int r = 0; r < rows; r++) {
        double sum = constraint->b ? constraint->b[r] : 0;
        for (int k = 0; k < bodies; k++) sum += trm_sp_dot(constraint->J[r * bodies + k], V[constraint->body[k]]);
        u[r] = sum;
    }
}

void trm_constraint_speeds(const trm_constraint *constraint, const trm_spatial *V, double *u)
{
    TRM_WITH_SHAPE(constraint, ROWS, BODIES, find_speeds(constraint, V, u, ROWS, BODIES))
}

void trm_constraint_apply_impulse(const trm_constraint *constraint, const double *change, trm_spatial *V)
{
    const int n = constraint->bodies;
    for (int r = 0; r < constraint->rows; r++) {
        constraint->lambda[r] += change[r];
        for (int k = 0; k < n; k++)
            V[constraint->body[k]] = trm_sp_add_scaled(V[constraint->body[k]], change[r], constraint->W[r * n + k]);
    }
}

TRM_KERNEL double response_of(const trm_constraint *constraint, int row, int bodies)
{
    double own = 0;
    for (int k = 0; k < bodies; k++)
        own += trm_sp_dot(constraint->J[row * bodies + k], constraint->W[row * bodies + k]);
    return own;
}

double trm_constraint_response(const trm_constraint *constraint, int row)
{
    return response_of(constraint, row, constraint->bodies);
}

/* A step of the inverse of the largest response overshoots along no row. */
double trm_constraint_largest_response(const trm_constraint *constraint)
{
    double most = 0;
    if (constraint->own > 0) return constraint->own;
    TRM_WITH_SHAPE(constraint, ROWS, BODIES, {
        for (int r = 0; r < ROWS; r++) most = trm_fmax(most, response_of(constraint, r, BODIES));
    })
    return most;
}

double trm_cone_residual(const trm_constraint *constraint, const double *u, double lift, double own)
{
    const double y[3] = {constraint->lambda[0] - (u[0] + lift) / own, constraint->lambda[1] - u[1] / own,
                         constraint->lambda[2] - u[2] / own};
    double p[3], square = 0;
    trm_cone_project(constraint->friction, y, p);
    for (int r = 0; r < 3; r++) square += (constraint->lambda[r] - p[r]) * (constraint->lambda[r] - p[r]);
    return own * sqrt(square);
}

double trm_disc_radius(const trm_constraint *constraint)
{
    return constraint->friction * fmax(*constraint->normal, 0);
}

static double disc_residual(const trm_constraint *constraint, const double *u, double own)
{
    double y[2] = {0, 0}, p[2], square = 0;
    for (int r = 0; r < constraint->rows; r++) y[r] = constraint->lambda[r] - u[r] / own;
    trm_disc_project(trm_disc_radius(constraint), y, p);
    for (int r = 0; r < constraint->rows; r++)
        square += (constraint->lambda[r] - p[r]) * (constraint->lambda[r] - p[r]);
    return own * sqrt(square);
}

double trm_constraint_residual(const trm_constraint *constraint, const trm_spatial *V)
{
    double u[TRM_JOINT_ROWS], square = 0;
    const double own = trm_constraint_largest_response(constraint);
    trm_constraint_speeds(constraint, V, u);
    if (!(own > 0)) return 0; /* its impulses move nothing */
    if (constraint->law == TRM_CONE)
        return trm_cone_residual(constraint, u, constraint->friction * sqrt(u[1] * u[1] + u[2] * u[2]), own);
    if (constraint->law == TRM_DISC) return disc_residual(constraint, u, own);
    if (constraint->law == TRM_BOUNDED)
        return own * fabs(constraint->lambda[0] -
                          fmin(fmax(constraint->lambda[0] - u[0] / own, constraint->least), constraint->most));
    if (constraint->law == TRM_PULL)
        return own * fabs(constraint->lambda[0] - constraint->dt * trm_force_pull(constraint->pull, u[0]));
    for (int r = 0; r < constraint->rows; r++) square += u[r] * u[r];
    return sqrt(square);
}
