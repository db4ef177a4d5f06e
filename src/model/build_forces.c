/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Builds forces from their definitions, and gravity on every body that has mass. */

#include <string.h>

#include "base/message.h"
#include "model/model.h"

#define WRONG(...) trm_report_element(build, def->place, "force", def->name ? def->name : def->type, __VA_ARGS__)

static const trm_force_type *type_of(trm_build *build, const trm_force_def *def)
{
    const trm_force_type *type = def->type ? trm_find_force_type(def->type) : NULL;
    if (!type) WRONG("there is no force type \"%s\"; see docs/model-format.md", def->type ? def->type : "");
    return type;
}

static void take_bodies(const trm_joint *host, trm_force *force)
{
    force->body_count = host->body_count;
    memcpy(force->body, host->body, sizeof force->body);
    memcpy(force->frame, host->frame, sizeof force->frame);
}

/* Finds the host, whose bodies and frames the force takes. Returns false after reporting an error. */
static bool find_host(trm_build *build, const trm_force_def *def, trm_force *force)
{
    const trm_host host =
        trm_named_host(build, def->place, "force", def->name ? def->name : def->type, def->joint, def->coordinate);
    force->host = host.joint;
    force->coordinate = host.coordinate;
    if (!force->host) return false;
    for (int k = 0; k < force->host->body_count; k++)
        if (force->host->body[k] < 0) return false; /* already reported */
    take_bodies(force->host, force);
    return force->host->body_count > 0;
}

static bool find_bodies(trm_build *build, const trm_force_def *def, trm_force *force)
{
    const bool pair = force->type->bodies == 2;
    force->body_count = force->type->bodies;
    for (int k = 0; k < force->type->bodies; k++) {
        force->body[k] = trm_named_body(build, def->place, "force", def->name ? def->name : def->type,
                                        pair ? def->bodies[k] : def->body);
        if (force->body[k] < 0) return false;
        const trm_body *body = &build->model->bodies[force->body[k]];
        if (body->faulty) return false;
        if (body->kind == TRM_BODY_POINT && !force->type->points) {
            WRONG("acts on the point mass '%s', which has no orientation", body->name);
            return false;
        }
    }
    if (pair && force->body[0] == force->body[1]) {
        WRONG("joins the body '%s' with itself; \"bodies\" must name two bodies", def->bodies[0]);
        return false;
    }
    return true;
}

static bool is_given(trm_vec3 at)
{
    return !isnan(at.x) || !isnan(at.y) || !isnan(at.z);
}

/* Returns the point with 0 for coordinates that are not given. */
static trm_vec3 completed(trm_vec3 at)
{
    return trm_v3(isnan(at.x) ? 0 : at.x, isnan(at.y) ? 0 : at.y, isnan(at.z) ? 0 : at.z);
}

/* Sets the attachment in the body frame. A point mass is its own anchor, and one point is the body's origin unless given.
 * Drag acts in principal axes, at the centre of mass unless a point is given. */
static bool set_frames(trm_build *build, const trm_force_def *def, trm_force *force)
{
    const bool drag = force->type->takes & TRM_FORCE_TAKES_DRAG;
    force->frame[0] = force->frame[1] = trm_pose_identity();
    if ((drag && !is_given(def->at)) || (force->type->takes & TRM_FORCE_TAKES_SWIVEL)) return true;
    for (int k = 0; k < force->type->bodies; k++) {
        const trm_body *body = &build->model->bodies[force->body[k]];
        trm_vec3 at = force->type->bodies == 2 ? def->anchors[k] : completed(def->at);
        if (isnan(at.x) && body->kind == TRM_BODY_POINT) at = trm_v3(0, 0, 0);
        if (!trm_v3_is_finite(at)) {
            WRONG("%s", force->type->bodies == 2
                            ? "needs \"anchors\": [[x, y, z] in the first body, [x, y, z] in the second], in metres"
                            : "\"at\" must be three finite numbers in metres, in the body frame");
            return false;
        }
        if (body->kind == TRM_BODY_POINT && trm_v3_length(at) > 0) {
            WRONG("its anchor is %g m off the point mass '%s'; a point can only be pulled at itself",
                  trm_v3_length(at), body->name);
            return false;
        }
        force->frame[k] = trm_pose_mul(trm_pose_inverse(body->X_BP), (trm_pose){{1, 0, 0, 0}, at});
        if (drag) force->frame[k].q = trm_quat_identity();
        if (!trm_v3_is_finite(force->frame[k].p)) {
            WRONG("acts too far from the body '%s' to compute with; are its anchors in metres?", body->name);
            return false;
        }
    }
    return true;
}

static double length_at_start(const trm_model *model, const trm_force *force)
{
    trm_vec3 x[2];
    for (int k = 0; k < 2; k++) x[k] = trm_pose_point(model->bodies[force->body[k]].start, force->frame[k].p);
    return trm_v3_length(trm_v3_sub(x[1], x[0]));
}

static bool is_number(double x)
{
    return x >= 0 && isfinite(x);
}

static const char *const TREATMENTS[] = {
    [TRM_TREAT_EXPLICIT] = "explicit", [TRM_TREAT_IMPLICIT] = "implicit", [TRM_TREAT_INTEGRAL] = "integral"};

static void set_treatment(trm_build *build, const trm_force_def *def, trm_force *force)
{
    const char *word = def->treatment ? def->treatment : TREATMENTS[def->implicit ? TRM_TREAT_IMPLICIT : 0];
    int found = 0;
    while (found < 3 && strcmp(word, TREATMENTS[found]) != 0) found++;
    if (found == 3) WRONG("\"treatment\" is \"%s\"; it can be explicit, implicit or integral", word);
    if (found < 3) force->treatment = (trm_treatment)found;
    if (def->implicit && found != TRM_TREAT_IMPLICIT)
        WRONG("is \"implicit\", but its \"treatment\" is \"%s\"; leave out one of them", word);
}

static void set_spring(trm_build *build, const trm_force_def *def, trm_force *force)
{
    if (!(force->type->takes & TRM_FORCE_TAKES_SPRING)) return;
    force->rest = !isnan(def->rest) ? def->rest : force->host ? 0 : length_at_start(build->model, force);
    force->stiffness = def->stiffness;
    force->damping = def->damping;
    set_treatment(build, def, force);
    if (force->host && !isfinite(force->rest)) WRONG("\"rest\" must be a finite number of m or rad");
    if (!force->host && !is_number(force->rest)) WRONG("\"rest\" is %g m; it must not be negative", force->rest);
    if (!is_number(def->stiffness))
        WRONG("needs \"stiffness\", a number of %s that is not negative%s", force->host ? "N/m or N m" : "N/m",
              isnan(def->stiffness) ? "" : ", not this one");
    if (!is_number(def->damping))
        WRONG("\"damping\" is %g %s; it must not be negative", def->damping,
              force->host ? "N s/m or N m s" : "N s/m");
}

static bool set_servo(trm_build *build, const trm_force_def *def, trm_force *force)
{
    if (!(force->type->takes & TRM_FORCE_TAKES_TARGET)) return true;
    const char *name = def->name ? def->name : def->type;
    force->target.first = trm_build_function(build, def->place, "force", name, "target", &def->target);
    trm_warn_of_jumps(build, def->place, "force", name, "target", &def->target);
    force->value[0].first = trm_build_function(build, def->place, "force", name, "value", &def->value[0]);
    if (def->has_velocity)
        force->target_rate.first = trm_build_function(build, def->place, "force", name, "velocity", &def->velocity);
    force->kp = def->kp;
    force->kd = def->kd;
    force->ki = def->ki;
    force->lag = def->lag;
    force->remembers = def->ki > 0 || def->lag > 0;
    force->memory_offset = build->model->memory_count;
    if (force->remembers) build->model->memory_count += force->type->memory;
    if (!is_number(def->ki)) WRONG("\"ki\" is %g; it must not be negative", def->ki);
    if (!is_number(def->lag)) WRONG("\"lag\" is %g s; it must not be negative", def->lag);
    force->most = def->max;
    force->brake = def->brake;
    if (def->max_law.kind != TRM_FUNCTION_CONSTANT)
        force->most_law.first = trm_build_function(build, def->place, "force", name, "max", &def->max_law);
    if (def->brake_law.kind != TRM_FUNCTION_CONSTANT)
        force->brake_law.first = trm_build_function(build, def->place, "force", name, "brake", &def->brake_law);
    if (!is_number(def->kp)) WRONG("\"kp\" is %g N m per rad or N/m; it must not be negative", def->kp);
    if (def->kp == 0 && def->kd == 0) WRONG("needs \"kp\" or \"kd\"; a torque alone is a force of type \"effort\"");
    if (!is_number(def->kd)) WRONG("\"kd\" is %g; it must not be negative", def->kd);
    if (!(def->max > 0)) WRONG("\"max\" is %g; it must be positive", def->max);
    if (!is_number(def->brake)) WRONG("\"brake\" is %g; it must not be negative", def->brake);
    return !build->model->arena.failed;
}

static void set_gear(trm_build *build, const trm_force_def *def, trm_force *force)
{
    force->gear = 1, force->range[0] = -INFINITY, force->range[1] = INFINITY;
    if (force->type->takes & TRM_FORCE_TAKES_GEAR) force->gear = def->gear;
    if (force->type->takes & TRM_FORCE_TAKES_RANGE) memcpy(force->range, def->range, sizeof force->range);
    if (!isfinite(force->gear) || force->gear == 0) WRONG("\"gear\" is %g; it must not be zero", def->gear);
    if (!(force->range[0] <= force->range[1]))
        WRONG("\"range\" is [%g, %g]; the lower end comes first", def->range[0], def->range[1]);
}

static void set_swivel(trm_build *build, const trm_force_def *def, trm_force *force)
{
    if (!(force->type->takes & TRM_FORCE_TAKES_SWIVEL)) return;
    force->drag[1] = def->damping;
    if (!is_number(def->damping)) WRONG("\"damping\" is %g N m s; it must not be negative", def->damping);
}

static void set_drag(trm_build *build, const trm_force_def *def, trm_force *force)
{
    if (!(force->type->takes & TRM_FORCE_TAKES_DRAG)) return;
    const trm_body *body = &build->model->bodies[force->body[0]];
    force->drag[0] = def->linear;
    force->drag[1] = def->angular;
    if (!is_number(def->linear)) WRONG("\"linear\" is %g N s/m; it must not be negative", def->linear);
    if (!is_number(def->angular)) WRONG("\"angular\" is %g N m s; it must not be negative", def->angular);
    if (def->angular > 0 && body->kind == TRM_BODY_POINT)
        WRONG("has \"angular\" on the point mass '%s', which has no orientation", body->name);
}

static bool set_value(trm_build *build, const trm_force_def *def, trm_force *force)
{
    const unsigned takes = force->type->takes;
    for (int i = 0; i < (takes & TRM_FORCE_TAKES_VECTOR ? 3 : takes & TRM_FORCE_TAKES_PULL ? 1 : 0); i++)
        force->value[i].first = trm_build_function(build, def->place, "force", def->name ? def->name : def->type,
                                                   "value", &def->value[i]);
    force->in_body_frame = def->in_body_frame;
    return !build->model->arena.failed;
}

static bool build_force(trm_build *build, const trm_force_def *def, trm_force *force)
{
    *force = (trm_force){.name = trm_arena_text(&build->model->arena, def->name),
                         .source = trm_kept_place(build, def->place)};
    force->type = type_of(build, def);
    if (!force->type) return true;
    if (force->type->takes & TRM_FORCE_TAKES_JOINT) {
        if (!find_host(build, def, force)) return true;
    } else if (!find_bodies(build, def, force) || !set_frames(build, def, force)) {
        return true;
    }
    set_spring(build, def, force);
    set_drag(build, def, force);
    set_swivel(build, def, force);
    set_gear(build, def, force);
    return set_servo(build, def, force) && set_value(build, def, force) && !build->model->arena.failed;
}

/* Adds the springs with dampers that joints have on their own coordinates. They get the joint's name. */
static void add_joint_springs(trm_model *model)
{
    for (int i = 0; i < model->shown_joint_count; i++) {
        const trm_joint *joint = &model->joints[i];
        for (int k = 0; k < joint->coordinates; k++) {
            const trm_coordinate_law *law = &joint->law[k];
            if (!(law->stiffness > 0 || law->damping > 0)) continue;
            if (joint->type->kind[k] == TRM_COORDINATE_ROTATION) {
                model->forces[model->force_count++] = (trm_force){
                    .name = joint->name,
                    .source = joint->source,
                    .type = &trm_force_swivel,
                    .body_count = 2,
                    .body = {joint->body[0], joint->body[1]},
                    .frame = {trm_pose_identity(), trm_pose_identity()},
                    .drag = {0, law->damping},
                };
                continue;
            }
            model->forces[model->force_count] = (trm_force){
                .name = joint->name,
                .source = joint->source,
                .type = &trm_force_torsion,
                .host = joint,
                .coordinate = k,
                .rest = law->spring_reference,
                .stiffness = law->stiffness,
                .damping = law->damping,
            };
            take_bodies(joint, &model->forces[model->force_count++]);
        }
    }
}

static int count_joint_springs(const trm_model *model)
{
    int count = 0;
    for (int i = 0; i < model->shown_joint_count; i++)
        for (int k = 0; k < model->joints[i].coordinates; k++)
            count += model->joints[i].law[k].stiffness > 0 || model->joints[i].law[k].damping > 0;
    return count;
}

static void add_gravity(trm_model *model)
{
    if (trm_v3_length(model->gravity) == 0) return;
    for (int i = 1; i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        if (body->mass == 0 || trm_v3_length(body->gravity) == 0) continue;
        model->forces[model->force_count++] = (trm_force){
            .type = &trm_force_gravity,
            .body_count = 1,
            .body = {i},
            .frame = {trm_pose_identity(), trm_pose_identity()},
            .weight = trm_v3_scale(body->mass, body->gravity),
        };
    }
}

bool trm_build_forces(trm_build *build)
{
    trm_model *model = build->model;
    model->forces = TRM_NEW_ARRAY(&model->arena, trm_force,
                                  build->def->force_count + count_joint_springs(model) + model->body_count);
    if (!model->forces) return false;
    trm_names names;
    if (!trm_names_init(&names, &model->arena, build->def->force_count)) return false;
    for (int i = 0; i < build->def->force_count; i++) {
        const trm_force_def *def = &build->def->forces[i];
        if (!build_force(build, def, &model->forces[model->force_count++])) return false;
        if (!def->name || !trm_check_name(build, def->place, "force", def->name)) continue;
        if (trm_names_add(&names, def->name, i) != i) WRONG("the name is taken by another force; names must differ");
    }
    add_joint_springs(model);
    add_gravity(model);
    return true;
}
