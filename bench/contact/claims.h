/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Targets of our engine in contacts, and whether it reaches them. */

#ifndef TRM_BENCH_CONTACT_CLAIMS_H
#define TRM_BENCH_CONTACT_CLAIMS_H

#include "common/bench.h"

/* Engine and variant whose time is the unit for ours. */
#define YARDSTICK         "Bullet"
#define YARDSTICK_VARIANT "default"

void claim_contact(FILE *file, const scene_kind *kind, const table *t);

#endif
