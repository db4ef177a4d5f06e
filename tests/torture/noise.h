/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The distance of two runs of one machine that rounding and tolerances alone explain.
 *
 * Each step leaves an error up to the tolerance; the machine multiplies it by its sensitivity. A machine that
 * multiplies it to more than CHAOTIC proves nothing. */

#ifndef TORTURE_NOISE_H
#define TORTURE_NOISE_H

#include "run.h"

#define CHAOTIC 5e-3 /* m, rad of the unscaled machine */

/* Returns the noise, m, rad of the unscaled machine. run: the result of def. */
double noise_of(const subject *s, const run_def *def, const motion *run);

/* Returns the difference of two runs of one machine by steps whose kind rounding may have chosen: a step that does
 * not converge is divided, or made at order 2, or, where events chatter, replaced by a dissipative one. 0: all steps
 * were made as planned. */
double error_of_choices(const subject *s, const run_def *def, const motion *run, const motion *other);

#endif
