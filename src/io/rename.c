/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Renames the elements of an included model and moves them to their place.
 *
 * A name gets the prefix if the included model defines an element with that name. In expressions, values replace
 * the names of constants; a name followed by a point is the name of an element.
 *
 * A place X = (R, p) transforms data given in the world: points x' = R x + p, directions and velocities R v. */

#include <stdio.h>
#include <string.h>

#include "io/form.h"
#include "model/model.h"

/* ---- Names -------------------------------------------------------------------------------- */

#define HAS(list, count, text)                                                                                       \
    for (int k = 0; k < def->count; k++)                                                                             \
        if (def->list[k].name && strcmp(def->list[k].name, text) == 0) return true

static bool has_body(const trm_model_def *def, const char *name)
{
    HAS(bodies, body_count, name);
    return false;
}

static bool has_joint(const trm_model_def *def, const char *name)
{
    HAS(joints, joint_count, name);
    return false;
}

/* Returns whether an element of this name can be a parent: a body or joint. */
static bool has_parent(const trm_model_def *def, const char *name)
{
    return has_body(def, name) || has_joint(def, name);
}

/* Returns whether an element has a column of its own name, which expressions can use. */
static bool has_column(const trm_model_def *def, const char *name)
{
    HAS(sensors, sensor_count, name);
    HAS(outputs, output_count, name);
    HAS(inputs, input_count, name);
    return false;
}

/* Returns whether an element has this name, which may come before a point in the name of a quantity. */
static bool has_element(const trm_model_def *def, const char *name)
{
    HAS(forces, force_count, name);
    return has_body(def, name) || has_joint(def, name) || has_column(def, name);
}

typedef bool (*ownership)(const trm_model_def *def, const char *name);

static bool always(const trm_model_def *def, const char *name)
{
    (void)def, (void)name;
    return true;
}

/* Adds the prefix to a name that `owns` accepts. Returns false if out of memory. */
static bool rename_text(const trm_renaming *r, const char **name, ownership owns)
{
    if (!*name || !r->prefix[0] || !owns(r->def, *name)) return true;
    *name = trm_arena_format(r->arena, "%s%s", r->prefix, *name);
    return *name != NULL;
}

/* Renames the part before the point in "BODY.POINT" or "servo.target". Returns false if out of memory. */
static bool rename_dotted(const trm_renaming *r, const char **name, ownership owns)
{
    const char *dot = *name ? strchr(*name, '.') : NULL;
    if (!dot) return rename_text(r, name, owns);
    const char *owner = trm_arena_text_n(r->arena, *name, (size_t)(dot - *name));
    if (!owner || !rename_text(r, &owner, owns)) return false;
    *name = trm_arena_format(r->arena, "%s%s", owner, dot);
    return *name != NULL;
}

/* ---- Expressions -------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the end of the token that begins at: a number, a name or a name in quotes, or one character. */
static int end_of_token(const char *text, int at)
{
    int end = at;
    if (is_letter(text[at])) {
        while (is_letter(text[end]) || is_digit(text[end])) end++;
    } else if (text[at] == '\'') {
        const char *close = strchr(text + at + 1, '\'');
        end = close ? (int)(close - text) + 1 : at + 1;
    } else if (is_digit(text[at])) {
        while (is_digit(text[end]) || text[end] == '.') end++;
        if (text[end] == 'e' || text[end] == 'E') end += 1 + (text[end + 1] == '-' || text[end + 1] == '+');
        while (is_digit(text[end])) end++;
    }
    return end > at ? end : at + 1;
}

static const trm_constant *find_constant(const trm_model_def *def, const char *name)
{
    for (int i = 0; i < def->constant_count; i++)
        if (strcmp(def->constants[i].name, name) == 0) return &def->constants[i];
    return NULL;
}

/* Returns the replacement of a name. Returns NULL if out of memory. before, after: characters around it. */
static const char *token_of(const trm_renaming *r, const char *token, char before, char after, bool quotes)
{
    const bool quoted = token[0] == '\'';
    const size_t length = strlen(token);
    const char *name = quoted ? trm_arena_text_n(r->arena, token + 1, length > 1 ? length - 2 : 0) : token;
    if (!name || before == '.' || !(quoted || is_letter(token[0]))) return name ? token : NULL;
    if (after == '.')
        return has_element(r->def, name) ? trm_arena_format(r->arena, "'%s%s'", r->prefix, name) : token;
    const trm_constant *constant = after == '(' ? NULL : find_constant(r->def, name);
    if (constant) return trm_arena_format(r->arena, "(%.17g)", constant->value);
    if (!has_column(r->def, name) || after == '(') return token;
    return quotes ? trm_arena_format(r->arena, "'%s%s'", r->prefix, name)
                  : trm_arena_format(r->arena, "%s%s", r->prefix, name);
}

/* Rewrites an expression. quotes: names may be in quotes, which functions of time do not allow. Returns false if out
 * of memory. */
static bool rewrite(const trm_renaming *r, const char **text, bool quotes)
{
    const char *from = *text, *made = "";
    for (int at = 0; from && from[at];) {
        const int end = end_of_token(from, at);
        const int next = end + (int)strspn(from + end, " \t\r\n");
        const char *token = trm_arena_text_n(r->arena, from + at, (size_t)(end - at));
        if (token) token = token_of(r, token, at > 0 ? from[at - 1] : 0, from[next], quotes);
        made = token ? trm_arena_format(r->arena, "%s%s", made, token) : NULL;
        if (!made) return false;
        at = end;
    }
    if (from) *text = made;
    return true;
}

static bool rewrite_function(const trm_renaming *r, trm_function_def *f)
{
    return f->kind != TRM_FUNCTION_EXPRESSION || rewrite(r, &f->expression, false);
}

/* ---- Places ------------------------------------------------------------------------------- */

static void move_point(const trm_renaming *r, trm_vec3 *point)
{
    *point = trm_pose_point(r->place, *point);
}

static void turn(const trm_renaming *r, trm_vec3 *v)
{
    *v = trm_rotate(r->place.q, *v);
}

static void move_round(const trm_renaming *r, trm_round_def *round)
{
    move_point(r, &round->origin);
    turn(r, &round->axis);
}

/* Returns whether a body is the ground, whose frame is the world, so that points in it are moved like those in the
 * world. */
static bool is_ground(const char *body)
{
    return body && strcmp(body, "ground") == 0;
}

/* Moves a body, unless it has a parent, with which it moves. */
static void move_body(const trm_renaming *r, trm_body_def *body)
{
    if (!body->parent || is_ground(body->parent)) {
        move_point(r, &body->position);
        body->orientation = trm_quat_mul(r->place.q, body->orientation);
        move_point(r, &body->rod.from);
        move_point(r, &body->rod.to);
    }
    turn(r, &body->velocity);
    turn(r, &body->angular_velocity);
}

/* Moves the hinges and sliders of a chain. Returns false when out of memory. */
static bool move_links(const trm_renaming *r, trm_joint_def *joint)
{
    trm_coordinate_def *links =
        trm_arena_copy(r->arena, joint->coordinates, (size_t)joint->coordinate_count, sizeof *links);
    if (joint->coordinate_count > 0 && !links) return false;
    for (int i = 0; i < joint->coordinate_count; i++) {
        move_point(r, &links[i].anchor);
        turn(r, &links[i].axis);
    }
    joint->coordinates = links;
    return true;
}

/* Moves the points of a curve on the ground. Returns false when out of memory. */
static bool move_curve(const trm_renaming *r, trm_joint_def *joint)
{
    trm_curve_def *curve = &joint->curve;
    if (curve->point_count == 0 || !is_ground(joint->bodies[0])) return true;
    trm_vec3 *points = trm_arena_copy(r->arena, curve->points, (size_t)curve->point_count, sizeof *points);
    if (!points) return false;
    for (int i = 0; i < curve->point_count; i++) move_point(r, &points[i]);
    curve->points = points;
    return true;
}

/* Moves the data of a joint that are in the world at the start or in the frame of the ground. Returns false when out
 * of memory. */
static bool move_joint(const trm_renaming *r, trm_joint_def *joint)
{
    for (int k = 0; k < 2; k++) {
        if (!is_ground(joint->bodies[k])) continue;
        move_point(r, &joint->anchors[k]);
        turn(r, &joint->axes[k]);
    }
    if (!move_curve(r, joint)) return false;
    if (joint->parent && !is_ground(joint->parent)) return true;
    const trm_joint_type *type = joint->type ? trm_find_joint_type(joint->type) : NULL;
    if (type && r->place.q.w != 1) trm_default_x_axis(joint, type->takes); /* also rotates with the model */
    turn(r, &joint->x_axis);
    move_point(r, &joint->anchor);
    turn(r, &joint->axis);
    turn(r, &joint->axis2);
    move_round(r, &joint->curve.circle);
    move_round(r, &joint->curve.helix);
    move_round(r, &joint->surface.sphere);
    move_round(r, &joint->surface.cylinder);
    move_round(r, &joint->surface.torus);
    return move_links(r, joint);
}

/* Moves anchors on the ground; an anchor that is not given is its origin. */
static void move_anchors(const trm_renaming *r, const char *const bodies[2], trm_vec3 anchors[2])
{
    for (int k = 0; k < 2; k++) {
        if (!is_ground(bodies[k])) continue;
        if (isnan(anchors[k].x)) anchors[k] = trm_v3(0, 0, 0);
        move_point(r, &anchors[k]);
    }
}

/* Moves an element. Returns false when out of memory. */
static bool move_item(const trm_renaming *r, const trm_form *form, void *item)
{
    trm_force_def *force = item;
    trm_sensor_def *sensor = item;
    if (form == &trm_form_body) move_body(r, item);
    if (form == &trm_form_force) move_anchors(r, force->bodies, force->anchors);
    if (form == &trm_form_sensor && sensor->type && strcmp(sensor->type, "distance") == 0)
        move_anchors(r, sensor->bodies, sensor->anchors);
    return form != &trm_form_joint || move_joint(r, item);
}

/* ---- Fields ------------------------------------------------------------------------------- */

static bool rename_fields(const trm_renaming *r, const trm_form *form, void *item);

/* Returns a copy of a list, which replaces it: the originals show which names belong to the model. NULL: the list is
 * empty, or out of memory. */
static void *own_list(const trm_renaming *r, void *list, int count, size_t size)
{
    void *items, *own;
    memcpy(&items, list, sizeof items);
    if (count == 0) return NULL;
    own = trm_arena_copy(r->arena, items, (size_t)count, size);
    if (own) memcpy(list, &own, sizeof own);
    return own;
}

static bool rename_items(const trm_renaming *r, const trm_form *form, void *list, int count)
{
    char *items = own_list(r, list, count, form->size);
    bool done = items || count == 0;
    for (int i = 0; done && i < count; i++) {
        void *item = items + (size_t)i * form->size;
        done = move_item(r, form, item) && rename_fields(r, form, item);
    }
    return done;
}

static bool rename_frames(const trm_renaming *r, void *list, int count)
{
    trm_named_frame *frames = own_list(r, list, count, sizeof *frames);
    bool done = frames || count == 0;
    for (int i = 0; done && i < count; i++) {
        if (is_ground(frames[i].parent)) {
            move_point(r, &frames[i].position);
            frames[i].orientation = trm_quat_mul(r->place.q, frames[i].orientation);
        }
        done = rename_dotted(r, &frames[i].parent, has_parent);
    }
    return done;
}

/* Renames bodies and moves their frames, which are given in the world. */
static bool rename_body_frames(const trm_renaming *r, void *list, int count)
{
    trm_named_frame *frames = own_list(r, list, count, sizeof *frames);
    bool done = frames || count == 0;
    for (int i = 0; done && i < count; i++) {
        move_point(r, &frames[i].position);
        frames[i].orientation = trm_quat_mul(r->place.q, frames[i].orientation);
        done = rename_text(r, &frames[i].name, has_body);
    }
    return done;
}

static bool rename_input_values(const trm_renaming *r, void *list, int count)
{
    trm_constant *values = own_list(r, list, count, sizeof *values);
    bool done = values || count == 0;
    for (int i = 0; done && i < count; i++) done = rename_text(r, &values[i].name, always);
    return done;
}

static bool rename_settings(const trm_renaming *r, void *list, int count)
{
    trm_setting *settings = own_list(r, list, count, sizeof *settings);
    bool done = settings || count == 0;
    for (int i = 0; done && i < count; i++)
        done = rename_dotted(r, &settings[i].name, has_element) && rewrite_function(r, &settings[i].value);
    return done;
}

static bool rename_joint_values(const trm_renaming *r, void *list, int count)
{
    trm_joint_value *values = own_list(r, list, count, sizeof *values);
    bool done = values || count == 0;
    for (int i = 0; done && i < count; i++) done = rename_text(r, &values[i].joint, has_joint);
    return done;
}

static bool rename_pairs(const trm_renaming *r, void *list, int count)
{
    trm_body_pair *pairs = own_list(r, list, count, sizeof *pairs);
    bool done = pairs || count == 0;
    for (int i = 0; done && i < count; i++)
        done = rename_text(r, &pairs[i].bodies[0], has_body) && rename_text(r, &pairs[i].bodies[1], has_body);
    return done;
}

static bool rename_condition(const trm_renaming *r, const char **text)
{
    return (*text && strcmp(*text, "contact") == 0) || rewrite(r, text, true);
}

static bool rename_list(const trm_renaming *r, const trm_field *field, void *list, int count)
{
    switch (field->kind) {
    case TRM_VALUE_frames: return rename_frames(r, list, count);
    case TRM_VALUE_body_frames: return rename_body_frames(r, list, count);
    case TRM_VALUE_input_values: return rename_input_values(r, list, count);
    case TRM_VALUE_settings: return rename_settings(r, list, count);
    case TRM_VALUE_joint_values: return rename_joint_values(r, list, count);
    case TRM_VALUE_pairs: return rename_pairs(r, list, count);
    default: return !field->form || rename_items(r, field->form, list, count);
    }
}

static bool rename_field(const trm_renaming *r, const trm_field *field, void *member)
{
    const char **text = member;
    trm_function_def *f = member;
    switch (field->kind) {
    case TRM_VALUE_own_name: return rename_text(r, text, always);
    case TRM_VALUE_body_name: return rename_text(r, text, has_body);
    case TRM_VALUE_body_names: return rename_text(r, text, has_body) && rename_text(r, text + 1, has_body);
    case TRM_VALUE_joint_name: return rename_text(r, text, has_joint);
    case TRM_VALUE_joint_names: return rename_text(r, text, has_joint) && rename_text(r, text + 1, has_joint);
    case TRM_VALUE_frame_name: return rename_dotted(r, text, has_body);
    case TRM_VALUE_frame_names: return rename_dotted(r, text, has_body) && rename_dotted(r, text + 1, has_body);
    case TRM_VALUE_parent_name: return rename_dotted(r, text, has_parent);
    case TRM_VALUE_formula: return rewrite(r, text, true);
    case TRM_VALUE_condition: return rename_condition(r, text);
    case TRM_VALUE_aimed_rate:
    case TRM_VALUE_function: return rewrite_function(r, f);
    case TRM_VALUE_functions:
        return rewrite_function(r, &f[0]) && rewrite_function(r, &f[1]) && rewrite_function(r, &f[2]);
    case TRM_VALUE_object: return rename_fields(r, field->form, member);
    default: return true;
    }
}

/* Renames what the fields of an item name, each member once: keys of several variants share members. */
static bool rename_fields(const trm_renaming *r, const trm_form *form, void *item)
{
    const unsigned takes = trm_form_variant_of(form, item).takes;
    bool done = true;
    for (int i = 0; done && i < form->field_count; i++) {
        const trm_field *field = &form->fields[i];
        void *member = (char *)item + field->offset;
        if (!trm_field_is_taken(field, takes) || trm_field_is_default(field, item)) continue;
        done = field->count_offset
                   ? rename_list(r, field, member, *(const int *)(const void *)((char *)item + field->count_offset))
                   : rename_field(r, field, member);
    }
    return done;
}

bool trm_rename_model(const trm_renaming *r, trm_model_def *def)
{
    return rename_fields(r, &trm_form_model, def);
}
