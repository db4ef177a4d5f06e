/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The curve of poses on which all rows stay closed, followed by its arc length s.
 *
 * z = (y, w t) with a weight w where time is free, z = y where time is fixed. The tangent lies in the null space
 * of the rows (J, c_t/w). Where this has several dimensions, the direction nearest to the previous tangent is
 * taken. A step moves along the tangent and then returns to the rows by the shortest correction. The curve passes
 * through poses at which time or a coordinate q reverses. There dq/ds = G . tangent changes its sign. The root of
 * dq/ds in s gives q to rounding, because q is stationary there. */

#ifndef TRM_ANALYSIS_CURVE_H
#define TRM_ANALYSIS_CURVE_H

#include "analysis/equilibrium.h"

typedef struct trm_curve {
    trm_system *s;
    bool with_time;
    double weight;   /* m/s: w */
    double *tangent; /* n + 1: unit tangent of z */
    double *J, *c, *z, *room;
    trm_null_space *null;
    trm_state *kept;
    double *kept_tangent;
} trm_curve;

/* Finds the rows of the system, which stay the same from then on, and takes memory from its arena. The caller sets
 * `tangent` afterwards, to any length. Returns false when out of memory. */
bool trm_curve_create(trm_curve *c, trm_system *s, bool with_time, double weight);
void trm_curve_destroy(trm_curve *c);

/* Computes the tangent at the current pose: the previous tangent projected onto the null space of the rows.
 * Returns false if the projection vanishes. */
bool trm_curve_find_tangent(trm_curve *c);
/* Moves along the curve by h. Returns false, with the state unchanged, if the rows cannot be closed there or the
 * curve bends too much. */
bool trm_curve_step(trm_curve *c, double h);
/* Stores the current point; trm_curve_restore returns to it. */
void trm_curve_store(trm_curve *c);
void trm_curve_restore(trm_curve *c);

/* kinematics.c: assembles a start whose velocities do not matter. */
trm_status trm_assemble_quietly(trm_state *start, const trm_allocator *allocator, trm_messages *messages);

/* Returns the joint that moves most along the tangent, preferably one between two moving bodies; -1 if no joint
 * moves. */
int trm_curve_joint(const trm_curve *c);
/* Returns dq/ds of a joint coordinate. */
double trm_curve_rate(const trm_curve *c, trm_coordinate_name coordinate);

#endif
