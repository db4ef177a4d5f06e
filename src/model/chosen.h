/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A function of time that an event may replace by another function, or the caller by a number. The state stores the
 * current choice as a number in the memory that is passed to the kernels of joints and forces: 0 is the first
 * function, 1, 2, ... are the others, and -1 is the caller's number. That number is stored in the next place of the
 * memory. */

#ifndef TRM_MODEL_CHOSEN_H
#define TRM_MODEL_CHOSEN_H

#include "math/function.h"

enum { TRM_CHOSEN_BY_CALLER = -1 };

typedef struct trm_chosen {
    const trm_function *first;   /* the function at the start; NULL: none */
    const trm_function **others; /* the functions with the numbers 1, 2, ... */
    int other_count;
    bool remembered; /* true: the memory holds the choice; false: the choice is always 0 */
    int memory;      /* index of the choice, counted from the start of the element's memory */
    int offset;      /* start of the element's memory in that of the model, which begins with the inputs */
} trm_chosen;

static inline const trm_function *trm_chosen_function(const trm_chosen *of, const double *memory)
{
    const int number = memory && of->remembered ? (int)memory[of->memory] : 0;
    return number > 0 ? of->others[number - 1] : of->first;
}

static inline bool trm_chosen_is_set(const trm_chosen *of, const double *memory)
{
    return memory && of->remembered && memory[of->memory] == TRM_CHOSEN_BY_CALLER;
}

static inline trm_jet trm_chosen_at(const trm_chosen *of, const double *memory, double t)
{
    if (trm_chosen_is_set(of, memory)) return (trm_jet){memory[of->memory + 1], 0, 0};
    return trm_function_at_inputs(trm_chosen_function(of, memory), t, memory ? memory - of->offset : NULL);
}

#endif
