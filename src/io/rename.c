/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Names and places of an included model.
 *
 * A name gets the prefix if the included model defines an element with that name. In expressions, values replace
 * the names of constants; a name followed by a point is the name of an element.
 *
 * A place X = (R, p) moves what is given in the world: x' = R x + p of points, R v of directions and velocities. */

#include <stdio.h>
#include <string.h>

#include "io/include.h"
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

/* What may have a frame. */
static bool has_parent(const trm_model_def *def, const char *name)
{
    return has_body(def, name) || has_joint(def, name);
}

/* Bare names of expressions: columns of their own. */
static bool has_column(const trm_model_def *def, const char *name)
{
    HAS(sensors, sensor_count, name);
    HAS(outputs, output_count, name);
    HAS(inputs, input_count, name);
    return false;
}

/* What may stand before a point. */
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

/* False: out of memory. */
static bool rename_text(const trm_renaming *r, const char **name, ownership owns)
{
    if (!*name || !r->prefix[0] || !owns(r->def, *name)) return true;
    *name = trm_arena_format(r->arena, "%s%s", r->prefix, *name);
    return *name != NULL;
}

/* "BODY.POINT" or "servo.target": the part before the point. */
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

/* What takes the place of a name; NULL: out of memory. before: what stands in front of it; after: what follows. */
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

/* quotes: names may stand in quotes, as they may not in functions of time. */
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

/* The frame of the ground is the world: points in it move as those in the world do. */
static bool is_ground(const char *body)
{
    return body && strcmp(body, "ground") == 0;
}

/* One that has a parent moves with it. */
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

/* Moves what is in the world at the start, or in the frame of the ground. Returns false when out of memory. */
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
    if (type && r->place.q.w != 1) trm_default_x_axis(joint, type->takes); /* turns with the model, too */
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

/* Moves anchors on the ground; those that are not given are its origin. */
static void move_anchors(const trm_renaming *r, const char *const bodies[2], trm_vec3 anchors[2])
{
    for (int k = 0; k < 2; k++) {
        if (!is_ground(bodies[k])) continue;
        if (isnan(anchors[k].x)) anchors[k] = trm_v3(0, 0, 0);
        move_point(r, &anchors[k]);
    }
}

/* ---- The elements ------------------------------------------------------------------------- */

static bool rename_pair(const trm_renaming *r, const char *names[2])
{
    return rename_text(r, &names[0], has_body) && rename_text(r, &names[1], has_body);
}

/* Renames the parents of frames. Returns false when out of memory. */
static bool rename_frames(const trm_renaming *r, trm_body_def *body)
{
    trm_named_frame *frames = trm_arena_copy(r->arena, body->frames, (size_t)body->frame_count, sizeof *frames);
    if (body->frame_count > 0 && !frames) return false;
    for (int i = 0; i < body->frame_count; i++) {
        trm_named_frame *frame = &frames[i];
        if (is_ground(frame->parent)) {
            move_point(r, &frame->position);
            frame->orientation = trm_quat_mul(r->place.q, frame->orientation);
        }
        if (!rename_dotted(r, &frame->parent, has_parent)) return false;
    }
    body->frames = frames;
    return true;
}

static bool rename_body(const trm_renaming *r, trm_body_def *body)
{
    for (int k = 0; k < 3; k++)
        if (!rewrite_function(r, &body->moving.position[k])) return false;
    move_body(r, body);
    if (!rename_dotted(r, &body->parent, has_parent) || !rename_frames(r, body)) return false;
    return rewrite_function(r, &body->moving.angle) && rename_text(r, &body->name, always);
}

static bool rename_terms(const trm_renaming *r, trm_joint_def *joint)
{
    trm_term_def *terms = trm_arena_copy(r->arena, joint->terms, (size_t)joint->term_count, sizeof *terms);
    if (joint->term_count > 0 && !terms) return false;
    for (int i = 0; i < joint->term_count; i++)
        if (!rename_text(r, &terms[i].joint, has_joint)) return false;
    joint->terms = terms;
    return true;
}

static bool rename_joint(const trm_renaming *r, trm_joint_def *joint)
{
    return move_joint(r, joint) && rewrite_function(r, &joint->motion) && rewrite_function(r, &joint->velocity) &&
           rename_pair(r, joint->bodies) && rename_text(r, &joint->joint, has_joint) &&
           rename_text(r, &joint->joints[0], has_joint) && rename_text(r, &joint->joints[1], has_joint) &&
           rename_terms(r, joint) && rename_dotted(r, &joint->parent, has_parent) &&
           rename_text(r, &joint->name, always);
}

static bool rename_force(const trm_renaming *r, trm_force_def *force)
{
    move_anchors(r, force->bodies, force->anchors);
    for (int k = 0; k < 3; k++)
        if (!rewrite_function(r, &force->value[k])) return false;
    return rewrite_function(r, &force->target) && rewrite_function(r, &force->velocity) &&
           rewrite_function(r, &force->max_law) && rewrite_function(r, &force->brake_law) &&
           rename_pair(r, force->bodies) && rename_text(r, &force->body, has_body) &&
           rename_text(r, &force->joint, has_joint) && rename_text(r, &force->name, always);
}

static bool rename_event(const trm_renaming *r, trm_event_def *event)
{
    trm_setting *settings = trm_arena_copy(r->arena, event->settings, (size_t)event->setting_count, sizeof *settings);
    if (event->setting_count > 0 && !settings) return false;
    for (int i = 0; i < event->setting_count; i++)
        if (!rename_dotted(r, &settings[i].name, has_element) || !rewrite_function(r, &settings[i].value))
            return false;
    event->settings = settings;
    if (event->when && strcmp(event->when, "contact") != 0 && !rewrite(r, &event->when, true)) return false;
    return rename_pair(r, event->bodies) && rename_text(r, &event->attach, has_joint) &&
           rename_text(r, &event->detach, has_joint);
}

static bool rename_sensor(const trm_renaming *r, trm_sensor_def *sensor)
{
    if (sensor->type && strcmp(sensor->type, "distance") == 0) move_anchors(r, sensor->bodies, sensor->anchors);
    return rename_dotted(r, &sensor->bodies[0], has_body) && rename_dotted(r, &sensor->bodies[1], has_body) &&
           rename_dotted(r, &sensor->body, has_body) && rename_text(r, &sensor->joint, has_joint) &&
           rename_text(r, &sensor->name, always);
}

static bool rename_output(const trm_renaming *r, trm_output_def *output)
{
    return rewrite(r, &output->value, true) && rename_dotted(r, &output->of, has_body) &&
           rename_dotted(r, &output->in, has_body) && rename_text(r, &output->name, always);
}

static bool rename_contact(const trm_renaming *r, trm_contact_def *contact)
{
    return rename_pair(r, contact->bodies);
}

static bool rename_input(const trm_renaming *r, trm_input_def *input)
{
    return rename_text(r, &input->name, always);
}

static bool rename_no_collide(const trm_renaming *r, trm_body_pair *pair)
{
    return rename_pair(r, pair->bodies);
}

static bool rename_pose(const trm_renaming *r, trm_pose_def *pose)
{
    trm_joint_value *values = trm_arena_copy(r->arena, pose->values, (size_t)pose->value_count, sizeof *values);
    if (pose->value_count > 0 && !values) return false;
    for (int i = 0; i < pose->value_count; i++)
        if (!rename_text(r, &values[i].joint, has_joint)) return false;
    pose->values = values;
    return rename_text(r, &pose->name, always);
}

/* Lists are copied, because the originals show which names belong to the model. */
#define EACH(list, count, type, rename)                                                                              \
    do {                                                                                                             \
        type *copy = trm_arena_copy(r->arena, def->list, (size_t)def->count, sizeof *copy);                          \
        if (def->count > 0 && !copy) return false;                                                                   \
        for (int k = 0; k < def->count; k++)                                                                         \
            if (!rename(r, &copy[k])) return false;                                                                  \
        def->list = copy;                                                                                            \
    } while (0)

bool trm_rename_model(const trm_renaming *r, trm_model_def *def)
{
    EACH(bodies, body_count, trm_body_def, rename_body);
    EACH(joints, joint_count, trm_joint_def, rename_joint);
    EACH(forces, force_count, trm_force_def, rename_force);
    EACH(contacts, contact_count, trm_contact_def, rename_contact);
    EACH(events, event_count, trm_event_def, rename_event);
    EACH(sensors, sensor_count, trm_sensor_def, rename_sensor);
    EACH(outputs, output_count, trm_output_def, rename_output);
    EACH(inputs, input_count, trm_input_def, rename_input);
    EACH(poses, pose_count, trm_pose_def, rename_pose);
    EACH(no_collide, no_collide_count, trm_body_pair, rename_no_collide);
    return true;
}
