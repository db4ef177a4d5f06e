/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Errors of a run.
 *
 *     E = sum m v^2/2 + w.(R J R^T w)/2 - m g.p          energy
 *     L = sum R J R^T w                                   angular momentum, of a single free body
 *     gap = |p_a + R_a r_a - p_b - R_b r_b|               of a joint with anchors r_a, r_b in its bodies
 *     T                                                   the mean over the whole periods between zeros of x(t) */

#include "errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trammel/vecmath.h"

static const double FAR = 1e6, TORN = 10; /* m */

#define ONLY(error) (1u << (error))
#define ALL         (~0u)

const column smooth_columns[] = {
    [ENERGY_MEAN] = {"energy_mean", "energy, mean", ALL},
    [ENERGY_MAX] = {"energy_max", "energy, max", ALL},
    [GAP] = {"gap", "gap, m", ALL},
    [ANGULAR_MOMENTUM] = {"angular_momentum", "angular momentum", ONLY(ERROR_FREE)},
    [PERIOD] = {"period", "period, s", ONLY(ERROR_PERIOD)},
    [POSITION] = {"position", "position, m", ONLY(ERROR_POSITION)},
    {0},
};

double main_error(const row *r, const scene_kind *kind)
{
    switch ((scene_error)kind->error) {
    case ERROR_FREE: return fmax(r->figures[ENERGY_MAX], r->figures[ANGULAR_MOMENTUM]);
    case ERROR_PERIOD: return r->figures[PERIOD];
    case ERROR_POSITION: return r->figures[POSITION];
    case ERROR_ENERGY: break;
    }
    return r->figures[ENERGY_MEAN];
}

typedef struct watch {
    const request *request;
    const scene *scene;
    double (*anchors)[2][3]; /* of each joint, in the frames of its bodies */
    double energy_start, energy_sum, energy_max, gap;
    double momentum_start[3], momentum_error;
    int count;              /* samples */
    double spacing, *track; /* s between samples; the pendulum's distance from the vertical at each */
    int track_room;
} watch;

static trm_vec3 vec(const double *v)
{
    return trm_v3(v[0], v[1], v[2]);
}

static trm_quat quat(const double *q)
{
    const trm_quat out = {q[0], q[1], q[2], q[3]};
    return out;
}

static trm_vec3 angular_momentum(const scene_body *body, const body_state *state)
{
    const trm_quat q = trm_quat_unit(quat(state->q));
    const trm_vec3 w = trm_rotate_back(q, vec(state->w));
    return trm_rotate(q, trm_v3(body->inertia[0] * w.x, body->inertia[1] * w.y, body->inertia[2] * w.z));
}

double energy_of(const scene *s, const body_state *states)
{
    double sum = 0;
    for (int i = 0; i < s->body_count; i++) {
        const scene_body *body = &s->bodies[i];
        const trm_vec3 v = vec(states[i].v), w = vec(states[i].w), p = vec(states[i].p);
        sum += 0.5 * body->mass * trm_v3_dot(v, v) + 0.5 * trm_v3_dot(w, angular_momentum(body, &states[i])) -
               body->mass * trm_v3_dot(vec(s->gravity), p);
    }
    return sum;
}

static body_state start_of(const scene_body *body)
{
    body_state state;
    memcpy(state.p, body->p, sizeof state.p);
    memcpy(state.q, body->q, sizeof state.q);
    memcpy(state.v, body->v, sizeof state.v);
    memcpy(state.w, body->w, sizeof state.w);
    return state;
}

/* ---- Gaps --------------------------------------------------------------------------------- */

/* Returns a point of a body, or of the ground, in the world. */
static trm_vec3 image(const body_state *states, int body, const double *point)
{
    if (body < 0) return vec(point);
    return trm_v3_add(vec(states[body].p), trm_rotate(trm_quat_unit(quat(states[body].q)), vec(point)));
}

static void find_anchor(const scene *s, int body, const double *anchor, double *local)
{
    trm_vec3 r = vec(anchor);
    if (body >= 0) r = trm_rotate_back(quat(s->bodies[body].q), trm_v3_sub(r, vec(s->bodies[body].p)));
    local[0] = r.x, local[1] = r.y, local[2] = r.z;
}

static double largest_gap(const watch *w, const body_state *states)
{
    double largest = 0;
    for (int j = 0; j < w->scene->joint_count; j++) {
        const scene_joint *joint = &w->scene->joints[j];
        const double gap = trm_v3_length(
            trm_v3_sub(image(states, joint->a, w->anchors[j][0]), image(states, joint->b, w->anchors[j][1])));
        if (!(gap <= largest)) largest = gap; /* keeps NAN */
    }
    return largest;
}

/* ---- The period --------------------------------------------------------------------------- */

enum { NODES = 12 };

/* Returns the value at s of the polynomial through x[0..NODES-1] at 0, 1, ..., by Neville's scheme. */
static double through_nodes(const double *x, double s)
{
    double p[NODES];
    for (int i = 0; i < NODES; i++) p[i] = x[i];
    for (int k = 1; k < NODES; k++)
        for (int i = 0; i < NODES - k; i++) p[i] += (s - i) * (p[i + 1] - p[i]) / k;
    return p[0];
}

/* Returns the zero between samples i and i+1, in samples, by bisection to rounding. */
static double zero_behind(const double *x, int i)
{
    const int first = i - NODES / 2 + 1;
    double low = NODES / 2 - 1, high = low + 1;
    const bool rising = x[i] <= 0;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if ((through_nodes(x + first, middle) > 0) == rising)
            high = middle;
        else
            low = middle;
    }
    return first + 0.5 * (low + high);
}

/* Returns the mean of all whole periods whose zeros have enough samples around them; NAN: there is none. */
static double mean_period(const double *x, int count, double spacing)
{
    double first = 0, last = 0;
    int zeros = 0;
    for (int i = NODES / 2 - 1; i + NODES / 2 < count; i++) {
        if ((x[i] > 0) == (x[i + 1] > 0)) continue;
        const double zero = zero_behind(x, i);
        if (zeros == 0) first = zero;
        if (zeros % 2 == 0) last = zero;
        zeros++;
    }
    const int periods = (zeros - 1) / 2;
    return periods > 0 ? (last - first) / periods * spacing : NAN;
}

/* ---- The watch ---------------------------------------------------------------------------- */

static void end(void *context)
{
    watch *w = context;
    free(w->anchors);
    free(w->track);
    free(w);
}

static watch *make_watch(const request *r, double spacing)
{
    const scene *s = r->scene;
    watch *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    *w = (watch){.request = r, .scene = s, .spacing = spacing, .track_room = (int)(s->time / spacing) + 2};
    w->anchors = calloc((size_t)s->joint_count + 1, sizeof *w->anchors);
    w->track = calloc((size_t)w->track_room, sizeof *w->track);
    if (w->anchors && w->track) return w;
    end(w);
    return NULL;
}

static void *begin(const request *r, double spacing)
{
    const scene *s = r->scene;
    watch *w = make_watch(r, spacing);
    body_state *start = w ? calloc((size_t)s->body_count, sizeof *start) : NULL;
    if (w && !start) end(w);
    if (!start) return NULL;
    for (int j = 0; j < s->joint_count; j++) {
        find_anchor(s, s->joints[j].a, s->joints[j].anchor, w->anchors[j][0]);
        find_anchor(s, s->joints[j].b, s->joints[j].anchor, w->anchors[j][1]);
    }
    for (int i = 0; i < s->body_count; i++) start[i] = start_of(&s->bodies[i]);
    const trm_vec3 L = angular_momentum(&s->bodies[0], &start[0]);
    w->energy_start = energy_of(s, start);
    w->momentum_start[0] = L.x, w->momentum_start[1] = L.y, w->momentum_start[2] = L.z;
    w->track[0] = start[0].p[0];
    free(start);
    return w;
}

static bool is_sound(const watch *w, const body_state *states)
{
    for (int i = 0; i < w->scene->body_count; i++)
        if (!(trm_v3_length(vec(states[i].p)) < FAR)) return false;
    return isfinite(w->energy_sum) && w->gap < TORN;
}

static bool look(void *context, const body_state *states, double time)
{
    watch *w = context;
    const double error = fabs(energy_of(w->scene, states) - w->energy_start), gap = largest_gap(w, states);
    (void)time;
    w->count++;
    w->energy_sum += error;
    if (error > w->energy_max) w->energy_max = error;
    if (!(gap <= w->gap)) w->gap = gap;
    const trm_vec3 L = angular_momentum(&w->scene->bodies[0], &states[0]);
    w->momentum_error = fmax(w->momentum_error, trm_v3_length(trm_v3_sub(L, vec(w->momentum_start))));
    if (w->count < w->track_room) w->track[w->count] = states[0].p[0];
    return is_sound(w, states);
}

double largest_distance(const body_state *a, const body_state *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const double distance = trm_v3_length(trm_v3_sub(vec(a[i].p), vec(b[i].p)));
        if (!(distance <= largest)) largest = distance;
    }
    return largest;
}

static void result(const void *context, const body_state *last, double time, double *figures)
{
    const watch *w = context;
    const body_state *reference = w->request->reference;
    const scene_error kind = (scene_error)w->request->kind->error;
    const double unit = kind == ERROR_FREE ? w->energy_start : 1;
    (void)time;
    figures[ENERGY_MEAN] = w->energy_sum / w->count / unit;
    figures[ENERGY_MAX] = w->energy_max / unit;
    if (w->scene->joint_count > 0) figures[GAP] = w->gap;
    if (kind == ERROR_FREE) figures[ANGULAR_MOMENTUM] = w->momentum_error / trm_v3_length(vec(w->momentum_start));
    if (kind == ERROR_PERIOD)
        figures[PERIOD] = fabs(mean_period(w->track, w->count + 1, w->spacing) - pendulum_period(w->scene));
    if (reference) figures[POSITION] = largest_distance(last, reference, w->scene->body_count);
}

const watcher smooth_watcher = {begin, look, result, end};
