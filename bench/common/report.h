/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The page of a bench, from the tables of all scenes. */

#ifndef TRM_BENCH_REPORT_H
#define TRM_BENCH_REPORT_H

#include "common/bench.h"

bool write_report(const bench *b, const char *folder, const char *docs);

/* ---- Claims: targets of our engine, and whether it reaches them. If an engine was not run, its figure is missing.
 * --------- */

typedef enum bound { AT_MOST, AT_LEAST } bound;

void write_claim(FILE *file, const char *what, double value, bound kind, double limit);

/* Returns the cost of a row; NAN if there is no row. */
double cost_of(const row *r);
double figure_of(const row *r, int figure);

#endif
