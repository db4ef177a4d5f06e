/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Our own engine, through its public headers only.
 *
 * A step leaves the velocities as the impulses made them; that they fit the joints is made sure where they are read
 * (trm_sim_observe), which reading does here, so the time of steps is that of positions. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "trammel/trammel.h"

typedef char element_name[16];

typedef struct engine {
    trm_model *model;
    trm_sim *sim;
    double h;
    int body_count;
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

static trm_status add_body(trm_model_def *def, const scene_body *body, const char *name)
{
    trm_body_def b = trm_default_body_def();
    b.name = name;
    b.mass = body->mass;
    for (int k = 0; k < 3; k++) b.inertia[k] = body->inertia[k], b.inertia[3 + k] = 0;
    b.position = vec(body->p);
    b.orientation = (trm_quat){body->q[0], body->q[1], body->q[2], body->q[3]};
    b.velocity = vec(body->v);
    b.angular_velocity = vec(body->w);
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

static trm_status define(const scene *s, trm_model_def *def, element_name *names)
{
    trm_status status = TRM_OK;
    strcpy(names[0], "ground");
    def->gravity = vec(s->gravity);
    for (int i = 0; i < s->body_count && status == TRM_OK; i++) {
        snprintf(names[i + 1], sizeof *names, "b%d", i);
        status = add_body(def, &s->bodies[i], names[i + 1]);
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
    trm_status status = def && names ? define(s, def, names) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, model);
    trm_model_def_destroy(def); /* the model has its own copies of names */
    free(names);
    return status;
}

static void destroy(void *context)
{
    engine *e = context;
    trm_sim_destroy(e->sim);
    trm_model_destroy(e->model);
    free(e);
}

static void *create(const scene *s, double h, double order, double tolerance, const char **why)
{
    static char text[200];
    engine *e = calloc(1, sizeof *e);
    trm_messages *messages = trm_messages_create(NULL);
    trm_status status = e && messages ? make_model(s, messages, &e->model) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        trm_simulation_def options = *trm_model_simulation(e->model);
        options.solver = "direct";
        options.order = order;
        options.step = e->h = h;
        options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = tolerance;
        status = trm_sim_create(e->model, &options, NULL, messages, &e->sim);
    }
    if (status == TRM_OK) {
        e->body_count = s->body_count;
        trm_messages_destroy(messages);
        return e;
    }
    snprintf(text, sizeof text, "%s",
             messages && trm_message_count(messages) > 0 ? trm_message_at(messages, 0)->text
                                                         : trm_status_text(status));
    *why = text;
    trm_messages_destroy(messages);
    if (e) destroy(e);
    return NULL;
}

/* ---- Running ------------------------------------------------------------------------------ */

static bool step(void *context, int count)
{
    engine *e = context;
    for (int i = 0; i < count; i++)
        if (!trm_sim_step(e->sim, e->h).ok) return false;
    return true;
}

/* Body 0 of the model is the ground. */
static void read(void *context, body_state *states)
{
    engine *e = context;
    trm_sim_observe(e->sim);
    const trm_state *state = trm_sim_state(e->sim);
    for (int i = 0; i < e->body_count; i++) {
        const trm_pose X = trm_body_pose(state, i + 1);
        const trm_spatial V = trm_body_velocity(state, i + 1);
        states[i] = (body_state){.q = {X.q.w, X.q.x, X.q.y, X.q.z}};
        put(states[i].p, X.p);
        put(states[i].v, V.lin);
        put(states[i].w, V.ang);
    }
}

/* ---- Variants ----------------------------------------------------------------------------- */

static void *create_order_2(const scene *s, double h, const char **why)
{
    return create(s, h, 2, 1e-10, why);
}

static void *create_order_4(const scene *s, double h, const char **why)
{
    return create(s, h, 4, 1e-12, why);
}

static void *create_order_6(const scene *s, double h, const char **why)
{
    return create(s, h, 6, 1e-12, why);
}

static void *create_order_8(const scene *s, double h, const char **why)
{
    return create(s, h, 8, 1e-12, why);
}

static void *create_reference(const scene *s, double h, const char **why)
{
    return create(s, h, 8, 1e-13, why);
}

#define OURS(variant, note, create_variant)                                                                          \
    {                                                                                                                \
        "Trammel", variant, note, trm_version, create_variant, step, read, destroy                                   \
    }

const peer trammel_peers[] = {
    OURS("order 2", "impulse method, direct solver, D_max 1e-10", create_order_2),
    OURS("order 4", "composed of 5 steps, D_max 1e-12", create_order_4),
    OURS("order 6", "composed of 9 steps, D_max 1e-12", create_order_6),
    OURS("order 8", "composed of 15 steps, D_max 1e-12", create_order_8),
    {0},
};

const peer trammel_reference = OURS("reference", "order 8, D_max 1e-13", create_reference);
