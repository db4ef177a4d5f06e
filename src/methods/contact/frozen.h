/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts in a frozen mode: each sticks, slides or is open for the duration of a composed step.
 *
 * Within one mode the motion is smooth. A step that is symmetric in time can then be composed to higher order, with
 * parts that go backwards in time (sim/compose.h). In these parts impulses have the opposite sign, so that no
 * inequality can be imposed. The decisions of the cones (problem.h) are made before the step and checked after it.
 * Within the step there are only equations. With s the unit vector along the slip,
 *
 *     sticks   u_n = 0, u_t = 0             lambda n, t1, t2
 *     slides   u_n = 0                      lambda_t = -mu(|u_t|) lambda_n s
 *     joints   u = 0                        lambda
 *
 * in the look-ahead (gap, slip and c at t + h) and at its end (velocities). s and mu belong to the velocity at the
 * end of the step at which the impulse acts: at the start, the velocity before the impulse; at the end, the
 * velocity after it. This makes the step symmetric.
 *
 * After the step the mode is confirmed if no contact pulls, every sticking contact is within its cone, and no slip
 * has reversed. From the amount of a violation the simulation finds the time at which the mode ends. The forces at
 * an instant come from look-aheads to both sides of it, (lambda(h) - lambda(-h)) / h, with an error of order h^2. */

#ifndef TRM_METHODS_CONTACT_FROZEN_H
#define TRM_METHODS_CONTACT_FROZEN_H

#include "methods/contact/contact_set.h"

/* In position tolerances: residual to which everything is closed, as far as rounding permits. A larger value shows
 * in the order of the error (tests/methods/contact_orders.c), a smaller one is below rounding and only costs
 * rounds. Tests pass from 1e-5 to 1e-3. */
static const double TRM_FROZEN_CLOSER = 1e-4;

/* frozen.c: sets the modes of all contacts from the look-ahead with cones that was just made. The state is as it was
 * before that look-ahead. If the cones were not solved, contacts that do not slip stick. */
void trm_frozen_take(trm_maximal *w);
/* Restarts the same mode from the same state. */
void trm_frozen_rewind(trm_maximal *w);
/* Moves contacts to the present pose and velocities. Returns false if out of memory. */
bool trm_frozen_follow(trm_maximal *w);
/* Returns the response of a row of a contact: the change of its speed per unit impulse. */
double trm_frozen_response(const trm_step_contact *contact, int row);
/* Returns whether a slip, m/s, has a direction of its own. It has none if it is hardly larger than rounding or has
 * reversed. */
bool trm_frozen_may_turn(const trm_step_contact *contact, trm_vec3 slip);
/* Computes forces and slip at one end of the step, after two look-aheads from there of lengths h and -h. lambda
 * becomes those forces. */
void trm_frozen_find_forces(trm_maximal *w, double h, bool at_start);
/* Returns the violation of one condition of a contact's mode at one end of the step. The unit is the smallest
 * significant amount: more than 1 is a violation. */
double trm_frozen_excess(const trm_maximal *w, int end, bool at_start);
/* Returns the largest violation at the end of the step; -1: none. */
int trm_frozen_first_ended(const trm_maximal *w);
/* Changes the mode of contacts that violate it at both ends. Returns whether any changed. */
bool trm_frozen_change(trm_maximal *w);

/* frozen_close.c: finds the impulses at t that close joints and contacts in the look-ahead. Returns false on failure;
 * outcome gives the reason. */
bool trm_frozen_close(trm_maximal *w, double h, trm_outcome *outcome);
/* Projects velocities onto the mode, while forces of the caller act for dt. all: includes islands without shapes,
 * which no contact can reach. */
bool trm_frozen_project_velocities(trm_maximal *w, double dt, bool all, trm_outcome *outcome);

/* frozen_project.c: moves to the nearest poses and velocities that satisfy the mode. Returns false on failure;
 * outcome gives the reason. */
bool trm_frozen_project(trm_maximal *w, trm_outcome *outcome);
/* Returns whether friction changes the direction of any slip in the step. Friction damps the slip component across
 * that direction, and the component grows where time runs backwards. Then no part of a step may go backwards. */
bool trm_frozen_turns(const trm_maximal *w);

#endif
