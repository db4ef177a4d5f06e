/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The workspace of the method of hierarchical subsystems, and what keeps its joints closed. */

#ifndef TRM_METHODS_SUBSYSTEM_SUBSYSTEM_H
#define TRM_METHODS_SUBSYSTEM_SUBSYSTEM_H

#include "methods/maximal/integrate.h"

/* What is done to c and c' behind a step (project.c). */
typedef enum trm_projection {
    TRM_PROJECT_IN_TURN, /* poses, then velocities at the pose that was reached */
    TRM_PROJECT_AT_ONCE, /* both at the same pose, as Kasper and Vlasenko do, twice or as often as is asked for */
    TRM_PROJECT_NOT,
} trm_projection;

typedef struct trm_generalised trm_generalised;

typedef struct trm_subsystems {
    trm_stepper *stepper;
    trm_maximal *machine;
    trm_integration *integration;
    trm_generalised *generalised; /* coordinates of a tree take the place of those of all bodies; NULL: they do not */
    trm_projection projection;
    int passes;
} trm_subsystems;

/* Accelerations and forces in joints at the present state, into the machine; false: outcome says why not. */
bool trm_subsystems_accelerate(trm_subsystems *w, trm_outcome *outcome);

/* project.c: behind a step; false: a rank is lost. */
bool trm_subsystems_project(trm_subsystems *w, trm_outcome *outcome);

/* generalised.c: NULL: out of memory, or why says which joint is not planar. A step, and what projects behind it. */
trm_generalised *trm_generalised_create(trm_subsystems *w, trm_arena *arena, char *why, size_t size);
bool trm_generalised_step(trm_subsystems *w, double h, trm_outcome *outcome);

#endif
