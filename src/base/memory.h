/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The caller's allocator; NULL means malloc and free. */

#ifndef TRM_BASE_MEMORY_H
#define TRM_BASE_MEMORY_H

#include "trammel/base.h"

/* Returns *allocator, or the default allocator if it is NULL. */
trm_allocator trm_allocator_or_default(const trm_allocator *allocator);

/* Returns zeroed memory, or NULL when out of memory. */
void *trm_allocate(const trm_allocator *allocator, size_t bytes);

/* Releases memory; NULL is ignored. */
void trm_release(const trm_allocator *allocator, void *memory, size_t bytes);

#endif
