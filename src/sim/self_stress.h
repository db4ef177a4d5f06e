/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Self-stresses of the joints (self_stress.c). */

#ifndef TRM_SIM_SELF_STRESS_H
#define TRM_SIM_SELF_STRESS_H

#include "linalg/null_space.h"
#include "sim/sim.h"

/* The null space of J^T, each row of which has unit length: of all joints, or of those in one island. */
typedef struct trm_self_stress {
    const trm_sim *sim;
    const int *island_of_body; /* NULL: all joints */
    int island, rows;
    int *row_of_joint; /* -1: not in the island, or without a constraint */
    trm_null_space *null;
} trm_self_stress;

/* Finds the self-stresses at the present pose. Returns false if there are more rows than `most`, or if out of memory. */
bool trm_find_self_stress(trm_self_stress *s, int most, trm_arena *scratch);

#endif
