/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reading triangle meshes from COLLADA 1.4 and 1.5 (.dae). */

#ifndef TRM_IO_MESH_COLLADA_H
#define TRM_IO_MESH_COLLADA_H

#include "base/message.h"
#include "math/mesh.h"

/* Reads all polygons of the scene as triangles, converted to metres and z up. file: its name in messages. On an
 * error, which is reported, the mesh is empty. */
trm_status trm_read_collada(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                            trm_messages *messages);

#endif
