/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The figures of a run. Closed forms: a block that slides goes g (sin a - mu cos a) t^2/2; a ball dropped from H comes back to
 * e^(2k) H after its k-th bounce. */

#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "penetration.h"

static const double NOWHERE = 1e4; /* m: a body that is farther away has been thrown off */

enum { APEXES = 5, REST_TIMES = 2 };
static const struct {
    int figure;
    double time; /* s */
} rests[REST_TIMES] = {{V_RMS_4, 4}, {V_RMS_10, 10}};

#define ONLY(error)   (1u << (error))
#define ALL           (~0u)
#define COMES_TO_REST (ONLY(ERROR_CREEP) | ONLY(ERROR_TOP) | ONLY(ERROR_PILE))

const column contact_columns[] = {
    [CREEP] = {"creep", "creep, m", ONLY(ERROR_CREEP)},
    [SLIDE] = {"slide", "way, relative", ONLY(ERROR_SLIDE)},
    [APEX] = {"apexes", "apexes, relative", ONLY(ERROR_APEX)},
    [TOP] = {"top", "top moved, m", ONLY(ERROR_TOP)},
    [PENETRATION] = {"penetration", "penetration, m", ALL},
    [PENETRATION_END] = {"penetration_end", "at the end, m", ALL},
    [V_RMS_4] = {"v_rms_4s", "v_rms at 4 s, m/s", COMES_TO_REST},
    [V_RMS_10] = {"v_rms_10s", "v_rms at 10 s, m/s", COMES_TO_REST},
    {0},
};

typedef struct watch {
    const scene_kind *kind;
    const scene *scene;
    double figures[MOST_FIGURES];
    double farthest; /* m: largest distance of the last body from its start */
    double apex[APEXES], before;
    int apex_count;
} watch;

static void *begin(const request *r, double spacing)
{
    watch *w = calloc(1, sizeof *w);
    (void)spacing;
    if (!w) return NULL;
    *w = (watch){.kind = r->kind, .scene = r->scene};
    for (int i = 0; i < MOST_FIGURES; i++) w->figures[i] = NAN;
    return w;
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

/* Records apexes of the ball above the ground: at the first observation after an apex it has fallen for less than a
 * step. */
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
        worst = fmax(worst, fabs(w->apex[k] / height - 1)); /* an apex that was not reached counts as 0 m */
    }
    return worst;
}

static double distance(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Returns the distance of the block on the ground from where it should be. way: distance in the direction of
 * gravity. */
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

static bool look(void *context, const body_state *states, double time)
{
    watch *w = context;
    double *f = w->figures;
    const int last = w->scene->body_count - 1;
    if (!is_somewhere(states, last + 1)) return false;
    f[PENETRATION_END] = largest_penetration(w->scene, states);
    f[PENETRATION] = fmax(f[PENETRATION], f[PENETRATION_END]); /* NAN at first, which fmax leaves out */
    for (int i = 0; i < REST_TIMES; i++)
        if (fabs(time - rests[i].time) < 0.5 * BENCH_STEP) f[rests[i].figure] = v_rms(states, last + 1);
    w->farthest = fmax(w->farthest, distance(states[last].p, w->scene->bodies[last].p));
    if (w->kind->error == ERROR_APEX) see_apex(w, &states[0]);
    return true;
}

static void result(const void *context, const body_state *states, double time, double *figures)
{
    const watch *w = context;
    memcpy(figures, w->figures, sizeof w->figures);
    switch ((scene_error)w->kind->error) {
    case ERROR_CREEP: figures[CREEP] = off_track(w, &states[0], 0); break;
    case ERROR_SLIDE: figures[SLIDE] = slide_error(w, &states[0], time); break;
    case ERROR_APEX: figures[APEX] = apex_error(w); break;
    case ERROR_TOP: figures[TOP] = w->farthest; break;
    case ERROR_PILE: break;
    }
}

static void end(void *context)
{
    free(context);
}

const watcher contact_watcher = {begin, look, result, end};
