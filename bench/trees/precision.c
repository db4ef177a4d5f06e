/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures the cost of accuracy on robots: the least time in which the origins of all bodies are within 1e-6 m after
 * 1 s, by Adams' method with several errors, with fixed steps of order 8 and 4, and by MuJoCo's RK4 if it is
 * installed. The reference is Adams' method to 1e-13. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/messages.h"
#include "trammel/trammel.h"
#include "trees/robots.h"
#include "trees/steps.h"
#include "trees/trees.h"

static const double WANTED = 1e-6, SECONDS = 1;
enum { RUNS = 7, MOST_BODIES = 64 };

typedef struct trial {
    double setting, error, ms; /* step or requested error; m; ms per simulated second */
} trial;

typedef struct machine {
    const char *text;
    trm_model *model;
    trm_messages *messages;
    int bodies;
    double exact[3 * MOST_BODIES];
} machine;

static trm_simulation_def options_of(const char *integrator, double setting, trm_option *option)
{
    trm_simulation_def options = trm_default_simulation_def();
    const bool adams = strcmp(integrator, "adams") == 0;
    *option = (trm_option){.method = "minimal", .name = "integrator", .text = integrator};
    options.method = "minimal";
    options.options = option;
    options.option_count = 1;
    options.step = adams ? SECONDS : setting;
    if (adams) options.error = setting;
    return options;
}

/* Makes one run and computes the final positions. Returns its time, ms; < 0: it failed. */
static double run_once(const machine *m, const char *integrator, double setting, double *places)
{
    trm_option option;
    const trm_simulation_def options = options_of(integrator, setting, &option);
    trm_sim *sim = NULL;
    if (trm_sim_create(m->model, &options, NULL, m->messages, &sim) != TRM_OK) return -1;
    const int steps = (int)lround(SECONDS / options.step);
    bool good = set_robot_rates(m->model, trm_sim_state(sim));
    const double started = bench_seconds();
    for (int k = 0; good && k < steps; k++) good = trm_sim_step(sim, SECONDS / steps).ok;
    const double ms = 1e3 * (bench_seconds() - started);
    for (int b = 0; b < m->bodies; b++) {
        const trm_vec3 p = trm_body_pose(trm_sim_state(sim), b + 1).p;
        places[3 * b] = p.x, places[3 * b + 1] = p.y, places[3 * b + 2] = p.z;
    }
    trm_sim_destroy(sim);
    return good ? ms : -1;
}

static double farthest(const machine *m, const double *places)
{
    double most = 0;
    for (int i = 0; i < 3 * m->bodies; i++) most = fmax(most, fabs(places[i] - m->exact[i]));
    return most;
}

static trial ours(const machine *m, const char *integrator, double setting)
{
    double places[3 * MOST_BODIES];
    trial t = {setting, INFINITY, INFINITY};
    for (int run = 0; run < RUNS; run++) {
        const double ms = run_once(m, integrator, setting, places);
        if (ms < 0) return t;
        t.ms = fmin(t.ms, ms);
    }
    t.error = farthest(m, places);
    return t;
}

static trial mujoco(const machine *m, const robot_kind *kind, double h)
{
    trial t = {h, INFINITY, INFINITY};
#ifdef BENCH_HAS_MUJOCO
    static char text[ROBOT_TEXT];
    double places[3 * MOST_BODIES];
    const int steps = (int)lround(SECONDS / h);
    write_robot(kind, SECONDS / steps, text, sizeof text);
    t.ms = 1e-3 * steps * mujoco_steps(text, steps, RUNS, places, m->bodies);
    t.error = farthest(m, places);
#else
    (void)m, (void)kind;
#endif
    return t;
}

static void keep_better(trial *best, trial t)
{
    if (t.error <= WANTED && t.ms < best->ms) *best = t;
}

static void print_trial(const char *name, trial t)
{
    if (isfinite(t.ms))
        printf("  %-10s %8.3f ms  (%.0e: %.1e m)", name, t.ms, t.setting, t.error);
    else
        printf("  %-10s        -", name);
}

static void compare(const robot_kind *kind, machine *m)
{
    static const double errors[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
    static const double steps[] = {0.1, 0.05, 0.04, 0.025, 0.02, 0.0125, 0.01, 0.005, 0.0025, 0.00125, 0.001, 0.0005};
    trial best[4];
    for (int i = 0; i < 4; i++) best[i] = (trial){NAN, INFINITY, INFINITY};
    for (int i = 0; i < 7; i++) keep_better(&best[0], ours(m, "adams", errors[i]));
    for (int i = 0; i < 8; i++) keep_better(&best[1], ours(m, "fehlberg8", steps[i]));
    for (int i = 4; i < 12; i++) keep_better(&best[2], ours(m, "rk4", steps[i]));
    for (int i = 4; i < 12; i++) keep_better(&best[3], mujoco(m, kind, steps[i]));
    printf("%-22s", kind->name);
    print_trial("adams", best[0]);
    print_trial("fehlberg8", best[1]);
    print_trial("rk4", best[2]);
    print_trial("MuJoCo", best[3]);
    printf("  ratio %.2f\n", fmin(best[0].ms, best[1].ms) / best[3].ms);
}

/* Prints the energy balance of the last robot over this many steps of Runge-Kutta 4, and over half as many of double
 * length. */
int run_long(int steps)
{
    static char text[ROBOT_TEXT];
    trm_messages *messages = trm_messages_create(NULL);
    write_robot(&ROBOTS[ROBOT_KINDS - 1], 0.001, text, sizeof text);
    trm_model *model = messages ? read_robot(text, messages) : NULL;
    for (int times = 2; model && times >= 1; times--) {
        trm_option option;
        const double h = 0.001 * times;
        const trm_simulation_def options = options_of("rk4", h, &option);
        trm_sim *sim = NULL;
        bool good = trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK &&
                    set_robot_rates(model, trm_sim_state(sim)) && trm_sim_observe(sim).ok;
        for (int k = 0; good && k < steps / times; k++) good = trm_sim_step(sim, h).ok;
        good = good && trm_sim_observe(sim).ok;
        const trm_accuracy a = trm_sim_accuracy(sim);
        printf("%s, %d steps of %g s: %s, energy balance off by %.2e J of %.2e J\n", ROBOTS[ROBOT_KINDS - 1].name,
               steps / times, h, good ? "done" : "failed", fabs(a.energy_end - a.energy_start), fabs(a.energy_start));
        trm_sim_destroy(sim);
    }
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    return 0;
}

int compare_precision(void)
{
    static char text[ROBOT_TEXT];
    static machine m;
    printf("least time per simulated second to %g m (step or error asked: error reached)\n", WANTED);
    for (int i = 0; i < ROBOT_KINDS; i++) {
        write_robot(&ROBOTS[i], 0.001, text, sizeof text);
        m = (machine){.text = text, .messages = trm_messages_create(NULL)};
        m.model = m.messages ? read_robot(text, m.messages) : NULL;
        if (!m.model) return 1;
        m.bodies = trm_body_count(m.model) - 1;
        if (m.bodies > MOST_BODIES || run_once(&m, "adams", 1e-13, m.exact) < 0) return 1;
        compare(&ROBOTS[i], &m);
        trm_model_destroy(m.model);
        trm_messages_destroy(m.messages);
    }
    return 0;
}
