/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Draws numbers and adds elements. A machine that grows beyond its arrays is an error of its family and aborts. */

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"

/* ---- Drawing ------------------------------------------------------------------------------ */

double draw_between(machine *m, double lo, double hi)
{
    return trm_random_uniform(&m->random, lo, hi);
}

double draw_log(machine *m, double lo, double hi)
{
    return exp(draw_between(m, log(lo), log(hi)));
}

int draw_below(machine *m, int count)
{
    return (int)(trm_random_bits(&m->random) % (uint64_t)count);
}

bool draw_chance(machine *m, double share)
{
    return draw_between(m, 0, 1) < share;
}

trm_vec3 draw_vector(machine *m, double size)
{
    const double x = draw_between(m, -size, size), y = draw_between(m, -size, size);
    return trm_v3(x, y, draw_between(m, -size, size));
}

trm_vec3 draw_direction(machine *m)
{
    for (;;) {
        const trm_vec3 v = draw_vector(m, 1);
        if (trm_v3_length(v) > 0.1 && trm_v3_length(v) < 1) return trm_v3_unit(v);
    }
}

trm_vec3 draw_perpendicular(machine *m, trm_vec3 axis)
{
    for (;;) {
        const trm_vec3 v = trm_v3_cross(axis, draw_direction(m));
        if (trm_v3_length(v) > 0.2 * trm_v3_length(axis)) return trm_v3_unit(v);
    }
}

trm_quat draw_rotation(machine *m)
{
    const double angle = draw_between(m, 0, 6);
    return trm_quat_exp(trm_v3_scale(angle, draw_direction(m)));
}

wave draw_wave(machine *m, double size)
{
    const double mean = draw_between(m, -size, size), amplitude = draw_between(m, 0, size);
    const double rate = draw_between(m, 1, 5);
    return (wave){mean, amplitude, rate, draw_between(m, 0, 6)};
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static void require_room(int count, int most)
{
    if (count < most) return;
    fprintf(stderr, "torture: a family adds more than %d elements of one kind\n", most);
    abort();
}

static machine_body *new_body(machine *m, int *index)
{
    require_room(m->body_count, MOST_BODIES);
    *index = m->body_count++;
    machine_body *body = &m->bodies[*index];
    snprintf(body->name, sizeof body->name, "b%d", *index);
    body->def = trm_default_body_def();
    return body;
}

int add_rigid(machine *m, trm_pose pose, double mass, double size)
{
    int index;
    trm_body_def *def = &new_body(m, &index)->def;
    const double x = size * draw_between(m, 0.4, 1), y = size * draw_between(m, 0.4, 1),
                 z = size * draw_between(m, 0.4, 1);
    const trm_vec3 moments = trm_v3_scale(mass / 12, trm_v3(y * y + z * z, x * x + z * z, x * x + y * y));
    const trm_mat3 R = trm_quat_matrix(draw_rotation(m));
    const trm_mat3 J = trm_mat_mul(R, trm_mat_mul(trm_diag(moments), trm_transpose(R)));
    const double six[6] = {J.m[0][0], J.m[1][1], J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]};
    def->mass = mass;
    memcpy(def->inertia, six, sizeof six);
    def->com = draw_vector(m, 0.2 * size);
    def->position = pose.p;
    def->orientation = pose.q;
    return index;
}

int add_point(machine *m, trm_vec3 position, double mass)
{
    int index;
    trm_body_def *def = &new_body(m, &index)->def;
    def->kind = TRM_BODY_POINT;
    def->mass = mass;
    def->position = position;
    return index;
}

int add_fixed(machine *m, trm_pose pose)
{
    int index;
    trm_body_def *def = &new_body(m, &index)->def;
    def->kind = TRM_BODY_FIXED;
    def->position = pose.p;
    def->orientation = pose.q;
    return index;
}

int add_moving(machine *m, trm_vec3 position, double size)
{
    int index;
    machine_body *body = new_body(m, &index);
    body->def.kind = TRM_BODY_MOVING;
    body->def.moving.axis = draw_direction(m);
    const double at[3] = {position.x, position.y, position.z};
    for (int i = 0; i < 3; i++) /* sin(0) = 0: it starts at its given position */
        body->moving[i] = (wave){at[i], draw_between(m, -size, size), draw_between(m, 1, 4), 0};
    body->moving[3] = (wave){0, draw_between(m, -0.5, 0.5), draw_between(m, 1, 4), 0};
    body->def.position = position;
    return index;
}

void add_shape(machine *m, int body, trm_shape_def shape, double density)
{
    machine_body *b = &m->bodies[body];
    require_room(b->def.shape_count, MOST_SHAPES);
    if (b->def.kind == TRM_BODY_RIGID && !(b->def.mass > 0)) shape.density = density;
    b->shapes[b->def.shape_count++] = shape;
}

trm_pose pose_of(const machine *m, int body)
{
    if (body == GROUND) return trm_pose_identity();
    const trm_body_def *def = &m->bodies[body].def;
    return (trm_pose){def->orientation, def->position};
}

trm_vec3 to_body(const machine *m, int body, trm_vec3 world)
{
    return trm_pose_point_back(pose_of(m, body), world);
}

/* ---- Joints ------------------------------------------------------------------------------- */

static bool is_one_of(const char *type, const char *const *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(type, types[i]) == 0) return true;
    return false;
}
#define IS_ONE_OF(type, types) is_one_of(type, types, sizeof(types) / sizeof *(types))

static machine_joint *new_joint(machine *m, const char *type, int *index)
{
    require_room(m->joint_count, MOST_JOINTS);
    *index = m->joint_count++;
    machine_joint *joint = &m->joints[*index];
    snprintf(joint->name, sizeof joint->name, "j%d", *index);
    joint->def = trm_default_joint_def();
    joint->def.type = type;
    joint->bodies[0] = joint->bodies[1] = GROUND;
    joint->hosts[0] = joint->hosts[1] = -1;
    return joint;
}

static bool takes_axis(const char *type)
{
    static const char *const types[] = {"hinge", "universal", "gimbal", "slider", "cylinder",
                                        "screw", "planar",    "rail",   "slot"};
    return IS_ONE_OF(type, types);
}

int add_joint(machine *m, const char *type, int a, int b, trm_vec3 anchor, trm_vec3 axis)
{
    int index;
    machine_joint *joint = new_joint(m, type, &index);
    joint->bodies[0] = a;
    joint->bodies[1] = b;
    joint->def.anchor = anchor;
    if (takes_axis(type)) joint->def.axis = axis;
    if (strcmp(type, "universal") == 0 || strcmp(type, "gimbal") == 0) joint->def.axis2 = draw_perpendicular(m, axis);
    if (strcmp(type, "screw") == 0) joint->def.pitch = draw_between(m, 0.05, 0.3) * (draw_chance(m, 0.5) ? 1 : -1);
    return index;
}

int add_distance(machine *m, int a, int b, trm_vec3 at_a, trm_vec3 at_b)
{
    int index;
    machine_joint *joint = new_joint(m, "distance", &index);
    joint->bodies[0] = a;
    joint->bodies[1] = b;
    joint->def.anchors[0] = at_a;
    joint->def.anchors[1] = at_b;
    return index;
}

int add_gear(machine *m, int first, int second, double ratio)
{
    int index;
    machine_joint *joint = new_joint(m, "gear", &index);
    joint->hosts[0] = first;
    joint->hosts[1] = second;
    joint->def.ratio = ratio;
    return index;
}

int add_drive(machine *m, int host, wave motion)
{
    int index;
    machine_joint *joint = new_joint(m, "drive", &index);
    joint->hosts[0] = host;
    joint->motion = motion;
    return index;
}

int add_motor(machine *m, int host, wave velocity, double most)
{
    int index;
    machine_joint *joint = new_joint(m, "motor", &index);
    joint->hosts[0] = host;
    joint->motion = velocity;
    joint->def.max_force = most;
    return index;
}

int add_coupling(machine *m)
{
    int index;
    new_joint(m, "coupling", &index);
    return index;
}

void add_term(machine *m, int coupling, int host, double factor, double square)
{
    machine_joint *joint = &m->joints[coupling];
    const int i = joint->def.term_count++;
    require_room(i, TRM_TERMS);
    joint->terms[i] = trm_default_term_def();
    joint->terms[i].factor = factor;
    joint->terms[i].polynomial_count = square != 0 ? 2 : 0;
    joint->polynomials[i][0] = factor;
    joint->polynomials[i][1] = square;
    joint->term_hosts[i] = host;
}

trm_coordinate_def *add_coordinate(machine *m, int joint)
{
    machine_joint *j = &m->joints[joint];
    require_room(j->def.coordinate_count, MOST_COORDINATES);
    trm_coordinate_def *c = &j->coordinates[j->def.coordinate_count++];
    trm_set_defaults(TRM_DEF_COORDINATE, c, sizeof *c);
    return c;
}

bool turns(const machine_joint *joint, int k)
{
    static const char *const always[] = {"hinge", "screw", "universal", "gimbal", "ball"};
    const char *type = joint->def.type;
    if (strcmp(type, "chain") == 0) return strcmp(joint->coordinates[k].type, "hinge") == 0;
    if (strcmp(type, "cylinder") == 0) return k == 0;
    if (strcmp(type, "planar") == 0) return k == 2;
    return IS_ONE_OF(type, always);
}

bool is_angle(const machine_joint *joint)
{
    return turns(joint, 0);
}

bool has_coordinate(const machine_joint *joint)
{
    static const char *const types[] = {"hinge", "screw", "slider"};
    return IS_ONE_OF(joint->def.type, types);
}

/* ---- Forces and contacts ------------------------------------------------------------------ */

int add_force(machine *m, const char *type)
{
    require_room(m->force_count, MOST_FORCES);
    machine_force *force = &m->forces[m->force_count];
    snprintf(force->name, sizeof force->name, "f%d", m->force_count);
    force->def = trm_default_force_def();
    force->def.type = type;
    force->bodies[0] = force->bodies[1] = GROUND - 1;
    force->host = -1;
    return m->force_count++;
}

int add_contact(machine *m, int a, int b)
{
    require_room(m->contact_count, MOST_CONTACTS);
    machine_contact *contact = &m->contacts[m->contact_count];
    contact->def = trm_default_contact_def();
    contact->bodies[0] = a;
    contact->bodies[1] = b;
    return m->contact_count++;
}

/* ---- Parts -------------------------------------------------------------------------------- */

bool *part_flag(removed *r, part p)
{
    switch (p.kind) {
    case PART_BODY: return &r->body[p.index];
    case PART_JOINT: return &r->joint[p.index];
    case PART_FORCE: return &r->force[p.index];
    case PART_CONTACT: return &r->contact[p.index];
    case PART_LIMITS: return &r->limits[p.index];
    case PART_FRICTION: return &r->friction[p.index];
    case PART_VELOCITY: return &r->velocity[p.index];
    default: return &r->shapes[p.index];
    }
}

static bool has_part(const machine *m, part_kind kind, int i)
{
    const trm_joint_def *joint = i < m->joint_count ? &m->joints[i].def : NULL;
    const trm_body_def *body = i < m->body_count ? &m->bodies[i].def : NULL;
    switch (kind) {
    case PART_BODY: return body;
    case PART_JOINT: return joint;
    case PART_FORCE: return i < m->force_count;
    case PART_CONTACT: return i < m->contact_count;
    case PART_LIMITS: return joint && (isfinite(joint->limits[0]) || joint->coordinate_count > 0);
    case PART_FRICTION: return joint && (joint->friction + joint->mu > 0 || joint->coordinate_count > 0);
    case PART_VELOCITY: return body && trm_v3_length(body->velocity) + trm_v3_length(body->angular_velocity) > 0;
    default: return body && body->shape_count > 0 && body->mass > 0;
    }
}

int list_parts(const machine *m, part *parts)
{
    int count = 0;
    for (int kind = 0; kind < PART_KINDS; kind++)
        for (int i = 0; i < MOST_JOINTS; i++)
            if (has_part(m, (part_kind)kind, i)) parts[count++] = (part){(part_kind)kind, i};
    return count;
}
