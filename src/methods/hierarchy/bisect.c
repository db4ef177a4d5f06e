/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/hierarchy/bisect.h"

#include <metis.h>
#include <pthread.h>

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32 bit indices");

/* METIS draws its random numbers from rand(), of which a process has one: two graphs at a time would disturb each other. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static const idx_t SEED = 1;

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
    pthread_mutex_lock(&one_at_a_time);
    const int status =
        METIS_PartGraphRecursive(&vertices, &constraints, graph->first, graph->neighbour, graph->weight, NULL,
                                 graph->edge_weight, &parts, NULL, NULL, options, &cut, part);
    pthread_mutex_unlock(&one_at_a_time);
    if (status == METIS_ERROR_MEMORY) return false;
    if (status != METIS_OK)
        for (int v = 0; v < vertices; v++) part[v] = 0; /* no edges, or what METIS does not like: by halves */
    fill_both_sides(graph->vertices, part);
    return true;
}
