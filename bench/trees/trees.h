/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A chain of rods of 1 m and 1 kg on hinges about z, folded like a zigzag, and how long another engine takes for its
 * accelerations. */

#ifndef TRM_BENCH_TREES_H
#define TRM_BENCH_TREES_H

#ifdef __cplusplus
extern "C" {
#endif

/* us of the processor per evaluation of all accelerations, everything that depends on positions and velocities made anew, the best
 * of `runs` rounds of so many; the first joint's acceleration, by which results are compared. */
double simbody_chain(int rods, double fold, int evaluations, int runs, double *first);

#ifdef __cplusplus
}
#endif

#endif
