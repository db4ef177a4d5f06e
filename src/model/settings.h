/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions of time that may be replaced while the machine runs. */

#ifndef TRM_MODEL_SETTINGS_H
#define TRM_MODEL_SETTINGS_H

#include "model/model.h"

typedef struct trm_settable {
    trm_chosen *chosen; /* NULL: there is none */
    int memory_offset;  /* start of the memory that its element sees */
    const char *key;    /* its key in the file: "target" */
} trm_settable;

/* Returns the function of time that the key names in the servo, drive, motor or actuator of this name, or its
 * first one if the key names none. Without such an element, `chosen` of the result is NULL. Drives and motors are
 * joints inside. */
trm_settable trm_settable_called(const trm_model *model, const char *name, size_t length, const char *key);

/* Reserves a place in the memory for the choice, unless it has one. */
void trm_remember_choice(trm_model *model, const trm_settable *settable);

/* Lists the functions that the caller may set. Returns false when out of memory. */
bool trm_build_settings(trm_build *build);

/* Returns whether every choice in the memory names an existing function. */
bool trm_choices_are_sound(const trm_model *model, const double *memory);

#endif
