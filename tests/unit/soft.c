/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Springs as soft rows: conversion in both directions, and equality of a step of a soft row with one of the
 * spring. */

#include "check.h"
#include "trammel/model.h"

/* Relative: quotients and sums with a few roundings each. */
static const double ROUNDING = 4e-15;

static const double STEPS[] = {1e-4, 0.01, 0.5};
static const double STIFFNESSES[] = {0.02, 50, 3e6};
static const double DAMPINGS[] = {0.003, 7, 4e4};

#define EACH(list, i) for (size_t i = 0; i < sizeof list / sizeof *list; i++)

#define assert_share(actual, expected) assert_near(actual, expected, ROUNDING *fabs(expected))

/* ---- Conversions -------------------------------------------------------------------------- */

static void a_spring_is_found_again_in_its_softness(void **state)
{
    (void)state;
    EACH(STEPS, s)
    EACH(STIFFNESSES, k)
    EACH(DAMPINGS, d)
    {
        const trm_softness soft = trm_softness_of_spring(STIFFNESSES[k], DAMPINGS[d], STEPS[s]);
        const trm_spring_law law = trm_spring_of_softness(soft.erp, soft.cfm, STEPS[s]);
        /* cancellation in 1 - erp enlarges rounding by 1 + h k/d */
        const double lost = 1 + STEPS[s] * STIFFNESSES[k] / DAMPINGS[d];
        assert_true(soft.erp > 0 && soft.erp < 1 && soft.cfm > 0);
        assert_share(law.stiffness, STIFFNESSES[k]);
        assert_near(law.damping, DAMPINGS[d], ROUNDING * lost * DAMPINGS[d]);
    }
}

static void a_softness_is_found_again_in_its_spring(void **state)
{
    (void)state;
    static const double erps[] = {0, 0.2, 0.8, 1}, cfms[] = {1e-9, 1e-5, 2};
    EACH(STEPS, s)
    EACH(erps, e)
    EACH(cfms, c)
    {
        const trm_spring_law law = trm_spring_of_softness(erps[e], cfms[c], STEPS[s]);
        const trm_softness soft = trm_softness_of_spring(law.stiffness, law.damping, STEPS[s]);
        assert_near(soft.erp, erps[e], ROUNDING);
        assert_share(soft.cfm, cfms[c]);
    }
}

static void numbers_of_a_spring_are_those_that_hand_gives(void **state)
{
    (void)state;
    const trm_softness soft = trm_softness_of_spring(300, 1, 0.01); /* h k = 3 */
    assert_share(soft.erp, 0.75);
    assert_share(soft.cfm, 0.25);
    const trm_spring_law law = trm_spring_of_softness(0.2, 1e-3, 0.1);
    assert_share(law.stiffness, 2000.0);
    assert_share(law.damping, 800.0);
}

static void ends_are_a_spring_a_damper_and_what_is_rigid(void **state)
{
    (void)state;
    const trm_softness spring = trm_softness_of_spring(40, 0, 0.01), damper = trm_softness_of_spring(0, 5, 0.01);
    assert_near(spring.erp, 1, 0);
    assert_share(spring.cfm, 2.5);
    assert_near(damper.erp, 0, 0);
    assert_share(damper.cfm, 0.2);
    const trm_spring_law rigid = trm_spring_of_softness(1, 0, 0.01), loose = trm_spring_of_softness(0, 0, 0.01);
    assert_true(isinf(rigid.stiffness) && isinf(rigid.damping) && isinf(loose.stiffness) && isinf(loose.damping));
    const trm_softness hard = trm_softness_of_spring(INFINITY, INFINITY, 0.01);
    assert_near(hard.erp, 1, 0);
    assert_near(hard.cfm, 0, 0);
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* A mass on a line: gap c, velocity u. */
typedef struct motion {
    double c, u;
} motion;

/* m (u+ - u) = h (l + F),   u+ + (erp/h) c + cfm l = 0 */
static motion step_of_row(motion x, double m, double F, trm_softness soft, double h)
{
    const double free = x.u + h * F / m;
    const double l = -(free + soft.erp / h * x.c) / (h / m + soft.cfm);
    const double u = free + h * l / m;
    return (motion){x.c + h * u, u};
}

/* Implicit Euler, c+ - h u+ = c,  m u+ + h k c+ + h d u+ = m u + h F, by Cramer's rule. */
static motion step_of_spring(motion x, double m, double F, trm_spring_law law, double h)
{
    const double right = m * x.u + h * F;
    const double a = m + h * law.damping, b = h * law.stiffness;
    const double determinant = a + h * b;
    return (motion){(a * x.c + h * right) / determinant, (right - b * x.c) / determinant};
}

static void a_step_of_the_row_is_an_implicit_one_of_the_spring(void **state)
{
    (void)state;
    static const double masses[] = {0.1, 20};
    EACH(STEPS, s)
    EACH(STIFFNESSES, k)
    EACH(DAMPINGS, d)
    EACH(masses, i)
    {
        const double h = STEPS[s], m = masses[i], F = 3;
        const trm_spring_law law = {STIFFNESSES[k], DAMPINGS[d]};
        const motion start = {0.3, -0.7};
        const motion row = step_of_row(start, m, F, trm_softness_of_spring(law.stiffness, law.damping, h), h);
        const motion spring = step_of_spring(start, m, F, law, h);
        /* terms as large as c / h cancel in u */
        const double terms = fabs(start.u) + fabs(start.c) / h + h * F / m;
        assert_near(row.u, spring.u, ROUNDING * terms);
        assert_near(row.c, spring.c, ROUNDING * (fabs(start.c) + h * terms));
    }
}

/* The mass comes to rest where k c = F, with any step. */
static void a_load_rests_at_the_springs_deflection(void **state)
{
    (void)state;
    static const double AT_REST = 1e-12; /* m: rest of 0.05 m after a decay by e^-40, and rounding */
    const double k = 200, d = 30, m = 2, F = 10;
    for (double h = 0.001; h < 0.2; h *= 10) {
        motion x = {0, 0};
        for (int i = 0; i * h < 20; i++) x = step_of_row(x, m, F, trm_softness_of_spring(k, d, h), h);
        assert_near(x.c, F / k, AT_REST);
        assert_near(x.u, 0, AT_REST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_is_found_again_in_its_softness),
        cmocka_unit_test(a_softness_is_found_again_in_its_spring),
        cmocka_unit_test(numbers_of_a_spring_are_those_that_hand_gives),
        cmocka_unit_test(ends_are_a_spring_a_damper_and_what_is_rigid),
        cmocka_unit_test(a_step_of_the_row_is_an_implicit_one_of_the_spring),
        cmocka_unit_test(a_load_rests_at_the_springs_deflection),
    };
    return RUN_TESTS(tests);
}
