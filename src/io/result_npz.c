/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes rows as .npz of numpy: a ZIP archive with one .npy file per column. A .npy of version 1.0 is
 *
 *     \x93NUMPY 1 0, length of the text that follows (2 bytes), "{'descr': '<f8', 'fortran_order': False, 'shape': (N,), }",
 *     blanks up to a multiple of 64 bytes and an end of line, the numbers. */

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "trammel/app.h"
#include "trammel/io.h"

enum { HEAD = 128 }; /* bytes before the numbers: a multiple of 64 that holds any shape */

static void write_head(char *to, size_t rows)
{
    char text[HEAD];
    enum { BEFORE = 10 };
    const int length =
        snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }", rows);
    memcpy(to, "\x93NUMPY\x01\x00", 8);
    to[8] = HEAD - BEFORE;
    to[9] = 0;
    memset(to + BEFORE, ' ', HEAD - BEFORE);
    memcpy(to + BEFORE, text, (size_t)length);
    to[HEAD - 1] = '\n';
}

static trm_status add_column(trm_zip *zip, const trm_results *columns, const trm_table *table, int column, char *room)
{
    char name[300];
    const size_t rows = trm_table_rows(table), width = (size_t)trm_result_count(columns);
    const double *numbers = trm_table_numbers(table);
    for (size_t i = 0; i < rows; i++) memcpy(room + HEAD + 8 * i, &numbers[i * width + (size_t)column], 8);
    const int length = snprintf(name, sizeof name, "%s.npy", trm_result_name(columns, column));
    if (length < 0 || (size_t)length >= sizeof name) return TRM_BAD_INPUT;
    return trm_zip_add(zip, name, room, HEAD + 8 * rows, false);
}

trm_status trm_write_npz(const trm_results *columns, const trm_table *table, const trm_allocator *allocator,
                         trm_sink sink)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    const size_t bytes = HEAD + 8 * trm_table_rows(table);
    trm_zip *zip = trm_zip_create(sink, &from);
    char *room = trm_allocate(&from, bytes);
    trm_status status = zip && room ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) write_head(room, trm_table_rows(table));
    for (int i = 0; i < trm_result_count(columns) && status == TRM_OK; i++)
        status = add_column(zip, columns, table, i, room);
    if (status == TRM_OK) status = trm_zip_end(zip);
    trm_release(&from, room, bytes);
    trm_zip_destroy(zip);
    return status;
}
