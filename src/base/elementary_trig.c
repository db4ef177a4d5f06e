/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* sin, cos and tan.
 *
 * Reduction: x = n pi/2 + y with |y| <= pi/4, y = high + low. For |n| < 2^20 three parts of pi/2 are subtracted,
 * the first two exactly (Cody, Waite, Software Manual for the Elementary Functions, 1980). Larger x, and x next to
 * a multiple of pi/2, are reduced by x 2/pi modulo 4 in fixed point, which takes only the words of 2/pi that
 * matter (Payne, Hanek, SIGNUM 18, 1983).
 *
 * Then, with z = y^2 and polynomials p, q:
 *
 *   sin y = y + y z p(z)            the sum rounds once; the rest is below 0.1 y
 *   cos y = 1 - z/2 + z^2 q(z)      1 - z/2 is taken with its rounding error
 *   tan y = y + y z p(z) for |y| < 1/8, else with c = j/64 next to y, t = tan(y - c) and V = tan c from a table
 *           tan y = V + (1 + V^2) t / (1 - V t).
 *
 * In odd quadrants tan is -1/tan y: the same formula with V = -1/tan c. */

#include <math.h>

#include "base/double_double.h"
#include "base/elementary_trig_tables.h"
#include "trammel/elementary.h"

/* x = quadrant pi/2 + high + low, the quadrant modulo 4. */
typedef struct reduced {
    int quadrant;
    double high, low;
} reduced;

/* the double next below pi/4 */
static const double quarter_pi = 0x1.921fb54442d18p-1;

/* ---- Reduction ---------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

/* Returns bits first .. first + 63 of 2/pi, where bit 1 is 1/2 and the bits before it are 0. */
static uint64_t two_over_pi_bits(int first)
{
    const int from = first - 1 + 64, word = from / 32 - 2, shift = from % 32; /* from >= 0 */
    uint64_t bits = 0;
    for (int i = 0; i < 3; i++) {
        const uint64_t next = word + i < 0 ? 0 : two_over_pi_words[word + i];
        bits |= i < 2 ? next << (32 - 32 * i) << shift : next >> (32 - shift);
    }
    return bits;
}

/* Returns f pi/2 for f = high + low. */
static reduced scale_by_half_pi(int quadrant, trm_double_double f)
{
    const trm_double_double p = trm_two_product(f.high, half_pi_high);
    const trm_double_double y = trm_fast_two_sum(p.high, p.low + (f.high * half_pi_low + f.low * half_pi_high));
    return (reduced){quadrant & 3, y.high, y.low};
}

/* Returns f 2^-192 as high + low, for 0 < f < 2^192. */
static trm_double_double fraction_value(uint64_t f0, uint64_t f1, uint64_t f2)
{
    int zeros = 0;
    for (; zeros < 128 && !(f0 >> 63); zeros++) f0 = f0 << 1 | f1 >> 63, f1 = f1 << 1 | f2 >> 63, f2 <<= 1;
    const uint64_t head = f0 & ~UINT64_C(0x7ff); /* 53 bits */
    const double scale = trm_power_of_two(-64 - zeros);
    return trm_fast_two_sum((double)head * scale, ((double)(f0 & 0x7ff) + (double)f1 * 0x1p-64) * scale);
}

/* Reduces any finite x with |x| >= 1/4: x = m 2^e with an integer m of 53 bits. The bits of 2/pi before number e -
 * 2 contribute multiples of 8 to x 2/pi; of the others 192 are taken, W. So x 2/pi = m W 2^-189 modulo 8, to
 * 2^-136; no double is nearer to a multiple of pi/2 than some 2^-62. */
static reduced reduce_anything(double x)
{
    const uint64_t bits = trm_bits_of(fabs(x)), one = UINT64_C(1) << 52;
    const uint64_t m = (bits & (one - 1)) | one;
    const int first = (int)(bits >> 52) - 1075 - 2;
    const wide low = (wide)m * two_over_pi_bits(first + 128);
    const wide middle = (wide)m * two_over_pi_bits(first + 64) + (uint64_t)(low >> 64);
    const uint64_t p0 = m * two_over_pi_bits(first) + (uint64_t)(middle >> 64), p1 = (uint64_t)middle,
                   p2 = (uint64_t)low;

    int quadrant = (int)(p0 >> 61);
    uint64_t f0 = p0 << 3 | p1 >> 61, f1 = p1 << 3 | p2 >> 61, f2 = p2 << 3;
    const bool beyond = f0 >> 63; /* above 1/2: negative, in the next quadrant */
    if (beyond) quadrant++, f0 = ~f0, f1 = ~f1, f2 = ~f2;
    reduced r = scale_by_half_pi(quadrant, fraction_value(f0, f1, f2));
    if (beyond != (x < 0)) r.high = -r.high, r.low = -r.low;
    if (x < 0) r.quadrant = -r.quadrant & 3;
    return r;
}

/* Reduces a finite x; |x| <= pi/4 is its own remainder. */
static reduced reduce(double x)
{
    const double largest = 0x1p20, closest = 0x1p-10; /* n < 2^20; low parts are below high */
    if (fabs(x) <= quarter_pi) return (reduced){0, x, 0};
    if (fabs(x) < largest) {
        const double n = trm_nearest_whole(x * two_over_pi);
        const trm_double_double y = trm_fast_two_sum(x - n * half_pi_a, -(n * half_pi_b));
        const trm_double_double sum = trm_fast_two_sum(y.high, y.low - n * half_pi_c);
        if (fabs(sum.high) >= closest) return (reduced){(int)n & 3, sum.high, sum.low};
    }
    return reduce_anything(x);
}

/* ---- Sine and cosine ---------------------------------------------------------------------- */

static inline double sine_of(double y, double low)
{
    const double z = y * y, z2 = z * z;
    const double p = (sine[0] + z * sine[1]) + z2 * ((sine[2] + z * sine[3]) + z2 * (sine[4] + z * sine[5]));
    return y + (y * z * p + (low - 0.5 * z * low));
}

static inline double cosine_of(double y, double low)
{
    const double z = y * y, z2 = z * z, half = 0.5 * z, near = 1 - half;
    const double q =
        (cosine[0] + z * cosine[1]) + z2 * ((cosine[2] + z * cosine[3]) + z2 * (cosine[4] + z * cosine[5]));
    return near + (((1 - near) - half) + (z2 * q - y * low));
}

double trm_sin(double x)
{
    if (fabs(x) <= quarter_pi) return fabs(x) < 0x1p-27 ? x : sine_of(x, 0);
    if (!isfinite(x)) return x - x;
    const reduced r = reduce(x);
    const double s = r.quadrant & 1 ? cosine_of(r.high, r.low) : sine_of(r.high, r.low);
    return r.quadrant & 2 ? -s : s;
}

double trm_cos(double x)
{
    if (fabs(x) <= quarter_pi) return cosine_of(x, 0);
    if (!isfinite(x)) return x - x;
    const reduced r = reduce(x);
    const double c = r.quadrant & 1 ? sine_of(r.high, r.low) : cosine_of(r.high, r.low);
    return (r.quadrant + 1) & 2 ? -c : c;
}

trm_sine_cosine trm_sin_cos(double x)
{
    if (fabs(x) < 0x1p-27) return (trm_sine_cosine){x, 1};
    if (!isfinite(x)) return (trm_sine_cosine){x - x, x - x};
    const reduced r = reduce(x);
    const double a = sine_of(r.high, r.low), b = cosine_of(r.high, r.low);
    const double s = r.quadrant & 1 ? b : a, c = r.quadrant & 1 ? a : b;
    return (trm_sine_cosine){r.quadrant & 2 ? -s : s, (r.quadrant + 1) & 2 ? -c : c};
}

/* ---- Tangent ------------------------------------------------------------------------------ */

static trm_double_double small_tangent_of(double y, double low)
{
    const double z = y * y, z2 = z * z;
    const double p =
        (tangent[0] + z * tangent[1]) + z2 * ((tangent[2] + z * tangent[3]) + z2 * (tangent[4] + z * tangent[5]));
    return trm_fast_two_sum(y, y * z * p + (low + z * low));
}

/* Returns -1/t. */
static double negative_inverse(trm_double_double t)
{
    const double inverse = 1 / t.high;
    const trm_double_double p = trm_two_product(inverse, t.high);
    return -inverse - ((1 - p.high) - p.low - inverse * t.low) * inverse;
}

/* Returns tan y, or -1/tan y if odd, for 0 < y <= pi/4. */
static double tangent_of(double y, double low, bool odd)
{
    if (y < 0.125) {
        const trm_double_double t = small_tangent_of(y, low);
        return odd ? negative_inverse(t) : t.high + t.low;
    }
    const double place = trm_nearest_whole(64 * y), d = (y - place * 0x1p-6) + low, z = d * d;
    const double *V = tangents[(int)place - 8][odd];
    const double t = d + d * z * (short_tangent[0] + z * (short_tangent[1] + z * short_tangent[2]));
    return V[0] + (V[1] + (1 + V[0] * V[0]) * t / (1 - V[0] * t));
}

double trm_tan(double x)
{
    if (fabs(x) < 0x1p-27) return x;
    if (!isfinite(x)) return x - x;
    const reduced r = reduce(x);
    const double sign = copysign(1, r.high);
    const bool odd = r.quadrant & 1;
    return sign * tangent_of(fabs(r.high), sign * r.low, odd);
}
