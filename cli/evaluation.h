/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One run of a model with other constants, and figures over it, for optimise and fit. Threads may evaluate at the
 * same time. */

#ifndef TRM_CLI_EVALUATION_H
#define TRM_CLI_EVALUATION_H

#include "command.h"
#include "reading.h"

enum { MOST_VARIED = 32, MOST_FIGURES = 16 };

/* A constant that is varied, from --vary NAME=FROM:TO. */
typedef struct varied {
    char name[100];
    double from, to, start;
} varied;

typedef struct evaluation {
    const char *who; /* the command, for messages */
    const command_line *line;
    reading reading;
    varied varied[MOST_VARIED];
    int varied_count;
    const char *figures[MOST_FIGURES]; /* measures (docs/measures.md) */
    int figure_count;
    const char *columns; /* columns of the rows that the callback gets (docs/results.md); NULL: none */
} evaluation;

/* Reads --set, --vary NAME=FROM:TO and --guess NAME=VALUE. Returns false after reporting what is wrong.
 * evaluation_end is called in both cases. */
bool evaluation_begin(evaluation *e, const char *who, const command_line *line);
void evaluation_end(evaluation *e);

/* Called with each row of a run. results: columns of the row. Returns false, after reporting why, to end the run. */
typedef bool (*row_taker_of)(void *context, const trm_state *state, const trm_results *results);

typedef enum evaluation_fate {
    EVALUATION_DONE,
    EVALUATION_STOPPED, /* the run stopped */
    EVALUATION_REFUSED, /* the model is invalid with these values, or the figure does not exist */
} evaluation_fate;

/* Makes a run with these values. Computes its figures, NAN if the run failed, and passes its rows to `take` (NULL:
 * not needed). reports: reports on stderr why the run failed. */
evaluation_fate evaluate(const evaluation *e, const double *values, double *figures, row_taker_of take, void *context,
                         bool reports);

#endif
