/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The model: bodies, joints, forces, contacts, events and sensors.
 *
 * Plain structs define a model, one per element. Their fields correspond to the keys of the model file
 * (docs/model-format.md). trm_model_create checks all structs, reports every error that it finds, and builds the
 * model, which never changes afterwards. The file reader fills the same structs (io.h).
 *
 *     trm_model_def *def = trm_model_def_create(NULL);
 *     trm_body_def rod = trm_default_body_def();
 *     rod.name = "rod";
 *     rod.mass = 1;
 *     ...
 *     trm_add_body(def, &rod);
 *
 * Units are SI, angles are in radians. NULL for texts and NAN for numbers mean "not given". Texts and arrays are
 * borrowed: they must stay valid until trm_model_create has returned. */

#ifndef TRAMMEL_MODEL_H
#define TRAMMEL_MODEL_H

#include "trammel/base.h"
#include "trammel/function.h"
#include "trammel/vecmath.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Inputs ------------------------------------------------------------------------------- */

/* A number that functions of time may use by its name and that the caller sets between steps. */
typedef struct trm_input_def {
    trm_place place;
    const char *name;
    double range[2]; /* lowest and highest value: others are clipped; -inf, inf: no bounds */
    double start;    /* initial value */
    /* Prescribed motions may use it (default: false). The caller then must not set it so that one of them jumps. */
    bool in_motions;
} trm_input_def;

/* Returns a definition with all defaults. */
static inline trm_input_def trm_default_input_def(void)
{
    trm_input_def def;
    trm_set_defaults(TRM_DEF_INPUT, &def, sizeof def);
    return def;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

/* A shape of a body: for contacts, for pictures, and for mass by its density. Each type uses some of the fields
 * (docs/model-format.md). */
typedef struct trm_shape_def {
    trm_place place;
    const char *type;       /* "sphere" "box" "capsule" "cylinder" "ellipsoid" "hull" "plane" "mesh" */
    double radius;          /* sphere, capsule, cylinder: radius, m */
    double length;          /* capsule, cylinder: length along z, m; a capsule's caps are not included */
    trm_vec3 size;          /* box, ellipsoid: full lengths, m */
    const trm_vec3 *points; /* hull, mesh: vertices, m */
    int point_count;
    const int (*triangles)[3]; /* mesh: indices of points, counter-clockwise seen from outside */
    int triangle_count;
    const char *file;     /* file of the mesh; NULL: given by points and triangles only */
    trm_vec3 scale;       /* scale factors of the mesh along its axes; negative ones mirror it */
    trm_vec3 normal;      /* plane: normal; points x with normal . x <= offset are solid */
    double offset;        /* plane: distance from the origin along the normal, m */
    trm_vec3 position;    /* origin of the shape's frame in the body frame, m */
    trm_quat orientation; /* of the shape's frame in the body frame */
    double density;       /* kg/m^3 */
    double friction;      /* coefficient of Coulomb friction; NAN: the model's default */
    double restitution;   /* 0 no bounce .. 1 elastic; NAN: the model's default */
    double rolling;       /* lever arm of rolling friction, m */
    double torsional;     /* lever arm of torsional friction, m */
    bool collide;         /* the shape takes part in contacts */
    double group;         /* groups that the shape belongs to, bits of a whole number (default: 1) */
    double mask;          /* groups that the shape collides with, bits of a whole number (default: 1) */
    bool hidden;          /* the shape is not drawn */
    const char *color;    /* "#rrggbb" */
    const char
        *combine;    /* friction of a pair: "geometric" mean, "min" or "max" of both shapes (default: geometric) */
    double priority; /* the friction of a pair is that of the shape of higher priority (default: 0) */
} trm_shape_def;

/* Returns a definition with all defaults. */
static inline trm_shape_def trm_default_shape_def(void)
{
    trm_shape_def def;
    trm_set_defaults(TRM_DEF_SHAPE, &def, sizeof def);
    return def;
}

/* ---- Bodies ------------------------------------------------------------------------------- */

/* How a body can move. */
typedef enum trm_body_kind {
    TRM_BODY_RIGID,  /* six degrees of freedom */
    TRM_BODY_POINT,  /* point mass: three degrees of freedom */
    TRM_BODY_FIXED,  /* does not move */
    TRM_BODY_MOVING, /* prescribed motion, infinite mass */
    TRM_BODY_ROD,    /* rigid body given as a uniform solid rod */
} trm_body_kind;

/* A point of a body that has a name; among `axes` of a body, a direction. */
typedef struct trm_named_point {
    const char *name;
    trm_vec3 position; /* m, in the body frame */
} trm_named_point;

/* A point with an orientation. NAME also denotes its origin as a named point; NAME_x, NAME_y and NAME_z denote its
 * axes. */
typedef struct trm_named_frame {
    const char *name;
    trm_vec3 position;    /* m, in the body frame */
    trm_quat orientation; /* in the body frame */
    const char *parent;   /* BODY, BODY.POINT or JOINT in whose frame at the start both are; NULL: the body frame */
} trm_named_frame;

/* A uniform solid rod. The origin of its body frame is its middle; the x axis points from `from` to `to`. */
typedef struct trm_rod_def {
    trm_vec3 from, to; /* end points at the start, world, m */
    double mass;       /* kg */
    double radius;     /* m; 0: slender rod */
} trm_rod_def;

/* The prescribed motion of a body, as functions of time. */
typedef struct trm_motion_def {
    trm_function_def position[3]; /* origin of the body frame, world, m */
    trm_function_def angle;       /* rotation about axis, rad */
    trm_vec3 axis;                /* axis of rotation, world */
} trm_motion_def;

/* One of several point masses that together form a rigid body. */
typedef struct trm_point_mass_def {
    trm_place place;
    double mass;       /* kg */
    trm_vec3 position; /* m, in the body frame */
} trm_point_mass_def;

/* A body. Its frame is where the caller places it; the centre of mass need not be its origin. */
typedef struct trm_body_def {
    trm_place place;
    const char *name;
    trm_body_kind kind;
    /* kg; 0: the density of the shapes gives mass, com and inertia. With a mass but no inertia, the mass is
     * distributed over the shapes. */
    double mass;
    const trm_point_mass_def *masses; /* rigidly connected point masses, which give mass, com and inertia */
    int mass_count;
    double inertia[6];       /* kg m^2, xx yy zz xy xz yz, about the centre of mass, body axes; NAN: not given */
    bool impossible_inertia; /* accept moments of which one exceeds the sum of the other two */
    trm_vec3 com;            /* centre of mass in the body frame, m; NAN: not given, the origin */
    /* "BODY", "BODY.POINT" or "JOINT": position, orientation and the ends of a rod are in its frame at the start;
     * NULL: world. */
    const char *parent;
    trm_vec3 position;         /* origin of the body frame at the start, m, world unless parent is given */
    trm_quat orientation;      /* of the body frame at the start; a rod only turns about its own axis with it */
    trm_vec3 velocity;         /* velocity of the body frame's origin at the start, m/s, world */
    trm_vec3 angular_velocity; /* at the start, rad/s, world */
    double gravity_factor;     /* multiplies the model's gravity (default: 1); 0: weightless */
    trm_rod_def rod;           /* TRM_BODY_ROD: the rod */
    trm_motion_def moving;     /* TRM_BODY_MOVING: the prescribed motion */
    const trm_named_frame *frames;
    int frame_count;
    const trm_named_point *points;
    int point_count;
    const trm_named_point *axes; /* directions in the body frame, of any length */
    int axis_count;
    const trm_shape_def *shapes;
    int shape_count;
    size_t shape_size;     /* bytes of each of these shapes; trm_default_body_def sets it */
    const char *subsystem; /* name of the subsystem that the body belongs to, for the method `subsystem` */
} trm_body_def;

/* Returns a definition with all defaults. */
static inline trm_body_def trm_default_body_def(void)
{
    trm_body_def def;
    trm_set_defaults(TRM_DEF_BODY, &def, sizeof def);
    def.shape_size = sizeof(trm_shape_def);
    return def;
}

/* ---- Joints ------------------------------------------------------------------------------- */

enum { TRM_JOINT_BODIES = 8, TRM_JOINT_COORDINATES = 6, TRM_JOINT_ROWS = 6 };

/* A sphere, cylinder, torus, circle or helix, in the world at the start. Each kind uses only some of the fields. */
typedef struct trm_round_def {
    trm_vec3 origin;     /* centre, m */
    trm_vec3 axis;       /* all but a sphere: direction of the axis, of any length */
    double radius;       /* all but a torus: radius, m */
    double pitch;        /* helix: advance, m per turn, right-handed if positive */
    double major, minor; /* torus: from the axis to the core and from the core to the surface, m */
} trm_round_def;

/* The curve of a joint: exactly one of points, circle and helix is given. */
typedef struct trm_curve_def {
    const trm_vec3 *points; /* points of a cubic spline, in the frame of the first body, m */
    int point_count;
    bool closed; /* the spline returns to its first point */
    trm_round_def circle, helix;
} trm_curve_def;

/* The surface of a joint: exactly one of these is given. */
typedef struct trm_surface_def {
    trm_round_def sphere, cylinder, torus;
} trm_surface_def;

/* Limits, friction, spring, damper and rotor of one coordinate of a joint with several coordinates. For a joint
 * with one coordinate, trm_joint_def has the same fields. */
typedef struct trm_coordinate_def {
    trm_place place;
    const char *type; /* link of a chain only: "hinge" or "slider" */
    trm_vec3 anchor;  /* link of a chain only: a point of the hinge's axis at the start, world, m; NAN: not given */
    trm_vec3 axis;    /* link of a chain only: axis at the start, world, any length; NAN: not given */
    double limits[2]; /* lower and upper stop, m or rad */
    double limit_restitution; /* coefficient of restitution at a stop, 0 .. 1 */
    double friction;          /* Coulomb friction, N or N m */
    double mu;              /* additional friction: mu times the joint force perpendicular to the axis (default: 0) */
    double radius;          /* angular coordinate: radius at which the friction of mu acts (journal bearing), m */
    double static_friction; /* friction at rest (Stribeck), N or N m; NAN: equal to friction */
    double stribeck_velocity; /* speed at which static_friction - friction has fallen to 1/e, m/s or rad/s */
    double stiffness;         /* stiffness of a spring on the coordinate, N/m or N m/rad */
    double spring_reference;  /* coordinate at which that spring has no force, m or rad */
    double damping;           /* viscous damping, N s/m or N m s/rad */
    double armature;          /* reflected inertia of a rotor that moves with the coordinate, kg or kg m^2 */
    double effort;            /* rated force, stored for controllers, N or N m; inf: none */
    double max_velocity;      /* rated speed, stored for controllers, m/s or rad/s; inf: none */
} trm_coordinate_def;

/* Returns a definition with all defaults. */
static inline trm_coordinate_def trm_default_coordinate_def(void)
{
    trm_coordinate_def def;
    trm_set_defaults(TRM_DEF_COORDINATE, &def, sizeof def);
    return def;
}

enum { TRM_TERMS = 4, TRM_TERM_DEGREE = 6 }; /* largest number of terms of a coupling, and of their degree */

/* One term of a coupling, as a function of a coordinate q: factor q, or a_1 q + a_2 q^2 + ... */
typedef struct trm_term_def {
    trm_place place;
    const char *joint;        /* name of the joint that has the coordinate */
    double coordinate;        /* number of the coordinate in that joint, from 1; NAN: the joint has only one */
    double factor;            /* used if no polynomial is given */
    const double *polynomial; /* a_1, a_2, ...; NULL: not given */
    int polynomial_count;
} trm_term_def;

/* Returns a definition with all defaults. */
static inline trm_term_def trm_default_term_def(void)
{
    trm_term_def def;
    trm_set_defaults(TRM_DEF_TERM, &def, sizeof def);
    return def;
}

/* A joint. Each type uses some of the fields (docs/joints.md); trm_model_create reports a required field that is
 * missing. */
typedef struct trm_joint_def {
    trm_place place;
    const char *name;
    const char *type;         /* "ball" "hinge" "slider" ...: trm_joint_type_name returns them all */
    const char *bodies[2];    /* names of the two bodies; "ground" always exists */
    trm_vec3 anchor;          /* position of the joint at the start, world, m */
    trm_vec3 axis, axis2;     /* axes at the start, world, any length */
    trm_vec3 anchors[2];      /* instead of anchor: in the frames of the two bodies, m */
    trm_vec3 axes[2];         /* instead of axis (and axis2): in the frames of the two bodies */
    double length;            /* distance joint: length, m */
    bool rope;                /* distance joint: the distance is at most length */
    trm_curve_def curve;      /* curve joint: the curve, carried by the first body */
    trm_surface_def surface;  /* surface joint: the surface, carried by the first body */
    double pitch;             /* screw joint: advance, m per radian */
    double q0[6];             /* values of the coordinates at the start, TRM_JOINT_COORDINATES numbers, m or rad */
    double limits[2];         /* lower and upper stop of the coordinate, m or rad */
    double limit_restitution; /* coefficient of restitution at a stop or when a rope becomes taut, 0 .. 1 */
    double friction;          /* Coulomb friction of the coordinate, N or N m */
    double mu;              /* additional friction: mu times the joint force perpendicular to the axis (default: 0) */
    double radius;          /* angular coordinate: radius at which the friction of mu acts (journal bearing), m */
    double static_friction; /* friction at rest (Stribeck), N or N m; NAN: equal to friction */
    double stribeck_velocity; /* speed at which static_friction - friction has fallen to 1/e, m/s or rad/s */
    double stiffness;         /* stiffness of a spring on the coordinate, N/m or N m/rad */
    double spring_reference;  /* coordinate at which that spring has no force, m or rad */
    double damping;           /* viscous damping of the coordinate, N s/m or N m s/rad */
    double armature;          /* reflected inertia of a rotor that moves with the coordinate, kg or kg m^2 */
    double effort;            /* rated force, stored for controllers, N or N m; inf: none */
    double max_velocity;      /* rated speed, stored for controllers, m/s or rad/s; inf: none */
    double wrap;              /* coupling with mu: angle of the rope around its pulley, rad */
    const trm_coordinate_def *coordinates; /* joint with several coordinates: one each; chain: its links */
    int coordinate_count;
    size_t coordinate_size;    /* bytes of each of these coordinates; trm_default_joint_def sets it */
    const trm_term_def *terms; /* coupling: its terms */
    int term_count;
    size_t term_size;          /* bytes of each of these terms; trm_default_joint_def sets it */
    double break_force;        /* force above which the joint breaks, N */
    double break_torque;       /* torque above which the joint breaks, N m */
    double erp;                /* method lcp: fraction of a gap closed in a step, 0 .. 1; NAN: the method's */
    double cfm;                /* method lcp: compliance of a row, (m/s)/N or (rad/s)/(N m); NAN: the method's */
    double spring_stiffness;   /* stiffness of compliant rows, N/m or N m/rad; NAN: the rows are rigid */
    double spring_damping;     /* damping of compliant rows, N s/m or N m s/rad; NAN: 0 */
    bool attached;             /* the joint is attached at the start */
    const char *align;         /* fixed joint: keeps the relative pose of the "start", or of its attachment: "now" */
    bool collide;              /* the two bodies collide with each other */
    const char *joint;         /* drive, motor: name of the joint whose coordinate is driven */
    double coordinate;         /* drive, motor: number of that coordinate, from 1; NAN: the joint has only one */
    trm_function_def motion;   /* drive: the prescribed coordinate, m or rad */
    trm_function_def velocity; /* motor: target rate, m/s or rad/s */
    double max_force;          /* motor: largest force, N or N m; inf: no limit */
    const char *joints[2];     /* gear: names of the two joints whose coordinates it couples */
    double geared[2];          /* gear: numbers of these coordinates, from 1; NAN: the joint has only one */
    double ratio;              /* gear: q1 = ratio q2 + offset; m/rad for a rack q1 and its pinion q2 */
    double offset;      /* gear: offset; coupling: sum of the terms; m or rad as q1; NAN: the value at the start */
    const char *parent; /* BODY, BODY.POINT or JOINT, in whose frame at the start all these are; NULL: world */
    trm_vec3 x_axis;    /* x axis of the joint's frame at the start, not parallel to axis, any length; NAN: any */
} trm_joint_def;

/* Returns a definition with all defaults. */
static inline trm_joint_def trm_default_joint_def(void)
{
    trm_joint_def def;
    trm_set_defaults(TRM_DEF_JOINT, &def, sizeof def);
    def.coordinate_size = sizeof(trm_coordinate_def);
    def.term_size = sizeof(trm_term_def);
    return def;
}

/* The softness of a row J u + (erp/h) c + cfm l = 0, with the velocities u at the end of a step h, the gap c at
 * its start and the force l. The row is equivalent to a spring with a damper, l = -k c - d J u, both at the end of
 * the step. */
typedef struct trm_softness {
    double erp; /* fraction of the gap that is closed in a step, 0 .. 1 */
    double cfm; /* compliance, (m/s)/N or (rad/s)/(N m) */
} trm_softness;

/* The spring and damper that are equivalent to a soft row. */
typedef struct trm_spring_law {
    double stiffness; /* N/m or N m/rad */
    double damping;   /* N s/m or N m s/rad */
} trm_spring_law;

/* Convert stiffness and damping to erp and cfm, and back, for a step [s]. An infinite stiffness gives a rigid row, with
 * erp 1 and cfm 0. For cfm 0 stiffness and damping are infinite. */
TRM_API trm_softness trm_softness_of_spring(double stiffness, double damping, double step);
TRM_API trm_spring_law trm_spring_of_softness(double erp, double cfm, double step);

/* ---- Forces ------------------------------------------------------------------------------- */

/* A force element. Each type uses some of the fields (docs/forces.md). */
typedef struct trm_force_def {
    trm_place place;
    const char *name;      /* may be NULL */
    const char *type;      /* "spring" "force" "torque" "actuator" "torsion" "effort" "servo" "drag" */
    const char *bodies[2]; /* force between two bodies: their names */
    const char *body;      /* force on one body: its name */
    trm_vec3 anchors[2];   /* points where the force acts, in the frames of the two bodies, m */
    const char *joint;     /* force on a joint coordinate: name of the joint */
    double coordinate;     /* number of that coordinate, from 1; NAN: the joint has only one */
    double rest;           /* length without force, m, or coordinate without force, m or rad */
    double stiffness;      /* N/m or N m */
    double damping;        /* N s/m or N m s */
    bool implicit;         /* spring: the same as the treatment "implicit" */
    const char *treatment; /* spring: "explicit" "implicit" "integral" (docs/forces.md); NULL: explicit */
    trm_vec3 at; /* point where a force or drag acts, in the body frame, m; NAN: origin, of drag the centre of mass */
    trm_function_def value[3]; /* N or N m; actuator, effort and servo use only the first */
    bool in_body_frame;        /* true: value is in body axes; false: in world axes */
    trm_function_def target;   /* servo: target of the coordinate, m or rad */
    trm_function_def velocity; /* servo: target rate, m/s or rad/s */
    bool has_velocity;         /* servo: velocity is given; false: the rate of the target is used */
    double gear;               /* effort, servo: they act on gear q, so their force along q is multiplied by gear */
    double range[2];           /* effort: value is clipped to this range, N or N m; -inf, inf: no bounds */
    double kp, kd;             /* servo: gains of position error and rate error, N/m and N s/m, or N m and N m s */
    double max;                /* servo: limit of the force of kp and kd, N or N m; inf: no limit */
    double brake;              /* servo: additional damping of the rate, N s/m or N m s */
    double ki;                 /* servo: gain of the integral of the position error, N/(m s) or N m/s */
    double lag;                /* servo: time constant with which the force follows its command, s; 0: no lag */
    trm_function_def max_law, brake_law; /* max and brake as functions of time, unless they are constants */
    double linear, angular;              /* drag: coefficients of velocity, N s/m, and angular velocity, N m s */
} trm_force_def;

/* Returns a definition with all defaults. */
static inline trm_force_def trm_default_force_def(void)
{
    trm_force_def def;
    trm_set_defaults(TRM_DEF_FORCE, &def, sizeof def);
    return def;
}

/* ---- Contacts, events, sensors, simulation ------------------------------------------------ */

/* Contact properties of a pair of bodies. */
typedef struct trm_contact_def {
    trm_place place;
    const char *bodies[2];
    double friction;      /* coefficient of Coulomb friction; NAN: from the shapes */
    const double *speeds; /* slip speeds of a friction table, m/s, instead of one coefficient; NULL: none */
    const double *mus;    /* friction coefficients at these speeds */
    int speed_count;
    double restitution; /* 0 no bounce .. 1 elastic; NAN: from the shapes */
    double rolling;     /* lever arm of rolling friction, m; NAN: from the shapes */
    double torsional;   /* lever arm of torsional friction, m; NAN: from the shapes */
    const char *law;    /* law of restitution: "poisson" (also NULL) or "stronge" */
} trm_contact_def;

/* Returns a definition with all defaults. */
static inline trm_contact_def trm_default_contact_def(void)
{
    trm_contact_def def;
    trm_set_defaults(TRM_DEF_CONTACT, &def, sizeof def);
    return def;
}

/* A function of time that an event assigns. */
typedef struct trm_setting {
    const char *name; /* what is set: "servo1.target" */
    trm_function_def value;
} trm_setting;

/* An event: when it occurs and what it changes. */
typedef struct trm_event_def {
    trm_place place;
    double at;                   /* time of the event, s; NAN: `when` gives it */
    const char *when;            /* "contact", or a condition that becomes true: "arm.q > 2.1" */
    const char *bodies[2];       /* "contact": the two bodies */
    double delay;                /* from the event until it acts, s */
    const char *attach, *detach; /* names of joints; NULL: none */
    const trm_setting *settings;
    int setting_count;
    bool stop; /* the event ends the run */
    trm_place when_place;
} trm_event_def;

/* Returns a definition with all defaults. */
static inline trm_event_def trm_default_event_def(void)
{
    trm_event_def def;
    trm_set_defaults(TRM_DEF_EVENT, &def, sizeof def);
    return def;
}

/* A number or a pose that is computed from other quantities and has its own result column. */
typedef struct trm_output_def {
    trm_place place;
    const char *name;
    const char *value;   /* number: an expression of quantities, "atan2(hub.up.y, hub.up.z)" */
    const char *of, *in; /* pose: of the frame `of` in the frame `in`, each "BODY" or "BODY.POINT" */
    const char *unit;    /* unit, for display only */
} trm_output_def;

/* Returns a definition with all defaults. */
static inline trm_output_def trm_default_output_def(void)
{
    trm_output_def def;
    trm_set_defaults(TRM_DEF_OUTPUT, &def, sizeof def);
    return def;
}

enum { TRM_SENSOR_NUMBERS = 6 }; /* largest number of values of a sensor */

/* A sensor: a quantity that is sampled at its own rate, with noise. Each type uses some of the fields
 * (docs/model-format.md). */
typedef struct trm_sensor_def {
    trm_place place;
    const char *name;
    const char *type;         /* "accelerometer" "gyro" "angle" "rate" "force" "distance" "contact" */
    const char *body, *joint; /* body: BODY, or BODY.POINT of a point or frame */
    double coordinate;        /* angle, rate: number of the joint's coordinate, from 1; NAN: the joint has only one */
    const char *bodies[2];
    trm_vec3 at;          /* accelerometer, gyro: position in the frame of the body or point, m */
    trm_quat orientation; /* accelerometer, gyro: its axes in that frame */
    trm_vec3 anchors[2];  /* distance: points in the frames of the bodies or points, m; NAN: their origins */
    double rate;          /* sampling rate, Hz; 0: every step */
    double noise;         /* standard deviation of the noise, in the sensor's unit */
} trm_sensor_def;

/* Returns a definition with all defaults. */
static inline trm_sensor_def trm_default_sensor_def(void)
{
    trm_sensor_def def;
    trm_set_defaults(TRM_DEF_SENSOR, &def, sizeof def);
    return def;
}

/* One option of one method, as in the model file. Exactly one of text and number is given. */
typedef struct trm_option {
    const char *method, *name;
    const char *text;
    double number;
} trm_option;

/* Coordinates of one joint in a named pose; NAN: the value at the start. */
typedef struct trm_joint_value {
    const char *joint;
    double q[TRM_JOINT_COORDINATES]; /* m or rad */
} trm_joint_value;

/* A named pose of the machine. Joints, bodies and inputs that it does not list keep their values of the start. */
typedef struct trm_pose_def {
    trm_place place;
    const char *name;
    const trm_joint_value *values;
    int value_count;
    const trm_named_frame *bodies; /* frames in the world of bodies that no joint carries */
    int body_count;
    const trm_constant *inputs;
    int input_count;
} trm_pose_def;

/* Simulation options of the model. The command line of `trammel run` may override them. */
typedef struct trm_simulation_def {
    trm_place place;
    const char *start;  /* name of the initial pose; NULL: the poses of the bodies as defined */
    const char *method; /* "impulse"; "auto" chooses one for the error (trm_sim_automatic_choice) */
    const char *solver; /* "direct" "iterative" "hierarchy" */
    double step;        /* length of a step, s */
    double time;        /* duration of the run, s */
    double order;       /* order of the method: 2, 4, 6 or 8 */
    const char *scheme; /* "composition" "extrapolation" "auto" (composition unless a force depends on velocities) */
    double position_tolerance; /* D_max, m; NAN: by the order, 1e-10 at order 2 (docs/impulse.md) */
    double angle_tolerance;    /* D_max of angles, rad; NAN: by the order */
    double velocity_tolerance; /* V_max, m/s and rad/s; NAN: by the order */
    double error;              /* requested error, which controls the step; NAN: fixed step */
    const char *impact;        /* "event" "window" "auto" */
    bool simultaneous;         /* closed contacts whose bodies do not approach take part in impacts, too */
    const char *sleep;         /* whether islands at rest sleep: "on" "off" "auto" (on with time-stepping) */
    double every;              /* interval of result rows, s; NAN: every step */
    const trm_option *options;
    int option_count;
} trm_simulation_def;

/* Returns a definition with all defaults. */
static inline trm_simulation_def trm_default_simulation_def(void)
{
    trm_simulation_def def;
    trm_set_defaults(TRM_DEF_SIMULATION, &def, sizeof def);
    return def;
}

/* ---- The whole definition ----------------------------------------------------------------- */

/* Two bodies that do not collide. */
typedef struct trm_body_pair {
    const char *bodies[2];
    trm_place place;
} trm_body_pair;

/* The definition of a model: lists of all elements. Elements of the lists have the sizes that the library knows: a
 * program that shall run with later patch versions reaches them by trm_def_item instead of an index. */
typedef struct trm_model_def {
    const char *file; /* file that it was read from, for messages; NULL: none */
    const char *name;
    trm_vec3 gravity;   /* m/s^2 */
    double friction;    /* default coefficient of Coulomb friction of shapes */
    double restitution; /* default coefficient of restitution of shapes */
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
    struct trm_arena *arena;       /* memory of the lists */
    trm_simulation_def simulation; /* the last field, for it may grow */
} trm_model_def;

/* Creates an empty definition with all defaults. Returns NULL if out of memory. */
TRM_API trm_model_def *trm_model_def_create(const trm_allocator *allocator);
/* Releases the definition and everything that was added to it. A model that was built from it stays valid. */
TRM_API void trm_model_def_destroy(trm_model_def *def);

/* Add an element. The struct is copied. Its texts and arrays are borrowed: they must stay valid until the model is
 * built. Fail only when out of memory: trm_model_create checks the values. */
TRM_API trm_status trm_add_constant(trm_model_def *def, const char *name, double value);
TRM_API trm_status trm_add_def(trm_model_def *def, trm_def_kind kind, trm_sized element);
static inline trm_status trm_add_input(trm_model_def *def, const trm_input_def *input)
{
    return trm_add_def(def, TRM_DEF_INPUT, trm_with_size(input, sizeof *input));
}
static inline trm_status trm_add_pose(trm_model_def *def, const trm_pose_def *pose)
{
    return trm_add_def(def, TRM_DEF_POSE, trm_with_size(pose, sizeof *pose));
}
static inline trm_status trm_add_body(trm_model_def *def, const trm_body_def *body)
{
    return trm_add_def(def, TRM_DEF_BODY, trm_with_size(body, sizeof *body));
}
static inline trm_status trm_add_joint(trm_model_def *def, const trm_joint_def *joint)
{
    return trm_add_def(def, TRM_DEF_JOINT, trm_with_size(joint, sizeof *joint));
}
static inline trm_status trm_add_force(trm_model_def *def, const trm_force_def *force)
{
    return trm_add_def(def, TRM_DEF_FORCE, trm_with_size(force, sizeof *force));
}
static inline trm_status trm_add_contact(trm_model_def *def, const trm_contact_def *contact)
{
    return trm_add_def(def, TRM_DEF_CONTACT, trm_with_size(contact, sizeof *contact));
}
static inline trm_status trm_add_event(trm_model_def *def, const trm_event_def *event)
{
    return trm_add_def(def, TRM_DEF_EVENT, trm_with_size(event, sizeof *event));
}
static inline trm_status trm_add_sensor(trm_model_def *def, const trm_sensor_def *sensor)
{
    return trm_add_def(def, TRM_DEF_SENSOR, trm_with_size(sensor, sizeof *sensor));
}
static inline trm_status trm_add_output(trm_model_def *def, const trm_output_def *output)
{
    return trm_add_def(def, TRM_DEF_OUTPUT, trm_with_size(output, sizeof *output));
}
/* Excludes two bodies, given by name, from colliding with each other. Fails only when out of memory. */
TRM_API trm_status trm_add_no_collide(trm_model_def *def, const char *first, const char *second);

/* Returns an element of the definition by its kind (TRM_DEF_INPUT to TRM_DEF_OUTPUT) and number from 0, to be cast to
 * its type. It belongs to the definition and is valid until the next element of its kind is added. */
TRM_API void *trm_def_item(const trm_model_def *def, trm_def_kind kind, int index);

/* ---- The model ---------------------------------------------------------------------------- */

/* A checked model. It never changes after it was built, so any number of threads may use it at once. */
typedef struct trm_model trm_model;

/* Checks the definition and builds the model, which the caller destroys. Returns TRM_BAD_INPUT after reporting all
 * errors, or TRM_OUT_OF_MEMORY; then *model is NULL. */
TRM_API trm_status trm_model_create(const trm_model_def *def, const trm_allocator *allocator, trm_messages *messages,
                                    trm_model **model);
/* Releases the model. Its states and simulations must have been destroyed before. */
TRM_API void trm_model_destroy(trm_model *model);

/* Returns the name of the model, "" if it has none. */
TRM_API const char *trm_model_name(const trm_model *model);
/* Returns the gravity of the model in m/s^2, world axes. */
TRM_API trm_vec3 trm_model_gravity(const trm_model *model);
/* Returns the simulation options of the model. */
TRM_API const trm_simulation_def *trm_model_simulation(const trm_model *model);

/* Returns the number of bodies. They are numbered from 0, which is the ground. */
TRM_API int trm_body_count(const trm_model *model);
/* Returns the number of the body with a name, -1 if there is none. */
TRM_API int trm_find_body(const trm_model *model, const char *name);

/* The description of a body. */
typedef struct trm_body_info {
    const char *name;
    trm_body_kind kind; /* never TRM_BODY_ROD: a rod becomes a rigid body */
    double mass;        /* kg; 0 for fixed and moving bodies */
    trm_vec3 moments;   /* principal moments of inertia, kg m^2, after those that were too small were raised */
    trm_pose principal; /* frame of the centre of mass and principal axes, in the body frame, m */
    int point_count;
    const trm_named_point *points;
} trm_body_info;

/* Returns a description of a body; its texts belong to the model. */
TRM_API trm_body_info trm_body_info_of(const trm_model *model, int body);

/* Finds the frame "BODY", "BODY.POINT" of a named point or frame, or "POINT" if only one body has such a point: a link
 * that a fixed joint made part of a body, for example. Sets its body and its pose in the body frame. Returns false if
 * there is no such frame. */
TRM_API bool trm_find_frame(const trm_model *model, const char *name, int *body, trm_pose *frame);

/* Returns the number of joints: those of "joints", then the drives of "forces". */
TRM_API int trm_joint_count(const trm_model *model);
/* Returns the number of the joint with a name, from 0; -1 if there is none. */
TRM_API int trm_find_joint(const trm_model *model, const char *name);

/* The description of a joint. */
typedef struct trm_joint_info {
    const char *name, *type;
    trm_place place;
    int rows, coordinates; /* number of constraint rows and of coordinates */
    int body_count;
    int bodies[TRM_JOINT_BODIES]; /* numbers of its bodies */
    const char *row_names[TRM_JOINT_ROWS];
    double limits[TRM_JOINT_COORDINATES][2];    /* lower and upper stop, m or rad; -inf, inf: none */
    double effort[TRM_JOINT_COORDINATES];       /* rated force, N or N m; inf: not given */
    double max_velocity[TRM_JOINT_COORDINATES]; /* rated speed, m/s or rad/s; inf: not given */
} trm_joint_info;

/* Returns a description of a joint; its texts belong to the model. */
TRM_API trm_joint_info trm_joint_info_of(const trm_model *model, int joint);

/* Returns the number of inputs. They are numbered from 0 in the order of their definitions. */
TRM_API int trm_input_count(const trm_model *model);
/* Returns the number of the input with a name, -1 if there is none. */
TRM_API int trm_find_input(const trm_model *model, const char *name);
/* Gets the definition of an input, as much of it as fits into size bytes; its texts belong to the model. */
TRM_API void trm_input_info_sized(const trm_model *model, int input, trm_input_def *info, size_t size);
/* Returns the definition of an input; its texts belong to the model. */
static inline trm_input_def trm_input_info_of(const trm_model *model, int input)
{
    trm_input_def info;
    trm_input_info_sized(model, input, &info, sizeof info);
    return info;
}

/* Returns the number of settings: functions of time that trm_sim_set replaces by a number. Elements with a name
 * have them: "s1.target" of a servo, "m1.velocity" of a motor, "a1.value" of an actuator or effort. */
TRM_API int trm_setting_count(const trm_model *model);
/* Returns the number of the setting with a name, -1 if there is none. */
TRM_API int trm_find_setting(const trm_model *model, const char *name);
/* The description of a setting. */
typedef struct trm_setting_info {
    const char *name; /* "s1.target" */
    const char *unit; /* "rad", "m/s", "N m", ... */
    /* Values that limits, max_velocity and effort of the joint, or the range of the element, allow; -inf, inf: all. */
    double range[2];
} trm_setting_info;

/* Returns a description of a setting; its texts belong to the model. */
TRM_API trm_setting_info trm_setting_info_of(const trm_model *model, int setting);

/* Returns the number of named poses. They are numbered from 0 in the order of their definitions. */
TRM_API int trm_pose_count(const trm_model *model);
/* Returns the number of the pose with a name, -1 if there is none. */
TRM_API int trm_find_pose(const trm_model *model, const char *name);
/* Returns the name of a pose, which belongs to the model. */
TRM_API const char *trm_pose_name(const trm_model *model, int pose);

/* The constraint error of a joint, in positions or in velocities. */
typedef struct trm_gap {
    double position; /* translational part, m or m/s */
    double angle;    /* rotational part, rad or rad/s */
} trm_gap;

TRM_API int trm_force_count(const trm_model *model); /* returns the number of forces; gravity counts once per body */

/* Returns the number of sensors. They are numbered from 0 in the order of their definitions. */
TRM_API int trm_sensor_count(const trm_model *model);
/* Returns the number of the sensor with a name, -1 if there is none. */
TRM_API int trm_find_sensor(const trm_model *model, const char *name);
/* Returns the name of a sensor, which belongs to the model. */
TRM_API const char *trm_sensor_name(const trm_model *model, int sensor);

/* ---- Point masses ------------------------------------------------------------------------- */

/* How point masses represent a rigid body (docs/points.md). */
typedef enum trm_point_layout {
    TRM_POINTS_EIGHT, /* eight images of each reference point, and eight points that carry the remaining mass */
    TRM_POINTS_SIX,   /* the reference points only, and six points on axes that carry the remaining mass */
} trm_point_layout;

/* Size of the point-mass representation of one body. */
typedef struct trm_point_counts {
    int points;    /* points of the body; a point shared by several bodies counts in each */
    int distances; /* distance joints added to connect these points rigidly */
} trm_point_counts;

/* Makes the definition of a machine of point masses and distance joints that moves as the model does. The model
 * may contain rigid bodies, points, ball, hinge and distance joints, and gravity. counts: one per body, or NULL.
 * The caller destroys the definition *points, which does not refer to the model. Returns TRM_BAD_INPUT after a
 * message for each other element, or TRM_OUT_OF_MEMORY; then *points is NULL. */
TRM_API trm_status trm_to_points(const trm_model *model, trm_point_layout layout, const trm_allocator *allocator,
                                 trm_messages *messages, trm_point_counts *counts, trm_model_def **points);

/* Return the name of a joint type or force type, index from 0; NULL after the last. */
TRM_API const char *trm_joint_type_name(int index);
TRM_API const char *trm_force_type_name(int index);

#ifdef __cplusplus
}
#endif

#endif
