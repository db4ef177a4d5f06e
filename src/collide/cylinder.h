/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The best separating axis of a cylinder and another solid. */

#ifndef TRM_COLLIDE_CYLINDER_H
#define TRM_COLLIDE_CYLINDER_H

#include "collide/gjk.h"

/* Kind of feature with which a solid is in contact along an axis. */
typedef enum trm_solid_part {
    TRM_PART_VERTEX,
    TRM_PART_EDGE,
    TRM_PART_FACE,
    TRM_PART_SIDE, /* of a cylinder */
    TRM_PART_CAP,
    TRM_PART_RIM,
} trm_solid_part;

typedef struct trm_cylinder_axis {
    trm_vec3 normal;   /* from b to a, in the frame of b */
    double separation; /* m, between the cores */
    trm_solid_part part_a, part_b;
    int number; /* number of the vertex, edge or face of a */
} trm_cylinder_axis;

/* Returns the separating axis with the largest separation. b is a cylinder; a has vertices or is a cylinder, too. */
trm_cylinder_axis trm_best_cylinder_axis(const trm_pair *pair);

/* Return the point of the core of a that is lowest along n, and the point of the core of b that is highest, in the
 * frame of b. */
trm_vec3 trm_lowest_of_a(const trm_pair *pair, trm_vec3 n);
trm_vec3 trm_highest_of_b(const trm_pair *pair, trm_vec3 n);

/* A cylinder in the frame of b. */
typedef struct trm_placed_cylinder {
    const trm_solid *solid;
    trm_vec3 centre, axis;
} trm_placed_cylinder;

trm_placed_cylinder trm_place_cylinder(const trm_pair *pair, bool a);

#endif
