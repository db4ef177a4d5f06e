/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The names of quantities. There are groups of quantities of the whole machine, of each body that moves, of each
 * point and axis, of each joint, named force, sensor, input and output, and of each pair of bodies in contact: "BODY
 * on BODY". */

#include "model/quantity.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/print.h"
#include "model/model.h"

typedef struct visit {
    trm_quantity_visitor each;
    void *context;
} visit;

static bool give(const visit *v, const char *owner, const char *inner, const char *suffix, bool on_request,
                 trm_quantity quantity)
{
    const trm_quantity_name name = {owner, inner, suffix, on_request};
    return v->each(v->context, &name, &quantity);
}

/* ---- Bodies ------------------------------------------------------------------------------- */

typedef struct group {
    const char *suffixes[4]; /* NAME.suffix */
    const char *unit;
    trm_quantity_kind kind;
    bool on_request;
    bool needs_orientation; /* point masses have none */
} group;

static const group body_groups[] = {
    {{"x", "y", "z"}, "m", TRM_Q_POSITION, false, false},
    {{"qw", "qx", "qy", "qz"}, "", TRM_Q_ORIENTATION, false, true},
    {{"vx", "vy", "vz"}, "m/s", TRM_Q_VELOCITY, false, false},
    {{"wx", "wy", "wz"}, "rad/s", TRM_Q_SPIN, false, true},
    {{"ax", "ay", "az"}, "m/s^2", TRM_Q_ACCELERATION, true, false},
    {{"alx", "aly", "alz"}, "rad/s^2", TRM_Q_ANGULAR_ACCELERATION, true, true},
    {{"E_kin", "E_pot"}, "J", TRM_Q_BODY_ENERGY, true, false},
};

static const group point_groups[] = {
    {{"x", "y", "z"}, "m", TRM_Q_POINT, false, false},
    {{"vx", "vy", "vz"}, "m/s", TRM_Q_POINT_VELOCITY, true, false},
};

static const group axis_groups[] = {{{"x", "y", "z"}, "", TRM_Q_AXIS, true, true}};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static bool visit_groups(const visit *v, const group *groups, int count, trm_quantity proto, bool has_orientation,
                         const char *owner, const char *inner)
{
    for (int g = 0; g < count; g++) {
        if (groups[g].needs_orientation && !has_orientation) continue;
        proto.kind = groups[g].kind;
        proto.unit = groups[g].unit;
        for (proto.part = 0; proto.part < 4 && groups[g].suffixes[proto.part]; proto.part++)
            if (!give(v, owner, inner, groups[g].suffixes[proto.part], groups[g].on_request, proto)) return false;
    }
    return true;
}

static bool visit_body(const visit *v, const trm_model *model, int index)
{
    const trm_body *body = &model->bodies[index];
    trm_quantity proto = {.element = index};
    const bool turns = body->kind != TRM_BODY_POINT;
    if (body->kind == TRM_BODY_FIXED) return true;
    if (!visit_groups(v, body_groups, COUNT(body_groups), proto, turns, body->name, NULL)) return false;
    for (int p = 0; p < body->point_count; p++) {
        proto.at = body->points[p].position;
        if (!visit_groups(v, point_groups, COUNT(point_groups), proto, turns, body->name, body->points[p].name))
            return false;
    }
    for (int a = 0; a < body->axis_count; a++) {
        proto.at = body->axes[a].position;
        if (!visit_groups(v, axis_groups, COUNT(axis_groups), proto, turns, body->name, body->axes[a].name))
            return false;
    }
    return true;
}

/* ---- Joints ------------------------------------------------------------------------------- */

static bool visit_coordinates(const visit *v, const trm_joint *joint, trm_quantity proto, const char *letter)
{
    const int count = joint->coordinates;
    const bool rate = proto.kind == TRM_Q_RATE;
    for (proto.part = 0; proto.part < count; proto.part++) {
        char suffix[16];
        const bool length = trm_joint_shifts(joint, proto.part);
        proto.unit = length ? (rate ? "m/s" : "m") : (rate ? "rad/s" : "rad");
        if (count == 1)
            snprintf(suffix, sizeof suffix, "%s", letter);
        else
            snprintf(suffix, sizeof suffix, "%s%d", letter, proto.part + 1);
        if (!give(v, joint->name, NULL, suffix, false, proto)) return false;
    }
    return true;
}

/* Returns the unit of part 0..5: three components of a force, then three of a torque. */
static const char *force_unit(int part)
{
    return part < 3 ? "N" : "N m";
}

static bool visit_reactions(const visit *v, const trm_joint *joint, trm_quantity proto)
{
    static const char *const world[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    static const char *const own[] = {"jfx", "jfy", "jfz", "jtx", "jty", "jtz"};
    const bool is_own = proto.kind == TRM_Q_FRAME_REACTION;
    for (proto.part = 0; proto.part < 6; proto.part++) {
        proto.unit = force_unit(proto.part);
        if (!give(v, joint->name, NULL, (is_own ? own : world)[proto.part], is_own, proto)) return false;
    }
    return true;
}

/* Visits the force of a joint with one row: a drive or motor acts along the coordinate of its host, a distance joint
 * along its line. Returns false if the visitor does. */
static bool visit_row(const visit *v, const trm_joint *joint, trm_quantity proto)
{
    const bool line = joint->type == &trm_joint_distance;
    if (!line && joint->type != &trm_joint_drive && joint->type != &trm_joint_motor) return true;
    proto.kind = TRM_Q_ROW_FORCE;
    proto.unit = line || trm_joint_shifts(joint->host, joint->coordinate) ? "N" : "N m";
    if (!give(v, joint->name, NULL, "force", true, proto)) return false;
    proto.kind = line ? TRM_Q_ROW_LENGTH : TRM_Q_ROW_POWER;
    proto.unit = line ? "m" : "W";
    return give(v, joint->name, NULL, line ? "length" : "power", true, proto);
}

static bool visit_joint(const visit *v, const trm_model *model, int index)
{
    const trm_joint *joint = &model->joints[index];
    trm_quantity proto = {.element = index, .kind = TRM_Q_COORDINATE};
    if (!visit_coordinates(v, joint, proto, "q")) return false;
    proto.kind = TRM_Q_RATE;
    if (!visit_coordinates(v, joint, proto, "qd")) return false;
    proto.kind = TRM_Q_GAP;
    proto.unit = "m";
    if (!give(v, joint->name, NULL, "gap", false, proto)) return false;
    proto.part = 1;
    proto.unit = "rad";
    if (!give(v, joint->name, NULL, "gap_angle", false, proto)) return false;
    proto.kind = TRM_Q_REACTION;
    if (!visit_reactions(v, joint, proto)) return false;
    proto.kind = TRM_Q_FRAME_REACTION;
    return visit_reactions(v, joint, proto) && visit_row(v, joint, proto);
}

/* ---- Forces ------------------------------------------------------------------------------- */

/* Returns whether a force acts along a line between two points. Others act along a coordinate of a joint, or
 * neither. */
static bool has_line(const trm_force *force)
{
    return (force->type->takes & TRM_FORCE_TAKES_BODIES) != 0;
}

static bool visit_force(const visit *v, const trm_model *model, int index)
{
    const trm_force *force = &model->forces[index];
    const bool line = has_line(force), turns = force->host && !trm_joint_shifts(force->host, force->coordinate);
    const bool torque = turns || force->type == &trm_force_torque, servo = force->type == &trm_force_servo;
    const char *strength = torque ? "N m" : "N";
    const struct {
        const char *suffix, *unit;
        trm_quantity_kind kind;
        bool has;
    } all[] = {
        {"force", strength, TRM_Q_FORCE, true},
        {"torque", strength, TRM_Q_FORCE, torque},
        {"length", turns ? "rad" : "m", TRM_Q_FORCE_LENGTH, line || force->host},
        {"rate", turns ? "rad/s" : "m/s", TRM_Q_FORCE_RATE, line || force->host},
        {"power", "W", TRM_Q_FORCE_POWER, true},
        {"energy", "J", TRM_Q_FORCE_ENERGY, force->type->potential != NULL},
        {"saturated", "", TRM_Q_FORCE_SATURATED, servo},
    };
    for (int i = 0; i < COUNT(all); i++) {
        const trm_quantity q = {.kind = all[i].kind, .unit = all[i].unit, .element = index};
        if (all[i].has && !give(v, force->name, NULL, all[i].suffix, true, q)) return false;
    }
    return true;
}

/* Returns whether a force has a name of its own. Springs given with a joint have the joint's name. */
static bool is_named_force(const trm_model *model, const trm_force *force)
{
    return force->name && !force->type->built_in &&
           !(force->host && trm_names_find(&model->joint_names, force->name) >= 0);
}

/* ---- Sensors, outputs, the whole ---------------------------------------------------------- */

static const char *sensor_unit(const trm_model *model, const trm_sensor *sensor, int part)
{
    const trm_joint *joint = sensor->kind->one_coordinate ? &model->joints[sensor->joint] : NULL;
    const bool length = joint && trm_joint_shifts(joint, sensor->coordinate);
    switch (sensor->kind->id) {
    case TRM_SENSE_ACCELERATION: return "m/s^2";
    case TRM_SENSE_SPIN: return "rad/s";
    case TRM_SENSE_ANGLE: return length ? "m" : "rad";
    case TRM_SENSE_RATE: return length ? "m/s" : "rad/s";
    case TRM_SENSE_FORCE: return force_unit(part);
    case TRM_SENSE_DISTANCE: return "m";
    case TRM_SENSE_CONTACT: return "N";
    }
    return "";
}

static bool visit_sensor(const visit *v, const trm_model *model, int index)
{
    const trm_sensor *sensor = &model->observed.sensors[index];
    trm_quantity proto = {.kind = TRM_Q_SENSOR, .element = index, .unit = sensor_unit(model, sensor, 0)};
    if (sensor->kind->numbers == 1) return give(v, NULL, NULL, sensor->name, false, proto);
    for (; proto.part < sensor->kind->numbers; proto.part++) {
        proto.unit = sensor_unit(model, sensor, proto.part);
        if (!give(v, sensor->name, NULL, sensor->kind->parts[proto.part], false, proto)) return false;
    }
    return true;
}

static bool visit_output(const visit *v, const trm_model *model, int index)
{
    static const char *const parts[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    const trm_output *output = &model->observed.outputs[index];
    trm_quantity proto = {.kind = TRM_Q_OUTPUT, .element = index, .unit = output->unit};
    if (output->value.expression) return give(v, NULL, NULL, output->name, false, proto);
    proto.kind = TRM_Q_RELATIVE;
    for (; proto.part < COUNT(parts); proto.part++) {
        proto.unit = proto.part < 3 ? "m" : "";
        if (!give(v, output->name, NULL, parts[proto.part], false, proto)) return false;
    }
    return true;
}

static bool visit_contact(const visit *v, const char *name, int a, int b)
{
    static const char *const parts[] = {"fx", "fy", "fz", "force"};
    trm_quantity proto = {.kind = TRM_Q_CONTACT, .element = a, .other = b, .unit = "N"};
    for (; proto.part < COUNT(parts); proto.part++)
        if (!give(v, name, NULL, parts[proto.part], true, proto)) return false;
    return true;
}

/* Visits the quantities whose names have no dot. Returns false if the visitor does. */
static bool visit_bare_names(const visit *v, const trm_model *model)
{
    static const char *const energies[] = {"E_kin", "E_pot", "W"};
    for (int i = 0; i < model->observed.sensor_count; i++)
        if (!visit_sensor(v, model, i)) return false;
    for (int i = 0; i < model->input_count; i++)
        if (!give(v, NULL, NULL, model->inputs[i].name, false,
                  (trm_quantity){.kind = TRM_Q_INPUT, .unit = "", .part = i}))
            return false;
    for (int i = 0; i < model->observed.output_count; i++)
        if (!visit_output(v, model, i)) return false;
    for (int i = 0; i < 3; i++)
        if (!give(v, NULL, NULL, energies[i], false, (trm_quantity){.kind = TRM_Q_ENERGY, .unit = "J", .part = i}))
            return false;
    return true;
}

bool trm_visit_quantities(const trm_model *model, trm_quantity_visitor each, void *context)
{
    const visit v = {each, context};
    if (!give(&v, NULL, NULL, "t", false, (trm_quantity){.kind = TRM_Q_TIME, .unit = "s"})) return false;
    for (int i = 1; i < model->shown_body_count; i++)
        if (!visit_body(&v, model, i)) return false;
    for (int i = 0; i < model->shown_joint_count; i++)
        if (!visit_joint(&v, model, i)) return false;
    for (int i = 0; i < model->force_count; i++)
        if (is_named_force(model, &model->forces[i]) && !visit_force(&v, model, i)) return false;
    return visit_bare_names(&v, model);
}

/* ---- Finding ------------------------------------------------------------------------------ */

enum { LONGEST_PART = 200 };

typedef struct sought {
    char part[3][LONGEST_PART + 1];
    int count;
    trm_quantity found;
} sought;

/* Divides a name at its dots; a quoted part may contain dots. Returns false if no quantity can have that name. */
static bool divide(const char *text, int length, sought *s)
{
    int at = 0;
    s->count = 0;
    while (at < length && s->count < 3) {
        const bool quoted = text[at] == '\'';
        const char close = quoted ? '\'' : '.';
        const int start = at + quoted;
        int end = start;
        while (end < length && text[end] != close) end++;
        if (end == start || end - start > LONGEST_PART || (quoted && end == length)) return false;
        memcpy(s->part[s->count], text + start, (size_t)(end - start));
        s->part[s->count++][end - start] = 0;
        at = end + quoted;
        if (at == length) return true;
        if (text[at++] != '.') return false;
    }
    return false;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* A visitor that returns false, and stores the quantity, at the requested name. */
static bool is_other(void *context, const trm_quantity_name *name, const trm_quantity *quantity)
{
    sought *s = context;
    const bool hit = s->count == 1   ? !name->owner && same(name->suffix, s->part[0])
                     : s->count == 2 ? same(name->owner, s->part[0]) && !name->inner && same(name->suffix, s->part[1])
                                     : same(name->owner, s->part[0]) && same(name->inner, s->part[1]) &&
                                           same(name->suffix, s->part[2]);
    if (hit) s->found = *quantity;
    return !hit;
}

/* Finds the quantities of "ball on floor". */
static bool find_contact(const visit *v, const trm_model *model, const char *name)
{
    for (const char *on = strstr(name, " on "); on; on = strstr(on + 1, " on ")) {
        char first[LONGEST_PART + 1];
        snprintf(first, sizeof first, "%.*s", (int)(on - name), name);
        const int a = trm_names_find(&model->body_names, first), b = trm_names_find(&model->body_names, on + 4);
        if (a >= 0 && b >= 0 && a != b) return !visit_contact(v, name, a, b);
    }
    return false;
}

static bool find_dotted(const visit *v, const trm_model *model, const sought *s)
{
    const int body = trm_names_find(&model->body_names, s->part[0]);
    const int joint = trm_names_find(&model->joint_names, s->part[0]);
    if (body >= 0 && !visit_body(v, model, body)) return true;
    if (joint >= 0 && joint < model->shown_joint_count && !visit_joint(v, model, joint)) return true;
    for (int i = 0; i < model->force_count; i++)
        if (same(model->forces[i].name, s->part[0]) && is_named_force(model, &model->forces[i]) &&
            !visit_force(v, model, i))
            return true;
    return !visit_bare_names(v, model) || find_contact(v, model, s->part[0]);
}

bool trm_find_quantity(const trm_model *model, const char *text, int length, trm_quantity *quantity)
{
    sought s;
    const visit v = {is_other, &s};
    if (!divide(text, length, &s)) return false;
    bool found = s.count > 1 && find_dotted(&v, model, &s);
    if (s.count == 1) found = !visit_bare_names(&v, model);
    if (found) *quantity = s.found;
    return found;
}

typedef struct nearest {
    const char *sought;
    char *best; /* nearest name found so far; "" if none is near */
    size_t size;
} nearest;

static bool compare(void *context, const trm_quantity_name *name, const trm_quantity *quantity)
{
    nearest *n = context;
    char full[200];
    (void)quantity;
    trm_print(full, sizeof full, "%s%s%s%s%s", name->owner ? name->owner : "", name->owner ? "." : "",
              name->inner ? name->inner : "", name->inner ? "." : "", name->suffix);
    const char *both[2] = {n->best[0] ? n->best : full, full};
    const char *found = trm_nearest_word(n->sought, both, 2);
    if (found && found != n->best) trm_print(n->best, n->size, "%s", found);
    return true;
}

bool trm_nearest_quantity(const trm_model *model, const char *text, char *buffer, size_t size)
{
    enum { MOST_BODIES = 1000 }; /* the result is only for a message */
    nearest n = {text, buffer, size};
    buffer[0] = 0;
    if (model->body_count <= MOST_BODIES) trm_visit_quantities(model, compare, &n);
    return buffer[0] != 0;
}

/* ---- Requirements ------------------------------------------------------------------------- */

static bool any_needs(const trm_model *model, const trm_formula *formula,
                      bool (*needs)(const trm_model *, const trm_quantity *))
{
    for (int i = 0; i < formula->count; i++)
        if (needs(model, &formula->quantities[i])) return true;
    return false;
}

bool trm_quantity_needs_reactions(const trm_model *model, const trm_quantity *quantity)
{
    switch (quantity->kind) {
    case TRM_Q_ACCELERATION:
    case TRM_Q_ANGULAR_ACCELERATION:
    case TRM_Q_REACTION:
    case TRM_Q_FRAME_REACTION:
    case TRM_Q_ROW_FORCE:
    case TRM_Q_ROW_POWER: return true;
    case TRM_Q_OUTPUT:
        return any_needs(model, &model->observed.outputs[quantity->element].value, trm_quantity_needs_reactions);
    default: return false;
    }
}

bool trm_quantity_needs_velocities(const trm_model *model, const trm_quantity *quantity)
{
    switch (quantity->kind) {
    case TRM_Q_TIME:
    case TRM_Q_POSITION:
    case TRM_Q_ORIENTATION:
    case TRM_Q_POINT:
    case TRM_Q_AXIS:
    case TRM_Q_COORDINATE:
    case TRM_Q_GAP:
    case TRM_Q_ROW_LENGTH:
    case TRM_Q_FORCE_LENGTH:
    case TRM_Q_SENSOR:
    case TRM_Q_INPUT:
    case TRM_Q_RELATIVE: return false;
    case TRM_Q_OUTPUT:
        return any_needs(model, &model->observed.outputs[quantity->element].value, trm_quantity_needs_velocities);
    default: return true;
    }
}
