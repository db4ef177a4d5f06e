/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Identities of vecmath.h with random values, and the few signs and orders that identities do not determine. */

#include "trammel/vecmath.h"

#include "base/random.h"
#include "check.h"

enum { SAMPLES = 1000 };

/* For values up to 10 after about fifty roundings of 1.1e-16 each. */
static const double rounding = 5e-14;

static trm_vec3 random_vec(trm_random *random)
{
    const double x = trm_random_uniform(random, -1, 1), y = trm_random_uniform(random, -1, 1);
    return trm_v3(x, y, trm_random_uniform(random, -1, 1));
}

static trm_mat3 random_mat(trm_random *random)
{
    const trm_vec3 x = random_vec(random), y = random_vec(random);
    return trm_columns(x, y, random_vec(random));
}

static trm_quat random_quat(trm_random *random) /* not of unit length, and not near zero */
{
    const trm_vec3 u = random_vec(random);
    return (trm_quat){trm_random_uniform(random, 0.1, 1), u.x, u.y, u.z};
}

static trm_pose random_pose(trm_random *random)
{
    const trm_quat q = trm_quat_unit(random_quat(random));
    return (trm_pose){q, random_vec(random)};
}

static void assert_vecs_near(trm_vec3 a, trm_vec3 b)
{
    assert_near(a.x, b.x, rounding);
    assert_near(a.y, b.y, rounding);
    assert_near(a.z, b.z, rounding);
}

static void assert_mats_near(trm_mat3 a, trm_mat3 b)
{
    for (int c = 0; c < 3; c++) assert_vecs_near(trm_column(a, c), trm_column(b, c));
}

static void assert_quats_near(trm_quat a, trm_quat b)
{
    assert_near(a.w, b.w, rounding);
    assert_vecs_near(trm_v3(a.x, a.y, a.z), trm_v3(b.x, b.y, b.z));
}

static void assert_poses_near(trm_pose a, trm_pose b)
{
    assert_quats_near(a.q, b.q);
    assert_vecs_near(a.p, b.p);
}

static void sums_are_made_of_components(void **state)
{
    (void)state;
    const trm_vec3 a = {1, 2, 3}, b = {10, 20, 40};
    assert_vecs_near(trm_v3_add(a, b), trm_v3(11, 22, 43));
    assert_vecs_near(trm_v3_sub(b, a), trm_v3(9, 18, 37));
    assert_vecs_near(trm_v3_scale(2, b), trm_v3(20, 40, 80));
    assert_vecs_near(trm_v3_neg(a), trm_v3(-1, -2, -3));
    assert_vecs_near(trm_v3_add_scaled(a, -2, b), trm_v3(-19, -38, -77));
    assert_near(trm_v3_dot(a, b), 170, rounding);
    assert_near(trm_v3_length(trm_v3(3, 4, 12)), 13, rounding);
}

static void axes_are_right_handed(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_vecs_near(trm_v3_cross(trm_axis(i), trm_axis((i + 1) % 3)), trm_axis((i + 2) % 3));
    assert_vecs_near(trm_axis(1), trm_v3(0, 1, 0));
}

/* Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a.b)^2; Jacobi: a x (b x c) + b x (c x a) + c x (a x b) = 0 */
static void cross_products_obey_their_identities(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    for (int i = 0; i < SAMPLES; i++) {
        const trm_vec3 a = random_vec(&random), b = random_vec(&random), c = random_vec(&random);
        const trm_vec3 ab = trm_v3_cross(a, b);
        assert_near(trm_v3_dot(ab, a), 0, rounding);
        assert_near(trm_v3_dot(ab, b), 0, rounding);
        assert_near(trm_v3_dot(ab, ab), trm_v3_dot(a, a) * trm_v3_dot(b, b) - trm_v3_dot(a, b) * trm_v3_dot(a, b),
                    rounding);
        const trm_vec3 first = trm_v3_add(trm_v3_cross(a, trm_v3_cross(b, c)), trm_v3_cross(b, trm_v3_cross(c, a)));
        assert_vecs_near(trm_v3_add(first, trm_v3_cross(c, ab)), trm_v3(0, 0, 0));
        assert_vecs_near(trm_mat_vec(trm_skew(a), b), ab);
        assert_mats_near(trm_transpose(trm_skew(a)), trm_skew(trm_v3_neg(a)));
    }
}

static void units_have_length_one_and_keep_direction(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(2);
    for (int i = 0; i < SAMPLES; i++) {
        const trm_vec3 a = trm_v3_add(random_vec(&random), trm_v3(0, 0, 1.5));
        const trm_vec3 u = trm_v3_unit(a);
        assert_near(trm_v3_length(u), 1, rounding);
        assert_vecs_near(trm_v3_scale(trm_v3_length(a), u), a);
    }
}

static void one_bad_component_makes_a_vector_not_finite(void **state)
{
    (void)state;
    assert_true(trm_v3_is_finite(trm_v3(1e308, -1e308, 0)));
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_false(trm_v3_is_finite(trm_v3(bad[i], 0, 0)));
        assert_false(trm_v3_is_finite(trm_v3(0, bad[i], 0)));
        assert_false(trm_v3_is_finite(trm_v3(0, 0, bad[i])));
    }
}

static void matrices_are_read_by_row_and_made_by_column(void **state)
{
    (void)state;
    const trm_mat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
    assert_vecs_near(trm_column(a, 1), trm_v3(2, 5, 8));
    assert_mats_near(trm_columns(trm_v3(1, 4, 7), trm_v3(2, 5, 8), trm_v3(3, 6, 10)), a);
    assert_vecs_near(trm_mat_vec(a, trm_v3(1, 10, 100)), trm_v3(321, 654, 1087));
    assert_vecs_near(trm_mat_t_vec(a, trm_v3(1, 10, 100)), trm_v3(741, 852, 1063));
    assert_near(trm_trace(a), 16, rounding);
    assert_vecs_near(trm_mat_vec(trm_diag(trm_v3(2, 3, 4)), trm_v3(1, 10, 100)), trm_v3(2, 30, 400));
}

static void matrix_products_obey_their_identities(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(3);
    const trm_mat3 identity = trm_diag(trm_v3(1, 1, 1));
    for (int i = 0; i < SAMPLES; i++) {
        const trm_mat3 a = random_mat(&random), b = random_mat(&random);
        const trm_vec3 u = random_vec(&random), v = random_vec(&random);
        const double s = trm_random_uniform(&random, -1, 1);
        const trm_mat3 ab = trm_mat_mul(a, b);
        assert_vecs_near(trm_mat_vec(ab, v), trm_mat_vec(a, trm_mat_vec(b, v)));
        assert_mats_near(trm_transpose(ab), trm_mat_mul(trm_transpose(b), trm_transpose(a)));
        assert_mats_near(trm_mat_mul(a, identity), a);
        assert_near(trm_v3_dot(u, trm_mat_vec(a, v)), trm_v3_dot(trm_mat_t_vec(a, u), v), rounding);
        assert_near(trm_trace(ab), trm_trace(trm_mat_mul(b, a)), rounding);
        assert_vecs_near(trm_mat_vec(trm_mat_add_scaled(a, s, b), v),
                         trm_v3_add_scaled(trm_mat_vec(a, v), s, trm_mat_vec(b, v)));
    }
}

/* (u v^T) w = (v.w) u; trace u v^T = u.v; [u]x^2 = u u^T - |u|^2 1 */
static void outer_products_obey_their_identities(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(4);
    for (int i = 0; i < SAMPLES; i++) {
        const trm_vec3 u = random_vec(&random), v = random_vec(&random), w = random_vec(&random);
        const double uu = trm_v3_dot(u, u);
        assert_vecs_near(trm_mat_vec(trm_outer(u, v), w), trm_v3_scale(trm_v3_dot(v, w), u));
        assert_near(trm_trace(trm_outer(u, v)), trm_v3_dot(u, v), rounding);
        assert_mats_near(trm_mat_mul(trm_skew(u), trm_skew(u)),
                         trm_mat_add_scaled(trm_outer(u, u), -1, trm_diag(trm_v3(uu, uu, uu))));
    }
}

/* Hamilton: i j = k, j k = i, k i = j, i i = -1 */
static void quaternion_units_multiply_as_hamilton_says(void **state)
{
    (void)state;
    const trm_quat i = {0, 1, 0, 0}, j = {0, 0, 1, 0}, k = {0, 0, 0, 1}, minus_one = {-1, 0, 0, 0};
    assert_quats_near(trm_quat_mul(i, j), k);
    assert_quats_near(trm_quat_mul(j, k), i);
    assert_quats_near(trm_quat_mul(k, i), j);
    assert_quats_near(trm_quat_mul(i, i), minus_one);
    assert_quats_near(trm_quat_mul(j, j), minus_one);
    assert_quats_near(trm_quat_mul(k, k), minus_one);
}

static void quaternion_products_obey_their_identities(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(5);
    for (int i = 0; i < SAMPLES; i++) {
        const trm_quat a = random_quat(&random), b = random_quat(&random), c = random_quat(&random);
        const trm_quat ab = trm_quat_mul(a, b);
        const double norm = trm_quat_norm(a);
        assert_quats_near(trm_quat_mul(ab, c), trm_quat_mul(a, trm_quat_mul(b, c)));
        assert_quats_near(trm_quat_conj(ab), trm_quat_mul(trm_quat_conj(b), trm_quat_conj(a)));
        assert_quats_near(trm_quat_mul(a, trm_quat_conj(a)), (trm_quat){norm * norm, 0, 0, 0});
        assert_quats_near(trm_quat_mul(a, trm_quat_identity()), a);
        assert_near(trm_quat_norm(ab), norm * trm_quat_norm(b), rounding);
        const trm_quat u = trm_quat_unit(a);
        assert_near(trm_quat_norm(u), 1, rounding);
        assert_quats_near((trm_quat){norm * u.w, norm * u.x, norm * u.y, norm * u.z}, a);
    }
}

static void a_quarter_turn_about_an_axis_takes_the_next_to_the_one_after(void **state)
{
    (void)state;
    const double half = sqrt(0.5);
    for (int i = 0; i < 3; i++) {
        const trm_vec3 u = trm_v3_scale(half, trm_axis(i));
        const trm_quat q = {half, u.x, u.y, u.z};
        assert_vecs_near(trm_rotate(q, trm_axis((i + 1) % 3)), trm_axis((i + 2) % 3));
        assert_vecs_near(trm_rotate_back(q, trm_axis((i + 2) % 3)), trm_axis((i + 1) % 3));
    }
}

/* Returns the matrix of a unit quaternion as written in textbooks. */
static trm_mat3 textbook_matrix(trm_quat q)
{
    const double w = q.w, x = q.x, y = q.y, z = q.z;
    return (trm_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                       {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                       {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

static void rotating_equals_the_matrix_and_the_sandwich_product(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(6);
    for (int i = 0; i < SAMPLES; i++) {
        const trm_quat q = trm_quat_unit(random_quat(&random));
        const trm_vec3 v = random_vec(&random), turned = trm_rotate(q, v);
        const trm_mat3 R = trm_quat_matrix(q);
        assert_mats_near(R, textbook_matrix(q));
        assert_vecs_near(turned, trm_mat_vec(R, v));
        assert_vecs_near(trm_rotate_back(q, v), trm_mat_t_vec(R, v));
        assert_vecs_near(trm_rotate_back(q, turned), v);
        assert_near(trm_v3_length(turned), trm_v3_length(v), rounding);
        const trm_quat sandwich = trm_quat_mul(trm_quat_mul(q, (trm_quat){0, v.x, v.y, v.z}), trm_quat_conj(q));
        assert_quats_near(sandwich, (trm_quat){0, turned.x, turned.y, turned.z});
    }
}

static void rotation_matrices_are_orthogonal_and_multiply_as_quaternions_do(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(7);
    for (int i = 0; i < SAMPLES; i++) {
        const trm_quat a = trm_quat_unit(random_quat(&random)), b = trm_quat_unit(random_quat(&random));
        const trm_mat3 A = trm_quat_matrix(a), B = trm_quat_matrix(b);
        assert_mats_near(trm_mat_mul(trm_transpose(A), A), trm_diag(trm_v3(1, 1, 1)));
        assert_vecs_near(trm_v3_cross(trm_column(A, 0), trm_column(A, 1)), trm_column(A, 2));
        assert_mats_near(trm_quat_matrix(trm_quat_mul(a, b)), trm_mat_mul(A, B));
    }
}

static void poses_compose_and_invert(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(8);
    for (int i = 0; i < SAMPLES; i++) {
        const trm_pose ab = random_pose(&random), bc = random_pose(&random), cd = random_pose(&random);
        const trm_pose ac = trm_pose_mul(ab, bc);
        const trm_vec3 point = random_vec(&random);
        assert_vecs_near(trm_pose_point(ac, point), trm_pose_point(ab, trm_pose_point(bc, point)));
        assert_vecs_near(trm_pose_point_back(ab, trm_pose_point(ab, point)), point);
        assert_vecs_near(trm_pose_point(trm_pose_inverse(ab), point), trm_pose_point_back(ab, point));
        assert_poses_near(trm_pose_mul(ac, cd), trm_pose_mul(ab, trm_pose_mul(bc, cd)));
        assert_poses_near(trm_pose_mul(ab, trm_pose_inverse(ab)), trm_pose_identity());
        assert_poses_near(trm_pose_mul(trm_pose_inverse(ab), ab), trm_pose_identity());
        assert_poses_near(trm_pose_mul(ab, trm_pose_identity()), ab);
    }
}

static void a_pose_turns_and_then_moves(void **state)
{
    (void)state;
    const double half = sqrt(0.5);
    const trm_pose quarter_about_z_at_5 = {{half, 0, 0, half}, {5, 0, 0}};
    assert_vecs_near(trm_pose_point(quarter_about_z_at_5, trm_v3(2, 0, 1)), trm_v3(5, 2, 1));
}

static void spatial_vectors_put_the_angular_part_first(void **state)
{
    (void)state;
    const trm_spatial a = trm_sp(trm_v3(1, 2, 3), trm_v3(4, 5, 6)), b = {{10, 20, 30}, {40, 50, 60}};
    assert_vecs_near(a.ang, trm_v3(1, 2, 3));
    assert_vecs_near(a.lin, trm_v3(4, 5, 6));
    const trm_spatial sum = trm_sp_add_scaled(a, 2, b);
    assert_vecs_near(sum.ang, trm_v3(21, 42, 63));
    assert_vecs_near(sum.lin, trm_v3(84, 105, 126));
    assert_near(trm_sp_dot(a, b), 910, rounding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_made_of_components),
        cmocka_unit_test(axes_are_right_handed),
        cmocka_unit_test(cross_products_obey_their_identities),
        cmocka_unit_test(units_have_length_one_and_keep_direction),
        cmocka_unit_test(one_bad_component_makes_a_vector_not_finite),
        cmocka_unit_test(matrices_are_read_by_row_and_made_by_column),
        cmocka_unit_test(matrix_products_obey_their_identities),
        cmocka_unit_test(outer_products_obey_their_identities),
        cmocka_unit_test(quaternion_units_multiply_as_hamilton_says),
        cmocka_unit_test(quaternion_products_obey_their_identities),
        cmocka_unit_test(a_quarter_turn_about_an_axis_takes_the_next_to_the_one_after),
        cmocka_unit_test(rotating_equals_the_matrix_and_the_sandwich_product),
        cmocka_unit_test(rotation_matrices_are_orthogonal_and_multiply_as_quaternions_do),
        cmocka_unit_test(poses_compose_and_invert),
        cmocka_unit_test(a_pose_turns_and_then_moves),
        cmocka_unit_test(spatial_vectors_put_the_angular_part_first),
    };
    return RUN_TESTS(tests);
}
