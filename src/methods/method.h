/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method contract, the half that says what a method can run.
 *
 * A model needs certain capabilities; a method that lacks one refuses the model before the first step with a sentence
 * that names the element which needs it. */

#ifndef TRM_METHODS_METHOD_H
#define TRM_METHODS_METHOD_H

#include "trammel/sim.h"

typedef enum trm_capability {
    TRM_CAN_LOOPS = 1 << 0,
    TRM_CAN_REDUNDANT = 1 << 1, /* constraints that depend on each other */
    TRM_CAN_RHEONOMIC = 1 << 2, /* prescribed motion */
    TRM_CAN_BOUNDS = 1 << 3,    /* ropes, limits */
    TRM_CAN_FRICTION = 1 << 4,  /* Coulomb friction in joints */
    TRM_CAN_CONTACT = 1 << 5,   /* collisions */
    TRM_CAN_DAMPING = 1 << 6,   /* forces that depend on velocities */
    TRM_CAN_RIGID = 1 << 7,     /* rigid bodies, not only point masses */
    TRM_CAN_DISTANCE = 1 << 8,  /* joints without a coordinate side */
} trm_capability;

typedef struct trm_method {
    const char *name;
    unsigned can;   /* trm_capability */
    bool available; /* part of this version */
} trm_method;

int trm_method_count(void);
const trm_method *trm_method_at(int index);

/* "impulse", ..., NULL */
extern const char *const trm_method_names[];

#endif
