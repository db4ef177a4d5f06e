/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Data of the accuracy report, collected while a simulation runs. */

#ifndef TRM_SIM_MONITOR_H
#define TRM_SIM_MONITOR_H

#include "methods/method.h"
#include "motion/state.h"

/* Changes made by one step. Bodies on which a contact within the step acts are counted separately. */
typedef struct trm_change {
    double energy;                /* J: dV.M dV/2 of the change dV of all velocities; NAN: not known */
    double free_energy;           /* J: the same for bodies without such contacts */
    double speed, rate;           /* m/s, rad/s: largest change of a free body's velocity */
    double fastest, fastest_rate; /* m/s, rad/s: largest velocity at its end */
    double defect, defect_angle;  /* m, rad: largest distance of a free body from its pose by the mean velocity */
    double jump, jump_rate;       /* m/s, rad/s: largest change of velocity by an impact within the step */
    double bend, bend_rate;       /* m/s^2, rad/s^2: the same times the rate at which the body turns */
    double landing, landing_rate; /* m/s, rad/s: largest error of a velocity by impacts that act at once, or late */
    double kinetic, input;        /* J: kinetic energy at its end, work of inputs up to it */
    double step;                  /* s: length of the step; 0: there was none */
    int64_t half;  /* 1: velocities are projected at its start only: it has half of the joint impulses */
    int64_t known; /* 1: the defects are known */
} trm_change;

/* Accelerations at the start of the last step. Defects follow from them where velocities are not projected. */
typedef struct trm_slopes {
    double time, step; /* s: start and length of that step; step 0: there was none */
    trm_spatial *body; /* m/s^2, rad/s^2: per body, world axes; NULL: not needed */
} trm_slopes;

/* Shapes that passed through each other within steps. */
typedef struct trm_passages {
    int64_t count;
    int64_t body[2]; /* the first two bodies that did */
    double time;     /* s: end of that step */
} trm_passages;

typedef struct trm_monitor {
    trm_accuracy result;
    double energy_error_sum;
    trm_momentum start; /* momentum at the first observation */
    double start_time;
    trm_vec3 start_com;
    double mass;
    double largest_gap, largest_velocity_gap; /* m and rad together, per second for velocities */
    double kinetic;                           /* J: largest kinetic energy of a step or a row so far */
    double potential[2];                      /* J: least and largest potential energy of a row so far */
    double input[2];                          /* J: least and largest work of inputs so far, of steps and rows */
    double change, free_change;               /* J: largest dV.M dV/2 in a step, of all bodies and of free ones */
    trm_change half;              /* the last step, until its velocities are projected; else its step is 0 */
    double jumps, jumps_angle;    /* m^2, rad^2: sums of (h dv/2)^2 of impacts within steps */
    double bends, bends_angle;    /* (m/s)^2, (rad/s)^2: sums of the squared errors of velocities by such impacts */
    double fastest, fastest_rate; /* m/s, rad/s: largest velocity of a body so far */
    trm_gap drift;                /* sums over steps of h dv^p, p being the order, without the steps counted next */
    trm_gap defects;              /* m, rad: sums of the defects of steps of order 2 where they are known */
    double momentum;       /* kg m/s: largest sum over all bodies of |momentum| and mass times turning speed so far */
    double spin;           /* kg m^2/s: the same of angular momentum about the origin */
    double least_scale;    /* J: least energy scale, from weight and size */
    double error[2];       /* J: least and largest E - E0 - W so far */
    double reach;          /* m: largest coordinate so far */
    double size;           /* m: size of the machine at the start */
    int64_t acted_on;      /* 1: the caller applies forces that the model does not contain */
    trm_passages passages; /* shapes that passed through each other within steps (passing.c) */
} trm_monitor;

/* Call before the first observation. */
void trm_monitor_start(trm_monitor *monitor);

/* Adds a step of this order with its changes. */
void trm_monitor_step(trm_monitor *monitor, const trm_change *change, double order);
/* Replaces the changes of the last step by those of the whole step, after its velocities were projected. */
void trm_monitor_complete(trm_monitor *monitor, const trm_change *change, double order);

/* Returns the sum of the errors of steps of this order, m and rad. */
trm_gap trm_monitor_drift(const trm_monitor *monitor, double order);
/* Returns the error of poses at a time, m and rad, due to impacts at unknown times within steps. */
trm_gap trm_monitor_jumps(const trm_monitor *monitor, double time);
/* Returns |E - E0 - W| as steps of this order explain it, J; NAN: not known. */
double trm_monitor_energy(const trm_monitor *monitor, double order);

/* Returns the changes from one state to the other by a step h, with its contacts. slopes: those of the last step,
 * which are replaced by those of this step; NULL: not known. */
trm_change trm_change_of(const trm_state *from, const trm_state *to, const trm_step_context *step, double h,
                         trm_slopes *slopes);

/* Returns the error of the poses of a step of order 2, m and rad together; INFINITY: not known. */
double trm_change_error(const trm_change *change);

/* Adds an observation of a state with projected velocities. The first one is the reference for the others. */
void trm_monitor_observe(trm_monitor *monitor, const trm_state *state);

#endif
