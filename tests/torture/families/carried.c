/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Points and bodies on rails, slots, circles, helices, splines, spheres, cylinders and tori, which the ground or a
 * body carries. */

#include "common.h"
#include "math/rotation.h"

static trm_round_def place_round(machine *m, trm_vec3 origin, double radius)
{
    trm_round_def round = trm_default_joint_def().curve.circle;
    round.origin = origin;
    round.axis = draw_direction(m);
    round.radius = radius;
    return round;
}

/* Returns the point of a circle, helix or cylinder at an angle. */
static trm_vec3 on_round(const trm_round_def *round, double angle)
{
    const trm_vec3 x = trm_perpendicular(trm_v3_unit(round->axis)), y = trm_v3_cross(trm_v3_unit(round->axis), x);
    return trm_v3_add_scaled(trm_v3_add_scaled(round->origin, round->radius * cos(angle), x),
                             round->radius * sin(angle), y);
}

static int add_rider(machine *m, trm_vec3 at, bool point)
{
    if (point) return add_point(m, at, draw_between(m, 0.3, 2));
    return add_rigid(m, (trm_pose){draw_rotation(m), trm_v3_add(at, draw_vector(m, 0.15))}, draw_between(m, 0.3, 2),
                     0.4);
}

/* Places a surface or curve about an origin; returns an anchor on it. */
static trm_vec3 shape_joint(machine *m, trm_joint_def *def, int kind, trm_vec3 origin)
{
    trm_round_def round = place_round(m, origin, draw_between(m, 0.4, 0.8));
    trm_vec3 at = on_round(&round, 0);
    if (kind == 0) def->curve.circle = round;
    if (kind == 1) {
        round.pitch = draw_between(m, 0.2, 1) * (draw_chance(m, 0.5) ? 1 : -1);
        def->curve.helix = round;
    }
    if (kind == 2) def->surface.cylinder = round;
    if (kind == 3) {
        round.axis = trm_v3(NAN, NAN, NAN);
        def->surface.sphere = round;
    }
    if (kind == 4) {
        const double minor = draw_between(m, 0.1, 0.3);
        at = trm_v3_add_scaled(at, minor / round.radius, trm_v3_sub(at, origin));
        round.major = round.radius;
        round.minor = minor;
        round.radius = NAN;
        def->surface.torus = round;
    }
    return at;
}

static void put_on_spline(machine *m, int index, int carrier, trm_vec3 at)
{
    machine_joint *joint = &m->joints[index];
    for (int i = 0; i < 6; i++) {
        const trm_vec3 step = trm_v3(0.4, draw_between(m, -0.2, 0.2), draw_between(m, -0.2, 0.2));
        joint->knots[i] = i == 0 ? trm_v3_sub(to_body(m, carrier, at), step) : trm_v3_add(joint->knots[i - 1], step);
    }
    joint->knots[1] = to_body(m, carrier, at);
    joint->def.curve.points = joint->knots;
    joint->def.curve.point_count = 6;
}

static void add_ride(machine *m, int carrier)
{
    const trm_vec3 origin = trm_v3_add(pose_of(m, carrier).p, draw_vector(m, 0.3));
    const int kind = draw_below(m, 8);
    const bool point = draw_chance(m, 0.5);
    const trm_vec3 far = trm_v3(NAN, NAN, NAN);
    if (kind >= 6) {
        const int rider = add_rider(m, origin, point);
        const int j = add_joint(m, kind == 6 ? "rail" : "slot", carrier, rider, origin, draw_direction(m));
        if (point) m->joints[j].def.anchor = far;
        return;
    }
    const int j =
        add_joint(m, kind == 2 || kind == 3 || kind == 4 ? "surface" : "curve", carrier, GROUND, origin, far);
    const trm_vec3 at = kind == 5 ? origin : shape_joint(m, &m->joints[j].def, kind, origin);
    if (kind == 5) put_on_spline(m, j, carrier, at);
    m->joints[j].bodies[1] = add_rider(m, at, point);
    m->joints[j].def.anchor = point ? far : at;
}

static void draw(machine *m)
{
    const int count = 1 + draw_below(m, 3);
    int carrier = GROUND;
    if (draw_chance(m, 0.5)) {
        carrier = add_rigid(m, (trm_pose){draw_rotation(m), trm_v3(0, 0, 0)}, draw_between(m, 1, 5), 1);
        if (draw_chance(m, 0.6)) add_joint(m, "hinge", GROUND, carrier, draw_vector(m, 0.3), draw_direction(m));
    }
    for (int i = 0; i < count; i++) add_ride(m, carrier);
    if (draw_chance(m, 0.5)) move_apart(m, 0.5, 1);
    m->gravity = trm_v3(0, 0, -9.81);
    set_run(m, 0.005, 0.5);
}

const family family_carried = {"carried", "riders on rails, curves and surfaces", draw, false};
