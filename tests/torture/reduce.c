/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The reducer: removes as much as possible while the machine still fails in the same way.
 *
 * First the end of the run, by halves; then parts one by one, bodies before their children, until a whole round
 * removes nothing. A change after which the model is invalid does not fail, and is undone. */

#include <string.h>
#include <time.h>

#include "torture.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct reduction {
    const check *check;
    subject *s;
    finding last;    /* finding of the present machine */
    double child;    /* s of processor time for each attempt */
    double deadline; /* s */
} reduction;

/* Keeps a change if the machine still fails in the same way. Returns whether it does. */
static bool try_change(reduction *r)
{
    if (now() > r->deadline) return false;
    finding f;
    look_in_child(&r->check, 1, r->s, r->child, &f);
    if (f.verdict != r->last.verdict || strcmp(f.kind, r->last.kind) != 0) return false;
    r->last = f;
    return true;
}

static void shorten(reduction *r)
{
    for (int i = 0; i < 6; i++) {
        const double before = r->s->r.time;
        r->s->r.time = 1 - 0.5 * (1 - before);
        if (try_change(r)) continue;
        r->s->r.time = before;
        return;
    }
}

static bool remove_parts(reduction *r)
{
    part parts[MOST_PARTS];
    const int count = list_parts(r->s->m, parts);
    bool removed_any = false;
    for (int i = 0; i < count && now() < r->deadline; i++) {
        bool *flag = part_flag(&r->s->r, parts[i]);
        if (*flag) continue;
        *flag = true;
        if (try_change(r))
            removed_any = true;
        else
            *flag = false;
    }
    return removed_any;
}

finding reduce(const check *c, subject *s, finding first, double seconds)
{
    reduction r = {c, s, first, first.verdict == HUNG ? 4 : 8, now() + seconds};
    shorten(&r);
    while (remove_parts(&r) && now() < r.deadline) continue;
    shorten(&r);
    return r.last;
}
