/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Stored poses of a run, and lines between bodies: distances, springs and actuators. */

#ifndef TRM_IO_ANIMATION_H
#define TRM_IO_ANIMATION_H

#include "base/arena.h"
#include "model/model.h"
#include "trammel/app.h"
#include "trammel/io.h"

/* The kind of a line between two bodies. */
typedef enum trm_link_kind {
    TRM_LINK_ROD,
    TRM_LINK_ROPE,
    TRM_LINK_SPRING,
    TRM_LINK_DAMPER,
    TRM_LINK_ACTUATOR,
    TRM_LINK_KINDS,
} trm_link_kind;

/* A line between points of two bodies. */
typedef struct trm_animated_link {
    const char *name; /* may be NULL */
    trm_link_kind kind;
    bool damped;   /* a spring with a damper */
    double length; /* m: of a taut rope, rest length of a spring, else 0 */
    int body[2];
    trm_vec3 anchor[2]; /* in the body frames */
    int joint;          /* the line is drawn while this joint is attached; -1: it is a force and always drawn */
} trm_animated_link;

struct trm_animation {
    trm_arena arena;
    const trm_model *model;
    trm_pose *start;          /* per body: initial pose of the user's body frame */
    int *slot;                /* per body: its number among the bodies that move; -1: it is fixed */
    int moving_count;         /* number of bodies that move */
    trm_animated_link *links; /* lines between bodies, those of joints first */
    int link_count, joint_link_count;
    double *times; /* s, per row */
    float **rows;  /* x y z qx qy qz qw of each body that moves; 1 for each joint that is attached, else 0 */
    int row_count;
    int room; /* number of rows for which there is memory */
    /* number of rows that stay; one more may follow, which the next row replaces */
    int kept;
    /* largest number of rows per second that stay; 0: all stay, because there are few */
    double rate;
    void (*swap)(void *owner, int i, int k); /* called when rows are swapped; NULL: none */
    void *owner;
};

/* Returns the pose of a body frame in a row. */
trm_pose trm_animated_pose(const trm_animation *animation, int row, int body);

/* Returns whether a joint is attached in a row, so that its link is drawn; true for joint -1. */
bool trm_animated_joint_is_there(const trm_animation *animation, int row, int joint);

/* Returns the body, 0 or 1, at which a joint is marked. It is the second one if a point of the second body follows a
 * curve, surface or plane of the first, because the frame of that is not at the point. */
int trm_marked_end(const trm_joint *joint);

/* Returns the anchor of a joint or force in the body frame. */
trm_vec3 trm_anchor_in_body(const trm_model *model, int body, trm_pose frame);

#endif
