/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A compiled tree: a branch without loops as flat records, one per elementary motion, for articulated-body dynamics in a few hundred
 * operations per coordinate (Featherstone 2008, chapters 7 and 9).
 *
 * Every joint is a sequence of elementary motions from its frame A to its frame B: a turn about or a shift along one axis, a screw, or
 * a rotation (exp q). Each has a node, whose frame has the axis as its z axis; nodes between the bodies of one joint have no mass.
 * Bodies on fixed joints belong to the node of their parent. All quantities of a node are in its own axes, at its own origin. With E
 * the axes of the node in those of its parent and r its origin there,
 *
 *     (w, v) = (E w_p, E (v_p + w_p x r)) + S qd,        c = (w, v) x S qd
 *
 * Gravity is an acceleration of the ground upwards; other forces come as wrenches on bodies, or along coordinates. */

#ifndef TRM_METHODS_MINIMAL_COMPILED_H
#define TRM_METHODS_MINIMAL_COMPILED_H

#include "methods/spanning/tree.h"

typedef struct trm_compiled trm_compiled;

/* NULL with arena->failed: out of memory. NULL without: the branch has what cannot be compiled (loops, point masses, joints on
 * curves or surfaces, absolute angles, a parent that moves by itself). */
trm_compiled *trm_compiled_create(const trm_tree *tree, const trm_branch *branch, trm_arena *arena);

/* Places all nodes at y and moves them with dy/dt; forgets all wrenches. */
void trm_compiled_move(trm_compiled *c, const double *y, const double *yd);

/* After trm_compiled_move: poses and velocities of the branch's bodies, into the tree. */
void trm_compiled_write(trm_compiled *c, trm_tree *tree);

/* After trm_compiled_write: wrenches on all bodies (torque about the centre of mass, force; world axes), of which the branch takes
 * its own. */
void trm_compiled_push(trm_compiled *c, const trm_spatial *wrench);

/* d2y/dt2 under gravity, the wrenches pushed since the last trm_compiled_move, and tau along the coordinates (NULL: 0). */
void trm_compiled_accelerate(trm_compiled *c, trm_vec3 gravity, const double *tau, double *ydd);

#endif
