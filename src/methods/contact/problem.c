/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What all ways of solving share: speeds, impulses, and how far a hold is from its law.
 *
 *     closed   |u|
 *     cone     K |lambda - P(lambda - (u + mu |u_t| n) / K)|,  K its own answer: the natural residual. The term mu |u_t|
 *              makes Coulomb's law of the cone's: without it what slips would lift (De Saxce)
 *     disc     K |lambda - P(lambda - u / K)|
 *     pull     K |lambda - dt pull(u)|
 *     bounded  K |lambda - (lambda - u / K brought within its bounds)| */

#include "methods/contact/problem.h"
#include "methods/contact/cone.h"

void trm_hold_speeds(const trm_hold *hold, const trm_spatial *V, double *u)
{
    const int n = hold->bodies;
    for (int r = 0; r < hold->rows; r++) {
        u[r] = hold->b ? hold->b[r] : 0;
        for (int k = 0; k < n; k++) u[r] += trm_sp_dot(hold->J[r * n + k], V[hold->body[k]]);
    }
}

void trm_hold_push(const trm_hold *hold, const double *change, trm_spatial *V)
{
    const int n = hold->bodies;
    for (int r = 0; r < hold->rows; r++) {
        hold->lambda[r] += change[r];
        for (int k = 0; k < n; k++)
            V[hold->body[k]] = trm_sp_add_scaled(V[hold->body[k]], change[r], hold->W[r * n + k]);
    }
}

double trm_hold_answer(const trm_hold *hold, int row)
{
    const int n = hold->bodies;
    double own = 0;
    for (int k = 0; k < n; k++) own += trm_sp_dot(hold->J[row * n + k], hold->W[row * n + k]);
    return own;
}

/* The largest of its rows: a step of its inverse goes too far along none. */
double trm_hold_own(const trm_hold *hold)
{
    double most = 0;
    for (int r = 0; r < hold->rows; r++) most = fmax(most, trm_hold_answer(hold, r));
    return most;
}

double trm_cone_residual(const trm_hold *hold, const double *u, double lift, double own)
{
    const double y[3] = {hold->lambda[0] - (u[0] + lift) / own, hold->lambda[1] - u[1] / own,
                         hold->lambda[2] - u[2] / own};
    double p[3], square = 0;
    trm_cone_project(hold->friction, y, p);
    for (int r = 0; r < 3; r++) square += (hold->lambda[r] - p[r]) * (hold->lambda[r] - p[r]);
    return own * sqrt(square);
}

double trm_disc_radius(const trm_hold *hold)
{
    return hold->friction * fmax(*hold->press, 0);
}

static double disc_residual(const trm_hold *hold, const double *u, double own)
{
    const double y[2] = {hold->lambda[0] - u[0] / own, hold->lambda[1] - u[1] / own};
    double p[2];
    trm_disc_project(trm_disc_radius(hold), y, p);
    return own * sqrt((hold->lambda[0] - p[0]) * (hold->lambda[0] - p[0]) +
                      (hold->lambda[1] - p[1]) * (hold->lambda[1] - p[1]));
}

double trm_hold_residual(const trm_hold *hold, const trm_spatial *V)
{
    double u[TRM_JOINT_ROWS], square = 0;
    const double own = trm_hold_own(hold);
    trm_hold_speeds(hold, V, u);
    if (!(own > 0)) return 0; /* nothing that it does moves anything */
    if (hold->law == TRM_CONE)
        return trm_cone_residual(hold, u, hold->friction * sqrt(u[1] * u[1] + u[2] * u[2]), own);
    if (hold->law == TRM_DISC) return disc_residual(hold, u, own);
    if (hold->law == TRM_BOUNDED)
        return own * fabs(hold->lambda[0] - fmin(fmax(hold->lambda[0] - u[0] / own, hold->least), hold->most));
    if (hold->law == TRM_PULL) return own * fabs(hold->lambda[0] - hold->dt * trm_force_pull(hold->pull, u[0]));
    for (int r = 0; r < hold->rows; r++) square += u[r] * u[r];
    return sqrt(square);
}
