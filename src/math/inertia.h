/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Mass properties of shapes and of bodies composed of them, and principal axes. */

#ifndef TRM_MATH_INERTIA_H
#define TRM_MATH_INERTIA_H

#include "trammel/vecmath.h"

typedef struct trm_mass {
    double mass;      /* kg */
    trm_vec3 com;     /* centre of mass, m */
    trm_mat3 inertia; /* kg m^2, about com, in the axes of the frame of com */
} trm_mass;

/* Return the mass properties of homogeneous solids about their own centre; density in kg/m^3, lengths in m. */
trm_mass trm_mass_sphere(double density, double radius);
trm_mass trm_mass_ellipsoid(double density, trm_vec3 size);              /* full lengths of its axes */
trm_mass trm_mass_box(double density, trm_vec3 size);                    /* full lengths */
trm_mass trm_mass_capsule(double density, double radius, double length); /* length of the axis, z, without the caps */
trm_mass trm_mass_cylinder(double density, double radius, double length); /* axis z */
trm_mass trm_mass_rod(double mass, double length, double radius);         /* solid rod along x */

/* Returns the mass properties of the solid inside a closed surface whose triangles are counter-clockwise seen from
 * outside. If the surface is inside out, mass and inertia are negative. If it encloses no volume, mass and inertia
 * are 0 and com is in the middle. */
trm_mass trm_mass_polyhedron(double density, const trm_vec3 *vertices, const int (*triangles)[3], int triangle_count);

void trm_mass_scale(trm_mass *mass, double factor); /* as by another density */

/* Returns the mass properties in frame A of a part given in a frame with the pose X in A. */
trm_mass trm_mass_moved(trm_mass part, trm_pose X);

/* Returns the mass properties of the same solid with another mass. */
trm_mass trm_mass_of(double mass, trm_mass solid);

/* Returns the mass properties of both together; a part with negative mass is subtracted. */
trm_mass trm_mass_sum(trm_mass a, trm_mass b);

typedef struct trm_principal {
    trm_vec3 moments;
    trm_quat axes; /* principal axes in the body frame: v_body = R(axes) v_principal */
} trm_principal;

/* Returns the principal moments, not sorted, and right-handed axes. A diagonal tensor gives exactly its diagonal
 * and the given axes, a nearly diagonal one axes near them. The two triangles of the tensor are averaged. */
trm_principal trm_principal_axes(trm_mat3 inertia);

/* Returns whether a body can have these moments: J1 + J2 >= J3 (1 - slack) for all three. It follows that none is
 * negative by more than slack times the mean of the others. */
bool trm_inertia_is_possible(trm_vec3 moments, double slack);

/* Returns the moments, with those below 1e-8 of the largest raised to that value. This is the limit of a slender
 * rod, whose axis must become neither immovable (1/J := 0) nor infinitely light. */
trm_vec3 trm_raised_moments(trm_vec3 moments);

#endif
