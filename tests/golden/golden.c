/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs machines that cover all methods, solvers, orders, contact modes and readers. For each it prints a hash of the
 * bits of time, poses and velocities in all rows. Compilers, optimisation, processors, threads, locales and C
 * libraries must not change a line.
 *
 *     golden            prints "hash name" for every machine
 *     golden FILE       also compares with such lines in FILE; exit code 1 if a hash differs
 *
 * Every machine runs twice: without interruption, and saved after half its rows and loaded into a new simulation.
 * Both must agree. */

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trammel/trammel.h"

typedef struct machine {
    const char *name, *file;
    const char *method, *solver, *impact, *scheme; /* NULL: the model's, or the default */
    const char *option, *value;                    /* one option of the method */
    double order, step, time, error;               /* 0: the model's, or the default */
} machine;

static const machine machines[] = {
    {"impulse, direct", "eight-loop.json", "impulse", "direct", .time = 2},
    {"impulse, iterative", "four-bar.json", "impulse", "iterative", .time = 1},
    {"impulse, hierarchy", "truss-bridge.json", "impulse", "hierarchy", .time = 0.4},
    {"impulse, order 8", "four-bar.json", "impulse", .order = 8, .time = 1},
    {"impulse, extrapolated", "problems/r05-flyball-governor.json", "impulse", .order = 4, .scheme = "extrapolation",
     .time = 1},
    {"impulse, error control", "problems/r13-double-pendulum.json", "impulse", .order = 4, .error = 1e-6, .time = 1},
    {"taylor", "problems/r13-double-pendulum.json", "taylor", .order = 6, .time = 0.4},
    {"lagrange, rk4", "slider-crank.json", "lagrange", .option = "integrator", .value = "rk4", .time = 1},
    {"lagrange, drives", "cardan.json", "lagrange", .time = 1},
    {"lcp", "jansen.json", "lcp", .time = 0.5},
    {"minimal, closed forms", "problems/s09-rssr.json", "minimal", .time = 2},
    {"minimal, Newton", "bricard.json", "minimal", .time = 1},
    {"minimal, coordinates change", "problems/s10-unequal-loop.json", "minimal", .time = 2},
    {"subsystem", "eight-loop.json", "subsystem", .time = 0.5},
    {"contact, events", "newtons-cradle.json", "impulse", .impact = "event", .time = 1.5},
    {"contact, events with slip", "billiard.json", "impulse", .impact = "event", .time = 1},
    {"contact, jam", "painleve-rod.json", "impulse", .impact = "event", .time = 0.5},
    {"contact, time-stepping", "dominoes.json", "impulse", .impact = "window", .time = 0.8},
    {"contact, mesh", "ball-in-bowl.json", "impulse", .time = 0.5},
    {"contact, lcp", "stack.json", "lcp", .time = 0.5},
    {"contact, walking", "walker-on-ground.json", .time = 0.5},
    {"grip and limits", "gripper.json", .time = 0.5},
    {"rope and motor", "crane.json", .time = 1},
    {"rail", "roller-coaster.json", .time = 1},
    {"rolling", "rolling-coin.json", .time = 0.5},
    {"URDF", "robots/arm.urdf", "impulse", .time = 1},
};

enum { MACHINES = sizeof machines / sizeof machines[0], ROWS = 8 };

/* ---- Hashing ------------------------------------------------------------------------------ */

typedef struct witness {
    const trm_model *model;
    trm_sim *sim;
    trm_text *saved; /* state after half the rows; NULL: not requested */
    int rows;
    uint64_t hash;
} witness;

/* FNV-1a */
static void hash_numbers(witness *w, const double *numbers, size_t count)
{
    unsigned char bytes[sizeof(double)];
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes, &numbers[i], sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k++) w->hash = (w->hash ^ bytes[k]) * UINT64_C(0x100000001b3);
    }
}

static bool hash_row(void *context, const trm_state *state)
{
    witness *w = context;
    const double time = trm_state_time(state);
    hash_numbers(w, &time, 1);
    for (int i = 0; i < trm_body_count(w->model); i++) {
        const trm_pose X = trm_body_pose(state, i);
        const trm_spatial V = trm_body_velocity(state, i);
        const double numbers[] = {X.p.x,   X.p.y,   X.p.z,   X.q.w,   X.q.x,   X.q.y,  X.q.z,
                                  V.ang.x, V.ang.y, V.ang.z, V.lin.x, V.lin.y, V.lin.z};
        hash_numbers(w, numbers, sizeof numbers / sizeof numbers[0]);
    }
    return true;
}

static bool save_half_way(void *context)
{
    witness *w = context;
    if (++w->rows != ROWS / 2 || !w->saved) return true;
    return trm_sim_save(w->sim, (int64_t)w->hash, trm_text_sink(w->saved)) == TRM_OK;
}

/* ---- Running ------------------------------------------------------------------------------ */

static void print_messages(const trm_messages *messages)
{
    for (int i = 0; i < trm_message_count(messages); i++) {
        char text[1000];
        if (trm_message_at(messages, i)->severity != TRM_ERROR) continue;
        trm_format_message(trm_message_at(messages, i), text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
}

static trm_model *model_of(const machine *m, trm_messages *messages)
{
    char path[1000];
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s", TRM_EXAMPLES, m->file);
    if (trm_read_model_file(path, NULL, NULL, messages, &def) == TRM_OK)
        trm_model_create(def, NULL, messages, &model);
    trm_model_def_destroy(def);
    return model;
}

static trm_sim *sim_of(const machine *m, const trm_model *model, trm_messages *messages)
{
    trm_simulation_def options = *trm_model_simulation(model);
    const trm_option option = {m->method, m->option, m->value, NAN};
    if (m->method) options.method = m->method;
    if (m->solver) options.solver = m->solver;
    if (m->impact) options.impact = m->impact;
    if (m->scheme) options.scheme = m->scheme;
    if (m->order > 0) options.order = m->order;
    if (m->step > 0) options.step = m->step;
    if (m->error > 0) options.error = m->error;
    if (m->option) options.options = &option, options.option_count = 1;
    trm_sim *sim = NULL;
    trm_sim_create(model, &options, NULL, messages, &sim);
    return sim;
}

/* Computes the hash of all rows. loaded: continues from that state. Returns false on failure. */
static bool run(const machine *m, const trm_model *model, trm_text *saved, const trm_text *loaded, uint64_t *hash)
{
    trm_messages *messages = trm_messages_create(NULL);
    witness w = {
        .model = model, .sim = sim_of(m, model, messages), .saved = saved, .hash = UINT64_C(0xcbf29ce484222325)};
    bool good = w.sim != NULL;
    int64_t note = 0;
    if (good && loaded) {
        good = trm_sim_load(w.sim, trm_text_get(loaded), trm_text_length(loaded), "saved", &note, messages) == TRM_OK;
        w.hash = (uint64_t)note;
    }
    const trm_run_def runs = {
        .until = m->time, .every = m->time / ROWS, .row = hash_row, .pulse = save_half_way, .context = &w};
    const trm_outcome outcome = good ? trm_sim_run(w.sim, &runs) : (trm_outcome){0};
    if (good && !outcome.ok)
        fprintf(stderr, "%s: t = %g: %s %s\n", m->name, outcome.time, outcome.element, outcome.why);
    print_messages(messages);
    trm_messages_destroy(messages);
    trm_sim_destroy(w.sim);
    *hash = w.hash;
    return good && outcome.ok;
}

static bool run_both_ways(const machine *m, uint64_t *hash)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_text *saved = trm_text_create(NULL);
    trm_model *model = model_of(m, messages);
    uint64_t resumed = 0;
    const bool good = model && run(m, model, saved, NULL, hash) && run(m, model, NULL, saved, &resumed);
    if (!model) print_messages(messages);
    if (good && resumed != *hash) fprintf(stderr, "%s: resumed, the bits are others\n", m->name);
    trm_model_destroy(model);
    trm_text_destroy(saved);
    trm_messages_destroy(messages);
    return good && resumed == *hash;
}

/* ---- Comparing ---------------------------------------------------------------------------- */

/* Returns the hash that a file has for a machine; 0: none. */
static uint64_t expected(const char *path, const char *name)
{
    char line[200];
    uint64_t found = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *end = line;
        const uint64_t hash = strtoull(line, &end, 16);
        if (end != line && *end == ' ' && strcmp(end + 1, name) == 0) found = hash;
    }
    if (file) fclose(file);
    return found;
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "");
    int bad = 0;
    for (int i = 0; i < MACHINES; i++) {
        uint64_t hash = 0;
        bool good = run_both_ways(&machines[i], &hash);
        if (good && argc > 1 && hash != expected(argv[1], machines[i].name)) {
            fprintf(stderr, "%s: not the bits of %s\n", machines[i].name, argv[1]);
            good = false;
        }
        bad += !good;
        printf("%016" PRIx64 " %s\n", hash, machines[i].name);
    }
    fprintf(stderr, "golden: %d machines, %d wrong\n", (int)MACHINES, bad);
    return bad > 0;
}
