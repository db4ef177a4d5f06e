/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines with redundant joints in every pose: welds with bars, hinges in line, parallel rockers, braced frames. */

#include "common.h"

/* Adds a joint that a weld or a hinge between a and b implies. */
static void hold_again(machine *m, int a, int b, trm_vec3 anchor, trm_vec3 axis, bool weld)
{
    const trm_vec3 on_axis = trm_v3_add_scaled(anchor, draw_between(m, -0.6, 0.6), axis);
    static const char *const of_hinge[] = {"ball", "hinge", "slot", "rail"};
    if (weld) {
        const trm_vec3 p = trm_v3_add(anchor, draw_vector(m, 0.5)), q = trm_v3_add(anchor, draw_vector(m, 0.5));
        if (draw_chance(m, 0.7))
            add_distance(m, a, b, to_body(m, a, p), to_body(m, b, q));
        else
            add_joint(m, draw_chance(m, 0.5) ? "ball" : "slider", a, b, p, draw_direction(m));
        return;
    }
    const char *type = DRAW_WORD(m, of_hinge);
    const bool across = type == of_hinge[2];
    add_joint(m, type, a, b, on_axis, across ? draw_perpendicular(m, axis) : axis);
}

static void draw_doors(machine *m)
{
    const int count = 1 + draw_below(m, 5);
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 ? GROUND : i - 1;
        const trm_vec3 from = pose_of(m, parent).p, way = trm_v3_scale(draw_between(m, 0.5, 1), draw_direction(m));
        const int body = add_rigid(m, (trm_pose){draw_rotation(m), trm_v3_add(from, way)}, draw_mass(m), 0.6);
        const trm_vec3 anchor = trm_v3_add_scaled(from, 0.5, way), axis = draw_direction(m);
        const bool weld = i > 0 && draw_chance(m, 0.4);
        add_joint(m, weld ? "fixed" : "hinge", parent, body, anchor, axis);
        for (int k = draw_below(m, 3); k > 0; k--) hold_again(m, parent, body, anchor, axis, weld);
    }
}

/* A platform on three to five equal rockers, which stay parallel; all axes are. */
static void draw_rockers(machine *m)
{
    const int count = 3 + draw_below(m, 3);
    const trm_vec3 rocker = trm_v3_scale(draw_between(m, 0.6, 1), draw_direction(m)),
                   axis = draw_perpendicular(m, rocker);
    const int platform = add_rigid(m, (trm_pose){draw_rotation(m), rocker}, draw_mass(m), 1);
    const trm_vec3 side = draw_perpendicular(m, axis);
    for (int i = 0; i < count; i++) {
        const trm_vec3 foot =
            trm_v3_add(trm_v3_scale(0.4 * i - 0.6, side), trm_v3_scale(draw_between(m, -0.3, 0.3), axis));
        const trm_vec3 head = trm_v3_add(foot, rocker);
        const int body = add_link(m, foot, head, draw_mass(m));
        add_joint(m, "hinge", GROUND, body, foot, axis);
        add_joint(m, draw_chance(m, 0.5) ? "hinge" : "ball", body, platform, head, axis);
    }
}

/* Builds rods pinned to a rigid frame by balls, more of them than necessary. */
static void draw_frame(machine *m)
{
    const int count = 3 + draw_below(m, 3);
    int bodies[6];
    for (int i = 0; i < count; i++) {
        const trm_vec3 place = trm_v3(0.8 * i, draw_between(m, -0.4, 0.4), draw_between(m, -0.4, 0.4));
        bodies[i] = add_rigid(m, (trm_pose){draw_rotation(m), place}, draw_mass(m), 0.5);
        if (i == 0) add_joint(m, "ball", GROUND, bodies[0], trm_v3(-0.4, 0, 0), trm_v3(0, 0, 1));
        for (int bar = 0; i > 0 && bar < 6 + draw_below(m, 3); bar++)
            add_distance(m, bodies[i - 1], bodies[i], draw_vector(m, 0.4), draw_vector(m, 0.4));
    }
}

static void draw(machine *m)
{
    const int kind = draw_below(m, 4);
    if (kind == 0)
        draw_rockers(m);
    else if (kind == 1)
        draw_frame(m);
    else
        draw_doors(m);
    if (draw_chance(m, 0.5)) move_apart(m, 1, 2);
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.01, 0.6);
}

const family family_redundant = {"redundant", "machines that are held more often than need be", draw, false};
