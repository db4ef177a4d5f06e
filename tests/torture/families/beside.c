/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine without shapes that swings next to a solid that lands on a table: neither affects the other. */

#include "common.h"

static void draw(machine *m)
{
    const int count = 2 + draw_below(m, 5);
    for (int i = 0; i < count; i++) {
        const trm_vec3 from = trm_v3(0.35 * i, 0, 0), to = trm_v3(0.35 * (i + 1), 0, 0);
        const int body = add_link(m, from, to, draw_between(m, 0.5, 8));
        const double thin = draw_log(m, 0.01, 1);
        for (int k = 0; k < 6; k++) m->bodies[body].def.inertia[k] *= thin;
        add_joint(m, draw_chance(m, 0.8) ? "hinge" : "ball", body - 1, body, from, draw_direction(m));
    }
    m->joints[0].bodies[0] = GROUND;
    const int table = add_fixed(m, (trm_pose){trm_quat_identity(), trm_v3(0, 20, -0.5)});
    add_shape(m, table, box_shape(2, 2, 1), 0);
    const int solid = add_random_solid(m, trm_v3(0, 20, 0.5), -1);
    m->bodies[solid].def.angular_velocity = draw_vector(m, 2);
    m->gravity = trm_v3(0, 0, -9.81);
    draw_contact_mode(m);
    set_run(m, 0.01, 0.8);
}

const family family_beside = {"beside", "a chain next to a solid that lands on a table", draw, false};
