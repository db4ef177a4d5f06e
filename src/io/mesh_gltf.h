/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading triangle meshes from glTF 2.0, text (.gltf) and binary (.glb). */

#ifndef TRM_IO_MESH_GLTF_H
#define TRM_IO_MESH_GLTF_H

#include "base/message.h"
#include "math/mesh.h"
#include "trammel/io.h"

/* All triangles of the default scene, in the axes of models: z is up, where glTF has y. file is the name for messages, and where
 * buffers in other files are looked for, by the options (NULL: on the disk). On an error the mesh is empty. */
trm_status trm_read_gltf(trm_arena *arena, const char *bytes, size_t length, const char *file,
                         const trm_read_options *options, trm_mesh *mesh, trm_messages *messages);

#endif
