/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joints eliminated from the problem of an island (reduced.c).
 *
 * With the rows J of joints and W = M^-1 J^T,   A = J W   is factorised once. The response of the machine to a unit impulse
 * along a row j of a contact is
 *
 *     dV = w_j - W A^-1 (J w_j),   w_j = M^-1 j^T;      D_ij = j_i dV_j,   c_i = j_i V_0 + b_i
 *
 * V_0 being the velocities that joints alone make of those without impulses. Rows of joints that depend on each other make A
 * singular. It gets SOFT of its diagonal more, and every solution is refined with the rows themselves: these are proximal
 * iterations (Carpentier, Budhiraja, Mansard 2021), which lead to multipliers of least norm, and stop where rows contradict
 * each other. */

#include "methods/contact/reduced.h"

#include <string.h>

/* Of its diagonal, added to A. */
static const double SOFT = 1e-9;
/* Refinements of one solution, and of the last velocities. */
enum { REFINEMENTS = 1, LAST_REFINEMENTS = 6 };

/* ---- Making ------------------------------------------------------------------------------- */

static void list_holds(trm_reduced *r)
{
    const trm_problem_island *island = r->island;
    for (int i = 0; i < island->hold_count; i++) {
        const trm_hold *hold = &r->p->holds[island->holds[i]];
        for (int k = 0; k < hold->bodies; k++) r->slot[hold->body[k]] = -1;
        if (hold->law == TRM_CLOSED) {
            r->joint[r->joints++] = hold;
            r->joint_rows += hold->rows;
        } else {
            r->first[r->holds] = r->rows;
            r->hold[r->holds++] = hold;
            r->rows += hold->rows;
        }
    }
    for (int i = 0; i < island->body_count; i++) r->slot[island->bodies[i]] = i;
}

/* Joints of each body of the island: those of body i from first[i] to first[i + 1] - 1. */
static int *list_joints_of_bodies(const trm_reduced *r, int *first)
{
    const int bodies = r->island->body_count;
    int *of = NULL;
    for (int fill = 0; fill < 2; fill++) {
        for (int j = 0; j < r->joints; j++)
            for (int k = 0; k < r->joint[j]->bodies; k++) {
                const int slot = r->slot[r->joint[j]->body[k]];
                if (slot >= 0 && fill) of[first[slot]++] = j;
                if (slot >= 0 && !fill) first[slot + 1]++;
            }
        if (fill) break;
        for (int i = 0; i < bodies; i++) first[i + 1] += first[i];
        of = TRM_NEW_ARRAY(r->p->arena, int, first[bodies] + 1);
        if (!of) return NULL;
    }
    for (int i = bodies; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
    return of;
}

/* Joints are neighbours that have a body in common. */
static bool make_symbolic(trm_reduced *r)
{
    trm_arena *arena = r->p->arena;
    int *first_of = TRM_NEW_ARRAY(arena, int, r->island->body_count + 2);
    int *of = first_of ? list_joints_of_bodies(r, first_of) : NULL;
    int *size = TRM_NEW_ARRAY(arena, int, r->joints), *first = TRM_NEW_ARRAY(arena, int, r->joints + 1);
    if (!of || !size || !first) return false;
    size_t pairs = 0;
    for (int i = 0; i < r->island->body_count; i++) {
        const size_t n = (size_t)(first_of[i + 1] - first_of[i]);
        pairs += n * n;
    }
    int *neighbour = TRM_NEW_ARRAY(arena, int, pairs + 1), count = 0;
    if (!neighbour) return false;
    for (int j = 0; j < r->joints; j++) {
        size[j] = r->joint[j]->rows;
        first[j] = count;
        for (int k = 0; k < r->joint[j]->bodies; k++) {
            const int slot = r->slot[r->joint[j]->body[k]];
            for (int i = slot < 0 ? 0 : first_of[slot]; slot >= 0 && i < first_of[slot + 1]; i++)
                if (of[i] != j) neighbour[count++] = of[i];
        }
    }
    first[r->joints] = count;
    const trm_block_graph graph = {.blocks = r->joints, .size = size, .first = first, .neighbour = neighbour};
    return trm_block_symbolic_find(&graph, arena, &r->symbolic);
}

static bool make_room(trm_reduced *r)
{
    trm_arena *a = r->p->arena;
    const size_t m = (size_t)r->island->hold_count;
    r->slot = TRM_NEW_ROOM(a, int, r->p->body_count);
    r->joint = TRM_NEW_ARRAY(a, const trm_hold *, m);
    r->hold = TRM_NEW_ARRAY(a, const trm_hold *, m);
    r->first = TRM_NEW_ARRAY(a, int, m);
    if (!r->slot || !r->joint || !r->hold || !r->first) return false;
    list_holds(r);
    if (!make_symbolic(r)) return false;
    const size_t n = (size_t)r->rows, bodies = (size_t)r->island->body_count;
    r->values = TRM_NEW_ARRAY(a, double, r->symbolic.values);
    r->x = TRM_NEW_ARRAY(a, double, r->joint_rows);
    r->l = TRM_NEW_ARRAY(a, double, r->joint_rows);
    r->V = TRM_NEW_ARRAY(a, trm_spatial, bodies);
    r->response = TRM_NEW_ARRAY(a, trm_spatial, n * bodies);
    r->multiplier = TRM_NEW_ARRAY(a, double, n *(size_t)r->joint_rows);
    r->D = TRM_NEW_ARRAY(a, double, n *n);
    r->c = TRM_NEW_ARRAY(a, double, n);
    return r->values && r->x && r->l && r->V && r->response && r->multiplier && r->D && r->c;
}

/* ---- Joints ------------------------------------------------------------------------------- */

/* Adds J_a W_b of two joints where they share a body, into a block of the matrix. */
static void add_products(const trm_reduced *r, const trm_hold *a, const trm_hold *b, double *block, bool transposed)
{
    for (int k = 0; k < a->bodies; k++)
        for (int l = 0; l < b->bodies; l++) {
            if (a->body[k] != b->body[l] || r->slot[a->body[k]] < 0) continue;
            for (int i = 0; i < a->rows; i++)
                for (int j = 0; j < b->rows; j++)
                    block[transposed ? j * a->rows + i : i * b->rows + j] +=
                        trm_sp_dot(a->J[i * a->bodies + k], b->W[j * b->bodies + l]);
        }
}

static bool share_a_body(const trm_reduced *r, const trm_hold *a, const trm_hold *b)
{
    for (int k = 0; k < a->bodies; k++)
        for (int l = 0; l < b->bodies; l++)
            if (a->body[k] == b->body[l] && r->slot[a->body[k]] >= 0) return true;
    return false;
}

static void soften(const trm_reduced *r, int joint)
{
    const int m = r->joint[joint]->rows;
    double *block = r->values + r->symbolic.pivot[r->symbolic.position[joint]];
    for (int i = 0; i < m; i++) {
        double *own = &block[i * m + i];
        *own = *own > 0 ? (1 + SOFT) * *own : 1; /* else a row that moves nothing */
    }
}

/* A, factorised. No row is ever dropped. False: out of memory. */
static bool factorise(trm_reduced *r)
{
    double *scale = TRM_NEW_ARRAY(r->p->arena, double, r->joint_rows);
    bool *dropped = TRM_NEW_ARRAY(r->p->arena, bool, r->joint_rows);
    if (!scale || !dropped) return false;
    for (int a = 0; a < r->joints; a++)
        for (int b = 0; b <= a; b++) {
            bool transposed;
            if (!share_a_body(r, r->joint[a], r->joint[b])) continue;
            double *block = r->values + trm_block_place(&r->symbolic, a, b, &transposed);
            add_products(r, r->joint[a], r->joint[b], block, transposed);
        }
    for (int j = 0; j < r->joints; j++) soften(r, j);
    trm_block_factorise(&r->symbolic, r->values, scale, dropped);
    return true;
}

/* l -= A^-1 (J V + b), V with it; b only where it is asked for. Returns the largest |J V + b|, m/s. */
static double close_joints(const trm_reduced *r, trm_spatial *V, double *l, bool with_b)
{
    const trm_problem *p = r->p;
    double most = 0;
    for (int j = 0; j < r->joints; j++) {
        const trm_hold *h = r->joint[j];
        double *x = r->x + r->symbolic.first_row[r->symbolic.position[j]];
        for (int i = 0; i < h->rows; i++) {
            x[i] = with_b && h->b ? h->b[i] : 0;
            for (int k = 0; k < h->bodies; k++) {
                const int slot = r->slot[h->body[k]];
                if (slot >= 0 || with_b)
                    x[i] += trm_sp_dot(h->J[i * h->bodies + k], slot >= 0 ? V[slot] : p->V[h->body[k]]);
            }
            most = fmax(most, fabs(x[i]));
        }
    }
    trm_block_solve(&r->symbolic, r->values, r->x);
    for (int j = 0, row = 0; j < r->joints; row += r->joint[j++]->rows) {
        const trm_hold *h = r->joint[j];
        const double *x = r->x + r->symbolic.first_row[r->symbolic.position[j]];
        for (int i = 0; i < h->rows; i++) l[row + i] -= x[i];
        for (int k = 0; k < h->bodies; k++) {
            const int slot = r->slot[h->body[k]];
            for (int i = 0; slot >= 0 && i < h->rows; i++)
                V[slot] = trm_sp_add_scaled(V[slot], -x[i], h->W[i * h->bodies + k]);
        }
    }
    return most;
}

/* Closes joints as far as that goes: rows that contradict each other stay open. */
static void close_well(const trm_reduced *r, trm_spatial *V, double *l)
{
    double before = INFINITY;
    for (int i = 0; i < LAST_REFINEMENTS; i++) {
        const double left = close_joints(r, V, l, true);
        if (left <= r->p->tolerance || !(left < 0.5 * before)) return;
        before = left;
    }
}

/* ---- Contact space ------------------------------------------------------------------------ */

/* V of the island without any impulse, then with those of joints alone. */
static void begin(trm_reduced *r)
{
    for (int i = 0; i < r->island->hold_count; i++) {
        const trm_hold *hold = &r->p->holds[r->island->holds[i]];
        for (int k = 0; k < hold->bodies; k++) {
            trm_spatial *V = &r->p->V[hold->body[k]];
            for (int j = 0; r->slot[hold->body[k]] >= 0 && j < hold->rows; j++)
                *V = trm_sp_add_scaled(*V, -hold->lambda[j], hold->W[j * hold->bodies + k]);
        }
    }
    for (int i = 0; i < r->island->body_count; i++) r->V[i] = r->p->V[r->island->bodies[i]];
    if (r->joints > 0) close_well(r, r->V, r->l);
}

static void find_response(trm_reduced *r, const trm_hold *hold, int i, int row)
{
    trm_spatial *V = r->response + (size_t)row * (size_t)r->island->body_count;
    double *l = r->multiplier + (size_t)row * (size_t)r->joint_rows;
    for (int k = 0; k < hold->bodies; k++) {
        const int slot = r->slot[hold->body[k]];
        if (slot >= 0) V[slot] = trm_sp_add_scaled(V[slot], 1, hold->W[i * hold->bodies + k]);
    }
    for (int n = 0; r->joints > 0 && n <= REFINEMENTS; n++) close_joints(r, V, l, false);
}

static double speed_along(const trm_reduced *r, const trm_hold *hold, int i, const trm_spatial *V)
{
    double sum = 0;
    for (int k = 0; k < hold->bodies; k++) {
        const int slot = r->slot[hold->body[k]];
        if (slot >= 0) sum += trm_sp_dot(hold->J[i * hold->bodies + k], V[slot]);
    }
    return sum;
}

static void find_constant(trm_reduced *r, const trm_hold *hold, int i, int row)
{
    r->c[row] = speed_along(r, hold, i, r->V) + (hold->b ? hold->b[i] : 0);
    for (int k = 0; k < hold->bodies; k++)
        if (r->slot[hold->body[k]] < 0)
            r->c[row] += trm_sp_dot(hold->J[i * hold->bodies + k], r->p->V[hold->body[k]]);
}

static void find_matrix(trm_reduced *r)
{
    const size_t n = (size_t)r->rows, bodies = (size_t)r->island->body_count;
    for (int h = 0; h < r->holds; h++)
        for (int i = 0; i < r->hold[h]->rows; i++) {
            find_response(r, r->hold[h], i, r->first[h] + i);
            find_constant(r, r->hold[h], i, r->first[h] + i);
        }
    for (int h = 0; h < r->holds; h++)
        for (int i = 0; i < r->hold[h]->rows; i++) {
            const size_t row = (size_t)(r->first[h] + i);
            for (size_t s = 0; s < n; s++)
                r->D[row * n + s] = speed_along(r, r->hold[h], i, r->response + s * bodies);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < i; s++) r->D[i * n + s] = r->D[s * n + i] = 0.5 * (r->D[i * n + s] + r->D[s * n + i]);
}

bool trm_reduced_make(trm_reduced *r)
{
    if (!make_room(r) || !factorise(r)) return false;
    begin(r);
    find_matrix(r);
    return true;
}

void trm_reduced_apply(trm_reduced *r, const double *p)
{
    const int bodies = r->island->body_count;
    for (int s = 0; s < r->rows; s++) {
        const trm_spatial *V = r->response + (size_t)s * (size_t)bodies;
        const double *l = r->multiplier + (size_t)s * (size_t)r->joint_rows;
        for (int i = 0; i < bodies; i++) r->V[i] = trm_sp_add_scaled(r->V[i], p[s], V[i]);
        for (int i = 0; i < r->joint_rows; i++) r->l[i] += p[s] * l[i];
    }
    if (r->joints > 0) close_well(r, r->V, r->l);
    for (int i = 0; i < bodies; i++) r->p->V[r->island->bodies[i]] = r->V[i];
    for (int h = 0; h < r->holds; h++)
        memcpy(r->hold[h]->lambda, p + r->first[h], (size_t)r->hold[h]->rows * sizeof *p);
    for (int j = 0, row = 0; j < r->joints; row += r->joint[j++]->rows)
        memcpy(r->joint[j]->lambda, r->l + row, (size_t)r->joint[j]->rows * sizeof *p);
}
