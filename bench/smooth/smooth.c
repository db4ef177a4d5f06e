/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Smooth scenes, run by our engine and others: cost and error of each. Usage: common/bench.h.
 *
 * Runs are read every 0.01 s, or after each step if that is longer. If the end of a run is judged, the reference is our
 * engine at order 8. */

#include <math.h>
#include <stdlib.h>

#include "claims.h"
#include "errors.h"
#include "peers/trammel.h"
#include "pictures.h"

static const double REFERENCE_STEP = 0.001; /* s; the reference itself uses half of it */

enum { FEW_BODIES = 8 };

/* Computes our final states with the step h. Returns false if the run gave up. */
static bool run_reference(const scene *s, double h, body_state *states)
{
    const char *why = "";
    void *engine = trammel_reference.create(s, h, &why);
    if (!engine) return false;
    const bool good = trammel_reference.step(engine, (int)lround(s->time / h));
    if (good) trammel_reference.read(engine, states);
    trammel_reference.destroy(engine);
    return good;
}

/* Makes the reference. The note says how much halving the step changed it. */
static body_state *make_reference(const scene_kind *kind, const scene *s, char *note, size_t size)
{
    if (kind->error != ERROR_POSITION) return NULL;
    body_state *coarse = calloc((size_t)s->body_count, sizeof *coarse);
    body_state *fine = calloc((size_t)s->body_count, sizeof *fine);
    const bool good =
        coarse && fine && run_reference(s, REFERENCE_STEP, coarse) && run_reference(s, 0.5 * REFERENCE_STEP, fine);
    if (good)
        snprintf(note, size, "; the reference changed by %.1e m when its step was halved",
                 largest_distance(coarse, fine, s->body_count));
    free(coarse);
    if (good) return fine;
    free(fine);
    return NULL;
}

static const char head[] =
    "# Benchmarks\n\n"
    "Written by `make bench` (bench/smooth); do not edit. Remarks by hand are kept in bench/smooth/remarks.\n\n"
    "Every engine gets the same bodies and joints through its own interface. Time is the process's per step, at "
    "best of three runs (six in scenes of few bodies) on one thread, without creation, the first step and "
    "reading; runs of more than a second "
    "are timed by their beginning. Errors come from one more run, read every 0.01 s: energy from poses and "
    "velocities against the start, in joule unless said otherwise; gap is the largest distance between the two "
    "images of a joint's anchor. Other load on the machine changes times, so compare rows of one table.";

int main(int argc, char **argv)
{
    const bench smooth = {
        .page = "benchmarks",
        .prefix = "",
        .remarks = BENCH_REMARKS,
        .head = head,
        .kinds = smooth_kinds,
        .columns = smooth_columns,
        .spacing = 0.01,
        .limit = 10,
        .most_twice = FEW_BODIES,
        .cost = {.runs = 3, .least = 0.05, .longest = 0.8},
        .watcher = smooth_watcher,
        .make_reference = make_reference,
        .claim = claim_smooth,
        .illustrate = draw_smooth,
    };
    return run_bench(&smooth, argc, argv);
}
