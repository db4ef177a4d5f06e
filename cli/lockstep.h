/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What a simulation and its controller write to each other (docs/controllers.md). */

#ifndef TRM_CLI_LOCKSTEP_H
#define TRM_CLI_LOCKSTEP_H

#include "trammel/trammel.h"

typedef enum lockstep_format { LOCKSTEP_JSON, LOCKSTEP_BINARY } lockstep_format;

/* Bytes that grow and are used again. */
typedef struct byte_buffer {
    char *bytes;
    size_t length, capacity;
} byte_buffer;

bool buffer_add(byte_buffer *b, const void *bytes, size_t count); /* false: out of memory */
void buffer_drop(byte_buffer *b, size_t count);                   /* removes the first bytes */

typedef struct lockstep {
    const trm_model *model;
    const trm_results *columns; /* that the controller is sent, besides t */
    lockstep_format format;
    double period; /* s */
} lockstep;

/* The first line, which describes all that follow. Returns false if out of memory. */
bool lockstep_write_greeting(const lockstep *l, byte_buffer *to);
/* One message: the time and the columns of a state. reset: time has gone back to the start. Returns false if out
 * of memory. */
bool lockstep_write_values(const lockstep *l, const trm_state *state, bool reset, byte_buffer *to);

/* Bytes of the answer at the beginning of a buffer, its end of line included; 0: it is not complete yet. */
size_t lockstep_answer_length(const lockstep *l, const byte_buffer *from);
/* Reads an answer into one value per input, NAN where it leaves the input as it is. False: why not, as a phrase
 * after "the controller". time: of the message that is answered. */
bool lockstep_read_answer(const lockstep *l, const char *bytes, size_t length, double time, double *inputs, char *why,
                          size_t size);

#endif
