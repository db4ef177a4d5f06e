/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Quickhull (Barber, Dobkin, Huhdanpaa, The quickhull algorithm for convex hulls, ACM TOMS 22, 1996) on a grid.
 *
 * The hull begins as a tetrahedron. Each facet has a list of points outside it. As long as a facet has one, the
 * farthest point p of that list joins the hull: the facets that p sees are removed, and each edge of the horizon
 * around them forms a new facet with p. p sees a facet abc if
 *
 *   V = det(b - a, c - a, p - a) > 0.
 *
 * The sign of V is exact: coordinates are integers of 53 bits, so V has at most 164 bits; where double precision
 * does not decide, V is computed in two words of 128 bits. Therefore the facets that p sees always form a disc
 * bounded by a simple cycle, and the surface stays closed and convex. A facet whose plane contains p is not seen, and
 * no edge of the horizon is collinear with p: its facet inside the horizon would then be coplanar with p, too.
 *
 * Points that are outside by rounding only are omitted; otherwise plane faces would be covered with slivers. */

#include "math/quickhull.h"

#include <math.h>

enum { NONE = -1 };

typedef struct facet {
    int corner[3];
    int beyond[3]; /* the facet across the edge from corner k to corner k + 1 */
    int outside;   /* the first of its points outside; NONE: it has none */
    int seen;      /* the last round in which it was tested */
    bool visible;  /* result of that test */
    bool dead;
    bool queued; /* true: its number is in todo; stays true when the facet is reused */
    double area; /* twice the area, in grid units */
} facet;

typedef struct hull {
    const trm_grid_point *points;
    int count, round;
    double near; /* in grid units */
    facet *facets;
    int used, free;     /* number of facets, and the first of those that can be reused, linked by outside */
    int *next;          /* per point: the next in the same list */
    int *starts;        /* per point: the new facet whose edge of the horizon begins there */
    int *todo, pending; /* facets with points outside */
    int *visible, visible_count;
    int *made, made_count;
} hull;

/* ---- Exact volumes ------------------------------------------------------------------------ */

__extension__ typedef __int128 wide;

/* Computes u (v x w) exactly, for cases where double precision does not give its sign. */
static double exact_volume(const int64_t u[3], const int64_t v[3], const int64_t w[3])
{
    wide high = 0, low = 0;
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        const wide minor = (wide)v[m] * w[n] - (wide)v[n] * w[m]; /* 108 bits */
        high += (minor >> 64) * u[k];
        low += (wide)(uint64_t)minor * u[k];
    }
    high += low >> 64;
    return ldexp((double)high, 64) + (double)(uint64_t)low;
}

static double double_volume(const int64_t u[3], const int64_t v[3], const int64_t w[3], double *size)
{
    double volume = 0;
    *size = 0;
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        const double a = (double)v[m] * (double)w[n], b = (double)v[n] * (double)w[m], c = (double)u[k];
        volume += (a - b) * c;
        *size += (fabs(a) + fabs(b)) * fabs(c);
    }
    return volume;
}

double trm_grid_volume(trm_grid_point a, trm_grid_point b, trm_grid_point c, trm_grid_point d)
{
    int64_t u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = d.x[k] - a.x[k], v[k] = b.x[k] - a.x[k], w[k] = c.x[k] - a.x[k];
    double size;
    const double volume = double_volume(u, v, w, &size);
    const double rounding = 1e-15; /* nine roundings of 1.1e-16, differences being exact */
    return fabs(volume) > rounding * size ? volume : exact_volume(u, v, w);
}

static double volume_over(const hull *h, const facet *f, int point)
{
    return trm_grid_volume(h->points[f->corner[0]], h->points[f->corner[1]], h->points[f->corner[2]],
                           h->points[point]);
}

static trm_vec3 between(const hull *h, int a, int b)
{
    const int64_t *p = h->points[a].x, *q = h->points[b].x;
    return trm_v3((double)(q[0] - p[0]), (double)(q[1] - p[1]), (double)(q[2] - p[2]));
}

/* ---- Facets ------------------------------------------------------------------------------- */

static int add_facet(hull *h, int a, int b, int c)
{
    int number = h->free;
    if (number != NONE)
        h->free = h->facets[number].outside;
    else
        number = h->used++;
    facet *f = &h->facets[number];
    *f = (facet){
        .corner = {a, b, c}, .beyond = {NONE, NONE, NONE}, .outside = NONE, .seen = NONE, .queued = f->queued};
    f->area = trm_v3_length(trm_v3_cross(between(h, a, b), between(h, a, c)));
    return number;
}

static void drop_facet(hull *h, int number)
{
    h->facets[number].dead = true;
    h->facets[number].outside = h->free;
    h->free = number;
}

/* Adds the point to the list of the first of these facets that has it outside by more than rounding. A point inside
 * all of them is dropped. */
static void assign_point(hull *h, int point, const int *facets, int count)
{
    for (int i = 0; i < count; i++) {
        facet *f = &h->facets[facets[i]];
        if (volume_over(h, f, point) <= h->near * f->area) continue;
        if (!f->queued) h->todo[h->pending++] = facets[i];
        f->queued = true;
        h->next[point] = f->outside;
        f->outside = point;
        return;
    }
}

/* Removes the farthest point from a facet's list and returns it; if several are equally far, the one with the least
 * number. */
static int take_farthest(hull *h, facet *f)
{
    int farthest = NONE, before_farthest = NONE, before = NONE;
    double most = 0;
    for (int p = f->outside; p != NONE; before = p, p = h->next[p]) {
        const double volume = volume_over(h, f, p);
        if (volume < most || (volume == most && farthest != NONE && p > farthest)) continue;
        most = volume, farthest = p, before_farthest = before;
    }
    if (before_farthest == NONE)
        f->outside = h->next[farthest];
    else
        h->next[before_farthest] = h->next[farthest];
    return farthest;
}

/* ---- Adding a point ----------------------------------------------------------------------- */

static bool sees(hull *h, int point, int number)
{
    facet *f = &h->facets[number];
    if (f->seen != h->round) {
        f->seen = h->round;
        f->visible = volume_over(h, f, point) > 0;
        if (f->visible) h->visible[h->visible_count++] = number;
    }
    return f->visible;
}

static void add_over_edge(hull *h, int point, int number, int k)
{
    const int a = h->facets[number].corner[k], b = h->facets[number].corner[(k + 1) % 3];
    const int outer = h->facets[number].beyond[k], made = add_facet(h, a, b, point);
    facet *over = &h->facets[outer];
    for (int m = 0; m < 3; m++)
        if (over->corner[m] == b && over->corner[(m + 1) % 3] == a) over->beyond[m] = made;
    h->facets[made].beyond[0] = outer;
    h->starts[a] = made;
    h->made[h->made_count++] = made;
}

/* Makes new facets from the point to the horizon around the facets that it sees, starting with facet `first`. */
static void make_cone(hull *h, int point, int first)
{
    h->round++;
    h->visible_count = h->made_count = 0;
    sees(h, point, first);
    for (int i = 0; i < h->visible_count; i++)
        for (int k = 0; k < 3; k++) sees(h, point, h->facets[h->visible[i]].beyond[k]);
    for (int i = 0; i < h->visible_count; i++)
        for (int k = 0; k < 3; k++)
            if (!h->facets[h->facets[h->visible[i]].beyond[k]].visible) add_over_edge(h, point, h->visible[i], k);
    for (int i = 0; i < h->made_count; i++) {
        facet *f = &h->facets[h->made[i]];
        const int following = h->starts[f->corner[1]];
        f->beyond[1] = following;
        h->facets[following].beyond[2] = h->made[i];
    }
}

static void join(hull *h, int number)
{
    const int point = take_farthest(h, &h->facets[number]);
    make_cone(h, point, number);
    for (int i = 0; i < h->visible_count; i++)
        for (int p = h->facets[h->visible[i]].outside; p != NONE;) {
            const int after = h->next[p];
            assign_point(h, p, h->made, h->made_count);
            p = after;
        }
    for (int i = 0; i < h->visible_count; i++) drop_facet(h, h->visible[i]);
}

/* ---- The tetrahedron ---------------------------------------------------------------------- */

/* Returns the point farthest from the span of the first few corners: a point, a line or a plane. */
static int farthest_from(const hull *h, const bool *skipped, const int *corner, int corners)
{
    int farthest = NONE;
    double most = 0;
    for (int i = 0; i < h->count; i++) {
        if (skipped[i]) continue;
        const trm_vec3 d = between(h, corner[0], i);
        double far = trm_v3_length(d);
        if (corners == 2) far = trm_v3_length(trm_v3_cross(between(h, corner[0], corner[1]), d));
        if (corners == 3)
            far =
                fabs(trm_grid_volume(h->points[corner[0]], h->points[corner[1]], h->points[corner[2]], h->points[i]));
        if (far > most) most = far, farthest = i;
    }
    return farthest;
}

/* Makes the initial tetrahedron. Returns false if the points lie in a plane. */
static bool begin(hull *h, const bool *skipped)
{
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    static const int beyond[4][3] = {{3, 2, 1}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    static const int all[4] = {0, 1, 2, 3};
    int corner[4] = {0};
    while (corner[0] < h->count && skipped[corner[0]]) corner[0]++;
    if (corner[0] == h->count) return false;
    corner[0] = farthest_from(h, skipped, corner, 1);
    for (int k = 1; k < 4; k++) {
        if (corner[k - 1] == NONE) return false;
        corner[k] = farthest_from(h, skipped, corner, k);
    }
    if (corner[3] == NONE) return false;
    const trm_grid_point *p = h->points;
    if (trm_grid_volume(p[corner[0]], p[corner[1]], p[corner[2]], p[corner[3]]) < 0) {
        const int kept = corner[0];
        corner[0] = corner[1], corner[1] = kept;
    }
    for (int f = 0; f < 4; f++) add_facet(h, corner[faces[f][0]], corner[faces[f][1]], corner[faces[f][2]]);
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k++) h->facets[f].beyond[k] = beyond[f][k];
    for (int i = 0; i < h->count; i++)
        if (!skipped[i]) assign_point(h, i, all, 4);
    return true;
}

/* ---- The algorithm ------------------------------------------------------------------------ */

static bool copy_triangles(const hull *h, trm_arena *arena, int (**triangles)[3], int *count)
{
    *count = 0;
    for (int i = 0; i < h->used; i++) *count += !h->facets[i].dead;
    *triangles = trm_arena_array(arena, (size_t)*count, sizeof **triangles);
    if (!*triangles) return false;
    int t = 0;
    for (int i = 0; i < h->used; i++)
        if (!h->facets[i].dead) {
            for (int k = 0; k < 3; k++) (*triangles)[t][k] = h->facets[i].corner[k];
            t++;
        }
    return true;
}

/* Allocates the workspace. A closed surface over n points has 2 n - 4 triangles. While a point is added, there are at
 * most n more, the new facets over its horizon. */
static hull hull_of(trm_arena *scratch, const trm_grid_point *points, int count, double near)
{
    const size_t n = (size_t)count, most = 3 * n;
    return (hull){.points = points,
                  .count = count,
                  .near = ldexp(near, TRM_GRID_BITS),
                  .facets = TRM_NEW_ARRAY(scratch, facet, most),
                  .free = NONE,
                  .next = TRM_NEW_ARRAY(scratch, int, n),
                  .starts = TRM_NEW_ARRAY(scratch, int, n),
                  .todo = TRM_NEW_ARRAY(scratch, int, most),
                  .visible = TRM_NEW_ARRAY(scratch, int, most),
                  .made = TRM_NEW_ARRAY(scratch, int, most)};
}

trm_hull_outcome trm_quickhull(trm_arena *arena, const trm_grid_point *points, const bool *skipped, int count,
                               double near, int (**triangles)[3], int *triangle_count)
{
    trm_arena scratch;
    trm_arena_init(&scratch, &arena->allocator);
    hull h = hull_of(&scratch, points, count, near);
    trm_hull_outcome outcome = scratch.failed ? TRM_HULL_NO_MEMORY : TRM_HULL_DONE;
    if (outcome == TRM_HULL_DONE && !begin(&h, skipped)) outcome = TRM_HULL_FLAT;
    while (outcome == TRM_HULL_DONE && h.pending > 0) {
        const int number = h.todo[h.pending - 1];
        facet *f = &h.facets[number];
        if (f->dead || f->outside == NONE)
            h.pending--, f->queued = false;
        else
            join(&h, number);
    }
    if (outcome == TRM_HULL_DONE && !copy_triangles(&h, arena, triangles, triangle_count))
        outcome = TRM_HULL_NO_MEMORY;
    trm_arena_destroy(&scratch);
    return outcome;
}
