/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Stores poses of a run for an animation. If rows come more often than TRM_ANIMATION_RATE, only the first row at or
 * after each multiple of 1/rate is kept, unless there are few rows in total. The last row is always kept, until a
 * later row replaces it. Quaternions q and -q are the same orientation; the one nearer to the previous row is stored,
 * so that poses between two rows can be interpolated. */

#include "io/animation.h"
#include "base/tolerance.h"

#include "motion/state.h"

enum { FEW_ROWS = 300 }; /* up to this total number all rows are stored */

enum { POSE_NUMBERS = 7 };

/* ---- Joints and links --------------------------------------------------------------------- */

trm_vec3 trm_anchor_in_body(const trm_model *model, int body, trm_pose frame)
{
    return trm_pose_point(model->bodies[body].X_BP, frame.p);
}

int trm_marked_end(const trm_joint *joint)
{
    const bool on_curve = joint->type->takes & (TRM_TAKES_CURVE | TRM_TAKES_SURFACE);
    return on_curve || joint->type == &trm_joint_slot ? 1 : 0;
}

static bool add_link(trm_animation *a, trm_animated_link link, const int *body, const trm_pose *frame)
{
    for (int k = 0; k < 2; k++) {
        link.body[k] = body[k];
        link.anchor[k] = trm_anchor_in_body(a->model, body[k], frame[k]);
    }
    return TRM_APPEND(&a->arena, a->links, a->link_count, link);
}

/* Sets the kind of line that a span is drawn as, from the elements that act along it: a drive, motor, servo or effort
 * makes it an actuator, stiffness a spring, an upper limit a rope. Returns false if nothing acts along it; it is then
 * not drawn. */
static bool find_span_kind(const trm_model *model, const trm_joint *span, trm_animated_link *link)
{
    bool found = false;
    for (int i = 0; i < model->shown_joint_count; i++) {
        const trm_joint *j = &model->joints[i];
        if (j->host == span && (j->type == &trm_joint_motor || j->type == &trm_joint_drive)) found = true;
    }
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *f = &model->forces[i];
        const bool is_spring = f->type == &trm_force_torsion;
        if (f->host != span) continue;
        if (is_spring && !found) link->kind = f->stiffness > 0 ? TRM_LINK_SPRING : TRM_LINK_DAMPER;
        if (is_spring) return true;
        found = true;
    }
    link->kind = found ? TRM_LINK_ACTUATOR : TRM_LINK_ROPE;
    if (!found) link->length = span->law[0].limits[1];
    return found || isfinite(span->law[0].limits[1]);
}

static bool add_joint_link(trm_animation *a, int index)
{
    const trm_joint *j = &a->model->joints[index];
    trm_animated_link link = {.name = j->name, .joint = index};
    if (j->type == &trm_joint_distance) {
        link.kind = j->rope ? TRM_LINK_ROPE : TRM_LINK_ROD;
        link.length = j->rope ? j->length : 0;
        return add_link(a, link, j->body, j->frame);
    }
    return j->type != &trm_joint_span || !find_span_kind(a->model, j, &link) || add_link(a, link, j->body, j->frame);
}

static bool add_force_link(trm_animation *a, const trm_force *f)
{
    trm_animated_link link = {.name = f->name, .joint = -1, .kind = TRM_LINK_ACTUATOR};
    if (!(f->type->takes & TRM_FORCE_TAKES_BODIES)) return true;
    if (f->type->takes & TRM_FORCE_TAKES_SPRING) {
        link.kind = f->stiffness > 0 ? TRM_LINK_SPRING : TRM_LINK_DAMPER;
        link.damped = f->stiffness > 0 && f->damping > 0;
        link.length = f->stiffness > 0 ? f->rest : 0;
    }
    return add_link(a, link, f->body, f->frame);
}

static bool find_links(trm_animation *a)
{
    const trm_model *model = a->model;
    for (int i = 0; i < model->shown_joint_count; i++)
        if (!add_joint_link(a, i)) return false;
    a->joint_link_count = a->link_count;
    for (int i = 0; i < model->force_count; i++)
        if (!add_force_link(a, &model->forces[i])) return false;
    return true;
}

/* ---- Creating ----------------------------------------------------------------------------- */

static bool find_bodies(trm_animation *a, const trm_state *state)
{
    const int count = a->model->shown_body_count;
    a->start = TRM_NEW_ARRAY(&a->arena, trm_pose, count);
    a->slot = TRM_NEW_ARRAY(&a->arena, int, count);
    if (!a->start || !a->slot) return false;
    for (int i = 0; i < count; i++) {
        a->start[i] = trm_body_pose(state, i);
        a->slot[i] = a->model->bodies[i].kind == TRM_BODY_FIXED ? -1 : a->moving_count++;
    }
    return true;
}

trm_animation *trm_animation_create(const trm_state *start, const trm_allocator *allocator)
{
    trm_animation *made = trm_owner_create(allocator, sizeof *made);
    if (!made) return NULL;
    made->model = start->model;
    if (find_bodies(made, start) && find_links(made) && trm_animation_add(made, start)) return made;
    trm_animation_destroy(made);
    return NULL;
}

void trm_animation_destroy(trm_animation *animation)
{
    trm_owner_destroy(animation, sizeof *animation);
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Short runs of fast machines keep more rows per second than TRM_ANIMATION_RATE: all of them up to FEW_ROWS in
 * total. If there are more, the rate TRM_ANIMATION_RATE 2^k is halved and rows that the new rate does not keep are
 * removed, down to TRM_ANIMATION_RATE. The rows that a rate keeps (the first at or after each of its ticks) are among
 * those that twice the rate keeps. */

static bool is_new_tick(const trm_animation *a, double before, double time)
{
    return a->rate == 0 || floor(time * a->rate + TRM_SAME_TIME) > floor(before * a->rate + TRM_SAME_TIME);
}

static double lower_rate(const trm_animation *a)
{
    const double span = a->times[a->kept - 1] - a->times[0];
    double rate = TRM_ANIMATION_RATE;
    if (a->rate > 0) return a->rate / 2;
    while (2 * rate * span <= FEW_ROWS) rate *= 2;
    return rate;
}

static void swap_rows(trm_animation *a, int i, int k)
{
    float *row = a->rows[i];
    a->rows[i] = a->rows[k];
    a->rows[k] = row;
    a->times[i] = a->times[k];
    if (a->swap) a->swap(a->owner, i, k);
}

/* Replaces the quaternion q of each body by -q if that is nearer to the quaternion of the previous row. */
static void align_row(trm_animation *a, int row)
{
    for (int i = 0; row > 0 && i < a->moving_count; i++) {
        float *q = a->rows[row] + i * POSE_NUMBERS + 3;
        const float *p = a->rows[row - 1] + i * POSE_NUMBERS + 3;
        const double cosine = (double)p[0] * q[0] + (double)p[1] * q[1] + (double)p[2] * q[2] + (double)p[3] * q[3];
        for (int k = 0; cosine < 0 && k < 4; k++) q[k] = -q[k];
    }
}

static void thin_out(trm_animation *a)
{
    int kept = 1;
    a->rate = lower_rate(a);
    for (int i = 1; i < a->kept; i++)
        if (is_new_tick(a, a->times[kept - 1], a->times[i])) swap_rows(a, kept++, i);
    a->row_count = a->kept = kept;
    for (int i = 1; i < kept; i++) align_row(a, i);
}

/* Returns the memory of the row after those that stay, which is that of the provisional row if there is one. Returns
 * NULL if out of memory. */
static float *next_row(trm_animation *a)
{
    if (a->room > a->kept) {
        a->row_count = a->kept + 1;
        return a->rows[a->kept];
    }
    const size_t numbers = (size_t)a->moving_count * POSE_NUMBERS + (size_t)a->model->shown_joint_count;
    double *times = trm_arena_grow(&a->arena, a->times, a->room, sizeof *times);
    if (times) a->times = times;
    float **rows = trm_arena_grow(&a->arena, a->rows, a->room, sizeof *rows);
    if (rows) a->rows = rows;
    float *row = times && rows ? trm_arena_room(&a->arena, numbers, sizeof *row) : NULL;
    if (row) a->rows[a->room++] = row;
    if (row) a->row_count = a->room;
    return row;
}

static void keep_pose(float *to, trm_pose X)
{
    const double numbers[POSE_NUMBERS] = {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w};
    for (int k = 0; k < POSE_NUMBERS; k++) to[k] = (float)numbers[k];
}

bool trm_animation_add(trm_animation *animation, const trm_state *state)
{
    trm_animation *a = animation;
    const double time = trm_state_time(state);
    if (a->row_count > 0 && !(time > a->times[a->row_count - 1])) return true;
    while (a->kept > FEW_ROWS && a->rate != TRM_ANIMATION_RATE) thin_out(a);
    float *row = next_row(a);
    if (!row) return false;
    a->times[a->kept] = time;
    for (int i = 0; i < a->model->shown_body_count; i++) {
        const size_t at = (size_t)a->slot[i] * POSE_NUMBERS;
        if (a->slot[i] >= 0) keep_pose(row + at, trm_body_pose(state, i));
    }
    float *there = row + (size_t)a->moving_count * POSE_NUMBERS;
    for (int j = 0; j < a->model->shown_joint_count; j++) there[j] = state->attached[j];
    align_row(a, a->kept);
    if (a->kept == 0 || is_new_tick(a, a->times[a->kept - 1], time)) a->kept++;
    return true;
}

trm_pose trm_animated_pose(const trm_animation *animation, int row, int body)
{
    if (animation->slot[body] < 0) return animation->start[body];
    const float *x = animation->rows[row] + (size_t)animation->slot[body] * POSE_NUMBERS;
    return (trm_pose){{x[6], x[3], x[4], x[5]}, {x[0], x[1], x[2]}};
}

bool trm_animated_joint_is_there(const trm_animation *animation, int row, int joint)
{
    return joint < 0 || animation->rows[row][(size_t)animation->moving_count * POSE_NUMBERS + (size_t)joint] > 0;
}
