/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rows that several joints share. Frames A and B are those that the two bodies carry; x, y, z their axes. */

#ifndef TRM_MODEL_JOINTS_PARTS_H
#define TRM_MODEL_JOINTS_PARTS_H

#include "model/joint.h"

extern const trm_part trm_part_point; /* 3 rows: the origins of A and B coincide */
extern const trm_part trm_part_line;  /* 2 rows: the origin of B lies on the z axis of A */
extern const trm_part trm_part_plane; /* 1 row:  the origin of B lies in the plane z = 0 of A */
/* 1 row:  B moves along the z axis of A in proportion to its rotation about it */
extern const trm_part trm_part_thread;
extern const trm_part trm_part_parallel; /* 2 rows: the z axes of A and B are parallel */
extern const trm_part trm_part_square;   /* 1 row:  the z axis of A and the x axis of B are perpendicular */
extern const trm_part trm_part_lock;     /* 3 rows: A and B have the same orientation */

/* Computes the rows of trm_part_point from the lever arms of its origins on both bodies. */
static inline void trm_point_jacobian(trm_vec3 r_a, trm_vec3 r_b, trm_spatial *J)
{
    for (int i = 0; i < 3; i++) {
        const trm_vec3 n = trm_axis(i);
        J[2 * i] = trm_sp(trm_v3_cross(n, r_a), trm_v3_neg(n));
        J[2 * i + 1] = trm_sp(trm_v3_cross(r_b, n), n);
    }
}

/* Returns axis i of the joint frame that body b carries, in the world. */
trm_vec3 trm_joint_axis(const trm_joint_at *at, int b, int i);

/* Return the vector from the origin of frame A to that of frame B, its velocity, and its acceleration when all
 * bodies' accelerations vanish. */
trm_vec3 trm_joint_offset(const trm_joint_at *at);
trm_vec3 trm_joint_offset_velocity(const trm_joint_at *at);
trm_vec3 trm_joint_offset_bias(const trm_joint_at *at);

/* Returns the angle by which q turns about z, in (-pi, pi]: q = (turn about z) (turn about an axis across z), or
 * in the reverse order. */
double trm_turn_about_z(trm_quat q);

/* Returns the memory of a host, for a joint that acts on it. A chain needs it to compute its coordinates. Other hosts
 * need no memory, because the joint that acts on them counts turns. */
const double *trm_host_memory(const trm_joint_at *at, const trm_joint *host);

/* Returns the host of a joint that acts on one coordinate, at the same poses; computes the row of that coordinate. */
trm_joint_at trm_host_at(const trm_joint_at *at);
void trm_host_jacobian(const trm_joint_at *at, trm_spatial *J);

/* vector.c: the coordinate side of joints whose last three coordinates are the rotation vector of B in A. */
trm_pose trm_place_by_vector(const trm_joint *joint, const double *q);
void trm_vector_subspace(const trm_joint *joint, const double *q, trm_spatial *S);
trm_spatial trm_vector_subspace_rate(const trm_joint *joint, const double *q, const double *qd);
void trm_vector_coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q);

/* Computes the coordinate of a joint that turns about z. */
void trm_turn_from(const trm_joint *joint, trm_pose X_AB, double *q);

/* Returns (dS/dt) dq/dt of a joint whose subspace does not depend on q. */
trm_spatial trm_constant_subspace_rate(const trm_joint *joint, const double *q, const double *qd);

#endif
