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
    char solver[40];    /* as the method calls it */
    double order, step; /* order of the method if it is fixed, otherwise the requested one */
    const char *asked_solver;
    double asked_order;
    bool ok;
    bool repeated; /* an equal run exists already, because the method fixes its order and solver */
    char why[400];
    double microseconds; /* us of processor time per step */
    double cost;         /* s of processor time per simulated s */
    trm_accuracy accuracy;
    trm_vec3 *places; /* positions of all bodies at the end, m */
    double error;     /* m; NAN: unknown */
    double observed;  /* order; NAN: unknown */
} trial;

/* Positions of the bodies at the end, from a result file. */
typedef struct reference {
    const char *file; /* NULL: there is none */
    trm_vec3 *places; /* per body, m */
    bool *known;      /* per body: the file contains it; files never contain fixed bodies */
} reference;

typedef struct comparison {
    const trm_model *model;
    const char *title;
    trm_simulation_def options;
    bool extrapolated;               /* scheme of orders above 2 */
    char words[2][LONGEST_LIST + 1]; /* methods and solvers of the command line, cut into pieces */
    const char *methods[MOST_CHOICES], *solvers[MOST_CHOICES];
    double orders[MOST_CHOICES], steps[MOST_CHOICES];
    int method_count, solver_count, order_count, step_count;
    trial *trials; /* sorted: runs that differ only in the step are adjacent */
    int trial_count;
    reference reference;
    trial finest; /* the finest run, the reference if there is no file */
    progress bar;
    bool curves_wanted;           /* a report is requested: each run is made twice */
    int run_number, run_count;    /* number of runs for the progress bar, with the finest one */
    double work_done, work_there; /* approximate costs of the runs, in arbitrary units */
} comparison;

/* ---- compare.c ---------------------------------------------------------------------------- */

/* Creates the simulation of a trial, which borrows from the choice. Returns NULL after messages that say why it
 * cannot. */
trm_sim *make_sim(const comparison *c, const trial *t, method_choice *choice, trm_messages *messages);

/* Update the progress bar: during a trial at a simulated time [s], and after it. */
void show_comparison(comparison *c, const trial *t, double time);
void count_trial(comparison *c, const trial *t);

/* ---- compare_reference.c ------------------------------------------------------------------ */

/* Reads the row of a result file at that time. Returns false after an error message. The reference must be freed
 * in both cases. */
bool read_reference(const trm_model *model, const char *file, double time, reference *r);
void free_reference(reference *r);

/* Returns a moving body that the file does not contain. */
bool is_left_out(const trm_model *model, const reference *r, int body);

/* Positions of the bodies at some times, in ascending order. */
typedef struct track {
    int count, body_count;
    double *times;    /* s */
    trm_vec3 *places; /* per moment and body, m */
} track;

/* Adds a time and returns room for its positions; NULL if out of memory. */
trm_vec3 *extend_track(track *p, double time);
void free_track(track *p);

/* Returns whether two times of runs are equal up to rounding. */
bool same_time(double a, double b);

/* Reads the requested rows up to that time from a file that was read before. Returns false if it cannot be read
 * again. */
bool read_reference_track(const trm_model *model, const reference *r, double until,
                          bool (*wanted)(const void *context, double time), const void *context, track *p);

/* ---- compare_table.c ---------------------------------------------------------------------- */

bool differ_in_step_only(const trial *a, const trial *b);

void print_table(const comparison *c);
bool write_json(const comparison *c, trm_sink sink);

/* ---- compare_verdict.c -------------------------------------------------------------------- */

/* The most accurate methods for equal processor time. */
enum { VERDICTS = 4 };

typedef struct verdict {
    double budget;             /* s of processor time per simulated s, at most */
    const trial *best, *other; /* the most accurate run, and the best run of another method; NULL: none */
} verdict;

/* Returns the number of budgets, 0 if fewer than two methods can be compared. */
int find_verdicts(const comparison *c, verdict *verdicts);

/* Writes a plot of cost and error of all runs. Returns false after an error message. */
bool write_plot(const comparison *c, const char *path);

/* ---- compare_curves.c --------------------------------------------------------------------- */

/* Curves of each run: values of all columns at some times. */
typedef struct curve_column {
    char name[200]; /* "rod1.x" */
    const char *unit;
    const char *kind;    /* viewer/DATA.md */
    const char *element; /* its body or joint; NULL: the whole machine */
    int result;          /* index among the result columns; -1: computed otherwise */
} curve_column;

typedef struct curve {
    int trial; /* -1: the finest run */
    int rows;
    float *values; /* by rows, one number per column */
} curve;

typedef struct curves {
    double every; /* s, between rows of all runs; NAN: each has its own */
    curve_column *columns;
    int column_count;
    curve *runs;
    int run_count, runs_there; /* number of columns stored, and of all */
    int bodies, bodies_there, joints, joints_there;
} curves;

/* Makes all runs once more and records their curves. Returns false after an error message. The curves must be
 * freed in both cases. */
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
