/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The friction cone |t| <= mu n of vectors (n, t1, t2): projection onto it, and the derivative of the projection.
 *
 *     |t| <= mu n       inside: unchanged
 *     n <= -mu |t|      in the polar cone: 0
 *     else              on the mantle: tau (1, mu t/|t|),  tau = (n + mu |t|) / (1 + mu^2)
 *
 * The same for the disc |t| <= r of vectors (t1, t2); with t2 = 0 it is the interval of one row. */

#ifndef TRM_METHODS_CONTACT_CONE_H
#define TRM_METHODS_CONTACT_CONE_H

#include <math.h>

typedef enum trm_cone_place { TRM_CONE_OPEN, TRM_CONE_INSIDE, TRM_CONE_MANTLE } trm_cone_place;

static inline trm_cone_place trm_cone_project(double mu, const double y[3], double p[3])
{
    const double t = sqrt(y[1] * y[1] + y[2] * y[2]);
    if (y[0] >= 0 && t <= mu * y[0]) {
        p[0] = y[0], p[1] = y[1], p[2] = y[2];
        return TRM_CONE_INSIDE;
    }
    const double tau = (y[0] + mu * t) / (1 + mu * mu), s = tau > 0 && t > 0 ? mu * tau / t : 0;
    p[0] = tau > 0 ? tau : 0, p[1] = s * y[1], p[2] = s * y[2];
    return tau > 0 ? TRM_CONE_MANTLE : TRM_CONE_OPEN;
}

/* Computes dp/dy, which is symmetric with eigenvalues between 0 and 1. On the mantle, with the unit direction m = (1,
 * mu t^)/sqrt(1 + mu^2), it is m m^T plus mu tau/|t| across the direction t^ in the tangential plane. */
static inline void trm_cone_slope(double mu, const double y[3], trm_cone_place place, double P[3][3])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) P[r][c] = place == TRM_CONE_INSIDE && r == c;
    if (place != TRM_CONE_MANTLE) return;
    const double t = sqrt(y[1] * y[1] + y[2] * y[2]), share = 1 / (1 + mu * mu);
    const double d[2] = {t > 0 ? y[1] / t : 1, t > 0 ? y[2] / t : 0}, across[2] = {-d[1], d[0]};
    const double turn = t > 0 ? mu * share * (y[0] + mu * t) / t : 0;
    P[0][0] = share;
    for (int r = 0; r < 2; r++) {
        P[0][r + 1] = P[r + 1][0] = share * mu * d[r];
        for (int c = 0; c < 2; c++) P[r + 1][c + 1] = share * mu * mu * d[r] * d[c] + turn * across[r] * across[c];
    }
}

/* Projects onto a disc. The place is "open" for a disc of radius 0 and "mantle" on its rim. */
static inline trm_cone_place trm_disc_project(double radius, const double y[2], double p[2])
{
    const double t = sqrt(y[0] * y[0] + y[1] * y[1]), share = t <= radius ? 1 : radius / t;
    for (int r = 0; r < 2; r++) p[r] = share * y[r];
    return !(radius > 0) ? TRM_CONE_OPEN : share == 1 ? TRM_CONE_INSIDE : TRM_CONE_MANTLE;
}

/* Computes dp/dy: on the rim it is r/|t| across the direction of t. */
static inline void trm_disc_slope(double radius, const double y[2], trm_cone_place place, double P[2][2])
{
    const double tt = y[0] * y[0] + y[1] * y[1], across[2] = {-y[1], y[0]};
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++)
            P[r][c] = place == TRM_CONE_INSIDE   ? r == c
                      : place == TRM_CONE_MANTLE ? radius / (tt * sqrt(tt)) * across[r] * across[c]
                                                 : 0;
}

#endif
