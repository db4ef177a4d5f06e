/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Spline: cubic between knots, by its second derivatives M as in spline.c, but with vectors, and with the chords
 * between the points as widths h_i of its intervals, so that |P'| is about one:
 *
 *     h_(i-1) M_(i-1) + 2 (h_(i-1) + h_i) M_i + h_i M_(i+1) = 6 ((P_(i+1) - P_i)/h_i - (P_i - P_(i-1))/h_(i-1))
 *
 * Open: M = 0 at both ends (natural), so that straight lines continue it with two continuous derivatives. Closed:
 * indices are cyclic, which gives the tridiagonal system with the width h_n of the last interval in two corners.
 * With z = (-g, 0, .., 0, h_n) and y = (1, 0, .., 0, -h_n/g) that system is T + z y^T, T tridiagonal, and by
 * Sherman and Morrison M = u - (y.u)/(1 + y.w) w, T u = rhs, T w = z (Press et al., Numerical Recipes, 2nd ed.,
 * 2.7).
 *
 * Nearest point: f(s) = |x - P|^2 / 2 has f' = -(x - P).P' and f'' = |P'|^2 - (x - P).P''. Newton's method uses at
 * least a fraction of |P'|^2 for f'' and halves steps that do not reduce f. So it finds the minimum of the branch on
 * which it starts and does not jump to another branch nearby.
 *
 * Reference: the tangents of a curve form a curve on the unit sphere. Its points and their opposites leave most of
 * the sphere free. Candidates are many evenly spread directions, and the normal of the plane if the curve has one;
 * the candidate farthest from all tangents is taken. */

#include "math/space_curve.h"

#include "base/sorted.h"
#include "trammel/elementary.h"

/* Lower bound of f'', as a fraction of |P'|^2. A larger one shortens steps where f is flat (ten times of it fails
 * in test unit_space_curve), a smaller one overshoots near centres of curvature. */
static const double LEAST_CURVATURE = 0.1;
/* Relative to the curve's size: after a step this small Newton's method, which converges quadratically, is exact to
 * rounding. A larger value leaves an error of its square, a smaller value adds a step of rounding. Tests pass with a
 * tenth and with ten times of it. */
static const double LAST_STEP = 1e-9;
/* Relative to the curve's size: in smaller steps f changes by too few digits to be compared. A larger one leaves
 * overshooting steps unchecked, a smaller one compares rounding and halves good steps. */
static const double SMALL_STEP = 1e-4;
/* A curve almost stops where |P'|, about one elsewhere, is below this. A larger one refuses curves with tight
 * bends, a smaller one accepts curves on which a body has no direction. Tests pass with a tenth and with ten times
 * of it. */
static const double STANDS_STILL = 0.02;

enum { MOST_STEPS = 100, SAMPLES = 32, DIRECTIONS = 1000 };

/* ---- Evaluation --------------------------------------------------------------------------- */

trm_space_curve trm_helix(double radius, double rise)
{
    return (trm_space_curve){.radius = radius, .rise = rise, .reference = {0, 0, 1}};
}

static trm_curve_point helix_at(const trm_space_curve *helix, double s)
{
    const double c = helix->radius * trm_cos(s), d = helix->radius * trm_sin(s);
    return (trm_curve_point){{c, d, helix->rise * s}, {-d, c, helix->rise}, {-c, -d, 0}, {d, -c, 0}};
}

static trm_vec3 combine(double a, trm_vec3 x, double b, trm_vec3 y)
{
    return trm_v3_add_scaled(trm_v3_scale(a, x), b, y);
}

static trm_curve_point within(const trm_space_curve *curve, int i, double s)
{
    const double h = curve->s[i + 1] - curve->s[i], a = (curve->s[i + 1] - s) / h, b = (s - curve->s[i]) / h;
    const trm_vec3 P0 = curve->P[i], P1 = curve->P[i + 1], M0 = curve->M[i], M1 = curve->M[i + 1];
    return (trm_curve_point){
        .P = trm_v3_add_scaled(combine(a, P0, b, P1), -h * h / 6, combine(a - a * a * a, M0, b - b * b * b, M1)),
        .d = trm_v3_add_scaled(combine(-1 / h, P0, 1 / h, P1), h / 6, combine(1 - 3 * a * a, M0, 3 * b * b - 1, M1)),
        .dd = combine(a, M0, b, M1),
        .ddd = combine(-1 / h, M0, 1 / h, M1),
    };
}

static double length_of(const trm_space_curve *spline)
{
    return spline->s[spline->count - 1];
}

trm_curve_point trm_curve_at(const trm_space_curve *curve, double s)
{
    if (curve->radius > 0) return helix_at(curve, s);
    const double length = length_of(curve);
    if (curve->closed) s -= length * floor(s / length);
    const double inside = fmax(0, fmin(length, s));
    const int interval = (int)trm_interval_of(curve->s, 1, (size_t)curve->count, inside);
    trm_curve_point at = within(curve, interval, inside);
    if (s != inside) { /* beyond an end */
        at.P = trm_v3_add_scaled(at.P, s - inside, at.d);
        at.dd = at.ddd = trm_v3(0, 0, 0);
    }
    return at;
}

/* ---- Making a spline ---------------------------------------------------------------------- */

/* Solves lower_i x_(i-1) + pivot_i x_i + upper_i x_(i+1) = x_i in place; the system is diagonally dominant. */
static void solve_tridiagonal(const double *h, double *pivot, trm_vec3 *x, int n)
{
    for (int i = 1; i < n; i++) { /* h[i] couples unknowns i - 1 and i */
        const double factor = h[i] / pivot[i - 1];
        pivot[i] -= factor * h[i];
        x[i] = trm_v3_add_scaled(x[i], -factor, x[i - 1]);
    }
    for (int i = n - 1; i >= 0; i--) {
        if (i + 1 < n) x[i] = trm_v3_add_scaled(x[i], -h[i + 1], x[i + 1]);
        x[i] = trm_v3_scale(1 / pivot[i], x[i]);
    }
}

/* Workspace of the solution. h[i] is the width of the interval before knot i. */
typedef struct work {
    double *h, *pivot;
    trm_vec3 *w;
} work;

static trm_vec3 bend_at(const trm_vec3 *P, const double *h, int before, int i, int after)
{
    return trm_v3_scale(6, trm_v3_sub(trm_v3_scale(1 / h[i + 1], trm_v3_sub(P[after], P[i])),
                                      trm_v3_scale(1 / h[i], trm_v3_sub(P[i], P[before]))));
}

static void solve_open(const trm_space_curve *curve, work w, trm_vec3 *M)
{
    const int last = curve->count - 1;
    for (int i = 1; i < last; i++) {
        w.pivot[i] = 2 * (w.h[i] + w.h[i + 1]);
        M[i] = bend_at(curve->P, w.h, i - 1, i, i + 1);
    }
    solve_tridiagonal(w.h + 1, w.pivot + 1, M + 1, last - 1);
}

/* Unknowns are M_0 .. M_(n-1), and M_n = M_0. */
static void solve_closed(const trm_space_curve *curve, work w, trm_vec3 *M)
{
    const int n = curve->count - 1;
    const double corner = w.h[n], g = 2 * (corner + w.h[1]);
    w.h[0] = corner;
    /* T u = rhs in M; T z in w, in its x component only, as all three components would be equal */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) w.pivot[i] = 2 * (w.h[i] + w.h[i + 1]);
        w.pivot[0] += g;
        w.pivot[n - 1] += corner * corner / g;
        trm_vec3 *x = pass == 0 ? M : w.w;
        for (int i = 0; i < n && pass == 0; i++) x[i] = bend_at(curve->P, w.h, i > 0 ? i - 1 : n - 1, i, i + 1);
        if (pass == 1) x[0].x = -g, x[n - 1].x = corner;
        solve_tridiagonal(w.h, w.pivot, x, n);
    }
    const trm_vec3 yu = trm_v3_add_scaled(M[0], -corner / g, M[n - 1]);
    const double yw = w.w[0].x - corner / g * w.w[n - 1].x;
    for (int i = 0; i < n; i++) M[i] = trm_v3_add_scaled(M[i], -w.w[i].x / (1 + yw), yu);
    M[n] = M[0];
}

/* ---- Its reference ------------------------------------------------------------------------ */

static trm_vec3 tangent_at(const trm_space_curve *curve, int sample)
{
    const int i = sample / SAMPLES, within_i = sample % SAMPLES;
    const double h = curve->s[i + 1] - curve->s[i];
    return within(curve, i, curve->s[i] + h * within_i / (SAMPLES - 1)).d;
}

static int sample_count(const trm_space_curve *curve)
{
    return (curve->count - 1) * SAMPLES;
}

/* Returns the square of the least sine between a direction and the tangents. Stops early at a value below
 * `enough`. */
static double clearance(const trm_space_curve *curve, trm_vec3 direction, double enough)
{
    double least = 1;
    for (int k = 0; k < sample_count(curve) && least > enough; k++) {
        const trm_vec3 d = tangent_at(curve, k), across = trm_v3_cross(direction, d);
        least = fmin(least, trm_v3_dot(across, across) / trm_v3_dot(d, d));
    }
    return least;
}

/* Returns direction k of those spread evenly over half the unit sphere by the golden angle. */
static trm_vec3 spread_direction(int k)
{
    const double z = (k + 0.5) / DIRECTIONS, rho = sqrt(1 - z * z), angle = k * TRM_PI * (3 - sqrt(5));
    return trm_v3(rho * trm_cos(angle), rho * trm_sin(angle), z);
}

/* Returns the normal to the first tangent and to the tangent that differs most from it. For a plane curve this is the
 * normal of its plane. */
static trm_vec3 likely_normal(const trm_space_curve *curve)
{
    const trm_vec3 first = tangent_at(curve, 0);
    trm_vec3 widest = {0, 0, 0};
    for (int k = 1; k < sample_count(curve); k++) {
        const trm_vec3 across = trm_v3_cross(first, tangent_at(curve, k));
        if (trm_v3_dot(across, across) > trm_v3_dot(widest, widest)) widest = across;
    }
    return trm_v3_length(widest) > 1e-9 ? trm_v3_unit(widest) : spread_direction(0);
}

static trm_vec3 farthest_from_tangents(const trm_space_curve *curve)
{
    trm_vec3 best = likely_normal(curve);
    double most = clearance(curve, best, 0);
    for (int k = 0; k < DIRECTIONS && most < 0.5; k++) { /* 45 degrees are enough */
        const double clear = clearance(curve, spread_direction(k), most);
        if (clear > most) most = clear, best = spread_direction(k);
    }
    return best;
}

const trm_space_curve *trm_spline_curve(trm_arena *arena, const trm_vec3 *points, int count, bool closed)
{
    const int knots = closed ? count + 1 : count;
    trm_space_curve *curve = TRM_NEW(arena, trm_space_curve);
    double *s = TRM_NEW_ARRAY(arena, double, knots);
    trm_vec3 *P = TRM_NEW_ARRAY(arena, trm_vec3, knots), *M = TRM_NEW_ARRAY(arena, trm_vec3, knots);
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    work w = {TRM_NEW_ARRAY(arena, double, knots), TRM_NEW_ARRAY(arena, double, knots),
              TRM_NEW_ARRAY(arena, trm_vec3, knots)};
    if (!curve || !s || !P || !M || !w.h || !w.pivot || !w.w) return NULL;
    for (int i = 0; i < knots; i++) P[i] = points[i % count];
    for (int i = 1; i < knots; i++) {
        w.h[i] = trm_v3_length(trm_v3_sub(P[i], P[i - 1]));
        s[i] = s[i - 1] + w.h[i];
    }
    *curve = (trm_space_curve){.count = knots, .closed = closed, .s = s, .P = P, .M = M};
    (closed ? solve_closed : solve_open)(curve, w, M);
    curve->reference = farthest_from_tangents(curve);
    trm_arena_reset(arena, mark);
    return curve;
}

int trm_curve_stops_at(const trm_space_curve *curve)
{
    for (int k = 0; curve->radius == 0 && k < sample_count(curve); k++)
        if (!(trm_v3_length(tangent_at(curve, k)) > STANDS_STILL)) return (k + SAMPLES / 2) / SAMPLES;
    return -1;
}

/* ---- Nearest ------------------------------------------------------------------------------ */

static double distance_squared(const trm_space_curve *curve, trm_vec3 x, double s)
{
    const trm_vec3 e = trm_v3_sub(x, trm_curve_at(curve, s).P);
    return trm_v3_dot(e, e);
}

double trm_curve_nearest_from(const trm_space_curve *curve, trm_vec3 x, double s)
{
    const double size = curve->radius > 0 ? 1 : length_of(curve);
    for (int k = 0; k < MOST_STEPS; k++) {
        const trm_curve_point at = trm_curve_at(curve, s);
        const trm_vec3 e = trm_v3_sub(x, at.P);
        const double speed2 = trm_v3_dot(at.d, at.d), here = trm_v3_dot(e, e);
        const double f_dd = fmax(speed2 - trm_v3_dot(e, at.dd), LEAST_CURVATURE * speed2);
        double step = trm_v3_dot(e, at.d) / f_dd;
        if (!isfinite(step)) return s; /* numbers too large to compute with */
        if (!(fabs(step) > LAST_STEP * size)) return s + step;
        while (fabs(step) > SMALL_STEP * size && !(distance_squared(curve, x, s + step) < here)) step /= 2;
        s += step;
    }
    return s;
}

/* Replaces *best by the local minimum that descent from `from` reaches, if that is nearer to x. */
static void consider(const trm_space_curve *curve, trm_vec3 x, double from, double *best)
{
    const double s = trm_curve_nearest_from(curve, x, from);
    if (!(distance_squared(curve, x, s) >= distance_squared(curve, x, *best))) *best = s;
}

/* Returns the parameter of the nearest point of a helix. Descends from starts on the turns near the height of x: at
 * the angle of x, and at its height. */
static double nearest_on_helix(const trm_space_curve *helix, trm_vec3 x)
{
    const double angle = trm_atan2(x.y, x.x), turn = 2 * TRM_PI;
    if (helix->rise == 0) return angle;
    const double by_height = x.z / helix->rise, nearest = angle + turn * round((by_height - angle) / turn);
    double best = trm_curve_nearest_from(helix, x, by_height);
    for (int k = -1; k <= 1; k++) consider(helix, x, nearest + k * turn, &best);
    return best;
}

double trm_curve_nearest(const trm_space_curve *curve, trm_vec3 x)
{
    if (curve->radius > 0) return nearest_on_helix(curve, x);
    double best = 0, least = INFINITY;
    for (int k = 0; k < sample_count(curve); k++) {
        const int i = k / SAMPLES;
        const double s = curve->s[i] + (curve->s[i + 1] - curve->s[i]) * (k % SAMPLES) / (SAMPLES - 1);
        const double squared = distance_squared(curve, x, s);
        if (squared < least) least = squared, best = s;
    }
    best = trm_curve_nearest_from(curve, x, best);
    if (curve->closed) return best;
    const trm_curve_point first = trm_curve_at(curve, 0), last = trm_curve_at(curve, length_of(curve));
    const double before = trm_v3_dot(trm_v3_sub(x, first.P), first.d),
                 after = trm_v3_dot(trm_v3_sub(x, last.P), last.d);
    if (before < 0) consider(curve, x, before / trm_v3_dot(first.d, first.d), &best);
    if (after > 0) consider(curve, x, length_of(curve) + after / trm_v3_dot(last.d, last.d), &best);
    return best;
}
