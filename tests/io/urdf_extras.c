/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* URDF: extensions of other programs, robots without mass, and files that are added to a model. */

#include "importing.h"

#define ROBOT(parts) "<robot name=\"r\">\n" parts "</robot>\n"
#define LINK(name)                                                                                                   \
    "<link name=\"" name                                                                                             \
    "\"><inertial><origin xyz=\"0 0 0.2\"/><mass value=\"2\"/><inertia ixx=\"0.1\" iyy=\"0.2\" "                     \
    "izz=\"0.15\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><sphere "                           \
    "radius=\"0.1\"/></geometry>"                                                                                    \
    "</collision></link>\n"
#define JOINT(name, parent, child)                                                                                   \
    "<joint name=\"" name "\" type=\"continuous\"><parent link=\"" parent "\"/><child link=\"" child "\"/>"          \
    "<origin xyz=\"0.5 0 0\"/><axis xyz=\"0 1 0\"/></joint>\n"
#define ARM LINK("base") LINK("a") LINK("b") JOINT("ja", "base", "a") JOINT("jb", "a", "b")

static const double ROUNDING = 1e-12; /* for a few operations on numbers of about 1 */

static void extensions_of_gazebo_to_links_and_joints_are_used(void **state)
{
    (void)state;
    imported in = import_good(ROBOT(
        ARM "<gazebo reference=\"a\"><mu1>0.3</mu1><mu2 value=\"0.3\"/><turnGravityOff>true</turnGravityOff>"
            "<selfCollide>true</selfCollide><collision><surface><friction><torsional><coefficient>0.4</coefficient>"
            "<patch_radius>0.05</patch_radius></torsional></friction></surface></collision></gazebo>\n"
            "<gazebo reference=\"b\"><selfCollide>1</selfCollide></gazebo>"
            "<gazebo reference=\"jb\"><springStiffness>5</springStiffness><springReference>0.2</springReference>"
            "</gazebo>"));
    assert_true(body_named(&in, "a")->shapes[0].friction == 0.3);
    assert_near(body_named(&in, "a")->shapes[0].torsional, 3 * TRM_PI / 16 * 0.4 * 0.05, ROUNDING);
    assert_true(body_named(&in, "a")->gravity_factor == 0 && body_named(&in, "b")->gravity_factor == 1);
    assert_int_equal(in.def->no_collide_count, 2); /* base with each of the others */
    assert_true(joint_named(&in, "jb")->stiffness == 5 && joint_named(&in, "jb")->spring_reference == 0.2);
    import_end(&in);
    assert_says(ROBOT(ARM "<gazebo reference=\"a\"><kp>1</kp></gazebo>"), TRM_WARNING, 7,
                "<kp> in gazebo is not used");
    assert_says(ROBOT(ARM "<gazebo reference=\"x\"/>"), TRM_WARNING, 7, "there is no link or joint 'x'");
}

/* Bits of shapes instead of pairs of bodies, whose number would be quadratic. The robot collides with shapes that
 * have the usual bits. */
static void a_robot_that_does_not_collide_with_itself_has_bits_of_its_own(void **state)
{
    (void)state;
    imported in = import_good(ROBOT(ARM));
    assert_int_equal(in.def->no_collide_count, 0);
    for (int i = 0; i < 3; i++) {
        const trm_shape_def *shape = &body_named(&in, i == 0 ? "base" : i == 1 ? "a" : "b")->shapes[0];
        const unsigned group = (unsigned)shape->group, mask = (unsigned)shape->mask;
        assert_true((group & mask) == 0 && (mask & 1) != 0);
    }
    import_end(&in);
    in = import_text(ROBOT(ARM), (trm_read_options){.self_collision = true});
    assert_true(body_named(&in, "b")->shapes[0].group == 1 && body_named(&in, "b")->shapes[0].mask == 1);
    import_end(&in);
}

/* Types that PyBullet, MuJoCo and Drake add to those of URDF. Definitions must not refer to the document. */
static void joints_of_other_programs_are_read(void **state)
{
    (void)state;
    static const char *const TYPES[] = {"ball", "universal", "screw", "planar"};
    imported in = import_good(ROBOT(LINK("base") LINK("a") LINK("b") LINK("c") LINK(
        "d") "<joint name=\"s\" type=\"spherical\"><parent link=\"base\"/><child link=\"a\"/>"
             "<dynamics damping=\"0.4\"/></joint>\n"
             "<drake:joint name=\"u\" type=\"universal\"><parent link=\"a\"/><child link=\"b\"/>"
             "<origin xyz=\"0 0 1\"/></drake:joint>\n"
             "<drake:joint name=\"w\" type=\"screw\"><parent link=\"b\"/><child link=\"c\"/><axis xyz=\"0 0 2\"/>"
             "<drake:screw_thread_pitch value=\"0.5\"/></drake:joint>\n"
             "<joint name=\"p\" type=\"planar\"><parent link=\"c\"/><child link=\"d\"/><axis xyz=\"0 1 "
             "0\"/></joint>\n"));
    for (int i = 0; i < 4; i++) assert_string_equal(in.def->joints[i].type, TYPES[i]);
    assert_true(joint_named(&in, "s")->damping == 0.4);
    assert_vector(joint_named(&in, "u")->axis, 1, 0, 0, ROUNDING);
    assert_vector(joint_named(&in, "u")->axis2, 0, 1, 0, ROUNDING);
    assert_near(joint_named(&in, "w")->pitch, 0.5 / (2 * TRM_PI), ROUNDING);
    assert_vector(joint_named(&in, "p")->axis, 0, 1, 0, ROUNDING);
    trm_model *model = build_model(in.def);
    import_end(&in);
    assert_non_null(model);
    trm_model_destroy(model);
}

static void a_rotor_with_a_reduction_is_an_armature(void **state)
{
    (void)state;
    const char *const text =
        ROBOT(ARM "<transmission name=\"t\"><joint name=\"ja\"/><actuator name=\"m\"><drake:gear_ratio value=\"10\"/>"
                  "<drake:rotor_inertia value=\"0.002\"/></actuator></transmission>"
                  "<transmission name=\"u\"><joint name=\"jb\"/><actuator name=\"n\"><mechanicalReduction>3"
                  "</mechanicalReduction><rotorInertia>0.1</rotorInertia></actuator></transmission>");
    imported in = import_good(text);
    assert_true(fabs(joint_named(&in, "ja")->armature - 0.2) < ROUNDING);
    assert_true(fabs(joint_named(&in, "jb")->armature - 0.9) < ROUNDING);
    import_end(&in);
    in = import_text(text, (trm_read_options){.without = TRM_WITHOUT_ACTUATORS});
    assert_true(joint_named(&in, "ja")->armature == 0);
    import_end(&in);
}

/* All three forms close the loop at the end of b, 1.5 m from the base. */
static void loops_are_closed_as_gazebo_and_drake_say(void **state)
{
    (void)state;
    imported in = import_good(ROBOT(
        ARM "<gazebo><joint name=\"pin\" type=\"revolute\"><parent>base</parent><child>b</child><pose>0.5 0 0 0 0 0"
            "</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"
            "<drake:ball_constraint name=\"knob\"><drake:ball_constraint_body_A name=\"base\"/>"
            "<drake:ball_constraint_body_B name=\"b\"/><drake:ball_constraint_p_AP value=\"1.5 0 0\"/>"
            "<drake:ball_constraint_p_BQ value=\"0.5 0 0\"/></drake:ball_constraint>"
            "<loop_joint name=\"old\" type=\"continuous\"><link1 link=\"base\" xyz=\"1.5 0 0\"/>"
            "<link2 link=\"b\" xyz=\"0.5 0 0\"/><axis xyz=\"0 1 0\"/></loop_joint>"));
    assert_string_equal(joint_named(&in, "pin")->type, "hinge");
    assert_vector(joint_named(&in, "pin")->anchor, 1.5, 0, 0, ROUNDING);
    assert_string_equal(joint_named(&in, "knob")->type, "ball");
    assert_vector(joint_named(&in, "knob")->anchors[0], 1.5, 0, 0, ROUNDING);
    assert_vector(joint_named(&in, "knob")->anchors[1], 0.5, 0, 0, ROUNDING);
    assert_vector(joint_named(&in, "old")->axis, 0, 1, 0, ROUNDING);
    import_end(&in);
    assert_says(ROBOT(ARM "<loop_joint type=\"continuous\"><link1 link=\"gone\"/><link2 link=\"b\"/></loop_joint>"),
                TRM_ERROR, 7, "there is no link 'gone'");
}

/* ---- Mass --------------------------------------------------------------------------------- */

#define BARE                                                                                                         \
    ROBOT(                                                                                                           \
        "<link name=\"base\"/><link name=\"a\"><visual><geometry><box size=\"1 1 1\"/></geometry></visual>"          \
        "<collision><geometry><box size=\"0.2 0.1 0.5\"/></geometry></collision></link>\n" JOINT("ja", "base", "a"))

static void a_robot_without_mass_is_displayed_or_gets_a_density(void **state)
{
    (void)state;
    assert_says(BARE, TRM_ERROR, 2, "--density 1000");
    imported in = import_text(BARE, (trm_read_options){.without_mass = true});
    assert_int_equal(in.status, TRM_OK);
    assert_true(fabs(body_named(&in, "a")->mass - 1) < ROUNDING);
    assert_int_equal(in.def->joint_count, 1);
    import_end(&in);
    in = import_text(BARE, (trm_read_options){.density = 500});
    assert_int_equal(in.status, TRM_OK);
    assert_true(fabs(body_named(&in, "a")->mass - 5) < ROUNDING);
    import_end(&in);
}

#define MASSLESS(name) "<link name=\"" name "\"/>\n"

/* The same machine with an explicit chain joint. */
static void joints_with_massless_links_between_them_are_a_chain(void **state)
{
    (void)state;
    assert_moves_as(
        ROBOT(MASSLESS("base") MASSLESS("m") LINK("b") JOINT(
            "jm", "base", "m") "<joint name=\"jb\" type=\"continuous\"><parent link=\"m\"/><child link=\"b\"/>"
                               "<origin xyz=\"0 0.3 0\"/><axis xyz=\"1 0 0\"/><dynamics damping=\"0.5\"/></joint>\n"),
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"com\": [0, 0, "
        "0.2],"
        "  \"inertia\": [0.1, 0.2, 0.15], \"position\": [0.5, 0.3, 0] }], \"joints\": [{ \"name\": \"j\","
        "  \"type\": \"chain\", \"bodies\": [\"ground\", \"b\"], \"chain\": ["
        "  { \"type\": \"hinge\", \"anchor\": [0.5, 0, 0], \"axis\": [0, 1, 0] },"
        "  { \"type\": \"hinge\", \"anchor\": [0.5, 0.3, 0], \"axis\": [1, 0, 0], \"damping\": 0.5 }] }] }",
        "b");
    assert_says(ROBOT(MASSLESS("base") MASSLESS("m") LINK("b") JOINT("jm", "base", "m") JOINT("jb", "m", "b")),
                TRM_WARNING, 3, "the joints 'jm' and 'jb' are one chain");
}

static void a_pointer_of_git_lfs_is_recognised(void **state)
{
    (void)state;
    assert_says("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", TRM_ERROR, 1, "git lfs pull");
}

/* ---- Adding ------------------------------------------------------------------------------- */

static void elements_of_another_file_are_added(void **state)
{
    (void)state;
    static const char MORE[] =
        "{ \"trammel\": 1, \"forces\": [{ \"name\": \"s\", \"type\": \"servo\", \"joint\": \"ja\", \"kp\": 10 }],\n"
        "  \"joints\": [{ \"name\": \"pin\", \"type\": \"ball\", \"bodies\": [\"base\", \"b\"], \"anchor\": [1.5, 0, "
        "0] }] }";
    char path[] = "/tmp/trammel-with-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, MORE, sizeof MORE - 1) == (ssize_t)sizeof MORE - 1);
    close(file);
    const char *const with[] = {path, "/tmp/trammel-is-not-there.json"};
    imported in = import_text(ROBOT(ARM), (trm_read_options){.with = with, .with_count = 1});
    assert_int_equal(in.status, TRM_OK);
    assert_string_equal(in.def->forces[0].name, "s");
    assert_string_equal(joint_named(&in, "pin")->type, "ball");
    assert_int_equal(in.def->joint_count, 3);
    import_end(&in);
    in = import_text(ROBOT(ARM), (trm_read_options){.with = with, .with_count = 2});
    assert_int_equal(in.status, TRM_BAD_INPUT);
    import_end(&in);
    unlink(path);
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    assert_survives_refusals(ROBOT(
        ARM
        "<gazebo reference=\"a\"><mu1>0.3</mu1></gazebo><gazebo><joint name=\"pin\" type=\"revolute\"><parent>base"
        "</parent><child>b</child><pose>0.5 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_of_gazebo_to_links_and_joints_are_used),
        cmocka_unit_test(a_robot_that_does_not_collide_with_itself_has_bits_of_its_own),
        cmocka_unit_test(joints_of_other_programs_are_read),
        cmocka_unit_test(a_rotor_with_a_reduction_is_an_armature),
        cmocka_unit_test(loops_are_closed_as_gazebo_and_drake_say),
        cmocka_unit_test(a_robot_without_mass_is_displayed_or_gets_a_density),
        cmocka_unit_test(joints_with_massless_links_between_them_are_a_chain),
        cmocka_unit_test(a_pointer_of_git_lfs_is_recognised),
        cmocka_unit_test(elements_of_another_file_are_added),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
