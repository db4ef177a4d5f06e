/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One impact, followed over its normal impulse (Routh 1860; Keller, J. Appl. Mech. 53, 1986; Stronge, Impact
 * Mechanics).
 *
 * While p_n grows from zero, Coulomb's law determines the direction of the impulse at every moment, and so the change
 * of u:
 *
 *     d(p, u)/dp_n = (q, W q),    q = (1, -mu s)    slip along s = u_t / |u_t|
 *                                 q = (1, f)        stick, f = -Wtt^-1 Wtn, if |f| <= mu
 *
 * Where |f| > mu slip does not end when u_t = 0 but continues along the one s that leads away from it, Wtn - mu Wtt
 * s = k s, k > 0. g and rho are the components of du_t/dp_n across and along s. Where g = 0 slip is straight, as it
 * always is in a plane and for a ball. Straight slip and stick have closed forms. Otherwise s turns at the rate g /
 * |u_t|. Over tau, with d tau = dp_n / |u_t|, rates do not depend on |u_t|, so that the steps of RK4 in tau need
 * not become shorter as slip becomes slower. g has zeros, because its mean over all s is zero. Therefore s comes to
 * rest, and slip is finally straight.
 *
 * `due` is the impulse (Poisson) or work (Stronge) that restitution has still to return. It grows while u_n < 0, by
 * e dp_n or e^2 |u_n| dp_n, and falls while u_n > 0, by dp_n or u_n dp_n. The impact ends when `due` is zero. In
 * the plane u_n changes its sign once and this is p_n = (1 + e) p_c. A slip that turns may compress a second time.
 *
 * Energy does not grow. This is clear for Stronge. For Poisson, E' = dE/dp_n = u_n - mu |u_t| has the slope q W q
 * >= 0. That slope never increases, (q W q)' = -2 mu g^2 / |u_t|, and decreases where slip ends. Compression has
 * ended where E' = 0. E' is thus concave, and restitution extends over at most the same p_n after that zero as
 * compression did before it, so it returns at most the energy that compression has taken. */

#include "methods/contact/impact.h"

#include <float.h>
#include <math.h>

#include "trammel/elementary.h"

/* Step of tau times the rate of change. Impulses are accurate to 1e-10 of p_n, to 1e-7 where W is nearly singular. */
#define STEP    0.02
#define LONGEST 0.5 /* where slip is slow */

#define NOISE 1e-14 /* fraction of the largest term: rounding of a difference that is zero */
#define JAMMED                                                                                                       \
    1e-12 /* fraction of the largest response: a smaller one is zero, and no impulse separates the bodies */

enum { STEPS = 20000 };

typedef struct point {
    double u[3], p[3], due;
} point;

typedef struct course {
    const trm_impact *impact;
    const double (*W)[3];
    double axis[2][2], along[2]; /* Wtt = sum of along a a^T over its axes a */
    double rate;                 /* upper bound of |du_t/dp_n| in any slip */
    double size;                 /* m/s: size of u before the impact */
    double still;                /* m/s: |u_t| below this counts as zero */
    bool compressing;
    point at;
} course;

/* A part of the impact on which p and u change linearly. */
typedef struct stretch {
    double q[3], du[3]; /* per p_n */
    double length;      /* p_n until slip ends */
} stretch;

static double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double size_of(const double x[3])
{
    return fabs(x[0]) + length(x[1], x[2]);
}

static void axes_of_tangents(course *c)
{
    const double(*W)[3] = c->W;
    const double mean = (W[1][1] + W[2][2]) / 2, half = (W[1][1] - W[2][2]) / 2;
    const double angle = trm_atan2(W[1][2], half) / 2;
    c->axis[0][0] = trm_cos(angle), c->axis[0][1] = trm_sin(angle);
    c->axis[1][0] = -trm_sin(angle), c->axis[1][1] = trm_cos(angle);
    c->along[0] = mean + length(half, W[1][2]);
    const double determinant = W[1][1] * W[2][2] - W[1][2] * W[1][2];
    c->along[1] = c->along[0] > 0 ? fmax(0, determinant / c->along[0]) : 0;
}

static void find_velocity_change(const course *c, const double q[3], double du[3])
{
    for (int i = 0; i < 3; i++) du[i] = c->W[i][0] * q[0] + c->W[i][1] * q[1] + c->W[i][2] * q[2];
}

static double largest_response(const course *c)
{
    return c->W[0][0] + c->along[0];
}

/* ---- Directions --------------------------------------------------------------------------- */

/* du_t/dp_n = part[0] along s and part[1] across it. */
static void parts_of_slip(const double du[3], const double s[2], double part[2])
{
    part[0] = du[1] * s[0] + du[2] * s[1];
    part[1] = du[2] * s[0] - du[1] * s[1];
}

static void impulse_of_slip(const course *c, const double s[2], double q[3])
{
    q[0] = 1;
    for (int i = 0; i < 2; i++) q[1 + i] = -c->impact->friction * s[i];
}

/* Returns coordinate i of Wtn along the axes of Wtt. */
static double coupling(const course *c, int i)
{
    return c->W[1][0] * c->axis[i][0] + c->W[2][0] * c->axis[i][1];
}

/* Computes f = -Wtt^-1 Wtn. An axis without response needs no impulse. */
static void impulse_of_stick(const course *c, double f[2])
{
    const double noise = NOISE * largest_response(c);
    f[0] = f[1] = 0;
    for (int i = 0; i < 2; i++) {
        const double w = coupling(c, i);
        if (fabs(w) <= noise && c->along[i] <= noise) continue;
        for (int k = 0; k < 2; k++) f[k] -= w / c->along[i] * c->axis[i][k];
    }
}

/* Finds the k > 0 with |z| = 1, z = (mu Wtt + k)^-1 Wtn, by Newton's method for 1/|z| (as for trust regions), and z
 * along the axes. |z| > 1 for k = 0, |z| <= 1 for k = |Wtn|. */
static double start_of_slip(const course *c, double z[2])
{
    enum { ROUNDS = 100 };
    const double w[2] = {coupling(c, 0), coupling(c, 1)}, mu = c->impact->friction;
    double lo = 0, hi = length(w[0], w[1]), k = hi;
    for (int round = 0; round < ROUNDS; round++) {
        double zz = 0, slope = 0;
        for (int i = 0; i < 2; i++) {
            z[i] = w[i] / (mu * c->along[i] + k);
            zz += z[i] * z[i], slope += z[i] * z[i] / (mu * c->along[i] + k);
        }
        const double size = sqrt(zz);
        if (size > 1)
            lo = k;
        else
            hi = k;
        double next = k + zz / slope * (size - 1);
        if (!(next > lo && next < hi)) next = (lo + hi) / 2;
        if (fabs(next - k) <= DBL_EPSILON * k) break;
        k = next;
    }
    return k;
}

static stretch slip_from_standstill(const course *c)
{
    double z[2], s[2];
    const double k = start_of_slip(c, z), size = length(z[0], z[1]);
    for (int i = 0; i < 2; i++) s[i] = (z[0] * c->axis[0][i] + z[1] * c->axis[1][i]) / size;
    stretch piece = {.length = INFINITY};
    impulse_of_slip(c, s, piece.q);
    find_velocity_change(c, piece.q, piece.du);
    piece.du[1] = k * s[0], piece.du[2] = k * s[1];
    return piece;
}

static stretch from_standstill(const course *c)
{
    stretch piece = {{1, 0, 0}, {0, 0, 0}, INFINITY};
    impulse_of_stick(c, piece.q + 1);
    if (!(length(piece.q[1], piece.q[2]) <= c->impact->friction)) return slip_from_standstill(c);
    find_velocity_change(c, piece.q, piece.du);
    piece.du[1] = piece.du[2] = 0;
    return piece;
}

static stretch without_friction(const course *c)
{
    stretch piece = {{1, 0, 0}, {0, 0, 0}, INFINITY};
    find_velocity_change(c, piece.q, piece.du);
    return piece;
}

/* Returns false if slip turns. Slip is straight if its component across is rounding, or if it ends before that
 * component matters. */
static bool slips_straight(const course *c, stretch *piece)
{
    const double slip = length(c->at.u[1], c->at.u[2]), s[2] = {c->at.u[1] / slip, c->at.u[2] / slip};
    double part[2];
    impulse_of_slip(c, s, piece->q);
    find_velocity_change(c, piece->q, piece->du);
    parts_of_slip(piece->du, s, part);
    const bool ends = part[0] < 0 && fabs(part[1]) * slip <= c->still * -part[0];
    if (fabs(part[1]) > NOISE * c->rate && !ends) return false;
    piece->du[1] = part[0] * s[0], piece->du[2] = part[0] * s[1];
    piece->length = part[0] < 0 ? slip / -part[0] : INFINITY;
    return true;
}

static bool is_straight(course *c, stretch *piece)
{
    if (c->impact->friction == 0) {
        *piece = without_friction(c);
        return true;
    }
    if (length(c->at.u[1], c->at.u[2]) > c->still) return slips_straight(c, piece);
    c->at.u[1] = c->at.u[2] = 0;
    *piece = from_standstill(c);
    return true;
}

/* ---- Straight stretches ------------------------------------------------------------------- */

static double due_rate(const course *c)
{
    const double e = c->impact->restitution;
    if (c->impact->law == TRM_POISSON) return c->compressing ? e : -1;
    return c->compressing ? -e * e : -1;
}

/* Returns the smallest u_n per p_n that is above rounding. */
static double least_response(const course *c, const stretch *piece)
{
    return JAMMED * largest_response(c) * (1 + piece->q[1] * piece->q[1] + piece->q[2] * piece->q[2]);
}

/* Returns p_n until u_n changes its sign. */
static double until_turn(const course *c, const stretch *piece)
{
    const double rise = piece->du[0];
    const bool turns = c->compressing ? rise > least_response(c, piece) : rise < 0;
    return turns ? fmax(0, -c->at.u[0] / rise) : INFINITY;
}

/* Returns p_n until nothing is due: due = p_n, or due = u_n p_n + rise p_n^2 / 2. */
static double until_returned(const course *c, double rise)
{
    if (c->compressing) return INFINITY;
    if (c->impact->law == TRM_POISSON) return c->at.due;
    const double u = c->at.u[0], square = u * u + 2 * rise * c->at.due;
    const double sum = u + sqrt(fmax(0, square));
    return square >= 0 && sum > 0 ? 2 * c->at.due / sum : INFINITY;
}

static double due_change(const course *c, double rise, double reach)
{
    const bool by_impulse = c->impact->law == TRM_POISSON;
    return due_rate(c) * (by_impulse ? reach : (c->at.u[0] + rise * reach / 2) * reach);
}

/* Returns whether impulses no longer have an effect, and u_n is only the rounding of its change. */
static bool is_jammed(const course *c, const stretch *piece)
{
    const double rest = JAMMED * (c->size + largest_response(c) * size_of(c->at.p));
    const bool responds = piece->du[1] != 0 || piece->du[2] != 0 || fabs(piece->du[0]) > least_response(c, piece);
    return !responds && fabs(c->at.u[0]) <= rest;
}

/* Advances to the first event. Returns false if there is none. */
static bool advance_straight(course *c, const stretch *piece)
{
    point *at = &c->at;
    if (is_jammed(c, piece)) {
        at->u[0] = at->due = 0, c->compressing = false;
        return true;
    }
    const double turn = until_turn(c, piece), returned = until_returned(c, piece->du[0]);
    const double reach = fmin(piece->length, fmin(turn, returned));
    if (!isfinite(reach)) return false;
    at->due = reach == returned ? 0 : at->due + due_change(c, piece->du[0], reach);
    for (int i = 0; i < 3; i++) {
        at->u[i] += reach * piece->du[i];
        at->p[i] += reach * piece->q[i];
    }
    if (reach == piece->length) at->u[1] = at->u[2] = 0;
    if (reach == turn) at->u[0] = 0, c->compressing = !c->compressing;
    return true;
}

/* ---- Slip that turns ---------------------------------------------------------------------- */

/* Rates per tau. */
static point slope_at(const course *c, const point *x)
{
    const double slip = length(x->u[1], x->u[2]), s[2] = {x->u[1] / slip, x->u[2] / slip};
    point slope;
    impulse_of_slip(c, s, slope.p);
    find_velocity_change(c, slope.p, slope.u);
    for (int i = 0; i < 3; i++) slope.u[i] *= slip, slope.p[i] *= slip;
    slope.due = due_rate(c) * slip * (c->impact->law == TRM_POISSON ? 1 : x->u[0]);
    return slope;
}

static point moved(const point *x, double h, const point *slope)
{
    point y = *x;
    for (int i = 0; i < 3; i++) y.u[i] += h * slope->u[i], y.p[i] += h * slope->p[i];
    y.due += h * slope->due;
    return y;
}

static point runge_kutta(const course *c, double h)
{
    const point a = slope_at(c, &c->at), in_a = moved(&c->at, h / 2, &a);
    const point b = slope_at(c, &in_a), in_b = moved(&c->at, h / 2, &b);
    const point d = slope_at(c, &in_b), in_d = moved(&c->at, h, &d);
    const point e = slope_at(c, &in_d);
    const point one = moved(&c->at, h / 6, &a), two = moved(&one, h / 3, &b), three = moved(&two, h / 3, &d);
    return moved(&three, h / 6, &e);
}

typedef enum impact_event { NOTHING, TURN, RETURNED } impact_event;

/* Returns a function of the state that is negative before the event and not negative after it. */
static double event_function(const course *c, impact_event what, const point *x)
{
    return what == RETURNED ? -x->due : c->compressing ? x->u[0] : -x->u[0];
}

/* Locates the event within a step of h, by Newton's method from the far end, with brackets. */
static double step_until(const course *c, impact_event what, double h)
{
    enum { ROUNDS = 80 };
    double before = 0, after = h, x = h;
    for (int round = 0; round < ROUNDS; round++) {
        const point y = runge_kutta(c, x), slope = slope_at(c, &y);
        const double value = event_function(c, what, &y), rise = event_function(c, what, &slope);
        if (value < 0)
            before = x;
        else
            after = x;
        double next = x - value / rise;
        if (!(next >= before && next <= after)) next = (before + after) / 2;
        if (fabs(next - x) <= DBL_EPSILON * x) break;
        x = next;
    }
    return x;
}

/* Returns the first of the two events that has happened by y. */
static impact_event has_happened(const course *c, const point *y)
{
    if (event_function(c, TURN, y) > 0) return TURN;
    return !c->compressing && event_function(c, RETURNED, y) >= 0 ? RETURNED : NOTHING;
}

/* Returns the largest of rho, g, dg/ds = -rho - mu (across s) Wtt (across s), and a rate that keeps these constant
 * over a step. */
static double rate_here(const course *c)
{
    const double slip = length(c->at.u[1], c->at.u[2]), s[2] = {c->at.u[1] / slip, c->at.u[2] / slip};
    const double(*W)[3] = c->W;
    double q[3], du[3], part[2];
    impulse_of_slip(c, s, q);
    find_velocity_change(c, q, du);
    parts_of_slip(du, s, part);
    const double across = W[1][1] * s[1] * s[1] - 2 * W[1][2] * s[0] * s[1] + W[2][2] * s[0] * s[0];
    const double turn = fabs(part[0] + c->impact->friction * across), g = fabs(part[1]);
    return fmax(fmax(fabs(part[0]), g), fmax(turn, sqrt(c->rate * g)));
}

/* Returns the step of tau. Its error is of order 5 in the step and proportional to slip: slow slip allows long
 * steps. */
static double step_of(const course *c)
{
    const double slip = length(c->at.u[1], c->at.u[2]);
    return fmin(LONGEST, STEP * trm_pow(c->size / slip, 0.2)) / rate_here(c);
}

static void advance_turning(course *c)
{
    double h = step_of(c);
    point y = runge_kutta(c, h);
    impact_event what = has_happened(c, &y);
    if (what != NOTHING) {
        h = step_until(c, what, h);
        y = runge_kutta(c, h);
        /* `due` was zero before u_n changed its sign */
        if (what == TURN && !c->compressing && event_function(c, RETURNED, &y) >= 0) {
            what = RETURNED;
            y = runge_kutta(c, step_until(c, what, h));
        }
    }
    c->at = y;
    if (what == RETURNED) c->at.due = 0;
    if (what == TURN) c->at.u[0] = 0, c->compressing = !c->compressing;
}

/* ---- The whole impact --------------------------------------------------------------------- */

static course start_of(const trm_impact *impact, const double W[3][3], const double u[3])
{
    course c = {.impact = impact, .W = W, .at = {.u = {u[0], u[1], u[2]}}};
    axes_of_tangents(&c);
    c.rate = length(W[1][0], W[2][0]) + impact->friction * c.along[0];
    c.size = size_of(u);
    c.still = DBL_EPSILON * c.size;
    return c;
}

static bool is_compressed_by_slip(const course *c)
{
    const double slip = length(c->at.u[1], c->at.u[2]), *w = c->W[0];
    return slip > c->still && w[0] * slip <= c->impact->friction * (w[1] * c->at.u[1] + w[2] * c->at.u[2]);
}

/* Returns whether u agrees with p. Where the response is nearly zero p may be so large that rounding dominates. */
static bool is_consistent(const course *c, const double u[3])
{
    const double most = 1e5 * c->size, summed = largest_response(c) * size_of(c->at.p);
    double change[3];
    find_velocity_change(c, c->at.p, change);
    for (int i = 0; i < 3; i++)
        if (!(fabs(u[i] + change[i] - c->at.u[i]) <= JAMMED * (c->size + summed))) return false;
    return summed <= most;
}

bool trm_impact_of_one(const trm_impact *impact, const double W[3][3], double u[3], double p[3])
{
    course c = start_of(impact, W, u);
    c.compressing = u[0] < 0 || (impact->sliding && is_compressed_by_slip(&c));
    for (int step = 0; c.compressing || c.at.due > 0; step++) {
        stretch piece = {.length = INFINITY};
        if (step == STEPS) return false;
        if (!is_straight(&c, &piece))
            advance_turning(&c);
        else if (!advance_straight(&c, &piece))
            return false;
    }
    if (!is_consistent(&c, u)) return false;
    for (int i = 0; i < 3; i++) u[i] = c.at.u[i], p[i] = c.at.p[i];
    return true;
}
