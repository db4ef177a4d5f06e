/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A finite number is held as
 *
 *   +- d_1 d_2 ... d_n * 10^exponent,   the digits read as one integer, d_1 not zero (n = 0: the number 0)
 *
 * and goes through the C library in this form only, "12345e-2": without a decimal point the locale has no say.
 *
 * Reading. With n <= 15 digits and |exponent| <= 22 both the integer and the power of ten are exact doubles, so one
 * multiplication or division rounds correctly (Clinger 1990, "How to read floating point numbers accurately").
 * The rest goes to strtod. A double, or the middle between two, has at most 768 significant digits; of what follows
 * the first DIGITS_KEPT it matters only whether it is zero, which a last digit 1 says as well.
 *
 * Writing. Any decimal of up to DBL_DIG = 15 digits survives the way to double and back, so 15 digits with the zeros
 * at their end removed are the shortest if they read back at all; else 16, else 17. Where the value is a power of
 * two its lower neighbour is nearer than its upper one, and the 16 digits next above the nearest may read back where
 * the nearest do not (2^-44). Subnormal numbers carry fewer digits and are searched from one digit on. */

#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_KEPT = 800, EXACT_DIGITS = 15, EXACT_POWER = 22, MOST_DIGITS = 17 };

/* Beyond this exponent any 801 digits give zero or infinity. */
enum { EXPONENT_BOUND = 99999 };

/* Written without exponent: 1e-5 <= |value| < 1e16. */
enum { SMALLEST_PLAIN = -5, LARGEST_PLAIN = 15 };

typedef struct decimal {
    bool negative;
    bool more; /* not all digits after the kept ones were zero */
    int count;
    long long exponent;
    char digits[DIGITS_KEPT + 1];
} decimal;

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

/* ---- Reading ------------------------------------------------------------------------------ */

static void add_digit(decimal *d, char digit, bool behind_point)
{
    if (d->count == 0 && digit == '0') {
        d->exponent -= behind_point;
    } else if (d->count < DIGITS_KEPT) {
        d->digits[d->count++] = digit;
        d->exponent -= behind_point;
    } else {
        d->more = d->more || digit != '0';
        d->exponent += !behind_point;
    }
}

static const char *add_digits(decimal *d, const char *at, const char *end, bool behind_point)
{
    for (; is_digit(at, end); at++) add_digit(d, *at, behind_point);
    return at;
}

/* The exponent at 'e', if there is a complete one; returns where it ends. */
static const char *add_exponent(decimal *d, const char *at, const char *end)
{
    const char *digit = at + 1;
    const bool negative = digit < end && *digit == '-';
    if (digit < end && (*digit == '-' || *digit == '+')) digit++;
    if (!is_digit(digit, end)) return at;

    const long long bound = 1LL << 60; /* larger than any count of digits in memory */
    long long exponent = 0;
    for (; is_digit(digit, end); digit++)
        if (exponent < bound / 10) exponent = 10 * exponent + (*digit - '0');
    d->exponent += negative ? -exponent : exponent;
    return digit;
}

/* integer, then fraction and exponent if they are complete; NULL if there is no number */
static const char *read_decimal(decimal *d, const char *at, const char *end)
{
    d->negative = at < end && *at == '-';
    d->more = false;
    d->count = 0;
    d->exponent = 0;
    if (d->negative) at++;
    if (!is_digit(at, end)) return NULL;

    at = *at == '0' ? at + 1 : add_digits(d, at, end, false);
    if (at < end && *at == '.' && is_digit(at + 1, end)) at = add_digits(d, at + 1, end, true);
    if (at < end && (*at == 'e' || *at == 'E')) at = add_exponent(d, at, end);
    return at;
}

/* The digits as an integer times or over a power of ten, all three exact. */
static double exact_magnitude(const decimal *d)
{
    static const double power[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    long long integer = 0;
    for (int i = 0; i < d->count; i++) integer = 10 * integer + (d->digits[i] - '0');
    return d->exponent < 0 ? (double)integer / power[-d->exponent] : (double)integer * power[d->exponent];
}

static double library_magnitude(const decimal *d)
{
    long long exponent = d->exponent;
    if (exponent > EXPONENT_BOUND) exponent = EXPONENT_BOUND;
    if (exponent < -EXPONENT_BOUND) exponent = -EXPONENT_BOUND;

    char text[DIGITS_KEPT + 16];
    memcpy(text, d->digits, (size_t)d->count);
    snprintf(text + d->count, sizeof text - (size_t)d->count, "%se%d", d->more ? "1" : "",
             (int)exponent - (d->more ? 1 : 0));
    return strtod(text, NULL);
}

static double decimal_value(const decimal *d)
{
    /* arithmetic in a wider format would round twice */
    const bool exact =
        FLT_EVAL_METHOD == 0 && d->count <= EXACT_DIGITS && d->exponent >= -EXACT_POWER && d->exponent <= EXACT_POWER;
    const double magnitude = d->count == 0 ? 0 : exact ? exact_magnitude(d) : library_magnitude(d);
    return d->negative ? -magnitude : magnitude;
}

const char *trm_parse_number(const char *text, const char *end, double *value)
{
    decimal d;
    const char *stop = read_decimal(&d, text, end);
    if (stop) *value = decimal_value(&d);
    return stop;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* value, finite and not zero, rounded to a count of digits; zeros at the end are dropped. */
static void round_to_digits(decimal *d, double value, int count)
{
    char text[MOST_DIGITS + 24];
    snprintf(text, sizeof text, "%.*e", count - 1, fabs(value));
    d->negative = signbit(value);
    d->more = false;
    d->count = 0;

    /* whatever the locale puts between the first digit and the second, it is no digit */
    const char *at = text;
    for (; *at != 'e'; at++)
        if (is_digit(at, at + 1)) d->digits[d->count++] = *at;
    d->exponent = strtol(at + 1, NULL, 10) - (d->count - 1);
    while (d->count > 1 && d->digits[d->count - 1] == '0') d->count--, d->exponent++;
}

/* The next larger decimal of 16 digits. */
static void step_up(decimal *d)
{
    while (d->count > 0 && d->digits[d->count - 1] == '9') d->count--, d->exponent++;
    if (d->count == 0) d->digits[d->count++] = '0';
    d->digits[d->count - 1]++;
}

static bool is_power_of_two(double value)
{
    int exponent;
    return fabs(frexp(value, &exponent)) == 0.5;
}

static bool reads_back(const decimal *d, double value)
{
    return decimal_value(d) == value;
}

static void find_shortest(decimal *d, double value)
{
    const bool subnormal = fabs(value) < DBL_MIN;
    for (int count = subnormal ? 1 : DBL_DIG; count < MOST_DIGITS; count++) {
        round_to_digits(d, value, count);
        if (reads_back(d, value)) return;
        if (count < MOST_DIGITS - 1 || d->count < count || !is_power_of_two(value)) continue;
        step_up(d);
        if (reads_back(d, value)) return;
    }
    round_to_digits(d, value, MOST_DIGITS);
}

static char *put_zeros(char *at, int count)
{
    for (int i = 0; i < count; i++) *at++ = '0';
    return at;
}

static char *put_digits(char *at, const decimal *d, int first, int last)
{
    for (int i = first; i < last; i++) *at++ = d->digits[i];
    return at;
}

/* first: the power of ten of the first digit */
static char *put_plain(char *at, const decimal *d, int first)
{
    const int whole = first + 1; /* digits before the point */
    if (whole >= d->count) return put_zeros(put_digits(at, d, 0, d->count), whole - d->count);
    if (whole <= 0) *at++ = '0';
    at = put_digits(at, d, 0, whole);
    *at++ = '.';
    at = put_zeros(at, -whole);
    return put_digits(at, d, whole > 0 ? whole : 0, d->count);
}

static char *put_scientific(char *at, const decimal *d, int first)
{
    *at++ = d->digits[0];
    if (d->count > 1) *at++ = '.';
    at = put_digits(at, d, 1, d->count);
    return at + snprintf(at, 8, "e%d", first);
}

int trm_format_number(char buffer[TRM_NUMBER_TEXT], double value)
{
    if (isnan(value)) return snprintf(buffer, TRM_NUMBER_TEXT, "nan");
    if (isinf(value)) return snprintf(buffer, TRM_NUMBER_TEXT, value < 0 ? "-inf" : "inf");

    char *at = buffer;
    if (signbit(value)) *at++ = '-';
    if (value == 0) {
        *at++ = '0';
    } else {
        decimal d;
        find_shortest(&d, value);
        const int first = (int)d.exponent + d.count - 1;
        at = first >= SMALLEST_PLAIN && first <= LARGEST_PLAIN ? put_plain(at, &d, first)
                                                               : put_scientific(at, &d, first);
    }
    *at = '\0';
    return (int)(at - buffer);
}
