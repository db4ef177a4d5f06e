/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A function of time that events may replace by others, and the caller by a number. The state remembers which one it is at present, as a
 * number in the memory that the kernels of joints and forces see: 0 the first, 1, 2, ... the others, -1 what the caller has set, which
 * stands behind it. */

#ifndef TRM_MODEL_CHOSEN_H
#define TRM_MODEL_CHOSEN_H

#include "math/function.h"

enum { TRM_CHOSEN_BY_CALLER = -1 };

typedef struct trm_chosen {
    const trm_function *first;   /* from the start on; NULL: there is none */
    const trm_function **others; /* numbers 1, 2, ... */
    int other_count;
    bool remembered; /* the number stands in the memory; else it is 0 */
    int memory;      /* where, from where the element's memory begins */
    int offset;      /* of the element's memory in that of the model, which begins with the inputs */
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
