/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Collision: which shapes are near each other, where, and how far apart. */

#ifndef TRM_COLLIDE_COLLIDE_H
#define TRM_COLLIDE_COLLIDE_H

#include "collide/contact.h"

/* What is kept between questions: shapes made ready, the tree of their bounds, axes that parted pairs last time. It changes
 * no answer, only how soon it comes: equal poses have equal contacts, whatever was asked before. */
typedef struct trm_collider trm_collider;

/* For all pairs of shapes of the model that may collide. NULL: out of memory. */
trm_collider *trm_collider_create(const trm_model *model, trm_arena *arena);
bool trm_collider_is_empty(const trm_collider *collider); /* no pair may ever collide */

/* Two shapes that are near. */
typedef struct trm_near_pair {
    int body[2], shape[2]; /* as in trm_contact */
} trm_near_pair;

/* Returns how many pairs of shapes a collider has room for, and twice as many contacts. Dense piles have some 13 pairs and 40
 * contacts per shape. Without a bound, shapes that all overlap each other would take memory that grows with the square of their
 * number. */
int trm_most_near_pairs(const trm_collider *collider);
bool trm_collider_is_crowded(const trm_collider *collider); /* the last question found more */

/* All pairs of shapes that may collide and that may come nearer than `margin`, each body moving up to reach[body] in any
 * direction (NULL: nobody moves), in an order that depends on the model alone. *pairs belongs to the collider and lasts until
 * the next question; -1: out of memory, or more pairs than there is room for. attached: per joint of the model; partners of one that is attached do not collide
 * unless it says so; NULL: all are. */
int trm_near_pairs(trm_collider *collider, const trm_pose *poses, const double *reach, double margin,
                   const bool *attached, const trm_near_pair **pairs);

/* The signed distance of two shapes at given poses of their bodies: > 0 how far apart, exact to rounding; < 0 how far one has
 * to be shifted to part them (its least such shift for convex pairs). */
double trm_shape_distance(trm_collider *collider, const trm_near_pair *pair, trm_pose a, trm_pose b);

/* Appends the contacts of a pair whose gap is below margin: as many as hold the two against each other in every direction
 * (faces on faces: up to 8 corners of their common area, edges on faces: its two ends), one per pair of features. False: out of
 * memory, or more contacts than there is room for. */
bool trm_find_contacts(trm_collider *collider, const trm_near_pair *pair, const trm_pose *poses, double margin,
                       trm_contacts *contacts);

#endif
