/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Eliminates the joints of an island from its problem (reduced.c).
 *
 * With the rows J of joints and W = M^-1 J^T,   A = J W   is factorised once. The response of the machine to a unit
 * impulse along a row j of a contact is
 *
 *     dV = w_j - W A^-1 (J w_j),   w_j = M^-1 j^T;      D_ij = j_i dV_j,   c_i = j_i V_0 + b_i
 *
 * V_0 are the velocities without contact impulses, with joints closed. A pull that is linear in its rate, l = a - k
 * u, is a joint with compliance:  u + l/k - a/k = 0,  which adds 1/k to the diagonal of A. A pull with a limit is
 * such a joint while it stays within the limit.
 *
 * Redundant rows of joints make A singular. S, the fraction SOFT of its diagonal, is added to A, and every solution
 * is refined with the rows themselves. These are proximal iterations (Carpentier, Budhiraja, Mansard 2021), which
 * lead to multipliers of least norm, and stop where rows contradict each other. Two of them give, with y_j = (A +
 * S)^-1 J w_j,
 *
 *     D_ij = j_i w_j - (J w_i) . y_j - y_i S y_j
 *
 * All joints of a body meet in A. As in smooth steps, hubs are cut into slices with glue between them
 * (maximal/direct.h), which leaves multipliers and velocities as they are and makes A sparse. All slices of a body
 * have its velocity, so the right sides of glue are zero. */

#include "methods/contact/reduced.h"

#include <string.h>

/* Fraction of its diagonal that is added to A. A larger value opens joints by as much, a smaller one makes
 * redundant joints singular. Tests pass with a tenth and with ten times of it. */
static const double SOFT = 1e-9;
/* A pull that starts above this fraction of its limit may reach it. A larger value misses forces that reach their
 * limit, and the solution is repeated; a smaller one keeps more rows than needed. Tests pass with a tenth and with
 * ten times of it. */
static const double NEAR_LIMIT = 0.5;
/* Joints that open more slowly than this fraction of the tolerance are closed. A larger value leaves joints that
 * open within the tolerance, a smaller one adds a refinement that changes only rounding. Tests pass with a tenth
 * and with ten times of it. */
static const double CLOSED = 0.01;
enum { REFINEMENTS = 6 };

/* ---- Pulls -------------------------------------------------------------------------------- */

/* Returns k of l = a - k u. */
static double slope_of(const trm_constraint *constraint)
{
    return constraint->dt * (constraint->pull->damping + constraint->pull->brake);
}

/* Returns a of l = a - k u. */
static double constant_of(const trm_constraint *constraint)
{
    const trm_force_row *pull = constraint->pull;
    return constraint->dt * (pull->push - pull->stiffness * pull->c - pull->damping * pull->c_t);
}

/* Returns the force to which the limit applies at a rate u, N or N m. */
static double limited_pull(const trm_constraint *constraint, double u)
{
    const trm_force_row *pull = constraint->pull;
    return pull->push - pull->stiffness * pull->c - pull->damping * (u + pull->c_t);
}

static bool is_eliminated(const trm_reduced *r, const trm_constraint *constraint)
{
    if (constraint->law == TRM_CLOSED) return true;
    if (constraint->law != TRM_PULL || !(slope_of(constraint) > 0)) return false;
    if (isinf(constraint->pull->most)) return true;
    double u;
    trm_constraint_speeds(constraint, r->p->V, &u);
    return !r->limits_apart && fabs(limited_pull(constraint, u)) < NEAR_LIMIT * constraint->pull->most;
}

bool trm_reduced_passes_limit(const trm_reduced *r)
{
    for (int j = 0; j < r->joints; j++) {
        const trm_constraint *constraint = r->joint[j];
        if (constraint->law != TRM_PULL) continue;
        double u;
        trm_constraint_speeds(constraint, r->p->V, &u);
        if (fabs(limited_pull(constraint, u)) > constraint->pull->most) return true;
    }
    return false;
}

/* ---- Making ------------------------------------------------------------------------------- */

static void list_constraints(trm_reduced *r)
{
    const trm_problem_island *island = &r->island;
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &r->p->constraints[island->constraints[i]];
        for (int k = 0; k < constraint->bodies; k++) r->slot[constraint->body[k]] = -1;
        if (is_eliminated(r, constraint)) {
            r->joint[r->joints++] = constraint;
            r->joint_rows += constraint->rows;
        } else {
            r->first[r->constraints] = r->rows;
            r->constraint[r->constraints++] = constraint;
            r->rows += constraint->rows;
        }
    }
    for (int i = 0; i < island->body_count; i++) r->slot[island->bodies[i]] = i;
}

/* Lists the ends of joints at each body of the island. A gear between two hosts may have two ends at one body. Returns
 * false if out of memory. */
static bool list_ends(trm_reduced *r)
{
    const int bodies = r->island.body_count;
    int *first = r->ends.first = TRM_NEW_ARRAY(r->arena, int, bodies + 2);
    r->ends.bodies = bodies, r->ends.body = r->island.bodies;
    if (!first) return false;
    for (int fill = 0; fill < 2; fill++) {
        for (int j = 0; j < r->joints; j++)
            for (int k = 0; k < r->joint[j]->bodies; k++) {
                const int slot = r->slot[r->joint[j]->body[k]];
                if (slot >= 0 && fill) r->ends.list[first[slot]++] = (trm_direct_end){j, k};
                if (slot >= 0 && !fill) first[slot + 1]++;
            }
        if (fill) break;
        for (int i = 0; i < bodies; i++) first[i + 1] += first[i];
        r->ends.list = TRM_NEW_ARRAY(r->arena, trm_direct_end, first[bodies] + 1);
        if (!r->ends.list) return false;
    }
    for (int i = bodies; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
    return true;
}

static bool list_stored_contacts(trm_reduced *r)
{
    r->involved_at = TRM_NEW_ROOM(r->arena, int, r->island.body_count);
    r->involved_slot = TRM_NEW_ROOM(r->arena, int, r->island.body_count);
    if (!r->involved_at || !r->involved_slot) return false;
    for (int i = 0; i < r->island.body_count; i++) r->involved_at[i] = -1;
    for (int h = 0; h < r->constraints; h++)
        for (int k = 0; k < r->constraint[h]->bodies; k++) {
            const int slot = r->slot[r->constraint[h]->body[k]];
            if (slot < 0 || r->involved_at[slot] >= 0) continue;
            r->involved_slot[r->involved] = slot;
            r->involved_at[slot] = r->involved++;
        }
    return true;
}

static bool make_workspace(trm_reduced *r)
{
    trm_arena *a = r->arena;
    const size_t m = (size_t)r->island.constraint_count;
    r->slot = TRM_NEW_ROOM(a, int, r->p->body_count);
    r->joint = TRM_NEW_ARRAY(a, const trm_constraint *, m);
    r->constraint = TRM_NEW_ARRAY(a, const trm_constraint *, m);
    r->first = TRM_NEW_ARRAY(a, int, m);
    if (!r->slot || !r->joint || !r->constraint || !r->first) return false;
    list_constraints(r);
    if (!list_ends(r) || !list_stored_contacts(r)) return false;
    const size_t n = (size_t)r->rows, bodies = (size_t)r->island.body_count;
    r->compliance = TRM_NEW_ARRAY(a, double, r->joint_rows);
    r->l = TRM_NEW_ARRAY(a, double, r->joint_rows);
    r->V = TRM_NEW_ARRAY(a, trm_spatial, bodies);
    r->response = TRM_NEW_ROOM(a, trm_spatial, n * (size_t)r->involved);
    r->D = TRM_NEW_ROOM(a, double, n *n);
    r->c = TRM_NEW_ARRAY(a, double, n);
    return r->compliance && r->l && r->V && r->response && r->D && r->c;
}

/* ---- Joints ------------------------------------------------------------------------------- */

/* Lists the blocks of A: joints, then glue, of which each slice has the whole response of the body; its weight counts
 * the slices. Returns NULL if out of memory. */
static trm_direct_block *list_blocks(const trm_reduced *r, int glue_count, trm_arena *scratch)
{
    trm_direct_block *blocks = TRM_NEW_ARRAY(scratch, trm_direct_block, r->joints + glue_count + 1);
    trm_direct_glue *glue = TRM_NEW_ARRAY(scratch, trm_direct_glue, glue_count + 1);
    if (!blocks || !glue) return NULL;
    for (int j = 0; j < r->joints; j++) {
        const trm_constraint *h = r->joint[j];
        blocks[j] = (trm_direct_block){h->J, h->W, h->rows, h->bodies, 0};
    }
    trm_direct_make_glue(&r->ends, glue, blocks + r->joints);
    for (int g = 0; g < glue_count; g++)
        for (int i = 0; i < 12; i++) {
            const trm_spatial F = glue[g].J[i];
            const int body = glue[g].body;
            glue[g].W[i] = trm_sp(trm_mat_vec(r->p->inverse_inertia[body], F.ang),
                                  trm_v3_scale(r->p->bodies[body].inverse_mass, F.lin));
        }
    return blocks;
}

/* Computes A of joints and glue. Returns false if out of memory. */
static bool compute_matrix(trm_reduced *r, trm_arena *scratch)
{
    const int glue_count = trm_direct_count_glue(&r->ends);
    trm_direct_block *blocks = list_blocks(r, glue_count, scratch);
    trm_direct_elements elements;
    if (!blocks || !trm_direct_make_elements(&r->ends, r->joints, scratch, &elements) ||
        !trm_direct_make_sparse(&elements, blocks, r->joints + glue_count, r->arena, scratch, &r->A))
        return false;
    trm_direct_fill_sparse(&r->A, blocks);
    const size_t n = (size_t)r->A.symbolic.rows;
    r->x = TRM_NEW_ARRAY(r->arena, double, n);
    r->softening = TRM_NEW_ARRAY(r->arena, double, n);
    r->multiplier = TRM_NEW_ARRAY(r->arena, double, (size_t)r->rows *n);
    return r->x && r->softening && r->multiplier;
}

/* Adds compliance and SOFT to the diagonal. */
static void soften(trm_reduced *r, int joint, const double *compliance)
{
    const int m = r->joint[joint]->rows;
    double *block = r->A.values + r->A.symbolic.pivot[r->A.symbolic.position[joint]];
    for (int i = 0; i < m; i++) {
        double *own = &block[i * m + i];
        *own += compliance[i];
        r->softening[trm_reduced_first_row(r, joint) + i] = *own > 0 ? SOFT * *own : 0;
        *own = *own > 0 ? (1 + SOFT) * *own : 1; /* otherwise a row that moves nothing */
    }
}

/* Computes A and factorises it, with workspace that the problem releases. No row is ever dropped. Returns false if out
 * of memory. */
static bool factorise(trm_reduced *r)
{
    trm_arena *scratch = r->p->arena;
    if (!compute_matrix(r, scratch)) return false;
    double *scale = TRM_NEW_ARRAY(scratch, double, r->A.symbolic.rows);
    bool *dropped = TRM_NEW_ARRAY(scratch, bool, r->A.symbolic.rows);
    if (!scale || !dropped) return false;
    for (int j = 0, row = 0; j < r->joints; row += r->joint[j++]->rows) {
        if (r->joint[j]->law == TRM_PULL) r->compliance[row] = 1 / slope_of(r->joint[j]);
        soften(r, j, r->compliance + row);
    }
    trm_block_factorise(&r->A.symbolic, r->A.values, scale, dropped);
    return true;
}

/* Returns J V + b of row i of an eliminated constraint. */
static double speed_of(const trm_reduced *r, const trm_constraint *h, int i, const trm_spatial *V)
{
    double u = h->law == TRM_PULL ? -constant_of(h) / slope_of(h) : h->b ? h->b[i] : 0;
    for (int k = 0; k < h->bodies; k++) {
        const int slot = r->slot[h->body[k]];
        u += trm_sp_dot(h->J[i * h->bodies + k], slot >= 0 ? V[slot] : r->p->V[h->body[k]]);
    }
    return u;
}

/* Computes x = J V + b + l compliance, 0 for glue. Returns the largest, m/s. */
static double joint_residuals(const trm_reduced *r, const trm_spatial *V, const double *l)
{
    double most = 0;
    memset(r->x, 0, (size_t)r->A.symbolic.rows * sizeof *r->x);
    for (int j = 0, row = 0; j < r->joints; row += r->joint[j++]->rows) {
        const trm_constraint *h = r->joint[j];
        double *x = r->x + trm_reduced_first_row(r, j);
        for (int i = 0; i < h->rows; i++) {
            x[i] = speed_of(r, h, i, V) + r->compliance[row + i] * l[row + i];
            most = fabs(x[i]) > most ? fabs(x[i]) : most;
        }
    }
    return most;
}

/* Subtracts x from l and applies the change to V. */
static void apply_to_joints(const trm_reduced *r, trm_spatial *V, double *l)
{
    for (int j = 0, row = 0; j < r->joints; row += r->joint[j++]->rows) {
        const trm_constraint *h = r->joint[j];
        const double *x = r->x + trm_reduced_first_row(r, j);
        for (int i = 0; i < h->rows; i++) l[row + i] -= x[i];
        for (int k = 0; k < h->bodies; k++) {
            const int slot = r->slot[h->body[k]];
            for (int i = 0; slot >= 0 && i < h->rows; i++)
                V[slot] = trm_sp_add_scaled(V[slot], -x[i], h->W[i * h->bodies + k]);
        }
    }
}

/* Closes joints as far as possible: rows that contradict each other stay open. */
static void close_joints(const trm_reduced *r, trm_spatial *V, double *l)
{
    double before = INFINITY;
    for (int i = 0; i < REFINEMENTS; i++) {
        const double left = joint_residuals(r, V, l);
        if (left <= CLOSED * r->p->tolerance || !(left < 0.5 * before)) return;
        trm_block_solve(&r->A.symbolic, r->A.values, r->x);
        apply_to_joints(r, V, l);
        before = left;
    }
}

/* ---- Contact space ------------------------------------------------------------------------ */

/* Adds J w of the joints at a body whose velocity a constraint changes by w. */
static void add_to_joints(const trm_reduced *r, int slot, trm_spatial w, double *x)
{
    for (int n = r->ends.first[slot]; n < r->ends.first[slot + 1]; n++) {
        const int j = r->ends.list[n].block, k = r->ends.list[n].slot;
        const trm_constraint *h = r->joint[j];
        double *of = x + trm_reduced_first_row(r, j);
        for (int i = 0; i < h->rows; i++) of[i] += trm_sp_dot(h->J[i * h->bodies + k], w);
    }
}

/* Returns the velocity change of a body by the impulses -x of all joints. */
static trm_spatial velocity_by_joints(const trm_reduced *r, int slot, const double *x)
{
    trm_spatial V = {{0, 0, 0}, {0, 0, 0}};
    for (int n = r->ends.first[slot]; n < r->ends.first[slot + 1]; n++) {
        const int j = r->ends.list[n].block, k = r->ends.list[n].slot;
        const trm_constraint *h = r->joint[j];
        const double *of = x + trm_reduced_first_row(r, j);
        for (int i = 0; i < h->rows; i++) V = trm_sp_add_scaled(V, -of[i], h->W[i * h->bodies + k]);
    }
    return V;
}

static void find_response(trm_reduced *r, const trm_constraint *constraint, int i, int row)
{
    trm_spatial *V = r->response + (size_t)row * (size_t)r->involved;
    double *y = r->multiplier + (size_t)row * (size_t)r->A.symbolic.rows;
    for (int k = 0; k < constraint->bodies; k++) {
        const int slot = r->slot[constraint->body[k]];
        if (slot >= 0) add_to_joints(r, slot, constraint->W[i * constraint->bodies + k], y);
    }
    if (r->joints > 0) trm_block_solve_sparse(&r->A.symbolic, r->A.values, y);
    for (int t = 0; t < r->involved; t++) V[t] = velocity_by_joints(r, r->involved_slot[t], y);
    for (int k = 0; k < constraint->bodies; k++) {
        const int slot = r->slot[constraint->body[k]];
        if (slot >= 0)
            V[r->involved_at[slot]] =
                trm_sp_add_scaled(V[r->involved_at[slot]], 1, constraint->W[i * constraint->bodies + k]);
    }
}

/* Returns the speed along row i of a constraint by a unit impulse along row s. */
static double speed_by(const trm_reduced *r, const trm_constraint *constraint, int i, size_t row, size_t s)
{
    const trm_spatial *V = r->response + s * (size_t)r->involved;
    const size_t n = (size_t)r->A.symbolic.rows;
    const double *a = r->multiplier + row * n, *b = r->multiplier + s * n;
    double sum = 0;
    for (int k = 0; k < constraint->bodies; k++) {
        const int slot = r->slot[constraint->body[k]];
        if (slot >= 0) sum += trm_sp_dot(constraint->J[i * constraint->bodies + k], V[r->involved_at[slot]]);
    }
    for (size_t j = 0; j < n; j++) sum -= a[j] * r->softening[j] * b[j];
    return sum;
}

static void find_matrix(trm_reduced *r)
{
    const size_t n = (size_t)r->rows;
    for (int h = 0; h < r->constraints; h++)
        for (int i = 0; i < r->constraint[h]->rows; i++) find_response(r, r->constraint[h], i, r->first[h] + i);
    for (int h = 0; h < r->constraints; h++)
        for (int i = 0; i < r->constraint[h]->rows; i++) {
            const size_t row = (size_t)(r->first[h] + i);
            for (size_t s = row; s < n; s++)
                r->D[row * n + s] = r->D[s * n + row] = speed_by(r, r->constraint[h], i, row, s);
        }
}

bool trm_reduced_make(trm_reduced *r)
{
    if (!make_workspace(r) || !factorise(r)) return false;
    find_matrix(r);
    return true;
}

static void find_constant(trm_reduced *r, const trm_constraint *constraint, int i, int row)
{
    r->c[row] = constraint->b ? constraint->b[i] : 0;
    for (int k = 0; k < constraint->bodies; k++) {
        const int slot = r->slot[constraint->body[k]];
        r->c[row] += trm_sp_dot(constraint->J[i * constraint->bodies + k],
                                slot >= 0 ? r->V[slot] : r->p->V[constraint->body[k]]);
    }
}

/* Removes all impulses from V of the island. */
static void remove_impulses(trm_reduced *r)
{
    for (int i = 0; i < r->island.constraint_count; i++) {
        const trm_constraint *constraint = &r->p->constraints[r->island.constraints[i]];
        for (int k = 0; k < constraint->bodies; k++) {
            trm_spatial *V = &r->p->V[constraint->body[k]];
            for (int j = 0; r->slot[constraint->body[k]] >= 0 && j < constraint->rows; j++)
                *V = trm_sp_add_scaled(*V, -constraint->lambda[j], constraint->W[j * constraint->bodies + k]);
        }
    }
}

void trm_reduced_begin(trm_reduced *r)
{
    remove_impulses(r);
    memset(r->l, 0, (size_t)r->joint_rows * sizeof *r->l);
    for (int i = 0; i < r->island.body_count; i++) r->V[i] = r->p->V[r->island.bodies[i]];
    if (r->joints > 0) close_joints(r, r->V, r->l);
    for (int h = 0; h < r->constraints; h++)
        for (int i = 0; i < r->constraint[h]->rows; i++) find_constant(r, r->constraint[h], i, r->first[h] + i);
}

static void add_impulses(trm_reduced *r, const double *p)
{
    for (int h = 0; h < r->constraints; h++)
        for (int i = 0; i < r->constraint[h]->rows; i++)
            for (int k = 0; k < r->constraint[h]->bodies; k++) {
                const trm_constraint *constraint = r->constraint[h];
                const int slot = r->slot[constraint->body[k]];
                if (slot >= 0)
                    r->V[slot] =
                        trm_sp_add_scaled(r->V[slot], p[r->first[h] + i], constraint->W[i * constraint->bodies + k]);
            }
}

void trm_reduced_apply(trm_reduced *r, const double *p)
{
    const int bodies = r->island.body_count;
    const size_t n = (size_t)r->A.symbolic.rows;
    memset(r->x, 0, n * sizeof *r->x);
    for (int s = 0; s < r->rows; s++) {
        const double *y = r->multiplier + (size_t)s * n;
        for (size_t i = 0; p[s] != 0 && i < n; i++) r->x[i] += p[s] * y[i];
    }
    add_impulses(r, p);
    apply_to_joints(r, r->V, r->l);
    if (r->joints > 0) close_joints(r, r->V, r->l);
    for (int i = 0; i < bodies; i++) r->p->V[r->island.bodies[i]] = r->V[i];
    for (int h = 0; h < r->constraints; h++)
        memcpy(r->constraint[h]->lambda, p + r->first[h], (size_t)r->constraint[h]->rows * sizeof *p);
    for (int j = 0, row = 0; j < r->joints; row += r->joint[j++]->rows)
        memcpy(r->joint[j]->lambda, r->l + row, (size_t)r->joint[j]->rows * sizeof *p);
}
