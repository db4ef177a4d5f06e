/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Linear complementarity problems with bounds and friction.
 *
 *     w = A x + b,   lo <= x <= hi,   in each row one of
 *
 *         x = lo and w >= 0,     lo < x < hi and w = 0,     x = hi and w <= 0
 *
 * A row with infinite bounds is an equation, w = 0. With lo = 0, hi = inf the conditions are 0 <= x, 0 <= w, x w = 0,
 * where x is the impulse of a contact and w its separation velocity. A friction row is bounded by the row f that its
 * index names; its hi is the coefficient mu:
 *
 *     lo < 0   box       |x| <= mu |x_f|, each row on its own (ODE)
 *     lo = 0   pyramid   x >= 0, and the sum over all rows of f is at most mu x_f; with the sliding speed v
 *                        0 <= x,  0 <= w + v,  x (w + v) = 0;   0 <= v,  0 <= mu x_f - sum x,  v (mu x_f - sum x) = 0
 *                        (Stewart, Trinkle 1996; Hishinuma 2018, (9)): the conditions of these rows use w + v
 *
 * Friction rows come after the row that they name, which is not a friction row. The rows of a pyramid are
 * consecutive and have the same mu; those of boxes may differ. With mu = 0 both mean x = 0. */

#ifndef TRM_LINALG_LCP_H
#define TRM_LINALG_LCP_H

#include "base/arena.h"

typedef struct trm_lcp {
    int n;
    const double *A; /* n x n, stored by rows */
    const double *b, *lo, *hi;
    const int *friction; /* per row: the row that bounds it, -1: none; NULL: no friction rows */
    double *x; /* solution; unchanged if Dantzig or Lemke finds none; initial values of projected Gauss-Seidel */
} trm_lcp;

typedef enum trm_lcp_status {
    TRM_LCP_SOLVED,
    TRM_LCP_NO_SOLUTION, /* no solution found; for the matrices that the solver supports, none exists */
    TRM_LCP_GAVE_UP,     /* too many pivots or sweeps, or rounding errors too large */
    TRM_LCP_UNFIT,       /* the solver does not support the problem, or it is not finite */
    TRM_LCP_NO_MEMORY
} trm_lcp_status;

typedef struct trm_lcp_result {
    trm_lcp_status status;
    int steps; /* number of pivots or sweeps */
    int row;   /* row at which the solver failed; -1: no particular row */
} trm_lcp_result;

/* Solves by Dantzig's algorithm (dantzig.c): it drives one row after another to its condition while the rows
 * before keep theirs (Dantzig, Cottle 1967; Baraff 1994). A is symmetric and positive semidefinite. Friction boxes
 * are as in ODE: all other rows are solved first. Each box then gets the size mu |x_f| and keeps it, although x_f may
 * still change. Pyramids are not supported. Redundant rows are allowed if b agrees to 1e-12 of the largest entry of b
 * and x, both scaled to a unit diagonal. */
trm_lcp_result trm_lcp_dantzig(const trm_lcp *lcp, trm_arena *scratch);

/* Solves by Lemke's algorithm (lemke.c), for any A. Boxes and pyramids are exact, with unknowns of their own. It
 * finds a solution if one exists and A is copositive-plus, as in all contact problems with friction of Stewart and
 * Trinkle; a ray means no solution. If the path cycles at ties or is lost in rounding, the lexicographic path is
 * tried, then others. Not supported: friction on a row that may be negative, an infinite mu, and equations that
 * depend on others but not in all columns (no symmetric semidefinite A has them). */
trm_lcp_result trm_lcp_lemke(const trm_lcp *lcp, trm_arena *scratch);

/* Options of projected Gauss-Seidel. */
typedef struct trm_lcp_sweeps {
    int most;   /* largest number of sweeps */
    double sor; /* 0 < sor < 2: factor of each change (successive over-relaxation) */
    /* The iteration ends when no unknown changes by more than this fraction of the largest. 0: it performs all
     * sweeps and counts as solved. */
    double tolerance;
} trm_lcp_sweeps;

/* Solves by projected Gauss-Seidel (pgs.c). A is symmetric, with a positive diagonal where x may change. Boxes and
 * pyramids follow x_f in each sweep. It converges without friction; with large friction it may cycle forever. */
trm_lcp_result trm_lcp_pgs(const trm_lcp *lcp, const trm_lcp_sweeps *sweeps, trm_arena *scratch);

/* A matrix that is not stored, as functions. The caller has applied the initial x before the first call. */
typedef struct trm_lcp_operator {
    void *context;
    double (*w_of_row)(void *context, int row);              /* returns w of a row for the present x */
    void (*add_to_x)(void *context, int row, double change); /* applies a change of x of a row */
    /* Relaxes the first `rows` rows, if they are equations, one after another by -sor w / A_ii, and updates x
     * itself. NULL: the solver uses w_of_row and add_to_x instead, because relax would not be faster or the changes
     * must be observed. */
    void (*relax)(void *context, int rows, double sor);
} trm_lcp_operator;

/* Solves by projected Gauss-Seidel with such a matrix. diagonal is that of A; lcp->A and lcp->b are not used. Only
 * pyramids need memory. */
trm_lcp_result trm_lcp_pgs_by(const trm_lcp *lcp, const double *diagonal, const trm_lcp_operator *matrix,
                              const trm_lcp_sweeps *sweeps, trm_arena *scratch);

#endif
