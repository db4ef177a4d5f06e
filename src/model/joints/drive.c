/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Drive: a coordinate of another joint, its host, follows a given function of time.
 *
 *     c = q - f(t),   J = the coordinate's row,   c_t = -df/dt,   gamma = -(bias of the coordinate) + d2f/dt2
 *
 * The row acts on the host's bodies in the host's frames. An angle is shifted by full turns to the value nearest to
 * f(t), so the residual needs no memory to count turns. */

#include "model/joints/parts.h"

static void residual(const trm_joint_at *at, double *c)
{
    const trm_joint_at host = trm_host_at(at);
    const int k = at->joint->coordinate;
    c[0] = trm_joint_coordinate(&host, k) - trm_chosen_at(&at->joint->motion, at->memory, at->t).v;
    if (host.joint->type->kind[k] == TRM_COORDINATE_TURN) c[0] = remainder(c[0], 2 * TRM_PI);
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    const trm_joint_at host = trm_host_at(at);
    gamma[0] = -trm_joint_coordinate_bias_of(&host, at->joint->coordinate) +
               trm_chosen_at(&at->joint->motion, at->memory, at->t).dd;
}

static void rate(const trm_joint_at *at, double *c_t)
{
    c_t[0] = -trm_chosen_at(&at->joint->motion, at->memory, at->t).d;
}

static const trm_part part_driven = {
    .rows = 1,
    .of_host = true,
    .row_names = {"driven coordinate"},
    .residual = residual,
    .jacobian = trm_host_jacobian,
    .gamma = gamma_of,
    .rate = rate,
};

const trm_joint_type trm_joint_drive = {
    .name = "drive",
    .leaves = "all but the driven coordinate",
    .takes = TRM_TAKES_JOINT | TRM_TAKES_MOTION,
    .points = true,
    .among_forces = true,
    .parts = {&part_driven},
};
