/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Pairs of a family and an invariant that do not hold yet, one line each with the reason. `torture --known` leaves
 * them out, as the run in the test suite does. Include it with TORTURE_KNOWN(family, check, why) defined; the
 * invariant "all" means each of them. */

TORTURE_KNOWN(stops, methods, "not told: to resolve stops ten methods halve their steps for minutes")
