/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inverse dynamics: computes the forces tau along chosen coordinates that produce a given motion.
 *
 * In coordinates of the tree, with y, dy/dt, d2y/dt2 taken from poses, velocities and accelerations,
 *
 *     load = M d2y/dt2 + k - q = G^T lambda + B tau
 *
 * G has the rows of the joints that close loops, and of drives whose forces are not sought. B is the effect of a
 * unit of each force along the coordinates. With P = E - G^T (G^T)^+, which removes the part that the joints can
 * carry,
 *
 *     P B tau = P load              the shortest tau
 *     G^T lambda = load - B tau     the shortest lambda
 *
 * so that tau depends neither on the choice of cuts nor on the scales of rows. The rest of `load` is a force that
 * nothing provides. */

#ifndef TRM_METHODS_MINIMAL_INVERSE_H
#define TRM_METHODS_MINIMAL_INVERSE_H

#include "methods/minimal/loop.h"

struct trm_inverse {
    trm_arena arena; /* permanent memory */
    trm_arena built; /* memory of the tree of the joints that are attached at present */
    int events;      /* number of timed events that have happened */
    const trm_model *model;
    trm_inverse_def def;
    const trm_coordinate_name *driven;
    int count;
    /* The initial state. Its attached joints are the constraints, without the drives of the sought coordinates. */
    trm_state *shape;
    bool *left_out; /* per joint: attached, but its force is sought */
    bool *acts;     /* per force of the model: its value is known, not sought */
    trm_tree *tree;
    trm_dynamics *dynamics;
    trm_loop **loops; /* per branch; NULL: no loops */
    int *at;          /* per sought coordinate: its coordinate in the tree; -1: its joint is cut */
    double *y, *yd, *ydd, *load, *goal;
    trm_spatial *wrench; /* per body */
    double last;         /* s: when turns were last counted; NAN: not yet */
    bool follows;        /* the sought coordinates are the independent ones of the loops */
};

/* inverse_create.c: builds the tree after `events` events. Returns false when out of memory. */
bool trm_inverse_build(trm_inverse *inverse, int events);

#endif
