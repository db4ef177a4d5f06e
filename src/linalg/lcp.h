/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Linear complementarity problems with bounds and friction.
 *
 *     w = A x + b,   lo <= x <= hi,   in each row one of
 *
 *         x = lo and w >= 0,     lo < x < hi and w = 0,     x = hi and w <= 0
 *
 * A row with infinite bounds is an equation, w = 0. With lo = 0, hi = inf it is the usual 0 <= x, 0 <= w, x w = 0: x the
 * impulse of a contact, w the speed at which it opens. A row of friction is bounded by the row f that its index names,
 * hi being the coefficient mu:
 *
 *     lo < 0   box       |x| <= mu |x_f|, each row on its own                                                      (ODE)
 *     lo = 0   pyramid   x >= 0, and the sum over all rows of f is at most mu x_f; with the speed v of the slip
 *                        0 <= x,  0 <= w + v,  x (w + v) = 0;   0 <= v,  0 <= mu x_f - sum x,  v (mu x_f - sum x) = 0
 *                        (Stewart, Trinkle 1996; Hishinuma 2018, (9)): w is seen with v added in these rows
 *
 * Rows of friction are somewhere behind the row that they name, which is not of friction. Those of a pyramid follow each other and have
 * one mu; those of boxes may differ. With mu = 0 both say x = 0. */

#ifndef TRM_LINALG_LCP_H
#define TRM_LINALG_LCP_H

#include "base/arena.h"

typedef struct trm_lcp {
    int n;
    const double *A; /* n x n, row after row */
    const double *b, *lo, *hi;
    const int *friction; /* per row: the row that bounds it, -1: none; NULL: none in any */
    double *x; /* the answer, untouched where Dantzig or Lemke has none; where projected Gauss-Seidel begins */
} trm_lcp;

typedef enum trm_lcp_status {
    TRM_LCP_SOLVED,
    TRM_LCP_NO_SOLUTION, /* none was found, and for the matrices that the solver is for there is none */
    TRM_LCP_GAVE_UP,     /* too many pivots or sweeps, or lost in rounding */
    TRM_LCP_UNFIT,       /* not a problem for this solver, or not finite */
    TRM_LCP_NO_MEMORY
} trm_lcp_status;

typedef struct trm_lcp_result {
    trm_lcp_status status;
    int steps; /* pivots or sweeps */
    int row;   /* at which it ended without an answer; -1: none in particular */
} trm_lcp_result;

/* dantzig.c: rows one after another are driven to their condition, those before keeping theirs (Dantzig, Cottle 1967; Baraff
 * 1994). A is symmetric and positive semidefinite. Boxes of friction as in ODE: all other rows first, then boxes of the size
 * that x_f has by then, which stay as large while x_f changes again. Pyramids are unfit. Rows that depend on others are welcome
 * as long as b agrees to 1e-12 of what is largest in b and x, both scaled to a diagonal of one. */
trm_lcp_result trm_lcp_dantzig(const trm_lcp *lcp, trm_arena *scratch);

/* lemke.c: any A; boxes and pyramids exactly, by unknowns of their own. Finds an answer wherever A is copositive plus there and
 * one exists, as in all problems of contact with friction of Stewart and Trinkle; a ray is no solution. A path that goes round where rows
 * tie, or is lost in rounding, is followed by the lexicographic one, and by others. Unfit: friction of a row
 * that may be negative, an infinite mu, and equations that depend on others but not in all columns, which no symmetric
 * semidefinite A has. */
trm_lcp_result trm_lcp_lemke(const trm_lcp *lcp, trm_arena *scratch);

/* How projected Gauss-Seidel goes on. */
typedef struct trm_lcp_sweeps {
    int most;   /* sweeps */
    double sor; /* 0 < sor < 2: each change times this (successive over-relaxation) */
    /* it ends when no unknown changes by more than this part of the largest; 0: never before its time, and is solved then */
    double tolerance;
} trm_lcp_sweeps;

/* pgs.c: A symmetric, its diagonal positive where x may change. Boxes and pyramids follow x_f in each sweep. Converges without
 * friction; with much of it, it may go round for ever. */
trm_lcp_result trm_lcp_pgs(const trm_lcp *lcp, const trm_lcp_sweeps *sweeps, trm_arena *scratch);

/* The same for a matrix that is not written down: w of a row at present, and what a change of x does. x has been applied when
 * it begins. */
typedef struct trm_lcp_operator {
    void *context;
    double (*look)(void *context, int row);
    void (*push)(void *context, int row, double change);
    /* The first so many rows, if they are equations, one after another by -sor w / A_ii, keeping their x itself: quicker than by
     * look and push. NULL: not quicker, or their changes are to be watched. */
    void (*relax)(void *context, int rows, double sor);
} trm_lcp_operator;

/* lcp->A and lcp->b are not looked at; the diagonal of A. No memory is needed but for pyramids. */
trm_lcp_result trm_lcp_pgs_by(const trm_lcp *lcp, const double *diagonal, const trm_lcp_operator *matrix,
                              const trm_lcp_sweeps *sweeps, trm_arena *scratch);

/* How far x is from the conditions, the most over all rows: |x - (x - w put between the bounds)|, bounds of friction being those
 * of x_f now; of pyramids all three pairs of the above, for the least v >= 0 that leaves no w + v negative. NAN: no memory. */
double trm_lcp_residual(const trm_lcp *lcp, trm_arena *scratch);

#endif
