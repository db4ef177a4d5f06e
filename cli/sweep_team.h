/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Worker threads of a sweep. Each takes the next run that no other thread has started. */

#ifndef TRM_CLI_SWEEP_TEAM_H
#define TRM_CLI_SWEEP_TEAM_H

#include <pthread.h>

#include "sweep_run.h"

/* What became of the runs. */
typedef struct tally {
    int finished, stopped, refused; /* the latter two are among the first */
} tally;

/* Receives a row; calls are serialised. Returns false to end the sweep after a failure. */
typedef bool (*row_taker)(void *context, int run, run_fate fate, const char *row);

typedef struct team {
    const sweep_plan *plan;
    const int *runs; /* to make */
    int run_count;
    row_taker take;
    void *context;
    bool begun;
    pthread_t *threads;
    int thread_count;
    pthread_mutex_t lock; /* of all below, and around take */
    pthread_cond_t ended; /* a thread has */
    int next, at_work;
    tally tally;
    bool failed; /* something was wrong, and was said */
} team;

/* The first five are given; false after reporting what is wrong. Ended by end_team, which does nothing if it has not
 * begun. */
bool begin_team(team *t, int workers);
/* Waits until all runs are made, at most `seconds`. Returns whether some worker is still at work. */
bool team_works(team *t, double seconds, tally *so_far);
void end_team(team *t);

#endif
