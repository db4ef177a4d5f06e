/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Conversion of numbers from and to text, exact to the last bit in every locale. */

#ifndef TRM_BASE_NUMBER_H
#define TRM_BASE_NUMBER_H

#include <stdbool.h>

/* Reads a number in the notation of RFC 8259 (-12.5e3; no '+', no leading zeros, no ".5") from text, which ends at
 * end and needs no terminator. *value is the nearest double, +-HUGE_VAL if the number is too large. Returns where
 * the number ends, or NULL if there is none. */
const char *trm_parse_number(const char *text, const char *end, double *value);

enum { TRM_NUMBER_TEXT = 32 };

/* Writes the shortest decimal that reads back to the same bits: "10", "0.1", "1e-9", "-0"; "inf", "-inf" or "nan"
 * if value is not finite. Returns the length. */
int trm_format_number(char buffer[TRM_NUMBER_TEXT], double value);

/* Returns whether the whole text is a finite number as C prints and reads it: besides numbers of RFC 8259 also with a
 * plus sign or zeros before it, and without digits before or after the point. */
bool trm_is_number(const char *text, const char *end, double *value);

#endif
