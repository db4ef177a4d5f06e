/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "parcel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

struct parcel {
    trm_file *files; /* they own their names and bytes */
    int count, room;
    size_t bytes;
    int users;
};

/* Bytes of all parcels. Atomic, because the server thread adds to parcels and the simulation thread destroys them. */
static _Atomic size_t held;

size_t parcels_held(void)
{
    return atomic_load(&held);
}

parcel *parcel_create(void)
{
    parcel *p = calloc(1, sizeof *p);
    if (p) p->users = 1;
    return p;
}

parcel *parcel_share(parcel *p)
{
    p->users++;
    return p;
}

void parcel_destroy(parcel *p)
{
    if (!p || --p->users > 0) return;
    for (int i = 0; i < p->count; i++) {
        free((char *)(uintptr_t)p->files[i].name);
        free((char *)(uintptr_t)p->files[i].bytes);
    }
    atomic_fetch_sub(&held, p->bytes);
    free(p->files);
    free(p);
}

const trm_file *parcel_files(const parcel *p, int *count)
{
    *count = p->count;
    return p->files;
}

const trm_file *parcel_file(const parcel *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->files[i].name, name) == 0) return &p->files[i];
    return NULL;
}

/* ---- Refusals ------------------------------------------------------------------------------ */

/* Returns whether a name is a relative path such as "robot/meshes/arm.stl", without empty parts, "." and "..", and
 * without backslash. */
static bool is_path(const char *name)
{
    if (strchr(name, '\\')) return false;
    for (const char *part = name;; part++) {
        const size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        part += length;
        if (*part == 0) return true;
    }
}

static bool refuse(char *why, const char *what, const char *name)
{
    snprintf(why, SENTENCE, "the files were not taken: %s%s", what, name);
    return false;
}

static bool refuse_size(char *why, const char *what, size_t most)
{
    snprintf(why, SENTENCE, "the files were not taken: %s at most %zu MiB", what, most / MEBIBYTE);
    return false;
}

static bool may_begin(const parcel *p, const char *name, char *why)
{
    if (!is_path(name)) return refuse(why, "this is not the relative path of a file in a folder: ", name);
    if (parcel_file(p, name)) return refuse(why, "two files have the same path: ", name);
    if (p->count < MOST_FILES) return true;
    snprintf(why, SENTENCE,
             "the files were not taken: there are more than %d; leave out those that the model does not name",
             MOST_FILES);
    return false;
}

/* Adds the bytes to those of all parcels. Returns false with the reason in why if a limit is exceeded. */
static bool reserve(parcel *p, size_t before, size_t length, char *why)
{
    if (length > MOST_FILE_BYTES - before) return refuse_size(why, "each may have", MOST_FILE_BYTES);
    if (length > MOST_PARCEL_BYTES - p->bytes) return refuse_size(why, "together they may have", MOST_PARCEL_BYTES);
    if (atomic_fetch_add(&held, length) + length > MOST_HELD_BYTES) {
        atomic_fetch_sub(&held, length);
        return refuse_size(why, "other pages are sending files, too; all together may have", MOST_HELD_BYTES);
    }
    p->bytes += length;
    return true;
}

/* ---- Pieces -------------------------------------------------------------------------------- */

static trm_file *begin_file(parcel *p, const char *name, char *why)
{
    if (!may_begin(p, name, why)) return NULL;
    snprintf(why, SENTENCE, "the files were not taken: there is not enough memory");
    if (p->count == p->room) {
        const int room = p->room > 0 ? 2 * p->room : 16;
        trm_file *more = realloc(p->files, (size_t)room * sizeof *more);
        if (!more) return NULL;
        p->files = more;
        p->room = room;
    }
    char *copy = strdup(name);
    if (!copy) return NULL;
    p->files[p->count] = (trm_file){.name = copy};
    return &p->files[p->count++];
}

bool parcel_add(parcel *p, const char *name, const char *bytes, size_t length, char *why)
{
    trm_file *last = p->count > 0 ? &p->files[p->count - 1] : NULL;
    if (!last || strcmp(last->name, name) != 0) last = begin_file(p, name, why);
    if (!last || !reserve(p, last->length, length, why)) return false;
    if (length == 0) return true;
    char *longer = realloc((char *)(uintptr_t)last->bytes, last->length + length);
    if (!longer) return refuse(why, "there is not enough memory", "");
    memcpy(longer + last->length, bytes, length);
    last->bytes = longer;
    last->length += length;
    return true;
}
