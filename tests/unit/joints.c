/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Checks every entry of the joint list against its contract (model/joint.h): a new type is tested as soon as it is
 * listed.
 *
 * A rig is a model of two random bodies, or the ground and one, joined by the type under test; a type that acts on
 * another joint gets a hinge as host, and a slider in another rig. A moment is the poses, twists and the time of
 * that rig, either anywhere (open) or on the constraint surface (closed: the frame of B at X_A X_AB(q), or, for a
 * type without coordinates, by Newton's method on the residual). Derivatives are compared with finite differences
 * along the motion with constant velocity and constant angular velocity. The seed of a rig that fails is printed. */

#include <stdio.h>
#include <string.h>

#include "carried_shapes.h"
#include "check.h"
#include "differences.h"
#include "linalg/dense.h"
#include "linalg/echelon.h"
#include "model/model.h"
#include "random_bodies.h"

/* Some dozen roundings of numbers up to ten. */
static const double rounding = 1e-13;

/* Least length (m) and least distance from half a turn (cosine) of open moments: beyond them derivatives become
 * large. */
static const double well_apart = 1, well_turned = 0.3;

enum { RIGS = 3, SAMPLES = 20 };

/* Largest distance of open moments from the shape on which a point is held, in each coordinate (m); and least
 * distance along a spline from its knots (m), at which third derivatives jump. */
static const double off_the_shape = 0.1, off_knots = 0.05;

/* rad, m: axes of chain links are perpendicular at q = 0 up to the jitter, and q stays within the range, so that no
 * two axes become nearly parallel. */
static const double link_jitter = 0.1, link_range = 0.6;

/* ---- Rigs --------------------------------------------------------------------------------- */

typedef enum manner {
    IN_WORLD,  /* anchor and axes given in the world */
    IN_BODIES, /* the same in the bodies' frames */
    ASKEW,     /* in the bodies' frames, with a start that violates the joint */
    MANNERS
} manner;

typedef struct rig {
    const trm_joint_type *type;
    const char *host; /* type of the host; NULL: needs no host */
    bool on_ground;   /* A is the ground */
    manner manner;
    uint64_t seed;
    double q0[TRM_JOINT_COORDINATES];
    trm_vec3 points[SHAPE_POINTS];                   /* points of a spline */
    trm_coordinate_def links[TRM_JOINT_COORDINATES]; /* links of a chain */
    int link_count;
    trm_model *model;
    const trm_joint *joint;  /* of the type under test */
    const trm_joint *frames; /* the joint whose coordinates it acts on: the host, or itself */
} rig;

/* The rig under test, for the message of a failure. */
static rig under_test;

static int tell_what_failed(void **state)
{
    (void)state;
    if (under_test.type)
        print_error("while testing %s%s%s, %s, manner %d, seed %llu\n", under_test.type->name,
                    under_test.host ? " on " : "", under_test.host ? under_test.host : "",
                    under_test.on_ground ? "ground" : "two bodies", under_test.manner,
                    (unsigned long long)under_test.seed);
    under_test.type = NULL;
    return 0;
}

/* Place and axes of the joint in the world. */
typedef struct site {
    trm_vec3 anchor, axis, axis2;
} site;

static site random_site(trm_random *random)
{
    site s = {random_vector(random, 1), random_direction(random), {0, 0, 0}};
    const trm_vec3 across = trm_perpendicular(s.axis);
    s.axis2 = trm_rotate(trm_quat_from_axis_angle(s.axis, trm_random_uniform(random, -3, 3)), across);
    s.axis = trm_v3_scale(trm_random_uniform(random, 0.1, 10), s.axis); /* axes may have any length */
    return s;
}

static trm_vec3 jitter(const rig *r, trm_random *random)
{
    return random_vector(random, r->manner == ASKEW ? 0.1 : 0);
}

static void give_in_bodies(const rig *r, trm_random *random, const site *s, const trm_pose frames[2],
                           trm_joint_def *def)
{
    const bool two_axes = (r->type->takes & TRM_TAKES_AXIS2) != 0;
    for (int k = 0; k < 2; k++) {
        const trm_vec3 axis = k == 1 && two_axes ? s->axis2 : trm_v3_unit(s->axis);
        def->anchors[k] = trm_pose_point_back(frames[k], trm_v3_add(s->anchor, jitter(r, random)));
        if (trm_find_joint_type(def->type)->takes & TRM_TAKES_AXIS)
            def->axes[k] = trm_rotate_back(frames[k].q, trm_v3_add(axis, jitter(r, random)));
    }
}

/* Returns the links of a chain: hinges h and sliders s along x, y or z. */
static const char *letters_of(uint64_t seed)
{
    static const char *const chains[2 * RIGS] = {"hzhx",     "hzhyhx",     "sxszhy",
                                                 "szhzsxhx", "sxhzsyszhx", "sxsyszhzhyhx"};
    return chains[seed / 100 % RIGS * 2 + seed / 10 % 2];
}

static int links_of(uint64_t seed)
{
    return (int)strlen(letters_of(seed)) / 2;
}

static void give_chain(rig *r, trm_random *random, const site *s, trm_joint_def *def)
{
    const char *letter = letters_of(r->seed);
    const trm_quat turn = trm_quat_from_axis_angle(trm_v3_unit(s->axis), trm_random_uniform(random, -3, 3));
    r->link_count = links_of(r->seed);
    for (int i = 0; i < r->link_count; i++, letter += 2) {
        const trm_vec3 axis = trm_v3_add(trm_axis(letter[1] - 'x'), random_vector(random, link_jitter));
        r->links[i] = trm_default_coordinate_def();
        r->links[i].type = letter[0] == 'h' ? "hinge" : "slider";
        r->links[i].axis = trm_rotate(turn, axis);
        r->links[i].anchor = trm_v3_add(s->anchor, random_vector(random, 0.3));
    }
    def->coordinates = r->links;
    def->coordinate_count = r->link_count;
}

/* Returns a joint with all keys that the type takes. */
static trm_joint_def random_joint(rig *r, trm_random *random, const char *type_name, const trm_pose frames[2])
{
    const unsigned takes = trm_find_joint_type(type_name)->takes;
    const site s = random_site(random);
    trm_joint_def def = trm_default_joint_def();
    def.type = type_name;
    def.bodies[0] = r->on_ground ? "ground" : "a";
    def.bodies[1] = "b";
    if (takes & TRM_TAKES_CHAIN) {
        give_chain(r, random, &s, &def);
    } else if (takes & (TRM_TAKES_LENGTH | TRM_TAKES_SPAN)) {
        for (int k = 0; k < 2; k++) def.anchors[k] = random_vector(random, 1);
        def.length = trm_random_uniform(random, 1, 2);
    } else if (r->manner == IN_WORLD) {
        if (takes & TRM_TAKES_ANCHOR) def.anchor = s.anchor;
        if (takes & TRM_TAKES_AXIS) def.axis = s.axis;
        if (takes & TRM_TAKES_AXIS2) def.axis2 = s.axis2;
        if ((takes & TRM_TAKES_X_AXIS) && r->on_ground) def.x_axis = trm_v3_add(s.axis, s.axis2);
    } else {
        give_in_bodies(r, random, &s, frames, &def);
    }
    if (takes & TRM_TAKES_COORDINATE) memcpy(def.q0, r->q0, sizeof def.q0);
    const int kind = (int)(r->seed / 10); /* varies with the rig, and differs on the ground */
    if (takes & TRM_TAKES_CURVE) give_curve(random, kind, r->points, &def.curve);
    if (takes & TRM_TAKES_SURFACE) give_surface(random, kind / 10, &def.surface);
    if (takes & TRM_TAKES_PITCH) def.pitch = trm_random_uniform(random, 0.1, 0.5) * (r->on_ground ? -1 : 1);
    return def;
}

static void add_joints(rig *r, trm_random *random, const trm_pose frames[2], trm_model_def *def)
{
    const char *placed = r->host ? r->host : r->type->name;
    trm_joint_def joint = random_joint(r, random, placed, frames);
    joint.name = r->host ? "host" : "tested";
    trm_add_joint(def, &joint);
    if (!r->host) return;
    trm_joint_def hosted = trm_default_joint_def();
    hosted.name = "tested";
    hosted.type = r->type->name;
    hosted.joint = "host";
    hosted.motion = trm_expression_function("0.3*sin(2*t)+0.1*t^2");
    hosted.velocity = trm_expression_function("0.2*cos(t)-0.1*t");
    trm_add_joint(def, &hosted);
}

static void create_model(rig *r, const trm_model_def *def)
{
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_model_create(def, NULL, messages, &r->model);
    for (int i = 0; i < trm_message_count(messages); i++)
        print_error("%s: %s\n", trm_message_at(messages, i)->element, trm_message_at(messages, i)->text);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    r->joint = &r->model->joints[trm_find_joint(r->model, "tested")];
    r->type = r->joint->type; /* a chain has a type of its own */
    r->frames = r->host ? &r->model->joints[trm_find_joint(r->model, "host")] : r->joint;
}

static bool is_chain(const trm_joint_type *type)
{
    return (type->takes & TRM_TAKES_CHAIN) != 0;
}

/* Returns a random value of a coordinate: any length, any angle except half a turn, a rotation vector below half a
 * turn. */
static double random_coordinate(trm_random *random, trm_coordinate_kind kind)
{
    const double most = kind == TRM_COORDINATE_TURN ? 3 : kind == TRM_COORDINATE_ROTATION ? 1.6 : 1;
    return trm_random_uniform(random, -most, most);
}

static void build_rig(rig *r)
{
    trm_random random = trm_random_seed(r->seed);
    const trm_joint_type *placed = r->host ? trm_find_joint_type(r->host) : r->type;
    const trm_body_def a = random_body(&random, "a"), b = random_body(&random, "b");
    const trm_pose ground = trm_pose_identity();
    const trm_pose frames[2] = {r->on_ground ? ground : (trm_pose){a.orientation, a.position},
                                {b.orientation, b.position}};
    for (int k = 0; k < placed->coordinates; k++) r->q0[k] = random_coordinate(&random, placed->kind[k]);
    for (int k = 0; is_chain(placed) && k < links_of(r->seed); k++)
        r->q0[k] = trm_random_uniform(&random, -link_range, link_range);

    trm_model_def *def = trm_model_def_create(NULL);
    trm_add_body(def, &a);
    trm_add_body(def, &b);
    add_joints(r, &random, frames, def);
    create_model(r, def);
    trm_model_def_destroy(def);
}

typedef void (*joint_check)(const rig *r, trm_random *random);

static void check_rig(rig r, joint_check check, int samples)
{
    trm_random random = trm_random_seed(r.seed + 1);
    under_test = r;
    build_rig(&r);
    for (int i = 0; i < samples; i++) check(&r, &random);
    trm_model_destroy(r.model);
    under_test.type = NULL;
}

/* Calls check for all types with their hosts, with and without the ground, with all manners of definition. */
static void for_every_joint(joint_check check, int samples, manner last)
{
    static const char *const hosts[2] = {"hinge", "slider"};
    for (int i = 0; i < trm_joint_type_count(); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        const bool hosted = (type->takes & TRM_TAKES_JOINT) != 0;
        if (type->takes & (TRM_TAKES_JOINTS | TRM_TAKES_TERMS | TRM_TAKES_SUM))
            continue; /* on several joints: gears.c */
        for (int n = 0; n < RIGS * (hosted ? 2 : 1); n++)
            for (int ground = 0; ground < 2; ground++)
                for (manner m = IN_WORLD; m <= last; m++) {
                    const uint64_t seed = (uint64_t)(1000 * i + 100 * n + 10 * ground + (int)m);
                    check_rig((rig){.type = type,
                                    .host = hosted ? hosts[n % 2] : NULL,
                                    .on_ground = ground,
                                    .manner = m,
                                    .seed = seed},
                              check, samples);
                }
    }
}

#define CLAIM(name, check, samples, last)                                                                            \
    static void name(void **state)                                                                                   \
    {                                                                                                                \
        (void)state;                                                                                                 \
        for_every_joint(check, samples, last);                                                                       \
    }

/* ---- Moments ------------------------------------------------------------------------------ */

enum { BODIES = 3 }; /* ground, a, b */

typedef struct moment {
    trm_pose X[BODIES]; /* of the principal frames */
    trm_spatial V[BODIES];
    double t;
    double q[TRM_JOINT_COORDINATES], qd[TRM_JOINT_COORDINATES];
} moment;

static moment at_start(const rig *r)
{
    moment m = {0};
    for (int i = 0; i < BODIES; i++) m.X[i] = r->model->bodies[i].start;
    memcpy(m.q, r->frames->start_memory, sizeof m.q);
    return m;
}

/* Returns the joint after the bodies have moved with constant twists for a time s. */
static trm_joint_at joint_after(const trm_joint *joint, const moment *m, double s)
{
    trm_pose X[BODIES];
    for (int i = 0; i < BODIES; i++) X[i] = moved_by(m->X[i], m->V[i], s);
    return trm_joint_at_poses(joint, X, m->V, m->t + s, m->q);
}

/* A screw that is open by half a turn may be closed in two ways, and its residual jumps there. */
static bool is_within_its_turn(const trm_joint_at *at)
{
    double c[TRM_JOINT_ROWS];
    if (!(at->joint->type->takes & TRM_TAKES_PITCH)) return true;
    trm_joint_residual(at, c);
    return fabs(c[at->joint->rows - 1]) < 3 * fabs(at->joint->pitch);
}

static bool is_well_conditioned(const rig *r, const moment *m)
{
    const trm_joint_at at = joint_after(r->joint, m, 0);
    const trm_pose X_AB = trm_joint_relative_pose(&at);
    return trm_v3_length(X_AB.p) > well_apart && fabs(X_AB.q.w) > well_turned && is_within_its_turn(&at);
}

static void close_by_newton(const rig *r, moment *m);

static bool is_held_on_a_shape(const rig *r)
{
    return (r->type->takes & (TRM_TAKES_CURVE | TRM_TAKES_SURFACE)) != 0;
}

/* Sets the memory of the joint as if it had been there from the start. */
static void recall(const rig *r, moment *m)
{
    trm_joint_at at = joint_after(r->joint, m, 0);
    at.memory = NULL;
    if (r->joint->curve) trm_joint_remember(&at, 0, m->q);
}

static bool is_near_a_knot(const rig *r, const moment *m)
{
    const trm_space_curve *curve = r->joint->curve;
    for (int i = 0; curve && i < curve->count; i++)
        if (fabs(m->q[0] - curve->s[i]) < off_knots) return true;
    return false;
}

/* Moves a chain near its constraint surface, as it is in a run. */
static void put_near_chain(const rig *r, trm_random *random, moment *m)
{
    const trm_joint *joint = r->joint;
    const trm_pose X_A = trm_pose_mul(m->X[joint->body[0]], joint->frame[0]);
    for (int k = 0; k < joint->coordinates; k++) m->q[k] = trm_random_uniform(random, -link_range, link_range);
    const trm_pose off = {trm_quat_exp(random_vector(random, off_the_shape)), random_vector(random, off_the_shape)};
    const trm_pose X_B = trm_pose_mul(trm_pose_mul(X_A, joint->type->place(joint, m->q)), off);
    m->X[joint->body[1]] = trm_pose_mul(X_B, trm_pose_inverse(joint->frame[1]));
}

/* Moves the point of B near the shape. Shapes extend over metres and are curved within one metre: slow motion keeps
 * sixth derivatives small enough for differences. */
static void put_near(const rig *r, trm_random *random, moment *m)
{
    trm_pose *b = &m->X[r->joint->body[1]];
    for (int i = 1; i < BODIES; i++) m->V[i] = trm_sp_add_scaled(m->V[i], -0.5, m->V[i]);
    recall(r, m);
    close_by_newton(r, m);
    b->p = trm_v3_add(b->p, random_vector(random, off_the_shape));
    recall(r, m);
}

/* Returns a moment with any poses, or with a point near the shape. */
static moment open_moment(const rig *r, trm_random *random)
{
    moment m = at_start(r);
    m.t = trm_random_uniform(random, 0, 2);
    do {
        for (int i = 1; i < BODIES; i++) m.X[i] = random_pose(random), m.V[i] = random_spatial(random);
        if (is_held_on_a_shape(r)) put_near(r, random, &m);
        if (is_chain(r->type)) put_near_chain(r, random, &m);
    } while (!is_chain(r->type) && (!is_well_conditioned(r, &m) || is_near_a_knot(r, &m)));
    return m;
}

/* Closes the joint by Newton's method with the least step of B: J_b J_b^T lambda = -c. */
static void close_by_newton(const rig *r, moment *m)
{
    enum { ROUNDS = 30 };
    const int rows = r->joint->rows, b = r->joint->body[1];
    for (int round = 0; round < ROUNDS; round++) {
        const trm_joint_at at = joint_after(r->joint, m, 0);
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], step = {{0, 0, 0}, {0, 0, 0}};
        double c[TRM_JOINT_ROWS], A[TRM_JOINT_ROWS * TRM_JOINT_ROWS], inverse[TRM_JOINT_ROWS * TRM_JOINT_ROWS];
        trm_joint_residual(&at, c);
        trm_joint_jacobian(&at, J);
        for (int i = 0; i < rows * rows; i++)
            A[i] = trm_sp_dot(J[i / rows * at.joint->body_count + 1], J[i % rows * at.joint->body_count + 1]);
        assert_true(trm_dense_inverse(A, rows, inverse));
        for (int i = 0; i < rows * rows; i++)
            step = trm_sp_add_scaled(step, -inverse[i] * c[i % rows], J[i / rows * at.joint->body_count + 1]);
        m->X[b] = moved_by(m->X[b], step, 1);
    }
}

/* Returns the twist of B that moves with A plus the motion along the coordinates with qd. */
static trm_spatial twist_of_b(const rig *r, const moment *m)
{
    const trm_joint_at at = joint_after(r->frames, m, 0);
    const trm_spatial V_a = at.V[0];
    trm_spatial S[TRM_JOINT_COORDINATES], relative = {{0, 0, 0}, {0, 0, 0}};
    r->frames->type->subspace(r->frames, m->q, S);
    for (int k = 0; k < r->frames->type->coordinates; k++) relative = trm_sp_add_scaled(relative, m->qd[k], S[k]);

    /* of the origin of frame B, then of the centre of mass of B, from which r_b leads to that origin */
    const trm_vec3 arm = trm_v3_add(at.r[0], trm_v3_sub(at.X[1].p, at.X[0].p));
    const trm_vec3 ang = trm_v3_add(V_a.ang, trm_rotate(at.X[0].q, relative.ang));
    trm_vec3 lin = trm_v3_add(V_a.lin, trm_v3_cross(V_a.ang, arm));
    lin = trm_v3_add(lin, trm_rotate(at.X[0].q, relative.lin));
    return trm_sp(ang, trm_v3_sub(lin, trm_v3_cross(ang, at.r[1])));
}

/* Returns a moment on the constraint surface, or, for a joint with a host, on that of the host with the coordinate
 * within a given distance of its target. Where there are coordinates, the twists keep it there. */
static moment closed_moment(const rig *r, trm_random *random, double off)
{
    const trm_joint *joint = r->frames;
    moment m = open_moment(r, random);
    if (!joint->type->place) {
        if (joint->rows > 0) close_by_newton(r, &m);
        return m;
    }
    for (int k = 0; k < joint->type->coordinates; k++) {
        m.q[k] = is_chain(joint->type) ? trm_random_uniform(random, -link_range, link_range)
                                       : random_coordinate(random, joint->type->kind[k]);
        m.qd[k] = trm_random_uniform(random, -1, 1);
    }
    if (r->joint->motion.first)
        m.q[0] = trm_function_at(r->joint->motion.first, m.t).v + trm_random_uniform(random, -off, off);
    if (r->joint->velocity.first) m.q[1] = m.t; /* q is the memory too: a motor stands where it ought to, now */
    const trm_pose X_A = trm_pose_mul(m.X[joint->body[0]], joint->frame[0]);
    const trm_pose X_B = trm_pose_mul(X_A, joint->type->place(joint, m.q));
    m.X[joint->body[1]] = trm_pose_mul(X_B, trm_pose_inverse(joint->frame[1]));
    m.V[joint->body[1]] = twist_of_b(r, &m);
    return m;
}

/* Returns a moment at which the rows of a joint are exact: anywhere, or for a joint with a host on the host's
 * surface. */
static moment exact_moment(const rig *r, trm_random *random)
{
    return r->host ? closed_moment(r, random, 1) : open_moment(r, random);
}

static double row_velocity(const trm_joint_at *at, const trm_spatial *row)
{
    double sum = 0;
    for (int b = 0; b < at->joint->body_count; b++) sum += trm_sp_dot(row[b], at->V[b]);
    return sum;
}

/* ---- Constraint side ---------------------------------------------------------------------- */

typedef struct along {
    const trm_joint *joint;
    const moment *m;
} along;

static void residual_along(const void *context, double s, double *c)
{
    const along *way = context;
    const trm_joint_at at = joint_after(way->joint, way->m, s);
    trm_joint_residual(&at, c);
}

static void rate_is_jacobian(const rig *r, trm_random *random)
{
    moment m = exact_moment(r, random);
    m.V[r->joint->body[1]] = random_spatial(random);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    double slope[TRM_JOINT_ROWS], c_t[TRM_JOINT_ROWS];
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    slope_of(residual_along, &(along){r->joint, &m}, r->joint->rows, slope);
    trm_joint_jacobian(&at, J);
    trm_joint_rate(&at, c_t);
    for (int i = 0; i < r->joint->rows; i++)
        assert_near(row_velocity(&at, J + i * at.joint->body_count) + c_t[i], slope[i], slope_tolerance);
}

CLAIM(residuals_change_at_the_rate_J_V_plus_c_t, rate_is_jacobian, SAMPLES, IN_BODIES)

static void curvature_is_gamma(const rig *r, trm_random *random)
{
    const moment m = exact_moment(r, random);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    double curvature[TRM_JOINT_ROWS], gamma_[TRM_JOINT_ROWS];
    curvature_of(residual_along, &(along){r->joint, &m}, r->joint->rows, curvature);
    trm_joint_gamma(&at, gamma_);
    for (int i = 0; i < r->joint->rows; i++) assert_near(gamma_[i], -curvature[i], curvature_tolerance);
}

CLAIM(gamma_is_minus_the_second_derivative_without_accelerations, curvature_is_gamma, SAMPLES, IN_BODIES)

/* Open moments, so that axes matter if a part does not declare that it reads them. */
static void residual_and_rows_alone_are_the_same(const rig *r, trm_random *random)
{
    const moment m = open_moment(r, random);
    const trm_joint_at at = trm_joint_at_poses(r->joint, m.X, m.V, m.t, NULL);
    double c[TRM_JOINT_ROWS], alone[TRM_JOINT_ROWS];
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], J_alone[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    trm_joint_residual(&at, c);
    trm_joint_residual_at(r->joint, m.X, m.t, NULL, alone);
    trm_joint_jacobian(&at, J);
    trm_joint_jacobian_at(r->joint, m.X, m.t, NULL, J_alone);
    for (int i = 0; i < r->joint->rows; i++) assert_true(alone[i] == c[i]);
    for (int i = 0; i < r->joint->rows * r->joint->body_count; i++) {
        const trm_spatial difference = trm_sp_add_scaled(J[i], -1, J_alone[i]);
        assert_true(trm_sp_dot(difference, difference) == 0);
    }
}

CLAIM(residual_and_rows_can_be_had_alone, residual_and_rows_alone_are_the_same, SAMPLES, IN_BODIES)

static void assert_closed(const trm_joint_at *at)
{
    double c[TRM_JOINT_ROWS];
    trm_joint_residual(at, c);
    for (int i = 0; i < at->joint->rows; i++) assert_near(c[i], 0, rounding);
}

static void surface_is_closed(const rig *r, trm_random *random)
{
    const moment m = closed_moment(r, random, 0);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    assert_closed(&at);
    assert_near(trm_joint_gap(&at).position, 0, rounding);
    assert_near(trm_joint_gap(&at).angle, 0, rounding);
}

CLAIM(residuals_vanish_on_the_surface, surface_is_closed, SAMPLES, IN_BODIES)

/* Returns the rank of the rows over the bodies from the given first one on. */
static int rank_of_rows(const trm_joint *joint, const trm_spatial *J, int first)
{
    /* rows have length one here; the remainder of a dependent one is a thousand times smaller */
    const double tolerance = 1e-10;
    enum { COLUMNS = 6 * TRM_JOINT_BODIES };
    int columns[COLUMNS];
    trm_arena arena;
    for (int i = 0; i < COLUMNS; i++) columns[i] = i;
    trm_arena_init(&arena, NULL);
    trm_echelon *echelon = trm_echelon_create(&arena, COLUMNS);
    assert_non_null(echelon);
    for (int i = 0; i < joint->rows; i++) {
        double row[COLUMNS];
        for (int b = first; b < joint->body_count; b++)
            memcpy(row + 6 * (b - first), &J[i * joint->body_count + b], sizeof(trm_spatial));
        trm_echelon_add(echelon, columns, row, 6 * (joint->body_count - first), tolerance);
    }
    const int rank = trm_echelon_rank(echelon);
    trm_arena_destroy(&arena);
    return rank;
}

static void rows_are_independent(const rig *r, trm_random *random)
{
    const moment m = closed_moment(r, random, 0);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    trm_joint_jacobian(&at, J);
    assert_int_equal(rank_of_rows(r->joint, J, 0), r->joint->rows);
    assert_int_equal(rank_of_rows(r->joint, J, 1), r->joint->rows); /* B alone, as against the ground */
}

CLAIM(rows_are_independent_on_the_surface, rows_are_independent, SAMPLES, IN_BODIES)

/* Computes J^T lambda for random multipliers, one wrench per body. */
static void random_reaction(const trm_joint_at *at, trm_random *random, trm_spatial *F)
{
    const int bodies = at->joint->body_count;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    trm_joint_jacobian(at, J);
    for (int b = 0; b < bodies; b++) F[b] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < at->joint->rows; i++) {
        const double lambda = trm_random_uniform(random, -1, 1);
        for (int b = 0; b < bodies; b++) F[b] = trm_sp_add_scaled(F[b], lambda, J[i * bodies + b]);
    }
}

/* Along free directions of the joint, and when both bodies move together. */
static void reaction_does_no_work(const rig *r, trm_random *random)
{
    const moment m = closed_moment(r, random, 0);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    trm_spatial F[TRM_JOINT_BODIES];
    random_reaction(&at, random, F);
    if (r->type->place) assert_near(row_velocity(&at, F), 0, rounding);

    const trm_spatial shared = random_spatial(random);
    double power = 0;
    for (int b = 0; b < at.joint->body_count; b++) {
        const trm_vec3 s = m.X[at.joint->body[b]].p;
        power += trm_sp_dot(F[b], trm_sp(shared.ang, trm_v3_add(shared.lin, trm_v3_cross(shared.ang, s))));
    }
    assert_near(power, 0, rounding);
}

CLAIM(reactions_do_no_work_on_what_the_joint_leaves_free, reaction_does_no_work, SAMPLES, IN_BODIES)

static void action_is_reaction(const rig *r, trm_random *random)
{
    const moment m = closed_moment(r, random, 0);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    trm_spatial F[TRM_JOINT_BODIES];
    trm_vec3 force = {0, 0, 0}, torque = {0, 0, 0}; /* about the world's origin */
    random_reaction(&at, random, F);
    for (int b = 0; b < at.joint->body_count; b++) {
        force = trm_v3_add(force, F[b].lin);
        torque = trm_v3_add(torque, trm_v3_add(F[b].ang, trm_v3_cross(m.X[at.joint->body[b]].p, F[b].lin)));
    }
    assert_near(trm_v3_length(force), 0, rounding);
    assert_near(trm_v3_length(torque), 0, rounding);
}

CLAIM(reactions_on_all_bodies_add_up_to_nothing, action_is_reaction, SAMPLES, IN_BODIES)

static void gap_is_the_same_elsewhere(const rig *r, trm_random *random)
{
    moment m = exact_moment(r, random);
    const trm_joint_at before = joint_after(r->joint, &m, 0);
    const trm_gap gap = trm_joint_gap(&before);
    const trm_pose away = random_pose(random);
    for (int i = 0; i < BODIES; i++) m.X[i] = trm_pose_mul(away, m.X[i]);
    const trm_joint_at after = joint_after(r->joint, &m, 0);
    assert_near(trm_joint_gap(&after).position, gap.position, rounding);
    assert_near(trm_joint_gap(&after).angle, gap.angle, rounding);
}

CLAIM(moving_everything_together_changes_no_gap, gap_is_the_same_elsewhere, SAMPLES, IN_BODIES)

static void velocity_gap_is_slope(const rig *r, trm_random *random)
{
    const moment m = exact_moment(r, random);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    const trm_gap gap = trm_joint_velocity_gap(&at);
    double slope[TRM_JOINT_ROWS], squares = 0;
    slope_of(residual_along, &(along){r->joint, &m}, r->joint->rows, slope);
    for (int i = 0; i < r->joint->rows; i++) squares += slope[i] * slope[i];
    assert_near(hypot(gap.position, gap.angle), sqrt(squares), slope_tolerance);
}

CLAIM(velocity_gaps_are_the_rate_of_the_residual, velocity_gap_is_slope, SAMPLES, IN_BODIES)

static trm_quat negative(trm_quat q)
{
    return (trm_quat){-q.w, -q.x, -q.y, -q.z};
}

/* A body after a full turn has the same orientation and the opposite quaternion. */
static void sign_does_not_matter(const rig *r, trm_random *random)
{
    moment m = exact_moment(r, random);
    trm_joint_at at = joint_after(r->joint, &m, 0);
    double c[TRM_JOINT_ROWS], c_turned[TRM_JOINT_ROWS], gamma_[TRM_JOINT_ROWS], gamma_turned[TRM_JOINT_ROWS];
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], J_turned[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    trm_joint_residual(&at, c);
    trm_joint_jacobian(&at, J);
    trm_joint_gamma(&at, gamma_);
    at.X[1].q = negative(at.X[1].q);
    trm_joint_residual(&at, c_turned);
    trm_joint_jacobian(&at, J_turned);
    trm_joint_gamma(&at, gamma_turned);
    for (int i = 0; i < r->joint->rows; i++) {
        assert_near(c_turned[i], c[i], rounding);
        assert_near(gamma_turned[i], gamma_[i], rounding);
        for (int b = 0; b < r->joint->body_count; b++) {
            const int k = i * r->joint->body_count + b;
            assert_near(trm_v3_length(trm_v3_sub(J_turned[k].ang, J[k].ang)), 0, rounding);
            assert_near(trm_v3_length(trm_v3_sub(J_turned[k].lin, J[k].lin)), 0, rounding);
        }
    }
}

CLAIM(the_sign_of_a_quaternion_does_not_matter, sign_does_not_matter, SAMPLES, IN_BODIES)

static void rows_are_two_sided(const rig *r, trm_random *random)
{
    (void)random;
    assert_false(r->joint->one_sided);
}

CLAIM(rows_are_bilateral_unless_bounded, rows_are_two_sided, 1, IN_WORLD)

/* ---- Coordinate side ---------------------------------------------------------------------- */

typedef struct coordinate_line {
    const trm_joint *joint;
    const double *q, *qd;
} coordinate_line;

static void q_after(const coordinate_line *line, double s, double *q)
{
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) q[k] = line->q[k] + s * line->qd[k];
}

static void write_spatial(trm_spatial v, double *y)
{
    memcpy(y, &v, sizeof v);
}

/* Returns the rotation vector from the present pose, and the origin of B: its derivative is the twist in axes of
 * A. */
static void place_along(const void *context, double s, double *y)
{
    const coordinate_line *line = context;
    double q[TRM_JOINT_COORDINATES];
    q_after(line, s, q);
    const trm_pose here = line->joint->type->place(line->joint, line->q);
    const trm_pose there = line->joint->type->place(line->joint, q);
    write_spatial(trm_sp(trm_quat_log(trm_quat_mul(there.q, trm_quat_conj(here.q))), there.p), y);
}

/* S(q) qd */
static void twist_along(const void *context, double s, double *y)
{
    const coordinate_line *line = context;
    double q[TRM_JOINT_COORDINATES];
    trm_spatial S[TRM_JOINT_COORDINATES], sum = {{0, 0, 0}, {0, 0, 0}};
    q_after(line, s, q);
    line->joint->type->subspace(line->joint, q, S);
    for (int k = 0; k < line->joint->type->coordinates; k++) sum = trm_sp_add_scaled(sum, line->qd[k], S[k]);
    write_spatial(sum, y);
}

static void assert_spatial_near(trm_spatial actual, const double *expected, double tolerance)
{
    double y[6];
    write_spatial(actual, y);
    for (int i = 0; i < 6; i++) assert_near(y[i], expected[i], tolerance);
}

static void subspace_is_slope_of_place(const rig *r, trm_random *random)
{
    if (!r->type->place) return;
    const moment m = closed_moment(r, random, 0);
    trm_spatial S[TRM_JOINT_COORDINATES];
    double slope[6];
    r->type->subspace(r->joint, m.q, S);
    for (int k = 0; k < r->type->coordinates; k++) {
        double one[TRM_JOINT_COORDINATES] = {0};
        one[k] = 1;
        slope_of(place_along, &(coordinate_line){r->joint, m.q, one}, 6, slope);
        assert_spatial_near(S[k], slope, slope_tolerance);
    }
    slope_of(twist_along, &(coordinate_line){r->joint, m.q, m.qd}, 6, slope);
    assert_spatial_near(r->type->subspace_rate(r->joint, m.q, m.qd), slope, slope_tolerance);
}

CLAIM(subspace_and_its_rate_are_derivatives_of_the_placement, subspace_is_slope_of_place, SAMPLES, IN_WORLD)

static void coordinates_come_back(const rig *r, trm_random *random)
{
    if (!r->type->place) return;
    const moment m = closed_moment(r, random, 0);
    double q[TRM_JOINT_COORDINATES];
    trm_pose X_AB = r->type->place(r->joint, m.q);
    for (int sign = 0; sign < 2; sign++) { /* q and -q are the same orientation */
        for (int k = 0; k < r->type->coordinates; k++) q[k] = m.q[k] + trm_random_uniform(random, -0.1, 0.1);
        r->type->coordinates_from(r->joint, X_AB, q);
        for (int k = 0; k < r->type->coordinates; k++) assert_near(q[k], m.q[k], rounding);
        X_AB.q = negative(X_AB.q);
    }
}

CLAIM(coordinates_undo_the_placement, coordinates_come_back, SAMPLES, IN_WORLD)

static void coordinates_along(const void *context, double s, double *q)
{
    const along *way = context;
    const trm_joint_at at = joint_after(way->joint, way->m, s);
    trm_joint_coordinates(&at, q);
}

static void coordinate_rows_are_slopes(const rig *r, trm_random *random)
{
    if (r->type->coordinates == 0) return;
    moment m = closed_moment(r, random, 0);
    double slope[TRM_JOINT_COORDINATES], qd[TRM_JOINT_COORDINATES];
    trm_spatial G[TRM_JOINT_COORDINATES * TRM_JOINT_BODIES];
    for (int away = 0; away < 2; away++) { /* closed, then open */
        const trm_joint_at at = joint_after(r->joint, &m, 0);
        slope_of(coordinates_along, &(along){r->joint, &m}, r->type->coordinates, slope);
        trm_joint_coordinate_rows(&at, G);
        trm_joint_coordinate_rates(&at, qd);
        for (int k = 0; k < r->type->coordinates; k++) {
            if (!away && r->type->place) assert_near(qd[k], m.qd[k], rounding);
            assert_near(qd[k], slope[k], slope_tolerance);
            assert_near(row_velocity(&at, G + 2 * k), slope[k], slope_tolerance);
        }
        m.V[r->joint->body[1]] = random_spatial(random);
    }
}

CLAIM(coordinate_rows_and_rates_are_derivatives_of_the_coordinates, coordinate_rows_are_slopes, SAMPLES, IN_BODIES)

static void coordinate_bias_is_curvature(const rig *r, trm_random *random)
{
    if (r->type->coordinates == 0) return;
    const moment m = closed_moment(r, random, 0);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    double curvature[TRM_JOINT_COORDINATES], bias[TRM_JOINT_COORDINATES];
    curvature_of(coordinates_along, &(along){r->joint, &m}, r->type->coordinates, curvature);
    trm_joint_coordinate_bias(&at, bias);
    for (int k = 0; k < r->type->coordinates; k++) assert_near(bias[k], curvature[k], curvature_tolerance);
}

CLAIM(coordinate_bias_is_their_second_derivative_without_accelerations, coordinate_bias_is_curvature, SAMPLES,
      IN_BODIES)

static void start_reads_q0(const rig *r, trm_random *random)
{
    (void)random;
    if (!r->type->place) return;
    const moment m = at_start(r);
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    double q[TRM_JOINT_COORDINATES];
    trm_joint_coordinates(&at, q);
    for (int k = 0; k < r->type->coordinates; k++) {
        assert_near(q[k], r->q0[k], rounding);
        assert_true(r->joint->start_memory[k] == r->q0[k]);
    }
    if (r->manner != ASKEW) assert_closed(&at);
}

CLAIM(the_start_reads_q0_and_is_closed_where_it_fits, start_reads_q0, 1, ASKEW)

/* ---- Turns -------------------------------------------------------------------------------- */

/* m, rad: for 700 rad, a hundred times the rounding of their sines. */
static const double digits = 1e-11;

/* Turns coordinate k to q with a rate of qd and updates the memory of the joint. */
static void turn_to(const rig *r, moment *m, int k, double q, double qd, double dt, double *memory)
{
    const trm_pose X_A = trm_pose_mul(m->X[r->joint->body[0]], r->joint->frame[0]);
    m->q[k] = q;
    memset(m->qd, 0, sizeof m->qd);
    m->qd[k] = qd;
    m->X[r->joint->body[1]] =
        trm_pose_mul(trm_pose_mul(X_A, r->type->place(r->joint, m->q)), trm_pose_inverse(r->joint->frame[1]));
    m->V[r->joint->body[1]] = twist_of_b(r, m);
    trm_joint_at at = joint_after(r->joint, m, 0);
    at.memory = memory;
    trm_joint_remember(&at, dt, memory);
    assert_near(trm_joint_gap(&at).position, 0, digits);
    assert_near(trm_joint_gap(&at).angle, 0, digits);
}

/* Turns beyond a hundred revolutions in one direction, then as far in the other. speed: ratio of the given rate to
 * the true one. */
static void turn_to_and_fro(const rig *r, trm_random *random, int k, double step, double speed)
{
    const double far = 101 * 2 * TRM_PI, dt = 0.01;
    moment m = closed_moment(r, random, 0);
    double memory[TRM_JOINT_COORDINATES], q = m.q[k];
    memcpy(memory, m.q, sizeof memory);
    for (int side = 1; side >= -1; side -= 2)
        while (side * q < far) {
            q += side * step;
            turn_to(r, &m, k, q, speed * side * step / dt, dt, memory);
            for (int i = 0; i < r->type->coordinates; i++) assert_near(memory[i], m.q[i], digits);
        }
    assert_true(memory[k] < -200 * TRM_PI);
}

static void turns_are_counted(const rig *r, trm_random *random)
{
    if (!r->type->place) return;
    for (int k = 0; k < r->type->coordinates; k++) {
        if (r->type->kind[k] != TRM_COORDINATE_TURN) continue;
        turn_to_and_fro(r, random, k, 0.7, 0); /* less than half a turn needs no velocity */
        turn_to_and_fro(r, random, k, 10, 1);
        turn_to_and_fro(r, random, k, 10, 0.8); /* nor must it be exact: the error is 2 rad here */
    }
}

CLAIM(turns_are_counted_past_a_hundred_both_ways, turns_are_counted, 1, IN_WORLD)

/* The motion of the rigs reaches 160 rad (or metres) after 40 s. */
static void motion_is_followed_far(const rig *r, trm_random *random)
{
    if (!r->joint->motion.first) return;
    const double digits_of_motion = 1e-12; /* of 160 */
    moment m = closed_moment(r, random, 0);
    m.t = 40;
    m.q[0] = trm_function_at(r->joint->motion.first, m.t).v;
    const trm_joint_at start = joint_after(r->frames, &m, 0);
    const trm_pose X_B = trm_pose_mul(start.X[0], r->frames->type->place(r->frames, m.q));
    m.X[r->joint->body[1]] = trm_pose_mul(X_B, trm_pose_inverse(r->frames->frame[1]));
    const trm_joint_at at = joint_after(r->joint, &m, 0);
    double c;
    trm_joint_residual(&at, &c);
    assert_near(c, 0, digits_of_motion);
}

CLAIM(a_prescribed_motion_is_followed_over_many_turns, motion_is_followed_far, SAMPLES, IN_WORLD)

/* ---- Gaps --------------------------------------------------------------------------------- */

/* B is displaced and rotated relative to the closed pose, in axes of frame A; and the expected gap. */
typedef struct pull {
    const char *type, *host;
    trm_vec3 shift, turn;
    trm_gap gap;
    double tilt; /* additional rotation of B about z of A x x of B */
} pull;

/* Angles so small that their sines differ by less than the tolerance. */
static const double small_angle = 1e-4, small_angle_tolerance = 1e-12;

static void assert_gap_of_pull(const pull *p, uint64_t seed)
{
    rig r = {.type = trm_find_joint_type(p->type), .host = p->host, .seed = seed};
    trm_random random = trm_random_seed(seed);
    under_test = r;
    build_rig(&r);
    moment m = closed_moment(&r, &random, 0);
    const trm_joint_at closed = joint_after(r.joint, &m, 0);
    const trm_vec3 across =
        trm_v3_cross(trm_rotate(closed.X[0].q, trm_axis(2)), trm_rotate(closed.X[1].q, trm_axis(0)));
    const trm_spatial step = trm_sp(trm_v3_add_scaled(trm_rotate(closed.X[0].q, p->turn), p->tilt, across),
                                    trm_rotate(closed.X[0].q, p->shift));
    const trm_pose X_B = moved_by(closed.X[1], step, 1);
    m.X[r.joint->body[1]] = trm_pose_mul(X_B, trm_pose_inverse(r.joint->frame[1]));
    const trm_joint_at at = joint_after(r.joint, &m, 0);
    assert_near(trm_joint_gap(&at).position, p->gap.position, rounding);
    assert_near(trm_joint_gap(&at).angle, p->gap.angle, small_angle_tolerance);
    trm_model_destroy(r.model);
    under_test.type = NULL;
}

static void a_joint_pulled_apart_reads_the_distance_and_the_angle(void **state)
{
    (void)state;
    const double e = small_angle;
    const pull pulls[] = {
        {"ball", NULL, {0.3, 0, 0.4}, {e, 0, 0}, {0.5, 0}, 0},
        {"hinge", NULL, {0, 0, 0.2}, {0, 0, 0}, {0.2, 0}, 0},
        {"hinge", NULL, {0.1, 0, 0}, {0.6 * e, 0.8 * e, 0}, {0.1, e}, 0},
        {"universal", NULL, {0, 0.3, 0}, {0, 0, e}, {0.3, 0}, 0},
        {"universal", NULL, {0, 0.3, 0}, {0, 0, 0}, {0.3, e}, e},
        {"slider", NULL, {0, 0, 0.7}, {0, 0, e}, {0, e}, 0},
        {"slider", NULL, {0.4, 0.3, 0.7}, {0, e, 0}, {0.5, e}, 0},
        {"cylinder", NULL, {0.4, 0.3, 0.7}, {0.6 * e, 0.8 * e, 0}, {0.5, e}, 0},
        {"cylinder", NULL, {0, 0, 0.7}, {0, 0, 2}, {0, 0}, 0},
        {"screw", NULL, {0.4, 0.3, 0}, {0, 0, 0}, {0.5, 0}, 0},
        {"screw", NULL, {0, 0, 0.01}, {0, 0, 0}, {0.01, 0}, 0},
        {"planar", NULL, {0.4, 0.3, 0.7}, {0, 0, 2}, {0.7, 0}, 0},
        {"planar", NULL, {0, 0, 0}, {0.8 * e, 0.6 * e, 0}, {0, e}, 0},
        {"rail", NULL, {0.4, 0.3, 0.7}, {1, 0, 2}, {0.5, 0}, 0},
        {"slot", NULL, {0.4, 0.3, 0.7}, {1, 0, 2}, {0.7, 0}, 0},
        {"fixed", NULL, {0.3, 0.4, 0}, {0.6 * e, 0, 0.8 * e}, {0.5, e}, 0},
        {"drive", "slider", {0.5, 0, 0.02}, {0, 0, 0}, {0.02, 0}, 0},
        {"drive", "hinge", {0.5, 0, 0}, {0, 0, e}, {0, e}, 0},
    };
    for (size_t i = 0; i < sizeof pulls / sizeof *pulls; i++)
        for (uint64_t seed = 0; seed < RIGS; seed++) assert_gap_of_pull(&pulls[i], seed);
}

/* Returns the gap of two points at a distance, joined by a rod or a rope of another length, that move apart with a
 * given speed. */
static trm_gap gap_of_length(double distance, double speed, bool rope, trm_gap *velocity_gap)
{
    trm_body_def point = trm_default_body_def();
    point.name = "p";
    point.kind = TRM_BODY_POINT;
    point.mass = 1;
    point.position = trm_v3(0, distance, 0);
    trm_joint_def joint = trm_default_joint_def();
    joint.name = "tested";
    joint.type = "distance";
    joint.bodies[0] = "ground", joint.bodies[1] = "p";
    joint.anchors[0] = joint.anchors[1] = trm_v3(0, 0, 0);
    joint.length = 1;
    joint.rope = rope;

    rig r = {.type = trm_find_joint_type("distance")};
    trm_model_def *def = trm_model_def_create(NULL);
    trm_add_body(def, &point);
    trm_add_joint(def, &joint);
    create_model(&r, def);
    trm_model_def_destroy(def);

    const trm_pose X[2] = {r.model->bodies[0].start, r.model->bodies[1].start};
    const trm_spatial V[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, speed, 0}}};
    const trm_joint_at at = trm_joint_at_poses(r.joint, X, V, 0, NULL);
    const trm_gap gap = trm_joint_gap(&at);
    *velocity_gap = trm_joint_velocity_gap(&at);
    assert_int_equal(r.joint->one_sided, rope);
    trm_model_destroy(r.model);
    return gap;
}

static void a_rod_reads_its_gap_both_ways_a_rope_only_when_taut(void **state)
{
    (void)state;
    trm_gap velocity;
    assert_near(gap_of_length(1.25, 2, false, &velocity).position, 0.25, rounding);
    assert_near(velocity.position, 2, rounding);
    assert_near(gap_of_length(0.75, -2, false, &velocity).position, 0.25, rounding);
    assert_near(velocity.position, 2, rounding);

    assert_near(gap_of_length(1.25, 2, true, &velocity).position, 0.25, rounding);
    assert_near(velocity.position, 2, rounding);
    assert_true(gap_of_length(0.75, 2, true, &velocity).position == 0);
    assert_true(velocity.position == 0); /* slack */
    gap_of_length(1.25, -2, true, &velocity);
    assert_true(velocity.position == 0); /* taut, but closing */
}

/* ---- The list ----------------------------------------------------------------------------- */

static void every_type_is_found_by_its_own_name(void **state)
{
    (void)state;
    for (int i = 0; i < trm_joint_type_count(); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        assert_ptr_equal(trm_find_joint_type(type->name), type); /* the first of that name: names differ */
        assert_string_equal(trm_joint_type_name(i), type->name);
        assert_true(type->leaves && type->leaves[0]);
    }
    assert_null(trm_joint_type_at(-1));
    assert_null(trm_joint_type_name(trm_joint_type_count()));
    assert_null(trm_find_joint_type("hinges"));
}

static void every_row_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < trm_joint_type_count(); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        const int rows = trm_type_rows(type);
        if (is_chain(type) || type->measure) continue; /* as many as its links leave; none */
        assert_in_range(rows, 1, TRM_JOINT_ROWS);
        for (int row = 0; row < rows; row++) {
            const char *name = trm_type_row_name(type, row);
            assert_true(name && name[0]);
            for (int other = 0; other < row; other++) assert_string_not_equal(name, trm_type_row_name(type, other));
        }
        assert_string_equal(trm_type_row_name(type, rows), "");
    }
}

static void rows_and_coordinates_make_six_freedoms(void **state)
{
    (void)state;
    for (int i = 0; i < trm_joint_type_count(); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        const bool has_side = type->place != NULL;
        assert_int_equal(type->subspace != NULL, has_side);
        assert_int_equal(type->subspace_rate != NULL, has_side);
        assert_int_equal(type->coordinates_from != NULL, has_side);
        assert_in_range(type->of_a, 0, type->coordinates);
        if (has_side && !is_chain(type)) assert_int_equal(trm_type_rows(type) + type->coordinates, 6);
        if (!has_side) assert_int_equal(type->coordinates, type->measure ? 1 : 0);
        assert_int_equal(type->measure != NULL, type->measured_bias != NULL);
    }
}

/* The rigs above can provide all of these keys. */
static void every_type_takes_keys_that_fit_together(void **state)
{
    (void)state;
    const unsigned known = TRM_TAKES_BODIES | TRM_TAKES_CURVE | TRM_TAKES_SURFACE | TRM_TAKES_ANCHOR |
                           TRM_TAKES_AXIS | TRM_TAKES_AXIS2 | TRM_TAKES_COORDINATE | TRM_TAKES_LIMITS |
                           TRM_TAKES_LENGTH | TRM_TAKES_JOINT | TRM_TAKES_MOTION | TRM_TAKES_VELOCITY |
                           TRM_TAKES_JOINTS | TRM_TAKES_PITCH | TRM_TAKES_EACH | TRM_TAKES_CHAIN | TRM_TAKES_TERMS |
                           TRM_TAKES_SPAN | TRM_TAKES_DAMPING | TRM_TAKES_X_AXIS | TRM_TAKES_SUM;
    const unsigned placed = TRM_TAKES_ANCHOR | TRM_TAKES_AXIS | TRM_TAKES_LENGTH | TRM_TAKES_COORDINATE;
    for (int i = 0; i < trm_joint_type_count(); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        const bool hosted =
            (type->takes & (TRM_TAKES_JOINT | TRM_TAKES_JOINTS | TRM_TAKES_TERMS | TRM_TAKES_SUM)) != 0;
        assert_int_equal(type->takes & ~known, 0);
        assert_int_equal((type->takes & TRM_TAKES_BODIES) != 0, !hosted);
        if (hosted) assert_int_equal(type->takes & placed, 0);
        if (type->takes & TRM_TAKES_AXIS2) assert_true(type->takes & TRM_TAKES_AXIS);
        assert_int_equal((type->takes & TRM_TAKES_X_AXIS) != 0,
                         (type->takes & TRM_TAKES_AXIS) && !(type->takes & TRM_TAKES_AXIS2));
        if (type->takes & TRM_TAKES_LIMITS) /* of the only coordinate, or of the only one that is no rotation */
            assert_true(type->coordinates == 1 || (type->points_on_a && type->of_a == 1));
        assert_int_equal((type->takes & TRM_TAKES_COORDINATE) != 0,
                         (type->coordinates > 0 && !type->measure) || is_chain(type));
    }
}

static void only_rows_that_depend_on_time_are_rheonomic(const rig *r, trm_random *random)
{
    moment m = exact_moment(r, random);
    memset(m.V, 0, sizeof m.V);
    double slope[TRM_JOINT_ROWS], sum = 0;
    slope_of(residual_along, &(along){r->joint, &m}, r->joint->rows, slope);
    for (int i = 0; i < r->joint->rows; i++) sum += fabs(slope[i]);
    assert_int_equal(trm_joint_is_rheonomic(r->joint), sum > 0);
}

CLAIM(a_joint_is_rheonomic_if_its_residual_changes_by_itself, only_rows_that_depend_on_time_are_rheonomic, 1,
      IN_WORLD)

#define TEST(claim) cmocka_unit_test_teardown(claim, tell_what_failed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_type_is_found_by_its_own_name),
        TEST(every_row_has_a_name_of_its_own),
        TEST(rows_and_coordinates_make_six_freedoms),
        TEST(every_type_takes_keys_that_fit_together),
        TEST(residuals_change_at_the_rate_J_V_plus_c_t),
        TEST(gamma_is_minus_the_second_derivative_without_accelerations),
        TEST(residual_and_rows_can_be_had_alone),
        TEST(residuals_vanish_on_the_surface),
        TEST(rows_are_independent_on_the_surface),
        TEST(reactions_do_no_work_on_what_the_joint_leaves_free),
        TEST(reactions_on_all_bodies_add_up_to_nothing),
        TEST(moving_everything_together_changes_no_gap),
        TEST(velocity_gaps_are_the_rate_of_the_residual),
        TEST(the_sign_of_a_quaternion_does_not_matter),
        TEST(rows_are_bilateral_unless_bounded),
        TEST(a_joint_is_rheonomic_if_its_residual_changes_by_itself),
        TEST(subspace_and_its_rate_are_derivatives_of_the_placement),
        TEST(coordinates_undo_the_placement),
        TEST(coordinate_rows_and_rates_are_derivatives_of_the_coordinates),
        TEST(coordinate_bias_is_their_second_derivative_without_accelerations),
        TEST(the_start_reads_q0_and_is_closed_where_it_fits),
        TEST(turns_are_counted_past_a_hundred_both_ways),
        TEST(a_prescribed_motion_is_followed_over_many_turns),
        TEST(a_joint_pulled_apart_reads_the_distance_and_the_angle),
        TEST(a_rod_reads_its_gap_both_ways_a_rope_only_when_taut),
    };
    return RUN_TESTS(tests);
}
