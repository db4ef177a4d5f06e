/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Stacks of boxes, aligned or turned, and heaps of boxes and spheres that settle. */

#include "common.h"

static void add_brick(machine *m, trm_shape_def shape, trm_pose pose)
{
    const int body = add_rigid(m, pose, 1, 1);
    machine_body *b = &m->bodies[body];
    for (int k = 0; k < 6; k++) b->def.inertia[k] = NAN;
    b->def.mass = 0;
    b->def.com = trm_v3(NAN, NAN, NAN);
    add_shape(m, body, shape, 20);
}

static void draw_stack(machine *m, int count)
{
    const bool turned = draw_chance(m, 0.6);
    for (int i = 0; i < count; i++) {
        const double yaw = turned ? draw_between(m, 0, 3) : 0, shift = turned ? 0.03 : 0;
        const trm_vec3 place = trm_v3(draw_between(m, -1, 1) * shift, draw_between(m, -1, 1) * shift, 0.2 * i + 0.1);
        add_brick(m, box_shape(0.4, 0.4, 0.2), (trm_pose){{cos(yaw), 0, 0, sin(yaw)}, place});
    }
}

static void draw_heap(machine *m, int count)
{
    trm_shape_def ball = plain_shape("sphere");
    ball.radius = 0.12;
    for (int i = 0; i < count; i++) {
        const trm_vec3 place = trm_v3(draw_between(m, -0.1, 0.1), draw_between(m, -0.1, 0.1), 0.25 + 0.35 * i);
        add_brick(m, draw_chance(m, 0.3) ? ball : box_shape(0.2, 0.25, 0.15), (trm_pose){draw_rotation(m), place});
    }
}

static void draw(machine *m)
{
    const int floor = add_fixed(m, trm_pose_identity());
    trm_shape_def plane = plain_shape("plane");
    plane.normal = trm_v3(0, 0, 1);
    add_shape(m, floor, plane, 0);
    const int count = 2 + draw_below(m, 9);
    if (draw_chance(m, 0.5))
        draw_stack(m, count);
    else
        draw_heap(m, count);
    m->gravity = trm_v3(0, 0, -9.81);
    m->friction = draw_between(m, 0.3, 0.8);
    m->simulation.impact = draw_chance(m, 0.7) ? "window" : "event";
    set_run(m, 0.01, 1);
}

const family family_pile = {"pile", "stacks and heaps", draw, false};
