/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The tree of boxes. Its nodes are in one array; unused nodes are linked by `parent`. */

#include "collide/tree.h"

#include "base/check.h"

enum { NONE = -1 };

bool trm_tree_init(trm_bounds_tree *tree, trm_arena *arena, int leaves)
{
    const int count = leaves > 0 ? 2 * leaves - 1 : 0;
    *tree = (trm_bounds_tree){.room = leaves, .root = NONE, .unused = count > 0 ? 0 : NONE};
    tree->nodes = TRM_NEW_ARRAY(arena, trm_tree_node, count);
    tree->stack = TRM_NEW_ARRAY(arena, int, leaves + 1);
    if (!tree->nodes || !tree->stack) return false;
    for (int i = 0; i < count; i++) tree->nodes[i].parent = i + 1 < count ? i + 1 : NONE;
    return true;
}

static int take_node(trm_bounds_tree *tree)
{
    const int node = tree->unused;
    TRM_ASSERT(node != NONE); /* violated if there are more leaves than room */
    tree->unused = tree->nodes[node].parent;
    return node;
}

static void release_node(trm_bounds_tree *tree, int node)
{
    tree->nodes[node].parent = tree->unused;
    tree->unused = node;
}

static bool is_leaf(const trm_tree_node *node)
{
    return node->child[0] == NONE;
}

static double surface_with(const trm_tree_node *node, const trm_bounds *box)
{
    const trm_bounds both = trm_bounds_union(&node->box, box);
    return trm_bounds_surface(&both);
}

/* ---- Rotations ---------------------------------------------------------------------------- */

static void refit(trm_bounds_tree *tree, int node)
{
    trm_tree_node *n = &tree->nodes[node];
    n->box = trm_bounds_union(&tree->nodes[n->child[0]].box, &tree->nodes[n->child[1]].box);
}

/* Returns by how much the surface of child 1 - k of a node shrinks if the other child, k, takes the place of its
 * child j. */
static double gain_of_swap(const trm_bounds_tree *tree, const trm_tree_node *node, int k, int j)
{
    const trm_tree_node *other = &tree->nodes[node->child[1 - k]];
    if (is_leaf(other)) return 0;
    const trm_tree_node *stays = &tree->nodes[other->child[1 - j]];
    return trm_bounds_surface(&other->box) - surface_with(stays, &tree->nodes[node->child[k]].box);
}

static void swap(trm_bounds_tree *tree, int node, int k, int j)
{
    trm_tree_node *n = &tree->nodes[node];
    const int child = n->child[k], other = n->child[1 - k], grandchild = tree->nodes[other].child[j];
    n->child[k] = grandchild;
    tree->nodes[grandchild].parent = node;
    tree->nodes[other].child[j] = child;
    tree->nodes[child].parent = other;
    refit(tree, other);
}

/* Performs the best of the four swaps of a child with a grandchild, if it reduces the surface. */
static void rotate(trm_bounds_tree *tree, int node)
{
    double most = 0;
    int best = NONE;
    for (int i = 0; i < 4; i++) {
        const double gain = gain_of_swap(tree, &tree->nodes[node], i / 2, i % 2);
        if (gain > most) most = gain, best = i;
    }
    if (best != NONE) swap(tree, node, best / 2, best % 2);
}

/* Updates bounds, and swaps children with grandchildren, from a node whose children have changed up to the root. */
static void update_upwards(trm_bounds_tree *tree, int node)
{
    for (; node != NONE; node = tree->nodes[node].parent) {
        refit(tree, node);
        rotate(tree, node);
    }
}

/* ---- Leaves ------------------------------------------------------------------------------- */

/* Returns the surface that a box adds to a node when it is inserted below it. A leaf becomes a pair, whose whole
 * surface is new. */
static double cost_under(const trm_tree_node *node, const trm_bounds *box)
{
    return surface_with(node, box) - (is_leaf(node) ? 0 : trm_bounds_surface(&node->box));
}

/* Returns the node next to which a box adds the least surface, looking one level ahead. */
static int best_sibling(const trm_bounds_tree *tree, const trm_bounds *box)
{
    int node = tree->root;
    while (!is_leaf(&tree->nodes[node])) {
        const trm_tree_node *n = &tree->nodes[node];
        const double here = surface_with(n, box); /* a new node around both */
        const double passed_on = here - trm_bounds_surface(&n->box);
        const double cost[2] = {passed_on + cost_under(&tree->nodes[n->child[0]], box),
                                passed_on + cost_under(&tree->nodes[n->child[1]], box)};
        if (here < cost[0] && here < cost[1]) break;
        node = n->child[cost[1] < cost[0]];
    }
    return node;
}

/* Replaces a child of `parent` by a node; NONE: replaces the root. */
static void replace_child(trm_bounds_tree *tree, int parent, int old, int new)
{
    tree->nodes[new].parent = parent;
    if (parent == NONE)
        tree->root = new;
    else
        tree->nodes[parent].child[tree->nodes[parent].child[1] == old] = new;
}

int trm_tree_insert(trm_bounds_tree *tree, trm_bounds box, int item)
{
    const int leaf = take_node(tree);
    tree->nodes[leaf] = (trm_tree_node){.box = box, .parent = NONE, .child = {NONE, NONE}, .item = item};
    if (tree->root == NONE) {
        tree->root = leaf;
        return leaf;
    }
    const int sibling = best_sibling(tree, &box), pair = take_node(tree);
    tree->nodes[pair] = (trm_tree_node){.child = {sibling, leaf}};
    replace_child(tree, tree->nodes[sibling].parent, sibling, pair);
    tree->nodes[sibling].parent = tree->nodes[leaf].parent = pair;
    update_upwards(tree, pair);
    return leaf;
}

void trm_tree_remove(trm_bounds_tree *tree, int leaf)
{
    const int pair = tree->nodes[leaf].parent;
    if (pair == NONE) {
        tree->root = NONE;
    } else {
        const int above = tree->nodes[pair].parent,
                  sibling = tree->nodes[pair].child[tree->nodes[pair].child[0] == leaf];
        replace_child(tree, above, pair, sibling);
        update_upwards(tree, above);
        release_node(tree, pair);
    }
    release_node(tree, leaf);
}

/* ---- Queries ------------------------------------------------------------------------------ */

int trm_tree_overlaps(const trm_bounds_tree *tree, const trm_bounds *box, int *found)
{
    int count = 0, waiting = 0;
    if (tree->root != NONE) tree->stack[waiting++] = tree->root;
    while (waiting > 0) {
        const trm_tree_node *node = &tree->nodes[tree->stack[--waiting]];
        if (!trm_bounds_overlap(&node->box, box)) continue;
        if (is_leaf(node)) {
            found[count++] = node->item;
        } else {
            tree->stack[waiting++] = node->child[0];
            tree->stack[waiting++] = node->child[1];
        }
    }
    return count;
}
