/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Distances and contacts of pairs of shapes. Pair functions require the solid of the lower kind first. A pair in the
 * other order is swapped, and its contacts are swapped back. */

#include "collide/collider.h"
#include "collide/pairs.h"

/* ---- Contacts ----------------------------------------------------------------------------- */

static bool room_for(trm_contacts *contacts, int more, trm_arena *arena)
{
    if (contacts->count + more <= contacts->room) return true;
    const int count = contacts->count + more, room = count + count / 2 + 16;
    trm_contact *items = trm_arena_move(arena, contacts->items, (size_t)contacts->count, (size_t)room, sizeof *items);
    if (!items) return false;
    contacts->items = items;
    contacts->room = room;
    return true;
}

/* Returns a hash extended by a number, by the finaliser of splitmix64, which maps neighbouring numbers far apart. */
static uint64_t mixed(uint64_t hash, uint64_t more)
{
    uint64_t z = (hash ^ more) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t two_numbers(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static uint64_t id_of(const trm_near_pair *pair, uint32_t code_a, uint32_t code_b)
{
    uint64_t id = mixed(0, two_numbers((uint32_t)pair->body[0], (uint32_t)pair->body[1]));
    id = mixed(id, two_numbers((uint32_t)pair->shape[0], (uint32_t)pair->shape[1]));
    return mixed(id, two_numbers(code_a, code_b));
}

/* Returns the contact of a manifold point. turned: a of the pair function is b of the contact. */
static trm_contact contact_of(const trm_pair *pair, const trm_near_pair *near, bool turned,
                              const trm_manifold_point *point_at)
{
    const int a = turned ? 1 : 0, b = 1 - a;
    return (trm_contact){
        .body = {near->body[0], near->body[1]},
        .shape = {near->shape[0], near->shape[1]},
        .feature = {point_at->feature[a], point_at->feature[b]},
        .outward = turned ? trm_v3_neg(trm_mat_t_vec(pair->R, point_at->normal)) : point_at->normal,
        .id = id_of(near, point_at->code[a], point_at->code[b]),
    };
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Returns the function for two kinds, kind_a <= kind_b. Returns NULL if these kinds never collide (two planes, two
 * meshes). */
static trm_pair_function function_of(trm_solid_kind kind_a, trm_solid_kind kind_b)
{
    static const trm_pair_function functions[TRM_SOLID_KINDS][TRM_SOLID_KINDS] = {
        [TRM_SOLID_SPHERE] = {trm_sphere_sphere, trm_sphere_capsule, trm_sphere_box, trm_polytope_polytope,
                              trm_cylinder_any, trm_ellipsoid_any, trm_vertices_plane, trm_convex_mesh},
        [TRM_SOLID_CAPSULE] = {NULL, trm_capsule_capsule, trm_polytope_polytope, trm_polytope_polytope,
                               trm_cylinder_any, trm_ellipsoid_any, trm_vertices_plane, trm_convex_mesh},
        [TRM_SOLID_BOX] = {NULL, NULL, trm_box_box, trm_polytope_polytope, trm_cylinder_any, trm_ellipsoid_any,
                           trm_vertices_plane, trm_convex_mesh},
        [TRM_SOLID_HULL] = {NULL, NULL, NULL, trm_polytope_polytope, trm_cylinder_any, trm_ellipsoid_any,
                            trm_vertices_plane, trm_convex_mesh},
        [TRM_SOLID_CYLINDER] = {NULL, NULL, NULL, NULL, trm_cylinder_any, trm_ellipsoid_any, trm_cylinder_plane,
                                trm_convex_mesh},
        [TRM_SOLID_ELLIPSOID] = {NULL, NULL, NULL, NULL, NULL, trm_ellipsoid_any, trm_ellipsoid_plane,
                                 trm_convex_mesh},
    };
    return functions[kind_a][kind_b];
}

static trm_pair pair_at(const trm_solid *a, const trm_solid *b, trm_pose of_a, trm_pose of_b)
{
    return (trm_pair){
        .a = a,
        .b = b,
        .R = trm_quat_matrix(trm_quat_mul(trm_quat_conj(of_b.q), of_a.q)),
        .t = trm_rotate_back(of_b.q, trm_v3_sub(of_a.p, of_b.p)),
    };
}

/* Prepares the pair in the order that its function requires. Returns the function, or NULL if these kinds never
 * collide. */
static trm_pair_function set_up(const trm_collider *collider, const trm_near_pair *near, trm_pose of_a, trm_pose of_b,
                                trm_pair *pair, bool *turned)
{
    const trm_solid *a = &collider->solids[near->body[0]][near->shape[0]];
    const trm_solid *b = &collider->solids[near->body[1]][near->shape[1]];
    *turned = a->kind > b->kind;
    *pair = *turned ? pair_at(b, a, of_b, of_a) : pair_at(a, b, of_a, of_b);
    return function_of(pair->a->kind, pair->b->kind);
}

double trm_shape_distance(trm_collider *collider, const trm_near_pair *near, trm_pose a, trm_pose b)
{
    trm_pair pair;
    bool turned;
    const trm_pair_function distance = set_up(collider, near, a, b, &pair, &turned);
    pair.margin = INFINITY;
    return distance ? distance(&pair) : INFINITY;
}

double trm_shape_flush(const trm_collider *collider, const trm_near_pair *near)
{
    double size = 0;
    for (int k = 0; k < 2; k++) size += collider->solids[near->body[k]][near->shape[k]].size;
    return TRM_FLUSH * size;
}

bool trm_find_contacts(trm_collider *collider, const trm_near_pair *near, const trm_pose *poses, double margin,
                       trm_contacts *contacts)
{
    trm_pair pair;
    bool turned;
    const trm_pair_function find = set_up(collider, near, poses[near->body[0]], poses[near->body[1]], &pair, &turned);
    if (!find) return true;

    trm_manifold manifold;
    manifold.count = 0;
    pair.margin = margin;
    pair.manifold = &manifold;
    find(&pair);
    collider->crowded = (contacts->count + manifold.count) / 2 > trm_most_near_pairs(collider);
    if (collider->crowded || !room_for(contacts, manifold.count, collider->arena)) return false;
    for (int i = 0; i < manifold.count; i++)
        contacts->items[contacts->count++] = contact_of(&pair, near, turned, &manifold.items[i]);
    return true;
}
