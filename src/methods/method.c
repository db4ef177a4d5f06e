/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What each method can run, and what a model needs. */

#include "methods/method.h"

#include <stdio.h>

#include "motion/state.h"

enum {
    SMOOTH = TRM_CAN_LOOPS | TRM_CAN_REDUNDANT | TRM_CAN_RHEONOMIC | TRM_CAN_DAMPING | TRM_CAN_RIGID,
    ALL = SMOOTH | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_CONTACT | TRM_CAN_DISTANCE
};

static const trm_method methods[] = {
    {"impulse", ALL, false},
    {"lagrange", SMOOTH | TRM_CAN_DISTANCE, false},
    {"taylor", TRM_CAN_LOOPS | TRM_CAN_REDUNDANT | TRM_CAN_DISTANCE, false},
    {"lcp", ALL, false},
    {"minimal", SMOOTH, false},
    {"subsystem", SMOOTH | TRM_CAN_DISTANCE | TRM_CAN_BOUNDS, false},
};

#define TRM_METHOD(name) #name,
const char *const trm_method_names[] = {
#include "methods/list.h"
    NULL};
#undef TRM_METHOD

int trm_method_count(void)
{
    return (int)(sizeof methods / sizeof methods[0]);
}

const trm_method *trm_method_at(int index)
{
    return index >= 0 && index < trm_method_count() ? &methods[index] : NULL;
}

/* ---- What a model needs ------------------------------------------------------------------- */

/* The first element that needs what the method lacks. */
typedef struct lack {
    const trm_method *method;
    char *text;
    size_t size;
    bool found;
} lack;

static void need(lack *l, trm_capability capability, const char *kind, const char *name, const char *what)
{
    if (l->found || (l->method->can & capability)) return;
    l->found = true;
    snprintf(l->text, l->size, "%s '%s' %s", kind, name ? name : "", what);
}

static bool has_limits(const trm_joint *joint)
{
    return isfinite(joint->limits[0]) || isfinite(joint->limits[1]);
}

static void needs_of_joint(lack *l, const trm_joint *joint)
{
    if (trm_joint_is_rheonomic(joint)) need(l, TRM_CAN_RHEONOMIC, "joint", joint->name, "prescribes a motion");
    if (joint->rope) need(l, TRM_CAN_BOUNDS, "joint", joint->name, "is a rope, which only pulls");
    if (has_limits(joint)) need(l, TRM_CAN_BOUNDS, "joint", joint->name, "has limits");
    if (joint->friction > 0) need(l, TRM_CAN_FRICTION, "joint", joint->name, "has friction");
    if (!joint->type->place && !joint->host)
        need(l, TRM_CAN_DISTANCE, "joint", joint->name, "has no coordinates that could stand for it");
}

static void needs_of_model(lack *l, const trm_model *model, const trm_analysis *analysis)
{
    for (int i = 1; i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        if (body->kind == TRM_BODY_RIGID)
            need(l, TRM_CAN_RIGID, "body", body->name, "is a rigid body, not a point mass");
        if (body->kind == TRM_BODY_MOVING) need(l, TRM_CAN_RHEONOMIC, "body", body->name, "has a prescribed motion");
    }
    for (int i = 0; i < model->joint_count; i++) {
        const trm_joint *joint = &model->joints[i];
        needs_of_joint(l, joint);
        if (!analysis->tree_joint[i] && !joint->host) need(l, TRM_CAN_LOOPS, "joint", joint->name, "closes a loop");
    }
    for (int i = 0; i < model->force_count; i++)
        if (model->forces[i].type->of_velocity && model->forces[i].damping > 0)
            need(l, TRM_CAN_DAMPING, "force", model->forces[i].name, "depends on velocities");
    if (analysis->redundant_count > 0)
        need(l, TRM_CAN_REDUNDANT, "joint", model->joints[analysis->redundant[0].joint].name, "has redundant rows");
    if (model->may_collide) need(l, TRM_CAN_CONTACT, "model", model->name, "has shapes that may collide");
}

bool trm_method_says(const trm_state *state, const trm_analysis *analysis, int index, char *buffer, size_t size,
                     trm_method_verdict *verdict)
{
    const trm_method *method = trm_method_at(index);
    if (!method) return false;
    lack l = {method, buffer, size, false};
    if (size > 0) buffer[0] = 0;
    needs_of_model(&l, state->model, analysis);
    *verdict = (trm_method_verdict){method->name, method->available, !l.found, buffer};
    return true;
}
