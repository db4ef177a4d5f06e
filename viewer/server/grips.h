/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The forces by which pages pull at bodies of a model. A grip is a spring with a damper from a point of the body to
 * the mouse,
 *
 *   F = k (target - p) - c v,   k = min(w^2 M, s m / h^2),   c = sqrt(k m)
 *
 * where M is the mass of all bodies connected with the body by joints, m its own mass and h the step. With w of 2 Hz
 * the spring can move the machine, and it is never too stiff for a step of this length. */

#ifndef TRM_VIEWER_GRIPS_H
#define TRM_VIEWER_GRIPS_H

#include "request.h"
#include "trammel/trammel.h"

typedef struct grips grips;

grips *grips_create(const trm_model *model); /* returns NULL if out of memory */
void grips_destroy(grips *g);

bool grips_any(const grips *g); /* returns whether any page grips a body */

/* A simulation must know before its first step at which bodies pages may pull: those that have been gripped before.
 * Returns whether a body is one of them. */
bool grips_knows(const grips *g, int body);
void grips_learn(grips *g, int body, bool may_be_held);
trm_status grips_add_forces(grips *g, trm_sim *sim);

/* Grips a body for a page, at a point in the body frame, in place of the page's previous grip. */
void grips_hold(grips *g, unsigned page, int body, trm_vec3 point, trm_vec3 target);
void grips_pull(grips *g, unsigned page, trm_vec3 target);
void grips_release(grips *g, unsigned page);
void grips_release_all(grips *g); /* also forgets which bodies have been gripped */

/* Lists all grips in this state. Returns their number, at most MOST_PAGES. */
int grips_list(const grips *g, const trm_state *state, trm_grip *list);

void grips_set_step(grips *g, double h);

#endif
