/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Present and past of Adams' method. The past is the polynomial P through the last values of f, in Newton's form
 *
 *     P(t) = sum phi_i rho_i(t),   rho_1 = 1,   rho_(i+1) = rho_i (t - t_(n-i+1)) / psi_i        i = 1 .. k + 1
 *
 * with k the order of the last step and psi_i = t_n - t_(n-i). P gives f and, integrated from t_n, y: between the
 * points (INTRP of Shampine and Gordon) and at them (Schirm, Blajer, Schiehlen 1993). It is recomputed for other
 * unknowns. */

#include <math.h>
#include <string.h>

#include "methods/minimal/adams_state.h"

/* ---- Present values ------------------------------------------------------------------------ */

double trm_adams_time(const trm_adams *a)
{
    return a->now.t;
}

const double *trm_adams_y(const trm_adams *a)
{
    return a->y;
}

int trm_adams_order(const trm_adams *a)
{
    return a->now.last;
}

double trm_adams_length(const trm_adams *a)
{
    return a->now.h_last;
}

double trm_adams_next(const trm_adams *a)
{
    return a->now.h;
}

void trm_adams_set_next(trm_adams *a, double length)
{
    a->now.h = length;
}

long long trm_adams_failures(const trm_adams *a)
{
    return a->now.failures;
}

/* ---- The polynomial ----------------------------------------------------------------------- */

/* Computes rho[i], i = 1 .. count, at t_n + s. */
static void newton_terms(const trm_adams_state *now, double s, int count, double *rho)
{
    rho[1] = 1;
    for (int i = 1; i < count; i++) rho[i + 1] = rho[i] * (s + (i > 1 ? now->psi[i - 1] : 0)) / now->psi[i];
}

/* Gauss' rule of seven points on (-1, 1): exact to degree 13; P has degree 12 at most. */
static const double gauss_point[] = {-0.94910791234275852, -0.74153118559939444, -0.40584515137739717, 0,
                                     0.40584515137739717,  0.74153118559939444,  0.94910791234275852};
static const double gauss_weight[] = {0.12948496616886969, 0.27970539148927667, 0.38183005050511894,
                                      0.41795918367346939, 0.38183005050511894, 0.27970539148927667,
                                      0.12948496616886969};

/* Computes mean[i] of rho_i over t_n .. t_n + s. */
static void newton_means(const trm_adams_state *now, double s, int count, double *mean)
{
    for (int i = 1; i <= count; i++) mean[i] = 0;
    for (int q = 0; q < 7; q++) {
        double rho[TRM_ADAMS_ORDERS + 2];
        newton_terms(now, 0.5 * s * (1 + gauss_point[q]), count, rho);
        for (int i = 1; i <= count; i++) mean[i] += 0.5 * gauss_weight[q] * rho[i];
    }
}

/* sum <- sum of factor_i phi_i, small terms first */
static void combine(const trm_adams *a, const double *factor, int count, double *sum)
{
    memset(sum, 0, (size_t)a->unknowns * sizeof *sum);
    for (int i = count; i >= 1; i--) {
        const double *phi = trm_adams_phi(a, i);
        for (int j = 0; j < a->unknowns; j++) sum[j] += factor[i] * phi[j];
    }
}

/* Computes y and f at t_n + s. */
static void read_at(const trm_adams *a, double s, double *y, double *f)
{
    const int count = a->now.last + 1;
    double factor[TRM_ADAMS_ORDERS + 2];
    newton_means(&a->now, s, count, factor);
    combine(a, factor, count, y);
    for (int j = 0; j < a->unknowns; j++) y[j] = a->y[j] + s * y[j];
    newton_terms(&a->now, s, count, factor);
    combine(a, factor, count, f);
}

void trm_adams_at(const trm_adams *a, double t, double *y, double *f)
{
    read_at(a, t - a->now.t, y, f);
}

/* ---- Past points -------------------------------------------------------------------------- */

void trm_adams_recover(const trm_adams *a, int back, double *y, double *f)
{
    const int known = back < TRM_ADAMS_ORDERS ? back : TRM_ADAMS_ORDERS;
    read_at(a, known > 0 ? -a->now.psi[known] : 0, y, f);
}

/* ---- Other unknowns ----------------------------------------------------------------------- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* phi_i <- f at the point i - 1 back, then divided differences f[t_n, ..., t_(n-i+1)] */
static void divide_differences(trm_adams *a, const double *f, int count)
{
    const double *t = a->now.times;
    memcpy(a->phi, f, (size_t)count * (size_t)a->unknowns * sizeof *f);
    for (int pass = 1; pass < count; pass++)
        for (int i = count; i > pass; i--) {
            const double span = t[i - 1 - pass] - t[i - 1];
            const double *newer = trm_adams_phi(a, i - 1);
            double *phi = trm_adams_phi(a, i);
            for (int j = 0; j < a->unknowns; j++) phi[j] = (newer[j] - phi[j]) / span;
        }
}

/* phi_i <- (t_n - t_(n-1)) ... (t_n - t_(n-i+1)) phi_i */
static void modify_differences(trm_adams *a, int count)
{
    double product = 1;
    for (int i = 2; i <= count; i++) {
        double *phi = trm_adams_phi(a, i);
        product *= a->now.times[0] - a->now.times[i - 1];
        for (int j = 0; j < a->unknowns; j++) phi[j] *= product;
    }
}

void trm_adams_exchange(trm_adams *a, const double *y, const double *f, int points)
{
    trm_adams_state *s = &a->now;
    const size_t bytes = (size_t)a->unknowns * sizeof(double);
    const int count = smaller(points, smaller(s->last + 2, s->points));
    memmove(a->y, y, bytes); /* y may be a->y itself */
    memset(a->lost, 0, bytes);
    if (!s->begun) return; /* f at the start is not known yet */
    memmove(a->f, f, bytes);
    divide_differences(a, f, count);
    modify_differences(a, count);
    memset(trm_adams_phi(a, count + 1), 0, (size_t)(TRM_ADAMS_COLUMNS - count) * bytes);
    s->order = smaller(s->order, count);
    s->last = smaller(s->last, count - 1);
}

/* ---- Saving ------------------------------------------------------------------------------- */

size_t trm_adams_size(const trm_adams *a)
{
    return sizeof a->now + trm_adams_kept(a->unknowns) * sizeof(double);
}

void trm_adams_save(const trm_adams *a, void *bytes)
{
    memcpy(bytes, &a->now, sizeof a->now);
    memcpy((char *)bytes + sizeof a->now, a->phi, trm_adams_kept(a->unknowns) * sizeof(double));
}

void trm_adams_load(trm_adams *a, const void *bytes)
{
    memcpy(&a->now, bytes, sizeof a->now);
    memcpy(a->phi, (const char *)bytes + sizeof a->now, trm_adams_kept(a->unknowns) * sizeof(double));
}

bool trm_adams_are_saved(const void *bytes)
{
    trm_adams_state s;
    unsigned char truths[3]; /* values other than 0 and 1 must not be read as bool */
    const size_t at[3] = {offsetof(trm_adams_state, begun), offsetof(trm_adams_state, first_phase),
                          offsetof(trm_adams_state, careful)};
    for (int i = 0; i < 3; i++) {
        memcpy(&truths[i], (const char *)bytes + at[i], 1);
        if (truths[i] > 1) return false;
    }
    memcpy(&s, bytes, sizeof s);
    return s.order >= 0 && s.order <= TRM_ADAMS_ORDERS && s.last >= 0 && s.last <= TRM_ADAMS_ORDERS && s.alike >= 0 &&
           s.alike <= TRM_ADAMS_ORDERS + 1 && s.points >= 0 && s.points <= TRM_ADAMS_POINTS && isfinite(s.t) &&
           isfinite(s.h) && isfinite(s.h_last) && isfinite(s.usual);
}
