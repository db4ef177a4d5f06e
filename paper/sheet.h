/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A sheet of `trammel paper`: several tables of numbers, printed as text or as one JSON object. */

#ifndef TRM_PAPER_SHEET_H
#define TRM_PAPER_SHEET_H

#include "paper/tables.h"

enum { SHEET_COLUMNS = 10 };

typedef struct sheet_column {
    const char *key;    /* key in JSON */
    const char *head;   /* heading in text */
    const char *format; /* format of a number, with its width */
} sheet_column;

typedef struct sheet_row {
    const char *name;
    double values[SHEET_COLUMNS]; /* NAN: none */
} sheet_row;

/* One table: the heading of its names and its columns. */
typedef struct sheet_table {
    const char *key;   /* key in JSON */
    const char *title; /* title in text */
    const char *names; /* heading of the first column, and its key in JSON */
    int name_width;
    sheet_column columns[SHEET_COLUMNS]; /* the last one has the key NULL, or all are used */
} sheet_table;

typedef struct sheet {
    bool json;
    trm_json_writer writer;
} sheet;

void sheet_begin(sheet *s, const paper_request *request);
void sheet_print(sheet *s, const sheet_table *table, const sheet_row *rows, int count);
/* Prints a remark; JSON has no remarks. */
void sheet_note(const sheet *s, const char *text);
void sheet_end(sheet *s);

#endif
