/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All invariants, one line each. Include it with TORTURE_CHECK(name) defined. */

TORTURE_CHECK(ends)
TORTURE_CHECK(energy)
TORTURE_CHECK(gain)
TORTURE_CHECK(momentum)
TORTURE_CHECK(gap)
TORTURE_CHECK(copies)
TORTURE_CHECK(permuted)
TORTURE_CHECK(methods)
TORTURE_CHECK(reactions)
TORTURE_CHECK(orders)
TORTURE_CHECK(verdict)
