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

#endif
