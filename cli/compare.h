/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the parts of trammel compare share: the runs and what came of them. */

#ifndef TRM_CLI_COMPARE_H
#define TRM_CLI_COMPARE_H

#include "model.h"
#include "progress.h"

enum { MOST_CHOICES = 16, ROWS = 20 };

/* One run and what came of it. */
typedef struct trial {
    const char *method;
    char solver[40];    /* as the method names it */
    double order, step; /* that of the method, where it has one of its own */
    bool ok;
    bool repeated; /* it was run already: its method has an order and solvers of its own */
    char why[400];
    double microseconds; /* per step, of the processor */
    double cost;         /* s of the processor per simulated s */
    trm_accuracy accuracy;
    trm_vec3 *places; /* of all bodies at the end, m */
    double error;     /* m; NAN: unknown */
    double observed;  /* order; NAN: unknown */
} trial;

/* Where a result file has the bodies at the end. */
typedef struct reference {
    const char *file; /* NULL: there is none */
    trm_vec3 *places; /* per body, m */
    bool *known;      /* per body; fixed ones are in no file */
} reference;

typedef struct comparison {
    const trm_model *model;
    const char *title;
    trm_simulation_def options;
    char words[4][1000]; /* the lists of the command line, cut into pieces */
    const char *methods[MOST_CHOICES], *solvers[MOST_CHOICES];
    double orders[MOST_CHOICES], steps[MOST_CHOICES];
    int method_count, solver_count, order_count, step_count;
    trial *trials; /* runs that differ in the step only follow each other */
    int trial_count;
    reference reference;
    trial finest; /* the reference where there is no file */
    progress bar;
    int run_count;                /* finest included */
    double work_done, work_there; /* what runs cost, about, in units of their own */
} comparison;

/* ---- compare_reference.c ------------------------------------------------------------------ */

/* The row of a result file at that time; false after saying what is wrong with the file. Freed either way. */
bool read_reference(const trm_model *model, const char *file, double time, reference *r);
void free_reference(reference *r);

/* A body that moves and of which the file says nothing. */
bool is_left_out(const trm_model *model, const reference *r, int body);

/* ---- compare_table.c ---------------------------------------------------------------------- */

bool differ_in_step_only(const trial *a, const trial *b);

void print_table(const comparison *c);
void print_json(const comparison *c);

/* ---- compare_verdict.c -------------------------------------------------------------------- */

/* Who comes nearest in equal time. */
enum { VERDICTS = 4 };

typedef struct verdict {
    double budget;             /* s of the processor per simulated s, at most */
    const trial *best, *other; /* the run that is nearest, and the best of another method; NULL: none */
} verdict;

/* How many there are; none where fewer than two methods can be compared. */
int find_verdicts(const comparison *c, verdict *verdicts);

/* Cost and error of all runs as a picture; false after saying why there is none. */
bool write_plot(const comparison *c, const char *path);

#endif
