/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The caller's allocator, with NULL meaning malloc and free. */

#ifndef TRM_BASE_MEMORY_H
#define TRM_BASE_MEMORY_H

#include "trammel/base.h"

/* *allocator, or the default one. */
trm_allocator trm_allocator_or_default(const trm_allocator *allocator);

/* Zeroed memory, or NULL. */
void *trm_allocate(const trm_allocator *allocator, size_t bytes);

/* release(NULL) does nothing. */
void trm_release(const trm_allocator *allocator, void *memory, size_t bytes);

#endif
