/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The curve of poses on which rows stay closed, followed by its arc length.
 *
 * z = (y, w t) with a weight w where time is free, z = y where it stands still. Rows (J, c_t/w) leave a tangent, the one nearest to that
 * before where they leave several; a step goes along it, then back onto the rows the shortest way. The curve passes poses at which time, or
 * a coordinate q, turns back: there dq/ds = G . tangent changes its sign, and a root of it in s gives q to rounding, for q is stationary. */

#ifndef TRM_ANALYSIS_CURVE_H
#define TRM_ANALYSIS_CURVE_H

#include "analysis/equilibrium.h"

typedef struct trm_curve {
    trm_system *s;
    bool with_time;
    double weight;   /* w: m/s */
    double *tangent; /* n + 1: of z, unit */
    double *J, *c, *z, *room;
    trm_null_space *null;
    trm_state *kept;
    double *kept_tangent;
} trm_curve;

/* Room in the system's arena; the rows of the system are found and stay. tangent is to be set, any length. False: out of memory. */
bool trm_curve_create(trm_curve *c, trm_system *s, bool with_time, double weight);
void trm_curve_destroy(trm_curve *c);

/* The tangent at the present pose: that part of the one before which rows leave. False: none is left. */
bool trm_curve_turn(trm_curve *c);
/* Goes on by h; false: rows cannot be closed there, and the state is as before. */
bool trm_curve_step(trm_curve *c, double h);
/* Keeps the present point, and goes back to it. */
void trm_curve_keep(trm_curve *c);
void trm_curve_back(trm_curve *c);

/* kinematics.c: assembles a start, whose velocities do not matter. */
trm_status trm_assemble_quietly(trm_state *start, const trm_allocator *allocator, trm_messages *messages);

/* The joint that moves most along the tangent: one between two bodies that both move, if there is any; -1: none. */
int trm_curve_joint(const trm_curve *c);
/* dq/ds of a coordinate of a joint. */
double trm_curve_rate(const trm_curve *c, trm_coordinate_name coordinate);

#endif
