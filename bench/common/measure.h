/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One engine on one scene with one step: its cost and its figures. */

#ifndef TRM_BENCH_MEASURE_H
#define TRM_BENCH_MEASURE_H

#include "common/bench.h"

/* Measures a run. A crash or a hang of the engine becomes the status of the row. */
row measure(const bench *b, const request *r);

/* Returns whether the engine cannot run the scene or took too long, and would with smaller steps, too. */
bool is_hopeless(const row *r);

#endif
