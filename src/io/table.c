/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rows of result columns in memory: one block that doubles when it is full. */

#include <string.h>

#include "base/memory.h"
#include "io/columns.h"
#include "trammel/io.h"

struct trm_table {
    trm_allocator allocator;
    const trm_results *columns;
    int count; /* number of columns, stored because they need not outlive the table */
    double *numbers;
    size_t rows, room; /* in rows */
};

enum { FIRST_ROOM = 64 };

static size_t bytes_of(const trm_table *table, size_t rows)
{
    return rows * (size_t)table->count * sizeof(double);
}

trm_table *trm_table_create(const trm_results *columns, const trm_allocator *allocator)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_table *made = trm_allocate(&from, sizeof *made);
    if (made) *made = (trm_table){.allocator = from, .columns = columns, .count = trm_result_count(columns)};
    return made;
}

void trm_table_destroy(trm_table *table)
{
    if (!table) return;
    const trm_allocator from = table->allocator;
    trm_release(&from, table->numbers, bytes_of(table, table->room));
    trm_release(&from, table, sizeof *table);
}

/* Makes room for one more row. Returns false if out of memory. */
static bool make_room(trm_table *table)
{
    if (table->rows < table->room) return true;
    const size_t room = table->room > 0 ? 2 * table->room : FIRST_ROOM;
    double *numbers = trm_allocate(&table->allocator, bytes_of(table, room));
    if (!numbers) return false;
    if (table->rows > 0) memcpy(numbers, table->numbers, bytes_of(table, table->rows));
    trm_release(&table->allocator, table->numbers, bytes_of(table, table->room));
    table->numbers = numbers;
    table->room = room;
    return true;
}

bool trm_table_add(trm_table *table, const trm_state *state)
{
    if (!make_room(table)) return false;
    double *row = table->numbers + table->rows * (size_t)table->count;
    trm_result_values(table->columns, state, 0, table->count, row);
    table->rows++;
    return true;
}

size_t trm_table_rows(const trm_table *table)
{
    return table->rows;
}

const double *trm_table_numbers(const trm_table *table)
{
    return table->numbers;
}
