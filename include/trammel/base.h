/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Version, status, messages and memory. Every other header includes this one.
 *
 * The library reports three kinds of failure in three ways:
 *   a caller's mistake   an assert, whose handler can be replaced (trm_set_assert_handler)
 *   bad data             a trm_status, and messages that say where, what is wrong and what to write instead
 *   a numerical failure  a result struct with time, joint and residual
 *
 * The library never prints and never exits. Its only global state is the assert handler.
 *
 * Threads. Several threads may call functions at once for different objects. Threads may share an object that is
 * only read through const pointers: one trm_model serves any number of simulations in any number of threads. An
 * object that is changed (trm_sim, trm_state, trm_messages, trm_model_def, trm_text, ...) belongs to one thread at
 * a time. The comment of a type says so where a different rule applies.
 *
 * Ownership. The caller releases the result of a ..._create function by the matching ..._destroy, which accepts
 * NULL. The library copies strings and structs that it receives unless a comment says that they are borrowed. A
 * returned pointer belongs to the object that it was obtained from.
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

/* The version of these headers. trm_version and trm_abi_version return that of the library that the program runs
 * with. */
#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 2
#define TRM_VERSION_PATCH 0
#define TRM_VERSION_TEXT  "0.2.0"
/* The version of the binary interface. A program works with a library if both have the same number. Before version
 * 1 each minor version has its own number. */
#define TRM_ABI_VERSION (TRM_VERSION_MAJOR * 1000 + TRM_VERSION_MINOR)

/* Returns the version of the library, "major.minor.patch". */
TRM_API const char *trm_version(void);

/* Returns TRM_ABI_VERSION of the library. If it differs from that of the headers, structs may have other layouts.
 * Then do not call any other function. */
TRM_API int trm_abi_version(void);

/* Sets the largest number of threads, at most 256, for simulations that the calling thread creates after this call.
 * 0, the default: the value of the environment variable OMP_NUM_THREADS, else one per processor. Results are
 * bit-identical for any number. Idle threads sleep. */
TRM_API void trm_set_threads(int count);

/* Whether a function succeeded. */
typedef enum trm_status {
    TRM_OK = 0,
    TRM_OUT_OF_MEMORY, /* the allocator returned NULL; no partly built object is left */
    TRM_BAD_INPUT,     /* the messages say where the error is, what is wrong and what to write instead */
    TRM_IO_ERROR,      /* a file could not be opened, read or written */
} trm_status;

/* Returns the status as text: "out of memory", "bad input", ... */
TRM_API const char *trm_status_text(trm_status status);

/* ---- Memory ------------------------------------------------------------------------------- */

/* The functions by which the library allocates and releases all of its memory. */
typedef struct trm_allocator {
    void *(*allocate)(void *context, size_t bytes);             /* aligned as by malloc; NULL: out of memory */
    void (*release)(void *context, void *memory, size_t bytes); /* bytes: the size that was allocated */
    void *context;                                              /* passed to both functions */
} trm_allocator;

/* Returns the allocator that uses malloc and free. NULL as the allocator of any function means this one. */
TRM_API trm_allocator trm_default_allocator(void);

/* ---- Definitions -------------------------------------------------------------------------- */

/* Definitions are structs that the caller fills (trm_body_def, trm_run_def, ...). Later patch versions of the library
 * may append fields to them. Programs compiled before that still run: they pass the size of each definition, and
 * fields beyond that size keep their defaults. The inline functions of these headers do this. Bindings of other
 * languages call trm_set_defaults, trm_add_def and the functions ending in _sized. Structs inside definitions
 * (trm_rod_def, trm_function_def, ...) and elements of their lists without a default function do not change within a
 * minor version. */
typedef enum trm_def_kind {
    TRM_DEF_INPUT,
    TRM_DEF_POSE,
    TRM_DEF_BODY,
    TRM_DEF_JOINT,
    TRM_DEF_FORCE,
    TRM_DEF_CONTACT,
    TRM_DEF_EVENT,
    TRM_DEF_SENSOR,
    TRM_DEF_OUTPUT, /* up to here: elements of a model, for trm_add_def */
    TRM_DEF_SHAPE,
    TRM_DEF_COORDINATE,
    TRM_DEF_TERM,
    TRM_DEF_SIMULATION,
    TRM_DEF_RUN,
    TRM_DEF_RECORD,
    TRM_DEF_REPORT,
    TRM_DEF_INVERSE,
    TRM_DEF_EQUILIBRIUM,
    TRM_DEF_LINEARISE,
    TRM_DEF_GOAL,
    TRM_DEF_INVERSE_KINEMATICS,
    TRM_DEF_OPTIMISER,
} trm_def_kind;

/* A definition, or a list of definitions, with the size that one has in the calling program. */
typedef struct trm_sized {
    const void *def; /* NULL: none */
    /* bytes; at most the size in the library; a larger size means that the program is newer than the library */
    size_t size;
} trm_sized;

/* Returns a definition with its size. */
static inline trm_sized trm_with_size(const void *def, size_t size)
{
    trm_sized sized = {def, size};
    return sized;
}

/* Sets a definition of this size to its defaults. */
TRM_API void trm_set_defaults(trm_def_kind kind, void *def, size_t size);

/* ---- Messages ----------------------------------------------------------------------------- */

/* A place in an input file. Line 0 means that the element does not come from a file. */
typedef struct trm_place {
    const char *file;
    int line, column; /* both count from 1; the column is in bytes */
} trm_place;

/* An error refuses the input; a warning does not. */
typedef enum trm_severity { TRM_ERROR, TRM_WARNING } trm_severity;

/* Kinds of messages that a program can tell apart without reading their texts. */
typedef enum trm_message_code {
    TRM_MESSAGE_OTHER,     /* all others */
    TRM_MESSAGE_NO_EFFECT, /* an option of the simulation has no effect; subject: its name */
    TRM_MESSAGE_REFUSED,   /* the method cannot run the model; subject: the reason */
    TRM_MESSAGE_NO_FILE,   /* a file that the model names cannot be read; subject: its name */
} trm_message_code;

/* One message. Its texts belong to the list of messages. */
typedef struct trm_message {
    trm_severity severity;
    trm_place place;
    const char *element;   /* the element concerned: "joint 'j3'"; "" if none */
    const char *text;      /* what is wrong and what to write instead */
    trm_message_code code; /* its kind */
    const char *subject;   /* what the kind is about, as trm_message_code says; "" if nothing */
} trm_message;

/* A growing list of messages. A reader collects all errors of an input before it refuses the input. A list belongs to one
 * thread at a time. */
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

/* Writes "model.json:12:5: error: joint 'j3': the axis has length zero; ..." to buffer, always terminated.
 * Returns the length of the whole text, as snprintf does. */
TRM_API int trm_format_message(const trm_message *message, char *buffer, size_t size);

/* ---- Output ------------------------------------------------------------------------------- */

/* The destination of text and bytes (io.h has sinks for files and for memory). write returns false if it could not
 * write all bytes. */
typedef struct trm_sink {
    bool (*write)(void *context, const char *text, size_t length);
    void *context; /* passed to write */
} trm_sink;

/* ---- Caller's mistakes -------------------------------------------------------------------- */

/* Receives the violated condition and its place in the source of the library. */
typedef void (*trm_assert_handler)(const char *condition, const char *file, int line);

/* Sets the function that the library calls when a caller violates the contract of a function. NULL restores abort().
 * The handler is the same for all threads; set it before other threads call the library. */
TRM_API void trm_set_assert_handler(trm_assert_handler handler);

#ifdef __cplusplus
}
#endif

#endif
