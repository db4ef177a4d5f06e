/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* CMA-ES on functions whose minima are known. */

#include "resting.h"

enum { MOST_PARAMETERS = 5 };

/* A rotated ellipsoid with axes of 1 to 100 about (0.1, 0.2, ..). */
static double ellipsoid(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double y = 0;
        for (int k = 0; k < n; k++) y += (i == k ? 1 : 0.3) * (x[k] - 0.1 * (k + 1));
        sum += pow(100, n > 1 ? i / (n - 1.0) : 0) * y * y;
    }
    return sum;
}

/* Rosenbrock's valley; minimum at (1, .., 1). */
static double valley(const double *x, int n)
{
    double sum = n == 1 ? (x[0] - 1) * (x[0] - 1) : 0;
    for (int i = 0; i + 1 < n; i++) {
        const double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        sum += 100 * a * a + b * b;
    }
    return sum;
}

/* Rastrigin's: many minima, the least at 0.3. */
static double waves(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - 0.3) * (x[i] - 0.3) + 1 - cos(2 * TRM_PI * (x[i] - 0.3));
    return sum;
}

static double minimise(double (*f)(const double *, int), int n, const double *expected, int *runs)
{
    double lower[MOST_PARAMETERS], upper[MOST_PARAMETERS], best[MOST_PARAMETERS], off = 0;
    trm_optimiser_def def = trm_default_optimiser_def();
    trm_optimiser *o = NULL;
    def.restarts = 4;
    for (int i = 0; i < n; i++) lower[i] = -3, upper[i] = 4;
    assert_int_equal(trm_optimiser_create(n, lower, upper, NULL, &def, NULL, &o), TRM_OK);
    double *points = malloc((size_t)(trm_optimiser_most_points(o) * n) * sizeof *points);
    double *values = malloc((size_t)trm_optimiser_most_points(o) * sizeof *values);
    *runs = 0;
    while (!trm_optimiser_is_done(o)) {
        const int count = trm_optimiser_next(o, points);
        for (int i = 0; i < count; i++) {
            values[i] = f(points + i * n, n);
            for (int k = 0; k < n; k++) assert_true(points[i * n + k] >= -3 && points[i * n + k] <= 4);
        }
        trm_optimiser_record(o, values);
        *runs += count;
    }
    trm_optimiser_best(o, best);
    for (int i = 0; i < n; i++) off = fmax(off, fabs(best[i] - expected[i]));
    free(points);
    free(values);
    trm_optimiser_destroy(o);
    return off;
}

static void known_minima_are_found(void **state)
{
    (void)state;
    const double centre[] = {0.1, 0.2, 0.3, 0.4, 0.5}, ones[] = {1, 1, 1, 1, 1}, wave[] = {0.3, 0.3, 0.3, 0.3, 0.3};
    double worst = 0;
    for (int n = 1; n <= MOST_PARAMETERS; n++) {
        int runs[3];
        const double off[3] = {minimise(ellipsoid, n, centre, &runs[0]), minimise(valley, n, ones, &runs[1]),
                               minimise(waves, n, wave, &runs[2])};
        printf("%d parameters: off by %.2g, %.2g, %.2g after %d, %d, %d runs\n", n, off[0], off[1], off[2], runs[0],
               runs[1], runs[2]);
        for (int i = 0; i < 3; i++) worst = fmax(worst, off[i]);
    }
    assert_near(worst, 0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_minima_are_found)};
    return RUN_TESTS(tests);
}
