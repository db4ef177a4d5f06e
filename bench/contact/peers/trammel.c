/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Our own engine, through its public headers only: `event`, in which impacts and ends of slides are found to rounding and
 * the direct solver holds contacts, and `window`, in which whatever touches within a step is taken at its end. */

#include <stdio.h>
#include <stdlib.h>

#include "peers.h"
#include "trammel/trammel.h"

typedef char element_name[16];

typedef struct engine {
    trm_model *model;
    trm_sim *sim;
    double h;
    int first, body_count; /* of the scene's bodies in the model */
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

static trm_shape_def make_shape(const scene_body *body)
{
    trm_shape_def shape = trm_default_shape_def();
    shape.type = body->shape == SCENE_BOX ? "box" : "sphere";
    if (body->shape == SCENE_BOX)
        shape.size = vec(body->size);
    else
        shape.radius = 0.5 * body->size[0];
    return shape;
}

static trm_status add_ground(trm_model_def *def, trm_shape_def *shape)
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
    *shape = make_shape(body);
    b.name = name;
    b.mass = body->mass;
    for (int k = 0; k < 3; k++) b.inertia[k] = body->inertia[k], b.inertia[3 + k] = 0;
    b.position = vec(body->p);
    b.orientation = (trm_quat){body->q[0], body->q[1], body->q[2], body->q[3]};
    b.shapes = shape;
    b.shape_count = 1;
    return trm_add_body(def, &b);
}

static trm_status define(const scene *s, trm_model_def *def, trm_shape_def *shapes, element_name *names)
{
    trm_status status = add_ground(def, &shapes[s->body_count]);
    def->gravity = vec(s->gravity);
    def->friction = s->friction;
    def->restitution = s->restitution;
    for (int i = 0; i < s->body_count && status == TRM_OK; i++) {
        snprintf(names[i], sizeof *names, "b%d", i);
        status = add_body(def, &s->bodies[i], &shapes[i], names[i]);
    }
    return status;
}

static trm_status make_model(const scene *s, trm_messages *messages, trm_model **model)
{
    trm_model_def *def = trm_model_def_create(NULL);
    element_name *names = malloc((size_t)s->body_count * sizeof *names);
    trm_shape_def *shapes = malloc(((size_t)s->body_count + 1) * sizeof *shapes);
    trm_status status = def && names && shapes ? define(s, def, shapes, names) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, model);
    trm_model_def_destroy(def); /* the model has its own copies of names and shapes */
    free(names);
    free(shapes);
    return status;
}

static trm_status make_sim(engine *e, const char *impact, const char *solver, double tolerance,
                           trm_messages *messages)
{
    trm_simulation_def options = *trm_model_simulation(e->model);
    options.impact = impact;
    options.solver = solver;
    options.step = e->h;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = tolerance;
    return trm_sim_create(e->model, &options, NULL, messages, &e->sim);
}

static void destroy(void *context)
{
    engine *e = context;
    trm_sim_destroy(e->sim);
    trm_model_destroy(e->model);
    free(e);
}

static void explain(const trm_messages *messages, trm_status status, const char **why)
{
    static char text[100];
    for (int i = 0; messages && i < trm_message_count(messages); i++)
        if (trm_message_at(messages, i)->severity == TRM_ERROR) {
            snprintf(text, sizeof text, "%s", trm_message_at(messages, i)->text);
            *why = text;
            return;
        }
    *why = trm_status_text(status);
}

static void *create(const scene *s, double h, const char *impact, const char *solver, double tolerance,
                    const char **why)
{
    engine *e = calloc(1, sizeof *e);
    trm_messages *messages = trm_messages_create(NULL);
    trm_status status = e && messages ? make_model(s, messages, &e->model) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        e->h = h;
        e->body_count = s->body_count;
        e->first = trm_find_body(e->model, "b0");
        status = make_sim(e, impact, solver, tolerance, messages);
    }
    if (status != TRM_OK) {
        explain(messages, status, why);
        if (e) destroy(e);
        e = NULL;
    }
    trm_messages_destroy(messages);
    return e;
}

/* ---- Running ------------------------------------------------------------------------------ */

static bool step(void *context, int count)
{
    engine *e = context;
    for (int i = 0; i < count; i++)
        if (!trm_sim_step(e->sim, e->h).ok) return false;
    return true;
}

static void read(void *context, body_state *states)
{
    engine *e = context;
    trm_sim_observe(e->sim);
    const trm_state *state = trm_sim_state(e->sim);
    for (int i = 0; i < e->body_count; i++) {
        const trm_pose X = trm_body_pose(state, e->first + i);
        states[i] = (body_state){.q = {X.q.w, X.q.x, X.q.y, X.q.z}};
        put(states[i].p, X.p);
        put(states[i].v, trm_body_velocity(state, e->first + i).lin);
    }
}

/* ---- Variants ----------------------------------------------------------------------------- */

enum { MOST_DIRECT = 100 }; /* bodies: a heap is one island, whose factors fill up */

static void *create_event(const scene *s, double h, const char **why)
{
    return create(s, h, "event", "direct", 1e-11, why);
}

static void *create_window(const scene *s, double h, const char **why)
{
    return create(s, h, "window", "direct", 1e-11, why);
}

#define OURS(variant, note, most_bodies, create_variant)                                                             \
    {                                                                                                                \
        "Trammel", variant, note, most_bodies, trm_version, create_variant, step, read, destroy                      \
    }

const peer trammel_peers[] = {
    OURS("event", "impact event, solver direct, D_max 1e-11", MOST_DIRECT, create_event),
    OURS("window", "impact window, solver direct, D_max 1e-11; large islands by sweeps", 0, create_window),
    {0},
};
