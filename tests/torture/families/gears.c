/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Wheels and racks held together by gears, on the ground or on a carrier that turns. */

#include "common.h"

static void draw(machine *m)
{
    const trm_vec3 axis = draw_direction(m), across = draw_perpendicular(m, axis);
    int carrier = GROUND, last = -1;
    if (draw_chance(m, 0.4)) {
        carrier = add_rigid(m, (trm_pose){draw_rotation(m), trm_v3(0, 0, 0)}, draw_between(m, 1, 5), 1);
        last = add_joint(m, "hinge", GROUND, carrier, draw_vector(m, 0.2),
                         draw_chance(m, 0.5) ? axis : draw_direction(m));
    }
    const int count = 2 + draw_below(m, 4);
    for (int i = 0; i < count; i++) {
        const trm_vec3 place = trm_v3_scale(0.4 * i, across);
        const int body = add_rigid(m, (trm_pose){draw_rotation(m), place}, draw_mass(m), 0.4);
        const bool rack = i > 0 && draw_chance(m, 0.25);
        const int j = add_joint(m, rack ? "slider" : "hinge", carrier, body, place, rack ? across : axis);
        const double size = draw_between(m, 0.3, 3) * (draw_chance(m, 0.5) ? 1 : -1);
        const bool last_is_rack = last >= 0 && !is_angle(&m->joints[last]);
        if (last >= 0) add_gear(m, last, j, rack == last_is_rack ? size : rack ? 5 * size : 0.2 * size);
        last = j;
    }
    scatter_forces(m, (force_mix){draw_below(m, 3), draw_chance(m, 0.3), draw_chance(m, 0.5)});
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.01, 0.6);
}

const family family_gears = {"gears", "wheels and racks, planets on carriers", draw, false};
