/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A state as the start of a model.
 *
 * With X_0 the pose of a body at the start of the model and X its pose in the state, T = X X_0^-1 moves the world
 * data of the definition with the body: the anchor of a joint with the second body, its axis with the first, a
 * curve or surface with the body that carries it. q0 becomes the current coordinate of the joint, so that its zero
 * stays where it was. Lengths, rest lengths and offsets that default to the start are written out. A function f(t)
 * becomes f(t + T) with T the time of the state. */

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/print.h"
#include "math/rotation.h"
#include "motion/state.h"
#include "trammel/analysis.h"

typedef struct restart {
    trm_model_def *def;
    const trm_state *state;
    const trm_model *model;
    trm_arena *arena;
    trm_messages *messages;
    double time;
} restart;

/* ---- Functions of time -------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* Returns whether the t at this place is the variable t, not a letter of exp or of 2e1t. */
static bool is_time(const char *text, const char *at)
{
    return *at == 't' && (at == text || !is_word(at[-1])) && !is_word(at[1]);
}

/* Returns the expression with each t replaced by (t + T). NULL: out of memory. */
static const char *shift_expression(const restart *r, const char *text)
{
    size_t count = 0;
    char shifted[40];
    const int length = trm_print(shifted, sizeof shifted, "(t + %.17g)", r->time);
    for (const char *at = text; *at; at++) count += is_time(text, at);
    char *made = TRM_NEW_ARRAY(r->arena, char, strlen(text) + count * (size_t)length + 1), *to = made;
    if (!made) return NULL;
    for (const char *at = text; *at; at++)
        if (is_time(text, at))
            memcpy(to, shifted, (size_t)length), to += length;
        else
            *to++ = *at;
    return made;
}

static bool shift_function(const restart *r, trm_function_def *f)
{
    if (r->time == 0) return true;
    if (f->kind == TRM_FUNCTION_EXPRESSION && f->expression)
        return (f->expression = shift_expression(r, f->expression)) != NULL;
    if (f->kind != TRM_FUNCTION_TABLE) return true;
    double *t = trm_arena_copy(r->arena, f->t, (size_t)f->count, sizeof *t);
    if (!t) return false;
    for (int i = 0; i < f->count; i++) t[i] -= r->time;
    f->t = t;
    return true;
}

static bool shift_functions(const restart *r, trm_function_def *f, int count)
{
    for (int i = 0; i < count; i++)
        if (!shift_function(r, &f[i])) return false;
    return true;
}

/* ---- Bodies ------------------------------------------------------------------------------- */

/* Returns the motion T of a body from the start to the state. */
static trm_pose motion_of(const restart *r, int body)
{
    return trm_pose_mul(r->state->pose[body], trm_pose_inverse(r->model->bodies[body].start));
}

/* Turns a rod into a rigid body of the same mass and moments, because its angle about its own axis is part of the
 * state. */
static void write_out_rod(trm_body_def *def, const trm_body *body)
{
    const trm_mat3 R = trm_quat_matrix(body->X_BP.q);
    const trm_mat3 I = trm_mat_mul(trm_mat_mul(R, trm_diag(body->inertia)), trm_transpose(R));
    const double six[6] = {I.m[0][0], I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2]};
    memcpy(def->inertia, six, sizeof six);
    def->kind = TRM_BODY_RIGID;
    def->mass = body->mass;
    def->com = body->X_BP.p;
    def->impossible_inertia = true;
}

static bool restart_body(const restart *r, trm_body_def *def)
{
    const int index = trm_find_body(r->model, def->name);
    if (index < 0) return true;
    if (def->kind == TRM_BODY_MOVING)
        return shift_functions(r, def->moving.position, 3) && shift_function(r, &def->moving.angle);
    if (def->kind == TRM_BODY_FIXED) return true;
    if (def->kind == TRM_BODY_ROD) write_out_rod(def, &r->model->bodies[index]);
    const trm_pose pose = trm_body_pose(r->state, index);
    const trm_spatial velocity = trm_body_velocity(r->state, index);
    def->position = pose.p;
    if (def->kind != TRM_BODY_POINT) def->orientation = pose.q, def->angular_velocity = velocity.ang;
    def->velocity = velocity.lin;
    return true;
}

/* ---- Joints ------------------------------------------------------------------------------- */

static int joint_of(const restart *r, const trm_joint_def *def)
{
    if (def->name) return trm_find_joint(r->model, def->name);
    const char *name = trm_arena_format(r->arena, "%s(%s)", def->type, def->joint ? def->joint : "");
    return name ? trm_find_joint(r->model, name) : -1;
}

static void move_round(trm_pose T, trm_round_def *round)
{
    round->origin = trm_pose_point(T, round->origin);
    round->axis = trm_rotate(T.q, round->axis);
}

/* Moves the values of a joint's placement with its bodies. Values that are not given are NAN, and stay so. */
static void move_placement(const restart *r, trm_joint_def *def, const trm_joint *joint)
{
    const trm_pose A = motion_of(r, joint->body[0]), B = motion_of(r, joint->body[1]);
    def->anchor = trm_pose_point(B, def->anchor);
    def->axis = trm_rotate(A.q, def->axis);
    def->axis2 = trm_rotate(B.q, def->axis2);
    move_round(A, &def->curve.circle);
    move_round(A, &def->curve.helix);
    move_round(A, &def->surface.sphere);
    move_round(A, &def->surface.cylinder);
    move_round(A, &def->surface.torus);
    if (joint->type->takes & TRM_TAKES_LENGTH) def->length = joint->length;
}

static bool restart_joint(const restart *r, trm_joint_def *def)
{
    const int index = joint_of(r, def);
    if (index < 0) return !r->arena->failed;
    const trm_joint *joint = &r->model->joints[index];
    const bool hosted = (joint->type->takes & (TRM_TAKES_JOINT | TRM_TAKES_JOINTS)) != 0;
    if (!hosted) move_placement(r, def, joint);
    if (joint->type->takes & TRM_TAKES_COORDINATE) trm_joint_values(r->state, index, def->q0, NULL);
    if (joint->type->takes & TRM_TAKES_JOINTS) def->offset = joint->offset;
    def->attached = r->state->attached[index];
    return shift_function(r, &def->motion) && shift_function(r, &def->velocity);
}

/* ---- Forces and events -------------------------------------------------------------------- */

static bool restart_force(const restart *r, trm_force_def *def, const trm_force *force)
{
    if ((force->type->takes & TRM_FORCE_TAKES_SPRING) && !force->host) def->rest = force->rest;
    return shift_functions(r, def->value, 3) && shift_function(r, &def->target) && shift_function(r, &def->velocity);
}

/* Returns the function that "NAME.key" names; NULL: none. */
static trm_function_def *named_function(const restart *r, const char *name)
{
    const char *dot = strrchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : 0;
    for (int i = 0; dot && i < r->def->force_count; i++) {
        trm_force_def *f = &r->def->forces[i];
        if (!f->name || strlen(f->name) != length || strncmp(f->name, name, length) != 0) continue;
        return strcmp(dot, ".target") == 0 ? &f->target : strcmp(dot, ".velocity") == 0 ? &f->velocity : &f->value[0];
    }
    for (int i = 0; dot && i < r->def->joint_count; i++) {
        trm_joint_def *j = &r->def->joints[i];
        if (!j->name || strlen(j->name) != length || strncmp(j->name, name, length) != 0) continue;
        return strcmp(dot, ".velocity") == 0 ? &j->velocity : &j->motion;
    }
    return NULL;
}

/* Applies the settings of past events, before functions are shifted, and removes these events. Later events move
 * earlier by T. */
static void restart_events(const restart *r)
{
    int kept = 0;
    for (int i = 0; i < r->def->event_count; i++) {
        trm_event_def *e = &r->def->events[i];
        const bool past = e->at <= r->time && r->time > 0;
        for (int k = 0; past && k < e->setting_count; k++) {
            trm_function_def *f = named_function(r, e->settings[k].name);
            if (f) *f = e->settings[k].value;
        }
        if (past) continue;
        e->at -= r->time; /* stays NAN for a conditional event */
        r->def->events[kept++] = *e;
    }
    r->def->event_count = kept;
}

static bool shift_settings(const restart *r)
{
    for (int i = 0; i < r->def->event_count; i++) {
        trm_event_def *e = &r->def->events[i];
        trm_setting *settings = trm_arena_copy(r->arena, e->settings, (size_t)e->setting_count, sizeof *settings);
        if (e->setting_count > 0 && !settings) return false;
        for (int k = 0; k < e->setting_count; k++)
            if (!shift_function(r, &settings[k].value)) return false;
        e->settings = settings;
    }
    return true;
}

trm_status trm_start_at(trm_model_def *def, const trm_state *state, trm_messages *messages)
{
    const restart r = {def, state, state->model, def->arena, messages, state->clock->time};
    bool good = true;
    restart_events(&r);
    for (int i = 0; good && i < def->body_count; i++) good = restart_body(&r, &def->bodies[i]);
    for (int i = 0; good && i < def->joint_count; i++) good = restart_joint(&r, &def->joints[i]);
    for (int i = 0; good && i < def->force_count; i++) good = restart_force(&r, &def->forces[i], &r.model->forces[i]);
    good = good && shift_settings(&r);
    for (int i = 0; i < def->input_count; i++) def->inputs[i].start = trm_input_value(state, i);
    def->simulation.start = NULL;
    return good ? TRM_OK : TRM_OUT_OF_MEMORY;
}
