/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rounds over the holds of an island, each in turn made to obey its law (projected Gauss-Seidel).
 *
 *     closed   row after row:  lambda -= u / K
 *     cone     lambda_n = max(0, lambda_n - u_n / K_n), then lambda_t - u_t / K_t brought into the disc of radius mu lambda_n
 *     pull     in closed form
 *
 * K_t is the larger eigenvalue of the tangents' own answer: one step for both, for with two different ones the slip would
 * not be opposite to the friction. */

#include "methods/contact/problem.h"

static double push_row(const trm_hold *hold, int row, double change, trm_spatial *V)
{
    const int n = hold->bodies;
    hold->lambda[row] += change;
    for (int k = 0; k < n; k++) V[hold->body[k]] = trm_sp_add_scaled(V[hold->body[k]], change, hold->W[row * n + k]);
    return fabs(change);
}

static double speed_along(const trm_hold *hold, int row, const trm_spatial *V)
{
    const int n = hold->bodies;
    double u = hold->b ? hold->b[row] : 0;
    for (int k = 0; k < n; k++) u += trm_sp_dot(hold->J[row * n + k], V[hold->body[k]]);
    return u;
}

static double close(const trm_hold *hold, trm_spatial *V)
{
    double most = 0;
    for (int r = 0; r < hold->rows; r++) {
        const double own = trm_hold_answer(hold, r);
        if (own > 0) most = fmax(most, own * push_row(hold, r, -speed_along(hold, r, V) / own, V));
    }
    return most;
}

/* The larger eigenvalue of [[a, b], [b, c]], the answer of the two tangents. */
static double answer_of_tangents(const trm_hold *hold)
{
    const int n = hold->bodies;
    const double a = trm_hold_answer(hold, 1), c = trm_hold_answer(hold, 2);
    double b = 0;
    for (int k = 0; k < n; k++) b += trm_sp_dot(hold->J[n + k], hold->W[2 * n + k]);
    return 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + b * b);
}

static double rub(const trm_hold *hold, trm_spatial *V)
{
    const double own = answer_of_tangents(hold), most = hold->friction * hold->lambda[0];
    if (!(own > 0)) return 0;
    double y[2], change = 0;
    for (int r = 0; r < 2; r++) y[r] = hold->lambda[r + 1] - speed_along(hold, r + 1, V) / own;
    const double length = sqrt(y[0] * y[0] + y[1] * y[1]), share = length > most ? most / length : 1;
    for (int r = 0; r < 2; r++) change = fmax(change, push_row(hold, r + 1, share * y[r] - hold->lambda[r + 1], V));
    return own * change;
}

static double lean(const trm_hold *hold, trm_spatial *V)
{
    const double own = trm_hold_answer(hold, 0);
    if (!(own > 0)) return 0;
    const double wanted = fmax(hold->lambda[0] - speed_along(hold, 0, V) / own, 0);
    const double change = own * push_row(hold, 0, wanted - hold->lambda[0], V);
    return fmax(change, rub(hold, V));
}

static double give(const trm_hold *hold, trm_spatial *V)
{
    const double own = trm_hold_answer(hold, 0), rate = speed_along(hold, 0, V) - own * hold->lambda[0];
    const double wanted = trm_force_impulse(hold->pull, hold->dt, rate, own);
    return own * push_row(hold, 0, wanted - hold->lambda[0], V);
}

double trm_problem_sweeps(const trm_problem *problem, const trm_problem_island *island, int rounds)
{
    double change = INFINITY;
    for (int round = 0; round < rounds && change > problem->tolerance; round++) {
        change = 0;
        for (int i = 0; i < island->hold_count; i++) {
            const trm_hold *hold = &problem->holds[island->holds[i]];
            const double here = hold->law == TRM_CONE   ? lean(hold, problem->V)
                                : hold->law == TRM_PULL ? give(hold, problem->V)
                                                        : close(hold, problem->V);
            change = fmax(change, here);
        }
    }
    return change;
}
