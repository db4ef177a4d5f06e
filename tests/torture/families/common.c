/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "common.h"

#include <string.h>

#include "math/rotation.h"

void set_run(machine *m, double step, double time)
{
    m->simulation.step = step;
    m->simulation.time = time;
}

double draw_mass(machine *m)
{
    return draw_chance(m, 0.2) ? draw_log(m, 1e-3, 1e3) : draw_between(m, 0.3, 3);
}

/* ---- Velocities --------------------------------------------------------------------------- */

static bool is_free(const trm_body_def *def)
{
    return def->kind == TRM_BODY_RIGID || def->kind == TRM_BODY_POINT;
}

void move_as_one(machine *m, double velocity, double rate)
{
    const trm_vec3 v = draw_vector(m, velocity), w = draw_vector(m, rate);
    for (int i = 0; i < m->body_count; i++) {
        trm_body_def *def = &m->bodies[i].def;
        if (!is_free(def)) continue;
        def->velocity = trm_v3_add(v, trm_v3_cross(w, def->position));
        if (def->kind == TRM_BODY_RIGID) def->angular_velocity = w;
    }
}

void move_apart(machine *m, double velocity, double rate)
{
    for (int i = 0; i < m->body_count; i++) {
        trm_body_def *def = &m->bodies[i].def;
        if (!is_free(def)) continue;
        def->velocity = draw_vector(m, velocity);
        if (def->kind == TRM_BODY_RIGID) def->angular_velocity = draw_vector(m, rate);
    }
}

int add_link(machine *m, trm_vec3 from, trm_vec3 to, double mass)
{
    const trm_vec3 along = trm_v3_sub(to, from);
    const trm_pose pose = {trm_quat_between(trm_v3(1, 0, 0), trm_v3_unit(along)),
                           trm_v3_scale(0.5, trm_v3_add(from, to))};
    const int body = add_rigid(m, pose, mass, trm_v3_length(along));
    m->bodies[body].def.com = trm_v3(0, 0, 0);
    return body;
}

/* ---- Forces ------------------------------------------------------------------------------- */

/* Returns the mass, kg, or inertia, kg m^2, of the lightest body that a force moves: it determines what is soft and
 * what is stiff. */
static double lighter(const machine *m, int a, int b)
{
    const double of_a = a >= 0 ? m->bodies[a].def.mass : 0, of_b = b >= 0 ? m->bodies[b].def.mass : 0;
    if (!(of_a > 0) || !(of_b > 0)) return fmax(of_a, of_b);
    return fmin(of_a, of_b);
}

static double smallest_moment(const machine *m, int body)
{
    if (body < 0 || m->bodies[body].def.kind != TRM_BODY_RIGID) return INFINITY;
    const double *I = m->bodies[body].def.inertia;
    return fmin(I[0], fmin(I[1], I[2]));
}

static int draw_body(machine *m)
{
    for (int tries = 0; tries < 100; tries++) {
        const int i = draw_below(m, m->body_count);
        if (is_free(&m->bodies[i].def)) return i;
    }
    return 0;
}

static void add_between(machine *m, force_mix mix)
{
    const int b = draw_body(m), a = draw_chance(m, 0.5) ? GROUND : draw_body(m);
    if (a == b) return;
    const double mass = lighter(m, a, b), w = draw_between(m, 1, 6);
    const bool actuator = mix.powered && draw_chance(m, 0.3);
    machine_force *f = &m->forces[add_force(m, actuator ? "actuator" : "spring")];
    f->bodies[0] = a;
    f->bodies[1] = b;
    for (int i = 0; i < 2; i++) {
        const bool point = f->bodies[i] >= 0 && m->bodies[f->bodies[i]].def.kind == TRM_BODY_POINT;
        f->def.anchors[i] = point ? trm_v3(0, 0, 0) : draw_vector(m, f->bodies[i] == GROUND ? 2 : 0.2);
    }
    if (actuator)
        f->value[0] = draw_wave(m, 3 * mass);
    else {
        f->def.stiffness = mass * w * w;
        f->def.rest = draw_between(m, 0.2, 1.5);
        if (mix.damped) f->def.damping = mass * draw_between(m, 0, 1);
    }
}

static void add_on_body(machine *m)
{
    static const char *const types[] = {"force", "torque", "drag"};
    const int b = draw_body(m);
    const bool point = m->bodies[b].def.kind == TRM_BODY_POINT;
    const double mass = m->bodies[b].def.mass, moment = point ? 0 : smallest_moment(m, b);
    machine_force *f = &m->forces[add_force(m, point ? "force" : DRAW_WORD(m, types))];
    f->bodies[0] = b;
    if (strcmp(f->def.type, "drag") == 0) {
        f->def.linear = mass * draw_between(m, 0, 1);
        f->def.angular = moment * draw_between(m, 0, 1);
        return;
    }
    const double size = strcmp(f->def.type, "torque") == 0 ? 5 * moment : 4 * mass;
    for (int i = 0; i < 3; i++) f->value[i] = draw_wave(m, size);
    f->def.in_body_frame = !point && draw_chance(m, 0.5);
    if (!point && size == 4 * mass) f->def.at = draw_vector(m, 0.1);
}

static void add_on_joint(machine *m, force_mix mix)
{
    if (m->joint_count == 0) return;
    const int j = draw_below(m, m->joint_count);
    const machine_joint *host = &m->joints[j];
    if (!has_coordinate(host)) return;
    const double moment = fmin(smallest_moment(m, host->bodies[0]), smallest_moment(m, host->bodies[1]));
    const double inertia = is_angle(host) ? moment : lighter(m, host->bodies[0], host->bodies[1]);
    const double w = draw_between(m, 1, 6), k = inertia * w * w;
    if (!isfinite(k)) return;
    const bool servo = mix.powered && draw_chance(m, 0.5);
    machine_force *f = &m->forces[add_force(m, servo ? "servo" : "torsion")];
    f->host = j;
    if (servo) {
        f->target = draw_wave(m, 0.4);
        f->def.kp = k;
        f->def.kd = mix.damped ? inertia * draw_between(m, 0, 2) : 0;
        if (mix.damped && draw_chance(m, 0.3)) f->def.brake = inertia * draw_between(m, 0, 1);
    } else {
        f->def.stiffness = k;
        f->def.rest = draw_between(m, -0.5, 0.5);
        f->def.damping = mix.damped ? inertia * draw_between(m, 0, 1) : 0;
    }
}

void scatter_forces(machine *m, force_mix mix)
{
    for (int i = 0; i < mix.count; i++) {
        const int kind = draw_below(m, 3);
        if (kind == 0 && mix.powered && mix.damped)
            add_on_body(m);
        else if (kind <= 1)
            add_between(m, mix);
        else
            add_on_joint(m, mix);
    }
}

/* ---- Shapes ------------------------------------------------------------------------------- */

trm_shape_def plain_shape(const char *type)
{
    trm_shape_def shape = trm_default_shape_def();
    shape.type = type;
    return shape;
}

trm_shape_def box_shape(double x, double y, double z)
{
    trm_shape_def shape = plain_shape("box");
    shape.size = trm_v3(x, y, z);
    return shape;
}

static trm_shape_def hull_shape(machine *m, machine_body *body, trm_vec3 half, int corners)
{
    trm_shape_def shape = plain_shape("hull");
    for (int i = 0; i < corners; i++) {
        const trm_vec3 x = draw_direction(m);
        body->corners[i] = trm_v3(half.x * x.x, half.y * x.y, half.z * x.z);
    }
    shape.points = body->corners;
    shape.point_count = corners;
    return shape;
}

trm_shape_def random_solid_shape(machine *m, machine_body *body)
{
    static const char *const types[] = {"sphere", "box", "capsule", "cylinder", "hull"};
    const double a = draw_between(m, 0.1, 0.3), b = draw_between(m, 0.15, 0.5), c = draw_between(m, 0.15, 0.5);
    trm_shape_def shape = plain_shape(DRAW_WORD(m, types));
    if (strcmp(shape.type, "box") == 0) return box_shape(2 * a, b, c);
    if (strcmp(shape.type, "hull") == 0)
        return hull_shape(m, body, trm_v3(a, 0.6 * b, 0.6 * c), 6 + draw_below(m, 8));
    shape.radius = a;
    if (strcmp(shape.type, "sphere") != 0) shape.length = b;
    return shape;
}

int add_random_solid(machine *m, trm_vec3 place, double e)
{
    const int body = add_rigid(m, (trm_pose){draw_rotation(m), place}, 1, 1);
    machine_body *b = &m->bodies[body];
    const double density = draw_chance(m, 0.15) ? draw_log(m, 1, 1e4) : draw_between(m, 5, 50);
    for (int i = 0; i < 6; i++) b->def.inertia[i] = NAN;
    b->def.mass = 0;
    b->def.com = trm_v3(NAN, NAN, NAN);
    trm_shape_def shape = random_solid_shape(m, b);
    shape.friction = draw_chance(m, 0.2) ? 0 : draw_between(m, 0, 1);
    shape.restitution = e >= 0 ? e : draw_chance(m, 0.4) ? 0 : draw_between(m, 0, 1);
    add_shape(m, body, shape, density);
    return body;
}

/* ---- Grounds ------------------------------------------------------------------------------ */

/* Hills of a few centimetres over 5 x 5 corners, open below. */
static trm_shape_def hills(machine *m, machine_body *body)
{
    trm_shape_def shape = plain_shape("mesh");
    int count = 0;
    for (int i = 0; i < 25; i++)
        body->corners[i] = trm_v3(2.0 * (i % 5) - 4, 2.0 * (i / 5) - 4, draw_between(m, -0.2, 0));
    for (int i = 0; i < 16; i++) {
        const int at = i % 4 + 5 * (i / 4);
        const int two[2][3] = {{at, at + 1, at + 6}, {at, at + 6, at + 5}};
        memcpy(body->triangles[count], two, sizeof two);
        count += 2;
    }
    shape.points = body->corners;
    shape.point_count = 25;
    shape.triangles = (const int(*)[3])body->triangles;
    shape.triangle_count = count;
    return shape;
}

int add_ground_shape(machine *m)
{
    const int kind = draw_below(m, 6);
    const int body = add_fixed(m, trm_pose_identity());
    machine_body *b = &m->bodies[body];
    trm_shape_def shape = plain_shape("plane");
    shape.normal = draw_chance(m, 0.3)
                       ? trm_v3_unit(trm_v3(draw_between(m, -0.4, 0.4), draw_between(m, -0.4, 0.4), 1))
                       : trm_v3(0, 0, 1);
    if (kind == 0) {
        shape = box_shape(8, 8, 1);
        b->def.position = trm_v3(0, 0, -0.5);
    } else if (kind == 1)
        shape = hills(m, b);
    shape.friction = draw_between(m, 0, 1);
    add_shape(m, body, shape, 0);
    return body;
}

void draw_contact_mode(machine *m)
{
    static const double orders[] = {2, 2, 2, 4, 6, 8};
    const bool window = draw_chance(m, 0.4);
    m->simulation.impact = window ? "window" : "event";
    m->simulation.order = window ? 2 : DRAW_WORD(m, orders);
}
