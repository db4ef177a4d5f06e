/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds the nearest poses at which all joints are closed.
 *
 * Let d be the displacement of every body from its start (rotation vector and translation, world). Sought is the d
 * with c(d) = 0 that has the least d^T M d / 2. Linearised at the present d, c + J (d' - d) = 0, it is
 *
 *     d' = W lambda,   A lambda = J d - c
 *
 * This is the velocity correction of bodies at rest with c - J d in place of c_t, and the solvers compute it in
 * that form. It is repeated until the joints are closed. If d does not converge, the iteration starts again from
 * the present poses: the result is then consistent, but no longer the nearest. Where the curvature of c outweighs M
 * no start helps: the light links of a taut chain turn to and fro, although its heavy end should move. Therefore
 * each round of the second half begins at the present poses, which is Newton's method for c = 0. Finding any
 * consistent pose from far away is NP-hard (SBP section 2), so success is not guaranteed. */

#include "math/rotation.h"
#include "methods/maximal/maximal.h"
#include "methods/ranks/rank_map.h"

enum { MOST_ROUNDS = 200, ROUNDS_FROM_ONE_START = 25 };
/* rad: no body turns by more than this in a round, because the linearisation fails beyond it. A larger value may
 * assemble another pose than the nearest, a smaller one takes more rounds. Tests pass with a tenth and with ten
 * times of it. */
static const double LARGEST_TURN = 0.5;
/* Displacements are computed to this fraction of the tolerance. A larger value needs more rounds, a smaller one
 * solves more exactly than a round can use. Tests pass with a tenth and with ten times of it. */
static const double SHARE_OF_TOLERANCE = 0.1;
/* Displacements up to SHORT_DISPLACEMENT (m, rad) count as straight: the first closed pose is the nearest. Longer
 * ones have converged when a round changes them by at most the fraction SETTLED. Larger values stop at a pose that
 * is not the nearest, smaller ones add rounds. Tests pass with a tenth and with ten times of it. */
static const double SHORT_DISPLACEMENT = 1e-3, SETTLED = 1e-6;

/* Returns d of a body. Its start is in w->look.ahead, which is unused between steps. */
static trm_spatial displacement_of(const trm_maximal *w, int body)
{
    const trm_pose *from = &w->look.ahead[body], *now = &w->stepper->state->pose[body];
    return trm_sp(trm_quat_log(trm_quat_mul(now->q, trm_quat_conj(from->q))), trm_v3_sub(now->p, from->p));
}

static void restart_from_present_poses(trm_maximal *w)
{
    for (int k = 0; k < w->body_count; k++) w->look.ahead[w->bodies[k]] = w->stepper->state->pose[w->bodies[k]];
}

/* Computes the residuals at the present pose, times scale, into w->required. Returns the largest. */
static trm_maximal_worst residuals(trm_maximal *w, double scale)
{
    trm_maximal_worst worst = {0, "", "", -1};
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        double *c = w->required + j->joint->row_offset;
        const double open = trm_maximal_residual_at(w, j, w->stepper->state->pose, w->stepper->state->clock->time, c);
        trm_maximal_take_worse_joint(&worst, open, j);
        for (int r = 0; r < j->joint->rows; r++) c[r] *= scale;
    }
    trm_maximal_agree(w, &worst);
    return worst;
}

/* Subtracts J d, times scale, from w->required. */
static void subtract_displacements(trm_maximal *w, double scale)
{
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        const int n = j->joint->body_count;
        for (int b = 0; b < n; b++) {
            const trm_spatial displacement = displacement_of(w, j->joint->body[b]);
            for (int r = 0; r < j->joint->rows; r++)
                w->required[j->joint->row_offset + r] -= scale * trm_sp_dot(j->J[r * n + b], displacement);
        }
    }
}

/* Computes d' of the linearised problem, stored in place of velocities. */
static void find_displacements(trm_maximal *w)
{
    trm_maximal_worst worst;
    int round = 0;
    for (int k = 0; k < w->body_count; k++)
        w->stepper->state->velocity[w->bodies[k]] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    do {
        worst = (trm_maximal_worst){0, "", "", -1};
        w->solver->velocity_round(w, ++round, &worst);
    } while (worst.residual >= 1 && round < w->solver->most_projection_rounds);
}

/* Over all bodies: the largest displacement, its largest change in this round, and the largest rotation among the
 * changes. */
typedef struct lengths {
    double displacement, change, turn;
} lengths;

static lengths measure(const trm_maximal *w, double scale)
{
    lengths l = {0, 0, 0};
    for (int k = 0; k < w->body_count; k++) {
        const int i = w->bodies[k];
        if (w->held[i]) continue;
        const trm_spatial displacement = displacement_of(w, i), required = w->stepper->state->velocity[i];
        const double turn = trm_v3_length(trm_v3_sub(trm_v3_scale(1 / scale, required.ang), displacement.ang));
        const double shift = trm_v3_length(trm_v3_sub(trm_v3_scale(1 / scale, required.lin), displacement.lin));
        l.displacement = fmax(l.displacement, fmax(trm_v3_length(displacement.ang), trm_v3_length(displacement.lin)));
        l.change = fmax(l.change, fmax(turn, shift));
        l.turn = fmax(l.turn, turn);
    }
    trm_rank_map_largest(w->rank_map, &l.displacement, NULL);
    trm_rank_map_largest(w->rank_map, &l.change, NULL);
    trm_rank_map_largest(w->rank_map, &l.turn, NULL);
    return l;
}

/* Moves all bodies by the same fraction of the way to d', such that none turns by more than LARGEST_TURN. */
static void move_bodies(trm_maximal *w, double scale, const lengths *l)
{
    const double share = l->turn > LARGEST_TURN ? LARGEST_TURN / l->turn : 1;
    for (int k = 0; k < w->body_count; k++) {
        const int i = w->bodies[k];
        if (w->held[i]) continue;
        const trm_spatial displacement = displacement_of(w, i), required = w->stepper->state->velocity[i];
        const trm_vec3 turn =
            trm_v3_add_scaled(trm_v3_scale(1 - share, displacement.ang), share / scale, required.ang);
        const trm_vec3 shift =
            trm_v3_add_scaled(trm_v3_scale(1 - share, displacement.lin), share / scale, required.lin);
        w->stepper->state->pose[i].p = trm_v3_add(w->look.ahead[i].p, shift);
        w->stepper->state->pose[i].q = trm_quat_unit(trm_quat_mul(trm_quat_exp(turn), w->look.ahead[i].q));
    }
}

/* Iterates until all joints are closed. It overwrites velocities. */
static bool close_joints(trm_maximal *w, trm_outcome *outcome)
{
    const trm_simulation_def *o = w->stepper->options;
    const double tolerance = fmin(o->position_tolerance, o->angle_tolerance);
    const double scale = o->velocity_tolerance / (SHARE_OF_TOLERANCE * tolerance);
    lengths l = {0, 0, 0};
    for (int round = 0;; round++) {
        trm_maximal_rows(w);
        const trm_maximal_worst worst = residuals(w, scale);
        const bool starts = round % ROUNDS_FROM_ONE_START == 0 || round > MOST_ROUNDS / 2;
        const bool is_short = fmax(l.displacement, l.change) <= SHORT_DISPLACEMENT;
        const bool settled = is_short || l.change <= SETTLED * l.displacement || starts;
        if (trm_rank_map_is_lost(w->rank_map)) return trm_maximal_lost(w, outcome);
        if (worst.residual < 1 && settled) return true;
        if (!(worst.residual < TRM_DIVERGENT_RESIDUAL) || round == MOST_ROUNDS)
            return trm_maximal_diverged(outcome, &worst, "its gap could not be closed");
        if (starts) restart_from_present_poses(w);
        subtract_displacements(w, scale);
        find_displacements(w);
        l = measure(w, scale);
        move_bodies(w, scale, &l);
    }
}

bool trm_maximal_project_positions(trm_maximal *w, trm_outcome *outcome)
{
    trm_state *state = w->stepper->state;
    const trm_works work = state->clock->work; /* assembly does no work */
    for (int i = 0; i < state->model->body_count; i++) w->accelerations.a[i] = state->velocity[i];
    w->required = w->accelerations.gamma;
    const bool closed = close_joints(w, outcome);
    w->required = NULL;
    for (int i = 0; i < state->model->body_count; i++) state->velocity[i] = w->accelerations.a[i];
    state->clock->work = work;
    state->clock->velocities_projected = 0;
    if (closed) trm_remember_turns(state, 0, trm_rank_map_known_joints(w->rank_map));
    return closed;
}
