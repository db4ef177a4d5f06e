/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Tendons of MJCF.
 *
 *     spatial   straight between two sites: a spring by stiffness and damping, a rope by its range
 *     fixed     L = sum c_i q_i. A q_i that a rigid coupling ties to another coordinate, q_i = r q_k + s, is replaced
 *               by that one. If one coordinate remains, L = gear q + offset, springs and actuators act on it; if
 *               several, on the coordinate of a joint of type tendon, L - offset
 *     tendon under <equality>
 *               L1 - L1(0) = a0 + a1 (L2 - L2(0)) + ..., L(0) of the reference pose: a coupling of coordinates */

#include <string.h>

#include "io/mjcf.h"

trm_mjcf_tendon *trm_mjcf_find_tendon(trm_mjcf *m, const trm_xml *element, const char *name)
{
    for (int i = 0; i < m->tendon_count; i++)
        if (strcmp(m->tendons[i].name, name) == 0) return &m->tendons[i];
    trm_add_error(m->in->messages, element->place, "<%s>: there is no tendon '%s'", element->name, name);
    return NULL;
}

static trm_mjcf_tendon *add_tendon(trm_mjcf *m, trm_xml *element, int class)
{
    const trm_mjcf_at at = trm_mjcf_resolve(m, element, "tendon", class);
    const char *name = trm_mjcf_name_of(m, &at, "tendon", m->tendon_count);
    trm_mjcf_tendon *made = name ? TRM_ADD(m->in->scratch, m->tendons, m->tendon_count) : NULL;
    if (made) *made = (trm_mjcf_tendon){.name = name, .element = element, .class = at.class};
    return made;
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
        trm_add_warning(
            m->in->messages, at->element->place,
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
        trm_add_warning(m->in->messages, at->element->place,
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
        const trm_coupling_term term = {joint->name, factor};
        if (!TRM_APPEND(m->in->scratch, tendon->terms, tendon->term_count, term)) return false;
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

/* A fixed tendon as a sum of independent coordinates: L = sum factor_i q_i + offset. */
typedef struct line_sum {
    const trm_robot_coordinate *q[TRM_TERMS];
    double factor[TRM_TERMS], offset;
    int count;
    const char *why; /* why there is no such sum; NULL: there is one */
} line_sum;

static void add_to_sum(line_sum *sum, const trm_robot_coordinate *q, double factor)
{
    int i = 0;
    while (i < sum->count && sum->q[i] != q) i++;
    if (!q || i == TRM_TERMS) {
        sum->why = q ? "it depends on more than four independent joints" : "one of its joints has no coordinate";
        return;
    }
    sum->q[i] = q;
    sum->factor[i] = (i < sum->count ? sum->factor[i] : 0) + factor;
    sum->offset += factor * q->shift;
    if (i == sum->count) sum->count++;
}

/* Replaces coordinates that follow others by these, and drops those whose factors cancel. */
static line_sum sum_of(const trm_mjcf *m, const trm_mjcf_tendon *tendon)
{
    line_sum sum = {.why = tendon->term_count == 0 ? "it has no joints" : NULL};
    int kept = 0;
    for (int i = 0; i < tendon->term_count && !sum.why; i++) {
        const char *freedom = tendon->terms[i].freedom, *leader;
        double factor = tendon->terms[i].factor, ratio, offset;
        for (int k = 0; k <= m->robot.coupling_count && follows(&m->robot, freedom, &leader, &ratio, &offset); k++) {
            sum.offset += factor * offset;
            factor *= ratio;
            freedom = leader;
        }
        add_to_sum(&sum, trm_robot_coordinate_of(&m->robot, freedom), factor);
    }
    for (int i = 0; i < sum.count; i++)
        if (sum.factor[i] != 0) sum.q[kept] = sum.q[i], sum.factor[kept++] = sum.factor[i];
    sum.count = kept;
    if (kept == 0 && !sum.why) sum.why = "its length does not depend on its joints";
    return sum;
}

/* Returns a name that no joint has yet. */
static const char *free_joint_name(const trm_mjcf *m, const char *name)
{
    const trm_model_def *def = m->in->def;
    const char *kept = trm_robot_keep_name(&m->robot, name);
    for (int i = 0; kept && i < def->joint_count; i++)
        if (def->joints[i].name && strcmp(def->joints[i].name, kept) == 0)
            return trm_arena_format(def->arena, "%s_tendon", kept);
    return kept;
}

/* Adds the joint of type tendon whose coordinate is L - offset, with the laws of `def`. Returns false if out of
 * memory. */
static bool add_own_joint(trm_mjcf *m, trm_mjcf_tendon *tendon, const line_sum *sum, trm_joint_def def)
{
    trm_term_def *terms = TRM_NEW_ARRAY(m->in->def->arena, trm_term_def, sum->count);
    def.place = tendon->element->place;
    def.name = free_joint_name(m, tendon->name);
    def.type = "tendon";
    if (!terms || !def.name) return false;
    for (int i = 0; i < sum->count; i++) {
        terms[i] = trm_default_term_def();
        terms[i].joint = trm_arena_text(m->in->def->arena, sum->q[i]->joint);
        if (sum->q[i]->count > 1) terms[i].coordinate = sum->q[i]->index + 1;
        terms[i].factor = sum->factor[i];
    }
    def.terms = terms;
    def.term_count = sum->count;
    tendon->own = (trm_robot_coordinate){.freedom = tendon->name, .joint = def.name, .count = 1};
    return trm_add_joint(m->in->def, &def) == TRM_OK;
}

bool trm_mjcf_tendon_line(trm_mjcf *m, trm_mjcf_tendon *tendon, trm_mjcf_line *line)
{
    const line_sum sum = sum_of(m, tendon);
    *line = (trm_mjcf_line){.why = sum.why};
    if (sum.why) return true;
    if (sum.count > 1 && !tendon->own.joint && !add_own_joint(m, tendon, &sum, trm_default_joint_def())) return false;
    *line = (trm_mjcf_line){sum.q[0], sum.factor[0], sum.offset, NULL};
    if (sum.count > 1) line->q = &tendon->own, line->gear = 1;
    return true;
}

static void warn_unused(trm_mjcf *m, const trm_mjcf_tendon *tendon, const char *what, const char *why)
{
    trm_add_warning(m->in->messages, tendon->element->place, "tendon '%s': its %s not used: %s", tendon->name, what,
                    why);
}

/* Returns the length at which a tendon's spring is at rest; NAN after a warning if it leaves slack. */
static double rest_of(trm_mjcf *m, const trm_mjcf_at *at, const trm_mjcf_tendon *tendon)
{
    double rest[2] = {-1, -1};
    const int given = trm_mjcf_numbers(at, "springlength", rest, 2);
    if (given == 2 && rest[0] != rest[1]) {
        warn_unused(m, tendon, "stiffness and damping are", "its springlength leaves slack");
        return NAN;
    }
    return given > 0 && rest[0] >= 0 ? rest[0] : tendon->start;
}

/* Adds a spring with a damper on the only coordinate on which the tendon depends. Returns false if out of memory. */
static bool add_torsion(trm_mjcf *m, const trm_mjcf_tendon *tendon, const line_sum *sum, const trm_joint_def *laws)
{
    trm_force_def def = trm_default_force_def();
    const double gear = sum->factor[0];
    if (laws->stiffness == 0 && laws->damping == 0) return true;
    def.place = tendon->element->place;
    def.name = trm_robot_force_name(&m->robot, tendon->name);
    def.type = "torsion";
    def.joint = trm_arena_text(m->in->def->arena, sum->q[0]->joint);
    if (sum->q[0]->count > 1) def.coordinate = sum->q[0]->index + 1;
    def.stiffness = laws->stiffness * gear * gear;
    def.damping = laws->damping * gear * gear;
    def.rest = laws->spring_reference / gear;
    return def.name && def.joint && trm_add_force(m->in->def, &def) == TRM_OK;
}

/* Adds the armature of a tendon to its only coordinate: with L = gear q, an inertia along L is gear^2 times as large
 * along q. */
static void add_armature(trm_mjcf *m, const trm_mjcf_tendon *tendon, const line_sum *sum, double armature)
{
    trm_model_def *def = m->in->def;
    if (sum->count > 1) {
        warn_unused(m, tendon, "armature is", "its joints move independently of each other");
        return;
    }
    for (int i = 0; i < def->joint_count; i++) {
        trm_joint_def *joint = &def->joints[i];
        if (strcmp(joint->name, sum->q[0]->joint) != 0) continue;
        trm_coordinate_def *laws =
            (trm_coordinate_def *)(uintptr_t)joint->coordinates; /* writable, in the definition's arena */
        double *own = laws ? &laws[sum->q[0]->index].armature : &joint->armature;
        *own += armature * sum->factor[0] * sum->factor[0];
    }
}

/* Reads what acts along a fixed tendon, as laws of the coordinate L - offset. */
static trm_joint_def laws_of(trm_mjcf *m, const trm_mjcf_tendon *tendon, double offset)
{
    const trm_mjcf_at at = {m, tendon->element, "tendon", tendon->class};
    trm_joint_def laws = trm_default_joint_def();
    double range[2] = {0, 0};
    const bool given = trm_mjcf_numbers(&at, "range", range, 2) == 2;
    const bool limited = trm_mjcf_is(&at, "limited", given && trm_mjcf_options(m, at.element)->autolimits);
    if (limited && !(m->in->without & TRM_WITHOUT_LIMITS))
        for (int k = 0; k < 2; k++) laws.limits[k] = range[k] - offset;
    const double friction = trm_mjcf_number(&at, "frictionloss", 0);
    if (!(m->in->without & TRM_WITHOUT_FRICTION)) laws.friction = fmax(friction, 0);
    laws.armature = trm_mjcf_number(&at, "armature", 0);
    laws.stiffness = m->no_springs ? 0 : trm_mjcf_number(&at, "stiffness", 0);
    laws.damping = trm_mjcf_number(&at, "damping", 0);
    if (laws.stiffness == 0 && laws.damping == 0) return laws;
    const double rest = rest_of(m, &at, tendon);
    if (isnan(rest)) laws.stiffness = laws.damping = 0;
    laws.spring_reference = isnan(rest) ? 0 : rest - offset;
    return laws;
}

/* Adds the limits, the friction and the spring of a fixed tendon. A spring on a single coordinate acts on it directly,
 * all else on a joint of type tendon. Returns false if out of memory. */
static bool add_laws(trm_mjcf *m, trm_mjcf_tendon *tendon)
{
    const line_sum sum = sum_of(m, tendon);
    trm_joint_def laws = laws_of(m, tendon, sum.offset);
    bool needed = isfinite(laws.limits[0]) || isfinite(laws.limits[1]) || laws.friction > 0;
    const bool springs = laws.stiffness != 0 || laws.damping != 0;
    if (sum.why) {
        if (needed || springs || laws.armature > 0)
            warn_unused(m, tendon, "stiffness, damping, range, friction and armature are", sum.why);
        return true;
    }
    if (laws.armature > 0) add_armature(m, tendon, &sum, laws.armature);
    laws.armature = 0;
    if (sum.count == 1) {
        if (!add_torsion(m, tendon, &sum, &laws)) return false;
        laws.stiffness = laws.damping = laws.spring_reference = 0;
    } else {
        needed = needed || springs;
    }
    return !needed || add_own_joint(m, tendon, &sum, laws);
}

bool trm_mjcf_add_tendon_forces(trm_mjcf *m)
{
    for (int i = 0; i < m->tendon_count; i++)
        if (m->tendons[i].term_count > 0 && !add_laws(m, &m->tendons[i])) return false;
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
        trm_add_warning(m->in->messages, element->place,
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
