/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Declarations that all test programs share: cmocka's macros, a comparison of doubles that prints both values, a
 * runner. */

#ifndef TRM_TESTS_CHECK_H
#define TRM_TESTS_CHECK_H

/* cmocka.h needs these four first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

/* |actual - expected| <= tolerance, both finite. */
#define assert_near(actual, expected, tolerance)                                                                     \
    check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

static inline void check_near(double actual, double expected, double tolerance, const char *what, const char *file,
                              int line)
{
    const double difference = fabs(actual - expected);
    if (difference <= tolerance) return; /* false for NaN */
    print_error("%s = %.17g, expected %.17g: differs by %.3g, tolerance %.3g\n", what, actual, expected, difference,
                tolerance);
    _fail(file, line);
}

#define RUN_TESTS(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
