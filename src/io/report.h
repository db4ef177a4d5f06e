/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What is kept of a run for its report: poses (animation.h), and numbers at the same moments. */

#ifndef TRM_IO_REPORT_H
#define TRM_IO_REPORT_H

#include "io/scene.h"
#include "sim/sim.h"

/* One number over time. */
typedef struct trm_report_series {
    const char *name, *unit, *group; /* viewer/DATA.md */
    bool log;
    int joint; /* whose; -1: of the whole machine */
    int index; /* among what it has */
    double (*value)(const struct trm_report *report, const struct trm_report_series *series, const trm_state *state);
} trm_report_series;

struct trm_report {
    trm_arena arena;
    trm_sim *sim;
    trm_animation *animation;
    trm_report_series *series;
    int series_count;
    float **rows; /* one number per series, for each row of the animation */
    int row_room;
    double energy_start; /* J */
};

/* report_series.c: which there are; false: out of memory. */
bool trm_report_list_series(trm_report *report);

/* report_scene.c: bodies, parts and joints as JSON. */
trm_status trm_report_write_scene(const trm_report *report, const char *name, trm_sink sink);

/* Bytes as base64. */
bool trm_write_base64(const void *bytes, size_t count, trm_sink sink);

#endif
