/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tests of the points of sweeps: grids, and Latin hypercubes. */

#include "sweep_design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST_VARIED = 4 };

/* Adds variations, separated by spaces. */
static bool vary(design *d, const char *texts, char why[400])
{
    char copy[400];
    snprintf(copy, sizeof copy, "%s", texts);
    for (char *text = strtok(copy, " "); text; text = strtok(NULL, " "))
        if (!add_variation(d, text, why, 400)) return false;
    return true;
}

static design grid_of(const char *texts)
{
    char why[400] = "";
    design d = {0};
    assert_true(vary(&d, texts, why) && make_grid(&d, why, sizeof why));
    return d;
}

static design hypercube_of(const char *texts, int runs, uint64_t seed)
{
    char why[400] = "";
    design d = {0};
    assert_true(vary(&d, texts, why) && make_hypercube(&d, runs, seed, why, sizeof why));
    return d;
}

static double value_at(const design *d, int run, int which)
{
    double values[MOST_VARIED];
    assert_true(d->variation_count <= MOST_VARIED);
    point_of(d, run, values);
    return values[which];
}

static void a_range_has_so_many_values_with_both_ends(void **state)
{
    (void)state;
    design d = grid_of("k=1:10:100");
    assert_int_equal(d.run_count, 10);
    for (int i = 0; i < 10; i++) assert_true(value_at(&d, i, 0) == 1 + 11 * i);
    free_design(&d);
    d = grid_of("k=1:6:0");
    const double falling[6] = {1, 0.8, 0.6, 0.4, 0.2, 0};
    const double rounding = 1e-16; /* 1 - 0.8 is not exactly 0.2 */
    for (int i = 0; i < 6; i++) assert_near(value_at(&d, i, 0), falling[i], rounding);
    assert_true(value_at(&d, 5, 0) == 0);
    free_design(&d);
}

static void a_logarithmic_range_has_equal_quotients(void **state)
{
    (void)state;
    design d = grid_of("k=0.001:7:1000:log");
    const double powers[7] = {0.001, 0.01, 0.1, 1, 10, 100, 1000};
    for (int i = 0; i < 7; i++)
        assert_near(value_at(&d, i, 0) / powers[i], 1,
                    1e-15); /* pow has an error of about one unit in the last place */
    assert_true(value_at(&d, 0, 0) == 0.001 && value_at(&d, 3, 0) == 1 && value_at(&d, 6, 0) == 1000);
    free_design(&d);
}

static void a_grid_has_each_combination_once_and_the_last_changes_first(void **state)
{
    (void)state;
    design d = grid_of("a=1,2 b=10,20,30 c=max(3,4),30*deg/deg");
    assert_int_equal(d.run_count, 12);
    const double a[2] = {1, 2}, b[3] = {10, 20, 30}, c[2] = {4, 30};
    for (int i = 0; i < 12; i++) {
        assert_true(value_at(&d, i, 0) == a[i / 6]);
        assert_true(value_at(&d, i, 1) == b[i / 2 % 3]);
        assert_near(value_at(&d, i, 2), c[i % 2], 1e-14); /* of 30*deg/deg */
    }
    free_design(&d);
}

/* Asserts that each part of each variation contains one point. */
static void check_latin(const design *d, int which, double from, double to, bool logarithmic)
{
    bool *seen = calloc((size_t)d->run_count, sizeof *seen);
    for (int i = 0; i < d->run_count; i++) {
        const double x = value_at(d, i, which);
        const double share = logarithmic ? log(x / from) / log(to / from) : (x - from) / (to - from);
        const int part = (int)(share * d->run_count);
        assert_in_range(part, 0, d->run_count - 1);
        assert_false(seen[part]);
        seen[part] = true;
    }
    free(seen);
}

static void a_hypercube_has_one_point_in_each_part_of_each_range(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        design d = hypercube_of("a=1:3 b=0.01:100:log c=5:-5 n=7,8,9,10", 100, seed);
        assert_int_equal(d.run_count, 100);
        check_latin(&d, 0, 1, 3, false);
        check_latin(&d, 1, 0.01, 100, true);
        check_latin(&d, 2, 5, -5, false);
        int of_each[4] = {0};
        for (int i = 0; i < 100; i++) of_each[(int)value_at(&d, i, 3) - 7]++;
        for (int i = 0; i < 4; i++) assert_int_equal(of_each[i], 25);
        free_design(&d);
    }
}

static void variations_of_a_hypercube_do_not_follow_each_other(void **state)
{
    (void)state;
    enum { RUNS = 2000 };
    const double chance = 0.1; /* 4.5 standard deviations, each 1/sqrt(RUNS) */
    design d = hypercube_of("a=-1:1 b=-1:1", RUNS, 1);
    double product = 0;
    for (int i = 0; i < RUNS; i++) product += 3 * value_at(&d, i, 0) * value_at(&d, i, 1) / RUNS;
    assert_near(product, 0, chance);
    free_design(&d);
}

static void a_seed_gives_the_same_points_always_and_another_gives_others(void **state)
{
    (void)state;
    design d = hypercube_of("a=0:1 b=0:1", 50, 7), again = hypercube_of("a=0:1 b=0:1", 50, 7),
           other = hypercube_of("a=0:1 b=0:1", 50, 8);
    int equal = 0;
    for (int i = 0; i < 50; i++) {
        assert_true(value_at(&d, i, 0) == value_at(&again, i, 0) && value_at(&d, i, 1) == value_at(&again, i, 1));
        equal += value_at(&d, i, 0) == value_at(&other, i, 0);
    }
    assert_int_equal(equal, 0);
    free_design(&d);
    free_design(&again);
    free_design(&other);
}

/* The numbers are those of splitmix64 with seed 1234567 by its authors' program, so that points are the same on every
 * machine. */
static void points_are_the_same_on_every_machine(void **state)
{
    (void)state;
    design d = hypercube_of("a=0:1", 1, 1234567);
    /* one part is not shuffled: the first number drawn is 6457827717110365317 of 2^64 */
    assert_near(value_at(&d, 0, 0), 6457827717110365317.0 / 0x1p64, 0x1p-53);
    free_design(&d);
}

static void what_is_no_variation_is_refused_with_a_sentence(void **state)
{
    (void)state;
    const struct {
        const char *text, *said;
    } wrong[] = {
        {"k", "--vary takes NAME=FROM:COUNT:TO or NAME=a,b,c"},
        {"=1", "--vary takes NAME=FROM:COUNT:TO or NAME=a,b,c"},
        {"k=", "a value is missing"},
        {"k=1,,2", "a value is missing"},
        {"k=1,2,", "a value is missing"},
        {"k=:3:4", "a value is missing"},
        {"k=nan", "unknown name 'nan'"},
        {"k=1/0", "division by zero"},
        {"k=1e999,1", "1e999"},
        {"k=1:0:3", "COUNT is a whole number"},
        {"k=1:-2:3", "COUNT is a whole number"},
        {"k=1:0.5:3", "COUNT is a whole number"},
        {"k=1:1e9:3", "COUNT is a whole number"},
        {"k=1:1:3", "one value cannot be both ends"},
        {"k=2:5:2", "is empty"},
        {"k=2:2", "is empty"},
        {"k=1:2", "how many values between 1 and 2?"},
        {"k=0:3:10:log", "has positive ends"},
        {"k=1:2:3:4", "a range is FROM:COUNT:TO"},
        {"k=1:2:3:4:log", "a range is FROM:COUNT:TO"},
        {"k=log", "the function log needs"},
        {"k=1:log", "a range is FROM:COUNT:TO"},
        {"k=1,2 k=3", "k is varied twice"},
        {"k=1:10000:2 m=1:10000:2", "these are 1e+08 runs"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char why[400] = "";
        design d = {0};
        assert_false(vary(&d, wrong[i].text, why) && make_grid(&d, why, sizeof why));
        if (!strstr(why, wrong[i].said))
            fail_msg("%s: \"%s\" does not say \"%s\"", wrong[i].text, why, wrong[i].said);
        free_design(&d);
    }
}

static void a_hypercube_refuses_a_range_with_a_count(void **state)
{
    (void)state;
    char why[400] = "";
    design d = {0};
    assert_true(vary(&d, "k=1:5:2", why));
    assert_false(make_hypercube(&d, 10, 1, why, sizeof why));
    assert_non_null(strstr(why, "without a count"));
    free_design(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_has_so_many_values_with_both_ends),
        cmocka_unit_test(a_logarithmic_range_has_equal_quotients),
        cmocka_unit_test(a_grid_has_each_combination_once_and_the_last_changes_first),
        cmocka_unit_test(a_hypercube_has_one_point_in_each_part_of_each_range),
        cmocka_unit_test(variations_of_a_hypercube_do_not_follow_each_other),
        cmocka_unit_test(a_seed_gives_the_same_points_always_and_another_gives_others),
        cmocka_unit_test(points_are_the_same_on_every_machine),
        cmocka_unit_test(what_is_no_variation_is_refused_with_a_sentence),
        cmocka_unit_test(a_hypercube_refuses_a_range_with_a_count),
    };
    return RUN_TESTS(tests);
}
