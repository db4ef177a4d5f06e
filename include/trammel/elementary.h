/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Elementary functions that give the same bits on every processor, with every compiler and C library.
 *
 * The functions of a C library may differ in the last bit from one processor to the next, because the library
 * chooses variants with and without fused multiply-adds at run time. A program that computes a start pose or a
 * drive with these functions gets the same bits everywhere; the library itself calls no others. Every result is
 * within 1 unit in the last place of the exact value.
 *
 * Zeros, infinities and NaN are treated as ISO C, Annex F, requires. errno and floating-point flags are undefined
 * afterwards. sqrt, fabs, floor, remainder and the like are exact in IEEE arithmetic: use those of the C library. */

#ifndef TRAMMEL_ELEMENTARY_H
#define TRAMMEL_ELEMENTARY_H

#include "trammel/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return sine, cosine and tangent of an angle in radians, of any size. */
TRM_API double trm_sin(double x);
TRM_API double trm_cos(double x);
TRM_API double trm_tan(double x);

/* The sine and the cosine of one angle. */
typedef struct trm_sine_cosine {
    double sine, cosine;
} trm_sine_cosine;

/* Returns both at once, bit-identical to trm_sin and trm_cos. */
TRM_API trm_sine_cosine trm_sin_cos(double x);

/* Return an angle in radians, NAN where the function is not defined. */
TRM_API double trm_asin(double x);
TRM_API double trm_acos(double x);
TRM_API double trm_atan(double x);
/* Returns the angle of the point (x, y) in radians, in [-pi, pi]. */
TRM_API double trm_atan2(double y, double x);

/* Returns e^x. */
TRM_API double trm_exp(double x);
/* Returns e^x - 1 without cancellation. */
TRM_API double trm_expm1(double x);
/* Return the natural and the decimal logarithm. */
TRM_API double trm_log(double x);
TRM_API double trm_log10(double x);
/* Returns log(1 + x), natural, without cancellation. */
TRM_API double trm_log1p(double x);
/* Returns x^y. */
TRM_API double trm_pow(double x, double y);

/* Return the hyperbolic functions. */
TRM_API double trm_sinh(double x);
TRM_API double trm_cosh(double x);
TRM_API double trm_tanh(double x);

/* Returns sqrt(x^2 + y^2) without overflow. */
TRM_API double trm_hypot(double x, double y);
/* Returns the cube root. */
TRM_API double trm_cbrt(double x);

#ifdef __cplusplus
}
#endif

#endif
