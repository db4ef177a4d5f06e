/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States, simulations, runs and inverse dynamics. Units are SI, angles are in radians. */

#ifndef TRAMMEL_SIM_H
#define TRAMMEL_SIM_H

#include "trammel/base.h"
#include "trammel/model.h"
#include "trammel/vecmath.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- State -------------------------------------------------------------------------------- */

/* A state holds plain numbers: time, poses, velocities, memory of joints, impulses of the last step, and which
 * joints are attached. Two equal states of one model continue bit-identically. Many states may share one model,
 * which must outlive them. A state belongs to one thread at a time. Several threads may read it while no thread
 * changes it. */
typedef struct trm_state trm_state;

/* Creates a state with the initial poses and velocities of the model. Returns NULL if out of memory. */
TRM_API trm_state *trm_state_create(const trm_model *model, const trm_allocator *allocator);
/* Releases the state. */
TRM_API void trm_state_destroy(trm_state *state);
TRM_API void trm_state_copy(trm_state *to, const trm_state *from);    /* copies a state of the same model */
TRM_API bool trm_state_equal(const trm_state *a, const trm_state *b); /* returns whether they are bit-identical */
/* Returns a hash of the state; bit-identical states have equal hashes. */
TRM_API uint64_t trm_state_hash(const trm_state *state);

/* Writes the state in a versioned binary form. Fails if the sink does. */
TRM_API trm_status trm_state_save(const trm_state *state, trm_sink sink);
/* Reads a state that trm_state_save wrote. file: its name in messages. Returns TRM_BAD_INPUT with a message if the
 * bytes do not belong to this model; then the state is unchanged. */
TRM_API trm_status trm_state_load(trm_state *state, const void *bytes, size_t count, const char *file,
                                  trm_messages *messages);

TRM_API double trm_state_time(const trm_state *state); /* returns the time, s */

/* Returns the pose of the body frame in the world [m]. */
TRM_API trm_pose trm_body_pose(const trm_state *state, int body);
/* Returns the angular velocity [rad/s] and the velocity of the origin of the body frame [m/s], world axes. */
TRM_API trm_spatial trm_body_velocity(const trm_state *state, int body);
/* Returns the number of bodies that sleep: they are not simulated until another body touches them. */
TRM_API int trm_bodies_asleep(const trm_state *state);
/* Set the motion of the body frame of a rigid body or point: pose [m], twist [rad/s, m/s] and acceleration
 * [rad/s^2, m/s^2], world axes. */
TRM_API void trm_set_body_pose(trm_state *state, int body, trm_pose pose);
TRM_API void trm_set_body_velocity(trm_state *state, int body, trm_spatial velocity);         /* after the pose */
TRM_API void trm_set_body_acceleration(trm_state *state, int body, trm_spatial acceleration); /* after the velocity */
/* Sets the time [s] and moves bodies with prescribed motion to their poses at that time. Call it before setting
 * poses. */
TRM_API void trm_set_state_time(trm_state *state, double time);

/* Returns the value of an input (trm_sim_inputs). */
TRM_API double trm_input_value(const trm_state *state, int input);

/* Returns the current value of a setting (trm_setting_info_of): of the model, of an event or of trm_sim_set. */
TRM_API double trm_setting_value(const trm_state *state, int setting);

/* Return the world position [m] and velocity [m/s] of a point given in the body frame. */
TRM_API trm_vec3 trm_point_position(const trm_state *state, int body, trm_vec3 point);
TRM_API trm_vec3 trm_point_velocity(const trm_state *state, int body, trm_vec3 point);

/* Returns the angular acceleration [rad/s^2] and the acceleration of the body frame's origin [m/s^2], world axes,
 * from the last observation that computed reactions (trm_sim_enable_reactions); 0 before. */
TRM_API trm_spatial trm_body_acceleration(const trm_state *state, int body);
/* Returns the acceleration [m/s^2] of a point given in the body frame, world axes, from the same observation. */
TRM_API trm_vec3 trm_point_acceleration(const trm_state *state, int body, trm_vec3 point);

/* Gets the coordinates [m, rad] and rates [m/s, rad/s] of a joint, at most TRM_JOINT_COORDINATES each. Either
 * array may be NULL. Returns the number of coordinates. */
TRM_API int trm_joint_values(const trm_state *state, int joint, double *q, double *qd);
/* Returns whether the joint is attached. */
TRM_API bool trm_joint_attached(const trm_state *state, int joint);
/* Returns the torque about the anchor [N m] and the force [N] of the joint on its second body, world axes, from
 * the last observation that computed reactions (trm_sim_enable_reactions). They are not unique where rows are
 * redundant. */
TRM_API trm_spatial trm_joint_reaction(const trm_state *state, int joint);
/* Returns the constraint error of a joint in positions [m, rad]. */
TRM_API trm_gap trm_position_gap(const trm_state *state, int joint);
/* Returns the constraint error of a joint in velocities [m/s, rad/s]. */
TRM_API trm_gap trm_velocity_gap(const trm_state *state, int joint);

/* Gets the last sample of a sensor, at most TRM_SENSOR_NUMBERS numbers. Returns their number. Accelerometer
 * and gyro give x, y, z in the axes of their body. A force sensor gives force and torque on the joint's second
 * body. All others give one number. The first step or observation of a simulation takes the first sample; before
 * it the values are NAN. */
TRM_API int trm_sensor_values(const trm_state *state, int sensor, double *values);

/* ---- Energy and momentum ------------------------------------------------------------------ */

/* Energies and power of a state. */
typedef struct trm_energy {
    double kinetic, potential; /* J; gravity and springs have potential energy */
    double power;              /* W: power of all forces without potential */
} trm_energy;

/* Work done so far by all forces without potential, J. The sum of the fields is W in the energy balance E = E0 + W.
 * Dissipated energy is negative. */
typedef struct trm_works {
    double input;    /* forces, drives, motors, servos and moving bodies: either sign */
    double friction; /* friction in joints */
    double damping;  /* dampers and drag */
    double impact;   /* impacts of shapes, stops and ropes, and attachment of joints */
    double contact;  /* contact forces, at the relative velocity of the shapes */
} trm_works;

/* Momentum, world axes. */
typedef struct trm_momentum {
    trm_vec3 linear;  /* kg m/s */
    trm_vec3 angular; /* kg m^2/s, about the world's origin */
} trm_momentum;

/* Returns energies and power of the state. Velocities must satisfy the joints (trm_sim_observe). */
TRM_API trm_energy trm_state_energy(const trm_state *state);
/* Returns the momentum of all bodies with mass. */
TRM_API trm_momentum trm_state_momentum(const trm_state *state);

/* ---- Analysis ----------------------------------------------------------------------------- */

/* A constraint row of a joint. */
typedef struct trm_row_name {
    int joint, row; /* both from 0 */
} trm_row_name;

/* Bodies connected by joints. Fixed and moving bodies belong to no island. All fields are numbers of elements. */
typedef struct trm_island {
    int bodies, joints;
    int loops;    /* joints that are not in a spanning tree */
    int freedoms; /* degrees of freedom of its bodies without joints */
    int rows;     /* rows of its attached joints; a slack rope has none */
    int rank;     /* independent rows among them, in this pose */
} trm_island;

/* Islands, loops, ranks and gaps of a machine in one pose. */
typedef struct trm_analysis {
    int island_count;
    const trm_island *islands;
    trm_island whole;    /* the sum over all islands */
    int redundant_count; /* rows that depend on rows of earlier joints, in this pose */
    const trm_row_name *redundant;
    const int *island_of_body;    /* -1: fixed or moving */
    const bool *tree_joint;       /* whether a joint is in the spanning tree */
    const trm_gap *gaps;          /* constraint error in positions, per joint */
    const trm_gap *velocity_gaps; /* constraint error in velocities, per joint */
    struct trm_arena *arena;      /* memory of the lists */
} trm_analysis;

/* Analyses the joints in the pose of a state. Returns the analysis, which the caller destroys; NULL if out of
 * memory. The degrees of freedom are freedoms - rows by count, and freedoms - rank by rank. */
TRM_API trm_analysis *trm_analyse(const trm_state *state, const trm_allocator *allocator);
/* Releases the analysis. */
TRM_API void trm_analysis_destroy(trm_analysis *analysis);

/* Whether dependent rows stay dependent when the machine moves (Schmitt, Bender, Prautzsch 2005, section 4). */
typedef struct trm_regularity {
    bool regular;        /* no row is dependent in this pose, or all dependent rows are redundant nearby, too */
    bool known;          /* false: no pose nearby was reached; rows in doubt are listed as singular */
    bool infinitesimal;  /* singular, and none of the additional degrees of freedom by rank is a finite motion */
    int rows;            /* rows without the redundant ones; they are independent except in a singular pose */
    int redundant_count; /* rows dependent in all poses nearby: the machine does not change if they are dropped */
    const trm_row_name *redundant;
    int singular_count; /* rows dependent in this pose only: dropping them would change the machine */
    const trm_row_name *singular;
    struct trm_arena *arena; /* memory of the lists */
} trm_regularity;

/* Divides the redundant rows of an analysis into those of the two lists of trm_regularity. The state must satisfy
 * its joints, and the analysis must be of that state. Returns the result, which the caller destroys; NULL if out
 * of memory. The same state always gives the same result. */
TRM_API trm_regularity *trm_find_regularity(const trm_state *state, const trm_analysis *analysis,
                                            const trm_allocator *allocator);
/* Releases the result of trm_find_regularity. */
TRM_API void trm_regularity_destroy(trm_regularity *regularity);

/* How far assembly moved the bodies. */
typedef struct trm_assembly {
    double position, angle; /* largest displacement of a centre of mass, m, and largest rotation of a body, rad */
    int position_body;      /* body with that displacement; -1: no body was moved */
    int angle_body;         /* body with that rotation; -1: no body was rotated */
    double speed, angular_speed; /* largest changes of a velocity, m/s, and of an angular velocity, rad/s */
} trm_assembly;

/* Moves a state that violates its joints to the nearest one that satisfies them, in the mass metric: positions
 * first, then velocities. It finds only solutions near the given pose, because finding any consistent pose is
 * NP-hard. Warnings report which joints were open and how far bodies were moved. If joints cannot be closed, it
 * fails with errors that name them and their gaps, or the distances that contradict each other; then the state is
 * unchanged. done may be NULL. trm_sim_create assembles the start of the model by this function. */
TRM_API trm_status trm_assemble(trm_state *state, const trm_allocator *allocator, trm_messages *messages,
                                trm_assembly *done);

/* ---- Simulation --------------------------------------------------------------------------- */

/* A model, a state, a method and its workspace. After the first step nothing is allocated. A simulation belongs to
 * one thread at a time. Different simulations of one model may run in different threads. A step itself may use
 * threads of the library (trm_set_threads). */
typedef struct trm_sim trm_sim;

/* Creates a simulation, which the caller destroys, and assembles the initial pose if joints are open
 * (trm_assemble). options NULL: those of the model. The model must outlive the simulation. Returns TRM_BAD_INPUT
 * if the method cannot run the model, with a message that names the element, or if assembly fails, or
 * TRM_OUT_OF_MEMORY; then *sim is NULL. */
TRM_API trm_status trm_sim_create_sized(const trm_model *model, trm_sized options, const trm_allocator *allocator,
                                        trm_messages *messages, trm_sim **sim);
static inline trm_status trm_sim_create(const trm_model *model, const trm_simulation_def *options,
                                        const trm_allocator *allocator, trm_messages *messages, trm_sim **sim)
{
    return trm_sim_create_sized(model, trm_with_size(options, sizeof *options), allocator, messages, sim);
}
/* Releases the simulation and its state. */
TRM_API void trm_sim_destroy(trm_sim *sim);

/* Returns the state, which belongs to the simulation. Its positions are always valid, its velocities only after
 * trm_sim_observe. */
TRM_API trm_state *trm_sim_state(trm_sim *sim);
/* Returns the options in use, with the tolerances that are enforced. */
TRM_API const trm_simulation_def *trm_sim_options(const trm_sim *sim);
/* Returns a phrase that says why the simulation enforces smaller tolerances than those given or than the default;
 * NULL if it does not. trm_sim_options has the tolerances in use. */
TRM_API const char *trm_sim_tolerance_note(const trm_sim *sim);

/* What the method "auto" has chosen. */
typedef struct trm_automatic_choice {
    double error;     /* m and rad per s: the error for which it was chosen */
    const char *text; /* method, order or tolerance, and the reason; it belongs to the simulation */
} trm_automatic_choice;

/* Gets what the method "auto" has chosen for this simulation. trm_sim_options has the method that was chosen. Returns
 * false if the options name another method. */
TRM_API bool trm_sim_automatic_choice(const trm_sim *sim, trm_automatic_choice *choice);

TRM_API trm_assembly trm_sim_assembly(const trm_sim *sim); /* returns how the start was assembled */

/* Continues another simulation of the same model: copies its state, account of accuracy, counters and events. Call
 * it before the first step. The method starts without its memory of past steps. */
TRM_API void trm_sim_take_over(trm_sim *sim, const trm_sim *from);

/* Returns the names of the solvers of the method, NULL after the last. */
TRM_API const char *const *trm_sim_solvers(const trm_sim *sim);

/* An option of the method. */
typedef struct trm_option_choice {
    trm_option at_work;       /* present value; its text may be NULL: none */
    const char *const *words; /* possible values, NULL after the last; NULL: any number, or any text */
    bool is_number;
    bool is_given;           /* false: the default of the method is used */
    bool is_quiet;           /* report it only if it is given */
    const char *description; /* description for users, with the unit */
} trm_option_choice;

/* Gets an option of the method, all but the solver, index from 0. Returns false after the last. */
TRM_API bool trm_sim_method_choice(const trm_sim *sim, int index, trm_option_choice *choice);

/* Gets an option to report, index from 0: all words, and the numbers that were given. Returns false after the last. */
TRM_API bool trm_sim_method_option(const trm_sim *sim, int index, trm_option *option);

/* Whether a step or run succeeded, and if not, why. After a failure the state is that of the last good step. */
typedef struct trm_outcome {
    bool ok;
    double time; /* s */
    /* Constraint error of a joint, or speed of a contact, over its tolerance; NAN: the step failed for another reason. */
    double residual;
    char element[80]; /* element that failed: "joint 'j3'" */
    char why[200];    /* reason of the failure */
} trm_outcome;

/* Advances by dt [s]. Divides dt into shorter steps if convergence or the requested error requires it. The outcome is
 * not ok if joints or contacts could not be satisfied, a hook ended the run, or memory ran out; it names the element
 * and the reason, and the state is that of the last good step. Velocities are valid after trm_sim_observe. */
TRM_API trm_outcome trm_sim_step(trm_sim *sim, double dt);

/* Projects the velocities onto the joints and records energies and gaps for trm_sim_accuracy. Call it before reading
 * velocities or energies. The outcome is not ok if the velocities cannot be projected. */
TRM_API trm_outcome trm_sim_observe(trm_sim *sim);

/* Sets whether trm_sim_observe also computes the forces in the joints (trm_joint_reaction) and the accelerations
 * (trm_body_acceleration) (default: false). */
TRM_API void trm_sim_enable_reactions(trm_sim *sim, bool wanted);

/* A function, of a controller for example, that is called when the velocities satisfy the joints. It returns false to
 * end the run. */
typedef bool (*trm_hook)(void *context, trm_sim *sim);
/* Sets functions that are called before and after every step of trm_sim_step. Either may be NULL. */
TRM_API void trm_sim_set_hooks(trm_sim *sim, trm_hook before, trm_hook after, void *context);

/* Sets a function that can interrupt steps of unpredictable duration. The library calls it after each part of a
 * step and within long computations. If it returns false, the step ends: its outcome is not ok, and the state is
 * that of the last complete part. A thread of the library may call it while the caller waits, but never two
 * threads at once. NULL: none. */
TRM_API void trm_sim_set_watch(trm_sim *sim, bool (*may_continue)(void *context), void *context);

/* Gets the current sample of a sensor, as trm_sensor_values does. A sample is due at each multiple of 1 / rate. It
 * is taken at the first end of a step at or after that time and held until the next sample. Steps that divide 1 /
 * rate give samples at exact times. With rate 0 a sample is taken after every step. Hooks see the sample of the
 * present time. */
TRM_API int trm_sim_sensor(const trm_sim *sim, int sensor, double *values);

/* Sets all inputs of the model from the present time on, clipped to their ranges. NAN leaves an input unchanged. The
 * outcome is ok unless a motor cannot follow. */
TRM_API trm_outcome trm_sim_inputs(trm_sim *sim, const double *values);

/* Sets the function of time of a servo, motor or actuator (trm_setting_info_of) to a constant from the present time
 * on, in its own unit: rad or m, rad/s or m/s, N m or N. NAN restores the function of the model. The outcome is ok
 * unless a motor cannot follow. */
TRM_API trm_outcome trm_sim_set(trm_sim *sim, int setting, double value);

/* A force of the caller on one body. It returns the torque about the centre of mass [N m] and the force [N], world
 * axes, at the given state. The method calls it many times per step, also with velocities that are not yet
 * projected onto the joints, so it must not change anything. */
typedef trm_spatial (*trm_user_force)(void *context, const trm_state *state);
/* Adds such a force to a body. name: in messages. Fails only when out of memory. */
TRM_API trm_status trm_sim_add_force(trm_sim *sim, const char *name, int body, trm_user_force force, void *context);

/* Numbers of operations of a simulation. */
typedef struct trm_counters {
    long long steps;          /* steps of the method; each part of a divided step counts */
    long long checks;         /* checks of a joint in the look-ahead (P-step 1) */
    long long corrections;    /* impulses applied to close a joint (P-step 2) */
    long long rounds;         /* passes over all joints, for positions and velocities */
    long long newton;         /* iterations of a direct solver */
    long long factorisations; /* factorisations of matrices */
    long long reductions;     /* reductions of subsystems to their interfaces */
    long long halvings;       /* halvings of a step because joints did not close */
    long long rejections;     /* steps rejected because of too large an error */
    long long impacts, contacts;
    /* Steps of order 2 where a higher order was requested, because contacts changed their modes within them. */
    long long plain;
    long long evaluations; /* evaluations of accelerations by a method that integrates them with its own steps */
    long long switches;    /* changes of the set of independent coordinates */
    long long guarded;     /* impacts with reduced restitution: excess energy, or too many contacts at once */
    /* Dissipative time-stepping steps, counted once per island: each replaced a step whose events chattered, or whose
     * passive contacts would have added energy. */
    long long dissipative;
    long long time_stepping; /* time-stepping steps chosen by "impact": "auto" */
    /* Problems of joints, contacts and friction of an island, and those that the iterative solver has solved. The
     * direct contact solver has solved the others. */
    long long contact_problems, swept;
    /* Problems of the method lcp in which slipping contacts have less than half of the friction that their normal forces
     * allow, because the solver dantzig bounds it by the normal forces without friction: such contacts may jam. */
    long long jams;
    /* Look-aheads of islands that were closed in body coordinates although joint coordinates were requested: their
     * joints form loops or act one-sidedly at present, or Newton's method in joint coordinates did not converge. */
    long long in_body;
} trm_counters;

/* Returns the counters since the simulation was created; they belong to it. */
TRM_API const trm_counters *trm_sim_counters(const trm_sim *sim);

/* Returns why a step was last divided: the joint or body that did not converge. Its `ok` is true if no step was
 * divided. */
TRM_API const trm_outcome *trm_sim_trouble(const trm_sim *sim);

/* The account of accuracy of a run, from all observations. */
typedef struct trm_accuracy {
    long long observed;                         /* number of observations */
    double energy_start, energy_end, work;      /* energies E0 and E, and work W of all forces without potential, J */
    trm_works works;                            /* parts of that work, J */
    double energy_error_max, energy_error_mean; /* largest and mean |E - E0 - W|, J */
    double energy_scale; /* largest energy that was kinetic, exchanged with a potential or put in, J */
    /* Estimate of |E - E0 - W| for steps of this order and length, J; NAN: not known. */
    double energy_expected;
    trm_gap motion_expected; /* estimate of the sum of the errors of steps of this order and length, m and rad */
    trm_works gains;         /* energy that each passive part added, though it can only dissipate, J; input: 0 */
    bool is_free;            /* nothing is fixed or driven from outside: momentum is conserved */
    double linear_error, angular_error; /* largest change of momentum not due to gravity, kg m/s and kg m^2/s */
    trm_gap gap;                        /* largest constraint error in positions, m and rad */
    int gap_joint;                      /* joint that had it; -1: none */
    trm_gap velocity_gap;               /* largest constraint error in velocities, m/s and rad/s */
    int velocity_gap_joint;             /* joint that had it; -1: none */
} trm_accuracy;

/* Returns the accuracy of the run so far, from all observations. */
TRM_API trm_accuracy trm_sim_accuracy(const trm_sim *sim);

/* The grade of a result: good, it can be trusted; check, examine it before relying on it; bad, it is wrong
 * (docs/results.md). */
typedef enum trm_grade { TRM_GOOD, TRM_CHECK, TRM_BAD } trm_grade;

enum { TRM_VERDICT_REASONS = 16 };

/* The verdict of a run. Its grade is that of its worst reason, which comes first. */
typedef struct trm_verdict {
    trm_grade grade;
    int count;
    struct {
        trm_grade grade;
        char text[200]; /* "energy balance 3e-09 J of 41 J" */
    } reasons[TRM_VERDICT_REASONS];
} trm_verdict;

/* Writes the verdict on the run so far, from its observations. */
TRM_API void trm_sim_verdict(const trm_sim *sim, trm_verdict *verdict);
/* Adds a reason to the verdict that the caller has found, from another run for example. */
TRM_API void trm_sim_add_remark(trm_sim *sim, trm_grade grade, const char *text);
TRM_API const char *trm_grade_name(trm_grade grade); /* returns "good", "check" or "bad" */

/* Attaches a joint between steps. Closes a gap of at most 0.1 m and 0.1 rad by moving the bodies to the nearest
 * closed poses, and makes velocities satisfy the joint, as a plastic impact does. Forces on the joint's coordinate
 * act from then on. The outcome is not ok if the gap is larger, or if the method cannot change the joints of the
 * start (minimal). The next step fails if memory ran out. */
TRM_API trm_outcome trm_sim_attach(trm_sim *sim, int joint);
/* Detaches a joint between steps, together with the forces on its coordinate; changes nothing else. The next step
 * fails if the method cannot change the joints of the start (minimal), or if memory ran out. */
TRM_API void trm_sim_detach(trm_sim *sim, int joint);

/* An event of the run: a joint was attached, detached or broke; a drive or force got another function; the bounces
 * of a body ended. */
typedef struct trm_event_note {
    double time;      /* s */
    const char *what; /* "attached" "detached" "broke" "set" "stopped" "bounces no more" */
    /* name of the joint, of the function that was set ("s1.target"), or of the contact ("ball on floor") */
    const char *name;
    int joint;                          /* number of the joint; -1: none */
    double energy_before, energy_after; /* energies before and after the event, J */
} trm_event_note;

/* Gets an event of the run, index from 0. Returns false after the last. Only the first 200 events are stored. */
TRM_API bool trm_sim_event(const trm_sim *sim, int index, trm_event_note *note);
/* Returns the number of all events, including those that are not stored. */
TRM_API long long trm_sim_event_count(const trm_sim *sim);

/* A closed contact, or an impact. */
typedef struct trm_contact_row {
    double time;             /* s */
    bool impact;             /* true: an impact; false: a contact */
    long long impact_number; /* number of the impact, in order of computation, shared by all of its points; 0: none */
    int body[2];
    trm_vec3 point;  /* contact point, world, m */
    trm_vec3 normal; /* unit vector from the first body to the second, world */
    double gap;      /* distance of the shapes, m; negative: penetration */
    trm_vec3 force;  /* on the second body: mean force of the last step, N; of an impact its impulse, N s */
} trm_contact_row;

/* Lists the impacts since the last call, then the contacts that are closed now; writes at most `most` of them to
 * rows. Returns the number of all. The impacts are then removed from the simulation, which stores about 1000
 * impacts at most. */
TRM_API int trm_sim_contacts(trm_sim *sim, trm_contact_row *rows, int most);

/* A coordinate of a method that works in minimal coordinates. */
typedef struct trm_coordinate_note {
    int joint;        /* joint that has the coordinate; -1: the coordinate of a body that no joint carries */
    int body;         /* body that the joint carries, or that body */
    int coordinate;   /* number of the coordinate, from 0 */
    bool independent; /* false: it follows from the others by closing the loops */
    double criterion; /* suitability as an independent coordinate: 0 cannot move .. 1 no constraint acts on it */
} trm_coordinate_note;

/* Gets a coordinate, index from 0. Returns false after the last, for other methods, and before the first step. */
TRM_API bool trm_sim_coordinate(const trm_sim *sim, int index, trm_coordinate_note *note);

/* Lists rows that were dropped because they depend on others in the current pose; writes at most `most` of them.
 * Returns the number of all. */
TRM_API int trm_sim_dropped_rows(const trm_sim *sim, trm_row_name *rows, int most);

/* ---- Runs --------------------------------------------------------------------------------- */

/* A run with result rows at exact multiples of an interval, whatever the step. If the interval is at least a step,
 * the step is shortened slightly so that rows coincide with steps. With a smaller interval, rows are interpolated
 * between steps. */
typedef struct trm_run_def {
    double until; /* end time, s */
    double every; /* interval of rows, s; NAN: a row after each step */
    bool (*row)(void *context,
                const trm_state *state); /* gets projected velocities; false ends the run; NULL: no rows */
    bool (*pulse)(void *context);        /* after each row, may save a checkpoint; false ends the run */
    void *context;                       /* passed to all functions */
    bool (*may_continue)(void *context); /* after each step; false ends the run there, between rows */
    bool to_event; /* the run ends at its first impact or event (trm_sim_event), with a row at that time */
    /* A controller, called between two steps at each multiple of period before the end. It reads the state, whose
     * velocities satisfy the joints, and may set inputs. A row of the same time comes before it. An outcome that
     * is not ok ends the run. NULL: none. */
    trm_outcome (*control)(void *context, trm_sim *sim);
    double period; /* period of the controller, s */
} trm_run_def;

/* Runs from the current time to the end. The outcome is ok if the end was reached, or an event ended the run. */
TRM_API trm_outcome trm_sim_run_sized(trm_sim *sim, trm_sized run);
static inline trm_outcome trm_sim_run(trm_sim *sim, const trm_run_def *run)
{
    return trm_sim_run_sized(sim, trm_with_size(run, sizeof *run));
}

/* Writes a checkpoint: everything needed to resume bit-identically, and a number of the caller. Call it between
 * rows (in pulse). Fails if the sink does. */
TRM_API trm_status trm_sim_save(const trm_sim *sim, int64_t note, trm_sink sink);
/* Reads a checkpoint into a simulation of the same model and options that has not run yet. file: its name in messages.
 * Returns the caller's number in *note. Fails with a message if the checkpoint does not belong to the simulation. */
TRM_API trm_status trm_sim_load(trm_sim *sim, const void *bytes, size_t count, const char *file, int64_t *note,
                                trm_messages *messages);

/* ---- Several ranks ------------------------------------------------------------------------- */

/* How ranks communicate that simulate one or more machines together. Ranks are MPI processes, or threads. */
typedef struct trm_exchange trm_exchange;
struct trm_exchange {
    int rank, count; /* number of this rank, from 0, and number of all ranks */
    /* Sends count bytes to another rank without waiting until they are received; the caller may overwrite them at
     * once. Messages from one rank to another arrive in the order in which they were sent. Returns false if a rank
     * is lost; then nothing more will be received. */
    bool (*send)(trm_exchange *exchange, int to, const void *bytes, size_t count);
    /* Waits for the next message of a rank, whose length is exactly count bytes. Returns false if a rank is lost. */
    bool (*receive)(trm_exchange *exchange, int from, void *bytes, size_t count);
    long long messages, bytes; /* number of messages and bytes sent so far */
};

/* Divides the work of a simulation among all ranks. Call it before the first step. Every rank must have created
 * the simulation from the same model and options, and all ranks must call the same functions of it in the same
 * order. Rows and observed states are replicated. The exchange must outlive the simulation. Fails with a message
 * if the simulation cannot be divided. */
TRM_API trm_status trm_sim_distribute(trm_sim *sim, trm_exchange *exchange, trm_messages *messages);

/* The cost of the solver `hierarchy` in a step, counted and not measured: operations to reduce the machine once
 * and to solve once, and messages. */
typedef struct trm_reduction_cost {
    int ranks, levels, subsystems, most_bodies; /* most_bodies: of one rank */
    double largest_front;                       /* size of the largest frontal matrix, rows */
    double reduce, solve;                       /* operations of all ranks together */
    double longest_reduce, longest_solve;       /* operations along the critical path */
    double messages;         /* sequential messages up the tree; solving needs as many down again */
    double numbers, vectors; /* numbers in these messages: matrices when reducing; vectors when solving, one way */
} trm_reduction_cost;

/* Estimates the cost of dividing the model among ranks. Fails only when out of memory. */
TRM_API trm_status trm_find_reduction_cost_sized(const trm_model *model, trm_sized options, int ranks,
                                                 const trm_allocator *allocator, trm_reduction_cost *cost);
static inline trm_status trm_find_reduction_cost(const trm_model *model, const trm_simulation_def *options, int ranks,
                                                 const trm_allocator *allocator, trm_reduction_cost *cost)
{
    return trm_find_reduction_cost_sized(model, trm_with_size(options, sizeof *options), ranks, allocator, cost);
}

/* ---- Inverse dynamics --------------------------------------------------------------------- */

/* Inverse dynamics: the forces along joint coordinates that produce a given motion, and the reactions of all joints
 * (docs/inverse.md). It belongs to one thread at a time. */
typedef struct trm_inverse trm_inverse;

/* A coordinate of a joint. */
typedef struct trm_coordinate_name {
    int joint, coordinate; /* both from 0 */
} trm_coordinate_name;

/* Options of inverse dynamics. The tolerances limit by how much the motion may violate the joints; an infinite
 * tolerance disables that check. */
typedef struct trm_inverse_def {
    /* Coordinates whose forces are computed. If none is given: those that drives, motors and servos of the model
     * act on, and if there are none, coordinates that are independent at the start. */
    const trm_coordinate_name *driven;
    int driven_count;
    double position_tolerance; /* of the gaps, m and rad (default: 1e-6) */
    double velocity_tolerance; /* of the velocity gaps, over the largest velocity or 1 m/s, 1 rad/s (default: 1e-6) */
    double acceleration_tolerance; /* likewise of accelerations, which include centripetal ones (default: 1e-6) */
    double force_tolerance; /* of the unbalanced force, over the largest force or torque on a body (default: 1e-6) */
} trm_inverse_def;

/* Returns a definition with all defaults. */
static inline trm_inverse_def trm_default_inverse_def(void)
{
    trm_inverse_def def;
    trm_set_defaults(TRM_DEF_INVERSE, &def, sizeof def);
    return def;
}

/* Prepares inverse dynamics of a model, which must outlive the result; the caller destroys it. Drives, motors and
 * servos on the driven coordinates are ignored; all other forces act. Joints are attached and detached at the
 * times of the model's events. def NULL: the default. Returns TRM_BAD_INPUT if forces do not follow from the
 * motion (contacts, ropes, soft joints), with a message that names the element, or TRM_OUT_OF_MEMORY. */
TRM_API trm_status trm_inverse_create_sized(const trm_model *model, trm_sized def, const trm_allocator *allocator,
                                            trm_messages *messages, trm_inverse **inverse);
static inline trm_status trm_inverse_create(const trm_model *model, const trm_inverse_def *def,
                                            const trm_allocator *allocator, trm_messages *messages,
                                            trm_inverse **inverse)
{
    return trm_inverse_create_sized(model, trm_with_size(def, sizeof *def), allocator, messages, inverse);
}
/* Releases the inverse dynamics. */
TRM_API void trm_inverse_destroy(trm_inverse *inverse);

/* Returns the number of coordinates whose forces are computed. */
TRM_API int trm_inverse_count(const trm_inverse *inverse);
/* Returns joint and coordinate of a force, index from 0. */
TRM_API trm_coordinate_name trm_inverse_driven(const trm_inverse *inverse, int index);
TRM_API bool trm_inverse_is_torque(const trm_inverse *inverse, int index); /* returns true: in N m; false: in N */

/* Computes the forces at the time, poses, velocities and accelerations of a state: one per driven coordinate, N or
 * N m, and the solution of least norm where it is not unique. Writes the reactions of all joints, and
 * accelerations that satisfy the joints, to the state. The outcome is not ok if the motion violates a joint, with
 * its gap over the tolerance as residual; or, with residual NAN, if a coordinate would need a force that no element
 * provides. Call it in the order of time, so that full turns are counted. */
TRM_API trm_outcome trm_inverse_at(trm_inverse *inverse, trm_state *state, double *forces);

/* Computes time, poses, velocities and accelerations of a state from the driven coordinates q, their rates and
 * second derivatives, which must determine all others. Closes loops near the current pose of the state. The
 * outcome is not ok if that is not possible. */
TRM_API trm_outcome trm_inverse_close(trm_inverse *inverse, double time, const double *q, const double *qd,
                                      const double *qdd, trm_state *state);

/* ---- Hints -------------------------------------------------------------------------------- */

/* Warns about likely mistakes in the model: lengths in millimetres, limits in degrees, anchors far from their
 * bodies, springs that oscillate too fast for the step, masses that differ by a factor of 1e6, drives beyond
 * limits. options NULL: those of the model. */
TRM_API void trm_find_hints_sized(const trm_state *state, trm_sized options, trm_messages *messages);
static inline void trm_find_hints(const trm_state *state, const trm_simulation_def *options, trm_messages *messages)
{
    trm_find_hints_sized(state, trm_with_size(options, sizeof *options), messages);
}

/* ---- Methods ------------------------------------------------------------------------------ */

/* Whether a method can run a model. */
typedef struct trm_method_verdict {
    const char *name; /* of the method */
    bool could_run;   /* true: the method supports all elements of the model */
    const char *why;  /* the capability that the method lacks, and the element that needs it; "" if it lacks none */
} trm_method_verdict;

/* Judges whether the method number index, from 0, can run the model. Returns false after the last. why points into
 * buffer. */
TRM_API bool trm_judge_method(const trm_state *state, const trm_analysis *analysis, int index, char *buffer,
                              size_t size, trm_method_verdict *verdict);

#ifdef __cplusplus
}
#endif

#endif
