/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "math/function.h"

#include <string.h>

#include "check.h"
#include "failing_allocator.h"

static const double rounding = 1e-14; /* of a few operations on values of order one */

static const trm_constant constants[] = {{"w", 3}};

typedef struct fixture {
    trm_arena arena;
    trm_expression_error error;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    trm_arena_init(&f.arena, NULL);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    trm_arena_destroy(&((fixture *)*state)->arena);
    return 0;
}

static const trm_function *build(fixture *f, trm_function_def def)
{
    const trm_function *function = trm_function_build(&f->arena, &def, constants, 1, NULL, 0, &f->error);
    if (!function) fail_msg("at %d: %s", f->error.at, f->error.text);
    return function;
}

static void assert_refused(fixture *f, trm_function_def def, int at, const char *says)
{
    assert_null(trm_function_build(&f->arena, &def, constants, 1, NULL, 0, &f->error));
    if (f->error.at != at || !strstr(f->error.text, says))
        fail_msg("at %d \"%s\", expected at %d \"%s\"", f->error.at, f->error.text, at, says);
}

static void a_definition_of_zero_bytes_is_the_constant_zero(void **state)
{
    trm_function_def def;
    memset(&def, 0, sizeof def);
    const trm_function *function = build(*state, def);
    const trm_jet jet = trm_function_at(function, 4);
    assert_true(jet.v == 0 && jet.d == 0 && jet.dd == 0);
    assert_true(trm_function_is_constant(function));
}

static void a_constant_stands_still(void **state)
{
    const trm_function *function = build(*state, trm_constant_function(2.5));
    const trm_jet jet = trm_function_at(function, -1e9);
    assert_true(jet.v == 2.5 && jet.d == 0 && jet.dd == 0);
    assert_true(trm_function_is_constant(function));
}

static void an_expression_sees_t_and_the_constants(void **state)
{
    const trm_function *function = build(*state, trm_expression_function("2*sin(w*t)"));
    const trm_jet jet = trm_function_at(function, 0.4);
    assert_near(jet.v, 2 * sin(1.2), rounding);
    assert_near(jet.d, 6 * cos(1.2), rounding);
    assert_near(jet.dd, -18 * sin(1.2), 10 * rounding);
    assert_false(trm_function_is_constant(function));
}

static void an_expression_without_t_is_constant(void **state)
{
    const trm_function *function = build(*state, trm_expression_function("w^2"));
    assert_true(trm_function_at(function, 1).v == 9);
    assert_true(trm_function_is_constant(function));
}

static void a_table_interpolates_as_it_says(void **state)
{
    double t[] = {0, 1, 2}, y[] = {0, 1, 0};
    const trm_function *linear = build(*state, trm_table_function(t, y, 3, false));
    const trm_function *cubic = build(*state, trm_table_function(t, y, 3, true));
    memset(t, 0xff, sizeof t), memset(y, 0xff, sizeof y); /* they were copied */
    assert_near(trm_function_at(linear, 0.5).v, 0.5, rounding);
    assert_near(trm_function_at(cubic, 0.5).v, 0.6875, rounding); /* by hand: y'' = -3 at t = 1 */
    assert_near(trm_function_at(cubic, 1).dd, -3, rounding);
    assert_true(trm_function_at(cubic, 9).v == 0 && trm_function_at(cubic, 9).d == 0);
    assert_false(trm_function_is_constant(linear));
}

static void bad_expressions_are_refused_with_their_place(void **state)
{
    assert_refused(*state, trm_expression_function("1+foo"), 2, "unknown name 'foo'");
    assert_refused(*state, trm_expression_function("t/0"), 1, "division by zero");
    assert_refused(*state, trm_expression_function(NULL), 0, "empty");
}

static void values_that_are_not_finite_are_refused(void **state)
{
    const double t[] = {0, 1, NAN}, y[] = {0, INFINITY, 0}, good[] = {0, 1, 2};
    assert_refused(*state, trm_constant_function(NAN), 0, "not a finite number");
    assert_refused(*state, trm_constant_function(-INFINITY), 0, "not a finite number");
    assert_refused(*state, trm_table_function(t, good, 3, false), 2, "t[2] of the table is not a finite number");
    assert_refused(*state, trm_table_function(good, y, 3, true), 1, "y[1] of the table is not a finite number");
}

static void tables_out_of_order_are_refused_with_index_and_values(void **state)
{
    const double back[] = {0, 1.5, 1.25}, twice[] = {0, 0, 1}, y[] = {1, 2, 3};
    assert_refused(*state, trm_table_function(back, y, 3, false), 2, "t[1] = 1.5 is followed by t[2] = 1.25");
    assert_refused(*state, trm_table_function(twice, y, 3, true), 1, "t[0] = 0 is followed by t[1] = 0");
}

static void tables_without_enough_points_are_refused(void **state)
{
    const double one[] = {1};
    assert_refused(*state, trm_table_function(one, one, 1, false), 0, "1 points; it needs at least 2");
    assert_refused(*state, trm_table_function(NULL, NULL, 0, true), 0, "0 points; it needs at least 2");
    assert_refused(*state, trm_table_function(one, one, -3, true), 0, "needs at least 2");
    assert_refused(*state, trm_table_function(NULL, one, 2, true), 0, "the table has no t");
    assert_refused(*state, trm_table_function(one, NULL, 2, true), 0, "the table has no y");
}

static void tables_whose_slopes_overflow_are_refused(void **state)
{
    const double close[] = {0, 1e-300, 1}, wide[] = {-1e308, 1e308, 1.1e308}, y[] = {0, 1e200, 0};
    for (int cubic = 0; cubic < 2; cubic++) {
        assert_refused(*state, trm_table_function(close, y, 3, cubic), 0, "overflows at point 0");
        assert_refused(*state, trm_table_function(wide, y, 3, cubic), 0, "overflows at point 0");
    }
}

static void an_unknown_kind_is_refused(void **state)
{
    trm_function_def def = trm_constant_function(1);
    def.kind = (trm_function_kind)3;
    assert_refused(*state, def, 0, "kind 3");
}

/* Lets one call of the allocator after the other fail: each time the result is "out of memory" and nothing is leaked.
 * Returns the number of calls. */
static int fail_at_each_call(trm_function_def def)
{
    failing_allocator memory;
    const trm_function *function = NULL;
    int k = 0;
    do {
        failing_allocator_reset(&memory, ++k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        fixture f;
        trm_arena_init(&f.arena, &hooks);
        function = trm_function_build(&f.arena, &def, constants, 1, NULL, 0, &f.error);
        if (!function) assert_string_equal(f.error.text, "out of memory");
        trm_arena_destroy(&f.arena);
        assert_true(failing_allocator_is_clean(&memory));
    } while (!function);
    return k - 1;
}

static void a_failing_allocator_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    static double t[MANY];
    for (int i = 0; i < MANY; i++) t[i] = i;
    char sum[1000] = "t";
    for (int i = 0; i < 400; i++) strcat(sum, "+t"); /* more than one block of the arena */
    assert_true(fail_at_each_call(trm_constant_function(1)) >= 1);
    assert_true(fail_at_each_call(trm_expression_function(sum)) >= 2);
    assert_true(fail_at_each_call(trm_table_function(t, t, MANY, false)) >= 3);
    assert_true(fail_at_each_call(trm_table_function(t, t, MANY, true)) >= 3);
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARENA(a_definition_of_zero_bytes_is_the_constant_zero),
        WITH_ARENA(a_constant_stands_still),
        WITH_ARENA(an_expression_sees_t_and_the_constants),
        WITH_ARENA(an_expression_without_t_is_constant),
        WITH_ARENA(a_table_interpolates_as_it_says),
        WITH_ARENA(bad_expressions_are_refused_with_their_place),
        WITH_ARENA(values_that_are_not_finite_are_refused),
        WITH_ARENA(tables_out_of_order_are_refused_with_index_and_values),
        WITH_ARENA(tables_without_enough_points_are_refused),
        WITH_ARENA(tables_whose_slopes_overflow_are_refused),
        WITH_ARENA(an_unknown_kind_is_refused),
        cmocka_unit_test(a_failing_allocator_is_reported_and_leaves_nothing),
    };
    return RUN_TESTS(tests);
}
