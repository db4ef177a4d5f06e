/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "result_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool report_error(result_file *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: error: ", f->path, f->number);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    f->failed = true;
    return false;
}

/* Reads the next line that is neither empty nor a comment, without its end. Returns false at the end of the file. */
static bool next_line(result_file *f)
{
    while (getline(&f->line, &f->room, f->file) >= 0) {
        f->number++;
        f->line[strcspn(f->line, "\r\n")] = 0;
        if (f->line[0] && f->line[0] != '#') return true;
    }
    return false;
}

static bool read_header(result_file *f)
{
    if (!next_line(f))
        return report_error(f, "the file has no header row; it should be one that trammel run --out wrote");
    f->header = strdup(f->line);
    f->names = calloc(strlen(f->line) + 1, sizeof *f->names);
    if (!f->header || !f->names) return report_error(f, "out of memory");
    for (char *name = strtok(f->header, ","); name; name = strtok(NULL, ",")) f->names[f->column_count++] = name;
    f->time_column = find_column(f, "t");
    if (f->time_column < 0) return report_error(f, "the header row has no column t");
    f->values = calloc((size_t)f->column_count, sizeof *f->values);
    return f->values || report_error(f, "out of memory");
}

bool open_results(result_file *f, const char *command, const char *path)
{
    *f = (result_file){.path = path, .file = fopen(path, "rb")};
    if (f->file) return read_header(f);
    fprintf(stderr, "trammel %s: cannot read %s: %s\n", command, path, strerror(errno));
    f->failed = true;
    return false;
}

void close_results(result_file *f)
{
    if (f->file) fclose(f->file);
    free(f->line);
    free(f->header);
    free(f->names);
    free(f->values);
    *f = (result_file){0};
}

int find_column(const result_file *f, const char *name)
{
    for (int i = 0; i < f->column_count; i++)
        if (strcmp(f->names[i], name) == 0) return i;
    return -1;
}

static bool read_row(result_file *f)
{
    char *next = f->line;
    for (int i = 0; i < f->column_count; i++) {
        char *end;
        f->values[i] = strtod(next, &end);
        const char wanted = i + 1 < f->column_count ? ',' : 0;
        if (end == next || *end != wanted)
            return report_error(
                f, "column %d is not a number, or the row does not have the %d columns of the header; it is %s",
                i + 1, f->column_count, f->names[i]);
        next = end + 1;
    }
    return true;
}

bool next_row(result_file *f)
{
    if (next_line(f)) return read_row(f);
    if (ferror(f->file)) report_error(f, "the file cannot be read: %s", strerror(errno));
    return false;
}
