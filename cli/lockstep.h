/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Messages between a simulation and its controller (docs/controllers.md). */

#ifndef TRM_CLI_LOCKSTEP_H
#define TRM_CLI_LOCKSTEP_H

#include "trammel/trammel.h"

typedef enum lockstep_format { LOCKSTEP_JSON, LOCKSTEP_BINARY } lockstep_format;

/* A growing buffer of bytes that is reused. */
typedef struct byte_buffer {
    char *bytes;
    size_t length, capacity;
} byte_buffer;

bool buffer_add(byte_buffer *b, const void *bytes, size_t count); /* returns false if out of memory */
void buffer_drop(byte_buffer *b, size_t count);                   /* removes the first bytes */

typedef struct lockstep {
    const trm_model *model;
    const trm_results *columns; /* columns that the controller receives, besides t */
    lockstep_format format;
    double period; /* s */
} lockstep;

/* Writes the first line, which describes all following ones. Returns false if out of memory. */
bool lockstep_write_greeting(const lockstep *l, byte_buffer *to);
/* Writes one message: the time and the columns of a state. reset: time has returned to the start. Returns false if
 * out of memory. */
bool lockstep_write_values(const lockstep *l, const trm_state *state, bool reset, byte_buffer *to);

/* Returns the length of the answer at the beginning of a buffer in bytes, with its end of line; 0: it is not complete
 * yet. */
size_t lockstep_answer_length(const lockstep *l, const byte_buffer *from);
/* Reads an answer into one value per input, NAN for inputs that do not change. time: time of the message that is
 * answered. Returns false if the answer is wrong; why has the reason as a phrase that follows "the controller". */
bool lockstep_read_answer(const lockstep *l, const char *bytes, size_t length, double time, double *inputs, char *why,
                          size_t size);

#endif
