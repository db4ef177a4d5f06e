/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An island reduced to its contacts: joints are factorised once, and what is left is a small dense problem in the impulses p
 * of contacts, rolling friction, bounded rows and pulls.
 *
 *     u = D p + c          D, c: joints closed (reduced_joints.c)
 *
 * Each hold obeys its law. As in newton.c its multiplier is a function of u from an estimate lambda_k and a stiffness
 * rho = R/D_own, for a cone  lambda(u) = P(lambda_k - rho (u + s n)).  p is found from
 *
 *     g = p - lambda(D p + c) = 0,      D g the gradient of a convex function of p
 *     (I + C D) dp = -g,   C = -dlambda/du = G G^T
 *     dp = -g + G (I + G^T D G)^-1 G^T D g
 *
 * by Newton's method with a step as long as  du . (p - lambda), du = D dp,  says. Then lambda_k <- lambda and s <- mu |u_t|,
 * until every hold obeys (the proximal, or augmented Lagrangian, iteration). Points of a face make D singular: I + G^T D G is
 * not, and convergence is judged by velocities.
 *
 * A row that joints do not let move, D_own being nothing, has no impulse. If it is violated, joints and contacts contradict
 * each other. */

#include "methods/contact/reduced.h"

#include <float.h>
#include <string.h>

#include "methods/contact/newton.h"

enum { MOST_ROWS = 240, MOST_JOINTS = 400 };
enum {
    MOST_STEPS = 20,
    QUICK_ROUNDS = 6,
    MOST_ROUNDS = 20,
    COUPLED_ROUNDS = 15,
    ENOUGH_ROUNDS = 3,
    MOST_CUTS = 30,
    SWEEPS = 300
};
static const double USUAL = 1e4, BOTTOM = 1, HIGHEST = 1e8, RAISED = 100;
/* Of what was left in the last round: a higher R is tried where more is left. */
static const double LITTLE_GAIN = 0.1;
/* Of the tolerance: so closely is g = 0 held, as far as rounding of rho u allows. */
static const double INNER = 0.1, ROUNDING = 8 * DBL_EPSILON;
/* A step that leaves more than this of the slope along it is cut; one that leaves more than this of g has stalled. */
static const double LEFT = 0.5, STALLED = 0.5;
/* Of what a hold answers without joints: less is nothing. */
static const double BLOCKED = 1e-9;
/* Where s is part of Newton's method: the stiffness to begin with, the least part of a step, what a step and a round are to leave. */
static const double COUPLED_BOTTOM = 100, LEAST_PART = 0.01, STALLED_COUPLED = 0.95, LITTLE_BETTER = 0.9;
/* Of the fastest row: what joints leave of a contact that they block. */
static const double CONTRADICTS = 1e-6;
/* Of secants: how steeply the slip may answer to s. */
static const double MOST_SLOPE = 0.9;

typedef struct search {
    trm_reduced r;
    double *p, *u, *dp, *du, *g, *Dg; /* per row */
    double *estimate, *rho;           /* per row */
    double *lambda, *C;               /* per row, of the last gradient; nine per hold: C, six-row holds have none */
    double *own;                      /* per hold: D_own; 0: blocked */
    double *lift, *last_lift, *last_slip;
    double *G, *S, *z; /* rows x active, active x active, active */
    double R, fastest, shifted;
    int steps;
} search;

/* ---- Laws --------------------------------------------------------------------------------- */

static int row_count(const search *s)
{
    return s->r.rows;
}

/* lambda of hold h at its speeds u; C if it is asked for. */
static void obey_one(const search *s, int h, const double *u, double *lambda, double *C)
{
    const trm_hold *hold = s->r.hold[h];
    const int first = s->r.first[h];
    double c[TRM_JOINT_ROWS][TRM_JOINT_ROWS];
    if (s->own[h] > 0) {
        trm_hold_obey(hold, s->lift[h], s->estimate + first, s->rho + first, u, lambda, C ? c : NULL);
    } else {
        memset(c, 0, sizeof c);
        memset(lambda, 0, (size_t)hold->rows * sizeof *lambda);
    }
    for (int i = 0; C && i < 9; i++) C[i] = c[i / 3][i % 3];
}

/* The same of all. */
static void obey_all(const search *s, const double *u, double *lambda, double *C)
{
    for (int h = 0; h < s->r.holds; h++)
        obey_one(s, h, u + s->r.first[h], lambda + s->r.first[h], C ? C + 9 * h : NULL);
}

static void multiply(const search *s, const double *x, double *y)
{
    const int n = row_count(s);
    for (int i = 0; i < n; i++) {
        const double *D = s->r.D + (size_t)i * (size_t)n;
        double sum = 0;
        for (int k = 0; k < n; k++) sum += D[k] * x[k];
        y[i] = sum;
    }
}

static void find_speeds(search *s)
{
    multiply(s, s->p, s->u);
    for (int i = 0; i < row_count(s); i++) {
        s->u[i] += s->r.c[i];
        s->fastest = fmax(s->fastest, fmax(fabs(s->u[i]), fabs(s->r.c[i])));
    }
}

/* ---- A step ------------------------------------------------------------------------------- */

/* g, D g and C; returns the largest |D g|, m/s. */
static double find_gradient(search *s)
{
    double most = 0;
    obey_all(s, s->u, s->lambda, s->C);
    for (int i = 0; i < row_count(s); i++) s->g[i] = s->p[i] - s->lambda[i];
    multiply(s, s->g, s->Dg);
    for (int i = 0; i < row_count(s); i++) most = fmax(most, fabs(s->Dg[i]));
    return most;
}

/* Columns of G, one hold after another: Cholesky's factor of each C, which may be semi-definite. Returns how many. */
static int find_factors(search *s, int *first_row)
{
    int active = 0;
    for (int h = 0; h < s->r.holds; h++) {
        const int m = s->r.hold[h]->rows;
        double C[9];
        memcpy(C, s->C + 9 * h, sizeof C);
        const double least = 1e-13 * fmax(C[0], fmax(C[4], C[8]));
        for (int k = 0; k < m; k++) {
            if (!(C[3 * k + k] > least)) continue;
            double *G = s->G + 3 * active;
            const double root = sqrt(C[3 * k + k]);
            for (int i = 0; i < 3; i++) G[i] = i < m ? C[3 * i + k] / root : 0;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) C[3 * i + j] -= G[i] * G[j];
            first_row[active++] = s->r.first[h];
        }
    }
    return active;
}

/* S = L L^T in place, the lower triangle; S >= 1. */
static void factorise(double *S, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = S[i * n + j];
            for (int k = 0; k < j; k++) sum -= S[i * n + k] * S[j * n + k];
            S[i * n + j] = i == j ? sqrt(fmax(sum, DBL_MIN)) : sum / S[j * n + j];
        }
}

static void solve(const double *L, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= L[i * n + i];
        for (int k = 0; k < i; k++) x[k] -= L[i * n + k] * x[i];
    }
}

/* g . D h of two columns that start at rows a and b. */
static double product(const search *s, const double *g, int a, const double *h, int b)
{
    const int n = row_count(s);
    double sum = 0;
    for (int i = 0; i < 3 && a + i < n; i++)
        for (int j = 0; j < 3 && b + j < n; j++)
            sum += g[i] * s->r.D[(size_t)(a + i) * (size_t)n + (size_t)(b + j)] * h[j];
    return sum;
}

static void find_direction(search *s, int *first_row)
{
    const int active = find_factors(s, first_row), n = row_count(s);
    for (int a = 0; a < active; a++) {
        for (int b = 0; b <= a; b++)
            s->S[a * active + b] = (a == b) + product(s, s->G + 3 * a, first_row[a], s->G + 3 * b, first_row[b]);
        s->z[a] = 0;
        for (int i = 0; i < 3 && first_row[a] + i < n; i++) s->z[a] += s->G[3 * a + i] * s->Dg[first_row[a] + i];
    }
    factorise(s->S, active);
    solve(s->S, active, s->z);
    for (int i = 0; i < n; i++) s->dp[i] = -s->g[i];
    for (int a = 0; a < active; a++)
        for (int i = 0; i < 3 && first_row[a] + i < n; i++) s->dp[first_row[a] + i] += s->G[3 * a + i] * s->z[a];
    multiply(s, s->dp, s->du);
}

static double slope_at(search *s, double part)
{
    double slope = 0, *u = s->Dg; /* free by now */
    for (int i = 0; i < row_count(s); i++) u[i] = s->u[i] + part * s->du[i];
    obey_all(s, u, s->lambda, NULL);
    for (int i = 0; i < row_count(s); i++) slope += s->du[i] * (s->p[i] + part * s->dp[i] - s->lambda[i]);
    return slope;
}

/* How much of dp: all of it, or to just behind where the slope along it ends. */
static double length_of_step(search *s)
{
    const double at_start = slope_at(s, 0), enough = LEFT * fabs(at_start);
    double low = 0, high = 1, at_low = at_start, at_high = slope_at(s, 1), here = at_high;
    for (int cut = 0, side = 0; cut < MOST_CUTS && !(here >= 0 && here <= enough) && at_high > enough; cut++) {
        const double share = cut % 4 == 3 ? 0.5 : at_low / (at_low - at_high), part = low + (high - low) * share;
        here = slope_at(s, part);
        if (here > 0) {
            if (side > 0) at_low *= 0.5;
            high = part, at_high = here, side = 1;
        } else {
            if (side < 0) at_high *= 0.5;
            low = part, at_low = here, side = -1;
        }
    }
    return high;
}

/* p with g = 0, as far as that goes in so many steps. */
static void minimise(search *s, int *first_row)
{
    double before = INFINITY;
    for (int step = 0; step < MOST_STEPS; step++) {
        const double left = find_gradient(s), rounding = ROUNDING * s->R * s->fastest;
        if (left <= fmax(INNER * s->r.p->tolerance, rounding)) return;
        if (left > STALLED * before && left <= 100 * rounding) return;
        before = left;
        s->steps++;
        find_direction(s, first_row);
        const double part = length_of_step(s);
        for (int i = 0; i < row_count(s); i++) s->p[i] += part * s->dp[i];
        find_speeds(s);
    }
}

/* ---- Rounds ------------------------------------------------------------------------------- */

static void set_stiffness(search *s, double R)
{
    s->R = R;
    for (int h = 0; h < s->r.holds; h++)
        for (int i = 0; i < s->r.hold[h]->rows; i++) s->rho[s->r.first[h] + i] = s->own[h] > 0 ? R / s->own[h] : 0;
}

/* The s with which mu |u_t| = s, from the one of this round, which has led to f, and the one before. */
static double better_lift(search *s, int h, double f)
{
    const double lift = s->lift[h];
    double slope = (f - s->last_slip[h]) / (lift - s->last_lift[h]);
    slope = isfinite(slope) ? fmin(fmax(slope, -MOST_SLOPE), MOST_SLOPE) : 0;
    s->last_lift[h] = lift, s->last_slip[h] = f;
    return fmax(lift + (f - lift) / (1 - slope), 0);
}

/* The s, or the radius, that the present solution has. */
static double lift_of(const search *s, int h)
{
    const trm_hold *hold = s->r.hold[h];
    const double *u = s->u + s->r.first[h];
    if (hold->law == TRM_CONE) return hold->friction * sqrt(u[1] * u[1] + u[2] * u[2]);
    return hold->law == TRM_DISC ? trm_disc_radius(hold) : 0;
}

/* How far hold h is from its law, m/s, with the s of the present solution. */
static double residual_of(const search *s, int h, double lift)
{
    const trm_hold *hold = s->r.hold[h];
    const int first = s->r.first[h];
    double lambda[TRM_JOINT_ROWS], rho[TRM_JOINT_ROWS], square = 0;
    if (!(s->own[h] > 0)) return 0;
    for (int i = 0; i < hold->rows; i++) rho[i] = 1 / s->own[h];
    trm_hold_obey(hold, lift, s->p + first, rho, s->u + first, lambda, NULL);
    for (int i = 0; i < hold->rows; i++) square += (s->p[first + i] - lambda[i]) * (s->p[first + i] - lambda[i]);
    return s->own[h] * sqrt(square);
}

/* lambda_k, s and what is left with the s that was; p is lambda from now on. */
static double renew(search *s)
{
    double worst = 0;
    obey_all(s, s->u, s->lambda, NULL);
    memcpy(s->p, s->lambda, (size_t)row_count(s) * sizeof *s->p);
    memcpy(s->estimate, s->lambda, (size_t)row_count(s) * sizeof *s->p);
    for (int h = 0; h < s->r.holds; h++)
        memcpy(s->r.hold[h]->lambda, s->p + s->r.first[h], (size_t)s->r.hold[h]->rows * sizeof *s->p);
    find_speeds(s);
    s->shifted = 0;
    for (int h = 0; h < s->r.holds; h++) {
        worst = fmax(worst, residual_of(s, h, s->lift[h]));
        const bool cone = s->r.hold[h]->law == TRM_CONE;
        const double lift = cone ? better_lift(s, h, lift_of(s, h)) : lift_of(s, h);
        s->shifted = fmax(s->shifted, fabs(lift - s->lift[h]) * (cone ? 1 : s->own[h]));
        s->lift[h] = lift;
    }
    return worst;
}

static double worst_residual(const search *s)
{
    double worst = 0;
    for (int h = 0; h < s->r.holds; h++) worst = fmax(worst, residual_of(s, h, lift_of(s, h)));
    return worst;
}

static bool converge(search *s, double R, int most_rounds, int *first_row)
{
    double before = INFINITY;
    set_stiffness(s, R);
    for (int round = 0; round < most_rounds; round++) {
        const double shifted = s->shifted, good = fmax(s->r.p->tolerance, s->r.p->soon);
        minimise(s, first_row);
        const double left = renew(s), residual = worst_residual(s);
        if (residual <= good || (round >= ENOUGH_ROUNDS && residual <= s->r.p->enough_closed)) return true;
        if (left > s->r.p->tolerance && left > LITTLE_GAIN * fmax(before, shifted) && s->R < HIGHEST)
            set_stiffness(s, RAISED * s->R);
        before = left;
    }
    return worst_residual(s) <= s->r.p->enough;
}

/* ---- An island ---------------------------------------------------------------------------- */

static bool make_room(search *s)
{
    trm_arena *a = s->r.p->arena;
    const size_t n = (size_t)s->r.rows, m = (size_t)s->r.holds;
    double **const per_row[] = {&s->p,  &s->u,        &s->dp,  &s->du,     &s->g,
                                &s->Dg, &s->estimate, &s->rho, &s->lambda, &s->z};
    double **const per_hold[] = {&s->own, &s->lift, &s->last_lift, &s->last_slip};
    for (size_t i = 0; i < sizeof per_row / sizeof *per_row; i++)
        if (!(*per_row[i] = TRM_NEW_ARRAY(a, double, n))) return false;
    for (size_t i = 0; i < sizeof per_hold / sizeof *per_hold; i++)
        if (!(*per_hold[i] = TRM_NEW_ARRAY(a, double, m))) return false;
    s->C = TRM_NEW_ARRAY(a, double, 9 * m);
    s->G = TRM_NEW_ARRAY(a, double, 3 * n);
    s->S = TRM_NEW_ARRAY(a, double, n *n);
    return s->C && s->G && s->S;
}

static void find_own(search *s)
{
    const int n = row_count(s);
    for (int h = 0; h < s->r.holds; h++) {
        const trm_hold *hold = s->r.hold[h];
        for (int i = 0; i < hold->rows; i++)
            s->own[h] = fmax(s->own[h], s->r.D[(size_t)(s->r.first[h] + i) * (size_t)(n + 1)]);
        if (hold->law == TRM_PULL)
            s->own[h] = fmax(s->own[h], DBL_MIN); /* it pulls whether or not it can move anything */
        else if (!(s->own[h] > BLOCKED * trm_hold_own(hold)))
            s->own[h] = 0;
    }
}

/* From impulses p: lambda_k and s. */
static void begin_with(search *s, const double *p)
{
    memcpy(s->p, p, (size_t)row_count(s) * sizeof *p);
    memcpy(s->estimate, p, (size_t)row_count(s) * sizeof *p);
    s->fastest = 0;
    find_speeds(s);
    s->shifted = 0;
    for (int h = 0; h < s->r.holds; h++) {
        s->lift[h] = lift_of(s, h);
        s->last_lift[h] = s->last_slip[h] = NAN;
    }
}

/* ---- Slip of the solution ------------------------------------------------------------------- */

/* Where rounds for s do not converge, s = mu |u_t| is part of Newton's method: with y = lambda_k - rho (u + mu |u_t| n)
 *
 *     g = p - P(y) = 0,   (I + K D) dp = -g,   K = rho P' (I + n (0, mu u_t/|u_t|)^T)
 *
 * which has no convex function behind it: a step is halved until |D_own g| falls. */

/* s of cones at speeds u, lambda there and g; returns the largest D_own |g|, m/s. K where it is asked for. */
static double find_coupled(search *s, const double *u, const double *p, bool K)
{
    double most = 0;
    for (int h = 0; h < s->r.holds; h++) {
        const trm_hold *hold = s->r.hold[h];
        const int first = s->r.first[h];
        const double *v = u + first;
        const double slip = hold->law == TRM_CONE ? sqrt(v[1] * v[1] + v[2] * v[2]) : 0;
        double *C = s->C + 9 * h;
        if (hold->law == TRM_CONE) s->lift[h] = hold->friction * slip;
        obey_one(s, h, v, s->lambda + first, K ? C : NULL);
        for (int r = 0; K && slip > 0 && r < 3; r++)
            for (int k = 1; k < 3; k++) C[3 * r + k] += C[3 * r] * hold->friction * v[k] / slip;
        for (int r = first; r < first + hold->rows; r++) {
            s->g[r] = p[r] - s->lambda[r];
            most = fmax(most, s->own[h] * fabs(s->g[r]));
        }
    }
    return most;
}

/* Rows of I + K D, and -g in dp. */
static void fill_coupled(search *s, double *A)
{
    const int n = row_count(s);
    for (int h = 0; h < s->r.holds; h++)
        for (int r = 0; r < s->r.hold[h]->rows; r++) {
            const int first = s->r.first[h], m = s->r.hold[h]->rows;
            double *row = A + (size_t)(first + r) * (size_t)n;
            memset(row, 0, (size_t)n * sizeof *row);
            for (int k = 0; k < m; k++) {
                const double K = s->C[9 * h + 3 * r + k], *D = s->r.D + (size_t)(first + k) * (size_t)n;
                for (int c = 0; K != 0 && c < n; c++) row[c] += K * D[c];
            }
            row[first + r] += 1;
            s->dp[first + r] = -s->g[first + r];
        }
}

/* x <- A^-1 x by elimination with row exchanges; A is used up. */
static void eliminate(double *A, int n, double *x)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
        for (int c = k; pivot != k && c < n; c++) {
            const double swapped = A[k * n + c];
            A[k * n + c] = A[pivot * n + c], A[pivot * n + c] = swapped;
        }
        const double right = x[pivot];
        x[pivot] = x[k], x[k] = right;
        for (int i = k + 1; i < n; i++) {
            const double share = A[i * n + k] / A[k * n + k];
            if (share == 0) continue;
            for (int c = k + 1; c < n; c++) A[i * n + c] -= share * A[k * n + c];
            x[i] -= share * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++) x[i] -= A[i * n + c] * x[c];
        x[i] /= A[i * n + i];
    }
}

/* p and u moved by a part of dp, halved until g is less; returns what it is then. */
static double take_coupled_step(search *s, double before)
{
    const size_t bytes = (size_t)row_count(s) * sizeof *s->p;
    double *p = s->z, *u = s->Dg, left = INFINITY;
    multiply(s, s->dp, s->du);
    for (double part = 1; part > LEAST_PART; part *= 0.5) {
        for (int i = 0; i < row_count(s); i++) p[i] = s->p[i] + part * s->dp[i], u[i] = s->u[i] + part * s->du[i];
        left = find_coupled(s, u, p, false);
        if (left < (1 - 0.1 * part) * before) break;
    }
    memcpy(s->p, p, bytes);
    memcpy(s->u, u, bytes);
    return left;
}

/* Rounds with s of the solution, from where p is. */
static bool converge_coupled(search *s, double R)
{
    double before = INFINITY;
    set_stiffness(s, R);
    memcpy(s->estimate, s->p, (size_t)row_count(s) * sizeof *s->p);
    for (int round = 0; round < COUPLED_ROUNDS; round++) {
        find_speeds(s);
        double left = find_coupled(s, s->u, s->p, true);
        for (int step = 0; step < MOST_STEPS && left > fmax(INNER * s->r.p->tolerance, ROUNDING * s->R * s->fastest);
             step++) {
            fill_coupled(s, s->S);
            eliminate(s->S, row_count(s), s->dp);
            const double now = take_coupled_step(s, left);
            s->steps++;
            if (!(now < STALLED_COUPLED * left)) break;
            left = find_coupled(s, s->u, s->p, true);
        }
        renew(s);
        const double residual = worst_residual(s), good = fmax(s->r.p->tolerance, s->r.p->soon);
        if (!isfinite(residual)) return false;
        if (residual <= good || (round >= ENOUGH_ROUNDS && residual <= s->r.p->enough_closed)) return true;
        if (!(residual < LITTLE_BETTER * before) && round > ENOUGH_ROUNDS) break;
        before = residual;
    }
    return worst_residual(s) <= s->r.p->enough;
}

/* ---- What cannot be solved ------------------------------------------------------------------ */

/* One hold, all others being as they are (a sweep of projected Gauss-Seidel is one of each). */
static void obey_alone(search *s, int h)
{
    const trm_hold *hold = s->r.hold[h];
    const int n = row_count(s), first = s->r.first[h];
    double u[TRM_JOINT_ROWS], rho[TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS], trace = 0;
    if (!(s->own[h] > 0)) return;
    for (int i = 0; i < hold->rows; i++) {
        const double *D = s->r.D + (size_t)(first + i) * (size_t)n;
        u[i] = s->r.c[first + i];
        for (int k = 0; k < n; k++) u[i] += D[k] * s->p[k];
        trace += D[first + i]; /* no less than the largest eigenvalue */
    }
    if (hold->law == TRM_PULL) {
        lambda[0] = trm_force_impulse(hold->pull, hold->dt, u[0] - trace * s->p[first], trace);
    } else {
        const double lift = hold->law == TRM_CONE   ? hold->friction * sqrt(u[1] * u[1] + u[2] * u[2])
                            : hold->law == TRM_DISC ? trm_disc_radius(hold)
                                                    : 0;
        for (int i = 0; i < hold->rows; i++) rho[i] = 1 / trace;
        trm_hold_obey(hold, lift, s->p + first, rho, u, lambda, NULL);
    }
    memcpy(s->p + first, lambda, (size_t)hold->rows * sizeof *lambda);
    memcpy(hold->lambda, lambda, (size_t)hold->rows * sizeof *lambda);
}

static bool is_passive(const trm_hold *hold)
{
    return hold->law != TRM_PULL && !(hold->law == TRM_BOUNDED && hold->driven);
}

/* Impulses p make p . (c + D p / 2) of work. Scales those of passive holds by the largest part of 1 that puts nothing in. */
static void take_gain_back(search *s)
{
    double at_start = 0, more = 0;
    multiply(s, s->p, s->u);
    for (int h = 0; h < s->r.holds; h++)
        for (int i = s->r.first[h]; is_passive(s->r.hold[h]) && i < s->r.first[h] + s->r.hold[h]->rows; i++) {
            at_start += s->p[i] * s->r.c[i];
            more += s->p[i] * s->u[i];
        }
    const double part = fmin(1, fmax(0, more > 0 ? -2 * at_start / more : at_start < 0));
    for (int h = 0; part < 1 && h < s->r.holds; h++)
        for (int i = s->r.first[h]; is_passive(s->r.hold[h]) && i < s->r.first[h] + s->r.hold[h]->rows; i++)
            s->p[i] *= part;
}

/* Impulses that obey as well as sweeps from none make them, and put no energy in. */
static void sweep(search *s)
{
    memset(s->p, 0, (size_t)row_count(s) * sizeof *s->p);
    for (int n = 0; n < SWEEPS; n++)
        for (int h = 0; h < s->r.holds; h++) obey_alone(s, h);
    take_gain_back(s);
    find_speeds(s);
}

/* ---- All ----------------------------------------------------------------------------------- */

/* From the usual stiffness, then up a ladder to it, both from the impulses of the start. */
static bool search_from(search *s, const double *start, int *first_row)
{
    begin_with(s, start);
    if (worst_residual(s) <= s->r.p->tolerance || converge(s, USUAL, QUICK_ROUNDS, first_row)) return true;
    if (converge_coupled(s, USUAL)) return true;
    begin_with(s, start);
    for (double R = BOTTOM; R < USUAL; R *= 10) {
        set_stiffness(s, R);
        minimise(s, first_row);
        renew(s);
    }
    if (converge_coupled(s, COUPLED_BOTTOM) || converge_coupled(s, USUAL)) return true;
    return converge(s, USUAL, MOST_ROUNDS, first_row) || converge_coupled(s, USUAL);
}

/* m/s: how fast holds that joints block are violated. */
static double contradiction(const search *s)
{
    double worst = 0;
    for (int h = 0; h < s->r.holds; h++) {
        const trm_hold *hold = s->r.hold[h];
        const double u = s->u[s->r.first[h]];
        if (s->own[h] > 0) continue;
        if (hold->law == TRM_CONE) worst = fmax(worst, -u);
        if (hold->law == TRM_BOUNDED && isinf(hold->least)) worst = fmax(worst, u);
    }
    return worst;
}

static trm_solved search_island(search *s, int *steps)
{
    trm_arena *arena = s->r.p->arena;
    double *start = TRM_NEW_ARRAY(arena, double, s->r.rows);
    int *first_row = TRM_NEW_ARRAY(arena, int, s->r.rows);
    if (!make_room(s) || !start || !first_row) return TRM_SOLVE_NO_MEMORY;
    for (int h = 0; h < s->r.holds; h++)
        memcpy(start + s->r.first[h], s->r.hold[h]->lambda, (size_t)s->r.hold[h]->rows * sizeof *start);
    find_own(s);
    const bool done = search_from(s, start, first_row);
    *steps += s->steps;
    if (!done) sweep(s);
    trm_reduced_apply(&s->r, s->p);
    const double enough = fmax(s->r.p->enough, CONTRADICTS * s->fastest);
    return done && contradiction(s) <= enough ? TRM_SOLVED : TRM_NOT_SOLVED;
}

bool trm_problem_can_reduce(const trm_problem *problem, const trm_problem_island *island)
{
    int rows = 0, joints = 0;
    for (int i = 0; i < island->hold_count; i++) {
        const trm_hold *hold = &problem->holds[island->holds[i]];
        if (hold->law == TRM_CLOSED)
            joints++;
        else
            rows += hold->rows;
    }
    return rows <= MOST_ROWS && joints <= MOST_JOINTS;
}

trm_solved trm_problem_reduced(const trm_problem *problem, const trm_problem_island *island, int *steps)
{
    const trm_arena_mark mark = trm_arena_get_mark(problem->arena);
    search s = {.r = {.p = problem, .island = island}};
    const trm_solved solved = trm_reduced_make(&s.r) ? search_island(&s, steps) : TRM_SOLVE_NO_MEMORY;
    trm_arena_reset(problem->arena, mark);
    return solved;
}
