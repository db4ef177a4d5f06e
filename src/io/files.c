/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "methods/ranks/exchange.h"

enum { FIRST_PIECE = 1 << 16 };

/* Reads a file to its end in pieces of doubling size, which works for pipes, too. Returns false if that fails or if
 * out of memory. */
static bool read_all(trm_arena *arena, FILE *file, char **text, size_t *length)
{
    size_t capacity = FIRST_PIECE, used = 0;
    char *buffer = trm_arena_array(arena, capacity, 1);
    while (buffer) {
        used += fread(buffer + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1) break;
        char *larger = trm_arena_array(arena, 2 * capacity, 1);
        if (larger) memcpy(larger, buffer, used);
        buffer = larger;
        capacity *= 2;
    }
    *text = buffer;
    *length = used;
    return buffer && !ferror(file);
}

static bool is_regular(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0) return false;
    errno = EINVAL;
    return S_ISREG(s.st_mode);
}

/* Returns whether the file is a device other than a terminal, such as /dev/zero, which may never end. */
static bool is_endless(FILE *file)
{
    struct stat s;
    if (fstat(fileno(file), &s) != 0 || !S_ISCHR(s.st_mode) || isatty(fileno(file))) return false;
    errno = EFBIG;
    return true;
}

/* Returns whether a program writes to the pipe; otherwise sets errno. Reading a pipe without a writer would wait
 * endlessly, but such a pipe is at its end at once if it is opened without waiting. */
static bool has_writer(int descriptor, FILE *file)
{
    struct stat s;
    char first;
    if (fstat(descriptor, &s) != 0 || !S_ISFIFO(s.st_mode)) return true;
    const ssize_t count = read(descriptor, &first, 1);
    if (count == 1) ungetc((unsigned char)first, file);
    if (count == 0) errno = EPIPE;
    if (count == 0 || (count < 0 && errno != EAGAIN)) return false;
    return fcntl(descriptor, F_SETFL, 0) == 0;
}

static FILE *open_file(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (descriptor >= 0 && !file) close(descriptor);
    if (!file || has_writer(descriptor, file)) return file;
    const int error = errno;
    fclose(file);
    errno = error;
    return NULL;
}

static bool read_own(trm_arena *arena, const char *path, bool regular, char **text, size_t *length)
{
    FILE *file = !regular || is_regular(path) ? open_file(path) : NULL;
    if (!file) return false;
    const bool good = !is_endless(file) && read_all(arena, file, text, length);
    const int error = errno;
    fclose(file);
    errno = error;
    return good;
}

/* Header that rank 0 sends before a file. */
typedef struct file_note {
    uint64_t length;
    int32_t good, failed, error; /* error: errno */
    int32_t padding;             /* explicit, so that all bytes sent are initialised */
} file_note;

/* Sends the bytes of rank 0 to all ranks, which store them in their arenas. Returns false if that fails. */
static bool broadcast(trm_arena *arena, trm_exchange *ranks, file_note note, char **text, size_t *length)
{
    if (!trm_exchange_spread(ranks, &note, sizeof note)) {
        errno = ECONNRESET;
        return false;
    }
    errno = note.error;
    if (note.failed) arena->failed = true;
    if (!note.good) return false;
    *length = (size_t)note.length;
    if (ranks->rank > 0) *text = trm_arena_array(arena, *length + 1, 1);
    if (!*text) return false;
    if (trm_exchange_spread(ranks, *text, *length)) return true;
    errno = ECONNRESET;
    return false;
}

/* ---- Files in memory ----------------------------------------------------------------------- */

/* Removes the last component of a path. Returns false if there is none. */
static bool remove_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (path[0] == 0) return false;
    *(slash ? slash : path) = 0;
    return true;
}

/* Writes the path without ".", ".." and double slashes, in the form of the names of files in memory. Returns false if
 * it is too long or leads out of all folders. */
static bool clean_path(const char *path, char clean[PATH_MAX])
{
    clean[0] = 0;
    for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
        const size_t length = strcspn(path, "/"), used = strlen(clean);
        if (length == 2 && memcmp(path, "..", 2) == 0) {
            if (!remove_last(clean)) return false;
        } else if (length != 1 || *path != '.') {
            if (used + length + 2 > PATH_MAX) return false;
            snprintf(clean + used, PATH_MAX - used, "%s%.*s", used > 0 ? "/" : "", (int)length, path);
        }
        path += length;
    }
    return true;
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the file with this path, else the only file with the same last component. Returns NULL if there is
 * neither. */
static const trm_file *find_in_memory(const trm_read_options *options, const char *path)
{
    char clean[PATH_MAX];
    const trm_file *alike = NULL;
    int count = 0;
    const bool has_place = clean_path(path, clean);
    for (int i = 0; i < options->file_count; i++) {
        const trm_file *file = &options->files[i];
        if (has_place && strcmp(file->name, clean) == 0) return file;
        if (strcmp(last_of(file->name), last_of(path)) == 0) alike = file, count++;
    }
    return count == 1 ? alike : NULL;
}

static bool read_memory(trm_arena *arena, const trm_file *file, char **text, size_t *length)
{
    errno = ENOENT;
    *text = file ? trm_arena_array(arena, file->length + 1, 1) : NULL;
    if (!*text) return false;
    if (file->length > 0) memcpy(*text, file->bytes, file->length);
    *length = file->length;
    return true;
}

bool trm_is_file(const trm_read_options *options, const char *path)
{
    return options && options->files ? find_in_memory(options, path) != NULL : is_regular(path);
}

/* ---- Disk or memory ------------------------------------------------------------------------ */

static bool read_for_all(trm_arena *arena, const trm_read_options *options, const char *path, bool regular,
                         char **text, size_t *length)
{
    trm_exchange *ranks = options ? options->ranks : NULL;
    if (options && options->files) return read_memory(arena, find_in_memory(options, path), text, length);
    if (!ranks) return read_own(arena, path, regular, text, length);
    file_note note = {0};
    if (ranks->rank == 0) {
        *length = 0;
        note.good = read_own(arena, path, regular, text, length);
        note.failed = arena->failed;
        note.error = errno;
        note.length = *length;
    }
    return broadcast(arena, ranks, note, text, length);
}

bool trm_read_whole_file(trm_arena *arena, const trm_read_options *options, const char *path, char **text,
                         size_t *length)
{
    return read_for_all(arena, options, path, false, text, length);
}

bool trm_read_regular_file(trm_arena *arena, const trm_read_options *options, const char *path, char **text,
                           size_t *length)
{
    return read_for_all(arena, options, path, true, text, length);
}
