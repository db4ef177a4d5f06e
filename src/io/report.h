/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The data of a run that are stored for its report: poses (animation.h), and numbers at the same times. */

#ifndef TRM_IO_REPORT_H
#define TRM_IO_REPORT_H

#include "io/page.h"
#include "sim/sim.h"

struct trm_report {
    trm_arena arena;
    trm_sim *sim;
    trm_animation *animation;
    trm_page_series series;
    float **rows; /* one number per series, for each row of the animation */
    int row_room;
};

#endif
