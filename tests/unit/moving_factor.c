/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A factor after adding and removing rows, compared with the matrix that it should be the factor of. */

#include "linalg/moving_factor.h"

#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"

/* Hundreds of rotations of a well-conditioned matrix with a diagonal of about 10. */
static const double rounding = 1e-12;

enum { ROWS = 24, CHANGES = 600 };

static void set_definite(double A[ROWS][ROWS], trm_random *random)
{
    double G[ROWS][ROWS];
    for (int i = 0; i < ROWS * ROWS; i++) G[i / ROWS][i % ROWS] = trm_random_uniform(random, -1, 1);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            A[i][j] = i == j ? 2 : 0;
            for (int k = 0; k < ROWS; k++) A[i][j] += G[i][k] * G[j][k];
        }
}

/* Appends a row of the matrix that is not in the factor. */
static void append(trm_moving_factor *factor, const double A[ROWS][ROWS], int *order, int row)
{
    double v[ROWS], square = 0;
    for (int k = 0; k < factor->n; k++) v[k] = A[row][order[k]];
    trm_moving_factor_forward(factor, v);
    for (int k = 0; k < factor->n; k++) square += v[k] * v[k];
    order[factor->n] = row;
    trm_moving_factor_append(factor, v, A[row][row] - square);
}

static void check_solves(const trm_moving_factor *factor, const double A[ROWS][ROWS], const int *order)
{
    double v[ROWS];
    for (int k = 0; k < factor->n; k++) v[k] = k + 1;
    trm_moving_factor_forward(factor, v);
    trm_moving_factor_backward(factor, v);
    for (int i = 0; i < factor->n; i++) {
        double sum = 0;
        for (int k = 0; k < factor->n; k++) sum += A[order[i]][order[k]] * v[k];
        assert_near(sum, i + 1, rounding * ROWS);
    }
}

static void factor_solves_after_any_changes(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    double A[ROWS][ROWS];
    set_definite(A, &random);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_moving_factor factor;
    assert_true(trm_moving_factor_create(&factor, ROWS, &arena));
    int order[ROWS], removed = 0;
    bool inside[ROWS] = {false};
    for (int change = 0; change < CHANGES; change++) {
        const int row = (int)trm_random_uniform(&random, 0, ROWS);
        int k = 0;
        while (k < factor.n && order[k] != row) k++;
        if (inside[row]) {
            trm_moving_factor_remove(&factor, k);
            memmove(order + k, order + k + 1, (size_t)(factor.n - k) * sizeof *order);
            removed++;
        } else {
            append(&factor, A, order, row);
        }
        inside[row] = !inside[row];
        check_solves(&factor, A, order);
    }
    assert_true(removed > CHANGES / 3);
    trm_arena_destroy(&arena);
}

static void a_whole_matrix_is_factorised_at_once(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(2);
    double A[ROWS][ROWS];
    set_definite(A, &random);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_moving_factor factor;
    assert_true(trm_moving_factor_create(&factor, ROWS, &arena));
    const double *rows[ROWS];
    int order[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = A[i], order[i] = i;
    for (int n = 0; n <= ROWS; n++) {
        assert_true(trm_moving_factor_set(&factor, rows, n, 0));
        assert_int_equal(factor.n, n);
        check_solves(&factor, A, order);
    }
    rows[ROWS - 1] = A[0]; /* its diagonal entry is 0: the matrix is not definite */
    A[0][ROWS - 1] = 0;
    assert_false(trm_moving_factor_set(&factor, rows, ROWS, 0));
    assert_int_equal(factor.n, 0);
    trm_arena_destroy(&arena);
}

static void factor_needs_memory(void **state)
{
    (void)state;
    failing_allocator memory;
    failing_allocator_reset(&memory, 1, true);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    trm_moving_factor factor;
    assert_false(trm_moving_factor_create(&factor, ROWS, &arena));
    trm_arena_destroy(&arena);
    assert_true(failing_allocator_is_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_solves_after_any_changes),
        cmocka_unit_test(a_whole_matrix_is_factorised_at_once),
        cmocka_unit_test(factor_needs_memory),
    };
    return RUN_TESTS(tests);
}
