/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Two convex features are apart along a unit vector n from b to a by
 *
 *     f(n) = n.d - |A_a^T n| - |A_b^T n| - r_a - r_b,    d = x_a - x_b,
 *
 * and the greatest f over all n is their signed distance: ellipsoids, spheres, points and discs differ in A and r
 * only. For a line b, n is perpendicular to it. With S = A A^T, the gradient and the second derivatives in the
 * plane perpendicular to n are
 *
 *     g = d - sum S n / |A^T n|,
 *     H = -sum (S / |A^T n| - S n (S n)^T / |A^T n|^3) - (n.g) 1,
 *
 * where the last term is the curvature of the unit sphere. Newton's method with halved steps finds the maximum. At
 * the maximum g is along n, and S n / |A^T n| leads from the centres to the nearest points. f is stationary there,
 * so the gap is exact to rounding. */

#include "collide/smooth_gap.h"

#include "math/rotation.h"

enum { MOST_STEPS = 60, MOST_HALVINGS = 30 };

/* rad: longest step; step below which Newton's method converges and differences of f are only rounding; step that
 * counts as zero. */
static const double longest_step = 0.3, short_step = 1e-4, zero_step = 1e-15;

/* Values and derivatives of one feature at n. */
typedef struct support {
    double width;   /* |A^T n| */
    trm_vec3 to;    /* S n / |A^T n| */
    trm_vec3 along; /* A^T n / |A^T n| */
} support;

static support support_of(const trm_smooth *s, trm_vec3 n)
{
    const trm_vec3 v = trm_mat_t_vec(s->A, n);
    const double width = trm_v3_length(v);
    if (!(width > 0)) return (support){0};
    const trm_vec3 along = trm_v3_scale(1 / width, v);
    return (support){width, trm_mat_vec(s->A, along), along};
}

static double value_at(const trm_smooth *a, const trm_smooth *b, trm_vec3 n)
{
    return trm_v3_dot(n, trm_v3_sub(a->x, b->x)) - trm_v3_length(trm_mat_t_vec(a->A, n)) -
           trm_v3_length(trm_mat_t_vec(b->A, n));
}

/* Returns e.(S / w - S n (S n)^T / w^3) e' = (A^T e).(1 - v v^T)(A^T e') / w, with v along A^T n. */
static double bend_of(const trm_smooth *s, const support *at, trm_vec3 e, trm_vec3 f)
{
    if (!(at->width > 0)) return 0;
    const trm_vec3 x = trm_mat_t_vec(s->A, e), y = trm_mat_t_vec(s->A, f);
    return (trm_v3_dot(x, y) - trm_v3_dot(x, at->along) * trm_v3_dot(y, at->along)) / at->width;
}

/* Returns the step of n in its tangent plane: Newton's where f is concave, else one along the gradient. */
static trm_vec3 step_at(const trm_smooth *a, const trm_smooth *b, const trm_vec3 *line, trm_vec3 n)
{
    const support of_a = support_of(a, n), of_b = support_of(b, n);
    const trm_vec3 g = trm_v3_sub(trm_v3_sub(trm_v3_sub(a->x, b->x), of_a.to), of_b.to);
    const trm_vec3 e = line ? trm_v3_cross(*line, n) : trm_perpendicular(n), f = trm_v3_cross(n, e);
    const double high = trm_v3_dot(n, g), ge = trm_v3_dot(g, e), gf = line ? 0 : trm_v3_dot(g, f);
    const double ee = bend_of(a, &of_a, e, e) + bend_of(b, &of_b, e, e) + high;
    const double ff = bend_of(a, &of_a, f, f) + bend_of(b, &of_b, f, f) + high;
    const double ef = bend_of(a, &of_a, e, f) + bend_of(b, &of_b, e, f), determinant = ee * ff - ef * ef;
    double s = 0, t = 0;
    if (line ? ee > 0 : ee > 0 && determinant > 0) {
        s = line ? ge / ee : (ge * ff - gf * ef) / determinant;
        t = line ? 0 : (gf * ee - ge * ef) / determinant;
    } else {
        const double slope = sqrt(ge * ge + gf * gf);
        if (slope > 0) s = longest_step * ge / slope, t = longest_step * gf / slope;
    }
    const double length = sqrt(s * s + t * t), shortened = length > longest_step ? longest_step / length : 1;
    return trm_v3_scale(shortened, trm_v3_add_scaled(trm_v3_scale(s, e), t, f));
}

trm_smooth_gap trm_smooth_gap_along(const trm_smooth *a, const trm_smooth *b, trm_vec3 n)
{
    const support of_a = support_of(a, n), of_b = support_of(b, n);
    return (trm_smooth_gap){
        .gap = value_at(a, b, n) - a->radius - b->radius,
        .normal = n,
        .on_a = trm_v3_sub(a->x, trm_v3_add_scaled(of_a.to, a->radius, n)),
        .on_b = trm_v3_add(b->x, trm_v3_add_scaled(of_b.to, b->radius, n)),
    };
}

/* Moves the nearest point on a line along the line, to the one opposite to the nearest point of a. */
static trm_smooth_gap at_foot(trm_smooth_gap gap, const trm_smooth *b, trm_vec3 line)
{
    gap.on_b = trm_v3_add_scaled(gap.on_b, trm_v3_dot(line, trm_v3_sub(gap.on_a, b->x)), line);
    return gap;
}

/* Returns n after the step, halved until it does not decrease f. */
static trm_vec3 ascend(const trm_smooth *a, const trm_smooth *b, trm_vec3 n, trm_vec3 step)
{
    const double value = value_at(a, b, n);
    for (int k = 0; k < MOST_HALVINGS; k++, step = trm_v3_scale(0.5, step)) {
        const trm_vec3 next = trm_v3_unit(trm_v3_add(n, step));
        if (value_at(a, b, next) >= value) return next;
    }
    return n;
}

trm_smooth_gap trm_find_smooth_gap(const trm_smooth *a, const trm_smooth *b, const trm_vec3 *line, trm_vec3 start)
{
    trm_vec3 n = start;
    if (line) {
        const trm_vec3 across = trm_v3_add_scaled(n, -trm_v3_dot(*line, n), *line);
        n = trm_v3_length(across) > 0 ? trm_v3_unit(across) : trm_perpendicular(*line);
    }
    double last = INFINITY;
    for (int i = 0; i < MOST_STEPS; i++) {
        const trm_vec3 step = step_at(a, b, line, n);
        const double turn = trm_v3_length(step);
        if (turn < short_step && !(turn < last)) break; /* steps no longer shrink because of rounding */
        n = turn < short_step ? trm_v3_unit(trm_v3_add(n, step)) : ascend(a, b, n, step);
        if (turn < zero_step) break;
        last = turn;
    }
    const trm_smooth_gap found = trm_smooth_gap_along(a, b, n);
    return line ? at_foot(found, b, *line) : found;
}
