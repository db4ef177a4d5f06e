/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Vectors, matrices, quaternions, poses and spatial vectors, as values.
 *
 * Conventions (docs/notation.md): right-handed; quaternions w first; a pose X_AB is frame B seen from A,
 * x_A = R x_B + p; spatial vectors carry the angular part first.
 *
 * Values are made through local variables, not compound literals, which C++ does not have. */

#ifndef TRAMMEL_VECMATH_H
#define TRAMMEL_VECMATH_H

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRM_PI 3.14159265358979323846

/* A vector in space. */
typedef struct trm_vec3 {
    double x, y, z;
} trm_vec3;

/* A 3 x 3 matrix: m[row][column]. */
typedef struct trm_mat3 {
    double m[3][3];
} trm_mat3;

/* A quaternion, w first. A unit quaternion q rotates v to q (0, v) q*. */
typedef struct trm_quat {
    double w, x, y, z;
} trm_quat;

/* X_AB: orientation and origin of frame B seen from A. */
typedef struct trm_pose {
    trm_quat q;
    trm_vec3 p;
} trm_pose;

/* A twist (angular velocity, velocity), a wrench (torque, force) or a row of a Jacobian. */
typedef struct trm_spatial {
    trm_vec3 ang, lin;
} trm_spatial;

/* ---- Vectors ------------------------------------------------------------------------------ */

/* Returns the vector (x, y, z). */
static inline trm_vec3 trm_v3(double x, double y, double z)
{
    const trm_vec3 v = {x, y, z};
    return v;
}

/* Returns a + b. */
static inline trm_vec3 trm_v3_add(trm_vec3 a, trm_vec3 b)
{
    return trm_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

/* Returns a - b. */
static inline trm_vec3 trm_v3_sub(trm_vec3 a, trm_vec3 b)
{
    return trm_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* Returns s a. */
static inline trm_vec3 trm_v3_scale(double s, trm_vec3 a)
{
    return trm_v3(s * a.x, s * a.y, s * a.z);
}

/* Returns -a. */
static inline trm_vec3 trm_v3_neg(trm_vec3 a)
{
    return trm_v3(-a.x, -a.y, -a.z);
}

/* Returns a + s b. */
static inline trm_vec3 trm_v3_add_scaled(trm_vec3 a, double s, trm_vec3 b)
{
    return trm_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/* Returns the scalar product a . b. */
static inline double trm_v3_dot(trm_vec3 a, trm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Returns the cross product a x b. */
static inline trm_vec3 trm_v3_cross(trm_vec3 a, trm_vec3 b)
{
    return trm_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Returns |a|. */
static inline double trm_v3_length(trm_vec3 a)
{
    return sqrt(trm_v3_dot(a, a));
}

/* Returns a / |a|; requires |a| > 0. */
static inline trm_vec3 trm_v3_unit(trm_vec3 a)
{
    return trm_v3_scale(1 / trm_v3_length(a), a);
}

/* Returns whether no component is infinite or NaN. */
static inline bool trm_v3_is_finite(trm_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Returns the unit vector along axis i = 0, 1, 2. */
static inline trm_vec3 trm_axis(int i)
{
    return trm_v3(i == 0, i == 1, i == 2);
}

/* ---- Matrices ----------------------------------------------------------------------------- */

/* Returns the diagonal matrix with the components of d. */
static inline trm_mat3 trm_diag(trm_vec3 d)
{
    const trm_mat3 a = {{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
    return a;
}

/* Returns the matrix with columns x, y, z. */
static inline trm_mat3 trm_columns(trm_vec3 x, trm_vec3 y, trm_vec3 z)
{
    const trm_mat3 a = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return a;
}

/* Returns column c = 0, 1, 2 of a matrix. */
static inline trm_vec3 trm_column(trm_mat3 a, int c)
{
    return trm_v3(a.m[0][c], a.m[1][c], a.m[2][c]);
}

/* Returns a^T. */
static inline trm_mat3 trm_transpose(trm_mat3 a)
{
    return trm_columns(trm_v3(a.m[0][0], a.m[0][1], a.m[0][2]), trm_v3(a.m[1][0], a.m[1][1], a.m[1][2]),
                       trm_v3(a.m[2][0], a.m[2][1], a.m[2][2]));
}

/* Returns a v. */
static inline trm_vec3 trm_mat_vec(trm_mat3 a, trm_vec3 v)
{
    return trm_v3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                  a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                  a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

/* Returns a^T v. */
static inline trm_vec3 trm_mat_t_vec(trm_mat3 a, trm_vec3 v)
{
    return trm_mat_vec(trm_transpose(a), v);
}

/* Returns a b. */
static inline trm_mat3 trm_mat_mul(trm_mat3 a, trm_mat3 b)
{
    return trm_columns(trm_mat_vec(a, trm_column(b, 0)), trm_mat_vec(a, trm_column(b, 1)),
                       trm_mat_vec(a, trm_column(b, 2)));
}

/* Returns a + s b. */
static inline trm_mat3 trm_mat_add_scaled(trm_mat3 a, double s, trm_mat3 b)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) a.m[r][c] += s * b.m[r][c];
    return a;
}

/* Returns the matrix [v]x with [v]x u = v x u. */
static inline trm_mat3 trm_skew(trm_vec3 v)
{
    const trm_mat3 a = {{{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}}};
    return a;
}

/* Returns u v^T. */
static inline trm_mat3 trm_outer(trm_vec3 u, trm_vec3 v)
{
    return trm_columns(trm_v3_scale(v.x, u), trm_v3_scale(v.y, u), trm_v3_scale(v.z, u));
}

/* Returns the sum of the diagonal. */
static inline double trm_trace(trm_mat3 a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

/* ---- Rotations ---------------------------------------------------------------------------- */

/* Returns the quaternion of no rotation. */
static inline trm_quat trm_quat_identity(void)
{
    const trm_quat q = {1, 0, 0, 0};
    return q;
}

/* Returns Hamilton's product a b, which rotates by b first, then by a. */
static inline trm_quat trm_quat_mul(trm_quat a, trm_quat b)
{
    const trm_quat ab = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                         a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return ab;
}

/* Returns the conjugate: the inverse of a unit quaternion. */
static inline trm_quat trm_quat_conj(trm_quat q)
{
    const trm_quat conjugate = {q.w, -q.x, -q.y, -q.z};
    return conjugate;
}

/* Returns |q|. */
static inline double trm_quat_norm(trm_quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

/* Returns q / |q|; requires |q| > 0. */
static inline trm_quat trm_quat_unit(trm_quat q)
{
    const double s = 1 / trm_quat_norm(q);
    const trm_quat unit = {s * q.w, s * q.x, s * q.y, s * q.z};
    return unit;
}

/* Returns v rotated by a unit quaternion: R v = v + 2 w (u x v) + 2 u x (u x v), with u the vector part of q. */
static inline trm_vec3 trm_rotate(trm_quat q, trm_vec3 v)
{
    const trm_vec3 u = {q.x, q.y, q.z};
    const trm_vec3 t = trm_v3_scale(2, trm_v3_cross(u, v));
    return trm_v3_add(trm_v3_add_scaled(v, q.w, t), trm_v3_cross(u, t));
}

/* Returns v rotated by the inverse of a unit quaternion: R^T v. */
static inline trm_vec3 trm_rotate_back(trm_quat q, trm_vec3 v)
{
    return trm_rotate(trm_quat_conj(q), v);
}

/* Returns the rotation matrix of a unit quaternion. */
static inline trm_mat3 trm_quat_matrix(trm_quat q)
{
    return trm_columns(trm_rotate(q, trm_axis(0)), trm_rotate(q, trm_axis(1)), trm_rotate(q, trm_axis(2)));
}

/* ---- Poses -------------------------------------------------------------------------------- */

/* Returns the pose of a frame that coincides with its reference. */
static inline trm_pose trm_pose_identity(void)
{
    const trm_pose X = {{1, 0, 0, 0}, {0, 0, 0}};
    return X;
}

/* Returns X_AC = X_AB X_BC. */
static inline trm_pose trm_pose_mul(trm_pose ab, trm_pose bc)
{
    const trm_pose ac = {trm_quat_mul(ab.q, bc.q), trm_v3_add(ab.p, trm_rotate(ab.q, bc.p))};
    return ac;
}

/* Returns X_BA from X_AB. */
static inline trm_pose trm_pose_inverse(trm_pose ab)
{
    const trm_pose ba = {trm_quat_conj(ab.q), trm_v3_neg(trm_rotate_back(ab.q, ab.p))};
    return ba;
}

/* Returns a point given in frame B in frame A. */
static inline trm_vec3 trm_pose_point(trm_pose ab, trm_vec3 point)
{
    return trm_v3_add(ab.p, trm_rotate(ab.q, point));
}

/* Returns a point given in frame A in frame B. */
static inline trm_vec3 trm_pose_point_back(trm_pose ab, trm_vec3 point)
{
    return trm_rotate_back(ab.q, trm_v3_sub(point, ab.p));
}

/* ---- Spatial vectors ---------------------------------------------------------------------- */

/* Returns the spatial vector of an angular and a linear part. */
static inline trm_spatial trm_sp(trm_vec3 ang, trm_vec3 lin)
{
    const trm_spatial s = {ang, lin};
    return s;
}

/* Returns s a. */
static inline trm_spatial trm_sp_scale(double s, trm_spatial a)
{
    return trm_sp(trm_v3_scale(s, a.ang), trm_v3_scale(s, a.lin));
}

/* Returns a + s b. */
static inline trm_spatial trm_sp_add_scaled(trm_spatial a, double s, trm_spatial b)
{
    const trm_spatial sum = {trm_v3_add_scaled(a.ang, s, b.ang), trm_v3_add_scaled(a.lin, s, b.lin)};
    return sum;
}

/* Returns a . b, the power of a wrench a at a twist b. */
static inline double trm_sp_dot(trm_spatial a, trm_spatial b)
{
    return trm_v3_dot(a.ang, b.ang) + trm_v3_dot(a.lin, b.lin);
}

#ifdef __cplusplus
}
#endif

#endif
