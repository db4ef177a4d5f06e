/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rotation maps: between rotation vectors, quaternions, matrices and frames, and the Jacobian of the
 * exponential.
 *
 * A rotation vector r turns by theta = |r| about r / theta: R = exp([r]x). Its rate and the angular velocity
 * omega in the fixed frame belong together by omega = T(r) rdot, and
 * domega/dt = T(r) rddot + (dT/dt) rdot. */

#ifndef TRM_MATH_ROTATION_H
#define TRM_MATH_ROTATION_H

#include "trammel/vecmath.h"

/* The unit quaternion of a rotation vector given by its half; far: one that is not small. */
static inline trm_quat trm_quat_exp_half(trm_vec3 half);
trm_quat trm_quat_exp_half_far(trm_vec3 half);

/* The unit quaternion of a rotation vector. */
static inline trm_quat trm_quat_exp(trm_vec3 rotation)
{
    return trm_quat_exp_half(trm_scale(0.5, rotation));
}

/* The rotation vector of q with |r| <= pi. q and -q give the same; q need not be quite of length one. */
trm_vec3 trm_quat_log(trm_quat q);

trm_quat trm_quat_from_axis_angle(trm_vec3 unit_axis, double angle);

/* w >= 0. R is a rotation matrix to rounding. */
trm_quat trm_quat_from_matrix(trm_mat3 R);

/* R = Rz(yaw) Ry(pitch) Rx(roll) */
trm_quat trm_quat_from_rpy(double roll, double pitch, double yaw);

/* The smallest rotation that turns unit a into unit b; about trm_perpendicular(a - b) where b = -a. */
trm_quat trm_quat_between(trm_vec3 a, trm_vec3 b);

/* A unit vector at right angles to u: z -> x, x -> y, y -> z exactly, -u -> its negative, and continuous but near
 * +-(1, 1, 1). */
trm_vec3 trm_perpendicular(trm_vec3 unit);

/* The right-handed frame with this z axis and trm_perpendicular of it as x axis. */
trm_quat trm_frame_from_z(trm_vec3 unit_z);

/* The right-handed frame with this z axis whose x axis is as near the hint as can be. The hint is not parallel to
 * z and need not be of length one. */
trm_quat trm_frame_from_zx(trm_vec3 unit_z, trm_vec3 x_hint);

/* T(r): omega = T(r) rdot */
trm_mat3 trm_exp_jacobian(trm_vec3 r);

/* T(r)^-1; |r| is not a multiple of 2 pi other than 0. */
trm_mat3 trm_exp_jacobian_inverse(trm_vec3 r);

/* (dT/dt) rdot */
trm_vec3 trm_exp_jacobian_rate(trm_vec3 r, trm_vec3 rdot);

/* T, T^-1 and what (dT/dt) rdot needs, of one r: cheaper than one after the other. */
typedef struct trm_exp_maps {
    trm_mat3 T, inverse;
    trm_vec3 r;
    double c3, slope2, slope3; /* c3, dc2/dx and dc3/dx (rotation.c) */
} trm_exp_maps;

trm_exp_maps trm_exp_maps_of(trm_vec3 r);
trm_vec3 trm_exp_maps_rate(const trm_exp_maps *maps, trm_vec3 rdot); /* (dT/dt) rdot */

/* A step of a simulation turns a body little, and then needs no square root, sine and cosine: up to y = 1/8 the series
 * of cos(y) and sin(y)/y in x = y^2 hold to rounding, their next terms being below 3e-17. They are macros because x may
 * be of several bodies side by side (motion/ahead.c). */
#define TRM_SERIES_HOLD(x) ((x) < 1.0 / 64)
#define TRM_COS_SERIES(x, xx)                                                                                        \
    (1 - (x) * (1.0 / 2) + (xx) * ((1.0 / 24 - (x) * (1.0 / 720)) + (xx) * (1.0 / 40320 - (x) * (1.0 / 3628800))))
#define TRM_SINC_SERIES(x, xx)                                                                                       \
    (1 - (x) * (1.0 / 6) + (xx) * ((1.0 / 120 - (x) * (1.0 / 5040)) + (xx) * (1.0 / 362880)))

static inline trm_quat trm_quat_exp_half(trm_vec3 half)
{
    const double x = trm_dot(half, half), xx = x * x;
    if (!TRM_SERIES_HOLD(x)) return trm_quat_exp_half_far(half);
    const double c = TRM_COS_SERIES(x, xx), s = TRM_SINC_SERIES(x, xx);
    const trm_quat q = {c, s * half.x, s * half.y, s * half.z};
    return q;
}

#endif
