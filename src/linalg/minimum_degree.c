/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Approximate minimum degree (Amestoy, Davis, Duff, An approximate minimum degree ordering algorithm, SIAM J.
 * Matrix Anal. Appl. 17, 1996; rules of absorption and of dense rows as in their Algorithm 837, ACM TOMS 30, 2004:
 * the orders are the same).
 *
 * Elimination turns a variable p into an element, a clique of the variables that it reaches,
 *
 *   L_p = (A_p  u  union of L_e over the elements e next to p) \ {p},
 *
 * and absorbs those elements. Variables are adjacent to variables (A_i) and to elements (E_i). The first variable
 * of least degree is eliminated next. Its degree is not counted but bounded,
 *
 *   d_i = min( n - k,  d_i + |L_p \ i|,  |A_i \ i| + |L_p \ i| + sum over e in E_i \ {p} of |L_e \ L_p| ),
 *
 * where all |L_e \ L_p| follow from one pass through L_p. Variables with the same neighbours (found by hashing)
 * are merged into one of their total weight. A variable with no neighbour outside L_p is eliminated with p. An
 * element inside L_p is absorbed. The elements form a forest, whose postorder is the order: the largest child of
 * each comes last, and the variables merged into a pivot are next to it. Variables with more than 10 sqrt(n)
 * neighbours (and more than 16) go to the end. */

#include "linalg/minimum_degree.h"

#include <limits.h>
#include <math.h>

enum { NONE = -1 };

/* For variable i, list[start[i]] .. holds elements[i] elements, then variables; for element e, its variables. */
typedef struct ordering {
    int n, room, used; /* n: nodes; room, used: sizes of list */
    int *list, *start, *length, *elements;
    /* of a variable: number of variables merged in it; 0: no longer a variable; negative: in the new element. Of
     * an element: number of variables eliminated with it */
    int *weight;
    int *degree; /* of a variable: upper bound of its degree; of an element: weight of its variables */
    int *mark;   /* of an element: 0: absorbed; else flag + |L_e \ L_p| in this round, or less than flag */
    int *head;   /* per degree: its first variable */
    int *next;   /* next variable of the same degree, or of the same hash while variables are compared */
    int *previous;
    int *bucket; /* per hash: its first variable in L_p */
    int *hash;
    int *parent; /* the element that absorbed it */
    int *front;  /* of an element: rows and columns of its dense matrix */
    int flag, least, eliminated, largest;
} ordering;

/* The element being made. */
typedef struct pivot {
    int node, first, last; /* its variables are list[first] .. list[last - 1] */
    int weight, degree;
    bool in_place;
} pivot;

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* ---- Lists of variables by degree --------------------------------------------------------- */

static void enter(ordering *o, int i, int degree)
{
    const int first = o->head[degree];
    if (first != NONE) o->previous[first] = i;
    o->next[i] = first;
    o->previous[i] = NONE;
    o->head[degree] = i;
}

static void leave(ordering *o, int i)
{
    const int before = o->previous[i], after = o->next[i];
    if (after != NONE) o->previous[after] = before;
    if (before != NONE)
        o->next[before] = after;
    else
        o->head[o->degree[i]] = after;
}

static int take_least(ordering *o)
{
    while (o->head[o->least] == NONE) o->least++;
    const int i = o->head[o->least];
    leave(o, i);
    return i;
}

/* Marks below flag belong to earlier rounds; they are reset before the numbers overflow. */
static void renew_flag(ordering *o)
{
    if (o->flag >= 2 && o->flag < INT_MAX - o->n) return;
    for (int i = 0; i < o->n; i++)
        if (o->mark[i] != 0) o->mark[i] = 1;
    o->flag = 2;
}

/* ---- Making an element -------------------------------------------------------------------- */

/* Moves all lists to the front of the array, without gaps. Meanwhile the first entry of each list is replaced by its
 * owner, whose start holds the entry. */
static void compact(ordering *o)
{
    for (int i = 0; i < o->n; i++)
        if (o->start[i] != NONE) {
            const int first = o->start[i];
            o->start[i] = o->list[first];
            o->list[first] = -i - 2;
        }
    int to = 0;
    for (int from = 0; from < o->used;) {
        const int owner = -o->list[from++] - 2;
        if (owner < 0) continue;
        o->list[to] = o->start[owner];
        o->start[owner] = to++;
        for (int k = 1; k < o->length[owner]; k++) o->list[to++] = o->list[from++];
    }
    o->used = to;
}

static void add_variables(ordering *o, pivot *p, int from, int count)
{
    for (int k = from; k < from + count; k++) {
        const int i = o->list[k], weight = o->weight[i];
        if (weight <= 0) continue;
        p->degree += weight;
        o->weight[i] = -weight;
        o->list[p->last++] = i;
        leave(o, i);
    }
}

/* Moves the variables of element e to another element. */
static void absorb(ordering *o, int e, int into)
{
    o->parent[e] = into;
    o->mark[e] = 0;
    o->start[e] = NONE;
}

static void make_element(ordering *o, pivot *p)
{
    const int me = p->node, elements = o->elements[me];
    p->in_place = elements == 0;
    if (!p->in_place && o->used > o->room - (o->n - o->eliminated)) compact(o);
    const int start = o->start[me];
    p->first = p->last = p->in_place ? start : o->used;
    for (int k = start; k < start + elements; k++) {
        const int e = o->list[k];
        add_variables(o, p, o->start[e], o->length[e]);
        absorb(o, e, me);
    }
    add_variables(o, p, start + elements, o->length[me] - elements);
    o->start[me] = p->first;
    o->length[me] = p->last - p->first;
    o->degree[me] = p->degree;
    o->front[me] = p->weight + p->degree;
}

/* ---- Degrees ------------------------------------------------------------------------------ */

/* Sets mark - flag = |L_e \ L_p| for all elements next to the new one. */
static void measure_overlaps(ordering *o, const pivot *p)
{
    for (int k = p->first; k < p->last; k++) {
        const int i = o->list[k], weight = -o->weight[i];
        for (int m = o->start[i]; m < o->start[i] + o->elements[i]; m++) {
            const int e = o->list[m];
            if (o->mark[e] >= o->flag)
                o->mark[e] -= weight;
            else if (o->mark[e] != 0)
                o->mark[e] = o->degree[e] + o->flag - weight;
        }
    }
}

/* Eliminates variable i, which has no neighbour outside the new element, together with it. */
static void eliminate_with(ordering *o, pivot *p, int i)
{
    const int weight = -o->weight[i];
    o->parent[i] = p->node;
    o->start[i] = NONE;
    o->weight[i] = 0;
    p->degree -= weight;
    p->weight += weight;
    o->eliminated += weight;
}

static void enter_bucket(ordering *o, int i, unsigned hash)
{
    const int at = (int)(hash % (unsigned)o->n);
    o->next[i] = o->bucket[at];
    o->bucket[at] = i;
    o->hash[i] = at;
}

/* Removes absorbed items from the list of variable i, puts the new element first, and bounds its degree. */
static void update_variable(ordering *o, pivot *p, int i)
{
    const int start = o->start[i], variables = start + o->elements[i], end = start + o->length[i];
    int to = start, degree = 0;
    unsigned hash = 0;
    for (int k = start; k < variables; k++) {
        const int e = o->list[k], outside = o->mark[e] - o->flag;
        if (o->mark[e] == 0) continue;
        if (outside > 0) {
            degree += outside;
            o->list[to++] = e;
            hash += (unsigned)e;
        } else
            absorb(o, e, p->node);
    }
    const int middle = to;
    for (int k = variables; k < end; k++) {
        const int j = o->list[k];
        if (o->weight[j] <= 0) continue;
        degree += o->weight[j];
        o->list[to++] = j;
        hash += (unsigned)j;
    }
    if (to == start) {
        eliminate_with(o, p, i);
        return;
    }
    o->degree[i] = smaller(o->degree[i], degree);
    o->list[to] = o->list[middle];
    o->list[middle] = o->list[start];
    o->list[start] = p->node;
    o->elements[i] = middle - start + 1;
    o->length[i] = to - start + 1;
    enter_bucket(o, i, hash);
}

/* ---- Variables with the same neighbours --------------------------------------------------- */

static bool same_neighbours(const ordering *o, int i, int j)
{
    if (o->length[i] != o->length[j] || o->elements[i] != o->elements[j]) return false;
    for (int k = o->start[j] + 1; k < o->start[j] + o->length[j]; k++)
        if (o->mark[o->list[k]] != o->flag) return false;
    return true;
}

static void merge_into(ordering *o, int i, int j)
{
    o->parent[j] = i;
    o->start[j] = NONE;
    o->weight[i] += o->weight[j];
    o->weight[j] = 0;
}

/* Merges equal variables of a bucket: compares the first with those after it, then the next. All lists have the new
 * element first. */
static void merge_bucket(ordering *o, int first)
{
    for (int i = first; i != NONE && o->next[i] != NONE; i = o->next[i], o->flag++) {
        for (int k = o->start[i] + 1; k < o->start[i] + o->length[i]; k++) o->mark[o->list[k]] = o->flag;
        int before = i;
        for (int j = o->next[i]; j != NONE; j = o->next[j]) {
            if (same_neighbours(o, i, j)) {
                merge_into(o, i, j);
                o->next[before] = o->next[j];
            } else
                before = j;
        }
    }
}

static void merge_alike(ordering *o, const pivot *p)
{
    for (int k = p->first; k < p->last; k++) {
        const int i = o->list[k];
        if (o->weight[i] >= 0) continue;
        const int first = o->bucket[o->hash[i]];
        o->bucket[o->hash[i]] = NONE;
        merge_bucket(o, first);
    }
}

/* ---- Rounds ------------------------------------------------------------------------------- */

/* Puts the remaining variables of the new element back into the lists by degree. */
static void finish_element(ordering *o, pivot *p)
{
    const int left = o->n - o->eliminated;
    int to = p->first;
    for (int k = p->first; k < p->last; k++) {
        const int i = o->list[k], weight = -o->weight[i];
        if (weight <= 0) continue;
        o->weight[i] = weight;
        o->degree[i] = smaller(o->degree[i] + p->degree - weight, left - weight);
        enter(o, i, o->degree[i]);
        o->least = smaller(o->least, o->degree[i]);
        o->list[to++] = i;
    }
    const int me = p->node;
    o->weight[me] = p->weight;
    o->degree[me] = p->degree;
    o->length[me] = to - p->first;
    if (to == p->first) o->start[me] = NONE, o->mark[me] = 0;
    if (!p->in_place) o->used = to;
}

static void eliminate_next(ordering *o)
{
    pivot p = {.node = take_least(o)};
    p.weight = o->weight[p.node];
    o->eliminated += p.weight;
    o->weight[p.node] = -p.weight;
    make_element(o, &p);
    renew_flag(o);
    measure_overlaps(o, &p);
    for (int k = p.first; k < p.last; k++) update_variable(o, &p, o->list[k]);
    if (o->largest < p.degree) o->largest = p.degree;
    o->flag += o->largest;
    renew_flag(o);
    merge_alike(o, &p);
    finish_element(o, &p);
}

/* Initialises the lists. Isolated nodes become elements at once; dense nodes belong to no element and come last. */
static void begin(ordering *o)
{
    const int dense = smaller(o->n, (int)fmax(16, 10 * sqrt(o->n)));
    o->flag = 0;
    renew_flag(o);
    for (int i = 0; i < o->n; i++)
        o->parent[i] = o->head[i] = o->bucket[i] = NONE, o->weight[i] = o->mark[i] = 1, o->degree[i] = o->length[i];
    for (int i = 0; i < o->n; i++) {
        if (o->degree[i] == 0 || o->degree[i] > dense) {
            o->weight[i] = o->degree[i] == 0;
            o->mark[i] = o->weight[i] ? 0 : 1;
            o->front[i] = 1;
            o->start[i] = NONE;
            o->eliminated++;
        } else
            enter(o, i, o->degree[i]);
    }
}

/* ---- Postorder ---------------------------------------------------------------------------- */

/* Makes the element at the end of each path of merged variables the parent of all variables on the path. */
static void compress_paths(ordering *o)
{
    for (int i = 0; i < o->n; i++) {
        if (o->weight[i] != 0 || o->parent[i] == NONE) continue;
        int e = o->parent[i];
        while (o->weight[e] == 0) e = o->parent[e];
        for (int j = i; o->weight[j] == 0;) {
            const int up = o->parent[j];
            o->parent[j] = e;
            j = up;
        }
    }
}

/* Lists the children of each element in ascending order, but the largest front last (of several the last). */
static void list_children(ordering *o, int *child, int *sibling)
{
    for (int i = 0; i < o->n; i++) child[i] = sibling[i] = NONE;
    for (int j = o->n - 1; j >= 0; j--)
        if (o->weight[j] > 0 && o->parent[j] != NONE) sibling[j] = child[o->parent[j]], child[o->parent[j]] = j;
    for (int i = 0; i < o->n; i++) {
        int large = NONE, before_large = NONE, last = NONE;
        for (int c = child[i]; c != NONE; last = c, c = sibling[c])
            if (large == NONE || o->front[c] >= o->front[large]) large = c, before_large = last;
        if (large == last) continue;
        if (before_large == NONE)
            child[i] = sibling[large];
        else
            sibling[before_large] = sibling[large];
        sibling[last] = large;
        sibling[large] = NONE;
    }
}

/* Numbers the elements below root from *place on, children first. The number of an element is the place of its first
 * variable. */
static void visit_tree(ordering *o, int root, int *child, const int *sibling, int *position, int *place)
{
    for (int e = root; e != NONE;) {
        if (child[e] != NONE) {
            const int down = child[e];
            child[e] = NONE;
            e = down;
            continue;
        }
        position[e] = *place;
        *place += o->weight[e];
        if (e == root) return;
        e = sibling[e] != NONE ? sibling[e] : o->parent[e];
    }
}

/* Writes the elimination order. A pivot comes after the variables eliminated with it. */
static void write_order(ordering *o, int *order)
{
    int *child = o->head, *sibling = o->next, *position = o->previous, place = 0;
    compress_paths(o);
    list_children(o, child, sibling);
    for (int i = 0; i < o->n; i++)
        if (o->weight[i] > 0 && o->parent[i] == NONE) visit_tree(o, i, child, sibling, position, &place);
    for (int i = 0; i < o->n; i++) {
        if (o->weight[i] > 0) continue;
        position[i] = o->parent[i] != NONE ? position[o->parent[i]]++ : place++;
    }
    for (int i = 0; i < o->n; i++) order[position[i]] = i;
}

bool trm_minimum_degree(const trm_degree_graph *graph, trm_arena *scratch, int *order)
{
    const int n = graph->nodes;
    ordering o = {.n = n, .room = graph->room, .used = graph->entries};
    o.list = graph->list, o.start = graph->start, o.length = graph->length;
    int **arrays[] = {&o.elements, &o.weight, &o.degree, &o.mark,   &o.head, &o.next,
                      &o.previous, &o.bucket, &o.hash,   &o.parent, &o.front};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) *arrays[i] = TRM_NEW_ARRAY(scratch, int, n);
    if (scratch->failed) return false;
    begin(&o);
    while (o.eliminated < n) eliminate_next(&o);
    write_order(&o, order);
    return true;
}
