/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Servo: drives the coordinate q of a joint towards f(t) with a limited torque (force), and brakes it (Schmitt 2003,
 * section 10: phi_soll, T_max, C_F).
 *
 *     tau = clamp(kp (f - q) + kd (df/dt - dq/dt), -max, max) - brake dq/dt
 * with turns counted. It is no spring, though it acts like one: all that it does is work, tau dq/dt. */

#include "model/force.h"

static trm_force_row row_of(const trm_force_at *at, const trm_force_coordinate *x)
{
    const trm_jet target = trm_chosen_at(&at->force->target, at->memory, at->t);
    return (trm_force_row){
        .J = {x->G[0], x->G[1]},
        .c = x->q - target.v,
        .c_t = -target.d,
        .stiffness = at->force->kp,
        .damping = at->force->kd,
        .most = at->force->most,
        .brake = at->force->brake,
    };
}

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    *row = row_of(at, &x);
    return 1;
}

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const trm_force_row row = row_of(at, &x);
    const double tau = trm_force_pull(&row, x.rate);
    for (int b = 0; b < 2; b++) F[b] = trm_sp(trm_scale(tau, x.G[b].ang), trm_scale(tau, x.G[b].lin));
}

static double power(const trm_force_at *at)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const trm_force_row row = row_of(at, &x);
    return trm_force_pull(&row, x.rate) * x.rate;
}

const trm_force_type trm_force_servo = {
    .name = "servo",
    .what = "drives the coordinate of a joint towards a target, within a torque",
    .takes = TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_TARGET,
    .bodies = 2,
    .of_velocity = true,
    .wrench = wrench,
    .power = power,
    .rows = rows,
};
