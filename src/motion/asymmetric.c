/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Euler's equations in the body frame are a Taylor series of the angular velocity w alone. The orientation follows
 * from the angular momentum, which is constant in space, and from one integral. Time is in units of h and w in rad
 * per step: w(s) = sum u_k s^k, 0 <= s <= 1.
 *
 *     (k+1) u_(k+1),x = (J_y - J_z)/J_x sum_(j<=k) u_j,y u_(k-j),z          and cyclically
 *
 * m(s) = J w / |J w| is the direction of the angular momentum in the body, m_0 = m(0). The body rotates by Q with Q m
 * = m_0. Let A be the smallest rotation from m to m_0. Then Q = exp(phi m_0) A, and
 *
 *     dphi/ds = f = (w . m + w . m_0) / (1 + m . m_0),     w . m is constant (energy),     A = (1 + m . m_0, m x m_0) / |.|
 *
 * With m . m_0 = 1 + sum_(k>0) d_k s^k the division of the two series is
 *
 *     f_k = (n_k - sum_(0<j<=k) d_j f_(k-j)) / 2,     n_0 = 2 u_0 . m_0,     n_k = u_k . m_0,     phi = sum f_k / (k+1)
 *
 * The series ends when two successive terms are below rounding. A term costs four products; a term of a series of the
 * quaternion costs 18. */

#include "motion/asymmetric.h"

#include <float.h>

#include "motion/free.h"

/* Terms 0 .. last. */
typedef struct series {
    trm_four_vec3 u[TRM_TAYLOR_HIGHEST + 1];
    trm_four d[TRM_TAYLOR_HIGHEST + 1], f[TRM_TAYLOR_HIGHEST + 1];
    int last;
} series;

/* The quantities from which the terms are computed. */
typedef struct invariants {
    trm_four_vec3 J;     /* kg m^2 */
    trm_four_vec3 ratio; /* (J_y - J_z)/J_x and cyclically */
    trm_four_vec3 m;     /* m_0; zero: the body does not rotate */
    trm_four_vec3 per_L; /* J / |J u_0| */
} invariants;

TRM_FOUR_KERNEL trm_four_vec3 times(trm_four_vec3 a, trm_four_vec3 b)
{
    return (trm_four_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

TRM_FOUR_KERNEL trm_four largest(trm_four_vec3 a)
{
    return trm_four_max(trm_four_max(trm_four_abs(a.x), trm_four_abs(a.y)), trm_four_abs(a.z));
}

TRM_FOUR_KERNEL trm_four_vec3 moments_of(const trm_body *const body[TRM_LANES])
{
    trm_four_vec3 J;
    for (int k = 0; k < TRM_LANES; k++)
        J.x[k] = body[k]->inertia.x, J.y[k] = body[k]->inertia.y, J.z[k] = body[k]->inertia.z;
    return J;
}

/* Returns these quantities. A body whose |J u_0|^2 underflows rotates by less than 1e-150 rad, which counts as
 * zero. */
TRM_FOUR_KERNEL invariants find_invariants(trm_four_vec3 J, trm_four_vec3 u)
{
    const trm_four_vec3 L = times(J, u);
    const trm_four square = trm_four_dot(L, L), per_length = 1 / trm_four_sqrt(square);
    const trm_four per_L = trm_four_choose(square < DBL_MIN, (trm_four){0}, per_length);
    return (invariants){J,
                        {(J.y - J.z) / J.x, (J.z - J.x) / J.y, (J.x - J.y) / J.z},
                        trm_four_scale(per_L, L),
                        trm_four_scale(per_L, J)};
}

/* Computes term k > 0 from those before it, in the lanes that are not done. It is zero in the others. */
TRM_FOUR_KERNEL void add_term(const invariants *t, series *s, int k, trm_four_flags done)
{
    const trm_four none = {0}, part = none + 1.0 / k;
    trm_four_vec3 sum = {none, none, none};
    trm_four divided = none;
    for (int j = 0; j < k; j++) {
        const trm_four_vec3 a = s->u[j], b = s->u[k - 1 - j];
        sum = (trm_four_vec3){sum.x + a.y * b.z, sum.y + a.z * b.x, sum.z + a.x * b.y};
    }
    for (int j = 1; j < k; j++) divided += s->d[j] * s->f[k - j];
    const trm_four_vec3 u = times(trm_four_scale(part, t->ratio), sum);
    s->u[k] = (trm_four_vec3){trm_four_choose(done, none, u.x), trm_four_choose(done, none, u.y),
                              trm_four_choose(done, none, u.z)};
    s->d[k] = trm_four_dot(times(t->per_L, s->u[k]), t->m);
    const trm_four f = 0.5 * (trm_four_dot(s->u[k], t->m) - (divided + s->d[k] * s->f[0]));
    s->f[k] = trm_four_choose(done, none, f);
}

TRM_FOUR_KERNEL void expand(const invariants *t, trm_four_vec3 u, series *s)
{
    const trm_four least_u = TRM_BELOW_ROUNDING * largest(u);
    s->u[0] = u;
    s->f[0] = trm_four_dot(u, t->m);
    const trm_four least_f = TRM_BELOW_ROUNDING * trm_four_abs(s->f[0]);
    trm_four_flags small_before = {0}, done = {0};
    for (s->last = 0; s->last < TRM_TAYLOR_HIGHEST && !trm_four_all(done);) {
        const int k = ++s->last;
        add_term(t, s, k, done);
        const trm_four_flags small = ~((largest(s->u[k]) > least_u) | (trm_four_abs(s->f[k]) > least_f));
        done |= small & small_before;
        small_before = small;
    }
}

/* Returns exp(2 half m), m of length one or zero. */
TRM_FOUR_KERNEL trm_four_quat rotation_about(trm_four half, trm_four_vec3 m)
{
    const trm_four_vec3 v = trm_four_scale(half, m);
    trm_four_quat q;
    if (trm_four_quat_exp_half(v, &q)) return q;
    for (int k = 0; k < TRM_LANES; k++) {
        const trm_quat one = trm_quat_exp_half(trm_v3(v.x[k], v.y[k], v.z[k]));
        q.w[k] = one.w, q.x[k] = one.x, q.y[k] = one.y, q.z[k] = one.z;
    }
    return q;
}

/* Returns the smallest rotation from m_0 + change to m_0. */
TRM_FOUR_KERNEL trm_four_quat rotation_back(trm_four_vec3 m, trm_four_vec3 change)
{
    const trm_four_vec3 v = trm_four_cross(change, m);
    const trm_four w = 2 + trm_four_dot(change, m), per = 1 / trm_four_sqrt(w * w + trm_four_dot(v, v));
    return (trm_four_quat){per * w, per * v.x, per * v.y, per * v.z};
}

/* Returns Q w - w for a small rotation Q = (c, u) without cancellation: 2 c (u x w) + 2 u x (u x w). */
TRM_FOUR_KERNEL trm_four_vec3 rotation_change(trm_four_quat Q, trm_four_vec3 w)
{
    const trm_four_vec3 u = {Q.x, Q.y, Q.z}, cross = trm_four_cross(u, w), t = trm_four_add(cross, cross);
    return trm_four_add_scaled(trm_four_cross(u, t), Q.w, t);
}

TRM_FOUR_KERNEL trm_four_vec3 rotated(trm_four_quat Q, trm_four_vec3 w)
{
    return trm_four_add(w, rotation_change(Q, w));
}

/* Computes the new omega as the old one plus the change R(0) (Q w(h) - w(0)). Rotating the whole w(h) would cause the
 * same rounding error in every step, and the energy would drift. */
void trm_turn_asymmetric(const trm_body *const body[TRM_LANES], const trm_four *h, trm_four_quat *q,
                         trm_four_vec3 *omega)
{
    const trm_four none = {0};
    const trm_four_vec3 w = rotated((trm_four_quat){q->w, -q->x, -q->y, -q->z}, *omega), u = trm_four_scale(*h, w);
    const invariants t = find_invariants(moments_of(body), u);
    series s;
    expand(&t, u, &s);

    trm_four_vec3 added = {none, none, none};
    trm_four phi = none;
    for (int k = s.last; k > 0; k--) { /* small terms first */
        added = trm_four_add(added, s.u[k]);
        phi += s.f[k] * (1.0 / (k + 1));
    }
    const trm_four_quat Q =
        trm_four_quat_mul(rotation_about(0.5 * (phi + s.f[0]), t.m), rotation_back(t.m, times(t.per_L, added)));
    const trm_four per_h = trm_four_choose(*h == none, none, 1 / *h);
    const trm_four_vec3 w_change = trm_four_scale(per_h, added);
    const trm_four_vec3 change = trm_four_add(rotation_change(Q, trm_four_add(w, w_change)), w_change);
    *omega = trm_four_add(*omega, rotated(*q, change));
    *q = trm_four_quat_mul(*q, Q);
}
