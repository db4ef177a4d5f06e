/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tables as CSV: a comment that says when and where, a head, and rows. Empty fields are not known. */

#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "peer,variant,us_per_step,error,penetration,penetration_end,v_rms_4s,v_rms_10s,status";
enum { FIELDS = 9, NUMBERS = 6 };

bool is_good(const row *r)
{
    return strcmp(r->status, "ok") == 0;
}

const row *find_row(const table *t, const char *engine, const char *variant)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->rows[i].peer, engine) == 0 && strcmp(t->rows[i].variant, variant) == 0) return &t->rows[i];
    return NULL;
}

/* In the order of the head. */
static void list_numbers(row *r, double *numbers[NUMBERS])
{
    figures *f = &r->figures;
    double *const list[NUMBERS] = {&r->us_per_step,     &f->error,    &f->penetration,
                                   &f->penetration_end, &f->v_rms[0], &f->v_rms[1]};
    memcpy(numbers, list, sizeof list);
}

static void write_row(FILE *file, const row *r)
{
    row copy = *r;
    double *numbers[NUMBERS];
    list_numbers(&copy, numbers);
    fprintf(file, "%s,%s", r->peer, r->variant);
    for (int i = 0; i < NUMBERS; i++) {
        if (isnan(*numbers[i]))
            fprintf(file, ",");
        else
            fprintf(file, ",%.4g", *numbers[i]);
    }
    fprintf(file, ",%s\n", r->status);
}

bool write_table(const char *folder, const char *name, const table *t)
{
    char path[500];
    snprintf(path, sizeof path, "%s/contact-%s.csv", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
    fprintf(file, "# %s\n%s\n", t->about, head);
    for (int i = 0; i < t->count; i++) write_row(file, &t->rows[i]);
    return fclose(file) == 0;
}

/* Cuts the line at its commas; the status, behind the last of them, may hold more. */
static bool cut(char *line, char *fields[FIELDS])
{
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        char *comma = i + 1 < FIELDS ? strchr(line, ',') : line;
        if (!comma) return false;
        if (i + 1 < FIELDS) *comma = 0;
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

static bool read_row(char *line, row *r)
{
    char *fields[FIELDS];
    double *numbers[NUMBERS];
    if (!cut(line, fields)) return false;
    *r = (row){0};
    list_numbers(r, numbers);
    copy_text(r->peer, sizeof r->peer, fields[0]);
    copy_text(r->variant, sizeof r->variant, fields[1]);
    copy_text(r->status, sizeof r->status, fields[FIELDS - 1]);
    for (int i = 0; i < NUMBERS; i++) *numbers[i] = fields[2 + i][0] ? atof(fields[2 + i]) : NAN;
    return true;
}

bool read_table(const char *folder, const char *name, table *t)
{
    char path[500], line[600];
    snprintf(path, sizeof path, "%s/contact-%s.csv", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    t->count = 0;
    bool good = fgets(line, sizeof line, file) && line[0] == '#';
    if (good) snprintf(t->about, sizeof t->about, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
    good = good && fgets(line, sizeof line, file) && strncmp(line, head, strlen(head)) == 0;
    while (good && t->count < MOST_ROWS && fgets(line, sizeof line, file))
        good = read_row(line, &t->rows[t->count++]);
    fclose(file);
    return good;
}
