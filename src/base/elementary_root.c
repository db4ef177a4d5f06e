/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* hypot and cbrt.
 *
 * hypot: s + e = x^2 + y^2 in two parts, h = sqrt(s), and one Newton step with the exact residual: h + (s - h^2 +
 * e)/(2h).
 *
 * cbrt: |x| = 2^(3k) m, m in [1, 8). A polynomial gives the root t to 2^-13, one step of Halley's method to 2^-39.
 * t is cut to 26 bits, so that t^2 is exact and m - t^3 nearly so. A last step t + t (m - t^3)/(2 t^3 + m) leaves
 * an error of 2^-75. */

#include <math.h>

#include "base/double_double.h"
#include "base/elementary_root_tables.h"
#include "trammel/elementary.h"

static trm_double_double square_of(double x)
{
    const double p = x * x, upper = trm_upper_half(x), lower = x - upper;
    return (trm_double_double){p, ((upper * upper - p) + 2 * upper * lower) + lower * lower};
}

/* Returns sqrt(a^2 + b^2) for a >= b > 0 whose squares, and 2^-60 of these, are normal numbers. */
static double length_of(double a, double b)
{
    const trm_double_double p = square_of(a), q = square_of(b);
    const double s = p.high + q.high, e = ((p.high - s) + q.high) + (p.low + q.low);
    const double h = sqrt(s), half_inverse_square = 0.5 / s; /* computed in parallel with the root, not after it */
    const double upper = trm_upper_half(h), lower = h - upper;
    const double residual = ((s - upper * upper) - 2 * upper * lower) - lower * lower + e;
    return h + residual * (h * half_inverse_square);
}

double trm_hypot(double x, double y)
{
    const double ax = fabs(x), ay = fabs(y), a = ax > ay ? ax : ay, b = ax > ay ? ay : ax;
    if (isinf(x) || isinf(y)) return HUGE_VAL;
    if (isnan(x) || isnan(y)) return x + y;
    if (a < 0x1p500 && b > 0x1p-400) return length_of(a, b);
    if (b <= a * 0x1p-54) return a + b;
    const double up = a < 1 ? 0x1p600 : 0x1p-600;
    return length_of(a * up, b * up) * (a < 1 ? 0x1p-600 : 0x1p600);
}

/* Returns the cube root of m for 1 <= m < 8. */
static double root_of(double m)
{
    const double *p = cube_root, m2 = m * m;
    const double guess =
        (p[0] + m * p[1]) + m2 * (p[2] + m * p[3]) + m2 * m2 * ((p[4] + m * p[5]) + m2 * (p[6] + m * p[7]));
    const double cube = guess * guess * guess;
    const double t = trm_upper_half(guess + guess * (m - cube) / (2 * cube + m));
    const double square = t * t, upper = trm_upper_half(square);
    const double residual = (m - t * upper) - t * (square - upper);
    return t + t * residual / (2 * t * square + m);
}

double trm_cbrt(double x)
{
    if (x == 0 || !isfinite(x)) return x;
    double a = fabs(x), unit = 1;
    if (a < DBL_MIN) a *= 0x1p54, unit = 0x1p-18;
    const uint64_t bits = trm_bits_of(a);
    const int exponent = (int)(bits >> 52) - 1023, k = (exponent + 1200) / 3 - 400;
    const double m = trm_double_of(bits - ((uint64_t)(3 * k + 1200) << 52) + ((uint64_t)1200 << 52));
    return copysign(root_of(m) * trm_power_of_two(k) * unit, x);
}
