/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures the time of accelerations of a tree: chains of rods on hinges by the method minimal (articulated bodies),
 * compared with Simbody if it is installed.
 *
 *     trees [RODS...]       10, 100 and 1000 if none is named
 *     trees --robots        steps of Runge-Kutta 4 of robots, next to MuJoCo's (steps.c)
 *     trees --precision     the least time to 1e-6 m of the same robots (precision.c)
 *     trees --primitives    mass matrix, inverse and forward dynamics of the same robots (primitives.c)
 *     trees --long STEPS    energy balance of the humanoid over this many steps
 *     trees --loops FILE    evaluations of closed loops, and of the 8-Loop in FILE (loops.c)
 *
* Our time is that of fixed steps (rk4) per evaluation, including everything else that a step does. */

#include "trees/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/machine.h"
#include "common/messages.h"
#include "common/rods.h"
#include "trammel/trammel.h"
#include "trees/steps.h"

static const double STEP = 1e-6;
enum { RUNS = 5, ROD_EVALUATIONS = 300000, LEAST = 20 };

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns us per evaluation; *first: the initial acceleration of the first joint. */
static double trammel_chain(int rods, int evaluations, double *first)
{
    static const trm_option fixed = {.method = "minimal", .name = "integrator", .text = "rk4"};
    trm_model *model = make_rods(rods, "hinge");
    trm_simulation_def options = trm_default_simulation_def();
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    double best = INFINITY;
    options.method = "minimal";
    options.options = &fixed;
    options.option_count = 1;
    options.step = STEP;
    if (!model || !messages || trm_sim_create(model, &options, NULL, messages, &sim) != TRM_OK) {
        print_messages("bench_trees", messages);
        exit(1);
    }
    trm_sim_enable_reactions(sim, true);
    trm_sim_observe(sim);
    *first = trm_body_acceleration(trm_sim_state(sim), 1).ang.z;
    for (int run = 0; run < RUNS; run++) {
        const long long before = trm_sim_counters(sim)->evaluations;
        const double started = bench_seconds();
        for (int k = 0; k < evaluations / 4 + 1; k++)
            if (!trm_sim_step(sim, STEP).ok) exit(1);
        const double taken = bench_seconds() - started;
        best = fmin(best, 1e6 * taken / (double)(trm_sim_counters(sim)->evaluations - before));
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return best;
}

static void compare(int rods)
{
    const int evaluations = ROD_EVALUATIONS / rods > LEAST ? ROD_EVALUATIONS / rods : LEAST;
    double ours, theirs;
    const double us = trammel_chain(rods, evaluations, &ours);
    printf("%6d  %12.2f  %12.4f", rods, us, us / rods);
#ifdef BENCH_HAS_SIMBODY
    const double simbody = simbody_chain(rods, RODS_FOLD, evaluations, RUNS, &theirs);
    printf("  %12.2f  %7.3f  %12.1e", simbody, us / simbody, fabs(ours - theirs) / fabs(theirs));
#else
    (void)ours, (void)theirs;
#endif
    printf("\n");
}

int main(int count, char **words)
{
    static const int usual[] = {10, 100, 1000};
    if (count == 2 && strcmp(words[1], "--robots") == 0) return compare_robots();
    if (count == 2 && strcmp(words[1], "--precision") == 0) return compare_precision();
    if (count == 2 && strcmp(words[1], "--primitives") == 0) return time_primitives();
    if (count == 3 && strcmp(words[1], "--long") == 0) return run_long(atoi(words[2]));
    if (count == 3 && strcmp(words[1], "--loops") == 0) return time_loops(words[2]);
    printf("accelerations of a chain of rods on hinges, us per evaluation\n");
    printf("  rods   Trammel          per rod       Simbody    ratio    difference\n");
    for (int i = 1; i < count; i++) compare(atoi(words[i]));
    for (int i = 0; count == 1 && i < 3; i++) compare(usual[i]);
    return 0;
}
