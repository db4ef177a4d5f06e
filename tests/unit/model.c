/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* From definitions to a model through the public interface: data of bodies, every error and warning that
 * definitions can have, and lack of memory.
 *
 * The errors start from one correct definition that contains every kind of element. Each line of SPOILED makes one
 * mistake in it and gives a piece of the message that must follow, which must be the only error. */

#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "failing_allocator.h"
#include "random_bodies.h"

/* A dozen roundings, relative. */
static const double rounding = 1e-13;

/* ---- A correct definition ----------------------------------------------------------------- */

enum { BOX, ROD, POINT, WALL, TABLE, SOLID, SPARE, BODIES };
enum { HINGE, BALL, UNIVERSAL, SLIDER, FIXED, DISTANCE, DRIVE, JOINTS };
enum { SPRING, PUSH, TWIST, FORCES };
enum { SPHERE, BRICK, CAPSULE, CYLINDER, HULL, MESH, SHAPES };
enum { TIMED, TOUCHED, EVENTS };

typedef struct sound {
    trm_model_def def;
    trm_body_def body[BODIES];
    trm_shape_def shape[SHAPES]; /* shapes of the solid */
    trm_shape_def plane, ball;   /* shapes of the wall and of the box */
    trm_joint_def joint[JOINTS];
    trm_force_def force[FORCES];
    trm_contact_def contact;
    trm_event_def event[EVENTS];
    trm_sensor_def sensor[2];
    trm_body_pair pair;
    trm_setting setting;
    trm_option option;
    trm_constant constant;
    trm_named_point point;
    double speeds[3], mus[3];
} sound;

static const trm_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static const int faces_inside_out[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
static const trm_vec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
static const double table_t[3] = {0, 1, 2}, table_y[3] = {0, 0.5, 0.25};

static trm_body_def massive(const char *name, trm_vec3 position)
{
    trm_body_def body = trm_default_body_def();
    const double inertia[6] = {0.2, 0.3, 0.4, 0.01, -0.02, 0.03};
    body.name = name;
    body.mass = 2;
    body.position = position;
    memcpy(body.inertia, inertia, sizeof inertia);
    return body;
}

static trm_shape_def solid_shape(const char *type, double density)
{
    trm_shape_def shape = trm_default_shape_def();
    shape.type = type;
    shape.density = density;
    return shape;
}

static void make_shapes(sound *s)
{
    static const char *const types[SHAPES] = {"sphere", "box", "capsule", "cylinder", "hull", "mesh"};
    for (int i = 0; i < SHAPES; i++) {
        s->shape[i] = solid_shape(types[i], 100);
        s->shape[i].radius = 0.2;
        s->shape[i].length = 0.5;
        s->shape[i].size = trm_v3(0.3, 0.4, 0.5);
        s->shape[i].points = corners;
        s->shape[i].point_count = 4;
        s->shape[i].triangles = faces;
        s->shape[i].triangle_count = 4;
    }
    s->plane = s->ball = trm_default_shape_def();
    s->plane.type = "plane";
    s->plane.normal = trm_v3(0, 0, 2);
    s->ball.type = "sphere";
    s->ball.radius = 1;
    s->ball.color = "#ff8000";
}

static void make_bodies(sound *s)
{
    s->body[BOX] = massive("box", trm_v3(0, 0, 0));
    s->body[BOX].com = trm_v3(0.1, 0, 0);
    s->body[BOX].subsystem = "left";
    s->body[BOX].shapes = &s->ball, s->body[BOX].shape_count = 1;
    s->point = (trm_named_point){"P", {1, 2, 3}};
    s->body[BOX].points = &s->point, s->body[BOX].point_count = 1;
    s->body[SPARE] = massive("spare", trm_v3(9, 0, 0));
    for (int i = ROD; i <= SOLID; i++) s->body[i] = trm_default_body_def();
    s->body[ROD].name = "rod";
    s->body[ROD].kind = TRM_BODY_ROD;
    s->body[ROD].rod = (trm_rod_def){{0, 0, 0}, {1, 1, 0}, 1, 0.1};
    s->body[POINT].name = "p";
    s->body[POINT].kind = TRM_BODY_POINT;
    s->body[POINT].mass = 1;
    s->body[POINT].position = trm_v3(0, 0, 3);
    s->body[WALL].name = "wall";
    s->body[WALL].kind = TRM_BODY_FIXED;
    s->body[WALL].shapes = &s->plane, s->body[WALL].shape_count = 1;
    s->body[TABLE].name = "table";
    s->body[TABLE].kind = TRM_BODY_MOVING;
    s->body[TABLE].moving.position[0] = trm_expression_function("speed*t");
    s->body[TABLE].moving.position[1] = trm_table_function(table_t, table_y, 3, true);
    s->body[TABLE].moving.angle = trm_expression_function("0.5+sin(t)");
    s->body[SOLID].name = "solid";
    s->body[SOLID].shapes = s->shape, s->body[SOLID].shape_count = SHAPES;
    for (int i = 0; i < BODIES; i++) s->body[i].place.line = 10 + i;
}

static trm_joint_def joint_between(const char *name, const char *type, const char *a, const char *b)
{
    trm_joint_def joint = trm_default_joint_def();
    joint.name = name;
    joint.type = type;
    joint.bodies[0] = a, joint.bodies[1] = b;
    joint.anchor = trm_v3(1, 1, 0);
    return joint;
}

static void make_joints(sound *s)
{
    s->joint[HINGE] = joint_between("hinge", "hinge", "ground", "box");
    s->joint[HINGE].axis = trm_v3(0, 0, 2);
    s->joint[BALL] = joint_between("ball", "ball", "box", "rod");
    s->joint[UNIVERSAL] = joint_between("universal", "universal", "rod", "solid");
    s->joint[UNIVERSAL].axis = trm_v3(1, 0, 0), s->joint[UNIVERSAL].axis2 = trm_v3(0, 3, 0);
    s->joint[SLIDER] = joint_between("slider", "slider", "wall", "solid");
    s->joint[SLIDER].axis = trm_v3(1, 1, 1);
    s->joint[FIXED] = joint_between("fixed", "fixed", "table", "box");
    s->joint[DISTANCE] = joint_between("distance", "distance", "box", "p");
    s->joint[DISTANCE].anchor = trm_default_joint_def().anchor;
    s->joint[DISTANCE].anchors[0] = s->joint[DISTANCE].anchors[1] = trm_v3(0, 0, 0);
    s->joint[DRIVE] = trm_default_joint_def();
    s->joint[DRIVE].type = "drive";
    s->joint[DRIVE].joint = "hinge";
    s->joint[DRIVE].motion = trm_expression_function("sin(t)");
    for (int i = 0; i < JOINTS; i++) s->joint[i].place.line = 30 + i;
}

static void make_forces(sound *s)
{
    for (int i = 0; i < FORCES; i++) s->force[i] = trm_default_force_def();
    s->force[SPRING].type = "spring";
    s->force[SPRING].name = "spring";
    s->force[SPRING].bodies[0] = "p", s->force[SPRING].bodies[1] = "box";
    s->force[SPRING].anchors[1] = trm_v3(1, 0, 0);
    s->force[SPRING].stiffness = 100;
    s->force[PUSH].type = "force";
    s->force[PUSH].body = "p";
    s->force[TWIST].type = "torque";
    s->force[TWIST].body = "box";
    s->force[TWIST].value[2] = trm_expression_function("speed*cos(t)");
}

static void make_rest(sound *s)
{
    s->contact = trm_default_contact_def();
    s->contact.bodies[0] = "box", s->contact.bodies[1] = "wall";
    const double speeds[3] = {0, 0.1, 1}, mus[3] = {0.5, 0.4, 0.3};
    memcpy(s->speeds, speeds, sizeof speeds);
    memcpy(s->mus, mus, sizeof mus);
    s->contact.speeds = s->speeds, s->contact.mus = s->mus, s->contact.speed_count = 3;
    s->event[TIMED] = s->event[TOUCHED] = trm_default_event_def();
    s->event[TIMED].at = 2;
    s->event[TIMED].detach = "ball";
    s->event[TOUCHED].when = "contact";
    s->event[TOUCHED].bodies[0] = "box", s->event[TOUCHED].bodies[1] = "wall";
    s->event[TOUCHED].attach = "fixed";
    s->sensor[0] = s->sensor[1] = trm_default_sensor_def();
    s->sensor[0].name = "imu", s->sensor[0].type = "gyro", s->sensor[0].body = "box";
    s->sensor[1].name = "angle", s->sensor[1].type = "angle", s->sensor[1].joint = "hinge";
    s->pair = (trm_body_pair){.bodies = {"box", "solid"}};
    s->option = (trm_option){"lcp", "solver", "dantzig", NAN};
    s->constant = (trm_constant){"speed", 2};
}

static void make_sound(sound *s)
{
    memset(s, 0, sizeof *s);
    make_shapes(s);
    make_bodies(s);
    make_joints(s);
    make_forces(s);
    make_rest(s);
    trm_model_def *defaults = trm_model_def_create(NULL);
    s->def = *defaults;
    trm_model_def_destroy(defaults);
    s->def.arena = NULL;
    s->def.name = "all kinds of elements";
    s->def.gravity = trm_v3(0, 0, -9.81);
    s->def.bodies = s->body, s->def.body_count = BODIES;
    s->def.joints = s->joint, s->def.joint_count = JOINTS;
    s->def.forces = s->force, s->def.force_count = FORCES;
    s->def.contacts = &s->contact, s->def.contact_count = 1;
    s->def.events = s->event, s->def.event_count = EVENTS;
    s->def.sensors = s->sensor, s->def.sensor_count = 2;
    s->def.no_collide = &s->pair, s->def.no_collide_count = 1;
    s->def.constants = &s->constant, s->def.constant_count = 1;
    s->def.simulation.options = &s->option, s->def.simulation.option_count = 1;
}

/* Returns the model of a definition without errors. */
static trm_model *create(const trm_model_def *def)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = NULL;
    const trm_status status = trm_model_create(def, NULL, messages, &model);
    for (int i = 0; i < trm_message_count(messages); i++)
        print_error("%s: %s\n", trm_message_at(messages, i)->element, trm_message_at(messages, i)->text);
    const int count = trm_message_count(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    assert_int_equal(count, 0);
    return model;
}

static trm_model *create_of_body(const trm_body_def *body)
{
    trm_model_def *def = trm_model_def_create(NULL);
    trm_add_body(def, body);
    trm_model *model = create(def);
    trm_model_def_destroy(def);
    return model;
}

/* ---- Errors ------------------------------------------------------------------------------- */

/* X(what is wrong, piece of the message, the mistake) */
#define SPOILED_BODIES(X)                                                                                            \
    X(gravity_is_infinite, "\"gravity\" must be", s->def.gravity.x = INFINITY)                                       \
    X(body_has_no_name, "has no name; give it one", s->body[SPARE].name = NULL)                                      \
    X(body_has_an_empty_name, "has no name; give it one", s->body[SPARE].name = "")                                  \
    X(body_name_has_a_dot, "must not contain", s->body[SPARE].name = "a.b")                                          \
    X(body_name_has_a_newline, "must not contain", s->body[SPARE].name = "a\nb")                                     \
    X(body_is_called_ground, "always exists", s->body[SPARE].name = "ground")                                        \
    X(body_name_is_taken, "taken by the body of line 10", s->body[SPARE].name = "box")                               \
    X(position_is_nan, "\"position\" is [nan", s->body[BOX].position.x = NAN)                                        \
    X(velocity_is_infinite, "\"velocity\" is [", s->body[BOX].velocity.y = INFINITY)                                 \
    X(spin_is_infinite, "\"angular_velocity\" is [", s->body[BOX].angular_velocity.z = INFINITY)                     \
    X(orientation_is_zero, "not a quaternion", s->body[BOX].orientation = (trm_quat){0, 0, 0, 0})                    \
    X(mass_is_negative, "\"mass\" is -1", s->body[BOX].mass = -1)                                                    \
    X(mass_is_nan, "\"mass\" is nan", s->body[BOX].mass = NAN)                                                       \
    X(inertia_is_half_given, "3 or 6 finite numbers", s->body[BOX].inertia[5] = NAN)                                 \
    X(inertia_is_zero, "inertia is zero or negative", memset(s->body[SPARE].inertia, 0, 6 * sizeof(double)))         \
    X(inertia_has_a_negative_moment, "a negative principal moment", s->body[BOX].inertia[0] = -0.2)                  \
    X(inertia_breaks_the_triangle, "no body can have this inertia", s->body[BOX].inertia[0] = 2)                     \
    X(inertia_is_missing, "has mass but no \"inertia\"", s->body[BOX].shape_count = 0; fill_nan(&s->body[BOX]))      \
    X(mass_is_missing, "has no mass; give", s->body[SPARE].mass = 0; fill_nan(&s->body[SPARE]))                      \
    X(density_and_inertia, "leave out \"inertia\"", memcpy(s->body[SOLID].inertia, s->body[BOX].inertia, 48))        \
    X(density_and_com, "leave out \"com\"", s->body[SOLID].com = trm_v3(0, 0, 0))                                    \
    X(point_has_no_mass, "a point needs a positive", s->body[POINT].mass = 0)                                        \
    X(wall_has_mass, "takes no \"mass\"", s->body[WALL].mass = 1)                                                    \
    X(rod_is_short, "rod has length zero", s->body[ROD].rod.to = s->body[ROD].rod.from)                              \
    X(rod_has_no_mass, "the rod's mass is 0", s->body[ROD].rod.mass = 0)                                             \
    X(rod_is_thin, "the rod's radius is -1", s->body[ROD].rod.radius = -1)                                           \
    X(motion_has_no_axis, "axis of its motion has length zero", s->body[TABLE].moving.axis = trm_v3(0, 0, 0))        \
    X(motion_is_not_a_formula, "\"moving.position[0]\": ", s->body[TABLE].moving.position[0].expression = "2*+")     \
    X(angle_is_not_a_formula, "\"moving.angle\": ", s->body[TABLE].moving.angle.expression = "warp*t")               \
    X(point_name_has_a_comma, "must not contain", s->point.name = "P,Q")                                             \
    X(point_has_no_name, "has no name", s->point.name = NULL; s->point.position.x = NAN)                             \
    X(point_is_infinite, "\"P\" is [", s->point.position.z = INFINITY)

#define SPOILED_SHAPES(X)                                                                                            \
    X(shape_has_no_type, "no shape type \"\"; the types are", s->ball.type = NULL)                                   \
    X(shape_type_is_nearly_right, "did you mean \"capsule\"", s->shape[CAPSULE].type = "capsul")                     \
    X(sphere_has_no_radius, "\"radius\" is 0", s->ball.radius = 0)                                                   \
    X(cylinder_is_infinite, "\"length\" is inf", s->shape[CYLINDER].length = INFINITY)                               \
    X(brick_is_flat, "\"size\" is [0.3, 0, 0.5]", s->shape[BRICK].size.y = 0)                                        \
    X(mesh_has_no_scale, "\"scale\" is [1, 0, 1]", s->shape[MESH].scale.y = 0)                                       \
    X(plane_has_no_normal, "\"normal\" has length zero", s->plane.normal = trm_v3(0, 0, 0))                          \
    X(density_is_negative, "\"density\" is -5", s->shape[BRICK].density = -5)                                        \
    X(shape_friction_is_negative, "\"friction\" is -1; it must not be negative", s->ball.friction = -1)              \
    X(shape_bounces_more_than_it_falls, "\"restitution\" is 2; it must lie between 0 and 1",                         \
      s->ball.restitution = 2)                                                                                       \
    X(shape_orientation_is_zero, "zero quaternion", s->ball.orientation = (trm_quat){0, 0, 0, 0})                    \
    X(hull_is_flat, "the hull has no volume", s->shape[HULL].points = flat)                                          \
    X(mesh_is_open, "the mesh is not closed", s->shape[MESH].triangle_count = 3)                                     \
    X(mesh_is_inside_out, "inside out", s->shape[MESH].triangles = faces_inside_out)

#define SPOILED_JOINTS(X)                                                                                            \
    X(joint_type_is_unknown, "no joint type \"hing\"; the nearest is \"hinge\"", s->joint[BALL].type = "hing")       \
    X(joint_has_no_type, "no joint type \"\"", s->joint[FIXED].type = NULL)                                          \
    X(joint_has_no_name, "has no name", s->joint[SLIDER].name = NULL)                                                \
    X(joint_name_is_taken, "taken by the joint of line 30", s->joint[SLIDER].name = "hinge")                         \
    X(joint_has_one_body, "does not say on which body", s->joint[BALL].bodies[1] = NULL)                             \
    X(joint_body_is_nearly_right, "did you mean 'box'?", s->joint[BALL].bodies[0] = "bux")                           \
    X(joint_body_is_unknown, "bodies are defined under", s->joint[BALL].bodies[0] = "pneumatics")                    \
    X(joint_joins_a_body_with_itself, "joins the body 'box' with itself", s->joint[BALL].bodies[1] = "box")          \
    X(joint_cannot_yield, "neither of which can move freely", s->joint[SLIDER].bodies[1] = "table")                  \
    X(joint_turns_a_point, "'p' is a point mass", s->joint[HINGE].bodies[1] = "p")                                   \
    X(joint_has_both_anchors, "both \"anchor\"", s->joint[BALL].anchors[0] = trm_v3(0, 0, 0))                        \
    X(anchor_is_infinite, "\"anchor\" must be finite", s->joint[BALL].anchor.x = INFINITY)                           \
    X(anchors_are_half_given, "\"anchors\" must be finite", s->joint[DISTANCE].anchors[1].y = INFINITY)              \
    X(anchor_is_missing, "needs \"anchor\": ", s->joint[BALL].anchor.x = NAN)                                        \
    X(distance_has_no_anchors, "needs \"anchors\": ", s->joint[DISTANCE].anchors[0].x = NAN;                         \
      s->joint[DISTANCE].anchors[1].x = NAN)                                                                         \
    X(anchor_is_off_the_point, "0.5 m off the point mass 'p'", s->joint[DISTANCE].anchors[1].x = 0.5)                \
    X(axis_is_missing, "needs \"axis\": ", s->joint[HINGE].axis.x = NAN)                                             \
    X(axis2_is_missing, "needs \"axis2\": ", s->joint[UNIVERSAL].axis2.x = NAN)                                      \
    X(axis_has_no_direction, "which has no direction", s->joint[HINGE].axis = trm_v3(0, 0, 0))                       \
    X(joint_has_both_axes, "both \"axis\"", s->joint[HINGE].axes[0] = trm_v3(0, 0, 1))                               \
    X(axes_are_half_given, "needs \"axes\"", s->joint[HINGE].axis.x = NAN; s->joint[HINGE].axes[0] = trm_axis(2))    \
    X(axes_are_opposite, "180 degrees apart at the start", s->joint[HINGE].axis.x = NAN;                             \
      s->joint[HINGE].axes[0] = trm_axis(2); s->joint[HINGE].axes[1] = trm_v3_neg(trm_axis(2)))                      \
    X(axes_are_not_square, "must be perpendicular", s->joint[UNIVERSAL].axis2 = trm_v3(1, 1, 0))                     \
    X(distance_is_zero, "\"length\" is 0 m", s->joint[DISTANCE].length = 0)                                          \
    X(limits_are_reversed, "\"limits\" are [1, -1]", s->joint[HINGE].limits[0] = 1; s->joint[HINGE].limits[1] = -1)  \
    X(stop_bounces_too_much, "\"limit_restitution\" is 1.5", s->joint[HINGE].limit_restitution = 1.5)                \
    X(joint_friction_is_negative, "\"friction\" is -1", s->joint[HINGE].friction = -1)                               \
    X(joint_is_broken, "\"break\" must be", s->joint[HINGE].break_torque = 0)                                        \
    X(joint_closes_too_much, "\"erp\" is 1.5; it must lie between 0", s->joint[HINGE].erp = 1.5)                     \
    X(joint_opens_gaps, "\"erp\" is -0.1", s->joint[HINGE].erp = -0.1)                                               \
    X(joint_cfm_is_negative, "\"cfm\" is -1; it must not be negative", s->joint[DRIVE].cfm = -1)                     \
    X(joint_cfm_is_infinite, "\"cfm\" is inf", s->joint[BALL].cfm = INFINITY)                                        \
    X(joint_spring_has_no_stiffness, "\"d\" but no \"k\"", s->joint[BALL].spring_damping = 1)                        \
    X(joint_spring_is_slack, "\"spring.k\" is 0; it must be", s->joint[BALL].spring_stiffness = 0)                   \
    X(joint_spring_is_infinite, "\"spring.k\" is inf", s->joint[BALL].spring_stiffness = INFINITY)                   \
    X(joint_spring_drives, "\"spring.d\" is -1", s->joint[BALL].spring_stiffness = 1;                                \
      s->joint[BALL].spring_damping = -1)                                                                            \
    X(joint_has_spring_and_erp, "both \"spring\" and \"erp\"", s->joint[BALL].spring_stiffness = 1;                  \
      s->joint[BALL].erp = 0.5)                                                                                      \
    X(joint_has_spring_and_cfm, "both \"spring\" and \"cfm\"", s->joint[BALL].spring_stiffness = 1;                  \
      s->joint[BALL].cfm = 0)                                                                                        \
    X(q0_is_infinite, "\"q0\" must be finite", s->joint[HINGE].q0[0] = INFINITY)                                     \
    X(drive_has_no_joint, "acts on the joint '', which does not exist", s->joint[DRIVE].joint = NULL)                \
    X(drive_has_a_host_of_three, "a ball with 3 free coordinates", s->joint[DRIVE].joint = "ball")                   \
    X(drive_is_not_a_formula, "\"motion\": ", s->joint[DRIVE].motion.expression = "sin(")

#define SPOILED_FORCES(X)                                                                                            \
    X(force_type_is_unknown, "no force type \"sprung\"", s->force[SPRING].type = "sprung")                           \
    X(force_type_is_built_in, "no force type \"gravity\"", s->force[PUSH].type = "gravity")                          \
    X(force_has_no_body, "does not say on which body", s->force[PUSH].body = NULL)                                   \
    X(force_body_is_unknown, "there is no body", s->force[SPRING].bodies[1] = "q")                                   \
    X(torque_turns_a_point, "which has no orientation", s->force[TWIST].body = "p")                                  \
    X(spring_pulls_at_itself, "joins the body 'box' with itself", s->force[SPRING].bodies[0] = "box")                \
    X(spring_has_no_anchor, "needs \"anchors\": ", s->force[SPRING].anchors[1].x = NAN)                              \
    X(force_acts_nowhere, "\"at\" must be", s->force[TWIST].type = "force"; s->force[TWIST].at.x = INFINITY)         \
    X(force_acts_off_the_point, "2 m off the point mass 'p'", s->force[PUSH].at.z = 2)                               \
    X(spring_rests_at_less_than_nothing, "\"rest\" is -1 m", s->force[SPRING].rest = -1)                             \
    X(stiffness_is_missing, "needs \"stiffness\"", s->force[SPRING].stiffness = NAN)                                 \
    X(stiffness_is_negative, "not this one", s->force[SPRING].stiffness = -1)                                        \
    X(damping_is_negative, "\"damping\" is -1", s->force[SPRING].damping = -1)                                       \
    X(force_is_not_a_formula, "\"value\": ", s->force[TWIST].value[2].expression = "speed**t")

#define SPOILED_REST(X)                                                                                              \
    X(contact_friction_is_negative, "\"friction\" is -1", s->contact.friction = -1)                                  \
    X(contact_bounces_too_much, "\"restitution\" is 2", s->contact.restitution = 2)                                  \
    X(contact_rolls_negatively, "\"rolling\" is -1", s->contact.rolling = -1)                                        \
    X(contact_mu_is_negative, "\"mu\" number 2 is -1", s->mus[1] = -1)                                               \
    X(contact_speeds_fall, "\"speed\" must increase: number 3 is 0.05 after 0.1", s->speeds[2] = 0.05)               \
    X(contact_of_one_body, "names the same body twice", s->contact.bodies[1] = "box")                                \
    X(contact_body_is_unknown, "did you mean 'wall'?", s->contact.bodies[1] = "walls")                               \
    X(event_never_happens, "needs either \"at\"", s->event[TIMED].at = NAN)                                          \
    X(event_happens_twice, "needs either \"at\"", s->event[TOUCHED].at = 1)                                          \
    X(event_was_before, "\"at\" is -1 s", s->event[TIMED].at = -1)                                                   \
    X(event_does_nothing, "does nothing", s->event[TIMED].detach = NULL)                                             \
    X(event_detaches_nothing, "there is no joint 'bell'", s->event[TIMED].detach = "bell")                           \
    X(event_attaches_nothing, "there is no joint 'fix'", s->event[TOUCHED].attach = "fix")                           \
    X(event_of_one_body, "names the same body twice", s->event[TOUCHED].bodies[1] = "box")                           \
    X(sensor_has_no_name, "has no name", s->sensor[0].name = NULL)                                                   \
    X(sensor_name_is_taken, "taken by another sensor", s->sensor[1].name = "imu")                                    \
    X(sensor_has_no_type, "needs a \"type\"", s->sensor[0].type = NULL)                                              \
    X(sensor_senses_nothing, "to sense", s->sensor[0].body = NULL)                                                   \
    X(sensor_body_is_unknown, "there is no body", s->sensor[0].body = "bix")                                         \
    X(sensor_pair_is_one, "names the same body twice", s->sensor[0].type = "distance"; s->sensor[0].body = NULL;     \
      s->sensor[0].bodies[0] = s->sensor[0].bodies[1] = "box")                                                       \
    X(sensor_takes_no_joint, "takes \"body\", not \"joint\"", s->sensor[0].joint = "hinge")                          \
    X(sensor_takes_no_point, "takes no \"at\"", s->sensor[1].at.x = 1)                                               \
    X(sensor_takes_no_anchors, "takes no \"anchors\"", s->sensor[0].anchors[0] = trm_v3(0, 0, 0))                    \
    X(sensor_is_nowhere, "\"at\" must be", s->sensor[0].at.x = INFINITY)                                             \
    X(sensor_turns_with_a_point, "which has no orientation", s->sensor[0].body = "p")                                \
    X(sensor_lies_off_a_point, "off the point mass 'p'", s->sensor[0].type = "accelerometer";                        \
      s->sensor[0].body = "p"; s->sensor[0].at.x = 1)                                                                \
    X(sensor_of_three_angles, "a ball with 3 free coordinates", s->sensor[1].joint = "ball")                         \
    X(sensor_has_no_joint, "needs a \"joint\" to sense", s->sensor[1].joint = NULL)                                  \
    X(sensor_has_half_a_pair, "needs two \"bodies\"", s->sensor[0].type = "distance"; s->sensor[0].body = NULL;      \
      s->sensor[0].bodies[0] = "box")                                                                                \
    X(sensor_column_is_of_a_body, "is that of a body", s->sensor[0].name = "box")                                    \
    X(sensor_column_is_of_a_joint, "is that of a joint", s->sensor[1].name = "hinge"; s->sensor[1].type = "force")   \
    X(sensor_column_is_of_all, "column of all results", s->sensor[1].name = "E_kin")                                 \
    X(sensor_rate_is_infinite, "must not be negative", s->sensor[0].rate = INFINITY)                                 \
    X(sensor_joint_is_unknown, "there is no joint 'hange'", s->sensor[1].joint = "hange")                            \
    X(sensor_rate_is_negative, "must not be negative", s->sensor[0].rate = -1)                                       \
    X(no_collide_pair_is_one, "names the same body twice", s->pair.bodies[0] = "solid")                              \
    X(no_collide_pair_is_half, "the names of two bodies", s->pair.bodies[1] = NULL)                                  \
    X(default_friction_is_negative, "the default \"friction\" is -1", s->def.friction = -1)                          \
    X(default_restitution_is_large, "the default \"restitution\" is 2", s->def.restitution = 2)                      \
    X(step_is_zero, "\"step\" is 0", s->def.simulation.step = 0)                                                     \
    X(time_is_negative, "\"time\" is -1 s", s->def.simulation.time = -1)                                             \
    X(order_is_broken, "\"order\" is 2.5", s->def.simulation.order = 2.5)                                            \
    X(tolerance_is_zero, "\"tolerance.position\" is 0", s->def.simulation.position_tolerance = 0)                    \
    X(angle_tolerance_is_infinite, "\"tolerance.angle\" is inf", s->def.simulation.angle_tolerance = INFINITY)       \
    X(velocity_tolerance_is_negative, "\"tolerance.velocity\" is -1", s->def.simulation.velocity_tolerance = -1)     \
    X(error_is_zero, "\"error\" is 0", s->def.simulation.error = 0)                                                  \
    X(rows_are_endless, "\"every\" is 0", s->def.simulation.every = 0)

#define SPOILED_A_LITTLE(X)                                                                                          \
    X(orientation_is_long, "has length 2 and was normalised", s->body[BOX].orientation = (trm_quat){2, 0, 0, 0})     \
    X(triangle_fails_by_rounding, "by rounding; give more digits",                                                   \
      turned_inertia(trm_v3(1, 1, 2 + 1e-9), trm_quat_identity(), s->body[SPARE].inertia))                           \
    X(inertia_is_larger_than_the_shape, "no solid within its shapes", s->ball.radius = 0.2)                          \
    X(axes_are_nearly_parallel, "nearly parallel at the start", s->joint[UNIVERSAL].axis.x = NAN;                    \
      s->joint[UNIVERSAL].axis2.x = NAN; give_parallel_axes(&s->joint[UNIVERSAL]))

static void fill_nan(trm_body_def *body)
{
    for (int i = 0; i < 6; i++) body->inertia[i] = NAN;
}

/* Five degrees apart in the world: the rod's frame is turned by 45 degrees about z, the solid's is not. */
static void give_parallel_axes(trm_joint_def *joint)
{
    joint->axes[0] = trm_v3(1, 0, 0);
    joint->axes[1] = trm_v3(cos(50 * TRM_PI / 180), sin(50 * TRM_PI / 180), 0);
}

#define DEFINE_SPOIL(name, piece, ...)                                                                               \
    static void name(sound *s)                                                                                       \
    {                                                                                                                \
        __VA_ARGS__;                                                                                                 \
    }
SPOILED_BODIES(DEFINE_SPOIL)
SPOILED_SHAPES(DEFINE_SPOIL)
SPOILED_JOINTS(DEFINE_SPOIL)
SPOILED_FORCES(DEFINE_SPOIL)
SPOILED_REST(DEFINE_SPOIL)
SPOILED_A_LITTLE(DEFINE_SPOIL)

typedef struct spoil {
    const char *name, *piece;
    void (*apply)(sound *s);
} spoil;

#define LIST_SPOIL(name, piece, ...) {#name, piece, name},

static bool is_said(const trm_messages *messages, const char *piece)
{
    for (int i = 0; i < trm_message_count(messages); i++)
        if (strstr(trm_message_at(messages, i)->text, piece)) return true;
    return false;
}

/* Asserts that the definition gives one message with the piece: an error and no model, or a warning and a model. */
static void assert_is_said(const spoil *spoiled, trm_status expected)
{
    sound s;
    make_sound(&s);
    spoiled->apply(&s);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = NULL;
    const trm_status status = trm_model_create(&s.def, NULL, messages, &model);
    const int errors = trm_error_count(messages), count = trm_message_count(messages);
    const bool said = is_said(messages, spoiled->piece), made = model != NULL;
    if (!said || count != 1 || status != expected) {
        print_error("%s: wanted \"%s\", got\n", spoiled->name, spoiled->piece);
        for (int i = 0; i < count; i++) {
            char text[500];
            trm_format_message(trm_message_at(messages, i), text, sizeof text);
            print_error("  %s\n", text);
        }
    }
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    assert_true(said);
    assert_int_equal(status, expected);
    assert_int_equal(errors, expected == TRM_OK ? 0 : 1);
    assert_int_equal(count, 1);
    assert_int_equal(made, expected == TRM_OK);
}

static void every_fault_is_refused_with_one_message_that_names_it(void **state)
{
    (void)state;
    const spoil spoils[] = {SPOILED_BODIES(LIST_SPOIL) SPOILED_SHAPES(LIST_SPOIL) SPOILED_JOINTS(LIST_SPOIL)
                                SPOILED_FORCES(LIST_SPOIL) SPOILED_REST(LIST_SPOIL)};
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) assert_is_said(&spoils[i], TRM_BAD_INPUT);
}

static void unusual_definitions_are_built_with_a_warning(void **state)
{
    (void)state;
    const spoil spoils[] = {SPOILED_A_LITTLE(LIST_SPOIL)};
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) assert_is_said(&spoils[i], TRM_OK);
}

static void all_errors_are_reported_at_once_with_their_places(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    s.def.file = "m.json";
    s.body[BOX].mass = -1;
    s.joint[BALL].bodies[0] = "bux";
    s.joint[HINGE].friction = -1;
    s.force[SPRING].stiffness = NAN;
    s.sensor[0].rate = -1, s.sensor[0].place.line = 50;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = NULL;
    assert_int_equal(trm_model_create(&s.def, NULL, messages, &model), TRM_BAD_INPUT);
    assert_null(model);
    assert_int_equal(trm_error_count(messages), 4); /* no message about the spring, which refers to the faulty box */
    const trm_message *first = trm_message_at(messages, 0);
    assert_string_equal(first->place.file, "m.json");
    assert_int_equal(first->place.line, 10);
    assert_string_equal(first->element, "body 'box'");
    assert_true(is_said(messages, "did you mean 'box'?"));
    assert_true(is_said(messages, "\"friction\" is -1"));
    assert_true(is_said(messages, "must not be negative"));
    trm_messages_destroy(messages);
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static void assert_vec_near(trm_vec3 actual, trm_vec3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

static double component(trm_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* Asserts that each expected moment, about its axis in the body frame, is among those of the body; the sign of the
 * axis is free. */
static void assert_principal(const trm_body_info *info, trm_vec3 moments, trm_quat axes)
{
    /* axes whose moments differ by a tenth are accurate to ten roundings */
    const double apart = 10;
    for (int i = 0; i < 3; i++) {
        int nearest = 0;
        for (int k = 1; k < 3; k++)
            if (fabs(component(info->moments, k) - component(moments, i)) <
                fabs(component(info->moments, nearest) - component(moments, i)))
                nearest = k;
        assert_near(component(info->moments, nearest), component(moments, i), rounding * component(moments, i));
        const double cosine =
            trm_v3_dot(trm_rotate(info->principal.q, trm_axis(nearest)), trm_rotate(axes, trm_axis(i)));
        const trm_vec3 off = trm_v3_sub(trm_rotate(info->principal.q, trm_axis(nearest)),
                                        trm_v3_scale(copysign(1, cosine), trm_rotate(axes, trm_axis(i))));
        assert_near(trm_v3_length(off), 0, apart * rounding);
    }
}

static void turned_axes_and_products_give_the_same_principal_body(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(1);
    const trm_vec3 moments = {1, 1.3, 1.7};
    for (int n = 0; n < 100; n++) {
        trm_body_def body = random_body(&random, "b");
        const trm_quat axes = random_rotation(&random);
        turned_inertia(moments, axes, body.inertia);
        trm_model *model = create_of_body(&body);
        const trm_body_info info = trm_body_info_of(model, 1);
        assert_principal(&info, moments, axes);
        assert_true(info.mass == body.mass);
        assert_vec_near(info.principal.p, body.com, 0);

        /* the inertia in world axes is that of the definition */
        const trm_mat3 R = trm_quat_matrix(model->bodies[1].start.q), Q = trm_quat_matrix(body.orientation);
        const trm_mat3 J = trm_mat_mul(R, trm_mat_mul(trm_diag(info.moments), trm_transpose(R)));
        const double *i = body.inertia;
        const trm_mat3 given = {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
        const trm_mat3 expected = trm_mat_mul(Q, trm_mat_mul(given, trm_transpose(Q)));
        for (int c = 0; c < 3; c++) assert_vec_near(trm_column(J, c), trm_column(expected, c), rounding);
        trm_model_destroy(model);
    }
}

static void the_start_is_that_of_the_centre_of_mass(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(2);
    for (int n = 0; n < 100; n++) {
        const trm_body_def def = random_body(&random, "b");
        trm_model *model = create_of_body(&def);
        const trm_body *body = &model->bodies[1];
        const trm_vec3 arm = trm_rotate(def.orientation, def.com);
        assert_vec_near(body->start.p, trm_v3_add(def.position, arm), rounding);
        assert_vec_near(body->start_velocity.ang, def.angular_velocity, 0);
        assert_vec_near(body->start_velocity.lin, trm_v3_add(def.velocity, trm_v3_cross(def.angular_velocity, arm)),
                        rounding);
        const trm_pose frame = trm_pose_mul(body->start, trm_pose_inverse(body->X_BP));
        assert_vec_near(frame.p, def.position, rounding);
        assert_vec_near(trm_rotate(frame.q, trm_v3(1, 2, 3)), trm_rotate(def.orientation, trm_v3(1, 2, 3)),
                        10 * rounding);
        trm_model_destroy(model);
    }
}

static trm_vec3 sorted(trm_vec3 v)
{
    const double least = fmin(v.x, fmin(v.y, v.z)), most = fmax(v.x, fmax(v.y, v.z));
    return trm_v3(least, fmax(fmin(v.x, v.y), fmin(fmax(v.x, v.y), v.z)), most);
}

/* Mass and moments of solids of 100 kg/m^3 with the sizes of make_shapes, each alone and away from the origin. */
static void shapes_with_density_have_their_closed_forms(void **state)
{
    (void)state;
    const double r = 0.2, l = 0.5, pi = TRM_PI;
    const double sphere = 100 * 4.0 / 3 * pi * r * r * r, cylinder = 100 * pi * r * r * l;
    const double brick = 100 * 0.3 * 0.4 * 0.5, corner = 100.0 / 6;
    const double masses[SHAPES] = {sphere, brick, sphere + cylinder, cylinder, corner, corner};
    const double J_sphere = 0.4 * sphere * r * r, J_across = cylinder * (r * r / 4 + l * l / 12);
    const double J_caps = J_sphere + sphere * (l * l / 4 + 3.0 / 8 * l * r);
    const trm_vec3 moments[SHAPES] = {
        {J_sphere, J_sphere, J_sphere},
        {brick / 12 * 0.41, brick / 12 * 0.34, brick / 12 * 0.25},
        {J_across + J_caps, J_across + J_caps, cylinder * r * r / 2 + J_sphere},
        {J_across, J_across, cylinder * r * r / 2},
        {corner / 16, corner / 16, corner / 10}, /* 1/10 m about the diagonal of the cube whose corner the solid is */
        {corner / 16, corner / 16, corner / 10},
    };
    sound s;
    make_sound(&s);
    for (int i = 0; i < SHAPES; i++) {
        trm_body_def body = s.body[SOLID];
        trm_shape_def shape = s.shape[i];
        shape.position = trm_v3(1, 2, 3);
        body.shapes = &shape, body.shape_count = 1;
        trm_model *model = create_of_body(&body);
        const trm_body_info info = trm_body_info_of(model, 1);
        assert_near(info.mass, masses[i], rounding * masses[i]);
        const double off = i < HULL ? 0 : 0.25; /* the centre of the corner is at a quarter of its sides */
        assert_vec_near(info.principal.p, trm_v3_add(shape.position, trm_v3(off, off, off)), 10 * rounding);
        assert_vec_near(sorted(info.moments), sorted(moments[i]), 10 * rounding);
        trm_model_destroy(model);
    }
}

static void shapes_add_up_about_their_common_centre(void **state)
{
    (void)state;
    trm_shape_def ends[2] = {solid_shape("sphere", 100), solid_shape("sphere", 300)};
    ends[0].radius = ends[1].radius = 0.1;
    ends[0].position = trm_v3(-1, 0, 0), ends[1].position = trm_v3(1, 0, 0);
    trm_body_def body = trm_default_body_def();
    body.name = "dumb-bell";
    body.shapes = ends, body.shape_count = 2;
    trm_model *model = create_of_body(&body);
    const trm_body_info info = trm_body_info_of(model, 1);
    const double one = 100 * 4.0 / 3 * TRM_PI * 1e-3, own = 0.4 * 4 * one * 0.01;
    assert_near(info.mass, 4 * one, rounding);
    assert_vec_near(info.principal.p, trm_v3(0.5, 0, 0), rounding);
    assert_vec_near(info.moments, trm_v3(own, own + 3 * one, own + 3 * one), 10 * rounding);
    /* the shapes are where they were given, relative to the principal frame */
    assert_vec_near(trm_pose_point(info.principal, model->bodies[1].shapes[0].pose.p), ends[0].position, rounding);
    trm_model_destroy(model);
}

static void a_vanishing_moment_is_raised(void **state)
{
    (void)state;
    trm_body_def body = massive("needle", trm_v3(0, 0, 0));
    turned_inertia(trm_v3(0, 3, 3), trm_quat_identity(), body.inertia);
    trm_model *model = create_of_body(&body);
    const trm_body_info info = trm_body_info_of(model, 1);
    assert_near(info.moments.x, 3e-8, rounding * 3e-8);
    assert_true(info.moments.y == 3 && info.moments.z == 3);
    trm_model_destroy(model);
}

static void a_rod_is_the_body_made_by_hand(void **state)
{
    (void)state;
    const double m = 2, r = 0.1, l = 5, across = m * (r * r / 4 + l * l / 12);
    trm_body_def rod = trm_default_body_def();
    rod.name = "rod";
    rod.kind = TRM_BODY_ROD;
    rod.rod = (trm_rod_def){{1, 2, 3}, {1, 5, 7}, m, r};
    rod.velocity = trm_v3(1, 0, 0), rod.angular_velocity = trm_v3(0, 2, 0);
    trm_body_def hand = massive("hand", trm_v3(1, 3.5, 5));
    turned_inertia(trm_v3(m * r * r / 2, across, across), trm_quat_identity(), hand.inertia);
    hand.orientation = trm_quat_between(trm_axis(0), trm_v3(0, 0.6, 0.8));
    hand.velocity = rod.velocity, hand.angular_velocity = rod.angular_velocity;

    trm_model *a = create_of_body(&rod), *b = create_of_body(&hand);
    assert_int_equal(trm_body_info_of(a, 1).kind, TRM_BODY_RIGID);
    assert_near(trm_body_info_of(a, 1).mass, trm_body_info_of(b, 1).mass, 0);
    assert_vec_near(trm_body_info_of(a, 1).moments, trm_body_info_of(b, 1).moments, rounding);
    assert_vec_near(a->bodies[1].start.p, b->bodies[1].start.p, rounding);
    assert_vec_near(a->bodies[1].start_velocity.lin, b->bodies[1].start_velocity.lin, 0);
    const trm_vec3 end = {l / 2, 0, 0};
    assert_vec_near(trm_pose_point(a->bodies[1].start, end), rod.rod.to, 10 * rounding);
    assert_vec_near(trm_pose_point(b->bodies[1].start, end), rod.rod.to, 10 * rounding);
    trm_model_destroy(a);
    trm_model_destroy(b);
}

static void bodies_that_do_not_yield_have_no_mass_and_their_own_start(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    s.body[WALL].position = trm_v3(1, 2, 3);
    s.body[WALL].velocity = trm_v3(4, 4, 4); /* without effect */
    s.body[POINT].angular_velocity = trm_v3(5, 5, 5);
    trm_model *model = create(&s.def);
    const trm_body *wall = &model->bodies[trm_find_body(model, "wall")];
    const trm_body *table = &model->bodies[trm_find_body(model, "table")];
    const trm_body *point = &model->bodies[trm_find_body(model, "p")];
    assert_true(wall->mass == 0 && wall->inverse_mass == 0 && table->inverse_mass == 0);
    assert_vec_near(wall->start.p, trm_v3(1, 2, 3), 0);
    assert_true(trm_v3_length(wall->start_velocity.lin) == 0);
    assert_true(trm_v3_length(point->start_velocity.ang) == 0);
    assert_near(trm_v3_length(trm_quat_log(table->start.q)), 0.5, rounding);
    assert_near(table->start_velocity.ang.z, 1, rounding); /* d/dt (0.5 + sin t) at 0 */
    assert_near(table->start_velocity.lin.x, 2, rounding); /* the constant "speed" */
    assert_int_equal(trm_body_freedoms(wall), 0);
    assert_int_equal(trm_body_freedoms(point), 3);
    assert_int_equal(trm_body_freedoms(&model->bodies[1]), 6);
    trm_model_destroy(model);
}

/* ---- The whole model ---------------------------------------------------------------------- */

static void a_sound_model_can_be_asked(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    trm_model *model = create(&s.def);
    memset(&s, 0x55, sizeof s); /* the model must not refer to the definition */
    assert_string_equal(trm_model_name(model), "all kinds of elements");
    assert_vec_near(trm_model_gravity(model), trm_v3(0, 0, -9.81), 0);
    assert_int_equal(trm_body_count(model), BODIES + 1);
    assert_int_equal(trm_find_body(model, "ground"), 0);
    assert_int_equal(trm_find_body(model, "box"), 1 + BOX);
    assert_int_equal(trm_find_body(model, "bux"), -1);
    assert_string_equal(trm_body_info_of(model, 1 + BOX).points[0].name, "P");
    assert_int_equal(trm_joint_count(model), JOINTS);
    const int drive = trm_find_joint(model, "drive(hinge)");
    assert_int_equal(drive, JOINTS - 1);
    const trm_joint_info info = trm_joint_info_of(model, drive);
    assert_string_equal(info.type, "drive");
    assert_string_equal(info.row_names[0], "driven coordinate");
    assert_int_equal(info.bodies[1], 1 + BOX);
    assert_int_equal(trm_joint_info_of(model, trm_find_joint(model, "slider")).rows, 5);
    assert_int_equal(model->row_count, 5 + 3 + 4 + 5 + 6 + 1 + 1);
    assert_int_equal(model->memory_count, 1 + 2 + 2 * EVENTS); /* memory of hinge, universal and events */
    assert_int_equal(trm_setting_count(model), 0);
    assert_int_equal(trm_force_count(model), FORCES + 5); /* and the weights of box, rod, p, solid, spare */
    assert_true(model->collisions.may_collide);
    assert_string_equal(trm_model_simulation(model)->options[0].text, "dantzig");
    trm_model_destroy(model);
}

/* Omitted values follow from the start: anchors of point masses, lengths of rods and springs. */
static void omitted_values_follow_from_the_start(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    s.body[SPARE] = s.body[POINT];
    s.body[SPARE].name = "p2";
    s.body[SPARE].position = trm_v3(0, 4, 6);
    s.joint[DISTANCE] = trm_default_joint_def();
    s.joint[DISTANCE].name = "distance", s.joint[DISTANCE].type = "distance";
    s.joint[DISTANCE].bodies[0] = "p", s.joint[DISTANCE].bodies[1] = "p2";
    s.joint[BALL].bodies[1] = "p";
    s.joint[BALL].anchor.x = NAN;
    trm_model *model = create(&s.def);
    const trm_joint *distance = &model->joints[trm_find_joint(model, "distance")];
    const trm_joint *ball = &model->joints[trm_find_joint(model, "ball")];
    assert_near(distance->length, 5, rounding);
    assert_near(trm_v3_length(distance->frame[0].p) + trm_v3_length(distance->frame[1].p), 0, 0);
    assert_vec_near(trm_pose_point(model->bodies[1 + BOX].start, ball->frame[0].p), trm_v3(0, 0, 3), rounding);
    assert_vec_near(ball->frame[1].p, trm_v3(0, 0, 0), 0);
    assert_near(model->forces[SPRING].rest, sqrt(10), rounding); /* from (0, 0, 3) to (1, 0, 0) */
    trm_model_destroy(model);
}

static void hosted_joints_come_last_wherever_they_are_defined(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    const trm_joint_def drive = s.joint[DRIVE];
    memmove(s.joint + 1, s.joint, (JOINTS - 1) * sizeof *s.joint);
    s.joint[0] = drive;
    trm_model *model = create(&s.def);
    assert_int_equal(trm_find_joint(model, "drive(hinge)"), JOINTS - 1);
    assert_int_equal(trm_find_joint(model, "hinge"), 0);
    for (int i = 1; i < JOINTS; i++) {
        const trm_joint *last = &model->joints[i - 1], *joint = &model->joints[i];
        assert_int_equal(joint->row_offset, last->row_offset + last->rows);
        assert_int_equal(joint->memory_offset, last->memory_offset + last->memory_count);
    }
    trm_model_destroy(model);
}

static void the_fingerprint_tells_soft_joints_apart(void **state)
{
    (void)state;
    enum { CASES = 6 };
    uint64_t seen[CASES];
    for (int i = 0; i < CASES; i++) {
        sound s;
        make_sound(&s);
        if (i == 1) s.joint[BALL].erp = 0.5;
        if (i == 2) s.joint[BALL].cfm = 0.5;
        if (i == 3 || i == 4) s.joint[BALL].spring_stiffness = 5;
        if (i == 4) s.joint[BALL].spring_damping = 1;
        if (i == 5) s.joint[BALL].erp = -NAN; /* NAN: not given */
        trm_model *model = create(&s.def);
        seen[i] = model->fingerprint;
        trm_model_destroy(model);
    }
    for (int i = 0; i < CASES; i++)
        for (int k = 0; k < i; k++) assert_int_equal(seen[i] == seen[k], i == 5 && k == 0);
}

/* Its limits and its friction have rows of their own, which are not soft. */
static void a_joint_is_soft_but_not_its_stops(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    s.joint[HINGE].spring_stiffness = 5;
    s.joint[HINGE].limits[0] = -1;
    s.joint[HINGE].friction = 0.5;
    s.joint[DRIVE].erp = 0.25;
    s.joint[DRIVE].cfm = 0;
    trm_model *model = create(&s.def);
    const trm_joint *hinge = &model->joints[trm_find_joint(model, "hinge")];
    const trm_joint *drive = &model->joints[trm_find_joint(model, "drive(hinge)")];
    int made = 0;
    assert_near(hinge->spring_stiffness, 5, 0);
    assert_near(hinge->spring_damping, 0, 0);
    assert_near(drive->erp, 0.25, 0);
    assert_near(drive->cfm, 0, 0);
    assert_true(isnan(hinge->erp) && isnan(hinge->cfm) && isnan(drive->spring_stiffness));
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *part = &model->joints[j];
        if (part == drive || part->host != hinge) continue;
        assert_true(isnan(part->erp) && isnan(part->cfm) && isnan(part->spring_stiffness));
        made++;
    }
    assert_true(made >= 2);
    trm_model_destroy(model);
}

static void the_fingerprint_tells_models_apart(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    trm_model *first = create(&s.def), *same = create(&s.def);
    s.body[SPARE].mass = 2.5;
    trm_model *heavier = create(&s.def);
    s.body[SPARE].mass = 2;
    s.joint[BALL].name = "b";
    s.event[TIMED].detach = "b";
    trm_model *renamed = create(&s.def);
    assert_true(first->fingerprint == same->fingerprint);
    assert_true(first->fingerprint != heavier->fingerprint);
    assert_true(first->fingerprint != renamed->fingerprint);
    trm_model_destroy(first);
    trm_model_destroy(same);
    trm_model_destroy(heavier);
    trm_model_destroy(renamed);
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Builds with an allocator that refuses its k-th call; returns whether the model was built. */
static bool build_with_refusal(const trm_model_def *def, long k, bool for_good, trm_status when_enough)
{
    failing_allocator memory;
    failing_allocator_reset(&memory, k, for_good);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_messages *messages = trm_messages_create(&hooks);
    trm_model *model = NULL;
    if (messages) {
        const trm_status status = trm_model_create(def, &hooks, messages, &model);
        assert_int_equal(status, memory.refusals > 0 ? TRM_OUT_OF_MEMORY : when_enough);
        assert_int_equal(model != NULL, status == TRM_OK);
    }
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    assert_true(failing_allocator_is_clean(&memory));
    return memory.refusals == 0;
}

/* Memory is allocated in blocks, and used in pieces of 32 bytes; the name of the model grows by one piece at a time,
 * so that the end of a block coincides with each request in turn. */
static void assert_survives_refusals(trm_model_def *def)
{
    enum { LONGEST = 8192, LONGER_BY = 32 };
    static char name[LONGEST + 1];
    def->name = name;
    for (int length = 0; length < LONGEST; length += LONGER_BY) {
        memset(name, 'x', (size_t)length);
        name[length] = 0;
        for (int for_good = 0; for_good < 2; for_good++) {
            long k = 1;
            while (!build_with_refusal(def, k, for_good, TRM_OK)) k++;
            assert_true(k > 3);
        }
    }
}

static void a_model_survives_every_refusal_of_memory(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    assert_survives_refusals(&s.def);

    /* a body alone: no later element depends on what the body failed to allocate */
    s.def.body_count = 1;
    s.def.joint_count = s.def.force_count = s.def.contact_count = s.def.event_count = s.def.sensor_count = 0;
    s.def.no_collide_count = 0;
    assert_survives_refusals(&s.def);
}

static void errors_survive_every_refusal_of_memory(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    s.joint[BALL].bodies[0] = "bux";
    s.body[SPARE].mass = -1;
    for (int for_good = 0; for_good < 2; for_good++) {
        long k = 1;
        while (!build_with_refusal(&s.def, k, for_good, TRM_BAD_INPUT)) k++;
        assert_true(k > 3);
    }
}

static void a_definition_survives_every_refusal_of_memory(void **state)
{
    (void)state;
    bool done = false;
    for (long k = 1; !done; k++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_model_def *def = trm_model_def_create(&hooks);
        done = def != NULL;
        const trm_body_def body = trm_default_body_def();
        const trm_joint_def joint = trm_default_joint_def();
        const trm_force_def force = trm_default_force_def();
        for (int i = 0; done && i < 20; i++)
            done = trm_add_body(def, &body) == TRM_OK && trm_add_joint(def, &joint) == TRM_OK &&
                   trm_add_force(def, &force) == TRM_OK && trm_add_constant(def, "c", i) == TRM_OK;
        if (done) assert_int_equal(def->body_count + def->joint_count + def->force_count + def->constant_count, 80);
        assert_int_equal(done, memory.refusals == 0);
        trm_model_def_destroy(def);
        assert_true(failing_allocator_is_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_refused_with_one_message_that_names_it),
        cmocka_unit_test(unusual_definitions_are_built_with_a_warning),
        cmocka_unit_test(all_errors_are_reported_at_once_with_their_places),
        cmocka_unit_test(turned_axes_and_products_give_the_same_principal_body),
        cmocka_unit_test(the_start_is_that_of_the_centre_of_mass),
        cmocka_unit_test(shapes_with_density_have_their_closed_forms),
        cmocka_unit_test(shapes_add_up_about_their_common_centre),
        cmocka_unit_test(a_vanishing_moment_is_raised),
        cmocka_unit_test(a_rod_is_the_body_made_by_hand),
        cmocka_unit_test(bodies_that_do_not_yield_have_no_mass_and_their_own_start),
        cmocka_unit_test(a_sound_model_can_be_asked),
        cmocka_unit_test(omitted_values_follow_from_the_start),
        cmocka_unit_test(hosted_joints_come_last_wherever_they_are_defined),
        cmocka_unit_test(the_fingerprint_tells_models_apart),
        cmocka_unit_test(the_fingerprint_tells_soft_joints_apart),
        cmocka_unit_test(a_joint_is_soft_but_not_its_stops),
        cmocka_unit_test(a_model_survives_every_refusal_of_memory),
        cmocka_unit_test(errors_survive_every_refusal_of_memory),
        cmocka_unit_test(a_definition_survives_every_refusal_of_memory),
    };
    return RUN_TESTS(tests);
}
