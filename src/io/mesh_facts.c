/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes volume, centroid, area and bounds of a mesh file.
 *
 * Triangles form tetrahedra with the origin: V = sum a . (b x c)/6, centroid = sum (a + b + c) a . (b x c)/24 / V. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/files.h"
#include "io/mesh_file.h"
#include "io/mesh_weld.h"
#include "trammel/io.h"

static void measure(const trm_mesh *mesh, trm_mesh_facts *facts)
{
    trm_vec3 moment = {0, 0, 0};
    facts->triangles = mesh->triangle_count;
    facts->vertices = mesh->vertex_count;
    facts->min = trm_v3(INFINITY, INFINITY, INFINITY);
    facts->max = trm_v3_neg(facts->min);
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        const trm_vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
        const double six = trm_v3_dot(a, trm_v3_cross(b, c));
        facts->volume += six / 6;
        moment = trm_v3_add_scaled(moment, six / 24, trm_v3_add(a, trm_v3_add(b, c)));
        facts->area += 0.5 * trm_v3_length(trm_v3_cross(trm_v3_sub(b, a), trm_v3_sub(c, a)));
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        const trm_vec3 v = mesh->vertices[i];
        facts->min = trm_v3(fmin(facts->min.x, v.x), fmin(facts->min.y, v.y), fmin(facts->min.z, v.z));
        facts->max = trm_v3(fmax(facts->max.x, v.x), fmax(facts->max.y, v.y), fmax(facts->max.z, v.z));
    }
    if (facts->volume != 0) facts->centroid = trm_v3_scale(1 / facts->volume, moment);
}

/* Merges vertices at the same place, for meshes of all formats. Returns false if out of memory. */
static bool weld(trm_arena *arena, const trm_mesh *mesh, trm_mesh *welded)
{
    trm_welding w;
    *welded = (trm_mesh){0};
    if (!trm_weld_begin(&w, arena, welded, mesh->triangle_count)) return false;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        trm_weld_triangle(&w, (const trm_vec3[3]){mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]]});
    }
    return true;
}

static trm_status read_facts(trm_arena *arena, const char *path, trm_messages *messages, trm_mesh_facts *facts)
{
    char *bytes;
    size_t length;
    trm_mesh mesh, welded;
    if (!trm_read_regular_file(arena, NULL, path, &bytes, &length)) {
        if (arena->failed) return TRM_OUT_OF_MEMORY;
        trm_add_error(messages, (trm_place){path, 0, 0}, "cannot read the mesh: %s", strerror(errno));
        return TRM_IO_ERROR;
    }
    const trm_status status = trm_read_mesh(arena, bytes, length, path, NULL, &mesh, messages);
    if (status != TRM_OK) return status;
    if (!weld(arena, &mesh, &welded)) return TRM_OUT_OF_MEMORY;
    measure(&welded, facts);
    facts->closed = trm_mesh_is_closed(&welded, arena);
    return arena->failed ? TRM_OUT_OF_MEMORY : TRM_OK;
}

trm_status trm_read_mesh_facts(const char *path, const trm_allocator *allocator, trm_messages *messages,
                               trm_mesh_facts *facts)
{
    trm_arena arena;
    trm_arena_init(&arena, allocator);
    *facts = (trm_mesh_facts){0};
    const trm_status status = read_facts(&arena, path, messages, facts);
    trm_arena_destroy(&arena);
    return status;
}
