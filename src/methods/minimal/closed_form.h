/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops that can be closed without iteration, joint pair by joint pair (Woernle 1988).
 *
 * A form is one file in closed_forms/ and one line in closed_forms/list.h. It treats the loop as a ring of at most
 * four joints; fixed joints are left out. Planar machines of several loops, or with longer rings, are solved ring
 * after ring (planar_rings.c). Joint i leads from the body before it to the body after it, which is the body before
 * joint i + 1. One joint of the ring is cut and has no coordinates, unless the cut joint was a fixed one. If a form
 * finds several poses for the same independent coordinates, it takes the one nearest to the prediction, with angles
 * shifted by whole turns. Where two poses coincide, the motion therefore continues smoothly. */

#ifndef TRM_METHODS_MINIMAL_CLOSED_FORM_H
#define TRM_METHODS_MINIMAL_CLOSED_FORM_H

#include "math/rotation.h"
#include "methods/minimal/loop.h"

/* Deviation from parallel or right-angled axes that is due to rounding of poses. With a larger value spatial loops
 * count as planar and stay open by as much; with a smaller one planar loops are left to Newton's method after some
 * steps. Tests pass from 1e-13 to 1e-11. */
static const double TRM_ASKEW = 1e-12;

/* Sides shorter than this fraction of the loop's longest side have no direction. A larger value leaves loops with
 * short cranks to Newton's method, a smaller one divides by lengths of rounding. */
static const double TRM_SHORTEST_SIDE = 1e-9;

/* Joints of the rings of one loop that forms solve, and of the rings of hinges of planar_rings.c. */
enum { TRM_RING_JOINTS = 4, TRM_LONGEST_RING = 16 };

typedef struct trm_ring_joint {
    const trm_joint *joint;
    double sign;       /* 1: the ring goes from the joint's first body to its second; -1: back */
    int at, count;     /* first coordinate in y and number of them; 0: the joint is cut */
    trm_pose in, out;  /* joint frames on the body before and on the body after, at the start */
    double coordinate; /* first coordinate at the start */
} trm_ring_joint;

typedef struct trm_ring {
    int count;
    trm_ring_joint joints[TRM_LONGEST_RING];
} trm_ring;

typedef struct trm_plane_vector {
    double x, y;
} trm_plane_vector;

/* A ring that stays in a plane (closed_forms/planar.h). */
typedef struct trm_planar_ring {
    trm_plane_vector link[TRM_RING_JOINTS]; /* body before joint i: from the previous joint to joint i */
    double sign[TRM_RING_JOINTS];  /* 1 or -1: motion of the body after the joint per unit of the coordinate */
    double start[TRM_RING_JOINTS]; /* coordinates at which `link` is given; 0 for a slider */
    int slider;                    /* index of the slider; -1: none */
    trm_plane_vector axis;         /* direction of the slider */
} trm_planar_ring;

/* The arm that carries an end of a rod. Seen from the base, x = base Rz(sign q) tip on a hinge, base (sign q z)
 * tip on a slider. */
typedef struct trm_rod_arm {
    int joint; /* index in the ring */
    bool slides;
    double sign;
    trm_pose base, tip; /* the frame of the tip is that of the rod's joint */
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
    bool massless; /* the rod is a distance constraint without ends */
    trm_rod_end end[2];
    trm_pose across; /* frame of the second end seen from that of the first, both on the rod */
    double length;
} trm_rod_ring;

/* The data of a form for one loop. */
typedef struct trm_closed_place {
    trm_ring ring;
    union {
        trm_planar_ring planar;
        trm_rod_ring rod;
        struct trm_planar_rings *rings;
    };
} trm_closed_place;

/* OPEN: the form does not cover this choice of coordinates, or stopped early; Newton's method may continue from y. */
typedef enum trm_closure { TRM_CLOSURE_FOUND, TRM_CLOSURE_NONE, TRM_CLOSURE_OPEN } trm_closure;

typedef struct trm_closed_form {
    const char *name;
    /* Returns whether the ring is of this kind, and stores the data of the form in `place`. */
    bool (*recognise)(trm_closed_place *place);
    /* Computes the dependent coordinates from the independent ones. On entry y has the predicted dependent
     * coordinates. */
    trm_closure (*solve)(const trm_loop *loop, const trm_closed_place *place, double *y);
} trm_closed_form;

#define TRM_CLOSED_FORM(name) extern const trm_closed_form trm_closed_form_##name;
#include "methods/minimal/closed_forms/list.h"
#undef TRM_CLOSED_FORM

/* planar_rings.c: planar machines of several loops. Checks whether all joints of the rings are parallel hinges, and
 * stores the data of the form. Returns false when out of memory. */
extern const trm_closed_form trm_closed_form_rings;
bool trm_planar_rings_recognise(trm_closed_place *place, const trm_ring *rings, int count, int coordinates,
                                trm_arena *arena, bool *recognised);

/* Checks whether the loops of the branch are of a known kind at the tree's pose, and stores the form if so. Places
 * the branch. Returns false when out of memory. */
bool trm_closed_form_recognise(trm_loop *loop, trm_tree *tree, trm_arena *arena);

/* Computes y_D from y_I by the form of the loop, if it has one. On entry y has the predicted y_D. */
trm_closure trm_closed_form_solve(const trm_loop *loop, double *y);

/* ---- For forms ---------------------------------------------------------------------------- */

/* Returns the joint that follows after `steps` joints of the ring. */
static inline int trm_ring_next(const trm_ring *ring, int joint, int steps)
{
    return (joint + steps) % ring->count;
}

/* Returns whether coordinate `at` of y is independent. */
bool trm_loop_is_independent(const trm_loop *loop, int at);

/* Returns how many coordinates of the ring are independent; -1 if a coordinate outside the ring is dependent. */
int trm_ring_independent(const trm_loop *loop, const trm_ring *ring);

/* Computes the angle between sides p and r of a triangle, opposite to q, all positive. Heron's form keeps its
 * digits in flat triangles. Returns false if the sides cannot form a triangle. */
bool trm_triangle_angle(double p, double r, double q, double *angle);

/* Computes the roots -along +- sqrt(radius^2 - across^2). Returns false if there are none. */
bool trm_chord(double along, double across, double radius, double root[2]);

#endif
