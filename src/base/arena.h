/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An arena: memory that is given piece by piece and taken back at once.
 *
 * A model, a definition and a simulation each own one. Pieces come zeroed and aligned to 32 bytes (a vector
 * register of doubles). mark and reset free everything since the mark; blocks are kept for reuse, so a
 * loop that marks and resets allocates only in its first round. */

#ifndef TRM_BASE_ARENA_H
#define TRM_BASE_ARENA_H

#include "trammel/base.h"

typedef struct trm_arena_block trm_arena_block;

typedef struct trm_arena {
    trm_allocator allocator;
    trm_arena_block *first;   /* blocks in the order they were made */
    trm_arena_block *current; /* the one being filled; those after it are empty */
    trm_arena_block *lists;   /* a block for each list that trm_arena_move has made */
    size_t bytes_used;        /* given out now, padding included, */
    size_t bytes_listed;      /* and in such lists */
    size_t bytes_peak;        /* the most ever given out at once */
    bool failed;              /* some request was refused for want of memory */
} trm_arena;

typedef struct trm_arena_mark {
    trm_arena_block *block;
    size_t block_used, bytes_used;
} trm_arena_mark;

void trm_arena_init(trm_arena *arena, const trm_allocator *allocator);
void trm_arena_destroy(trm_arena *arena); /* releases every block; the arena may be used again */

/* count * size zeroed bytes, or NULL (also where the product overflows). count 0 gives a valid pointer. */
void *trm_arena_array(trm_arena *arena, size_t count, size_t size);
/* The same without zeros, for what is written at once. */
void *trm_arena_room(trm_arena *arena, size_t count, size_t size);
void *trm_arena_copy(trm_arena *arena, const void *source, size_t count, size_t size);
char *trm_arena_text(trm_arena *arena, const char *text);                  /* NULL stays NULL */
char *trm_arena_text_n(trm_arena *arena, const char *text, size_t length); /* terminated copy */
char *trm_arena_format(trm_arena *arena, const char *format, ...) TRM_PRINTF(2, 3);

trm_arena_mark trm_arena_get_mark(const trm_arena *arena);
void trm_arena_reset(trm_arena *arena, trm_arena_mark mark);

#define TRM_NEW(arena, type)              ((type *)trm_arena_array(arena, 1, sizeof(type)))
#define TRM_NEW_ARRAY(arena, type, count) ((type *)trm_arena_array(arena, (size_t)(count), sizeof(type)))

#define TRM_NEW_ROOM(arena, type, count) ((type *)trm_arena_room(arena, (size_t)(count), sizeof(type)))

/* Zeroed room for so many items of a list that trm_arena_grow may go on with. */
void *trm_arena_list(trm_arena *arena, int count, size_t size);

/* Room for one more item in a list that lives in the arena: doubles the list when count is a power of two
 * (or zero). Returns the list, moved or not; NULL when out of memory, the old list staying valid. */
void *trm_arena_grow(trm_arena *arena, void *items, int count, size_t size);

/* Zeroed room for `count` items in place of a list, of which the first `kept` are copied. The list has a block of its own, which marks do
 * not touch; the one that it had before is released, so that a long list leaves no copies behind. NULL when out of memory: the old list
 * stays valid if some of it was to be kept; else it was released before, so that the two never take memory at the same time. */
void *trm_arena_move(trm_arena *arena, void *items, size_t kept, size_t count, size_t size);
/* How many items to make room for where a list of so many has too little. */
static inline int trm_arena_ample(int count)
{
    return count + count / 8 + 16;
}

#endif
