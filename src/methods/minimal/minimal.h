/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Minimal coordinates: as many unknowns as there are degrees of freedom (Schirm, Blajer, Schiehlen 1993).
 *
 * The unknowns z are the independent coordinates and their rates and, if there are drives or forces without a
 * potential, the work that these have done. Adams' method of variable order and step (adams.h) integrates the
 * motion, or a Runge-Kutta rule of order 4 or 8 with fixed steps. After each step every loop may exchange its
 * independent coordinates for better ones (choice.c). The history of the integrator is transformed with them, so
 * that order and step length are kept. */

#ifndef TRM_METHODS_MINIMAL_MINIMAL_H
#define TRM_METHODS_MINIMAL_MINIMAL_H

#include "methods/maximal/maximal.h"
#include "methods/maximal/runge_kutta.h"
#include "methods/minimal/adams.h"
#include "methods/minimal/compiled.h"
#include "methods/minimal/loop.h"

/* Source of the integrator's history after an exchange of coordinates. */
typedef enum trm_history { TRM_HISTORY_RING, TRM_HISTORY_DIFFERENCES, TRM_HISTORY_RESTART } trm_history;

/* The whole motion at a moment. */
typedef struct trm_moment {
    double t;
    double *y, *yd, *ydd; /* all coordinates */
    double power[2];      /* W: input power, power of dampers */
} trm_moment;

/* Options of the method, in the form in which steps use them. */
typedef struct trm_minimal_settings {
    bool fixed_steps;
    const trm_runge_kutta *rule; /* rule of fixed steps; NULL: Adams */
    trm_history history;
    double tolerance; /* relative, of the error of a step, or of all steps of a second */
    bool per_second;
    double ratio; /* a choice of coordinates is replaced if another is better by more than this factor */
} trm_minimal_settings;

/* Forces along coordinates of compiled branches. The recursions apply them as generalised forces, without poses. */
typedef struct trm_forces_along {
    int *force_coordinate; /* per force: the coordinate along which it acts; -1: none */
    bool any;              /* there is one */
    double *tau;           /* N m, N, per coordinate: the sum of these forces */
} trm_forces_along;

/* The state at the end of the last step. If the current state differs, the caller has changed it. */
typedef struct trm_left_state {
    trm_pose *pose;        /* per body */
    trm_spatial *velocity; /* per body */
    double *memory;
    double time; /* s */
} trm_left_state;

/* The last ends of steps. */
typedef struct trm_minimal_ends {
    trm_moment list[TRM_ADAMS_POINTS]; /* the current one first */
    int count;
} trm_minimal_ends;

/* Data for undoing the last step (saving.c). */
typedef struct trm_minimal_undo {
    void *saved;    /* data before the last step; NULL: no loops */
    int steps;      /* number of steps undone in a row */
    double regular; /* smallest independent part of a column of G_D at the end of the last step */
} trm_minimal_undo;

typedef struct trm_minimal {
    trm_stepper *stepper;
    trm_tree *tree;
    trm_dynamics *dynamics;
    trm_loop **loops;        /* per branch; NULL: no loops */
    trm_compiled **compiled; /* per branch; NULL: its accelerations come from the general recursions */
    bool *is_compiled;       /* per body: its branch is compiled */
    bool *counts_turns;      /* per joint: it counts turns of its own, not those of a tree coordinate */
    bool has_loops;
    bool needs_poses; /* some force is neither gravity on a compiled branch nor along one of its coordinates */
    trm_forces_along along;
    int unknowns; /* number of position unknowns: degrees of freedom */
    int works;    /* number of work unknowns: 0, 1 (input) or 2 (input and dampers) */
    trm_minimal_settings settings;
    trm_spatial *wrench;  /* per body */
    trm_moment now, base; /* last evaluation of f; last end of a step, from which predictions are made */
    double *predicted;    /* all coordinates */
    double *memory;       /* of all joints, at w->now; the state has that of the end of the last step */
    double memory_time;   /* s: time of the part of the memory that joints keep by themselves */
    trm_minimal_ends ends;
    trm_adams *adams;
    double *z, *rates, *stages; /* unknowns, their rates, scratch for Runge-Kutta stages */
    double *past;               /* scratch for TRM_ADAMS_POINTS rates of the unknowns */
    trm_minimal_undo undo;
    trm_maximal *machine; /* projects velocities set by the caller; NULL: none yet */
    bool running;         /* the integrator continues with its history */
    trm_left_state left;
    long long evaluations; /* evaluations counted so far */
} trm_minimal;

/* Returns the length of z. */
static inline int trm_minimal_size(const trm_minimal *w)
{
    return 2 * w->unknowns + w->works;
}

/* Writes the last numbers of z (work) or of its rates (power). */
static inline void trm_minimal_set_works(const trm_minimal *w, const double *works, double *z)
{
    for (int i = 0; i < w->works; i++) z[2 * w->unknowns + i] = works[i];
}

/* branches.c: make the loops, with closed forms where possible, and compile branches. Return false when out of
 * memory. */
bool trm_minimal_make_loops(trm_minimal *w, bool closed_forms, trm_arena *arena);
bool trm_minimal_compile(trm_minimal *w, trm_arena *arena);

/* evaluate.c: trm_minimal_gather copies the unknowns out of all coordinates. trm_minimal_place computes poses and
 * velocities at z; trm_minimal_rates computes all of w->now, and the rates of z. They return false if a loop
 * cannot be closed there. */
void trm_minimal_gather(const trm_minimal *w, const double *y, const double *yd, double *z);
bool trm_minimal_place(trm_minimal *w, double t, const double *z);
bool trm_minimal_rates(void *minimal, double t, const double *z, double *rates);
/* Returns the kinetic energy at the poses and velocities that the tree holds. */
double trm_minimal_kinetic(const trm_minimal *w);
/* between.c: does the same within the last step if the dependent coordinates are not determined there. */
bool trm_minimal_place_between(trm_minimal *w, double t);
/* Makes loops close from the predictions, which a checkpoint stores, instead of from the pose of the last X. */
void trm_minimal_forget_seen(trm_minimal *w);
/* Computes d2y/dt2 of w->now, whose poses and velocities are placed. */
bool trm_minimal_accelerate(trm_minimal *w);
/* Adds the weights of compiled branches to w->wrench: their gravity is an acceleration of the ground. */
void trm_minimal_add_weights(trm_minimal *w);

/* switch.c: updates the base and the ring after a step, and exchanges coordinates if there are better ones.
 * Returns false when out of memory. */
bool trm_minimal_end_step(trm_minimal *w);
/* Makes the first choice of coordinates at the current state. */
bool trm_minimal_choose(trm_minimal *w, trm_outcome *outcome);
void trm_minimal_copy(const trm_minimal *w, trm_moment *to, const trm_moment *from);

/* saving.c: return the number of bytes, write them, read them. */
size_t trm_minimal_memory(void *workspace);
void trm_minimal_save(void *workspace, void *bytes);
void trm_minimal_restore(trm_minimal *w, const void *bytes); /* bytes saved by this workspace */
bool trm_minimal_load(void *workspace, const void *bytes);   /* bytes of a checkpoint, see trm_method */

/* reactions.c: computes the multipliers of all joints and the accelerations at the current state, and stores them
 * there. */
bool trm_minimal_reactions(trm_minimal *w, trm_outcome *outcome);

#endif
