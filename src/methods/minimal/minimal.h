/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Minimal coordinates: as many unknowns as there are degrees of freedom (Schirm, Blajer, Schiehlen 1993).
 *
 * The unknowns z are the independent coordinates and their rates, and the work that drives and all forces without a potential have
 * put in, if there are such. The motion is integrated by Adams' method of variable order and step (adams.h), or by fixed steps of a
 * Runge-Kutta rule of order 4 or 8. Behind each step every loop may exchange its independent coordinates for better ones (choice.c), the integrator's
 * history being transformed with them: order and step go on. */

#ifndef TRM_METHODS_MINIMAL_MINIMAL_H
#define TRM_METHODS_MINIMAL_MINIMAL_H

#include "methods/maximal/maximal.h"
#include "methods/maximal/runge_kutta.h"
#include "methods/minimal/adams.h"
#include "methods/minimal/compiled.h"
#include "methods/minimal/loop.h"

/* What becomes of the past when coordinates are exchanged. */
typedef enum trm_history { TRM_HISTORY_RING, TRM_HISTORY_DIFFERENCES, TRM_HISTORY_RESTART } trm_history;

/* The whole motion at a moment. */
typedef struct trm_moment {
    double t;
    double *y, *yd, *ydd; /* all coordinates */
    double power[2];      /* W: put in, and of dampers */
} trm_moment;

/* Options of the method, in the form in which steps use them. */
typedef struct trm_minimal_settings {
    bool fixed_steps;
    const trm_runge_kutta *rule; /* of fixed steps; NULL: there are none */
    trm_history history;
    double tolerance; /* of errors, relative */
    double ratio; /* a choice of coordinates is replaced by one whose quality is better by more than this factor */
} trm_minimal_settings;

/* Forces along coordinates of compiled branches: their recursions take them as torques, without poses. */
typedef struct trm_forces_along {
    int *force_coordinate; /* per force: the coordinate along which it acts; -1: none */
    bool any;              /* there is one */
    double *tau;           /* N m, N, per coordinate: the sum of these forces */
} trm_forces_along;

/* The state as the last step left it: what differs from it was set by the caller. */
typedef struct trm_left_state {
    trm_pose *pose;        /* per body */
    trm_spatial *velocity; /* per body */
    double *memory;
    double time; /* s */
} trm_left_state;

typedef struct trm_minimal {
    trm_stepper *stepper;
    trm_tree *tree;
    trm_dynamics *dynamics;
    trm_loop **loops;        /* per branch; NULL: it has none */
    trm_compiled **compiled; /* per branch; NULL: its accelerations come from the general recursions */
    bool *is_compiled;       /* per body: its branch is */
    bool *counts_turns;      /* per joint: its turns are not those of the tree's coordinates */
    bool has_loops;
    bool needs_poses; /* some force is neither gravity on a compiled branch nor along one of its coordinates */
    trm_forces_along along;
    int unknowns; /* of positions: degrees of freedom */
    int works;    /* unknowns that are work: none; what is put in; or that and what dampers take */
    trm_minimal_settings settings;
    trm_spatial *wrench;  /* per body */
    trm_moment now, base; /* where f was last asked for, and the last end of a step, from which is predicted */
    double *predicted;    /* all coordinates */
    double *memory;       /* of all joints, at w->now: the state's is that of the last step's end, turns ago */
    trm_moment ring[TRM_ADAMS_POINTS]; /* the last ends of steps, the present one first */
    int ring_count;
    trm_adams *adams;
    double *z, *rates, *stages; /* unknowns, and room for those of Runge-Kutta */
    double *past;               /* room for TRM_ADAMS_POINTS rates of unknowns */
    void *saved;                /* before the last step (saving.c); NULL: there are no loops */
    int steps_back;             /* in a row that were taken back */
    trm_maximal *machine;       /* by which velocities of the caller are made to fit; NULL: there were none yet */
    bool running;               /* the integrator goes on from where it is */
    trm_left_state left;
    long long evaluations; /* counted so far */
} trm_minimal;

/* How many numbers z has. */
static inline int trm_minimal_size(const trm_minimal *w)
{
    return 2 * w->unknowns + w->works;
}

/* The last numbers of z, or of its rates, are work, or power. */
static inline void trm_minimal_set_works(const trm_minimal *w, const double *works, double *z)
{
    for (int i = 0; i < w->works; i++) z[2 * w->unknowns + i] = works[i];
}

/* branches.c: which branches are loops, with closed forms where there are such, or compiled; false: out of memory. */
bool trm_minimal_make_loops(trm_minimal *w, bool closed_forms, trm_arena *arena);
bool trm_minimal_compile(trm_minimal *w, trm_arena *arena);

/* evaluate.c: unknowns to and from all coordinates; poses and velocities at z; and all of w->now, into rates. False: not here. */
void trm_minimal_gather(const trm_minimal *w, const double *y, const double *yd, double *z);
bool trm_minimal_place(trm_minimal *w, double t, const double *z);
bool trm_minimal_rates(void *minimal, double t, const double *z, double *rates);
/* between.c: the same within the last step where dependent coordinates cannot follow. */
bool trm_minimal_place_between(trm_minimal *w, double t);
/* Loops are closed from predictions that a checkpoint has, not from what was last seen. */
void trm_minimal_forget_seen(trm_minimal *w);
/* d2y/dt2 of w->now, whose poses and velocities are placed. */
bool trm_minimal_accelerate(trm_minimal *w);
/* Adds the weights of compiled branches to w->wrench: their gravity is an acceleration of the ground. */
void trm_minimal_add_weights(trm_minimal *w);

/* switch.c: behind a step, the base, the ring, and better coordinates if there are such; false: out of memory. */
bool trm_minimal_end_step(trm_minimal *w);
/* The first choice at the present state. */
bool trm_minimal_choose(trm_minimal *w, trm_outcome *outcome);
void trm_minimal_copy(const trm_minimal *w, trm_moment *to, const trm_moment *from);

/* saving.c: so many bytes, written and read. */
size_t trm_minimal_memory(void *workspace);
void trm_minimal_save(void *workspace, void *bytes);
void trm_minimal_restore(trm_minimal *w, const void *bytes); /* that were saved by this workspace */
bool trm_minimal_load(void *workspace, const void *bytes);   /* as trm_method has it */

/* reactions.c: multipliers of all joints and accelerations at the present state, into it. */
bool trm_minimal_reactions(trm_minimal *w, trm_outcome *outcome);

#endif
