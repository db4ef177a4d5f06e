/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time that may be replaced while the machine runs. */

#ifndef TRM_MODEL_SETTINGS_H
#define TRM_MODEL_SETTINGS_H

#include "model/model.h"

typedef struct trm_settable {
    trm_chosen *chosen; /* NULL: there is none */
    int memory_offset;  /* start of the memory of its element */
    const char *key;    /* its key in the file: "target" */
} trm_settable;

/* Returns the function of time of the servo, drive, motor or actuator with this name that has this key, or its first
 * function if key is NULL. If there is no such element, `chosen` of the result is NULL. Drives and motors are stored
 * as joints. */
trm_settable trm_settable_called(const trm_model *model, const char *name, size_t length, const char *key);

/* Assigns an index in the memory to the choice, unless it has one. */
void trm_remember_choice(trm_model *model, const trm_settable *settable);

/* Lists the functions that the caller may set. Returns false when out of memory. */
bool trm_build_settings(trm_build *build);

/* Returns whether every choice in the memory names an existing function. */
bool trm_choices_are_valid(const trm_model *model, const double *memory);

#endif
