/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The triangles of a mesh: their neighbours, their plane patches, and a static tree over them. */

#include "collide/solid.h"

/* Relative to the size: distance below which a triangle is in a plane. */
static const double flatness = 1e-9;

enum { MOST_IN_LEAF = 4 };

static trm_vec3 corner(const trm_solid *solid, int t, int k)
{
    return solid->vertices[solid->triangles[t][k]];
}

static trm_vec3 normal_of(const trm_solid *solid, int t)
{
    const trm_vec3 p = corner(solid, t, 0), u = trm_v3_sub(corner(solid, t, 1), p),
                   v = trm_v3_sub(corner(solid, t, 2), p);
    const trm_vec3 n = trm_v3_cross(u, v);
    const double length = trm_v3_length(n);
    return length > 1e-14 * trm_v3_length(u) * trm_v3_length(v) ? trm_v3_scale(1 / length, n) : trm_v3(0, 0, 0);
}

/* ---- Patches ------------------------------------------------------------------------------ */

static bool is_in_plane_of(const trm_solid *solid, int t, int seed, double thickness)
{
    const trm_vec3 n = solid->normals[seed], p = corner(solid, seed, 0);
    if (!(trm_v3_dot(n, solid->normals[t]) > 0)) return false;
    for (int k = 0; k < 3; k++)
        if (fabs(trm_v3_dot(n, trm_v3_sub(corner(solid, t, k), p))) > thickness) return false;
    return true;
}

static void spread_patch(trm_solid *solid, int seed, int *waiting, double thickness)
{
    int count = 0;
    solid->patches[seed] = seed;
    waiting[count++] = seed;
    while (count > 0) {
        const int t = waiting[--count];
        for (int k = 0; k < 3; k++) {
            const int other = solid->across[t][k];
            if (other < 0 || solid->patches[other] >= 0 || !is_in_plane_of(solid, other, seed, thickness)) continue;
            solid->patches[other] = seed;
            waiting[count++] = other;
        }
    }
}

static double extent(const trm_solid *solid)
{
    double most = 0;
    for (int i = 1; i < solid->vertex_count; i++)
        most = fmax(most, trm_v3_length(trm_v3_sub(solid->vertices[i], solid->vertices[0])));
    return most;
}

/* Finds the plane patches. The array of the tree's order, which is not computed yet, serves as the list of waiting
 * triangles. */
static void find_patches(trm_solid *solid)
{
    const double thickness = flatness * extent(solid);
    for (int t = 0; t < solid->triangle_count; t++) solid->patches[t] = -1;
    for (int t = 0; t < solid->triangle_count; t++)
        if (solid->patches[t] < 0) spread_patch(solid, t, solid->order, thickness);
}

/* ---- The tree ----------------------------------------------------------------------------- */

static trm_bounds bounds_of(const trm_solid *solid, int t)
{
    const trm_vec3 p = corner(solid, t, 0), q = corner(solid, t, 1), r = corner(solid, t, 2);
    return (trm_bounds){{fmin(p.x, fmin(q.x, r.x)), fmin(p.y, fmin(q.y, r.y)), fmin(p.z, fmin(q.z, r.z))},
                        {fmax(p.x, fmax(q.x, r.x)), fmax(p.y, fmax(q.y, r.y)), fmax(p.z, fmax(q.z, r.z))}};
}

static trm_bounds bounds_of_all(const trm_solid *solid, const int *triangles, int count)
{
    trm_bounds box = bounds_of(solid, triangles[0]);
    for (int i = 1; i < count; i++) {
        const trm_bounds one = bounds_of(solid, triangles[i]);
        box = trm_bounds_union(&box, &one);
    }
    return box;
}

static double along(trm_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double middle_of(const trm_solid *solid, int t, int axis)
{
    const trm_bounds box = bounds_of(solid, t);
    return along(box.lo, axis) + along(box.hi, axis);
}

/* Splits triangles at the middle of the bounds of their centres; those below come first. If all are on one side,
 * splits them into halves. Returns the size of the first part. */
static int part_triangles(const trm_solid *solid, int *triangles, int count, int axis)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < count; i++) {
        const double at = middle_of(solid, triangles[i], axis);
        lo = fmin(lo, at), hi = fmax(hi, at);
    }
    int first = 0;
    for (int i = 0; i < count; i++)
        if (middle_of(solid, triangles[i], axis) < 0.5 * (lo + hi)) {
            const int swap = triangles[first];
            triangles[first++] = triangles[i];
            triangles[i] = swap;
        }
    return first > 0 && first < count ? first : count / 2;
}

/* Makes the node of the triangles first .. first + count - 1 of the order, and the nodes below it. Halving limits the
 * depth to the bits of a number plus those of the count. */
static void make_node(trm_solid *solid, int first, int count)
{
    const int at = solid->node_count++;
    int *triangles = solid->order + first;
    trm_mesh_node *node = &solid->nodes[at];
    node->box = bounds_of_all(solid, triangles, count);
    if (count <= MOST_IN_LEAF) {
        node->first = first;
        node->count = count;
    } else {
        const trm_vec3 d = trm_v3_sub(node->box.hi, node->box.lo);
        const int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
        const int low = part_triangles(solid, triangles, count, axis);
        make_node(solid, first, low);
        make_node(solid, first + low, count - low);
    }
    solid->nodes[at].next = solid->node_count;
}

/* ---- The solid ---------------------------------------------------------------------------- */

static bool room_for_triangles(trm_arena *arena, trm_solid *solid)
{
    const int count = solid->triangle_count;
    solid->triangles = trm_arena_array(arena, (size_t)count, sizeof *solid->triangles);
    solid->across = trm_arena_array(arena, (size_t)count, sizeof *solid->across);
    solid->normals = TRM_NEW_ARRAY(arena, trm_vec3, count);
    solid->patches = TRM_NEW_ARRAY(arena, int, count);
    solid->order = TRM_NEW_ARRAY(arena, int, count);
    solid->nodes = TRM_NEW_ARRAY(arena, trm_mesh_node, 2 * (size_t)count + 1);
    return solid->triangles && solid->across && solid->normals && solid->patches && solid->order && solid->nodes;
}

bool trm_solid_make_triangles(const trm_mesh *mesh, trm_arena *arena, trm_solid *solid)
{
    solid->vertices = mesh->vertices;
    solid->vertex_count = mesh->vertex_count;
    solid->triangle_count = mesh->triangle_count;
    int *number = TRM_NEW_ARRAY(arena, int, mesh->vertex_count);
    if (!number || !room_for_triangles(arena, solid)) return false;
    if (!trm_number_places(mesh, arena, number) || !trm_find_across(mesh, arena, solid->across)) return false;

    for (int t = 0; t < solid->triangle_count; t++) {
        for (int k = 0; k < 3; k++) solid->triangles[t][k] = number[mesh->triangles[t][k]];
        solid->normals[t] = normal_of(solid, t);
    }
    find_patches(solid);
    for (int t = 0; t < solid->triangle_count; t++) solid->order[t] = t;
    if (solid->triangle_count > 0) make_node(solid, 0, solid->triangle_count);
    return true;
}
