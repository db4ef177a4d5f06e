/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What our engine is to reach in contacts, and whether it does. */

#ifndef TRM_BENCH_CONTACT_CLAIMS_H
#define TRM_BENCH_CONTACT_CLAIMS_H

#include "common/bench.h"

/* Engine and variant by whose time ours is measured. */
#define YARDSTICK         "Bullet"
#define YARDSTICK_VARIANT "default"

void claim_contact(FILE *file, const scene_kind *kind, const table *t);

#endif
