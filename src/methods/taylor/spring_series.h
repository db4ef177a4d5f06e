/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The power series of a spring's force, term by term from that of the vector D between its ends.
 *
 *     L^2 = D . D,   e L = D,   F = stiffness (L - rest) + damping L',   pulls its ends together by F e
 *
 * Coefficients are divided by k!, so those of a product are sums of products; L_k and e_k follow from the earlier
 * ones. Without rest length and damping F e = stiffness D for any length. */

#ifndef TRM_METHODS_TAYLOR_SPRING_SERIES_H
#define TRM_METHODS_TAYLOR_SPRING_SERIES_H

#include "model/model.h"

enum { TRM_TAYLOR_MOST = 20, TRM_TAYLOR_TERMS = TRM_TAYLOR_MOST + 2 };

typedef struct trm_spring_series {
    const trm_force *force;
    trm_vec3 D[TRM_TAYLOR_TERMS], e[TRM_TAYLOR_TERMS];
    double L[TRM_TAYLOR_TERMS];
} trm_spring_series;

/* Adds D_k; all earlier coefficients must have been added. */
void trm_spring_series_add(trm_spring_series *s, int k, trm_vec3 D);

/* Returns whether the force has a series. A spring of length zero has no direction; only a spring without rest
 * length and damping does not need one. */
bool trm_spring_series_exists(const trm_spring_series *s);

/* Returns coefficient k of the force that pushes the ends apart; D_(k+1) must have been added. */
trm_vec3 trm_spring_series_force(const trm_spring_series *s, int k);

/* Returns the work of the damper during h, J (negative), with terms to one order less than that of D. */
double trm_spring_series_work(const trm_spring_series *s, int order, double h);

#endif
