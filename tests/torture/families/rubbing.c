/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Machines with friction of other kinds: by load, falling with speed, at rest, on each coordinate of a joint, of
 * ropes on pulleys; with stops of any coordinate, forces of limited range, and joints that break. */

#include "common.h"

#include <string.h>

static void rub(machine *m, const machine_joint *joint, int k, trm_coordinate_def *c)
{
    const double size = turns(joint, k) ? 0.2 : 1;
    if (draw_chance(m, 0.5)) c->friction = size * draw_log(m, 0.05, 10);
    if (c->friction > 0 && draw_chance(m, 0.4)) {
        c->static_friction = c->friction * draw_between(m, 1, 2);
        c->stribeck_velocity = draw_log(m, 0.03, 1);
    }
    if (draw_chance(m, 0.3)) {
        c->mu = draw_between(m, 0.05, 0.4);
        if (turns(joint, k)) c->radius = draw_between(m, 0.01, 0.1);
    }
    if (draw_chance(m, 0.3)) {
        c->limits[0] = -size * draw_between(m, 0.1, 2);
        c->limits[1] = size * draw_between(m, 0.1, 2);
        if (draw_chance(m, 0.5)) c->limit_restitution = draw_between(m, 0, 0.9);
    }
    if (draw_chance(m, 0.2)) c->damping = 0.05 * size * draw_between(m, 0, 1);
}

static void rub_one(machine *m, int index)
{
    machine_joint *joint = &m->joints[index];
    trm_coordinate_def c;
    trm_set_defaults(TRM_DEF_COORDINATE, &c, sizeof c);
    rub(m, joint, 0, &c);
    memcpy(joint->def.limits, c.limits, sizeof c.limits);
    joint->def.limit_restitution = c.limit_restitution;
    joint->def.friction = c.friction;
    joint->def.static_friction = c.static_friction;
    joint->def.stribeck_velocity = c.stribeck_velocity;
    joint->def.mu = c.mu;
    joint->def.radius = c.radius;
    joint->def.damping = c.damping;
}

static void add_rubbing_joint(machine *m, int parent, int body, trm_vec3 anchor)
{
    static const char *const types[] = {"hinge", "hinge",     "slider",   "screw",
                                        "rail",  "universal", "cylinder", "planar"};
    const char *type = DRAW_WORD(m, types);
    const trm_vec3 axis = draw_direction(m);
    const int index = add_joint(m, type, parent, body, anchor, axis);
    machine_joint *joint = &m->joints[index];
    const bool planar = strcmp(type, "planar") == 0;
    if (planar) joint->def.x_axis = draw_perpendicular(m, axis);
    if (draw_chance(m, 0.1)) joint->def.break_force = draw_log(m, 10, 200);
    if (has_coordinate(joint) || strcmp(type, "rail") == 0) {
        rub_one(m, index);
        return;
    }
    for (int k = 0; k < (planar ? 3 : 2); k++) rub(m, joint, k, add_coordinate(m, index));
}

/* Adds a rope from the ground over a pulley: two spans whose sum is at most its value at the start. */
static void add_rope(machine *m, int first, int second)
{
    const int bodies[2] = {first, second};
    int spans[2];
    for (int i = 0; i < 2; i++) {
        spans[i] = add_joint(m, "span", GROUND, bodies[i], trm_v3(NAN, NAN, NAN), trm_v3(NAN, NAN, NAN));
        m->joints[spans[i]].def.anchors[0] = trm_v3_add(trm_v3(0, 0, 1.5), draw_vector(m, 0.3));
        m->joints[spans[i]].def.anchors[1] = draw_vector(m, 0.1);
    }
    const int rope = add_coupling(m);
    trm_joint_def *def = &m->joints[rope].def;
    for (int i = 0; i < 2; i++) add_term(m, rope, spans[i], 1, 0);
    def->rope = true;
    if (draw_chance(m, 0.5)) def->mu = draw_between(m, 0.05, 0.4), def->wrap = draw_between(m, 0.5, 4);
    if (draw_chance(m, 0.5)) def->limit_restitution = draw_between(m, 0, 0.9);
}

/* Adds an effort that is clipped, or a servo whose force is limited and lags. */
static void push(machine *m, int index)
{
    const machine_joint *joint = &m->joints[index];
    if (!has_coordinate(joint)) return;
    const double size = is_angle(joint) ? 0.3 : 3;
    machine_force *f = &m->forces[add_force(m, draw_chance(m, 0.5) ? "effort" : "servo")];
    f->host = index;
    f->def.gear = draw_between(m, 0.5, 2);
    if (strcmp(f->def.type, "effort") == 0) {
        f->value[0] = draw_wave(m, 2 * size);
        f->def.range[0] = -size;
        f->def.range[1] = size;
        return;
    }
    f->target = draw_wave(m, 0.4);
    f->def.kp = 5 * size;
    f->def.kd = size;
    if (draw_chance(m, 0.5)) f->def.ki = 2 * size;
    if (draw_chance(m, 0.5)) f->def.lag = draw_between(m, 0.02, 0.1);
    f->def.max = size;
}

static void draw(machine *m)
{
    const int count = 1 + draw_below(m, 4);
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 ? GROUND : draw_below(m, i);
        const trm_vec3 from = pose_of(m, parent).p, way = trm_v3_scale(draw_between(m, 0.5, 1), draw_direction(m));
        const trm_pose pose = {draw_rotation(m), trm_v3_add(from, way)};
        const int body = add_rigid(m, pose, draw_between(m, 0.3, 3), 0.6);
        add_rubbing_joint(m, parent, body, trm_v3_add_scaled(from, 0.5, way));
    }
    if (draw_chance(m, 0.3)) add_rope(m, draw_below(m, count), draw_below(m, count));
    if (draw_chance(m, 0.5)) push(m, draw_below(m, count));
    if (draw_chance(m, 0.5)) move_apart(m, 1, 2);
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.005, 0.8);
}

const family family_rubbing = {"rubbing", "friction by load and speed, stops of any coordinate, ropes on pulleys",
                               draw, false};
