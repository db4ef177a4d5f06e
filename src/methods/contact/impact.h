/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Impacts as impulses that change velocities at constant poses.
 *
 * At a contact point of two bodies, u = (u_n, u_1, u_2) is the velocity of the first relative to the second along
 * the normal, which points from the second to the first, and along two tangents. u_n < 0 means that they approach.
 * An impulse p = (p_n, p_1, p_2) on the first changes u by W p. W is the response of the whole machine, symmetric
 * and positive semidefinite. */

#ifndef TRM_METHODS_CONTACT_IMPACT_H
#define TRM_METHODS_CONTACT_IMPACT_H

#include "base/arena.h"

/* The end of an impact: p_n is (1 + e) times that at the end of compression (Poisson), or the returned work is e^2
 * times that of compression (Stronge). */
typedef enum trm_impact_law { TRM_POISSON, TRM_STRONGE } trm_impact_law;

typedef struct trm_impact {
    double friction, restitution;
    trm_impact_law law;
    bool sliding; /* a sliding contact that no force can keep closed (Painleve): it has an impact even if u_n = 0 */
} trm_impact;

/* Computes the impact of one point, by integration over the normal impulse with Coulomb friction (Routh, Keller). u
 * is the velocity before the impact on entry and after it on return, with u_n >= 0 and no more energy than before. p
 * is the impulse, zero if nothing approaches. The result is exact in a plane, for balls and wherever slip keeps its
 * direction, otherwise accurate to about 1e-10. Returns false if no impulse separates the bodies, or only one so
 * large that rounding dominates (jamming), or if u or W is not finite; u and p then keep their values. */
bool trm_impact_of_one(const trm_impact *impact, const double W[3][3], double u[3], double p[3]);

/* Points with an impact at the same instant. */
typedef struct trm_impact_points {
    const trm_impact *impacts; /* per point */
    int count;
    const double *W; /* 3 count x 3 count, by rows */
    double noise;    /* m/s: uncertainty of the velocities before, and accepted error of those after */
} trm_impact_points;

/* Computes the impacts of several points at once, in the two phases of Poisson. Each phase is a complementarity
 * problem in round cones:
 *
 *     compression    p_n >= 0, u_n >= 0, p_n u_n = 0
 *     restitution    p_n >= (1 + e) of compression's and u_n >= 0
 *
 * with |p_t| <= mu p_n opposite to the slip at the end of each phase. The law is always Poisson's, and `sliding` is
 * ignored. W is singular if points are redundant: u is still unique, and p is spread over the points. The result
 * differs from that of trm_impact_of_one where slip stops or turns during the impact. guarded is set if all e had to
 * be scaled down by one factor so that energy does not grow. Where points wedge a body there may be no solution. Then
 * the result is the nearest approximation, in which some points still approach; its energy does not grow either.
 * Memory from the arena is released. Returns false if out of memory; u and p then keep their values. */
bool trm_impact_together(const trm_impact_points *points, double *u, double *p, trm_arena *arena, bool *guarded);

#endif
