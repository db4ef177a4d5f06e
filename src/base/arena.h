/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An arena allocator: it allocates memory piece by piece and frees all pieces at once.
 *
 * A model, a definition and a simulation each own one. Pieces are zeroed and aligned to 32 bytes (a vector
 * register of doubles). A reset to a mark frees everything allocated since the mark. Blocks are kept for reuse, so
 * a loop that marks and resets allocates only in its first iteration. */

#ifndef TRM_BASE_ARENA_H
#define TRM_BASE_ARENA_H

#include "trammel/base.h"

typedef struct trm_arena_block trm_arena_block;
typedef struct trm_arena_reserve trm_arena_reserve;

typedef struct trm_arena {
    trm_allocator allocator;
    trm_arena_block *first;      /* blocks in the order of their creation */
    trm_arena_block *current;    /* the block being filled; the blocks after it are empty */
    trm_arena_block *lists;      /* one block per list made by trm_arena_move */
    trm_arena_reserve *reserves; /* one per list made by trm_arena_reserve_list */
    size_t bytes_used;           /* allocated at present, including padding */
    size_t bytes_listed;         /* allocated at present in such lists */
    size_t bytes_peak;           /* largest number of bytes allocated at once */
    bool failed;                 /* true if a request failed for lack of memory */
} trm_arena;

typedef struct trm_arena_mark {
    trm_arena_block *block;
    size_t block_used, bytes_used;
    trm_arena_reserve *reserves;
} trm_arena_mark;

void trm_arena_init(trm_arena *arena, const trm_allocator *allocator);
void trm_arena_destroy(trm_arena *arena); /* releases every block; the arena may be used again */

/* Objects that own the memory of an arena. Such an object begins with the arena; its `bytes` are from the same
 * allocator. The first function returns a zeroed object with an empty arena, or NULL when out of memory. The second
 * releases the object and all its memory; NULL: does nothing. */
void *trm_owner_create(const trm_allocator *allocator, size_t bytes);
void trm_owner_destroy(void *owner, size_t bytes);

/* Returns count * size zeroed bytes. count 0 gives a valid pointer. Returns NULL when out of memory, or when the
 * product overflows. */
void *trm_arena_array(trm_arena *arena, size_t count, size_t size);
/* Does the same without zeroing, for memory that is written immediately. */
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

/* Returns zeroed room for `count` items of a list that trm_arena_grow can extend. Returns NULL when out of memory. */
void *trm_arena_list(trm_arena *arena, int count, size_t size);

/* Returns an empty list that trm_arena_grow extends up to `count` items without moving it. Beyond that the list grows as
 * others do. Memory beyond the last item is not written. Returns NULL when out of memory. */
void *trm_arena_reserve_list(trm_arena *arena, int count, size_t size);

/* Makes room for one more item in a list in the arena, and zeroes this item: it doubles the list when count is a power of
 * two or zero, unless the list has room in reserve. Returns the list, which may have moved. Returns NULL when out of
 * memory; the old list stays valid. */
void *trm_arena_grow(trm_arena *arena, void *items, int count, size_t size);

/* Grows a list by one zeroed item and counts it. list: address of the pointer to the items. Returns the new item. Returns
 * NULL when out of memory; list and count then stay as they are. */
void *trm_arena_add(trm_arena *arena, void *list, int *count, size_t size);

/* The same for a list and its count. TRM_APPEND stores an item there, which is evaluated after the list has grown; it is
 * false when out of memory. */
#define TRM_ADD(arena, list, count)         trm_arena_add(arena, &(list), &(count), sizeof *(list))
#define TRM_APPEND(arena, list, count, ...) (TRM_ADD(arena, list, count) && ((list)[(count)-1] = (__VA_ARGS__), true))

/* Replaces a list by zeroed room for `count` items and copies its first `kept` items. The list has a block of its
 * own, which marks do not affect. The old block is released, so that a growing list leaves no copies in memory.
 * Returns NULL when out of memory. The old list then stays valid if kept > 0. With kept = 0 it was released first,
 * so that both never exist at the same time. */
void *trm_arena_move(trm_arena *arena, void *items, size_t kept, size_t count, size_t size);
/* Returns the number of items to allocate when a list needs `count` items. */
static inline int trm_arena_ample(int count)
{
    return count + count / 8 + 16;
}

#endif
