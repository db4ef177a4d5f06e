/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "model/force.h"

#include <string.h>

static const trm_force_type *const types[] = {
#define TRM_FORCE_TYPE(name) &trm_force_##name,
#include "model/forces/list.h"
#undef TRM_FORCE_TYPE
};

int trm_force_type_count(void)
{
    return (int)(sizeof types / sizeof types[0]);
}

const trm_force_type *trm_force_type_at(int index)
{
    return index >= 0 && index < trm_force_type_count() ? types[index] : NULL;
}

const char *trm_force_type_name(int index)
{
    const trm_force_type *type = trm_force_type_at(index);
    return type ? type->name : NULL;
}

const trm_force_type *trm_find_force_type(const char *name)
{
    for (int i = 0; i < trm_force_type_count(); i++)
        if (!types[i]->built_in && strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
}

/* An implicit or integrated force depends on velocities, because it is computed at the end of the look-ahead or over
 * it. */
bool trm_force_depends_on_velocity(const trm_force *force)
{
    return force->type->of_velocity &&
           (force->treatment != TRM_TREAT_EXPLICIT || force->damping > 0 || force->kd > 0 || force->ki > 0 ||
            force->brake_law.first || force->brake_law.other_count > 0 || force->brake > 0 || force->drag[0] > 0 ||
            force->drag[1] > 0);
}

bool trm_force_does_work(const trm_force *force)
{
    return force->type->power && (!force->type->potential || trm_force_depends_on_velocity(force));
}

double trm_force_potential(const trm_force_at *at)
{
    return at->force->type->potential ? at->force->type->potential(at) : 0;
}

double trm_force_power(const trm_force_at *at)
{
    return at->force->type->power ? at->force->type->power(at) : 0;
}

trm_vec3 trm_force_value(const trm_force_at *at)
{
    const trm_force *force = at->force;
    double f[3];
    for (int i = 0; i < 3; i++) f[i] = trm_chosen_at(&force->value[i], at->memory, at->t).v;
    const trm_vec3 value = {f[0], f[1], f[2]};
    return force->in_body_frame ? trm_rotate(at->X[0].q, value) : value;
}

/* ---- Coordinates and lines ---------------------------------------------------------------- */

trm_force_coordinate trm_force_coordinate_of(const trm_force_at *at)
{
    trm_force_coordinate c;
    trm_joint_at host;
    host.joint = at->force->host, host.t = at->t, host.memory = at->memory, host.mode = TRM_HELD;
    for (int b = 0; b < at->force->body_count; b++) host.X[b] = at->X[b], host.r[b] = at->r[b], host.V[b] = at->V[b];
    c.q = trm_joint_coordinate(&host, at->force->coordinate);
    c.rate = trm_joint_coordinate_rate(&host, at->force->coordinate);
    trm_joint_coordinate_row(&host, at->force->coordinate, c.G);
    return c;
}

void trm_force_wrench_along(const trm_force_at *at, trm_spatial *F)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const double tau = at->force->type->along(at, x.q, x.rate).tau;
    for (int b = 0; b < at->force->body_count; b++) F[b] = trm_sp_scale(tau, x.G[b]);
}

double trm_force_power_along(const trm_force_at *at)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    return at->force->type->along(at, x.q, x.rate).power;
}

static trm_vec3 velocity(const trm_force_at *at, int b)
{
    return trm_v3_add(at->V[b].lin, trm_v3_cross(at->V[b].ang, at->r[b]));
}

trm_force_line trm_force_line_of(const trm_force_at *at)
{
    const trm_vec3 d = trm_v3_sub(at->X[1].p, at->X[0].p);
    const double length = trm_v3_length(d);
    const trm_vec3 n = length > 0 ? trm_v3_scale(1 / length, d) : trm_v3(0, 0, 0);
    return (trm_force_line){
        .n = n,
        .length = length,
        .rate = trm_v3_dot(n, trm_v3_sub(velocity(at, 1), velocity(at, 0))),
        .J = {trm_sp(trm_v3_cross(n, at->r[0]), trm_v3_neg(n)), trm_sp(trm_v3_cross(at->r[1], n), n)},
    };
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Returns the force of push, stiffness and damping before it is limited. */
static double unlimited(const trm_force_row *row, double rate)
{
    return row->push - (row->stiffness * row->c + row->damping * (rate + row->c_t));
}

double trm_force_pull(const trm_force_row *row, double rate)
{
    return fmax(-row->most, fmin(row->most, unlimited(row, rate))) + row->added - row->brake * rate;
}

double trm_force_slope(const trm_force_row *row, double rate)
{
    return row->brake + (fabs(unlimited(row, rate)) <= row->most ? row->damping : 0);
}

/* The force is linear in the rate within the limit and beyond it, and it decreases with the rate. So if the solution
 * without the limit exceeds it, the true solution is at the limit. */
double trm_force_impulse(const trm_force_row *row, double dt, double rate, double own)
{
    const double p =
        dt * (unlimited(row, rate) + row->added - row->brake * rate) / (1 + dt * (row->damping + row->brake) * own);
    const double pull = unlimited(row, rate + own * p);
    if (!(fabs(pull) > row->most)) return p;
    return dt * (copysign(row->most, pull) + row->added - row->brake * rate) / (1 + dt * row->brake * own);
}
