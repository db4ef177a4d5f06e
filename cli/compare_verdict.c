/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The most accurate method for equal processor time.
 *
 * Runs that differ only in the step form one contestant. For a budget of processor time each contestant enters its
 * most accurate run that costs no more; there is no interpolation between runs. Budgets are spaced in equal ratios
 * from the smallest one that two methods can meet to the cost of the dearest run. */

#include <math.h>
#include <stddef.h>

#include "compare.h"
#include "trammel/elementary.h"

static bool counts(const trial *t)
{
    return t->ok && !isnan(t->error);
}

/* Returns the most accurate run within the budget of the contestant of trial i, NULL if none is cheap enough. */
static const trial *best_of(const comparison *c, const trial *contestant, double budget)
{
    const trial *best = NULL;
    for (int i = 0; i < c->trial_count; i++) {
        const trial *t = &c->trials[i];
        if (!counts(t) || t->cost > budget || !differ_in_step_only(t, contestant)) continue;
        if (!best || t->error < best->error) best = t;
    }
    return best;
}

/* Returns the cheapest run of all methods, or of all but one. */
static const trial *cheapest(const comparison *c, const char *but)
{
    const trial *least = NULL;
    for (int i = 0; i < c->trial_count; i++) {
        const trial *t = &c->trials[i];
        if (counts(t) && t->method != but && (!least || t->cost < least->cost)) least = t;
    }
    return least;
}

/* Returns the most accurate run of all methods, or of all but one. */
static const trial *nearest(const comparison *c, double budget, const char *but)
{
    const trial *best = NULL;
    for (int i = 0; i < c->trial_count; i++) {
        const trial *t = c->trials[i].method == but ? NULL : best_of(c, &c->trials[i], budget);
        if (t && (!best || t->error < best->error)) best = t;
    }
    return best;
}

static verdict judge(const comparison *c, double budget)
{
    const trial *best = nearest(c, budget, NULL);
    return (verdict){budget, best, best ? nearest(c, budget, best->method) : NULL};
}

int find_verdicts(const comparison *c, verdict *verdicts)
{
    const trial *first = cheapest(c, NULL), *second = first ? cheapest(c, first->method) : NULL;
    double most = 0;
    if (!second || !(second->cost > 0)) return 0;
    for (int i = 0; i < c->trial_count; i++)
        if (counts(&c->trials[i])) most = fmax(most, c->trials[i].cost);
    for (int i = 0; i < VERDICTS; i++) {
        const double share = (double)i / (VERDICTS - 1);
        verdicts[i] = judge(c, i + 1 == VERDICTS ? most : second->cost * trm_pow(most / second->cost, share));
    }
    return VERDICTS;
}
