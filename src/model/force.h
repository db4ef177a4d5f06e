/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The force contract: a force describes itself and never sees a method.
 *
 * A force type is one file in forces/ and one line in forces/list.h. From the attachment frames of its bodies, their twists and the time it computes
 *
 *     wrench      on each body: torque about its centre of mass, force; world axes
 *     potential   energy, J; the part of the wrench that it accounts for is conservative
 *     power       W, of all that the potential does not account for; the energy balance counts it as work
 *     rows        the force as a sum of forces along rows, so that a method can apply it implicitly. Along a row with
 *                 elongation c, dc/dt = J V + c_t, the force is
 *                     clamp(push - (stiffness c + damping dc/dt), -most, most) + added - brake J V
 *                 No field of a row depends on velocities. A force that depends on velocities has rows.
 *
 * A force on the coordinate q of a joint, its host, acts with tau along the coordinate's row G: F_b = G_b tau. Its
 * function `along` returns tau and the power for a given q and dq/dt, so that a method with joint coordinates
 * needs neither poses nor G.
 *
 * tests/unit/forces.c checks every entry of the list: wrench against the gradient of the potential, power against
 * wrench times velocity, rows against wrench. */

#ifndef TRM_MODEL_FORCE_H
#define TRM_MODEL_FORCE_H

#include "math/function.h"
#include "model/joint.h"
#include "trammel/model.h"

typedef struct trm_force trm_force;

typedef struct trm_force_at {
    const trm_force *force;
    trm_pose X[TRM_JOINT_BODIES];    /* the attachment frame that each body carries, in the world */
    trm_vec3 r[TRM_JOINT_BODIES];    /* from the body's centre of mass to the origin of that frame, world axes */
    trm_spatial V[TRM_JOINT_BODIES]; /* twist of the body: angular velocity, velocity of its centre of mass */
    double t;
    const double *memory; /* the model's memory, from the host's part on if there is a host; NULL: none */
} trm_force_at;

typedef struct trm_force_row {
    trm_spatial J[TRM_JOINT_BODIES]; /* one per body of the force */
    double c;                        /* elongation, m or rad */
    double c_t;                      /* m/s or rad/s: the part of dc/dt that does not come from velocities */
    double stiffness;                /* N/m or N m */
    double damping;                  /* N s/m or N m s */
    double push;  /* N or N m: given force, which is limited together with those of stiffness and damping */
    double most;  /* N or N m: limit of the sum of push, stiffness and damping force; inf: none */
    double brake; /* N s/m or N m s */
    double added; /* N or N m: force that is not limited */
} trm_force_row;

enum { TRM_FORCE_ROWS = 6 };

/* The effect of a force on its coordinate. */
typedef struct trm_force_along {
    double tau;   /* N or N m */
    double power; /* W: power that the potential does not account for */
} trm_force_along;

/* Keys of the model file that a type accepts. */
typedef enum trm_force_takes {
    TRM_FORCE_TAKES_BODIES = 1 << 0,  /* "bodies", "anchors" */
    TRM_FORCE_TAKES_SPRING = 1 << 1,  /* "rest", "stiffness", "damping", "implicit", "treatment" */
    TRM_FORCE_TAKES_BODY = 1 << 2,    /* "body" */
    TRM_FORCE_TAKES_POINT = 1 << 3,   /* "at" */
    TRM_FORCE_TAKES_VECTOR = 1 << 4,  /* "value", "frame" */
    TRM_FORCE_TAKES_PULL = 1 << 5,    /* "value", of one number */
    TRM_FORCE_TAKES_JOINT = 1 << 6,   /* "joint", the host; two bodies */
    TRM_FORCE_TAKES_TARGET = 1 << 7,  /* "target", "velocity", "kp", "kd", "value", "max", "brake" */
    TRM_FORCE_TAKES_DRAG = 1 << 8,    /* "linear", "angular" */
    TRM_FORCE_TAKES_GEAR = 1 << 9,    /* "gear" */
    TRM_FORCE_TAKES_RANGE = 1 << 10,  /* "range" */
    TRM_FORCE_TAKES_SWIVEL = 1 << 11, /* "bodies", "damping" */
} trm_force_takes;

typedef struct trm_force_type {
    const char *name;
    const char *what; /* description for the user */
    unsigned takes;   /* trm_force_takes */
    int bodies;       /* 1 or 2; a force on the coordinate of a joint acts on all bodies of the joint */
    bool points;      /* works on point masses too */
    bool built_in;    /* created by the model itself (gravity), not named in files */
    bool of_velocity; /* the wrench depends on velocities */
    bool passive;     /* true: it only dissipates (its power is never positive); false: its work counts as input */
    void (*wrench)(const trm_force_at *at, trm_spatial *F);
    double (*potential)(const trm_force_at *at);              /* NULL: none */
    double (*power)(const trm_force_at *at);                  /* NULL: none */
    int (*rows)(const trm_force_at *at, trm_force_row *rows); /* returns the number of rows; NULL: not along rows */
    int memory; /* number of values that a force with `remembers` stores */
    void (*remember)(const trm_force_at *at, double *memory); /* updates them after a step */
    /* Returns tau and power at the host's coordinate q and its rate. Reads only force, t and memory of `at`. NULL:
     * the force does not act along a coordinate. */
    trm_force_along (*along)(const trm_force_at *at, double q, double rate);
} trm_force_type;

/* How the impulse method applies a spring (docs/forces.md). */
typedef enum trm_treatment {
    TRM_TREAT_EXPLICIT, /* force at the ends of a step, order 2 */
    TRM_TREAT_IMPLICIT, /* force at the end of the look-ahead, order 1, stable at any step */
    TRM_TREAT_INTEGRAL, /* integral of the force over the look-ahead, order 2 */
} trm_treatment;

/* One force of a model. */
struct trm_force {
    const char *name; /* NULL: none */
    trm_place source;
    const trm_force_type *type;
    const trm_joint *host; /* the joint on whose coordinate it acts, with the same bodies and frames; NULL: none */
    int coordinate;        /* index of the host's coordinate, from 0 */
    int body_count;
    int body[TRM_JOINT_BODIES];
    trm_pose frame
        [TRM_JOINT_BODIES]; /* attachment in the principal frame of each body, with the axes of the user's body frame */
    double rest, stiffness, damping;
    trm_treatment treatment;
    trm_chosen value[3];    /* an actuator uses only the first */
    trm_chosen target;      /* m or rad: target of a servo */
    trm_chosen target_rate; /* m/s or rad/s: target rate of a servo; none: the rate of the target */
    double gear;            /* ratio n of an effort or servo */
    double range[2];        /* N or N m: limits of an effort */
    double kp, kd;          /* N/m, N s/m or N m, N m s */
    trm_chosen most_law;    /* N or N m: replaces `most` if given or set by an event */
    trm_chosen brake_law;   /* N s/m or N m s: replaces `brake` likewise */
    double ki;              /* N/(m s) or N m/s: integral gain of a servo */
    double lag;             /* s */
    bool remembers;         /* true: it has memory, which starts at memory_offset */
    int memory_offset;
    double most;    /* N or N m; inf: no limit */
    double brake;   /* N s/m or N m s */
    double drag[2]; /* N s/m and N m s: factors of velocity and angular velocity */
    bool in_body_frame;
    trm_vec3 weight; /* N: force of gravity */
};

#define TRM_FORCE_TYPE(name) extern const trm_force_type trm_force_##name;
#include "model/forces/list.h"
#undef TRM_FORCE_TYPE

int trm_force_type_count(void);
const trm_force_type *trm_force_type_at(int index);
const trm_force_type *trm_find_force_type(const char *name); /* returns NULL if no such type exists in files */

/* Return whether this force, with its parameters, depends on velocities, and whether it does work that no
 * potential accounts for. */
bool trm_force_depends_on_velocity(const trm_force *force);
bool trm_force_does_work(const trm_force *force);

double trm_force_potential(const trm_force_at *at);
double trm_force_power(const trm_force_at *at);

/* Returns "value" at the time of `at`, in world axes. */
trm_vec3 trm_force_value(const trm_force_at *at);

/* The coordinate q of the host, its rate, and the row G with dq/dt = G V. */
typedef struct trm_force_coordinate {
    double q, rate;
    trm_spatial G[TRM_JOINT_BODIES];
} trm_force_coordinate;

trm_force_coordinate trm_force_coordinate_of(const trm_force_at *at);

/* Compute wrench and power of a type that acts along a coordinate. */
void trm_force_wrench_along(const trm_force_at *at, trm_spatial *F);
double trm_force_power_along(const trm_force_at *at);

/* The line between two points: unit vector n from the first to the second (zero if they coincide), length L and its
 * rate, and the row with dL/dt = J V. */
typedef struct trm_force_line {
    trm_vec3 n;
    double length, rate;
    trm_spatial J[2];
} trm_force_line;

trm_force_line trm_force_line_of(const trm_force_at *at);

/* Returns the memory of a force, NULL if it has none. */
static inline const double *trm_force_memory(const trm_force_at *at)
{
    const trm_force *force = at->force;
    if (!at->memory || !force->remembers) return NULL;
    return at->memory + force->memory_offset - (force->host ? force->host->memory_offset : 0);
}

/* Return the force of a row at the rate J V, and the negative derivative of that force with respect to the rate. */
double trm_force_pull(const trm_force_row *row, double rate);
double trm_force_slope(const trm_force_row *row, double rate);

/* Returns the impulse p of a row during dt [s], with the force at the rate after the impulse: p = dt pull(rate + own
 * p), where own = J W. */
double trm_force_impulse(const trm_force_row *row, double dt, double rate, double own);

#endif
