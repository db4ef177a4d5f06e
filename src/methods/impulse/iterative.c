/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joint after joint (Schmitt 2003, P-steps 1 to 4): Gauss-Seidel on the joint matrix.
 *
 * Positions. Bodies look ahead to t + h on their free motion; a joint that would be open there by c gets at t the
 * impulse  A lambda = -c/h  with its own block A. Rounds over all joints until none is found open by more than D_max;
 * every joint that is looked at is corrected, the closed ones too, as the paper's figures show that it did: what they
 * give away within D_max the next step would have to give back over h.
 *
 * Velocities. At the new pose a joint that opens at the speed J V + c_t gets  A mu = -(J V + c_t). A damped force
 * along a row takes part: for the time dt it gives the impulse  p = -dt (k c + d J V)  with V the velocity that
 * results, so its own correction is  dp = (-dt (k c + d J V) - p) / (1 + dt d J W). A force of
 * the caller is asked again in every round and the difference applied.
 *
 * The watch (erratum 7): a step has diverged when the largest residual has not halved in thirty rounds (loops take up
 * to twenty), or is ten times its first value; it is then to be repeated with half the step. */

#include <stdio.h>

#include "methods/impulse/impulse.h"

enum { ROUNDS_TO_HALVE = 30, GROWTH_ALLOWED = 10, MOST_VELOCITY_ROUNDS = 100000 };

/* A residual in tolerances that will not come back; far from overflow. */
static const double BEYOND_HOPE = 1e100;

/* ---- The watch ---------------------------------------------------------------------------- */

typedef struct convergence {
    double first, best; /* largest residual of a round, in units of the tolerance */
    int since_best;     /* rounds since it last halved */
} convergence;

static bool keeps_converging(convergence *watch, double largest)
{
    if (!(largest < BEYOND_HOPE)) return false; /* NaN too */
    if (watch->first == 0) watch->first = watch->best = largest;
    if (largest <= 0.5 * watch->best) {
        watch->best = largest;
        watch->since_best = 0;
    }
    return largest <= GROWTH_ALLOWED * watch->first && ++watch->since_best <= ROUNDS_TO_HALVE;
}

/* A residual that is no number is told as infinite: a smaller step may still help. */
static bool diverged(trm_outcome *outcome, const char *kind, const char *name, double residual, const char *what)
{
    outcome->ok = false;
    outcome->residual = isnan(residual) ? INFINITY : residual;
    snprintf(outcome->element, sizeof outcome->element, "%s '%s'", kind, name);
    snprintf(outcome->why, sizeof outcome->why, "%s: %.3g times its tolerance is left", what, outcome->residual);
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

void trm_impulse_look_ahead(trm_impulse *w, double h)
{
    const trm_model *model = w->stepper->model;
    const trm_state *state = w->stepper->state;
    for (int i = 0; i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        trm_spatial ignored;
        if (body->motion)
            trm_motion_at(body->motion, w->stepper->goal, &w->ahead[i], &ignored, NULL);
        else
            w->ahead[i] = state->pose[i];
        if (body->inverse_mass > 0) w->outlook[i] = trm_outlook_from(body, model->gravity, h, &state->pose[i]);
        w->moved[i] = true;
    }
    for (int i = 0; i < model->row_count; i++) state->impulse[i] = 0;
}

/* The free motion of a body whose velocity has changed since it last looked ahead. */
static void look_again(trm_impulse *w, int body)
{
    if (!w->moved[body]) return;
    w->moved[body] = false;
    if (w->outlook[body].body) trm_look_ahead(&w->outlook[body], &w->stepper->state->velocity[body], &w->ahead[body]);
}

/* P-steps 1 and 2 for one joint; returns how far it was open, in units of the tolerance. */
static double close_joint(trm_impulse *w, const trm_impulse_joint *j, double h)
{
    const trm_stepper *s = w->stepper;
    double c[TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS];
    for (int b = 0; b < j->joint->body_count; b++) look_again(w, j->joint->body[b]);
    trm_joint_residual_at(j->joint, w->ahead, s->goal, c);
    const double open = in_tolerances(trm_residual_gap(j->joint, c, j->law), s->options->position_tolerance,
                                      s->options->angle_tolerance);
    s->counters->checks++;
    trm_impulse_solve(j, -1 / h, c, lambda);
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
        if (!keeps_converging(&watch, largest))
            return diverged(outcome, "joint", worst->name, largest, "its gap could not be closed");
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
    state->clock->time = w->stepper->goal;
    state->clock->step = h;
    for (int i = 0; i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        if (body->motion) trm_motion_at(body->motion, state->clock->time, &state->pose[i], &state->velocity[i], NULL);
        if (body->inverse_mass > 0)
            trm_free_motion(body, model->gravity, h, TRM_TAYLOR_AUTO, &state->pose[i], &state->velocity[i]);
    }
    remember_turns(state, h);
    state->clock->velocities_fit = 0;
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
    trm_impulse_solve(j, 1, target, mu);
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

/* The worst of a round over all that takes part in the velocity correction. */
typedef struct worst {
    double residual; /* in tolerances */
    const char *kind, *name;
} worst;

static void take_worse(worst *so_far, double residual, const char *kind, const char *name)
{
    if (is_worse(residual, so_far->residual)) *so_far = (worst){residual, kind, name ? name : ""};
}

/* All forces that depend on velocities, once; by how much they changed them. */
static bool apply_forces_of_velocity(trm_impulse *w, double dt, worst *changed, trm_outcome *outcome)
{
    for (int i = 0; i < w->damper_count; i++)
        take_worse(changed, damp(w, &w->dampers[i], dt), "force",
                   w->stepper->model->forces[w->dampers[i].force].name);
    for (int i = 0; i < w->stepper->called_count; i++) {
        double change = 0;
        if (!ask_again(w, i, dt, &change, outcome)) return false;
        take_worse(changed, change, "force", w->stepper->called[i].name);
    }
    return true;
}

/* Of joints and dampers linear, symmetric and not negative: the rounds converge, if slowly near singular poses. A force
 * of the caller that grows steeply with the velocity can make them diverge; then a smaller step helps. */
bool trm_impulse_correct_velocities(trm_impulse *w, double dt, trm_outcome *outcome)
{
    trm_impulse_rows(w);
    for (int i = 0; i < w->damper_count; i++) w->dampers[i].impulse = 0;
    for (int i = 0; i < w->stepper->called_count; i++) w->called[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int round = 1;; round++) {
        worst now = {0, "", ""};
        if (dt != 0 && !apply_forces_of_velocity(w, dt, &now, outcome)) return false;
        for (int i = 0; i < w->joint_count; i++)
            take_worse(&now, match_velocities(w, &w->joints[i]), "joint", w->joints[i].joint->name);
        w->stepper->counters->rounds++;
        if (now.residual < 1) break;
        if (!(now.residual < BEYOND_HOPE) || round >= MOST_VELOCITY_ROUNDS)
            return diverged(outcome, now.kind, now.name, now.residual, "velocities could not be made to fit it");
    }
    w->stepper->state->clock->velocities_fit = 1;
    return true;
}
