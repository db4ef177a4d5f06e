/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A sink that accepts this many bytes and then refuses, counting how often it is called again. */

#ifndef TRM_TESTS_SMALL_SINK_H
#define TRM_TESTS_SMALL_SINK_H

#include "trammel/base.h"

typedef struct small_sink {
    size_t left;
    int refusals;
} small_sink;

static inline bool write_some(void *context, const char *bytes, size_t length)
{
    (void)bytes;
    small_sink *s = context;
    if (length > s->left) s->refusals++;
    if (length > s->left) return false;
    s->left -= length;
    return true;
}

#endif
