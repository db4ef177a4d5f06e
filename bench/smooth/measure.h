/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One engine on one scene with one step: its cost and its errors. */

#ifndef TRM_BENCH_MEASURE_H
#define TRM_BENCH_MEASURE_H

#include "rows.h"
#include "scenes.h"

/* What is to be run. */
typedef struct request {
    const scene_kind *kind;
    const scene *scene;
    const peer *peer;
    double h;
    const body_state *reference; /* at the end; may be NULL */
} request;

/* How the status of a row begins if the engine cannot run the scene, whatever the step. */
#define CANNOT_RUN "cannot run it: "
/* Or if it took too long, as it would with smaller steps. */
#define TOO_SLOW "too slow: stopped"

/* In a child process with a time limit: a crash or a hang of an engine becomes a row that says so. */
row measure(const request *r);

/* Where ours has the bodies at the end with the step h, into states. false: it gave up. */
bool run_reference(const scene *s, double h, body_state *states);

#endif
