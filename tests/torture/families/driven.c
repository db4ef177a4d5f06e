/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Trees with drives, motors without limits, servos and moving bodies. */

#include "common.h"

static void draw(machine *m)
{
    static const char *const types[] = {"hinge", "hinge", "slider", "screw", "ball", "universal"};
    const int base = draw_chance(m, 0.4) ? add_moving(m, trm_v3(0, 0, 0), 0.3) : GROUND;
    const int first = m->body_count, count = 1 + draw_below(m, 6);
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 ? base : first + draw_below(m, i);
        const trm_vec3 from = pose_of(m, parent).p, way = trm_v3_scale(draw_between(m, 0.5, 1), draw_direction(m));
        const int body = add_rigid(m, (trm_pose){draw_rotation(m), trm_v3_add(from, way)}, draw_mass(m), 0.6);
        const int j =
            add_joint(m, DRAW_WORD(m, types), parent, body, trm_v3_add_scaled(from, 0.5, way), draw_direction(m));
        if (!has_coordinate(&m->joints[j])) continue;
        const double rate = draw_between(m, 1, 4), size = draw_between(m, -0.5, 0.5);
        const int kind = draw_below(m, 4);
        /* phase pi/2 and -size: begins at 0 with velocity 0 */
        if (kind == 0) add_drive(m, j, (wave){size, -size, rate, TRM_PI / 2});
        if (kind == 1) add_motor(m, j, (wave){0, size, rate, 0}, INFINITY);
    }
    scatter_forces(m, (force_mix){draw_below(m, 4), true, true});
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.01, 0.8);
}

const family family_driven = {"driven", "trees with drives, motors, servos and moving bodies", draw, false};
