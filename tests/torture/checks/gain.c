/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A passive machine never has more energy than at its start, except for the error of the order of its steps.
 *
 * This compares energies and does not use the reported work of contacts, friction and impacts. */

#include "check.h"

static const double LITTLE = 0.05; /* fraction of the machine's energies: rolling and joints at order 2 */
static const double SHRINKS =
    0.3; /* fraction of the gain that may remain with a quarter of a step that resolves the motion */
static const double EXPLODES = 1; /* multiple of the machine's energies that no step explains */

static finding look(const subject *s)
{
    if (traits_of(s) & HAS_POWER) return not_told("driven");
    const double scale = energy_scale(s);
    run_def def = run_plain(s);
    const motion run = run_machine(s, &def);
    if (!run.accepted) return not_told(run.why);
    if (run.energy_most > EXPLODES * scale)
        return fails("explodes", run.energy_most, EXPLODES * scale,
                     "energy grows by %.3g J from %.3g J; energies are about %.3g J; %s", run.energy_most,
                     run.energy_first, scale, run.why);
    if (!run.ok || run.energy_most <= LITTLE * scale) return run.ok ? holds() : not_told(run.why);
    double last = run.energy_most;
    for (int tries = 0; tries < 3; tries++) {
        def.options.step /= 4;
        const motion fine = run_machine(s, &def);
        if (!fine.ok) return not_told(fine.why);
        if (fine.energy_most <= fmax(LITTLE * scale, SHRINKS * last)) return holds();
        last = fine.energy_most;
    }
    return fails("", last, LITTLE * scale,
                 "energy grows by %.3g J, and by %.3g J with 1/64 of the step; energies are about %.3g J",
                 run.energy_most, last, scale);
}

const check check_gain = {"gain", "a passive machine gains no energy", look, false, 0};
