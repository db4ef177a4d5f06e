/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Meshes in model files: from files next to the model and in the model itself. */

#include <stdlib.h>
#include <unistd.h>

#include "reading.h"

/* ---- Meshes ------------------------------------------------------------------------------- */

static const char TETRAHEDRON[] = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static void write_text_file(const char *folder, const char *name, const char *text)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Reads the model in the folder's m.json whose body has one mesh of that file. */
static trm_status read_mesh_model(const char *folder, const char *file, trm_messages *messages, trm_model_def **def)
{
    char text[1000], path[1000];
    snprintf(text, sizeof text,
             "{\"trammel\": 1, \"bodies\": [{\"name\": \"part\", \"shapes\": [\n{\"type\": \"mesh\", \"density\": 6, "
             "\"scale\": 0.5, \"file\": \"%s\"}]}]}",
             file);
    write_text_file(folder, "m.json", text);
    snprintf(path, sizeof path, "%s/m.json", folder);
    const trm_status status = trm_read_model_file(path, NULL, NULL, messages, def);
    remove(path);
    return status;
}

/* By a name relative to the model and by an absolute path: half of a tetrahedron of edge 2, 1/6 m^3 of 6 kg/m^3. */
static void a_mesh_is_read_from_a_file_next_to_the_model(void **state)
{
    (void)state;
    char folder[] = "/tmp/trammel-mesh-XXXXXX", full[100];
    assert_non_null(mkdtemp(folder));
    write_text_file(folder, "part.obj", TETRAHEDRON);
    snprintf(full, sizeof full, "%s/part.obj", folder);
    for (int i = 0; i < 2; i++) {
        trm_messages *messages = trm_messages_create(NULL);
        trm_model_def *def;
        const trm_status status = read_mesh_model(folder, i == 0 ? "part.obj" : full, messages, &def);
        print_messages(messages);
        assert_int_equal(status, TRM_OK);
        assert_int_equal(def->bodies[0].shapes[0].point_count, 4);
        assert_int_equal(def->bodies[0].shapes[0].triangle_count, 4);
        char *written = text_of(def); /* it names the file instead of containing the mesh */
        assert_true(strstr(written, "\"file\"") && !strstr(written, "\"points\""));
        free(written);
        trm_model *model = build_model(def);
        assert_near(trm_body_info_of(model, 1).mass, 1, 1e-15);
        assert_near(trm_body_info_of(model, 1).principal.p.x, 0.25, 1e-15);
        trm_model_destroy(model);
        trm_model_def_destroy(def);
        trm_messages_destroy(messages);
    }
    remove(full);
    rmdir(folder);
}

/* A mirrored tetrahedron of legs 2, 3 and 0.5 m: 0.5 m^3, its centre at a quarter of each leg, with faces oriented
 * outwards. */
static void a_mesh_in_the_model_is_mirrored_by_its_scale(void **state)
{
    (void)state;
    trm_model_def *def = read_model(
        "{\"trammel\": 1, \"bodies\": [{\"name\": \"part\", \"shapes\": [{\"type\": \"mesh\", \"density\": 6, "
        "\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], \"scale\": [2, -3, 0.5], "
        "\"triangles\": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}]}]}");
    char *written = text_of(def);
    trm_model_def *again = read_model(written);
    for (int i = 0; i < 2; i++) {
        trm_model *model = build_model(i == 0 ? def : again);
        const trm_body_info info = trm_body_info_of(model, 1);
        assert_near(info.mass, 3, 1e-15);
        assert_near(info.principal.p.x, 0.5, 1e-15);
        assert_near(info.principal.p.y, -0.75, 1e-15);
        assert_near(info.principal.p.z, 0.125, 1e-15);
        trm_model_destroy(model);
    }
    free(written);
    trm_model_def_destroy(def);
    trm_model_def_destroy(again);
}

/* A cube with a notch: its hull fills the notch, and contacts use the hull. */
static void a_free_mesh_with_hollows_is_warned_of(void **state)
{
    (void)state;
    trm_model_def *def = read_model(
        "{\"trammel\": 1, \"bodies\": [{\"name\": \"part\", \"shapes\": [{\"type\": \"mesh\", \"density\": 6, "
        "\"points\": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1], [0.5, 0.5, 0.25]], "
        "\"triangles\": [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, "
        "5]]}]}]}");
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model;
    assert_int_equal(trm_model_create(def, NULL, messages, &model), TRM_OK);
    assert_int_equal(trm_message_count(messages), 1);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, "convex hull, which is 1.33 times as large"));
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    trm_model_def_destroy(def);
}

static void assert_mesh_refused(const char *folder, const char *file, int line, const char *piece)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def;
    assert_int_not_equal(read_mesh_model(folder, file, messages, &def), TRM_OK);
    assert_null(def);
    assert_int_equal(trm_message_count(messages), 1);
    assert_int_equal(trm_message_at(messages, 0)->place.line, line);
    if (!strstr(trm_message_at(messages, 0)->text, piece)) print_messages(messages);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, piece));
    trm_messages_destroy(messages);
}

static void a_mesh_that_cannot_be_read_is_refused_where_it_is_named(void **state)
{
    (void)state;
    char folder[] = "/tmp/trammel-mesh-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    write_text_file(folder, "broken.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    assert_mesh_refused(folder, "missing.obj", 2,
                        "\"missing.obj\" cannot be read; Trammel looks for it in the folder of the model");
    assert_mesh_refused(folder, ".", 2, "cannot be read");
    assert_mesh_refused(folder, "broken.obj", 4, "9"); /* in line 4 of the mesh */
    snprintf(path, sizeof path, "%s/broken.obj", folder);
    remove(path);
    rmdir(folder);
}

static void a_mesh_cannot_be_read_from_text(void **state)
{
    (void)state;
    const char *text = "{\"trammel\": 1, \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"type\": \"mesh\", \"file\": "
                       "\"/etc/passwd\"}]}]}";
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def;
    assert_int_equal(trm_read_model_text(text, strlen(text), "text", NULL, NULL, messages, &def), TRM_BAD_INPUT);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, "cannot be read"));
    trm_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_is_read_from_a_file_next_to_the_model),
        cmocka_unit_test(a_mesh_that_cannot_be_read_is_refused_where_it_is_named),
        cmocka_unit_test(a_mesh_cannot_be_read_from_text),
        cmocka_unit_test(a_mesh_in_the_model_is_mirrored_by_its_scale),
        cmocka_unit_test(a_free_mesh_with_hollows_is_warned_of),
    };
    return RUN_TESTS(tests);
}
