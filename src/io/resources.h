/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Files that imported models name: finds them and reads meshes in them. */

#ifndef TRM_IO_RESOURCES_H
#define TRM_IO_RESOURCES_H

#include "io/format.h"
#include "math/mesh.h"

/* Reads the mesh that a URI names: package://NAME/PATH and model://NAME/PATH are searched in the folder of the
 * document, in all folders above it and in options->paths; file://PATH and absolute paths only below options->paths;
 * other paths next to the document. Meshes that cannot be found or read are counted for trm_import_report_meshes.
 * *path: path of the file, in the memory of the definition; NULL: it could not be read. Returns false if out of
 * memory. */
bool trm_import_mesh(trm_import *import, const char *uri, trm_place place, trm_mesh *mesh, const char **path);

/* Returns the folder of a file, "." if the path has none; NULL if out of memory. */
const char *trm_folder_of(trm_arena *arena, const char *path);

/* Reads the text of another document that a URI names, by the same rules. *path: path of the file; NULL: it could not
 * be read, and *why says why. Returns false if out of memory. */
bool trm_import_text(trm_import *import, const char *uri, char **text, size_t *length, const char **path,
                     const char **why);

/* Adds a warning for each reason for which meshes are omitted, with their number and the name of the first. */
void trm_import_report_meshes(trm_import *import);

#endif
