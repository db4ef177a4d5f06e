/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* ODE and ours after the same calls. */

#ifndef TRM_BENCH_ODE_RIVALS_H
#define TRM_BENCH_ODE_RIVALS_H

#include "world.h"

typedef enum rival_kind { ODE_STEP, ODE_QUICK_STEP, OURS_DANTZIG, OURS_PGS, RIVALS } rival_kind;

extern const char *const rival_names[RIVALS];

typedef struct rival {
    void *engine; /* NULL: not created */
    bool (*step)(void *engine, int count);
    void (*read)(void *engine, body_state *states);
    void (*destroy)(void *engine);
} rival;

/* Creates a rival. Returns false after reporting that it cannot be created. */
bool rival_create(rival_kind kind, const scene *s, const parameters *p, rival *r);
void rival_destroy(rival *r);

/* Returns ODE's defaults in double precision. */
parameters default_parameters(void);

#endif
