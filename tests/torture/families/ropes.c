/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Points and bodies on ropes that go taut and slack. */

#include "common.h"

static void draw(machine *m)
{
    const int count = 1 + draw_below(m, 6);
    const bool points = draw_chance(m, 0.5);
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 || draw_chance(m, 0.2) ? GROUND : draw_below(m, i);
        const trm_vec3 place = trm_v3_add_scaled(pose_of(m, parent).p, draw_between(m, 0.5, 1), draw_direction(m));
        const int body = points ? add_point(m, place, draw_between(m, 0.3, 3))
                                : add_rigid(m, (trm_pose){draw_rotation(m), place}, draw_between(m, 0.3, 3), 0.4);
        const double arm = points ? 0 : 0.2;
        const trm_vec3 at_a = draw_vector(m, parent == GROUND ? 0.2 : arm), at_b = draw_vector(m, arm);
        const trm_vec3 a = trm_pose_point(pose_of(m, parent), at_a), b = trm_pose_point(pose_of(m, body), at_b);
        trm_joint_def *rope = &m->joints[add_distance(m, parent, body, at_a, at_b)].def;
        rope->rope = true;
        rope->length = trm_v3_length(trm_v3_sub(a, b)) * draw_between(m, 1, 1.4);
        if (draw_chance(m, 0.5)) rope->limit_restitution = draw_between(m, 0, 0.9);
    }
    if (draw_chance(m, 0.5)) move_apart(m, 1, 1);
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.005, 1);
}

const family family_ropes = {"ropes", "points and bodies on ropes", draw, false};
