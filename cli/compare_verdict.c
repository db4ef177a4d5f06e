/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Who comes nearest to the reference in equal time.
 *
 * Runs that differ in the step only are the choices of one contestant. A budget buys each the best of those runs that cost no
 * more; there is nothing between runs. Budgets lie between the one at which two methods can take part and the dearest run, in equal
 * ratios. */

#include <math.h>
#include <stddef.h>

#include "compare.h"
#include "trammel/elementary.h"

static bool counts(const trial *t)
{
    return t->ok && !isnan(t->error);
}

/* The run of the contestant that has trial i which comes nearest within the budget; NULL: none is so cheap. */
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

/* The cheapest run of all methods, or of all but one. */
static const trial *cheapest(const comparison *c, const char *but)
{
    const trial *least = NULL;
    for (int i = 0; i < c->trial_count; i++) {
        const trial *t = &c->trials[i];
        if (counts(t) && t->method != but && (!least || t->cost < least->cost)) least = t;
    }
    return least;
}

/* The nearest of all methods, or of all but one. */
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
