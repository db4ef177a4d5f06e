/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* COLLADA and glTF: solids of known volume through nodes, units and up axes; invalid files are refused. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "failing_allocator.h"
#include "io/files.h"
#include "io/mesh_file.h"
#include "trammel/trammel.h"

typedef struct reading {
    trm_arena arena;
    trm_messages *messages;
    trm_mesh mesh;
    trm_status status;
} reading;

static reading read_bytes(const char *bytes, size_t length, const char *name)
{
    reading r = {.messages = trm_messages_create(NULL)};
    trm_arena_init(&r.arena, NULL);
    r.status = trm_read_mesh(&r.arena, bytes, length, name, NULL, &r.mesh, r.messages);
    return r;
}

static void end(reading *r)
{
    trm_messages_destroy(r->messages);
    trm_arena_destroy(&r->arena);
}

static char *text_of(trm_arena *arena, const char *path, size_t *length)
{
    char *text = NULL;
    const bool good = trm_read_whole_file(arena, NULL, path, &text, length);
    assert_true(good);
    return good ? text : NULL;
}

#define CORPUS TRM_TESTS "/robustness/corpus/"

static trm_mesh_facts facts_of(const char *path)
{
    trm_mesh_facts facts;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_read_mesh_facts(path, NULL, messages, &facts), TRM_OK);
    trm_messages_destroy(messages);
    return facts;
}

/* A tetrahedron, stretched by 2 along x, raised by 2 along the y of glTF, which is up. */
static void gltf_is_placed_by_its_nodes_with_z_up(void **state)
{
    (void)state;
    const trm_mesh_facts f = facts_of(CORPUS "tetrahedron.gltf");
    assert_int_equal(f.triangles, 4);
    assert_int_equal(f.vertices, 4);
    assert_true(f.closed);
    assert_near(f.volume, 2.0 / 6, 1e-15);
    assert_near(f.min.z, 2, 0);
    assert_near(f.max.x, 2, 0);
    assert_near(f.min.y, -1, 0);
}

/* A cube in centimetres with y up, stretched by 100, 200, 300, rotated about z, raised by 2 m. */
static void collada_is_in_metres_with_z_up(void **state)
{
    (void)state;
    const trm_mesh_facts f = facts_of(CORPUS "cuboid.dae");
    assert_int_equal(f.triangles, 12);
    assert_int_equal(f.vertices, 8);
    assert_true(f.closed);
    assert_near(f.volume, 6, 1e-13);
    assert_near(f.area, 22, 1e-13);
    assert_near(f.min.x, -2, 1e-14);
    assert_near(f.max.z, 3, 1e-14);
    assert_near(f.min.z, 2, 1e-14);
    assert_near(f.min.y, -3, 1e-14);
}

/* The same document as the first part of a .glb, with its buffer as the second. */
static void binary_gltf_has_its_buffer_in_the_file(void **state)
{
    (void)state;
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5}]}"
        "],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48}],\"buffers\":[{\"byteLength\":48}]}  ";
    static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    char bytes[1000] = "glTF\2\0\0\0";
    const uint32_t json_length = sizeof json - 1, head[2] = {json_length, 0x4e4f534a}, tail[2] = {48, 0x004e4942};
    memcpy(bytes + 12, head, 8);
    memcpy(bytes + 20, json, json_length);
    memcpy(bytes + 20 + json_length, tail, 8);
    memcpy(bytes + 28 + json_length, corners, 48);
    const size_t length = 28 + json_length + 48;
    reading r = read_bytes(bytes, length, "strip.glb");
    assert_int_equal(r.status, TRM_OK);
    assert_int_equal(r.mesh.triangle_count, 2);
    assert_int_equal(r.mesh.vertex_count, 4);
    end(&r);
    for (size_t cut = 0; cut < length; cut += 3) {
        char *exact = test_malloc(cut + 1);
        memcpy(exact, bytes, cut);
        r = read_bytes(exact, cut, "strip.glb");
        assert_int_equal(r.status, TRM_BAD_INPUT);
        end(&r);
        test_free(exact);
    }
}

/* Each text with one change. */
static void invalid_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file, *from, *to, *said;
    } CASES[] = {
        {"tetrahedron.gltf", "\"count\":4", "\"count\":5", "beyond its buffer"},
        {"tetrahedron.gltf", "\"bufferView\":1", "\"bufferView\":7", "an accessor is invalid"},
        {"tetrahedron.gltf", "\"children\":[1]", "\"children\":[0]", "in a cycle"},
        {"tetrahedron.gltf", "base64,AAA", "base64,?AA", "not valid base64"},
        {"tetrahedron.gltf", "\"mode\"", "\"mode\"", NULL},
        {"cuboid.dae", "0 0 3 0 2 0 1 0 ", "0 0 9 0 2 0 1 0 ", "names a vertex that does not exist"},
        {"cuboid.dae", "1 0 1 1 1 1 0 1 1<", "1 0 1 1 1 1 0 1 x<", "it must be at most"},
        {"cuboid.dae", "0.01", "0.00", "the unit must be positive"},
        {"cuboid.dae", "url=\"#g\"", "url=\"#x\"", "it contains no triangles"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        trm_arena arena;
        char path[300];
        size_t length;
        trm_arena_init(&arena, NULL);
        snprintf(path, sizeof path, "%s%s", CORPUS, CASES[i].file);
        char *text = text_of(&arena, path, &length), *at = strstr(text, CASES[i].from);
        if (at) memcpy(at, CASES[i].to, strlen(CASES[i].to));
        reading r = read_bytes(text, length, path);
        assert_int_equal(r.status, CASES[i].said ? TRM_BAD_INPUT : TRM_OK);
        if (CASES[i].said && !strstr(trm_message_at(r.messages, 0)->text, CASES[i].said))
            print_error("%s is not \"%s\"\n", trm_message_at(r.messages, 0)->text, CASES[i].said);
        if (CASES[i].said) assert_non_null(strstr(trm_message_at(r.messages, 0)->text, CASES[i].said));
        end(&r);
        trm_arena_destroy(&arena);
    }
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    static const char *const FILES[] = {CORPUS "tetrahedron.gltf", CORPUS "cuboid.dae"};
    for (int i = 0; i < 2; i++)
        for (int refused = 0;; refused++) {
            failing_allocator memory;
            trm_mesh_facts facts;
            failing_allocator_reset(&memory, refused, true);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            trm_messages *messages = trm_messages_create(NULL);
            const trm_status status = trm_read_mesh_facts(FILES[i], &hooks, messages, &facts);
            trm_messages_destroy(messages);
            if (status == TRM_OK) break;
            assert_int_equal(status, TRM_OUT_OF_MEMORY);
            assert_true(refused < 1000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gltf_is_placed_by_its_nodes_with_z_up),  cmocka_unit_test(collada_is_in_metres_with_z_up),
        cmocka_unit_test(binary_gltf_has_its_buffer_in_the_file), cmocka_unit_test(invalid_files_are_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
