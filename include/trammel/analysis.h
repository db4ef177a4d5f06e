/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Analyses of a model besides its simulation: figures over a run, states as models, statics, kinematics, linearisation,
 * optimisation. SI units and radians throughout. Results are owned by the caller, who destroys them. */

#ifndef TRAMMEL_ANALYSIS_H
#define TRAMMEL_ANALYSIS_H

#include "trammel/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measures ----------------------------------------------------------------------------- */

/* A number computed over the rows of a run: "max(abs(rod.y)) + 0.1*rms(j1.qd)" (docs/measures.md).
 *
 * Columns (trm_results) are series over the run. + - * / ^ and abs sqrt sin cos tan asin acos atan2 exp log, and
 * min and max of two or more, work row by row. These make one number of a series x:
 *
 *   max(x) min(x)          the largest and smallest value at a row
 *   mean(x) rms(x)         over time, by the trapezoidal rule
 *   integral(x)            over time, likewise
 *   initial(x) final(x)    at the first and the last row
 *   at(x, t)               at the time t [s], by a cubic through the four nearest rows
 *   crossing(x, level, n)  the time [s] of the n-th crossing of the level (n = 1 if omitted)
 *   settle(x, band, target) the time [s] from which x stays within band of the target (its final value if omitted) */
typedef struct trm_measure trm_measure;

/* Compiles the text. A name is one of the constants or a column of the model; a name with other characters than
 * letters, digits, _ and . is written in double quotes. On failure *measure is NULL and the messages say why:
 * syntax, an unknown column, or a series where a number is required. The model must outlive the measure. */
TRM_API trm_status trm_measure_create(const trm_model *model, const char *text, const trm_constant *constants,
                                      int constant_count, const trm_allocator *allocator, trm_messages *messages,
                                      trm_measure **measure);
TRM_API void trm_measure_destroy(trm_measure *measure);
/* Returns whether a column is a reaction or an acceleration: then trm_sim_want_reactions. */
TRM_API bool trm_measure_needs_reactions(const trm_measure *measure);
/* Adds the row of a state. Returns false when out of memory; the rows before stay. */
TRM_API bool trm_measure_add(trm_measure *measure, const trm_state *state);
/* The value over the rows so far. NAN where it is not defined: no rows, a level that is never crossed, x that does
 * not settle. */
TRM_API double trm_measure_value(trm_measure *measure);

/* ---- States as models --------------------------------------------------------------------- */

/* Changes a definition so that its start is the given state of the model that was made of it: poses, velocities,
 * what joints read (turns included), which are attached, and the functions that events have set. Its time starts
 * at 0 again: functions of time and events are shifted, those of the past are left out. Joints given in the world
 * are moved with their bodies. Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting a function of time that
 * cannot be shifted; then the definition is of no use. */
TRM_API trm_status trm_start_at(trm_model_def *def, const trm_state *state, trm_messages *messages);

/* ---- Motions by name ---------------------------------------------------------------------- */

/* A direction in which a machine can move, seen at the body that moves most in it. */
typedef struct trm_motion_note {
    int body;         /* that moves most */
    bool alone;       /* no other body moves */
    trm_vec3 turn;    /* its rotation, world axes; the largest part of turn and shift is 1 */
    trm_vec3 shift;   /* of its centre of mass, world axes */
    double stiffness; /* against it per unit of mass: 1/s^2; negative: unstable */
    char text[120];   /* "body 'rod3' turns about (0, 0.8, 0.6)" */
} trm_motion_note;

/* ---- Equilibrium -------------------------------------------------------------------------- */

typedef struct trm_equilibrium_def {
    bool relaxed;        /* leave unstable equilibria: they are disturbed until a stable one is found */
    double tolerance;    /* unbalanced force over the largest force; 1e-9. The search ends at rounding, if it can. */
    int most_iterations; /* 500 */
} trm_equilibrium_def;

/* Returns a definition with all defaults. */
TRM_API trm_equilibrium_def trm_default_equilibrium_def(void);

/* A force between two shapes. */
typedef struct trm_contact_load {
    int body[2];
    trm_vec3 point, normal; /* m, world; from the second body to the first */
    double force;           /* N, on the first body along the normal */
} trm_contact_load;

/* Owned by the caller (trm_equilibrium_destroy). */
typedef struct trm_equilibrium_result {
    bool found;
    bool steady;      /* drives move: a relative equilibrium, at rest in all coordinates that are not driven */
    char element[80]; /* what is not balanced, "body 'ball'"; "" if found */
    char why[200];    /* why there is no equilibrium, or the search ended */
    int iterations;
    double residual;   /* N: the largest force or torque over radius of gyration that nothing balances */
    double relative;   /* the same over the largest force */
    double potential;  /* J */
    int freedoms;      /* independent motions that active rows leave */
    int unstable;      /* directions of negative stiffness */
    int neutral_count; /* directions without stiffness */
    const trm_motion_note *neutral;
    int unstable_count; /* named: at most 20 */
    const trm_motion_note *unstable_motions;
    int not_unique_count; /* joints and drives whose reactions are not determined by balance: the shortest are given */
    const int *not_unique;
    int active_count; /* ropes and limits that hold */
    const int *active;
    int contact_count;
    const trm_contact_load *contacts;
    struct trm_arena *arena; /* owns the lists */
} trm_equilibrium_result;

/* Finds a pose near that of the state at which all forces balance: gravity, springs, torsion springs, servos,
 * constant forces, joints with loops and redundant rows, ropes and limits (active or not), contacts without
 * friction. Friction in joints takes no part. The potential decreases from step to step, so that stable equilibria
 * are found unless the search starts at another one. With drives or motors that move at the time of the state, the
 * relative equilibrium is found. The state becomes the one found, at rest but for drives, with the reactions of
 * its joints (trm_joint_reaction). Where there is none, the result says so, and the state is where the search
 * ended. def NULL: the default. Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting that the state does
 * not fit its joints or the model is too large; then *result is NULL. */
TRM_API trm_status trm_equilibrium(trm_state *state, const trm_equilibrium_def *def, const trm_allocator *allocator,
                                   trm_messages *messages, trm_equilibrium_result **result);
TRM_API void trm_equilibrium_destroy(trm_equilibrium_result *result);

/* ---- Linearisation ------------------------------------------------------------------------ */

typedef struct trm_linearise_def {
    /* Names of inputs separated by commas, or NULL: an input of the model; SERVO.target, SERVO.velocity,
     * FORCE.value (of effort, actuator and servo; FORCE.value1 to 3 of force and torque); JOINT.force,
     * JOINT.force2: along a coordinate [N, N m]; BODY.fx .. fz, BODY.tx .. tz: on a body at its centre of mass,
     * world axes. */
    const char *inputs;
    const char *outputs; /* columns of results, as in trm_results_create, reactions excepted; NULL: none */
} trm_linearise_def;

/* An eigenvalue re + i im [1/s] with its shape; a conjugate pair is one mode, with im > 0. */
typedef struct trm_mode {
    double re, im;
    double frequency; /* Hz: |re + i im| / 2 pi of a pair, 0 of a real eigenvalue */
    double damping;   /* ratio: -re / |re + i im| */
    bool zero;        /* a motion that nothing holds or drives */
    char text[120];   /* of a zero mode: its motion; else what moves most */
} trm_mode;

/* M q'' + D q' + K q = B u about a state, in independent coordinates q that joints and bodies have by name; and x'
 * = A x + B u, y = C x + D u with x = (q, q') at rest. All matrices are row after row. Owned by the caller. */
typedef struct trm_linearisation {
    int freedoms;             /* f */
    const char *const *names; /* f: "knee.q", "rod.x" */
    const double *M, *D, *K;  /* f x f */
    const double
        *motion;    /* 6 bodies x f: twist of each body (turn, then shift of its centre of mass) per coordinate */
    int mode_count; /* pairs, single real ones and zero modes, by ascending |re + i im|, zero modes first */
    const trm_mode *modes;
    const double *shapes; /* per mode: 12 numbers per body: twist, real parts then imaginary parts */
    int zero_count;       /* of zero modes */
    int state_count;      /* 2 f, or fewer rates than coordinates where something rolls */
    const double *A;
    int input_count, output_count;
    const char *const *input_names, *const *output_names;
    const double *B, *C, *Du;   /* states x inputs, outputs x states, outputs x inputs */
    const double *output_start; /* outputs: y at the state itself */
    bool moving;                /* about a motion: M, D, K are not given, and are NULL */
    struct trm_arena *arena;    /* owns all */
} trm_linearisation;

/* Linearises about a state: one in equilibrium, else the forces that are not balanced are reported as a warning
 * and left out. Loops are closed and redundant rows are left out; rows under load have geometric stiffness; ropes
 * and limits that hold with a force and contacts that touch are rows, contacts with friction hold their points
 * (they roll). A state that moves is linearised about its motion, whose coefficients are taken as constant. def
 * NULL: no inputs and outputs. Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting an unknown input or
 * output or a model that is too large; then *result is NULL. */
TRM_API trm_status trm_linearise(const trm_state *state, const trm_linearise_def *def, const trm_allocator *allocator,
                                 trm_messages *messages, trm_linearisation **result);
TRM_API void trm_linearisation_destroy(trm_linearisation *result);

/* The transfer function of an output to an input, C (s - A)^-1 B + D, at s = i omega, omega in rad/s: its real and
 * imaginary part. Returns false where it is singular (an undamped resonance). */
TRM_API bool trm_frequency_response(const trm_linearisation *linear, double omega, int input, int output, double *re,
                                    double *im);

/* ---- Kinematics --------------------------------------------------------------------------- */

/* The motion that drives, motors and moving bodies prescribe, without masses and forces. */
typedef struct trm_kinematics trm_kinematics;

/* At the start of the model, assembled. Ropes, limits, friction and contacts take no part; a freedom that nothing
 * drives stays at rest as far as it can. Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting a start that
 * does not fit or a model that is too large. */
TRM_API trm_status trm_kinematics_create(const trm_model *model, const trm_allocator *allocator,
                                         trm_messages *messages, trm_kinematics **kinematics);
TRM_API void trm_kinematics_destroy(trm_kinematics *kinematics);

TRM_API const trm_state *
trm_kinematics_state(const trm_kinematics *kinematics); /* poses, velocities, accelerations */
TRM_API int
trm_kinematics_undriven(const trm_kinematics *kinematics); /* freedoms that nothing drives, at the start */

/* A pose in which the rows of a driven machine depend on each other: a dead centre, a change point. */
typedef struct trm_singular_pose {
    double time; /* s */
    bool locks;  /* the drives cannot go on: the motion ends here */
    int joint;   /* that can move though the drives stand still */
    char text[120];
} trm_singular_pose;

/* Goes on to the time, exactly: poses to rounding, then velocities and accelerations. Not ok: the drives cannot be
 * followed; the outcome has the time and the joint, and the state is at the last pose before. */
TRM_API trm_outcome trm_kinematics_go(trm_kinematics *kinematics, double time);
/* Singular poses met so far, number index from 0; false after the last. */
TRM_API bool trm_kinematics_singular(const trm_kinematics *kinematics, int index, trm_singular_pose *pose);
/* Rates of all joint coordinates per rate of one: dq_out/dq_in at the present pose, drives elsewhere standing
 * still. NAN: the input cannot move. */
TRM_API double trm_transmission(trm_kinematics *kinematics, trm_coordinate_name in, trm_coordinate_name out);

/* How far a coordinate can go from the start before the machine locks, its own drives left out and all others held. */
typedef struct trm_motion_range {
    double limits[2]; /* m or rad: lowest and highest value; -inf, inf: it goes on without end */
    bool full_turn;   /* an angle that comes back to the start after a whole turn */
    int locked_by[2]; /* the joint that locks it at each end; -1: nothing does */
    bool at_limit[2]; /* it is the limit of that joint's coordinate that does */
} trm_motion_range;

/* Finds the range of a joint coordinate: moves the joint from its initial value in both directions until the
 * machine locks, a limit or rope becomes active, or a full turn is complete. Fails with TRM_BAD_INPUT and a
 * message if the initial pose cannot be assembled, or out of memory. */
TRM_API trm_status trm_find_range(const trm_model *model, trm_coordinate_name coordinate,
                                  const trm_allocator *allocator, trm_messages *messages, trm_motion_range *range);

/* ---- Inverse kinematics ------------------------------------------------------------------- */

/* A pose that a frame of a body is to be brought to. */
typedef struct trm_goal {
    int body;
    trm_pose frame;       /* in the body frame (trm_find_frame) */
    trm_vec3 position;    /* m, world; NAN: this component is free */
    bool oriented;        /* whether the orientation counts, too: */
    trm_quat orientation; /* world */
} trm_goal;

TRM_API trm_goal trm_default_goal(void); /* of the ground's frame; nothing counts */

typedef struct trm_inverse_kinematics_def {
    double tolerance;        /* m: goals are reached within it; 1e-9 */
    double angle_tolerance;  /* rad; 1e-9 */
    int starts;              /* poses that the search begins at, the first being that of the state; 100 */
    int most_iterations;     /* from each; 200 */
    unsigned long long seed; /* of the other starts; 1 */
    const int *held;         /* joints whose coordinates stay, */
    int held_count;
    const int *held_bodies; /* and bodies carried by no joint that stay */
    int held_body_count;
} trm_inverse_kinematics_def;

/* Returns a definition with all defaults. */
TRM_API trm_inverse_kinematics_def trm_default_inverse_kinematics_def(void);

typedef struct trm_inverse_kinematics_result {
    bool found;      /* all goals are reached */
    double distance; /* m: the largest that is left of a goal's position, */
    double angle;    /* rad: and of an orientation */
    int goal;        /* that has more left than the others, in units of the tolerances */
    int starts;      /* that were needed */
    int iterations;  /* of all of them */
    int at_limit;    /* a joint whose limit holds the goals back, or a taut rope; -1: none */
} trm_inverse_kinematics_result;

/* Finds joint coordinates that bring frames to goals: loops closed, limits and ropes obeyed, drives, motors,
 * servos and contacts ignored. Coordinates that no goal depends on stay. A goal out of reach is approached by
 * least squares, radians times the reach of the machine counting as metres. The nearest solution to the state is
 * not guaranteed, but the search begins there; it continues from other poses only where that fails, so that
 * `found` false means: not from any of the starts. The state becomes the best pose found, at rest. def NULL: the
 * default. Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting goals that are not finite, bodies that
 * cannot move, or joints that cannot be closed near the state. */
TRM_API trm_status trm_inverse_kinematics(trm_state *state, const trm_goal *goals, int goal_count,
                                          const trm_inverse_kinematics_def *def, const trm_allocator *allocator,
                                          trm_messages *messages, trm_inverse_kinematics_result *result);

/* What is left of one goal at a state: 0 for what does not count. */
TRM_API trm_gap trm_goal_left(const trm_state *state, const trm_goal *goal);

/* ---- Optimisation ------------------------------------------------------------------------- */

/* Minimises a function of n numbers within bounds without derivatives, by CMA-ES with restarts: the caller takes
 * points and returns their values. */
typedef struct trm_optimiser trm_optimiser;

typedef struct trm_optimiser_def {
    unsigned long long seed; /* the same seed gives the same points; 1 */
    int restarts;            /* with twice the population each; 2 */
    int population;          /* of the first search; 0: by the number of parameters */
    double sigma;            /* the first step over the width of the bounds; 0.3 */
    double tolerance;        /* a search ends when its steps are shorter, over the width of the bounds; 1e-12 */
    int most_points;         /* set by trm_optimiser_create: the largest population */
} trm_optimiser_def;

/* Returns a definition with all defaults. */
TRM_API trm_optimiser_def trm_default_optimiser_def(void);

/* lower, upper, start: n numbers each; start NULL: the middle. def NULL: the default. */
TRM_API trm_status trm_optimiser_create(int n, const double *lower, const double *upper, const double *start,
                                        const trm_optimiser_def *def, const trm_allocator *allocator,
                                        trm_optimiser **optimiser);
TRM_API void trm_optimiser_destroy(trm_optimiser *optimiser);
TRM_API int trm_optimiser_most_points(const trm_optimiser *optimiser);
/* Points to evaluate, row after row, at most trm_optimiser_most_points; returns how many, 0 when the search is done. */
TRM_API int trm_optimiser_ask(trm_optimiser *optimiser, double *points);
/* Their values in the same order; NAN is worse than all others. */
TRM_API void trm_optimiser_tell(trm_optimiser *optimiser, const double *values);
TRM_API bool trm_optimiser_is_done(const trm_optimiser *optimiser);
/* The best value so far and its point. */
TRM_API double trm_optimiser_best(const trm_optimiser *optimiser, double *point);

#ifdef __cplusplus
}
#endif

#endif
