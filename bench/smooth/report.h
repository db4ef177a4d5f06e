/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* docs/benchmarks.md and its pictures, from the tables of all scenes. */

#ifndef TRM_BENCH_REPORT_H
#define TRM_BENCH_REPORT_H

#include <stdbool.h>

/* Reads folder/SCENE.csv; writes docs/benchmarks.md and docs/benchmarks/SCENE.svg. */
bool write_report(const char *folder, const char *docs);

#endif
