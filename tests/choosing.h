/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs a method with options of its own, written as on the command line: "lagrange:integrator=rk4:beta=20". */

#ifndef TRM_TESTS_CHOOSING_H
#define TRM_TESTS_CHOOSING_H

#include <stdlib.h>

#include "running.h"

enum { CHOSEN_MOST = 12 };

/* A choice cut into pieces; it owns the texts that options point to. */
typedef struct chosen {
    char text[200];
    trm_option options[CHOSEN_MOST];
    int count;
} chosen;

/* Sets the method and its options. A value that is not a number is a word. */
static inline void choose(const char *choice, chosen *c, trm_simulation_def *options)
{
    char *rest = NULL;
    c->count = 0;
    assert_true(strlen(choice) < sizeof c->text);
    strcpy(c->text, choice);
    options->method = strtok_r(c->text, ":", &rest);
    for (char *piece; (piece = strtok_r(NULL, ":", &rest)); c->count++) {
        char *value = strchr(piece, '='), *end;
        assert_true(value && c->count < CHOSEN_MOST);
        *value++ = 0;
        trm_option *option = &c->options[c->count];
        *option = (trm_option){.method = options->method, .name = piece, .number = strtod(value, &end)};
        if (*end) option->text = value;
    }
    options->options = c->options;
    options->option_count = c->count;
}

/* How a run is made: method, options of the method, and options of all methods that are not 0. */
typedef struct way {
    const char *choice;
    double step, tolerance, error, order;
} way;

static inline void options_of(const trm_model *model, const way *how, chosen *c, trm_simulation_def *options)
{
    *options = *trm_model_simulation(model);
    choose(how->choice, c, options);
    if (how->step > 0) options->step = how->step;
    if (how->error > 0) options->error = how->error;
    if (how->order > 0) options->order = how->order;
    if (how->tolerance > 0)
        options->position_tolerance = options->angle_tolerance = options->velocity_tolerance = how->tolerance;
}

/* All methods with which smooth motions converge, except lcp, whose order is 1: with short runs, and with errors
 * below 1e-9. */
enum { SMOOTH_WAYS = 4, CLOSE_WAYS = 4 };
static const way SMOOTHLY[SMOOTH_WAYS] __attribute__((unused)) = {
    {.choice = "impulse", .order = 4, .step = 0.01, .tolerance = 1e-14},
    {.choice = "lagrange:integrator=rk4", .step = 0.01},
    {.choice = "subsystem:integrator=rk4", .step = 0.01},
    {.choice = "minimal", .step = 0.01, .error = 1e-12},
};
static const way CLOSELY[CLOSE_WAYS] __attribute__((unused)) = {
    {.choice = "impulse", .order = 6, .step = 0.01, .tolerance = 1e-13},
    {.choice = "lagrange:integrator=fehlberg8", .step = 0.005},
    {.choice = "subsystem:integrator=rk4", .step = 0.001},
    {.choice = "minimal", .step = 0.005, .error = 1e-12},
};

/* Runs a model, which is destroyed with the run. */
static inline running run_chosen(trm_model *model, way how)
{
    chosen c;
    trm_simulation_def options;
    options_of(model, &how, &c, &options);
    return run_model(model, &options);
}

/* Returns the largest difference of two states of equal models, m and rad. */
static inline double apart(const running *r, const running *s)
{
    double most = 0;
    for (int i = 0; i < trm_body_count(r->model); i++) {
        const trm_pose a = trm_body_pose(trm_sim_state(r->sim), i), b = trm_body_pose(trm_sim_state(s->sim), i);
        const trm_quat turn = trm_quat_mul(a.q, trm_quat_conj(b.q));
        const double angle = 2 * trm_v3_length(trm_v3(turn.x, turn.y, turn.z)),
                     far = trm_v3_length(trm_v3_sub(a.p, b.p));
        assert_true(isfinite(angle) && isfinite(far));
        most = fmax(most, fmax(angle, far));
    }
    return most;
}

#endif
