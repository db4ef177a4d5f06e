/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* asin, acos, atan and atan2.
 *
 * atan: for 0 <= a <= b let c = j/64 be nearest to a/b. Then
 *
 *   atan(a/b) = atan c + atan t,   t = (a - c b)/(b + c a),   |t| <= 1/128,
 *
 * with atan c in two parts from a table and atan t = t + t^3 p(t^2). c has 7 bits, so c b is exact in two pieces.
 * Up to a/b = 1/16, where the rounding of t would matter, a longer polynomial takes the quotient and its residual.
 * The other octants follow by adding to or subtracting from pi/2 or pi, also in two parts.
 *
 * asin: for |x| <= 1/2 it is x + x^3 p(x^2); beyond, with the exact z = (1 - |x|)/2 and its root s in two parts,
 *
 *   asin |x| = pi/2 - 2 asin s,   acos |x| = 2 asin s. */

#include <math.h>

#include "base/double_double.h"
#include "base/elementary_arc_tables.h"
#include "trammel/elementary.h"

/* ---- atan --------------------------------------------------------------------------------- */

/* Returns whole + sign q for q = a/b <= 1/16; if whole is zero, the residual of the quotient matters. */
static double small_arc(trm_double_double whole, double sign, double a, double b, double q)
{
    const double *p = short_arc_tangent, z = q * q, z2 = z * z;
    const double curve = q * z * ((p[0] + z * p[1]) + z2 * ((p[2] + z * p[3]) + z2 * (p[4] + z * p[5])));
    if (whole.high != 0) {
        const trm_double_double sum = trm_fast_two_sum(whole.high, sign * q);
        return sum.high + (sum.low + (whole.low + sign * curve));
    }
    if (b == 1) return q + curve;
    const trm_double_double product = trm_two_product(q, b);
    return q + (curve + ((a - product.high) - product.low) / b);
}

/* Returns whole + sign atan(a/b), for 0 <= a <= b, b within 2^+-120, and q = a/b. */
static inline double arc_from(trm_double_double whole, double sign, double a, double b, double q)
{
    if (q < 0x1p-4) return small_arc(whole, sign, a, b, q);
    const int j = (int)trm_nearest_whole(q * 64);
    const double c = j * 0x1p-6, b_high = trm_upper_part(b);
    const double t = ((a - c * b_high) - c * (b - b_high)) / (b + c * a), z = t * t;
    const double curve = t * z * (arc_tangent[0] + z * (arc_tangent[1] + z * arc_tangent[2]));
    const trm_double_double base = trm_fast_two_sum(whole.high, sign * arc_tangents[j][0]);
    const trm_double_double sum = trm_fast_two_sum(base.high, sign * t);
    return sum.high + (sum.low + base.low + whole.low + sign * (arc_tangents[j][1] + curve));
}

/* Returns the angle of (x, y) with y >= 0, in the octant given by x and y, which are finite and not both zero. */
static double upper_angle(double y, double x)
{
    const double right = fabs(x);
    const bool steep = y > right;
    double a = steep ? right : y, b = steep ? y : right;
    const trm_double_double zero = {0, 0}, half_pi = {half_pi_high, half_pi_low}, pi = {pi_high, pi_low};

    const int ea = (int)(trm_bits_of(a) >> 52), eb = (int)(trm_bits_of(b) >> 52);
    if (eb - ea > 70) { /* a/b changes neither pi/2 nor pi, and the quotient equals its arc tangent */
        if (steep) return half_pi_high;
        return x > 0 ? a / b : pi_high;
    }
    if (eb < 1023 - 110 || eb > 1023 + 110) {
        /* nearly equal exponents: both can be scaled exactly, a subnormal b by 2^600, too */
        const double scale = eb > 1023 ? 0x1p-600 : 0x1p600;
        a *= scale, b *= scale;
        const int now = (int)(trm_bits_of(b) >> 52) - 1023;
        const double rest = trm_power_of_two(-now);
        a *= rest, b *= rest;
    }
    return arc_from(steep ? half_pi : x > 0 ? zero : pi, steep == (x > 0) ? -1 : 1, a, b, a / b);
}

static double special_angle(double y, double x)
{
    if (isnan(x) || isnan(y)) return x + y;
    const bool left = signbit(x);
    if (isinf(x) && isinf(y))
        return copysign(left ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1, y); /* 3 pi/4, pi/4 */
    if (isinf(y)) return copysign(half_pi_high, y);
    if (isinf(x) || y == 0) return copysign(left ? pi_high : 0, y);
    return copysign(half_pi_high, y); /* x = 0 */
}

double trm_atan2(double y, double x)
{
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0) return special_angle(y, x);
    return copysign(upper_angle(fabs(y), x), y);
}

double trm_atan(double x)
{
    if (isnan(x) || fabs(x) < 0x1p-27) return x;
    if (fabs(x) > 0x1p54) return copysign(half_pi_high, x);
    const trm_double_double zero = {0, 0}, half_pi = {half_pi_high, half_pi_low};
    const double a = fabs(x);
    return copysign(a > 1 ? arc_from(half_pi, -1, 1, a, 1 / a) : arc_from(zero, 1, a, 1, a), x);
}

/* ---- asin and acos ------------------------------------------------------------------------ */

/* Returns (asin x - x)/x for z = x^2 <= 1/4. */
static double arc_sine_rest(double z)
{
    const double *p = arc_sine, z2 = z * z, z4 = z2 * z2;
    const double low = (p[0] + z * p[1]) + z2 * (p[2] + z * p[3]);
    const double middle = (p[4] + z * p[5]) + z2 * (p[6] + z * p[7]);
    const double high = (p[8] + z * p[9]) + z2 * (p[10] + z * p[11]) + z4 * p[12];
    return z * (low + z4 * (middle + z4 * high));
}

/* Returns 2 asin sqrt(z) for z = (1 - |x|)/2, in two parts. */
static trm_double_double double_arc(double x)
{
    const double z = 0.5 * (1 - fabs(x)), s = sqrt(z);
    if (z == 0) return (trm_double_double){0, 0};
    const double upper = trm_upper_half(s), s_low = (z - upper * upper) / (s + upper) - (s - upper);
    const trm_double_double sum = trm_fast_two_sum(s, s * arc_sine_rest(z) + s_low);
    return (trm_double_double){2 * sum.high, 2 * sum.low};
}

double trm_asin(double x)
{
    if (!(fabs(x) <= 1)) return isnan(x) ? x : NAN;
    if (fabs(x) < 0x1p-27) return x;
    if (fabs(x) <= 0.5) return x + x * arc_sine_rest(x * x);
    const trm_double_double arc = double_arc(x);
    const trm_double_double sum = trm_fast_two_sum(half_pi_high, -arc.high);
    return copysign(sum.high + (sum.low + (half_pi_low - arc.low)), x);
}

double trm_acos(double x)
{
    if (!(fabs(x) <= 1)) return isnan(x) ? x : NAN;
    if (fabs(x) <= 0.5) {
        const trm_double_double sum = trm_fast_two_sum(half_pi_high, -x);
        return sum.high + (sum.low + (half_pi_low - x * arc_sine_rest(x * x)));
    }
    const trm_double_double arc = double_arc(x);
    if (x > 0) return arc.high + arc.low;
    const trm_double_double sum = trm_fast_two_sum(pi_high, -arc.high);
    return sum.high + (sum.low + (pi_low - arc.low));
}
