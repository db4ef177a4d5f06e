/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Merges the triangles of a convex hull into polygons.
 *
 * The largest triangle without a face starts a new one; neighbours are added whose vertices are in its plane.
 * Vertices written with six digits are not exactly in a plane, so "in" means within 1e-6 of the size. Vertices are
 * not moved; the plane of a face is moved outward to its outermost vertex. */

#include <stdlib.h>
#include <string.h>

#include "collide/solid.h"

static const double flatness = 1e-6;

/* ---- Neighbours --------------------------------------------------------------------------- */

typedef struct placed_vertex {
    trm_vec3 v;
    int number;
} placed_vertex;

/* The side of triangle t that starts at corner k, between vertices low < high. */
typedef struct half_edge {
    int low, high, triangle, corner;
    bool upward; /* true: the side goes from low to high */
} half_edge;

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
    const placed_vertex *p = a, *q = b;
    int order = compare_numbers(p->v.x, q->v.x);
    if (order == 0) order = compare_numbers(p->v.y, q->v.y);
    if (order == 0) order = compare_numbers(p->v.z, q->v.z);
    return order != 0 ? order : p->number - q->number;
}

static bool same_place(trm_vec3 a, trm_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static int compare_halves(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->triangle != q->triangle ? p->triangle - q->triangle : p->corner - q->corner;
}

bool trm_number_places(const trm_mesh *mesh, trm_arena *arena, int *number)
{
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    placed_vertex *sorted = TRM_NEW_ARRAY(arena, placed_vertex, mesh->vertex_count);
    if (!sorted) return false;
    for (int i = 0; i < mesh->vertex_count; i++) sorted[i] = (placed_vertex){mesh->vertices[i], i};
    qsort(sorted, (size_t)mesh->vertex_count, sizeof *sorted, compare_places);
    for (int i = 0, first = 0; i < mesh->vertex_count; i++) {
        if (!same_place(sorted[i].v, sorted[first].v)) first = i;
        number[sorted[i].number] = sorted[first].number;
    }
    trm_arena_reset(arena, mark);
    return true;
}

static void list_halves(const trm_mesh *mesh, const int *number, half_edge *halves)
{
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int from = number[mesh->triangles[t][k]], to = number[mesh->triangles[t][(k + 1) % 3]];
            halves[3 * t + k] = (half_edge){from < to ? from : to, from < to ? to : from, t, k, from < to};
        }
    qsort(halves, 3 * (size_t)mesh->triangle_count, sizeof *halves, compare_halves);
}

/* Finds neighbours: triangles that share an edge in opposite directions, if no third triangle has it. */
static void match_halves(const half_edge *halves, int count, int (*across)[3])
{
    for (int i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && halves[j].low == halves[i].low && halves[j].high == halves[i].high;) j++;
        if (j != i + 2 || halves[i].upward == halves[i + 1].upward) continue;
        across[halves[i].triangle][halves[i].corner] = halves[i + 1].triangle;
        across[halves[i + 1].triangle][halves[i + 1].corner] = halves[i].triangle;
    }
}

bool trm_find_across(const trm_mesh *mesh, trm_arena *arena, int (*across)[3])
{
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    int *number = TRM_NEW_ARRAY(arena, int, mesh->vertex_count);
    half_edge *halves = TRM_NEW_ARRAY(arena, half_edge, 3 * (size_t)mesh->triangle_count);
    const bool good = number && halves && trm_number_places(mesh, arena, number);
    if (good) {
        memset(across, -1, (size_t)mesh->triangle_count * sizeof *across);
        list_halves(mesh, number, halves);
        match_halves(halves, 3 * mesh->triangle_count, across);
    }
    trm_arena_reset(arena, mark);
    return good;
}

/* ---- Faces -------------------------------------------------------------------------------- */

/* Workspace: all arrays per triangle, `next` and `side` per vertex. */
typedef struct merging {
    const trm_mesh *mesh;
    int (*across)[3];
    int *face;    /* face of the triangle; -1: none yet */
    int *waiting; /* triangles of a face whose neighbours are still to be visited */
    int *by_size; /* triangles, the largest first */
    int *next;    /* next vertex on the border of the current face */
    int *side;    /* the edge to it */
    double thickness;
} merging;

typedef struct sized_triangle {
    double area;
    int number;
} sized_triangle;

static trm_vec3 twice_area(const trm_mesh *mesh, int t)
{
    const trm_vec3 *v = mesh->vertices, o = v[mesh->triangles[t][0]];
    return trm_v3_cross(trm_v3_sub(v[mesh->triangles[t][1]], o), trm_v3_sub(v[mesh->triangles[t][2]], o));
}

static int compare_sizes(const void *a, const void *b)
{
    const sized_triangle *p = a, *q = b;
    const int order = compare_numbers(q->area, p->area);
    return order != 0 ? order : p->number - q->number;
}

static bool sort_by_size(trm_arena *arena, merging *m)
{
    sized_triangle *sorted = TRM_NEW_ARRAY(arena, sized_triangle, m->mesh->triangle_count);
    if (!sorted) return false;
    for (int t = 0; t < m->mesh->triangle_count; t++)
        sorted[t] = (sized_triangle){trm_v3_length(twice_area(m->mesh, t)), t};
    qsort(sorted, (size_t)m->mesh->triangle_count, sizeof *sorted, compare_sizes);
    for (int t = 0; t < m->mesh->triangle_count; t++) m->by_size[t] = sorted[t].number;
    return true;
}

static bool lies_in(const merging *m, int t, trm_vec3 normal, trm_vec3 point)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(trm_v3_dot(normal, trm_v3_sub(m->mesh->vertices[m->mesh->triangles[t][k]], point))) <=
              m->thickness))
            return false;
    return true;
}

/* Collects all triangles that can be reached from the seed within its plane. */
static void gather_face(merging *m, int seed, int face)
{
    const trm_vec3 normal = trm_v3_unit(twice_area(m->mesh, seed)),
                   point = m->mesh->vertices[m->mesh->triangles[seed][0]];
    int count = 0;
    m->waiting[count++] = seed;
    m->face[seed] = face;
    while (count > 0) {
        const int t = m->waiting[--count];
        for (int k = 0; k < 3; k++) {
            const int other = m->across[t][k];
            if (other < 0 || m->face[other] >= 0 || !lies_in(m, other, normal, point)) continue;
            m->face[other] = face;
            m->waiting[count++] = other;
        }
    }
}

static int gather_faces(merging *m)
{
    int count = 0;
    for (int i = 0; i < m->mesh->triangle_count; i++) m->face[i] = -1;
    for (int i = 0; i < m->mesh->triangle_count; i++)
        if (m->face[m->by_size[i]] < 0) gather_face(m, m->by_size[i], count++);
    return count;
}

/* Lists each edge between two faces once. */
static void list_edges(const merging *m, trm_solid *solid)
{
    for (int t = 0; t < m->mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int other = m->across[t][k];
            if (other < 0 || other < t || m->face[other] == m->face[t]) continue;
            solid->edges[solid->edge_count++] = (trm_solid_edge){
                {m->mesh->triangles[t][k], m->mesh->triangles[t][(k + 1) % 3]}, {m->face[t], m->face[other]}};
        }
}

/* Follows the border of a face, counter-clockwise; the edges give the next vertex. */
static int follow_border(merging *m, trm_solid *solid, int face, int first)
{
    int start = -1, border = 0, count = 0;
    for (int e = 0; e < solid->edge_count; e++) {
        const trm_solid_edge *edge = &solid->edges[e];
        if (edge->face[0] != face && edge->face[1] != face) continue;
        const int from = edge->vertex[edge->face[0] == face ? 0 : 1],
                  to = edge->vertex[edge->face[0] == face ? 1 : 0];
        m->next[from] = to;
        m->side[from] = e;
        border++;
        if (start < 0 || from < start) start = from;
    }
    for (int v = start; count < border && (count == 0 || v != start); v = m->next[v]) {
        solid->corners[first + count] = v;
        solid->sides[first + count++] = m->side[v];
    }
    return count;
}

/* Computes the plane of a face: Newell's normal through the outermost vertex. */
static void fit_plane(const merging *m, trm_solid *solid, int f)
{
    trm_vec3 sum = {0, 0, 0};
    for (int t = 0; t < m->mesh->triangle_count; t++)
        if (m->face[t] == f) sum = trm_v3_add(sum, twice_area(m->mesh, t));
    trm_solid_face *face = &solid->faces[f];
    face->normal = trm_v3_unit(sum);
    face->point = solid->vertices[solid->corners[face->first]];
    for (int k = 1; k < face->count; k++) {
        const trm_vec3 v = solid->vertices[solid->corners[face->first + k]];
        if (trm_v3_dot(face->normal, trm_v3_sub(v, face->point)) > 0) face->point = v;
    }
}

static bool room_to_merge(trm_arena *arena, merging *m)
{
    const int triangles = m->mesh->triangle_count, vertices = m->mesh->vertex_count;
    m->across = trm_arena_array(arena, (size_t)triangles, sizeof *m->across);
    m->face = TRM_NEW_ARRAY(arena, int, triangles);
    m->waiting = TRM_NEW_ARRAY(arena, int, triangles);
    m->by_size = TRM_NEW_ARRAY(arena, int, triangles);
    m->next = TRM_NEW_ARRAY(arena, int, vertices);
    m->side = TRM_NEW_ARRAY(arena, int, vertices);
    return m->across && m->face && m->waiting && m->by_size && m->next && m->side;
}

static double diameter(const trm_mesh *mesh)
{
    double most = 0;
    for (int i = 1; i < mesh->vertex_count; i++)
        most = fmax(most, trm_v3_length(trm_v3_sub(mesh->vertices[i], mesh->vertices[0])));
    return most;
}

bool trm_solid_make_polytope(const trm_mesh *mesh, trm_arena *arena, trm_solid *solid)
{
    merging m = {.mesh = mesh, .thickness = flatness * diameter(mesh)};
    if (!room_to_merge(arena, &m) || !sort_by_size(arena, &m) || !trm_find_across(mesh, arena, m.across))
        return false;

    const int triangles = mesh->triangle_count;
    solid->vertices = mesh->vertices;
    solid->vertex_count = mesh->vertex_count;
    solid->face_count = gather_faces(&m);
    solid->faces = TRM_NEW_ARRAY(arena, trm_solid_face, solid->face_count);
    solid->edges = TRM_NEW_ARRAY(arena, trm_solid_edge, 3 * triangles / 2 + 1);
    solid->corners = TRM_NEW_ARRAY(arena, int, 3 * triangles + 3);
    solid->sides = TRM_NEW_ARRAY(arena, int, 3 * triangles + 3);
    if (!solid->faces || !solid->edges || !solid->corners || !solid->sides) return false;

    list_edges(&m, solid);
    for (int f = 0, first = 0; f < solid->face_count; f++) {
        solid->faces[f].first = first;
        solid->faces[f].count = follow_border(&m, solid, f, first);
        first += solid->faces[f].count;
        fit_plane(&m, solid, f);
    }
    return true;
}
