/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gear: the coordinates q1, q2 of two other joints, its hosts, go together. Two hinges make a pair of wheels, a slider
 * and a hinge a rack and its pinion.
 *
 *     c = q1 - ratio q2 - offset,   J = (the row of q1, -ratio times the row of q2),   gamma = -(bias1 - ratio bias2)
 *
 * Bodies and frames 0, 1 are those of the first host, 2, 3 those of the second. A body that is in both, the ground or a
 * carrier, has its whole row where it is named first and nothing where it is named again, so that bodies can be taken
 * as if they were different.
 *
 * The memory is c at some time, and the angles, rates and the time of that moment. From there each coordinate has gone
 * on by the turns nearest to rate times time, however many a step makes; and c, made of these changes, has all its digits
 * after thousands of turns. */

#include "model/joints/parts.h"

enum { VALUES = 0, RATES = 2, TIME = 4, RESIDUAL = 5, REMEMBERED = 6 };

static const trm_joint *host_of(const trm_joint *gear, int k)
{
    return k == 0 ? gear->host : gear->second_host;
}

static int coordinate_of(const trm_joint *gear, int k)
{
    return k == 0 ? gear->coordinate : gear->second_coordinate;
}

static trm_joint_at host_at(const trm_joint_at *at, int k)
{
    trm_joint_at host = *at;
    host.joint = host_of(at->joint, k);
    host.memory = trm_host_memory(at, host.joint);
    for (int b = 0; b < 2; b++) {
        host.X[b] = at->X[2 * k + b];
        host.r[b] = at->r[2 * k + b];
        host.V[b] = at->V[2 * k + b];
    }
    return host;
}

/* Without its turns. */
static double coordinate(const trm_joint_at *at, int k)
{
    const trm_joint_at host = host_at(at, k);
    return trm_joint_coordinate(&host, coordinate_of(at->joint, k));
}

/* By how much a coordinate has changed since then, which is about as expected. */
static double change(const trm_joint_at *at, int k, double then, double expected)
{
    const double by = coordinate(at, k) - then;
    const bool turns = host_of(at->joint, k)->type->kind[coordinate_of(at->joint, k)] == TRM_COORDINATE_TURN;
    return turns ? by + 2 * TRM_PI * round((expected - by) / (2 * TRM_PI)) : by;
}

static void residual(const trm_joint_at *at, double *c)
{
    const double *m = at->memory, ratio = at->joint->ratio;
    if (!m) {
        c[0] = coordinate(at, 0) - ratio * coordinate(at, 1) - at->joint->offset;
        return;
    }
    const double dt = at->t - m[TIME];
    c[0] = m[RESIDUAL] + change(at, 0, m[VALUES], dt * m[RATES]) -
           ratio * change(at, 1, m[VALUES + 1], dt * m[RATES + 1]);
}

/* The place of a body that the first host has too; its own else. */
static int first_place(const trm_joint *gear, int b)
{
    for (int a = 0; a < 2; a++)
        if (gear->body[a] == gear->body[b]) return a;
    return b;
}

static void jacobian(const trm_joint_at *at, trm_spatial *J)
{
    trm_spatial G[2];
    const trm_joint_at first = host_at(at, 0), second = host_at(at, 1);
    trm_joint_coordinate_row(&first, coordinate_of(at->joint, 0), J);
    trm_joint_coordinate_row(&second, coordinate_of(at->joint, 1), G);
    J[2] = J[3] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    for (int b = 0; b < 2; b++) {
        const int place = first_place(at->joint, 2 + b);
        J[place] = trm_sp_add_scaled(J[place], -at->joint->ratio, G[b]);
    }
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    double bias[2];
    for (int k = 0; k < 2; k++) {
        const trm_joint_at host = host_at(at, k);
        bias[k] = trm_joint_coordinate_bias_of(&host, coordinate_of(at->joint, k));
    }
    gamma[0] = -(bias[0] - at->joint->ratio * bias[1]);
}

static void remember(const trm_joint_at *at, double dt, double *memory)
{
    for (int k = 0; k < 2; k++) {
        const trm_joint_at host = host_at(at, k);
        const double weight = k == 0 ? 1 : -at->joint->ratio;
        const double rate = trm_joint_coordinate_rate(&host, coordinate_of(at->joint, k));
        memory[RESIDUAL] += weight * change(at, k, memory[VALUES + k], 0.5 * dt * (memory[RATES + k] + rate));
        memory[VALUES + k] = coordinate(at, k);
        memory[RATES + k] = rate;
    }
    memory[TIME] = at->t;
}

static void know(const trm_joint *gear, const double *q, double t, double *memory)
{
    for (int k = 0; k < 2; k++) {
        const bool turns = host_of(gear, k)->type->kind[coordinate_of(gear, k)] == TRM_COORDINATE_TURN;
        memory[VALUES + k] = turns ? remainder(q[k], 2 * TRM_PI) : q[k];
        memory[RATES + k] = 0;
    }
    memory[RESIDUAL] = q[0] - gear->ratio * q[1] - gear->offset;
    memory[TIME] = t;
}

static const trm_part part_geared = {
    .rows = 1,
    .of_host = true,
    .row_names = {"geared coordinates"},
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

const trm_joint_type trm_joint_gear = {
    .name = "gear",
    .leaves = "all but the ratio of two coordinates",
    .takes = TRM_TAKES_JOINTS,
    .parts = {&part_geared},
    .memory = REMEMBERED,
    .remember = remember,
    .know = know,
};
