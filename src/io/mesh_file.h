/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Mesh files of any format. The ending of the name gives the format. */

#ifndef TRM_IO_MESH_FILE_H
#define TRM_IO_MESH_FILE_H

#include "base/message.h"
#include "math/mesh.h"
#include "trammel/io.h"

/* Reads the bytes of a mesh file. file: its path, for messages and to find the files that it names, which are read as
 * the options say (NULL: from the disk). On an error, which is reported, the mesh is empty. An unknown ending and a
 * pointer of Git LFS are errors. */
trm_status trm_read_mesh(trm_arena *arena, const char *bytes, size_t length, const char *file,
                         const trm_read_options *options, trm_mesh *mesh, trm_messages *messages);

/* ---- The formats: Wavefront OBJ, STL, COLLADA 1.4 and 1.5, glTF 2.0 -------------------------- */

/* Reads the text of an OBJ file; file: its name in messages. All errors are reported; after an error the mesh is
 * empty and the arena unchanged. It does not check whether the surface is closed (trm_mesh_is_closed). */
trm_status trm_read_obj(trm_arena *arena, const char *text, size_t length, const char *file, trm_mesh *mesh,
                        trm_messages *messages);

/* Reads an STL file; file: its name in messages. Corners with the same coordinates become one vertex. On an error the
 * mesh is empty. It does not check whether the surface is closed (trm_mesh_is_closed). */
trm_status trm_read_stl(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                        trm_messages *messages);

/* Reads all polygons of the scene as triangles, converted to metres and z up. file: its name in messages. On an
 * error, which is reported, the mesh is empty. */
trm_status trm_read_collada(trm_arena *arena, const char *bytes, size_t length, const char *file, trm_mesh *mesh,
                            trm_messages *messages);

/* Reads all triangles of the default scene and converts them to z up (glTF has y up). file: its path, for messages
 * and to find other files of buffers, which are read as the options say (NULL: from the disk). On an error, which is
 * reported, the mesh is empty. */
trm_status trm_read_gltf(trm_arena *arena, const char *bytes, size_t length, const char *file,
                         const trm_read_options *options, trm_mesh *mesh, trm_messages *messages);

#endif
