/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A random machine: bodies, joints and forces about 1 m, 1 kg and 1 s large, as a family draws them.
 *
 * Everything is stored as definitions of the library (trammel/model.h). Functions of time are waves
 *
 *     f(t) = mean + size sin(rate t + phase)
 *
* so that they can be scaled like every other quantity. A machine is never run directly: machine_build makes a definition of
 * it as a view shows it (view.h), without the parts that the reducer has removed. */

#ifndef TORTURE_MACHINE_H
#define TORTURE_MACHINE_H

#include "base/random.h"
#include "trammel/trammel.h"

enum {
    MOST_BODIES = 64,
    MOST_JOINTS = 128,
    MOST_FORCES = 64,
    MOST_CONTACTS = 8,
    MOST_SHAPES = 2,
    MOST_CORNERS = 25,
    MOST_TRIANGLES = 32,
    MOST_COORDINATES = 4, /* of one joint */
    GROUND = -1,          /* as a body index */
};

typedef struct wave {
    double mean, size; /* in the unit of the function */
    double rate;       /* rad/s */
    double phase;      /* rad */
} wave;

typedef struct machine_body {
    char name[16];
    trm_body_def def;
    trm_shape_def shapes[MOST_SHAPES];
    trm_vec3 corners[MOST_CORNERS]; /* of a hull or a mesh */
    int triangles[MOST_TRIANGLES][3];
    wave moving[4]; /* position x, y, z [m] and angle [rad] of a moving body */
} machine_body;

typedef struct machine_joint {
    char name[16];
    trm_joint_def def;
    wave motion; /* of a drive [m, rad] or velocity of a motor [m/s, rad/s] */
    int bodies[2];
    int hosts[2];       /* joints that a drive, motor (the first) or gear acts on; -1: none */
    trm_vec3 knots[12]; /* of a curve through points */
    trm_coordinate_def coordinates[MOST_COORDINATES]; /* of a joint with several */
    trm_term_def terms[TRM_TERMS];                    /* of a coupling */
    int term_hosts[TRM_TERMS];
    double polynomials[TRM_TERMS][2];
} machine_joint;

typedef struct machine_force {
    char name[16];
    trm_force_def def;
    wave value[3];
    wave target;
    int bodies[2]; /* GROUND - 1: not used */
    int host;      /* joint; -1: none */
} machine_force;

typedef struct machine_contact {
    trm_contact_def def;
    int bodies[2];
    double speeds[2], mus[2]; /* of a friction table */
} machine_contact;

typedef struct machine {
    trm_random random;
    char name[64];
    trm_vec3 gravity; /* m/s^2 */
    double friction, restitution;
    machine_body bodies[MOST_BODIES];
    machine_joint joints[MOST_JOINTS];
    machine_force forces[MOST_FORCES];
    machine_contact contacts[MOST_CONTACTS];
    int body_count, joint_count, force_count, contact_count;
    trm_simulation_def
        simulation;      /* step and time in seconds of the unscaled machine; tolerances in metres as they are run */
    double length, mass; /* the scale at which it is run: metres per metre, kilograms per kilogram */
} machine;

/* ---- Drawing ------------------------------------------------------------------------------ */

double draw_between(machine *m, double lo, double hi);
double draw_log(machine *m, double lo, double hi); /* evenly in the logarithm */
int draw_below(machine *m, int count);             /* 0 .. count - 1 */
bool draw_chance(machine *m, double share);
trm_vec3 draw_vector(machine *m, double size); /* in a cube */
trm_vec3 draw_direction(machine *m);
trm_vec3 draw_perpendicular(machine *m, trm_vec3 axis);
trm_quat draw_rotation(machine *m);
wave draw_wave(machine *m, double size);
#define DRAW_WORD(m, words) ((words)[draw_below(m, (int)(sizeof(words) / sizeof *(words)))])

/* ---- Adding: all return the index ---------------------------------------------------------- */

/* Adds a rigid body at rest with the moments of a box about its centre of mass, which is not at its origin. */
int add_rigid(machine *m, trm_pose pose, double mass, double size);
int add_point(machine *m, trm_vec3 position, double mass);
int add_fixed(machine *m, trm_pose pose);
int add_moving(machine *m, trm_vec3 position, double size); /* sways by size [m] */

/* Adds another shape to a body, and its density [kg/m^3] for a rigid body without mass. */
void add_shape(machine *m, int body, trm_shape_def shape, double density);

/* Adds a joint that is closed at the current poses: anchor and axis are in world coordinates. */
int add_joint(machine *m, const char *type, int a, int b, trm_vec3 anchor, trm_vec3 axis);
int add_distance(machine *m, int a, int b, trm_vec3 at_a, trm_vec3 at_b); /* anchors in body frames */
int add_gear(machine *m, int first, int second, double ratio);
int add_drive(machine *m, int host, wave motion);
int add_motor(machine *m, int host, wave velocity, double most);

/* Adds a coupling of joints without terms; then its terms, each with a factor, or as 2 factors of q and q^2. */
int add_coupling(machine *m);
void add_term(machine *m, int coupling, int host, double factor, double square);

/* Gives a joint another coordinate that takes limits and forces; returns its definition. */
trm_coordinate_def *add_coordinate(machine *m, int joint);

int add_force(machine *m, const char *type); /* then set what it acts on */
int add_contact(machine *m, int a, int b);

/* Returns whether a joint has one coordinate on which forces, limits and gears can act, and whether it is an
 * angle. */
bool has_coordinate(const machine_joint *joint);
bool is_angle(const machine_joint *joint);

/* Returns whether coordinate k of a joint, from 0, is an angle. */
bool turns(const machine_joint *joint, int k);

trm_pose pose_of(const machine *m, int body); /* of the body frame; the identity of GROUND */
trm_vec3 to_body(const machine *m, int body, trm_vec3 world);

/* ---- Parts that the reducer may remove ----------------------------------------------------- */

typedef enum part_kind {
    PART_BODY,
    PART_JOINT,
    PART_FORCE,
    PART_CONTACT,
    PART_LIMITS,   /* of a joint */
    PART_FRICTION, /* of a joint */
    PART_VELOCITY, /* of a body */
    PART_SHAPES,   /* of a body */
    PART_KINDS
} part_kind;

enum { MOST_PARTS = 4 * MOST_BODIES + 3 * MOST_JOINTS + MOST_FORCES + MOST_CONTACTS };

typedef struct part {
    part_kind kind;
    int index;
} part;

int list_parts(const machine *m, part *parts); /* all that a machine has; returns how many */

/* Removed parts; all bytes are zero if nothing is removed. */
typedef struct removed {
    bool body[MOST_BODIES], joint[MOST_JOINTS], force[MOST_FORCES], contact[MOST_CONTACTS];
    bool limits[MOST_JOINTS], friction[MOST_JOINTS], velocity[MOST_BODIES], shapes[MOST_BODIES];
    double time; /* the share of the run that is left out, from its end */
} removed;

bool *part_flag(removed *r, part p);

#endif
