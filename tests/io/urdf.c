/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* URDF: links and joints of the model that is read, and messages about everything that is not used. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_allocator.h"
#include "io/mesh_file.h"
#include "io/xml.h"
#include "math/inertia.h"
#include "math/mesh.h"
#include "running.h"

/* ---- Reading and messages ----------------------------------------------------------------- */

typedef struct import {
    trm_status status;
    trm_model_def *def;
    trm_messages *messages;
} import;

static import read_urdf(const char *text, trm_read_options options)
{
import in = {.messages = trm_messages_create(NULL) };
    in.status = trm_read_model_text(text, strlen(text), "robot.urdf", &options, NULL, in.messages, &in.def);
    return in;
}

static void end(import *in)
{
    trm_model_def_destroy(in->def);
    trm_messages_destroy(in->messages);
}

static const trm_message *message_with(const import *in, const char *part)
{
    for (int i = 0; i < trm_message_count(in->messages); i++)
        if (strstr(trm_message_at(in->messages, i)->text, part)) return trm_message_at(in->messages, i);
    print_messages(in->messages);
    return NULL;
}

static void assert_says(const char *text, trm_read_options options, trm_severity severity, int line, const char *part)
{
import in = read_urdf(text, options);
    const trm_message *message = message_with(&in, part);
    if (!message) print_error("nothing says \"%s\"\n", part);
    assert_non_null(message);
    assert_int_equal(message->severity, severity);
    assert_int_equal(message->place.line, line);
    assert_int_equal(in.status, severity == TRM_ERROR ? TRM_BAD_INPUT : TRM_OK);
    end(&in);
}

#define ROBOT(parts) "<robot name=\"r\">\n" parts "</robot>\n"
#define INERTIAL(mass)                                                                                               \
    "<inertial><origin xyz=\"0 0 0.2\"/><mass value=\"" mass "\"/>"                                                  \
    "<inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.15\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
#define LINK(name) "<link name=\"" name "\">" INERTIAL("2") "</link>\n"
#define JOINT(name, type, parent, child, inside)                                                                     \
    "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child "\"/>" inside     \
    "</joint>\n"
#define BASE "<link name=\"base\"/>\n"

/* ---- Machines ----------------------------------------------------------------------------- */

static running run_urdf(const char *text, trm_read_options options, double order)
{
import in = read_urdf(text, options);
    if (in.status != TRM_OK) print_messages(in.messages);
    assert_int_equal(in.status, TRM_OK);
    trm_model *model = build_model(in.def);
    end(&in);
    trm_simulation_def o = *trm_model_simulation(model);
    o.order = order;
    return run_model(model, &o);
}

static const char *const ARM =
    ROBOT(BASE LINK("upper") LINK("lower")
              JOINT("shoulder", "revolute", "base", "upper",
                    "<origin xyz=\"0 0 1\" rpy=\"0.1 0.2 0.3\"/><axis xyz=\"0 2 0\"/>"
                    "<limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/><dynamics damping=\"0.3\"/>")
                  JOINT("elbow", "prismatic", "upper", "lower",
                        "<origin xyz=\"0.1 0 0.4\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"1 0 0\"/>"
                        "<limit lower=\"-1\" upper=\"1\"/>"));

/* The same machine as a model file: R = Rz(0.3) Ry(0.2) Rx(0.1), whose second column is the axis. */
static const char *const SAME =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"constants\": { \"cr\": \"cos(0.1)\", \"sr\": \"sin(0.1)\","
    "  \"cp\": \"cos(0.2)\", \"sp\": \"sin(0.2)\", \"cy\": \"cos(0.3)\", \"sy\": \"sin(0.3)\" }, \"bodies\": ["
    "  { \"name\": \"upper\", \"mass\": 2, \"com\": [0, 0, 0.2], \"inertia\": [0.1, 0.2, 0.15, 0, 0, 0],"
    "    \"position\": [0, 0, 1], \"orientation\": { \"rpy\": [0.1, 0.2, 0.3] } },"
    "  { \"name\": \"lower\", \"mass\": 2, \"com\": [0, 0, 0.2], \"inertia\": [0.2, 0.1, 0.15, 0, 0, 0],"
    "    \"position\": [\"0.1*cy*cp + 0.4*(cy*sp*cr + sy*sr)\", \"0.1*sy*cp + 0.4*(sy*sp*cr - cy*sr)\","
    "                   \"1 - 0.1*sp + 0.4*cp*cr\"], \"orientation\": { \"rpy\": [0.1, 0.2, 0.3] } }],"
    "  \"joints\": [{ \"name\": \"shoulder\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"upper\"],"
    "    \"anchor\": [0, 0, 1], \"axis\": [\"cy*sp*sr - sy*cr\", \"sy*sp*sr + cy*cr\", \"cp*sr\"] },"
    "  { \"name\": \"elbow\", \"type\": \"slider\", \"bodies\": [\"upper\", \"lower\"], \"anchor\": [0, 0, 1],"
    "    \"axis\": [\"cy*sp*sr - sy*cr\", \"sy*sp*sr + cy*cr\", \"cp*sr\"] }],"
    "  \"forces\": [{ \"type\": \"torsion\", \"joint\": \"shoulder\", \"stiffness\": 0, \"damping\": 0.3 }] }";

static void a_robot_moves_as_the_same_machine_of_a_model_file(void **state)
{
    (void)state;
    running urdf = run_urdf(ARM, (trm_read_options){.without = TRM_WITHOUT_LIMITS}, 4);
    trm_model *model = model_of_text(SAME);
    trm_simulation_def o = *trm_model_simulation(model);
    o.order = 4;
    running ours = run_model(model, &o);
    for (int i = 0; i < 50; i++) {
        assert_true(trm_sim_step(urdf.sim, 0.01).ok);
        assert_true(trm_sim_step(ours.sim, 0.01).ok);
    }
    const char *const names[] = {"upper", "lower"};
    for (int i = 0; i < 2; i++) {
        const trm_pose a = trm_body_pose(trm_sim_state(urdf.sim), trm_find_body(urdf.model, names[i]));
        const trm_pose b = trm_body_pose(trm_sim_state(ours.sim), trm_find_body(ours.model, names[i]));
        assert_near(trm_v3_length(trm_v3_sub(a.p, b.p)), 0, 1e-12);
    }
    stop(&urdf);
    stop(&ours);
}

static void limits_damping_and_friction_are_those_of_the_file(void **state)
{
    (void)state;
import in = read_urdf(ROBOT(BASE LINK("a") JOINT("j", "revolute", "base", "a", "<limit lower=\"-0.5\" upper=\"1.5\"/><dynamics damping=\"0.2\" friction=\"0.1\"/>")), (trm_read_options){0 });
    assert_int_equal(in.status, TRM_OK);
    assert_near(in.def->joints[0].limits[0], -0.5, 0);
    assert_near(in.def->joints[0].limits[1], 1.5, 0);
    assert_near(in.def->joints[0].friction, 0.1, 0);
    assert_near(in.def->joints[0].damping, 0.2, 0);
    end(&in);
    in = read_urdf(ROBOT(BASE LINK("a") JOINT("j", "revolute", "base", "a",
                                              "<limit lower=\"-0.5\" upper=\"1.5\"/><dynamics friction=\"0.1\"/>")),
                   (trm_read_options){.without = TRM_WITHOUT_LIMITS | TRM_WITHOUT_FRICTION});
    assert_true(isinf(in.def->joints[0].limits[0]) && in.def->joints[0].friction == 0);
    end(&in);
}

/* A body of two merged links: 2 kg at (0, 0, 0.2) and 2 kg at (1, 0, 0.2). */
static void links_on_fixed_joints_are_one_body(void **state)
{
    (void)state;
import in = read_urdf(ROBOT(BASE LINK("a") LINK("tool") JOINT("j", "continuous", "base", "a", "<axis xyz=\"0 0 1\"/>") JOINT("weld", "fixed", "a", "tool", "<origin xyz=\"1 0 0\"/>")), (trm_read_options){0 });
    assert_int_equal(in.status, TRM_OK);
    assert_int_equal(in.def->body_count, 2);
    const trm_body_def *a = &in.def->bodies[1];
    assert_near(a->mass, 4, 0);
    assert_near(trm_v3_length(trm_v3_sub(a->com, trm_v3(0.5, 0, 0.2))), 0, 1e-15);
    assert_near(a->inertia[0], 0.2, 1e-15);
    assert_near(a->inertia[1], 0.4 + 4 * 0.25, 1e-15);
    assert_int_equal(a->point_count, 1);
    assert_string_equal(a->points[0].name, "tool");
    assert_near(a->points[0].position.x, 1, 0);
    end(&in);
}

static void a_joint_that_mimics_another_follows_it(void **state)
{
    (void)state;
    running r =
        run_urdf(ROBOT(BASE LINK("a") LINK("b") JOINT("left", "continuous", "base", "a", "<axis xyz=\"0 1 0\"/>")
                           JOINT("right", "continuous", "base", "b",
                                 "<axis xyz=\"0 1 0\"/><mimic joint=\"left\" multiplier=\"-0.5\" "
                                 "offset=\"0.4\"/>")),
                 (trm_read_options){0}, 2);
    double left, right;
    for (int i = 0; i < 100; i++) assert_true(trm_sim_step(r.sim, 0.005).ok);
    trm_joint_values(trm_sim_state(r.sim), trm_find_joint(r.model, "left"), &left, NULL);
    trm_joint_values(trm_sim_state(r.sim), trm_find_joint(r.model, "right"), &right, NULL);
    assert_true(fabs(left) > 0.01);
    assert_near(right, -0.5 * left + 0.4, 1e-9);
    stop(&r);
}

static void a_free_base_falls_and_a_fixed_one_does_not(void **state)
{
    (void)state;
    const char *const text = ROBOT(LINK("body") LINK("leg") JOINT("hip", "continuous", "body", "leg", ""));
    for (int is_free = 0; is_free < 2; is_free++) {
        running r = run_urdf(text, (trm_read_options){.free_base = is_free == 1}, 2);
        for (int i = 0; i < 10; i++) assert_true(trm_sim_step(r.sim, 0.01).ok);
        const double z = trm_body_pose(trm_sim_state(r.sim), trm_find_body(r.model, "body")).p.z;
        assert_near(z, is_free ? -0.5 * 9.81 * 0.01 : 0, 1e-9);
        stop(&r);
    }
}

/* ---- Messages ----------------------------------------------------------------------------- */

static void a_link_without_mass_stays_as_a_point_of_the_one_it_hangs_on(void **state)
{
    (void)state;
    const char *const text = ROBOT(BASE LINK("a") "<link name=\"tip\"/>\n" JOINT("j", "continuous", "base", "a", "")
                                       JOINT("wrist", "continuous", "a", "tip", "<origin xyz=\"0 0 0.5\"/>"));
    assert_says(text, (trm_read_options){0}, TRM_WARNING, 4, "it is a part of 'a', and joint 'wrist' is left out");
import in = read_urdf(text, (trm_read_options){0 });
    assert_int_equal(in.def->bodies[1].point_count, 1);
    assert_near(in.def->bodies[1].points[0].position.z, 0.5, 0);
    end(&in);
    assert_says(ROBOT(BASE "<link name=\"a\"/>\n" LINK("b") LINK("c") JOINT("j", "continuous", "base", "a", "")
                          JOINT("k", "continuous", "a", "b", "") JOINT("l", "continuous", "a", "c", "")),
                (trm_read_options){0}, TRM_ERROR, 3, "link 'a' has no mass but carries others");
}

static void a_start_outside_of_the_limits_is_moved_and_named(void **state)
{
    (void)state;
    const char *const text =
        ROBOT(BASE LINK("a") JOINT("j", "revolute", "base", "a", "<limit lower=\"0.2\" upper=\"1\"/>"));
    assert_says(text, (trm_read_options){0}, TRM_WARNING, 4, "joint 'j' starts at 0.2");
    running r = run_urdf(text, (trm_read_options){0}, 2);
    double q;
    trm_joint_values(trm_sim_state(r.sim), 0, &q, NULL);
    assert_near(q, 0.2, 1e-15);
    stop(&r);
}

static void all_that_is_not_used_is_named_once_with_its_number(void **state)
{
    (void)state;
    const char *const text =
        ROBOT("<link name=\"base\" colour=\"red\"/>\n<transmission name=\"t\"><type>x</type></transmission>\n"
              "<transmission name=\"u\"/>\n<bogus><a/><b/></bogus>\n");
    const trm_read_options none = {0}, strict = {.strict = true};
    assert_says(text, none, TRM_WARNING, 2, "attribute colour of <link> is not used: it is unknown");
    assert_says(text, none, TRM_WARNING, 3, "<transmission> in robot (2 times, first here) is not used");
    assert_says(text, none, TRM_WARNING, 5, "<bogus> in robot is not used: it is unknown in this format");
    assert_says(text, strict, TRM_ERROR, 5, "<bogus> in robot is not used");
}

/* Elements of the file = used + named, for any file. */
static void every_element_is_used_or_named(void **state)
{
    (void)state;
    static const trm_xml_reason none[] = {{NULL, NULL}};
    const char *const text = "<a x=\"1\"><b><c/><c/></b><d/><b/></a>";
    trm_arena arena;
    trm_xml_count count = {0};
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_xml *root = trm_xml_parse(&arena, text, strlen(text), "x", messages);
    root->used = true;
    assert_non_null(trm_xml_child(root, "b"));
    assert_true(trm_xml_account(&arena, root, none, false, messages, &count));
    assert_int_equal(count.elements, 6);
    assert_int_equal(count.used + count.named, count.elements);
    assert_int_equal(count.used, 2);
    assert_int_equal(trm_message_count(messages), 4); /* a@x, b/c, d, a/b */
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
}

static void errors_are_reported_with_their_lines(void **state)
{
    (void)state;
    const trm_read_options none = {0};
    assert_says(ROBOT(BASE LINK("a") JOINT("j", "revolute", "base", "a", "<limit lower=\"2\" upper=\"1\"/>")), none,
                TRM_ERROR, 4, "limits [2, 1] are reversed");
    assert_says(ROBOT(BASE LINK("a") JOINT("j", "continuous", "base", "a", "<limit lower=\"-1\" upper=\"1\"/>")),
                none, TRM_WARNING, 4, "lower and upper are not used");
    assert_says(
        ROBOT("<link name=\"a\"><inertial><mass value=\"1\"/><inertia iyy=\"1\" izz=\"1\"/></inertial></link>"), none,
        TRM_WARNING, 2, "<inertia> has no attribute \"ixx\"");
    assert_says(
        ROBOT("<link name=\"a\">" INERTIAL("2") "<collision><geometry><box size=\"0 1 1\"/></geometry></collision>"
                                                "</link>"),
        none, TRM_WARNING, 2, "a box without a size is left out");
    assert_says(ROBOT(BASE JOINT("j", "fixed", "base", "gone", "")), none, TRM_ERROR, 3, "there is no link 'gone'");
    assert_says(ROBOT(BASE LINK("a")), none, TRM_ERROR, 3, "links 'a' and 'base' have no parent");
    assert_says(ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "")), none,
                TRM_ERROR, 2, "there is no root");
    assert_says(ROBOT(BASE LINK("a") JOINT("j", "hinge", "base", "a", "")), none, TRM_ERROR, 4,
                "the types are revolute");
    assert_says(ROBOT(BASE LINK("a") JOINT("j", "continuous", "base", "a", "<axis xyz=\"0 0 0\"/>")), none, TRM_ERROR,
                4, "the axis has length zero");
    assert_says(ROBOT(BASE LINK("a") JOINT("j", "continuous", "base", "a", "<origin xyz=\"0 0\"/>")), none, TRM_ERROR,
                4, "it must be 3 numbers");
    assert_says(ROBOT(LINK("a") LINK("a")), none, TRM_ERROR, 3, "there are two links 'a'");
    assert_says("<robot name=\"r\">\n<link name=\"a\">\n</robot>", none, TRM_ERROR, 3, "not well-formed XML");
    assert_says("\n\n<robot name=\"r\">\n<link name=\"a\">\n</robot>", none, TRM_ERROR, 5, "not well-formed XML");
    assert_says("<!DOCTYPE robot [<!ENTITY a \"b\">]>\n<robot name=\"r\"><link name=\"a\"/></robot>", none, TRM_ERROR,
                1, "document type declaration");
    assert_says("<robot name=\"r\" xmlns:xacro=\"x\">\n<xacro:macro/></robot>", none, TRM_ERROR, 1, "xacro FILE");
}

static void faults_that_many_files_have_are_mended_and_named(void **state)
{
    (void)state;
    assert_says("<!-- a -- b -->\n<robot name=\"r\"><link name=\"a\"/></robot>", (trm_read_options){0}, TRM_WARNING,
                0, "comment has \"--\" inside");
    assert_says("#!/usr/bin/robot\n<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"a\"/>\n<bogus/></robot>",
                (trm_read_options){0}, TRM_WARNING, 4, "<bogus> in robot");
}

static void moments_that_no_body_can_have_are_kept_repaired_or_refused(void **state)
{
    (void)state;
    const char *const text = ROBOT(
        BASE "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" "
             "ixz=\"0\" iyz=\"0\"/></inertial></link>\n" JOINT("j", "continuous", "base", "a", ""));
    assert_says(text, (trm_read_options){0}, TRM_WARNING, 3, "used as given");
    assert_says(text, (trm_read_options){.inertia = TRM_INERTIA_REPAIR}, TRM_WARNING, 3, "are raised");
    assert_says(text, (trm_read_options){.inertia = TRM_INERTIA_REFUSE}, TRM_ERROR, 3, "--inertia repair");
import in = read_urdf(text, (trm_read_options){.inertia = TRM_INERTIA_REPAIR });
    assert_near(in.def->bodies[1].inertia[1], 0.5, 1e-15);
    assert_near(in.def->bodies[1].inertia[2], 0.5, 1e-15);
    end(&in);
    running r = run_urdf(text, (trm_read_options){0}, 2);
    assert_true(trm_sim_step(r.sim, 0.01).ok);
    stop(&r);
}

static void numbers_are_read_as_c_writes_them(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } good[] = {{"1.", 1}, {".5", 0.5}, {"+2", 2}, {"-.5e-1", -0.05}, {"007", 7}, {"1e+3", 1000}, {"1.e2", 100}};
    const char *const bad[] = {"", "x", "1 2", "1..2", "nan", "inf", "--1", "0x10"};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    char document[100];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = NAN;
        snprintf(document, sizeof document, "<a v=\" %s \"/>", good[i].text);
        trm_xml *root = trm_xml_parse(&arena, document, strlen(document), "x", messages);
        const bool read = trm_xml_numbers(root, "v", &value, 1, messages);
        if (!read) print_error("\"%s\" is not read\n", good[i].text);
        assert_true(read);
        assert_near(value, good[i].value, 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 5;
        snprintf(document, sizeof document, "<a v=\"%s\"/>", bad[i]);
        trm_xml *root = trm_xml_parse(&arena, document, strlen(document), "x", messages);
        const bool read = trm_xml_numbers(root, "v", &value, 1, messages);
        if (read) print_error("\"%s\" is read\n", bad[i]);
        assert_false(read);
        assert_near(value, 5, 0);
    }
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
}

static void elements_inside_each_other_without_end_are_refused(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    char *text = test_malloc(3 * DEEP + 10);
    for (int i = 0; i < DEEP; i++) memcpy(text + 3 * i, "<a>", 3);
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    assert_null(trm_xml_parse(&arena, text, 3 * DEEP, "x", messages));
    assert_non_null(strstr(trm_message_at(messages, 0)->text, "nested deeper than"));
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
    test_free(text);
}

/* ---- Meshes ------------------------------------------------------------------------------- */

static const double CUBE[12][3][3] = {
    {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}},
    {{0, 0, 1}, {1, 1, 1}, {0, 1, 1}}, {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}}, {{0, 0, 0}, {1, 0, 1}, {0, 0, 1}},
    {{0, 1, 0}, {0, 1, 1}, {1, 1, 1}}, {{0, 1, 0}, {1, 1, 1}, {1, 1, 0}}, {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}},
    {{0, 0, 0}, {0, 1, 1}, {0, 1, 0}}, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}, {{1, 0, 0}, {1, 1, 1}, {1, 0, 1}}};

static size_t binary_cube(char *bytes)
{
    const uint32_t count = 12;
    memset(bytes, ' ', 80);
    memcpy(bytes, "solid misleads", 14);
    memcpy(bytes + 80, &count, 4);
    for (int i = 0; i < 12; i++) {
        char *record = bytes + 84 + 50 * i;
        memset(record, 0, 50);
        for (int k = 0; k < 9; k++) {
            const float value = (float)CUBE[i][k / 3][k % 3];
            memcpy(record + 12 + 4 * k, &value, 4);
        }
    }
    return 84 + 50 * 12;
}

static size_t text_cube(char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "solid cube\n");
    for (int i = 0; i < 12; i++) {
        n += (size_t)snprintf(text + n, size - n, " facet normal 0 0 0\n  outer loop\n");
        for (int k = 0; k < 3; k++)
            n += (size_t)snprintf(text + n, size - n, "   vertex %g %+e %g\n", CUBE[i][k][0], CUBE[i][k][1],
                                  CUBE[i][k][2]);
        n += (size_t)snprintf(text + n, size - n, "  endloop\n endfacet\n");
    }
    return n + (size_t)snprintf(text + n, size - n, "endsolid cube\n");
}

static void check_cube(const char *bytes, size_t length)
{
    trm_arena arena;
    trm_mesh mesh;
    trm_arena_init(&arena, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_read_stl(&arena, bytes, length, "cube.stl", &mesh, messages), TRM_OK);
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.triangle_count, 12);
    assert_true(trm_mesh_is_closed(&mesh, &arena));
    const trm_mass mass = trm_mass_polyhedron(1, mesh.vertices, (const int(*)[3])mesh.triangles, mesh.triangle_count);
    assert_near(mass.mass, 1, 1e-15);
    assert_near(trm_v3_length(trm_v3_sub(mass.com, trm_v3(0.5, 0.5, 0.5))), 0, 1e-15);
    /* cut off at any byte the file is refused, or has fewer triangles, and nothing beyond it is read */
    for (size_t cut = 0; cut < length; cut += 7) {
        char *exact = test_malloc(cut + 1);
        memcpy(exact, bytes, cut);
        const trm_status status = trm_read_stl(&arena, exact, cut, "cube.stl", &mesh, messages);
        assert_true(status == TRM_BAD_INPUT || mesh.triangle_count < 12 || cut + 100 > length);
        test_free(exact);
    }
    trm_messages_destroy(messages);
    trm_arena_destroy(&arena);
}

static void stl_is_read_binary_and_as_text(void **state)
{
    (void)state;
    char bytes[4000];
    check_cube(bytes, binary_cube(bytes));
    check_cube(bytes, text_cube(bytes, sizeof bytes));
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* package/urdf/robot.urdf names package://package/meshes/cube.stl, which is found in a folder above the file. */
static void meshes_of_packages_are_found_above_the_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/trammel-urdf-XXXXXX", path[200], bytes[4000];
    assert_non_null(mkdtemp(folder));
    const char *const folders[] = {"robot", "robot/urdf", "robot/meshes"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/robot/meshes/cube.stl", folder);
    write_file(path, bytes, binary_cube(bytes));
    const char *const text = ROBOT(
        "<link name=\"base\"><visual><geometry><mesh filename=\"package://robot/meshes/cube.stl\" "
        "scale=\"2 2 2\"/></geometry><material name=\"m\"><color rgba=\"1 0 0.2 1\"/></material></visual>"
        "<collision><geometry><box size=\"1 2 3\"/></geometry></collision></link>\n"
        "<link name=\"b\"><visual><geometry><mesh filename=\"package://gone/x.stl\"/></geometry></visual></link>\n"
        "<link name=\"c\"><visual><geometry><mesh filename=\"/etc/passwd\"/></geometry></visual></link>\n" JOINT(
            "j", "fixed", "base", "b", "") JOINT("k", "fixed", "base", "c", ""));
    snprintf(path, sizeof path, "%s/robot/urdf/robot.urdf", folder);
    write_file(path, text, strlen(text));
import in = {.messages = trm_messages_create(NULL) };
    in.status = trm_read_model_file(path, NULL, NULL, in.messages, &in.def);
    assert_int_equal(in.status, TRM_OK);
    assert_non_null(message_with(&in, "\"package://gone/x.stl\" is left out: it was not found"));
    assert_non_null(message_with(&in, "absolute paths are read only below folders that --path names"));
    const trm_body_def *base = &in.def->bodies[0];
    assert_int_equal(base->shape_count, 2);
    assert_string_equal(base->shapes[0].type, "mesh");
    assert_string_equal(base->shapes[0].color, "#ff0033");
    assert_near(base->shapes[0].scale.z, 2, 0);
    assert_int_equal(base->shapes[0].triangle_count, 12);
    assert_true(!base->shapes[0].collide && !base->shapes[0].hidden);
    assert_true(base->shapes[1].collide && base->shapes[1].hidden);
    end(&in);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    for (int refused = 0;; refused++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, refused, true);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_messages *messages = trm_messages_create(NULL);
        trm_model_def *def = NULL;
        const trm_status status = trm_read_model_text(ARM, strlen(ARM), "arm", NULL, &hooks, messages, &def);
        assert_true(status == TRM_OUT_OF_MEMORY ? !def : status == TRM_OK);
        trm_model_def_destroy(def);
        trm_messages_destroy(messages);
        if (status == TRM_OK) break;
        assert_true(refused < 1000);
    }
}

/* URDF has no key for it; programs that read these files use about 1 ms. */
static void the_step_is_a_millisecond(void **state)
{
    (void)state;
import in = read_urdf(ARM, (trm_read_options){0 });
    assert_float_equal(in.def->simulation.step, 0.001, 0);
    end(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_moves_as_the_same_machine_of_a_model_file),
        cmocka_unit_test(limits_damping_and_friction_are_those_of_the_file),
        cmocka_unit_test(links_on_fixed_joints_are_one_body),
        cmocka_unit_test(a_joint_that_mimics_another_follows_it),
        cmocka_unit_test(a_free_base_falls_and_a_fixed_one_does_not),
        cmocka_unit_test(a_link_without_mass_stays_as_a_point_of_the_one_it_hangs_on),
        cmocka_unit_test(a_start_outside_of_the_limits_is_moved_and_named),
        cmocka_unit_test(all_that_is_not_used_is_named_once_with_its_number),
        cmocka_unit_test(every_element_is_used_or_named),
        cmocka_unit_test(errors_are_reported_with_their_lines),
        cmocka_unit_test(faults_that_many_files_have_are_mended_and_named),
        cmocka_unit_test(moments_that_no_body_can_have_are_kept_repaired_or_refused),
        cmocka_unit_test(numbers_are_read_as_c_writes_them),
        cmocka_unit_test(elements_inside_each_other_without_end_are_refused),
        cmocka_unit_test(stl_is_read_binary_and_as_text),
        cmocka_unit_test(meshes_of_packages_are_found_above_the_file),
        cmocka_unit_test(the_step_is_a_millisecond),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
