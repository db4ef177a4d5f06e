/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The force contract: a force describes itself and never sees a method.
 *
 * A force type is one file in forces/ and one line in forces/list.h. Given the attachment frames of its one or two
 * bodies, their twists and the time it tells
 *
 *     wrench      on each body: torque about its centre of mass, force; world axes
 *     potential   energy, J; the wrench that it accounts for is conservative
 *     power       of all that the potential does not account for, W: what the energy balance counts as work
 *     row         for a force that acts along one row as  -(stiffness c + damping dc/dt):  c, J with dc/dt = J V, and
 *                 the two numbers, so that a method can apply it implicitly
 *
 * tests/unit/forces.c checks every entry of the list: wrench against the gradient of the potential, power against
 * wrench times velocity, row against wrench. */

#ifndef TRM_MODEL_FORCE_H
#define TRM_MODEL_FORCE_H

#include "math/function.h"
#include "model/joint.h"
#include "trammel/model.h"

typedef struct trm_force trm_force;

typedef struct trm_force_at {
    const trm_force *force;
    trm_pose X[2];    /* the attachment frame that each body carries, in the world */
    trm_vec3 r[2];    /* from the body's centre of mass to the origin of that frame, world axes */
    trm_spatial V[2]; /* twist of the body: angular velocity, velocity of its centre of mass */
    double t;
    const double *memory; /* of the joint that it acts on; NULL: none */
} trm_force_at;

typedef struct trm_force_row {
    trm_spatial J[2];
    double c;         /* elongation, m or rad */
    double stiffness; /* N/m or N m */
    double damping;   /* N s/m or N m s */
} trm_force_row;

/* Keys of the model file that a type takes. */
typedef enum trm_force_takes {
    TRM_FORCE_TAKES_BODIES = 1 << 0, /* "bodies", "anchors" */
    TRM_FORCE_TAKES_SPRING = 1 << 1, /* "rest", "stiffness", "damping", "implicit" */
    TRM_FORCE_TAKES_BODY = 1 << 2,   /* "body" */
    TRM_FORCE_TAKES_POINT = 1 << 3,  /* "at" */
    TRM_FORCE_TAKES_VECTOR = 1 << 4, /* "value", "frame" */
} trm_force_takes;

typedef struct trm_force_type {
    const char *name;
    const char *what; /* for people */
    unsigned takes;   /* trm_force_takes */
    int bodies;       /* 1 or 2 */
    bool points;      /* works on point masses too */
    bool built_in;    /* made by the model itself (gravity), not named in files */
    bool of_velocity; /* the wrench depends on velocities */
    void (*wrench)(const trm_force_at *at, trm_spatial *F);
    double (*potential)(const trm_force_at *at);             /* NULL: none */
    double (*power)(const trm_force_at *at);                 /* NULL: none */
    void (*row)(const trm_force_at *at, trm_force_row *row); /* NULL: not along one row */
} trm_force_type;

/* One force of a model. */
struct trm_force {
    const char *name; /* may be NULL */
    trm_place source;
    const trm_force_type *type;
    const trm_joint *host; /* the joint on whose coordinate it acts, whose bodies and frames it has; NULL: none */
    int body[2];
    trm_pose frame[2]; /* attachment in the principal frame of each body; axes: the user's body frame */
    double rest, stiffness, damping;
    bool implicit;
    const trm_function *value[3];
    bool in_body_frame;
    trm_vec3 weight; /* N: gravity */
};

#define TRM_FORCE_TYPE(name) extern const trm_force_type trm_force_##name;
#include "model/forces/list.h"
#undef TRM_FORCE_TYPE

int trm_force_type_count(void);
const trm_force_type *trm_force_type_at(int index);
const trm_force_type *trm_find_force_type(const char *name); /* NULL: no such type in files */

/* Whether this force, as it is set, depends on velocities; and whether it does work that no potential accounts for. */
bool trm_force_depends_on_velocity(const trm_force *force);
bool trm_force_does_work(const trm_force *force);

double trm_force_potential(const trm_force_at *at);
double trm_force_power(const trm_force_at *at);

/* "value" at the time, in world axes. */
trm_vec3 trm_force_value(const trm_force_at *at);

#endif
