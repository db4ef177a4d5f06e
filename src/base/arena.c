/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- The allocator of the caller ---------------------------------------------------------- */

static void *allocate_from_heap(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void release_to_heap(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

trm_allocator trm_default_allocator(void)
{
    return (trm_allocator){allocate_from_heap, release_to_heap, NULL};
}

trm_allocator trm_allocator_or_default(const trm_allocator *allocator)
{
    return allocator ? *allocator : trm_default_allocator();
}

/* Returns whether trm_allocate gets large blocks that the system has zeroed already, so that their pages are not
 * touched. */
static bool allocates_zeroed(const trm_allocator *allocator)
{
    return allocator->allocate == allocate_from_heap;
}

/* calloc gives large blocks zeroed by the system. Their pages take memory only once they are written. */
void *trm_allocate(const trm_allocator *allocator, size_t bytes)
{
    if (allocates_zeroed(allocator)) return calloc(1, bytes);
    void *memory = allocator->allocate(allocator->context, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void trm_release(const trm_allocator *allocator, void *memory, size_t bytes)
{
    if (memory) allocator->release(allocator->context, memory, bytes);
}

/* ---- Blocks ------------------------------------------------------------------------------- */

enum { ALIGNMENT = 32, FIRST_BLOCK = 4096, LARGEST_DOUBLING = 1 << 18 };
/* Bytes: blocks of this size or more are new pages that the system has zeroed. */
enum { LARGE_BLOCK = 1 << 17 };

struct trm_arena_block {
    trm_arena_block *next;
    size_t size, used;      /* bytes of the payload */
    size_t clean;           /* bytes of the payload from this offset on are zero: they were never in use */
    size_t whole;           /* bytes requested from the allocator */
    unsigned char *payload; /* aligned, inside this block */
};

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void trm_arena_init(trm_arena *arena, const trm_allocator *allocator)
{
    *arena = (trm_arena){.allocator = trm_allocator_or_default(allocator)};
}

static void release_chain(trm_arena *arena, trm_arena_block *block)
{
    while (block) {
        trm_arena_block *next = block->next;
        trm_release(&arena->allocator, block, block->whole);
        block = next;
    }
}

void trm_arena_destroy(trm_arena *arena)
{
    release_chain(arena, arena->first);
    release_chain(arena, arena->lists);
    trm_arena_init(arena, &arena->allocator);
}

void *trm_owner_create(const trm_allocator *allocator, size_t bytes)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    void *owner = trm_allocate(&from, bytes);
    if (owner) trm_arena_init(owner, &from);
    return owner;
}

void trm_owner_destroy(void *owner, size_t bytes)
{
    if (!owner) return;
    const trm_allocator from = ((trm_arena *)owner)->allocator;
    trm_arena_destroy(owner);
    trm_release(&from, owner, bytes);
}

/* Releases the empty blocks after the current one, which are too small for the request. Returns the number of bytes
 * released. Without this a loop that requests a little more in each iteration would keep one block per iteration. */
static size_t release_empty(trm_arena *arena)
{
    size_t bytes = 0;
    trm_arena_block **link = arena->current ? &arena->current->next : &arena->first;
    while (*link) {
        trm_arena_block *block = *link;
        bytes += block->size;
        *link = block->next;
        trm_release(&arena->allocator, block, block->whole);
    }
    return bytes;
}

/* Allocates a block with room for `size` bytes and does not link it yet. Returns NULL when out of memory. */
static trm_arena_block *make_block(trm_arena *arena, size_t size)
{
    const size_t whole = sizeof(trm_arena_block) + ALIGNMENT + size;
    const bool zeroed = size >= LARGE_BLOCK && allocates_zeroed(&arena->allocator);
    trm_arena_block *block =
        zeroed ? trm_allocate(&arena->allocator, whole) : arena->allocator.allocate(arena->allocator.context, whole);
    if (!block) return NULL;
    const size_t misfit = ((uintptr_t)(block + 1)) % ALIGNMENT;
    *block = (trm_arena_block){.size = size, .clean = zeroed ? 0 : size, .whole = whole};
    block->payload = (unsigned char *)(block + 1) + (misfit ? ALIGNMENT - misfit : 0);
    return block;
}

/* Adds a block of at least `bytes` bytes after the current one. If it replaces empty blocks, it has their size and
 * somewhat more, so that few blocks are made. */
static trm_arena_block *add_block(trm_arena *arena, size_t bytes)
{
    const size_t previous = arena->current ? arena->current->size : FIRST_BLOCK / 2;
    const size_t released = release_empty(arena);
    size_t size = previous < LARGEST_DOUBLING ? 2 * previous : LARGEST_DOUBLING;
    if (size < bytes) size = bytes;
#ifdef TRM_ARENA_EXACT
    size = bytes;
#endif
    if (released > 0) size = round_up((size > released ? size : released) + released / 8);

    trm_arena_block *block = make_block(arena, size);
    if (!block) return NULL;
    trm_arena_block **link = arena->current ? &arena->current->next : &arena->first;
    block->next = *link;
    *link = block;
    return block;
}

/* Returns the current block if it has room, else the next empty one with room, else a new one. */
static trm_arena_block *block_with_room(trm_arena *arena, size_t bytes)
{
#ifdef TRM_ARENA_EXACT /* for a test in which every request reaches the allocator (tests/robustness/refusals.c) */
    return add_block(arena, bytes);
#endif
    trm_arena_block *block = arena->current ? arena->current : arena->first;
    for (; block; block = block->next)
        if (block->size - block->used >= bytes) return block;
    return add_block(arena, bytes);
}

static size_t bytes_of(size_t count, size_t size)
{
    return round_up(count > 0 && size > 0 ? count * size : 1);
}

static void note_peak(trm_arena *arena)
{
    const size_t bytes = arena->bytes_used + arena->bytes_listed;
    if (bytes > arena->bytes_peak) arena->bytes_peak = bytes;
}

/* Zeroes the part of a piece that was in use before, if the piece must be zero. */
static void clean_piece(trm_arena_block *block, unsigned char *piece, size_t bytes, bool zero)
{
    const size_t from = (size_t)(piece - block->payload), end = from + bytes;
    if (zero && from < block->clean) memset(piece, 0, (end < block->clean ? end : block->clean) - from);
    if (block->clean < end) block->clean = end;
}

static void *take(trm_arena *arena, size_t count, size_t size, bool zero)
{
    if (size && count > (SIZE_MAX / 4) / size) {
        arena->failed = true;
        return NULL;
    }
    const size_t bytes = bytes_of(count, size);
    trm_arena_block *block = block_with_room(arena, bytes);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    unsigned char *piece = block->payload + block->used;
    clean_piece(block, piece, bytes, zero);
    block->used += bytes;
    arena->current = block;
    arena->bytes_used += bytes;
    note_peak(arena);
    return piece;
}

void *trm_arena_room(trm_arena *arena, size_t count, size_t size)
{
    return take(arena, count, size, false);
}

void *trm_arena_array(trm_arena *arena, size_t count, size_t size)
{
    return take(arena, count, size, true);
}

void *trm_arena_copy(trm_arena *arena, const void *source, size_t count, size_t size)
{
    void *copy = trm_arena_room(arena, count, size);
    if (copy && count && size) memcpy(copy, source, count * size);
    return copy;
}

char *trm_arena_text_n(trm_arena *arena, const char *text, size_t length)
{
    char *copy = trm_arena_room(arena, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    if (copy) copy[length] = 0;
    return copy;
}

char *trm_arena_text(trm_arena *arena, const char *text)
{
    return text ? trm_arena_text_n(arena, text, strlen(text)) : NULL;
}

char *trm_arena_format(trm_arena *arena, const char *format, ...)
{
    char buffer[256]; /* most texts fit and are formatted only once */
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    char *text = length < 0 ? NULL : trm_arena_room(arena, (size_t)length + 1, 1);
    if (text && (size_t)length < sizeof buffer)
        memcpy(text, buffer, (size_t)length + 1);
    else if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

trm_arena_mark trm_arena_get_mark(const trm_arena *arena)
{
    const trm_arena_block *block = arena->current;
    return (trm_arena_mark){arena->current, block ? block->used : 0, arena->bytes_used, arena->reserves};
}

void trm_arena_reset(trm_arena *arena, trm_arena_mark mark)
{
    for (trm_arena_block *block = mark.block ? mark.block->next : arena->first; block; block = block->next)
        block->used = 0;
    if (mark.block) mark.block->used = mark.block_used;
    arena->current = mark.block;
    arena->bytes_used = mark.bytes_used;
    arena->reserves = mark.reserves;
}

/* Returns the smallest power of two that is at least count: the number of items for which a list has room. */
static size_t power_from(int count)
{
    size_t power = 1;
    while (power < (size_t)count) power *= 2;
    return power;
}

/* A list with room for more items than the next power of two. */
struct trm_arena_reserve {
    trm_arena_reserve *next;
    const void *items;
    size_t room; /* items */
};

void *trm_arena_reserve_list(trm_arena *arena, int count, size_t size)
{
    trm_arena_reserve *reserve = TRM_NEW(arena, trm_arena_reserve);
    const size_t room = power_from(count);
    void *items = reserve ? trm_arena_room(arena, room, size) : NULL;
    if (!items) return NULL;
    *reserve = (trm_arena_reserve){arena->reserves, items, room};
    arena->reserves = reserve;
    return items;
}

static bool is_reserved(const trm_arena *arena, const void *items, size_t room)
{
    for (const trm_arena_reserve *r = arena->reserves; r; r = r->next)
        if (r->items == items) return r->room > room;
    return false;
}

/* Zeroes the new item only, not all the room of the list, so that pages without items cost no time. */
void *trm_arena_grow(trm_arena *arena, void *items, int count, size_t size)
{
    const bool full = (count & (count - 1)) == 0;
    unsigned char *list = items;
    if (full && !(items && is_reserved(arena, items, (size_t)count))) {
        list = trm_arena_room(arena, count ? 2 * (size_t)count : 1, size);
        if (list && count) memcpy(list, items, (size_t)count * size);
    }
    if (list) memset(list + (size_t)count * size, 0, size);
    return list;
}

void *trm_arena_add(trm_arena *arena, void *list, int *count, size_t size)
{
    unsigned char *items;
    memcpy(&items, list, sizeof items);
    items = trm_arena_grow(arena, items, *count, size);
    if (!items) return NULL;
    memcpy(list, &items, sizeof items);
    return items + (size_t)(*count)++ * size;
}

/* Releases a list that has a block of its own; does nothing for other lists. */
static void release_list(trm_arena *arena, const void *items)
{
    for (trm_arena_block **link = &arena->lists; *link; link = &(*link)->next) {
        trm_arena_block *block = *link;
        if (block->payload != items) continue;
        *link = block->next;
        arena->bytes_listed -= block->used;
        trm_release(&arena->allocator, block, block->whole);
        return;
    }
}

void *trm_arena_move(trm_arena *arena, void *items, size_t kept, size_t count, size_t size)
{
    const bool overflows = size && count > (SIZE_MAX / 4) / size;
    if (items && kept == 0) release_list(arena, items);
    trm_arena_block *block = overflows ? NULL : make_block(arena, bytes_of(count, size));
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    clean_piece(block, block->payload, block->size, true);
    if (kept) memcpy(block->payload, items, kept * size);
    block->used = block->size;
    arena->bytes_listed += block->used;
    note_peak(arena);
    if (kept > 0) release_list(arena, items);
    block->next = arena->lists;
    arena->lists = block;
    return block->payload;
}

void *trm_arena_list(trm_arena *arena, int count, size_t size)
{
    return trm_arena_array(arena, power_from(count), size);
}
