/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Newton's method in contact space (reduced.c), for given estimates lambda_k, s and stiffnesses rho:
 *
 *     g = p - lambda(D p + c) = 0,      D g the gradient of a convex function of p
 *     (I + C D) dp = -g,   C = -dlambda/du = G G^T
 *     dp = -g + G (I + G^T D G)^-1 G^T D g
 *
 * The step length follows from  du . (p - lambda), du = D dp.  Loops run along rows of matrices, so that they
 * vectorise. */

#include <float.h>
#include <string.h>

#include "base/bracket.h"
#include "methods/contact/newton.h"
#include "methods/contact/reduced.h"

enum { MOST_STEPS = 20, MOST_CUTS = 30 };
/* A step that leaves more than this fraction of the slope along it is cut; one that leaves more than this fraction
 * of g has stalled. A larger or smaller value only decides when rounding ends the steps. Tests pass with a tenth
 * and with ten times of it. */
static const double STALLED = 0.5;
/* Entries of C below this fraction of its largest diagonal entry count as zero. A larger value drops slopes of
 * light bodies, a smaller one divides by rounding. */
static const double NO_SLOPE = 1e-13;

void trm_reduced_multiply(const trm_reduced *r, const double *x, double *y)
{
    const size_t n = (size_t)r->rows;
    memset(y, 0, n * sizeof *y);
    for (size_t k = 0; k < n; k++) {
        const double *D = r->D + k * n, by = x[k]; /* D is symmetric */
        for (size_t i = 0; by != 0 && i < n; i++) y[i] += by * D[i];
    }
}

int trm_reduced_obey(const trm_reduced_search *s, int h, const double *u, double *lambda, double *C)
{
    const trm_constraint *constraint = s->r->constraint[h];
    const int first = s->r->first[h];
    double c[TRM_JOINT_ROWS][TRM_JOINT_ROWS];
    trm_cone_place place = TRM_CONE_OPEN;
    if (s->own[h] > 0) {
        place =
            trm_constraint_obey(constraint, s->lift[h], s->estimate + first, s->rho + first, u, lambda, C ? c : NULL);
    } else {
        memset(c, 0, sizeof c);
        memset(lambda, 0, (size_t)constraint->rows * sizeof *lambda);
    }
    for (int i = 0; C && i < 9; i++) C[i] = c[i / 3][i % 3];
    return (int)place;
}

static void obey_all(const trm_reduced_search *s, const double *u, double *lambda, double *C)
{
    for (int h = 0; h < s->r->constraints; h++)
        trm_reduced_obey(s, h, u + s->r->first[h], lambda + s->r->first[h], C ? C + 9 * h : NULL);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

void trm_reduced_speeds(trm_reduced_search *s)
{
    trm_reduced_multiply(s->r, s->p, s->u);
    for (int i = 0; i < s->r->rows; i++) {
        s->u[i] += s->r->c[i];
        s->fastest = larger(s->fastest, larger(fabs(s->u[i]), fabs(s->r->c[i])));
    }
}

/* ---- A step ------------------------------------------------------------------------------- */

/* Computes g, D g and C. Returns the largest |D g|, m/s. */
static double find_gradient(trm_reduced_search *s)
{
    double most = 0;
    obey_all(s, s->u, s->lambda, s->C);
    for (int i = 0; i < s->r->rows; i++) s->g[i] = s->p[i] - s->lambda[i];
    trm_reduced_multiply(s->r, s->g, s->Dg);
    for (int i = 0; i < s->r->rows; i++) most = larger(most, fabs(s->Dg[i]));
    return most;
}

/* Computes the columns of G of one constraint: the Cholesky factor of its C, which may be semidefinite. Returns their
 * number. */
static int factor_of(const double *of, int m, double *G)
{
    double C[9];
    int count = 0;
    memcpy(C, of, sizeof C);
    const double least = NO_SLOPE * larger(C[0], larger(C[4], C[8]));
    for (int k = 0; k < m; k++) {
        if (!(C[3 * k + k] > least)) continue;
        double *column = G + 3 * count++;
        const double root = sqrt(C[3 * k + k]);
        for (int i = 0; i < 3; i++) column[i] = i < m ? C[3 * i + k] / root : 0;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) C[3 * i + j] -= column[i] * column[j];
    }
    return count;
}

/* Adds the block of G^T D G of constraints a and b >= a, whose first columns are i and j. */
static void add_block(const trm_reduced_search *s, int a, int b, int i, int j, int active)
{
    const size_t n = (size_t)s->r->rows;
    const int rows = s->r->constraint[a]->rows, columns = s->r->constraint[b]->rows;
    const double *D = s->r->D + (size_t)s->r->first[a] * n + (size_t)s->r->first[b];
    for (int l = 0; l < s->columns[b]; l++) {
        const double *G = s->G + 9 * b + 3 * l;
        double DG[3];
        for (int r = 0; r < rows; r++) {
            DG[r] = 0;
            for (int c = 0; c < columns; c++) DG[r] += D[(size_t)r * n + (size_t)c] * G[c];
        }
        for (int k = 0; k < s->columns[a]; k++)
            for (int r = 0; r < rows; r++) s->S[(i + k) * active + j + l] += s->G[9 * a + 3 * k + r] * DG[r];
    }
}

/* Fills the upper triangle of S = I + G^T D G, and z = G^T D g. Returns the number of columns of G. */
static int fill_matrix(trm_reduced_search *s)
{
    int active = 0;
    for (int h = 0; h < s->r->constraints; h++)
        active += s->columns[h] = factor_of(s->C + 9 * h, s->r->constraint[h]->rows, s->G + 9 * h);
    memset(s->S, 0, (size_t)active * (size_t)active * sizeof *s->S);
    for (int a = 0, i = 0; a < s->r->constraints; i += s->columns[a++]) {
        for (int b = a, j = i; s->columns[a] > 0 && b < s->r->constraints; j += s->columns[b++])
            add_block(s, a, b, i, j, active);
        for (int k = 0; k < s->columns[a]; k++) {
            s->S[(i + k) * active + i + k] += 1;
            s->z[i + k] = 0;
            for (int r = 0; r < s->r->constraint[a]->rows; r++)
                s->z[i + k] += s->G[9 * a + 3 * k + r] * s->Dg[s->r->first[a] + r];
        }
    }
    return active;
}

void trm_reduced_factorise(double *S, int n)
{
    for (int k = 0; k < n; k++) {
        double *of = S + (size_t)k * (size_t)n;
        const double per_root = 1 / sqrt(larger(of[k], DBL_MIN));
        for (int j = k; j < n; j++) of[j] *= per_root;
        for (int i = k + 1; i < n; i++) {
            double *row = S + (size_t)i * (size_t)n;
            const double share = of[i];
            for (int j = i; share != 0 && j < n; j++) row[j] -= share * of[j];
        }
    }
}

void trm_reduced_solve(const double *U, int n, double *x)
{
    for (int k = 0; k < n; k++) {
        const double *row = U + (size_t)k * (size_t)n;
        x[k] /= row[k];
        for (int j = k + 1; j < n; j++) x[j] -= row[j] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *row = U + (size_t)k * (size_t)n;
        for (int j = k + 1; j < n; j++) x[k] -= row[j] * x[j];
        x[k] /= row[k];
    }
}

static void find_direction(trm_reduced_search *s)
{
    const int active = fill_matrix(s);
    trm_reduced_factorise(s->S, active);
    trm_reduced_solve(s->S, active, s->z);
    for (int i = 0; i < s->r->rows; i++) s->dp[i] = -s->g[i];
    for (int h = 0, a = 0; h < s->r->constraints; h++)
        for (int k = 0; k < s->columns[h]; k++, a++)
            for (int r = 0; r < s->r->constraint[h]->rows; r++)
                s->dp[s->r->first[h] + r] += s->G[9 * h + 3 * k + r] * s->z[a];
    trm_reduced_multiply(s->r, s->dp, s->du);
}

static double slope_at(trm_reduced_search *s, double part)
{
    double slope = 0, *u = s->Dg; /* not in use any more */
    for (int i = 0; i < s->r->rows; i++) u[i] = s->u[i] + part * s->du[i];
    obey_all(s, u, s->lambda, NULL);
    for (int i = 0; i < s->r->rows; i++) slope += s->du[i] * (s->p[i] + part * s->dp[i] - s->lambda[i]);
    return slope;
}

/* Returns the step length: all of dp, or just beyond the zero of the slope along it. */
static double length_of_step(trm_reduced_search *s)
{
    double at_start = 0;
    for (int i = 0; i < s->r->rows; i++) at_start += s->du[i] * s->g[i];
    const double enough = TRM_LEFT * fabs(at_start);
    trm_bracket b = {.high = 1, .at_low = at_start, .at_high = slope_at(s, 1)};
    double here = b.at_high;
    while (b.tries < MOST_CUTS && !(here >= 0 && here <= enough) && b.at_high > enough) {
        const double part = trm_bracket_next(&b, 4);
        here = slope_at(s, part);
        trm_bracket_update(&b, part, here);
    }
    return b.high;
}

void trm_reduced_minimise(trm_reduced_search *s)
{
    double before = INFINITY;
    s->at_rest = true;
    for (int step = 0; step < MOST_STEPS; step++) {
        const double left = find_gradient(s), rounding = 2 * TRM_GRADIENT_ROUNDING * s->R * s->fastest;
        if (left <= larger(TRM_INNER * s->r->p->tolerance, rounding)) return;
        if (left > STALLED * before && left <= 100 * rounding) return;
        before = left;
        s->steps++;
        find_direction(s);
        const double part = length_of_step(s);
        for (int i = 0; i < s->r->rows; i++) s->p[i] += part * s->dp[i];
        trm_reduced_speeds(s);
    }
    s->at_rest = false;
}
