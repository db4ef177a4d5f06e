/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method contract.
 *
 * A method moves a state by steps. It declares what it can run. The simulation refuses a model that needs more
 * before the first step and names the element. A method works on the data of trm_stepper and allocates its
 * workspace in the arena there.
 *
 * Every method has
 *
 *     create              makes the workspace. Returns NULL if out of memory.
 *     step                moves the state from t to t + h, a time that the stepper names exactly. Returns false if
 *                         it could not: outcome says why, and the simulation restores the state.
 *     project_positions   solves c = 0 at the current time by the least motion of the bodies in the mass metric.
 *                         Fails like step.
 *     project_velocities  solves J V + c_t = 0 at the current pose. Fails like step.
 *     reactions           writes joint forces and accelerations at the current state into the state. Fails like
 *                         step.
 *
 * Groups of functions that only some methods have are structs of their own: contacts, saving. A method without a
 * group has NULL there. Functions that take a machine are called with that of the stepper.
 *
 * The simulation composes or extrapolates steps of order 2 that are symmetric in time to higher orders. A method
 * that chooses its order itself reports the order that its options give (own_order); its steps are taken as they
 * are. */

#ifndef TRM_METHODS_METHOD_H
#define TRM_METHODS_METHOD_H

#include <stdatomic.h>

#include "base/arena.h"
#include "motion/fail.h"
#include "motion/state.h"
#include "trammel/sim.h"

typedef enum trm_capability {
    TRM_CAN_LOOPS = 1 << 0,
    TRM_CAN_REDUNDANT = 1 << 1,    /* redundant rows */
    TRM_CAN_RHEONOMIC = 1 << 2,    /* prescribed motion */
    TRM_CAN_BOUNDS = 1 << 3,       /* ropes, limits: one-sided joints */
    TRM_CAN_FRICTION = 1 << 4,     /* Coulomb friction in joints */
    TRM_CAN_CONTACT = 1 << 5,      /* collisions */
    TRM_CAN_DAMPING = 1 << 6,      /* forces that depend on velocities */
    TRM_CAN_RIGID = 1 << 7,        /* rigid bodies, not only point masses */
    TRM_CAN_DISTANCE = 1 << 8,     /* joints without coordinates */
    TRM_CAN_EVENTS = 1 << 9,       /* joints that are attached and detached during a run */
    TRM_CAN_IMPLICIT = 1 << 10,    /* stiff springs */
    TRM_CAN_BREAK = 1 << 11,       /* joints that break */
    TRM_CAN_JOINTS = 1 << 12,      /* joints of all types, not only distances */
    TRM_CAN_FORCES = 1 << 13,      /* forces of all types, not only gravity and springs */
    TRM_CAN_SOFT = 1 << 14,        /* joints with compliant rows */
    TRM_CAN_CONTACT_LAW = 1 << 15, /* contacts with friction or restitution */
    TRM_CAN_LOAD = 1 << 16,        /* joint friction that depends on load or speed */
    TRM_CAN_INTEGRAL = 1 << 17,    /* springs integrated over the look-ahead */

    /* all smooth elements, for methods in joint coordinates and for methods in coordinates of all bodies */
    TRM_CAN_SMOOTH = TRM_CAN_LOOPS | TRM_CAN_REDUNDANT | TRM_CAN_RHEONOMIC | TRM_CAN_DAMPING | TRM_CAN_RIGID |
                     TRM_CAN_JOINTS | TRM_CAN_FORCES,
    TRM_CAN_MAXIMAL = TRM_CAN_SMOOTH | TRM_CAN_DISTANCE,
} trm_capability;

/* An option of one method, under the method's name in "simulation": a word of a list, a number, or any text. */
typedef struct trm_method_option {
    const char *name;
    const char *const *words; /* allowed words, ended by NULL; NULL: a number, or any text */
    bool any;                 /* it is any text */
    bool quiet;               /* it is reported only if given */
    const char *word;         /* default of a word or text */
    double number;            /* default of a number */
    bool whole;               /* the number must be an integer */
    bool positive;            /* the number must not be 0; it is never negative */
    const char *description;  /* description for users, with its unit */
} trm_method_option;

/* A force that a function of the caller computes. */
typedef struct trm_called_force {
    const char *name;
    int body;
    trm_user_force force;
    void *context;
} trm_called_force;

/* A bounce: two bodies that have just collided and separate again. */
typedef struct trm_bounce {
    int body[2];
    double at;      /* s: time of the impact */
    double back;    /* s: time of the next impact */
    double ends;    /* s: end of all following bounces, each slower than the last; inf: nothing pulls them back */
    double high;    /* m: largest distance until the next impact */
    bool held;      /* they separate so slowly that they stay in contact from now on */
    char unused[7]; /* always 0, so that checkpoints are bit-identical */
} trm_bounce;

enum { TRM_BOUNCES_KEPT = 64 };

/* On several ranks: whether a body, or its whole island, is replicated, or known to some ranks only. */
typedef enum trm_replicated { TRM_KNOWN_TO_SOME, TRM_KNOWN_BODY, TRM_KNOWN_ISLAND } trm_replicated;

/* The caller's control over a run. */
typedef struct trm_watch {
    bool (*may_continue)(void *context); /* whether the simulation may continue; NULL: always */
    void *context;
} trm_watch;

struct trm_maximal;

/* The context of one step: a new one before each. */
typedef struct trm_step_context {
    double goal;               /* s: end of the step, without the rounding of t + h */
    bool dissipative;          /* time-stepping: contact laws use the rows at t, so that no curvature adds energy */
    bool may_be_ended;         /* the caller may end the step, because its state will be restored */
    bool gained;               /* result: contacts would have added energy; repeat the step, dissipative */
    const bool *in_contact;    /* result, per body: a contact acted on it in a time-stepping step; NULL: on none */
    const bool *impacted;      /* result, per body: one of these contacts was an impact; used with in_contact */
    const trm_spatial *landed; /* result, per body: error of its velocity because its impacts in a time-stepping step
                                * act at once; NULL: none */
    double kinetic;            /* J, result: largest kinetic energy after the shorter steps that the method makes */
} trm_step_context;

/* The data on which a method works: the model, its state, and what the simulation requests from the next step. */
typedef struct trm_stepper {
    const trm_model *model;
    trm_state *state;
    const trm_simulation_def *options;
    trm_counters *counters;
    trm_sampling sampling;       /* of functions of time, which bounds steps that a method chooses */
    double most_operations;      /* allowed in an evaluation of accelerations, estimated; 0: any number */
    struct trm_maximal *machine; /* set by a method that works in the coordinates of all bodies (methods/maximal) */
    const trm_called_force *called; /* forces of the caller */
    int called_count;
    trm_step_context step; /* the present step; between steps the last one */
    double per_joule; /* m: an error of the work counts as an error of the poses of so much per J; 0: not at all */
    bool
        velocities_required; /* project velocities at the end of every step: a hook or an error estimate reads them */
    bool window;        /* time-stepping: all contacts that close within a step act in it, and none is an event */
    bool bounded_rows;  /* time-stepping: limits, ropes, motors and joint friction are rows, not events */
    int largest_island; /* contacts of the largest island in the last contact problem */
    bool impacts;       /* contacts were approaching at the start of the step, and their impacts are part of it */
    double leaving;     /* m/s: contacts that separate no faster than this act in the step, too */
    struct trm_collider *collider; /* NULL: nothing may collide */
    trm_exchange *exchange;        /* communication with other ranks; NULL: there is one rank */
    const signed char *replicated; /* per body: trm_replicated; NULL: there is one rank */
    bool all_known;                /* all bodies must be replicated */
    trm_arena *arena;
    trm_arena *kept;    /* data that contacts keep from one contact problem to the next; NULL: none */
    trm_arena *scratch; /* one per thread, for memory that is returned before the thread ends */
    int scratch_count;  /* number of these; 0: there is one thread */
    trm_watch watch;
    atomic_bool is_ended;   /* the caller ended the current step: its results are invalid */
    atomic_bool is_calling; /* one of the threads is calling may_continue */
} trm_stepper;

/* Returns whether the caller lets the simulation continue. A method that divides a step into many of its own calls
 * it now and then. */
static inline bool trm_may_continue(const trm_stepper *s)
{
    return !s->watch.may_continue || s->watch.may_continue(s->watch.context);
}

/* Returns whether other ranks have a part of the machine. */
static inline bool trm_stepper_is_divided(const trm_stepper *s)
{
    return s->exchange != NULL;
}

/* Returns true if the caller wants the current step to end. Computations that may take very long call it. They may
 * return anything then, because the simulation discards the step. Ranks end together, between steps. */
static inline bool trm_step_is_ended(trm_stepper *s)
{
    if (atomic_load_explicit(&s->is_ended, memory_order_relaxed)) return true;
    if (!s->step.may_be_ended || !s->watch.may_continue || trm_stepper_is_divided(s)) return false;
    if (atomic_exchange(&s->is_calling, true)) return false; /* one thread at a time calls the caller */
    if (!s->watch.may_continue(s->watch.context)) atomic_store(&s->is_ended, true);
    atomic_store(&s->is_calling, false);
    return atomic_load_explicit(&s->is_ended, memory_order_relaxed);
}

/* Contacts that keep their mode for a composed step: each sticks, slides or is open (methods/contact/frozen.h).
 * Functions with an outcome return false on failure.
 *
 *     solve_modes   solves the contacts in a step of length h. The caller restores the state after it.
 *     adopt         then: adopts the modes found there. Steps keep them until release.
 *     rewind        restores the same modes for another step from the same start
 *     find_forces   called with h, a part of the step, and then with -h: computes the forces at the start or the
 *                   end of the step from look-aheads in both directions. The caller restores the state after it.
 *     first_ended   then: returns the mode whose condition is violated most at the end of the step; -1: none is
 *     excess        returns the violation of such a condition at the end, or at the start, of the step, in units
 *                   of the largest negligible one; more than 1: the mode has ended
 *     change        gives contacts whose mode is violated at both ends another mode. Returns whether any changed.
 *     turns         returns whether friction turns the direction of any slip, so that no part of a step may go
 *                   back in time
 *     project       moves the state to the nearest one that satisfies joints and modes, after results of steps
 *                   were combined
 *     release       ends the modes. keep_forces: the computed forces become the contact forces of the state. */
typedef struct trm_frozen_modes {
    bool (*solve_modes)(struct trm_maximal *machine, double h, trm_outcome *outcome);
    void (*adopt)(struct trm_maximal *machine);
    void (*rewind)(struct trm_maximal *machine);
    bool (*find_forces)(struct trm_maximal *machine, double h, bool at_start, trm_outcome *outcome);
    int (*first_ended)(const struct trm_maximal *machine);
    double (*excess)(const struct trm_maximal *machine, int end, bool at_start);
    bool (*change)(struct trm_maximal *machine);
    bool (*turns)(const struct trm_maximal *machine);
    bool (*project)(struct trm_maximal *machine, trm_outcome *outcome);
    void (*release)(struct trm_maximal *machine, bool keep_forces);
} trm_frozen_modes;

/* Contacts. A method whose contacts are not events has `list` alone.
 *
 *     list        lists the impacts since the last call, and closed contacts. Forgets these impacts. Returns the
 *                 number of both.
 *     impact      applies the impacts of all contacts that approach at the current pose. Fails like step.
 *     look_ahead  returns the poses at t + h under impulses that keep joints and contacts, without ending the
 *                 step; NULL: fails like step. The caller restores the state in either case.
 *     slide_ends  returns the part of the last step or look-ahead after which the first sliding contact stops;
 *                 more than 1: none stops within it, and the part is extrapolated
 *     bounces     lists the pairs that bounce after the last impacts. Returns their number.
 *     frozen      steps in which contacts keep their modes */
typedef struct trm_method_contacts {
    int (*list)(struct trm_maximal *machine, trm_contact_row *rows, int most);
    bool (*impact)(struct trm_maximal *machine, trm_outcome *outcome);
    const trm_pose *(*look_ahead)(struct trm_maximal *machine, double h, trm_outcome *outcome);
    double (*slide_ends)(const struct trm_maximal *machine);
    int (*bounces)(const struct trm_maximal *machine, const trm_bounce **list);
    const trm_frozen_modes *frozen;
} trm_method_contacts;

/* Data that a method needs besides the state to resume bit-identically. size returns their size in bytes, save
 * writes them, load reads them. load returns false, and changes nothing, if the bytes were not written by save. */
typedef struct trm_method_saving {
    size_t (*size)(void *workspace);
    void (*save)(void *workspace, void *bytes);
    bool (*load)(void *workspace, const void *bytes);
} trm_method_saving;

typedef struct trm_method {
    const char *name;
    unsigned can;        /* trm_capability */
    bool controls_error; /* it divides steps itself, as the requested error needs */
    bool within_steps;   /* limits, motors and contacts are rows of each step: none is an event */
    /* Returns whether it can start at the state, within most_operations, if `can` allows the model. If not, why gets
     * the reason, empty if out of memory. NULL: it always can. */
    bool (*accepts)(const trm_stepper *stepper, char *why, size_t size);
    void *(*create)(trm_stepper *stepper);
    bool (*step)(void *workspace, double h, trm_outcome *outcome);
    bool (*project_positions)(void *workspace, trm_outcome *outcome);
    bool (*project_velocities)(void *workspace, trm_outcome *outcome);
    bool (*reactions)(void *workspace, trm_outcome *outcome);
    /* Projects velocities onto all joints that act, also where the method lets velocities drift. Fails like step.
     * NULL: no joint can change. A method with it works in the coordinates of all bodies (trm_stepper.machine). */
    bool (*capture)(void *workspace, trm_outcome *outcome);
    const trm_method_contacts *contacts; /* NULL: it has none */
    const trm_method_saving *saving;     /* NULL: the state is all it needs */
    /* On several ranks: collects the whole state on all of them. NULL: it does not run on several ranks. */
    bool (*gather)(const struct trm_maximal *machine, trm_outcome *outcome);

    /* For reports: its own coordinates, and the redundant rows dropped at the last pose (returns how many). NULL:
     * none. */
    bool (*coordinate)(void *workspace, int index, trm_coordinate_note *note);
    int (*dropped)(const struct trm_maximal *machine, trm_row_name *rows, int most);
    /* Estimates the error of the last step in m and rad (velocities times h); NAN or NULL: not available. */
    double (*error)(const void *workspace);

    double (*own_order)(const trm_simulation_def *options); /* NULL: 2, and the simulation raises it */
    /* The relative error to which it adapts its own step length; NAN or NULL: it takes the steps of the simulation. */
    double (*own_error)(const trm_simulation_def *options);
    /* Reports combinations of options that have no effect or contradict each other. NULL: there are none. */
    void (*check_options)(const trm_simulation_def *options, trm_messages *messages);
    const trm_method_option *options; /* ended by one without a name; NULL: none */
} trm_method;

/* Returns whether contacts are events of this method, with impacts at their exact times. */
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

/* With this name of a method the simulation chooses the method (sim/automatic.c). */
#define TRM_METHOD_AUTO "auto"

/* "auto", "impulse", ..., NULL: all words that options may name. */
extern const char *const trm_method_names[];

/* Names of the solvers that all methods share whose order the simulation chooses; ended by NULL. */
extern const char *const trm_shared_solvers[];

/* Returns the names of the solvers of a method. "direct" means any of them. */
const char *const *trm_method_solvers(const trm_method *method);

/* Returns the option by which a method chooses among its own solvers; NULL: it has none. */
const trm_method_option *trm_solver_option(const trm_method *method);

/* Reports errors in the options of methods: unknown names, words and numbers that are not allowed. Returns false if
 * there are any. */
bool trm_check_method_options(const trm_simulation_def *options, trm_messages *messages);

/* Return the value of an option of the method, given or default, and whether it is given. */
const char *trm_option_word(const trm_method *method, const trm_simulation_def *options, const char *name);
double trm_option_number(const trm_method *method, const trm_simulation_def *options, const char *name);
bool trm_option_is_given(const trm_method *method, const trm_simulation_def *options, const char *name);
/* Warns that an option of a method has no effect because of the value of another one. */
void trm_warn_of_option(trm_messages *messages, const trm_method *method, const char *name, const char *other,
                        const char *value);

/* Returns whether the method can run this model. If not, text names the element that it does not support and the
 * reason. */
bool trm_method_can_run(const trm_method *method, const trm_state *state, const trm_analysis *analysis, char *text,
                        size_t size);

#endif
