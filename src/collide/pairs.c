/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions that pair functions share. */

#include "collide/pairs.h"

#include "math/rotation.h"
#include "trammel/elementary.h"

trm_pair trm_pair_turned(const trm_pair *pair)
{
    trm_pair turned = *pair;
    turned.a = pair->b;
    turned.b = pair->a;
    turned.R = trm_transpose(pair->R);
    turned.t = trm_v3_neg(trm_mat_vec(turned.R, pair->t));
    return turned;
}

/* ---- Contacts ----------------------------------------------------------------------------- */

void trm_add_manifold_point(trm_pair *pair, const trm_manifold_point *point_at)
{
    trm_manifold *manifold = pair->manifold;
    if (!manifold || !(point_at->gap < pair->margin) || manifold->count == TRM_MANIFOLD_ROOM) return;
    for (int i = 0; i < manifold->count; i++)
        if (manifold->items[i].code[0] == point_at->code[0] && manifold->items[i].code[1] == point_at->code[1])
            return;
    manifold->items[manifold->count++] = *point_at;
}

/* Returns the first of the points that are farthest along u up to a tolerance, so that rounding does not decide.
 * Points with a larger gap count less. */
static int farthest_along(const trm_manifold *manifold, trm_vec3 u, double lowest)
{
    const double little = 1e-9, weight_of_gap = 4;
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < manifold->count; i++) {
        const trm_manifold_point *point_at = &manifold->items[i];
        const double here = trm_v3_dot(u, point_at->place) - weight_of_gap * (point_at->gap - lowest);
        if (i == 0 || here > most + little * fabs(most)) most = here, best = i;
    }
    return best;
}

static int deepest(const trm_manifold *manifold)
{
    int best = 0;
    for (int i = 1; i < manifold->count; i++)
        if (manifold->items[i].gap < manifold->items[best].gap) best = i;
    return best;
}

void trm_reduce_manifold(trm_manifold *manifold, trm_vec3 n)
{
    if (manifold->count <= TRM_MANIFOLD_KEPT) return;
    bool wanted[TRM_MANIFOLD_ROOM] = {false};
    const trm_vec3 x = trm_perpendicular(n), y = trm_v3_cross(n, x);
    const int lowest = deepest(manifold);
    wanted[lowest] = true;
    int left = TRM_MANIFOLD_KEPT - 1;
    for (int k = 0; k < 2 * TRM_MANIFOLD_KEPT && left > 0; k++) {
        const double turn =
            /* visits all sixteen directions, with large angles between successive ones */
            k * (5 * TRM_PI / TRM_MANIFOLD_KEPT);
        const trm_vec3 u = trm_v3_add_scaled(trm_v3_scale(trm_cos(turn), x), trm_sin(turn), y);
        const int far = farthest_along(manifold, u, manifold->items[lowest].gap);
        left -= !wanted[far];
        wanted[far] = true;
    }
    int kept = 0;
    for (int i = 0; i < manifold->count; i++)
        if (wanted[i]) manifold->items[kept++] = manifold->items[i];
    manifold->count = kept;
}
