/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A step of an explicit Runge-Kutta rule over all coordinates of all bodies (runge_kutta.h).
 *
 *     s' = v,   q' = 1/2 (0, omega) o q,   V' = a(t, s, q, V),   W' = power
 *
 * Rotations are integrated as quaternions in R^4 and made unit ones where they are read: the exact motion keeps their
 * length, so its error is of the rule's order. Moving bodies are where they are prescribed to be at each stage. */

#ifndef TRM_METHODS_MAXIMAL_INTEGRATE_H
#define TRM_METHODS_MAXIMAL_INTEGRATE_H

#include "methods/maximal/maximal.h"
#include "methods/maximal/runge_kutta.h"

/* How the state changes in time, of one body. */
typedef struct trm_rates {
    trm_vec3 p;
    trm_quat q;
    trm_spatial V;
} trm_rates;

typedef struct trm_integration {
    trm_maximal *machine;
    const trm_runge_kutta *rule;
    bool (*accelerate)(void *context, trm_outcome *outcome); /* at the present state, into machine->acceleration */
    trm_works (*power_of_all)(const void *context);          /* then: of all that is not potential, W */
    void *context;
    trm_pose *pose;        /* per known body: where the step begins, */
    trm_spatial *velocity; /* likewise */
    trm_rates *rates;      /* stage after stage, per known body */
    trm_works power[TRM_MOST_STAGES];
    double error; /* of the last step, m and rad; NAN: the rule does not tell */
} trm_integration;

trm_integration *trm_integration_create(trm_maximal *machine, const trm_runge_kutta *rule); /* NULL: out of memory */

/* Reads t, q, V; writes q(t+h), V(t+h). False: accelerations could not be found. Rows that depend on others at the first stage stay
 * dropped in the others, and until the caller, who may still close joints, says that the step is done, or has failed. */
bool trm_integrate(trm_integration *integration, double h, trm_outcome *outcome);
void trm_maximal_release_rank(trm_maximal *machine, bool done);

/* Power of all forces that are not potential, and of what drives and moving bodies put in through the joints. */
trm_works trm_maximal_power_of_all(const trm_maximal *machine);

#endif
