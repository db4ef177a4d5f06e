/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How long other engines take: for accelerations of a chain of rods of 1 m and 1 kg on hinges about z, folded like a zigzag; for steps
 * of robots. */

#ifndef TRM_BENCH_TREES_H
#define TRM_BENCH_TREES_H

#ifdef __cplusplus
extern "C" {
#endif

/* us of processor time per evaluation of all accelerations, everything that depends on positions and velocities made again, the best
 * of `runs` rounds of this many; the first joint's acceleration, by which results are compared. */
double simbody_chain(int rods, double fold, int evaluations, int runs, double *first);

/* rad/s: what hinge number k of a robot starts with. */
static inline double robot_rate(int k)
{
    return (k % 3 - 1) * 1.5 + 0.1 * k;
}

/* us of processor time per step of RK4 of the robot in an MJCF text, the best of `runs` rounds of this many steps, each from the start;
 * where the origins of its bodies are at the end of the first round, 3 numbers each, in the order of the file. < 0: refused. */
double mujoco_steps(const char *text, int steps, int runs, double *places, int bodies);

#ifdef __cplusplus
}
#endif

#endif
