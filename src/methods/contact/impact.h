/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Impacts as impulses in velocities: nothing moves while they last.
 *
 * At a point where two bodies touch, u = (u_n, u_1, u_2) is the velocity of the first relative to the second along the
 * normal, which points from the second to the first, and along two tangents; u_n < 0: they approach. An impulse
 * p = (p_n, p_1, p_2) on the first changes it by W p, W symmetric and not negative: the answer of the whole machine. */

#ifndef TRM_METHODS_CONTACT_IMPACT_H
#define TRM_METHODS_CONTACT_IMPACT_H

#include "base/arena.h"

/* When an impact ends: p_n = (1 + e) of that at the end of compression, or work given back = e^2 of that of compression. */
typedef enum trm_impact_law { TRM_POISSON, TRM_STRONGE } trm_impact_law;

typedef struct trm_impact {
    double friction, restitution;
    trm_impact_law law;
    bool
        sliding; /* it is entered for a sliding contact that cannot be held (Painleve): u_n = 0 is no reason to do nothing */
} trm_impact;

/* One point, by integration over the normal impulse with Coulomb's friction (Routh, Keller). u before in, after out, u_n >= 0 and
 * energy not more than before; p: the impulse, zero where nothing approaches. Exact in a plane, for balls and wherever slip keeps
 * its direction, else to some 1e-10. False: no impulse separates the two, or only one so large that rounding takes over (what
 * jams), or u or W is not finite; u and p are as they were. */
bool trm_impact_of_one(const trm_impact *impact, const double W[3][3], double u[3], double p[3]);

/* Points that are struck together. */
typedef struct trm_impact_points {
    const trm_impact *impacts; /* per point */
    int count;
    const double *W; /* 3 count x 3 count, row after row */
    double noise;    /* m/s: velocities before are off by up to this, and velocities after need not be closer */
} trm_impact_points;

/* Several points at once, two phases of Poisson, each a problem of complementarity in round cones:
 *     compression    p_n >= 0, u_n >= 0, p_n u_n = 0
 *     restitution    p_n >= (1 + e) of compression's and u_n >= 0
 * and |p_t| <= mu p_n opposite to slip at the end of each; the law is Poisson's and `sliding` is not looked at. W is singular
 * where points are redundant: u is what it must be, and p is spread over them. Differs from the above where slip stops or turns
 * during the impact. guarded: set where all e had to be scaled down by one factor for energy not to grow. Where points wedge what
 * they hold there may be no answer, and what is nearest to one is given, some approaching still; energy does not grow even so.
 * What is taken from the arena is given back. False: out of memory; u and p are as they were. */
bool trm_impact_together(const trm_impact_points *points, double *u, double *p, trm_arena *arena, bool *guarded);

#endif
