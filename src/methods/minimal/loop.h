/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A branch whose loops are closed: as many of its coordinates as it has degrees of freedom are independent, the others follow
 * (Schirm, Blajer, Schiehlen 1993, with erratum 11 of docs/errata.md). With the rows Phi(y, t) = 0 of the cut joints, G = dPhi/dy, I the
 * independent and D the dependent coordinates:
 *
 *     y_D = y_D(y_I, t)                     closed form, or Newton's method from a prediction
 *     dy_D/dt = X dy_I/dt + eta             G_D X = -G_I,   G_D eta = -Phi_t
 *     d2y_D/dt2 = X d2y_I/dt2 + xi          G_D xi = gamma,   G d2y/dt2 = gamma what keeps Phi'' = 0
 *     M_1 d2y_I/dt2 = -J^T (k - q + M (0, xi)),   M_1 = J^T M J,   J = (E; X)                                              (3), (4)
 *
 * G may have more rows than rank, if they agree: all are solved for, by least squares. */

#ifndef TRM_METHODS_MINIMAL_LOOP_H
#define TRM_METHODS_MINIMAL_LOOP_H

#include "base/random.h"
#include "methods/minimal/dynamics.h"

typedef struct trm_loop {
    const trm_branch *branch;
    const trm_joint *const *joints;     /* cut_count of them */
    int n, m, f;                        /* coordinates, rows, degrees of freedom */
    int *independent, *dependent;       /* f and n - f of them, counted from the branch's first */
    bool driven;                        /* Phi depends on t */
    double *phi;                        /* m */
    double *G;                          /* m x n */
    double *factor, *tau;               /* of G_D, m x (n - f) */
    double *X, *eta, *xi;               /* (n - f) x f, n - f, n - f */
    double *M, *M1, *inverse;           /* n x n, f x f, and M_1^-1 */
    double *load;                       /* n: k - q without d2y/dt2 */
    double *room;                       /* for right sides */
    double regular;                     /* of the columns of G_D: the least part that the others leave of one */
    int newton;                         /* steps of the last closure */
    const struct trm_closed_form *form; /* that solves for y_D, and how it does so here; NULL: Newton's method */
    struct trm_closed_place *place;
} trm_loop;

/* NULL: out of memory. Degrees of freedom and coordinates are not chosen yet. */
trm_loop *trm_loop_create(const trm_tree *tree, const trm_branch *branch, trm_arena *arena);

/* Phi and G at the tree's pose; memory of all joints. */
void trm_loop_rows(trm_loop *loop, const trm_tree *tree, const double *memory);

/* What each row would answer to itself if nothing but inertia held its bodies, J M^-1 J^T: the scale of what is left of it. */
void trm_loop_free_values(const trm_loop *loop, const trm_tree *tree, const double *memory, double *values);

/* Closes the loops of the pose in y by the shortest steps of all its coordinates; the branch stands there. False as below. */
bool trm_loop_settle(trm_loop *loop, trm_tree *tree, const double *memory, double *y, trm_arena *scratch);

/* Goes from the pose of y to one near by at which the loops are closed too, by the shortest steps; y is changed, and the branch stands
 * there. False: none was reached, or out of memory. */
bool trm_loop_wander(trm_loop *loop, trm_tree *tree, const double *memory, double *y, trm_random *random,
                     trm_arena *scratch);

/* y_D of the whole y, whose y_I are given, near a prediction of y; poses of the branch are then those of y. False: it cannot be closed
 * there. */
bool trm_loop_close(trm_loop *loop, trm_tree *tree, const double *memory, double *y, const double *predicted);

/* At a closed pose: G, its factors and X; false: the dependent coordinates cannot follow. Then dy_D/dt of dy/dt, whose dy_I/dt are
 * given, and the branch moves. */
bool trm_loop_turn(trm_loop *loop, trm_tree *tree, const double *memory);
void trm_loop_move(trm_loop *loop, trm_tree *tree, const double *memory, const double *y, double *yd);

/* Then d2y/dt2 under these wrenches; false: M_1 is singular. */
bool trm_loop_accelerate(trm_loop *loop, trm_tree *tree, trm_dynamics *d, const double *memory,
                         const trm_spatial *wrench, double *ydd);

/* Or d2y_D/dt2 of d2y/dt2, whose d2y_I/dt2 are given, whatever forces that takes; the branch accelerates. */
void trm_loop_follow(trm_loop *loop, trm_tree *tree, const double *memory, double *ydd);

/* ---- choice.c: which coordinates are independent ------------------------------------------ */

/* How well each coordinate would do alone, cos^2 alpha of (5b), and the matrix C behind it, n x n: the metric of the tangent space,
 * scaled so that a coordinate that the closure leaves alone has 1. In the tangent space, from X and M_1 of the present choice, or in
 * the space of constraints, from G and the free values of its rows; *rank is then that of G. False: out of memory, or M is not positive. */
bool trm_choice_by_tangent(const trm_loop *loop, double *C, trm_arena *scratch);
bool trm_choice_by_constraints(const trm_loop *loop, const double *values, double *C, int *rank, trm_arena *scratch);

/* The best f coordinates of C, by pivoted Cholesky elimination, in increasing order; their quality, det C_II. C is used up. */
double trm_choice_best(double *C, int n, int f, int *chosen);
/* The quality of given ones. */
double trm_choice_quality(const double *C, int n, int f, const int *chosen, trm_arena *scratch);

/* Takes them. */
void trm_loop_choose(trm_loop *loop, int f, const int *independent);

#endif
