/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the accuracy report gathers while a simulation runs. */

#ifndef TRM_SIM_MONITOR_H
#define TRM_SIM_MONITOR_H

#include "motion/state.h"

typedef struct trm_monitor {
    trm_accuracy result;
    double energy_error_sum;
    trm_momentum start; /* momentum at the first observation */
    double start_time;
    trm_vec3 start_com;
    double mass;
    double largest_gap, largest_velocity_gap; /* m and rad together: by which joints are compared */
    int64_t acted_on;                         /* 1: forces act that the model does not know */
} trm_monitor;

/* One more state, with velocities that fit. The first one is what the others are compared with. */
void trm_monitor_observe(trm_monitor *monitor, const trm_state *state);

#endif
