/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joint space: mass matrix, bias force, Jacobians, forward and inverse dynamics from arrays of joint coordinates.
 *
 * The machine is taken as a spanning tree of its bodies. Each body has the n_k coordinates of the joint that
 * carries it; a body that no joint carries has six, its centre of mass [m] and the rotation vector of its
 * principal axes [rad], and a point mass three. With q, qd, qdd the n coordinates, their rates and second
 * derivatives:
 *
 *     M(q) qdd + bias(q, qd) = tau + forces(t, q, qd) + G^T lambda,     G qdd = gamma
 *
 * M contains the armature of joints as diagonal terms: rotors have no coordinates of their own. bias contains the
 * gyroscopic, centrifugal and gravity terms, forces all other force elements of the model (springs, dampers,
 * servos, actuators), tau what the caller adds, and G the rows of the m constraints that are not in the tree:
 * joints that close loops, gears, drives. Limits, joint friction, motors of limited force, ropes and contacts take
 * no part.
 *
 * Coordinates: m for sliding, rad for turning, the rotation vector [rad] for a ball joint. tau: N or N m.
 *
 * Complexity for n coordinates in a tree of depth d: trm_joint_space_set, trm_bias_force, trm_inverse_dynamics and
 * trm_forward_dynamics without constraints O(n), trm_mass_matrix O(n d), Jacobians O(d); with m constraints
 * trm_forward_dynamics is O(n^3 + n m^2).
 *
 * A joint space belongs to one thread at a time. Several may share a model, which must outlive them. No function
 * allocates but trm_joint_space_create. */

#ifndef TRAMMEL_JOINT_SPACE_H
#define TRAMMEL_JOINT_SPACE_H

#include "trammel/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trm_joint_space trm_joint_space;

/* Makes a joint space of the joints that are attached at the start of the model and places it at that start. A
 * joint without coordinates of its own in this sense (a distance, for one) becomes a constraint. */
TRM_API trm_status trm_joint_space_create(const trm_model *model, const trm_allocator *allocator,
                                          trm_joint_space **space);
TRM_API void trm_joint_space_destroy(trm_joint_space *space);

TRM_API int trm_joint_space_size(const trm_joint_space *space);        /* n */
TRM_API int trm_joint_space_constraints(const trm_joint_space *space); /* m: rows, redundant ones included */

/* Whose coordinate number index (0 .. n - 1) is. */
typedef struct trm_joint_space_name {
    int joint;      /* -1: of a body that no joint carries */
    int body;       /* which the joint carries */
    int coordinate; /* of that joint or body, from 0 */
    bool angular;   /* rad, else m */
} trm_joint_space_name;

/* Returns joint and coordinate of a column, index from 0. */
TRM_API trm_joint_space_name trm_joint_space_name_of(const trm_joint_space *space, int index);

/* Reads q and qd of a state; turns count as they do in the state. qd may be NULL. */
TRM_API void trm_joint_space_read(const trm_joint_space *space, const trm_state *state, double *q, double *qd);

/* Sets the time [s], q and qd (NULL: 0) at which all functions below work. The caller is responsible for closed
 * loops. */
TRM_API void trm_joint_space_set(trm_joint_space *space, double time, const double *q, const double *qd);

/* Writes time, poses, velocities and turns to a state of the same model. */
TRM_API void trm_joint_space_write(const trm_joint_space *space, trm_state *state);

/* M, n x n, row after row, symmetric. */
TRM_API void trm_mass_matrix(trm_joint_space *space, double *M);
/* n numbers each: gyroscopic, centrifugal and gravity terms; those of gravity alone; all other forces of the model. */
TRM_API void trm_bias_force(trm_joint_space *space, double *bias);
TRM_API void trm_gravity_force(trm_joint_space *space, double *gravity);
TRM_API void trm_model_force(trm_joint_space *space, double *force);

/* tau that makes qdd (NULL: 0), constraints ignored: M qdd + bias - forces. */
TRM_API void trm_inverse_dynamics(trm_joint_space *space, const double *qdd, double *tau);
/* qdd under tau (NULL: 0), and the forces of the constraints, m numbers (NULL: not wanted; the shortest where rows
 * are redundant). Returns false if M is not positive definite: a coordinate moves no mass. */
TRM_API bool trm_forward_dynamics(trm_joint_space *space, const double *tau, double *qdd, double *lambda);

/* Rows of the constraints: what they leave open [m, rad], m numbers; G, m x n; gamma, m numbers. Each may be NULL. */
TRM_API void trm_constraint_rows(trm_joint_space *space, double *phi, double *G, double *gamma);

/* Of a point given in the body frame [m], world axes: J, 6 x n, three rows of the angular velocity [rad/s] and
 * three of the velocity of the point [m/s]; and (dJ/dt) qd, its acceleration at qdd = 0. */
TRM_API void trm_point_jacobian(const trm_joint_space *space, int body, trm_vec3 point, double *J);
TRM_API trm_spatial trm_point_bias(trm_joint_space *space, int body, trm_vec3 point);

/* Of all bodies that can move: total mass [kg], centre of mass [m, world] and its Jacobian, 3 x n; momentum about
 * it (angular [kg m^2/s], linear [kg m/s]) and the matrix A, 6 x n, with momentum = A qd where nothing is moved
 * from outside. */
TRM_API double trm_total_mass(const trm_joint_space *space);
TRM_API trm_vec3 trm_centre_of_mass(const trm_joint_space *space);
TRM_API void trm_centre_of_mass_jacobian(trm_joint_space *space, double *J);
TRM_API trm_spatial trm_centroidal_momentum(const trm_joint_space *space);
TRM_API void trm_centroidal_matrix(trm_joint_space *space, double *A);

#ifdef __cplusplus
}
#endif

#endif
