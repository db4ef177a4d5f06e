/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The drawing of a machine: the shapes of each body, or a skeleton of its joints if it has no shapes. Parts share
 * triangles where possible. */

#ifndef TRM_IO_SCENE_H
#define TRM_IO_SCENE_H

#include "io/animation.h"
#include "io/geometry.h"

typedef struct trm_scene_material {
    uint32_t colour; /* 0xrrggbb, sRGB */
    bool two_sided;
    bool metal; /* pins, motors, springs */
} trm_scene_material;

/* The role of a part. */
typedef enum trm_scene_role {
    TRM_SCENE_SHAPE,    /* a shape of the model, or a rod with its radius */
    TRM_SCENE_SKELETON, /* a rod, drawn because the body has no shapes or because an anchor is outside of them */
    TRM_SCENE_PIN,      /* an anchor, or the axis of a joint */
    TRM_SCENE_MOTOR,    /* a servo, motor, drive or spring that acts on a joint */
} trm_scene_role;

typedef struct trm_scene_part {
    int geometry, material;
    trm_scene_role role;
    trm_pose pose;  /* pose in the user's body frame */
    trm_vec3 scale; /* scale of the triangles, applied before the pose */
} trm_scene_part;

typedef enum trm_scene_kind {
    TRM_SCENE_SPHERE,
    TRM_SCENE_CYLINDER,
    TRM_SCENE_BOX,
    TRM_SCENE_SQUARE,
    TRM_SCENE_CAPSULE,
    TRM_SCENE_MESH,
    TRM_SCENE_CURVE,
    TRM_SCENE_COIL,
    TRM_SCENE_PISTON,
} trm_scene_kind;

typedef struct trm_scene_geometry {
    trm_geometry triangles;
    trm_scene_kind kind;
    double length;                /* capsule, coil: in radii */
    const trm_mesh *mesh;         /* mesh */
    const trm_space_curve *curve; /* curve */
} trm_scene_geometry;

/* How a link of the animation is drawn: triangles of length 1 along z between its ends. */
typedef struct trm_scene_link {
    int geometry, material;
    double radius; /* m */
} trm_scene_link;

typedef struct trm_scene {
    trm_arena *arena;
    const trm_animation *animation;
    trm_scene_geometry *geometries;
    int geometry_count;
    trm_scene_material *materials;
    int material_count;
    trm_scene_part *parts; /* in the order of bodies */
    int part_count;
    int *first_part;       /* per body: index of its first part; one more entry after the last body */
    trm_vec3 centre;       /* centre of a ball around the whole machine at the start */
    double radius;         /* m: radius of that ball */
    double thickness;      /* m: radius of the rods of skeletons and of links */
    double plane_reach;    /* m: half the edge of the square that represents a plane */
    trm_vec3 middle;       /* middle of the motion, below which such a square is placed */
    trm_scene_link *links; /* one per link of the animation */
} trm_scene;

/* Makes the scene for all states that the animation has so far. Returns false if out of memory. */
bool trm_scene_make(const trm_animation *animation, trm_arena *arena, trm_scene *made);

#endif
