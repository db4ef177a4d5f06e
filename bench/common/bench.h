/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A bench: scenes that our engine and others run side by side, what each run is judged by, and the report.
 *
 *     PROGRAM [--only SCENE] [--peer NAME] [--quick] [--once] [--report DOCS] [FOLDER]
 *     PROGRAM --only SCENE [--peer NAME] [--variant NAME] --count STEPS
 *
 * Rows are printed as they come. FOLDER gets a CSV per scene; of a file that is there only the rows of the engines run
 * are replaced. --quick: our engine alone, one step per scene. All engines are run one after the other and, where the bench
 * wants it, once more, and the shorter time of each is taken; --once: once. --report writes a page of DOCS from the files in
 * FOLDER; with --only none nothing is run before. --count makes this many steps of the
 * first variant named, ours by default, unread and untimed, for
 * counting instructions. */

#ifndef TRM_BENCH_BENCH_H
#define TRM_BENCH_BENCH_H

#include <stddef.h>
#include <stdio.h>

#include "common/peer.h"
#include "common/rows.h"

/* One engine on one scene with one step. */
typedef struct request {
    const scene_kind *kind;
    const scene *scene;
    const peer *peer;
    double h;
    const body_state *reference; /* at the end; may be NULL */
} request;

/* What looks at a run and makes figures of it. */
typedef struct watcher {
    void *(*begin)(const request *r, double spacing);                 /* s between looks. NULL: out of memory */
    bool (*look)(void *watch, const body_state *states, double time); /* false: the scene has exploded */
    void (*result)(const void *watch, const body_state *states, double time, double *figures); /* at the last look */
    void (*end)(void *watch);
} watcher;

/* How a step is timed: at best of several runs, which nobody looks at. Runs end after the longest time and are timed by their
 * beginning; if that is INFINITY, whole runs are timed, and the one that was looked at is the first of them. */
typedef struct cost_rule {
    int runs;       /* this many, ... */
    double least;   /* s: ... and more until together they have lasted so long */
    double longest; /* s */
} cost_rule;

typedef struct bench {
    const char *page;        /* DOCS/PAGE.md */
    const char *prefix;      /* FOLDER/PREFIXscene.csv */
    const char *remarks;     /* folder with remarks written by hand, SCENE.md and PAGE.md */
    const char *head;        /* the beginning of the page */
    const scene_kind *kinds; /* after the last one without a name */
    const column *columns;   /* likewise */
    double spacing, limit;   /* s: for scenes that do not name theirs */
    int most_twice;          /* bodies: scenes of more are run once */
    bool partial; /* a run that ends early keeps its figures until then; its remark is a column of its own */
    cost_rule cost;
    watcher watcher;
    const char *yardstick[2]; /* engine and variant by whose time the others are measured too; NULL: none */

    /* The states at the end that figures need, from malloc, and a note how good they are; may be NULL. */
    body_state *(*make_reference)(const scene_kind *kind, const scene *s, char *note, size_t size);
    /* Writes the scene's rows of the table of claims. */
    void (*claim)(FILE *file, const scene_kind *kind, const table *t);
    /* Draws a picture and shows it on the page; may be NULL. */
    bool (*illustrate)(FILE *file, const char *docs, const scene_kind *kind, const table *t);
} bench;

/* The table of a scene from the files in the folder. false: not there. */
bool read_scene_table(const bench *b, const char *folder, const scene_kind *kind, table *t);

bool is_shown(const column *c, const scene_kind *kind);

/* The program. */
int run_bench(const bench *b, int argc, char **argv);

#endif
