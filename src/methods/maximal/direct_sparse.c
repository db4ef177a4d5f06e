/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The matrix of an island as sparse blocks, in an elimination order with little fill (linalg/block_ldlt.h). */

#include <string.h>

#include "linalg/block_kernels.h"
#include "linalg/block_ldlt.h"
#include "methods/maximal/direct.h"

/* A product of two blocks a and b that meet in a body, in slot k of one and slot l of the other: A_ab += weight
 * J_a[., k] . W_b[., l]. */
struct trm_direct_product {
    int a, b;
    short k, l;
    float weight; /* number of slices of the body */
    size_t place; /* position of the block in the values */
};
typedef trm_direct_product product;

/* ---- Creating ------------------------------------------------------------------------------ */

/* Lists every pair of ends in one element. Returns their number. list NULL: only counts. */
static int find_products(const trm_direct_elements *e, product *list)
{
    int count = 0;
    for (int i = 0; i < e->count; i++)
        for (int p = e->first[i]; p < e->first[i + 1]; p++)
            for (int q = e->first[i]; q < e->first[i + 1]; q++, count++)
                if (list)
                    list[count] = (product){.a = e->ends[p].block,
                                            .b = e->ends[q].block,
                                            .k = (short)e->ends[p].slot,
                                            .l = (short)e->ends[q].slot,
                                            .weight = (float)e->slices[i]};
    return count;
}

/* Blocks are neighbours if they meet in an element. Returns false when out of memory. */
static bool make_graph(const trm_direct_elements *elements, const trm_direct_block *blocks, int n, trm_arena *scratch,
                       trm_block_graph *graph)
{
    const int ends = elements->first[elements->count];
    int *size = TRM_NEW_ARRAY(scratch, int, n), *block = TRM_NEW_ARRAY(scratch, int, ends);
    if (!size || !block) return false;
    for (int b = 0; b < n; b++) size[b] = blocks[b].rows;
    for (int i = 0; i < ends; i++) block[i] = elements->ends[i].block;
    return trm_block_graph_make(&(trm_block_elements){elements->count, elements->first, block}, n, size, scratch,
                                graph);
}

/* Keeps the products of stored blocks: of the blocks (a, b) and (b, a) only one is stored. Returns false when out
 * of memory. */
static bool keep_stored_products(product *products, int count, trm_arena *arena, trm_direct_sparse_matrix *m)
{
    for (int i = 0; i < count; i++) {
        bool transposed;
        product one = products[i];
        one.place = trm_block_place(&m->symbolic, one.a, one.b, &transposed);
        if (!transposed) products[m->product_count++] = one;
    }
    m->products = trm_arena_copy(arena, products, (size_t)m->product_count, sizeof *products);
    return m->products != NULL;
}

bool trm_direct_make_sparse(const trm_direct_elements *elements, trm_direct_block *blocks, int block_count,
                            trm_arena *arena, trm_arena *scratch, trm_direct_sparse_matrix *m)
{
    trm_block_graph graph;
    const int count = find_products(elements, NULL);
    product *products = TRM_NEW_ARRAY(scratch, product, count);
    if (!products) return false;
    find_products(elements, products);
    *m = (trm_direct_sparse_matrix){0};
    if (!make_graph(elements, blocks, block_count, scratch, &graph) ||
        !trm_block_symbolic_find(&graph, arena, scratch, &m->symbolic) ||
        !keep_stored_products(products, count, arena, m))
        return false;
    for (int b = 0; b < block_count; b++) blocks[b].first = m->symbolic.first_row[m->symbolic.position[b]];
    m->values = TRM_NEW_ARRAY(arena, double, m->symbolic.values);
    return m->values != NULL;
}

static bool make(trm_maximal *w, int index, const trm_direct_elements *elements, trm_arena *scratch,
                 trm_direct_island *island)
{
    trm_arena *arena = w->stepper->arena;
    trm_direct_sparse_matrix *m = TRM_NEW(arena, trm_direct_sparse_matrix);
    (void)index;
    if (!m || !trm_direct_make_sparse(elements, island->blocks, island->block_count, arena, scratch, m)) return false;
    island->rows = m->symbolic.rows;
    island->matrix = m;
    return true;
}

/* ---- At a pose ----------------------------------------------------------------------------- */

static bool may_continue(void *stepper)
{
    return !trm_step_is_ended(stepper);
}

void trm_direct_fill_sparse(const trm_direct_sparse_matrix *m, const trm_direct_block *blocks)
{
    memset(m->values, 0, m->symbolic.values * sizeof *m->values);
    for (int i = 0; i < m->product_count; i++) {
        const product *here = &m->products[i];
        trm_direct_add_product(m->values + here->place, blocks[here->b].rows, &blocks[here->a], here->k,
                               &blocks[here->b], here->l, here->weight);
    }
}

static int factorise(trm_maximal *w, trm_direct_island *island)
{
    const trm_block_watch watch = {may_continue, w->stepper};
    const trm_direct_sparse_matrix *m = island->matrix;
    const trm_block_symbolic *s = &m->symbolic;
    trm_direct_fill_sparse(m, island->blocks);
    for (int k = 0; k < s->blocks; k++)
        for (int r = 0, n = s->size[k]; r < n; r++) {
            double *diagonal = &m->values[s->pivot[k] + (size_t)(r * n + r)];
            if (w->softness && s->block[k] < island->joint_count)
                *diagonal += w->softness[island->joints[s->block[k]].joint->row_offset + r];
            island->scale[s->first_row[k] + r] = *diagonal > 0 ? *diagonal : 1;
            if (s->block[k] < island->joint_count)
                *diagonal += island->softening * island->scale[s->first_row[k] + r];
        }
    trm_direct_find_limits(island);
    const double *limit = island->loops ? island->limit : island->scale;
    const int dropped = trm_block_factorise_watched(s, m->values, limit, island->dropped, &watch);
    if (dropped < 0) return 0; /* the step is discarded */
    if (island->loops) island->weakest = trm_block_weakest(s, m->values, island->scale);
    return dropped;
}

static void solve(trm_maximal *w, trm_direct_island *island)
{
    const trm_direct_sparse_matrix *m = island->matrix;
    (void)w;
    for (int b = island->joint_count; b < island->block_count; b++)
        memset(island->x + island->blocks[b].first, 0, 6 * sizeof *island->x);
    trm_block_solve(&m->symbolic, m->values, island->x);
}

const trm_direct_matrix trm_direct_sparse = {make, factorise, solve};
