/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads extensions of URDF by other programs.
 *
 *     <gazebo reference="LINK">    mu1, selfCollide, turnGravityOff       <gazebo reference="JOINT">  springStiffness, springReference
 *     <gazebo><joint>              a joint of SDF: closes a loop; its pose is in the child's frame, its axis in the frame of the joint
 *     <drake:ball_constraint>      a point of one link coincides with a point of another: closes a loop
 *     <loop_joint>                 two links with a frame each (link1, link2): closes a loop
 *     <transmission>               a rotor of inertia I of an actuator after a reduction n is an armature n^2 I */

#include <math.h>
#include <string.h>

#include "io/urdf.h"
#include "math/rotation.h"

/* Returns the text of a child without white space around it, or its attribute "value". Returns NULL if there is
 * none. */
static const char *text_of(const trm_urdf *u, trm_xml *element, const char *child)
{
    trm_xml *e = trm_xml_child(element, child);
    if (!e) return NULL;
    const char *value = trm_xml_value(e, "value");
    if (value) return value;
    const char *start = e->text + strspn(e->text, " \t\r\n");
    return trm_arena_text_n(u->in->scratch, start, strcspn(start, " \t\r\n"));
}

static double number_of(const trm_urdf *u, trm_xml *element, const char *child, double otherwise)
{
    double value = otherwise;
    const char *text = text_of(u, element, child);
    if (text) trm_xml_list(trm_xml_child(element, child), "its value", text, &value, 1, u->in->messages);
    return value;
}

static bool is_true(const char *text)
{
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0 || strcmp(text, "True") == 0);
}

/* ---- Gazebo ------------------------------------------------------------------------------- */

/* Reads <collision><surface><friction><torsional>, an element of SDF. */
static void read_torsional(const trm_urdf *u, trm_xml *e, trm_urdf_link *link)
{
    trm_xml *surface = trm_xml_child(trm_xml_child(e, "collision"), "surface");
    trm_xml *torsional = trm_xml_child(trm_xml_child(surface, "friction"), "torsional");
    if (!torsional) return;
    const double arm = trm_robot_torsional_arm(number_of(u, torsional, "coefficient", 1),
                                               number_of(u, torsional, "patch_radius", 0));
    for (int i = 0; i < link->shape_count; i++) link->shapes[i].torsional = arm;
}

static void read_of_link(const trm_urdf *u, trm_xml *e, trm_urdf_link *link)
{
    read_torsional(u, e, link);
    const double mu = number_of(u, e, "mu1", NAN), mu2 = number_of(u, e, "mu2", mu);
    const char *self = text_of(u, e, "selfCollide"), *gravity = text_of(u, e, "gravity");
    if (!self) self = text_of(u, e, "self_collide");
    if (self) link->self_collision = is_true(self);
    if (is_true(text_of(u, e, "turnGravityOff")) || (gravity && !is_true(gravity))) link->gravity = 0;
    for (int i = 0; !isnan(mu) && i < link->shape_count; i++) link->shapes[i].friction = fmax(mu, 0);
    if (mu != mu2 && !isnan(mu) && !isnan(mu2))
        trm_add_warning(u->in->messages, e->place,
                        "link '%s': friction is the same in all directions; mu1 is used, mu2 is not", link->name);
}

static void read_of_joint(const trm_urdf *u, trm_xml *e, trm_urdf_joint *joint)
{
    joint->stiffness = number_of(u, e, "springStiffness", joint->stiffness);
    joint->rest = number_of(u, e, "springReference", joint->rest);
}

/* ---- Loops -------------------------------------------------------------------------------- */

static int find_link(const trm_urdf *u, trm_xml *element, const char *name)
{
    const int index = name ? trm_names_find(&u->link_names, name) : -1;
    if (index < 0)
        trm_add_error(u->in->messages, element->place, "<%s>: there is no link '%s'", element->name,
                      name ? name : "");
    return index;
}

/* Returns a new loop. Returns NULL if out of memory. */
static trm_urdf_loop *add_loop(trm_urdf *u, trm_xml *element, const char *type)
{
    trm_urdf_loop *loop = TRM_ADD(u->in->scratch, u->loops, u->loop_count);
    const char *name = trm_xml_value(element, "name");
    if (!loop) return NULL;
    *loop = (trm_urdf_loop){.place = element->place, .type = type, .axis = {1, 0, 0}};
    loop->name = name ? name : trm_arena_format(u->in->scratch, "loop #%d", u->loop_count);
    loop->frames[0] = loop->frames[1] = trm_pose_identity();
    return loop->name ? loop : NULL;
}

/* Returns the joint type of the model file for a type of URDF. Returns NULL after reporting an error. */
static const char *loop_type(const trm_urdf *u, const trm_xml *element, const char *type)
{
    static const char *const TYPES[][2] = {{"revolute", "hinge"}, {"continuous", "hinge"}, {"prismatic", "slider"},
                                           {"ball", "ball"},      {"fixed", "fixed"},      {"spherical", "ball"}};
    for (size_t i = 0; type && i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(type, TYPES[i][0]) == 0) return TYPES[i][1];
    trm_add_error(u->in->messages, element->place,
                  "<%s> has the type \"%s\"; loops are closed by revolute, continuous, prismatic, ball, fixed",
                  element->name, type ? type : "");
    return NULL;
}

static void read_loop_axis(const trm_urdf *u, trm_xml *element, trm_urdf_loop *loop)
{
    double v[3] = {loop->axis.x, loop->axis.y, loop->axis.z};
    trm_xml *axis = trm_xml_child(element, "axis"), *xyz = axis ? trm_xml_child(axis, "xyz") : NULL;
    if (axis) trm_xml_numbers(axis, "xyz", v, 3, u->in->messages);
    if (xyz) trm_xml_text_numbers(xyz, v, 3, u->in->messages);
    loop->axis = trm_v3(v[0], v[1], v[2]);
    if (trm_v3_length(loop->axis) > 0)
        loop->axis = trm_v3_unit(loop->axis);
    else
        trm_add_error(u->in->messages, element->place, "<%s>: the axis has length zero", element->name);
}

/* Reads a joint of SDF inside <gazebo>. Returns false if out of memory. */
static bool read_sdf_joint(trm_urdf *u, trm_xml *element)
{
    const char *type = loop_type(u, element, trm_xml_value(element, "type"));
    trm_urdf_loop *loop = add_loop(u, element, type);
    double v[6] = {0};
    trm_xml *pose = trm_xml_child(element, "pose");
    if (!loop) return false;
    loop->links[0] = find_link(u, element, text_of(u, element, "parent"));
    loop->links[1] = find_link(u, element, text_of(u, element, "child"));
    loop->axis = trm_v3(0, 0, 1);
    if (pose && trm_xml_text_numbers(pose, v, 6, u->in->messages))
        loop->frames[1] = (trm_pose){trm_quat_from_rpy(v[3], v[4], v[5]), {v[0], v[1], v[2]}};
    loop->by_child = true;
    read_loop_axis(u, element, loop);
    return true;
}

static const char *name_in(trm_xml *element, const char *child)
{
    trm_xml *e = trm_xml_child(element, child);
    return e ? trm_xml_value(e, "name") : NULL;
}

static bool read_ball_constraint(trm_urdf *u, trm_xml *element)
{
    static const char *const BODIES[] = {"drake:ball_constraint_body_A", "drake:ball_constraint_body_B"};
    static const char *const POINTS[] = {"drake:ball_constraint_p_AP", "drake:ball_constraint_p_BQ"};
    trm_urdf_loop *loop = add_loop(u, element, "ball");
    if (!loop) return false;
    for (int k = 0; k < 2; k++) {
        double p[3] = {0, 0, 0};
        trm_xml *point = trm_xml_child(element, POINTS[k]);
        loop->links[k] = find_link(u, element, name_in(element, BODIES[k]));
        if (point) trm_xml_numbers(point, "value", p, 3, u->in->messages);
        loop->frames[k].p = trm_v3(p[0], p[1], p[2]);
    }
    return true;
}

static bool read_loop_joint(trm_urdf *u, trm_xml *element)
{
    static const char *const ENDS[] = {"link1", "link2"};
    trm_urdf_loop *loop = add_loop(u, element, loop_type(u, element, trm_xml_value(element, "type")));
    if (!loop) return false;
    for (int k = 0; k < 2; k++) {
        trm_xml *end = trm_xml_child(element, ENDS[k]);
        double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
        loop->links[k] = find_link(u, element, end ? trm_xml_value(end, "link") : NULL);
        if (!end) continue;
        trm_xml_numbers(end, "xyz", xyz, 3, u->in->messages);
        trm_xml_numbers(end, "rpy", rpy, 3, u->in->messages);
        loop->frames[k] = (trm_pose){trm_quat_from_rpy(rpy[0], rpy[1], rpy[2]), {xyz[0], xyz[1], xyz[2]}};
    }
    read_loop_axis(u, element, loop);
    return true;
}

/* ---- Transmissions ------------------------------------------------------------------------ */

/* Returns the number in the first of these children that exists, in the actuator, the joint or the transmission
 * itself. */
static double find_number(const trm_urdf *u, trm_xml *const *where, int count, const char *const *names,
                          int name_count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; where[i] && k < name_count; k++) {
            const double value = number_of(u, where[i], names[k], NAN);
            if (!isnan(value)) return value;
        }
    return NAN;
}

/* Returns whether a transmission has a rotor. Transmissions without one are reported as unused. */
static bool has_rotor(const trm_xml *element)
{
    if (strstr(element->name, "otor_inertia") || strstr(element->name, "otorInertia")) return true;
    for (const trm_xml *e = element->first_child; e; e = e->next)
        if (has_rotor(e)) return true;
    return false;
}

static void read_transmission(const trm_urdf *u, trm_xml *element)
{
    static const char *const ROTORS[] = {"drake:rotor_inertia", "rotorInertia", "rotor_inertia", "motorInertia"};
    static const char *const RATIOS[] = {"drake:gear_ratio", "mechanicalReduction", "gear_ratio"};
    if (!has_rotor(element)) return;
    element->used = true;
    trm_xml_value(element, "name");
    trm_xml_value(element, "type");
    trm_xml *joint = trm_xml_child(element, "joint"), *actuator = trm_xml_child(element, "actuator");
    trm_xml *const where[] = {actuator, joint, element};
    const char *name = joint ? trm_xml_value(joint, "name") : NULL;
    if (actuator) trm_xml_value(actuator, "name");
    const int index = name ? trm_names_find(&u->joint_names, name) : -1;
    const double rotor = find_number(u, where, 3, ROTORS, 4);
    double ratio = find_number(u, where, 3, RATIOS, 3);
    if (isnan(ratio)) ratio = 1;
    if (index < 0)
        trm_add_warning(u->in->messages, element->place, "<transmission>: there is no joint '%s'", name ? name : "");
    else if (rotor > 0 && !(u->in->without & TRM_WITHOUT_ACTUATORS))
        u->joints[index].armature += rotor * ratio * ratio;
}

/* ---- All extensions ----------------------------------------------------------------------- */

static bool read_gazebo(trm_urdf *u, trm_xml *element)
{
    const char *reference = trm_xml_value(element, "reference");
    const int link = reference ? trm_names_find(&u->link_names, reference) : -1;
    const int joint = reference ? trm_names_find(&u->joint_names, reference) : -1;
    if (link >= 0) read_of_link(u, element, &u->links[link]);
    if (joint >= 0) read_of_joint(u, element, &u->joints[joint]);
    if (reference && link < 0 && joint < 0) {
        trm_add_warning(u->in->messages, element->place,
                        "<gazebo>: there is no link or joint '%s'; the element is ignored", reference);
        trm_xml_use_all(element); /* the warning covers all of it */
    }
    for (trm_xml *e = reference ? NULL : trm_xml_child(element, "joint"); e; e = trm_xml_again(e))
        if (!read_sdf_joint(u, e)) return false;
    return true;
}

bool trm_urdf_read_extras(trm_urdf *u, trm_xml *root)
{
    for (trm_xml *e = trm_xml_child(root, "gazebo"); e; e = trm_xml_again(e))
        if (!read_gazebo(u, e)) return false;
    for (trm_xml *e = trm_xml_child(root, "drake:ball_constraint"); e; e = trm_xml_again(e))
        if (!read_ball_constraint(u, e)) return false;
    for (trm_xml *e = trm_xml_child(root, "loop_joint"); e; e = trm_xml_again(e))
        if (!read_loop_joint(u, e)) return false;
    for (trm_xml *e = root->first_child; e; e = e->next)
        if (strcmp(e->name, "transmission") == 0) read_transmission(u, e);
    return true;
}
