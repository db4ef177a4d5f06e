/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading triangle meshes from Wavefront OBJ. */

#ifndef TRM_IO_MESH_OBJ_H
#define TRM_IO_MESH_OBJ_H

#include "base/message.h"
#include "math/mesh.h"

/* Reads the text of an OBJ file; file: its name in messages. All errors are reported; after an error the mesh is
 * empty and the arena unchanged. It does not check whether the surface is closed (trm_mesh_is_closed). */
trm_status trm_read_obj(trm_arena *arena, const char *text, size_t length, const char *file, trm_mesh *mesh,
                        trm_messages *messages);

#endif
