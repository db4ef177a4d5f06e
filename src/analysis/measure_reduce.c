/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reductions of a series over the rows of a run to one number.
 *
 * Between rows a series is the cubic through the four nearest rows (Lagrange), of order 4 in their spacing. With
 * fewer rows it is the polynomial through all of them. Crossings are its roots, found by bisection. Means are
 * integrals by the trapezoidal rule over the time between the first and the last row. */

#include <math.h>
#include <string.h>

#include "analysis/measure.h"
#include "base/sorted.h"

static size_t row_count(const trm_measure *m)
{
    return trm_table_rows(m->table);
}

static double time_at(const trm_measure *m, size_t row)
{
    return trm_table_numbers(m->table)[row * (size_t)trm_result_count(m->columns) + (size_t)m->t];
}

static double series_at(const trm_measure *m, const trm_measure_node *node, size_t row)
{
    return trm_measure_at_row(m, node->arguments[0], row);
}

static double number_of(const trm_measure *m, const trm_measure_node *node, int argument)
{
    return trm_measure_at_row(m, node->arguments[argument], 0);
}

/* ---- Extremes and means ------------------------------------------------------------------- */

static double find_max(const trm_measure *m, const trm_measure_node *node)
{
    double most = series_at(m, node, 0);
    for (size_t i = 1; i < row_count(m); i++) {
        const double x = series_at(m, node, i);
        if (x > most || isnan(x)) most = x;
    }
    return most;
}

static double find_min(const trm_measure *m, const trm_measure_node *node)
{
    double least = series_at(m, node, 0);
    for (size_t i = 1; i < row_count(m); i++) {
        const double x = series_at(m, node, i);
        if (x < least || isnan(x)) least = x;
    }
    return least;
}

static double integrate(const trm_measure *m, const trm_measure_node *node, bool squared)
{
    double sum = 0, before = series_at(m, node, 0);
    for (size_t i = 1; i < row_count(m); i++) {
        const double x = series_at(m, node, i), dt = time_at(m, i) - time_at(m, i - 1);
        sum += 0.5 * dt * (squared ? before * before + x * x : before + x);
        before = x;
    }
    return sum;
}

static double duration(const trm_measure *m)
{
    return time_at(m, row_count(m) - 1) - time_at(m, 0);
}

static double find_integral(const trm_measure *m, const trm_measure_node *node)
{
    return integrate(m, node, false);
}

static double find_mean(const trm_measure *m, const trm_measure_node *node)
{
    return duration(m) > 0 ? integrate(m, node, false) / duration(m) : series_at(m, node, 0);
}

static double find_rms(const trm_measure *m, const trm_measure_node *node)
{
    return duration(m) > 0 ? sqrt(integrate(m, node, true) / duration(m)) : fabs(series_at(m, node, 0));
}

static double find_initial(const trm_measure *m, const trm_measure_node *node)
{
    return series_at(m, node, 0);
}

static double find_final(const trm_measure *m, const trm_measure_node *node)
{
    return series_at(m, node, row_count(m) - 1);
}

/* ---- Between rows ------------------------------------------------------------------------- */

static double interpolate(const trm_measure *m, const trm_measure_node *node, size_t interval, double t)
{
    const size_t rows = row_count(m), count = rows < 4 ? rows : 4;
    size_t first = interval > 0 ? interval - 1 : 0;
    if (first + count > rows) first = rows - count;
    double sum = 0;
    for (size_t i = first; i < first + count; i++) {
        double weight = 1;
        for (size_t k = first; k < first + count; k++)
            if (k != i) weight *= (t - time_at(m, k)) / (time_at(m, i) - time_at(m, k));
        sum += weight * series_at(m, node, i);
    }
    return sum;
}

/* Returns the time in an interval at which the series crosses a level. */
static double time_of_level(const trm_measure *m, const trm_measure_node *node, size_t interval, double level)
{
    double low = time_at(m, interval), high = time_at(m, interval + 1);
    const bool rises = series_at(m, node, interval) < level;
    for (int i = 0; i < 100 && high > low; i++) {
        const double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) break;
        if ((interpolate(m, node, interval, middle) < level) == rises)
            low = middle;
        else
            high = middle;
    }
    return low + 0.5 * (high - low);
}

static double find_at(const trm_measure *m, const trm_measure_node *node)
{
    const double t = number_of(m, node, 1), first = time_at(m, 0), last = time_at(m, row_count(m) - 1);
    const double rounding = 1e-9 * fmax(fabs(first), fabs(last));
    if (!(t >= first - rounding && t <= last + rounding)) return NAN;
    if (row_count(m) == 1) return series_at(m, node, 0);
    const size_t stride = (size_t)trm_result_count(m->columns);
    const size_t interval = trm_interval_of(trm_table_numbers(m->table) + m->t, stride, row_count(m), t);
    if (t == time_at(m, interval)) return series_at(m, node, interval);
    if (t == time_at(m, interval + 1)) return series_at(m, node, interval + 1);
    return interpolate(m, node, interval, t);
}

static double find_crossing(const trm_measure *m, const trm_measure_node *node)
{
    const double level = number_of(m, node, 1);
    double wanted = node->argument_count > 2 ? number_of(m, node, 2) : 1;
    for (size_t i = 0; i + 1 < row_count(m); i++) {
        const double before = series_at(m, node, i) - level, after = series_at(m, node, i + 1) - level;
        const bool crosses = (before < 0 && after >= 0) || (before > 0 && after <= 0);
        /* a row exactly on the level belongs to the interval before it */
        if (crosses && --wanted < 0.5) return after == 0 ? time_at(m, i + 1) : time_of_level(m, node, i, level);
    }
    return NAN;
}

static double find_settle(const trm_measure *m, const trm_measure_node *node)
{
    const double band = number_of(m, node, 1);
    const double target = node->argument_count > 2 ? number_of(m, node, 2) : find_final(m, node);
    size_t row = row_count(m);
    while (row > 0 && fabs(series_at(m, node, row - 1) - target) <= band) row--;
    if (row == row_count(m)) return NAN;
    if (row == 0) return time_at(m, 0);
    const double outside = series_at(m, node, row - 1);
    return time_of_level(m, node, row - 1, outside > target ? target + band : target - band);
}

/* ---- The list ----------------------------------------------------------------------------- */

static const trm_measure_function functions[] = {
    {"max", 1, 1, find_max},           {"min", 1, 1, find_min},
    {"mean", 1, 1, find_mean},         {"rms", 1, 1, find_rms},
    {"integral", 1, 1, find_integral}, {"initial", 1, 1, find_initial},
    {"final", 1, 1, find_final},       {"at", 2, 2, find_at},
    {"crossing", 2, 3, find_crossing}, {"settle", 2, 3, find_settle},
};

const trm_measure_function *trm_measure_find_reduction(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}
