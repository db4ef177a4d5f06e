/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The part of which the types of chains are made (model/build_chain.c). */

#ifndef TRM_MODEL_JOINTS_CHAIN_H
#define TRM_MODEL_JOINTS_CHAIN_H

#include "model/joint.h"

extern const trm_part trm_part_chain; /* without its number of rows */

#endif
