/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Natural cubic spline by its second derivatives m (de Boor, A Practical Guide to Splines, 1978, ch. IV).
 *
 * Between knots t0 and t1 = t0 + h, with a = (t1 - t) / h and b = (t - t0) / h:
 *
 *   y   = a y0 + b y1 - (h^2 / 6) ((a - a^3) m0 + (b - b^3) m1)
 *   y'  = (y1 - y0) / h + (h / 6) ((1 - 3 a^2) m0 - (1 - 3 b^2) m1)
 *   y'' = a m0 + b m1
 *
 * y' continuous at each interior knot i, with slopes s_i = (y_(i+1) - y_i) / h_i, and m = 0 at both ends:
 *
 *   h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (s_i - s_(i-1))
 *
 * which is diagonally dominant: elimination without pivoting is stable. With m = 0 throughout, the formulas are those
 * of the piecewise linear function. */

#include "math/spline.h"

#include "base/sorted.h"

static double width(const trm_spline *spline, int i)
{
    return spline->t[i + 1] - spline->t[i];
}

static double slope(const trm_spline *spline, int i)
{
    return (spline->y[i + 1] - spline->y[i]) / width(spline, i);
}

/* Computes m by the tridiagonal system. After the forward sweep m_i + upper_i m_(i+1) = rhs_i, with rhs stored in
 * m. */
static void solve_second_derivatives(const trm_spline *spline, double *m, double *upper)
{
    const int last = spline->count - 1;
    for (int i = 1; i < last; i++) {
        const double before = width(spline, i - 1), after = width(spline, i);
        const double pivot = 2 * (before + after) - before * upper[i - 1];
        upper[i] = after / pivot;
        m[i] = (6 * (slope(spline, i) - slope(spline, i - 1)) - before * m[i - 1]) / pivot;
    }
    for (int i = last - 1; i >= 1; i--) m[i] -= upper[i] * m[i + 1];
}

const trm_spline *trm_spline_build(trm_arena *arena, const double *t, const double *y, int count, bool cubic)
{
    trm_spline *spline = TRM_NEW(arena, trm_spline);
    const double *own_t = trm_arena_copy(arena, t, (size_t)count, sizeof *t);
    const double *own_y = trm_arena_copy(arena, y, (size_t)count, sizeof *y);
    double *m = TRM_NEW_ARRAY(arena, double, count);
    if (!spline || !own_t || !own_y || !m) return NULL;
    *spline = (trm_spline){count, own_t, own_y, m};
    if (!cubic) return spline;

    const trm_arena_mark mark = trm_arena_get_mark(arena);
    double *upper = TRM_NEW_ARRAY(arena, double, count);
    if (!upper) return NULL;
    solve_second_derivatives(spline, m, upper);
    trm_arena_reset(arena, mark);
    return spline;
}

trm_jet trm_spline_at(const trm_spline *spline, double t)
{
    const int last = spline->count - 1;
    if (t < spline->t[0]) return (trm_jet){spline->y[0], 0, 0};
    if (t > spline->t[last]) return (trm_jet){spline->y[last], 0, 0};

    const int i = (int)trm_interval_of(spline->t, 1, (size_t)spline->count, t);
    const double h = width(spline, i);
    const double a = (spline->t[i + 1] - t) / h, b = (t - spline->t[i]) / h;
    const double m0 = spline->m[i], m1 = spline->m[i + 1];
    return (trm_jet){
        .v = a * spline->y[i] + b * spline->y[i + 1] - h * h / 6 * ((a - a * a * a) * m0 + (b - b * b * b) * m1),
        .d = slope(spline, i) + h / 6 * ((1 - 3 * a * a) * m0 - (1 - 3 * b * b) * m1),
        .dd = a * m0 + b * m1,
    };
}
