/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rounds over the holds of an island, each in turn made to obey its law (projected Gauss-Seidel).
 *
 *     closed   row after row:  lambda -= u / K
 *     cone     lambda_n = max(0, lambda_n - u_n / K_n), then lambda_t - u_t / K_t brought into the disc of radius mu lambda_n
 *     pull     in closed form
 *     bounded  lambda - u / K brought within its bounds
 *
 * K_t is the larger eigenvalue of the tangents' own answer: one step for both, for with two different ones the slip would
 * not be opposite to the friction. */

#include "methods/contact/problem.h"

/* The answers of a hold to its own rows; of a cone K_n, and K_t for both tangents. */
typedef struct own_answers {
    double K[TRM_JOINT_ROWS];
} own_answers;

/* The larger eigenvalue of [[a, b], [b, c]], the answer of the two tangents. */
static double answer_of_tangents(const trm_hold *hold)
{
    const int n = hold->bodies;
    const double a = trm_hold_answer(hold, 1), c = trm_hold_answer(hold, 2);
    double b = 0;
    for (int k = 0; k < n; k++) b += trm_sp_dot(hold->J[n + k], hold->W[2 * n + k]);
    return 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + b * b);
}

static own_answers answers_of(const trm_hold *hold)
{
    own_answers own;
    for (int r = 0; r < hold->rows; r++) own.K[r] = trm_hold_answer(hold, r);
    if (hold->law == TRM_CONE) own.K[1] = own.K[2] = answer_of_tangents(hold);
    return own;
}

static inline void push_row(const trm_hold *hold, int row, double change, trm_spatial *V)
{
    const int n = hold->bodies;
    hold->lambda[row] += change;
    for (int k = 0; k < n; k++) V[hold->body[k]] = trm_sp_add_scaled(V[hold->body[k]], change, hold->W[row * n + k]);
}

static inline double speed_along(const trm_hold *hold, int row, const trm_spatial *V)
{
    const int n = hold->bodies;
    double u = hold->b ? hold->b[row] : 0;
    for (int k = 0; k < n; k++) u += trm_sp_dot(hold->J[row * n + k], V[hold->body[k]]);
    return u;
}

static double close_rows(const trm_hold *hold, const own_answers *own, trm_spatial *V)
{
    double most = 0;
    for (int r = 0; r < hold->rows; r++) {
        if (!(own->K[r] > 0)) continue;
        const double u = speed_along(hold, r, V);
        push_row(hold, r, -u / own->K[r], V);
        most = fmax(most, fabs(u));
    }
    return most;
}

static double rub(const trm_hold *hold, double K, trm_spatial *V)
{
    const double most = hold->friction * hold->lambda[0];
    double y[2], change[2];
    if (!(K > 0)) return 0;
    for (int r = 0; r < 2; r++) y[r] = hold->lambda[r + 1] - speed_along(hold, r + 1, V) / K;
    const double length = sqrt(y[0] * y[0] + y[1] * y[1]), share = length > most ? most / length : 1;
    for (int r = 0; r < 2; r++) {
        change[r] = share * y[r] - hold->lambda[r + 1];
        push_row(hold, r + 1, change[r], V);
    }
    return K * fmax(fabs(change[0]), fabs(change[1]));
}

static double lean(const trm_hold *hold, const own_answers *own, trm_spatial *V)
{
    const double K = own->K[0];
    if (!(K > 0)) return 0;
    const double wanted = hold->lambda[0] - speed_along(hold, 0, V) / K;
    const double change = (wanted > 0 ? wanted : 0) - hold->lambda[0];
    if (change != 0) push_row(hold, 0, change, V);
    if (hold->lambda[0] == 0 && hold->lambda[1] == 0 && hold->lambda[2] == 0) return K * fabs(change); /* open */
    return fmax(K * fabs(change), rub(hold, own->K[1], V));
}

static double give(const trm_hold *hold, const own_answers *own, trm_spatial *V)
{
    const double K = own->K[0], rate = speed_along(hold, 0, V) - K * hold->lambda[0];
    const double change = trm_force_impulse(hold->pull, hold->dt, rate, K) - hold->lambda[0];
    push_row(hold, 0, change, V);
    return K * fabs(change);
}

static double stay_within(const trm_hold *hold, const own_answers *own, trm_spatial *V)
{
    const double K = own->K[0];
    if (!(K > 0)) return 0;
    const double wanted = hold->lambda[0] - speed_along(hold, 0, V) / K;
    const double change = fmin(fmax(wanted, -hold->bound), hold->bound) - hold->lambda[0];
    push_row(hold, 0, change, V);
    return K * fabs(change);
}

static double work_along(const trm_problem *problem, const trm_problem_island *island)
{
    double work = 0;
    for (int i = 0; i < island->hold_count; i++) {
        const trm_hold *hold = &problem->holds[island->holds[i]];
        for (int r = 0; r < hold->rows; r++) work += hold->lambda[r] * speed_along(hold, r, problem->V);
    }
    return work;
}

/* Impulses of the last step may be far off in this one, and few sweeps cannot take them back. Where they put energy in,
 * lambda (u without them + u with them) / 2 > 0, it is better to begin with none: sweeps only lower it from where they begin. */
static void begin_without_gain(const trm_problem *problem, const trm_problem_island *island, trm_arena *arena)
{
    double *start = TRM_NEW_ARRAY(arena, double, TRM_JOINT_ROWS * island->hold_count);
    if (!start) return;
    const double with = work_along(problem, island);
    double without = 0;
    for (int i = 0; i < island->hold_count; i++) {
        const trm_hold *hold = &problem->holds[island->holds[i]];
        for (int r = 0; r < hold->rows; r++) {
            start[TRM_JOINT_ROWS * i + r] = hold->lambda[r];
            push_row(hold, r, -hold->lambda[r], problem->V);
        }
    }
    for (int i = 0; i < island->hold_count; i++)
        for (int r = 0; r < problem->holds[island->holds[i]].rows; r++)
            without += start[TRM_JOINT_ROWS * i + r] * speed_along(&problem->holds[island->holds[i]], r, problem->V);
    for (int i = 0; with + without <= 0 && i < island->hold_count; i++)
        for (int r = 0; r < problem->holds[island->holds[i]].rows; r++)
            push_row(&problem->holds[island->holds[i]], r, start[TRM_JOINT_ROWS * i + r], problem->V);
}

double trm_problem_sweeps(const trm_problem *problem, const trm_problem_island *island, int rounds)
{
    const trm_arena_mark mark = trm_arena_get_mark(problem->arena);
    own_answers *own = TRM_NEW_ARRAY(problem->arena, own_answers, island->hold_count);
    double change = INFINITY;
    begin_without_gain(problem, island, problem->arena);
    for (int i = 0; own && i < island->hold_count; i++) own[i] = answers_of(&problem->holds[island->holds[i]]);
    for (int round = 0; own && round < rounds && change > problem->tolerance; round++) {
        change = 0;
        for (int i = 0; i < island->hold_count; i++) {
            const trm_hold *hold = &problem->holds[island->holds[i]];
            const double here = hold->law == TRM_CONE      ? lean(hold, &own[i], problem->V)
                                : hold->law == TRM_PULL    ? give(hold, &own[i], problem->V)
                                : hold->law == TRM_BOUNDED ? stay_within(hold, &own[i], problem->V)
                                                           : close_rows(hold, &own[i], problem->V);
            change = fmax(change, here);
        }
    }
    trm_arena_reset(problem->arena, mark);
    return change;
}
