/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Mass properties of shapes and of what is put together from them, and principal axes. */

#ifndef TRM_MATH_INERTIA_H
#define TRM_MATH_INERTIA_H

#include "trammel/vecmath.h"

typedef struct trm_mass {
    double mass;      /* kg */
    trm_vec3 com;     /* m, centre of mass */
    trm_mat3 inertia; /* kg m^2, about com, in the axes of the frame that com is given in */
} trm_mass;

/* Homogeneous solids about their own centre. density in kg/m^3, lengths in m. */
trm_mass trm_mass_sphere(double density, double radius);
trm_mass trm_mass_ellipsoid(double density, trm_vec3 size);               /* full lengths of its axes */
trm_mass trm_mass_box(double density, trm_vec3 size);                     /* full lengths */
trm_mass trm_mass_capsule(double density, double radius, double length);  /* of the axis, z, without the caps */
trm_mass trm_mass_cylinder(double density, double radius, double length); /* axis z */
trm_mass trm_mass_rod(double mass, double length, double radius);         /* a solid rod along x */

/* The solid inside a closed surface whose triangles go round counter-clockwise seen from outside. Inside out: mass
 * and inertia are negative. A surface that holds no volume: mass 0, inertia 0, com in the middle. */
trm_mass trm_mass_polyhedron(double density, const trm_vec3 *vertices, const int (*triangles)[3], int triangle_count);

/* The same seen from frame A, X the pose of its own frame in A. */
trm_mass trm_mass_moved(trm_mass part, trm_pose X);

/* The same solid of another mass. */
trm_mass trm_mass_of(double mass, trm_mass solid);

/* Both together; a negative mass takes away. */
trm_mass trm_mass_sum(trm_mass a, trm_mass b);

typedef struct trm_principal {
    trm_vec3 moments;
    trm_quat axes; /* principal axes in the body frame: v_body = R(axes) v_principal */
} trm_principal;

/* The principal moments, not sorted, and right-handed axes: of a diagonal tensor its diagonal and the given axes
 * exactly, of a nearly diagonal one axes near them. Of the two triangles of the tensor the mean is used. */
trm_principal trm_principal_axes(trm_mat3 inertia);

/* Whether a body can have these moments: J1 + J2 >= J3 (1 - slack) for all three. It follows that none is negative by
 * more than slack of the others' mean. */
bool trm_inertia_is_possible(trm_vec3 moments, double slack);

/* A moment below 1e-8 of the largest is raised to that: the limit of a slender rod, whose axis must not become
 * immovable (1/J := 0) nor infinitely light. */
trm_vec3 trm_raised_moments(trm_vec3 moments);

#endif
