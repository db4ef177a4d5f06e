/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Free (ballistic) motion of one body (Schmitt 2003, section 3, with erratum 1 of docs/errata.md).
 *
 * The centre of mass falls, s(h) = s + v h + g h^2/2, v(h) = v + g h; the rotation is torque-free, and of two kinds.
 *
 * Two equal moments J1 about all axes but the third, J3: closed form. With the unit axis a, the angular momentum L is
 * constant, the body turns about L at the rate L/J1 and about its own axis at the rate (1 - J3/J1)(omega . a):
 *
 *     p = omega + (J3/J1 - 1)(omega . a) a,     R(h) = exp(h p) R(0) exp(h (1 - J3/J1)(omega . a) a_body)
 *
 * Three different moments: Taylor series in the body frame. With u_k = w_k h^(k+1), p_k = q_k h^k (coefficients
 * divided by k!), so that w(h) = sum u_k / h and Q(h) = sum p_k, q(h) = q(0) Q(h):
 *
 *     (k+1) u_(k+1) = -J^-1 sum_(j<=k) u_j x (J u_(k-j)),     (k+1) p_(k+1) = 1/2 sum_(j<=k) p_j o (0, u_(k-j))
 *
 * "auto" goes on until a term no longer counts; a step that turns the body far is split. h may be negative. */

#ifndef TRM_MOTION_FREE_H
#define TRM_MOTION_FREE_H

#include <float.h>

#include "model/model.h"

enum { TRM_TAYLOR_AUTO = 0, TRM_TAYLOR_HIGHEST = 30 };

/* Terms below this part of a unit quaternion or of the rotation itself are rounding. */
#define TRM_NO_LONGER_COUNTS (0.25 * DBL_EPSILON)

/* Moves pose and twist of a rigid body or a point by h. order: of the Taylor series, or TRM_TAYLOR_AUTO; the closed
 * form is used wherever it exists and the order is auto. */
void trm_free_motion(const trm_body *body, trm_vec3 gravity, double h, int order, trm_pose *X, trm_spatial *V);

/* A body at a pose from which it will look ahead by h, again and again with another velocity: all that does not depend
 * on the velocity. */
typedef struct trm_tangent {
    const trm_body *body;
    double h;
    trm_quat q;
    trm_vec3 fallen;   /* s + g h^2/2 */
    int symmetry_axis; /* -1: no closed form */
    double spin_share; /* 1 - J3/J1 */
    trm_vec3 a;        /* the axis of symmetry in the world */
} trm_tangent;

trm_tangent trm_tangent_from(const trm_body *body, trm_vec3 gravity, double h, const trm_pose *X);

/* The pose after h, order auto: the one that trm_free_motion gives, but for roundings in the length of the quaternion,
 * which only trm_free_motion makes one again. */
void trm_look_ahead(const trm_tangent *from, const trm_spatial *V, trm_pose *ahead);

/* ahead.c: the same for all the bodies named by their index in the arrays; bit for bit what trm_look_ahead gives each
 * alone. */
void trm_look_ahead_all(const trm_tangent *from, const trm_spatial *V, trm_pose *ahead, const int *bodies, int count);

/* Where the look-ahead with the velocity V led: bit for bit what trm_free_motion makes of pose and velocity, without
 * turning the body again where the closed form holds. */
void trm_arrive(const trm_tangent *from, trm_vec3 gravity, const trm_pose *ahead, trm_pose *X, trm_spatial *V);

#endif
