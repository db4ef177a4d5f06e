/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Who pulls at which body of a model. A grip is a spring with a damper from a point of the body to where the mouse is,
 *
 *   F = k (target - p) - c v,   k = min(w^2 M, s m / h^2),   c = sqrt(k m)
 *
 * M being the mass of all that joints hold together with the body, m its own and h the step: strong enough to move the
 * machine, with w of 2 Hz, and never so stiff that a step of this length could not follow it. */

#ifndef TRM_VIEWER_GRIPS_H
#define TRM_VIEWER_GRIPS_H

#include "request.h"
#include "trammel/trammel.h"

typedef struct grips grips;

grips *grips_create(const trm_model *model); /* NULL: out of memory */
void grips_destroy(grips *g);

bool grips_any(const grips *g); /* whether somebody holds something */

/* A simulation must know before its first step which bodies may be pulled at: those that were held once. */
bool grips_knows(const grips *g, int body);
void grips_learn(grips *g, int body, bool may_be_held);
trm_status grips_add_forces(grips *g, trm_sim *sim);

/* Each page holds one body at most, at a point in its frame. */
void grips_hold(grips *g, unsigned page, int body, trm_vec3 point, trm_vec3 target);
void grips_pull(grips *g, unsigned page, trm_vec3 target);
void grips_release(grips *g, unsigned page);
void grips_release_all(grips *g); /* and forgets which bodies were held */

/* All as they are in this state; returns how many, MOST_PAGES at most. */
int grips_list(const grips *g, const trm_state *state, trm_grip *list);

void grips_set_step(grips *g, double h);

#endif
