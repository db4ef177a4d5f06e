/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One to four solids that fall on a plane, a slope, a box or hills. */

#include "common.h"

static void draw(machine *m)
{
    const int count = 1 + draw_below(m, 4);
    add_ground_shape(m);
    for (int i = 0; i < count; i++) {
        const trm_vec3 place = trm_v3(draw_between(m, -0.3, 0.3), draw_between(m, -0.3, 0.3), 0.6 + 0.9 * i);
        const int body = add_random_solid(m, place, -1);
        m->bodies[body].def.velocity = draw_vector(m, 1);
        m->bodies[body].def.angular_velocity = draw_vector(m, 4);
    }
    m->gravity = trm_v3(0, 0, -9.81);
    draw_contact_mode(m);
    set_run(m, 0.01, 1.2);
}

const family family_dropped = {"dropped", "solids that fall on planes, boxes and hills", draw, false};
