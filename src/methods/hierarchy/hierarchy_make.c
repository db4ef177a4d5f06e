/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Makes the subsystems of this rank from the plan: their fronts, and the positions of the rows of children in
 * them. */

#include <string.h>

#include "methods/hierarchy/plan.h"

typedef struct maker {
    trm_maximal *w;
    const trm_plan_island *plan;
    trm_direct_island *island;
    trm_hierarchy *h;
    int me;
    int *mine;          /* per node: index of its subsystem; -1: on another rank */
    int *local_block;   /* per block of the plan: index among the island's blocks; -1: unknown to this rank */
    int *local_element; /* per element of the plan: index among this rank's elements; -1: unknown */
    int *row_at;        /* per block of the plan: its first row in the front that is being made */
} maker;

/* ---- Local numbers -------------------------------------------------------------------------- */

/* Finds the local numbers of blocks. Known joints keep their order. Glue exists only in replicated islands and
 * keeps its number. */
static void find_local_blocks(maker *m)
{
    const trm_direct_island *all = &m->plan->graph, *known = m->island;
    for (int b = 0, k = 0; b < all->block_count; b++) {
        const bool is_joint = b < all->joint_count;
        const bool here = is_joint && k < known->joint_count && all->joints[b].joint == known->joints[k].joint;
        m->local_block[b] = !is_joint ? b - all->joint_count + known->joint_count : here ? k++ : -1;
    }
}

static void find_local_elements(maker *m, const trm_direct_elements *known, int *first_of_body)
{
    const trm_direct_elements *all = &m->plan->elements;
    for (int e = 0; e < all->count; e++) first_of_body[all->body[e]] = -1;
    for (int e = known->count - 1; e >= 0; e--) first_of_body[known->body[e]] = e;
    for (int e = 0, slice = 0; e < all->count; e++) {
        slice = e > 0 && all->body[e] == all->body[e - 1] ? slice + 1 : 0;
        m->local_element[e] = first_of_body[all->body[e]] < 0 ? -1 : first_of_body[all->body[e]] + slice;
    }
}

static bool keep_elements(const trm_direct_elements *e, trm_arena *arena, trm_direct_elements *kept)
{
    const int ends = e->first[e->count];
    *kept = (trm_direct_elements){
        .count = e->count,
        .body = TRM_NEW_ARRAY(arena, int, e->count),
        .slices = TRM_NEW_ARRAY(arena, int, e->count),
        .first = TRM_NEW_ARRAY(arena, int, e->count + 1),
        .ends = TRM_NEW_ARRAY(arena, trm_direct_end, ends),
    };
    if (arena->failed) return false;
    memcpy(kept->body, e->body, (size_t)e->count * sizeof *e->body);
    memcpy(kept->slices, e->slices, (size_t)e->count * sizeof *e->slices);
    memcpy(kept->first, e->first, ((size_t)e->count + 1) * sizeof *e->first);
    memcpy(kept->ends, e->ends, (size_t)ends * sizeof *e->ends);
    return true;
}

/* ---- Fronts -------------------------------------------------------------------------------- */

static int rows_between(const maker *m, int from, int to)
{
    int rows = 0;
    for (int k = from; k < to; k++) rows += m->plan->graph.blocks[m->plan->list[k]].rows;
    return rows;
}

static int open_rows(const maker *m, int node)
{
    return rows_between(m, m->plan->list_open[node], m->plan->list_from[node + 1]);
}

static bool make_front(const maker *m, int node, trm_arena *arena, trm_subsystem *s)
{
    const int r = rows_between(m, m->plan->list_from[node], m->plan->list_open[node]), n = open_rows(m, node);
    const size_t N = (size_t)(r + n);
    s->front = (trm_front){.r = r, .n = n, .order = TRM_NEW_ARRAY(arena, int, r)};
    s->U = TRM_NEW_ARRAY(arena, double, (size_t)r *N);
    s->message = trm_arena_array(arena, trm_interface_size(n), 1);
    s->z = TRM_NEW_ARRAY(arena, double, r);
    s->v = TRM_NEW_ARRAY(arena, double, N);
    s->barred = TRM_NEW_ARRAY(arena, bool, r);
    return !arena->failed;
}

/* Lists the blocks of a node: all of a leaf, else only those that the node closes, because this rank need not know
 * the others. */
static bool make_blocks(const maker *m, int node, trm_arena *arena, trm_subsystem *s)
{
    const trm_plan_island *p = m->plan;
    const bool leaf = p->tree.nodes[node].child[0] < 0;
    s->home_count = p->list_open[node] - p->list_from[node];
    s->block_count = leaf ? p->list_from[node + 1] - p->list_from[node] : s->home_count;
    s->block = TRM_NEW_ARRAY(arena, int, s->block_count);
    for (int k = 0; s->block && k < s->block_count; k++)
        s->block[k] = m->local_block[p->list[p->list_from[node] + k]];
    return s->block != NULL;
}

static bool make_leaf(const maker *m, int node, trm_arena *arena, trm_subsystem *s)
{
    const trm_division_node *n = &m->plan->tree.nodes[node];
    s->element_count = n->last - n->first;
    s->element = TRM_NEW_ARRAY(arena, int, s->element_count);
    for (int i = 0; s->element && i < s->element_count; i++)
        s->element[i] = m->local_element[m->plan->tree.order[n->first + i]];
    return s->element != NULL;
}

static bool make_child(const maker *m, int child, trm_arena *arena, trm_child *made)
{
    const trm_plan_island *p = m->plan;
    const int n = open_rows(m, child);
    const bool elsewhere = m->mine[child] < 0;
    *made = (trm_child){
        .subsystem = m->mine[child],
        .rank = p->owner[child],
        .n = n,
        .place = TRM_NEW_ARRAY(arena, int, n),
        .message = elsewhere ? trm_arena_array(arena, trm_interface_size(n), 1) : NULL,
        .g = elsewhere ? TRM_NEW_ARRAY(arena, double, n) : NULL,
    };
    if (arena->failed) return false;
    for (int k = p->list_open[child], row = 0; k < p->list_from[child + 1]; k++)
        for (int r = 0; r < p->graph.blocks[p->list[k]].rows; r++) made->place[row++] = m->row_at[p->list[k]] + r;
    return true;
}

static bool make_children(const maker *m, int node, trm_arena *arena, trm_subsystem *s)
{
    const trm_plan_island *p = m->plan;
    s->child_count = 2;
    for (int k = p->list_from[node], row = 0; k < p->list_from[node + 1]; k++) {
        m->row_at[p->list[k]] = row;
        row += p->graph.blocks[p->list[k]].rows;
    }
    for (int c = 0; c < 2; c++)
        if (!make_child(m, p->tree.nodes[node].child[c], arena, &s->child[c])) return false;
    return true;
}

static bool make_subsystem(const maker *m, int node, trm_arena *arena, trm_subsystem *s)
{
    const int parent = m->plan->tree.nodes[node].parent;
    const bool leaf = m->plan->tree.nodes[node].child[0] < 0;
    s->parent_rank = parent < 0 || m->plan->owner[parent] == m->me ? -1 : m->plan->owner[parent];
    return make_front(m, node, arena, s) && make_blocks(m, node, arena, s) &&
           (leaf ? make_leaf(m, node, arena, s) : make_children(m, node, arena, s));
}

/* ---- Scratch ------------------------------------------------------------------------------- */

static bool make_workspace(const maker *m, trm_arena *arena)
{
    trm_hierarchy *h = m->h;
    size_t rows = 0;
    for (int i = 0; i < h->count; i++) {
        const trm_subsystem *s = &h->subsystems[i];
        const size_t N = (size_t)(s->front.r + s->front.n);
        rows = N > rows ? N : rows;
    }
    h->diagonal = TRM_NEW_ARRAY(arena, double, rows);
    h->scale = TRM_NEW_ARRAY(arena, double, rows);
    h->place = TRM_NEW_ARRAY(arena, int, rows);
    h->row_at = TRM_NEW_ARRAY(arena, int, m->island->block_count);
    h->work = TRM_NEW_ARRAY(arena, double, rows *rows);
    return !arena->failed;
}

/* Lists the rows in the order of the broadcast: those that the first rank closes, then the second, ... */
static bool make_broadcast(const maker *m, trm_arena *arena)
{
    const trm_plan_island *p = m->plan;
    trm_hierarchy *h = m->h;
    if (!m->w->rank_map || !p->common) return true;
    const int ranks = m->w->rank_map->exchange->count;
    h->sent = TRM_NEW_ARRAY(arena, double, m->island->rows);
    h->collected = TRM_NEW_ARRAY(arena, double, m->island->rows);
    h->row_of = TRM_NEW_ARRAY(arena, int, m->island->rows);
    h->closed_row = TRM_NEW_ARRAY(arena, int, m->island->rows);
    h->sizes = TRM_NEW_ARRAY(arena, size_t, ranks);
    if (arena->failed) return false;
    for (int rank = 0, count = 0; rank < ranks; rank++)
        for (int n = 0; n < p->tree.node_count; n++)
            for (int k = p->list_from[n]; p->owner[n] == rank && k < p->list_open[n]; k++) {
                const trm_direct_block *block = &m->island->blocks[m->local_block[p->list[k]]];
                for (int r = 0; r < block->rows; r++) {
                    if (rank == m->me) h->closed_row[h->closed_count++] = block->first + r;
                    h->row_of[count++] = block->first + r;
                    h->sizes[rank] += sizeof(double);
                }
            }
    return true;
}

/* ---- Making -------------------------------------------------------------------------------- */

static bool begin(maker *m, const trm_direct_elements *elements, trm_arena *scratch)
{
    const trm_plan_island *p = m->plan;
    int *first_of_body = TRM_NEW_ARRAY(scratch, int, m->w->stepper->model->body_count);
    m->mine = TRM_NEW_ARRAY(scratch, int, p->tree.node_count);
    m->local_block = TRM_NEW_ARRAY(scratch, int, p->graph.block_count);
    m->local_element = TRM_NEW_ARRAY(scratch, int, p->elements.count);
    m->row_at = TRM_NEW_ARRAY(scratch, int, p->graph.block_count);
    if (scratch->failed) return false;
    find_local_blocks(m);
    find_local_elements(m, elements, first_of_body);
    for (int n = 0; n < p->tree.node_count; n++) m->mine[n] = p->owner[n] == m->me ? m->h->count++ : -1;
    for (int b = 0; b < m->island->block_count; b++) {
        m->island->blocks[b].first = m->island->rows;
        m->island->rows += m->island->blocks[b].rows;
    }
    return true;
}

bool trm_hierarchy_make(trm_maximal *w, int index, const trm_direct_elements *elements, trm_arena *scratch,
                        trm_direct_island *island)
{
    trm_arena *arena = w->stepper->arena;
    trm_hierarchy *h = island->matrix = TRM_NEW(arena, trm_hierarchy);
    maker m = {.w = w, .plan = &w->plan->islands[index], .island = island, .h = h};
    m.me = w->rank_map ? w->rank_map->exchange->rank : 0;
    island->shared = w->rank_map && !m.plan->common;
    island->loops = m.plan->graph.loops; /* of the whole island, the same on all ranks */
    if (!h || !begin(&m, elements, scratch) || !keep_elements(elements, arena, &h->elements)) return false;
    h->subsystems = TRM_NEW_ARRAY(arena, trm_subsystem, h->count);
    if (!h->subsystems) return false;
    for (int n = 0; n < m.plan->tree.node_count; n++)
        if (m.mine[n] >= 0 && !make_subsystem(&m, n, arena, &h->subsystems[m.mine[n]])) return false;
    return make_workspace(&m, arena) && make_broadcast(&m, arena);
}
