/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A step leaves the velocities that its impulses have given. They are projected onto the joints when they are read
 * (trm_sim_observe), which reading does here. The time of steps is therefore that of positions. */

#include "common/peers/trammel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char element_name[16];

typedef struct engine {
    trm_model *model;
    trm_sim *sim;
    double h;
    int first, body_count; /* first body of the scene in the model, and their number */
} engine;

static trm_vec3 vec(const double *v)
{
    return trm_v3(v[0], v[1], v[2]);
}

static void put(double *to, trm_vec3 v)
{
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

/* ---- Building ----------------------------------------------------------------------------- */

static void set_shape(trm_body_def *b, const scene_body *body, trm_shape_def *shape)
{
    *shape = trm_default_shape_def();
    shape->type = body->shape == SCENE_BOX ? "box" : "sphere";
    if (body->shape == SCENE_BOX)
        shape->size = vec(body->size);
    else
        shape->radius = 0.5 * body->size[0];
    b->shapes = shape;
    b->shape_count = 1;
}

static trm_status add_floor(trm_model_def *def, trm_shape_def *shape)
{
    trm_body_def b = trm_default_body_def();
    *shape = trm_default_shape_def();
    shape->type = "plane";
    shape->normal = trm_v3(0, 0, 1);
    shape->offset = 0;
    b.name = "floor";
    b.kind = TRM_BODY_FIXED;
    b.shapes = shape;
    b.shape_count = 1;
    return trm_add_body(def, &b);
}

static trm_status add_body(trm_model_def *def, const scene_body *body, trm_shape_def *shape, const char *name)
{
    trm_body_def b = trm_default_body_def();
    b.name = name;
    b.mass = body->mass;
    for (int k = 0; k < 3; k++) b.inertia[k] = body->inertia[k], b.inertia[3 + k] = 0;
    b.position = vec(body->p);
    b.orientation = (trm_quat){body->q[0], body->q[1], body->q[2], body->q[3]};
    b.velocity = vec(body->v);
    b.angular_velocity = vec(body->w);
    if (body->shape != SCENE_NO_SHAPE) set_shape(&b, body, shape);
    return trm_add_body(def, &b);
}

/* names: [0] the ground's, then those of the bodies, then those of the joints. */
static trm_status add_joint(trm_model_def *def, const scene_joint *joint, const element_name *names, const char *name)
{
    trm_joint_def j = trm_default_joint_def();
    j.name = name;
    j.type = joint->type == SCENE_HINGE ? "hinge" : "ball";
    j.bodies[0] = names[joint->a + 1];
    j.bodies[1] = names[joint->b + 1];
    j.anchor = vec(joint->anchor);
    if (joint->type == SCENE_HINGE) j.axis = vec(joint->axis);
    return trm_add_joint(def, &j);
}

/* shapes: [0] the floor's, then those of the bodies. */
static trm_status define(const scene *s, trm_model_def *def, trm_shape_def *shapes, element_name *names)
{
    trm_status status = s->floor ? add_floor(def, &shapes[0]) : TRM_OK;
    strcpy(names[0], "ground");
    def->gravity = vec(s->gravity);
    if (s->floor) def->friction = s->friction, def->restitution = s->restitution;
    for (int i = 0; i < s->body_count && status == TRM_OK; i++) {
        snprintf(names[i + 1], sizeof *names, "b%d", i);
        status = add_body(def, &s->bodies[i], &shapes[i + 1], names[i + 1]);
    }
    for (int j = 0; j < s->joint_count && status == TRM_OK; j++) {
        char *name = names[s->body_count + 1 + j];
        snprintf(name, sizeof *names, "j%d", j);
        status = add_joint(def, &s->joints[j], (const element_name *)names, name);
    }
    return status;
}

static trm_status make_model(const scene *s, trm_messages *messages, trm_model **model)
{
    trm_model_def *def = trm_model_def_create(NULL);
    element_name *names = malloc(((size_t)s->body_count + (size_t)s->joint_count + 1) * sizeof *names);
    trm_shape_def *shapes = malloc(((size_t)s->body_count + 1) * sizeof *shapes);
    trm_status status = def && names && shapes ? define(s, def, shapes, names) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, model);
    trm_model_def_destroy(def); /* the model has its own copies of names and shapes */
    free(names);
    free(shapes);
    return status;
}

static trm_status make_sim(engine *e, const trammel_settings *settings, trm_messages *messages)
{
    trm_simulation_def options = *trm_model_simulation(e->model);
    options.solver = "direct";
    options.order = settings->order;
    options.step = e->h;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = settings->tolerance;
    if (settings->impact) options.impact = settings->impact;
    if (settings->method) options.method = settings->method;
    options.options = settings->options;
    options.option_count = settings->option_count;
    options.sleep = "off"; /* as in the other engines */
    return trm_sim_create(e->model, &options, NULL, messages, &e->sim);
}

void trammel_destroy(void *context)
{
    engine *e = context;
    trm_sim_destroy(e->sim);
    trm_model_destroy(e->model);
    free(e);
}

static void explain(const trm_messages *messages, trm_status status, const char **why)
{
    static char text[100];
    *why = trm_status_text(status);
    for (int i = messages ? trm_message_count(messages) : 0; i-- > 0;) { /* the first error is reported */
        if (trm_message_at(messages, i)->severity != TRM_ERROR) continue;
        snprintf(text, sizeof text, "%s", trm_message_at(messages, i)->text);
        *why = text;
    }
}

void *trammel_create(const scene *s, double h, const trammel_settings *settings, const char **why)
{
    engine *e = calloc(1, sizeof *e);
    trm_messages *messages = trm_messages_create(NULL);
    trm_status status = e && messages ? make_model(s, messages, &e->model) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        e->h = h;
        e->body_count = s->body_count;
        e->first = trm_find_body(e->model, "b0");
        status = make_sim(e, settings, messages);
    }
    if (status != TRM_OK) {
        explain(messages, status, why);
        if (e) trammel_destroy(e);
        e = NULL;
    }
    trm_messages_destroy(messages);
    return e;
}

/* ---- Running ------------------------------------------------------------------------------ */

void trammel_move(void *context, trm_vec3 by)
{
    const engine *e = context;
    trm_state *state = trm_sim_state(e->sim);
    for (int i = 0; trm_v3_length(by) > 0 && i < e->body_count; i++) {
        trm_pose X = trm_body_pose(state, e->first + i);
        X.p = trm_v3_add(X.p, by);
        trm_set_body_pose(state, e->first + i, X);
    }
}

bool trammel_step(void *context, int count)
{
    engine *e = context;
    for (int i = 0; i < count; i++)
        if (!trm_sim_step(e->sim, e->h).ok) return false;
    return true;
}

void trammel_read(void *context, body_state *states)
{
    engine *e = context;
    trm_sim_observe(e->sim);
    const trm_state *state = trm_sim_state(e->sim);
    for (int i = 0; i < e->body_count; i++) {
        const trm_pose X = trm_body_pose(state, e->first + i);
        const trm_spatial V = trm_body_velocity(state, e->first + i);
        states[i] = (body_state){.q = {X.q.w, X.q.x, X.q.y, X.q.z}};
        put(states[i].p, X.p);
        put(states[i].v, V.lin);
        put(states[i].w, V.ang);
    }
}
