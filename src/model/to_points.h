/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The two halves of a rigid body made of points: which masses where, and which distances hold them together. */

#ifndef TRM_MODEL_TO_POINTS_H
#define TRM_MODEL_TO_POINTS_H

#include "model/model.h"

typedef struct trm_mass_point {
    trm_vec3 place; /* m, in the principal frame of the body */
    double mass;    /* kg */
} trm_mass_point;

/* Points that have together the mass, the centre of mass and the inertia of a rigid body, and one of them at each
 * reference point. */
typedef struct trm_mass_points {
    trm_mass_point *list; /* the reference points first, in their order */
    int count;
    bool is_plane;   /* a second moment was raised, because distances hold no points in a plane */
    bool is_slender; /* a second moment is so small that the points which stand for it are very light */
} trm_mass_points;

/* No two references may coincide. False: out of memory. */
bool trm_spread_mass(trm_arena *arena, const trm_body *body, trm_point_layout layout, const trm_vec3 *references,
                     int reference_count, trm_mass_points *points);

/* Two points of a body nearer than this part of its size are one. */
extern const double trm_point_nearness;

/* The points of one body, and what holds some of them already: points of the same group keep their distances without
 * this body's help, because another body, or the world, carries them too. */
typedef struct trm_tie_points {
    const trm_vec3 *places; /* m, in one frame */
    int count;
    const int *groups;      /* of point 0, of point 1, ...: any numbers */
    const int *group_first; /* of each point, and one more behind the last */
} trm_tie_points;

typedef struct trm_tie {
    int a, b;
} trm_tie;

typedef enum trm_tying { TRM_TIED, TRM_TIES_TOO_FLAT, TRM_TIES_NO_MEMORY } trm_tying;

/* The distances that make the points a rigid body, none of them implied by others: at most 3 per point. */
trm_tying trm_choose_ties(trm_arena *arena, const trm_tie_points *points, trm_tie *ties, int *count);

#endif
