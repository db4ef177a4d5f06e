/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Common functions for planar rings of four joints.
 *
 * Seen along the hinge axes, body i (before joint i) is a vector l_i from the previous joint to joint i. Let
 * delta_i be the angle by which hinge i has turned the body after it since the start, and R a rotation in the
 * plane:
 *
 *     l_i + R(delta_i) (l_i+1 + R(delta_i+1) (l_i+2 + R(delta_i+2) l_i+3)) = 0,     delta_0 + ... + delta_3 = 0
 *
 * for any first joint i. A slider i has delta_i = 0 and adds its displacement along its axis, s a, to l_i. The
 * value of a joint is delta or s. */

#ifndef TRM_METHODS_MINIMAL_CLOSED_FORMS_PLANAR_H
#define TRM_METHODS_MINIMAL_CLOSED_FORMS_PLANAR_H

#include "methods/minimal/closed_form.h"
#include "trammel/elementary.h"

static inline trm_plane_vector trm_plane_add(trm_plane_vector a, trm_plane_vector b)
{
    return (trm_plane_vector){a.x + b.x, a.y + b.y};
}

static inline trm_plane_vector trm_plane_add_scaled(trm_plane_vector a, double s, trm_plane_vector b)
{
    return (trm_plane_vector){a.x + s * b.x, a.y + s * b.y};
}

static inline trm_plane_vector trm_plane_turn(double angle, trm_plane_vector a)
{
    const double c = trm_cos(angle), s = trm_sin(angle);
    return (trm_plane_vector){c * a.x - s * a.y, s * a.x + c * a.y};
}

static inline double trm_plane_length(trm_plane_vector a)
{
    return trm_hypot(a.x, a.y);
}

static inline double trm_plane_dot(trm_plane_vector a, trm_plane_vector b)
{
    return a.x * b.x + a.y * b.y;
}

static inline double trm_plane_cross(trm_plane_vector a, trm_plane_vector b)
{
    return a.x * b.y - a.y * b.x;
}

/* Returns the angle by which a must be turned to point along b. */
static inline double trm_plane_angle(trm_plane_vector a, trm_plane_vector b)
{
    return trm_atan2(trm_plane_cross(a, b), trm_plane_dot(a, b));
}

/* Returns whether the ring has four joints: `sliders` sliders at right angles to hinges that are parallel. */
bool trm_planar_recognise(trm_closed_place *place, int sliders);

/* trm_planar_known returns the joint whose coordinate alone is independent; -1 if there is none. The second
 * function returns its value. */
int trm_planar_known(const trm_loop *loop, const trm_closed_place *place);
double trm_planar_value(const trm_closed_place *place, int joint, const double *y);

/* Finds x and z with w + R(x) p + R(z) q = 0: two solutions, mirrored at w. Returns false if there are none. */
bool trm_planar_triangle(trm_plane_vector w, trm_plane_vector p, trm_plane_vector q, double x[2], double z[2]);

/* Writes the set of values that is nearest to the prediction in y into y. */
void trm_planar_take_nearest(const trm_closed_place *place, int known, double value[2][TRM_RING_JOINTS], double *y);

/* Returns the axis of a joint of a ring. */
static inline trm_vec3 trm_planar_axis(const trm_ring_joint *joint)
{
    return trm_rotate(joint->in.q, trm_axis(2));
}

#endif
