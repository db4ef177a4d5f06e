/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Pairs of a family and an invariant that do not hold yet, one line each with what is wrong. `torture --known` leaves them out;
 * the run in the test suite does. Include it with TORTURE_KNOWN(family, check, why) defined;
 * the invariant "all" means each of them. */

TORTURE_KNOWN(stops, all, "stops change to and fro without end")
TORTURE_KNOWN(ropes, ends, "ropes change to and fro without end")
TORTURE_KNOWN(ragdoll, all, "stops change to and fro without end, contacts next to them crawl")
TORTURE_KNOWN(linked, all, "contacts next to joints crawl at orders above 2")
TORTURE_KNOWN(grip, all, "motors of limited force next to contacts crawl")
TORTURE_KNOWN(dropped, copies, "contacts at orders above 2 depend on the pose of the scene")
TORTURE_KNOWN(dropped, permuted, "likewise on the order in the file")
TORTURE_KNOWN(sliding, copies, "likewise")
TORTURE_KNOWN(beside, copies, "contacts act on islands without contacts")
TORTURE_KNOWN(beside, permuted, "contacts act on islands without contacts")
