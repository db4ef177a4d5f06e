/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What one of several ranks works on, and what it must be told by others.
 *
 * Every rank has the whole model and room for the whole state, but only bodies that it knows are up to date there: its own,
 * those of others that a joint of its ties to them, and those that all must know, because something else than a joint
 * depends on them (a force, a sensor, an event). A body's owner finds its velocity; the others who know it are told. All
 * that follows from velocities each finds by itself, from the same numbers in the same way: so the bits do not depend on
 * how many ranks there are.
 *
 * NULL: there is one rank, which knows all; then nothing is sent. Once a rank is lost nothing more is sent or received, and
 * steps fail (`lost`). */

#ifndef TRM_METHODS_RANKS_RANK_MAP_H
#define TRM_METHODS_RANKS_RANK_MAP_H

#include "methods/method.h"
#include "methods/ranks/exchange.h"

enum { TRM_MOST_RANKS = 4096 };

/* A list for each rank: of rank r, item[first[r]] .. item[first[r + 1] - 1]. */
typedef struct trm_rank_map_lists {
    int *first, *item;
} trm_rank_map_lists;

typedef struct trm_rank_map {
    trm_exchange *exchange;
    bool lost;
    int *owner;               /* per body: its rank; -1: all find it alike */
    int *keeper;              /* per joint: the rank that closes it; -1: all know it alike */
    bool *knows_body;         /* per body, */
    bool *knows_joint;        /* per joint: this rank works on it */
    trm_rank_map_lists to;    /* bodies of this rank that others know, */
    trm_rank_map_lists from;  /* and those of others that it knows */
    trm_rank_map_lists owned; /* all bodies that have an owner, */
    trm_rank_map_lists kept;  /* all joints that have a keeper */
    trm_spatial *outgoing;    /* room for the longest lists */
    trm_spatial *incoming;
    size_t *sizes; /* per rank: bytes, while something is collected */
} trm_rank_map;

/* Lists, from owners, keepers and what this rank knows. known: per rank and body, whether it knows it. False: out of memory. */
bool trm_rank_map_make_lists(trm_rank_map *map, const trm_model *model, const bool *known, trm_arena *arena);

/* To and from one rank, exactly so many bytes; false: a rank is lost. */
bool trm_rank_map_send(trm_rank_map *map, int to, const void *bytes, size_t count);
bool trm_rank_map_receive(trm_rank_map *map, int from, void *bytes, size_t count);

/* The largest of all ranks, NaN before all, with its tag (which may be NULL); pieces of all; the sum, by rank. */
bool trm_rank_map_largest(trm_rank_map *map, double *value, int *tag);
bool trm_rank_map_collect(trm_rank_map *map, const void *piece, const size_t *sizes, void *all);
bool trm_rank_map_sum(trm_rank_map *map, double *value);

/* Owners tell a 6-vector per body (velocity, acceleration) to those who know the body. */
void trm_rank_map_broadcast(trm_rank_map *map, trm_spatial *per_body);

/* All ranks know the whole state from now on. False: a rank is lost, or out of memory. */
bool trm_rank_map_gather(trm_rank_map *map, trm_state *state);

/* Rows that this rank names, `most` of `count` at most, and those of all ranks behind them; how many there are in all. */
int trm_rank_map_collect_rows(trm_rank_map *map, trm_row_name *rows, int count, int most,
                              const trm_allocator *allocator);

/* Whether this rank is the one that counts what a joint does. */
static inline bool trm_rank_map_counts(const trm_rank_map *map, int joint)
{
    return !map || map->keeper[joint] == map->exchange->rank || (map->keeper[joint] < 0 && map->exchange->rank == 0);
}

static inline bool trm_rank_map_is_lost(const trm_rank_map *map)
{
    return map && map->lost;
}

#endif
