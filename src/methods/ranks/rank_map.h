/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The division of a machine among ranks: the work of each rank, and the data that it receives from others.
 *
 * Every rank has the whole model and memory for the whole state, but only the bodies that it knows are up to date
 * there. These are its own bodies, bodies of other ranks that its joints connect to them, and replicated bodies,
 * which forces, sensors or events read on all ranks. The owner of a body computes its velocity and sends it to the
 * other ranks that know it. Each rank computes everything else from the same velocities in the same way, so results
 * are bit-identical for any number of ranks.
 *
 * NULL: there is one rank, which knows everything, and nothing is sent. After the loss of a rank nothing more is
 * sent or received, and steps fail (`lost`). */

#ifndef TRM_METHODS_RANKS_RANK_MAP_H
#define TRM_METHODS_RANKS_RANK_MAP_H

#include "methods/method.h"
#include "methods/ranks/exchange.h"

enum { TRM_MOST_RANKS = 4096 };

/* A list for each rank: that of rank r is item[first[r]] .. item[first[r + 1] - 1]. */
typedef struct trm_rank_map_lists {
    int *first, *item;
} trm_rank_map_lists;

typedef struct trm_rank_map {
    trm_exchange *exchange;
    bool lost;
    int *owner;               /* per body: its rank; -1: all ranks compute it */
    int *keeper;              /* per joint: the rank that closes it; -1: replicated */
    bool *knows_body;         /* per body: this rank knows it */
    bool *knows_joint;        /* per joint: this rank works on it */
    trm_rank_map_lists to;    /* bodies of this rank that others know */
    trm_rank_map_lists from;  /* bodies of others that this rank knows */
    trm_rank_map_lists owned; /* all bodies that have an owner */
    trm_rank_map_lists kept;  /* all joints that have a keeper */
    trm_spatial *outgoing;    /* buffers for the longest lists */
    trm_spatial *incoming;
    size_t *sizes; /* per rank: bytes, during a collection */
} trm_rank_map;

/* Makes the lists from the owners, the keepers and the known bodies. known: per rank and body, whether the rank
 * knows the body. Returns false when out of memory. */
bool trm_rank_map_make_lists(trm_rank_map *map, const trm_model *model, const bool *known, trm_arena *arena);

/* Send to and receive from one rank exactly `count` bytes. Return false if a rank is lost. */
bool trm_rank_map_send(trm_rank_map *map, int to, const void *bytes, size_t count);
bool trm_rank_map_receive(trm_rank_map *map, int from, void *bytes, size_t count);

/* Compute the largest value of all ranks, where NaN is larger than all, with its tag (which may be NULL); collect
 * the pieces of all ranks; compute the sum, in the order of ranks. Return false if a rank is lost. */
bool trm_rank_map_agree(trm_rank_map *map, double *value, int *tag);
static inline bool trm_rank_map_largest(trm_rank_map *map, double *value, int *tag)
{
    return !map || trm_rank_map_agree(map, value, tag);
}
bool trm_rank_map_collect(trm_rank_map *map, const void *piece, const size_t *sizes, void *all);
bool trm_rank_map_sum(trm_rank_map *map, double *value);

/* Sends a 6-vector per body (velocity, acceleration) from its owner to the ranks that know the body. */
void trm_rank_map_broadcast(trm_rank_map *map, trm_spatial *per_body);

/* Collects the whole state on all ranks; without a map this rank has it. Returns false if a rank is lost, or when out of memory. */
bool trm_rank_map_gather(trm_rank_map *map, trm_state *state);

/* Collects the rows of all ranks; without a map there are only those of this rank. rows holds at most `most` of the `count` rows of this rank, and afterwards at
 * most `most` of all ranks. Returns their number in all. */
int trm_rank_map_collect_rows(trm_rank_map *map, trm_row_name *rows, int count, int most,
                              const trm_allocator *allocator);

/* Returns whether this rank counts the work of a joint: exactly one rank does. */
static inline bool trm_rank_map_counts(const trm_rank_map *map, int joint)
{
    return !map || map->keeper[joint] == map->exchange->rank || (map->keeper[joint] < 0 && map->exchange->rank == 0);
}

/* Return whether the machine is divided, whether this rank knows a body or works on a joint, and the joints that it
 * works on (NULL: all). A machine on one rank has no map. */
static inline bool trm_rank_map_divides(const trm_rank_map *map)
{
    return map != NULL;
}
static inline bool trm_rank_map_knows_body(const trm_rank_map *map, int body)
{
    return !map || map->knows_body[body];
}
static inline bool trm_rank_map_knows_joint(const trm_rank_map *map, int joint)
{
    return !map || map->knows_joint[joint];
}
static inline const bool *trm_rank_map_known_joints(const trm_rank_map *map)
{
    return map ? map->knows_joint : NULL;
}

static inline bool trm_rank_map_is_lost(const trm_rank_map *map)
{
    return map && map->lost;
}

#endif
