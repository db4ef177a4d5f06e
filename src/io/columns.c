/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Columns: every number that a result row can hold, found by name.
 *
 * A group of columns belongs to the whole, to each moving body, to each named point, to each joint or to each sensor;
 * those of bodies and points are one line each in the tables below. */

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "motion/state.h"
#include "trammel/io.h"

typedef struct column column;

struct column {
    const char *name, *unit;
    double (*value)(const column *c, const trm_state *state);
    int body, joint, sensor;
    trm_vec3 point;
    int part; /* which component */
};

struct trm_results {
    trm_arena arena;
    column *list;
    int count;
};

static double component(trm_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* ---- Values ------------------------------------------------------------------------------- */

static double time_value(const column *c, const trm_state *state)
{
    (void)c;
    return state->clock->time;
}

static double position_value(const column *c, const trm_state *state)
{
    return component(trm_body_pose(state, c->body).p, c->part);
}

static double orientation_value(const column *c, const trm_state *state)
{
    const trm_quat q = trm_body_pose(state, c->body).q;
    const double wxyz[4] = {q.w, q.x, q.y, q.z};
    return wxyz[c->part];
}

static double velocity_value(const column *c, const trm_state *state)
{
    return component(trm_body_velocity(state, c->body).lin, c->part);
}

static double spin_value(const column *c, const trm_state *state)
{
    return component(trm_body_velocity(state, c->body).ang, c->part);
}

static double acceleration_value(const column *c, const trm_state *state)
{
    return component(trm_body_acceleration(state, c->body).lin, c->part);
}

static double angular_acceleration_value(const column *c, const trm_state *state)
{
    return component(trm_body_acceleration(state, c->body).ang, c->part);
}

static double point_value(const column *c, const trm_state *state)
{
    return component(trm_point_position(state, c->body, c->point), c->part);
}

static double point_velocity_value(const column *c, const trm_state *state)
{
    return component(trm_point_velocity(state, c->body, c->point), c->part);
}

static double coordinate_value(const column *c, const trm_state *state)
{
    double q[TRM_JOINT_COORDINATES];
    trm_joint_values(state, c->joint, q, NULL);
    return q[c->part];
}

static double rate_value(const column *c, const trm_state *state)
{
    double qd[TRM_JOINT_COORDINATES];
    trm_joint_values(state, c->joint, NULL, qd);
    return qd[c->part];
}

static double gap_value(const column *c, const trm_state *state)
{
    const trm_gap gap = trm_position_gap(state, c->joint);
    return c->part == 0 ? gap.position : gap.angle;
}

static double reaction_value(const column *c, const trm_state *state)
{
    const trm_spatial F = trm_joint_reaction(state, c->joint);
    return c->part < 3 ? component(F.lin, c->part) : component(F.ang, c->part - 3);
}

static double sensor_value(const column *c, const trm_state *state)
{
    double values[TRM_SENSOR_NUMBERS];
    trm_sensor_values(state, c->sensor, values);
    return values[c->part];
}

static double input_value(const column *c, const trm_state *state)
{
    return trm_input_value(state, c->part);
}

static double energy_value(const column *c, const trm_state *state)
{
    const trm_energy energy = trm_state_energy(state);
    return c->part == 0 ? energy.kinetic : c->part == 1 ? energy.potential : trm_works_sum(state->clock->work);
}

/* ---- The groups --------------------------------------------------------------------------- */

typedef struct group {
    const char *suffixes[4]; /* behind NAME. */
    const char *unit;
    double (*value)(const column *c, const trm_state *state);
    bool on_request;
    bool needs_orientation; /* point masses have none */
} group;

static const group body_groups[] = {
    {{"x", "y", "z"}, "m", position_value, false, false},
    {{"qw", "qx", "qy", "qz"}, "", orientation_value, false, true},
    {{"vx", "vy", "vz"}, "m/s", velocity_value, false, false},
    {{"wx", "wy", "wz"}, "rad/s", spin_value, false, true},
    {{"ax", "ay", "az"}, "m/s^2", acceleration_value, true, false},
    {{"alx", "aly", "alz"}, "rad/s^2", angular_acceleration_value, true, true},
};

static const group point_groups[] = {
    {{"x", "y", "z"}, "m", point_value, false, false},
    {{"vx", "vy", "vz"}, "m/s", point_velocity_value, true, false},
};

static const char *const reaction_names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
static const char *const energy_names[] = {"E_kin", "E_pot", "W"};

/* ---- Choosing ----------------------------------------------------------------------------- */

/* A pattern of letters and *, against the whole name. */
static bool fits(const char *pattern, size_t length, const char *name)
{
    if (length == 0) return *name == 0;
    if (*pattern != '*') return *name == *pattern && fits(pattern + 1, length - 1, name + 1);
    for (;; name++) {
        if (fits(pattern + 1, length - 1, name)) return true;
        if (*name == 0) return false;
    }
}

typedef struct chooser {
    trm_results *columns;
    const char *selection;
    unsigned char used[256]; /* per pattern: it has fitted something */
} chooser;

/* Visits the patterns of a selection: "t, rod.*" has two. */
static bool next_pattern(const char **text, const char **pattern, size_t *length)
{
    *text += strspn(*text, ", ");
    *pattern = *text;
    *length = strcspn(*text, ",");
    *text += *length;
    while (*length > 0 && (*pattern)[*length - 1] == ' ') --*length;
    return *length > 0;
}

static bool is_chosen(chooser *c, const char *name, bool on_request)
{
    const char *text = c->selection, *pattern;
    size_t length;
    bool chosen = !text && !on_request;
    for (int i = 0; text && next_pattern(&text, &pattern, &length); i++)
        if (fits(pattern, length, name)) {
            chosen = true;
            if (i < (int)sizeof c->used) c->used[i] = 1;
        }
    return chosen;
}

/* Adds one column if it is chosen; false: out of memory. */
static bool offer(chooser *c, column item, bool on_request, const char *owner, const char *suffix)
{
    trm_arena *arena = &c->columns->arena;
    item.name = owner ? trm_arena_format(arena, "%s.%s", owner, suffix) : trm_arena_text(arena, suffix);
    if (!item.name) return false;
    if (!is_chosen(c, item.name, on_request)) return true;
    void *list = trm_arena_grow(arena, c->columns->list, c->columns->count, sizeof item);
    if (!list) return false;
    c->columns->list = list;
    c->columns->list[c->columns->count++] = item;
    return true;
}

static bool offer_groups(chooser *c, const group *groups, int count, column proto, bool has_orientation,
                         const char *owner)
{
    for (int g = 0; g < count; g++) {
        if (groups[g].needs_orientation && !has_orientation) continue;
        proto.value = groups[g].value;
        proto.unit = groups[g].unit;
        for (proto.part = 0; proto.part < 4 && groups[g].suffixes[proto.part]; proto.part++)
            if (!offer(c, proto, groups[g].on_request, owner, groups[g].suffixes[proto.part])) return false;
    }
    return true;
}

static bool offer_body(chooser *c, const trm_model *model, int index)
{
    const trm_body *body = &model->bodies[index];
    column proto = {.body = index};
    if (body->kind == TRM_BODY_FIXED) return true;
    if (!offer_groups(c, body_groups, 6, proto, body->kind != TRM_BODY_POINT, body->name)) return false;
    for (int p = 0; p < body->point_count; p++) {
        const char *owner = trm_arena_format(&c->columns->arena, "%s.%s", body->name, body->points[p].name);
        proto.point = body->points[p].position;
        if (!owner || !offer_groups(c, point_groups, 2, proto, true, owner)) return false;
    }
    return true;
}

static bool offer_coordinates(chooser *c, const trm_joint *joint, column proto, const char *letter)
{
    const int count = joint->coordinates;
    const bool rate = proto.value == rate_value;
    for (proto.part = 0; proto.part < count; proto.part++) {
        char suffix[16];
        const bool length = joint->type->kind[proto.part] == TRM_COORDINATE_LENGTH;
        proto.unit = length ? (rate ? "m/s" : "m") : (rate ? "rad/s" : "rad");
        if (count == 1)
            snprintf(suffix, sizeof suffix, "%s", letter);
        else
            snprintf(suffix, sizeof suffix, "%s%d", letter, proto.part + 1);
        if (!offer(c, proto, false, joint->name, suffix)) return false;
    }
    return true;
}

/* Of three components of a force and three of a torque. */
static const char *force_unit(int part)
{
    return part < 3 ? "N" : "N m";
}

static bool offer_joint(chooser *c, const trm_model *model, int index)
{
    const trm_joint *joint = &model->joints[index];
    column proto = {.joint = index, .value = coordinate_value};
    if (!offer_coordinates(c, joint, proto, "q")) return false;
    proto.value = rate_value;
    if (!offer_coordinates(c, joint, proto, "qd")) return false;
    proto.value = gap_value;
    proto.unit = "m";
    if (!offer(c, proto, false, joint->name, "gap")) return false;
    proto.part = 1;
    proto.unit = "rad";
    if (!offer(c, proto, false, joint->name, "gap_angle")) return false;
    proto.value = reaction_value;
    for (proto.part = 0; proto.part < 6; proto.part++) {
        proto.unit = force_unit(proto.part);
        if (!offer(c, proto, false, joint->name, reaction_names[proto.part])) return false;
    }
    return true;
}

static const char *sensor_unit(const trm_model *model, const trm_sensor *sensor, int part)
{
    const trm_joint *joint = sensor->kind->one_coordinate ? &model->joints[sensor->joint] : NULL;
    const bool length = joint && joint->type->kind[sensor->coordinate] == TRM_COORDINATE_LENGTH;
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

static bool offer_sensor(chooser *c, const trm_model *model, int index)
{
    const trm_sensor *sensor = &model->sensors[index];
    column proto = {.sensor = index, .value = sensor_value, .unit = sensor_unit(model, sensor, 0)};
    if (sensor->kind->numbers == 1) return offer(c, proto, false, NULL, sensor->name);
    for (; proto.part < sensor->kind->numbers; proto.part++) {
        proto.unit = sensor_unit(model, sensor, proto.part);
        if (!offer(c, proto, false, sensor->name, sensor->kind->parts[proto.part])) return false;
    }
    return true;
}

static bool offer_all(chooser *c, const trm_model *model)
{
    if (!offer(c, (column){.value = time_value, .unit = "s"}, false, NULL, "t")) return false;
    for (int i = 1; i < model->shown_body_count; i++)
        if (!offer_body(c, model, i)) return false;
    for (int i = 0; i < model->shown_joint_count; i++)
        if (!offer_joint(c, model, i)) return false;
    for (int i = 0; i < model->sensor_count; i++)
        if (!offer_sensor(c, model, i)) return false;
    for (int i = 0; i < model->input_count; i++)
        if (!offer(c, (column){.value = input_value, .unit = "", .part = i}, false, NULL, model->inputs[i].name))
            return false;
    for (int i = 0; i < 3; i++)
        if (!offer(c, (column){.value = energy_value, .unit = "J", .part = i}, false, NULL, energy_names[i]))
            return false;
    return true;
}

/* A pattern that fitted nothing is a mistake, and so is a list of none. */
static void complain_of_unused(const chooser *c, trm_messages *messages)
{
    const char *text = c->selection, *pattern;
    size_t length;
    if (text && !text[strspn(text, ", ")])
        trm_say(messages, TRM_ERROR, (trm_place){0}, "", "the list of columns is empty; give some, such as t,rod.*");
    for (int i = 0; text && next_pattern(&text, &pattern, &length); i++)
        if (i < (int)sizeof c->used && !c->used[i])
            trm_say(
                messages, TRM_ERROR, (trm_place){0}, "",
                "no column fits \"%.*s\"; columns are t, BODY.x, BODY.POINT.x, JOINT.q, JOINT.gap, E_kin and so on",
                (int)length, pattern);
}

/* ---- Creating ----------------------------------------------------------------------------- */

trm_status trm_results_create(const trm_model *model, const char *selection, const trm_allocator *allocator,
                              trm_messages *messages, trm_results **columns)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    const int errors = trm_error_count(messages);
    *columns = NULL;
    trm_results *made = trm_allocate(&from, sizeof *made);
    if (!made) return TRM_OUT_OF_MEMORY;
    trm_arena_init(&made->arena, &from);
    chooser c = {.columns = made, .selection = selection};
    trm_status status = offer_all(&c, model) ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) complain_of_unused(&c, messages);
    if (status == TRM_OK && trm_error_count(messages) > errors) status = TRM_BAD_INPUT;
    if (status == TRM_OK)
        *columns = made;
    else
        trm_results_destroy(made);
    return status;
}

void trm_results_destroy(trm_results *columns)
{
    if (!columns) return;
    const trm_allocator from = columns->arena.allocator;
    trm_arena_destroy(&columns->arena);
    trm_release(&from, columns, sizeof *columns);
}

bool trm_results_need_reactions(const trm_results *columns)
{
    for (int i = 0; i < columns->count; i++)
        if (columns->list[i].value == reaction_value || columns->list[i].value == acceleration_value ||
            columns->list[i].value == angular_acceleration_value)
            return true;
    return false;
}

int trm_result_count(const trm_results *columns)
{
    return columns->count;
}

const char *trm_result_name(const trm_results *columns, int index)
{
    return columns->list[index].name;
}

const char *trm_result_unit(const trm_results *columns, int index)
{
    return columns->list[index].unit;
}

double trm_result_value(const trm_results *columns, int index, const trm_state *state)
{
    return columns->list[index].value(&columns->list[index], state);
}
