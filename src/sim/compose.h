/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Higher order by composition: a symmetric step S_h of order 2 gives S_(g1 h) S_(g2 h) ... S_(gn h) of order p when
 * the g are palindromic and chosen so that the error terms up to p cancel (Yoshida 1990; Suzuki 1990; Kahan, Li
 * 1997).
 *
 * Some stages go backwards in time. Constraints, springs, gravity and prescribed motion can be composed. Damping,
 * and forces of the caller that depend on velocities, cannot: they do not run backwards. */

#ifndef TRM_SIM_COMPOSE_H
#define TRM_SIM_COMPOSE_H

typedef struct trm_composition {
    int stages;
    double g[15]; /* their sum is 1 */
} trm_composition;

/* Returns the composition of order 2, 4, 6 or 8; it has 0 stages for any other order. */
trm_composition trm_composition_of(double order);

#endif
