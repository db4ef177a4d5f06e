/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The algorithm of Gilbert, Johnson and Keerthi (1988).
 *
 * It finds the point v of the difference A - B = { a - b } that is nearest to the origin. v is the nearest point of a
 * simplex of at most four points w = a - b of A - B. The support point along -v either shows that v is nearest,
 *
 *     v.v - v.w <= (a few roundings) v.v,
 *
 * or is added to the simplex, which then keeps only the points of which v is a mean. The nearest point of a simplex
 * is found by trying its faces; for degenerate simplices this is safer than solving for all weights at once. Every
 * iteration reduces |v|, until rounding prevents it. */

#include "collide/gjk.h"

/* The simplex: points w of A - B, with their weights in v. */
typedef struct simplex {
    int count;
    trm_vec3 w[4], a[4], b[4];
    int vertex_a[4], vertex_b[4];
    double weight[4];
} simplex;

/* The points, at most three, of which the nearest point is a mean, and their weights. */
typedef struct nearest {
    int count, index[3];
    double weight[3];
    trm_vec3 v;
    double vv;
} nearest;

static nearest at_point(const trm_vec3 *w, int i)
{
    return (nearest){1, {i}, {1}, w[i], trm_v3_dot(w[i], w[i])};
}

static nearest on_segment(const trm_vec3 *w, int i, int j)
{
    const trm_vec3 d = trm_v3_sub(w[j], w[i]);
    const double dd = trm_v3_dot(d, d), t = -trm_v3_dot(w[i], d);
    if (!(t > 0)) return at_point(w, i);
    if (t >= dd) return at_point(w, j);
    /* measured from the nearer end: loses fewer digits if v is much nearer to it than to the other end */
    const double s = t / dd;
    const trm_vec3 v = s < 0.5 ? trm_v3_add_scaled(w[i], s, d) : trm_v3_add_scaled(w[j], s - 1, d);
    return (nearest){2, {i, j}, {1 - s, s}, v, trm_v3_dot(v, v)};
}

static nearest nearer(nearest p, nearest q)
{
    return q.vv < p.vv ? q : p;
}

static nearest on_border(const trm_vec3 *w, int i, int j, int k)
{
    return nearer(nearer(on_segment(w, i, j), on_segment(w, j, k)), on_segment(w, k, i));
}

/* Returns the nearest point of a triangle. If it is inside, its weights are the areas that the projection of the
 * origin forms with the sides. They may be wrong for a sliver, but v is a point of the triangle in any case, and the
 * border is then tried, too. */
static nearest on_triangle(const trm_vec3 *w, int i, int j, int k)
{
    const double sliver = 1e-8;
    const trm_vec3 ij = trm_v3_sub(w[j], w[i]), ik = trm_v3_sub(w[k], w[i]), n = trm_v3_cross(ij, ik);
    const double nn = trm_v3_dot(n, n);
    if (!(nn > 0)) return on_border(w, i, j, k);
    const trm_vec3 foot = trm_v3_scale(trm_v3_dot(n, w[i]) / nn, n);
    const trm_vec3 to_i = trm_v3_sub(w[i], foot), to_j = trm_v3_sub(w[j], foot), to_k = trm_v3_sub(w[k], foot);
    const double at_i = trm_v3_dot(n, trm_v3_cross(to_j, to_k)), at_j = trm_v3_dot(n, trm_v3_cross(to_k, to_i));
    const double at_k = trm_v3_dot(n, trm_v3_cross(to_i, to_j)), sum = at_i + at_j + at_k;
    if (!(at_i > 0 && at_j > 0 && at_k > 0)) return on_border(w, i, j, k);
    const bool is_sliver = nn < sliver * trm_v3_dot(ij, ij) * trm_v3_dot(ik, ik);
    const trm_vec3 mean = trm_v3_add_scaled(trm_v3_add_scaled(w[i], at_j / sum, ij), at_k / sum, ik);
    const trm_vec3 v = is_sliver ? mean : foot;
    const nearest inside = {3, {i, j, k}, {at_i / sum, at_j / sum, at_k / sum}, v, trm_v3_dot(v, v)};
    return is_sliver ? nearer(inside, on_border(w, i, j, k)) : inside;
}

/* Returns whether the origin is on the face i, j, k of a tetrahedron, or on the other side of it than the fourth
 * point. A flat tetrahedron has no inside. */
static bool is_beyond(const trm_vec3 *w, int i, int j, int k, int fourth)
{
    const double flat = 1e-12;
    const trm_vec3 n = trm_v3_cross(trm_v3_sub(w[j], w[i]), trm_v3_sub(w[k], w[i])),
                   down = trm_v3_sub(w[i], w[fourth]);
    const double height = trm_v3_dot(n, down);
    return trm_v3_dot(n, w[i]) * height <= 0 ||
           height * height <= flat * flat * trm_v3_dot(n, n) * trm_v3_dot(down, down);
}

static const int faces_of_four[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};

/* Finds the nearest point of the simplex. Returns false if the origin is inside a tetrahedron. */
static bool nearest_of(const simplex *s, nearest *best)
{
    const trm_vec3 *w = s->w;
    *best = at_point(w, 0);
    if (s->count == 2) *best = on_segment(w, 0, 1);
    if (s->count == 3) *best = on_triangle(w, 0, 1, 2);
    if (s->count < 4) return true;

    bool outside = false;
    for (int f = 0; f < 4; f++) {
        const int *at = faces_of_four[f];
        if (!is_beyond(w, at[0], at[1], at[2], at[3])) continue;
        const nearest here = on_triangle(w, at[0], at[1], at[2]);
        *best = outside ? nearer(*best, here) : here;
        outside = true;
    }
    return outside;
}

/* Returns the nearest point of all triangles that contain the newest point, for a flat tetrahedron, whose signs are
 * unreliable. */
static nearest nearest_with_last(const simplex *s)
{
    nearest best = on_triangle(s->w, 0, 1, 3);
    for (int f = 2; f < 4; f++)
        best = nearer(best, on_triangle(s->w, faces_of_four[f][0], faces_of_four[f][1], faces_of_four[f][2]));
    return best;
}

static void keep(simplex *s, const nearest *best)
{
    simplex kept = {.count = best->count};
    for (int i = 0; i < best->count; i++) {
        const int k = best->index[i];
        kept.w[i] = s->w[k], kept.a[i] = s->a[k], kept.b[i] = s->b[k];
        kept.vertex_a[i] = s->vertex_a[k], kept.vertex_b[i] = s->vertex_b[k];
        kept.weight[i] = best->weight[i];
    }
    *s = kept;
}

static trm_vec3 add_farthest(const trm_pair *pair, simplex *s, trm_vec3 direction)
{
    const int k = s->count++;
    const trm_vec3 of_a = trm_solid_support(pair->a, trm_mat_t_vec(pair->R, direction), &s->vertex_a[k]);
    s->a[k] = trm_point_of_a(pair, of_a);
    s->b[k] = trm_solid_support(pair->b, trm_v3_neg(direction), &s->vertex_b[k]);
    s->w[k] = trm_v3_sub(s->a[k], s->b[k]);
    return s->w[k];
}

/* Returns whether the last point is in the simplex already. */
static bool is_repeated(const simplex *s)
{
    const trm_vec3 last = s->w[s->count - 1];
    for (int i = 0; i < s->count - 1; i++)
        if (s->w[i].x == last.x && s->w[i].y == last.y && s->w[i].z == last.z) return true;
    return false;
}

static trm_closest closest_of(const simplex *s, trm_vec3 v)
{
    trm_closest closest = {.distance = trm_v3_length(v), .count = s->count};
    closest.normal = trm_v3_unit(v);
    for (int i = 0; i < s->count; i++) {
        closest.a[i] = s->a[i], closest.b[i] = s->b[i];
        closest.vertex_a[i] = s->vertex_a[i], closest.vertex_b[i] = s->vertex_b[i];
        closest.on_a = trm_v3_add_scaled(closest.on_a, s->weight[i], s->a[i]);
        closest.on_b = trm_v3_add_scaled(closest.on_b, s->weight[i], s->b[i]);
    }
    return closest;
}

trm_closest trm_gjk(const trm_pair *pair)
{
    enum { ROUNDS = 200, MOST_STALLS = 10 };
    const double rounding = 1e-15, nothing = 1e-15 * (pair->a->size + pair->b->size);
    simplex s = {.count = 0};
    trm_vec3 v = add_farthest(pair, &s, trm_v3(1, 0, 0));
    s.weight[0] = 1;
    int stalls = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double vv = trm_v3_dot(v, v);
        if (vv <= nothing * nothing) return (trm_closest){.distance = 0};
        const simplex before = s;
        const trm_vec3 w = add_farthest(pair, &s, trm_v3_neg(v));
        nearest best;
        if (vv - trm_v3_dot(v, w) <= rounding * vv || is_repeated(&s)) return closest_of(&before, v);
        const bool outside = nearest_of(&s, &best);
        /* if v.w > 0, v separates the cores, even if the tetrahedron is flat and seems to contain the origin */
        if (!outside && trm_v3_dot(v, w) <= 0) return (trm_closest){.distance = 0};
        if (s.count == 4 && (!outside || !(best.vv < vv))) best = nearest_with_last(&s);
        /* rotating v by the square root of a rounding error shortens it by less than a rounding error, but may still
         * be progress */
        if (!(best.vv < vv) && (++stalls > MOST_STALLS || best.vv > (1 + 4 * rounding) * vv))
            return closest_of(&before, v);
        keep(&s, &best);
        v = best.v;
    }
    return closest_of(&s, v);
}
