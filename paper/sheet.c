/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "paper/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sheet_begin(sheet *s, const paper_request *request)
{
    s->json = request->json;
    if (!s->json) return;
    s->writer = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&s->writer, NULL);
    trm_json_put_text(&s->writer, "table", request->table);
}

/* Returns the width that a format "%12.3e" gives. */
static int width_of(const sheet_column *column)
{
    return atoi(column->format + 1);
}

static void print_row(const sheet_table *table, const sheet_row *row)
{
    printf("%-*s", table->name_width, row->name);
    for (int i = 0; i < SHEET_COLUMNS && table->columns[i].key; i++) {
        const sheet_column *column = &table->columns[i];
        printf(" ");
        if (isnan(row->values[i]))
            printf("%*s", width_of(column), "-");
        else
            printf(column->format, row->values[i]);
    }
    printf("\n");
}

static void print_text(const sheet_table *table, const sheet_row *rows, int count)
{
    printf("%s\n%-*s", table->title, table->name_width, table->names);
    for (int i = 0; i < SHEET_COLUMNS && table->columns[i].key; i++)
        printf(" %*s", width_of(&table->columns[i]), table->columns[i].head);
    printf("\n");
    for (int i = 0; i < count; i++) print_row(table, &rows[i]);
    printf("\n");
}

static void put_json(trm_json_writer *w, const sheet_table *table, const sheet_row *rows, int count)
{
    trm_json_open_array(w, table->key);
    for (int i = 0; i < count; i++) {
        trm_json_open_object(w, NULL);
        trm_json_put_text(w, table->names, rows[i].name);
        for (int k = 0; k < SHEET_COLUMNS && table->columns[k].key; k++)
            trm_json_put_number(w, table->columns[k].key, rows[i].values[k]);
        trm_json_close(w);
    }
    trm_json_close(w);
}

void sheet_print(sheet *s, const sheet_table *table, const sheet_row *rows, int count)
{
    if (s->json)
        put_json(&s->writer, table, rows, count);
    else
        print_text(table, rows, count);
}

void sheet_note(const sheet *s, const char *text)
{
    if (!s->json) printf("%s\n", text);
}

void sheet_end(sheet *s)
{
    if (!s->json) return;
    trm_json_close(&s->writer);
    trm_json_end(&s->writer);
}
