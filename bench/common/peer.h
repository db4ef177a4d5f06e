/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The functions that a bench requires of every engine, including our own: build a scene, make steps, report the positions of the bodies. The bench computes all figures from the result of `read`, in the same way for every engine.
 *
 * An engine is one line in peers/list.h and one file in the folder peers/ of every bench, which contains its variants there
 * (integrators, solvers). Code that these files share is in peers/ next to this file. */

#ifndef TRM_BENCH_PEER_H
#define TRM_BENCH_PEER_H

#include "common/scene.h"

typedef struct peer {
    const char *name;    /* "ODE" */
    const char *variant; /* "dWorldStep" */
    const char *note;    /* what the variant is, in a few words, for the tables */
    const char *(*version)(void);
    void *(*create)(const scene *scene, double h,
                    const char **why);     /* returns NULL with the reason in *why if it cannot run the scene */
    bool (*step)(void *engine, int count); /* returns false if it gave up */
    void (*read)(void *engine, body_state *states); /* reads the states of all bodies at the end of the last step */
    void (*destroy)(void *engine);
} peer;

#endif
