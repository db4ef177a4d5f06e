/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "io/mesh_file.h"

#include <string.h>
#include <strings.h>

/* The formats, one line each. A reader gets the file alone, or also the options for other files that it names. */
static const struct {
    const char *ending;
    trm_status (*read)(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                       trm_messages *messages);
    trm_status (*read_linked)(trm_arena *arena, const char *bytes, size_t length, const char *file,
                              const trm_read_options *options, trm_mesh *mesh, trm_messages *messages);
} FORMATS[] = {
    {".obj", trm_read_obj, NULL},   {".stl", trm_read_stl, NULL},  {".dae", trm_read_collada, NULL},
    {".gltf", NULL, trm_read_gltf}, {".glb", NULL, trm_read_gltf},
};

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcasecmp(text + length - size, ending) == 0;
}

/* Returns whether the bytes are a pointer of Git LFS to a file that has not been fetched. */
static bool is_pointer(const char *bytes, size_t length)
{
    static const char *const start = "version https://git-lfs";
    return length > strlen(start) && memcmp(bytes, start, strlen(start)) == 0;
}

trm_status trm_read_mesh(trm_arena *arena, const char *bytes, size_t length, const char *file,
                         const trm_read_options *options, trm_mesh *mesh, trm_messages *messages)
{
    const char *why =
        "this mesh format is not supported; supported are OBJ, STL, COLLADA and glTF, by the endings .obj, .stl, "
        ".dae, .gltf and .glb";
    *mesh = (trm_mesh){0};
    if (is_pointer(bytes, length)) {
        why = "the file is a pointer of Git LFS; fetch the mesh itself with \"git lfs pull\"";
    } else {
        for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
            if (ends_with(file, FORMATS[i].ending))
                return FORMATS[i].read ? FORMATS[i].read(arena, bytes, length, file, mesh, messages)
                                       : FORMATS[i].read_linked(arena, bytes, length, file, options, mesh, messages);
    }
    trm_add_error(messages, (trm_place){file, 0, 0}, "%s", why);
    return TRM_BAD_INPUT;
}
