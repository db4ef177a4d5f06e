/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Private definition of the collider: data that the broad phase (near.c) and the narrow phase (narrow.c) share. */

#ifndef TRM_COLLIDE_COLLIDER_H
#define TRM_COLLIDE_COLLIDER_H

#include "collide/collide.h"
#include "collide/tree.h"

struct trm_solid;

/* One shape that may collide, with its bounds at the last query. */
typedef struct trm_collider_leaf {
    int body, shape;   /* numbers in the model */
    bool free;         /* true if its body is free */
    trm_pose in_body;  /* pose of the shape in its body */
    trm_extent extent; /* not used for planes */
    double size;       /* m: largest distance of its points from its own origin */
    trm_pose pose;     /* of the body; `bounds` belong to this pose */
    trm_bounds bounds; /* of the shape alone */
    trm_bounds fat;    /* bounds in the tree, enlarged so that small motions leave the tree unchanged */
    int node;          /* number of its tree node; -1: not in the tree yet */
    bool moved;        /* true: it left its fat bounds in this query */
} trm_collider_leaf;

/* Two leaves, in the order of the model. */
typedef struct trm_leaf_pair {
    int leaf[2];
    int link; /* first joint between their bodies, in trm_collider.links; -1: none */
} trm_leaf_pair;

/* A joint between two bodies that prevents them from colliding while it is attached. */
typedef struct trm_jointed_pair {
    int body[2]; /* [0] < [1] */
    int joint;
} trm_jointed_pair;

typedef struct trm_leaf_pairs {
    trm_leaf_pair *items;
    int count, room;
} trm_leaf_pairs;

struct trm_collider {
    const trm_model *model;
    trm_arena *arena;
    struct trm_solid **solids; /* per body, per shape; zero if the shape does not collide */

    trm_collider_leaf *leaves; /* in the order of the model: by body, then shape; without planes */
    int leaf_count;
    trm_bounds *grown;         /* per leaf: its bounds, enlarged by reach and margin of the query */
    trm_collider_leaf *planes; /* in the same order; planes have no bounds and are not in the tree */
    int plane_count;
    trm_jointed_pair *links; /* sorted by bodies, then joint */
    int link_count;

    trm_bounds_tree tree;
    int *moved, *found;   /* numbers of leaves, with room for all leaves */
    int *places;          /* leaf_count + 1 entries: index of the first pair of each leaf while pairs are sorted */
    trm_leaf_pairs near;  /* pairs whose fat bounds overlap, sorted by leaves */
    trm_leaf_pairs fresh; /* pairs that are new in this query */
    trm_leaf_pairs spare; /* buffer for sorting and merging lists */
    trm_near_pair *pairs; /* result of the last query */
    int pair_count, pair_room;
    bool crowded; /* true: the last query found more pairs than trm_most_near_pairs */
};

#endif
