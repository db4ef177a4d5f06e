/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Times of other engines: for accelerations of a chain of rods of 1 m and 1 kg on hinges about z, folded like a
 * zigzag, and for steps of robots. */

#ifndef TRM_BENCH_TREES_H
#define TRM_BENCH_TREES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns us of processor time per evaluation of all accelerations, with everything that depends on positions and
 * velocities computed again, the best of `runs` rounds of this many. *first: the acceleration of the first joint, by
 * which results are compared. */
double simbody_chain(int rods, double fold, int evaluations, int runs, double *first);

/* Returns the initial rate of hinge number k of a robot, rad/s. */
static inline double robot_rate(int k)
{
    return (k % 3 - 1) * 1.5 + 0.1 * k;
}

/* Returns us of processor time per step of RK4 of the robot in an MJCF text, the best of `runs` rounds of this many
 * steps, each from the start; < 0: refused. places: origins of its bodies at the end of the first round, 3 numbers
 * each, in the order of the file. */
double mujoco_steps(const char *text, int steps, int runs, double *places, int bodies);

#ifdef __cplusplus
}
#endif

#endif
