/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Values of quantities (model/quantity.h) in a state. */

#ifndef TRM_MOTION_QUANTITY_VALUE_H
#define TRM_MOTION_QUANTITY_VALUE_H

#include "motion/state.h"

/* Return the value of a quantity or formula. The velocities must satisfy the joints. Reactions must have been
 * computed if the quantity needs them. */
double trm_quantity_value(const trm_quantity *quantity, const trm_state *state);
double trm_formula_value(const trm_formula *formula, const trm_state *state);

/* Computes all parts of a quantity at once, at most TRM_QUANTITY_PARTS. Returns false if this kind can only be
 * read part by part. */
enum { TRM_QUANTITY_PARTS = TRM_JOINT_COORDINATES > 6 ? TRM_JOINT_COORDINATES : 6 };
bool trm_quantity_parts(const trm_quantity *quantity, const trm_state *state, double *parts);

#endif
