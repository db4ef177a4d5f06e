/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Robots as MJCF texts that Trammel and MuJoCo read in the same way: hinges only, given inertia, no contacts. */

#ifndef TRM_BENCH_ROBOTS_H
#define TRM_BENCH_ROBOTS_H

#include <stddef.h>

typedef struct robot_kind {
    const char *name;
    void (*write)(char *text, size_t size); /* writes the bodies inside <worldbody> */
} robot_kind;

enum { ROBOT_TEXT = 40000, ROBOT_KINDS = 4 };

extern const robot_kind ROBOTS[ROBOT_KINDS]; /* double pendulum, arm, quadruped, humanoid */

/* Writes the complete text for a step of h seconds. */
void write_robot(const robot_kind *kind, double h, char *text, size_t size);

#endif
