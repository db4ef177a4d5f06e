/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Higher order by extrapolation, for any smooth system.
 *
 * A symmetric step S_h of order 2 has an error in even powers of h. The results of n steps of length h/n for the
 * harmonic sequence n = 1, 2, ..., k are values of one polynomial in (h/n)^2, whose value at 0 has order 2k (Gragg
 * 1965; Hairer, Norsett, Wanner II.9):
 *
 *     y = sum over i of w_i y_i,      w_i = product over j != i of  n_i^2 / (n_i^2 - n_j^2)
 *
 *     order 4: (4 y_2 - y_1) / 3      3 steps
 *     order 6: k = 3                  6 steps
 *     order 8: k = 4                 10 steps
 *
 * All steps go forwards in time, so damping is allowed, but energy is not conserved for as long as with composed
 * steps. Positions, velocities and work are combined directly, orientations by their rotation vectors from the
 * finest result. The combination violates the joints by its own error; the caller projects it onto them. */

#ifndef TRM_SIM_EXTRAPOLATE_H
#define TRM_SIM_EXTRAPOLATE_H

#include "motion/state.h"

enum { TRM_MOST_SEQUENCES = 4 };

/* Returns the number k of results for an order; 0: no such order. */
int trm_extrapolation_results(double order);

/* Combines k results at one time: the first k - 1 are in coarse, the finest is in fine, which is overwritten. */
void trm_extrapolate(trm_state *fine, trm_state *const *coarse, int k);

#endif
