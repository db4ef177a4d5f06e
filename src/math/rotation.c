/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rotation maps that lose no digits at any angle.
 *
 * With x = theta^2 = r.r the Stumpff functions c_k(x) = sum_i (-x)^i / (k + 2i)! are
 *   c1 = sin(theta)/theta,  c2 = (1 - cos theta)/x,  c3 = (theta - sin theta)/theta^3,  c_k = (1/(k-2)! - c_(k-2))/x,
 * smooth at x = 0, and obey dc_k/dx = -(c_(k+1) - k c_(k+2))/2. With them
 *   T          = 1 + c2 [r]x + c3 [r]x^2
 *   T^-1       = 1 - [r]x/2 + (c3 - 2 c4)/(2 c2) [r]x^2
 *   (dT/dt) r' = 2 r.r' (c2' r x r' + c3' r x (r x r')) + c3 r' x (r x r')
 * where c2' = dc2/dx. (Park, Lee, Chirikjian, IEEE Trans. Robotics 1995, for T; the rest follows by
 * differentiation.) */

#include "math/rotation.h"

#include <float.h>

#include "trammel/elementary.h"

/* ---- Stumpff functions -------------------------------------------------------------------- */

/* c1 .. c5 of one angle, by their index. */
typedef struct stumpff {
    double c[6];
} stumpff;

/* Largest x for which the series is used. Up to theta = 2 the alternating series loses no digit; the terms after the
 * 12th are less than 4^12 k!/(k + 24)! < 1e-17 of c_k. */
static const double series_up_to = 4;
enum { SERIES_TERMS = 12 };

/* Coefficients of c4 and c5 by their series in nested form, c_k = (1 - x/((k+1)(k+2)) (1 - x/((k+3)(k+4)) ( ...
 * )))/k!, with the divisors as constants. */
static const double steps4[SERIES_TERMS] = {1.0 / 30,  1.0 / 56,  1.0 / 90,  1.0 / 132, 1.0 / 182, 1.0 / 240,
                                            1.0 / 306, 1.0 / 380, 1.0 / 462, 1.0 / 552, 1.0 / 650, 1.0 / 756};
static const double steps5[SERIES_TERMS] = {1.0 / 42,  1.0 / 72,  1.0 / 110, 1.0 / 156, 1.0 / 210, 1.0 / 272,
                                            1.0 / 342, 1.0 / 420, 1.0 / 506, 1.0 / 600, 1.0 / 702, 1.0 / 812};

/* Computes c4 and c5 by their series, and the others from c_k = 1/k! - x c_(k+2), which loses no digit for these
 * x. */
static stumpff stumpff_by_series(double x)
{
    double c4 = 1, c5 = 1;
    for (int i = SERIES_TERMS - 1; i >= 0; i--) {
        c4 = 1 - x * c4 * steps4[i];
        c5 = 1 - x * c5 * steps5[i];
    }
    c4 /= 24, c5 /= 120;
    const double c3 = 1.0 / 6 - x * c5;
    return (stumpff){{0, 1 - x * c3, 1.0 / 2 - x * c4, c3, c4, c5}};
}

static stumpff stumpff_of(double x)
{
    if (x < series_up_to) return stumpff_by_series(x);
    stumpff f = {{0}};
    const double theta = sqrt(x), half_sine = trm_sin(theta / 2);
    f.c[1] = trm_sin(theta) / theta;
    f.c[2] = 2 * half_sine * half_sine / x;
    f.c[3] = (1 - f.c[1]) / x;
    f.c[4] = (1.0 / 2 - f.c[2]) / x;
    f.c[5] = (1.0 / 6 - f.c[3]) / x;
    return f;
}

/* Returns dc_k/dx for k = 2, 3. */
static double stumpff_slope(stumpff f, int k)
{
    return -(f.c[k + 1] - k * f.c[k + 2]) / 2;
}

/* ---- Quaternions -------------------------------------------------------------------------- */

trm_quat trm_quat_exp_half_far(trm_vec3 half)
{
    const double angle = trm_v3_length(half);
    const trm_sine_cosine turn = trm_sin_cos(angle);
    const double s = turn.sine / angle;
    return (trm_quat){turn.cosine, s * half.x, s * half.y, s * half.z};
}

/* Below this tangent two terms of a series are exact to rounding, and no square underflows. */
static const double small_tangent = 1e-4;

trm_vec3 trm_quat_log(trm_quat q)
{
    if (q.w < 0) q = (trm_quat){-q.w, -q.x, -q.y, -q.z};
    const trm_vec3 u = {q.x, q.y, q.z};
    const double sine = trm_v3_length(u);
    if (sine < small_tangent * q.w) { /* atan(t)/t = 1 - t^2/3 + ... */
        const double tangent = sine / q.w;
        return trm_v3_scale(2 / q.w * (1 - tangent * tangent / 3), u);
    }
    return trm_v3_scale(2 * trm_atan2(sine, q.w) / sine, u);
}

trm_quat trm_quat_from_axis_angle(trm_vec3 unit_axis, double angle)
{
    const trm_sine_cosine half = trm_sin_cos(angle / 2);
    const double s = half.sine;
    return (trm_quat){half.cosine, s * unit_axis.x, s * unit_axis.y, s * unit_axis.z};
}

/* Computes the largest of |w|, |x|, |y|, |z| from the diagonal and divides by it for the others (Shepperd 1978). */
trm_quat trm_quat_from_matrix(trm_mat3 R)
{
    const double(*m)[3] = (const double(*)[3])R.m;
    const double trace = trm_trace(R);
    trm_quat q;
    if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2])
        q = (trm_quat){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
        q = (trm_quat){m[2][1] - m[1][2], 1 + 2 * m[0][0] - trace, m[0][1] + m[1][0], m[0][2] + m[2][0]};
    else if (m[1][1] >= m[2][2])
        q = (trm_quat){m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace, m[1][2] + m[2][1]};
    else
        q = (trm_quat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + 2 * m[2][2] - trace};
    if (q.w < 0) q = (trm_quat){-q.w, -q.x, -q.y, -q.z};
    return trm_quat_unit(q);
}

trm_quat trm_quat_from_rpy(double roll, double pitch, double yaw)
{
    const trm_quat x = trm_quat_from_axis_angle(trm_axis(0), roll);
    const trm_quat y = trm_quat_from_axis_angle(trm_axis(1), pitch);
    const trm_quat z = trm_quat_from_axis_angle(trm_axis(2), yaw);
    return trm_quat_mul(z, trm_quat_mul(y, x));
}

/* Returns the rotation from a to b if their angle exceeds 90 degrees. With d along a - b and h along a + b, which are
 * perpendicular, the axis is d x h, and half of the angle has the cosine |a + b|/2 and the sine |a - b|/2. */
static trm_quat between_wide(trm_vec3 a, trm_vec3 b)
{
    const trm_vec3 sum = trm_v3_add(a, b), difference = trm_v3_sub(a, b);
    const trm_vec3 d = trm_v3_unit(difference);
    const trm_vec3 h =
        trm_v3_add_scaled(sum, -trm_v3_dot(d, sum), d); /* a and b are of length one only to rounding */
    const double length = trm_v3_length(h);
    const bool opposite = length < 8 * DBL_EPSILON;
    const trm_vec3 middle = opposite ? trm_perpendicular(d) : trm_v3_scale(1 / length, h);
    const trm_vec3 u = trm_v3_scale(trm_v3_length(difference), trm_v3_cross(d, middle));
    return trm_quat_unit((trm_quat){opposite ? 0 : length, u.x, u.y, u.z});
}

trm_quat trm_quat_between(trm_vec3 a, trm_vec3 b)
{
    const double cosine = trm_v3_dot(a, b);
    if (cosine < 0) return between_wide(a, b);
    const trm_vec3 u = trm_v3_cross(a, trm_v3_sub(b, a)); /* a x b; exactly zero where b = a */
    return trm_quat_unit((trm_quat){1 + cosine, u.x, u.y, u.z});
}

/* ---- Frames ------------------------------------------------------------------------------- */

/* Returns the part of v perpendicular to the unit vector u. */
static trm_vec3 across(trm_vec3 v, trm_vec3 u)
{
    return trm_v3_add_scaled(v, -trm_v3_dot(v, u), u);
}

/* Shifts the components of u cyclically, which is a rotation by 120 degrees about (1, 1, 1), and takes the part
 * perpendicular to u. This part vanishes only if u is along that axis. Near the axis, (1, -1, 0) is used instead. */
trm_vec3 trm_perpendicular(trm_vec3 unit)
{
    const double well_away = 0.1; /* shorter parts would cost more than one digit */
    const trm_vec3 shifted = across(trm_v3(unit.z, unit.x, unit.y), unit);
    if (trm_v3_length(shifted) > well_away) return trm_v3_unit(shifted);
    const double sign = unit.x < 0 ? -1 : 1;
    return trm_v3_unit(across(trm_v3(sign, -sign, 0), unit));
}

trm_quat trm_frame_from_z(trm_vec3 unit_z)
{
    const trm_vec3 x = trm_perpendicular(unit_z);
    return trm_quat_from_matrix(trm_columns(x, trm_v3_cross(unit_z, x), unit_z));
}

trm_quat trm_frame_from_zx(trm_vec3 unit_z, trm_vec3 x_hint)
{
    const trm_vec3 y = trm_v3_unit(trm_v3_cross(unit_z, x_hint));
    return trm_quat_from_matrix(trm_columns(trm_v3_cross(y, unit_z), y, unit_z));
}

/* ---- The Jacobian of the exponential ------------------------------------------------------ */

/* Returns 1 + a [r]x + b [r]x^2. */
static trm_mat3 skew_polynomial(trm_vec3 r, double a, double b)
{
    const trm_mat3 skew = trm_skew(r);
    const trm_mat3 linear = trm_mat_add_scaled(trm_diag(trm_v3(1, 1, 1)), a, skew);
    return trm_mat_add_scaled(linear, b, trm_mat_mul(skew, skew));
}

trm_mat3 trm_exp_jacobian(trm_vec3 r)
{
    const stumpff f = stumpff_of(trm_v3_dot(r, r));
    return skew_polynomial(r, f.c[2], f.c[3]);
}

trm_mat3 trm_exp_jacobian_inverse(trm_vec3 r)
{
    const stumpff f = stumpff_of(trm_v3_dot(r, r));
    return skew_polynomial(r, -0.5, -stumpff_slope(f, 2) / f.c[2]);
}

trm_exp_maps trm_exp_maps_of(trm_vec3 r)
{
    const stumpff f = stumpff_of(trm_v3_dot(r, r));
    const double slope2 = stumpff_slope(f, 2);
    return (trm_exp_maps){.T = skew_polynomial(r, f.c[2], f.c[3]),
                          .inverse = skew_polynomial(r, -0.5, -slope2 / f.c[2]),
                          .r = r,
                          .c3 = f.c[3],
                          .slope2 = slope2,
                          .slope3 = stumpff_slope(f, 3)};
}

trm_vec3 trm_exp_maps_rate(const trm_exp_maps *m, trm_vec3 rdot)
{
    const double x_rate = 2 * trm_v3_dot(m->r, rdot);
    const trm_vec3 turn = trm_v3_cross(m->r, rdot);
    const trm_vec3 by_angle = trm_v3_add_scaled(trm_v3_scale(m->slope2, turn), m->slope3, trm_v3_cross(m->r, turn));
    return trm_v3_add_scaled(trm_v3_scale(m->c3, trm_v3_cross(rdot, turn)), x_rate, by_angle);
}

trm_vec3 trm_exp_jacobian_rate(trm_vec3 r, trm_vec3 rdot)
{
    const trm_exp_maps maps = trm_exp_maps_of(r);
    return trm_exp_maps_rate(&maps, rdot);
}
