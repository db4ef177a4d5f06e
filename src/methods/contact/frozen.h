/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts in a frozen mode: each sticks, slides or is open for as long as a composed step takes.
 *
 * In a mode motion is smooth, and a step that is symmetric in time can be composed to higher order, with parts that go back
 * in time (sim/compose.h). There impulses have the other sign, so no law may ask for it: what the cones of problem.h decide
 * is decided before the step and looked at behind it, and in between there are only equations. With s the unit vector along
 * the slip,
 *
 *     sticks   u_n = 0, u_t = 0             lambda n, t1, t2
 *     slides   u_n = 0                      lambda_t = -mu(|u_t|) lambda_n s
 *     joints   u = 0                        lambda
 *
 * in the look-ahead (gap, slip and c at t + h) and at its end (velocities). s and mu are those of the velocity at that end of
 * the step at which the impulse acts: of the one that it begins with, of the one that comes of it. So the step is symmetric.
 *
 * Behind the step the mode stands if nothing pulls, what sticks is within its cone, and no slip has turned round; by how much
 * it does not tells the simulation where in the step the mode ends. Forces at a moment are those of look-aheads to both sides
 * of it, (lambda(h) - lambda(-h)) / h, off by the order of h^2. */

#ifndef TRM_METHODS_CONTACT_FROZEN_H
#define TRM_METHODS_CONTACT_FROZEN_H

#include "methods/contact/contact_set.h"

/* frozen.c: what the look-ahead that was just made with cones has found becomes the mode of all contacts, the state being as
 * it was before; if that was not solved, what does not slip sticks. */
void trm_frozen_take(trm_maximal *w);
/* The same mode from the same start again. */
void trm_frozen_rewind(trm_maximal *w);
/* Contacts at the pose and the velocities of now; false: out of memory. */
bool trm_frozen_follow(trm_maximal *w);
/* How the speed along a row of a contact answers to a unit impulse along it. */
double trm_frozen_response(const trm_step_contact *contact, int row);
/* Whether what slips so, m/s, has a direction of its own: not what has hardly begun to slip, nor what has turned round. */
bool trm_frozen_may_turn(const trm_step_contact *contact, trm_vec3 slip);
/* Behind two look-aheads from an end of the step, of lengths h and -h: forces and slip there, lambda being those forces. */
void trm_frozen_find_forces(trm_maximal *w, double h, bool at_start);
/* How far a contact is beyond one of the ends that its mode can have, at an end of the step, in units of what is nothing; more
 * than 1: it is. The one that is farthest beyond at the end of the step; -1: none is. */
double trm_frozen_excess(const trm_maximal *w, int end, bool at_start);
int trm_frozen_first_ended(const trm_maximal *w);
/* Those that are beyond it at both ends change; whether any did. */
bool trm_frozen_change(trm_maximal *w);

/* frozen_close.c: impulses at t that close joints and contacts in the look-ahead; and velocities that fit, forces of the
 * caller acting for dt; all: also of islands without shapes, which no contact can reach. */
bool trm_frozen_close(trm_maximal *w, double h, trm_outcome *outcome);
bool trm_frozen_fit(trm_maximal *w, double dt, bool all, trm_outcome *outcome);

/* frozen_project.c: the nearest poses and velocities that fit the mode; false: outcome says why. */
bool trm_frozen_project(trm_maximal *w, trm_outcome *outcome);
/* Whether friction turns the direction of any slip in the step. What is across a slip decays by friction, and grows where time runs
 * back: no part of a step may go back then. */
bool trm_frozen_turns(const trm_maximal *w);

#endif
