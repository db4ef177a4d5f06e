/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Errors of a run, from the poses and velocities of its bodies alone, in the same way for every engine. */

#ifndef TRM_BENCH_SMOOTH_ERRORS_H
#define TRM_BENCH_SMOOTH_ERRORS_H

#include "common/bench.h"
#include "scenes.h"

/* The figures of a row. */
enum {
    ENERGY_MEAN,
    ENERGY_MAX,       /* J; relative for the free body */
    GAP,              /* m: largest distance of the two images of an anchor */
    ANGULAR_MOMENTUM, /* relative: free body */
    PERIOD,           /* s: pendulum */
    POSITION,         /* m: largest final distance from the reference */
};
extern const column smooth_columns[];

/* Collects samples. The scene has exploded when a value is not finite, a body is far away, or a joint is open by
 * metres. */
extern const watcher smooth_watcher;

/* Returns the main error of the scene. */
double main_error(const row *r, const scene_kind *kind);

/* Returns kinetic plus potential energy, J. */
double energy_of(const scene *s, const body_state *states);

/* Returns the largest distance between the centres of mass of two sets of states. */
double largest_distance(const body_state *a, const body_state *b, int count);

#endif
