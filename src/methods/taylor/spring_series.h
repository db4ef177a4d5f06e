/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The power series of a spring's force, from that of the way D between its ends, term by term.
 *
 *     L^2 = D . D,   e L = D,   F = stiffness (L - rest) + damping L',   pulls its ends together by F e
 *
 * Coefficients are divided by k!: a product's are sums of products, L_k and e_k follow from those before. Without rest and
 * damping F e = stiffness D, whatever the length. */

#ifndef TRM_METHODS_TAYLOR_SPRING_SERIES_H
#define TRM_METHODS_TAYLOR_SPRING_SERIES_H

#include "model/model.h"

enum { TRM_TAYLOR_MOST = 20, TRM_TAYLOR_TERMS = TRM_TAYLOR_MOST + 2 };

typedef struct trm_spring_series {
    const trm_force *force;
    trm_vec3 D[TRM_TAYLOR_TERMS], e[TRM_TAYLOR_TERMS];
    double L[TRM_TAYLOR_TERMS];
} trm_spring_series;

/* Takes D_k; all before have been given. */
void trm_spring_series_add(trm_spring_series *s, int k, trm_vec3 D);

/* Without a length a spring has no direction; only one without rest and damping needs none. */
bool trm_spring_series_holds(const trm_spring_series *s);

/* The coefficient k of the force that pushes the ends apart; D_(k+1) has been given. */
trm_vec3 trm_spring_series_force(const trm_spring_series *s, int k);

/* What its damper puts in during h, J: negative; terms to the order that D has been given to, less one. */
double trm_spring_series_work(const trm_spring_series *s, int order, double h);

#endif
