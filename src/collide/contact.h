/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Where two shapes meet, as a pair of features with a gap that is smooth in the poses.
 *
 * A feature is a point, a line, a plane or a circle that its body carries, with a radius around it: a corner is a point of
 * radius 0, a sphere a point of radius r, the edge of a box a line of radius 0, the axis of a capsule one of radius r, the
 * side of a cylinder a line, its rim a circle. The gap of a pair of features is the distance between them less both radii;
 * behind a plane it is negative. With the unit normal n from b to a and the points p_a, p_b of the two surfaces that are
 * nearest
 *
 *     gap = n . (p_a - p_b),    d gap/dt = n . (v_a(p_a) - v_b(p_b))
 *
 * holds for every pair, for the points are where the distance is stationary. */

#ifndef TRM_COLLIDE_CONTACT_H
#define TRM_COLLIDE_CONTACT_H

#include "model/model.h"

typedef enum trm_feature_kind {
    TRM_FEATURE_POINT,
    TRM_FEATURE_LINE,   /* without ends: whoever makes the contact knows that the nearest points are on the piece */
    TRM_FEATURE_PLANE,  /* solid behind the direction; against points and circles only */
    TRM_FEATURE_CIRCLE, /* a rim: nothing is within it */
} trm_feature_kind;

/* In the principal frame of its body. */
typedef struct trm_feature {
    trm_feature_kind kind;
    trm_vec3 point;     /* itself, or one on it; centre of a circle */
    trm_vec3 direction; /* unit: along the line, out of the plane, axis of the circle */
    double radius;      /* m: around points and lines; of the circle */
} trm_feature;

/* Two features that touch or may soon. */
typedef struct trm_contact {
    int body[2];  /* a, b; the free one first where only one is free */
    int shape[2]; /* of each body */
    trm_feature feature[2];
    trm_vec3
        outward; /* in the frame of b: n as it was when the contact was made; tells the two sides of crossing lines */
    uint64_t id; /* the same for the same features of the same shapes from step to step */
} trm_contact;

/* A contact at given poses. */
typedef struct trm_contact_at {
    double gap;        /* m; < 0: how deep */
    trm_vec3 normal;   /* n, unit, world, from b to a */
    trm_vec3 point[2]; /* p_a, p_b: world */
} trm_contact_at;

trm_contact_at trm_contact_at_poses(const trm_contact *contact, trm_pose a, trm_pose b);

/* A list that grows. */
typedef struct trm_contacts {
    trm_contact *items;
    int count, room;
} trm_contacts;

#endif
