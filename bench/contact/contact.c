/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Scenes with contacts, run by our engine and others: cost, error, penetration and residual motion of each. Usage:
 * common/bench.h. */

#include <limits.h>
#include <math.h>

#include "claims.h"
#include "figures.h"

static const char head[] =
    "# Benchmarks of contact\n\n"
    "Written by `make bench` (bench/contact); do not edit. Remarks by hand are kept in "
    "bench/contact/remarks. Scenes without contact are in [benchmarks](benchmarks.md).\n\n"
    "Every engine gets the same bodies through its own interface, h = 1/240 s, mu = 0.5, one thread, no body "
    "is put to sleep. Time is the process's per step over the whole run, at best of several runs. Penetration "
    "is the deepest of any pair of bodies or body and ground that was seen (every step; with 1000 boxes every "
    "fourth), by separating axes from the poses that the engine gives, in the same way for all. v_rms is "
    "the root of the mean square speed of all bodies: motion left. Where an engine was stopped, figures are "
    "those until then. Other load on the machine changes times, so compare rows of one table.";

int main(int argc, char **argv)
{
    const bench contact = {
        .page = "contact-benchmarks",
        .prefix = "contact-",
        .remarks = BENCH_REMARKS,
        .head = head,
        .kinds = contact_kinds,
        .columns = contact_columns,
        .spacing = BENCH_STEP,
        .limit = 20,
        .most_twice = INT_MAX,
        .partial = true,
        .cost = {.least = 0.5, .longest = INFINITY}, /* a fall costs less than a heap: whole runs */
        .watcher = contact_watcher,
        .yardstick = {YARDSTICK, YARDSTICK_VARIANT},
        .claim = claim_contact,
    };
    return run_bench(&contact, argc, argv);
}
