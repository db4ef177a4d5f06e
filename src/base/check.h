/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* TRM_ASSERT: a caller's mistake, stated where the contract is. Stays in release builds; it is never in an inner loop. */

#ifndef TRM_BASE_CHECK_H
#define TRM_BASE_CHECK_H

void trm_assertion_failed(const char *condition, const char *file, int line);

#define TRM_ASSERT(condition) ((condition) ? (void)0 : trm_assertion_failed(#condition, __FILE__, __LINE__))

#endif
