/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Builds joints from their definitions. A joint has two frames, one fixed in each body, that coincide if the joint is
 * closed at q = 0.
 *
 * At the start the frames are at the anchor in the world, with z along the axis. The coordinates there are q0. So
 * with X(q) the joint's own placement, frame A is shifted back, F_A = F X(q0)^-1, for the coordinates that turn or
 * shift A, and F_B = F X(q0) for those that belong to B (the second axis of a universal joint). */

#include <string.h>

#include "base/message.h"
#include "base/tolerance.h"
#include "math/rotation.h"
#include "model/model.h"
#include "trammel/elementary.h"

/* Tolerances: deviation of the axes of a universal joint from a right angle, and distance (m) of a point mass from
 * its anchor. A larger one moves point masses that were meant to be elsewhere, a smaller one refuses anchors with
 * nine digits. Tests pass with a tenth and with ten times of it. */
static const double POINT_SLACK = 1e-9;
/* Two axes nearer to parallel than this nearly lock a universal joint (cosine of 10 degrees). With a larger value, 1
 * or more, the warning is never given (test unit_model); a smaller one warns of joints that work well. */
static const double NEARLY_PARALLEL = 0.985;

#define WRONG(...) trm_report_element(build, def->place, "joint", def->name, __VA_ARGS__)

/* The place of the joint in the world at the start, from the definition. */
typedef struct placement {
    trm_vec3 origin[2];
    trm_vec3 axis[2]; /* unit: the axis in A; in B the same axis, or the second axis of a universal joint */
    trm_vec3 x;       /* x axis of A, not parallel to its axis; NAN: not given, trm_frame_from_z chooses it */
} placement;

static trm_pose body_frame(const trm_body *body)
{
    return trm_pose_mul(body->start, trm_pose_inverse(body->X_BP));
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static bool find_bodies(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    const trm_model *model = build->model;
    for (int k = 0; k < 2; k++) {
        joint->body[k] = trm_named_body(build, def->place, "joint", def->name, def->bodies[k]);
        if (joint->body[k] < 0) return false;
    }
    const trm_body *a = &model->bodies[joint->body[0]], *b = &model->bodies[joint->body[1]];
    if (a == b) {
        WRONG("joins the body '%s' with itself; \"bodies\" must name two bodies", a->name);
        return false;
    }
    if (a->faulty || b->faulty) return false;
    joint->b_is_point = b->kind == TRM_BODY_POINT;
    if (a->inverse_mass == 0 && b->inverse_mass == 0) {
        WRONG("joins '%s' with '%s', neither of which can move freely; at least one body must be free", a->name,
              b->name);
        return false;
    }
    const trm_body *point = a->kind == TRM_BODY_POINT ? a : b->kind == TRM_BODY_POINT ? b : NULL;
    if (point && !joint->type->points && !(joint->type->points_on_a && point == b)) {
        WRONG("a %s needs %s with an orientation, and '%s' is a point mass; %s", joint->type->name,
              joint->type->points_on_a ? "a first body" : "bodies", point->name,
              joint->type->points_on_a && b->kind != TRM_BODY_POINT ? "name it as the second of \"bodies\""
                                                                    : "ball and distance work on points");
        return false;
    }
    if (point && (joint->type->takes & TRM_TAKES_DAMPING) && def->damping > 0)
        WRONG("\"damping\" acts on angular velocities, and '%s' is a point mass; leave it out", point->name);
    return true;
}

/* ---- Anchors ------------------------------------------------------------------------------ */

/* Sets the anchors if neither key is given: a point mass is its own anchor. Returns false after reporting an
 * error. */
static bool default_anchors(trm_build *build, const trm_joint_def *def, const trm_joint *joint, placement *place)
{
    const trm_body *a = &build->model->bodies[joint->body[0]], *b = &build->model->bodies[joint->body[1]];
    const bool both = (joint->type->takes & (TRM_TAKES_LENGTH | TRM_TAKES_SPAN)) != 0;
    const bool a_point = a->kind == TRM_BODY_POINT, b_point = b->kind == TRM_BODY_POINT;
    if (both ? !(a_point && b_point) : !(a_point || b_point)) {
        WRONG("%s",
              both ? "needs \"anchors\": [[x, y, z] in the first body, [x, y, z] in the second]; only point masses "
                     "need none"
                   : "needs \"anchor\": [x, y, z], in the world at the start (or \"anchors\" in the two bodies)");
        return false;
    }
    place->origin[0] = a_point ? a->start.p : b->start.p;
    place->origin[1] = b_point ? b->start.p : a->start.p;
    return true;
}

static bool find_anchors(trm_build *build, const trm_joint_def *def, const trm_joint *joint, placement *place)
{
    const bool in_bodies = trm_is_given(def->anchors[0]) || trm_is_given(def->anchors[1]);
    if (trm_is_given(def->anchor) && in_bodies) {
        WRONG("has both \"anchor\" (world) and \"anchors\" (in the bodies); give one of them");
        return false;
    }
    for (int k = 0; k < 2; k++) {
        const trm_vec3 anchor = in_bodies ? def->anchors[k] : def->anchor;
        if ((in_bodies || trm_is_given(def->anchor)) && !trm_v3_is_finite(anchor)) {
            WRONG("\"%s\" must be finite numbers in metres", in_bodies ? "anchors" : "anchor");
            return false;
        }
        place->origin[k] =
            in_bodies ? trm_pose_point(body_frame(&build->model->bodies[joint->body[k]]), anchor) : anchor;
    }
    return in_bodies || trm_is_given(def->anchor) || default_anchors(build, def, joint, place);
}

static bool check_point_anchors(trm_build *build, const trm_joint_def *def, const trm_joint *joint,
                                const placement *place)
{
    for (int k = 0; k < 2; k++) {
        const trm_body *body = &build->model->bodies[joint->body[k]];
        const double off = trm_v3_length(trm_v3_sub(place->origin[k], body->start.p));
        if (body->kind != TRM_BODY_POINT || off <= POINT_SLACK) continue;
        WRONG("its anchor is %g m off the point mass '%s'; a point can only be held at itself", off, body->name);
        return false;
    }
    return true;
}

/* ---- Axes --------------------------------------------------------------------------------- */

static bool unit_axis(trm_build *build, const trm_joint_def *def, const char *key, trm_vec3 axis, trm_vec3 *unit)
{
    if (!trm_is_given(axis)) {
        WRONG("needs \"%s\": [x, y, z], a direction in the world at the start (or \"axes\" in the two bodies)", key);
        return false;
    }
    const double length = trm_v3_length(axis);
    if (!(length > 0 && isfinite(length))) {
        WRONG("\"%s\" is [%g, %g, %g], which has no direction; give one such as [0, 0, 1]", key, axis.x, axis.y,
              axis.z);
        return false;
    }
    *unit = trm_v3_scale(1 / length, axis);
    return true;
}

static bool check_angle(trm_build *build, const trm_joint_def *def, const trm_joint *joint, const placement *place,
                        bool in_bodies)
{
    const double cosine = trm_v3_dot(place->axis[0], place->axis[1]);
    const double degrees = trm_acos(fmax(-1, fmin(1, cosine))) * 180 / TRM_PI;
    if (joint->type->points_on_a) return true; /* the axis of B is ignored */
    if (!(joint->type->takes & TRM_TAKES_AXIS2)) {
        if (cosine <= 0)
            WRONG("the two \"axes\" are %.3g degrees apart at the start; turn one of them round", degrees);
        return cosine > 0;
    }
    if (fabs(cosine) > (in_bodies ? 1 - TRM_FILE_DIGITS : TRM_FILE_DIGITS)) {
        WRONG("its two axes are %.6g degrees apart; they must be perpendicular", degrees);
        return false;
    }
    if (fabs(cosine) > NEARLY_PARALLEL)
        trm_warn(build, def->place, "joint", def->name,
                 "its two axes are nearly parallel at the start (%.3g degrees)", degrees);
    return true;
}

/* Finds the x axis of frame A: that of "x_axis", or perpendicular to the axis in the frame in which the axis is
 * given. Returns false after reporting an error. */
static bool find_x_axis(trm_build *build, const trm_joint_def *def, const trm_joint *joint, bool in_bodies,
                        placement *place)
{
    place->x = def->x_axis;
    if (!trm_is_given(def->x_axis)) {
        const trm_quat q = body_frame(&build->model->bodies[joint->body[0]]).q;
        if (in_bodies && q.w != 1) place->x = trm_rotate(q, trm_perpendicular(trm_v3_unit(def->axes[0])));
        return true;
    }
    if (!unit_axis(build, def, "x_axis", def->x_axis, &place->x)) return false;
    if (trm_v3_length(trm_v3_cross(place->x, place->axis[0])) > TRM_FILE_DIGITS) return true;
    WRONG("\"x_axis\" is parallel to the axis of the joint; give a direction across it");
    return false;
}

static bool find_axes(trm_build *build, const trm_joint_def *def, const trm_joint *joint, placement *place)
{
    const unsigned takes = joint->type->takes;
    if (!(takes & TRM_TAKES_AXIS)) return true;
    const bool in_bodies = trm_is_given(def->axes[0]) || trm_is_given(def->axes[1]);
    if (in_bodies && (trm_is_given(def->axis) || trm_is_given(def->axis2))) {
        WRONG("has both \"axis\" (world) and \"axes\" (in the bodies); give one of them");
        return false;
    }
    for (int k = 0; k < 2; k++) {
        const bool second = k == 1 && (takes & TRM_TAKES_AXIS2);
        const trm_vec3 axis = in_bodies ? def->axes[k] : second ? def->axis2 : def->axis;
        if (!unit_axis(build, def, in_bodies ? "axes" : second ? "axis2" : "axis", axis, &place->axis[k]))
            return false;
        if (in_bodies)
            place->axis[k] = trm_rotate(body_frame(&build->model->bodies[joint->body[k]]).q, place->axis[k]);
    }
    return check_angle(build, def, joint, place, in_bodies) && find_x_axis(build, def, joint, in_bodies, place);
}

/* ---- Frames ------------------------------------------------------------------------------- */

/* Returns a frame with exactly this x axis, and the z axis as near to the hint as possible. */
static trm_quat frame_from_xz(trm_vec3 x, trm_vec3 z_hint)
{
    const trm_vec3 y = trm_v3_unit(trm_v3_cross(z_hint, x));
    return trm_quat_from_matrix(trm_columns(x, y, trm_v3_cross(x, y)));
}

/* Computes both frames in the world at the start, oriented so that the free rotations are zero. */
static void start_frames(const trm_model *model, const trm_joint *joint, const placement *place, trm_pose F[2])
{
    const unsigned takes = joint->type->takes;
    F[0].p = place->origin[0];
    F[1].p = place->origin[1];
    if (takes & TRM_TAKES_AXIS2) {
        F[0].q = trm_frame_from_zx(place->axis[0], place->axis[1]);
        F[1].q = frame_from_xz(place->axis[1], place->axis[0]);
    } else if (takes & TRM_TAKES_AXIS) {
        F[0].q =
            trm_is_given(place->x) ? trm_frame_from_zx(place->axis[0], place->x) : trm_frame_from_z(place->axis[0]);
        F[1].q = joint->type->points_on_a ? F[0].q
                                          : trm_quat_mul(trm_quat_between(place->axis[0], place->axis[1]), F[0].q);
    } else {
        F[0].q = F[1].q = body_frame(&model->bodies[joint->body[0]]).q;
    }
}

/* Shifts the frames along the free coordinates so that these are q0. */
static void set_zero(const trm_joint *joint, const double *q0, trm_pose F[2])
{
    const trm_joint_type *type = joint->type;
    double here[TRM_JOINT_COORDINATES] = {0}, of_a[TRM_JOINT_COORDINATES] = {0}, of_b[TRM_JOINT_COORDINATES] = {0};
    if (!type->place) return;
    type->coordinates_from(joint, trm_pose_mul(trm_pose_inverse(F[0]), F[1]), here);
    for (int k = 0; k < type->coordinates; k++) {
        if (k >= type->of_a) here[k] = 0;
        *(k < type->of_a ? &of_a[k] : &of_b[k]) = q0[k];
    }
    F[0] = trm_pose_mul(F[0], type->place(joint, here));
    F[0] = trm_pose_mul(F[0], trm_pose_inverse(type->place(joint, of_a)));
    F[1] = trm_pose_mul(F[1], type->place(joint, of_b));
}

static void carry_frames(const trm_model *model, const trm_pose F[2], trm_joint *joint)
{
    for (int k = 0; k < 2; k++)
        joint->frame[k] = trm_pose_mul(trm_pose_inverse(model->bodies[joint->body[k]].start), F[k]);
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static void set_length(trm_build *build, const trm_joint_def *def, const trm_pose F[2], trm_joint *joint)
{
    if (!(joint->type->takes & TRM_TAKES_LENGTH)) return;
    joint->rope = def->rope;
    joint->length = isnan(def->length) ? trm_v3_length(trm_v3_sub(F[1].p, F[0].p)) : def->length;
    if (!(joint->length > 0 && isfinite(joint->length)))
        WRONG("\"length\" is %g m; it must be positive (a distance of zero is a ball joint)", joint->length);
}

static bool set_pitch(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    if (!(joint->type->takes & TRM_TAKES_PITCH)) return true;
    joint->pitch = def->pitch;
    if (fabs(def->pitch) > 0 && isfinite(def->pitch)) return true;
    WRONG("\"pitch\" is %g m/rad; it must be a finite length other than zero (without pitch a screw is a hinge)",
          def->pitch);
    return false;
}

static bool q0_is_finite(const trm_joint_def *def)
{
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++)
        if (!isfinite(def->q0[k])) return false;
    return true;
}

static void set_numbers(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    joint->limit_restitution = def->limit_restitution;
    joint->most = INFINITY;
    joint->break_force = def->break_force;
    joint->break_torque = def->break_torque;
    joint->attached = def->attached;
    joint->aligns = def->align && strcmp(def->align, "now") == 0;
    if (joint->aligns && joint->type != &trm_joint_fixed)
        trm_report_element(build, def->place, "joint", def->name,
                           "\"align\": \"now\" is for joints of type \"fixed\"");
    else if (joint->aligns)
        joint->memory_count = TRM_JOINT_ALIGNMENT;
    joint->collide = def->collide;
    trm_set_laws(build, def, joint);
    if (!(def->break_force > 0) || !(def->break_torque > 0)) WRONG("\"break\" must be a positive force and torque");
    if (!q0_is_finite(def)) WRONG("\"q0\" must be finite numbers in m or rad");
}

#define WRONG_SOFTNESS(...)                                                                                          \
    trm_report_element(build, def->place, joint->type->among_forces ? joint->type->name : "joint", joint->name,      \
                       __VA_ARGS__)

static void set_spring(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    joint->spring_stiffness = joint->spring_damping = NAN;
    if (isnan(def->spring_stiffness) && isnan(def->spring_damping)) return;
    joint->spring_stiffness = def->spring_stiffness;
    joint->spring_damping = isnan(def->spring_damping) ? 0 : def->spring_damping;
    if (isnan(def->spring_stiffness))
        WRONG_SOFTNESS("\"spring\" has \"d\" but no \"k\", a stiffness in N/m or N m/rad");
    else if (!(def->spring_stiffness > 0 && isfinite(def->spring_stiffness)))
        WRONG_SOFTNESS("\"spring.k\" is %g; it must be a positive stiffness, N/m or N m/rad", def->spring_stiffness);
    if (!(joint->spring_damping >= 0 && isfinite(joint->spring_damping)))
        WRONG_SOFTNESS("\"spring.d\" is %g; it must not be negative", def->spring_damping);
    if (!isnan(def->erp) || !isnan(def->cfm))
        WRONG_SOFTNESS(
            "has both \"spring\" and \"%s\"; give one of them: erp and cfm of a spring follow from its k and d",
            isnan(def->erp) ? "cfm" : "erp");
}

static void set_softness(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    joint->erp = def->erp;
    joint->cfm = def->cfm;
    if (def->erp < 0 || def->erp > 1)
        WRONG_SOFTNESS("\"erp\" is %g; it must lie between 0 (gaps stay) and 1 (each step closes them)", def->erp);
    if (def->cfm < 0 || isinf(def->cfm)) WRONG_SOFTNESS("\"cfm\" is %g; it must not be negative", def->cfm);
    set_spring(build, def, joint);
}

/* ---- Joints ------------------------------------------------------------------------------- */

static void check_reach(trm_build *build, const trm_joint_def *def, const trm_joint *joint)
{
    if (q0_is_finite(def) && !(trm_v3_is_finite(joint->frame[0].p) && trm_v3_is_finite(joint->frame[1].p)))
        WRONG("it is too far from its bodies to compute with; are its anchors in metres?");
}

static void build_chain(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    trm_pose F[2];
    if (!trm_place_chain(build, def, joint, F)) return;
    carry_frames(build->model, F, joint);
    check_reach(build, def, joint);
    memcpy(joint->start_memory, def->q0, sizeof def->q0);
}

static void build_placed_joint(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    placement place;
    trm_pose F[2];
    joint->body_count = 2;
    if (!find_bodies(build, def, joint)) return;
    if (joint->type->takes & TRM_TAKES_CHAIN) {
        build_chain(build, def, joint);
        return;
    }
    if (!find_anchors(build, def, joint, &place) || !check_point_anchors(build, def, joint, &place)) return;
    if (!find_axes(build, def, joint, &place)) return;
    start_frames(build->model, joint, &place, F);
    if (!trm_build_carried(build, def, joint, &F[0])) return;
    set_length(build, def, F, joint);
    if (!set_pitch(build, def, joint)) return;
    set_zero(joint, def->q0, F);
    carry_frames(build->model, F, joint);
    check_reach(build, def, joint);
    memcpy(joint->start_memory, def->q0, sizeof def->q0);
    if (joint->type->takes & TRM_TAKES_SPAN) joint->start_memory[0] = trm_v3_length(trm_v3_sub(F[1].p, F[0].p));
    trm_start_on_curve(build->model, joint);
}

const char *trm_nearest_joint(const trm_build *build, const char *name)
{
    enum { SEARCHED = 200 }; /* names searched; enough for a message */
    const char *names[SEARCHED];
    int count = 0;
    for (int i = 0; i < build->def->joint_count && count < SEARCHED; i++)
        if (build->def->joints[i].name) names[count++] = build->def->joints[i].name;
    return trm_nearest_word(name, names, count);
}

/* Returns the verb for messages about an element and its joint. */
static const char *verb_of(const char *kind)
{
    return strcmp(kind, "sensor") == 0 ? "reads" : "acts on";
}

/* Returns whether an element can act on the coordinate, and reports an error if not. */
static bool check_coordinate(trm_build *build, trm_place place, const char *kind, const char *element,
                             const trm_joint *host, double coordinate)
{
    const char *does = verb_of(kind);
    const int count = host->coordinates;
    const bool known = coordinate >= 1 && coordinate <= count && coordinate == floor(coordinate);
    bool has_lines = false; /* true: the joint has a coordinate on which an element can act */
    for (int k = 0; k < count; k++) has_lines = has_lines || host->type->kind[k] != TRM_COORDINATE_ROTATION;
    if (isnan(coordinate) && count != 1)
        trm_report_element(build, place, kind, element, "%s the joint '%s', a %s with %d free coordinates; %s", does,
                           host->name, host->type->name, count,
                           has_lines ? "say which one by \"coordinate\", from 1"
                                     : "it needs one with exactly one, such as a hinge");
    else if (!isnan(coordinate) && !known)
        trm_report_element(build, place, kind, element,
                           "\"coordinate\" is %g; those of the joint '%s', a %s, are 1 to %d", coordinate, host->name,
                           host->type->name, count);
    else if (host->type->kind[isnan(coordinate) ? 0 : (int)coordinate - 1] == TRM_COORDINATE_ROTATION)
        trm_report_element(
            build, place, kind, element,
            "%s coordinate %g of the joint '%s', a part of a rotation vector, along which nothing can act; "
            "take a joint whose coordinates are angles, such as a gimbal",
            does, coordinate, host->name);
    else
        return true;
    return false;
}

trm_host trm_named_host(trm_build *build, trm_place place, const char *kind, const char *element, const char *name,
                        double coordinate)
{
    const trm_model *model = build->model;
    const int index = name ? trm_names_find(&model->joint_names, name) : -1;
    const trm_joint *host = index >= 0 ? &model->joints[index] : NULL;
    if (!host) {
        const char *near = name ? trm_nearest_joint(build, name) : NULL;
        trm_report_element(build, place, kind, element, "%s the joint '%s', which does not exist; %s%s%s",
                           verb_of(kind), name ? name : "",
                           near ? "did you mean '" : "joints are defined under \"joints\"", near ? near : "",
                           near ? "'?" : "");
    } else if (!check_coordinate(build, place, kind, element, host, coordinate)) {
        host = NULL;
    }
    return (trm_host){host, isnan(coordinate) || !host ? 0 : (int)coordinate - 1};
}

/* ---- Drives ------------------------------------------------------------------------------- */

/* Reports an error of a drive or motor. It may have no name of its own, and the file lists it under "forces". */
#define WRONG_HOSTED(...) trm_report_element(build, def->place, joint->type->name, joint->name, __VA_ARGS__)

/* Returns whether a joint moves its host with any force: a drive, or a motor without "max", whose row is not soft. */
static bool cannot_yield(const trm_joint *joint)
{
    const bool moves = joint->type && (joint->type->takes & (TRM_TAKES_MOTION | TRM_TAKES_VELOCITY));
    return moves && isinf(joint->most) && !(joint->cfm > 0) && !(joint->spring_stiffness > 0);
}

/* Returns whether two joints prescribe the motion of one coordinate, which cannot follow two functions. */
static bool move_the_same(const trm_joint *a, const trm_joint *b)
{
    if (!b->type || a->host != b->host || a->coordinate != b->coordinate || !a->attached || !b->attached)
        return false;
    return (a->type->takes & b->type->takes & TRM_TAKES_MOTION) || (cannot_yield(a) && cannot_yield(b));
}

/* Reports an error if the motion of the coordinate of a drive or motor is prescribed already. */
static void refuse_second_drive(trm_build *build, const trm_joint_def *def, const trm_joint *joint)
{
    const bool is_drive = (joint->type->takes & TRM_TAKES_MOTION) != 0;
    for (const trm_joint *other = build->model->joints; other < build->model->joints + build->model->joint_count;
         other++) {
        if (other == joint || !move_the_same(joint, other)) continue;
        const bool drives = is_drive && (other->type->takes & TRM_TAKES_MOTION);
        WRONG_HOSTED(
            "the joint '%s' is driven by '%s' already; remove one of them%s: an event can \"set\" another %s",
            joint->host->name, other->name, drives ? "" : ", or give the motor a \"max\"",
            is_drive ? "motion" : "velocity");
        return;
    }
}

/* Builds a joint on the coordinate of another one, with the same bodies and frames. Returns false when out of
 * memory. */
static bool build_hosted_joint(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    trm_model *model = build->model;
    const trm_host named =
        trm_named_host(build, def->place, joint->type->name, joint->name, def->joint, def->coordinate);
    const trm_joint *host = named.joint;
    if (host) {
        joint->host = host;
        joint->coordinate = named.coordinate;
        joint->attached = joint->attached && host->attached;
        joint->body_count = host->body_count;
        memcpy(joint->body, host->body, sizeof joint->body);
        memcpy(joint->frame, host->frame, sizeof joint->frame);
        joint->start_memory[0] = trm_joint_start_coordinate(host, named.coordinate);
    }
    if (joint->type->takes & TRM_TAKES_MOTION) {
        joint->motion.first =
            trm_build_function(build, def->place, joint->type->name, joint->name, "motion", &def->motion);
        trm_refuse_inputs(build, def->place, joint->type->name, joint->name, "motion", &def->motion);
        trm_warn_of_jumps(build, def->place, joint->type->name, joint->name, "motion", &def->motion);
    }
    if (joint->type->takes & TRM_TAKES_VELOCITY) {
        joint->velocity.first =
            trm_build_function(build, def->place, joint->type->name, joint->name, "velocity", &def->velocity);
        joint->most = def->max_force;
        if (!(def->max_force > 0)) WRONG_HOSTED("\"max\" is %g; it must be positive", def->max_force);
    }
    if (joint->host) refuse_second_drive(build, def, joint);
    return !model->arena.failed;
}

static const trm_joint_type *type_of(trm_build *build, const trm_joint_def *def)
{
    const trm_joint_type *type = def->type ? trm_find_joint_type(def->type) : NULL;
    if (type) return type;
    const char *names[64];
    int count = 0;
    for (; count < 64 && count < trm_joint_type_count(); count++) names[count] = trm_joint_type_name(count);
    const char *near = def->type ? trm_nearest_word(def->type, names, count) : NULL;
    WRONG("there is no joint type \"%s\"; the nearest is \"%s\"", def->type ? def->type : "", near ? near : names[0]);
    return NULL;
}

/* Returns whether a type needs memory to count turns. All other coordinates follow from the poses. */
static bool counts_turns(const trm_joint_type *type)
{
    for (int k = 0; k < type->coordinates; k++)
        if (type->kind[k] == TRM_COORDINATE_TURN) return true;
    return false;
}

/* Joints are built in passes, each after the joints on whose coordinates it acts. */
enum { PLACED, SUMS, HOSTED };

static int pass_of(const trm_joint_type *type)
{
    if (type->takes & TRM_TAKES_SUM) return SUMS;
    return type->takes & (TRM_TAKES_JOINT | TRM_TAKES_JOINTS | TRM_TAKES_TERMS) ? HOSTED : PLACED;
}

static bool build_joint(trm_build *build, const trm_joint_def *def, trm_joint *joint)
{
    trm_model *model = build->model;
    joint->type = type_of(build, def);
    if (!joint->type) return true;
    if (def->parent) { /* trm_build_places has reported why it could not be placed */
        joint->type = NULL;
        return true;
    }
    joint->name = def->name ? trm_arena_text(&model->arena, def->name)
                            : trm_arena_format(&model->arena, "%s(%s)", def->type, def->joint ? def->joint : "");
    if (!joint->name) return false;
    if ((joint->type->takes & TRM_TAKES_CHAIN) && !trm_build_chain_type(build, def, joint)) return false;
    joint->source = trm_kept_place(build, def->place);
    joint->memory_count = counts_turns(joint->type) ? joint->type->coordinates : joint->type->memory;
    set_numbers(build, def, joint);
    set_softness(build, def, joint);
    if (joint->type->takes & TRM_TAKES_JOINT) return build_hosted_joint(build, def, joint);
    if (joint->type->takes & (TRM_TAKES_JOINTS | TRM_TAKES_TERMS | TRM_TAKES_SUM))
        return trm_build_terms(build, def, joint);
    build_placed_joint(build, def, joint);
    return !model->arena.failed;
}

static void check_joint_name(trm_build *build, const trm_joint_def *def, const trm_joint *joint, int index)
{
    const bool may_lack_name = joint->type && (joint->type->takes & TRM_TAKES_JOINT);
    if (!joint->type) return;
    if ((def->name || !may_lack_name) && !trm_check_name(build, def->place, "joint", def->name)) return;
    const int first = trm_names_add(&build->model->joint_names, joint->name, index);
    if (first != index)
        trm_report_element(build, def->place, joint->type->among_forces ? joint->type->name : "joint", joint->name,
                           "the name is taken by the joint of line %d; names must differ",
                           build->model->joints[first].source.line);
}

/* Builds hosted joints after all others, so that their hosts exist, and limits after these. */
bool trm_build_joints(trm_build *build)
{
    trm_model *model = build->model;
    const int count = build->def->joint_count;
    model->joints = TRM_NEW_ARRAY(&model->arena, trm_joint, count + trm_count_parts(build->def));
    if (!model->joints || !trm_names_init(&model->joint_names, &model->arena, count)) return false;
    for (int pass = PLACED; pass <= HOSTED; pass++) {
        for (int i = 0; i < count; i++) {
            const trm_joint_def *def = &build->def->joints[i];
            const trm_joint_type *type = def->type ? trm_find_joint_type(def->type) : NULL;
            if ((type ? pass_of(type) : PLACED) != pass) continue;
            trm_joint *joint = &model->joints[model->joint_count];
            if (!build_joint(build, def, joint)) return false;
            if (joint->type) trm_joint_set_row_counts(joint);
            check_joint_name(build, def, joint, model->joint_count);
            joint->row_offset = model->row_count;
            joint->memory_offset = model->memory_count;
            joint->shown = model->joint_count;
            model->row_count += joint->rows;
            model->memory_count += joint->memory_count;
            model->joint_count++;
        }
    }
    model->shown_joint_count = model->joint_count;
    return trm_build_parts(build);
}
