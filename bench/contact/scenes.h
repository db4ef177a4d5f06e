/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench. */

#ifndef TRM_BENCH_CONTACT_SCENES_H
#define TRM_BENCH_CONTACT_SCENES_H

#include "peer.h"

/* Of every engine in every scene, s. */
#define BENCH_STEP (1.0 / 240)

typedef enum scene_error {
    ERROR_NONE,
    ERROR_CREEP, /* m: how far the first body has gone along the ground at the end */
    ERROR_SLIDE, /* the same against the closed form, relative */
    ERROR_APEX,  /* of the first five apexes against the closed form, relative, at most */
    ERROR_TOP,   /* m: how far the last body ever was from its start */
} scene_error;

typedef struct scene_kind {
    const char *name;  /* of the CSV file, and behind --only */
    const char *title; /* in the tables */
    const char *about;
    bool (*build)(scene *s, double given);
    double given; /* an angle, a count, ...; what build makes of it */
    double time;
    scene_error error;
    int stride;   /* steps between looks at the bodies */
    double limit; /* s, of a run: stopped behind it */
    bool quick;   /* part of --quick */
} scene_kind;

/* NULL behind the last. */
const scene_kind *scene_kind_at(int index);

/* NULL: out of memory. */
scene *scene_create(const scene_kind *kind);
void scene_destroy(scene *s);

#endif
