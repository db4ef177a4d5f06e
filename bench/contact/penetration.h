/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How deep bodies are in each other and in the ground. */

#ifndef TRM_BENCH_CONTACT_PENETRATION_H
#define TRM_BENCH_CONTACT_PENETRATION_H

#include "common/scene.h"

/* m, of the deepest pair of boxes or body and ground; 0: none penetrates. */
double largest_penetration(const scene *s, const body_state *states);

#endif
