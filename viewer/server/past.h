/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States of the last minute, to go back to. However large a state is, all together stay below a bound: where there is no room for one
 * more, every other one goes. */

#ifndef TRM_VIEWER_PAST_H
#define TRM_VIEWER_PAST_H

#include "trammel/trammel.h"

typedef struct past past;

past *past_create(void); /* NULL: out of memory */
void past_destroy(past *p);
void past_clear(past *p); /* states of another model are of no use */

/* Keeps a copy of the state, and forgets later ones, which did not come to be. Does nothing when out of memory. */
void past_keep(past *p, const trm_model *model, const trm_state *state);

/* The last state that is not later than the time; else the first. NULL: there is none. */
const trm_state *past_at(const past *p, double time);

double past_start(const past *p); /* s: of the first; NAN: there is none */

#endif
