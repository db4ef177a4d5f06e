/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures the cost of the functions of joint space (trammel/joint_space.h): us of processor time per call, the best
 * of several rounds. Each call recomputes everything that depends on q and qd, except in the column "set". */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/messages.h"
#include "trammel/joint_space.h"
#include "trammel/trammel.h"
#include "trees/robots.h"
#include "trees/steps.h"

enum { ROUNDS = 20, CALLS = 2000 };

typedef struct primitive_run {
    trm_joint_space *space;
    int n;
    double *q, *qd, *qdd, *tau, *matrix;
} primitive_run;

static void set(primitive_run *r)
{
    trm_joint_space_set(r->space, 0, r->q, r->qd);
}

static void inverse(primitive_run *r)
{
    set(r);
    trm_inverse_dynamics(r->space, r->qdd, r->tau);
}

static void mass_matrix(primitive_run *r)
{
    set(r);
    trm_mass_matrix(r->space, r->matrix);
}

static void bias(primitive_run *r)
{
    set(r);
    trm_bias_force(r->space, r->tau);
}

static void forward(primitive_run *r)
{
    set(r);
    if (!trm_forward_dynamics(r->space, r->tau, r->qdd, NULL)) exit(1);
}

static double time_of(primitive_run *r, void (*call)(primitive_run *))
{
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        const double started = bench_seconds();
        for (int k = 0; k < CALLS; k++) call(r);
        best = fmin(best, 1e6 * (bench_seconds() - started) / CALLS);
    }
    return best;
}

static bool time_robot(const robot_kind *kind, char *text, trm_messages *messages)
{
    primitive_run r = {0};
    write_robot(kind, 1e-3, text, ROBOT_TEXT);
    trm_model *model = read_robot(text, messages);
    trm_state *state = model ? trm_state_create(model, NULL) : NULL;
    const bool good =
        state && set_robot_rates(model, state) && trm_joint_space_create(model, NULL, &r.space) == TRM_OK;
    if (good) {
        r.n = trm_joint_space_size(r.space);
        r.q = calloc((size_t)(r.n * (r.n + 4)), sizeof *r.q);
        if (!r.q) exit(1);
        r.qd = r.q + r.n, r.qdd = r.qd + r.n, r.tau = r.qdd + r.n, r.matrix = r.tau + r.n;
        trm_joint_space_read(r.space, state, r.q, r.qd);
        printf("%-16s %4d %10.2f %10.2f %10.2f %10.2f %10.2f\n", kind->name, r.n, time_of(&r, set),
               time_of(&r, inverse), time_of(&r, mass_matrix), time_of(&r, bias), time_of(&r, forward));
    }
    free(r.q);
    trm_joint_space_destroy(r.space);
    trm_state_destroy(state);
    trm_model_destroy(model);
    return good;
}

int time_primitives(void)
{
    char *text = malloc(ROBOT_TEXT);
    trm_messages *messages = trm_messages_create(NULL);
    bool good = text && messages;
    printf("us per call       n        set    inverse  mass mat.       bias    forward\n");
    for (int i = 0; good && i < ROBOT_KINDS; i++) good = time_robot(&ROBOTS[i], text, messages);
    if (!good) print_messages("primitives", messages);
    trm_messages_destroy(messages);
    free(text);
    return good ? 0 : 1;
}
