/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chains of capsules and boxes on balls and hinges, without stops, that fall on the ground. */

#include "common.h"

static void draw(machine *m)
{
    const int count = 2 + draw_below(m, 4);
    const trm_vec3 along =
        trm_v3_unit(trm_v3(draw_between(m, -1, 1), draw_between(m, -1, 1), draw_between(m, -0.4, 0.4)));
    const double length = 0.3;
    add_ground_shape(m);
    for (int i = 0; i < count; i++) {
        const trm_vec3 from = trm_v3_add_scaled(trm_v3(0, 0, 1.2), length * i, along);
        const int body = add_link(m, from, trm_v3_add_scaled(from, length, along), draw_between(m, 0.3, 3));
        trm_shape_def shape = box_shape(length - 0.06, 0.06, 0.05);
        if (draw_chance(m, 0.5)) {
            shape = plain_shape("capsule");
            shape.radius = 0.04;
            shape.length = length - 0.12;
            shape.orientation = (trm_quat){sqrt(0.5), 0, sqrt(0.5), 0};
        }
        shape.restitution = draw_chance(m, 0.5) ? 0 : draw_between(m, 0, 1);
        add_shape(m, body, shape, 0);
        if (i > 0)
            add_joint(m, draw_chance(m, 0.5) ? "hinge" : "ball", body - 1, body, from, draw_perpendicular(m, along));
    }
    move_as_one(m, 0.5, 2);
    m->gravity = trm_v3(0, 0, -9.81);
    m->friction = draw_between(m, 0, 1);
    draw_contact_mode(m);
    set_run(m, 0.01, 1);
}

const family family_linked = {"linked", "chains of solids that fall on the ground", draw, false};
