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
    double kinetic;                           /* J: the most so far */
    double potential[2];                      /* J: the least and the most so far */
    double input[2];                          /* J: likewise of the work put in */
    double change;                            /* J: the most kinetic energy of the change of velocities in a step */
    double momentum;                          /* kg m/s: the most so far, of all bodies one by one, */
    double spin;                              /* kg m^2/s: and about the origin */
    double least_scale;                       /* J: of energies, from weight and size */
    double error[2];                          /* J: the least and the most of E - E0 - W so far */
    double reach;                             /* m: the largest coordinate so far */
    double size;                              /* m: of the machine at the start */
    int64_t acted_on;                         /* 1: forces act that the model does not know */
} trm_monitor;

/* Before the first observation. */
void trm_monitor_start(trm_monitor *monitor);

/* A step was made that changed velocities so; NAN: how much is not known. */
void trm_monitor_step(trm_monitor *monitor, double change);

/* J: kinetic energy that the change of velocities from one state to the other would have by itself. */
double trm_energy_of_change(const trm_state *from, const trm_state *to);

/* One more state, with velocities that fit. The first one is what the others are compared with. */
void trm_monitor_observe(trm_monitor *monitor, const trm_state *state);

#endif
