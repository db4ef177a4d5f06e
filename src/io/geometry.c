/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Triangles of shapes. Shapes of revolution about z come from a profile of points (r, z) with normals, from bottom
 * to top, rotated by equal angles. Two coinciding points of a profile make an edge. A point with r = 0 is a pole, at
 * which one of two triangles is omitted. */

#include "io/geometry.h"

#include "trammel/elementary.h"

enum {
    AROUND = 48,   /* points of a circle */
    QUARTER = 12,  /* pieces of a quarter of a circle, as coarse */
    PROFILE = 28,  /* points of the longest profile: two quarters */
    CURVE = 240,   /* pieces of a curve */
    COIL = 14,     /* rings of a turn of a coil */
    COIL_SIDES = 7 /* points of each ring */
};

typedef struct profile_point {
    double r, z;
    double normal_r, normal_z;
} profile_point;

static bool make_room(trm_arena *arena, trm_geometry *made, int vertices, bool normals, int indices)
{
    *made = (trm_geometry){.vertex_count = vertices, .index_count = indices};
    made->positions = trm_arena_room(arena, (size_t)vertices, sizeof *made->positions);
    made->normals = normals ? trm_arena_room(arena, (size_t)vertices, sizeof *made->normals) : NULL;
    made->indices = indices ? trm_arena_room(arena, (size_t)indices, sizeof *made->indices) : NULL;
    return made->positions && (made->normals || !normals) && (made->indices || !indices);
}

static void set(float to[3], double x, double y, double z)
{
    to[0] = (float)x;
    to[1] = (float)y;
    to[2] = (float)z;
}

/* ---- Round about z ------------------------------------------------------------------------ */

static void put_triangle(trm_geometry *made, int a, int b, int c)
{
    const int corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++) made->indices[made->index_count++] = (uint32_t)corners[k];
}

/* Adds the triangles between the points i and i + 1 of the profile, around the axis. */
static void put_band(trm_geometry *made, const profile_point *profile, int i)
{
    const bool no_height = profile[i].r == profile[i + 1].r && profile[i].z == profile[i + 1].z;
    for (int k = 0; k < AROUND && !no_height; k++) {
        const int low = i * AROUND + k, low_next = i * AROUND + (k + 1) % AROUND;
        if (profile[i].r > 0) put_triangle(made, low, low_next, low + AROUND);
        if (profile[i + 1].r > 0) put_triangle(made, low_next, low_next + AROUND, low + AROUND);
    }
}

static bool turn(trm_arena *arena, const profile_point *profile, int count, trm_geometry *made)
{
    if (!make_room(arena, made, count * AROUND, true, 6 * AROUND * (count - 1))) return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < AROUND; k++) {
            const double angle = 2 * TRM_PI * k / AROUND, c = trm_cos(angle), s = trm_sin(angle);
            const profile_point *p = &profile[i];
            set(made->positions[i * AROUND + k], p->r * c, p->r * s, p->z);
            set(made->normals[i * AROUND + k], p->normal_r * c, p->normal_r * s, p->normal_z);
        }
    made->index_count = 0;
    for (int i = 0; i + 1 < count; i++) put_band(made, profile, i);
    return true;
}

/* Adds a quarter of a circle about (0, z) to the profile, from -90 degrees (half = -1) or from 0 (half = 0). Returns
 * the new number of points. */
static int add_quarter(profile_point *profile, int count, int half, double z)
{
    for (int i = 0; i <= QUARTER; i++) {
        const double angle = 0.5 * TRM_PI * (half + (double)i / QUARTER);
        const bool pole = half < 0 ? i == 0 : i == QUARTER;
        const double r = pole ? 0 : trm_cos(angle), up = trm_sin(angle);
        profile[count++] = (profile_point){r, z + up, r, up};
    }
    return count;
}

bool trm_capsule_geometry(trm_arena *arena, double length, trm_geometry *made)
{
    profile_point profile[PROFILE];
    int count = add_quarter(profile, 0, -1, -0.5 * length);
    if (length == 0) count--; /* the points of the equator only once */
    return turn(arena, profile, add_quarter(profile, count, 0, 0.5 * length), made);
}

bool trm_sphere_geometry(trm_arena *arena, trm_geometry *made)
{
    return trm_capsule_geometry(arena, 0, made);
}

bool trm_cylinder_geometry(trm_arena *arena, trm_geometry *made)
{
    static const profile_point profile[] = {
        {0, -0.5, 0, -1}, {1, -0.5, 0, -1}, {1, -0.5, 1, 0}, {1, 0.5, 1, 0}, {1, 0.5, 0, 1}, {0, 0.5, 0, 1},
    };
    return turn(arena, profile, (int)(sizeof profile / sizeof profile[0]), made);
}

bool trm_piston_geometry(trm_arena *arena, trm_geometry *made)
{
    /* MOUTH: position of the end of the barrel; THIN: radius of the rod. They affect the drawing only: with larger or
     * smaller ones a damper does not look like a cylinder with a rod. */
    static const double MOUTH = 0.08, THIN = 0.45;
    const profile_point profile[] = {
        {0, -0.5, 0, -1},    {1, -0.5, 0, -1},    {1, -0.5, 1, 0},   {1, MOUTH, 1, 0},  {1, MOUTH, 0, 1},
        {THIN, MOUTH, 0, 1}, {THIN, MOUTH, 1, 0}, {THIN, 0.5, 1, 0}, {THIN, 0.5, 0, 1}, {0, 0.5, 0, 1},
    };
    return turn(arena, profile, (int)(sizeof profile / sizeof profile[0]), made);
}

/* ---- Coils -------------------------------------------------------------------------------- */

/* Adds a ring about the point (r cos a, r sin a, z) of the helix, in the plane of the radial direction and z. It
 * becomes a circle when the coil is scaled by (R, R, R length). Normals are then scaled by the inverse, so they are
 * stretched here. */
static void put_ring(trm_geometry *made, int ring, double r, double angle, double z, double length)
{
    /* Radius of the wire, as a fraction of that of the coil. It affects the drawing only: a larger one fills the
     * coil, a smaller one is too thin to be seen. */
    static const double WIRE = 0.2;
    const double c = trm_cos(angle), s = trm_sin(angle);
    for (int k = 0; k < COIL_SIDES; k++) {
        const double around = 2 * TRM_PI * k / COIL_SIDES, out = trm_cos(around), up = trm_sin(around);
        const double norm = sqrt(out * out + up * up * length * length);
        set(made->positions[ring * COIL_SIDES + k], (r + WIRE * out) * c, (r + WIRE * out) * s,
            z + WIRE * up / length);
        set(made->normals[ring * COIL_SIDES + k], out * c / norm, out * s / norm, up * length / norm);
    }
}

bool trm_coil_geometry(trm_arena *arena, double length, trm_geometry *made)
{
    /* Length of the transition from the axis to the coil, as a fraction of the length. It affects the drawing only:
     * with a larger one the coil is short, with a smaller one its ends bend sharply. */
    static const double END = 0.07;
    const int turns = length < 5 ? 4 : length > 20 ? 16 : (int)(0.8 * length), rings = turns * COIL + 1;
    if (!make_room(arena, made, rings * COIL_SIDES, true, 6 * (rings - 1) * COIL_SIDES)) return false;
    made->index_count = 0;
    for (int i = 0; i < rings; i++) {
        const double s = (double)i / (rings - 1), near = fmin(fmin(s, 1 - s) / END, 1);
        put_ring(made, i, near * near * (3 - 2 * near), 2 * TRM_PI * turns * s, s - 0.5, length);
        for (int k = 0; k < COIL_SIDES && i + 1 < rings; k++) {
            const int low = i * COIL_SIDES + k, low_next = i * COIL_SIDES + (k + 1) % COIL_SIDES;
            put_triangle(made, low, low + COIL_SIDES, low_next);
            put_triangle(made, low_next, low + COIL_SIDES, low_next + COIL_SIDES);
        }
    }
    return true;
}

/* ---- Plane faces -------------------------------------------------------------------------- */

/* Adds a square with corners at centre +- u +- v, whose outer side is that of u x v. */
static void put_square(trm_geometry *made, int face, trm_vec3 centre, trm_vec3 u, trm_vec3 v)
{
    static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    const trm_vec3 n = trm_v3_unit(trm_v3_cross(u, v));
    for (int k = 0; k < 4; k++) {
        const trm_vec3 p = trm_v3_add_scaled(trm_v3_add_scaled(centre, corners[k][0], u), corners[k][1], v);
        set(made->positions[4 * face + k], p.x, p.y, p.z);
        set(made->normals[4 * face + k], n.x, n.y, n.z);
    }
    for (int k = 0; k < 6; k++) made->indices[6 * face + k] = (uint32_t)(4 * face) + triangles[k];
}

bool trm_box_geometry(trm_arena *arena, trm_geometry *made)
{
    if (!make_room(arena, made, 6 * 4, true, 6 * 6)) return false;
    for (int face = 0; face < 6; face++) {
        const int i = face / 2;
        const double side = face % 2 ? 0.5 : -0.5;
        put_square(made, face, trm_v3_scale(side, trm_axis(i)), trm_v3_scale(0.5, trm_axis((i + 1) % 3)),
                   trm_v3_scale(side, trm_axis((i + 2) % 3)));
    }
    return true;
}

bool trm_square_geometry(trm_arena *arena, trm_geometry *made)
{
    if (!make_room(arena, made, 4, true, 6)) return false;
    put_square(made, 0, trm_v3(0, 0, 0), trm_axis(0), trm_axis(1));
    return true;
}

/* ---- Meshes ------------------------------------------------------------------------------- */

/* Triangles of a mesh at its vertices: those of vertex v are at[first[v]] to at[first[v + 1] - 1]. */
typedef struct fans {
    trm_vec3 *normals; /* per triangle: unit, or 0 of one without area */
    double *areas;     /* m^2, twice */
    int *first, *at;
} fans;

static bool is_flat(const int *t)
{
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

static bool find_fans(trm_arena *arena, const trm_mesh *mesh, fans *f)
{
    *f = (fans){TRM_NEW_ARRAY(arena, trm_vec3, mesh->triangle_count),
                TRM_NEW_ARRAY(arena, double, mesh->triangle_count), TRM_NEW_ARRAY(arena, int, mesh->vertex_count + 2),
                TRM_NEW_ARRAY(arena, int, 3 * mesh->triangle_count)};
    if (!f->normals || !f->areas || !f->first || !f->at) return false;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        const trm_vec3 *v = mesh->vertices,
                       n = trm_v3_cross(trm_v3_sub(v[t[1]], v[t[0]]), trm_v3_sub(v[t[2]], v[t[0]]));
        f->areas[i] = trm_v3_length(n);
        if (f->areas[i] > 0) f->normals[i] = trm_v3_scale(1 / f->areas[i], n);
        for (int k = 0; k < 3; k++) f->first[t[k] + 2]++;
    }
    for (int v = 0; v < mesh->vertex_count; v++) f->first[v + 2] += f->first[v + 1];
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) f->at[f->first[mesh->triangles[i][k] + 1]++] = i;
    return true;
}

/* Returns the normal of a triangle at one of its vertices: the mean of the normals of all triangles there whose angle
 * to it is small, weighted by area. */
static trm_vec3 smooth_normal(const fans *f, int vertex, int triangle)
{
    /* Cosine of 0.6 rad. Only shading depends on it: with a larger cosine round meshes show facets, with a smaller
     * one edges look round. */
    static const double CREASE = 0.825;
    const trm_vec3 own = f->normals[triangle];
    trm_vec3 sum = {0, 0, 0};
    for (int i = f->first[vertex]; i < f->first[vertex + 1]; i++)
        if (trm_v3_dot(own, f->normals[f->at[i]]) > CREASE)
            sum = trm_v3_add_scaled(sum, f->areas[f->at[i]], f->normals[f->at[i]]);
    const double length = trm_v3_length(sum);
    return length > 0 ? trm_v3_scale(1 / length, sum) : trm_v3(0, 0, 1);
}

/* Returns the number of the vertex with this normal, which is made if necessary. next: linked list of the vertices
 * made from one vertex of the mesh, from *first on. Returns -1 if there is none. */
static int find_corner(trm_geometry *made, trm_vec3 place, trm_vec3 normal, int *next, int *first)
{
    float n[3];
    set(n, normal.x, normal.y, normal.z);
    for (int i = *first; i >= 0; i = next[i]) {
        const float *other = made->normals[i];
        if (other[0] == n[0] && other[1] == n[1] && other[2] == n[2]) return i;
    }
    const int number = made->vertex_count++;
    set(made->positions[number], place.x, place.y, place.z);
    set(made->normals[number], normal.x, normal.y, normal.z);
    next[number] = *first;
    return *first = number;
}

/* Omits triangles that have the same corner twice. */
bool trm_mesh_geometry(trm_arena *arena, const trm_mesh *mesh, trm_geometry *made)
{
    const int corners = 3 * mesh->triangle_count;
    fans f;
    if (!make_room(arena, made, corners, true, corners) || !find_fans(arena, mesh, &f)) return false;
    int *next = TRM_NEW_ARRAY(arena, int, corners), *first = TRM_NEW_ARRAY(arena, int, mesh->vertex_count);
    if (!next || !first) return false;
    for (int v = 0; v < mesh->vertex_count; v++) first[v] = -1;
    made->vertex_count = made->index_count = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        for (int k = 0; k < 3 && !is_flat(t); k++)
            made->indices[made->index_count++] =
                (uint32_t)find_corner(made, mesh->vertices[t[k]], smooth_normal(&f, t[k], i), next, &first[t[k]]);
    }
    return true;
}

bool trm_curve_geometry(trm_arena *arena, const trm_space_curve *curve, double from, double to, trm_geometry *made)
{
    if (!make_room(arena, made, CURVE + 1, false, 0)) return false;
    for (int i = 0; i <= CURVE; i++) {
        const trm_vec3 p = trm_curve_at(curve, from + (to - from) * i / CURVE).P;
        set(made->positions[i], p.x, p.y, p.z);
    }
    return true;
}
