/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench: smooth motion of rigid bodies on balls and hinges, without damping and contacts. */

#include "scenes.h"

#include <math.h>

#include "trammel/vecmath.h"

static const double G = 9.81;
static const double FOLD = 0.5; /* rad: half the opening of a zigzag */

static void put(double *to, trm_vec3 v)
{
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

static trm_vec3 get(const double *v)
{
    return trm_v3(v[0], v[1], v[2]);
}

/* Returns the smallest rotation that takes the x axis to the direction d, a unit vector other than -x. */
static trm_quat turn_x_to(trm_vec3 d)
{
    const trm_quat q = {1 + d.x, 0, -d.z, d.y};
    return trm_quat_unit(q);
}

/* Adds a uniform solid rod at rest; its first principal axis is along it. */
static scene_body *add_rod(scene *s, trm_vec3 from, trm_vec3 to, double mass, double radius)
{
    const trm_vec3 along = trm_v3_sub(to, from);
    const double length = trm_v3_length(along);
    const trm_quat q = turn_x_to(trm_v3_scale(1 / length, along));
    scene_body *body = &s->bodies[s->body_count++];
    *body = (scene_body){.mass = mass, .q = {q.w, q.x, q.y, q.z}};
    body->inertia[0] = 0.5 * mass * radius * radius;
    body->inertia[1] = body->inertia[2] = mass * (3 * radius * radius + length * length) / 12;
    put(body->p, trm_v3_add_scaled(from, 0.5, along));
    return body;
}

static scene_joint *add_ball(scene *s, int a, int b, trm_vec3 anchor)
{
    scene_joint *joint = &s->joints[s->joint_count++];
    *joint = (scene_joint){.type = SCENE_BALL, .a = a, .b = b};
    put(joint->anchor, anchor);
    return joint;
}

static scene_joint *add_hinge(scene *s, int a, int b, trm_vec3 anchor, trm_vec3 axis)
{
    scene_joint *joint = add_ball(s, a, b, anchor);
    joint->type = SCENE_HINGE;
    put(joint->axis, trm_v3_unit(axis));
    return joint;
}

/* ---- Pendulum and free body --------------------------------------------------------------- */

/* Builds two masses of 1 kg at the ends of 1 m, one of them at the hinge, which swing like a point mass on 1 m. The
 * moment about the line between them does not matter. */
static bool build_pendulum(scene *s, double given)
{
    static const double phi = 10 * TRM_PI / 180;
    (void)given;
    if (!scene_make_room(s, 1, 1)) return false;
    put(s->gravity, trm_v3(0, 0, -G));
    s->bodies[s->body_count++] = (scene_body){.mass = 2,
                                              .inertia = {0.5, 0.5, 0.001},
                                              .p = {0.5 * sin(phi), 0, -0.5 * cos(phi)},
                                              .q = {cos(phi / 2), 0, -sin(phi / 2), 0}};
    add_hinge(s, -1, 0, trm_v3(0, 0, 0), trm_v3(0, 1, 0));
    return true;
}

/* T = 2 pi sqrt(l/g) / agm(1, cos(phi/2)), l = (J + m d^2)/(m d); phi the angle at the start, d to the centre of mass */
double pendulum_period(const scene *s)
{
    const scene_body *body = &s->bodies[0];
    const double d = trm_v3_length(get(body->p));
    const double length = (body->inertia[1] + body->mass * d * d) / (body->mass * d);
    double a = 1, b = cos(0.5 * atan2(body->p[0], -body->p[2]));
    for (int i = 0; i < 8; i++) { /* converges quadratically */
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * TRM_PI * sqrt(length / -s->gravity[2]) / a;
}

/* Builds a free body that tumbles, because its middle axis is unstable. */
static bool build_free_body(scene *s, double given)
{
    (void)given;
    if (!scene_make_room(s, 1, 0)) return false;
    s->bodies[s->body_count++] =
        (scene_body){.mass = 1, .inertia = {1, 2, 3}, .q = {1, 0, 0, 0}, .w = {0.01, 1, 0.01}};
    return true;
}

/* ---- Chains and loops --------------------------------------------------------------------- */

/* Returns a corner of a zigzag in which every rod is turned by fold against the horizontal. */
static trm_vec3 corner(int i, double fold)
{
    return trm_v3(i * cos(fold), i % 2 ? -sin(fold) : 0, 0);
}

static bool add_chain(scene *s, int count, double fold)
{
    if (!scene_make_room(s, count, count + 1)) return false;
    put(s->gravity, trm_v3(0, -G, 0));
    for (int i = 0; i < count; i++) {
        add_rod(s, corner(i, fold), corner(i + 1, fold), 1, 0.01);
        add_ball(s, i - 1, i, corner(i, fold));
    }
    return true;
}

static bool build_chain(scene *s, double given)
{
    return add_chain(s, (int)given, 0);
}

static bool build_loop(scene *s, double given)
{
    const int count = (int)given;
    if (!add_chain(s, count, FOLD)) return false;
    add_ball(s, -1, count - 1, corner(count, FOLD))->closes_loop = true;
    return true;
}

/* Builds a loop hung from one corner with bars at +-45 degrees, which passes through the pose with all bars on one
 * line. */
static bool build_rhombus(scene *s, double given)
{
    const double c = sqrt(0.5);
    const trm_vec3 top = {0, 0, 0}, right = {c, -c, 0}, left = {-c, -c, 0}, bottom = {0, -2 * c, 0}, z = {0, 0, 1};
    (void)given;
    if (!scene_make_room(s, 4, 5)) return false;
    put(s->gravity, trm_v3(0, -G, 0));
    add_rod(s, top, right, 1, 0.01);
    add_rod(s, top, left, 1, 0.01);
    add_rod(s, right, bottom, 1, 0.01);
    add_rod(s, left, bottom, 1, 0.01);
    add_hinge(s, -1, 0, top, z);
    add_hinge(s, -1, 1, top, z);
    add_hinge(s, 0, 2, right, z);
    add_hinge(s, 1, 3, left, z);
    add_hinge(s, 2, 3, bottom, z)->closes_loop = true;
    return true;
}

/* ---- Trees -------------------------------------------------------------------------------- */

static trm_vec3 in_plane(double angle)
{
    return trm_v3(sin(angle), 0, -cos(angle));
}

/* Builds double pendulums side by side along y, with different initial poses. */
static bool build_double_pendulums(scene *s, double given)
{
    const int count = (int)given;
    const trm_vec3 y = {0, 1, 0};
    if (!scene_make_room(s, 2 * count, 2 * count)) return false;
    put(s->gravity, trm_v3(0, 0, -G));
    for (int i = 0; i < count; i++) {
        const double part = (double)i / count;
        const trm_vec3 top = {0, 2.0 * i, 0};
        const trm_vec3 middle = trm_v3_add(top, in_plane(0.5 + part)),
                       tip = trm_v3_add(middle, in_plane(1 + 0.5 * part));
        add_rod(s, top, middle, 1, 0.02);
        add_rod(s, middle, tip, 1, 0.02);
        add_hinge(s, -1, 2 * i, top, y);
        add_hinge(s, 2 * i, 2 * i + 1, middle, y);
    }
    return true;
}

/* Builds an arm of seven links, about 20 kg and 1.2 m. The axes are alternately along a link and across it, as in
 * robots. */
static bool build_arm(scene *s, double given)
{
    static const double length[7] = {0.15, 0.2, 0.2, 0.2, 0.2, 0.1, 0.1}, mass[7] = {4, 4, 3, 3, 2.5, 2, 1};
    static const trm_vec3 towards[7] = {{0.3, 0, 1},   {0.9, 0.1, 0.4}, {0.9, 0.2, 0.4}, {0.7, 0.7, 0.1},
                                        {0.7, 0.7, 0}, {0.2, 0.9, 0.4}, {0.6, 0.4, 0.7}};
    static const trm_vec3 axes[7] = {{0, 0, 1},        {0, 1, 0},        {0.9, 0.1, 0.4}, {-0.3, 0.4, 1},
                                     {0.7, 0.7, 0.05}, {0.4, -0.2, 0.9}, {0.2, 0.9, 0.4}};
    const int count = (int)given;
    trm_vec3 at = {0, 0, 0.3};
    if (!scene_make_room(s, count, count)) return false;
    put(s->gravity, trm_v3(0, 0, -G));
    for (int i = 0; i < count; i++) {
        const trm_vec3 end = trm_v3_add_scaled(at, length[i], trm_v3_unit(towards[i]));
        add_rod(s, at, end, mass[i], 0.06);
        add_hinge(s, i - 1, i, at, axes[i]);
        at = end;
    }
    return true;
}

/* Builds a tree: rod i hangs on the end of rod (i-1)/2, on balls and hinges alternately. */
static bool build_tree(scene *s, double given)
{
    enum { MOST = 64 };
    const int count = (int)given;
    trm_vec3 ends[MOST] = {{0}};
    if (count > MOST || !scene_make_room(s, count, count)) return false;
    put(s->gravity, trm_v3(0, 0, -G));
    for (int i = 0; i < count; i++) {
        const int parent = i > 0 ? (i - 1) / 2 : -1;
        const double turn = 2.4 * i; /* the golden angle: rods point everywhere */
        const trm_vec3 at = parent < 0 ? trm_v3(0, 0, 0) : ends[parent], across = {-sin(turn), cos(turn), 0};
        ends[i] = trm_v3_add_scaled(at, 0.5, trm_v3_unit(trm_v3(cos(turn), sin(turn), 0.2)));
        add_rod(s, at, ends[i], 1, 0.05);
        if (i % 2 == 0)
            add_ball(s, parent, i, at);
        else
            add_hinge(s, parent, i, at, across);
    }
    return true;
}

/* ---- The list ----------------------------------------------------------------------------- */

#define CHAIN(rods, steps_, ...)                                                                                     \
    {                                                                                                                \
        .name = "chain-" #rods, .title = "Chain of " #rods " rods",                                                  \
        .about =                                                                                                     \
            "Rods of 1 m and 1 kg, radius 0.01 m, on ball joints, one end held, straight and level when let go.",    \
        .build = build_chain, .given = rods, .steps = steps_, .quick = 0.001, __VA_ARGS__                            \
    }
#define STEPS(...)                                                                                                   \
    {                                                                                                                \
        __VA_ARGS__                                                                                                  \
    }

const scene_kind smooth_kinds[] = {
    {.name = "pendulum",
     .title = "Pendulum",
     .about =
         "Two masses of 1 kg on a line of 1 m, one of them at the hinge, let go at 10 degrees: swings like a point "
         "mass on 1 m. The error is that of the period, against the elliptic integral.",
     .build = build_pendulum,
     .time = 10,
     .steps = {0.1, 0.07, 0.05, 0.025, 0.02, 0.01, 0.005, 0.0025},
     .quick = 0.01,
     .error = ERROR_PERIOD},
    {.name = "eight-loop",
     .title = "8-Loop",
     .about = "Eight rods of 1 m and 1 kg, radius 0.01 m, on ball joints, both ends fixed, let go from a zigzag "
              "(examples/eight-loop.json).",
     .build = build_loop,
     .given = 8,
     .time = 10,
     .steps = {0.005, 0.0025, 0.00125, 0.000625},
     .quick = 0.00125},
    CHAIN(10, STEPS(0.004, 0.002, 0.001, 0.0005), .time = 2),
    CHAIN(30, STEPS(0.002, 0.001, 0.0005), .time = 2),
    CHAIN(100, STEPS(0.002, 0.001), .time = 2),
    CHAIN(300, STEPS(0.001), .time = 2),
    CHAIN(1000, STEPS(0.001), .time = 2),
    CHAIN(10000, STEPS(0.001), .time = 0.2, .ours_only = true),
    CHAIN(100000, STEPS(0.001), .time = 0.02, .ours_only = true),
    {.name = "rhombus",
     .title = "Rhombus four-bar",
     .about = "Four bars of 1 m and 1 kg on hinges, hung from one corner (examples/rhombus.json): passes through the "
              "stretched pose, where its joints depend on each other.",
     .build = build_rhombus,
     .time = 10,
     .steps = {0.02, 0.01, 0.005, 0.0025},
     .quick = 0.01},
    {.name = "free-body",
     .title = "Free body",
     .about =
         "Moments 1, 2 and 3 kg m^2, turning at 1 rad/s about its middle axis, which is not stable. Errors of energy "
         "and angular momentum are relative.",
     .build = build_free_body,
     .time = 100,
     .steps = {0.04, 0.02, 0.01, 0.005},
     .quick = 0.01,
     .error = ERROR_FREE},
    {.name = "double-pendulums",
     .title = "100 double pendulums",
     .about = "Pairs of rods of 1 m and 1 kg on hinges, each let go from other angles.",
     .build = build_double_pendulums,
     .given = 100,
     .time = 1,
     .steps = {0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125, 0.000625},
     .quick = 0.01,
     .error = ERROR_POSITION},
    {.name = "arm",
     .title = "Arm with seven axes",
     .about = "Seven links, 19.5 kg and 1.15 m together, on hinges in turn along and across the arm, let go.",
     .build = build_arm,
     .given = 7,
     .time = 1,
     .steps = {0.02, 0.01, 0.005, 0.0025, 0.00125, 0.000625, 0.0003125},
     .quick = 0.01,
     .error = ERROR_POSITION},
    {.name = "tree",
     .title = "Tree of 20 rods",
     .about =
         "A binary tree of rods of 0.5 m and 1 kg, radius 0.05 m, on balls and hinges in turn, held at its root.",
     .build = build_tree,
     .given = 20,
     .time = 1,
     .steps = {0.02, 0.01, 0.005, 0.0025, 0.00125, 0.000625, 0.0003125},
     .quick = 0.01,
     .error = ERROR_POSITION},
    {0},
};
