/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Mass properties by closed forms, and principal axes by Jacobi's method.
 *
 * A polyhedron is the signed sum of the tetrahedra (o, a, b, c) over its triangles. With o the origin and
 * D = a . (b x c), six times the volume, a tetrahedron has
 *   int 1 = D/6,   int x = D/24 (a + b + c),   int x x^T = D/120 (a a^T + b b^T + c c^T + s s^T),  s = a + b + c.
 * From the second moments C about the centre of mass the inertia is trace(C) 1 - C. The origin o is the mean of
 * the corners: about a far origin the terms are large and cancel.
 *
 * Jacobi's method rotates about one coordinate axis after the other, each time by the angle of at most 45 degrees
 * that makes one product vanish: with zeta = (A_qq - A_pp)/(2 A_pq), t = tan = sign(zeta)/(|zeta| + sqrt(zeta^2 +
 * 1)),
 *   A_pp -= t A_pq,   A_qq += t A_pq   (Golub, Van Loan, Matrix Computations, 8.5).
 * It ends when every product is below rounding of its own two moments, so a small moment keeps its digits as far as
 * the tensor determines them (Demmel, Veselic 1992). The rotations are multiplied as quaternions, so the axes are
 * always right-handed. */

#include "math/inertia.h"

#include <float.h>

#include "trammel/elementary.h"

static const double pi = 3.14159265358979323846;

/* ---- Shapes ------------------------------------------------------------------------------- */

static trm_mass centred(double mass, double Jx, double Jy, double Jz)
{
    return (trm_mass){.mass = mass, .inertia = trm_diag(trm_v3(Jx, Jy, Jz))};
}

trm_mass trm_mass_sphere(double density, double radius)
{
    const double m = density * 4 / 3 * pi * radius * radius * radius;
    const double J = m * 2 / 5 * radius * radius;
    return centred(m, J, J, J);
}

trm_mass trm_mass_ellipsoid(double density, trm_vec3 size)
{
    const double m = density * pi / 6 * size.x * size.y * size.z;
    const double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
    return centred(m, m / 20 * (yy + zz), m / 20 * (xx + zz), m / 20 * (xx + yy));
}

trm_mass trm_mass_box(double density, trm_vec3 size)
{
    const double m = density * size.x * size.y * size.z;
    const double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
    return centred(m, m / 12 * (yy + zz), m / 12 * (xx + zz), m / 12 * (xx + yy));
}

trm_mass trm_mass_cylinder(double density, double radius, double length)
{
    const double rr = radius * radius;
    const double m = density * pi * rr * length;
    const double across = m * (rr / 4 + length * length / 12);
    return centred(m, across, across, m * rr / 2);
}

/* Adds a cylinder and two half spheres, each with its centre of mass 3/8 r from the end of the cylinder. */
trm_mass trm_mass_capsule(double density, double radius, double length)
{
    const trm_mass cylinder = trm_mass_cylinder(density, radius, length);
    const trm_mass caps = trm_mass_sphere(density, radius);
    const double caps_off_centre = caps.mass * length * (length / 4 + radius * 3 / 8);
    const double across = cylinder.inertia.m[0][0] + caps.inertia.m[0][0] + caps_off_centre;
    return centred(cylinder.mass + caps.mass, across, across, cylinder.inertia.m[2][2] + caps.inertia.m[2][2]);
}

trm_mass trm_mass_rod(double mass, double length, double radius)
{
    const double rr = radius * radius;
    const double across = mass * (rr / 4 + length * length / 12);
    return centred(mass, mass * rr / 2, across, across);
}

/* ---- Polyhedra ---------------------------------------------------------------------------- */

/* Integrals over a solid, up to constant factors. */
typedef struct integrals {
    double volume6;     /* 6 int 1 */
    trm_vec3 first24;   /* 24 int x */
    trm_mat3 second120; /* 120 int x x^T */
} integrals;

static trm_vec3 mean_of_corners(const trm_vec3 *vertices, const int (*triangles)[3], int triangle_count)
{
    trm_vec3 mean = {0, 0, 0};
    for (int t = 0; t < triangle_count; t++)
        for (int k = 0; k < 3; k++)
            mean = trm_v3_add_scaled(mean, 1.0 / (3.0 * triangle_count), vertices[triangles[t][k]]);
    return mean;
}

static void add_tetrahedron(integrals *sum, trm_vec3 a, trm_vec3 b, trm_vec3 c)
{
    const double D = trm_v3_dot(a, trm_v3_cross(b, c));
    const trm_vec3 s = trm_v3_add(a, trm_v3_add(b, c));
    sum->volume6 += D;
    sum->first24 = trm_v3_add_scaled(sum->first24, D, s);
    const trm_vec3 points[4] = {a, b, c, s};
    for (int i = 0; i < 4; i++)
        sum->second120 = trm_mat_add_scaled(sum->second120, D, trm_outer(points[i], points[i]));
}

/* Returns trace(C) 1 - C. */
static trm_mat3 inertia_of_second_moments(trm_mat3 C)
{
    const double trace = trm_trace(C);
    return trm_mat_add_scaled(trm_diag(trm_v3(trace, trace, trace)), -1, C);
}

trm_mass trm_mass_polyhedron(double density, const trm_vec3 *vertices, const int (*triangles)[3], int triangle_count)
{
    const trm_vec3 o = mean_of_corners(vertices, triangles, triangle_count);
    integrals sum = {0};
    for (int t = 0; t < triangle_count; t++)
        add_tetrahedron(&sum, trm_v3_sub(vertices[triangles[t][0]], o), trm_v3_sub(vertices[triangles[t][1]], o),
                        trm_v3_sub(vertices[triangles[t][2]], o));
    if (sum.volume6 == 0) return (trm_mass){.com = o};

    const double mass = density * sum.volume6 / 6;
    const trm_vec3 com = trm_v3_scale(1 / (4 * sum.volume6), sum.first24);
    trm_mat3 C = trm_mat_add_scaled((trm_mat3){{{0}}}, density / 120, sum.second120);
    C = trm_mat_add_scaled(C, -mass, trm_outer(com, com));
    return (trm_mass){mass, trm_v3_add(o, com), inertia_of_second_moments(C)};
}

/* ---- Moving and joining ------------------------------------------------------------------- */

static trm_mat3 symmetric_part(trm_mat3 a)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < r; c++) a.m[r][c] = a.m[c][r] = (a.m[r][c] + a.m[c][r]) / 2;
    return a;
}

trm_mass trm_mass_of(double mass, trm_mass solid)
{
    return (trm_mass){mass, solid.com, trm_mat_add_scaled((trm_mat3){{{0}}}, mass / solid.mass, solid.inertia)};
}

void trm_mass_scale(trm_mass *mass, double factor)
{
    mass->mass *= factor;
    for (int i = 0; i < 9; i++) mass->inertia.m[i / 3][i % 3] *= factor;
}

trm_mass trm_mass_moved(trm_mass part, trm_pose X)
{
    const trm_mat3 R = trm_quat_matrix(X.q);
    part.com = trm_pose_point(X, part.com);
    part.inertia = symmetric_part(trm_mat_mul(R, trm_mat_mul(part.inertia, trm_transpose(R))));
    return part;
}

/* Huygens-Steiner theorem for two parts at distance d: the additional term is the inertia of their reduced mass at
 * distance d. */
trm_mass trm_mass_sum(trm_mass a, trm_mass b)
{
    const double mass = a.mass + b.mass;
    const double b_share = mass != 0 ? b.mass / mass : 0;
    const trm_vec3 d = trm_v3_sub(b.com, a.com);
    const trm_mat3 apart = inertia_of_second_moments(trm_outer(d, d));
    const trm_mat3 own = trm_mat_add_scaled(a.inertia, 1, b.inertia);
    return (trm_mass){mass, trm_v3_add_scaled(a.com, b_share, d), trm_mat_add_scaled(own, a.mass * b_share, apart)};
}

/* ---- Principal axes ----------------------------------------------------------------------- */

/* 3x3 tensors take 4 to 6 sweeps. A singular tensor, whose zero moment gives no scale, takes a few more until its
 * products underflow. */
enum { SWEEPS_AT_MOST = 60 };

static bool is_negligible(const trm_mat3 *A, int p, int q)
{
    return fabs(A->m[p][q]) <= DBL_EPSILON / 4 * sqrt(fabs(A->m[p][p])) * sqrt(fabs(A->m[q][q]));
}

/* Returns the rotation about axis k by the angle with tangent t, |t| <= 1. */
static trm_quat rotation_about(int k, double t)
{
    const double cosine = 1 / sqrt(1 + t * t);
    const double half_cosine = sqrt((1 + cosine) / 2);
    const trm_vec3 u = trm_v3_scale(t * cosine / (2 * half_cosine), trm_axis(k));
    return (trm_quat){half_cosine, u.x, u.y, u.z};
}

/* Makes A_pq vanish by a rotation about axis k = 3 - p - q; q follows p in cyclic order. */
static void annihilate(trm_mat3 *A, trm_quat *axes, int p, int q)
{
    const int k = 3 - p - q;
    const double zeta = (A->m[q][q] - A->m[p][p]) / (2 * A->m[p][q]);
    const double t = copysign(1, zeta) / (fabs(zeta) + trm_hypot(zeta, 1));
    const double cosine = 1 / sqrt(1 + t * t), sine = t * cosine;

    A->m[p][p] -= t * A->m[p][q];
    A->m[q][q] += t * A->m[p][q];
    A->m[p][q] = A->m[q][p] = 0;
    const double kp = A->m[k][p], kq = A->m[k][q];
    A->m[k][p] = A->m[p][k] = cosine * kp - sine * kq;
    A->m[k][q] = A->m[q][k] = sine * kp + cosine * kq;
    *axes = trm_quat_mul(*axes, rotation_about(k, -t));
}

trm_principal trm_principal_axes(trm_mat3 inertia)
{
    trm_mat3 A = symmetric_part(inertia);
    trm_quat axes = trm_quat_identity();
    bool diagonal = false;
    for (int sweep = 0; sweep < SWEEPS_AT_MOST && !diagonal; sweep++) {
        diagonal = true;
        for (int p = 0; p < 3; p++) {
            const int q = (p + 1) % 3;
            if (is_negligible(&A, p, q)) continue;
            annihilate(&A, &axes, p, q);
            diagonal = false;
        }
    }
    return (trm_principal){trm_v3(A.m[0][0], A.m[1][1], A.m[2][2]), trm_quat_unit(axes)};
}

bool trm_inertia_is_possible(trm_vec3 moments, double slack)
{
    const double x = moments.x, y = moments.y, z = moments.z;
    return x + y >= z * (1 - slack) && y + z >= x * (1 - slack) && z + x >= y * (1 - slack);
}

trm_vec3 trm_raised_moments(trm_vec3 moments)
{
    const double least = 1e-8 * fmax(moments.x, fmax(moments.y, moments.z));
    return trm_v3(fmax(moments.x, least), fmax(moments.y, least), fmax(moments.z, least));
}
