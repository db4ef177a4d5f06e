/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Convex solids against the triangles of a mesh, each as a polytope of one face.
 *
 * The inner side of a triangle is solid: only triangles that have the centre of the other solid on their outer
 * side are tested. (Of two triangles at an edge in contact from outside, at least one has it there: the normal is
 * a sum of theirs.) The normals of a triangle end where those of its neighbours begin: a contact along n at a
 * vertex or edge is allowed only if n.x is greatest there among the vertices around it. So bodies do not catch on
 * edges inside a smooth surface. Edges that are not convex are ignored.
 *
 * Corners on edges and vertices inside a plane patch are redundant, because those of its border suffice. Contacts are
 * identified by vertices, edges and patches of the mesh; of several with the same identification the deepest is
 * kept. */

#include "collide/pairs.h"

/* A triangle as a solid; its faces 1 to 3 provide the normals beyond its edges. */
typedef struct triangle_solid {
    trm_solid solid;
    const trm_solid *mesh;
    int number;
    trm_vec3 vertices[3];
    trm_solid_face faces[4];
    trm_solid_edge edges[3];
    int corners[3], sides[3];
    trm_vec3 outward[3];
    double little; /* m: difference of heights that counts as zero */
} triangle_solid;

/* ---- Around vertices ---------------------------------------------------------------------- */

static int corner_at(const trm_solid *mesh, int t, int vertex)
{
    const int *v = mesh->triangles[t];
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
}

/* Function called for each triangle around a vertex; false ends the walk. */
typedef bool (*triangle_visitor)(const trm_solid *mesh, int t, int vertex, const void *context);

/* Visits the triangles around a vertex, starting from one of them, in one direction and, if there is a border, also
 * in the other. Returns true if all were visited, false if the function ended the walk. */
static bool walk_round(const trm_solid *mesh, int start, int vertex, triangle_visitor visit, const void *context)
{
    enum { MOST = 1000 };
    for (int way = 0; way < 2; way++) {
        int t = start;
        for (int i = 0; i < MOST; i++) {
            if (!visit(mesh, t, vertex, context)) return false;
            const int k = corner_at(mesh, t, vertex);
            t = mesh->across[t][way ? k : (k + 2) % 3];
            if (t == start) return true;
            if (t < 0) break;
        }
    }
    return true;
}

typedef struct level {
    trm_vec3 n;
    double most;
} level;

static bool is_below(const trm_solid *mesh, int t, int vertex, const void *context)
{
    const level *limit = context;
    (void)vertex;
    for (int k = 0; k < 3; k++)
        if (trm_v3_dot(limit->n, mesh->vertices[mesh->triangles[t][k]]) > limit->most) return false;
    return true;
}

static bool is_in_patch(const trm_solid *mesh, int t, int vertex, const void *context)
{
    (void)vertex;
    return mesh->patches[t] == *(const int *)context;
}

/* Returns whether n.x is greatest where the triangle reaches farthest along n: at a vertex compared with all
 * triangles around it, at an edge with the two triangles that share it. */
static bool may_contact_along(const void *triangle, trm_vec3 n)
{
    const triangle_solid *at = triangle;
    const double backward = -0.9; /* seen from the inner side, all points of a plane are equally far, too */
    if (trm_v3_dot(n, at->faces[0].normal) < backward) return false;
    const double most = trm_v3_dot(n, at->vertices[trm_solid_farthest(&at->solid, n)]);
    const level limit = {n, most + at->little};
    int high = 0, low = 0, high_count = 0;
    for (int k = 0; k < 3; k++) {
        const bool is_high = trm_v3_dot(n, at->vertices[k]) >= most - at->little;
        *(is_high ? &high : &low) = k;
        high_count += is_high;
    }
    if (high_count == 3) return true;
    if (high_count == 1)
        return walk_round(at->mesh, at->number, at->mesh->triangles[at->number][high], is_below, &limit);
    const int other = at->mesh->across[at->number][(low + 1) % 3];
    return other < 0 || is_below(at->mesh, other, 0, &limit);
}

/* ---- One triangle ------------------------------------------------------------------------- */

/* Returns the normal of the neighbour across an edge. On a border it is in the plane of the triangle. If the edge is
 * not convex, it is the normal of the triangle itself: the edge then has no arc of normals and is ignored. */
static trm_vec3 normal_beyond(const triangle_solid *at, int k)
{
    const trm_solid *mesh = at->mesh;
    const trm_vec3 n = at->faces[0].normal, p = at->vertices[k];
    const int other = mesh->across[at->number][k];
    if (other < 0 || trm_v3_dot(mesh->normals[other], mesh->normals[other]) == 0)
        return trm_v3_unit(trm_v3_cross(trm_v3_sub(at->vertices[(k + 1) % 3], p), n));
    double lowest = 0;
    for (int i = 0; i < 3; i++)
        lowest = fmin(lowest, trm_v3_dot(n, trm_v3_sub(mesh->vertices[mesh->triangles[other][i]], p)));
    return lowest < -at->little ? mesh->normals[other] : n;
}

static void make_triangle(const trm_solid *mesh, int number, triangle_solid *at)
{
    at->mesh = mesh;
    at->number = number;
    at->little = 1e-9 * mesh->size;
    trm_vec3 centre = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        at->vertices[k] = mesh->vertices[mesh->triangles[number][k]];
        centre = trm_v3_add_scaled(centre, 1.0 / 3, at->vertices[k]);
        at->corners[k] = k;
        at->sides[k] = k;
    }
    at->faces[0] = (trm_solid_face){mesh->normals[number], at->vertices[0], .first = 0, .count = 3};
    at->solid = (trm_solid){.kind = TRM_SOLID_MESH,
                            .centre = centre,
                            .vertices = at->vertices,
                            .vertex_count = 3,
                            .faces = at->faces,
                            .face_count = 1,
                            .edges = at->edges,
                            .corners = at->corners,
                            .sides = at->sides,
                            .outward = at->outward};
    trm_solid_find_outward(&at->solid, &at->faces[0]);
    for (int k = 0; k < 3; k++) {
        at->solid.size = fmax(at->solid.size, trm_v3_length(trm_v3_sub(at->vertices[k], centre)));
        at->faces[1 + k] = (trm_solid_face){.normal = normal_beyond(at, k)};
        at->edges[k] = (trm_solid_edge){{k, (k + 1) % 3}, {0, 1 + k}};
    }
    at->solid.edge_count = 3;
}

/* ---- Identification of features ----------------------------------------------------------- */

static int edge_number(const trm_solid *mesh, int t, int k)
{
    const int here = 3 * t + k, other = mesh->across[t][k];
    if (other < 0) return here;
    const int there = 3 * other + corner_at(mesh, other, mesh->triangles[t][(k + 1) % 3]);
    return here < there ? here : there;
}

/* Replaces a code of the triangle by that of the mesh. Returns false if the feature is inside a patch and therefore
 * redundant. */
static bool rename_on_mesh(const triangle_solid *at, uint32_t *code)
{
    const trm_solid *mesh = at->mesh;
    const uint32_t kind = *code & 0xf0000000u, mark = *code & (uint32_t)TRM_CODE_MARK;
    const int k = (int)(*code & 3u), patch = mesh->patches[at->number];
    if (kind == (uint32_t)TRM_CODE_EDGE) {
        const int other = mesh->across[at->number][k];
        *code = trm_edge_code(edge_number(mesh, at->number, k)) | mark;
        return other < 0 || mesh->patches[other] != patch;
    }
    if (kind == (uint32_t)TRM_CODE_VERTEX) {
        const int vertex = mesh->triangles[at->number][k];
        *code = trm_vertex_code(vertex);
        const bool has_border = mesh->across[at->number][k] < 0 || mesh->across[at->number][(k + 2) % 3] < 0;
        return has_border || !walk_round(mesh, at->number, vertex, is_in_patch, &patch);
    }
    if (*code == 0 || kind == (uint32_t)TRM_CODE_FACE)
        *code = trm_face_code(patch);
    else
        *code ^= (uint32_t)at->number * 0x9e3779b1u;
    return true;
}

/* ---- Gathering ---------------------------------------------------------------------------- */

static trm_manifold_point other_way_round(const trm_pair *one, const trm_manifold_point *point_at)
{
    /* one: a the triangle, b the cylinder or ellipsoid; all in the frame of b */
    return (trm_manifold_point){.feature = {point_at->feature[1], point_at->feature[0]},
                                .normal = trm_v3_neg(trm_mat_t_vec(one->R, point_at->normal)),
                                .place = trm_point_in_a(one, point_at->place),
                                .gap = point_at->gap,
                                .code = {point_at->code[1], point_at->code[0]}};
}

static trm_manifold_point *known_point(trm_manifold *manifold, const trm_manifold_point *point_at)
{
    for (int i = 0; i < manifold->count; i++)
        if (manifold->items[i].code[0] == point_at->code[0] && manifold->items[i].code[1] == point_at->code[1])
            return &manifold->items[i];
    return NULL;
}

static trm_manifold_point *farthest_point(trm_manifold *manifold)
{
    trm_manifold_point *farthest = &manifold->items[0];
    for (int i = 1; i < manifold->count; i++)
        if (manifold->items[i].gap > farthest->gap) farthest = &manifold->items[i];
    return farthest;
}

/* Adds a contact to those of the pair. If one with the same codes exists, or there is no room, replaces that one or
 * the least deep one, provided that the new one is deeper. */
static void gather(trm_manifold *manifold, const trm_manifold_point *point_at)
{
    trm_manifold_point *place = known_point(manifold, point_at);
    if (!place && manifold->count < TRM_MANIFOLD_ROOM) {
        manifold->items[manifold->count++] = *point_at;
        return;
    }
    if (!place) place = farthest_point(manifold);
    if (point_at->gap < place->gap) *place = *point_at;
}

/* Adds the contacts with a triangle. Returns its distance. */
static double try_triangle(trm_pair *pair, int number)
{
    const trm_solid *mesh = pair->b;
    triangle_solid at;
    const trm_vec3 n = mesh->normals[number],
                   to = trm_v3_sub(trm_point_of_a(pair, pair->a->centre), mesh->vertices[mesh->triangles[number][0]]);
    if (!(trm_v3_dot(n, to) > 0)) return INFINITY;
    make_triangle(mesh, number, &at);

    trm_manifold found;
    found.count = 0;
    trm_pair one = *pair;
    one.b = &at.solid;
    one.allows = may_contact_along;
    one.triangle = &at;
    one.manifold = pair->manifold ? &found : NULL;
    const bool is_ellipsoid = pair->a->kind == TRM_SOLID_ELLIPSOID;
    const bool turned = is_ellipsoid || pair->a->kind == TRM_SOLID_CYLINDER;
    if (turned) one = trm_pair_turned(&one);
    const double distance = is_ellipsoid ? trm_ellipsoid_any(&one)
                            : turned     ? trm_cylinder_any(&one)
                                         : trm_polytope_polytope(&one);
    for (int i = 0; i < found.count; i++) {
        trm_manifold_point point_at = turned ? other_way_round(&one, &found.items[i]) : found.items[i];
        if (rename_on_mesh(&at, &point_at.code[1])) gather(pair->manifold, &point_at);
    }
    return distance;
}

/* Returns the bounds of a in the frame of b. */
static trm_bounds bounds_of_a(const trm_pair *pair)
{
    double lo[3], hi[3];
    const double radius = pair->a->kind == TRM_SOLID_CYLINDER ? 0 : pair->a->radius;
    for (int k = 0; k < 3; k++) {
        int vertex;
        const trm_vec3 u = trm_mat_t_vec(pair->R, trm_axis(k)), e = trm_axis(k);
        lo[k] = trm_v3_dot(e, trm_point_of_a(pair, trm_solid_support(pair->a, trm_v3_neg(u), &vertex))) - radius;
        hi[k] = trm_v3_dot(e, trm_point_of_a(pair, trm_solid_support(pair->a, u, &vertex))) + radius;
    }
    return (trm_bounds){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

double trm_convex_mesh(trm_pair *pair)
{
    const trm_solid *mesh = pair->b;
    const trm_bounds box = bounds_of_a(pair);
    double least = INFINITY, reach = pair->margin;
    for (int i = 0; i < mesh->node_count;) {
        const trm_mesh_node *node = &mesh->nodes[i];
        const trm_bounds around = trm_bounds_grown(box, reach > 0 ? reach : 0);
        if (!trm_bounds_overlap(&around, &node->box)) {
            i = node->next;
            continue;
        }
        for (int k = 0; k < node->count; k++) least = fmin(least, try_triangle(pair, mesh->order[node->first + k]));
        if (!pair->manifold) reach = fmin(reach, least);
        i++;
    }
    return least;
}
