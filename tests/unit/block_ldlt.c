/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sparse block matrices of mechanisms, compared with CHOLMOD and LAPACK. A mechanism is a graph of bodies with six
 * coordinates each, joined by joints of 0 to 6 rows: W = J M^-1/2 has the rows of the joints and the columns of the
 * bodies, and
 *
 *     A = W W^T,   b = A x0   (so that b is consistent with any rank)
 *
 * Only W^T x is unique where rows are redundant: the impulses on the bodies. Rows are compared relative to their own
 * length, sqrt(A_ii): unknowns are x_i sqrt(A_ii), right sides b_i / sqrt(A_ii). */

#include "linalg/block_ldlt.h"

#include <lapacke.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <time.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"

enum { JOINTS = 40, BODIES = 40, PER_BODY = 6, ROWS = JOINTS * TRM_BLOCK_ROWS, COLUMNS = BODIES * PER_BODY };

/* For rows of length one: nonzero singular values exceed small_value (asserted), zero ones are rounding, below
 * no_value; the remainder of a row is at least the square of the former, far from TRM_DROPPED. */
static const double small_value = 1e-4, no_value = 1e-10;

/* |A x - b| relative to |x|. The explicit inverses of pivots lose digits if little of a row remains: some without
 * refinement (reached 8e-12), up to rounding over TRM_DROPPED where masses differ by 1e12 (reached 7e-7). One
 * refinement restores them; rounding of some hundred terms remains (reached 2e-14). */
static const double holds_at_once = 1e-10, hardly_holds_at_once = 2e-16 / TRM_DROPPED, holds = 1e-13;

/* Errors of solutions times the square of the smallest singular value, and of impulses times that value: rounding
 * without the effect of the condition. Reached 4e-16 and 8e-15. */
static const double agrees = 5e-14;

typedef struct mechanism {
    trm_random random;
    int bodies, joints, rows;
    int body[JOINTS][2]; /* -1: the ground */
    int size[JOINTS], first_row[JOINTS];
    int first[JOINTS + 1], neighbour[JOINTS * JOINTS];
    double W[ROWS][COLUMNS];
    double A[ROWS][ROWS];
    double length[ROWS]; /* of a row of W; 1 for one that is zero */
    double x0[ROWS], b[ROWS];
} mechanism;

typedef enum shape { CHAIN, RING, TREE, GRID, HUB, COMPLETE, ANYHOW, SHAPES } shape;

typedef struct options {
    bool redundant, empty; /* empty: a third of the joints have no rows */
    double row_decades,
        mass_decades; /* lengths of rows and masses of bodies are distributed over factors of 10^-decades to 10^+decades */
} options;

/* ---- Graphs of bodies --------------------------------------------------------------------- */

static int random_index(trm_random *random, int count)
{
    return (int)trm_random_uniform(random, 0, count);
}

static double random_size(trm_random *random, double decades)
{
    return pow(10, trm_random_uniform(random, -decades, decades));
}

static void add_joint(mechanism *m, int a, int b)
{
    if (m->joints == JOINTS || a == b) return;
    m->body[m->joints][0] = a;
    m->body[m->joints][1] = b;
    m->joints++;
}

/* Joins body i of a grid of the given width to its earlier neighbours. */
static void add_grid_joints(mechanism *m, int i, int width)
{
    if (i % width > 0) add_joint(m, i - 1, i);
    if (i >= width) add_joint(m, i - width, i);
}

static void add_joints(mechanism *m, shape kind)
{
    const int n = m->bodies;
    add_joint(m, -1, 0);
    for (int i = 1; i < n; i++) switch (kind) {
        case CHAIN:
        case RING: add_joint(m, i - 1, i); break;
        case TREE: add_joint(m, random_index(&m->random, i), i); break;
        case GRID: add_grid_joints(m, i, 5); break;
        case HUB: add_joint(m, 0, i); break;
        case COMPLETE:
            for (int k = 0; k < i; k++) add_joint(m, k, i);
            break;
        default: add_joint(m, random_index(&m->random, n), random_index(&m->random, n) - 1);
        }
    if (kind == RING) add_joint(m, n - 1, -1);
}

static bool share_a_body(const mechanism *m, int j, int k)
{
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++)
            if (m->body[j][s] >= 0 && m->body[j][s] == m->body[k][t]) return true;
    return false;
}

static void find_neighbours(mechanism *m)
{
    int count = 0;
    for (int j = 0; j < m->joints; j++) {
        m->first[j] = count;
        for (int k = 0; k < m->joints; k++)
            if (k != j && share_a_body(m, j, k)) m->neighbour[count++] = k;
    }
    m->first[m->joints] = count;
}

/* ---- Rows --------------------------------------------------------------------------------- */

static void add_scaled(double *row, double factor, const double *other)
{
    for (int c = 0; c < COLUMNS; c++) row[c] += factor * other[c];
}

static double length_of(const double *row)
{
    double square = 0;
    for (int c = 0; c < COLUMNS; c++) square += row[c] * row[c];
    return sqrt(square);
}

static void make_fresh_row(mechanism *m, int joint, double *row, const double *root_of_mass)
{
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < PER_BODY && m->body[joint][side] >= 0; c++)
            row[m->body[joint][side] * PER_BODY + c] =
                trm_random_uniform(&m->random, -1, 1) / root_of_mass[m->body[joint][side]];
}

/* An earlier joint between the same bodies, or the joint itself. */
static int parallel_joint(const mechanism *m, int joint)
{
    for (int j = 0; j < joint; j++)
        if (memcmp(m->body[j], m->body[joint], sizeof m->body[j]) == 0) return j;
    return joint;
}

/* Makes a row that is a copy, a multiple or a sum of existing rows, or zero; in the same joint or in one parallel to
 * it. */
static void make_redundant_row(mechanism *m, int joint, double *row)
{
    const int other = parallel_joint(m, joint);
    const int start = m->first_row[other], count = other == joint ? m->rows - start : m->size[other];
    const double *first = m->W[start + random_index(&m->random, count)];
    const double *second = m->W[start + random_index(&m->random, count)];
    switch (random_index(&m->random, 4)) {
    case 0: add_scaled(row, 1, first); break;
    case 1: add_scaled(row, random_size(&m->random, 3), first); break;
    case 2: add_scaled(row, 1, first), add_scaled(row, 0.7, second); break;
    default: break;
    }
}

static void make_rows(mechanism *m, const options *how)
{
    double root_of_mass[BODIES];
    for (int b = 0; b < m->bodies; b++) root_of_mass[b] = sqrt(random_size(&m->random, how->mass_decades));
    for (int j = 0; j < m->joints; j++) {
        m->first_row[j] = m->rows;
        m->size[j] =
            how->empty && random_index(&m->random, 3) == 0 ? 0 : 1 + random_index(&m->random, TRM_BLOCK_ROWS);
        for (int r = 0; r < m->size[j]; r++) {
            const bool has_others = r > 0 || parallel_joint(m, j) < j;
            if (how->redundant && has_others && random_index(&m->random, 3) == 0)
                make_redundant_row(m, j, m->W[m->rows]);
            else
                make_fresh_row(m, j, m->W[m->rows], root_of_mass);
            m->rows++;
        }
    }
    for (int r = 0; r < m->rows; r++) {
        const double size = random_size(&m->random, how->row_decades);
        for (int c = 0; c < COLUMNS; c++) m->W[r][c] *= size;
    }
}

/* A = W W^T, x0 and b. */
static void multiply_out(mechanism *m)
{
    for (int i = 0; i < m->rows; i++) {
        for (int k = 0; k < m->rows; k++) {
            m->A[i][k] = 0;
            for (int c = 0; c < COLUMNS; c++) m->A[i][k] += m->W[i][c] * m->W[k][c];
        }
        m->length[i] = m->A[i][i] > 0 ? sqrt(m->A[i][i]) : 1;
        m->x0[i] = trm_random_uniform(&m->random, -1, 1) / m->length[i];
    }
    for (int i = 0; i < m->rows; i++) {
        m->b[i] = 0;
        for (int k = 0; k < m->rows; k++) m->b[i] += m->A[i][k] * m->x0[k];
    }
}

/* Returns a mechanism that the caller must free. A quarter of the joints of a redundant mechanism have one parallel
 * to them. */
static mechanism *make_mechanism(shape kind, uint64_t seed, options how)
{
    mechanism *m = test_calloc(1, sizeof *m);
    m->random = trm_random_seed(seed * SHAPES + (uint64_t)kind);
    m->bodies = kind == COMPLETE ? 3 + random_index(&m->random, 5) : 2 + random_index(&m->random, BODIES * 3 / 5);
    add_joints(m, kind);
    for (int extra = how.redundant ? m->joints / 4 : 0; extra > 0; extra--) {
        const int joint = random_index(&m->random, m->joints);
        add_joint(m, m->body[joint][0], m->body[joint][1]);
    }
    make_rows(m, &how);
    find_neighbours(m);
    multiply_out(m);
    return m;
}

typedef struct spectrum {
    int rank;
    double smallest; /* singular value that counts */
} spectrum;

/* Returns the singular values of the rows scaled to length one; asserts that the rank is decided. */
static spectrum spectrum_of(const mechanism *m)
{
    double *unit = test_calloc(ROWS * COLUMNS, sizeof *unit);
    double values[COLUMNS], superdiagonal[COLUMNS];
    for (int r = 0; r < m->rows; r++) add_scaled(unit + r * COLUMNS, 1 / m->length[r], m->W[r]);
    const lapack_int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m->rows, COLUMNS, unit, COLUMNS, values, NULL,
                                           1, NULL, 1, superdiagonal);
    assert_int_equal(info, 0);
    test_free(unit);
    spectrum result = {0, 1};
    for (int i = 0; i < m->rows && i < COLUMNS; i++) {
        assert_true(values[i] > small_value || values[i] < no_value);
        if (values[i] > small_value) result.rank++, result.smallest = values[i];
    }
    return result;
}

/* ---- The tested factorization ------------------------------------------------------------- */

typedef struct factors {
    trm_arena arena;
    trm_block_symbolic symbolic;
    double *values;
    bool *dropped; /* in elimination order */
    int lost;
} factors;

static trm_block_graph graph_of(const mechanism *m, const int *order)
{
    return (trm_block_graph){m->joints, m->size, m->first, m->neighbour, order};
}

/* Writes block (a, b) of A, a before b or not. */
static void put_block(const mechanism *m, const trm_block_symbolic *s, double *values, int a, int b)
{
    bool transposed;
    double *block = values + trm_block_place(s, a, b, &transposed);
    for (int i = 0; i < m->size[a]; i++)
        for (int k = 0; k < m->size[b]; k++)
            block[transposed ? k * m->size[a] + i : i * m->size[b] + k] =
                m->A[m->first_row[a] + i][m->first_row[b] + k];
}

/* Returns the row of the mechanism that is the r-th in block k of the elimination. */
static int row_at(const mechanism *m, const trm_block_symbolic *s, int k, int r)
{
    return m->first_row[s->block[k]] + r;
}

static void factorise(const mechanism *m, const int *order, factors *f)
{
    trm_arena_init(&f->arena, NULL);
    const trm_block_graph graph = graph_of(m, order);
    trm_block_symbolic *s = &f->symbolic;
    assert_true(trm_block_symbolic_find(&graph, &f->arena, &f->arena, s));
    assert_int_equal(s->rows, m->rows);
    f->values = TRM_NEW_ARRAY(&f->arena, double, s->values);
    f->dropped = TRM_NEW_ARRAY(&f->arena, bool, s->rows);
    double *scale = TRM_NEW_ARRAY(&f->arena, double, s->rows);
    for (int j = 0; j < m->joints; j++) {
        put_block(m, s, f->values, j, j);
        for (int n = m->first[j]; n < m->first[j + 1]; n++) put_block(m, s, f->values, j, m->neighbour[n]);
    }
    for (int k = 0; k < s->blocks; k++)
        for (int r = 0; r < s->size[k]; r++) {
            const double length = m->length[row_at(m, s, k, r)];
            scale[s->first_row[k] + r] = length * length;
        }
    f->lost = trm_block_factorise(s, f->values, scale, f->dropped);
}

/* Solves for x in the order of the mechanism. */
static void solve_once(const mechanism *m, const factors *f, const double *b, double *x)
{
    double y[ROWS];
    const trm_block_symbolic *s = &f->symbolic;
    for (int k = 0; k < s->blocks; k++)
        for (int r = 0; r < s->size[k]; r++) y[s->first_row[k] + r] = b[row_at(m, s, k, r)];
    trm_block_solve(s, f->values, y);
    for (int k = 0; k < s->blocks; k++)
        for (int r = 0; r < s->size[k]; r++) x[row_at(m, s, k, r)] = y[s->first_row[k] + r];
}

static void random_order(mechanism *m, int *order)
{
    for (int k = 0; k < m->joints; k++) {
        const int other = random_index(&m->random, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
}

/* ---- Measures ----------------------------------------------------------------------------- */

/* Returns the largest |x_i| relative to the rows' lengths. */
static double size_of(const mechanism *m, const double *x)
{
    double largest = 0;
    for (int i = 0; i < m->rows; i++) largest = fmax(largest, fabs(x[i]) * m->length[i]);
    return largest;
}

static double residual(const mechanism *m, const double *x)
{
    double largest = 0;
    for (int i = 0; i < m->rows; i++) {
        double sum = -m->b[i];
        for (int k = 0; k < m->rows; k++) sum += m->A[i][k] * x[k];
        largest = fmax(largest, fabs(sum) / m->length[i]);
    }
    return largest / (1 + size_of(m, x));
}

/* Solves with one refinement, as the methods do. Returns the residual before the refinement. */
static double solve(const mechanism *m, const factors *f, double *x)
{
    double rest[ROWS], correction[ROWS];
    solve_once(m, f, m->b, x);
    const double at_once = residual(m, x);
    for (int i = 0; i < m->rows; i++) {
        rest[i] = m->b[i];
        for (int k = 0; k < m->rows; k++) rest[i] -= m->A[i][k] * x[k];
    }
    solve_once(m, f, rest, correction);
    for (int i = 0; i < m->rows; i++) x[i] += correction[i];
    return at_once;
}

/* |W^T (x - y)| */
static double difference_of_impulses(const mechanism *m, const double *x, const double *y)
{
    double impulse[COLUMNS] = {0};
    for (int i = 0; i < m->rows; i++) add_scaled(impulse, x[i] - y[i], m->W[i]);
    return length_of(impulse) / (1 + size_of(m, x));
}

static double difference(const mechanism *m, const double *x, const double *y)
{
    double d[ROWS];
    for (int i = 0; i < m->rows; i++) d[i] = x[i] - y[i];
    return size_of(m, d) / (1 + size_of(m, x));
}

/* ---- Reference solutions ------------------------------------------------------------------ */

static void solve_by_cholmod(const mechanism *m, double *x)
{
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SIMPLICIAL;
    const size_t n = (size_t)m->rows;
    cholmod_dense *dense = cholmod_zeros(n, n, CHOLMOD_REAL, &common),
                  *b = cholmod_zeros(n, 1, CHOLMOD_REAL, &common);
    for (size_t i = 0; i < n; i++) {
        ((double *)b->x)[i] = m->b[i] / m->length[i];
        for (size_t k = 0; k < n; k++) ((double *)dense->x)[i + k * n] = m->A[i][k] / m->length[i] / m->length[k];
    }
    cholmod_sparse *both = cholmod_dense_to_sparse(dense, 1, &common), *lower = cholmod_copy(both, -1, 1, &common);
    cholmod_factor *factor = cholmod_analyze(lower, &common);
    assert_true(cholmod_factorize(lower, factor, &common));
    assert_int_equal(common.status, CHOLMOD_OK);
    cholmod_dense *solution = cholmod_solve(CHOLMOD_A, factor, b, &common);
    for (int i = 0; i < m->rows; i++) x[i] = ((double *)solution->x)[i] / m->length[i];
    cholmod_free_dense(&dense, &common);
    cholmod_free_dense(&b, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_sparse(&both, &common);
    cholmod_free_sparse(&lower, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
}

/* Computes the shortest solution, with any rank. */
static void solve_by_lapack(const mechanism *m, double *x)
{
    const int n = m->rows;
    double *A = test_calloc((size_t)(n * n), sizeof *A), values[ROWS];
    lapack_int rank = 0;
    for (int i = 0; i < n; i++) {
        x[i] = m->b[i] / m->length[i];
        for (int k = 0; k < n; k++) A[i * n + k] = m->A[i][k] / m->length[i] / m->length[k];
    }
    const double tolerance = small_value * small_value * 1e-3;
    const lapack_int info = LAPACKE_dgelsd(LAPACK_ROW_MAJOR, n, n, 1, A, n, x, 1, values, tolerance, &rank);
    assert_int_equal(info, 0);
    assert_int_equal(rank, spectrum_of(m).rank);
    for (int i = 0; i < n; i++) x[i] /= m->length[i];
    test_free(A);
}

/* ---- Checks on mechanisms ----------------------------------------------------------------- */

/* A check of one mechanism, and the loop over all shapes and some seeds. */
typedef void claim(mechanism *m);

static void try_all(claim *holds_for, uint64_t seeds, options how)
{
    for (shape kind = 0; kind < SHAPES; kind++)
        for (uint64_t seed = 0; seed < seeds; seed++) {
            mechanism *m = make_mechanism(kind, seed, how);
            holds_for(m);
            test_free(m);
        }
}

static void compare_with_cholmod(mechanism *m)
{
    const spectrum values = spectrum_of(m);
    const double inverse_condition = values.smallest * values.smallest;
    if (values.rank < m->rows) return; /* more rows than coordinates */
    factors f;
    double x[ROWS], expected[ROWS];
    factorise(m, NULL, &f);
    assert_near(solve(m, &f, x), 0, holds_at_once);
    solve_by_cholmod(m, expected);
    assert_int_equal(f.lost, 0);
    assert_near(difference(m, x, expected) * inverse_condition, 0, agrees);
    assert_near(difference(m, x, m->x0) * inverse_condition, 0, agrees);
    assert_near(residual(m, x), 0, holds);
    trm_arena_destroy(&f.arena);
}

static void regular_systems_are_solved_as_cholmod_does(void **state)
{
    (void)state;
    try_all(compare_with_cholmod, 12, (options){.mass_decades = 0.5});
}

static void the_lengths_of_rows_do_not_matter(void **state)
{
    (void)state;
    try_all(compare_with_cholmod, 6, (options){.mass_decades = 0.5, .row_decades = 6});
}

static void joints_without_rows_change_nothing(void **state)
{
    (void)state;
    try_all(compare_with_cholmod, 12, (options){.empty = true, .mass_decades = 0.5});
}

static void check_redundant(mechanism *m)
{
    factors f;
    double x[ROWS], expected[ROWS];
    factorise(m, NULL, &f);
    assert_near(solve(m, &f, x), 0, holds_at_once);
    solve_by_lapack(m, expected);
    const spectrum values = spectrum_of(m);
    assert_int_equal(f.lost, m->rows - values.rank);
    assert_near(difference_of_impulses(m, x, expected) * values.smallest, 0, agrees);
    assert_near(difference_of_impulses(m, x, m->x0) * values.smallest, 0, agrees);
    assert_near(residual(m, x), 0, holds);

    int dropped = 0;
    const trm_block_symbolic *s = &f.symbolic;
    for (int k = 0; k < s->blocks; k++)
        for (int r = 0; r < s->size[k]; r++)
            if (f.dropped[s->first_row[k] + r]) dropped++, assert_near(x[row_at(m, s, k, r)], 0, 0);
    assert_int_equal(dropped, f.lost);
    trm_arena_destroy(&f.arena);
}

static void redundant_rows_are_dropped_and_the_equations_hold(void **state)
{
    (void)state;
    try_all(check_redundant, 10, (options){.redundant = true, .mass_decades = 0.5});
}

static void redundant_rows_of_any_length_are_dropped(void **state)
{
    (void)state;
    try_all(check_redundant, 5, (options){.redundant = true, .mass_decades = 0.5, .row_decades = 6});
}

/* With bodies of 1e-6 kg and 1e6 kg joined, the heavy one adds 1e-12 to a diagonal: a row that only this contribution
 * keeps from being redundant is dropped, and one kept with little more needs another refinement. At most TRM_DROPPED
 * of each row is neglected; the equations hold to that (reached 2e-12 where none was dropped). */
static void check_masses(mechanism *m)
{
    factors f;
    double x[ROWS];
    factorise(m, NULL, &f);
    assert_near(solve(m, &f, x), 0, hardly_holds_at_once);
    assert_near(residual(m, x), 0, (f.lost + 1) * TRM_DROPPED);
    trm_arena_destroy(&f.arena);
}

static void masses_of_a_milligram_and_a_kiloton_are_survived(void **state)
{
    (void)state;
    try_all(check_masses, 12, (options){.mass_decades = 6});
    try_all(check_masses, 12, (options){.mass_decades = 6, .redundant = true});
}

/* Returns the least remainder of a row when it was eliminated, relative to its scale. */
static double smallest_share(const mechanism *m, const factors *f)
{
    double smallest = 1;
    const trm_block_symbolic *s = &f->symbolic;
    for (int k = 0; k < s->blocks; k++)
        for (int r = 0; r < s->size[k]; r++) {
            const double length = m->length[row_at(m, s, k, r)];
            const double inverse = f->values[s->pivot[k] + (size_t)(r * s->size[k] + r)];
            if (!f->dropped[s->first_row[k] + r]) smallest = fmin(smallest, 1 / (inverse * length * length));
        }
    return smallest;
}

/* Rows are chosen block after block, so that an unfavourable order may keep a row of which almost nothing remains.
 * Redundant rows then have remainders of rounding over that remainder, and one of them may be kept: the impulses are
 * still the same. */
static void compare_orders(mechanism *m)
{
    const double clear_share = 1e-4;
    int order[JOINTS];
    double x[ROWS], y[ROWS];
    factors by_degree, by_caller;
    random_order(m, order);
    factorise(m, NULL, &by_degree);
    factorise(m, order, &by_caller);
    for (int k = 0; k < m->joints; k++) {
        assert_int_equal(by_caller.symbolic.block[k], order[k]);
        assert_int_equal(by_caller.symbolic.position[order[k]], k);
        assert_int_equal(by_degree.symbolic.position[by_degree.symbolic.block[k]], k);
    }
    solve(m, &by_degree, x);
    solve(m, &by_caller, y);
    if (fmin(smallest_share(m, &by_degree), smallest_share(m, &by_caller)) > clear_share)
        assert_int_equal(by_degree.lost, by_caller.lost);
    const double smallest = spectrum_of(m).smallest;
    assert_near(difference_of_impulses(m, x, y) * smallest, 0, agrees);
    if (by_degree.lost == 0) assert_near(difference(m, x, y) * smallest * smallest, 0, agrees);
    trm_arena_destroy(&by_degree.arena);
    trm_arena_destroy(&by_caller.arena);
}

static void the_order_of_elimination_does_not_matter(void **state)
{
    (void)state;
    try_all(compare_orders, 6, (options){.mass_decades = 0.5});
    try_all(compare_orders, 6, (options){.mass_decades = 0.5, .redundant = true});
}

static void compare_bits(mechanism *m)
{
    double x[2][ROWS];
    factors f[2];
    for (int i = 0; i < 2; i++) {
        factorise(m, NULL, &f[i]);
        solve(m, &f[i], x[i]);
    }
    assert_memory_equal(f[0].values, f[1].values, f[0].symbolic.values * sizeof(double));
    assert_memory_equal(x[0], x[1], (size_t)m->rows * sizeof(double));
    for (int i = 0; i < 2; i++) trm_arena_destroy(&f[i].arena);
}

static void the_same_system_gives_the_same_bits(void **state)
{
    (void)state;
    try_all(compare_bits, 4, (options){.redundant = true, .mass_decades = 6});
}

/* Asserts that the blocks of neighbours cover the stored values once, apart from fill, seen from both sides. */
static void check_places(mechanism *m)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_block_symbolic s;
    const trm_block_graph graph = graph_of(m, NULL);
    assert_true(trm_block_symbolic_find(&graph, &arena, &arena, &s));
    int *owners = TRM_NEW_ARRAY(&arena, int, s.values);
    for (int a = 0; a < m->joints; a++)
        for (int b = 0; b <= a; b++) {
            if (a != b && !share_a_body(m, a, b)) continue;
            bool transposed, other;
            const size_t place = trm_block_place(&s, a, b, &transposed);
            assert_int_equal(trm_block_place(&s, b, a, &other), place);
            assert_int_equal(transposed, s.position[a] < s.position[b]);
            assert_int_equal(other, a != b && !transposed);
            const size_t end = place + (size_t)(m->size[a] * m->size[b]);
            assert_true(end <= s.values);
            for (size_t i = place; i < end; i++) assert_int_equal(owners[i]++, 0);
        }
    trm_arena_destroy(&arena);
}

static void every_pair_of_neighbours_has_a_place_of_its_own(void **state)
{
    (void)state;
    try_all(check_places, 6, (options){.mass_decades = 0});
}

/* ---- Known mechanisms --------------------------------------------------------------------- */

/* A row that keeps points p of bodies a and b together along direction d (rows of angular velocity: point false). */
static void add_geometric_row(mechanism *m, int joint, bool point, const double *p, const double *d)
{
    double *row = m->W[m->rows++];
    for (int side = 0; side < 2; side++) {
        const int body = m->body[joint][side];
        if (body < 0) continue;
        const double sign = side == 0 ? -1 : 1;
        double *w = row + body * PER_BODY, *v = w + 3;
        for (int c = 0; c < 3; c++) {
            const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            w[c] = sign * (point ? p[c1] * d[c2] - p[c2] * d[c1] : d[c]);
            v[c] = point ? sign * d[c] : 0;
        }
    }
}

/* A ring of hinges with parallel axes: three of its rows are redundant, as in every planar loop. Unit masses, about
 * one common point. */
static mechanism *make_planar_ring(int bodies)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mechanism *m = test_calloc(1, sizeof *m);
    m->random = trm_random_seed((uint64_t)bodies);
    m->bodies = bodies;
    add_joints(m, RING);
    for (int j = 0; j < m->joints; j++) {
        const double p[3] = {trm_random_uniform(&m->random, -1, 1), trm_random_uniform(&m->random, -1, 1), 0};
        m->first_row[j] = m->rows;
        m->size[j] = 5;
        for (int d = 0; d < 3; d++) add_geometric_row(m, j, true, p, axis[d]);
        for (int d = 0; d < 2; d++) add_geometric_row(m, j, false, p, axis[d]);
    }
    find_neighbours(m);
    multiply_out(m);
    return m;
}

static void a_planar_ring_of_hinges_has_three_rows_too_many(void **state)
{
    (void)state;
    for (int bodies = 3; bodies < 20; bodies++) {
        mechanism *m = make_planar_ring(bodies);
        factors f;
        double x[ROWS];
        factorise(m, NULL, &f);
        solve(m, &f, x);
        assert_int_equal(f.lost, 3);
        assert_near(residual(m, x), 0, holds);
        assert_near(difference_of_impulses(m, x, m->x0) * spectrum_of(m).smallest, 0, agrees);
        trm_arena_destroy(&f.arena);
        test_free(m);
    }
}

/* Two balls between the same bodies make a hinge: along the line of their centres one row is too many. */
static void a_hinge_made_of_two_balls_has_one_row_too_many(void **state)
{
    (void)state;
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mechanism *m = test_calloc(1, sizeof *m);
    m->random = trm_random_seed(1);
    m->bodies = 10;
    for (int b = 0; b < m->bodies; b++) add_joint(m, b - 1, b), add_joint(m, b - 1, b);
    for (int j = 0; j < m->joints; j++) {
        double p[3];
        for (int c = 0; c < 3; c++) p[c] = trm_random_uniform(&m->random, -1, 1);
        m->first_row[j] = m->rows;
        m->size[j] = 3;
        for (int d = 0; d < 3; d++) add_geometric_row(m, j, true, p, axis[d]);
    }
    find_neighbours(m);
    multiply_out(m);
    factors f;
    double x[ROWS];
    factorise(m, NULL, &f);
    solve(m, &f, x);
    assert_int_equal(f.lost, m->bodies);
    assert_near(residual(m, x), 0, holds);
    trm_arena_destroy(&f.arena);
    test_free(m);
}

/* ---- Pivots ------------------------------------------------------------------------------- */

/* One block of n rows of which row 1 is row 0 plus a small part, so that the given share of it remains. */
static void make_pivot(trm_random *random, int n, double share, double *a)
{
    double w[TRM_BLOCK_ROWS][TRM_BLOCK_ROWS] = {{0}};
    for (int i = 0; i < n; i++) {
        w[i][i] = i == 1 ? sqrt(share) : 1;
        for (int k = 0; k < i; k++) w[i][k] = i == 1 ? sqrt(1 - share) : 0.3 * trm_random_uniform(random, -1, 1);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            a[i * n + k] = 0;
            for (int c = 0; c < n; c++) a[i * n + k] += w[i][c] * w[k][c];
        }
}

/* Two joints on one body: n rows, of which row 1 is nearly row 0, then row 0 again. The pivot of the first joint is
 * hard to invert, but the repeated row is recognized as usual: only rounding of it remains. */
static void remainders_after_a_nearly_singular_pivot_are_exact(void **state)
{
    (void)state;
    static const int order[2] = {0, 1};
    for (int n = 2; n <= TRM_BLOCK_ROWS; n++)
        for (double share = 0.5; share > 2 * TRM_DROPPED; share /= 2) {
            mechanism *m = test_calloc(1, sizeof *m);
            m->random = trm_random_seed((uint64_t)n);
            m->bodies = 1;
            add_joint(m, -1, 0), add_joint(m, -1, 0);
            m->size[0] = n, m->size[1] = 1, m->first_row[1] = n, m->rows = n + 1;
            for (int r = 0; r < n; r++)
                for (int c = 0; c < PER_BODY; c++)
                    m->W[r][c] = (r == c) + 0.2 * trm_random_uniform(&m->random, -1, 1);
            for (int c = 0; c < PER_BODY; c++) {
                m->W[1][c] = m->W[0][c] + sqrt(share) * m->W[1][c];
                m->W[n][c] = m->W[0][c];
            }
            find_neighbours(m);
            multiply_out(m);
            factors f;
            factorise(m, order, &f);
            assert_int_equal(f.lost, 1);
            assert_true(f.dropped[n]);
            trm_arena_destroy(&f.arena);
            test_free(m);
        }
}

static bool symbolic_of_one(int n, trm_arena *arena, trm_block_symbolic *s)
{
    static const int first[2] = {0, 0};
    const trm_block_graph graph = {1, &n, first, NULL, NULL};
    return trm_block_symbolic_find(&graph, arena, arena, s);
}

/* Sizes with short formulas for pivots far from singular, and the general one; remainders on both sides of
 * TRM_DROPPED and of the limit of the short formulas. */
static void pivots_are_inverted_until_nothing_is_left_of_a_row(void **state)
{
    (void)state;
    const double lost_digits = 1e-14; /* rounding, divided by the remaining share. Reached 2e-15 */
    trm_random random = trm_random_seed(5);
    for (int n = 2; n <= TRM_BLOCK_ROWS; n++)
        for (double share = 0.5; share > 1e-14; share /= 2) {
            if (share > 0.5 * TRM_DROPPED && share < 2 * TRM_DROPPED) continue;
            double a[TRM_BLOCK_ROWS * TRM_BLOCK_ROWS], inverse[TRM_BLOCK_ROWS * TRM_BLOCK_ROWS];
            double scale[TRM_BLOCK_ROWS];
            bool dropped[TRM_BLOCK_ROWS];
            make_pivot(&random, n, share, a);
            for (int i = 0; i < n; i++) scale[i] = a[i * n + i];
            memcpy(inverse, a, sizeof a);
            trm_arena arena;
            trm_arena_init(&arena, NULL);
            trm_block_symbolic s;
            assert_true(symbolic_of_one(n, &arena, &s));
            const int lost = trm_block_factorise(&s, inverse, scale, dropped);
            trm_arena_destroy(&arena);
            assert_int_equal(lost, share < TRM_DROPPED);
            for (int i = 0; i < n && lost == 0; i++)
                for (int k = 0; k < n; k++) {
                    double product = 0;
                    for (int c = 0; c < n; c++) product += a[i * n + c] * inverse[c * n + k];
                    assert_near((product - (i == k)) * share, 0, lost_digits);
                    assert_near(inverse[i * n + k] * share, inverse[k * n + i] * share, lost_digits);
                }
        }
}

static void remainders_are_relative_to_the_scale_of_the_caller(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    for (int n = 1; n <= TRM_BLOCK_ROWS; n++) {
        trm_block_symbolic s;
        assert_true(symbolic_of_one(n, &arena, &s));
        for (double size = 1e-3; size > 1e-15; size /= 10) {
            double a[TRM_BLOCK_ROWS * TRM_BLOCK_ROWS] = {0}, scale[TRM_BLOCK_ROWS];
            bool dropped[TRM_BLOCK_ROWS];
            for (int i = 0; i < n; i++) a[i * n + i] = 3 * size, scale[i] = 1;
            const bool is_kept = 3 * size > TRM_DROPPED;
            assert_int_equal(trm_block_factorise(&s, a, scale, dropped), is_kept ? 0 : n);
            for (int i = 0; i < n; i++) assert_near(a[i * n + i] * 3 * size, is_kept, 1e-15);
        }
    }
    trm_arena_destroy(&arena);
}

/* Row 1 equals row 0 but for a small share; a caller who knows this drops one of them. */
static void a_row_is_dropped_by_its_infinite_scale_and_the_weakest_of_the_others_is_known(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(6);
    for (int n = 2; n <= TRM_BLOCK_ROWS; n++)
        for (int barred = -1; barred < 2; barred++) {
            const double share = 1e-5, enough = 0.1;
            double a[TRM_BLOCK_ROWS * TRM_BLOCK_ROWS], scale[TRM_BLOCK_ROWS], limit[TRM_BLOCK_ROWS];
            bool dropped[TRM_BLOCK_ROWS];
            trm_arena arena;
            trm_block_symbolic s;
            make_pivot(&random, n, share, a);
            for (int i = 0; i < n; i++) scale[i] = a[i * n + i], limit[i] = i == barred ? INFINITY : scale[i];
            trm_arena_init(&arena, NULL);
            assert_true(symbolic_of_one(n, &arena, &s));
            assert_int_equal(trm_block_factorise(&s, a, limit, dropped), barred >= 0);
            for (int i = 0; i < n; i++) assert_int_equal(dropped[i], i == barred);
            const double weakest = trm_block_weakest(&s, a, scale);
            if (barred < 0)
                assert_true(weakest > 0.3 * share && weakest < 1.1 * share);
            else
                assert_true(weakest > enough && weakest <= 1.1);
            trm_arena_destroy(&arena);
        }
}

static void a_nan_shows_in_the_solution(void **state)
{
    (void)state;
    mechanism *m = make_mechanism(CHAIN, 1, (options){.mass_decades = 0});
    m->A[m->first_row[1]][m->first_row[1]] = NAN;
    factors f;
    double x[ROWS];
    factorise(m, NULL, &f);
    solve_once(m, &f, m->b, x);
    bool shows = false;
    for (int i = 0; i < m->rows; i++) shows |= isnan(x[i]);
    assert_true(shows);
    trm_arena_destroy(&f.arena);
    test_free(m);
}

/* ---- Graphs ------------------------------------------------------------------------------- */

enum { CHAIN_BLOCKS = 100000, CLIQUE_BLOCKS = 600 };

/* A graph of blocks in memory of its own. */
typedef struct large_graph {
    trm_arena arena;
    trm_block_graph graph;
    int *size, *first, *neighbour, *order;
} large_graph;

static void large_init(large_graph *g, int blocks, int entries)
{
    trm_arena_init(&g->arena, NULL);
    g->size = TRM_NEW_ARRAY(&g->arena, int, blocks);
    g->first = TRM_NEW_ARRAY(&g->arena, int, blocks + 1);
    g->neighbour = TRM_NEW_ARRAY(&g->arena, int, entries);
    g->order = TRM_NEW_ARRAY(&g->arena, int, blocks);
    for (int b = 0; b < blocks; b++) g->size[b] = 3;
    g->graph = (trm_block_graph){blocks, g->size, g->first, g->neighbour, NULL};
}

static void make_chain(large_graph *g, int blocks)
{
    int count = 0;
    large_init(g, blocks, 2 * blocks);
    for (int b = 0; b < blocks; b++) {
        g->first[b] = count;
        if (b > 0) g->neighbour[count++] = b - 1;
        if (b < blocks - 1) g->neighbour[count++] = b + 1;
    }
    g->first[blocks] = count;
}

static void make_clique(large_graph *g, int blocks)
{
    int count = 0;
    large_init(g, blocks, blocks * blocks);
    for (int b = 0; b < blocks; b++) {
        g->first[b] = count;
        for (int other = 0; other < blocks; other++)
            if (other != b) g->neighbour[count++] = other;
    }
    g->first[blocks] = count;
}

/* Counts the largest number of bytes allocated at once. */
typedef struct peak_allocator {
    failing_allocator memory;
    size_t peak;
} peak_allocator;

static void *peak_allocate(void *context, size_t bytes)
{
    peak_allocator *p = context;
    void *piece = failing_allocator_allocate(&p->memory, bytes);
    if (p->memory.bytes_live > p->peak) p->peak = p->memory.bytes_live;
    return piece;
}

static void peak_release(void *context, void *piece, size_t bytes)
{
    peak_allocator *p = context;
    failing_allocator_release(&p->memory, piece, bytes);
}

static double peak_of(large_graph *g)
{
    peak_allocator memory = {.peak = 0};
    const trm_allocator hooks = {peak_allocate, peak_release, &memory};
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    trm_block_symbolic s;
    assert_true(trm_block_symbolic_find(&g->graph, &arena, &arena, &s));
    trm_arena_destroy(&arena);
    trm_arena_destroy(&g->arena);
    assert_true(failing_allocator_is_clean(&memory.memory));
    return (double)memory.peak;
}

static void memory_is_linear_in_the_length_of_a_chain(void **state)
{
    (void)state;
    large_graph once, twice;
    make_chain(&once, CHAIN_BLOCKS);
    make_chain(&twice, 2 * CHAIN_BLOCKS);
    const double bytes = peak_of(&once);
    assert_near(peak_of(&twice) / bytes, 2,
                0.3); /* blocks of the arena grow by factors of 2, so the ratio is not exactly 2 */
    assert_true(bytes / CHAIN_BLOCKS < 200);
}

/* This is the memory of L; the operations of its elimination grow with the third power. */
static void memory_is_quadratic_in_the_size_of_a_clique(void **state)
{
    (void)state;
    large_graph once, twice;
    make_clique(&once, CLIQUE_BLOCKS);
    make_clique(&twice, 2 * CLIQUE_BLOCKS);
    const double bytes = peak_of(&once);
    assert_near(peak_of(&twice) / bytes, 4, 0.6);
}

static void a_long_chain_is_analysed_in_no_time(void **state)
{
    (void)state;
    const double limit = 0.5; /* s of processor time; about 0.02 s without sanitizers */
    for (int own_order = 0; own_order < 2; own_order++) {
        large_graph g;
        trm_block_symbolic s;
        make_chain(&g, CHAIN_BLOCKS);
        for (int b = 0; b < CHAIN_BLOCKS; b++) g.order[b] = b;
        if (own_order) g.graph.order = g.order;
        const clock_t start = clock();
        assert_true(trm_block_symbolic_find(&g.graph, &g.arena, &g.arena, &s));
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < limit);
        assert_int_equal(s.column[s.blocks], CHAIN_BLOCKS - 1); /* no fill */
        trm_arena_destroy(&g.arena);
    }
}

/* Joint i joins body i to an earlier one; in reverse order, the joints of a body are eliminated while the remaining
 * ones at that body are neighbours already. */
static void leaves_first_a_tree_has_no_fill(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        mechanism *m = make_mechanism(TREE, seed, (options){.mass_decades = 0});
        int order[JOINTS];
        for (int k = 0; k < m->joints; k++) order[k] = m->joints - 1 - k;
        factors f;
        factorise(m, order, &f);
        assert_int_equal(f.symbolic.column[m->joints], m->first[m->joints] / 2);
        trm_arena_destroy(&f.arena);
        test_free(m);
    }
}

static void check_duplicates(mechanism *m)
{
    int first[JOINTS + 1], neighbour[3 * JOINTS * JOINTS], count = 0;
    for (int j = 0; j < m->joints; j++) {
        first[j] = count;
        for (int times = 0; times < 1 + j % 3; times++)
            for (int n = m->first[j]; n < m->first[j + 1]; n++) neighbour[count++] = m->neighbour[n];
    }
    first[m->joints] = count;
    const trm_block_graph once = graph_of(m, NULL), often = {m->joints, m->size, first, neighbour, NULL};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_block_symbolic a, b;
    assert_true(trm_block_symbolic_find(&once, &arena, &arena, &a));
    assert_true(trm_block_symbolic_find(&often, &arena, &arena, &b));
    assert_memory_equal(a.block, b.block, (size_t)m->joints * sizeof *a.block);
    assert_int_equal(a.column[m->joints], b.column[m->joints]);
    assert_int_equal(a.values, b.values);
    trm_arena_destroy(&arena);
}

static void neighbours_named_more_than_once_count_once(void **state)
{
    (void)state;
    try_all(check_duplicates, 6, (options){.mass_decades = 0});
}

static void no_blocks_are_a_system_too(void **state)
{
    (void)state;
    static const int first[1] = {0};
    const trm_block_graph graph = {0, NULL, first, NULL, NULL};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_block_symbolic s;
    assert_true(trm_block_symbolic_find(&graph, &arena, &arena, &s));
    assert_int_equal(s.rows, 0);
    assert_int_equal(trm_block_factorise(&s, NULL, NULL, NULL), 0);
    trm_block_solve(&s, NULL, NULL);
    trm_arena_destroy(&arena);
}

static void running_out_of_memory_is_reported_without_leaks(void **state)
{
    (void)state;
    for (int own_order = 0; own_order < 2; own_order++) {
        failing_allocator memory;
        bool done = false;
        for (long k = 1; !done; k++) {
            large_graph g;
            make_chain(&g, 2000); /* long enough that most arrays need an allocation of their own */
            for (int b = 0; b < g.graph.blocks; b++) g.order[b] = b;
            if (own_order) g.graph.order = g.order;
            failing_allocator_reset(&memory, k, false);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            trm_arena arena;
            trm_arena_init(&arena, &hooks);
            trm_block_symbolic s;
            done = trm_block_symbolic_find(&g.graph, &arena, &arena, &s);
            assert_int_equal(done, memory.refusals == 0);
            trm_arena_destroy(&arena);
            trm_arena_destroy(&g.arena);
            assert_true(failing_allocator_is_clean(&memory));
        }
        assert_true(memory.calls >= 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_systems_are_solved_as_cholmod_does),
        cmocka_unit_test(the_lengths_of_rows_do_not_matter),
        cmocka_unit_test(joints_without_rows_change_nothing),
        cmocka_unit_test(redundant_rows_are_dropped_and_the_equations_hold),
        cmocka_unit_test(redundant_rows_of_any_length_are_dropped),
        cmocka_unit_test(masses_of_a_milligram_and_a_kiloton_are_survived),
        cmocka_unit_test(the_order_of_elimination_does_not_matter),
        cmocka_unit_test(the_same_system_gives_the_same_bits),
        cmocka_unit_test(every_pair_of_neighbours_has_a_place_of_its_own),
        cmocka_unit_test(a_planar_ring_of_hinges_has_three_rows_too_many),
        cmocka_unit_test(a_hinge_made_of_two_balls_has_one_row_too_many),
        cmocka_unit_test(pivots_are_inverted_until_nothing_is_left_of_a_row),
        cmocka_unit_test(remainders_after_a_nearly_singular_pivot_are_exact),
        cmocka_unit_test(remainders_are_relative_to_the_scale_of_the_caller),
        cmocka_unit_test(a_row_is_dropped_by_its_infinite_scale_and_the_weakest_of_the_others_is_known),
        cmocka_unit_test(a_nan_shows_in_the_solution),
        cmocka_unit_test(memory_is_linear_in_the_length_of_a_chain),
        cmocka_unit_test(memory_is_quadratic_in_the_size_of_a_clique),
        cmocka_unit_test(a_long_chain_is_analysed_in_no_time),
        cmocka_unit_test(leaves_first_a_tree_has_no_fill),
        cmocka_unit_test(neighbours_named_more_than_once_count_once),
        cmocka_unit_test(no_blocks_are_a_system_too),
        cmocka_unit_test(running_out_of_memory_is_reported_without_leaks),
    };
    return RUN_TESTS(tests);
}
