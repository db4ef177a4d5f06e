/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How two shapes rub and bounce, and which bodies collide at all.
 *
 * An entry of "contacts" holds for all shapes of its two bodies. What it leaves out, and all where there is none,
 * comes from the shapes: friction sqrt(mu1 mu2), restitution max(e1, e2), by Poisson's law, no rolling friction. */

#ifndef TRM_MODEL_CONTACT_LAW_H
#define TRM_MODEL_CONTACT_LAW_H

#include "trammel/model.h"

typedef struct trm_contact_law {
    double friction;      /* Coulomb coefficient, where there are no speeds */
    const double *speeds; /* m/s, increasing: slip speeds ... */
    const double *mus;    /* ... and the coefficient at each */
    int speed_count;      /* 0: friction is the same at all speeds */
    double restitution;   /* 0 no bounce .. 1 elastic */
    double rolling;       /* m: arm of rolling friction */
    bool stronge;         /* e^2 is of the work of an impact, else e of its impulse (Poisson) */
} trm_contact_law;

/* An entry of "contacts"; NAN in its law: from the shapes. */
typedef struct trm_contact_entry {
    int body[2]; /* [0] < [1] */
    trm_contact_law law;
} trm_contact_entry;

/* Its bodies and shapes may be given in either order. */
trm_contact_law trm_contact_law_of(const trm_model *model, int body_a, int shape_a, int body_b, int shape_b);

/* The coefficient at a slip speed (m/s, its sign does not matter): straight lines between the speeds given, constant
 * beyond the first and the last. */
double trm_contact_friction(const trm_contact_law *law, double speed);

/* Whether shapes of two bodies may touch, joints apart: one of them is free, and no "no_collide" names both. */
bool trm_bodies_may_collide(const trm_model *model, int a, int b);

/* Whether two shapes of bodies that may collide do: by their groups. */
bool trm_shapes_may_collide(const trm_model *model, int body_a, int shape_a, int body_b, int shape_b);

/* A hash of all that decides contacts, for the fingerprint; the one given where nothing may collide. */
uint64_t trm_hash_contacts(uint64_t hash, const trm_model *model);

/* < 0, 0, > 0: how one pair of bodies [0] < [1] stands to another, by the first, then by the second. */
int trm_compare_pairs(const int a[2], const int b[2]);

#endif
