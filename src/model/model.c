/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Builds a model, answers queries about it, and places its joints and forces in the world. */

#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/print.h"
#include "math/rotation.h"
#include "model/fields.h"
#include "model/joints/parts.h"

/* ---- Reporting errors --------------------------------------------------------------------- */

enum { ELEMENT_TEXT = 120, COMPLAINT_TEXT = 600 };

static void say(trm_build *build, trm_severity severity, trm_place place, const char *kind, const char *name,
                const char *text)
{
    char element[ELEMENT_TEXT];
    if (name && name[0])
        snprintf(element, sizeof element, "%s '%s'", kind, name);
    else
        snprintf(element, sizeof element, "%s", kind);
    if (!place.file) place.file = build->def->file; /* a place with a file belongs to an included model */
    trm_add_message(build->messages, severity, place, element, "%s", text);
}

bool trm_named_frame_of(trm_build *build, trm_place place, const char *kind, const char *element, const char *name,
                        int *body, trm_pose *frame)
{
    const char *dot = strchr(name, '.');
    if (trm_find_frame(build->model, name, body, frame)) return true;
    if (*body >= 0) {
        trm_report_element(build, place, kind, element,
                           "the body '%s' has no point or frame '%s'; write BODY or BODY.POINT",
                           build->model->bodies[*body].name, dot + 1);
        return false;
    }
    char owner[300];
    trm_print(owner, sizeof owner, "%.*s", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
    trm_named_body(build, place, kind, element, owner);
    return false;
}

trm_place trm_kept_place(trm_build *build, trm_place place)
{
    const char *file = place.file ? place.file : build->def->file;
    place.file = trm_arena_text(&build->model->arena, file);
    return place;
}

void trm_report_element(trm_build *build, trm_place place, const char *kind, const char *name, const char *format,
                        ...)
{
    char text[COMPLAINT_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(build, TRM_ERROR, place, kind, name, text);
}

void trm_warn(trm_build *build, trm_place place, const char *kind, const char *name, const char *format, ...)
{
    char text[COMPLAINT_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(build, TRM_WARNING, place, kind, name, text);
}

bool trm_check_name(trm_build *build, trm_place place, const char *kind, const char *name)
{
    if (!name || !name[0]) {
        trm_report_element(build, place, kind, "", "has no name; give it one: \"name\": \"...\"");
        return false;
    }
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c >= ' ' && *c != 0x7f && !strchr(".,*\"'", *c)) continue;
        trm_report_element(
            build, place, kind, name,
            "a name must not contain . , * quotes or control characters: result columns are NAME.x,NAME.y");
        return false;
    }
    return true;
}

/* Returns the body name nearest to this one, NULL if none is near. Searches a limited number of names, because the
 * result is only for a message. */
static const char *nearest_body(const trm_model *model, const char *name)
{
    enum { SEARCHED = 200 };
    const char *names[SEARCHED];
    int count = 0;
    for (int i = 0; i < model->body_count && count < SEARCHED; i++)
        if (model->bodies[i].name) names[count++] = model->bodies[i].name;
    return trm_nearest_word(name, names, count);
}

int trm_named_body(trm_build *build, trm_place place, const char *kind, const char *element, const char *body)
{
    if (!body) {
        trm_report_element(build, place, kind, element,
                           "does not say on which body it acts; give the name of a body");
        return -1;
    }
    const int index = trm_names_find(&build->model->body_names, body);
    if (index >= 0) return index;
    const char *near = strcmp(body, "world") == 0 ? "ground" : nearest_body(build->model, body);
    trm_report_element(build, place, kind, element, "there is no body '%s'%s%s%s", body,
                       near ? "; did you mean '" : "", near ? near : "",
                       near ? "'?" : "; bodies are defined under \"bodies\", and \"ground\" always exists");
    return -1;
}

const trm_function *trm_build_function(trm_build *build, trm_place place, const char *kind, const char *name,
                                       const char *key, const trm_function_def *def)
{
    trm_expression_error error = {0};
    const trm_function *function =
        trm_function_build(&build->model->arena, def, build->def->constants, build->def->constant_count,
                           build->model->input_starts, build->model->input_count, &error);
    if (!function && !build->model->arena.failed)
        trm_report_element(build, place, kind, name, "\"%s\": %s", key, error.text);
    return function;
}

void trm_warn_of_jumps(trm_build *build, trm_place place, const char *kind, const char *name, const char *key,
                       const trm_function_def *def)
{
    if (def->kind == TRM_FUNCTION_TABLE && !def->cubic && def->count > 2)
        trm_warn(
            build, place, kind, name,
            "\"%s\" is a table of straight lines: the velocity jumps at its points, which is an impact each time, "
            "and the energy balance does not count it; \"interpolate\": \"cubic\" is smooth",
            key);
}

/* ---- Building ----------------------------------------------------------------------------- */

bool trm_copy_simulation(const trm_simulation_def *def, trm_arena *arena, trm_simulation_def *own)
{
    *own = *def;
    own->place.file = NULL;
    for (int i = 0; i < trm_form_simulation.field_count; i++) {
        const char **text = trm_field_text(&trm_form_simulation.fields[i], own);
        if (text) *text = trm_arena_text(arena, *text);
    }
    trm_option *options = trm_arena_copy(arena, def->options, (size_t)def->option_count, sizeof *options);
    for (int i = 0; options && i < def->option_count; i++) {
        options[i].method = trm_arena_text(arena, options[i].method);
        options[i].name = trm_arena_text(arena, options[i].name);
        options[i].text = trm_arena_text(arena, options[i].text);
    }
    own->options = options;
    return !arena->failed;
}

static trm_status build_model(trm_build *build)
{
    trm_model *model = build->model;
    const trm_model_def *def = build->def; /* as it is given: build->def changes */
    model->name = trm_arena_text(&model->arena, def->name ? def->name : "");
    model->gravity = def->gravity;
    if (!trm_v3_is_finite(def->gravity))
        trm_report_element(build, (trm_place){0}, "model", def->name,
                           "\"gravity\" must be three finite numbers in m/s^2");
    if (!model->name || !trm_copy_simulation(&def->simulation, &model->arena, &model->simulation))
        return TRM_OUT_OF_MEMORY;
    if (!trm_build_inputs(build) || !trm_build_places(build, &model->arena)) return TRM_OUT_OF_MEMORY;
    if (!trm_build_bodies(build) || !trm_build_joints(build)) return TRM_OUT_OF_MEMORY;
    if (!trm_build_forces(build) || !trm_build_sensors(build) || !trm_build_poses(build)) return TRM_OUT_OF_MEMORY;
    if (!trm_build_outputs(build)) return TRM_OUT_OF_MEMORY;
    if (!trm_build_events(build) || !trm_check_remaining(build)) return TRM_OUT_OF_MEMORY;
    trm_place_inputs(model);
    if (model->arena.failed) return TRM_OUT_OF_MEMORY; /* an allocation failed whose result was not checked */
    const trm_status status = trm_messages_status(build->messages);
    if (status == TRM_OK) model->fingerprint = trm_form_hash(TRM_HASH_START, &trm_form_model, def);
    return status;
}

trm_status trm_model_create(const trm_model_def *def, const trm_allocator *allocator, trm_messages *messages,
                            trm_model **model)
{
    TRM_ASSERT(def && messages && model);
    *model = NULL;
    trm_model *made = trm_owner_create(allocator, sizeof *made);
    if (!made) return TRM_OUT_OF_MEMORY;

    trm_build build = {def, made, messages};
    const int first = trm_message_count(messages);
    const trm_status status = build_model(&build);
    trm_messages_sort(messages, first);
    if (status == TRM_OK)
        *model = made;
    else
        trm_model_destroy(made);
    return status;
}

void trm_model_destroy(trm_model *model)
{
    trm_owner_destroy(model, sizeof *model);
}

/* ---- Queries ------------------------------------------------------------------------------ */

const char *trm_model_name(const trm_model *model)
{
    return model->name;
}

trm_vec3 trm_model_gravity(const trm_model *model)
{
    return model->gravity;
}

const trm_simulation_def *trm_model_simulation(const trm_model *model)
{
    return &model->simulation;
}

int trm_body_count(const trm_model *model)
{
    return model->shown_body_count;
}

int trm_find_body(const trm_model *model, const char *name)
{
    return trm_names_find(&model->body_names, name);
}

bool trm_body_frame(const trm_body *body, const char *name, trm_pose *frame)
{
    for (int i = 0; i < body->point_count; i++)
        if (body->points[i].name && strcmp(body->points[i].name, name) == 0) {
            *frame = (trm_pose){.p = body->points[i].position, .q = body->point_axes[i]};
            return true;
        }
    return false;
}

/* Finds the only body that has a point or frame of this name. */
static bool find_point(const trm_model *model, const char *name, int *body, trm_pose *frame)
{
    int found = -1;
    for (int i = 0; i < model->shown_body_count; i++) {
        if (!trm_body_frame(&model->bodies[i], name, frame)) continue;
        if (found >= 0) return false;
        found = i;
    }
    return found >= 0 && trm_body_frame(&model->bodies[*body = found], name, frame);
}

bool trm_find_frame(const trm_model *model, const char *name, int *body, trm_pose *frame)
{
    const char *dot = strchr(name, '.');
    char owner[300];
    trm_print(owner, sizeof owner, "%.*s", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
    *body = trm_find_body(model, owner);
    *frame = trm_pose_identity();
    if (*body < 0 && !dot) return find_point(model, name, body, frame);
    return *body >= 0 && (!dot || trm_body_frame(&model->bodies[*body], dot + 1, frame));
}

trm_body_info trm_body_info_of(const trm_model *model, int index)
{
    TRM_ASSERT(index >= 0 && index < model->body_count); /* rotors are included, because messages may name one */
    const trm_body *body = &model->bodies[index];
    return (trm_body_info){
        .name = body->name,
        .kind = body->kind,
        .mass = body->mass,
        .moments = body->inertia,
        .principal = body->X_BP,
        .point_count = body->point_count,
        .points = body->points,
    };
}

int trm_joint_count(const trm_model *model)
{
    return model->shown_joint_count;
}

int trm_find_joint(const trm_model *model, const char *name)
{
    return trm_names_find(&model->joint_names, name);
}

trm_joint_info trm_joint_info_of(const trm_model *model, int index)
{
    /* limits and friction are included, because a dropped row may belong to one */
    TRM_ASSERT(index >= 0 && index < model->joint_count);
    const trm_joint *joint = &model->joints[index];
    trm_joint_info info = {
        .name = joint->name,
        .type = joint->type->name,
        .place = joint->source,
        .rows = joint->rows,
        .coordinates = joint->coordinates,
        .body_count = joint->body_count,
    };
    memcpy(info.bodies, joint->body, sizeof info.bodies);
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) {
        memcpy(info.limits[k], joint->law[k].limits, sizeof info.limits[k]);
        info.effort[k] = joint->law[k].effort;
        info.max_velocity[k] = joint->law[k].max_velocity;
    }
    for (int i = 0; i < joint->rows; i++) info.row_names[i] = trm_type_row_name(joint->type, i);
    return info;
}

int trm_force_count(const trm_model *model)
{
    return model->force_count;
}

int trm_sensor_count(const trm_model *model)
{
    return model->observed.sensor_count;
}

const char *trm_sensor_name(const trm_model *model, int sensor)
{
    TRM_ASSERT(sensor >= 0 && sensor < model->observed.sensor_count);
    return model->observed.sensors[sensor].name;
}

int trm_find_sensor(const trm_model *model, const char *name)
{
    return trm_names_find(&model->sensor_names, name);
}

/* ---- Placing ------------------------------------------------------------------------------ */

void trm_motion_at(const trm_motion *motion, double t, trm_pose *pose, trm_spatial *velocity,
                   trm_spatial *acceleration)
{
    const trm_jet x = trm_function_at(motion->position[0], t), y = trm_function_at(motion->position[1], t),
                  z = trm_function_at(motion->position[2], t), angle = trm_function_at(motion->angle, t);
    *pose = (trm_pose){trm_quat_from_axis_angle(motion->axis, angle.v), {x.v, y.v, z.v}};
    *velocity = trm_sp(trm_v3_scale(angle.d, motion->axis), trm_v3(x.d, y.d, z.d));
    if (acceleration) *acceleration = trm_sp(trm_v3_scale(angle.dd, motion->axis), trm_v3(x.dd, y.dd, z.dd));
}

/* Computes the origin of the frame that body k of a joint carries. */
static void place_origin(const trm_joint *joint, int k, const trm_pose *pose, trm_joint_at *at)
{
    at->r[k] = trm_rotate(pose->q, joint->frame[k].p);
    at->X[k].p = trm_v3_add(pose->p, at->r[k]);
}

static void place_axes(const trm_joint *joint, int k, const trm_pose *pose, trm_joint_at *at)
{
    at->X[k].q = trm_quat_mul(pose->q, joint->frame[k].q);
}

/* Moves the second frame by the pose stored when the joint was attached. */
static void align(const trm_joint *joint, const double *memory, trm_joint_at *at)
{
    const trm_vec3 p = {memory[0], memory[1], memory[2]}, turn = {memory[3], memory[4], memory[5]};
    const trm_vec3 shift = trm_rotate(at->X[1].q, p);
    if (!joint->aligns) return;
    at->r[1] = trm_v3_add(at->r[1], shift);
    at->X[1].p = trm_v3_add(at->X[1].p, shift);
    at->X[1].q = trm_quat_mul(at->X[1].q, trm_quat_exp(turn));
}

void trm_joint_align(const trm_joint *joint, const trm_pose *poses, double *memory)
{
    for (int i = 0; i < TRM_JOINT_ALIGNMENT; i++) memory[i] = 0;
    const trm_joint_at at = trm_joint_at_poses(joint, poses, NULL, 0, memory);
    const trm_pose open = trm_pose_mul(trm_pose_inverse(at.X[1]), at.X[0]);
    const trm_vec3 turn = trm_quat_log(open.q);
    memory[0] = open.p.x, memory[1] = open.p.y, memory[2] = open.p.z;
    memory[3] = turn.x, memory[4] = turn.y, memory[5] = turn.z;
}

trm_joint_at trm_joint_at_poses(const trm_joint *joint, const trm_pose *poses, const trm_spatial *velocities,
                                double t, const double *memory)
{
    trm_joint_at at;
    at.joint = joint, at.t = t, at.memory = memory, at.mode = TRM_HELD;
    for (int k = 0; k < joint->body_count; k++) {
        const int body = joint->body[k];
        place_origin(joint, k, &poses[body], &at);
        place_axes(joint, k, &poses[body], &at);
        at.V[k] = velocities ? velocities[body] : trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    }
    if (joint->aligns && memory) align(joint, memory, &at);
    return at;
}

/* Computes the part of trm_joint_at on which residuals and rows depend: no twists, and axes only if the joint uses
 * them. */
static inline void place_frames(const trm_joint *joint, const trm_pose *poses, double t, const double *memory,
                                trm_joint_at *at)
{
    at->joint = joint, at->t = t, at->memory = memory ? memory + joint->memory_offset : NULL, at->mode = TRM_HELD;
    for (int k = 0; k < joint->body_count; k++) {
        const int body = joint->body[k];
        place_origin(joint, k, &poses[body], at);
        if (!joint->origins) place_axes(joint, k, &poses[body], at);
    }
    if (joint->aligns && at->memory) align(joint, at->memory, at);
}

/* Has a fast path for coinciding points of two bodies, the most frequent joints of long chains: it needs no frames
 * and no parts. */
void trm_joint_residual_at(const trm_joint *joint, const trm_pose *poses, double t, const double *memory, double *c)
{
    trm_joint_at at;
    if (joint->point) {
        const trm_vec3 a = trm_pose_point(poses[joint->body[0]], joint->frame[0].p);
        const trm_vec3 b = trm_pose_point(poses[joint->body[1]], joint->frame[1].p);
        c[0] = b.x - a.x, c[1] = b.y - a.y, c[2] = b.z - a.z;
        return;
    }
    place_frames(joint, poses, t, memory, &at);
    trm_joint_residual(&at, c);
}

void trm_joint_jacobian_at(const trm_joint *joint, const trm_pose *poses, double t, const double *memory,
                           trm_spatial *J)
{
    trm_joint_at at;
    if (joint->point) {
        trm_point_jacobian(trm_rotate(poses[joint->body[0]].q, joint->frame[0].p),
                           trm_rotate(poses[joint->body[1]].q, joint->frame[1].p), J);
        return;
    }
    place_frames(joint, poses, t, memory, &at);
    trm_joint_jacobian(&at, J);
}

void trm_force_place(const trm_force *force, const trm_pose *poses, const trm_spatial *velocities, double t,
                     const double *memory, trm_force_at *at)
{
    at->force = force, at->t = t, at->memory = memory;
    if (memory && force->host) at->memory += force->host->memory_offset;
    for (int k = 0; k < force->body_count; k++) {
        const int body = force->body[k];
        at->X[k] = trm_pose_mul(poses[body], force->frame[k]);
        at->r[k] = trm_v3_sub(at->X[k].p, poses[body].p);
        at->V[k] = velocities ? velocities[body] : trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    }
}

trm_force_at trm_force_at_poses(const trm_force *force, const trm_pose *poses, const trm_spatial *velocities,
                                double t, const double *memory)
{
    trm_force_at at;
    trm_force_place(force, poses, velocities, t, memory, &at);
    return at;
}

bool trm_joint_drives_rotor(const trm_model *model, const trm_joint *joint)
{
    return joint->term_count == 2 && joint->body[3] >= model->shown_body_count;
}

bool trm_model_is_driven(const trm_model *model)
{
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].motion) return true;
    for (int j = 0; j < model->joint_count; j++)
        if (trm_joint_is_rheonomic(&model->joints[j])) return true;
    return false;
}

const trm_force *trm_model_remembering_force(const trm_model *model)
{
    for (int i = 0; i < model->force_count; i++)
        if (model->forces[i].remembers) return &model->forces[i];
    return NULL;
}
