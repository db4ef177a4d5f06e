/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Servo: drives the coordinate q of a joint towards f(t) with a limited torque (force), and brakes it (Schmitt
 * 2003, section 10: phi_soll, T_max, C_F). With a gear of ratio n it acts on x = n q:
 *
 *     tau = n (clamp(v + kp (f - x) + kd (g - dx/dt), -max, max) - brake dx/dt)
 *
 * where x includes full turns. max and brake may be functions of time, which events can set. v(t) is an additional
 * torque. g is the target rate; it is df/dt if none is given. A servo acts like a spring but has no potential; its
 * power is tau dq/dt.
 *
 * A row is c = x - f and c_t = -df/dt along n G, with the push v + kd (g - df/dt).
 *
 * With ki the integral of the error e = f - x is added within the clamp, by the trapezoidal rule over each step,
 *
 *     I(t) = I_0 + (t - t_0) (e_0 + e) / 2
 *
 * from the memory (t_0, I_0, e_0). The integral is constant while the clamp is active and the error would push
 * further. With a lag T the torque is not the clamped torque u but w, which follows it: T dw/dt = u - w. For u
 * linear in the step, with d = t - t_0 and s = exp(-d/T),
 *
 *     w(t) = s w_0 + u_0 (T/d (1 - s) - s) + u (1 - T/d (1 - s))
 *
 * This is a fraction of the row plus an added torque. Both are of second order in the step. */

#include "model/force.h"
#include "trammel/elementary.h"

enum { TIME, INTEGRAL, ERROR, LAGGED, WANTED, KNOWN, REMEMBERED };

/* Returns the function of time if one is given or chosen, else the number; never below 0. */
static double number_at(const trm_force_at *at, const trm_chosen *law, double otherwise)
{
    const bool given = trm_chosen_is_set(law, at->memory) || trm_chosen_function(law, at->memory);
    return given ? fmax(0, trm_chosen_at(law, at->memory, at->t).v) : otherwise;
}

/* Returns I(t) for the error at t. */
static double integral(const trm_force_at *at, double error)
{
    const double *m = trm_force_memory(at);
    if (!m || at->force->ki == 0) return 0;
    return m[INTEGRAL] + 0.5 * (at->t - m[TIME]) * ((m[KNOWN] > 0 ? m[ERROR] : error) + error);
}

/* Returns the row with lag: a fraction of the row, plus the part from the memory. Before the first step u_0 is not
 * known, and u replaces it. */
static trm_force_row lagged(const trm_force_at *at, trm_force_row row)
{
    const double *m = trm_force_memory(at), T = at->force->lag, d = m ? at->t - m[TIME] : 0;
    if (!(T > 0)) return row;
    const double s = trm_exp(-d / T), mean = d > 1e-9 * T ? T / d * (1 - s) : 1 - 0.5 * d / T;
    const bool known = m && m[KNOWN] > 0;
    const double share = known ? 1 - mean : 1 - s;
    row.push *= share, row.stiffness *= share, row.damping *= share, row.most *= share;
    row.added = m ? s * m[LAGGED] + (known ? m[WANTED] * (mean - s) : 0) : 0;
    return row;
}

/* Returns the row without J and before the lag. */
static trm_force_row command_row(const trm_force_at *at, double q)
{
    const trm_force *force = at->force;
    const trm_jet target = trm_chosen_at(&force->target, at->memory, at->t);
    const double n = force->gear, v = trm_chosen_at(&force->value[0], at->memory, at->t).v;
    const double rate = force->target_rate.first ? trm_chosen_at(&force->target_rate, at->memory, at->t).v : target.d;
    return (trm_force_row){
        .c = n * q - target.v,
        .c_t = -target.d,
        .push = v + force->kd * (rate - target.d) + force->ki * integral(at, target.v - n * q),
        .stiffness = force->kp,
        .damping = force->kd,
        .most = number_at(at, &force->most_law, force->most),
        .brake = number_at(at, &force->brake_law, force->brake),
    };
}

static trm_force_row row_of(const trm_force_at *at, double q)
{
    return lagged(at, command_row(at, q));
}

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const double n = at->force->gear;
    *row = row_of(at, x.q);
    for (int b = 0; b < at->force->body_count; b++) row->J[b] = trm_sp_scale(n, x.G[b]);
    return 1;
}

static trm_force_along along(const trm_force_at *at, double q, double rate)
{
    const trm_force_row row = row_of(at, q);
    const double n = at->force->gear, pull = trm_force_pull(&row, n * rate);
    return (trm_force_along){n * pull, pull * (n * rate)};
}

/* Returns the force of the row without the brake. */
static double command_at(const trm_force_row *row, double rate)
{
    trm_force_row free = *row;
    free.brake = 0;
    return trm_force_pull(&free, rate);
}

static void remember(const trm_force_at *at, double *memory)
{
    const trm_force_coordinate x = trm_force_coordinate_of(at);
    const double n = at->force->gear;
    const trm_force_row row = command_row(at, x.q), follows = lagged(at, row);
    const double u = command_at(&row, n * x.rate), w = command_at(&follows, n * x.rate), I = integral(at, -row.c);
    const bool held = fabs(u) >= row.most && at->force->ki * (I - memory[INTEGRAL]) * u > 0;
    if (!held) memory[INTEGRAL] = I;
    memory[ERROR] = -row.c;
    memory[LAGGED] = w;
    memory[WANTED] = u;
    memory[TIME] = at->t;
    memory[KNOWN] = 1;
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
    .memory = REMEMBERED,
    .remember = remember,
};
