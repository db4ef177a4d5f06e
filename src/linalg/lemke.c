/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Transforms a problem with bounds and friction to the pure problem of lemke_pivots.h and back. Its unknowns z are
 *
 *     a row without bounds       x = z, not bounded, its w = 0: eliminated before, dependent ones dropped
 *     lo <= x                    x = lo + z
 *     x <= hi                    x = hi - z
 *     lo <= x <= hi              x = lo + z, and u of  0 <= u,  0 <= hi - lo - z;   0 <= w + u
 *     |x| <= mu x_f              x = z+ - z-,  a pyramid of two directions of its own
 *     pyramid                    x = z, and one v for all of f:  0 <= v,  0 <= mu x_f - sum z;   0 <= w + v
 *
 * u and v are multipliers of upper bounds ("caps" below): M has 1 in their column and -1 in their row for each
 * unknown that they bound ("cover"). At most one u or v covers each x. With x = shift + sum sign z, M has sign_i A_ij
 * sign_j elsewhere. Everything is scaled by powers of two, z = s z'. */

#include <float.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lcp_parts.h"
#include "linalg/lemke_pivots.h"
#include "linalg/vectors.h"

/* Largest error of a solution, relative to its largest number, before another path is tried. A larger one accepts
 * solutions with fewer digits, a smaller one tries further paths for problems that have no better solution. Tests
 * pass with a tenth and with ten times of it. */
static const double ACCEPTED = 1e-10;

/* Remainder of an elimination that counts as zero, relative to the largest number before it. A larger one takes
 * contradictory equations for redundant ones, a smaller one redundant equations for contradictory ones. Tests pass
 * with a tenth and with ten times of it. */
static const double ZERO = 1e-12;

typedef struct unknown {
    int row;           /* row of the problem; for a cap the first row that it covers */
    double sign;       /* sign of z in x; 0: a cap */
    int covers, count; /* of a cap: the first unknown that it covers, and how many */
    double scale;
} unknown;

typedef struct lemke {
    const trm_lcp *lcp;
    int count, free; /* number of unknowns; of unbounded ones, which come first */
    unknown *unknowns;
    int *of_row;         /* the first unknown of a row; -1: x does not change */
    double *shift;       /* per row */
    double *M, *q;       /* count x count, scaled */
    int rank;            /* of the equations of the unbounded unknowns */
    int *rows, *columns; /* order of elimination, dependent ones last; then all others */
    double *cover;       /* d of each bounded unknown */
    double *z;           /* the unknowns, then z0 */
} lemke;

/* ---- The unknowns ------------------------------------------------------------------------------- */

static bool is_fixed(const trm_lcp *lcp, int row)
{
    return lcp_is_friction(lcp, row) ? lcp->hi[row] == 0 : lcp->lo[row] == lcp->hi[row];
}

static void add_side(lemke *l, int row, double sign)
{
    const size_t n = (size_t)l->lcp->n;
    if (l->of_row[row] < 0) l->of_row[row] = l->count;
    l->unknowns[l->count++] =
        (unknown){.row = row, .sign = sign, .scale = trm_lcp_scale(l->lcp->A[(size_t)row * n + (size_t)row])};
}

/* Adds a cap over the last `count` unknowns. */
static void add_cap(lemke *l, int row, int count)
{
    const int covers = l->count - count;
    l->unknowns[l->count++] =
        (unknown){.row = row, .covers = covers, .count = count, .scale = 1 / l->unknowns[covers].scale};
}

/* Adds all unknowns of a row, or of a pyramid that begins there. Returns the next row. */
static int add_row(lemke *l, int row)
{
    const trm_lcp *lcp = l->lcp;
    const double lo = lcp->lo[row], hi = lcp->hi[row];
    int end = row + 1;
    if (is_fixed(lcp, row)) return end;
    if (lcp_is_pyramid(lcp, row)) {
        end = lcp_pyramid_end(lcp, row);
        for (int i = row; i < end; i++) add_side(l, i, 1);
        add_cap(l, row, end - row);
        return end;
    }
    const bool box = lcp_is_friction(lcp, row);
    add_side(l, row, isinf(lo) && !box ? -1 : 1);
    if (box) add_side(l, row, -1);
    if (box || (isfinite(lo) && isfinite(hi))) add_cap(l, row, box ? 2 : 1);
    return end;
}

static double shift_of(const trm_lcp *lcp, int row)
{
    if (lcp_is_friction(lcp, row)) return 0;
    return isfinite(lcp->lo[row]) ? lcp->lo[row] : isfinite(lcp->hi[row]) ? lcp->hi[row] : 0;
}

static void add_unknowns(lemke *l)
{
    const int n = l->lcp->n;
    for (int i = 0; i < n; i++) {
        l->of_row[i] = -1;
        l->shift[i] = shift_of(l->lcp, i);
    }
    for (int i = 0; i < n; i++)
        if (lcp_is_equation(l->lcp, i)) add_side(l, i, 1);
    l->free = l->count;
    for (int i = 0; i < n;) i = lcp_is_equation(l->lcp, i) ? i + 1 : add_row(l, i);
}

/* ---- Matrix and right side ---------------------------------------------------------------------- */

static double *row_of_M(const lemke *l, int i)
{
    return l->M + (size_t)i * (size_t)l->count;
}

static void set_side(lemke *l, int i)
{
    const int n = l->lcp->n;
    const unknown *u = &l->unknowns[i];
    const double *A = l->lcp->A + (size_t)u->row * (size_t)n, factor = u->sign * u->scale;
    double *M = row_of_M(l, i);
    for (int j = 0; j < l->count; j++) {
        const unknown *other = &l->unknowns[j];
        if (other->sign != 0) M[j] = factor * A[other->row] * (other->sign * other->scale);
    }
    l->q[i] = factor * (vectors_dot(A, l->shift, n) + l->lcp->b[u->row]);
}

static void set_cap(lemke *l, int i)
{
    const trm_lcp *lcp = l->lcp;
    const unknown *u = &l->unknowns[i];
    double *M = row_of_M(l, i);
    l->q[i] = (lcp->hi[u->row] - lcp->lo[u->row]) * u->scale;
    if (lcp_is_friction(lcp, u->row)) {
        const double mu = lcp->hi[u->row] * u->scale;
        const int f = lcp->friction[u->row], unknown_f = l->of_row[f];
        if (unknown_f >= 0) M[unknown_f] = mu * l->unknowns[unknown_f].scale;
        l->q[i] = mu * l->shift[f];
    }
    for (int j = u->covers; j < u->covers + u->count; j++) {
        const double scale = u->scale * l->unknowns[j].scale;
        M[j] -= scale;
        row_of_M(l, j)[i] = scale;
    }
}

static void set_matrix(lemke *l)
{
    for (int i = 0; i < l->count; i++)
        if (l->unknowns[i].sign != 0) set_side(l, i);
    for (int i = 0; i < l->count; i++)
        if (l->unknowns[i].sign == 0) set_cap(l, i);
}

/* ---- Eliminating the unbounded unknowns --------------------------------------------------------- */

static void swap_ints(int *v, int i, int j)
{
    const int kept = v[i];
    v[i] = v[j];
    v[j] = kept;
}

/* Moves the largest remaining entry among the unbounded unknowns to (k, k) by exchanging rows and columns. Returns
 * its magnitude. */
static double move_pivot(lemke *l, const double *W, int width, int k)
{
    int row = k, column = k;
    double best = 0;
    for (int i = k; i < l->free; i++)
        for (int j = k; j < l->free; j++) {
            const double entry = fabs(W[(size_t)l->rows[i] * (size_t)width + (size_t)l->columns[j]]);
            if (entry > best) best = entry, row = i, column = j;
        }
    swap_ints(l->rows, k, row);
    swap_ints(l->columns, k, column);
    return best;
}

/* Eliminates the independent unbounded unknowns from W = (q, M). Columns of W are shifted by one against those of
 * M. Returns the largest unbounded unknown when the others are zero. */
static double eliminate(lemke *l, double *W)
{
    const int width = l->count + 2;
    double largest = 0;
    for (int i = 0; i < l->count; i++) l->rows[i] = i, l->columns[i] = i + 1;
    for (l->rank = 0; l->rank < l->free; l->rank++) {
        const double best = move_pivot(l, W, width, l->rank);
        if (!(best > 16 * (l->count + 10) * DBL_EPSILON)) break;
        const double *row = W + (size_t)l->rows[l->rank] * (size_t)width;
        const double pivot = row[l->columns[l->rank]];
        for (int i = l->rank + 1; i < l->count; i++) {
            double *other = W + (size_t)l->rows[i] * (size_t)width;
            const double factor = other[l->columns[l->rank]] / pivot;
            if (factor != 0) vectors_add(other, -factor, row, width - 1);
        }
        largest = fmax(largest, fabs(row[0] / pivot));
    }
    for (int i = 0; i < l->count; i++) l->columns[i]--;
    return largest;
}

/* Checks the redundant equations. Returns TRM_LCP_NO_SOLUTION if more than rounding remains of one, so that it
 * contradicts the others. */
static trm_lcp_result check_dependent(const lemke *l, const double *W, double largest)
{
    for (int i = l->rank; i < l->free; i++) {
        const unknown *u = &l->unknowns[l->rows[i]];
        const double *row = W + (size_t)l->rows[i] * (size_t)(l->count + 2);
        if (!(vectors_largest(row + 1 + l->free, l->count - l->free) <= 1e3 * ZERO))
            return (trm_lcp_result){TRM_LCP_UNFIT, 0, u->row};
        if (!(fabs(row[0]) <= ZERO * largest)) return (trm_lcp_result){TRM_LCP_NO_SOLUTION, 0, u->row};
    }
    return (trm_lcp_result){TRM_LCP_SOLVED, 0, -1};
}

/* Sets remainders of the elimination that are only rounding to zero. The path would otherwise use them as pivots. */
static void drop_rounding(double *v, int count, double little)
{
    for (int i = 0; i < count; i++)
        if (fabs(v[i]) <= little) v[i] = 0;
}

/* Computes the pure problem of the bounded unknowns in the form that trm_lemke_pivots requires. */
static trm_lcp_result reduce(lemke *l, double **start, trm_arena *scratch)
{
    const int count = l->count, bounded = count - l->free;
    const size_t width = (size_t)count + 2, narrow = (size_t)bounded + 2;
    double *W = TRM_NEW_ROOM(scratch, double, (size_t)count *width);
    *start = W;
    if (!W) return (trm_lcp_result){TRM_LCP_NO_MEMORY, 0, -1};
    for (int i = 0; i < count; i++) {
        double *row = W + (size_t)i * width;
        row[0] = l->q[i];
        memcpy(row + 1, row_of_M(l, i), (size_t)count * sizeof *row);
        row[count + 1] = 0;
    }
    const double largest = fmax(eliminate(l, W), vectors_largest(l->q, count));
    const trm_lcp_result result = check_dependent(l, W, largest);
    for (int i = 0; i < bounded; i++) { /* rows become shorter, so no row is overwritten before it is read */
        const double *from = W + (size_t)(l->free + i) * width;
        double *to = W + (size_t)i * narrow;
        to[0] = from[0];
        memmove(to + 1, from + 1 + l->free, (narrow - 1) * sizeof *to);
        if (l->rank == 0) continue;
        drop_rounding(to, 1, ZERO * largest);
        drop_rounding(to + 1, bounded, ZERO);
    }
    return result;
}

/* ---- Solving again in the final basis ----------------------------------------------------------- */

/* Computes v = A^-1 v from A = P L U. */
static void solve_factorised(const double *A, int k, const int *order, double *v)
{
    for (int r = 0; r < k; r++) {
        const double kept = v[order[r]];
        v[order[r]] = v[r];
        v[r] = kept;
    }
    for (int r = 0; r < k; r++) v[r] -= vectors_dot(A + (size_t)r * (size_t)k, v, r);
    for (int r = k - 1; r >= 0; r--) {
        const double *row = A + (size_t)r * (size_t)k;
        v[r] = (v[r] - vectors_dot(row + r + 1, v + r + 1, k - r - 1)) / row[r];
    }
}

/* The end of a path: the bounded z in the basis, and the pair of which neither is basic while the artificial z0
 * is. */
typedef struct ending {
    bool *basic;
    int unpaired; /* -1: none, z0 has left the basis */
} ending;

/* Collects the rows and columns of M with w = 0 and z not fixed at zero: the unbounded unknowns, those in the basis,
 * then z0. Returns their number. */
static int gather_basis(lemke *l, const ending *e)
{
    int k = l->rank;
    for (int i = l->free; i < l->count; i++) {
        if (!e->basic[i - l->free]) continue;
        l->rows[k] = l->columns[k] = i;
        k++;
    }
    if (e->unpaired < 0) return k;
    l->rows[k] = l->free + e->unpaired;
    l->columns[k] = l->count;
    return k + 1;
}

/* Returns an entry of M. The column after those of M is that of z0, which is zero in the rows of unbounded
 * unknowns. */
static double entry_of(const lemke *l, int row, int column)
{
    if (column < l->count) return row_of_M(l, row)[column];
    return row < l->free ? 0 : l->cover[row - l->free];
}

/* Solves M z + z0 d + q = 0 in the basis, with two refinements. The resulting z0 is rounding and not part of the
 * solution. */
static trm_lcp_status solve_basis(lemke *l, int k, trm_arena *scratch)
{
    double *A = TRM_NEW_ROOM(scratch, double, (size_t)k *(size_t)k);
    double *v = TRM_NEW_ROOM(scratch, double, k);
    int *order = TRM_NEW_ROOM(scratch, int, k);
    if (!A || !v || !order) return TRM_LCP_NO_MEMORY;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) A[(size_t)i * (size_t)k + (size_t)j] = entry_of(l, l->rows[i], l->columns[j]);
    memset(l->z, 0, ((size_t)l->count + 1) * sizeof *l->z);
    if (!trm_dense_factorise(A, k, order, NULL, 0)) return TRM_LCP_GAVE_UP;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < k; i++)
            v[i] = -l->q[l->rows[i]] - vectors_dot(row_of_M(l, l->rows[i]), l->z, l->count) -
                   entry_of(l, l->rows[i], l->count) * l->z[l->count];
        solve_factorised(A, k, order, v);
        for (int i = 0; i < k; i++) l->z[l->columns[i]] += v[i];
    }
    return TRM_LCP_SOLVED;
}

/* Returns whether z and w satisfy all conditions. Sets z that is negative by rounding to zero. */
static bool is_solution(lemke *l)
{
    const double size = fmax(vectors_largest(l->q, l->count), vectors_largest(l->z, l->count)),
                 little = ACCEPTED * size;
    for (int i = l->free; i < l->count; i++) {
        if (!(l->z[i] >= -little)) return false;
        l->z[i] = fmax(l->z[i], 0);
    }
    for (int i = 0; i < l->count; i++) {
        const double w = vectors_dot(row_of_M(l, i), l->z, l->count) + l->q[i];
        const bool zero = i < l->free || l->z[i] > little;
        if (!(w >= -little) || (zero && !(w <= little))) return false;
    }
    return true;
}

static void write_solution(const lemke *l)
{
    double *x = l->lcp->x;
    memcpy(x, l->shift, (size_t)l->lcp->n * sizeof *x);
    for (int i = 0; i < l->count; i++) x[l->unknowns[i].row] += l->unknowns[i].sign * l->unknowns[i].scale * l->z[i];
}

/* ---- Following the paths ------------------------------------------------------------------------ */

/* Largest number of paths tried. */
enum { MOST_PATHS = 8 };

/* The second path is lexicographic and cannot cycle; the others choose the largest pivots. */
enum { LEXICOGRAPHIC_PATH = 1 };

/* Sets the covering vector d of a path: equal entries for the lexicographic path, else 0.5 to 1.5 without a
 * pattern (multiples of an irrational number). With equal d, symmetric corners of a box tie in each pivot. */
static void set_cover(lemke *l, double *start, int path)
{
    const int bounded = l->count - l->free;
    const size_t width = (size_t)bounded + 2;
    for (int i = 0; i < bounded; i++) {
        const double multiple = 0.7548776662466927 * (path + 1) * (i + 1);
        l->cover[i] = path == LEXICOGRAPHIC_PATH ? 1 : 0.5 + (multiple - floor(multiple));
        start[(size_t)i * width + width - 1] = l->cover[i];
    }
}

static trm_lcp_result follow_path(lemke *l, const double *start, bool lexicographic, trm_arena *scratch)
{
    ending end = {.basic = TRM_NEW_ROOM(scratch, bool, l->count)};
    if (!end.basic) return (trm_lcp_result){TRM_LCP_NO_MEMORY, 0, -1};
    const trm_lemke path = {l->count - l->free, start, lexicographic, end.basic, &end.unpaired};
    trm_lcp_result result = trm_lemke_pivots(&path, scratch);
    if (result.row >= 0) result.row = l->unknowns[l->free + result.row].row;
    if (result.status != TRM_LCP_SOLVED) return result;
    result.status = solve_basis(l, gather_basis(l, &end), scratch);
    if (result.status == TRM_LCP_SOLVED && !is_solution(l)) result.status = TRM_LCP_GAVE_UP;
    return result;
}

/* Follows one path after another until one gives a solution. The first solves nearly all problems. A ray means no
 * solution only if the second path also ends on a ray. */
static trm_lcp_result follow_paths(lemke *l, double *start, trm_arena *scratch)
{
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    trm_lcp_result result = {TRM_LCP_GAVE_UP, 0, -1};
    for (int path = 0, rays = 0; path < MOST_PATHS && rays < 2; path++) {
        const int steps = result.steps;
        set_cover(l, start, path);
        result = follow_path(l, start, path == LEXICOGRAPHIC_PATH, scratch);
        result.steps += steps;
        trm_arena_reset(scratch, mark);
        if (result.status != TRM_LCP_GAVE_UP && result.status != TRM_LCP_NO_SOLUTION) break;
        rays += result.status == TRM_LCP_NO_SOLUTION;
    }
    return result;
}

static bool make_room(lemke *l, trm_arena *scratch)
{
    const int n = l->lcp->n;
    l->unknowns = TRM_NEW_ROOM(scratch, unknown, 3 * (size_t)n);
    l->of_row = TRM_NEW_ROOM(scratch, int, n);
    l->shift = TRM_NEW_ROOM(scratch, double, n);
    return l->unknowns && l->of_row && l->shift;
}

static bool make_matrix(lemke *l, trm_arena *scratch)
{
    const size_t count = (size_t)l->count;
    l->M = TRM_NEW_ARRAY(scratch, double, count *count);
    l->q = TRM_NEW_ROOM(scratch, double, count);
    l->cover = TRM_NEW_ROOM(scratch, double, count);
    l->z = TRM_NEW_ROOM(scratch, double, count + 1);
    l->rows = TRM_NEW_ROOM(scratch, int, count);
    l->columns = TRM_NEW_ROOM(scratch, int, count);
    return l->M && l->q && l->cover && l->z && l->rows && l->columns;
}

static trm_lcp_result solve(const trm_lcp *lcp, trm_arena *scratch)
{
    const trm_lcp_result no_memory = {TRM_LCP_NO_MEMORY, 0, -1};
    lemke l = {.lcp = lcp};
    double *start;
    if (!make_room(&l, scratch)) return no_memory;
    add_unknowns(&l);
    if (!make_matrix(&l, scratch)) return no_memory;
    set_matrix(&l);
    trm_lcp_result result = reduce(&l, &start, scratch);
    if (result.status != TRM_LCP_SOLVED) return result;
    result = follow_paths(&l, start, scratch);
    if (result.status == TRM_LCP_SOLVED) write_solution(&l);
    return result;
}

/* Returns whether the friction row is supported: x_f, which bounds it, must not become negative, and its coefficient
 * must be finite because it is an entry of M. */
static bool friction_is_valid(const trm_lcp *lcp, int row)
{
    return !lcp_is_friction(lcp, row) || (isfinite(lcp->hi[row]) && lcp->lo[lcp->friction[row]] >= 0);
}

trm_lcp_result trm_lcp_lemke(const trm_lcp *lcp, trm_arena *scratch)
{
    const trm_lcp_result fit = trm_lcp_inspect(lcp);
    if (fit.status != TRM_LCP_SOLVED) return fit;
    const int infinite = trm_lcp_infinite_row(lcp);
    if (infinite >= 0) return (trm_lcp_result){TRM_LCP_UNFIT, 0, infinite};
    for (int i = 0; i < lcp->n; i++)
        if (!friction_is_valid(lcp, i)) return (trm_lcp_result){TRM_LCP_UNFIT, 0, i};
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    const trm_lcp_result result = solve(lcp, scratch);
    trm_arena_reset(scratch, mark);
    return result;
}
