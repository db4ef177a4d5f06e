/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An allocator that refuses its fail_at-th call and counts the allocated memory. A test lets it fail at 1, 2, 3, ...
 * until the work under test succeeds, and asserts that nothing is allocated each time:
 *
 *   failing_allocator memory;
 *   do {
 *       failing_allocator_reset(&memory, ++k, false);
 *       const trm_allocator hooks = failing_allocator_hooks(&memory);
 *       done = work(&hooks);
 *       assert_true(failing_allocator_is_clean(&memory));
 *   } while (!done); */

#ifndef TRM_TESTS_FAILING_ALLOCATOR_H
#define TRM_TESTS_FAILING_ALLOCATOR_H

#include <stdlib.h>

#include "trammel/base.h"

typedef struct failing_allocator {
    long fail_at;      /* number of the call that fails, from 1; 0: none */
    bool for_good;     /* all later calls fail, too */
    long calls;        /* number of calls so far */
    long refusals;     /* number of refused calls */
    size_t bytes_live; /* allocated now */
    bool wrong_size;   /* memory was released with another size than that of its allocation */
} failing_allocator;

/* Precedes each piece; as large as malloc's alignment, so that the piece keeps it. */
typedef union failing_allocator_header {
    size_t bytes;
    max_align_t align;
} failing_allocator_header;

static inline void *failing_allocator_allocate(void *context, size_t bytes)
{
    failing_allocator *memory = context;
    memory->calls++;
    const bool now = memory->calls == memory->fail_at;
    const bool later = memory->for_good && memory->fail_at > 0 && memory->calls > memory->fail_at;
    failing_allocator_header *header = now || later ? NULL : malloc(sizeof *header + bytes);
    if (!header) {
        memory->refusals++;
        return NULL;
    }
    header->bytes = bytes;
    memory->bytes_live += bytes;
    return header + 1;
}

static inline void failing_allocator_release(void *context, void *piece, size_t bytes)
{
    failing_allocator *memory = context;
    failing_allocator_header *header = (failing_allocator_header *)piece - 1;
    if (header->bytes != bytes) memory->wrong_size = true;
    memory->bytes_live -= header->bytes;
    free(header);
}

static inline void failing_allocator_reset(failing_allocator *memory, long fail_at, bool for_good)
{
    *memory = (failing_allocator){.fail_at = fail_at, .for_good = for_good};
}

static inline trm_allocator failing_allocator_hooks(failing_allocator *memory)
{
    return (trm_allocator){failing_allocator_allocate, failing_allocator_release, memory};
}

/* Returns whether all memory was released, with the correct sizes. */
static inline bool failing_allocator_is_clean(const failing_allocator *memory)
{
    return memory->bytes_live == 0 && !memory->wrong_size;
}

#endif
