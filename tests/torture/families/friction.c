/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines with Coulomb friction in their joints and motors of limited force. */

#include "common.h"

static void draw(machine *m)
{
    static const char *const types[] = {"hinge", "hinge", "slider", "screw", "rail", "ball"};
    const int count = 1 + draw_below(m, 6);
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 ? GROUND : draw_below(m, i);
        const trm_vec3 from = pose_of(m, parent).p, way = trm_v3_scale(draw_between(m, 0.5, 1), draw_direction(m));
        const int body =
            add_rigid(m, (trm_pose){draw_rotation(m), trm_v3_add(from, way)}, draw_between(m, 0.3, 3), 0.6);
        const int j =
            add_joint(m, DRAW_WORD(m, types), parent, body, trm_v3_add_scaled(from, 0.5, way), draw_direction(m));
        const bool ball = !has_coordinate(&m->joints[j]);
        if (!ball && draw_chance(m, 0.6)) m->joints[j].def.friction = draw_log(m, 0.05, 20);
        if (!ball && draw_chance(m, 0.3)) add_motor(m, j, draw_wave(m, 2), draw_log(m, 0.5, 50));
    }
    if (draw_chance(m, 0.5)) move_apart(m, 1, 2);
    scatter_forces(m, (force_mix){draw_below(m, 2), false, false});
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.005, 0.8);
}

const family family_friction = {"friction", "joints with friction, motors of limited force", draw, false};
