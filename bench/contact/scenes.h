/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench: boxes and spheres on or above a floor, at rest except the ball of the wall. An incline is
 * level and gravity is tilted, so that every engine gets the same numbers. */

#ifndef TRM_BENCH_CONTACT_SCENES_H
#define TRM_BENCH_CONTACT_SCENES_H

#include "common/scene.h"

/* Step length of every engine in every scene, s. */
#define BENCH_STEP (1.0 / 240)

/* Main error of a scene. */
typedef enum scene_error {
    ERROR_CREEP, /* m: final displacement of the first body along the ground */
    ERROR_SLIDE, /* relative difference of that displacement from the closed form */
    ERROR_APEX,  /* largest relative difference of the first five apexes from the closed form */
    ERROR_TOP,   /* m: largest distance of the last body from its start */
    ERROR_PILE,  /* only the figures of all scenes */
} scene_error;

/* All scenes, ended by one without a name. */
extern const scene_kind contact_kinds[];

#endif
