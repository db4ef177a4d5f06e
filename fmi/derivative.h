/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Derivatives of outputs with respect to inputs at one time: the matrix D of a linearisation, y = C x + D u. */

#ifndef TRM_FMI_DERIVATIVE_H
#define TRM_FMI_DERIVATIVE_H

#include "machine.h"

/* Linearises about a state, with all inputs and outputs of the FMU in their order. Returns NULL if some output has no
 * derivative (reactions have none), if there are no inputs, or if out of memory. */
trm_linearisation *fmu_linearise(const fmu_machine *m, const trm_state *state, trm_messages *messages);

/* Return the index of a variable among the inputs, or the outputs, of the linearisation; -1: it is not one. */
int fmu_linear_input(const fmu_machine *m, unsigned reference);
int fmu_linear_output(const fmu_machine *m, const trm_linearisation *l, unsigned reference);

#endif
