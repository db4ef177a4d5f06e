/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What our engine is to reach against the others, and whether it does. */

#ifndef TRM_BENCH_CLAIMS_H
#define TRM_BENCH_CLAIMS_H

#include <stdio.h>

#include "rows.h"

/* Reads folder/SCENE.csv; writes a table. */
void write_claims(FILE *file, const char *folder);

/* s per simulated second at which an engine first has an error of at most `error`, from its rows of one variant, between
 * steps by straight lines in logarithms. INFINITY: not reached. */
double time_at_error(const table *t, const row *first, scene_error kind, double error);

#endif
