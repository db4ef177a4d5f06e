/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs a machine and stores what the checks compare. */

#ifndef TORTURE_RUN_H
#define TORTURE_RUN_H

#include "view.h"

/* Result of an invariant. */
typedef enum verdict {
    HOLDS,
    FAILS,
    NOT_TOLD, /* the machine is chaotic, not resolved by its steps, or refused by the method */
    CRASHED,  /* ended by a signal, or out of memory */
    HUNG,     /* its limit of processor time was exceeded */
    VERDICTS
} verdict;

/* Counters besides failures: how many of the claims hold. */
typedef enum score {
    SCORE_ORDER_2, /* machines that converge with the order requested */
    SCORE_ORDER_4,
    SCORE_ORDER_6,
    SCORE_ORDER_8,
    SCORE_AGREE, /* methods that agree with the reference to 1e-6 times the sensitivity, of those that resolve the motion */
    SCORE_RESOLVED, /* methods that resolve the motion, of those that take the machine */
    SCORE_GOOD,     /* runs called good that are right */
    SCORE_RIGHT,    /* right runs that are not called bad */
    SCORES
} score;

typedef struct share {
    long hold, all;
} share;

typedef struct finding {
    verdict verdict;
    double value, bound; /* what was measured, and what it may be at most */
    char kind[40];       /* the claim that does not hold: the reducer requires the same one */
    char text[400];      /* what happened and what is expected */
    char options[120];   /* of `trammel run` that show it */
    share shares[SCORES];
    double seconds; /* of the processor */
} finding;

/* A machine as checks see it, without the parts that the reducer has removed. */
typedef struct subject {
    const machine *m;
    removed r;
    bool whole; /* nothing is sampled: checks make all their trials */
} subject;

/* Returns whether this machine's sample of `what`, one in so many, contains number `index`. The sample depends on the
 * name of the machine, so that the reducer repeats the failure. */
bool is_sampled(const subject *s, const char *what, int index, int one_in);

/* A complete run, in the units of the unscaled machine. */
typedef struct motion {
    bool accepted; /* the method takes the model */
    bool ok;       /* the end was reached */
    bool spent;    /* it took more steps than MOST_STEPS allows */
    bool finite;   /* all poses, velocities and energies */
    char why[400]; /* why it ended */
    bool there[MOST_BODIES];
    trm_pose pose[MOST_BODIES];
    double position_tolerance, angle_tolerance, velocity_tolerance; /* that were at work: m, rad, m/s and rad/s */
    trm_gap
        nearness; /* m, rad: within which bounds are reached. Given as tolerances they lead to those that were at work */
    trm_accuracy accuracy; /* in the units of the run */
    trm_counters counters;
    trm_grade grade;     /* by the verdict on the run, */
    char reason[200];    /* and its first reason */
    double steps;        /* number of steps that the watch counted */
    double energy_first; /* J, kinetic and potential */
    double energy_most;  /* J, the largest kinetic and potential energy of a row above that of the first row */
    double kinetic_most; /* J */
    double reach;        /* m: largest distance of a body from its start */
} motion;

/* Definition of a run. */
typedef struct run_def {
    view view;
    trm_simulation_def options;
    /* Called at each row of the run; NULL: nothing is called. */
    void (*row)(void *context, trm_sim *sim);
    void *context;
    bool reactions;
    double every;    /* s, between rows; NAN: after each step */
    double patience; /* allowed steps per planned step */
} run_def;

run_def run_plain(const subject *s);
/* Runs the machine, or returns the result of an equal earlier run in this process, unless a function is called at its
 * rows. */
motion run_machine(const subject *s, const run_def *def);

/* Returns the distance of the same bodies in two runs: the largest distance or angle (times 1 m). */
double motion_distance(const subject *s, const motion *a, const motion *b);

/* Properties of a model by its definition. */
typedef enum trait {
    HAS_CONTACTS = 1 << 0,
    HAS_EVENTS = 1 << 1,  /* limits, friction, ropes, forces with a limit, breaking */
    HAS_DAMPING = 1 << 2, /* forces that depend on velocities */
    HAS_POWER = 1 << 3,   /* forces of time, servos, drives, motors, moving bodies */
    HAS_HOLDS = 1 << 4,   /* something is joined to the ground, a fixed or a moving body */
    HAS_SPLINES = 1 << 5, /* curves whose third derivative jumps */
} trait;

unsigned traits_of(const subject *s);

/* Returns a measure of the energies of a machine, J: initial kinetic energy, weights falling by the machine's size,
 * springs at the start. */
double energy_scale(const subject *s);

/* A finding that a text describes. */
finding holds(void);
finding not_told(const char *why);
finding fails(const char *kind, double value, double bound, const char *format, ...) TRM_PRINTF(4, 5);

/* Returns HOLDS if the run reached its end with valid results, else the reason. */
finding sound(const motion *run);

/* Returns how far the end of a run moves if the start is changed by 1 (m/s), by runs with small changes. If the first
 * one gives more than `enough`, no other is made. */
double sensitivity(const subject *s, const run_def *def, const motion *run, double enough);
/* Does the same for a start that is changed by this much (m/s). INF: that run stops. */
double sensitivity_to(const subject *s, const run_def *def, const motion *run, double nudge);

#endif
