/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tests the output of `trammel paper`, first the tables of Schmitt 2003: what is reproduced, and how much it may
 * differ. */

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "paper_tables.h"
#include "sanitized.h"

/* The 8-Loop takes long with small steps. */
static const char *const LOOP_ROWS = SANITIZED ? "--rows 2" : "--rows 6";

static const json_t *row_of_step(const json_t *table, double h)
{
    for (size_t i = 0; i < row_count(table); i++)
        if (number(row_at(table, i), "h") == h) return row_at(table, i);
    fail_msg("there is no row of h = %g", h);
    return NULL;
}

/* ---- 9.1 ---------------------------------------------------------------------------------- */

static void the_printed_period_is_the_elliptic_integral(void **state)
{
    (void)state;
    const double last_printed_digit = 1e-14;
    json_t *table = table_of("9.1 --rows 1");
    assert_near(number(table, "T0"), number(table, "printed_T0"), last_printed_digit);
    json_decref(table);
}

static void the_pendulum_is_86_microseconds_early_and_four_times_less_when_h_halves(void **state)
{
    (void)state;
    const double early = 8.56e-5, one_percent = 8.56e-7, fourfold = 0.02;
    json_t *table = table_of("9.1");
    assert_int_equal(row_count(table), 9);
    assert_near(number(row_of_step(table, 0.01), "error"), -early, one_percent);
    for (size_t i = 1; i < row_count(table); i++) assert_near(number(row_at(table, i), "fall"), 4, fourfold);
    json_decref(table);
}

static void extrapolation_finds_the_period_to_ten_nanoseconds(void **state)
{
    (void)state;
    json_t *table = table_of("9.1 --rows 4");
    assert_near(number(json_object_get(table, "extrapolated"), "error"), 0, 1e-8);
    json_decref(table);
}

static void two_masses_swing_with_the_printed_periods(void **state)
{
    (void)state;
    const double some_d_max = 5e-9; /* the paper's run closes joints to 1e-9 m only */
    const double coarse = 3e-7;     /* at h = 0.04, 0.02; the cause is unknown, the next test excludes one */
    json_t *table = table_of("9.1");
    for (size_t i = 0; i < row_count(table); i++) {
        const json_t *row = row_at(table, i);
        assert_near(number(row, "as_paper_T"), number(row, "printed_T"),
                    number(row, "h") > 0.01 ? coarse : some_d_max);
    }
    json_decref(table);
}

/* The pendulum of two masses in a plane, programmed independently: centre s, lever arm r to the suspension, velocity
 * v, rate w; m = 2 kg, I = 0.5 kg m^2. */
typedef struct plane_pendulum {
    double s[2], r[2], v[2], w;
} plane_pendulum;

/* Rotates by a w h: exactly for order 0, else by the Taylor series up to this power. */
static void turn(const double r[2], double angle, int order, double to[2])
{
    double c = cos(angle), s = sin(angle), term = angle;
    if (order > 0) {
        c = 1, s = 0;
        for (int k = 1; k <= order; term *= angle / ++k) {
            const double sign = k / 2 % 2 ? -1 : 1;
            if (k % 2)
                s += sign * term;
            else
                c += sign * term;
        }
    }
    to[0] = c * r[0] - s * r[1];
    to[1] = s * r[0] + c * r[1];
}

static void push_at_suspension(plane_pendulum *p, const double J[2])
{
    for (int i = 0; i < 2; i++) p->v[i] += 0.5 * J[i];
    p->w += 2 * (p->r[0] * J[1] - p->r[1] * J[0]);
}

/* Computes the impulse at the suspension that changes its velocity by u. */
static void impulse_for(const plane_pendulum *p, const double u[2], double J[2])
{
    const double x = p->r[0], y = p->r[1], a = 0.5 + 2 * y * y, b = -2 * x * y, c = 0.5 + 2 * x * x,
                 det = a * c - b * b;
    J[0] = (c * u[0] - b * u[1]) / det;
    J[1] = (a * u[1] - b * u[0]) / det;
}

static void step_plane(plane_pendulum *p, double h, int order)
{
    plane_pendulum next = *p;
    for (int round = 0; round < 60; round++) {
        double J[2], u[2];
        for (int i = 0; i < 2; i++) next.s[i] = p->s[i] + h * p->v[i] - (i == 1 ? 0.5 * 9.81 * h * h : 0);
        turn(p->r, p->w * h, order, next.r);
        const double gap[2] = {next.s[0] + next.r[0], next.s[1] + next.r[1]};
        if (fabs(gap[0]) + fabs(gap[1]) < 1e-14) break;
        for (int i = 0; i < 2; i++) u[i] = -gap[i] / h;
        impulse_for(p, u, J);
        push_at_suspension(p, J);
    }
    next.v[0] = p->v[0], next.v[1] = p->v[1] - 9.81 * h, next.w = p->w;
    double J[2];
    const double u[2] = {-next.v[0] + next.w * next.r[1], -next.v[1] - next.w * next.r[0]};
    impulse_for(&next, u, J);
    push_at_suspension(&next, J);
    *p = next;
}

/* Returns the time from the first to the third zero of the bob, by straight lines. */
static double plane_period(double h, int order)
{
    const double phi = acos(-1) / 18;
    plane_pendulum p = {.s = {0.5 * sin(phi), -0.5 * cos(phi)}, .r = {-0.5 * sin(phi), 0.5 * cos(phi)}};
    double zeros[3], before = sin(phi);
    int found = 0;
    for (int i = 0; found < 3; i++) {
        step_plane(&p, h, order);
        const double x = p.s[0] - p.r[0];
        if ((before > 0) != (x > 0)) zeros[found++] = (i + before / (before - x)) * h;
        before = x;
    }
    return zeros[2] - zeros[0];
}

/* A short series for the rotation does not explain the printed periods at h = 0.04, 0.02: with order 2 the difference
 * is a hundred times larger than theirs, and from order 3 on the series changes nothing. */
static void the_order_of_free_rotation_does_not_explain_the_coarse_steps(void **state)
{
    (void)state;
    json_t *table = table_of("9.1 --rows 3");
    printf("h        T ours - printed; the same by order 2, 3, 4 of the rotation\n");
    for (size_t i = 0; i < row_count(table); i++) {
        const json_t *row = row_at(table, i);
        const double h = number(row, "h"), printed = number(row, "printed_T");
        const double exact = plane_period(h, 0), by[3] = {plane_period(h, 2), plane_period(h, 3), plane_period(h, 4)};
        printf("%-8g %10.2e %10.2e %10.2e %10.2e s\n", h, exact - printed, by[0] - printed, by[1] - printed,
               by[2] - printed);
        assert_near(exact, number(row, "as_paper_T"), 2e-9); /* D_max of the table */
        assert_true(fabs(by[0] - printed) > 50 * fabs(exact - printed));
        assert_near(by[1], exact, 1e-8);
        assert_near(by[2], exact, 1e-8);
    }
    json_decref(table);
}

/* ---- 10.1 --------------------------------------------------------------------------------- */

static void the_spring_has_the_printed_figures(void **state)
{
    (void)state;
    const double printed_digits = 6e-4; /* 0.0000000897 has three of them */
    const double next_order = 2e-4;     /* h^2/24 is followed by 3 h^4/640 */
    json_t *table = table_of("10.1");
    assert_int_equal(row_count(table), 7);
    for (size_t i = 0; i < row_count(table); i++) {
        const json_t *row = row_at(table, i);
        assert_near(number(row, "ratio_mean"), 1, printed_digits);
        assert_near(number(row, "ratio_percent"), 1, printed_digits);
        assert_near(number(row, "period_percent") / number(row, "theory_percent"), 1, next_order);
    }
    json_decref(table);
}

static void euler_and_runge_kutta_have_the_figures_that_the_text_gives(void **state)
{
    (void)state;
    const double printed_digits = 1e-11;
    json_t *table = table_of("10.1 --rows 4");
    const json_t *others = json_object_get(table, "others");
    const json_t *euler = json_array_get(others, 0), *runge_kutta = json_array_get(others, 1);
    assert_near(number(euler, "mean_one_step_late"), 0.0291477436411, printed_digits);
    assert_near(number(euler, "ratio_percent"), 1, 1e-6);
    assert_near(10 * number(runge_kutta, "ratio_mean"), 1, 1e-3); /* the printed figure lacks a zero */
    json_decref(table);
}

/* ---- The 8-Loop --------------------------------------------------------------------------- */

/* The motion is chaotic, and the distance of the suspensions is not printed: single figures differ by up to four
 * times from print, most of them by less than two, in both directions. */
static void the_loop_keeps_its_energy_as_well_as_in_print(void **state)
{
    (void)state;
    char arguments[80];
    snprintf(arguments, sizeof arguments, "9.4 %s", LOOP_ROWS);
    json_t *table = table_of(arguments);
    for (size_t i = 0; i < row_count(table); i++) {
        const double ratio = number(row_at(table, i), "ratio");
        assert_true(ratio > 1.0 / 6 && ratio < 6);
        if (number(row_at(table, i), "dmax") < 1e-5) assert_true(ratio > 0.25 && ratio < 4);
    }
    printf("table 9.4: a factor of %.2f on average\n", number(table, "mean_factor"));
    assert_true(number(table, "mean_factor") < 2);
    json_decref(table);
}

/* Uniform horizontal rods come nearer than rods in the plane of gravity, and nearer than masses at the ends. */
static void the_level_start_comes_nearest(void **state)
{
    (void)state;
    if (SANITIZED) return; /* 216 runs; other tests run the same code */
    json_t *table = table_of("starts --rows 2");
    double nearest[2] = {INFINITY, INFINITY}, ends = INFINITY;
    for (size_t i = 0; i < row_count(table); i++) {
        const json_t *row = row_at(table, i);
        const int zigzag = strcmp(json_string_value(json_object_get(row, "start")), "zigzag") == 0;
        nearest[zigzag] = fmin(nearest[zigzag], number(row, "uniform"));
        ends = fmin(ends, number(row, "ends"));
    }
    printf("level %.2f, upright %.2f, masses at ends %.2f\n", nearest[0], nearest[1], ends);
    assert_true(nearest[0] < nearest[1] && nearest[0] < ends);
    json_decref(table);
}

/* The ratio is 0.49 to 1.46 of the printed numbers, with no cell left out. */
static void the_loop_takes_as_many_checks_as_in_print(void **state)
{
    (void)state;
    char arguments[80];
    snprintf(arguments, sizeof arguments, "9.2 %s", LOOP_ROWS);
    json_t *table = table_of(arguments);
    for (size_t i = 0; i < row_count(table); i++) {
        const double ratio = number(row_at(table, i), "ratio");
        assert_true(ratio > 0.45 && ratio < 1.8);
    }
    assert_int_equal(row_count(table), SANITIZED ? 12 : 36);
    printf("table 9.2: a factor of %.2f on average\n", number(table, "mean_factor"));
    assert_true(number(table, "mean_factor") < 1.6);
    json_decref(table);
}

static void at_every_second_the_loop_is_nearer_than_the_commercial_system(void **state)
{
    (void)state;
    double mean = 0, printed = 0;
    json_t *table = table_of("9.5");
    assert_int_equal(row_count(table), 10);
    for (size_t i = 0; i < row_count(table); i++) {
        const json_t *row = row_at(table, i);
        assert_near(number(row, "t"), (double)i + 1, 0);
        assert_true(fabs(number(row, "energy_error")) < number(row, "printed_commercial"));
        mean += fabs(number(row, "energy_error")) / 10, printed += fabs(number(row, "printed")) / 10;
    }
    printf("table 9.5: mean |E - E0| %.4f J, in print %.4f J\n", mean, printed);
    assert_true(mean > printed / 3 && mean < 3 * printed);
    json_decref(table);
}

/* ---- Questions ---------------------------------------------------------------------------- */

static void open_questions_have_answers(void **state)
{
    (void)state;
    json_t *table = table_of("questions");
    const json_t *orders = json_object_get(table, "orders");
    /* order 4 reaches the promise of extrapolation; orders 6 and 8 exceed it */
    const double promised = fabs(number(table, "extrapolated"));
    assert_true(fabs(number(json_array_get(orders, 1), "error")) < 2 * promised);
    assert_true(fabs(number(json_array_get(orders, 2), "error")) < 1e-3 * promised);
    assert_true(fabs(number(json_array_get(orders, 3), "error")) < 1e-5 * promised);
    assert_int_equal(row_count(table), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *row = row_at(table, i);
        /* the whole system takes a few rounds; joint by joint takes at least four times as many */
        assert_true(number(row, "direct_rounds") < 8);
        if (i > 0) assert_true(number(row, "iterative_rounds") > 4 * number(row, "direct_rounds"));
        /* positions are the same with and without correction of velocities, to the tolerance of 1e-9 m and its
         * growth */
        assert_near(number(row, "moved"), 0, 1e-7);
    }
    json_decref(table);
}

/* ---- Convergence -------------------------------------------------------------------------- */

/* A claim about a row with this method. */
typedef void (*row_claim)(const json_t *row, const char *method);

static void for_every_method(row_claim claim)
{
    size_t i, m;
    json_t *system, *row, *table = table_of("convergence");
    assert_int_equal(json_array_size(json_object_get(table, "systems")), 3);
    json_array_foreach(json_object_get(table, "systems"), i, system)
        json_array_foreach(json_object_get(system, "rows"), m, row)
            claim(row, json_string_value(json_object_get(row, "method")));
    json_decref(table);
}

static void order_is_as_claimed(const json_t *row, const char *method)
{
    const double claimed = number(row, "claimed"), seen = number(row, "observed");
    /* p = 6 leaves two steps between the first effects of its power of h and rounding */
    const double within = claimed < 6 ? 0.3 : 0.6;
    if (!(fabs(seen - claimed) <= within)) print_error("%s: order %g\n", method, seen);
    assert_near(seen, claimed, within);
}

static void every_method_converges_with_the_order_that_is_claimed(void **state)
{
    (void)state;
    for_every_method(order_is_as_claimed);
}

static double gap_at(const json_t *row, size_t step)
{
    return number(json_array_get(json_object_get(row, "steps"), step), "gap");
}

static void gap_is_as_claimed(const json_t *row, const char *method)
{
    const double d_max = 1e-13, far_beyond = 1e-9;
    if (strcmp(method, "impulse, iterative") == 0 || strcmp(method, "impulse, frozen") == 0 ||
        strcmp(method, "impulse, exact") == 0)
        assert_true(gap_at(row, 0) <= d_max);
    else
        assert_true(gap_at(row, 0) > far_beyond);
}

static void distances_drift_in_all_methods_but_impulse(void **state)
{
    (void)state;
    for_every_method(gap_is_as_claimed);
}

/* ---- A loop of four bars ------------------------------------------------------------------- */

enum { EQUAL, UNEQUAL };

/* Returns the result of one method for one loop. */
static const json_t *course_of(const json_t *table, size_t loop, const char *way)
{
    size_t i;
    json_t *row = NULL;
    json_array_foreach(json_object_get(json_array_get(json_object_get(table, "loops"), loop), "rows"), i,
                       row) if (strcmp(json_string_value(json_object_get(row, "way")), way) == 0) return row;
    fail_msg("no way \"%s\"", way);
    return NULL;
}

/* Returns phi1 or its error at time number i of 1, 2, 5, 10 s. */
static double at_time(const json_t *course, size_t i, const char *key)
{
    return number(json_array_get(json_object_get(course, "phi1"), i), key);
}

static const char *const PROJECTED[] = {"as the paper", "in turn", "in turn, rk4"};

static void equal_bars_are_as_closed_as_in_print(void **state)
{
    (void)state;
    json_t *table = table_of("distributed");
    const double printed = number(table, "printed_drift");
    assert_true(printed == 5e-15);
    for (size_t i = 0; i < 3; i++) assert_true(number(course_of(table, EQUAL, PROJECTED[i]), "drift") <= printed);
    json_decref(table);
}

/* Angles and energy of the paper's method, computed by another program, agree to their last digits. */
static void equal_bars_swing_as_computed(void **state)
{
    (void)state;
    static const double heun[] = {0.607962, 0.021509, -0.588839, 0.102891};
    json_t *table = table_of("distributed");
    const json_t *paper = course_of(table, EQUAL, "as the paper"), *ours = course_of(table, EQUAL, "in turn, rk4");
    for (size_t i = 0; i < 4; i++) {
        assert_near(at_time(paper, i, "phi1"), heun[i], 6e-7);
        assert_true(fabs(at_time(ours, i, "error")) <=
                    3e-6); /* error of the rule with this step, 2.3e-6 in the other program */
    }
    assert_near(number(paper, "energy_error"), 1.315e-2, 5e-6);
    json_decref(table);
}

/* Figures are within a factor of 3 of those of another program: 2.9e-1 m, 1.2e-11 m with 2.6e-5 m/s, and 3.6e-15
 * m/s. */
static void unequal_bars_show_what_a_projection_does(void **state)
{
    (void)state;
    json_t *table = table_of("distributed");
    const json_t *none = course_of(table, UNEQUAL, "not projected"),
                 *paper = course_of(table, UNEQUAL, "as the paper"), *ours = course_of(table, UNEQUAL, "in turn"),
                 *impulse = course_of(table, UNEQUAL, "impulse");
    assert_near(number(none, "drift"), 0.28965, 6e-6);
    assert_true(number(paper, "drift") <= 3 * 1.2e-11);
    assert_true(number(paper, "speed") >= 2.6e-5 / 3 && number(paper, "speed") <= 3 * 2.6e-5);
    assert_true(number(ours, "drift") <= 3 * 1.1e-11);
    assert_true(number(ours, "speed") <= 3 * 3.6e-15);
    assert_true(number(impulse, "drift") <=
                1e-13 + 1e-15); /* its tolerance, and rounding of positions at a distance of about a metre */
    json_decref(table);
}

/* With the step of the paper no rule of order 2 is as accurate as Runge-Kutta 4. */
static void runge_kutta_4_is_nearest_to_the_reference(void **state)
{
    (void)state;
    static const char *const others[] = {"as the paper", "in turn", "not projected", "impulse"};
    json_t *table = table_of("distributed");
    for (size_t i = 0; i < 3; i++) {
        const double nearest = fabs(at_time(course_of(table, UNEQUAL, "in turn, rk4"), i, "error"));
        for (size_t k = 0; k < 4; k++)
            assert_true(fabs(at_time(course_of(table, UNEQUAL, others[k]), i, "error")) > 3 * nearest);
    }
    json_decref(table);
}

static int exit_code_of(const char *arguments);

/* Asserts that a file has a line for each curve in its legend. */
static void assert_drawn(const char *folder, const char *name, const char *const *legend, size_t count)
{
    char path[200], text[200000];
    snprintf(path, sizeof path, "%s/k-%s.svg", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_int_equal(remove(path), 0);
    text[size] = 0;
    assert_non_null(strstr(text, "</svg>"));
    for (size_t i = 0; i < count; i++) assert_non_null(strstr(text, legend[i]));
}

static void the_figures_are_drawn(void **state)
{
    (void)state;
    static const char *const angles[] = {">phi1<", ">phi2<", ">phi3<", ">phi4<"};
    static const char *const ways[] = {">as the paper<", ">in turn<", ">in turn, rk4<", ">not projected<",
                                       ">impulse<"};
    char folder[] = "/tmp/trammel-paper-XXXXXX", arguments[200];
    assert_non_null(mkdtemp(folder));
    snprintf(arguments, sizeof arguments, "distributed --plot %s/k", folder);
    assert_int_equal(exit_code_of(arguments), 0);
    assert_drawn(folder, "angles", angles, 4);
    assert_drawn(folder, "drift-equal", ways, 5);
    assert_drawn(folder, "drift-unequal", ways, 5);
    assert_int_equal(remove(folder), 0); /* the folder has no other files */
    assert_int_equal(exit_code_of(arguments), 3);
}

/* ---- Usage -------------------------------------------------------------------------------- */

static int exit_code_of(const char *arguments)
{
    char command[1000];
    snprintf(command, sizeof command, "'%s' paper %s >/dev/null 2>&1", TRM_PROGRAM, arguments);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void what_is_no_table_or_no_choice_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"9.6",
                                        "9.1 --rows 0",
                                        "9.1 --rows x",
                                        "9.2 --start up",
                                        "9.2 --rods bent",
                                        "9.2 --angle 2",
                                        "9.1 --start zigzag",
                                        "10.1 --rods ends",
                                        "distributed --start folded",
                                        "9.1 --plot x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) assert_int_equal(exit_code_of(wrong[i]), 2);
    assert_int_equal(exit_code_of(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_printed_period_is_the_elliptic_integral),
        cmocka_unit_test(the_pendulum_is_86_microseconds_early_and_four_times_less_when_h_halves),
        cmocka_unit_test(extrapolation_finds_the_period_to_ten_nanoseconds),
        cmocka_unit_test(the_order_of_free_rotation_does_not_explain_the_coarse_steps),
        cmocka_unit_test(the_level_start_comes_nearest),
        cmocka_unit_test(open_questions_have_answers),
        cmocka_unit_test(two_masses_swing_with_the_printed_periods),
        cmocka_unit_test(the_spring_has_the_printed_figures),
        cmocka_unit_test(euler_and_runge_kutta_have_the_figures_that_the_text_gives),
        cmocka_unit_test(the_loop_keeps_its_energy_as_well_as_in_print),
        cmocka_unit_test(the_loop_takes_as_many_checks_as_in_print),
        cmocka_unit_test(at_every_second_the_loop_is_nearer_than_the_commercial_system),
        cmocka_unit_test(every_method_converges_with_the_order_that_is_claimed),
        cmocka_unit_test(distances_drift_in_all_methods_but_impulse),
        cmocka_unit_test(equal_bars_are_as_closed_as_in_print),
        cmocka_unit_test(equal_bars_swing_as_computed),
        cmocka_unit_test(unequal_bars_show_what_a_projection_does),
        cmocka_unit_test(runge_kutta_4_is_nearest_to_the_reference),
        cmocka_unit_test(the_figures_are_drawn),
        cmocka_unit_test(what_is_no_table_or_no_choice_is_refused),
    };
    return RUN_TESTS(tests);
}
