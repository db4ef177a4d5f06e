/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tables in files: rows of numbers between commas, semicolons or tabs. Lines that begin with # and empty lines are
 * ignored. A first row with a cell that is not a number contains the names of the columns. */

#include "io/form.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "io/files.h"

/* ---- Files that a model names ------------------------------------------------------------- */

/* Returns whether a relative path stays below the folder from which it starts. */
static bool stays_inside(const char *path)
{
    int depth = 0;
    if (path[0] == '/') return false;
    while (*path) {
        const size_t length = strcspn(path, "/");
        if (length == 2 && strncmp(path, "..", 2) == 0)
            depth--;
        else if (length > 0 && !(length == 1 && path[0] == '.'))
            depth++;
        if (depth < 0) return false;
        path += length + (path[length] == '/');
    }
    return true;
}

/* Returns whether a path is below one of the allowed folders. Files in memory are all allowed. */
static bool is_allowed(const trm_read_options *options, const char *path)
{
    if (options && options->files) return true;
    for (int i = 0; options && i < options->path_count; i++) {
        const size_t length = strlen(options->paths[i]);
        if (strncmp(path, options->paths[i], length) == 0 && path[length] == '/' && stays_inside(path + length + 1))
            return true;
    }
    return false;
}

bool trm_read_named_file(trm_reader *reader, const trm_json *value, const char *what, char **text, size_t *length,
                         const char **path)
{
    *text = NULL;
    if (!trm_require_kind(reader, value, TRM_JSON_STRING, "the name of a file")) return true;
    const char *name = value->text;
    if (!reader->directory) {
        trm_read_error(reader, value, "the %s file \"%s\" cannot be read: this model is not in a file", what, name);
        return true;
    }
    if (!stays_inside(name) && !is_allowed(reader->options, name)) {
        trm_read_error(
            reader, value,
            "the %s file \"%s\" is outside the folder of the model; copy it there, or allow its folder by --path",
            what, name);
        return true;
    }
    *path = name[0] == '/' ? trm_arena_text(reader->arena, name)
                           : trm_arena_format(reader->arena, "%s/%s", reader->directory, name);
    if (!*path) return false;
    if (trm_read_regular_file(reader->arena, reader->options, *path, text, length)) return true;
    if (reader->arena->failed) return false;
    *text = NULL;
    trm_read_error(reader, value, "the %s file \"%s\" cannot be read: %s", what, name,
                   errno == EINVAL ? "it is not a regular file" : strerror(errno));
    return true;
}

/* ---- Rows --------------------------------------------------------------------------------- */

typedef struct cell {
    const char *start;
    int length;
} cell;

typedef struct rows {
    const char *at, *end;
    char separator;
    int line;
} rows;

/* Gets the next line that is neither empty nor a comment. Returns false if there is none. */
static bool next_line(rows *r, cell *line)
{
    while (r->at < r->end) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
        const char *next = stop ? stop + 1 : r->end;
        int length = (int)((stop ? stop : r->end) - r->at);
        if (length > 0 && r->at[length - 1] == '\r') length--;
        *line = (cell){r->at, length};
        r->at = next;
        r->line++;
        const size_t blank = strspn(line->start, " \t");
        if ((int)blank < length && line->start[blank] != '#') return true;
    }
    return false;
}

static char separator_of(cell line)
{
    for (const char *c = ",;\t"; *c; c++)
        if (memchr(line.start, *c, (size_t)line.length)) return *c;
    return ',';
}

/* Returns a cell of a line, index from 0, without space and quotes around it. Its length is -1 if there is none. */
static cell cell_of(cell line, char separator, int index)
{
    const char *at = line.start, *end = line.start + line.length;
    for (int i = 0; i < index; i++) {
        at = memchr(at, separator, (size_t)(end - at));
        if (!at++) return (cell){"", -1};
    }
    const char *stop = memchr(at, separator, (size_t)(end - at));
    if (!stop) stop = end;
    while (at < stop && strchr(" \t\"", *at)) at++;
    while (stop > at && strchr(" \t\"", stop[-1])) stop--;
    return (cell){at, (int)(stop - at)};
}

static bool number_in(cell c, double *number)
{
    enum { LONGEST = 60 };
    char text[LONGEST + 1];
    trm_expression_error error;
    if (c.length <= 0 || c.length > LONGEST) return false;
    memcpy(text, c.start, (size_t)c.length);
    text[c.length] = 0;
    return text[0] != '(' && trm_evaluate_constant(text, NULL, 0, number, &error);
}

static bool is_header(cell line, char separator)
{
    double number;
    for (int i = 0;; i++) {
        const cell c = cell_of(line, separator, i);
        if (c.length < 0) return false;
        if (!number_in(c, &number)) return true;
    }
}

/* ---- Columns ------------------------------------------------------------------------------ */

/* Returns the requested column, given by its number from 1 or by its name. Returns -1 after reporting that there is
 * no such column. */
static int find_column(trm_reader *reader, const trm_json *wanted, int otherwise, cell header, char separator)
{
    if (!wanted) return otherwise;
    if (wanted->kind == TRM_JSON_NUMBER) {
        if (wanted->number >= 1 && wanted->number <= 10000 && wanted->number == floor(wanted->number))
            return (int)wanted->number - 1;
        trm_read_error(reader, wanted, "a column is a whole number from 1, or a name of the first row");
        return -1;
    }
    if (!trm_require_kind(reader, wanted, TRM_JSON_STRING, "the name or the number of a column")) return -1;
    for (int i = 0; header.start; i++) {
        const cell c = cell_of(header, separator, i);
        if (c.length < 0) break;
        if ((int)wanted->length == c.length && memcmp(wanted->text, c.start, wanted->length) == 0) return i;
    }
    trm_read_error(reader, wanted,
                   header.start ? "the file has no column \"%s\" in its first row: %.*s"
                                : "the file has no row of names to look for \"%s\" in%.*s",
                   wanted->text,
                   header.start && header.length < 80 ? header.length
                   : header.start                     ? 80
                                                      : 0,
                   header.start ? header.start : "");
    return -1;
}

typedef struct request {
    const trm_json *file, *t, *y;
    const char *path;
    bool cubic;
} request;

static int count_lines(const char *text, size_t length)
{
    int count = 1;
    for (size_t i = 0; i < length; i++) count += text[i] == '\n';
    return count;
}

/* Reads the two columns. Returns false if out of memory. */
static bool read_columns(trm_reader *reader, const request *want, rows *r, cell line, int columns[2],
                         trm_function_def *f)
{
    const int most = count_lines(line.start, (size_t)(r->end - line.start));
    double *numbers[2] = {TRM_NEW_ARRAY(reader->arena, double, most), TRM_NEW_ARRAY(reader->arena, double, most)};
    int count = 0;
    if (!numbers[0] || !numbers[1]) return false;
    do {
        for (int k = 0; k < 2; k++) {
            const cell c = cell_of(line, r->separator, columns[k]);
            if (number_in(c, &numbers[k][count])) continue;
            trm_read_error(reader, want->file, "%s:%d: column %d: \"%.*s\" is not a number", want->file->text,
                           r->line, columns[k] + 1,
                           c.length < 0    ? 0
                           : c.length > 40 ? 40
                                           : c.length,
                           c.start);
            return true;
        }
        count++;
    } while (next_line(r, &line));
    *f = trm_table_function(numbers[0], numbers[1], count, want->cubic);
    return true;
}

static bool read_rows(trm_reader *reader, const request *want, const char *text, size_t length, trm_function_def *f)
{
    rows r = {text, text + length, ',', 0};
    cell line, header = {NULL, 0};
    bool more = next_line(&r, &line);
    if (more) r.separator = separator_of(line);
    if (more && is_header(line, r.separator)) {
        header = line;
        more = next_line(&r, &line);
    }
    if (!more) {
        trm_read_error(reader, want->file, "%s holds no row of numbers", want->file->text);
        return true;
    }
    int columns[2] = {find_column(reader, want->t, 0, header, r.separator),
                      find_column(reader, want->y, 1, header, r.separator)};
    return columns[0] < 0 || columns[1] < 0 || read_columns(reader, want, &r, line, columns, f);
}

bool trm_read_table_file(trm_reader *reader, const trm_json *value, trm_function_def *f)
{
    request want = {0};
    const char *interpolation = "linear";
    const int errors = trm_error_count(reader->messages);
    for (int i = 0; i < value->count; i++) {
        const trm_json_member *m = &value->members[i];
        if (strcmp(m->key, "file") == 0)
            want.file = &m->value;
        else if (strcmp(m->key, "t") == 0)
            want.t = &m->value;
        else if (strcmp(m->key, "y") == 0)
            want.y = &m->value;
        else if (strcmp(m->key, "interpolate") == 0)
            trm_read_word(reader, &m->value, trm_interpolations, &interpolation);
        else
            trm_read_error_at(reader, m->line, m->column,
                              "a table file has \"file\", \"t\", \"y\" and \"interpolate\", not \"%s\"", m->key);
    }
    char *text = NULL;
    size_t length = 0;
    want.cubic = interpolation[0] == 'c';
    if (trm_error_count(reader->messages) > errors) return true;
    if (!trm_read_named_file(reader, want.file, "table", &text, &length, &want.path)) return false;
    return !text || read_rows(reader, &want, text, length, f);
}
