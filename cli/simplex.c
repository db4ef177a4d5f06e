/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "simplex.h"

#include <math.h>
#include <string.h>

/* In widths of the bounds: smaller simplices have converged. */
static const double SMALLEST = 1e-10;
/* In widths of the bounds: a smaller simplex with equal values has converged. */
static const double FLAT = 1e-7;
enum { MOST_STARTS = 20 };

typedef struct simplex {
    const simplex_problem *p;
    double x[MOST_SIMPLEX + 1][MOST_SIMPLEX], f[MOST_SIMPLEX + 1];
    int least, worst, second; /* best point, worst, worst but one */
    double middle[MOST_SIMPLEX];
} simplex;

static bool begin(simplex *s, const double *at, double size)
{
    const simplex_problem *p = s->p;
    for (int k = 0; k <= p->n; k++) {
        memcpy(s->x[k], at, (size_t)p->n * sizeof *at);
        if (k > 0) {
            double *x = &s->x[k][k - 1];
            const double step = size * (p->upper[k - 1] - p->lower[k - 1]);
            *x += *x + step <= p->upper[k - 1] ? step : -step;
        }
        if (!p->value_of(p->context, s->x[k], &s->f[k])) return false;
    }
    return true;
}

static void sort(simplex *s)
{
    const int n = s->p->n;
    s->least = s->worst = 0;
    for (int k = 1; k <= n; k++) {
        if (s->f[k] < s->f[s->least]) s->least = k;
        if (s->f[k] >= s->f[s->worst]) s->worst = k;
    }
    s->second = s->least;
    for (int k = 0; k <= n; k++)
        if (k != s->worst && s->f[k] > s->f[s->second]) s->second = k;
    for (int i = 0; i < n; i++) {
        s->middle[i] = 0;
        for (int k = 0; k <= n; k++) s->middle[i] += k == s->worst ? 0 : s->x[k][i] / n;
    }
}

static bool has_ended(const simplex *s)
{
    double width = 0;
    for (int i = 0; i < s->p->n; i++)
        for (int k = 0; k <= s->p->n; k++)
            width = fmax(width, fabs(s->x[k][i] - s->x[s->least][i]) / (s->p->upper[i] - s->p->lower[i]));
    const bool flat = s->f[s->worst] - s->f[s->least] <= 1e-15 * fabs(s->f[s->least]);
    return width < SMALLEST || (flat && width < FLAT);
}

/* Evaluates the point c + factor (x - c), with x the worst point. Returns false if there are no more values. */
static bool try_point(const simplex *s, double factor, double *y, double *f)
{
    const simplex_problem *p = s->p;
    for (int i = 0; i < p->n; i++) {
        y[i] = s->middle[i] + factor * (s->x[s->worst][i] - s->middle[i]);
        y[i] = fmax(p->lower[i], fmin(p->upper[i], y[i]));
    }
    return p->value_of(p->context, y, f);
}

static void replace_worst(simplex *s, const double *y, double f)
{
    memcpy(s->x[s->worst], y, (size_t)s->p->n * sizeof *y);
    s->f[s->worst] = f;
}

static bool shrink(simplex *s)
{
    for (int k = 0; k <= s->p->n; k++) {
        if (k == s->least) continue;
        for (int i = 0; i < s->p->n; i++) s->x[k][i] = 0.5 * (s->x[k][i] + s->x[s->least][i]);
        if (!s->p->value_of(s->p->context, s->x[k], &s->f[k])) return false;
    }
    return true;
}

/* Makes one step: reflection, expansion or contraction. Returns false if there are no more values. */
static bool move(simplex *s)
{
    double y[MOST_SIMPLEX], z[MOST_SIMPLEX], fy, fz;
    if (!try_point(s, -1, y, &fy)) return false;
    if (fy < s->f[s->least]) {
        if (!try_point(s, -2, z, &fz)) return false;
        replace_worst(s, fz < fy ? z : y, fmin(fz, fy));
        return true;
    }
    if (fy < s->f[s->second]) {
        replace_worst(s, y, fy);
        return true;
    }
    if (!try_point(s, fy < s->f[s->worst] ? -0.5 : 0.5, z, &fz)) return false;
    if (fz < fmin(fy, s->f[s->worst])) {
        replace_worst(s, z, fz);
        return true;
    }
    return shrink(s);
}

static void keep_best(const simplex *s, double *best, double *value)
{
    for (int k = 0; k <= s->p->n; k++) {
        if (!(s->f[k] < *value)) continue;
        *value = s->f[k];
        memcpy(best, s->x[k], (size_t)s->p->n * sizeof *best);
    }
}

bool search_simplex(const simplex_problem *p, double *best, double *value)
{
    simplex s = {.p = p};
    double size = p->size;
    for (int start = 0; start < MOST_STARTS; start++) {
        const double before = *value;
        for (int k = 0; k <= p->n; k++) s.f[k] = INFINITY;
        bool good = begin(&s, best, size);
        sort(&s);
        while (good && !has_ended(&s)) {
            good = move(&s);
            sort(&s);
        }
        keep_best(&s, best, value);
        if (!good) return false;
        if (start > 0 && !(*value < before - 1e-9 * fabs(before))) return true;
        size = fmax(0.1 * size, 1e-5);
    }
    return true;
}
