/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The monitor: how far energy, momentum and joints are from where they should be.
 *
 *     energy     |E - E0 - W|
 *     momentum   of a system that nothing holds: P = P0 + M g t, L = L0 + M (s0 t + P0/M t^2/2) x g,  s0 the first
 *                centre of mass; what is kept is the difference
 *     gaps       the largest residual of any joint, in position and in velocity */

#include "sim/monitor.h"

static bool nothing_is_held(const trm_model *model)
{
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < model->joints[j].body_count; k++)
            if (model->bodies[model->joints[j].body[k]].inverse_mass == 0) return false;
    for (int f = 0; f < model->force_count; f++) {
        const trm_force *force = &model->forces[f];
        if (force->type == &trm_force_gravity) continue;
        if (force->type->bodies == 1) return false;
        for (int k = 0; k < 2; k++)
            if (model->bodies[force->body[k]].inverse_mass == 0) return false;
    }
    return true;
}

static void start(trm_monitor *monitor, const trm_state *state)
{
    const trm_energy energy = trm_state_energy(state);
    trm_vec3 moment = {0, 0, 0};
    monitor->start = trm_state_momentum(state);
    monitor->start_time = state->clock->time;
    for (int i = 0; i < state->model->body_count; i++) {
        monitor->mass += state->model->bodies[i].mass;
        moment = trm_add_scaled(moment, state->model->bodies[i].mass, state->pose[i].p);
    }
    monitor->start_com = monitor->mass > 0 ? trm_scale(1 / monitor->mass, moment) : moment;
    /* member by member: what lies between them stays zero, and equal runs save to equal bytes */
    monitor->result.energy_start = energy.kinetic + energy.potential - trm_works_sum(state->clock->work);
    monitor->result.is_free = !monitor->acted_on && nothing_is_held(state->model);
    monitor->result.gap_joint = monitor->result.velocity_gap_joint = -1;
}

static void watch_energy(trm_monitor *monitor, const trm_state *state)
{
    trm_accuracy *a = &monitor->result;
    const trm_energy energy = trm_state_energy(state);
    a->energy_end = energy.kinetic + energy.potential;
    a->works = state->clock->work;
    a->work = trm_works_sum(a->works);
    const double error = fabs(a->energy_end - a->energy_start - a->work);
    a->energy_error_max = fmax(a->energy_error_max, error);
    monitor->energy_error_sum += error;
    a->energy_error_mean = monitor->energy_error_sum / (double)a->observed;
}

static void watch_momentum(trm_monitor *monitor, const trm_state *state)
{
    trm_accuracy *a = &monitor->result;
    const trm_momentum now = trm_state_momentum(state);
    const double t = state->clock->time - monitor->start_time;
    const trm_vec3 g = state->model->gravity;
    const trm_vec3 arm =
        trm_add_scaled(trm_scale(monitor->mass * t, monitor->start_com), 0.5 * t * t, monitor->start.linear);
    const trm_vec3 linear = trm_add_scaled(monitor->start.linear, monitor->mass * t, g);
    const trm_vec3 angular = trm_add(monitor->start.angular, trm_cross(arm, g));
    a->linear_error = fmax(a->linear_error, trm_length(trm_sub(now.linear, linear)));
    a->angular_error = fmax(a->angular_error, trm_length(trm_sub(now.angular, angular)));
}

static void keep_larger(trm_gap gap, int joint, trm_gap *largest, double *size, int *largest_joint)
{
    largest->position = fmax(largest->position, gap.position);
    largest->angle = fmax(largest->angle, gap.angle);
    if (hypot(gap.position, gap.angle) <= *size) return;
    *size = hypot(gap.position, gap.angle);
    *largest_joint = joint;
}

static void watch_gaps(trm_monitor *monitor, const trm_state *state)
{
    trm_accuracy *a = &monitor->result;
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        const int shown = j >= state->model->shown_joint_count ? (int)(joint->host - state->model->joints) : j;
        if (!state->attached[j] || trm_joint_is_spring(joint)) continue;
        keep_larger(trm_position_gap(state, j), shown, &a->gap, &monitor->largest_gap, &a->gap_joint);
        keep_larger(trm_velocity_gap(state, j), shown, &a->velocity_gap, &monitor->largest_velocity_gap,
                    &a->velocity_gap_joint);
    }
}

void trm_monitor_observe(trm_monitor *monitor, const trm_state *state)
{
    if (monitor->result.observed == 0) start(monitor, state);
    monitor->result.observed++;
    watch_energy(monitor, state);
    if (monitor->result.is_free) watch_momentum(monitor, state);
    watch_gaps(monitor, state);
}
