/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Box against box by fifteen axes in closed form (Gottschalk, Lin and Manocha, OBBTree, 1996), and spheres against
 * boxes.
 *
 * With C the axes of a along those of b, d the vector between the centres along the axes of b, h the half lengths:
 *
 *     axis j of b        sep = |d_j| - hb_j - sum_i ha_i |C_ji|
 *     axis i of a        sep = |(C^T d)_i| - ha_i - sum_j hb_j |C_ji|
 *     axes i and j       sep = (|n.d| - sums of h_k |n.axis_k| of both)/|n|,  n = a_i x b_j */

#include "collide/polytope.h"

/* Edges with a smaller sine between them have no sufficiently exact common normal. */
static const double least_sine = 1e-6;

/* Two boxes in the axes of b. */
typedef struct boxes {
    double C[3][3], size[3][3]; /* C: axes of a along those of b; size: absolute values of C */
    double d[3], d_a[3];        /* m: from the centre of b to that of a, along the axes of b and of a */
    double ha[3], hb[3];
} boxes;

static boxes set_up(const trm_pair *pair)
{
    const trm_solid *a = pair->a, *b = pair->b;
    const trm_vec3 d = trm_mat_t_vec(b->axes, trm_v3_sub(trm_point_of_a(pair, a->centre), b->centre));
    const trm_mat3 C = trm_mat_mul(trm_transpose(b->axes), trm_mat_mul(pair->R, a->axes));
    const trm_vec3 d_a = trm_mat_t_vec(C, d);
    boxes two = {.d = {d.x, d.y, d.z},
                 .d_a = {d_a.x, d_a.y, d_a.z},
                 .ha = {a->half.x, a->half.y, a->half.z},
                 .hb = {b->half.x, b->half.y, b->half.z}};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) two.C[j][i] = C.m[j][i], two.size[j][i] = fabs(C.m[j][i]);
    return two;
}

/* Return the best face of b, and of a; of faces that are equally good up to `tie` the first one. Otherwise the normal
 * of boxes that touch along an edge or in a corner would change from step to step by rounding. */
static int best_face_of_b(const boxes *two, double tie, double *best)
{
    int axis = 0;
    *best = -INFINITY;
    for (int j = 0; j < 3; j++) {
        const double *s = two->size[j], *h = two->ha;
        const double separation = fabs(two->d[j]) - (two->hb[j] + h[0] * s[0] + h[1] * s[1] + h[2] * s[2]);
        if (separation > *best + tie) *best = separation, axis = j;
    }
    return 2 * axis + (two->d[axis] > 0);
}

static int best_face_of_a(const boxes *two, double tie, double *best)
{
    int axis = 0;
    *best = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const double *h = two->hb;
        const double across = h[0] * two->size[0][i] + h[1] * two->size[1][i] + h[2] * two->size[2][i];
        const double separation = fabs(two->d_a[i]) - (two->ha[i] + across);
        if (separation > *best + tie) *best = separation, axis = i;
    }
    return 2 * axis + (two->d_a[axis] < 0);
}

/* Returns the separation along a_i x b_j, multiplied by the sine. Divide it by the sine before comparing. */
static double edge_separation(const boxes *two, int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const double d = fabs(two->d[j1] * two->C[j2][i] - two->d[j2] * two->C[j1][i]);
    return d - (two->ha[i1] * two->size[j][i2] + two->ha[i2] * two->size[j][i1] + two->hb[j1] * two->size[j2][i] +
                two->hb[j2] * two->size[j1][i]);
}

/* Returns the edge of a box along axis k that is farthest along n, which is given in the axes of the box. */
static int farthest_edge(int k, const double n[3])
{
    return 4 * k + (n[(k + 1) % 3] > 0) + 2 * (n[(k + 2) % 3] > 0);
}

/* Sets the edges and the normal of the best edge axis. */
static void set_edges(const trm_pair *pair, const boxes *two, int i, int j, trm_axes *axes)
{
    /* n = a_i x b_j along the axes of b, oriented from b to a */
    const trm_vec3 a_i = trm_v3(two->C[0][i], two->C[1][i], two->C[2][i]);
    trm_vec3 n = trm_v3_unit(trm_v3_cross(a_i, trm_axis(j)));
    if (trm_v3_dot(n, trm_v3(two->d[0], two->d[1], two->d[2])) < 0) n = trm_v3_neg(n);
    double along_a[3], along_b[3] = {n.x, n.y, n.z};
    for (int k = 0; k < 3; k++) along_a[k] = -(two->C[0][k] * n.x + two->C[1][k] * n.y + two->C[2][k] * n.z);
    axes->edge_a = farthest_edge(i, along_a);
    axes->edge_b = farthest_edge(j, along_b);
    axes->normal = trm_mat_vec(pair->b->axes, n);
}

/* Finds the best edge axis. Returns false if the boxes are separated by more than `enough`. */
static bool best_edges(const trm_pair *pair, const boxes *two, double enough, trm_axes *axes)
{
    const double tie = trm_axis_tie(pair);
    int best_i = -1, best_j = -1;
    axes->separation = axes->face_separation + trm_edge_tie(pair);
    axes->edge_a = axes->edge_b = -1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double cosine = two->C[j][i], sine2 = 1 - cosine * cosine, scaled = edge_separation(two, i, j);
            if (scaled > 0 && sine2 > least_sine && scaled * scaled > enough * enough * sine2 && enough > 0)
                return false;
            const double past = axes->separation;
            if (past <= 0 ? scaled <= past : (scaled <= 0 || scaled * scaled <= past * past * sine2)) continue;
            const double x = two->C[(j + 1) % 3][i], y = two->C[(j + 2) % 3][i], sine = sqrt(x * x + y * y);
            if (sine <= least_sine || !(scaled > sine * past + tie)) continue;
            axes->separation = scaled / sine;
            best_i = i, best_j = j;
        }
    if (best_i >= 0) set_edges(pair, two, best_i, best_j, axes);
    return true;
}

double trm_box_box(trm_pair *pair)
{
    const boxes two = set_up(pair);
    const double tie = pair->manifold ? trm_edge_tie(pair) : 0;
    double by_a, by_b;
    const int face_b = best_face_of_b(&two, tie, &by_b);
    if (by_b > pair->margin) return by_b;
    const int face_a = best_face_of_a(&two, tie, &by_a);
    if (by_a > pair->margin) return by_a;

    trm_axes axes = {.of_a = by_a > by_b + trm_face_tie(pair)};
    axes.face = axes.of_a ? face_a : face_b;
    axes.face_separation = axes.of_a ? by_a : by_b;
    if (!best_edges(pair, &two, pair->margin, &axes)) return pair->margin;
    return trm_polytope_manifold(pair, &axes);
}

/* ---- Spheres ------------------------------------------------------------------------------ */

/* The centre of a sphere relative to a box. */
typedef struct placed_point {
    trm_vec3 x;      /* in the frame of the body */
    double along[3]; /* coordinates along the axes of the box */
    int past[3];     /* -1, 1: outside the face at that end; 0: between */
    int past_count;
    double nearest[3]; /* nearest point of the box, along its axes */
} placed_point;

static placed_point locate_point(const trm_solid *box, trm_vec3 x)
{
    const trm_vec3 d = trm_mat_t_vec(box->axes, trm_v3_sub(x, box->centre));
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    placed_point seen = {.x = x, .along = {d.x, d.y, d.z}};
    for (int k = 0; k < 3; k++) {
        seen.past[k] = seen.along[k] > half[k] ? 1 : seen.along[k] < -half[k] ? -1 : 0;
        seen.past_count += seen.past[k] != 0;
        seen.nearest[k] = seen.past[k] ? seen.past[k] * half[k] : seen.along[k];
    }
    return seen;
}

/* Returns the face outside which the point is; for a point inside the box, the nearest face. */
static int face_of(const trm_solid *box, const placed_point *seen)
{
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    int axis = 0;
    double most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const double height = fabs(seen->along[k]) - half[k];
        if (height > most) most = height, axis = k;
    }
    return 2 * axis + (seen->along[axis] > 0);
}

/* Returns the vertex nearest to the point; for the edge along axis k its lower end. */
static int corner_of(const placed_point *seen)
{
    return (seen->past[0] > 0) | (seen->past[1] > 0) << 1 | (seen->past[2] > 0) << 2;
}

static int edge_of(const placed_point *seen)
{
    const int k = !seen->past[0] ? 0 : !seen->past[1] ? 1 : 2;
    return 4 * k + (seen->past[(k + 1) % 3] > 0) + 2 * (seen->past[(k + 2) % 3] > 0);
}

static void add_box_contact(trm_pair *pair, const placed_point *seen, trm_vec3 normal, double gap)
{
    const trm_solid *box = pair->b;
    trm_manifold_point point_at = {.feature[0] = trm_point_feature(pair->a->centre, pair->a->radius),
                                   .normal = normal,
                                   .place = seen->x,
                                   .gap = gap,
                                   .code = {trm_vertex_code(0), 0}};
    if (seen->past_count < 2) {
        const trm_solid_face *face = &box->faces[face_of(box, seen)];
        point_at.feature[1] = trm_plane_feature(face->point, face->normal);
    } else if (seen->past_count == 2) {
        const int e = edge_of(seen), *vertex = box->edges[e].vertex;
        point_at.feature[1] = trm_line_feature(box->vertices[vertex[0]], trm_column(box->axes, e / 4), 0);
        point_at.code[1] = trm_edge_code(e);
    } else {
        point_at.feature[1] = trm_point_feature(box->vertices[corner_of(seen)], 0);
        point_at.code[1] = trm_vertex_code(corner_of(seen));
    }
    trm_add_manifold_point(pair, &point_at);
}

double trm_sphere_box(trm_pair *pair)
{
    const trm_solid *box = pair->b;
    const placed_point seen = locate_point(box, trm_point_of_a(pair, pair->a->centre));
    const trm_vec3 out = {seen.along[0] - seen.nearest[0], seen.along[1] - seen.nearest[1],
                          seen.along[2] - seen.nearest[2]};
    const trm_solid_face *face = &box->faces[face_of(box, &seen)];
    const bool by_face = seen.past_count < 2;
    const double distance = by_face ? trm_v3_dot(face->normal, trm_v3_sub(seen.x, face->point)) : trm_v3_length(out);
    const double gap = distance - pair->a->radius;
    if (pair->manifold && gap < pair->margin)
        add_box_contact(pair, &seen, by_face ? face->normal : trm_mat_vec(box->axes, trm_v3_scale(1 / distance, out)),
                        gap);
    return gap;
}
