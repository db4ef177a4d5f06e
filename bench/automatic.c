/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compares the choice of the method auto with every fixed choice of method, order and step or tolerance.
 *
 *     automatic MODEL...
 *
 * Each model runs for its own time, at most 1 s, from its creation to one row at the end. The error is the largest
 * distance of a body from the reference, in m and rad, divided by the time. The error of the energy
 * balance, as a fraction of the exchanged energy, counts as the same fraction of the size of the machine: drives may
 * prescribe all motion, and then only their work has an error. A fixed choice takes shorter and shorter
 * steps until its error is at most that of auto, or the requested error if that of auto is smaller. The ratio is the time
 * of auto, with its trials, over that of the fastest fixed choice. Times are processor times, the best of several runs.
 * Set OMP_NUM_THREADS=1.
 *
 * The reference is minimal with the tolerance 1e-12, else impulse with the highest order that the model allows. Models
 * whose two references differ by more than a tenth of the requested error are left out. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "trammel/trammel.h"

enum { RUNS = 7, MOST_MODELS = 200, MOST_RUNGS = 40, SHORTEST_LADDER = 4 };
static const double LONGEST = 1, LONG_RUN = 0.02,
                    TOO_LONG =
                        2; /* s: simulated time; runs longer than this are measured once; longer ones are not made */
static const double HOPELESS = 4; /* multiple of the best time: a ladder of steps ends */
static const double DOUBT = 0.1;  /* fraction of the requested error */
static const double USUAL_ERROR =
    1e-4; /* requested error per second, as a fraction of the size (src/sim/automatic.c) */

/* ---- Choices ------------------------------------------------------------------------------- */

typedef struct fixed {
    const char *name, *method, *integrator;
    double order;
    bool controlled; /* the ladder consists of errors, not of steps */
} fixed;

static const fixed choices[] = {
    {"minimal adams", "minimal", "adams", 2, true},
    {"minimal rk4", "minimal", "rk4", 2, false},
    {"minimal fehlberg8", "minimal", "fehlberg8", 2, false},
    {"impulse 2", "impulse", NULL, 2, false},
    {"impulse 4", "impulse", NULL, 4, false},
    {"lagrange dopri5", "lagrange", "dopri5", 2, false},
    {"lagrange dopri5, error", "lagrange", "dopri5", 2, true},
};
enum { CHOICES = sizeof choices / sizeof choices[0] };

/* Result of one run: the final state, and its time, s. */
typedef struct result {
    bool ok;
    double seconds, requested;
    double balance; /* fraction of the exchanged energy by which the energy balance is off */
    trm_state *end;
    char chosen[40];
} result;

static trm_simulation_def options_of(const trm_model *model, const fixed *f, double value, double time,
                                     trm_option *own)
{
    trm_simulation_def o = *trm_model_simulation(model);
    *own = (trm_option){f->method, "integrator", f->integrator, 0};
    o.method = f->method, o.order = f->order, o.solver = "direct", o.scheme = "auto";
    o.position_tolerance = o.angle_tolerance = o.velocity_tolerance = o.error = NAN;
    o.time = o.every = time;
    if (strcmp(f->method, "auto") != 0) o.step = time; /* the ladder sets it, or it is not used */
    if (!isnan(value) && f->controlled) o.error = value;
    if (!isnan(value) && !f->controlled) o.step = value;
    o.options = own, o.option_count = f->integrator ? 1 : 0;
    return o;
}

static double balance_of(const trm_sim *sim)
{
    const trm_accuracy a = trm_sim_accuracy(sim);
    return a.energy_scale > 0 ? a.energy_error_max / a.energy_scale : 0;
}

static bool run_once(const trm_model *model, const trm_simulation_def *o, result *r)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    trm_automatic_choice choice;
    const double start = processor_seconds();
    const bool made = messages && trm_sim_create(model, o, NULL, messages, &sim) == TRM_OK;
    r->ok = made && trm_sim_run(sim, &(const trm_run_def){.until = o->time, .every = o->every}).ok;
    const double seconds = processor_seconds() - start;
    if (r->ok && !r->end) r->end = trm_state_create(model, NULL);
    if (r->ok) trm_state_copy(r->end, trm_sim_state(sim));
    if (r->ok) r->balance = balance_of(sim);
    if (r->ok && trm_sim_automatic_choice(sim, &choice)) {
        r->requested = choice.error;
        snprintf(r->chosen, sizeof r->chosen, "%s %g%s", trm_sim_options(sim)->method, trm_sim_options(sim)->order,
                 isnan(trm_sim_options(sim)->error) ? ", fixed" : "");
    }
    r->seconds = fmin(r->seconds, seconds);
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    return r->ok && seconds < LONG_RUN;
}

/* Runs a model. value NAN: with the choice of auto. */
static result run(const trm_model *model, const fixed *f, double value, double time, int runs)
{
    trm_option own;
    result r = {.seconds = INFINITY};
    const trm_simulation_def o = options_of(model, f, value, time, &own);
    for (int i = 0; i < runs && run_once(model, &o, &r); i++) {
    }
    return r;
}

/* ---- Errors -------------------------------------------------------------------------------- */

static double length(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

/* Returns the angle between two orientations, rad. */
static double angle_between(trm_quat a, trm_quat b)
{
    const double x = a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y, y = a.w * b.y - a.y * b.w - a.z * b.x + a.x * b.z,
                 z = a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x;
    return 2 * atan2(length(x, y, z), fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z));
}

/* Returns the largest distance of centres of mass and orientations, m and rad together. */
static double distance(const trm_model *model, const trm_state *a, const trm_state *b)
{
    double largest = 0;
    for (int i = 1; i < trm_body_count(model); i++) {
        const trm_body_info body = trm_body_info_of(model, i);
        const trm_vec3 p = trm_point_position(a, i, body.principal.p), q = trm_point_position(b, i, body.principal.p);
        largest = fmax(largest, length(p.x - q.x, p.y - q.y, p.z - q.z));
        if (body.kind == TRM_BODY_RIGID)
            largest = fmax(largest, angle_between(trm_body_pose(a, i).q, trm_body_pose(b, i).q));
    }
    return largest;
}

/* Computes the reference. Returns its distance from a second one; INFINITY: there is none. */
static double find_reference(const trm_model *model, double time, result *reference)
{
    static const fixed adams = {"", "minimal", "adams", 2, true};
    static const fixed impulses[] = {
        {"", "impulse", NULL, 8, false}, {"", "impulse", NULL, 4, false}, {"", "impulse", NULL, 2, false}};
    static const double steps[] = {2000, 8000, 32000};
    result all[4] = {run(model, &adams, 1e-12, time, 1)};
    int found = all[0].ok;
    for (int i = 0; i < 3 && found < 2; i++) {
        all[found] = run(model, &impulses[i], time / steps[i], time, 1);
        found += all[found].ok;
    }
    const double doubt = found > 1 ? distance(model, all[0].end, all[1].end) : INFINITY;
    *reference = all[0];
    if (found > 1) trm_state_destroy(all[1].end);
    return doubt;
}

/* ---- The best fixed choice ------------------------------------------------------------------ */

/* Returns the error of a run, m and rad. size: of the machine, m. */
static double error_of(const trm_model *model, const result *r, const result *reference, double size)
{
    return fmax(distance(model, r->end, reference->end), size * r->balance);
}

typedef struct problem {
    const trm_model *model;
    double size;        /* m: of the machine */
    double time;        /* s */
    double error;       /* m, rad: error to reach */
    const result *like; /* the reference */
} problem;

typedef struct best {
    double seconds;
    char name[60];
} best;

static double rung(const fixed *f, const problem *p, int i)
{
    return f->controlled ? p->error / p->time * pow(10, 1 - 0.5 * i) : p->time / floor(pow(2, 0.5 * (i + 2)));
}

/* Finds the first value of the ladder that reaches the error. */
static void climb(const fixed *f, const problem *p, best *b)
{
    for (int i = 0; i < MOST_RUNGS; i++) {
        const double value = rung(f, p, i);
        result r = run(p->model, f, value, p->time, RUNS);
        const bool near = r.ok && error_of(p->model, &r, p->like, p->size) <= p->error;
        trm_state_destroy(r.end);
        if (near && r.seconds < b->seconds) {
            b->seconds = r.seconds;
            snprintf(b->name, sizeof b->name, "%s, %.2g", f->name, value);
        }
        if (near || r.seconds > fmin(HOPELESS * b->seconds, TOO_LONG) || (!r.ok && isinf(r.seconds))) return;
        if (!r.ok && i > SHORTEST_LADDER && r.seconds < 1e-4) return; /* the choice is refused */
    }
}

/* ---- Tables -------------------------------------------------------------------------------- */

typedef struct figures {
    int count, left_out;
    double ratio[MOST_MODELS], error[MOST_MODELS];
} figures;

static void compare(const char *name, const trm_model *model, figures *all)
{
    static const fixed automatic = {"", "auto", NULL, 2, true};
    const double time = fmin(trm_model_simulation(model)->time, LONGEST);
    result chosen = run(model, &automatic, NAN, time, RUNS), reference;
    const double doubt = find_reference(model, time, &reference), requested = chosen.requested * time;
    if (!chosen.ok || !(doubt <= DOUBT * requested)) {
        all->left_out++;
        printf("%-30s %-16s left out: %s\n", name, chosen.chosen, chosen.ok ? "no reference" : "auto stopped");
    } else {
        const double size = chosen.requested / USUAL_ERROR, reached = error_of(model, &chosen, &reference, size);
        const problem p = {model, size, time, fmax(requested, reached), &reference};
        best b = {.seconds = INFINITY};
        for (int i = 0; i < CHOICES; i++) climb(&choices[i], &p, &b);
        all->ratio[all->count] = chosen.seconds / fmin(b.seconds, chosen.seconds);
        all->error[all->count++] = reached / requested;
        printf("%-30s %-16s %9.2g %9.2g %9.0f %9.0f %7.2f  %s\n", name, chosen.chosen, requested, reached / requested,
               1e6 * chosen.seconds, 1e6 * b.seconds, all->ratio[all->count - 1], b.name);
    }
    fflush(stdout);
    trm_state_destroy(chosen.end);
    trm_state_destroy(reference.end);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int count_above(const double *values, int count, double bound)
{
    int above = 0;
    for (int i = 0; i < count; i++) above += values[i] > bound;
    return above;
}

static void print_summary(figures *all)
{
    if (all->count == 0) return;
    qsort(all->ratio, (size_t)all->count, sizeof *all->ratio, by_size);
    printf("\n%d models, %d left out\n", all->count, all->left_out);
    printf("time over that of the best fixed choice: median %.2f, largest %.2f, above 1.5 in %d\n",
           all->ratio[all->count / 2], all->ratio[all->count - 1], count_above(all->ratio, all->count, 1.5));
    printf("error over the requested one: above 1 in %d, above 10 in %d\n", count_above(all->error, all->count, 1),
           count_above(all->error, all->count, 10));
}

static bool measure(const char *path, figures *all)
{
    const char *slash = strrchr(path, '/');
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash ? slash + 1 : path, "."), slash ? slash + 1 : path);
    const bool made = messages && trm_read_model_file(path, NULL, NULL, messages, &def) == TRM_OK &&
                      trm_model_create(def, NULL, messages, &model) == TRM_OK;
    if (made)
        compare(name, model, all);
    else
        fprintf(stderr, "%s is not a model\n", path);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return made;
}

int main(int argc, char **argv)
{
    figures all = {0};
    bool good = argc > 1;
    printf("%-30s %-16s %9s %9s %9s %9s %7s  %s\n", "model", "chosen", "requested", "reached", "us", "best us",
           "ratio", "best fixed choice");
    for (int i = 1; i < argc && i <= MOST_MODELS; i++) good = measure(argv[i], &all) && good;
    print_summary(&all);
    return good ? 0 : 1;
}
