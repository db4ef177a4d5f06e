/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How long accelerations of a tree take: chains of rods on hinges by the method minimal (articulated bodies), beside Simbody's where it
 * is there.
 *
 *     trees [RODS...]       10, 100 and 1000 if none is named
 *
 * Ours is the time of fixed steps (rk4) per evaluation, all that a step does beside them included. */

#include "trees/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/machine.h"
#include "common/messages.h"
#include "trammel/trammel.h"

static const double FOLD = 0.5, STEP = 1e-6;
enum { RUNS = 5, ROD_EVALUATIONS = 300000, LEAST = 20 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef char rod_name[16];

static trm_vec3 corner(int i)
{
    return trm_v3(i * cos(FOLD), i % 2 ? -sin(FOLD) : 0, 0);
}

static trm_status add_rod(trm_model_def *def, const rod_name *names, int i)
{
    trm_body_def rod = trm_default_body_def();
    trm_joint_def joint = trm_default_joint_def();
    rod.name = joint.name = names[i];
    rod.kind = TRM_BODY_ROD;
    rod.rod = (trm_rod_def){corner(i - 1), corner(i), 1, 0.01};
    joint.type = "hinge";
    joint.bodies[0] = names[i - 1];
    joint.bodies[1] = names[i];
    joint.anchor = rod.rod.from;
    joint.axis = trm_v3(0, 0, 1);
    const trm_status status = trm_add_body(def, &rod);
    return status == TRM_OK ? trm_add_joint(def, &joint) : status;
}

/* Names outlive the model's making only. */
static trm_model *make_chain(int rods)
{
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    rod_name *names = malloc(((size_t)rods + 1) * sizeof *names);
    trm_status status = messages && def && names ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) def->gravity = trm_v3(0, -9.81, 0), strcpy(names[0], "ground");
    for (int i = 1; status == TRM_OK && i <= rods; i++) {
        snprintf(names[i], sizeof names[i], "r%d", i);
        status = add_rod(def, names, i);
    }
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, &model);
    print_messages("bench_trees", messages);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    free(names);
    return status == TRM_OK ? model : NULL;
}

/* us per evaluation; the first joint's acceleration at the start. */
static double trammel_chain(int rods, int evaluations, double *first)
{
    static const trm_option fixed = {.method = "minimal", .name = "integrator", .text = "rk4"};
    trm_model *model = make_chain(rods);
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
    trm_sim_want_reactions(sim, true);
    trm_sim_observe(sim);
    *first = trm_body_acceleration(trm_sim_state(sim), 1).ang.z;
    for (int run = 0; run < RUNS; run++) {
        const long long before = trm_sim_counters(sim)->evaluations;
        const double started = seconds();
        for (int k = 0; k < evaluations / 5 + 1; k++)
            if (!trm_sim_step(sim, STEP).ok) exit(1);
        const double taken = seconds() - started;
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
    const double simbody = simbody_chain(rods, FOLD, evaluations, RUNS, &theirs);
    printf("  %12.2f  %7.3f  %12.1e", simbody, us / simbody, fabs(ours - theirs) / fabs(theirs));
#else
    (void)ours, (void)theirs;
#endif
    printf("\n");
}

int main(int count, char **words)
{
    static const int usual[] = {10, 100, 1000};
    printf("accelerations of a chain of rods on hinges, us per evaluation\n");
    printf("  rods   Trammel          per rod       Simbody    ratio    difference\n");
    for (int i = 1; i < count; i++) compare(atoi(words[i]));
    for (int i = 0; count == 1 && i < 3; i++) compare(usual[i]);
    return 0;
}
