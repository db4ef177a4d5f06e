/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Linear complementarity problems that are known to be hard, have no solution, or run out of memory. */

#include <string.h>

#include "check.h"
#include "failing_allocator.h"
#include "lcp_problems.h"
#include "linalg/lemke_pivots.h"

/* For solutions with few unknowns: some roundings. */
static const double rounding = 1e-12;

enum { SMALL = 16 };

static trm_lcp_result by_pgs(const trm_lcp *lcp, trm_arena *scratch)
{
    const trm_lcp_sweeps sweeps = {.most = 100000, .sor = 1, .tolerance = 1e-15};
    return trm_lcp_pgs(lcp, &sweeps, scratch);
}

typedef trm_lcp_result (*solver)(const trm_lcp *lcp, trm_arena *scratch);

static const solver solvers[] = {trm_lcp_dantzig, trm_lcp_lemke, by_pgs};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static void setup(trm_arena *arena)
{
    trm_arena_init(arena, NULL);
}

static double solved_residual(solver solve, lcp_problem *p, trm_arena *arena)
{
    memset(p->lcp.x, 0, (size_t)p->lcp.n * sizeof(double));
    const trm_lcp_result result = solve(&p->lcp, arena);
    assert_int_equal(result.status, TRM_LCP_SOLVED);
    assert_int_equal(result.row, -1);
    return lcp_residual(&p->lcp, arena) / lcp_size(&p->lcp);
}

/* ---- Cycles --------------------------------------------------------------------------------- */

/* Follows Lemke's path, choosing the first of rows with equal ratios. Returns the number of pivots, or -1 if it has
 * not ended after more pivots than there are bases: for n = 3 there are less than 200. */
static int plain_pivots(int n, const double *M, const double *q)
{
    enum { MOST_PIVOTS = 1000 };
    double T[4][6];
    int basic[4], outside[6], r = 0, c = n + 1;
    for (int i = 0; i < n; i++) {
        T[i][0] = q[i], T[i][n + 1] = 1, basic[i] = i, outside[i + 1] = n + i;
        for (int j = 0; j < n; j++) T[i][j + 1] = M[i * n + j];
        if (q[i] < q[r]) r = i;
    }
    outside[n + 1] = 2 * n;
    for (int pivots = 1; pivots < MOST_PIVOTS; pivots++) {
        const int leaving = basic[r], entering = leaving < n ? leaving + n : leaving - n;
        const double inverse = 1 / T[r][c];
        for (int k = 0; k < n + 2; k++) T[r][k] = k == c ? inverse : -inverse * T[r][k];
        for (int i = 0; i < n; i++) {
            const double factor = T[i][c];
            for (int k = 0; k < n + 2 && i != r; k++) T[i][k] = (k == c ? 0 : T[i][k]) + factor * T[r][k];
            for (int k = 0; k < n + 2; k++) T[i][k] = fabs(T[i][k]) < 1e-12 ? 0 : T[i][k];
        }
        basic[r] = outside[c], outside[c] = leaving;
        if (leaving == 2 * n) return pivots;
        for (c = 1; outside[c] != entering;) c++;
        r = -1;
        for (int i = 0; i < n; i++) {
            if (T[i][c] >= -1e-10) continue;
            const double gain = r < 0 ? 1 : T[r][0] / -T[r][c] - T[i][0] / -T[i][c];
            if (gain > 1e-12 || (gain > -1e-12 && basic[i] == 2 * n)) r = i;
        }
        assert_true(r >= 0);
    }
    return -1;
}

/* Returns the number of pivots of the lexicographic path that starts with an artificial variable of the same weight
 * in each row. */
static int pivots_of_even_path(const lcp_problem *p, trm_arena *arena)
{
    const int n = p->lcp.n, width = n + 2;
    double start[SMALL * (SMALL + 2)];
    bool basic[SMALL];
    int unpaired;
    for (int i = 0; i < n; i++) {
        start[i * width] = p->b[i];
        memcpy(start + i * width + 1, p->A + i * n, (size_t)n * sizeof *start);
        start[i * width + n + 1] = 1;
    }
    const trm_lcp_result result = trm_lemke_pivots(&(trm_lemke){n, start, true, basic, &unpaired}, arena);
    assert_int_equal(result.status, TRM_LCP_SOLVED);
    assert_int_equal(unpaired, -1);
    return result.steps;
}

/* Kostreva 1979; and two examples found by trying small integers, the first of them definite. In all orders of the
 * rows, because these decide which rule cycles. */
static void lexicographic_rule_ends_where_the_plain_one_cycles(void **state)
{
    (void)state;
    const double matrices[][9] = {
        {1, 2, 0, 0, 1, 2, 2, 0, 1}, {2, 3, -4, -4, 1, 3, 3, -2, 2}, {2, 3, 0, 1, 2, 3, 3, 1, 2}};
    const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    trm_arena arena;
    setup(&arena);
    for (int k = 0; k < 3 * 6; k++) {
        const int *order = orders[k % 6];
        lcp_problem p = lcp_problem_make(3, &arena);
        for (int i = 0; i < 9; i++) p.A[i] = matrices[k / 6][3 * order[i / 3] + order[i % 3]];
        for (int i = 0; i < 3; i++) p.b[i] = -1;
        if (k % 6 == 0) assert_int_equal(plain_pivots(3, p.A, p.b), -1);
        assert_near(solved_residual(trm_lcp_lemke, &p, &arena), 0, rounding);
        assert_true(pivots_of_even_path(&p, &arena) < 20);
        assert_true(trm_lcp_lemke(&p.lcp, &arena).steps < 20);
        for (int i = 0; i < 3 && k < 6; i++) assert_near(p.lcp.x[i], 1.0 / 3, rounding);
    }
    const double M[] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, q[] = {-1, -2, -3}; /* the plain rule ends without ties */
    assert_true(plain_pivots(3, M, q) > 0);
    trm_arena_destroy(&arena);
}

/* Small integers, many of them zero: many ties. */
static void degenerate_problems_end(void **state)
{
    (void)state;
    enum { PROBLEMS = 3000 };
    trm_random random = trm_random_seed(1);
    trm_arena arena;
    setup(&arena);
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        const int n = 2 + lcp_random_index(&random, 14), columns = 1 + lcp_random_index(&random, n);
        lcp_problem p = lcp_problem_make(n, &arena);
        for (int c = 0; c < columns; c++) {
            double G[SMALL];
            const int v = lcp_random_index(&random, 3) - 1;
            for (int i = 0; i < n; i++) G[i] = lcp_random_index(&random, 3) - 1;
            if (n > 3) G[1] = G[0], G[3] = -G[2]; /* equal and opposite rows */
            for (int i = 0; i < n; i++) p.b[i] += G[i] * v;
            for (int i = 0; i < n * n; i++) p.A[i] += G[i / n] * G[i % n];
        }
        for (int i = 0; i < n && k % 2; i++) p.hi[i] = 1 + lcp_random_index(&random, 2);
        double x[SMALL];
        assert_near(solved_residual(trm_lcp_lemke, &p, &arena), 0, rounding);
        memcpy(x, p.lcp.x, (size_t)n * sizeof *x);
        assert_near(solved_residual(trm_lcp_dantzig, &p, &arena), 0, rounding);
        assert_near(lcp_difference_of_w(&p.lcp, p.lcp.x, x), 0, rounding * lcp_size(&p.lcp));
        trm_arena_reset(&arena, mark);
    }
    trm_arena_destroy(&arena);
}

/* ---- Many pivots, ill-conditioned matrices -------------------------------------------------- */

/* Murty 1978: 2 below the diagonal, 1 on it, b_i = -(2^n + ... + 2^(n-i)). Lemke's path goes through 2^n bases. */
static void the_exponential_example_takes_its_two_to_the_n_pivots(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    for (int n = 2; n <= 9; n++) {
        lcp_problem p = lcp_problem_make(n, &arena);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) p.A[i * n + j] = i == j ? 1 : j < i ? 2 : 0;
            for (int k = n - i; k <= n; k++) p.b[i] -= ldexp(1, k);
        }
        assert_near(solved_residual(trm_lcp_lemke, &p, &arena), 0, rounding);
        assert_int_equal(pivots_of_even_path(&p, &arena), 1 << n);
        assert_near(p.lcp.x[0], ldexp(1, n), rounding * ldexp(1, n)); /* and all others are zero */
    }
    trm_arena_destroy(&arena);
}

/* A = L L^T of the same L (Fathi 1979): definite and symmetric, so that Dantzig solves it, too. */
static void fathis_example_is_solved(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    for (int n = 2; n <= 12; n++) {
        lcp_problem p = lcp_problem_make(n, &arena);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) p.A[i * n + j] = i == j ? 1 + 4 * i : 2 + 4 * fmin(i, j);
            for (int k = n - i; k <= n; k++) p.b[i] -= ldexp(1, k);
        }
        for (int k = 0; k < 2; k++) assert_near(solved_residual(solvers[k], &p, &arena), 0, rounding);
    }
    trm_arena_destroy(&arena);
}

/* Hilbert matrices: a condition number of 1e13 at n = 10. x is inaccurate along eigenvectors of small eigenvalues, w
 * is not. */
static void ill_conditioned_problems_have_small_residuals(void **state)
{
    (void)state;
    const double accepted =
        1e-10; /* relative to the largest number in w: Dantzig may treat small pivots as rounding */
    trm_random random = trm_random_seed(2);
    trm_arena arena;
    setup(&arena);
    double worst[2] = {0};
    for (int n = 2; n <= 10; n++) {
        lcp_problem p = lcp_problem_make(n, &arena);
        for (int i = 0; i < n * n; i++) p.A[i] = 1.0 / (i / n + i % n + 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) p.b[i] -= p.A[i * n + j] * trm_random_uniform(&random, 0, 1);
        for (int k = 0; k < 2; k++) worst[k] = fmax(worst[k], solved_residual(solvers[k], &p, &arena));
    }
    print_message("residuals: Dantzig %.2g, Lemke %.2g\n", worst[0], worst[1]);
    assert_near(worst[0], 0, accepted);
    assert_near(worst[1], 0, accepted);
    trm_arena_destroy(&arena);
}

/* ---- Redundant rows ------------------------------------------------------------------------- */

/* A box of mass 1 and half width 1 on a plane, on four corners: three unknowns would suffice. */
static lcp_problem box_on_plane(double fall, double spin, trm_arena *arena)
{
    lcp_problem p = lcp_problem_make(4, arena);
    const double inertia = 2.0 / 3;
    const double J[4][3] = {{1, 1, 1}, {1, 1, -1}, {1, -1, -1}, {1, -1, 1}};
    for (int i = 0; i < 4; i++) {
        p.b[i] = fall + spin * J[i][1];
        for (int j = 0; j < 4; j++) p.A[i * 4 + j] = 1 + (J[i][1] * J[j][1] + J[i][2] * J[j][2]) / inertia;
    }
    return p;
}

static void a_box_stands_on_four_corners(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    for (int k = 0; k < SOLVERS; k++) {
        lcp_problem p = box_on_plane(-1, 0, &arena);
        assert_near(solved_residual(solvers[k], &p, &arena), 0, rounding);
        double sum = 0;
        for (int i = 0; i < 4; i++) sum += p.lcp.x[i];
        assert_near(sum, 1, 10 * rounding);                  /* its weight times the step */
        lcp_problem tilting = box_on_plane(-0.1, 1, &arena); /* one edge opens */
        assert_near(solved_residual(solvers[k], &tilting, &arena), 0, rounding);
        assert_true(lcp_w(&tilting.lcp, tilting.lcp.x, 0) > 0.1 && tilting.lcp.x[0] == 0);
    }
    trm_arena_destroy(&arena);
}

static void redundant_equations_are_solved_if_they_agree(void **state)
{
    (void)state;
    enum { PROBLEMS = 300 };
    trm_random random = trm_random_seed(3);
    trm_arena arena;
    setup(&arena);
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        const int n = 4 + lcp_random_index(&random, 12);
        lcp_problem p = lcp_problem_make(n, &arena);
        lcp_set_gram(&p, n / 2, &random);
        const int equations = n / 2 + 1 + lcp_random_index(&random, n / 2);
        for (int i = 0; i < equations; i++) p.lo[i] = -INFINITY;
        for (int s = 0; s < 2; s++) {
            assert_near(solved_residual(solvers[s], &p, &arena), 0, rounding);
            for (int i = 0; i < n; i++) /* the equations span all */
                assert_near(lcp_w(&p.lcp, p.lcp.x, i), 0, 1e3 * rounding * lcp_size(&p.lcp));
        }
        const int contrary = lcp_random_index(&random, equations);
        p.b[contrary] += 0.1;
        for (int s = 0; s < 2; s++) {
            const trm_lcp_result result = solvers[s](&p.lcp, &arena);
            assert_int_equal(result.status, TRM_LCP_NO_SOLUTION);
            assert_in_range(result.row, 0, equations - 1);
        }
        trm_arena_reset(&arena, mark);
    }
    trm_arena_destroy(&arena);
}

/* ---- No solution ---------------------------------------------------------------------------- */

static void problems_without_a_solution_are_reported(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    lcp_problem p = lcp_problem_make(2, &arena);
    p.b[1] = -1; /* A = 0: w < 0 for any x */
    for (int s = 0; s < 2; s++) {
        const trm_lcp_result result = solvers[s](&p.lcp, &arena);
        assert_int_equal(result.status, TRM_LCP_NO_SOLUTION);
        assert_int_equal(result.row, 1);
    }
    p.hi[1] = 3; /* a bound ends the ray */
    for (int s = 0; s < 2; s++) {
        assert_near(solved_residual(solvers[s], &p, &arena), 0, rounding);
        assert_near(p.lcp.x[1], 3, rounding);
    }
    p.A[3] = -1, p.hi[1] = INFINITY; /* a ray, with a matrix that Dantzig does not support */
    assert_int_equal(trm_lcp_lemke(&p.lcp, &arena).status, TRM_LCP_NO_SOLUTION);
    p.A[0] = p.A[1] = p.A[2] = p.A[3] = 1, p.b[0] = -1, p.b[1] = 1, p.hi[1] = INFINITY;
    p.lo[0] = p.lo[1] = -INFINITY; /* contradictory: x + y = 1 and x + y = -1 */
    for (int s = 0; s < 2; s++) assert_int_equal(solvers[s](&p.lcp, &arena).status, TRM_LCP_NO_SOLUTION);
    p.lo[1] = 2, p.hi[1] = 1;
    for (int s = 0; s < SOLVERS; s++) {
        const trm_lcp_result result = solvers[s](&p.lcp, &arena);
        assert_int_equal(result.status, TRM_LCP_NO_SOLUTION);
        assert_int_equal(result.row, 1);
    }
    trm_arena_destroy(&arena);
}

static void unsupported_problems_are_reported_as_unfit(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    lcp_problem p = lcp_problem_make(3, &arena);
    for (int i = 0; i < 3; i++) p.A[4 * i] = 1;
    p.friction[1] = 0, p.hi[1] = 0.5; /* a pyramid */
    assert_int_equal(trm_lcp_dantzig(&p.lcp, &arena).status, TRM_LCP_UNFIT);
    p.friction[1] = -1, p.friction[2] = 2; /* refers to itself */
    for (int s = 0; s < SOLVERS; s++) assert_int_equal(solvers[s](&p.lcp, &arena).status, TRM_LCP_UNFIT);
    p.friction[1] = p.friction[2] = 0, p.hi[1] = 0.5, p.hi[2] = 0.4; /* one pyramid with two coefficients */
    for (int s = 1; s < SOLVERS; s++) assert_int_equal(solvers[s](&p.lcp, &arena).status, TRM_LCP_UNFIT);
    p.friction[1] = p.friction[2] = -1, p.A[4] = 0;
    const trm_lcp_result result = by_pgs(&p.lcp, &arena); /* a zero diagonal */
    assert_int_equal(result.status, TRM_LCP_UNFIT);
    assert_int_equal(result.row, 1);
    trm_arena_destroy(&arena);
}

static void a_result_that_is_not_a_number_is_refused(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    for (int s = 0; s < SOLVERS; s++)
        for (int where = 0; where < 3; where++) {
            lcp_problem p = box_on_plane(-1, 0, &arena);
            if (where == 0) p.b[2] = NAN;
            if (where == 1) p.A[6] = p.A[9] = NAN;
            if (where == 2) p.b[1] = -INFINITY;
            assert_int_not_equal(solvers[s](&p.lcp, &arena).status, TRM_LCP_SOLVED);
        }
    trm_arena_destroy(&arena);
}

/* ---- Sweeps --------------------------------------------------------------------------------- */

static void sweeps_start_from_x_and_end_at_their_limit(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    lcp_problem p = box_on_plane(-1, 0.2, &arena);
    const trm_lcp_sweeps exact = {.most = 10000, .sor = 1, .tolerance = 1e-12}, three = {.most = 3, .sor = 1};
    const trm_lcp_result cold = trm_lcp_pgs(&p.lcp, &exact, &arena), warm = trm_lcp_pgs(&p.lcp, &exact, &arena);
    assert_int_equal(cold.status, TRM_LCP_SOLVED);
    assert_true(cold.steps > 3 && warm.steps == 1);
    assert_int_equal(trm_lcp_pgs(&p.lcp, &three, &arena).steps, 3); /* no tolerance: exactly as many as given */
    memset(p.lcp.x, 0, 4 * sizeof(double));
    const trm_lcp_sweeps few = {.most = 2, .sor = 1, .tolerance = 1e-12};
    assert_int_equal(trm_lcp_pgs(&p.lcp, &few, &arena).status, TRM_LCP_GAVE_UP);
    trm_arena_destroy(&arena);
}

static void over_relaxation_changes_the_sweeps_but_not_the_solution(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(4);
    trm_arena arena;
    setup(&arena);
    lcp_problem p = lcp_problem_make(20, &arena);
    lcp_set_gram(&p, 24, &random);
    double x[20];
    assert_int_equal(trm_lcp_dantzig(&p.lcp, &arena).status, TRM_LCP_SOLVED);
    memcpy(x, p.lcp.x, sizeof x);
    int steps[3] = {0};
    for (int k = 0; k < 3; k++) {
        const trm_lcp_sweeps sweeps = {.most = 100000, .sor = 0.7 + 0.3 * k, .tolerance = 1e-14};
        memset(p.lcp.x, 0, sizeof x);
        const trm_lcp_result result = trm_lcp_pgs(&p.lcp, &sweeps, &arena);
        assert_int_equal(result.status, TRM_LCP_SOLVED);
        steps[k] = result.steps;
        for (int i = 0; i < 20; i++) assert_near(p.lcp.x[i], x[i], 1e-9);
    }
    assert_true(steps[0] > steps[1] && steps[1] > steps[2]);
    trm_arena_destroy(&arena);
}

/* A matrix given as an operator: w is stored, each row is read once and changed at most once per sweep. */
typedef struct kept_w {
    const lcp_problem *p;
    double w[SMALL];
    int looks, pushes;
} kept_w;

static double look(void *context, int row)
{
    kept_w *kept = context;
    kept->looks++;
    return kept->w[row];
}

static void push(void *context, int row, double change)
{
    kept_w *kept = context;
    kept->pushes++;
    for (int i = 0; i < kept->p->lcp.n; i++) kept->w[i] += kept->p->A[i * kept->p->lcp.n + row] * change;
}

static void the_operator_is_called_once_per_row_with_the_same_result(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(5);
    trm_arena arena;
    setup(&arena);
    enum { ROWS = 10, SWEEPS = 50 };
    lcp_problem p = lcp_problem_make(ROWS, &arena);
    lcp_set_gram(&p, 12, &random);
    for (int i = 0; i < ROWS; i++) {
        if (i % 5 == 0) continue;
        p.friction[i] = i - i % 5, p.hi[i] = 0.4;
        if (i > 5) p.lo[i] = -0.4; /* a pyramid and boxes */
    }
    kept_w kept = {.p = &p};
    double diagonal[ROWS], x[ROWS];
    for (int i = 0; i < ROWS; i++) kept.w[i] = p.b[i], diagonal[i] = p.A[i * ROWS + i];
    const trm_lcp_operator matrix = {&kept, look, push, NULL};
    const trm_lcp_sweeps sweeps = {.most = SWEEPS, .sor = 1};
    assert_int_equal(trm_lcp_pgs(&p.lcp, &sweeps, &arena).status, TRM_LCP_SOLVED);
    memcpy(x, p.lcp.x, sizeof x);
    memset(p.lcp.x, 0, sizeof x);
    trm_lcp unwritten = p.lcp;
    unwritten.A = unwritten.b = NULL;
    assert_int_equal(trm_lcp_pgs_by(&unwritten, diagonal, &matrix, &sweeps, &arena).status, TRM_LCP_SOLVED);
    for (int i = 0; i < ROWS; i++) assert_near(p.lcp.x[i], x[i], rounding);
    assert_true(kept.looks <= ROWS * SWEEPS && kept.looks > ROWS * SWEEPS / 2 && kept.pushes <= kept.looks + ROWS);
    trm_arena_destroy(&arena);
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Pyramids of two contacts and an equation; for Dantzig boxes. */
static lcp_problem mixed_problem(bool boxes, trm_arena *arena)
{
    trm_random random = trm_random_seed(6);
    lcp_problem p = lcp_problem_make(11, arena);
    lcp_set_gram(&p, 14, &random);
    p.lo[10] = -INFINITY;
    for (int i = 0; i < 10; i++) {
        if (i % 5 == 0) continue;
        p.friction[i] = i - i % 5, p.hi[i] = 0.3, p.lo[i] = boxes ? -0.3 : 0;
    }
    return p;
}

static void solvers_survive_a_failing_allocator(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    for (int s = 0; s < SOLVERS; s++) {
        lcp_problem p = mixed_problem(s == 0, &arena);
        int refused = 0;
        for (long k = 1, done = 0; !done; k++) {
            failing_allocator memory;
            failing_allocator_reset(&memory, k, k % 2);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            trm_arena scratch;
            trm_arena_init(&scratch, &hooks);
            const trm_lcp_status status = solvers[s](&p.lcp, &scratch).status;
            done = memory.refusals == 0;
            assert_int_equal(status, done ? TRM_LCP_SOLVED : TRM_LCP_NO_MEMORY);
            assert_int_equal(scratch.bytes_used, 0); /* all room was given back */
            refused += !done;
            trm_arena_destroy(&scratch);
            assert_true(failing_allocator_is_clean(&memory));
        }
        assert_true(refused > 0);
    }
    failing_allocator memory;
    failing_allocator_reset(&memory, 1, true);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena scratch;
    trm_arena_init(&scratch, &hooks);
    lcp_problem p = mixed_problem(false, &arena);
    assert_true(isnan(lcp_residual(&p.lcp, &scratch)));
    trm_arena_destroy(&scratch);
    trm_arena_destroy(&arena);
}

static void no_rows_are_solved(void **state)
{
    (void)state;
    trm_arena arena;
    setup(&arena);
    lcp_problem p = lcp_problem_make(0, &arena);
    for (int s = 0; s < SOLVERS; s++) assert_int_equal(solvers[s](&p.lcp, &arena).status, TRM_LCP_SOLVED);
    assert_true(lcp_residual(&p.lcp, &arena) == 0);
    trm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lexicographic_rule_ends_where_the_plain_one_cycles),
        cmocka_unit_test(degenerate_problems_end),
        cmocka_unit_test(the_exponential_example_takes_its_two_to_the_n_pivots),
        cmocka_unit_test(fathis_example_is_solved),
        cmocka_unit_test(ill_conditioned_problems_have_small_residuals),
        cmocka_unit_test(a_box_stands_on_four_corners),
        cmocka_unit_test(redundant_equations_are_solved_if_they_agree),
        cmocka_unit_test(problems_without_a_solution_are_reported),
        cmocka_unit_test(unsupported_problems_are_reported_as_unfit),
        cmocka_unit_test(a_result_that_is_not_a_number_is_refused),
        cmocka_unit_test(sweeps_start_from_x_and_end_at_their_limit),
        cmocka_unit_test(over_relaxation_changes_the_sweeps_but_not_the_solution),
        cmocka_unit_test(the_operator_is_called_once_per_row_with_the_same_result),
        cmocka_unit_test(solvers_survive_a_failing_allocator),
        cmocka_unit_test(no_rows_are_solved),
    };
    return RUN_TESTS(tests);
}
