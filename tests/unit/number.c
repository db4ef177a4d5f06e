/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Numbers as text. The C library in its "C" locale, which is correctly rounded, is the reference. */

#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/random.h"
#include "check.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const char *parse(const char *text, double *value)
{
    return trm_parse_number(text, text + strlen(text), value);
}

static void assert_reads_as(const char *text, double expected)
{
    double value = -1;
    const char *stop = parse(text, &value);
    assert_non_null(stop);
    assert_int_equal(*stop, '\0');
    if (bits_of(value) == bits_of(expected)) return;
    print_error("\"%.60s\" reads as %.17g, expected %.17g\n", text, value, expected);
    fail();
}

static void assert_written_as(double value, const char *expected)
{
    char text[TRM_NUMBER_TEXT];
    const int length = trm_format_number(text, value);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

/* ---- Reading ------------------------------------------------------------------------------ */

static void numbers_end_where_the_grammar_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int length; /* -1: no number */
    } cases[] = {
        {"0", 1},    {"-0", 2},   {"12", 2},   {"12.5", 4}, {"12.5e3", 6}, {"12.5E+3", 7}, {"1e-3]", 4},
        {"01", 1},   {"5.", 1},   {"5.e3", 1}, {"1e", 1},   {"1e+", 1},    {"0x10", 1},    {"1.5.2", 3},
        {"1,2", 1},  {"", -1},    {"-", -1},   {"+1", -1},  {".5", -1},    {"-.5", -1},    {"NaN", -1},
        {"inf", -1}, {"- 1", -1}, {" 1", -1},  {"1 ", 1},   {"00", 1},     {"-01", 2},     {"1E400x", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value;
        const char *stop = parse(cases[i].text, &value);
        assert_int_equal(stop ? stop - cases[i].text : -1, cases[i].length);
    }
}

static void reading_stops_at_the_end_that_is_given(void **state)
{
    (void)state;
    const char *text = "12.5e3";
    static const double expected[] = {0, 1, 12, 12, 12.5, 12.5, 12500};
    for (int length = 1; length <= 6; length++) {
        char *exact = malloc((size_t)length); /* so that the address sanitizer detects reading beyond the end */
        assert_non_null(exact);
        memcpy(exact, text, (size_t)length);
        double value;
        assert_non_null(trm_parse_number(exact, exact + length, &value));
        assert_true(value == expected[length]);
        free(exact);
    }
}

static void hard_numbers_round_correctly(void **state)
{
    (void)state;
    assert_reads_as("9007199254740993", 9007199254740992.0); /* a tie, to even */
    assert_reads_as("9007199254740993.00000000000000000000001", 9007199254740994.0);
    assert_reads_as("2.2250738585072011e-308", 0x0.fffffffffffffp-1022); /* hung PHP and Java once */
    assert_reads_as("2.2250738585072012e-308", DBL_MIN);
    assert_reads_as("4.9406564584124654e-324", DBL_TRUE_MIN);
    assert_reads_as("2.4703282292062327e-324", 0);
    assert_reads_as("2.4703282292062328e-324", DBL_TRUE_MIN);
    assert_reads_as("1.7976931348623157e308", DBL_MAX);
    assert_reads_as("1.7976931348623159e308", HUGE_VAL);
    assert_reads_as("-1e999", -HUGE_VAL);
    assert_reads_as("-1e-999", -0.0);
    assert_reads_as("-0", -0.0);
    assert_reads_as("0e999999999999999999999999", 0);
    assert_reads_as("1e999999999999999999999999", HUGE_VAL);
    assert_reads_as("1e-999999999999999999999999", 0);
}

/* Digits far beyond those that are stored: 1 + 2^-53 is a tie, and a 1 after a thousand zeros decides it. */
static void the_last_of_many_digits_still_counts(void **state)
{
    (void)state;
    static const char tie[] = "1.00000000000000011102230246251565404236316680908203125";
    char text[2048];
    memset(text, '0', sizeof text);
    memcpy(text, tie, strlen(tie));
    text[1500] = '\0';
    assert_reads_as(text, 1);
    text[1499] = '1';
    assert_reads_as(text, 1 + DBL_EPSILON);
}

static void exponents_make_up_for_long_digits(void **state)
{
    (void)state;
    char text[4096];
    memset(text, '0', sizeof text);
    text[0] = '1';
    strcpy(text + 3001, "e-3000"); /* 1 followed by 3000 zeros */
    assert_reads_as(text, 1);

    memset(text, '0', sizeof text);
    text[1] = '.';
    strcpy(text + 2001, "1e2000"); /* 0. with 1999 zeros and a 1 */
    assert_reads_as(text, 1);
}

/* Random decimals of 1 to 40 digits, with exponents over the whole range. */
static void random_decimals_read_as_the_library_reads_them(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    for (int i = 0; i < 100000; i++) {
        char text[80];
        int at = trm_random_bits(&random) % 2 ? snprintf(text, sizeof text, "-") : 0;
        text[at++] = (char)('1' + trm_random_bits(&random) % 9);
        const int whole = (int)(trm_random_bits(&random) % 20), fraction = (int)(trm_random_bits(&random) % 20);
        for (int k = 0; k < whole; k++) text[at++] = (char)('0' + trm_random_bits(&random) % 10);
        text[at++] = '.';
        for (int k = 0; k <= fraction; k++) text[at++] = (char)('0' + trm_random_bits(&random) % 10);
        const int range = trm_random_bits(&random) % 2 ? 20 : 350;
        snprintf(text + at, sizeof text - (size_t)at, "e%d", (int)trm_random_uniform(&random, -range, range));
        assert_reads_as(text, strtod(text, NULL));
    }
}

/* The middle between two doubles, its neighbours, and the decimals of 19 digits nearest to it. */
static void middles_between_doubles_round_to_even(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(5);
    for (int i = 0; i < 100000; i++) {
        const uint64_t odd = (trm_random_bits(&random) >> 10) | 1 | (uint64_t)1 << 53; /* of 54 bits */
        const int shift = (int)(trm_random_bits(&random) % 10);
        for (int by = -1; by <= 1; by++) {
            char text[80];
            snprintf(text, sizeof text, "%llu", (unsigned long long)((odd << shift) + (uint64_t)by));
            assert_reads_as(text, strtod(text, NULL));
            snprintf(text, sizeof text, "%llue-%d", (unsigned long long)(odd * 5 + (uint64_t)by), 1 + shift % 4);
            assert_reads_as(text, strtod(text, NULL));
        }
        char near[80];
        snprintf(near, sizeof near, "%.18e", double_of(trm_random_bits(&random) >> 1));
        if (!strchr(near, 'n') && !strchr(near, '+')) assert_reads_as(near, strtod(near, NULL));
    }
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void numbers_are_written_as_a_person_would(void **state)
{
    (void)state;
    assert_written_as(0, "0");
    assert_written_as(-0.0, "-0");
    assert_written_as(10, "10");
    assert_written_as(-10, "-10");
    assert_written_as(1000000, "1000000");
    assert_written_as(123456789012345, "123456789012345");
    assert_written_as(9007199254740991, "9007199254740991");
    assert_written_as(1e15, "1000000000000000");
    assert_written_as(1e16, "1e16");
    assert_written_as(0.1, "0.1");
    assert_written_as(-0.00125, "-0.00125");
    assert_written_as(1e-5, "0.00001");
    assert_written_as(1e-6, "1e-6");
    assert_written_as(12.5, "12.5");
    assert_written_as(0.1 + 0.2, "0.30000000000000004");
    assert_written_as(1.0 / 3, "0.3333333333333333");
    assert_written_as(6.02214076e23, "6.02214076e23");
    assert_written_as(DBL_MAX, "1.7976931348623157e308");
    assert_written_as(DBL_MIN, "2.2250738585072014e-308");
    assert_written_as(DBL_TRUE_MIN, "5e-324");
    assert_written_as(HUGE_VAL, "inf");
    assert_written_as(-HUGE_VAL, "-inf");
    assert_written_as(NAN, "nan");
}

/* The known powers of two whose shortest decimal is not the nearest of its length. */
static void powers_of_two_use_their_wider_upper_side(void **state)
{
    (void)state;
    assert_written_as(0x1p-44, "5.684341886080802e-14");
    assert_written_as(0x1p89, "6.189700196426902e26");
}

static void assert_reads_back(double value)
{
    char text[TRM_NUMBER_TEXT];
    const int length = trm_format_number(text, value);
    assert_true(length < TRM_NUMBER_TEXT);
    assert_int_equal(length, strlen(text));
    assert_reads_as(text, value);
    assert_true(bits_of(strtod(text, NULL)) == bits_of(value));
}

static void numbers_read_back_to_the_same_bits(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(2);
    for (int i = 0; i < 700000; i++) {
        const double value = double_of(trm_random_bits(&random)); /* every exponent, both signs, subnormals */
        if (isfinite(value)) assert_reads_back(value);
        assert_reads_back(trm_random_uniform(&random, -10, 10));
        assert_reads_back(double_of(trm_random_bits(&random) >> 12)); /* subnormal */
    }
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        const double value = ldexp(1, exponent);
        assert_reads_back(value);
        assert_reads_back(-nextafter(value, HUGE_VAL));
        assert_reads_back(nextafter(value, 0));
    }
}

static int count_of_digits(const char *text)
{
    char digits[TRM_NUMBER_TEXT];
    int count = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count || *text != '0')) digits[count++] = *text;
    while (count && digits[count - 1] == '0') count--;
    return count;
}

/* Asserts that no decimal with one digit less is within the interval that reads as value: neither of the two nearest
 * is. */
static void assert_shortest(double value)
{
    char text[TRM_NUMBER_TEXT];
    trm_format_number(text, value);
    const int count = count_of_digits(text);
    if (count <= 1) return;

    char fewer[64];
    snprintf(fewer, sizeof fewer, "%.*e", count - 2, value);
    const double unit = pow(10, floor(log10(fabs(value))) - (count - 2));
    char below[64], above[64];
    snprintf(below, sizeof below, "%.*e", count - 2, value - 0.6 * unit);
    snprintf(above, sizeof above, "%.*e", count - 2, value + 0.6 * unit);
    assert_true(strtod(fewer, NULL) != value);
    assert_true(strtod(below, NULL) != value);
    assert_true(strtod(above, NULL) != value);
}

static void no_shorter_decimal_reads_back(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(3);
    for (int i = 0; i < 50000; i++) {
        const double value = double_of(trm_random_bits(&random));
        if (isfinite(value) && fabs(value) < 1e300 && fabs(value) > 1e-300) assert_shortest(value);
        assert_shortest(trm_random_uniform(&random, -10, 10));
    }
    for (int exponent = -990; exponent <= 990; exponent++) assert_shortest(ldexp(1, exponent));
}

/* ---- Locale ------------------------------------------------------------------------------- */

/* Few machines have a locale with a decimal comma installed; many can compile one, in a folder that is deleted after
 * loading it. */
static bool use_decimal_comma(void)
{
    char folder[] = "/tmp/trammel-locale-XXXXXX", command[200];
    if (setlocale(LC_ALL, "de_DE.UTF-8")) return true;
    if (!mkdtemp(folder)) return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.utf8 >/dev/null 2>&1", folder);
    const bool made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && made;
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!use_decimal_comma()) skip();

    char text[TRM_NUMBER_TEXT];
    snprintf(text, sizeof text, "%g", 1.5);
    assert_string_equal(text, "1,5");
    trm_print(text, sizeof text, "%.3g m in %d s", 1.25, 2); /* as reasons of outcomes are written */
    assert_string_equal(text, "1.25 m in 2 s");
    assert_written_as(1.5, "1.5");
    assert_written_as(0.30000000000000004, "0.30000000000000004");
    assert_reads_as("0.30000000000000004", 0.1 + 0.2);
    assert_reads_as("1234.5678901234567890123e-3", 1.2345678901234568);
    setlocale(LC_ALL, "C");
}

static void numbers_as_c_prints_them_are_read_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value; /* NAN: not a number */
    } CASES[] = {
        {"+1.5", 1.5},  {"-.5e1", -5}, {"5.", 5},     {"007.25", 7.25}, {"1e+3", 1000}, {"0", 0},    {"-0.0", 0},
        {"1.e2", 100},  {"", NAN},     {"+", NAN},    {".", NAN},       {"1 ", NAN},    {"1x", NAN}, {"--1", NAN},
        {"1e999", NAN}, {"nan", NAN},  {"0x10", NAN}, {"1,5", NAN},     {"1..2", NAN},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *text = CASES[i].text;
        double value = 77;
        assert_int_equal(trm_is_number(text, text + strlen(text), &value), !isnan(CASES[i].value));
        if (!isnan(CASES[i].value)) assert_true(value == CASES[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_end_where_the_grammar_ends),
        cmocka_unit_test(reading_stops_at_the_end_that_is_given),
        cmocka_unit_test(hard_numbers_round_correctly),
        cmocka_unit_test(the_last_of_many_digits_still_counts),
        cmocka_unit_test(exponents_make_up_for_long_digits),
        cmocka_unit_test(random_decimals_read_as_the_library_reads_them),
        cmocka_unit_test(middles_between_doubles_round_to_even),
        cmocka_unit_test(numbers_are_written_as_a_person_would),
        cmocka_unit_test(powers_of_two_use_their_wider_upper_side),
        cmocka_unit_test(numbers_read_back_to_the_same_bits),
        cmocka_unit_test(no_shorter_decimal_reads_back),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(numbers_as_c_prints_them_are_read_whole),
    };
    return RUN_TESTS(tests);
}
