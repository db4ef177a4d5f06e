/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tendons of MJCF.
 *
 *     spatial   straight between two sites: a spring by stiffness and damping, a rope by its range
 *     fixed     L = sum c_i q_i. If all q_i depend on one coordinate q by rigid couplings, q_i = r_i q + s_i, then
 *               L = (sum c_i r_i) q + sum c_i s_i, and springs and actuators on it act on that coordinate
 *     tendon under <equality>
 *               L1 - L1(0) = a0 + a1 (L2 - L2(0)) + ..., L(0) of the reference pose: a coupling of coordinates */

#include <string.h>

#include "io/mjcf.h"

const trm_mjcf_tendon *trm_mjcf_find_tendon(trm_mjcf *m, const trm_xml *element, const char *name)
{
    for (int i = 0; i < m->tendon_count; i++)
        if (strcmp(m->tendons[i].name, name) == 0) return &m->tendons[i];
    trm_add_message(m->in->messages, TRM_ERROR, element->place, "", "<%s>: there is no tendon '%s'", element->name,
                    name);
    return NULL;
}

static trm_mjcf_tendon *add_tendon(trm_mjcf *m, trm_xml *element, int class)
{
    const trm_mjcf_at at = trm_mjcf_resolve(m, element, "tendon", class);
    const char *name = trm_mjcf_name_of(m, &at, "tendon", m->tendon_count);
    trm_mjcf_tendon *grown = trm_arena_grow(m->in->scratch, m->tendons, m->tendon_count, sizeof *grown);
    if (!grown || !name) return NULL;
    m->tendons = grown;
    grown[m->tendon_count] = (trm_mjcf_tendon){.name = name, .element = element, .class = at.class};
    return &grown[m->tendon_count++];
}

/* ---- Spatial ------------------------------------------------------------------------------ */

/* Finds the two sites of a tendon that is a straight line between them. Returns false if the tendon is of another
 * kind. */
static bool find_straight(trm_mjcf *m, trm_xml *element, const trm_mjcf_site *sites[2])
{
    int count = 0;
    for (trm_xml *e = element->first_child; e; e = e->next) {
        if (strcmp(e->name, "site") != 0 || count == 2) return false;
        const char *name = trm_xml_value(e, "site");
        sites[count] = name ? trm_mjcf_find_site(m, e, name) : NULL;
        if (!sites[count++]) return false;
        e->used = true;
    }
    return count == 2 && sites[0]->part != sites[1]->part;
}

/* Adds a spring with damping, whose rest length is that at the start unless given. Returns false if out of memory. */
static bool add_spring(trm_mjcf *m, const trm_mjcf_at *at, const trm_mjcf_tendon *tendon)
{
    double rest[2] = {-1, -1};
    const double stiffness = m->no_springs ? 0 : trm_mjcf_number(at, "stiffness", 0),
                 damping = trm_mjcf_number(at, "damping", 0);
    const int given = trm_mjcf_numbers(at, "springlength", rest, 2);
    if (given == 2 && rest[0] != rest[1])
        trm_add_message(
            m->in->messages, TRM_WARNING, at->element->place, "",
            "tendon '%s': a springlength with slack between %g and %g is not used as such; its middle is the "
            "rest length",
            tendon->name, rest[0], rest[1]);
    if (stiffness == 0 && damping == 0) return true;
    trm_robot_spring *spring = trm_robot_add_spring(&m->robot);
    if (!spring) return false;
    spring->name = tendon->name;
    spring->place = at->element->place;
    spring->stiffness = stiffness;
    spring->damping = damping;
    spring->rest = given == 2 ? 0.5 * (rest[0] + rest[1]) : rest[0];
    if (spring->rest < 0)
        spring->rest = trm_v3_length(trm_v3_sub(tendon->sites[0]->world.p, tendon->sites[1]->world.p));
    for (int k = 0; k < 2; k++) {
        spring->parts[k] = tendon->sites[k]->part;
        spring->ends[k] = tendon->sites[k]->world.p;
    }
    return true;
}

static bool add_rope(trm_mjcf *m, const trm_mjcf_at *at, const trm_mjcf_tendon *tendon)
{
    double range[2] = {0, 0};
    const bool given = trm_mjcf_numbers(at, "range", range, 2) == 2;
    if (!trm_mjcf_is(at, "limited", given && trm_mjcf_options(m, at->element)->autolimits)) return true;
    if (m->in->without & TRM_WITHOUT_LIMITS) return true;
    if (range[0] > 0)
        trm_add_message(m->in->messages, TRM_WARNING, at->element->place, "",
                        "tendon '%s': the least length %g is not used, the greatest is", tendon->name, range[0]);
    trm_connection *c = trm_robot_add_connection(&m->robot);
    if (!c) return false;
    c->name = tendon->name;
    c->place = at->element->place;
    c->type = "distance";
    c->loop = c->has_ends = true;
    c->rope = range[1];
    for (int k = 0; k < 2; k++) c->parts[k] = tendon->sites[k]->part, c->ends[k] = tendon->sites[k]->world.p;
    return true;
}

static bool read_spatial(trm_mjcf *m, trm_xml *element, int class)
{
    trm_mjcf_tendon *tendon = add_tendon(m, element, class);
    if (!tendon) return false;
    const trm_mjcf_at at = {m, element, "tendon", tendon->class};
    tendon->straight = find_straight(m, element, tendon->sites);
    if (tendon->straight) return add_spring(m, &at, tendon) && add_rope(m, &at, tendon);
    element->used = false; /* the account of unused elements names it as a whole */
    return true;
}

/* ---- Fixed -------------------------------------------------------------------------------- */

static bool read_fixed(trm_mjcf *m, trm_xml *element, int class)
{
    trm_mjcf_tendon *tendon = add_tendon(m, element, class);
    if (!tendon) return false;
    for (trm_xml *e = trm_xml_child(element, "joint"); e; e = trm_xml_again(e)) {
        const trm_mjcf_at at = {m, e, "joint", -1};
        const char *name = trm_xml_value(e, "joint");
        const double factor = trm_mjcf_number(&at, "coef", 1);
        const trm_mjcf_joint *joint = name ? trm_mjcf_find_joint(m, e, name) : NULL;
        if (!joint) continue;
        trm_coupling_term *grown = trm_arena_grow(m->in->scratch, tendon->terms, tendon->term_count, sizeof *grown);
        if (!grown) return false;
        tendon->terms = grown;
        grown[tendon->term_count++] = (trm_coupling_term){joint->name, factor};
        tendon->start += factor * joint->ref;
    }
    return true;
}

bool trm_mjcf_read_tendons(trm_mjcf *m, trm_xml *root)
{
    for (trm_xml *list = trm_xml_child(root, "tendon"); list; list = trm_xml_again(list)) {
        const int class = trm_mjcf_class_of(m, list, "class", 0);
        for (trm_xml *e = list->first_child; e; e = e->next) {
            const bool spatial = strcmp(e->name, "spatial") == 0, fixed = strcmp(e->name, "fixed") == 0;
            e->used = spatial || fixed;
            if (spatial && !read_spatial(m, e, class)) return false;
            if (fixed && !read_fixed(m, e, class)) return false;
        }
    }
    return true;
}

/* Finds a coupling q = ratio leader + offset of the freedom. Returns false if there is none. */
static bool follows(const trm_robot *a, const char *freedom, const char **leader, double *ratio, double *offset)
{
    for (int i = 0; i < a->coupling_count; i++) {
        const trm_part_coupling *c = &a->couplings[i];
        const bool line = c->a[2] == 0 && c->a[3] == 0 && c->a[4] == 0 && !c->detached;
        if (!line || c->term_count == 0 || strcmp(c->terms[0].freedom, freedom) != 0) continue;
        const bool of_two = c->term_count == 2 && !c->of;
        if (!of_two && !(c->term_count == 1 && c->of)) continue;
        const double first = c->terms[0].factor;
        *leader = of_two ? c->terms[1].freedom : c->of;
        *ratio = (of_two ? -c->terms[1].factor : c->a[1]) / first;
        *offset = c->a[0] / first;
        return true;
    }
    return false;
}

bool trm_mjcf_tendon_line(const trm_mjcf *m, const trm_mjcf_tendon *tendon, trm_mjcf_line *line)
{
    const char *root = NULL;
    *line = (trm_mjcf_line){0};
    for (int i = 0; i < tendon->term_count; i++) {
        const char *freedom = tendon->terms[i].freedom, *leader;
        double factor = tendon->terms[i].factor, ratio, offset;
        for (int k = 0; k <= m->robot.coupling_count && follows(&m->robot, freedom, &leader, &ratio, &offset); k++) {
            line->offset += factor * offset;
            factor *= ratio;
            freedom = leader;
        }
        if (root && strcmp(root, freedom) != 0) return false;
        root = freedom;
        line->gear += factor;
    }
    line->q = root ? trm_robot_coordinate_of(&m->robot, root) : NULL;
    if (line->q) line->offset += line->gear * line->q->shift;
    return line->q && line->gear != 0;
}

/* Adds a spring with a damper on the coordinate on which the tendon depends. Its rest length is that of the reference
 * pose. Returns false if out of memory. */
static bool add_torsion(trm_mjcf *m, const trm_mjcf_at *at, const trm_mjcf_tendon *tendon, double stiffness,
                        double damping)
{
    trm_mjcf_line line;
    double rest[2] = {-1, -1};
    const int given = trm_mjcf_numbers(at, "springlength", rest, 2);
    if (!trm_mjcf_tendon_line(m, tendon, &line) || (given == 2 && rest[0] != rest[1])) {
        trm_add_message(m->in->messages, TRM_WARNING, tendon->element->place, "",
                        "tendon '%s': its stiffness and damping are not used: %s", tendon->name,
                        given == 2 ? "its springlength leaves slack" : "its joints move independently of each other");
        return true;
    }
    trm_force_def def = trm_default_force_def();
    trm_arena *arena = m->in->def->arena;
    def.place = tendon->element->place;
    def.name = trm_robot_force_name(&m->robot, tendon->name);
    def.type = "torsion";
    def.joint = trm_arena_text(arena, line.q->joint);
    if (line.q->count > 1) def.coordinate = line.q->index + 1;
    def.stiffness = stiffness * line.gear * line.gear;
    def.damping = damping * line.gear * line.gear;
    def.rest = ((given > 0 && rest[0] >= 0 ? rest[0] : tendon->start) - line.offset) / line.gear;
    return def.name && def.joint && trm_add_force(m->in->def, &def) == TRM_OK;
}

/* Adds the armature of a tendon to its coordinate: with L = gear q, an inertia along L is gear^2 times as large along
 * q. */
static void add_armature(trm_mjcf *m, const trm_mjcf_tendon *tendon, double armature)
{
    trm_model_def *def = m->in->def;
    trm_mjcf_line line;
    if (!(armature > 0)) return;
    if (!trm_mjcf_tendon_line(m, tendon, &line)) {
        trm_add_message(m->in->messages, TRM_WARNING, tendon->element->place, "",
                        "tendon '%s': its armature is not used: its joints move independently of each other",
                        tendon->name);
        return;
    }
    for (int i = 0; i < def->joint_count; i++) {
        trm_joint_def *joint = &def->joints[i];
        if (strcmp(joint->name, line.q->joint) != 0) continue;
        trm_coordinate_def *laws =
            (trm_coordinate_def *)(uintptr_t)joint->coordinates; /* writable, in the definition's arena */
        double *own = laws ? &laws[line.q->index].armature : &joint->armature;
        *own += armature * line.gear * line.gear;
    }
}

bool trm_mjcf_add_tendon_forces(trm_mjcf *m)
{
    for (int i = 0; i < m->tendon_count; i++) {
        const trm_mjcf_tendon *tendon = &m->tendons[i];
        const trm_mjcf_at at = {m, tendon->element, "tendon", tendon->class};
        double range[2] = {0, 0};
        if (tendon->term_count == 0) continue;
        add_armature(m, tendon, trm_mjcf_number(&at, "armature", 0));
        const double stiffness = m->no_springs ? 0 : trm_mjcf_number(&at, "stiffness", 0),
                     damping = trm_mjcf_number(&at, "damping", 0);
        const bool given = trm_mjcf_numbers(&at, "range", range, 2) == 2;
        const bool limited = trm_mjcf_is(&at, "limited", given && trm_mjcf_options(m, at.element)->autolimits);
        if (limited && !(m->in->without & TRM_WITHOUT_LIMITS))
            trm_add_message(m->in->messages, TRM_WARNING, tendon->element->place, "",
                            "tendon '%s': the range of a fixed tendon is not used", tendon->name);
        if ((stiffness != 0 || damping != 0) && !add_torsion(m, &at, tendon, stiffness, damping)) return false;
    }
    return true;
}

/* ---- Equality ----------------------------------------------------------------------------- */

/* Adds the second tendon to a coupling. If it depends on one joint, any polynomial is supported; if on several, only
 * a linear one. Returns false if it is not supported. */
static bool add_second(trm_mjcf *m, trm_part_coupling *c, const trm_mjcf_tendon *second)
{
    if (second->term_count == 1) {
        double power = 1;
        c->of = second->terms[0].freedom;
        for (int k = 0; k < 5; k++, power *= second->terms[0].factor) c->a[k] *= power;
        return true;
    }
    for (int i = 0; i < second->term_count; i++)
        if (!trm_coupling_add_term(&m->robot, c, second->terms[i].freedom, -c->a[1] * second->terms[i].factor))
            return false;
    c->a[1] = 0;
    return true;
}

bool trm_mjcf_read_tendon_coupling(trm_mjcf *m, trm_xml *element, int class)
{
    const trm_mjcf_at at = trm_mjcf_resolve(m, element, "equality", class);
    double a[5] = {0, 1, 0, 0, 0};
    const char *one = trm_mjcf_value(&at, "tendon1"), *other = trm_mjcf_value(&at, "tendon2");
    const trm_mjcf_tendon *first = one ? trm_mjcf_find_tendon(m, element, one) : NULL;
    const trm_mjcf_tendon *second = other ? trm_mjcf_find_tendon(m, element, other) : NULL;
    trm_mjcf_numbers(&at, "polycoef", a, 5);
    if (!first || (other && !second)) return true;
    const bool curved = a[2] != 0 || a[3] != 0 || a[4] != 0;
    if (first->term_count == 0 || (second && (second->term_count == 0 || (second->term_count > 1 && curved)))) {
        trm_add_message(m->in->messages, TRM_WARNING, element->place, "",
                        "<tendon> in equality is not used: only fixed tendons are coupled, several joints by a line");
        return true;
    }
    trm_part_coupling *c = trm_robot_add_coupling(&m->robot);
    if (!c) return false;
    c->name = trm_mjcf_name_of(m, &at, "equality", m->robot.coupling_count - 1);
    c->place = element->place;
    c->detached = !trm_mjcf_is(&at, "active", true) || m->no_equality;
    if (!second) a[1] = a[2] = a[3] = a[4] = 0;
    if (second) trm_mjcf_shift_polynomial(a, second->start);
    a[0] += first->start;
    memcpy(c->a, a, sizeof c->a);
    for (int i = 0; i < first->term_count; i++)
        if (!trm_coupling_add_term(&m->robot, c, first->terms[i].freedom, first->terms[i].factor)) return false;
    return c->name && (!second || add_second(m, c, second));
}
