/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The points of a sweep: all combinations of values (a grid), or a number of random points (a Latin hypercube).
 *
 *   NAME=a,b,c           these values
 *   NAME=FROM:COUNT:TO   COUNT values including both ends: 1:10:100 is 1, 12, 23, ..., 100
 *   NAME=FROM:TO         any value in the range, for random points only
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
    int count;       /* number of values; 0: a range without a count */
    double from, to; /* of a range */
    bool is_range, logarithmic;
} variation;

typedef struct design {
    variation *variations;
    int variation_count;
    int run_count;
    double *drawn; /* hypercube: one value per variation, run after run; NULL: grid */
} design;

/* Add a variation, and make the grid of all variations, the last of which changes fastest. Return false with the
 * reason in why. free_design is called in any case. */
bool add_variation(design *d, const char *text, char *why, size_t size);
bool make_grid(design *d, char *why, size_t size);

/* Makes a Latin hypercube (McKay, Beckman, Conover 1979). The range of each variation is cut into as many parts as
 * there are runs, and each part holds one point. Random numbers determine which parts meet, and the place of a point
 * in its part. Lists are cut in the same way. The same seed gives the same points. Returns false with the reason in
 * why. */
bool make_hypercube(design *d, int runs, uint64_t seed, char *why, size_t size);

void free_design(design *d);

/* Returns a value for each variation. run: from 0. */
void point_of(const design *d, int run, double *values);

#endif
