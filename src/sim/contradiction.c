/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Distances that contradict each other: in a closed path through distance joints one side is longer than all others
 * together.
 *
 * Vertices are the ends of attached distance joints. Sides are the joints themselves, and the straight lines between
 * ends on the same carrier: a body, or the union of all fixed bodies. If the shortest path between the ends of a
 * side is shorter than the side, it contradicts the side. A rope can be part of such a path, because it keeps its
 * ends together, but not the side that is too long.
 *
 * Shortest paths from one end are found by correcting labels in a queue (Bellman, Ford), no farther than the longest
 * side at that end. At most MOST_VISITS sides are visited in all. A large machine reports the contradictions found by
 * then, and the gaps that assembly names. */

#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "base/tolerance.h"
#include "sim/sim.h"

enum { MOST_VISITS = 20000000, MOST_REPORTED = 8, MOST_NAMED = 6 };

typedef struct end {
    int joint, slot;
    int carrier; /* body; 0: fixed */
    trm_vec3 at; /* m: position in the world */
} end;

/* The ends of one joint, e and e ^ 1, are adjacent. */
typedef struct graph {
    const trm_state *state;
    int count;
    end *ends;
    int *first, *on_carrier; /* ends on carrier c: on_carrier[first[c]] .. on_carrier[first[c + 1] - 1] */
    double *distance;        /* m: length of the shortest path so far from the source */
    int *before;             /* previous end on that path */
    int *queue;              /* ring buffer of count + 1 */
    bool *queued;
    long long visits;
    int reported;
} graph;

static const trm_joint *joint_of(const graph *g, int e)
{
    return &g->state->model->joints[g->ends[e].joint];
}

static double line(const graph *g, int a, int b)
{
    return trm_v3_length(trm_v3_sub(g->ends[a].at, g->ends[b].at));
}

/* ---- The graph ------------------------------------------------------------------------------ */

static void list_ends(graph *g)
{
    const trm_model *model = g->state->model;
    for (int j = 0; j < model->joint_count; j++) {
        if (model->joints[j].type != &trm_joint_distance || !g->state->attached[j]) continue;
        const trm_joint_at at = trm_joint_now(g->state, j);
        for (int k = 0; k < 2; k++) {
            const int body = at.joint->body[k];
            const int carrier = model->bodies[body].inverse_mass > 0 ? body : 0;
            g->ends[g->count++] = (end){j, k, carrier, at.X[k].p};
        }
    }
}

static void sort_by_carrier(graph *g, int *next)
{
    const int carriers = g->state->model->body_count;
    for (int e = 0; e < g->count; e++) g->first[g->ends[e].carrier + 1]++;
    for (int c = 0; c < carriers; c++) next[c + 1] = g->first[c + 1] += g->first[c];
    for (int e = 0; e < g->count; e++) g->on_carrier[next[g->ends[e].carrier]++] = e;
}

static bool make_graph(graph *g, trm_arena *arena)
{
    const trm_model *model = g->state->model;
    const size_t most = 2 * (size_t)model->joint_count;
    int *next = TRM_NEW_ARRAY(arena, int, model->body_count + 1);
    g->ends = TRM_NEW_ARRAY(arena, end, most);
    g->first = TRM_NEW_ARRAY(arena, int, model->body_count + 1);
    g->on_carrier = TRM_NEW_ARRAY(arena, int, most);
    g->distance = TRM_NEW_ARRAY(arena, double, most);
    g->before = TRM_NEW_ARRAY(arena, int, most);
    g->queue = TRM_NEW_ARRAY(arena, int, most + 1);
    g->queued = TRM_NEW_ARRAY(arena, bool, most);
    if (arena->failed) return false;
    list_ends(g);
    sort_by_carrier(g, next);
    return true;
}

/* ---- Shortest paths ------------------------------------------------------------------------- */

static double longest_side(const graph *g, int source)
{
    const int carrier = g->ends[source].carrier;
    double longest = joint_of(g, source)->length;
    for (int i = g->first[carrier]; i < g->first[carrier + 1]; i++)
        longest = fmax(longest, line(g, source, g->on_carrier[i]));
    return longest;
}

typedef struct ring {
    int head, tail;
} ring;

static void try_side(graph *g, ring *r, int from, int to, double length, double farthest)
{
    const double way = g->distance[from] + length;
    g->visits++;
    if (!(way < g->distance[to]) || way > farthest) return;
    g->distance[to] = way;
    g->before[to] = from;
    if (g->queued[to]) return;
    g->queued[to] = true;
    g->queue[r->tail] = to;
    r->tail = (r->tail + 1) % (g->count + 1);
}

static void find_paths(graph *g, int source)
{
    const double farthest = longest_side(g, source);
    ring r = {0, 1};
    for (int e = 0; e < g->count; e++) g->distance[e] = INFINITY, g->before[e] = -1, g->queued[e] = false;
    g->distance[source] = 0;
    g->queue[0] = source;
    while (r.head != r.tail && g->visits < MOST_VISITS) {
        const int e = g->queue[r.head], carrier = g->ends[e].carrier;
        r.head = (r.head + 1) % (g->count + 1);
        g->queued[e] = false;
        try_side(g, &r, e, e ^ 1, joint_of(g, e)->length, farthest);
        for (int i = g->first[carrier]; i < g->first[carrier + 1]; i++)
            if (g->on_carrier[i] != e) try_side(g, &r, e, g->on_carrier[i], line(g, e, g->on_carrier[i]), farthest);
    }
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* Returns whether the path to this end comes through its own joint. */
static bool ends_with_own_joint(const graph *g, int e)
{
    return g->before[e] == (e ^ 1);
}

static int joints_on_path(const graph *g, int to)
{
    int count = 0;
    for (int e = to; g->before[e] >= 0; e = g->before[e]) count += ends_with_own_joint(g, e);
    return count;
}

/* Writes "'a', 'b' and 'c'", the joints from the source to the end. */
static void name_joints(const graph *g, int to, char *text, size_t size)
{
    const int count = joints_on_path(g, to), shown = count > MOST_NAMED ? MOST_NAMED - 1 : count;
    const char *names[MOST_NAMED] = {NULL};
    int number = count;
    size_t length = 0;
    for (int e = to; g->before[e] >= 0; e = g->before[e])
        if (ends_with_own_joint(g, e) && --number < shown) names[number] = joint_of(g, e)->name;
    text[0] = 0;
    for (int i = 0; i < shown && length < size; i++) {
        const char *separator = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        length += (size_t)snprintf(text + length, size - length, "%s'%s'", separator, names[i]);
    }
    if (count > shown && length < size) snprintf(text + length, size - length, " and %d more joints", count - shown);
}

static void report_joint(graph *g, int source, trm_messages *messages)
{
    const trm_joint *joint = joint_of(g, source);
    char element[120], names[400];
    snprintf(element, sizeof element, "joint '%s'", joint->name);
    name_joints(g, source ^ 1, names, sizeof names);
    trm_add_message(messages, TRM_ERROR, joint->source, element,
                    "is %.6g m long, but %s between its ends make%s only %.6g m; correct a length", joint->length,
                    names, joints_on_path(g, source ^ 1) == 1 ? "s" : "", g->distance[source ^ 1]);
}

static void report_carrier(graph *g, int source, int to, trm_messages *messages)
{
    const trm_joint *joint = joint_of(g, source);
    const int carrier = g->ends[source].carrier;
    char element[120], names[400], where[120] = "what is held";
    snprintf(element, sizeof element, "joint '%s'", joint->name);
    if (carrier > 0) snprintf(where, sizeof where, "body '%s'", g->state->model->bodies[carrier].name);
    name_joints(g, to, names, sizeof names);
    trm_add_message(
        messages, TRM_ERROR, joint->source, element,
        "its anchor and that of '%s' on %s are %.6g m apart, but %s between them make only %.6g m; correct a length "
        "or an anchor",
        joint_of(g, to)->name, where, line(g, source, to), names, g->distance[to]);
}

/* Reports all sides at one end that are too long. A line is reported once, where the path begins and ends with the
 * joints at its ends, because other ends at the same positions have the same lines. */
static void report_from(graph *g, int source, trm_messages *messages)
{
    const trm_joint *joint = joint_of(g, source);
    const int carrier = g->ends[source].carrier;
    find_paths(g, source);
    if (source % 2 == 0 && !joint->rope && joint->length > g->distance[source ^ 1] + TRM_FILE_DIGITS &&
        g->reported++ < MOST_REPORTED)
        report_joint(g, source, messages);
    if (!ends_with_own_joint(g, source ^ 1)) return;
    for (int i = g->first[carrier]; i < g->first[carrier + 1]; i++) {
        const int to = g->on_carrier[i];
        if (to <= source || !ends_with_own_joint(g, to) || !(line(g, source, to) > g->distance[to] + TRM_FILE_DIGITS))
            continue;
        int second = to;
        while (g->before[second] != source) second = g->before[second];
        if (second == (source ^ 1) && g->reported++ < MOST_REPORTED) report_carrier(g, source, to, messages);
    }
}

trm_contradiction trm_report_contradictions(const trm_state *state, trm_arena *arena, trm_messages *messages)
{
    graph g = {.state = state};
    if (!make_graph(&g, arena)) return TRM_CONTRADICTION_NO_MEMORY;
    for (int e = 0; e < g.count && g.visits < MOST_VISITS; e++) report_from(&g, e, messages);
    return g.reported > 0 ? TRM_CONTRADICTION : TRM_NO_CONTRADICTION;
}
