/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures the time of a step of Runge-Kutta 4: robots of robots.h by the method minimal, and by impulse at order 2
 * in body and in joint coordinates, compared with MuJoCo's RK4 if it is installed. Both read the same text; after one
 * second the origins of all bodies are compared. */

#include "trees/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/messages.h"
#include "trammel/trammel.h"
#include "trees/robots.h"
#include "trees/trees.h"

static const double STEP = 0.001, SECONDS = 1;
enum { RUNS = 15, MOST_BODIES = 64, MOST_COORDINATES = 100 };

typedef struct run {
    double us; /* per step */
    double places[3 * MOST_BODIES];
    int bodies;
} run;

trm_model *read_robot(const char *text, trm_messages *messages)
{
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    if (trm_read_model_text(text, strlen(text), "robot.xml", NULL, NULL, messages, &def) == TRM_OK)
        trm_model_create(def, NULL, messages, &model);
    trm_model_def_destroy(def);
    return model;
}

/* A method with one option of its own. */
static const trm_option MINIMAL = {.method = "minimal", .name = "integrator", .text = "rk4"},
                        IMPULSE = {.method = "impulse", .name = "coordinates", .text = "body"},
                        IMPULSE_JOINT = {.method = "impulse", .name = "coordinates", .text = "joint"};

static trm_simulation_def options_of(const trm_option *method)
{
    trm_simulation_def options = trm_default_simulation_def();
    options.method = method->method;
    options.step = STEP;
    options.options = method, options.option_count = 1;
    return options;
}

bool set_robot_rates(const trm_model *model, trm_state *state)
{
    trm_joint_space *space = NULL;
    double q[MOST_COORDINATES], qd[MOST_COORDINATES];
    if (trm_joint_space_create(model, NULL, &space) != TRM_OK) return false;
    const int n = trm_joint_space_size(space);
    trm_joint_space_read(space, state, q, qd);
    for (int i = 0; i < n && n <= MOST_COORDINATES; i++) {
        const int joint = trm_joint_space_name_of(space, i).joint;
        if (joint >= 0) qd[i] = robot_rate(joint);
    }
    trm_joint_space_set(space, 0, q, qd);
    trm_joint_space_write(space, state);
    trm_joint_space_destroy(space);
    return n <= MOST_COORDINATES;
}

static bool step_through(const trm_model *model, const trm_option *method, trm_messages *messages, run *r)
{
    const trm_simulation_def options = options_of(method);
    const int steps = (int)lround(SECONDS / STEP);
    trm_sim *sim = NULL;
    if (trm_sim_create(model, &options, NULL, messages, &sim) != TRM_OK) return false;
    bool good = set_robot_rates(model, trm_sim_state(sim));
    const double started = bench_seconds();
    for (int k = 0; good && k < steps; k++) good = trm_sim_step(sim, STEP).ok;
    r->us = fmin(r->us, 1e6 * (bench_seconds() - started) / steps);
    r->bodies = trm_body_count(model) - 1;
    for (int b = 0; b < r->bodies && b < MOST_BODIES; b++) {
        const trm_vec3 p = trm_body_pose(trm_sim_state(sim), b + 1).p;
        r->places[3 * b] = p.x, r->places[3 * b + 1] = p.y, r->places[3 * b + 2] = p.z;
    }
    trm_sim_destroy(sim);
    return good;
}

static bool run_ours(const char *text, const trm_option *method, run *r)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = messages ? read_robot(text, messages) : NULL;
    bool good = model != NULL;
    r->us = INFINITY;
    for (int i = 0; good && i < RUNS; i++) good = step_through(model, method, messages, r);
    if (!good) print_messages("bench_trees", messages);
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    return good;
}

static void print_beside(const char *text, const run *ours)
{
#ifdef BENCH_HAS_MUJOCO
    double theirs[3 * MOST_BODIES], farthest = 0;
    const double us = mujoco_steps(text, (int)lround(SECONDS / STEP), RUNS, theirs, ours->bodies);
    for (int i = 0; i < 3 * ours->bodies; i++) farthest = fmax(farthest, fabs(theirs[i] - ours->places[i]));
    printf("  %9.2f  %6.2f  %9.1e", us, ours->us / us, farthest);
#else
    (void)text, (void)ours;
#endif
}

int compare_robots(void)
{
    static char text[ROBOT_TEXT];
    printf("us per step of %g s; distance of all bodies after %g s, m\n", STEP, SECONDS);
    printf("                        minimal rk4   impulse 2   in joints   MuJoCo RK4   ratio   distance\n");
    for (int i = 0; i < ROBOT_KINDS; i++) {
        run rk4, impulse, joint;
        write_robot(&ROBOTS[i], STEP, text, sizeof text);
        if (!run_ours(text, &MINIMAL, &rk4) || !run_ours(text, &IMPULSE, &impulse) ||
            !run_ours(text, &IMPULSE_JOINT, &joint))
            return 1;
        printf("%-24s  %9.2f   %9.2f   %9.2f  ", ROBOTS[i].name, rk4.us, impulse.us, joint.us);
        print_beside(text, &rk4);
        printf("\n");
    }
    return 0;
}
