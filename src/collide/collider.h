/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A collider inside: what the broad phase (collider.c) and the narrow phase (narrow.c) share and keep. */

#ifndef TRM_COLLIDE_COLLIDER_H
#define TRM_COLLIDE_COLLIDER_H

#include "collide/collide.h"
#include "collide/tree.h"

struct trm_solid;

/* One shape that may collide and where it was when last asked for. */
typedef struct trm_collider_leaf {
    int body, shape;   /* in the model */
    bool free;         /* its body is */
    trm_pose in_body;  /* the shape's pose in its body */
    trm_extent extent; /* not of planes */
    double size;       /* m: how far it reaches from its own origin */
    trm_pose pose;     /* of the body, for which `bounds` hold */
    trm_bounds bounds; /* of the shape alone */
    trm_bounds fat;    /* in the tree: grown some more, so that small motions change nothing there */
    int node;          /* in the tree; -1: not yet */
    bool moved;        /* out of its fat bounds in this question */
} trm_collider_leaf;

/* Two leaves, the one listed first in the model first. */
typedef struct trm_leaf_pair {
    int leaf[2];
    int link; /* joints between their bodies, in trm_collider.links; -1: none */
} trm_leaf_pair;

/* The joints between two bodies that keep them from colliding while one of them is attached. */
typedef struct trm_link {
    int body[2]; /* [0] < [1] */
    int joint;
} trm_link;

typedef struct trm_leaf_pairs {
    trm_leaf_pair *items;
    int count, room;
} trm_leaf_pairs;

struct trm_collider {
    const trm_model *model;
    trm_arena *arena;
    struct trm_solid **solids; /* per body, per shape; zero where a shape does not collide */

    trm_collider_leaf *leaves; /* in the order of the model: by body, then shape; planes are not among them */
    int leaf_count;
    trm_bounds *grown;         /* per leaf: its bounds, grown by reach and margin of the question */
    trm_collider_leaf *planes; /* likewise; they have no bounds and are not in the tree */
    int plane_count;
    trm_link *links; /* sorted by bodies, then joint */
    int link_count;

    trm_tree tree;
    int *moved, *found;   /* leaves: room for all */
    int *places;          /* one more than leaves: where those of each begin while pairs are sorted */
    trm_leaf_pairs near;  /* whose fat bounds overlap, sorted by leaves */
    trm_leaf_pairs fresh; /* those that are new in this question */
    trm_leaf_pairs spare; /* what lists are sorted and merged into */
    trm_near_pair *pairs; /* the last answer */
    int pair_count, pair_room;
    bool crowded; /* the last question found more pairs than trm_most_near_pairs */
};

#endif
