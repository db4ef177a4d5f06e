/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The model inside: plain arrays that never change once built.
 *
 * Every body has a principal frame P: origin at the centre of mass, axes along the principal axes of inertia. Poses,
 * joint frames and attachments are kept in it; the frame B that the user gave is reached through X_BP. Fixed, moving
 * and point bodies have P = B (a point has no axes to speak of). */

#ifndef TRM_MODEL_MODEL_H
#define TRM_MODEL_MODEL_H

#include "base/arena.h"
#include "base/names.h"
#include "math/function.h"
#include "math/inertia.h"
#include "math/mesh.h"
#include "model/contact_law.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/quantity.h"
#include "model/sensor.h"
#include "trammel/model.h"

typedef struct trm_shape_type trm_shape_type;

typedef struct trm_shape {
    const trm_shape_type *type;
    trm_pose pose; /* in the principal frame of its body */
    double radius, length, offset;
    trm_vec3 size, normal;
    trm_mesh mesh; /* hull, mesh */
    double friction, restitution;
    bool collide, hidden;
    uint32_t group, mask; /* bits: two shapes collide if the group of one is in the mask of the other */
    const char *color;    /* NULL: any */
} trm_shape;

/* Prescribed motion of the body frame: translation, and rotation about one axis. */
typedef struct trm_motion {
    const trm_function *position[3];
    const trm_function *angle;
    trm_vec3 axis; /* unit, world */
} trm_motion;

typedef struct trm_body {
    const char *name;
    trm_body_kind kind;
    double mass, inverse_mass;         /* 0 for fixed and moving bodies */
    trm_vec3 inertia, inverse_inertia; /* principal; 0 for all but rigid bodies */
    int symmetry_axis;                 /* the other two moments are equal; -1: all three differ */
    trm_vec3 gravity;                  /* m/s^2: what gravity does to it, with its own factor */
    trm_pose X_BP;                     /* principal frame in the body frame */
    trm_pose start;                    /* of the principal frame in the world */
    trm_spatial start_velocity;        /* angular, of the centre of mass; world */
    const trm_motion *motion;          /* moving bodies, else NULL */
    trm_named_point *points;           /* in the body frame, */
    trm_quat *point_axes;              /* and the orientation of each: that of a frame, or none */
    int point_count;
    trm_named_point *axes; /* of unit length, in the body frame */
    int axis_count;
    trm_shape *shapes;
    int shape_count;
    double rod_length,
        rod_radius; /* m: of a body given as a rod, along x about the origin of its frame; 0: not a rod */
    const char *subsystem;
    bool faulty; /* while building: its errors are said, so none that follow from them need be */
} trm_body;

/* A function of time takes the place of the one that a drive or a force had. */
typedef struct trm_choice {
    const char *name; /* "s1.target" */
    int memory;       /* where the state remembers which one it is */
    double number;    /* that it is from then on */
} trm_choice;

/* What the caller may set (settings.c). */
typedef struct trm_setting_place {
    trm_setting_info info;
    const trm_chosen *chosen; /* whose numbers stand */
    int memory_offset;        /* from here on */
} trm_setting_place;

/* What happens at a time that the file gives, or when two bodies first touch. */
typedef struct trm_event {
    double at;             /* s; inf: when they touch */
    int bodies[2];         /* that touch; -1: none */
    trm_formula condition; /* whose becoming true it waits for; no expression: none */
    double delay;          /* s, from then until it acts */
    bool stop;             /* it ends the run */
    int memory; /* of a condition or a delay: whether it has been false (1), and when it acts (> 0, s), follow each other */
    int attach, detach; /* joints; -1: none */
    trm_choice *choices;
    int choice_count;
} trm_event;

/* Two bodies that do not collide. */
typedef struct trm_parted_pair {
    int body[2]; /* [0] < [1] */
} trm_parted_pair;

struct trm_model {
    trm_arena arena;
    const char *name;
    trm_vec3 gravity;
    trm_input_def *inputs; /* the first numbers of the memory are their values */
    trm_constant *input_starts;
    int input_count;
    trm_body *bodies; /* [0] is the ground */
    int body_count;
    int shown_body_count; /* that the user has given, with the ground; after them are rotors (build_parts.c) */
    trm_joint *joints;
    int joint_count;
    int shown_joint_count; /* that the user has given; behind them are limits, friction and rotors (build_parts.c) */
    trm_force *forces;
    int force_count;
    int row_count;    /* of all joints */
    int memory_count; /* of all joints, */
    int choice_start; /* and from here on which functions of time events have chosen, and what the caller has set */
    trm_setting_place *settings;
    int setting_count;
    trm_names body_names, joint_names, sensor_names;
    trm_simulation_def simulation;
    trm_contact_entry *contacts; /* in the order of their bodies, as are these: */
    int contact_count;
    trm_parted_pair *no_collide;
    int no_collide_count;
    trm_event *events; /* in the order of their times, those that wait for a contact behind them */
    int event_count;
    int timed_count;     /* that have a time */
    int condition_count; /* that wait for a condition */
    int delayed_count;   /* that act later than they are due */
    int event_memory;    /* of the first event; each has two numbers */
    int stop_memory;     /* where the state remembers that it was stopped; -1: nothing stops it */
    trm_pose_def *poses;
    int pose_count;
    trm_sensor *sensors;
    int sensor_count;
    int sample_count; /* numbers of all sensors */
    trm_output *outputs;
    int output_count;
    const char *may_collide; /* a free body whose shapes could touch those of another; NULL: none */
    uint64_t fingerprint;    /* of what a saved state must fit */
};

int trm_body_freedoms(const trm_body *body); /* 6, 3 or 0 */

/* The point or frame of this name, in the body frame; false: there is none. */
bool trm_body_frame(const trm_body *body, const char *name, trm_pose *frame);

/* m: how far the shapes of a body that collide reach from the origin of its principal frame; inf of a plane. */
double trm_body_reach(const trm_body *body);

/* Whether any shape of a body takes part in contacts. */
bool trm_body_has_colliding_shapes(const trm_body *body);

/* Pose and twist of a moving body's frame at time t; acceleration of the frame may be NULL. */
void trm_motion_at(const trm_motion *motion, double t, trm_pose *pose, trm_spatial *velocity,
                   trm_spatial *acceleration);

/* Whether bodies or joints move as prescribed. */
bool trm_model_is_driven(const trm_model *model);

/* Whether a joint is the gear that drives a rotor (build_parts.c) by its host's coordinate. */
bool trm_joint_drives_rotor(const trm_model *model, const trm_joint *joint);

/* A joint or a force at given poses (of principal frames) and twists of all bodies. velocities NULL: at rest. */
trm_joint_at trm_joint_at_poses(const trm_joint *joint, const trm_pose *poses, const trm_spatial *velocities,
                                double t, const double *memory);
/* c or J alone: what steps ask for again and again. memory: of all joints, or NULL. */
void trm_joint_residual_at(const trm_joint *joint, const trm_pose *poses, double t, const double *memory, double *c);
void trm_joint_jacobian_at(const trm_joint *joint, const trm_pose *poses, double t, const double *memory,
                           trm_spatial *J);
/* memory: of all joints, or NULL. */
/* Of a joint that aligns: its memory such that it is closed at these poses. */
enum { TRM_JOINT_ALIGNMENT = 6 };
void trm_joint_align(const trm_joint *joint, const trm_pose *poses, double *memory);
trm_force_at trm_force_at_poses(const trm_force *force, const trm_pose *poses, const trm_spatial *velocities,
                                double t, const double *memory);

/* ---- Building, one file each -------------------------------------------------------------- */

typedef struct trm_build {
    const trm_model_def *def;
    trm_model *model;
    trm_messages *messages;
} trm_build;

/* Says what is wrong with an element: "joint 'j3'". */
void trm_complain(trm_build *build, trm_place place, const char *kind, const char *name, const char *format, ...)
    TRM_PRINTF(5, 6);
void trm_warn(trm_build *build, trm_place place, const char *kind, const char *name, const char *format, ...)
    TRM_PRINTF(5, 6);

/* Each says all that is wrong and returns false only when out of memory. */
bool trm_build_inputs(trm_build *build);
void trm_place_inputs(
    trm_model *model); /* tells all functions of time where the inputs are, once memory is laid out */
bool trm_build_bodies(trm_build *build);
bool trm_build_joints(trm_build *build);
bool trm_build_forces(trm_build *build);
bool trm_build_shapes(trm_build *build, const trm_body_def *def, trm_body *body, trm_mass *mass);
bool trm_build_sensors(trm_build *build);
bool trm_build_outputs(trm_build *build);
void trm_complain_of_formula(trm_build *build, trm_place place, const char *kind, const char *name, const char *text,
                             const trm_expression_error *error);
bool trm_build_poses(trm_build *build); /* and the one that a run starts with */
bool trm_build_events(trm_build *build);
bool trm_build_contacts(trm_build *build); /* and pairs that do not collide */
bool trm_check_the_rest(trm_build *build); /* contacts, defaults, simulation */

/* Says if these are not the names of two bodies, or not of two different ones. */
void trm_want_pair(trm_build *build, trm_place place, const char *kind, const char *element,
                   const char *const bodies[2]);

/* What the first body of a joint carries for a point of the second: sets it and the frame F of that body in the world at
 * the start. False after saying what is wrong, or out of memory. The start is known once the frames are carried. */
bool trm_build_carried(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose *F);
void trm_start_on_curve(const trm_model *model, trm_joint *joint);

/* The type of a chain, which is its own; then its links, with both frames in the world at the start. The first is false out of memory, the
 * second also after saying what is wrong. */
bool trm_build_chain_type(trm_build *build, const trm_joint_def *def, trm_joint *joint);
bool trm_place_chain(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose F[2]);

/* A body by name, or -1 after saying what is wrong: no such body, with the nearest name. */
int trm_named_body(trm_build *build, trm_place place, const char *kind, const char *element, const char *body);

/* Whether there is a joint of this name among the definitions; says what is wrong if not. NULL: none is wanted. */
bool trm_want_joint(trm_build *build, trm_place place, const char *kind, const char *element, const char *joint);

/* The joint whose name is nearest, NULL if none is near. */
const char *trm_nearest_joint(const trm_build *build, const char *name);

/* A joint by name and one of its coordinates, from 1; NAN: it has exactly one. NULL after saying what is wrong. */
typedef struct trm_host {
    const trm_joint *joint;
    int coordinate; /* from 0 */
} trm_host;

trm_host trm_named_host(trm_build *build, trm_place place, const char *kind, const char *element, const char *name,
                        double coordinate);

/* What the model makes of the laws of a joint's coordinates: how many joints and rotors at most, then these. The last fills law by
 * law what the definition says, and reports what is wrong. */
int trm_count_parts(const trm_model_def *def);
int trm_count_rotors(const trm_model_def *def);
bool trm_build_parts(trm_build *build);
void trm_set_laws(trm_build *build, const trm_joint_def *def, trm_joint *joint);

/* The terms of a gear or a coupling, and all that follows from them. False: out of memory. */
bool trm_build_terms(trm_build *build, const trm_joint_def *def, trm_joint *joint);

/* A joint on the coordinates of others, its terms: its bodies, frames and memory, and its offset where it is NAN. */
void trm_join_hosts(const trm_model *model, trm_joint *gear);
/* Rows of a joint that all is known of, behind those of all others. */
void trm_place_rows(trm_model *model, trm_joint *joint);

/* A checked function of time; NULL after saying what is wrong (or out of memory). */
const trm_function *trm_build_function(trm_build *build, trm_place place, const char *kind, const char *name,
                                       const char *key, const trm_function_def *def);

/* Complains if a function names an input: what it prescribes would jump. */
void trm_refuse_inputs(trm_build *build, trm_place place, const char *kind, const char *name, const char *key,
                       const trm_function_def *def);

/* Warns that a prescribed motion jumps in velocity: straight lines between the points of a table. */
void trm_warn_of_jumps(trm_build *build, trm_place place, const char *kind, const char *name, const char *key,
                       const trm_function_def *def);

/* Whether a name can stand in result columns; says what is wrong if not. */
bool trm_check_name(trm_build *build, trm_place place, const char *kind, const char *name);

#endif
