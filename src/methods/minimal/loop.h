/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A branch whose loops are closed: as many of its coordinates as it has degrees of freedom are independent, the others follow
 * (Schirm, Blajer, Schiehlen 1993, with erratum 11 of docs/errata.md). With the rows Phi(y, t) = 0 of the cut joints, G = dPhi/dy, I the
 * independent and D the dependent coordinates:
 *
 *     y_D = y_D(y_I, t)                     closed form, or Newton's method from a prediction
 *     dy_D/dt = X dy_I/dt + eta             G_D X = -G_I,   G_D eta = -Phi_t
 *     d2y_D/dt2 = X d2y_I/dt2 + xi          G_D xi = gamma,   G d2y/dt2 = gamma what keeps Phi'' = 0                       (3)
 *
 * G may have more rows than rank, if they agree: all are solved for, by least squares. Accelerations are those of the open tree, a, and
 * what keeps y_D where it belongs: with the rows R = (E, -X) of d2y_D/dt2 - X d2y_I/dt2, as many as are dependent,
 *
 *     d2y/dt2 = a + M^-1 R^T (R M^-1 R^T)^-1 (xi - R a)
 *
 * which is (4) of the paper, M_1 d2y_I/dt2 = -J^T (k - q + M (0, xi)) with J = (E; X), in a time that grows with the number of
 * coordinates: M^-1 is applied by articulated bodies where the branch is compiled (compiled.h), and R has no redundant rows. */

#ifndef TRM_METHODS_MINIMAL_LOOP_H
#define TRM_METHODS_MINIMAL_LOOP_H

#include "base/random.h"
#include "methods/minimal/compiled.h"
#include "methods/minimal/dynamics.h"

typedef struct trm_loop {
    const trm_branch *branch;
    const trm_joint *const *joints; /* cut_count of them */
    int n, m, f;                    /* coordinates, rows, degrees of freedom */
    int *independent, *dependent;   /* f and n - f of them, counted from the branch's first */
    bool driven;                    /* Phi depends on t */
    double *phi;                    /* m */
    double *G;                      /* m x n */
    double *factor, *tau;           /* of G_D, m x (n - f) */
    double *X, *eta, *xi;           /* (n - f) x f, n - f, n - f */
    trm_compiled *compiled;         /* NULL: M is dense */
    double *M;                      /* n x n, or its Cholesky factor: of branches that are not compiled */
    double *weight;                 /* n: square roots of the diagonal of M^-1, where the choice was last looked at */
    double *R, *Y, *A;              /* (n - f) x n, the same for M^-1 R^T, and the Cholesky factor of R M^-1 R^T */
    double *room;                   /* for right sides */
    bool has_rows;                  /* phi and G are those of the pose */
    double seen_t;                  /* when X was last found, */
    double *seen;                   /* and at which y; NAN: not since the step began */
    double regular;                 /* of the columns of G_D: the least part that the others leave of one */
    double noise;                   /* by which roundings of many links are larger than those of few */
    int newton;                     /* steps of the last closure */
    const struct trm_closed_form *form; /* that solves for y_D, and how it does so here; NULL: Newton's method */
    struct trm_closed_place *place;
} trm_loop;

/* NULL: out of memory. Degrees of freedom and coordinates are not chosen yet. */
trm_loop *trm_loop_create(const trm_tree *tree, const trm_branch *branch, trm_compiled *compiled, trm_arena *arena);

/* Poses of the branch at y, and what G needs of them. */
void trm_loop_place(trm_loop *loop, trm_tree *tree, const double *y);

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

/* Of a compiled branch wrenches have been pushed, all but weights; other branches take all wrenches and no tau. */
typedef struct trm_loop_forces {
    const trm_spatial *wrench; /* per body */
    trm_vec3 gravity;
    const double *tau; /* per coordinate of the tree; NULL: 0 */
} trm_loop_forces;

/* Then d2y/dt2 under these forces; false: some coordinate moves no mass. */
bool trm_loop_accelerate(trm_loop *loop, trm_tree *tree, trm_dynamics *d, const double *memory,
                         const trm_loop_forces *forces, double *ydd);

/* M^-1 at the present pose, for what follows; false: some coordinate moves no mass. a = M^-1 g; the weights. */
bool trm_loop_weigh(trm_loop *loop, trm_tree *tree, trm_dynamics *d);
void trm_loop_respond(const trm_loop *loop, const double *g, double *a);
bool trm_loop_find_weights(trm_loop *loop, trm_arena *scratch); /* false: out of memory */

/* Or d2y_D/dt2 of d2y/dt2, whose d2y_I/dt2 are given, whatever forces that takes; the branch accelerates. */
void trm_loop_follow(trm_loop *loop, trm_tree *tree, const double *memory, double *ydd);

/* ---- choice.c: which coordinates are independent ------------------------------------------ */

/* What there is to choose from at a pose. */
typedef struct trm_loop_choice {
    int rank;         /* of G */
    int *independent; /* n - rank: the best, in increasing order */
    double *criteria; /* n: how well each coordinate would do alone, cos^2 alpha of (5b) */
} trm_loop_choice;

/* From G, M^-1 and weights at the present pose and the free values of the rows. False: out of memory. */
bool trm_choice_find(const trm_loop *loop, const double *values, trm_loop_choice *choice, trm_arena *scratch);

/* Better coordinates than the present ones, from X and the weights: exchanges dependent for independent ones as long as that improves
 * the choice, if the first of them improves it by more than the ratio. n numbers; *any: there are such. False: out of memory. */
bool trm_choice_improve(const trm_loop *loop, double ratio, int *independent, bool *any, trm_arena *scratch);

/* Takes them. */
void trm_loop_choose(trm_loop *loop, int f, const int *independent);

#endif
