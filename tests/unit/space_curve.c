/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Curves in space: interpolation of their points, smoothness, and nearest points. */

#include "math/space_curve.h"

#include "base/random.h"
#include "check.h"
#include "differences.h"
#include "random_bodies.h"

/* Some roundings of numbers up to ten. */
static const double rounding = 1e-13;

enum { POINTS = 12, KINDS = 4 };

typedef struct fixture {
    trm_arena arena;
    trm_vec3 points[POINTS];
    const trm_space_curve *open, *closed;
    trm_space_curve circle, helix;
} fixture;

/* A curve that winds through space. */
static void make(fixture *f, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    for (int i = 0; i < POINTS; i++) {
        const double angle = 2 * TRM_PI * i / POINTS;
        f->points[i] =
            trm_v3_add(trm_v3(4 * cos(angle), 3 * sin(angle), 2 * sin(2 * angle)), random_vector(&random, 0.3));
    }
    trm_arena_init(&f->arena, NULL);
    f->open = trm_spline_curve(&f->arena, f->points, POINTS, false);
    f->closed = trm_spline_curve(&f->arena, f->points, POINTS, true);
    f->circle = trm_helix(2, 0);
    f->helix = trm_helix(1.5, 0.4);
    assert_non_null(f->open);
    assert_non_null(f->closed);
}

static const trm_space_curve *kind_of(const fixture *f, int kind)
{
    const trm_space_curve *const all[KINDS] = {f->open, f->closed, &f->circle, &f->helix};
    return all[kind];
}

static double apart(trm_vec3 a, trm_vec3 b)
{
    return trm_v3_length(trm_v3_sub(a, b));
}

static void splines_go_through_their_points(void **state)
{
    fixture f;
    (void)state;
    make(&f, 1);
    for (int i = 0; i < POINTS; i++) {
        assert_near(apart(trm_curve_at(f.open, f.open->s[i]).P, f.points[i]), 0, rounding);
        assert_near(apart(trm_curve_at(f.closed, f.closed->s[i]).P, f.points[i]), 0, rounding);
    }
    trm_arena_destroy(&f.arena);
}

/* Points just before and just after each knot, and after the last knot of a closed curve, where it begins again; the
 * first and second derivatives differ by no more than this small distance explains. */
static void splines_have_two_continuous_derivatives(void **state)
{
    const double little = 1e-9, slack = 1e-7;
    fixture f;
    (void)state;
    make(&f, 2);
    for (int kind = 0; kind < 2; kind++) {
        const trm_space_curve *curve = kind_of(&f, kind);
        for (int i = 0; i < curve->count; i++) {
            const trm_curve_point before = trm_curve_at(curve, curve->s[i] - little);
            const trm_curve_point behind = trm_curve_at(curve, curve->s[i] + little);
            assert_near(apart(before.P, behind.P), 0, slack);
            assert_near(apart(before.d, behind.d), 0, slack);
            assert_near(apart(before.dd, behind.dd), 0, slack);
        }
    }
    trm_arena_destroy(&f.arena);
}

static void open_splines_continue_as_straight_lines(void **state)
{
    fixture f;
    (void)state;
    make(&f, 3);
    const double length = f.open->s[POINTS - 1];
    const trm_curve_point end = trm_curve_at(f.open, length), beyond = trm_curve_at(f.open, length + 3);
    assert_near(trm_v3_length(end.dd), 0, rounding);
    assert_near(trm_v3_length(beyond.dd), 0, 0);
    assert_near(apart(beyond.P, trm_v3_add_scaled(end.P, 3, end.d)), 0, rounding);
    const trm_curve_point start = trm_curve_at(f.open, 0), earlier = trm_curve_at(f.open, -2);
    assert_near(apart(earlier.P, trm_v3_add_scaled(start.P, -2, start.d)), 0, rounding);
    trm_arena_destroy(&f.arena);
}

static void closed_splines_come_round(void **state)
{
    fixture f;
    (void)state;
    make(&f, 4);
    const double length = f.closed->s[POINTS];
    for (int lap = -3; lap <= 3; lap++)
        assert_near(apart(trm_curve_at(f.closed, 1.25).P, trm_curve_at(f.closed, 1.25 + lap * length).P), 0,
                    rounding);
    trm_arena_destroy(&f.arena);
}

/* The same points twice, with another first point: the same closed curve. */
static void a_closed_spline_does_not_care_where_it_begins(void **state)
{
    fixture f;
    trm_vec3 shifted[POINTS];
    (void)state;
    make(&f, 5);
    for (int i = 0; i < POINTS; i++) shifted[i] = f.points[(i + 5) % POINTS];
    const trm_space_curve *other = trm_spline_curve(&f.arena, shifted, POINTS, true);
    for (double s = 0; s < 20; s += 0.37)
        assert_near(apart(trm_curve_at(other, s).P, trm_curve_at(f.closed, s + f.closed->s[5]).P), 0, rounding);
    trm_arena_destroy(&f.arena);
}

typedef struct along {
    const trm_space_curve *curve;
    double s;
} along;

static void values_along(const void *context, double h, double *y)
{
    const along *way = context;
    const trm_curve_point at = trm_curve_at(way->curve, way->s + h);
    const trm_vec3 all[3] = {at.P, at.d, at.dd};
    for (int i = 0; i < 3; i++) y[3 * i] = all[i].x, y[3 * i + 1] = all[i].y, y[3 * i + 2] = all[i].z;
}

static void derivatives_are_those_of_the_curve(void **state)
{
    fixture f;
    (void)state;
    make(&f, 6);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < POINTS - 1; i++) { /* in the middle between knots */
            const along way = {kind_of(&f, kind), (f.open->s[i] + f.open->s[i + 1]) / 2};
            const trm_curve_point at = trm_curve_at(way.curve, way.s);
            const trm_vec3 expected[3] = {at.d, at.dd, at.ddd};
            double slope[9];
            slope_of(values_along, &way, 9, slope);
            for (int k = 0; k < 3; k++)
                assert_near(apart(trm_v3(slope[3 * k], slope[3 * k + 1], slope[3 * k + 2]), expected[k]), 0,
                            slope_tolerance);
        }
    trm_arena_destroy(&f.arena);
}

/* Samples so densely that the nearest point of all is next to one of these. */
static double least_distance(const trm_space_curve *curve, trm_vec3 x)
{
    double least = INFINITY;
    for (int k = -20000; k <= 40000; k++) least = fmin(least, apart(x, trm_curve_at(curve, 1e-3 * k).P));
    return least;
}

/* m: a thousandth of the parameter away from the nearest point, at a distance of a metre, the distance is longer by
 * less than this. */
static const double beside = 1e-5;

static void the_nearest_point_of_all_is_found(void **state)
{
    fixture f;
    (void)state;
    for (uint64_t seed = 10; seed < 14; seed++) {
        trm_random random = trm_random_seed(seed);
        make(&f, seed);
        for (int kind = 0; kind < KINDS; kind++)
            for (int i = 0; i < 5; i++) {
                const trm_vec3 x = random_vector(&random, 5);
                const trm_curve_point at = trm_curve_at(kind_of(&f, kind), trm_curve_nearest(kind_of(&f, kind), x));
                assert_true(apart(x, at.P) <= least_distance(kind_of(&f, kind), x) + 1e-12);
                assert_near(apart(x, at.P), least_distance(kind_of(&f, kind), x), beside);
                assert_near(trm_v3_dot(trm_v3_sub(x, at.P), trm_v3_unit(at.d)), 0, 1e-11);
            }
        trm_arena_destroy(&f.arena);
    }
}

/* Two overlapping laps: the search stays on the one where it begins. */
static void a_search_from_a_parameter_stays_near_it(void **state)
{
    fixture f;
    (void)state;
    make(&f, 7);
    const double length = f.closed->s[POINTS];
    for (int lap = -2; lap <= 2; lap++) {
        const double s = 3 + lap * length;
        const trm_vec3 x = trm_v3_add(trm_curve_at(f.closed, 3).P, trm_v3(0.05, -0.02, 0.03));
        assert_near(trm_curve_nearest_from(f.closed, x, s + 0.4) - s, 0, 0.1);
    }
    const trm_vec3 between = {1.5, 0, 0.9}; /* nearer to the lower turn than to the upper one, which is at 2.5 */
    assert_near(trm_curve_nearest_from(&f.helix, between, 2 * TRM_PI) / (2 * TRM_PI), 1, 0.1);
    assert_near(trm_curve_nearest_from(&f.helix, between, 0) / (2 * TRM_PI), 0, 0.1);
    trm_arena_destroy(&f.arena);
}

/* A curve through random points, so that tangents have many directions: some direction remains as the reference. */
static void tangents_are_never_parallel_to_the_reference(void **state)
{
    enum { MANY = 40 };
    const double clear = 0.02; /* sine of the least angle, reached even by 40 random points */
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        trm_random random = trm_random_seed(seed);
        trm_vec3 points[MANY];
        trm_arena arena;
        for (int i = 0; i < MANY; i++) points[i] = random_vector(&random, 3);
        trm_arena_init(&arena, NULL);
        const trm_space_curve *curve = trm_spline_curve(&arena, points, MANY, true);
        for (double s = 0; s < curve->s[MANY]; s += 0.01)
            assert_true(trm_v3_length(trm_v3_cross(curve->reference, trm_v3_unit(trm_curve_at(curve, s).d))) > clear);
        trm_arena_destroy(&arena);
    }
}

static void the_reference_of_a_plane_curve_is_its_normal(void **state)
{
    trm_vec3 points[POINTS];
    trm_arena arena;
    (void)state;
    for (int i = 0; i < POINTS; i++) points[i] = trm_v3(i, 0, sin(i));
    trm_arena_init(&arena, NULL);
    const trm_space_curve *curve = trm_spline_curve(&arena, points, POINTS, false);
    assert_near(fabs(curve->reference.y), 1, rounding);
    trm_arena_destroy(&arena);
}

static void a_curve_that_turns_back_is_seen(void **state)
{
    const trm_vec3 back[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, on[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0.5, 0}};
    trm_arena arena;
    (void)state;
    trm_arena_init(&arena, NULL);
    assert_true(trm_curve_stops_at(trm_spline_curve(&arena, back, 3, false)) >= 0);
    assert_int_equal(trm_curve_stops_at(trm_spline_curve(&arena, on, 3, false)), -1);
    assert_int_equal(trm_curve_stops_at(trm_spline_curve(&arena, on, 2, false)), -1);
    trm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splines_go_through_their_points),
        cmocka_unit_test(splines_have_two_continuous_derivatives),
        cmocka_unit_test(open_splines_continue_as_straight_lines),
        cmocka_unit_test(closed_splines_come_round),
        cmocka_unit_test(a_closed_spline_does_not_care_where_it_begins),
        cmocka_unit_test(derivatives_are_those_of_the_curve),
        cmocka_unit_test(the_nearest_point_of_all_is_found),
        cmocka_unit_test(a_search_from_a_parameter_stays_near_it),
        cmocka_unit_test(tangents_are_never_parallel_to_the_reference),
        cmocka_unit_test(the_reference_of_a_plane_curve_is_its_normal),
        cmocka_unit_test(a_curve_that_turns_back_is_seen),
    };
    return RUN_TESTS(tests);
}
