/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies of MJCF with their joints, geoms and sites.
 *
 * A body's pose in its parent is the one at the reference values of its joints. Joints act in their order, the first
 * nearest to the parent. Each has its axis and anchor in the frame of the body, so that all are known in the world in
 * the reference pose. A body without joints is welded to its parent. <frame> moves its contents; <replicate> repeats
 * its contents, each replica displaced from the previous one, with a number appended to the names. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mjcf.h"
#include "math/rotation.h"

/* Where elements are read: a body, or a frame inside it. */
typedef struct inside {
    int part;   /* -1: the world */
    int class;  /* default class of elements that name none */
    trm_pose X; /* pose of the frame in that of the part */
    const char *suffix;
    int connection; /* connection of the part to its parent; -1: none yet */
    trm_mass geoms; /* mass of the geoms so far, in the frame of the part */
    bool has_inertial;
} inside;

static bool read_elements(trm_mjcf *m, trm_xml *element, inside *in);
static bool read_below(trm_mjcf *m, trm_xml *element, const inside *in);

/* ---- Joints ------------------------------------------------------------------------------- */

static trm_connection *connection_of(trm_mjcf *m, inside *in, trm_xml *element)
{
    if (in->connection < 0) {
        if (!trm_robot_add_connection(&m->robot)) return NULL;
        in->connection = m->robot.connection_count - 1;
        m->robot.connections[in->connection].place = element->place;
    }
    return &m->robot.connections[in->connection];
}

static void read_range(const trm_mjcf_at *at, bool angle, trm_freedom *f)
{
    double range[2] = {0, 0};
    const bool given = trm_mjcf_numbers(at, "range", range, 2) == 2;
    if (!trm_mjcf_is(at, "limited", given && trm_mjcf_options(at->m, at->element)->autolimits)) return;
    for (int i = 0; angle && i < 2; i++) range[i] = trm_mjcf_angle(at, range[i]);
    if (at->m->in->without & TRM_WITHOUT_LIMITS) return;
    if (range[0] < range[1])
        memcpy(f->limits, range, sizeof range);
    else
        trm_add_warning(at->m->in->messages, at->element->place, "joint '%s': its range [%g, %g] %s and is ignored",
                        f->name, range[0], range[1], range[0] > range[1] ? "is reversed" : "allows no motion");
}

static void read_dynamics(const trm_mjcf_at *at, trm_freedom *f)
{
    const double ref = trm_mjcf_number(at, "ref", 0), rest = trm_mjcf_number(at, "springref", 0);
    f->start = f->slide ? ref : trm_mjcf_angle(at, ref);
    f->rest = f->slide ? rest : trm_mjcf_angle(at, rest);
    f->stiffness = trm_mjcf_number(at, "stiffness", 0);
    if (at->m->no_springs) f->stiffness = 0;
    f->damping = trm_mjcf_number(at, "damping", 0);
    f->friction = trm_mjcf_number(at, "frictionloss", 0);
    f->armature = trm_mjcf_number(at, "armature", 0);
}

static bool add_freedom(trm_mjcf *m, const trm_mjcf_at *at, const char *type, trm_connection *c, const inside *in,
                        const char *name)
{
    double axis[3] = {0, 0, 1}, pos[3] = {0, 0, 0};
    trm_freedom *f = trm_connection_add_freedom(&m->robot, c);
    if (!f) return false;
    const trm_pose X = trm_pose_mul(trm_mjcf_world(m, in->part), in->X);
    trm_mjcf_vector(at, "axis", axis);
    trm_mjcf_vector(at, "pos", pos);
    f->name = name;
    f->place = at->element->place;
    f->slide = strcmp(type, "slide") == 0;
    f->axis = trm_rotate(X.q, trm_v3(axis[0], axis[1], axis[2]));
    f->anchor = trm_pose_point(X, trm_v3(pos[0], pos[1], pos[2]));
    if (trm_v3_length(f->axis) > 1e-10)
        f->axis = trm_v3_unit(f->axis);
    else
        trm_add_error(m->in->messages, f->place, "joint '%s': the axis has length zero", name);
    read_range(at, !f->slide, f);
    read_dynamics(at, f);
    return true;
}

static void set_ball(const trm_mjcf_at *at, trm_connection *c, const inside *in)
{
    double pos[3] = {0, 0, 0}, range[2];
    const trm_pose X = trm_pose_mul(trm_mjcf_world(at->m, in->part), in->X);
    trm_mjcf_vector(at, "pos", pos);
    c->type = "ball";
    c->anchor = trm_pose_point(X, trm_v3(pos[0], pos[1], pos[2]));
    c->damping = trm_mjcf_number(at, "damping", 0);
    c->stiffness = trm_mjcf_number(at, "stiffness", 0);
    if (trm_mjcf_numbers(at, "range", range, 2) == 2 &&
        trm_mjcf_is(at, "limited", trm_mjcf_options(at->m, at->element)->autolimits))
        trm_add_warning(at->m->in->messages, at->element->place, "the range of a ball joint is not used");
    if (trm_mjcf_number(at, "armature", 0) > 0 || trm_mjcf_number(at, "frictionloss", 0) > 0)
        trm_add_warning(at->m->in->messages, at->element->place,
                        "armature and frictionloss of a ball joint are not used");
}

static void read_springdamper(const trm_mjcf_at *at, trm_mjcf_joint *joint)
{
    double v[2];
    if (trm_mjcf_numbers(at, "springdamper", v, 2) == 2 && v[0] > 0 && v[1] > 0)
        memcpy(joint->springdamper, v, sizeof v);
}

static bool keep_joint(trm_mjcf *m, const trm_mjcf_at *at, const char *name, const inside *in, trm_connection *c)
{
    const int freedom = c->type ? -1 : c->freedom_count - 1;
    trm_mjcf_joint joint = {.name = name,
                            .connection = in->connection,
                            .freedom = freedom,
                            .ref = freedom < 0 ? 0 : c->freedoms[freedom].start,
                            .place = at->element->place};
    if (freedom >= 0) read_springdamper(at, &joint);
    joint.by_actuator = trm_mjcf_is(at, "actuatorgravcomp", false);
    const bool given = trm_mjcf_numbers(at, "actuatorfrcrange", joint.force, 2) == 2;
    if (!trm_mjcf_is(at, "actuatorfrclimited", given && trm_mjcf_options(m, at->element)->autolimits))
        joint.force[0] = joint.force[1] = 0;
    if (joint.force[0] < joint.force[1] && freedom >= 0)
        c->freedoms[freedom].effort = fmax(-joint.force[0], joint.force[1]);
    return TRM_APPEND(m->in->scratch, m->joints, m->joint_count, joint);
}

/* Reads a free joint, of which only damping is used. Warns about other attributes of the file and its classes that
 * are not zero. */
static void set_free(const trm_mjcf_at *at, trm_connection *c)
{
    static const char *const ACTING[] = {"stiffness", "armature", "frictionloss"};
    static const char *const IDLE[] = {"pos", "axis", "range", "limited", "ref", "springref"};
    for (size_t i = 0; i < sizeof IDLE / sizeof *IDLE; i++) trm_xml_value(at->element, IDLE[i]);
    for (size_t i = 0; i < sizeof ACTING / sizeof *ACTING; i++)
        if (trm_mjcf_number(at, ACTING[i], 0) != 0)
            trm_add_warning(at->m->in->messages, at->element->place, "%s of a free joint is not used", ACTING[i]);
    c->type = "free";
    c->damping = trm_mjcf_number(at, "damping", 0);
}

/* Reports an error if a ball or free joint is not the only joint of its body. */
static void check_alone(const trm_mjcf_at *at, const char *type, const trm_connection *c, const char *name)
{
    const bool whole = strcmp(type, "ball") == 0 || strcmp(type, "free") == 0;
    if (c->type || (whole && c->freedom_count > 0))
        trm_add_error(at->m->in->messages, at->element->place,
                      "joint '%s': a %s joint must be the only joint of its body; put the other joints on a body of "
                      "their own, with a mass",
                      name, whole ? type : c->type);
}

static bool read_joint(trm_mjcf *m, trm_xml *element, inside *in, bool is_free)
{
    trm_mjcf_at at = trm_mjcf_resolve(m, element, "joint", in->class);
    if (is_free) at.class = -1;
    const char *type = is_free ? "free" : trm_mjcf_value(&at, "type"), *name = trm_mjcf_name(&at, "name", in->suffix);
    trm_connection *c = connection_of(m, in, element);
    if (!name) name = trm_arena_format(m->in->scratch, "#%d", m->joint_count);
    if (!c || !name) return false;
    if (!c->name) c->name = name;
    if (!type) type = "hinge";
    check_alone(&at, type, c, name);
    if (strcmp(type, "free") == 0) {
        set_free(&at, c);
    } else if (strcmp(type, "ball") == 0) {
        set_ball(&at, c, in);
    } else if (strcmp(type, "hinge") == 0 || strcmp(type, "slide") == 0) {
        if (!add_freedom(m, &at, type, c, in, name)) return false;
    } else {
        trm_add_error(m->in->messages, element->place,
                      "joint '%s' has the type \"%s\"; the types are hinge, slide, ball, free", name, type);
    }
    return keep_joint(m, &at, name, in, c);
}

/* ---- Contents of a body ------------------------------------------------------------------- */

static bool read_site(trm_mjcf *m, trm_xml *element, const inside *in)
{
    const trm_mjcf_at at = trm_mjcf_resolve(m, element, "site", in->class);
    const char *name = trm_mjcf_name(&at, "name", in->suffix);
    double v[6];
    trm_pose X = trm_mjcf_pose(&at);
    if (trm_mjcf_numbers(&at, "fromto", v, 6) == 6)
        X.p = trm_v3((v[0] + v[3]) / 2, (v[1] + v[4]) / 2, (v[2] + v[5]) / 2);
    X = trm_pose_mul(in->X, X);
    if (!TRM_APPEND(m->in->scratch, m->sites, m->site_count,
                    (trm_mjcf_site){name, in->part, trm_pose_mul(trm_mjcf_world(m, in->part), X), element->place}))
        return false;
    const int part = in->part >= 0 ? in->part : m->world;
    return !name || trm_part_add_frame(&m->robot, &m->robot.parts[part], name, X);
}

static void read_inertial(trm_mjcf *m, trm_xml *element, inside *in)
{
    const trm_mjcf_at at = {m, element, "inertial", -1};
    double d[3] = {0, 0, 0}, f[6];
    const trm_pose X = trm_pose_mul(in->X, trm_mjcf_pose(&at));
    trm_mat3 I = trm_diag(trm_v3(0, 0, 0));
    const double mass = trm_mjcf_number(&at, "mass", 0);
    if (trm_mjcf_numbers(&at, "diaginertia", d, 3) == 3) I = trm_diag(trm_v3(d[0], d[1], d[2]));
    if (trm_mjcf_numbers(&at, "fullinertia", f, 6) == 6)
        I = (trm_mat3){{{f[0], f[3], f[4]}, {f[3], f[1], f[5]}, {f[4], f[5], f[2]}}};
    if (in->part < 0) return;
    if (mass < 0)
        trm_add_error(m->in->messages, element->place, "body '%s': its mass is %g kg; it must not be negative",
                      m->robot.parts[in->part].name, mass);
    in->has_inertial = true;
    m->robot.parts[in->part].mass = trm_mass_moved((trm_mass){mass, {0, 0, 0}, I}, X);
}

static bool read_frame(trm_mjcf *m, trm_xml *element, inside *in, bool (*read)(trm_mjcf *, trm_xml *, inside *))
{
    const trm_mjcf_at at = {m, element, "frame", -1};
    const inside before = *in;
    in->X = trm_pose_mul(in->X, trm_mjcf_pose(&at));
    in->class = trm_mjcf_class_of(m, element, "childclass", in->class);
    trm_xml_value(element, "name");
    const bool good = read(m, element, in);
    in->X = before.X, in->class = before.class;
    return good;
}

enum { MOST_REPLICAS = 100000 };

static bool read_replicas(trm_mjcf *m, trm_xml *element, inside *in, bool (*read)(trm_mjcf *, trm_xml *, inside *))
{
    const trm_mjcf_at at = {m, element, "replicate", -1};
    const inside before = *in;
    double offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
    const int count = (int)fmin(fmax(trm_mjcf_number(&at, "count", 0), 0), MOST_REPLICAS);
    const char *sep = trm_mjcf_value(&at, "sep");
    char digits[16];
    trm_mjcf_numbers(&at, "offset", offset, 3);
    trm_mjcf_numbers(&at, "euler", euler, 3);
    const trm_pose step = {trm_mjcf_euler(&at, euler), {offset[0], offset[1], offset[2]}};
    const int width = snprintf(digits, sizeof digits, "%d", count - 1);
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        if (i > 0) in->X = trm_pose_mul(in->X, step);
        in->suffix = trm_arena_format(m->in->scratch, "%s%0*d%s", sep ? sep : "", width, i, before.suffix);
        good = in->suffix && m->body_count < MOST_REPLICAS && read(m, element, in);
    }
    in->X = before.X, in->suffix = before.suffix;
    return good;
}

/* Returns whether a geom contributes to the mass of its part. */
static bool gives_mass(const trm_mjcf *m, const trm_xml *geom, const inside *in)
{
    const trm_mjcf_inertia rule = trm_mjcf_options(m, geom)->inertia;
    return in->part >= 0 && rule != TRM_MJCF_INERTIA_GIVEN && (!in->has_inertial || rule == TRM_MJCF_INERTIA_GEOMS);
}

static bool read_element(trm_mjcf *m, trm_xml *e, inside *in)
{
    const bool joint = strcmp(e->name, "joint") == 0, is_free = strcmp(e->name, "freejoint") == 0;
    const bool geom = strcmp(e->name, "geom") == 0, site = strcmp(e->name, "site") == 0;
    const bool frame = strcmp(e->name, "frame") == 0, replicate = strcmp(e->name, "replicate") == 0;
    const bool inertial = strcmp(e->name, "inertial") == 0;
    e->used = e->used || joint || is_free || geom || site || frame || replicate || inertial;
    if (frame) return read_frame(m, e, in, read_elements);
    if (replicate) return read_replicas(m, e, in, read_elements);
    if (site) return read_site(m, e, in);
    if (geom)
        return trm_mjcf_read_geom(m, e, in->part >= 0 ? in->part : m->world, in->class, in->X, in->suffix,
                                  gives_mass(m, e, in) ? &in->geoms : NULL);
    if (inertial) read_inertial(m, e, in);
    if ((joint || is_free) && in->part < 0) {
        trm_add_error(m->in->messages, e->place, "the world cannot have joints");
        trm_xml_use_all(e);
    } else if (joint || is_free)
        return read_joint(m, e, in, is_free);
    return true;
}

static bool read_elements(trm_mjcf *m, trm_xml *element, inside *in)
{
    for (trm_xml *e = element->first_child; e; e = e->next)
        if (!read_element(m, e, in)) return false;
    return true;
}

/* ---- Bodies ------------------------------------------------------------------------------- */

/* Replaces moments that no body can have by their mean, if the compiler's option requires it. */
static void balance(const trm_mjcf_compiler *compiler, trm_mass *mass)
{
    const trm_principal p = trm_principal_axes(mass->inertia);
    if (!compiler->balance_inertia || trm_inertia_is_possible(p.moments, 0)) return;
    const double mean = (p.moments.x + p.moments.y + p.moments.z) / 3;
    mass->inertia = trm_diag(trm_v3(mean, mean, mean));
}

static void bound(const trm_mjcf_compiler *compiler, trm_mass *mass)
{
    if (mass->mass < compiler->bound_mass) mass->mass = compiler->bound_mass;
    if (!(compiler->bound_inertia > 0)) return;
    const trm_principal p = trm_principal_axes(mass->inertia);
    const double b = compiler->bound_inertia;
    const trm_mat3 R = trm_quat_matrix(p.axes);
    const trm_vec3 raised = trm_v3(fmax(p.moments.x, b), fmax(p.moments.y, b), fmax(p.moments.z, b));
    mass->inertia = trm_mat_mul(trm_mat_mul(R, trm_diag(raised)), trm_transpose(R));
}

static bool hang(trm_mjcf *m, trm_xml *element, int parent, inside *in, bool mocap)
{
    trm_robot_part *part = &m->robot.parts[in->part];
    if (in->connection < 0 && (parent < 0 || mocap)) {
        part->fixed = true;
        return true;
    }
    trm_connection *c = connection_of(m, in, element);
    if (!c) return false;
    c->parts[0] = parent;
    c->parts[1] = in->part;
    if (!c->type && c->freedom_count == 0) {
        c->type = "fixed";
        c->name = part->name;
    }
    return true;
}

/* Reads <inertial>, which takes precedence over the geoms, wherever it is in the body. */
static void find_inertial(trm_xml *element, inside *in)
{
    for (const trm_xml *e = element->first_child; e; e = e->next)
        if (strcmp(e->name, "inertial") == 0) in->has_inertial = true;
}

static bool read_body(trm_mjcf *m, trm_xml *element, const inside *outer)
{
    const trm_mjcf_at at = {m, element, "body", -1};
    trm_robot_part *part = trm_robot_add_part(&m->robot);
    if (!part) return false;
    const char *name = trm_mjcf_name(&at, "name", outer->suffix);
    inside in = {
        .part = m->robot.part_count - 1, .X = trm_pose_identity(), .suffix = outer->suffix, .connection = -1};
    in.class = trm_mjcf_class_of(m, element, "childclass", outer->class);
    part->name = name ? name : trm_arena_format(m->in->scratch, "#%d", m->body_count);
    m->body_count++;
    part->place = element->place;
    part->gravity = 1 - trm_mjcf_number(&at, "gravcomp", 0);
    part->world = trm_pose_mul(trm_pose_mul(trm_mjcf_world(m, outer->part), outer->X), trm_mjcf_pose(&at));
    part->world.q = trm_quat_unit(part->world.q);
    const bool mocap = trm_mjcf_is(&at, "mocap", false);
    find_inertial(element, &in);
    if (!part->name || !read_elements(m, element, &in)) return false;
    trm_robot_part *made = &m->robot.parts[in.part];
    const trm_mjcf_compiler *compiler = trm_mjcf_options(m, element);
    const bool by_geoms = compiler->inertia == TRM_MJCF_INERTIA_GEOMS && in.geoms.mass > 0;
    if (!in.has_inertial || by_geoms) made->mass = in.geoms;
    balance(compiler, &made->mass);
    bound(compiler, &made->mass);
    return hang(m, element, outer->part, &in, mocap) && read_below(m, element, &in);
}

static bool read_bodies_in(trm_mjcf *m, trm_xml *element, inside *in)
{
    return read_below(m, element, in);
}

/* Reads the bodies inside an element. The depth of recursion is limited by that of the document. Returns false if out
 * of memory. */
static bool read_below(trm_mjcf *m, trm_xml *element, const inside *in)
{
    for (trm_xml *e = element->first_child; e; e = e->next) {
        inside copy = *in;
        bool good = true;
        if (strcmp(e->name, "body") == 0) {
            e->used = true;
            good = read_body(m, e, in);
        } else if (strcmp(e->name, "frame") == 0) {
            good = read_frame(m, e, &copy, read_bodies_in);
        } else if (strcmp(e->name, "replicate") == 0) {
            good = read_replicas(m, e, &copy, read_bodies_in);
        }
        if (!good) return false;
    }
    return true;
}

static bool carries_anything(const trm_xml *element)
{
    for (const trm_xml *e = element->first_child; e; e = e->next) {
        if (strcmp(e->name, "geom") == 0 || strcmp(e->name, "site") == 0) return true;
        if ((strcmp(e->name, "frame") == 0 || strcmp(e->name, "replicate") == 0) && carries_anything(e)) return true;
    }
    return false;
}

/* Adds the world as a fixed body if it has shapes or sites. Returns false if out of memory. */
static bool add_world(trm_mjcf *m, trm_xml *element)
{
    if (m->world >= 0 || !carries_anything(element)) return true;
    trm_robot_part *part = trm_robot_add_part(&m->robot);
    if (!part) return false;
    m->world = m->robot.part_count - 1;
    part->name = "world";
    part->place = element->place;
    part->fixed = true;
    return true;
}

/* Scales all masses so that their sum is the one of the compiler's option. */
static void scale_masses(trm_mjcf *m)
{
    double sum = 0;
    for (int i = 0; i < m->robot.part_count; i++) sum += m->robot.parts[i].mass.mass;
    const double factor = m->compilers->total_mass > 0 && sum > 0 ? m->compilers->total_mass / sum : 1;
    for (int i = 0; factor != 1 && i < m->robot.part_count; i++) {
        trm_mass *mass = &m->robot.parts[i].mass;
        mass->mass *= factor;
        for (int k = 0; k < 9; k++) mass->inertia.m[k / 3][k % 3] *= factor;
    }
}

static int count_bodies(const trm_xml *element)
{
    int count = strcmp(element->name, "body") == 0;
    for (const trm_xml *e = element->first_child; e; e = e->next) count += count_bodies(e);
    return count;
}

bool trm_mjcf_read_bodies(trm_mjcf *m, trm_xml *root)
{
    const int bodies = count_bodies(root);
    m->world = -1;
    m->body_count = 1;
    m->joints = trm_arena_reserve_list(m->in->scratch, bodies, sizeof *m->joints);
    if (!m->joints || !trm_robot_reserve(&m->robot, bodies + 1, bodies)) return false;
    for (trm_xml *e = trm_xml_child(root, "worldbody"); e; e = trm_xml_again(e)) {
        inside in = {.part = -1, .class = 0, .X = trm_pose_identity(), .suffix = "", .connection = -1};
        in.class = trm_mjcf_class_of(m, e, "childclass", 0);
        if (!add_world(m, e) || !read_elements(m, e, &in) || !read_below(m, e, &in)) return false;
    }
    scale_masses(m);
    return true;
}

/* ---- Gravity ------------------------------------------------------------------------------ */

/* Counts the joints between a part and the world that have actuatorgravcomp, and those that do not. */
static void count_above(const trm_mjcf *m, const int *connection_above, const int *joint_counts, int part,
                        int counts[2])
{
    counts[0] = counts[1] = 0;
    for (int steps = 0; part >= 0 && steps < m->robot.part_count; steps++) {
        const int c = connection_above[part];
        if (c < 0) return;
        counts[0] += joint_counts[2 * c], counts[1] += joint_counts[2 * c + 1];
        part = m->robot.connections[c].parts[0];
    }
}

/* Restores the weight of a part whose compensation acts through actuators only. */
static void restore(trm_mjcf *m, int part, const int counts[2])
{
    trm_robot_part *p = &m->robot.parts[part];
    if (counts[1] == 0 || p->gravity == 1) return;
    if (counts[0] == 0)
        p->gravity = 1;
    else
        trm_add_warning(m->in->messages, p->place,
                        "body '%s': its gravcomp acts on all of its joints; actuatorgravcomp of some is ignored",
                        p->name);
}

static bool is_compensated(const trm_mjcf *m)
{
    for (int i = 0; i < m->robot.part_count; i++)
        if (m->robot.parts[i].gravity != 1) return true;
    return false;
}

/* Warns about limits of actuator forces on joints with compensation: in MuJoCo they include the compensation. */
static void warn_of_limits(trm_mjcf *m)
{
    if (!is_compensated(m)) return;
    for (int i = 0; i < m->joint_count; i++)
        if (m->joints[i].by_actuator && m->joints[i].force[0] < m->joints[i].force[1])
            trm_add_warning(m->in->messages, m->joints[i].place,
                            "joint '%s': its actuatorfrcrange does not limit the gravity compensation here",
                            m->joints[i].name);
}

/* Compensation through actuators (actuatorgravcomp) acts only if the file has actuators that are read. It is then the
 * same force as without actuators. */
bool trm_mjcf_set_gravity(trm_mjcf *m, bool has_actuators)
{
    const trm_robot *robot = &m->robot;
    if (has_actuators && !(m->in->without & TRM_WITHOUT_ACTUATORS)) {
        warn_of_limits(m);
        return true;
    }
    int *above = TRM_NEW_ARRAY(m->in->scratch, int, robot->part_count + 1);
    int *joint_counts = TRM_NEW_ARRAY(m->in->scratch, int, 2 * robot->connection_count + 1);
    if (!above || !joint_counts) return false;
    for (int i = 0; i < robot->part_count; i++) above[i] = -1;
    for (int c = 0; c < robot->connection_count; c++)
        if (robot->connections[c].parts[1] >= 0) above[robot->connections[c].parts[1]] = c;
    for (int j = 0; j < m->joint_count; j++) joint_counts[2 * m->joints[j].connection + m->joints[j].by_actuator]++;
    for (int i = 0; i < robot->part_count; i++) {
        int counts[2];
        if (robot->parts[i].gravity == 1) continue;
        count_above(m, above, joint_counts, i, counts);
        restore(m, i, counts);
    }
    return true;
}
