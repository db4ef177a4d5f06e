/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Checks every entry of the force list against its contract (model/force.h): a new type is tested as soon as it is
 * listed.
 *
 * A rig is a model of two random bodies, neither of them given in principal axes or at its centre of mass, with one
 * force of the type under test (and gravity, if that is the type); a force on a joint gets a hinge, or a slider in
 * another rig, and is evaluated with closed joints. With F the wrenches, V the twists, Pot the potential and P the
 * power that the potential does not account for
 *     sum F . V = P - dPot/dt
 * for any motion; dPot/dt is computed by finite differences. The seed of a rig that fails is printed. */

#include "model/force.h"

#include <string.h>

#include "check.h"
#include "differences.h"
#include "model/model.h"
#include "random_bodies.h"

/* Some dozen roundings of numbers up to a hundred. */
static const double rounding = 1e-12;

/* m: least length of springs; derivatives become large for shorter ones. */
static const double well_apart = 1;

enum { RIGS = 5, SAMPLES = 20, BODIES = 3 };

typedef struct rig {
    const trm_force_type *type;
    bool on_ground;     /* the first of two bodies is the ground */
    bool in_body_frame; /* "value" in body axes; a force on a joint has a slider */
    uint64_t seed;
    trm_force_def given;
    trm_model *model;
    const trm_force *force;
} rig;

static rig under_test;

static int tell_what_failed(void **state)
{
    (void)state;
    if (under_test.type)
        print_error("while testing %s, %s, %s axes, seed %llu\n", under_test.type->name,
                    under_test.on_ground ? "ground" : "two bodies", under_test.in_body_frame ? "body" : "world",
                    (unsigned long long)under_test.seed);
    under_test.type = NULL;
    return 0;
}

/* ---- Rigs --------------------------------------------------------------------------------- */

static const char *const value_texts[3] = {"1+sin(t)", "2*t", "cos(3*t)"};

/* Returns a force with all keys that the type takes. */
static trm_force_def random_force(const rig *r, trm_random *random)
{
    const unsigned takes = r->type->takes;
    trm_force_def def = trm_default_force_def();
    def.name = "tested";
    def.type = r->type->name;
    if (takes & TRM_FORCE_TAKES_BODIES) {
        def.bodies[0] = r->on_ground ? "ground" : "a";
        def.bodies[1] = "b";
        for (int k = 0; k < 2; k++) def.anchors[k] = random_vector(random, 1);
    }
    if (takes & TRM_FORCE_TAKES_SWIVEL) {
        def.bodies[0] = r->on_ground ? "ground" : "a";
        def.bodies[1] = "b";
        def.damping = trm_random_uniform(random, 1, 3);
    }
    if (takes & TRM_FORCE_TAKES_SPRING) {
        def.rest = trm_random_uniform(random, 0, 1);
        def.stiffness = trm_random_uniform(random, 1, 10);
        def.damping = trm_random_uniform(random, 1, 3);
    }
    if (takes & TRM_FORCE_TAKES_BODY) def.body = "b";
    if (takes & TRM_FORCE_TAKES_POINT) def.at = random_vector(random, 1);
    if (takes & (TRM_FORCE_TAKES_VECTOR | TRM_FORCE_TAKES_PULL))
        for (int i = 0; i < 3; i++) def.value[i] = trm_expression_function(value_texts[i]);
    if (takes & TRM_FORCE_TAKES_JOINT) def.joint = "host";
    if (takes & TRM_FORCE_TAKES_TARGET) {
        def.target = trm_expression_function(value_texts[0]);
        def.kp = trm_random_uniform(random, 1, 10);
        def.kd = trm_random_uniform(random, 1, 3);
        def.max = trm_random_uniform(random, 1, 20); /* for some forces the limit is not reached */
        def.brake = trm_random_uniform(random, 0.1, 1);
        def.value[0] = trm_expression_function(value_texts[1]);
        def.velocity = trm_expression_function(value_texts[2]);
        def.has_velocity = r->on_ground;
    }
    if (takes & TRM_FORCE_TAKES_GEAR) def.gear = trm_random_uniform(random, -2, -1);
    if (takes & TRM_FORCE_TAKES_RANGE) def.range[0] = -0.5, def.range[1] = trm_random_uniform(random, 0.5, 2);
    if (takes & TRM_FORCE_TAKES_DRAG) {
        def.linear = trm_random_uniform(random, 1, 3);
        def.angular = trm_random_uniform(random, 1, 3);
    }
    def.in_body_frame = r->in_body_frame;
    return def;
}

static trm_joint_def random_host(const rig *r, trm_random *random)
{
    trm_joint_def def = trm_default_joint_def();
    def.name = "host";
    def.type = r->in_body_frame ? "slider" : "hinge";
    def.bodies[0] = r->on_ground ? "ground" : "a";
    def.bodies[1] = "b";
    def.anchor = random_vector(random, 1);
    def.axis = random_direction(random);
    return def;
}

static void create_model(rig *r, const trm_model_def *def)
{
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_model_create(def, NULL, messages, &r->model);
    for (int i = 0; i < trm_message_count(messages); i++) print_error("%s\n", trm_message_at(messages, i)->text);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    for (int i = 0; i < r->model->force_count; i++)
        if (r->model->forces[i].type == r->type) r->force = &r->model->forces[i];
    assert_non_null(r->force);
}

static void build_rig(rig *r)
{
    trm_random random = trm_random_seed(r->seed);
    const trm_body_def a = random_body(&random, "a"), b = random_body(&random, "b");
    trm_model_def *def = trm_model_def_create(NULL);
    trm_add_body(def, &a);
    trm_add_body(def, &b);
    if (r->type->built_in) {
        def->gravity = trm_v3(1, 2, -9.81);
    } else {
        const trm_joint_def host = random_host(r, &random);
        if (r->type->takes & TRM_FORCE_TAKES_JOINT) trm_add_joint(def, &host);
        r->given = random_force(r, &random);
        trm_add_force(def, &r->given);
    }
    create_model(r, def);
    trm_model_def_destroy(def);
}

typedef void (*force_check)(const rig *r, trm_random *random);

static void check_rig(rig r, force_check check)
{
    trm_random random = trm_random_seed(r.seed + 1);
    under_test = r;
    build_rig(&r);
    for (int i = 0; i < SAMPLES; i++) check(&r, &random);
    trm_model_destroy(r.model);
    under_test.type = NULL;
}

static void for_every_force(force_check check)
{
    for (int i = 0; i < trm_force_type_count(); i++)
        for (int n = 0; n < RIGS; n++)
            for (int k = 0; k < 4; k++)
                check_rig((rig){.type = trm_force_type_at(i),
                                .on_ground = k % 2,
                                .in_body_frame = k / 2,
                                .seed = (uint64_t)(1000 * i + 10 * n + k)},
                          check);
}

#define CLAIM(name, check)                                                                                           \
    static void name(void **state)                                                                                   \
    {                                                                                                                \
        (void)state;                                                                                                 \
        for_every_force(check);                                                                                      \
    }

/* ---- Moments ------------------------------------------------------------------------------ */

typedef struct moment {
    const trm_force *force;
    trm_pose X[BODIES];
    trm_spatial V[BODIES];
    double t;
    double q;         /* coordinate of the host, with its full turns */
    double memory[8]; /* memory of the state: the full turns, where the host counts them; no settings */
} moment;

static trm_force_at force_after(const moment *m, double s)
{
    trm_pose X[BODIES];
    for (int i = 0; i < BODIES; i++) X[i] = moved_by(m->X[i], m->V[i], s);
    return trm_force_at_poses(m->force, X, m->V, m->t + s, m->memory);
}

static trm_force_at force_at_rest(const moment *m)
{
    return trm_force_at_poses(m->force, m->X, NULL, m->t, m->memory);
}

static bool is_well_conditioned(const moment *m)
{
    const trm_force_at at = force_after(m, 0);
    return m->force->host || m->force->type->bodies < 2 ||
           trm_v3_length(trm_v3_sub(at.X[1].p, at.X[0].p)) > well_apart;
}

/* Moves body b to where the host's coordinate is q. */
static void close_host(const trm_joint *host, moment *m)
{
    const trm_pose X_A = trm_pose_mul(m->X[host->body[0]], host->frame[0]);
    const trm_pose X_B = trm_pose_mul(X_A, host->type->place(host, &m->q));
    m->X[host->body[1]] = trm_pose_mul(X_B, trm_pose_inverse(host->frame[1]));
}

static moment random_moment(const rig *r, trm_random *random)
{
    moment m = {.force = r->force, .t = trm_random_uniform(random, 0, 2)};
    m.X[0] = r->model->bodies[0].start;
    do {
        for (int i = 1; i < BODIES; i++) m.X[i] = random_pose(random), m.V[i] = random_spatial(random);
    } while (!is_well_conditioned(&m));
    m.q = trm_random_uniform(random, -10, 10); /* several turns */
    if (m.force->host) close_host(m.force->host, &m);
    if (m.force->host && m.force->host->memory_count > 0) m.memory[m.force->host->memory_offset] = m.q;
    return m;
}

static double power_of_wrench(const trm_force_at *at, const trm_spatial *F, const moment *m)
{
    double power = 0;
    for (int k = 0; k < at->force->type->bodies; k++) power += trm_sp_dot(F[k], m->V[at->force->body[k]]);
    return power;
}

static void potential_along(const void *context, double s, double *potential)
{
    const trm_force_at at = force_after(context, s);
    *potential = trm_force_potential(&at);
}

/* ---- The contract ------------------------------------------------------------------------- */

/* At rest only forces that follow from the potential act, unless the force has a power of its own then. */
static void wrench_is_gradient(const rig *r, trm_random *random)
{
    if (!r->type->potential) return;
    const moment m = random_moment(r, random);
    const trm_force_at at_rest = force_at_rest(&m);
    trm_spatial F[2];
    double slope;
    r->type->wrench(&at_rest, F);
    slope_of(potential_along, &m, 1, &slope);
    assert_near(power_of_wrench(&at_rest, F, &m), -slope, 100 * slope_tolerance); /* energies of up to 100 J */
}

CLAIM(the_wrench_at_rest_is_minus_the_gradient_of_the_potential, wrench_is_gradient)

static void power_balances(const rig *r, trm_random *random)
{
    const moment m = random_moment(r, random);
    const trm_force_at at = force_after(&m, 0);
    trm_spatial F[2];
    double slope;
    r->type->wrench(&at, F);
    slope_of(potential_along, &m, 1, &slope);
    assert_near(power_of_wrench(&at, F, &m), trm_force_power(&at) - slope, 100 * slope_tolerance);
}

CLAIM(work_is_power_minus_the_rise_of_the_potential, power_balances)

static void action_is_reaction(const rig *r, trm_random *random)
{
    if (r->type->bodies < 2) return;
    const moment m = random_moment(r, random);
    const trm_force_at at = force_after(&m, 0);
    trm_spatial F[2];
    r->type->wrench(&at, F);
    trm_vec3 torque = {0, 0, 0}; /* about the world's origin */
    for (int k = 0; k < 2; k++)
        torque = trm_v3_add(torque, trm_v3_add(F[k].ang, trm_v3_cross(m.X[m.force->body[k]].p, F[k].lin)));
    assert_near(trm_v3_length(trm_v3_add(F[0].lin, F[1].lin)), 0, rounding);
    assert_near(trm_v3_length(torque), 0, rounding);
}

CLAIM(wrenches_on_two_bodies_add_up_to_nothing, action_is_reaction)

static void elongation_along(const void *context, double s, double *c)
{
    const moment *m = context;
    const trm_force_at at = force_after(m, s);
    trm_force_row rows[TRM_FORCE_ROWS];
    m->force->type->rows(&at, rows);
    *c = rows[0].c;
}

static void rows_are_wrench(const rig *r, trm_random *random)
{
    assert_true(r->type->rows || !r->type->of_velocity);
    if (!r->type->rows) return;
    const moment m = random_moment(r, random);
    const trm_force_at at = force_after(&m, 0);
    trm_force_row rows[TRM_FORCE_ROWS];
    trm_spatial F[2];
    double slope;
    const int count = r->type->rows(&at, rows);
    assert_in_range(count, 1, TRM_FORCE_ROWS);
    r->type->wrench(&at, F);
    slope_of(elongation_along, &m, 1, &slope);
    for (int i = 0; i < count; i++) {
        const double rate = power_of_wrench(&at, rows[i].J, &m), pull = trm_force_pull(&rows[i], rate);
        if (rows[i].stiffness > 0) assert_near(rate + rows[i].c_t, slope, slope_tolerance);
        for (int k = 0; k < r->type->bodies; k++) F[k] = trm_sp_add_scaled(F[k], -pull, rows[i].J[k]);
    }
    for (int k = 0; k < r->type->bodies; k++) {
        assert_near(trm_v3_length(F[k].ang), 0, rounding);
        assert_near(trm_v3_length(F[k].lin), 0, rounding);
    }
}

CLAIM(the_wrench_is_the_sum_of_the_pulls_along_the_rows, rows_are_wrench)

/* Any stiffness of the law with any time step: below, within and beyond the limits of the pull. */
static void an_implicit_impulse_is_the_pull_at_the_rate_that_it_makes(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    int limited = 0, free = 0;
    for (int i = 0; i < 1000; i++) {
        const trm_force_row row = {.c = trm_random_uniform(&random, -1, 1),
                                   .c_t = trm_random_uniform(&random, -1, 1),
                                   .stiffness = trm_random_uniform(&random, 0, 100),
                                   .damping = exp(trm_random_uniform(&random, -5, 10)),
                                   .most = i % 3 ? exp(trm_random_uniform(&random, -2, 6)) : INFINITY,
                                   .brake = trm_random_uniform(&random, 0, 10)};
        const double dt = trm_random_uniform(&random, 0, 0.1), rate = trm_random_uniform(&random, -9, 9),
                     own = trm_random_uniform(&random, 0, 10);
        const double p = trm_force_impulse(&row, dt, rate, own), after = rate + own * p;
        const double scale = 1 + row.damping * dt * (1 + 10 * own); /* factor of the rounding of the rate */
        assert_near(p, dt * trm_force_pull(&row, after), 100 * scale * rounding);
        const bool is_limited = fabs(trm_force_pull(&row, after) + row.brake * after) >= row.most * (1 - rounding);
        limited += is_limited;
        free += !is_limited;
    }
    assert_true(limited > 100 && free > 100);
}

static void velocity_counts(const rig *r, trm_random *random)
{
    const moment m = random_moment(r, random);
    const trm_force_at moving = force_after(&m, 0), resting = force_at_rest(&m);
    trm_spatial F[2], F_resting[2];
    r->type->wrench(&moving, F);
    r->type->wrench(&resting, F_resting);
    const size_t bytes = (size_t)r->type->bodies * sizeof *F;
    assert_int_equal(memcmp(F, F_resting, bytes) != 0, r->type->of_velocity);
}

CLAIM(the_wrench_depends_on_velocities_exactly_if_its_type_declares_it, velocity_counts)

/* The value as the user gave it, rotated with the user's body frame, acts at the point that the user gave. */
static void value_turns_with_the_body(const rig *r, trm_random *random)
{
    if (!(r->type->takes & TRM_FORCE_TAKES_VECTOR)) return;
    const moment m = random_moment(r, random);
    const trm_force_at at = force_after(&m, 0);
    const int b = m.force->body[0];
    const trm_pose user_frame = trm_pose_mul(m.X[b], trm_pose_inverse(r->model->bodies[b].X_BP));
    const trm_vec3 given = {1 + sin(m.t), 2 * m.t, cos(3 * m.t)};
    const trm_vec3 expected = r->in_body_frame ? trm_rotate(user_frame.q, given) : given;
    trm_spatial F;
    r->type->wrench(&at, &F);
    const bool is_force = (r->type->takes & TRM_FORCE_TAKES_POINT) != 0;
    assert_near(trm_v3_length(trm_v3_sub(is_force ? F.lin : F.ang, expected)), 0, rounding);
    if (!is_force) {
        assert_true(trm_v3_length(F.lin) == 0);
        return;
    }
    /* the torque about the centre of mass is that of the force at its point */
    const trm_vec3 at_point = trm_pose_point(user_frame, r->given.at);
    const trm_vec3 torque = trm_v3_cross(trm_v3_sub(at_point, m.X[b].p), expected);
    assert_near(trm_v3_length(trm_v3_sub(F.ang, torque)), 0, rounding);
}

CLAIM(a_given_vector_turns_with_the_users_body_frame_or_stays, value_turns_with_the_body)

/* ---- Single types ------------------------------------------------------------------------- */

/* A body whose principal axes and centre of mass differ from its frame, with a force at a known point of that
 * frame. */
static void a_force_acts_at_its_point_of_the_body_frame(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    trm_body_def body = random_body(&random, "b");
    body.orientation = trm_quat_from_axis_angle(trm_axis(2), TRM_PI / 2);
    body.position = trm_v3(1, 0, 0);
    body.com = trm_v3(0.5, 0, 0);
    trm_force_def push = trm_default_force_def();
    push.type = "force";
    push.body = "b";
    push.at = trm_v3(2, 0, 0);
    push.value[1] = trm_constant_function(3);
    push.in_body_frame = true;

    rig r = {.type = trm_find_force_type("force")};
    trm_model_def *def = trm_model_def_create(NULL);
    trm_add_body(def, &body);
    trm_add_force(def, &push);
    create_model(&r, def);
    trm_model_def_destroy(def);

    /* y of the body points along -x, the lever of 1.5 m along y: the torque is 4.5 N m about z */
    const trm_pose X[2] = {r.model->bodies[0].start, r.model->bodies[1].start};
    const trm_force_at at = trm_force_at_poses(r.force, X, NULL, 0, NULL);
    trm_spatial F;
    r.type->wrench(&at, &F);
    assert_near(trm_v3_length(trm_v3_sub(F.lin, trm_v3(-3, 0, 0))), 0, rounding);
    assert_near(trm_v3_length(trm_v3_sub(F.ang, trm_v3(0, 0, 4.5))), 0, rounding);
    trm_model_destroy(r.model);
}

static void gravity_acts_on_every_body_with_mass_at_its_centre(void **state)
{
    (void)state;
    rig r = {.type = &trm_force_gravity, .seed = 7};
    build_rig(&r);
    assert_int_equal(r.model->force_count, 2);
    for (int i = 0; i < 2; i++) {
        const trm_force *force = &r.model->forces[i];
        const trm_body *body = &r.model->bodies[force->body[0]];
        const trm_vec3 weight = trm_v3_scale(body->mass, r.model->gravity);
        const trm_pose X[BODIES] = {r.model->bodies[0].start, r.model->bodies[1].start, r.model->bodies[2].start};
        const trm_force_at at = trm_force_at_poses(force, X, NULL, 0, NULL);
        trm_spatial F;
        force->type->wrench(&at, &F);
        assert_int_equal(force->body[0], i + 1);
        assert_true(trm_v3_length(F.ang) == 0 && trm_v3_length(trm_v3_sub(F.lin, weight)) == 0);
        assert_near(trm_force_potential(&at), -trm_v3_dot(weight, body->start.p), rounding);
    }
    trm_model_destroy(r.model);
}

/* Two bodies with their anchors at the same place. */
static void a_spring_of_length_zero_gives_numbers(void **state)
{
    (void)state;
    rig r = {.type = trm_find_force_type("spring"), .seed = 3};
    trm_random random = trm_random_seed(4);
    build_rig(&r);
    moment m = random_moment(&r, &random);
    const trm_force_at apart = force_after(&m, 0);
    m.X[2].p = trm_v3_add(m.X[2].p, trm_v3_sub(apart.X[0].p, apart.X[1].p));
    trm_force_at at = force_after(&m, 0);
    at.X[1].p = at.X[0].p; /* bit-identical */
    trm_spatial F[2];
    trm_force_row row;
    r.type->wrench(&at, F);
    r.type->rows(&at, &row);
    for (int k = 0; k < 2; k++) {
        assert_true(trm_v3_length(F[k].ang) == 0 && trm_v3_length(F[k].lin) == 0);
        assert_true(trm_v3_length(row.J[k].ang) == 0 && trm_v3_length(row.J[k].lin) == 0);
    }
    const double rest = r.force->rest;
    assert_near(trm_force_potential(&at), 0.5 * r.force->stiffness * rest * rest, rounding);
    assert_true(trm_force_power(&at) == 0);
    trm_model_destroy(r.model);
}

/* ---- The list ----------------------------------------------------------------------------- */

static void every_type_is_found_by_its_own_name(void **state)
{
    (void)state;
    for (int i = 0; i < trm_force_type_count(); i++) {
        const trm_force_type *type = trm_force_type_at(i);
        assert_ptr_equal(trm_find_force_type(type->name), type->built_in ? NULL : type);
        assert_string_equal(trm_force_type_name(i), type->name);
        assert_true(type->what && type->what[0]);
        for (int k = 0; k < i; k++) assert_string_not_equal(type->name, trm_force_type_name(k));
    }
    assert_null(trm_force_type_at(-1));
    assert_null(trm_force_type_name(trm_force_type_count()));
    assert_null(trm_find_force_type("springs"));
}

/* The rigs above can provide all of these keys. */
static void every_type_takes_keys_that_fit_together(void **state)
{
    (void)state;
    const unsigned known = TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_SPRING | TRM_FORCE_TAKES_BODY |
                           TRM_FORCE_TAKES_POINT | TRM_FORCE_TAKES_VECTOR | TRM_FORCE_TAKES_PULL |
                           TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_TARGET | TRM_FORCE_TAKES_DRAG |
                           TRM_FORCE_TAKES_GEAR | TRM_FORCE_TAKES_RANGE | TRM_FORCE_TAKES_SWIVEL;
    for (int i = 0; i < trm_force_type_count(); i++) {
        const trm_force_type *type = trm_force_type_at(i);
        assert_int_equal(type->takes & ~known, 0);
        assert_non_null(type->wrench);
        assert_true(type->potential || type->power);
        assert_in_range(type->bodies, 1, 2);
        if (type->built_in) continue;
        const unsigned pairs = TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_JOINT | TRM_FORCE_TAKES_SWIVEL;
        assert_int_equal((type->takes & pairs) != 0, type->bodies == 2);
        assert_int_equal((type->takes & TRM_FORCE_TAKES_BODY) != 0, type->bodies == 1);
    }
}

#define TEST(claim) cmocka_unit_test_teardown(claim, tell_what_failed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_type_is_found_by_its_own_name),
        TEST(every_type_takes_keys_that_fit_together),
        TEST(the_wrench_at_rest_is_minus_the_gradient_of_the_potential),
        TEST(work_is_power_minus_the_rise_of_the_potential),
        TEST(wrenches_on_two_bodies_add_up_to_nothing),
        TEST(the_wrench_is_the_sum_of_the_pulls_along_the_rows),
        TEST(an_implicit_impulse_is_the_pull_at_the_rate_that_it_makes),
        TEST(the_wrench_depends_on_velocities_exactly_if_its_type_declares_it),
        TEST(a_given_vector_turns_with_the_users_body_frame_or_stays),
        TEST(a_force_acts_at_its_point_of_the_body_frame),
        TEST(gravity_acts_on_every_body_with_mass_at_its_centre),
        TEST(a_spring_of_length_zero_gives_numbers),
    };
    return RUN_TESTS(tests);
}
