/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Smooth scenes, our engine and others side by side: cost and error of each.
 *
 *     bench_smooth [--only SCENE] [--peer NAME] [--quick] [--report DOCS] [FOLDER]
 *     bench_smooth --only SCENE --count STEPS
 *
 * Rows are printed as they come. FOLDER gets a CSV per scene; of a file that is there only the rows of the engines run
 * are replaced. --quick: our engine alone, one step per scene. --report writes DOCS/benchmarks.md and a picture per scene
 * from the files in FOLDER; with --only none nothing is run before. --count
 * makes so many steps of ours at order 2, unread and untimed, for instructions.sh. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../common/machine.h"
#include "measure.h"
#include "peers/peers.h"
#include "report.h"

static const double REFERENCE_STEP = 0.001; /* s; the reference itself has half of it */

enum { MANY_BODIES = 100, FEW_BODIES = 8 };

typedef struct options {
    const char *scene, *peer, *folder, *docs;
    bool quick;
    int count; /* of steps for --count; 0: not asked for */
} options;

/* ---- One scene ---------------------------------------------------------------------------- */

static void print_head(const scene_kind *kind)
{
    printf("\n%s\n%-10s %-26s %9s %11s %11s %9s %9s %9s %9s\n", kind->title, "engine", "variant", "h", "us/step",
           "s/sim. s", "|dE| mean", "|dE| max", "gap", "error");
}

static void print_row(const row *r, scene_error kind)
{
    printf("%-10s %-26s %9g ", r->peer, r->variant, r->h);
    if (is_good(r))
        printf("%11.4g %11.4g %9.1e %9.1e %9.1e %9.1e\n", r->us_per_step, r->s_per_simulated_s, r->errors.energy_mean,
               r->errors.energy_max, r->errors.gap, main_error(r, kind));
    else
        printf("%s\n", r->status);
    fflush(stdout);
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void run_variant(const options *o, const request *r, table *t)
{
    request one = *r;
    for (int i = 0; i < 8 && r->kind->steps[i] > 0 && t->count < MOST_ROWS; i++) {
        one.h = o->quick ? r->kind->quick : r->kind->steps[i];
        const row got = t->rows[t->count++] = measure(&one);
        print_row(&got, r->kind->error);
        if (o->quick || begins_with(got.status, CANNOT_RUN) || begins_with(got.status, TOO_SLOW)) break;
    }
}

/* Large scenes are run at order 2 only where time is short. */
static bool is_wanted(const options *o, const request *r, const peer *p)
{
    const bool ours_only = o->quick || r->kind->ours_only;
    const bool order_2_only = r->kind->ours_only || (o->quick && r->scene->body_count >= MANY_BODIES);
    if (ours_only && strcmp(p->name, "Trammel") != 0) return false;
    if (order_2_only && strcmp(p->variant, "order 2") != 0) return false;
    return !o->peer || strcmp(o->peer, p->name) == 0;
}

static void run_peers(const options *o, const request *r, table *t)
{
    static const peer *const lists[] = {
#define PEERS(file, package) file##_peers,
#include "peers/list.h"
#undef PEERS
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const peer *p = lists[i]; p->name; p++) {
            request one = *r;
            one.peer = p;
            if (is_wanted(o, r, p)) run_variant(o, &one, t);
        }
}

/* All once more, and the shorter time of each: what else the machine does comes and goes in seconds. first: of the rows
 * that were measured now. */
static void run_peers_again(const options *o, const request *r, table *t, int first)
{
    static table again;
    again.count = 0;
    printf("again\n");
    run_peers(o, r, &again);
    for (int i = 0; i < again.count && first + i < t->count; i++) {
        row *known = &t->rows[first + i];
        const row *now = &again.rows[i];
        if (!is_good(known) || !is_good(now) || now->us_per_step >= known->us_per_step) continue;
        known->us_per_step = now->us_per_step;
        known->s_per_simulated_s = now->s_per_simulated_s;
    }
}

/* At the end of the scene; doubt: how much it changed by halving the step. NULL: not wanted, or not found. */
static body_state *make_reference(const scene_kind *kind, const scene *s, double *doubt)
{
    if (kind->error != ERROR_POSITION) return NULL;
    body_state *coarse = calloc((size_t)s->body_count, sizeof *coarse);
    body_state *fine = calloc((size_t)s->body_count, sizeof *fine);
    const bool good =
        coarse && fine && run_reference(s, REFERENCE_STEP, coarse) && run_reference(s, 0.5 * REFERENCE_STEP, fine);
    if (good) *doubt = largest_distance(coarse, fine, s->body_count);
    free(coarse);
    if (good) return fine;
    free(fine);
    return NULL;
}

static void keep_others(const options *o, const scene_kind *kind, table *t)
{
    static table old;
    if (!o->peer || !read_table(o->folder, kind->name, &old)) return;
    for (int i = 0; i < old.count; i++)
        if (strcmp(old.rows[i].peer, o->peer) != 0) t->rows[t->count++] = old.rows[i];
}

static bool save(const options *o, const scene_kind *kind, const table *t)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s.csv", o->folder, kind->name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
    write_table_head(file, t->about);
    for (int i = 0; i < t->count; i++) write_row(file, &t->rows[i]);
    return fclose(file) == 0;
}

static bool run_scene(const options *o, const scene_kind *kind)
{
    static table t;
    double doubt = NAN;
    scene *s = scene_create(kind);
    if (!s) return false;
    t.count = 0;
    body_state *reference = make_reference(kind, s, &doubt);
    describe_machine(t.about, sizeof t.about);
    if (reference) {
        const size_t used = strlen(t.about);
        snprintf(t.about + used, sizeof t.about - used, "; the reference changed by %.1e m when its step was halved",
                 doubt);
    }
    if (o->folder) keep_others(o, kind, &t);
    print_head(kind);
    const request r = {.kind = kind, .scene = s, .reference = reference};
    const int first = t.count;
    run_peers(o, &r, &t);
    if (!o->quick && s->body_count <= FEW_BODIES) run_peers_again(o, &r, &t, first);
    free(reference);
    scene_destroy(s);
    return !o->folder || save(o, kind, &t);
}

/* Nothing but steps. */
static bool run_steps(const scene_kind *kind, int count)
{
    const char *why = "";
    const peer *ours = &trammel_peers[0];
    scene *s = scene_create(kind);
    void *engine = s ? ours->create(s, kind->quick, &why) : NULL;
    const bool good = engine && ours->step(engine, count);
    if (engine) ours->destroy(engine);
    scene_destroy(s);
    if (!good) fprintf(stderr, "%s could not be run: %s\n", kind->name, why);
    return good;
}

/* ---- The program -------------------------------------------------------------------------- */

static bool read_options(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(word, "--quick") == 0)
            o->quick = true;
        else if (strcmp(word, "--only") == 0 && next)
            o->scene = argv[++i];
        else if (strcmp(word, "--peer") == 0 && next)
            o->peer = argv[++i];
        else if (strcmp(word, "--report") == 0 && next)
            o->docs = argv[++i];
        else if (strcmp(word, "--count") == 0 && next)
            o->count = atoi(argv[++i]);
        else if (word[0] != '-' && !o->folder)
            o->folder = word;
        else
            return false;
    }
    return o->folder || !o->docs;
}

int main(int argc, char **argv)
{
    options o = {0};
    bool good = true;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr,
                "usage: %s [--only SCENE] [--peer NAME] [--quick] [--report DOCS] [FOLDER]\n"
                "       %s --only SCENE --count STEPS\n",
                argv[0], argv[0]);
        return 2;
    }
    be_single_threaded(argv);
    if (o.folder) mkdir(o.folder, 0777);
    for (int i = 0; scene_kind_at(i); i++) {
        const scene_kind *kind = scene_kind_at(i);
        if (o.scene ? strcmp(o.scene, kind->name) != 0 : o.quick && kind->ours_only) continue;
        good = (o.count > 0 ? run_steps(kind, o.count) : run_scene(&o, kind)) && good;
    }
    if (o.docs) good = write_report(o.folder, o.docs) && good;
    return good ? 0 : 1;
}
