/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "rows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3600, MOST_BYTES = 4 << 20 }; /* largest number of rows: 60 per second for a minute */

struct rows {
    unsigned char *bytes; /* a ring */
    size_t length;        /* length of each row, bytes */
    unsigned room, count;
    unsigned end; /* number of the next row */
};

rows *rows_create(void)
{
    return calloc(1, sizeof(rows));
}

void rows_destroy(rows *r)
{
    if (r) free(r->bytes);
    free(r);
}

void rows_clear(rows *r)
{
    free(r->bytes);
    r->bytes = NULL;
    r->room = r->count = 0;
    r->length = 0;
}

static bool begin(rows *r, size_t length)
{
    rows_clear(r);
    const size_t room = MOST_BYTES / length < MOST ? MOST_BYTES / length : MOST;
    r->room = room > 1 ? (unsigned)room : 1;
    r->length = length;
    r->bytes = malloc(r->room * length);
    if (!r->bytes) rows_clear(r);
    return r->bytes != NULL;
}

void rows_add(rows *r, const char *bytes, size_t length)
{
    if (length == 0 || (length != r->length && !begin(r, length))) return;
    memcpy(r->bytes + (r->end % r->room) * length, bytes, length);
    r->end++;
    if (r->count < r->room) r->count++;
}

unsigned rows_end(const rows *r)
{
    return r->end;
}

unsigned rows_count_from(const rows *r, unsigned number)
{
    const unsigned after = r->end - number; /* unsigned, because numbers may wrap around */
    return after < r->count ? after : r->count;
}

size_t rows_size_from(const rows *r, unsigned number)
{
    return rows_count_from(r, number) * r->length;
}

void rows_copy_from(const rows *r, unsigned number, unsigned char *to)
{
    for (unsigned left = rows_count_from(r, number); left > 0; left--, to += r->length)
        memcpy(to, r->bytes + ((r->end - left) % r->room) * r->length, r->length);
}
