/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The tableau is a dictionary: it expresses each basic variable by those outside the basis,
 *
 *     basic[r] = T[r][0] + sum over c of T[r][c] outside[c],    outside[c] = 0
 *
 * Variables are numbered w_0 ..., z_0 ..., and last the artificial one.
 *
 * The lexicographic rule compares tied rows by the effect of q + (e, e^2, ...): by their entries of B^-1, which
 * are those of w_k in the tableau. In contact problems, entries that should be zero are rounding errors, and this
 * rule may choose them as pivots. The other rule (Harris 1973) considers all rows that reach zero before any row is
 * below zero by the slack, and takes the one with the largest pivot. It may cycle. An uneven d makes this rare,
 * because few rows then tie. */

#include "linalg/lemke_pivots.h"

#include <math.h>
#include <string.h>

#include "linalg/vectors.h"

/* Least pivot, relative to the largest entry of its column. A larger one refuses pivots that the path needs, a
 * smaller one divides by rounding. Tests pass with a tenth and with ten times of it. */
static const double LEAST_PIVOT = 1e-10;

/* Relative to q: an artificial variable below this counts as zero. On a ray the limit is larger, because the solution
 * is checked afterwards. Larger ones end the path before the solution is exact, smaller ones continue it with
 * rounding. */
static const double ZERO_ARTIFICIAL = 1e-13, ZERO_ARTIFICIAL_AT_RAY = 1e-8;

/* Relative to the largest q: differences below this count as ties. Numbers that should be equal differ by this much
 * after some pivots. A larger one treats distinct numbers as tied, a smaller one decides ties by rounding and may
 * cycle. Tests pass with a tenth and with ten times of it. */
static const double SLACK = 1e-12;

/* A pivot below this fraction of its column, or an entry above its reciprocal, leaves large numbers in the tableau
 * and, after these cancel, rounding errors of their size. The tableau is then recomputed. A larger one recomputes
 * more often, which costs time; a smaller one keeps a tableau with few digits. Tests pass with a tenth and with ten
 * times of it. */
static const double SMALL_PIVOT = 1e-4;

typedef struct tableau {
    int n, width;
    double *T;
    int *basic, *outside; /* variable of each row; of each column, from 1 */
    int *where;           /* variable -> row, or ~column */
    double size;          /* of q */
    bool lexicographic;
} tableau;

static double *row_of(const tableau *t, int r)
{
    return t->T + (size_t)r * (size_t)t->width;
}

static bool make_room(tableau *t, trm_arena *scratch)
{
    t->T = TRM_NEW_ROOM(scratch, double, (size_t)t->n *(size_t)t->width);
    t->basic = TRM_NEW_ROOM(scratch, int, t->n);
    t->outside = TRM_NEW_ROOM(scratch, int, t->width);
    t->where = TRM_NEW_ROOM(scratch, int, 2 * (size_t)t->n + 1);
    return t->T && t->basic && t->outside && t->where;
}

static void put(tableau *t, int r, int c, int basic, int outside)
{
    t->basic[r] = basic;
    t->outside[c] = outside;
    t->where[basic] = r;
    t->where[outside] = ~c;
}

static void begin(tableau *t, const double *start)
{
    memcpy(t->T, start, (size_t)t->n * (size_t)t->width * sizeof *t->T);
    t->size = 0;
    for (int r = 0; r < t->n; r++) {
        put(t, r, r + 1, r, t->n + r);
        t->size = fmax(t->size, fabs(row_of(t, r)[0]));
    }
    t->outside[t->n + 1] = 2 * t->n;
    t->where[2 * t->n] = ~(t->n + 1);
}

static void pivot(tableau *t, int r, int c)
{
    double *row = row_of(t, r);
    const double inverse = 1 / row[c];
    for (int k = 0; k < t->width; k++) row[k] *= -inverse;
    row[c] = inverse;
    for (int i = 0; i < t->n; i++) {
        double *other = row_of(t, i);
        const double factor = other[c];
        if (i == r || factor == 0) continue;
        other[c] = 0;
        vectors_add(other, factor, row, t->width);
    }
    put(t, r, c, t->outside[c], t->basic[r]);
}

/* ---- The leaving row -------------------------------------------------------------------------- */

static double largest_in(const tableau *t, int c)
{
    double largest = 0;
    for (int r = 0; r < t->n; r++) largest = fmax(largest, fabs(row_of(t, r)[c]));
    return largest;
}

static bool is_artificial_zero(const tableau *t, double tolerance)
{
    const int r = t->where[2 * t->n];
    return r >= 0 && row_of(t, r)[0] <= tolerance * t->size;
}

/* Returns the row of the artificial variable if it is zero and can be exchanged with column c, else -1. If all w
 * vanish at once, rounding may prevent the artificial variable from being the first at zero. */
static int row_of_zero_artificial(const tableau *t, int c, double largest, double tolerance)
{
    const int r = t->where[2 * t->n];
    return is_artificial_zero(t, tolerance) && fabs(row_of(t, r)[c]) > LEAST_PIVOT * largest ? r : -1;
}

static double above_zero(const tableau *t, int r)
{
    return fmax(row_of(t, r)[0], 0);
}

/* Returns the contribution of e^(k+1) to a row: its entry of w_k in B^-1. */
static double perturbation_of(const tableau *t, int r, int k)
{
    const int where = t->where[k];
    return where >= 0 ? where == r : -row_of(t, r)[~where];
}

/* Returns whether row r leaves before row s, which is tied with it: by their perturbations, else by the larger
 * pivot. */
static bool leaves_first(const tableau *t, int r, int s, int c)
{
    const double p = -row_of(t, r)[c], q = -row_of(t, s)[c];
    for (int k = 0; t->lexicographic && k < t->n; k++) {
        const double a = perturbation_of(t, r, k) * q, b = perturbation_of(t, s, k) * p;
        if (fabs(a - b) > SLACK * fmax(p, q)) return a < b;
    }
    return p > q;
}

/* Returns the row to leave, of those with a sufficient pivot that reach zero before any row is below zero by the
 * slack: that of the artificial variable, which must leave, else the first by leaves_first. Returns -1 if there is
 * none. */
static int first_at_zero(const tableau *t, int c, double least)
{
    const double slack = SLACK * t->size;
    double bound = INFINITY;
    int best = -1;
    for (int r = 0; r < t->n; r++) {
        const double p = -row_of(t, r)[c];
        if (p > least) bound = fmin(bound, (above_zero(t, r) + slack) / p);
    }
    for (int r = 0; r < t->n; r++) {
        const double p = -row_of(t, r)[c];
        if (!(p > least && above_zero(t, r) <= bound * p)) continue;
        if (t->basic[r] == 2 * t->n) return r;
        if (best < 0 || leaves_first(t, r, best, c)) best = r;
    }
    return best;
}

/* Returns the row that leaves when column c enters. Returns -1 if there is none: the path ends on a ray. */
static int leaving_row(const tableau *t, int c)
{
    const double largest = largest_in(t, c);
    const int artificial = row_of_zero_artificial(t, c, largest, ZERO_ARTIFICIAL);
    if (artificial >= 0) return artificial;
    const int best = first_at_zero(t, c, LEAST_PIVOT * largest);
    return best >= 0 ? best : row_of_zero_artificial(t, c, largest, ZERO_ARTIFICIAL_AT_RAY);
}

/* Returns the row that the artificial variable replaces: the row that requires its largest value, of equal ones the
 * last. Returns -1 if no row is below zero. */
static int first_row(const tableau *t)
{
    int best = -1;
    double most = 0;
    for (int r = 0; r < t->n; r++) {
        const double needs = -row_of(t, r)[0] / row_of(t, r)[t->n + 1];
        if (row_of(t, r)[0] < 0 && needs >= most) most = needs, best = r;
    }
    return best;
}

/* ---- Recomputing the tableau -------------------------------------------------------------------- */

/* Finds the largest entry in a row that must leave and a column that must enter the basis. Returns false if there is
 * none. */
static bool largest_exchange(const tableau *t, const bool *wanted, int *r, int *c)
{
    double best = 0;
    for (int i = 0; i < t->n; i++) {
        if (wanted[t->basic[i]]) continue;
        for (int k = 1; k < t->width; k++) {
            if (!wanted[t->outside[k]] || fabs(row_of(t, i)[k]) <= best) continue;
            best = fabs(row_of(t, i)[k]);
            *r = i;
            *c = k;
        }
    }
    return best > 0;
}

static bool recompute(tableau *t, const double *start, trm_arena *scratch)
{
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    bool *wanted = TRM_NEW_ARRAY(scratch, bool, 2 * (size_t)t->n + 1);
    if (!wanted) return false;
    for (int r = 0; r < t->n; r++) wanted[t->basic[r]] = true;
    begin(t, start);
    for (int r, c; largest_exchange(t, wanted, &r, &c);) pivot(t, r, c);
    trm_arena_reset(scratch, mark);
    return true;
}

/* ---- The path ---------------------------------------------------------------------------------- */

/* Paths have about n pivots, and 2^n only in constructed examples. A longer path was lost in rounding, or cycles. */
static int most_pivots(int n)
{
    return 1000 + 5 * n;
}

static bool loses_digits(const tableau *t, int r, int c)
{
    const double largest = largest_in(t, c);
    return fabs(row_of(t, r)[c]) < SMALL_PIVOT * largest || largest > 1 / SMALL_PIVOT;
}

static trm_lcp_result follow(tableau *t, const trm_lemke *problem, trm_arena *scratch)
{
    const int n = t->n, artificial = 2 * n;
    int c = n + 1, r = first_row(t), steps = 0;
    if (r < 0) return (trm_lcp_result){TRM_LCP_SOLVED, 0, -1};
    while (steps < most_pivots(n)) {
        const int leaving = t->basic[r];
        const bool lossy = loses_digits(t, r, c);
        pivot(t, r, c);
        steps++;
        if (leaving == artificial) return (trm_lcp_result){TRM_LCP_SOLVED, steps, -1};
        if (lossy && !recompute(t, problem->start, scratch)) return (trm_lcp_result){TRM_LCP_NO_MEMORY, steps, -1};
        const int entering = leaving < n ? leaving + n : leaving - n;
        if (t->where[entering] >= 0) break; /* the basis was lost in rounding */
        c = ~t->where[entering];
        r = leaving_row(t, c);
        if (r < 0 && is_artificial_zero(t, ZERO_ARTIFICIAL_AT_RAY))
            return (trm_lcp_result){TRM_LCP_SOLVED, steps, -1};
        if (r < 0) return (trm_lcp_result){TRM_LCP_NO_SOLUTION, steps, entering % n};
    }
    return (trm_lcp_result){TRM_LCP_GAVE_UP, steps, -1};
}

/* Returns i such that neither w_i nor z_i is in the basis, while the artificial variable is. Returns -1 if there is
 * none. */
static int unpaired(const tableau *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->where[i] < 0 && t->where[t->n + i] < 0) return i;
    return -1;
}

trm_lcp_result trm_lemke_pivots(const trm_lemke *problem, trm_arena *scratch)
{
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    tableau t = {.n = problem->n, .width = problem->n + 2, .lexicographic = problem->lexicographic};
    trm_lcp_result result = {TRM_LCP_NO_MEMORY, 0, -1};
    if (make_room(&t, scratch)) {
        begin(&t, problem->start);
        result = follow(&t, problem, scratch);
        for (int i = 0; i < t.n; i++) problem->basic[i] = t.where[t.n + i] >= 0;
        *problem->unpaired = unpaired(&t);
    }
    trm_arena_reset(scratch, mark);
    return result;
}
