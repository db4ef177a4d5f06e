/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The internal model: plain arrays that never change once built.
 *
 * Every body has a principal frame P: origin at the centre of mass, axes along the principal axes of inertia.
 * Poses, joint frames and attachments are stored in P. X_BP is the pose of P in the body frame B of the user. Fixed,
 * moving and point bodies have P = B (the axes of a point have no meaning). */

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
    trm_mesh mesh; /* triangles of the types hull and mesh */
    double friction, restitution;
    double rolling, torsional; /* m: lever arms of rolling and torsional friction */
    trm_combine combine;
    double priority;
    bool collide, hidden;
    uint32_t group, mask; /* bits: two shapes collide if the group of one is in the mask of the other */
    const char *color;    /* NULL: not given */
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
    int symmetry_axis;                 /* axis whose other two moments are equal; -1: all three differ */
    trm_vec3 gravity;                  /* m/s^2: gravitational acceleration, with the factor of the body */
    trm_pose X_BP;                     /* principal frame in the body frame */
    trm_pose start;                    /* pose of the principal frame in the world */
    trm_spatial start_velocity;        /* angular velocity, velocity of the centre of mass; world axes */
    const trm_motion *motion;          /* of a moving body, else NULL */
    trm_named_point *points;           /* in the body frame */
    trm_quat *point_axes;              /* orientation of each point: that of a frame, or none */
    int point_count;
    trm_named_point *axes; /* of unit length, in the body frame */
    int axis_count;
    trm_shape *shapes;
    int shape_count;
    double rod_length, rod_radius; /* m: the rod lies along x, centred at the origin of B; 0: not a rod */
    const char *subsystem;
    bool faulty; /* while building: its errors have been reported, so errors that follow from them are not reported */
} trm_body;

/* The replacement of a function of time of a drive or force by another function. */
typedef struct trm_choice {
    const char *name; /* "s1.target" */
    int memory;       /* index in the state's memory of the choice */
    double number;    /* the new choice */
} trm_choice;

/* A function of time that the caller may set (settings.c). */
typedef struct trm_setting_place {
    trm_setting_info info;
    const trm_chosen *chosen; /* the choice that is set */
    int memory_offset;        /* start of its element's memory */
} trm_setting_place;

/* An event: it happens at a time that the file gives, at the first contact of two bodies, or by a condition. */
typedef struct trm_event {
    double at;             /* s: time at which it happens; inf: it waits for a contact or a condition */
    int bodies[2];         /* the bodies of the contact; -1: none */
    trm_formula condition; /* the event waits until this becomes true; without expression: no condition */
    double delay;          /* s: time from the contact or condition until the event acts */
    bool stop;             /* it ends the run */
    /* Index of two numbers in the state's memory, for a condition or delay: 1 if the condition has been false, and
     * the time (> 0, s) at which the event acts. */
    int memory;
    int attach, detach; /* joints; -1: none */
    trm_choice *choices;
    int choice_count;
} trm_event;

/* Two bodies that do not collide. */
typedef struct trm_excluded_pair {
    int body[2]; /* [0] < [1] */
} trm_excluded_pair;

/* The events of a model. */
typedef struct trm_schedule {
    trm_event *events; /* sorted by time; those that wait for a contact come last */
    int count;
    int timed;       /* count of events with a time */
    int conditions;  /* count of events with a condition */
    int delayed;     /* count of events with a delay */
    int memory;      /* index in the memory of the first event's two numbers */
    int stop_memory; /* index in the memory of "the run was stopped"; -1: no event stops it */
} trm_schedule;

/* Which shapes collide, and how. */
typedef struct trm_collisions {
    trm_contact_entry *contacts; /* sorted by their bodies, as is no_collide */
    int contact_count;
    trm_excluded_pair *no_collide;
    int no_collide_count;
    const char *may_collide; /* name of a free body whose shapes may collide with others; NULL: none */
} trm_collisions;

/* Sensors and outputs. */
typedef struct trm_observed {
    trm_sensor *sensors;
    int sensor_count;
    int sample_count; /* count of the numbers of all sensors */
    trm_output *outputs;
    int output_count;
} trm_observed;

struct trm_model {
    trm_arena arena;
    const char *name;
    trm_vec3 gravity;
    trm_input_def *inputs; /* the memory begins with their values */
    trm_constant *input_starts;
    int input_count;
    trm_body *bodies; /* [0] is the ground */
    int body_count;
    int shown_body_count; /* number of the user's bodies and the ground; rotors follow them (build_parts.c) */
    trm_joint *joints;
    int joint_count;
    int shown_joint_count; /* count of the user's joints; limits, friction and rotors follow (build_parts.c) */
    trm_force *forces;
    int force_count;
    int row_count;    /* of all joints */
    int memory_count; /* count of numbers in the memory of a state */
    /* index in the memory where the choices of functions begin, and the numbers set by the caller */
    int choice_start;
    trm_setting_place *settings;
    int setting_count;
    trm_names body_names, joint_names, sensor_names;
    trm_simulation_def simulation;
    trm_collisions collisions;
    trm_schedule schedule;
    trm_pose_def *poses;
    int pose_count;
    trm_observed observed;
    uint64_t fingerprint; /* hash of all data that must agree for a saved state to be loaded */
};

/* Returns the number of degrees of freedom of a body without joints: 6, 3 or 0. */
static inline int trm_body_freedoms(const trm_body *body)
{
    return body->kind == TRM_BODY_RIGID ? 6 : body->kind == TRM_BODY_POINT ? 3 : 0;
}

/* Finds the point or frame of this name, in the body frame. Returns false if there is none. */
bool trm_body_frame(const trm_body *body, const char *name, trm_pose *frame);

/* Returns the largest distance (m) of the colliding shapes of a body from the origin of its principal frame; inf
 * for a plane. */
double trm_body_reach(const trm_body *body);

/* Returns whether any shape of a body takes part in contacts. */
bool trm_body_has_colliding_shapes(const trm_body *body);

/* Computes pose, twist and acceleration of a moving body's frame at time t. The acceleration may be NULL. */
void trm_motion_at(const trm_motion *motion, double t, trm_pose *pose, trm_spatial *velocity,
                   trm_spatial *acceleration);

/* Returns whether any body or joint has a prescribed motion. */
bool trm_model_is_driven(const trm_model *model);

/* varying.c: returns whether a force, a drive or the motion of a body is a function that varies with time. */
bool trm_model_varies_with_time(const trm_model *model);
/* varying.c: returns the name of an element with a function of time that steps of length h do not resolve from t on,
 * as far as samples in that many steps show it; NULL: there is none. */
const char *trm_model_missed_function(const trm_model *model, const double *memory, double t, double h, double steps);

/* Returns a force with memory (a servo with an integral or a lag), NULL if there is none. The memory is carried over
 * from step to step with an error of order 2, whatever the order of the method, and no method estimates that
 * error. */
const trm_force *trm_model_remembering_force(const trm_model *model);

/* How closely functions of time are watched. */
typedef struct trm_sampling {
    double interval; /* s: between samples; INFINITY: no function varies */
    double error;    /* requested error of the run; NAN: none */
    double longest;  /* s: no step is longer */
} trm_sampling;

/* Returns the longest step from t, at most h, in which all functions of time are smooth at the samples. It is at
 * least the interval, or h. memory: of the model, in a state. */
double trm_model_longest_step(const trm_model *model, const double *memory, double t, double h,
                              const trm_sampling *sampling);

/* Returns whether a joint is the gear that couples a rotor (build_parts.c) to its host's coordinate. */
bool trm_joint_drives_rotor(const trm_model *model, const trm_joint *joint);

/* Return a joint or a force at given poses (of principal frames) and twists of all bodies. velocities NULL: at
 * rest. */
trm_joint_at trm_joint_at_poses(const trm_joint *joint, const trm_pose *poses, const trm_spatial *velocities,
                                double t, const double *memory);
/* Compute only c or only J, for steps, which need them most often. memory: of all joints, or NULL. */
void trm_joint_residual_at(const trm_joint *joint, const trm_pose *poses, double t, const double *memory, double *c);
void trm_joint_jacobian_at(const trm_joint *joint, const trm_pose *poses, double t, const double *memory,
                           trm_spatial *J);
/* Sets the memory of a joint with `aligns` (TRM_JOINT_ALIGNMENT numbers) so that the joint is closed at these
 * poses. */
enum { TRM_JOINT_ALIGNMENT = 6 };
void trm_joint_align(const trm_joint *joint, const trm_pose *poses, double *memory);
/* Fills *at, which steps do, because it is large; the second function returns the same. */
void trm_force_place(const trm_force *force, const trm_pose *poses, const trm_spatial *velocities, double t,
                     const double *memory, trm_force_at *at);
trm_force_at trm_force_at_poses(const trm_force *force, const trm_pose *poses, const trm_spatial *velocities,
                                double t, const double *memory);

/* ---- Building, one file each -------------------------------------------------------------- */

typedef struct trm_build {
    const trm_model_def *def; /* an element that still has a parent after trm_build_places could not be placed */
    trm_model *model;
    trm_messages *messages;
} trm_build;

/* If any element has a parent, replaces build->def by a copy in the arena in which all elements are given in the
 * world. Elements that cannot be placed are reported and keep their parent. Of the model only the inputs must be
 * built. Returns false when out of memory. */
bool trm_build_places(trm_build *build, trm_arena *arena);

/* Returns the frame of a body in the world at the start, for a body without parent that is not a moving body. */
trm_pose trm_start_frame(const trm_body_def *def);

/* Sets x_axis of a joint that has an axis to its default, in the frame in which the axis is given. takes: of its type. */
void trm_default_x_axis(trm_joint_def *joint, unsigned takes);

/* Finds "BODY", or "BODY.POINT" of a point or frame, in the frame of its body. Returns false after reporting an error. */
bool trm_named_frame_of(trm_build *build, trm_place place, const char *kind, const char *element, const char *name,
                        int *body, trm_pose *frame);

/* Returns a place that is stored in the model, with a copy of its file name if it lies in an included model. */
trm_place trm_kept_place(trm_build *build, trm_place place);

/* Reports an error or a warning about an element: "joint 'j3'". */
void trm_report_element(trm_build *build, trm_place place, const char *kind, const char *name, const char *format,
                        ...) TRM_PRINTF(5, 6);
void trm_warn(trm_build *build, trm_place place, const char *kind, const char *name, const char *format, ...)
    TRM_PRINTF(5, 6);

/* Build one kind of elements each. They report all errors that they find, and return false only when out of
 * memory. */
bool trm_build_inputs(trm_build *build);
void trm_place_inputs(trm_model *model); /* sets the offset of the inputs in all functions of time */
bool trm_build_bodies(trm_build *build);
bool trm_build_joints(trm_build *build);
bool trm_build_forces(trm_build *build);
bool trm_build_shapes(trm_build *build, const trm_body_def *def, trm_body *body, trm_mass *mass);
bool trm_build_sensors(trm_build *build);
bool trm_build_outputs(trm_build *build);
void trm_report_formula(trm_build *build, trm_place place, const char *kind, const char *name, const char *text,
                        const trm_expression_error *error);
bool trm_build_poses(trm_build *build); /* also the pose at which runs start */
bool trm_build_events(trm_build *build);
bool trm_build_contacts(trm_build *build);  /* also pairs that do not collide */
bool trm_check_remaining(trm_build *build); /* contacts, defaults, simulation */

/* Reports an error unless these are the names of two different bodies. */
void trm_require_pair(trm_build *build, trm_place place, const char *kind, const char *element,
                      const char *const bodies[2]);

/* Builds the curve or surface that the first body of a joint carries for a point of the second, and sets the frame
 * F of the first body in the world at the start. Returns false after reporting an error, or when out of memory.
 * trm_start_on_curve finds the start of the point on the curve, once both bodies have their joint frames. */
bool trm_build_carried(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose *F);
void trm_start_on_curve(const trm_model *model, trm_joint *joint);

/* Build the type of a chain, which no other joint shares, and its links with both frames in the world at the start.
 * The first returns false when out of memory, the second also after reporting an error. */
bool trm_build_chain_type(trm_build *build, const trm_joint_def *def, trm_joint *joint);
bool trm_place_chain(trm_build *build, const trm_joint_def *def, trm_joint *joint, trm_pose F[2]);

/* Returns the index of a body by its name. Returns -1 after reporting, with the nearest name, that there is none. */
int trm_named_body(trm_build *build, trm_place place, const char *kind, const char *element, const char *body);

/* Returns whether the definitions have a joint of this name, and reports an error if not. NULL: no joint is
 * required. */
bool trm_require_joint(trm_build *build, trm_place place, const char *kind, const char *element, const char *joint);

/* Returns the joint name nearest to this one, NULL if none is near. */
const char *trm_nearest_joint(const trm_build *build, const char *name);

/* A joint and one of its coordinates. The function finds them by the joint's name and the coordinate's number, from
 * 1; NAN requires that the joint has exactly one. The joint is NULL after an error was reported. */
typedef struct trm_host {
    const trm_joint *joint;
    int coordinate; /* from 0 */
} trm_host;

trm_host trm_named_host(trm_build *build, trm_place place, const char *kind, const char *element, const char *name,
                        double coordinate);

/* Create joints and rotors from the laws of joint coordinates. The first two functions return upper bounds of their
 * numbers, the third creates them. The last sets the laws of a joint from its definition and reports errors. */
int trm_count_parts(const trm_model_def *def);
int trm_count_rotors(const trm_model_def *def);
bool trm_build_parts(trm_build *build);
/* Copies the section "simulation" with its texts. Returns false when out of memory. */
bool trm_copy_simulation(const trm_simulation_def *def, trm_arena *arena, trm_simulation_def *own);

void trm_set_laws(trm_build *build, const trm_joint_def *def, trm_joint *joint);

/* Builds the terms of a gear or coupling, and the fields that follow from them. Returns false when out of memory. */
bool trm_build_terms(trm_build *build, const trm_joint_def *def, trm_joint *joint);

/* Sets the bodies, frames and memory of a joint from the hosts of its terms, and its offset if that is NAN. */
void trm_join_hosts(const trm_model *model, trm_joint *gear);
/* Appends the rows of a completed joint to those of the model. */
void trm_place_rows(trm_model *model, trm_joint *joint);

/* Returns a checked function of time. Returns NULL after reporting an error, or when out of memory. */
const trm_function *trm_build_function(trm_build *build, trm_place place, const char *kind, const char *name,
                                       const char *key, const trm_function_def *def);

/* Reports an error if a function names an input: the prescribed value would jump. */
void trm_refuse_inputs(trm_build *build, trm_place place, const char *kind, const char *name, const char *key,
                       const trm_function_def *def);

/* Warns if the velocity of a prescribed motion jumps, because a table is interpolated linearly. */
void trm_warn_of_jumps(trm_build *build, trm_place place, const char *kind, const char *name, const char *key,
                       const trm_function_def *def);

/* Returns whether a name can be used in result columns, and reports an error if not. */
bool trm_check_name(trm_build *build, trm_place place, const char *kind, const char *name);

static inline bool trm_is_given(trm_vec3 v)
{
    return !isnan(v.x);
}

#endif
