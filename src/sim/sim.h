/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The internals of a simulation: its memory, and the functions that the files of this folder share. */

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

/* Fraction of a step: a shorter interval counts as empty. A larger value shows in the order of runs with events, a
 * smaller one is below the rounding of times in a step, and searches run to their limit of trials. */
static const double TRM_NO_TIME = 1e-13;

/* Progress of a run, in whole numbers, so that times do not accumulate rounding. */
typedef struct trm_progress {
    double every, step; /* s: row spacing and step of the run that these numbers belong to; 0: no run has begun */
    int64_t row;        /* number of the next row, which is due at row * every */
    int64_t steps;      /* steps since base, where rows are interpolated */
    double base;        /* s: time from which steps are counted */
} trm_progress;

/* A step is divided by at most 2^20. */
enum { TRM_MOST_HALVINGS = 20 };

/* The largest number of threads on which a step is computed. */
enum { TRM_MOST_SCRATCH = 64 };

/* The division of planned steps into parts, and the result of the last trial. */
typedef struct trm_step_trials {
    trm_state *before;                         /* last good state while a step is tried */
    trm_state *unprojected;                    /* last good state while velocities are projected */
    trm_state *coarse[TRM_MOST_SEQUENCES - 1]; /* results of fewer steps, where steps are extrapolated; else NULL */
    trm_state *start;                          /* start of a step whose error is estimated; else NULL */
    trm_state *whole;                          /* result of that step in one piece, not in halves; else NULL */
    trm_composition composition;
    int extrapolation;     /* number of results that a step combines; 0: steps are composed */
    double controlled;     /* s: length of the next step, where error control chooses it */
    double size, mass;     /* m, kg: of the machine at the start, where error control needs them */
    long long tries;       /* steps that error control has tried, with those that it did not keep */
    bool by_defects;       /* error control sees the error of a step in one piece by its poses */
    trm_sampling sampling; /* of functions of time, which bounds such steps */
    trm_change change;     /* changes made by the last step that was tried */
    trm_slopes slopes;     /* accelerations in that step */
    trm_outcome trouble;   /* why a step was last divided; ok: none was */
    double last_residual;  /* residual of the last part that failed in this planned step; INFINITY: none did */
    int halved;            /* the step is divided by 2^halved at present */
    int good;              /* good steps since the last division; the count ends where the step is doubled */
} trm_step_trials;

/* Steps in which contacts keep their modes (frozen.c). */
typedef struct trm_kept_modes {
    bool forwards;  /* such steps are extrapolated, never composed */
    bool freezes;   /* contacts keep their modes in this step, so that it is composed */
    bool same;      /* the modes are those of the last trial of this step */
    int results;    /* number of results that such a step combines where the direction of a slip turns */
    trm_state *end; /* end of such a step, while forces are computed there; NULL: no such steps */
} trm_kept_modes;

/* Data about events, besides the state, that are kept from one step to the next. Copies, checkpoints and repeated
 * steps treat them as a whole. */
typedef struct trm_event_memory {
    bool settled;      /* the modes of joints at the start are known */
    int events_in_row; /* events without a completed step between them */
    double last_time;  /* s: time of the last event */
    double parts;      /* parts of a planned step, mean of the last event-driven ones; 0: there was none */
    int last_joint;    /* joint of the last event */
    int repeated;      /* how often that event was repeated immediately */
    int refused_joint; /* 1 + joint that was to be detached although the method cannot; 0: none */
    int plain;         /* remaining steps of order 2, after one in which contacts could not keep their modes */
    int last_plain;    /* number of such steps at the last failure */
    int frozen_steps;  /* planned steps since those steps were over */
    int calm;          /* planned steps since the last one made by time-stepping because of too many events */
    int busy;          /* next planned steps to be made by time-stepping */
    int last_busy;     /* value of busy when there were last too many events */
    int crowded;       /* next planned steps that "auto" makes by time-stepping */
    int bounce_count;
    trm_bounce bounces[TRM_BOUNCES_KEPT]; /* last bounce of each pair that may come back */
} trm_event_memory;

/* Events of joints (events.c). */
typedef struct trm_event_search {
    bool friction_varies; /* the friction of some joint depends on load or speed */
    int *watched;         /* joints whose events are detected */
    int watched_count;
    trm_state *start; /* start of the step in which events are searched; NULL: nothing is watched */
    trm_gap nearness; /* m, rad: a one-sided joint that is closer to its bound is at it */
    bool ends_run;    /* the run ends at the next impact or event */
    bool ended_run;   /* that one has happened */
    long long seen;   /* impacts and events up to the last accepted step */
    long long newton; /* iterations of solvers before the first event of the current row of events */
} trm_event_search;

/* Planned steps with too many events, which are made by time-stepping (time_step.c). */
typedef struct trm_time_stepping {
    bool active;         /* a time-stepping step without events is being made */
    signed char *chosen; /* per joint: its mode in that step */
    int *changes;        /* per joint: how often that mode was changed */
} trm_time_stepping;

/* Workspace for the modes of joints after an event (settle.c). */
typedef struct trm_settling {
    int *candidates;        /* watched joints that may change their mode */
    trm_spatial *responses; /* per candidate and body: velocity change per unit impulse */
    double *box;            /* matrix and vectors of the complementarity problem */
    signed char *was;       /* per joint: its mode before the event */
} trm_settling;

/* Search for new contacts of shapes (contact_search.c). */
typedef struct trm_contact_search {
    bool window;      /* time-stepping: contacts are not events */
    bool automatic;   /* "auto": time-stepping where there are many contacts */
    double *reach;    /* m, per body: largest distance of its shapes from its centre of mass */
    double *travel;   /* m, per body: bound of its travel in a step; both are NULL if nothing may collide */
    double overlap;   /* m: deepest penetration of shapes at the start; 0: none */
    trm_contacts met; /* contacts of one pair */
    trm_pose *pose;   /* poses within the step */
} trm_contact_search;

/* A column of results that the caller reads. */
typedef struct trm_read_column {
    trm_quantity quantity;
    const char *name;
} trm_read_column;

/* Peaks of the kinetic energy over blocks of steps (divergence.c). */
typedef struct trm_growth_block {
    double peak, before; /* J: of this block so far, of the one before */
    double first;        /* J: of the last block that did not grow */
    int steps, in_a_row; /* steps in this block; blocks in a row that grew */
} trm_growth_block;

enum { TRM_GROWTH_SCALES = 4 };

/* Forces, inputs and hooks of the caller. */
typedef struct trm_caller {
    trm_called_force *forces;
    double *joint_forces; /* N, N m: inputs along joint coordinates (joint_force.c) */
    int joint_force_count;
    trm_growth_block growth[TRM_GROWTH_SCALES]; /* blocks of 1, 8, 64 and 512 steps */
    double thrown; /* rad: sum of the angles of steps that changed most of the kinetic energy */
    trm_hook before_step, after_step;
    void *context; /* passed to the hooks */
    bool reactions_enabled;
    trm_read_column *read; /* columns that are read and need reactions, for the verdict */
    int read_count;
    bool read_known; /* `read` lists all of them */
} trm_caller;

/* Rows of a run (run.c, interpolate.c). */
typedef struct trm_row_clock {
    trm_progress progress;
    double begun;                   /* s: simulated time at which this run began or resumed from a checkpoint */
    trm_state *older, *older_still; /* last two steps, for rows between steps; NULL until needed */
    trm_state *between;             /* state at such a row */
} trm_row_clock;

/* Notes on events, for reports. */
typedef struct trm_notes {
    trm_event_note *list; /* the first TRM_NOTES_KEPT notes; count includes all */
    long long count;
    char tolerance[160]; /* why joints are kept closer than the options say; empty: they are not */
    char choice[400];    /* what the method "auto" has chosen, and why; empty: the options name a method */
    double requested;    /* m and rad per s: the error for which it was chosen */
    double size;         /* m: of the machine at the start */
} trm_notes;

struct trm_sim {
    trm_arena arena;
    trm_arena kept;                      /* data that contacts keep from one contact problem to the next */
    trm_arena scratch[TRM_MOST_SCRATCH]; /* one per thread */
    trm_allocator alone;                 /* the caller's allocator, used by one thread at a time */
    trm_state *state;
    trm_simulation_def options;
    trm_option *method_options; /* copied from the options, with room for a solver that another option names */
    const trm_method *method;
    trm_stepper stepper;
    void *workspace; /* of the method, created at the first step */
    trm_counters counters;
    trm_monitor monitor;
    trm_verdict remarks;     /* added by the caller */
    trm_assembly assembly;   /* result of the assembly at the start */
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

/* Return the outcome of a success, and of a failure of the simulation as a whole. */
static inline trm_outcome trm_good_outcome(const trm_sim *sim)
{
    return (trm_outcome){.ok = true, .time = sim->state->clock->time};
}
trm_outcome trm_bad_outcome(const trm_sim *sim, const char *why);
/* Returns the outcome of a request to attach or detach a joint that the method does not support. */
trm_outcome trm_sim_cannot_rebuild(const trm_sim *sim, int joint);

/* ranks.c: return the largest value of all ranks (NAN counts as the largest), and whether a value is true on all
 * ranks. */
double trm_sim_largest_of_ranks(const trm_sim *sim, double value);
static inline double trm_sim_largest(const trm_sim *sim, double value)
{
    return trm_stepper_is_divided(&sim->stepper) ? trm_sim_largest_of_ranks(sim, value) : value;
}
static inline bool trm_sim_all(const trm_sim *sim, bool mine)
{
    return trm_sim_largest(sim, mine ? 0 : 1) == 0;
}

/* options.c: finds the method that the options name. Reports errors in the options. Returns false if there are
 * any. */
bool trm_sim_take_options(trm_sim *sim, trm_messages *messages);

/* What the method "auto" requires of a simulation that it creates. */
typedef struct trm_sim_demand {
    double most_operations; /* allowed in an evaluation of accelerations; 0: any number */
    double sampling;        /* s: functions of time are sampled at this interval; 0: at the step */
} trm_sim_demand;

/* automatic.c: creates a simulation with the method, order and tolerance for the requested error. */
trm_status trm_sim_create_automatic(const trm_model *model, const trm_simulation_def *options,
                                    const trm_allocator *allocator, trm_messages *messages, trm_sim **sim);
/* create.c: creates a simulation whose options name the method. */
trm_status trm_sim_create_named(const trm_model *model, const trm_simulation_def *options, trm_sim_demand demand,
                                const trm_allocator *allocator, trm_messages *messages, trm_sim **sim);

/* run.c: returns a hash of the options that simulations must share to continue identically. */
uint64_t trm_sim_fingerprint(const trm_sim *sim);
/* Allocates the states between which rows are interpolated. Returns false if out of memory. */
bool trm_sim_make_nodes(trm_sim *sim);

/* sim.c: copies the notes of another simulation. */
void trm_sim_take_notes(trm_sim *sim, const trm_sim *from);

/* tolerances.c: sets the tolerances that are not given, and tightens those that bounds or error control require to
 * be smaller. */
void trm_sim_choose_tolerances(trm_sim *sim, trm_messages *messages);
/* Returns the largest distance between centres of mass, or the longest lever arm of a joint; 1 if both are 0. m */
double trm_machine_size(const trm_state *state);
/* Sets the tolerances that are not given, for a state whose bounds do not matter. */
void trm_fill_tolerances(trm_simulation_def *options, const trm_state *state);

/* scheme.c: replaces the scheme "auto" by the one to use, and sets the order. */
void trm_sim_choose_scheme(trm_sim *sim);
/* Reports a force that prevents the scheme from reaching the requested order. Returns whether there is one. */
bool trm_sim_refuse_order(const trm_sim *sim, trm_messages *messages);
/* A scheme makes one step from the present time to goal, h away, out of steps of the method. It returns false on
 * failure; the caller restores the state. trm_sim_scheme returns the scheme of the next step. */
typedef bool (*trm_scheme)(trm_sim *sim, double h, double goal, trm_outcome *outcome);
trm_scheme trm_sim_scheme(const trm_sim *sim);
/* Returns whether the method keeps the error of its steps below a tolerance. It does not with fixed steps, nor where
 * forces have memory, whose error it does not see. */
static inline bool trm_sim_method_controls_error(const trm_sim *sim)
{
    return sim->method->controls_error && !isnan(sim->method->own_error(&sim->options)) &&
           !trm_model_remembering_force(sim->stepper.model);
}
/* Returns whether the next step is one step of the method: order 2, a step over events, or a step next to contacts
 * that do not keep their modes. */
static inline bool trm_sim_is_plain(const trm_sim *sim)
{
    const bool one_stage = sim->stepper.collider || sim->steps.composition.stages == 1;
    return sim->stepping.active || (sim->steps.extrapolation == 0 && !sim->modes.freezes && one_stage);
}
/* Makes one step of the method to goal, h away. Returns false on failure. */
static inline bool trm_sim_step_method(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    sim->stepper.step.goal = goal;
    if (!sim->method->step(sim->workspace, h, outcome)) return false;
    trm_remember_forces(sim->state);
    return true;
}

/* Makes one step of the scheme to goal, h away. Returns false on failure. */
static inline bool trm_sim_step_scheme(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    return trm_sim_is_plain(sim) ? trm_sim_step_method(sim, h, goal, outcome)
                                 : trm_sim_scheme(sim)(sim, h, goal, outcome);
}

/* Does the same as trm_assemble, to the tolerances of these options. */
trm_status trm_assemble_within(trm_state *state, const trm_simulation_def *tolerances, const trm_allocator *allocator,
                               trm_messages *messages, trm_assembly *done);

/* Reports distances that contradict each other: one is longer than the others between its ends allow. Returns
 * whether there are any. */
typedef enum trm_contradiction {
    TRM_NO_CONTRADICTION,
    TRM_CONTRADICTION,
    TRM_CONTRADICTION_NO_MEMORY
} trm_contradiction;
trm_contradiction trm_report_contradictions(const trm_state *state, trm_arena *arena, trm_messages *messages);

/* Ends a trial step. A step that failed because contacts would have added energy is repeated as a dissipative one. If
 * the step succeeded, its changes are counted; otherwise the state is restored. Returns its outcome. */
trm_outcome trm_sim_end_try(trm_sim *sim, double h, double goal, bool stepped, trm_outcome outcome);
/* Makes one step of the scheme from the present time to goal, h away. On failure the state is restored. */
static inline trm_outcome trm_sim_try(trm_sim *sim, double h, double goal)
{
    trm_outcome outcome = trm_good_outcome(sim);
    trm_state_copy(sim->steps.before, sim->state);
    sim->stepper.step = (trm_step_context){.goal = goal, .may_be_ended = true};
    const bool stepped = trm_sim_step_scheme(sim, h, goal, &outcome);
    return trm_sim_end_try(sim, h, goal, stepped, outcome);
}
/* Computes the poses at goal, h from the present time, without ending the step. The state is unchanged. */
trm_outcome trm_sim_look_ahead(trm_sim *sim, double h, double goal, const trm_pose **ahead);
enum { TRM_NOTES_KEPT = 200 };
void trm_sim_keep_note(trm_sim *sim, trm_event_note note);

/* Makes all stages of a composed step, or the single stage of a plain one. Returns false on failure. */
bool trm_sim_stages(trm_sim *sim, double h, double goal, trm_outcome *outcome);

/* frozen.c: composed steps in which contacts keep their modes.
 *
 *     compose_frozen   makes the step. Returns false on failure.
 *     shorten_to_mode  after the step: if the mode of a contact ends within it, repeats the step up to that time,
 *                      *h from its start. Returns false on failure. */
bool trm_sim_compose_frozen(trm_sim *sim, double h, double goal, trm_outcome *outcome);
bool trm_sim_shorten_to_mode(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome);

/* Attach or detach a joint at the present state. attach_now returns false on failure; the caller restores the
 * state. */
bool trm_sim_attach_now(trm_sim *sim, int joint, trm_outcome *outcome);
void trm_sim_detach_now(trm_sim *sim, const char *what, int joint);

/* For a method without events within steps: removes joints that were overloaded in the last step. */
void trm_sim_break_overloaded(trm_sim *sim);

/* Sets all sticking joints of limited force to slip, because limited forces have no impulse. Settling decides which
 * of them stick again. */
void trm_sim_release_limited(trm_sim *sim);

/* Applies the impacts of shapes at the present state, in which stops and ropes that are held may open. Uses
 * steps.before. Returns false on failure. */
bool trm_sim_impact_of_shapes(trm_sim *sim, trm_outcome *outcome);

/* events.c: returns the energy of gaps that count as closed, J. */
double trm_sim_gap_energy(const trm_sim *sim);
/* Returns the size of the slopes of all bodies in bytes. */
static inline size_t trm_sim_slope_bytes(const trm_sim *sim)
{
    return (size_t)sim->state->model->body_count * sizeof *sim->steps.slopes.body;
}

/* passing.c: counts pairs of shapes that passed through each other in the step of length h from `before` to the present
 * state, where the method only sees contacts at its start. The next step reports if memory runs out. */
void trm_sim_count_passages(trm_sim *sim, double h);

/* bounces.c: note the pairs that have stopped bouncing: after the last impacts (note_bounces), after a step without
 * impacts (pass_bounces), and before a time-stepping step to goal (end_bounces). */
void trm_sim_note_bounces(trm_sim *sim);
void trm_sim_pass_bounces(trm_sim *sim);
void trm_sim_end_bounces(trm_sim *sim, double goal);

/* Applies the impacts of shapes at the present state and the events that wait for them. Returns false on failure. */
bool trm_sim_impact(trm_sim *sim, trm_outcome *outcome);

/* Applies impacts at the present state and finds the modes of all joints that can change. trigger: joint of the
 * event; -1: none. Returns false on failure. */
bool trm_sim_settle(trm_sim *sim, int trigger, trm_outcome *outcome);

/* load.c: computes friction that depends on load or speed, at the present state with projected velocities. Does
 * nothing in models without it. Returns false on failure. */
bool trm_sim_find_friction(trm_sim *sim, trm_outcome *outcome);
/* Reports friction whose load is not unique, and friction that cannot be combined with the options. Fails also when
 * out of memory. */
trm_status trm_sim_refuse_load(const trm_sim *sim, const trm_analysis *analysis, trm_messages *messages);

/* Notes that a column is read that needs reactions. Returns false if out of memory. */
bool trm_sim_read(trm_sim *sim, const trm_quantity *quantity, const char *name);
/* Returns the number of these columns that are not unique because rows are redundant, and the name of the first one;
 * -1: not available. */
int trm_sim_ambiguous_columns(const trm_sim *sim, const char **first);

/* Stores the present position of a joint that does not act, for its later constraint or force. */
void trm_sim_remember_place(trm_sim *sim, int joint);

/* time_step.c: makes one time-stepping step from the present time to goal, h away, over all events.
 * events.start is its start; on failure the state is as there. */
trm_outcome trm_sim_step_over_events(trm_sim *sim, double h, double goal);

/* Return a joint of the model, and the residual of its first row. */
static inline const trm_joint *trm_sim_joint(const trm_sim *sim, int joint)
{
    return &sim->state->model->joints[joint];
}
static inline double trm_first_residual(const trm_state *state, int joint)
{
    double c[TRM_JOINT_ROWS];
    const trm_joint_at at = trm_joint_now(state, joint);
    trm_joint_residual(&at, c);
    return c[0];
}

/* Returns whether a time has been reached. Times closer than their rounding count as equal: no step is so short. */
static inline bool trm_is_due(double due, double now)
{
    return due - now <= 8 * DBL_EPSILON * fmax(fabs(due), fabs(now));
}

/* Applies all timed events whose time has been reached. Returns false on failure, for example if a joint cannot be
 * attached. */
bool trm_sim_apply_timed_events(trm_sim *sim, trm_outcome *outcome);

/* Return whether a joint may slip by a limited force, and whether it may break. */
static inline bool trm_joint_can_slip(const trm_joint *joint)
{
    return isfinite(joint->most);
}
static inline bool trm_joint_can_break(const trm_joint *joint)
{
    return isfinite(joint->break_force) || isfinite(joint->break_torque);
}

/* Returns whether the rows of a joint act: it is not slack and does not slip. */
static inline bool trm_sim_is_held(const trm_sim *sim, int joint)
{
    return sim->state->mode[joint] == TRM_HELD;
}
/* Returns whether a number is that of a condition: events that wait for one are numbered after all joints. */
static inline bool trm_sim_is_condition(const trm_sim *sim, int joint)
{
    return joint >= sim->state->model->joint_count;
}

/* event_time.c: the first event of a joint, or of a condition, in the step from events.start to the present state, h
 * away.
 *
 *     find_event_forces  projects velocities, and computes forces if the force of some joint may change its mode.
 *                        Returns false on failure.
 *     shorten_to_passing shortens the step to where a joint is beyond a bound that it has come back to at *h. Returns
 *                        false on failure.
 *     first_passed       returns the joint whose event is first; -1: none is due
 *     try_length         steps from the start by h, and computes how far the joint is beyond its event then. Returns
 *                        false on failure.
 *     find_event         shortens the step to the event of a joint that is beyond it at *h. Returns false on failure.
 *     bearing_excess     returns the excess of a joint over its strength; at least -1: it breaks
 *     begins_at_bound    returns whether a one-sided joint is at its bound at the start */
bool trm_sim_find_event_forces(trm_sim *sim, trm_outcome *outcome);
bool trm_sim_shorten_to_passing(trm_sim *sim, double *h, trm_outcome *outcome);
int trm_sim_first_passed(trm_sim *sim, double h);
bool trm_sim_try_length(trm_sim *sim, int joint, double h, double *value, trm_outcome *outcome);
bool trm_sim_find_event(trm_sim *sim, int joint, double *h, trm_outcome *outcome);
double trm_sim_bearing_excess(const trm_sim *sim, int joint);
bool trm_sim_begins_at_bound(const trm_sim *sim, int joint);

/* Returns the distance, m or rad, within which a one-sided joint is at its bound. */
double trm_sim_nearness(const trm_sim *sim, int joint);

/* In units of the nearness of positions: shapes that are closer than this are in contact. */
#define TRM_CONTACT_DISTANCE 100

/* Shortens the last step, of length *h, to the first new contact or end of a slide in it, if there is any: the step
 * is made again up to that time, *h from its start. Returns false on failure. */
bool trm_sim_shorten_to_contact(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome);

/* Reports bodies that overlap at the start: an error, or a warning with time-stepping. Returns false if out of
 * memory. */
bool trm_sim_find_overlaps(trm_sim *sim, trm_messages *messages);

/* Sets *contact_search to whether the bodies that an event waits for are in contact. Returns false if out of
 * memory. */
bool trm_sim_in_contact(trm_sim *sim, const trm_event *event, bool *contact_search);

/* event_time.c: arms events whose condition is false. Returns false on failure. */
bool trm_sim_arm_conditions(trm_sim *sim, trm_outcome *outcome);
/* Actions of events; those that return bool return false on failure.
 *
 *     trigger               applies an event, or stores the time at which it will be applied
 *     carry_out             performs all actions of an event (events.c)
 *     next_delayed          returns the time of the next delayed event
 *     apply_delayed_events  applies delayed events whose time has been reached */
bool trm_sim_trigger(trm_sim *sim, int event, trm_outcome *outcome);
bool trm_sim_carry_out(trm_sim *sim, const trm_event *event, trm_outcome *outcome);
double trm_sim_next_delayed(const trm_sim *sim);
bool trm_sim_apply_delayed_events(trm_sim *sim, trm_outcome *outcome);
/* Return and set whether an event has ended the run. */
static inline bool trm_sim_is_stopped(const trm_sim *sim)
{
    const int memory = sim->state->model->schedule.stop_memory;
    return sim->events.ended_run || (memory >= 0 && sim->state->memory[memory] != 0);
}
static inline void trm_sim_set_stopped(trm_sim *sim, bool stopped)
{
    const int memory = sim->state->model->schedule.stop_memory;
    if (memory >= 0) sim->state->memory[memory] = stopped;
}
/* Checks whether an impact or event happened in the last step. If so, and the run ends at its next event, the
 * simulation is stopped. accepted: the state of the step is kept. */
void trm_sim_check_run_end(trm_sim *sim, bool accepted);
/* Begins a run that ends at its first event, or one that does not. */
void trm_sim_set_end(trm_sim *sim, bool to_event);
/* Returns the outcome of steps after an event has ended the run. */
trm_outcome trm_sim_stopped(const trm_sim *sim);

/* Returns whether this simulation can have events. */
bool trm_sim_has_events(const trm_sim *sim);

/* Returns whether the mode of a joint may change: it goes taut, slips or breaks. */
bool trm_joint_can_change(const trm_joint *joint);
/* Returns whether such a change is an event: in time-stepping steps only breaking is. */
bool trm_sim_is_watched(const trm_sim *sim, const trm_joint *joint);

/* After a step from events.start to the present time: if there is an event in it, returns to the first event and
 * applies it. Returns false on failure. */
bool trm_sim_apply_first_event(trm_sim *sim, trm_outcome *outcome);

/* Creates the workspace of the method if there is none yet. Returns false if out of memory. */
bool trm_sim_make_workspace(trm_sim *sim);

/* Returns whether all poses and velocities are finite. If not, outcome names the body. */
bool trm_sim_is_finite(const trm_sim *sim, trm_outcome *outcome);

/* Steps from the present time to goal, with all events in between. h is the distance to goal without the rounding of
 * the difference. */
trm_outcome trm_sim_advance(trm_sim *sim, double h, double goal);
/* Makes one step towards goal, or its part up to the first event, and applies that event. *met: there was one. */
trm_outcome trm_sim_advance_to_event(trm_sim *sim, double h, double goal, bool *met);
bool trm_outcome_may_improve(const trm_outcome *outcome); /* whether a shorter step may succeed */

static inline bool trm_sim_has_sensors(const trm_sim *sim)
{
    return sim->state->model->observed.sensor_count > 0;
}
/* Reads the sensors that are due, without changing the motion. Returns false if velocities or accelerations could not
 * be computed. */
bool trm_sim_sample(trm_sim *sim, bool step_ended, trm_outcome *outcome);
/* Returns the first time before goal at which a step must end for a sample; inf: none. */
double trm_sim_next_sample(const trm_sim *sim, double goal);

/* divergence.c: watch_growth checks a step of dt [s] under joint forces of the caller, successful or not. Returns
 * false, with the reason in outcome, if the motion diverges. forget_growth restarts after the state was set. */
bool trm_sim_watch_growth(trm_sim *sim, double dt, trm_outcome *outcome);
void trm_sim_forget_growth(trm_sim *sim);

/* Returns whether the caller lets the simulation continue; trm_sim_ended returns the outcome if not. */
static inline bool trm_sim_may_continue(const trm_sim *sim)
{
    return !sim->stepper.watch.may_continue || trm_sim_all(sim, trm_may_continue(&sim->stepper));
}
trm_outcome trm_sim_ended(const trm_sim *sim);

/* A driver moves the simulation from the present time to goal, dt away, by as many steps as necessary. */
typedef trm_outcome (*trm_driver)(trm_sim *sim, double dt, double goal);
/* Makes as many steps as the requested error requires. */
trm_outcome trm_sim_go_controlled(trm_sim *sim, double dt, double goal);

/* ranks.c: finds which bodies must be replicated. Returns false if out of memory. */
bool trm_sim_find_replicated(trm_sim *sim);

/* Steps to an exact time: goal is the end of dt, without the rounding of the sum. */
trm_outcome trm_sim_step_to(trm_sim *sim, double dt, double goal);

#endif
