/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Thresholds that mean the same in several files. A threshold of one file stands there, with its reason. */

#ifndef TRM_BASE_TOLERANCE_H
#define TRM_BASE_TOLERANCE_H

/* Relative error, or m and rad, of numbers in model and robot files, which are written with six digits or more. A
 * larger value would accept models that contradict themselves by a visible amount, a smaller one reports the
 * rounding of files with six digits (test methods_assembly fails either way). */
static const double TRM_FILE_DIGITS = 1e-6;

/* Two times are equal if they differ by less than this fraction of the step, or of the interval between rows or
 * samples. With a larger value, rows and steps at different times count as one. With a smaller value (1e-9), the sum
 * of a million steps misses its row. Tests pass from 1e-7 to 1e-5. */
static const double TRM_SAME_TIME = 1e-6;

/* More rows, steps or samples than any run has, and still an exact integer in double. A value larger than 9e15 would
 * not be exact, a smaller one would end long runs. */
static const double TRM_MOST_COUNT = 1e15;

/* m: a shorter vector has no direction. It only prevents a division by zero: larger or smaller, up to the shortest
 * length whose square is not zero, makes no difference. */
static const double TRM_NO_LENGTH = 1e-300;

#endif
