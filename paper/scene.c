/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Scenes of the paper's tables, and zeros of recorded curves. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "paper/tables.h"

double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void show_progress(const paper_request *request, const char *text)
{
    if (!request->progress) return;
    fprintf(stderr, "\r%60s\r", "");
    if (text) fprintf(stderr, "%s: %s ", request->table, text);
}

/* ---- A scene that runs -------------------------------------------------------------------- */

bool scene_begin(scene *s, trm_vec3 gravity)
{
    *s = (scene){.messages = trm_messages_create(NULL), .def = trm_model_def_create(NULL)};
    if (s->messages && s->def) {
        s->def->gravity = gravity;
        return true;
    }
    fprintf(stderr, "trammel paper: out of memory\n");
    return false;
}

/* Returns whether the status is good; reports it if not. */
static bool is_good(const scene *s, trm_status status)
{
    if (status == TRM_OK) return true;
    print_messages(s->messages);
    fprintf(stderr, "trammel paper: %s\n", trm_status_text(status));
    return false;
}

bool scene_read(scene *s, const char *text)
{
    *s = (scene){.messages = trm_messages_create(NULL)};
    return s->messages &&
           is_good(s, trm_read_model_text(text, strlen(text), "paper", NULL, NULL, s->messages, &s->def));
}

bool scene_build(scene *s, bool added)
{
    return is_good(s, added ? trm_model_create(s->def, NULL, s->messages, &s->model) : TRM_OUT_OF_MEMORY);
}

bool scene_simulate(scene *s, bool added)
{
    return scene_build(s, added) &&
           is_good(s, trm_sim_create(s->model, &s->def->simulation, NULL, s->messages, &s->sim));
}

bool scene_ready(scene *s, bool added, double step, double position_tolerance, double velocity_tolerance)
{
    trm_simulation_def *o = &s->def->simulation;
    o->method = "impulse";
    o->solver = "iterative";
    o->order = 2;
    o->step = step;
    o->position_tolerance = position_tolerance;
    o->angle_tolerance = position_tolerance;
    o->velocity_tolerance = velocity_tolerance;
    return scene_simulate(s, added);
}

void scene_end(scene *s)
{
    trm_sim_destroy(s->sim);
    trm_model_destroy(s->model);
    trm_model_def_destroy(s->def);
    trm_messages_destroy(s->messages);
    *s = (scene){0};
}

bool add_rod_between(trm_model_def *def, const char *name, trm_vec3 from, trm_vec3 to, double radius)
{
    trm_body_def rod = trm_default_body_def();
    rod.name = name, rod.kind = TRM_BODY_ROD;
    rod.rod = (trm_rod_def){from, to, 1, radius};
    return trm_add_body(def, &rod) == TRM_OK;
}

bool add_joint_between(trm_model_def *def, const char *type, const char *name, const char *a, const char *b,
                       trm_vec3 at)
{
    trm_joint_def joint = trm_default_joint_def();
    joint.type = type, joint.name = name;
    joint.bodies[0] = a, joint.bodies[1] = b;
    joint.anchor = at, joint.axis = trm_v3(0, 0, 1);
    return trm_add_joint(def, &joint) == TRM_OK;
}

/* ---- Recorded curves ---------------------------------------------------------------------- */

static bool record_row(void *context, const trm_state *state)
{
    track *t = context;
    if (t->count == t->room) return false;
    t->x[t->count++] = trm_body_pose(state, t->body).p.x;
    return true;
}

bool record(scene *s, int body, double until, track *t)
{
    const double step = trm_sim_options(s->sim)->step;
    const int room = (int)(until / step) + 2;
    *t = (track){.step = step, .x = calloc((size_t)room, sizeof *t->x), .room = room, .body = body};
    if (!t->x) {
        fprintf(stderr, "trammel paper: out of memory\n");
        return false;
    }
    const trm_run_def run = {.until = until, .every = NAN, .row = record_row, .context = t};
    const trm_outcome outcome = trm_sim_run(s->sim, &run);
    if (!outcome.ok)
        fprintf(stderr, "trammel paper: stopped at t = %.9g s: %s %s\n", outcome.time, outcome.element, outcome.why);
    return outcome.ok;
}

void forget(track *t)
{
    free(t->x);
    *t = (track){0};
}

/* Returns the step before a zero, counted from 0; -1: there are fewer zeros. */
static int step_before_zero(const track *t, int index)
{
    for (int i = 0; i + 1 < t->count; i++)
        if ((t->x[i] > 0) != (t->x[i + 1] > 0) && index-- == 0) return i;
    return -1;
}

double linear_zero(const track *t, int index)
{
    const int i = step_before_zero(t, index);
    return i < 0 ? NAN : ((double)i + t->x[i] / (t->x[i] - t->x[i + 1])) * t->step;
}

enum { NODES = 8 };

/* Returns the value at s of the polynomial through x[0..NODES-1] at 0, 1, ..., by Neville's scheme. */
static double through_nodes(const double *x, double s)
{
    double p[NODES];
    for (int i = 0; i < NODES; i++) p[i] = x[i];
    for (int k = 1; k < NODES; k++)
        for (int i = 0; i < NODES - k; i++) p[i] += (s - i) * (p[i + 1] - p[i]) / k;
    return p[0];
}

double smooth_zero(const track *t, int index)
{
    const int i = step_before_zero(t, index), first = i - NODES / 2 + 1;
    if (i < 0 || first < 0 || first + NODES > t->count) return NAN;
    const double *x = t->x + first;
    double low = NODES / 2 - 1, high = low + 1; /* bracket, in steps after the first node */
    const bool rising = t->x[i] <= 0;
    for (int k = 0; k < 60; k++) { /* halved until there is no double in between */
        const double middle = 0.5 * (low + high);
        if ((through_nodes(x, middle) > 0) == rising)
            high = middle;
        else
            low = middle;
    }
    return ((double)first + 0.5 * (low + high)) * t->step;
}
