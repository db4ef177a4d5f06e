/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves joint by joint (Schmitt 2003, P-steps 1, 2 and 4): Gauss-Seidel on the joint matrix.
 *
 * Positions. Bodies look ahead to t + h on their free motion. A joint that would be open there by c gets at t the
 * impulse  A lambda = -c/h  with its own block A. Rounds over all joints continue until none is open by more than
 * D_max. Every joint that is checked is corrected, including closed ones, as the paper's figures show: otherwise
 * the next step would have to correct over h what remains within D_max.
 *
 * Velocities. At the new pose a joint that opens at the speed J V + c_t gets  A mu = -(J V + c_t).
 *
 * Convergence (erratum 7): a step has diverged when the largest residual has not halved in thirty rounds (loops
 * take up to twenty), or is ten times its first value. It is then repeated with half the length. */

#include "methods/maximal/maximal.h"

enum { ROUNDS_TO_HALVE = 30, GROWTH_ALLOWED = 10 };

/* ---- Convergence -------------------------------------------------------------------------- */

typedef struct convergence {
    double first, best; /* largest residual of a round, in units of the tolerance */
    int since_best;     /* rounds since it last halved */
} convergence;

/* Takes note of the largest residual of a round. Returns false if the iteration has diverged. */
static bool keeps_converging(convergence *watch, double largest)
{
    if (!(largest < TRM_DIVERGENT_RESIDUAL)) return false; /* NaN too */
    if (watch->first == 0) watch->first = watch->best = largest;
    if (largest <= 0.5 * watch->best) {
        watch->best = largest;
        watch->since_best = 0;
    }
    return largest <= GROWTH_ALLOWED * watch->first && ++watch->since_best <= ROUNDS_TO_HALVE;
}

/* ---- Positions ---------------------------------------------------------------------------- */

/* Does P-steps 1 and 2 for one joint. Returns how far it was open, in units of the tolerance. */
static double close_joint(trm_maximal *w, const trm_maximal_joint *j, double h)
{
    double c[TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS];
    const double open = trm_maximal_residual(w, j, c);
    w->stepper->counters->checks++;
    trm_maximal_solve(j, -1 / h, c, lambda);
    trm_maximal_apply_joint_impulse(w, j, lambda, &w->stepper->state->clock->work.input);
    w->stepper->counters->corrections++;
    return open;
}

/* Returns whether all joints are closed. The last corrections of a round may have opened a joint that was checked
 * before. */
static bool all_are_closed(trm_maximal *w)
{
    double c[TRM_JOINT_ROWS];
    for (int i = 0; i < w->joint_count; i++)
        if (!trm_maximal_leaves_out(w, &w->joints[i]) && !(trm_maximal_residual(w, &w->joints[i], c) < 1))
            return false;
    return true;
}

static bool correct_joints(trm_maximal *w, double h, trm_outcome *outcome)
{
    convergence watch = {0};
    for (int round = 1;; round++) {
        trm_maximal_worst worst = {0, "", "", -1};
        for (int i = 0; i < w->joint_count; i++)
            if (!trm_maximal_leaves_out(w, &w->joints[i]))
                trm_maximal_take_worse(&worst, close_joint(w, &w->joints[i], h), "joint", w->joints[i].joint->name);
        w->stepper->counters->rounds++;
        if (worst.residual < 1 && all_are_closed(w)) return true;
        if (!keeps_converging(&watch, worst.residual))
            return trm_maximal_diverged(outcome, &worst, "its gap could not be closed");
        if (round == w->look.rounds) return true;
    }
}

/* ---- Velocities --------------------------------------------------------------------------- */

/* Does P-step 4 for one joint. Returns how fast it was opening, in units of the tolerance. */
static double correct_velocity(trm_maximal *w, const trm_maximal_joint *j)
{
    double target[TRM_JOINT_ROWS], mu[TRM_JOINT_ROWS];
    const double open = trm_maximal_check_velocity(w, j, target);
    if (open < 1) return open;
    trm_maximal_solve(j, -1, target, mu);
    trm_maximal_apply_joint_impulse(w, j, mu, &w->stepper->state->clock->work.input);
    return open;
}

static void velocity_round(trm_maximal *w, int round, trm_maximal_worst *worst)
{
    (void)round;
    for (int i = 0; i < w->joint_count; i++)
        if (!trm_maximal_leaves_out(w, &w->joints[i]))
            trm_maximal_take_worse(worst, correct_velocity(w, &w->joints[i]), "joint", w->joints[i].joint->name);
}

static void acceleration_round(trm_maximal *w)
{
    for (int i = 0; i < w->joint_count; i++) {
        double gap[TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS];
        trm_maximal_acceleration_gap(w, &w->joints[i], gap);
        trm_maximal_solve(&w->joints[i], -1, gap, lambda);
        trm_maximal_apply_joint_force(w, &w->joints[i], lambda);
    }
}

const trm_maximal_solver trm_maximal_iterative = {
    .name = "iterative",
    .most_velocity_rounds = 100000, /* linear and symmetric: converges, but slowly near singular poses */
    .needs_inverse = true,
    .correct_joints = correct_joints,
    .velocity_round = velocity_round,
    .acceleration_round = acceleration_round,
    .most_reaction_rounds = 10000,
    .most_projection_rounds = 10000,
};
