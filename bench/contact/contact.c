/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Scenes with contacts, our engine and others side by side: cost, error, penetration and motion left of each.
 *
 *     bench_contact [--only SCENE] [--peer NAME] [--quick] [--once] [--report DOCS] [FOLDER]
 *
 * Rows are printed as they come. FOLDER gets a CSV per scene; of a file that is there only the rows of the engines run are
 * replaced. --quick: our engine alone, small scenes. All engines are run twice, one after the other, and the shorter time of
 * each is taken; --once: once. --report writes DOCS/contact-benchmarks.md from the files in FOLDER; with --only none nothing is
 * run before. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../common/machine.h"
#include "measure.h"
#include "peers/peers.h"
#include "report.h"

typedef struct options {
    const char *scene, *peer, *folder, *docs;
    bool quick, once;
} options;

/* ---- One scene ---------------------------------------------------------------------------- */

static void print_head(const scene_kind *kind)
{
    printf("\n%s\n%-10s %-22s %11s %16s %11s %9s %9s %9s\n", kind->title, "engine", "variant", "us/step",
           error_label(kind->error), "penetration", "at end", "v_rms 4s", "v_rms 10s");
}

static void print_row(const row *r)
{
    const figures *f = &r->figures;
    printf("%-10s %-22s %11.4g %16.1e %11.1e %9.1e %9.1e %9.1e %s\n", r->peer, r->variant, r->us_per_step, f->error,
           f->penetration, f->penetration_end, f->v_rms[0], f->v_rms[1], is_good(r) ? "" : r->status);
    fflush(stdout);
}

static bool is_wanted(const options *o, const scene *s, const peer *p)
{
    if (o->quick && strcmp(p->name, "Trammel") != 0) return false;
    if (p->most_bodies > 0 && s->body_count > p->most_bodies) return false;
    return !o->peer || strcmp(o->peer, p->name) == 0;
}

/* One engine into the row at `index`. The first time; or once more for the shorter time, because what else the machine does
 * comes and goes: but not if it did not come to its end, which may take as long again. */
static void run_peer(const request *r, table *t, int index)
{
    row *known = &t->rows[index];
    const bool first_time = index == t->count;
    if (index >= MOST_ROWS || (!first_time && !is_good(known))) return;
    const row now = measure(r);
    print_row(&now);
    if (first_time)
        *known = now, t->count++;
    else
        known->us_per_step = fmin(known->us_per_step, now.us_per_step);
}

/* first: the row of the first of them */
static void run_peers(const options *o, const scene_kind *kind, const scene *s, table *t, int first)
{
    static const peer *const lists[] = {
#define PEERS(file, package) file##_peers,
#include "peers/list.h"
#undef PEERS
    };
    int index = first;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const peer *p = lists[i]; p->name; p++)
            if (is_wanted(o, s, p)) run_peer(&(request){.kind = kind, .scene = s, .peer = p}, t, index++);
}

static void keep_others(const options *o, const scene_kind *kind, table *t)
{
    static table old;
    if (!o->peer || !o->folder || !read_table(o->folder, kind->name, &old)) return;
    for (int i = 0; i < old.count; i++)
        if (strcmp(old.rows[i].peer, o->peer) != 0) t->rows[t->count++] = old.rows[i];
}

static bool run_scene(const options *o, const scene_kind *kind)
{
    static table t;
    scene *s = scene_create(kind);
    if (!s) return false;
    t.count = 0;
    describe_machine(t.about, sizeof t.about);
    keep_others(o, kind, &t);
    print_head(kind);
    const int first = t.count;
    run_peers(o, kind, s, &t, first);
    if (!o->quick && !o->once) {
        printf("again\n");
        run_peers(o, kind, s, &t, first);
    }
    scene_destroy(s);
    return !o->folder || write_table(o->folder, kind->name, &t);
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
        else if (strcmp(word, "--report") == 0 && next)
            o->docs = argv[++i];
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
        fprintf(stderr, "usage: %s [--only SCENE] [--peer NAME] [--quick] [--once] [--report DOCS] [FOLDER]\n",
                argv[0]);
        return 2;
    }
    be_single_threaded(argv);
    if (o.folder) mkdir(o.folder, 0777);
    for (int i = 0; scene_kind_at(i); i++) {
        const scene_kind *kind = scene_kind_at(i);
        if (o.scene ? strcmp(o.scene, kind->name) != 0 : o.quick && !kind->quick) continue;
        good = run_scene(&o, kind) && good;
    }
    if (o.docs) good = write_report(o.folder, o.docs) && good;
    return good ? 0 : 1;
}
