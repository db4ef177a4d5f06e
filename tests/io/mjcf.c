/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MJCF: bodies, joints, geoms and constraints of the model that is read, and messages about everything that is not
 * used. */

#include <sys/stat.h>

#include "importing.h"

#define MUJOCO(parts) "<mujoco model=\"m\">\n" parts "</mujoco>\n"
#define WORLD(parts)  "<worldbody>\n" parts "</worldbody>\n"
#define BALL          "<geom type=\"sphere\" size=\"0.1\"/>\n"
#define INERTIAL      "<inertial pos=\"0 0 0.2\" mass=\"2\" diaginertia=\"0.1 0.2 0.15\"/>\n"

static const double ROUNDING = 1e-12; /* for a few operations on numbers of about 1 */

/* ---- Machines ----------------------------------------------------------------------------- */

/* Degrees, a class of defaults, springs, and a joint that is not at the body's origin. */
static void an_arm_moves_as_the_same_machine_of_a_model_file(void **state)
{
    (void)state;
    assert_moves_as(
        MUJOCO(
            "<default><default class=\"arm\"><joint damping=\"0.3\" stiffness=\"2\" springref=\"10\"/></default>"
            "</default>\n" WORLD("<body name=\"upper\" childclass=\"arm\" pos=\"0 0 1\">" INERTIAL
                                 "<joint name=\"shoulder\" axis=\"0 2 0\" pos=\"0 0 0.1\" range=\"-90 90\"/>"
                                 "<body name=\"lower\" pos=\"0.1 0 0.4\" euler=\"0 0 90\">" INERTIAL
                                 "<joint name=\"elbow\" type=\"slide\" axis=\"1 0 0\" damping=\"0\" springref=\"0\"/>"
                                 "</body></body>")),
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "  { \"name\": \"upper\", \"mass\": 2, \"com\": [0, 0, 0.2], \"inertia\": [0.1, 0.2, 0.15, 0, 0, 0],"
        "    \"position\": [0, 0, 1] },"
        "  { \"name\": \"lower\", \"mass\": 2, \"com\": [0, 0, 0.2], \"inertia\": [0.2, 0.1, 0.15, 0, 0, 0],"
        "    \"position\": [0.1, 0, 1.4] }],"
        "  \"joints\": [{ \"name\": \"shoulder\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"upper\"],"
        "    \"anchor\": [0, 0, 1.1], \"axis\": [0, 1, 0] },"
        "  { \"name\": \"elbow\", \"type\": \"slider\", \"bodies\": [\"upper\", \"lower\"], \"anchor\": [0.1, 0, "
        "1.4],"
        "    \"axis\": [0, 1, 0] }],"
        "  \"forces\": [{ \"type\": \"torsion\", \"joint\": \"shoulder\", \"stiffness\": 2, \"damping\": 0.3,"
        "    \"rest\": \"10*pi/180\" }, { \"type\": \"torsion\", \"joint\": \"elbow\", \"stiffness\": 2, \"rest\": 0 "
        "}] }",
        "lower");
}

/* ---- Mass --------------------------------------------------------------------------------- */

/* A closed surface as a shell: boxes by their plates, the same box as a mesh, and the sphere by 2/3 m r^2. */
static void shells_have_the_mass_of_their_surface(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO("<asset><mesh name=\"m\" inertia=\"shell\" vertex=\"-1 -2 -3 1 -2 -3 -1 2 -3 1 2 -3 -1 -2 3 1 -2 3 -1 "
               "2 3 1 2 3\"/>"
               "</asset>" WORLD(
                   "<body name=\"mesh\"><freejoint/><geom type=\"mesh\" mesh=\"m\" density=\"2\"/></body>"
                   "<body name=\"box\"><freejoint/><geom type=\"box\" size=\"1 2 3\" shellinertia=\"true\" "
                   "density=\"2\"/></body>"
                   "<body name=\"sphere\"><freejoint/><geom size=\"0.5\" shellinertia=\"true\" mass=\"3\"/></body>"
                   "<body name=\"tube\"><freejoint/><geom type=\"cylinder\" size=\"1 2\" shellinertia=\"true\" "
                   "density=\"1\"/></body>"
                   "<body name=\"pill\"><freejoint/><geom type=\"capsule\" size=\"1 2\" shellinertia=\"true\" "
                   "density=\"1\"/></body>")));
    const trm_body_def *mesh = body_named(&in, "mesh"), *box = body_named(&in, "box");
    assert_near(box->mass, 2 * 88, 1e-12);
    assert_near(mesh->mass, box->mass, 1e-12);
    for (int i = 0; i < 3; i++) assert_near(mesh->inertia[i], box->inertia[i], 1e-10);
    assert_near(box->inertia[0], 2 * (48 * 13 / 3.0 + 24 * (9 / 3.0 + 4) + 16 * (4 / 3.0 + 9)), 1e-10);
    assert_near(body_named(&in, "sphere")->inertia[1], 0.5, ROUNDING);
    assert_near(body_named(&in, "tube")->mass, 10 * TRM_PI, 1e-12);
    assert_near(body_named(&in, "tube")->inertia[2], 9 * TRM_PI, 1e-12);
    assert_near(body_named(&in, "tube")->inertia[0], TRM_PI * (8 * (0.5 + 4 / 3.0) + 2 * (0.25 + 4)), 1e-12);
    assert_near(body_named(&in, "pill")->mass, 12 * TRM_PI, 1e-12);
    assert_near(body_named(&in, "pill")->inertia[0], TRM_PI * (8 * (0.5 + 4 / 3.0) + 4 * (2 / 3.0 + 4 + 2)), 1e-12);
    import_end(&in);
}

/* A box that is fitted to the mesh of a rotated box is that box. */
static void geoms_are_fitted_to_meshes(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO("<asset><mesh name=\"m\" inertia=\"exact\" vertex=\"-1 -2 -3 1 -2 -3 -1 2 -3 1 2 -3 -1 -2 3 1 -2 3 -1 "
               "2 3 1 2 3\"/>"
               "</asset>" WORLD(
                   "<body name=\"mesh\"><freejoint/><geom type=\"mesh\" mesh=\"m\" euler=\"10 20 30\" pos=\"1 0 0\"/>"
                   "</body><body name=\"box\"><freejoint/><geom type=\"box\" mesh=\"m\" euler=\"10 20 30\" pos=\"1 0 "
                   "0\"/></body>")));
    const trm_body_def *mesh = body_named(&in, "mesh"), *box = body_named(&in, "box");
    assert_string_equal(box->shapes[0].type, "box");
    assert_near(box->mass, mesh->mass, 1e-9);
    for (int i = 0; i < 6; i++) assert_near(box->inertia[i], mesh->inertia[i], 1e-8);
    import_end(&in);
}

/* A pyramid on a box: its bounding box is 2 x 4 x 9 about z = 1.5; values of MuJoCo. */
static void geoms_are_fitted_to_bounds_of_meshes(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        "<compiler fitaabb=\"true\"/><asset><mesh name=\"m\" inertia=\"convex\" vertex=\"1 2 3 -1 2 3 -1 -2 3 1 -2 3 "
        "1 2 -3 -1 2 -3 -1 -2 -3 1 -2 -3 0 0 6\"/></asset>" WORLD(
            "<body name=\"box\"><freejoint/><geom type=\"box\" mesh=\"m\"/></body>"
            "<body name=\"sphere\"><freejoint/><geom type=\"sphere\" mesh=\"m\" fitscale=\"2\"/></body>"
            "<body name=\"cylinder\"><freejoint/><geom type=\"cylinder\" mesh=\"m\"/></body>"
            "<body name=\"capsule\"><freejoint/><geom type=\"capsule\" mesh=\"m\"/></body>")));
    assert_vector(body_named(&in, "box")->shapes[0].size, 2, 4, 9, 1e-12);
    assert_vector(body_named(&in, "box")->shapes[0].position, 0, 0, 1.5, 1e-12);
    assert_near(body_named(&in, "sphere")->shapes[0].radius, 9, 1e-12);
    assert_near(body_named(&in, "cylinder")->shapes[0].radius, 2, 1e-12);
    assert_near(body_named(&in, "cylinder")->shapes[0].length, 9, 1e-12);
    assert_near(body_named(&in, "capsule")->shapes[0].length, 5, 1e-12);
    import_end(&in);
}

static void masses_follow_from_geoms(void **state)
{
    (void)state;
    const double pi = TRM_PI;
    imported in = import_good(MUJOCO(
        WORLD("<body name=\"box\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\" pos=\"1 0 0\"/></body>"
              "<body name=\"capsule\"><freejoint/><geom type=\"capsule\" fromto=\"0 0 0 0 0 1\" size=\"0.1\" "
              "density=\"1\"/></body>"
              "<body name=\"ellipsoid\"><freejoint/><geom type=\"ellipsoid\" size=\"0.1 0.2 0.3\" mass=\"5\"/></body>"
              "<body name=\"two\"><freejoint/><geom type=\"sphere\" size=\"0.1\" mass=\"1\" pos=\"0.5 0 0\"/>"
              "<geom type=\"sphere\" size=\"0.1\" mass=\"1\" pos=\"-0.5 0 0\"/><geom type=\"box\" size=\"1 1 1\" "
              "mass=\"0\"/></body>")));
    assert_near(body_named(&in, "box")->mass, 48, 1e-12);
    assert_vector(body_named(&in, "box")->com, 1, 0, 0, 1e-15);
    assert_near(body_named(&in, "box")->inertia[0], 48.0 / 12 * (0.16 + 0.36), 1e-12);
    assert_near(body_named(&in, "capsule")->mass, pi * 0.01 + 4.0 / 3 * pi * 0.001, 1e-15);
    assert_vector(body_named(&in, "capsule")->com, 0, 0, 0.5, 1e-15);
    assert_near(body_named(&in, "ellipsoid")->inertia[2], 5 * (0.01 + 0.04) / 5, 1e-15);
    assert_near(body_named(&in, "two")->mass, 2, 1e-15);
    assert_near(body_named(&in, "two")->inertia[1], 2 * (0.4 * 0.01 + 0.25), 1e-15);
    import_end(&in);
}

static void the_compiler_scales_and_balances_masses(void **state)
{
    (void)state;
    imported in =
        import_good(MUJOCO("<compiler settotalmass=\"6\" balanceinertia=\"true\" inertiagrouprange=\"0 1\"/>\n" WORLD(
            "<body name=\"a\"><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 4\"/></body>"
            "<body name=\"b\"><freejoint/>" BALL "<geom size=\"9\" group=\"3\"/></body>"
            "<body name=\"c\"><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body>")));
    const double a = body_named(&in, "a")->mass, b = body_named(&in, "b")->mass, c = body_named(&in, "c")->mass;
    assert_near(a + b + c, 6, 1e-14);
    assert_near(b / a, 4000.0 / 3 * TRM_PI * 0.001, 1e-13);
    assert_near(body_named(&in, "a")->inertia[0], 2 * a, 1e-14);
    import_end(&in);
}

/* A cube of vertices and faces, stretched by 2 along x, about refpos; all rules give the same mass. */
static void masses_of_meshes_are_those_of_their_solids(void **state)
{
    (void)state;
    static const char *const RULES[] = {"legacy", "exact", "convex"};
    for (int i = 0; i < 3; i++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            MUJOCO(
                "<asset><mesh name=\"cube\" inertia=\"%s\" scale=\"2 1 1\" refpos=\"0.5 0.5 0.5\" "
                "vertex=\"0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\" "
                "face=\"0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5\"/></asset>\n" WORLD(
                    "<body name=\"b\"><freejoint/><geom type=\"mesh\" mesh=\"cube\" density=\"3\" pos=\"0 0 1\"/>"
                    "</body>")),
            RULES[i]);
        imported in = import_good(text);
        assert_near(body_named(&in, "b")->mass, 6, 1e-14);
        assert_vector(body_named(&in, "b")->com, 0, 0, 1, 1e-15);
        assert_near(body_named(&in, "b")->inertia[0], 6 * 2.0 / 12, 1e-14);
        assert_near(body_named(&in, "b")->inertia[1], 6 * 5.0 / 12, 1e-14);
        import_end(&in);
    }
    assert_says(MUJOCO("<asset><mesh name=\"m\" file=\"gone.stl\"/></asset>\n" WORLD(
                    "<body><freejoint/>\n<geom type=\"mesh\" mesh=\"m\"/></body>")),
                TRM_ERROR, 5, "which cannot be read");
}

/* An L-shaped prism of height h: the pyramids over its faces, with their tips in its centre of mass, overlap. That of
 * a side of length l at the distance d from the centre has the volume h l d/3, those of both ends together h A/3. */
static void legacy_masses_of_meshes_count_pyramids(void **state)
{
    (void)state;
    static const double L[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    static const double HEIGHT = 1.5, AREA = 4;
    imported in = import_good(MUJOCO(
        "<asset><mesh name=\"L\" vertex=\"0 0 0 2 0 0 2 1 0 1 1 0 1 3 0 0 3 0 0 0 1.5 2 0 1.5 2 1 1.5 1 1 1.5 1 3 "
        "1.5 "
        "0 3 1.5\" face=\"2 1 0 3 2 0 4 3 0 5 4 0 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 "
        "3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11\"/></asset>\n" WORLD(
            "<body name=\"b\"><freejoint/><geom type=\"mesh\" mesh=\"L\" density=\"1\"/></body>")));
    const trm_body_def *b = body_named(&in, "b");
    double volume = AREA * HEIGHT / 3;
    for (int i = 0; i < 6; i++) { /* sides lie along x and y in turn */
        const double *p = L[i], *q = L[(i + 1) % 6];
        const double length = fabs(q[0] - p[0]) + fabs(q[1] - p[1]);
        volume += HEIGHT / 3 * length * (q[0] == p[0] ? fabs(p[0] - b->com.x) : fabs(p[1] - b->com.y));
    }
    assert_true(volume > 1.0001 * AREA * HEIGHT);
    assert_near(b->mass, volume, ROUNDING);
    import_end(&in);
}

/* A fixed base needs no mass; a missing mesh is only left out. */
static void missing_meshes_matter_only_to_what_moves(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO("<asset><mesh name=\"m\" file=\"gone.stl\"/></asset>\n" WORLD(
        "<body name=\"base\"><geom type=\"mesh\" mesh=\"m\"/><body name=\"b\"><joint/>" BALL "</body></body>")));
    assert_int_equal(in.def->body_count, 2);
    import_end(&in);
}

/* Two carts in a row on one line: 1/(M^-1)_ii is m1 for the first, m1 m2/(m1 + m2) for the second. */
static void springdamper_follows_from_the_inertia(void **state)
{
    (void)state;
    static const double M1 = 2, M2 = 3, TIME = 0.2, RATIO = 0.5;
    imported in = import_good(
        MUJOCO(WORLD("<body name=\"a\"><inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/>"
                     "<joint name=\"ja\" type=\"slide\" axis=\"1 0 0\" springdamper=\"0.2 0.5\"/>"
                     "<body name=\"b\"><inertial pos=\"0 0 0\" mass=\"3\" diaginertia=\"1 1 1\"/>"
                     "<joint name=\"jb\" type=\"slide\" axis=\"1 0 0\" springdamper=\"0.2 0.5\"/></body></body>")));
    const double m[2] = {M1, M1 * M2 / (M1 + M2)};
    static const char *const NAMES[] = {"ja", "jb"};
    for (int i = 0; i < 2; i++) {
        assert_near(joint_named(&in, NAMES[i])->stiffness, m[i] / (TIME * TIME * RATIO * RATIO), 1e-10);
        assert_near(joint_named(&in, NAMES[i])->damping, 2 * m[i] / TIME, 1e-10);
    }
    import_end(&in);
}

/* ---- Classes, frames, replicas ------------------------------------------------------------- */

static void defaults_come_from_the_nearest_class(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        "<compiler angle=\"radian\"/><default><joint axis=\"1 0 0\" damping=\"1\"/><default class=\"a\"><joint "
        "damping=\"2\"/><default class=\"b\"><joint range=\"-1 1\"/></default></default></default>\n" WORLD(
            "<body name=\"p\">" INERTIAL "<joint name=\"j1\"/><body name=\"q\" childclass=\"b\">" INERTIAL
            "<joint name=\"j2\"/><body name=\"r\">" INERTIAL
            "<joint name=\"j3\" class=\"a\" damping=\"5\"/></body></body></body>")));
    assert_vector(joint_named(&in, "j2")->axis, 1, 0, 0, 0);
    assert_near(joint_named(&in, "j2")->limits[1], 1, 0);
    assert_true(isinf(joint_named(&in, "j1")->limits[1]) && isinf(joint_named(&in, "j3")->limits[1]));
    assert_near(joint_named(&in, "j1")->damping, 1, 0);
    assert_near(joint_named(&in, "j2")->damping, 2, 0);
    assert_near(joint_named(&in, "j3")->damping, 5, 0);
    import_end(&in);
}

static void frames_and_replicas_place_what_is_in_them(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(WORLD(
        "<frame pos=\"0 0 1\" euler=\"0 0 90\"><body name=\"a\" pos=\"1 0 0\"><freejoint/>" BALL "</body></frame>"
        "<replicate count=\"3\" offset=\"1 0 0\" euler=\"0 0 90\" sep=\"-\"><body name=\"r\"><freejoint/>" BALL
        "</body></replicate>"
        "<replicate count=\"2\" offset=\"0 0 5\"><replicate count=\"3\" offset=\"2 0 0\"><body "
        "name=\"n\"><freejoint/>" BALL "</body></replicate></replicate>"
        "<body name=\"c\"><freejoint/>" BALL
        "<frame pos=\"0 0 2\"><site name=\"s\" pos=\"1 0 0\"/></frame></body>")));
    assert_vector(body_named(&in, "a")->position, 0, 1, 1, 1e-15);
    assert_vector(body_named(&in, "r-0")->position, 0, 0, 0, 0);
    assert_vector(body_named(&in, "r-1")->position, 1, 0, 0, 1e-15);
    assert_vector(body_named(&in, "r-2")->position, 1, 1, 0, 1e-15);
    assert_vector(body_named(&in, "n21")->position, 4, 0, 5, 1e-15); /* the number of the inner replica comes first */
    assert_string_equal(body_named(&in, "c")->points[0].name, "s");
    assert_vector(body_named(&in, "c")->points[0].position, 1, 0, 2, 1e-15);
    import_end(&in);
}

static void orientations_are_read_in_every_way(void **state)
{
    (void)state;
    static const char *const WAYS[] = {"quat=\"1 0 0 1\"", "axisangle=\"0 0 2 90\"", "euler=\"0 0 90\"",
                                       "xyaxes=\"0 1 0 -1 0 0\""};
    for (int i = 0; i < 4; i++) {
        char text[400];
        snprintf(text, sizeof text, MUJOCO(WORLD("<body name=\"b\" %s><freejoint/>" BALL "</body>")), WAYS[i]);
        imported in = import_good(text);
        assert_vector(trm_rotate(body_named(&in, "b")->orientation, trm_v3(1, 0, 0)), 0, 1, 0, 1e-15);
        import_end(&in);
    }
    imported in = import_good(MUJOCO(
        "<compiler eulerseq=\"XYZ\"/>" WORLD("<body name=\"b\" euler=\"90 0 90\"><freejoint/>" BALL
                                             "</body><body name=\"z\" zaxis=\"0 1 0\"><freejoint/>" BALL "</body>")));
    assert_vector(trm_rotate(body_named(&in, "b")->orientation, trm_v3(0, 1, 0)), 0, 0, 1, 1e-15);
    assert_vector(trm_rotate(body_named(&in, "z")->orientation, trm_v3(0, 0, 1)), 0, 1, 0, 1e-15);
    import_end(&in);
}

/* ---- Joints and constraints ---------------------------------------------------------------- */

static void bodies_without_joints_are_parts_of_their_parents(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO(WORLD("<geom type=\"plane\" size=\"1 1 1\"/><body name=\"base\">" BALL "<body name=\"a\">" INERTIAL
                     "<joint name=\"j\"/><body name=\"tool\" pos=\"1 0 0\">" INERTIAL "</body></body></body>")));
    assert_int_equal(in.def->body_count, 3);
    assert_int_equal(body_named(&in, "base")->kind, TRM_BODY_FIXED);
    assert_near(body_named(&in, "a")->mass, 4, 0);
    assert_string_equal(body_named(&in, "a")->points[0].name, "tool");
    assert_string_equal(body_named(&in, "world")->shapes[0].type, "plane");
    import_end(&in);
}

static void several_joints_of_a_body_are_one_joint(void **state)
{
    (void)state;
    static const struct {
        const char *joints, *type;
    } CASES[] = {
        {"<joint name=\"j\" type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\"/><joint axis=\"0 1 0\"/>", "chain"},
        {"<joint name=\"j\" axis=\"1 0 0\"/><joint axis=\"0 1 0\"/>", "universal"},
        {"<joint name=\"j\"/><joint type=\"slide\"/>", "cylinder"},
        {"<joint name=\"j\" type=\"ball\"/>", "ball"},
        {"<joint name=\"j\" axis=\"1 0 0\" armature=\"2\"/><joint/><joint axis=\"0 1 0\" damping=\"3\"/>", "gimbal"},
        /* joints whose own coordinates would have another order, or another zero, than those of the file */
        {"<joint name=\"j\" type=\"slide\"/><joint/>", "chain"},
        {"<joint name=\"j\" axis=\"1 0 0\" ref=\"10\"/><joint/><joint axis=\"0 1 0\"/>", "chain"},
    };
    for (int i = 0; i < 7; i++) {
        char text[600];
        snprintf(text, sizeof text, MUJOCO(WORLD("<body>%s" BALL "</body>")), CASES[i].joints);
        imported in = import_good(text);
        assert_string_equal(joint_named(&in, "j")->type, CASES[i].type);
        if (i == 4) assert_near(joint_named(&in, "j")->coordinates[0].armature, 2, 0);
        if (i == 4) assert_near(joint_named(&in, "j")->coordinates[2].damping, 3, 0);
        import_end(&in);
    }
}

/* Two hinges whose axes neither meet nor are perpendicular, and three that are left-handed: coordinates keep their
 * order. */
static void other_joints_of_a_body_are_a_chain(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(WORLD(
        "<body name=\"foot\"><joint name=\"y\" pos=\"0 0 0.08\" axis=\"0 1 0\" stiffness=\"6\"/>"
        "<joint name=\"x\" pos=\"0 0 0.04\" axis=\"1 0 0.5\" ref=\"30\"/>" BALL "</body>"
        "<body name=\"arm\"><joint name=\"a\" axis=\"1 0 0\"/><joint name=\"b\" axis=\"0 1 0\" armature=\"0.1\"/>"
        "<joint name=\"c\" axis=\"0 0 1\"/>" BALL
        "</body>") "<actuator><motor name=\"m\" joint=\"x\"/></actuator>"
                   "<keyframe><key name=\"k\" qpos=\"1 2 3 4 5\"/></keyframe>"));
    const trm_joint_def *foot = joint_named(&in, "y"), *arm = joint_named(&in, "a");
    assert_string_equal(foot->type, "chain");
    assert_int_equal(foot->coordinate_count, 2);
    assert_vector(foot->coordinates[1].anchor, 0, 0, 0.04, ROUNDING);
    assert_true(foot->coordinates[0].stiffness == 6 && fabs(foot->q0[1] - TRM_PI / 6) < ROUNDING);
    assert_string_equal(arm->type, "chain");
    assert_true(arm->coordinates[1].armature == 0.1);
    assert_true(in.def->forces[0].coordinate == 2);
    assert_string_equal(in.def->poses[0].values[1].joint, "a");
    assert_true(in.def->poses[0].values[0].q[1] == 2 && in.def->poses[0].values[1].q[2] == 5);
    trm_model *model = build_model(in.def);
    assert_non_null(model);
    trm_model_destroy(model);
    import_end(&in);
}

static void constraints_are_rigid_joints(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        WORLD("<body name=\"a\">" INERTIAL "<joint name=\"j1\" ref=\"30\"/><site name=\"s\" pos=\"1 0 0\"/></body>"
              "<body name=\"b\">" INERTIAL "<joint name=\"j2\"/><site name=\"t\" pos=\"1 0 1\"/></body>"
              "<body name=\"c\">" INERTIAL
              "<freejoint/></body>") "<equality><connect name=\"e1\" body1=\"a\" body2=\"b\" anchor=\"0 0 1\"/>"
                                     "<weld name=\"e2\" body1=\"c\" active=\"false\"/><joint name=\"e3\" "
                                     "joint1=\"j1\" joint2=\"j2\" polycoef=\"0.1 2 0 0 0\"/>"
                                     "<joint name=\"e4\" joint1=\"j2\" polycoef=\"0.5\"/></equality>\n"
                                     "<contact><exclude body1=\"a\" body2=\"b\"/></contact>"
                                     "<tendon><spatial name=\"rope\" range=\"0 2\" stiffness=\"3\"><site "
                                     "site=\"s\"/><site site=\"t\"/></spatial></tendon>"));
    assert_string_equal(joint_named(&in, "e1")->type, "ball");
    assert_vector(joint_named(&in, "e1")->anchor, 0, 0, 1, 0);
    assert_string_equal(joint_named(&in, "e2")->type, "fixed");
    assert_true(!joint_named(&in, "e2")->attached);
    assert_near(joint_named(&in, "e3")->ratio, 2, 0);
    assert_near(joint_named(&in, "e3")->offset, 0.1 + TRM_PI / 6, 1e-15);
    assert_near(joint_named(&in, "e4")->motion.value, 0.5, 0);
    assert_near(joint_named(&in, "j1")->q0[0], TRM_PI / 6, 1e-15);
    assert_near(joint_named(&in, "rope")->length, 2, 0);
    assert_true(joint_named(&in, "rope")->rope);
    assert_near(in.def->forces[0].rest, 1, 1e-15);
    assert_int_equal(in.def->no_collide_count, 1);
    import_end(&in);
}

/* With torquescale 0 a weld leaves rotations free. Its anchor is in the frame of the second body. */
static void a_weld_without_torques_holds_a_point_of_its_second_body(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO(WORLD("<body name=\"a\" pos=\"1 0 0\">" BALL "<freejoint/></body>"
                     "<body name=\"b\" pos=\"0 0 3\">" BALL
                     "<freejoint/></body>") "<equality><weld name=\"w\" body1=\"a\" body2=\"b\" torquescale=\"0\" "
                                            "anchor=\"0 2 0\"/></equality>\n"));
    assert_string_equal(joint_named(&in, "w")->type, "ball");
    assert_vector(joint_named(&in, "w")->anchor, 0, 2, 3, 1e-15);
    import_end(&in);
}

/* A weld pose that differs from the start is named: of a body in the world, and of two sites. */
static void welds_in_other_poses_are_named(void **state)
{
    (void)state;
    assert_says(MUJOCO(WORLD("<body name=\"a\">" BALL
                             "<freejoint/></body>") "<equality><weld body1=\"a\" relpose=\"1 0 0 1 0 0 "
                                                    "0\"/></equality>\n"),
                TRM_WARNING, 5, "relpose is not used");
    assert_says(
        MUJOCO(WORLD("<body name=\"a\">" BALL "<freejoint/><site name=\"s\"/></body><site name=\"t\" euler=\"0 0 "
                     "90\"/>") "<equality><weld site1=\"s\" site2=\"t\"/></equality>\n"),
        TRM_WARNING, 5, "the axes of its sites differ");
}

/* Two welded bodies fall as one, and a ball joint with damping moves as that of a model file. */
static void welds_hold_and_balls_are_damped(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO(WORLD("<body name=\"a\">" INERTIAL "<freejoint/></body><body name=\"b\" pos=\"1 0 0\">" INERTIAL
                     "<freejoint/></body>") "<equality><weld name=\"w\" body1=\"a\" body2=\"b\"/></equality>\n"));
    trm_model *model = build_model(in.def);
    import_end(&in);
    assert_non_null(model);
    trm_model_destroy(model);
    assert_moves_as(
        MUJOCO(WORLD("<body name=\"a\"><joint type=\"ball\" name=\"j\" damping=\"0.7\" pos=\"0.3 0 0\"/>" INERTIAL
                     "</body>")),
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"a\", \"mass\": 2,"
        "  \"com\": [0, 0, 0.2], \"inertia\": [0.1, 0.2, 0.15, 0, 0, 0] }], \"joints\": [{ \"name\": \"j\","
        "  \"type\": \"ball\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0.3, 0, 0] }],"
        "  \"forces\": [{ \"name\": \"d\", \"type\": \"swivel\", \"bodies\": [\"ground\", \"a\"], \"damping\": 0.7 "
        "}] }",
        "a");
}

/* Damping acts on the velocity of the frame's origin, 0.2 m away from the centre of mass. */
static void free_joints_are_damped(void **state)
{
    (void)state;
    assert_moves_as(
        MUJOCO(WORLD("<body name=\"a\"><joint type=\"free\" name=\"j\" damping=\"0.7\"/>" INERTIAL "</body>")),
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"a\", \"mass\": 2,"
        "  \"com\": [0, 0, 0.2], \"inertia\": [0.1, 0.2, 0.15, 0, 0, 0] }],"
        "  \"forces\": [{ \"name\": \"j\", \"type\": \"drag\", \"body\": \"a\", \"at\": [0, 0, 0],"
        "  \"linear\": 0.7, \"angular\": 0.7 }] }",
        "a");
}

static void gravity_is_that_of_the_file_and_of_each_body(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        "<option gravity=\"0 0 -2\"/>" WORLD("<body name=\"a\" gravcomp=\"1\"><freejoint/>" INERTIAL "</body>")));
    trm_model *model = build_model(in.def);
    import_end(&in);
    running r = run_model(model, NULL);
    for (int i = 0; i < 10; i++) assert_true(trm_sim_step(r.sim, 0.01).ok);
    assert_vector(trm_body_pose(trm_sim_state(r.sim), trm_find_body(r.model, "a")).p, 0, 0, 0, 1e-12);
    stop(&r);
}

/* The step of a file becomes that of its simulation; the default is MuJoCo's. */
static void steps_are_those_of_the_file(void **state)
{
    (void)state;
    imported given = import_good(MUJOCO("<option timestep=\"0.004\"/>" WORLD("<body>" BALL "</body>")));
    assert_float_equal(given.def->simulation.step, 0.004, 0);
    import_end(&given);
    imported plain = import_good(MUJOCO(WORLD("<body>" BALL "</body>")));
    assert_float_equal(plain.def->simulation.step, 0.002, 0);
    import_end(&plain);
}

/* ---- Messages ------------------------------------------------------------------------------ */

static void errors_and_unused_elements_are_reported_with_their_lines(void **state)
{
    (void)state;
    assert_says(MUJOCO(WORLD("<body>" BALL "<joint type=\"hing\"/></body>")), TRM_ERROR, 4,
                "the types are hinge, slide");
    assert_says(MUJOCO(WORLD("<body><joint axis=\"0 0 0\"/>" BALL "</body>")), TRM_ERROR, 3,
                "the axis has length zero");
    assert_says(MUJOCO(WORLD("<body><joint/><geom class=\"x\"/></body>")), TRM_ERROR, 3,
                "there is no default class 'x'");
    assert_says(MUJOCO(WORLD("<body><joint/></body><body><freejoint/>" BALL "</body>")), TRM_WARNING, 3,
                "has no mass and carries nothing");
    assert_says(MUJOCO(WORLD("<body><freejoint/></body><body><freejoint/>" BALL "</body>")), TRM_ERROR, 3,
                "has no mass but");
    assert_says(MUJOCO(WORLD("<body><joint type=\"ball\"/>\n<joint type=\"slide\"/>" BALL "</body>")), TRM_ERROR, 4,
                "must be the only joint of its body");
    assert_says(MUJOCO(WORLD("<body><joint/>\n<freejoint/>" BALL "</body>")), TRM_ERROR, 4,
                "must be the only joint of its body");
    assert_says(MUJOCO(WORLD("")), TRM_ERROR, 1, "there is no <body>");
    assert_says(MUJOCO(WORLD("<body><joint type=\"free\" damping=\"0.1\" armature=\"0.2\"/>" BALL "</body>")),
                TRM_WARNING, 3, "armature of a free joint is not used");
    assert_says(MUJOCO(WORLD("<body><freejoint/>" BALL "</body>") "<equality><connect body1=\"no\"/></equality>"),
                TRM_ERROR, 5, "there is no body 'no'");
    assert_says(MUJOCO(WORLD("<body><freejoint/>" BALL "<bogus/></body>")), TRM_WARNING, 4,
                "<bogus> in body is not used: it is unknown");
    assert_says(MUJOCO("<size/>\n" WORLD("<body><freejoint/>" BALL "</body>") "<sensor><touch/></sensor>"),
                TRM_WARNING, 6, "<touch> in sensor is not used");
    assert_says(MUJOCO(WORLD("<body><freejoint/><geom size=\"1\" solref=\"1 1\"/></body>")), TRM_WARNING, 3,
                "attribute solref of <geom> is not used: contacts, limits");
    assert_says("<mujoco>\n<include file=\"a.xml\"/></mujoco>", TRM_ERROR, 2, "\"a.xml\" cannot be read");
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

static trm_status read_file(const char *folder, const char *name, const char *said)
{
    char path[200];
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def;
    bool found = !said;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const trm_status status = trm_read_model_file(path, NULL, NULL, messages, &def);
    for (int i = 0; i < trm_message_count(messages); i++)
        found = found || strstr(trm_message_at(messages, i)->text, said);
    assert_true(found);
    if (def) assert_int_equal(def->body_count, 1);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return status;
}

static void files_are_included_once(void **state)
{
    (void)state;
    char folder[] = "/tmp/trammel-mjcf-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    write_text(folder, "main.xml", MUJOCO(WORLD("<include file=\"body.xml\"/>")));
    write_text(folder, "body.xml", "<mujocoinclude><body name=\"a\"><freejoint/>" BALL "</body></mujocoinclude>");
    write_text(folder, "self.xml", MUJOCO("<include file=\"self2.xml\"/>"));
    write_text(folder, "self2.xml", MUJOCO("<include file=\"self2.xml\"/>"));
    assert_int_equal(read_file(folder, "main.xml", NULL), TRM_OK);
    assert_int_equal(read_file(folder, "self.xml", "a file can be included only once"), TRM_BAD_INPUT);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

/* Places of elements name the included file for as long as the definition exists. */
static void places_in_included_files_outlive_the_reader(void **state)
{
    (void)state;
    char folder[] = "/tmp/trammel-mjcf-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    write_text(folder, "main.xml", MUJOCO(WORLD("<include file=\"body.xml\"/>")));
    write_text(folder, "body.xml",
               "<mujocoinclude><body name=\"a\"><joint name=\"j\"/>" BALL "</body></mujocoinclude>");
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    snprintf(path, sizeof path, "%s/main.xml", folder);
    assert_int_equal(trm_read_model_file(path, NULL, NULL, messages, &def), TRM_OK);
    snprintf(path, sizeof path, "%s/body.xml", folder);
    assert_string_equal(def->bodies[0].place.file, path);
    assert_string_equal(def->joints[0].place.file, path);
    assert_int_equal(trm_model_create(def, NULL, messages, &model), TRM_OK);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    assert_survives_refusals(MUJOCO(
        "<default><geom density=\"10\"/></default><asset><material name=\"m\" rgba=\"1 0 0 1\"/></asset>" WORLD(
            "<body name=\"a\">" INERTIAL
            "<joint name=\"j\" damping=\"1\"/><geom type=\"ellipsoid\" size=\"1 1 1\" material=\"m\"/>"
            "<site name=\"s\"/><replicate count=\"2\"><body name=\"b\">" BALL
            "<joint name=\"k\"/></body></replicate></body>") "<equality><connect body1=\"a\" anchor=\"0 0 "
                                                             "1\"/></equality>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_moves_as_the_same_machine_of_a_model_file),
        cmocka_unit_test(masses_follow_from_geoms),
        cmocka_unit_test(the_compiler_scales_and_balances_masses),
        cmocka_unit_test(masses_of_meshes_are_those_of_their_solids),
        cmocka_unit_test(legacy_masses_of_meshes_count_pyramids),
        cmocka_unit_test(missing_meshes_matter_only_to_what_moves),
        cmocka_unit_test(springdamper_follows_from_the_inertia),
        cmocka_unit_test(defaults_come_from_the_nearest_class),
        cmocka_unit_test(frames_and_replicas_place_what_is_in_them),
        cmocka_unit_test(orientations_are_read_in_every_way),
        cmocka_unit_test(bodies_without_joints_are_parts_of_their_parents),
        cmocka_unit_test(several_joints_of_a_body_are_one_joint),
        cmocka_unit_test(other_joints_of_a_body_are_a_chain),
        cmocka_unit_test(constraints_are_rigid_joints),
        cmocka_unit_test(welds_in_other_poses_are_named),
        cmocka_unit_test(a_weld_without_torques_holds_a_point_of_its_second_body),
        cmocka_unit_test(welds_hold_and_balls_are_damped),
        cmocka_unit_test(shells_have_the_mass_of_their_surface),
        cmocka_unit_test(geoms_are_fitted_to_meshes),
        cmocka_unit_test(geoms_are_fitted_to_bounds_of_meshes),
        cmocka_unit_test(free_joints_are_damped),
        cmocka_unit_test(gravity_is_that_of_the_file_and_of_each_body),
        cmocka_unit_test(steps_are_those_of_the_file),
        cmocka_unit_test(errors_and_unused_elements_are_reported_with_their_lines),
        cmocka_unit_test(files_are_included_once),
        cmocka_unit_test(places_in_included_files_outlive_the_reader),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
