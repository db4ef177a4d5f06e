/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#ifndef TRM_ANALYSIS_STEADY_H
#define TRM_ANALYSIS_STEADY_H

#include "analysis/linear.h"

/* Linearises about the motion of the system's state. False: out of memory, or l->failed after reporting. */
bool trm_linearise_motion(trm_linear_work *l);

#endif
