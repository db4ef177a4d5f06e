/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shared rows.
 *
 * Points. x_b = s_b + r_b is the origin of the joint frame on body b, with
 *     dx_b/dt   = v_b + omega_b x r_b
 *     d2x_b/dt2 = dv_b/dt + domega_b/dt x r_b + omega_b x (omega_b x r_b)
 * so a row n . (x_b - x_a), n fixed in the world, has the Jacobian (r_b x n, n) on b and (-r_a x n, -n) on a.
 *
 * Axes. For a fixed in A and b fixed in B
 *     d/dt (a . b)   = (omega_b - omega_a) . (b x a)
 *     d2/dt2 (a . b) = (domega_b/dt - domega_a/dt) . (b x a)
 *                      + (omega_b - omega_a) . ((omega_b x b) x a + b x (omega_a x a))
 *
 * Lock. With the relative orientation p = q_a* q_b = (w, u), w >= 0, the residual is 2 u: a rotation vector for small
 * angles that grows up to half a turn. With omega = R_a^T (omega_b - omega_a)
 *     d(2u)/dt = w omega + omega x u,     dw/dt = -(omega . u)/2
 *
 * Turn. The angle q = 2 atan2(u_z, w) of B about z of A changes at the rate n . omega, omega in axes of A, with
 *     n = z + ((u_z u_x + w u_y) x + (u_z u_y - w u_x) y) / (w^2 + u_z^2)
 * which is z where the z axes are parallel. */

#include "model/joints/parts.h"

#include "trammel/elementary.h"

trm_vec3 trm_joint_axis(const trm_joint_at *at, int b, int i)
{
    return trm_rotate(at->X[b].q, trm_axis(i));
}

trm_vec3 trm_joint_offset(const trm_joint_at *at)
{
    return trm_v3_sub(at->X[1].p, at->X[0].p);
}

static trm_vec3 origin_velocity(const trm_joint_at *at, int b)
{
    return trm_v3_add(at->V[b].lin, trm_v3_cross(at->V[b].ang, at->r[b]));
}

trm_vec3 trm_joint_offset_velocity(const trm_joint_at *at)
{
    return trm_v3_sub(origin_velocity(at, 1), origin_velocity(at, 0));
}

static trm_vec3 centripetal(const trm_joint_at *at, int b)
{
    return trm_v3_cross(at->V[b].ang, trm_v3_cross(at->V[b].ang, at->r[b]));
}

trm_vec3 trm_joint_offset_bias(const trm_joint_at *at)
{
    return trm_v3_sub(centripetal(at, 1), centripetal(at, 0));
}

static trm_vec3 relative_spin(const trm_joint_at *at)
{
    return trm_v3_sub(at->V[1].ang, at->V[0].ang);
}

double trm_turn_about_z(trm_quat q)
{
    const double sign = q.w < 0 ? -1 : 1; /* of q and -q, the quaternion of the rotation by at most half a turn */
    return 2 * trm_atan2(sign * q.z, sign * q.w);
}

const double *trm_host_memory(const trm_joint_at *at, const trm_joint *host)
{
    const bool needed = host->links || host->term_count > 0;
    return at->memory && needed ? at->memory + host->memory_offset - at->joint->memory_offset : NULL;
}

trm_joint_at trm_host_at(const trm_joint_at *at)
{
    trm_joint_at host = *at;
    host.joint = at->joint->host;
    host.memory = trm_host_memory(at, host.joint);
    return host;
}

void trm_host_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    const trm_joint_at host = trm_host_at(at);
    trm_joint_coordinate_row(&host, at->joint->coordinate, J);
}

void trm_turn_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    (void)joint;
    q[0] = trm_turn_about_z(X_AB.q);
}

trm_spatial trm_constant_subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    (void)joint;
    (void)q;
    (void)qd;
    return (trm_spatial){{0, 0, 0}, {0, 0, 0}};
}

/* ---- Point: c = x_b - x_a ----------------------------------------------------------------- */

static void point_residual(const trm_joint_at *at, double *c)
{
    const trm_vec3 d = trm_joint_offset(at);
    c[0] = d.x, c[1] = d.y, c[2] = d.z;
}

static void point_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    trm_point_jacobian(at->r[0], at->r[1], J);
}

static void point_gamma(const trm_joint_at *at, double *gamma)
{
    const trm_vec3 bias = trm_joint_offset_bias(at);
    gamma[0] = -bias.x, gamma[1] = -bias.y, gamma[2] = -bias.z;
}

const trm_part trm_part_point = {
    .rows = 3,
    .origins = true,
    .row_names = {"shift along x", "shift along y", "shift along z"},
    .residual = point_residual,
    .jacobian = point_jacobian,
    .gamma = point_gamma,
};

/* ---- Along an axis n of A, which turns with A: n . (x_b - x_a) ------------------------------ */

static double along(const trm_joint_at *at, int i)
{
    return trm_v3_dot(trm_joint_axis(at, 0, i), trm_joint_offset(at));
}

/* dn/dt = omega_a x n adds (omega_a x n) . d = omega_a . (n x d), so the lever arm on a reaches to x_b. */
static void along_jacobian(const trm_joint_at *at, int i, trm_spatial *J)
{
    const trm_vec3 arm_a = trm_v3_add(at->r[0], trm_joint_offset(at));
    const trm_vec3 n = trm_joint_axis(at, 0, i);
    J[0] = trm_sp(trm_v3_cross(n, arm_a), trm_v3_neg(n));
    J[1] = trm_sp(trm_v3_cross(at->r[1], n), n);
}

static double along_gamma(const trm_joint_at *at, int i)
{
    const trm_vec3 spin = at->V[0].ang;
    const trm_vec3 n = trm_joint_axis(at, 0, i);
    const trm_vec3 n_dot = trm_v3_cross(spin, n);
    return -trm_v3_dot(n, trm_joint_offset_bias(at)) - 2 * trm_v3_dot(n_dot, trm_joint_offset_velocity(at)) -
           trm_v3_dot(trm_v3_cross(spin, n_dot), trm_joint_offset(at));
}

/* ---- Line: c = (x_a . d, y_a . d), d = x_b - x_a --------------------------------------------- */

static void line_residual(const trm_joint_at *at, double *c)
{
    for (int i = 0; i < 2; i++) c[i] = along(at, i);
}

static void line_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    for (int i = 0; i < 2; i++) along_jacobian(at, i, J + 2 * i);
}

static void line_gamma(const trm_joint_at *at, double *gamma)
{
    for (int i = 0; i < 2; i++) gamma[i] = along_gamma(at, i);
}

const trm_part trm_part_line = {
    .rows = 2,
    .row_names = {"across 1", "across 2"},
    .residual = line_residual,
    .jacobian = line_jacobian,
    .gamma = line_gamma,
};

/* ---- Plane: c = z_a . d ----------------------------------------------------------------------- */

static void plane_residual(const trm_joint_at *at, double *c)
{
    c[0] = along(at, 2);
}

static void plane_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    along_jacobian(at, 2, J);
}

static void plane_gamma(const trm_joint_at *at, double *gamma)
{
    gamma[0] = along_gamma(at, 2);
}

const trm_part trm_part_plane = {
    .rows = 1,
    .row_names = {"out of the plane"},
    .residual = plane_residual,
    .jacobian = plane_jacobian,
    .gamma = plane_gamma,
};

/* ---- Axis i of A perpendicular to axis j of B ---------------------------------------------- */

static double cosine(const trm_joint_at *at, int i, int j)
{
    return trm_v3_dot(trm_joint_axis(at, 0, i), trm_joint_axis(at, 1, j));
}

static void cosine_jacobian(const trm_joint_at *at, int i, int j, trm_spatial *J)
{
    const trm_vec3 n = trm_v3_cross(trm_joint_axis(at, 1, j), trm_joint_axis(at, 0, i));
    J[0] = trm_sp(trm_v3_neg(n), trm_v3(0, 0, 0));
    J[1] = trm_sp(n, trm_v3(0, 0, 0));
}

static double cosine_gamma(const trm_joint_at *at, int i, int j)
{
    const trm_vec3 a = trm_joint_axis(at, 0, i), b = trm_joint_axis(at, 1, j);
    const trm_vec3 a_dot = trm_v3_cross(at->V[0].ang, a), b_dot = trm_v3_cross(at->V[1].ang, b);
    const trm_vec3 n_dot = trm_v3_add(trm_v3_cross(b_dot, a), trm_v3_cross(b, a_dot));
    return -trm_v3_dot(relative_spin(at), n_dot);
}

/* ---- Parallel: c = (x_a . z_b, y_a . z_b), the sine of the tilt ----------------------------- */

static void parallel_residual(const trm_joint_at *at, double *c)
{
    const trm_vec3 z_b = trm_joint_axis(at, 1, 2);
    for (int i = 0; i < 2; i++) c[i] = trm_v3_dot(trm_joint_axis(at, 0, i), z_b);
}

static void parallel_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    for (int i = 0; i < 2; i++) cosine_jacobian(at, i, 2, J + 2 * i);
}

static void parallel_gamma(const trm_joint_at *at, double *gamma)
{
    for (int i = 0; i < 2; i++) gamma[i] = cosine_gamma(at, i, 2);
}

const trm_part trm_part_parallel = {
    .rows = 2,
    .angular = true,
    .row_names = {"tilt 1", "tilt 2"},
    .residual = parallel_residual,
    .jacobian = parallel_jacobian,
    .gamma = parallel_gamma,
};

/* ---- Square: c = z_a . x_b ------------------------------------------------------------------ */

static void square_residual(const trm_joint_at *at, double *c)
{
    c[0] = cosine(at, 2, 0);
}

static void square_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    cosine_jacobian(at, 2, 0, J);
}

static void square_gamma(const trm_joint_at *at, double *gamma)
{
    gamma[0] = cosine_gamma(at, 2, 0);
}

const trm_part trm_part_square = {
    .rows = 1,
    .angular = true,
    .row_names = {"angle between the axes"},
    .residual = square_residual,
    .jacobian = square_jacobian,
    .gamma = square_gamma,
};

/* ---- Lock: c = 2 u of the relative orientation (w, u), in axes of A --------------------------- */

static trm_quat relative_orientation(const trm_joint_at *at)
{
    const trm_quat p = trm_quat_mul(trm_quat_conj(at->X[0].q), at->X[1].q);
    return p.w >= 0 ? p : (trm_quat){-p.w, -p.x, -p.y, -p.z};
}

static void lock_residual(const trm_joint_at *at, double *c)
{
    const trm_quat p = relative_orientation(at);
    c[0] = 2 * p.x, c[1] = 2 * p.y, c[2] = 2 * p.z;
}

/* Computes row i, in axes of A: w e_i + u x e_i. */
static void lock_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    const trm_quat p = relative_orientation(at);
    const trm_vec3 u = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++) {
        const trm_vec3 row = trm_v3_add_scaled(trm_v3_cross(u, trm_axis(i)), p.w, trm_axis(i));
        const trm_vec3 n = trm_rotate(at->X[0].q, row);
        J[2 * i] = trm_sp(trm_v3_neg(n), trm_v3(0, 0, 0));
        J[2 * i + 1] = trm_sp(n, trm_v3(0, 0, 0));
    }
}

static void lock_gamma(const trm_joint_at *at, double *gamma)
{
    const trm_quat p = relative_orientation(at);
    const trm_vec3 u = {p.x, p.y, p.z};
    const trm_vec3 omega = trm_rotate_back(at->X[0].q, relative_spin(at));
    /* domega/dt without the bodies' accelerations, because the axes of A rotate */
    const trm_vec3 omega_dot = trm_rotate_back(at->X[0].q, trm_v3_cross(at->V[1].ang, at->V[0].ang));
    const double w_dot = -0.5 * trm_v3_dot(omega, u);
    const trm_vec3 u_dot = trm_v3_scale(0.5, trm_v3_add_scaled(trm_v3_cross(omega, u), p.w, omega));

    trm_vec3 bias = trm_v3_add_scaled(trm_v3_cross(omega, u_dot), w_dot, omega);
    bias = trm_v3_add(bias, trm_v3_add_scaled(trm_v3_cross(omega_dot, u), p.w, omega_dot));
    gamma[0] = -bias.x, gamma[1] = -bias.y, gamma[2] = -bias.z;
}

const trm_part trm_part_lock = {
    .rows = 3,
    .angular = true,
    .row_names = {"turn about x", "turn about y", "turn about z"},
    .residual = lock_residual,
    .jacobian = lock_jacobian,
    .gamma = lock_gamma,
};

/* ---- Thread: c = z_a . d - p q, q the turn of B about z of A ----------------------------------- */

/* n, with dq/dt = n . omega, and dn/dt; in axes of A. */
typedef struct turn_row {
    trm_vec3 n, n_dot, omega;
} turn_row;

static turn_row turn_row_of(const trm_joint_at *at)
{
    const trm_quat p = relative_orientation(at);
    const trm_vec3 u = {p.x, p.y, p.z};
    const trm_vec3 omega = trm_rotate_back(at->X[0].q, relative_spin(at));
    const double w = p.w, w_dot = -0.5 * trm_v3_dot(omega, u);
    const trm_vec3 u_dot = trm_v3_scale(0.5, trm_v3_add_scaled(trm_v3_cross(omega, u), w, omega));

    const double D = w * w + u.z * u.z, D_dot = 2 * (w * w_dot + u.z * u_dot.z);
    const trm_vec3 n = {(u.z * u.x + w * u.y) / D, (u.z * u.y - w * u.x) / D, 1};
    const trm_vec3 n_dot = {
        (u_dot.z * u.x + u.z * u_dot.x + w_dot * u.y + w * u_dot.y - D_dot * n.x) / D,
        (u_dot.z * u.y + u.z * u_dot.y - w_dot * u.x - w * u_dot.x - D_dot * n.y) / D,
        0,
    };
    return (turn_row){n, n_dot, omega};
}

/* Adds to q the number of turns that agrees best with the shift, so that the row is smooth over any number of turns
 * and needs no memory. */
static void thread_residual(const trm_joint_at *at, double *c)
{
    const double pitch = at->joint->pitch;
    const double off = along(at, 2) / pitch - trm_turn_about_z(relative_orientation(at));
    c[0] = pitch * remainder(off, 2 * TRM_PI);
}

static void thread_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    const turn_row row = turn_row_of(at);
    const trm_vec3 turn = trm_v3_scale(at->joint->pitch, trm_rotate(at->X[0].q, row.n));
    along_jacobian(at, 2, J);
    J[0].ang = trm_v3_add(J[0].ang, turn);
    J[1].ang = trm_v3_sub(J[1].ang, turn);
}

static void thread_gamma(const trm_joint_at *at, double *gamma)
{
    const turn_row row = turn_row_of(at);
    const trm_vec3 omega_dot =
        trm_rotate_back(at->X[0].q, trm_v3_cross(at->V[1].ang, at->V[0].ang)); /* as for lock */
    gamma[0] =
        along_gamma(at, 2) + at->joint->pitch * (trm_v3_dot(row.n_dot, row.omega) + trm_v3_dot(row.n, omega_dot));
}

const trm_part trm_part_thread = {
    .rows = 1,
    .row_names = {"along the thread"},
    .residual = thread_residual,
    .jacobian = thread_jacobian,
    .gamma = thread_gamma,
};
