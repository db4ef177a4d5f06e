/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#define _XOPEN_SOURCE 700 /* realpath */

#include "io/resources.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "io/files.h"
#include "io/mesh_file.h"

/* ---- Searching ---------------------------------------------------------------------------- */

static const char *without_scheme(const char *uri, const char *scheme)
{
    const size_t length = strlen(scheme);
    return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

typedef struct search {
    trm_import *in;
    char *found;
} search;

/* Sets the found path to folder/rest if that is a file. Returns false if out of memory. */
static bool try_place(search *s, const char *folder, size_t length, const char *rest)
{
    char *path = trm_arena_format(s->in->scratch, "%.*s%s%s", (int)length, folder, length > 0 ? "/" : "", rest);
    if (!path) return false;
    if (trm_is_file(s->in->options, path)) s->found = path;
    return true;
}

/* Searches for NAME/PATH of a package in a folder, which may contain the package or be the package. Returns false if
 * out of memory. */
static bool try_package(search *s, const char *folder, size_t length, const char *rest)
{
    const char *inside = strchr(rest, '/');
    return try_place(s, folder, length, rest) && (s->found || !inside || try_place(s, folder, length, inside + 1));
}

/* Searches the folder of the document and all folders above it: "..", "../..", and so on. Returns false if out of
 * memory. */
static bool walk_up(search *s, const char *rest)
{
    enum { MOST_LEVELS = 20 };
    char *folder = trm_arena_text(s->in->scratch, s->in->directory);
    for (int level = 0; folder && !s->found && level < MOST_LEVELS; level++) {
        if (!try_package(s, folder, strlen(folder), rest)) return false;
        folder = trm_arena_format(s->in->scratch, "%s/..", folder);
    }
    return folder != NULL;
}

static bool try_paths(search *s, const char *rest)
{
    const trm_read_options *options = s->in->options;
    bool good = true;
    for (int i = 0; good && !s->found && i < options->path_count; i++)
        good = try_package(s, options->paths[i], strlen(options->paths[i]), rest);
    return good;
}

/* Returns whether an absolute path is below one of the allowed folders. Files in memory are all allowed. */
static bool is_allowed(const trm_import *in, const char *path)
{
    if (in->options->files) return true;
    for (int i = 0; i < in->options->path_count; i++) {
        const size_t length = strlen(in->options->paths[i]);
        if (strncmp(path, in->options->paths[i], length) == 0 && !strstr(path, "/../")) return true;
    }
    return false;
}

/* Returns the number of folders above its start to which a path leads. */
static int levels_up(const char *path)
{
    int depth = 0, lowest = 0;
    for (; *path; path += strcspn(path, "/"), path += strspn(path, "/")) {
        const size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0)
            depth--;
        else if (length > 0 && !(length == 1 && *path == '.'))
            depth++;
        lowest = depth < lowest ? depth : lowest;
    }
    return -lowest;
}

/* Returns whether a folder at least `level` levels above that of the document is a package of ROS or a model of
 * Gazebo. *good becomes false if out of memory. */
static bool is_in_package(search *s, int level, bool *good)
{
    static const char *const MARKS[] = {"package.xml", "model.config"};
    char *folder = trm_arena_text(s->in->scratch, s->in->directory);
    for (int up = 0; folder && up < level + 3; up++) {
        for (size_t i = 0; up >= level && i < sizeof MARKS / sizeof *MARKS; i++) {
            const char *mark = trm_arena_format(s->in->scratch, "%s/%s", folder, MARKS[i]);
            if (mark && trm_is_file(s->in->options, mark)) return true;
        }
        folder = trm_arena_format(s->in->scratch, "%s/..", folder);
    }
    *good = folder != NULL;
    return false;
}

/* Returns whether a file is below one of the folders of --path, with links resolved. */
static bool is_below_paths(const search *s, const char *path)
{
    char file[PATH_MAX], folder[PATH_MAX];
    if (!realpath(path, file)) return false;
    for (int i = 0; i < s->in->options->path_count; i++) {
        if (!realpath(s->in->options->paths[i], folder)) continue;
        const size_t length = strlen(folder);
        if (strncmp(file, folder, length) == 0 && (file[length] == '/' || length == 1)) return true;
    }
    return false;
}

/* Searches for a relative path. It may lead one folder up, because meshes are often next to the folder of the model,
 * and higher within a package. Returns false if out of memory. */
static bool find_relative(search *s, const char *uri, const char **why)
{
    enum { CLIMB = 1 };
    const int climb = levels_up(uri);
    bool good = true;
    if (!try_place(s, s->in->directory, strlen(s->in->directory), uri) || (!s->found && !try_paths(s, uri)))
        return false;
    if (climb <= CLIMB || s->in->options->files || is_in_package(s, climb, &good) || !good) return good;
    if (s->found && is_below_paths(s, s->found)) return true;
    s->found = NULL;
    *why = "it is outside of the model's folder; allow the folder that contains it by --path FOLDER";
    return true;
}

static bool find(search *s, const char *uri, const char **why)
{
    const char *package = without_scheme(uri, "package://");
    if (!package) package = without_scheme(uri, "model://");
    const char *absolute = without_scheme(uri, "file://");
    if (!absolute && uri[0] == '/') absolute = uri;
    *why = s->in->options->files ? "it is not among the files that came with the model"
                                 : "it was not found next to the model, in the folders above, or in those of --path; "
                                   "give its folder by --path FOLDER";
    if (!s->in->directory) {
        *why = "the model is in memory and has no folder; save the model to a file";
        return true;
    }
    if (strstr(uri, "://") && !package && !absolute) {
        *why = "files are not fetched from other places; save it next to the model";
        return true;
    }
    if (package) return walk_up(s, package) && try_paths(s, package);
    if (!absolute) return find_relative(s, uri, why);
    if (is_allowed(s->in, absolute)) return try_place(s, "", 0, absolute);
    *why = "absolute paths are read only below folders that --path names";
    return true;
}

const char *trm_folder_of(trm_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? trm_arena_text_n(arena, path, (size_t)(slash - path)) : ".";
}

/* ---- Reading ------------------------------------------------------------------------------ */

static trm_status read_mesh(trm_import *in, const char *path, const char *text, size_t length, trm_mesh *mesh,
                            const char **why)
{
    trm_messages *own = trm_messages_create(&in->scratch->allocator);
    if (!own) return TRM_OUT_OF_MEMORY;
    const trm_status status = trm_read_mesh(in->def->arena, text, length, path, in->options, mesh, own);
    if (trm_message_count(own) > 0) *why = trm_arena_text(in->scratch, trm_message_at(own, 0)->text);
    trm_messages_destroy(own);
    return status;
}

/* Reads the mesh of an existing file. *why is NULL if it was read, else the reason. Returns false if out of
 * memory. */
static bool read_found(trm_import *in, const char *path, trm_mesh *mesh, const char **why)
{
    char *text = NULL;
    size_t length = 0;
    *why = "it cannot be read";
    if (!trm_read_regular_file(in->scratch, in->options, path, &text, &length)) return !in->scratch->failed;
    static const char LFS[] = "version https://git-lfs";
    *why = "it is a pointer of Git LFS, not the file itself; run \"git lfs pull\"";
    if (length > sizeof LFS && memcmp(text, LFS, sizeof LFS - 1) == 0) return true;
    const trm_status status = read_mesh(in, path, text, length, mesh, why);
    if (status == TRM_OK) *why = NULL;
    return status != TRM_OUT_OF_MEMORY;
}

/* Counts a mesh that is omitted for a reason. Returns false if out of memory. */
static bool leave_out(trm_import *in, const char *why, const char *uri, trm_place place)
{
    for (int i = 0; i < in->lost_count; i++)
        if (strcmp(in->lost[i].why, why) == 0) {
            in->lost[i].count++;
            return true;
        }
    return TRM_APPEND(in->scratch, in->lost, in->lost_count, (trm_lost_mesh){why, uri, place, 1});
}

bool trm_import_mesh(trm_import *in, const char *uri, trm_place place, trm_mesh *mesh, const char **path)
{
    search s = {.in = in};
    const char *why = NULL;
    *path = NULL;
    if (!find(&s, uri, &why)) return false;
    if (s.found && !read_found(in, s.found, mesh, &why)) return false;
    if (why) return leave_out(in, why, uri, place);
    *path = trm_arena_text(in->def->arena, s.found);
    return *path != NULL;
}

bool trm_import_text(trm_import *in, const char *uri, char **text, size_t *length, const char **path,
                     const char **why)
{
    search s = {.in = in};
    *path = NULL;
    *why = NULL;
    if (!find(&s, uri, why)) return false;
    if (!s.found) return true;
    if (trm_read_regular_file(in->scratch, in->options, s.found, text, length))
        /* in the memory of the definition, because places of elements refer to it after reading */
        *path = trm_arena_text(in->def->arena, s.found);
    else
        *why = "it cannot be read";
    return !in->scratch->failed && !in->def->arena->failed;
}

void trm_import_report_meshes(trm_import *in)
{
    for (int i = 0; i < in->lost_count; i++) {
        const trm_lost_mesh *lost = &in->lost[i];
        if (lost->count > 1)
            trm_add_warning(in->messages, lost->place, "%d meshes are left out, the first is \"%s\": %s", lost->count,
                            lost->uri, lost->why);
        else
            trm_add_warning(in->messages, lost->place, "the mesh \"%s\" is left out: %s", lost->uri, lost->why);
    }
}
