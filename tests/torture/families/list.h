/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All families of machines, one line each. Include it with TORTURE_FAMILY(name) defined. */

TORTURE_FAMILY(tree)
TORTURE_FAMILY(loop)
TORTURE_FAMILY(redundant)
TORTURE_FAMILY(points)
TORTURE_FAMILY(carried)
TORTURE_FAMILY(driven)
TORTURE_FAMILY(gears)
TORTURE_FAMILY(fitted)
TORTURE_FAMILY(stops)
TORTURE_FAMILY(friction)
TORTURE_FAMILY(rubbing)
TORTURE_FAMILY(ropes)
TORTURE_FAMILY(thrown)
TORTURE_FAMILY(dropped)
TORTURE_FAMILY(rolling)
TORTURE_FAMILY(sliding)
TORTURE_FAMILY(pile)
TORTURE_FAMILY(linked)
TORTURE_FAMILY(ragdoll)
TORTURE_FAMILY(beside)
TORTURE_FAMILY(grip)
