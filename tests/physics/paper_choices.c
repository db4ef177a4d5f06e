/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Alternatives that the papers describe but do not use, as `trammel paper` measures them: treatments of springs, the
 * order of free rotation, the matrix of Newton's method, contacts in turn, minimal coordinates, the cost of
 * stabilisation. */

#include <stdbool.h>

#include "paper_tables.h"
#include "sanitized.h"

/* ---- Springs ------------------------------------------------------------------------------- */

/* Periods are found by interpolation of degree 7, to 1e-9. */
static void periods_of_all_treatments_are_the_closed_forms(void **state)
{
    (void)state;
    static const char *const treatments[] = {"explicit", "implicit", "integral"};
    static const double of_h2[] = {-1.0 / 24, 1.0 / 3, 1.0 / 48};
    json_t *table = table_of("treatments");
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 4; i++) {
            const json_t *row = row_named(table, "mass", "treatment", treatments[t], i);
            const double h = number(row, "h");
            assert_near(number(row, "period"), number(row, "closed_form"), 1e-8);
            assert_near(number(row, "period") / (h * h), of_h2[t], 1e-2 * fabs(of_h2[t]));
            /* the last row may be half a step away from the peak, where the cosine has fallen by h^2/8 */
            assert_true(t == 1 ? number(row, "amplitude") > 3 * h : number(row, "amplitude") <= h * h / 8);
        }
    json_decref(table);
}

static void the_integral_has_order_two_and_half_the_error_or_less(void **state)
{
    (void)state;
    json_t *table = table_of("treatments");
    const json_t *explicitly = row_named(table, "linkage", "treatment", "explicit", 0),
                 *implicitly = row_named(table, "linkage", "treatment", "implicit", 0),
                 *integral = row_named(table, "linkage", "treatment", "integral", 0);
    assert_near(number(explicitly, "order"), 2, 0.05);
    assert_near(number(implicitly, "order"), 1, 0.05);
    assert_near(number(integral, "order"), 2, 0.05);
    assert_true(number(integral, "at_0.01") < 0.5 * number(explicitly, "at_0.01"));
    assert_true(number(implicitly, "at_0.01") > 10 * number(explicitly, "at_0.01"));
    json_decref(table);
}

/* ---- Free rotation ------------------------------------------------------------------------- */

static void a_series_has_its_order_and_three_is_enough_for_a_pendulum(void **state)
{
    (void)state;
    static const char *const orders[] = {"1", "2", "3", "4", "5"};
    json_t *table = table_of("taylor");
    for (int i = 0; i < 5; i++)
        assert_near(number(row_named(table, "rows", "taylor", orders[i], 0), "order"), i + 1, 0.05);
    const json_t *as_many = row_named(table, "rows", "taylor", "auto", 0);
    assert_true(number(as_many, "momentum_0.01") < 1e-13);
    const double period = number(as_many, "period");
    assert_true(fabs(number(row_named(table, "rows", "taylor", "2", 0), "period") - period) > 1e-7);
    assert_near(number(row_named(table, "rows", "taylor", "3", 0), "period"), period, 1e-9);
    json_decref(table);
}

/* ---- Newton's method ----------------------------------------------------------------------- */

/* "More than two or three steps are seldom required" (SBP, section 5). */
static void exact_newton_takes_two_to_three_rounds(void **state)
{
    (void)state;
    size_t i;
    json_t *system, *table = table_of("convergence --rows 1");
    json_array_foreach(json_object_get(table, "systems"), i, system)
    {
        const double exact = number(row_named(system, "rows", "method", "impulse, exact", 0), "rounds_per_step");
        const double joints = number(row_named(system, "rows", "method", "impulse, iterative", 0), "rounds_per_step");
        print_message("    exact %.2f, joint after joint %.1f\n", exact, joints);
        assert_true(exact >= 2 && exact <= 3);
        assert_true(joints > 4 * exact);
    }
    json_decref(table);
}

/* ---- Contacts ------------------------------------------------------------------------------ */

/* Rounds over joints, contacts and friction until all are within tolerance give the motion of the direct solver. */
static void joints_contacts_and_friction_in_turn_move_as_the_direct_solver(void **state)
{
    (void)state;
    const double most_deep = 1e-8, all_but_a_percent = 0.98; /* m */
    json_t *table = table_of("contacts");
    for (size_t i = 0; i < row_count(table); i++) {
        const json_t *row = row_at(table, i);
        const bool in_turn = i % 2 == 1;
        assert_true(number(row, "penetration") <= most_deep);
        assert_true(number(row, "gap") <= 1e-10);
        assert_true(number(row, "problems") > 100);
        if (in_turn)
            assert_true(number(row, "swept") >= all_but_a_percent * number(row, "problems"));
        else
            assert_true(number(row, "swept") == 0);
    }
    assert_true(number(row_named(table, "rows", "solver", "iterative, event", 0), "apart") <= 1e-8);
    assert_true(number(row_named(table, "rows", "solver", "iterative, window", 0), "apart") <= 1e-4);
    assert_true(number(row_named(table, "rows", "solver", "iterative, event", 0), "rounds") >
                10 * number(row_named(table, "rows", "solver", "direct, event", 0), "rounds"));
    json_decref(table);
}

/* ---- Minimal coordinates ------------------------------------------------------------------- */

static void the_criterion_of_a_pendulum_is_cos2_phi_in_all_rows(void **state)
{
    (void)state;
    size_t i;
    json_t *row, *table = table_of("schirm");
    json_array_foreach(json_object_get(table, "criterion"), i, row) assert_true(number(row, "wrong") <= 1e-14);
    assert_int_equal(i, 7);
    json_decref(table);
}

/* "A distinct reduction of the number of function calls." */
static void switching_without_restart_saves_evaluations(void **state)
{
    (void)state;
    size_t i;
    json_t *row, *table = table_of("schirm");
    json_array_foreach(json_object_get(table, "switching"), i, row)
    {
        assert_true(number(row, "switches") >= 10);
        assert_true(number(row, "saved") > 15);
        assert_true(number(row, "differences") < number(row, "restart"));
    }
    json_decref(table);
}

static void linkages_of_two_loops_are_closed_without_iteration(void **state)
{
    (void)state;
    static const char *const explicit_ones[] = {"four-bar", "parallelogram", "five-bar", "three cranks", "Watt"};
    json_t *table = table_of("schirm");
    for (int i = 0; i < 5; i++) {
        const json_t *row = row_named(table, "closures", "linkage", explicit_ones[i], 0);
        assert_true(number(row, "explicit") == 0);
        assert_true(number(row, "newton") > 0.5);
        assert_true(number(row, "gap") <= 1e-14);
    }
    assert_true(number(row_named(table, "closures", "linkage", "Watt", 0), "apart") <= 1e-7);
    json_decref(table);
}

/* ---- Stabilisation ------------------------------------------------------------------------- */

/* Both close the joints; times are not tested here. */
static void both_stabilisations_close_the_joints(void **state)
{
    (void)state;
    if (SANITIZED) return; /* chains of up to 32 bars, timed; the other tables run the same code */
    json_t *table = table_of("stabilisation");
    for (size_t i = 0; i < row_count(table); i++) {
        assert_true(number(row_at(table, i), "drift_generalised") <= 1e-13);
        assert_true(number(row_at(table, i), "drift_poses") <= 1e-13);
        if (i > 0) assert_true(number(row_at(table, i), "drift_none") > 1e-7);
    }
    json_decref(table);
}

/* ---- Formulas of ODE ----------------------------------------------------------------------- */

/* Figures are relative, or in m where nothing moves. A gap of 6e-8 m at positions of 1 m has ten digits. */
static void formulas_of_hishinuma_are_their_closed_forms(void **state)
{
    (void)state;
    const double ten_digits = 1e-9;
    json_t *table = table_of("hishinuma");
    assert_int_equal(row_count(table), 13);
    for (size_t i = 0; i < row_count(table); i++) assert_near(number(row_at(table, i), "off"), 0, ten_digits);
    json_decref(table);
}

/* Recorded figures of ODE are the closed forms of its step, to rounding; contacts are compliant by CFM = 1e-6
 * (m/s)/N. Our figures with the same parameters agree with ODE's to rounding. */
static void formulas_of_hishinuma_are_those_of_ode(void **state)
{
    (void)state;
    const double rounding = 1e-13, soft_contact = 1e-7; /* m */
    json_t *table = table_of("hishinuma");
    const json_t *rows = json_object_get(table, "ode"), *row;
    size_t i;
    assert_int_equal(json_array_size(rows), 12);
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "formula"));
        const bool slides = strncmp(name, "box", 3) == 0 || strncmp(name, "pyramid", 7) == 0;
        assert_near(number(row, "ode"), number(row, "right"), slides ? soft_contact : rounding);
        assert_near(number(row, "found"), number(row, "ode"), rounding);
        /* they approximate the formula itself: steps of first order have an error of at most 3 % here */
        const double exact = number(row_named(table, "rows", "formula", name, 0), "right");
        if (strncmp(name, "ERP", 3) != 0) assert_near(number(row, "ode"), exact, 0.03 * fabs(exact) + soft_contact);
    }
    json_decref(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_contacts_and_friction_in_turn_move_as_the_direct_solver),
        cmocka_unit_test(the_criterion_of_a_pendulum_is_cos2_phi_in_all_rows),
        cmocka_unit_test(switching_without_restart_saves_evaluations),
        cmocka_unit_test(linkages_of_two_loops_are_closed_without_iteration),
        cmocka_unit_test(both_stabilisations_close_the_joints),
        cmocka_unit_test(formulas_of_hishinuma_are_their_closed_forms),
        cmocka_unit_test(formulas_of_hishinuma_are_those_of_ode),
        cmocka_unit_test(periods_of_all_treatments_are_the_closed_forms),
        cmocka_unit_test(the_integral_has_order_two_and_half_the_error_or_less),
        cmocka_unit_test(a_series_has_its_order_and_three_is_enough_for_a_pendulum),
        cmocka_unit_test(exact_newton_takes_two_to_three_rounds),
    };
    return RUN_TESTS(tests);
}
