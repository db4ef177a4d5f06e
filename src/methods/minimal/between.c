/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the motion within the last step where the loop is nearly singular, so that the independent coordinates
 * do not determine the dependent ones. All coordinates are interpolated by polynomials of degree 5 through both
 * ends of the step, with rates and accelerations. Then the loops are closed by the shortest correction. */

#include "methods/minimal/minimal.h"

/* Returns a coordinate between its values at both ends, s from 0 to 1, and its rate. */
static double between(double h, double s, const double a[3], const double b[3], double *rate)
{
    const double d = b[0] - a[0] - h * a[1] - 0.5 * h * h * a[2], v = h * (b[1] - a[1] - h * a[2]),
                 c = h * h * (b[2] - a[2]);
    const double c3 = 10 * d - 4 * v + 0.5 * c, c4 = -15 * d + 7 * v - c, c5 = 6 * d - 3 * v + 0.5 * c;
    *rate = a[1] + s * (h * a[2]) + s * s * (3 * c3 + s * (4 * c4 + s * 5 * c5)) / h;
    return a[0] + s * (h * a[1] + s * (0.5 * h * h * a[2] + s * (c3 + s * (c4 + s * c5))));
}

bool trm_minimal_place_between(trm_minimal *w, double t)
{
    trm_tree *tree = w->tree;
    trm_arena *scratch = w->stepper->arena;
    const trm_moment *first = &w->ends.list[1], *last = &w->ends.list[0];
    const double h = last->t - first->t;
    bool closed = w->ends.count >= 2 && t >= first->t && t <= last->t;
    for (int i = 0; closed && i < tree->coordinates; i++) {
        const double a[3] = {first->y[i], first->yd[i], first->ydd[i]},
                     b[3] = {last->y[i], last->yd[i], last->ydd[i]};
        w->now.y[i] = between(h, (t - first->t) / h, a, b, &w->now.yd[i]);
    }
    trm_tree_set_time(tree, t);
    for (int k = 0; closed && k < tree->branch_count; k++) {
        const trm_arena_mark mark = trm_arena_get_mark(scratch);
        if (w->loops[k])
            closed = trm_loop_close_shortest(w->loops[k], tree, w->memory, w->now.y, scratch);
        else if (!w->compiled[k])
            trm_tree_place(tree, &tree->branches[k], w->now.y);
        if (w->compiled[k]) {
            trm_compiled_move(w->compiled[k], w->now.y, w->now.yd);
            trm_compiled_write(w->compiled[k], tree, false);
        } else {
            trm_tree_move(tree, &tree->branches[k], w->now.y, w->now.yd);
        }
        trm_arena_reset(scratch, mark);
    }
    return closed;
}
