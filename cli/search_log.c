/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "search_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static bool cannot(const search_log *log, const char *what)
{
    fprintf(stderr, "trammel optimise: cannot %s %s: %s\n", what, log->path, strerror(errno));
    return false;
}

static bool is_another(const search_log *log, const char *wanted, const char *found)
{
    fprintf(
        stderr,
        "trammel optimise: %s exists and belongs to another search: it has\n    %.*s\nwhere this one has\n    %.*s\n"
        "give the same model and options, or another --log\n",
        log->path, (int)strcspn(found, "\r\n"), found, (int)strcspn(wanted, "\r\n"), wanted);
    return false;
}

/* Returns whether the file begins with this header; *whole: all of the header is there. */
static bool read_header(const search_log *log, const char *header, char **line, size_t *room, bool *whole)
{
    while (*header) {
        const ssize_t length = getline(line, room, log->file);
        if (length <= 0) return true;
        if (strncmp(*line, header, (size_t)length) != 0) return is_another(log, header, *line);
        if ((*line)[length - 1] != '\n') return true;
        header += length;
    }
    *whole = true;
    return true;
}

static bool read_row(search_log *log, char *row)
{
    const size_t width = (size_t)log->width + 1;
    double *more = realloc(log->known, (size_t)(log->known_count + 1) * width * sizeof *more);
    if (!more) return false;
    log->known = more;
    double *numbers = more + (size_t)log->known_count * width;
    for (size_t i = 0; i < width; i++) {
        char *end;
        numbers[i] = strtod(row, &end);
        if (end == row || *end != (i + 1 < width ? ',' : '\n')) {
            fprintf(stderr,
                    "trammel optimise: %s is damaged: row %ld does not belong to this search; give another --log\n",
                    log->path, log->known_count + 1);
            return false;
        }
        row = end + 1;
    }
    log->known_count++;
    return true;
}

/* Reads the rows of the file. Sets *end to the end of the last whole row. */
static bool read_log(search_log *log, const char *header, off_t *end)
{
    char *line = NULL;
    size_t room = 0;
    bool whole = false, good = read_header(log, header, &line, &room, &whole);
    *end = 0;
    while (good && whole) {
        *end = ftello(log->file);
        const ssize_t length = getline(&line, &room, log->file);
        if (length <= 0 || line[length - 1] != '\n') break;
        good = read_row(log, line);
    }
    free(line);
    return good;
}

bool open_search_log(search_log *log, const char *path, const trm_text *header, int width)
{
    off_t end = 0;
    *log = (search_log){.path = path, .width = width};
    if (!path) return true;
    log->file = fopen(path, "a+b");
    if (!log->file) return cannot(log, "write");
    rewind(log->file);
    if (!read_log(log, trm_text_get(header), &end)) return false;
    if (ftruncate(fileno(log->file), end) != 0) return cannot(log, "write");
    if (end == 0 && (fputs(trm_text_get(header), log->file) < 0 || fflush(log->file) != 0))
        return cannot(log, "write");
    return true;
}

bool close_search_log(search_log *log)
{
    const bool good = !log->file || fclose(log->file) == 0 || cannot(log, "write");
    free(log->known);
    *log = (search_log){0};
    return good;
}

bool known_value(const search_log *log, long number, const double *point, double *value, bool *damaged)
{
    const size_t width = (size_t)log->width + 1;
    if (number >= log->known_count) return false;
    const double *row = log->known + (size_t)number * width;
    *value = row[0];
    if (memcmp(row + 1, point, (width - 1) * sizeof *point) == 0) return true;
    fprintf(stderr,
            "trammel optimise: %s is damaged: row %ld is not the point that this search evaluates next; give another "
            "--log\n",
            log->path ? log->path : "the log", number + 1);
    *damaged = true;
    return false;
}

bool add_to_log(search_log *log, const double *point, double value)
{
    bool good = true;
    if (!log->file) return true;
    good = fprintf(log->file, "%.17g", value) > 0;
    for (int k = 0; k < log->width; k++) good = fprintf(log->file, ",%.17g", point[k]) > 0 && good;
    good = fputs("\n", log->file) >= 0 && fflush(log->file) == 0 && good;
    return good || cannot(log, "write");
}
