/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tables as CSV: a comment that says when and where, a head, and rows
 *
 *     peer,variant,h,us_per_step,s_per_simulated_s,FIGURES,status
 *
 * Empty fields do not apply. */

#include "common/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 2, COSTS = 3, MOST_NUMBERS = COSTS + MOST_FIGURES, MOST_FIELDS = NAMES + MOST_NUMBERS + 1 };

bool is_good(const row *r)
{
    return strcmp(r->status, "ok") == 0;
}

bool is_of(const row *r, const char *engine, const char *variant)
{
    return strcmp(r->peer, engine) == 0 && strcmp(r->variant, variant) == 0;
}

const row *find_row(const table *t, const char *engine, const char *variant, double h)
{
    for (int i = 0; i < t->count; i++)
        if (is_of(&t->rows[i], engine, variant) && fabs(t->rows[i].h - h) < 1e-9 && is_good(&t->rows[i]))
            return &t->rows[i];
    return NULL;
}

int column_count(const column *columns)
{
    int count = 0;
    while (columns[count].name) count++;
    return count;
}

/* Lists the numbers of a row in the order of the head. Returns how many there are. */
static int list_numbers(row *r, const column *columns, double *numbers[MOST_NUMBERS])
{
    const int figures = column_count(columns);
    numbers[0] = &r->h, numbers[1] = &r->us_per_step, numbers[2] = &r->s_per_simulated_s;
    for (int i = 0; i < figures; i++) numbers[COSTS + i] = &r->figures[i];
    return COSTS + figures;
}

static void make_head(const column *columns, char *head, size_t size)
{
    int used = snprintf(head, size, "peer,variant,h,us_per_step,s_per_simulated_s");
    for (int i = 0; columns[i].name; i++) used += snprintf(head + used, size - (size_t)used, ",%s", columns[i].name);
    snprintf(head + used, size - (size_t)used, ",status");
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void write_row(FILE *file, const column *columns, const row *r)
{
    row copy = *r;
    double *numbers[MOST_NUMBERS];
    const int count = list_numbers(&copy, columns, numbers);
    fprintf(file, "%s,%s", r->peer, r->variant);
    for (int i = 0; i < count; i++) {
        if (isnan(*numbers[i]))
            fprintf(file, ",");
        else
            fprintf(file, i == 0 ? ",%.10g" : ",%.4g", *numbers[i]);
    }
    fprintf(file, ",%s\n", r->status);
}

bool write_table(const char *path, const column *columns, const table *t)
{
    char head[400];
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
    make_head(columns, head, sizeof head);
    fprintf(file, "# %s\n%s\n", t->about, head);
    for (int i = 0; i < t->count; i++) write_row(file, columns, &t->rows[i]);
    return fclose(file) == 0;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Cuts the line at its commas. The last field, the status, may contain commas. Returns false if there are too few
 * fields. */
static bool cut(char *line, char *fields[MOST_FIELDS], int count)
{
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < count; i++) {
        fields[i] = line;
        char *comma = i + 1 < count ? strchr(line, ',') : line;
        if (!comma) return false;
        if (i + 1 < count) *comma = 0;
        line = comma + 1;
    }
    return true;
}

static void copy_text(char *to, size_t size, const char *from)
{
    const size_t length = strlen(from) < size ? strlen(from) : size - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

static bool read_row(char *line, const column *columns, row *r)
{
    char *fields[MOST_FIELDS];
    double *numbers[MOST_NUMBERS];
    *r = (row){0};
    const int count = list_numbers(r, columns, numbers);
    if (!cut(line, fields, NAMES + count + 1)) return false;
    copy_text(r->peer, sizeof r->peer, fields[0]);
    copy_text(r->variant, sizeof r->variant, fields[1]);
    copy_text(r->status, sizeof r->status, fields[NAMES + count]);
    for (int i = 0; i < count; i++) *numbers[i] = fields[NAMES + i][0] ? atof(fields[NAMES + i]) : NAN;
    return true;
}

bool read_table(const char *path, const column *columns, table *t)
{
    char head[400], line[600];
    FILE *file = fopen(path, "r");
    if (!file) return false;
    make_head(columns, head, sizeof head);
    t->count = 0;
    bool good = fgets(line, sizeof line, file) && line[0] == '#';
    if (good) snprintf(t->about, sizeof t->about, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
    good = good && fgets(line, sizeof line, file) && strncmp(line, head, strlen(head)) == 0;
    while (good && t->count < MOST_ROWS && fgets(line, sizeof line, file))
        good = read_row(line, columns, &t->rows[t->count++]);
    fclose(file);
    return good;
}
