/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Errors of a run, from the poses and velocities of its bodies alone, in the same way for every engine. */

#ifndef TRM_BENCH_ERRORS_H
#define TRM_BENCH_ERRORS_H

#include "scenes.h"

/* NAN: does not apply. */
typedef struct errors {
    double energy_mean, energy_max; /* J; of the free body relative */
    double gap;                     /* m: between the two images of an anchor, at most */
    double angular_momentum;        /* relative: free body */
    double period;                  /* s: pendulum */
    double position;                /* m: at the end, from the reference, at most */
} errors;

/* Gathers samples. */
typedef struct watch {
    const scene_kind *kind;
    const scene *scene;
    const body_state *reference; /* at the end; may be NULL */
    double (*anchors)[2][3];     /* of each joint, in the frames of its bodies */
    double energy_start, energy_sum, energy_max, gap;
    double momentum_start[3], momentum_error;
    int count;              /* samples */
    double spacing, *track; /* s between samples; the pendulum's way from the vertical, at each */
    int track_room;
} watch;

/* spacing: s between samples. false: out of memory. */
bool watch_begin(watch *w, const scene_kind *kind, const scene *s, const body_state *reference, double spacing);
/* Takes a sample; false if the scene has exploded: something is not finite, far away, or a joint is open by metres. */
bool watch_sample(watch *w, const body_state *states);
errors watch_result(const watch *w, const body_state *last);
void watch_end(watch *w);

/* The largest distance between the centres of mass of two sets of states. */
double largest_distance(const body_state *a, const body_state *b, int count);

#endif
