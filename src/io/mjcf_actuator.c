/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads actuators of MJCF as inputs with forces.
 *
 *     f = clamp(gain u + b0 + b1 L + b2 dL/dt, forcerange),   acting along L with the factor gear
 *
 *     motor    gain 1                  velocity   gain kv, b2 = -kv
 *     position gain kp, b1 = -kp, b2 = -kv; with dampratio z: kv = 2 z sqrt(kp m), m the inertia of the
 *              coordinate in the reference pose, divided by gear^2
 *     general  gain gainprm[0], b biasprm if biastype is affine
 *
 * All kinds set the parameters of one law, from the class "main" down to the element itself, as in MuJoCo: kp of a
 * class is the gain of a velocity servo or a general actuator that gives none.
 *
 * u is the control, an input of the model. L = gear q of a joint or a fixed tendon that follows one coordinate,
 * the length of a tendon between two sites, or, at a site or a free joint, the displacement along the wrench (gear).
 *
 *     b1 = b2 = 0   effort           else on a coordinate: servo         between two sites: spring and actuator */

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/expression.h"
#include "base/names.h"
#include "base/number.h"
#include "io/mjcf.h"
#include "model/def.h"

typedef struct actuator {
    trm_mjcf *m;
    trm_mjcf_at at;
    const char *kind, *name;
    const char *input; /* name of the control */
    double gain, bias[3];
    double gear[6];
    double range[2]; /* N or N m: limits of f */
} actuator;

static void warn(const actuator *a, const char *why)
{
    trm_add_warning(a->m->in->messages, a->at.element->place, "actuator '%s': %s", a->name, why);
}

static bool is_kind(const actuator *a, const char *kind)
{
    return strcmp(a->kind, kind) == 0;
}

/* ---- Laws --------------------------------------------------------------------------------- */

static double reflected_inertia(const actuator *a)
{
    trm_mjcf *m = a->m;
    const char *joint = trm_mjcf_value(&a->at, "joint"), *tendon = trm_mjcf_value(&a->at, "tendon");
    const trm_mjcf_tendon *t = tendon ? trm_mjcf_find_tendon(m, a->at.element, tendon) : NULL;
    double sum = 0;
    if (!joint) joint = trm_mjcf_value(&a->at, "jointinparent");
    const trm_coupling_term one = {joint, 1}, *terms = t ? t->terms : &one;
    for (int i = 0; i < (t ? t->term_count : joint ? 1 : 0); i++) {
        const trm_mjcf_joint *j = trm_mjcf_find_joint(m, a->at.element, terms[i].freedom);
        const double factor = a->gear[0] * terms[i].factor;
        if (j && j->freedom >= 0 && factor != 0) sum += trm_mjcf_inertia_of(m, j) / (factor * factor);
    }
    return sum;
}

/* The parameters of a law. Every element of an actuator sets some of them, also those in classes. */
typedef struct law {
    double gain[3], bias[3]; /* bias[2] > 0 next to bias[1] = -gain[0] is a damping ratio */
    const char *gaintype, *biastype, *dyntype;
} law;

static void set_types(law *l, const char *gaintype, const char *biastype, const char *dyntype)
{
    l->gaintype = gaintype, l->biastype = biastype, l->dyntype = dyntype;
}

static void set_position(law *l, const trm_mjcf_at *own, bool integrates)
{
    double value;
    l->gain[0] = trm_mjcf_number(own, "kp", l->gain[0]);
    l->bias[1] = -l->gain[0];
    if (trm_mjcf_numbers(own, "dampratio", &value, 1) == 1) l->bias[2] = value;
    if (trm_mjcf_numbers(own, "kv", &value, 1) == 1) l->bias[2] = -value;
    const bool timed = trm_mjcf_numbers(own, "timeconst", &value, 1) == 1;
    set_types(l, "fixed", "affine",
              integrates  ? "integrator"
              : !timed    ? l->dyntype
              : value > 0 ? "filterexact"
                          : "none");
}

static void set_velocity(law *l, const trm_mjcf_at *own)
{
    l->gain[0] = trm_mjcf_number(own, "kv", l->gain[0]);
    l->bias[0] = l->bias[1] = 0;
    l->bias[2] = -l->gain[0];
    set_types(l, "fixed", "affine", "none");
}

static void set_cylinder(law *l, const trm_mjcf_at *own)
{
    double diameter;
    l->gain[0] = trm_mjcf_number(own, "area", l->gain[0]);
    if (trm_mjcf_numbers(own, "diameter", &diameter, 1) == 1) l->gain[0] = TRM_PI / 4 * diameter * diameter;
    trm_mjcf_numbers(own, "bias", l->bias, 3);
    trm_mjcf_number(own, "timeconst", 1);
    set_types(l, "fixed", "affine", "filter");
}

static void set_general(law *l, const trm_mjcf_at *own)
{
    const char *gaintype = trm_mjcf_value(own, "gaintype"), *biastype = trm_mjcf_value(own, "biastype");
    const char *dyntype = trm_mjcf_value(own, "dyntype");
    trm_mjcf_numbers(own, "gainprm", l->gain, 3);
    trm_mjcf_numbers(own, "biasprm", l->bias, 3);
    set_types(l, gaintype ? gaintype : l->gaintype, biastype ? biastype : l->biastype,
              dyntype ? dyntype : l->dyntype);
    if (strcmp(l->dyntype, "none") != 0) trm_mjcf_value(own, "dynprm");
}

/* Sets the parameters that one element of an actuator gives, without those of its class. */
static void set_law(law *l, trm_mjcf *m, trm_xml *element)
{
    const trm_mjcf_at own = {m, element, "actuator", -1};
    const char *kind = element->name;
    if (strcmp(kind, "general") == 0) set_general(l, &own);
    if (strcmp(kind, "position") == 0) set_position(l, &own, false);
    if (strcmp(kind, "intvelocity") == 0) set_position(l, &own, true);
    if (strcmp(kind, "velocity") == 0) set_velocity(l, &own);
    if (strcmp(kind, "cylinder") == 0) set_cylinder(l, &own);
    if (strcmp(kind, "muscle") == 0) set_types(l, "muscle", "muscle", "muscle");
    if (strcmp(kind, "motor") == 0) l->gain[0] = 1, set_types(l, "fixed", "none", "none");
    if (strcmp(kind, "damper") == 0) {
        l->gain[0] = l->gain[1] = 0;
        l->gain[2] = -trm_mjcf_number(&own, "kv", 1);
        set_types(l, "affine", "none", "none");
    }
}

/* Sets the parameters that a class gives, after those above it. */
static void set_law_of_class(law *l, trm_mjcf *m, int class)
{
    if (class < 0) return;
    set_law_of_class(l, m, m->classes[class].parent);
    trm_xml *element = m->classes[class].element;
    for (trm_xml *e = element ? element->first_child : NULL; e; e = e->next) set_law(l, m, e);
}

static bool has_constant_gain(const law *l)
{
    const bool affine = strcmp(l->gaintype, "affine") == 0;
    return strcmp(l->gaintype, "fixed") == 0 || (affine && l->gain[1] == 0 && l->gain[2] == 0);
}

static void warn_of_dynamics(const actuator *a, const law *l)
{
    if (strcmp(l->dyntype, "none") == 0) return;
    warn(a, strcmp(l->dyntype, "integrator") == 0 ? "its integrator is not used: the control is the position itself"
            : is_kind(a, "cylinder")              ? "its filter is not used: the control is the pressure itself"
            : strncmp(l->dyntype, "filter", 6) == 0
                ? "its filter is not used: the control acts at once"
                : "the dynamics of its activation are not used: the control acts at once");
}

/* Reads the law f of an actuator. Returns false after reporting that it is not used. */
static bool read_law(actuator *a)
{
    law l = {.gain = {1}, .gaintype = "fixed", .biastype = "none", .dyntype = "none"};
    set_law_of_class(&l, a->m, a->at.class);
    set_law(&l, a->m, a->at.element);
    const bool affine = strcmp(l.biastype, "affine") == 0;
    if (is_kind(a, "damper")) {
        warn(a, "a damper whose damping is the control is not used; give damping to the joint");
        return false;
    }
    if (!has_constant_gain(&l) || (!affine && strcmp(l.biastype, "none") != 0)) {
        warn(a, "it is not used: its gain or bias is neither constant nor affine in length and velocity");
        return false;
    }
    warn_of_dynamics(a, &l);
    a->gain = l.gain[0];
    if (affine) memcpy(a->bias, l.bias, sizeof a->bias);
    if (a->bias[2] > 0 && a->gain == -a->bias[1]) a->bias[2] *= -2 * sqrt(a->gain * reflected_inertia(a));
    return true;
}

/* ---- The control -------------------------------------------------------------------------- */

static bool is_taken(const trm_mjcf *m, const char *name)
{
    return (m->input_count > 0 && trm_names_find(&m->input_names, name) >= 0) || trm_is_reserved_name(name);
}

/* Returns a name that expressions accept (letters, digits and "_", not beginning with a digit) and that no other
 * input has. */
static const char *input_name(trm_mjcf *m, const char *from)
{
    char *name = trm_arena_format(m->in->def->arena, "%s%s", *from >= '0' && *from <= '9' ? "u" : "", from);
    for (char *c = name; c && *c; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        if (!letter && !(*c >= '0' && *c <= '9')) *c = '_';
    }
    char *made = name && *name ? name : trm_arena_text(m->in->def->arena, "u");
    for (int k = 2; made && is_taken(m, made); k++)
        made = trm_arena_format(m->in->def->arena, "%s_%d", *name ? name : "u", k);
    return made;
}

/* Returns whether the lower end of a range comes first. Returns false after a warning. */
static bool has_room(const actuator *a, const char *attribute, const double range[2])
{
    if (range[0] < range[1]) return true;
    trm_add_warning(a->m->in->messages, a->at.element->place,
                    "actuator '%s': %s [%g, %g] is ignored; the lower end comes first", a->name, attribute, range[0],
                    range[1]);
    return false;
}

/* Sets the range of the input: ctrlrange, or by inheritrange the range of the joint, scaled about its middle. */
static void read_control_range(const actuator *a, trm_input_def *input)
{
    double range[2] = {0, 0};
    const char *joint = trm_mjcf_value(&a->at, "joint");
    const bool given = trm_mjcf_numbers(&a->at, "ctrlrange", range, 2) == 2;
    const double inherited = trm_mjcf_number(&a->at, "inheritrange", 0);
    const trm_mjcf_joint *j = inherited > 0 && joint ? trm_mjcf_find_joint(a->m, a->at.element, joint) : NULL;
    const trm_freedom *f = j && j->freedom >= 0 ? &a->m->robot.connections[j->connection].freedoms[j->freedom] : NULL;
    if (f && isfinite(f->limits[0]) && isfinite(f->limits[1])) {
        const double middle = 0.5 * (f->limits[0] + f->limits[1]), half = 0.5 * (f->limits[1] - f->limits[0]);
        input->range[0] = middle - inherited * half, input->range[1] = middle + inherited * half;
    }
    if (trm_mjcf_is(&a->at, "ctrllimited", given && trm_mjcf_options(a->m, a->at.element)->autolimits) &&
        has_room(a, "ctrlrange", range))
        memcpy(input->range, range, sizeof range);
    input->start = fmin(fmax(0, input->range[0]), input->range[1]);
}

/* Adds the input. Returns false if out of memory. */
static bool add_input(actuator *a)
{
    trm_input_def input = trm_default_input_def();
    input.place = a->at.element->place;
    input.name = a->input = input_name(a->m, a->name);
    read_control_range(a, &input);
    if (!input.name || trm_add_input(a->m->in->def, &input) != TRM_OK) return false;
    return trm_names_append(&a->m->input_names, a->m->in->scratch, &a->m->input_count, input.name);
}

/* Returns the function factor u + offset. */
static trm_function_def control(const actuator *a, double factor, double offset)
{
    char number[TRM_NUMBER_TEXT], constant[TRM_NUMBER_TEXT];
    if (factor == 0) return trm_constant_function(offset);
    trm_format_number(number, factor);
    trm_format_number(constant, fabs(offset));
    return trm_expression_function(trm_arena_format(a->m->in->def->arena, "%s%s%s%s%s", factor == 1 ? "" : number,
                                                    factor == 1 ? "" : "*", a->input,
                                                    offset == 0  ? ""
                                                    : offset < 0 ? " - "
                                                                 : " + ",
                                                    offset == 0 ? "" : constant));
}

/* Returns the function factor clamp(gain u + b0, forcerange). */
static trm_function_def limited_control(const actuator *a, double factor)
{
    char low[TRM_NUMBER_TEXT], high[TRM_NUMBER_TEXT], times[TRM_NUMBER_TEXT];
    if (isinf(a->range[0]) && isinf(a->range[1])) return control(a, factor * a->gain, factor * a->bias[0]);
    const trm_function_def f = control(a, a->gain, a->bias[0]);
    if (f.kind != TRM_FUNCTION_EXPRESSION)
        return trm_constant_function(factor * fmin(fmax(a->bias[0], a->range[0]), a->range[1]));
    trm_format_number(low, fmax(a->range[0], -DBL_MAX));
    trm_format_number(high, fmin(a->range[1], DBL_MAX));
    trm_format_number(times, factor);
    return trm_expression_function(f.expression ? trm_arena_format(a->m->in->def->arena, "%s*max(%s, min(%s, %s))",
                                                                   times, low, high, f.expression)
                                                : NULL);
}

static bool is_whole(const trm_function_def *f)
{
    return f->kind != TRM_FUNCTION_EXPRESSION || f->expression;
}

/* ---- On a coordinate ---------------------------------------------------------------------- */

static trm_force_def force_on(const actuator *a, const char *type, const trm_mjcf_line *line, const char *name)
{
    trm_force_def def = trm_default_force_def();
    def.place = a->at.element->place;
    def.name = trm_robot_force_name(&a->m->robot, name);
    def.type = type;
    def.joint = trm_arena_text(a->m->in->def->arena, line->q->joint);
    if (line->q->count > 1) def.coordinate = line->q->index + 1;
    def.gear = line->gear;
    return def;
}

static bool add_force(const actuator *a, const trm_force_def *def)
{
    return def->name && def->joint && trm_add_force(a->m->in->def, def) == TRM_OK;
}

static bool add_effort(const actuator *a, const trm_mjcf_line *line, const char *name)
{
    trm_force_def def = force_on(a, "effort", line, name);
    def.value[0] = control(a, a->gain, a->bias[0]);
    memcpy(def.range, a->range, sizeof def.range);
    return is_whole(&def.value[0]) && add_force(a, &def);
}

/* Adds a servo v + kp (target - gear q) - kd gear dq/dt, with kp = -b1, kd = -b2. Returns false if out of memory. */
static bool add_servo(const actuator *a, const trm_mjcf_line *line)
{
    trm_force_def def = force_on(a, "servo", line, a->name);
    const double kp = -a->bias[1], kd = -a->bias[2];
    if (kp < 0 || kd < 0) {
        warn(a, "it is not used: its force grows with length or velocity");
        return true;
    }
    def.kp = kp;
    def.kd = kd;
    def.has_velocity = true;
    def.velocity = trm_constant_function(0);
    const bool of_position = a->gain == kp && kp > 0, of_velocity = a->gain == kd && kp == 0;
    if (of_position) def.target = control(a, 1, -line->offset + a->bias[0] / kp);
    if (of_velocity && a->bias[0] == 0) def.velocity = control(a, 1, 0);
    if (!of_position && !(of_velocity && a->bias[0] == 0))
        def.value[0] = control(a, a->gain, a->bias[0] - kp * line->offset);
    def.max = fmin(-a->range[0], a->range[1]);
    return is_whole(&def.target) && is_whole(&def.velocity) && is_whole(&def.value[0]) && add_force(a, &def);
}

/* Adds a servo whose range has a middle c other than 0. As servos have symmetric limits, clamp(f - c, -half, half) +
 * c is used: c is subtracted in the law of the servo, and an effort adds it. Returns false if out of memory. */
static bool add_shifted_servo(const actuator *a, const trm_mjcf_line *line)
{
    const double middle = 0.5 * (a->range[0] + a->range[1]), half = 0.5 * (a->range[1] - a->range[0]);
    actuator servo = *a, constant = *a;
    const char *name = trm_arena_format(a->m->in->scratch, "%s middle", a->name);
    servo.bias[0] -= middle;
    servo.range[0] = -half, servo.range[1] = half;
    constant.gain = 0, constant.bias[0] = middle;
    constant.range[0] = -INFINITY, constant.range[1] = INFINITY;
    return name && add_effort(&constant, line, name) && add_servo(&servo, line);
}

static bool act_on(const actuator *a, const trm_mjcf_line *line)
{
    actuator unlimited = *a;
    if (a->bias[1] == 0 && a->bias[2] == 0) return add_effort(a, line, a->name);
    if (a->range[0] == -a->range[1]) return add_servo(a, line);
    if (isfinite(a->range[0]) && isfinite(a->range[1])) return add_shifted_servo(a, line);
    warn(a, "its forcerange is not used: it has only one end");
    unlimited.range[0] = -INFINITY, unlimited.range[1] = INFINITY;
    return add_servo(&unlimited, line);
}

/* ---- On a wrench -------------------------------------------------------------------------- */

/* Adds a force (k = 0) or torque (k = 3) on a body, along three of the gears. Returns false if out of memory. */
static bool add_wrench(const actuator *a, int part, trm_pose at, int k, bool in_body)
{
    const trm_vec3 g = trm_rotate(at.q, trm_v3(a->gear[k], a->gear[k + 1], a->gear[k + 2]));
    const double each[3] = {g.x, g.y, g.z};
    trm_force_def def = trm_default_force_def();
    if (trm_v3_length(g) == 0) return true;
    def.place = a->at.element->place;
    const char *name = trm_arena_format(a->m->in->scratch, "%s%s", a->name, k == 0 ? "" : " torque");
    def.name = name ? trm_robot_force_name(&a->m->robot, name) : NULL;
    def.type = k == 0 ? "force" : "torque";
    def.body = trm_robot_body_name(&a->m->robot, part);
    if (k == 0) def.at = at.p;
    def.in_body_frame = in_body;
    for (int i = 0; i < 3; i++) {
        def.value[i] = limited_control(a, each[i]);
        if (!is_whole(&def.value[i])) return false;
    }
    return def.name && def.body && trm_add_force(a->m->in->def, &def) == TRM_OK;
}

/* Adds the wrench of the gears at a frame of a part, in the axes of that frame; for a free joint the force is in
 * world axes. Returns false if out of memory. */
static bool act_at(const actuator *a, int part, trm_pose world, bool is_free)
{
    if (part < 0) return true;
    const trm_robot_part *p = &a->m->robot.parts[part];
    const trm_pose X = trm_pose_mul(trm_pose_inverse(a->m->robot.parts[p->body].world), world);
    const trm_pose straight = {trm_quat_identity(), X.p};
    if (a->bias[1] != 0 || a->bias[2] != 0) warn(a, "its force by length and velocity is not used");
    return add_wrench(a, part, is_free ? straight : X, 0, !is_free) && add_wrench(a, part, X, 3, true);
}

/* ---- Between two sites -------------------------------------------------------------------- */

static trm_force_def pull_on(const actuator *a, const trm_mjcf_tendon *tendon, const char *type)
{
    trm_force_def def = trm_default_force_def();
    const int parts[2] = {tendon->sites[0]->part, tendon->sites[1]->part};
    const trm_vec3 ends[2] = {tendon->sites[0]->world.p, tendon->sites[1]->world.p};
    def.place = a->at.element->place;
    def.type = type;
    for (int k = 0; k < 2; k++) def.bodies[k] = trm_robot_body_name(&a->m->robot, parts[k]);
    trm_robot_set_ends(&a->m->robot, parts, ends, def.anchors);
    return def;
}

static bool act_between(const actuator *a, const trm_mjcf_tendon *tendon)
{
    const double g = a->gear[0], k = -a->bias[1] * g * g, d = -a->bias[2] * g * g;
    trm_force_def pull = pull_on(a, tendon, "actuator"), spring = pull_on(a, tendon, "spring");
    if (k < 0 || d < 0) {
        warn(a, "it is not used: its force grows with length or velocity");
        return true;
    }
    const bool of_length = a->bias[1] != 0 || a->bias[2] != 0;
    if (of_length && (isfinite(a->range[0]) || isfinite(a->range[1])))
        warn(a, "its forcerange is not used: its force depends on length or velocity; set the range of the input");
    pull.name = trm_robot_force_name(&a->m->robot, a->name);
    pull.value[0] = of_length ? control(a, g * a->gain, g * a->bias[0]) : limited_control(a, g);
    if (!pull.name || !is_whole(&pull.value[0]) || trm_add_force(a->m->in->def, &pull) != TRM_OK) return false;
    const char *name = trm_arena_format(a->m->in->scratch, "%s spring", a->name);
    spring.name = name ? trm_robot_force_name(&a->m->robot, name) : NULL;
    spring.stiffness = k;
    spring.damping = d;
    spring.rest = 0;
    return (k == 0 && d == 0) || (spring.name && trm_add_force(a->m->in->def, &spring) == TRM_OK);
}

/* ---- Transmissions ------------------------------------------------------------------------ */

/* Intersects the range of an actuator with the limits of actuator forces of its joint. */
static void limit_range(actuator *a, const trm_mjcf_joint *joint)
{
    const double n = fabs(a->gear[0]);
    if (joint->force[0] >= joint->force[1] || n == 0) return;
    const double low = (a->gear[0] > 0 ? joint->force[0] : -joint->force[1]) / n;
    const double high = (a->gear[0] > 0 ? joint->force[1] : -joint->force[0]) / n;
    a->range[0] = fmax(a->range[0], low);
    a->range[1] = fmin(a->range[1], high);
}

/* Adds a torque along the gear, in the axes of the body that a ball joint carries. The parent must not move, because
 * the opposite torque, which would rotate with that body, is not applied. Returns false if out of memory. */
static bool act_on_ball(const actuator *a, const trm_connection *c)
{
    const int parent = c->parts[0];
    actuator turned = *a;
    if (parent >= 0 && !a->m->robot.parts[a->m->robot.parts[parent].body].fixed) {
        warn(a, "it is not used: its ball joint connects two bodies that move");
        return true;
    }
    if (a->bias[1] != 0 || a->bias[2] != 0) {
        warn(a, "it is not used: a ball joint has no coordinate for a servo");
        return true;
    }
    for (int i = 0; i < 3; i++) turned.gear[i] = 0, turned.gear[i + 3] = a->gear[i];
    return act_at(&turned, c->parts[1], a->m->robot.parts[c->parts[1]].world, false);
}

static bool act_on_joint(actuator *a, const char *name)
{
    trm_mjcf_joint *joint = trm_mjcf_find_joint(a->m, a->at.element, name);
    if (!joint) return true;
    const trm_connection *c = &a->m->robot.connections[joint->connection];
    if (c->type && strcmp(c->type, "free") == 0)
        return act_at(a, c->parts[1], a->m->robot.parts[c->parts[1]].world, true);
    if (c->type && strcmp(c->type, "ball") == 0) return act_on_ball(a, c);
    const trm_mjcf_line line = {trm_robot_coordinate_of(&a->m->robot, joint->name), a->gear[0], 0, NULL};
    if (joint->freedom < 0 || !line.q || line.gear == 0) {
        warn(a, line.gear == 0 ? "it is not used: its gear is 0"
                               : "it is not used: its joint has no such coordinate here");
        return true;
    }
    if (joint->force[0] < joint->force[1] && joint->acted_on)
        warn(a, "actuatorfrcrange of its joint limits each of the joint's actuators here, not their sum");
    joint->acted_on = true;
    limit_range(a, joint);
    const trm_mjcf_line shifted = {line.q, line.gear, line.gear * line.q->shift, NULL};
    return act_on(a, &shifted);
}

/* Adds the force of an actuator on a tendon. Returns false if out of memory. */
static bool act_on_tendon(const actuator *a, const char *name)
{
    trm_mjcf_tendon *tendon = trm_mjcf_find_tendon(a->m, a->at.element, name);
    trm_mjcf_line line;
    if (!tendon) return true;
    if (tendon->straight) return act_between(a, tendon);
    if (tendon->term_count == 0) {
        warn(a, "it is not used: its tendon does not go straight between two sites");
        return true;
    }
    if (!trm_mjcf_tendon_line(a->m, tendon, &line)) return false;
    line.gear *= a->gear[0], line.offset *= a->gear[0];
    if (line.q && line.gear != 0) return act_on(a, &line);
    trm_add_warning(a->m->in->messages, a->at.element->place, "actuator '%s': it is not used: %s", a->name,
                    line.q ? "its gear is 0" : line.why);
    return true;
}

static bool act(actuator *a)
{
    const char *joint = trm_mjcf_value(&a->at, "joint"), *tendon = trm_mjcf_value(&a->at, "tendon");
    const char *site = trm_mjcf_value(&a->at, "site");
    if (!joint) joint = trm_mjcf_value(&a->at, "jointinparent");
    if (joint) return act_on_joint(a, joint);
    if (tendon) return act_on_tendon(a, tendon);
    if (!site || trm_mjcf_value(&a->at, "refsite") || trm_mjcf_value(&a->at, "cranksite")) {
        warn(a, "it is not used: it acts on no joint, tendon or site alone");
        return true;
    }
    const trm_mjcf_site *found = trm_mjcf_find_site(a->m, a->at.element, site);
    return !found || act_at(a, found->part, found->world, false);
}

/* ---- The list ----------------------------------------------------------------------------- */

/* Returns the name of the actuator, or else of the element on which it acts. */
static const char *name_of(actuator *a)
{
    static const char *const OTHERS[] = {"joint", "jointinparent", "tendon", "site"};
    const char *name = trm_xml_value(a->at.element, "name");
    for (size_t i = 0; !name && i < sizeof OTHERS / sizeof *OTHERS; i++) name = trm_mjcf_value(&a->at, OTHERS[i]);
    return name ? name : a->kind;
}

/* Returns whether actuatorgroupdisable disables the actuator, after a warning. */
static bool is_disabled(const actuator *a)
{
    if (a->m->disabled_groups == 0) return false; /* groups are for drawing only */
    const int group = (int)fmin(fmax(trm_mjcf_number(&a->at, "group", 0), 0), 30);
    if (!(a->m->disabled_groups >> group & 1)) return false;
    warn(a, "it is left out: <option actuatorgroupdisable> names its group");
    trm_xml_use_all(a->at.element);
    return true;
}

static bool read_actuator(trm_mjcf *m, trm_xml *element, int class)
{
    actuator a = {.m = m, .at = trm_mjcf_resolve(m, element, "actuator", class), .kind = element->name};
    double range[2] = {0, 0};
    a.name = name_of(&a);
    if (is_disabled(&a)) return true;
    a.gear[0] = 1;
    a.range[0] = -INFINITY, a.range[1] = INFINITY;
    trm_mjcf_numbers(&a.at, "gear", a.gear, 6);
    const bool given = trm_mjcf_numbers(&a.at, "forcerange", range, 2) == 2;
    if (trm_mjcf_is(&a.at, "forcelimited", given && trm_mjcf_options(m, element)->autolimits) &&
        has_room(&a, "forcerange", range))
        memcpy(a.range, range, sizeof range);
    if (read_law(&a) && !(m->in->without & TRM_WITHOUT_ACTUATORS)) return add_input(&a) && act(&a);
    trm_xml_use_all(element); /* the warning covers all of it */
    return true;
}

bool trm_mjcf_is_actuator(const char *name)
{
    return trm_has_word("general motor position velocity intvelocity damper cylinder", name);
}

int trm_mjcf_count_actuators(const trm_xml *root)
{
    int count = 0;
    for (const trm_xml *list = root->first_child; list; list = list->next)
        for (const trm_xml *e = list->first_child; strcmp(list->name, "actuator") == 0 && e; e = e->next) count++;
    return count;
}

bool trm_mjcf_read_actuators(trm_mjcf *m, trm_xml *root)
{
    const int count = trm_mjcf_count_actuators(root);
    m->controls.input = TRM_NEW_ARRAY(m->in->scratch, int, count);
    if (!trm_def_reserve(m->in->def, TRM_DEF_FORCE, count) || !trm_def_reserve(m->in->def, TRM_DEF_INPUT, count) ||
        !m->controls.input)
        return false;
    for (trm_xml *list = trm_xml_child(root, "actuator"); list; list = trm_xml_again(list)) {
        const int class = trm_mjcf_class_of(m, list, "class", 0);
        for (trm_xml *e = list->first_child; e; e = e->next) {
            const int inputs = m->in->def->input_count;
            int *control = &m->controls.input[m->controls.count++];
            *control = -1;
            if (!trm_mjcf_is_actuator(e->name)) continue;
            e->used = true;
            if (!read_actuator(m, e, class)) return false;
            if (m->in->def->input_count > inputs) *control = inputs;
        }
    }
    return true;
}
