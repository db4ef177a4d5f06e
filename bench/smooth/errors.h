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
    ENERGY_MAX,       /* J; of the free body relative */
    GAP,              /* m: between the two images of an anchor, at most */
    ANGULAR_MOMENTUM, /* relative: free body */
    PERIOD,           /* s: pendulum */
    POSITION,         /* m: at the end, from the reference, at most */
};
extern const column smooth_columns[];

/* Gathers samples; the scene has exploded when something is not finite, far away, or a joint is open by metres. */
extern const watcher smooth_watcher;

/* The error that the scene is about. */
double main_error(const row *r, const scene_kind *kind);

/* Kinetic and potential, J. */
double energy_of(const scene *s, const body_state *states);

/* The largest distance between the centres of mass of two sets of states. */
double largest_distance(const body_state *a, const body_state *b, int count);

#endif
