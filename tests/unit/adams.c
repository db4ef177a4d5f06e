/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Adams' method on problems whose solution is known. */

#include "methods/minimal/adams_state.h"

#include <float.h>
#include <string.h>

#include "check.h"
#include "failing_allocator.h"

enum { MOST = 4 };

/* ---- Problems ----------------------------------------------------------------------------- */

typedef struct problem {
    const char *name;
    int unknowns;
    trm_adams_rates f;
    void (*exact)(double t, double *y);
    double end;
} problem;

static bool decay_rates(void *context, double t, const double *y, double *rates)
{
    (void)context, (void)t;
    rates[0] = -y[0];
    return true;
}

static void decay(double t, double *y)
{
    y[0] = exp(-t);
}

static bool circle_rates(void *context, double t, const double *y, double *rates)
{
    (void)context, (void)t;
    rates[0] = -y[1];
    rates[1] = y[0];
    return true;
}

static void circle(double t, double *y)
{
    y[0] = cos(t);
    y[1] = sin(t);
}

static bool orbit_rates(void *context, double t, const double *y, double *rates)
{
    (void)context, (void)t;
    const double r = hypot(y[0], y[1]), pull = 1 / (r * r * r);
    rates[0] = y[2], rates[1] = y[3];
    rates[2] = -pull * y[0], rates[3] = -pull * y[1];
    return true;
}

static const double eccentricity = 0.3;

/* Kepler's ellipse from its pericentre, semi-major axis 1; E - e sin E = t by Newton's method. */
static void orbit(double t, double *y)
{
    const double e = eccentricity, b = sqrt(1 - e * e);
    double E = t;
    for (int i = 0; i < 30; i++) E -= (E - e * sin(E) - t) / (1 - e * cos(E));
    const double rate = 1 / (1 - e * cos(E));
    y[0] = cos(E) - e, y[1] = b * sin(E);
    y[2] = -sin(E) * rate, y[3] = b * cos(E) * rate;
}

/* Hull's problem D2 is the orbit to t = 20. */
static const problem decay_problem = {"decay", 1, decay_rates, decay, 10};
static const problem circle_problem = {"circle", 2, circle_rates, circle, 20};
static const problem orbit_problem = {"orbit", 4, orbit_rates, orbit, 20};

/* ---- Runs --------------------------------------------------------------------------------- */

typedef struct fixture {
    trm_arena arena;
    trm_adams *a;
} fixture;

static fixture begin(int unknowns)
{
    fixture x;
    trm_arena_init(&x.arena, NULL);
    x.a = trm_adams_create(&x.arena, unknowns);
    assert_non_null(x.a);
    return x;
}

static fixture begin_problem(const problem *p)
{
    fixture x = begin(p->unknowns);
    double y[MOST];
    p->exact(0, y);
    trm_adams_start(x.a, 0, y, 0.1);
    return x;
}

static void finish(fixture *x)
{
    trm_arena_destroy(&x->arena);
}

static void step(trm_adams *a, const problem *p, double tolerance)
{
    assert_int_equal(trm_adams_step(a, p->f, NULL, tolerance), TRM_ADAMS_DONE);
}

static void steps(trm_adams *a, const problem *p, double tolerance, int count)
{
    for (int i = 0; i < count; i++) step(a, p, tolerance);
}

static void run_to(trm_adams *a, const problem *p, double tolerance, double t)
{
    while (trm_adams_time(a) < t) step(a, p, tolerance);
}

static double largest_difference(const double *x, const double *y, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static double error_at(const trm_adams *a, const problem *p, double t)
{
    double y[MOST], f[MOST], exact[MOST];
    trm_adams_at(a, t, y, f);
    p->exact(t, exact);
    return largest_difference(y, exact, p->unknowns);
}

/* ---- Quadratures -------------------------------------------------------------------------- */

/* f depends on t alone: errors of y do not affect f. */
typedef double (*integrand)(double t);

static bool integrand_rates(void *context, double t, const double *y, double *rates)
{
    (void)y;
    rates[0] = (*(integrand *)context)(t);
    return true;
}

static double fifth_power(double t)
{
    return pow(t, 5);
}

/* A step of order k integrates polynomials of degree k: the corrector is of order k + 1. */
static void polynomials_up_to_the_order_are_integrated_exactly(void **state)
{
    (void)state;
    fixture x = begin(1);
    integrand f = fifth_power;
    const double zero = 0;
    trm_adams_start(x.a, 0, &zero, 0.01);
    int tried = 0;
    while (trm_adams_time(x.a) < 100) { /* steps without error become ever longer */
        const double from = trm_adams_time(x.a), y = *trm_adams_y(x.a);
        assert_int_equal(trm_adams_step(x.a, integrand_rates, &f, 1e-9), TRM_ADAMS_DONE);
        const double to = trm_adams_time(x.a), size = fabs(*trm_adams_y(x.a));
        if (trm_adams_order(x.a) < 5) continue;
        assert_near(*trm_adams_y(x.a) - y, (pow(to, 6) - pow(from, 6)) / 6, 20 * DBL_EPSILON * (1 + size));
        tried++;
    }
    assert_true(tried > 3);
    finish(&x);
}

/* High and narrow peaks once per turn, of zero mean. */
static double bumps(double t)
{
    const double c = 1.05;
    return 1 / (c + sin(t)) - 1 / sqrt(c * c - 1);
}

/* After any changes of order and step, the weights of predictor and corrector fit the grid. The order must have risen
 * at a step length at which it had fallen before. */
static void a_step_integrates_the_polynomial_through_its_points(void **state)
{
    (void)state;
    fixture x = begin(1);
    integrand f = bumps;
    const double zero = 0;
    int falls = 0, order = 0;
    trm_adams_start(x.a, 0, &zero, 0.01);
    for (int i = 0; i < 3000; i++) {
        const double before = *trm_adams_y(x.a);
        double y, rates;
        assert_int_equal(trm_adams_step(x.a, integrand_rates, &f, 1e-9), TRM_ADAMS_DONE);
        trm_adams_recover(x.a, 1, &y, &rates);
        assert_near(y, before, 20 * DBL_EPSILON * (1 + fabs(before)));
        falls += trm_adams_order(x.a) < order;
        order = trm_adams_order(x.a);
    }
    assert_true(falls > 20);
    finish(&x);
}

static double jump(double t)
{
    return t < 1 ? 0 : 1;
}

/* The error of the step over the jump is within the tolerance like any other. */
static void a_jump_of_f_is_stepped_over(void **state)
{
    (void)state;
    fixture x = begin(1);
    integrand f = jump;
    const double zero = 0, tolerance = 1e-8;
    trm_adams_start(x.a, 0, &zero, 0.3);
    while (trm_adams_time(x.a) < 3)
        assert_int_equal(trm_adams_step(x.a, integrand_rates, &f, tolerance), TRM_ADAMS_DONE);
    assert_near(*trm_adams_y(x.a), trm_adams_time(x.a) - 1, 10 * tolerance);
    assert_true(trm_adams_failures(x.a) > 3);
    finish(&x);
}

/* ---- Error control ------------------------------------------------------------------------ */

typedef struct outcome {
    double error, mean_order;
    int steps, highest_order;
    long long evaluations, failures;
} outcome;

static outcome solve(const problem *p, double tolerance)
{
    fixture x = begin_problem(p);
    outcome o = {0};
    while (trm_adams_time(x.a) < p->end) {
        step(x.a, p, tolerance);
        o.steps++;
        o.mean_order += trm_adams_order(x.a);
        if (trm_adams_order(x.a) > o.highest_order) o.highest_order = trm_adams_order(x.a);
    }
    o.mean_order /= o.steps;
    o.error = error_at(x.a, p, p->end);
    o.evaluations = x.a->now.evaluations;
    o.failures = trm_adams_failures(x.a);
    finish(&x);
    return o;
}

/* Tolerances 1e-3 .. 1e-12; errors accumulate over many steps, so they are up to the given multiple of the
 * tolerance. */
static void assert_errors_follow_tolerance(const problem *p, double least, double most)
{
    for (int digits = 3; digits <= 12; digits++) {
        const double tolerance = pow(10, -digits);
        const outcome o = solve(p, tolerance);
        print_message("%-7s 1e-%02d: error %.1e, %lld evaluations, %d steps, %lld failed, order %.1f, at most %d\n",
                      p->name, digits, o.error, o.evaluations, o.steps, o.failures, o.mean_order, o.highest_order);
        assert_true(o.error < most * tolerance);
        assert_true(o.error > least * tolerance);
        assert_int_equal(o.evaluations >= 2 * o.steps + 1, true); /* two per step, one to start */
        assert_true(o.evaluations <= 2 * o.steps + 1 + 2 * o.failures);
    }
}

static void errors_follow_the_tolerance(void **state)
{
    (void)state;
    assert_errors_follow_tolerance(&decay_problem, 1e-5, 10); /* a decayed solution has no error */
    assert_errors_follow_tolerance(&circle_problem, 0.01, 300);
    assert_errors_follow_tolerance(&orbit_problem, 0.01, 3000); /* runs ahead: errors grow with t^2 */
}

/* Evaluations at 1e-6, 1e-9 and 1e-12, counted when the program agreed exactly with an independent implementation of
 * STEP for pendulums and four-bars (adams_loops.c). Rounding changes them by a few percent. */
static void evaluations_are_those_of_step(void **state)
{
    (void)state;
    const problem *const problems[] = {&decay_problem, &circle_problem, &orbit_problem};
    const double tolerances[] = {1e-6, 1e-9, 1e-12};
    const double counts[3][3] = {{83, 139, 211}, {183, 353, 459}, {394, 732, 1126}};
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < 3; t++)
            assert_near((double)solve(problems[i], tolerances[t]).evaluations / counts[i][t], 1, 0.1);
}

static void the_order_grows_as_the_tolerance_falls(void **state)
{
    (void)state;
    const outcome coarse = solve(&orbit_problem, 1e-3), middle = solve(&orbit_problem, 1e-6),
                  fine = solve(&orbit_problem, 1e-12);
    assert_true(coarse.mean_order < middle.mean_order - 1 && middle.mean_order < fine.mean_order - 1);
    assert_int_equal(fine.highest_order, TRM_ADAMS_ORDERS);
    /* at a fixed order 4 the last six digits would cost 10^(6/5) = 16 times as much */
    assert_true(fine.evaluations < 4 * middle.evaluations);
}

static bool same_rates(void *context, double t, const double *y, double *rates)
{
    (void)context, (void)y;
    rates[0] = rates[1] = cos(t);
    return true;
}

/* Rounding errors are compensated there: after 5000 steps the error is that of a few steps; without compensation it
 * was 24 units in the last place of y. */
static void rounding_does_not_gather_near_it(void **state)
{
    (void)state;
    fixture x = begin(2);
    const double apart = 1000, unit = 1000 * DBL_EPSILON, y[2] = {0, apart};
    double worst = 0;
    trm_adams_start(x.a, 0, y, 0.1);
    while (trm_adams_time(x.a) < 1000) {
        assert_int_equal(trm_adams_step(x.a, same_rates, NULL, 3e-15), TRM_ADAMS_DONE);
        worst = fmax(worst, fabs(trm_adams_y(x.a)[1] - trm_adams_y(x.a)[0] - apart));
    }
    print_message("rounding: %.1f units after %lld evaluations\n", worst / unit, x.a->now.evaluations);
    assert_near(worst, 0, 4 * unit);
    finish(&x);
}

static void tolerances_below_rounding_are_refused(void **state)
{
    (void)state;
    fixture x = begin_problem(&circle_problem);
    assert_int_equal(trm_adams_step(x.a, circle_rates, NULL, 1e-17), TRM_ADAMS_TOO_TIGHT);
    assert_int_equal(trm_adams_step(x.a, circle_rates, NULL, NAN), TRM_ADAMS_TOO_TIGHT);
    assert_int_equal(x.a->now.evaluations, 0);
    steps(x.a, &circle_problem, 1e-8, 20);
    const double t = trm_adams_time(x.a);
    assert_int_equal(trm_adams_step(x.a, circle_rates, NULL, 1e-17), TRM_ADAMS_TOO_TIGHT);
    assert_true(trm_adams_time(x.a) == t);
    step(x.a, &circle_problem, 1e-8); /* and the run continues */
    finish(&x);
}

/* ---- Dense output ------------------------------------------------------------------------- */

/* Between grid points y is as accurate as at them; f, a derivative, is less accurate by a factor of about 1 / h. */
static void dense_output_is_as_good_as_the_points(void **state)
{
    (void)state;
    const double tolerance = 1e-9;
    fixture x = begin_problem(&orbit_problem);
    double worst = 0, worst_rate = 0;
    while (trm_adams_time(x.a) < 10) {
        const double from = trm_adams_time(x.a);
        step(x.a, &orbit_problem, tolerance);
        for (int i = 0; i <= 8; i++) {
            const double t = from + (trm_adams_time(x.a) - from) * i / 8;
            double y[MOST], f[MOST], rates[MOST];
            trm_adams_at(x.a, t, y, f);
            orbit_rates(NULL, t, y, rates);
            worst = fmax(worst, error_at(x.a, &orbit_problem, t));
            worst_rate = fmax(worst_rate, largest_difference(f, rates, MOST));
        }
    }
    const double at_points = error_at(x.a, &orbit_problem, trm_adams_time(x.a));
    print_message("dense output: y %.1e, f %.1e; at the last point %.1e\n", worst, worst_rate, at_points);
    assert_near(worst, 0, 200 * tolerance);
    assert_near(worst_rate, 0, 2000 * tolerance);
    finish(&x);
}

static void dense_output_at_a_point_is_the_point(void **state)
{
    (void)state;
    fixture x = begin_problem(&orbit_problem);
    for (int i = 0; i < 200; i++) {
        double y[MOST], f[MOST];
        step(x.a, &orbit_problem, 1e-9);
        trm_adams_at(x.a, trm_adams_time(x.a), y, f);
        assert_memory_equal(y, trm_adams_y(x.a), sizeof y);
        assert_near(largest_difference(f, x.a->f, MOST), 0, 1e-14); /* phi_1 = f up to rounding */
    }
    finish(&x);
}

/* Two grids, one of which has the time as a grid point: the limit of the first step is so short that this step is
 * made as requested. */
static void dense_output_matches_a_run_that_ends_there(void **state)
{
    (void)state;
    const double tolerance = 1e-10, t = 3, close = 1e-7;
    fixture x = begin_problem(&orbit_problem), z = begin(MOST);
    double y[MOST], f[MOST], near_it[MOST];
    run_to(x.a, &orbit_problem, tolerance, t);
    trm_adams_at(x.a, t - close, near_it, f);
    trm_adams_at(x.a, t, y, f);
    trm_adams_start(z.a, t - close, near_it, close);
    step(z.a, &orbit_problem, tolerance);
    assert_near(trm_adams_time(z.a), t, 1e-15);
    assert_near(largest_difference(y, trm_adams_y(z.a), MOST), 0, tolerance);
    finish(&x);
    finish(&z);
}

/* Each step ends at the time that the caller requests: the grid is the caller's, the error that of the tolerance. */
static void steps_may_be_given_their_length(void **state)
{
    (void)state;
    fixture x = begin_problem(&orbit_problem);
    for (double due = 0.5; due <= 20; due += 0.5)
        while (trm_adams_time(x.a) < due) {
            const double left = due - trm_adams_time(x.a);
            if (trm_adams_next(x.a) > 0.99 * left) trm_adams_set_next(x.a, left);
            step(x.a, &orbit_problem, 1e-9);
            assert_true(trm_adams_time(x.a) <= due + 1e-14 * due);
        }
    assert_near(trm_adams_time(x.a), 20, 1e-13);
    assert_near(error_at(x.a, &orbit_problem, 20), 0, 1e-6);
    finish(&x);
}

static void time_may_run_backwards(void **state)
{
    (void)state;
    fixture x = begin(MOST);
    double y[MOST];
    orbit(10, y);
    trm_adams_start(x.a, 10, y, -0.1);
    while (trm_adams_time(x.a) > 0) step(x.a, &orbit_problem, 1e-10);
    assert_true(trm_adams_length(x.a) < 0);
    assert_near(error_at(x.a, &orbit_problem, 0), 0, 1e-7);
    fixture forth = begin_problem(&orbit_problem);
    run_to(forth.a, &orbit_problem, 1e-10, 10);
    assert_near((double)x.a->now.evaluations / (double)forth.a->now.evaluations, 1, 0.1);
    finish(&x);
    finish(&forth);
}

/* ---- The past ----------------------------------------------------------------------------- */

/* Values at past grid points, the last one first. */
typedef struct past {
    double t[TRM_ADAMS_POINTS], y[TRM_ADAMS_POINTS * MOST], f[TRM_ADAMS_POINTS * MOST];
} past;

static void remember(past *h, const trm_adams *a, int unknowns)
{
    const size_t n = (size_t)unknowns, older = (TRM_ADAMS_POINTS - 1) * n * sizeof(double);
    memmove(h->t + 1, h->t, (TRM_ADAMS_POINTS - 1) * sizeof *h->t);
    memmove(h->y + n, h->y, older);
    memmove(h->f + n, h->f, older);
    h->t[0] = trm_adams_time(a);
    memcpy(h->y, trm_adams_y(a), n * sizeof *h->y);
    memcpy(h->f, a->f, n * sizeof *h->f);
}

static void remembered_steps(past *h, trm_adams *a, const problem *p, double tolerance, int count)
{
    for (int i = 0; i < count; i++) {
        step(a, p, tolerance);
        remember(h, a, p->unknowns);
    }
}

/* f is the value that the polynomial interpolated: differences of order 12 lose three or four digits of it. y is the
 * integral of the present polynomial, which differs from that of the past one by the error of a step. */
static void past_points_are_recovered(void **state)
{
    (void)state;
    const double tolerance = 1e-9;
    fixture x = begin_problem(&orbit_problem);
    past h = {0};
    double worst_f = 0, worst_y = 0;
    for (int i = 0; i < 300; i++) {
        remembered_steps(&h, x.a, &orbit_problem, tolerance, 1);
        const int known = i + 2 < TRM_ADAMS_POINTS ? i + 2 : TRM_ADAMS_POINTS;
        assert_int_equal(x.a->now.points, known);
        for (int back = 0; back <= trm_adams_order(x.a) && back <= i; back++) {
            double y[MOST], f[MOST];
            assert_true(x.a->now.times[back] == h.t[back]);
            trm_adams_recover(x.a, back, y, f);
            worst_f = fmax(worst_f, largest_difference(f, h.f + back * MOST, MOST));
            worst_y = fmax(worst_y, largest_difference(y, h.y + back * MOST, MOST));
        }
    }
    print_message("recovered: f %.1e, y %.1e\n", worst_f, worst_y);
    assert_near(worst_f, 0, 1e-11);
    assert_near(worst_y, 0, 1000 * tolerance);
    finish(&x);
}

/* ---- Exchange ----------------------------------------------------------------------------- */

/* A multiple of rounding: divided differences of order 13 of values near 1. */
static const double exchange_rounding = 1e-11;

static void exchange_with_the_same_unknowns_changes_rounding_only(void **state)
{
    (void)state;
    fixture x = begin_problem(&orbit_problem), z = begin_problem(&orbit_problem);
    past h = {0};
    int highest = 0;
    for (int i = 0; i < 10; i++) {
        remembered_steps(&h, x.a, &orbit_problem, 1e-10, 31);
        steps(z.a, &orbit_problem, 1e-10, 31);
        trm_adams_exchange(x.a, trm_adams_y(x.a), h.f, TRM_ADAMS_POINTS);
        assert_int_equal(trm_adams_order(x.a), trm_adams_order(z.a));
        remembered_steps(&h, x.a, &orbit_problem, 1e-10, 1);
        step(z.a, &orbit_problem, 1e-10);
        assert_int_equal(trm_adams_order(x.a), trm_adams_order(z.a));
        assert_near(trm_adams_length(x.a) / trm_adams_length(z.a), 1, 1e-9);
        assert_near(largest_difference(trm_adams_y(x.a), trm_adams_y(z.a), MOST), 0, exchange_rounding);
        if (trm_adams_order(x.a) > highest) highest = trm_adams_order(x.a);
        double bytes[400];
        assert_true(trm_adams_size(z.a) <= sizeof bytes);
        trm_adams_save(z.a, bytes);
        trm_adams_load(x.a, bytes); /* equal again for the next round */
    }
    assert_true(highest >= 10);
    finish(&x);
    finish(&z);
}

/* The orbit in other coordinates: z = Q y with a constant Q, whose inverse gives y. */
static const double Q[MOST][MOST] = {{0, 1, 0, 0.5}, {-1, 0, 0.25, 0}, {0, 0, 0, 1}, {0, 0.5, -1, 0}};

static void transform(const double *y, double *z)
{
    for (int i = 0; i < MOST; i++) {
        z[i] = 0;
        for (int j = 0; j < MOST; j++) z[i] += Q[i][j] * y[j];
    }
}

/* y from z = Q y: z_2 = y_3, z_0 = y_1 + y_3 / 2, z_3 = y_1 / 2 - y_2, z_1 = -y_0 + y_2 / 4 */
static void transform_back(const double *z, double *y)
{
    y[3] = z[2];
    y[1] = z[0] - 0.5 * y[3];
    y[2] = 0.5 * y[1] - z[3];
    y[0] = 0.25 * y[2] - z[1];
}

static bool transformed_rates(void *context, double t, const double *z, double *rates)
{
    double y[MOST], f[MOST];
    transform_back(z, y);
    orbit_rates(context, t, y, f);
    transform(f, rates);
    return true;
}

static void exchange_for_a_linear_transform_keeps_order_and_step(void **state)
{
    (void)state;
    const double tolerance = 1e-10;
    fixture x = begin_problem(&orbit_problem), z = begin_problem(&orbit_problem);
    past h = {0};
    double start[MOST], f[TRM_ADAMS_POINTS * MOST], y[MOST];
    remembered_steps(&h, x.a, &orbit_problem, tolerance, 100);
    steps(z.a, &orbit_problem, tolerance, 100);
    transform(h.y, start);
    for (int back = 0; back < TRM_ADAMS_POINTS; back++) transform(h.f + back * MOST, f + back * MOST);
    trm_adams_exchange(x.a, start, f, TRM_ADAMS_POINTS);

    /* the next step is the same one, in other unknowns */
    step(z.a, &orbit_problem, tolerance);
    assert_int_equal(trm_adams_step(x.a, transformed_rates, NULL, tolerance), TRM_ADAMS_DONE);
    assert_int_equal(trm_adams_order(x.a), trm_adams_order(z.a));
    assert_true(trm_adams_length(x.a) == trm_adams_length(z.a));
    transform_back(trm_adams_y(x.a), y);
    assert_near(largest_difference(y, trm_adams_y(z.a), MOST), 0, exchange_rounding);

    /* and the run is as accurate and as cheap as one without exchange */
    const long long before = x.a->now.evaluations;
    while (trm_adams_time(x.a) < 20)
        assert_int_equal(trm_adams_step(x.a, transformed_rates, NULL, tolerance), TRM_ADAMS_DONE);
    run_to(z.a, &orbit_problem, tolerance, 20);
    double at_end[MOST], rates[MOST], exact[MOST];
    trm_adams_at(x.a, 20, at_end, rates);
    transform_back(at_end, y);
    orbit(20, exact);
    assert_near(largest_difference(y, exact, MOST), 0, 1000 * tolerance);
    assert_near((double)(x.a->now.evaluations - before) / (double)(z.a->now.evaluations - before), 1, 0.1);
    finish(&x);
    finish(&z);
}

static void fewer_points_lower_the_order(void **state)
{
    (void)state;
    const double tolerance = 1e-8;
    for (int points = 1; points < 6; points++) {
        fixture x = begin_problem(&orbit_problem);
        past h = {0};
        remembered_steps(&h, x.a, &orbit_problem, tolerance, 80);
        assert_true(trm_adams_order(x.a) > 6);
        trm_adams_exchange(x.a, h.y, h.f, points);
        step(x.a, &orbit_problem, tolerance);
        assert_true(trm_adams_order(x.a) <= points);
        run_to(x.a, &orbit_problem, tolerance, 20);
        assert_near(error_at(x.a, &orbit_problem, 20), 0, 1000 * tolerance);
        finish(&x);
    }
}

/* No history exists yet: only y matters. */
static void exchange_before_the_first_step_is_a_start(void **state)
{
    (void)state;
    fixture x = begin_problem(&circle_problem), z = begin_problem(&circle_problem);
    const double y[] = {0, 2}, f[] = {5, 5};
    trm_adams_exchange(x.a, y, f, 1);
    trm_adams_start(z.a, 0, y, 0.1);
    steps(x.a, &circle_problem, 1e-8, 20);
    steps(z.a, &circle_problem, 1e-8, 20);
    assert_memory_equal(trm_adams_y(x.a), trm_adams_y(z.a), sizeof y);
    finish(&x);
    finish(&z);
}

/* ---- Saving ------------------------------------------------------------------------------- */

static void saved_runs_resume_bit_identically(void **state)
{
    (void)state;
    double saved[400], end[400], again[400];
    const int lengths[] = {0, 1, 5, 40, 200};
    for (int i = 0; i < 5; i++)
        for (int careful = 0; careful < 2; careful++) {
            const double tolerance = careful ? 1e-14 : 1e-8;
            fixture x = begin_problem(&orbit_problem), z = begin(MOST);
            assert_true(trm_adams_size(x.a) <= sizeof saved);
            steps(x.a, &orbit_problem, tolerance, lengths[i]);
            trm_adams_save(x.a, saved);
            steps(x.a, &orbit_problem, tolerance, 50);
            trm_adams_save(x.a, end);
            trm_adams_load(z.a, saved);
            steps(z.a, &orbit_problem, tolerance, 50);
            trm_adams_save(z.a, again);
            assert_memory_equal(end, again, trm_adams_size(x.a));
            finish(&x);
            finish(&z);
        }
}

/* ---- Failing evaluations of f ------------------------------------------------------------- */

/* Fails at every n-th call, or beyond a wall. */
typedef struct moody {
    int calls, every;
    double wall;
    bool by_nan; /* returns NaN instead of reporting the failure */
} moody;

static bool moody_rates(void *context, double t, const double *y, double *rates)
{
    moody *m = context;
    m->calls++;
    orbit_rates(NULL, t, y, rates);
    const bool fails = (m->every > 0 && m->calls % m->every == 0) || t > m->wall;
    if (fails) rates[2] = NAN;
    return !fails || m->by_nan;
}

/* About every second call is that of the corrector, so that both kinds of evaluations fail. Differences stay correct:
 * a step stores only values of f that succeeded. */
static void single_failures_of_f_are_survived(void **state)
{
    (void)state;
    const double tolerance = 1e-9;
    for (int every = 5; every < 40; every += 2) {
        fixture x = begin_problem(&orbit_problem);
        past h = {0};
        moody m = {.every = every, .wall = INFINITY, .by_nan = every % 3 == 0};
        while (trm_adams_time(x.a) < 20) {
            assert_int_equal(trm_adams_step(x.a, moody_rates, &m, tolerance), TRM_ADAMS_DONE);
            double y[MOST], f[MOST];
            remember(&h, x.a, MOST);
            trm_adams_recover(x.a, x.a->now.points > 2 ? 1 : 0, y, f);
            if (x.a->now.points > 2) assert_near(largest_difference(f, h.f + MOST, MOST), 0, 1e-11);
        }
        assert_true(trm_adams_failures(x.a) >= m.calls / every);
        assert_int_equal(x.a->now.evaluations, m.calls);
        assert_near(error_at(x.a, &orbit_problem, 20), 0, 1000 * tolerance);
        finish(&x);
    }
}

/* Steps become shorter towards the wall until they reach rounding: about 60 halvings. */
static void walls_are_reported(void **state)
{
    (void)state;
    const double tolerance = 1e-9, walls[] = {1, 0, -1};
    for (int i = 0; i < 3; i++) {
        fixture x = begin_problem(&orbit_problem);
        moody m = {.wall = walls[i]};
        trm_adams_result result = TRM_ADAMS_DONE;
        while (result == TRM_ADAMS_DONE) result = trm_adams_step(x.a, moody_rates, &m, tolerance);
        assert_int_equal(result, TRM_ADAMS_STUCK);
        assert_near(trm_adams_time(x.a), fmax(walls[i], 0), 1e-12);
        double exact[MOST];
        orbit(trm_adams_time(x.a), exact);
        assert_near(largest_difference(trm_adams_y(x.a), exact, MOST), 0, 100 * tolerance);
        assert_true(m.calls < 5000);
        finish(&x);
    }
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void out_of_memory_is_survived(void **state)
{
    (void)state;
    failing_allocator memory;
    bool made = false;
    for (long k = 1; !made; k++) {
        failing_allocator_reset(&memory, k, true);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        made = trm_adams_create(&arena, 1000) != NULL;
        assert_true(made || memory.refusals > 0);
        trm_arena_destroy(&arena);
        assert_true(failing_allocator_is_clean(&memory));
        assert_true(k < 10);
    }
    assert_true(memory.calls > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_up_to_the_order_are_integrated_exactly),
        cmocka_unit_test(a_step_integrates_the_polynomial_through_its_points),
        cmocka_unit_test(a_jump_of_f_is_stepped_over),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(evaluations_are_those_of_step),
        cmocka_unit_test(the_order_grows_as_the_tolerance_falls),
        cmocka_unit_test(rounding_does_not_gather_near_it),
        cmocka_unit_test(tolerances_below_rounding_are_refused),
        cmocka_unit_test(dense_output_is_as_good_as_the_points),
        cmocka_unit_test(dense_output_at_a_point_is_the_point),
        cmocka_unit_test(dense_output_matches_a_run_that_ends_there),
        cmocka_unit_test(steps_may_be_given_their_length),
        cmocka_unit_test(time_may_run_backwards),
        cmocka_unit_test(past_points_are_recovered),
        cmocka_unit_test(exchange_with_the_same_unknowns_changes_rounding_only),
        cmocka_unit_test(exchange_for_a_linear_transform_keeps_order_and_step),
        cmocka_unit_test(fewer_points_lower_the_order),
        cmocka_unit_test(exchange_before_the_first_step_is_a_start),
        cmocka_unit_test(saved_runs_resume_bit_identically),
        cmocka_unit_test(single_failures_of_f_are_survived),
        cmocka_unit_test(walls_are_reported),
        cmocka_unit_test(out_of_memory_is_survived),
    };
    return RUN_TESTS(tests);
}
