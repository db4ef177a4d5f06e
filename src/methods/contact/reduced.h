/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An island reduced to its contacts (reduced.c): its workspace. */

#ifndef TRM_METHODS_CONTACT_REDUCED_H
#define TRM_METHODS_CONTACT_REDUCED_H

#include "linalg/block_ldlt.h"
#include "methods/contact/problem.h"

typedef struct trm_reduced {
    const trm_problem *p;
    const trm_problem_island *island;
    /* joints: holds that are closed */
    int joints, joint_rows;
    const trm_hold **joint;
    trm_block_symbolic symbolic;
    double *values; /* A, factorised */
    double *x;      /* per joint row in elimination order */
    int *slot;      /* per body that a hold has: its number in the island; -1: no impulse moves it */
    double *l;      /* per joint row, in the order of `joint`: their multipliers without contacts */
    trm_spatial *V; /* per body of the island: velocities with those */
    /* contact space: all other holds */
    int holds, rows;
    const trm_hold **hold;
    int *first;            /* per hold: its first row */
    trm_spatial *response; /* rows x bodies of the island: to a unit impulse along the row, joints closed */
    double *multiplier;    /* rows x joint rows: what joints give then */
    double *D, *c;         /* rows x rows, rows: u = D p + c */
} trm_reduced;

/* reduced_joints.c: lists holds, factorises joints, and finds D and c at the velocities without impulses. False: out of
 * memory. */
bool trm_reduced_make(trm_reduced *r);
/* lambda of all holds and V with impulses p; closes what rounding has left open in joints. */
void trm_reduced_apply(trm_reduced *r, const double *p);

#endif
