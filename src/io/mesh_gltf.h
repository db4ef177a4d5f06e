/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading triangle meshes from glTF 2.0, text (.gltf) and binary (.glb). */

#ifndef TRM_IO_MESH_GLTF_H
#define TRM_IO_MESH_GLTF_H

#include "base/message.h"
#include "math/mesh.h"
#include "trammel/io.h"

/* Reads all triangles of the default scene and converts them to z up (glTF has y up). file: its path, for messages
 * and to find other files of buffers, which are read as the options say (NULL: from the disk). On an error, which is
 * reported, the mesh is empty. */
trm_status trm_read_gltf(trm_arena *arena, const char *bytes, size_t length, const char *file,
                         const trm_read_options *options, trm_mesh *mesh, trm_messages *messages);

#endif
