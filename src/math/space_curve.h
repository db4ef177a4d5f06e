/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Curves in space by a parameter s: a cubic spline through points, or a helix about the z axis, of which a circle is
 * the one that does not rise. Derivatives up to the third, and the point of the curve that is nearest to a given one.
 *
 * A curve also has a reference, a unit vector to which its tangent is never parallel, so that unit(reference x P') and
 * unit(P' x (reference x P')) are two normals of it that change smoothly along it, and are the same again where a
 * closed one comes back to its start. */

#ifndef TRM_MATH_SPACE_CURVE_H
#define TRM_MATH_SPACE_CURVE_H

#include <stdbool.h>

#include "base/arena.h"
#include "trammel/vecmath.h"

typedef struct trm_space_curve {
    double radius; /* m, of a helix or circle, whose s is the angle from the x axis; 0: a spline */
    double rise;   /* m per radian */
    int count;     /* knots of a spline, the first one of a closed curve again at its end */
    bool closed;
    const double *s;   /* at the knots: the sum of the chords up to there, m */
    const trm_vec3 *P; /* the points */
    const trm_vec3 *M; /* second derivatives there */
    trm_vec3 reference;
} trm_space_curve;

typedef struct trm_curve_point {
    trm_vec3 P, d, dd, ddd; /* the point, and its derivatives by s; ddd of a spline jumps at knots */
} trm_curve_point;

trm_space_curve trm_helix(double radius, double rise);

/* Two continuous derivatives. An open spline has no curvature at its ends and goes on straight beyond them. Copies the
 * points: at least two, three of a closed one, no two in succession the same (nor the last and the first of a closed
 * one), all finite. NULL: out of memory. */
const trm_space_curve *trm_spline_curve(trm_arena *arena, const trm_vec3 *points, int count, bool closed);

trm_curve_point trm_curve_at(const trm_space_curve *curve, double s);

/* The parameter of the nearest point: near a given one, by descent, or of all. */
double trm_curve_nearest_from(const trm_space_curve *curve, trm_vec3 x, double s);
double trm_curve_nearest(const trm_space_curve *curve, trm_vec3 x);

/* The knot near which the curve all but stops, as it does where it turns back on itself; -1: nowhere. */
int trm_curve_stops_at(const trm_space_curve *curve);

#endif
