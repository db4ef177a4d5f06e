/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "model/topology.h"

#include "base/union_find.h"

/* The joints of each body, in one list after the other: those of vertex v are joint[first[v]] .. joint[first[v +
 * 1] - 1]. Vertex 0 stands for all held bodies. */
typedef struct incidence {
    int *first;
    int *joint;
} incidence;

typedef struct search {
    const trm_model *model;
    const bool *attached;
    incidence at;
    bool *seen; /* per body; [0]: the held vertex */
    trm_topology *topology;
} search;

static int vertex_of(const trm_model *model, int body)
{
    return model->bodies[body].inverse_mass > 0 ? body : 0;
}

static bool is_attached(const search *s, int joint)
{
    return s->attached ? s->attached[joint] : s->model->joints[joint].attached;
}

static bool is_edge(const search *s, int joint)
{
    return is_attached(s, joint) && !s->model->joints[joint].host;
}

/* Sorts the ends of the joints by vertex (counting sort). */
static bool list_incidence(search *s, trm_arena *arena)
{
    const trm_model *model = s->model;
    int *first = TRM_NEW_ARRAY(arena, int, model->body_count + 1);
    int *next = TRM_NEW_ARRAY(arena, int, model->body_count + 1);
    s->at.first = first;
    s->at.joint = TRM_NEW_ARRAY(arena, int, TRM_JOINT_BODIES *(size_t)model->joint_count);
    if (!first || !next || !s->at.joint) return false;
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; is_edge(s, j) && k < model->joints[j].body_count; k++)
            first[vertex_of(model, model->joints[j].body[k]) + 1]++;
    for (int v = 0; v < model->body_count; v++) next[v + 1] = first[v + 1] += first[v];
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; is_edge(s, j) && k < model->joints[j].body_count; k++)
            s->at.joint[next[vertex_of(model, model->joints[j].body[k])]++] = j;
    return true;
}

/* Makes all bodies that share a joint with a vertex, and are not in the tree yet, its children. */
static void visit(search *s, int vertex)
{
    trm_topology *t = s->topology;
    for (int i = s->at.first[vertex]; i < s->at.first[vertex + 1]; i++) {
        const int j = s->at.joint[i];
        for (int k = 0; k < s->model->joints[j].body_count; k++) {
            const int other = vertex_of(s->model, s->model->joints[j].body[k]);
            if (s->seen[other]) continue;
            s->seen[other] = true;
            t->parent_joint[other] = j;
            t->tree_joint[j] = true;
            t->order[t->order_count++] = other;
        }
    }
}

/* Searches breadth first from a root. The order of the bodies is that of the queue, without the held vertex 0. */
static void grow_tree(search *s, int root)
{
    trm_topology *t = s->topology;
    int next = t->order_count;
    s->seen[root] = true;
    if (root == 0)
        visit(s, 0);
    else
        t->order[t->order_count++] = root;
    while (next < t->order_count) visit(s, t->order[next++]);
}

/* Finds the islands: merges the free bodies of each joint, including gears, which are not edges. Islands are numbered
 * in the order of their first bodies. Returns false when out of memory. */
static bool find_islands(const search *s, trm_arena *arena)
{
    const trm_model *model = s->model;
    trm_topology *t = s->topology;
    int *root = TRM_NEW_ARRAY(arena, int, model->body_count);
    if (!root) return false;
    trm_sets_clear(root, model->body_count);
    for (int i = 0; i < model->body_count; i++) t->island_of_body[i] = -1;
    for (int j = 0; j < model->joint_count; j++) {
        int first = 0;
        for (int k = 0; is_attached(s, j) && k < model->joints[j].body_count; k++) {
            const int vertex = vertex_of(model, model->joints[j].body[k]);
            if (vertex && first) root[trm_set_of(root, vertex)] = trm_set_of(root, first);
            if (vertex) first = vertex;
        }
    }
    for (int i = 1; i < model->body_count; i++) {
        if (vertex_of(model, i) == 0) continue;
        int *island = &t->island_of_body[trm_set_of(root, i)];
        if (*island < 0) *island = t->island_count++;
        t->island_of_body[i] = *island;
    }
    return true;
}

static void place_joints(const search *s)
{
    const trm_model *model = s->model;
    for (int j = 0; j < model->joint_count; j++) {
        const bool attached = is_attached(s, j);
        s->topology->island_of_joint[j] = -1;
        for (int k = 0; attached && k < model->joints[j].body_count; k++) {
            const int vertex = vertex_of(model, model->joints[j].body[k]);
            if (vertex) s->topology->island_of_joint[j] = s->topology->island_of_body[vertex];
        }
    }
}

bool trm_topology_find(const trm_model *model, const bool *attached, trm_arena *arena, trm_topology *topology)
{
    const int bodies = model->body_count, joints = model->joint_count;
    *topology = (trm_topology){
        .island_of_body = TRM_NEW_ARRAY(arena, int, bodies),
        .island_of_joint = TRM_NEW_ARRAY(arena, int, joints),
        .tree_joint = TRM_NEW_ARRAY(arena, bool, joints),
        .parent_joint = TRM_NEW_ARRAY(arena, int, bodies),
        .order = TRM_NEW_ARRAY(arena, int, bodies),
    };
    search s = {
        .model = model, .attached = attached, .topology = topology, .seen = TRM_NEW_ARRAY(arena, bool, bodies)};
    if (arena->failed || !list_incidence(&s, arena)) return false;

    for (int i = 0; i < bodies; i++) topology->parent_joint[i] = -1;
    grow_tree(&s, 0);
    for (int i = 1; i < bodies; i++)
        if (vertex_of(model, i) != 0 && !s.seen[i]) grow_tree(&s, i);
    if (!find_islands(&s, arena)) return false;
    place_joints(&s);
    return true;
}
