/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Convex hulls: rounds the points to a grid, computes their hull (quickhull.c), and removes slivers.
 *
 * The points are first shifted by the middle of their bounds and scaled by a power of two to size one, then
 * rounded to 2^-52 of that, which is less than the rounding of the largest of their coordinates. The result refers
 * to the points by number, so the hull's vertices are the caller's points to the last bit.
 *
 * Three points that are collinear to rounding form a sliver, whose normal is meaningless. If the hull has one, its
 * middle point is omitted and the hull is computed again. */

#include "math/hull.h"

#include <float.h>

#include "base/memory.h"
#include "math/quickhull.h"

/* ---- Points about the middle of their bounds, of size one --------------------------------- */

/* point = middle + size * scaled */
typedef struct scaling {
    trm_vec3 middle;
    double size;  /* a power of two, at least half of the longest edge of the bounds */
    double noise; /* rounding error of the given coordinates, relative to size */
} scaling;

static trm_vec3 lower(trm_vec3 a, trm_vec3 b)
{
    return trm_v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static trm_vec3 upper(trm_vec3 a, trm_vec3 b)
{
    return trm_v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static double largest(trm_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

/* Returns the scaling of the points; its size is 0 if all points are the same. Coordinates are halved before they are
 * added, so that sums do not overflow. */
static scaling scaling_of(const trm_vec3 *points, int count)
{
    trm_vec3 lo = points[0], hi = points[0];
    for (int i = 1; i < count; i++) lo = lower(lo, points[i]), hi = upper(hi, points[i]);
    const trm_vec3 half = trm_v3_sub(trm_v3_scale(0.5, hi), trm_v3_scale(0.5, lo));
    if (largest(half) == 0) return (scaling){.middle = lo};

    int exponent;
    frexp(largest(half), &exponent);
    const double size = ldexp(1, exponent < DBL_MAX_EXP ? exponent : DBL_MAX_EXP - 1);
    const double noise = DBL_EPSILON * (fmax(largest(lo), largest(hi)) / size);
    return (scaling){trm_v3_add(lo, half), size, fmax(noise, DBL_EPSILON)};
}

static void scale_points(scaling s, const trm_vec3 *points, int count, trm_vec3 *scaled)
{
    for (int i = 0; i < count; i++) {
        const trm_vec3 d = trm_v3_sub(points[i], s.middle);
        scaled[i] = trm_v3(d.x / s.size, d.y / s.size, d.z / s.size);
    }
}

static trm_grid_point on_grid(trm_vec3 scaled)
{
    const double steps = ldexp(1, TRM_GRID_BITS);
    return (trm_grid_point){
        {(int64_t)rint(steps * scaled.x), (int64_t)rint(steps * scaled.y), (int64_t)rint(steps * scaled.z)}};
}

/* ---- Points without volume ---------------------------------------------------------------- */

static const char flat[] = "all points lie in a plane";

/* Returns the part of v perpendicular to a and b, which are unit vectors or zero. */
static trm_vec3 across(trm_vec3 v, trm_vec3 a, trm_vec3 b)
{
    const trm_vec3 rest = trm_v3_add_scaled(v, -trm_v3_dot(v, a), a);
    return trm_v3_add_scaled(rest, -trm_v3_dot(rest, b), b);
}

/* Returns the longest part perpendicular to a and b of a vector from the first point to another. */
static trm_vec3 farthest_across(const trm_vec3 *points, int count, trm_vec3 a, trm_vec3 b)
{
    trm_vec3 longest = {0, 0, 0};
    for (int i = 1; i < count; i++) {
        const trm_vec3 part = across(trm_v3_sub(points[i], points[0]), a, b);
        if (trm_v3_dot(part, part) > trm_v3_dot(longest, longest)) longest = part;
    }
    return longest;
}

/* Returns a message if the scaled points are on a line or in a plane to within `thinnest`, else NULL. */
static const char *fault_of_shape(const trm_vec3 *scaled, int count, double thinnest)
{
    const trm_vec3 zero = {0, 0, 0};
    const trm_vec3 along = trm_v3_unit(farthest_across(scaled, count, zero, zero));
    const trm_vec3 wide = farthest_across(scaled, count, along, zero);
    if (trm_v3_length(wide) <= thinnest) return "all points lie on a line";
    const trm_vec3 thick = farthest_across(scaled, count, along, trm_v3_unit(wide));
    return trm_v3_length(thick) <= thinnest ? flat : NULL;
}

/* ---- The hull ----------------------------------------------------------------------------- */

/* Data of one call. */
typedef struct hull_job {
    trm_arena *arena;
    const trm_vec3 *points; /* as given by the caller */
    trm_vec3 *scaled;
    trm_grid_point *grid;
    bool *skipped;
    int *number; /* per point: its number among the hull's vertices; -1: not a vertex */
    int count;
    double noise; /* rounding error of scaled points */
} hull_job;

/* Replaces point numbers by vertex numbers. */
static trm_status number_vertices(const hull_job *job, trm_mesh *hull)
{
    for (int i = 0; i < job->count; i++) job->number[i] = -1;
    for (int t = 0; t < hull->triangle_count; t++)
        for (int k = 0; k < 3; k++) job->number[hull->triangles[t][k]] = 0;
    for (int i = 0; i < job->count; i++)
        if (job->number[i] == 0) job->number[i] = hull->vertex_count++;

    hull->vertices = TRM_NEW_ARRAY(job->arena, trm_vec3, hull->vertex_count);
    if (!hull->vertices) return TRM_OUT_OF_MEMORY;
    for (int i = 0; i < job->count; i++)
        if (job->number[i] >= 0) hull->vertices[job->number[i]] = job->points[i];
    for (int t = 0; t < hull->triangle_count; t++)
        for (int k = 0; k < 3; k++) hull->triangles[t][k] = job->number[hull->triangles[t][k]];
    return TRM_OK;
}

/* Returns the corner opposite the longest edge of a triangle if its distance from that edge is within rounding;
 * else -1. */
static int middle_of_sliver(const hull_job *job, const int corner[3])
{
    const double thinnest = 64 * job->noise;
    trm_vec3 edge[3];
    int longest = 0;
    for (int k = 0; k < 3; k++) {
        edge[k] = trm_v3_sub(job->scaled[corner[(k + 1) % 3]], job->scaled[corner[k]]);
        if (trm_v3_dot(edge[k], edge[k]) > trm_v3_dot(edge[longest], edge[longest])) longest = k;
    }
    const double area = trm_v3_length(trm_v3_cross(edge[0], edge[1]));
    return area <= thinnest * trm_v3_length(edge[longest]) ? corner[(longest + 2) % 3] : -1;
}

/* Marks the middle points of all slivers as skipped. Returns the number of points skipped. */
static int skip_middles(const hull_job *job, const trm_mesh *hull)
{
    int count = 0;
    for (int t = 0; t < hull->triangle_count; t++) {
        const int *corner = hull->triangles[t], middle = middle_of_sliver(job, corner);
        /* the two points that represent it must stay */
        if (middle < 0 || job->skipped[corner[0]] || job->skipped[corner[1]] || job->skipped[corner[2]]) continue;
        job->skipped[middle] = true;
        count++;
    }
    return count;
}

/* Computes the triangles of the hull. Each round omits at least one middle point of a sliver. Slivers that are left
 * after the last round stay; the hull is exact in any case. */
static trm_hull_outcome find_triangles(const hull_job *job, trm_mesh *hull)
{
    enum { ROUNDS = 20 };
    const trm_arena_mark mark = trm_arena_get_mark(job->arena);
    for (int round = 1;; round++) {
        const trm_hull_outcome outcome = trm_quickhull(job->arena, job->grid, job->skipped, job->count,
                                                       8 * job->noise, &hull->triangles, &hull->triangle_count);
        if (outcome != TRM_HULL_DONE || round == ROUNDS || skip_middles(job, hull) == 0) return outcome;
        trm_arena_reset(job->arena, mark);
    }
}

static trm_status hull_of(const hull_job *job, trm_mesh *hull, const char **why)
{
    const trm_arena_mark mark = trm_arena_get_mark(job->arena);
    const trm_hull_outcome outcome = find_triangles(job, hull);
    trm_status status = outcome == TRM_HULL_DONE ? number_vertices(job, hull) : TRM_OUT_OF_MEMORY;
    if (outcome == TRM_HULL_FLAT) *why = flat, status = TRM_BAD_INPUT;
    if (status == TRM_OK) return status;
    trm_arena_reset(job->arena, mark);
    *hull = (trm_mesh){0};
    return status;
}

/* ---- Checking the points ------------------------------------------------------------------ */

static const char *fault_of_points(const trm_vec3 *points, int count)
{
    if (count < 4) return "fewer than 4 points";
    for (int i = 0; i < count; i++)
        if (!trm_v3_is_finite(points[i])) return "a coordinate is not finite";
    return scaling_of(points, count).size == 0 ? "all points are the same" : NULL;
}

/* Scales the points and computes their hull. Returns TRM_OUT_OF_MEMORY if a workspace array is NULL, or TRM_BAD_INPUT
 * with *why if the points have no volume. */
static trm_status scale_and_find_hull(hull_job *job, trm_mesh *hull, const char **why)
{
    if (!job->scaled || !job->grid || !job->skipped || !job->number) return TRM_OUT_OF_MEMORY;
    const scaling fit = scaling_of(job->points, job->count);
    scale_points(fit, job->points, job->count, job->scaled);
    for (int i = 0; i < job->count; i++) job->grid[i] = on_grid(job->scaled[i]), job->skipped[i] = false;
    job->noise = fit.noise;

    /* a thinner hull would consist of rounding errors */
    const double thinnest = 256 * fit.noise;
    *why = fault_of_shape(job->scaled, job->count, thinnest);
    return *why ? TRM_BAD_INPUT : hull_of(job, hull, why);
}

trm_status trm_convex_hull(trm_arena *arena, const trm_vec3 *points, int count, trm_mesh *hull, const char **why)
{
    const char *unwanted;
    if (!why) why = &unwanted;
    *hull = (trm_mesh){0};
    *why = fault_of_points(points, count);
    if (*why) return TRM_BAD_INPUT;

    trm_arena scratch;
    trm_arena_init(&scratch, &arena->allocator);
    hull_job job = {.arena = arena,
                    .points = points,
                    .scaled = TRM_NEW_ARRAY(&scratch, trm_vec3, count),
                    .grid = TRM_NEW_ARRAY(&scratch, trm_grid_point, count),
                    .skipped = TRM_NEW_ARRAY(&scratch, bool, count),
                    .number = TRM_NEW_ARRAY(&scratch, int, count),
                    .count = count};
    const trm_status status = scale_and_find_hull(&job, hull, why);
    trm_arena_destroy(&scratch);
    return status;
}
