/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What our engine is to reach in contacts, and whether it does. */

#ifndef TRM_BENCH_CONTACT_CLAIMS_H
#define TRM_BENCH_CONTACT_CLAIMS_H

#include <stdio.h>

#include "rows.h"

/* The row by whose time the others are measured. NULL: not run. */
const row *find_yardstick(const table *t);

/* Reads folder/contact-SCENE.csv; writes a table. */
void write_claims(FILE *file, const char *folder);

#endif
