/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Goals, loops and limits of a machine in joint coordinates, and the step towards the goals.
 *
 * Let y be the coordinates of a spanning tree (methods/spanning/tree.h) on which the goals depend, scaled so that
 * 1 is a radian or the reach L of the machine:
 *
 *     r(y)   errors of the goals: (p_goal - p)/L, and the rotation vector of R_goal R^T
 *     phi(y) rows of joints that close loops, of gears and couplings, and of coordinates that are kept fixed
 *     c(y)   rows of limits and ropes, c <= 0
 *
 * The gradient of |r|^2/2 is exactly -J^T r, with J the Jacobian of the frames, because a rotation vector is
 * parallel to its own axis. A step d solves
 *
 *     minimise  |J d - r|^2/2 + mu |d|^2/2   with   G d = -phi,   A d <= -c
 *
 * by d = d_0 + S z (linalg/null_space.h) and the complementarity problem of the active limits (linalg/lcp.h).
 * Without goals the step is the shortest one to a pose that joints and limits allow. */

#ifndef TRM_ANALYSIS_GOAL_STEP_H
#define TRM_ANALYSIS_GOAL_STEP_H

#include "linalg/null_space.h"
#include "methods/spanning/tree.h"
#include "trammel/analysis.h"

/* The joints whose rows a step keeps. */
typedef struct trm_goal_joints {
    int *closing; /* joints whose rows are phi */
    int closing_count;
    int *held; /* joints outside the tree that are kept fixed by rows */
    int held_count;
    double *held_at; /* their coordinates, TRM_JOINT_COORDINATES each */
    int *bounds;     /* joints whose rows are c */
} trm_goal_joints;

/* A step, and workspace to find it. */
typedef struct trm_goal_direction {
    trm_null_space *null;
    double *d;     /* n */
    double *d0;    /* n */
    double *z;     /* n */
    double *right; /* the larger of n and the number of rows */
    double *H;     /* n x n */
} trm_goal_direction;

typedef struct trm_goal_problem {
    trm_arena arena, scratch;
    const trm_model *model;
    trm_state *state; /* own copy: poses and joint memory at the current y */
    trm_tree *tree;
    const trm_goal *goals;
    int goal_count;
    double reach; /* m: L */

    int n;                 /* coordinates on which goals depend */
    int *coordinate;       /* n: index among the tree's coordinates */
    int *column;           /* per coordinate of the tree: index among the n; -1: fixed */
    double *unit;          /* n: rad or m per unit of y */
    double *y, *room;      /* all coordinates of the tree; scratch of the same size */
    double *start, *tried; /* of the same size: y at the start; y of the step being tried */
    double *memory;        /* joint memory at the start */

    int r_count, phi_count, c_count;
    double *r, *phi, *c;
    double *J, *G, *A; /* Jacobians of r, phi, c, with rows of n numbers */
    trm_goal_joints joints;

    trm_goal_direction step;
} trm_goal_problem;

/* Creates the problem at a copy of the state. Returns false when out of memory. Call trm_goal_problem_destroy in
 * either case. */
bool trm_goal_problem_create(trm_goal_problem *p, const trm_state *state, const trm_goal *goals, int goal_count,
                             const trm_inverse_kinematics_def *def, const trm_allocator *allocator);
void trm_goal_problem_destroy(trm_goal_problem *p);

/* Places the bodies at y of the tree and takes the turns of its joints from y. With `restart`, the other joints count
 * their turns from the start again. */
void trm_goal_place(trm_goal_problem *p, const double *y, bool restart);
/* trm_goal_residuals computes r, phi and c at the current pose, trm_goal_rows their Jacobians. */
void trm_goal_residuals(trm_goal_problem *p);
void trm_goal_rows(trm_goal_problem *p);
/* Returns the largest of |phi| and of the violated c, in units of y. */
double trm_goal_violation(const trm_goal_problem *p);

/* Computes the step into p->d, with or without the goals. Returns false when out of memory. */
bool trm_goal_find_step(trm_goal_problem *p, bool goals, double mu);

#endif
