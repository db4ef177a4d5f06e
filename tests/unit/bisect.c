/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bisection of graphs: nets are cut across, trees at few edges, parts are of equal size, graphs of several components
 * and stars have two parts; equal graphs have equal parts; out of memory is reported. */

#include "methods/hierarchy/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"

enum { MOST = 20000, MOST_EDGES = 3 * MOST };

typedef struct net {
    int vertices, edges, from[MOST_EDGES], to[MOST_EDGES], rows[MOST_EDGES];
    int first[MOST + 1], neighbour[2 * MOST_EDGES], weight[MOST], edge_weight[2 * MOST_EDGES];
} net;

static net g;

static int any(trm_random *random, int below)
{
    return (int)(trm_random_bits(random) % (uint64_t)below);
}

static void begin(int vertices)
{
    memset(&g, 0, sizeof g);
    g.vertices = vertices;
    for (int v = 0; v < vertices; v++) g.weight[v] = 1;
}

static void join(int a, int b, int rows)
{
    g.from[g.edges] = a, g.to[g.edges] = b, g.rows[g.edges++] = rows;
}

static trm_bisect_graph lists(void)
{
    static int next[MOST + 1];
    for (int e = 0; e < g.edges; e++) g.first[g.from[e] + 1]++, g.first[g.to[e] + 1]++;
    for (int v = 0; v < g.vertices; v++) g.first[v + 1] += g.first[v];
    memcpy(next, g.first, sizeof next);
    for (int e = 0; e < g.edges; e++) {
        g.edge_weight[next[g.from[e]]] = g.edge_weight[next[g.to[e]]] = g.rows[e];
        g.neighbour[next[g.from[e]]++] = g.to[e];
        g.neighbour[next[g.to[e]]++] = g.from[e];
    }
    return (trm_bisect_graph){g.vertices, g.first, g.neighbour, g.weight, g.edge_weight};
}

/* Returns the weight of the edges between the parts; asserts that these are equal to 2 % of the whole or the heaviest
 * vertex. */
static int checked_cut(int *part)
{
    const trm_bisect_graph graph = lists();
    assert_true(trm_bisect(&graph, NULL, part));
    int weight[2] = {0, 0}, members[2] = {0, 0}, cut = 0, heaviest = 0;
    for (int v = 0; v < g.vertices; v++) {
        assert_in_range(part[v], 0, 1);
        weight[part[v]] += g.weight[v];
        members[part[v]]++;
        heaviest = g.weight[v] > heaviest ? g.weight[v] : heaviest;
    }
    for (int e = 0; e < g.edges; e++) cut += part[g.from[e]] != part[g.to[e]] ? g.rows[e] : 0;
    const int whole = weight[0] + weight[1], allowed = whole / 50 > heaviest ? whole / 50 : heaviest;
    assert_true(abs(weight[0] - weight[1]) <= allowed);
    assert_true(g.vertices < 2 || (members[0] > 0 && members[1] > 0));
    return cut;
}

/* Makes a net with randomly numbered vertices. */
static void make_net(int side, uint64_t seed)
{
    static int number[MOST];
    trm_random random = trm_random_seed(seed);
    for (int i = 0; i < side * side; i++) {
        const int other = any(&random, i + 1);
        number[i] = number[other];
        number[other] = i;
    }
    begin(side * side);
    for (int i = 0; i < side * side; i++) {
        if (i % side + 1 < side) join(number[i], number[i + 1], 3);
        if (i + side < side * side) join(number[i], number[i + side], 3);
    }
}

/* A straight cut of a net has as many edges as its side. Reached: 1.00 to 1.19 sides (METIS 5.1: up to 1.25). */
static void nets_are_cut_across(void **state)
{
    static int part[MOST];
    (void)state;
    for (int side = 4; side <= 128; side *= 2)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            make_net(side, seed);
            assert_true(checked_cut(part) <= 3 * side * 5 / 4);
        }
}

static void chains_are_cut_once(void **state)
{
    static int part[MOST];
    (void)state;
    for (int n = 2; n <= 20000; n *= 10) {
        begin(n);
        for (int v = 1; v < n; v++) join(v - 1, v, 5);
        assert_int_equal(checked_cut(part), 5);
    }
}

/* A chain of light and heavy edges is cut at a light one. */
static void heavy_edges_are_kept(void **state)
{
    static int part[MOST];
    (void)state;
    begin(1000);
    for (int v = 1; v < 1000; v++) join(v - 1, v, v % 10 == 0 ? 1 : 6);
    assert_int_equal(checked_cut(part), 1);
}

static void pieces_stars_and_heavy_vertices_have_two_sides(void **state)
{
    static int part[MOST];
    (void)state;
    begin(300); /* no edges at all */
    assert_int_equal(checked_cut(part), 0);
    begin(300); /* triangles */
    for (int v = 0; v < 300; v += 3) join(v, v + 1, 2), join(v + 1, v + 2, 2), join(v + 2, v, 2);
    assert_int_equal(checked_cut(part), 0);
    begin(5000);
    for (int v = 1; v < 5000; v++) join(0, v, 1);
    assert_true(checked_cut(part) >= 2400);
    begin(50);
    g.weight[7] = 1000;
    for (int v = 1; v < 50; v++) join(v - 1, v, 1);
    assert_true(checked_cut(part) <= 2);
    begin(1);
    checked_cut(part);
}

static void the_same_graph_has_the_same_parts(void **state)
{
    static int parts[2][MOST];
    (void)state;
    for (int k = 0; k < 2; k++) {
        make_net(50, 9);
        checked_cut(parts[k]);
    }
    assert_memory_equal(parts[0], parts[1], 2500 * sizeof(int));
}

static void out_of_memory_is_reported(void **state)
{
    static int part[MOST];
    (void)state;
    make_net(30, 4);
    const trm_bisect_graph graph = lists();
    failing_allocator memory;
    long at = 0;
    bool done;
    do {
        failing_allocator_reset(&memory, ++at, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        done = trm_bisect(&graph, &hooks, part);
        assert_true(failing_allocator_is_clean(&memory));
    } while (!done);
    assert_true(at > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nets_are_cut_across),
        cmocka_unit_test(chains_are_cut_once),
        cmocka_unit_test(heavy_edges_are_kept),
        cmocka_unit_test(pieces_stars_and_heavy_vertices_have_two_sides),
        cmocka_unit_test(the_same_graph_has_the_same_parts),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
