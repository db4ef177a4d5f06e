/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "check.h"
#include "failing_allocator.h"
#include "shape_pairs.h"

/* For lengths of about 1. */
static const double rounding = 1e-14;

/* Merged faces may deviate from their planes by this, relative to the size. */
static const double flatness = 2e-6;

/* ---- Polytopes ---------------------------------------------------------------------------- */

/* Asserts V - E + F = 2, that sides form loops around the faces, that edges are consistent with the normals of their
 * two faces, and that no vertex is outside of a face. */
static void check_polytope(const trm_solid *solid)
{
    assert_int_equal(solid->vertex_count - solid->edge_count + solid->face_count, 2);
    int corners = 0;
    for (int f = 0; f < solid->face_count; f++) {
        const trm_solid_face *face = &solid->faces[f];
        assert_true(face->count >= 3 && face->first == corners);
        corners += face->count;
        for (int k = 0; k < face->count; k++) {
            const int from = solid->corners[face->first + k],
                      to = solid->corners[face->first + (k + 1) % face->count];
            const trm_solid_edge *edge = &solid->edges[solid->sides[face->first + k]];
            assert_true((edge->vertex[0] == from && edge->vertex[1] == to) ||
                        (edge->vertex[0] == to && edge->vertex[1] == from));
            assert_true(edge->face[0] == f || edge->face[1] == f);
        }
        assert_near(trm_v3_length(face->normal), 1, rounding);
        for (int i = 0; i < solid->vertex_count; i++)
            assert_true(trm_v3_dot(face->normal, trm_v3_sub(solid->vertices[i], face->point)) <
                        flatness * solid->size);
    }
    assert_int_equal(corners, 2 * solid->edge_count);
    for (int e = 0; e < solid->edge_count; e++) {
        const trm_solid_edge *edge = &solid->edges[e];
        const trm_vec3 along = trm_v3_sub(solid->vertices[edge->vertex[1]], solid->vertices[edge->vertex[0]]);
        const trm_vec3 c = trm_v3_cross(solid->faces[edge->face[0]].normal, solid->faces[edge->face[1]].normal);
        assert_true(trm_v3_dot(c, along) > 0);
    }
}

static void boxes_and_hulls_are_closed_polytopes(void **state)
{
    trm_arena *arena = *state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        trm_random random = trm_random_seed(seed);
        const trm_shape box = random_shape(&random, arena, "box"), hull = random_shape(&random, arena, "hull");
        trm_solid solid;
        assert_true(trm_solid_make(&box, true, arena, &solid));
        assert_int_equal(solid.face_count, 6);
        check_polytope(&solid);
        assert_true(trm_solid_make(&hull, true, arena, &solid));
        check_polytope(&solid);
    }
}

/* Corners of a box and of a prism, some of them rounded to seven digits. */
static void triangles_of_one_plane_are_one_face(void **state)
{
    trm_arena *arena = *state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        trm_random random = trm_random_seed(seed);
        const int sides = 3 + (int)(seed % 20);
        trm_vec3 points[60];
        for (int i = 0; i < 2 * sides; i++) {
            const double turn = 2 * TRM_PI * (i / 2) / sides;
            points[i] = trm_v3_add_scaled(trm_v3(cos(turn), sin(turn), i % 2), seed % 2 ? 5e-8 : 0,
                                          random_direction(&random));
        }
        trm_shape shape = hull_shape(arena, points, 2 * sides);
        shape.pose = random_pose(&random);
        trm_solid solid;
        assert_true(trm_solid_make(&shape, true, arena, &solid));
        assert_int_equal(solid.face_count, sides + 2);
        assert_int_equal(solid.edge_count, 3 * sides);
        check_polytope(&solid);
    }
}

static void a_mesh_of_a_free_body_is_its_hull(void **state)
{
    trm_arena *arena = *state;
    trm_random random = trm_random_seed(1);
    trm_shape shape = random_shape(&random, arena, "hull");
    trm_solid hull, of_free, of_fixed;
    assert_true(trm_solid_make(&shape, true, arena, &hull));
    shape.type = trm_find_shape_type("mesh");
    assert_true(trm_solid_make(&shape, true, arena, &of_free) && trm_solid_make(&shape, false, arena, &of_fixed));
    assert_int_equal(of_free.kind, TRM_SOLID_HULL);
    assert_int_equal(of_free.vertex_count, hull.vertex_count);
    assert_int_equal(of_free.face_count, hull.face_count);
    assert_int_equal(of_fixed.kind, TRM_SOLID_MESH);
    assert_int_equal(of_fixed.triangle_count, shape.mesh.triangle_count);
}

/* ---- Meshes ------------------------------------------------------------------------------- */

static bool is_in_box(trm_vec3 v, const trm_bounds *box)
{
    return v.x >= box->lo.x && v.x <= box->hi.x && v.y >= box->lo.y && v.y <= box->hi.y && v.z >= box->lo.z &&
           v.z <= box->hi.z;
}

/* Asserts that every triangle is in one leaf, and within all its ancestors. */
static void the_tree_of_a_mesh_bounds_its_triangles(void **state)
{
    trm_arena *arena = *state;
    trm_random random = trm_random_seed(2);
    trm_vec3 points[500];
    for (int i = 0; i < 500; i++) points[i] = random_direction(&random);
    trm_shape shape = hull_shape(arena, points, 500);
    shape.type = trm_find_shape_type("mesh");
    trm_solid solid;
    assert_true(trm_solid_make(&shape, false, arena, &solid));
    int *seen = TRM_NEW_ARRAY(arena, int, solid.triangle_count);
    for (int i = 0; i < solid.node_count; i++)
        for (int j = i; j < solid.nodes[i].next; j++)
            for (int k = 0; k < solid.nodes[j].count; k++) {
                const int t = solid.order[solid.nodes[j].first + k];
                seen[t] += i == j;
                for (int c = 0; c < 3; c++)
                    assert_true(is_in_box(solid.vertices[solid.triangles[t][c]], &solid.nodes[i].box));
            }
    for (int t = 0; t < solid.triangle_count; t++) assert_int_equal(seen[t], 1);
}

/* A cube of six squares that share no vertices: positions, not indices, determine neighbours. */
static void triangles_that_meet_in_a_place_are_neighbours(void **state)
{
    trm_arena *arena = *state;
    trm_vec3 points[8];
    for (int i = 0; i < 8; i++) points[i] = trm_v3(i & 1, i >> 1 & 1, i >> 2);
    trm_shape shape = hull_shape(arena, points, 8);
    trm_mesh apart = {.triangle_count = shape.mesh.triangle_count, .vertex_count = 3 * shape.mesh.triangle_count};
    apart.vertices = TRM_NEW_ARRAY(arena, trm_vec3, apart.vertex_count);
    apart.triangles = trm_arena_array(arena, (size_t)apart.triangle_count, sizeof *apart.triangles);
    for (int t = 0; t < apart.triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            apart.vertices[3 * t + k] = shape.mesh.vertices[shape.mesh.triangles[t][k]];
            apart.triangles[t][k] = 3 * t + k;
        }
    shape.mesh = apart;
    shape.type = trm_find_shape_type("mesh");
    trm_solid solid;
    assert_true(trm_solid_make(&shape, false, arena, &solid));
    int in_patch = 0;
    for (int t = 0; t < solid.triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            const int other = solid.across[t][k];
            assert_true(other >= 0 && other != t);
            in_patch += solid.patches[other] == solid.patches[t];
        }
    }
    assert_int_equal(in_patch, 12); /* each of two triangles of a square has the other */
}

/* ---- Memory ------------------------------------------------------------------------------- */

static bool make_and_touch(const trm_allocator *hooks, const trm_shape *shape)
{
    shape_pair pair = {.shape = {*shape, box_shape(1, 1, 1)}};
    trm_arena_init(&pair.arena, hooks);
    const trm_pose poses[2] = {trm_pose_identity(), {{1, 0, 0, 0}, {0.1, 0.2, 0.9}}};
    const bool done = make_pair(&pair, false, true) &&
                      trm_find_contacts(&pair.collider, &the_pair_turned, poses, 0.5, &pair.contacts);
    if (done) assert_true(pair.contacts.count > 0);
    trm_arena_destroy(&pair.arena);
    return done;
}

static void out_of_memory_is_reported_without_leaks(void **state)
{
    trm_arena *arena = *state;
    trm_random random = trm_random_seed(3);
    const char *const types[] = {"sphere", "capsule", "box", "hull", "cylinder", "plane", "mesh"};
    for (int i = 0; i < 7; i++) {
        trm_shape shape = random_shape(&random, arena, i == 6 ? "hull" : types[i]);
        shape.type = trm_find_shape_type(types[i]);
        shape.normal = trm_v3(0, 0, 1);
        bool done = false;
        for (long k = 1; !done; k++) {
            failing_allocator memory;
            failing_allocator_reset(&memory, k, true);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            done = make_and_touch(&hooks, &shape);
            assert_true(done == (memory.refusals == 0));
            assert_true(failing_allocator_is_clean(&memory));
        }
    }
}

static int set_up(void **state)
{
    static trm_arena arena;
    trm_arena_init(&arena, NULL);
    *state = &arena;
    return 0;
}

static int tear_down(void **state)
{
    trm_arena_destroy(*state);
    return 0;
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARENA(boxes_and_hulls_are_closed_polytopes),
        WITH_ARENA(triangles_of_one_plane_are_one_face),
        WITH_ARENA(a_mesh_of_a_free_body_is_its_hull),
        WITH_ARENA(the_tree_of_a_mesh_bounds_its_triangles),
        WITH_ARENA(triangles_that_meet_in_a_place_are_neighbours),
        WITH_ARENA(out_of_memory_is_reported_without_leaks),
    };
    return RUN_TESTS(tests);
}
