/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Four parallel hinges: a four-bar.
 *
 * The known hinge k makes one vector w of the two bodies that it joins. It forms a triangle with the other two
 * bodies (closed_forms/planar.h):
 *
 *     w + R(x) l_k+2 + R(z) l_k+3 = 0,     w = l_k + R(delta_k) l_k+1
 *     delta_k+1 = x - delta_k,   delta_k+2 = z - x,   delta_k+3 = -z */

#include "methods/minimal/closed_forms/planar.h"

static bool recognise(trm_closed_place *place)
{
    return trm_planar_recognise(place, 0);
}

static trm_closure solve(const trm_loop *loop, const trm_closed_place *place, double *y)
{
    const trm_planar_ring *p = &place->planar;
    const int k = trm_planar_known(loop, place), k1 = (k + 1) % 4, k2 = (k + 2) % 4, k3 = (k + 3) % 4;
    double x[2], z[2], delta[2][TRM_RING_JOINTS];
    if (k < 0) return TRM_CLOSURE_OPEN;
    const double known = trm_planar_value(place, k, y);
    const trm_plane_vector w = trm_plane_add(p->link[k], trm_plane_turn(known, p->link[k1]));
    if (!trm_planar_triangle(w, p->link[k2], p->link[k3], x, z)) return TRM_CLOSURE_NONE;
    for (int c = 0; c < 2; c++) {
        delta[c][k1] = x[c] - known;
        delta[c][k2] = z[c] - x[c];
        delta[c][k3] = -z[c];
    }
    trm_planar_take_nearest(place, k, delta, y);
    return TRM_CLOSURE_FOUND;
}

const trm_closed_form trm_closed_form_rrrr = {"rrrr", recognise, solve};
