/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Curves in space with a parameter s: a cubic spline through points, or a helix about the z axis (a circle is a
 * helix without rise). Computes derivatives up to the third, and the nearest point of the curve to a given point.
 *
 * A curve also has a reference, a unit vector to which its tangent is never parallel. unit(reference x P') and
 * unit(P' x (reference x P')) are therefore two normals that change smoothly along the curve, and that agree at
 * the start and the end of a closed curve. */

#ifndef TRM_MATH_SPACE_CURVE_H
#define TRM_MATH_SPACE_CURVE_H

#include <stdbool.h>

#include "base/arena.h"
#include "trammel/vecmath.h"

typedef struct trm_space_curve {
    double radius; /* m, of a helix or circle, for which s is the angle from the x axis; 0: a spline */
    double rise;   /* m per radian */
    int count;     /* knots of a spline; a closed curve repeats its first knot at the end */
    bool closed;
    const double *s;   /* m, per knot: sum of the chords up to it */
    const trm_vec3 *P; /* m, per knot: the point */
    const trm_vec3 *M; /* per knot: second derivative */
    trm_vec3 reference;
} trm_space_curve;

typedef struct trm_curve_point {
    trm_vec3 P, d, dd, ddd; /* the point and its derivatives by s; ddd of a spline jumps at knots */
} trm_curve_point;

trm_space_curve trm_helix(double radius, double rise);

/* Builds a spline with two continuous derivatives. An open spline has no curvature at its ends and continues
 * straight beyond them. It copies the points: at least two (three if closed), all finite, no two successive ones
 * equal (nor the last and the first of a closed curve). Returns NULL when out of memory. */
const trm_space_curve *trm_spline_curve(trm_arena *arena, const trm_vec3 *points, int count, bool closed);

trm_curve_point trm_curve_at(const trm_space_curve *curve, double s);

/* Return the parameter of the nearest point: by descent from a given s, or of the whole curve. */
double trm_curve_nearest_from(const trm_space_curve *curve, trm_vec3 x, double s);
double trm_curve_nearest(const trm_space_curve *curve, trm_vec3 x);

/* Returns the knot near which the curve almost stops, as where it reverses its direction. Returns -1 if there is
 * none. */
int trm_curve_stops_at(const trm_space_curve *curve);

#endif
