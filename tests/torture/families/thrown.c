/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solids of all convex shapes that fly into each other without gravity. */

#include "common.h"

static void draw(machine *m)
{
    const int count = 2 + draw_below(m, 5);
    for (int i = 0; i < count; i++) {
        const trm_vec3 corner = trm_v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
        const int body = add_random_solid(m, trm_v3_scale(0.8, corner), -1);
        m->bodies[body].def.velocity = trm_v3_add(trm_v3_scale(-1.5, corner), draw_vector(m, 0.3));
        m->bodies[body].def.angular_velocity = draw_vector(m, 3);
    }
    draw_contact_mode(m);
    set_run(m, 0.01, 1);
}

const family family_thrown = {"thrown", "solids that fly into each other", draw, false};
