/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares free motion with closed forms: conserved quantities, Euler's top in elliptic functions, orders of the
 * series. */

#include "motion/free.h"

#include "check.h"
#include "math/rotation.h"
#include "random_bodies.h"

static const trm_vec3 NO_GRAVITY = {0, 0, 0};

/* One body in free motion; its frame is the principal frame. */
typedef struct flight {
    trm_body body;
    trm_pose X;
    trm_spatial V;
} flight;

static trm_body body_with(trm_vec3 J, int symmetry_axis)
{
    return (trm_body){.kind = TRM_BODY_RIGID,
                      .mass = 1,
                      .inverse_mass = 1,
                      .inertia = J,
                      .inverse_inertia = {1 / J.x, 1 / J.y, 1 / J.z},
                      .symmetry_axis = symmetry_axis};
}

/* Returns a body that turns with w, given in body axes. */
static flight spinning(trm_vec3 J, int symmetry_axis, trm_quat q, trm_vec3 w)
{
    return (flight){body_with(J, symmetry_axis), {q, {0, 0, 0}}, {trm_rotate(q, w), {0, 0, 0}}};
}

static void fly(flight *f, double h, int steps, int order)
{
    for (int i = 0; i < steps; i++) trm_free_motion(&f->body, NO_GRAVITY, h, order, &f->X, &f->V);
}

static trm_vec3 body_spin(const flight *f)
{
    return trm_rotate_back(f->X.q, f->V.ang);
}

static trm_vec3 angular_momentum(const flight *f)
{
    const trm_vec3 w = body_spin(f), J = f->body.inertia;
    return trm_rotate(f->X.q, trm_v3(J.x * w.x, J.y * w.y, J.z * w.z));
}

static double energy(const flight *f)
{
    return 0.5 * trm_v3_dot(f->V.ang, angular_momentum(f));
}

static double turn_between(trm_quat a, trm_quat b)
{
    return trm_v3_length(trm_quat_log(trm_quat_mul(a, trm_quat_conj(b))));
}

/* Returns the distance of two flights of equal bodies, orientation in rad and spin relative to its size. */
static double distance(const flight *a, const flight *b)
{
    const double spin = trm_v3_length(trm_v3_sub(a->V.ang, b->V.ang)) / (1e-300 + trm_v3_length(a->V.ang));
    return fmax(turn_between(a->X.q, b->X.q), spin);
}

static double order_of(double error, double error_of_half)
{
    return log2(error / error_of_half);
}

/* ---- Euler's top -------------------------------------------------------------------------- */

static const trm_vec3 top_moments = {1, 2, 3}, top_spin = {0.01, 1, 0.01};

static void energy_and_momentum_are_kept_over_100_s(void **unused)
{
    (void)unused;
    const double tolerance = 1e-12; /* required by methods.md; rounding gives 2e-14 */
    flight f = spinning(top_moments, -1, trm_quat_identity(), top_spin);
    const double E = energy(&f);
    const trm_vec3 L = angular_momentum(&f);
    for (int i = 0; i < 10000; i++) {
        fly(&f, 0.01, 1, TRM_TAYLOR_AUTO);
        assert_near(energy(&f) / E, 1, tolerance);
        assert_near(trm_v3_length(trm_v3_sub(angular_momentum(&f), L)) / trm_v3_length(L), 0, tolerance);
        assert_near(trm_quat_norm(f.X.q), 1, tolerance);
    }
}

/* Carlson's R_F(x, y, z) = 1/2 integral from 0 of dt / sqrt((t+x)(t+y)(t+z)), by duplication. */
static double carlson_rf(double x, double y, double z)
{
    for (int i = 0; i < 60; i++) {
        const double lambda = sqrt(x * y) + sqrt(y * z) + sqrt(z * x);
        x = (x + lambda) / 4, y = (y + lambda) / 4, z = (z + lambda) / 4;
    }
    return 1 / sqrt((x + y + z) / 3);
}

/* With J1 < J2 < J3 and L^2 > 2 T J2 the spin about the middle axis is B sn(rate t + u0, k), which gives the times at
 * which it vanishes. Differences of nearly equal numbers are expanded by hand in w. */
typedef struct tumbling {
    double first, between;
} tumbling;

static tumbling tumbling_of(trm_vec3 J, trm_vec3 w)
{
    const double a = J.y * (J.z - J.y) * w.y * w.y + J.x * (J.z - J.x) * w.x * w.x; /* 2 T J3 - L^2 */
    const double c = J.y * (J.y - J.x) * w.y * w.y + J.z * (J.z - J.x) * w.z * w.z; /* L^2 - 2 T J1 */
    const double b = J.z * (J.z - J.y) * w.z * w.z - J.x * (J.y - J.x) * w.x * w.x; /* L^2 - 2 T J2 */
    const double rate = sqrt((J.z - J.y) * c / (J.x * J.y * J.z));
    const double k2 = (J.y - J.x) * a / ((J.z - J.y) * c), one_less_k2 = (J.z - J.x) * b / ((J.z - J.y) * c);
    const double sn2 = w.y * w.y * J.y * (J.z - J.y) / a, cn2 = w.x * w.x * J.x * (J.z - J.x) / a;
    const double K = carlson_rf(0, one_less_k2, 1);
    const double u0 = sqrt(sn2) * carlson_rf(cn2, one_less_k2 + k2 * cn2, 1);
    return (tumbling){(2 * K - u0) / rate, 2 * K / rate};
}

/* Returns the time from the given state at which the middle spin vanishes, by Newton's method: dw2/dt = (J3 - J1) w3
 * w1 / J2. */
static double time_to_zero(const flight *f)
{
    const trm_vec3 J = f->body.inertia;
    double t = 0;
    for (int i = 0; i < 8; i++) {
        flight g = *f;
        fly(&g, t, 1, TRM_TAYLOR_AUTO);
        const trm_vec3 w = body_spin(&g);
        t -= w.y / ((J.z - J.x) * w.z * w.x / J.y);
    }
    return t;
}

/* Runs 100 s and compares every zero of the middle spin with the closed form. Returns the number of zeros. */
static int compare_flips(flight f, tumbling expected, double tolerance)
{
    int flips = 0;
    for (int i = 0; i < 10000; i++) {
        const flight before = f;
        fly(&f, 0.01, 1, TRM_TAYLOR_AUTO);
        if (body_spin(&before).y * body_spin(&f).y >= 0) continue;
        assert_near(i * 0.01 + time_to_zero(&before), expected.first + flips * expected.between, tolerance);
        flips++;
    }
    return flips;
}

static void the_body_flips_five_times_in_100_s_when_the_closed_form_says(void **unused)
{
    (void)unused;
    const double tolerance = 1e-10; /* rounding of 1e-15 of the spin is magnified a thousand times before a flip */
    const tumbling expected = tumbling_of(top_moments, top_spin);
    assert_int_equal(compare_flips(spinning(top_moments, -1, trm_quat_identity(), top_spin), expected, tolerance), 5);
}

/* ---- References (problems.md R11) --------------------------------------------------------- */

typedef struct reference {
    double t;
    trm_quat q;
    trm_vec3 w; /* body axes */
} reference;

/* Compares with the references in steps of 0.01 s. */
static void compare_with(flight f, const reference *list, int count, double tolerance)
{
    double t = 0;
    for (int i = 0; i < count; i++) {
        fly(&f, 0.01, (int)lround((list[i].t - t) / 0.01), TRM_TAYLOR_AUTO);
        t = list[i].t;
        assert_near(turn_between(f.X.q, list[i].q), 0, tolerance);
        assert_near(trm_v3_length(trm_v3_sub(body_spin(&f), list[i].w)), 0, tolerance);
    }
}

static void the_axisymmetric_reference_is_met(void **unused)
{
    (void)unused;
    static const reference list[] = {
        {1,
         {-0.30493638853033557, 0.3330180984456573, -0.13799999842070421, -0.88151502851261723},
         {-1.415504960961422, -4.2422100025215163, 6.0}},
        {2,
         {-0.55543791655142172, 0.20557573423999594, 0.61610199901827381, 0.51927417146858881},
         {0.80267858050502855, 4.3995121429993158, 6.0}},
        {5,
         {-0.19178921234637414, 0.64483121229043347, -0.071000905879295921, 0.73645670412314578},
         {1.0817755349108249, -4.3393273317495188, 6.0}},
        {10,
         {-0.18587191651153787, 0.19593818983383423, -0.78596706529286711, -0.5561615131343468},
         {-3.6436235965962791, 2.5930690477360598, 6.0}},
    };
    const double tolerance = 1e-12; /* rounding of a thousand steps */
    const flight f = spinning(trm_v3(0.04, 0.04, 0.02), 2, trm_quat_identity(), trm_v3(2, 4, 6));
    compare_with(f, list, 4, tolerance);
    flight series = f;
    series.body.symmetry_axis = -1; /* as if all moments differed */
    compare_with(series, list, 4, tolerance);
}

static void the_dzhanibekov_reference_is_met(void **unused)
{
    (void)unused;
    static const reference list[] = {
        {5,
         {0.28173535040798946, -0.021678776960405145, -0.95240539540757374, -0.11436426783979129},
         {-0.46234314504320709, 1.945825998446818, 0.41820512191072373}},
        {10,
         {-0.00086919209448815615, 0.88926726082647894, -0.00053507142088265779, -0.45738681334932308},
         {-0.0040254068645350049, -1.9999959490207911, 0.0036424904545380617}},
        {20,
         {0.58003851957073312, -0.036347131501489761, 0.81129996209704198, 0.063455286203309405},
         {0.29168299272993214, 1.9786159384155659, 0.26383721293648386}},
        {40,
         {-0.00084324507720073563, 0.41649634787950225, 0.0024079497115657904, 0.90913380913865643},
         {0.010284222538678992, -1.9999735585169057, 0.0093029667752021045}},
    };
    /* L^2 - 2 T J2, which decides how long the body stays near the middle axis, is 4e-9 of L^2. The roundings of ten
     * thousand steps add up to 1e-14 in L and T, which is 3e-6 of it. Steps of 0.0095 to 0.0106 s shift the eighth flip by 8e-7
     * to 1.5e-5 s, with the series of the quaternion as with that of the momentum. */
    const double tolerance = 2e-5;
    const flight f = spinning(trm_v3(1, 10, 11), -1, trm_quat_identity(), trm_v3(0, 2, 1e-4));
    compare_with(f, list, 4, tolerance);
    const tumbling flips = {6.1851993075147443, 12.370398615029489};
    assert_int_equal(compare_flips(f, flips, tolerance), 8);
}

/* ---- Series ------------------------------------------------------------------------------- */

static void the_series_of_order_p_has_order_p(void **unused)
{
    (void)unused;
    const double slack = 0.25; /* the next power of h is still visible with these steps */
    const flight start = spinning(trm_v3(1, 2, 2.5), -1, trm_quat_identity(), trm_v3(0.6, 0.9, -0.5));
    for (int p = 1; p <= 8; p++) {
        const int steps = p <= 2 ? 512 : p <= 5 ? 64 : 16;
        flight right = start, coarse = start, fine = start;
        fly(&right, 2.0 / steps, steps, TRM_TAYLOR_AUTO);
        fly(&coarse, 2.0 / steps, steps, p);
        fly(&fine, 1.0 / steps, 2 * steps, p);
        assert_near(order_of(distance(&coarse, &right), distance(&fine, &right)), p, slack);
    }
}

static void auto_is_the_series_of_high_order(void **unused)
{
    (void)unused;
    const double tolerance = 1e-13; /* rounding of ten steps, for moments and angular momenta in all directions */
    trm_random random = trm_random_seed(5);
    for (int k = 0; k < 300; k++) {
        const trm_vec3 w = random_vector(&random, k % 3 ? 3 : 1e-3);
        const flight start = spinning(random_moments(&random, 1), -1, random_rotation(&random), w);
        flight momentum = start, quaternion = start;
        fly(&momentum, 0.1, 10, TRM_TAYLOR_AUTO);
        fly(&quaternion, 0.1, 10, 24);
        assert_near(distance(&momentum, &quaternion), 0, tolerance);
    }
}

static void auto_agrees_with_many_small_steps_however_far_it_turns(void **unused)
{
    (void)unused;
    const double per_turn = 1e-13; /* rounding of 256 small steps, which grows as the body turns */
    trm_random random = trm_random_seed(1);
    for (double turn = 1e-6; turn <= 50; turn *= 5) {
        for (int k = 0; k < 20; k++) {
            const trm_vec3 w = trm_v3_scale(turn, random_direction(&random));
            const flight start = spinning(random_moments(&random, 1), -1, random_rotation(&random), w);
            flight one = start, many = start;
            fly(&one, 1, 1, TRM_TAYLOR_AUTO);
            fly(&many, 1.0 / 256, 256, TRM_TAYLOR_AUTO);
            assert_near(distance(&one, &many), 0, per_turn * fmax(turn, 1));
        }
    }
}

static void a_turn_beyond_all_measure_ends(void **unused)
{
    (void)unused;
    flight f = spinning(trm_v3(1, 2, 2.5), -1, trm_quat_identity(), trm_v3(1e30, 1e30, 0));
    fly(&f, 1, 1, TRM_TAYLOR_AUTO); /* the result is arbitrary; the claim is that the function returns */
    f = spinning(trm_v3(1, 2, 2.5), -1, trm_quat_identity(), trm_v3(INFINITY, 0, 0));
    fly(&f, 1, 1, TRM_TAYLOR_AUTO);
    assert_false(trm_v3_is_finite(f.V.ang));
}

/* Steps as Schmitt prints them (erratum 1): the new spin in body axes is transformed to the world by the old
 * orientation. */
static void fly_as_printed(flight *f, double h, int steps)
{
    for (int i = 0; i < steps; i++) {
        const trm_quat old = f->X.q;
        fly(f, h, 1, TRM_TAYLOR_AUTO);
        f->V.ang = trm_rotate(old, body_spin(f));
    }
}

static void the_formula_as_printed_is_of_first_order_only(void **unused)
{
    (void)unused;
    const double slack = 0.1;
    const flight start = spinning(trm_v3(1, 2, 2.5), -1, trm_quat_identity(), trm_v3(0.6, 0.9, -0.5));
    const trm_vec3 L = angular_momentum(&start);
    flight coarse = start, fine = start, right = start;
    fly_as_printed(&coarse, 0.01, 100);
    fly_as_printed(&fine, 0.005, 200);
    fly(&right, 0.01, 100, TRM_TAYLOR_AUTO);
    const double lost = trm_v3_length(trm_v3_sub(angular_momentum(&coarse), L));
    assert_true(lost > 1e-3);
    assert_near(order_of(lost, trm_v3_length(trm_v3_sub(angular_momentum(&fine), L))), 1, slack);
    assert_near(trm_v3_length(trm_v3_sub(angular_momentum(&right), L)), 0, 1e-14);
}

/* ---- Closed form -------------------------------------------------------------------------- */

static trm_vec3 symmetric_moments(int axis, double across, double along)
{
    return trm_v3_add_scaled(trm_v3(across, across, across), along - across, trm_axis(axis));
}

static void the_closed_form_is_the_series_of_high_order(void **unused)
{
    (void)unused;
    const double tolerance = 1e-13;
    trm_random random = trm_random_seed(2);
    for (int k = 0; k < 300; k++) {
        const double along = trm_random_uniform(&random, 0.01, 1.9);
        const trm_quat q = random_rotation(&random);
        const flight start = spinning(symmetric_moments(k % 3, 1, along), k % 3, q, random_vector(&random, 3));
        flight closed = start, series = start;
        fly(&closed, 0.1, 10, TRM_TAYLOR_AUTO);
        fly(&series, 0.1, 10, 24);
        assert_near(distance(&closed, &series), 0, tolerance);
    }
}

static void the_closed_form_in_one_step_is_that_in_two(void **unused)
{
    (void)unused;
    const double tolerance = 1e-13; /* rounding of angles up to 50 rad */
    trm_random random = trm_random_seed(3);
    for (int k = 0; k < 300; k++) {
        const trm_vec3 J = symmetric_moments(k % 3, 1, trm_random_uniform(&random, 0.01, 1.9));
        const flight start = spinning(J, k % 3, random_rotation(&random), random_vector(&random, 10));
        flight one = start, two = start;
        fly(&one, 3, 1, TRM_TAYLOR_AUTO);
        fly(&two, 1.75, 1, TRM_TAYLOR_AUTO);
        fly(&two, 1.25, 1, TRM_TAYLOR_AUTO);
        assert_near(distance(&one, &two), 0, tolerance);
    }
}

static void a_sphere_turns_evenly(void **unused)
{
    (void)unused;
    const trm_vec3 w = {1, -2, 0.5};
    flight f = spinning(trm_v3(0.4, 0.4, 0.4), 0, trm_quat_identity(), w);
    fly(&f, 0.3, 10, TRM_TAYLOR_AUTO);
    assert_true(f.V.ang.x == w.x && f.V.ang.y == w.y && f.V.ang.z == w.z);
    assert_near(turn_between(f.X.q, trm_quat_exp(trm_v3_scale(3, w))), 0, 1e-14);
}

/* ---- All ---------------------------------------------------------------------------------- */

static void a_step_back_undoes_a_step(void **unused)
{
    (void)unused;
    const double tolerance = 1e-13; /* rounding of up to 30 rad, forwards and backwards */
    trm_random random = trm_random_seed(4);
    for (int k = 0; k < 300; k++) {
        const bool symmetric = k % 2;
        const trm_vec3 J = symmetric ? symmetric_moments(1, 1, 0.3) : random_moments(&random, 1);
        const flight start =
            spinning(J, symmetric ? 1 : -1, random_rotation(&random), random_vector(&random, k % 3 ? 1 : 20));
        flight f = start;
        const trm_vec3 g = random_vector(&random, 10);
        f.V.lin = random_vector(&random, 5);
        const trm_vec3 v = f.V.lin;
        trm_free_motion(&f.body, g, 0.7, TRM_TAYLOR_AUTO, &f.X, &f.V);
        assert_true(turn_between(f.X.q, start.X.q) > 1e-3);
        trm_free_motion(&f.body, g, -0.7, TRM_TAYLOR_AUTO, &f.X, &f.V);
        assert_near(distance(&f, &start), 0, tolerance);
        assert_near(trm_v3_length(trm_v3_sub(f.X.p, start.X.p)), 0, tolerance);
        assert_near(trm_v3_length(trm_v3_sub(f.V.lin, v)), 0, tolerance);
    }
}

/* The numbers are representable without rounding. */
static void points_fall_exactly(void **unused)
{
    (void)unused;
    const trm_body point = {.kind = TRM_BODY_POINT, .mass = 1, .inverse_mass = 1, .symmetry_axis = -1};
    trm_pose X = {{1, 0, 0, 0}, {1, 2, 3}};
    trm_spatial V = {{0, 0, 0}, {-4, 5, 6}};
    for (int i = 0; i < 8; i++) trm_free_motion(&point, trm_v3(0, -8, 2), 0.25, TRM_TAYLOR_AUTO, &X, &V);
    const trm_pose there = {{1, 0, 0, 0}, {1 - 4 * 2, 2 + 5 * 2 - 4 * 4, 3 + 6 * 2 + 1 * 4}};
    const trm_spatial then = {{0, 0, 0}, {-4, 5 - 16, 6 + 4}};
    assert_memory_equal(&X, &there, sizeof X);
    assert_memory_equal(&V, &then, sizeof V);
}

static void the_centre_of_mass_falls_on_a_parabola(void **unused)
{
    (void)unused;
    const double tolerance = 1e-11; /* rounding of 427 m after a thousand steps */
    flight f = spinning(trm_v3(0.04, 0.04, 0.02), 2, trm_quat_identity(), trm_v3(2, 4, 6));
    f.X.p = trm_v3(1, 2, 3);
    f.V.lin = trm_v3(-4.2, 5.5, 6.1);
    for (int i = 0; i < 1000; i++) trm_free_motion(&f.body, trm_v3(0, 0, -9.81), 0.01, TRM_TAYLOR_AUTO, &f.X, &f.V);
    assert_near(trm_v3_length(trm_v3_sub(f.X.p, trm_v3(-41, 57, -426.5))), 0, tolerance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_momentum_are_kept_over_100_s),
        cmocka_unit_test(the_body_flips_five_times_in_100_s_when_the_closed_form_says),
        cmocka_unit_test(the_axisymmetric_reference_is_met),
        cmocka_unit_test(the_dzhanibekov_reference_is_met),
        cmocka_unit_test(the_series_of_order_p_has_order_p),
        cmocka_unit_test(auto_is_the_series_of_high_order),
        cmocka_unit_test(auto_agrees_with_many_small_steps_however_far_it_turns),
        cmocka_unit_test(a_turn_beyond_all_measure_ends),
        cmocka_unit_test(the_formula_as_printed_is_of_first_order_only),
        cmocka_unit_test(the_closed_form_is_the_series_of_high_order),
        cmocka_unit_test(the_closed_form_in_one_step_is_that_in_two),
        cmocka_unit_test(a_sphere_turns_evenly),
        cmocka_unit_test(a_step_back_undoes_a_step),
        cmocka_unit_test(points_fall_exactly),
        cmocka_unit_test(the_centre_of_mass_falls_on_a_parabola),
    };
    return RUN_TESTS(tests);
}
