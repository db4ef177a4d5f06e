/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the machine is.
 *
 * A model is defined by plain structs, one per element, in the terms of the model file (docs/model-format.md);
 * trm_model_create checks them all, reports every error it finds, and builds the model, which is never
 * changed again. The file reader fills the same structs (io.h).
 *
 *     trm_model_def *def = trm_model_def_create(NULL);
 *     trm_body_def rod = trm_default_body_def();
 *     rod.name = "rod";
 *     rod.mass = 1;
 *     ...
 *     trm_add_body(def, &rod);
 *
 * SI units, radians. "Not given" is NULL for texts and NAN for numbers. Texts and arrays are borrowed: they must
 * live until trm_model_create has returned. */

#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include "trammel/base.h"
#include "trammel/function.h"
#include "trammel/vecmath.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Inputs ------------------------------------------------------------------------------- */

/* A number that functions of time may name and that the caller sets between steps. */
typedef struct trm_input_def {
    trm_place place;
    const char *name;
    double range[2]; /* values are clipped to it; -inf, inf: not */
    double start;    /* its value until it is set */
    bool
        in_motions; /* prescribed motions may name it: the caller sets it only so that none of them jumps (default: false) */
} trm_input_def;

/* Returns a definition with all defaults. */
TRM_API trm_input_def trm_default_input_def(void);

/* ---- Shapes ------------------------------------------------------------------------------- */

typedef struct trm_shape_def {
    trm_place place;
    const char *type;       /* "sphere" "box" "capsule" "cylinder" "ellipsoid" "hull" "plane" "mesh" */
    double radius;          /* m: sphere, capsule, cylinder */
    double length;          /* m, along z, without a capsule's caps: capsule, cylinder */
    trm_vec3 size;          /* m, full lengths: box, ellipsoid */
    const trm_vec3 *points; /* m: hull, mesh */
    int point_count;
    const int (*triangles)[3]; /* indices of points, counter-clockwise from outside: mesh */
    int triangle_count;
    const char *file;  /* where the mesh came from; NULL: from points and triangles alone */
    trm_vec3 scale;    /* of the mesh along its axes; negative ones mirror it */
    trm_vec3 normal;   /* plane: normal.x <= offset is solid */
    double offset;     /* m */
    trm_vec3 position; /* m, of the shape's frame in the body frame */
    trm_quat orientation;
    double density;     /* kg/m^3 */
    double friction;    /* Coulomb coefficient; NAN: the model's default */
    double restitution; /* 0 no bounce .. 1 elastic; NAN: the model's default */
    bool collide;
    double group;      /* bits, a whole number: the groups that it belongs to; 1 */
    double mask;       /* bits: the groups that it collides with; 1 */
    bool hidden;       /* it is not drawn */
    const char *color; /* "#rrggbb" */
} trm_shape_def;

/* Returns a definition with all defaults. */
TRM_API trm_shape_def trm_default_shape_def(void);

/* ---- Bodies ------------------------------------------------------------------------------- */

typedef enum trm_body_kind {
    TRM_BODY_RIGID,  /* six degrees of freedom */
    TRM_BODY_POINT,  /* a point mass: three */
    TRM_BODY_FIXED,  /* does not move */
    TRM_BODY_MOVING, /* prescribed motion, infinite mass */
    TRM_BODY_ROD,    /* a rigid body given as a uniform solid rod */
} trm_body_kind;

typedef struct trm_named_point {
    const char *name;
    trm_vec3 position; /* m, in the body frame */
} trm_named_point;

/* A point with an orientation. It is the point of its name, too, and its axes are those of that name with _x, _y and _z. */
typedef struct trm_named_frame {
    const char *name;
    trm_vec3 position;    /* m, in the body frame */
    trm_quat orientation; /* in the body frame */
} trm_named_frame;

/* A uniform solid rod: frame at its middle, x axis from -> to. */
typedef struct trm_rod_def {
    trm_vec3 from, to; /* m, world at the start */
    double mass;       /* kg */
    double radius;     /* m; 0: slender */
} trm_rod_def;

typedef struct trm_motion_def {
    trm_function_def position[3]; /* m, of the body frame, world */
    trm_function_def angle;       /* rad, about axis */
    trm_vec3 axis;                /* world */
} trm_motion_def;

/* One of several point masses that make a rigid body. */
typedef struct trm_point_mass_def {
    trm_place place;
    double mass;       /* kg */
    trm_vec3 position; /* m, in the body frame */
} trm_point_mass_def;

typedef struct trm_body_def {
    trm_place place;
    const char *name;
    trm_body_kind kind;
    double
        mass; /* kg; 0: mass, com and inertia come from the shapes' density; without inertia it is spread over them */
    const trm_point_mass_def *masses; /* rigidly connected: mass, com and inertia come from them */
    int mass_count;
    double inertia[6];       /* kg m^2, xx yy zz xy xz yz, about the centre of mass, body axes; NAN: not given */
    bool impossible_inertia; /* moments are used though one exceeds the sum of the other two */
    trm_vec3 com;            /* m, centre of mass in the body frame; NAN: not given, the origin */
    const char
        *parent; /* "BODY" or "BODY.POINT", before this one: position and orientation are in its frame; NULL: world */
    trm_vec3 position; /* m, of the body frame, world */
    trm_quat orientation;
    trm_vec3 velocity;         /* m/s, of the body frame's origin, world */
    trm_vec3 angular_velocity; /* rad/s, world */
    double gravity_factor;     /* of the model's gravity: 1; 0: it is weightless */
    trm_rod_def rod;           /* TRM_BODY_ROD */
    trm_motion_def moving;     /* TRM_BODY_MOVING */
    const trm_named_frame *frames;
    int frame_count;
    const trm_named_point *points;
    int point_count;
    const trm_named_point *axes; /* directions in the body frame, of any length */
    int axis_count;
    const trm_shape_def *shapes;
    int shape_count;
    const char *subsystem; /* for the method subsystem */
} trm_body_def;

/* Returns a definition with all defaults. */
TRM_API trm_body_def trm_default_body_def(void);

/* ---- Joints ------------------------------------------------------------------------------- */

enum { TRM_JOINT_BODIES = 8, TRM_JOINT_COORDINATES = 6, TRM_JOINT_ROWS = 6 };

/* Something round and where it is in the world at the start. Each kind has only some of the numbers. */
typedef struct trm_round_def {
    trm_vec3 origin;     /* m: the centre */
    trm_vec3 axis;       /* any length: all but a sphere */
    double radius;       /* m: all but a torus */
    double pitch;        /* m per turn, right-handed if positive: helix */
    double major, minor; /* m, from the axis to the core and from there to the surface: torus */
} trm_round_def;

/* One of three: points, a circle or a helix. */
typedef struct trm_curve_def {
    const trm_vec3 *points; /* m, in the frame of the first body: a cubic spline through them */
    int point_count;
    bool closed; /* the spline comes back to its first point */
    trm_round_def circle, helix;
} trm_curve_def;

/* One of three. */
typedef struct trm_surface_def {
    trm_round_def sphere, cylinder, torus;
} trm_surface_def;

/* What acts on one coordinate of a joint that has several. A joint with one coordinate has the same members itself. */
typedef struct trm_coordinate_def {
    trm_place place;
    const char *type;         /* of a link of a chain alone: "hinge" or "slider", */
    trm_vec3 anchor;          /* m: a point of a hinge's axis, world at the start; NAN: not given, */
    trm_vec3 axis;            /* world at the start, any length; NAN: not given */
    double limits[2];         /* m or rad: stops */
    double limit_restitution; /* 0 .. 1: bounce at a stop */
    double friction;          /* N or N m: Coulomb friction */
    double mu;                /* more friction: this times the force in the joint across the axis; 0 */
    double radius;            /* m: at which that friction acts on a turning coordinate (journal bearing) */
    double static_friction;   /* N or N m: of a coordinate at rest (Stribeck); NAN: as friction */
    double stribeck_velocity; /* m/s or rad/s: at which 1/e of static_friction - friction is left */
    double stiffness;         /* N/m or N m/rad: of a spring on it */
    double spring_reference;  /* m or rad: where that spring has no force */
    double damping;           /* N s/m or N m s/rad */
    double armature;          /* kg or kg m^2: reflected inertia of a rotor that turns with it */
    double effort;            /* N or N m: rated force, kept for controllers; inf: none */
    double max_velocity;      /* m/s or rad/s: rated speed, kept for controllers; inf: none */
} trm_coordinate_def;

/* Returns a definition with all defaults. */
TRM_API trm_coordinate_def trm_default_coordinate_def(void);

enum { TRM_TERMS = 4, TRM_TERM_DEGREE = 6 }; /* of a coupling, at most */

/* One coordinate in a coupling: factor times it, or a_1 q + a_2 q^2 + ... */
typedef struct trm_term_def {
    trm_place place;
    const char *joint;        /* its name */
    double coordinate;        /* which of its coordinates, from 1; NAN: it has only one */
    double factor;            /* unless there is a polynomial */
    const double *polynomial; /* a_1, a_2, ... */
    int polynomial_count;
} trm_term_def;

/* Returns a definition with all defaults. */
TRM_API trm_term_def trm_default_term_def(void);

/* Which of these a type takes: docs/joints.md, or trammel check on a model that misses one. */
typedef struct trm_joint_def {
    trm_place place;
    const char *name;
    const char *type;         /* "ball" "hinge" "slider" ...: trm_joint_type_name has them all */
    const char *bodies[2];    /* names; "ground" always exists */
    trm_vec3 anchor;          /* m, world at the start */
    trm_vec3 axis, axis2;     /* world at the start, any length */
    trm_vec3 anchors[2];      /* m, in the frames of the two bodies, instead of anchor */
    trm_vec3 axes[2];         /* in the frames of the two bodies, instead of axis (and axis2) */
    double length;            /* m: distance */
    bool rope;                /* the distance is at most length */
    trm_curve_def curve;      /* curve: carried by the first body */
    trm_surface_def surface;  /* surface: carried by the first body */
    double pitch;             /* m per radian: screw */
    double q0[6];             /* m or rad: what the coordinates read at the start, TRM_JOINT_COORDINATES of them */
    double limits[2];         /* m or rad: stops of the coordinate */
    double limit_restitution; /* 0 .. 1: bounce at a stop or of a rope that goes taut */
    double friction;          /* N or N m, Coulomb friction of the coordinate */
    double mu;                /* more friction: this times the force in the joint across the axis; 0 */
    double radius;            /* m: at which that friction acts on a turning coordinate (journal bearing) */
    double static_friction;   /* N or N m: of the coordinate at rest (Stribeck); NAN: as friction */
    double stribeck_velocity; /* m/s or rad/s: at which 1/e of static_friction - friction is left */
    double stiffness;         /* N/m or N m/rad: of a spring on the coordinate */
    double spring_reference;  /* m or rad: where that spring has no force */
    double damping;           /* N s/m or N m s/rad, of the coordinate */
    double armature;          /* kg or kg m^2: reflected inertia of a rotor that turns with the coordinate */
    double effort;            /* N or N m: rated force, kept for controllers; inf: none */
    double max_velocity;      /* m/s or rad/s: rated speed, kept for controllers; inf: none */
    const trm_coordinate_def *coordinates; /* of a joint with several: one each; the links of a chain */
    int coordinate_count;
    double break_force;        /* N: the joint opens beyond it */
    double break_torque;       /* N m */
    double erp;                /* 0 .. 1: share of a gap that lcp closes in a step; NAN: the method's */
    double cfm;                /* (m/s)/N or (rad/s)/(N m): by which a row gives way in lcp; NAN: the method's */
    double spring_stiffness;   /* N/m or N m/rad: the rows are springs; NAN: they are rigid */
    double spring_damping;     /* N s/m or N m s/rad; NAN: 0 */
    bool attached;             /* at the start */
    const char *align;         /* fixed: "start" keeps the relative pose of the start, "now" that at its attachment */
    bool collide;              /* the two bodies collide with each other */
    const char *joint;         /* name of the joint whose coordinate is driven */
    double coordinate;         /* which of its coordinates, from 1; NAN: it has only one */
    trm_function_def motion;   /* m or rad: the prescribed coordinate */
    trm_function_def velocity; /* m/s or rad/s: of a motor */
    double max_force;          /* N or N m: of a motor; inf: as much as it takes */
    const char *joints[2];     /* names of the two joints whose coordinates a gear holds together */
    double geared[2];          /* which of their coordinates, from 1; NAN: they have only one each */
    double ratio;              /* of a gear: q1 = ratio q2 + offset; of a rack q1 and its pinion m/rad */
    double offset;             /* m or rad, as q1; what the terms of a coupling add up to; NAN: what the start has */
    const trm_term_def *terms; /* of a coupling */
    int term_count;
} trm_joint_def;

/* Returns a definition with all defaults. */
TRM_API trm_joint_def trm_default_joint_def(void);

/* A row J u + (erp/h) c + cfm l = 0 of velocities u at the end of a step h, gap c at its start and force l is a spring
 * with a damper, l = -k c - d J u, both at the end of the step. */
typedef struct trm_softness {
    double erp; /* 0 .. 1: share of the gap that is closed in a step */
    double cfm; /* (m/s)/N or (rad/s)/(N m) */
} trm_softness;

typedef struct trm_spring_law {
    double stiffness; /* N/m or N m/rad */
    double damping;   /* N s/m or N m s/rad */
} trm_spring_law;

/* step: s. An infinite stiffness is a rigid row, erp 1 and cfm 0; of cfm 0 stiffness and damping are infinite. */
TRM_API trm_softness trm_softness_of_spring(double stiffness, double damping, double step);
TRM_API trm_spring_law trm_spring_of_softness(double erp, double cfm, double step);

/* ---- Forces ------------------------------------------------------------------------------- */

typedef struct trm_force_def {
    trm_place place;
    const char *name;          /* may be NULL */
    const char *type;          /* "spring" "force" "torque" "actuator" "torsion" "effort" "servo" "drag" */
    const char *bodies[2];     /* between two bodies */
    const char *body;          /* on one body */
    trm_vec3 anchors[2];       /* m, in the frames of the two bodies */
    const char *joint;         /* on a coordinate of a joint */
    double coordinate;         /* which one, from 1; NAN: it has only one */
    double rest;               /* m: length without force; m or rad: coordinate without force */
    double stiffness;          /* N/m or N m */
    double damping;            /* N s/m or N m s */
    bool implicit;             /* stiff: apply it implicitly (first order, stable at any step) */
    trm_vec3 at;               /* m, in the body frame: where a force acts */
    trm_function_def value[3]; /* N or N m; of an actuator, an effort and a servo the first alone */
    bool in_body_frame;        /* value is in body axes, else in world axes */
    trm_function_def target;   /* m or rad: where a servo drives the coordinate */
    trm_function_def velocity; /* m/s or rad/s: the rate that a servo aims at, */
    bool has_velocity;         /* if it is given: else that of the target */
    double gear;               /* of effort and servo: they see gear q, and their force acts gear-fold along q */
    double range[2];           /* N or N m: value of an effort is clipped to it; -inf, inf: not */
    double kp, kd;             /* N/m and N s/m, or N m and N m s: of the distance from the target and of its rate */
    double max;                /* N or N m: what both give at most; inf: no limit */
    double brake;              /* N s/m or N m s: against the rate, beside them */
    double ki;                 /* N/(m s) or N m/s: of the integral of the distance from the target */
    double lag;                /* s: the force follows what the servo wants with this time constant; 0: at once */
    trm_function_def max_law, brake_law; /* the same as functions of time, unless they are constants */
    double linear, angular;              /* N s/m and N m s: drag against velocity and angular velocity */
} trm_force_def;

/* Returns a definition with all defaults. */
TRM_API trm_force_def trm_default_force_def(void);

/* ---- Contacts, events, sensors, simulation ------------------------------------------------ */

typedef struct trm_contact_def {
    trm_place place;
    const char *bodies[2];
    double friction;      /* NAN: from the shapes */
    const double *speeds; /* m/s: friction as a function of slip speed, instead of one number */
    const double *mus;
    int speed_count;
    double restitution; /* NAN: from the shapes */
    double rolling;     /* m: rolling friction arm */
    const char *law;    /* of restitution: "poisson" (also NULL) "stronge" */
} trm_contact_def;

/* Returns a definition with all defaults. */
TRM_API trm_contact_def trm_default_contact_def(void);

typedef struct trm_setting {
    const char *name; /* "servo1.target" */
    trm_function_def value;
} trm_setting;

typedef struct trm_event_def {
    trm_place place;
    double at;             /* s; NAN: by "when" */
    const char *when;      /* "contact"; or a condition that becomes true: "arm.q > 2.1" */
    const char *bodies[2]; /* of that contact */
    double delay;          /* s, from then until it acts */
    const char *attach, *detach;
    const trm_setting *settings;
    int setting_count;
    bool stop; /* it ends the run */
    trm_place when_place;
} trm_event_def;

/* Returns a definition with all defaults. */
TRM_API trm_event_def trm_default_event_def(void);

/* A number, or a pose, that is computed of others and has a column of results. */
typedef struct trm_output_def {
    trm_place place;
    const char *name;
    const char *value;   /* an expression of quantities: "atan2(hub.up.y, hub.up.z)"; or a pose: */
    const char *of, *in; /* of the frame "BODY" or "BODY.POINT" in another */
    const char *unit;    /* for people */
} trm_output_def;

/* Returns a definition with all defaults. */
TRM_API trm_output_def trm_default_output_def(void);

enum { TRM_SENSOR_NUMBERS = 6 }; /* that a sensor gives, at most */

typedef struct trm_sensor_def {
    trm_place place;
    const char *name;
    const char *type; /* "accelerometer" "gyro" "angle" "rate" "force" "distance" "contact" */
    const char *body, *joint;
    double coordinate; /* of the joint, from 1: of angle and rate; NAN: it has only one */
    const char *bodies[2];
    trm_vec3 at;         /* m, in the body frame: of accelerometer and gyro */
    trm_vec3 anchors[2]; /* m, in the body frames, of distance; NAN: their origins */
    double rate;         /* Hz; 0: every step */
    double noise;        /* standard deviation, in the sensor's unit */
} trm_sensor_def;

/* Returns a definition with all defaults. */
TRM_API trm_sensor_def trm_default_sensor_def(void);

/* One option of one method, as the file gives it: exactly one of text and number is given. */
typedef struct trm_option {
    const char *method, *name;
    const char *text;
    double number;
} trm_option;

/* Coordinates of one joint in a pose; NAN: as at the start. */
typedef struct trm_joint_value {
    const char *joint;
    double q[TRM_JOINT_COORDINATES]; /* m or rad */
} trm_joint_value;

/* A pose by name. Joints that are not named are as at the start. */
typedef struct trm_pose_def {
    trm_place place;
    const char *name;
    const trm_joint_value *values;
    int value_count;
} trm_pose_def;

/* What `trammel run` does unless its command line says otherwise. */
typedef struct trm_simulation_def {
    trm_place place;
    const char *start;  /* the pose that a run begins with; NULL: where the bodies are */
    const char *method; /* "impulse" */
    const char *solver; /* "direct" "iterative" "hierarchy" */
    double step;        /* s */
    double time;        /* s */
    double order;       /* 2, 4, 6 or 8 */
    const char *scheme; /* "composition" "extrapolation" "auto": composed unless a force depends on velocities */
    double position_tolerance; /* m: D_max; NAN: by the order, 1e-10 at order 2 (docs/impulse.md) */
    double angle_tolerance;    /* rad; NAN likewise */
    double velocity_tolerance; /* m/s, rad/s: V_max; NAN likewise */
    double error;              /* error-controlled step; NAN: fixed step */
    const char *impact;        /* "event" "window" "auto" */
    bool simultaneous;         /* contacts that touch but do not approach take part in impacts, too */
    const char *sleep;         /* whether piles at rest sleep: "on" "off" "auto", which is on in windows */
    double every;              /* s, between result rows; NAN: every step */
    const trm_option *options;
    int option_count;
} trm_simulation_def;

/* Returns a definition with all defaults. */
TRM_API trm_simulation_def trm_default_simulation_def(void);

/* ---- The whole definition ----------------------------------------------------------------- */

typedef struct trm_body_pair {
    const char *bodies[2];
    trm_place place;
} trm_body_pair;

typedef struct trm_model_def {
    const char *file; /* where it was read from, for messages; NULL: from nowhere */
    const char *name;
    trm_vec3 gravity;   /* m/s^2 */
    double friction;    /* default of shapes */
    double restitution; /* default of shapes */
    trm_constant *constants;
    int constant_count;
    trm_input_def *inputs;
    int input_count;
    trm_body_def *bodies;
    int body_count;
    trm_joint_def *joints;
    int joint_count;
    trm_force_def *forces;
    int force_count;
    trm_contact_def *contacts;
    int contact_count;
    trm_event_def *events;
    int event_count;
    trm_sensor_def *sensors;
    int sensor_count;
    trm_output_def *outputs;
    int output_count;
    trm_body_pair *no_collide;
    int no_collide_count;
    trm_pose_def *poses;
    int pose_count;
    trm_simulation_def simulation;
    struct trm_arena *arena; /* owns the lists */
} trm_model_def;

/* Creates an empty definition with all defaults. Returns NULL if out of memory. */
TRM_API trm_model_def *trm_model_def_create(const trm_allocator *allocator);
/* Releases the definition and everything that was added to it. A model that was built from it stays valid. */
TRM_API void trm_model_def_destroy(trm_model_def *def);

/* Add an element. The struct is copied, its texts and arrays are borrowed: they must stay valid until the model is built. Return
 * TRM_OUT_OF_MEMORY, or TRM_OK: values are checked by trm_model_create. */
TRM_API trm_status trm_add_constant(trm_model_def *def, const char *name, double value);
TRM_API trm_status trm_add_input(trm_model_def *def, const trm_input_def *input);
TRM_API trm_status trm_add_pose(trm_model_def *def, const trm_pose_def *pose);
TRM_API trm_status trm_add_body(trm_model_def *def, const trm_body_def *body);
TRM_API trm_status trm_add_joint(trm_model_def *def, const trm_joint_def *joint);
TRM_API trm_status trm_add_force(trm_model_def *def, const trm_force_def *force);
TRM_API trm_status trm_add_contact(trm_model_def *def, const trm_contact_def *contact);
TRM_API trm_status trm_add_event(trm_model_def *def, const trm_event_def *event);
TRM_API trm_status trm_add_sensor(trm_model_def *def, const trm_sensor_def *sensor);
TRM_API trm_status trm_add_output(trm_model_def *def, const trm_output_def *output);
/* Two bodies that do not collide. */
TRM_API trm_status trm_add_no_collide(trm_model_def *def, const char *first, const char *second);

/* ---- The model ---------------------------------------------------------------------------- */

/* A checked model. It never changes after it was built: any number of threads may use it at once. */
typedef struct trm_model trm_model;

/* Checks the definition and builds the model. On failure *model is NULL and the messages say why. */
TRM_API trm_status trm_model_create(const trm_model_def *def, const trm_allocator *allocator, trm_messages *messages,
                                    trm_model **model);
TRM_API void trm_model_destroy(trm_model *model);

/* Returns the name of the model, "" if it has none. */
TRM_API const char *trm_model_name(const trm_model *model);
/* Returns the gravity of the model in m/s^2, world axes. */
TRM_API trm_vec3 trm_model_gravity(const trm_model *model);
/* Returns the simulation options of the model. */
TRM_API const trm_simulation_def *trm_model_simulation(const trm_model *model);

/* Bodies are numbered from 0, which is the ground; -1 means no such name. */
TRM_API int trm_body_count(const trm_model *model);
TRM_API int trm_find_body(const trm_model *model, const char *name);

typedef struct trm_body_info {
    const char *name;
    trm_body_kind kind; /* never TRM_BODY_ROD: a rod has become a rigid body */
    double mass;        /* kg; 0 for fixed and moving bodies */
    trm_vec3 moments;   /* kg m^2, principal, as raised where they were too small */
    trm_pose principal; /* centre of mass and principal axes in the body frame */
    int point_count;
    const trm_named_point *points;
} trm_body_info;

/* Returns a description of a body; its texts belong to the model. */
TRM_API trm_body_info trm_body_info_of(const trm_model *model, int body);

/* The frame "BODY", or "BODY.POINT" of a named point or frame: its body, and its pose in the body frame. Returns false if there is none. */
TRM_API bool trm_find_frame(const trm_model *model, const char *name, int *body, trm_pose *frame);

/* Joints: those of "joints", then the drives of "forces". */
TRM_API int trm_joint_count(const trm_model *model);
TRM_API int trm_find_joint(const trm_model *model, const char *name);

typedef struct trm_joint_info {
    const char *name, *type;
    trm_place place;
    int rows, coordinates;
    int body_count;
    int bodies[TRM_JOINT_BODIES];
    const char *row_names[TRM_JOINT_ROWS];
    double limits[TRM_JOINT_COORDINATES][2];    /* m or rad; -inf, inf: none */
    double effort[TRM_JOINT_COORDINATES];       /* N or N m; inf: not given */
    double max_velocity[TRM_JOINT_COORDINATES]; /* m/s or rad/s; inf: not given */
} trm_joint_info;

/* Returns a description of a joint; its texts belong to the model. */
TRM_API trm_joint_info trm_joint_info_of(const trm_model *model, int joint);

/* Inputs, in the order of their definitions; -1 means no such name. */
TRM_API int trm_input_count(const trm_model *model);
TRM_API int trm_find_input(const trm_model *model, const char *name);
TRM_API trm_input_def trm_input_info_of(const trm_model *model, int input);

/* Functions of time that trm_sim_set replaces by a number: "s1.target" of a servo, "m1.velocity" of a motor, "a1.value" of an actuator or
 * effort, of those that have a name; -1 means no such name. */
TRM_API int trm_setting_count(const trm_model *model);
TRM_API int trm_find_setting(const trm_model *model, const char *name);
typedef struct trm_setting_info {
    const char *name; /* "s1.target" */
    const char *unit; /* "rad", "m/s", "N m", ... */
    double range
        [2]; /* that limits, greatest velocity and effort of the joint, or the range of the element, leave; -inf, inf: all */
} trm_setting_info;

/* Returns a description of a setting; its texts belong to the model. */
TRM_API trm_setting_info trm_setting_info_of(const trm_model *model, int setting);

/* Poses, in the order of their definitions; -1 means no such name. */
TRM_API int trm_pose_count(const trm_model *model);
TRM_API int trm_find_pose(const trm_model *model, const char *name);
TRM_API const char *trm_pose_name(const trm_model *model, int pose);

/* How far a joint is open, or how fast it opens. */
typedef struct trm_gap {
    double position; /* m or m/s */
    double angle;    /* rad or rad/s */
} trm_gap;

TRM_API int trm_force_count(const trm_model *model); /* gravity counts once per body */

/* Sensors, in the order of their definitions; -1 means no such name. */
TRM_API int trm_sensor_count(const trm_model *model);
TRM_API int trm_find_sensor(const trm_model *model, const char *name);
TRM_API const char *trm_sensor_name(const trm_model *model, int sensor);

/* ---- Point masses ------------------------------------------------------------------------- */

/* How a rigid body is made of point masses (docs/points.md). */
typedef enum trm_point_layout {
    TRM_POINTS_EIGHT, /* eight images of each reference point, and eight points that carry the rest */
    TRM_POINTS_SIX,   /* the reference points alone, and six points on axes that carry the rest */
} trm_point_layout;

typedef struct trm_point_counts {
    int points;    /* of a body, those that it shares with others counted in each */
    int distances; /* that were added to hold them */
} trm_point_counts;

/* The machine of point masses and distances that moves as this one of rigid bodies, points, ball, hinge and distance
 * joints under gravity. All else is refused, with a message for each element. counts: one per body, or NULL. The
 * caller destroys the definition, which does not need the model any more; on failure it is NULL. */
TRM_API trm_status trm_to_points(const trm_model *model, trm_point_layout layout, const trm_allocator *allocator,
                                 trm_messages *messages, trm_point_counts *counts, trm_model_def **points);

/* The names of all joint types, force types and so on, in the order of their lists; NULL after the last. */
TRM_API const char *trm_joint_type_name(int index);
TRM_API const char *trm_force_type_name(int index);

#ifdef __cplusplus
}
#endif

#endif
