/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures how time and memory grow with the length of a chain of rods on ball joints, held at one end, folded like a
 * zigzag and released.
 *
 *     chain [--order P] [RODS...]       100, 1000, 10000 and 100000 if none is named
 *
 * Time is processor time per rod and step, the best of three runs. Memory is that of the simulation without the model
 * (states, workspace, factorisation), per rod. Allocations are those after the first step. Set OMP_NUM_THREADS=1 to
 * compare times, because processor time counts all threads. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "common/messages.h"
#include "common/rods.h"
#include "trammel/trammel.h"

static const double STEP = 0.001, TOLERANCE = 1e-10;
enum { RUNS = 3, ROD_STEPS = 400000, LEAST_STEPS = 8 };

/* ---- Counting memory ---------------------------------------------------------------------- */

typedef struct counted {
    size_t bytes, calls;
} counted;

static void *count_allocate(void *context, size_t bytes)
{
    counted *memory = context;
    memory->bytes += bytes;
    memory->calls++;
    return malloc(bytes);
}

static void count_release(void *context, void *piece, size_t bytes)
{
    counted *memory = context;
    memory->bytes -= bytes;
    free(piece);
}

/* ---- Measuring ---------------------------------------------------------------------------- */

typedef struct figures {
    double seconds, bytes; /* per rod (and step) */
    double newton;         /* rounds per step */
    size_t later_calls;
    double gap;
} figures;

static bool measure(const trm_model *model, int rods, double order, figures *f)
{
    counted memory = {0};
    const trm_allocator counting = {count_allocate, count_release, &memory};
    trm_simulation_def options = *trm_model_simulation(model);
    options.order = order;
    options.step = STEP;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TOLERANCE;
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    bool ok = messages && trm_sim_create(model, &options, &counting, messages, &sim) == TRM_OK;
    trm_messages_destroy(messages);
    ok = ok && trm_sim_step(sim, STEP).ok;
    const size_t calls = memory.calls;
    const int steps = rods > ROD_STEPS / LEAST_STEPS ? LEAST_STEPS : ROD_STEPS / rods;
    const double started = processor_seconds();
    for (int i = 0; ok && i < steps; i++) ok = trm_sim_step(sim, STEP).ok;
    const double seconds = (processor_seconds() - started) / ((double)rods * steps);
    if (ok && seconds < f->seconds) f->seconds = seconds;
    f->bytes = (double)memory.bytes / rods;
    ok = ok && trm_sim_observe(sim).ok;
    f->later_calls = memory.calls - calls;
    f->newton = ok ? (double)trm_sim_counters(sim)->newton / (steps + 1) : NAN;
    f->gap = ok ? trm_sim_accuracy(sim).gap.position : NAN;
    trm_sim_destroy(sim);
    return ok;
}

static bool print_chain(int rods, double order, double *first)
{
    trm_model *model = make_rods(rods, "ball");
    figures f = {.seconds = INFINITY};
    bool ok = model != NULL;
    for (int run = 0; run < RUNS && ok; run++) ok = measure(model, rods, order, &f);
    trm_model_destroy(model);
    if (!ok) {
        fprintf(stderr, "chain: %d rods could not be simulated\n", rods);
        return false;
    }
    if (*first == 0) *first = f.seconds;
    printf("%8d %14.3f %9.2f %12.0f %12zu %8.2f %9.1e\n", rods, 1e6 * f.seconds, f.seconds / *first, f.bytes,
           f.later_calls, f.newton, f.gap);
    return true;
}

int main(int argc, char **argv)
{
    static const int usual[] = {100, 1000, 10000, 100000};
    double order = 2, first = 0;
    int named = 1;
    if (argc > 2 && strcmp(argv[1], "--order") == 0) order = atof(argv[2]), named = 3;
    printf("%8s %14s %9s %12s %12s %8s %9s\n", "rods", "us/rod/step", "ratio", "bytes/rod", "allocations", "rounds",
           "gap/m");
    bool ok = true;
    for (int i = named; i < argc; i++) ok = print_chain(atoi(argv[i]), order, &first) && ok;
    for (int i = 0; argc == named && i < 4; i++) ok = print_chain(usual[i], order, &first) && ok;
    return ok ? 0 : 1;
}
