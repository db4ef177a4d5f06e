/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A team of threads that share the iterations of a loop.
 *
 * The calling thread (the owner) opens the loop, takes iterations itself, closes the loop when none are left, and
 * waits for the workers inside. It does not wait for workers that are still asleep, so on a busy machine the loop
 * costs no more than on one thread. An idle worker spins for some microseconds, because the next loop of the step
 * follows soon, and then sleeps.
 *
 * `gate` counts the workers inside the loop; while its bit CLOSED is set, no worker may enter. `round` counts the
 * loops; its change wakes workers. The loop is written only while the gate is closed and no worker is inside, so
 * workers read it without a lock. */

#define _GNU_SOURCE /* sched_getaffinity */

#include "base/parallel.h"

#include <stddef.h>

#include "trammel/base.h"

#ifdef TRM_THREADS

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    MOST_THREADS = 256,
    SPINS = 1000, /* pauses, of about 50 ns each, before a thread sleeps */
    CLOSED = 1 << 30,
};

typedef struct loop {
    trm_visit visit;
    void *context;
    int count, threads;
    bool even; /* all iterations take about the same time */
} loop;

static struct {
    pthread_mutex_t owner; /* locked by the thread that runs a loop */
    loop loop;
    _Atomic int next;       /* first iteration that no thread has taken */
    _Atomic int gate;       /* number of workers inside the loop, and the bit CLOSED */
    _Atomic unsigned round; /* number of loops so far */
    pthread_mutex_t sleep;  /* guards the fields below */
    /* a loop was opened (workers wait); the last worker has left (the owner waits) */
    pthread_cond_t opened, left;
    _Atomic int sleepers; /* number of workers that sleep or are about to sleep */
    /* is_awaited: the owner sleeps until the last worker has left; ending: workers must end */
    _Atomic bool is_awaited, ending;
    int worker_count;
    pthread_t workers[MOST_THREADS];
} team = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .gate = CLOSED,
          .sleep = PTHREAD_MUTEX_INITIALIZER,
          .opened = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_inside; /* this thread runs an iteration of a loop */
static _Thread_local int requested;  /* number of threads set by trm_set_threads; 0: the default */

static void spin_pause(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* ---- Iterations ---------------------------------------------------------------------------- */

/* Returns the number of iterations that a thread takes at once, of the `left` that no thread has taken: for an even
 * loop a part of them, otherwise a few. */
static int chunk_size(const loop *l, int left)
{
    enum { FEW = 4 };
    const int share = left / (2 * l->threads), most = l->even ? share : FEW;
    return share < 1 ? 1 : share < most ? share : most;
}

/* Takes iterations *first .. *end - 1 of those that are left. Returns false if none are left. */
static bool take_chunk(const loop *l, int *first, int *end)
{
    int at = atomic_load(&team.next);
    do {
        if (at >= l->count) return false;
        const int size = chunk_size(l, l->count - at);
        *first = at;
        *end = l->count - at < size ? l->count : at + size;
    } while (!atomic_compare_exchange_weak(&team.next, &at, *end));
    return true;
}

static void run_iterations(const loop *l, int thread)
{
    int first, end;
    is_inside = true;
    while (take_chunk(l, &first, &end))
        for (int i = first; i < end; i++) l->visit(l->context, i, thread);
    is_inside = false;
}

/* ---- Workers ------------------------------------------------------------------------------- */

static bool enter(void)
{
    int gate = atomic_load(&team.gate);
    while (!(gate & CLOSED))
        if (atomic_compare_exchange_weak(&team.gate, &gate, gate + 1)) return true;
    return false;
}

static void leave(void)
{
    if (atomic_fetch_sub(&team.gate, 1) != (CLOSED | 1) || !atomic_load(&team.is_awaited)) return;
    pthread_mutex_lock(&team.sleep);
    pthread_cond_signal(&team.left);
    pthread_mutex_unlock(&team.sleep);
}

/* Waits until a loop after number `seen` begins. Returns the number of the latest loop. */
static unsigned await_round(unsigned seen)
{
    for (int i = 0; i < SPINS && atomic_load(&team.round) == seen; i++) spin_pause();
    if (atomic_load(&team.round) != seen) return atomic_load(&team.round);
    pthread_mutex_lock(&team.sleep);
    atomic_fetch_add(&team.sleepers, 1);
    while (atomic_load(&team.round) == seen) pthread_cond_wait(&team.opened, &team.sleep);
    atomic_fetch_sub(&team.sleepers, 1);
    pthread_mutex_unlock(&team.sleep);
    return atomic_load(&team.round);
}

static void *work(void *context)
{
    const int thread = (int)(size_t)context;
    unsigned seen = 0;
    while (!atomic_load(&team.ending)) {
        if (enter()) {
            if (thread < team.loop.threads) run_iterations(&team.loop, thread);
            leave();
        }
        seen = await_round(seen);
    }
    return NULL;
}

/* Starts threads until there are `count` workers. Workers block all signals, which are for the program's own threads.
 * It is not an error if the system allows fewer workers. */
static void add_workers(int count)
{
    sigset_t all, before;
    if (team.worker_count >= count) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team.worker_count < count &&
           pthread_create(&team.workers[team.worker_count], NULL, work, (void *)(size_t)(team.worker_count + 1)) == 0)
        team.worker_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- The owner ----------------------------------------------------------------------------- */

static void wake_workers(void)
{
    atomic_fetch_add(&team.round, 1);
    if (atomic_load(&team.sleepers) == 0) return;
    pthread_mutex_lock(&team.sleep);
    pthread_cond_broadcast(&team.opened);
    pthread_mutex_unlock(&team.sleep);
}

static void close_gate(void)
{
    atomic_fetch_or(&team.gate, CLOSED);
    for (int i = 0; i < SPINS && atomic_load(&team.gate) != CLOSED; i++) spin_pause();
    if (atomic_load(&team.gate) == CLOSED) return;
    pthread_mutex_lock(&team.sleep);
    atomic_store(&team.is_awaited, true);
    while (atomic_load(&team.gate) != CLOSED) pthread_cond_wait(&team.left, &team.sleep);
    atomic_store(&team.is_awaited, false);
    pthread_mutex_unlock(&team.sleep);
}

static void run_shared(const loop *l)
{
    add_workers(l->threads - 1);
    team.loop = *l;
    atomic_store(&team.next, 0);
    atomic_store(&team.gate, 0);
    wake_workers();
    run_iterations(l, 0);
    close_gate();
}

void trm_share_loop(int count, int threads, bool even, trm_visit visit, void *context)
{
    const bool is_alone = threads <= 1 || count <= 1 || is_inside;
    if (is_alone || pthread_mutex_trylock(&team.owner) != 0) {
        trm_for_each(count, 1, visit, context);
        return;
    }
    run_shared(&(loop){visit, context, count, threads, even});
    pthread_mutex_unlock(&team.owner);
}

/* ---- Start and end of the team --------------------------------------------------------------- */

/* Initialises the team in a forked child, which has no workers and must not inherit locked mutexes. */
static void reset_in_child(void)
{
    pthread_mutex_init(&team.owner, NULL);
    pthread_mutex_init(&team.sleep, NULL);
    pthread_mutex_init(&alone, NULL);
    pthread_cond_init(&team.opened, NULL);
    pthread_cond_init(&team.left, NULL);
    atomic_store(&team.gate, CLOSED);
    atomic_store(&team.sleepers, 0);
    atomic_store(&team.is_awaited, false);
    team.worker_count = 0;
}

__attribute__((constructor)) static void start_team(void)
{
    pthread_atfork(NULL, NULL, reset_in_child);
}

/* Ends the workers, because unloading the library removes the code that they run. */
__attribute__((destructor)) static void end_team(void)
{
    if (pthread_mutex_trylock(&team.owner) != 0) return; /* another thread still runs a loop */
    atomic_store(&team.ending, true);
    wake_workers();
    for (int i = 0; i < team.worker_count; i++) pthread_join(team.workers[i], NULL);
    team.worker_count = 0;
    pthread_mutex_unlock(&team.owner);
}

/* ---- Number of threads ---------------------------------------------------------------------- */

static int count_processors(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < MOST_THREADS ? count : MOST_THREADS;
}

int trm_most_threads(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    const long threads = requested > 0 ? requested : text ? strtol(text, NULL, 10) : 0;
    if (threads <= 0) return count_processors();
    return threads < MOST_THREADS ? (int)threads : MOST_THREADS;
}

void trm_set_threads(int count)
{
    requested = count > 0 ? count : 0;
}

void trm_lock_library(void)
{
    pthread_mutex_lock(&alone);
}

void trm_unlock_library(void)
{
    pthread_mutex_unlock(&alone);
}

#else

void trm_share_loop(int count, int threads, bool even, trm_visit visit, void *context)
{
    (void)threads, (void)even;
    trm_for_each(count, 1, visit, context);
}

int trm_most_threads(void)
{
    return 1;
}

void trm_set_threads(int count)
{
    (void)count;
}

void trm_lock_library(void)
{
}

void trm_unlock_library(void)
{
}

#endif
