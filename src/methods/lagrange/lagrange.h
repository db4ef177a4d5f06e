/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The workspace of the method of Lagrange multipliers, and its stabilisation.
 *
 *     [ M  J^T ] [  a ]   [ Q                            ]
 *     [ J  0   ] [ -l ] = [ gamma - 2 beta c' - gamma^2 c ]      Hishinuma 2018, (3) and (4)
 *
 * Q are all forces and gyroscopic terms, gamma = -(dJ/dt) V - c_tt, and l the multipliers (J^T l acts on the
 * bodies). */

#ifndef TRM_METHODS_LAGRANGE_LAGRANGE_H
#define TRM_METHODS_LAGRANGE_LAGRANGE_H

#include "methods/contact/contact_set.h"
#include "methods/maximal/integrate.h"

typedef struct trm_penalty trm_penalty;

/* Stabilisation of c. With c'' = 0 alone, c drifts. */
typedef enum trm_stabiliser {
    TRM_STABILISE_NOT,        /* c'' = 0 */
    TRM_STABILISE_BAUMGARTE,  /* c'' + 2 beta c' + gamma^2 c = 0 */
    TRM_STABILISE_PENALTY,    /* forces alpha (c'' + 2 Omega mu c' + Omega^2 c) act on the bodies */
    TRM_STABILISE_PROJECTION, /* c'' = 0; after each step poses and velocities are projected, c = 0 and c' = 0 */
    TRM_STABILISE_CFM,        /* c'' + 2 Omega mu c' + Omega^2 c + l / alpha = 0 */
} trm_stabiliser;

typedef struct trm_lagrange {
    trm_stepper *stepper;
    trm_maximal *machine; /* rows, accelerations, projection of poses and velocities */
    trm_integration *integration;
    trm_stabiliser stabiliser;
    double damping, stiffness; /* 1/s, 1/s^2: factors of c' and c */
    trm_penalty *penalty;      /* matrix of the penalty form; NULL: not used */
    trm_spatial *loose;        /* per body: accelerations without joints; NULL: nothing may collide */
    double *gamma;             /* per row: required J a, while contacts are computed; NULL: nothing may collide */
} trm_lagrange;

/* stabilise.c: computes accelerations and multipliers at the current state into the machine. Returns false, with
 * the reason in outcome, if it fails. */
bool trm_lagrange_accelerate(void *lagrange, trm_outcome *outcome);

/* contact.c: solve_contacts finds the contacts at the current state, then accelerations and multipliers that
 * satisfy them. Returns false, with the reason in outcome, if it fails. contact_power returns the power of the
 * contact forces, W. */
bool trm_lagrange_solve_contacts(trm_lagrange *w, trm_outcome *outcome);
trm_works trm_lagrange_contact_power(const trm_lagrange *w);

/* penalty.c: the penalty form, a matrix of bodies instead of joints, (M + J^T alpha J) a = Q + J^T alpha gamma.
 * create returns NULL when out of memory. accelerate reads the machine's free accelerations and gamma, and writes
 * accelerations and multipliers. */
trm_penalty *trm_penalty_create(const trm_maximal *machine, double alpha);
/* Returns false if alpha is so large that rounding makes the accelerations inaccurate. */
bool trm_penalty_accelerate(trm_penalty *penalty, trm_maximal *machine);

#endif
