/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* METIS draws numbers from rand() after seeding it, and catches SIGABRT and SIGTERM while it works; what it puts back afterwards has
 * lost its flags and mask. Both belong to the program that called us: the state of rand() is exchanged for one of our own, the signals
 * are blocked in this thread and their actions put back as they were. */

#define _XOPEN_SOURCE 700 /* initstate, setstate */

#include "methods/hierarchy/bisect.h"

#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32 bit indices");

/* METIS draws its random numbers from rand(), of which a process has one: two graphs at a time would disturb each other. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static const idx_t SEED = 1;

enum {
    CAUGHT = 2,
    RANDOM_STATE = 128
}; /* bytes: as many as rand() has by itself, so that it gives the same numbers */

static const int caught[CAUGHT] = {SIGABRT, SIGTERM};

/* What belongs to the program. */
typedef struct belongings {
    char *random;
    sigset_t mask;
    struct sigaction action[CAUGHT];
} belongings;

static belongings put_aside(char random[RANDOM_STATE])
{
    belongings b = {.random = initstate((unsigned)SEED, random, RANDOM_STATE)};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int i = 0; i < CAUGHT; i++) sigaddset(&blocked, caught[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &b.mask);
    for (int i = 0; i < CAUGHT; i++) sigaction(caught[i], NULL, &b.action[i]);
    return b;
}

static void give_back(const belongings *b)
{
    for (int i = 0; i < CAUGHT; i++) sigaction(caught[i], &b->action[i], NULL);
    pthread_sigmask(SIG_SETMASK, &b->mask, NULL);
    if (b->random) setstate(b->random);
}

/* METIS may leave a side of a very small graph empty. */
static void fill_both_sides(int vertices, int *part)
{
    int ones = 0;
    for (int v = 0; v < vertices; v++) ones += part[v];
    if (ones > 0 && ones < vertices) return;
    for (int v = 0; v < vertices; v++) part[v] = v >= vertices / 2;
}

bool trm_bisect(const trm_bisect_graph *graph, int *part)
{
    idx_t vertices = graph->vertices, constraints = 1, parts = 2, cut = 0, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    char random[RANDOM_STATE];
    pthread_mutex_lock(&one_at_a_time);
    const belongings theirs = put_aside(random);
    const int status =
        METIS_PartGraphRecursive(&vertices, &constraints, graph->first, graph->neighbour, graph->weight, NULL,
                                 graph->edge_weight, &parts, NULL, NULL, options, &cut, part);
    give_back(&theirs);
    pthread_mutex_unlock(&one_at_a_time);
    if (status == METIS_ERROR_MEMORY) return false;
    if (status != METIS_OK)
        for (int v = 0; v < vertices; v++) part[v] = 0; /* no edges, or what METIS does not like: by halves */
    fill_both_sides(graph->vertices, part);
    return true;
}
