/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "common/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/machine.h"
#include "common/measure.h"
#include "common/peers/peers.h"
#include "common/report.h"

enum { MANY_BODIES = 100 }; /* with more bodies --quick runs our first variant only */

typedef struct options {
    const char *scene, *peer, *variant, *folder, *docs;
    bool quick, once;
    int count; /* number of steps of --count; 0: not requested */
} options;

static const peer *ours(void)
{
    return &trammel_peers[0];
}

static double quick_step(const scene_kind *kind)
{
    return kind->quick > 0 ? kind->quick : kind->steps[0];
}

/* ---- Printing ----------------------------------------------------------------------------- */

bool is_shown(const column *c, const scene_kind *kind)
{
    return c->shown_for & 1u << kind->error;
}

static void print_head(const bench *b, const scene_kind *kind)
{
    printf("\n%s\n%-10s %-22s %9s %11s %11s", kind->title, "engine", "variant", "h", "us/step", "s/sim. s");
    for (int i = 0; b->columns[i].name; i++)
        if (is_shown(&b->columns[i], kind)) printf(" %16s", b->columns[i].name);
    printf("\n");
}

static void print_row(const bench *b, const scene_kind *kind, const row *r)
{
    printf("%-10s %-22s %9g", r->peer, r->variant, r->h);
    if (is_good(r) || b->partial) {
        printf(" %11.4g %11.4g", r->us_per_step, r->s_per_simulated_s);
        for (int i = 0; b->columns[i].name; i++)
            if (is_shown(&b->columns[i], kind)) printf(" %16.1e", r->figures[i]);
    }
    printf(" %s\n", is_good(r) ? "" : r->status);
    fflush(stdout);
}

/* ---- One scene ---------------------------------------------------------------------------- */

static void scene_path(const bench *b, const char *folder, const scene_kind *kind, char *path, size_t size)
{
    snprintf(path, size, "%s/%s%s.csv", folder, b->prefix, kind->name);
}

bool read_scene_table(const bench *b, const char *folder, const scene_kind *kind, table *t)
{
    char path[500];
    scene_path(b, folder, kind, path, sizeof path);
    return read_table(path, b->columns, t);
}

/* Rows of the engines that are run, which follow the rows that are kept. */
typedef struct run {
    const bench *bench;
    const options *options;
    table *table;
    int next; /* index of the row of the present case */
} run;

/* Runs a case for the first time, or once more to take the shorter time, because the load of the machine varies. A
 * case that did not reach its end is not repeated, because it may take as long again. Returns NULL if there is no
 * room. */
static const row *run_case(run *now, const request *r)
{
    table *t = now->table;
    row *known = &t->rows[now->next];
    const bool first_time = now->next == t->count;
    if (now->next >= MOST_ROWS) return NULL;
    now->next++;
    if (!first_time && !is_good(known)) return known;
    const row got = measure(now->bench, r);
    print_row(now->bench, r->kind, &got);
    if (first_time) {
        *known = got;
        t->count++;
    } else if (is_good(&got) && got.us_per_step < known->us_per_step) {
        known->us_per_step = got.us_per_step;
        known->s_per_simulated_s = got.s_per_simulated_s;
    }
    return known;
}

static void run_variant(run *now, const request *r)
{
    request one = *r;
    for (int i = 0; i < MOST_STEPS && r->kind->steps[i] > 0; i++) {
        one.h = now->options->quick ? quick_step(r->kind) : r->kind->steps[i];
        const row *got = run_case(now, &one);
        if (!got || now->options->quick || is_hopeless(got)) break;
    }
}

/* Returns whether --peer and --variant, if given, name this engine and this variant. */
static bool is_asked_for(const options *o, const char *name, const char *variant)
{
    return (!o->peer || strcmp(o->peer, name) == 0) && (!o->variant || strcmp(o->variant, variant) == 0);
}

static bool is_wanted(const options *o, const request *r)
{
    const bool is_ours = strcmp(r->peer->name, ours()->name) == 0;
    const bool first_only = r->kind->ours_only || (o->quick && r->scene->body_count >= MANY_BODIES);
    if (first_only && r->peer != ours()) return false;
    if (o->quick && !is_ours) return false;
    return is_asked_for(o, r->peer->name, r->peer->variant);
}

static void run_peers(run *now, const request *r)
{
    for (int i = 0; all_peers[i]; i++)
        for (const peer *p = all_peers[i]; p->name; p++) {
            request one = *r;
            one.peer = p;
            if (is_wanted(now->options, &one)) run_variant(now, &one);
        }
}

static void keep_others(const bench *b, const options *o, const scene_kind *kind, table *t)
{
    static table old;
    if (!(o->peer || o->variant) || !o->folder || !read_scene_table(b, o->folder, kind, &old)) return;
    for (int i = 0; i < old.count; i++)
        if (!is_asked_for(o, old.rows[i].peer, old.rows[i].variant)) t->rows[t->count++] = old.rows[i];
}

/* Returns the position of an engine in the list; engines that are no longer there come last. */
static int rank(const row *r)
{
    int i = 0;
    while (all_peers[i] && strcmp(all_peers[i]->name, r->peer) != 0) i++;
    return i;
}

/* Sorts the rows by engine in the order of the list; the rows of an engine keep their order. */
static void sort_rows(table *t)
{
    for (int i = 1; i < t->count; i++) {
        const row moved = t->rows[i];
        int at = i;
        for (; at > 0 && rank(&t->rows[at - 1]) > rank(&moved); at--) t->rows[at] = t->rows[at - 1];
        t->rows[at] = moved;
    }
}

static bool save(const bench *b, const options *o, const scene_kind *kind, table *t)
{
    char path[500];
    sort_rows(t);
    scene_path(b, o->folder, kind, path, sizeof path);
    return write_table(path, b->columns, t);
}

static bool run_scene(const bench *b, const options *o, const scene_kind *kind)
{
    static table t;
    scene *s = scene_create(kind);
    if (!s) return false;
    t.count = 0;
    describe_machine(t.about, sizeof t.about);
    const size_t used = strlen(t.about);
    body_state *reference =
        b->make_reference ? b->make_reference(kind, s, t.about + used, sizeof t.about - used) : NULL;
    const request r = {.kind = kind, .scene = s, .reference = reference};
    keep_others(b, o, kind, &t);
    print_head(b, kind);
    const int first = t.count;
    run_peers(&(run){b, o, &t, first}, &r);
    if (!o->quick && !o->once && s->body_count <= b->most_twice) {
        printf("again\n");
        run_peers(&(run){b, o, &t, first}, &r);
    }
    free(reference);
    scene_destroy(s);
    return !o->folder || save(b, o, kind, &t);
}

/* Returns the first engine and variant that --peer and --variant name; our own if they are not given. */
static const peer *first_named(const options *o)
{
    for (int i = 0; all_peers[i]; i++)
        for (const peer *p = all_peers[i]; p->name; p++)
            if (is_asked_for(o, p->name, p->variant)) return p;
    return ours();
}

/* Makes steps without reading or timing anything. */
static bool run_steps(const options *o, const scene_kind *kind)
{
    const char *why = "";
    const peer *engine_of = first_named(o);
    scene *s = scene_create(kind);
    void *engine = s ? engine_of->create(s, quick_step(kind), &why) : NULL;
    const bool good = engine && engine_of->step(engine, o->count);
    if (engine) engine_of->destroy(engine);
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
        else if (strcmp(word, "--once") == 0)
            o->once = true;
        else if (strcmp(word, "--only") == 0 && next)
            o->scene = argv[++i];
        else if (strcmp(word, "--peer") == 0 && next)
            o->peer = argv[++i];
        else if (strcmp(word, "--variant") == 0 && next)
            o->variant = argv[++i];
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

static bool is_chosen(const options *o, const scene_kind *kind)
{
    if (o->scene) return strcmp(o->scene, kind->name) == 0;
    return !o->quick || (kind->quick > 0 && !kind->ours_only);
}

int run_bench(const bench *b, int argc, char **argv)
{
    options o = {0};
    bool good = true;
    if (!read_options(argc, argv, &o)) {
        fprintf(
            stderr,
            "usage: %s [--only SCENE] [--peer NAME] [--variant NAME] [--quick] [--once] [--report DOCS] [FOLDER]\n"
            "       %s --only SCENE [--peer NAME] [--variant NAME] --count STEPS\n",
            argv[0], argv[0]);
        return 2;
    }
    be_single_threaded(argv);
    if (o.folder) mkdir(o.folder, 0777);
    for (const scene_kind *kind = b->kinds; kind->name; kind++)
        if (is_chosen(&o, kind)) good = (o.count > 0 ? run_steps(&o, kind) : run_scene(b, &o, kind)) && good;
    if (o.docs) good = write_report(b, o.folder, o.docs) && good;
    return good ? 0 : 1;
}
