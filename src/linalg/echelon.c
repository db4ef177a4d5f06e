/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/echelon.h"

#include <math.h>
#include <string.h>

typedef struct sparse_row {
    int count;
    int *columns; /* increasing; the first is the leading one */
    double *values;
} sparse_row;

struct trm_echelon {
    trm_arena *arena;
    int columns;
    int rank;
    sparse_row *leading; /* per column; count 0: none leads here */
};

trm_echelon *trm_echelon_create(trm_arena *arena, int columns)
{
    trm_echelon *echelon = TRM_NEW(arena, trm_echelon);
    if (!echelon) return NULL;
    *echelon = (trm_echelon){arena, columns, 0, TRM_NEW_ARRAY(arena, sparse_row, columns)};
    return echelon->leading ? echelon : NULL;
}

int trm_echelon_rank(const trm_echelon *echelon)
{
    return echelon->rank;
}

static bool make_row(trm_arena *arena, int capacity, sparse_row *row)
{
    *row = (sparse_row){0, TRM_NEW_ARRAY(arena, int, capacity), TRM_NEW_ARRAY(arena, double, capacity)};
    return row->columns && row->values;
}

/* The row's own entries at the column, or 0; steps over it. */
static double take(const sparse_row *row, int *next, int column)
{
    return *next < row->count && row->columns[*next] == column ? row->values[(*next)++] : 0;
}

static void append(sparse_row *row, int column, double value)
{
    row->columns[row->count] = column;
    row->values[row->count++] = value;
}

/* Turns the pair (top, row), which lead with the same column, so that row's entry there vanishes: both get the union
 * of the columns, row without its first. */
static bool rotate_pair(trm_arena *arena, sparse_row *top, sparse_row *row)
{
    const double length = hypot(top->values[0], row->values[0]);
    const double c = top->values[0] / length, s = row->values[0] / length;
    const int capacity = top->count + row->count;
    sparse_row new_top, new_row;
    if (!make_row(arena, capacity, &new_top) || !make_row(arena, capacity, &new_row)) return false;

    append(&new_top, top->columns[0], length);
    for (int i = 1, k = 1; i < top->count || k < row->count;) {
        const int column_top = i < top->count ? top->columns[i] : row->columns[k];
        const int column_row = k < row->count ? row->columns[k] : column_top;
        const int column = column_top < column_row ? column_top : column_row;
        const double x = take(top, &i, column), y = take(row, &k, column);
        append(&new_top, column, c * x + s * y);
        append(&new_row, column, c * y - s * x);
    }
    *top = new_top;
    *row = new_row;
    return true;
}

/* Drops leading entries that count as nothing. Where no row leads these are those within the tolerance; where one
 * does, those for which the multiple of it that would be taken off is far less than that, however small it leads. */
static void skip_nothing(const trm_echelon *echelon, sparse_row *row, double tolerance)
{
    const double far_less = 1e-3;
    while (row->count > 0) {
        const sparse_row *top = &echelon->leading[row->columns[0]];
        const double nothing = top->count > 0 ? far_less * tolerance * fabs(top->values[0]) : tolerance;
        if (fabs(row->values[0]) > nothing) return;
        row->columns++, row->values++, row->count--;
    }
}

trm_echelon_result trm_echelon_add(trm_echelon *echelon, const int *columns, const double *values, int count,
                                   double tolerance)
{
    double length = 0;
    for (int i = 0; i < count; i++) length = hypot(length, values[i]);
    if (length == 0) return TRM_ROW_DEPENDENT;
    sparse_row row = {count, trm_arena_copy(echelon->arena, columns, (size_t)count, sizeof *columns),
                      trm_arena_copy(echelon->arena, values, (size_t)count, sizeof *values)};
    if (!row.columns || !row.values) return TRM_ROW_NO_MEMORY;

    /* all rows of length one, or the rounding of long rows would hide in short ones */
    for (int i = 0; i < count; i++) row.values[i] /= length;
    for (skip_nothing(echelon, &row, tolerance); row.count > 0; skip_nothing(echelon, &row, tolerance)) {
        sparse_row *top = &echelon->leading[row.columns[0]];
        if (top->count == 0) {
            *top = row;
            echelon->rank++;
            return TRM_ROW_INDEPENDENT;
        }
        if (!rotate_pair(echelon->arena, top, &row)) return TRM_ROW_NO_MEMORY;
    }
    return TRM_ROW_DEPENDENT;
}
