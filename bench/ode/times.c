/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures the time per step of all rivals in one process and in turns, so that other load of the machine affects all
 * of them. The best of several turns counts, each with enough steps for the clock. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/machine.h"
#include "figures.h"
#include "smooth/scenes.h"

static const double TURN = 0.02,
                    ENOUGH =
                        4; /* s of processor time of a turn; of all turns of a rival, after which it gets no more */
enum { TURNS = 7 };

typedef struct timed {
    rival rival;
    int count;        /* number of steps of a turn */
    double best, all; /* s: best time of one step; time of all turns */
} timed;

static bool take_turn(timed *t)
{
    const double started = processor_seconds();
    const bool good = t->rival.step(t->rival.engine, t->count);
    const double seconds = processor_seconds() - started;
    t->all += seconds;
    t->best = fmin(t->best, seconds / t->count);
    return good;
}

/* Makes the first step, which allocates memory. The next steps determine the number of steps of a turn. */
static bool begin(timed *t)
{
    if (!t->rival.step(t->rival.engine, 1)) return false;
    t->best = INFINITY;
    t->count = 1;
    for (double before = 0; take_turn(t) && t->all - before < TURN; before = t->all) t->count *= 2;
    return isfinite(t->best);
}

static bool find_times(const scene *s, const parameters *p, timed *all)
{
    bool good = true;
    for (int i = 0; good && i < RIVALS; i++)
        good = rival_create((rival_kind)i, s, p, &all[i].rival) && begin(&all[i]);
    for (int turn = 1; good && turn < TURNS; turn++)
        for (int i = 0; good && i < RIVALS; i++)
            if (all[i].all < ENOUGH) good = take_turn(&all[i]);
    for (int i = 0; i < RIVALS; i++) rival_destroy(&all[i].rival);
    return good;
}

static bool print_scene(const scene_kind *kind, const parameters *p)
{
    timed all[RIVALS] = {0};
    scene *s = scene_create(kind);
    const bool good = s && find_times(s, p, all);
    if (good) {
        printf("%-12s %6d", kind->name, s->body_count);
        for (int i = 0; i < RIVALS; i++) printf(" %12.2f", 1e6 * all[i].best);
        printf(" %10.3f %10.3f\n", all[OURS_DANTZIG].best / all[ODE_STEP].best,
               all[OURS_PGS].best / all[ODE_QUICK_STEP].best);
        fflush(stdout);
    }
    scene_destroy(s);
    return good;
}

bool print_times(const parameters *given, int most)
{
    parameters p = *given;
    p.h = 0.001; /* the longest chains whip, and sweeps do not hold them with longer ones */
    printf("\nTime per step, us, h = %g s\n%-12s %6s", p.h, "scene", "bodies");
    for (int i = 0; i < RIVALS; i++) printf(" %12s", rival_names[i]);
    printf(" %10s %10s\n", "direct", "sweeps");
    for (const scene_kind *kind = smooth_kinds; kind->name; kind++) {
        const bool is_chain = strncmp(kind->name, "chain-", 6) == 0;
        if (strcmp(kind->name, "eight-loop") != 0 && !(is_chain && kind->given <= most)) continue;
        if (!print_scene(kind, &p)) return false;
    }
    return true;
}
