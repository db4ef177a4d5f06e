/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Minimisation of functions without derivatives.
 *
 * CMA-ES (Hansen 2016, "The CMA evolution strategy: a tutorial", equations 38 to 47) in the unit cube. Each
 * generation draws lambda points x = m + sigma B D z, moves the mean to the weighted best half, and adapts the
 * step size sigma and the covariance C = B D^2 B^T. Points outside the bounds are reflected into them. Only the
 * order of the values counts. The search ends when the values of a generation agree or the step size vanishes. It
 * restarts with twice the population (IPOP) until the restarts are used up. Random numbers come from
 * base/random.h: the same seed gives the same points. */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "linalg/eigen.h"
#include "model/def.h"
#include "trammel/analysis.h"
#include "trammel/elementary.h"

/* Constants of the strategy, in the names of Hansen. */
typedef struct trm_cma_rates {
    double mueff, cc, cs, c1, cmu, damps, chi;
} trm_cma_rates;

struct trm_optimiser {
    trm_arena arena;
    trm_random random;
    trm_optimiser_def def;
    int n, lambda, mu;
    int restarts, generation;
    double *lower, *upper;
    double *mean, *old, *weights, *C, *B, *D, *ps, *pc, *x, *z, *room;
    int *order;
    double *best, best_value;
    trm_cma_rates rates;
    double sigma;
    double recent; /* best value of the last generations */
    int stalled;
    bool done;
};

/* ---- Parameters --------------------------------------------------------------------------- */

static void set_parameters(trm_optimiser *o)
{
    const double n = o->n;
    double sum = 0, squares = 0;
    o->mu = o->lambda / 2;
    for (int i = 0; i < o->mu; i++) o->weights[i] = trm_log(o->mu + 0.5) - trm_log(i + 1.0), sum += o->weights[i];
    for (int i = 0; i < o->mu; i++) o->weights[i] /= sum, squares += o->weights[i] * o->weights[i];
    o->rates.mueff = 1 / squares;
    o->rates.cc = (4 + o->rates.mueff / n) / (n + 4 + 2 * o->rates.mueff / n);
    o->rates.cs = (o->rates.mueff + 2) / (n + o->rates.mueff + 5);
    o->rates.c1 = 2 / ((n + 1.3) * (n + 1.3) + o->rates.mueff);
    o->rates.cmu =
        fmin(1 - o->rates.c1, 2 * (o->rates.mueff - 2 + 1 / o->rates.mueff) / ((n + 2) * (n + 2) + o->rates.mueff));
    o->rates.damps = 1 + 2 * fmax(0, sqrt((o->rates.mueff - 1) / (n + 1)) - 1) + o->rates.cs;
    o->rates.chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

static void begin(trm_optimiser *o)
{
    const int n = o->n;
    set_parameters(o);
    o->sigma = o->def.sigma;
    o->generation = o->stalled = 0, o->recent = INFINITY;
    memset(o->C, 0, (size_t)(n * n) * sizeof *o->C), memset(o->B, 0, (size_t)(n * n) * sizeof *o->B);
    for (int i = 0; i < n; i++) o->C[i * n + i] = o->B[i * n + i] = o->D[i] = 1, o->ps[i] = o->pc[i] = 0;
}

/* ---- Ask and tell ------------------------------------------------------------------------- */

static double reflect(double x)
{
    x = fabs(remainder(x, 2)); /* to [-1, 1], then folded */
    return x;
}

static double from_unit(const trm_optimiser *o, int i, double x)
{
    return o->lower[i] + (o->upper[i] - o->lower[i]) * reflect(x);
}

int trm_optimiser_next(trm_optimiser *o, double *points)
{
    const int n = o->n;
    if (o->done) return 0;
    for (int k = 0; k < o->lambda; k++) {
        double *x = o->x + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) o->z[i] = trm_random_normal(&o->random) * o->D[i];
        for (int i = 0; i < n; i++) {
            x[i] = 0;
            for (int j = 0; j < n; j++) x[i] += o->B[i * n + j] * o->z[j];
            x[i] = reflect(o->mean[i] + o->sigma * x[i]);
            points[(size_t)k * (size_t)n + (size_t)i] = from_unit(o, i, x[i]);
        }
    }
    return o->lambda;
}

static void sort(trm_optimiser *o, const double *values)
{
    for (int i = 0; i < o->lambda; i++) {
        int k = i;
        for (; k > 0; k--) {
            const double before = values[o->order[k - 1]];
            if (!(values[i] < before || (isnan(before) && !isnan(values[i])))) break;
            o->order[k] = o->order[k - 1];
        }
        o->order[k] = i;
    }
}

/* Updates the evolution paths ps and pc. */
static void update_paths(trm_optimiser *o)
{
    const int n = o->n;
    double length = 0;
    double *y = o->z, *t = o->room;
    for (int i = 0; i < n; i++) y[i] = (o->mean[i] - o->old[i]) / o->sigma;
    for (int k = 0; k < n; k++) { /* D^-1 B^T y */
        t[k] = 0;
        for (int i = 0; i < n; i++) t[k] += o->B[i * n + k] * y[i];
        t[k] /= o->D[k];
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += o->B[i * n + k] * t[k];
        o->ps[i] = (1 - o->rates.cs) * o->ps[i] + sqrt(o->rates.cs * (2 - o->rates.cs) * o->rates.mueff) * sum;
        length += o->ps[i] * o->ps[i];
    }
    length = sqrt(length);
    const double decay = 1 - trm_pow(1 - o->rates.cs, 2.0 * (o->generation + 1));
    const bool on = length / sqrt(decay) / o->rates.chi < 1.4 + 2 / (o->n + 1.0);
    for (int i = 0; i < n; i++)
        o->pc[i] =
            (1 - o->rates.cc) * o->pc[i] + (on ? sqrt(o->rates.cc * (2 - o->rates.cc) * o->rates.mueff) * y[i] : 0);
    const double lost = on ? 0 : o->rates.c1 * o->rates.cc * (2 - o->rates.cc);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double rank_mu = 0;
            for (int k = 0; k < o->mu; k++) {
                const double *x = o->x + (size_t)o->order[k] * (size_t)n;
                rank_mu += o->weights[k] * (x[i] - o->old[i]) * (x[j] - o->old[j]) / (o->sigma * o->sigma);
            }
            double *c = &o->C[i * n + j];
            *c = (1 - o->rates.c1 - o->rates.cmu + lost) * *c + o->rates.c1 * o->pc[i] * o->pc[j] +
                 o->rates.cmu * rank_mu;
        }
    o->sigma *= trm_exp(fmin(1, o->rates.cs / o->rates.damps * (length / o->rates.chi - 1)));
}

/* Computes B and D of C. Returns false if C is no longer usable. */
static bool decompose(trm_optimiser *o)
{
    const int n = o->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) o->B[i * n + j] = 0.5 * (o->C[i * n + j] + o->C[j * n + i]);
    if (!trm_eigen_symmetric(o->B, n, o->D, o->room)) return false;
    for (int i = 0; i < n; i++) {
        if (!(o->D[i] > 0)) return false;
        o->D[i] = sqrt(o->D[i]);
    }
    return o->D[n - 1] < 1e12 * o->D[0];
}

static void restart(trm_optimiser *o)
{
    if (o->restarts-- <= 0 || 2 * o->lambda > o->def.most_points) {
        o->done = true;
        return;
    }
    o->lambda *= 2;
    for (int i = 0; i < o->n; i++) o->mean[i] = trm_random_uniform(&o->random, 0, 1);
    begin(o);
}

/* Returns whether differences of values and steps are at rounding level. */
static bool has_converged(trm_optimiser *o, const double *values)
{
    const double best = values[o->order[0]], worst = values[o->order[o->lambda - 1]];
    double longest = 0;
    for (int i = 0; i < o->n; i++) longest = fmax(longest, o->sigma * o->D[i]);
    o->stalled = best < o->recent - 1e-15 * fabs(best) ? 0 : o->stalled + 1;
    o->recent = fmin(o->recent, best);
    return longest < o->def.tolerance || (worst == best && longest < 1e-9) || o->stalled > 30 + 10 * o->n;
}

void trm_optimiser_record(trm_optimiser *o, const double *values)
{
    const int n = o->n;
    if (o->done) return;
    sort(o, values);
    const double *first = o->x + (size_t)o->order[0] * (size_t)n;
    if (values[o->order[0]] < o->best_value) {
        o->best_value = values[o->order[0]];
        for (int i = 0; i < n; i++) o->best[i] = from_unit(o, i, first[i]);
    }
    memcpy(o->old, o->mean, (size_t)n * sizeof *o->old);
    for (int i = 0; i < n; i++) {
        o->mean[i] = 0;
        for (int k = 0; k < o->mu; k++)
            o->mean[i] += o->weights[k] * o->x[(size_t)o->order[k] * (size_t)n + (size_t)i];
    }
    update_paths(o);
    o->generation++;
    if (!decompose(o) || has_converged(o, values)) restart(o);
}

double trm_optimiser_best(const trm_optimiser *o, double *point)
{
    if (point) memcpy(point, o->best, (size_t)o->n * sizeof *point);
    return o->best_value;
}

bool trm_optimiser_is_done(const trm_optimiser *o)
{
    return o->done;
}

int trm_optimiser_most_points(const trm_optimiser *o)
{
    return o->def.most_points;
}

/* ---- Creating ----------------------------------------------------------------------------- */

trm_status trm_optimiser_create_sized(int n, const double *lower, const double *upper, const double *start,
                                      trm_sized def, const trm_allocator *allocator, trm_optimiser **made)
{
    trm_optimiser *o = trm_owner_create(allocator, sizeof *o);
    *made = NULL;
    if (!o) return TRM_OUT_OF_MEMORY;
    trm_read_def(TRM_DEF_OPTIMISER, def, &o->def);
    o->n = n, o->restarts = o->def.restarts, o->best_value = INFINITY;
    o->lambda = o->def.population > 3 ? o->def.population : 4 + (int)floor(3 * trm_log(n));
    if (o->lambda < 8) o->lambda = 8;
    o->def.most_points = o->lambda << (o->restarts < 6 ? o->restarts : 6);
    o->random = trm_random_seed(o->def.seed);
    const size_t d = (size_t)n + 1, most = (size_t)o->def.most_points + 1;
    double **vectors[] = {&o->lower, &o->upper, &o->mean, &o->old, &o->D, &o->ps, &o->pc, &o->z, &o->room, &o->best};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = TRM_NEW_ARRAY(&o->arena, double, d);
    o->C = TRM_NEW_ARRAY(&o->arena, double, d *d), o->B = TRM_NEW_ARRAY(&o->arena, double, d *d);
    o->x = TRM_NEW_ARRAY(&o->arena, double, most *d), o->weights = TRM_NEW_ARRAY(&o->arena, double, most);
    o->order = TRM_NEW_ARRAY(&o->arena, int, most);
    if (o->arena.failed) {
        trm_optimiser_destroy(o);
        return TRM_OUT_OF_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        o->lower[i] = lower[i], o->upper[i] = upper[i];
        const double width = upper[i] - lower[i];
        o->mean[i] = start && width > 0 ? fmax(0, fmin(1, (start[i] - lower[i]) / width)) : 0.5;
        o->best[i] = from_unit(o, i, o->mean[i]);
    }
    begin(o);
    *made = o;
    return TRM_OK;
}

void trm_optimiser_destroy(trm_optimiser *o)
{
    trm_owner_destroy(o, sizeof *o);
}
