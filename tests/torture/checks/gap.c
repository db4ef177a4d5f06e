/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joints are closed to the tolerance wherever the machine is observed. */

#include "check.h"

static const double SLACK = 1.001;    /* factor of the tolerance, because the comparison rounds in another order */
static const double ROUNDING = 1e-14; /* fraction of the machine's length */

static finding look(const subject *s)
{
    const run_def def = run_plain(s);
    const motion run = run_machine(s, &def);
    if (!run.ok) return not_told(run.why);
    const trm_accuracy *a = &run.accuracy;
    const double length = SLACK * run.position_tolerance + ROUNDING * 10 * s->m->length;
    const double angle = SLACK * run.angle_tolerance + ROUNDING;
    if (a->gap.position > length)
        return fails("", a->gap.position, length, "a joint is open by %.3g m; the tolerance is %.3g m",
                     a->gap.position, run.position_tolerance);
    if (a->gap.angle > angle)
        return fails("", a->gap.angle, angle, "a joint is open by %.3g rad; the tolerance is %.3g rad", a->gap.angle,
                     run.angle_tolerance);
    return holds();
}

const check check_gap = {"gap", "joints are closed to the tolerance", look, false, 0};
