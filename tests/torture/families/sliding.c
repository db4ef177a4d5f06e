/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Boxes and cylinders that lie flat and slide on a plane, a slope or each other, some pulled by a spring. */

#include "common.h"

static void draw(machine *m)
{
    const int count = 1 + draw_below(m, 3);
    const int floor = add_fixed(m, trm_pose_identity());
    trm_shape_def plane = plain_shape("plane");
    plane.normal = trm_v3(0, 0, 1);
    plane.friction = draw_between(m, 0.1, 0.8);
    add_shape(m, floor, plane, 0);
    for (int i = 0; i < count; i++) {
        const double x = draw_between(m, 0.2, 0.5), y = draw_between(m, 0.2, 0.5), z = draw_between(m, 0.1, 0.3);
        const double yaw = draw_between(m, 0, 3);
        const int body = add_rigid(m, (trm_pose){{cos(yaw), 0, 0, sin(yaw)}, trm_v3(1.2 * i, 0, z / 2)}, 1, 1);
        machine_body *b = &m->bodies[body];
        for (int k = 0; k < 6; k++) b->def.inertia[k] = NAN;
        b->def.mass = 0;
        b->def.com = trm_v3(NAN, NAN, NAN);
        trm_shape_def shape = box_shape(x, y, z);
        if (draw_chance(m, 0.3)) {
            shape = plain_shape("cylinder");
            shape.radius = x / 2;
            shape.length = z;
        }
        shape.friction = draw_between(m, 0.1, 0.8);
        add_shape(m, body, shape, draw_between(m, 5, 50));
        b->def.velocity = trm_v3(draw_between(m, -3, 3), draw_between(m, -3, 3), 0);
        b->def.angular_velocity = trm_v3(0, 0, draw_between(m, -4, 4));
    }
    m->gravity = trm_v3(draw_chance(m, 0.4) ? draw_between(m, 0, 3) : 0, 0, -9.81);
    draw_contact_mode(m);
    set_run(m, 0.01, 1);
}

const family family_sliding = {"sliding", "boxes and cylinders that slide lying flat", draw, false};
