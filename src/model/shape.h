/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The shape types: which keys each accepts, and its mass properties. */

#ifndef TRM_MODEL_SHAPE_H
#define TRM_MODEL_SHAPE_H

#include "model/model.h"

typedef enum trm_shape_takes {
    TRM_SHAPE_TAKES_RADIUS = 1 << 0,
    TRM_SHAPE_TAKES_LENGTH = 1 << 1,
    TRM_SHAPE_TAKES_SIZE = 1 << 2,
    TRM_SHAPE_TAKES_POINTS = 1 << 3,
    TRM_SHAPE_TAKES_PLANE = 1 << 4, /* "normal", "offset" */
    TRM_SHAPE_TAKES_FILE = 1 << 5,  /* "file", or "points" and "triangles"; "scale" */
    TRM_SHAPE_TAKES_POSE = 1 << 6,  /* "position", "orientation" */
    TRM_SHAPE_TAKES_MASS = 1 << 7,  /* "density" */
} trm_shape_takes;

struct trm_shape_type {
    const char *name;
    unsigned takes;                                           /* trm_shape_takes */
    trm_mass (*mass)(const trm_shape *shape, double density); /* in the shape's own frame; NULL: no volume */
    double (*reach)(const trm_shape *shape);                  /* m: farthest distance from the shape's origin */
    /* Computes the corners of the hull that replaces the shape in contacts and returns their number. NULL: none. */
    int (*corners)(const trm_shape *shape, trm_vec3 *points);
};

int trm_shape_type_count(void);
const trm_shape_type *trm_shape_type_at(int index);
const trm_shape_type *trm_find_shape_type(const char *name);

#endif
