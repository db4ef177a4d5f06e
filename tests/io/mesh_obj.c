/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* OBJ files, valid and invalid: what is read, and the messages about what cannot be read. */

#include "io/mesh_file.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"
#include "math/inertia.h"

typedef struct reading {
    trm_arena arena;
    trm_messages *messages;
    trm_mesh mesh;
} reading;

static int set_up(void **state)
{
    reading *r = test_malloc(sizeof *r);
    trm_arena_init(&r->arena, NULL);
    r->messages = trm_messages_create(NULL);
    *state = r;
    return r->messages ? 0 : -1;
}

static int tear_down(void **state)
{
    reading *r = *state;
    trm_messages_destroy(r->messages);
    trm_arena_destroy(&r->arena);
    test_free(r);
    return 0;
}

/* Reads a copy of exact length, so that the sanitizer detects reading beyond its end. */
static trm_status read_text(reading *r, const char *text)
{
    const size_t length = strlen(text);
    char *exact = test_malloc(length ? length : 1);
    memcpy(exact, text, length);
    trm_messages_clear(r->messages);
    const trm_status status = trm_read_obj(&r->arena, exact, length, "part.obj", &r->mesh, r->messages);
    test_free(exact);
    return status;
}

static void assert_read(reading *r, const char *text, int vertices, int triangles)
{
    assert_int_equal(read_text(r, text), TRM_OK);
    assert_int_equal(trm_message_count(r->messages), 0);
    assert_int_equal(r->mesh.vertex_count, vertices);
    assert_int_equal(r->mesh.triangle_count, triangles);
}

/* Asserts that this is the only message, and that no mesh results. */
static void assert_refused(reading *r, const char *text, const char *message)
{
    char said[300] = "";
    const size_t before = r->arena.bytes_used;
    assert_int_equal(read_text(r, text), TRM_BAD_INPUT);
    trm_format_message(trm_message_at(r->messages, 0), said, sizeof said);
    assert_string_equal(said, message);
    assert_int_equal(trm_message_count(r->messages), 1);
    assert_true(!r->mesh.vertices && !r->mesh.triangles && !r->mesh.vertex_count && !r->mesh.triangle_count);
    assert_int_equal(r->arena.bytes_used, before);
}

static void assert_triangle(const reading *r, int t, int a, int b, int c)
{
    assert_int_equal(r->mesh.triangles[t][0], a);
    assert_int_equal(r->mesh.triangles[t][1], b);
    assert_int_equal(r->mesh.triangles[t][2], c);
}

/* ---- Valid files -------------------------------------------------------------------------- */

static const char box[] = "# a box\n"
                          "mtllib box.mtl\n"
                          "o box\r\n"
                          "v -0.5 -1 -1.5\nv 0.5 -1 -1.5\nv 0.5 1 -1.5\nv -0.5 1 -1.5\n"
                          "v -0.5 -1 1.5\n\tv 0.5 -1 1.5 # a comment\nv 0.5 1 1.5 1.0\nv -0.5 1 1.5 0.2 0.3 0.4\n"
                          "vt 0 0\nvn 0 0 1\ng sides\nusemtl red\ns off\n"
                          "f 1 4 3 2\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\nf 2/1/1 3/1/1 7/1/1 6/1/1\r\n"
                          "f 3 4 8 7\nf -8 -4 -1 \\\n   -5";

static void a_box_of_quadrangles_is_a_closed_box(void **state)
{
    reading *r = *state;
    assert_read(r, box, 8, 12);
    assert_true(trm_mesh_is_closed(&r->mesh, &r->arena));
    const trm_mass found = trm_mass_polyhedron(2, r->mesh.vertices, (const int(*)[3])r->mesh.triangles, 12);
    const trm_mass expected = trm_mass_box(2, trm_v3(1, 2, 3));
    assert_near(found.mass, 12, 1e-12);
    for (int k = 0; k < 3; k++) assert_near(found.inertia.m[k][k], expected.inertia.m[k][k], 1e-12);
}

static void corners_are_read_in_every_form(void **state)
{
    reading *r = *state;
    assert_read(r, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/7 -2//9 +3/-1/-1\nv 0 0 1\nf -4 -3 -1\n", 4, 2);
    assert_triangle(r, 0, 0, 1, 2);
    assert_triangle(r, 1, 0, 1, 3);
}

static void polygons_become_fans_about_their_first_corner(void **state)
{
    reading *r = *state;
    assert_read(r, "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nf 2 3 4 5 1\n", 5, 3);
    assert_triangle(r, 0, 1, 2, 3);
    assert_triangle(r, 1, 1, 3, 4);
    assert_triangle(r, 2, 1, 4, 0);
}

static void a_face_may_come_before_its_vertices(void **state)
{
    reading *r = *state;
    assert_read(r, "f 3 1 2\nv 0 0 0\nv 1 0 0\nv 0 1 0", 3, 1);
    assert_triangle(r, 0, 2, 0, 1);
}

static void triangles_with_a_corner_twice_are_left_out(void **state)
{
    reading *r = *state;
    assert_read(r, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 1 2\nf 1 2 2 3\n", 3, 1);
    assert_triangle(r, 0, 0, 1, 2);
}

static void numbers_are_read_in_every_form(void **state)
{
    const struct {
        const char *text;
        double value;
    } forms[] = {{"1", 1},
                 {"+1", 1},
                 {"-1.5", -1.5},
                 {".5", 0.5},
                 {"-.5", -0.5},
                 {"1.", 1},
                 {"+.25", 0.25},
                 {"1.e2", 100},
                 {".5E-1", 0.05},
                 {"007.5", 7.5},
                 {"-00", 0},
                 {"0.1", 0.1},
                 {"1e+05", 1e5},
                 {"123456789", 123456789.0},
                 {"000.0001", 1e-4},
                 {"4.9e-324", 4.9e-324},
                 {"0.1000000000000000055511151231257827", 0.1}};
    reading *r = *state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[200];
        snprintf(text, sizeof text, "v 0 %s 0\nf 1 2 3\nv 0 0 0\nv 1 0 0", forms[i].text);
        assert_read(r, text, 3, 1);
        assert_true(r->mesh.vertices[0].y == forms[i].value);
    }
}

static void a_byte_order_mark_and_odd_line_ends_are_passed_over(void **state)
{
    assert_read(*state, "\xEF\xBB\xBFv 0 0 0\r\nv 1 0\\\r\n 0\r\n\r\n\n   \nv 0 1 0\r\nf 1 2\\\n3\r\n#end", 3, 1);
}

static void other_keywords_are_passed_over_with_their_continuation(void **state)
{
    assert_read(*state, "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 \\\nf 9 9 9\nfo 1 2 3\nvp 1 x\nf 1 2 3\n", 3, 1);
}

/* ---- Invalid files ------------------------------------------------------------------------ */

static void words_that_are_no_numbers_are_named_with_their_place(void **state)
{
    const char *const words[] = {"x",     "1x",  "1,5", "--1",   "+-1",   ".",   "+",   "-",    "1e",   "1e+",
                                 "1.2.3", "nan", "inf", "0x1p3", "1e999", "1_0", ".e5", "1 .e", "\xff", "1/2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[200], message[200];
        const char *last = strrchr(words[i], ' ') ? strrchr(words[i], ' ') + 1 : words[i];
        const int column = 3 + (int)(last - words[i]);
        snprintf(text, sizeof text, "v 0 0 0\nv %s 0 0\nv 0 0 1\nf 1 2 3\n", words[i]);
        snprintf(message, sizeof message, "part.obj:2:%d: error: '%s' is not a (finite) number", column, last);
        assert_refused(*state, text, message);
    }
}

static void a_number_without_end_is_refused(void **state)
{
    char text[2000] = "v 0 0 0.";
    memset(text + strlen(text), '1', 1000);
    reading *r = *state;
    assert_int_equal(read_text(r, text), TRM_BAD_INPUT);
    char said[300];
    trm_format_message(trm_message_at(r->messages, 0), said, sizeof said);
    assert_string_equal(said,
                        "part.obj:1:7: error: '0.11111111111111111111111111111111111111' is not a (finite) number");
}

static void vertices_need_three_numbers(void **state)
{
    assert_refused(*state, "v 0 0 0\n  v 1 2 # 3\nf 1 2 2\n",
                   "part.obj:2:3: error: a vertex needs x, y and z; this one ends after 2");
    assert_refused(*state, "v", "part.obj:1:1: error: a vertex needs x, y and z; this one ends after 0");
}

static void faces_need_three_corners(void **state)
{
    assert_refused(*state, "v 0 0 0\nv 0 1 0\n f 1 2\n",
                   "part.obj:3:2: error: a face needs at least 3 corners; this one has 2");
    assert_refused(*state, "f", "part.obj:1:1: error: a face needs at least 3 corners; this one has 0");
}

static void corners_need_a_vertex(void **state)
{
    const struct {
        const char *corner, *message;
    } cases[] = {
        {"0", "there is no vertex 0; vertices are counted from 1"},
        {"4", "there is no vertex 4; the file has 3"},
        {"99999999999999999999/1", "there is no vertex 99999999999999999999/1; the file has 3"},
        {"-4", "there is no vertex -4; 3 are given before this line"},
        {"-99999999999999999999", "there is no vertex -99999999999999999999; 3 are given before this line"},
        {"x", "'x' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
        {"1.5", "'1.5' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
        {"1/", "'1/' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
        {"1//", "'1//' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
        {"1/2/", "'1/2/' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
        {"1/2/3/4", "'1/2/3/4' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
        {"/1/2", "'/1/2' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
        {"1/a", "'1/a' is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200], message[200];
        snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n %s\n", cases[i].corner);
        snprintf(message, sizeof message, "part.obj:5:2: error: %s", cases[i].message);
        assert_refused(*state, text, message);
    }
}

static void a_file_without_faces_is_refused(void **state)
{
    const char *const nothing = "part.obj: error: the mesh has no faces; expected lines such as 'f 1 2 3'";
    assert_refused(*state, "", nothing);
    assert_refused(*state, "\n\n# nothing", nothing);
    assert_refused(*state, "v 0 0 0\nv 1 0 0\nv 0 1 0\n", nothing);
}

static void all_errors_of_a_file_are_gathered(void **state)
{
    reading *r = *state;
    assert_int_equal(read_text(r, "v 0 a b\nv 1\nf 1 2 3 x\nf 1\n"), TRM_BAD_INPUT);
    const int lines[] = {1, 1, 2, 3, 3, 4};
    assert_int_equal(trm_message_count(r->messages), 6);
    for (int i = 0; i < 6; i++) assert_int_equal(trm_message_at(r->messages, i)->place.line, lines[i]);
}

static void earlier_errors_do_not_affect_a_valid_file(void **state)
{
    reading *r = *state;
    trm_add_message(r->messages, TRM_ERROR, (trm_place){"other", 1, 1}, "", "something else");
    assert_int_equal(trm_read_obj(&r->arena, box, strlen(box), "part.obj", &r->mesh, r->messages), TRM_OK);
    assert_int_equal(r->mesh.triangle_count, 12);
}

/* Bytes of a valid file are replaced, removed and repeated: no crash, and an accepted file has valid indices. */
static void damaged_files_do_no_harm(void **state)
{
    reading *r = *state;
    trm_random random = trm_random_seed(51);
    const char bytes[] = "vf/\\-+.0123456789e \n\r\t#x";
    const trm_arena_mark mark = trm_arena_get_mark(&r->arena);
    for (int n = 0; n < 5000; n++) {
        char text[sizeof box];
        memcpy(text, box, sizeof box);
        for (int i = 0; i < 1 + n % 20; i++)
            text[trm_random_bits(&random) % (sizeof box - 1)] = bytes[trm_random_bits(&random) % (sizeof bytes - 1)];
        if (n % 3 == 0) text[trm_random_bits(&random) % sizeof box] = '\0';
        if (read_text(r, text) == TRM_OK)
            for (int t = 0; t < r->mesh.triangle_count; t++)
                for (int k = 0; k < 3; k++) assert_in_range(r->mesh.triangles[t][k], 0, r->mesh.vertex_count - 1);
        trm_arena_reset(&r->arena, mark);
    }
}

static void out_of_memory_is_reported_without_leaks(void **state)
{
    (void)state;
    const char *const texts[] = {box, "v 0 a\nf 1 2 3\n"};
    for (int bad = 0; bad < 2; bad++) {
        trm_status status = TRM_OUT_OF_MEMORY;
        for (long k = 1; status == TRM_OUT_OF_MEMORY; k++) {
            failing_allocator memory;
            failing_allocator_reset(&memory, k, false);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            trm_arena arena;
            trm_arena_init(&arena, &hooks);
            trm_messages *messages = trm_messages_create(&hooks);
            trm_mesh mesh = {0};
            if (messages) status = trm_read_obj(&arena, texts[bad], strlen(texts[bad]), "part.obj", &mesh, messages);
            assert_int_equal(status, memory.refusals ? TRM_OUT_OF_MEMORY : bad ? TRM_BAD_INPUT : TRM_OK);
            assert_true(status == TRM_OK || (!mesh.vertices && !mesh.triangles));
            trm_messages_destroy(messages);
            trm_arena_destroy(&arena);
            assert_true(failing_allocator_is_clean(&memory));
        }
    }
}

#define WITH_READING(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_READING(a_box_of_quadrangles_is_a_closed_box),
        WITH_READING(corners_are_read_in_every_form),
        WITH_READING(polygons_become_fans_about_their_first_corner),
        WITH_READING(a_face_may_come_before_its_vertices),
        WITH_READING(triangles_with_a_corner_twice_are_left_out),
        WITH_READING(numbers_are_read_in_every_form),
        WITH_READING(a_byte_order_mark_and_odd_line_ends_are_passed_over),
        WITH_READING(other_keywords_are_passed_over_with_their_continuation),
        WITH_READING(words_that_are_no_numbers_are_named_with_their_place),
        WITH_READING(a_number_without_end_is_refused),
        WITH_READING(vertices_need_three_numbers),
        WITH_READING(faces_need_three_corners),
        WITH_READING(corners_need_a_vertex),
        WITH_READING(a_file_without_faces_is_refused),
        WITH_READING(all_errors_of_a_file_are_gathered),
        WITH_READING(earlier_errors_do_not_affect_a_valid_file),
        WITH_READING(damaged_files_do_no_harm),
        cmocka_unit_test(out_of_memory_is_reported_without_leaks),
    };
    return RUN_TESTS(tests);
}
