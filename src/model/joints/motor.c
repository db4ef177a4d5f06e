/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Motor: the rate of another joint's coordinate follows v(t), as far as a force (torque) of at most F can make it.
 * Coulomb friction in a joint is a motor with v = 0.
 *
 *     held    q' = v(t):   c = q - r(t),   r' = v,   c_t = -v,   gamma = -(bias of the coordinate) + v',   |l| <= F
 *     plus    it slips, q' > v, and its force is -F;     minus    q' < v, and +F
 *
 * The memory holds r and its time. From that time on r is integrated by Gauss' rule with five points. While the motor
 * slips, r follows q. */

#include "model/joints/parts.h"

enum { REFERENCE, TIME };

static trm_jet target_rate(const trm_joint_at *at, double t)
{
    const trm_chosen *v = &at->joint->velocity;
    return v->first ? trm_chosen_at(v, at->memory, t) : (trm_jet){0, 0, 0};
}

static double integral(const trm_joint_at *at, double from, double to)
{
    static const double node[] = {0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weight[] = {128.0 / 225, 0.47862867049936646804, 0.23692688505618908751};
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = weight[0] * target_rate(at, middle).v;
    if (!at->joint->velocity.first || from == to) return 0;
    for (int i = 1; i < 3; i++)
        sum += weight[i] * (target_rate(at, middle - half * node[i]).v + target_rate(at, middle + half * node[i]).v);
    return half * sum;
}

/* Returns q of the host; an angle with the number of turns nearest to the expected value. */
static double coordinate(const trm_joint_at *at, double expected)
{
    const trm_joint_at host = trm_host_at(at);
    const double q = trm_joint_coordinate(&host, at->joint->coordinate);
    const bool turns = host.joint->type->kind[at->joint->coordinate] == TRM_COORDINATE_TURN;
    return turns ? expected + remainder(q - expected, 2 * TRM_PI) : q;
}

static double reference(const trm_joint_at *at)
{
    return at->memory[REFERENCE] + integral(at, at->memory[TIME], at->t);
}

static void residual(const trm_joint_at *at, double *c)
{
    const double r = at->memory ? reference(at) : 0;
    c[0] = at->memory ? coordinate(at, r) - r : 0;
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    const trm_joint_at host = trm_host_at(at);
    gamma[0] = -trm_joint_coordinate_bias_of(&host, at->joint->coordinate) + target_rate(at, at->t).d;
}

static void rate(const trm_joint_at *at, double *c_t)
{
    c_t[0] = -target_rate(at, at->t).v;
}

static void remember(const trm_joint_at *at, double dt, double *memory)
{
    (void)dt;
    const double r = reference(at);
    memory[REFERENCE] = at->mode == TRM_HELD ? r : coordinate(at, r);
    memory[TIME] = at->t;
}

static const trm_part part_rate = {
    .rows = 1,
    .of_host = true,
    .row_names = {"driven rate"},
    .residual = residual,
    .jacobian = trm_host_jacobian,
    .gamma = gamma_of,
    .rate = rate,
};

const trm_joint_type trm_joint_motor = {
    .name = "motor",
    .leaves = "all but the rate of the driven coordinate, within its force",
    .takes = TRM_TAKES_JOINT | TRM_TAKES_VELOCITY,
    .points = true,
    .among_forces = true,
    .memory = 2,
    .remember = remember,
    .parts = {&part_rate},
};
