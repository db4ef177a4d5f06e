/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench, and at which steps each is run. */

#ifndef TRM_BENCH_SCENES_H
#define TRM_BENCH_SCENES_H

#include "peer.h"

typedef enum scene_error {
    ERROR_ENERGY,   /* |E - E0|, J, in the mean */
    ERROR_FREE,     /* |E - E0| / E0 and the same of angular momentum, at most */
    ERROR_PERIOD,   /* of the pendulum, s */
    ERROR_POSITION, /* the largest distance of a body from where the reference has it at the end, m */
} scene_error;

typedef struct scene_kind {
    const char *name;  /* of the CSV file, and behind --only */
    const char *title; /* in the tables */
    const char *about;
    bool (*build)(scene *s, int count);
    int count; /* of rods, pendulums, ...; what build makes of it */
    double time;
    double steps[8]; /* s; 0 behind the last */
    double quick;    /* the step of --quick */
    scene_error error;
    bool ours_only; /* too large for peers: our engine at order 2 */
} scene_kind;

/* NULL behind the last. */
const scene_kind *scene_kind_at(int index);

/* NULL: out of memory. */
scene *scene_create(const scene_kind *kind);
void scene_destroy(scene *s);

/* Of the pendulum, by the elliptic integral. */
double pendulum_period(const scene *s);

#endif
