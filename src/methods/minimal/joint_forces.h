/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the forces in the joints of a tree from the forces along its coordinates.
 *
 * Cut joints, by (7) of Schirm, Blajer, Schiehlen 1993: the multipliers of M d2y/dt2 + k - q = G^T l, the shortest
 * where rows are redundant. With these as wrenches on their bodies, Newton-Euler gives the wrench of each link on
 * its body. It is a combination of the rows of the link's joint: F = J^T l. */

#ifndef TRM_METHODS_MINIMAL_JOINT_FORCES_H
#define TRM_METHODS_MINIMAL_JOINT_FORCES_H

#include "methods/minimal/loop.h"

/* Computes the shortest l that minimises |right - G^T l|, with G of the loop. `right` (n numbers) becomes the
 * residual. Returns false when out of memory. */
bool trm_cut_multipliers(const trm_loop *loop, double *right, double *lambda, trm_arena *scratch);

/* Copies the multipliers of a loop's rows to those of all rows, and adds their wrenches on bodies to `wrench`. */
void trm_cut_forces(const trm_loop *loop, const trm_tree *tree, const double *memory, const double *lambda,
                    double *reaction, trm_spatial *wrench);

/* Computes the multipliers of a link's joint from the wrench that trm_dynamics_load has found for the link. */
void trm_link_forces(const trm_link *link, const trm_tree *tree, const trm_dynamics *d, const double *memory,
                     double *reaction);

#endif
