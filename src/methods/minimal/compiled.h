/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A compiled tree: a branch, its loops cut, as flat records, one per elementary motion, for articulated-body dynamics in a few hundred
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

/* NULL with arena->failed: out of memory. NULL without: the branch has what cannot be compiled (point masses, joints on curves or
 * surfaces, absolute angles, what moves as prescribed). */
trm_compiled *trm_compiled_create(const trm_tree *tree, const trm_branch *branch, trm_arena *arena);

/* Places all nodes at y and moves them with dy/dt; forgets all wrenches. Or one after the other. y and yd must stay where they are. */
void trm_compiled_move(trm_compiled *c, const double *y, const double *yd);
void trm_compiled_place(trm_compiled *c, const double *y);
void trm_compiled_twist(trm_compiled *c, const double *yd);

/* Poses of the branch's bodies into the tree; or poses, unless they are there already, and velocities. */
void trm_compiled_pose(trm_compiled *c, trm_tree *tree);
void trm_compiled_write(trm_compiled *c, trm_tree *tree, bool placed);

/* After trm_compiled_write: wrenches on all bodies (torque about the centre of mass, force; world axes), of which the branch takes
 * its own. */
void trm_compiled_push(trm_compiled *c, const trm_spatial *wrench);

/* d2y/dt2 under gravity, the wrenches pushed since the last trm_compiled_move, and tau along the coordinates (NULL: 0). */
void trm_compiled_accelerate(trm_compiled *c, trm_vec3 gravity, const double *tau, double *ydd);

/* After that and trm_compiled_write: acceleration of the body of a link of the branch, counted from its first (alpha, and that of the
 * centre of mass; world axes). */
trm_spatial trm_compiled_acceleration(const trm_compiled *c, int link, trm_vec3 gravity);

/* ---- compiled_response.c, of branches with loops; coordinates are counted from the branch's first ------------------------- */

/* After trm_compiled_pose: of `count` wrenches on the body of a link (torque about the centre of mass, force; world axes) what each
 * is along all coordinates between it and the root, added to rows of as many numbers as the branch has coordinates, at most
 * TRM_JOINT_ROWS. */
void trm_compiled_project(const trm_compiled *c, int link, const trm_spatial *F, int count, double *rows);

/* Articulated inertias at the present places, as trm_compiled_accelerate leaves them. False: some coordinate moves no mass. */
bool trm_compiled_articulate(trm_compiled *c);
/* Then a = M^-1 tau; and the diagonal of M^-1. */
void trm_compiled_respond(trm_compiled *c, const double *tau, double *a);
void trm_compiled_diagonal(trm_compiled *c, double *diagonal);

#endif
