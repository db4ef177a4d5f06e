/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Data that the parts of trammel compare share: the runs and their results. */

#ifndef TRM_CLI_COMPARE_H
#define TRM_CLI_COMPARE_H

#include "method.h"
#include "model.h"
#include "progress.h"

enum { MOST_CHOICES = 16, LONGEST_LIST = 2000, ROWS = 20 };

/* One run and its result. */
typedef struct trial {
    const char *method;
    char solver[40];    /* as the method names it */
    double order, step; /* that of the method, where it has one of its own */
    const char *asked_solver;
    double asked_order;
    bool ok;
    bool repeated; /* it was run already: its method has an order and solvers of its own */
    char why[400];
    double microseconds; /* per step, of the processor */
    double cost;         /* s of processor time per simulated s */
    trm_accuracy accuracy;
    trm_vec3 *places; /* of all bodies at the end, m */
    double error;     /* m; NAN: unknown */
    double observed;  /* order; NAN: unknown */
} trial;

/* Positions of the bodies at the end, from a result file. */
typedef struct reference {
    const char *file; /* NULL: there is none */
    trm_vec3 *places; /* per body, m */
    bool *known;      /* per body; fixed ones are in no file */
} reference;

typedef struct comparison {
    const trm_model *model;
    const char *title;
    trm_simulation_def options;
    bool extrapolated;               /* orders above 2 were reached so */
    char words[2][LONGEST_LIST + 1]; /* methods and solvers of the command line, cut into pieces */
    const char *methods[MOST_CHOICES], *solvers[MOST_CHOICES];
    double orders[MOST_CHOICES], steps[MOST_CHOICES];
    int method_count, solver_count, order_count, step_count;
    trial *trials; /* runs that differ in the step only follow each other */
    int trial_count;
    reference reference;
    trial finest; /* the reference where there is no file */
    progress bar;
    bool curves_wanted;           /* then each is run twice */
    int run_number, run_count;    /* for the bar; finest included */
    double work_done, work_there; /* what runs cost, about, in units of their own */
} comparison;

/* ---- compare.c ---------------------------------------------------------------------------- */

/* Creates the simulation of a trial, which borrows from the choice. Returns NULL after messages that say why it
 * cannot. */
trm_sim *make_sim(const comparison *c, const trial *t, method_choice *choice, trm_messages *messages);

/* Show the progress bar with a trial at a simulated time [s], and when it has ended. */
void show_comparison(comparison *c, const trial *t, double time);
void count_trial(comparison *c, const trial *t);

/* ---- compare_reference.c ------------------------------------------------------------------ */

/* The row of a result file at that time; false after reporting what is wrong with the file. Freed either way. */
bool read_reference(const trm_model *model, const char *file, double time, reference *r);
void free_reference(reference *r);

/* A moving body that the file does not contain. */
bool is_left_out(const trm_model *model, const reference *r, int body);

/* Positions of the bodies at some times, in ascending order. */
typedef struct track {
    int count, body_count;
    double *times;    /* s */
    trm_vec3 *places; /* per moment and body, m */
} track;

/* Adds a moment and returns room for its places; NULL: out of memory. */
trm_vec3 *extend_track(track *p, double time);
void free_track(track *p);

/* Whether two times of runs are one. */
bool same_time(double a, double b);

/* The rows of the file up to that time that are wanted. A file that was read before; false: it cannot be read again. */
bool read_reference_track(const trm_model *model, const reference *r, double until,
                          bool (*wanted)(const void *context, double time), const void *context, track *p);

/* ---- compare_table.c ---------------------------------------------------------------------- */

bool differ_in_step_only(const trial *a, const trial *b);

void print_table(const comparison *c);
bool write_json(const comparison *c, trm_sink sink);

/* ---- compare_verdict.c -------------------------------------------------------------------- */

/* Who comes nearest in equal time. */
enum { VERDICTS = 4 };

typedef struct verdict {
    double budget;             /* s of processor time per simulated s, at most */
    const trial *best, *other; /* the run that is nearest, and the best of another method; NULL: none */
} verdict;

/* How many there are; none where fewer than two methods can be compared. */
int find_verdicts(const comparison *c, verdict *verdicts);

/* Cost and error of all runs as a picture; false after reporting why there is none. */
bool write_plot(const comparison *c, const char *path);

/* ---- compare_curves.c --------------------------------------------------------------------- */

/* What each run did over time: numbers at some moments. */
typedef struct curve_column {
    char name[200]; /* "rod1.x" */
    const char *unit;
    const char *kind;    /* viewer/DATA.md */
    const char *element; /* whose; NULL: of the whole machine */
    int result;          /* number among the results; -1: found otherwise */
} curve_column;

typedef struct curve {
    int trial; /* -1: the finest run */
    int rows;
    float *values; /* row after row, a number per column */
} curve;

typedef struct curves {
    double every; /* s, between rows of all runs; NAN: each has its own */
    curve_column *columns;
    int column_count;
    curve *runs;
    int run_count, runs_there; /* number stored, of how many */
    int bodies, bodies_there, joints, joints_there;
} curves;

/* Runs all once more; false after reporting why not. Freed either way. */
bool find_curves(comparison *c, curves *k);
void free_curves(curves *k);

/* ---- compare_report.c --------------------------------------------------------------------- */

typedef struct compare_report compare_report;

/* Opens the file; NULL after reporting why it cannot be written. */
compare_report *compare_report_begin(const char *path);

/* Writes the finished comparison. Returns false after reporting why it could not. */
bool compare_report_write(compare_report *report, comparison *c, const command_line *line);
void compare_report_end(compare_report *report); /* NULL: nothing */

#endif
