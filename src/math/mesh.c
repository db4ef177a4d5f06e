/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "math/mesh.h"

#include <stdlib.h>

typedef struct edge {
    int from, to;
} edge;

static int compare_edges(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void list_edges(const trm_mesh *mesh, edge *edges)
{
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) *edges++ = (edge){mesh->triangles[t][k], mesh->triangles[t][(k + 1) % 3]};
}

/* Returns whether the sorted edges are all different and each has its opposite among them. */
static bool edges_are_paired(const edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const edge opposite = {edges[i].to, edges[i].from};
        if (opposite.from == opposite.to) return false;
        if (i > 0 && compare_edges(&edges[i - 1], &edges[i]) == 0) return false;
        if (!bsearch(&opposite, edges, count, sizeof *edges, compare_edges)) return false;
    }
    return true;
}

bool trm_mesh_is_closed(const trm_mesh *mesh, trm_arena *scratch)
{
    if (mesh->triangle_count == 0) return false;
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    const size_t count = 3 * (size_t)mesh->triangle_count;
    edge *edges = TRM_NEW_ARRAY(scratch, edge, count);
    if (!edges) return false;

    list_edges(mesh, edges);
    qsort(edges, count, sizeof *edges, compare_edges);
    const bool closed = edges_are_paired(edges, count);
    trm_arena_reset(scratch, mark);
    return closed;
}

void trm_scale_mesh(trm_mesh *mesh, trm_vec3 scale)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        trm_vec3 *v = &mesh->vertices[i];
        *v = trm_v3(scale.x * v->x, scale.y * v->y, scale.z * v->z);
    }
    for (int i = 0; scale.x * scale.y * scale.z < 0 && i < mesh->triangle_count; i++) {
        int *corner = mesh->triangles[i];
        const int first = corner[0];
        corner[0] = corner[1];
        corner[1] = first;
    }
}
