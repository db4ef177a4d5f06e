/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Elimination order and pattern of L. Row i of L has entries at every position on the path from a neighbour j < i
 * in A up the elimination tree to i, where parent(j) is the first row below j in column j (Davis 2005, Algorithm
 * 849: LDL). Rows are visited in increasing order, so the columns are sorted. Time and memory are proportional to
 * the size of L. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "linalg/block_ldlt.h"
#include "linalg/block_panel.h"
#include "linalg/minimum_degree.h"

/* ---- The graph of elements ---------------------------------------------------------------- */

bool trm_block_elements_create(trm_block_elements *elements, int most, int ends, trm_arena *arena)
{
    *elements = (trm_block_elements){0, TRM_NEW_ARRAY(arena, int, most + 1), TRM_NEW_ROOM(arena, int, ends)};
    return elements->first && elements->block;
}

void trm_block_elements_add(trm_block_elements *elements, const int *number, const int *node, int count)
{
    int end = elements->first[elements->count];
    for (int i = 0; i < count; i++) elements->block[end++] = number[node[i]];
    elements->first[++elements->count] = end;
}

/* Visits both directions of every pair of blocks that meet in an element. neighbour NULL: counts those of block a in
 * next[a]; else writes them from neighbour[next[a]] on. */
static void visit_pairs(const trm_block_elements *elements, int *next, int *neighbour)
{
    for (int e = 0; e < elements->count; e++)
        for (int p = elements->first[e]; p < elements->first[e + 1]; p++)
            for (int q = elements->first[e]; q < elements->first[e + 1]; q++) {
                const int a = elements->block[p], b = elements->block[q];
                if (a < 0 || b < 0 || a == b) continue;
                if (neighbour) neighbour[next[a]] = b;
                next[a]++;
            }
}

bool trm_block_graph_make(const trm_block_elements *elements, int blocks, const int *size, trm_arena *arena,
                          trm_block_graph *graph)
{
    int *first = TRM_NEW_ARRAY(arena, int, blocks + 1), *next = TRM_NEW_ARRAY(arena, int, blocks);
    if (!first || !next) return false;
    visit_pairs(elements, next, NULL);
    for (int b = 0; b < blocks; b++) {
        first[b + 1] = first[b] + next[b];
        next[b] = first[b];
    }
    int *neighbour = TRM_NEW_ROOM(arena, int, first[blocks]);
    if (!neighbour) return false;
    visit_pairs(elements, next, neighbour);
    *graph = (trm_block_graph){blocks, size, first, neighbour, NULL};
    return true;
}

/* ---- Order -------------------------------------------------------------------------------- */

/* Copies the graph without duplicate neighbours. mark: per block, negative. */
static void copy_graph(const trm_block_graph *graph, int *mark, trm_degree_graph *copy)
{
    for (int b = 0; b < graph->blocks; b++) {
        copy->start[b] = copy->entries;
        for (int n = graph->first[b]; n < graph->first[b + 1]; n++) {
            const int other = graph->neighbour[n];
            if (mark[other] != b) mark[other] = b, copy->list[copy->entries++] = other;
        }
        copy->length[b] = copy->entries - copy->start[b];
    }
}

static bool order_by_degree(const trm_block_graph *graph, trm_arena *scratch, int *order)
{
    const int n = graph->blocks, entries = graph->first[n];
    if (n == 0) return true;
    const size_t room =
        /* a fifth more than necessary, so that lists move less often */
        (size_t)entries + (size_t)entries / 5 + (size_t)n;
    if (room > INT_MAX) return false;
    trm_degree_graph copy = {.nodes = n,
                             .room = (int)room,
                             .list = TRM_NEW_ARRAY(scratch, int, room),
                             .start = TRM_NEW_ARRAY(scratch, int, n),
                             .length = TRM_NEW_ARRAY(scratch, int, n)};
    int *mark = TRM_NEW_ARRAY(scratch, int, n);
    if (scratch->failed) return false;
    for (int b = 0; b < n; b++) mark[b] = -1;
    copy_graph(graph, mark, &copy);
    return trm_minimum_degree(&copy, scratch, order);
}

static bool choose_order(const trm_block_graph *graph, trm_arena *scratch, trm_block_symbolic *s)
{
    if (!graph->order && !order_by_degree(graph, scratch, s->block)) return false;
    if (graph->order) memcpy(s->block, graph->order, (size_t)graph->blocks * sizeof *s->block);
    for (int k = 0; k < graph->blocks; k++) s->position[s->block[k]] = k;
    return true;
}

/* ---- Pattern ------------------------------------------------------------------------------ */

typedef struct elimination_tree {
    int *parent; /* -1: none (yet) */
    int *mark;   /* per position: the last row that has an entry there */
    int *count;  /* entries of each column so far */
} elimination_tree;

/* Visits the entries (i, j) of row i of L; if rows is given, writes i into column j there. */
static void visit_row(const trm_block_graph *graph, const trm_block_symbolic *s, elimination_tree *tree, int i,
                      int *rows)
{
    const int b = s->block[i];
    tree->mark[i] = i;
    for (int n = graph->first[b]; n < graph->first[b + 1]; n++)
        for (int j = s->position[graph->neighbour[n]]; j < i && tree->mark[j] != i; j = tree->parent[j]) {
            if (tree->parent[j] < 0) tree->parent[j] = i;
            if (rows) rows[s->column[j] + tree->count[j]] = i;
            tree->count[j]++;
            tree->mark[j] = i;
        }
}

/* Counts the entries of all columns, then writes them. Fails when out of memory, or when L is too large. */
static bool find_columns(const trm_block_graph *graph, trm_arena *scratch, trm_arena *arena, trm_block_symbolic *s)
{
    const int n = s->blocks;
    elimination_tree tree = {TRM_NEW_ARRAY(scratch, int, n), TRM_NEW_ARRAY(scratch, int, n),
                             TRM_NEW_ARRAY(scratch, int, n)};
    if (!tree.parent || !tree.mark || !tree.count) return false;
    for (int k = 0; k < n; k++) tree.parent[k] = tree.mark[k] = -1;
    for (int i = 0; i < n; i++) visit_row(graph, s, &tree, i, NULL);

    size_t entries = 0;
    for (int k = 0; k < n; k++) {
        s->column[k] = (int)entries;
        entries += (size_t)tree.count[k];
        if (entries > INT_MAX) return false; /* L would take more than 16 GB */
        tree.count[k] = 0, tree.mark[k] = -1;
    }
    s->column[n] = (int)entries;
    s->row = TRM_NEW_ARRAY(arena, int, entries);
    s->value = TRM_NEW_ARRAY(arena, size_t, entries);
    if (!s->row || !s->value) return false;
    for (int i = 0; i < n; i++) visit_row(graph, s, &tree, i, s->row);
    return true;
}

/* Sets sizes and the start of each block's values: the pivot, then the column below it. */
static void lay_out(const trm_block_graph *graph, trm_block_symbolic *s)
{
    for (int k = 0; k < s->blocks; k++) {
        s->size[k] = graph->size[s->block[k]];
        s->first_row[k] = s->rows;
        s->rows += s->size[k];
    }
    for (int k = 0; k < s->blocks; k++) {
        s->pivot[k] = s->values;
        s->values += (size_t)(s->size[k] * s->size[k]);
        for (int e = s->column[k]; e < s->column[k + 1]; e++) {
            s->value[e] = s->values;
            s->values += (size_t)(s->size[s->row[e]] * s->size[k]);
        }
    }
}

/* ---- Panels ------------------------------------------------------------------------------- */

static bool is_single(const trm_block_symbolic *s, int k)
{
    bool single = s->size[k] == 1;
    for (int e = s->column[k]; e < s->column[k + 1]; e++) single &= s->size[s->row[e]] == 1;
    return single;
}

/* Returns whether column k and the next belong to one panel. The first row of column k is the next column, which has
 * all other rows of column k. Equal counts therefore mean equal rows. */
static bool may_continue(const trm_block_symbolic *s, int k)
{
    const int count = s->column[k + 1] - s->column[k];
    return count > 0 && s->row[s->column[k]] == k + 1 && s->column[k + 2] - s->column[k + 1] == count - 1;
}

/* Fills s->panel from its columns and sizes. */
static void find_panels(trm_block_symbolic *s)
{
    for (int k = 0, next; k < s->blocks; k = next) {
        next = k + 1;
        s->panel[k] = 0;
        if (!is_single(s, k)) continue;
        for (; next - k < TRM_PANEL_COLUMNS && may_continue(s, next - 1); next++) s->panel[next] = -1;
        s->panel[k] = next - k;
    }
}

bool trm_block_symbolic_find(const trm_block_graph *graph, trm_arena *arena, trm_arena *scratch,
                             trm_block_symbolic *symbolic)
{
    const int n = graph->blocks;
    *symbolic = (trm_block_symbolic){
        .blocks = n,
        .size = TRM_NEW_ARRAY(arena, int, n),
        .first_row = TRM_NEW_ARRAY(arena, int, n),
        .position = TRM_NEW_ARRAY(arena, int, n),
        .block = TRM_NEW_ARRAY(arena, int, n),
        .column = TRM_NEW_ARRAY(arena, int, n + 1),
        .pivot = TRM_NEW_ARRAY(arena, size_t, n),
        .panel = TRM_NEW_ARRAY(arena, int, n),
    };
    if (arena->failed || !choose_order(graph, scratch, symbolic) || !find_columns(graph, scratch, arena, symbolic))
        return false;
    lay_out(graph, symbolic);
    find_panels(symbolic);
    return true;
}

/* ---- Places ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Returns where block (i, j) starts, i >= j, by position. */
static size_t place_of(const trm_block_symbolic *s, int i, int j)
{
    if (i == j) return s->pivot[j];
    const int *rows = s->row + s->column[j];
    const int *found = bsearch(&i, rows, (size_t)(s->column[j + 1] - s->column[j]), sizeof *rows, compare);
    TRM_ASSERT(found);
    return s->value[s->column[j] + (int)(found - rows)];
}

size_t trm_block_place(const trm_block_symbolic *symbolic, int a, int b, bool *transposed)
{
    const int i = symbolic->position[a], j = symbolic->position[b];
    *transposed = i < j;
    return i < j ? place_of(symbolic, j, i) : place_of(symbolic, i, j);
}
