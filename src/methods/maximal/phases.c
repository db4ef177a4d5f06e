/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The phases of a step that all solvers share: forces, look ahead, advance, and the velocity correction with
 * velocity-dependent forces.
 *
 * Forces act as impulses at the ends of a step: F dt at the present pose (Schmitt 2003, 9.2). Gravity is part of the
 * free motion. At the end of a step the velocity correction applies damped springs and the caller's forces.
 *
 * The rows of velocity-dependent forces take part in the velocity correction: for the time dt a row applies the
 * impulse  p = dt pull(J V)  where V is the resulting velocity (dampers.c). A force of the caller is evaluated
 * again in every round, and the difference is applied. Rounds of these and of the solver's joint correction
 * alternate until both have converged. */

#include <limits.h>

#include "base/parallel.h"
#include "math/rotation.h"
#include "methods/maximal/maximal.h"
#include "methods/ranks/rank_map.h"

/* ---- Residuals ---------------------------------------------------------------------------- */

/* A NaN residual is reported as infinite, because a smaller step may still help. */
bool trm_maximal_diverged(trm_outcome *outcome, const trm_maximal_worst *worst, const char *what)
{
    const double residual = isnan(worst->residual) ? INFINITY : worst->residual;
    return trm_fail(outcome, residual, worst->kind, worst->name, "%s: %.3g times its tolerance is left", what,
                    residual);
}

/* NaN counts as the largest, and stays. */
void trm_maximal_take_worse(trm_maximal_worst *so_far, double residual, const char *kind, const char *name)
{
    if (!isnan(so_far->residual) && !(residual <= so_far->residual))
        *so_far = (trm_maximal_worst){residual, kind, name ? name : "", -1};
}

void trm_maximal_agree_on_worst(const trm_maximal *w, trm_maximal_worst *worst)
{
    int joint = worst->residual > 0 || isnan(worst->residual) ? worst->joint : INT_MAX;
    trm_rank_map_largest(w->rank_map, &worst->residual, &joint);
    if (joint < 0 || joint >= w->stepper->model->joint_count) return;
    *worst = (trm_maximal_worst){worst->residual, "joint", w->stepper->model->joints[joint].name, joint};
}

bool trm_maximal_lost(const trm_maximal *w, trm_outcome *outcome)
{
    outcome->time = w->stepper->state->clock->time;
    return trm_fail(outcome, NAN, "ranks", NULL, "one of them was lost; the last complete state is kept");
}

bool trm_maximal_gather(const trm_maximal *w, trm_outcome *outcome)
{
    return trm_rank_map_gather(w->rank_map, w->stepper->state) || trm_maximal_lost(w, outcome);
}

/* Sets the residual of a joint that does not act to zero. Returns zero. */
static double zero_residual(const trm_maximal_joint *j, double *c)
{
    for (int r = 0; r < j->joint->rows; r++) c[r] = 0;
    return 0;
}

/* ---- Forces -------------------------------------------------------------------------------- */

static bool not_finite(trm_outcome *outcome, const char *name, double t)
{
    return trm_fail(outcome, NAN, "force", name ? name : "", "is not a finite number at t = %.9g s", t);
}

bool trm_maximal_wrench(const trm_maximal *w, int force, trm_spatial *F, trm_outcome *outcome)
{
    trm_force_at at;
    trm_force_place_now(w->stepper->state, force, &at);
    const char *name = at.force->name ? at.force->name : at.force->type->name;
    at.force->type->wrench(&at, F);
    for (int b = 0; b < at.force->body_count; b++)
        if (!trm_sp_is_finite(F[b])) return not_finite(outcome, name, at.t);
    return true;
}

static bool takes_part(const trm_maximal *w, int index)
{
    const trm_force *force = &w->stepper->model->forces[index];
    if (force->type == &trm_force_gravity) return false;      /* in the free motion */
    if (force->treatment != TRM_TREAT_EXPLICIT) return false; /* in the look-ahead */
    if (!trm_force_acts(w->stepper->state, index)) return false;
    return !trm_force_depends_on_velocity(force); /* else along its rows */
}

/* Computes the impulse of a row of a velocity-dependent force. Returns false, with the reason in outcome, if it is
 * not finite. */
static bool find_row_impulse(const trm_maximal *w, trm_maximal_damper *d, double dt, trm_outcome *outcome)
{
    const trm_force *force = &w->stepper->model->forces[d->force];
    const bool acts = force->treatment == TRM_TREAT_EXPLICIT && trm_force_acts(w->stepper->state, d->force);
    d->impulse = acts ? dt * trm_force_pull(&d->row, trm_maximal_rate_along(w, d)) : 0;
    return isfinite(d->impulse) ||
           not_finite(outcome, force->name ? force->name : force->type->name, w->stepper->state->clock->time);
}

/* Applies the forces of the model. All are evaluated before any is applied, because a force changes the velocities
 * that dampers read. */
static bool kick_by_model(trm_maximal *w, double dt, trm_which_forces which, trm_outcome *outcome)
{
    const trm_model *model = w->stepper->model;
    const int rows = which == TRM_ALL_FORCES ? w->dampers.count : 0;
    for (int i = 0; i < rows; i++)
        if (!find_row_impulse(w, &w->dampers.list[i], dt, outcome)) return false;
    for (int i = 0; i < w->forces.count; i++) {
        if (!takes_part(w, i)) continue;
        if (!trm_maximal_wrench(w, i, w->forces.wrench + TRM_JOINT_BODIES * i, outcome)) return false;
    }
    for (int i = 0; i < w->forces.count; i++) {
        const trm_force *force = &model->forces[i];
        for (int b = 0; takes_part(w, i) && b < force->body_count; b++) {
            const trm_spatial F = w->forces.wrench[TRM_JOINT_BODIES * i + b];
            trm_maximal_apply_impulse(w, force->body[b], trm_sp_scale(dt, F));
        }
    }
    for (int i = 0; i < rows; i++)
        trm_maximal_apply_damper_impulse(w, &w->dampers.list[i], w->dampers.list[i].impulse);
    return true;
}

bool trm_maximal_caller_force(trm_maximal *w, int called, trm_spatial *F, trm_outcome *outcome)
{
    const trm_called_force *force = &w->stepper->called[called];
    *F = force->force(force->context, w->stepper->state);
    return trm_sp_is_finite(*F) || not_finite(outcome, force->name, w->stepper->state->clock->time);
}

/* Applies the forces of the caller. All are evaluated before any is applied, so that their order does not matter. */
static bool kick_by_caller(trm_maximal *w, double dt, trm_outcome *outcome)
{
    const trm_stepper *s = w->stepper;
    for (int i = 0; i < s->called_count; i++)
        if (!trm_maximal_caller_force(w, i, &w->forces.called[i], outcome)) return false;
    for (int i = 0; i < s->called_count; i++) {
        const trm_spatial F = w->forces.called[i];
        trm_maximal_apply_impulse(w, s->called[i].body, trm_sp_scale(dt, F));
    }
    return true;
}

bool trm_maximal_slip(const trm_maximal *w, int slip, trm_spatial *F)
{
    const trm_state *state = w->stepper->state;
    const int joint = w->forces.slips[slip];
    const trm_joint_at at = trm_joint_now(state, joint);
    if (!state->attached[joint] || (at.mode != TRM_PLUS && at.mode != TRM_MINUS)) return false;
    if (w->exempt.engaged && w->rows_at.on[joint]) return false; /* a row of this step */
    trm_joint_slip_force(&at, F);
    return true;
}

static void kick_by_slips(trm_maximal *w, double dt)
{
    for (int i = 0; i < w->forces.slip_count; i++) {
        const trm_joint *joint = &w->stepper->model->joints[w->forces.slips[i]];
        trm_spatial F[TRM_JOINT_BODIES];
        if (!trm_maximal_slip(w, i, F)) continue;
        for (int b = 0; b < joint->body_count; b++)
            trm_maximal_apply_impulse(w, joint->body[b], trm_sp_scale(dt, F[b]));
    }
}

bool trm_maximal_kick(trm_maximal *w, double dt, trm_which_forces which, trm_outcome *outcome)
{
    const bool all = which == TRM_ALL_FORCES;
    w->stepper->state->clock->velocities_projected = 0;
    if (w->forces.count > 0 && !kick_by_model(w, dt, which, outcome)) return false;
    if (!all && w->dampers.spring_count > 0) trm_maximal_kick_by_integrals(w);
    if (w->forces.slip_count > 0) kick_by_slips(w, dt);
    return !all || w->stepper->called_count == 0 || kick_by_caller(w, dt, outcome);
}

/* ---- Look ahead --------------------------------------------------------------------------- */

static void look_ahead_of_body(void *context, int index, int thread)
{
    trm_maximal *w = context;
    const int i = w->bodies[index];
    const trm_body *body = &w->stepper->model->bodies[i];
    const trm_pose *now = &w->stepper->state->pose[i];
    trm_spatial ignored;
    (void)thread;
    if (body->motion)
        trm_motion_at(body->motion, w->stepper->step.goal, &w->look.ahead[i], &ignored, NULL);
    else if (w->held[i])
        w->look.ahead[i] = *now;
    else
        w->look.start[i] = trm_flight_from(body, body->gravity, w->look.h, w->look.taylor, now);
    w->look.moved[i] = !w->held[i];
    w->look.spin[i] = w->stepper->state->velocity[i].ang;
}

void trm_maximal_look_ahead(trm_maximal *w, double h)
{
    w->look.h = h;
    trm_for_each(w->body_count, w->threads, look_ahead_of_body, w);
}

/* Returns the larger of the two gaps, the norms of the rows in metres and in radians. */
double trm_maximal_residual_at(const trm_maximal *w, const trm_maximal_joint *j, const trm_pose *poses, double t,
                               double *c)
{
    const trm_joint *joint = j->joint;
    const trm_gap per = w->per_tolerance;
    double p = 0, a = 0;
    if (!j->on || trm_maximal_leaves_out(w, j)) return zero_residual(j, c);
    trm_joint_residual_at(joint, poses, t, w->stepper->state->memory, c);
    if (joint->lengths) {
        for (int r = 0; r < joint->rows; r++) p += c[r] * c[r];
        return sqrt(p) * per.position;
    }
    for (int r = 0; r < joint->rows; r++) {
        const double square = c[r] * c[r];
        p += joint->angular[r] ? 0 : square;
        a += joint->angular[r] ? square : 0;
    }
    p *= per.position * per.position;
    a *= per.angle * per.angle;
    return sqrt(p > a ? p : a >= p ? a : NAN); /* NaN stays NaN */
}

double trm_maximal_residual(trm_maximal *w, const trm_maximal_joint *j, double *c)
{
    for (int b = 0; b < j->joint->body_count; b++) trm_maximal_update_look_ahead(w, j->joint->body[b]);
    return trm_maximal_residual_at(w, j, w->look.ahead, w->stepper->step.goal, c);
}

double trm_maximal_check_velocity(const trm_maximal *w, const trm_maximal_joint *j, double *c_dot)
{
    const int n = j->joint->body_count;
    const double *c_t = w->required ? w->required + j->joint->row_offset : j->driven ? j->c_t : NULL;
    double square = 0;
    if (!j->on || trm_maximal_leaves_out(w, j)) return zero_residual(j, c_dot);
    for (int r = 0; r < j->joint->rows; r++) {
        c_dot[r] = c_t ? c_t[r] : 0;
        for (int b = 0; b < n; b++)
            c_dot[r] += trm_sp_dot(j->J[r * n + b], w->stepper->state->velocity[j->joint->body[b]]);
        square += c_dot[r] * c_dot[r];
    }
    return sqrt(square) / w->stepper->options->velocity_tolerance;
}

/* ---- Advance ------------------------------------------------------------------------------ */

/* Moves a body to the end of its last look-ahead. */
static void advance_body(void *context, int index, int thread)
{
    trm_maximal *w = context;
    const int i = w->bodies[index];
    trm_state *state = w->stepper->state;
    const trm_model *model = state->model;
    const trm_motion *motion = model->bodies[i].motion;
    (void)thread;
    if (motion) trm_motion_at(motion, state->clock->time, &state->pose[i], &state->velocity[i], NULL);
    if (w->held[i]) return;
    trm_maximal_update_look_ahead(w, i);
    trm_arrive(&w->look.start[i], model->bodies[i].gravity, &w->look.ahead[i], &state->pose[i], &state->velocity[i]);
}

void trm_maximal_advance(trm_maximal *w, double h)
{
    trm_state *state = w->stepper->state;
    state->clock->time = w->stepper->step.goal;
    state->clock->step = h;
    trm_for_each(w->body_count, w->threads, advance_body, w);
    trm_remember_turns(state, h, trm_rank_map_known_joints(w->rank_map));
    state->clock->velocities_projected = 0;
}

/* ---- Velocities --------------------------------------------------------------------------- */

/* Evaluates a force of the caller again, as one round of a fixed-point iteration, and applies the difference.
 * Returns false if it is not finite. */
static bool update_caller_force(trm_maximal *w, int called, double dt, double *change, trm_outcome *outcome)
{
    const int body = w->stepper->called[called].body;
    trm_spatial F;
    if (!trm_maximal_caller_force(w, called, &F, outcome)) return false;
    const trm_spatial required = trm_sp_scale(dt, F);
    const trm_spatial before = w->stepper->state->velocity[body];
    trm_maximal_apply_impulse(w, body, trm_sp_add_scaled(required, -1, w->forces.called[called]));
    w->forces.called[called] = required;
    const trm_spatial difference = trm_sp_add_scaled(w->stepper->state->velocity[body], -1, before);
    *change = sqrt(trm_sp_dot(difference, difference)) / w->stepper->options->velocity_tolerance;
    return true;
}

/* Rows of forces are updated one by one in the first IN_TURN rounds, then solved together until round TOGETHER; if
 * that has not helped, one by one again. */
enum { IN_TURN = 1, TOGETHER = 40 };

static bool any_force_takes_part(const trm_maximal *w)
{
    for (int i = 0; i < w->dampers.count; i++) {
        const trm_force *force = trm_maximal_force_of(w, &w->dampers.list[i]);
        if (!trm_maximal_leaves_out_force(w, force->body, force->body_count)) return true;
    }
    for (int i = 0; i < w->stepper->called_count; i++)
        if (!trm_maximal_leaves_out_force(w, &w->stepper->called[i].body, 1)) return true;
    return false;
}

/* Applies all velocity-dependent forces once. Sets changed to the largest change of velocities. */
static bool apply_forces_of_velocity(trm_maximal *w, double dt, int round, trm_maximal_worst *changed,
                                     trm_outcome *outcome)
{
    if (!any_force_takes_part(w)) return true;
    const bool together = round > IN_TURN && round <= TOGETHER && trm_maximal_find_damper_responses(w);
    if (!together || !trm_maximal_damp_together(w, dt, changed)) trm_maximal_damp_in_turn(w, dt, changed);
    return trm_maximal_update_caller_forces(w, dt, changed, outcome);
}

bool trm_maximal_update_caller_forces(trm_maximal *w, double dt, trm_maximal_worst *changed, trm_outcome *outcome)
{
    for (int i = 0; i < w->stepper->called_count; i++) {
        double change = 0;
        if (trm_maximal_leaves_out_force(w, &w->stepper->called[i].body, 1)) continue;
        if (!update_caller_force(w, i, dt, &change, outcome)) return false;
        trm_maximal_take_worse(changed, change, "force", w->stepper->called[i].name);
    }
    return true;
}

/* Fails also if joint impulses turn a body by more than half a turn from its free motion. A joint is closed after
 * any number of whole turns, and Newton's method may find another number than the nearest: if a body is nearly a
 * point held far from its centre, small errors in the direction of an impulse are large rotations. A shorter step
 * helps. Ranks do not exchange anything here and do not check. */
bool trm_maximal_correct_joints(trm_maximal *w, double h, trm_outcome *outcome)
{
    const double most = (TRM_PI / h) * (TRM_PI / h);
    const bool closed = w->dampers.spring_count > 0 ? trm_maximal_close_with_springs(w, h, outcome)
                                                    : w->solver->correct_joints(w, h, outcome);
    for (int k = 0; closed && !trm_rank_map_divides(w->rank_map) && k < w->body_count; k++) {
        const int i = w->bodies[k];
        if (w->island_of[i] < 0 || w->held[i]) continue;
        const trm_vec3 change = trm_v3_sub(w->stepper->state->velocity[i].ang, w->look.spin[i]);
        if (trm_v3_dot(change, change) <= most) continue;
        return trm_fail(outcome, INFINITY, "body", w->stepper->model->bodies[i].name,
                        "its joints turn it by %.3g rad more in one step than it would turn freely; the step is too "
                        "long, or its inertia is too small for the distance of its joints",
                        fabs(h) * trm_v3_length(change));
    }
    return closed;
}

bool trm_maximal_correct_other_joints(trm_maximal *w, double h, const bool *joints, trm_outcome *outcome)
{
    w->exempt.joints = joints;
    const bool closed = trm_maximal_correct_joints(w, h, outcome);
    w->exempt.joints = NULL;
    return closed;
}

/* Projects velocities by rounds over joints and forces. For joints and dampers the problem is linear, symmetric and
 * positive semi-definite: the rounds converge, but slowly near singular poses. A force of the caller that grows
 * steeply with the velocity can make them diverge; then a smaller step helps. */
static bool project_all_velocities(trm_maximal *w, double dt, trm_outcome *outcome)
{
    trm_maximal_rows(w);
    for (int i = 0; i < w->dampers.count; i++) w->dampers.list[i].impulse = 0;
    for (int i = 0; i < w->stepper->called_count; i++) w->forces.called[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int round = 1;; round++) {
        trm_maximal_worst now = {0, "", "", -1};
        if (dt != 0 && !apply_forces_of_velocity(w, dt, round, &now, outcome)) return false;
        w->solver->velocity_round(w, round, &now);
        w->stepper->counters->rounds++;
        if (trm_rank_map_is_lost(w->rank_map)) return trm_maximal_lost(w, outcome);
        if (now.residual < 1) break;
        if (!(now.residual < TRM_DIVERGENT_RESIDUAL) || round >= w->solver->most_velocity_rounds)
            return trm_maximal_diverged(outcome, &now, "velocities could not be projected onto it");
    }
    return true;
}

bool trm_maximal_correct_velocities(trm_maximal *w, double dt, trm_outcome *outcome)
{
    if (!project_all_velocities(w, dt, outcome)) return false;
    w->stepper->state->clock->velocities_projected = TRM_ALL_PROJECTED;
    return true;
}

bool trm_maximal_correct_other_velocities(trm_maximal *w, double dt, const bool *joints, const bool *bodies,
                                          trm_outcome *outcome)
{
    w->exempt.joints = joints;
    w->exempt.bodies = bodies;
    const bool projected = project_all_velocities(w, dt, outcome);
    w->exempt.joints = w->exempt.bodies = NULL;
    return projected;
}
