/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the accuracy report gathers while a simulation runs. */

#ifndef TRM_SIM_MONITOR_H
#define TRM_SIM_MONITOR_H

#include "motion/state.h"

/* What one step changed. */
typedef struct trm_change {
    double energy;                /* J: kinetic energy of the change of velocities by itself; NAN: not known */
    double speed, rate;           /* m/s, rad/s: the largest change of a body's velocity, */
    double fastest, fastest_rate; /* and the largest velocity at its end */
} trm_change;

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
    double fastest, fastest_rate;             /* m/s, rad/s: of a body so far */
    double drift, drift_angle;                /* sums over steps of h dv^(p+1), p being the order */
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

/* A step of this order and length was made that changed velocities so. */
void trm_monitor_step(trm_monitor *monitor, const trm_change *change, double order, double h);

/* m, rad: errors of steps of this order, added up: the sum of (dv/v)^p dv h. */
trm_gap trm_monitor_drift(const trm_monitor *monitor, double order);

/* From one state to the other. */
trm_change trm_change_of(const trm_state *from, const trm_state *to);

/* One more state, with velocities that fit. The first one is what the others are compared with. */
void trm_monitor_observe(trm_monitor *monitor, const trm_state *state);

#endif
