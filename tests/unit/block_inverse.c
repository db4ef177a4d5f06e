/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The inverse of a matrix of four blocks (Hishinuma 2018, section 1), right and as printed, on random matrices:
 *
 *     [A B]^-1   [      S           -S B D^-1       ]
 *     [C D]    = [ -D^-1 C S   D^-1 + D^-1 C S B D^-1 ],    S = (A - B D^-1 C)^-1
 *
 *     [A B]^-1   [ A^-1 - A^-1 B N C A^-1   A^-1 B N ]
 *     [C 0]    = [        N C A^-1             -N    ],     N = (C A^-1 B)^-1
 *
 * Printed are + D^-1 C S and - A^-1 B N. The first gives the penalty form its matrix of bodies from that of
 * joints. */

#include "base/random.h"
#include "check.h"
#include "linalg/dense.h"

enum { A_SIZE = 4, D_SIZE = 3, WHOLE = A_SIZE + D_SIZE, MOST = WHOLE, MATRICES = 200 };

/* Relative accuracy of inverses of random matrices in [-1, 1] of this size whose inverses have entries below 20. */
static const double IDENTITY = 1e-12;
static const double WORST_INVERSE = 20;
/* The printed formulas are wrong, not merely inaccurate: their errors exceed this. */
static const double NO_IDENTITY = 1e-2;

typedef struct matrix {
    int rows, columns;
    double at[MOST][MOST];
} matrix;

static matrix zero_matrix(int rows, int columns)
{
    return (matrix){.rows = rows, .columns = columns};
}

static matrix random_matrix(trm_random *random, int rows, int columns)
{
    matrix m = zero_matrix(rows, columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) m.at[i][j] = trm_random_uniform(random, -1, 1);
    return m;
}

static matrix times(matrix a, matrix b)
{
    matrix c = zero_matrix(a.rows, b.columns);
    assert_int_equal(a.columns, b.rows);
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++)
            for (int k = 0; k < a.columns; k++) c.at[i][j] += a.at[i][k] * b.at[k][j];
    return c;
}

/* a + s b */
static matrix plus(matrix a, double s, matrix b)
{
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++) a.at[i][j] += s * b.at[i][j];
    return a;
}

static matrix minus(matrix a)
{
    return plus(zero_matrix(a.rows, a.columns), -1, a);
}

static double largest(matrix a)
{
    double most = 0;
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++) most = fmax(most, fabs(a.at[i][j]));
    return most;
}

/* Returns false if the inverse exceeds WORST_INVERSE, or the matrix is singular. */
static bool invert(matrix a, matrix *inverse)
{
    const int n = a.rows;
    double flat[MOST * MOST] = {0}, result[MOST * MOST];
    for (int i = 0; i < n * n; i++) flat[i] = a.at[i / n][i % n];
    if (!trm_dense_inverse(flat, n, result)) return false;
    *inverse = zero_matrix(n, n);
    for (int i = 0; i < n * n; i++) inverse->at[i / n][i % n] = result[i];
    return largest(*inverse) < WORST_INVERSE;
}

static matrix of_blocks(matrix a, matrix b, matrix c, matrix d)
{
    matrix m = zero_matrix(a.rows + c.rows, a.columns + b.columns);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.columns; j++) {
            const matrix *left = i < a.rows ? &a : &c, *right = i < a.rows ? &b : &d;
            const int row = i < a.rows ? i : i - a.rows;
            m.at[i][j] = j < a.columns ? left->at[row][j] : right->at[row][j - a.columns];
        }
    return m;
}

/* Returns the largest entry of a x - 1 and x a - 1. */
static double distance_from_inverse(matrix a, matrix x)
{
    matrix one = zero_matrix(a.rows, a.rows);
    for (int i = 0; i < a.rows; i++) one.at[i][i] = 1;
    return fmax(largest(plus(times(a, x), -1, one)), largest(plus(times(x, a), -1, one)));
}

/* Computes the errors of the right formula and of the printed one; returns false if the matrices are badly
 * conditioned. */
typedef bool (*formula)(trm_random *random, double *right, double *printed);

static bool with_invertible_d(trm_random *random, double *right, double *printed)
{
    const matrix A = random_matrix(random, A_SIZE, A_SIZE), B = random_matrix(random, A_SIZE, D_SIZE),
                 C = random_matrix(random, D_SIZE, A_SIZE), D = random_matrix(random, D_SIZE, D_SIZE);
    matrix E, S;
    if (!invert(D, &E) || !invert(plus(A, -1, times(times(B, E), C)), &S)) return false;
    const matrix upper = minus(times(times(S, B), E)), lower = times(times(E, C), S);
    const matrix last = plus(E, 1, times(times(lower, B), E)), whole = of_blocks(A, B, C, D);
    *right = distance_from_inverse(whole, of_blocks(S, upper, minus(lower), last));
    *printed = distance_from_inverse(whole, of_blocks(S, upper, lower, last));
    return true;
}

static bool with_nothing_for_d(trm_random *random, double *right, double *printed)
{
    const matrix A = random_matrix(random, A_SIZE, A_SIZE), B = random_matrix(random, A_SIZE, D_SIZE),
                 C = random_matrix(random, D_SIZE, A_SIZE);
    matrix E, N;
    if (!invert(A, &E) || !invert(times(times(C, E), B), &N)) return false;
    const matrix upper = times(times(E, B), N), lower = times(times(N, C), E);
    const matrix first = plus(E, -1, times(times(upper, C), E)),
                 whole = of_blocks(A, B, C, zero_matrix(D_SIZE, D_SIZE));
    *right = distance_from_inverse(whole, of_blocks(first, upper, lower, minus(N)));
    *printed = distance_from_inverse(whole, of_blocks(first, minus(upper), lower, minus(N)));
    return true;
}

static void check_formula(formula f, const char *name)
{
    trm_random random = trm_random_seed(9);
    double worst_right = 0, best_printed = INFINITY, right, printed;
    for (int tried = 0; tried < MATRICES;) {
        if (!f(&random, &right, &printed)) continue;
        worst_right = fmax(worst_right, right);
        best_printed = fmin(best_printed, printed);
        tried++;
    }
    print_message("%s: right to %.1e, as printed off by %.1e at least\n", name, worst_right, best_printed);
    assert_true(worst_right < IDENTITY);
    assert_true(best_printed > NO_IDENTITY);
}

static void the_inverse_with_an_invertible_block_is_right_and_its_printed_form_is_not(void **state)
{
    (void)state;
    check_formula(with_invertible_d, "D invertible");
}

static void the_inverse_with_a_zero_block_is_right_and_its_printed_form_is_not(void **state)
{
    (void)state;
    check_formula(with_nothing_for_d, "D = 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inverse_with_an_invertible_block_is_right_and_its_printed_form_is_not),
        cmocka_unit_test(the_inverse_with_a_zero_block_is_right_and_its_printed_form_is_not),
    };
    return RUN_TESTS(tests);
}
