/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#define _XOPEN_SOURCE 700 /* realpath */

#include "trammel/io.h"

#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool output_open(output *o, const char *command, const char *path, const char *mode)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    *o = (output){.file = to_stdout ? stdout : fopen(path, mode), .path = path};
    if (!o->file) fprintf(stderr, "trammel %s: cannot write %s: %s\n", command, path, strerror(errno));
    return o->file != NULL;
}

void output_check(output *o, bool good)
{
    if (!good && o->error == 0) o->error = errno ? errno : EIO;
}

/* Writes a text with ends of lines left out. */
static bool write_within_line(void *context, const char *text, size_t length)
{
    if (length > 0 && text[length - 1] == '\n') length--;
    return fwrite(text, 1, length, context) == length;
}

void output_number(output *o, const char *before, double value)
{
    const trm_sink sink = {write_within_line, o->file};
    output_check(o, fputs(before, o->file) >= 0 && trm_write_csv_numbers(&value, 1, 1, sink));
}

bool output_flush(output *o)
{
    if (o->file && o->error == 0) output_check(o, fflush(o->file) == 0 && !ferror(o->file));
    return o->error == 0;
}

bool output_close(output *o, const char *command)
{
    if (!o->file) return true;
    const bool flushed = output_flush(o);
    if (o->file != stdout) output_check(o, fclose(o->file) == 0);
    if (o->error) fprintf(stderr, "trammel %s: cannot write %s: %s\n", command, o->path, strerror(o->error));
    o->file = NULL;
    return flushed && o->error == 0;
}

/* ---- Files that are replaced --------------------------------------------------------------- */

bool partial_name(const char *path, char *partial, size_t room)
{
    const int length = snprintf(partial, room, "%s.partial", path);
    if (length >= 0 && (size_t)length < room) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Returns the path with all links resolved; the caller frees it. Returns NULL with the reason in errno. */
static char *resolve_links(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0) return strdup(path); /* the file does not exist yet */
    if (stat(path, &s) != 0) return NULL;
    if (S_ISREG(s.st_mode)) return realpath(path, NULL);
    errno = S_ISDIR(s.st_mode) ? EISDIR : EINVAL;
    return NULL;
}

static bool can_be_written(const char *path)
{
    char partial[4096];
    FILE *file = partial_name(path, partial, sizeof partial) ? fopen(partial, "wb") : NULL;
    if (!file) return false;
    fclose(file);
    return remove(partial) == 0;
}

char *replaceable_file(const char *command, const char *what, const char *path)
{
    char *file = resolve_links(path);
    if (file && can_be_written(file)) return file;
    fprintf(stderr, "trammel %s: cannot write %s%s: %s\n", command, what, path,
            !file && errno == EINVAL ? "it is not a regular file" : strerror(errno));
    free(file);
    return NULL;
}

/* ---- Which file a path means --------------------------------------------------------------- */

/* Identity of a file: its own number if it exists, else the number of its folder and its name. */
typedef struct identity {
    dev_t device;
    ino_t number;
    const char *name; /* "": the file exists */
    bool known;       /* false: a device, a pipe, or in no folder */
} identity;

static identity identity_of(const char *path)
{
    char folder[4096];
    struct stat s;
    if (!path || strcmp(path, "-") == 0) return (identity){.known = false};
    if (stat(path, &s) == 0)
        return (identity){.device = s.st_dev, .number = s.st_ino, .name = "", .known = S_ISREG(s.st_mode)};
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + 1 : 0;
    snprintf(folder, sizeof folder, "%.*s.", length, path);
    if (stat(folder, &s) != 0) return (identity){.known = false};
    return (identity){.device = s.st_dev, .number = s.st_ino, .name = slash ? slash + 1 : path, .known = true};
}

static bool are_same(identity a, identity b)
{
    return a.known && b.known && a.device == b.device && a.number == b.number && strcmp(a.name, b.name) == 0;
}

static bool overwrites(const char *command, const named_file *file, const named_file *read)
{
    if (!are_same(identity_of(file->path), identity_of(read->path))) return false;
    fprintf(stderr, "trammel %s: %s %s would overwrite %s; choose another file\n", command, file->name, file->path,
            read->name);
    return true;
}

static bool is_written_twice(const char *command, const named_file *file, const named_file *other)
{
    if (!are_same(identity_of(file->path), identity_of(other->path))) return false;
    fprintf(stderr, "trammel %s: %s %s and %s %s are the same file; choose another one\n", command, other->name,
            other->path, file->name, file->path);
    return true;
}

bool outputs_differ(const char *command, const named_file *read, int read_count, const named_file *written, int count)
{
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < read_count; j++)
            if (overwrites(command, &written[i], &read[j])) return false;
        for (int j = 0; j < i; j++)
            if (is_written_twice(command, &written[i], &written[j])) return false;
    }
    return true;
}
