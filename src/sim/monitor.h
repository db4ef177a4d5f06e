/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the accuracy report gathers while a simulation runs. */

#ifndef TRM_SIM_MONITOR_H
#define TRM_SIM_MONITOR_H

#include "motion/state.h"

/* What one step changed. Bodies that a contact within the step acts on are counted apart. */
typedef struct trm_change {
    double energy;                /* J: kinetic energy of the change of velocities by itself; NAN: not known, */
    double free_energy;           /* and of bodies without such contacts */
    double speed, rate;           /* m/s, rad/s: the largest change of a free body's velocity, */
    double fastest, fastest_rate; /* and the largest velocity at its end */
    double jump, jump_rate;       /* m/s, rad/s: the largest change by an impact within the step, */
    double bend, bend_rate;       /* m/s^2, rad/s^2: and times the rate at which its body turns */
    double step;                  /* s: its length; 0: there was none */
    int64_t
        half; /* 1: velocities fit at its start and not at its end, so that only half the impulses of joints is in it */
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
    double change, free_change;               /* J: the most kinetic energy of the change of velocities in a step */
    trm_change half;                          /* the last step, until its velocities fit; else its step is 0 */
    double jumps, jumps_angle;                /* m^2, rad^2: sums of (h dv/2)^2 of impacts within steps, */
    double bends, bends_angle;                /* (m/s)^2, (rad/s)^2: and of (h w dv/2)^2 */
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

/* A step of this order was made that changed velocities so. */
void trm_monitor_step(trm_monitor *monitor, const trm_change *change, double order);
/* The velocities at the end of the last step fit now: what it changed as a whole. */
void trm_monitor_complete(trm_monitor *monitor, const trm_change *change, double order);

/* m, rad: errors of steps of this order, added up: the sum of (dv/v)^p dv h. */
trm_gap trm_monitor_drift(const trm_monitor *monitor, double order);
/* m, rad: by what impacts at unknown moments within steps may have moved bodies until this time. */
trm_gap trm_monitor_jumps(const trm_monitor *monitor, double time);
/* J: what steps of this order make of |E - E0 - W|; NAN: not known. */
double trm_monitor_energy(const trm_monitor *monitor, double order);

/* From one state to the other by a step h. in_contact: per body, whether a contact within the step acts on it; NULL: none does. */
trm_change trm_change_of(const trm_state *from, const trm_state *to, const bool *in_contact, double h);

/* One more state, with velocities that fit. The first one is what the others are compared with. */
void trm_monitor_observe(trm_monitor *monitor, const trm_state *state);

#endif
