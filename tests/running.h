/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs simulations in tests, from a text or a file, with a step and a tolerance, and measures the order of
 * results. */

#ifndef TRM_TESTS_RUNNING_H
#define TRM_TESTS_RUNNING_H

#include <math.h>

#include "reading.h"

/* A simulation with its model. */
typedef struct running {
    trm_model *model;
    trm_sim *sim;
} running;

/* The solver of all simulations made here; NULL: that of their options. */
static const char *running_solver = NULL;

/* Creates a simulation. options NULL: those of the model. The model is destroyed with it. */
static inline running run_model(trm_model *model, const trm_simulation_def *options)
{
    running r = {model, NULL};
    trm_simulation_def with_solver = options ? *options : *trm_model_simulation(model);
    if (running_solver) with_solver.solver = running_solver;
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_sim_create(model, &with_solver, NULL, messages, &r.sim);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return r;
}

/* Does the same with this step, and this tolerance in m, rad, m/s and rad/s. */
static inline running run_model_at(trm_model *model, double step, double tolerance)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = tolerance;
    return run_model(model, &options);
}

static inline running run_text(const char *text, double step, double tolerance)
{
    return run_model_at(model_of_text(text), step, tolerance);
}

static inline running run_file(const char *path, double step, double tolerance)
{
    return run_model_at(model_of_file(path), step, tolerance);
}

static inline void stop(running *r)
{
    trm_sim_destroy(r->sim);
    trm_model_destroy(r->model);
}

/* Asserts that there was no failure, and prints it otherwise. */
static inline void assert_good(trm_outcome outcome)
{
    if (!outcome.ok) print_error("t = %.17g: %s: %s\n", outcome.time, outcome.element, outcome.why);
    assert_true(outcome.ok);
}

/* Runs until a time, observed at multiples of every; NAN: after each step. */
static inline void go_every(const running *r, double until, double every)
{
    const trm_run_def run = {.until = until, .every = every};
    assert_good(trm_sim_run(r->sim, &run));
}

static inline void go(const running *r, double until)
{
    go_every(r, until, NAN);
}

static inline trm_vec3 place_of(const running *r, const char *body)
{
    return trm_body_pose(trm_sim_state(r->sim), trm_find_body(r->model, body)).p;
}

static inline trm_vec3 velocity_of(const running *r, const char *body)
{
    return trm_body_velocity(trm_sim_state(r->sim), trm_find_body(r->model, body)).lin;
}

/* Returns a coordinate of a joint, or the rate of its first. */
static inline double value_of_joint(const running *r, const char *joint, int coordinate)
{
    double q[TRM_JOINT_COORDINATES] = {0};
    trm_joint_values(trm_sim_state(r->sim), trm_find_joint(r->model, joint), q, NULL);
    return q[coordinate];
}

static inline double rate_of(const running *r, const char *joint)
{
    double qd[TRM_JOINT_COORDINATES] = {0};
    trm_joint_values(trm_sim_state(r->sim), trm_find_joint(r->model, joint), NULL, qd);
    return qd[0];
}

static inline double coordinate_of(const running *r, const char *joint)
{
    double q[TRM_JOINT_COORDINATES] = {0};
    trm_joint_values(trm_sim_state(r->sim), trm_find_joint(r->model, joint), q, NULL);
    return q[0];
}

/* An error that depends on the step. */
typedef double (*error_of_step)(double step, const void *context);

/* Returns the order observed between two steps: log2(e(h) / e(h/2)). */
static inline double order_between(error_of_step error, const void *context, double step)
{
    return log2(error(step, context) / error(step / 2, context));
}

/* Runs the group of tests once with each solver; returns the number of failures. */
#define RUN_WITH_ALL_SOLVERS(tests) run_with_all_solvers(tests, sizeof(tests) / sizeof(tests)[0])

static inline int run_with_all_solvers(const struct CMUnitTest *tests, size_t count)
{
    static const char *const solvers[] = {"iterative", "direct"};
    int failures = 0;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        running_solver = solvers[i];
        failures += _cmocka_run_group_tests(running_solver, tests, count, NULL, NULL);
    }
    return failures;
}

#endif
