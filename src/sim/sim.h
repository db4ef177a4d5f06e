/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The simulation inside. */

#ifndef TRM_SIM_SIM_H
#define TRM_SIM_SIM_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "collide/collide.h"
#include "methods/method.h"
#include "motion/state.h"
#include "sim/compose.h"
#include "sim/extrapolate.h"
#include "sim/monitor.h"

/* How far a run has come: whole numbers, so that times do not gather rounding. */
typedef struct trm_progress {
    double every, step; /* s, of the run that the numbers belong to; 0: none has begun */
    int64_t row;        /* number of the next one, which is due at row * every */
    int64_t steps;      /* since base, where rows are interpolated */
    double base;        /* s */
} trm_progress;

/* A step is divided by 2^20 at most. */
enum { TRM_MOST_HALVINGS = 20 };

/* Threads that a step is made on. */
enum { TRM_MOST_SCRATCH = 64 };

/* How planned steps are made of parts, and what the last trial of one was. */
typedef struct trm_step_trials {
    trm_state *before;                         /* the last good state while a step is tried */
    trm_state *unfitted;                       /* likewise while velocities are made to fit */
    trm_state *coarse[TRM_MOST_SEQUENCES - 1]; /* results of fewer steps, where steps are extrapolated; else NULL */
    trm_state *start;                          /* of a step whose error is looked at; else NULL */
    trm_state *whole;                          /* likewise: what it led to when made whole */
    trm_composition composition;
    int extrapolation;   /* results that a step combines; 0: steps are composed */
    double controlled;   /* s: the next step, where the error decides */
    trm_change change;   /* of the last step that was tried */
    trm_outcome trouble; /* why a step was last divided; ok: none was */
    int halved;          /* the step is divided by 2^halved at present */
    int good;            /* steps without trouble since it last was; none are counted beyond what doubles the step */
} trm_step_trials;

/* Steps in which contacts keep their modes (frozen.c). */
typedef struct trm_kept_modes {
    bool forwards;  /* such steps are extrapolated, never composed */
    bool freezes;   /* contacts keep their modes in this step, so that it is composed; */
    bool same;      /* those that they had when it was last made */
    int results;    /* that such a step combines where the direction of a slip turns */
    trm_state *end; /* of such a step, while forces are found there; NULL: none is made */
} trm_kept_modes;

/* What events leave beside the state, from one step to the next: a copy, a checkpoint, and a step that is made anew take it whole. */
typedef struct trm_event_memory {
    bool settled;      /* what joints do at the start is known */
    int events_in_row; /* without a step between them that went through */
    double last_time;  /* s: of the last event, */
    int last_joint;    /* whose it was, */
    int repeated;      /* and how often it came again at once */
    int refused_joint; /* one more than the joint that was to be detached, which the method cannot; 0: none */
    int plain;         /* steps in which contacts are not to keep their modes, because they could not, */
    int last_plain;    /* how many there were when they last could not, */
    int frozen_steps;  /* and planned steps since these were over */
    int calm;          /* planned steps since one was last left to time-stepping */
    int busy;          /* planned steps that are left to it from now on */
    int last_busy;     /* how many were when events last were too many */
    int crowded;       /* planned steps that "auto" leaves to time-stepping from now on */
    int bounce_count;
    trm_bounce bounces[TRM_BOUNCES_KEPT]; /* the last one of each pair that may come back */
} trm_event_memory;

/* Events of joints (events.c). */
typedef struct trm_event_search {
    bool friction_varies; /* of a joint, with load or speed */
    int *watched;         /* joints whose events are looked for */
    int watched_count;
    trm_state *start; /* where the step began in which an event is looked for; NULL: nothing is watched */
    trm_gap nearness; /* m, rad: within which a one-sided joint is at its bound */
} trm_event_search;

/* Planned steps with too many events, which are left to time-stepping (time_step.c). */
typedef struct trm_time_stepping {
    bool active;         /* such a step is being made, which has no events */
    signed char *chosen; /* per joint: its mode in that step, */
    int *changes;        /* and how often that was changed */
} trm_time_stepping;

/* What joints do behind an event (settle.c). */
typedef struct trm_settling {
    int *candidates;        /* watched joints, */
    trm_spatial *responses; /* per candidate and body, */
    double *box;            /* their problem, */
    signed char *was;       /* and, per joint, the mode before */
} trm_settling;

/* Shapes that come to touch (touch.c). */
typedef struct trm_contact_search {
    bool window;      /* contacts are no events */
    bool automatic;   /* or are not where many touch ("auto") */
    double *reach;    /* m, per body: of its shapes from its centre of mass; */
    double *travel;   /* m, per body: how far they may come in a step; both NULL: nothing may collide */
    double overlap;   /* m: the deepest of shapes at the start; 0: none */
    trm_contacts met; /* contacts of a pair, */
    trm_pose *pose;   /* and poses on the way */
} trm_contact_search;

/* What the caller has put in. */
typedef struct trm_caller {
    trm_called_force *forces;
    double *joint_forces; /* N, N m: inputs along coordinates of joints (joint_force.c), */
    int joint_force_count;
    trm_hook before_step, after_step;
    void *context; /* of the hooks */
    bool reactions_wanted;
} trm_caller;

/* Rows of a run (run.c, interpolate.c). */
typedef struct trm_row_clock {
    trm_progress progress;
    double begun;                   /* s: simulated time when this run began, or went on from a checkpoint */
    trm_state *older, *older_still; /* the last two steps, for rows between steps; NULL until they are wanted */
    trm_state *between;             /* where such rows are made */
} trm_row_clock;

/* What has happened, for people. */
typedef struct trm_notes {
    trm_event_note *list; /* the first of what has happened */
    long long count;
    char tolerance[160]; /* why joints are kept closer than the options say; empty: they are not */
} trm_notes;

struct trm_sim {
    trm_arena arena;
    trm_arena kept;                      /* of what contacts keep from one problem to the next */
    trm_arena scratch[TRM_MOST_SCRATCH]; /* of threads, which take memory one at a time: */
    trm_allocator alone;                 /* from the caller's allocator */
    trm_state *state;
    trm_simulation_def options;
    trm_option *method_options; /* of those: with room for the solver that another option names */
    const trm_method *method;
    trm_stepper stepper;
    void *workspace; /* of the method, made at the first step */
    trm_counters counters;
    trm_monitor monitor;
    trm_verdict remarks;     /* of the caller */
    trm_assembly assembly;   /* of the start */
    signed char *replicated; /* per body, on several ranks: trm_replicated */
    trm_event_memory memory;
    trm_step_trials steps;
    trm_kept_modes modes;
    trm_event_search events;
    trm_time_stepping stepping;
    trm_settling settling;
    trm_contact_search contact_search;
    trm_caller caller;
    trm_row_clock rows;
    trm_notes notes;
};

/* options.c: finds the method that the options name, and says what is wrong with them; false: something is. */
bool trm_sim_take_options(trm_sim *sim, trm_messages *messages);

/* run.c: a hash of the options that simulations must share to continue alike. */
uint64_t trm_sim_fingerprint(const trm_sim *sim);
/* The states between which rows are interpolated; false: out of memory. */
bool trm_sim_make_nodes(trm_sim *sim);

/* sim.c: the notes of another simulation. */
void trm_sim_take_notes(trm_sim *sim, const trm_sim *from);

/* tolerances.c: sets the tolerances that are not given, and tightens those that bounds or an error demand. */
void trm_sim_choose_tolerances(trm_sim *sim, trm_messages *messages);
/* Sets those that are not given, for a state whose bounds do not matter. */
void trm_fill_tolerances(trm_simulation_def *options, const trm_state *state);

/* scheme.c: sets the scheme where it is "auto", and the order. */
void trm_sim_choose_scheme(trm_sim *sim);
/* Reports a force that keeps the scheme from reaching the requested order; returns whether there is one. */
bool trm_sim_refuse_order(const trm_sim *sim, trm_messages *messages);
/* Makes one step of the scheme from here to goal, h away; false: it could not, and the state is to be restored. */
bool trm_sim_make_step(trm_sim *sim, double h, double goal, trm_outcome *outcome);

/* trm_assemble to the tolerances of these options. */
trm_status trm_assemble_within(trm_state *state, const trm_simulation_def *tolerances, const trm_allocator *allocator,
                               trm_messages *messages, trm_assembly *done);

/* Says which distances contradict each other, one being longer than others between its ends allow: whether any do. */
typedef enum trm_contradiction {
    TRM_NO_CONTRADICTION,
    TRM_CONTRADICTION,
    TRM_CONTRADICTION_NO_MEMORY
} trm_contradiction;
trm_contradiction trm_say_contradictions(const trm_state *state, trm_arena *arena, trm_messages *messages);

/* One step of the scheme, from here to goal, h away; on failure the state is as it was. */
trm_outcome trm_sim_try(trm_sim *sim, double h, double goal);
/* The poses at the goal, h from here, without ending the step; the state stays. */
trm_outcome trm_sim_look_ahead(trm_sim *sim, double h, double goal, const trm_pose **ahead);
enum { TRM_NOTES_KEPT = 200 };
void trm_sim_keep_note(trm_sim *sim, trm_event_note note);

/* The stages of one composed step, or the one of a plain one. */
bool trm_sim_stages(trm_sim *sim, double h, double goal, trm_outcome *outcome);

/* frozen.c: a step is composed beside contacts, whether this one is; it is made; and behind it, if the mode of a contact ends
 * within it, it is made again up to there, *h from its start. */
bool trm_sim_can_freeze(const trm_sim *sim, double h);
bool trm_sim_compose_frozen(trm_sim *sim, double h, double goal, trm_outcome *outcome);
bool trm_sim_shorten_to_mode(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome);

/* At the present state; false: it could not be attached, and the state is to be restored. */
bool trm_sim_attach_now(trm_sim *sim, int joint, trm_outcome *outcome);
void trm_sim_detach_now(trm_sim *sim, const char *what, int joint);

/* Of a method to which nothing happens within steps: joints that bore more than they can in the last one are no more. */
void trm_sim_break_overloaded(trm_sim *sim);

/* Joints of limited force that hold slip from now on: no impulse is theirs, and settling tells who holds again. */
void trm_sim_let_limited_go(trm_sim *sim);

/* account.c: what the step of length h changed that led from `before` to the present state; */
trm_change trm_sim_change(const trm_sim *sim, double h);
/* and once its velocities fit, if `before` is its start still. */
void trm_sim_complete_change(trm_sim *sim);

/* bounces.c: takes note of pairs that do not bounce any more: behind the last impacts; behind a step without any; and before
 * one to goal that is made in a window. */
void trm_sim_note_bounces(trm_sim *sim);
void trm_sim_pass_bounces(trm_sim *sim);
void trm_sim_end_bounces(trm_sim *sim, double goal);

/* Impacts of shapes at the present state, and events that wait for them. */
bool trm_sim_impact(trm_sim *sim, trm_outcome *outcome);

/* Impacts at the present state, and what all joints that can change do from now on. trigger: whose event it is; -1: none. */
bool trm_sim_settle(trm_sim *sim, int trigger, trm_outcome *outcome);

/* load.c: finds friction that depends on load or speed at the present state, velocities fitting. Nothing where there is none. */
bool trm_sim_find_friction(trm_sim *sim, trm_outcome *outcome);
/* Reports friction that depends on a load which is not unique, or that is combined with what it cannot be. */
trm_status trm_sim_refuse_load(const trm_sim *sim, const trm_analysis *analysis, trm_messages *messages);

/* What a joint that does not hold remembers of its place is where it is now. */
void trm_sim_remember_place(trm_sim *sim, int joint);

/* time_step.c: one time-stepping step from here to goal, h away, over all events; on failure the state is as it was. */
trm_outcome trm_sim_step_over_events(trm_sim *sim, double h, double goal);

/* Whether a time has come, or comes so soon that rounding of times explains the rest: no step is so short. */
static inline bool trm_is_due(double due, double now)
{
    return due - now <= 8 * DBL_EPSILON * fmax(fabs(due), fabs(now));
}

/* Attaches and detaches joints whose time has come; false: one could not be attached. */
bool trm_sim_keep_times(trm_sim *sim, trm_outcome *outcome);

/* m or rad: within which a one-sided joint is at its bound. */
double trm_sim_nearness(const trm_sim *sim, int joint);

/* Of the nearness of positions: shapes that are nearer than so many touch. */
#define TRM_CONTACT_DISTANCE 100

/* Behind a step of length *h from its start to here: if shapes come to touch in it, or a slide ends, the step is made again
 * up to the first such moment, *h from its start. */
bool trm_sim_shorten_to_contact(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome);

/* Says which bodies overlap at the start: an error, or, in windows, a warning. False: out of memory. */
bool trm_sim_look_for_overlaps(trm_sim *sim, trm_messages *messages);

/* Whether the bodies touch that an event waits for; false: out of memory. */
bool trm_sim_in_contact(trm_sim *sim, const trm_event *event, bool *contact_search);

/* conditions.c: events that wait for a condition. Finds what margins need; tells by how much the condition of an event is true, in
 * units of what is nothing, and which is true by most, if by more than *most (-1: none); arms events whose condition is false. */
bool trm_sim_find_for_conditions(trm_sim *sim, trm_outcome *outcome);
double trm_sim_beyond_condition(const trm_sim *sim, int event);
int trm_sim_first_condition(const trm_sim *sim, double *most);
bool trm_sim_arm_conditions(trm_sim *sim, trm_outcome *outcome);
/* Lets an event act, or notes when it will; all that it does (events.c); when the next delayed one acts; those whose time has come. */
bool trm_sim_trigger(trm_sim *sim, int event, trm_outcome *outcome);
bool trm_sim_carry_out(trm_sim *sim, const trm_event *event, trm_outcome *outcome);
double trm_sim_next_delayed(const trm_sim *sim);
bool trm_sim_keep_delayed(trm_sim *sim, trm_outcome *outcome);
/* Whether an event has ended the run, and what steps return then. */
bool trm_sim_is_stopped(const trm_sim *sim);
void trm_sim_set_stopped(trm_sim *sim, bool stopped);
trm_outcome trm_sim_stopped(const trm_sim *sim);

/* Whether anything may happen in this simulation. */
bool trm_sim_has_events(const trm_sim *sim);

/* Whether something may happen to a joint: it goes taut, slips, breaks. */
bool trm_joint_can_change(const trm_joint *joint);
/* Whether that is an event: in time-stepping steps only breaking is. */
bool trm_sim_is_watched(const trm_sim *sim, const trm_joint *joint);

/* Behind a step from events.start to here: if something happens in between, goes back to it and lets it happen. */
bool trm_sim_meet_events(trm_sim *sim, trm_outcome *outcome);

/* What the method works in, if it is not there yet; false: out of memory. */
bool trm_sim_make_workspace(trm_sim *sim);

/* Whether the state is; false: outcome names the body that is not. */
bool trm_sim_is_finite(const trm_sim *sim, trm_outcome *outcome);

/* Steps from here to goal, h away without the rounding of the difference, with all that happens in between. */
trm_outcome trm_sim_advance(trm_sim *sim, double h, double goal);
/* One step from here to goal, or its part up to the first event, which has happened then. */
trm_outcome trm_sim_advance_to_event(trm_sim *sim, double h, double goal, bool *met);
bool trm_outcome_may_improve(const trm_outcome *outcome); /* with a shorter step */

/* Reads the sensors that are due; false: velocities or accelerations could not be found. The motion is as before. */
bool trm_sim_sample(trm_sim *sim, bool step_ended, trm_outcome *outcome);
/* The first time before goal at which a step is to end for a sample; inf: none. */
double trm_sim_next_sample(const trm_sim *sim, double goal);

/* Whether the caller lets it go on, and what to return if not. */
bool trm_sim_may_go_on(const trm_sim *sim);
trm_outcome trm_sim_ended(const trm_sim *sim);

/* As many steps as the error that the options ask for needs. */
trm_outcome trm_sim_go_controlled(trm_sim *sim, double goal);

/* ranks.c: of several ranks, the largest value, NAN being the largest; whether all say yes; what all must know. */
double trm_sim_largest(const trm_sim *sim, double value);
bool trm_sim_all(const trm_sim *sim, bool mine);
bool trm_sim_look_for_known_by_all(trm_sim *sim);

/* trm_sim_step to an exact time: goal is where dt leads, without the rounding of the sum. */
trm_outcome trm_sim_step_to(trm_sim *sim, double dt, double goal);

#endif
