/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shapes that pass through each other within a step.
 *
 * The method lcp sees only contacts that are closed at the start of a step. Two shapes that are apart at both ends of a
 * step may have met in between, and no contact acted on them. Such pairs are counted for the verdict.
 *
 * A pair is followed along the paths of its bodies by steps of distance / (highest speed of approach of any two
 * points), as in contact_search.c. The method lcp moves bodies by the velocities at the end of the step: q(t+s) =
 * q(t) + s V(t+h). A curve that also begins with V(t) would lead a body that hits another one into it. */

#include "collide/collide.h"
#include "math/rotation.h"
#include "sim/sim.h"

enum { MOST_ADVANCES = 200 };
/* The path may be faster than the speeds at its ends by this factor. With a larger value a search takes more
 * advances; below 1 passages are missed. Tests pass with a tenth and with ten times of it. */
static const double FASTER = 1.5;
/* Fractions of the reach of a body: a body that moves less in a step passes through nothing, and a pair that meets
 * less deeply only touches. Larger values miss thin plates and corners, smaller ones search in every step and report
 * shapes that hardly meet. Tests pass with a tenth and with ten times of it. */
static const double LEAST_TRAVEL = 1e-2, LEAST_DEPTH = 1e-3;

typedef struct passage {
    trm_sim *sim;
    const trm_near_pair *pair;
    double h, speed; /* s, m/s: length of the step, bound of the speed of approach */
} passage;

/* Returns the pose of a body s after the start of the step. */
static trm_pose pose_at(const trm_sim *sim, int body, double s)
{
    const trm_state *from = sim->steps.before;
    const trm_motion *motion = sim->state->model->bodies[body].motion;
    trm_pose X = from->pose[body];
    trm_spatial V = sim->state->velocity[body];
    if (motion) {
        trm_motion_at(motion, from->clock->time + s, &X, &V, NULL);
        return X;
    }
    X.p = trm_v3_add_scaled(X.p, s, V.lin);
    X.q = trm_quat_unit(trm_quat_mul(trm_quat_exp(trm_v3_scale(s, V.ang)), X.q));
    return X;
}

static double distance_at(const passage *p, double s)
{
    return trm_shape_distance(p->sim->stepper.collider, p->pair, pose_at(p->sim, p->pair->body[0], s),
                              pose_at(p->sim, p->pair->body[1], s));
}

/* Returns whether a pair that is apart at both ends of the step has met by more than `depth` in between. */
static bool has_met(const passage *p, double apart, double depth)
{
    double s = apart / p->speed;
    for (int i = 0; i < MOST_ADVANCES && s < p->h; i++) {
        const double d = distance_at(p, s);
        if (d <= depth) return distance_at(p, fmin(s + 2 * depth / p->speed, p->h)) < 0;
        s += d / p->speed;
    }
    return false;
}

/* Returns whether the bodies of a pair have passed through each other in the last step of length h. */
static bool passes(trm_sim *sim, const trm_near_pair *pair, double h)
{
    const trm_state *from = sim->steps.before, *to = sim->state;
    const double *travel = sim->contact_search.travel, *reach = sim->contact_search.reach;
    const int a = pair->body[0], b = pair->body[1];
    const double way = travel[a] + travel[b];
    const double apart = trm_shape_distance(sim->stepper.collider, pair, from->pose[a], from->pose[b]);
    if (!(apart > sim->events.nearness.position && apart < way)) return false;
    const double left = trm_shape_distance(sim->stepper.collider, pair, to->pose[a], to->pose[b]);
    if (!(left > 0 && apart + left < way)) return false;
    const double smaller = fmin(reach[a] > 0 ? reach[a] : INFINITY, reach[b] > 0 ? reach[b] : INFINITY);
    const passage p = {.sim = sim, .pair = pair, .h = h, .speed = way / h};
    return has_met(&p, apart, LEAST_DEPTH * smaller);
}

/* Computes how far the points of all bodies may move in a step. Returns whether one moves far. */
static bool find_travel(trm_sim *sim, double h)
{
    bool far = false;
    for (int i = 0; i < sim->state->model->body_count; i++) {
        const trm_spatial *before = &sim->steps.before->velocity[i], *after = &sim->state->velocity[i];
        const double reach = sim->contact_search.reach[i];
        sim->contact_search.travel[i] = 0;
        if (!(reach > 0)) continue; /* it has no shapes, or never moves */
        const double speed = fmax(trm_v3_length(before->lin) + reach * trm_v3_length(before->ang),
                                  trm_v3_length(after->lin) + reach * trm_v3_length(after->ang));
        sim->contact_search.travel[i] = FASTER * h * speed;
        far = far || sim->contact_search.travel[i] > LEAST_TRAVEL * reach;
    }
    return far;
}

void trm_sim_count_passages(trm_sim *sim, double h)
{
    const trm_near_pair *pairs;
    if (!sim->stepper.collider || trm_stepper_is_divided(&sim->stepper) || !find_travel(sim, h)) return;
    const int count = trm_near_pairs(sim->stepper.collider, sim->steps.before->pose, sim->contact_search.travel, 0,
                                     sim->state->attached, &pairs);
    for (int i = 0; i < count; i++) {
        if (!passes(sim, &pairs[i], h)) continue;
        if (sim->monitor.passages.count++ > 0) continue;
        sim->monitor.passages.body[0] = pairs[i].body[0];
        sim->monitor.passages.body[1] = pairs[i].body[1];
        sim->monitor.passages.time = sim->state->clock->time;
    }
    if (count < 0) sim->arena.failed = true;
}
