/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Friction and restitution between two shapes, and which bodies collide at all.
 *
 * An entry of "contacts" holds for all shapes of its two bodies. Values that an entry leaves out, or all values if
 * there is no entry, come from the shapes: friction by their rule (sqrt(mu1 mu2) unless they say min or max) or that of
 * the shape of higher priority, restitution max(e1, e2) by Poisson's law, and the
 * larger of the lever arms of rolling and of torsional friction. */

#ifndef TRM_MODEL_CONTACT_LAW_H
#define TRM_MODEL_CONTACT_LAW_H

#include "trammel/model.h"

/* How the friction of a pair follows from that of its shapes. Of two rules the later one holds. */
typedef enum trm_combine { TRM_COMBINE_GEOMETRIC, TRM_COMBINE_MIN, TRM_COMBINE_MAX } trm_combine;

extern const char *const trm_combine_words[]; /* by trm_combine; NULL after the last */

typedef struct trm_contact_law {
    double friction;      /* Coulomb coefficient, used if speed_count is 0 */
    const double *speeds; /* m/s, increasing: slip speeds */
    const double *mus;    /* Coulomb coefficient at each slip speed */
    int speed_count;      /* 0: friction is the same at all speeds */
    double restitution;   /* 0 no bounce .. 1 elastic */
    double rolling;       /* m: lever arm of rolling friction */
    double torsional;     /* m: lever arm of torsional friction */
    /* true: e^2 is the ratio of the works of an impact (Stronge); false: e is the ratio of its impulses (Poisson) */
    bool stronge;
} trm_contact_law;

/* An entry of "contacts". For NAN in its law the value comes from the shapes. */
typedef struct trm_contact_entry {
    int body[2]; /* [0] < [1] */
    trm_contact_law law;
} trm_contact_entry;

/* Returns the contact law of two shapes. The bodies with their shapes may be given in either order. */
trm_contact_law trm_contact_law_of(const trm_model *model, int body_a, int shape_a, int body_b, int shape_b);

/* Returns whether a contact has rolling or torsional friction. */
static inline bool trm_contact_resists_turning(const trm_contact_law *law)
{
    return law->rolling > 0 || law->torsional > 0;
}

/* Finds two bodies whose contacts have rolling or torsional friction. Returns false if there are none. */
bool trm_find_turning_friction(const trm_model *model, int body[2]);

/* Returns the friction coefficient at a slip speed (m/s, of either sign). It is linear between the given speeds
 * and constant below the first and above the last. */
double trm_contact_friction(const trm_contact_law *law, double speed);

/* Returns whether shapes of two bodies may come into contact: at least one body is free, and no "no_collide" names
 * both. Does not consider joints. */
bool trm_bodies_may_collide(const trm_model *model, int a, int b);

/* Returns whether the groups of two shapes let them collide, given that their bodies may collide. */
bool trm_shapes_may_collide(const trm_model *model, int body_a, int shape_a, int body_b, int shape_b);

/* Compares two pairs of bodies [0] < [1], by the first body, then by the second. Returns < 0, 0 or > 0. */
int trm_compare_pairs(const int a[2], const int b[2]);

/* Returns the first item of a list with the bodies a and b, in either order; -1: there is none. Items of `size` bytes
 * begin with their two bodies, the smaller number first, and are sorted by them. */
int trm_find_pair(const void *list, size_t size, int count, int a, int b);

#endif
