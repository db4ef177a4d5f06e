/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1800 };                   /* largest number of states: 30 per second for a minute */
static const double LONGEST = 60;       /* s */
static const double BETWEEN = 1.0 / 30; /* s: least interval of stored states */
static const size_t MOST_BYTES = 96 << 20;

struct past {
    trm_state *states[MOST]; /* in the order of their times */
    int count;
    size_t bytes; /* size of all states */
};

/* ---- Counted memory ------------------------------------------------------------------------- */

static void *allocate(void *context, size_t bytes)
{
    past *p = context;
    void *memory = malloc(bytes);
    if (memory) p->bytes += bytes;
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    past *p = context;
    free(memory);
    p->bytes -= bytes;
}

past *past_create(void)
{
    return calloc(1, sizeof(past));
}

void past_clear(past *p)
{
    while (p->count > 0) trm_state_destroy(p->states[--p->count]);
}

void past_destroy(past *p)
{
    if (p) past_clear(p);
    free(p);
}

/* ---- States --------------------------------------------------------------------------------- */

static double time_at(const past *p, int i)
{
    return trm_state_time(p->states[i]);
}

/* Deletes the first states. */
static void forget_first(past *p, int count)
{
    for (int i = 0; i < count; i++) trm_state_destroy(p->states[i]);
    memmove(p->states, p->states + count, (size_t)(p->count - count) * sizeof *p->states);
    p->count -= count;
}

/* Deletes every other state. */
static void thin(past *p)
{
    int kept = 0;
    for (int i = 0; i < p->count; i++)
        if (i % 2 == 0)
            p->states[kept++] = p->states[i];
        else
            trm_state_destroy(p->states[i]);
    p->count = kept;
}

void past_keep(past *p, const trm_model *model, const trm_state *state)
{
    const double now = trm_state_time(state);
    const trm_allocator counted = {allocate, release, p};
    while (p->count > 0 && time_at(p, p->count - 1) >= now) trm_state_destroy(p->states[--p->count]);
    if (p->count > 0 && now - time_at(p, p->count - 1) < BETWEEN * (1 - 1e-6)) return;
    int old = 0;
    while (old < p->count && time_at(p, old) < now - LONGEST) old++;
    forget_first(p, old);
    if (p->count == MOST || p->bytes > MOST_BYTES) thin(p);
    trm_state *copy = trm_state_create(model, &counted);
    if (!copy) return;
    trm_state_copy(copy, state);
    p->states[p->count++] = copy;
}

const trm_state *past_at(const past *p, double time)
{
    int i = p->count - 1;
    while (i > 0 && time_at(p, i) > time) i--;
    return i >= 0 ? p->states[i] : NULL;
}

double past_start(const past *p)
{
    return p->count > 0 ? time_at(p, 0) : NAN;
}

double past_end(const past *p)
{
    return p->count > 0 ? time_at(p, p->count - 1) : NAN;
}
