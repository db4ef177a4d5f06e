/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Curves and surfaces that the first body of a joint carries for a point of the second.
 *
 * Round curves and surfaces are given in the world at the start: their centre is the origin of frame A, their axis
 * its z axis. A spline is given in the body's own frame, which then is frame A. */

#include "math/rotation.h"
#include "model/model.h"
#include "trammel/elementary.h"

#define WRONG(...) trm_report_element(build, def->place, "joint", def->name, __VA_ARGS__)

static bool is_given(const trm_round_def *round)
{
    return !isnan(round->origin.x) || !isnan(round->axis.x) || !isnan(round->radius) || !isnan(round->major);
}

static bool is_length(double x)
{
    return x > 0 && isfinite(x);
}

/* Sets frame A of a round curve or surface. has_axis: the axis matters; otherwise any axis is used. Returns false
 * after reporting an error. */
static bool place_round(trm_build *build, const trm_joint_def *def, const char *key, const trm_round_def *round,
                        bool has_axis, trm_pose *F)
{
    const trm_vec3 axis = has_axis ? round->axis : trm_axis(2);
    const double length = trm_v3_length(axis);
    if (!trm_v3_is_finite(round->origin)) {
        WRONG("\"%s\" needs \"origin\": [x, y, z], finite numbers in metres", key);
        return false;
    }
    if (!is_length(length)) {
        WRONG("the \"axis\" of its \"%s\" is [%g, %g, %g], which has no direction; give one such as [0, 0, 1]", key,
              axis.x, axis.y, axis.z);
        return false;
    }
    *F = (trm_pose){trm_frame_from_z(trm_v3_scale(1 / length, axis)), round->origin};
    return true;
}

static bool check_radius(trm_build *build, const trm_joint_def *def, const char *key, const char *what, double radius)
{
    if (is_length(radius)) return true;
    WRONG("\"%s\" of its \"%s\" is %g m; it must be positive", what, key, radius);
    return false;
}

/* ---- Curves ------------------------------------------------------------------------------- */

static bool check_points(trm_build *build, const trm_joint_def *def)
{
    const trm_curve_def *curve = &def->curve;
    const int count = curve->point_count, least = curve->closed ? 3 : 2;
    if (count < least) {
        WRONG("its curve has %d point%s; a spline needs at least two, a closed one three", count,
              count == 1 ? "" : "s");
        return false;
    }
    for (int i = 0; i < count; i++) {
        const int next = (i + 1) % count;
        if (!trm_v3_is_finite(curve->points[i])) {
            WRONG("point %d of its curve must be finite numbers in metres", i + 1);
            return false;
        }
        if ((next == 0 && !curve->closed) || trm_v3_length(trm_v3_sub(curve->points[next], curve->points[i])) > 0)
            continue;
        WRONG("points %d and %d of its curve coincide; %s", i + 1, next + 1,
              next == 0 ? "a closed one comes back by itself, so leave the last one out" : "leave one of them out");
        return false;
    }
    return true;
}

static bool build_spline(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose *F)
{
    const trm_curve_def *curve = &def->curve;
    const trm_body *carrier = &build->model->bodies[joint->body[0]];
    if (!check_points(build, def)) return false;
    joint->curve = trm_spline_curve(&build->model->arena, curve->points, curve->point_count, curve->closed);
    if (!joint->curve) return false;
    *F = trm_pose_mul(carrier->start, trm_pose_inverse(carrier->X_BP));
    const int stop = trm_curve_stops_at(joint->curve);
    if (stop >= 0)
        WRONG("its curve turns back on itself near point %d; give points on a smooth curve",
              stop % curve->point_count + 1);
    return stop < 0;
}

static bool build_helix(trm_build *build, const trm_joint_def *def, const char *key, const trm_round_def *round,
                        trm_joint *joint, trm_pose *F)
{
    const bool rises = round == &def->curve.helix;
    if (!place_round(build, def, key, round, true, F)) return false;
    if (!check_radius(build, def, key, "radius", round->radius)) return false;
    if (rises && !isfinite(round->pitch)) {
        WRONG("\"pitch\" of its \"helix\" is %g; it must be a finite number of metres per turn", round->pitch);
        return false;
    }
    trm_space_curve *curve = TRM_NEW(&build->model->arena, trm_space_curve);
    if (!curve) return false;
    *curve = trm_helix(round->radius, rises ? round->pitch / (2 * TRM_PI) : 0);
    joint->curve = curve;
    return true;
}

static bool build_curve(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose *F)
{
    const trm_curve_def *curve = &def->curve;
    const bool spline = curve->points || curve->point_count > 0 || curve->closed;
    const bool circle = is_given(&curve->circle), helix = is_given(&curve->helix);
    if (spline + circle + helix != 1) {
        WRONG(spline + circle + helix == 0
                  ? "needs a \"curve\": { \"points\": [[x, y, z], ...] } in the frame of its first body, or "
                    "{ \"circle\": ... } or { \"helix\": ... }"
                  : "has more than one \"curve\"; give \"points\" (and \"closed\"), or a \"circle\", or a \"helix\"");
        return false;
    }
    if (spline) return build_spline(build, def, joint, F);
    return circle ? build_helix(build, def, "circle", &curve->circle, joint, F)
                  : build_helix(build, def, "helix", &curve->helix, joint, F);
}

/* Rotates frame A about the axis of a helix so that the helix passes through the point x of the second body at the
 * start. At the height x.z the angle of the helix is x.z / rise; the angle of x must be the same. */
static void rotate_helix(trm_joint *joint, const trm_pose X[2])
{
    const trm_vec3 x = trm_pose_point_back(X[0], X[1].p);
    const double angle = (x.x == 0 && x.y == 0 ? 0 : trm_atan2(x.y, x.x)) - x.z / joint->curve->rise;
    joint->frame[0].q = trm_quat_mul(joint->frame[0].q, trm_quat_exp(trm_v3(0, 0, angle)));
}

void trm_start_on_curve(const trm_model *model, trm_joint *joint)
{
    if (!joint->curve) return;
    trm_joint_at at = {.joint = joint};
    for (int k = 0; k < 2; k++) at.X[k] = trm_pose_mul(model->bodies[joint->body[k]].start, joint->frame[k]);
    if (joint->curve->rise != 0) rotate_helix(joint, at.X);
    at.X[0] = trm_pose_mul(model->bodies[joint->body[0]].start, joint->frame[0]);
    trm_joint_remember(&at, 0, joint->start_memory);
}

/* ---- Surfaces ----------------------------------------------------------------------------- */

static bool build_torus(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose *F)
{
    const trm_round_def *torus = &def->surface.torus;
    if (!place_round(build, def, "torus", torus, true, F)) return false;
    if (!check_radius(build, def, "torus", "major", torus->major)) return false;
    if (!check_radius(build, def, "torus", "minor", torus->minor)) return false;
    if (torus->minor >= torus->major) {
        WRONG("the torus runs through itself: \"minor\" is %g m and must be less than \"major\", %g m", torus->minor,
              torus->major);
        return false;
    }
    joint->surface = (trm_surface){TRM_SURFACE_TORUS, torus->minor, torus->major};
    return true;
}

static bool build_surface(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose *F)
{
    const trm_surface_def *surface = &def->surface;
    const bool sphere = is_given(&surface->sphere), cylinder = is_given(&surface->cylinder);
    const bool torus = is_given(&surface->torus);
    if (sphere + cylinder + torus != 1) {
        WRONG(sphere + cylinder + torus == 0
                  ? "needs a \"surface\": { \"sphere\": ... } or { \"cylinder\": ... } or { \"torus\": ... }"
                  : "has more than one \"surface\"; give a \"sphere\", a \"cylinder\" or a \"torus\"");
        return false;
    }
    if (torus) return build_torus(build, def, joint, F);
    const trm_round_def *round = sphere ? &surface->sphere : &surface->cylinder;
    const char *key = sphere ? "sphere" : "cylinder";
    if (!place_round(build, def, key, round, !sphere, F)) return false;
    joint->surface = (trm_surface){sphere ? TRM_SURFACE_SPHERE : TRM_SURFACE_CYLINDER, round->radius, 0};
    return check_radius(build, def, key, "radius", round->radius);
}

bool trm_build_carried(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose *F)
{
    const unsigned takes = joint->type->takes;
    if (!(takes & (TRM_TAKES_CURVE | TRM_TAKES_SURFACE))) return true;
    return takes & TRM_TAKES_CURVE ? build_curve(build, def, joint, F) : build_surface(build, def, joint, F);
}
