/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Elimination order of a symmetric matrix by approximate minimum degree (minimum_degree.c). */

#ifndef TRM_LINALG_MINIMUM_DEGREE_H
#define TRM_LINALG_MINIMUM_DEGREE_H

#include "base/arena.h"

/* A graph. The neighbours of node i are list[start[i]] .. list[start[i] + length[i] - 1]. Both ends name each
 * other once; no node names itself. The list has room for at least entries + nodes numbers. All three arrays are
 * overwritten. */
typedef struct trm_degree_graph {
    int nodes, entries, room;
    int *list, *start, *length;
} trm_degree_graph;

/* Writes the nodes into order, the first to be eliminated first. The same graph always gives the same order. Fails
 * only when out of memory. */
bool trm_minimum_degree(const trm_degree_graph *graph, trm_arena *scratch, int *order);

#endif
