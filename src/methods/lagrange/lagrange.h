/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The workspace of the method of Lagrange multipliers, and what stabilises it.
 *
 *     [ M  J^T ] [  a ]   [ Q                            ]
 *     [ J  0   ] [ -l ] = [ gamma - 2 beta c' - gamma^2 c ]      Hishinuma 2018, (3) and (4)
 *
 * with Q all forces and gyroscopic terms, gamma = -(dJ/dt) V - c_tt, l the multipliers (J^T l acts on the bodies). */

#ifndef TRM_METHODS_LAGRANGE_LAGRANGE_H
#define TRM_METHODS_LAGRANGE_LAGRANGE_H

#include "methods/contact/contact_set.h"
#include "methods/maximal/integrate.h"

typedef struct trm_penalty trm_penalty;

/* What keeps c near 0, which c'' = 0 alone does not. */
typedef enum trm_stabiliser {
    TRM_STABILISE_NOT,        /* c'' = 0 */
    TRM_STABILISE_BAUMGARTE,  /* c'' + 2 beta c' + gamma^2 c = 0 */
    TRM_STABILISE_PENALTY,    /* alpha (c'' + 2 Omega mu c' + Omega^2 c) pulls at the bodies */
    TRM_STABILISE_PROJECTION, /* c'' = 0, and after each step c = 0 and c' = 0 by the nearest poses and velocities */
    TRM_STABILISE_CFM,        /* c'' + 2 Omega mu c' + Omega^2 c + l / alpha = 0 */
} trm_stabiliser;

typedef struct trm_lagrange {
    trm_stepper *stepper;
    trm_maximal *machine; /* rows, accelerations, what makes poses and velocities fit */
    trm_integration *integration;
    trm_stabiliser stabiliser;
    double damping, stiffness; /* 1/s, 1/s^2: of c' and of c */
    trm_penalty *penalty;      /* its own matrix; NULL: not wanted */
    trm_spatial *loose;        /* per body: accelerations without joints, */
    double *gamma;             /* and per row what joints want, while contacts are found; NULL: nothing may collide */
} trm_lagrange;

/* stabilise.c: accelerations and multipliers at the present state, into the machine. False: a force is not finite. */
bool trm_lagrange_accelerate(trm_lagrange *w, trm_outcome *outcome);

/* contact.c: contacts at the present state, then accelerations and multipliers among which they hold; false: outcome says why not.
 * Power of their forces, W. */
bool trm_lagrange_touch(trm_lagrange *w, trm_outcome *outcome);
trm_works trm_lagrange_contact_power(const trm_lagrange *w);

/* penalty.c: the same matrix for bodies instead of joints, (M + J^T alpha J) a = Q + J^T alpha gamma; NULL: out of
 * memory. Reads the machine's free accelerations and gamma, writes accelerations and multipliers. */
trm_penalty *trm_penalty_create(const trm_maximal *machine, double alpha);
bool trm_penalty_accelerate(trm_penalty *penalty, trm_maximal *machine); /* false: alpha leaves too few digits */

#endif
