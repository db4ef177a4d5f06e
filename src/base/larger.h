/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The larger of two numbers, where NaN is larger than all numbers. Unlike fmax, it does not lose a NaN among many
 * residuals. */

#ifndef TRM_BASE_LARGER_H
#define TRM_BASE_LARGER_H

#include <math.h>

static inline double trm_larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

#endif
