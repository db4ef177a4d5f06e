/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading triangle meshes from STL, binary and text. */

#ifndef TRM_IO_MESH_STL_H
#define TRM_IO_MESH_STL_H

#include "base/message.h"
#include "math/mesh.h"

/* Reads an STL file; file: its name in messages. Corners with the same coordinates become one vertex. On an error the
 * mesh is empty. It does not check whether the surface is closed (trm_mesh_is_closed). */
trm_status trm_read_stl(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                        trm_messages *messages);

#endif
