/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Point masses, bars and springs: chains, nets and heaps of tetrahedra. */

#include "common.h"

static void draw(machine *m)
{
    const int count = 2 + draw_below(m, 10);
    const bool floats = draw_chance(m, 0.3);
    const trm_vec3 none = trm_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        const trm_vec3 before = i == 0 ? trm_v3(0, 0, 0) : m->bodies[i - 1].def.position;
        const int p =
            add_point(m, trm_v3_add_scaled(before, draw_between(m, 0.4, 1), draw_direction(m)), draw_mass(m));
        if (i > 0)
            add_distance(m, p - 1, p, none, none);
        else if (!floats)
            add_distance(m, GROUND, p, none, none);
        if (i > 2 && draw_chance(m, 0.3)) add_distance(m, p - 2 - draw_below(m, i - 2), p, none, none);
    }
    if (draw_chance(m, 0.5)) move_apart(m, 1, 0);
    if (draw_chance(m, 0.5)) scatter_forces(m, (force_mix){2, false, false});
    m->gravity = draw_chance(m, 0.8) ? trm_v3(0, 0, -9.81) : trm_v3(0, 0, 0);
    set_run(m, 0.01, 0.6);
}

const family family_points = {"points", "point masses, bars and springs", draw, false};
