/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Free (ballistic) motion of one body (Schmitt 2003, section 3, with erratum 1 of docs/errata.md).
 *
 * The centre of mass falls, s(h) = s + v h + g h^2/2, v(h) = v + g h. The rotation is torque-free. There are three
 * cases.
 *
 * Symmetric body, with the moment J3 about the third axis and J1 about all axes across it: closed form. Let a be
 * the unit axis. The angular momentum L is constant. The body rotates about L at the rate L/J1 and about its own axis
 * at the rate (1 - J3/J1)(omega . a):
 *
 *     p = omega + (J3/J1 - 1)(omega . a) a,     R(h) = exp(h p) R(0) exp(h (1 - J3/J1)(omega . a) a_body)
 *
 * Three different moments: a Taylor series of the angular velocity in the body frame, which ends when terms are below
 * rounding (asymmetric.h). A step with a large rotation is divided. h may be negative.
 *
 * Series of a given order, for any body, as in the paper: angular velocity and quaternion together. With u_k = w_k h^(k+1), p_k = q_k h^k (coefficients
 * divided by k!), so that w(h) = sum u_k / h and Q(h) = sum p_k, q(h) = q(0) Q(h):
 *
 *     (k+1) u_(k+1) = -J^-1 sum_(j<=k) u_j x (J u_(k-j)),     (k+1) p_(k+1) = 1/2 sum_(j<=k) p_j o (0, u_(k-j)) */

#ifndef TRM_MOTION_FREE_H
#define TRM_MOTION_FREE_H

#include <float.h>

#include "model/model.h"

enum { TRM_TAYLOR_AUTO = 0, TRM_TAYLOR_HIGHEST = 30 };

/* Terms below this fraction of a unit quaternion, or of the rotation itself, are below rounding. */
#define TRM_BELOW_ROUNDING (0.25 * DBL_EPSILON)

/* Returns 1 - J3/J1 of a body with an axis of symmetry. */
static inline double trm_spin_share(const trm_body *body)
{
    const double J[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    const int axis = body->symmetry_axis;
    return 1 - J[axis] / J[(axis + 1) % 3];
}

/* Returns the angular velocity omega of such a body after it has rotated to the orientation q: its own spin has
 * rotated with the axis, which was a before. */
static inline trm_vec3 trm_symmetric_spin(int axis, trm_vec3 omega, double own_spin, trm_vec3 a, trm_quat q)
{
    return own_spin == 0 ? omega : trm_v3_add_scaled(omega, own_spin, trm_v3_sub(trm_rotate(q, trm_axis(axis)), a));
}

/* Moves pose and twist of a rigid body or a point by the time h. order: that of the Taylor series, or
 * TRM_TAYLOR_AUTO. The closed form is used where it exists and the order is auto. */
void trm_free_motion(const trm_body *body, trm_vec3 gravity, double h, int order, trm_pose *X, trm_spatial *V);

/* A body at a pose from which many look-aheads by h start, each with another velocity. Stores the quantities that do
 * not depend on the velocity, and the angular velocity at the end of the last look-ahead. */
typedef struct trm_flight {
    const trm_body *body;
    double h;
    int order; /* of the Taylor series, or TRM_TAYLOR_AUTO */
    trm_quat q;
    trm_vec3 fallen;   /* m: s + g h^2/2 */
    int symmetry_axis; /* -1: no closed form */
    double spin_share; /* 1 - J3/J1 */
    trm_vec3 a;        /* axis of symmetry, world axes */
    trm_vec3 spin; /* rad/s: angular velocity at the end of the last look-ahead; unused with an axis of symmetry */
} trm_flight;

trm_flight trm_flight_from(const trm_body *body, trm_vec3 gravity, double h, int order, const trm_pose *X);

/* Computes the pose after h. It equals that of trm_free_motion except for rounding in the length of the quaternion,
 * which only trm_free_motion normalises. */
void trm_look_ahead(trm_flight *from, const trm_spatial *V, trm_pose *ahead);

/* Computes the same for all bodies listed by their index in the arrays, bit-identical to trm_look_ahead. */
void trm_look_ahead_all(trm_flight *from, const trm_spatial *V, trm_pose *ahead, const int *bodies, int count);

/* Returns the derivative D of a look-ahead by its angular velocity: a change d of omega rotates the body at the end
 * by h D d, world axes. D is the unit matrix for rotations about a fixed axis along d, and differs from it by O(h
 * |omega|) in general. A change d of v moves the body by h d. */
trm_mat3 trm_look_ahead_derivative(const trm_flight *from, const trm_spatial *V);

/* Sets pose and velocity to the end of the last look-ahead, whose velocity was V, bit-identical to trm_free_motion. */
void trm_arrive(const trm_flight *from, trm_vec3 gravity, const trm_pose *ahead, trm_pose *X, trm_spatial *V);

#endif
