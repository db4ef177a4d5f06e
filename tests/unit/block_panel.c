/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Nets of points of mass one, joined by threads and held by pins. A row is u at point b and -u at point a, so that
 *
 *     (A x)_r = u_r . (f_b - f_a),   f = J^T x,  the force on each point
 *
 * by which solutions are checked without the matrix. Results of panels are also compared with the same columns
 * eliminated as blocks (block_ldlt.c compares those with CHOLMOD and LAPACK). */

#include "linalg/block_panel.h"

#include <string.h>

#include "base/random.h"
#include "check.h"
#include "trammel/vecmath.h"

enum { SIDE = 24, POINTS = SIDE * SIDE, MOST_ROWS = 3 * POINTS, MOST_NEIGHBOURS = 24 };

/* |A x - b| and |x - y| after one refinement, with |x| near one: rounding of some tens of terms, because such
 * crumpled nets are well conditioned (reached 7e-15 and 3e-15). */
static const double holds = 1e-13, agrees = 1e-13;

typedef struct row {
    int a, b; /* -1: the ground */
    trm_vec3 u;
} row;

/* Blocks of one row are threads, blocks of three rows are pins. */
typedef struct net {
    trm_random random;
    int rows, blocks;
    row row[MOST_ROWS];
    int first_row[MOST_ROWS + 1], size[MOST_ROWS]; /* of blocks */
    int first[MOST_ROWS + 1], neighbour[MOST_ROWS * MOST_NEIGHBOURS];
    int doubled;
    int *order; /* NULL: by minimum degree */
    double x0[MOST_ROWS], b[MOST_ROWS];
} net;

/* ---- Nets --------------------------------------------------------------------------------- */

static void add_row(net *n, int a, int b, trm_vec3 u)
{
    assert_true(n->rows < MOST_ROWS);
    n->row[n->rows++] = (row){a, b, u};
}

static void end_block(net *n)
{
    n->size[n->blocks] = n->rows - n->first_row[n->blocks];
    n->first_row[++n->blocks] = n->rows;
}

static void add_thread(net *n, const trm_vec3 *x, int a, int b)
{
    add_row(n, a, b, trm_v3_unit(trm_v3_sub(x[b], x[a])));
    end_block(n);
}

static void add_pin(net *n, int point)
{
    for (int r = 0; r < 3; r++) add_row(n, -1, point, trm_axis(r));
    end_block(n);
}

static bool share_a_point(const row *r, const row *s)
{
    return (r->a >= 0 && (r->a == s->a || r->a == s->b)) || (r->b >= 0 && (r->b == s->a || r->b == s->b));
}

static void find_neighbours(net *n)
{
    int count = 0;
    for (int i = 0; i < n->blocks; i++) {
        n->first[i] = count;
        for (int k = 0; k < n->blocks; k++) {
            if (i == k || !share_a_point(&n->row[n->first_row[i]], &n->row[n->first_row[k]])) continue;
            assert_true(count < MOST_ROWS * MOST_NEIGHBOURS);
            n->neighbour[count++] = k;
        }
    }
    n->first[n->blocks] = count;
}

/* y = A x */
static void multiply(const net *n, const double *x, double *y)
{
    trm_vec3 f[POINTS] = {{0, 0, 0}};
    for (int r = 0; r < n->rows; r++) {
        const row *w = &n->row[r];
        if (w->a >= 0) f[w->a] = trm_v3_add_scaled(f[w->a], -x[r], w->u);
        if (w->b >= 0) f[w->b] = trm_v3_add_scaled(f[w->b], x[r], w->u);
    }
    for (int r = 0; r < n->rows; r++) {
        const row *w = &n->row[r];
        y[r] = (w->b >= 0 ? trm_v3_dot(w->u, f[w->b]) : 0) - (w->a >= 0 ? trm_v3_dot(w->u, f[w->a]) : 0);
    }
}

/* Returns a crumpled net, which the caller must free: threads along warp and weft, one of them doubled where
 * `doubled` says so, and the given number of points on the diagonal pinned. */
static net *make_net(int side, int doubled, int pins)
{
    net *n = test_calloc(1, sizeof *n);
    trm_vec3 x[POINTS];
    n->random = trm_random_seed((uint64_t)(side + doubled));
    for (int p = 0; p < side * side; p++) {
        const double z = trm_random_uniform(&n->random, -0.3, 0.3), s = trm_random_uniform(&n->random, -0.3, 0.3);
        x[p] = trm_v3(p / side + s, p % side + 0.3 * (p / side), z);
    }
    for (int p = 0; p < side * side; p++) {
        const bool twice = doubled > 0 && p % doubled == 0;
        for (int copy = 0; copy < 1 + twice; copy++) {
            if (p / side + 1 < side) add_thread(n, x, p, p + side), n->doubled += copy;
            if (p % side + 1 < side) add_thread(n, x, p, p + 1), n->doubled += copy;
        }
    }
    for (int i = 0; i < pins; i++) add_pin(n, (side + 1) * ((i + 1) * (side - 1) / pins));
    find_neighbours(n);
    for (int r = 0; r < n->rows; r++) n->x0[r] = trm_random_uniform(&n->random, -1, 1);
    multiply(n, n->x0, n->b);
    return n;
}

/* ---- Solving ------------------------------------------------------------------------------ */

typedef struct factors {
    trm_arena arena;
    trm_block_symbolic symbolic;
    double *values, *scale;
    bool *dropped;
    int lost;
} factors;

static double entry(const row *r, const row *s)
{
    const double dot = trm_v3_dot(r->u, s->u);
    double sum = 0;
    if (r->a >= 0) sum += dot * ((r->a == s->a) - (r->a == s->b));
    if (r->b >= 0) sum += dot * ((r->b == s->b) - (r->b == s->a));
    return sum;
}

static void put_block(const net *n, factors *f, int i, int k)
{
    bool transposed;
    double *block = f->values + trm_block_place(&f->symbolic, i, k, &transposed);
    if (transposed) return;
    for (int r = 0; r < n->size[i]; r++)
        for (int c = 0; c < n->size[k]; c++)
            block[r * n->size[k] + c] = entry(&n->row[n->first_row[i] + r], &n->row[n->first_row[k] + c]);
}

static void put_matrix(const net *n, factors *f)
{
    for (int i = 0; i < n->blocks; i++) {
        put_block(n, f, i, i);
        for (int e = n->first[i]; e < n->first[i + 1]; e++) put_block(n, f, i, n->neighbour[e]);
    }
    for (int k = 0; k < n->blocks; k++)
        for (int r = 0; r < f->symbolic.size[k]; r++) {
            const row *w = &n->row[n->first_row[f->symbolic.block[k]] + r];
            f->scale[f->symbolic.first_row[k] + r] = entry(w, w);
        }
}

static void factorise(const net *n, bool panels, factors *f)
{
    const trm_block_graph graph = {n->blocks, n->size, n->first, n->neighbour, n->order};
    trm_arena_init(&f->arena, NULL);
    assert_true(trm_block_symbolic_find(&graph, &f->arena, &f->arena, &f->symbolic));
    f->values = TRM_NEW_ARRAY(&f->arena, double, f->symbolic.values);
    f->scale = TRM_NEW_ARRAY(&f->arena, double, n->rows);
    f->dropped = TRM_NEW_ARRAY(&f->arena, bool, n->rows);
    assert_false(f->arena.failed);
    if (!panels) memset(f->symbolic.panel, 0, (size_t)n->blocks * sizeof *f->symbolic.panel);
    put_matrix(n, f);
    f->lost = trm_block_factorise(&f->symbolic, f->values, f->scale, f->dropped);
}

static void solve_once(const net *n, const factors *f, const double *b, double *x)
{
    const trm_block_symbolic *s = &f->symbolic;
    double y[MOST_ROWS];
    for (int k = 0; k < s->blocks; k++)
        memcpy(y + s->first_row[k], b + n->first_row[s->block[k]], (size_t)s->size[k] * sizeof *y);
    trm_block_solve(s, f->values, y);
    for (int k = 0; k < s->blocks; k++)
        memcpy(x + n->first_row[s->block[k]], y + s->first_row[k], (size_t)s->size[k] * sizeof *y);
}

/* Computes b - A x into rest; returns its largest entry. */
static double residual(const net *n, const double *x, double *rest)
{
    double largest = 0;
    multiply(n, x, rest);
    for (int r = 0; r < n->rows; r++) {
        rest[r] = n->b[r] - rest[r];
        largest = fmax(largest, fabs(rest[r]));
    }
    return largest;
}

/* Solves with one refinement, as the methods do. */
static void solve(const net *n, const factors *f, double *x)
{
    double rest[MOST_ROWS], more[MOST_ROWS];
    solve_once(n, f, n->b, x);
    residual(n, x, rest);
    solve_once(n, f, rest, more);
    for (int r = 0; r < n->rows; r++) x[r] += more[r];
}

static double difference(const net *n, const double *x, const double *y)
{
    double largest = 0;
    for (int r = 0; r < n->rows; r++) largest = fmax(largest, fabs(x[r] - y[r]));
    return largest;
}

/* ---- Checks ------------------------------------------------------------------------------- */

/* Returns whether the rows below the pivot of column k + 1 are the rest of those of column k. */
static bool has_the_rest(const trm_block_symbolic *s, int k)
{
    const int count = s->column[k + 1] - s->column[k] - 1;
    return count >= 0 && s->column[k + 2] - s->column[k + 1] == count && s->row[s->column[k]] == k + 1 &&
           memcmp(s->row + s->column[k] + 1, s->row + s->column[k + 1], (size_t)count * sizeof *s->row) == 0;
}

static void panels_have_columns_with_the_same_rows_as_many_as_follow_each_other(void **unused)
{
    (void)unused;
    net *n = make_net(SIDE, 0, 0);
    factors f;
    factorise(n, true, &f);
    const trm_block_symbolic *s = &f.symbolic;
    int widest = 0;
    for (int k = 0; k < s->blocks; k += s->panel[k]) {
        const int count = s->panel[k], next = k + count;
        assert_in_range(count, 1, TRM_PANEL_COLUMNS);
        for (int t = 1; t < count; t++) {
            assert_int_equal(s->panel[k + t], -1);
            assert_true(has_the_rest(s, k + t - 1));
        }
        if (count < TRM_PANEL_COLUMNS && next < s->blocks) assert_false(has_the_rest(s, next - 1));
        widest = count > widest ? count : widest;
    }
    assert_true(widest > 8); /* otherwise the net would not test wide panels */
    trm_arena_destroy(&f.arena);
    test_free(n);
}

static void threads_of_a_net_carry_what_they_carried(void **unused)
{
    (void)unused;
    for (int side = 2; side <= SIDE; side += side < 10 ? 1 : 7) {
        net *n = make_net(side, 0, 0);
        factors f;
        double x[MOST_ROWS], rest[MOST_ROWS];
        factorise(n, true, &f);
        assert_int_equal(f.lost, 0);
        solve(n, &f, x);
        assert_true(residual(n, x, rest) < holds);
        assert_true(difference(n, x, n->x0) < agrees);
        trm_arena_destroy(&f.arena);
        test_free(n);
    }
}

/* Threads that all meet in one point fill in completely: one run of columns, with more rows below than are summed at
 * once. */
static void a_star_is_cut_into_panels(void **unused)
{
    (void)unused;
    enum { THREADS = 4 * TRM_PANEL_COLUMNS + 5 };
    net *n = test_calloc(1, sizeof *n);
    factors f;
    double x[MOST_ROWS], rest[MOST_ROWS];
    n->random = trm_random_seed(1);
    for (int i = 0; i < THREADS; i++) {
        const double phi = 0.1 * i, z = cos(i);
        add_row(n, 0, i + 1, trm_v3_unit(trm_v3(cos(phi), sin(phi), z)));
        end_block(n);
        n->x0[i] = trm_random_uniform(&n->random, -1, 1);
    }
    find_neighbours(n);
    multiply(n, n->x0, n->b);
    factorise(n, true, &f);
    assert_int_equal(f.symbolic.panel[0], TRM_PANEL_COLUMNS);
    assert_int_equal(f.symbolic.panel[4 * TRM_PANEL_COLUMNS], THREADS - 4 * TRM_PANEL_COLUMNS);
    solve(n, &f, x);
    assert_true(residual(n, x, rest) < holds);
    assert_true(difference(n, x, n->x0) < agrees);
    trm_arena_destroy(&f.arena);
    test_free(n);
}

static int columns_in_panels(const trm_block_symbolic *s)
{
    int count = 0;
    for (int k = 0; k < s->blocks; k++) count += s->panel[k] != 0;
    return count;
}

/* Asserts that panels and blocks drop the same rows and give the same forces. */
static void compare_with_blocks(const net *n)
{
    factors panels, blocks;
    double x[MOST_ROWS], y[MOST_ROWS], rest[MOST_ROWS], apart[MOST_ROWS] = {0}, opens[MOST_ROWS];
    factorise(n, true, &panels);
    factorise(n, false, &blocks);
    assert_true(columns_in_panels(&panels.symbolic) > 0);
    assert_int_equal(columns_in_panels(&blocks.symbolic), 0);
    assert_int_equal(panels.lost, n->doubled);
    assert_int_equal(blocks.lost, n->doubled);
    assert_memory_equal(panels.dropped, blocks.dropped, (size_t)n->rows * sizeof *panels.dropped);
    solve(n, &panels, x);
    solve(n, &blocks, y);
    assert_true(residual(n, x, rest) < holds);
    for (int r = 0; r < n->rows; r++) apart[r] = x[r] - y[r];
    multiply(n, apart, opens);
    for (int r = 0; r < n->rows; r++) assert_true(fabs(opens[r]) < holds);
    if (n->doubled == 0) assert_true(difference(n, x, y) < agrees);
    trm_arena_destroy(&panels.arena);
    trm_arena_destroy(&blocks.arena);
}

static void redundant_threads_are_dropped_as_without_panels(void **unused)
{
    (void)unused;
    for (int doubled = 1; doubled < 30; doubled += 7) {
        net *n = make_net(SIDE / 2, doubled, 0);
        compare_with_blocks(n);
        test_free(n);
    }
}

/* Two threads from the ground to a point, whose directions differ so that this square of the second remains. Returns
 * how many are dropped. */
static int lost_of_two(double slope)
{
    net *n = test_calloc(1, sizeof *n);
    factors f;
    add_row(n, -1, 0, trm_v3(1, 0, 0));
    end_block(n);
    add_row(n, -1, 0, trm_v3_unit(trm_v3(1, slope, 0)));
    end_block(n);
    find_neighbours(n);
    factorise(n, true, &f);
    assert_int_equal(f.symbolic.panel[0], 2);
    trm_arena_destroy(&f.arena);
    test_free(n);
    return f.lost;
}

static void a_row_is_dropped_when_less_than_the_limit_is_left(void **unused)
{
    (void)unused;
    assert_int_equal(lost_of_two(sqrt(2 * TRM_DROPPED)), 0);
    assert_int_equal(lost_of_two(sqrt(0.5 * TRM_DROPPED)), 1);
}

/* Shuffles the order of elimination, so that pins come between rows of a column to which single rows below a panel
 * belong. */
static void shuffle(net *n, int *order)
{
    n->order = order;
    for (int k = 0; k < n->blocks; k++) {
        const int other = (int)trm_random_uniform(&n->random, 0, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
}

static void pins_of_three_rows_stand_among_threads(void **unused)
{
    (void)unused;
    for (int pins = 1; pins < 6; pins++) {
        net *n = make_net(SIDE / 2, 0, pins);
        int order[MOST_ROWS];
        compare_with_blocks(n);
        shuffle(n, order);
        compare_with_blocks(n);
        test_free(n);
    }
}

static void what_is_not_a_number_shows(void **unused)
{
    (void)unused;
    net *n = make_net(6, 0, 0);
    factors f;
    double x[MOST_ROWS];
    n->row[20].u.x = NAN;
    factorise(n, true, &f);
    solve_once(n, &f, n->b, x);
    bool any = false;
    for (int r = 0; r < n->rows; r++) any |= isnan(x[r]);
    assert_true(any);
    trm_arena_destroy(&f.arena);
    test_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_have_columns_with_the_same_rows_as_many_as_follow_each_other),
        cmocka_unit_test(threads_of_a_net_carry_what_they_carried),
        cmocka_unit_test(a_star_is_cut_into_panels),
        cmocka_unit_test(redundant_threads_are_dropped_as_without_panels),
        cmocka_unit_test(a_row_is_dropped_when_less_than_the_limit_is_left),
        cmocka_unit_test(pins_of_three_rows_stand_among_threads),
        cmocka_unit_test(what_is_not_a_number_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
