/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts: pairs of features of two shapes, with a gap that is a smooth function of the poses.
 *
 * A feature is a point, line, plane, circle or ellipsoid that is fixed in a body, with a radius around it. A corner is a
 * point of radius 0, a sphere a point of radius r. The edge of a box is a line of radius 0, the axis of a capsule
 * a line of radius r. The side of a cylinder is a line, its rim a circle. An ellipsoid is a feature of its own.
 *
 * The gap of two features is their distance minus both radii; it is negative inside the solid of a plane. With the
 * unit normal n from b to a, and the nearest points p_a and p_b of the two surfaces,
 *
 *     gap = n . (p_a - p_b),    d gap/dt = n . (v_a(p_a) - v_b(p_b))
 *
 * holds for every pair, because the distance is stationary at these points. */

#ifndef TRM_COLLIDE_CONTACT_H
#define TRM_COLLIDE_CONTACT_H

#include "model/model.h"

typedef enum trm_feature_kind {
    TRM_FEATURE_POINT,
    TRM_FEATURE_LINE,   /* infinite; contacts are made only if the nearest points are on the segment */
    TRM_FEATURE_PLANE,  /* solid on the side opposite to the direction; only in pairs with points and circles */
    TRM_FEATURE_CIRCLE, /* a rim; its disc is empty, except in pairs with ellipsoids */
    TRM_FEATURE_ELLIPSOID,
} trm_feature_kind;

/* A geometric feature in the principal frame of its body. */
typedef struct trm_feature {
    trm_feature_kind kind;
    trm_vec3 point;     /* m: the point itself, a point of the line or plane, or the centre */
    trm_vec3 direction; /* unit vector: along the line, outward normal of the plane, or axis of the circle */
    double radius;      /* m: radius around a point or line, or of the circle */
    const trm_mat3 *A;  /* m: half axes of the ellipsoid, as columns; belongs to its solid */
} trm_feature;

/* Two features that are in contact or may come into contact. */
typedef struct trm_contact {
    trm_feature feature[2];
    trm_vec3 outward; /* in the frame of b: n when the contact was made; distinguishes the sides of crossing lines */
    uint64_t id;      /* identifies the same features of the same shapes from step to step */
    int body[2];      /* a and b; if only one of them is free, it is a */
    int shape[2];     /* number of the shape in each body */
} trm_contact;

/* Geometry of a contact at given poses. */
typedef struct trm_contact_at {
    double gap;        /* m; < 0: penetration */
    trm_vec3 normal;   /* n, unit vector from b to a, world axes */
    trm_vec3 point[2]; /* p_a, p_b, m, world */
} trm_contact_at;

trm_contact_at trm_contact_at_poses(const trm_contact *contact, trm_pose a, trm_pose b);

/* A list of contacts that grows. */
typedef struct trm_contacts {
    trm_contact *items;
    int count, room;
} trm_contacts;

#endif
