/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "math/spline.h"

#include "check.h"
#include "failing_allocator.h"

/* For values of order one after a few operations each. */
static const double rounding = 1e-13;

enum { MOST_POINTS = 1001 };

/* A spline through count points of f, in an arena of its own. */
typedef struct sampled {
    trm_arena arena;
    const trm_spline *spline;
} sampled;

static double wave(double t)
{
    return sin(3 * t) + 0.5 * t;
}

static double wave_slope(double t)
{
    return 3 * cos(3 * t) + 0.5;
}

static double line(double t)
{
    return 2.5 - 0.75 * t;
}

/* Samples f from a to b; every second knot is displaced by a third of the spacing if uneven. */
static sampled sample(double (*f)(double), double a, double b, int count, bool cubic, bool uneven)
{
    static double t[MOST_POINTS], y[MOST_POINTS];
    const double h = (b - a) / (count - 1);
    for (int i = 0; i < count; i++) {
        t[i] = a + i * h + (uneven && i % 2 && i < count - 1 ? h / 3 : 0);
        y[i] = f(t[i]);
    }
    sampled s;
    trm_arena_init(&s.arena, NULL);
    s.spline = trm_spline_build(&s.arena, t, y, count, cubic);
    assert_non_null(s.spline);
    return s;
}

static void both_kinds_go_through_their_points(void **state)
{
    (void)state;
    for (int cubic = 0; cubic < 2; cubic++) {
        sampled s = sample(wave, -1, 2, 14, cubic, true);
        for (int i = 0; i < s.spline->count; i++)
            assert_true(trm_spline_at(s.spline, s.spline->t[i]).v == s.spline->y[i]);
        trm_arena_destroy(&s.arena);
    }
}

static void linear_has_the_slope_of_its_interval(void **state)
{
    (void)state;
    const double t[] = {0, 1, 3}, y[] = {1, 3, 2};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_spline *s = trm_spline_build(&arena, t, y, 3, false);
    const struct {
        double t, v, d;
    } expected[] = {{-5, 1, 0}, {0, 1, 2}, {0.5, 2, 2}, {1, 3, -0.5}, {2, 2.5, -0.5}, {3, 2, -0.5}, {3.1, 2, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const trm_jet jet = trm_spline_at(s, expected[i].t);
        assert_true(jet.v == expected[i].v && jet.d == expected[i].d && jet.dd == 0);
    }
    trm_arena_destroy(&arena);
}

static void beyond_the_ends_the_value_is_kept_and_stands_still(void **state)
{
    (void)state;
    for (int cubic = 0; cubic < 2; cubic++) {
        sampled s = sample(wave, -1, 2, 10, cubic, false);
        const double places[] = {-1.0001, -1e9, -INFINITY, 2.0001, 1e9, INFINITY};
        for (int i = 0; i < 6; i++) {
            const trm_jet jet = trm_spline_at(s.spline, places[i]);
            assert_true(jet.v == (i < 3 ? s.spline->y[0] : s.spline->y[9]));
            assert_true(jet.d == 0 && jet.dd == 0);
        }
        assert_true(isnan(trm_spline_at(s.spline, NAN).v));
        trm_arena_destroy(&s.arena);
    }
}

static void cubic_reproduces_a_line(void **state)
{
    (void)state;
    sampled s = sample(line, -3, 5, 23, true, true);
    for (double t = -3; t <= 5; t += 0.01) {
        const trm_jet jet = trm_spline_at(s.spline, t);
        assert_near(jet.v, line(t), rounding);
        assert_near(jet.d, -0.75, rounding);
        assert_near(jet.dd, 0, rounding);
    }
    trm_arena_destroy(&s.arena);
}

static void cubic_of_two_points_is_their_line(void **state)
{
    (void)state;
    sampled s = sample(line, 1, 4, 2, true, false);
    const trm_jet jet = trm_spline_at(s.spline, 2);
    assert_near(jet.v, line(2), rounding);
    assert_near(jet.d, -0.75, rounding);
    assert_true(jet.dd == 0);
    trm_arena_destroy(&s.arena);
}

static void cubic_of_three_points_matches_the_solution_by_hand(void **state)
{
    (void)state;
    /* h = 1, 1: 4 m_1 = 6 ((0 - 1) - (1 - 0)) = -12, so m_1 = -3 and y(1/2) = 1/2 + (1/2 - 1/8) 3 / 6 */
    const double t[] = {0, 1, 2}, y[] = {0, 1, 0};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_spline *s = trm_spline_build(&arena, t, y, 3, true);
    const trm_jet middle = trm_spline_at(s, 1), half = trm_spline_at(s, 0.5);
    assert_near(middle.d, 0, rounding);
    assert_near(middle.dd, -3, rounding);
    assert_near(half.v, 0.6875, rounding);
    assert_near(half.d, 1.125, rounding);
    assert_near(half.dd, -1.5, rounding);
    trm_arena_destroy(&arena);
}

static void cubic_has_two_continuous_derivatives_and_straight_ends(void **state)
{
    (void)state;
    sampled s = sample(wave, -1, 2, 21, true, true);
    const double *t = s.spline->t;
    /* a step of one ulp changes y'' by y''' times it; the difference is dominated by rounding of both sides */
    for (int i = 1; i < s.spline->count - 1; i++) {
        const trm_jet left = trm_spline_at(s.spline, nextafter(t[i], -INFINITY));
        const trm_jet right = trm_spline_at(s.spline, t[i]);
        assert_near(left.v, right.v, rounding);
        assert_near(left.d, right.d, rounding);
        assert_near(left.dd, right.dd, 10 * rounding);
    }
    assert_true(trm_spline_at(s.spline, t[0]).dd == 0);
    assert_true(trm_spline_at(s.spline, t[20]).dd == 0);
    trm_arena_destroy(&s.arena);
}

static void derivatives_are_those_of_the_value(void **state)
{
    (void)state;
    const double h = 1e-4, tolerance = 1e-6; /* the third derivative, some 30, times h^2 / 6; rounding 1e-16 / h^2 */
    sampled s = sample(wave, -1, 2, 21, true, true);
    for (int i = 0; i < 20; i++) {
        const double t = (s.spline->t[i] + s.spline->t[i + 1]) / 2;
        const trm_jet before = trm_spline_at(s.spline, t - h), now = trm_spline_at(s.spline, t),
                      after = trm_spline_at(s.spline, t + h);
        assert_near(now.d, (after.v - before.v) / (2 * h), tolerance);
        assert_near(now.dd, (after.d - before.d) / (2 * h), tolerance);
    }
    trm_arena_destroy(&s.arena);
}

/* The largest errors of value and slope between a and b. */
typedef struct errors {
    double value, slope;
} errors;

static errors errors_of(const trm_spline *spline, double a, double b)
{
    errors most = {0, 0};
    for (int i = 0; i <= 4000; i++) {
        const double t = a + (b - a) * i / 4000;
        const trm_jet jet = trm_spline_at(spline, t);
        most.value = fmax(most.value, fabs(jet.v - wave(t)));
        most.slope = fmax(most.slope, fabs(jet.d - wave_slope(t)));
    }
    return most;
}

/* Returns the exponents of h by which the errors decrease when the number of knots doubles. */
static errors order_on(double from, double to, double a, double b, bool cubic)
{
    sampled coarse = sample(wave, from, to, 101, cubic, false), fine = sample(wave, from, to, 201, cubic, false);
    const errors e1 = errors_of(coarse.spline, a, b), e2 = errors_of(fine.spline, a, b);
    trm_arena_destroy(&coarse.arena);
    trm_arena_destroy(&fine.arena);
    return (errors){log2(e1.value / e2.value), log2(e1.slope / e2.slope)};
}

static const double order_tolerance = 0.1; /* at 100 knots the next term of the error is some percent */

static void cubic_converges_with_order_four_inside(void **state)
{
    (void)state;
    const errors order = order_on(-1, 2, 0, 1, true);
    assert_near(order.value, 4, order_tolerance);
    assert_near(order.slope, 3, order_tolerance);
}

static void cubic_converges_with_order_two_at_ends_that_are_bent(void **state)
{
    (void)state;
    const errors order = order_on(-1, 2, -1, 2, true);
    assert_near(order.value, 2, order_tolerance);
    assert_near(order.slope, 1, order_tolerance);
}

static void cubic_converges_with_order_four_up_to_ends_that_are_straight(void **state)
{
    (void)state;
    const double third = acos(-1) / 3; /* wave'' = -9 sin(3 t) vanishes there */
    const errors order = order_on(0, 2 * third, 0, 2 * third, true);
    assert_near(order.value, 4, order_tolerance);
    assert_near(order.slope, 3, order_tolerance);
}

static void linear_converges_with_order_two(void **state)
{
    (void)state;
    const errors order = order_on(-1, 2, -1, 2, false);
    assert_near(order.value, 2, order_tolerance);
    assert_near(order.slope, 1, order_tolerance);
}

static void every_interval_of_a_large_table_is_found(void **state)
{
    (void)state;
    sampled s = sample(wave, 0, 1000, MOST_POINTS, false, true);
    for (int i = 0; i < MOST_POINTS - 1; i++) {
        const double t0 = s.spline->t[i], t1 = s.spline->t[i + 1];
        const double expected = (s.spline->y[i] + s.spline->y[i + 1]) / 2;
        assert_near(trm_spline_at(s.spline, (t0 + t1) / 2).v, expected, 1000 * rounding); /* y reaches 500 */
    }
    trm_arena_destroy(&s.arena);
}

static void points_are_copied(void **state)
{
    (void)state;
    double t[] = {0, 1}, y[] = {2, 4};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_spline *s = trm_spline_build(&arena, t, y, 2, true);
    t[0] = t[1] = y[0] = y[1] = -7;
    assert_near(trm_spline_at(s, 0.5).v, 3, rounding);
    trm_arena_destroy(&arena);
}

static void a_failing_allocator_leaves_nothing(void **state)
{
    (void)state;
    static double t[MOST_POINTS], y[MOST_POINTS]; /* each array needs a block of its own */
    for (int i = 0; i < MOST_POINTS; i++) t[i] = i, y[i] = wave(i);
    failing_allocator memory;
    const trm_spline *s = NULL;
    int k = 0;
    do {
        failing_allocator_reset(&memory, ++k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        s = trm_spline_build(&arena, t, y, MOST_POINTS, true);
        assert_true(!s == (memory.refusals > 0));
        trm_arena_destroy(&arena);
        assert_true(failing_allocator_is_clean(&memory));
    } while (!s);
    assert_true(k > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_go_through_their_points),
        cmocka_unit_test(linear_has_the_slope_of_its_interval),
        cmocka_unit_test(beyond_the_ends_the_value_is_kept_and_stands_still),
        cmocka_unit_test(cubic_reproduces_a_line),
        cmocka_unit_test(cubic_of_two_points_is_their_line),
        cmocka_unit_test(cubic_of_three_points_matches_the_solution_by_hand),
        cmocka_unit_test(cubic_has_two_continuous_derivatives_and_straight_ends),
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(cubic_converges_with_order_four_inside),
        cmocka_unit_test(cubic_converges_with_order_two_at_ends_that_are_bent),
        cmocka_unit_test(cubic_converges_with_order_four_up_to_ends_that_are_straight),
        cmocka_unit_test(linear_converges_with_order_two),
        cmocka_unit_test(every_interval_of_a_large_table_is_found),
        cmocka_unit_test(points_are_copied),
        cmocka_unit_test(a_failing_allocator_leaves_nothing),
    };
    return RUN_TESTS(tests);
}
