/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Trees whose joints have springs, dampers and rotors, gimbals and chains among them, with couplings, spans, swivels
 * and forces on any coordinate. Everything is smooth. Gimbals and chains have no rotors: with a rotor they pass the
 * poses in which three axes lie in a plane, which methods in body coordinates do not resolve. */

#include "common.h"

#include <string.h>

/* Inertia of the lighter body of a joint along coordinate k, kg or kg m^2, from its mass and its size of about 0.5
 * m. */
static double inertia_of(const machine *m, const machine_joint *joint, int k)
{
    double mass = INFINITY;
    for (int i = 0; i < 2; i++)
        if (joint->bodies[i] >= 0) mass = fmin(mass, m->bodies[joint->bodies[i]].def.mass);
    return turns(joint, k) ? 0.02 * mass : mass;
}

static void fit(machine *m, const machine_joint *joint, int k, bool damped, trm_coordinate_def *c)
{
    const double inertia = inertia_of(m, joint, k), w = draw_between(m, 1, 6);
    if (draw_chance(m, 0.5)) c->stiffness = inertia * w * w, c->spring_reference = draw_between(m, -0.4, 0.4);
    if (damped && draw_chance(m, 0.5)) c->damping = inertia * draw_between(m, 0, 2);
    const bool resolved = strcmp(joint->def.type, "gimbal") != 0 && strcmp(joint->def.type, "chain") != 0;
    if (resolved && draw_chance(m, 0.3)) c->armature = inertia * draw_log(m, 0.1, 10);
}

static void fit_one(machine *m, int index, bool damped)
{
    machine_joint *joint = &m->joints[index];
    trm_coordinate_def c;
    trm_set_defaults(TRM_DEF_COORDINATE, &c, sizeof c);
    fit(m, joint, 0, damped, &c);
    joint->def.stiffness = c.stiffness;
    joint->def.spring_reference = c.spring_reference;
    joint->def.damping = c.damping;
    joint->def.armature = c.armature;
    if (draw_chance(m, 0.3)) joint->def.q0[0] = draw_between(m, -1, 1);
}

/* Adds 2 or 3 links in general directions, whose axes pass near the anchor. */
static void add_links(machine *m, int index, trm_vec3 anchor)
{
    const int count = 2 + draw_below(m, 2);
    for (int k = 0; k < count; k++) {
        trm_coordinate_def *link = add_coordinate(m, index);
        link->type = draw_chance(m, 0.7) ? "hinge" : "slider";
        link->axis = draw_direction(m);
        if (link->type[0] == 'h') link->anchor = trm_v3_add(anchor, draw_vector(m, 0.1));
    }
    m->joints[index].def.anchor = trm_v3(NAN, NAN, NAN);
}

static void add_fitted_joint(machine *m, int parent, int body, trm_vec3 anchor, bool damped)
{
    static const char *const types[] = {"hinge",  "hinge",    "slider", "screw", "universal",
                                        "gimbal", "cylinder", "planar", "chain", "ball"};
    static const int several[] = {2, 3, 2, 3};
    const char *type = DRAW_WORD(m, types);
    const trm_vec3 axis = draw_direction(m);
    const int index = add_joint(m, type, parent, body, anchor, axis);
    machine_joint *joint = &m->joints[index];
    if (has_coordinate(joint)) fit_one(m, index, damped);
    if (strcmp(type, "ball") == 0 && damped) joint->def.damping = inertia_of(m, joint, 0) * draw_between(m, 0, 2);
    if (strcmp(type, "planar") == 0) joint->def.x_axis = draw_perpendicular(m, axis);
    for (int i = 0; i < 4; i++)
        if (strcmp(type, types[4 + i]) == 0)
            for (int k = 0; k < several[i]; k++) add_coordinate(m, index);
    if (strcmp(type, "chain") == 0) add_links(m, index, anchor);
    for (int k = 0; k < joint->def.coordinate_count; k++) fit(m, joint, k, damped, &joint->coordinates[k]);
}

/* Adds a span with a spring to the ground. */
static void add_span(machine *m, int body, bool damped)
{
    const int index = add_joint(m, "span", GROUND, body, trm_v3(NAN, NAN, NAN), trm_v3(NAN, NAN, NAN));
    m->joints[index].def.anchors[0] = trm_v3_add(m->bodies[body].def.position, draw_vector(m, 1.5));
    m->joints[index].def.anchors[1] = draw_vector(m, 0.2);
    machine_force *spring = &m->forces[add_force(m, "torsion")];
    const double w = draw_between(m, 1, 6);
    spring->host = index;
    spring->def.rest = draw_between(m, 0.2, 1.5);
    spring->def.stiffness = m->bodies[body].def.mass * w * w;
    if (damped) m->joints[index].def.damping = m->bodies[body].def.mass * draw_between(m, 0, 1);
}

/* Couples two or three coordinates, linearly or not. */
static void couple(machine *m)
{
    const int index = add_coupling(m);
    for (int j = 0; j < index && m->joints[index].def.term_count < 3; j++) {
        if (!has_coordinate(&m->joints[j]) || draw_chance(m, 0.2)) continue;
        const double factor = draw_between(m, 0.5, 2) * (draw_chance(m, 0.5) ? 1 : -1);
        add_term(m, index, j, factor, draw_chance(m, 0.3) ? draw_between(m, -0.3, 0.3) : 0);
    }
    if (m->joints[index].def.term_count < 2) m->joint_count--;
}

/* Adds an effort, a servo or a spring to a random coordinate of a joint. */
static void push(machine *m, bool damped)
{
    static const char *const types[] = {"effort", "servo", "torsion"};
    const int index = draw_below(m, m->joint_count);
    const machine_joint *joint = &m->joints[index];
    const int count = has_coordinate(joint) ? 1 : joint->def.coordinate_count;
    if (count == 0) return;
    const int k = draw_below(m, count);
    const double inertia = inertia_of(m, joint, k), w = draw_between(m, 1, 5);
    machine_force *f = &m->forces[add_force(m, DRAW_WORD(m, types))];
    f->host = index;
    if (count > 1) f->def.coordinate = k + 1;
    if (strcmp(f->def.type, "torsion") == 0) {
        f->def.stiffness = inertia * w * w;
        return;
    }
    f->def.gear = draw_chance(m, 0.5) ? 1 : draw_between(m, 0.5, 2);
    f->value[0] = draw_wave(m, 3 * inertia);
    if (strcmp(f->def.type, "effort") == 0) return;
    f->target = draw_wave(m, 0.4);
    f->def.kp = inertia * w * w;
    f->def.kd = damped ? inertia * w : 0;
}

static void add_swivel(machine *m)
{
    const int b = draw_below(m, m->body_count), a = draw_chance(m, 0.5) ? GROUND : draw_below(m, m->body_count);
    if (a == b) return;
    machine_force *f = &m->forces[add_force(m, "swivel")];
    f->bodies[0] = a;
    f->bodies[1] = b;
    f->def.damping = 0.02 * draw_between(m, 0.3, 2);
}

static void draw(machine *m)
{
    const int count = 1 + draw_below(m, 5);
    const bool damped = draw_chance(m, 0.5), powered = draw_chance(m, 0.5);
    for (int i = 0; i < count; i++) {
        const int parent = i == 0 ? GROUND : draw_below(m, i);
        const trm_vec3 from = pose_of(m, parent).p, way = trm_v3_scale(draw_between(m, 0.5, 1), draw_direction(m));
        const trm_pose pose = {draw_rotation(m), trm_v3_add(from, way)};
        const int body = add_rigid(m, pose, draw_between(m, 0.3, 3), 0.6);
        add_fitted_joint(m, parent, body, trm_v3_add_scaled(from, 0.5, way), damped);
    }
    if (draw_chance(m, 0.3)) couple(m);
    if (draw_chance(m, 0.3)) add_span(m, draw_below(m, count), damped);
    for (int i = 0; powered && i < 2; i++) push(m, damped);
    if (damped && draw_chance(m, 0.5)) add_swivel(m);
    if (draw_chance(m, 0.5)) move_apart(m, 0.5, 1);
    m->gravity = draw_chance(m, 0.8) ? trm_v3(0, 0, -9.81) : trm_v3(0, 0, 0);
    set_run(m, 0.01, 0.6);
}

const family family_fitted = {"fitted", "trees with springs, dampers and rotors in joints, couplings, spans, swivels",
                              draw, false};
