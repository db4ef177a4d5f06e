/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts of an island for sweeps over them, in four parallel lanes.
 *
 * The contacts of one pair of bodies follow each other in a lane. The other lanes hold the contacts of three other
 * pairs, and no two of the four pairs share a body that an impulse moves. With the lever arms r_a, r_b and the
 * directions d = (n, t1, t2) of a contact frame (problem.h)
 *
 *     u = d . (v_a + w_a x r_a - v_b - w_b x r_b) + b
 *     an impulse p = sum lambda d    makes    v_a += p / m_a,   w_a += I_a^-1 (r_a x p),   b likewise with -p
 *
 * so that only lever arms and directions are read, not rows: sweeps over many contacts are limited by memory
 * access. */

#ifndef TRM_METHODS_CONTACT_LANES_H
#define TRM_METHODS_CONTACT_LANES_H

#include "math/four.h"
#include "methods/contact/problem.h"

/* One contact in each lane. K: own responses, for the tangents the larger eigenvalue; K and 1/K are 0 in an unused
 * lane. */
typedef struct trm_lane_contact {
    trm_four_vec3 d[3], arm[2];
    trm_four b[3], lambda[3], friction;
    trm_four K_n, K_t, per_K_n, per_K_t;
    trm_four K_tn[2];         /* change of the tangential speeds per unit normal impulse */
    trm_four change[3], p[3]; /* N s: change of lambda in the last sweep, and the direction of its extrapolation */
} trm_lane_contact;

/* A pair of bodies in each lane. */
typedef struct trm_lane_pair {
    int body[2][TRM_LANES]; /* numbers in V; an unused lane repeats the first */
    int lanes;              /* lanes in use */
    int first, count;       /* its contacts */
    trm_four per_mass[2];
    trm_four_vec3 per_inertia[2][3]; /* rows, world axes */
} trm_lane_pair;

typedef struct trm_lanes {
    trm_spatial *V; /* V of the problem */
    trm_lane_pair *pairs;
    int pair_count;
    trm_lane_contact *contacts;
    int contact_count;
    const trm_constraint **constraints; /* four per contact; NULL: none */
} trm_lanes;

/* Sorts all cones of an island into lanes. Returns false if out of memory. */
bool trm_lanes_make(trm_lanes *lanes, const trm_problem *problem, const trm_problem_island *island);

/* The changes D of all impulses in a sweep. */
typedef struct trm_lanes_change {
    double most;    /* m/s: largest change of a speed that any contact made to itself */
    double squares; /* J: sum K D^2 */
} trm_lanes_change;

/* Extrapolates the impulses of the last sweep, lambda += beta p (sweeps.c), and visits every contact once, the normal
 * first. */
trm_lanes_change trm_lanes_sweep(trm_lanes *lanes, double beta);

/* Returns sum lambda u. */
double trm_lanes_work(const trm_lanes *lanes);

/* Applies the impulses lambda, times share, to V. */
void trm_lanes_act(trm_lanes *lanes, double share);

/* Sets lambda = 0. */
void trm_lanes_forget(trm_lanes *lanes);

/* Copies lambda from the lanes to the constraints. */
void trm_lanes_write_back(const trm_lanes *lanes);

#endif
