/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The last rows of curves, for pages that draw only some of the frames. Rows are numbered from 0 and have the same
 * length. If there is no room for another row, the oldest is deleted. */

#ifndef TRM_VIEWER_ROWS_H
#define TRM_VIEWER_ROWS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rows rows;

rows *rows_create(void); /* returns NULL if out of memory */
void rows_destroy(rows *r);
void rows_clear(rows *r); /* deletes all rows, because the model has changed */

/* Copies a row. Does nothing when out of memory. */
void rows_add(rows *r, const char *bytes, size_t length);

unsigned rows_end(const rows *r); /* returns the number of the next row */

/* Return the number of bytes of the stored rows from that number on, and copy these rows, oldest first. */
size_t rows_size_from(const rows *r, unsigned number);
void rows_copy_from(const rows *r, unsigned number, unsigned char *to);

/* Returns the number of these rows. */
unsigned rows_count_from(const rows *r, unsigned number);

#endif
