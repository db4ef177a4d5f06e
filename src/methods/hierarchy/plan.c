/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/hierarchy/plan.h"

#include <string.h>

/* ---- The tree ------------------------------------------------------------------------------ */

static int ranks_of(const trm_maximal *w)
{
    return w->stepper->exchange ? w->stepper->exchange->count : 1;
}

/* Returns a group number per element: the same for bodies with the same subsystem name, -1 without one. Returns
 * NULL when out of memory. */
static int *number_groups(const trm_maximal *w, const trm_direct_elements *e, trm_arena *arena)
{
    int *group = TRM_NEW_ARRAY(arena, int, e->count), *named = TRM_NEW_ARRAY(arena, int, e->count);
    int count = 0;
    for (int i = 0; group && named && i < e->count; i++) {
        const char *name = w->stepper->model->bodies[e->body[i]].subsystem;
        group[i] = -1;
        if (!name || !name[0]) continue;
        int k = 0;
        while (k < count && strcmp(w->stepper->model->bodies[e->body[named[k]]].subsystem, name) != 0) k++;
        if (k == count) named[count++] = i;
        group[i] = k;
    }
    return named ? group : NULL;
}

static trm_division_shape shape_of(const trm_method *method, const trm_simulation_def *options)
{
    const char *name = trm_option_word(method, options, "tree");
    int i = 0;
    while (trm_division_names[i + 1] && strcmp(trm_division_names[i], name) != 0) i++;
    return (trm_division_shape)i;
}

static bool make_tree(const trm_maximal *w, trm_arena *arena, trm_plan_island *p)
{
    const trm_simulation_def *options = w->stepper->options;
    const trm_method *method = trm_find_method(options->method);
    const trm_direct_elements *e = &p->elements;
    int *block = TRM_NEW_ARRAY(arena, int, e->first[e->count]),
        *rows = TRM_NEW_ARRAY(arena, int, p->graph.block_count);
    const int *group = number_groups(w, e, arena);
    if (!block || !rows || !group) return false;
    for (int i = 0; i < e->first[e->count]; i++) block[i] = e->ends[i].block;
    for (int b = 0; b < p->graph.block_count; b++) rows[b] = p->graph.blocks[b].rows, p->graph.rows += rows[b];
    const trm_division_graph graph = {e->count, p->graph.block_count, e->first, block, rows, group};
    const double leaf = trm_option_number(method, options, "leaf");
    return trm_division_make(&graph, shape_of(method, options), (int)fmin(leaf, e->count + 1), arena, &p->tree);
}

/* Assigns ranks first .. last - 1 to a node and all below it, parents before children. */
static bool choose_owners(int ranks, trm_arena *arena, trm_plan_island *p)
{
    const trm_division *tree = &p->tree;
    int *last = TRM_NEW_ARRAY(arena, int, tree->node_count);
    p->owner = TRM_NEW_ARRAY(arena, int, tree->node_count);
    if (!last || !p->owner) return false;
    if (tree->node_count > 0) last[tree->node_count - 1] = ranks;
    for (int n = tree->node_count - 1; n >= 0; n--) {
        const trm_division_node *node = &tree->nodes[n];
        const int first = p->owner[n], count = last[n] - first;
        if (node->child[0] < 0) continue;
        const trm_division_node *left = &tree->nodes[node->child[0]];
        const double part = (double)(left->last - left->first) / (node->last - node->first);
        int for_left = (int)(part * count + 0.5);
        for_left = for_left < 1 ? 1 : for_left > count - 1 && count > 1 ? count - 1 : for_left;
        p->owner[node->child[0]] = first;
        last[node->child[0]] = first + for_left;
        p->owner[node->child[1]] = count > 1 ? first + for_left : first;
        last[node->child[1]] = last[n];
    }
    return true;
}

/* ---- Rows of each node --------------------------------------------------------------------- */

/* Lists the blocks at a node, each once: those of a leaf's elements, or those that its children leave open. Closed
 * blocks come first. Returns their number. */
static int list_blocks(const trm_plan_island *p, int n, int *seen, int *list)
{
    const trm_division_node *node = &p->tree.nodes[n];
    int count = 0;
    for (int closed = 1; closed >= 0; closed--) {
        for (int i = node->first; node->child[0] < 0 && i < node->last; i++) {
            const int e = p->tree.order[i];
            for (int k = p->elements.first[e]; k < p->elements.first[e + 1]; k++) {
                const int b = p->elements.ends[k].block;
                if (seen[b] != n && (p->tree.home[b] == n) == closed) seen[b] = n, list[count++] = b;
            }
        }
        for (int c = 0; node->child[0] >= 0 && c < 2; c++)
            for (int k = p->list_open[node->child[c]]; k < p->list_from[node->child[c] + 1]; k++) {
                const int b = p->list[k];
                if (seen[b] != n && (p->tree.home[b] == n) == closed) seen[b] = n, list[count++] = b;
            }
    }
    return count;
}

/* Lists the blocks of all nodes. The list grows when the blocks of a node do not fit. */
static bool list_all_blocks(trm_arena *arena, trm_plan_island *p)
{
    const int nodes = p->tree.node_count;
    size_t room = 4 * (size_t)p->graph.block_count + 16;
    int *seen = TRM_NEW_ARRAY(arena, int, p->graph.block_count);
    int *here = TRM_NEW_ARRAY(arena, int, p->graph.block_count);
    p->list_from = TRM_NEW_ARRAY(arena, int, nodes + 1);
    p->list_open = TRM_NEW_ARRAY(arena, int, nodes);
    p->list = TRM_NEW_ARRAY(arena, int, room);
    if (arena->failed) return false;
    for (int b = 0; b < p->graph.block_count; b++) seen[b] = -1;
    for (int n = 0; n < nodes; n++) {
        const int count = list_blocks(p, n, seen, here), from = p->list_from[n];
        if ((size_t)(from + count) > room) {
            room = 2 * (size_t)(from + count);
            int *longer = TRM_NEW_ARRAY(arena, int, room);
            if (!longer) return false;
            memcpy(longer, p->list, (size_t)from * sizeof *longer);
            p->list = longer;
        }
        memcpy(p->list + from, here, (size_t)count * sizeof *here);
        p->list_from[n + 1] = from + count;
        p->list_open[n] = from;
        while (p->list_open[n] < from + count && p->tree.home[p->list[p->list_open[n]]] == n) p->list_open[n]++;
    }
    return true;
}

/* ---- Division among ranks ------------------------------------------------------------------ */

/* The bodies and joints that one rank knows; for other ranks only the bodies matter. */
typedef struct knowledge {
    bool *body, *joint;
} knowledge;

static void know_joint(const trm_model *model, int joint, knowledge *k)
{
    k->joint[joint] = true;
    for (int b = 0; b < model->joints[joint].body_count; b++) k->body[model->joints[joint].body[b]] = true;
}

/* Adds the joints of an island at bodies of a rank, and those that the rank closes. */
static void know_island(const trm_maximal *w, const trm_plan_island *p, int rank, const int *owner, knowledge *k)
{
    for (int j = 0; j < p->graph.joint_count; j++) {
        const trm_joint *joint = p->graph.joints[j].joint;
        bool known = p->common || (p->tree.home[j] >= 0 && p->owner[p->tree.home[j]] == rank);
        for (int b = 0; b < joint->body_count; b++) known |= owner[joint->body[b]] == rank;
        if (known) know_joint(w->stepper->model, p->graph.joints[j].index, k);
    }
}

static void find_knowledge(const trm_maximal *w, int rank, knowledge *k)
{
    const trm_model *model = w->stepper->model;
    for (int i = 0; i < model->body_count; i++) {
        const int owner = w->rank_map->owner[i];
        k->body[i] = owner < 0 || owner == rank || w->stepper->replicated[i] != TRM_KNOWN_TO_SOME;
    }
    for (int j = 0; j < model->joint_count; j++) k->joint[j] = w->rank_map->keeper[j] < 0;
    for (int i = 0; i < w->island_count; i++) know_island(w, &w->plan->islands[i], rank, w->rank_map->owner, k);
}

/* Assigns owners in an island that is not common: bodies belong to the rank that reduces their leaf, joints to the
 * rank that closes them. */
static void assign_owners(const trm_maximal *w, const trm_plan_island *p)
{
    if (p->common) return;
    for (int n = 0; n < p->tree.node_count; n++)
        for (int i = p->tree.nodes[n].first; p->tree.nodes[n].child[0] < 0 && i < p->tree.nodes[n].last; i++)
            w->rank_map->owner[p->elements.body[p->tree.order[i]]] = p->owner[n];
    for (int j = 0; j < p->graph.joint_count; j++)
        if (p->tree.home[j] >= 0) w->rank_map->keeper[p->graph.joints[j].index] = p->owner[p->tree.home[j]];
}

static bool make_rank_map(trm_maximal *w)
{
    const trm_model *model = w->stepper->model;
    trm_arena *arena = w->stepper->arena;
    const int ranks = ranks_of(w);
    trm_rank_map *map = w->rank_map = TRM_NEW(arena, trm_rank_map);
    bool *known = TRM_NEW_ARRAY(&w->plan->arena, bool, (size_t)ranks *(size_t)model->body_count);
    bool *joints = TRM_NEW_ARRAY(&w->plan->arena, bool, model->joint_count);
    if (!map || !known || !joints) return false;
    map->exchange = w->stepper->exchange;
    map->owner = TRM_NEW_ARRAY(arena, int, model->body_count);
    map->keeper = TRM_NEW_ARRAY(arena, int, model->joint_count);
    map->knows_body = TRM_NEW_ARRAY(arena, bool, model->body_count);
    map->knows_joint = TRM_NEW_ARRAY(arena, bool, model->joint_count);
    if (arena->failed) return false;
    for (int i = 0; i < model->body_count; i++) map->owner[i] = -1;
    for (int j = 0; j < model->joint_count; j++) map->keeper[j] = -1;
    for (int i = 0; i < w->island_count; i++) assign_owners(w, &w->plan->islands[i]);
    for (int r = 0; r < ranks; r++) {
        knowledge k = {known + (size_t)r * (size_t)model->body_count, joints};
        find_knowledge(w, r, &k);
        if (r != map->exchange->rank) continue;
        memcpy(map->knows_body, k.body, (size_t)model->body_count * sizeof *k.body);
        memcpy(map->knows_joint, k.joint, (size_t)model->joint_count * sizeof *k.joint);
    }
    return trm_rank_map_make_lists(map, model, known, arena);
}

/* ---- Making -------------------------------------------------------------------------------- */

static bool plan_island(trm_maximal *w, int index, int ranks, int *local, trm_plan_island *p)
{
    trm_arena *arena = &w->plan->arena;
    const int count = w->first_joint[index + 1] - w->first_joint[index];
    trm_maximal_joint *joints = TRM_NEW_ARRAY(arena, trm_maximal_joint, count); /* unknown ones are removed later */
    if (!joints) return false;
    memcpy(joints, w->joints + w->first_joint[index], (size_t)count * sizeof *joints);
    p->graph.joints = joints;
    p->graph.joint_count = count;
    if (!trm_direct_find_elements(w, local, arena, arena, &p->graph, &p->elements) || !make_tree(w, arena, p) ||
        !choose_owners(ranks, arena, p) || !list_all_blocks(arena, p))
        return false;
    p->common = p->graph.joint_rows <= TRM_MOST_EXACT_ROWS || p->graph.block_count > p->graph.joint_count ||
                w->stepper->all_known;
    for (int i = 0; w->stepper->replicated && i < p->elements.count; i++)
        p->common |= w->stepper->replicated[p->elements.body[i]] == TRM_KNOWN_ISLAND;
    return true;
}

bool trm_plan_divide(trm_maximal *w, int ranks)
{
    trm_plan *plan = w->plan = TRM_NEW(w->stepper->arena, trm_plan);
    if (!plan) return false;
    trm_arena_init(&plan->arena, &w->stepper->arena->allocator);
    plan->islands = TRM_NEW_ARRAY(&plan->arena, trm_plan_island, w->island_count);
    int *local = TRM_NEW_ARRAY(&plan->arena, int, w->stepper->model->body_count);
    if (!plan->islands || !local) return false;
    for (int i = 0; i < w->island_count; i++)
        if (!plan_island(w, i, ranks, local, &plan->islands[i])) return false;
    return true;
}

bool trm_plan_make(trm_maximal *w)
{
    return trm_plan_divide(w, ranks_of(w)) && (ranks_of(w) == 1 || make_rank_map(w));
}

void trm_plan_destroy(trm_maximal *w)
{
    if (w->plan) trm_arena_destroy(&w->plan->arena);
    w->plan = NULL;
}
