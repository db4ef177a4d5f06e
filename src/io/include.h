/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* "include": models within models. */

#ifndef TRM_IO_INCLUDE_H
#define TRM_IO_INCLUDE_H

#include "io/form.h"

extern const trm_kind trm_kind_include; /* reads nothing itself; trm_read_includes does */

/* Adds the elements of all included models after those of the model. Returns false if out of memory. */
bool trm_read_includes(trm_reader *reader, const trm_json *object, trm_model_def *def);

/* rename.c: adds the prefix to the names of the elements of an included model, also in references to each other,
 * replaces its constants in functions of time by their values, and moves it to its place. Names that it does not
 * define refer to the including model and are unchanged. Returns false if out of memory. */
typedef struct trm_renaming {
    trm_arena *arena;
    const trm_model_def *def; /* the definition before renaming */
    const char *prefix;
    trm_pose place;
} trm_renaming;

bool trm_rename_model(const trm_renaming *renaming, trm_model_def *def);

#endif
