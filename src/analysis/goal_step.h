/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Goals, loops and limits of a machine in joint coordinates, and the step towards the goals.
 *
 * With y the coordinates of a spanning tree (methods/spanning/tree.h) that goals depend on, scaled so that 1 is a radian or the reach L of
 * the machine:
 *
 *     r(y)   what goals lack: (p_goal - p)/L, and the rotation vector of R_goal R^T
 *     phi(y) rows of joints that close loops, gears and couplings, and of coordinates that are held
 *     c(y)   rows of limits and ropes, c <= 0
 *
 * The gradient of |r|^2/2 is exactly -J^T r, J the Jacobian of the frames: a rotation vector is along its own axis. A step d solves
 *
 *     minimise  |J d - r|^2/2 + mu |d|^2/2   with   G d = -phi,   A d <= -c
 *
 * by d = d_0 + S z (linalg/null_space.h) and the complementarity problem of the active limits (linalg/lcp.h). Without goals it is the
 * shortest way to a pose that joints and limits allow. */

#ifndef TRM_ANALYSIS_GOAL_STEP_H
#define TRM_ANALYSIS_GOAL_STEP_H

#include "linalg/null_space.h"
#include "methods/spanning/tree.h"
#include "trammel/analysis.h"

typedef struct trm_goal_problem {
    trm_arena arena, scratch;
    const trm_model *model;
    trm_state *state; /* its own: poses and memory at the present y */
    trm_tree *tree;
    const trm_goal *goals;
    int goal_count;
    double reach; /* m: L */

    int n;                 /* coordinates that goals depend on */
    int *coordinate;       /* n: of the tree */
    int *column;           /* per coordinate of the tree: of the n; -1: it stays */
    double *unit;          /* n: rad or m per unit of y */
    double *y, *room;      /* of the tree, all: the present coordinates; room for as many */
    double *start, *tried; /* likewise: y at the start; a step that is tried */
    double *memory;        /* of the joints at the start */

    int r_count, phi_count, c_count;
    double *r, *phi, *c;
    double *J, *G, *A; /* rows of n */
    int *closing;      /* joints whose rows are phi, */
    int closing_count;
    int *held; /* joints out of the tree that are held, by rows too, */
    int held_count;
    double *held_at; /* where, TRM_JOINT_COORDINATES each, */
    int *bounds;     /* and joints whose rows are c */

    trm_null_space *null;
    double *d, *d0, *z, *right; /* n each, but right: the most of n and rows */
    double *H;                  /* n x n */
} trm_goal_problem;

/* At a state, which is copied. False: out of memory. Freed either way. */
bool trm_goal_problem_create(trm_goal_problem *p, const trm_state *state, const trm_goal *goals, int goal_count,
                             const trm_inverse_kinematics_def *def, const trm_allocator *allocator);
void trm_goal_problem_destroy(trm_goal_problem *p);

/* Poses at y of the tree; turns are those of y. anew: those of other joints begin as they were at the start. */
void trm_goal_place(trm_goal_problem *p, const double *y, bool anew);
/* r, phi, c at the present pose; then their rows. */
void trm_goal_residuals(trm_goal_problem *p);
void trm_goal_rows(trm_goal_problem *p);
/* The largest of |phi| and of c that is forbidden, in units of y. */
double trm_goal_open(const trm_goal_problem *p);

/* The step, into p->d; towards goals, or without them. False: out of memory. */
bool trm_goal_find_step(trm_goal_problem *p, bool goals, double mu);

#endif
