/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solid bodies in contact: machines whose bodies have one shape each, all with the same friction and restitution. */

#ifndef TRM_TESTS_SCENES_H
#define TRM_TESTS_SCENES_H

#include "machines.h"
#include "math/rotation.h"
#include "running.h"

static const double G = 9.81; /* m/s^2 */
static const double DEG = 0.017453292519943295;

typedef struct scene {
    machine m;
    trm_shape_def shapes[MACHINE_MOST]; /* shape i belongs to body i */
} scene;

/* Begins an empty scene; gravity points down the z axis. */
static inline void scene_init(scene *s, double friction, double restitution)
{
    machine_init(&s->m);
    s->m.def->gravity = trm_v3(0, 0, -G);
    s->m.def->friction = friction;
    s->m.def->restitution = restitution;
}

/* Makes a slope under z = 0 that goes down along x: gravity is rotated instead of the plane. */
static inline void lean(scene *s, double angle)
{
    s->m.def->gravity = trm_v3(G * sin(angle), 0, -G * cos(angle));
}

/* ---- Shapes ------------------------------------------------------------------------------- */

static inline trm_shape_def shape_of(const char *type)
{
    trm_shape_def shape = trm_default_shape_def();
    shape.type = type;
    return shape;
}

static inline trm_shape_def sphere_of(double radius)
{
    trm_shape_def shape = shape_of("sphere");
    shape.radius = radius;
    return shape;
}

static inline trm_shape_def box_of(double x, double y, double z)
{
    trm_shape_def shape = shape_of("box");
    shape.size = trm_v3(x, y, z);
    return shape;
}

/* Returns a "cylinder" or "capsule" along z. */
static inline trm_shape_def round_of(const char *type, double radius, double length)
{
    trm_shape_def shape = shape_of(type);
    shape.radius = radius;
    shape.length = length;
    return shape;
}

static inline double volume_of(const trm_shape_def *shape)
{
    const double r = shape->radius, ball = 4 * TRM_PI / 3 * r * r * r, rod = TRM_PI * r * r * shape->length;
    if (strcmp(shape->type, "box") == 0) return shape->size.x * shape->size.y * shape->size.z;
    if (strcmp(shape->type, "sphere") == 0) return ball;
    return strcmp(shape->type, "capsule") == 0 ? rod + ball : rod;
}

/* ---- Bodies ------------------------------------------------------------------------------- */

/* Adds a body with a shape. Returns its definition, which may be changed before the next body is added. */
static inline trm_body_def *add_shaped(scene *s, trm_body_def body, trm_shape_def shape)
{
    const int index = s->m.def->body_count + 1;
    assert_true(index < MACHINE_MOST);
    s->shapes[index] = shape;
    body.shapes = &s->shapes[index];
    body.shape_count = 1;
    assert_int_equal(add_body(&s->m, body), index);
    return &s->m.def->bodies[index - 1];
}

/* Adds a uniform solid. */
static inline trm_body_def *add_solid(scene *s, trm_shape_def shape, double mass, trm_vec3 place)
{
    trm_body_def body = trm_default_body_def();
    shape.density = mass / volume_of(&shape);
    body.position = place;
    return add_shaped(s, body, shape);
}

static inline trm_body_def *add_wall(scene *s, trm_shape_def shape, trm_vec3 place)
{
    trm_body_def body = trm_default_body_def();
    body.kind = TRM_BODY_FIXED;
    body.position = place;
    return add_shaped(s, body, shape);
}

/* Adds the half-space below z = 0. */
static inline trm_body_def *add_floor(scene *s)
{
    trm_shape_def plane = shape_of("plane");
    plane.normal = trm_v3(0, 0, 1);
    plane.offset = 0;
    return add_wall(s, plane, trm_v3(0, 0, 0));
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Rotates the whole scene with gravity. */
static inline void turn_scene(scene *s, trm_quat q)
{
    trm_model_def *def = s->m.def;
    def->gravity = trm_rotate(q, def->gravity);
    for (int i = 0; i < def->body_count; i++) {
        trm_body_def *body = &def->bodies[i];
        body->position = trm_rotate(q, body->position);
        body->orientation = trm_quat_mul(q, body->orientation);
        body->velocity = trm_rotate(q, body->velocity);
        body->angular_velocity = trm_rotate(q, body->angular_velocity);
    }
    for (int i = 0; i < def->joint_count; i++) {
        def->joints[i].anchor = trm_rotate(q, def->joints[i].anchor);
        def->joints[i].axis = trm_rotate(q, def->joints[i].axis);
    }
}

/* Runs the scene, which is used up. */
static inline running run_scene(scene *s, double step)
{
    s->m.def->simulation.step = step;
    return run_model(machine_finish(&s->m), NULL);
}

static inline trm_spatial motion_of(const running *r, const char *body)
{
    return trm_body_velocity(trm_sim_state(r->sim), trm_find_body(r->model, body));
}

#endif
