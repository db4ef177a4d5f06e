/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The figures of a run. Closed forms: a block that slides goes g (sin a - mu cos a) t^2/2; a ball dropped from H comes back to
 * e^(2k) H behind its k-th bounce. */

#include "figures.h"

#include <math.h>

#include "penetration.h"

const double rest_times[REST_TIMES] = {4, 10};

static const double NOWHERE = 1e4; /* m: a body this far off was thrown there */

watch watch_begin(const scene_kind *kind, const scene *s)
{
    return (watch){.kind = kind, .scene = s, .found = {.error = NAN, .v_rms = {NAN, NAN}}};
}

static double v_rms(const body_state *states, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) sum += states[i].v[k] * states[i].v[k];
    return sqrt(sum / count);
}

static bool is_somewhere(const body_state *states, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(states[i].p[k]) < NOWHERE) || !isfinite(states[i].v[k])) return false;
    return true;
}

/* Of the ball above the ground: at the first look behind an apex it has fallen for less than a step since. */
static void see_apex(watch *w, const body_state *ball)
{
    const double v = ball->v[2], radius = 0.5 * w->scene->bodies[0].size[0];
    const bool just_passed = w->before > 0 && v <= 0;
    if (just_passed && w->apex_count < APEXES)
        w->apex[w->apex_count++] = ball->p[2] - radius + v * v / (-2 * w->scene->gravity[2]);
    w->before = v;
}

static double apex_error(const watch *w)
{
    const double e = w->scene->restitution, start = w->scene->bodies[0].p[2] - 0.5 * w->scene->bodies[0].size[0];
    double worst = 0, height = start;
    for (int k = 0; k < APEXES; k++) {
        height *= e * e;
        worst = fmax(worst, fabs(w->apex[k] / height - 1)); /* one that never came counts as 0 m */
    }
    return worst;
}

static double distance(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Where the block is on the ground, less where it should be: way in the direction in which gravity pulls. */
static double off_track(const watch *w, const body_state *block, double way)
{
    const double *g = w->scene->gravity, *start = w->scene->bodies[0].p, pull = hypot(g[0], g[1]);
    return hypot(block->p[0] - start[0] - way * g[0] / pull, block->p[1] - start[1] - way * g[1] / pull);
}

static double slide_error(const watch *w, const body_state *block, double time)
{
    const double *g = w->scene->gravity;
    const double way = 0.5 * (hypot(g[0], g[1]) + w->scene->friction * g[2]) * time * time;
    return off_track(w, block, way) / way;
}

bool watch_sample(watch *w, const body_state *states, double time)
{
    const int last = w->scene->body_count - 1;
    if (!is_somewhere(states, last + 1)) return false;
    w->found.penetration_end = largest_penetration(w->scene, states);
    w->found.penetration = fmax(w->found.penetration, w->found.penetration_end);
    for (int i = 0; i < REST_TIMES; i++)
        if (fabs(time - rest_times[i]) < 0.5 * BENCH_STEP) w->found.v_rms[i] = v_rms(states, last + 1);
    w->farthest = fmax(w->farthest, distance(states[last].p, w->scene->bodies[last].p));
    if (w->kind->error == ERROR_APEX) see_apex(w, &states[0]);
    return true;
}

figures watch_result(const watch *w, const body_state *states, double time)
{
    figures f = w->found;
    switch (w->kind->error) {
    case ERROR_NONE: break;
    case ERROR_CREEP: f.error = off_track(w, &states[0], 0); break;
    case ERROR_SLIDE: f.error = slide_error(w, &states[0], time); break;
    case ERROR_APEX: f.error = apex_error(w); break;
    case ERROR_TOP: f.error = w->farthest; break;
    }
    return f;
}
