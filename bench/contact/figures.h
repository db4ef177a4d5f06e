/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The figures by which a run is judged, computed in the same way for every engine from the poses of the bodies. */

#ifndef TRM_BENCH_CONTACT_FIGURES_H
#define TRM_BENCH_CONTACT_FIGURES_H

#include "common/bench.h"
#include "scenes.h"

/* The figures of a row; the first four are those of scene_error. */
enum {
    CREEP = ERROR_CREEP,
    SLIDE = ERROR_SLIDE,
    APEX = ERROR_APEX,
    TOP = ERROR_TOP,
    PENETRATION,     /* m, largest seen */
    PENETRATION_END, /* m, at the end */
    V_RMS_4,         /* m/s, of the centres of all bodies at 4 s: motion left */
    V_RMS_10,        /* at 10 s */
};
extern const column contact_columns[];

/* Observes contacts. The scene has exploded when a body is too far away or not finite. */
extern const watcher contact_watcher;

#endif
