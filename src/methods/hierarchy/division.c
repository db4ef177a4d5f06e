/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Elements are divided top down. The units of a division are lumps: single elements, or, at first, all elements of
 * a group. A group is divided when it is the only lump of its list. */

#include "methods/hierarchy/division.h"

#include <string.h>

#include "methods/hierarchy/bisect.h"

const char *const trm_division_names[] = {"dissection", "halves", "ladder", NULL};

/* Up to this many lumps are divided in the order of the list: a search of the graph would gain nothing. */
enum { FEW = 3 };

typedef struct divider {
    const trm_division_graph *graph;
    const trm_allocator *allocator;
    trm_division_shape shape;
    int leaf;
    trm_division *tree;
    bool *grouped;      /* per element: its group is still one lump */
    int *lump;          /* per element: index of its lump in the current list */
    int *element;       /* elements of all blocks, block by block */
    int *first_element; /* per block: index of its first entry in element */
    int *part;          /* per lump: 0 or 1 */
    int *moved;         /* scratch for elements */
    int *list;          /* per element: the number of its last list */
    int lists;          /* number of lists so far */
    trm_bisect_graph sub;
    int *seen; /* per lump: the last lump that has it as a neighbour */
    int *edge; /* per lump: index of that edge */
} divider;

/* ---- The graph of lumps ------------------------------------------------------------------ */

/* Lists the elements of each block, from the blocks of each element. */
static bool list_elements(divider *d, trm_arena *scratch)
{
    const trm_division_graph *g = d->graph;
    const int ends = g->first[g->elements];
    int *next = TRM_NEW_ARRAY(scratch, int, g->blocks + 1);
    d->first_element = TRM_NEW_ARRAY(scratch, int, g->blocks + 1);
    d->element = TRM_NEW_ARRAY(scratch, int, ends);
    if (scratch->failed) return false;
    for (int i = 0; i < ends; i++) d->first_element[g->block[i] + 1]++;
    for (int b = 0; b < g->blocks; b++) next[b + 1] = d->first_element[b + 1] += d->first_element[b];
    for (int e = 0; e < g->elements; e++)
        for (int i = g->first[e]; i < g->first[e + 1]; i++) d->element[next[g->block[i]]++] = e;
    return true;
}

/* Numbers the lumps of order[first .. last - 1], where elements of a lump are adjacent. Returns how many there
 * are. */
static int number_lumps(divider *d, int first, int last)
{
    const int *order = d->tree->order;
    int count = 0;
    for (int i = first; i < last; i++) {
        const int e = order[i];
        const bool with_last = i > first && d->grouped[e] && d->grouped[order[i - 1]] &&
                               d->graph->group[e] == d->graph->group[order[i - 1]];
        d->lump[e] = with_last ? count - 1 : count++;
    }
    return count;
}

static void add_edge(divider *d, int from, int to, int rows)
{
    trm_bisect_graph *s = &d->sub;
    if (d->seen[to] == from) {
        s->edge_weight[d->edge[to]] += rows;
        return;
    }
    d->seen[to] = from;
    d->edge[to] = s->first[from + 1];
    s->neighbour[s->first[from + 1]] = to;
    s->edge_weight[s->first[from + 1]++] = rows;
}

static void make_sub_graph(divider *d, int first, int last, int lumps)
{
    const trm_division_graph *g = d->graph;
    trm_bisect_graph *s = &d->sub;
    s->vertices = lumps;
    s->first[0] = 0;
    for (int v = 0; v < lumps; v++) s->weight[v] = 0, d->seen[v] = -1;
    d->lists++;
    for (int i = first; i < last; i++) d->list[d->tree->order[i]] = d->lists;
    for (int i = first, v = -1; i < last; i++) {
        const int e = d->tree->order[i];
        if (d->lump[e] != v) v = d->lump[e], s->first[v + 1] = s->first[v];
        s->weight[v]++;
        for (int k = g->first[e]; k < g->first[e + 1]; k++) {
            const int b = g->block[k];
            for (int l = d->first_element[b]; l < d->first_element[b + 1]; l++) {
                const int other = d->element[l];
                if (d->list[other] == d->lists && d->lump[other] != v) add_edge(d, v, d->lump[other], g->rows[b]);
            }
        }
    }
}

/* ---- Dividing ------------------------------------------------------------------------------ */

/* Assigns the lumps of the list to part[], 0 or 1. Returns false when out of memory. */
static bool choose_parts(divider *d, int first, int last, int lumps)
{
    for (int v = 0; v < lumps; v++) d->part[v] = v >= (lumps + 1) / 2;
    if (d->shape != TRM_DIVIDE_BY_DISSECTION || lumps <= FEW) return true;
    make_sub_graph(d, first, last, lumps);
    return trm_bisect(&d->sub, d->allocator, d->part);
}

/* Moves the elements of part 0 to the front and keeps the order within each part. Returns where part 1 begins. */
static int sort_parts(divider *d, int first, int last)
{
    int *order = d->tree->order, kept = first, moved = 0;
    for (int i = first; i < last; i++)
        if (d->part[d->lump[order[i]]] == 0)
            order[kept++] = order[i];
        else
            d->moved[moved++] = order[i];
    memcpy(order + kept, d->moved, (size_t)moved * sizeof *order);
    return kept;
}

static int add_node(trm_division *tree, int first, int last, const int *child)
{
    const int node = tree->node_count++;
    tree->nodes[node] = (trm_division_node){-1, {child[0], child[1]}, first, last};
    for (int c = 0; c < 2; c++)
        if (child[c] >= 0) tree->nodes[child[c]].parent = node;
    return node;
}

/* Makes the node that holds order[first .. last - 1], and all below it. Returns it, or -1 when out of memory. */
static int divide(divider *d, int first, int last, int depth)
{
    int lumps = number_lumps(d, first, last), child[2] = {-1, -1};
    if (depth > d->tree->levels) d->tree->levels = depth;
    if (lumps == 1 && last - first > 1) { /* a single group is divided */
        for (int i = first; i < last; i++) d->grouped[d->tree->order[i]] = false;
        lumps = number_lumps(d, first, last);
    }
    if (lumps <= d->leaf && lumps == last - first) return add_node(d->tree, first, last, child);
    if (!choose_parts(d, first, last, lumps)) return -1;
    const int middle = sort_parts(d, first, last);
    child[0] = divide(d, first, middle, depth + 1);
    child[1] = child[0] >= 0 ? divide(d, middle, last, depth + 1) : -1;
    return child[1] >= 0 ? add_node(d->tree, first, last, child) : -1;
}

/* Makes a ladder. Its depth may equal the number of elements, so it is made without recursion. */
static void make_ladder(divider *d)
{
    const int none[2] = {-1, -1}, n = d->graph->elements;
    trm_division *tree = d->tree;
    int below = -1;
    for (int first = 0; first < n; first += d->leaf) {
        const int last = first + d->leaf < n ? first + d->leaf : n;
        const int leaf = add_node(tree, first, last, none);
        below = below < 0 ? leaf : add_node(tree, 0, last, (const int[2]){below, leaf});
        tree->levels++;
    }
}

static bool divide_all(divider *d)
{
    if (d->shape != TRM_DIVIDE_BY_LADDER) return d->graph->elements == 0 || divide(d, 0, d->graph->elements, 1) >= 0;
    make_ladder(d);
    return true;
}

/* Makes elements of a group adjacent, at the position of the first one. */
static bool order_by_group(divider *d, trm_arena *scratch)
{
    const trm_division_graph *g = d->graph;
    bool *placed = TRM_NEW_ARRAY(scratch, bool, g->elements);
    int count = 0;
    if (!placed) return false;
    for (int e = 0; e < g->elements; e++) {
        d->grouped[e] = g->group && g->group[e] >= 0;
        if (placed[e]) continue;
        for (int other = e; other < (d->grouped[e] ? g->elements : e + 1); other++)
            if (other == e || g->group[other] == g->group[e]) d->tree->order[count++] = other, placed[other] = true;
    }
    return true;
}

/* ---- Homes --------------------------------------------------------------------------------- */

static bool find_homes(divider *d, trm_arena *scratch)
{
    trm_division *tree = d->tree;
    int *position = TRM_NEW_ARRAY(scratch, int, d->graph->elements);
    int *leaf = TRM_NEW_ARRAY(scratch, int, d->graph->elements);
    if (!position || !leaf) return false;
    for (int i = 0; i < d->graph->elements; i++) position[tree->order[i]] = i;
    for (int n = 0; n < tree->node_count; n++)
        for (int i = tree->nodes[n].first; tree->nodes[n].child[0] < 0 && i < tree->nodes[n].last; i++) leaf[i] = n;
    for (int b = 0; b < d->graph->blocks; b++) {
        int least = d->graph->elements, most = -1;
        for (int l = d->first_element[b]; l < d->first_element[b + 1]; l++) {
            const int at = position[d->element[l]];
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
        int node = most < 0 ? -1 : leaf[least];
        while (node >= 0 && tree->nodes[node].last <= most) node = tree->nodes[node].parent;
        tree->home[b] = node;
    }
    return true;
}

/* ---- Making -------------------------------------------------------------------------------- */

static bool make_room(divider *d, trm_arena *scratch)
{
    const int n = d->graph->elements;
    size_t edges = 0;
    for (int b = 0; b < d->graph->blocks; b++) {
        const size_t here = (size_t)(d->first_element[b + 1] - d->first_element[b]);
        edges += here * here;
    }
    d->grouped = TRM_NEW_ARRAY(scratch, bool, n);
    d->lump = TRM_NEW_ARRAY(scratch, int, n);
    d->part = TRM_NEW_ARRAY(scratch, int, n);
    d->moved = TRM_NEW_ARRAY(scratch, int, n);
    d->list = TRM_NEW_ARRAY(scratch, int, n);
    d->seen = TRM_NEW_ARRAY(scratch, int, n);
    d->edge = TRM_NEW_ARRAY(scratch, int, n);
    d->sub = (trm_bisect_graph){0, TRM_NEW_ARRAY(scratch, int, n + 1), TRM_NEW_ARRAY(scratch, int, edges),
                                TRM_NEW_ARRAY(scratch, int, n), TRM_NEW_ARRAY(scratch, int, edges)};
    return !scratch->failed;
}

bool trm_division_make(const trm_division_graph *graph, trm_division_shape shape, int leaf, trm_arena *arena,
                       trm_division *tree)
{
    trm_arena scratch;
    *tree = (trm_division){
        .nodes = TRM_NEW_ARRAY(arena, trm_division_node, 2 * graph->elements),
        .order = TRM_NEW_ARRAY(arena, int, graph->elements),
        .home = TRM_NEW_ARRAY(arena, int, graph->blocks),
    };
    if (arena->failed) return false;
    trm_arena_init(&scratch, &arena->allocator);
    divider d = {.graph = graph, .allocator = &arena->allocator, .shape = shape, .leaf = leaf, .tree = tree};
    const bool made = list_elements(&d, &scratch) && make_room(&d, &scratch) && order_by_group(&d, &scratch) &&
                      divide_all(&d) && find_homes(&d, &scratch);
    trm_arena_destroy(&scratch);
    return made;
}
