/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The internal state: one block of plain numbers, so that copying, comparing, hashing and saving take one line
 * each. */

#ifndef TRM_MOTION_STATE_H
#define TRM_MOTION_STATE_H

#include <string.h>

#include "model/model.h"
#include "trammel/sim.h"

/* Which velocities satisfy the joints: none, all, or those of islands with shapes that may collide. */
typedef enum trm_projected { TRM_NONE_PROJECTED = 0, TRM_ALL_PROJECTED = 1, TRM_SHAPED_PROJECTED = 2 } trm_projected;

typedef struct trm_clock {
    double time;     /* s */
    double time_low; /* s: the requested time minus `time`, lost by rounding the sum of the requested steps */
    double step;     /* s: the current step; 0 before the first */
    trm_works work;  /* J: work done so far by all forces without potential */
    int64_t velocities_projected; /* trm_projected: which velocities satisfy J V + c_t = 0 */
    int64_t events;               /* count of events with a time that have happened */
    double largest_force;         /* N, N m: largest force so far of a joint that can open or slip */
    int64_t contact_count;        /* count of stored contacts */
    int64_t impact_count;         /* count of impacts of shapes so far */
} trm_clock;

/* The data of a contact that are stored from one step to the next. */
typedef struct trm_stored_contact {
    uint64_t id; /* identifies the contact (collide/contact.h) */
    int body[2];
    trm_vec3 force;  /* N, on its first body, world axes: mean of the last look-ahead, start value of the next */
    trm_vec3 torque; /* N m: the same for torsional and rolling friction */
} trm_stored_contact;

/* The pose at which a body has been at rest, in a model in which shapes may collide (methods/contact/rest.c). */
typedef struct trm_rest {
    trm_pose pose;  /* the body has stayed close to this pose */
    double since;   /* s: since this time */
    int64_t island; /* the island with which it sleeps: index of its first body plus one; 0: awake */
} trm_rest;

struct trm_state {
    const trm_model *model;
    trm_allocator allocator;
    size_t bytes; /* size of the block that starts at clock */
    trm_clock *clock;
    trm_pose *pose;               /* per body: principal frame in the world */
    trm_spatial *velocity;        /* per body: angular velocity, velocity of the centre of mass; world axes */
    double *memory;               /* inputs, memory of joints, forces and events, choices */
    double *force;                /* per row: N or N m, multiplier of the last look-ahead, start value of the next */
    double *reaction;             /* per row: N or N m, multiplier when reactions were last requested */
    trm_spatial *acceleration;    /* per body: like velocity; when reactions were last requested */
    double *sample;               /* current readings of all sensors */
    int64_t *sampled;             /* per sensor: number of its last sample, TRM_NOT_SAMPLED before the first */
    bool *happened;               /* per event of the model; used by events that wait for a contact */
    bool *attached;               /* per joint */
    signed char *mode;            /* per joint: trm_joint_mode */
    trm_rest *rest;               /* per body; none if nothing may collide */
    trm_stored_contact *contacts; /* last in the block; zero after the stored contacts */
    int stored_contact_room;      /* capacity: contacts beyond it start from zero in each step */
};

static inline bool trm_all_velocities_projected(const trm_state *state)
{
    return state->clock->velocities_projected == TRM_ALL_PROJECTED;
}

/* Returns the first body whose pose or velocity is not finite. Returns -1 if there is none. */
static inline int trm_first_not_finite(const trm_state *state)
{
    for (int i = 0; i < state->model->body_count; i++) {
        const trm_pose *X = &state->pose[i];
        const trm_spatial *V = &state->velocity[i];
        const double nothing = 0 * X->p.x + 0 * X->p.y + 0 * X->p.z + 0 * X->q.w + 0 * X->q.x + 0 * X->q.y +
                               0 * X->q.z + 0 * V->ang.x + 0 * V->ang.y + 0 * V->ang.z + 0 * V->lin.x + 0 * V->lin.y +
                               0 * V->lin.z;
        if (isnan(nothing)) return i; /* 0 times a finite number is 0, otherwise NaN */
    }
    return -1;
}

static inline double trm_works_sum(trm_works w)
{
    return w.input + w.friction + w.damping + w.impact + w.contact;
}

/* Returns a + s b. */
static inline trm_works trm_works_add_scaled(trm_works a, double s, trm_works b)
{
    return (trm_works){a.input + s * b.input, a.friction + s * b.friction, a.damping + s * b.damping,
                       a.impact + s * b.impact, a.contact + s * b.contact};
}

/* Adds s w to the work of the state. If w is a power, s is a time. */
static inline void trm_add_work(trm_state *state, double s, trm_works w)
{
    state->clock->work = trm_works_add_scaled(state->clock->work, s, w);
}

/* Returns the angular momentum R diag(J) R^T omega of a body about its centre of mass, world axes. */
static inline trm_vec3 trm_spin_momentum(const trm_state *state, int body)
{
    const trm_quat q = state->pose[body].q;
    const trm_vec3 w = trm_rotate_back(q, state->velocity[body].ang), J = state->model->bodies[body].inertia;
    return trm_rotate(q, trm_v3(J.x * w.x, J.y * w.y, J.z * w.z));
}

/* Returns V . M V/2 [J] of a body, for V a velocity or a change of velocity. */
static inline double trm_energy_of_velocity(const trm_state *state, int body, const trm_spatial *V)
{
    const trm_vec3 w = trm_rotate_back(state->pose[body].q, V->ang), J = state->model->bodies[body].inertia;
    return 0.5 * (state->model->bodies[body].mass * trm_v3_dot(V->lin, V->lin) + J.x * w.x * w.x + J.y * w.y * w.y +
                  J.z * w.z * w.z);
}

/* Adds the work of an impact. grew: increase of the kinetic energy. own: work of the impact itself, the sum of its
 * impulses times the mean of the relative velocities before and after. If an element is driven, the difference counts
 * as input; otherwise there is no difference. */
void trm_add_impact_work(trm_state *state, double grew, double own);

/* Returns the part of the energy at the end that is neither energy at the start nor work done in between, J. */
double trm_unexplained_energy(const trm_state *start, const trm_state *end);

/* Sets the number of stored contacts and clears those after it. */
static inline void trm_state_set_contact_count(trm_state *state, int count)
{
    const int64_t before = state->clock->contact_count;
    state->clock->contact_count = count;
    if (before > count) memset(state->contacts + count, 0, (size_t)(before - count) * sizeof *state->contacts);
}

/* Returns whether a body sleeps: it keeps its pose, its velocity is zero, and it is not simulated. */
static inline bool trm_body_sleeps(const trm_state *state, int body)
{
    return state->model->collisions.may_collide && state->rest[body].island > 0;
}

/* Returns whether the bodies of a joint sleep. Either all of them sleep or none. */
static inline bool trm_joint_sleeps(const trm_state *state, int joint)
{
    const trm_joint *j = &state->model->joints[joint];
    for (int b = 0; b < j->body_count; b++)
        if (trm_body_sleeps(state, j->body[b])) return true;
    return false;
}

/* Wakes a body, if it sleeps, with its whole island. They then move as they would from rest. */
void trm_state_wake(trm_state *state, int body);
/* Makes joints of limited force (friction, motors with a limit) slip if they move, and hold their present coordinate
 * if they do not. Call it after poses and velocities have changed. */
void trm_state_stick_or_slip(trm_state *state);
/* Moves a rotor to the coordinate of its joint, given the rotor's gear (model/build_parts.c). Does nothing for
 * other joints. */
void trm_state_move_rotor(trm_state *state, int joint);

#define TRM_NOT_SAMPLED INT64_MIN

/* m/s, rad/s: below this speed a joint of limited force does not slip, and contacts stick. A larger speed would hold
 * bodies that creep. A smaller one is below the accuracy of impulses: contacts at rest would slide back and forth. */
#define TRM_NO_SLIP 1e-9

/* Returns J V + c_t of the first row of a joint. */
double trm_joint_speed(const trm_state *state, int joint);

/* Returns whether a joint constrains its bodies at present. */
static inline bool trm_joint_acts(const trm_state *state, int joint)
{
    return state->attached[joint] && state->mode[joint] == TRM_HELD;
}

/* Returns whether a joint acts on a coordinate whose own joint is not attached. */
bool trm_joint_lacks_host(const trm_state *state, const trm_joint *joint);

/* Returns whether a force acts. A force on the coordinate of a joint acts while the joint is attached. */
static inline bool trm_force_acts(const trm_state *state, int force)
{
    const trm_joint *host = state->model->forces[force].host;
    return !host || state->attached[host - state->model->joints];
}

/* Return a joint or force of the state's model in this state. */
trm_joint_at trm_joint_now(const trm_state *state, int joint);
trm_force_at trm_force_now(const trm_state *state, int force);
static inline void trm_force_place_now(const trm_state *state, int force, trm_force_at *at)
{
    trm_force_place(&state->model->forces[force], state->pose, state->velocity, state->clock->time, state->memory,
                    at);
}

/* Updates the memory of joints after a motion of duration h: of all joints, or of the marked ones. */
void trm_remember_turn(trm_state *state, int joint, double h);
static inline void trm_remember_turns(trm_state *state, double h, const bool *which)
{
    for (int i = 0; i < state->model->joint_count; i++)
        if (state->model->joints[i].memory_count > 0 && (!which || which[i])) trm_remember_turn(state, i, h);
}

/* Updates the memory of forces after a step. The velocities must be those of its end. */
void trm_remember_force(trm_state *state, int force);
static inline void trm_remember_forces(trm_state *state)
{
    for (int i = 0; i < state->model->force_count; i++)
        if (state->model->forces[i].remembers) trm_remember_force(state, i);
}

#endif
