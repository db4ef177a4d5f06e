/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Files that imported models name: where they are, and meshes in them. */

#ifndef TRM_IO_RESOURCES_H
#define TRM_IO_RESOURCES_H

#include "io/format.h"
#include "math/mesh.h"

/* Reads the mesh that a URI names: package://NAME/PATH and model://NAME/PATH are looked for in the folder of the
 * document, in all folders above it and in options->paths; file://PATH and absolute paths only below
 * options->paths; other paths next to the document. One that is not found, or not read, is counted and the first
 * is named by trm_import_report_meshes. *path: where it was, in the memory of the definition; NULL: it could not
 * be had. Returns false if out of memory. */
bool trm_import_mesh(trm_import *import, const char *uri, trm_place place, trm_mesh *mesh, const char **path);

/* Returns the folder of a file, "." if the path has none; NULL if out of memory. */
const char *trm_folder_of(trm_arena *arena, const char *path);

/* Reads the text of another document that a URI names, by the same rules. *path: where it was; NULL: it could not
 * be had, and *why says why. Returns false if out of memory. */
bool trm_import_text(trm_import *import, const char *uri, char **text, size_t *length, const char **path,
                     const char **why);

/* One warning for each reason why meshes are left out, with their number and the first of them. */
void trm_import_report_meshes(trm_import *import);

#endif
