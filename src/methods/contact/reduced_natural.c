/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves all laws of an island in contact space as one equation. It is used where rounds of multipliers (reduced.c)
 * converge slowly: for contacts that nearly stick, faces that can share a load in many ways, and slip that depends
 * on the load.
 *
 *     F = D_own (p - lambda(u)) = 0,   u = D p + c
 *
 * For a cone lambda(u) is P(p - (u + mu |u_t| n) / D_own): the natural map of De Saxce's formulation, with the slip
 * of the solution. With x = D_own p and P' the derivative of the projection
 *
 *     dF/dx = I - P' + P' K D/D_own,   K = I + n (0, mu u_t/|u_t|)^T
 *
 * is singular where several p have the same velocities. The method of Levenberg and Marquardt solves
 *
 *     (F'^T F' + nu I) dx = -F'^T F,   nu ~ |F|^2
 *
 * which converges quadratically to one of many solutions (Yamashita and Fukushima 2001). A step is halved until |F|
 * decreases.
 *
 * It stops where F is a load that moves nothing, D F = 0, and no contact slips yet: two feet of a stiff machine whose
 * drives move them apart. The impulses p - a F, a > 0, have the same velocities. The solution is among them, where the
 * load is so large that a contact slips, but F says nothing about a. So the load grows up to the first bound of a law,
 * from where the method continues. */

#include <float.h>
#include <string.h>

#include "methods/contact/newton.h"
#include "methods/contact/reduced.h"

enum { MOST_STEPS = 25, MOST_LOADS = 8, HALVINGS = 50 };
/* Smallest part of a step, and fraction of |F|^2 by which a whole step must reduce it. A larger part or gain gives
 * up early, smaller ones make very short steps. Tests pass with a tenth and with ten times of it. */
static const double LEAST_PART = 1.0 / 256, GAIN = 1e-3;
/* Fraction of F that a load may move. A larger value takes slow convergence for such a load, with a smaller one
 * rounding hides it. Tests pass with a tenth and with ten times of it. */
static const double NO_RESPONSE = 1e-3;
/* In units of F over the largest D_own: nothing bounds a load that reaches it. A larger value only costs projections,
 * with a smaller one loads of speeds near the tolerance do not grow enough. Tests pass with a tenth and with ten times
 * of it. */
static const double MOST_LOAD = 1e15;
/* Smallest nu, as a fraction of the largest diagonal entry. A larger value slows the last steps, a smaller one is
 * lost in rounding, and singular matrices stay singular. Tests pass with a tenth and with ten times of it. */
static const double LEAST_DAMPING = 1e-14;

/* Computes lambda of constraint h from impulses p and speeds u, and the derivative of its law unless C is NULL. */
static void obey(const trm_reduced_search *s, int h, const double *p, const double *u, double *lambda,
                 double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    const trm_constraint *constraint = s->r->constraint[h];
    const double lift = constraint->law == TRM_CONE   ? constraint->friction * sqrt(u[1] * u[1] + u[2] * u[2])
                        : constraint->law == TRM_DISC ? trm_disc_radius(constraint)
                                                      : 0;
    double rho[TRM_JOINT_ROWS] = {0};
    for (int i = 0; i < constraint->rows; i++) rho[i] = 1 / s->own[h];
    trm_constraint_obey(constraint, lift, p, rho, u, lambda, C);
}

/* Computes F into g. Returns the sum of its squares. */
static double find_F(trm_reduced_search *s, const double *p, const double *u)
{
    double square = 0;
    for (int h = 0; h < s->r->constraints; h++) {
        const int first = s->r->first[h];
        double lambda[TRM_JOINT_ROWS] = {0};
        if (s->own[h] > 0) obey(s, h, p + first, u + first, lambda, NULL);
        for (int i = 0; i < s->r->constraint[h]->rows; i++) {
            const double F = s->own[h] > 0 ? s->own[h] * (p[first + i] - lambda[i]) : 0;
            s->g[first + i] = F;
            square += F * F;
        }
    }
    return square;
}

/* Fills the rows of F' of constraint h. C = P'/D_own, for a pull dt slope. */
static void fill_rows(const trm_reduced_search *s, int h, double *J)
{
    const trm_constraint *constraint = s->r->constraint[h];
    const int first = s->r->first[h], m = constraint->rows, n = s->r->rows;
    const double *u = s->u + first;
    double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS];
    obey(s, h, s->p + first, u, lambda, C);
    const double slip = constraint->law == TRM_CONE ? sqrt(u[1] * u[1] + u[2] * u[2]) : 0;
    for (int i = 0; i < m; i++) {
        double *row = J + (size_t)(first + i) * (size_t)n;
        for (int k = 0; k < m; k++) {
            const double K = C[i][k] + (slip > 0 && k > 0 ? C[i][0] * constraint->friction * u[k] / slip : 0);
            const double *D = s->r->D + (size_t)(first + k) * (size_t)n;
            for (int c = 0; K != 0 && c < n; c++) row[c] += s->own[h] * K * D[c];
        }
    }
}

/* Fills F' with respect to x. */
static void fill_slope(const trm_reduced_search *s, double *J)
{
    const int n = s->r->rows;
    memset(J, 0, (size_t)n * (size_t)n * sizeof *J);
    for (int h = 0; h < s->r->constraints; h++)
        if (s->own[h] > 0) fill_rows(s, h, J);
    for (int h = 0; h < s->r->constraints; h++) {
        const trm_constraint *constraint = s->r->constraint[h];
        const int first = s->r->first[h];
        const double per_own = s->own[h] > DBL_MIN ? 1 / s->own[h] : 0;
        double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS];
        for (int r = 0; r < n; r++)
            for (int k = first; k < first + constraint->rows; k++) J[(size_t)r * (size_t)n + (size_t)k] *= per_own;
        if (s->own[h] > 0) obey(s, h, s->p + first, s->u + first, lambda, C);
        for (int i = 0; i < constraint->rows; i++)
            for (int k = 0; k < constraint->rows; k++) {
                const double slope = s->own[h] > 0 && constraint->law != TRM_PULL ? s->own[h] * C[i][k] : 0;
                J[(size_t)(first + i) * (size_t)n + (size_t)(first + k)] += (i == k) - slope;
            }
    }
}

/* Fills the upper triangle of F'^T F' + nu I in S, and -F'^T F in dp. */
static void fill_normal(trm_reduced_search *s, const double *J, double part)
{
    const size_t n = (size_t)s->r->rows;
    double largest = 0;
    memset(s->S, 0, n * n * sizeof *s->S);
    memset(s->dp, 0, n * sizeof *s->dp);
    for (size_t r = 0; r < n; r++) {
        const double *row = J + r * n;
        for (size_t i = 0; i < n; i++) {
            const double by = row[i];
            for (size_t k = i; by != 0 && k < n; k++) s->S[i * n + k] += by * row[k];
            s->dp[i] -= by * s->g[r];
        }
    }
    for (size_t i = 0; i < n; i++) largest = s->S[i * n + i] > largest ? s->S[i * n + i] : largest;
    for (size_t i = 0; i < n; i++) s->S[i * n + i] += largest * fmax(part, LEAST_DAMPING);
}

/* Converts the step from x to p. */
static void scale_step(trm_reduced_search *s)
{
    for (int h = 0; h < s->r->constraints; h++)
        for (int i = s->r->first[h]; i < s->r->first[h] + s->r->constraint[h]->rows; i++)
            s->dp[i] = s->own[h] > DBL_MIN ? s->dp[i] / s->own[h] : 0;
}

/* Moves p and u by a part of dp. Returns the new |F|^2, or the old one if no part of the step reduces it. */
static double take_step(trm_reduced_search *s, double before)
{
    const size_t n = (size_t)s->r->rows;
    double *p = s->z, *u = s->Dg;
    trm_reduced_multiply(s->r, s->dp, s->du);
    for (double part = 1; part >= LEAST_PART; part *= 0.5) {
        for (size_t i = 0; i < n; i++) p[i] = s->p[i] + part * s->dp[i], u[i] = s->u[i] + part * s->du[i];
        const double now = find_F(s, p, u);
        if (!(now < (1 - GAIN * part) * before)) continue;
        memcpy(s->p, p, n * sizeof *p);
        trm_reduced_speeds(s);
        return find_F(s, s->p, s->u);
    }
    return before;
}

/* Replaces p by lambda(u): open contacts have no impulse, slipping contacts are on their cones. */
static void take_lambda(trm_reduced_search *s)
{
    for (int h = 0; h < s->r->constraints; h++) {
        const int first = s->r->first[h];
        double lambda[TRM_JOINT_ROWS] = {0};
        if (s->own[h] > 0) obey(s, h, s->p + first, s->u + first, lambda, NULL);
        memcpy(s->p + first, lambda, (size_t)s->r->constraint[h]->rows * sizeof *lambda);
        memcpy(s->r->constraint[h]->lambda, lambda, (size_t)s->r->constraint[h]->rows * sizeof *lambda);
    }
    trm_reduced_speeds(s);
}

/* ---- Loads that move nothing --------------------------------------------------------------- */

/* Computes p + part dp, projected onto the laws, into z. Returns whether a law has changed it. */
static bool project_load(trm_reduced_search *s, double part)
{
    static const double none[TRM_JOINT_ROWS] = {0};
    bool changed = false;
    for (int h = 0; h < s->r->constraints; h++) {
        const trm_constraint *constraint = s->r->constraint[h];
        const int first = s->r->first[h];
        double p[TRM_JOINT_ROWS] = {0}, lift = 0;
        for (int i = 0; i < constraint->rows; i++) p[i] = s->p[first + i] + part * s->dp[first + i];
        memcpy(s->z + first, p, (size_t)constraint->rows * sizeof *p);
        if (constraint->law == TRM_PULL || !(s->own[h] > 0)) continue;
        if (constraint->law == TRM_DISC) lift = trm_disc_radius(constraint);
        trm_constraint_obey(constraint, lift, p, none, s->u + first, s->z + first, NULL);
        changed = changed || memcmp(s->z + first, p, (size_t)constraint->rows * sizeof *p) != 0;
    }
    return changed;
}

/* Lets a load that moves nothing grow to the first bound of a law. Returns false if F is no such load, or nothing
 * bounds it. */
static bool grow_load(trm_reduced_search *s)
{
    double own = 0, most = 0, moved = 0, low = 0, high = 1;
    find_F(s, s->p, s->u);
    for (int h = 0; h < s->r->constraints; h++) own = fmax(own, s->own[h]);
    for (int i = 0; i < s->r->rows; i++) s->dp[i] = -s->g[i] / own, most = fmax(most, fabs(s->g[i]));
    trm_reduced_multiply(s->r, s->dp, s->du);
    for (int i = 0; i < s->r->rows; i++) moved = fmax(moved, fabs(s->du[i]));
    if (!(moved <= NO_RESPONSE * most)) return false;
    while (!project_load(s, high) && high < MOST_LOAD) low = high, high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        *(project_load(s, middle) ? &high : &low) = middle;
    }
    if (!project_load(s, high)) return false;
    memcpy(s->p, s->z, (size_t)s->r->rows * sizeof *s->p);
    trm_reduced_speeds(s);
    return true;
}

/* ---- All ----------------------------------------------------------------------------------- */

/* Makes steps from the present p and u. Returns |F|^2. */
static double make_steps(trm_reduced_search *s, double good)
{
    const double scale = fmax(s->fastest, DBL_MIN) * fmax(s->fastest, DBL_MIN);
    double left = find_F(s, s->p, s->u);
    for (int step = 0; step < MOST_STEPS && left > 0.01 * good * good; step++) {
        fill_slope(s, s->J);
        fill_normal(s, s->J, left / scale);
        trm_reduced_factorise(s->S, s->r->rows);
        trm_reduced_solve(s->S, s->r->rows, s->dp);
        scale_step(s);
        s->steps++;
        const double now = take_step(s, left);
        if (!(now < left)) break;
        left = now;
    }
    return left;
}

void trm_reduced_natural(trm_reduced_search *s, double good)
{
    for (int load = 0; make_steps(s, good) > 0.01 * good * good && load < MOST_LOADS && grow_load(s); load++) {
    }
    take_lambda(s);
}
