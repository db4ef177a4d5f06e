/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Collision detection: which shapes are near each other, where, and how far apart they are. */

#ifndef TRM_COLLIDE_COLLIDE_H
#define TRM_COLLIDE_COLLIDE_H

#include "collide/contact.h"

/* Workspace of collision detection, kept between queries: preprocessed shapes, the tree of their bounds, the pairs
 * of the last query. It affects the speed of a query, never its result: equal poses give equal contacts, independent
 * of earlier queries. */
typedef struct trm_collider trm_collider;

/* Creates a collider for all pairs of shapes of the model that may collide. Returns NULL when out of memory. */
trm_collider *trm_collider_create(const trm_model *model, trm_arena *arena);
bool trm_collider_is_empty(const trm_collider *collider); /* returns true if no pair can ever collide */

/* Two shapes that are near each other. */
typedef struct trm_near_pair {
    int body[2], shape[2]; /* as in trm_contact */
} trm_near_pair;

/* Returns the largest number of pairs of shapes that a collider stores; it stores at most twice as many contacts.
 * Dense piles have about 13 pairs and 40 contacts per shape. Without a bound, shapes that all overlap each other
 * would need memory that grows with the square of their number. */
int trm_most_near_pairs(const trm_collider *collider);
bool trm_collider_is_crowded(const trm_collider *collider); /* returns true if the last query found more pairs */

/* Finds all pairs of shapes that may collide and that may come closer than `margin` [m] while each body moves by
 * at most reach[body] [m] in any direction (reach NULL: no body moves). The order of the pairs depends on the
 * model alone. Bodies connected by an attached joint do not collide unless the joint allows it; attached has one
 * entry per joint of the model (NULL: all are attached).
 *
 * Returns the number of pairs; *pairs belongs to the collider and is valid until the next query. Returns -1 when
 * out of memory, or when there are more pairs than trm_most_near_pairs. */
int trm_near_pairs(trm_collider *collider, const trm_pose *poses, const double *reach, double margin,
                   const bool *attached, const trm_near_pair **pairs);

/* Returns the signed distance [m] of two shapes at given poses of their bodies. A positive value is the distance,
 * exact to rounding. A negative value is the penetration depth: the length of a shift that separates the shapes,
 * the least one for convex pairs. */
double trm_shape_distance(trm_collider *collider, const trm_near_pair *pair, trm_pose a, trm_pose b);

/* Returns by how much [m] a corner may be outside a face of the other shape and still be in contact with it. */
double trm_shape_flush(const trm_collider *collider, const trm_near_pair *pair);

/* Appends the contacts of a pair whose gap is below margin [m], one per pair of features. There are enough of them
 * to resist relative motion in every direction: for face against face at most 8 corners of the common area, for
 * edge against face the two ends of the common length. Fails when out of memory, or when there are more contacts
 * than the collider stores. */
bool trm_find_contacts(trm_collider *collider, const trm_near_pair *pair, const trm_pose *poses, double margin,
                       trm_contacts *contacts);

#endif
