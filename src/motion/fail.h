/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fills the outcome of a failure. */

#ifndef TRM_MOTION_FAIL_H
#define TRM_MOTION_FAIL_H

#include "model/model.h"
#include "trammel/sim.h"

/* Sets ok, residual, element and why of the outcome; its time stays. The element is "kind 'name'", or kind alone if name is
 * NULL. A residual of NAN with an element means that a shorter step would fail, too (trm_outcome_may_improve).
 * Returns false. */
bool trm_fail(trm_outcome *outcome, double residual, const char *kind, const char *name, const char *format, ...)
    TRM_PRINTF(5, 6);

/* Returns false with the reason that there is no memory: a shorter step would fail, too. */
static inline bool trm_fail_memory(trm_outcome *outcome, const char *kind)
{
    return trm_fail(outcome, NAN, kind, NULL, "out of memory");
}

/* Names two bodies as the element of a failure. Returns false. */
bool trm_name_pair(trm_outcome *outcome, const trm_body *a, const trm_body *b);

#endif
