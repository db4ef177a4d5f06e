/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States, simulations, runs, inverse dynamics. */

#ifndef TRAMMEL_SIM_H
#define TRAMMEL_SIM_H

#include "trammel/base.h"
#include "trammel/model.h"
#include "trammel/vecmath.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- State -------------------------------------------------------------------------------- */

/* Time, poses, velocities, joint memory, impulses of the last step, which joints are attached: plain numbers. Two
 * equal states of one model continue bit for bit alike. Many states may share one model, which must outlive them. */
typedef struct trm_state trm_state;

/* Creates a state with the initial poses and velocities of the model. Returns NULL if out of memory. */
TRM_API trm_state *trm_state_create(const trm_model *model, const trm_allocator *allocator);
TRM_API void trm_state_destroy(trm_state *state);
TRM_API void trm_state_copy(trm_state *to, const trm_state *from);    /* of the same model */
TRM_API bool trm_state_equal(const trm_state *a, const trm_state *b); /* bit for bit */
TRM_API uint64_t trm_state_hash(const trm_state *state);

/* A versioned binary form. Loading refuses, with a message, what does not fit the model: the state stays as it was. */
TRM_API trm_status trm_state_save(const trm_state *state, trm_sink sink);
TRM_API trm_status trm_state_load(trm_state *state, const void *bytes, size_t count, const char *file,
                                  trm_messages *messages);

TRM_API double trm_state_time(const trm_state *state); /* s */

/* The body frame as the user gave it: pose, velocity of its origin and world angular velocity. */
TRM_API trm_pose trm_body_pose(const trm_state *state, int body);
TRM_API trm_spatial trm_body_velocity(const trm_state *state, int body);
/* Of bodies that can move: rigid ones and points. */
TRM_API int trm_bodies_asleep(const trm_state *state); /* how many lie still until something touches them */
TRM_API void trm_set_body_pose(trm_state *state, int body, trm_pose pose);
TRM_API void trm_set_body_velocity(trm_state *state, int body, trm_spatial velocity);         /* after the pose */
TRM_API void trm_set_body_acceleration(trm_state *state, int body, trm_spatial acceleration); /* after the velocity */
/* The time, and with it where bodies of prescribed motion are. Before poses. */
TRM_API void trm_set_state_time(trm_state *state, double time);

/* The value of an input (trm_sim_inputs). */
TRM_API double trm_input_value(const trm_state *state, int input);

/* The present value of a setting (trm_setting_info_of), whoever has set it. */
TRM_API double trm_setting_value(const trm_state *state, int setting);

/* A point given in the body frame, in the world. */
TRM_API trm_vec3 trm_point_position(const trm_state *state, int body, trm_vec3 point);
TRM_API trm_vec3 trm_point_velocity(const trm_state *state, int body, trm_vec3 point);

/* Accelerations of the body frame's origin and of a point, with the angular one, world axes, as they were when
 * reactions were last found (trm_sim_want_reactions); 0 before. */
TRM_API trm_spatial trm_body_acceleration(const trm_state *state, int body);
TRM_API trm_vec3 trm_point_acceleration(const trm_state *state, int body, trm_vec3 point);

/* The coordinates of a joint and their rates, TRM_JOINT_COORDINATES at most; returns how many. Either may be NULL. */
TRM_API int trm_joint_values(const trm_state *state, int joint, double *q, double *qd);
TRM_API bool trm_joint_attached(const trm_state *state, int joint);
/* What the joint does to its second body: torque about the anchor and force, world axes, as it was when reactions were
 * last found (trm_sim_want_reactions). Not unique where rows are redundant. */
TRM_API trm_spatial trm_joint_reaction(const trm_state *state, int joint);
TRM_API trm_gap trm_position_gap(const trm_state *state, int joint);
TRM_API trm_gap trm_velocity_gap(const trm_state *state, int joint);

/* The last sample of a sensor, TRM_SENSOR_NUMBERS numbers at most; returns how many. Accelerometer and gyro give x, y,
 * z in the axes of their body, force gives force and torque on the joint's second body, the others one number. NAN
 * before the first step or observation of a simulation, which takes the first sample. */
TRM_API int trm_sensor_values(const trm_state *state, int sensor, double *values);

/* ---- Energy and momentum ------------------------------------------------------------------ */

typedef struct trm_energy {
    double kinetic, potential; /* J; gravity and springs are potential */
    double power;              /* W, put in by all that is not */
} trm_energy;

/* Work done so far by everything that is not potential, J; their sum is the W of the energy balance E = E0 + W. What passive
 * elements take is negative. */
typedef struct trm_works {
    double input;    /* forces, drives, motors, servos and moving bodies: either sign */
    double friction; /* friction in joints */
    double damping;  /* dampers and drag */
    double impact;   /* impacts of shapes, stops and ropes, and joints that were attached */
    double contact;  /* forces between shapes that touch, at their relative velocity */
} trm_works;

typedef struct trm_momentum {
    trm_vec3 linear;  /* kg m/s */
    trm_vec3 angular; /* kg m^2/s, about the world's origin */
} trm_momentum;

/* Returns the energies and the power of the state; velocities must satisfy the joints (trm_sim_observe). */
TRM_API trm_energy trm_state_energy(const trm_state *state);
/* Returns the momentum of all bodies with mass. */
TRM_API trm_momentum trm_state_momentum(const trm_state *state);

/* ---- Analysis ----------------------------------------------------------------------------- */

typedef struct trm_row_name {
    int joint, row;
} trm_row_name;

/* Bodies held together by joints; what is fixed or moved from outside belongs to none. */
typedef struct trm_island {
    int bodies, joints;
    int loops;    /* joints beyond a spanning tree */
    int freedoms; /* of its bodies without joints */
    int rows;     /* of its attached joints; a slack rope has none */
    int rank;     /* independent ones among them, in this pose */
} trm_island;

typedef struct trm_analysis {
    int island_count;
    const trm_island *islands;
    trm_island whole;    /* the sum over all islands */
    int redundant_count; /* rows that depend on rows of earlier joints, in this pose */
    const trm_row_name *redundant;
    const int *island_of_body; /* -1: fixed or moving */
    const bool *tree_joint;    /* whether a joint is in the spanning tree */
    const trm_gap *gaps;       /* per joint */
    const trm_gap *velocity_gaps;
    struct trm_arena *arena; /* owns the lists */
} trm_analysis;

/* Degrees of freedom by count are freedoms - rows, by rank freedoms - rank. NULL: out of memory. */
TRM_API trm_analysis *trm_analyse(const trm_state *state, const trm_allocator *allocator);
TRM_API void trm_analysis_destroy(trm_analysis *analysis);

/* What becomes of the rows that depend on others when the machine moves (Schmitt, Bender, Prautzsch 2005, section 4). */
typedef struct trm_regularity {
    bool regular;        /* in this pose: there are none, or they may all be left out */
    bool known;          /* false: no pose near by was reached; what is in doubt is listed as singular */
    bool infinitesimal;  /* singular, and the motions that the rank counts too many cannot be followed at all */
    int rows;            /* that remain without the redundant ones; but for a singular pose they are independent */
    int redundant_count; /* implied by the others in all poses near by: left out, the machine is the same */
    const trm_row_name *redundant;
    int singular_count; /* dependent in this pose only: left out, it would be another machine */
    const trm_row_name *singular;
    struct trm_arena *arena; /* owns the lists */
} trm_regularity;

/* Of a state that fits its joints, and its analysis: each of the rows listed as redundant there is in one of the two
 * lists. The same state has always the same verdict. NULL: out of memory. */
TRM_API trm_regularity *trm_find_regularity(const trm_state *state, const trm_analysis *analysis,
                                            const trm_allocator *allocator);
TRM_API void trm_regularity_destroy(trm_regularity *regularity);

/* How far bodies were moved to make a state fit its joints. */
typedef struct trm_assembly {
    double position, angle;      /* m, rad: the longest way of a body's centre of mass, the largest turn of one */
    int position_body;           /* that went so far; -1: none was moved */
    int angle_body;              /* likewise */
    double speed, angular_speed; /* m/s, rad/s: by which velocities were changed, at most */
} trm_assembly;

/* Moves a state that does not fit its joints to the nearest one that does, in the mass metric: positions, then
 * velocities. Only what lies near is found: finding consistent poses at all is NP-hard. Says which joints were
 * open and how far bodies were moved, as warnings; where joints could not be closed, errors that name them and their
 * gaps, or the distances among them that contradict each other, and the state stays as it was. done may be NULL.
 * trm_sim_create does this to the model's start. */
TRM_API trm_status trm_assemble(trm_state *state, const trm_allocator *allocator, trm_messages *messages,
                                trm_assembly *done);

/* ---- Simulation --------------------------------------------------------------------------- */

/* A model, a state, a method and its workspace. After the first step nothing is allocated. One simulation belongs to one thread at a time;
 * different simulations of one model may run in different threads. Inside, a step may use threads of OpenMP. */
typedef struct trm_sim trm_sim;

/* options NULL: those of the model. The model must outlive the simulation. A model that the method cannot run is
 * refused with a message naming the element; an open initial pose is assembled (trm_assemble). */
TRM_API trm_status trm_sim_create(const trm_model *model, const trm_simulation_def *options,
                                  const trm_allocator *allocator, trm_messages *messages, trm_sim **sim);
TRM_API void trm_sim_destroy(trm_sim *sim);

/* The state; positions are always right, velocities only after trm_sim_observe. */
TRM_API trm_state *trm_sim_state(trm_sim *sim);
TRM_API const trm_simulation_def *trm_sim_options(const trm_sim *sim);
/* Why joints are kept closer than the tolerances that were given, or than the default, as a phrase; NULL: they are not. The
 * tolerances at work are those of trm_sim_options. */
TRM_API const char *trm_sim_tolerance_note(const trm_sim *sim);
TRM_API trm_assembly trm_sim_assembly(const trm_sim *sim); /* what was done to the start */

/* Goes on where another simulation of the same model is, before the first step: with its state and its account of
 * accuracy, counters and events. What a method remembers of past steps begins anew. */
TRM_API void trm_sim_take_over(trm_sim *sim, const trm_sim *from);

/* The solvers that the method has, NULL after the last. */
TRM_API const char *const *trm_sim_solvers(const trm_sim *sim);

/* An option of the method's own, to be chosen. */
typedef struct trm_option_choice {
    trm_option at_work;       /* what it is now; a text may be NULL: none */
    const char *const *words; /* that it can be, NULL after the last; NULL: any number, or any text */
    bool is_number;
    bool is_given;    /* else it is as the method has it */
    bool is_quiet;    /* worth telling only if it is given */
    const char *says; /* for people, with its unit */
} trm_option_choice;

/* All of them but the solver, number index from 0; false after the last. */
TRM_API bool trm_sim_method_choice(const trm_sim *sim, int index, trm_option_choice *choice);

/* Those that are worth telling as they are at work: all words, and numbers that were given. */
TRM_API bool trm_sim_method_option(const trm_sim *sim, int index, trm_option *option);

/* Whether a step or run succeeded, and if not, why. The state is then that of the last good step. */
typedef struct trm_outcome {
    bool ok;
    double time; /* s */
    double
        residual; /* how far the joint was from closing, in units of its tolerance; NAN if that was not the trouble */
    char element[80]; /* "joint 'j3'" */
    char why[200];
} trm_outcome;

/* Advances by dt [s], divided into shorter steps where convergence or the requested error requires it. */
TRM_API trm_outcome trm_sim_step(trm_sim *sim, double dt);

/* Projects the velocities onto the joints and records energies and gaps for the accuracy. Call it before velocities or
 * energies are read. The outcome is not ok if the velocities cannot be projected. */
TRM_API trm_outcome trm_sim_observe(trm_sim *sim);

/* Whether trm_sim_observe also finds the forces in the joints (trm_joint_reaction) and accelerations
 * (trm_body_acceleration); false at the start. */
TRM_API void trm_sim_want_reactions(trm_sim *sim, bool wanted);

/* Called before and after every step of trm_sim_step, with velocities that satisfy the joints: for controllers. Returning false ends
 * the run. Either may be NULL. */
typedef bool (*trm_hook)(void *context, trm_sim *sim);
TRM_API void trm_sim_set_hooks(trm_sim *sim, trm_hook before, trm_hook after, void *context);

/* Sets the function that is asked whether to go on, after each part of a step and within long computations, for steps of
 * unpredictable duration. False ends the step: its outcome is not ok, and the state is that of the last complete part. A thread of
 * the library may ask while the caller waits, never two at once. NULL: nobody is asked. */
TRM_API void trm_sim_set_watch(trm_sim *sim, bool (*goes_on)(void *context), void *context);

/* What a sensor shows at present (trm_sensor_values). A sample is due at each multiple of 1 / rate. It is taken at the
 * first end of a step that is not before and held until the next; steps that divide 1 / rate have them at exact times.
 * With rate 0 it is taken after every step. Hooks see the one of the present time. */
TRM_API int trm_sim_sensor(const trm_sim *sim, int sensor, double *values);

/* Sets all inputs of the model, clipped to their ranges; NAN leaves one as it is. They hold from now on. The outcome is ok unless a
 * motor cannot follow. */
TRM_API trm_outcome trm_sim_inputs(trm_sim *sim, const double *values);

/* Sets the function of time of a servo, motor or actuator (trm_setting_info_of) to a constant from now on, in its own unit: rad or m, rad/s or
 * m/s, N m or N. NAN gives it back the function that the model says. The outcome is ok unless a motor cannot follow. */
TRM_API trm_outcome trm_sim_set(trm_sim *sim, int setting, double value);

/* A force of the caller on one body: torque about the centre of mass and force, world axes, at the state given. It is
 * called many times per step, also with velocities that are not yet projected onto the joints, so it must not change anything. */
typedef trm_spatial (*trm_user_force)(void *context, const trm_state *state);
TRM_API trm_status trm_sim_add_force(trm_sim *sim, const char *name, int body, trm_user_force force, void *context);

typedef struct trm_counters {
    long long steps;       /* of the method, halved ones counted as they are */
    long long checks;      /* a joint looked at in the look-ahead (P-step 1) */
    long long corrections; /* an impulse applied to close it (P-step 2) */
    long long rounds;      /* over all joints, in positions and velocities */
    long long newton;      /* iterations of a direct solver */
    long long factorisations;
    long long reductions; /* of subsystems to their interfaces */
    long long halvings;   /* of the step, where joints did not close */
    long long rejections; /* of steps that made too large an error */
    long long impacts, contacts;
    long long
        plain; /* steps of order 2 where a higher order was requested, because contacts changed their modes within them */
    long long evaluations; /* of accelerations, by a method that integrates them with steps of its own */
    long long switches;    /* of the coordinates that are independent */
    long long guarded;     /* impacts whose restitution was lessened so that no energy came out of them */
    /* Dissipative time-stepping steps, counted once per island: each replaced a step whose events chattered, or whose
     * passive contacts would have put in energy. */
    long long dissipative;
    long long time_stepping; /* steps that "impact": "auto" made by time-stepping */
} trm_counters;

/* Returns the counters since the simulation was created; they belong to it. */
TRM_API const trm_counters *trm_sim_counters(const trm_sim *sim);

/* Why a step was last divided: the joint or body that did not converge in it. Its `ok` is true where none was. */
TRM_API const trm_outcome *trm_sim_trouble(const trm_sim *sim);

typedef struct trm_accuracy {
    long long observed;                         /* how often */
    double energy_start, energy_end, work;      /* J; work is that of all that is not potential, */
    trm_works works;                            /* J: and its parts */
    double energy_error_max, energy_error_mean; /* of |E - E0 - W|, J */
    double energy_scale; /* J: the most that was kinetic, went through a potential or was put in */
    double
        energy_expected; /* J: what steps of this order and length make of |E - E0 - W|, estimated; NAN: not known */
    trm_gap motion_expected; /* m, rad: errors of steps of this order and length, added up, estimated */
    trm_works gains;         /* J: of each passive part all that it put in, though it can only take; input: 0 */
    bool is_free;            /* nothing is fixed or driven from outside: momentum is kept */
    double linear_error, angular_error; /* largest change of momentum beyond gravity's, kg m/s, kg m^2/s */
    trm_gap gap;                        /* largest in metres and in radians */
    int gap_joint;                      /* the joint that had it; -1: none */
    trm_gap velocity_gap;               /* largest, m/s and rad/s */
    int velocity_gap_joint;
} trm_accuracy;

/* Returns the accuracy of the run so far, from all observations. */
TRM_API trm_accuracy trm_sim_accuracy(const trm_sim *sim);

/* Whether the result can be trusted: good; check, before it is relied on; bad, it is wrong (docs/results.md). */
typedef enum trm_grade { TRM_GOOD, TRM_CHECK, TRM_BAD } trm_grade;

enum { TRM_VERDICT_REASONS = 16 };

/* The grade of the whole is that of its worst reason, which comes first. */
typedef struct trm_verdict {
    trm_grade grade;
    int count;
    struct {
        trm_grade grade;
        char text[200]; /* "energy balance 3e-09 J of 41 J" */
    } reasons[TRM_VERDICT_REASONS];
} trm_verdict;

/* Judges the run so far, by what was observed. */
TRM_API void trm_sim_verdict(const trm_sim *sim, trm_verdict *verdict);
/* Adds a reason of the caller's, who may know more: by another run, for one. */
TRM_API void trm_sim_add_remark(trm_sim *sim, trm_grade grade, const char *text);
TRM_API const char *trm_grade_name(trm_grade grade); /* "good" "check" "bad" */

/* Rebuilding between steps. Attaching closes a gap of at most 0.1 m and rad by the nearest poses and brings velocities
 * together, as a plastic impact does; a joint that is open farther is not attached, and the outcome says so. Detaching
 * changes nothing else. What acts on the joint's coordinate comes and goes with it. A method that is made for the joints of the
 * start (minimal) can do neither: the outcome of the attachment, or of the next step, says so. The next step also says so when there was no memory. */
TRM_API trm_outcome trm_sim_attach(trm_sim *sim, int joint);
TRM_API void trm_sim_detach(trm_sim *sim, int joint);

/* What has happened in this run: joints attached, detached, broken; drives and forces that got another function; bodies whose
 * bounces have come to their end. */
typedef struct trm_event_note {
    double time;                        /* s */
    const char *what;                   /* "attached" "detached" "broke" "set" "stopped" "bounces no more" */
    const char *name;                   /* of the joint, or "s1.target": what was set; or "ball on floor" */
    int joint;                          /* -1: none */
    double energy_before, energy_after; /* J */
} trm_event_note;

/* Number index from 0; false after the last. Only the first 200 are stored; the count includes all. */
TRM_API bool trm_sim_event(const trm_sim *sim, int index, trm_event_note *note);
TRM_API long long trm_sim_event_count(const trm_sim *sim);

/* A contact that holds now, or an impact. */
typedef struct trm_contact_row {
    double time; /* s */
    bool impact;
    long long
        strike; /* number of the impact, in the order in which they were made; points of the same one at once; 0: none */
    int body[2];
    trm_vec3 point;  /* m, world */
    trm_vec3 normal; /* unit, world, from the first body to the second */
    double gap;      /* m; < 0: how deep */
    trm_vec3 force;  /* N, on the second body, the mean of the last step; of an impact its impulse, N s */
} trm_contact_row;

/* Impacts since this was last asked, then the contacts that hold now: how many; the first of them, at most so many, are
 * listed, and the impacts are forgotten. Many more than a thousand impacts are not kept. */
TRM_API int trm_sim_contacts(trm_sim *sim, trm_contact_row *rows, int most);

/* A coordinate of a method that works in minimal coordinates. */
typedef struct trm_coordinate_note {
    int joint;        /* whose it is; -1: of a body that no joint carries, */
    int body;         /* which it carries */
    int coordinate;   /* of the joint, from 0 */
    bool independent; /* else it follows from the others, loops being closed */
    double
        criterion; /* how well it would do as an independent one, by itself: 0 it cannot move .. 1 nothing holds it */
} trm_coordinate_note;

/* Number index from 0; false after the last, of other methods, and before the first step. */
TRM_API bool trm_sim_coordinate(const trm_sim *sim, int index, trm_coordinate_note *note);

/* Rows that depend on others in the present pose and were left out: how many; the first of them, at most so many, are
 * listed. */
TRM_API int trm_sim_dropped_rows(const trm_sim *sim, trm_row_name *rows, int most);

/* ---- Runs --------------------------------------------------------------------------------- */

/* A run gives rows at exact multiples of a spacing, whatever the step. A spacing that holds whole steps (the step is
 * shortened a little where it must be) has its rows at steps; in a finer one they are interpolated between steps. */
typedef struct trm_run_def {
    double until;                                       /* s */
    double every;                                       /* s, between rows; NAN: a row after each step */
    bool (*row)(void *context, const trm_state *state); /* velocities fit; false ends the run; NULL: no rows */
    bool (*pulse)(void *context);                       /* after each row, when all is at rest; false ends the run */
    void *context;
    bool (*goes_on)(void *context); /* after each step; false ends the run there, between rows */
    /* A controller, called at each multiple of period [s] before the end, between two steps: it reads the state, whose velocities fit,
     * and may set inputs. A row of the same time comes before it. An outcome that is not ok ends the run. NULL: none. */
    trm_outcome (*control)(void *context, trm_sim *sim);
    double period;
} trm_run_def;

/* Runs from the current time to the end. The outcome is ok if the end was reached. */
TRM_API trm_outcome trm_sim_run(trm_sim *sim, const trm_run_def *run);

/* All that is needed to go on bit for bit alike, with a number of the caller's. To be called between rows (in pulse).
 * Loading wants a simulation of the same model and options that has not run yet. */
TRM_API trm_status trm_sim_save(const trm_sim *sim, int64_t note, trm_sink sink);
TRM_API trm_status trm_sim_load(trm_sim *sim, const void *bytes, size_t count, const char *file, int64_t *note,
                                trm_messages *messages);

/* ---- Several ranks ------------------------------------------------------------------------- */

/* How ranks that simulate one machine, or many, together speak to each other: processes over MPI, or threads. */
typedef struct trm_exchange trm_exchange;
struct trm_exchange {
    int rank, count; /* this one, from 0, of so many */
    /* So many bytes to another rank, which may be overwritten at once: it does not wait until they are received. Messages
     * from one rank to another arrive in the order in which they were sent. False: a rank is lost, and nothing more will
     * be received. */
    bool (*send)(trm_exchange *exchange, int to, const void *bytes, size_t count);
    /* Waits for the next message of that rank, which is exactly so long. False as above. */
    bool (*receive)(trm_exchange *exchange, int from, void *bytes, size_t count);
    long long messages, bytes; /* sent so far */
};

/* Divides the work of a simulation over all ranks, before its first step. Each has made it from the same model with the same
 * options, and all call the same functions of it in the same order; rows and states that are observed are whole on each.
 * What cannot be divided is refused with a message. The exchange must outlive the simulation. */
TRM_API trm_status trm_sim_share(trm_sim *sim, trm_exchange *exchange, trm_messages *messages);

/* What the solver hierarchy does in a step on so many ranks, counted and not measured: operations of reducing the machine once
 * and of solving with it once, of all ranks together and along the way that they wait for, and the messages along it. */
typedef struct trm_reduction_cost {
    int ranks, levels, subsystems, most_bodies; /* of one rank */
    double largest_front;                       /* rows */
    double reduce, solve;
    double longest_reduce, longest_solve;
    double messages;         /* one after the other, up the tree; when solving as many down again */
    double numbers, vectors; /* in them: of matrices when reducing, of vectors when solving, one way */
} trm_reduction_cost;

/* Estimates the cost of dividing the model among ranks. Fails only if out of memory. */
TRM_API trm_status trm_find_reduction_cost(const trm_model *model, const trm_simulation_def *options, int ranks,
                                           const trm_allocator *allocator, trm_reduction_cost *cost);

/* ---- Inverse dynamics --------------------------------------------------------------------- */

/* Which forces along coordinates of joints make a given motion, and what all joints do then (docs/inverse.md). */
typedef struct trm_inverse trm_inverse;

typedef struct trm_coordinate_name {
    int joint, coordinate;
} trm_coordinate_name;

/* Tolerances: how far the motion may be from one that the joints allow. Infinite: that is not looked at. */
typedef struct trm_inverse_def {
    /* Whose forces are sought; none: those that drives, motors and servos of the model act on, and if there are none,
     * coordinates that are independent at the start. */
    const trm_coordinate_name *driven;
    int driven_count;
    double position_tolerance;     /* m, rad: by which joints may be open; 1e-6 */
    double velocity_tolerance;     /* times the largest velocity, or 1 m/s, rad/s: how fast they open; 1e-6 */
    double acceleration_tolerance; /* likewise, centripetal ones being accelerations too; 1e-6 */
    double force_tolerance;        /* times the largest force or torque on a body: what nothing gives; 1e-6 */
} trm_inverse_def;

/* Returns a definition with all defaults. */
TRM_API trm_inverse_def trm_default_inverse_def(void);

/* What drives, motors and servos of the model do on coordinates that are sought is left out; all other forces act.
 * Joints come and go at the times of the model's events. def NULL: the default. The model must outlive it; one whose
 * forces do not follow from its motion (contacts, ropes, soft joints) is refused with a message naming the element. */
TRM_API trm_status trm_inverse_create(const trm_model *model, const trm_inverse_def *def,
                                      const trm_allocator *allocator, trm_messages *messages, trm_inverse **inverse);
TRM_API void trm_inverse_destroy(trm_inverse *inverse);

/* Returns the number of coordinates whose forces are computed. */
TRM_API int trm_inverse_count(const trm_inverse *inverse);
/* Returns joint and coordinate of a force, index from 0. */
TRM_API trm_coordinate_name trm_inverse_driven(const trm_inverse *inverse, int index);
TRM_API bool trm_inverse_is_torque(const trm_inverse *inverse, int index); /* N m, else N */

/* At the time, poses, velocities and accelerations of a state: one force per coordinate that is sought, N or N m, the
 * shortest where many would do; reactions of all joints, and accelerations that fit them, into the state. Not ok: the
 * joint that the motion does not fit, residual being its gap in units of the tolerance; or, residual being NAN, the
 * coordinate that would need a force which nothing gives. Rows of a motion follow each other, so that turns are
 * counted. */
TRM_API trm_outcome trm_inverse_at(trm_inverse *inverse, trm_state *state, double *forces);

/* Time, poses, velocities and accelerations into a state, from the coordinates that are sought, if all others follow
 * from these: loops are closed near where the state has them. */
TRM_API trm_outcome trm_inverse_close(trm_inverse *inverse, double time, const double *q, const double *qd,
                                      const double *qdd, trm_state *state);

/* ---- Hints -------------------------------------------------------------------------------- */

/* Warns about what the model most likely does not mean: lengths in millimetres, limits in degrees, anchors far from their bodies, springs
 * that swing faster than steps follow, masses that differ by 1e6, drives beyond limits. options NULL: those of the model. */
TRM_API void trm_find_hints(const trm_state *state, const trm_simulation_def *options, trm_messages *messages);

/* ---- Methods ------------------------------------------------------------------------------ */

typedef struct trm_method_verdict {
    const char *name;
    bool could_run;  /* has all that the model needs */
    const char *why; /* what it lacks and which element needs it; "" if nothing */
} trm_method_verdict;

/* What the method number index (from 0) says of the model; false after the last. why points into buffer. */
TRM_API bool trm_method_says(const trm_state *state, const trm_analysis *analysis, int index, char *buffer,
                             size_t size, trm_method_verdict *verdict);

#ifdef __cplusplus
}
#endif

#endif
