/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads constraints of MJCF, which are rigid here.
 *
 *     connect   a point of one body is a point of another: ball        weld    two bodies are one: fixed
 *     joint     q1 - ref1 = a0 + a1 (q2 - ref2) + ... + a4 (q2 - ref2)^4: gear; without joint2 q1 is held
 *     exclude   two bodies that do not collide       pair    two geoms that do, independent of contype and conaffinity */

#include <math.h>
#include <string.h>

#include "io/mjcf.h"

/* ---- Names -------------------------------------------------------------------------------- */

static void add_name(trm_mjcf *m, trm_names *names, const char *kind, const char *name, int index, trm_place place)
{
    if (name && trm_names_add(names, name, index) != index)
        trm_add_error(m->in->messages, place, "there are two %s '%s'; rename one", kind, name);
}

bool trm_mjcf_index_names(trm_mjcf *m)
{
    trm_arena *arena = m->in->scratch;
    const trm_robot *robot = &m->robot;
    if (!trm_names_init(&m->body_names, arena, robot->part_count) ||
        !trm_names_init(&m->joint_names, arena, m->joint_count) ||
        !trm_names_init(&m->site_names, arena, m->site_count) ||
        !trm_names_init(&m->geom_names, arena, m->geom_count))
        return false;
    for (int i = 0; i < robot->part_count; i++)
        if (i != m->world) add_name(m, &m->body_names, "bodies", robot->parts[i].name, i, robot->parts[i].place);
    for (int i = 0; i < m->joint_count; i++)
        add_name(m, &m->joint_names, "joints", m->joints[i].name, i, m->joints[i].place);
    for (int i = 0; i < m->site_count; i++)
        add_name(m, &m->site_names, "sites", m->sites[i].name, i, m->sites[i].place);
    for (int i = 0; i < m->geom_count; i++)
        add_name(m, &m->geom_names, "geoms", m->geoms[i].name, i, m->geoms[i].place);
    return true;
}

/* Returns the index of a name. Returns -1 after reporting that there is none. */
static int find_name(trm_mjcf *m, const trm_names *names, const trm_xml *element, const char *kind, const char *name)
{
    const int index = name ? trm_names_find(names, name) : -1;
    if (index < 0)
        trm_add_error(m->in->messages, element->place, "<%s>: there is no %s '%s'", element->name, kind,
                      name ? name : "");
    return index;
}

int trm_mjcf_find_part(trm_mjcf *m, const trm_xml *element, const char *name)
{
    if (!name || strcmp(name, "world") == 0) return -1;
    const int index = find_name(m, &m->body_names, element, "body", name);
    return index < 0 ? -2 : index;
}

const trm_mjcf_site *trm_mjcf_find_site(trm_mjcf *m, const trm_xml *element, const char *name)
{
    const int index = find_name(m, &m->site_names, element, "site", name);
    return index < 0 ? NULL : &m->sites[index];
}

trm_mjcf_joint *trm_mjcf_find_joint(trm_mjcf *m, const trm_xml *element, const char *name)
{
    const int index = find_name(m, &m->joint_names, element, "joint", name);
    return index < 0 ? NULL : &m->joints[index];
}

const char *trm_mjcf_name_of(trm_mjcf *m, const trm_mjcf_at *at, const char *kind, int number)
{
    const char *name = trm_xml_value(at->element, "name");
    return name ? name : trm_arena_format(m->in->scratch, "%s #%d", kind, number);
}

/* ---- Equality ----------------------------------------------------------------------------- */

/* Reads the two bodies, or the two sites whose frames are the ends. Returns false after reporting an error. */
static bool read_ends(trm_mjcf *m, const trm_mjcf_at *at, trm_connection *c, trm_pose ends[2])
{
    static const char *const SITES[] = {"site1", "site2"}, *const BODIES[] = {"body1", "body2"};
    double anchor[3] = {0, 0, 0};
    trm_mjcf_numbers(at, "anchor", anchor, 3);
    for (int k = 0; k < 2; k++) {
        const char *name = trm_mjcf_value(at, SITES[k]);
        const trm_mjcf_site *site = name ? trm_mjcf_find_site(m, at->element, name) : NULL;
        if (name && !site) return false;
        c->parts[k] = site ? site->part : trm_mjcf_find_part(m, at->element, trm_mjcf_value(at, BODIES[k]));
        if (c->parts[k] < -1) return false;
        if (site) {
            ends[k] = site->world;
            c->has_ends = true;
        }
    }
    if (c->has_ends) return true;
    const int of = c->parts[strcmp(at->element->name, "weld") == 0]; /* the second body of a weld, else the first */
    const trm_pose X = of < 0 ? trm_pose_identity() : m->robot.parts[of].world;
    ends[0] = ends[1] = (trm_pose){X.q, trm_pose_point(X, trm_v3(anchor[0], anchor[1], anchor[2]))};
    return true;
}

/* Warns about a weld whose relpose, or whose sites, differ from the start, because bodies are welded as they are at
 * the start. */
static void check_relpose(trm_mjcf *m, const trm_mjcf_at *at, const trm_connection *c, const trm_pose ends[2])
{
    double v[7] = {0, 0, 0, 1, 0, 0, 0};
    const bool sites = c->has_ends, given = trm_mjcf_numbers(at, "relpose", v, 7) == 7;
    if (sites ? strcmp(c->type, "fixed") != 0 : !given) return;
    const double norm = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    if (norm == 0) return;
    const trm_pose one = sites ? ends[0] : trm_mjcf_world(m, c->parts[0]),
                   other = sites ? ends[1] : trm_mjcf_world(m, c->parts[1]);
    const trm_pose X = trm_pose_mul(trm_pose_inverse(one), other);
    const double dot = fabs(v[3] * X.q.w + v[4] * X.q.x + v[5] * X.q.y + v[6] * X.q.z);
    const double far = sites ? 0 : trm_v3_length(trm_v3_sub(X.p, trm_v3(v[0], v[1], v[2])));
    if (far > 1e-6 || dot < (1 - 1e-9) * norm)
        trm_add_warning(m->in->messages, at->element->place,
                        "<weld>: %s not used; the bodies are held as they are at the start",
                        sites ? "the axes of its sites differ and are" : "relpose is");
}

static bool read_loop(trm_mjcf *m, trm_xml *element, const char *type, int class)
{
    trm_mjcf_at at = trm_mjcf_resolve(m, element, "equality", class);
    trm_connection *c = trm_robot_add_connection(&m->robot);
    trm_pose ends[2];
    if (!c) return false;
    c->name = trm_mjcf_name_of(m, &at, element->name, m->robot.connection_count - 1);
    c->place = element->place;
    c->type = type;
    c->loop = true;
    c->detached = !trm_mjcf_is(&at, "active", true) || m->no_equality;
    if (!c->name) return false;
    if (!read_ends(m, &at, c, ends)) {
        m->robot.connection_count--;
        return true;
    }
    c->anchor = ends[0].p;
    c->ends[0] = ends[0].p, c->ends[1] = ends[1].p;
    if (trm_mjcf_number(&at, "torquescale", 1) == 0) c->type = "ball"; /* it holds positions only */
    check_relpose(m, &at, c, ends);
    return true;
}

static bool read_coupling(trm_mjcf *m, trm_xml *element, int class)
{
    trm_mjcf_at at = trm_mjcf_resolve(m, element, "equality", class);
    double a[5] = {0, 1, 0, 0, 0};
    const char *one = trm_mjcf_value(&at, "joint1"), *other = trm_mjcf_value(&at, "joint2");
    const trm_mjcf_joint *j1 = one ? trm_mjcf_find_joint(m, element, one) : NULL;
    const trm_mjcf_joint *j2 = other ? trm_mjcf_find_joint(m, element, other) : NULL;
    trm_mjcf_numbers(&at, "polycoef", a, 5);
    if (!j1 || (other && !j2)) return true;
    trm_part_coupling *c = trm_robot_add_coupling(&m->robot);
    if (!c) return false;
    c->name = trm_mjcf_name_of(m, &at, "equality", m->robot.coupling_count - 1);
    c->place = element->place;
    c->of = j2 ? j2->name : NULL;
    c->detached = !trm_mjcf_is(&at, "active", true) || m->no_equality;
    if (!j2) a[1] = a[2] = a[3] = a[4] = 0;
    if (j2) trm_mjcf_shift_polynomial(a, j2->ref);
    a[0] += j1->ref;
    memcpy(c->a, a, sizeof c->a);
    return c->name && trm_coupling_add_term(&m->robot, c, j1->name, 1);
}

static bool read_equality(trm_mjcf *m, trm_xml *element)
{
    const int class = trm_mjcf_class_of(m, element, "class", 0);
    bool good = true;
    for (trm_xml *e = element->first_child; good && e; e = e->next) {
        const bool connect = strcmp(e->name, "connect") == 0, weld = strcmp(e->name, "weld") == 0;
        const bool joint = strcmp(e->name, "joint") == 0;
        const bool tendon = strcmp(e->name, "tendon") == 0;
        e->used = connect || weld || joint || tendon;
        if (connect) good = read_loop(m, e, "ball", class);
        if (weld) good = read_loop(m, e, "fixed", class);
        if (joint) good = read_coupling(m, e, class);
        if (tendon) good = trm_mjcf_read_tendon_coupling(m, e, class);
    }
    return good;
}

bool trm_mjcf_read_constraints(trm_mjcf *m, trm_xml *root)
{
    bool good = trm_mjcf_read_tendons(m, root);
    for (trm_xml *e = trm_xml_child(root, "equality"); good && e; e = trm_xml_again(e)) good = read_equality(m, e);
    return good;
}

/* ---- Contact ------------------------------------------------------------------------------ */

static const trm_mjcf_geom *find_geom(trm_mjcf *m, trm_xml *element, const char *attribute)
{
    const int index = find_name(m, &m->geom_names, element, "geom", trm_xml_value(element, attribute));
    return index < 0 ? NULL : &m->geoms[index];
}

static trm_part_shape *shape_of(trm_mjcf *m, const trm_mjcf_geom *geom)
{
    return geom->shape < 0 ? NULL : &m->robot.parts[geom->part].shapes[geom->shape];
}

/* Returns the highest bit that no geom uses; 0 if all are used. */
static unsigned unused_bit(const trm_mjcf *m)
{
    unsigned taken = 0;
    for (int p = 0; p < m->robot.part_count; p++)
        for (int i = 0; i < m->robot.parts[p].shape_count; i++)
            taken |= m->robot.parts[p].shapes[i].type | m->robot.parts[p].shapes[i].affinity;
    for (unsigned bit = 1u << 31; bit; bit >>= 1)
        if (!(taken & bit)) return bit;
    return 0;
}

/* Makes the geoms of a pair collide by a bit that only they have. */
static void join_pair(trm_mjcf *m, trm_xml *e)
{
    const trm_mjcf_geom *one = find_geom(m, e, "geom1"), *other = find_geom(m, e, "geom2");
    trm_part_shape *a = one ? shape_of(m, one) : NULL, *b = other ? shape_of(m, other) : NULL;
    if (!a || !b) return;
    if ((a->type & b->affinity) || (b->type & a->affinity)) return;
    const unsigned bit = unused_bit(m);
    if (bit == 0) {
        trm_add_warning(m->in->messages, e->place, "<pair> is not used: all groups of shapes are taken");
        return;
    }
    a->type |= bit;
    b->affinity |= bit;
    a->def.collide = b->def.collide = true;
}

/* Whether these bodies do not collide, whatever their shapes say: by <exclude>, or because a joint connects them. */
static bool are_apart(const trm_mjcf *m, const char *one, const char *other)
{
    const trm_model_def *def = m->in->def;
    for (int i = 0; i < def->no_collide_count; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(def->no_collide[i].bodies[k], one) == 0 && strcmp(def->no_collide[i].bodies[!k], other) == 0)
                return true;
    for (int i = 0; i < def->joint_count; i++)
        for (int k = 0; k < 2; k++)
            if (def->joints[i].bodies[k] && def->joints[i].bodies[!k] && !def->joints[i].collide &&
                strcmp(def->joints[i].bodies[k], one) == 0 && strcmp(def->joints[i].bodies[!k], other) == 0)
                return true;
    return false;
}

/* Reads the friction of a pair, which applies to all shapes of the two bodies here. Returns false if out of
 * memory. */
static bool read_pair_friction(trm_mjcf *m, trm_xml *e)
{
    const trm_mjcf_at at = trm_mjcf_resolve(m, e, "pair", 0);
    const trm_mjcf_geom *one = find_geom(m, e, "geom1"), *other = find_geom(m, e, "geom2");
    trm_model_def *def = m->in->def;
    double friction[5] = {1, 1, 0.005, 0.0001, 0.0001};
    trm_xml_value(e, "name");
    const double condim = trm_mjcf_number(&at, "condim", 3);
    const bool given = trm_mjcf_numbers(&at, "friction", friction, 5) > 0 || condim == 1;
    if (!one || !other || m->robot.parts[one->part].body == m->robot.parts[other->part].body) return true;
    const char *a = trm_robot_body_name(&m->robot, one->part), *b = trm_robot_body_name(&m->robot, other->part);
    if (!a || !b) return false;
    if (are_apart(m, a, b))
        trm_add_warning(
            m->in->messages, e->place,
            "<pair> is not used: the bodies '%s' and '%s' do not collide, by <exclude> or because a joint "
            "connects them",
            a, b);
    if (!given) return true;
    trm_contact_def *contact = TRM_ADD(def->arena, def->contacts, def->contact_count);
    if (!contact) return false;
    *contact = trm_default_contact_def();
    contact->place = e->place;
    contact->bodies[0] = a, contact->bodies[1] = b;
    contact->friction = condim > 1 ? friction[0] : 0;
    contact->torsional = condim >= 4 ? friction[2] : 0;
    contact->rolling = condim >= 6 ? friction[3] : 0;
    return true;
}

void trm_mjcf_join_pairs(trm_mjcf *m, trm_xml *root)
{
    for (trm_xml *contact = trm_xml_child(root, "contact"); contact; contact = trm_xml_again(contact))
        for (trm_xml *e = trm_xml_child(contact, "pair"); e; e = trm_xml_again(e)) join_pair(m, e);
}

static bool read_exclude(trm_mjcf *m, trm_xml *e)
{
    const int one = trm_mjcf_find_part(m, e, trm_xml_value(e, "body1")),
              other = trm_mjcf_find_part(m, e, trm_xml_value(e, "body2"));
    trm_xml_value(e, "name");
    if (one < -1 || other < -1) return true;
    return trm_robot_part_bodies(&m->robot, one < 0 ? m->world : one, other < 0 ? m->world : other);
}

bool trm_mjcf_read_contacts(trm_mjcf *m, trm_xml *root)
{
    for (trm_xml *contact = trm_xml_child(root, "contact"); contact; contact = trm_xml_again(contact)) {
        for (trm_xml *e = trm_xml_child(contact, "exclude"); e; e = trm_xml_again(e))
            if (!read_exclude(m, e)) return false;
        for (trm_xml *e = trm_xml_child(contact, "pair"); e; e = trm_xml_again(e))
            if (!read_pair_friction(m, e)) return false;
    }
    return true;
}
