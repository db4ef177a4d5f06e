/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A bench: scenes that our engine and others run, the figures by which each run is judged, and the report.
 *
 *     PROGRAM [--only SCENE] [--peer NAME] [--quick] [--once] [--report DOCS] [FOLDER]
 *     PROGRAM --only SCENE [--peer NAME] [--variant NAME] --count STEPS
 *
 * Rows are printed as soon as they are measured. FOLDER gets a CSV per scene; in an existing file only the rows of the
 * engines that were run are replaced. --quick: our engine alone, one step length per scene. All engines are run one after
 * the other and, if the bench requests it, a second time, and the shorter time of each is kept; --once: a single time.
 * --report writes a page of DOCS from the files in FOLDER; with --only none nothing is run before. --count makes STEPS
 * steps of the first named variant, ours by default, without reading and timing, for counting instructions. */

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

/* Observes a run and computes its figures. */
typedef struct watcher {
    void *(*begin)(const request *r, double spacing); /* spacing of observations, s; returns NULL if out of memory */
    bool (*look)(void *watch, const body_state *states,
                 double time); /* observes; returns false if the scene has exploded */
    void (*result)(const void *watch, const body_state *states, double time,
                   double *figures); /* writes the figures at the last observation */
    void (*end)(void *watch);
} watcher;

/* How a step is timed: the best of several runs without observation. Runs end after the longest time, and their
 * beginning is timed. If that time is INFINITY, whole runs are timed, and the observed run is the first of them. */
typedef struct cost_rule {
    int runs;       /* number of runs, at least */
    double least;   /* s: more runs are made until all together have lasted this long */
    double longest; /* s: longest timed part of a run */
} cost_rule;

typedef struct bench {
    const char *page;        /* DOCS/PAGE.md */
    const char *prefix;      /* FOLDER/PREFIXscene.csv */
    const char *remarks;     /* folder with handwritten remarks, SCENE.md and PAGE.md */
    const char *head;        /* text at the beginning of the page */
    const scene_kind *kinds; /* ended by one without a name */
    const column *columns;   /* ended by one without a name */
    double spacing, limit;   /* s: defaults for scenes that do not give their own */
    int most_twice;          /* scenes with more bodies are run once */
    bool partial; /* a run that ends early keeps its figures until then; its remark is a column of its own */
    cost_rule cost;
    watcher watcher;
    const char *yardstick[2]; /* engine and variant whose time is the unit of others; NULL: none */

    /* Computes the final states that figures need, in memory from malloc, and a note about their accuracy; may be
     * NULL. */
    body_state *(*make_reference)(const scene_kind *kind, const scene *s, char *note, size_t size);
    /* Writes the scene's rows of the table of claims. */
    void (*claim)(FILE *file, const scene_kind *kind, const table *t);
    /* Draws a picture and shows it on the page; may be NULL. */
    bool (*illustrate)(FILE *file, const char *docs, const scene_kind *kind, const table *t);
} bench;

/* Reads the table of a scene from the files in the folder. Returns false if there is none. */
bool read_scene_table(const bench *b, const char *folder, const scene_kind *kind, table *t);

bool is_shown(const column *c, const scene_kind *kind);

/* Runs the program. Returns its exit code. */
int run_bench(const bench *b, int argc, char **argv);

#endif
