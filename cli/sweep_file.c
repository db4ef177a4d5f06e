/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#define _XOPEN_SOURCE 700 /* realpath */

#include "sweep_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "origin.h"

static bool cannot(const sweep_file *f, const char *what)
{
    fprintf(stderr, "trammel sweep: cannot %s %s: %s\n", what, f->path, strerror(errno));
    return false;
}

/* ---- The header --------------------------------------------------------------------------- */

static trm_text *make_header(const sweep_plan *p)
{
    static const char *const ignored[] = {"--out", "--jobs", "--resume", "--restart", "--plot", NULL};
    trm_text *header = trm_text_create(NULL);
    if (!header) return NULL;
    if (put_origin(header, &command_sweep, p->line, ignored, p->model, p->model_length) &&
        put(header, trm_text_get(p->columns)))
        return header;
    trm_text_destroy(header);
    return NULL;
}

/* ---- Existing files ------------------------------------------------------------------------ */

/* Reads a line that has an end. A last line without an end does not count, but stays in *line. Returns false if there
 * is none. */
static bool whole_line(FILE *stream, char **line, size_t *room)
{
    const ssize_t length = getline(line, room, stream);
    if (length < 0 && *line) (*line)[0] = 0;
    return length > 0 && (*line)[length - 1] == '\n';
}

static int cells_in(const char *row)
{
    int count = 1;
    for (bool quoted = false; *row; row++) {
        if (*row == '"') quoted = !quoted;
        if (*row == ',' && !quoted) count++;
    }
    return count;
}

/* Returns the run to which a row belongs; -1: it does not belong to this sweep. */
static int run_of(const sweep_plan *p, const char *row)
{
    char *end;
    const long number = strtol(row, &end, 10);
    if (number < 1 || number > p->design.run_count || *end != ',' || cells_in(row) != p->column_count) return -1;
    trm_text *point = trm_text_create(NULL);
    const bool same = point && put_point(p, (int)number - 1, point) &&
                      strncmp(row, trm_text_get(point), trm_text_length(point)) == 0;
    trm_text_destroy(point);
    return same ? (int)number - 1 : -1;
}

static bool another_sweep(const sweep_file *f, const char *wanted, const char *found)
{
    fprintf(stderr,
            "trammel sweep: %s exists and belongs to another sweep: it has\n    %.*s\nwhere this one has\n    %.*s\n"
            "give the same model and options, another --out, or --restart to overwrite it\n",
            f->path, (int)strcspn(found, "\r\n"), found, (int)strcspn(wanted, "\r\n"), wanted);
    return false;
}

/* Compares comments and header row, line by line. A file that ends within them was begun and not continued. */
static bool read_header(sweep_file *f, char **line, size_t *room, bool *begun)
{
    const char *wanted = trm_text_get(f->header);
    while (*wanted) {
        const size_t length = strcspn(wanted, "\n") + 1;
        const bool whole = whole_line(f->stream, line, room);
        if (ferror(f->stream) || !*line) return cannot(f, "read");
        if (strncmp(*line, wanted, strlen(*line)) != 0) return another_sweep(f, wanted, *line);
        if (!whole) return true;
        wanted += length;
    }
    return *begun = true;
}

/* Marks the runs that have rows. Sets *end to the end of the last whole row. */
static bool read_rows(sweep_file *f, char **line, size_t *room, bool *done, off_t *end)
{
    for (int row = 1; *end = ftello(f->stream), whole_line(f->stream, line, room); row++) {
        const int run = run_of(f->plan, *line);
        if (run < 0 || done[run]) {
            fprintf(stderr, "trammel sweep: %s is damaged: row %d is %s of this sweep; --restart overwrites it\n",
                    f->path, row, run < 0 ? "none" : "a second one of the same run");
            return false;
        }
        done[run] = true;
        if (f->plot) plot_row(f->plot, run, *line);
        f->in_order = f->in_order && run > f->last;
        f->last = run;
    }
    return !ferror(f->stream) || cannot(f, "read");
}

/* Reads the rows of this sweep, without a last line that was cut off. Sets *end to where they end. */
static bool read_sweep(sweep_file *f, bool *done, off_t *end)
{
    char *line = NULL;
    size_t room = 0;
    bool begun = false;
    *end = 0;
    rewind(f->stream);
    bool good = read_header(f, &line, &room, &begun);
    if (good && begun) good = read_rows(f, &line, &room, done, end);
    free(line);
    return good;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static bool write_all(sweep_file *f, const char *text)
{
    const size_t length = strlen(text);
    if (!f->stream) return fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0;
    for (size_t at = 0; at < length;) {
        const ssize_t written = write(fileno(f->stream), text + at, length - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += (size_t)written;
    }
    return true;
}

static bool open_stream(sweep_file *f, file_use what)
{
    struct stat status;
    const int number = open(f->path, O_RDWR | O_APPEND | (what == REQUIRE_FILE ? 0 : O_CREAT), 0666);
    if (number < 0) return cannot(f, what == REQUIRE_FILE ? "continue" : "write");
    f->stream = fdopen(number, "a+b");
    if (!f->stream) {
        close(number);
        return cannot(f, "write");
    }
    f->regular = fstat(number, &status) == 0 && S_ISREG(status.st_mode);
    /* Two sweeps that write to one file would make every run twice. */
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (f->regular && fcntl(number, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN)) {
        fprintf(stderr, "trammel sweep: another sweep is writing %s now\n", f->path);
        return false;
    }
    return true;
}

static bool open_file(sweep_file *f, file_use what, bool *done)
{
    off_t end = 0;
    if (!open_stream(f, what)) return false;
    if (!f->regular) return true;
    if (what != REPLACE_FILE && !read_sweep(f, done, &end)) return false;
    return ftruncate(fileno(f->stream), end) == 0 || cannot(f, "write");
}

bool open_sweep(sweep_file *f, const char *path, const sweep_plan *plan, sweep_plot *plot, file_use what, bool *done)
{
    const bool to_stdout = !path || strcmp(path, "-") == 0;
    *f =
        (sweep_file){.path = to_stdout ? "the rows" : path, .plan = plan, .plot = plot, .in_order = true, .last = -1};
    f->header = make_header(plan);
    if (to_stdout) f->waiting = calloc((size_t)plan->design.run_count, sizeof *f->waiting);
    if (!f->header || (to_stdout && !f->waiting)) {
        fprintf(stderr, "trammel sweep: out of memory\n");
        return false;
    }
    if (!to_stdout && !open_file(f, what, done)) return false;
    const bool begins = f->last < 0;
    if (begins && f->stream && f->regular && ftruncate(fileno(f->stream), 0) != 0) return cannot(f, "write");
    return !begins || write_all(f, trm_text_get(f->header)) || cannot(f, "write");
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Writes the row, and the following rows that waited for it. */
static bool add_in_order(sweep_file *f, int run, const char *row)
{
    f->waiting[run] = strdup(row);
    bool good = f->waiting[run] != NULL;
    while (good && f->last + 1 < f->plan->design.run_count && f->waiting[f->last + 1]) {
        char **next = &f->waiting[++f->last];
        good = write_all(f, *next);
        free(*next);
        *next = NULL;
    }
    return good;
}

bool add_row(sweep_file *f, int run, const char *row)
{
    if (f->plot) plot_row(f->plot, run, row);
    if (f->waiting) return add_in_order(f, run, row) || cannot(f, "write");
    f->in_order = f->in_order && run > f->last;
    f->last = run;
    return write_all(f, row) || cannot(f, "write");
}

/* ---- Closing ------------------------------------------------------------------------------ */

/* Finds where each row begins in the stream. */
static bool find_rows(sweep_file *f, off_t *places)
{
    char *line = NULL;
    size_t room = 0;
    off_t at = (off_t)trm_text_length(f->header);
    bool good = fseeko(f->stream, at, SEEK_SET) == 0;
    for (int i = 0; good && i < f->plan->design.run_count; i++) {
        const bool whole = whole_line(f->stream, &line, &room);
        const long number = whole ? strtol(line, NULL, 10) : 0;
        good = number >= 1 && number <= f->plan->design.run_count;
        if (good) places[number - 1] = at;
        at = ftello(f->stream);
    }
    free(line);
    return good;
}

static bool copy_rows(sweep_file *f, const off_t *places, FILE *to)
{
    char *line = NULL;
    size_t room = 0;
    bool good = fputs(trm_text_get(f->header), to) >= 0;
    for (int i = 0; good && i < f->plan->design.run_count; i++)
        good = fseeko(f->stream, places[i], SEEK_SET) == 0 && whole_line(f->stream, &line, &room) &&
               fputs(line, to) >= 0;
    free(line);
    return good;
}

/* Writes the rows in order under a temporary name and renames the file: at any time one complete file exists. */
static bool write_in_order(sweep_file *f, const off_t *places, const char *target)
{
    struct stat status;
    char *partial = malloc(strlen(target) + sizeof ".partial");
    if (!partial) return false;
    strcat(strcpy(partial, target), ".partial");
    FILE *to = fopen(partial, "wb");
    bool good = to && copy_rows(f, places, to) && fflush(to) == 0 && fsync(fileno(to)) == 0;
    if (good && fstat(fileno(f->stream), &status) == 0) good = fchmod(fileno(to), status.st_mode & 0777) == 0;
    if (to && fclose(to) != 0) good = false;
    if (good) good = rename(partial, target) == 0;
    if (to && !good) remove(partial);
    free(partial);
    return good;
}

static void bring_in_order(sweep_file *f)
{
    off_t *places = calloc((size_t)f->plan->design.run_count, sizeof *places);
    char *target = realpath(f->path, NULL);
    if (!places || !target || !find_rows(f, places) || !write_in_order(f, places, target))
        fprintf(stderr, "trammel sweep: warning: the rows of %s stay in the order in which runs finished: %s\n",
                f->path, strerror(errno));
    free(target);
    free(places);
}

bool close_sweep(sweep_file *f, bool complete)
{
    if (complete && f->stream && f->regular && !f->in_order) bring_in_order(f);
    bool good = !f->stream || fclose(f->stream) == 0 || cannot(f, "write");
    for (int i = 0; f->waiting && i < f->plan->design.run_count; i++) {
        if (good && f->waiting[i])
            good = write_all(f, f->waiting[i]) || cannot(f, "write"); /* rows of an interrupted sweep */
        free(f->waiting[i]);
    }
    free(f->waiting);
    trm_text_destroy(f->header);
    *f = (sweep_file){0};
    return good;
}
