/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Worker threads of a sweep. Each takes the next run that no other thread has started. */

#ifndef TRM_CLI_SWEEP_TEAM_H
#define TRM_CLI_SWEEP_TEAM_H

#include <pthread.h>

#include "sweep_run.h"

/* Numbers of runs by their result. */
typedef struct tally {
    int finished, stopped, refused; /* finished includes stopped and refused */
} tally;

/* Receives a row; calls are serialised. Returns false to end the sweep after a failure. */
typedef bool (*row_taker)(void *context, int run, run_fate fate, const char *row);

typedef struct team {
    const sweep_plan *plan;
    const int *runs; /* runs to make */
    int run_count;
    row_taker take;
    void *context;
    bool begun;
    pthread_t *threads;
    int thread_count;
    pthread_mutex_t lock; /* protects all fields below and the calls of take */
    pthread_cond_t ended; /* a thread has ended */
    int next, at_work;
    tally tally;
    bool failed; /* an error was reported */
} team;

/* Starts the workers; the caller sets the first five fields. Returns false after reporting what is wrong. end_team is
 * called in both cases. */
bool begin_team(team *t, int workers);
/* Waits until all runs are made, but at most `seconds`. Returns whether some worker is still running. */
bool wait_for_team(team *t, double seconds, tally *so_far);
void end_team(team *t);

#endif
