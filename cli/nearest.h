/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds the known word that is nearest to a mistyped one. */

#ifndef TRM_CLI_NEAREST_H
#define TRM_CLI_NEAREST_H

typedef struct nearest {
    const char *word;
    const char *found; /* the nearest so far; NULL: none is near */
    int far;
} nearest;

void consider(nearest *n, const char *candidate);

#endif
