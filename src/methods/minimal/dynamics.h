/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Dynamics of a tree:  M(y) d2y/dt2 + k(y, dy/dt) = q,  with q the projection of the wrenches on its bodies. */

#ifndef TRM_METHODS_MINIMAL_DYNAMICS_H
#define TRM_METHODS_MINIMAL_DYNAMICS_H

#include "methods/spanning/tree.h"

/* Symmetric 6 x 6 matrix [aa al; al^T ll] that maps the rate of a twist (ang, lin) to a wrench (torque, force). */
typedef struct trm_inertia6 {
    trm_mat3 aa, al, ll;
} trm_inertia6;

/* Workspace for one tree. */
typedef struct trm_dynamics {
    trm_inertia6 *inertia; /* per link: inertia of its body and of all its descendants */
    trm_spatial *force;    /* per body */
    struct trm_articulation *articulation;
} trm_dynamics;

trm_dynamics *trm_dynamics_create(const trm_tree *tree, trm_arena *arena); /* NULL: out of memory */

/* Computes M of a branch by composite bodies. Rows and columns are counted from the first coordinate of the
 * branch; rows are n numbers apart. */
void trm_dynamics_mass(trm_dynamics *d, const trm_tree *tree, const trm_branch *branch, double *M, int n);

/* Computes M d2y/dt2 + k - q of a branch's coordinates, at the tree's velocities and d2y/dt2 (NULL: 0), by the
 * inward Newton-Euler recursion. force[body] is then the wrench of each link on its body: torque about the centre
 * of mass, force. */
void trm_dynamics_load(trm_dynamics *d, trm_tree *tree, const trm_branch *branch, const double *ydd,
                       const trm_spatial *wrench, double *load);

/* Computes d2y/dt2 of a branch without loops by articulated bodies (Featherstone), in time linear in the number of
 * links. `wrench` acts on the bodies, tau along the coordinates between bodies (NULL: 0). */
void trm_dynamics_articulate(trm_dynamics *d, trm_tree *tree, const trm_branch *branch, const trm_spatial *wrench,
                             const double *tau, double *ydd);

#endif
