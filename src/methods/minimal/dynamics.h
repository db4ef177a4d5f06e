/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Dynamics of a tree:  M(y) d2y/dt2 + k(y, dy/dt) = q,  the forces along its coordinates being those of wrenches on its bodies. */

#ifndef TRM_METHODS_MINIMAL_DYNAMICS_H
#define TRM_METHODS_MINIMAL_DYNAMICS_H

#include "methods/spanning/tree.h"

/* Symmetric 6 x 6: a wrench (torque, force) of a twist's rate (ang, lin); [aa al; al^T ll]. */
typedef struct trm_inertia6 {
    trm_mat3 aa, al, ll;
} trm_inertia6;

/* Room for one tree. */
typedef struct trm_dynamics {
    trm_inertia6 *inertia; /* per link: of its body and all that hangs on it */
    trm_spatial *force;    /* per body */
    struct trm_articulation *articulation;
} trm_dynamics;

trm_dynamics *trm_dynamics_create(const trm_tree *tree, trm_arena *arena); /* NULL: out of memory */

/* M of a branch, its rows and columns counted from the branch's first coordinate, rows n numbers apart: composite bodies. */
void trm_dynamics_mass(trm_dynamics *d, const trm_tree *tree, const trm_branch *branch, double *M, int n);

/* M d2y/dt2 + k - q of a branch's coordinates, at the tree's velocities and d2y/dt2 (NULL: 0): Newton-Euler, inwards. What each link
 * gives to its body is then in force[body]: torque about the centre of mass, force. */
void trm_dynamics_load(trm_dynamics *d, trm_tree *tree, const trm_branch *branch, const double *ydd,
                       const trm_spatial *wrench, double *load);

/* d2y/dt2 of a branch without loops under these wrenches and the forces tau along the coordinates between bodies (NULL: 0), in a time
 * that grows with its links: articulated bodies (Featherstone). */
void trm_dynamics_articulate(trm_dynamics *d, trm_tree *tree, const trm_branch *branch, const trm_spatial *wrench,
                             const double *tau, double *ydd);

#endif
