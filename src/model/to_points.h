/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A rigid body as point masses, in two parts: the masses with their places, and the distances that keep the points
 * rigid. */

#ifndef TRM_MODEL_TO_POINTS_H
#define TRM_MODEL_TO_POINTS_H

#include "model/model.h"

typedef struct trm_mass_point {
    trm_vec3 place; /* m, in the principal frame of the body */
    double mass;    /* kg */
} trm_mass_point;

/* Points that together have the mass, the centre of mass and the inertia of a rigid body. One of them is at each
 * reference point. */
typedef struct trm_mass_points {
    trm_mass_point *list; /* the reference points first, in their order */
    int count;
    bool is_plane;   /* a second moment was raised, because distances do not make points in a plane rigid */
    bool is_slender; /* a second moment is so small that its points are very light */
} trm_mass_points;

/* Finds the point masses of a body. No two reference points may coincide. Returns false when out of memory. */
bool trm_spread_mass(trm_arena *arena, const trm_body *body, trm_point_layout layout, const trm_vec3 *references,
                     int reference_count, trm_mass_points *points);

/* Two points of a body that are nearer than this fraction of its size are one point. */
extern const double trm_point_nearness;

/* The points of one body, and the distances between them that exist already. Points of the same group keep their
 * distances without this body, because another body, or the world, carries them too. */
typedef struct trm_tie_points {
    const trm_vec3 *places; /* m, in one frame */
    int count;
    const int *groups;      /* group numbers of point 0, then of point 1, ... */
    const int *group_first; /* index of each point's first group; one more entry after the last point */
} trm_tie_points;

typedef struct trm_tie {
    int a, b;
} trm_tie;

typedef enum trm_tying { TRM_TIED, TRM_TIES_TOO_FLAT, TRM_TIES_NO_MEMORY } trm_tying;

/* Chooses distances that make the points a rigid body, at most 3 per point. No distance is implied by others. */
trm_tying trm_choose_ties(trm_arena *arena, const trm_tie_points *points, trm_tie *ties, int *count);

#endif
