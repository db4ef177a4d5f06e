/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The order in which bodies, joints and forces are listed has no effect. */

#include "check.h"
#include "noise.h"

static const uint64_t shuffles[] = {1, 2}; /* each machine uses one of them */
enum { SHUFFLES = sizeof shuffles / sizeof *shuffles };

static finding look(const subject *s)
{
    const run_def plain = run_plain(s);
    const motion run = run_machine(s, &plain);
    if (!run.ok) return not_told(run.why);
    const double bound = noise_of(s, &plain, &run);
    if (!(bound < CHAOTIC)) return not_told("chaotic");
    for (int i = 0; i < SHUFFLES; i++) {
        if (!is_sampled(s, "shuffle", i, SHUFFLES)) continue;
        run_def def = plain;
        def.view.shuffle = shuffles[i];
        const motion other = run_machine(s, &def);
        if (!other.ok)
            return fails("", 0, 0, "in another order of the file: %s; as listed it reaches its end", other.why);
        const double apart = motion_distance(s, &run, &other);
        if (!(apart <= bound || apart <= error_of_choices(s, &plain, &run, &other)))
            return fails(
                "", apart, bound,
                "in another order of the file bodies are %.3g m or rad away at the end; rounding explains %.3g",
                apart, bound);
    }
    return holds();
}

const check check_permuted = {"permuted", "the order in the file does not matter", look, false, 3};
