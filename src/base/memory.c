/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

/* calloc gives large blocks zeroed by the system; they take memory only where they are written. */
void *trm_allocate(const trm_allocator *allocator, size_t bytes)
{
    if (allocator->allocate == allocate_from_heap) return calloc(1, bytes);
    void *memory = allocator->allocate(allocator->context, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void trm_release(const trm_allocator *allocator, void *memory, size_t bytes)
{
    if (memory) allocator->release(allocator->context, memory, bytes);
}
