/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Drag on one body: the force -c1 v at a point with the velocity v, the centre of mass unless given, and the torque
 * -c2 omega; power -c1 v^2 - c2 omega^2.
 *
 * The rows are the principal axes of the body. If the point is the centre of mass, an impulse along one of them does
 * not change the velocity along the others. */

#include "model/force.h"

static int rows(const trm_force_at *at, trm_force_row *row)
{
    const double *drag = at->force->drag;
    int count = 0;
    for (int i = 0; i < 6; i++) {
        const bool linear = i < 3;
        const trm_vec3 axis = trm_rotate(at->X[0].q, trm_axis(i % 3)), none = {0, 0, 0};
        if (!(drag[linear ? 0 : 1] > 0)) continue;
        row[count++] = (trm_force_row){
            .J = {linear ? trm_sp(trm_v3_cross(at->r[0], axis), axis) : trm_sp(axis, none), trm_sp(none, none)},
            .most = INFINITY,
            .brake = drag[linear ? 0 : 1],
        };
    }
    return count;
}

static void wrench(const trm_force_at *at, trm_spatial *F)
{
    const double *drag = at->force->drag;
    const trm_vec3 v = trm_v3_add(at->V[0].lin, trm_v3_cross(at->V[0].ang, at->r[0])), f = trm_v3_scale(-drag[0], v);
    F[0] = trm_sp(trm_v3_add_scaled(trm_v3_cross(at->r[0], f), -drag[1], at->V[0].ang), f);
}

static double power(const trm_force_at *at)
{
    trm_spatial F;
    wrench(at, &F);
    return trm_sp_dot(F, at->V[0]);
}

const trm_force_type trm_force_drag = {
    .name = "drag",
    .what = "against the velocity and the angular velocity of a body",
    .takes = TRM_FORCE_TAKES_BODY | TRM_FORCE_TAKES_POINT | TRM_FORCE_TAKES_DRAG,
    .bodies = 1,
    .points = true,
    .of_velocity = true,
    .wrench = wrench,
    .power = power,
    .passive = true,
    .rows = rows,
};
