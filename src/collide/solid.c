/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Preprocesses shapes: computes all quantities that do not change as bodies move. */

#include "collide/solid.h"

#include "math/hull.h"
#include "model/shape.h"
#include "trammel/elementary.h"

/* ---- Boxes -------------------------------------------------------------------------------- */

/* Vertex i is at +half along axis k if bit k of i is set. The normal of face 2k is -axis k, that of face 2k + 1 is
 * +axis k. */
enum { BOX_VERTICES = 8, BOX_FACES = 6, BOX_EDGES = 12, BOX_CORNERS = 24 };

/* Returns the edge along axis k whose vertex with the lower number is `low`. */
static int box_edge(int k, int low)
{
    const int i = low >> ((k + 1) % 3) & 1, j = low >> ((k + 2) % 3) & 1;
    return 4 * k + i + 2 * j;
}

static trm_solid_edge make_box_edge(int k, int i, int j)
{
    const int low = i << ((k + 1) % 3) | j << ((k + 2) % 3);
    const int face_i = 2 * ((k + 1) % 3) + i, face_j = 2 * ((k + 2) % 3) + j;
    return (trm_solid_edge){{low, low | 1 << k}, {i == j ? face_i : face_j, i == j ? face_j : face_i}};
}

/* Makes face 2k + up; its corners are counter-clockwise about its normal. */
static void make_box_face(trm_solid *solid, int k, int up)
{
    const int f = 2 * k + up, i = 1 << ((k + 1) % 3), j = 1 << ((k + 2) % 3), base = up << k;
    const int round[4] = {base, base | i, base | i | j, base | j};
    for (int c = 0; c < 4; c++) solid->corners[4 * f + c] = round[up ? c : 3 - c];
    for (int c = 0; c < 4; c++) {
        const int from = solid->corners[4 * f + c], to = solid->corners[4 * f + (c + 1) % 4];
        const int along = from ^ to, axis = along == 1 ? 0 : along == 2 ? 1 : 2;
        solid->sides[4 * f + c] = box_edge(axis, from & to);
    }
    const double sign = up ? 1 : -1, half[3] = {solid->half.x, solid->half.y, solid->half.z};
    const trm_vec3 normal = trm_v3_scale(sign, trm_column(solid->axes, k));
    solid->faces[f] =
        (trm_solid_face){normal, trm_v3_add_scaled(solid->centre, half[k], normal), .first = 4 * f, .count = 4};
}

static bool room_for_polytope(trm_arena *arena, trm_solid *solid, int corners)
{
    solid->vertices = TRM_NEW_ARRAY(arena, trm_vec3, solid->vertex_count);
    solid->faces = TRM_NEW_ARRAY(arena, trm_solid_face, solid->face_count);
    solid->edges = TRM_NEW_ARRAY(arena, trm_solid_edge, solid->edge_count);
    solid->corners = TRM_NEW_ARRAY(arena, int, corners);
    solid->sides = TRM_NEW_ARRAY(arena, int, corners);
    return solid->vertices && solid->faces && solid->edges && solid->corners && solid->sides;
}

static bool make_box(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    solid->half = trm_v3_scale(0.5, shape->size);
    solid->size = trm_v3_length(solid->half);
    solid->vertex_count = BOX_VERTICES;
    solid->face_count = BOX_FACES;
    solid->edge_count = BOX_EDGES;
    if (!room_for_polytope(arena, solid, BOX_CORNERS)) return false;

    const trm_vec3 h = solid->half;
    for (int i = 0; i < BOX_VERTICES; i++)
        solid->vertices[i] =
            trm_pose_point(shape->pose, trm_v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z));
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < 4; e++) solid->edges[4 * k + e] = make_box_edge(k, e & 1, e >> 1);
    for (int k = 0; k < 3; k++)
        for (int up = 0; up < 2; up++) make_box_face(solid, k, up);
    return true;
}

/* ---- Round shapes and planes -------------------------------------------------------------- */

static bool make_sphere(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    solid->radius = shape->radius;
    solid->size = shape->radius;
    solid->vertex_count = 1;
    if (!room_for_polytope(arena, solid, 0)) return false;
    solid->vertices[0] = solid->centre;
    return true;
}

static bool make_capsule(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    solid->radius = shape->radius;
    solid->half_length = 0.5 * shape->length;
    solid->size = solid->radius + solid->half_length;
    solid->vertex_count = 2;
    solid->edge_count = 1;
    if (!room_for_polytope(arena, solid, 0)) return false;
    for (int i = 0; i < 2; i++)
        solid->vertices[i] = trm_pose_point(shape->pose, trm_v3(0, 0, i ? solid->half_length : -solid->half_length));
    solid->edges[0] = (trm_solid_edge){{0, 1}, {-1, -1}};
    return true;
}

static bool make_cylinder(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    (void)arena;
    solid->radius = shape->radius;
    solid->half_length = 0.5 * shape->length;
    solid->size = trm_hypot(solid->radius, solid->half_length);
    return true;
}

static bool make_ellipsoid(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    (void)arena;
    solid->half_axes = trm_mat_mul(solid->axes, trm_diag(trm_v3_scale(0.5, shape->size)));
    solid->size = 0.5 * fmax(shape->size.x, fmax(shape->size.y, shape->size.z));
    return true;
}

/* Makes a plane, which its shape gives in the axes of the shape. Returns true. */
static bool make_plane(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    (void)arena;
    solid->normal = trm_rotate(shape->pose.q, shape->normal);
    solid->offset = shape->offset + trm_v3_dot(solid->normal, shape->pose.p);
    return true;
}

/* ---- Hulls and meshes --------------------------------------------------------------------- */

static void measure_vertices(trm_solid *solid)
{
    trm_vec3 lo = solid->vertices[0], hi = lo;
    for (int i = 1; i < solid->vertex_count; i++) {
        const trm_vec3 v = solid->vertices[i];
        lo = trm_v3(fmin(lo.x, v.x), fmin(lo.y, v.y), fmin(lo.z, v.z));
        hi = trm_v3(fmax(hi.x, v.x), fmax(hi.y, v.y), fmax(hi.z, v.z));
    }
    solid->centre = trm_v3_scale(0.5, trm_v3_add(lo, hi));
    for (int i = 0; i < solid->vertex_count; i++)
        solid->size = fmax(solid->size, trm_v3_length(trm_v3_sub(solid->vertices[i], solid->centre)));
}

static bool move_mesh(const trm_mesh *mesh, trm_pose pose, trm_arena *arena, trm_mesh *moved)
{
    *moved = *mesh;
    moved->vertices = TRM_NEW_ARRAY(arena, trm_vec3, mesh->vertex_count);
    if (!moved->vertices) return false;
    for (int i = 0; i < mesh->vertex_count; i++) moved->vertices[i] = trm_pose_point(pose, mesh->vertices[i]);
    return true;
}

static bool make_hull(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    trm_mesh moved;
    if (!move_mesh(&shape->mesh, shape->pose, arena, &moved)) return false;
    if (!trm_solid_make_polytope(&moved, arena, solid)) return false;
    measure_vertices(solid);
    return true;
}

static bool make_hull_of_mesh(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    trm_shape hull = *shape;
    solid->kind = TRM_SOLID_HULL;
    if (trm_convex_hull(arena, shape->mesh.vertices, shape->mesh.vertex_count, &hull.mesh, NULL) != TRM_OK)
        return false;
    return make_hull(&hull, arena, solid);
}

static bool make_triangles(const trm_shape *shape, trm_arena *arena, trm_solid *solid)
{
    trm_mesh moved;
    if (!move_mesh(&shape->mesh, shape->pose, arena, &moved)) return false;
    if (!trm_solid_make_triangles(&moved, arena, solid)) return false;
    if (solid->vertex_count > 0) measure_vertices(solid);
    return true;
}

/* ---- All shapes --------------------------------------------------------------------------- */

typedef struct solid_type {
    trm_solid_kind kind;
    bool (*make)(const trm_shape *shape, trm_arena *arena, trm_solid *solid);
} solid_type;

static const solid_type types[TRM_GEOMETRIES] = {
    [TRM_GEOMETRY_SPHERE] = {TRM_SOLID_SPHERE, make_sphere},
    [TRM_GEOMETRY_BOX] = {TRM_SOLID_BOX, make_box},
    [TRM_GEOMETRY_CAPSULE] = {TRM_SOLID_CAPSULE, make_capsule},
    [TRM_GEOMETRY_HULL] = {TRM_SOLID_HULL, make_hull},
    [TRM_GEOMETRY_CYLINDER] = {TRM_SOLID_CYLINDER, make_cylinder},
    [TRM_GEOMETRY_ELLIPSOID] = {TRM_SOLID_ELLIPSOID, make_ellipsoid},
    [TRM_GEOMETRY_PLANE] = {TRM_SOLID_PLANE, make_plane},
    [TRM_GEOMETRY_MESH] = {TRM_SOLID_MESH, make_triangles},
};

void trm_solid_find_outward(const trm_solid *solid, const trm_solid_face *face)
{
    for (int k = 0; k < face->count; k++) {
        const trm_vec3 p = solid->vertices[solid->corners[face->first + k]];
        const trm_vec3 q = solid->vertices[solid->corners[face->first + (k + 1 < face->count ? k + 1 : 0)]];
        solid->outward[face->first + k] = trm_v3_unit(trm_v3_cross(trm_v3_sub(q, p), face->normal));
    }
}

static bool find_outward_of_all(trm_solid *solid, trm_arena *arena)
{
    const trm_solid_face *last = solid->face_count > 0 ? &solid->faces[solid->face_count - 1] : NULL;
    if (!last) return true;
    solid->outward = TRM_NEW_ARRAY(arena, trm_vec3, last->first + last->count);
    for (int f = 0; solid->outward && f < solid->face_count; f++) trm_solid_find_outward(solid, &solid->faces[f]);
    return solid->outward != NULL;
}

bool trm_solid_make(const trm_shape *shape, bool free, trm_arena *arena, trm_solid *solid)
{
    const solid_type *type = &types[shape->type->geometry];
    const trm_solid_kind kind = type->kind;
    *solid = (trm_solid){.kind = kind, .centre = shape->pose.p, .axes = trm_quat_matrix(shape->pose.q)};
    const bool made =
        kind == TRM_SOLID_MESH && free ? make_hull_of_mesh(shape, arena, solid) : type->make(shape, arena, solid);
    return made && find_outward_of_all(solid, arena);
}

int trm_solid_farthest(const trm_solid *solid, trm_vec3 direction)
{
    int best = 0;
    double most = trm_v3_dot(direction, solid->vertices[0]);
    for (int i = 1; i < solid->vertex_count; i++) {
        const double here = trm_v3_dot(direction, solid->vertices[i]);
        if (here > most) most = here, best = i;
    }
    return best;
}

static trm_vec3 cylinder_support(const trm_solid *solid, trm_vec3 direction)
{
    const trm_vec3 u = trm_column(solid->axes, 2);
    const double along = trm_v3_dot(direction, u);
    const trm_vec3 about = trm_v3_add_scaled(direction, -along, u);
    const trm_vec3 across =
        trm_v3_add_scaled(about, -trm_v3_dot(about, u), u); /* a rounding error along u would be magnified */
    const double length = trm_v3_length(across);
    const trm_vec3 end = trm_v3_add_scaled(solid->centre, along < 0 ? -solid->half_length : solid->half_length, u);
    return length > 1e-14 * fabs(along) ? trm_v3_add_scaled(end, solid->radius / length, across) : end;
}

static trm_vec3 ellipsoid_support(const trm_solid *solid, trm_vec3 direction)
{
    const trm_vec3 v = trm_mat_t_vec(solid->half_axes, direction);
    const double width = trm_v3_length(v);
    return width > 0 ? trm_v3_add_scaled(solid->centre, 1 / width, trm_mat_vec(solid->half_axes, v)) : solid->centre;
}

trm_vec3 trm_solid_support(const trm_solid *solid, trm_vec3 direction, int *vertex)
{
    *vertex = -1;
    if (solid->kind == TRM_SOLID_CYLINDER) return cylinder_support(solid, direction);
    if (solid->kind == TRM_SOLID_ELLIPSOID) return ellipsoid_support(solid, direction);
    *vertex = trm_solid_farthest(solid, direction);
    return solid->vertices[*vertex];
}
