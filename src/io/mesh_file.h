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

#endif
