/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joint space: mass matrix, bias force, Jacobians, forward and inverse dynamics from arrays of joint coordinates.
 *
 * The machine is represented by a spanning tree of its bodies. Each body has the n_k coordinates of the joint that
 * carries it. A body that no joint carries has six: its centre of mass [m] and the rotation vector of its
 * principal axes [rad]. A point mass that no joint carries has three. With q, qd, qdd the n coordinates, their
 * rates and second derivatives:
 *
 *     M(q) qdd + bias(q, qd) = tau + forces(t, q, qd) + G^T lambda,     G qdd = gamma
 *
 * M contains the armature of joints as diagonal terms: rotors have no coordinates of their own. bias contains the
 * gyroscopic, centrifugal and gravity terms. forces contains all other force elements of the model (springs,
 * dampers, servos, actuators). tau contains the forces of the caller. G contains the rows of the m constraints
 * that are not in the tree: joints that close loops, gears, drives. Limits, joint friction, motors of limited
 * force, ropes and contacts are ignored.
 *
 * Order: first the bodies that no joint carries, by their numbers, then the joints, in the order of trm_coordinate_at.
 * A tree without free bodies therefore has the order of trm_get_coordinates, of joint forces and of batches. Joints
 * that close loops are not included. Rotors that a constraint drives come last.
 *
 * Coordinates: m for sliding, rad for turning, the rotation vector [rad] for a ball joint. tau: N or N m.
 *
 * Complexity for n coordinates in a tree of depth d: trm_joint_space_set, trm_bias_force, trm_inverse_dynamics and
 * trm_forward_dynamics without constraints O(n), trm_mass_matrix O(n d), Jacobians O(d); with m constraints
 * trm_forward_dynamics is O(n^3 + n m^2).
 *
 * A joint space belongs to one thread at a time. Several may share a model, which must outlive them. Only
 * trm_joint_space_create allocates memory. */

#ifndef TRAMMEL_JOINT_SPACE_H
#define TRAMMEL_JOINT_SPACE_H

#include "trammel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The spanning tree of a model, and coordinates and rates at which it evaluates. It belongs to one thread at a time. */
typedef struct trm_joint_space trm_joint_space;

/* Creates a joint space from the joints that are attached at the start of the model, and sets it to that start;
 * the caller destroys it. A joint without such coordinates (a distance joint, for example) becomes a constraint.
 * Fails only when out of memory. */
TRM_API trm_status trm_joint_space_create(const trm_model *model, const trm_allocator *allocator,
                                          trm_joint_space **space);
/* Releases the joint space. */
TRM_API void trm_joint_space_destroy(trm_joint_space *space);

TRM_API int trm_joint_space_size(const trm_joint_space *space);        /* returns n */
TRM_API int trm_joint_space_constraints(const trm_joint_space *space); /* returns m, including redundant rows */

/* The joint and body of a coordinate. */
typedef struct trm_joint_space_name {
    int joint;      /* joint that has the coordinate; -1: the body has no joint that carries it */
    int body;       /* body that the joint carries, or that body */
    int coordinate; /* number of the coordinate in that joint or body, from 0 */
    bool angular;   /* true: in rad; false: in m */
} trm_joint_space_name;

/* Returns joint and body of coordinate number index, 0 .. n - 1. */
TRM_API trm_joint_space_name trm_joint_space_name_of(const trm_joint_space *space, int index);

/* Reads q and qd from a state, with the full turns of the state. qd may be NULL. */
TRM_API void trm_joint_space_read(const trm_joint_space *space, const trm_state *state, double *q, double *qd);

/* Sets the time [s], q and qd (NULL: 0) at which all functions below evaluate. The caller must make sure that
 * loops are closed. */
TRM_API void trm_joint_space_set(trm_joint_space *space, double time, const double *q, const double *qd);

/* Writes time, poses, velocities and turns to a state of the same model. */
TRM_API void trm_joint_space_write(const trm_joint_space *space, trm_state *state);

/* Computes M, n x n, row-major, symmetric. */
TRM_API void trm_mass_matrix(trm_joint_space *space, double *M);
/* Computes the gyroscopic, centrifugal and gravity terms, n numbers, N or N m. */
TRM_API void trm_bias_force(trm_joint_space *space, double *bias);
/* Computes the gravity terms only, n numbers, N or N m. */
TRM_API void trm_gravity_force(trm_joint_space *space, double *gravity);
/* Computes all other forces of the model, n numbers, N or N m. */
TRM_API void trm_model_force(trm_joint_space *space, double *force);

/* Computes the tau that produces qdd (NULL: 0) without constraints: M qdd + bias - forces. */
TRM_API void trm_inverse_dynamics(trm_joint_space *space, const double *qdd, double *tau);
/* Computes qdd under tau (NULL: 0), and the constraint forces lambda, m numbers (NULL: not requested), of least
 * norm where rows are redundant. Returns false if M is not positive definite: a coordinate moves no mass. */
TRM_API bool trm_forward_dynamics(trm_joint_space *space, const double *tau, double *qdd, double *lambda);

/* Computes the constraint rows: constraint errors phi [m, rad], m numbers; G, m x n; gamma, m numbers. Each may be
 * NULL. */
TRM_API void trm_constraint_rows(trm_joint_space *space, double *phi, double *G, double *gamma);

/* Computes the Jacobian of a point given in the body frame [m], world axes: J, 6 x n, three rows of the angular
 * velocity [rad/s] and three of the velocity of the point [m/s]. */
TRM_API void trm_point_jacobian(const trm_joint_space *space, int body, trm_vec3 point, double *J);
/* Returns (dJ/dt) qd of that point: its angular and linear acceleration at qdd = 0, world axes. */
TRM_API trm_spatial trm_point_bias(trm_joint_space *space, int body, trm_vec3 point);

/* Returns the total mass of all bodies that can move [kg]. */
TRM_API double trm_total_mass(const trm_joint_space *space);
/* Returns the centre of mass of these bodies [m, world]. */
TRM_API trm_vec3 trm_centre_of_mass(const trm_joint_space *space);
/* Computes the Jacobian of the centre of mass, 3 x n. */
TRM_API void trm_centre_of_mass_jacobian(trm_joint_space *space, double *J);
/* Returns the momentum about the centre of mass: angular [kg m^2/s], linear [kg m/s]. */
TRM_API trm_spatial trm_centroidal_momentum(const trm_joint_space *space);
/* Computes the matrix A, 6 x n, with momentum = A qd if no body has a prescribed motion. */
TRM_API void trm_centroidal_matrix(trm_joint_space *space, double *A);

#ifdef __cplusplus
}
#endif

#endif
