/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The small inverse compared with the identity, for random, badly scaled and singular matrices. */

#include "linalg/dense.h"

#include <float.h>

#include "base/random.h"
#include "check.h"
#include "trammel/base.h"

enum { MOST = TRM_DENSE_SMALL, MATRICES = 200 };

static void random_matrix(trm_random *random, int n, double *a)
{
    for (int i = 0; i < n * n; i++) a[i] = trm_random_uniform(random, -1, 1);
}

static double product(const double *a, const double *b, int n, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
    return sum;
}

static double largest(const double *a, int n)
{
    double most = 0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/* |a x - 1| <= growth n eps |a| |x| for entries of a of at most one; Gauss-Jordan elimination loses as many digits as
 * the condition number has (Higham, Accuracy and Stability, 14.4), and pivots of random matrices grow little. */
static void assert_inverse(const double *a, const double *x, int n)
{
    const double growth = 8, tolerance = growth * n * n * DBL_EPSILON * largest(a, n) * largest(x, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            assert_near(product(a, x, n, i, j), i == j, tolerance);
            assert_near(product(x, a, n, i, j), i == j, tolerance);
        }
}

static void a_random_matrix_times_its_inverse_is_the_identity(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    for (int n = 1; n <= MOST; n++)
        for (int m = 0; m < MATRICES; m++) {
            double a[MOST * MOST], x[MOST * MOST];
            random_matrix(&random, n, a);
            assert_true(trm_dense_inverse(a, n, x));
            assert_inverse(a, x, n);
        }
}

static void an_inverse_that_needs_exchanges_is_exact(void **state)
{
    (void)state;
    const double a[9] = {0, 0, 4, 2, 0, 0, 0, -8, 0}, expected[9] = {0, 0.5, 0, 0, 0, -0.125, 0.25, 0, 0};
    double x[9];
    assert_true(trm_dense_inverse(a, 3, x));
    for (int i = 0; i < 9; i++) assert_true(x[i] == expected[i]);
}

/* D a E with powers of ten up to 1e+-20 on both sides has the inverse E^-1 a^-1 D^-1: every entry has the digits of
 * that of a itself, as far as its condition permits. */
static void scaling_rows_and_columns_scales_the_inverse(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(2);
    for (int n = 2; n <= MOST; n++)
        for (int m = 0; m < MATRICES; m++) {
            double a[MOST * MOST], scaled[MOST * MOST], x[MOST * MOST], y[MOST * MOST], row[MOST], column[MOST];
            random_matrix(&random, n, a);
            for (int i = 0; i < n; i++) row[i] = pow(10, trm_random_uniform(&random, -20, 20));
            for (int i = 0; i < n; i++) column[i] = pow(10, trm_random_uniform(&random, -20, 20));
            for (int i = 0; i < n * n; i++) scaled[i] = row[i / n] * a[i] * column[i % n];
            assert_true(trm_dense_inverse(a, n, x));
            assert_true(trm_dense_inverse(scaled, n, y));
            for (int i = 0; i < n * n; i++) y[i] *= column[i / n] * row[i % n];
            const double condition = n * largest(a, n) * largest(x, n);
            for (int i = 0; i < n * n; i++) assert_near(y[i], x[i], 8 * n * DBL_EPSILON * condition * largest(x, n));
        }
}

/* Rows are copied, scaled and summed; the last one depends on the others. */
static void a_matrix_with_a_dependent_row_or_column_is_refused(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(3);
    for (int n = 2; n <= MOST; n++)
        for (int kind = 0; kind < 3; kind++) {
            double a[MOST * MOST], turned[MOST * MOST], x[MOST * MOST];
            random_matrix(&random, n, a);
            for (int i = 0; i < n * n; i++) a[i] = rint(64 * a[i]); /* sums of these are exact */
            for (int k = 0; k < n; k++) {
                const double copy = a[k], sum = n > 2 ? a[k] + a[n + k] : 2 * a[k];
                a[(n - 1) * n + k] = kind == 0 ? 0 : kind == 1 ? 1e10 * copy : sum;
            }
            for (int i = 0; i < n * n; i++) turned[i % n * n + i / n] = a[i];
            assert_false(trm_dense_inverse(a, n, x));
            assert_false(trm_dense_inverse(turned, n, x));
        }
}

static void matrices_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    const double bad[2] = {NAN, INFINITY};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            double a[4] = {2, 1, 1, 3}, x[4];
            a[i] = bad[k];
            assert_false(trm_dense_inverse(a, 2, x));
        }
}

/* ---- Symmetric positive definite ---------------------------------------------------------- */

/* b b^T of rank at most `rank`, in integers so that the dependence is exact. */
static void random_gram_matrix(trm_random *random, int n, int rank, double *a)
{
    double b[MOST * MOST];
    for (int i = 0; i < n * n; i++) b[i] = i % n < rank ? rint(trm_random_uniform(random, -8, 8)) : 0;
    for (int i = 0; i < n * n; i++) {
        a[i] = 0;
        for (int k = 0; k < n; k++) a[i] += b[i / n * n + k] * b[i % n * n + k];
    }
}

/* Rows and columns are scaled alike, as with metres and radians: the relative accuracy stays. The general inverse is
 * the reference; it refuses the few random matrices that are singular. */
static void the_inverse_of_a_positive_matrix_is_the_general_one_at_any_scale(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(4);
    int compared = 0;
    for (int n = 1; n <= MOST; n++)
        for (int m = 0; m < MATRICES; m++) {
            double a[MOST * MOST], x[MOST * MOST], y[MOST * MOST], scale[MOST];
            random_gram_matrix(&random, n, n, a);
            if (!trm_dense_inverse(a, n, x)) continue;
            for (int i = 0; i < n; i++) scale[i] = pow(10, trm_random_uniform(&random, -20, 20));
            for (int i = 0; i < n * n; i++) a[i] *= scale[i / n] * scale[i % n];
            assert_true(trm_dense_inverse_positive(a, n, y));
            for (int i = 0; i < n * n; i++) {
                y[i] *= scale[i / n] * scale[i % n];
                a[i] /= scale[i / n] * scale[i % n];
            }
            const double condition = n * largest(a, n) * largest(x, n);
            for (int i = 0; i < n * n; i++) assert_near(y[i], x[i], 8 * n * DBL_EPSILON * condition * largest(x, n));
            compared++;
        }
    assert_true(compared > MOST * MATRICES * 9 / 10);
}

static void a_matrix_that_is_not_positive_is_refused_as_such(void **state)
{
    (void)state;
    const double indefinite[4] = {1, 2, 2, 1}, negative[1] = {-1}, nothing[1] = {0};
    double x[MOST * MOST];
    trm_random random = trm_random_seed(5);
    assert_false(trm_dense_inverse_positive(indefinite, 2, x));
    assert_false(trm_dense_inverse_positive(negative, 1, x));
    assert_false(trm_dense_inverse_positive(nothing, 1, x));
    for (int n = 2; n <= MOST; n++) {
        double a[MOST * MOST];
        random_gram_matrix(&random, n, n - 1, a);
        assert_false(trm_dense_inverse_positive(a, n, x));
    }
    for (int i = 0; i < 4; i++) {
        const double bad[2] = {NAN, INFINITY};
        for (int k = 0; k < 2; k++) {
            double a[4] = {2, 1, 1, 3};
            a[i] = bad[k];
            a[i == 1 ? 2 : i == 2 ? 1 : i] = bad[k];
            assert_false(trm_dense_inverse_positive(a, 2, x));
        }
    }
}

static int mistakes;

static void count_mistake(const char *condition, const char *file, int line)
{
    (void)condition, (void)file, (void)line;
    mistakes++;
}

static void too_large_a_matrix_is_the_callers_mistake(void **state)
{
    (void)state;
    double x[1];
    trm_set_assert_handler(count_mistake);
    assert_false(trm_dense_inverse(x, MOST + 1, x));
    trm_set_assert_handler(NULL);
    assert_int_equal(mistakes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_matrix_times_its_inverse_is_the_identity),
        cmocka_unit_test(an_inverse_that_needs_exchanges_is_exact),
        cmocka_unit_test(scaling_rows_and_columns_scales_the_inverse),
        cmocka_unit_test(a_matrix_with_a_dependent_row_or_column_is_refused),
        cmocka_unit_test(matrices_that_are_not_finite_are_refused),
        cmocka_unit_test(the_inverse_of_a_positive_matrix_is_the_general_one_at_any_scale),
        cmocka_unit_test(a_matrix_that_is_not_positive_is_refused_as_such),
        cmocka_unit_test(too_large_a_matrix_is_the_callers_mistake),
    };
    return RUN_TESTS(tests);
}
