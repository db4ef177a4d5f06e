/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Merges corners with equal coordinates by a hash table with open addressing. */

#include "io/mesh_weld.h"

#include <limits.h>
#include <string.h>

bool trm_weld_begin(trm_welding *w, trm_arena *arena, trm_mesh *mesh, int triangles)
{
    size_t slots = 16;
    while (slots < 6 * (size_t)triangles) slots *= 2;
    *w = (trm_welding){mesh, TRM_NEW_ARRAY(arena, int, slots), slots};
    mesh->vertices = TRM_NEW_ROOM(arena, trm_vec3, 3 * (size_t)triangles);
    mesh->triangles = trm_arena_room(arena, (size_t)triangles, sizeof *mesh->triangles);
    return w->slots && mesh->vertices && mesh->triangles;
}

/* Returns the vector with -0 replaced by 0, so that both count as equal. */
static trm_vec3 without_sign_of_zero(trm_vec3 v)
{
    return trm_v3(v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

/* Returns a hash of three numbers. All bits are mixed, because the low bits of floats converted to double are
 * zero. */
static size_t hash_of(trm_vec3 v)
{
    uint64_t bits[3];
    memcpy(bits, &v, sizeof bits);
    uint64_t h = bits[0] * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29) ^ bits[1]) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 32) ^ bits[2]) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(h ^ (h >> 31));
}

static int vertex_at(trm_welding *w, trm_vec3 corner)
{
    const trm_vec3 v = without_sign_of_zero(corner);
    size_t slot = hash_of(v) & (w->slot_count - 1);
    for (; w->slots[slot] > 0; slot = (slot + 1) & (w->slot_count - 1))
        if (memcmp(&w->mesh->vertices[w->slots[slot] - 1], &v, sizeof v) == 0) return w->slots[slot] - 1;
    w->mesh->vertices[w->mesh->vertex_count] = v;
    w->slots[slot] = ++w->mesh->vertex_count;
    return w->mesh->vertex_count - 1;
}

void trm_weld_triangle(trm_welding *w, const trm_vec3 corners[3])
{
    int at[3];
    for (int k = 0; k < 3; k++) at[k] = vertex_at(w, corners[k]);
    if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) return;
    memcpy(w->mesh->triangles[w->mesh->triangle_count++], at, sizeof at);
}

bool trm_soup_add(trm_soup *soup, trm_vec3 a, trm_vec3 b, trm_vec3 c)
{
    if (soup->count >= INT_MAX / 16) soup->arena->failed = true;
    return !soup->arena->failed && TRM_APPEND(soup->arena, soup->triangles, soup->count, (trm_triangle){{a, b, c}});
}

bool trm_soup_weld(const trm_soup *soup, trm_arena *arena, trm_mesh *mesh)
{
    trm_welding w;
    *mesh = (trm_mesh){0};
    if (!trm_weld_begin(&w, arena, mesh, soup->count)) return false;
    for (int i = 0; i < soup->count; i++) trm_weld_triangle(&w, soup->triangles[i].corners);
    return true;
}
