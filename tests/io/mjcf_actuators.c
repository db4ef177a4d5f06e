/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MJCF: actuators, tendons, sensors, keyframes, pairs and flags. */

#include "importing.h"
#include "model/contact_law.h"

#define MUJOCO(parts) "<mujoco model=\"m\">\n" parts "</mujoco>\n"
#define INERTIAL      "<inertial pos=\"0 0 0.2\" mass=\"2\" diaginertia=\"0.1 0.2 0.15\"/>\n"
#define ARM                                                                                                          \
    "<worldbody><body name=\"upper\" pos=\"0 0 1\">" INERTIAL "<site name=\"hook\" pos=\"0.1 0 0\"/>"                \
    "<joint name=\"shoulder\" axis=\"0 1 0\" range=\"-90 90\"/>"                                                     \
    "<body name=\"lower\" pos=\"0 0 0.4\">" INERTIAL "<joint name=\"elbow\" axis=\"0 1 0\"/>"                        \
    "<site name=\"tip\" pos=\"0 0 0.3\" euler=\"0 0 90\"/></body></body><site name=\"wall\" pos=\"1 0 "              \
    "1\"/></worldbody>\n"
#define ACTUATOR(parts) MUJOCO("<compiler angle=\"degree\"/>" ARM "<actuator>" parts "</actuator>\n")

static const double ROUNDING = 1e-12; /* for a few operations on numbers of about 1 */

static const trm_force_def *force_named(const imported *in, const char *name)
{
    for (int i = 0; i < in->def->force_count; i++)
        if (strcmp(in->def->forces[i].name, name) == 0) return &in->def->forces[i];
    print_error("there is no force '%s'\n", name);
    assert_true(false);
    return NULL;
}

static void assert_builds(const imported *in)
{
    trm_model *model = build_model(in->def);
    assert_non_null(model);
    trm_model_destroy(model);
}

/* ---- Actuators ---------------------------------------------------------------------------- */

static void a_motor_is_an_effort_through_its_gear(void **state)
{
    (void)state;
    imported in = import_good(
        ACTUATOR("<motor name=\"m1\" joint=\"shoulder\" gear=\"30\" ctrlrange=\"-1 1\" forcerange=\"-0.5 0.7\"/>"));
    const trm_force_def *f = force_named(&in, "m1");
    assert_string_equal(f->type, "effort");
    assert_string_equal(f->joint, "shoulder");
    assert_string_equal(f->value[0].expression, "m1");
    assert_true(f->gear == 30 && f->range[0] == -0.5 && f->range[1] == 0.7);
    assert_int_equal(in.def->input_count, 1);
    assert_true(in.def->inputs[0].range[0] == -1 && in.def->inputs[0].range[1] == 1 && in.def->inputs[0].start == 0);
    assert_builds(&in);
    import_end(&in);
}

/* clamp(f, -1, 3) = clamp(f - 1, -2, 2) + 1. Without kp and kv the class gives gain and bias. */
static void ranges_and_gains_of_servos_are_those_of_the_file(void **state)
{
    (void)state;
    imported in =
        import_good(MUJOCO("<default><general gainprm=\"50\" biastype=\"affine\" biasprm=\"0 -50 -3\"/></default>" ARM
                           "<actuator><position name=\"p\" joint=\"shoulder\" kp=\"10\" forcerange=\"-1 3\"/>"
                           "<position name=\"q\" joint=\"elbow\"/></actuator>\n"));
    const trm_force_def *p = force_named(&in, "p"), *middle = force_named(&in, "p middle"),
                        *q = force_named(&in, "q");
    assert_true(p->max == 2 && p->kp == 10 && p->kd == 3);
    assert_string_equal(p->target.expression, "p - 0.1");
    assert_string_equal(middle->type, "effort");
    assert_true(middle->value[0].kind == TRM_FUNCTION_CONSTANT && middle->value[0].value == 1);
    assert_true(q->kp == 50 && q->kd == 3);
    assert_builds(&in);
    import_end(&in);
}

static void position_and_velocity_actuators_are_servos(void **state)
{
    (void)state;
    imported in = import_good(ACTUATOR("<position name=\"p\" joint=\"shoulder\" kp=\"50\" kv=\"3\" gear=\"2\"/>"
                                       "<velocity name=\"v\" joint=\"elbow\" kv=\"4\" forcerange=\"-9 9\"/>"));
    const trm_force_def *p = force_named(&in, "p"), *v = force_named(&in, "v");
    assert_string_equal(p->type, "servo");
    assert_string_equal(p->target.expression, "p");
    assert_true(p->kp == 50 && p->kd == 3 && p->gear == 2 && p->has_velocity && p->velocity.value == 0);
    assert_string_equal(v->velocity.expression, "v");
    assert_true(v->kp == 0 && v->kd == 4 && v->max == 9);
    assert_builds(&in);
    import_end(&in);
}

/* kv = 2 z sqrt(kp m), with m about the elbow: 0.2 + 2 * 0.2^2 */
static void a_damping_ratio_is_that_of_the_inertia_at_the_reference_pose(void **state)
{
    (void)state;
    imported in = import_good(ACTUATOR("<position name=\"p\" joint=\"elbow\" kp=\"50\" dampratio=\"1\"/>"));
    assert_true(fabs(force_named(&in, "p")->kd - 2 * sqrt(50 * (0.2 + 2 * 0.04))) < 10 * ROUNDING);
    import_end(&in);
}

/* Figures of MuJoCo 3.14. */
static void kinds_of_actuators_in_classes_set_one_law(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO("<default><position kp=\"100\" kv=\"3\"/><default class=\"speed\"><velocity "
               "kv=\"2\"/></default></default>" ARM
               "<actuator><general name=\"general\" joint=\"elbow\"/><velocity name=\"velocity\" joint=\"elbow\"/>"
               "<motor name=\"motor\" joint=\"elbow\"/><position name=\"ratio\" joint=\"elbow\" dampratio=\"1\"/>"
               "<position name=\"nearer\" class=\"speed\" joint=\"elbow\"/></actuator>\n"));
    const trm_force_def *general = force_named(&in, "general"), *velocity = force_named(&in, "velocity");
    const trm_force_def *ratio = force_named(&in, "ratio"), *nearer = force_named(&in, "nearer");
    assert_true(general->kp == 100 && general->kd == 3);
    assert_true(velocity->kp == 0 && velocity->kd == 100);
    assert_string_equal(force_named(&in, "motor")->value[0].expression, "motor");
    assert_true(fabs(ratio->kd - 2 * sqrt(100 * (0.2 + 2 * 0.04))) < 10 * ROUNDING);
    assert_true(nearer->kp == 2 && nearer->kd == 2);
    assert_builds(&in);
    import_end(&in);
}

static void a_general_actuator_is_what_its_gain_and_bias_say(void **state)
{
    (void)state;
    imported in = import_good(ACTUATOR("<general name=\"a\" joint=\"elbow\" gainprm=\"5\"/>"
                                       "<general name=\"b\" joint=\"elbow\" gainprm=\"0.5\" biastype=\"affine\" "
                                       "biasprm=\"1 -20 -2\" ctrlrange=\"0 255\"/>"));
    const trm_force_def *a = force_named(&in, "a"), *b = force_named(&in, "b");
    assert_string_equal(a->type, "effort");
    assert_string_equal(a->value[0].expression, "5*a");
    assert_string_equal(b->type, "servo");
    assert_string_equal(b->value[0].expression, "0.5*b + 1");
    assert_true(b->kp == 20 && b->kd == 2 && b->target.value == 0);
    assert_true(in.def->inputs[1].range[1] == 255);
    import_end(&in);
}

static void classes_of_any_actuator_hold_for_all(void **state)
{
    (void)state;
    imported in =
        import_good(MUJOCO("<default><motor ctrlrange=\"-2 2\"/><default class=\"arm\"><position kp=\"7\" "
                           "forcerange=\"-3 3\"/></default>"
                           "</default>\n" ARM "<actuator><position class=\"arm\" joint=\"elbow\"/></actuator>\n"));
    const trm_force_def *f = force_named(&in, "elbow");
    assert_true(f->kp == 7 && f->max == 3);
    assert_true(in.def->inputs[0].range[1] == 2);
    import_end(&in);
}

static void names_of_inputs_can_stand_in_expressions(void **state)
{
    (void)state;
    imported in =
        import_good(ACTUATOR("<motor name=\"left/arm 1\" joint=\"elbow\"/><motor name=\"7\" joint=\"elbow\"/>"
                             "<motor name=\"sin\" joint=\"elbow\"/><motor joint=\"elbow\"/>"
                             "<motor joint=\"elbow\"/>"));
    static const char *const NAMES[] = {"left_arm_1", "u7", "sin_2", "elbow", "elbow_2"};
    assert_int_equal(in.def->input_count, 5);
    for (int i = 0; i < 5; i++) assert_string_equal(in.def->inputs[i].name, NAMES[i]);
    assert_builds(&in);
    import_end(&in);
}

static void what_a_joint_allows_its_actuators_limits_them(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO("<worldbody><body name=\"b\">" INERTIAL
                                     "<joint name=\"j\" actuatorfrcrange=\"-6 8\"/></body></worldbody>"
                                     "<actuator><motor name=\"m\" joint=\"j\" gear=\"-2\"/></actuator>"));
    const trm_force_def *f = force_named(&in, "m");
    assert_true(f->range[0] == -4 && f->range[1] == 3);
    assert_true(joint_named(&in, "j")->effort == 8);
    import_end(&in);
}

/* In the axes of the site, which is rotated by 90 degrees about z. */
static void an_actuator_at_a_site_is_a_force_and_a_torque(void **state)
{
    (void)state;
    imported in = import_good(ACTUATOR("<motor name=\"jet\" site=\"tip\" gear=\"1 0 3 0 0 -0.5\"/>"));
    const trm_force_def *f = force_named(&in, "jet"), *t = force_named(&in, "jet torque");
    assert_string_equal(f->type, "force");
    assert_string_equal(f->body, "lower");
    assert_vector(f->at, 0, 0, 0.3, ROUNDING);
    assert_true(f->in_body_frame);
    assert_string_equal(f->value[1].expression, "jet");
    assert_string_equal(f->value[2].expression, "3*jet");
    assert_string_equal(t->value[2].expression, "-0.5*jet");
    assert_builds(&in);
    import_end(&in);
}

/* ---- Tendons ------------------------------------------------------------------------------ */

#define TENDON(parts, more) MUJOCO(ARM "<tendon>" parts "</tendon>\n" more)
#define SPLIT                                                                                                        \
    "<fixed name=\"split\"><joint joint=\"shoulder\" coef=\"0.5\"/><joint joint=\"elbow\" coef=\"2\"/></fixed>"

static void forces_at_sites_and_along_tendons_have_a_range(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        ARM "<tendon><spatial name=\"t\"><site site=\"wall\"/><site site=\"tip\"/></spatial></tendon><actuator>"
            "<motor name=\"s\" site=\"hook\" gear=\"0 0 5 0 0 0\" forcerange=\"-0.1 0.05\"/>"
            "<motor name=\"p\" tendon=\"t\" gear=\"20\" forcerange=\"-1 2\"/></actuator>"));
    assert_string_equal(force_named(&in, "s")->value[2].expression, "5*max(-0.1, min(0.05, s))");
    assert_string_equal(force_named(&in, "p")->value[0].expression, "20*max(-1, min(2, p))");
    assert_int_equal(trm_message_count(in.messages), 0);
    assert_builds(&in);
    import_end(&in);
}

#define BALL_ON(parent, end)                                                                                         \
    MUJOCO("<worldbody>" parent "<body name=\"b\">" INERTIAL "<joint name=\"q\" type=\"ball\"/></body>" end          \
           "</worldbody>\n<actuator><motor name=\"m\" joint=\"q\" gear=\"0 2 3\"/></actuator>\n")

/* The torque acts in the axes of the body; the opposite torque on a moving parent is not supported. */
static void a_motor_on_a_ball_joint_of_the_world_is_a_torque(void **state)
{
    (void)state;
    imported in = import_good(BALL_ON("", ""));
    const trm_force_def *f = force_named(&in, "m torque");
    assert_string_equal(f->type, "torque");
    assert_true(f->in_body_frame);
    assert_string_equal(f->value[1].expression, "2*m");
    assert_string_equal(f->value[2].expression, "3*m");
    assert_builds(&in);
    import_end(&in);
    assert_says(BALL_ON("<body>" INERTIAL "<joint/>", "</body>"), TRM_WARNING, 5, "connects two bodies that move");
    assert_says(MUJOCO("<worldbody><body name=\"b\">" INERTIAL "<joint name=\"q\" type=\"ball\"/></body></worldbody>"
                       "<actuator><position name=\"m\" joint=\"q\" gear=\"0 1 0\"/></actuator>\n"),
                TRM_WARNING, 3, "a ball joint has no coordinate for a servo");
}

static void actuators_of_a_disabled_group_are_left_out(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO("<option actuatorgroupdisable=\"1 3\"/>" ARM
                                     "<actuator><motor name=\"m\" joint=\"elbow\" group=\"3\"/>"
                                     "<motor name=\"n\" joint=\"elbow\"/></actuator>\n"));
    assert_int_equal(in.def->input_count, 1);
    assert_string_equal(in.def->inputs[0].name, "n");
    assert_non_null(strstr(trm_message_at(in.messages, 0)->text, "actuator 'm': it is left out"));
    import_end(&in);
}

/* L = 2 q + 1 (-0.5 q) */
static void the_armature_of_a_tendon_is_that_of_the_coordinate_that_it_follows(void **state)
{
    (void)state;
#define HEAVY_TENDON(more)                                                                                           \
    MUJOCO(                                                                                                          \
        ARM                                                                                                          \
        "<tendon>\n<fixed name=\"t\" armature=\"0.1\"><joint joint=\"shoulder\" coef=\"2\"/><joint joint=\"elbow\" " \
        "coef=\"1\"/></fixed></tendon>" more)
    imported in = import_good(
        HEAVY_TENDON("<equality><joint joint1=\"elbow\" joint2=\"shoulder\" polycoef=\"0 -0.5\"/></equality>"));
    assert_near(joint_named(&in, "shoulder")->armature, 0.1 * 1.5 * 1.5, ROUNDING);
    assert_near(joint_named(&in, "elbow")->armature, 0, 0);
    import_end(&in);
    assert_says(HEAVY_TENDON(""), TRM_WARNING, 6, "its armature is not used: its joints move independently");
}

/* Gravity is compensated through actuators only for joints that have actuators. */
static void actuators_compensate_gravity(void **state)
{
    (void)state;
#define COMPENSATED(range, more)                                                                                     \
    MUJOCO("<worldbody><body name=\"a\" gravcomp=\"1\">" INERTIAL                                                    \
           "<joint name=\"j\" actuatorgravcomp=\"true\"" range "/></body></worldbody>" more)
#define MOTOR "<actuator><motor name=\"m\" joint=\"j\"/></actuator>"
    imported in = import_good(COMPENSATED("", MOTOR));
    assert_near(body_named(&in, "a")->gravity_factor, 0, 0);
    import_end(&in);
    in = import_good(COMPENSATED("", ""));
    assert_near(body_named(&in, "a")->gravity_factor, 1, 0);
    import_end(&in);
    in = import_text(COMPENSATED("", MOTOR), (trm_read_options){.without = TRM_WITHOUT_ACTUATORS});
    assert_near(body_named(&in, "a")->gravity_factor, 1, 0);
    import_end(&in);
    assert_says(COMPENSATED(" actuatorfrcrange=\"-1 1\"", MOTOR), TRM_WARNING, 3,
                "does not limit the gravity compensation");
    assert_says(MUJOCO("<worldbody><body>" INERTIAL "<joint/>\n<body name=\"b\" gravcomp=\"1\">" INERTIAL
                       "<joint actuatorgravcomp=\"true\"/></body></body></worldbody>"),
                TRM_WARNING, 4, "actuatorgravcomp of some is ignored");
}

/* L = 0.5 shoulder + 2 elbow */
static void actuators_on_a_fixed_tendon_act_on_its_length(void **state)
{
    (void)state;
    imported in =
        import_good(TENDON(SPLIT, "<actuator><motor name=\"m\" tendon=\"split\" gear=\"3\"/>"
                                  "<position name=\"p\" tendon=\"split\" kp=\"3\" kv=\"2\" forcerange=\"-4 4\"/>"
                                  "</actuator><sensor><tendonpos name=\"L\" tendon=\"split\"/>"
                                  "<tendonvel name=\"rate\" tendon=\"split\"/></sensor>"));
    const trm_joint_def *split = joint_named(&in, "split");
    const trm_force_def *m = force_named(&in, "m"), *p = force_named(&in, "p");
    assert_string_equal(split->type, "tendon");
    assert_int_equal(split->term_count, 2);
    assert_string_equal(split->terms[0].joint, "shoulder");
    assert_true(split->terms[0].factor == 0.5 && split->terms[1].factor == 2);
    assert_string_equal(m->type, "effort");
    assert_string_equal(m->joint, "split");
    assert_true(m->gear == 3);
    assert_string_equal(p->type, "servo");
    assert_string_equal(p->joint, "split");
    assert_true(p->gear == 1 && p->kp == 3 && p->kd == 2 && p->max == 4);
    assert_string_equal(p->target.expression, "p");
    assert_int_equal(in.def->input_count, 2);
    assert_string_equal(in.def->sensors[0].joint, "split");
    assert_string_equal(in.def->sensors[1].type, "rate");
    assert_int_equal(trm_message_count(in.messages), 0);
    assert_builds(&in);
    import_end(&in);
}

#define TWO_WITH_REFERENCES                                                                                          \
    "<compiler angle=\"radian\"/><worldbody><body name=\"a\">" INERTIAL                                              \
    "<joint name=\"x\" ref=\"0.2\"/><body name=\"b\">" INERTIAL                                                      \
    "<joint name=\"y\" ref=\"0.1\"/></body></body></worldbody>"

/* L = x + 2 y, and coordinates begin at their references: the spring is at rest at its springlength, or else at
 * L = 0.2 + 2 0.1. */
static void springs_limits_and_friction_act_along_a_fixed_tendon(void **state)
{
    (void)state;
#define ALONG(more)                                                                                                  \
    MUJOCO(TWO_WITH_REFERENCES "<tendon><fixed name=\"x\" stiffness=\"8\" damping=\"2\" range=\"-0.1 0.9\" "         \
                               "frictionloss=\"0.3\"" more                                                           \
                               "><joint joint=\"x\" coef=\"1\"/><joint joint=\"y\" coef=\"2\"/></fixed></tendon>")
    imported in = import_good(ALONG(" springlength=\"1\""));
    const trm_joint_def *t = joint_named(&in, "x_tendon"); /* a joint has the name already */
    assert_near(t->limits[0], -0.1, ROUNDING);
    assert_near(t->limits[1], 0.9, ROUNDING);
    assert_near(t->spring_reference, 1, ROUNDING);
    assert_true(t->friction == 0.3 && t->stiffness == 8 && t->damping == 2);
    assert_builds(&in);
    import_end(&in);
    in = import_good(ALONG(""));
    assert_near(joint_named(&in, "x_tendon")->spring_reference, 0.4, ROUNDING);
    import_end(&in);
    assert_says(ALONG(" springlength=\"1 2\""), TRM_WARNING, 4, "its springlength leaves slack");
}

/* L = 3 elbow, with its spring on the joint itself and its limits on a tendon. */
static void a_fixed_tendon_of_one_joint_has_limits_of_its_own(void **state)
{
    (void)state;
    imported in = import_good(
        TENDON("<fixed name=\"t\" stiffness=\"2\" range=\"-1 1\"><joint joint=\"elbow\" coef=\"3\"/></fixed>", ""));
    const trm_joint_def *t = joint_named(&in, "t");
    assert_true(t->term_count == 1 && t->terms[0].factor == 3 && t->stiffness == 0);
    assert_true(t->limits[0] == -1 && t->limits[1] == 1);
    assert_true(force_named(&in, "t")->stiffness == 18);
    assert_builds(&in);
    import_end(&in);
}

/* shoulder = -3 elbow + 0.1: L = (2 - 1.5) elbow + 0.05 */
static void a_servo_on_coupled_joints_acts_on_the_leading_one(void **state)
{
    (void)state;
    imported in = import_good(
        TENDON(SPLIT, "<equality><joint joint1=\"shoulder\" joint2=\"elbow\" polycoef=\"0.1 -3 0 0 0\"/></equality>\n"
                      "<actuator><position name=\"p\" tendon=\"split\" kp=\"4\"/></actuator>"));
    const trm_force_def *f = force_named(&in, "p");
    assert_string_equal(f->joint, "elbow");
    assert_true(fabs(f->gear - 0.5) < ROUNDING);
    assert_string_equal(f->target.expression, "p - 0.05");
    import_end(&in);
}

static void a_coupled_tendon_is_a_gear_and_its_spring_acts_on_one_joint(void **state)
{
    (void)state;
    imported in =
        import_good(TENDON(SPLIT "<fixed name=\"coil\" stiffness=\"8\" damping=\"2\"><joint joint=\"elbow\" "
                                 "coef=\"0.5\"/></fixed>",
                           "<equality><tendon name=\"tie\" tendon1=\"split\"/></equality>"));
    const trm_joint_def *tie = joint_named(&in, "tie");
    const trm_force_def *coil = force_named(&in, "coil");
    assert_string_equal(tie->type, "gear");
    assert_true(fabs(tie->ratio + 4) < ROUNDING && fabs(tie->offset) < ROUNDING);
    assert_string_equal(coil->type, "torsion");
    assert_true(coil->stiffness == 2 && coil->damping == 0.5 && coil->rest == 0);
    import_end(&in);
}

/* elbow - 0.1 = 2 (shoulder - 0.2)^2 is elbow - 2 shoulder^2 + 0.8 shoulder = 0.18 */
static void polynomials_and_sums_of_joints_are_couplings(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO("<compiler angle=\"radian\"/><worldbody><body name=\"a\">" INERTIAL
               "<joint name=\"x\" ref=\"0.2\"/><body name=\"b\">" INERTIAL
               "<joint name=\"y\" ref=\"0.1\"/><body name=\"c\">" INERTIAL
               "<joint name=\"z\"/></body></body></body></worldbody>"
               "<tendon><fixed name=\"t\"><joint joint=\"x\" coef=\"1\"/><joint joint=\"y\" coef=\"2\"/><joint "
               "joint=\"z\" coef=\"3\"/>"
               "</fixed></tendon><equality><joint name=\"cam\" joint1=\"y\" joint2=\"x\" polycoef=\"0 0 2 0 0\"/>"
               "<tendon name=\"sum\" tendon1=\"t\"/></equality>"));
    const trm_joint_def *cam = joint_named(&in, "cam"), *sum = joint_named(&in, "sum");
    assert_string_equal(cam->type, "coupling");
    assert_string_equal(cam->terms[1].joint, "x");
    assert_true(fabs(cam->terms[1].polynomial[0] - 0.8) < ROUNDING && cam->terms[1].polynomial[1] == -2);
    assert_true(fabs(cam->offset - 0.18) < ROUNDING);
    assert_int_equal(sum->term_count, 3);
    assert_true(sum->terms[2].factor == 3 && fabs(sum->offset - 0.4) < ROUNDING);
    assert_builds(&in);
    import_end(&in);
}

static void an_actuator_on_a_tendon_between_sites_pulls_along_it(void **state)
{
    (void)state;
    imported in =
        import_good(TENDON("<spatial name=\"rope\"><site site=\"hook\"/><site site=\"wall\"/></spatial>",
                           "<actuator><position name=\"winch\" tendon=\"rope\" kp=\"100\" kv=\"5\"/></actuator>"
                           "<sensor><tendonpos name=\"length\" tendon=\"rope\"/></sensor>"));
    const trm_force_def *pull = force_named(&in, "winch"), *spring = force_named(&in, "winch spring");
    assert_string_equal(pull->type, "actuator");
    assert_string_equal(pull->value[0].expression, "100*winch");
    assert_true(spring->stiffness == 100 && spring->damping == 5 && spring->rest == 0);
    assert_string_equal(in.def->sensors[0].type, "distance");
    assert_builds(&in);
    import_end(&in);
}

/* ---- Sensors, keyframes, pairs, flags ----------------------------------------------------- */

static void sensors_that_we_have_are_read(void **state)
{
    (void)state;
    imported in =
        import_good(MUJOCO(ARM "<sensor><jointpos name=\"elbow\" joint=\"elbow\"/>"
                               "<jointvel name=\"w\" joint=\"shoulder\" noise=\"0.1\"/>"
                               "<accelerometer name=\"upper\" site=\"hook\"/><gyro site=\"hook\"/></sensor>"));
    static const char *const NAMES[] = {"elbow sensor", "w", "upper sensor", "sensor #3"};
    static const char *const TYPES[] = {"angle", "rate", "accelerometer", "gyro"};
    assert_int_equal(in.def->sensor_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(in.def->sensors[i].name, NAMES[i]);
        assert_string_equal(in.def->sensors[i].type, TYPES[i]);
    }
    assert_true(in.def->sensors[1].noise == 0.1);
    assert_vector(in.def->sensors[2].at, 0.1, 0, 0, ROUNDING);
    assert_builds(&in);
    import_end(&in);
}

static void keyframes_are_poses(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(ARM "<keyframe><key name=\"home\" qpos=\"0.5 -1\"/><key qpos=\"0 0\"/>"
                                         "<key name=\"empty\"/></keyframe>"));
    assert_int_equal(in.def->pose_count, 2);
    assert_string_equal(in.def->poses[0].name, "home");
    assert_string_equal(in.def->poses[0].values[1].joint, "elbow");
    assert_true(in.def->poses[0].values[0].q[0] == 0.5 && in.def->poses[0].values[1].q[0] == -1);
    assert_string_equal(in.def->poses[1].name, "key 1");
    assert_builds(&in);
    import_end(&in);
    assert_says(MUJOCO(ARM "<keyframe><key qpos=\"1\"/></keyframe>"), TRM_WARNING, 5, "qpos has 1 numbers");
}

/* The figures are those of MuJoCo 3.14. */
static void keyframes_place_free_bodies_balls_and_controls(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        "<compiler angle=\"radian\"/><worldbody>"
        "<body name=\"a\" pos=\"0 0 1\" euler=\"0.3 0.2 0.1\"><freejoint name=\"f\"/><geom type=\"box\" size=\".1 .2 "
        ".3\"/>"
        "<body name=\"b\" pos=\"0.3 0 0\" euler=\"0.5 -0.4 0.2\"><joint name=\"s\" type=\"ball\" pos=\"0.02 0.01 "
        "0\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0.4 0 0\" size=\"0.03\"/>"
        "<body name=\"c\" pos=\"0.4 0 0\" euler=\"0.1 0.1 0.7\"><joint name=\"h\" axis=\"0 1 0\" ref=\"0.2\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0.2 0.1 0\" size=\"0.03\"/></body></body></body></worldbody>"
        "<actuator><motor name=\"m\" joint=\"h\"/><muscle joint=\"h\"/><position joint=\"h\" ctrlrange=\"-1 "
        "1\"/></actuator>"
        "<keyframe><key name=\"home\" ctrl=\"0.3 7 2\" qpos=\"0.5 -0.2 2 0.5 0.5 -0.5 0.5  0.8 0.2 0.4 -0.4  0.9\"/>"
        "</keyframe>"));
    static const double AT[3][3] = {{0.5, -0.2, 2}, {0.494905, -0.220465, 2.295614}, {0.5271, 0.053427, 2.58535}};
    static const double FIGURES = 1e-6; /* of AT, as printed */
    trm_model *model = NULL;
    assert_int_equal(trm_model_create(in.def, NULL, in.messages, &model), TRM_OK);
    trm_simulation_def options = *trm_model_simulation(model);
    trm_sim *sim = NULL;
    options.start = "home";
    assert_int_equal(trm_sim_create(model, &options, NULL, in.messages, &sim), TRM_OK);
    for (int i = 0; i < 3; i++)
        assert_vector(trm_body_pose(trm_sim_state(sim), i + 1).p, AT[i][0], AT[i][1], AT[i][2], FIGURES);
    assert_true(trm_input_value(trm_sim_state(sim), 0) == 0.3);
    assert_true(trm_input_value(trm_sim_state(sim), 1) == 1); /* within its range; the muscle has no input */
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    import_end(&in);
    assert_says(
        MUJOCO(ARM
               "<actuator><motor joint=\"elbow\"/></actuator><keyframe><key qpos=\"0 0\" ctrl=\"1 2\"/></keyframe>"),
        TRM_WARNING, 5, "ctrl does not have 1 numbers");
}

/* MuJoCo: the larger friction, or that of the geom of higher priority; none where both have condim 1. */
static void friction_of_geoms_is_that_of_mujoco(void **state)
{
    (void)state;
    imported in = import_good(
        MUJOCO("<worldbody><geom type=\"plane\" size=\"1 1 1\"/><geom type=\"box\" size=\"1 1 1\" condim=\"1\"/>"
               "<body name=\"a\"><freejoint/><geom size=\"0.1\" friction=\"0.3\"/><geom size=\"0.2\" condim=\"1\"/>"
               "<geom size=\"0.3\" condim=\"6\" friction=\"0.4 0.02 0.01\" priority=\"1\"/></body></worldbody>"));
    trm_model *model = NULL;
    assert_int_equal(trm_model_create(in.def, NULL, in.messages, &model), TRM_OK);
    const int world = trm_find_body(model, "world"), a = trm_find_body(model, "a");
    static const double EXPECTED[2][3] = {{1, 1, 0.4}, {0.3, 0, 0.4}};
    for (int w = 0; w < 2; w++)
        for (int s = 0; s < 3; s++) {
            const trm_contact_law law = trm_contact_law_of(model, a, s, world, w);
            assert_true(law.friction == EXPECTED[w][s]);
            assert_true(law.torsional == (s == 2 ? 0.02 : 0) && law.rolling == (s == 2 ? 0.01 : 0));
        }
    trm_model_destroy(model);
    import_end(&in);
}

static void pairs_collide_with_any_groups(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\" contype=\"0\" conaffinity=\"0\"/>"
        "<body name=\"a\"><freejoint/><geom name=\"ball\" size=\"0.1\" contype=\"2\" conaffinity=\"0\"/></body>"
        "</worldbody><contact><pair geom1=\"ball\" geom2=\"floor\" friction=\"0.3 0.3\"/></contact>"));
    const trm_shape_def *ball = &body_named(&in, "a")->shapes[0], *floor = &body_named(&in, "world")->shapes[0];
    assert_true(ball->collide && floor->collide);
    assert_true(((unsigned)ball->group & (unsigned)floor->mask) != 0);
    assert_true(ball->group == 2147483650.0);
    assert_int_equal(in.def->contact_count, 1);
    assert_true(in.def->contacts[0].friction == 0.3);
    assert_builds(&in);
    import_end(&in);
}

static void condim_gives_torsional_and_rolling_friction(void **state)
{
    (void)state;
    imported in = import_good(MUJOCO(
        "<worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\" friction=\"1 0.02 0.003\"/>"
        "<body name=\"a\"><freejoint/><geom name=\"ball\" size=\"0.1\" condim=\"4\" friction=\"1 0.02 "
        "0.003\"/></body>"
        "<body name=\"b\"><freejoint/><geom size=\"0.1\" condim=\"6\" friction=\"1 0.02 0.003\"/></body></worldbody>"
        "<contact><pair geom1=\"ball\" geom2=\"floor\" condim=\"6\" friction=\"1 1 0.04 0.005 0.005\"/></contact>"));
    const trm_shape_def *floor = &body_named(&in, "world")->shapes[0], *a = &body_named(&in, "a")->shapes[0],
                        *b = &body_named(&in, "b")->shapes[0];
    assert_true(floor->torsional == 0 && floor->rolling == 0);
    assert_true(a->torsional == 0.02 && a->rolling == 0);
    assert_true(b->torsional == 0.02 && b->rolling == 0.003);
    assert_true(in.def->contacts[0].torsional == 0.04 && in.def->contacts[0].rolling == 0.005);
    assert_builds(&in);
    import_end(&in);
}

static void elements_disabled_by_flags_are_omitted(void **state)
{
    (void)state;
    imported in =
        import_good(MUJOCO("<option><flag gravity=\"disable\" limit=\"disable\" actuation=\"disable\" "
                           "spring=\"disable\"/></option>" ARM "<actuator><motor joint=\"elbow\"/></actuator>"));
    assert_true(in.def->gravity.z == 0 && in.def->force_count == 0);
    assert_true(isinf(joint_named(&in, "shoulder")->limits[1]));
    import_end(&in);
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    assert_survives_refusals(
        TENDON(SPLIT "<spatial name=\"rope\" stiffness=\"1\"><site site=\"hook\"/><site site=\"wall\"/></spatial>",
               "<equality><tendon tendon1=\"split\"/></equality>"
               "<actuator><position tendon=\"split\"/><motor site=\"tip\"/><motor tendon=\"rope\"/></actuator>"
               "<sensor><gyro site=\"hook\"/></sensor><keyframe><key qpos=\"1 2\"/></keyframe>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motor_is_an_effort_through_its_gear),
        cmocka_unit_test(position_and_velocity_actuators_are_servos),
        cmocka_unit_test(ranges_and_gains_of_servos_are_those_of_the_file),
        cmocka_unit_test(a_damping_ratio_is_that_of_the_inertia_at_the_reference_pose),
        cmocka_unit_test(kinds_of_actuators_in_classes_set_one_law),
        cmocka_unit_test(a_general_actuator_is_what_its_gain_and_bias_say),
        cmocka_unit_test(classes_of_any_actuator_hold_for_all),
        cmocka_unit_test(names_of_inputs_can_stand_in_expressions),
        cmocka_unit_test(what_a_joint_allows_its_actuators_limits_them),
        cmocka_unit_test(an_actuator_at_a_site_is_a_force_and_a_torque),
        cmocka_unit_test(forces_at_sites_and_along_tendons_have_a_range),
        cmocka_unit_test(a_motor_on_a_ball_joint_of_the_world_is_a_torque),
        cmocka_unit_test(actuators_of_a_disabled_group_are_left_out),
        cmocka_unit_test(the_armature_of_a_tendon_is_that_of_the_coordinate_that_it_follows),
        cmocka_unit_test(actuators_compensate_gravity),
        cmocka_unit_test(actuators_on_a_fixed_tendon_act_on_its_length),
        cmocka_unit_test(springs_limits_and_friction_act_along_a_fixed_tendon),
        cmocka_unit_test(a_fixed_tendon_of_one_joint_has_limits_of_its_own),
        cmocka_unit_test(a_servo_on_coupled_joints_acts_on_the_leading_one),
        cmocka_unit_test(a_coupled_tendon_is_a_gear_and_its_spring_acts_on_one_joint),
        cmocka_unit_test(polynomials_and_sums_of_joints_are_couplings),
        cmocka_unit_test(an_actuator_on_a_tendon_between_sites_pulls_along_it),
        cmocka_unit_test(sensors_that_we_have_are_read),
        cmocka_unit_test(keyframes_are_poses),
        cmocka_unit_test(keyframes_place_free_bodies_balls_and_controls),
        cmocka_unit_test(friction_of_geoms_is_that_of_mujoco),
        cmocka_unit_test(pairs_collide_with_any_groups),
        cmocka_unit_test(condim_gives_torsional_and_rolling_friction),
        cmocka_unit_test(elements_disabled_by_flags_are_omitted),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
