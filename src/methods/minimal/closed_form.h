/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops that can be closed without iterating: joint pair by joint pair (Woernle 1988).
 *
 * A form is one file in closed_forms/ and one line in closed_forms/list.h. It sees the loop as a ring of four joints at most, fixed ones
 * left out: joint i leads from the body before it to the body behind it, which is the one before joint i + 1. One joint of the ring is
 * cut and has no coordinate, unless it was a fixed one. Of the poses that a form finds for the same independent coordinates it takes the
 * one nearest to the prediction, angles shifted by whole turns: in a position where two of them meet that goes straight on. */

#ifndef TRM_METHODS_MINIMAL_CLOSED_FORM_H
#define TRM_METHODS_MINIMAL_CLOSED_FORM_H

#include "methods/minimal/loop.h"

enum { TRM_RING_JOINTS = 4 };

typedef struct trm_ring_joint {
    const trm_joint *joint;
    double sign;       /* 1: the ring goes from its first body to its second, -1: back */
    int at, count;     /* its coordinates in y; none: it is cut */
    trm_pose in, out;  /* its frames on the body before and on the one behind, at the start */
    double coordinate; /* the first, at the start */
} trm_ring_joint;

typedef struct trm_ring {
    int count;
    trm_ring_joint joints[TRM_RING_JOINTS];
} trm_ring;

typedef struct trm_plane_vector {
    double x, y;
} trm_plane_vector;

/* A ring that stays in a plane (closed_forms/planar.h). */
typedef struct trm_planar_ring {
    trm_plane_vector link[TRM_RING_JOINTS]; /* of the body before joint i: from the joint before it to joint i */
    double sign[TRM_RING_JOINTS];           /* of the coordinate: the body behind turns or shifts by so much of it */
    double start[TRM_RING_JOINTS];          /* coordinates at which links are as given; 0 of a slider */
    int slider;                             /* which joint; -1: none */
    trm_plane_vector axis;                  /* of it */
} trm_planar_ring;

/* What carries an end of a rod: seen from the base, x = base Rz(sign q) tip, or base (sign q z) tip. */
typedef struct trm_rod_arm {
    int joint; /* of the ring */
    bool slides;
    double sign;
    trm_pose base, tip; /* the tip's frame is that of the rod's joint */
} trm_rod_arm;

/* A joint at an end of a rod. */
typedef struct trm_rod_end {
    int joint;
    bool on_arm; /* the arm carries the joint's frame A */
    bool universal;
} trm_rod_end;

/* A rod between two arms (closed_forms/rssr.c). */
typedef struct trm_rod_ring {
    trm_rod_arm arm[2];
    bool massless; /* it is a distance, and has no ends */
    trm_rod_end end[2];
    trm_pose across; /* the frame of the second end seen from that of the first, both on the rod */
    double length;
} trm_rod_ring;

/* How a form goes about one loop. */
typedef struct trm_closed_place {
    trm_ring ring;
    union {
        trm_planar_ring planar;
        trm_rod_ring rod;
    };
} trm_closed_place;

/* open: the form does not reach this choice of coordinates, or stopped on the way; Newton's method may go on from y. */
typedef enum trm_closure { TRM_CLOSURE_FOUND, TRM_CLOSURE_NONE, TRM_CLOSURE_OPEN } trm_closure;

typedef struct trm_closed_form {
    const char *name;
    /* Whether the ring is of this kind; what it needs of it is kept in the place. */
    bool (*recognise)(trm_closed_place *place);
    /* Dependent coordinates, which are predicted in y, from independent ones. */
    trm_closure (*solve)(const trm_loop *loop, const trm_closed_place *place, double *y);
} trm_closed_form;

#define TRM_CLOSED_FORM(name) extern const trm_closed_form trm_closed_form_##name;
#include "methods/minimal/closed_forms/list.h"
#undef TRM_CLOSED_FORM

/* Looks whether the branch's only loop is of a known kind at the tree's pose, and if so how its coordinates go together; the branch is
 * placed. False: out of memory. */
bool trm_closed_form_recognise(trm_loop *loop, trm_tree *tree, trm_arena *arena);

/* y_D, which are predicted in y, from y_I by the loop's form, if it has one. */
trm_closure trm_closed_form_solve(const trm_loop *loop, double *y);

/* ---- For forms ---------------------------------------------------------------------------- */

/* The joint of a ring beside a number of them. */
static inline int trm_ring_next(const trm_ring *ring, int joint, int steps)
{
    return (joint + steps) % ring->count;
}

/* Whether a coordinate, as numbered in y, is independent. */
bool trm_loop_is_independent(const trm_loop *loop, int at);

/* How many coordinates of the ring are independent; -1: one that is not of the ring depends on others. */
int trm_ring_independent(const trm_loop *loop, const trm_ring *ring);

/* The angle shifted by whole turns to where it is nearest to another. */
static inline double trm_angle_near(double angle, double wanted)
{
    const double turn = 2 * TRM_PI;
    return angle + turn * round((wanted - angle) / turn);
}

/* The angle between sides p and r of a triangle, opposite to q, all positive, in Heron's form, which keeps its digits when it is flat;
 * false: the sides do not reach each other. */
bool trm_triangle_angle(double p, double r, double q, double *angle);

/* The roots -along +- sqrt(radius^2 - across^2); false: there are none. */
bool trm_chord(double along, double across, double radius, double root[2]);

#endif
