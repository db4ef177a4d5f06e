/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Convex hulls by libqhull_r (Barber, Dobkin, Huhdanpaa, The quickhull algorithm for convex hulls, 1996).
 *
 * Qhull takes its memory from malloc, not from the caller's allocator, and gives all of it back before
 * trm_convex_hull returns. Where malloc fails it reports so and does not exit (but loses one table of a few hundred
 * bytes if it is its very first request that fails). Its messages go to a stream in memory and are dropped.
 *
 * The points are first moved about the middle of their bounds and scaled by a power of two to size one, because
 * Qhull's tolerances grow with the largest coordinate. The scaling is exact and the result refers to the points by
 * number, so the hull's vertices are the caller's points to the last bit.
 *
 * Option Qt merges facets that are coplanar to rounding and splits them into triangles. Where points lie some roundings
 * apart this fails now and then, or the surface is not closed. Then such points are made equal, by rounding all of
 * them to 1.5e-11 of their size, and Qhull is asked once more: it leaves out what is there twice. */

#include "math/hull.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include <libqhull_r/qhull_ra.h>

#include "base/memory.h"

/* ---- Points about the middle of their bounds, of size one --------------------------------- */

/* point = middle + size * scaled */
typedef struct scaling {
    trm_vec3 middle;
    double size;  /* a power of two, at least half of the longest edge of the bounds */
    double noise; /* rounding of the given coordinates, relative to size */
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

/* size 0 where all points are the same. Halves are taken first, lest a sum overflow. */
static scaling scaling_of(const trm_vec3 *points, int count)
{
    trm_vec3 lo = points[0], hi = points[0];
    for (int i = 1; i < count; i++) lo = lower(lo, points[i]), hi = upper(hi, points[i]);
    const trm_vec3 half = trm_sub(trm_scale(0.5, hi), trm_scale(0.5, lo));
    if (largest(half) == 0) return (scaling){.middle = lo};

    int exponent;
    frexp(largest(half), &exponent);
    const double size = ldexp(1, exponent < DBL_MAX_EXP ? exponent : DBL_MAX_EXP - 1);
    const double noise = DBL_EPSILON * (fmax(largest(lo), largest(hi)) / size);
    return (scaling){trm_add(lo, half), size, fmax(noise, DBL_EPSILON)};
}

static void scale_points(scaling s, const trm_vec3 *points, int count, trm_vec3 *scaled)
{
    for (int i = 0; i < count; i++) {
        const trm_vec3 d = trm_sub(points[i], s.middle);
        scaled[i] = trm_v3(d.x / s.size, d.y / s.size, d.z / s.size);
    }
}

static void merge_near_points(trm_vec3 *scaled, int count)
{
    const double steps = 0x1p36;
    for (int i = 0; i < count; i++)
        scaled[i] = trm_v3(rint(steps * scaled[i].x) / steps, rint(steps * scaled[i].y) / steps,
                           rint(steps * scaled[i].z) / steps);
}

/* ---- Points without volume ---------------------------------------------------------------- */

static const char flat[] = "all points lie in a plane";

/* The part of v at right angles to the unit vectors (or zero vectors) a and b. */
static trm_vec3 across(trm_vec3 v, trm_vec3 a, trm_vec3 b)
{
    const trm_vec3 rest = trm_add_scaled(v, -trm_dot(v, a), a);
    return trm_add_scaled(rest, -trm_dot(rest, b), b);
}

/* The longest part across a and b of a vector from the first point to another. */
static trm_vec3 farthest_across(const trm_vec3 *points, int count, trm_vec3 a, trm_vec3 b)
{
    trm_vec3 longest = {0, 0, 0};
    for (int i = 1; i < count; i++) {
        const trm_vec3 part = across(trm_sub(points[i], points[0]), a, b);
        if (trm_dot(part, part) > trm_dot(longest, longest)) longest = part;
    }
    return longest;
}

/* Whether the scaled points are on a line or in a plane to within thinnest. */
static const char *fault_of_shape(const trm_vec3 *scaled, int count, double thinnest)
{
    const trm_vec3 zero = {0, 0, 0};
    const trm_vec3 along = trm_unit(farthest_across(scaled, count, zero, zero));
    const trm_vec3 wide = farthest_across(scaled, count, along, zero);
    if (trm_length(wide) <= thinnest) return "all points lie on a line";
    const trm_vec3 thick = farthest_across(scaled, count, along, trm_unit(wide));
    return trm_length(thick) <= thinnest ? flat : NULL;
}

/* ---- Reading Qhull's facets --------------------------------------------------------------- */

/* What one call works with. */
typedef struct hull_job {
    trm_arena *arena;
    const trm_vec3 *points; /* as given */
    trm_vec3 *scaled;
    int *number; /* of a point among the hull's vertices, -1 if it is none */
    int count;
} hull_job;

typedef enum outcome { DONE, NO_MEMORY, FLAT, NO_HULL } outcome;

static int count_facets(const qhT *qh)
{
    int count = 0;
    for (const facetT *facet = qh->facet_list; facet && facet->next; facet = facet->next) count++;
    return count;
}

/* The numbers of the facet's three points, outward counter-clockwise. */
static void read_facet(qhT *qh, const facetT *facet, int triangle[3])
{
    for (int k = 0; k < 3; k++) {
        const int turned = facet->toporient ^ qh_ORIENTclock ? 2 - k : k;
        triangle[turned] = qh_pointid(qh, SETelemt_(facet->vertices, k, vertexT)->point);
    }
}

/* From numbers of points to numbers of vertices. */
static outcome number_vertices(const hull_job *job, trm_mesh *hull)
{
    for (int i = 0; i < job->count; i++) job->number[i] = -1;
    for (int t = 0; t < hull->triangle_count; t++)
        for (int k = 0; k < 3; k++) job->number[hull->triangles[t][k]] = 0;
    for (int i = 0; i < job->count; i++)
        if (job->number[i] == 0) job->number[i] = hull->vertex_count++;

    hull->vertices = TRM_NEW_ARRAY(job->arena, trm_vec3, hull->vertex_count);
    if (!hull->vertices) return NO_MEMORY;
    for (int i = 0; i < job->count; i++)
        if (job->number[i] >= 0) hull->vertices[job->number[i]] = job->points[i];
    for (int t = 0; t < hull->triangle_count; t++)
        for (int k = 0; k < 3; k++) hull->triangles[t][k] = job->number[hull->triangles[t][k]];
    return DONE;
}

static outcome read_hull(qhT *qh, const hull_job *job, trm_mesh *hull)
{
    hull->triangle_count = count_facets(qh);
    hull->triangles = trm_arena_array(job->arena, (size_t)hull->triangle_count, sizeof *hull->triangles);
    if (!hull->triangles) return NO_MEMORY;

    int t = 0;
    for (const facetT *facet = qh->facet_list; facet && facet->next; facet = facet->next) {
        if (!facet->simplicial) return NO_HULL;
        read_facet(qh, facet, hull->triangles[t++]);
    }
    if (!trm_mesh_is_closed(hull, job->arena)) return job->arena->failed ? NO_MEMORY : NO_HULL;
    return number_vertices(job, hull);
}

/* ---- Calling Qhull ------------------------------------------------------------------------ */

static outcome outcome_of(int exit_code)
{
    switch (exit_code) {
    case qh_ERRnone: return DONE;
    case qh_ERRmem: return NO_MEMORY;
    case qh_ERRsingular: return FLAT;
    default: return NO_HULL;
    }
}

/* Messages go to the stream. qh_new_qhull catches Qhull's error exits itself. */
static outcome run_qhull(const hull_job *job, FILE *stream, trm_mesh *hull)
{
    char command[] = "qhull Qt";
    qhT qh;
    qh_zero(&qh, stream);
    const int exit_code = qh_new_qhull(&qh, 3, job->count, &job->scaled[0].x, False, command, NULL, stream);
    outcome result = outcome_of(exit_code);
    if (result == DONE) result = read_hull(&qh, job, hull);

    int long_pieces, long_bytes;
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &long_pieces, &long_bytes);
    return result;
}

/* One run of Qhull; the arena keeps what it gave only where there is a hull. */
static outcome try_hull(const hull_job *job, trm_mesh *hull)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream) return NO_MEMORY;

    *hull = (trm_mesh){0};
    const trm_arena_mark mark = trm_arena_get_mark(job->arena);
    const outcome result = run_qhull(job, stream, hull);
    if (result != DONE) {
        trm_arena_reset(job->arena, mark);
        *hull = (trm_mesh){0};
    }
    fclose(stream);
    free(text);
    return result;
}

static outcome hull_of(const hull_job *job, trm_mesh *hull)
{
    const outcome result = try_hull(job, hull);
    const double much_thicker_than_merging = 1e-9;
    if (result != NO_HULL || fault_of_shape(job->scaled, job->count, much_thicker_than_merging)) return result;
    merge_near_points(job->scaled, job->count);
    return try_hull(job, hull);
}

/* ---- The points given, and what came of them ---------------------------------------------- */

static const char *fault_of_points(const trm_vec3 *points, int count)
{
    if (count < 4) return "fewer than 4 points";
    for (int i = 0; i < count; i++)
        if (!trm_is_finite(points[i])) return "a coordinate is not finite";
    return scaling_of(points, count).size == 0 ? "all points are the same" : NULL;
}

static trm_status status_of(outcome result, const char **why)
{
    switch (result) {
    case DONE: return TRM_OK;
    case NO_MEMORY: return TRM_OUT_OF_MEMORY;
    case FLAT: *why = flat; return TRM_BAD_INPUT;
    default: *why = "the convex hull of the points could not be found"; return TRM_BAD_INPUT;
    }
}

/* With memory for the work: scales the points, and goes to Qhull if they have volume. */
static trm_status hull_with_memory(const hull_job *job, trm_mesh *hull, const char **why)
{
    if (!job->scaled || !job->number) return TRM_OUT_OF_MEMORY;
    const scaling fit = scaling_of(job->points, job->count);
    scale_points(fit, job->points, job->count, job->scaled);

    /* thinner than that Qhull merges facets of opposite sides, or finds a hull of rounding errors */
    const double thinnest = 256 * fit.noise;
    *why = fault_of_shape(job->scaled, job->count, thinnest);
    return *why ? TRM_BAD_INPUT : status_of(hull_of(job, hull), why);
}

trm_status trm_convex_hull(trm_arena *arena, const trm_vec3 *points, int count, trm_mesh *hull, const char **why)
{
    const char *unwanted;
    if (!why) why = &unwanted;
    *hull = (trm_mesh){0};
    *why = fault_of_points(points, count);
    if (*why) return TRM_BAD_INPUT;

    const trm_allocator *allocator = &arena->allocator;
    const size_t scaled_bytes = (size_t)count * sizeof(trm_vec3), number_bytes = (size_t)count * sizeof(int);
    const hull_job job = {arena, points, trm_allocate(allocator, scaled_bytes), trm_allocate(allocator, number_bytes),
                          count};
    const trm_status status = hull_with_memory(&job, hull, why);
    trm_release(allocator, job.scaled, scaled_bytes);
    trm_release(allocator, job.number, number_bytes);
    return status;
}
