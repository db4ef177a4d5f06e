/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Targets of our engine compared with the others, and whether it reaches them. */

#ifndef TRM_BENCH_SMOOTH_CLAIMS_H
#define TRM_BENCH_SMOOTH_CLAIMS_H

#include "common/bench.h"

void claim_smooth(FILE *file, const scene_kind *kind, const table *t);

#endif
