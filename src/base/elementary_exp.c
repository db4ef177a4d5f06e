/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* exp, expm1, log, log10, log1p, pow, sinh, cosh and tanh.
 *
 * exp: x = n ln 2/128 + r, |r| <= ln 2/256; with n = 128 k + j and T = 2^(j/128) = a (1 + b) from a table
 *
 *   e^x = 2^k (a + a (b + r + r^2 p(r))).
 *
 * log: x = 2^k z, z in [0.71, 1.43]; a table gives 1/c of 20 bits next to 1/z. Then r = z/c - 1 is exact in two
 * parts, because z is taken in pieces of 32 and 21 bits, |r| <= 1/256, and
 *
 *   log x = k ln 2 + log c + r - r^2/2 + r^3 p(r),
 *
 * where k ln 2 and log c are in two parts whose first parts add exactly. Next to 1, c is 1, so that nothing
 * cancels.
 *
 * pow takes r^2/2 in two parts as well, which gives the logarithm to 2^-66, multiplies by y in two parts, and
 * takes exp of the result. */

#include <math.h>

#include "base/double_double.h"
#include "base/elementary_exp_tables.h"
#include "trammel/elementary.h"

/* ---- exp ---------------------------------------------------------------------------------- */

/* 2^k (high + low), 0.99 <= high < 2, low below 0.006; steps: 128 k */
typedef struct scaled {
    int steps;
    double high, low;
} scaled;

/* Returns e^(x + low) for |x| < 800 and |low| < 1e-5. */
static inline scaled exp_of(double x, double low)
{
    const double n = trm_nearest_whole(x * steps_per_unit);
    const double r = ((x - n * step_a) - n * step_b) + low, r2 = r * r;
    const int whole = (int)n, j = whole & 127;
    const double p = r + r2 * ((growth[0] + r * growth[1]) + r2 * (growth[2] + r * growth[3]));
    const double a = powers[j][0];
    return (scaled){whole - j, a, a * (powers[j][1] + p)};
}

/* Returns 2^k for 128 k = steps, -1022 <= k <= 1023. */
static inline double power_of_steps(int steps)
{
    return trm_double_of((uint64_t)(steps + 1023 * 128) << 45);
}

/* Returns 2^k x, also if 2^k is not a double or the result is not normal. */
static double scale(double x, int k)
{
    if (k > 1000) return x * 0x1p1000 * trm_power_of_two(k - 1000 < 200 ? k - 1000 : 200);
    if (k < -1000) return x * 0x1p-1000 * trm_power_of_two(k + 1000 > -200 ? k + 1000 : -200);
    return x * trm_power_of_two(k);
}

static inline double value_of(scaled e)
{
    return scale(e.high + e.low, e.steps / 128);
}

double trm_exp(double x)
{
    if (fabs(x) < 690) {
        const scaled e = exp_of(x, 0);
        return (e.high + e.low) * power_of_steps(e.steps);
    }
    if (isnan(x)) return x;
    if (x > 710) return HUGE_VAL;
    if (x < -746) return 0;
    return value_of(exp_of(x, 0));
}

/* Returns e^x - 1 for |x| < 40. Up to 0.4 it takes r first, with its rounding error: there e^x is near 1 and
 * cancels. */
static trm_double_double growth_of(double x)
{
    const double n = trm_nearest_whole(x * steps_per_unit), near = x - n * step_a, far = n * step_b;
    const double r = near - far, r_low = (near - r) - far, r2 = r * r;
    const int whole = (int)n, j = whole & 127;
    const double curve = r2 * ((growth[0] + r * growth[1]) + r2 * (growth[2] + r * growth[3]));
    const double S = powers[j][0] * power_of_steps(whole - j);
    const trm_double_double less = trm_two_sum(S, -1);
    const trm_double_double sum = trm_two_sum(less.high, r);
    const double rest = (S - 1) * r + S * (powers[j][1] * (1 + r) + r_low + curve);
    return trm_fast_two_sum(sum.high, sum.low + less.low + rest);
}

double trm_expm1(double x)
{
    if (isnan(x) || fabs(x) < 0x1p-54) return x;
    if (x > 40) return trm_exp(x);
    if (x < -40) return -1;
    const trm_double_double e = growth_of(x);
    return e.high + e.low;
}

/* ---- log ---------------------------------------------------------------------------------- */

/* x = 2^k c (1 + r + r_low); row: 1/c and log c */
typedef struct fraction {
    double k, r, r_low;
    const double *row;
} fraction;

/* Returns the fraction of x 2^k, for x > 0, finite and not subnormal. */
static inline fraction fraction_of(double x, int k)
{
    const uint64_t bits = trm_bits_of(x), fine = bits & ((UINT64_C(1) << 52) - 1);
    const int i = (int)((fine + (UINT64_C(1) << 44)) >> 45);
    const int fold = i >= LOGARITHM_FOLD;
    const double z = trm_double_of(fine | (uint64_t)(1023 - fold) << 52), upper = trm_upper_part(z),
                 lower = z - upper;
    const double *row = logarithms[i];
    const double first = upper * row[0] - 1, second = lower * row[0], r = first + second;
    return (fraction){k + (int)(bits >> 52) - 1023 + fold, r, (first - r) + second, row};
}

/* Returns log x as high + low, low below 0.01. */
static inline trm_double_double log_of(fraction f)
{
    const double *p = logarithm, r = f.r, r2 = r * r;
    const double tail = (p[0] + r * p[1]) + r2 * ((p[2] + r * p[3]) + r2 * p[4]);
    const trm_double_double sum = trm_fast_two_sum(f.k * ln2_high + f.row[1], r);
    return (trm_double_double){sum.high,
                               (sum.low + (f.k * ln2_low + f.row[2])) + f.r_low + (r2 * r * tail - 0.5 * r2)};
}

/* Returns the same, to 2^-66. */
static inline trm_double_double precise_log_of(fraction f)
{
    const double *p = logarithm, r = f.r, r2 = r * r;
    const double tail = (p[0] + r * p[1]) + r2 * ((p[2] + r * p[3]) + r2 * ((p[4] + r * p[5]) + r2 * p[6]));
    const double upper = trm_upper_half(r), square = 0.5 * upper * upper;
    const double square_low = 0.5 * (r - upper) * (r + upper);
    const trm_double_double first = trm_fast_two_sum(f.k * ln2_high + f.row[1], r);
    const trm_double_double second = trm_fast_two_sum(first.high, -square);
    const double low = (f.k * ln2_low + f.row[2]) + (f.r_low - r * f.r_low) - square_low + r2 * r * tail;
    return (trm_double_double){second.high, second.low + first.low + low};
}

/* Handles zero, negative and infinite x, and NaN. */
static double special_log(double x)
{
    if (x == 0) return -HUGE_VAL;
    return x > 0 || isnan(x) ? x : NAN;
}

static inline bool is_positive_normal(double x)
{
    return trm_bits_of(x) - (UINT64_C(1) << 52) < (UINT64_C(0x7fe) << 52);
}

/* Returns the fraction of any x > 0 that is finite. */
static inline fraction any_fraction_of(double x)
{
    return x < DBL_MIN ? fraction_of(x * 0x1p54, -54) : fraction_of(x, 0);
}

double trm_log(double x)
{
    if (!is_positive_normal(x) && (!(x > 0) || isinf(x))) return special_log(x);
    const trm_double_double l = log_of(any_fraction_of(x));
    return l.high + l.low;
}

double trm_log10(double x)
{
    if (!is_positive_normal(x) && (!(x > 0) || isinf(x))) return special_log(x);
    const trm_double_double l = log_of(any_fraction_of(x));
    const double upper = trm_upper_half(l.high), lower = (l.high - upper) + l.low;
    return upper * log10_e_high + (lower * log10_e_high + (upper + lower) * log10_e_low);
}

/* 1 + x = m + error exactly; the error adds error/(2^k c) to r. */
double trm_log1p(double x)
{
    if (fabs(x) < 0x1p-54) return x;
    if (!(x > -1) || isinf(x)) return x == -1 ? -HUGE_VAL : special_log(x);
    const trm_double_double more = trm_two_sum(1, x);
    fraction f = fraction_of(more.high, 0);
    const double error = f.k > 60 ? 0 : more.low * trm_power_of_two(-(int)f.k) * f.row[0];
    const trm_double_double r = trm_fast_two_sum(f.r, f.r_low + error);
    f.r = r.high, f.r_low = r.low;
    const trm_double_double l = log_of(f);
    return l.high + l.low;
}

/* ---- pow ---------------------------------------------------------------------------------- */

static bool is_whole(double y)
{
    return fabs(y) >= 0x1p53 || (fabs(y) >= 0x1p51 ? floor(y) : trm_nearest_whole(y)) == y;
}

static bool is_odd(double y)
{
    return fabs(y) < 0x1p53 && is_whole(y) && !is_whole(0.5 * y); /* from 2^53 on all numbers are even */
}

/* Handles x or y that is zero, infinite or NaN. */
static double special_pow(double x, double y)
{
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return x + y;
    if (isinf(y)) {
        if (fabs(x) == 1) return 1;
        return (fabs(x) > 1) == (y > 0) ? HUGE_VAL : 0;
    }
    const double size = (x == 0) == (y > 0) ? 0 : HUGE_VAL; /* x is 0 or infinite */
    return is_odd(y) ? copysign(size, x) : size;
}

/* Returns x^y = e^(y log x) for x > 0. The upper half of the logarithm, 26 bits, times that of y is exact; the
 * rest is 2^-25 of it. */
static inline double positive_pow(fraction f, double y)
{
    const trm_double_double l = precise_log_of(f);
    const double size = y * l.high;
    if (!(fabs(size) < 746)) return size > 0 ? HUGE_VAL : 0;
    if (fabs(size) < 0x1p-60) return 1;
    const double log_upper = trm_upper_half(l.high), log_lower = (l.high - log_upper) + l.low;
    const double y_upper = trm_upper_half(y), y_lower = y - y_upper;
    const scaled e = exp_of(y_upper * log_upper, y_lower * log_upper + y * log_lower);
    return fabs(size) < 690 ? (e.high + e.low) * power_of_steps(e.steps) : value_of(e);
}

double trm_pow(double x, double y)
{
    if (is_positive_normal(x) && fabs(y) <= DBL_MAX) return positive_pow(fraction_of(x, 0), y);
    if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y)) return special_pow(x, y);
    if (x < 0 && !is_whole(y)) return NAN;
    const double size = positive_pow(any_fraction_of(fabs(x)), y);
    return x < 0 && is_odd(y) ? -size : size;
}

/* ---- Hyperbolic functions ----------------------------------------------------------------- */

/* sinh x = x + x^3 p(x^2) up to 0.3, to 2^-64; then (e^x - e^-x)/2 in two parts; from 22 on e^-x is negligible. */
double trm_sinh(double x)
{
    const double a = fabs(x);
    if (isnan(x) || a < 0x1p-27) return x;
    if (a < 0.3) {
        const double z = x * x, *p = hyperbolic_sine;
        return x + x * z * ((p[0] + z * p[1]) + z * z * ((p[2] + z * p[3]) + z * z * p[4]));
    }
    if (a > 720) return copysign(HUGE_VAL, x);
    const scaled up = exp_of(a, 0);
    if (a > 22) return copysign(scale(up.high + up.low, up.steps / 128 - 1), x);
    const scaled down = exp_of(-a, 0);
    const double u = power_of_steps(up.steps - 128), d = power_of_steps(down.steps - 128);
    const trm_double_double sum = trm_fast_two_sum(up.high * u, -(down.high * d));
    return copysign(sum.high + (sum.low + (up.low * u - down.low * d)), x);
}

double trm_cosh(double x)
{
    const double a = fabs(x);
    if (isnan(x)) return x;
    if (a > 720) return HUGE_VAL;
    const scaled up = exp_of(a, 0);
    if (a > 22) return scale(up.high + up.low, up.steps / 128 - 1);
    const scaled down = exp_of(-a, 0);
    const double u = power_of_steps(up.steps - 128), d = power_of_steps(down.steps - 128);
    const trm_double_double sum = trm_fast_two_sum(up.high * u, down.high * d);
    return sum.high + (sum.low + (up.low * u + down.low * d));
}

/* From 1 on 1 - 2/(e^2x + 1); below, g/(g + 2) for g = e^2x - 1, corrected once by the residual of the quotient. */
double trm_tanh(double x)
{
    const double a = fabs(x);
    if (isnan(x) || a < 0x1p-27) return x;
    if (a > 20) return copysign(1, x);
    if (a >= 1) {
        const scaled e = exp_of(2 * a, 0);
        return copysign(1 - 2 / ((e.high + e.low) * power_of_steps(e.steps) + 1), x);
    }
    const trm_double_double g = growth_of(2 * a);
    const trm_double_double d = trm_two_sum(2, g.high);
    const double inverse = 1 / d.high, q = g.high * inverse;
    const trm_double_double p = trm_two_product(q, d.high);
    const double residual = (g.high - p.high) - p.low + (g.low - q * (d.low + g.low));
    return copysign(q + residual * inverse, x);
}
