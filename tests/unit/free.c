/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Looking ahead against the free motion itself; what that motion is, tests/physics/free_motion.c tells. */

#include "motion/free.h"

#include "check.h"
#include "random_bodies.h"

/* Some dozen roundings of numbers of size up to three. */
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

/* One outlook serves all velocities. spin: of the order of what the bodies turn with, rad/s. */
static void assert_leads_to_the_motion(const trm_body *body, double spin, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    const trm_vec3 g = {1, -9.81, 2};
    for (int n = 0; n < SAMPLES; n++) {
        const trm_pose start = {random_rotation(&random), random_vector(&random, 1)};
        const trm_outlook from = trm_outlook_from(body, g, h, &start);
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
    const double spins[] = {1e-20, 1, 20, 300}; /* the last beyond the series of small angles */
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
        for (size_t s = 0; s < sizeof spins / sizeof *spins; s++)
            assert_leads_to_the_motion(&bodies[b], spins[s], b + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_every_kind_looks_to_where_it_will_be),
    };
    return RUN_TESTS(tests);
}
