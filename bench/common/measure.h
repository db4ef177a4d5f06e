/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One engine on one scene with one step: its cost and its figures. */

#ifndef TRM_BENCH_MEASURE_H
#define TRM_BENCH_MEASURE_H

#include "common/bench.h"

/* A crash or a hang of the engine becomes a row that says so. */
row measure(const bench *b, const request *r);

/* The engine cannot run the scene or took too long, as it would with smaller steps. */
bool is_hopeless(const row *r);

#endif
