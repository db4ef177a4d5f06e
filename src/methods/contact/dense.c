/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves a small island by its dense matrix. It is used where Newton's method on velocities does not converge, for
 * example for jammed contacts or bodies with very small moments of inertia.
 *
 * With the responses W = J M^-1 J^T of all rows, those of joints E and of contacts C,
 *
 *     u_E = e + W_EE l + W_EC p = 0   ->   l = -W_EE^-1 (e + W_EC p)
 *     u_C = (c - W_CE W_EE^-1 e) + (W_CC - W_CE W_EE^-1 W_EC) p
 *
 * is a problem in the impulses p of the contacts alone, the same as an impact without restitution (impact.h). Its
 * solution follows the slip during the impact. Sweeps over the contacts then lead to the law at the end of the step
 * itself (De Saxce's, problem.c), and joints are refined. A velocity-dependent force with the slope D at the
 * present rate is a row of E with 1/D on the diagonal. */

#include <string.h>

#include "linalg/dense.h"
#include "methods/contact/cone.h"
#include "methods/contact/impact.h"
#include "methods/contact/problem.h"

enum { MOST_CONTACTS = 30, MOST_JOINT_ROWS = 150, MOST_SWEEPS = 2000, REFINEMENTS = 2 };
/* This fraction of its diagonal is added to W_EE, so that rows may be redundant. If it is ten times larger, solvers
 * differ by more than their tolerance (test unit_contact_problem); with a smaller one redundant rows make W_EE
 * singular. */
static const double SOFT = 1e-11;
/* Contacts are solved at least to this fraction of the accepted accuracy. A larger value leaves no reserve for the
 * check that follows, a smaller one only costs rounds. Tests pass with a tenth and with ten times of it. */
static const double OF_ENOUGH = 0.1;

typedef struct table {
    const trm_problem *p;
    const trm_problem_island *island;
    int rows, joint_rows, contacts;    /* joints first, then contacts */
    const trm_constraint **constraint; /* constraint of each row */
    int *index;                        /* number of each row in its constraint */
    double *W, *u;                     /* rows x rows, rows: responses, and speeds without any impulse */
    trm_spatial *start;                /* per body of the island: velocity without any impulse */
    double *block, *X;                 /* W_EE and its inverse */
    double *Y;                         /* W_EE^-1 (W_EC, e): joint rows x (contact rows + 1) */
    double *D, *c, *impulse;           /* of the contacts alone */
    double *free;                      /* c before any impulse */
    double *best, *room;               /* impulses, during sweeps */
    trm_impact *impacts;
} table;

static int contact_rows(const table *t)
{
    return 3 * t->contacts;
}

/* Counts rows. Returns false if there are too many, or no contact. */
static bool count_rows(table *t)
{
    for (int i = 0; i < t->island->constraint_count; i++) {
        const trm_constraint *constraint = &t->p->constraints[t->island->constraints[i]];
        if (constraint->law == TRM_BOUNDED || constraint->law == TRM_DISC) return false; /* not supported here */
        if (constraint->law == TRM_CONE)
            t->contacts++;
        else
            t->joint_rows += constraint->rows;
    }
    t->rows = t->joint_rows + contact_rows(t);
    return t->contacts > 0 && t->contacts <= MOST_CONTACTS && t->joint_rows <= MOST_JOINT_ROWS;
}

static bool make_table(table *t)
{
    trm_arena *a = t->p->arena;
    const size_t n = (size_t)t->rows, e = (size_t)t->joint_rows, k = (size_t)contact_rows(t);
    t->constraint = TRM_NEW_ARRAY(a, const trm_constraint *, n);
    t->index = TRM_NEW_ARRAY(a, int, n);
    t->W = TRM_NEW_ARRAY(a, double, n *n);
    t->start = TRM_NEW_ARRAY(a, trm_spatial, t->island->body_count);
    t->u = TRM_NEW_ARRAY(a, double, n);
    t->block = TRM_NEW_ARRAY(a, double, e *e);
    t->X = TRM_NEW_ARRAY(a, double, e *e);
    t->Y = TRM_NEW_ARRAY(a, double, e *(k + 1));
    t->D = TRM_NEW_ARRAY(a, double, k *k);
    t->c = TRM_NEW_ARRAY(a, double, k);
    t->impulse = TRM_NEW_ARRAY(a, double, k);
    t->free = TRM_NEW_ARRAY(a, double, k);
    t->best = TRM_NEW_ARRAY(a, double, k);
    t->room = TRM_NEW_ARRAY(a, double, k);
    t->impacts = TRM_NEW_ARRAY(a, trm_impact, t->contacts);
    return t->constraint && t->index && t->W && t->start && t->u && t->block && t->X && t->Y && t->D && t->c &&
           t->impulse && t->free && t->best && t->room && t->impacts;
}

static void list_rows(table *t)
{
    int joint = 0, contact = t->joint_rows;
    for (int i = 0; i < t->island->constraint_count; i++) {
        const trm_constraint *constraint = &t->p->constraints[t->island->constraints[i]];
        int *place = constraint->law == TRM_CONE ? &contact : &joint;
        if (constraint->law == TRM_CONE)
            t->impacts[(contact - t->joint_rows) / 3] = (trm_impact){.friction = constraint->friction};
        for (int r = 0; r < constraint->rows; r++, (*place)++)
            t->constraint[*place] = constraint, t->index[*place] = r;
    }
}

static double response(const table *t, int r, int s)
{
    const trm_constraint *a = t->constraint[r], *b = t->constraint[s];
    double sum = 0;
    for (int k = 0; k < a->bodies; k++)
        for (int l = 0; l < b->bodies; l++)
            if (a->body[k] == b->body[l])
                sum += trm_sp_dot(a->J[t->index[r] * a->bodies + k], b->W[t->index[s] * b->bodies + l]);
    return sum;
}

static void remove_impulses(table *t)
{
    for (int i = 0; i < t->island->constraint_count; i++) {
        const trm_constraint *constraint = &t->p->constraints[t->island->constraints[i]];
        double back[TRM_JOINT_ROWS];
        for (int r = 0; r < constraint->rows; r++) back[r] = -constraint->lambda[r];
        trm_constraint_apply_impulse(constraint, back, t->p->V);
    }
}

/* Adds u + l/D = u_now + l_now/D, with l from the law at the present rate. */
static void soften_pull(table *t, int row, double rate)
{
    const trm_constraint *constraint = t->constraint[row];
    const double D = constraint->dt * trm_force_slope(constraint->pull, rate),
                 l = constraint->dt * trm_force_pull(constraint->pull, rate);
    const double own = t->W[row * t->rows + row], per = 1 / fmax(D, 1e-12 / (own > 0 ? own : 1));
    t->W[row * t->rows + row] += per;
    t->u[row] -= rate + l * per;
}

static void fill_table(table *t)
{
    const int n = t->rows;
    double rate[MOST_JOINT_ROWS];
    for (int r = 0; r < t->joint_rows; r++) {
        double u[TRM_JOINT_ROWS];
        trm_constraint_speeds(t->constraint[r], t->p->V, u);
        rate[r] = u[t->index[r]];
    }
    remove_impulses(t);
    for (int i = 0; i < t->island->body_count; i++) t->start[i] = t->p->V[t->island->bodies[i]];
    for (int r = 0; r < n; r++) {
        double u[TRM_JOINT_ROWS];
        trm_constraint_speeds(t->constraint[r], t->p->V, u);
        t->u[r] = u[t->index[r]];
        for (int s = 0; s <= r; s++) t->W[r * n + s] = t->W[s * n + r] = response(t, r, s);
    }
    for (int r = 0; r < t->joint_rows; r++) {
        if (t->constraint[r]->law == TRM_PULL) soften_pull(t, r, rate[r]);
        t->W[r * n + r] *= 1 + SOFT;
        if (!(t->W[r * n + r] > 0)) t->W[r * n + r] = 1; /* a row that moves nothing */
    }
}

/* Computes W_EE^-1 and its products. Returns false if W_EE is singular. */
static bool eliminate_joints(table *t)
{
    const int n = t->rows, e = t->joint_rows, k = contact_rows(t);
    for (int r = 0; r < e; r++)
        for (int s = 0; s < e; s++) t->block[r * e + s] = t->W[r * n + s];
    if (e > 0 && !trm_dense_inverse_positive(t->block, e, t->X)) return false;
    for (int r = 0; r < e; r++)
        for (int c = 0; c <= k; c++) {
            double sum = 0;
            for (int s = 0; s < e; s++) sum += t->X[r * e + s] * (c < k ? t->W[s * n + e + c] : t->u[s]);
            t->Y[r * (k + 1) + c] = sum;
        }
    for (int r = 0; r < k; r++)
        for (int c = 0; c <= k; c++) {
            double sum = c < k ? t->W[(e + r) * n + e + c] : t->u[e + r];
            for (int s = 0; s < e; s++) sum -= t->W[(e + r) * n + s] * t->Y[s * (k + 1) + c];
            *(c < k ? &t->D[r * k + c] : &t->c[r]) = sum;
        }
    return true;
}

/* Sets lambda of all rows and applies it to V. */
static void apply_impulses(table *t)
{
    const int e = t->joint_rows, k = contact_rows(t);
    for (int r = 0; r < t->rows; r++) {
        double change[TRM_JOINT_ROWS] = {0}, *l = &change[t->index[r]];
        if (r >= e) *l = t->impulse[r - e];
        for (int c = 0; r < e && c <= k; c++) *l -= t->Y[r * (k + 1) + c] * (c < k ? t->impulse[c] : 1);
        trm_constraint_apply_impulse(t->constraint[r], change, t->p->V);
    }
}

/* Solves one contact while all others keep their impulses. Returns its residual before, m/s. */
static double relax_contact(table *t, int contact)
{
    const int k = contact_rows(t), first = 3 * contact;
    double u[3], own = 0, y[3], p[3], change = 0;
    for (int r = 0; r < 3; r++) {
        u[r] = t->free[first + r];
        for (int c = 0; c < k; c++) u[r] += t->D[(first + r) * k + c] * t->impulse[c];
        own += t->D[(first + r) * k + first + r]; /* at least its largest eigenvalue */
    }
    if (!(own > 0)) return 0;
    u[0] += t->impacts[contact].friction * sqrt(u[1] * u[1] + u[2] * u[2]);
    for (int r = 0; r < 3; r++) y[r] = t->impulse[first + r] - u[r] / own;
    trm_cone_project(t->impacts[contact].friction, y, p);
    for (int r = 0; r < 3; r++) {
        change = fmax(change, own * fabs(p[r] - t->impulse[first + r]));
        t->impulse[first + r] = p[r];
    }
    return change;
}

/* Sweeps over the contacts and keeps the best impulses of all sweeps, because sweeps may not converge where
 * contacts nearly jam. */
static void sweep_contacts(table *t)
{
    const size_t bytes = (size_t)contact_rows(t) * sizeof *t->impulse;
    double left = INFINITY;
    for (int sweep = 0; sweep < MOST_SWEEPS && left > t->p->tolerance; sweep++) {
        double change = 0;
        memcpy(t->room, t->impulse, bytes);
        for (int i = 0; i < t->contacts; i++) change = fmax(change, relax_contact(t, i));
        if (change < left) left = change, memcpy(t->best, t->room, bytes);
    }
    memcpy(t->impulse, t->best, bytes);
}

/* Refines the impulses of joints that are not quite closed by l -= W_EE^-1 u_E. Velocity-dependent forces do not
 * change. */
static void refine_joints(table *t)
{
    double u[MOST_JOINT_ROWS];
    const int e = t->joint_rows;
    for (int r = 0; r < e; r++) {
        double speeds[TRM_JOINT_ROWS];
        trm_constraint_speeds(t->constraint[r], t->p->V, speeds);
        u[r] = t->constraint[r]->law == TRM_CLOSED ? speeds[t->index[r]] : 0;
    }
    for (int r = 0; r < e; r++) {
        double change[TRM_JOINT_ROWS] = {0};
        for (int s = 0; s < e; s++) change[t->index[r]] -= t->X[r * e + s] * u[s];
        trm_constraint_apply_impulse(t->constraint[r], change, t->p->V);
    }
}

static bool is_obeyed(const table *t)
{
    for (int i = 0; i < t->island->constraint_count; i++) {
        const trm_constraint *constraint = &t->p->constraints[t->island->constraints[i]];
        const double enough = constraint->law == TRM_CLOSED ? t->p->enough_closed : t->p->enough;
        if (!(trm_constraint_residual(constraint, t->p->V) <= enough)) return false;
    }
    return true;
}

/* If the result is not finite, restores the velocities without impulses and sets all impulses to zero. */
static void clear_if_not_finite(table *t)
{
    const trm_problem_island *island = t->island;
    double sum = 0;
    for (int i = 0; i < island->body_count; i++) {
        const trm_spatial V = t->p->V[island->bodies[i]];
        sum += 0 * (trm_sp_dot(V, V));
    }
    if (!isnan(sum)) return;
    for (int i = 0; i < island->body_count; i++) t->p->V[island->bodies[i]] = t->start[i];
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &t->p->constraints[island->constraints[i]];
        memset(constraint->lambda, 0, (size_t)constraint->rows * sizeof *constraint->lambda);
    }
}

static trm_solved solve_table(table *t)
{
    bool guarded;
    list_rows(t);
    fill_table(t);
    if (!eliminate_joints(t)) return TRM_NOT_SOLVED;
    memcpy(t->free, t->c, (size_t)contact_rows(t) * sizeof *t->c);
    const trm_impact_points points = {t->impacts, t->contacts, t->D, OF_ENOUGH * t->p->enough};
    if (!trm_impact_together(&points, t->c, t->impulse, t->p->arena, &guarded)) return TRM_SOLVE_NO_MEMORY;
    sweep_contacts(t);
    apply_impulses(t);
    for (int i = 0; i < REFINEMENTS; i++) refine_joints(t);
    clear_if_not_finite(t);
    return is_obeyed(t) ? TRM_SOLVED : TRM_NOT_SOLVED;
}

trm_solved trm_problem_dense(const trm_problem *problem, const trm_problem_island *island)
{
    table t = {.p = problem, .island = island};
    if (!count_rows(&t)) return TRM_NOT_SOLVED;
    const trm_arena_mark mark = trm_arena_get_mark(problem->arena);
    const trm_solved solved = make_table(&t) ? solve_table(&t) : TRM_SOLVE_NO_MEMORY;
    trm_arena_reset(problem->arena, mark);
    return solved;
}
