/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* From forces along the coordinates of a tree to those in its joints.
 *
 * In cut joints, by (7) of Schirm, Blajer, Schiehlen 1993: the multipliers of M d2y/dt2 + k - q = G^T l, the shortest where rows depend
 * on each other. With these as wrenches on their bodies, what each link gives to its body follows by Newton-Euler, and is a sum of the
 * rows of its joint: F = J^T l. */

#ifndef TRM_METHODS_MINIMAL_JOINT_FORCES_H
#define TRM_METHODS_MINIMAL_JOINT_FORCES_H

#include "methods/minimal/loop.h"

/* The shortest l of those for which |right - G^T l| is least, G as the loop has it; right, of its n numbers, becomes what is left. False:
 * out of memory. */
bool trm_cut_multipliers(const trm_loop *loop, double *right, double *lambda, trm_arena *scratch);

/* Multipliers of a loop's rows into those of all rows, and what they do to bodies added to wrenches. */
void trm_cut_forces(const trm_loop *loop, const trm_tree *tree, const double *memory, const double *lambda,
                    double *reaction, trm_spatial *wrench);

/* Multipliers of the joint that a body hangs by, of what trm_dynamics_load has found the link to give. */
void trm_link_forces(const trm_link *link, const trm_tree *tree, const trm_dynamics *d, const double *memory,
                     double *reaction);

#endif
