/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Elimination of rows from a symmetric matrix, compared with projections: F = X X^T has one row for each row of X,
 * and E is the Gram matrix of the last rows of X after projection orthogonal to the first ones. */

#include "linalg/front.h"

#include <string.h>

#include "base/random.h"
#include "check.h"

enum { MOST = 24, CASES = 12000 };

static const double NOTHING = 1e-11;
/* Rounding per summed number, relative to the largest elements; it grows as the ratio of the largest to the smallest
 * pivot. */
static const double ROUNDING = 2.5e-16;
/* Error of solutions relative to the accuracy of the elimination. */
static const double SOLVED = 1e-9;

typedef struct problem {
    int r, n, rank;
    double X[MOST][MOST]; /* N rows, with as many columns as the rank */
    double whole[MOST * MOST];
    double scale[MOST];
    trm_front front;
    double F[MOST * MOST], diagonal[MOST];
    int order[MOST];
} problem;

static int size_of(const problem *p)
{
    return p->r + p->n;
}

/* Computes F from X, in the upper triangle only: the lower one must not be read. */
static void multiply(problem *p)
{
    const int N = size_of(p);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < p->rank; k++) sum += p->X[i][k] * p->X[j][k];
            p->whole[i * N + j] = sum;
            p->F[i * N + j] = j >= i ? sum : NAN;
        }
    for (int i = 0; i < p->r; i++) p->scale[i] = p->whole[i * N + i] > 0 ? p->whole[i * N + i] : 1;
}

static problem random_problem(trm_random *random, int r, int n, int rank)
{
    problem p = {.r = r, .n = n, .rank = rank};
    for (int i = 0; i < r + n; i++)
        for (int k = 0; k < rank; k++) p.X[i][k] = trm_random_uniform(random, -1, 1);
    multiply(&p);
    return p;
}

/* Every combination of r, n and rank occurs, including 0. */
static problem nth_problem(trm_random *random, int number)
{
    const int r = number % 13, n = (number / 13) % 9, rank = (number / 117) % (r + n + 2);
    return random_problem(random, r, n, rank);
}

static void eliminate(problem *p)
{
    p->front = (trm_front){.r = p->r, .n = p->n, .F = p->F, .order = p->order};
    trm_front_eliminate(&p->front, p->scale, NOTHING, p->diagonal);
}

static double largest_of(const double *x, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* Returns the smallest pivot in units of scale, from which the rounding of later results is estimated. */
static double smallest_pivot(const problem *p)
{
    double least = 1;
    for (int k = 0; k < p->front.eliminated; k++)
        least = fmin(least, p->F[k * size_of(p) + k] / p->scale[p->order[k]]);
    return least;
}

/* Computes E by projection: removes from the last rows of X their parts along the first ones, twice because of
 * rounding; then their scalar products. */
static void project(const problem *p, double *E)
{
    double along[MOST][MOST], rest[MOST][MOST];
    int count = 0;
    for (int i = 0; i < size_of(p); i++) {
        double v[MOST];
        memcpy(v, p->X[i], sizeof v);
        for (int again = 0; again < 2; again++)
            for (int k = 0; k < count; k++) {
                double dot = 0;
                for (int l = 0; l < p->rank; l++) dot += along[k][l] * v[l];
                for (int l = 0; l < p->rank; l++) v[l] -= dot * along[k][l];
            }
        double length = 0;
        for (int l = 0; l < p->rank; l++) length += v[l] * v[l];
        if (i >= p->r) {
            memcpy(rest[i - p->r], v, sizeof v);
        } else if (count < p->rank && length > 1e-20) {
            for (int l = 0; l < p->rank; l++) along[count][l] = v[l] / sqrt(length);
            count++;
        }
    }
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) {
            E[i * p->n + j] = 0;
            for (int l = 0; l < p->rank; l++) E[i * p->n + j] += rest[i][l] * rest[j][l];
        }
}

static double distance_of_E(const problem *p, const double *E)
{
    double distance = 0;
    const int N = size_of(p);
    for (int i = 0; i < p->n; i++)
        for (int j = i; j < p->n; j++)
            distance = fmax(distance, fabs(p->F[(p->r + i) * N + p->r + j] - E[i * p->n + j]));
    return distance;
}

/* ---- Elimination --------------------------------------------------------------------------- */

static void the_remainder_is_that_of_projection(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(11);
    double worst = 0;
    for (int number = 0; number < CASES; number++) {
        problem p = nth_problem(&random, number);
        double E[MOST * MOST];
        project(&p, E);
        eliminate(&p);
        const double size = largest_of(p.whole, size_of(&p) * size_of(&p));
        const double unit = ROUNDING * (size_of(&p) + 1) * size / smallest_pivot(&p);
        const double share = unit > 0 ? distance_of_E(&p, E) / unit : 0;
        worst = fmax(worst, share);
        if (!(share <= 1)) print_error("r %d, n %d, rank %d\n", p.r, p.n, p.rank);
        assert_true(share <= 1);
    }
    print_message("E: at most %.2g of the rounding that is allowed\n", worst);
}

static void rows_beyond_the_rank_are_dropped(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(12);
    for (int number = 0; number < CASES; number++) {
        problem p = nth_problem(&random, number);
        eliminate(&p);
        assert_int_equal(p.front.eliminated, p.r < p.rank ? p.r : p.rank);
        bool seen[MOST] = {false};
        for (int k = 0; k < p.r; k++) {
            assert_in_range(p.order[k], 0, p.r - 1);
            assert_false(seen[p.order[k]]);
            seen[p.order[k]] = true;
        }
    }
}

/* Copies and sums of rows at any position: the rank stays the same. */
static void copies_and_sums_of_rows_are_dropped(void **state)
{
    enum { ROWS = 16, OTHERS = 4, WIDE = 20 };
    (void)state;
    trm_random random = trm_random_seed(13);
    for (int number = 0; number < 1000; number++) {
        problem p = random_problem(&random, ROWS, OTHERS, WIDE);
        int independent = 1;
        for (int i = 1; i < ROWS; i++) {
            const int kind = (int)trm_random_uniform(&random, 0, 3), a = (int)trm_random_uniform(&random, 0, i),
                      b = (int)trm_random_uniform(&random, 0, i);
            independent += kind == 0;
            for (int k = 0; kind > 0 && k < WIDE; k++) p.X[i][k] = p.X[a][k] + (kind == 2 ? p.X[b][k] : 0);
        }
        multiply(&p);
        double E[MOST * MOST];
        project(&p, E);
        eliminate(&p);
        assert_int_equal(p.front.eliminated, independent);
        assert_true(distance_of_E(&p, E) <= SOLVED);
    }
}

static void the_largest_pivots_come_first(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(14);
    for (int number = 0; number < 2000; number++) {
        problem p = nth_problem(&random, number);
        eliminate(&p);
        double before = INFINITY;
        for (int k = 0; k < p.front.eliminated; k++) {
            const double pivot = p.F[k * size_of(&p) + k] / p.scale[p.order[k]];
            assert_true(pivot <= before * (1 + SOLVED));
            assert_true(pivot > NOTHING / 2);
            before = pivot;
        }
    }
}

/* Rows in other units, by powers of two: results are bit-identical in these units. */
static void units_of_rows_do_not_matter(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(15);
    for (int number = 0; number < 3000; number++) {
        problem p = nth_problem(&random, number), scaled = p;
        const int N = size_of(&p);
        double unit[MOST];
        for (int i = 0; i < N; i++) unit[i] = exp2(floor(trm_random_uniform(&random, -40, 40)));
        for (int i = 0; i < p.r; i++) scaled.scale[i] *= unit[i] * unit[i];
        for (int i = 0; i < N; i++)
            for (int j = i; j < N; j++) scaled.F[i * N + j] *= unit[i] * unit[j];
        eliminate(&p);
        eliminate(&scaled);
        assert_int_equal(scaled.front.eliminated, p.front.eliminated);
        assert_memory_equal(scaled.order, p.order, (size_t)p.r * sizeof *p.order);
        for (int i = p.r; i < N; i++)
            for (int j = i; j < N; j++) assert_true(scaled.F[i * N + j] == p.F[i * N + j] * unit[i] * unit[j]);
    }
}

static void nothing_is_eliminated_from_zero(void **state)
{
    (void)state;
    for (int r = 0; r < 12; r++) {
        trm_random random = trm_random_seed(16);
        problem p = random_problem(&random, r, 4, 6);
        const int N = size_of(&p);
        for (int i = 0; i < r; i++)
            for (int j = i; j < N; j++) p.F[i * N + j] = 0;
        eliminate(&p);
        assert_int_equal(p.front.eliminated, 0);
        double g[MOST] = {0}, z[MOST], x[MOST];
        for (int i = 0; i < N; i++) x[i] = 7, g[i] = i < r ? 0 : i;
        assert_true(trm_front_forward(&p.front, g, z) == 0);
        trm_front_backward(&p.front, z, x);
        for (int i = 0; i < N; i++) assert_true(x[i] == (i < r ? 0 : 7) && g[i] == (i < r ? 0 : i));
        for (int i = r; i < N; i++)
            for (int j = i; j < N; j++) assert_true(p.F[i * N + j] == p.whole[i * N + j]);
    }
}

/* ---- Solving ------------------------------------------------------------------------------- */

/* g = F x for a known x: then g_C becomes E x_C, and the solution from x_C gives the same A x_A + B^T x_C. */
static void consistent_right_sides_are_solved(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(17);
    double worst = 0;
    for (int number = 0; number < CASES; number++) {
        problem p = nth_problem(&random, number);
        const int N = size_of(&p);
        double x[MOST] = {0}, g[MOST] = {0}, forward[MOST], z[MOST], found[MOST];
        eliminate(&p);
        for (int i = 0; i < N; i++) x[i] = trm_random_uniform(&random, -1, 1);
        for (int i = 0; i < N; i++) {
            g[i] = 0;
            for (int j = 0; j < N; j++) g[i] += p.whole[i * N + j] * x[j];
        }
        memcpy(forward, g, sizeof g);
        const double left = trm_front_forward(&p.front, forward, z);
        const double unit = ROUNDING * (N + 1) * (largest_of(p.whole, N * N) + 1) / smallest_pivot(&p);
        worst = fmax(worst, left / unit);
        for (int i = p.r; i < N; i++) {
            double Ex = 0;
            for (int j = p.r; j < N; j++) Ex += p.F[i <= j ? i * N + j : j * N + i] * x[j];
            worst = fmax(worst, fabs(forward[i] - Ex) / unit);
        }
        memcpy(found, x, sizeof x);
        for (int i = 0; i < p.r; i++) found[i] = NAN;
        trm_front_backward(&p.front, z, found);
        for (int i = 0; i < p.r; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += p.whole[i * N + j] * found[j];
            worst = fmax(worst, fabs(sum - g[i]) / unit);
        }
        for (int k = p.front.eliminated; k < p.r; k++) assert_true(found[p.order[k]] == 0);
        assert_true(worst <= 1);
    }
    print_message("solved: at most %.2g of the rounding that is allowed\n", worst);
}

/* A right side without a solution shows along a dropped row, by the size of its error. */
static void contradicting_right_sides_are_seen(void **state)
{
    enum { ROWS = 6, RANK = 4 };
    (void)state;
    trm_random random = trm_random_seed(18);
    for (int number = 0; number < 1000; number++) {
        problem p = random_problem(&random, ROWS, 3, RANK);
        double g[MOST] = {0}, z[MOST];
        eliminate(&p);
        const int row = p.order[ROWS - 1]; /* a dropped row */
        const double wrong = trm_random_uniform(&random, 0.5, 2);
        g[row] = wrong;
        assert_near(trm_front_forward(&p.front, g, z), wrong, SOLVED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_remainder_is_that_of_projection), cmocka_unit_test(rows_beyond_the_rank_are_dropped),
        cmocka_unit_test(copies_and_sums_of_rows_are_dropped), cmocka_unit_test(the_largest_pivots_come_first),
        cmocka_unit_test(units_of_rows_do_not_matter),         cmocka_unit_test(nothing_is_eliminated_from_zero),
        cmocka_unit_test(consistent_right_sides_are_solved),   cmocka_unit_test(contradicting_right_sides_are_seen),
    };
    return RUN_TESTS(tests);
}
