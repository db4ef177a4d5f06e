/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gathering messages: one call, and the reader goes on to the next error. */

#ifndef TRM_BASE_MESSAGE_H
#define TRM_BASE_MESSAGE_H

#include "trammel/base.h"

/* Adds a message. element: "joint 'j3'", or "". Beyond TRM_MESSAGES_KEPT messages errors are counted, not kept. */
void trm_say(trm_messages *messages, trm_severity severity, trm_place place, const char *element, const char *format,
             ...) TRM_PRINTF(5, 6);

enum { TRM_MESSAGES_KEPT = 100 };

/* Brings the messages from number first on into the order of the file: by line, then by column; those without a line
 * come last. */
void trm_messages_sort(trm_messages *messages, int first);

/* TRM_OK, TRM_BAD_INPUT if there is an error, TRM_OUT_OF_MEMORY if a message itself found no memory. */
trm_status trm_messages_status(const trm_messages *messages);

/* The candidate nearest to word by edit distance, or NULL if none is near: "did you mean ...?". */
const char *trm_nearest_word(const char *word, const char *const *candidates, int count);

#endif
