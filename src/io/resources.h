/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Files that imported models name: where they are, and meshes in them. */

#ifndef TRM_IO_RESOURCES_H
#define TRM_IO_RESOURCES_H

#include "io/format.h"
#include "math/mesh.h"

/* Reads the mesh that a URI names: package://NAME/PATH and model://NAME/PATH are looked for in the folder of the document, in
 * all folders above it and in options->paths; file://PATH and absolute paths only below options->paths; other paths next to the
 * document. One that is not found, or not read, is reported as a warning, and *found is false. False: out of memory. */
bool trm_import_mesh(trm_import *import, const char *uri, trm_place place, trm_mesh *mesh, bool *found);

/* Stretches a mesh along its axes; a mirrored one is turned inside out again. */
void trm_scale_mesh(trm_mesh *mesh, trm_vec3 scale);

#endif
