/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Limit: a coordinate of another joint, its host, stays on one side of a bound. The model creates one for each end
 * of a joint's "limits"; it has no name in files.
 *
 *     c = side (q - bound) <= 0,   J = side (the coordinate's row),   gamma = -side (the coordinate's bias)
 *
 * side is 1 for the upper end and -1 for the lower one. The limit uses the host's memory, so that q includes full
 * turns. */

#include "model/joints/parts.h"

static trm_joint_at host_at(const trm_joint_at *at)
{
    trm_joint_at host = *at;
    host.joint = at->joint->host;
    return host;
}

static void residual(const trm_joint_at *at, double *c)
{
    const trm_joint_at host = host_at(at);
    c[0] = at->joint->side * (trm_joint_coordinate(&host, at->joint->coordinate) - at->joint->bound);
}

static void jacobian(const trm_joint_at *at, trm_spatial *J)
{
    const trm_joint_at host = host_at(at);
    trm_joint_coordinate_row(&host, at->joint->coordinate, J);
    for (int b = 0; b < at->joint->body_count; b++) J[b] = trm_sp_scale(at->joint->side, J[b]);
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    const trm_joint_at host = host_at(at);
    gamma[0] = -at->joint->side * trm_joint_coordinate_bias_of(&host, at->joint->coordinate);
}

static const trm_part part_bound = {
    .rows = 1,
    .of_host = true,
    .row_names = {"limit"},
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

const trm_joint_type trm_joint_limit = {
    .name = "limit",
    .leaves = "all on one side of a bound",
    .takes = TRM_TAKES_JOINT,
    .parts = {&part_bound},
};
