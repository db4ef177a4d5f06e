/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures the time of an evaluation of closed loops in the method minimal: zigzags of rods on hinges between two
 * walls, with fixed steps, and the 8-Loop by Adams' method with several errors, compared with a run to 1e-12. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/messages.h"
#include "trammel/trammel.h"
#include "trees/steps.h"
#include "trees/trees.h"

static const double STEP = 1e-4, FOLD = 0.5;
enum { RUNS = 5, ROD_STEPS = 20000, LEAST = 50, ROD_TEXT = 600 };

static void add_element(char *text, const char *format, int i, int rods)
{
    const double x = i * cos(FOLD), y = i % 2 ? -sin(FOLD) : 0;
    if (strcmp(format, "rod") == 0) {
        sprintf(text + strlen(text),
                "%s{\"name\":\"r%d\",\"rod\":{\"from\":[%.17g,%.17g,0],\"to\":[%.17g,%.17g,0],\"mass\":1,\"radius\":"
                "0.01}}",
                i ? "," : "", i, x, y, x + cos(FOLD), i % 2 ? 0 : -sin(FOLD));
        return;
    }
    char first[20] = "ground", second[20];
    if (i > 0 && i < rods) snprintf(first, sizeof first, "r%d", i - 1);
    snprintf(second, sizeof second, "r%d", i < rods ? i : i - 1);
    sprintf(text + strlen(text),
            "%s{\"name\":\"j%d\",\"type\":\"hinge\",\"bodies\":[\"%s\",\"%s\"],\"anchor\":[%.17g,%.17g,0],\"axis\":["
            "0,0,1]}",
            i ? "," : "", i, first, second, x, y);
}

/* Returns the text of a zigzag; the caller frees it. */
static char *zigzag_text(int rods)
{
    char *text = malloc((size_t)(rods + 2) * ROD_TEXT), *end;
    if (!text) exit(1);
    strcpy(text, "{\"trammel\":1,\"gravity\":[0,-9.81,0],\"bodies\":[");
    end = text;
    for (int i = 0; i < rods; i++) end += strlen(end), add_element(end, "rod", i, rods);
    strcat(end, "],\"joints\":[");
    for (int i = 0; i <= rods; i++) end += strlen(end), add_element(end, "joint", i, rods);
    strcat(end, "]}");
    return text;
}

static trm_model *model_of(trm_status status, trm_model_def *def, trm_messages *messages)
{
    trm_model *model = NULL;
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, &model);
    trm_model_def_destroy(def);
    if (status != TRM_OK) print_messages("bench_trees", messages);
    if (status != TRM_OK) exit(1);
    return model;
}

static trm_sim *start(const trm_model *model, double step, double error, trm_messages *messages)
{
    static const trm_option fixed = {.method = "minimal", .name = "integrator", .text = "rk4"};
    trm_simulation_def options = trm_default_simulation_def();
    trm_sim *sim = NULL;
    options.method = "minimal";
    options.step = step;
    if (isnan(error))
        options.options = &fixed, options.option_count = 1;
    else
        options.error = error;
    if (trm_sim_create(model, &options, NULL, messages, &sim) != TRM_OK) {
        print_messages("bench_trees", messages);
        exit(1);
    }
    return sim;
}

static void time_zigzag(int rods, trm_messages *messages)
{
    char *text = zigzag_text(rods);
    trm_model_def *def = NULL;
    const trm_status status = trm_read_model_text(text, strlen(text), "zigzag", NULL, NULL, messages, &def);
    trm_model *model = model_of(status, def, messages);
    const int steps = ROD_STEPS / rods > LEAST ? ROD_STEPS / rods : LEAST;
    double best = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        trm_sim *sim = start(model, STEP, NAN, messages);
        if (!trm_sim_step(sim, STEP).ok) exit(1); /* this step chooses the coordinates */
        const long long before = trm_sim_counters(sim)->evaluations;
        const double started = bench_seconds();
        for (int k = 0; k < steps; k++)
            if (!trm_sim_step(sim, STEP).ok) exit(1);
        const double us = 1e6 * (bench_seconds() - started);
        best = fmin(best, us / (double)(trm_sim_counters(sim)->evaluations - before));
        trm_sim_destroy(sim);
    }
    printf("%6d  %12.2f  %12.4f\n", rods, best, best / rods);
    trm_model_destroy(model);
    free(text);
}

static trm_vec3 run_eight_loop(const trm_model *model, double error, double *ms, long long *evaluations,
                               trm_messages *messages)
{
    trm_vec3 place = {0, 0, 0};
    *ms = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        trm_sim *sim = start(model, 1, error, messages);
        const double started = bench_seconds();
        if (!trm_sim_step(sim, 1).ok) exit(1);
        *ms = fmin(*ms, 1e3 * (bench_seconds() - started));
        place = trm_body_pose(trm_sim_state(sim), 4).p;
        *evaluations = trm_sim_counters(sim)->evaluations;
        trm_sim_destroy(sim);
    }
    return place;
}

static double apart(trm_vec3 a, trm_vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

int time_loops(const char *eight_loop)
{
    static const double errors[] = {1e-4, 1e-6, 1e-8, 1e-10};
    static const int rods[] = {10, 100, 1000};
    trm_messages *messages = trm_messages_create(NULL);
    if (!messages) return 1;
    printf("zigzag of rods on hinges between two walls, us per evaluation of steps of %g s\n", STEP);
    printf("  rods       minimal       per rod\n");
    for (int i = 0; i < 3; i++) time_zigzag(rods[i], messages);
    trm_model_def *def = NULL;
    const trm_status status = trm_read_model_file(eight_loop, NULL, NULL, messages, &def);
    trm_model *model = model_of(status, def, messages);
    double ms;
    long long evaluations;
    const trm_vec3 exact = run_eight_loop(model, 1e-12, &ms, &evaluations, messages);
    printf("8-Loop for 1 s\n  error asked   error m        ms   evaluations   us each\n");
    for (int i = 0; i < 4; i++) {
        const trm_vec3 place = run_eight_loop(model, errors[i], &ms, &evaluations, messages);
        printf("  %11.0e   %7.1e   %7.2f   %11lld   %7.2f\n", errors[i], apart(place, exact), ms, evaluations,
               1e3 * ms / (double)evaluations);
    }
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    return 0;
}
