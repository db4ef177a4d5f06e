/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench, with the steps of each. */

#ifndef TRM_BENCH_SMOOTH_SCENES_H
#define TRM_BENCH_SMOOTH_SCENES_H

#include "common/scene.h"

/* Main error of a scene. */
typedef enum scene_error {
    ERROR_ENERGY,   /* mean |E - E0|, J */
    ERROR_FREE,     /* largest |E - E0| / E0, and the same of angular momentum */
    ERROR_PERIOD,   /* period of the pendulum, s */
    ERROR_POSITION, /* largest final distance of a body from the reference, m */
} scene_error;

/* All scenes, ended by one without a name. */
extern const scene_kind smooth_kinds[];

/* Returns the period of the pendulum by the elliptic integral, s. */
double pendulum_period(const scene *s);

#endif
