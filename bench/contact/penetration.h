/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Depth of penetration of bodies into each other and into the ground. */

#ifndef TRM_BENCH_CONTACT_PENETRATION_H
#define TRM_BENCH_CONTACT_PENETRATION_H

#include "common/scene.h"

/* Returns the depth of the deepest pair of boxes, or of a body and the ground, m; 0: nothing penetrates. */
double largest_penetration(const scene *s, const body_state *states);

#endif
