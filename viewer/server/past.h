/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States of the last minute, to which a page can return. Their total size is bounded: if there is no room for
 * another one, every second state is deleted. */

#ifndef TRM_VIEWER_PAST_H
#define TRM_VIEWER_PAST_H

#include "trammel/trammel.h"

typedef struct past past;

past *past_create(void); /* returns NULL if out of memory */
void past_destroy(past *p);
void past_clear(past *p); /* deletes all states, because the model has changed */

/* Stores a copy of the state and deletes later ones. Does nothing when out of memory. */
void past_keep(past *p, const trm_model *model, const trm_state *state);

/* Returns the last state that is not later than the time, otherwise the first, or NULL if there is none. */
const trm_state *past_at(const past *p, double time);

double past_start(const past *p); /* returns the time of the first state, s; NAN: there is none */
double past_end(const past *p);   /* returns the time of the last state, s; NAN: there is none */

#endif
