/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Separating axes of polytopes, and the contact manifold that belongs to the best axis. */

#ifndef TRM_COLLIDE_POLYTOPE_H
#define TRM_COLLIDE_POLYTOPE_H

#include "collide/gjk.h"

/* The best face axis and the best edge axis. Separations [m] are those of the cores, without subtracting the
 * radii. */
typedef struct trm_axes {
    const trm_closest *closest; /* nearest points of the cores; NULL: unknown */
    double face_separation;
    bool of_a;          /* true if the face belongs to a */
    int face;           /* its number; -1: neither solid has faces */
    double separation;  /* along the edge axis */
    int edge_a, edge_b; /* -1: no edge axis is better than the face axis */
    trm_vec3 normal;    /* the edge axis, from b to a, in the frame of b */
} trm_axes;

/* Returns the rounding error of a separation, m. */
double trm_axis_tie(const trm_pair *pair);

/* Returns by how much a face of a must be better than a face of b, m, so that rounding does not decide ties of
 * parallel faces. */
double trm_face_tie(const trm_pair *pair);

/* Returns by how much edges must be better than faces, m. Where two edges without radius nearly lie in a face, the
 * corner over that face has the same gap to second order. It is more important that the contact does not alternate
 * between two lines and a point with a plane. */
double trm_edge_tie(const trm_pair *pair);

/* Adds the contacts that belong to the best axes. Returns the signed distance of the pair, radii subtracted. */
double trm_polytope_manifold(trm_pair *pair, const trm_axes *axes);

#endif
