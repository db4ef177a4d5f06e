/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Cloths of N x N points, joined along warp and weft, flat, held at two opposite corners and released. Measures how time
 * grows with size, and compares with position-based dynamics (Mueller and others 2007), the usual method for such cloths.
 *
 *     cloth [--time T] [N...]           0.1 s; 30, 100 and 300 if none is named
 *
 * Points are 1 m / 29 apart in cloths of any size, so that all move in the same way with one step. Time is processor time
 * per point and step, the best of three runs. Rounds are those of a step. Gap is the largest, as a fraction of a thread's
 * length. The energy error is the largest of |E - E0| at ten times of the run, as a fraction of the energy that a cloth
 * in free fall would have converted by then. Memory is that of the simulation without the model. Set OMP_NUM_THREADS=1 to
 * compare times, because processor time counts all threads. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "common/messages.h"
#include "trammel/trammel.h"

static const double STEP = 0.001, TOLERANCE = 1e-8, SPACING = 1.0 / 29, MASS = 2e-4, GRAVITY = 9.81;
enum { RUNS = 3, LOOKS = 10 };
/* Solved joint by joint, a cloth takes rounds as the square of its side: larger cloths are left out. */
enum { MOST_ITERATIVE = 30 };

/* ---- The cloth ---------------------------------------------------------------------------- */

typedef struct thread {
    int a, b;
} thread;

/* Point (i, j) is number n i + j. */
typedef struct cloth {
    int n, points, thread_count;
    trm_vec3 *start;
    thread *threads;
} cloth;

static bool is_held(const cloth *c, int point)
{
    return point == 0 || point == c->points - 1;
}

static bool make_cloth(int n, cloth *c)
{
    *c = (cloth){.n = n, .points = n * n};
    c->start = malloc((size_t)c->points * sizeof *c->start);
    c->threads = malloc(2 * (size_t)c->points * sizeof *c->threads);
    if (!c->start || !c->threads) return false;
    for (int p = 0; p < c->points; p++) {
        const int i = p / n, j = p % n;
        c->start[p] = trm_v3(SPACING * i, SPACING * j, 0);
        if (i + 1 < n) c->threads[c->thread_count++] = (thread){p, p + n};
        if (j + 1 < n) c->threads[c->thread_count++] = (thread){p, p + 1};
    }
    return true;
}

static void free_cloth(cloth *c)
{
    free(c->start);
    free(c->threads);
}

/* ---- Figures ------------------------------------------------------------------------------ */

typedef struct figures {
    double seconds; /* s of processor time for all steps */
    double rounds;  /* of one step */
    double gap;     /* m */
    double energy;  /* J: largest error */
    double bytes;
} figures;

static void print_figures(const cloth *c, const char *method, int steps, const figures *f)
{
    const double each = 1e6 * f->seconds / ((double)c->points * steps), fall = GRAVITY * steps * STEP;
    printf("%5d %-18s %14.3f %8.2f %9.1e %9.1e %12.0f\n", c->n, method, each, f->rounds, f->gap / SPACING,
           f->energy / (c->points * MASS * fall * fall / 2), f->bytes / c->points);
    fflush(stdout);
}

/* ---- Position-based dynamics -------------------------------------------------------------- */

typedef struct pbd {
    const cloth *cloth;
    int iterations;
    trm_vec3 *x, *before, *v;
} pbd;

/* Projects one thread after the other: moves its ends so that it has its length. */
static void project(const pbd *s)
{
    for (int t = 0; t < s->cloth->thread_count; t++) {
        const thread th = s->cloth->threads[t];
        const double wa = !is_held(s->cloth, th.a), wb = !is_held(s->cloth, th.b);
        const trm_vec3 d = trm_v3_sub(s->x[th.b], s->x[th.a]);
        const double length = trm_v3_length(d), part = (length - SPACING) / (length * (wa + wb));
        s->x[th.a] = trm_v3_add_scaled(s->x[th.a], part * wa, d);
        s->x[th.b] = trm_v3_add_scaled(s->x[th.b], -part * wb, d);
    }
}

static void pbd_step(const pbd *s)
{
    for (int p = 0; p < s->cloth->points; p++) {
        s->before[p] = s->x[p];
        if (is_held(s->cloth, p)) continue;
        s->v[p].z -= GRAVITY * STEP;
        s->x[p] = trm_v3_add_scaled(s->x[p], STEP, s->v[p]);
    }
    for (int i = 0; i < s->iterations; i++) project(s);
    for (int p = 0; p < s->cloth->points; p++) s->v[p] = trm_v3_scale(1 / STEP, trm_v3_sub(s->x[p], s->before[p]));
}

static void look_at_pbd(const pbd *s, figures *f)
{
    double energy = 0;
    for (int p = 0; p < s->cloth->points; p++)
        energy += MASS * (trm_v3_dot(s->v[p], s->v[p]) / 2 + GRAVITY * s->x[p].z);
    f->energy = fmax(f->energy, fabs(energy));
    for (int t = 0; t < s->cloth->thread_count; t++) {
        const trm_vec3 d = trm_v3_sub(s->x[s->cloth->threads[t].b], s->x[s->cloth->threads[t].a]);
        f->gap = fmax(f->gap, fabs(trm_v3_length(d) - SPACING));
    }
}

static bool measure_pbd(const cloth *c, int iterations, int steps, figures *f)
{
    const size_t bytes = (size_t)c->points * sizeof(trm_vec3);
    const pbd s = {c, iterations, malloc(bytes), malloc(bytes), calloc(1, bytes)};
    const bool ok = s.x && s.before && s.v;
    f->rounds = iterations;
    f->bytes = 3 * (double)bytes;
    if (ok) memcpy(s.x, c->start, bytes);
    double seconds = 0;
    for (int look = 0; ok && look < LOOKS; look++) {
        const double started = processor_seconds();
        for (int i = 0; i < steps / LOOKS; i++) pbd_step(&s);
        seconds += processor_seconds() - started;
        look_at_pbd(&s, f);
    }
    f->seconds = fmin(f->seconds, seconds);
    free(s.x), free(s.before), free(s.v);
    return ok;
}

/* ---- Ours --------------------------------------------------------------------------------- */

typedef char name[32];

static trm_status add_point(trm_model_def *def, const cloth *c, int p, name *names)
{
    trm_body_def body = trm_default_body_def();
    snprintf(names[p], sizeof(name), "p%d", p);
    body.name = names[p];
    body.kind = is_held(c, p) ? TRM_BODY_FIXED : TRM_BODY_POINT;
    if (!is_held(c, p)) body.mass = MASS;
    body.position = c->start[p];
    return trm_add_body(def, &body);
}

static trm_status add_thread(trm_model_def *def, const cloth *c, int t, name *names)
{
    trm_joint_def joint = trm_default_joint_def();
    name *own = &names[c->points + t];
    snprintf(*own, sizeof(name), "t%d", t);
    joint.name = *own;
    joint.type = "distance";
    joint.bodies[0] = names[c->threads[t].a];
    joint.bodies[1] = names[c->threads[t].b];
    joint.anchors[0] = joint.anchors[1] = trm_v3(0, 0, 0);
    joint.length = SPACING;
    return trm_add_joint(def, &joint);
}

static trm_model *make_model(const cloth *c)
{
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    name *names =
        malloc((size_t)(c->points + c->thread_count) * sizeof *names); /* a definition does not copy names */
    trm_status status = messages && def && names ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) def->gravity = trm_v3(0, 0, -GRAVITY);
    for (int p = 0; p < c->points && status == TRM_OK; p++) status = add_point(def, c, p, names);
    for (int t = 0; t < c->thread_count && status == TRM_OK; t++) status = add_thread(def, c, t, names);
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, &model);
    print_messages("cloth", messages);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    free(names);
    return status == TRM_OK ? model : NULL;
}

static void *count_allocate(void *context, size_t bytes)
{
    *(double *)context += (double)bytes;
    return malloc(bytes);
}

static void count_release(void *context, void *piece, size_t bytes)
{
    *(double *)context -= (double)bytes;
    free(piece);
}

static trm_sim *make_sim(const trm_model *model, const char *solver, const trm_allocator *allocator)
{
    trm_simulation_def options = *trm_model_simulation(model);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    options.solver = solver;
    options.step = STEP;
    options.position_tolerance = options.velocity_tolerance = TOLERANCE;
    if (messages) trm_sim_create(model, &options, allocator, messages, &sim);
    trm_messages_destroy(messages);
    return sim;
}

static bool measure_ours(const trm_model *model, const char *solver, int steps, figures *f)
{
    const trm_allocator counting = {count_allocate, count_release, &f->bytes};
    f->bytes = 0;
    trm_sim *sim = make_sim(model, solver, &counting);
    bool ok = sim && trm_sim_observe(sim).ok; /* the energy at the start */
    double seconds = 0;
    long long rounds = 0;
    for (int look = 0; ok && look < LOOKS; look++) {
        const long long before = trm_sim_counters(sim)->rounds;
        const double started = processor_seconds();
        for (int i = 0; ok && i < steps / LOOKS; i++) ok = trm_sim_step(sim, STEP).ok;
        seconds += processor_seconds() - started;
        rounds +=
            trm_sim_counters(sim)->rounds - before; /* rounds of the iterative solver, without those for velocities */
        ok = ok && trm_sim_observe(sim).ok;
    }
    if (ok) {
        const long long newton = trm_sim_counters(sim)->newton;
        f->rounds = (double)(newton > 0 ? newton : rounds) / steps;
        f->gap = trm_sim_accuracy(sim).gap.position;
        f->energy = trm_sim_accuracy(sim).energy_error_max;
        f->seconds = fmin(f->seconds, seconds);
    }
    double bytes = f->bytes;
    trm_sim_destroy(sim);
    f->bytes = bytes;
    return ok;
}

/* ---- All ---------------------------------------------------------------------------------- */

static bool print_ours(const cloth *c, const char *solver, int steps)
{
    trm_model *model = make_model(c);
    figures f = {.seconds = INFINITY};
    bool ok = model != NULL;
    for (int run = 0; run < RUNS && ok; run++) ok = measure_ours(model, solver, steps, &f);
    trm_model_destroy(model);
    if (ok)
        print_figures(c, solver, steps, &f);
    else
        fprintf(stderr, "cloth: %d x %d points could not be simulated, solver %s\n", c->n, c->n, solver);
    return ok;
}

static bool print_pbd(const cloth *c, int iterations, int steps)
{
    char method[32];
    figures f = {.seconds = INFINITY};
    snprintf(method, sizeof method, "position-based %d", iterations);
    for (int run = 0; run < RUNS; run++)
        if (!measure_pbd(c, iterations, steps, &f)) return false;
    print_figures(c, method, steps, &f);
    return true;
}

static bool print_cloth(int n, int steps)
{
    cloth c;
    bool ok = n >= 2 && make_cloth(n, &c);
    if (!ok) return false;
    ok = print_ours(&c, "direct", steps);
    if (n <= MOST_ITERATIVE) ok = print_ours(&c, "iterative", steps) && ok;
    ok = print_pbd(&c, 10, steps) && ok;
    ok = print_pbd(&c, 100, steps) && ok;
    free_cloth(&c);
    return ok;
}

int main(int argc, char **argv)
{
    static const int usual[] = {30, 100, 300};
    double time = 0.1;
    int named = 1;
    if (argc > 2 && strcmp(argv[1], "--time") == 0) time = atof(argv[2]), named = 3;
    const int steps = LOOKS * (int)ceil(time / STEP / LOOKS - 1e-9);
    printf("%5s %-18s %14s %8s %9s %9s %12s\n", "side", "method", "us/point/step", "rounds", "gap", "energy",
           "bytes/point");
    bool ok = true;
    for (int i = named; i < argc; i++) ok = print_cloth(atoi(argv[i]), steps) && ok;
    for (int i = 0; argc == named && i < 3; i++) ok = print_cloth(usual[i], steps) && ok;
    return ok ? 0 : 1;
}
