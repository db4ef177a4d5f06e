/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The part of which the types of chains are made (model/build_chain.c). */

#ifndef TRM_MODEL_JOINTS_CHAIN_H
#define TRM_MODEL_JOINTS_CHAIN_H

#include "model/joint.h"

extern const trm_part trm_part_chain; /* without its number of rows */

/* Returns the index of the first link that, in every pose, moves the second body only as the links before it do.
 * Returns -1 if there is none. */
int trm_chain_idle_link(const trm_joint *joint);

#endif
