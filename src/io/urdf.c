/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* URDF, the robot description format of ROS (wiki.ros.org/urdf/XML): a tree of links and joints.
 *
 *     link    inertial: mass, centre, moments about that; visual and collision shapes
 *     joint   origin: the child's frame in the parent's at q = 0; axis in the child's frame
 *             revolute, continuous -> hinge    prismatic -> slider    planar -> planar    floating -> none
 *             fixed -> both links are one body
 *             spherical, ball -> ball    universal -> universal    screw -> screw: types of PyBullet, MuJoCo and, as
 *             <drake:joint>, of Drake
 *             limit -> stops    dynamics -> damping and friction    mimic -> gear
 *
 * Roll, pitch, yaw are rotations about the fixed axes x, y, z in this order: R = Rz(yaw) Ry(pitch) Rx(roll). */

#include "io/urdf.h"

#include <math.h>
#include <string.h>

#include "io/resources.h"
#include "math/rotation.h"

/* Elements and attributes without a counterpart in a model, with reasons. */
static const trm_xml_reason REASONS[] = {
    {"a transmission drives nothing by itself; add a servo or a motor to the joint", "transmission"},
    {"it holds settings of another program",
     "gazebo/plugin gazebo/maxContacts gazebo/max_contacts gazebo/dampingFactor gazebo/velocity_decay "
     "gazebo/laserRetro gazebo/fudgeFactor gazebo/cfmDamping gazebo/implicitSpringDamper gazebo/provideFeedback "
     "gazebo/self_collide gazebo/enable_wind gazebo/allow_auto_disable gazebo/physics gazebo/controller gazebo/mesh "
     "transmission/type transmission/leftActuator transmission/rightActuator transmission/motorTorqueConstant "
     "hardwareInterface actuator/motorTorqueConstant joint@drake:controller_gains drake:controller_gains mujoco"},
    {"sensors are added to the model file", "gazebo/sensor sensor"},
    {"--base says whether the robot is fixed", "gazebo/static"},
    {"colours are those of the links", "gazebo/material gazebo/visual"},
    {"contacts are rigid",
     "gazebo/kp gazebo/kd gazebo/maxVel gazebo/minDepth surface/contact torsional/ode drake:proximity_properties"},
    {"friction is the same in all directions", "gazebo/fdir1"},
    {"restitution is added to the model file", "surface/bounce"},
    {"mu1 of the link is read", "friction/ode"},
    {"patch_radius gives the lever arm of torsional friction", "torsional/use_patch_radius"},
    {"contacts are rigid; patch_radius gives the lever arm of torsional friction", "torsional/surface_radius"},
    {"stops are rigid", "gazebo/stopCfm gazebo/stopErp gazebo/stopKp gazebo/stopKd"},
    {"links on fixed joints are one body", "gazebo/preserveFixedJoint gazebo/disableFixedJointLumping"},
    {"bushings are not read; add a spring or a loop to the model file",
     "drake:linear_bushing_rpy drake:diagonal_linear_bushing"},
    {"add no_collide to the model file", "drake:collision_filter_group"},
    {"joints have no rated acceleration",
     "limit@drake:acceleration limit@acceleration limit@deceleration limit@jerk"},
    {"it configures controllers of ROS", "ros2_control"},
    {"soft limits belong to a controller", "safety_controller"},
    {"it belongs to the real robot's encoders", "calibration"},
    {"only colours are read", "material/texture"},
    {"no <material> of this name has a colour", "material@name"},
    {"all versions are read alike", "robot@version"},
    {"it has no meaning in URDF", "link@type"},
    {"shapes have no names", "visual@name collision@name"},
    {"shapes have no groups", "visual@group collision@group"},
    {"a <geometry> has one shape, and the first is read",
     "geometry/box geometry/sphere geometry/cylinder geometry/capsule geometry/mesh"},
    {"collision shapes are not drawn", "collision/material"},
    {"it only says that there is more", "verbose"},
    {"contacts are rigid; friction is added to the model file", "contact"},
    {NULL, NULL},
};

trm_pose trm_urdf_origin(const trm_urdf *u, trm_xml *element)
{
    trm_xml *origin = trm_xml_child(element, "origin");
    double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
    if (origin) {
        trm_xml_numbers(origin, "xyz", xyz, 3, u->in->messages);
        trm_xml_numbers(origin, "rpy", rpy, 3, u->in->messages);
    }
    return (trm_pose){trm_quat_from_rpy(rpy[0], rpy[1], rpy[2]), {xyz[0], xyz[1], xyz[2]}};
}

/* Returns the first joint from this element on and marks it as used. Returns NULL if there is none. */
static trm_xml *joint_from(trm_xml *e)
{
    while (e && strcmp(e->name, "joint") != 0 && strcmp(e->name, "drake:joint") != 0) e = e->next;
    if (e) e->used = true;
    return e;
}

static int count(trm_xml *root, const char *name)
{
    int n = 0;
    for (trm_xml *e = trm_xml_child(root, name); e; e = trm_xml_again(e)) n++;
    return n;
}

/* Returns a required attribute. Returns "" after reporting that it is missing. */
static const char *required_attribute(const trm_urdf *u, trm_xml *element, const char *attribute)
{
    const char *value = trm_xml_value(element, attribute);
    if (value) return value;
    trm_add_error(u->in->messages, element->place, "<%s> has no attribute \"%s\"", element->name, attribute);
    return "";
}

/* ---- Links -------------------------------------------------------------------------------- */

/* Returns whether a material of this name has a colour already; warns if so. */
static bool has_material(const trm_urdf *u, const char *name, const trm_xml *element)
{
    for (int i = 0; i < u->material_count; i++)
        if (strcmp(u->materials[i].name, name) == 0) {
            trm_add_warning(u->in->messages, element->place, "there are two materials '%s'; the first is used", name);
            return true;
        }
    return false;
}

/* Reads named colours, to which links may refer. Returns false if out of memory. */
static bool read_materials(trm_urdf *u, trm_xml *root)
{
    u->materials = TRM_NEW_ARRAY(u->in->scratch, trm_urdf_material, count(root, "material"));
    for (trm_xml *e = u->materials ? trm_xml_child(root, "material") : NULL; e; e = trm_xml_again(e)) {
        trm_urdf_material *material = &u->materials[u->material_count];
        material->name = trm_xml_value(e, "name");
        if (!trm_urdf_read_material(u, e, &material->color)) return false;
        if (material->name && material->color && !has_material(u, material->name, e)) u->material_count++;
    }
    return u->materials != NULL;
}

/* Declares a link "world" if joints refer to it without a declaration, as in many files. */
static void add_world(trm_urdf *u, trm_xml *root)
{
    if (trm_names_find(&u->link_names, "world") >= 0) return;
    for (trm_xml *e = joint_from(root->first_child); e; e = joint_from(e->next)) {
        trm_xml *parent = trm_xml_child(e, "parent");
        const char *link = parent ? trm_xml_value(parent, "link") : NULL;
        if (!link || strcmp(link, "world") != 0) continue;
        u->links[u->link_count] =
            (trm_urdf_link){.name = "world", .place = parent->place, .joint = -1, .part = -1, .gravity = 1};
        trm_names_add(&u->link_names, "world", u->link_count++);
        return;
    }
}

static bool read_links(trm_urdf *u, trm_xml *root)
{
    const int n = count(root, "link");
    u->links = TRM_NEW_ARRAY(u->in->scratch, trm_urdf_link, n + 1);
    if (!u->links || !trm_names_init(&u->link_names, u->in->scratch, n + 1)) return false;
    for (trm_xml *e = trm_xml_child(root, "link"); e; e = trm_xml_again(e)) {
        trm_urdf_link *link = &u->links[u->link_count];
        *link = (trm_urdf_link){
            .name = required_attribute(u, e, "name"), .place = e->place, .joint = -1, .part = -1, .gravity = 1};
        if (trm_names_add(&u->link_names, link->name, u->link_count) != u->link_count)
            trm_add_error(u->in->messages, e->place, "there are two links '%s'; rename one", link->name);
        if (!trm_urdf_read_link(u, e, link)) return false;
        u->link_count++;
    }
    if (n == 0) trm_add_error(u->in->messages, root->place, "the robot has no <link>");
    add_world(u, root);
    return true;
}

/* ---- Joints ------------------------------------------------------------------------------- */

static int read_end(const trm_urdf *u, trm_xml *element, const char *name)
{
    trm_xml *end = trm_xml_child(element, name);
    if (!end) {
        trm_add_error(u->in->messages, element->place, "<joint> has no <%s>", name);
        return -1;
    }
    const char *link = required_attribute(u, end, "link");
    const int index = trm_names_find(&u->link_names, link);
    if (index < 0 && *link)
        trm_add_error(u->in->messages, end->place, "joint '%s': there is no link '%s'",
                      trm_xml_value(element, "name") ? trm_xml_value(element, "name") : "", link);
    return index;
}

static bool is_known(const char *type)
{
    return trm_has_word("revolute continuous prismatic planar floating fixed ball spherical universal screw", type);
}

static bool has_axis(const char *type)
{
    return !trm_has_word("fixed floating ball spherical universal", type);
}

static void read_axis(const trm_urdf *u, trm_xml *element, trm_urdf_joint *joint)
{
    double xyz[3] = {1, 0, 0};
    trm_xml *axis = trm_xml_child(element, "axis");
    if (axis) trm_xml_numbers(axis, "xyz", xyz, 3, u->in->messages);
    if (axis && !trm_xml_value(axis, "xyz"))
        trm_add_warning(u->in->messages, axis->place,
                        "joint '%s': <axis> has no attribute \"xyz\"; the axis is 1 0 0", joint->name);
    joint->axis = trm_v3(xyz[0], xyz[1], xyz[2]);
    const double length = trm_v3_length(joint->axis);
    if (!has_axis(joint->type)) return;
    if (length > 0)
        joint->axis = trm_v3_scale(1 / length, joint->axis);
    else
        trm_add_error(u->in->messages, axis->place, "joint '%s': the axis has length zero", joint->name);
}

/* Reads effort or velocity of a limit. In many files 0 and -1 mean "not given". */
static void read_rating(const trm_urdf *u, trm_xml *limit, const char *attribute, const char *joint, double *rating)
{
    *rating = INFINITY;
    trm_xml_number_or_infinite(limit, attribute, rating, u->in->messages);
    if (*rating > 0) return;
    if (*rating != 0 && *rating != -1)
        trm_add_warning(u->in->messages, limit->place, "joint '%s': its %s is %g and is ignored; it must be positive",
                        joint, attribute, *rating);
    *rating = INFINITY;
}

static void read_limits(const trm_urdf *u, trm_xml *element, trm_urdf_joint *joint)
{
    trm_xml *limit = trm_xml_child(element, "limit");
    const bool takes = strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "prismatic") == 0;
    double range[2] = {0, 0};
    joint->limits[0] = -INFINITY, joint->limits[1] = INFINITY;
    joint->effort = joint->velocity = INFINITY;
    if (!limit && takes)
        trm_add_warning(u->in->messages, element->place,
                        "joint '%s' has no <limit>, which a joint of type %s needs; it moves without limits",
                        joint->name, joint->type);
    if (!limit) return;
    trm_xml_number_or_infinite(limit, "lower", &range[0], u->in->messages);
    trm_xml_number_or_infinite(limit, "upper", &range[1], u->in->messages);
    read_rating(u, limit, "effort", joint->name, &joint->effort);
    read_rating(u, limit, "velocity", joint->name, &joint->velocity);
    if (!takes && is_known(joint->type) && (range[0] != 0 || range[1] != 0))
        trm_add_warning(u->in->messages, limit->place,
                        "joint '%s': a joint of type %s has no limits; lower and upper are not used", joint->name,
                        joint->type);
    if (!takes || (u->in->without & TRM_WITHOUT_LIMITS)) return;
    if (range[0] == range[1])
        trm_add_warning(
            u->in->messages, limit->place,
            "joint '%s': its limits [%g, %g] allow no motion and are ignored; give a joint that cannot move the "
            "type fixed",
            joint->name, range[0], range[1]);
    else if (range[0] > range[1])
        trm_add_error(u->in->messages, limit->place,
                      "joint '%s': limits [%g, %g] are reversed; write lower before upper", joint->name, range[0],
                      range[1]);
    else
        memcpy(joint->limits, range, sizeof range);
}

static void read_dynamics(const trm_urdf *u, trm_xml *element, trm_urdf_joint *joint)
{
    trm_xml *dynamics = trm_xml_child(element, "dynamics");
    trm_xml *mimic = trm_xml_child(element, "mimic");
    trm_xml *pitch = trm_xml_child(element, "drake:screw_thread_pitch");
    joint->multiplier = 1;
    joint->master = -1;
    joint->pitch = 1;
    if (pitch) trm_xml_numbers(pitch, "value", &joint->pitch, 1, u->in->messages);
    if (dynamics) {
        trm_xml_numbers(dynamics, "damping", &joint->damping, 1, u->in->messages);
        trm_xml_numbers(dynamics, "friction", &joint->friction, 1, u->in->messages);
        trm_xml_numbers(dynamics, "armature", &joint->armature, 1, u->in->messages);
        trm_xml_numbers(dynamics, "rotor_inertia", &joint->armature, 1, u->in->messages);
    }
    if (!mimic) return;
    joint->mimic = required_attribute(u, mimic, "joint");
    trm_xml_numbers(mimic, "multiplier", &joint->multiplier, 1, u->in->messages);
    trm_xml_numbers(mimic, "offset", &joint->offset, 1, u->in->messages);
}

static void read_joint(trm_urdf *u, trm_xml *element, trm_urdf_joint *joint)
{
    *joint = (trm_urdf_joint){.name = required_attribute(u, element, "name"),
                              .type = required_attribute(u, element, "type"),
                              .place = element->place};
    joint->parent = read_end(u, element, "parent");
    joint->child = read_end(u, element, "child");
    if (joint->parent >= 0 && joint->parent == joint->child)
        trm_add_error(u->in->messages, element->place,
                      "joint '%s' connects link '%s' with itself; <parent> and <child> must be two links",
                      joint->name, u->links[joint->child].name);
    joint->origin = trm_urdf_origin(u, element);
    read_axis(u, element, joint);
    read_limits(u, element, joint);
    read_dynamics(u, element, joint);
}

static bool read_joints(trm_urdf *u, trm_xml *root)
{
    const int n = count(root, "joint") + count(root, "drake:joint");
    u->joints = TRM_NEW_ARRAY(u->in->scratch, trm_urdf_joint, n);
    if (!u->joints || !trm_names_init(&u->joint_names, u->in->scratch, n)) return false;
    for (trm_xml *e = joint_from(root->first_child); e; e = joint_from(e->next)) {
        trm_urdf_joint *joint = &u->joints[u->joint_count];
        read_joint(u, e, joint);
        if (!is_known(joint->type) && *joint->type)
            trm_add_error(u->in->messages, e->place,
                          "joint '%s' has the type \"%s\"; the types are revolute, continuous, prismatic, planar, "
                          "floating, fixed, spherical, universal, screw",
                          joint->name, joint->type);
        if (trm_names_add(&u->joint_names, joint->name, u->joint_count) != u->joint_count)
            trm_add_error(u->in->messages, e->place, "there are two joints '%s'; rename one", joint->name);
        u->joint_count++;
    }
    return true;
}

/* ---- The document ------------------------------------------------------------------------- */

static bool recognises(const char *text, size_t length)
{
    return trm_xml_root_is(text, length, "robot");
}

/* Returns whether xacro does more with an element than to call a macro. */
static bool is_expanded(const char *name)
{
    return strncmp(name, "xacro:", 6) == 0 &&
           trm_has_word("include macro property arg if unless attribute element insert_block call", name + 6);
}

/* Returns whether an element or its contents use xacro, so that the file must be expanded first. Calls of macros alone do
 * not: xacro leaves those that nothing defines, and programs that read URDF ignore them. */
static bool is_xacro(const trm_xml *element)
{
    for (int i = 0; i < element->attribute_count; i++)
        for (const char *c = strchr(element->attributes[i].value, '$'); c; c = strchr(c + 1, '$'))
            if (c[1] == '{' || c[1] == '(') return true;
    for (const trm_xml *e = element->first_child; e; e = e->next)
        if (is_expanded(e->name) || is_xacro(e)) return true;
    return false;
}

/* Names the calls of macros that the file does not define. */
static void name_calls(const trm_urdf *u, trm_xml *element)
{
    for (trm_xml *e = element->first_child; e; e = e->next) {
        if (strncmp(e->name, "xacro:", 6) == 0) {
            trm_add_warning(u->in->messages, e->place,
                            "<%s> is ignored: it calls a macro of xacro, which the file does not define", e->name);
            trm_xml_use_all(e);
        } else {
            name_calls(u, e);
        }
    }
}

static void use_namespaces(trm_xml *root)
{
    for (int i = 0; i < root->attribute_count; i++)
        if (strncmp(root->attributes[i].name, "xmlns", 5) == 0) root->attributes[i].used = true;
}

/* Reads the name of the robot, which URDF requires but a model does not; warns if it is missing. */
static void read_name(trm_import *in, trm_xml *root)
{
    const char *name = trm_xml_value(root, "name");
    if (!name || !*name)
        trm_add_warning(in->messages, root->place, "the robot has no name; write <robot name=\"...\">");
    in->def->name = name ? trm_arena_text(in->def->arena, name) : NULL;
}

/* s: default of the format, which has no key for it, as in Gazebo and Drake. With a larger one servos and contacts of
 * ordinary arms are inaccurate (at 0.01 s the verdict is often "check"); a smaller one only costs time. */
static const double STEP = 0.001;

static bool read_urdf(trm_import *in, const char *text, size_t length)
{
    trm_urdf u = {.in = in};
    trm_xml *root = trm_xml_parse(in->scratch, text, length, in->def->file, in->messages);
    if (!root) return !in->scratch->failed;
    if (is_xacro(root)) {
        trm_add_error(in->messages, root->place,
                      "this is a xacro file, from which URDF is made; run \"xacro FILE > robot.urdf\" and read that");
        return true;
    }
    root->used = true;
    name_calls(&u, root);
    use_namespaces(root);
    read_name(in, root);
    in->def->gravity = trm_v3(0, 0, -9.81);
    in->def->simulation.step = STEP;
    if (!read_materials(&u, root) || !read_links(&u, root) || !read_joints(&u, root)) return false;
    if (!trm_urdf_read_extras(&u, root)) return false;
    trm_import_report_meshes(in);
    trm_urdf_report_large_meshes(&u);
    if (trm_error_count(in->messages) == 0 && !trm_urdf_build(&u)) return false;
    return trm_xml_account(in->scratch, root, REASONS, in->options->strict, in->messages, &in->counted) &&
           !in->def->arena->failed;
}

const trm_format trm_format_urdf = {"URDF", recognises, read_urdf, REASONS};
