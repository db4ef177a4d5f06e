/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* SDF: models, links, joints and frames of the model that is read, and messages about everything that is not used. */

#include <sys/stat.h>

#include "importing.h"

#define SDF(version, parts) "<sdf version=\"" version "\">\n" parts "</sdf>\n"
#define MODEL(parts)        SDF("1.7", "<model name=\"m\">\n" parts "</model>\n")
#define INERTIAL                                                                                                     \
    "<inertial><pose>0 0 0.2 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz>"         \
    "</inertia></inertial>"
#define LINK(name, inside) "<link name=\"" name "\">" inside INERTIAL "</link>\n"
#define JOINT(name, type, parent, child, inside)                                                                     \
    "<joint name=\"" name "\" type=\"" type "\"><parent>" parent "</parent><child>" child "</child>" inside          \
    "</joint>\n"
#define AXIS(xyz) "<axis><xyz>" xyz "</xyz></axis>"

/* ---- Machines ----------------------------------------------------------------------------- */

static void an_arm_moves_as_the_same_machine_of_a_model_file(void **state)
{
    (void)state;
    assert_moves_as(
        MODEL(
            LINK("upper", "<pose>0 0 1 0 0 0</pose>")
                LINK("lower", "<pose relative_to=\"upper\">0.1 0 0.4 0 0 1.5707963267948966</pose>") JOINT(
                    "shoulder", "revolute", "world", "upper",
                    "<pose>0 0 0.1 0 0 0</pose><axis><xyz>0 2 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>"
                    "<dynamics><damping>0.3</damping><spring_stiffness>2</spring_stiffness><spring_reference>0.1"
                    "</spring_reference></dynamics></axis>")
                    JOINT("elbow", "prismatic", "upper", "lower", AXIS("1 0 0"))),
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.8], \"bodies\": ["
        "  { \"name\": \"upper\", \"mass\": 2, \"com\": [0, 0, 0.2], \"inertia\": [0.1, 0.2, 0.15, 0, 0, 0],"
        "    \"position\": [0, 0, 1] },"
        "  { \"name\": \"lower\", \"mass\": 2, \"com\": [0, 0, 0.2], \"inertia\": [0.2, 0.1, 0.15, 0, 0, 0],"
        "    \"position\": [0.1, 0, 1.4] }],"
        "  \"joints\": [{ \"name\": \"shoulder\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"upper\"],"
        "    \"anchor\": [0, 0, 1.1], \"axis\": [0, 1, 0] },"
        "  { \"name\": \"elbow\", \"type\": \"slider\", \"bodies\": [\"upper\", \"lower\"], \"anchor\": [0.1, 0, "
        "1.4],"
        "    \"axis\": [0, 1, 0] }],"
        "  \"forces\": [{ \"type\": \"torsion\", \"joint\": \"shoulder\", \"stiffness\": 2, \"damping\": 0.3, "
        "\"rest\": 0.1 }] }",
        "lower");
}

/* The joint is rotated by 90 degrees about z relative to the model, which is rotated by 90 degrees relative to the
 * world. */
static void the_axis_is_in_the_frame_that_the_version_says(void **state)
{
    (void)state;
    static const struct {
        const char *version, *axis;
        double x, y;
    } CASES[] = {
        {"1.4", "<xyz>1 0 0</xyz>", 0, 1},
        {"1.5", "<xyz>1 0 0</xyz>", -1, 0},
        {"1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", 0, 1},
        {"1.7", "<xyz expressed_in=\"__model__\">1 0 0</xyz>", 0, 1},
        {"1.11", "<xyz>1 0 0</xyz>", -1, 0},
        {"1.8", "<xyz expressed_in=\"f\">1 0 0</xyz>", 0, -1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "<sdf version=\"%s\"><model name=\"m\"><pose>0 0 0 0 0 1.5707963267948966</pose>" LINK(
                     "a", "") "<frame name=\"f\"><pose>0 0 0 0 0 3.141592653589793</pose></frame>"
                              "<joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child>"
                              "<pose>0 0 0 0 0 1.5707963267948966</pose><axis>%s</axis></joint></model></sdf>",
                 CASES[i].version, CASES[i].axis);
        imported in = import_good(text);
        assert_vector(joint_named(&in, "j")->axis, CASES[i].x, CASES[i].y, 0, 1e-15);
        import_end(&in);
    }
}

static void frames_nested_models_and_placement_give_poses(void **state)
{
    (void)state;
    imported in = import_good(MODEL(
        "<pose degrees=\"true\">0 0 0 0 0 90</pose><frame name=\"f\" attached_to=\"a\"><pose>1 0 0 0 0 "
        "0</pose></frame>" LINK("a", "<pose>1 0 0 0 0 0</pose>") LINK(
            "b",
            "<pose relative_to=\"f\">0 0 1 0 0 0</pose>") "<model name=\"n\" placement_frame=\"c\"><pose "
                                                          "relative_to=\"b\">0 0 1 0 0 0</pose>" LINK("c",
                                                                                                      "<pose>5 5 5 0 "
                                                                                                      "0 0</pose>")
                                                              LINK("d", "<pose>5 5 6 0 0 0</pose>") "</model>" JOINT(
                                                                  "w", "fixed", "b", "n::c",
                                                                  "") "<link name=\"q\"><pose "
                                                                      "rotation_format=\"quat_xyzw\">0 0 0  0 0 1 "
                                                                      "1</pose></link>"));
    assert_vector(body_named(&in, "a")->position, 0, 1, 0, 1e-15);
    assert_vector(body_named(&in, "b")->position, 0, 2, 1, 1e-15);
    assert_vector(body_named(&in, "n::d")->position, 0, 2, 3, 1e-15);
    assert_vector(body_named(&in, "b")->points[0].position, 0, 0, 1, 1e-15); /* n::c, which is welded to it */
    assert_string_equal(body_named(&in, "a")->points[0].name, "f");
    assert_vector(trm_rotate(body_named(&in, "q")->orientation, trm_v3(1, 0, 0)), -1, 0, 0, 1e-15);
    assert_near(body_named(&in, "q")->mass, 1, 0);
    assert_near(body_named(&in, "q")->inertia[2], 1, 0);
    import_end(&in);
}

static void worlds_hold_static_models_and_loops(void **state)
{
    (void)state;
    imported in = import_good(
        SDF("1.6", "<world name=\"w\"><gravity>0 0 -3</gravity><model name=\"ground\"><static>true</static><link "
                   "name=\"l\"><collision name=\"c\">"
                   "<geometry><plane><normal>0 0 "
                   "1</normal></plane></geometry><surface><friction><ode><mu>0.5</mu></ode><torsional>"
                   "<coefficient>0.4</coefficient><patch_radius>0.05</patch_radius></torsional></friction></surface>"
                   "</collision></link></model><model name=\"r\">" LINK("a", "") LINK("b", "<gravity>0</gravity>")
                       JOINT("j", "revolute", "a", "b", AXIS("0 0 1")) JOINT(
                           "k", "revolute", "b", "a", "<pose>0 1 0 0 0 0</pose>" AXIS("0 0 1")) "</model></world>"));
    assert_vector(in.def->gravity, 0, 0, -3, 0);
    assert_int_equal(body_named(&in, "ground::l")->kind, TRM_BODY_FIXED);
    assert_near(body_named(&in, "ground::l")->shapes[0].friction, 0.5, 0);
    assert_near(body_named(&in, "ground::l")->shapes[0].torsional, 3 * TRM_PI / 16 * 0.4 * 0.05, 1e-15);
    assert_string_equal(joint_named(&in, "r::k")->bodies[0], "r::b");
    assert_int_equal(in.def->joint_count, 2);
    assert_near(body_named(&in, "r::b")->gravity_factor, 0, 0);
    import_end(&in);
}

static void all_types_of_joints_are_read(void **state)
{
    (void)state;
    imported in = import_good(SDF(
        "1.10",
        "<model name=\"m\">" LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "") LINK("e", "") LINK("f", "")
            JOINT("ball", "ball", "world", "a", "") JOINT("cross", "universal", "a", "b",
                                                          AXIS("1 0 0") "<axis2><xyz>0 1 0</xyz></axis2>")
                JOINT("new", "screw", "world", "c", AXIS("0 0 1") "<screw_thread_pitch>3</screw_thread_pitch>")
                    JOINT("old", "screw", "world", "d", AXIS("0 0 1") "<thread_pitch>-4</thread_pitch>")
                        JOINT("h1", "continuous", "world", "e", AXIS("0 0 1")) JOINT(
                            "h2", "revolute", "e", "f",
                            "<axis><xyz>0 0 1</xyz><mimic joint=\"h1\"><multiplier>2</multiplier><offset>1</offset>"
                            "<reference>0.25</reference></mimic></axis>") "</model>"));
    assert_string_equal(joint_named(&in, "ball")->type, "ball");
    assert_string_equal(joint_named(&in, "cross")->type, "universal");
    assert_near(joint_named(&in, "new")->pitch, 3 / (2 * TRM_PI), 1e-15);
    assert_near(joint_named(&in, "old")->pitch, 0.25, 1e-15);
    assert_string_equal(joint_named(&in, "h2 mimic")->type, "gear");
    assert_near(joint_named(&in, "h2 mimic")->ratio, 2, 0);
    assert_near(joint_named(&in, "h2 mimic")->offset, 0.5, 0);
    import_end(&in);
}

/* A model file has stops on both sides: the one that is not given is finite and beyond reach. */
static void a_limit_on_one_side_can_be_written(void **state)
{
    (void)state;
    imported in = import_good(MODEL(LINK("a", "") LINK("b", "") JOINT(
        "j", "revolute", "a", "b", "<axis><xyz>1 0 0</xyz><limit><lower>-0.3</lower></limit></axis>")
                                        JOINT("k", "revolute", "world", "a", AXIS("0 0 1"))));
    assert_true(joint_named(&in, "j")->limits[0] == -0.3);
    assert_true(joint_named(&in, "j")->limits[1] >= 1e15 && isfinite(joint_named(&in, "j")->limits[1]));
    assert_true(isinf(joint_named(&in, "k")->limits[0]) && isinf(joint_named(&in, "k")->limits[1]));
    import_end(&in);
}

/* theta2 = -ratio theta1, both relative to the frame; the second hinge has the opposite axis. */
static void a_gearbox_couples_the_hinges_of_its_reference_body(void **state)
{
    (void)state;
    imported in = import_good(MODEL(
        LINK("frame", "") LINK("a", "") LINK("b", "") JOINT("w", "fixed", "world", "frame", "")
            JOINT("h1", "revolute", "frame", "a", AXIS("0 0 1")) JOINT("h2", "revolute", "frame", "b", AXIS("0 0 -1"))
                JOINT("g", "gearbox", "a", "b",
                      AXIS("0 0 1") "<axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>3</gearbox_ratio>"
                                    "<gearbox_reference_body>frame</gearbox_reference_body>")));
    assert_string_equal(joint_named(&in, "g")->type, "gear");
    assert_string_equal(joint_named(&in, "g")->joints[0], "h2");
    assert_near(joint_named(&in, "g")->ratio, 3, 0);
    import_end(&in);
}

static void masses_of_shapes_are_those_of_their_density(void **state)
{
    (void)state;
    imported in =
        import_good(SDF("1.11", "<model name=\"m\"><link name=\"a\"><inertial auto=\"true\"/><collision "
                                "name=\"c\"><density>2</density><pose>0 0 1 0 0 0</pose>"
                                "<geometry><box><size>1 2 3</size></box></geometry></collision></link></model>"));
    assert_near(body_named(&in, "a")->mass, 12, 1e-14);
    assert_vector(body_named(&in, "a")->com, 0, 0, 1, 1e-15);
    import_end(&in);
}

/* A density of <inertial> applies to shapes without one, whether they collide or not; a mass scales all of them. */
static void inertial_gives_density_or_mass_of_all_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *inertial;
        double mass;
    } CASES[] = {
        {"<density>3</density>", 2 * 6 + 3 * 1},
        {"<density>3</density><mass>30</mass>", 30},
        {"<mass>30</mass>", 30},
        {"", 2 * 6 + 1000 * 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "<sdf version=\"1.11\"><model name=\"m\"><link name=\"a\"><inertial auto=\"true\">%s</inertial>"
            "<collision name=\"c\"><density>2</density><geometry><box><size>1 2 3</size></box></geometry></collision>"
            "<collision name=\"d\"><geometry><box><size>1 1 1</size></box></geometry>"
            "<surface><contact><collide_bitmask>0</collide_bitmask></contact></surface></collision>"
            "<visual name=\"v\"><geometry><box><size>9 9 9</size></box></geometry></visual></link></model></sdf>",
            CASES[i].inertial);
        imported in = import_good(text);
        assert_near(body_named(&in, "a")->mass, CASES[i].mass, 1e-12);
        import_end(&in);
    }
}

/* Extensions of Drake: the armature belongs to the actuator. */
static void rotors_of_drake_are_armatures(void **state)
{
    (void)state;
    static const char TEXT[] = MODEL(LINK("a", "") JOINT(
        "j", "revolute", "world", "a",
        AXIS("0 0 1") "<drake:rotor_inertia>2e-4</drake:rotor_inertia><drake:gear_ratio>100</drake:gear_ratio>"));
    imported in = import_good(TEXT);
    assert_near(joint_named(&in, "j")->armature, 2, 1e-15);
    import_end(&in);
    in = import_text(TEXT, (trm_read_options){.without = TRM_WITHOUT_ACTUATORS});
    assert_near(joint_named(&in, "j")->armature, 0, 0);
    import_end(&in);
    assert_says(MODEL(LINK("a", "") "<drake:ball_constraint/>"), TRM_WARNING, 4,
                "this extension of Drake is not read");
}

static void a_joint_can_mimic_the_second_axis_and_have_the_softness_of_ode(void **state)
{
    (void)state;
    imported in = import_good(MODEL(
        LINK("a", "") LINK("b", "") LINK("c", "") JOINT("u", "universal", "a", "b",
                                                        AXIS("0 0 1") "<axis2><xyz>0 1 0</xyz></axis2>")
            JOINT("j", "revolute", "a", "c",
                  "<axis><xyz>0 0 1</xyz><mimic joint=\"u\" axis=\"axis2\"><multiplier>-2</multiplier></mimic></axis>"
                  "<physics><ode><erp>0.4</erp><cfm>0.001</cfm></ode></physics>")));
    const trm_joint_def *gear = joint_named(&in, "j mimic"), *joint = joint_named(&in, "j");
    assert_string_equal(gear->joints[1], "u");
    assert_near(gear->geared[1], 2, 0);
    assert_near(joint->erp, 0.4, 0);
    assert_near(joint->cfm, 0.001, 0);
    assert_true(isnan(joint_named(&in, "u")->erp));
    import_end(&in);
}

/* ---- Messages ------------------------------------------------------------------------------ */

static void errors_and_unused_elements_are_reported_with_their_lines(void **state)
{
    (void)state;
    assert_says(MODEL(LINK("a", "") LINK("a", "")), TRM_ERROR, 4, "there are two elements 'a'");
    assert_says(MODEL(LINK("a", "") JOINT("j", "revolute", "world", "b", AXIS("0 0 1"))), TRM_ERROR, 4,
                "there is no child 'b'");
    assert_says(MODEL(LINK("a", "") JOINT("j", "hinge", "world", "a", "")), TRM_ERROR, 4, "the types are revolute");
    assert_says(MODEL(LINK("a", "") JOINT("j", "revolute", "world", "a", "")), TRM_ERROR, 4, "has no <axis>");
    assert_says(MODEL(LINK("a", "<pose relative_to=\"x\">0 0 0 0 0 0</pose>")), TRM_ERROR, 3,
                "there is no frame 'x'");
    assert_says(MODEL(LINK("a", "<pose relative_to=\"b\"/>") LINK("b", "<pose relative_to=\"a\"/>")), TRM_ERROR, 3,
                "depends on itself");
    assert_says(SDF("1.11",
                    "<model name=\"m\"><link name=\"a\"><inertial auto=\"true\"><pose>1 0 0 0 0 0</pose></inertial>"
                    "<collision name=\"c\"><geometry><box/></geometry></collision></link></model>"),
                TRM_WARNING, 2, "<pose> is ignored: auto=\"true\" computes it");
    assert_says(MODEL("<plugin name=\"p\"/>\n" LINK("a", "<bogus/>")), TRM_WARNING, 4,
                "<bogus> in link is not used: it is unknown");
    assert_says(MODEL("<plugin name=\"p\"/>\n" LINK("a", "")), TRM_WARNING, 3,
                "<plugin> in model is not used: it holds settings");
    assert_says(MODEL(LINK("a", "") "<include><uri>model://gone</uri></include>"), TRM_WARNING, 4,
                "\"model://gone\" is left out");
    assert_says(SDF("1.7", ""), TRM_ERROR, 1, "there is no <link>");
    assert_says(SDF("1.2", "<model name=\"m\">" LINK("a", "") "</model>"), TRM_WARNING, 1, "is read as 1.4");
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* By the folder's model.config, by model.sdf, and by the file itself; a file that includes itself is refused. */
static void models_are_included_from_their_folders(void **state)
{
    (void)state;
    char folder[] = "/tmp/trammel-sdf-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/arm", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_text(folder, "arm/model.config", "<model><sdf version=\"1.6\">arm.sdf</sdf></model>");
    write_text(folder, "arm/arm.sdf", SDF("1.6", "<model name=\"arm\">" LINK("a", "") "</model>"));
    write_text(folder, "main.sdf",
               SDF("1.7", "<world name=\"w\"><include><uri>model://arm</uri><pose>1 0 0 0 0 0</pose></include>"
                          "<include><uri>arm/arm.sdf</uri><name>other</name><static>1</static></include></world>"));
    write_text(folder, "self.sdf", SDF("1.7", "<model name=\"s\"><include><uri>self.sdf</uri></include></model>"));
    imported in = {.messages = trm_messages_create(NULL)};
    snprintf(path, sizeof path, "%s/main.sdf", folder);
    assert_int_equal(trm_read_model_file(path, NULL, NULL, in.messages, &in.def), TRM_OK);
    assert_vector(body_named(&in, "arm::a")->position, 1, 0, 0, 0);
    assert_int_equal(body_named(&in, "other::a")->kind, TRM_BODY_FIXED);
    trm_model_def_destroy(in.def);
    snprintf(path, sizeof path, "%s/self.sdf", folder);
    assert_int_equal(trm_read_model_file(path, NULL, NULL, in.messages, &in.def), TRM_BAD_INPUT);
    import_end(&in);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

/* The joint is rotated by 90 degrees relative to its model: up to version 1.4 the axis is in the frame of the model.
 * A file that is not SDF is left out with a message. */
static void an_included_file_keeps_its_own_version(void **state)
{
    (void)state;
    static const char *const VERSIONS[] = {"1.4", "1.9"};
    char folder[] = "/tmp/trammel-sdf-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    write_text(folder, "robot.urdf", "<robot name=\"r\"/>");
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "<sdf version=\"%s\"><model name=\"m\">" LINK("a", "")
                     JOINT("j", "revolute", "world", "a",
                           "<pose>0 0 0 0 0 1.5707963267948966</pose>" AXIS("1 0 0")) "</model></sdf>",
                 VERSIONS[k]);
        write_text(folder, "model.sdf", text);
        snprintf(text, sizeof text,
                 "<sdf version=\"%s\"><world name=\"w\"><include><uri>model.sdf</uri></include>"
                 "<include><uri>robot.urdf</uri></include></world></sdf>",
                 VERSIONS[1 - k]);
        write_text(folder, "main.sdf", text);
        imported in = {.messages = trm_messages_create(NULL)};
        snprintf(path, sizeof path, "%s/main.sdf", folder);
        assert_int_equal(trm_read_model_file(path, NULL, NULL, in.messages, &in.def), TRM_OK);
        assert_vector(joint_named(&in, "j")->axis, k == 0, k == 1, 0, 1e-15);
        assert_int_equal(trm_message_count(in.messages), 1);
        assert_non_null(strstr(trm_message_at(in.messages, 0)->text, "it is not SDF, its root is <robot>"));
        import_end(&in);
    }
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    assert_survives_refusals(MODEL(
        LINK("a", "<visual name=\"v\"><geometry><sphere><radius>1</radius></sphere></geometry><material><diffuse>1 0 "
                  "0 1</diffuse>"
                  "</material></visual>")
            LINK("b", "") "<frame name=\"f\"/><model name=\"n\">" LINK("c", "") "</model>" JOINT(
                "j", "revolute", "a", "b",
                "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>")));
}

static void the_step_is_that_of_the_physics_of_the_world(void **state)
{
    (void)state;
    imported in =
        import_good(SDF("1.7", "<world name=\"w\"><physics type=\"ode\"><max_step_size>0.004</max_step_size>"
                               "</physics><model name=\"m\">" LINK("a", "") "</model></world>\n"));
    assert_float_equal(in.def->simulation.step, 0.004, 0);
    import_end(&in);
}

/* The default of max_step_size, in files without a world too. */
static void the_step_of_a_file_without_physics_is_that_of_gazebo(void **state)
{
    (void)state;
    imported in = import_good(MODEL(LINK("a", "")));
    assert_float_equal(in.def->simulation.step, 0.001, 0);
    import_end(&in);
}

/* The link of the plane that replaces a missing model keeps the name of its model: robots have links named "link". */
static void a_plane_in_place_of_the_missing_ground_changes_no_names(void **state)
{
    (void)state;
    imported in = import_good(SDF("1.6", "<world name=\"w\"><include><uri>model://ground_plane</uri></include>"
                                         "<model name=\"r\">" LINK("link", "") "</model></world>"));
    assert_non_null(body_named(&in, "link"));
    assert_int_equal(body_named(&in, "ground_plane::link")->kind, TRM_BODY_FIXED);
    import_end(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_is_that_of_the_physics_of_the_world),
        cmocka_unit_test(the_step_of_a_file_without_physics_is_that_of_gazebo),
        cmocka_unit_test(a_plane_in_place_of_the_missing_ground_changes_no_names),
        cmocka_unit_test(an_arm_moves_as_the_same_machine_of_a_model_file),
        cmocka_unit_test(the_axis_is_in_the_frame_that_the_version_says),
        cmocka_unit_test(frames_nested_models_and_placement_give_poses),
        cmocka_unit_test(worlds_hold_static_models_and_loops),
        cmocka_unit_test(all_types_of_joints_are_read),
        cmocka_unit_test(a_gearbox_couples_the_hinges_of_its_reference_body),
        cmocka_unit_test(masses_of_shapes_are_those_of_their_density),
        cmocka_unit_test(errors_and_unused_elements_are_reported_with_their_lines),
        cmocka_unit_test(a_limit_on_one_side_can_be_written),
        cmocka_unit_test(inertial_gives_density_or_mass_of_all_shapes),
        cmocka_unit_test(rotors_of_drake_are_armatures),
        cmocka_unit_test(a_joint_can_mimic_the_second_axis_and_have_the_softness_of_ode),
        cmocka_unit_test(models_are_included_from_their_folders),
        cmocka_unit_test(an_included_file_keeps_its_own_version),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
