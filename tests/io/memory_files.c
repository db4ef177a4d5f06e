/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Models and the files that they name are read from memory: packages, relative and absolute paths, includes, tables
 * and the buffers of glTF are found there, and nothing is read from the disk. */

#include "importing.h"

#define LINK(mesh)                                                                                                   \
    "<link name=\"base\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "   \
    "iyz=\"0\"/></inertial><visual><geometry><mesh filename=\"" mesh "\"/></geometry></visual></link>"
#define ROBOT(mesh) "<robot name=\"r\">" LINK(mesh) "</robot>"
#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
enum { FACES = 4 };

static trm_file file_of(const char *name, const char *text)
{
    return (trm_file){name, text, strlen(text)};
}

static imported import_files(const char *path, const trm_file *files, int count)
{
    const trm_read_options options = {.files = files, .file_count = count};
    imported in = {.messages = trm_messages_create(NULL)};
    in.status = trm_read_model_file(path, &options, NULL, in.messages, &in.def);
    return in;
}

static int triangles_of(const trm_model_def *def)
{
    int count = 0;
    for (int i = 0; i < def->body_count; i++)
        for (int k = 0; k < def->bodies[i].shape_count; k++) count += def->bodies[i].shapes[k].triangle_count;
    return count;
}

/* Reads the first file, and compares the number of its triangles. */
static void expect_triangles(const trm_file *files, int count, int triangles)
{
    imported in = import_files(files[0].name, files, count);
    if (in.status != TRM_OK) print_messages(in.messages);
    assert_int_equal(in.status, TRM_OK);
    assert_int_equal(triangles_of(in.def), triangles);
    assert_int_equal(trm_message_count(in.messages), triangles > 0 ? 0 : 1);
    import_end(&in);
}

static void meshes_are_found_where_robots_name_them(void **state)
{
    static const char *const robots[] = {
        ROBOT("package://robot/meshes/a.obj"),
        ROBOT("model://meshes/a.obj"),
        ROBOT("../meshes/a.obj"),
        ROBOT("../../robot/./meshes//a.obj"),
        ROBOT("file:///home/me/a.obj"),
        ROBOT("/home/me/robot/meshes/a.obj"),
        ROBOT("a.obj"), /* found by its last component */
    };
    (void)state;
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        const trm_file files[] = {file_of("robot/urdf/r.urdf", robots[i]),
                                  file_of("robot/meshes/a.obj", TETRAHEDRON)};
        expect_triangles(files, 2, FACES);
    }
}

static void a_name_that_two_files_have_is_not_guessed(void **state)
{
    const trm_file files[] = {file_of("r.urdf", ROBOT("package://robot/a.obj")), file_of("x/a.obj", TETRAHEDRON),
                              file_of("y/a.obj", TETRAHEDRON)};
    (void)state;
    expect_triangles(files, 3, 0);
    expect_triangles(files, 2, FACES);
}

/* /etc/passwd would be a mesh of unknown format, and the folder of this test contains files. */
static void nothing_is_read_from_the_disk(void **state)
{
    char *text = test_malloc(1000);
    FILE *file = fopen("on-disk.obj", "w");
    (void)state;
    assert_non_null(file);
    fputs(TETRAHEDRON, file);
    fclose(file);
    static const char *const places[] = {"on-disk.obj", "./on-disk.obj", "package://on-disk.obj", "../on-disk.obj"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(text, 1000, "<robot name=\"r\">" LINK("%s") "</robot>", places[i]);
        const trm_file files[] = {file_of("r.urdf", text)};
        expect_triangles(files, 1, 0);
    }
    const trm_file json[] = {file_of("m.json",
                                     "{ \"trammel\": 1, \"bodies\": [ { \"name\": \"b\", \"fixed\": true, "
                                     "\"shapes\": [ { \"type\": \"mesh\", \"file\": \"on-disk.obj\" } ] } ] }")};
    imported in = import_files("m.json", json, 1);
    assert_int_equal(in.status, TRM_BAD_INPUT);
    import_end(&in);
    in = import_files("on-disk.obj", json, 1);
    assert_int_equal(in.status, TRM_IO_ERROR);
    import_end(&in);
    remove("on-disk.obj");
    test_free(text);
}

/* A path may lead out of all folders if a robot's files were copied without their folders. */
static void files_without_their_folders_are_found(void **state)
{
    const trm_file files[] = {file_of("r.urdf", ROBOT("../../meshes/a.obj")), file_of("a.obj", TETRAHEDRON)};
    const trm_file other[] = {file_of("r.urdf", ROBOT("../../meshes/..")), file_of("a.obj", TETRAHEDRON)};
    (void)state;
    expect_triangles(files, 2, FACES);
    expect_triangles(other, 2, 0);
}

static void includes_and_tables_are_found(void **state)
{
    static const char MAIN[] =
        "{ \"trammel\": 1, \"include\": [ { \"file\": \"parts/leg.json\", \"prefix\": \"l.\" } ], "
        "\"bodies\": [ { \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1] } ], "
        "\"forces\": [ { \"name\": \"f\", \"type\": \"force\", \"body\": \"b\", \"value\": "
        "[ { \"file\": \"push.csv\" }, 0, 0 ] } ] }";
    static const char LEG[] = "{ \"trammel\": 1, \"bodies\": [ { \"name\": \"b\", \"fixed\": true, \"shapes\": [ { "
                              "\"type\": \"mesh\", \"file\": \"a.obj\" } ] } ] }";
    const trm_file files[] = {file_of("m/main.json", MAIN), file_of("m/parts/leg.json", LEG),
                              file_of("m/parts/a.obj", TETRAHEDRON), file_of("m/push.csv", "t,F\n0,0\n1,2\n")};
    (void)state;
    expect_triangles(files, 4, FACES);
    const trm_file scene[] = {
        file_of("s/scene.xml", "<mujoco><include file=\"robot.xml\"/></mujoco>"),
        file_of("s/robot.xml",
                "<mujoco><compiler meshdir=\"assets\"/><asset><mesh name=\"a\" file=\"a.obj\"/></asset>"
                "<worldbody><body><freejoint/><geom type=\"mesh\" mesh=\"a\"/></body></worldbody></mujoco>"),
        file_of("s/assets/a.obj", TETRAHEDRON)};
    imported in = import_files("s/scene.xml", scene, 3);
    assert_int_equal(in.status, TRM_OK);
    assert_int_equal(triangles_of(in.def), FACES);
    import_end(&in);
}

/* One triangle, whose positions are in a separate file. */
static void buffers_of_gltf_are_found(void **state)
{
    static const char GLTF[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":36}]}";
    static const float POINTS[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const trm_file files[] = {file_of("r.urdf", ROBOT("meshes/a.gltf")),
                              file_of("meshes/a.gltf", GLTF),
                              {"meshes/a.bin", (const char *)POINTS, sizeof POINTS}};
    (void)state;
    expect_triangles(files, 3, 1);
    expect_triangles(files, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_found_where_robots_name_them),
        cmocka_unit_test(a_name_that_two_files_have_is_not_guessed),
        cmocka_unit_test(nothing_is_read_from_the_disk),
        cmocka_unit_test(files_without_their_folders_are_found),
        cmocka_unit_test(includes_and_tables_are_found),
        cmocka_unit_test(buffers_of_gltf_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
