/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Conversions between rotation vectors, quaternions, matrices and frames, and the Jacobian of the exponential map.
 *
 * A rotation vector r rotates by theta = |r| about r / theta: R = exp([r]x). Its rate gives the angular velocity
 * omega in the fixed frame, omega = T(r) rdot, and domega/dt = T(r) rddot + (dT/dt) rdot. */

#ifndef TRM_MATH_ROTATION_H
#define TRM_MATH_ROTATION_H

#include "trammel/vecmath.h"

/* Return the unit quaternion of a rotation vector, given half of that vector. The function ending in _far is for
 * vectors that are not small. */
static inline trm_quat trm_quat_exp_half(trm_vec3 half);
trm_quat trm_quat_exp_half_far(trm_vec3 half);

/* Returns the unit quaternion of a rotation vector. */
static inline trm_quat trm_quat_exp(trm_vec3 rotation)
{
    return trm_quat_exp_half(trm_v3_scale(0.5, rotation));
}

/* Returns the rotation vector of q with |r| <= pi. q and -q give the same; the length of q may differ slightly
 * from one. */
trm_vec3 trm_quat_log(trm_quat q);

trm_quat trm_quat_from_axis_angle(trm_vec3 unit_axis, double angle);

/* Returns the quaternion, w >= 0, of a matrix that is a rotation to rounding. */
trm_quat trm_quat_from_matrix(trm_mat3 R);

/* Returns the quaternion of R = Rz(yaw) Ry(pitch) Rx(roll), angles in rad. */
trm_quat trm_quat_from_rpy(double roll, double pitch, double yaw);

/* Returns the smallest rotation that turns the unit vector a into the unit vector b; if b = -a, it is about
 * trm_perpendicular(a - b). */
trm_quat trm_quat_between(trm_vec3 a, trm_vec3 b);

/* Returns a unit vector perpendicular to the given one: z -> x, x -> y, y -> z exactly; -u gives the negative
 * result of u. It is continuous except near +-(1, 1, 1). */
trm_vec3 trm_perpendicular(trm_vec3 unit);

/* Returns the right-handed frame with this z axis and trm_perpendicular(z) as x axis. */
trm_quat trm_frame_from_z(trm_vec3 unit_z);

/* Returns the right-handed frame with this z axis whose x axis is nearest to the hint. The hint is not parallel to
 * z and may have any length. */
trm_quat trm_frame_from_zx(trm_vec3 unit_z, trm_vec3 x_hint);

/* Returns T(r), with omega = T(r) rdot. */
trm_mat3 trm_exp_jacobian(trm_vec3 r);

/* Returns T(r)^-1; |r| must not be a nonzero multiple of 2 pi. */
trm_mat3 trm_exp_jacobian_inverse(trm_vec3 r);

/* Returns (dT/dt) rdot. */
trm_vec3 trm_exp_jacobian_rate(trm_vec3 r, trm_vec3 rdot);

/* T, T^-1 and the terms of (dT/dt) rdot for one r; cheaper than computing them separately. */
typedef struct trm_exp_maps {
    trm_mat3 T, inverse;
    trm_vec3 r;
    double c3, slope2, slope3; /* c3, dc2/dx and dc3/dx (rotation.c) */
} trm_exp_maps;

trm_exp_maps trm_exp_maps_of(trm_vec3 r);
trm_vec3 trm_exp_maps_rate(const trm_exp_maps *maps, trm_vec3 rdot); /* (dT/dt) rdot */

/* A simulation step rotates a body by a small angle, for which no square root, sine or cosine is needed. Up to y =
 * 1/8 the series of cos(y) and sin(y)/y in x = y^2 are exact to rounding; their next terms are below 3e-17. They are
 * macros because x may hold several bodies in lanes (motion/free.c). */
#define TRM_SERIES_HOLD(x) ((x) < 1.0 / 64)
#define TRM_COS_SERIES(x, xx)                                                                                        \
    (1 - (x) * (1.0 / 2) + (xx) * ((1.0 / 24 - (x) * (1.0 / 720)) + (xx) * (1.0 / 40320 - (x) * (1.0 / 3628800))))
#define TRM_SINC_SERIES(x, xx)                                                                                       \
    (1 - (x) * (1.0 / 6) + (xx) * ((1.0 / 120 - (x) * (1.0 / 5040)) + (xx) * (1.0 / 362880)))

static inline trm_quat trm_quat_exp_half(trm_vec3 half)
{
    const double x = trm_v3_dot(half, half), xx = x * x;
    if (!TRM_SERIES_HOLD(x)) return trm_quat_exp_half_far(half);
    const double c = TRM_COS_SERIES(x, xx), s = TRM_SINC_SERIES(x, xx);
    const trm_quat q = {c, s * half.x, s * half.y, s * half.z};
    return q;
}

/* Returns the angle plus the whole turns that bring it nearest to a target. */
static inline double trm_angle_near(double angle, double target)
{
    const double turn = 2 * TRM_PI;
    return angle + turn * round((target - angle) / turn);
}

static inline bool trm_pose_is_finite(trm_pose X)
{
    return trm_v3_is_finite(X.p) && isfinite(trm_quat_norm(X.q));
}

/* Returns the vector with the products of the components. */
static inline trm_vec3 trm_v3_times(trm_vec3 a, trm_vec3 b)
{
    return trm_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline trm_vec3 trm_v3_at(const double *numbers)
{
    return trm_v3(numbers[0], numbers[1], numbers[2]);
}

static inline bool trm_sp_is_finite(trm_spatial a)
{
    return trm_v3_is_finite(a.ang) && trm_v3_is_finite(a.lin);
}

#endif
