/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/hierarchy/hierarchy.h"

#include <string.h>

#include "methods/hierarchy/plan.h"
#include "methods/ranks/rank_map.h"

static int size_of(const trm_front *front)
{
    return front->r + front->n;
}

/* ---- Reducing: E, from the leaves to the root ---------------------------------------------- */

/* Adds E_ij of all pairs of rows at one element to the front. */
static void add_element(const trm_direct_island *island, const trm_hierarchy *h, int element, const int *row_at,
                        trm_front *front)
{
    const trm_direct_elements *e = &h->elements;
    const int N = size_of(front);
    for (int p = e->first[element]; p < e->first[element + 1]; p++)
        for (int q = e->first[element]; q < e->first[element + 1]; q++) {
            const trm_direct_end a = e->ends[p], b = e->ends[q];
            const int i = row_at[a.block], j = row_at[b.block];
            if (i > j) continue; /* the upper triangle is enough */
            trm_direct_add_product(front->F + (long)i * N + j, N, &island->blocks[a.block], a.slot,
                                   &island->blocks[b.block], b.slot, e->slices[element]);
        }
}

/* Assembles the front of a leaf, whose blocks follow each other. */
static void assemble_leaf(const trm_direct_island *island, trm_hierarchy *h, trm_subsystem *s)
{
    for (int k = 0, row = 0; k < s->block_count; k++) {
        h->row_at[s->block[k]] = row;
        row += island->blocks[s->block[k]].rows;
    }
    for (int k = 0; k < s->element_count; k++) add_element(island, h, s->element[k], h->row_at, &s->front);
}

/* Adds E of a child to the front of its parent. */
static void assemble_child(trm_front *front, const trm_child *child, const double *E)
{
    const int N = size_of(front);
    for (int i = 0; i < child->n; i++)
        for (int j = i; j < child->n; j++) {
            const int a = child->place[i], b = child->place[j];
            front->F[a <= b ? (long)a * N + b : (long)b * N + a] += *E++;
        }
}

static double softness_of(const trm_maximal *w, const trm_direct_island *island, int block, int row)
{
    if (!w->softness || block >= island->joint_count) return 0;
    return w->softness[island->joints[block].joint->row_offset + row];
}

/* Computes the scale of all known rows: the diagonal of A for free bodies, plus softness. */
static void find_scales(const trm_maximal *w, trm_direct_island *island)
{
    for (int k = 0; k < island->block_count; k++) {
        const trm_direct_block *block = &island->blocks[k];
        for (int r = 0; r < block->rows; r++) {
            double sum = softness_of(w, island, k, r);
            for (int b = 0; b < block->bodies; b++)
                sum += trm_sp_dot(block->J[r * block->bodies + b], block->W[r * block->bodies + b]);
            island->scale[block->first + r] = sum > 0 ? sum : 1;
        }
    }
}

/* Adds softness and softening to the rows closed here, and sets their scale. */
static void soften(const trm_maximal *w, const trm_direct_island *island, trm_hierarchy *h, trm_subsystem *s)
{
    const int N = size_of(&s->front);
    for (int k = 0, row = 0; k < s->home_count; k++)
        for (int r = 0; r < island->blocks[s->block[k]].rows; r++, row++) {
            const int in_x = island->blocks[s->block[k]].first + r;
            const double softening = s->block[k] < island->joint_count ? island->softening * island->scale[in_x] : 0;
            s->front.F[(long)row * N + row] += softness_of(w, island, s->block[k], r) + softening;
            h->scale[row] = island->loops ? island->limit[in_x] : island->scale[in_x];
        }
}

/* Marks the dropped rows in the order of x. Returns their number. */
static int note_dropped(trm_direct_island *island, const trm_subsystem *s, int *place)
{
    int row = 0;
    for (int k = 0; k < s->home_count; k++)
        for (int r = 0; r < island->blocks[s->block[k]].rows; r++)
            place[row++] = island->blocks[s->block[k]].first + r;
    for (int i = 0; i < s->front.r; i++) island->dropped[place[s->front.order[i]]] = i >= s->front.eliminated;
    return s->front.r - s->front.eliminated;
}

/* Returns whether the barred rows or the softening differ from those at the last reduction. Stores both. */
static bool treatment_has_changed(const trm_direct_island *island, trm_subsystem *s)
{
    bool changed = s->softening != island->softening;
    s->softening = island->softening;
    for (int k = 0, row = 0; island->loops && k < s->home_count; k++)
        for (int r = 0; r < island->blocks[s->block[k]].rows; r++, row++) {
            const bool barred = island->barred[island->blocks[s->block[k]].first + r];
            changed |= s->barred[row] != barred;
            s->barred[row] = barred;
        }
    return changed;
}

/* Returns the smallest pivot of the subsystem, as a fraction of its scale. */
static double weakest_pivot(const trm_direct_island *island, const trm_subsystem *s, const int *place)
{
    double weakest = INFINITY;
    for (int k = 0; k < s->front.eliminated; k++) {
        const double pivot = s->U[(long)k * size_of(&s->front) + k];
        weakest = fmin(weakest, pivot / island->scale[place[s->front.order[k]]]);
    }
    return weakest;
}

/* Returns whether a row of the subsystem's own blocks has changed since its last reduction. */
static bool has_changed(const trm_maximal *w, const trm_direct_island *island, const trm_subsystem *s)
{
    for (int k = 0; k < s->block_count; k++) {
        const int block = s->block[k];
        if (block < island->joint_count ? island->joints[block].fresh
                                        : w->turned[island->glue[block - island->joint_count].body])
            return true;
    }
    return false;
}

/* Returns whether a child was reduced again. Receives the message of a child on another rank. */
static bool child_is_fresh(trm_maximal *w, const trm_hierarchy *h, const trm_child *child)
{
    if (child->subsystem >= 0) return h->subsystems[child->subsystem].fresh;
    if (!trm_rank_map_receive(w->rank_map, child->rank, child->message, trm_interface_size(child->n))) return true;
    return child->message[0] != 0;
}

static void assemble(const trm_direct_island *island, trm_hierarchy *h, trm_subsystem *s)
{
    const size_t N = (size_t)size_of(&s->front);
    memset(s->front.F, 0, N * N * sizeof *s->front.F);
    if (s->child_count == 0) assemble_leaf(island, h, s);
    for (int c = 0; c < s->child_count; c++) {
        const trm_child *child = &s->child[c];
        const double *message = child->subsystem >= 0 ? h->subsystems[child->subsystem].message : child->message;
        assemble_child(&s->front, child, message + 1);
    }
}

/* Stores U and E; the next subsystem reuses the workspace. */
static void keep(trm_subsystem *s)
{
    const int N = size_of(&s->front), r = s->front.r;
    double *E = s->message + 1;
    memcpy(s->U, s->front.F, (size_t)r * (size_t)N * sizeof *s->U);
    for (int i = r; i < N; i++)
        for (int j = i; j < N; j++) *E++ = s->front.F[(long)i * N + j];
}

/* Reduces a subsystem if it or one below it has changed. */
static void reduce(trm_maximal *w, trm_direct_island *island, trm_hierarchy *h, trm_subsystem *s)
{
    s->fresh = treatment_has_changed(island, s) || !h->begun || has_changed(w, island, s);
    for (int c = 0; c < s->child_count; c++) s->fresh |= child_is_fresh(w, h, &s->child[c]);
    s->message[0] = s->fresh;
    if (s->fresh) {
        s->front.F = h->work;
        assemble(island, h, s);
        soften(w, island, h, s);
        trm_front_eliminate(&s->front, h->scale, TRM_HIERARCHY_NOTHING, h->diagonal);
        keep(s);
        s->front.F = s->U;
        w->stepper->counters->reductions++;
    }
    if (s->parent_rank >= 0)
        trm_rank_map_send(w->rank_map, s->parent_rank, s->message, trm_interface_size(s->front.n));
}

static int factorise(trm_maximal *w, trm_direct_island *island)
{
    trm_hierarchy *h = island->matrix;
    int dropped = 0;
    find_scales(w, island);
    trm_direct_find_limits(island);
    island->weakest = INFINITY;
    for (int i = 0; i < h->count; i++) {
        reduce(w, island, h, &h->subsystems[i]);
        dropped += note_dropped(island, &h->subsystems[i], h->place);
        island->weakest = fmin(island->weakest, weakest_pivot(island, &h->subsystems[i], h->place));
    }
    h->begun = true;
    return dropped;
}

/* ---- Solving: g up, lambda down ------------------------------------------------------------ */

static void solve_upwards(trm_maximal *w, const trm_direct_island *island, trm_hierarchy *h, trm_subsystem *s)
{
    double *v = s->v;
    memset(v, 0, (size_t)size_of(&s->front) * sizeof *v);
    for (int k = 0, row = 0; k < s->home_count; k++) {
        const trm_direct_block *block = &island->blocks[s->block[k]];
        const bool is_glue = s->block[k] >= island->joint_count;
        for (int r = 0; r < block->rows; r++) v[row++] = is_glue ? 0 : island->x[block->first + r];
    }
    for (int c = 0; c < s->child_count; c++) {
        const trm_child *child = &s->child[c];
        const trm_subsystem *below = child->subsystem >= 0 ? &h->subsystems[child->subsystem] : NULL;
        if (!below) trm_rank_map_receive(w->rank_map, child->rank, child->g, (size_t)child->n * sizeof(double));
        const double *g = below ? below->v + below->front.r : child->g;
        for (int i = 0; i < child->n; i++) v[child->place[i]] += g[i];
    }
    trm_front_forward(&s->front, v, s->z);
    if (s->parent_rank >= 0)
        trm_rank_map_send(w->rank_map, s->parent_rank, v + s->front.r, (size_t)s->front.n * sizeof(double));
}

/* Computes lambda of a subsystem and passes it to its children, as a message to those on other ranks. */
static void solve_downwards(trm_maximal *w, trm_direct_island *island, trm_hierarchy *h, trm_subsystem *s)
{
    if (s->parent_rank >= 0)
        trm_rank_map_receive(w->rank_map, s->parent_rank, s->v + s->front.r, (size_t)s->front.n * sizeof(double));
    trm_front_backward(&s->front, s->z, s->v);
    for (int k = 0, row = 0; k < s->block_count; k++) {
        const trm_direct_block *block = &island->blocks[s->block[k]];
        for (int r = 0; r < block->rows; r++) island->x[block->first + r] = s->v[row++];
    }
    for (int c = 0; c < s->child_count; c++) {
        const trm_child *child = &s->child[c];
        double *lambda = child->subsystem >= 0
                             ? h->subsystems[child->subsystem].v + h->subsystems[child->subsystem].front.r
                             : child->g;
        for (int i = 0; i < child->n; i++) lambda[i] = s->v[child->place[i]];
        if (child->subsystem < 0)
            trm_rank_map_send(w->rank_map, child->rank, lambda, (size_t)child->n * sizeof(double));
    }
}

/* If all ranks need all rows, each broadcasts the rows that it closes. */
static void broadcast_rows(trm_maximal *w, trm_direct_island *island, trm_hierarchy *h)
{
    if (!h->collected) return;
    for (int i = 0; i < h->closed_count; i++) h->sent[i] = island->x[h->closed_row[i]];
    if (!trm_rank_map_collect(w->rank_map, h->sent, h->sizes, h->collected)) return;
    for (int i = 0; i < island->rows; i++) island->x[h->row_of[i]] = h->collected[i];
}

static void solve(trm_maximal *w, trm_direct_island *island)
{
    trm_hierarchy *h = island->matrix;
    for (int i = 0; i < h->count; i++) solve_upwards(w, island, h, &h->subsystems[i]);
    for (int i = h->count - 1; i >= 0; i--) solve_downwards(w, island, h, &h->subsystems[i]);
    broadcast_rows(w, island, h);
}

const trm_direct_matrix trm_direct_hierarchy = {trm_hierarchy_make, factorise, solve};

const trm_maximal_solver trm_maximal_hierarchy =
    TRM_DIRECT_SOLVER("hierarchy", &trm_direct_hierarchy, .plan = trm_plan_make, .end_plan = trm_plan_destroy);
