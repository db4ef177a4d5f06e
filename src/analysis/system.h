/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine near one pose, for statics and linearisation.
 *
 * The chart: body b moves by xi_b = (rotation vector, shift of its centre of mass) in world axes, R = exp(theta) R_0, s = s_0 + x.
 * All vectors are in the unit-free coordinates y with xi = D y: shifts as they are, rotations by 1/rho, rho the largest radius of
 * gyration (motion/rank.h), so that metres and radians compare. With f the applied wrenches and lambda the multipliers of rows:
 *
 *     g = D f,    J: rows of c(y),    equilibrium: g + J^T lambda = 0
 *     K = -dg/dy - sum lambda_i H_i,    H_i = d^2 c_i/dy^2
 *
 * Along a motion with constant twists u the chart is a straight line, so that u^T H u = -gamma(u), which each joint has in closed form
 * (model/joint.h); H follows by polarisation: H(u, v) = -(gamma(u + v) - gamma(u) - gamma(v))/2. Torques become covectors of the
 * chart by T(theta)^T, T = 1 + [theta]/2 + ..., which adds [tau]/2 to d tau/d theta. Slopes of forces are central differences of order
 * 4 with steps of 1e-3 of their lever arms: errors about 1e-12.
 *
 * One-sided rows (ropes, limits, contacts with c = -gap) hold c <= 0 with lambda <= 0. */

#ifndef TRM_ANALYSIS_SYSTEM_H
#define TRM_ANALYSIS_SYSTEM_H

#include "collide/collide.h"
#include "motion/state.h"
#include "trammel/analysis.h"

typedef struct trm_system_row {
    int joint, row; /* joint -1: a contact, */
    int contact;    /* in trm_system.contacts */
    bool one_sided;
} trm_system_row;

typedef struct trm_system {
    trm_arena arena;   /* of callers too, who mark and reset it */
    trm_arena lasting; /* of rows, contacts and the collider, which grow */
    const trm_model *model;
    trm_state *state;       /* its own copy: poses move, velocities are those of the analysis */
    int n;                  /* coordinates y */
    int *first;             /* per body: its first coordinate; -1: it does not move */
    double *unit;           /* n: D */
    double size;            /* m: of the machine */
    trm_collider *collider; /* NULL: nothing may collide */
    trm_contacts contacts;
    bool friction; /* contacts hold their points too (rolling): three rows each */
    bool *off;     /* per joint: left out (a drive that is looked at) */
    trm_system_row *rows;
    int row_count, row_room;
    double *c, *J;         /* of all rows; J: row_count x n */
    trm_spatial *velocity; /* per body: room for twists */
    trm_pose *pose;        /* per body: room for poses */
    double strength; /* N: the largest sum of the sizes of forces on a coordinate, when forces were last found */
    double *sizes;   /* n: room for it */
    bool failed;     /* out of memory */
} trm_system;

/* The largest n that is analysed densely. */
enum { TRM_SYSTEM_LARGEST = 6000 };

/* A machine at a state, which is copied. False: out of memory (status) or too large, after reporting it. Freed either way. */
trm_status trm_system_create(trm_system *s, const trm_state *state, const trm_allocator *allocator,
                             trm_messages *messages);
void trm_system_destroy(trm_system *s);

/* The body of a coordinate. */
int trm_system_body(const trm_system *s, int coordinate);

/* Poses move by scale y; y of another pose, as seen from the poses given. */
void trm_system_move(trm_system *s, double scale, const double *y);
void trm_system_way(const trm_system *s, const trm_pose *from, double *y);

/* The twists D y of all bodies, zero of those that do not move. */
void trm_system_twists(const trm_system *s, const double *y, trm_spatial *V);

/* system_rows.c: finds all rows at the present pose, contacts closer than the margin among them; c and J of them. */
bool trm_system_find_rows(trm_system *s, double margin);
void trm_system_residuals(trm_system *s);
void trm_system_jacobian(trm_system *s);
/* Adds factor * sum lambda_i H_i to K (n x n). */
void trm_system_add_curvature(trm_system *s, const double *lambda, double factor, double *K);
/* Of a row: c_t, and gamma at the velocities of the state. */
void trm_system_rates(const trm_system *s, double *c_t);
void trm_system_gammas(trm_system *s, double *gamma);
/* "joint 'knee'", "contact of 'box' and 'ground'" */
void trm_system_row_name(const trm_system *s, int row, char *text, size_t size);

/* system_forces.c: g at the present pose and velocities; the potential of what has one, and g of what has none. */
void trm_system_forces(trm_system *s, double *g);
double trm_system_potential(trm_system *s);
void trm_system_workers(trm_system *s, double *g);
/* Adds -dg/dy to K, -dg/d(dy/dt) to C; n x n. Symmetric where forces have potentials. */
void trm_system_add_stiffness(trm_system *s, double *K);
void trm_system_add_damping(trm_system *s, double *C);
/* M y: D M D, the mass matrix, times y. */
void trm_system_times_mass(const trm_system *s, const double *y, double *My);

#endif
