/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads definitions of callers whose structs may be smaller than the library's. */

#ifndef TRM_MODEL_DEF_H
#define TRM_MODEL_DEF_H

#include "base/arena.h"
#include "model/fields.h"

/* Copies a caller's definition over the defaults of its kind; given NULL: writes the defaults. own has the library's
 * size. */
void trm_read_def(trm_def_kind kind, trm_sized given, void *own);

/* Returns a caller's list of definitions that are no part of a model as one of the library's size, in memory of the
 * arena unless it is one already. Returns NULL if out of memory. */
const void *trm_read_defs(trm_def_kind kind, trm_sized given, int count, trm_arena *arena);

/* Makes room for `count` elements of a kind in a definition that has none of this kind, so that adding them moves no
 * list. Returns false if out of memory. */
bool trm_def_reserve(trm_model_def *def, trm_def_kind kind, int count);

#endif
