/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Order 4 by extrapolation, for any smooth system: a symmetric step S_h of order 2 has an error in even powers of h, so
 *
 *     (4 S_(h/2) S_(h/2) - S_h) / 3
 *
 * has order 4 (Gragg 1965). All stages go forwards in time, so damping is welcome, and energy is not kept as composed
 * steps keep it. Positions, velocities and work are combined as they stand, orientations along the rotation vector from
 * one to the other; what then does not quite fit the joints is moved to the nearest state that does. */

#ifndef TRM_SIM_EXTRAPOLATE_H
#define TRM_SIM_EXTRAPOLATE_H

#include "motion/state.h"

/* fine + (fine - coarse) / 3, both at one time, into fine. */
void trm_extrapolate(trm_state *fine, const trm_state *coarse);

#endif
