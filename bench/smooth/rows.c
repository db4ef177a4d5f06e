/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tables as CSV: a comment that says when and where, a head, and rows. Empty fields do not apply. */

#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "peer,variant,h,us_per_step,s_per_simulated_s,energy_mean,energy_max,gap,angular_momentum,"
                           "period,position,status";
enum { FIELDS = 12, NUMBERS = 9 };

bool is_good(const row *r)
{
    return strcmp(r->status, "ok") == 0;
}

double main_error(const row *r, scene_error kind)
{
    switch (kind) {
    case ERROR_FREE: return fmax(r->errors.energy_max, r->errors.angular_momentum);
    case ERROR_PERIOD: return r->errors.period;
    case ERROR_POSITION: return r->errors.position;
    case ERROR_ENERGY: break;
    }
    return r->errors.energy_mean;
}

/* In the order of the head. */
static void list_numbers(row *r, double *numbers[NUMBERS])
{
    errors *e = &r->errors;
    double *const list[NUMBERS] = {&r->h,          &r->us_per_step, &r->s_per_simulated_s, &e->energy_mean,
                                   &e->energy_max, &e->gap,         &e->angular_momentum,  &e->period,
                                   &e->position};
    memcpy(numbers, list, sizeof list);
}

void write_table_head(FILE *file, const char *about)
{
    fprintf(file, "# %s\n%s\n", about, head);
}

void write_row(FILE *file, const row *r)
{
    row copy = *r;
    double *numbers[NUMBERS];
    list_numbers(&copy, numbers);
    fprintf(file, "%s,%s", r->peer, r->variant);
    for (int i = 0; i < NUMBERS; i++) {
        if (isnan(*numbers[i]))
            fprintf(file, ",");
        else
            fprintf(file, i == 0 ? ",%.10g" : ",%.4g", *numbers[i]);
    }
    fprintf(file, ",%s\n", r->status);
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
    for (int i = 0; i < NUMBERS; i++) *numbers[i] = fields[2 + i][0] ? atof(fields[2 + i]) : NAN;
    copy_text(r->status, sizeof r->status, fields[FIELDS - 1]);
    return true;
}

bool read_table(const char *folder, const char *name, table *t)
{
    char path[500], line[600];
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
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
