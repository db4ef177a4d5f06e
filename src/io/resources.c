/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "io/resources.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "io/files.h"
#include "io/mesh_obj.h"
#include "io/mesh_stl.h"

/* ---- Finding ------------------------------------------------------------------------------ */

/* Only ordinary files: a device or a pipe may never end. */
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static const char *without_scheme(const char *uri, const char *scheme)
{
    const size_t length = strlen(scheme);
    return strncmp(uri, scheme, length) == 0 ? uri + length : NULL;
}

typedef struct search {
    trm_import *in;
    char *found;
    int tried;
} search;

/* folder/rest, if it is a file. False: out of memory. */
static bool try_place(search *s, const char *folder, size_t length, const char *rest)
{
    char *path = trm_arena_format(s->in->scratch, "%.*s%s%s", (int)length, folder, length > 0 ? "/" : "", rest);
    if (!path) return false;
    s->tried++;
    if (is_file(path)) s->found = path;
    return true;
}

/* "NAME/PATH" of a package, which may itself be the folder or contain it. */
static bool try_package(search *s, const char *folder, size_t length, const char *rest)
{
    const char *inside = strchr(rest, '/');
    return try_place(s, folder, length, rest) && (s->found || !inside || try_place(s, folder, length, inside + 1));
}

/* The folder of the document and all above it: "..", "../..", and so on, as many as a path may have. */
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

/* An absolute path must lie below one of the folders that were allowed. */
static bool is_allowed(const trm_import *in, const char *path)
{
    for (int i = 0; i < in->options->path_count; i++) {
        const size_t length = strlen(in->options->paths[i]);
        if (strncmp(path, in->options->paths[i], length) == 0 && !strstr(path, "/../")) return true;
    }
    return false;
}

static bool find(search *s, const char *uri, const char **why)
{
    const char *package = without_scheme(uri, "package://");
    if (!package) package = without_scheme(uri, "model://");
    const char *absolute = without_scheme(uri, "file://");
    if (!absolute && uri[0] == '/') absolute = uri;
    *why = "not found";
    if (!s->in->directory) {
        *why = "a model in memory has no files next to it";
        return true;
    }
    if (package) return walk_up(s, package) && try_paths(s, package);
    if (!absolute) return try_place(s, s->in->directory, strlen(s->in->directory), uri) && try_paths(s, uri);
    if (is_allowed(s->in, absolute)) return try_place(s, "", 0, absolute);
    *why = "absolute paths are read only below folders that --path names";
    return true;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcasecmp(text + length - size, ending) == 0;
}

static bool is_git_lfs(const char *text)
{
    return strncmp(text, "version https://git-lfs", 23) == 0;
}

static trm_status read_mesh(trm_import *in, const char *path, const char *text, size_t length, trm_mesh *mesh,
                            const char **why)
{
    trm_messages *own = trm_messages_create(&in->scratch->allocator);
    trm_status status = TRM_BAD_INPUT;
    *why = "this format is not read; STL and OBJ are";
    if (!own) return TRM_OUT_OF_MEMORY;
    if (is_git_lfs(text))
        *why = "it is a pointer of Git LFS; fetch the file itself with \"git lfs pull\"";
    else if (ends_with(path, ".obj"))
        status = trm_read_obj(in->def->arena, text, length, path, mesh, own);
    else if (ends_with(path, ".stl"))
        status = trm_read_stl(in->def->arena, text, length, path, mesh, own);
    if (trm_message_count(own) > 0) *why = trm_arena_text(in->scratch, trm_message_at(own, 0)->text);
    trm_messages_destroy(own);
    return status;
}

bool trm_import_mesh(trm_import *in, const char *uri, trm_place place, trm_mesh *mesh, bool *found)
{
    search s = {.in = in};
    const char *why = "";
    char *text = NULL;
    size_t length = 0;
    *found = false;
    if (!find(&s, uri, &why)) return false;
    if (s.found) {
        const bool read = trm_read_whole_file(in->scratch, in->options->ranks, s.found, &text, &length);
        if (!read && in->scratch->failed) return false;
        const trm_status status = read ? read_mesh(in, s.found, text, length, mesh, &why) : TRM_IO_ERROR;
        if (status == TRM_OUT_OF_MEMORY) return false;
        if (status == TRM_IO_ERROR) why = "it cannot be read";
        *found = status == TRM_OK;
    }
    if (!*found)
        trm_say(in->messages, TRM_WARNING, place, "", "the mesh \"%s\" is left out: %s%s", uri, why ? why : "",
                s.found || s.tried == 0 ? ""
                                        : "; it is looked for next to the model, above it, and where --path says");
    return true;
}

void trm_scale_mesh(trm_mesh *mesh, trm_vec3 scale)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        trm_vec3 *v = &mesh->vertices[i];
        *v = trm_v3(scale.x * v->x, scale.y * v->y, scale.z * v->z);
    }
    for (int i = 0; scale.x * scale.y * scale.z < 0 && i < mesh->triangle_count; i++) {
        int *corner = mesh->triangles[i];
        const int first = corner[0];
        corner[0] = corner[1];
        corner[1] = first;
    }
}
