/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time that may be replaced while the machine runs. */

#ifndef TRM_MODEL_SETTINGS_H
#define TRM_MODEL_SETTINGS_H

#include "model/model.h"

typedef struct trm_settable {
    trm_chosen *chosen; /* NULL: there is none */
    int memory_offset;  /* where the memory begins that its element sees */
    const char *key;    /* by which the file names it: "target" */
} trm_settable;

/* Of the servo, drive, motor or actuator of this name the function that the file names by the key, or the one that it has first; without a
 * key: there is none. Drives and motors are joints inside. */
trm_settable trm_settable_called(const trm_model *model, const char *name, size_t length, const char *key);

/* Gives the choice a place in the memory, if it has none. */
void trm_remember_choice(trm_model *model, const trm_settable *settable);

/* Lists what the caller may set; false: out of memory. */
bool trm_build_settings(trm_build *build);

/* Whether the state remembers a choice of each that there is. */
bool trm_choices_are_sound(const trm_model *model, const double *memory);

#endif
