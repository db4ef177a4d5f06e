/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Axes that separate polytopes, and the manifold once the best of them is known. */

#ifndef TRM_COLLIDE_POLYTOPE_H
#define TRM_COLLIDE_POLYTOPE_H

#include "collide/gjk.h"

/* The best axes by faces and by edges. Separations are of the cores: radii are not taken off. */
typedef struct trm_axes {
    const trm_closest *closest; /* the nearest points of the cores; NULL: not known */
    double face_separation;
    bool of_a;          /* whose the face is */
    int face;           /* -1: neither has any */
    double separation;  /* of the edges */
    int edge_a, edge_b; /* -1: the faces are as good */
    trm_vec3 normal;    /* of the edges, from b to a, in the frame of b */
} trm_axes;

/* Rounding of a separation. */
double trm_axis_tie(const trm_pair *pair);

/* What a face of a must be better by than one of b: ties of bodies side by side are not for rounding to decide. */
double trm_face_tie(const trm_pair *pair);

/* What edges must be better by than faces. Where two bare edges all but lie in a face the corner over it has their gap to the
 * second order, and a contact that does not change from lines to a plane and back is worth more than the rest. */
double trm_edge_tie(const trm_pair *pair);

/* The touches for axes that are the best of all; the signed distance of the pair, radii taken off. */
double trm_polytope_manifold(trm_pair *pair, const trm_axes *axes);

#endif
