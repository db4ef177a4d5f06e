/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ragdolls of 10 to 15 capsules, hinges with stops and balls, dropped on a plane in any pose. */

#include "common.h"

typedef struct limb {
    int parent;        /* index of another limb */
    trm_vec3 from, to; /* m, in the pose in which it is built */
    double radius, mass;
    bool hinge;
} limb;

static const limb limbs[] = {
    {-1, {0, 0, 0}, {0, 0, 0.3}, 0.12, 12, false},      /* pelvis */
    {0, {0, 0, 0.3}, {0, 0, 0.65}, 0.13, 18, true},     /* chest */
    {1, {0, 0, 0.7}, {0, 0, 0.95}, 0.09, 5, true},      /* head */
    {1, {0.2, 0, 0.6}, {0.5, 0, 0.6}, 0.05, 2.5, true}, /* arms */
    {3, {0.5, 0, 0.6}, {0.8, 0, 0.6}, 0.04, 1.5, true},
    {1, {-0.2, 0, 0.6}, {-0.5, 0, 0.6}, 0.05, 2.5, true},
    {5, {-0.5, 0, 0.6}, {-0.8, 0, 0.6}, 0.04, 1.5, true},
    {0, {0.1, 0, -0.05}, {0.1, 0, -0.5}, 0.07, 8, true}, /* legs */
    {7, {0.1, 0, -0.5}, {0.1, 0, -0.95}, 0.05, 4, true},
    {0, {-0.1, 0, -0.05}, {-0.1, 0, -0.5}, 0.07, 8, true},
    {9, {-0.1, 0, -0.5}, {-0.1, 0, -0.95}, 0.05, 4, true},
    {8, {0.1, 0, -0.97}, {0.1, 0.2, -0.97}, 0.04, 1, true}, /* feet */
    {10, {-0.1, 0, -0.97}, {-0.1, 0.2, -0.97}, 0.04, 1, true},
    {4, {0.82, 0, 0.6}, {0.95, 0, 0.6}, 0.03, 0.5, true}, /* hands */
    {6, {-0.82, 0, 0.6}, {-0.95, 0, 0.6}, 0.03, 0.5, true},
};

static void add_limb(machine *m, const limb *l, trm_pose place, int first)
{
    const trm_vec3 from = trm_pose_point(place, l->from), to = trm_pose_point(place, l->to);
    const int body = add_link(m, from, to, l->mass);
    const double length = trm_v3_length(trm_v3_sub(l->to, l->from)), r = l->radius;
    double *I = m->bodies[body].def.inertia;
    I[0] = 0.5 * l->mass * r * r;
    I[1] = I[2] = l->mass * (0.25 * r * r + length * length / 12);
    I[3] = I[4] = I[5] = 0;
    trm_shape_def shape = plain_shape("capsule");
    shape.radius = r;
    shape.length = fmax(0.02, length - r);
    shape.orientation = (trm_quat){sqrt(0.5), 0, sqrt(0.5), 0};
    add_shape(m, body, shape, 0);
    if (l->parent < 0) return;
    const trm_vec3 axis = draw_perpendicular(m, trm_v3_sub(to, from));
    trm_joint_def *joint =
        &m->joints[add_joint(m, draw_chance(m, 0.85) ? "hinge" : "ball", first + l->parent, body, from, axis)].def;
    if (joint->type[0] != 'h') return;
    joint->limits[0] = -draw_between(m, 0.1, 1.2);
    joint->limits[1] = draw_between(m, 0.1, 1.2);
    if (draw_chance(m, 0.3)) joint->friction = draw_between(m, 0, 1);
}

static void draw(machine *m)
{
    const int count = 10 + draw_below(m, 6);
    const trm_pose place = {draw_rotation(m), trm_v3(0, 0, 1.3 + draw_between(m, 0, 0.5))};
    const int floor = add_fixed(m, trm_pose_identity());
    trm_shape_def plane = plain_shape("plane");
    plane.normal = trm_v3(0, 0, 1);
    add_shape(m, floor, plane, 0);
    for (int i = 0; i < count; i++) add_limb(m, &limbs[i], place, floor + 1);
    move_as_one(m, 0.5, 1);
    m->gravity = trm_v3(0, 0, -9.81);
    m->friction = 0.6;
    m->restitution = draw_chance(m, 0.5) ? 0 : 0.3;
    draw_contact_mode(m);
    set_run(m, 0.005, 1.2);
}

const family family_ragdoll = {"ragdoll", "ragdolls with stops, dropped in any pose", draw, false};
