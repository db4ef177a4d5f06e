/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Stored poses of a run, and lines between bodies: distances, springs and actuators. */

#ifndef TRM_IO_ANIMATION_H
#define TRM_IO_ANIMATION_H

#include "base/arena.h"
#include "model/model.h"
#include "trammel/app.h"
#include "trammel/io.h"

/* What a line between two bodies is. */
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
    int joint;          /* it is there while that is attached; -1: it is a force, and always there */
} trm_animated_link;

struct trm_animation {
    trm_arena arena;
    const trm_model *model;
    trm_pose *start;          /* per body: of the frame that the user gave */
    int *slot;                /* per body: its number among those that move; -1: it is fixed */
    int moving_count;         /* of them */
    trm_animated_link *links; /* those of joints first */
    int link_count, joint_link_count;
    double *times; /* s, per row */
    float **rows;  /* x y z qx qy qz qw of each body that moves; 1 for each joint that is attached, else 0 */
    int row_count;
    int room;                                /* rows that there is memory for */
    int kept;                                /* rows that stay; one more may be there, which the next replaces */
    double rate;                             /* rows per second that stay, at most; 0: all, since there are few */
    void (*swap)(void *owner, int i, int k); /* called when rows are swapped; NULL: none */
    void *owner;
};

/* Returns the pose of a body frame in a row. */
trm_pose trm_animated_pose(const trm_animation *animation, int row, int body);

/* Returns whether a joint is attached in a row, and so its link is drawn; true for joint -1. */
bool trm_animated_joint_is_there(const trm_animation *animation, int row, int joint);

/* At which of its bodies, 0 or 1, a joint is: where a point of the second follows a curve, a surface or a plane of the
 * first, the frame of that is no place of the joint. */
int trm_marked_end(const trm_joint *joint);

/* Returns the anchor of a joint or force in the body frame. */
trm_vec3 trm_anchor_in_body(const trm_model *model, int body, trm_pose frame);

#endif
