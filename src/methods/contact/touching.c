/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts at a pose, their rows, and what is known of their forces.
 *
 *     J_a = (r_a x d, d),  J_b = -(r_b x d, d)   for d = n, t1, t2;   W = M^-1 J^T */

#include "methods/contact/touching.h"

#include <stdlib.h>
#include <string.h>

/* Of the tolerance of positions: what is nearer than so many touches. */
static const double NEAR = 100;
/* m/s: what is slower along the normal than this neither strikes nor leaves. */
static const double STILL = 1e-6;
/* Bodies of an island that Newton's method is made for. */
enum { NEWTON_BODIES = 64 };

trm_touching *trm_touching_create(trm_maximal *w, trm_collider *collider)
{
    trm_arena *arena = w->stepper->arena;
    trm_touching *t = TRM_NEW(arena, trm_touching);
    if (!t) return NULL;
    t->collider = collider;
    t->near = NEAR * w->stepper->options->position_tolerance;
    t->still = STILL;
    t->newton_bodies = NEWTON_BODIES;
    t->joint_b = TRM_NEW_ARRAY(arena, double, w->stepper->model->row_count);
    t->joint_lambda = TRM_NEW_ARRAY(arena, double, w->stepper->model->row_count);
    t->reach = TRM_NEW_ARRAY(arena, double, w->stepper->model->body_count);
    t->travel = TRM_NEW_ARRAY(arena, double, w->stepper->model->body_count);
    t->struck = TRM_NEW_ARRAY(arena, trm_contact_row, TRM_STRUCK_KEPT);
    for (int i = 0; t->reach && i < w->stepper->model->body_count; i++)
        t->reach[i] = trm_body_reach(&w->stepper->model->bodies[i]);
    return t->joint_b && t->joint_lambda && t->reach && t->travel && t->struck ? t : NULL;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Two unit vectors across n, which change little where it does. */
static void find_tangents(trm_vec3 n, trm_vec3 tangent[2])
{
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const trm_vec3 other = trm_axis(x <= y && x <= z ? 0 : y <= z ? 1 : 2);
    tangent[0] = trm_unit(trm_cross(n, other));
    tangent[1] = trm_cross(n, tangent[0]);
}

static void make_rows(trm_maximal *w, trm_touch *touch)
{
    const trm_state *state = w->stepper->state;
    const trm_vec3 d[3] = {touch->at.normal, touch->tangent[0], touch->tangent[1]};
    const trm_vec3 where =
        trm_scale(0.5, trm_add(touch->at.point[0], touch->at.point[1])); /* one place: no torque is made */
    for (int r = 0; r < 3; r++) {
        touch->u[r] = touch->u_free[r] = 0;
        for (int k = 0; k < 2; k++) {
            const int body = touch->contact.body[k];
            const trm_vec3 arm = trm_sub(where, state->pose[body].p), along = trm_scale(k ? -1 : 1, d[r]);
            const trm_spatial J = trm_sp(trm_cross(arm, along), along);
            const double u = trm_sp_dot(J, state->velocity[body]);
            touch->J[2 * r + k] = J;
            touch->W[2 * r + k] = trm_maximal_response(w, body, J);
            touch->u[r] += u;
            touch->u_free[r] += w->held[body] ? 0 : u;
        }
    }
    touch->friction = trm_contact_friction(&touch->law, sqrt(touch->u[1] * touch->u[1] + touch->u[2] * touch->u[2]));
}

/* Its point rolls over the surface: corners alone stay where they are. */
static bool is_curved(const trm_contact *contact)
{
    for (int k = 0; k < 2; k++)
        if (contact->feature[k].kind == TRM_FEATURE_CIRCLE ||
            (contact->feature[k].kind != TRM_FEATURE_PLANE && contact->feature[k].radius > 0))
            return true;
    return false;
}

static bool add_touch(trm_maximal *w, const trm_contact *contact)
{
    trm_touching *t = w->touching;
    const trm_pose *pose = w->stepper->state->pose;
    trm_touch *touches =
        t->count < t->room ? t->touches : trm_arena_grow(w->stepper->arena, t->touches, t->count, sizeof *touches);
    if (!touches) return false;
    if (t->count == t->room) t->room = t->room > 0 ? 2 * t->room : 1;
    t->touches = touches;
    trm_touch *touch = &touches[t->count++];
    *touch = (trm_touch){.contact = *contact, .slide = INFINITY, .curved = is_curved(contact)};
    touch->at = trm_contact_at_poses(contact, pose[contact->body[0]], pose[contact->body[1]]);
    touch->law = trm_contact_law_of(w->stepper->model, contact->body[0], contact->shape[0], contact->body[1],
                                    contact->shape[1]);
    find_tangents(touch->at.normal, touch->tangent);
    make_rows(w, touch);
    return true;
}

/* ---- Finding ------------------------------------------------------------------------------ */

bool trm_touching_find(trm_maximal *w, double slowest, double fastest)
{
    trm_touching *t = w->touching;
    const trm_state *state = w->stepper->state;
    const trm_near_pair *pairs;
    trm_maximal_rows(w);
    t->count = t->found.count = 0;
    t->approached = false;
    const int count = trm_near_pairs(t->collider, state->pose, NULL, t->near, state->attached, &pairs);
    if (count < 0) return false;
    for (int i = 0; i < count; i++)
        if (!trm_find_contacts(t->collider, &pairs[i], state->pose, t->near, &t->found)) return false;
    for (int i = 0; i < t->found.count; i++) {
        if (!add_touch(w, &t->found.items[i])) return false;
        const double u = t->touches[t->count - 1].u[0];
        t->approached = t->approached || u < slowest;
        if (!(u >= slowest && u <= fastest)) t->count--;
    }
    return true;
}

/* How far a body may come in a step. */
static double travel_of(const trm_maximal *w, int body, double h)
{
    const trm_model *model = w->stepper->model;
    const trm_spatial V = w->stepper->state->velocity[body];
    const double fall = w->held[body] ? 0 : trm_length(model->gravity) * h * h;
    return h * (trm_length(V.lin) + w->touching->reach[body] * trm_length(V.ang)) + fall;
}

/* All that may come near in a step. */
static bool find_in_window(trm_maximal *w, double h)
{
    trm_touching *t = w->touching;
    const trm_state *state = w->stepper->state;
    const trm_near_pair *pairs;
    trm_maximal_rows(w);
    t->count = t->found.count = 0;
    for (int i = 0; i < state->model->body_count; i++)
        t->travel[i] = isfinite(t->reach[i]) ? travel_of(w, i, fabs(h)) : 0;
    const int count = trm_near_pairs(t->collider, state->pose, t->travel, t->near, state->attached, &pairs);
    for (int i = 0; i < count; i++) {
        const double margin = t->travel[pairs[i].body[0]] + t->travel[pairs[i].body[1]] + t->near;
        if (!trm_find_contacts(t->collider, &pairs[i], state->pose, margin, &t->found)) return false;
    }
    const double resting = 2 * trm_length(state->model->gravity) * fabs(h);
    for (int i = 0; i < t->found.count; i++) {
        if (!add_touch(w, &t->found.items[i])) return false;
        trm_touch *touch = &t->touches[t->count - 1];
        if (touch->u[0] < -resting) touch->rebound = touch->law.restitution * touch->u[0];
    }
    return count >= 0;
}

bool trm_touching_find_holding(trm_maximal *w, double h)
{
    if (w->stepper->window) return find_in_window(w, h);
    return trm_touching_find(w, -w->touching->still, fmax(w->touching->still, w->stepper->leaving));
}

void trm_touching_follow(trm_maximal *w)
{
    trm_touching *t = w->touching;
    const trm_pose *pose = w->stepper->state->pose;
    int kept = 0;
    trm_maximal_rows(w);
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[kept];
        if (kept < i) *touch = t->touches[i];
        touch->at = trm_contact_at_poses(&touch->contact, pose[touch->contact.body[0]], pose[touch->contact.body[1]]);
        if (touch->at.gap > t->near) continue;
        find_tangents(touch->at.normal, touch->tangent);
        make_rows(w, touch);
        kept++;
    }
    t->count = kept;
}

/* ---- Forces that are known ---------------------------------------------------------------- */

static int compare_touched(const void *a, const void *b)
{
    const uint64_t left = ((const trm_touched *)a)->id, right = ((const trm_touched *)b)->id;
    return left < right ? -1 : left > right;
}

static const trm_touched *find_touched(const trm_state *state, uint64_t id)
{
    const trm_touched key = {.id = id};
    return bsearch(&key, state->touched, (size_t)state->clock->touched, sizeof key, compare_touched);
}

static void begin_with(trm_touch *touch, trm_vec3 impulse)
{
    touch->lambda[0] = fmax(trm_dot(impulse, touch->at.normal), 0);
    for (int r = 0; r < 2; r++) touch->lambda[r + 1] = trm_dot(impulse, touch->tangent[r]);
}

void trm_touching_recall(trm_maximal *w, double span)
{
    trm_touching *t = w->touching;
    const trm_state *state = w->stepper->state;
    for (int i = 0; i < t->count; i++) {
        const trm_touched *known = find_touched(state, t->touches[i].contact.id);
        begin_with(&t->touches[i], known ? trm_scale(span, known->force) : trm_v3(0, 0, 0));
    }
}

void trm_touching_remember(trm_maximal *w, double span)
{
    const trm_touching *t = w->touching;
    trm_state *state = w->stepper->state;
    const int count = span == 0 ? 0 : t->count < state->touched_room ? t->count : state->touched_room;
    trm_state_know_touched(state, count);
    for (int i = 0; i < count; i++) {
        const trm_touch *touch = &t->touches[i];
        trm_vec3 F = trm_scale(touch->lambda[0], touch->at.normal);
        for (int r = 0; r < 2; r++) F = trm_add_scaled(F, touch->lambda[r + 1], touch->tangent[r]);
        state->touched[i] = (trm_touched){
            touch->contact.id, {touch->contact.body[0], touch->contact.body[1]}, trm_scale(1 / span, F)};
    }
    qsort(state->touched, (size_t)count, sizeof *state->touched, compare_touched);
}

void trm_touching_press(trm_maximal *w, trm_spatial *wrench)
{
    const trm_touching *t = w->touching;
    trm_touching_recall(w, 1);
    for (int i = 0; i < t->count; i++)
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 2; k++) {
                trm_spatial *F = &wrench[t->touches[i].contact.body[k]];
                *F = trm_sp_add_scaled(*F, t->touches[i].lambda[r], t->touches[i].J[2 * r + k]);
            }
}

/* ---- What is told ------------------------------------------------------------------------- */

trm_contact_row trm_touching_row(const trm_maximal *w, const trm_touch *touch, trm_vec3 on_first, bool impact)
{
    return (trm_contact_row){.time = w->stepper->state->clock->time,
                             .impact = impact,
                             .body = {touch->contact.body[0], touch->contact.body[1]},
                             .point = trm_scale(0.5, trm_add(touch->at.point[0], touch->at.point[1])),
                             .normal = trm_sub(trm_v3(0, 0, 0), touch->at.normal),
                             .gap = touch->at.gap,
                             .force = trm_sub(trm_v3(0, 0, 0), on_first)};
}

int trm_touching_report(trm_maximal *w, trm_contact_row *rows, int most)
{
    trm_touching *t = w->touching;
    const trm_state *state = w->stepper->state;
    int count = 0;
    for (int i = 0; i < t->struck_count; i++, count++)
        if (count < most) rows[count] = t->struck[i];
    t->struck_count = 0;
    for (int i = 0; i < t->count; i++) {
        const trm_touched *known = find_touched(state, t->touches[i].contact.id);
        if (!known) continue;
        if (count < most) rows[count] = trm_touching_row(w, &t->touches[i], known->force, false);
        count++;
    }
    return count;
}

/* ---- Between steps ------------------------------------------------------------------------ */

bool trm_touching_find_pressed(trm_maximal *w)
{
    trm_touching *t = w->touching;
    const trm_state *state = w->stepper->state;
    int kept = 0;
    if (!find_in_window(w, state->clock->step)) return false;
    for (int i = 0; i < t->count; i++) {
        const trm_touched *known = find_touched(state, t->touches[i].contact.id);
        if (t->touches[i].at.gap > t->near && !(known && trm_length(known->force) > 0)) continue;
        t->touches[kept] = t->touches[i];
        t->touches[kept++].rebound = 0;
    }
    t->count = kept;
    return true;
}

/* ---- Work --------------------------------------------------------------------------------- */

static double free_speed(const trm_maximal *w, const trm_touch *touch, int row)
{
    double u = 0;
    for (int k = 0; k < 2; k++) {
        const int body = touch->contact.body[k];
        if (!w->held[body]) u += trm_sp_dot(touch->J[2 * row + k], w->stepper->state->velocity[body]);
    }
    return u;
}

void trm_touching_note_speeds(trm_maximal *w)
{
    for (int i = 0; i < w->touching->count; i++)
        for (int r = 0; r < 3; r++) w->touching->touches[i].u_free[r] = free_speed(w, &w->touching->touches[i], r);
}

double trm_touching_work(const trm_maximal *w, double share)
{
    const trm_touching *t = w->touching;
    double work = 0;
    for (int i = 0; i < t->count; i++)
        for (int r = 0; r < 3; r++) {
            const trm_touch *touch = &t->touches[i];
            const double now = share > 0 ? free_speed(w, touch, r) : 0;
            work += touch->lambda[r] * (touch->u_free[r] + share * (now - touch->u_free[r]));
        }
    for (int i = 0; i < w->joint_count; i++)
        for (int r = 0; w->joints[i].on && w->joints[i].driven && r < w->joints[i].joint->rows; r++)
            work += t->joint_lambda[w->joints[i].joint->row_offset + r] * w->joints[i].drive[r];
    return work;
}

/* ---- Holds -------------------------------------------------------------------------------- */

static int count_holds(const trm_maximal *w)
{
    int count = w->touching->count + w->damper_count;
    for (int i = 0; i < w->joint_count; i++) count += w->joints[i].on;
    return count;
}

int trm_touching_list_holds(trm_maximal *w, double span)
{
    trm_touching *t = w->touching;
    const int most = count_holds(w);
    if (most > t->hold_room) {
        trm_hold *holds = TRM_NEW_ARRAY(w->stepper->arena, trm_hold, 2 * most);
        if (!holds) return -1;
        t->holds = holds;
        t->hold_room = 2 * most;
    }
    int count = 0;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        t->holds[count++] = (trm_hold){TRM_CONE,
                                       3,
                                       2,
                                       touch->contact.body,
                                       touch->J,
                                       touch->W,
                                       touch->b,
                                       touch->lambda,
                                       .friction = touch->friction};
    }
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        if (!j->on) continue;
        const bool limited = isfinite(j->joint->most);
        t->holds[count++] = (trm_hold){.law = limited ? TRM_BOUNDED : TRM_CLOSED,
                                       .bound = limited ? j->joint->most * fabs(span) : 0,
                                       .rows = j->joint->rows,
                                       .bodies = j->joint->body_count,
                                       .body = j->joint->body,
                                       .J = j->J,
                                       .W = j->W,
                                       .b = t->joint_b + j->joint->row_offset,
                                       .lambda = t->joint_lambda + j->joint->row_offset};
    }
    return count;
}
