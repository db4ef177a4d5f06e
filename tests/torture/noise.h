/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How far two runs of one machine may be apart because of rounding and tolerances alone.
 *
 * Each step leaves an error up to the tolerance; the machine multiplies it by its sensitivity. A machine that multiplies it
 * to more than CHAOTIC tells nothing. */

#ifndef TORTURE_NOISE_H
#define TORTURE_NOISE_H

#include "run.h"

#define CHAOTIC 5e-3 /* m, rad of the unscaled machine */

/* m, rad of the unscaled machine; run: what def gave. */
double noise_of(const subject *s, const run_def *def, const motion *run);

/* By how far steps let two runs of one machine differ, where rounding may have chosen how they were made: a step that does not converge
 * is divided, or made at order 2, or, where events chatter, replaced by a dissipative one. 0: all steps were made as planned. */
double error_of_choices(const subject *s, const run_def *def, const motion *run, const motion *other);

#endif
