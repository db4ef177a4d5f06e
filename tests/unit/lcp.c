/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The solvers of linear complementarity problems compared with a trial of all cases, and with each other. w is
 * compared, because x may not be unique where A is singular. */

#include "linalg/lcp.h"

#include "check.h"
#include "lcp_problems.h"

/* Relative to the largest number in w. Twelve unknowns lose few digits, but a random semidefinite A is sometimes
 * nearly of a lower rank. */
static const double tolerance = 1e-9;

/* Sweeps end by the change of x, so that w has an error of that change divided by their rate of convergence: a few
 * hundred times it. For a semidefinite A they may not end within these limits, although the residual is small. */
static const trm_lcp_sweeps many_sweeps = {.most = 200000, .sor = 1, .tolerance = 1e-14};

/* ---- All cases ------------------------------------------------------------------------------ */

enum { MOST = 12 };

typedef enum side { AT_LO, AT_HI, INSIDE, SIDES } side;

/* Solves A x = b with full pivoting; undetermined unknowns are zero. Returns false if there is no solution. */
static bool solve_any(int n, double A[MOST][MOST], double *b, double *x)
{
    int column[MOST];
    for (int i = 0; i < n; i++) column[i] = i, x[i] = 0;
    int rank = 0;
    for (; rank < n; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < n; i++)
            for (int j = rank; j < n; j++)
                if (fabs(A[i][column[j]]) > fabs(A[r][column[c]])) r = i, c = j;
        const int kept_column = column[rank];
        column[rank] = column[c], column[c] = kept_column;
        for (int j = 0; j < n; j++) {
            const double kept = A[rank][j];
            A[rank][j] = A[r][j], A[r][j] = kept;
        }
        const double kept = b[rank];
        b[rank] = b[r], b[r] = kept;
        if (fabs(A[rank][column[rank]]) < 1e-11) break;
        for (int i = rank + 1; i < n; i++) {
            const double factor = A[i][column[rank]] / A[rank][column[rank]];
            for (int j = rank; j < n; j++) A[i][column[j]] -= factor * A[rank][column[j]];
            b[i] -= factor * b[rank];
        }
    }
    for (int i = rank; i < n; i++)
        if (fabs(b[i]) > 1e-9) return false;
    for (int i = rank - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < rank; j++) sum -= A[i][column[j]] * x[column[j]];
        x[column[i]] = sum / A[i][column[i]];
    }
    return true;
}

/* Computes x with rows at these sides; returns false if there is none. */
static bool solve_case(const trm_lcp *lcp, const side *sides, double *x)
{
    double A[MOST][MOST], b[MOST], inside[MOST];
    int rows[MOST], count = 0;
    for (int i = 0; i < lcp->n; i++) {
        x[i] = sides[i] == AT_LO ? lcp->lo[i] : sides[i] == AT_HI ? lcp->hi[i] : 0;
        if (sides[i] == INSIDE) rows[count++] = i;
    }
    for (int i = 0; i < count; i++) {
        b[i] = -lcp_w(lcp, x, rows[i]);
        for (int j = 0; j < count; j++) A[i][j] = lcp->A[rows[i] * lcp->n + rows[j]];
    }
    if (!solve_any(count, A, b, inside)) return false;
    for (int i = 0; i < count; i++) x[rows[i]] = inside[i];
    return true;
}

static bool is_right(const trm_lcp *lcp, const double *x, const side *sides)
{
    const double little = 1e-9;
    for (int i = 0; i < lcp->n; i++) {
        const double w = lcp_w(lcp, x, i);
        if (x[i] < lcp->lo[i] - little || x[i] > lcp->hi[i] + little) return false;
        if (sides[i] != AT_HI && w < -little) return false;
        if (sides[i] != AT_LO && w > little) return false;
    }
    return true;
}

static bool side_exists(const trm_lcp *lcp, int row, side s)
{
    return s == INSIDE || isfinite(s == AT_LO ? lcp->lo[row] : lcp->hi[row]);
}

/* Makes the next case, like counting; returns false after the last one. */
static bool next_case(const trm_lcp *lcp, side *sides)
{
    for (int i = 0; i < lcp->n; i++) {
        do sides[i]++;
        while (sides[i] < SIDES && !side_exists(lcp, i, sides[i]));
        if (sides[i] < SIDES) return true;
        sides[i] = AT_LO;
        while (!side_exists(lcp, i, sides[i])) sides[i]++;
    }
    return false;
}

/* Solves by trying all cases; returns false if there is no solution. */
static bool try_all(const trm_lcp *lcp, double *x)
{
    side sides[MOST];
    for (int i = 0; i < lcp->n; i++)
        for (sides[i] = AT_LO; !side_exists(lcp, i, sides[i]);) sides[i]++;
    do
        if (solve_case(lcp, sides, x) && is_right(lcp, x, sides)) return true;
    while (next_case(lcp, sides));
    return false;
}

/* ---- Random problems ------------------------------------------------------------------------ */

/* Sets bounds on both sides of zero: usual rows, equations, and all kinds. */
static void set_bounds(lcp_problem *p, int kind, trm_random *random)
{
    for (int i = 0; i < p->lcp.n; i++) {
        const double dice = trm_random_uniform(random, 0, 1);
        if (kind >= 1 && dice < 0.3) p->lo[i] = -INFINITY;
        if (kind == 2 && dice > 0.3 && dice < 0.6) p->lo[i] = -dice, p->hi[i] = dice - 0.3;
        if (kind == 2 && dice > 0.6 && dice < 0.75) p->lo[i] = -INFINITY, p->hi[i] = dice - 0.5;
    }
}

/* Shifts bounds, which then need not include zero: this is allowed if A is definite. */
static void shift_bounds(lcp_problem *p, trm_random *random)
{
    for (int i = 0; i < p->lcp.n; i++) {
        const double shift = trm_random_uniform(random, -0.3, 0.3);
        p->lo[i] += shift, p->hi[i] += shift;
    }
}

/* Returns a positive definite problem, or one of any rank. */
static lcp_problem random_problem(int n, int number, trm_random *random, trm_arena *arena)
{
    lcp_problem p = lcp_problem_make(n, arena);
    lcp_set_gram(&p, number % 2 ? n + 3 + lcp_random_index(random, n) : 1 + lcp_random_index(random, n), random);
    set_bounds(&p, number % 3, random);
    if (number % 6 == 5) shift_bounds(&p, random);
    return p;
}

static double relative_residual(const trm_lcp *lcp, trm_arena *scratch)
{
    return lcp_residual(lcp, scratch) / lcp_size(lcp);
}

static void check_against(const trm_lcp *lcp, trm_lcp_result result, const double *expected, trm_arena *scratch)
{
    assert_int_equal(result.status, TRM_LCP_SOLVED);
    assert_near(relative_residual(lcp, scratch), 0, tolerance);
    assert_near(lcp_difference_of_w(lcp, lcp->x, expected) / lcp_size(lcp), 0, tolerance);
}

static void all_solvers_find_what_trying_all_cases_finds(void **state)
{
    (void)state;
    enum { PROBLEMS = 240 };
    trm_random random = trm_random_seed(1);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        const int most = k % 3 == 2 ? 7 : 12; /* rows with two bounds give three cases each */
        lcp_problem p = random_problem(1 + lcp_random_index(&random, most), k, &random, &arena);
        double expected[MOST];
        assert_true(try_all(&p.lcp, expected));
        check_against(&p.lcp, trm_lcp_dantzig(&p.lcp, &arena), expected, &arena);
        check_against(&p.lcp, trm_lcp_lemke(&p.lcp, &arena), expected, &arena);
        memset(p.lcp.x, 0, (size_t)p.lcp.n * sizeof(double));
        const trm_lcp_result result = trm_lcp_pgs(&p.lcp, &many_sweeps, &arena);
        if (k % 2) check_against(&p.lcp, result, expected, &arena); /* definite */
        assert_near(relative_residual(&p.lcp, &arena), 0, tolerance);
        trm_arena_reset(&arena, mark);
    }
    trm_arena_destroy(&arena);
}

/* A strictly diagonally dominant matrix has positive principal minors: a unique solution for any b. */
static void lemke_solves_unsymmetric_problems(void **state)
{
    (void)state;
    enum { PROBLEMS = 200 };
    trm_random random = trm_random_seed(2);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        const int n = 1 + lcp_random_index(&random, 10);
        lcp_problem p = lcp_problem_make(n, &arena);
        double expected[MOST];
        for (int i = 0; i < n * n; i++) p.A[i] = trm_random_uniform(&random, -1, 1) + (i % (n + 1) == 0) * (n + 1);
        for (int i = 0; i < n; i++) p.b[i] = trm_random_uniform(&random, -1, 1);
        if (k % 2) set_bounds(&p, 1, &random);
        assert_true(try_all(&p.lcp, expected));
        check_against(&p.lcp, trm_lcp_lemke(&p.lcp, &arena), expected, &arena);
        trm_arena_reset(&arena, mark);
    }
    trm_arena_destroy(&arena);
}

static void lemke_and_dantzig_agree_on_ten_thousand_problems(void **state)
{
    (void)state;
    enum { PROBLEMS = 10000, ROWS = 30 };
    trm_random random = trm_random_seed(3);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    double most = 0, most_of_x = 0;
    long pivots = 0, steps = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        lcp_problem p = random_problem(1 + lcp_random_index(&random, ROWS), k, &random, &arena);
        double x[ROWS];
        const trm_lcp_result lemke = trm_lcp_lemke(&p.lcp, &arena);
        memcpy(x, p.lcp.x, (size_t)p.lcp.n * sizeof *x);
        const trm_lcp_result dantzig = trm_lcp_dantzig(&p.lcp, &arena);
        assert_int_equal(lemke.status, TRM_LCP_SOLVED);
        assert_int_equal(dantzig.status, TRM_LCP_SOLVED);
        const double difference = lcp_difference_of_w(&p.lcp, p.lcp.x, x) / lcp_size(&p.lcp);
        assert_near(difference, 0, tolerance);
        most = fmax(most, difference);
        for (int i = 0; i < p.lcp.n && k % 2; i++) { /* definite */
            const double off = fabs(p.lcp.x[i] - x[i]) / lcp_size(&p.lcp);
            assert_near(off, 0, tolerance);
            most_of_x = fmax(most_of_x, off);
        }
        pivots += lemke.steps;
        steps += dantzig.steps;
        trm_arena_reset(&arena, mark);
    }
    print_message("w within %.2g, x of definite ones within %.2g; pivots per problem: Lemke %.1f, Dantzig %.1f\n",
                  most, most_of_x, (double)pivots / PROBLEMS, (double)steps / PROBLEMS);
    trm_arena_destroy(&arena);
}

/* w of rows between their bounds must be rounding: this requires one round of refinement. */
static void dantzig_leaves_only_rounding_between_bounds(void **state)
{
    (void)state;
    const double rounding = 1e-13; /* of the largest number in w, 200 rows */
    trm_random random = trm_random_seed(4);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    lcp_problem p = lcp_problem_make(200, &arena);
    lcp_set_gram(&p, 210, &random);
    set_bounds(&p, 2, &random);
    assert_int_equal(trm_lcp_dantzig(&p.lcp, &arena).status, TRM_LCP_SOLVED);
    int inside = 0;
    for (int i = 0; i < p.lcp.n; i++) {
        if (p.lcp.x[i] <= p.lo[i] || p.lcp.x[i] >= p.hi[i]) continue;
        assert_near(lcp_w(&p.lcp, p.lcp.x, i) / lcp_size(&p.lcp), 0, rounding);
        inside++;
    }
    assert_true(inside > 50);
    trm_arena_destroy(&arena);
}

/* ---- Boxes of friction ---------------------------------------------------------------------- */

/* The given number of normals, each with two rows of friction; definite. */
static lcp_problem random_boxes(int normals, double mu, trm_random *random, trm_arena *arena)
{
    lcp_problem p = lcp_problem_make(3 * normals, arena);
    lcp_set_gram(&p, 3 * normals + 4, random);
    for (int i = 0; i < p.lcp.n; i++) {
        if (i % 3 == 0) continue;
        p.friction[i] = i - i % 3;
        p.lo[i] = -mu, p.hi[i] = mu;
    }
    return p;
}

/* Solves without friction first, then with boxes that stay constant. */
static void solve_in_two_stages(const lcp_problem *p, double *x)
{
    double lo[MOST], hi[MOST];
    trm_lcp stage = {p->lcp.n, p->A, p->b, lo, hi, NULL, NULL};
    for (int i = 0; i < stage.n; i++) lo[i] = 0, hi[i] = p->friction[i] < 0 ? INFINITY : 0;
    assert_true(try_all(&stage, x));
    for (int i = 0; i < stage.n; i++) {
        if (p->friction[i] < 0) continue;
        hi[i] = p->hi[i] * x[p->friction[i]];
        lo[i] = -hi[i];
    }
    assert_true(try_all(&stage, x));
}

static void dantzig_fixes_boxes_of_friction_before_it_comes_to_them(void **state)
{
    (void)state;
    enum { PROBLEMS = 200 };
    trm_random random = trm_random_seed(5);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    int differs = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        lcp_problem p =
            random_boxes(1 + lcp_random_index(&random, 2), trm_random_uniform(&random, 0, 1), &random, &arena);
        double expected[MOST];
        solve_in_two_stages(&p, expected);
        assert_int_equal(trm_lcp_dantzig(&p.lcp, &arena).status, TRM_LCP_SOLVED);
        for (int i = 0; i < p.lcp.n; i++) assert_near(p.lcp.x[i], expected[i], tolerance * lcp_size(&p.lcp));
        differs += relative_residual(&p.lcp, &arena) > 1e-3;
        trm_arena_reset(&arena, mark);
    }
    assert_true(differs > PROBLEMS / 10); /* from the boxes that the residual knows */
    trm_arena_destroy(&arena);
}

static void lemke_and_pgs_agree_on_boxes_that_follow(void **state)
{
    (void)state;
    enum { PROBLEMS = 300 };
    trm_random random = trm_random_seed(6);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        /* mu small enough that the solution is unique with friction */
        lcp_problem p =
            random_boxes(1 + lcp_random_index(&random, 6), trm_random_uniform(&random, 0, 0.2), &random, &arena);
        double x[3 * 6];
        assert_int_equal(trm_lcp_lemke(&p.lcp, &arena).status, TRM_LCP_SOLVED);
        assert_near(relative_residual(&p.lcp, &arena), 0, tolerance);
        memcpy(x, p.lcp.x, (size_t)p.lcp.n * sizeof *x);
        check_against(&p.lcp, trm_lcp_pgs(&p.lcp, &many_sweeps, &arena), x, &arena);
        memset(p.lcp.x, 0, (size_t)p.lcp.n * sizeof *x);
        check_against(&p.lcp, trm_lcp_pgs(&p.lcp, &many_sweeps, &arena), x, &arena);
        trm_arena_reset(&arena, mark);
    }
    trm_arena_destroy(&arena);
}

/* ---- Pyramids ------------------------------------------------------------------------------- */

/* Returns the pure problem with its additional unknowns v after x. */
static lcp_problem pure_problem(const lcp_problem *p, int normals, int directions, trm_arena *arena)
{
    const int n = p->lcp.n, all = n + normals;
    lcp_problem pure = lcp_problem_make(all, arena);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) pure.A[i * all + j] = p->A[i * n + j];
        pure.b[i] = p->b[i];
    }
    for (int c = 0; c < normals; c++) {
        const int f = c * (1 + directions), v = n + c;
        pure.A[v * all + f] = p->hi[f + 1];
        for (int d = f + 1; d <= f + directions; d++) pure.A[d * all + v] = 1, pure.A[v * all + d] = -1;
    }
    return pure;
}

/* Directions are in opposite pairs, as those of a pyramid. */
static lcp_problem random_pyramids(int normals, int directions, double mu, trm_random *random, trm_arena *arena)
{
    lcp_problem half = lcp_problem_make(normals * (1 + directions / 2), arena);
    lcp_problem p = lcp_problem_make(normals * (1 + directions), arena);
    lcp_set_gram(&half, half.lcp.n + 2, random);
    int from[MOST] = {0};
    double sign[MOST] = {0};
    for (int i = 0; i < p.lcp.n; i++) {
        const int c = i / (1 + directions), d = i % (1 + directions);
        from[i] = c * (1 + directions / 2) + (d + 1) / 2;
        sign[i] = d > 0 && d % 2 == 0 ? -1 : 1;
        if (d == 0) continue;
        p.friction[i] = i - d;
        p.hi[i] = mu;
    }
    for (int i = 0; i < p.lcp.n; i++) {
        p.b[i] = sign[i] * half.b[from[i]];
        for (int j = 0; j < p.lcp.n; j++)
            p.A[i * p.lcp.n + j] = sign[i] * sign[j] * half.A[from[i] * half.lcp.n + from[j]];
    }
    return p;
}

static void lemke_and_pgs_find_what_trying_all_cases_finds_for_pyramids(void **state)
{
    (void)state;
    enum { PROBLEMS = 60 };
    trm_random random = trm_random_seed(7);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    for (int k = 0; k < PROBLEMS; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(&arena);
        const int normals = 1 + k % 2, directions = k % 2 ? 4 : 2 + 2 * lcp_random_index(&random, 4);
        lcp_problem p = random_pyramids(normals, directions, trm_random_uniform(&random, 0, 0.3), &random, &arena);
        lcp_problem pure = pure_problem(&p, normals, directions, &arena);
        double expected[MOST];
        assert_true(try_all(&pure.lcp, expected));
        check_against(&p.lcp, trm_lcp_lemke(&p.lcp, &arena), expected, &arena);
        memset(p.lcp.x, 0, (size_t)p.lcp.n * sizeof *expected);
        check_against(&p.lcp, trm_lcp_pgs(&p.lcp, &many_sweeps, &arena), expected, &arena);
        trm_arena_reset(&arena, mark);
    }
    trm_arena_destroy(&arena);
}

/* A wrong solution must not have a small residual: each condition of a pyramid is violated in turn. */
static void residual_sees_each_broken_condition(void **state)
{
    (void)state;
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    /* one normal that approaches with 1 and slips with 2 along the first direction: x = (1, mu, 0) */
    const double A[] = {1, 0, 0, 0, 1, -1, 0, -1, 1}, b[] = {-1, -2, 2};
    const double lo[] = {0, 0, 0}, hi[] = {INFINITY, 0.5, 0.5};
    const int friction[] = {-1, 0, 0};
    double x[] = {1, 0.5, 0};
    const trm_lcp lcp = {3, A, b, lo, hi, friction, x};
    assert_near(lcp_residual(&lcp, &arena), 0, 1e-15);
    const double broken[][3] = {{0.9, 0.45, 0}, {1, 0.4, 0},    {1, 0.6, 0},
                                {1, 0.4, 0.1},  {1, 0.6, -0.1}, {NAN, 0.5, 0}};
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        memcpy(x, broken[k], sizeof x);
        assert_false(lcp_residual(&lcp, &arena) <= 0.09);
    }
    trm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_solvers_find_what_trying_all_cases_finds),
        cmocka_unit_test(lemke_solves_unsymmetric_problems),
        cmocka_unit_test(lemke_and_dantzig_agree_on_ten_thousand_problems),
        cmocka_unit_test(dantzig_leaves_only_rounding_between_bounds),
        cmocka_unit_test(dantzig_fixes_boxes_of_friction_before_it_comes_to_them),
        cmocka_unit_test(lemke_and_pgs_agree_on_boxes_that_follow),
        cmocka_unit_test(lemke_and_pgs_find_what_trying_all_cases_finds_for_pyramids),
        cmocka_unit_test(residual_sees_each_broken_condition),
    };
    return RUN_TESTS(tests);
}
