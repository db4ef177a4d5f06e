/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Multilevel bisection (Karypis, Kumar, A fast and high quality multilevel scheme for partitioning irregular
 * graphs, SIAM J. Sci. Comput. 20, 1998).
 *
 * Pairs of vertices along heavy edges are contracted, level by level, until few are left. The smallest graph is
 * divided by growing one part from several starts; the cut of least weight is kept. It is carried back through the
 * levels and refined on each (Fiduccia, Mattheyses, A linear-time heuristic for improving network partitions,
 * 1982). Each move takes the vertex with the largest gain,
 *
 *     gain(v) = edges of v to the other part - edges of v to its own,
 *
 * even if the gain is negative, and moves no vertex twice. At the end the moves after the best cut are undone. */

#include "methods/hierarchy/bisect.h"

#include <limits.h>
#include <string.h>

enum {
    SMALL = 150, /* vertices: no further contraction below this */
    LEVELS = 64, /* more than can occur: each level contracts at least a tenth */
    STARTS = 12,
    PASSES = 10, /* of refinement; most graphs need two */
};

typedef struct level {
    trm_bisect_graph graph;
    int *coarse; /* per vertex: its vertex on the next level */
} level;

/* Vertices of one part sorted by gain: a binary heap with the largest gain first, and the smallest number among
 * equal gains. */
typedef struct heap {
    int *vertex, count;
} heap;

typedef struct cut {
    const trm_bisect_graph *graph;
    int *part, *gain;
    int *place; /* position in its heap; -1: in none */
    bool *fixed;
    int *moves; /* in the order of the moves */
    heap heaps[2];
    long long weight[2], between;
    long long tolerance; /* allowed difference of the weights */
} cut;

/* ---- Heaps -------------------------------------------------------------------------------- */

static bool precedes(const cut *c, int a, int b)
{
    return c->gain[a] != c->gain[b] ? c->gain[a] > c->gain[b] : a < b;
}

static void set_at(cut *c, heap *h, int place, int vertex)
{
    h->vertex[place] = vertex;
    c->place[vertex] = place;
}

static void sift_up(cut *c, heap *h, int place)
{
    const int vertex = h->vertex[place];
    for (; place > 0 && precedes(c, vertex, h->vertex[(place - 1) / 2]); place = (place - 1) / 2)
        set_at(c, h, place, h->vertex[(place - 1) / 2]);
    set_at(c, h, place, vertex);
}

static void sift_down(cut *c, heap *h, int place)
{
    const int vertex = h->vertex[place];
    for (int child = 2 * place + 1; child < h->count; child = 2 * place + 1) {
        if (child + 1 < h->count && precedes(c, h->vertex[child + 1], h->vertex[child])) child++;
        if (!precedes(c, h->vertex[child], vertex)) break;
        set_at(c, h, place, h->vertex[child]);
        place = child;
    }
    set_at(c, h, place, vertex);
}

static void insert(cut *c, int vertex)
{
    heap *h = &c->heaps[c->part[vertex]];
    h->vertex[h->count] = vertex;
    sift_up(c, h, h->count++);
}

static void remove_vertex(cut *c, int vertex)
{
    heap *h = &c->heaps[c->part[vertex]];
    const int place = c->place[vertex], last = h->vertex[--h->count];
    c->place[vertex] = -1;
    if (last == vertex) return;
    set_at(c, h, place, last);
    sift_up(c, h, place);
    sift_down(c, h, c->place[last]);
}

static void change_gain(cut *c, int vertex, int by)
{
    c->gain[vertex] += by;
    if (c->place[vertex] < 0) return;
    heap *h = &c->heaps[c->part[vertex]];
    sift_up(c, h, c->place[vertex]);
    sift_down(c, h, c->place[vertex]);
}

/* ---- Cuts --------------------------------------------------------------------------------- */

static long long absolute(long long x)
{
    return x < 0 ? -x : x;
}

static long long difference(const cut *c)
{
    return absolute(c->weight[0] - c->weight[1]);
}

/* Computes weights, gains and the edges between the parts. */
static void measure(cut *c)
{
    const trm_bisect_graph *g = c->graph;
    c->weight[0] = c->weight[1] = c->between = 0;
    for (int v = 0; v < g->vertices; v++) {
        c->weight[c->part[v]] += g->weight[v];
        c->gain[v] = 0;
        for (int e = g->first[v]; e < g->first[v + 1]; e++) {
            const bool across = c->part[g->neighbour[e]] != c->part[v];
            c->gain[v] += across ? g->edge_weight[e] : -g->edge_weight[e];
            if (across) c->between += g->edge_weight[e];
        }
    }
    c->between /= 2;
}

/* Moves a vertex that is in no heap to the other part, and updates the gains of its neighbours. */
static void move(cut *c, int vertex)
{
    const trm_bisect_graph *g = c->graph;
    const int from = c->part[vertex];
    c->between -= c->gain[vertex];
    c->weight[from] -= g->weight[vertex];
    c->weight[1 - from] += g->weight[vertex];
    c->part[vertex] = 1 - from;
    c->gain[vertex] = -c->gain[vertex];
    for (int e = g->first[vertex]; e < g->first[vertex + 1]; e++) {
        const int other = g->neighbour[e];
        change_gain(c, other, c->part[other] == from ? 2 * g->edge_weight[e] : -2 * g->edge_weight[e]);
    }
}

static void empty_heaps(cut *c)
{
    for (int v = 0; v < c->graph->vertices; v++) c->place[v] = -1, c->fixed[v] = false;
    c->heaps[0].count = c->heaps[1].count = 0;
}

/* ---- Growing ------------------------------------------------------------------------------ */

/* Returns the vertex that joins part 0 next: the neighbour with the largest gain, or the first vertex of another
 * component. */
static int next_to_grow(cut *c, int *unseen)
{
    if (c->heaps[1].count > 0) return c->heaps[1].vertex[0];
    while (c->part[*unseen] == 0) ++*unseen;
    insert(c, *unseen);
    return *unseen;
}

/* Grows part 0 from start to half of the weight. */
static void grow(cut *c, int start)
{
    const trm_bisect_graph *g = c->graph;
    int unseen = 0;
    for (int v = 0; v < g->vertices; v++) c->part[v] = 1;
    empty_heaps(c);
    measure(c);
    insert(c, start);
    while (c->weight[0] < c->weight[1]) {
        const int v = next_to_grow(c, &unseen);
        if (2 * (c->weight[0] + g->weight[v]) - (c->weight[0] + c->weight[1]) > difference(c)) break;
        remove_vertex(c, v);
        move(c, v);
        for (int e = g->first[v]; e < g->first[v + 1]; e++) {
            const int other = g->neighbour[e];
            if (c->part[other] == 1 && c->place[other] < 0) insert(c, other);
        }
    }
}

/* ---- Refining ----------------------------------------------------------------------------- */

/* Returns the part from which a vertex moves: the heavier one if the weights differ too much, else the one with
 * the larger gain. Returns -1 if none can. */
static int part_to_move(const cut *c)
{
    const int heavier = c->weight[1] > c->weight[0];
    if (difference(c) > c->tolerance) return c->heaps[heavier].count > 0 ? heavier : -1;
    int best = -1;
    for (int p = 0; p < 2; p++) {
        if (c->heaps[p].count == 0) continue;
        const int v = c->heaps[p].vertex[0];
        const long long after = absolute(c->weight[p] - c->weight[1 - p] - 2LL * c->graph->weight[v]);
        if (after > c->tolerance && after >= difference(c)) continue;
        if (best < 0 || c->gain[v] > c->gain[c->heaps[best].vertex[0]]) best = p;
    }
    return best;
}

typedef struct quality {
    long long excess, between, difference;
} quality;

static quality quality_of(const cut *c)
{
    const long long d = difference(c);
    return (quality){d > c->tolerance ? d - c->tolerance : 0, c->between, d};
}

static bool is_better(quality a, quality b)
{
    if (a.excess != b.excess) return a.excess < b.excess;
    return a.between != b.between ? a.between < b.between : a.difference < b.difference;
}

/* Inserts the vertices that may move: those at the cut, or all if the parts must be balanced. */
static void fill_heaps(cut *c)
{
    const trm_bisect_graph *g = c->graph;
    empty_heaps(c);
    const bool all = difference(c) > c->tolerance;
    for (int v = 0; v < g->vertices; v++) {
        bool at_cut = all;
        for (int e = g->first[v]; !at_cut && e < g->first[v + 1]; e++)
            at_cut = c->part[g->neighbour[e]] != c->part[v];
        if (at_cut) insert(c, v);
    }
}

static void insert_neighbours(cut *c, int v)
{
    const trm_bisect_graph *g = c->graph;
    for (int e = g->first[v]; e < g->first[v + 1]; e++) {
        const int other = g->neighbour[e];
        if (c->place[other] < 0 && !c->fixed[other]) insert(c, other);
    }
}

/* Does one pass. Returns false if it found no better cut. */
static bool refine_once(cut *c)
{
    const int patience = 50 + c->graph->vertices / 100; /* moves without a better cut */
    const quality before = quality_of(c);
    quality best = before;
    int count = 0, kept = 0;
    fill_heaps(c);
    while (count - kept <= patience) {
        const int part = part_to_move(c);
        if (part < 0) break;
        const int v = c->heaps[part].vertex[0];
        remove_vertex(c, v);
        c->fixed[v] = true;
        move(c, v);
        insert_neighbours(c, v);
        c->moves[count++] = v;
        if (is_better(quality_of(c), best)) best = quality_of(c), kept = count;
    }
    empty_heaps(c);
    while (count > kept) move(c, c->moves[--count]);
    return is_better(best, before);
}

static void refine(cut *c)
{
    for (int pass = 0; pass < PASSES && refine_once(c); pass++) continue;
}

/* ---- Contracting -------------------------------------------------------------------------- */

/* Returns the unmatched neighbour along the heaviest edge, the lightest among equal ones. Returns -1 if there is
 * none. */
static int mate_for(const trm_bisect_graph *g, const int *coarse, int v, int heaviest)
{
    int mate = -1, edge = 0;
    for (int e = g->first[v]; e < g->first[v + 1]; e++) {
        const int other = g->neighbour[e];
        if (other == v || coarse[other] >= 0 || g->weight[v] + g->weight[other] > heaviest) continue;
        const bool better =
            mate < 0 || g->edge_weight[e] > edge || (g->edge_weight[e] == edge && g->weight[other] < g->weight[mate]);
        if (better) mate = other, edge = g->edge_weight[e];
    }
    return mate;
}

/* Numbers the vertices of the next level. Returns their number. */
static int match(level *fine, int heaviest)
{
    const trm_bisect_graph *g = &fine->graph;
    int count = 0;
    for (int v = 0; v < g->vertices; v++) fine->coarse[v] = -1;
    for (int v = 0; v < g->vertices; v++) {
        if (fine->coarse[v] >= 0) continue;
        const int mate = mate_for(g, fine->coarse, v, heaviest);
        fine->coarse[v] = count;
        if (mate >= 0) fine->coarse[mate] = count;
        count++;
    }
    return count;
}

/* Adds the edges of v to those of its vertex on the next level. at: per vertex there, the position of its edge;
 * positions before `from` are outdated. */
static void add_edges(const level *fine, trm_bisect_graph *coarse, int v, int from, int *at)
{
    const trm_bisect_graph *g = &fine->graph;
    const int own = fine->coarse[v];
    for (int e = g->first[v]; e < g->first[v + 1]; e++) {
        const int other = fine->coarse[g->neighbour[e]];
        if (other == own) continue;
        if (at[other] < from) {
            at[other] = coarse->first[own + 1]++;
            coarse->neighbour[at[other]] = other;
            coarse->edge_weight[at[other]] = 0;
        }
        coarse->edge_weight[at[other]] += g->edge_weight[e];
    }
}

static bool contract(const level *fine, int count, trm_arena *scratch, level *next)
{
    const trm_bisect_graph *g = &fine->graph;
    const int edges = g->first[g->vertices];
    trm_bisect_graph *coarse = &next->graph;
    *coarse = (trm_bisect_graph){count, TRM_NEW_ARRAY(scratch, int, count + 1), TRM_NEW_ARRAY(scratch, int, edges),
                                 TRM_NEW_ARRAY(scratch, int, count), TRM_NEW_ARRAY(scratch, int, edges)};
    next->coarse = TRM_NEW_ARRAY(scratch, int, count);
    int *at = TRM_NEW_ARRAY(scratch, int, count), *members = TRM_NEW_ARRAY(scratch, int, 2 * count);
    if (scratch->failed) return false;
    for (int c = 0; c < count; c++) at[c] = members[2 * c] = members[2 * c + 1] = -1;
    for (int v = 0; v < g->vertices; v++) {
        int *pair = members + 2 * fine->coarse[v];
        pair[pair[0] >= 0] = v;
        coarse->weight[fine->coarse[v]] += g->weight[v];
    }
    for (int c = 0; c < count; c++) {
        const int from = coarse->first[c + 1] = coarse->first[c];
        for (int k = 0; k < 2; k++)
            if (members[2 * c + k] >= 0) add_edges(fine, coarse, members[2 * c + k], from, at);
    }
    return true;
}

/* Contracts level by level. Returns the number of levels, or 0 when out of memory. */
static int contract_all(level *levels, trm_arena *scratch)
{
    const trm_bisect_graph *g = &levels[0].graph;
    long long total = 0;
    for (int v = 0; v < g->vertices; v++) total += g->weight[v];
    const long long most = 3 * total / (2 * SMALL) + 1;
    const int heaviest = most < INT_MAX ? (int)most : INT_MAX;
    int count = 1;
    for (; count < LEVELS && levels[count - 1].graph.vertices > SMALL; count++) {
        const int vertices = match(&levels[count - 1], heaviest);
        if (vertices > levels[count - 1].graph.vertices / 10 * 9) break;
        if (!contract(&levels[count - 1], vertices, scratch, &levels[count])) return 0;
    }
    return count;
}

/* ---- Bisection ---------------------------------------------------------------------------- */

static void set_graph(cut *c, const trm_bisect_graph *g)
{
    long long total = 0, heaviest = 0;
    for (int v = 0; v < g->vertices; v++) {
        total += g->weight[v];
        if (g->weight[v] > heaviest) heaviest = g->weight[v];
    }
    c->graph = g;
    c->tolerance = total / 50 > heaviest ? total / 50 : heaviest;
}

/* Takes the best of the cuts grown from several vertices. */
static void divide_smallest(cut *c, const trm_bisect_graph *g, int *best)
{
    const int starts = g->vertices < STARTS ? g->vertices : STARTS;
    quality least = {0};
    set_graph(c, g);
    for (int s = 0; s < starts; s++) {
        grow(c, (int)((long long)s * g->vertices / starts));
        refine(c);
        if (s > 0 && !is_better(quality_of(c), least)) continue;
        least = quality_of(c);
        memcpy(best, c->part, (size_t)g->vertices * sizeof *best);
    }
    memcpy(c->part, best, (size_t)g->vertices * sizeof *best);
}

static void divide_levels(cut *c, const level *levels, int count, int *kept)
{
    divide_smallest(c, &levels[count - 1].graph, kept);
    for (int i = count - 2; i >= 0; i--) {
        memcpy(kept, c->part, (size_t)levels[i + 1].graph.vertices * sizeof *kept);
        for (int v = 0; v < levels[i].graph.vertices; v++) c->part[v] = kept[levels[i].coarse[v]];
        set_graph(c, &levels[i].graph);
        measure(c);
        refine(c);
    }
}

static void fill_both_sides(int vertices, int *part)
{
    int ones = 0;
    for (int v = 0; v < vertices; v++) ones += part[v];
    if (ones > 0 && ones < vertices) return;
    for (int v = 0; v < vertices; v++) part[v] = v >= vertices / 2;
}

static bool bisect(const trm_bisect_graph *graph, trm_arena *scratch, int *part)
{
    const int n = graph->vertices;
    level *levels = TRM_NEW_ARRAY(scratch, level, LEVELS);
    cut c = {.part = part,
             .gain = TRM_NEW_ARRAY(scratch, int, n),
             .place = TRM_NEW_ARRAY(scratch, int, n),
             .fixed = TRM_NEW_ARRAY(scratch, bool, n),
             .moves = TRM_NEW_ARRAY(scratch, int, n),
             .heaps = {{TRM_NEW_ARRAY(scratch, int, n), 0}, {TRM_NEW_ARRAY(scratch, int, n), 0}}};
    int *kept = TRM_NEW_ARRAY(scratch, int, n), *coarse = TRM_NEW_ARRAY(scratch, int, n);
    if (scratch->failed) return false;
    levels[0] = (level){*graph, coarse};
    const int count = contract_all(levels, scratch);
    if (count == 0) return false;
    divide_levels(&c, levels, count, kept);
    fill_both_sides(n, part);
    return true;
}

bool trm_bisect(const trm_bisect_graph *graph, const trm_allocator *allocator, int *part)
{
    trm_arena scratch;
    if (graph->vertices == 0) return true;
    trm_arena_init(&scratch, allocator);
    const bool done = bisect(graph, &scratch, part);
    trm_arena_destroy(&scratch);
    return done;
}
