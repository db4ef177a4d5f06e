/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts of an island for sweeps over them, four side by side.
 *
 * Contacts of one pair of bodies follow each other in a lane; beside it go those of three other pairs, and no two of the four
 * share a body that an impulse moves. With the arms r_a, r_b and the directions d = (n, t1, t2) of a spot (problem.h)
 *
 *     u = d . (v_a + w_a x r_a - v_b - w_b x r_b) + b
 *     an impulse p = sum lambda d    makes    v_a += p / m_a,   w_a += I_a^-1 (r_a x p),   b likewise with -p
 *
 * so that arms are all that is read: what sweeps over many contacts wait for is memory. */

#ifndef TRM_METHODS_CONTACT_LANES_H
#define TRM_METHODS_CONTACT_LANES_H

#include "math/four.h"
#include "methods/contact/problem.h"

/* One contact in each lane. K: own answers, of both tangents the larger eigenvalue; 0, and 1/K too, where a lane has none. */
typedef struct trm_lane_contact {
    trm_four_vec3 d[3], arm[2];
    trm_four b[3], lambda[3], friction;
    trm_four K_n, K_t, per_K_n, per_K_t;
    trm_four K_tn[2]; /* of the speeds along tangents to an impulse along the normal */
} trm_lane_contact;

/* A pair of bodies in each lane. */
typedef struct trm_lane_pair {
    int body[2][TRM_LANES]; /* numbers in V; a lane that is not in use repeats the first */
    int lanes;              /* in use */
    int first, count;       /* contacts */
    trm_four per_mass[2];
    trm_four_vec3 per_inertia[2][3]; /* rows, in the world */
} trm_lane_pair;

typedef struct trm_lanes {
    trm_spatial *V; /* of the problem */
    trm_lane_pair *pairs;
    int pair_count;
    trm_lane_contact *contacts;
    int contact_count;
    const trm_constraint **constraints; /* four per contact; NULL: none */
} trm_lanes;

/* All cones of an island; false: out of memory. */
bool trm_lanes_make(trm_lanes *lanes, const trm_problem *problem, const trm_problem_island *island);

/* Every contact once, the normal first; the largest change of a speed that any has made to itself, m/s. */
double trm_lanes_sweep(trm_lanes *lanes);

/* sum lambda u */
double trm_lanes_work(const trm_lanes *lanes);

/* The impulses lambda act `share` times. */
void trm_lanes_act(trm_lanes *lanes, double share);

/* lambda = 0 */
void trm_lanes_forget(trm_lanes *lanes);

/* lambda of the constraints from the lanes. */
void trm_lanes_tell(const trm_lanes *lanes);

#endif
