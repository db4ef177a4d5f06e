/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Servo: drives the coordinate q of a joint towards f(t) with a limited torque (force), and brakes it (Schmitt 2003,
 * section 10: phi_soll, T_max, C_F). With a gear of ratio n it sees x = n q:
 *
 *     tau = n (clamp(v + kp (f - x) + kd (g - dx/dt), -max, max) - brake dx/dt)
 *
 * with turns counted; v(t) is a torque that is added, g the rate that it aims at, df/dt if none is given. It is no spring, though it
 * acts like one: all that it does is work, tau dq/dt.
 *
 * A row is c = x - f and c_t = -df/dt along n G, pushed by v + kd (g - df/dt). */

#include "model/force.h"

/* Without J. */
static trm_force_row row_of(const trm_force_at *at, double q)
{
    const trm_force *force = at->force;
    const trm_jet target = trm_chosen_at(&force->target, at->memory, at->t);
    const double n = force->gear, v = trm_chosen_at(&force->value[0], at->memory, at->t).v;
    const double rate = force->target_rate.first ? trm_chosen_at(&force->target_rate, at->memory, at->t).v : target.d;
    return (trm_force_row){
        .c = n * q - target.v,
        .c_t = -target.d,
        .push = v + force->kd * (rate - target.d),
        .stiffness = force->kp,
        .damping = force->kd,
        .most = force->most,
        .brake = force->brake,
    };
}

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const double n = at->force->gear;
    *row = row_of(at, x.q);
    for (int b = 0; b < 2; b++) row->J[b] = trm_sp(trm_scale(n, x.G[b].ang), trm_scale(n, x.G[b].lin));
    return 1;
}

static trm_force_along along(const trm_force_at *at, double q, double rate)
{
    const trm_force_row row = row_of(at, q);
    const double n = at->force->gear, pull = trm_force_pull(&row, n * rate);
    return (trm_force_along){n * pull, pull * (n * rate)};
}

const trm_force_type trm_force_servo = {
    .name = "servo",
    .what = "drives the coordinate of a joint towards a target, within a torque",
    .takes = TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_TARGET | TRM_FORCE_TAKES_GEAR,
    .bodies = 2,
    .of_velocity = true,
    .wrench = trm_force_wrench_along,
    .power = trm_force_power_along,
    .rows = rows,
    .along = along,
};
