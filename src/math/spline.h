/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A function of one variable through given points: piecewise linear, or the natural cubic spline.
 *
 * It interpolates from the first to the last knot, both included. Outside, the end values are held and the
 * derivatives are zero. At an interior knot the linear function has the slope to its right. The cubic one has two
 * continuous derivatives; its second derivative is zero at the ends. */

#ifndef TRM_MATH_SPLINE_H
#define TRM_MATH_SPLINE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/expression.h"

typedef struct trm_spline {
    int count;
    const double *t, *y; /* knots and values */
    const double *m;     /* second derivatives at the knots; all zero if linear */
} trm_spline;

/* Builds the function and copies the points: count >= 2, t strictly increasing, all finite. Returns NULL when out
 * of memory. */
const trm_spline *trm_spline_build(trm_arena *arena, const double *t, const double *y, int count, bool cubic);

trm_jet trm_spline_at(const trm_spline *spline, double t);

#endif
