/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Targets of our engine in contacts. A claim is a figure and a limit. If an engine was not run to the end, the figure
 * is missing. Times of stacks are for an idle core of the machine that the tables name; those of piles are relative
 * to Bullet in the same run. */

#include "claims.h"

#include <string.h>

#include "common/report.h"
#include "figures.h"

/* Writes a claim: the value is at most the limit. */
static void claim(FILE *file, const scene_kind *kind, const char *what, double value, double limit)
{
    char text[200];
    snprintf(text, sizeof text, "%s: %s", kind->title, what);
    write_claim(file, text, value, AT_MOST, limit);
}

static void claim_stack(FILE *file, const scene_kind *kind, const row *event, const row *window)
{
    claim(file, kind, "how far the top moved, event, m", figure_of(event, TOP), 1e-8);
    claim(file, kind, "us per step, event", cost_of(event), 100);
    claim(file, kind, "how far the top moved, window, m", figure_of(window, TOP), 1e-8);
    claim(file, kind, "us per step, window", cost_of(window), 100);
}

static void claim_pile(FILE *file, const scene_kind *kind, const table *t, const row *ours, double time)
{
    const row *yardstick = find_row(t, YARDSTICK, YARDSTICK_VARIANT, BENCH_STEP);
    claim(file, kind, "v_rms at 4 s, window, m/s", figure_of(ours, V_RMS_4), 1e-2);
    claim(file, kind, "v_rms at 10 s, window, m/s", figure_of(ours, V_RMS_10), 1e-3);
    claim(file, kind, "penetration while it falls, window, m", figure_of(ours, PENETRATION), 1e-3);
    claim(file, kind, "penetration at the end, window, m", figure_of(ours, PENETRATION_END), 1e-3);
    claim(file, kind, "time per step, window / " YARDSTICK " " YARDSTICK_VARIANT, cost_of(ours) / cost_of(yardstick),
          time);
}

void claim_contact(FILE *file, const scene_kind *kind, const table *t)
{
    const row *event = find_row(t, "Trammel", "event", BENCH_STEP);
    const row *window = find_row(t, "Trammel", "window", BENCH_STEP);
    switch ((scene_error)kind->error) {
    case ERROR_CREEP: claim(file, kind, "creep in 10 s, event, m", figure_of(event, CREEP), 1e-12); break;
    case ERROR_SLIDE: claim(file, kind, "way, event, relative", figure_of(event, SLIDE), 1e-10); break;
    case ERROR_APEX:
        claim(file, kind, "apexes 1 to 5, event, relative", figure_of(event, APEX), 1e-10);
        claim(file, kind, "penetration, event, m", figure_of(event, PENETRATION), 1e-6);
        break;
    case ERROR_TOP:
        if (strcmp(kind->name, "stack-20") == 0) claim_stack(file, kind, event, window);
        break;
    case ERROR_PILE: claim_pile(file, kind, t, window, strcmp(kind->name, "heap") == 0 ? 0.5 : 1); break;
    }
}
