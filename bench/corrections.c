/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures how fast the iterative impulse method corrects joints, on one core.
 *
 *     checks        of a joint in the look-ahead (Schmitt 2003, P-step 1)
 *     corrections   impulses applied to close it (P-step 2)
 *
* Velocities are corrected once, after the end, and not timed. The time is processor time, the best of five runs.
 *
 *     corrections [--once] [SCENE...]      eight-loop, chain, four-bar; all of them if none is named
 *
 * --once makes one run of each: for bench/instructions.sh, which counts instructions instead. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/machine.h"
#include "common/messages.h"
#include "trammel/trammel.h"

enum { RUNS = 5, CHAIN_RODS = 100 };

static const double FOLD = 1.0; /* rad: a straight chain does not converge joint by joint */

typedef struct scene {
    const char *name;
    trm_status (*define)(trm_messages *messages, trm_model_def **def);
    double step, tolerance, until; /* s, m and rad, s */
} scene;

typedef struct figures {
    trm_counters counted;
    double seconds;
    double energy_error; /* J, at the end: a fast wrong answer shows here */
} figures;

/* ---- Scenes ------------------------------------------------------------------------------- */

static trm_status eight_loop(trm_messages *messages, trm_model_def **def)
{
    return trm_read_model_file(TRM_EXAMPLES "/eight-loop.json", NULL, NULL, messages, def);
}

static trm_status four_bar(trm_messages *messages, trm_model_def **def)
{
    return trm_read_model_file(TRM_EXAMPLES "/four-bar.json", NULL, NULL, messages, def);
}

/* The zigzag of the 8-Loop, folded more tightly. */
static trm_vec3 fold(int i)
{
    return trm_v3(i * cos(FOLD), i % 2 ? -sin(FOLD) : 0, 0);
}

static trm_status add_link(trm_model_def *def, int i, const char *before, const char *name)
{
    trm_body_def rod = trm_default_body_def();
    trm_joint_def joint = trm_default_joint_def();
    rod.name = name;
    rod.kind = TRM_BODY_ROD;
    rod.rod = (trm_rod_def){fold(i), fold(i + 1), 1, 0.01};
    joint.name = name;
    joint.type = "ball";
    joint.bodies[0] = before;
    joint.bodies[1] = name;
    joint.anchor = rod.rod.from;
    const trm_status status = trm_add_body(def, &rod);
    return status == TRM_OK ? trm_add_joint(def, &joint) : status;
}

/* Rods of 1 m in a row, held at one end, dropped. */
static trm_status chain(trm_messages *messages, trm_model_def **def)
{
    static char names[CHAIN_RODS][8]; /* a definition does not copy names: they outlive it */
    (void)messages;
    *def = trm_model_def_create(NULL);
    if (!*def) return TRM_OUT_OF_MEMORY;
    (*def)->gravity = trm_v3(0, -9.81, 0);
    for (int i = 0; i < CHAIN_RODS; i++) {
        snprintf(names[i], sizeof names[i], "rod%d", i);
        const trm_status status = add_link(*def, i, i > 0 ? names[i - 1] : "ground", names[i]);
        if (status != TRM_OK) return status;
    }
    return TRM_OK;
}

static const scene scenes[] = {
    {"eight-loop", eight_loop, 0.00125, 1e-8, 10},
    {"chain", chain, 0.00125, 1e-8, 1},
    {"four-bar", four_bar, 0.00125, 1e-8, 10},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* ---- Running ------------------------------------------------------------------------------ */

/* Only the steps are timed. */
static bool run(trm_sim *sim, const scene *s, figures *f)
{
    const long long steps = llround(s->until / s->step);
    if (!trm_sim_observe(sim).ok) return false;
    const double start = processor_seconds();
    for (long long i = 0; i < steps; i++) {
        const trm_outcome outcome = trm_sim_step(sim, s->step);
        if (outcome.ok) continue;
        fprintf(stderr, "%s at %g s: %s %s\n", s->name, outcome.time, outcome.element, outcome.why);
        return false;
    }
    f->seconds = processor_seconds() - start;
    f->counted = *trm_sim_counters(sim);
    if (!trm_sim_observe(sim).ok) return false;
    f->energy_error = trm_sim_accuracy(sim).energy_error_max;
    return true;
}

static bool run_model(const trm_model *model, const scene *s, int runs, trm_messages *messages, figures *best)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.solver = "iterative";
    options.position_tolerance = options.angle_tolerance = s->tolerance;
    for (int i = 0; i < runs; i++) {
        trm_sim *sim = NULL;
        figures f;
        const bool done = trm_sim_create(model, &options, NULL, messages, &sim) == TRM_OK && run(sim, s, &f);
        trm_sim_destroy(sim);
        if (!done) return false;
        if (i == 0 || f.seconds < best->seconds) *best = f;
    }
    return true;
}

static bool measure(const scene *s, int runs, figures *best)
{
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    const bool done = messages && s->define(messages, &def) == TRM_OK &&
                      trm_model_create(def, NULL, messages, &model) == TRM_OK &&
                      run_model(model, s, runs, messages, best);
    print_messages(s->name, messages);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return done;
}

/* ---- The program -------------------------------------------------------------------------- */

static void print_figures(const scene *s, const figures *f)
{
    const trm_counters *n = &f->counted;
    printf("%-12s %10lld %8lld %12lld %12.3e %12.3e %9.1f %10.3e %10.1e\n", s->name, n->steps, n->halvings, n->checks,
           (double)n->checks / f->seconds, (double)n->corrections / f->seconds, 1e9 * f->seconds / (double)n->checks,
           (double)n->steps / f->seconds, f->energy_error);
}

static bool is_wanted(const scene *s, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], s->name) == 0) return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    const bool once = argc > 1 && strcmp(argv[1], "--once") == 0;
    const int first = once ? 2 : 1;
    int measured = 0;
    printf("%-12s %10s %8s %12s %12s %12s %9s %10s %10s\n", "scene", "steps", "halved", "checks", "checks/s",
           "corrected/s", "ns/check", "steps/s", "|dE| J");
    for (int i = 0; i < SCENES; i++) {
        figures best;
        if (!is_wanted(&scenes[i], argc - first, argv + first)) continue;
        if (!measure(&scenes[i], once ? 1 : RUNS, &best)) return 1;
        print_figures(&scenes[i], &best);
        measured++;
    }
    if (measured == 0) fprintf(stderr, "no such scene; there are eight-loop, chain and four-bar\n");
    return measured > 0 ? 0 : 2;
}
