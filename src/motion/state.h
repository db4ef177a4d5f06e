/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The state inside: one block of plain numbers, so that copying, comparing, hashing and saving are one line each. */

#ifndef TRM_MOTION_STATE_H
#define TRM_MOTION_STATE_H

#include "model/model.h"
#include "trammel/sim.h"

/* Whose velocities fit the joints: nobody's, everybody's, or those of islands with shapes that may collide. */
typedef enum trm_fitted { TRM_NONE_FIT = 0, TRM_ALL_FIT = 1, TRM_SHAPED_FIT = 2 } trm_fitted;

typedef struct trm_clock {
    double time;            /* s */
    double time_low;        /* s: what the time lacks of the sum of the steps that the caller has asked for */
    double step;            /* s, the current one; 0 before the first */
    trm_works work;         /* J, done so far by all that is not potential */
    int64_t velocities_fit; /* trm_fitted: where J V + c_t = 0 holds */
    int64_t events;         /* of those with a time that have happened */
    double largest_force;   /* N, N m: that a joint which can let go has had */
    int64_t touched;        /* contacts that are known */
    int64_t strikes;        /* impacts of shapes on the way here */
} trm_clock;

/* What is known of a contact from one step to the next. */
typedef struct trm_touched {
    uint64_t id; /* of the contact (collide/contact.h) */
    int body[2];
    trm_vec3 force;  /* N, on its first body, world: the mean of the last look-ahead, where the next one begins, */
    trm_vec3 torque; /* N m: and that of its rolling friction */
} trm_touched;

/* Where a body has stayed, of a model in which something may collide (methods/contact/rest.c). */
typedef struct trm_rest {
    trm_pose pose;  /* it has not gone far from here */
    double since;   /* s: when it was here */
    int64_t island; /* in which it sleeps: one more than the number of its first body; 0: it is awake */
} trm_rest;

struct trm_state {
    const trm_model *model;
    trm_allocator allocator;
    size_t bytes; /* of the block that starts at clock */
    trm_clock *clock;
    trm_pose *pose;            /* per body: principal frame in the world */
    trm_spatial *velocity;     /* per body: angular velocity, velocity of the centre of mass; world */
    double *memory;            /* of the joints */
    double *force;             /* per row: what the last look-ahead found, N or N m; where the next one begins */
    double *reaction;          /* per row: its multiplier, N or N m, when reactions were last asked for */
    trm_spatial *acceleration; /* per body: like velocity; when reactions were last asked for */
    double *sample;            /* of the sensors: numbers that they show */
    int64_t *sampled;          /* per sensor: number of its last sample, TRM_NOT_SAMPLED if there was none */
    bool *happened;            /* per event of the model, of those that wait for a contact */
    bool *attached;            /* per joint */
    signed char *mode;         /* per joint: trm_joint_mode */
    trm_rest *rest;            /* per body; none where nothing may collide */
    trm_touched *touched;      /* last of the block, nothing behind those that are known */
    int touched_room;          /* more contacts than this begin from nothing in each step */
};

static inline double trm_works_sum(trm_works w)
{
    return w.input + w.friction + w.damping + w.impact + w.contact;
}

/* a + s b */
static inline trm_works trm_works_add_scaled(trm_works a, double s, trm_works b)
{
    return (trm_works){a.input + s * b.input, a.friction + s * b.friction, a.damping + s * b.damping,
                       a.impact + s * b.impact, a.contact + s * b.contact};
}

/* Counts s times this work; s is a time where w is power. */
static inline void trm_add_work(trm_state *state, double s, trm_works w)
{
    state->clock->work = trm_works_add_scaled(state->clock->work, s, w);
}

/* Counts the work of an impact by which the kinetic energy grew, and which itself did `own`, the sum of its impulses times the mean
 * of relative velocities before and after. Where something is driven, the rest is put in; else there is none. */
void trm_add_impact_work(trm_state *state, double grew, double own);

/* So many of the known contacts count from now on. */
void trm_state_know_touched(trm_state *state, int count);

/* Whether a body sleeps: it stays where it is, its velocity is zero, and nothing is asked of it. */
static inline bool trm_body_sleeps(const trm_state *state, int body)
{
    return state->model->may_collide && state->rest[body].island > 0;
}

/* Whether the bodies of a joint do, which do so together. */
static inline bool trm_joint_sleeps(const trm_state *state, int joint)
{
    const trm_joint *j = &state->model->joints[joint];
    for (int b = 0; b < j->body_count; b++)
        if (trm_body_sleeps(state, j->body[b])) return true;
    return false;
}

/* Wakes a body, if it sleeps, with all of its island: from here on they move as they would from rest. */
void trm_state_wake(trm_state *state, int body);
/* Of the gear of a rotor: brings the rotor to where its joint is (model/build_parts.c). Nothing of other joints. */
void trm_state_take_rotor_along(trm_state *state, int joint);

#define TRM_NOT_SAMPLED INT64_MIN

/* m/s, rad/s: slower than this a joint of limited force does not slip. */
#define TRM_NO_SLIP 1e-9

/* J V + c_t along the first row of a joint. */
double trm_joint_speed(const trm_state *state, int joint);

/* Whether a joint holds its bodies at present. */
static inline bool trm_joint_acts(const trm_state *state, int joint)
{
    return state->attached[joint] && state->mode[joint] == TRM_HELD;
}

/* Whether a force acts: one on the coordinate of a joint does while that is attached. */
static inline bool trm_force_acts(const trm_state *state, int force)
{
    const trm_joint *host = state->model->forces[force].host;
    return !host || state->attached[host - state->model->joints];
}

/* A joint or force of the state's model as the state has it. */
trm_joint_at trm_joint_now(const trm_state *state, int joint);
trm_force_at trm_force_now(const trm_state *state, int force);

/* Brings the memory of joints up to date after a motion that took h: of all, or of those marked. */
void trm_remember_turns(trm_state *state, double h, const bool *which);

/* Brings the memory of forces up to date after a step, when velocities are those of its end. */
void trm_remember_forces(trm_state *state);

#endif
