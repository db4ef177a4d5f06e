/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A compiled tree: a branch with its loops cut, stored as flat records, one per elementary motion, for
 * articulated-body dynamics in a few hundred operations per coordinate (Featherstone 2008, chapters 7 and 9).
 *
 * Every joint is a sequence of elementary motions from its frame A to its frame B: a rotation about or a
 * translation along one axis, a screw, or a rotation exp q. Each motion has a node, whose z axis is the axis of
 * the motion. Nodes between the bodies of one joint have no mass. Bodies on fixed joints belong to the node of
 * their parent. All quantities of a node are in its own axes, at its own origin. With E the axes of the node in
 * those of its parent and r its origin there,
 *
 *     (w, v) = (E w_p, E (v_p + w_p x r)) + S qd,        c = (w, v) x S qd
 *
 * Gravity is treated as an upward acceleration of the ground. Other forces are wrenches on bodies, or forces along
 * coordinates. */

#ifndef TRM_METHODS_MINIMAL_COMPILED_H
#define TRM_METHODS_MINIMAL_COMPILED_H

#include "methods/spanning/tree.h"

typedef struct trm_compiled trm_compiled;

/* Compiles a branch. Returns NULL with arena->failed set when out of memory, or NULL without it if the branch
 * cannot be compiled because it has point masses, joints on curves or surfaces, absolute angles, or prescribed
 * motions. */
trm_compiled *trm_compiled_create(const trm_tree *tree, const trm_branch *branch, trm_arena *arena);

/* Returns whether gravity accelerates all bodies of a branch alike. */
bool trm_branch_falls_freely(const trm_tree *tree, const trm_branch *branch);

/* trm_compiled_move places all nodes at y, computes their twists from dy/dt, and clears all wrenches. The other
 * two functions do this in two parts. y and yd must remain valid: the tree keeps the pointers. */
void trm_compiled_move(trm_compiled *c, const double *y, const double *yd);
void trm_compiled_place(trm_compiled *c, const double *y);
void trm_compiled_twist(trm_compiled *c, const double *yd);

/* trm_compiled_pose writes the poses of the branch's bodies into the tree. trm_compiled_write writes velocities,
 * and poses too unless `placed`. */
void trm_compiled_pose(trm_compiled *c, trm_tree *tree);
void trm_compiled_write(trm_compiled *c, trm_tree *tree, bool placed);

/* Applies the wrenches of the branch's own bodies (torque about the centre of mass, force; world axes). `wrench`
 * is indexed by body of the model. Call trm_compiled_write before. */
void trm_compiled_apply_wrenches(trm_compiled *c, const trm_spatial *wrench);

/* Computes d2y/dt2 under gravity, the wrenches applied since the last trm_compiled_move, and tau along the
 * coordinates (NULL: 0). */
void trm_compiled_accelerate(trm_compiled *c, trm_vec3 gravity, const double *tau, double *ydd);

/* Returns the acceleration of the body of a link, counted from the first link of the branch: alpha, and the
 * acceleration of the centre of mass; world axes. Call trm_compiled_accelerate and trm_compiled_write before. */
trm_spatial trm_compiled_acceleration(const trm_compiled *c, int link, trm_vec3 gravity);

/* ---- compiled_inverse.c: call trm_compiled_move before ---- */

/* Computes the forces tau along the coordinates that produce d2y/dt2 (NULL: 0) under gravity and the wrenches applied
 * since the last trm_compiled_move. */
void trm_compiled_inverse(trm_compiled *c, trm_vec3 gravity, const double *ydd, double *tau);
/* Computes the mass matrix of the branch into M, which must be 0 before. Rows of M are n doubles apart. */
void trm_compiled_mass(trm_compiled *c, double *M, int n);

/* ---- compiled_response.c: branches with loops; coordinates are counted from the branch's first ---- */

/* Projects `count` wrenches (at most TRM_JOINT_ROWS) on the body of a link onto all coordinates between it and the
 * root, and adds the results to `rows`, each as long as the branch has coordinates. Wrenches are torque about the
 * centre of mass and force, in world axes. Call trm_compiled_pose before. */
void trm_compiled_project(const trm_compiled *c, int link, const trm_spatial *F, int count, double *rows);

/* Computes the articulated inertias at the current pose, as trm_compiled_accelerate does. Returns false if some
 * coordinate moves no mass. */
bool trm_compiled_articulate(trm_compiled *c);
/* After trm_compiled_articulate: a = M^-1 tau, and the diagonal of M^-1. */
void trm_compiled_respond(trm_compiled *c, const double *tau, double *a);
void trm_compiled_diagonal(trm_compiled *c, double *diagonal);

#endif
