/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Trees of all joints that have coordinates, with smooth forces, on the ground or floating. */

#include "common.h"

static void draw(machine *m)
{
    static const char *const types[] = {"ball",  "hinge",  "hinge", "universal", "slider", "cylinder",
                                        "screw", "planar", "fixed", "rail",      "slot"};
    const bool floats = draw_chance(m, 0.3);
    const int count = 1 + draw_below(m, 8);
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 || draw_chance(m, 0.1) ? GROUND : draw_below(m, i);
        const trm_vec3 from = pose_of(m, parent).p, way = trm_v3_scale(draw_between(m, 0.5, 1), draw_direction(m));
        const trm_pose pose = {draw_rotation(m), trm_v3_add(from, way)};
        const int body = add_rigid(m, pose, draw_mass(m), 0.6);
        const trm_vec3 anchor = trm_v3_add(trm_v3_add_scaled(from, 0.5, way), draw_vector(m, 0.1)),
                       axis = draw_direction(m);
        if (parent != GROUND || !floats) add_joint(m, DRAW_WORD(m, types), parent, body, anchor, axis);
    }
    const int moves = draw_below(m, 3);
    if (moves == 1) move_apart(m, 0.5, 1);
    if (moves == 2 && floats) move_as_one(m, 1, 2);
    const force_mix mix = {draw_below(m, 4), draw_chance(m, 0.4), draw_chance(m, 0.4)};
    scatter_forces(m, mix);
    m->gravity = draw_chance(m, 0.8) ? trm_v3(0, 0, -9.81) : trm_v3(0, 0, 0);
    set_run(m, 0.01, 0.8);
}

const family family_tree = {"tree", "trees of all joints with coordinates, smooth forces", draw, false};
