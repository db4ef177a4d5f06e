/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Poses: named values of joint coordinates, frames of bodies that no joint carries, and values of inputs. */

#include <string.h>

#include "base/check.h"
#include "base/message.h"
#include "model/model.h"

#define WRONG(...) trm_report_element(build, def->place, "pose", def->name, __VA_ARGS__)

static bool check_value(trm_build *build, const trm_pose_def *def, const trm_joint_value *value)
{
    if (!value->joint || !trm_require_joint(build, def->place, "pose", def->name, value->joint)) return false;
    const int index = trm_names_find(&build->model->joint_names, value->joint);
    if (index < 0) return false; /* already reported */
    const trm_joint *joint = &build->model->joints[index];
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) {
        if (isnan(value->q[k])) continue;
        if (k >= joint->coordinates) {
            WRONG("gives %d numbers for the joint '%s', a %s with %d coordinates", k + 1, value->joint,
                  joint->type ? joint->type->name : "joint", joint->coordinates);
            return false;
        }
        if (isinf(value->q[k]))
            WRONG("the value of the joint '%s' is infinite; give a finite number of m or rad", value->joint);
    }
    return true;
}

static void check_body(trm_build *build, const trm_pose_def *def, const trm_named_frame *frame)
{
    const int body = trm_find_body(build->model, frame->name);
    const double norm = trm_quat_norm(frame->orientation);
    if (body < 0 || build->model->bodies[body].inverse_mass == 0)
        WRONG("places '%s', which is not a body that can move", frame->name);
    else if (frame->parent)
        WRONG("places the body '%s' in another frame; leave out \"parent\": frames of poses are in the world",
              frame->name);
    else if (!isfinite(trm_v3_length(frame->position)) || !isfinite(norm) || norm == 0)
        WRONG("the frame of the body '%s' is not finite, or its orientation has length 0", frame->name);
}

static void check_input(trm_build *build, const trm_pose_def *def, const trm_constant *value)
{
    const int input = trm_find_input(build->model, value->name);
    const double *range = input < 0 ? NULL : build->model->inputs[input].range;
    if (!range)
        WRONG("there is no input '%s'", value->name);
    else if (!(value->value >= range[0] && value->value <= range[1]) || !isfinite(value->value))
        WRONG("the input '%s' is %g; it must lie in the range [%g, %g]", value->name, value->value, range[0],
              range[1]);
}

static void check_pose(trm_build *build, const trm_pose_def *def)
{
    trm_check_name(build, def->place, "pose", def->name);
    for (int i = 0; i < def->value_count; i++) check_value(build, def, &def->values[i]);
    for (int i = 0; i < def->body_count; i++) check_body(build, def, &def->bodies[i]);
    for (int i = 0; i < def->input_count; i++) check_input(build, def, &def->inputs[i]);
}

/* Copies a pose with all that it points to. Returns false if out of memory. */
static bool copy_pose(trm_arena *arena, const trm_pose_def *def, trm_pose_def *pose)
{
    trm_joint_value *values = trm_arena_copy(arena, def->values, (size_t)def->value_count, sizeof *values);
    trm_named_frame *bodies = trm_arena_copy(arena, def->bodies, (size_t)def->body_count, sizeof *bodies);
    trm_constant *inputs = trm_arena_copy(arena, def->inputs, (size_t)def->input_count, sizeof *inputs);
    for (int i = 0; values && i < def->value_count; i++) values[i].joint = trm_arena_text(arena, values[i].joint);
    for (int i = 0; bodies && i < def->body_count; i++) bodies[i].name = trm_arena_text(arena, bodies[i].name);
    for (int i = 0; inputs && i < def->input_count; i++) inputs[i].name = trm_arena_text(arena, inputs[i].name);
    *pose = *def;
    pose->place.file = NULL;
    pose->name = trm_arena_text(arena, def->name);
    pose->values = values, pose->bodies = bodies, pose->inputs = inputs;
    return !arena->failed;
}

static void check_start(trm_build *build)
{
    const trm_simulation_def *simulation = &build->def->simulation;
    const char *names[64];
    int count = 0;
    if (!simulation->start || trm_find_pose(build->model, simulation->start) >= 0) return;
    for (; count < 64 && count < build->model->pose_count; count++) names[count] = build->model->poses[count].name;
    const char *near = trm_nearest_word(simulation->start, names, count);
    trm_report_element(build, simulation->place, "simulation", build->def->name,
                       "there is no pose '%s' to start with; %s%s%s", simulation->start,
                       near ? "did you mean '" : "poses are defined under \"poses\"", near ? near : "",
                       near ? "'?" : "");
}

bool trm_build_poses(trm_build *build)
{
    trm_model *model = build->model;
    model->poses = TRM_NEW_ARRAY(&model->arena, trm_pose_def, build->def->pose_count);
    if (!model->poses) return false;
    for (int i = 0; i < build->def->pose_count; i++) {
        check_pose(build, &build->def->poses[i]);
        if (!copy_pose(&model->arena, &build->def->poses[i], &model->poses[model->pose_count++])) return false;
    }
    check_start(build);
    return true;
}

int trm_pose_count(const trm_model *model)
{
    return model->pose_count;
}

int trm_find_pose(const trm_model *model, const char *name)
{
    for (int i = 0; i < model->pose_count; i++)
        if (model->poses[i].name && strcmp(model->poses[i].name, name) == 0) return i;
    return -1;
}

const char *trm_pose_name(const trm_model *model, int pose)
{
    TRM_ASSERT(pose >= 0 && pose < model->pose_count);
    return model->poses[pose].name;
}
