/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All methods, one line each. Include it with TRM_METHOD(name) defined. */

TRM_METHOD(impulse)
TRM_METHOD(lagrange)
TRM_METHOD(taylor)
TRM_METHOD(lcp)
TRM_METHOD(minimal)
TRM_METHOD(subsystem)
