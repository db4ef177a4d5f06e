/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One step of an explicit Runge-Kutta rule over all coordinates of all bodies (runge_kutta.h).
 *
 *     s' = v,   q = E o p,   p' = E^-1 o 1/2 (0, omega - omega_0) o q,   V' = a(t, s, q, V),   W' = power
 *
 * E = exp(omega_0 (t - t_0)) turns at the angular velocity omega_0 of the body at the start of the step. So a body that
 * spins steadily is integrated exactly, however far it turns in a step: a polynomial in q itself would lose whole turns.
 * p is a quaternion in R^4, normalised where it is read. The exact motion keeps its length, so the error of the length
 * has the order of the rule. At each stage moving bodies have their prescribed poses. */

#ifndef TRM_METHODS_MAXIMAL_INTEGRATE_H
#define TRM_METHODS_MAXIMAL_INTEGRATE_H

#include "methods/maximal/maximal.h"
#include "methods/maximal/runge_kutta.h"

/* Time derivatives of the state of one body. */
typedef struct trm_rates {
    trm_vec3 p;
    trm_quat q; /* p' above */
    trm_spatial V;
} trm_rates;

typedef struct trm_integration {
    trm_maximal *machine;
    const trm_runge_kutta *rule;
    /* Computes accelerations at the present state into machine->accelerations.a. Returns false, with the reason in
     * outcome, if it fails. */
    bool (*accelerate)(void *context, trm_outcome *outcome);
    /* Returns the power of everything that has no potential, W. Called after accelerate. */
    trm_works (*power_of_all)(const void *context);
    void *context;
    trm_pose *pose;        /* per known body: at the start of the step */
    trm_spatial *velocity; /* per known body: at the start of the step */
    trm_vec3 *spin;        /* rad/s, per known body: omega_0; of the semi-implicit rule that at the end of the step */
    trm_rates *rates;      /* stage by stage, per known body */
    trm_works power[TRM_MOST_STAGES];
    double error; /* m, rad: error of the last step; NAN: the rule has no error estimate */
} trm_integration;

/* Creates an integration. Returns NULL when out of memory. */
trm_integration *trm_integration_create(trm_maximal *machine, const trm_runge_kutta *rule);

/* Makes one step: reads t, q, V and writes q(t+h), V(t+h). Returns false, with the reason in outcome, if
 * accelerations cannot be found or a dropped row opens. Rows that are redundant at the first stage stay dropped in
 * the other stages, and until the caller calls trm_maximal_release_rank, because it may still close joints. done:
 * the step has succeeded. */
bool trm_integrate(trm_integration *integration, double h, trm_outcome *outcome);
void trm_maximal_release_rank(trm_maximal *machine, bool done);

/* Returns the power of all forces that have no potential and of drives and moving bodies through the joints, W. */
trm_works trm_maximal_power_of_all(const trm_maximal *machine);

#endif
