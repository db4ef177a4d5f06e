/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Constraints of MJCF, which are rigid here.
 *
 *     connect   a point of one body is a point of another: ball        weld    two bodies are one: fixed
 *     joint     q1 - ref1 = a0 + a1 (q2 - ref2) + ... + a4 (q2 - ref2)^4: gear; without joint2 q1 is held
 *     exclude   two bodies that do not collide
 *     spatial   a tendon between two sites with stiffness or damping: spring; with a range from 0: rope */

#include <math.h>
#include <string.h>

#include "io/mjcf.h"

/* ---- Finding ------------------------------------------------------------------------------ */

/* -1: the world; -2 after an error. */
static int find_part(trm_mjcf *m, const trm_xml *element, const char *name)
{
    if (!name || strcmp(name, "world") == 0) return -1;
    for (int i = 0; i < m->robot.part_count; i++)
        if (i != m->world && strcmp(m->robot.parts[i].name, name) == 0) return i;
    trm_say(m->in->messages, TRM_ERROR, element->place, "", "<%s>: there is no body '%s'", element->name, name);
    return -2;
}

static const trm_mjcf_site *find_site(trm_mjcf *m, const trm_xml *element, const char *name)
{
    for (int i = 0; i < m->site_count; i++)
        if (strcmp(m->sites[i].name, name) == 0) return &m->sites[i];
    trm_say(m->in->messages, TRM_ERROR, element->place, "", "<%s>: there is no site '%s'", element->name, name);
    return NULL;
}

static const trm_mjcf_joint *find_joint(trm_mjcf *m, const trm_xml *element, const char *name)
{
    for (int i = 0; i < m->joint_count; i++)
        if (strcmp(m->joints[i].name, name) == 0) return &m->joints[i];
    trm_say(m->in->messages, TRM_ERROR, element->place, "", "<%s>: there is no joint '%s'", element->name, name);
    return NULL;
}

static const char *name_of(trm_mjcf *m, const trm_mjcf_at *at, const char *kind, int number)
{
    const char *name = trm_xml_value(at->element, "name");
    return name ? name : trm_arena_format(m->in->scratch, "%s #%d", kind, number);
}

/* ---- Equality ----------------------------------------------------------------------------- */

/* Bodies, or sites whose origins are the two ends. False after an error. */
static bool read_ends(trm_mjcf *m, const trm_mjcf_at *at, trm_connection *c, trm_pose ends[2])
{
    static const char *const SITES[] = {"site1", "site2"}, *const BODIES[] = {"body1", "body2"};
    double anchor[3] = {0, 0, 0};
    trm_mjcf_numbers(at, "anchor", anchor, 3);
    for (int k = 0; k < 2; k++) {
        const char *name = trm_mjcf_value(at, SITES[k]);
        const trm_mjcf_site *site = name ? find_site(m, at->element, name) : NULL;
        if (name && !site) return false;
        c->parts[k] = site ? site->part : find_part(m, at->element, trm_mjcf_value(at, BODIES[k]));
        if (c->parts[k] < -1) return false;
        if (site) {
            ends[k] = site->world;
            c->has_ends = true;
        }
    }
    if (c->has_ends) return true;
    const trm_pose X = c->parts[0] < 0 ? trm_pose_identity() : m->robot.parts[c->parts[0]].world;
    ends[0] = ends[1] = (trm_pose){X.q, trm_pose_point(X, trm_v3(anchor[0], anchor[1], anchor[2]))};
    return true;
}

/* A weld with a pose of its own is only read where the start has it. */
static void check_relpose(trm_mjcf *m, const trm_mjcf_at *at, const trm_connection *c)
{
    double v[7] = {0};
    if (trm_mjcf_numbers(at, "relpose", v, 7) != 7 || c->parts[0] < 0 || c->parts[1] < 0) return;
    if (v[3] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0) return;
    const trm_pose X =
        trm_pose_mul(trm_pose_inverse(m->robot.parts[c->parts[0]].world), m->robot.parts[c->parts[1]].world);
    const double dot = fabs(v[3] * X.q.w + v[4] * X.q.x + v[5] * X.q.y + v[6] * X.q.z);
    const double norm = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    if (trm_length(trm_sub(X.p, trm_v3(v[0], v[1], v[2]))) > 1e-6 || dot < (1 - 1e-9) * norm)
        trm_say(m->in->messages, TRM_WARNING, at->element->place, "",
                "<weld>: relpose is not used; the bodies are held as they are at the start");
}

static bool read_loop(trm_mjcf *m, trm_xml *element, const char *type, int class)
{
    trm_mjcf_at at = trm_mjcf_look(m, element, "equality", class);
    trm_connection *c = trm_robot_add_connection(&m->robot);
    trm_pose ends[2];
    if (!c) return false;
    c->name = name_of(m, &at, element->name, m->robot.connection_count - 1);
    c->place = element->place;
    c->type = type;
    c->loop = true;
    c->detached = !trm_mjcf_is(&at, "active", true);
    if (!c->name) return false;
    if (!read_ends(m, &at, c, ends)) {
        m->robot.connection_count--;
        return true;
    }
    c->anchor = ends[0].p;
    c->ends[0] = ends[0].p, c->ends[1] = ends[1].p;
    check_relpose(m, &at, c);
    trm_mjcf_value(&at, "torquescale");
    return true;
}

/* From powers of q2 - ref to powers of q2. */
static void shift_polynomial(double a[5], double ref)
{
    for (int i = 0; i < 5; i++)
        for (int k = 3; k >= i; k--) a[k] -= ref * a[k + 1];
}

static bool read_coupling(trm_mjcf *m, trm_xml *element, int class)
{
    trm_mjcf_at at = trm_mjcf_look(m, element, "equality", class);
    double a[5] = {0, 1, 0, 0, 0};
    const char *one = trm_mjcf_value(&at, "joint1"), *other = trm_mjcf_value(&at, "joint2");
    const trm_mjcf_joint *j1 = one ? find_joint(m, element, one) : NULL;
    const trm_mjcf_joint *j2 = other ? find_joint(m, element, other) : NULL;
    trm_mjcf_numbers(&at, "polycoef", a, 5);
    if (!j1 || (other && !j2)) return true;
    trm_part_coupling *c = trm_robot_add_coupling(&m->robot);
    if (!c) return false;
    c->name = name_of(m, &at, "equality", m->robot.coupling_count - 1);
    c->place = element->place;
    c->freedoms[0] = j1->name;
    c->freedoms[1] = j2 ? j2->name : NULL;
    c->detached = !trm_mjcf_is(&at, "active", true);
    if (!j2) a[1] = a[2] = a[3] = a[4] = 0;
    if (j2) shift_polynomial(a, j2->ref);
    a[0] += j1->ref;
    memcpy(c->a, a, sizeof c->a);
    return c->name != NULL;
}

static bool read_equality(trm_mjcf *m, trm_xml *element)
{
    const int class = trm_mjcf_class_of(m, element, "class", 0);
    bool good = true;
    for (trm_xml *e = element->first_child; good && e; e = e->next) {
        const bool connect = strcmp(e->name, "connect") == 0, weld = strcmp(e->name, "weld") == 0;
        const bool joint = strcmp(e->name, "joint") == 0;
        e->used = connect || weld || joint;
        if (connect) good = read_loop(m, e, "ball", class);
        if (weld) good = read_loop(m, e, "fixed", class);
        if (joint) good = read_coupling(m, e, class);
    }
    return good;
}

/* ---- Tendons ------------------------------------------------------------------------------ */

/* The sites of a tendon that goes straight from one to the other; false: it is another one. */
static bool find_straight(trm_mjcf *m, trm_xml *element, const trm_mjcf_site *sites[2])
{
    int count = 0;
    for (trm_xml *e = element->first_child; e; e = e->next) {
        if (strcmp(e->name, "site") != 0 || count == 2) return false;
        const char *name = trm_xml_value(e, "site");
        sites[count] = name ? find_site(m, e, name) : NULL;
        if (!sites[count++]) return false;
        e->used = true;
    }
    return count == 2 && sites[0]->part != sites[1]->part;
}

/* A spring with damping; its rest length is that of the start, unless given. */
static bool add_spring(trm_mjcf *m, const trm_mjcf_at *at, const trm_mjcf_site *sites[2], const char *name)
{
    double rest[2] = {-1, -1};
    const double stiffness = trm_mjcf_number(at, "stiffness", 0), damping = trm_mjcf_number(at, "damping", 0);
    const int given = trm_mjcf_numbers(at, "springlength", rest, 2);
    if (given == 2 && rest[0] != rest[1])
        trm_say(m->in->messages, TRM_WARNING, at->element->place, "",
                "tendon '%s': a springlength with slack between %g and %g is not used as such; its middle is the "
                "rest length",
                name, rest[0], rest[1]);
    if (stiffness == 0 && damping == 0) return true;
    trm_robot_spring *spring = trm_robot_add_spring(&m->robot);
    if (!spring) return false;
    spring->name = name;
    spring->place = at->element->place;
    spring->stiffness = stiffness;
    spring->damping = damping;
    spring->rest = given == 2 ? 0.5 * (rest[0] + rest[1]) : rest[0];
    if (spring->rest < 0) spring->rest = trm_length(trm_sub(sites[0]->world.p, sites[1]->world.p));
    for (int k = 0; k < 2; k++) spring->parts[k] = sites[k]->part, spring->ends[k] = sites[k]->world.p;
    return true;
}

static bool add_rope(trm_mjcf *m, const trm_mjcf_at *at, const trm_mjcf_site *sites[2], const char *name)
{
    double range[2] = {0, 0};
    const bool given = trm_mjcf_numbers(at, "range", range, 2) == 2;
    if (!trm_mjcf_is(at, "limited", given && m->autolimits)) return true;
    if (m->in->options->without & TRM_WITHOUT_LIMITS) return true;
    if (range[0] > 0)
        trm_say(m->in->messages, TRM_WARNING, at->element->place, "",
                "tendon '%s': the least length %g is not used, the greatest is", name, range[0]);
    trm_connection *c = trm_robot_add_connection(&m->robot);
    if (!c) return false;
    c->name = name;
    c->place = at->element->place;
    c->type = "distance";
    c->loop = c->has_ends = true;
    c->rope = range[1];
    for (int k = 0; k < 2; k++) c->parts[k] = sites[k]->part, c->ends[k] = sites[k]->world.p;
    return true;
}

static bool read_tendon(trm_mjcf *m, trm_xml *element, int class)
{
    const trm_mjcf_at at = trm_mjcf_look(m, element, "tendon", class);
    const trm_mjcf_site *sites[2];
    const char *name = name_of(m, &at, "tendon", m->robot.spring_count);
    if (!name) return false;
    if (find_straight(m, element, sites)) return add_spring(m, &at, sites, name) && add_rope(m, &at, sites, name);
    if (trm_error_count(m->in->messages) == 0)
        trm_say(m->in->messages, TRM_WARNING, element->place, "",
                "tendon '%s' is not used: only tendons that go straight between two sites are", name);
    return true;
}

static bool read_tendons(trm_mjcf *m, trm_xml *element)
{
    const int class = trm_mjcf_class_of(m, element, "class", 0);
    for (trm_xml *e = trm_xml_child(element, "spatial"); e; e = trm_xml_again(e))
        if (!read_tendon(m, e, class)) return false;
    return true;
}

bool trm_mjcf_read_constraints(trm_mjcf *m, trm_xml *root)
{
    bool good = true;
    for (trm_xml *e = trm_xml_child(root, "equality"); good && e; e = trm_xml_again(e)) good = read_equality(m, e);
    for (trm_xml *e = trm_xml_child(root, "tendon"); good && e; e = trm_xml_again(e)) good = read_tendons(m, e);
    return good;
}

/* ---- Contact ------------------------------------------------------------------------------ */

bool trm_mjcf_read_excludes(trm_mjcf *m, trm_xml *root)
{
    for (trm_xml *contact = trm_xml_child(root, "contact"); contact; contact = trm_xml_again(contact))
        for (trm_xml *e = trm_xml_child(contact, "exclude"); e; e = trm_xml_again(e)) {
            const int one = find_part(m, e, trm_xml_value(e, "body1")),
                      other = find_part(m, e, trm_xml_value(e, "body2"));
            trm_xml_value(e, "name");
            if (one < -1 || other < -1) continue;
            if (!trm_robot_part_bodies(&m->robot, one < 0 ? m->world : one, other < 0 ? m->world : other))
                return false;
        }
    return true;
}
