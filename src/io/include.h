/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* "include": models within models. */

#ifndef TRM_IO_INCLUDE_H
#define TRM_IO_INCLUDE_H

#include "io/form.h"

extern const trm_kind trm_kind_include; /* reads nothing by itself: */

/* Adds the elements of all included models after those of the model. Returns false if out of memory. */
bool trm_read_includes(trm_reader *reader, const trm_json *object, trm_model_def *def);

/* rename.c: gives the elements of an included model its prefix, also where they name each other, puts the values
 * of its constants into its functions of time, and places it. What it names and does not have is left to the model
 * that includes it. Returns false if out of memory. */
typedef struct trm_renaming {
    trm_arena *arena;
    const trm_model_def *def; /* as it was read */
    const char *prefix;
    trm_pose place;
} trm_renaming;

bool trm_rename_model(const trm_renaming *renaming, trm_model_def *def);

#endif
