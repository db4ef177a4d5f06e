/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joint after joint (Schmitt 2003, P-steps 1 to 4): Gauss-Seidel on the joint matrix.
 *
 * Positions. Bodies look ahead to t + h on their free motion; a joint that would be open there by c gets at t the
 * impulse  A lambda = -c/h  with its own block A. Rounds over all joints until none is open by more than D_max.
 *
 * Velocities. At the new pose a joint that opens at the speed J V + c_t gets  A mu = -(J V + c_t). A damped force
 * along a row takes part: for the time dt it gives the impulse  p = -dt (k c + d J V)  with V the velocity that
 * results, so its own correction is  dp = (-dt (k c + d J V) - p) / (1 + dt d J W). A force of
 * the caller is asked again in every round and the difference applied.
 *
 * The watch (erratum 7): a step has diverged when the largest residual has not halved in ten rounds, or is ten times
 * its first value; it is then to be repeated with half the step. */

#include <stdio.h>

#include "methods/impulse/impulse.h"
#include "motion/free.h"

enum { ROUNDS_TO_HALVE = 30, GROWTH_ALLOWED = 10, MOST_VELOCITY_ROUNDS = 100000 };

/* ---- The watch ---------------------------------------------------------------------------- */

typedef struct convergence {
    double first, best; /* largest residual of a round, in units of the tolerance */
    int since_best;     /* rounds since it last halved */
} convergence;

static bool keeps_converging(convergence *watch, double largest)
{
    if (!(largest <= 1e300)) return false; /* NaN too */
    if (watch->first == 0) watch->first = watch->best = largest;
    if (largest <= 0.5 * watch->best) {
        watch->best = largest;
        watch->since_best = 0;
    }
    return largest <= GROWTH_ALLOWED * watch->first && ++watch->since_best <= ROUNDS_TO_HALVE;
}

static bool diverged(trm_outcome *outcome, const trm_joint *joint, double residual, const char *what)
{
    outcome->ok = false;
    outcome->residual = residual;
    snprintf(outcome->element, sizeof outcome->element, "joint '%s'", joint ? joint->name : "");
    snprintf(outcome->why, sizeof outcome->why, "its %s could not be closed: %.3g times its tolerance is left", what,
             residual);
    return false;
}

static bool is_worse(double residual, double worst)
{
    return !isnan(worst) && !(residual <= worst);
}

/* The larger of both gaps in units of their tolerances. */
static double in_tolerances(trm_gap gap, double position, double angle)
{
    const double p = gap.position / position, a = gap.angle / angle;
    return p > a ? p : a >= p ? a : NAN; /* NaN stays NaN */
}

/* ---- Positions ---------------------------------------------------------------------------- */

static void look_ahead_body(trm_impulse *w, int i, double h)
{
    const trm_stepper *s = w->stepper;
    const trm_body *body = &s->model->bodies[i];
    w->moved[i] = false;
    if (body->inverse_mass > 0)
        w->ahead[i] = trm_free_pose(body, s->model->gravity, h, &s->state->pose[i], &s->state->velocity[i]);
}

void trm_impulse_look_ahead(trm_impulse *w, double h)
{
    const trm_model *model = w->stepper->model;
    for (int i = 0; i < model->body_count; i++) {
        trm_spatial ignored;
        if (model->bodies[i].motion)
            trm_motion_at(model->bodies[i].motion, w->stepper->state->clock->time + h, &w->ahead[i], &ignored, NULL);
        else
            w->ahead[i] = w->stepper->state->pose[i];
        w->moved[i] = true;
    }
    for (int i = 0; i < model->row_count; i++) w->stepper->state->impulse[i] = 0;
}

/* P-steps 1 and 2 for one joint; returns how far it was open, in units of the tolerance. */
static double close_joint(trm_impulse *w, const trm_impulse_joint *j, double h)
{
    const trm_stepper *s = w->stepper;
    double c[TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS];
    for (int b = 0; b < j->joint->body_count; b++)
        if (w->moved[j->joint->body[b]]) look_ahead_body(w, j->joint->body[b], h);
    const trm_joint_at at = trm_joint_at_poses(j->joint, w->ahead, NULL, s->state->clock->time + h, NULL);
    const double open =
        in_tolerances(trm_joint_gap(&at), s->options->position_tolerance, s->options->angle_tolerance);
    s->counters->checks++;
    if (open < 1) return open;

    trm_joint_residual(&at, c);
    for (int r = 0; r < j->joint->rows; r++) c[r] = -c[r] / h;
    trm_impulse_solve(j, c, lambda);
    trm_impulse_push(w, j, lambda);
    s->counters->corrections++;
    return open;
}

bool trm_impulse_correct_joints(trm_impulse *w, double h, trm_outcome *outcome)
{
    convergence watch = {0};
    for (;;) {
        double largest = 0;
        const trm_joint *worst = NULL;
        for (int i = 0; i < w->joint_count; i++) {
            const double open = close_joint(w, &w->joints[i], h);
            if (is_worse(open, largest)) largest = open, worst = w->joints[i].joint;
        }
        w->stepper->counters->rounds++;
        if (largest < 1) return true;
        if (!keeps_converging(&watch, largest)) return diverged(outcome, worst, largest, "gap");
    }
}

/* ---- Advance ------------------------------------------------------------------------------ */

static void remember_turns(trm_state *state, double h)
{
    const trm_model *model = state->model;
    for (int i = 0; i < model->joint_count; i++) {
        if (model->joints[i].memory_count == 0) continue;
        const trm_joint_at at = trm_joint_now(state, i);
        trm_joint_remember(&at, h, state->memory + model->joints[i].memory_offset);
    }
}

void trm_impulse_advance(trm_impulse *w, double h)
{
    trm_state *state = w->stepper->state;
    const trm_model *model = w->stepper->model;
    state->clock->time += h;
    state->clock->step = h;
    for (int i = 0; i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        if (body->motion) trm_motion_at(body->motion, state->clock->time, &state->pose[i], &state->velocity[i], NULL);
        if (body->inverse_mass > 0)
            trm_free_motion(body, model->gravity, h, TRM_TAYLOR_AUTO, &state->pose[i], &state->velocity[i]);
    }
    remember_turns(state, h);
    state->clock->velocities_fit = 0;
    w->rows_current = false;
}

/* ---- Velocities --------------------------------------------------------------------------- */

/* P-step 4 for one joint; returns how fast it was opening, in units of the tolerance. */
static double match_velocities(trm_impulse *w, const trm_impulse_joint *j)
{
    const int n = j->joint->body_count;
    const double tolerance = w->stepper->options->velocity_tolerance;
    double target[TRM_JOINT_ROWS], mu[TRM_JOINT_ROWS], square = 0;
    for (int r = 0; r < j->joint->rows; r++) {
        target[r] = -j->c_t[r];
        for (int b = 0; b < n; b++)
            target[r] -= trm_sp_dot(j->J[r * n + b], w->stepper->state->velocity[j->joint->body[b]]);
        square += target[r] * target[r];
    }
    const double open = sqrt(square) / tolerance;
    if (open < 1) return open;
    trm_impulse_solve(j, target, mu);
    trm_impulse_push(w, j, mu);
    return open;
}

/* The damped force's share; returns by how much its impulse changed the velocity along its row, in tolerances. */
static double damp(trm_impulse *w, trm_impulse_damper *d, double dt)
{
    const trm_force *force = &w->stepper->model->forces[d->force];
    trm_spatial *V[2] = {&w->stepper->state->velocity[force->body[0]], &w->stepper->state->velocity[force->body[1]]};
    const double rate = trm_sp_dot(d->row.J[0], *V[0]) + trm_sp_dot(d->row.J[1], *V[1]);
    const double wanted = -dt * (d->row.stiffness * d->row.c + d->row.damping * rate);
    const double change = (wanted - d->impulse) / (1 + dt * d->row.damping * d->own);
    d->impulse += change;
    for (int b = 0; b < 2; b++) *V[b] = trm_sp_add_scaled(*V[b], change, d->W[b]);
    return fabs(change) * d->own / w->stepper->options->velocity_tolerance;
}

/* A force of the caller, the same by fixed-point iteration; false: it is not finite. */
static bool ask_again(trm_impulse *w, int called, double dt, double *change, trm_outcome *outcome)
{
    const int body = w->stepper->called[called].body;
    trm_spatial F;
    if (!trm_impulse_ask(w, called, &F, outcome)) return false;
    const trm_spatial wanted = trm_sp(trm_scale(dt, F.ang), trm_scale(dt, F.lin));
    const trm_spatial before = w->stepper->state->velocity[body];
    trm_impulse_hit(w, body, trm_sp_add_scaled(wanted, -1, w->called[called]));
    w->called[called] = wanted;
    const trm_spatial difference = trm_sp_add_scaled(w->stepper->state->velocity[body], -1, before);
    *change = sqrt(trm_sp_dot(difference, difference)) / w->stepper->options->velocity_tolerance;
    return true;
}

/* All forces that depend on velocities, once; the largest change that they made. */
static bool apply_forces_of_velocity(trm_impulse *w, double dt, double *largest, trm_outcome *outcome)
{
    for (int i = 0; i < w->damper_count; i++) *largest = fmax(*largest, damp(w, &w->dampers[i], dt));
    for (int i = 0; i < w->stepper->called_count; i++) {
        double change = 0;
        if (!ask_again(w, i, dt, &change, outcome)) return false;
        *largest = fmax(*largest, change);
    }
    return true;
}

/* Linear, symmetric and not negative: the rounds converge, if slowly near singular poses, and a smaller step would not
 * help. */
bool trm_impulse_correct_velocities(trm_impulse *w, double dt, trm_outcome *outcome)
{
    trm_impulse_rows(w);
    for (int i = 0; i < w->damper_count; i++) w->dampers[i].impulse = 0;
    for (int i = 0; i < w->stepper->called_count; i++) w->called[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int round = 1;; round++) {
        double largest = 0;
        const trm_joint *worst = NULL;
        if (dt > 0 && !apply_forces_of_velocity(w, dt, &largest, outcome)) return false;
        for (int i = 0; i < w->joint_count; i++) {
            const double open = match_velocities(w, &w->joints[i]);
            if (is_worse(open, largest)) largest = open, worst = w->joints[i].joint;
        }
        w->stepper->counters->rounds++;
        if (largest < 1) break;
        if (isnan(largest) || round >= MOST_VELOCITY_ROUNDS) return diverged(outcome, worst, largest, "velocity gap");
    }
    w->stepper->state->clock->velocities_fit = 1;
    return true;
}
