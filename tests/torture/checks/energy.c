/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The energy balance |E - E0 - W| closes as the step gets shorter, and is never a multiple of the machine's energies.
 *
 * An eighth of the step leaves 1/64 of the error at order 2, 1/8 at order 1; SHRINKS is weaker than both. A step
 * that does not resolve the motion yet gets two more attempts. Contacts have an invariant of their own (gain). */

#include "check.h"

static const double SHRINKS = 0.3;  /* fraction of the error that may remain with an eighth of the step */
static const double NOTHING = 1e-6; /* fraction of the machine's energies */
static const double EXPLODES = 3;   /* multiple of the machine's energies */

/* Computes the error with an eighth of the step, which shows whether the motion is resolved. */
static finding look_finer(const subject *s, run_def *def, double error, double size, double *left)
{
    def->options.step /= 8;
    const motion fine = run_machine(s, def);
    if (!fine.ok) return not_told(fine.why);
    *left = fine.accuracy.energy_error_max;
    if (*left <= fmax(SHRINKS * error, NOTHING * size)) return holds();
    return fails("shrinks", *left, SHRINKS * error,
                 "|E - E0 - W| is %.3g J, and %.3g J with an eighth of the step; energies are about %.3g J", error,
                 *left, size);
}

static finding look(const subject *s)
{
    if (traits_of(s) & HAS_CONTACTS) return not_told("contacts");
    const double scale = energy_scale(s);
    run_def def = run_plain(s);
    const motion run = run_machine(s, &def);
    if (!run.ok) return not_told(run.why);
    const double error = run.accuracy.energy_error_max, size = fmax(scale, fabs(run.accuracy.work));
    if (error > EXPLODES * size)
        return fails("explodes", error, EXPLODES * size, "|E - E0 - W| is %.3g J where energies are about %.3g J",
                     error, size);
    double left = error;
    if (error <= NOTHING * size) return holds();
    finding f = look_finer(s, &def, error, size, &left);
    for (int chances = 2; f.verdict == FAILS && chances > 0; chances--) f = look_finer(s, &def, left, size, &left);
    return f;
}

const check check_energy = {"energy", "the energy balance closes as the step gets shorter", look, false, 0};
