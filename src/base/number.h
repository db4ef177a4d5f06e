/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Numbers as text, both ways, to the last bit and whatever the locale. */

#ifndef TRM_BASE_NUMBER_H
#define TRM_BASE_NUMBER_H

/* Reads a number as RFC 8259 writes them (-12.5e3; no '+', no leading zeros, no ".5") at text, which ends at end and
 * needs no terminator. Returns where the number ends, NULL if there is none. *value is the double nearest to it,
 * +-HUGE_VAL if it is too large. */
const char *trm_parse_number(const char *text, const char *end, double *value);

enum { TRM_NUMBER_TEXT = 32 };

/* The shortest decimal that reads back to the same bits: "10", "0.1", "1e-9", "-0"; "inf", "-inf" or "nan" where
 * value is not finite. Returns the length. */
int trm_format_number(char buffer[TRM_NUMBER_TEXT], double value);

#endif
