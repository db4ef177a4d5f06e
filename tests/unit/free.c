/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Prediction of free motion compared with the motion itself, which tests/physics/free_motion.c checks. */

#include "motion/free.h"

#include "check.h"
#include "math/rotation.h"
#include "random_bodies.h"

/* Some dozen roundings of numbers up to three. */
static const double rounding = 1e-14;
static const double h = 0.01;

enum { SAMPLES = 200, VELOCITIES = 3 };

static trm_body body_with(trm_body_kind kind, trm_vec3 inertia, int symmetry_axis)
{
    return (trm_body){.kind = kind,
                      .mass = 2,
                      .inverse_mass = 0.5,
                      .inertia = inertia,
                      .inverse_inertia = trm_v3(1 / inertia.x, 1 / inertia.y, 1 / inertia.z),
                      .symmetry_axis = symmetry_axis};
}

/* One outlook is used for all velocities. spin: order of magnitude of the angular velocities, rad/s. */
static void assert_leads_to_the_motion(const trm_body *body, double spin, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    const trm_vec3 g = {1, -9.81, 2};
    for (int n = 0; n < SAMPLES; n++) {
        const trm_pose start = {random_rotation(&random), random_vector(&random, 1)};
        trm_flight from = trm_flight_from(body, g, h, TRM_TAYLOR_AUTO, &start);
        for (int k = 0; k < VELOCITIES; k++) {
            trm_spatial V = trm_sp(random_vector(&random, spin), random_vector(&random, 10));
            trm_pose X = start, ahead;
            trm_look_ahead(&from, &V, &ahead);
            trm_free_motion(body, g, h, TRM_TAYLOR_AUTO, &X, &V);
            assert_true(ahead.p.x == X.p.x && ahead.p.y == X.p.y && ahead.p.z == X.p.z);
            assert_near(ahead.q.w, X.q.w, rounding);
            assert_near(ahead.q.x, X.q.x, rounding);
            assert_near(ahead.q.y, X.q.y, rounding);
            assert_near(ahead.q.z, X.q.z, rounding);
        }
    }
}

static void a_body_of_every_kind_looks_to_where_it_will_be(void **state)
{
    (void)state;
    const trm_body bodies[] = {
        body_with(TRM_BODY_RIGID, trm_v3(0.01, 1, 1), 0), body_with(TRM_BODY_RIGID, trm_v3(1, 3, 1), 1),
        body_with(TRM_BODY_RIGID, trm_v3(2, 2, 2), 2),    body_with(TRM_BODY_RIGID, trm_v3(1, 2, 2.5), -1),
        body_with(TRM_BODY_POINT, trm_v3(1, 1, 1), -1),
    };
    const double spins[] = {1e-20, 1, 20, 300}; /* the last one beyond the range of the series for small angles */
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
        for (size_t s = 0; s < sizeof spins / sizeof *spins; s++)
            assert_leads_to_the_motion(&bodies[b], spins[s], b + 1);
}

/* ---- Batches ------------------------------------------------------------------------------ */

enum { BODIES = 12, LARGEST_BATCH = 9, BATCHES = 4000, ALIKE = 4 };

typedef struct crowd {
    trm_body body[BODIES];
    trm_flight from[BODIES];
    trm_spatial V[BODIES];
    int order[BODIES]; /* a batch consists of the first ones */
} crowd;

/* The closed form applies to the first four kinds. */
static trm_body random_kind(trm_random *random, int kinds)
{
    switch ((int)trm_random_uniform(random, 0, kinds)) {
    case 0: return body_with(TRM_BODY_RIGID, trm_v3(0.01, 1, 1), 0);
    case 1: return body_with(TRM_BODY_RIGID, trm_v3(1, 3, 1), 1);
    case 2: return body_with(TRM_BODY_RIGID, trm_v3(0.1, 0.1, 0.02), 2);
    case 3: return body_with(TRM_BODY_RIGID, trm_v3(2, 2, 2), 2);
    case 4: return body_with(TRM_BODY_RIGID, trm_v3(1, 2, 2.5), -1);
    default: return body_with(TRM_BODY_POINT, trm_v3(1, 1, 1), -1);
    }
}

/* Returns spins with a part about the axis, spins across it only, very slow ones, and ones beyond the range of the
 * short series. */
static trm_vec3 random_spin(trm_random *random, trm_vec3 axis, bool fast)
{
    const trm_vec3 any = random_vector(random, 10);
    switch ((int)trm_random_uniform(random, 0, fast ? 5 : 4)) {
    case 0: return any;
    case 1: return trm_v3(0, 0, 0);
    case 2: return trm_v3_cross(any, axis);
    case 3: return trm_v3_scale(1e-15, any);
    default: return trm_v3_scale(10, any);
    }
}

static void random_crowd(trm_random *random, int kinds, bool fast, crowd *c)
{
    for (int i = 0; i < BODIES; i++) {
        c->body[i] = random_kind(random, kinds);
        const trm_pose start = random_pose(random);
        c->from[i] = trm_flight_from(&c->body[i], trm_v3(1, -9.81, 2), h, TRM_TAYLOR_AUTO, &start);
        c->V[i] = trm_sp(random_spin(random, c->from[i].a, fast), random_vector(random, 10));
        const int place = (int)trm_random_uniform(random, 0, i + 1);
        c->order[i] = c->order[place], c->order[place] = i;
    }
}

/* Asserts that each listed body has the same bits as alone, and that no other body is changed. */
static void assert_as_if_alone(const crowd *c, int count)
{
    const trm_pose untouched = {{7, 7, 7, 7}, {7, 7, 7}};
    trm_pose together[BODIES], alone[BODIES];
    crowd one = *c, all = *c;
    for (int i = 0; i < BODIES; i++) together[i] = alone[i] = untouched;
    trm_look_ahead_all(all.from, c->V, together, c->order, count);
    for (int k = 0; k < count; k++) {
        const int i = c->order[k];
        trm_look_ahead(&one.from[i], &c->V[i], &alone[i]);
    }
    assert_memory_equal(together, alone, sizeof alone);
    for (int i = 0; i < BODIES; i++)
        assert_memory_equal(&all.from[i].spin, &one.from[i].spin, sizeof one.from[i].spin);
}

static void predictions_of_a_body_do_not_depend_on_other_bodies(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(3);
    for (int n = 0; n < BATCHES; n++) {
        crowd c = {.order = {0}};
        random_crowd(&random, n % 2 ? ALIKE : ALIKE + 2, n % 4 >= 2, &c);
        for (int count = 0; count <= LARGEST_BATCH; count++) assert_as_if_alone(&c, count);
    }
}

/* The closed form for two equal moments of inertia compared with differences of the general series. */
static void the_derivative_of_a_look_ahead_is_that_of_the_closed_form(void **state)
{
    (void)state;
    const double difference = 1e-9; /* the squared step of a central difference, and rounding */
    const trm_body closed = body_with(TRM_BODY_RIGID, trm_v3(1, 1, 1.7), 2);
    const trm_body series = body_with(TRM_BODY_RIGID, trm_v3(1, 1, 1.7), -1);
    trm_random random = trm_random_seed(9);
    for (int n = 0; n < SAMPLES; n++) {
        const trm_pose start = {random_rotation(&random), random_vector(&random, 1)};
        const trm_spatial V = trm_sp(random_vector(&random, 30), random_vector(&random, 10));
        const trm_flight one = trm_flight_from(&closed, trm_v3(0, 0, -9.81), h, TRM_TAYLOR_AUTO, &start);
        const trm_flight other = trm_flight_from(&series, trm_v3(0, 0, -9.81), h, TRM_TAYLOR_AUTO, &start);
        const trm_mat3 D = trm_look_ahead_derivative(&one, &V), E = trm_look_ahead_derivative(&other, &V);
        for (int i = 0; i < 9; i++) assert_near(D.m[i / 3][i % 3], E.m[i / 3][i % 3], difference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_every_kind_looks_to_where_it_will_be),
        cmocka_unit_test(predictions_of_a_body_do_not_depend_on_other_bodies),
        cmocka_unit_test(the_derivative_of_a_look_ahead_is_that_of_the_closed_form),
    };
    return RUN_TESTS(tests);
}
