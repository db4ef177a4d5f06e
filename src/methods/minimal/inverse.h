/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inverse dynamics: which forces tau along chosen coordinates make a given motion.
 *
 * With the tree, and y, dy/dt, d2y/dt2 as poses, velocities and accelerations have them,
 *
 *     load = M d2y/dt2 + k - q = G^T lambda + B tau
 *
 * G being the rows of the joints that close loops, or drive coordinates whose forces are not sought, B what a unit of each force does along
 * the coordinates. With P = E - G^T (G^T)^+, which takes off all that the joints can carry,
 *
 *     P B tau = P load              the shortest tau
 *     G^T lambda = load - B tau     the shortest lambda
 *
 * so that tau depends neither on where loops are cut nor on how rows are scaled. What is left of load is a force that nothing gives. */

#ifndef TRM_METHODS_MINIMAL_INVERSE_H
#define TRM_METHODS_MINIMAL_INVERSE_H

#include "methods/minimal/loop.h"

struct trm_inverse {
    trm_arena arena; /* what lasts */
    trm_arena built; /* the tree of joints that are attached at present, and what belongs to it */
    int events;      /* of those with a time that have happened */
    const trm_model *model;
    trm_inverse_def def;
    const trm_coordinate_name *driven;
    int count;
    /* The start; joints are attached that hold, but for what drives the coordinates that are sought. */
    trm_state *shape;
    bool *left_out; /* per joint: it is attached, but what it does is sought */
    bool *acts;     /* per force of the model: it is none that is sought */
    trm_tree *tree;
    trm_dynamics *dynamics;
    trm_loop **loops; /* per branch; NULL: it has none */
    int *at;          /* per coordinate that is sought, which of the tree's it is; -1: its joint is cut */
    double *y, *yd, *ydd, *load, *goal;
    trm_spatial *wrench; /* per body */
    double last;         /* s: when turns were last counted; NAN: not yet */
    bool follows;        /* loops have the coordinates that are sought as independent ones */
};

/* inverse_create.c: the tree behind so many events; false: out of memory. */
bool trm_inverse_build(trm_inverse *inverse, int events);

#endif
