/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Mass properties compared with closed forms and quadrature, and principal axes of rotated tensors. */

#include "math/inertia.h"

#include "base/random.h"
#include "check.h"
#include "math/rotation.h"

/* Relative tolerance for every solid; closed forms have errors of about 1e-16. */
static const double exactness = 1e-12;

/* A dozen roundings, relative to the largest entry of a tensor: rotating it forth and back takes about 50
 * operations. */
static const double rounding = 4e-15;

static const double pi = 3.14159265358979323846;

static double largest_entry(trm_mat3 a)
{
    double largest = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) largest = fmax(largest, fabs(a.m[r][c]));
    return largest;
}

/* Asserts equality to tolerance times the largest entry of expected. */
static void assert_mat_near(trm_mat3 actual, trm_mat3 expected, double tolerance)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            assert_near(actual.m[r][c], expected.m[r][c], tolerance * largest_entry(expected));
}

static void assert_vec_near(trm_vec3 actual, trm_vec3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

/* Asserts equality of com to tolerance metres, of mass and inertia relatively. */
static void assert_mass_near(trm_mass actual, trm_mass expected, double tolerance)
{
    assert_near(actual.mass, expected.mass, tolerance * fabs(expected.mass));
    assert_vec_near(actual.com, expected.com, tolerance);
    assert_mat_near(actual.inertia, expected.inertia, tolerance);
}

static trm_mass body(double mass, double Jx, double Jy, double Jz)
{
    return (trm_mass){.mass = mass, .inertia = trm_diag(trm_v3(Jx, Jy, Jz))};
}

static trm_quat random_turn(trm_random *random)
{
    const double x = trm_random_uniform(random, -2, 2), y = trm_random_uniform(random, -2, 2);
    return trm_quat_exp(trm_v3(x, y, trm_random_uniform(random, -2, 2)));
}

static trm_mat3 turned(trm_mat3 inertia, trm_quat q)
{
    const trm_mass part = {.mass = 1, .inertia = inertia};
    return trm_mass_moved(part, (trm_pose){q, {0, 0, 0}}).inertia;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

static void solids_have_their_textbook_moments(void **state)
{
    (void)state;
    const double steel = 7850, sphere = steel * 4 / 3 * pi * 0.001, box = steel * 0.1 * 0.2 * 0.3;
    assert_mass_near(trm_mass_sphere(steel, 0.1), body(sphere, 0.004 * sphere, 0.004 * sphere, 0.004 * sphere),
                     exactness);
    assert_mass_near(trm_mass_box(steel, trm_v3(0.1, 0.2, 0.3)),
                     body(box, box * 0.13 / 12, box * 0.10 / 12, box * 0.05 / 12), exactness);
    assert_mass_near(trm_mass_rod(2, 3, 0), body(2, 0, 1.5, 1.5), exactness);
    assert_mass_near(trm_mass_rod(2, 3, 0.5), body(2, 0.25, 1.5 + 0.125, 1.5 + 0.125), exactness);
}

/* Half the profile of a solid of revolution about z. */
typedef struct profile {
    double radius, length;
    bool capped;
} profile;

static double radius_at(profile p, double z)
{
    const double beyond = fmax(fabs(z) - p.length / 2, 0);
    return p.capped ? sqrt(fmax(p.radius * p.radius - beyond * beyond, 0)) : p.radius;
}

/* Adds a ring of radius rho at height z. */
static void add_ring(trm_mass *sum, double mass, double rho, double z)
{
    const double across = mass * (rho * rho / 2 + z * z);
    sum->mass += mass;
    sum->inertia = trm_mat_add_scaled(sum->inertia, 1, trm_diag(trm_v3(across, across, mass * rho * rho)));
}

/* Adds rings between heights a and b by Gauss's rule with 6 points in z and in rho; the integrands are polynomials of
 * degree 5 at most in both, so that the rule is exact. */
static void add_rings(trm_mass *sum, double density, profile p, double a, double b)
{
    static const double node[3] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
    static const double weight[3] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double z = (a + b) / 2 + (b - a) / 2 * (i < 3 ? node[i] : -node[i - 3]);
            const double outer = radius_at(p, z);
            const double rho = outer / 2 * (1 + (j < 3 ? node[j] : -node[j - 3]));
            const double area = (b - a) / 2 * weight[i % 3] * outer / 2 * weight[j % 3];
            add_ring(sum, density * 2 * pi * rho * area, rho, z);
        }
}

static trm_mass mass_by_quadrature(double density, profile p)
{
    trm_mass sum = {0};
    add_rings(&sum, density, p, -p.length / 2, p.length / 2);
    if (p.capped) {
        add_rings(&sum, density, p, p.length / 2, p.length / 2 + p.radius);
        add_rings(&sum, density, p, -p.length / 2 - p.radius, -p.length / 2);
    }
    return sum;
}

static void cylinder_and_capsule_are_the_sum_of_their_rings(void **state)
{
    (void)state;
    const double sizes[][2] = {{0.1, 0.5}, {2, 0.01}, {1e-4, 3}, {1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double r = sizes[i][0], l = sizes[i][1];
        assert_mass_near(trm_mass_cylinder(900, r, l), mass_by_quadrature(900, (profile){r, l, false}), exactness);
        assert_mass_near(trm_mass_capsule(900, r, l), mass_by_quadrature(900, (profile){r, l, true}), exactness);
    }
}

static void a_capsule_without_length_is_a_sphere(void **state)
{
    (void)state;
    assert_mass_near(trm_mass_capsule(3, 0.7, 0), trm_mass_sphere(3, 0.7), exactness);
}

/* ---- Polyhedra ---------------------------------------------------------------------------- */

static const int box_triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/* Returns the corners of a box: corner i is at the upper end of axis k if bit k of i is set. */
static void box_corners(trm_vec3 size, trm_pose X, trm_vec3 corners[8])
{
    for (int i = 0; i < 8; i++) {
        const trm_vec3 corner = {((i & 1) - 0.5) * size.x, ((i >> 1 & 1) - 0.5) * size.y,
                                 ((i >> 2 & 1) - 0.5) * size.z};
        corners[i] = trm_pose_point(X, corner);
    }
}

static void polyhedron_of_a_box_is_the_box_wherever_it_is(void **state)
{
    (void)state;
    const trm_vec3 size = {0.4, 1.0, 1.7};
    const trm_vec3 places[] = {{0, 0, 0}, {0.3, -2, 5}, {100, -100, 100}};
    trm_random random = trm_random_seed(21);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        trm_vec3 corners[8];
        const trm_pose X = {random_turn(&random), places[i]};
        box_corners(size, X, corners);
        /* 100 m away a coordinate is rounded by 7e-15 m, 2e-14 of the thinnest edge: still within exactness */
        assert_mass_near(trm_mass_polyhedron(500, corners, box_triangles, 12),
                         trm_mass_moved(trm_mass_box(500, size), X), exactness);
    }
}

static void polyhedron_inside_out_is_negative(void **state)
{
    (void)state;
    trm_vec3 corners[8];
    int inside_out[12][3];
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3; k++) inside_out[t][k] = box_triangles[t][2 - k];
    box_corners(trm_v3(1, 2, 3), trm_pose_identity(), corners);
    const trm_mass positive = trm_mass_polyhedron(10, corners, box_triangles, 12);
    const trm_mass negative = trm_mass_polyhedron(10, corners, (const int(*)[3])inside_out, 12);
    assert_near(negative.mass, -60, exactness);
    assert_mass_near(trm_mass_sum(positive, negative), (trm_mass){0}, exactness);
}

static void a_surface_without_volume_has_no_mass(void **state)
{
    (void)state;
    const trm_vec3 corners[3] = {{1, 0, 0}, {4, 0, 0}, {1, 3, 0}};
    const int both_sides[2][3] = {{0, 1, 2}, {2, 1, 0}};
    const trm_mass none = trm_mass_polyhedron(10, corners, both_sides, 2);
    assert_true(none.mass == 0 && largest_entry(none.inertia) == 0);
    assert_vec_near(none.com, trm_v3(2, 1, 0), exactness);
}

/* ---- Moving and joining ------------------------------------------------------------------- */

static void two_half_boxes_are_the_box(void **state)
{
    (void)state;
    const trm_mass half = trm_mass_box(40, trm_v3(0.5, 0.2, 0.3));
    const trm_quat half_turn = trm_quat_from_axis_angle(trm_axis(2), pi);
    const trm_mass left = trm_mass_moved(half, (trm_pose){trm_quat_identity(), {-0.25, 0, 0}});
    const trm_mass right = trm_mass_moved(half, (trm_pose){half_turn, {0.25, 0, 0}});
    const trm_mass whole = trm_mass_box(40, trm_v3(1, 0.2, 0.3));
    assert_mass_near(trm_mass_sum(left, right), whole, exactness);
    assert_mass_near(trm_mass_sum(right, left), whole, exactness);
}

static void parts_may_be_moved_before_or_after_they_are_joined(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(22);
    const trm_pose X = {random_turn(&random), {3, -1, 2}}, Y = {random_turn(&random), {0.1, 0.2, -0.3}};
    const trm_mass a = trm_mass_cylinder(10, 0.1, 0.4), b = trm_mass_moved(trm_mass_sphere(20, 0.2), Y);
    assert_mass_near(trm_mass_moved(trm_mass_sum(a, b), X), trm_mass_sum(trm_mass_moved(a, X), trm_mass_moved(b, X)),
                     exactness);
}

static void a_hole_is_a_part_of_negative_density(void **state)
{
    (void)state;
    const trm_pose aside = {trm_quat_identity(), {0.3, 0, 0}};
    const trm_mass hole = trm_mass_moved(trm_mass_sphere(-5, 0.1), aside);
    const trm_mass drilled = trm_mass_sum(trm_mass_box(5, trm_v3(1, 1, 1)), hole);
    const trm_mass filled = trm_mass_sum(drilled, trm_mass_moved(trm_mass_sphere(5, 0.1), aside));
    assert_true(drilled.com.x < 0);
    assert_mass_near(filled, trm_mass_box(5, trm_v3(1, 1, 1)), exactness);
}

static void nothing_added_to_nothing_is_nothing(void **state)
{
    (void)state;
    const trm_mass none = trm_mass_sum((trm_mass){.com = {1, 2, 3}}, (trm_mass){.com = {4, 5, 6}});
    assert_true(none.mass == 0 && trm_v3_is_finite(none.com) && largest_entry(none.inertia) == 0);
}

/* ---- Principal axes ----------------------------------------------------------------------- */

static double component(trm_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* Returns the principal axis of result that is along the unit vector u; asserts that its cosine is 1 up to
 * rounding. */
static int axis_along(trm_principal result, trm_vec3 u)
{
    int best = 0;
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        const double cosine = fabs(trm_v3_dot(u, trm_rotate(result.axes, trm_axis(i))));
        if (cosine > largest) largest = cosine, best = i;
    }
    return best;
}

/* Relative tolerance of moments and axes. */
static const double principal_tolerance = 1e-13;

/* Asserts that the tensor with these moments, at least 10 % apart, rotated by q has these moments along these
 * axes. */
static void check_turned_body(trm_vec3 moments, trm_quat q)
{
    const trm_principal result = trm_principal_axes(turned(trm_diag(moments), q));
    for (int k = 0; k < 3; k++) {
        const trm_vec3 u = trm_rotate(q, trm_axis(k));
        const int i = axis_along(result, u);
        const trm_vec3 off = trm_v3_cross(u, trm_rotate(result.axes, trm_axis(i)));
        assert_near(component(result.moments, i), component(moments, k), principal_tolerance * component(moments, k));
        assert_near(trm_v3_length(off), 0, principal_tolerance);
    }
}

static void turned_bodies_keep_their_moments_and_axes(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(23);
    for (int n = 0; n < 2000; n++) {
        const double size = pow(10, trm_random_uniform(&random, -9, 6));
        const double middle = trm_random_uniform(&random, 0.6, 0.9), least = trm_random_uniform(&random, 0.2, 0.5);
        const trm_vec3 moments = {size, size * middle, size * least};
        check_turned_body(moments, random_turn(&random));
    }
}

/* Axes of nearly equal moments are undetermined, but the tensor that they represent is not. */
static void moments_and_axes_reproduce_any_tensor(void **state)
{
    (void)state;
    const trm_vec3 cases[] = {
        {1, 1 + 1e-12, 1.5}, {1, 1, 1}, {1, 1, 1 + 1e-15}, {1e-9, 1e6, 1e6},   {1e-9, 1e-2, 1e6},     {0, 2, 2},
        {0, 0, 1},           {0, 0, 0}, {1, 2, 3},         {1e-9, 1e-9, 2e-9}, {1e6, 1e6, 1e6 + 1e-6}};
    trm_random random = trm_random_seed(24);
    for (int n = 0; n < 500; n++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const trm_mat3 tensor = turned(trm_diag(cases[i]), random_turn(&random));
            const trm_principal result = trm_principal_axes(tensor);
            assert_near(trm_quat_norm(result.axes), 1, rounding);
            assert_mat_near(turned(trm_diag(result.moments), result.axes), tensor, rounding);
            assert_near(result.moments.x + result.moments.y + result.moments.z, trm_trace(tensor),
                        rounding * trm_trace(tensor));
        }
}

static void nearly_equal_moments_leave_the_third_axis_alone(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(25);
    for (int n = 0; n < 500; n++) {
        const trm_quat q = random_turn(&random);
        const trm_principal result = trm_principal_axes(turned(trm_diag(trm_v3(1, 1 + 1e-12, 1.5)), q));
        const trm_vec3 u = trm_rotate(q, trm_axis(2));
        const int third = axis_along(result, u);
        assert_near(trm_v3_length(trm_v3_cross(u, trm_rotate(result.axes, trm_axis(third)))), 0, principal_tolerance);
        assert_near(component(result.moments, third), 1.5, principal_tolerance);
        assert_near(component(result.moments, (third + 1) % 3), 1, 1e-12 + principal_tolerance);
        assert_near(component(result.moments, (third + 2) % 3), 1, 1e-12 + principal_tolerance);
    }
}

/* D H D with H near 1 and D of magnitudes 1, 1e-5, 1e-17: the product of the moments is det(H) det(D)^2, which a
 * smallest moment with an absolute error of 1e-16 would not give. */
static void small_moments_of_a_graded_tensor_keep_their_digits(void **state)
{
    (void)state;
    const double D[3] = {1e-5, 1, 1e-17}, h01 = 0.3, h12 = -0.2, h02 = 0.1;
    const double H[3][3] = {{1, h01, h02}, {h01, 1, h12}, {h02, h12, 1}};
    const double det = 1 + 2 * h01 * h12 * h02 - h01 * h01 - h12 * h12 - h02 * h02;
    trm_mat3 tensor;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) tensor.m[r][c] = D[r] * H[r][c] * D[c];
    const trm_vec3 J = trm_principal_axes(tensor).moments;
    assert_near(J.x * J.y * J.z / (1e-44 * det), 1, rounding);
}

static void a_diagonal_tensor_is_left_as_it_is(void **state)
{
    (void)state;
    const trm_vec3 cases[] = {{3, 1, 2}, {1, 1, 1}, {0, 5, 5}, {1e-9, 1e6, 1}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const trm_principal result = trm_principal_axes(trm_diag(cases[i]));
        assert_vec_near(result.moments, cases[i], 0);
        assert_true(result.axes.w == 1 && result.axes.x == 0 && result.axes.y == 0 && result.axes.z == 0);
    }
}

static void a_nearly_diagonal_tensor_keeps_its_axes_nearly(void **state)
{
    (void)state;
    const trm_vec3 orders[] = {{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {1, 3, 2}};
    const double small = 1e-3;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const trm_quat q = trm_quat_exp(trm_v3(small, -small, small));
        const trm_principal result = trm_principal_axes(turned(trm_diag(orders[i]), q));
        assert_vec_near(result.moments, orders[i], 3 * rounding);
        assert_vec_near(trm_quat_log(result.axes), trm_v3(small, -small, small), principal_tolerance);
    }
}

static void the_mean_of_both_triangles_is_used(void **state)
{
    (void)state;
    const trm_mat3 skewed = {{{2, 0.75, 0}, {0.25, 2, 0}, {0, 0, 1}}};
    const trm_principal result = trm_principal_axes(skewed);
    assert_near(fmin(result.moments.x, result.moments.y), 1.5, rounding);
    assert_near(fmax(result.moments.x, result.moments.y), 2.5, rounding);
}

static void no_moment_exceeds_the_sum_of_the_others(void **state)
{
    (void)state;
    assert_true(trm_inertia_is_possible(trm_v3(1, 2, 3), 0));
    assert_true(trm_inertia_is_possible(trm_v3(0, 2, 2), 0));
    assert_false(trm_inertia_is_possible(trm_v3(1, 2, 3.001), 1e-9));
    assert_false(trm_inertia_is_possible(trm_v3(1, 3.001, 2), 1e-9));
    assert_false(trm_inertia_is_possible(trm_v3(3.001, 1, 2), 1e-9));
    assert_true(trm_inertia_is_possible(trm_v3(3.001, 1, 2), 1e-3));
    assert_false(trm_inertia_is_possible(trm_v3(-0.1, 1, 1), 1e-3));
    assert_false(trm_inertia_is_possible(trm_v3(NAN, 1, 1), 1e-3));
}

static void small_moments_are_raised_and_others_are_not(void **state)
{
    (void)state;
    assert_vec_near(trm_raised_moments(trm_v3(0, 4, 4)), trm_v3(4e-8, 4, 4), 1e-24);
    assert_vec_near(trm_raised_moments(trm_v3(2, -1e-17, 1.9e-8)), trm_v3(2, 2e-8, 2e-8), 1e-24);
    assert_vec_near(trm_raised_moments(trm_v3(1, 1e-7, 0.5)), trm_v3(1, 1e-7, 0.5), 0);
    assert_vec_near(trm_raised_moments(trm_v3(0, 0, 0)), trm_v3(0, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_have_their_textbook_moments),
        cmocka_unit_test(cylinder_and_capsule_are_the_sum_of_their_rings),
        cmocka_unit_test(a_capsule_without_length_is_a_sphere),
        cmocka_unit_test(polyhedron_of_a_box_is_the_box_wherever_it_is),
        cmocka_unit_test(polyhedron_inside_out_is_negative),
        cmocka_unit_test(a_surface_without_volume_has_no_mass),
        cmocka_unit_test(two_half_boxes_are_the_box),
        cmocka_unit_test(parts_may_be_moved_before_or_after_they_are_joined),
        cmocka_unit_test(a_hole_is_a_part_of_negative_density),
        cmocka_unit_test(nothing_added_to_nothing_is_nothing),
        cmocka_unit_test(turned_bodies_keep_their_moments_and_axes),
        cmocka_unit_test(moments_and_axes_reproduce_any_tensor),
        cmocka_unit_test(nearly_equal_moments_leave_the_third_axis_alone),
        cmocka_unit_test(small_moments_of_a_graded_tensor_keep_their_digits),
        cmocka_unit_test(a_diagonal_tensor_is_left_as_it_is),
        cmocka_unit_test(a_nearly_diagonal_tensor_keeps_its_axes_nearly),
        cmocka_unit_test(the_mean_of_both_triangles_is_used),
        cmocka_unit_test(no_moment_exceeds_the_sum_of_the_others),
        cmocka_unit_test(small_moments_are_raised_and_others_are_not),
    };
    return RUN_TESTS(tests);
}
