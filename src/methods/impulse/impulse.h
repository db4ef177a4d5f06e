/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The workspace of the impulse method (Schmitt 2003, sections 4 to 6).
 *
 * At the pose of time t every attached joint has its rows J, the responses W = M^-1 J^T of its bodies to a unit
 * impulse along each row, and the inverse of its own block A = J W of the joint matrix. They serve the velocity
 * correction that ends a step and the look-ahead that begins the next. */

#ifndef TRM_METHODS_IMPULSE_IMPULSE_H
#define TRM_METHODS_IMPULSE_IMPULSE_H

#include "methods/method.h"
#include "motion/free.h"

/* One attached joint at the present pose. */
typedef struct trm_impulse_joint {
    const trm_joint *joint;
    int index;          /* in the model */
    trm_spatial *J, *W; /* rows x bodies */
    double *inverse;    /* rows x rows: A^-1; NULL: the solver does not want it */
    bool driven;        /* the outside prescribes something: a drive, a moving body */
    double *drive;      /* per row of a driven one: the speed that it prescribes, -(c_t + J V of moving bodies) */
    double *c_t;        /* likewise */
} trm_impulse_joint;

/* A force along one row that depends on its rate (a damped spring), at the present pose. */
typedef struct trm_impulse_damper {
    int force;
    trm_force_row row;
    trm_spatial W[2];
    double own;     /* J W: how its own impulse changes its rate */
    double impulse; /* given so far in this correction, N s */
} trm_impulse_damper;

typedef struct trm_impulse trm_impulse;

/* The worst of a round over all that takes part in it. */
typedef struct trm_impulse_worst {
    double residual; /* in tolerances */
    const char *kind, *name;
} trm_impulse_worst;

/* What a part of the work adds to the clock's work and to the counters; kept apart where several threads are at it. */
typedef struct trm_impulse_tally {
    double work; /* J */
    long long checks, corrections, newton;
} trm_impulse_tally;

/* How joint impulses are found. */
typedef struct trm_impulse_solver {
    const char *name;
    int most_velocity_rounds;        /* more do not help */
    bool wants_inverse;              /* of each joint's own block */
    bool (*create)(trm_impulse *w);  /* what it keeps of its own; false: out of memory; NULL: nothing */
    void (*prepare)(trm_impulse *w); /* when there are new rows; NULL: nothing to do */
    /* Impulses at t that close all joints in the look-ahead; false: they could not be found, outcome says why. */
    bool (*correct_joints)(trm_impulse *w, double h, trm_outcome *outcome);
    /* One round (counted from 1) of impulses that make velocities fit; worst: how little they did before. */
    void (*match_velocities)(trm_impulse *w, int round, trm_impulse_worst *worst);
    /* One round of forces that make accelerations fit. */
    void (*match_accelerations)(trm_impulse *w);
    int most_reaction_rounds;
    int most_fit_rounds; /* over velocities, while poses are made to fit */
    int (*dropped)(const trm_impulse *w, trm_row_name *rows, int most); /* NULL: it drops none */
} trm_impulse_solver;

extern const trm_impulse_solver trm_impulse_iterative, trm_impulse_direct;

typedef struct trm_direct trm_direct;

struct trm_impulse {
    trm_stepper *stepper;
    const trm_impulse_solver *solver;
    trm_direct *direct;        /* the direct solver's own */
    trm_impulse_joint *joints; /* island after island, */
    int joint_count;
    int *first_joint; /* those of island i from first_joint[i] to first_joint[i + 1] - 1 */
    int island_count; /* that have joints */
    trm_impulse_damper *dampers;
    int damper_count;
    trm_outlook *outlook;      /* per body: from where it looks ahead; none where its motion is given */
    trm_pose *ahead;           /* per body: look-ahead to t + h; between steps, from where poses are made to fit */
    bool *moved;               /* per body: its velocity has changed since its look-ahead */
    bool *held;                /* per body: no impulse changes its velocity */
    int threads;               /* for loops over all bodies or joints */
    trm_gap per_tolerance;     /* 1 / m, 1 / rad */
    double h;                  /* s: of this look-ahead */
    double span;               /* s: the impulses of this look-ahead are forces times this; 0: not to be said */
    trm_mat3 *inverse_inertia; /* per body, in the world */
    trm_spatial *acceleration; /* per body, while reactions are found */
    double *gamma;             /* per row of the model, likewise */
    double *wanted;         /* per row of the model: takes the place of c_t while poses are made to fit; else NULL */
    trm_spatial *wrench;    /* two per force of the model: what it does now */
    trm_spatial *called;    /* per force of the caller: its impulse so far in this velocity correction */
    bool velocities_needed; /* something reads velocities in every step */
    trm_pose *rows_pose;    /* per body: the pose that joints[] and dampers[] belong to, */
    double rows_time;       /* and the time; NAN: none yet */
};

/* A loop over so many bodies or joints is worth several threads. */
enum { TRM_IMPULSE_MANY = 50000 };

/* A residual in tolerances that will not come back; far from overflow. */
#define TRM_BEYOND_HOPE 1e100

void trm_impulse_take_worse(trm_impulse_worst *so_far, double residual, const char *kind, const char *name);
bool trm_impulse_diverged(trm_outcome *outcome, const trm_impulse_worst *worst, const char *what); /* false */

/* rows.c: everything that belongs to a pose, made anew if the state has another one by now. */
void trm_impulse_rows(trm_impulse *w);

/* M^-1 F of one body. */
trm_spatial trm_impulse_response(const trm_impulse *w, int body, trm_spatial F);

/* A wrench for an instant: V += M^-1 F. */
void trm_impulse_hit(trm_impulse *w, int body, trm_spatial impulse);

/* Impulses lambda along the rows of a joint; adds the work that the outside does through them. */
void trm_impulse_push(trm_impulse *w, const trm_impulse_joint *j, const double *lambda, double *work);
void trm_impulse_take_tally(trm_impulse *w, const trm_impulse_tally *tally);

/* lambda = s A^-1 c */
void trm_impulse_solve(const trm_impulse_joint *j, double s, const double *c, double *lambda);

/* kicks.c: forces as impulses. Forces act for the time dt at the present pose: all of them, or those that do not depend
 * on velocities (the velocity correction applies the others implicitly). False: a force is not finite. */
typedef enum trm_which_forces { TRM_ALL_FORCES, TRM_FORCES_OF_POSITION } trm_which_forces;
bool trm_impulse_kick(trm_impulse *w, double dt, trm_which_forces which, trm_outcome *outcome);

/* A force of the caller at the present state; false: it is not finite, and outcome says so. */
bool trm_impulse_ask(trm_impulse *w, int called, trm_spatial *F, trm_outcome *outcome);

/* Power of all that is not potential, W. */
double trm_impulse_power(const trm_impulse *w);

/* reactions.c: the forces in the joints, into the state. J a - gamma of a joint; forces lambda along its rows. */
bool trm_impulse_reactions(trm_impulse *w, trm_outcome *outcome);
void trm_impulse_acceleration_gap(const trm_impulse *w, const trm_impulse_joint *j, double *gap);
void trm_impulse_hold(trm_impulse *w, const trm_impulse_joint *j, const double *lambda);

/* fit.c: the nearest poses at which all joints are closed; velocities stay as they are. */
bool trm_impulse_fit_positions(trm_impulse *w, trm_outcome *outcome);

/* phases.c */
void trm_impulse_look_ahead(trm_impulse *w, double h); /* to the stepper's goal, h from now */
bool trm_impulse_correct_joints(trm_impulse *w, double h, trm_outcome *outcome);
void trm_impulse_advance(trm_impulse *w, double h);
void trm_impulse_remember_turns(trm_state *state, double h); /* of joints, after a motion that took h */
/* A joint at any poses and time: its residual, and how far that is open in units of the tolerance. */
double trm_impulse_open(const trm_impulse *w, const trm_impulse_joint *j, const trm_pose *poses, double t, double *c);
/* A joint in the look-ahead: its residual there, and how far that is open in units of the tolerance. */
double trm_impulse_look(trm_impulse *w, const trm_impulse_joint *j, double *c);
/* J V + c_t of one joint, and how much that is in units of the tolerance. */
double trm_impulse_check_velocity(const trm_impulse *w, const trm_impulse_joint *j, double *c_dot);

/* dt: for how long forces that depend on velocities act, implicitly, while velocities are made to fit. */
bool trm_impulse_correct_velocities(trm_impulse *w, double dt, trm_outcome *outcome);

#endif
