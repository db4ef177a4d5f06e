/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Divides vertices of a graph into two parts of about equal weight with few edges between them. */

#ifndef TRM_METHODS_HIERARCHY_BISECT_H
#define TRM_METHODS_HIERARCHY_BISECT_H

#include "base/arena.h"

/* The neighbours of vertex v are neighbour[first[v]] .. neighbour[first[v + 1] - 1]; both ends name each other. */
typedef struct trm_bisect_graph {
    int vertices;
    int *first, *neighbour;
    int *weight;      /* per vertex */
    int *edge_weight; /* per entry of neighbour */
} trm_bisect_graph;

/* Divides a graph. part: per vertex, 0 or 1; both parts are non-empty if there are at least two vertices. The
 * weights of the parts differ by at most 2 % of the total, or by more if the heaviest vertices require it. The
 * result is deterministic. Fails only when out of memory. */
bool trm_bisect(const trm_bisect_graph *graph, const trm_allocator *allocator, int *part);

#endif
