/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The reducer: removes what it can while the machine still fails alike.
 *
 * First the end of the run, by halves; then parts one by one, bodies before what they carry, until a whole round removes
 * nothing. What does not make a model any more does not fail, so it is not tried further. */

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
    finding last;    /* of the machine as it is */
    double child;    /* s of processor time for each try */
    double deadline; /* s */
} reduction;

/* Whether the machine with a change fails alike; then the change stays. */
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
