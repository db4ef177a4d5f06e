/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rank and dependent rows of sparse matrices, compared with LAPACK's singular values and a dense Gram-Schmidt
 * process. */

#include "linalg/echelon.h"

#include <lapacke.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"

/* For a row of length one: the remainder of a dependent row is about 1e-15, that of an independent row much larger
 * than 1e-6. */
static const double tolerance = 1e-10;

enum { COLUMNS = 40, ROWS = 60, ENTRIES = 8, MATRICES = 100 };

typedef struct matrix {
    int rows;
    double a[ROWS][COLUMNS];
} matrix;

/* ---- Matrices ----------------------------------------------------------------------------- */

static int random_index(trm_random *random, int count)
{
    return (int)trm_random_uniform(random, 0, count);
}

static void add_scaled(double *row, double factor, const double *other)
{
    for (int c = 0; c < COLUMNS; c++) row[c] += factor * other[c];
}

/* Adds a row of one of these kinds: new, zero, a copy, a scaled copy, a sum of two, a sum of all rows before. */
static void add_random_row(matrix *m, trm_random *random)
{
    double *row = m->a[m->rows];
    const int kind = m->rows == 0 ? 0 : random_index(random, 10);
    const int first = random_index(random, m->rows + 1), second = random_index(random, m->rows + 1);
    const double size = pow(10, trm_random_uniform(random, -6, 6));
    memset(row, 0, sizeof m->a[0]);
    switch (kind) {
    case 0: break;
    case 1: add_scaled(row, 1, m->a[first % m->rows]); break;
    case 2: add_scaled(row, size, m->a[first % m->rows]); break;
    case 3: add_scaled(row, -1, m->a[first % m->rows]), add_scaled(row, 3, m->a[second % m->rows]); break;
    case 4:
        for (int r = 0; r < m->rows; r++) add_scaled(row, 1, m->a[r]);
        break;
    default:
        for (int i = 0; i < ENTRIES; i++)
            row[random_index(random, COLUMNS)] = size * trm_random_uniform(random, -1, 1);
    }
    m->rows++;
}

static matrix random_matrix(uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    matrix m = {0};
    while (m.rows < ROWS) add_random_row(&m, &random);
    return m;
}

static double length_of(const double *row)
{
    double sum = 0;
    for (int c = 0; c < COLUMNS; c++) sum += row[c] * row[c];
    return sqrt(sum);
}

/* ---- Reference results -------------------------------------------------------------------- */

/* Returns the number of nonzero singular values of the matrix with rows scaled to length one. */
static int rank_by_singular_values(const matrix *m)
{
    double a[ROWS * COLUMNS] = {0}, values[COLUMNS], superdiagonal[COLUMNS];
    for (int r = 0; r < m->rows; r++) {
        const double length = length_of(m->a[r]);
        if (length > 0) add_scaled(a + r * COLUMNS, 1 / length, m->a[r]);
    }
    const lapack_int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m->rows, COLUMNS, a, COLUMNS, values, NULL, 1,
                                           NULL, 1, superdiagonal);
    assert_int_equal(info, 0);
    int rank = 0;
    while (rank < COLUMNS && rank < m->rows && values[rank] > tolerance) rank++;
    return rank;
}

/* Subtracts the parts along the orthonormal rows, twice because of rounding; returns false if nothing remains. */
static bool add_orthonormal(matrix *basis, const double *row)
{
    double *rest = basis->a[basis->rows];
    const double length = length_of(row);
    memset(rest, 0, sizeof basis->a[0]);
    if (length == 0) return false;
    add_scaled(rest, 1 / length, row);
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < basis->rows; r++) {
            double along = 0;
            for (int c = 0; c < COLUMNS; c++) along += rest[c] * basis->a[r][c];
            add_scaled(rest, -along, basis->a[r]);
        }
    const double left = length_of(rest);
    if (left <= tolerance) return false;
    for (int c = 0; c < COLUMNS; c++) rest[c] /= left;
    basis->rows++;
    return true;
}

static trm_echelon_result add_row(trm_echelon *echelon, const double *row)
{
    int columns[COLUMNS], count = 0;
    double values[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        if (row[c] != 0) columns[count] = c, values[count++] = row[c];
    return trm_echelon_add(echelon, columns, values, count, tolerance);
}

/* ---- Checks ------------------------------------------------------------------------------- */

static void rank_is_the_number_of_singular_values_that_do_not_vanish(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < MATRICES; seed++) {
        const matrix m = random_matrix(seed);
        trm_arena arena;
        trm_arena_init(&arena, NULL);
        trm_echelon *echelon = trm_echelon_create(&arena, COLUMNS);
        for (int r = 0; r < m.rows; r++) add_row(echelon, m.a[r]);
        const int rank = trm_echelon_rank(echelon), expected = rank_by_singular_values(&m);
        trm_arena_destroy(&arena);
        if (rank != expected) print_error("seed %d\n", (int)seed);
        assert_int_equal(rank, expected);
    }
}

static void dependent_rows_are_those_that_gram_and_schmidt_name(void **state)
{
    (void)state;
    int dependent = 0;
    for (uint64_t seed = 0; seed < MATRICES; seed++) {
        const matrix m = random_matrix(seed);
        matrix basis = {0};
        trm_arena arena;
        trm_arena_init(&arena, NULL);
        trm_echelon *echelon = trm_echelon_create(&arena, COLUMNS);
        for (int r = 0; r < m.rows; r++) {
            const bool is_new = add_orthonormal(&basis, m.a[r]);
            const trm_echelon_result result = add_row(echelon, m.a[r]);
            if (result != (is_new ? TRM_ROW_INDEPENDENT : TRM_ROW_DEPENDENT))
                print_error("seed %d, row %d\n", (int)seed, r);
            assert_int_equal(result, is_new ? TRM_ROW_INDEPENDENT : TRM_ROW_DEPENDENT);
            assert_int_equal(trm_echelon_rank(echelon), basis.rows);
            dependent += !is_new;
        }
        trm_arena_destroy(&arena);
    }
    assert_in_range(dependent, MATRICES * ROWS / 4, MATRICES * ROWS * 3 / 4); /* both kinds of rows were frequent */
}

static void the_tolerance_is_relative_to_the_row(void **state)
{
    (void)state;
    const int columns[2] = {0, 1};
    for (double size = 1e-100; size < 1e101; size *= 1e50) {
        trm_arena arena;
        trm_arena_init(&arena, NULL);
        trm_echelon *echelon = trm_echelon_create(&arena, 2);
        const double first[2] = {size, size}, nearly[2] = {size, size * (1 + 1e-12)}, other[2] = {size, 1.001 * size};
        assert_int_equal(trm_echelon_add(echelon, columns, first, 2, 1e-10), TRM_ROW_INDEPENDENT);
        assert_int_equal(trm_echelon_add(echelon, columns, nearly, 2, 1e-10), TRM_ROW_DEPENDENT);
        assert_int_equal(trm_echelon_add(echelon, columns, other, 2, 1e-10), TRM_ROW_INDEPENDENT);
        assert_int_equal(trm_echelon_rank(echelon), 2);
        trm_arena_destroy(&arena);
    }
}

/* Adds five rows between each body of a chain and the next, and a sixth that is their sum; six columns per body.
 * Returns false if out of memory. */
static bool add_chain(trm_arena *arena, int bodies)
{
    enum { PER_BODY = 6, ENTRIES_OF_ROW = 2 * PER_BODY };
    trm_random random = trm_random_seed(1);
    trm_echelon *echelon = trm_echelon_create(arena, PER_BODY * bodies);
    if (!echelon) return false;
    double sum[ENTRIES_OF_ROW] = {0};
    for (int row = 0; row < PER_BODY * (bodies - 1); row++) {
        const bool is_last = row % PER_BODY == PER_BODY - 1;
        int columns[ENTRIES_OF_ROW];
        double values[ENTRIES_OF_ROW];
        for (int i = 0; i < ENTRIES_OF_ROW; i++) {
            columns[i] = row / PER_BODY * PER_BODY + i;
            values[i] = is_last ? sum[i] : trm_random_uniform(&random, -1, 1);
            sum[i] = is_last ? 0 : sum[i] + values[i];
        }
        const trm_echelon_result result = trm_echelon_add(echelon, columns, values, ENTRIES_OF_ROW, tolerance);
        if (result == TRM_ROW_NO_MEMORY) return false;
        assert_int_equal(result, is_last ? TRM_ROW_DEPENDENT : TRM_ROW_INDEPENDENT);
    }
    return true;
}

static double bytes_of_chain(int bodies)
{
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    assert_true(add_chain(&arena, bodies));
    const double bytes = (double)arena.bytes_used;
    trm_arena_destroy(&arena);
    return bytes;
}

static void a_chain_of_twice_the_length_costs_twice_as_much(void **state)
{
    (void)state;
    const double ends = 0.05; /* the first bodies have fewer neighbours */
    assert_near(bytes_of_chain(400) / bytes_of_chain(200), 2, ends);
    assert_near(bytes_of_chain(1600) / bytes_of_chain(800), 2, ends);
}

static void running_out_of_memory_is_reported_without_leaks(void **state)
{
    (void)state;
    failing_allocator memory;
    bool done = false;
    for (long k = 1; !done; k++) {
        failing_allocator_reset(&memory, k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        done = add_chain(&arena, 50);
        assert_int_equal(done, memory.refusals == 0);
        trm_arena_destroy(&arena);
        assert_true(failing_allocator_is_clean(&memory));
    }
    assert_true(memory.calls > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_is_the_number_of_singular_values_that_do_not_vanish),
        cmocka_unit_test(dependent_rows_are_those_that_gram_and_schmidt_name),
        cmocka_unit_test(the_tolerance_is_relative_to_the_row),
        cmocka_unit_test(a_chain_of_twice_the_length_costs_twice_as_much),
        cmocka_unit_test(running_out_of_memory_is_reported_without_leaks),
    };
    return RUN_TESTS(tests);
}
