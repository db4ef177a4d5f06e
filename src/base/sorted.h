/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Search in increasing numbers. */

#ifndef TRM_BASE_SORTED_H
#define TRM_BASE_SORTED_H

#include <stddef.h>

/* Returns the last of count >= 2 numbers, x[0], x[stride], x[2 stride], ..., that is at most `at` and has one after
 * it; 0 if `at` is below all. */
static inline size_t trm_interval_of(const double *x, size_t stride, size_t count, double at)
{
    size_t low = 0, high = count - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(x[middle * stride] <= at ? &low : &high) = middle;
    }
    return low;
}

#endif
