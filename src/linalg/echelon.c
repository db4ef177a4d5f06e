/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "linalg/echelon.h"

#include <math.h>
#include <string.h>

#include "trammel/elementary.h"

typedef struct sparse_row {
    int count, capacity;
    int *columns; /* increasing; the first is the leading one */
    double *values;
} sparse_row;

struct trm_echelon {
    trm_arena *arena;
    int columns;
    int rank;
    sparse_row *leading;               /* per column; count 0: no row leads with it */
    sparse_row row;                    /* the new row, as far as it has been rotated */
    sparse_row top_turned, row_turned; /* a pair after its rotation */
};

static bool make_row(trm_arena *arena, int capacity, sparse_row *row)
{
    *row = (sparse_row){0, capacity, TRM_NEW_ARRAY(arena, int, capacity), TRM_NEW_ARRAY(arena, double, capacity)};
    return row->columns && row->values;
}

trm_echelon *trm_echelon_create(trm_arena *arena, int columns)
{
    trm_echelon *echelon = TRM_NEW(arena, trm_echelon);
    if (!echelon) return NULL;
    *echelon =
        (trm_echelon){.arena = arena, .columns = columns, .leading = TRM_NEW_ARRAY(arena, sparse_row, columns)};
    const bool made = echelon->leading && make_row(arena, columns, &echelon->row) &&
                      make_row(arena, columns, &echelon->top_turned) &&
                      make_row(arena, columns, &echelon->row_turned);
    return made ? echelon : NULL;
}

int trm_echelon_rank(const trm_echelon *echelon)
{
    return echelon->rank;
}

/* Returns the row's entry at the column and advances *next past it. Returns 0 if the row has no such entry. */
static double take(const sparse_row *row, int *next, int column)
{
    return *next < row->count && row->columns[*next] == column ? row->values[(*next)++] : 0;
}

/* Appends an entry. Zeros are not stored: rows of a planar machine stay in their plane. */
static void append(sparse_row *row, int column, double value)
{
    if (value == 0) return;
    row->columns[row->count] = column;
    row->values[row->count++] = value;
}

/* Stores a leading row with twice the necessary room, so that fill seldom moves it. */
static bool store(trm_arena *arena, const sparse_row *from, sparse_row *to)
{
    if (to->capacity < from->count && !make_row(arena, 2 * from->count, to)) return false;
    to->count = from->count;
    memcpy(to->columns, from->columns, (size_t)from->count * sizeof *to->columns);
    memcpy(to->values, from->values, (size_t)from->count * sizeof *to->values);
    return true;
}

/* Rotates the pair (top, row), which lead with the same column, so that the first entry of row vanishes. Both get the
 * union of their columns, row without the first. */
static bool rotate_pair(trm_echelon *echelon, sparse_row *top)
{
    sparse_row *row = &echelon->row, *new_top = &echelon->top_turned, *new_row = &echelon->row_turned;
    const double length = trm_hypot(top->values[0], row->values[0]);
    const double c = top->values[0] / length, s = row->values[0] / length;
    new_top->count = new_row->count = 0;
    append(new_top, top->columns[0], length);
    for (int i = 1, k = 1; i < top->count || k < row->count;) {
        const int column_top = i < top->count ? top->columns[i] : row->columns[k];
        const int column_row = k < row->count ? row->columns[k] : column_top;
        const int column = column_top < column_row ? column_top : column_row;
        const double x = take(top, &i, column), y = take(row, &k, column);
        append(new_top, column, c * x + s * y);
        append(new_row, column, c * y - s * x);
    }
    const sparse_row turned = *new_row;
    *new_row = *row;
    *row = turned;
    return store(echelon->arena, new_top, top);
}

/* Returns the number of leading entries that count as zero. In a column without a leading row, an entry counts as
 * zero within the tolerance. In a column with a leading row, it counts as zero if the multiple of that row to be
 * subtracted is far below the tolerance, however small its leading entry is. */
static int count_zeros(const trm_echelon *echelon, double tolerance)
{
    const double far_less = 1e-3;
    const sparse_row *row = &echelon->row;
    int count = 0;
    for (; count < row->count; count++) {
        const sparse_row *top = &echelon->leading[row->columns[count]];
        const double nothing = top->count > 0 ? far_less * tolerance * fabs(top->values[0]) : tolerance;
        if (fabs(row->values[count]) > nothing) break;
    }
    return count;
}

static void skip_zeros(trm_echelon *echelon, double tolerance)
{
    sparse_row *row = &echelon->row;
    const int skipped = count_zeros(echelon, tolerance);
    if (skipped == 0) return;
    row->count -= skipped;
    memmove(row->columns, row->columns + skipped, (size_t)row->count * sizeof *row->columns);
    memmove(row->values, row->values + skipped, (size_t)row->count * sizeof *row->values);
}

trm_echelon_result trm_echelon_add(trm_echelon *echelon, const int *columns, const double *values, int count,
                                   double tolerance)
{
    sparse_row *row = &echelon->row;
    double length = 0;
    for (int i = 0; i < count; i++) length = trm_hypot(length, values[i]);
    if (length == 0) return TRM_ROW_DEPENDENT;

    /* rows are scaled to unit length; otherwise rounding errors of long rows would appear as entries of short ones */
    row->count = 0;
    for (int i = 0; i < count; i++) append(row, columns[i], values[i] / length);
    for (skip_zeros(echelon, tolerance); row->count > 0; skip_zeros(echelon, tolerance)) {
        sparse_row *top = &echelon->leading[row->columns[0]];
        if (top->count == 0) {
            if (!store(echelon->arena, row, top)) return TRM_ROW_NO_MEMORY;
            echelon->rank++;
            return TRM_ROW_INDEPENDENT;
        }
        if (!rotate_pair(echelon, top)) return TRM_ROW_NO_MEMORY;
    }
    return TRM_ROW_DEPENDENT;
}
