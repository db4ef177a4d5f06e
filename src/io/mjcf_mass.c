/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the masses of geoms of MJCF, at density 1 and in the frame of the geom, and fits geoms to meshes.
 *
 * A solid geom has a volume V and the moments of its interior. A shell ("shellinertia") has an area A and the moments
 * of its surface; for a flat piece with corners a, b, c and s = a + b + c
 *
 *     integral of x x^T over the triangle = A/12 (a a^T + b b^T + c c^T + s s^T),   I = trace(P) 1 - P
 *
 * The shell of an ellipsoid with half axes a, b, c lies between it and the ellipsoid whose half axes are 1e-6 m longer, as in
 * MuJoCo; its area is that of Thomsen, 4 pi ((a^p b^p + a^p c^p + b^p c^p)/3)^(1/p) with p = 1.6075.
 *
 * A geom of another type that names a mesh has the size of the box with the mass and the principal moments of the
 * mesh, I1 >= I2 >= I3, in whose axes it lies: half lengths b_i = sqrt(3/2 (I_j + I_k - I_i)/m). With the option
 * fitaabb it is as large as the bounds of the vertices in the same axes, about their middle. */

#include <math.h>
#include <string.h>

#include "io/mjcf.h"
#include "math/rotation.h"
#include "trammel/elementary.h"

static bool is(const char *type, const char *other)
{
    return strcmp(type, other) == 0;
}

trm_mass trm_mjcf_solid(const char *type, const double *s)
{
    if (is(type, "sphere")) return trm_mass_sphere(1, s[0]);
    if (is(type, "capsule")) return trm_mass_capsule(1, s[0], 2 * s[1]);
    if (is(type, "cylinder")) return trm_mass_cylinder(1, s[0], 2 * s[1]);
    if (is(type, "box")) return trm_mass_box(1, trm_v3(2 * s[0], 2 * s[1], 2 * s[2]));
    if (is(type, "ellipsoid")) return trm_mass_ellipsoid(1, trm_v3(2 * s[0], 2 * s[1], 2 * s[2]));
    return (trm_mass){0};
}

/* ---- Shells ------------------------------------------------------------------------------- */

static trm_mass shell(double mass, double x, double y, double z)
{
    return (trm_mass){mass, {0, 0, 0}, trm_diag(trm_v3(x, y, z))};
}

/* Returns the shell of a tube of radius r and half length h, open or closed by two discs. */
static trm_mass tube(double r, double h, bool closed)
{
    const double m = 4 * TRM_PI * r * h, d = closed ? TRM_PI * r * r : 0; /* mass of the wall; mass of one disc */
    const double across = m * (r * r / 2 + h * h / 3) + 2 * d * (r * r / 4 + h * h);
    return shell(m + 2 * d, across, across, m * r * r + d * r * r);
}

/* Returns the shells of two half spheres with centres h above and below the origin. The centre of mass of a half is
 * r/2 from the centre of its sphere. */
static trm_mass caps(double r, double h)
{
    const double m = 4 * TRM_PI * r * r;
    const double across = m * (2.0 / 3 * r * r + h * h + h * r);
    return shell(m, across, across, m * 2.0 / 3 * r * r);
}

static trm_mass shell_box(const double *s)
{
    trm_mass sum = {0};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double m = 8 * s[j] * s[k]; /* mass of the two plates perpendicular to axis i */
        double I[3];
        I[i] = m * (s[j] * s[j] + s[k] * s[k]) / 3;
        I[j] = m * (s[k] * s[k] / 3 + s[i] * s[i]);
        I[k] = m * (s[j] * s[j] / 3 + s[i] * s[i]);
        const trm_mass plates = shell(m, I[0], I[1], I[2]);
        sum = sum.mass > 0 ? trm_mass_sum(sum, plates) : plates;
    }
    return sum;
}

static trm_mass shell_ellipsoid(const double *s)
{
    /* P: Thomsen's exponent, which gives the area within 1.1 %. THICKNESS: thickness of the shell, m. A larger one
     * changes the inertia by the fraction that it is of the radius, a smaller one loses digits in the difference of
     * the two solids. */
    static const double P = 1.6075, THICKNESS = 1e-6;
    const double t[3] = {s[0] + THICKNESS, s[1] + THICKNESS, s[2] + THICKNESS};
    const trm_mass inner = trm_mjcf_solid("ellipsoid", s), outer = trm_mjcf_solid("ellipsoid", t);
    double sum = 0, I[3];
    for (int i = 0; i < 3; i++) sum += trm_pow(s[i] * s[(i + 1) % 3], P) / 3;
    const double area = 4 * TRM_PI * trm_pow(sum, 1 / P), factor = area / (outer.mass - inner.mass);
    for (int i = 0; i < 3; i++) I[i] = factor * (outer.inertia.m[i][i] - inner.inertia.m[i][i]);
    return shell(area, I[0], I[1], I[2]);
}

trm_mass trm_mjcf_shell(const char *type, const double *s)
{
    if (is(type, "sphere")) return caps(s[0], 0);
    if (is(type, "capsule"))
        return s[1] > 0 ? trm_mass_sum(tube(s[0], s[1], false), caps(s[0], s[1])) : caps(s[0], 0);
    if (is(type, "cylinder")) return tube(s[0], s[1], true);
    if (is(type, "box")) return shell_box(s);
    if (is(type, "ellipsoid")) return shell_ellipsoid(s);
    return (trm_mass){0};
}

static void add_triangle(const trm_vec3 corner[3], double area, trm_mat3 *P)
{
    double v[4][3] = {{0}};
    for (int n = 0; n < 3; n++) {
        const double c[3] = {corner[n].x, corner[n].y, corner[n].z};
        for (int i = 0; i < 3; i++) v[n][i] = c[i], v[3][i] += c[i];
    }
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) P->m[i][k] += area / 12 * v[n][i] * v[n][k];
}

trm_mass trm_mjcf_mesh_shell(const trm_mesh *mesh)
{
    trm_mass made = {0};
    trm_mat3 P = {{{0}}};
    for (int pass = 0; pass < 2; pass++) { /* first the centre, then the moments about it */
        for (int i = 0; i < mesh->triangle_count; i++) {
            trm_vec3 c[3];
            for (int n = 0; n < 3; n++) c[n] = mesh->vertices[mesh->triangles[i][n]];
            const double area = trm_v3_length(trm_v3_cross(trm_v3_sub(c[1], c[0]), trm_v3_sub(c[2], c[0]))) / 2;
            for (int n = 0; n < 3; n++) {
                if (pass == 0) made.com = trm_v3_add_scaled(made.com, area / 3, c[n]);
                c[n] = trm_v3_sub(c[n], made.com);
            }
            if (pass == 0)
                made.mass += area;
            else
                add_triangle(c, area, &P);
        }
        if (!(made.mass > 0)) return made;
        if (pass == 0) made.com = trm_v3_scale(1 / made.mass, made.com);
    }
    const double trace = P.m[0][0] + P.m[1][1] + P.m[2][2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) made.inertia.m[i][k] = (i == k ? trace : 0) - P.m[i][k];
    return made;
}

/* ---- Fitting ------------------------------------------------------------------------------ */

/* Returns right-handed principal axes in the order of decreasing moments, which are written to I. */
static trm_quat sorted_axes(const trm_principal *p, double I[3])
{
    const trm_mat3 R = trm_quat_matrix(p->axes);
    const double moments[3] = {p->moments.x, p->moments.y, p->moments.z};
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (moments[order[k]] < moments[order[k + 1]]) {
                const int swap = order[k];
                order[k] = order[k + 1], order[k + 1] = swap;
            }
    trm_vec3 axis[2];
    for (int i = 0; i < 2; i++) axis[i] = trm_v3(R.m[0][order[i]], R.m[1][order[i]], R.m[2][order[i]]);
    for (int i = 0; i < 3; i++) I[i] = moments[order[i]];
    return trm_quat_from_matrix(trm_columns(axis[0], axis[1], trm_v3_cross(axis[0], axis[1])));
}

trm_pose trm_mjcf_fit(const trm_mass *mesh, const char *type, double scale, double *size)
{
    double I[3], b[3];
    const trm_principal p = trm_principal_axes(mesh->inertia);
    const trm_pose X = {sorted_axes(&p, I), mesh->com};
    for (int i = 0; i < 3; i++)
        b[i] = scale * sqrt(fmax(1.5 * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]) / mesh->mass, 0));
    memcpy(size, b, sizeof b);
    if (is(type, "sphere")) size[0] = (b[0] + b[1] + b[2]) / 3;
    if (is(type, "capsule") || is(type, "cylinder")) size[0] = (b[0] + b[1]) / 2, size[1] = b[2];
    if (is(type, "capsule")) size[1] = fmax(0, b[2] - size[0] / 2);
    return X;
}

trm_pose trm_mjcf_fit_bounds(const trm_mjcf_mesh *mesh, const char *type, double scale, double *size)
{
    double I[3];
    const trm_principal p = trm_principal_axes(mesh->mass.inertia);
    const trm_pose X = {sorted_axes(&p, I), mesh->mass.com};
    trm_vec3 low = trm_v3(INFINITY, INFINITY, INFINITY), high = trm_v3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < mesh->mesh.vertex_count; i++) {
        const trm_vec3 v = trm_pose_point_back(X, mesh->mesh.vertices[i]);
        low = trm_v3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = trm_v3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    const trm_vec3 centre = trm_v3_scale(0.5, trm_v3_add(low, high)), half = trm_v3_sub(high, centre);
    const double across = fmax(half.x, half.y);
    size[0] = half.x, size[1] = half.y, size[2] = half.z;
    if (is(type, "sphere")) size[0] = fmax(across, half.z);
    if (is(type, "capsule") || is(type, "cylinder")) size[0] = across, size[1] = half.z;
    if (is(type, "capsule")) size[1] = fmax(0, half.z - across);
    for (int i = 0; i < 3; i++) size[i] *= scale;
    return (trm_pose){X.q, trm_pose_point(X, centre)};
}
