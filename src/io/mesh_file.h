/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Mesh files of any format, which their name's ending tells. */

#ifndef TRM_IO_MESH_FILE_H
#define TRM_IO_MESH_FILE_H

#include "base/message.h"
#include "math/mesh.h"

/* Reads the bytes of a mesh file; file is its name, also for messages. On an error, which an unknown ending and a pointer of
 * Git LFS are too, the mesh is empty. */
trm_status trm_read_mesh(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                         trm_messages *messages);

#endif
