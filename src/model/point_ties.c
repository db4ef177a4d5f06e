/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chooses distances that make points a rigid body, without redundant ones (SBP section 4). They are called ties.
 *
 * Points are placed one after another. The first is free, the second has one distance, the third two, every
 * further one three, to points placed before it. So n points have 3 n - 6 distances. Their rows are independent if
 * the directions to the tied points are independent. The measure of independence is
 *
 *     |d1 x d2| / max|d|^2,   |det(d1, d2, d3)| / max|d|^3      d from the new point to those it is tied to;
 *
 * the point and the ties with the largest measure come next. Ties are searched among the points placed first.
 *
 * Another body may constrain some of the points too (two points on a hinge, any number in the world). Their
 * distances then exist already. A point of such a group needs no tie to the first point of the group, nor to a second
 * point that is not on a line with both. It needs no tie at all if it lies on the line of two placed points of the
 * group, or if three of them span a plane. */

#include "model/to_points.h"

/* Number of points among which ties are searched: 220 triples, and short paths through the body. */
enum { CANDIDATES = 12 };
/* Three points lie on a line below this sine of their angle, four lie in a plane below this volume. A larger one adds
 * distances to slim bodies, a smaller one accepts points on a line as a triangle, which distances do not make rigid.
 * Tests pass with a tenth and with ten times of it. */
static const double ON_A_LINE = 1e-6;
/* Below this measure, rounding errors would move a point noticeably. A larger one refuses slim bodies, a smaller one
 * accepts distances that rounding errors violate. Tests pass with a tenth and with ten times of it. */
static const double TOO_FLAT = 1e-4;

typedef struct search {
    const trm_tie_points *points;
    int *placed;
    bool *is_placed;
    int count; /* number of placed points */
    int needs; /* number of distances of the next point: 0 1 2 3 */
} search;

/* Directions along which a point is constrained. */
typedef struct support {
    trm_vec3 d[3];
    int count;
    int tie[3]; /* points to which new distances lead */
    int ties;
    double quality;
} support;

static trm_vec3 between(const search *s, int from, int to)
{
    return trm_v3_sub(s->points->places[to], s->points->places[from]);
}

static bool is_in_group(const trm_tie_points *points, int p, int group)
{
    for (int k = points->group_first[p]; k < points->group_first[p + 1]; k++)
        if (points->groups[k] == group) return true;
    return false;
}

static double quality_of(const trm_vec3 *d, int count)
{
    double longest = 0;
    for (int i = 0; i < count; i++) longest = fmax(longest, trm_v3_length(d[i]));
    const trm_vec3 u = trm_v3_scale(1 / longest, d[0]);
    if (count == 1) return longest;
    const trm_vec3 area = trm_v3_cross(u, trm_v3_scale(1 / longest, d[1]));
    return count == 2 ? trm_v3_length(area) : fabs(trm_v3_dot(area, trm_v3_scale(1 / longest, d[2])));
}

static bool is_on_line(trm_vec3 u, trm_vec3 v)
{
    return trm_v3_length(trm_v3_cross(u, v)) <= ON_A_LINE * trm_v3_length(u) * trm_v3_length(v);
}

/* ---- Constraints by other bodies ---------------------------------------------------------- */

/* Adds a direction if it is independent of those before it. */
static void add_direction(support *h, trm_vec3 d)
{
    if (h->count == 3) return;
    h->d[h->count] = d;
    if (h->count == 0 || quality_of(h->d, h->count + 1) > ON_A_LINE) h->count++;
}

/* Adds the constraints of the placed points of a group on another point of the group. */
static void add_group(const search *s, int p, int group, support *h)
{
    int a = -1, b = -1;
    for (int i = 0; i < s->count; i++) {
        const int q = s->placed[i];
        if (!is_in_group(s->points, q, group)) continue;
        if (a < 0) {
            a = q;
        } else if (b < 0) {
            b = q;
            if (is_on_line(between(s, a, p), between(s, a, b))) h->count = 3; /* these determine the position */
        } else if (!is_on_line(between(s, a, q), between(s, a, b))) {
            h->count = 3;
        }
    }
    if (a >= 0) add_direction(h, between(s, p, a));
    if (b >= 0) add_direction(h, between(s, p, b));
}

static support held_by_others(const search *s, int p)
{
    support h = {.count = 0};
    for (int k = s->points->group_first[p]; k < s->points->group_first[p + 1]; k++)
        add_group(s, p, s->points->groups[k], &h);
    return h;
}

/* ---- Choosing ties ------------------------------------------------------------------------ */

static void try_ties(const search *s, int p, int first, support *trial, support *best)
{
    if (trial->count == s->needs) {
        trial->quality = quality_of(trial->d, trial->count);
        if (trial->quality > best->quality) *best = *trial;
        return;
    }
    for (int i = first; i < s->count && i < CANDIDATES; i++) {
        trial->tie[trial->ties++] = s->placed[i];
        trial->d[trial->count++] = between(s, p, s->placed[i]);
        try_ties(s, p, i + 1, trial, best);
        trial->ties--;
        trial->count--;
    }
}

static support best_support(const search *s, int p)
{
    support trial = held_by_others(s, p), best = {.quality = -1};
    if (trial.count >= s->needs) {
        trial.quality = INFINITY;
        return trial;
    }
    try_ties(s, p, 0, &trial, &best);
    return best;
}

/* ---- The order of the points -------------------------------------------------------------- */

/* Returns a point of the largest group, because its points need no ties; without groups the point farthest from the
 * others. */
static int first_point(const trm_tie_points *points)
{
    int best = 0, most = 0;
    double farthest = 0;
    for (int p = 0; p < points->count; p++) {
        int members = 0;
        for (int k = points->group_first[p]; k < points->group_first[p + 1]; k++) {
            int count = 0;
            for (int q = 0; q < points->count; q++) count += is_in_group(points, q, points->groups[k]);
            members = count > members ? count : members;
        }
        const double distance = trm_v3_length(points->places[p]);
        if (members < most || (members == most && distance <= farthest)) continue;
        best = p, most = members, farthest = distance;
    }
    return best;
}

static int next_point(const search *s, support *best)
{
    int next = -1;
    *best = (support){.quality = -1};
    for (int p = 0; p < s->points->count; p++) {
        if (s->is_placed[p]) continue;
        const support h = best_support(s, p);
        if (h.quality <= best->quality) continue;
        *best = h;
        next = p;
    }
    return next;
}

static void place(search *s, int p)
{
    s->placed[s->count++] = p;
    s->is_placed[p] = true;
    const bool is_third = s->needs == 2;
    if (is_third && is_on_line(between(s, s->placed[0], s->placed[1]), between(s, s->placed[0], p))) return;
    if (s->needs < 3) s->needs++;
}

trm_tying trm_choose_ties(trm_arena *arena, const trm_tie_points *points, trm_tie *ties, int *count)
{
    search s = {points, TRM_NEW_ARRAY(arena, int, points->count), TRM_NEW_ARRAY(arena, bool, points->count), 0, 0};
    *count = 0;
    if (!s.placed || !s.is_placed) return TRM_TIES_NO_MEMORY;
    if (points->count > 0) place(&s, first_point(points));
    while (s.count < points->count) {
        support best;
        const int p = next_point(&s, &best);
        if (p < 0 || best.quality < (s.needs == 1 ? 0 : TOO_FLAT)) return TRM_TIES_TOO_FLAT;
        for (int i = 0; i < best.ties; i++) ties[(*count)++] = (trm_tie){best.tie[i], p};
        place(&s, p);
    }
    return TRM_TIED;
}
