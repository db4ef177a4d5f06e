/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What a bench asks of every engine, our own included: build a scene, make steps, tell where the bodies are. All figures are
 * computed by the bench from what `read` tells, in the same way for every engine.
 *
 * An engine is one line in peers/list.h and one file in the folder peers/ of every bench, with its variants there (an
 * integrator, a solver). What these files share is in peers/ next to this file. */

#ifndef TRM_BENCH_PEER_H
#define TRM_BENCH_PEER_H

#include "common/scene.h"

typedef struct peer {
    const char *name;    /* "ODE" */
    const char *variant; /* "dWorldStep" */
    const char *note;    /* what the variant is, in a few words, for the tables */
    const char *(*version)(void);
    void *(*create)(const scene *scene, double h, const char **why); /* NULL: cannot run it, *why says why not */
    bool (*step)(void *engine, int count);                           /* false: it gave up */
    void (*read)(void *engine, body_state *states);                  /* of all bodies, at the end of the last step */
    void (*destroy)(void *engine);
} peer;

#endif
