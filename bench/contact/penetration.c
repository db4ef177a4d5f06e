/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Penetration by separating axes, from poses alone, independent of what any engine, including ours, reports.
 *
* The depth of two boxes is the least shift that separates them: the least overlap of their projections
 *
 *     r_a(n) + r_b(n) - |n.(p_b - p_a)|,   r(n) = sum_k size_k/2 |n.e_k|
 *
 * over the 3 + 3 directions of their axes and the 9 of crossed edges (Gottschalk, Lin, Manocha 1996). */

#include "penetration.h"

#include <math.h>

#include "trammel/vecmath.h"

static const double PARALLEL = 1e-6; /* sine between edges whose crossed direction is left out: faces give the same */

typedef struct box {
    trm_vec3 p, axis[3];
    double half[3];
} box;

static box make_box(const scene_body *body, const body_state *state)
{
    const trm_quat q = {state->q[0], state->q[1], state->q[2], state->q[3]};
    box b = {.p = {state->p[0], state->p[1], state->p[2]}};
    for (int k = 0; k < 3; k++) {
        b.axis[k] = trm_rotate(trm_quat_unit(q), trm_axis(k));
        b.half[k] = 0.5 * body->size[k];
    }
    return b;
}

/* Returns half the length of a box's projection onto a direction. */
static double reach(const box *b, trm_vec3 n)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += b->half[k] * fabs(trm_v3_dot(n, b->axis[k]));
    return sum;
}

static double overlap(const box *a, const box *b, trm_vec3 n)
{
    return reach(a, n) + reach(b, n) - fabs(trm_v3_dot(n, trm_v3_sub(b->p, a->p)));
}

static double box_depth(const box *a, const box *b)
{
    double least = INFINITY;
    for (int k = 0; k < 3 && least > 0; k++)
        least = fmin(least, fmin(overlap(a, b, a->axis[k]), overlap(a, b, b->axis[k])));
    for (int k = 0; k < 9 && least > 0; k++) {
        const trm_vec3 n = trm_v3_cross(a->axis[k / 3], b->axis[k % 3]);
        if (trm_v3_length(n) > PARALLEL) least = fmin(least, overlap(a, b, trm_v3_unit(n)));
    }
    return least;
}

static double ground_depth(const scene_body *body, const body_state *state)
{
    const box b = make_box(body, state);
    return (body->shape == SCENE_SPHERE ? 0.5 * body->size[0] : reach(&b, trm_axis(2))) - state->p[2];
}

static bool may_touch(const scene *s, const body_state *states, int a, int b)
{
    const double *p = states[a].p, *q = states[b].p, *size_a = s->bodies[a].size, *size_b = s->bodies[b].size;
    double apart = 0, across = 0;
    for (int k = 0; k < 3; k++) {
        apart += (p[k] - q[k]) * (p[k] - q[k]);
        across +=
            0.5 * (size_a[k] * size_a[k] + size_b[k] * size_b[k]); /* at least (d_a/2 + d_b/2)^2, d: diagonals */
    }
    return apart < across;
}

double largest_penetration(const scene *s, const body_state *states)
{
    double deepest = 0;
    for (int i = 0; i < s->body_count; i++) {
        const box a = make_box(&s->bodies[i], &states[i]);
        deepest = fmax(deepest, ground_depth(&s->bodies[i], &states[i]));
        for (int j = i + 1; j < s->body_count; j++) {
            if (!may_touch(s, states, i, j)) continue;
            const box b = make_box(&s->bodies[j], &states[j]);
            deepest = fmax(deepest, box_depth(&a, &b));
        }
    }
    return deepest;
}
