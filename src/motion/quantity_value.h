/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Values of quantities (model/quantity.h) in a state. */

#ifndef TRM_MOTION_QUANTITY_VALUE_H
#define TRM_MOTION_QUANTITY_VALUE_H

#include "motion/state.h"

/* In a state whose velocities fit, and whose reactions are known, where the quantity needs them. */
double trm_quantity_value(const trm_quantity *quantity, const trm_state *state);
double trm_formula_value(const trm_formula *formula, const trm_state *state);

#endif
