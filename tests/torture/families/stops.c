/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chains of 2 to 12 links whose hinges and sliders have stops, some with friction, hanging or lying in zero
 * gravity. */

#include "common.h"

static void draw(machine *m)
{
    static const double orders[] = {2, 2, 2, 4, 6, 8};
    const int count = 2 + draw_below(m, 11);
    const bool planar = draw_chance(m, 0.6), bounces = draw_chance(m, 0.4), rubs = draw_chance(m, 0.25);
    const trm_vec3 axis = trm_v3(0, 1, 0),
                   along = trm_v3_unit(trm_v3(draw_between(m, -1, 1), 0, draw_between(m, -1, 0.5)));
    const double length = 1.0 / sqrt(count);
    for (int i = 0; i < count; i++) {
        const trm_vec3 from = trm_v3_scale(length * i, along), to = trm_v3_scale(length * (i + 1), along);
        const int body = add_link(m, from, to, planar ? 1 : draw_between(m, 0.3, 3));
        const bool slides = !planar && draw_chance(m, 0.15);
        trm_joint_def *joint = &m->joints[add_joint(m, slides ? "slider" : "hinge", body - 1, body, from,
                                                    slides   ? along
                                                    : planar ? axis
                                                             : draw_direction(m))]
                                    .def;
        const double reach = slides ? 0.3 * length : 1;
        joint->limits[0] = -reach * draw_between(m, 0.05, 1);
        joint->limits[1] = reach * draw_between(m, 0.05, 1);
        if (bounces) joint->limit_restitution = draw_between(m, 0, 0.9);
        if (rubs && draw_chance(m, 0.5)) joint->friction = draw_between(m, 0, 2) * length;
    }
    if (draw_chance(m, 0.3)) move_apart(m, 1, 2);
    m->gravity = trm_v3(0, 0, -9.81);
    m->simulation.order = DRAW_WORD(m, orders);
    set_run(m, 0.005, 1.5);
}

const family family_stops = {"stops", "chains of 2 to 12 links with stops", draw, false};
