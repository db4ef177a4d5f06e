/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The workspace of the method of hierarchical subsystems, and the projection that keeps its joints closed. */

#ifndef TRM_METHODS_SUBSYSTEM_SUBSYSTEM_H
#define TRM_METHODS_SUBSYSTEM_SUBSYSTEM_H

#include "methods/maximal/integrate.h"

/* The correction of c and c' after a step (project.c). */
typedef enum trm_projection {
    TRM_PROJECT_IN_TURN, /* poses, then velocities at the corrected pose */
    TRM_PROJECT_AT_ONCE, /* both at the same pose, as Kasper and Vlasenko do, twice or as often as requested */
    TRM_PROJECT_NOT,
} trm_projection;

typedef struct trm_generalised trm_generalised;

typedef struct trm_subsystems {
    trm_stepper *stepper;
    trm_maximal *machine;
    trm_integration *integration;
    trm_generalised *generalised; /* coordinates of a tree replace those of all bodies; NULL: not used */
    trm_projection projection;
    int passes;
} trm_subsystems;

/* Computes accelerations and joint forces at the current state, into the machine. Returns false with the reason in
 * outcome. */
bool trm_subsystems_accelerate(void *subsystems, trm_outcome *outcome);

/* project.c: projects after a step. Returns false if an MPI rank is lost. */
bool trm_subsystems_project(trm_subsystems *w, trm_outcome *outcome);

/* generalised.c: creates the coordinates of a spanning tree. Returns NULL with the reason in `why`, for example a
 * joint that is not planar, or when out of memory. The second function makes a step and projects after it. */
trm_generalised *trm_generalised_create(trm_subsystems *w, trm_arena *arena, char *why, size_t size);
bool trm_generalised_step(trm_subsystems *w, double h, trm_outcome *outcome);

#endif
