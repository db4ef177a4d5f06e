/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Checks gears and tendons against the joint contract (model/joint.h), as joints.c does for all types on one pair of
 * bodies.
 *
 * A rig is two joints, hinge or slider each, with a gear and a tendon with a spring on them: between four bodies, or with a carrier, or the
 * ground, in both. In a moment both joints are closed; derivatives are compared with finite differences along
 * constant twists. */

#include <string.h>

#include "check.h"
#include "differences.h"
#include "model/model.h"
#include "random_bodies.h"

/* Some dozen roundings of numbers up to ten. */
static const double rounding = 1e-13;

enum { BODIES = 5, SAMPLES = 10 }; /* ground, a, b, c, d */

typedef struct layout {
    const char *bodies[2][2];
    int distinct; /* bodies that the gear acts on */
} layout;

static const layout LAYOUTS[] = {
    {{{"a", "b"}, {"c", "d"}}, 4},           {{{"a", "b"}, {"a", "c"}}, 3},      {{{"b", "a"}, {"a", "c"}}, 3},
    {{{"ground", "a"}, {"ground", "b"}}, 3}, {{{"ground", "a"}, {"a", "b"}}, 3},
};
enum { LAYOUT_COUNT = sizeof LAYOUTS / sizeof *LAYOUTS };
static const char *const HOSTS[][2] = {
    {"hinge", "hinge"}, {"slider", "hinge"}, {"hinge", "slider"}, {"slider", "slider"}};
enum { HOST_COUNT = sizeof HOSTS / sizeof *HOSTS };

typedef struct rig {
    trm_model *model;
    const trm_joint *gear, *tendon, *host[2];
    const trm_force *spring; /* on the tendon */
    int distinct;
} rig;

typedef struct moment {
    trm_pose X[BODIES];
    trm_spatial V[BODIES];
    double t, q[2];
    double memory[TRM_JOINT_COORDINATES]; /* of the gear */
} moment;

/* ---- Rigs --------------------------------------------------------------------------------- */

static trm_model *model_of(const trm_model_def *def)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = NULL;
    const trm_status status = trm_model_create(def, NULL, messages, &model);
    for (int i = 0; i < trm_message_count(messages); i++) print_error("%s\n", trm_message_at(messages, i)->text);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return model;
}

static trm_joint_def random_host(const layout *l, const char *const types[2], int k, trm_random *random)
{
    trm_joint_def host = trm_default_joint_def();
    host.name = k == 0 ? "one" : "two";
    host.type = types[k];
    for (int b = 0; b < 2; b++) host.bodies[b] = l->bodies[k][b];
    host.anchor = random_vector(random, 1);
    host.axis = random_direction(random);
    host.q0[0] = trm_random_uniform(random, -3, 3);
    return host;
}

/* Adds the tendon 0.8 q1 + (1.5 q2 - 0.25 q2^2) with a spring and a damper. The definition keeps only a pointer to the
 * terms. */
static void add_tendon(trm_model_def *def)
{
    static const double bent[] = {1.5, -0.25};
    static const trm_term_def terms[2] = {
        {.joint = "one", .coordinate = NAN, .factor = 0.8},
        {.joint = "two", .coordinate = NAN, .polynomial = bent, .polynomial_count = 2}};
    trm_joint_def tendon = trm_default_joint_def();
    tendon.name = "tendon";
    tendon.type = "tendon";
    tendon.terms = terms;
    tendon.term_count = 2;
    tendon.stiffness = 3;
    tendon.damping = 2;
    trm_add_joint(def, &tendon);
}

static rig build_rig(const layout *l, const char *const types[2], trm_random *random)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    trm_model_def *def = trm_model_def_create(NULL);
    for (int i = 0; i < 4; i++) {
        const trm_body_def body = random_body(random, names[i]);
        trm_add_body(def, &body);
    }
    for (int k = 0; k < 2; k++) {
        const trm_joint_def host = random_host(l, types, k, random);
        trm_add_joint(def, &host);
    }
    trm_joint_def gear = trm_default_joint_def();
    gear.name = "gear";
    gear.type = "gear";
    gear.joints[0] = "one", gear.joints[1] = "two";
    gear.ratio = trm_random_uniform(random, 0, 1) < 0.5 ? -2.5 : 0.7;
    trm_add_joint(def, &gear);
    add_tendon(def);
    rig r = {.model = model_of(def), .distinct = l->distinct};
    trm_model_def_destroy(def);
    r.gear = &r.model->joints[trm_find_joint(r.model, "gear")];
    r.tendon = &r.model->joints[trm_find_joint(r.model, "tendon")];
    for (int i = 0; i < r.model->force_count; i++)
        if (r.model->forces[i].host == r.tendon) r.spring = &r.model->forces[i];
    r.host[0] = &r.model->joints[trm_find_joint(r.model, "one")];
    r.host[1] = &r.model->joints[trm_find_joint(r.model, "two")];
    return r;
}

/* ---- Moments ------------------------------------------------------------------------------ */

static trm_joint_at gear_after(const rig *r, const moment *m, double s)
{
    trm_pose X[BODIES];
    for (int i = 0; i < BODIES; i++) X[i] = moved_by(m->X[i], m->V[i], s);
    return trm_joint_at_poses(r->gear, X, m->V, m->t + s, m->memory);
}

/* Moves the second body of a host to where its coordinate is q, or the first one if the second is held by the other
 * joint. */
static void close_host(const trm_joint *host, double q, moment *m)
{
    const trm_pose X_A = trm_pose_mul(m->X[host->body[0]], host->frame[0]);
    const trm_pose X_B = trm_pose_mul(X_A, host->type->place(host, &q));
    m->X[host->body[1]] = trm_pose_mul(X_B, trm_pose_inverse(host->frame[1]));
}

/* Sets the twist of the second body, which moves with the first one plus the motion along the host's coordinate. */
static void follow(const trm_joint *host, double qd, moment *m)
{
    const trm_joint_at at = trm_joint_at_poses(host, m->X, m->V, m->t, NULL);
    const double q = 0; /* neither of the subspaces depends on q */
    trm_spatial S;
    host->type->subspace(host, &q, &S);
    const trm_vec3 arm = trm_v3_add(at.r[0], trm_v3_sub(at.X[1].p, at.X[0].p));
    const trm_vec3 ang = trm_v3_add_scaled(at.V[0].ang, qd, trm_rotate(at.X[0].q, S.ang));
    trm_vec3 lin = trm_v3_add(at.V[0].lin, trm_v3_cross(at.V[0].ang, arm));
    lin = trm_v3_add_scaled(lin, qd, trm_rotate(at.X[0].q, S.lin));
    m->V[host->body[1]] = trm_sp(ang, trm_v3_sub(lin, trm_v3_cross(ang, at.r[1])));
}

/* Makes a moment with both hosts closed and the gear open by the given amount; all bodies move so that the hosts stay
 * closed. */
static double ratio_of(const rig *r)
{
    return -r->gear->terms[1].a[0];
}

static moment random_moment(const rig *r, trm_random *random, double open)
{
    moment m = {.t = trm_random_uniform(random, 0, 2)};
    for (int i = 0; i < BODIES; i++) m.X[i] = r->model->bodies[i].start;
    for (int i = 1; i < BODIES; i++) m.X[i] = random_pose(random), m.V[i] = random_spatial(random);
    m.q[1] = trm_random_uniform(random, -3, 3);
    m.q[0] = ratio_of(r) * m.q[1] + r->gear->offset + open;
    for (int k = 0; k < 2; k++) {
        close_host(r->host[k], m.q[k], &m);
        follow(r->host[k], trm_random_uniform(random, -1, 1), &m);
    }
    /* stored in the memory, so that full turns need not be determined */
    memcpy(m.memory, r->gear->start_memory, sizeof m.memory);
    const trm_joint_at at = trm_joint_at_poses(r->gear, m.X, m.V, m.t, m.memory);
    trm_joint_remember(&at, 0, m.memory);
    m.memory[5] = open; /* independent of the number of turns */
    return m;
}

typedef void (*gear_check)(const rig *r, trm_random *random);

static void for_every_gear(gear_check check)
{
    for (int l = 0; l < LAYOUT_COUNT; l++)
        for (int h = 0; h < HOST_COUNT; h++) {
            trm_random random = trm_random_seed((uint64_t)(10 * l + h));
            const rig r = build_rig(&LAYOUTS[l], HOSTS[h], &random);
            for (int i = 0; i < SAMPLES; i++) check(&r, &random);
            trm_model_destroy(r.model);
        }
}

#define CLAIM(name, check)                                                                                           \
    static void name(void **state)                                                                                   \
    {                                                                                                                \
        (void)state;                                                                                                 \
        for_every_gear(check);                                                                                       \
    }

/* ---- The contract ------------------------------------------------------------------------- */

typedef struct along {
    const rig *r;
    const moment *m;
} along;

static void residual_along(const void *context, double s, double *c)
{
    const along *way = context;
    const trm_joint_at at = gear_after(way->r, way->m, s);
    trm_joint_residual(&at, c);
}

static void rate_is_jacobian(const rig *r, trm_random *random)
{
    const moment m = random_moment(r, random, 0.3);
    const trm_joint_at at = gear_after(r, &m, 0);
    trm_spatial J[TRM_JOINT_BODIES];
    double slope, rate = 0;
    slope_of(residual_along, &(along){r, &m}, 1, &slope);
    trm_joint_jacobian(&at, J);
    for (int b = 0; b < 4; b++) rate += trm_sp_dot(J[b], at.V[b]);
    assert_near(rate, slope, 10 * slope_tolerance); /* for coordinates times a ratio */
}

CLAIM(the_residual_changes_at_the_rate_J_V, rate_is_jacobian)

static void gamma_is_curvature(const rig *r, trm_random *random)
{
    const moment m = random_moment(r, random, 0.3);
    const trm_joint_at at = gear_after(r, &m, 0);
    double curvature, gamma_;
    curvature_of(residual_along, &(along){r, &m}, 1, &curvature);
    trm_joint_gamma(&at, &gamma_);
    assert_near(gamma_, -curvature, 10 * curvature_tolerance);
}

CLAIM(gamma_is_minus_the_second_derivative_without_accelerations, gamma_is_curvature)

static void closed_where_coordinates_fit(const rig *r, trm_random *random)
{
    double c;
    const moment closed = random_moment(r, random, 0), open = random_moment(r, random, 0.25);
    const trm_joint_at at = gear_after(r, &closed, 0), at_open = gear_after(r, &open, 0);
    trm_joint_residual(&at, &c);
    assert_near(c, 0, rounding);
    const trm_gap gap = trm_joint_gap(&at_open);
    const bool turns = r->host[0]->type == &trm_joint_hinge;
    assert_near(turns ? gap.angle : gap.position, 0.25, rounding);
    assert_true((turns ? gap.position : gap.angle) == 0);
}

CLAIM(the_gap_is_that_of_the_first_coordinate_in_its_unit, closed_where_coordinates_fit)

/* Solvers rely on it: for a body that is named twice, all data is at its first place. */
static void each_body_once(const rig *r, trm_random *random)
{
    const moment m = random_moment(r, random, 0);
    const trm_joint_at at = gear_after(r, &m, 0);
    trm_spatial J[TRM_JOINT_BODIES];
    trm_vec3 force = {0, 0, 0}, torque = {0, 0, 0}; /* about the world's origin */
    int count = 0;
    trm_joint_jacobian(&at, J);
    for (int b = 0; b < 4; b++) {
        count += trm_sp_dot(J[b], J[b]) > 0;
        force = trm_v3_add(force, J[b].lin);
        torque = trm_v3_add(torque, trm_v3_add(J[b].ang, trm_v3_cross(m.X[r->gear->body[b]].p, J[b].lin)));
        for (int a = 0; a < b; a++)
            if (r->gear->body[a] == r->gear->body[b]) assert_true(trm_sp_dot(J[b], J[b]) == 0);
    }
    assert_int_equal(count, r->distinct);
    assert_near(trm_v3_length(force), 0, rounding);
    assert_near(trm_v3_length(torque), 0, rounding);
}

CLAIM(each_body_has_one_row_and_reactions_add_up_to_nothing, each_body_once)

/* ---- Tendons ------------------------------------------------------------------------------ */

static trm_joint_at tendon_after(const rig *r, const moment *m, double s)
{
    trm_pose X[BODIES];
    for (int i = 0; i < BODIES; i++) X[i] = moved_by(m->X[i], m->V[i], s);
    return trm_joint_at_poses(r->tendon, X, m->V, m->t + s, NULL);
}

static void coordinate_along(const void *context, double s, double *q)
{
    const along *way = context;
    const trm_joint_at at = tendon_after(way->r, way->m, s);
    *q = trm_joint_coordinate(&at, 0);
}

static void tendon_measures_its_terms(const rig *r, trm_random *random)
{
    const moment m = random_moment(r, random, 0);
    const trm_joint_at at = tendon_after(r, &m, 0);
    double slope, curvature, q[2];
    for (int k = 0; k < 2; k++) q[k] = r->host[k]->type == &trm_joint_hinge ? remainder(m.q[k], 2 * TRM_PI) : m.q[k];
    slope_of(coordinate_along, &(along){r, &m}, 1, &slope);
    curvature_of(coordinate_along, &(along){r, &m}, 1, &curvature);
    assert_int_equal(r->tendon->rows, 0);
    assert_near(trm_joint_coordinate(&at, 0), 0.8 * q[0] + 1.5 * q[1] - 0.25 * q[1] * q[1], 10 * rounding);
    assert_near(trm_joint_coordinate_rate(&at, 0), slope, 10 * slope_tolerance);
    assert_near(trm_joint_coordinate_bias_of(&at, 0), curvature, 100 * curvature_tolerance); /* q2 up to 3 in q2^2 */
}

CLAIM(a_tendon_measures_the_sum_of_its_terms_with_rate_and_bias, tendon_measures_its_terms)

/* The wrench of a force on a tendon acts on the bodies of all terms, with the power of the tendon's rate. */
static void force_on_tendon_has_the_power_of_its_rate(const rig *r, trm_random *random)
{
    const moment m = random_moment(r, random, 0);
    const trm_force_at at = trm_force_at_poses(r->spring, m.X, m.V, m.t, NULL);
    const trm_joint_at host = tendon_after(r, &m, 0);
    const double q = trm_joint_coordinate(&host, 0), rate = trm_joint_coordinate_rate(&host, 0);
    trm_spatial F[TRM_JOINT_BODIES];
    double power = 0;
    r->spring->type->wrench(&at, F);
    for (int b = 0; b < r->spring->body_count; b++) power += trm_sp_dot(F[b], m.V[r->spring->body[b]]);
    assert_int_equal(r->spring->body_count, 4);
    assert_near(power, -(3 * q + 2 * rate) * rate, 1000 * rounding); /* tau up to 50, rates up to 10 */
    assert_near(trm_force_potential(&at), 1.5 * q * q, 1000 * rounding);
    assert_near(trm_force_power(&at), -2 * rate * rate, 1000 * rounding);
}

CLAIM(a_force_on_a_tendon_acts_on_all_its_bodies, force_on_tendon_has_the_power_of_its_rate)

/* ---- Turns -------------------------------------------------------------------------------- */

/* Both wheels turn by steps of several turns, which the rates determine; the residual stays that of the start. */
static void turns_are_followed(const rig *r, trm_random *random)
{
    const double dt = 0.01, digits = 1e-11; /* for angles of three thousand rad */
    moment m = random_moment(r, random, 0.125);
    const bool turn = r->host[1]->type == &trm_joint_hinge;
    const double rate = turn ? 1200 : 0.5;
    for (int i = 0; i < 100; i++) {
        double c;
        m.q[1] += dt * rate;
        m.q[0] += dt * ratio_of(r) * rate;
        m.t += dt;
        for (int k = 0; k < 2; k++) {
            close_host(r->host[k], m.q[k], &m);
            follow(r->host[k], k == 0 ? ratio_of(r) * rate : rate, &m);
        }
        const trm_joint_at at = gear_after(r, &m, 0);
        if (i > 0) { /* the first step does not know the rates yet */
            trm_joint_residual(&at, &c);
            assert_near(c, 0.125, digits);
        }
        memcpy(m.memory + 2, (double[]){ratio_of(r) * rate, rate}, 2 * sizeof(double));
        trm_joint_remember(&at, dt, m.memory);
        assert_near(m.memory[5], 0.125, digits);
    }
}

CLAIM(steps_of_several_turns_are_followed, turns_are_followed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_residual_changes_at_the_rate_J_V),
        cmocka_unit_test(gamma_is_minus_the_second_derivative_without_accelerations),
        cmocka_unit_test(the_gap_is_that_of_the_first_coordinate_in_its_unit),
        cmocka_unit_test(each_body_has_one_row_and_reactions_add_up_to_nothing),
        cmocka_unit_test(a_tendon_measures_the_sum_of_its_terms_with_rate_and_bias),
        cmocka_unit_test(a_force_on_a_tendon_acts_on_all_its_bodies),
        cmocka_unit_test(steps_of_several_turns_are_followed),
    };
    return RUN_TESTS(tests);
}
