/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A branch with closed loops. It has as many independent coordinates as degrees of freedom; the others are
 * dependent (Schirm, Blajer, Schiehlen 1993, with erratum 11 of docs/errata.md). With the rows Phi(y, t) = 0 of the
 * cut joints, G = dPhi/dy, I the independent and D the dependent coordinates:
 *
 *     y_D = y_D(y_I, t)                     closed form, or Newton's method from a prediction
 *     dy_D/dt = X dy_I/dt + eta             G_D X = -G_I,   G_D eta = -Phi_t
 *     d2y_D/dt2 = X d2y_I/dt2 + xi          G_D xi = gamma,   G d2y/dt2 = gamma keeps Phi'' = 0       (3)
 *
 * G may have more rows than rank if they are consistent: all are solved by least squares. Accelerations are those
 * of the open tree, a, plus a correction that keeps the loops closed. With the rows R = (E, -X) of d2y_D/dt2 - X
 * d2y_I/dt2, one per dependent coordinate,
 *
 *     d2y/dt2 = a + M^-1 R^T (R M^-1 R^T)^-1 (xi - R a)
 *
 * This is (4) of the paper, M_1 d2y_I/dt2 = -J^T (k - q + M (0, xi)) with J = (E; X), in time linear in the number
 * of coordinates: articulated bodies apply M^-1 where the branch is compiled (compiled.h), and R has no redundant
 * rows. */

#ifndef TRM_METHODS_MINIMAL_LOOP_H
#define TRM_METHODS_MINIMAL_LOOP_H

#include "base/random.h"
#include "methods/minimal/compiled.h"
#include "methods/minimal/dynamics.h"

typedef struct trm_loop {
    const trm_branch *branch;
    const trm_joint *const *joints; /* cut_count cut joints */
    int n, m, f;                    /* coordinates, rows, degrees of freedom */
    int *independent, *dependent;   /* f and n - f indices, counted from the branch's first coordinate */
    bool driven;                    /* Phi depends on t */
    double *phi;                    /* m */
    double *G;                      /* m x n */
    double *factor, *tau;           /* QR factors of G_D, m x (n - f) */
    double *X, *eta, *xi;           /* (n - f) x f, n - f, n - f */
    trm_compiled *compiled;         /* NULL: M is dense */
    double *M;                      /* n x n: M or its Cholesky factor, of branches that are not compiled */
    double *weight;                 /* n: square roots of the diagonal of M^-1, when the choice was last examined */
    double *R, *Y, *A;              /* (n - f) x n: R, M^-1 R^T; Cholesky factor of R M^-1 R^T */
    double *room;                   /* scratch for right-hand sides */
    bool has_rows;                  /* phi and G belong to the current pose */
    double seen_t;                  /* s: time at which X was last computed; NAN: not since the step began */
    double *seen;                   /* n: y at which X was last computed */
    double regular;                 /* smallest part of a column of G_D that is independent of the others */
    double noise;                   /* factor by which rounding errors of many links exceed those of few */
    int newton;                     /* Newton steps of the last closure */
    const struct trm_closed_form *form; /* form that solves for y_D, with its data; NULL: Newton's method */
    struct trm_closed_place *place;
} trm_loop;

/* Returns NULL when out of memory. Degrees of freedom and coordinates are not chosen yet. */
trm_loop *trm_loop_create(const trm_tree *tree, const trm_branch *branch, trm_compiled *compiled, trm_arena *arena);

/* Computes the poses of the branch at y, as far as G needs them. */
void trm_loop_place(trm_loop *loop, trm_tree *tree, const double *y);

/* Computes Phi and G at the tree's pose. `memory` is that of all joints. */
void trm_loop_rows(trm_loop *loop, const trm_tree *tree, const double *memory);

/* Computes the response J M^-1 J^T of each row if its bodies were free: the scale with which the remainder of a row
 * is compared. */
void trm_loop_free_values(const trm_loop *loop, const trm_tree *tree, const double *memory, double *values);

/* Closes the loops from the pose in y by shortest steps of all coordinates, and places the branch there. Returns
 * false if no such pose was reached, or when out of memory. */
bool trm_loop_close_shortest(trm_loop *loop, trm_tree *tree, const double *memory, double *y, trm_arena *scratch);

/* Goes from the pose in y to a nearby pose with closed loops by shortest steps; changes y and places the branch
 * there. Returns false if no such pose was reached, or when out of memory. */
bool trm_loop_find_nearby(trm_loop *loop, trm_tree *tree, const double *memory, double *y, trm_random *random,
                          trm_arena *scratch);

/* Computes y_D near the prediction from y_I in y, and places the branch at y. Returns false if the loops cannot be
 * closed. */
bool trm_loop_close(trm_loop *loop, trm_tree *tree, const double *memory, double *y, const double *predicted);

/* Computes G, its factors and X at a closed pose. Returns false if the dependent coordinates are not determined. */
bool trm_loop_factorise_rows(trm_loop *loop, trm_tree *tree, const double *memory);
/* Computes dy_D/dt from dy_I/dt in dy/dt, and the velocities of the branch. */
void trm_loop_dependent_rates(trm_loop *loop, trm_tree *tree, const double *memory, const double *y, double *yd);

/* Forces on a branch. Wrenches without weights have already been applied to a compiled branch. Other branches use
 * all wrenches and no tau. */
typedef struct trm_loop_forces {
    const trm_spatial *wrench; /* per body */
    trm_vec3 gravity;
    const double *tau; /* per coordinate of the tree; NULL: 0 */
} trm_loop_forces;

/* Computes d2y/dt2 under these forces. Returns false if some coordinate moves no mass. */
bool trm_loop_accelerate(trm_loop *loop, trm_tree *tree, trm_dynamics *d, const double *memory,
                         const trm_loop_forces *forces, double *ydd);

/* trm_loop_factorise_mass prepares M^-1 at the current pose and returns false if some coordinate moves no mass.
 * After it, trm_loop_respond computes a = M^-1 g, and trm_loop_find_weights the weights. */
bool trm_loop_factorise_mass(trm_loop *loop, trm_tree *tree, trm_dynamics *d);
void trm_loop_respond(const trm_loop *loop, const double *g, double *a);
bool trm_loop_find_weights(trm_loop *loop, trm_arena *scratch); /* returns false if out of memory */

/* Computes d2y_D/dt2 from d2y_I/dt2 in d2y/dt2, independent of forces, and the accelerations of the branch. */
void trm_loop_dependent_accelerations(trm_loop *loop, trm_tree *tree, const double *memory, double *ydd);

/* ---- choice.c: the choice of independent coordinates ---------------------------------------- */

/* The choices of coordinates at a pose. */
typedef struct trm_loop_choice {
    int rank;         /* of G */
    int *independent; /* n - rank: the best choice, in increasing order */
    double *criteria; /* n: quality of each coordinate alone, cos^2 alpha of (5b) */
} trm_loop_choice;

/* Finds the best choice from G, M^-1 and weights at the current pose and the free values of the rows. Returns
 * false when out of memory. */
bool trm_choice_find(const trm_loop *loop, const double *values, trm_loop_choice *choice, trm_arena *scratch);

/* Finds better independent coordinates from X and the weights. It exchanges dependent for independent coordinates
 * while this improves the choice, if the first exchange improves it by more than `ratio`. Writes n numbers. Sets
 * *any if there is a better choice. Returns false when out of memory. */
bool trm_choice_improve(const trm_loop *loop, double ratio, int *independent, bool *any, trm_arena *scratch);

/* Takes the given coordinates as the independent ones. */
void trm_loop_choose(trm_loop *loop, int f, const int *independent);

#endif
