/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Trees of subsystems, checked node by node: with every division, each element is in one leaf, and each block is
 * closed in the lowest node that contains all its elements. */

#include "methods/hierarchy/division.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"

enum { SHAPES = 3, MOST_ENDS = 4 };

/* A graph that is built block by block, and then listed by element. */
typedef struct net {
    int elements, blocks, ends;
    int (*of)[MOST_ENDS]; /* elements of each block, */
    int *count;           /* how many of them */
    int *first, *block, *rows, *group;
    trm_division_graph graph;
} net;

static void *room(int count, size_t size)
{
    void *piece = calloc((size_t)(count > 0 ? count : 1), size);
    assert_non_null(piece);
    return piece;
}

static net net_of(int elements, int most_blocks)
{
    return (net){.elements = elements,
                 .of = room(most_blocks, sizeof(int[MOST_ENDS])),
                 .count = room(most_blocks, sizeof(int)),
                 .rows = room(most_blocks, sizeof(int))};
}

static void tie(net *n, int count, const int *of)
{
    for (int i = 0; i < count; i++) n->of[n->blocks][i] = of[i];
    n->rows[n->blocks] = 1 + n->blocks % 6;
    n->count[n->blocks++] = count;
    n->ends += count;
}

static void tie_two(net *n, int a, int b)
{
    tie(n, 2, (const int[2]){a, b});
}

static void list_ends(net *n)
{
    n->first = room(n->elements + 1, sizeof(int));
    n->block = room(n->ends, sizeof(int));
    for (int b = 0; b < n->blocks; b++)
        for (int i = 0; i < n->count[b]; i++) n->first[n->of[b][i] + 1]++;
    for (int e = 0; e < n->elements; e++) n->first[e + 1] += n->first[e];
    int *next = room(n->elements, sizeof(int));
    memcpy(next, n->first, (size_t)n->elements * sizeof(int));
    for (int b = 0; b < n->blocks; b++)
        for (int i = 0; i < n->count[b]; i++) n->block[next[n->of[b][i]]++] = b;
    free(next);
    n->graph = (trm_division_graph){n->elements, n->blocks, n->first, n->block, n->rows, n->group};
}

static void net_free(net *n)
{
    free(n->of), free(n->count), free(n->first), free(n->block), free(n->rows), free(n->group);
}

static void tie_chain(net *n, int first, int last)
{
    for (int e = first; e + 1 < last; e++) tie_two(n, e, e + 1);
}

/* Blocks of 0 to 4 different elements. */
static net random_net(trm_random *random, int elements, int blocks, int groups)
{
    net n = net_of(elements, blocks);
    for (int b = 0; b < blocks; b++) {
        int of[MOST_ENDS], count = 0;
        for (int i = (int)trm_random_uniform(random, 0, MOST_ENDS + 1); i > 0 && elements > 0; i--) {
            const int e = (int)trm_random_uniform(random, 0, elements);
            bool known = false;
            for (int k = 0; k < count; k++) known |= of[k] == e;
            if (!known) of[count++] = e;
        }
        tie(&n, count, of);
    }
    if (groups > 0) n.group = room(elements, sizeof(int));
    for (int e = 0; n.group && e < elements; e++) n.group[e] = (int)trm_random_uniform(random, -1, groups);
    list_ends(&n);
    return n;
}

/* ---- Properties of every tree -------------------------------------------------------------- */

static void assert_is_a_tree(const net *n, const trm_division *tree, int leaf)
{
    int *times = room(n->elements, sizeof(int)), *depth = room(tree->node_count, sizeof(int)), levels = 0, leaves = 0;
    for (int i = 0; i < n->elements; i++) {
        assert_in_range(tree->order[i], 0, n->elements - 1);
        times[tree->order[i]]++;
    }
    for (int i = 0; i < n->elements; i++) assert_int_equal(times[i], 1);
    for (int k = tree->node_count - 1; k >= 0; k--) {
        const trm_division_node *node = &tree->nodes[k];
        assert_true(node->first < node->last);
        assert_int_equal(node->parent < 0, k == tree->node_count - 1);
        assert_true(node->parent < 0 || node->parent > k);
        depth[k] = node->parent < 0 ? 1 : depth[node->parent] + 1;
        levels = depth[k] > levels ? depth[k] : levels;
        assert_int_equal(node->child[0] < 0, node->child[1] < 0);
        if (node->child[0] < 0) {
            assert_true(node->last - node->first <= leaf);
            leaves += node->last - node->first;
            continue;
        }
        const trm_division_node *a = &tree->nodes[node->child[0]], *b = &tree->nodes[node->child[1]];
        assert_true(a->parent == k && b->parent == k && node->child[0] != node->child[1]);
        assert_true(a->first == node->first && a->last == b->first && b->last == node->last);
    }
    assert_int_equal(leaves, n->elements);
    assert_int_equal(tree->levels, levels);
    assert_int_equal(tree->node_count > 0, n->elements > 0);
    if (n->elements > 0) assert_int_equal(tree->nodes[tree->node_count - 1].last, n->elements);
    free(times), free(depth);
}

static bool holds(const trm_division *tree, int node, const int *position, const int *of, int count)
{
    for (int i = 0; i < count; i++)
        if (position[of[i]] < tree->nodes[node].first || position[of[i]] >= tree->nodes[node].last) return false;
    return true;
}

/* Asserts that each block is closed in the first node that contains all its elements: children come before
 * parents. */
static void assert_homes_are_lowest(const net *n, const trm_division *tree)
{
    int *position = room(n->elements, sizeof(int));
    for (int i = 0; i < n->elements; i++) position[tree->order[i]] = i;
    for (int b = 0; b < n->blocks; b++) {
        int home = -1;
        for (int k = 0; n->count[b] > 0 && home < 0 && k < tree->node_count; k++)
            if (holds(tree, k, position, n->of[b], n->count[b])) home = k;
        assert_int_equal(tree->home[b], home);
    }
    free(position);
}

static void divide(const net *n, int shape, int leaf, trm_arena *arena, trm_division *tree)
{
    trm_arena_init(arena, NULL);
    assert_true(trm_division_make(&n->graph, (trm_division_shape)shape, leaf, arena, tree));
}

static void check_net(net *n)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int leaf = 1; leaf <= 8; leaf += 1 + leaf / 3) {
            trm_arena arena;
            trm_division tree;
            divide(n, shape, leaf, &arena, &tree);
            assert_is_a_tree(n, &tree, leaf);
            assert_homes_are_lowest(n, &tree);
            trm_arena_destroy(&arena);
        }
    net_free(n);
}

/* ---- Graphs -------------------------------------------------------------------------------- */

static void every_element_is_in_one_leaf_and_every_block_at_home(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(21);
    for (int number = 0; number < 120; number++) {
        net n = random_net(&random, number % 60, (number * 7) % 90, number % 4);
        check_net(&n);
    }
}

static void nothing_and_one_element_are_divided(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(22);
    net none = random_net(&random, 0, 3, 0), one = random_net(&random, 1, 3, 0);
    check_net(&none);
    check_net(&one);
}

static void graphs_in_pieces_are_divided(void **state)
{
    (void)state;
    net pieces = net_of(400, 400), loose = net_of(500, 1);
    for (int first = 0; first < 400; first += 10) tie_chain(&pieces, first, first + 10);
    list_ends(&pieces);
    list_ends(&loose);
    check_net(&pieces);
    check_net(&loose);
}

static void stars_are_divided(void **state)
{
    (void)state;
    net star = net_of(2000, 2000);
    for (int e = 1; e < 2000; e++) tie_two(&star, 0, e);
    list_ends(&star);
    check_net(&star);
}

static void pairs_that_are_tied_often_are_divided(void **state)
{
    (void)state;
    net n = net_of(6, 700);
    for (int i = 0; i < 600; i++) tie_two(&n, i % 2, 1 - i % 2);
    tie_chain(&n, 0, 6);
    list_ends(&n);
    check_net(&n);
}

static int widest_interface(const net *n, const trm_division *tree)
{
    int most = 0, *open = room(tree->node_count, sizeof(int)), *position = room(n->elements, sizeof(int));
    for (int i = 0; i < n->elements; i++) position[tree->order[i]] = i;
    for (int k = 0; k < tree->node_count; k++)
        for (int b = 0; b < n->blocks; b++) {
            int inside = 0;
            for (int i = 0; i < n->count[b]; i++) inside += holds(tree, k, position, &n->of[b][i], 1);
            open[k] += inside > 0 && inside < n->count[b];
            most = open[k] > most ? open[k] : most;
        }
    free(open), free(position);
    return most;
}

/* A net of 12 x 12 with random numbers: no interface of a good division is much longer than two sides of a half. */
static void dissection_finds_short_interfaces(void **state)
{
    enum { SIDE = 12 };
    (void)state;
    trm_random random = trm_random_seed(23);
    int number[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int other = (int)trm_random_uniform(&random, 0, i + 1);
        number[i] = number[other];
        number[other] = i;
    }
    net n = net_of(SIDE * SIDE, 2 * SIDE * SIDE);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            if (i + 1 < SIDE) tie_two(&n, number[i * SIDE + j], number[i * SIDE + SIDE + j]);
            if (j + 1 < SIDE) tie_two(&n, number[i * SIDE + j], number[i * SIDE + j + 1]);
        }
    list_ends(&n);
    trm_arena arena;
    trm_division tree;
    divide(&n, TRM_DIVIDE_BY_DISSECTION, 2, &arena, &tree);
    assert_true(widest_interface(&n, &tree) <= 2 * SIDE);
    trm_arena_destroy(&arena);
    divide(&n, TRM_DIVIDE_BY_HALVES, 2, &arena, &tree);
    assert_true(widest_interface(&n, &tree) > 2 * SIDE); /* so that the first assertion could have failed */
    trm_arena_destroy(&arena);
    net_free(&n);
}

/* ---- Groups -------------------------------------------------------------------------------- */

static int members(const net *n, int group)
{
    int count = 0;
    for (int e = 0; e < n->elements; e++) count += n->group[e] == group;
    return count;
}

/* Returns whether a node contains this group, and nothing else. */
static bool has_its_node(const net *n, const trm_division *tree, int group)
{
    for (int k = 0; k < tree->node_count; k++) {
        const trm_division_node *node = &tree->nodes[k];
        int same = 0;
        for (int i = node->first; i < node->last; i++) same += n->group[tree->order[i]] == group;
        if (same == members(n, group) && same == node->last - node->first) return true;
    }
    return false;
}

static void groups_stay_together(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(24);
    for (int number = 0; number < 60; number++) {
        net n = random_net(&random, 2 + number, 2 * number, 1 + number % 7);
        for (int shape = 0; shape < TRM_DIVIDE_BY_LADDER; shape++) {
            trm_arena arena;
            trm_division tree;
            divide(&n, shape, 1 + number % 4, &arena, &tree);
            for (int group = 0; group < 7; group++)
                if (members(&n, group) > 1) assert_true(has_its_node(&n, &tree, group));
            trm_arena_destroy(&arena);
        }
        net_free(&n);
    }
}

/* ---- Large graphs, and repeatability ------------------------------------------------------- */

static void the_same_graph_gives_the_same_tree(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        trm_random random = trm_random_seed(25);
        net n = random_net(&random, 700, 1500, 0);
        trm_arena arenas[2];
        trm_division trees[2];
        for (int i = 0; i < 2; i++) {
            divide(&n, shape, 2, &arenas[i], &trees[i]);
            srand(77 + (unsigned)i); /* which must not matter */
        }
        assert_int_equal(trees[0].node_count, trees[1].node_count);
        assert_memory_equal(trees[0].order, trees[1].order, (size_t)n.elements * sizeof(int));
        assert_memory_equal(trees[0].nodes, trees[1].nodes, (size_t)trees[0].node_count * sizeof *trees[0].nodes);
        assert_memory_equal(trees[0].home, trees[1].home, (size_t)n.blocks * sizeof(int));
        for (int i = 0; i < 2; i++) trm_arena_destroy(&arenas[i]);
        net_free(&n);
    }
}

/* A ladder with this many leaves has that height; other trees have the least possible height, or nearly so. */
static void long_chains_are_divided(void **state)
{
    enum { LONG = 100000, LOW = 17 };
    (void)state;
    net n = net_of(LONG, LONG);
    tie_chain(&n, 0, LONG);
    list_ends(&n);
    for (int shape = 0; shape < SHAPES; shape++) {
        trm_arena arena;
        trm_division tree;
        divide(&n, shape, 1, &arena, &tree);
        assert_is_a_tree(&n, &tree, 1);
        if (shape == TRM_DIVIDE_BY_LADDER)
            assert_int_equal(tree.levels, LONG);
        else
            assert_in_range(tree.levels, LOW, 2 * LOW);
        trm_arena_destroy(&arena);
    }
    net_free(&n);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(26);
    net n = random_net(&random, 300, 900, 3);
    for (int shape = 0; shape < SHAPES; shape++) {
        bool done = false;
        for (long k = 1; !done; k++) {
            failing_allocator memory;
            failing_allocator_reset(&memory, k, k % 2);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            trm_arena arena;
            trm_division tree;
            trm_arena_init(&arena, &hooks);
            done = trm_division_make(&n.graph, (trm_division_shape)shape, 2, &arena, &tree);
            assert_true(done == (memory.refusals == 0));
            trm_arena_destroy(&arena);
            assert_true(failing_allocator_is_clean(&memory));
        }
    }
    net_free(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_in_one_leaf_and_every_block_at_home),
        cmocka_unit_test(nothing_and_one_element_are_divided),
        cmocka_unit_test(graphs_in_pieces_are_divided),
        cmocka_unit_test(stars_are_divided),
        cmocka_unit_test(pairs_that_are_tied_often_are_divided),
        cmocka_unit_test(dissection_finds_short_interfaces),
        cmocka_unit_test(groups_stay_together),
        cmocka_unit_test(the_same_graph_gives_the_same_tree),
        cmocka_unit_test(long_chains_are_divided),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return RUN_TESTS(tests);
}
