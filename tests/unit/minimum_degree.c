/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The elimination order by minimum degree equals that of AMD of SuiteSparse, number by number, on graphs of all
 * kinds; it is a permutation; out of memory is reported. */

#include "linalg/minimum_degree.h"

#include <amd.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"

enum { MOST_NODES = 3000, MOST_ENTRIES = 120000 };

typedef struct graph {
    int nodes, edges;
    int from[MOST_ENTRIES / 2], to[MOST_ENTRIES / 2];
    int list[2 * MOST_ENTRIES + MOST_NODES], start[MOST_NODES], length[MOST_NODES];
    int entries, room;
} graph;

/* ---- Graphs ------------------------------------------------------------------------------- */

static int any(trm_random *random, int below)
{
    return (int)(trm_random_bits(random) % (uint64_t)below);
}

static void join(graph *g, int a, int b)
{
    if (a == b || g->edges == MOST_ENTRIES / 2) return;
    g->from[g->edges] = a;
    g->to[g->edges++] = b;
}

static void make_random(graph *g, trm_random *random)
{
    g->nodes = 1 + any(random, 400);
    const int edges = any(random, 5 * g->nodes);
    for (int e = 0; e < edges; e++) join(g, any(random, g->nodes), any(random, g->nodes));
}

/* Makes a grid with randomly permuted numbers. */
static void make_grid(graph *g, trm_random *random)
{
    const int wide = 2 + any(random, 40), high = 2 + any(random, 40), turn = any(random, wide * high);
    g->nodes = wide * high;
    for (int i = 0; i < g->nodes; i++) {
        const int a = (i + turn) % g->nodes;
        if (i % wide + 1 < wide) join(g, a, (i + 1 + turn) % g->nodes);
        if (i + wide < g->nodes) join(g, a, (i + wide + turn) % g->nodes);
    }
}

static void make_tree(graph *g, trm_random *random)
{
    g->nodes = 2 + any(random, 1000);
    for (int i = 1; i < g->nodes; i++) join(g, i, any(random, i));
}

/* Cliques that share nodes, as joints at common bodies do, and as result from elimination. */
static void make_cliques(graph *g, trm_random *random)
{
    g->nodes = 5 + any(random, 300);
    for (int c = any(random, 60); c > 0; c--) {
        int member[8];
        const int size = 2 + any(random, 7);
        for (int i = 0; i < size; i++) member[i] = any(random, g->nodes);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < i; j++) join(g, member[i], member[j]);
    }
}

/* A few nodes with nearly all others as neighbours: they count as dense. */
static void make_hubs(graph *g, trm_random *random)
{
    make_grid(g, random);
    for (int hub = 0; hub < 3 && hub < g->nodes; hub++)
        for (int i = 3; i < g->nodes; i++)
            if (any(random, 10) > 0) join(g, hub, i);
}

static int compare_edges(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

/* Lists both directions of every edge once; neighbours ascend, or are in random order. */
static void make_lists(graph *g, trm_random *random)
{
    static int pairs[MOST_ENTRIES][2];
    int count = 0;
    for (int e = 0; e < g->edges; e++) {
        pairs[count][0] = g->from[e], pairs[count++][1] = g->to[e];
        pairs[count][0] = g->to[e], pairs[count++][1] = g->from[e];
    }
    qsort(pairs, (size_t)count, sizeof pairs[0], compare_edges);
    memset(g->length, 0, sizeof g->length);
    g->entries = 0;
    int at = 0;
    for (int i = 0; i < g->nodes; i++) {
        g->start[i] = g->entries;
        for (; at < count && pairs[at][0] == i; at++)
            if (at == 0 || compare_edges(pairs[at], pairs[at - 1]) != 0) g->list[g->entries++] = pairs[at][1];
        g->length[i] = g->entries - g->start[i];
        for (int k = 1; k < g->length[i] && any(random, 2); k++) {
            int *const list = g->list + g->start[i], other = any(random, k + 1), kept = list[k];
            list[k] = list[other], list[other] = kept;
        }
    }
}

/* ---- Orders ------------------------------------------------------------------------------- */

static void order_by_amd(const graph *g, int *order)
{
    static graph copy;
    static int work[7][MOST_NODES];
    copy = *g;
    amd_2(g->nodes, copy.start, copy.list, copy.length, g->room, g->entries, work[0], work[1], order, work[2],
          work[3], work[4], work[5], NULL, NULL);
}

static bool order_by_ours(const graph *g, const trm_allocator *allocator, int *order)
{
    static graph copy;
    trm_arena scratch;
    copy = *g;
    trm_arena_init(&scratch, allocator);
    const trm_degree_graph given = {g->nodes, g->entries, g->room, copy.list, copy.start, copy.length};
    const bool good = trm_minimum_degree(&given, &scratch, order);
    trm_arena_destroy(&scratch);
    return good;
}

static void check_same_order(void (*make)(graph *, trm_random *), uint64_t seed)
{
    static graph g;
    static int theirs[MOST_NODES], ours[MOST_NODES], seen[MOST_NODES];
    trm_random random = trm_random_seed(seed);
    memset(&g, 0, sizeof g);
    make(&g, &random);
    make_lists(&g, &random);
    g.room =
        g.entries + g.nodes + (any(&random, 2) ? g.entries / 5 : 0); /* with and without compression of the lists */
    order_by_amd(&g, theirs);
    assert_true(order_by_ours(&g, NULL, ours));
    memset(seen, 0, sizeof seen);
    for (int k = 0; k < g.nodes; k++) {
        assert_in_range(ours[k], 0, g.nodes - 1);
        assert_false(seen[ours[k]]++);
    }
    for (int k = 0; k < g.nodes; k++) assert_int_equal(ours[k], theirs[k]);
}

#define CLAIM(kind)                                                                                                  \
    static void orders_##kind##_as_amd_does(void **state)                                                            \
    {                                                                                                                \
        (void)state;                                                                                                 \
        for (uint64_t seed = 1; seed <= 150; seed++) check_same_order(make_##kind, seed);                            \
    }

CLAIM(random)
CLAIM(grid)
CLAIM(tree)
CLAIM(cliques)
CLAIM(hubs)

static void a_node_without_neighbours_and_no_nodes_are_graphs(void **state)
{
    (void)state;
    static graph g;
    int order[2] = {-1, -1};
    memset(&g, 0, sizeof g);
    g.room = 2;
    assert_true(order_by_ours(&g, NULL, order));
    assert_int_equal(order[0], -1);
    g.nodes = 2;
    assert_true(order_by_ours(&g, NULL, order));
    assert_int_equal(order[0] + order[1], 1);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    static graph g;
    static int order[MOST_NODES];
    trm_random random = trm_random_seed(3);
    memset(&g, 0, sizeof g);
    make_grid(&g, &random);
    make_lists(&g, &random);
    g.room = g.entries + g.nodes;
    failing_allocator memory;
    long at = 0;
    bool done;
    do {
        failing_allocator_reset(&memory, ++at, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        done = order_by_ours(&g, &hooks, order);
        assert_true(failing_allocator_is_clean(&memory));
    } while (!done);
    assert_true(at > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_random_as_amd_does),
        cmocka_unit_test(orders_grid_as_amd_does),
        cmocka_unit_test(orders_tree_as_amd_does),
        cmocka_unit_test(orders_cliques_as_amd_does),
        cmocka_unit_test(orders_hubs_as_amd_does),
        cmocka_unit_test(a_node_without_neighbours_and_no_nodes_are_graphs),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
