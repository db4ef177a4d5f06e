/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joints of SDF.
 *
 * The axis is given in the frame of the joint, from version 1.7 on in the frame that expressed_in names. Up to version
 * 1.4, and up to 1.6 if use_parent_model_frame says so, it is in the frame of the model. All coordinates are 0 in the
 * pose of the file.
 *
 *     revolute, continuous -> hinge       prismatic -> slider      universal, revolute2 -> two hinges: axis, then axis2
 *     screw     shift = pitch angle, with pitch = screw_thread_pitch/(2 pi) = -1/thread_pitch
 *     gearbox   theta2 = -ratio theta1, angles of parent and child relative to the reference body */

#include <math.h>
#include <string.h>

#include "io/sdf.h"
#include "math/rotation.h"

/* The format's default of limits is 1e16. Limits of this size or more mean that there is none. With a value larger
 * than 1e16 the default would count as a limit; with one ten times smaller, a limit on one side cannot be written
 * (test io_sdf). */
static const double NO_LIMIT = 1e15;

/* ---- Axes --------------------------------------------------------------------------------- */

/* Reads the direction of an axis, in the world. Returns false after reporting an error. */
static bool read_direction(trm_sdf *s, int entity, trm_xml *axis, trm_vec3 *direction)
{
    const trm_sdf_entity *e = &s->entities[entity];
    trm_vec3 v = {0, 0, 1};
    trm_xml *xyz = trm_xml_child(axis, "xyz");
    const char *frame = xyz ? trm_xml_value(xyz, "expressed_in") : NULL;
    const bool of_model = trm_sdf_is(s, axis, "use_parent_model_frame", e->version <= 4);
    trm_pose X = trm_sdf_world(s, entity);
    trm_sdf_vector(s, axis, "xyz", &v);
    if (frame && *frame) {
        if (!trm_sdf_frame(s, e->scope, frame, xyz->place, &X)) return false;
    } else if (of_model) {
        X = e->scope >= 0 ? trm_sdf_world(s, e->scope) : trm_pose_identity();
    }
    if (trm_v3_length(v) > 0) {
        *direction = trm_v3_unit(trm_rotate(X.q, v));
        return true;
    }
    trm_add_error(s->in->messages, axis->place, "joint '%s': the axis has length zero", e->name);
    return false;
}

static void read_limits(trm_sdf *s, trm_xml *axis, trm_freedom *f)
{
    trm_xml *limit = trm_xml_child(axis, "limit");
    const double lower = trm_sdf_number(s, limit, "lower", -INFINITY),
                 upper = trm_sdf_number(s, limit, "upper", INFINITY);
    const double effort = trm_sdf_number(s, limit, "effort", -1), velocity = trm_sdf_number(s, limit, "velocity", -1);
    if (effort > 0 && effort < NO_LIMIT) f->effort = effort;
    if (velocity > 0 && velocity < NO_LIMIT) f->max_velocity = velocity;
    if (s->in->without & TRM_WITHOUT_LIMITS) return;
    if (lower > upper) {
        trm_add_warning(s->in->messages, limit->place,
                        "joint '%s': limits [%g, %g] are reversed and are ignored; write lower before upper", f->name,
                        lower, upper);
    } else if (lower == upper) {
        trm_add_warning(
            s->in->messages, limit->place,
            "joint '%s': its limits [%g, %g] allow no motion and are ignored; give a joint that cannot move the "
            "type fixed",
            f->name, lower, upper);
    } else {
        /* Model files need both limits or none; the missing one is set out of reach. */
        if (lower <= -NO_LIMIT && upper >= NO_LIMIT) return;
        f->limits[0] = fmax(lower, -NO_LIMIT);
        f->limits[1] = fmin(upper, NO_LIMIT);
    }
}

static void read_dynamics(trm_sdf *s, trm_xml *axis, trm_freedom *f)
{
    trm_xml *dynamics = trm_xml_child(axis, "dynamics");
    f->damping = trm_sdf_number(s, dynamics, "damping", 0);
    f->friction = trm_sdf_number(s, dynamics, "friction", 0);
    f->stiffness = trm_sdf_number(s, dynamics, "spring_stiffness", 0);
    f->rest = trm_sdf_number(s, dynamics, "spring_reference", 0);
}

/* Reads q = multiplier (q_leader - reference) + offset. Returns false if out of memory. */
static bool read_mimic(trm_sdf *s, int entity, trm_xml *axis, const char *follower)
{
    trm_xml *mimic = trm_xml_child(axis, "mimic");
    const char *name = mimic ? trm_xml_value(mimic, "joint") : NULL;
    const int leader = name ? trm_sdf_find(s, s->entities[entity].scope, name) : -1;
    if (!mimic) return true;
    const char *which = trm_xml_value(mimic, "axis");
    const double multiplier = trm_sdf_number(s, mimic, "multiplier", 1),
                 offset = trm_sdf_number(s, mimic, "offset", 0);
    const double reference = trm_sdf_number(s, mimic, "reference", 0);
    if (leader < 0) {
        trm_add_error(s->in->messages, mimic->place, "joint '%s' mimics '%s', which is not a joint",
                      s->entities[entity].name, name ? name : "");
        return true;
    }
    trm_part_coupling *c = trm_robot_add_coupling(&s->robot);
    if (!c) return false;
    c->name = trm_arena_format(s->in->scratch, "%s mimic", follower);
    c->place = mimic->place;
    c->of = trm_sdf_full_name(s, leader);
    if (c->of && which && strcmp(which, "axis2") == 0) c->of = trm_arena_format(s->in->scratch, "%s axis2", c->of);
    c->a[0] = offset - multiplier * reference;
    c->a[1] = multiplier;
    return c->name && c->of && trm_coupling_add_term(&s->robot, c, follower, 1);
}

/* Reads Drake's extension: the rotor of an actuator, of inertia I after a gear of ratio n, is an armature n^2 I. */
static void read_rotor(trm_sdf *s, trm_xml *joint, trm_freedom *f)
{
    const double rotor = trm_sdf_number(s, joint, "drake:rotor_inertia", 0),
                 ratio = trm_sdf_number(s, joint, "drake:gear_ratio", 1);
    if (rotor > 0 && !(s->in->without & TRM_WITHOUT_ACTUATORS)) f->armature = rotor * ratio * ratio;
}

static bool add_freedom(trm_sdf *s, int entity, trm_connection *c, const char *element, bool slide)
{
    trm_xml *axis = trm_xml_child(s->entities[entity].element, element);
    trm_vec3 direction;
    if (!axis) {
        trm_add_error(s->in->messages, c->place, "joint '%s' has no <%s>", c->name, element);
        return true;
    }
    if (!read_direction(s, entity, axis, &direction)) return true;
    trm_freedom *f = trm_connection_add_freedom(&s->robot, c);
    if (!f) return false;
    f->name = c->freedom_count == 1 ? c->name : trm_arena_format(s->in->scratch, "%s %s", c->name, element);
    f->place = axis->place;
    f->slide = slide;
    f->axis = direction;
    f->anchor = c->anchor;
    if (!f->name) return false;
    read_limits(s, axis, f);
    if (strcmp(trm_xml_value(s->entities[entity].element, "type"), "continuous") == 0)
        f->limits[0] = -INFINITY, f->limits[1] = INFINITY; /* of <limit> only effort and velocity apply */
    read_dynamics(s, axis, f);
    if (c->freedom_count == 1) read_rotor(s, s->entities[entity].element, f);
    return read_mimic(s, entity, axis, f->name);
}

/* ---- Types -------------------------------------------------------------------------------- */

static bool set_screw(trm_sdf *s, int entity, trm_connection *c)
{
    trm_xml *element = s->entities[entity].element, *axis = trm_xml_child(element, "axis");
    const double turn = trm_sdf_number(s, element, "screw_thread_pitch", NAN),
                 classic = trm_sdf_number(s, element, "thread_pitch", NAN);
    c->type = "screw";
    if (turn == 0 || classic == 0 || isinf(turn) || isinf(classic)) {
        trm_add_error(
            s->in->messages, c->place,
            "joint '%s': a screw needs a pitch other than zero; without one write a revolute or prismatic joint",
            c->name);
        trm_xml_use_all(element);
        return true;
    }
    c->pitch = !isnan(turn) ? turn / (2 * TRM_PI) : !isnan(classic) ? -1 / classic : 1 / (2 * TRM_PI);
    if (axis && !read_direction(s, entity, axis, &c->axis)) return true;
    trm_freedom f = {.name = c->name, .limits = {-INFINITY, INFINITY}};
    read_limits(s, axis, &f);
    read_dynamics(s, axis, &f);
    if (!axis)
        trm_add_error(s->in->messages, c->place, "joint '%s' has no <axis>", c->name);
    else if (isfinite(f.limits[0]) || isfinite(f.limits[1]) || f.damping > 0 || f.stiffness > 0 || f.friction > 0)
        trm_add_warning(s->in->messages, axis->place, "joint '%s': limits and dynamics of a screw are not used",
                        c->name);
    return true;
}

static bool set_type(trm_sdf *s, int entity, const char *type, trm_connection *c)
{
    const bool two = strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0;
    if (strcmp(type, "revolute") == 0 || strcmp(type, "continuous") == 0)
        return add_freedom(s, entity, c, "axis", false);
    if (strcmp(type, "prismatic") == 0) return add_freedom(s, entity, c, "axis", true);
    if (two) return add_freedom(s, entity, c, "axis", false) && add_freedom(s, entity, c, "axis2", false);
    if (strcmp(type, "screw") == 0) return set_screw(s, entity, c);
    if (strcmp(type, "ball") == 0 || strcmp(type, "fixed") == 0) {
        trm_xml *axis = trm_xml_child(s->entities[entity].element, "axis");
        if (axis) {
            trm_add_warning(s->in->messages, axis->place, "joint '%s': a %s joint has no axis; it is ignored",
                            c->name, type);
            trm_xml_use_all(axis);
        }
        c->type = strcmp(type, "ball") == 0 ? "ball" : "fixed";
        return true;
    }
    trm_add_error(
        s->in->messages, c->place,
        "joint '%s' has the type \"%s\"; the types are revolute, continuous, prismatic, universal, revolute2, "
        "ball, screw, gearbox, fixed",
        c->name, type);
    trm_xml_use_all(s->entities[entity].element);
    return true;
}

/* Returns the part of a link, or of the link to which a frame is attached; -1: the world. Returns -2 after reporting
 * an error. */
static int read_end(trm_sdf *s, int entity, const char *which)
{
    trm_sdf_entity *e = &s->entities[entity];
    trm_xml *end = trm_xml_child(e->element, which);
    const char *name = trm_sdf_text(s, e->element, which);
    if (name && end && trm_xml_value(end, "link")) name = trm_xml_value(end, "link");
    if (name && strcmp(name, "world") == 0) return -1;
    const int found = name ? trm_sdf_find(s, e->scope, name) : -1;
    const int link = found >= 0                               ? trm_sdf_link_of(s, found)
                     : name && strcmp(name, "__model__") == 0 ? trm_sdf_link_of(s, e->scope)
                                                              : -1;
    if (link >= 0) return s->entities[link].part;
    trm_add_error(s->in->messages, end ? end->place : e->element->place, "joint '%s': there is no %s '%s'", e->name,
                  which, name ? name : "");
    return -2;
}

/* Reads ERP and CFM of ODE, which the method lcp uses. */
static void read_softness(trm_sdf *s, trm_xml *element, trm_connection *c)
{
    trm_xml *ode = trm_xml_child(trm_xml_child(element, "physics"), "ode");
    c->erp = trm_sdf_number(s, ode, "erp", NAN);
    c->cfm = trm_sdf_number(s, ode, "cfm", NAN);
}

bool trm_sdf_read_joint(trm_sdf *s, int entity)
{
    trm_sdf_entity *e = &s->entities[entity];
    const char *type = trm_xml_value(e->element, "type");
    if (!type) {
        trm_add_error(s->in->messages, e->element->place, "joint '%s' has no type", e->name);
        return true;
    }
    const int parent = read_end(s, entity, "parent"), child = read_end(s, entity, "child");
    if (parent < -1 || child < -1) trm_xml_use_all(e->element);
    if (strcmp(type, "gearbox") == 0 || parent < -1 || child < -1) return true;
    trm_connection *c = trm_robot_add_connection(&s->robot);
    if (!c) return false;
    c->name = trm_sdf_full_name(s, entity);
    c->place = e->element->place;
    c->parts[0] = parent;
    c->parts[1] = child;
    c->anchor = trm_sdf_world(s, entity).p;
    read_softness(s, e->element, c);
    return c->name && set_type(s, entity, type, c);
}

/* ---- Gearboxes ---------------------------------------------------------------------------- */

/* Returns the hinge between two parts, and in *sign its direction relative to an axis. Returns NULL if there is
 * none. */
static const trm_freedom *find_hinge(const trm_sdf *s, int reference, int part, trm_vec3 axis, double *sign)
{
    for (int i = 0; i < s->robot.connection_count; i++) {
        const trm_connection *c = &s->robot.connections[i];
        const bool forth = c->parts[0] == reference && c->parts[1] == part;
        const bool back = c->parts[1] == reference && c->parts[0] == part;
        if ((!forth && !back) || c->type || c->freedom_count != 1 || c->freedoms[0].slide) continue;
        *sign = (forth ? 1 : -1) * (trm_v3_dot(c->freedoms[0].axis, axis) < 0 ? -1 : 1);
        return &c->freedoms[0];
    }
    return NULL;
}

static bool add_gear(trm_sdf *s, int entity, const trm_freedom *f[2], const double sign[2])
{
    trm_part_coupling *c = trm_robot_add_coupling(&s->robot);
    trm_xml *element = s->entities[entity].element;
    if (!c) return false;
    c->name = trm_sdf_full_name(s, entity);
    c->place = element->place;
    c->of = f[0]->name;
    c->a[1] = -trm_sdf_number(s, element, "gearbox_ratio", 1) * sign[0] / sign[1];
    return c->name && trm_coupling_add_term(&s->robot, c, f[1]->name, 1);
}

bool trm_sdf_read_gearbox(trm_sdf *s, int entity)
{
    static const char *const AXES[] = {"axis", "axis2"}, *const ENDS[] = {"parent", "child"};
    trm_sdf_entity *e = &s->entities[entity];
    const char *type = trm_xml_value(e->element, "type"),
               *name = trm_sdf_text(s, e->element, "gearbox_reference_body");
    const trm_freedom *f[2] = {NULL, NULL};
    double sign[2];
    if (!type || strcmp(type, "gearbox") != 0) return true;
    const int body = name ? trm_sdf_find(s, e->scope, name) : -1, link = body >= 0 ? trm_sdf_link_of(s, body) : -1;
    for (int k = 0; link >= 0 && k < 2; k++) {
        trm_xml *axis = trm_xml_child(e->element, AXES[k]);
        trm_vec3 direction;
        if (!axis || !read_direction(s, entity, axis, &direction)) break;
        f[k] = find_hinge(s, s->entities[link].part, read_end(s, entity, ENDS[k]), direction, &sign[k]);
    }
    if (f[0] && f[1]) return add_gear(s, entity, f, sign);
    trm_add_error(
        s->in->messages, e->element->place,
        "joint '%s': a gearbox needs a reference body with a revolute joint to its parent and one to its child",
        e->name);
    return true;
}
