/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures how much faster than real time machines run on one core: the arm, the walker in the air and on its feet
 * and the gripper with a step of 5 ms, and the event-driven dominoes with a step of 2 ms; order 2, all joints at
 * once.
 *
 *     machines [--runs N] [MACHINE...]      all if none is named
 *
 * Time is processor time, the best of N runs (5), from the first step to the end of the example, without rows of results.
 * Set OMP_NUM_THREADS=1, because processor time counts all threads. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "common/messages.h"
#include "trammel/trammel.h"

enum { RUNS = 5 };

/* An example, its step in s, and its contact mode. */
typedef struct machine {
    const char *name;
    double step;
    const char *impact;
} machine;

static const machine machines[] = {
    {"arm", 0.005, "event"},     {"walker", 0.005, "event"},   {"walker-on-ground", 0.005, "event"},
    {"gripper", 0.005, "event"}, {"dominoes", 0.002, "event"},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

typedef struct figures {
    trm_counters counted;
    trm_accuracy accuracy; /* a fast wrong answer shows here */
    double until, seconds;
} figures;

/* ---- Running ------------------------------------------------------------------------------ */

/* Runs a machine, observed only at its end. */
static bool run(trm_sim *sim, const char *name, double until, figures *f)
{
    const trm_run_def whole = {.until = until, .every = until};
    if (!trm_sim_observe(sim).ok) return false;
    const double start = processor_seconds();
    const trm_outcome outcome = trm_sim_run(sim, &whole);
    *f = (figures){*trm_sim_counters(sim), trm_sim_accuracy(sim), until, processor_seconds() - start};
    if (!outcome.ok) fprintf(stderr, "%s at %g s: %s %s\n", name, outcome.time, outcome.element, outcome.why);
    return outcome.ok;
}

static bool run_model(const trm_model *model, const machine *m, int runs, trm_messages *messages, figures *best)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = m->step;
    options.impact = m->impact;
    for (int i = 0; i < runs; i++) {
        trm_sim *sim = NULL;
        figures f;
        const bool done =
            trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK && run(sim, m->name, options.time, &f);
        trm_sim_destroy(sim);
        if (!done) return false;
        if (i == 0 || f.seconds < best->seconds) *best = f;
    }
    return true;
}

static void print_figures(const char *name, const trm_model *model, const figures *f)
{
    const double steps = (double)f->counted.steps;
    printf("%-16s %6d %6d %6g %6lld %6lld %8.1f %10.1f %8.1f %10.1e %10.1e\n", name, trm_body_count(model) - 1,
           trm_joint_count(model), f->until, f->counted.steps, f->counted.halvings, (double)f->counted.newton / steps,
           1e6 * f->seconds / steps, f->until / f->seconds, f->accuracy.energy_error_max,
           fmax(f->accuracy.gap.position, f->accuracy.gap.angle));
}

static bool measure(const machine *m, int runs)
{
    char path[1000];
    figures best = {0};
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, m->name);
    const bool done = messages && trm_read_model_file(path, NULL, NULL, messages, &def) == TRM_OK &&
                      trm_model_create(def, NULL, messages, &model) == TRM_OK &&
                      run_model(model, m, runs, messages, &best);
    print_messages(m->name, messages);
    if (done) print_figures(m->name, model, &best);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return done;
}

/* ---- The program -------------------------------------------------------------------------- */

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    const bool chosen = argc > 2 && strcmp(argv[1], "--runs") == 0;
    const int first = chosen ? 3 : 1, runs = chosen ? atoi(argv[2]) : RUNS;
    int measured = 0;
    printf("%-16s %6s %6s %6s %6s %6s %8s %10s %8s %10s %10s\n", "machine", "bodies", "joints", "time/s", "steps",
           "halved", "newton", "us/step", "x real", "|dE| J", "gap");
    for (int i = 0; i < MACHINES && runs > 0; i++) {
        if (!is_wanted(machines[i].name, argc - first, argv + first)) continue;
        if (!measure(&machines[i], runs)) return 1;
        measured++;
    }
    if (measured == 0)
        fprintf(stderr, "no such machine; there are arm, walker, walker-on-ground, gripper and dominoes\n");
    return measured > 0 ? 0 : 2;
}
