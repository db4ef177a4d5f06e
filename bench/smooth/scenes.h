/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The scenes of the bench, and at which steps each is run. */

#ifndef TRM_BENCH_SMOOTH_SCENES_H
#define TRM_BENCH_SMOOTH_SCENES_H

#include "common/scene.h"

/* What a scene is about. */
typedef enum scene_error {
    ERROR_ENERGY,   /* |E - E0|, J, in the mean */
    ERROR_FREE,     /* |E - E0| / E0 and the same of angular momentum, at most */
    ERROR_PERIOD,   /* of the pendulum, s */
    ERROR_POSITION, /* the largest distance of a body from where the reference has it at the end, m */
} scene_error;

/* After the last one without a name. */
extern const scene_kind smooth_kinds[];

/* Of the pendulum, by the elliptic integral. */
double pendulum_period(const scene *s);

#endif
