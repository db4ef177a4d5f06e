/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading. The first 19 significant digits form an integer w of 64 bits; the number is w 10^q. If w < 2^53 and |q|
 * <= 22, both w and the power of ten are exact doubles, so one multiplication or division rounds correctly
 * (Clinger 1990, "How to read floating point numbers accurately"). Otherwise w times 10^q to 128 bits decides the
 * rounding in all but a few cases (Lemire 2021, "Number parsing at a gigabyte per second", with the algorithm of
 * Eisel). strtod reads the rest: numbers with more digits, subnormal ones and those few. It gets them without a
 * decimal point, "12345e-2", so the locale has no effect. A double, or the middle between two, has at most 768
 * significant digits. Of the digits after the first DIGITS_KEPT it matters only whether they are all zero; if not,
 * a last digit 1 replaces them.
 *
 * Writing. Finds the shortest decimal in the interval of numbers that round to the value, and of several the
 * nearest (Giulietti 2021, "The Schubfach way to render doubles"). The value is c 2^q, k satisfies 10^k <= the
 * length of the interval < 10^(k+1), and everything is in quarters of 10^k. The middle and the ends of the
 * interval are multiplied by 10^-k to 128 bits and rounded to odd, which keeps all comparisons correct. A multiple
 * of 10^(k+1) inside the interval is the shortest; else a multiple of 10^k is. */

#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_powers.h"

enum { DIGITS_KEPT = 800, WORD_DIGITS = 19, EXACT_POWER = 22 };

/* Exponents of ten: powers up to the first are exact in 128 bits, those above the second exceed a double. */
enum { MOST_EXACT_POWER = 55, MOST_POWER = 308 };

/* With an exponent beyond this bound, any number of 801 digits is zero or infinity. */
enum { EXPONENT_BOUND = 99999 };

/* Range written without exponent: 1e-5 <= |value| < 1e16. */
enum { SMALLEST_PLAIN = -5, LARGEST_PLAIN = 15 };

/* Layout of a double: bits of its fraction, exponent of its last bit if its exponent field were 0, largest field. */
enum { FRACTION_BITS = 52, LEAST_EXPONENT = -1075, MOST_FIELD = 2047 };
static const uint64_t HIDDEN_BIT = (uint64_t)1 << FRACTION_BITS;

__extension__ typedef unsigned __int128 wide;

typedef struct decimal {
    bool negative;
    bool more; /* some digit after the stored ones is not zero */
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

/* Reads the exponent at 'e' if it is complete. Returns where it ends. */
static const char *add_exponent(decimal *d, const char *at, const char *end)
{
    const char *digit = at + 1;
    const bool negative = digit < end && *digit == '-';
    if (digit < end && (*digit == '-' || *digit == '+')) digit++;
    if (!is_digit(digit, end)) return at;

    const long long bound = 1LL << 60; /* larger than any number of digits in memory */
    long long exponent = 0;
    for (; is_digit(digit, end); digit++)
        if (exponent < bound / 10) exponent = 10 * exponent + (*digit - '0');
    d->exponent += negative ? -exponent : exponent;
    return digit;
}

/* Reads an integer part, then fraction and exponent if they are complete. Returns NULL if there is no number. */
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

/* Reads any number with strtod. */
static const char *parse_slowly(const char *text, const char *end, double *value)
{
    decimal d;
    const char *stop = read_decimal(&d, text, end);
    if (!stop) return NULL;
    const double magnitude = d.count == 0 ? 0 : library_magnitude(&d);
    *value = d.negative ? -magnitude : magnitude;
    return stop;
}

/* A number with at most 19 significant digits, taken apart. */
typedef struct scanned {
    bool negative;
    int count; /* number of significant digits */
    uint64_t w;
    long long q;
} scanned;

static const char *scan_digits(scanned *s, const char *at, const char *end)
{
    for (; is_digit(at, end); at++) {
        s->w = 10 * s->w + (uint64_t)(*at - '0'); /* not used if there are too many digits */
        s->count += s->count > 0 || *at != '0';
    }
    return at;
}

/* Reads such a number. Returns where it ends, or NULL if there is none. */
static const char *scan(scanned *s, const char *at, const char *end)
{
    *s = (scanned){.negative = at < end && *at == '-'};
    if (s->negative) at++;
    if (!is_digit(at, end)) return NULL;
    at = *at == '0' ? at + 1 : scan_digits(s, at, end);
    if (at < end && *at == '.' && is_digit(at + 1, end)) {
        const char *first = at + 1;
        at = scan_digits(s, first, end);
        s->q = first - at;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        decimal d = {.exponent = s->q};
        at = add_exponent(&d, at, end);
        s->q = d.exponent;
    }
    return at;
}

/* Computes w 10^q if both are exact doubles; returns whether they are. */
static bool read_exactly(uint64_t w, long long q, double *magnitude)
{
    static const double power[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    /* a wider format would round twice */
    if (FLT_EVAL_METHOD != 0 || w > 2 * HIDDEN_BIT || q < -EXACT_POWER || q > EXACT_POWER) return false;
    *magnitude = q < 0 ? (double)w / power[-q] : (double)w * power[q];
    return true;
}

static int leading_zeros(uint64_t w)
{
    return __builtin_clzll(w);
}

/* Returns floor(x / 2^bits). */
static int over_power(long long x, int bits)
{
    const long long unit = 1LL << bits;
    return (int)(x >= 0 ? x / unit : -((-x + unit - 1) / unit));
}

/* Returns floor(log2(10^q)). */
static int log2_of_power(long long q)
{
    return over_power(q * 1741647, 19);
}

/* The 128 bits of 10^q, scaled by a power of two and rounded up. */
typedef struct power {
    uint64_t high, low;
} power;

static power power_of_ten(long long q)
{
    const uint64_t *near = powers_of_ten[(q - FIRST_POWER) / POWERS_APART];
    const uint64_t five = powers_of_five[(q - FIRST_POWER) % POWERS_APART];
    const wide last = (wide)near[2] * five;
    const wide middle = (wide)near[1] * five + (uint64_t)(last >> 64);
    const wide first = (wide)near[0] * five + (uint64_t)(middle >> 64);
    /* the product's four words of 64 bits, of which the first begins with zeros */
    const uint64_t word[4] = {(uint64_t)(first >> 64), (uint64_t)first, (uint64_t)middle, (uint64_t)last};
    const int skipped = word[0] ? 0 : 1, zeros = leading_zeros(word[skipped]);
    wide g = (wide)word[skipped] << 64 | word[skipped + 1];
    uint64_t rest = word[skipped + 2];
    if (zeros > 0) g = g << zeros | rest >> (64 - zeros), rest <<= zeros;
    g += rest != 0 || (skipped == 0 && word[3] != 0);
    return (power){(uint64_t)(g >> 64), (uint64_t)g};
}

/* Computes w 10^q, w not 0, with the power truncated to 128 bits: the product w T / 2^64 is less than 2 below the
 * true one, less than 1 if the power is exact. Returns false if that could change the rounding, or the result is
 * not a normal double. */
static bool read_by_power(uint64_t w, long long q, double *magnitude)
{
    if (q < FIRST_POWER || q > MOST_POWER) return false;
    const int zeros = leading_zeros(w);
    const bool exact = q >= 0 && q <= MOST_EXACT_POWER;
    const power g = power_of_ten(q);
    const wide T = ((wide)g.high << 64 | g.low) - !exact;
    w <<= zeros;
    const wide rest = (wide)w * (uint64_t)T;
    const wide product = (wide)w * (uint64_t)(T >> 64) + (uint64_t)(rest >> 64);
    const int shift = 128 - FRACTION_BITS - 1 - !(product >> 127);
    int field = shift + log2_of_power(q) - zeros + 1012;
    if (field <= 0 || field >= MOST_FIELD - 1) return false;
    uint64_t m = (uint64_t)(product >> shift);
    const wide half = (wide)1 << (shift - 1), left = product & (2 * half - 1);
    if (!exact && left + 2 > half && left < half) return false;
    const bool middle = exact && left == half && (uint64_t)rest == 0;
    m += middle ? m & 1 : left >= half;
    if (m >= 2 * HIDDEN_BIT) m >>= 1, field++;
    const uint64_t bits = (m & ~HIDDEN_BIT) | (uint64_t)field << FRACTION_BITS;
    memcpy(magnitude, &bits, sizeof bits);
    return true;
}

const char *trm_parse_number(const char *text, const char *end, double *value)
{
    scanned s;
    double magnitude = 0;
    const char *stop = scan(&s, text, end);
    if (!stop) return NULL;
    if (s.count > WORD_DIGITS) return parse_slowly(text, end, value);
    if (s.count > 0 && !read_exactly(s.w, s.q, &magnitude) && !read_by_power(s.w, s.q, &magnitude))
        return parse_slowly(text, end, value);
    *value = s.negative ? -magnitude : magnitude;
    return stop;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* The number digits 10^exponent. */
typedef struct shortest {
    uint64_t digits;
    int exponent;
} shortest;

/* Returns the upper 64 bits of g x / 2^64, with the last bit set if lower bits are not zero. */
static uint64_t round_to_odd(power g, uint64_t x)
{
    const uint64_t below = (uint64_t)(((wide)g.low * x) >> 64);
    const wide product = (wide)g.high * x + below;
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* v/4 lies between the multiples s and s + 1 of a unit; says which of them are in the interval. */
typedef struct inside {
    bool lower, upper;
} inside;

static inside inside_of(uint64_t s, uint64_t unit, uint64_t from, uint64_t to)
{
    return (inside){from <= unit * s, unit * s + unit <= to};
}

/* Returns the shortest decimal that reads back to the value, which is positive and finite. */
static shortest shortest_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits & (HIDDEN_BIT - 1);
    const int field = (int)(bits >> FRACTION_BITS);
    const uint64_t c = field ? fraction | HIDDEN_BIT : fraction;
    const int q = (field ? field : 1) + LEAST_EXPONENT;
    const bool even = c % 2 == 0, closer = fraction == 0 && field > 1; /* the neighbour below a power of two */

    /* k = floor(log10(2^q)), or of 3/4 2^q */
    const int k = over_power(q * 1262611LL - (closer ? 524031 : 0), 22);
    const int h = q + log2_of_power(-k) + 1;
    const power g = power_of_ten(-k);
    const uint64_t from = round_to_odd(g, (4 * c - 2 + closer) << h) + !even;
    const uint64_t v = round_to_odd(g, (4 * c) << h);
    const uint64_t to = round_to_odd(g, (4 * c + 2) << h) - !even;

    const uint64_t s = v / 4;
    if (s >= 10) {
        const inside tens = inside_of(s / 10, 40, from, to);
        if (tens.lower != tens.upper) return (shortest){s / 10 + tens.upper, k + 1};
    }
    const inside ones = inside_of(s, 4, from, to);
    if (ones.lower != ones.upper) return (shortest){s + ones.upper, k};
    const uint64_t middle = 4 * s + 2;
    return (shortest){s + (v > middle || (v == middle && s % 2 == 1)), k};
}

/* Length of the digits as text, without trailing zeros. */
enum { MOST_DIGITS = 20 };

typedef struct written {
    int count, exponent;
    char digits[MOST_DIGITS];
} written;

static written write_digits(shortest d)
{
    written w = {.exponent = d.exponent};
    char backwards[MOST_DIGITS] = "";
    while (d.digits % 10 == 0) d.digits /= 10, w.exponent++;
    for (; d.digits > 0; d.digits /= 10) backwards[w.count++] = (char)('0' + d.digits % 10);
    for (int i = 0; i < w.count; i++) w.digits[i] = backwards[w.count - 1 - i];
    return w;
}

static char *put_zeros(char *at, int count)
{
    for (int i = 0; i < count; i++) *at++ = '0';
    return at;
}

static char *put_digits(char *at, const written *w, int first, int last)
{
    for (int i = first; i < last; i++) *at++ = w->digits[i];
    return at;
}

/* Writes a number without exponent. first: power of ten of the first digit. Returns the end. */
static char *put_plain(char *at, const written *w, int first)
{
    const int whole = first + 1; /* digits before the point */
    if (whole >= w->count) return put_zeros(put_digits(at, w, 0, w->count), whole - w->count);
    if (whole <= 0) *at++ = '0';
    at = put_digits(at, w, 0, whole);
    *at++ = '.';
    at = put_zeros(at, -whole);
    return put_digits(at, w, whole > 0 ? whole : 0, w->count);
}

static char *put_scientific(char *at, const written *w, int first)
{
    *at++ = w->digits[0];
    if (w->count > 1) *at++ = '.';
    at = put_digits(at, w, 1, w->count);
    *at++ = 'e';
    if (first < 0) *at++ = '-';
    const int size = first < 0 ? -first : first;
    if (size >= 100) *at++ = (char)('0' + size / 100);
    if (size >= 10) *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return at;
}

static int put_word(char *buffer, const char *word)
{
    strcpy(buffer, word);
    return (int)strlen(word);
}

int trm_format_number(char buffer[TRM_NUMBER_TEXT], double value)
{
    if (isnan(value)) return put_word(buffer, "nan");
    if (isinf(value)) return put_word(buffer, value < 0 ? "-inf" : "inf");

    char *at = buffer;
    if (signbit(value)) *at++ = '-';
    if (value == 0) {
        *at++ = '0';
    } else {
        const written w = write_digits(shortest_of(fabs(value)));
        const int first = w.exponent + w.count - 1;
        at = first >= SMALLEST_PLAIN && first <= LARGEST_PLAIN ? put_plain(at, &w, first)
                                                               : put_scientific(at, &w, first);
    }
    *at = '\0';
    return (int)(at - buffer);
}

/* ---- Numbers as C prints them --------------------------------------------------------------- */

enum { LONGEST_NUMBER = 400 };

static int count_digits(const char *at, const char *end)
{
    int count = 0;
    while (is_digit(at + count, end)) count++;
    return count;
}

/* Writes the number in the form of RFC 8259: no plus sign, no leading zeros, digits on both sides of a point. Returns
 * the length; 0 if the number has no digits, or two points. */
static int write_strictly(const char *at, const char *end, char *buffer)
{
    char *out = buffer;
    if (*at == '-') *out++ = '-';
    if (*at == '-' || *at == '+') at++;
    int whole = count_digits(at, end);
    const bool point = at + whole < end && at[whole] == '.';
    const int fraction = point ? count_digits(at + whole + 1, end) : 0;
    if (whole + fraction == 0) return 0;
    for (; whole > 0 && *at == '0'; whole--) at++;
    if (whole == 0) *out++ = '0';
    memcpy(out, at, (size_t)whole);
    out += whole, at += whole;
    if (fraction > 0) memcpy(out, at, (size_t)fraction + 1), out += fraction + 1;
    if (point) at += fraction + 1;
    if (at < end && *at == '.') return 0;
    memcpy(out, at, (size_t)(end - at)); /* the exponent, or characters that are not part of a number */
    return (int)(out - buffer + (end - at));
}

bool trm_is_number(const char *text, const char *end, double *value)
{
    char buffer[LONGEST_NUMBER + 2]; /* one zero before the point may be added */
    if (text == end || end - text > LONGEST_NUMBER) return false;
    if (trm_parse_number(text, end, value) == end) return isfinite(*value);
    const int length = write_strictly(text, end, buffer);
    return length > 0 && trm_parse_number(buffer, buffer + length, value) == buffer + length && isfinite(*value);
}
