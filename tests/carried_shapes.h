/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Random curves and surfaces that guide a point. Their radii of curvature are one metre and more. */

#ifndef TRM_TESTS_CARRIED_SHAPES_H
#define TRM_TESTS_CARRIED_SHAPES_H

#include "base/random.h"
#include "random_bodies.h"
#include "trammel/model.h"

enum { CURVE_KINDS = 4, SURFACE_KINDS = 3, SHAPE_POINTS = 9 };

static inline trm_round_def random_round(trm_random *random)
{
    trm_round_def round = {random_vector(random, 1), random_direction(random), 0, 0, 0, 0};
    round.radius = trm_random_uniform(random, 1.5, 2.5);
    round.pitch = trm_random_uniform(random, 2, 4);
    round.major = trm_random_uniform(random, 2, 3);
    round.minor = trm_random_uniform(random, 1, 1.3);
    return round;
}

/* Writes the points of an open or a closed spline into a buffer that the definition borrows. */
static inline void give_points(trm_random *random, bool closed, trm_vec3 *points, trm_curve_def *curve)
{
    const double phase = trm_random_uniform(random, 0, 6);
    for (int i = 0; i < SHAPE_POINTS; i++) {
        const double angle = 2 * TRM_PI * i / SHAPE_POINTS;
        const trm_vec3 along = closed ? trm_v3(3 * cos(angle), 3 * sin(angle), sin(2 * angle + phase))
                                      : trm_v3(1.5 * i - 6, sin(0.9 * i + phase), 0.8 * cos(1.1 * i));
        points[i] = trm_v3_add(along, random_vector(random, 0.1));
    }
    curve->points = points;
    curve->point_count = SHAPE_POINTS;
    curve->closed = closed;
}

static inline void give_curve(trm_random *random, int kind, trm_vec3 *points, trm_curve_def *curve)
{
    switch (kind % CURVE_KINDS) {
    case 0: curve->circle = random_round(random); break;
    case 1: curve->helix = random_round(random); break;
    default: give_points(random, kind % CURVE_KINDS == 3, points, curve);
    }
}

static inline void give_surface(trm_random *random, int kind, trm_surface_def *surface)
{
    trm_round_def *const kinds[SURFACE_KINDS] = {&surface->sphere, &surface->cylinder, &surface->torus};
    *kinds[kind % SURFACE_KINDS] = random_round(random);
}

#endif
