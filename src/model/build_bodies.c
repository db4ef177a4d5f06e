/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* From body definitions to bodies: mass properties, principal axes, initial state.
 *
 * With the body frame B at (p, R) and the principal frame P at (com, Q) in it, P starts at (p + R com, R Q) with
 * the velocity v + omega x (R com). */

#include <float.h>
#include <string.h>

#include "base/message.h"
#include "base/tolerance.h"
#include "math/rotation.h"
#include "model/model.h"
#include "model/shape.h"

/* The numbers of a file may violate the triangle inequality by rounding. A violation below this bound is ignored, one
 * below TRM_FILE_DIGITS is a warning, and a larger one is an error. A larger bound hides wrong inertias, a smaller
 * one warns of every body that was rotated once. */
static const double INERTIA_ROUNDING = 1e-12;

#define WRONG(...) trm_report_element(build, def->place, "body", def->name, __VA_ARGS__)

static bool is_free(trm_body_kind kind)
{
    return kind == TRM_BODY_RIGID || kind == TRM_BODY_POINT || kind == TRM_BODY_ROD;
}

/* ---- Mass --------------------------------------------------------------------------------- */

static trm_mat3 inertia_matrix(const double *i)
{
    return (trm_mat3){{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
}

static bool check_inertia(trm_build *build, const trm_body_def *def, trm_vec3 moments)
{
    const double largest = fmax(moments.x, fmax(moments.y, moments.z));
    if (!(largest > 0)) {
        WRONG("the inertia is zero or negative; a body without extent is a point: {\"point\": true}");
        return false;
    }
    const double least = fmin(moments.x, fmin(moments.y, moments.z));
    if (least < -TRM_FILE_DIGITS * largest) {
        WRONG("the inertia has a negative principal moment (%g kg m^2); check the products of inertia", least);
        return false;
    }
    if (def->impossible_inertia) return true; /* allowed by the definition, as set by readers of other formats */
    if (!trm_inertia_is_possible(moments, TRM_FILE_DIGITS)) {
        WRONG("no body can have this inertia: of the principal moments %g, %g, %g kg m^2 one exceeds the sum of the "
              "other two; are they about the centre of mass and in kg m^2?",
              moments.x, moments.y, moments.z);
        return false;
    }
    if (!trm_inertia_is_possible(moments, INERTIA_ROUNDING))
        trm_warn(build, def->place, "body", def->name,
                 "of the principal moments %.9g, %.9g, %.9g kg m^2 one exceeds the sum of the other two by rounding; "
                 "give more digits",
                 moments.x, moments.y, moments.z);
    return true;
}

/* Warns if the inertia does not fit the shapes: no part of a body is farther from the centre of mass than the
 * shapes reach, so tr J = 2 sum m r^2 <= 2 m r_max^2. */
static void compare_with_shapes(trm_build *build, const trm_body_def *def, const trm_body *body)
{
    double reach = 0;
    for (int i = 0; i < body->shape_count; i++) {
        const trm_shape *shape = &body->shapes[i];
        if (!shape->type) return;
        const double offset = trm_v3_length(trm_v3_sub(shape->pose.p, body->X_BP.p));
        reach = fmax(reach, offset + shape->type->reach(shape));
    }
    const double trace = body->inertia.x + body->inertia.y + body->inertia.z;
    const double most = 2 * body->mass * reach * reach;
    if (body->shape_count > 0 && trace > most * (1 + TRM_FILE_DIGITS))
        trm_warn(build, def->place, "body", def->name,
                 "no solid within its shapes can have this inertia: the moments add up to %g kg m^2, at most %g is "
                 "possible with %g kg inside a radius of %g m",
                 trace, most, body->mass, reach);
}

/* Computes the mass of rigidly connected point masses. Returns false after reporting an error. */
static bool mass_of_points(trm_build *build, const trm_body_def *def, trm_mass *mass)
{
    bool good = def->mass == 0 && isnan(def->inertia[0]) && isnan(def->com.x);
    if (!good) WRONG("takes mass, com and inertia from \"masses\"; leave out \"mass\", \"inertia\" and \"com\"");
    for (int i = 0; i < def->mass_count; i++) {
        const trm_point_mass_def *point = &def->masses[i];
        const trm_mass one = {point->mass, point->position, trm_diag(trm_v3(0, 0, 0))};
        if (!(point->mass > 0 && isfinite(point->mass) && trm_v3_is_finite(point->position))) {
            trm_report_element(build, point->place, "body", def->name,
                               "point mass %d must be a positive number of kg at a finite position", i + 1);
            good = false;
        }
        *mass = i == 0 ? one : trm_mass_sum(*mass, one);
    }
    return good;
}

/* Computes the mass from point masses, a rod, the numbers of the file, or the density of the shapes. Returns false
 * after reporting an error. */
static bool mass_of(trm_build *build, const trm_body_def *def, trm_mass from_shapes, trm_mass *mass)
{
    const bool has_inertia = !isnan(def->inertia[0]), has_com = !isnan(def->com.x);
    if (def->kind == TRM_BODY_ROD) {
        *mass = trm_mass_rod(def->rod.mass, trm_v3_length(trm_v3_sub(def->rod.to, def->rod.from)), def->rod.radius);
        return true;
    }
    if (def->mass_count > 0) return mass_of_points(build, def, mass);
    if (def->mass == 0) {
        if (!(from_shapes.mass > 0))
            WRONG("has no mass; give \"mass\" and \"inertia\", or \"shapes\" with \"density\", or \"fixed\": true");
        else if (has_inertia || has_com)
            WRONG("takes mass, com and inertia from its shapes' density; leave out \"%s\", or give \"mass\" too",
                  has_inertia ? "inertia" : "com");
        *mass = from_shapes;
        return from_shapes.mass > 0 && !has_inertia && !has_com;
    }
    if (!has_inertia) {
        if (!(from_shapes.mass > 0))
            WRONG("has mass but no \"inertia\"; give it, or \"shapes\" over which the mass is spread");
        else if (has_com)
            WRONG("spreads its mass over its shapes, which have a centre of their own; leave out \"com\", or give "
                  "\"inertia\" too");
        *mass = trm_mass_of(def->mass, from_shapes);
        return from_shapes.mass > 0 && !has_com;
    }
    *mass = (trm_mass){def->mass, has_com ? def->com : trm_v3(0, 0, 0), inertia_matrix(def->inertia)};
    return true;
}

/* Returns the axis of symmetry, -1 if there is none. Moments that differ by rounding count as equal: the free
 * motion then has a closed form. */
static int symmetry_axis_of(trm_vec3 J)
{
    const double close = 4 * DBL_EPSILON * fmax(J.x, fmax(J.y, J.z));
    if (fabs(J.y - J.z) <= close) return 0;
    if (fabs(J.z - J.x) <= close) return 1;
    return fabs(J.x - J.y) <= close ? 2 : -1;
}

static void set_mass(trm_body *body, trm_mass mass)
{
    const trm_principal principal = trm_principal_axes(mass.inertia);
    const trm_vec3 J = trm_raised_moments(principal.moments);
    body->mass = mass.mass;
    body->inverse_mass = 1 / mass.mass;
    body->inertia = J;
    body->symmetry_axis = symmetry_axis_of(J);
    body->inverse_inertia = trm_v3(1 / J.x, 1 / J.y, 1 / J.z);
    body->X_BP = (trm_pose){principal.axes, mass.com};
}

static void build_rigid_mass(trm_build *build, const trm_body_def *def, trm_body *body, trm_mass from_shapes)
{
    trm_mass mass;
    if (!mass_of(build, def, from_shapes, &mass)) return;
    if (!check_inertia(build, def, trm_principal_axes(mass.inertia).moments)) return;
    set_mass(body, mass);
    compare_with_shapes(build, def, body);
}

/* ---- Checks ------------------------------------------------------------------------------- */

static void check_finite(trm_build *build, const trm_body_def *def, const char *key, trm_vec3 v)
{
    if (!trm_v3_is_finite(v)) WRONG("\"%s\" is [%g, %g, %g]; it must be three finite numbers", key, v.x, v.y, v.z);
}

static void check_rod(trm_build *build, const trm_body_def *def)
{
    const trm_rod_def *rod = &def->rod;
    check_finite(build, def, "from", rod->from);
    check_finite(build, def, "to", rod->to);
    if (!(trm_v3_length(trm_v3_sub(rod->to, rod->from)) > 0))
        WRONG("the rod has length zero; \"from\" and \"to\" must differ");
    if (!(rod->mass > 0 && isfinite(rod->mass)))
        WRONG("the rod's mass is %g; it must be a positive number of kg", rod->mass);
    if (!(rod->radius >= 0 && isfinite(rod->radius)))
        WRONG("the rod's radius is %g m; it must not be negative", rod->radius);
}

static void check_body(trm_build *build, const trm_body_def *def)
{
    check_finite(build, def, "position", def->position);
    check_finite(build, def, "velocity", def->velocity);
    check_finite(build, def, "angular_velocity", def->angular_velocity);
    const double norm = trm_quat_norm(def->orientation);
    if (!(norm > 0 && isfinite(norm)))
        WRONG("\"orientation\" is not a quaternion; without any rotation it is [1, 0, 0, 0]");
    else if (fabs(norm - 1) > TRM_FILE_DIGITS)
        trm_warn(build, def->place, "body", def->name, "\"orientation\" has length %g and was normalised", norm);
    if (!(def->mass >= 0 && isfinite(def->mass)))
        WRONG("\"mass\" is %g; it must be a positive number of kg", def->mass);
    for (int i = 0; i < 6; i++)
        if (isinf(def->inertia[i]) || (isnan(def->inertia[i]) && !isnan(def->inertia[0])))
            WRONG("\"inertia\" must be 3 or 6 finite numbers in kg m^2");
    if (def->kind == TRM_BODY_POINT && def->mass == 0) WRONG("a point needs a positive \"mass\" in kg");
    if (!is_free(def->kind) && def->mass != 0)
        WRONG("a fixed or moving body takes no \"mass\", because forces do not move it; leave it out");
    if (def->kind == TRM_BODY_ROD) check_rod(build, def);
}

/* ---- Initial state ------------------------------------------------------------------------ */

/* Returns the frame of a body. That of a rod has the orientation of the definition, followed by the smallest rotation
 * that aligns its x axis with the rod. */
trm_pose trm_start_frame(const trm_body_def *def)
{
    const trm_quat q = trm_quat_unit(def->orientation);
    if (def->kind != TRM_BODY_ROD) return (trm_pose){q, def->position};
    const trm_vec3 along = trm_rotate_back(q, trm_v3_unit(trm_v3_sub(def->rod.to, def->rod.from)));
    return (trm_pose){trm_quat_mul(q, trm_quat_between(trm_axis(0), along)),
                      trm_v3_scale(0.5, trm_v3_add(def->rod.from, def->rod.to))};
}

static void set_start(const trm_body_def *def, trm_body *body)
{
    if (body->kind == TRM_BODY_MOVING) {
        trm_motion_at(body->motion, 0, &body->start, &body->start_velocity, NULL);
        return;
    }
    const trm_pose frame = trm_start_frame(def);
    const trm_vec3 arm = trm_rotate(frame.q, body->X_BP.p);
    body->start = trm_pose_mul(frame, body->X_BP);
    if (body->kind == TRM_BODY_FIXED) return;
    body->start_velocity =
        trm_sp(def->angular_velocity, trm_v3_add(def->velocity, trm_v3_cross(def->angular_velocity, arm)));
    if (body->kind == TRM_BODY_POINT) body->start_velocity.ang = trm_v3(0, 0, 0);
}

/* Builds the prescribed motion. Returns false when out of memory. */
static bool build_motion(trm_build *build, const trm_body_def *def, trm_body *body)
{
    static const char *const key[3] = {"moving.position[0]", "moving.position[1]", "moving.position[2]"};
    trm_motion *motion = TRM_NEW(&build->model->arena, trm_motion);
    if (!motion) return false;
    for (int i = 0; i < 3; i++)
        motion->position[i] =
            trm_build_function(build, def->place, "body", def->name, key[i], &def->moving.position[i]);
    for (int i = 0; i < 3; i++)
        trm_refuse_inputs(build, def->place, "body", def->name, key[i], &def->moving.position[i]);
    trm_refuse_inputs(build, def->place, "body", def->name, "moving.angle", &def->moving.angle);
    motion->angle = trm_build_function(build, def->place, "body", def->name, "moving.angle", &def->moving.angle);
    for (int i = 0; i < 3; i++)
        trm_warn_of_jumps(build, def->place, "body", def->name, key[i], &def->moving.position[i]);
    trm_warn_of_jumps(build, def->place, "body", def->name, "moving.angle", &def->moving.angle);
    const double length = trm_v3_length(def->moving.axis);
    if (!(length > 0 && isfinite(length)))
        WRONG("the axis of its motion has length zero or infinity; give a direction such as [0, 0, 1]");
    else
        motion->axis = trm_v3_unit(def->moving.axis);
    body->motion = motion;
    return !build->model->arena.failed;
}

/* ---- All bodies --------------------------------------------------------------------------- */

/* Copies the points of the definition, then the origins of its frames. */
static bool copy_points(trm_build *build, const trm_body_def *def, trm_body *body)
{
    trm_arena *arena = &build->model->arena;
    body->point_count = def->point_count + def->frame_count;
    body->points = TRM_NEW_ARRAY(arena, trm_named_point, body->point_count);
    body->point_axes = TRM_NEW_ARRAY(arena, trm_quat, body->point_count);
    for (int i = 0; !arena->failed && i < body->point_count; i++) {
        const trm_named_frame *frame = i < def->point_count ? NULL : &def->frames[i - def->point_count];
        body->points[i] = frame ? (trm_named_point){frame->name, frame->position} : def->points[i];
        for (int k = 0; frame && k < def->point_count; k++)
            if (def->points[k].name && frame->name && strcmp(def->points[k].name, frame->name) == 0)
                WRONG("'%s' is a point and a frame; a frame already defines a point of its name: leave out the point",
                      frame->name);
        body->point_axes[i] = frame ? trm_quat_unit(frame->orientation) : trm_quat_identity();
        if (trm_check_name(build, def->place, frame ? "frame of body" : "point of body", body->points[i].name))
            check_finite(build, def, body->points[i].name, body->points[i].position);
        body->points[i].name = trm_arena_text(arena, body->points[i].name);
    }
    return !arena->failed;
}

static bool is_point_name(const trm_body *body, const char *name)
{
    for (int k = 0; name && k < body->point_count; k++)
        if (body->points[k].name && strcmp(name, body->points[k].name) == 0) return true;
    return false;
}

static void copy_axis(trm_build *build, const trm_body_def *def, const trm_body *body, const trm_named_point *axis,
                      trm_named_point *to)
{
    const double length = trm_v3_length(axis->position);
    if (trm_check_name(build, def->place, "axis of body", axis->name) && !(length > 0 && isfinite(length)))
        WRONG("the axis '%s' has no direction; it must be three finite numbers, not all 0", axis->name);
    if (is_point_name(body, axis->name)) WRONG("'%s' is a point and an axis; names must differ", axis->name);
    to->position = trm_v3_scale(1 / length, axis->position);
    to->name = trm_arena_text(&build->model->arena, axis->name);
}

/* Copies the axes of the definition, then those of its frames. */
static bool copy_axes(trm_build *build, const trm_body_def *def, trm_body *body)
{
    trm_arena *arena = &build->model->arena;
    body->axis_count = def->axis_count + 3 * def->frame_count;
    body->axes = TRM_NEW_ARRAY(arena, trm_named_point, body->axis_count);
    for (int i = 0; body->axes && i < def->axis_count; i++)
        copy_axis(build, def, body, &def->axes[i], &body->axes[i]);
    for (int i = 0; body->axes && i < 3 * def->frame_count; i++) {
        const trm_named_frame *frame = &def->frames[i / 3];
        const double norm = trm_quat_norm(frame->orientation);
        const bool sound = norm > 0 && isfinite(norm);
        if (i % 3 == 0 && !sound)
            WRONG("the frame '%s' has no orientation; without any rotation it is [1, 0, 0, 0]", frame->name);
        body->axes[def->axis_count + i] = (trm_named_point){
            trm_arena_format(arena, "%s_%c", frame->name ? frame->name : "", "xyz"[i % 3]),
            trm_rotate(sound ? trm_quat_unit(frame->orientation) : trm_quat_identity(), trm_axis(i % 3))};
    }
    return !arena->failed;
}

/* Moves the shapes from the body frame, in which they are given, to the principal frame. */
static void move_shapes(trm_body *body)
{
    for (int i = 0; i < body->shape_count; i++)
        body->shapes[i].pose = trm_pose_mul(trm_pose_inverse(body->X_BP), body->shapes[i].pose);
}

/* Reports an error if combinations of finite numbers overflow, or if their inverses do. */
static void check_computable(trm_build *build, const trm_body_def *def, const trm_body *body)
{
    const bool mass = isfinite(body->mass) && isfinite(body->inverse_mass) && trm_v3_is_finite(body->inertia) &&
                      trm_v3_is_finite(body->inverse_inertia);
    if (!mass)
        WRONG("its mass of %g kg or its moments of %g, %g, %g kg m^2 are too large or too small to compute with; are "
              "they in SI units?",
              body->mass, body->inertia.x, body->inertia.y, body->inertia.z);
    else if (!trm_pose_is_finite(body->X_BP) || !trm_pose_is_finite(body->start) ||
             !trm_v3_is_finite(body->start_velocity.lin) || !trm_v3_is_finite(body->start_velocity.ang))
        WRONG("its start is too far away or too fast to compute with; are position and velocity in SI units?");
}

static bool build_body(trm_build *build, const trm_body_def *def, trm_body *body)
{
    trm_arena *arena = &build->model->arena;
    trm_mass from_shapes;
    const int errors = trm_error_count(build->messages);
    body->name = trm_arena_text(arena, def->name);
    body->subsystem = trm_arena_text(arena, def->subsystem);
    body->kind = def->kind == TRM_BODY_ROD ? TRM_BODY_RIGID : def->kind;
    if (def->kind == TRM_BODY_ROD) {
        body->rod_length = trm_v3_length(trm_v3_sub(def->rod.to, def->rod.from));
        body->rod_radius = def->rod.radius;
    }
    body->X_BP = trm_pose_identity();
    if (arena->failed || !copy_points(build, def, body) || !copy_axes(build, def, body)) return false;
    if (!trm_build_shapes(build, def, body, &from_shapes)) return false;
    check_body(build, def);
    if (body->kind == TRM_BODY_MOVING && !build_motion(build, def, body)) return false;
    body->faulty = trm_error_count(build->messages) > errors;
    if (body->faulty) return true;

    if (body->kind == TRM_BODY_RIGID) build_rigid_mass(build, def, body, from_shapes);
    if (body->kind == TRM_BODY_POINT) body->mass = def->mass, body->inverse_mass = 1 / def->mass;
    body->faulty = trm_error_count(build->messages) > errors;
    if (body->faulty) return true;
    move_shapes(body);
    body->gravity = trm_v3_scale(def->gravity_factor, build->model->gravity);
    body->faulty = def->parent != NULL; /* trm_build_places has reported why */
    if (body->faulty) return true;
    set_start(def, body);
    check_computable(build, def, body);
    body->faulty = trm_error_count(build->messages) > errors;
    return true;
}

static void build_ground(trm_body *ground)
{
    *ground = (trm_body){.name = "ground", .kind = TRM_BODY_FIXED};
    ground->X_BP = ground->start = trm_pose_identity();
}

bool trm_build_bodies(trm_build *build)
{
    trm_model *model = build->model;
    const int count = build->def->body_count + 1;
    model->bodies = TRM_NEW_ARRAY(&model->arena, trm_body, count + trm_count_rotors(build->def));
    if (!model->bodies || !trm_names_init(&model->body_names, &model->arena, count)) return false;
    model->body_count = model->shown_body_count = count;
    build_ground(&model->bodies[0]);
    trm_names_add(&model->body_names, "ground", 0);

    for (int i = 1; i < count; i++) {
        const trm_body_def *def = &build->def->bodies[i - 1];
        if (!build_body(build, def, &model->bodies[i])) return false;
        if (!trm_check_name(build, def->place, "body", def->name)) continue;
        const int first = trm_names_add(&model->body_names, model->bodies[i].name, i);
        if (first == 0)
            WRONG("\"ground\" always exists and cannot be defined; choose another name");
        else if (first != i)
            WRONG("the name is taken by the body of line %d; names must differ",
                  build->def->bodies[first - 1].place.line);
    }
    return true;
}
