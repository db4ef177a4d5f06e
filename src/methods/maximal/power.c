/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The power of everything that has no potential, at the present state: forces of the model and of the caller, dampers,
 * slipping joints, and bodies that move as prescribed. */

#include "methods/maximal/maximal.h"

static bool acts_on_moving_body(const trm_model *model, const trm_force *force)
{
    for (int b = 0; b < force->body_count; b++)
        if (model->bodies[force->body[b]].motion) return true;
    return false;
}

/* Returns the power, W, that is needed to move bodies as prescribed against a force: - F . V */
static double power_through_moving_bodies(const trm_model *model, const trm_force_at *at)
{
    trm_spatial F[TRM_JOINT_BODIES];
    double power = 0;
    if (!acts_on_moving_body(model, at->force)) return 0;
    at->force->type->wrench(at, F);
    for (int b = 0; b < at->force->body_count; b++)
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
    if (!trm_force_acts(w->stepper->state, d->force) || acts_on_moving_body(w->stepper->model, force)) return 0;
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
        if (trm_force_depends_on_velocity(force) && !acts_on_moving_body(s->model, force)) continue;
        trm_force_at at;
        trm_force_place_now(s->state, i, &at);
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
