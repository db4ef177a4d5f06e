/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method contract.
 *
 * A method moves a state by steps. It says what it can run: a model that needs more is refused before the first step
 * with a sentence that names the element. It works on what trm_stepper gives it and keeps its own workspace there.
 *
 * Every method has
 *
 *     create              makes the workspace. Returns NULL if out of memory.
 *     step                moves the state from t to t + h, a time that the stepper names exactly. Returns false if it
 *                         could not: outcome says why, and the simulation restores the state.
 *     project_positions   solves c = 0 at the present time by the least motion of the bodies in the mass metric. Fails as step.
 *     project_velocities  solves J V + c_t = 0 at the present pose. Fails as step.
 *     reactions           writes joint forces and accelerations at the present state into the state. Fails as step.
 *
 * Groups of functions that only some methods have are structs of their own: events, contacts, saving. A method without a group has
 * NULL there.
 *
 * A step of order 2 that is symmetric in time is composed or extrapolated to higher orders by the simulation. A method
 * that chooses its order itself says which one its options give (own_order), and is left alone. */

#ifndef TRM_METHODS_METHOD_H
#define TRM_METHODS_METHOD_H

#include <stdatomic.h>

#include "base/arena.h"
#include "motion/state.h"
#include "trammel/sim.h"

typedef enum trm_capability {
    TRM_CAN_LOOPS = 1 << 0,
    TRM_CAN_REDUNDANT = 1 << 1, /* constraints that depend on each other */
    TRM_CAN_RHEONOMIC = 1 << 2, /* prescribed motion */
    TRM_CAN_BOUNDS = 1 << 3,    /* ropes, limits: joints that hold one side only */
    TRM_CAN_FRICTION = 1 << 4,  /* Coulomb friction in joints */
    TRM_CAN_CONTACT = 1 << 5,   /* collisions */
    TRM_CAN_DAMPING = 1 << 6,   /* forces that depend on velocities */
    TRM_CAN_RIGID = 1 << 7,     /* rigid bodies, not only point masses */
    TRM_CAN_DISTANCE = 1 << 8,  /* joints without a coordinate side */
    TRM_CAN_EVENTS = 1 << 9,    /* rebuilding while it runs */
    TRM_CAN_IMPLICIT = 1 << 10, /* stiff springs */
    TRM_CAN_BREAK = 1 << 11,    /* joints that break */
    TRM_CAN_JOINTS = 1 << 12,   /* joints of all types, not only distances */
    TRM_CAN_FORCES = 1 << 13,   /* forces of all types, not only gravity and springs */
    TRM_CAN_SOFT = 1 << 14,     /* joints that are springs */
    TRM_CAN_RUB = 1 << 15,      /* contacts with friction or rebound */
    TRM_CAN_LOAD = 1 << 16,     /* joint friction that depends on load or speed */

    /* all that is smooth in joint coordinates, and in those of all bodies */
    TRM_CAN_SMOOTH = TRM_CAN_LOOPS | TRM_CAN_REDUNDANT | TRM_CAN_RHEONOMIC | TRM_CAN_DAMPING | TRM_CAN_RIGID |
                     TRM_CAN_JOINTS | TRM_CAN_FORCES,
    TRM_CAN_MAXIMAL = TRM_CAN_SMOOTH | TRM_CAN_DISTANCE,
} trm_capability;

/* An option of a method's own, under the method's name in "simulation": a word of a list, or a number. */
typedef struct trm_method_option {
    const char *name;
    const char *const *words; /* those that it may be, NULL behind the last; NULL: it is a number, unless */
    bool any;                 /* it is any text */
    bool quiet;               /* nothing is said of it unless it is given */
    const char *word;         /* unless given */
    double number;            /* likewise */
    bool whole;               /* it has no fraction */
    bool positive;            /* it is not 0, either; none is negative */
    const char *says;         /* for people, with its unit */
} trm_method_option;

/* A force of the caller. */
typedef struct trm_called_force {
    const char *name;
    int body;
    trm_user_force force;
    void *context;
} trm_called_force;

/* Two bodies that have just struck each other and part again. */
typedef struct trm_bounce {
    int body[2];
    double at;   /* s: when they struck, */
    double back; /* when they will be back, */
    double ends; /* and when all bounces end that follow, each slower than the last; inf: nothing pulls them back */
    double high; /* m: that they part by until then */
    bool held;   /* they part so slowly that they hold each other from now on */
    char unused[7]; /* 0: the bytes of a checkpoint are all known */
} trm_bounce;

enum { TRM_BOUNCES_KEPT = 64 };

/* Of several ranks: what all must know, beside what is theirs. */
typedef enum trm_replicated { TRM_KNOWN_TO_SOME, TRM_KNOWN_BODY, TRM_KNOWN_ISLAND } trm_replicated;

/* What a method works on. */
typedef struct trm_stepper {
    const trm_model *model;
    trm_state *state;
    const trm_simulation_def *options;
    trm_counters *counters;
    const trm_called_force *called; /* forces of the caller */
    int called_count;
    bool velocities_wanted; /* fit velocities at the end of every step: a hook reads them, or what compares steps */
    double goal;            /* s: when the step being made ends, without the rounding of t + h */
    bool window;            /* all that comes near in a step holds in it: no contact is an event */
    bool
        dissipative; /* in windows: contacts obey their laws along the rows at t, in which no curvature lends energy */
    bool
        bounded_rows; /* in windows: limits, ropes, motors and friction in joints are rows of the step, and no events */
    int largest_island;     /* contacts of the largest island in the last contact problem */
    bool gained;            /* contacts would have put energy in, and the step is to be made anew, dissipative */
    const bool *in_contact; /* per body: a contact acted on it within the last step of a window; NULL: on none */
    bool impacts;           /* something approached at the start of a step, and was struck in it */
    double leaving;         /* m/s: what touches and parts no faster than this holds in the step too */
    struct trm_collider *collider; /* NULL: nothing may collide */
    trm_exchange *exchange;        /* with other ranks; NULL: there are none, */
    const signed char *replicated; /* per body: trm_replicated; NULL: there is one rank */
    bool all_known;                /* every rank must know all bodies */
    trm_arena *arena;
    trm_arena *kept;                /* of what contacts keep from one problem to the next; NULL: nothing is */
    trm_arena *scratch;             /* of threads, for what is given back before they end; */
    int desk_count;                 /* 0: there is one thread */
    bool (*goes_on)(void *context); /* whether the caller lets it; NULL: always */
    void *goes_on_context;
    bool may_be_ended;    /* within the step that is being made: its state will be restored */
    atomic_bool is_ended; /* the caller ended the step in the middle: what it has computed is void */
    atomic_bool is_asked; /* the caller, by one of the threads */
} trm_stepper;

/* To be asked now and then by a method that makes many steps of its own in one. */
static inline bool trm_may_go_on(const trm_stepper *s)
{
    return !s->goes_on || s->goes_on(s->goes_on_context);
}

/* To be asked within computations that may take very long. Returns true if the caller wants the step to end: what computes may return
 * anything then, for the simulation throws the step away. Ranks end together, between steps. */
static inline bool trm_step_is_ended(trm_stepper *s)
{
    if (atomic_load_explicit(&s->is_ended, memory_order_relaxed)) return true;
    if (!s->may_be_ended || !s->goes_on || s->exchange) return false;
    if (atomic_exchange(&s->is_asked, true)) return false; /* the caller answers one thread at a time */
    if (!s->goes_on(s->goes_on_context)) atomic_store(&s->is_ended, true);
    atomic_store(&s->is_asked, false);
    return atomic_load_explicit(&s->is_ended, memory_order_relaxed);
}

/* Contacts that keep their mode for a composed step: each sticks, slides or is open (methods/contact/frozen.h).
 *
 *     look      what contacts do in a step of length h; the state is to be restored behind it; false as above
 *     take      then: the modes that they have in it; steps leave these as they are until it thaws
 *     again     the same modes from the same start
 *     weigh     at an end of the step, with a part h of it and with -h: forces there; the state is to be restored
 *     first_beyond  then: the mode that has been left farthest at the end of the step, and how; -1: none has been
 *     beyond    how far that is beyond its mode at the end, or at the start, of the step, in units of what is nothing; more
 *               than 1: it is
 *     change    contacts that are beyond it at both ends get another mode; whether any did
 *     turns     whether friction turns the direction of any slip, so that steps may not go back in time
 *     project   the nearest state that fits joints and modes, after results of steps were combined; false as above
 *     thaw      weighed: the forces are what the state knows of contacts from now on */
typedef struct trm_frozen_modes {
    bool (*look)(void *workspace, double h, trm_outcome *outcome);
    void (*take)(void *workspace);
    void (*again)(void *workspace);
    bool (*weigh)(void *workspace, double h, bool at_start, trm_outcome *outcome);
    int (*first_beyond)(const void *workspace);
    double (*beyond)(const void *workspace, int end, bool at_start);
    bool (*change)(void *workspace);
    bool (*turns)(const void *workspace);
    bool (*project)(void *workspace, trm_outcome *outcome);
    void (*thaw)(void *workspace, bool weighed);
} trm_frozen_modes;

/* What events of joints need: stops, friction, ropes, joints that come and go.
 *
 *     capture           projects velocities onto all joints that act, also where the method lets velocities drift
 *     respond           computes the velocities of all bodies after a unit impulse along the first row of a joint that does
 *                       not act, while all joints that act hold. Fails as step.
 *     row_acceleration  returns c'' of a joint that does not act; valid directly after reactions
 *
 * A method whose steps have limits, motors, friction and contacts as rows (within_steps) needs capture alone. */
typedef struct trm_method_events {
    bool (*capture)(void *workspace, trm_outcome *outcome);
    bool (*respond)(void *workspace, int joint, trm_spatial *V, trm_outcome *outcome);
    double (*row_acceleration)(void *workspace, int joint);
} trm_method_events;

/* Contacts. A method whose contacts are not events has `list` alone.
 *
 *     list        lists impacts since the last call, which are forgotten, and closed contacts. Returns how many there are.
 *     impact      applies the impacts of all shapes that touch and approach at the present pose. Fails as step.
 *     look_ahead  returns the poses at t + h under impulses that keep joints and contacts, without ending the step; NULL: fails as
 *                 step. The caller restores the state in either case.
 *     slide_ends  returns the part of the last step or look-ahead after which the first sliding contact stops; more than 1: none
 *                 stops within it, and the part is extrapolated
 *     bounces     lists the pairs that bounce after the last impacts. Returns how many there are.
 *     frozen      steps in which contacts keep their modes */
typedef struct trm_method_contacts {
    int (*list)(void *workspace, trm_contact_row *rows, int most);
    bool (*impact)(void *workspace, trm_outcome *outcome);
    const trm_pose *(*look_ahead)(void *workspace, double h, trm_outcome *outcome);
    double (*slide_ends)(const void *workspace);
    int (*bounces)(const void *workspace, const trm_bounce **list);
    const trm_frozen_modes *frozen;
} trm_method_contacts;

/* What a method needs besides the state to resume bit-identically: its size in bytes, written and read. load returns false, and
 * changes nothing, if the bytes were not written by save. */
typedef struct trm_method_saving {
    size_t (*size)(void *workspace);
    void (*save)(void *workspace, void *bytes);
    bool (*load)(void *workspace, const void *bytes);
} trm_method_saving;

typedef struct trm_method {
    const char *name;
    unsigned can;        /* trm_capability */
    bool controls_error; /* it makes steps of its own, as long as an error allows */
    bool within_steps;   /* limits, motors and contacts are rows of each step: none is an event */
    /* Returns whether it can start at the state, besides what `can` says; why gets the reason, empty if out of memory. NULL: it can. */
    bool (*accepts)(const trm_stepper *stepper, char *why, size_t size);
    void *(*create)(trm_stepper *stepper);
    bool (*step)(void *workspace, double h, trm_outcome *outcome);
    bool (*project_positions)(void *workspace, trm_outcome *outcome);
    bool (*project_velocities)(void *workspace, trm_outcome *outcome);
    bool (*reactions)(void *workspace, trm_outcome *outcome);
    const trm_method_events *events;     /* NULL: no joint can change */
    const trm_method_contacts *contacts; /* NULL: it has none */
    const trm_method_saving *saving;     /* NULL: the state is all it needs */
    /* On several ranks: collects the whole state on all of them. NULL: it cannot be divided among ranks. */
    bool (*gather)(void *workspace, trm_outcome *outcome);

    /* For reports: its own coordinates, and the redundant rows left out at the last pose (returns how many). NULL: none. */
    bool (*coordinate)(void *workspace, int index, trm_coordinate_note *note);
    int (*dropped)(const void *workspace, trm_row_name *rows, int most);
    /* Estimates the error of the last step in m and rad (velocities times h); NAN or NULL: not available. */
    double (*error)(const void *workspace);

    double (*own_order)(const trm_simulation_def *options); /* NULL: 2, and the simulation raises it */
    /* The relative error to which it adapts its own step length; NAN or NULL: it takes the steps of the simulation. */
    double (*own_error)(const trm_simulation_def *options);
    /* Reports combinations of options that have no effect or contradict each other. NULL: there are none. */
    void (*check_options)(const trm_simulation_def *options, trm_messages *messages);
    const trm_method_option *options; /* ends with one without a name; NULL: none */
} trm_method;

/* Whether contacts are events of this method: impacts at their instants. */
static inline bool trm_method_has_impacts(const trm_method *method)
{
    return method->contacts && method->contacts->impact;
}

#define TRM_METHOD(name) extern const trm_method trm_method_##name;
#include "methods/list.h"
#undef TRM_METHOD

int trm_method_count(void);
const trm_method *trm_method_at(int index);
const trm_method *trm_find_method(const char *name); /* NULL: no such method */

/* "impulse", ..., NULL */
extern const char *const trm_method_names[];

/* Solvers of methods that have none of their own and leave the order to the simulation; NULL behind the last. */
extern const char *const trm_shared_solvers[];

/* Those that a method has. "direct" means any of them. */
const char *const *trm_method_solvers(const trm_method *method);

/* The option by which a method chooses among solvers of its own; NULL: it has none. */
const trm_method_option *trm_solver_option(const trm_method *method);

/* Says what is wrong with the options that belong to methods: unknown ones, words and numbers that cannot be. */
bool trm_check_method_options(const trm_simulation_def *options, trm_messages *messages);

/* An option of the method as given, or as it is unless given. */
const char *trm_option_word(const trm_method *method, const trm_simulation_def *options, const char *name);
double trm_option_number(const trm_method *method, const trm_simulation_def *options, const char *name);
bool trm_option_is_given(const trm_method *method, const trm_simulation_def *options, const char *name);

/* What the method lacks for this model and which element needs it, into text; true: it lacks nothing. */
bool trm_method_can_run(const trm_method *method, const trm_state *state, const trm_analysis *analysis, char *text,
                        size_t size);

#endif
