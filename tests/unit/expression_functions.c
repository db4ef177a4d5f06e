/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Units, transitions, comparisons and quantities of expressions. */

#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "check.h"
#include "trammel/elementary.h"

#define PI           3.14159265358979323846
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const trm_constant constants[] = {{"r", 0.25}, {"step", 3}, {"N", 7}};

static double value_of(const char *text)
{
    trm_expression_error error;
    double value = NAN;
    if (!trm_evaluate_constant(text, constants, COUNT(constants), &value, &error))
        fail_msg("\"%s\" at %d: %s", text, error.at, error.text);
    return value;
}

static trm_jet jet_of(const char *text, double t)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_expression_error error;
    const trm_expression *e = trm_expression_compile(&arena, text, constants, COUNT(constants), true, &error);
    if (!e) fail_msg("\"%s\" at %d: %s", text, error.at, error.text);
    const trm_jet jet = trm_expression_at_inputs(e, t, NULL);
    assert_true(jet.v == trm_expression_value_at(e, t, NULL));
    trm_arena_destroy(&arena);
    return jet;
}

static void assert_refused(const char *text, int at, const char *said)
{
    trm_expression_error error;
    double value;
    if (trm_evaluate_constant(text, constants, COUNT(constants), &value, &error))
        fail_msg("\"%s\" = %g, expected to be refused", text, value);
    if (error.at != at || !strstr(error.text, said))
        fail_msg("\"%s\": at %d \"%s\", expected at %d \"%s\"", text, error.at, error.text, at, said);
}

static void units_follow_their_numbers(void **state)
{
    (void)state;
    assert_true(value_of("25*mm") == 25 * 1e-3);
    assert_true(value_of("1500*rpm") == 1500 * (PI / 30));
    assert_true(value_of("90*km/hour") == 90 * 1e3 / 3600);
    assert_true(value_of("30*deg") == 30 * (PI / 180));
    assert_true(value_of("2*kN/mm") == 2 * 1e3 / 1e-3);
    assert_true(value_of("7850*kg/m^3") == 7850);
    assert_true(value_of("1/ms") == 1 / 1e-3);
    assert_true(value_of("2*N") == 14); /* the model's constant takes precedence */
    assert_refused("mm", 0, "the unit 'mm' stands alone; write it after a number: 25*mm");
    assert_refused("m*9.81", 0, "the unit 'm' stands alone");
    assert_refused("2*(s + 1)", 3, "stands alone");
    assert_refused("2*g", 2, "5*gram");
}

static void jumps_and_remainders(void **state)
{
    (void)state;
    assert_true(value_of("sign(-3)") == -1 && value_of("sign(0)") == 0 && value_of("sign(r)") == 1);
    assert_true(value_of("floor(-2.5)") == -3 && value_of("ceil(-2.5)") == -2);
    assert_true(value_of("mod(7, 3)") == 1 && value_of("mod(-7, 3)") == 2 && value_of("mod(7, -3)") == -2);
    assert_true(value_of("mod(6, 3)") == 0);
    assert_true(value_of("step(1, 1)") == 1 && value_of("step(0.9, 1)") == 0);
    assert_true(value_of("step") == 3 && value_of("step*step(2, 1)") == 3); /* a constant may have the name */
    assert_refused("mod(7, 0)", 0, "division by zero");
    assert_refused("ramp(1, 2, 2)", 0, "write x0 and x1 that differ");
    const trm_jet saw = jet_of("mod(t^2, 2)", 1.8); /* 3.24 - 2 */
    assert_near(saw.v, 1.24, 1e-15);
    assert_near(saw.d, 3.6, 1e-15);
    assert_near(saw.dd, 2, 1e-15);
    assert_true(jet_of("floor(3*t)", 0.5).d == 0);
}

/* Compares derivatives with central differences, whose error at this step is below the tolerance. */
static void assert_derivatives(const char *text, double t)
{
    const double h = 1e-4, tolerance = 1e-5;
    const trm_jet here = jet_of(text, t), before = jet_of(text, t - h), after = jet_of(text, t + h);
    assert_near(here.d, (after.v - before.v) / (2 * h), tolerance);
    assert_near(here.dd, (after.d - before.d) / (2 * h), tolerance);
}

static void transitions_go_from_0_to_1(void **state)
{
    (void)state;
    assert_true(value_of("ramp(1, 2, 4)") == 0 && value_of("ramp(2.5, 2, 4)") == 0.25 &&
                value_of("ramp(9, 2, 4)") == 1);
    assert_true(value_of("smooth(2, 2, 4)") == 0 && value_of("smooth(3, 2, 4)") == 0.5 &&
                value_of("smooth(4, 2, 4)") == 1);
    assert_true(value_of("ramp(1, 4, 2)") == 1); /* falling: 1 beyond x1 */
    for (double t = 2.1; t < 4; t += 0.3) {
        assert_derivatives("ramp(t, 2, 4)", t);
        assert_derivatives("3*smooth(t^1.1, 2, 4.5)", t);
        assert_derivatives("atan(t) + tanh(2*t - 6) + sinh(t/3) + cosh(t/4)", t);
    }
    assert_true(jet_of("ramp(t, 2, 4)", 2).d == 0.5); /* the right derivative */
    assert_true(jet_of("ramp(t, 2, 4)", 4).d == 0);
    const trm_jet end = jet_of("smooth(t, 2, 4)", 4);
    assert_true(end.v == 1 && end.d == 0 && end.dd == 0);
}

static void conditions_choose(void **state)
{
    (void)state;
    assert_true(value_of("if(1 < 2, 5, 6)") == 5 && value_of("if(2 <= 1, 5, 6)") == 6);
    assert_true(value_of("(1 == 1) + (1 != 1) + (2 >= 2) + (3 > 2)") == 3);
    assert_true(value_of("1 < 2 and 2 < 1 or 3 > 2") == 1);
    assert_true(value_of("not(1 < 2)") == 0);
    assert_true(value_of("1 + 1 < 3*1") == 1);
    const trm_jet left = jet_of("if(t < 1, t^2, sqrt(t - 1))", 0.5); /* the branch not taken is NaN there */
    assert_true(left.v == 0.25 && left.d == 1 && left.dd == 2);
    assert_refused("1 < ", 4, "ends where");
    assert_refused("1 = 2", 2, "'=' is not a comparison; write ==");
    assert_refused("if(1 < 2, 3)", 0, "too few arguments; write if(condition, then, else)");
    assert_refused("1 and", 5, "ends where");
}

/* ---- Quantities and margins --------------------------------------------------------------- */

static int find(void *context, const char *text, int length)
{
    static const char *const names[] = {"rod.x", "'left-coil'.force", "arm.1.q"};
    (void)context;
    for (int i = 0; i < COUNT(names); i++)
        if ((int)strlen(names[i]) == length && strncmp(names[i], text, (size_t)length) == 0) return i;
    return -1;
}

static double margin_of(const char *text, bool condition, const double *values, trm_expression_error *error)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    const trm_quantities quantities = {find, NULL, NULL};
    const trm_expression *e =
        trm_expression_compile_quantities(&arena, text, constants, COUNT(constants), &quantities, condition, error);
    const double value = e ? trm_expression_value_at(e, 0.5, values) : NAN;
    trm_arena_destroy(&arena);
    return value;
}

static void quantities_have_points_and_quotes(void **state)
{
    (void)state;
    trm_expression_error error;
    const double values[] = {3, 40, 500};
    assert_true(margin_of("rod.x + 'left-coil'.force*2 - arm.1.q", false, values, &error) == 3 + 80 - 500);
    assert_true(margin_of("rod.x*mm", false, values, &error) == 3e-3);
    assert_true(isnan(margin_of("rod.y", false, values, &error)) && strstr(error.text, "unknown name 'rod.y'"));
    assert_true(isnan(margin_of("'left", false, values, &error)));
}

static void margins_rise_through_0_where_the_condition_becomes_true(void **state)
{
    (void)state;
    trm_expression_error error;
    const double values[] = {3, 40, 500};
    assert_true(margin_of("rod.x > 1", true, values, &error) == 2);
    assert_true(margin_of("rod.x < 1", true, values, &error) == -2);
    assert_true(margin_of("rod.x >= 1 and arm.1.q < 400", true, values, &error) == -100);
    assert_true(margin_of("(rod.x > 1 or t > 2)", true, values, &error) == 2);
    assert_true(margin_of("not(rod.x > 1)", true, values, &error) == -2);
    assert_true(margin_of("if(rod.x > 1, 2, 5) > r*4", true, values, &error) == 1); /* inside a function: 1 or 0 */
    assert_true(isnan(margin_of("rod.x", true, values, &error)) && strstr(error.text, "not a condition"));
    assert_true(isnan(margin_of("rod.x == 1", true, values, &error)) && strstr(error.text, "write < or >"));
    assert_true(isnan(margin_of("rod.x > 1 and 2", true, values, &error)) &&
                strstr(error.text, "between conditions"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_follow_their_numbers),
        cmocka_unit_test(jumps_and_remainders),
        cmocka_unit_test(transitions_go_from_0_to_1),
        cmocka_unit_test(conditions_choose),
        cmocka_unit_test(quantities_have_points_and_quotes),
        cmocka_unit_test(margins_rise_through_0_where_the_condition_becomes_true),
    };
    return RUN_TESTS(tests);
}
