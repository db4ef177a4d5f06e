/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Three parallel hinges and a slider perpendicular to them: a slider-crank, whichever of its bodies is fixed.
 *
 * The two bodies that slider i joins form one vector e + s a of variable length, e = l_i + l_i+1, between hinges i
 * + 3 and i + 1. Let x and z be the angles by which the bodies after hinges i + 1 and i + 2 are turned against it
 * (closed_forms/planar.h):
 *
 *     e + s a + R(x) l_i+2 + R(z) l_i+3 = 0,     delta_i+1 = x,   delta_i+2 = z - x,   delta_i+3 = -z
 *
 * If s is known, this is a triangle. If a hinge is known, two of e, l_i+2, l_i+3 form one vector, and s follows
 * from |g + s a| = the length of the remaining one, which then points back along g + s a:
 *
 *     x known:      g = e + R(x) l_i+2      remains R(z) l_i+3
 *     z known:      g = e + R(z) l_i+3      remains R(x) l_i+2
 *     z - x known:  g = e                   remains R(x) (l_i+2 + R(z - x) l_i+3) */

#include "methods/minimal/closed_forms/planar.h"

static bool recognise(trm_closed_place *place)
{
    return trm_planar_recognise(place, 1);
}

/* Computes s and the angle by which `rest` is turned, so that g + s a + R(angle) rest = 0. */
static bool reach(trm_plane_vector g, trm_plane_vector a, trm_plane_vector rest, double s[2], double angle[2])
{
    if (!trm_chord(trm_plane_dot(g, a), trm_plane_cross(g, a), trm_plane_length(rest), s)) return false;
    for (int c = 0; c < 2; c++) {
        const trm_plane_vector to = trm_plane_add_scaled(g, s[c], a), back = {-to.x, -to.y};
        angle[c] = trm_plane_angle(rest, back);
    }
    return true;
}

static trm_closure solve(const trm_loop *loop, const trm_closed_place *place, double *y)
{
    const trm_planar_ring *p = &place->planar;
    const int known = trm_planar_known(loop, place), i = p->slider, i1 = (i + 1) % 4, i2 = (i + 2) % 4,
              i3 = (i + 3) % 4;
    if (known < 0) return TRM_CLOSURE_OPEN;
    const trm_plane_vector e = trm_plane_add(p->link[i], p->link[i1]), l2 = p->link[i2], l3 = p->link[i3];
    const double v = trm_planar_value(place, known, y);
    double s[2] = {v, v}, x[2] = {v, v}, z[2] = {-v, -v}, value[2][TRM_RING_JOINTS];
    bool found;
    if (known == i) {
        found = trm_planar_triangle(trm_plane_add_scaled(e, v, p->axis), l2, l3, x, z);
    } else if (known == i1) {
        found = reach(trm_plane_add(e, trm_plane_turn(v, l2)), p->axis, l3, s, z);
    } else if (known == i3) {
        found = reach(trm_plane_add(e, trm_plane_turn(-v, l3)), p->axis, l2, s, x);
    } else {
        found = reach(e, p->axis, trm_plane_add(l2, trm_plane_turn(v, l3)), s, x);
        for (int c = 0; found && c < 2; c++) z[c] = x[c] + v;
    }
    if (!found) return TRM_CLOSURE_NONE;
    for (int c = 0; c < 2; c++) {
        value[c][i] = s[c];
        value[c][i1] = x[c];
        value[c][i2] = z[c] - x[c];
        value[c][i3] = -z[c];
    }
    trm_planar_take_nearest(place, known, value, y);
    return TRM_CLOSURE_FOUND;
}

const trm_closed_form trm_closed_form_rrrp = {"rrrp", recognise, solve};
