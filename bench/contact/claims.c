/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What our engine is to reach in contacts. A claim is a figure and a limit; where an engine was not run to the end, the figure
 * is missing. Times of stacks are for an idle core of the machine that the tables name; those of piles are against Bullet in the
 * same run. */

#include "claims.h"

#include <math.h>
#include <string.h>

const row *find_yardstick(const table *t)
{
    const row *r = find_row(t, "Bullet", "default");
    return r && is_good(r) ? r : NULL;
}

static void claim(FILE *file, const char *title, const char *what, double value, double limit)
{
    fprintf(file, "| %s: %s | %.3g | ", title, what, limit);
    if (isnan(value))
        fprintf(file, "not measured | |\n");
    else
        fprintf(file, "%.3g | %s |\n", value, value <= limit ? "yes" : "**no**");
}

static double cost(const row *r)
{
    return r ? r->us_per_step : NAN;
}

static double error(const row *r)
{
    return r ? r->figures.error : NAN;
}

static void claim_stack(FILE *file, const char *title, const row *ours)
{
    claim(file, title, "how far the top moved, event, m", error(ours), 1e-8);
    claim(file, title, "us per step, event", cost(ours), 100);
}

static void claim_pile(FILE *file, const char *title, const table *t, const row *ours, double time)
{
    const double ratio = cost(ours) / cost(find_yardstick(t));
    claim(file, title, "v_rms at 4 s, window, m/s", ours ? ours->figures.v_rms[0] : NAN, 1e-2);
    claim(file, title, "v_rms at 10 s, window, m/s", ours ? ours->figures.v_rms[1] : NAN, 1e-3);
    claim(file, title, "penetration, window, m", ours ? ours->figures.penetration : NAN, 1e-3);
    claim(file, title, "time per step, window / Bullet default", ratio, time);
}

static const row *find_ours(const table *t, const char *variant)
{
    const row *r = find_row(t, "Trammel", variant);
    return r && is_good(r) ? r : NULL;
}

static void claim_scene(FILE *file, const scene_kind *kind, const table *t)
{
    const row *event = find_ours(t, "event"), *window = find_ours(t, "window");
    switch (kind->error) {
    case ERROR_CREEP: claim(file, kind->title, "creep in 10 s, event, m", error(event), 1e-12); break;
    case ERROR_SLIDE: claim(file, kind->title, "way, event, relative", error(event), 1e-10); break;
    case ERROR_APEX:
        claim(file, kind->title, "apexes 1 to 5, event, relative", error(event), 1e-10);
        claim(file, kind->title, "penetration, event, m", event ? event->figures.penetration : NAN, 1e-6);
        break;
    case ERROR_TOP:
        if (strcmp(kind->name, "stack-20") == 0) claim_stack(file, kind->title, event);
        break;
    case ERROR_NONE: claim_pile(file, kind->title, t, window, strcmp(kind->name, "heap") == 0 ? 0.5 : 1); break;
    }
}

void write_claims(FILE *file, const char *folder)
{
    static table t;
    fprintf(file, "| what | at most | measured | holds |\n|---|---|---|---|\n");
    for (int i = 0; scene_kind_at(i); i++)
        if (read_table(folder, scene_kind_at(i)->name, &t)) claim_scene(file, scene_kind_at(i), &t);
}
