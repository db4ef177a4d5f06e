/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* TRM_ASSERT checks the contract of a function against mistakes of its caller. It stays in release builds and is
 * never used in an inner loop. */

#ifndef TRM_BASE_CHECK_H
#define TRM_BASE_CHECK_H

void trm_assertion_failed(const char *condition, const char *file, int line);

#define TRM_ASSERT(condition) ((condition) ? (void)0 : trm_assertion_failed(#condition, __FILE__, __LINE__))

#endif
