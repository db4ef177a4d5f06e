/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Eigenvalues and null spaces, compared with closed forms and LAPACK. */

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "linalg/eigen.h"
#include "linalg/null_space.h"

enum { MOST = 60 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The second difference of a string of n masses: 2 - 2 cos(k pi/(n + 1)). */
static void the_string_has_its_frequencies(void **state)
{
    (void)state;
    static double a[MOST * MOST], w[MOST], room[MOST];
    const int n = 50;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = i == j ? 2 : abs(i - j) == 1 ? -1 : 0;
    assert_true(trm_eigen_symmetric(a, n, w, room));
    for (int k = 0; k < n; k++) assert_near(w[k], 2 - 2 * cos((k + 1) * 3.14159265358979323846 / (n + 1)), 1e-14);
}

static void symmetric_matrices_match_lapack(void **state)
{
    (void)state;
    static double a[MOST * MOST], b[MOST * MOST], w[MOST], expected[MOST], room[MOST];
    trm_random random = trm_random_seed(3);
    for (int n = 1; n <= MOST; n += 7) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = trm_random_uniform(&random, -1, 1);
        memcpy(b, a, sizeof b);
        static double c[MOST * MOST];
        memcpy(c, a, sizeof c);
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, b, n, expected), 0);
        assert_true(trm_eigen_symmetric(a, n, w, room));
        for (int k = 0; k < n; k++) assert_near(w[k], expected[k], 1e-13);
        for (int i = 0; i < n; i++) /* A v = w v */
            for (int k = 0; k < n; k++) {
                double sum = 0;
                for (int j = 0; j < n; j++) sum += c[i * n + j] * a[j * n + k];
                assert_near(sum, w[k] * a[i * n + k], 1e-12);
            }
    }
}

static void general_matrices_match_lapack(void **state)
{
    (void)state;
    static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], v[MOST * MOST];
    double re[MOST], im[MOST], wr[MOST], wi[MOST], room[MOST];
    trm_random random = trm_random_seed(5);
    for (int n = 1; n <= MOST; n += 7) {
        for (int i = 0; i < n * n; i++) a[i] = trm_random_uniform(&random, -1, 1);
        memcpy(b, a, sizeof b), memcpy(c, a, sizeof c);
        assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, b, n, wr, wi, NULL, n, NULL, n), 0);
        assert_true(trm_eigen_general(a, n, re, im, v, room));
        for (int k = 0; k < n; k++) { /* A (x + iy) = (re + i im)(x + iy) */
            if (im[k] < 0) continue;
            const int second = im[k] > 0 ? k + 1 : k;
            for (int i = 0; i < n; i++) {
                double sum[2] = {0, 0}, size = 0;
                for (int j = 0; j < n; j++) {
                    sum[0] += c[i * n + j] * v[j * n + k], sum[1] += c[i * n + j] * v[j * n + second];
                    size = fmax(size, fmax(fabs(v[j * n + k]), fabs(v[j * n + second])));
                }
                const double x = v[i * n + k], y = im[k] > 0 ? v[i * n + second] : 0;
                assert_near(sum[0] / size, (re[k] * x - im[k] * y) / size, 1e-11);
                if (im[k] > 0) assert_near(sum[1] / size, (re[k] * y + im[k] * x) / size, 1e-11);
            }
        }
        qsort(re, (size_t)n, sizeof *re, compare), qsort(wr, (size_t)n, sizeof *wr, compare);
        qsort(im, (size_t)n, sizeof *im, compare), qsort(wi, (size_t)n, sizeof *wi, compare);
        for (int k = 0; k < n; k++) assert_near(re[k], wr[k], 1e-11), assert_near(im[k], wi[k], 1e-11);
    }
}

/* Some rows are sums of others: the rank, J S = 0, and the shortest solution. */
static void null_spaces_are_null(void **state)
{
    (void)state;
    enum { N = 9, M = 6 };
    double J[M * N], x[N], y[N], b[M];
    trm_arena arena;
    trm_random random = trm_random_seed(8);
    trm_arena_init(&arena, NULL);
    trm_null_space *s = trm_null_space_create(&arena, M, N);
    for (int i = 0; i < M * N; i++) J[i] = trm_random_uniform(&random, -1, 1);
    for (int i = 0; i < N; i++) J[2 * N + i] = J[i] - J[4 * N + i], J[5 * N + i] = 2 * J[N + i];
    trm_null_space_find(s, J, M, 1e-9);
    assert_int_equal(s->rank, 4);
    for (int k = 0; k < N - 4; k++) {
        memset(y, 0, sizeof y), y[k] = 1;
        trm_null_space_expand(s, y, x);
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += J[i * N + j] * x[j];
            assert_near(sum, 0, 1e-14);
        }
    }
    double given[N];
    for (int i = 0; i < N; i++) given[i] = trm_random_uniform(&random, -1, 1);
    for (int i = 0; i < M; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++) b[i] += J[i * N + j] * given[j];
    }
    trm_null_space_solve(s, b, x);
    trm_null_space_reduce(s, x, y);
    for (int k = 0; k < N - 4; k++) assert_near(y[k], 0, 1e-14);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) b[i] -= J[i * N + j] * x[j];
        assert_near(b[i], 0, 1e-13);
    }
    trm_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_string_has_its_frequencies),
        cmocka_unit_test(symmetric_matrices_match_lapack),
        cmocka_unit_test(general_matrices_match_lapack),
        cmocka_unit_test(null_spaces_are_null),
    };
    return RUN_TESTS(tests);
}
