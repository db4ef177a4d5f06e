/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The axis along which a cylinder and another solid are farthest apart, to rounding.
 *
 * sep(n) = min_A n.x - max_B n.x has its maximum where n belongs to one of a few pairs of parts: n is the normal of a
 * face or cap; or the direction from the nearest point of the cylinder to a vertex; or perpendicular to the axis and
 * an edge (side and edge; if they are parallel, from the axis to the edge); or, for a rim and an edge e,
 * perpendicular to e, where
 *
 *     f(theta) = n.d - (h |n.u| + r sqrt(1 - (n.u)^2)),   n = cos(theta) g + sin(theta) k,   g, k, e orthonormal,
 *
 * has its maximum. d points from the centre of the cylinder to the edge, u is its axis, h its half length, r its
 * radius. The side of another cylinder is such an edge, its axis. For two rims both angles of n are free, and
 * Newton's method on the sphere finds the maximum. With w(n) = x_a - x_b between the support points, the gradient of
 * sep, and the tangents t of the rims,
 *
 *     (H - sep) delta = -(w - n (n.w)),   H = -(r_a/|n x u_a|) t_a t_a^T - (r_b/|n x u_b|) t_b t_b^T.
 *
 * For every n, sep(n) with the true support points is a lower bound of the distance, so the n with the largest sep(n)
 * is taken. */

#include "collide/cylinder.h"
#include "math/rotation.h"
#include "trammel/elementary.h"

/* Sine of the angle between an axis and a line below which they also count as parallel. With a larger value the axis
 * from one to the other is not quite perpendicular to both, with a smaller one the common normal of nearly parallel
 * lines is lost in rounding. Tests pass with a tenth and with ten times of it. */
static const double PARALLEL = 1e-6;

/* The search and its best axis so far. */
typedef struct search {
    const trm_pair *pair;
    trm_placed_cylinder b;
    trm_cylinder_axis best;
    double tie; /* m: later candidates must be better by this amount */
} search;

trm_placed_cylinder trm_place_cylinder(const trm_pair *pair, bool a)
{
    const trm_solid *solid = a ? pair->a : pair->b;
    const trm_vec3 axis = trm_column(solid->axes, 2);
    if (!a) return (trm_placed_cylinder){solid, solid->centre, axis};
    return (trm_placed_cylinder){solid, trm_point_of_a(pair, solid->centre), trm_mat_vec(pair->R, axis)};
}

trm_vec3 trm_lowest_of_a(const trm_pair *pair, trm_vec3 n)
{
    int vertex;
    return trm_point_of_a(pair, trm_solid_support(pair->a, trm_v3_neg(trm_mat_t_vec(pair->R, n)), &vertex));
}

trm_vec3 trm_highest_of_b(const trm_pair *pair, trm_vec3 n)
{
    int vertex;
    return trm_solid_support(pair->b, n, &vertex);
}

static double separation_along(const trm_pair *pair, trm_vec3 n)
{
    return trm_v3_dot(n, trm_v3_sub(trm_lowest_of_a(pair, n), trm_highest_of_b(pair, n)));
}

/* Replaces the best axis by n if n is better. Returns whether it is. */
static bool try_axis(search *s, trm_vec3 n, trm_solid_part part_a, trm_solid_part part_b, int number)
{
    const double separation = separation_along(s->pair, n);
    if (!(separation > s->best.separation + s->tie)) return false;
    if (s->pair->allows && part_a != TRM_PART_FACE &&
        !s->pair->allows(s->pair->triangle, trm_v3_neg(trm_mat_t_vec(s->pair->R, n))))
        return false;
    s->best = (trm_cylinder_axis){n, separation, part_a, part_b, number};
    return true;
}

/* ---- Caps, faces, vertices ---------------------------------------------------------------- */

static void try_caps(search *s, const trm_placed_cylinder *of, trm_solid_part part_a, trm_solid_part part_b)
{
    try_axis(s, of->axis, part_a, part_b, 0);
    try_axis(s, trm_v3_neg(of->axis), part_a, part_b, 0);
}

/* Tries the axis from the nearest point of the cylinder to a vertex. */
static void try_vertex(search *s, int i)
{
    const trm_solid *b = s->b.solid;
    const trm_vec3 d = trm_v3_sub(trm_point_of_a(s->pair, s->pair->a->vertices[i]), s->b.centre);
    const double along = trm_v3_dot(d, s->b.axis);
    const trm_vec3 across = trm_v3_add_scaled(d, -along, s->b.axis);
    const double radius = trm_v3_length(across), past = fabs(along) - b->half_length;
    if (radius > 0 && (past <= 0 || radius > b->radius)) {
        const double over = past > 0 ? (along > 0 ? past : -past) : 0;
        const trm_vec3 out = trm_v3_scale(past > 0 ? (radius - b->radius) / radius : 1 / radius, across);
        const trm_vec3 n = trm_v3_add_scaled(out, over, s->b.axis);
        try_axis(s, trm_v3_unit(n), TRM_PART_VERTEX, past > 0 ? TRM_PART_RIM : TRM_PART_SIDE, i);
    }
}

static void try_face(search *s, int f)
{
    const trm_vec3 n = trm_v3_neg(trm_mat_vec(s->pair->R, s->pair->a->faces[f].normal));
    try_axis(s, n, TRM_PART_FACE, TRM_PART_RIM, f);
}

/* ---- A straight part against side and rim ------------------------------------------------- */

/* Coefficients of the first and second derivative of f(theta) for a fixed sign of n.u. */
typedef struct rim_curve {
    double along_g, along_k; /* d.g, and d.k minus h m for the cap in the direction of n */
    double m;                /* n.u = m sin(theta) */
    double radius;
} rim_curve;

static double slope(const rim_curve *c, double cosine, double sine)
{
    const double m2 = c->m * c->m, root = sqrt(1 - m2 * sine * sine);
    const double by_rim = root > 0 ? c->radius * m2 * sine * cosine / root : 0;
    return -c->along_g * sine + c->along_k * cosine + by_rim;
}

static double bend(const rim_curve *c, double cosine, double sine)
{
    const double m2 = c->m * c->m, root = sqrt(1 - m2 * sine * sine), both = sine * cosine;
    const double by_rim = (cosine * cosine - sine * sine + m2 * both * both / (root * root)) / root;
    return -c->along_g * cosine - c->along_k * sine + c->radius * m2 * by_rim;
}

/* Returns the maximum between lo and hi, where the derivative changes from + to -. Uses Newton's method, with
 * bisection for steps that leave the interval. */
static double maximum_between(const rim_curve *c, double lo, double hi)
{
    double theta = 0.5 * (lo + hi);
    for (int round = 0; round < 60; round++) {
        const double cosine = trm_cos(theta), sine = trm_sin(theta), here = slope(c, cosine, sine);
        *(here > 0 ? &lo : &hi) = theta;
        const double newton = theta - here / bend(c, cosine, sine);
        const double next = newton > lo && newton < hi ? newton : 0.5 * (lo + hi);
        if (fabs(next - theta) < 1e-16 || next == lo || next == hi) return next;
        theta = next;
    }
    return theta;
}

/* A line through p along e, and the rims of a cylinder. direction: 1 if the line belongs to a, -1 if to b. */
typedef struct line_and_rim {
    const trm_placed_cylinder *round;
    trm_vec3 p, e;
    double direction;
    trm_solid_part part_a, part_b;
    int number;
} line_and_rim;

/* Tries every maximum of f. */
static void try_line_and_rim(search *s, const line_and_rim *with)
{
    enum { PIECES = 8 };
    static const double cosines[PIECES + 1] = {1, 0.92387953251128674,  0.70710678118654752,  0.38268343236508977,
                                               0, -0.38268343236508977, -0.70710678118654752, -0.92387953251128674,
                                               -1};
    const trm_placed_cylinder *round = with->round;
    const trm_vec3 u = round->axis, across = trm_v3_add_scaled(u, -trm_v3_dot(u, with->e), with->e);
    const trm_vec3 d = trm_v3_scale(with->direction, trm_v3_sub(with->p, round->centre));
    const double m = trm_v3_length(across), step = TRM_PI / PIECES;
    if (m < 1e-9) return;
    const trm_vec3 k = trm_v3_scale(1 / m, across), g = trm_v3_cross(with->e, k);
    for (int cap = -1; cap <= 1; cap += 2) {
        const rim_curve curve = {trm_v3_dot(d, g), cap * trm_v3_dot(d, k) - round->solid->half_length * m, m,
                                 round->solid->radius};
        double before = slope(&curve, 1, 0);
        for (int i = 0; i < PIECES; i++) {
            const double after = slope(&curve, cosines[i + 1], cosines[i < 4 ? 3 - i : i - 3]);
            if (before > 0 && after <= 0) {
                const double theta = maximum_between(&curve, i * step, (i + 1) * step);
                const trm_vec3 n = trm_v3_add_scaled(trm_v3_scale(trm_cos(theta), g), cap * trm_sin(theta), k);
                try_axis(s, n, with->part_a, with->part_b, with->number);
            }
            before = after;
        }
    }
}

/* Tries n for a straight part of a through p if it is the lowest one along n. */
static void try_lowest(search *s, trm_vec3 n, trm_vec3 p, trm_solid_part part_a, int number)
{
    const double rounding = 1e-12 * s->pair->a->size;
    const bool is_lowest =
        part_a == TRM_PART_SIDE || trm_v3_dot(n, trm_v3_sub(p, trm_lowest_of_a(s->pair, n))) <= rounding;
    if (is_lowest) try_axis(s, n, part_a, TRM_PART_SIDE, number);
}

/* Tries the direction from the axis of b to the line through p along e, which is nearly parallel to it. */
static void try_parallel(search *s, trm_vec3 p, trm_vec3 e, trm_solid_part part_a, int number)
{
    const trm_vec3 d = trm_v3_sub(p, s->b.centre), across = trm_v3_add_scaled(d, -trm_v3_dot(d, e), e);
    if (trm_v3_length(across) > 1e-9 * trm_v3_length(d)) try_lowest(s, trm_v3_unit(across), p, part_a, number);
}

/* Tries the line through p along e against the side of the cylinder if it is the lowest line of a along e. */
static void try_line_and_side(search *s, trm_vec3 p, trm_vec3 e, trm_solid_part part_a, int number)
{
    const trm_vec3 c = trm_v3_cross(e, s->b.axis);
    const double sine = trm_v3_length(c);
    if (sine < PARALLEL) try_parallel(s, p, e, part_a, number);
    if (sine < 1e-9) return;
    for (int side = -1; side <= 1; side += 2) try_lowest(s, trm_v3_scale(side / sine, c), p, part_a, number);
}

static trm_vec3 edge_direction(const trm_pair *pair, int i)
{
    const int *v = pair->a->edges[i].vertex;
    return trm_mat_vec(pair->R, trm_v3_unit(trm_v3_sub(pair->a->vertices[v[1]], pair->a->vertices[v[0]])));
}

static void try_edge_and_rim(search *s, int i)
{
    const trm_vec3 p = trm_point_of_a(s->pair, s->pair->a->vertices[s->pair->a->edges[i].vertex[0]]);
    const line_and_rim with = {&s->b, p, edge_direction(s->pair, i), 1, TRM_PART_EDGE, TRM_PART_RIM, i};
    try_line_and_rim(s, &with);
}

/* Tries the edges at the nearest point of separated solids, which is a mean of known vertices of a. */
static void try_nearest_edges(search *s, const trm_closest *closest)
{
    const trm_solid *a = s->pair->a;
    for (int i = 0; i < a->edge_count; i++) {
        const int *v = a->edges[i].vertex;
        bool near = false;
        for (int k = 0; k < closest->count; k++)
            near = near || v[0] == closest->vertex_a[k] || v[1] == closest->vertex_a[k];
        if (near) try_edge_and_rim(s, i);
    }
}

static bool is_low(const search *s, int vertex, double lowest)
{
    const double band = 0.05 * (s->pair->a->size + s->pair->b->size);
    return trm_v3_dot(s->best.normal, trm_point_of_a(s->pair, s->pair->a->vertices[vertex])) < lowest + band;
}

/* Tries the edges that are lowest along the best axis, or nearly so, and repeats this while the axis improves. */
static void try_low_edges(search *s)
{
    enum { MOST_ROUNDS = 4 };
    const trm_solid *a = s->pair->a;
    bool better = a->edge_count > 0;
    for (int round = 0; better && round < MOST_ROUNDS; round++) {
        const double before = s->best.separation;
        const double lowest = trm_v3_dot(s->best.normal, trm_lowest_of_a(s->pair, s->best.normal));
        for (int i = 0; i < a->edge_count; i++)
            if (is_low(s, a->edges[i].vertex[0], lowest) || is_low(s, a->edges[i].vertex[1], lowest))
                try_edge_and_rim(s, i);
        better = s->best.separation > before;
    }
}

static void try_edges_and_rim(search *s)
{
    const trm_closest closest = trm_gjk(s->pair);
    if (closest.distance > 0)
        try_nearest_edges(s, &closest);
    else
        try_low_edges(s);
}

/* Returns whether the projection of x onto the plane of a face is inside the face; x in the frame of the solid. */
static bool is_over_face(const trm_solid *solid, const trm_solid_face *face, trm_vec3 x)
{
    for (int k = 0; k < face->count; k++) {
        const trm_vec3 p = solid->vertices[solid->corners[face->first + k]];
        const trm_vec3 q = solid->vertices[solid->corners[face->first + (k + 1 < face->count ? k + 1 : 0)]];
        if (trm_v3_dot(trm_v3_cross(trm_v3_sub(q, p), face->normal), trm_v3_sub(x, p)) > 0) return false;
    }
    return true;
}

/* Returns whether the nearest points of the two lines are inside the edge and the axis. Of parallel lines, they are if
 * both are side by side somewhere. */
static bool is_between_ends(const search *s, int edge)
{
    const trm_vec3 e = edge_direction(s->pair, edge), c = trm_v3_cross(e, s->b.axis);
    const int *v = s->pair->a->edges[edge].vertex;
    const trm_vec3 d = trm_v3_sub(trm_point_of_a(s->pair, s->pair->a->vertices[v[0]]), s->b.centre);
    const double length = trm_v3_length(trm_v3_sub(s->pair->a->vertices[v[1]], s->pair->a->vertices[v[0]]));
    const double cc = trm_v3_dot(c, c), behind = -trm_v3_dot(d, e), half = s->b.solid->half_length;
    if (cc < PARALLEL * PARALLEL) return behind + half >= 0 && behind - half <= length;
    const double along_e = -trm_v3_dot(d, trm_v3_cross(s->b.axis, c)) / cc;
    const double along_u = -trm_v3_dot(d, trm_v3_cross(e, c)) / cc;
    return along_e >= 0 && along_e <= length && fabs(along_u) <= s->b.solid->half_length;
}

/* Returns whether two points of the solids are as far apart along the best axis as its separation. Then no axis
 * near it is better, and if the solids are separated, no axis at all. */
static bool is_certain(const search *s)
{
    const trm_pair *pair = s->pair;
    const trm_cylinder_axis *best = &s->best;
    const trm_vec3 low = trm_lowest_of_a(pair, best->normal), high = trm_highest_of_b(pair, best->normal);
    if (best->part_a == TRM_PART_FACE)
        return is_over_face(pair->a, &pair->a->faces[best->number], trm_point_in_a(pair, high));
    if (best->part_b == TRM_PART_CAP) {
        const trm_vec3 d = trm_v3_sub(low, s->b.centre);
        return trm_v3_length(trm_v3_add_scaled(d, -trm_v3_dot(d, s->b.axis), s->b.axis)) <= s->b.solid->radius;
    }
    const bool by_edge = best->part_a == TRM_PART_EDGE;
    const int vertex = by_edge ? pair->a->edges[best->number].vertex[0] : best->number;
    const trm_vec3 x = trm_point_of_a(pair, pair->a->vertices[vertex]);
    if (trm_v3_dot(best->normal, trm_v3_sub(x, low)) > 4 * s->tie) return false;
    return !by_edge || is_between_ends(s, best->number);
}

/* ---- Two cylinders ------------------------------------------------------------------------ */

static trm_mat3 minus_rim_curvature(trm_mat3 H, const trm_placed_cylinder *of, trm_vec3 n)
{
    const trm_vec3 c = trm_v3_cross(of->axis, n);
    const double sine = trm_v3_length(c);
    return sine > 0 ? trm_mat_add_scaled(H, -of->solid->radius / (sine * sine * sine), trm_outer(c, c)) : H;
}

/* Returns Newton's step in the plane perpendicular to n, along x and y. */
static trm_vec3 newton_step(trm_mat3 H, trm_vec3 n, trm_vec3 w)
{
    const trm_vec3 x = trm_perpendicular(n), y = trm_v3_cross(n, x);
    const double f = trm_v3_dot(n, w), xx = trm_v3_dot(x, trm_mat_vec(H, x)) - f,
                 yy = trm_v3_dot(y, trm_mat_vec(H, y)) - f;
    const double xy = trm_v3_dot(x, trm_mat_vec(H, y)), gx = trm_v3_dot(x, w), gy = trm_v3_dot(y, w);
    const double determinant = xx * yy - xy * xy;
    if (!(determinant > 0) || !(xx < 0)) { /* no maximum nearby: an ascent step */
        const double steepness = trm_hypot(gx, gy), way = steepness > 0 ? 0.2 / steepness : 0;
        return trm_v3_add_scaled(trm_v3_scale(way * gx, x), way * gy, y);
    }
    const double sx = (-gx * yy + gy * xy) / determinant, sy = (-gy * xx + gx * xy) / determinant;
    return trm_v3_add_scaled(trm_v3_scale(sx, x), sy, y);
}

/* Returns whether n is along the axis. Then all points of the cap are equally far along n, and the separation has a
 * kink; the gradient is taken at the centre of the cap. */
static bool is_on_axis(const trm_placed_cylinder *of, trm_vec3 n)
{
    return trm_v3_length(trm_v3_cross(of->axis, n)) < 1e-9;
}

static trm_vec3 end_towards(const trm_placed_cylinder *of, trm_vec3 n)
{
    const double h = of->solid->half_length;
    return trm_v3_add_scaled(of->centre, trm_v3_dot(of->axis, n) > 0 ? h : -h, of->axis);
}

/* Returns an ascent step from n: Newton's, or at a kink a step along the gradient next to it. */
static trm_vec3 ascent_step(const search *s, const trm_placed_cylinder *a, trm_vec3 n)
{
    const bool on_a = is_on_axis(a, n), on_b = is_on_axis(&s->b, n);
    const trm_vec3 low = on_a ? end_towards(a, trm_v3_neg(n)) : trm_lowest_of_a(s->pair, n);
    const trm_vec3 high = on_b ? end_towards(&s->b, n) : trm_highest_of_b(s->pair, n);
    const trm_vec3 w = trm_v3_sub(low, high), across = trm_v3_add_scaled(w, -trm_v3_dot(w, n), n);
    const double steepness = trm_v3_length(across), most = 0.3;
    if (on_a || on_b) return steepness > 0 ? trm_v3_scale(most / steepness, across) : across;
    const trm_mat3 zero = trm_diag(trm_v3(0, 0, 0));
    const trm_mat3 H = minus_rim_curvature(minus_rim_curvature(zero, a, n), &s->b, n);
    const trm_vec3 step = newton_step(H, n, w);
    return trm_v3_scale(fmin(1, most / fmax(trm_v3_length(step), 1e-300)), step);
}

/* Moves n along a step, shortened until the separation grows. Returns whether it grows. */
static bool ascend(const search *s, trm_vec3 step, trm_vec3 *n, double *height)
{
    enum { HALVINGS = 24 };
    for (int i = 0; i < HALVINGS; i++) {
        const trm_vec3 m = trm_v3_unit(trm_v3_add_scaled(*n, ldexp(1, -i), step));
        const double there = separation_along(s->pair, m);
        if (!(there > *height)) continue;
        *n = m, *height = there;
        return true;
    }
    return false;
}

static void try_rims(search *s, const trm_placed_cylinder *a, trm_vec3 n)
{
    enum { MOST_ROUNDS = 40 };
    double height = separation_along(s->pair, n);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const trm_vec3 step = ascent_step(s, a, n);
        if (trm_v3_length(step) < 1e-15 || !ascend(s, step, &n, &height)) break;
    }
    try_axis(s, n, TRM_PART_RIM, TRM_PART_RIM, 0);
}

/* Searches for the maxima of overlapping cylinders, of which there are several, starting from all sums of their axes
 * and of the direction between them that are worse than the best by at most `much`. */
static void try_many_rims(search *s, const trm_placed_cylinder *a, trm_vec3 d, double much)
{
    for (int i = 0; i < 27; i++) {
        const trm_vec3 axes = trm_v3_add_scaled(trm_v3_scale(i % 3 - 1, a->axis), i / 3 % 3 - 1, s->b.axis);
        const trm_vec3 sum = trm_v3_add_scaled(axes, i / 9 - 1, d);
        if (trm_v3_length(sum) < 0.1) continue;
        const trm_vec3 n = trm_v3_unit(sum);
        if (separation_along(s->pair, n) > s->best.separation - much) try_rims(s, a, n);
    }
}

static void search_two_cylinders(search *s)
{
    const trm_placed_cylinder a = trm_place_cylinder(s->pair, true);
    const trm_vec3 d = trm_v3_sub(a.centre, s->b.centre);
    const double far = trm_v3_length(d);
    try_caps(s, &s->b, TRM_PART_RIM, TRM_PART_CAP);
    try_caps(s, &a, TRM_PART_CAP, TRM_PART_RIM);
    try_line_and_side(s, a.centre, a.axis, TRM_PART_SIDE, 0);
    const line_and_rim side_of_a = {&s->b, a.centre, a.axis, 1, TRM_PART_SIDE, TRM_PART_RIM, 0};
    const line_and_rim side_of_b = {&a, s->b.centre, s->b.axis, -1, TRM_PART_RIM, TRM_PART_SIDE, 0};
    try_line_and_rim(s, &side_of_a);
    try_line_and_rim(s, &side_of_b);
    const trm_closest closest = trm_gjk(s->pair);
    if (closest.distance > 0) try_axis(s, closest.normal, TRM_PART_RIM, TRM_PART_RIM, 0);
    try_rims(s, &a, s->best.normal);
    if (s->best.separation < 0) { /* maxima next to the axes, for caps that face each other */
        try_rims(s, &a, trm_v3_scale(trm_v3_dot(s->b.axis, s->best.normal) > 0 ? 1 : -1, s->b.axis));
        try_rims(s, &a, trm_v3_scale(trm_v3_dot(a.axis, s->best.normal) > 0 ? 1 : -1, a.axis));
    }
    const double size = a.solid->size + s->b.solid->size;
    if (s->best.separation < -1e-3 * size) try_many_rims(s, &a, far > 0 ? trm_v3_scale(1 / far, d) : d, 0.2 * size);
}

/* ---- The search --------------------------------------------------------------------------- */

/* Returns whether a vertex is tried: of solids with very many vertices only those that are lowest along the known
 * axis. */
static bool is_worth_trying(const search *s, trm_vec3 n, double lowest, trm_vec3 vertex)
{
    const double band = 0.1 * (s->pair->a->size + s->pair->b->size);
    return s->pair->a->vertex_count <= 64 || trm_v3_dot(n, trm_point_of_a(s->pair, vertex)) < lowest + band;
}

static void try_edge_and_side(search *s, int i, trm_vec3 n, double lowest)
{
    const trm_vec3 from = s->pair->a->vertices[s->pair->a->edges[i].vertex[0]];
    if (is_worth_trying(s, n, lowest, from))
        try_line_and_side(s, trm_point_of_a(s->pair, from), edge_direction(s->pair, i), TRM_PART_EDGE, i);
}

static void search_vertices(search *s)
{
    const trm_solid *a = s->pair->a;
    const trm_closest closest = a->vertex_count > 64 ? trm_gjk(s->pair) : (trm_closest){.distance = 0};
    for (int f = 0; f < a->face_count; f++) try_face(s, f);
    if (closest.distance > 0) try_axis(s, closest.normal, TRM_PART_VERTEX, TRM_PART_RIM, closest.vertex_a[0]);
    try_caps(s, &s->b, TRM_PART_VERTEX, TRM_PART_CAP);

    const trm_vec3 n = s->best.normal;
    const double lowest = trm_v3_dot(n, trm_lowest_of_a(s->pair, n));
    for (int i = 0; i < a->vertex_count; i++)
        if (is_worth_trying(s, n, lowest, a->vertices[i])) try_vertex(s, i);
    for (int i = 0; i < a->edge_count; i++) try_edge_and_side(s, i, n, lowest);
    const double deep = 1e-3 * (a->size + s->pair->b->size);
    if (a->edge_count > 0 && (s->best.separation < -deep || !is_certain(s))) try_edges_and_rim(s);
}

trm_cylinder_axis trm_best_cylinder_axis(const trm_pair *pair)
{
    search s = {.pair = pair,
                .b = trm_place_cylinder(pair, false),
                .best = {.separation = -INFINITY},
                .tie = 1e-15 * (pair->a->size + pair->b->size)};
    if (pair->a->kind == TRM_SOLID_CYLINDER)
        search_two_cylinders(&s);
    else
        search_vertices(&s);
    return s.best;
}
