/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sweep_team.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt.h"

static void count(tally *sum, run_fate fate)
{
    sum->finished++;
    sum->stopped += fate == RUN_STOPPED;
    sum->refused += fate == RUN_REFUSED;
}

static bool next_run(team *t, int *run)
{
    pthread_mutex_lock(&t->lock);
    const bool there = t->next < t->run_count && !t->failed && !interrupted();
    if (there) *run = t->runs[t->next++];
    pthread_mutex_unlock(&t->lock);
    return there;
}

static void hand_over(team *t, int run, run_fate fate, const char *row)
{
    pthread_mutex_lock(&t->lock);
    if (fate == RUN_LOST) {
        if (!t->failed) fprintf(stderr, "trammel sweep: out of memory\n");
        t->failed = true;
    } else if (fate != RUN_INTERRUPTED && !t->failed) {
        t->failed = !t->take(t->context, run, fate, row);
        if (!t->failed) count(&t->tally, fate);
    }
    if (t->failed) interrupt(); /* the others need not finish runs that will be discarded */
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *context)
{
    team *t = context;
    int run;
    trm_set_threads(1); /* each worker makes whole runs */
    while (next_run(t, &run)) {
        trm_text *row = trm_text_create(NULL);
        const run_fate fate = row ? make_run(t->plan, run, row) : RUN_LOST;
        hand_over(t, run, fate, row ? trm_text_get(row) : "");
        trm_text_destroy(row);
    }
    pthread_mutex_lock(&t->lock);
    t->at_work--;
    pthread_cond_signal(&t->ended);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

bool begin_team(team *t, int workers)
{
    pthread_condattr_t steady; /* monotonic clock, which is never set */
    int error = 0;
    t->begun = true;
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&t->ended, &steady);
    pthread_condattr_destroy(&steady);
    t->threads = calloc((size_t)workers, sizeof *t->threads);
    t->at_work = workers;
    while (t->threads && t->thread_count < workers && error == 0) {
        error = pthread_create(&t->threads[t->thread_count], NULL, work, t);
        if (error == 0) t->thread_count++;
    }
    pthread_mutex_lock(&t->lock);
    t->at_work -= workers - t->thread_count;
    pthread_mutex_unlock(&t->lock);
    if (t->thread_count > 0) return true; /* fewer threads than requested are enough */
    fprintf(stderr, "trammel sweep: cannot start a worker: %s\n", t->threads ? strerror(error) : "out of memory");
    end_team(t);
    return false;
}

bool wait_for_team(team *t, double seconds, tally *so_far)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double end = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)floor(end);
    until.tv_nsec = (long)((end - floor(end)) * 1e9);
    pthread_mutex_lock(&t->lock);
    while (t->at_work > 0 && pthread_cond_timedwait(&t->ended, &t->lock, &until) == 0) {
    }
    const bool works = t->at_work > 0;
    *so_far = t->tally;
    pthread_mutex_unlock(&t->lock);
    return works;
}

void end_team(team *t)
{
    if (!t->begun) return;
    t->begun = false;
    for (int i = 0; i < t->thread_count; i++) pthread_join(t->threads[i], NULL);
    free(t->threads);
    t->threads = NULL;
    t->thread_count = 0;
    pthread_cond_destroy(&t->ended);
    pthread_mutex_destroy(&t->lock);
}
