/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The larger of two numbers, where NaN is larger than all: the largest of many residuals is not lost to fmax. */

#ifndef TRM_BASE_LARGER_H
#define TRM_BASE_LARGER_H

#include <math.h>

static inline double trm_larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

#endif
