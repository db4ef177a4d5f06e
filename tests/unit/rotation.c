/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rotation maps compared with closed forms and finite differences, for angles from zero to nearly a full turn. */

#include "math/rotation.h"

#include <float.h>

#include "base/random.h"
#include "check.h"

/* A dozen roundings of numbers of magnitude one. */
static const double rounding = 4e-15;

static const double pi = 3.14159265358979323846;

static const double angles[] = {0, 1e-200, 1e-9, 1e-4, 0.3, 1, 1.9999, 2.0001, 3, 6};
enum { ANGLES = sizeof angles / sizeof *angles, DIRECTIONS = 50 };

static trm_vec3 random_in_box(trm_random *random)
{
    const double x = trm_random_uniform(random, -1, 1), y = trm_random_uniform(random, -1, 1);
    return trm_v3(x, y, trm_random_uniform(random, -1, 1));
}

static trm_vec3 random_direction(trm_random *random)
{
    for (;;) {
        const trm_vec3 v = random_in_box(random);
        if (trm_v3_length(v) > 0.1 && trm_v3_length(v) < 1) return trm_v3_unit(v);
    }
}

static void assert_vec_near(trm_vec3 actual, trm_vec3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

static void assert_mat_near(trm_mat3 actual, trm_mat3 expected, double tolerance)
{
    for (int c = 0; c < 3; c++) assert_vec_near(trm_column(actual, c), trm_column(expected, c), tolerance);
}

/* Asserts equality as rotations: q and -q are the same. */
static void assert_same_rotation(trm_quat actual, trm_quat expected, double tolerance)
{
    assert_mat_near(trm_quat_matrix(actual), trm_quat_matrix(expected), tolerance);
}

/* 1 + sin [u]x + (1 - cos) [u]x^2, Rodrigues' formula */
static trm_mat3 rodrigues(trm_vec3 unit, double angle)
{
    const trm_mat3 u = trm_skew(unit);
    const trm_mat3 R = trm_mat_add_scaled(trm_diag(trm_v3(1, 1, 1)), sin(angle), u);
    return trm_mat_add_scaled(R, 2 * sin(angle / 2) * sin(angle / 2), trm_mat_mul(u, u));
}

static void exp_is_rodrigues_formula_at_every_angle(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    for (int n = 0; n < DIRECTIONS; n++)
        for (int i = 0; i < ANGLES; i++) {
            const trm_vec3 u = random_direction(&random);
            const trm_quat q = trm_quat_exp(trm_v3_scale(angles[i], u));
            assert_near(trm_quat_norm(q), 1, rounding);
            assert_mat_near(trm_quat_matrix(q), rodrigues(u, angles[i]), rounding);
            assert_same_rotation(q, trm_quat_from_axis_angle(u, angles[i]), rounding);
        }
}

/* At the limit of the series, angle 1/4, both formulas are accurate to two roundings of each number. */
static void exp_has_all_digits_on_both_sides_of_its_series(void **state)
{
    (void)state;
    const double around[] = {1e-3, 0.01, 0.05, 0.1, 0.2, 0.249999, 0.25, 0.250001, 0.3};
    const double two_roundings = 2 * DBL_EPSILON;
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
            const double sine = sin(around[i] / 2);
            const trm_quat q = trm_quat_exp(trm_v3_scale(around[i], trm_axis(axis)));
            assert_near(q.w, cos(around[i] / 2), two_roundings);
            assert_vec_near(trm_v3(q.x, q.y, q.z), trm_v3_scale(sine, trm_axis(axis)), two_roundings * sine);
        }
}

static void log_undoes_exp_relatively_accurate_at_small_angles(void **state)
{
    (void)state;
    const double small[] = {1e-200, 1e-150, 1e-20, 1e-9, 0.9999e-4, 1.0001e-4, 2.1e-4, 0.01, 1, 3, 3.14159265358979};
    trm_random random = trm_random_seed(2);
    for (int n = 0; n < DIRECTIONS; n++)
        for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
            const trm_vec3 r = trm_v3_scale(small[i], random_direction(&random));
            assert_vec_near(trm_quat_log(trm_quat_exp(r)), r, rounding * small[i]);
        }
    const trm_vec3 none = trm_quat_log(trm_quat_identity());
    assert_true(none.x == 0 && none.y == 0 && none.z == 0);
}

static void log_ignores_the_sign_and_the_length_of_the_quaternion(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(3);
    for (int i = 0; i < ANGLES; i++) {
        const trm_quat q = trm_quat_exp(trm_v3_scale(angles[i], random_direction(&random)));
        const trm_quat longer = {-1.25 * q.w, -1.25 * q.x, -1.25 * q.y, -1.25 * q.z};
        assert_vec_near(trm_quat_log(longer), trm_quat_log(q), rounding);
    }
}

static void log_stays_within_half_a_turn_and_is_accurate_there(void **state)
{
    (void)state;
    const double from_half_turn[] = {0, 1e-15, 1e-9, 1e-3, 0.1};
    trm_random random = trm_random_seed(4);
    for (size_t i = 0; i < sizeof from_half_turn / sizeof *from_half_turn; i++) {
        const double d = from_half_turn[i];
        const trm_vec3 u = random_direction(&random);
        /* beyond half a turn: the same rotation in the opposite direction */
        const trm_quat q = {-sin(d / 2), cos(d / 2) * u.x, cos(d / 2) * u.y, cos(d / 2) * u.z};
        const trm_vec3 r = trm_quat_log(q);
        assert_true(trm_v3_length(r) <= pi * (1 + rounding));
        const trm_vec3 same = trm_v3_scale(trm_v3_dot(r, u) > 0 ? 1 : -1, r); /* at exactly pi both signs are right */
        assert_vec_near(same, trm_v3_scale(pi - d, u), rounding);
    }
}

static void matrices_of_every_kind_give_their_quaternion(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(5);
    for (int n = 0; n < 1000; n++) {
        const trm_quat q =
            trm_quat_exp(trm_v3_scale(trm_random_uniform(&random, 0, 2 * pi), random_direction(&random)));
        const trm_quat back = trm_quat_from_matrix(trm_quat_matrix(q));
        const double sign = q.w < 0 ? -1 : 1;
        assert_true(back.w >= 0);
        assert_near(back.w, sign * q.w, rounding);
        assert_vec_near(trm_v3(back.x, back.y, back.z), trm_v3_scale(sign, trm_v3(q.x, q.y, q.z)), rounding);
    }
    for (int k = 0; k < 3; k++) { /* half a turn about an axis: w = 0 */
        const trm_vec3 u = trm_axis(k);
        const trm_quat half = trm_quat_from_matrix(trm_diag(trm_v3(2 * u.x - 1, 2 * u.y - 1, 2 * u.z - 1)));
        assert_true(half.w == 0 && half.x == u.x && half.y == u.y && half.z == u.z);
    }
}

static void rpy_is_yaw_after_pitch_after_roll(void **state)
{
    (void)state;
    const double roll = 0.3, pitch = -1.1, yaw = 2.2;
    const trm_mat3 Rx = rodrigues(trm_axis(0), roll), Ry = rodrigues(trm_axis(1), pitch),
                   Rz = rodrigues(trm_axis(2), yaw);
    assert_mat_near(trm_quat_matrix(trm_quat_from_rpy(roll, pitch, yaw)), trm_mat_mul(Rz, trm_mat_mul(Ry, Rx)),
                    rounding);
    /* x after a rotation by yaw alone */
    assert_vec_near(trm_rotate(trm_quat_from_rpy(0, 0, pi / 2), trm_axis(0)), trm_axis(1), rounding);
}

/* The angle between a and b is given by construction, from 0 to exactly opposite. */
static void between_is_the_smallest_rotation_from_a_to_b(void **state)
{
    (void)state;
    const double apart[] = {0, 1e-300, 1e-12, 1e-8, 0.1, 1.5, 1.6, 3, 3.1415, pi - 1e-8, pi - 1e-12, pi - 1e-15, pi};
    trm_random random = trm_random_seed(6);
    for (int n = 0; n < DIRECTIONS; n++)
        for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
            const trm_vec3 a = random_direction(&random), across = trm_perpendicular(a);
            const trm_vec3 b = trm_v3_add_scaled(trm_v3_scale(cos(apart[i]), a), sin(apart[i]), across);
            const trm_quat q = trm_quat_between(a, b);
            assert_near(trm_quat_norm(q), 1, rounding);
            assert_vec_near(trm_rotate(q, a), b, rounding);
            assert_near(trm_v3_length(trm_quat_log(q)), apart[i], rounding);
        }
}

static void between_opposite_axes_and_equal_ones_is_exact(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const trm_vec3 turned = trm_rotate(trm_quat_between(trm_axis(k), trm_v3_neg(trm_axis(k))), trm_axis(k));
        assert_vec_near(turned, trm_v3_neg(trm_axis(k)), 0);
    }
    trm_random random = trm_random_seed(7);
    const trm_vec3 a = random_direction(&random);
    const trm_quat none = trm_quat_between(a, a);
    assert_true(none.w == 1 && none.x == 0 && none.y == 0 && none.z == 0);
}

static void perpendicular_goes_round_the_coordinate_axes(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        assert_vec_near(trm_perpendicular(trm_axis(k)), trm_axis((k + 1) % 3), 0);
        assert_vec_near(trm_perpendicular(trm_v3_neg(trm_axis(k))), trm_v3_neg(trm_axis((k + 1) % 3)), 0);
    }
    const trm_quat same = trm_frame_from_z(trm_axis(2));
    assert_true(same.w == 1 && same.x == 0 && same.y == 0 && same.z == 0);
}

static void frames_are_right_handed_with_the_given_z(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(8);
    for (int n = 0; n < 1000; n++) {
        trm_vec3 z = random_direction(&random);
        if (n % 10 == 0)
            z = trm_v3_unit(trm_v3_add_scaled(trm_v3(1, 1, 1), pow(10, -n / 20), z)); /* towards (1, 1, 1) */
        if (n % 20 == 0) z = trm_v3_neg(z);
        const trm_vec3 x = trm_perpendicular(z), minus_x = trm_perpendicular(trm_v3_neg(z));
        assert_near(trm_v3_length(x), 1, rounding);
        assert_near(trm_v3_dot(x, z), 0, rounding);
        assert_vec_near(minus_x, trm_v3_neg(x), 0);
        assert_mat_near(trm_quat_matrix(trm_frame_from_z(z)), trm_columns(x, trm_v3_cross(z, x), z), rounding);
    }
}

static void perpendicular_is_continuous_away_from_the_diagonal(void **state)
{
    (void)state;
    const double step = 1e-7, steepest = 12; /* 1/0.1 at the limit where the shifted vector is used, plus a margin */
    trm_random random = trm_random_seed(9);
    for (int n = 0; n < 1000; n++) {
        const trm_vec3 u = random_direction(&random);
        if (fabs(u.x + u.y + u.z) / sqrt(3) > 0.99) continue;
        const trm_vec3 near = trm_v3_unit(trm_v3_add_scaled(u, step, random_direction(&random)));
        assert_true(trm_v3_length(trm_v3_sub(trm_perpendicular(u), trm_perpendicular(near))) < steepest * step);
    }
}

static void frames_with_a_hint_have_x_nearest_to_it(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(10);
    for (int n = 0; n < 200; n++) {
        const trm_vec3 z = random_direction(&random), hint = trm_v3_scale(3, random_direction(&random));
        const double along = trm_v3_dot(hint, z) / 3;
        if (fabs(along) > 0.99) continue;
        const trm_mat3 R = trm_quat_matrix(trm_frame_from_zx(z, hint));
        assert_vec_near(trm_column(R, 2), z, 10 * rounding); /* a hint this near to z costs a digit */
        assert_near(trm_v3_dot(hint, trm_column(R, 0)), 3 * sqrt(1 - along * along), 10 * rounding);
    }
}

/* Returns the angular velocity of exp(r + t rdot) at t = 0 by a difference of rotations: the rotation vector from -d
 * to d, divided by 2 d. */
static trm_vec3 omega_by_difference(trm_vec3 r, trm_vec3 rdot, double d)
{
    const trm_quat before = trm_quat_exp(trm_v3_add_scaled(r, -d, rdot));
    const trm_quat after = trm_quat_exp(trm_v3_add_scaled(r, d, rdot));
    return trm_v3_scale(1 / (2 * d), trm_quat_log(trm_quat_mul(after, trm_quat_conj(before))));
}

/* Richardson's (4 f(d/2) - f(d))/3: the remaining error is d^4 = 1e-12 times derivatives of magnitude ten, plus
 * rounding 1e-16/d. */
static const double difference_step = 1e-3, difference_tolerance = 5e-11;

static void jacobian_gives_the_angular_velocity(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(11);
    for (int n = 0; n < DIRECTIONS; n++)
        for (int i = 0; i < ANGLES; i++) {
            const trm_vec3 r = trm_v3_scale(angles[i], random_direction(&random)), rdot = random_direction(&random);
            const trm_vec3 coarse = omega_by_difference(r, rdot, difference_step);
            const trm_vec3 fine = omega_by_difference(r, rdot, difference_step / 2);
            const trm_vec3 omega = trm_v3_add_scaled(trm_v3_scale(4.0 / 3, fine), -1.0 / 3, coarse);
            assert_vec_near(trm_mat_vec(trm_exp_jacobian(r), rdot), omega, difference_tolerance);
        }
}

/* Computes T as the mean of exp([s r]x) over 0 <= s <= 1 (twice Gauss's rule with 10 points): a form without theta in
 * a denominator. */
static trm_mat3 jacobian_by_quadrature(trm_vec3 r)
{
    static const double node[5] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                                   0.9739065285171717};
    static const double weight[5] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159821, 0.1494513491505806,
                                     0.0666713443086881};
    trm_mat3 T = {{{0}}};
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 10; i++) {
            const double s = 0.25 + 0.5 * half + (i < 5 ? 0.25 : -0.25) * node[i % 5];
            T = trm_mat_add_scaled(T, 0.25 * weight[i % 5], trm_quat_matrix(trm_quat_exp(trm_v3_scale(s, r))));
        }
    return T;
}

static void jacobian_is_the_mean_of_the_rotations_on_the_way(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(12);
    for (int n = 0; n < DIRECTIONS; n++)
        for (int i = 0; i < ANGLES; i++) {
            const trm_vec3 r = trm_v3_scale(angles[i], random_direction(&random));
            assert_mat_near(trm_exp_jacobian(r), jacobian_by_quadrature(r), rounding);
        }
}

static void jacobian_inverse_is_the_inverse(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(13);
    for (int n = 0; n < DIRECTIONS; n++)
        for (int i = 0; i < ANGLES; i++) {
            const trm_vec3 r = trm_v3_scale(angles[i], random_direction(&random));
            const trm_mat3 product = trm_mat_mul(trm_exp_jacobian_inverse(r), trm_exp_jacobian(r));
            /* theta = 6 is 0.28 less than a full turn, where the inverse has magnitude 22 */
            assert_mat_near(product, trm_diag(trm_v3(1, 1, 1)), angles[i] > 5 ? 30 * rounding : rounding);
        }
}

static void jacobian_rate_is_the_rate_of_the_angular_velocity(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(14);
    for (int n = 0; n < DIRECTIONS; n++)
        for (int i = 0; i < ANGLES; i++) {
            const trm_vec3 r = trm_v3_scale(angles[i], random_direction(&random)), rdot = random_direction(&random);
            trm_vec3 slope[2];
            for (int k = 0; k < 2; k++) {
                const double d = difference_step / (k + 1);
                const trm_vec3 after = trm_mat_vec(trm_exp_jacobian(trm_v3_add_scaled(r, d, rdot)), rdot);
                const trm_vec3 before = trm_mat_vec(trm_exp_jacobian(trm_v3_add_scaled(r, -d, rdot)), rdot);
                slope[k] = trm_v3_scale(1 / (2 * d), trm_v3_sub(after, before));
            }
            const trm_vec3 expected = trm_v3_add_scaled(trm_v3_scale(4.0 / 3, slope[1]), -1.0 / 3, slope[0]);
            assert_vec_near(trm_exp_jacobian_rate(r, rdot), expected, difference_tolerance);
        }
}

/* Near r = 0: dT/dt rdot = (1/6) rdot x (r x rdot) - (1/12) (r.rdot) (r x rdot) + O(r^3), in the first two orders. */
static void jacobian_rate_keeps_its_digits_at_small_angles(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(15);
    for (double size = 1e-3; size > 1e-12; size /= 10) {
        const trm_vec3 r = trm_v3_scale(size, random_direction(&random)), rdot = random_direction(&random);
        const trm_vec3 turn = trm_v3_cross(r, rdot);
        const trm_vec3 first = trm_v3_scale(1.0 / 6, trm_v3_cross(rdot, turn));
        const trm_vec3 second = trm_v3_scale(-trm_v3_dot(r, rdot) / 12, turn);
        assert_vec_near(trm_exp_jacobian_rate(r, rdot), trm_v3_add(first, second), size * (size * size + rounding));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_rodrigues_formula_at_every_angle),
        cmocka_unit_test(exp_has_all_digits_on_both_sides_of_its_series),
        cmocka_unit_test(log_undoes_exp_relatively_accurate_at_small_angles),
        cmocka_unit_test(log_ignores_the_sign_and_the_length_of_the_quaternion),
        cmocka_unit_test(log_stays_within_half_a_turn_and_is_accurate_there),
        cmocka_unit_test(matrices_of_every_kind_give_their_quaternion),
        cmocka_unit_test(rpy_is_yaw_after_pitch_after_roll),
        cmocka_unit_test(between_is_the_smallest_rotation_from_a_to_b),
        cmocka_unit_test(between_opposite_axes_and_equal_ones_is_exact),
        cmocka_unit_test(perpendicular_goes_round_the_coordinate_axes),
        cmocka_unit_test(frames_are_right_handed_with_the_given_z),
        cmocka_unit_test(perpendicular_is_continuous_away_from_the_diagonal),
        cmocka_unit_test(frames_with_a_hint_have_x_nearest_to_it),
        cmocka_unit_test(jacobian_gives_the_angular_velocity),
        cmocka_unit_test(jacobian_is_the_mean_of_the_rotations_on_the_way),
        cmocka_unit_test(jacobian_inverse_is_the_inverse),
        cmocka_unit_test(jacobian_rate_is_the_rate_of_the_angular_velocity),
        cmocka_unit_test(jacobian_rate_keeps_its_digits_at_small_angles),
    };
    return RUN_TESTS(tests);
}
