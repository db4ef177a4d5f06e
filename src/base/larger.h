/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The larger of two numbers. For trm_larger NaN is larger than all numbers, so that it is not lost among many
 * residuals. trm_fmax ignores NaN like fmax, which compilers do not expand inline. */

#ifndef TRM_BASE_LARGER_H
#define TRM_BASE_LARGER_H

#include <math.h>

static inline double trm_larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static inline double trm_fmax(double a, double b)
{
    return a > b || isnan(b) ? a : b;
}

#endif
