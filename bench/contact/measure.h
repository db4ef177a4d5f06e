/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One engine on one scene: its cost and its figures. */

#ifndef TRM_BENCH_CONTACT_MEASURE_H
#define TRM_BENCH_CONTACT_MEASURE_H

#include "rows.h"

/* What is to be run. */
typedef struct request {
    const scene_kind *kind;
    const scene *scene;
    const peer *peer;
} request;

/* In a child process with a time limit: a crash or a hang of an engine becomes a row that says so, with the figures until
 * then. */
row measure(const request *r);

#endif
