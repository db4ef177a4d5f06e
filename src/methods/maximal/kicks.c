/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Applies forces as impulses at the ends of a step: F dt at the present pose (Schmitt 2003, 9.2). Gravity is part
 * of the free motion. At the end of a step the velocity correction applies damped springs and the caller's forces. */

#include <stdio.h>

#include "base/print.h"
#include "methods/maximal/maximal.h"

static bool is_finite(trm_spatial F)
{
    return trm_v3_is_finite(F.ang) && trm_v3_is_finite(F.lin);
}

static bool not_finite(trm_outcome *outcome, const char *name, double t)
{
    return trm_fail(outcome, NAN, "force", name ? name : "", "is not a finite number at t = %.9g s", t);
}

bool trm_maximal_wrench(const trm_maximal *w, int force, trm_spatial *F, trm_outcome *outcome)
{
    const trm_force_at at = trm_force_now(w->stepper->state, force);
    const char *name = at.force->name ? at.force->name : at.force->type->name;
    at.force->type->wrench(&at, F);
    for (int b = 0; b < at.force->type->bodies; b++)
        if (!is_finite(F[b])) return not_finite(outcome, name, at.t);
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
static bool ask_row(const trm_maximal *w, trm_maximal_damper *d, double dt, trm_outcome *outcome)
{
    const trm_force *force = &w->stepper->model->forces[d->force];
    const bool acts = force->treatment == TRM_TREAT_EXPLICIT && trm_force_acts(w->stepper->state, d->force);
    d->impulse = acts ? dt * trm_force_pull(&d->row, trm_maximal_rate_along(w, d)) : 0;
    return isfinite(d->impulse) ||
           not_finite(outcome, force->name ? force->name : force->type->name, w->stepper->state->clock->time);
}

/* All forces are evaluated before any is applied: a damper must not see what another force has just changed. */
static bool kick_by_model(trm_maximal *w, double dt, trm_which_forces which, trm_outcome *outcome)
{
    const trm_model *model = w->stepper->model;
    const int rows = which == TRM_ALL_FORCES ? w->dampers.count : 0;
    for (int i = 0; i < rows; i++)
        if (!ask_row(w, &w->dampers.list[i], dt, outcome)) return false;
    for (int i = 0; i < model->force_count; i++) {
        if (!takes_part(w, i)) continue;
        if (!trm_maximal_wrench(w, i, w->forces.wrench + 2 * i, outcome)) return false;
    }
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        for (int b = 0; takes_part(w, i) && b < force->type->bodies; b++) {
            const trm_spatial F = w->forces.wrench[2 * i + b];
            trm_maximal_apply_impulse(w, force->body[b], trm_sp(trm_v3_scale(dt, F.ang), trm_v3_scale(dt, F.lin)));
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
    return is_finite(*F) || not_finite(outcome, force->name, w->stepper->state->clock->time);
}

/* All forces are evaluated before any is applied, so that their order does not matter. */
static bool kick_by_caller(trm_maximal *w, double dt, trm_outcome *outcome)
{
    const trm_stepper *s = w->stepper;
    for (int i = 0; i < s->called_count; i++)
        if (!trm_maximal_caller_force(w, i, &w->forces.called[i], outcome)) return false;
    for (int i = 0; i < s->called_count; i++) {
        const trm_spatial F = w->forces.called[i];
        trm_maximal_apply_impulse(w, s->called[i].body, trm_sp(trm_v3_scale(dt, F.ang), trm_v3_scale(dt, F.lin)));
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
            trm_maximal_apply_impulse(w, joint->body[b],
                                      trm_sp(trm_v3_scale(dt, F[b].ang), trm_v3_scale(dt, F[b].lin)));
    }
}

bool trm_maximal_kick(trm_maximal *w, double dt, trm_which_forces which, trm_outcome *outcome)
{
    trm_maximal_rows(w);
    w->stepper->state->clock->velocities_fit = 0;
    if (!kick_by_model(w, dt, which, outcome)) return false;
    if (which == TRM_FORCES_OF_POSITION) trm_maximal_kick_by_integrals(w);
    kick_by_slips(w, dt);
    return which == TRM_FORCES_OF_POSITION || kick_by_caller(w, dt, outcome);
}

static bool moves_a_moving_body(const trm_model *model, const trm_force *force)
{
    for (int b = 0; b < force->type->bodies; b++)
        if (model->bodies[force->body[b]].motion) return true;
    return false;
}

/* Returns the power that moves a body as prescribed against a force: - F . V */
static double power_through_moving_bodies(const trm_model *model, const trm_force_at *at)
{
    trm_spatial F[2];
    double power = 0;
    if (!moves_a_moving_body(model, at->force)) return 0;
    at->force->type->wrench(at, F);
    for (int b = 0; b < at->force->type->bodies; b++)
        if (model->bodies[at->force->body[b]].motion) power -= trm_sp_dot(F[b], at->V[b]);
    return power;
}

static double power_of_caller(const trm_stepper *s, const trm_called_force *called)
{
    if (s->model->bodies[called->body].inverse_mass == 0) return 0; /* no velocity changes */
    return trm_sp_dot(called->force(called->context, s->state), s->state->velocity[called->body]);
}

/* Returns the power of a slipping joint. Friction dissipates at all of its bodies; the power at bodies that move
 * as prescribed is input. The power of a motor is input. */
static trm_works power_of_slip(const trm_maximal *w, int slip)
{
    const trm_joint *joint = &w->stepper->model->joints[w->forces.slips[slip]];
    trm_spatial F[TRM_JOINT_BODIES];
    double free = 0, held = 0;
    if (!trm_maximal_slip(w, slip, F)) return (trm_works){0};
    for (int b = 0; b < joint->body_count; b++) {
        const double power = trm_sp_dot(F[b], w->stepper->state->velocity[joint->body[b]]);
        *(w->stepper->model->bodies[joint->body[b]].inverse_mass > 0 ? &free : &held) += power;
    }
    return trm_joint_is_friction(joint) ? (trm_works){.friction = free + held, .input = -held}
                                        : (trm_works){.input = free};
}

/* Returns the power of a row at the present pose, without the part that goes into a potential. */
static double power_along(const trm_maximal *w, const trm_maximal_damper *d)
{
    const trm_force *force = &w->stepper->model->forces[d->force];
    if (!trm_force_acts(w->stepper->state, d->force) || moves_a_moving_body(w->stepper->model, force)) return 0;
    const double rate = trm_maximal_rate_along(w, d);
    return rate * (trm_force_pull(&d->row, rate) + (force->type->potential ? d->row.stiffness * d->row.c : 0));
}

/* Adds the power of a force to damping or to input. */
static void add_power(const trm_force *force, double power, trm_works *sum)
{
    *(force->type->passive ? &sum->damping : &sum->input) += power;
}

trm_works trm_maximal_power(const trm_maximal *w, trm_which_forces which)
{
    const trm_stepper *s = w->stepper;
    trm_works power = {0};
    for (int i = 0; w->needs.velocities && i < s->model->force_count; i++) {
        const trm_force *force = &s->model->forces[i];
        if (force->type == &trm_force_gravity || !trm_force_acts(s->state, i)) continue;
        if (trm_force_depends_on_velocity(force) && !moves_a_moving_body(s->model, force)) continue;
        const trm_force_at at = trm_force_now(s->state, i);
        add_power(force, trm_force_power(&at), &power);
        power.input += power_through_moving_bodies(s->model, &at);
    }
    const bool all = which == TRM_ALL_FORCES;
    for (int i = 0; all && i < w->dampers.count; i++)
        add_power(&s->model->forces[w->dampers.list[i].force], power_along(w, &w->dampers.list[i]), &power);
    for (int i = 0; all && i < s->called_count; i++) power.input += power_of_caller(s, &s->called[i]);
    for (int i = 0; i < w->forces.slip_count; i++) power = trm_works_add_scaled(power, 1, power_of_slip(w, i));
    return power;
}
