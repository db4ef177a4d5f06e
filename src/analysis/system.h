/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine near one pose, for statics and linearisation.
 *
 * The chart: body b moves by xi_b = (rotation vector, displacement of its centre of mass) in world axes, R =
 * exp(theta) R_0, s = s_0 + x. All vectors are in the scaled coordinates y with xi = D y: displacements are
 * unscaled, rotations are scaled by 1/rho with rho the largest radius of gyration (motion/rank.h), so that metres
 * and radians are comparable. With f the applied wrenches and lambda the multipliers of rows:
 *
 *     g = D f,    J: rows of c(y),    equilibrium: g + J^T lambda = 0
 *     K = -dg/dy - sum lambda_i H_i,    H_i = d^2 c_i/dy^2
 *
 * Along a motion with constant twists u the chart is a straight line, so u^T H u = -gamma(u), which each joint has
 * in closed form (model/joint.h). H follows by polarisation: H(u, v) = -(gamma(u + v) - gamma(u) - gamma(v))/2.
 * Torques become covectors of the chart by T(theta)^T, T = 1 + [theta]/2 + ..., which adds [tau]/2 to d tau/d
 * theta. Derivatives of forces are central differences of order 4 with steps of 1e-3 of their lever arms; their
 * errors are about 1e-12.
 *
 * One-sided rows (ropes, limits, contacts with c = -gap) require c <= 0 with lambda <= 0. */

#ifndef TRM_ANALYSIS_SYSTEM_H
#define TRM_ANALYSIS_SYSTEM_H

#include "collide/collide.h"
#include "motion/state.h"
#include "trammel/analysis.h"

typedef struct trm_system_row {
    int joint, row; /* joint -1: the row is of a contact */
    int contact;    /* index in trm_system.contacts */
    bool one_sided;
} trm_system_row;

typedef struct trm_system {
    trm_arena arena;   /* shared with callers, who mark and reset it */
    trm_arena lasting; /* growing memory of rows, contacts and the collider */
    const trm_model *model;
    trm_state *state;       /* own copy: poses move, velocities are those of the analysis */
    int n;                  /* number of coordinates y */
    int *first;             /* per body: its first coordinate; -1: the body is fixed */
    double *unit;           /* n: diagonal of D */
    double size;            /* m: size of the machine */
    trm_collider *collider; /* NULL: no shapes can collide */
    trm_contacts contacts;
    bool friction; /* contacts also prevent slip (rolling): three rows each */
    bool *off;     /* per joint: ignored (the drive under study) */
    trm_system_row *rows;
    int row_count, row_room;
    double *c, *J;         /* residuals and Jacobian of all rows; J: row_count x n */
    trm_spatial *velocity; /* per body: scratch for twists */
    trm_pose *pose;        /* per body: scratch for poses */
    double strength;       /* N: the largest sum of |force| on a coordinate at the last evaluation */
    double *sizes;         /* n: scratch for strength */
    bool failed;           /* out of memory */
} trm_system;

/* The largest n for dense analysis. */
enum { TRM_SYSTEM_LARGEST = 6000 };

/* Creates the system at a copy of the state. Fails when out of memory (status), or when too large, after reporting
 * it. Call trm_system_destroy in either case. */
trm_status trm_system_create(trm_system *s, const trm_state *state, const trm_allocator *allocator,
                             trm_messages *messages);
void trm_system_destroy(trm_system *s);

/* Returns the body of a coordinate. */
int trm_system_body(const trm_system *s, int coordinate);

/* trm_system_move moves the poses by scale y. trm_system_displacement computes the y that leads from the poses `from`
 * to the current ones. */
void trm_system_move(trm_system *s, double scale, const double *y);
void trm_system_displacement(const trm_system *s, const trm_pose *from, double *y);

/* Computes the twists D y of all bodies; zero for fixed bodies. */
void trm_system_twists(const trm_system *s, const double *y, trm_spatial *V);

/* system_rows.c: finds all rows at the current pose, including contacts closer than the margin. Returns false when
 * out of memory. The next two functions compute c and J of these rows. */
bool trm_system_find_rows(trm_system *s, double margin);
void trm_system_residuals(trm_system *s);
void trm_system_jacobian(trm_system *s);
/* Adds D row, the part of one body in a row of J, to y. */
void trm_system_add_row(const trm_system *s, int body, trm_spatial row, double *y);
/* Computes y = factor times the row of J that a joint coordinate would have: its scalar product with dy/dt is the
 * rate of the coordinate. */
void trm_system_coordinate_row(const trm_system *s, int joint, int coordinate, double factor, double *y);
/* Adds factor * sum lambda_i H_i to K (n x n). */
void trm_system_add_curvature(trm_system *s, const double *lambda, double factor, double *K);
/* Compute c_t of all rows, and gamma at the velocities of the state. */
void trm_system_rates(const trm_system *s, double *c_t);
void trm_system_gammas(trm_system *s, double *gamma);

/* system_forces.c: compute g at the current pose and velocities, the potential energy [J], and g of the forces
 * without potential. */
void trm_system_forces(trm_system *s, double *g);
double trm_system_potential(trm_system *s);
void trm_system_nonconservative(trm_system *s, double *g);
/* Adds -dg/dy to K and -dg/d(dy/dt) to C, both n x n. They are symmetric where forces have potentials. */
void trm_system_add_stiffness(trm_system *s, double *K);
void trm_system_add_damping(trm_system *s, double *C);
/* Computes My = D M D y, with M the mass matrix. */
void trm_system_times_mass(const trm_system *s, const double *y, double *My);
/* Subtracts D times the forces of inertia, at the velocities and accelerations of the state, from g. */
void trm_system_subtract_inertia(const trm_system *s, double *g);

#endif
