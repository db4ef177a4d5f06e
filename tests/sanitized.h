/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* SANITIZED: whether the program runs under sanitisers, where long runs take the same paths for a shorter time. Their
 * final claims are tested in the release build. */

#ifndef TRM_TESTS_SANITIZED_H
#define TRM_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
