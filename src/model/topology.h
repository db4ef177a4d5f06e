/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The graph of bodies and joints: islands, spanning tree, loops.
 *
 * Vertices are the free bodies, and one vertex for all held bodies (the ground, fixed and moving bodies). Edges
 * are the attached joints that connect bodies themselves (a drive acts on its host's coordinate and is not an
 * edge). A breadth-first search from the held vertex, then from each body not reached yet, gives the tree. Each
 * further edge closes a loop. An island is a set of free bodies that are connected without passing through the
 * held vertex. */

#ifndef TRM_MODEL_TOPOLOGY_H
#define TRM_MODEL_TOPOLOGY_H

#include "model/model.h"

typedef struct trm_topology {
    int island_count;
    int *island_of_body;  /* -1: held */
    int *island_of_joint; /* -1: not attached */
    bool *tree_joint;
    int *parent_joint; /* of each body in the tree; -1: held, or the first of a floating island */
    int *order;        /* free bodies, parents before children */
    int order_count;
} trm_topology;

/* Finds the topology; its arrays live in the arena. attached: per joint; NULL: as at the start of the model.
 * Returns false when out of memory. */
bool trm_topology_find(const trm_model *model, const bool *attached, trm_arena *arena, trm_topology *topology);

#endif
