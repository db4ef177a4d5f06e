/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Analyses of a model besides simulation: measures of a run, states as models, statics, kinematics, linearisation
 * and optimisation. Units are SI, angles are in radians. The caller owns the results and destroys them. */

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
 *   settle(x, band, target) the time [s] from which x stays within band of the target (its final value if omitted)
 *
 * A measure belongs to one thread at a time. */
typedef struct trm_measure trm_measure;

/* Compiles the text. A name is one of the constants or a column of the model; a name with other characters than
 * letters, digits, _ and . is written in double quotes. On failure *measure is NULL and the messages say why:
 * syntax, an unknown column, or a series where a number is required. The model must outlive the measure. */
TRM_API trm_status trm_measure_create(const trm_model *model, const char *text, const trm_constant *constants,
                                      int constant_count, const trm_allocator *allocator, trm_messages *messages,
                                      trm_measure **measure);
/* Releases the measure. */
TRM_API void trm_measure_destroy(trm_measure *measure);
/* Enables the columns that the measure reads in a simulation, as trm_results_enable does. Fails only when out of
 * memory. */
TRM_API trm_status trm_measure_enable(const trm_measure *measure, trm_sim *sim);
/* Returns whether the measure reads a joint reaction or an acceleration. trm_measure_enable then makes the simulation
 * compute them. */
TRM_API bool trm_measure_needs_reactions(const trm_measure *measure);
/* Adds the row of a state. Returns false if out of memory; earlier rows are kept. */
TRM_API bool trm_measure_add(trm_measure *measure, const trm_state *state);
/* Returns the value over the rows added so far. Returns NAN if it is not defined: there are no rows, a level is never
 * crossed, or x does not settle. */
TRM_API double trm_measure_value(trm_measure *measure);

/* ---- States as models --------------------------------------------------------------------- */

/* Changes a definition so that it starts at the given state of the model that was built from it: poses,
 * velocities, joint coordinates (with full turns), attached joints, and functions that events have set. The time
 * of the state becomes 0: functions of time and events are shifted, and past events are removed. Joints given in
 * the world move with their bodies. Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting a function of time
 * that cannot be shifted; then the definition must not be used. */
TRM_API trm_status trm_start_at(trm_model_def *def, const trm_state *state, trm_messages *messages);

/* ---- Motions by name ---------------------------------------------------------------------- */

/* A direction of motion of a machine, described by the body that moves most. */
typedef struct trm_motion_note {
    int body;         /* body that moves most */
    bool alone;       /* no other body moves */
    trm_vec3 turn;    /* its rotation, world axes; the largest component of turn and shift is 1 */
    trm_vec3 shift;   /* displacement of its centre of mass, world axes */
    double stiffness; /* stiffness per unit of mass, 1/s^2; negative: unstable */
    char text[120];   /* "body 'rod3' turns about (0, 0.8, 0.6)" */
} trm_motion_note;

/* ---- Equilibrium -------------------------------------------------------------------------- */

/* Options of trm_equilibrium. */
typedef struct trm_equilibrium_def {
    bool relaxed;     /* disturb unstable equilibria until a stable one is found */
    double tolerance; /* unbalanced force over the largest force (default: 1e-9); rounding is reached if possible */
    int most_iterations; /* largest number of iterations (default: 500) */
} trm_equilibrium_def;

/* Returns a definition with all defaults. */
static inline trm_equilibrium_def trm_default_equilibrium_def(void)
{
    trm_equilibrium_def def;
    trm_set_defaults(TRM_DEF_EQUILIBRIUM, &def, sizeof def);
    return def;
}

/* A force between two shapes. */
typedef struct trm_contact_load {
    int body[2];
    trm_vec3 point, normal; /* contact point, m, world; unit normal from the second body to the first */
    double force;           /* force on the first body along the normal, N */
} trm_contact_load;

/* The result of trm_equilibrium. The caller destroys it (trm_equilibrium_destroy). */
typedef struct trm_equilibrium_result {
    bool found;
    bool steady;      /* drives move: a relative equilibrium, at rest in all coordinates that are not driven */
    char element[80]; /* element that is not balanced: "body 'ball'"; "" if found */
    char why[200];    /* why there is no equilibrium, or why the search ended */
    int iterations;
    double residual;   /* largest unbalanced force, or unbalanced torque over radius of gyration, N */
    double relative;   /* residual over the largest force */
    double potential;  /* potential energy, J */
    int freedoms;      /* number of independent motions that active rows leave free */
    int unstable;      /* number of directions of negative stiffness */
    int neutral_count; /* number of directions without stiffness */
    const trm_motion_note *neutral;
    int unstable_count; /* number of unstable_motions, at most 20 */
    const trm_motion_note *unstable_motions;
    int not_unique_count;  /* joints whose reactions are not unique: the state has those of least norm */
    const int *not_unique; /* numbers of these joints and drives */
    int active_count;      /* ropes and limits that are active */
    const int *active;     /* numbers of their joints */
    int contact_count;
    const trm_contact_load *contacts;
    struct trm_arena *arena; /* owns the lists */
} trm_equilibrium_result;

/* Finds a pose near that of the state at which all forces balance: gravity, springs, torsion springs, servos,
 * constant forces, joints with loops and redundant rows, ropes and limits (active or not), and contacts without
 * friction. Friction in joints is ignored. The potential decreases from step to step, so the search finds a stable
 * equilibrium unless it starts at an unstable one. If drives or motors move at the time of the state, it finds the
 * relative equilibrium, without contacts; motors are assumed to run at their velocity. The state becomes the
 * equilibrium, at rest except for drives, with the reactions of its joints (trm_joint_reaction). If no equilibrium is
 * found, the result says so, and the state is where the search ended. def NULL: the default. Returns
 * TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting that the state violates its joints or that the model is too
 * large; then *result is NULL. */
TRM_API trm_status trm_equilibrium_sized(trm_state *state, trm_sized def, const trm_allocator *allocator,
                                         trm_messages *messages, trm_equilibrium_result **result);
static inline trm_status trm_equilibrium(trm_state *state, const trm_equilibrium_def *def,
                                         const trm_allocator *allocator, trm_messages *messages,
                                         trm_equilibrium_result **result)
{
    return trm_equilibrium_sized(state, trm_with_size(def, sizeof *def), allocator, messages, result);
}
/* Releases the result. */
TRM_API void trm_equilibrium_destroy(trm_equilibrium_result *result);

/* ---- Linearisation ------------------------------------------------------------------------ */

/* Inputs and outputs of a linearisation. */
typedef struct trm_linearise_def {
    /* Names of inputs separated by commas, or NULL for none: an input of the model; SERVO.target, SERVO.velocity,
     * FORCE.value (of effort, actuator and servo; FORCE.value1 to 3 of force and torque); JOINT.force,
     * JOINT.force2: along a coordinate [N, N m]; BODY.fx .. fz, BODY.tx .. tz: on a body at its centre of mass,
     * world axes. */
    const char *inputs;
    const char *outputs; /* result columns, as in trm_results_create, except reactions; NULL: none */
} trm_linearise_def;

/* A mode: an eigenvalue re + i im [1/s]. A conjugate pair is one mode, with im > 0. */
typedef struct trm_mode {
    double re, im;
    double frequency; /* Hz: |re + i im| / 2 pi of a pair, 0 of a real eigenvalue */
    double damping;   /* ratio: -re / |re + i im| */
    bool zero;        /* a zero mode: a motion without stiffness and damping */
    char text[120];   /* zero mode: its motion; others: the element that moves most */
} trm_mode;

/* The linearisation about a state: M q'' + D q' + K q = B u in independent coordinates q, which are named
 * coordinates of joints and bodies; and x' = A x + B u, y = C x + D u with x = (q, q') at rest. All matrices are
 * row-major. The caller destroys it. */
typedef struct trm_linearisation {
    int freedoms; /* f */
    /* names of the f coordinates, "rod.x", "knee.q": bodies first, then joints in the order of the model */
    const char *const *names;
    const double *M, *D, *K; /* f x f */
    const double *motion;    /* 6 bodies x f: twist of each body (rotation, then its centre of mass) per coordinate */
    int mode_count;          /* pairs, real eigenvalues and zero modes, by ascending |re + i im|, zero modes first */
    const trm_mode *modes;
    const double *shapes; /* per mode 12 numbers per body: real parts of the twist, then imaginary parts */
    int zero_count;       /* number of zero modes */
    int state_count;      /* size of x: 2 f, or less if rolling leaves fewer independent rates than coordinates */
    const double *A;
    int input_count, output_count;
    const char *const *input_names, *const *output_names;
    const double *B, *C, *Du;   /* states x inputs, outputs x states, outputs x inputs */
    const double *output_start; /* values of the outputs y at the state itself */
    bool moving;                /* the state moves: M, D and K are NULL */
    struct trm_arena *arena;    /* memory of all arrays */
} trm_linearisation;

/* Linearises about a state in equilibrium. If it is not in equilibrium, unbalanced forces are reported as a
 * warning and ignored. Loops are closed, and redundant rows are dropped. Rows under load have geometric stiffness.
 * Active ropes and limits and closed contacts are rows; contacts with friction stick (they roll). A moving state
 * is linearised about its motion, with coefficients taken as constant. def NULL: no inputs and outputs. Returns
 * TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting an unknown input or output or a model that is too large;
 * then *result is NULL. */
TRM_API trm_status trm_linearise_sized(const trm_state *state, trm_sized def, const trm_allocator *allocator,
                                       trm_messages *messages, trm_linearisation **result);
static inline trm_status trm_linearise(const trm_state *state, const trm_linearise_def *def,
                                       const trm_allocator *allocator, trm_messages *messages,
                                       trm_linearisation **result)
{
    return trm_linearise_sized(state, trm_with_size(def, sizeof *def), allocator, messages, result);
}
/* Releases the linearisation. */
TRM_API void trm_linearisation_destroy(trm_linearisation *result);

/* Computes real and imaginary part of the transfer function from an input to an output, C (s - A)^-1 B + D, at s =
 * i omega, omega in rad/s. Returns false where it is singular (an undamped resonance). */
TRM_API bool trm_frequency_response(const trm_linearisation *linear, double omega, int input, int output, double *re,
                                    double *im);

/* ---- Kinematics --------------------------------------------------------------------------- */

/* The motion that drives, motors and moving bodies prescribe, without masses and forces. It belongs to one thread at a
 * time. */
typedef struct trm_kinematics trm_kinematics;

/* Creates the kinematics at the assembled start of the model, which must outlive it; the caller destroys it.
 * Ropes, limits, friction and contacts are ignored. Motions that are not driven stay at rest as far as possible.
 * Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting a start that cannot be assembled or a model that is too
 * large. */
TRM_API trm_status trm_kinematics_create(const trm_model *model, const trm_allocator *allocator,
                                         trm_messages *messages, trm_kinematics **kinematics);
/* Releases the kinematics. */
TRM_API void trm_kinematics_destroy(trm_kinematics *kinematics);

/* Returns the current state, with poses, velocities and accelerations. It belongs to the kinematics. */
TRM_API const trm_state *trm_kinematics_state(const trm_kinematics *kinematics);
/* Returns the number of degrees of freedom at the start that no drive, motor or moving body prescribes. */
TRM_API int trm_kinematics_undriven(const trm_kinematics *kinematics);

/* A pose in which the rows of a driven machine depend on each other: a dead centre, a change point. */
typedef struct trm_singular_pose {
    double time; /* s */
    bool locks;  /* the drives cannot continue: the motion ends here */
    int joint;   /* joint that can move while the drives stand still */
    char text[120];
} trm_singular_pose;

/* Advances to exactly this time [s]: poses up to rounding, then velocities and accelerations. The outcome is not
 * ok if the drives cannot be followed; it then names the time and the joint, and the state is the last pose that was
 * reached. */
TRM_API trm_outcome trm_kinematics_go(trm_kinematics *kinematics, double time);
/* Gets a singular pose that was passed so far, index from 0. Returns false after the last. */
TRM_API bool trm_kinematics_singular(const trm_kinematics *kinematics, int index, trm_singular_pose *pose);
/* Returns the transmission ratio dq_out/dq_in of two joint coordinates in the current pose, with all other drives
 * at rest. Returns NAN if the input cannot move. */
TRM_API double trm_transmission(trm_kinematics *kinematics, trm_coordinate_name in, trm_coordinate_name out);

/* The range of a coordinate from the start until the machine locks, without its own drives and with all others at
 * rest. */
typedef struct trm_motion_range {
    double limits[2]; /* lowest and highest value, m or rad; -inf, inf: unbounded */
    bool full_turn;   /* an angle that returns to the start after a full turn */
    int locked_by[2]; /* joint that locks the coordinate at each end; -1: none */
    bool at_limit[2]; /* a limit of that joint's coordinate locks it */
} trm_motion_range;

/* Finds the range of a joint coordinate: moves the joint from its initial value in both directions until the
 * machine locks, a limit or rope becomes active, or a full turn is complete. Fails with TRM_BAD_INPUT and a
 * message if the initial pose cannot be assembled, or out of memory. */
TRM_API trm_status trm_find_range(const trm_model *model, trm_coordinate_name coordinate,
                                  const trm_allocator *allocator, trm_messages *messages, trm_motion_range *range);

/* ---- Inverse kinematics ------------------------------------------------------------------- */

/* A goal of inverse kinematics: the target pose of a frame of a body. */
typedef struct trm_goal {
    int body;
    trm_pose frame;       /* the frame, in the body frame (trm_find_frame) */
    trm_vec3 position;    /* target position, world, m; NAN: this component is free */
    bool oriented;        /* the goal includes the orientation */
    trm_quat orientation; /* target orientation, world */
} trm_goal;

/* Returns a goal of the ground's frame, with all components free. */
static inline trm_goal trm_default_goal(void)
{
    trm_goal def;
    trm_set_defaults(TRM_DEF_GOAL, &def, sizeof def);
    return def;
}

/* Options of inverse kinematics. */
typedef struct trm_inverse_kinematics_def {
    double tolerance;        /* position error of a goal that counts as reached, m (default: 1e-9) */
    double angle_tolerance;  /* angle error of a goal that counts as reached, rad (default: 1e-9) */
    int starts;              /* largest number of initial poses; the first is that of the state (default: 100) */
    int most_iterations;     /* largest number of iterations from each (default: 200) */
    unsigned long long seed; /* random seed of the other initial poses (default: 1) */
    const int *held;         /* joints whose coordinates must not change */
    int held_count;
    const int *held_bodies; /* bodies without a carrying joint that must not move */
    int held_body_count;
} trm_inverse_kinematics_def;

/* Returns a definition with all defaults. */
static inline trm_inverse_kinematics_def trm_default_inverse_kinematics_def(void)
{
    trm_inverse_kinematics_def def;
    trm_set_defaults(TRM_DEF_INVERSE_KINEMATICS, &def, sizeof def);
    return def;
}

/* The result of inverse kinematics. */
typedef struct trm_inverse_kinematics_result {
    bool found;      /* all goals are reached */
    double distance; /* largest remaining position error of a goal, m */
    double angle;    /* largest remaining angle error of a goal, rad */
    int goal;        /* goal with the largest error over its tolerance */
    int starts;      /* number of initial poses that were used */
    int iterations;  /* number of iterations from all of them */
    int at_limit;    /* joint whose limit, or taut rope, prevents reaching the goals; -1: none */
} trm_inverse_kinematics_result;

/* Finds joint coordinates that bring frames to goals. Loops are closed; limits and ropes are obeyed; drives,
 * motors, servos and contacts are ignored. Coordinates that no goal depends on do not change. A goal out of reach
 * is approached by least squares, in which radians times the reach of the machine count as metres. The search
 * begins at the state, but the solution need not be the nearest one. It continues from other poses only if that
 * fails, so `found` is false if no start led to a solution. The state becomes the best pose found, at rest. def
 * NULL: the default. Returns TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting goals that are not finite, bodies
 * that cannot move, or joints that cannot be closed near the state. */
TRM_API trm_status trm_inverse_kinematics_sized(trm_state *state, trm_sized goals, int goal_count, trm_sized def,
                                                const trm_allocator *allocator, trm_messages *messages,
                                                trm_inverse_kinematics_result *result);
static inline trm_status trm_inverse_kinematics(trm_state *state, const trm_goal *goals, int goal_count,
                                                const trm_inverse_kinematics_def *def, const trm_allocator *allocator,
                                                trm_messages *messages, trm_inverse_kinematics_result *result)
{
    return trm_inverse_kinematics_sized(state, trm_with_size(goals, sizeof *goals), goal_count,
                                        trm_with_size(def, sizeof *def), allocator, messages, result);
}

/* Returns the remaining error of a goal at a state [m, rad]; free components count as 0. */
TRM_API trm_gap trm_goal_left_sized(const trm_state *state, trm_sized goal);
static inline trm_gap trm_goal_left(const trm_state *state, const trm_goal *goal)
{
    return trm_goal_left_sized(state, trm_with_size(goal, sizeof *goal));
}

/* ---- Optimisation ------------------------------------------------------------------------- */

/* Minimises a function of n numbers within bounds without derivatives, by CMA-ES with restarts. The caller takes
 * points from the optimiser and returns the values of the function there. An optimiser belongs to one thread at a time;
 * the caller may evaluate its points on several. */
typedef struct trm_optimiser trm_optimiser;

/* Options of the optimiser. */
typedef struct trm_optimiser_def {
    unsigned long long seed; /* random seed; the same seed gives the same points (default: 1) */
    int restarts;            /* number of restarts, each with twice the population (default: 2) */
    int population;          /* population of the first search; 0: chosen by the number of parameters */
    double sigma;            /* initial step over the width of the bounds (default: 0.3) */
    double tolerance; /* a search ends when its steps over the width of the bounds are smaller (default: 1e-12) */
    int most_points;  /* set by trm_optimiser_create: the largest population */
} trm_optimiser_def;

/* Returns a definition with all defaults. */
static inline trm_optimiser_def trm_default_optimiser_def(void)
{
    trm_optimiser_def def;
    trm_set_defaults(TRM_DEF_OPTIMISER, &def, sizeof def);
    return def;
}

/* Creates an optimiser, which the caller destroys. lower, upper, start: n numbers each; start NULL: the middle of
 * the bounds. def NULL: the default. Fails only when out of memory. */
TRM_API trm_status trm_optimiser_create_sized(int n, const double *lower, const double *upper, const double *start,
                                              trm_sized def, const trm_allocator *allocator,
                                              trm_optimiser **optimiser);
static inline trm_status trm_optimiser_create(int n, const double *lower, const double *upper, const double *start,
                                              const trm_optimiser_def *def, const trm_allocator *allocator,
                                              trm_optimiser **optimiser)
{
    return trm_optimiser_create_sized(n, lower, upper, start, trm_with_size(def, sizeof *def), allocator, optimiser);
}
/* Releases the optimiser. */
TRM_API void trm_optimiser_destroy(trm_optimiser *optimiser);
/* Returns the largest number of points of trm_optimiser_next. */
TRM_API int trm_optimiser_most_points(const trm_optimiser *optimiser);
/* Gets the points to evaluate, row-major, at most trm_optimiser_most_points. Returns their number, 0 when the
 * search is done. */
TRM_API int trm_optimiser_next(trm_optimiser *optimiser, double *points);
/* Passes the values at these points, in the same order. NAN is worse than all numbers. */
TRM_API void trm_optimiser_record(trm_optimiser *optimiser, const double *values);
/* Returns whether the search is done. */
TRM_API bool trm_optimiser_is_done(const trm_optimiser *optimiser);
/* Returns the best value so far and writes its point. */
TRM_API double trm_optimiser_best(const trm_optimiser *optimiser, double *point);

#ifdef __cplusplus
}
#endif

#endif
