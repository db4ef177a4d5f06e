/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Collects messages, so that a reader can report several errors in one run. */

#ifndef TRM_BASE_MESSAGE_H
#define TRM_BASE_MESSAGE_H

#include "trammel/base.h"

/* Adds a message. element is "joint 'j3'", or "". At most TRM_MESSAGES_KEPT messages are stored; the count
 * includes all errors. */
void trm_add_message(trm_messages *messages, trm_severity severity, trm_place place, const char *element,
                     const char *format, ...) TRM_PRINTF(5, 6);
/* Add an error or a warning about a place in a file, or about the file as a whole. */
void trm_add_error(trm_messages *messages, trm_place place, const char *format, ...) TRM_PRINTF(3, 4);
void trm_add_warning(trm_messages *messages, trm_place place, const char *format, ...) TRM_PRINTF(3, 4);
/* Adds copies of the messages of another list. */
void trm_add_messages(trm_messages *messages, const trm_messages *from);
/* Sets code and subject of the message that was added last. */
void trm_mark_message(trm_messages *messages, trm_message_code code, const char *subject);

enum { TRM_MESSAGES_KEPT = 100 };

/* Sorts the messages from number first on by line, then by column; messages without a line come last. */
void trm_messages_sort(trm_messages *messages, int first);

/* Returns TRM_OK, TRM_BAD_INPUT if there is an error, or TRM_OUT_OF_MEMORY if a message could not be stored. */
trm_status trm_messages_status(const trm_messages *messages);

/* Returns the candidate nearest to word by edit distance, for "did you mean ...?". Returns NULL if none is near. */
const char *trm_nearest_word(const char *word, const char *const *candidates, int count);

#endif
