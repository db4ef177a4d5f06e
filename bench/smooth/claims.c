/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Targets of our engine compared with the others. A claim is a figure and a bound. If an engine was not run, the
 * figure is missing. */

#include "claims.h"

#include <math.h>
#include <string.h>

#include "common/report.h"
#include "errors.h"

static const double POSITION_ERROR = 1e-6; /* m: error at which costs are compared */

static double energy_mean(const row *r)
{
    return figure_of(r, ENERGY_MEAN);
}

/* ---- Cost at equal error ------------------------------------------------------------------ */

/* Interpolates between the rows a, whose error is too large, and b, whose error is small enough. */
static double crossing(const row *a, const row *b, const scene_kind *kind, double error)
{
    const double ea = log(main_error(a, kind)), eb = log(main_error(b, kind));
    const double ta = log(a->s_per_simulated_s), tb = log(b->s_per_simulated_s);
    return exp(tb + (ta - tb) * (log(error) - eb) / (ea - eb));
}

/* Returns the time per simulated second at which an engine first has an error of at most `error`, s, from its rows of
 * one variant, interpolated between steps by straight lines in logarithms. INFINITY: not reached. */
static double time_at_error(const table *t, const row *first, const scene_kind *kind, double error)
{
    const row *before = NULL;
    for (const row *r = first; r < t->rows + t->count && is_of(r, first->peer, first->variant); r++) {
        const bool known = is_good(r) && isfinite(main_error(r, kind));
        if (known && main_error(r, kind) <= error)
            return before ? crossing(before, r, kind, error) : r->s_per_simulated_s;
        before = known ? r : NULL;
    }
    return INFINITY;
}

typedef struct best {
    double time; /* s per simulated second; INFINITY: not reached */
    const row *row;
} best;

/* Returns the best variant of one engine. */
static best best_of(const table *t, const char *engine, const scene_kind *kind, double error)
{
    best b = {INFINITY, NULL};
    for (int i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (strcmp(r->peer, engine) != 0 || (i > 0 && is_of(&t->rows[i - 1], r->peer, r->variant))) continue;
        const double time = time_at_error(t, r, kind, error);
        if (time < b.time || !b.row) b = (best){time, r};
    }
    return b;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void claim_eight_loop(FILE *file, const table *t)
{
    const double h = 0.00125;
    const row *two = find_row(t, "Trammel", "order 2", h), *eight = find_row(t, "Trammel", "order 8", h);
    const row *ode = find_row(t, "ODE", "dWorldStep", h), *merson = find_row(t, "Simbody", "RungeKuttaMerson", h);
    write_claim(file, "8-Loop, h = 0.00125: time per step, order 2 / ODE dWorldStep", cost_of(two) / cost_of(ode),
                AT_MOST, 1);
    write_claim(file, "8-Loop: mean energy error, ODE dWorldStep / order 2", energy_mean(ode) / energy_mean(two),
                AT_LEAST, 1000);
    write_claim(file, "8-Loop: mean energy error, ODE dWorldStep with ERP 0.8 / order 2",
                energy_mean(find_row(t, "ODE", "dWorldStep ERP 0.8", h)) / energy_mean(two), AT_LEAST, 1000);
    write_claim(file, "8-Loop: time per step, order 8 / Simbody RungeKuttaMerson", cost_of(eight) / cost_of(merson),
                AT_MOST, 1);
    write_claim(file, "8-Loop: mean energy error, Simbody RungeKuttaMerson / order 8",
                energy_mean(merson) / energy_mean(eight), AT_LEAST, 100);
}

static void claim_chain(FILE *file, const table *t)
{
    const row *two = find_row(t, "Trammel", "order 2", 0.001), *bullet = find_row(t, "Bullet", "MultiBody", 0.001);
    write_claim(file, "Chain of 1000, h = 0.001: time per step, order 2 / Bullet MultiBody",
                cost_of(two) / cost_of(bullet), AT_MOST, 0.75);
    write_claim(file, "Chain of 1000: us per rod and step of order 2", cost_of(two) / 1000, AT_MOST, 0.5);
    write_claim(file, "Chain of 1000: energy error over 2 s, at most, J", figure_of(two, ENERGY_MAX), AT_MOST, 1e-2);
    write_claim(file, "Chain of 1000: gap, m", figure_of(two, GAP), AT_MOST, 1e-10);
}

static void claim_pendulum(FILE *file, const table *t)
{
    const row *mujoco = find_row(t, "MuJoCo", "RK4", 0.01), *two = find_row(t, "Trammel", "order 2", 0.01);
    const row *ours = NULL;
    for (int i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (strcmp(r->peer, "Trammel") != 0 || !is_good(r) || !(r->figures[PERIOD] <= 1e-10)) continue;
        if (!ours || r->s_per_simulated_s < ours->s_per_simulated_s) ours = r;
    }
    char what[200];
    snprintf(what, sizeof what,
             "Pendulum: time per simulated second, ours with a period error <= 1e-10 s (%s, h = %g) / MuJoCo RK4 at "
             "h = 0.01",
             ours ? ours->variant : "none", ours ? ours->h : NAN);
    write_claim(file, what, ours && mujoco ? ours->s_per_simulated_s / mujoco->s_per_simulated_s : NAN, AT_MOST, 1);
    write_claim(file, "Pendulum: us per step of order 2", cost_of(two), AT_MOST, 1);
}

static void claim_free_body(FILE *file, const table *t)
{
    const row *mujoco = find_row(t, "MuJoCo", "RK4", 0.01), *two = find_row(t, "Trammel", "order 2", 0.01);
    write_claim(file, "Free body, h = 0.01: time per step, order 2 / MuJoCo RK4", cost_of(two) / cost_of(mujoco),
                AT_MOST, 1);
    write_claim(file, "Free body: relative energy error of order 2", figure_of(two, ENERGY_MAX), AT_MOST, 1e-12);
    write_claim(file, "Free body: relative angular momentum error of order 2", figure_of(two, ANGULAR_MOMENTUM),
                AT_MOST, 1e-12);
}

/* Lists the names of the engines in the table, each once. Returns their number. */
static int list_peers(const table *t, const char *names[16])
{
    int count = 0;
    for (int i = 0; i < t->count && count < 16; i++)
        if (i == 0 || strcmp(t->rows[i].peer, t->rows[i - 1].peer) != 0) names[count++] = t->rows[i].peer;
    return count;
}

static void claim_against(FILE *file, const scene_kind *kind, best ours, best theirs)
{
    char what[300];
    snprintf(what, sizeof what, "%s: time for 1e-6 m after 1 s, ours (%s) / %s (%s)", kind->title, ours.row->variant,
             theirs.row->peer, theirs.row->variant);
    if (isfinite(ours.time) && isinf(theirs.time))
        fprintf(file, "| %s: 1e-6 m after 1 s, with the steps tried | before %s | only ours reaches it | yes |\n",
                kind->title, theirs.row->peer);
    else
        write_claim(file, what, ours.time / theirs.time, AT_MOST, 1);
}

static void claim_position(FILE *file, const table *t, const scene_kind *kind)
{
    const char *names[16];
    const int count = list_peers(t, names);
    const best ours = best_of(t, "Trammel", kind, POSITION_ERROR);
    for (int i = 0; i < count && ours.row; i++)
        if (strcmp(names[i], "Trammel") != 0)
            claim_against(file, kind, ours, best_of(t, names[i], kind, POSITION_ERROR));
}

void claim_smooth(FILE *file, const scene_kind *kind, const table *t)
{
    if (strcmp(kind->name, "eight-loop") == 0) claim_eight_loop(file, t);
    if (strcmp(kind->name, "chain-1000") == 0) claim_chain(file, t);
    if (strcmp(kind->name, "pendulum") == 0) claim_pendulum(file, t);
    if (strcmp(kind->name, "free-body") == 0) claim_free_body(file, t);
    if (kind->error == ERROR_POSITION) claim_position(file, t, kind);
}
