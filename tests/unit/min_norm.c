/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shortest least-squares solutions compared with LAPACK's, which uses singular values (dgelsd). */

#include "linalg/min_norm.h"

#include <lapacke.h>
#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "check.h"

/* Relative to the largest column: remainders by rounding are about 1e-15, the matrices below have none between that
 * and 1e-8. */
static const double tolerance = 1e-11;

/* Error of a solution relative to its length: rounding times the condition number, which is about 1e3. Reached
 * 4e-13. */
static const double rounding = 1e-11;

enum { MOST = 24, SYSTEMS = 400 };

typedef struct problem {
    int m, n, rank;
    double a[MOST * MOST], b[MOST];
} problem;

/* ---- Problems ----------------------------------------------------------------------------- */

static int random_index(trm_random *random, int count)
{
    return (int)trm_random_uniform(random, 0, count);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* a = sum of `rank` products u v^T of random vectors; if consistent, b = a y. */
static problem random_problem(trm_random *random, int m, int n, int rank, bool consistent)
{
    problem p = {.m = m, .n = n, .rank = rank};
    for (int r = 0; r < rank; r++) {
        double u[MOST], v[MOST];
        for (int i = 0; i < m; i++) u[i] = trm_random_uniform(random, -1, 1) + (i == r);
        for (int j = 0; j < n; j++) v[j] = trm_random_uniform(random, -1, 1) + (j == r);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) p.a[i * n + j] += u[i] * v[j];
    }
    double y[MOST];
    for (int j = 0; j < n; j++) y[j] = trm_random_uniform(random, -1, 1);
    for (int i = 0; i < m; i++) {
        p.b[i] = consistent ? 0 : trm_random_uniform(random, -1, 1);
        for (int j = 0; consistent && j < n; j++) p.b[i] += p.a[i * n + j] * y[j];
    }
    return p;
}

/* Shapes of all kinds: the first are 1 x 1, every third is of full rank, every seventh zero. */
static problem nth_problem(trm_random *random, int number)
{
    const int m = number < 10 ? 1 : 1 + random_index(random, MOST);
    const int n = number < 10 ? 1 : 1 + random_index(random, MOST);
    const int full = smaller(m, n);
    const int rank = number % 7 == 0 ? 0 : number % 3 == 0 ? full : random_index(random, full + 1);
    return random_problem(random, m, n, rank, number % 2 == 0);
}

/* ---- Solutions ---------------------------------------------------------------------------- */

static int solve(const problem *p, double *x)
{
    problem copy = *p;
    double room[3 * MOST];
    int permutation[MOST];
    for (int i = 0; i < p->m; i++) /* column after column */
        for (int j = 0; j < p->n; j++) copy.a[j * p->m + i] = p->a[i * p->n + j];
    return trm_min_norm_solve(copy.a, p->m, p->n, copy.b, tolerance, x, room, permutation);
}

static int solve_by_lapack(const problem *p, double *x)
{
    problem copy = *p;
    double values[MOST];
    double both[MOST] = {0}; /* in: right side; out: solution */
    lapack_int rank = 0;
    memcpy(both, p->b, sizeof p->b);
    const lapack_int info =
        LAPACKE_dgelsd(LAPACK_ROW_MAJOR, p->m, p->n, 1, copy.a, p->n, both, 1, values, tolerance, &rank);
    assert_int_equal(info, 0);
    memcpy(x, both, (size_t)p->n * sizeof *x);
    return rank;
}

static double length_of(const double *x, int n)
{
    double square = 0;
    for (int i = 0; i < n; i++) square += x[i] * x[i];
    return sqrt(square);
}

static double residual(const problem *p, const double *x)
{
    double r[MOST];
    for (int i = 0; i < p->m; i++) {
        r[i] = -p->b[i];
        for (int j = 0; j < p->n; j++) r[i] += p->a[i * p->n + j] * x[j];
    }
    return length_of(r, p->m);
}

static double distance(const double *x, const double *y, int n)
{
    double difference[MOST];
    for (int i = 0; i < n; i++) difference[i] = x[i] - y[i];
    return length_of(difference, n);
}

/* ---- Claims ------------------------------------------------------------------------------- */

static void solutions_and_ranks_are_those_of_singular_values(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    int wide = 0, tall = 0, deficient = 0;
    for (int number = 0; number < SYSTEMS; number++) {
        const problem p = nth_problem(&random, number);
        double x[MOST], expected[MOST];
        assert_int_equal(solve(&p, x), p.rank);
        assert_int_equal(solve_by_lapack(&p, expected), p.rank);
        assert_near(distance(x, expected, p.n) / (1 + length_of(expected, p.n)), 0, rounding);
        wide += p.m<p.n, tall += p.m> p.n, deficient += p.rank < smaller(p.m, p.n);
    }
    assert_true(wide > SYSTEMS / 4 && tall > SYSTEMS / 4 && deficient > SYSTEMS / 4); /* all kinds were frequent */
}

static void consistent_equations_hold(void **state)
{
    (void)state;
    const double holds = 1e-14; /* rounding of about 24 terms, independent of the condition number. Reached 8e-16 */
    trm_random random = trm_random_seed(2);
    for (int number = 0; number < SYSTEMS; number += 2) {
        const problem p = nth_problem(&random, number);
        double x[MOST];
        solve(&p, x);
        assert_near(residual(&p, x) / (1 + length_of(p.b, p.m)), 0, holds);
    }
}

/* Columns of lengths 1e-4 to 1e4, of full rank: reflections from the left are independent of these lengths. */
static void a_column_that_is_longer_has_a_smaller_unknown(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(3);
    for (int number = 0; number < SYSTEMS; number++) {
        const int m = 1 + random_index(&random, MOST), n = 1 + random_index(&random, m);
        problem p = random_problem(&random, m, n, n, number % 2 == 0);
        double x[MOST], expected[MOST], size[MOST];
        solve_by_lapack(&p, expected);
        for (int j = 0; j < n; j++) {
            size[j] = pow(10, trm_random_uniform(&random, -4, 4));
            for (int i = 0; i < m; i++) p.a[i * n + j] *= size[j];
        }
        assert_int_equal(solve(&p, x), n);
        for (int j = 0; j < n; j++) x[j] *= size[j];
        assert_near(distance(x, expected, n) / (1 + length_of(expected, n)), 0, rounding);
    }
}

static void the_tolerance_decides_what_counts(void **state)
{
    (void)state;
    for (double size = 1e-100; size < 1e101; size *= 1e50) {
        const problem above = {.m = 2, .n = 2, .a = {size, 0, 0, 1.1e-11 * size}, .b = {size, size}};
        const problem below = {.m = 2, .n = 2, .a = {size, 0, 0, 0.9e-11 * size}, .b = {size, size}};
        double x[MOST];
        assert_int_equal(solve(&above, x), 2);
        assert_near(x[1], 1 / 1.1e-11, 1e-3);
        assert_int_equal(solve(&below, x), 1);
        assert_near(x[0], 1, 1e-15);
        assert_near(x[1], 0, 0);
    }
}

static void no_equations_give_zero(void **state)
{
    (void)state;
    const problem p = {.m = 0, .n = 3};
    double x[MOST] = {1, 1, 1};
    assert_int_equal(solve(&p, x), 0);
    for (int j = 0; j < 3; j++) assert_near(x[j], 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_and_ranks_are_those_of_singular_values),
        cmocka_unit_test(consistent_equations_hold),
        cmocka_unit_test(a_column_that_is_longer_has_a_smaller_unknown),
        cmocka_unit_test(the_tolerance_decides_what_counts),
        cmocka_unit_test(no_equations_give_zero),
    };
    return RUN_TESTS(tests);
}
