/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench: boxes and spheres on or above a floor, at rest but for the ball of the wall. An incline is level here and has its
 * gravity tilted, so that every engine gets the same numbers. */

#ifndef TRM_BENCH_CONTACT_SCENES_H
#define TRM_BENCH_CONTACT_SCENES_H

#include "common/scene.h"

/* Of every engine in every scene, s. */
#define BENCH_STEP (1.0 / 240)

/* What a scene is about. */
typedef enum scene_error {
    ERROR_CREEP, /* m: how far the first body has gone along the ground at the end */
    ERROR_SLIDE, /* the same against the closed form, relative */
    ERROR_APEX,  /* of the first five apexes against the closed form, relative, at most */
    ERROR_TOP,   /* m: how far the last body ever was from its start */
    ERROR_PILE,  /* nothing but what all scenes are judged by */
} scene_error;

/* After the last one without a name. */
extern const scene_kind contact_kinds[];

#endif
