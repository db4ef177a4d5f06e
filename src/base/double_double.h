/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sums and products with their rounding errors, without fused multiply-adds.
 *
 *   a + b = s + e exactly   (Knuth 1969; where |a| >= |b| in three operations: Dekker 1971)
 *   a b   = p + e           by halves of 26 and 27 bits (Dekker 1971), cut by a mask instead of multiplications
 *
 * They require that every operation is rounded to double immediately: x87 arithmetic is rejected here. */

#ifndef TRM_BASE_DOUBLE_DOUBLE_H
#define TRM_BASE_DOUBLE_DOUBLE_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "operations must round to double: compile with -mfpmath=sse -msse2"
#endif

/* high + low, |low| <= ulp(high)/2 unless stated otherwise. */
typedef struct trm_double_double {
    double high, low;
} trm_double_double;

static inline uint64_t trm_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double trm_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns x without its last 27 bits; 26 remain. */
static inline double trm_upper_half(double x)
{
    return trm_double_of(trm_bits_of(x) & ~((UINT64_C(1) << 27) - 1));
}

/* Returns x without its last 21 bits; 32 remain. */
static inline double trm_upper_part(double x)
{
    return trm_double_of(trm_bits_of(x) & ~((UINT64_C(1) << 21) - 1));
}

/* Returns a + b for |a| >= |b|, or a = 0. */
static inline trm_double_double trm_fast_two_sum(double a, double b)
{
    const double s = a + b;
    return (trm_double_double){s, (a - s) + b};
}

static inline trm_double_double trm_two_sum(double a, double b)
{
    const double s = a + b, from_b = s - a, from_a = s - from_b;
    return (trm_double_double){s, (a - from_a) + (b - from_b)};
}

/* Returns a b with its rounding error; that error is exact except for 2^-106 of the product. */
static inline trm_double_double trm_two_product(double a, double b)
{
    const double p = a * b, ah = trm_upper_half(a), al = a - ah, bh = trm_upper_half(b), bl = b - bh;
    return (trm_double_double){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* Returns the integer nearest to x for |x| < 2^51, ties to even: adding 1.5 * 2^52 leaves no fractional bits. */
static inline double trm_nearest_whole(double x)
{
    const double shift = 0x1.8p52;
    return (x + shift) - shift;
}

/* Returns 2^k for -1022 <= k <= 1023. */
static inline double trm_power_of_two(int k)
{
    return trm_double_of((uint64_t)(k + 1023) << 52);
}

#endif
