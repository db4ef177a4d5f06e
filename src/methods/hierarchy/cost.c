/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the cost of a reduction and of a solution with it on any number of ranks. The cost is counted from the
 * tree, not measured. With r rows closed at a subsystem and n open ones:
 *
 *     eliminating   r^3/3 + r^2 n + r n^2       multiplications and additions are one operation each, so twice that
 *     solving       up r^2/2 + r n, down the same, likewise
 *
 * Ranks work at the same time, so the total time is that of the longest path from a leaf to the root. On a path,
 * children on the same rank come one after the other. A child on another rank costs a message: n (n + 1) / 2
 * numbers when E is sent, n up and n down in a solution. */

#include "base/memory.h"
#include "methods/hierarchy/plan.h"
#include "model/def.h"

/* The cost of a path from leaves towards the root. */
typedef struct path_cost {
    double reduce, solve;    /* operations */
    double messages;         /* one after the other, upwards */
    double numbers, vectors; /* numbers sent in them, of E and of g */
} path_cost;

static double size_of_blocks(const trm_plan_island *p, int from, int to)
{
    double rows = 0;
    for (int k = from; k < to; k++) rows += p->graph.blocks[p->list[k]].rows;
    return rows;
}

static path_cost cost_of_node(const trm_plan_island *p, int node)
{
    const double r = size_of_blocks(p, p->list_from[node], p->list_open[node]);
    const double n = size_of_blocks(p, p->list_open[node], p->list_from[node + 1]);
    return (path_cost){.reduce = 2 * (r * r * r / 3 + r * r * n + r * n * n), .solve = 2 * (r * r + 2 * r * n)};
}

static path_cost add_costs(path_cost a, path_cost b)
{
    return (path_cost){a.reduce + b.reduce, a.solve + b.solve, a.messages + b.messages, a.numbers + b.numbers,
                       a.vectors + b.vectors};
}

/* Returns the cost of two paths at the same time: the larger one in each respect. */
static path_cost larger_costs(path_cost a, path_cost b)
{
    return (path_cost){fmax(a.reduce, b.reduce), fmax(a.solve, b.solve), fmax(a.messages, b.messages),
                       fmax(a.numbers, b.numbers), fmax(a.vectors, b.vectors)};
}

static path_cost through_message(const trm_plan_island *p, int child, path_cost w)
{
    const double n = size_of_blocks(p, p->list_open[child], p->list_from[child + 1]);
    return add_costs(w, (path_cost){.messages = 1, .numbers = n * (n + 1) / 2, .vectors = n});
}

static void count_front(const trm_plan_island *p, int node, trm_reduction_cost *cost)
{
    const double rows = size_of_blocks(p, p->list_from[node], p->list_from[node + 1]);
    cost->largest_front = fmax(cost->largest_front, rows);
    cost->subsystems++;
}

static bool add_island(const trm_plan_island *p, trm_arena *scratch, trm_reduction_cost *cost)
{
    const trm_division *tree = &p->tree;
    path_cost *costs = TRM_NEW_ARRAY(scratch, path_cost, tree->node_count), all = {0};
    if (!costs) return false;
    for (int i = 0; i < tree->node_count; i++) {
        const int *child = tree->nodes[i].child;
        const path_cost here = cost_of_node(p, i);
        all = add_costs(all, here);
        count_front(p, i, cost);
        costs[i] = here;
        if (child[0] < 0) continue;
        const bool apart = p->owner[child[1]] != p->owner[i];
        const path_cost right = apart ? through_message(p, child[1], costs[child[1]]) : costs[child[1]];
        costs[i] = add_costs(here, apart ? larger_costs(costs[child[0]], right) : add_costs(costs[child[0]], right));
    }
    if (tree->node_count == 0) return true;
    const path_cost root = costs[tree->node_count - 1];
    cost->levels = tree->levels > cost->levels ? tree->levels : cost->levels;
    cost->reduce += all.reduce, cost->solve += all.solve;
    cost->longest_reduce += root.reduce, cost->longest_solve += root.solve;
    cost->messages += root.messages, cost->numbers += root.numbers, cost->vectors += root.vectors;
    return true;
}

/* Finds the largest number of bodies on one rank. Returns false when out of memory. */
static bool count_bodies(const trm_maximal *w, int ranks, trm_arena *scratch, trm_reduction_cost *cost)
{
    int *count = TRM_NEW_ARRAY(scratch, int, ranks);
    for (int i = 0; count && i < w->island_count; i++) {
        const trm_plan_island *p = &w->plan->islands[i];
        for (int n = 0; n < p->tree.node_count; n++)
            if (p->tree.nodes[n].child[0] < 0) count[p->owner[n]] += p->tree.nodes[n].last - p->tree.nodes[n].first;
    }
    for (int r = 0; count && r < ranks; r++)
        cost->most_bodies = count[r] > cost->most_bodies ? count[r] : cost->most_bodies;
    return count != NULL;
}

trm_status trm_find_reduction_cost_sized(const trm_model *model, trm_sized given, int ranks,
                                         const trm_allocator *allocator, trm_reduction_cost *cost)
{
    trm_arena arena;
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_simulation_def hierarchical = model->simulation;
    if (given.def) trm_read_def(TRM_DEF_SIMULATION, given, &hierarchical);
    trm_state *state = trm_state_create(model, allocator);
    trm_counters counters = {0};
    *cost = (trm_reduction_cost){.ranks = ranks};
    if (!state) return TRM_OUT_OF_MEMORY;
    trm_arena_init(&arena, &from);
    trm_stepper stepper = {
        .model = model, .state = state, .options = &hierarchical, .counters = &counters, .arena = &arena};
    trm_maximal w = {.stepper = &stepper, .solver = &trm_maximal_hierarchy};
    bool done =
        trm_maximal_list_joints(&w, &arena) && trm_plan_divide(&w, ranks) && count_bodies(&w, ranks, &arena, cost);
    for (int i = 0; done && i < w.island_count; i++) done = add_island(&w.plan->islands[i], &arena, cost);
    trm_plan_destroy(&w);
    trm_arena_destroy(&arena);
    trm_state_destroy(state);
    return done ? TRM_OK : TRM_OUT_OF_MEMORY;
}
