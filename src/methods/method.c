/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Capabilities of methods, and the capabilities that a model needs. */

#include "methods/method.h"

#include <stdio.h>
#include <string.h>

#include "motion/state.h"

static const trm_method *const methods[] = {
#define TRM_METHOD(name) &trm_method_##name,
#include "methods/list.h"
#undef TRM_METHOD
};

#define TRM_METHOD(name) #name,
const char *const trm_method_names[] = {TRM_METHOD_AUTO,
#include "methods/list.h"
                                        NULL};
#undef TRM_METHOD

int trm_method_count(void)
{
    return (int)(sizeof methods / sizeof methods[0]);
}

const trm_method *trm_method_at(int index)
{
    return index >= 0 && index < trm_method_count() ? methods[index] : NULL;
}

const trm_method *trm_find_method(const char *name)
{
    for (int i = 0; i < trm_method_count(); i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}

/* ---- Capabilities that a model needs ------------------------------------------------------ */

/* The method in question, and a text that names the first element which needs a capability that it lacks. */
typedef struct lack {
    const trm_method *method;
    char *text;
    size_t size;
    bool found;
} lack;

/* Records the element in l->text if the method lacks the capability and no other element is recorded. */
static void require(lack *l, trm_capability capability, const char *kind, const char *name, const char *what)
{
    if (l->found || (l->method->can & capability)) return;
    l->found = true;
    snprintf(l->text, l->size, "%s '%s' %s", kind, name ? name : "", what);
}

static void require_for_coordinate(lack *l, const char *name, const trm_coordinate_law *law)
{
    if (isfinite(law->limits[0]) || isfinite(law->limits[1])) require(l, TRM_CAN_BOUNDS, "joint", name, "has limits");
    if (law->friction > 0) require(l, TRM_CAN_FRICTION, "joint", name, "has friction");
    if (law->mu > 0) require(l, TRM_CAN_LOAD, "joint", name, "has friction that depends on its load (\"mu\")");
    if (law->static_friction > law->friction)
        require(l, TRM_CAN_LOAD, "joint", name, "has friction that depends on speed (\"static_friction\")");
    if (law->armature > 0) require(l, TRM_CAN_JOINTS, "joint", name, "has armature");
}

static void require_for_joint(lack *l, const trm_joint *joint)
{
    if (trm_joint_is_rheonomic(joint)) require(l, TRM_CAN_RHEONOMIC, "joint", joint->name, "prescribes a motion");
    if (joint->rope) require(l, TRM_CAN_BOUNDS, "joint", joint->name, "is a rope, which only pulls");
    if (joint->wrap > 0)
        require(l, TRM_CAN_LOAD, "joint", joint->name, "is a rope with friction around its pulley (\"mu\")");
    for (int k = 0; k < joint->coordinates; k++) require_for_coordinate(l, joint->name, &joint->law[k]);
    if (joint->type == &trm_joint_motor && isfinite(joint->most))
        require(l, TRM_CAN_BOUNDS, "joint", joint->name, "is a motor whose force is limited (\"max\")");
    if (isfinite(joint->break_force) || isfinite(joint->break_torque))
        require(l, TRM_CAN_BREAK, "joint", joint->name, "breaks beyond a force or torque");
    if (!isnan(joint->spring_stiffness))
        require(l, TRM_CAN_SOFT, "joint", joint->name, "is a spring (\"spring\"), not rigid");
    if (!joint->type->place && !joint->host)
        require(l, TRM_CAN_DISTANCE, "joint", joint->name, "has no joint coordinates");
    if (joint->type != &trm_joint_distance) require(l, TRM_CAN_JOINTS, "joint", joint->name, "is not a distance");
}

/* Returns whether contacts between shapes of these two bodies have friction or restitution. */
static bool has_contact_law(const trm_model *model, int a, int b)
{
    for (int i = 0; i < model->bodies[a].shape_count; i++)
        for (int k = 0; k < model->bodies[b].shape_count; k++) {
            const trm_contact_law law = trm_contact_law_of(model, a, i, b, k);
            const bool slides = !(law.friction > 0) && law.speed_count == 0 && !trm_contact_resists_turning(&law);
            if (model->bodies[a].shapes[i].collide && model->bodies[b].shapes[k].collide &&
                !(slides && law.restitution == 0))
                return true;
        }
    return false;
}

static void require_for_contacts(lack *l, const trm_model *model)
{
    require(l, TRM_CAN_CONTACT, "body", model->collisions.may_collide,
            "has shapes that may collide; \"collide\": false keeps a shape for its mass only");
    for (int a = 0; !(l->method->can & TRM_CAN_CONTACT_LAW) && a < model->body_count; a++)
        for (int b = a + 1; b < model->body_count; b++)
            if (trm_bodies_may_collide(model, a, b) && has_contact_law(model, a, b))
                require(l, TRM_CAN_CONTACT_LAW, "body", model->bodies[model->bodies[a].inverse_mass > 0 ? a : b].name,
                        "has contacts with friction or restitution; this method supports neither");
}

static void require_for_model(lack *l, const trm_model *model, const trm_analysis *analysis)
{
    for (int i = 1; i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        if (body->kind == TRM_BODY_RIGID)
            require(l, TRM_CAN_RIGID, "body", body->name,
                    "is a rigid body, not a point mass; trammel convert --to-points makes points of it");
        if (body->kind == TRM_BODY_MOVING)
            require(l, TRM_CAN_RHEONOMIC, "body", body->name, "has a prescribed motion");
    }
    for (int i = 0; i < model->shown_joint_count; i++) {
        const trm_joint *joint = &model->joints[i];
        require_for_joint(l, joint);
        if (joint->attached && !analysis->tree_joint[i] && !joint->host)
            require(l, TRM_CAN_LOOPS, "joint", joint->name, "closes a loop");
    }
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        const char *name = force->name ? force->name : force->type->name;
        if (trm_force_depends_on_velocity(force)) require(l, TRM_CAN_DAMPING, "force", name, "depends on velocities");
        if (force->type != &trm_force_spring && force->type != &trm_force_gravity)
            require(l, TRM_CAN_FORCES, "force", name, "is neither gravity nor a spring");
        if (force->treatment == TRM_TREAT_IMPLICIT)
            require(l, TRM_CAN_IMPLICIT, "force", name, "is to be applied implicitly");
        if (force->treatment == TRM_TREAT_INTEGRAL)
            require(l, TRM_CAN_INTEGRAL, "force", name,
                    "is to be integrated over the look-ahead of the impulse method");
    }
    if (model->schedule.count > 0) require(l, TRM_CAN_EVENTS, "model", model->name, "has events");
    if (model->schedule.timed < model->schedule.count)
        require(l, TRM_CAN_CONTACT, "model", model->name, "has an event that waits for a contact or a condition");
    for (int i = 0; i < model->observed.sensor_count; i++)
        if (model->observed.sensors[i].kind->id == TRM_SENSE_CONTACT)
            require(l, TRM_CAN_CONTACT, "sensor", model->observed.sensors[i].name, "senses contact");
    if (analysis->redundant_count > 0)
        require(l, TRM_CAN_REDUNDANT, "joint", model->joints[analysis->redundant[0].joint].name,
                "has redundant rows");
    if (model->collisions.may_collide) require_for_contacts(l, model);
}

bool trm_method_can_run(const trm_method *method, const trm_state *state, const trm_analysis *analysis, char *text,
                        size_t size)
{
    lack l = {method, text, size, false};
    if (size > 0) text[0] = 0;
    require_for_model(&l, state->model, analysis);
    return !l.found;
}

bool trm_judge_method(const trm_state *state, const trm_analysis *analysis, int index, char *buffer, size_t size,
                      trm_method_verdict *verdict)
{
    const trm_method *method = trm_method_at(index);
    if (!method) return false;
    const bool can = trm_method_can_run(method, state, analysis, buffer, size);
    *verdict = (trm_method_verdict){method->name, can, buffer};
    return true;
}
