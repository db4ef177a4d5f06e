/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Version, status, messages and memory: what every other header needs.
 *
 * Three kinds of trouble, three mechanisms:
 *   a caller's mistake   an assert that may be hooked (trm_set_assert_handler)
 *   bad data             a trm_status, and messages that say where, what and what would be right
 *   a numerical outcome  a result struct with time, joint and residual
 *
 * The library never prints, never exits and has no global state but the assert handler.
 *
 * Threads. Functions may be called from several threads at once for different objects. An object that is only read through const
 * pointers may be shared: one trm_model serves any number of simulations in any number of threads. An object that is changed (trm_sim,
 * trm_state, trm_messages, trm_model_def, trm_text, ...) belongs to one thread at a time. The header of a type says so where it differs.
 *
 * Ownership. What a ..._create function returns is released by the matching ..._destroy, which accepts NULL. Strings and structs passed in
 * are copied unless the comment says that they are borrowed; pointers returned belong to the object that they were taken from.
 *
 * Units are SI, angles are in radians. */

#ifndef TRAMMEL_BASE_H
#define TRAMMEL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TRM_API                 __attribute__((visibility("default")))
#define TRM_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TRM_API
#define TRM_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers. A program compares it with the library that it runs with: trm_version, trm_abi_version. */
#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 1
#define TRM_VERSION_PATCH 0
#define TRM_VERSION_TEXT  "0.1.0"
/* Libraries and programs work together if their numbers of the binary interface are equal. Before version 1 each minor version has its own. */
#define TRM_ABI_VERSION (TRM_VERSION_MAJOR * 1000 + TRM_VERSION_MINOR)

/* Returns the version of the library, "major.minor.patch". */
TRM_API const char *trm_version(void);

/* Returns TRM_ABI_VERSION of the library. If it differs from that of the headers, structs may have other layouts: do not call anything else. */
TRM_API int trm_abi_version(void);

typedef enum trm_status {
    TRM_OK = 0,
    TRM_OUT_OF_MEMORY, /* the allocator returned NULL; nothing is half built */
    TRM_BAD_INPUT,     /* the messages say what, where, and what would be right */
    TRM_IO_ERROR,      /* a file could not be opened, read or written */
} trm_status;

/* "out of memory", "bad input", ... */
TRM_API const char *trm_status_text(trm_status status);

/* ---- Memory ------------------------------------------------------------------------------- */

/* All memory of the library comes from here. release receives the size that was allocated. */
typedef struct trm_allocator {
    void *(*allocate)(void *context, size_t bytes); /* aligned as malloc does; NULL: out of memory */
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
} trm_allocator;

/* malloc and free. A NULL allocator in any call means this one. */
TRM_API trm_allocator trm_default_allocator(void);

/* ---- Messages ----------------------------------------------------------------------------- */

/* A place in an input file. line 0: not from a file. */
typedef struct trm_place {
    const char *file;
    int line, column; /* from 1, in bytes */
} trm_place;

typedef enum trm_severity { TRM_ERROR, TRM_WARNING } trm_severity;

typedef struct trm_message {
    trm_severity severity;
    trm_place place;
    const char *element; /* "joint 'j3'", or "" */
    const char *text;    /* what is wrong and what would be right */
} trm_message;

/* A growing list of messages; all errors of an input are gathered before it is refused. */
typedef struct trm_messages trm_messages;

/* Creates an empty list. Returns NULL if out of memory. */
TRM_API trm_messages *trm_messages_create(const trm_allocator *allocator);
/* Releases the list and the texts of its messages. */
TRM_API void trm_messages_destroy(trm_messages *messages);
/* Removes all messages. */
TRM_API void trm_messages_clear(trm_messages *messages);
/* Returns the number of messages stored. */
TRM_API int trm_message_count(const trm_messages *messages);
/* Returns the number of errors, including those that were not stored. */
TRM_API int trm_error_count(const trm_messages *messages);
/* Returns a message, index from 0. It belongs to the list and is valid until the next change of the list. */
TRM_API const trm_message *trm_message_at(const trm_messages *messages, int index);

/* "model.json:12:5: error: joint 'j3': the axis has length zero; ..." into buffer, always terminated.
 * Returns the length of the whole text, as snprintf does. */
TRM_API int trm_format_message(const trm_message *message, char *buffer, size_t size);

/* ---- Output ------------------------------------------------------------------------------- */

/* Where text and bytes go (io.h has one for files and one for memory). write returns false if it could not take all. */
typedef struct trm_sink {
    bool (*write)(void *context, const char *text, size_t length);
    void *context;
} trm_sink;

/* ---- Caller's mistakes -------------------------------------------------------------------- */

typedef void (*trm_assert_handler)(const char *condition, const char *file, int line);

/* Called when a function is used against its contract; NULL restores abort(). */
TRM_API void trm_set_assert_handler(trm_assert_handler handler);

#ifdef __cplusplus
}
#endif

#endif
