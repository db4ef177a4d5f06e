/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures one machine on several ranks: time, memory, operations and messages.
 *
 *     mpirun -n K scaling chain|net SIZE [SOLVER]        a chain of SIZE rods on balls, a net of SIZE x SIZE crosses
 *
 * impulse, order 2, steps of 1 ms, joints closed to 1e-10 m. Rank 0 prints one row: seconds of wall-clock time per step (the best of
 * three stretches), bytes of the simulation on the rank that has most (states, rows, reductions; the model, of which each
 * rank has one, next to them), what it sends per step, and the state's hash, which must not depend on the ranks. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/messages.h"
#include "common/rods.h"
#include "net.h"
#include "trammel/mpi.h"
#include "trammel/trammel.h"

static const double STEP = 0.001, TOLERANCE = 1e-10;
enum { STRETCHES = 3, BODY_STEPS = 400000, LEAST_STEPS = 4 };

/* ---- Counting memory ---------------------------------------------------------------------- */

static void *count_allocate(void *context, size_t bytes)
{
    *(size_t *)context += bytes;
    return malloc(bytes);
}

static void count_release(void *context, void *piece, size_t bytes)
{
    *(size_t *)context -= bytes;
    free(piece);
}

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the resident memory of the process, bytes. */
static double resident(void)
{
    long pages = 0, ignored;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* ---- Ranks --------------------------------------------------------------------------------- */

/* Returns the largest value of all ranks, on rank 0; the others wait for it. */
static double largest(trm_exchange *x, double value)
{
    double other;
    for (int r = 1; r < x->count && x->rank == 0; r++)
        if (x->receive(x, r, &other, sizeof other)) value = fmax(value, other);
    if (x->rank > 0) x->send(x, 0, &value, sizeof value);
    for (int r = 1; r < x->count && x->rank == 0; r++) x->send(x, r, &value, sizeof value);
    if (x->rank > 0) x->receive(x, 0, &value, sizeof value);
    return value;
}

/* ---- Measuring ----------------------------------------------------------------------------- */

typedef struct figures {
    double seconds; /* s of wall-clock time per step */
    double sim_bytes, resident, messages, bytes;
    double reductions, newton;
    uint64_t hash;
} figures;

static uint64_t hash_of(const trm_sim *sim, const trm_model *model)
{
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < trm_body_count(model); i++) {
        const trm_pose X = trm_body_pose(trm_sim_state((trm_sim *)sim), i);
        unsigned char bytes[sizeof X];
        memcpy(bytes, &X, sizeof X);
        for (size_t k = 0; k < sizeof X; k++) hash = (hash ^ bytes[k]) * 1099511628211u;
    }
    return hash;
}

static bool stretch(trm_sim *sim, trm_exchange *x, int steps, figures *f)
{
    bool ok = true;
    const long long messages = x->messages, bytes = x->bytes;
    const trm_counters before = *trm_sim_counters(sim);
    largest(x, 0); /* all begin together */
    const double started = wall_seconds();
    for (int i = 0; ok && i < steps; i++) ok = trm_sim_step(sim, STEP).ok;
    const double seconds = largest(x, wall_seconds() - started) / steps;
    f->seconds = fmin(f->seconds, seconds);
    f->messages = (double)(x->messages - messages) / steps;
    f->bytes = (double)(x->bytes - bytes) / steps;
    f->reductions = (double)(trm_sim_counters(sim)->reductions - before.reductions) / steps;
    f->newton = (double)(trm_sim_counters(sim)->newton - before.newton) / steps;
    return ok;
}

static bool measure(const trm_model *model, const char *solver, trm_exchange *x, figures *f)
{
    size_t allocated = 0;
    const trm_allocator counting = {count_allocate, count_release, &allocated};
    trm_simulation_def options = *trm_model_simulation(model);
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    const int bodies = trm_body_count(model);
    const int steps = bodies > BODY_STEPS / LEAST_STEPS ? LEAST_STEPS : BODY_STEPS / bodies;
    options.solver = solver;
    options.step = STEP;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TOLERANCE;
    bool ok = messages && trm_sim_create(model, &options, &counting, messages, &sim) == TRM_OK &&
              trm_sim_distribute(sim, x, messages) == TRM_OK;
    print_messages("scaling", messages);
    trm_messages_destroy(messages);
    ok = ok && trm_sim_step(sim, STEP).ok;
    *f = (figures){.seconds = INFINITY};
    for (int i = 0; ok && i < STRETCHES; i++) ok = stretch(sim, x, steps < 40 ? steps : 40, f);
    f->sim_bytes = largest(x, (double)allocated);
    f->resident = largest(x, resident());
    ok = ok && trm_sim_observe(sim).ok;
    if (ok) f->hash = hash_of(sim, model);
    trm_sim_destroy(sim);
    return ok;
}

int main(int argc, char **argv)
{
    trm_exchange *x = trm_mpi_begin(&argc, &argv);
    const bool chain = argc > 2 && strcmp(argv[1], "chain") == 0, net = argc > 2 && strcmp(argv[1], "net") == 0;
    const int size = argc > 2 ? atoi(argv[2]) : 0;
    const char *solver = argc > 3 ? argv[3] : "hierarchy";
    figures f;
    if (!x || (!chain && !net) || size < 1) {
        fprintf(stderr, "usage: scaling chain|net SIZE [SOLVER]\n");
        return 2;
    }
    trm_model *model = chain ? make_rods(size, "ball") : make_net(size);
    const bool ok = model && measure(model, solver, x, &f);
    if (ok && x->rank == 0)
        printf("%-6s %7d %-10s %5d %11.3f %12.0f %9.1f %11.1f %10.1f %10.1f %8.2f  %016llx\n", argv[1], size, solver,
               x->count, 1e3 * f.seconds, f.sim_bytes / trm_body_count(model), 1e-6 * f.resident, f.messages,
               1e-3 * f.bytes, f.reductions, f.newton, (unsigned long long)f.hash);
    trm_model_destroy(model);
    trm_mpi_end(x, ok ? (double)INFINITY : 1);
    return ok ? 0 : 4;
}
