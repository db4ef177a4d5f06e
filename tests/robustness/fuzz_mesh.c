/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any bytes as a mesh file are either refused with a message, or triangles whose corners exist. It is
 * compiled once per format of meshes, which the ending of FUZZ_FILE selects. */

#include <stdlib.h>

#include "io/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trm_arena arena;
    trm_mesh mesh;
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status = trm_read_mesh(&arena, (const char *)data, size, FUZZ_FILE, NULL, &mesh, messages);
    if (status == TRM_BAD_INPUT && trm_error_count(messages) == 0) abort();
    for (int i = 0; status == TRM_OK && i < mesh.triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (mesh.triangles[i][k] < 0 || mesh.triangles[i][k] >= mesh.vertex_count) abort();
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
    return 0;
}
