/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Which points a sweep runs: all combinations of values (a grid), or a number of random ones (a Latin hypercube).
 *
 *   NAME=a,b,c           these values
 *   NAME=FROM:COUNT:TO   this many values, both ends among them: 1:10:100 is 1, 12, 23, ..., 100
 *   NAME=FROM:TO         any value between, for random points only
 *
 * After a range, :log makes quotients equal instead of differences. Numbers are expressions (30*deg). */

#ifndef TRM_CLI_SWEEP_DESIGN_H
#define TRM_CLI_SWEEP_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_RUNS = 10000000 };

typedef struct variation {
    char *name;
    double *values;
    int count;       /* of values; 0: a range without a count */
    double from, to; /* of a range */
    bool is_range, logarithmic;
} variation;

typedef struct design {
    variation *variations;
    int variation_count;
    int run_count;
    double *drawn; /* of a hypercube: a value per variation, for run after run; NULL: the grid */
} design;

/* Each false after writing into why what is wrong; the design is to be freed either way. */
bool add_variation(design *d, const char *text, char *why, size_t size);
bool make_grid(design *d, char *why, size_t size); /* of the variations added; the last one changes from run to run */

/* Latin hypercube (McKay, Beckman, Conover 1979): the range of each variation is cut into as many parts as there
 * are runs, and each part holds one point; which parts meet, and where in its part a point is, is drawn. A list is
 * cut likewise. The same seed gives the same points. */
bool make_hypercube(design *d, int runs, uint64_t seed, char *why, size_t size);

void free_design(design *d);

/* A value for each variation; run counts from 0. */
void point_of(const design *d, int run, double *values);

#endif
