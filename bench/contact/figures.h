/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What a run is judged by, computed alike for every engine from where the bodies are. */

#ifndef TRM_BENCH_CONTACT_FIGURES_H
#define TRM_BENCH_CONTACT_FIGURES_H

#include "scenes.h"

enum { REST_TIMES = 2, APEXES = 5 };
extern const double rest_times[REST_TIMES]; /* s: 4 and 10 */

/* NAN: not known, or not so long simulated. */
typedef struct figures {
    double error;             /* what the scene is about: scene_error */
    double penetration;       /* m, largest seen */
    double penetration_end;   /* m, at the end */
    double v_rms[REST_TIMES]; /* m/s, of the centres of all bodies: motion left */
} figures;

typedef struct watch {
    const scene_kind *kind;
    const scene *scene;
    figures found;
    double farthest; /* m: of the last body from its start */
    double apex[APEXES], before;
    int apex_count;
} watch;

watch watch_begin(const scene_kind *kind, const scene *s);
/* Behind every stride of steps. false: the bodies are nowhere any more. */
bool watch_sample(watch *w, const body_state *states, double time);
/* At the end. */
figures watch_result(const watch *w, const body_state *states, double time);

#endif
