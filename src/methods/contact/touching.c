/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts at a pose, their rows, and what is known of their forces.
 *
 *     J_a = (r_a x d, d),  J_b = -(r_b x d, d)   for d = n, t1, t2;   W = M^-1 J^T
 *     J_a = (d, 0),        J_b = -(d, 0)         for d = t1, t2, of rolling friction */

#include "methods/contact/touching.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Of the tolerance of positions: what is nearer than so many touches. */
static const double NEAR = 100;
/* Of the tolerance of positions: gaps of contacts that meet at the same instant differ by less, because joints between them
 * may be open by the tolerance each. */
static const double SAME_INSTANT = 10;
/* Roundings of the largest coordinate: the gap of a contact at the time of its impact, and the difference of two such gaps
 * after the rotations of some hundred steps. */
static const double ROUNDED_GAP = 8, ROUNDED_DIFFERENCE = 256;
/* m/s: what is slower along the normal than this neither strikes nor leaves. */
static const double STILL = 1e-6;
/* m: what has acted at the start of a step in a window touches at its end, up to what the look-ahead leaves unseen. */
static const double STILL_TOUCHES = 1e-5;
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
    const int bodies = w->stepper->model->body_count;
    t->joint_b = TRM_NEW_ARRAY(arena, double, w->stepper->model->row_count);
    t->joint_lambda = TRM_NEW_ARRAY(arena, double, w->stepper->model->row_count);
    t->reach = TRM_NEW_ARRAY(arena, double, bodies);
    t->travel = TRM_NEW_ARRAY(arena, double, bodies);
    t->struck = TRM_NEW_ARRAY(arena, trm_contact_row, TRM_STRUCK_KEPT);
    t->start.velocity = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    t->start.mode = TRM_NEW_ARRAY(arena, signed char, w->stepper->model->joint_count);
    t->ledger = TRM_NEW_ARRAY(arena, trm_ledger, bodies);
    t->seen = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    t->bounces = TRM_NEW_ARRAY(arena, trm_bounce, TRM_BOUNCES_KEPT);
    t->islands = (trm_islands){.of = TRM_NEW_ARRAY(arena, int, bodies),
                               .parent = TRM_NEW_ARRAY(arena, int, bodies),
                               .first_body = TRM_NEW_ARRAY(arena, int, bodies + 1),
                               .bodies = TRM_NEW_ARRAY(arena, int, bodies),
                               .first_hold = TRM_NEW_ARRAY(arena, int, bodies + 1)};
    w->touching = t;
    if (!trm_touching_prepare_rest(w) || !trm_touching_prepare_islands(w) || !trm_touching_prepare_bounded(w))
        return NULL;
    for (int i = 0; t->reach && i < bodies; i++) t->reach[i] = trm_body_reach(&w->stepper->model->bodies[i]);
    const trm_islands *i = &t->islands;
    return t->joint_b && t->joint_lambda && t->reach && t->travel && t->struck && t->start.velocity &&
                   t->start.mode && t->ledger && t->seen && t->bounces && i->of && i->parent && i->first_body &&
                   i->bodies && i->first_hold
               ? t
               : NULL;
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

trm_vec3 trm_touching_velocity(const trm_maximal *w, const trm_touch *touch, bool free)
{
    trm_vec3 apart = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const int body = touch->contact.body[k];
        const trm_spatial V = w->stepper->state->velocity[body];
        if (!free || !w->held[body])
            apart = trm_add_scaled(apart, k ? -1 : 1, trm_add(V.lin, trm_cross(V.ang, touch->spot.arm[k])));
    }
    return apart;
}

trm_vec3 trm_touching_turn(const trm_maximal *w, const trm_touch *touch, bool free)
{
    trm_vec3 apart = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const int body = touch->contact.body[k];
        if (!free || !w->held[body]) apart = trm_add_scaled(apart, k ? -1 : 1, w->stepper->state->velocity[body].ang);
    }
    return apart;
}

/* Where it is, and how fast, at the present pose. */
static void find_spot(const trm_maximal *w, trm_touch *touch)
{
    const trm_pose *pose = w->stepper->state->pose;
    const int *body = touch->contact.body;
    touch->at = trm_contact_at_poses(&touch->contact, pose[body[0]], pose[body[1]]);
    const trm_vec3 where =
        trm_scale(0.5, trm_add(touch->at.point[0], touch->at.point[1])); /* one place: no torque is made */
    touch->spot.d[0] = touch->at.normal;
    find_tangents(touch->at.normal, touch->spot.d + 1);
    for (int k = 0; k < 2; k++) {
        const bool turns = w->stepper->model->bodies[body[k]].kind != TRM_BODY_POINT;
        touch->spot.arm[k] = turns ? trm_sub(where, pose[body[k]].p) : trm_v3(0, 0, 0);
    }
    const trm_vec3 apart = trm_touching_velocity(w, touch, false);
    for (int r = 0; r < 3; r++) touch->u[r] = trm_dot(touch->spot.d[r], apart);
    touch->free = trm_touching_velocity(w, touch, true);
    if (touch->law.rolling > 0) {
        touch->turn = trm_touching_turn(w, touch, false);
        touch->free_turn = trm_touching_turn(w, touch, true);
    }
    touch->friction = trm_contact_friction(&touch->law, sqrt(touch->u[1] * touch->u[1] + touch->u[2] * touch->u[2]));
}

static void make_rows(const trm_maximal *w, const trm_touch *touch)
{
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 2; k++) {
            const trm_vec3 d = trm_scale(k ? -1 : 1, touch->spot.d[r]);
            touch->J[2 * r + k] = trm_sp(trm_cross(touch->spot.arm[k], d), d);
            touch->W[2 * r + k] = trm_maximal_response(w, touch->contact.body[k], touch->J[2 * r + k]);
        }
}

bool trm_touching_make_rows(trm_maximal *w, bool piles_too)
{
    trm_touching *t = w->touching;
    int count = 0;
    for (int i = 0; i < t->count; i++) count += piles_too || !t->touches[i].pile;
    if (count > t->rows_room) {
        const int room = trm_arena_ample(count);
        t->rows = trm_arena_move(w->stepper->arena, t->rows, 0, (size_t)room, sizeof *t->rows);
        t->rows_room = t->rows ? room : 0;
        if (!t->rows) return false;
    }
    trm_touch_rows *rows = t->rows;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        if (touch->pile && !piles_too) continue;
        touch->J = rows->J, touch->W = rows->W;
        for (int k = 0; k < 2; k++) rows->body[k] = touch->contact.body[k], rows->shape[k] = touch->contact.shape[k];
        make_rows(w, touch);
        rows++;
    }
    return true;
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

static bool are_of_one_pair(const trm_contact *a, const trm_contact *b)
{
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] && a->shape[0] == b->shape[0] &&
           a->shape[1] == b->shape[1];
}

/* Room for all that were found, and those that are there already. */
static bool make_room(trm_maximal *w)
{
    trm_touching *t = w->touching;
    const int count = t->count + t->found.count, room = trm_arena_ample(count);
    if (count <= t->room) return true;
    trm_touch *touches =
        trm_arena_move(w->stepper->arena, t->touches, (size_t)t->count, (size_t)room, sizeof *touches);
    if (touches || t->count == 0) t->touches = touches;
    if (touches || t->count == 0) t->room = touches ? room : 0;
    return touches;
}

static void add_touch(trm_maximal *w, const trm_contact *contact)
{
    trm_touching *t = w->touching;
    trm_touch *touch = &t->touches[t->count++];
    *touch = (trm_touch){
        .contact = *contact, .slide = INFINITY, .roll = INFINITY, .curved = is_curved(contact), .friction_part = 1};
    touch->law = t->count > 1 && are_of_one_pair(contact, &touch[-1].contact)
                     ? touch[-1].law
                     : trm_contact_law_of(w->stepper->model, contact->body[0], contact->shape[0], contact->body[1],
                                          contact->shape[1]);
    find_spot(w, touch);
}

/* ---- Finding ------------------------------------------------------------------------------ */

/* How far a body may come in a step. */
static double travel_of(const trm_maximal *w, int body, double h)
{
    const trm_model *model = w->stepper->model;
    const trm_spatial V = w->stepper->state->velocity[body];
    const double fall = model->bodies[body].inverse_mass > 0 ? trm_length(model->gravity) * h * h : 0;
    return h * (trm_length(V.lin) + w->touching->reach[body] * trm_length(V.ang)) + fall;
}

/* Contacts of all pairs that stand still, or of all others, within what bodies may travel in a step of length h. */
static bool find_pairs(trm_maximal *w, double h, bool still)
{
    trm_touching *t = w->touching;
    const trm_state *state = w->stepper->state;
    const trm_near_pair *pairs;
    trm_maximal_rows(w);
    t->found.count = 0;
    for (int i = 0; i < state->model->body_count; i++)
        t->travel[i] = h != 0 && isfinite(t->reach[i]) ? travel_of(w, i, h) : 0;
    const int count = trm_near_pairs(t->collider, state->pose, t->travel, t->near, state->attached, &pairs);
    for (int i = 0; i < count; i++) {
        const int *body = pairs[i].body;
        const double margin = t->travel[body[0]] + t->travel[body[1]] + t->near;
        if ((trm_touching_is_still(w, body[0]) && trm_touching_is_still(w, body[1])) != still) continue;
        if (!trm_find_contacts(t->collider, &pairs[i], state->pose, margin, &t->found)) return false;
    }
    return count >= 0;
}

/* Whether any was asleep of all that may be touched, or that are not to sleep. */
static bool wake_found(trm_maximal *w)
{
    const trm_touching *t = w->touching;
    trm_state *state = w->stepper->state;
    const int before = trm_bodies_asleep(state);
    for (int i = 0; before > 0 && i < t->found.count; i++)
        for (int k = 0; k < 2; k++) trm_state_wake(state, t->found.items[i].body[k]);
    for (int i = 0; before > 0 && !t->sleeps && i < state->model->body_count; i++) trm_state_wake(state, i);
    return before > 0 && trm_bodies_asleep(state) < before;
}

/* All contacts of what does not sleep, and wakes what it touches. */
static bool find_near(trm_maximal *w, double h)
{
    w->touching->count = 0;
    do {
        if (!find_pairs(w, h, false)) return false;
    } while (wake_found(w));
    return true;
}

/* m: of all bodies and their shapes; planes have no reach. */
static double largest_coordinate(const trm_maximal *w)
{
    double most = 0;
    for (int i = 0; i < w->stepper->model->body_count; i++) {
        const trm_vec3 p = w->stepper->state->pose[i].p;
        const double reach = isfinite(w->touching->reach[i]) ? w->touching->reach[i] : 0;
        most = fmax(most, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) + reach);
    }
    return most;
}

/* How near is "at the same instant" at the present poses. */
static void find_widths(trm_maximal *w)
{
    const double tolerance = w->stepper->options->position_tolerance;
    const double rounding = DBL_EPSILON * largest_coordinate(w);
    w->touching->striking = fmax(tolerance, ROUNDED_GAP * rounding);
    w->touching->together = fmax(SAME_INSTANT * tolerance, ROUNDED_DIFFERENCE * rounding);
}

bool trm_touching_find(trm_maximal *w, double slowest, double fastest)
{
    trm_touching *t = w->touching;
    t->approached = false;
    find_widths(w);
    if (!find_near(w, 0) || !make_room(w)) return false;
    for (int i = 0; i < t->found.count; i++) {
        add_touch(w, &t->found.items[i]);
        const double u = t->touches[t->count - 1].u[0], gap = t->touches[t->count - 1].at.gap;
        t->approached = t->approached || (u < slowest && gap <= t->striking);
        if (!(u >= slowest && u <= fastest)) t->count--;
    }
    return true;
}

/* All that may come near in a step. */
static bool find_in_window(trm_maximal *w, double h)
{
    trm_touching *t = w->touching;
    if (!find_near(w, fabs(h)) || !make_room(w)) return false;
    const double resting = 2 * trm_length(w->stepper->model->gravity) * fabs(h);
    for (int i = 0; i < t->found.count; i++) {
        add_touch(w, &t->found.items[i]);
        trm_touch *touch = &t->touches[t->count - 1];
        if (touch->u[0] < -resting) touch->rebound = touch->law.restitution * touch->u[0];
    }
    return true;
}

bool trm_touching_find_holding(trm_maximal *w, double h)
{
    w->touching->fitted = w->stepper->state->clock->velocities_fit;
    if (w->stepper->window) return find_in_window(w, h);
    return trm_touching_find(w, -w->touching->still, fmax(w->touching->still, w->stepper->leaving));
}

void trm_touching_follow(trm_maximal *w)
{
    trm_touching *t = w->touching;
    int kept = 0;
    trm_maximal_rows(w);
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[kept];
        if (kept < i) *touch = t->touches[i];
        touch->step = trm_touching_slip_of_step(touch);
        const bool acted = w->stepper->window && touch->lambda[0] > 0;
        find_spot(w, touch);
        kept += t->frozen || touch->at.gap <= (acted ? STILL_TOUCHES : t->near);
    }
    t->count = kept;
}

/* ---- Forces that are known ---------------------------------------------------------------- */

/* The ids of contacts are mixed well: their last bits tell where they belong, else they are behind. */
static int *place_of(const trm_maximal *w, uint64_t id)
{
    const trm_touching *t = w->touching;
    const trm_touched *touched = w->stepper->state->touched;
    const uint64_t mask = (uint64_t)t->known_room - 1;
    uint64_t place = id & mask;
    while (t->known[place] > 0 && touched[t->known[place] - 1].id != id) place = (place + 1) & mask;
    return &t->known[place];
}

/* The table of what is known; false: out of memory. */
static bool list_known(trm_maximal *w)
{
    trm_touching *t = w->touching;
    const int count = (int)w->stepper->state->clock->touched;
    if (t->known_room < 2 * count + 1) {
        int room = 64;
        while (room < 4 * count) room *= 2;
        int *known = TRM_NEW_ARRAY(w->stepper->arena, int, room);
        if (!known) return false;
        t->known = known;
        t->known_room = room;
    }
    memset(t->known, 0, (size_t)t->known_room * sizeof *t->known);
    for (int i = 0; i < count; i++) *place_of(w, w->stepper->state->touched[i].id) = i + 1;
    return true;
}

/* What the state knows of a contact; NULL: nothing. */
static const trm_touched *find_touched(const trm_maximal *w, uint64_t id)
{
    const int known = *place_of(w, id);
    return known > 0 ? &w->stepper->state->touched[known - 1] : NULL;
}

static void begin_with(trm_touch *touch, const trm_touched *known, double span)
{
    const trm_vec3 impulse = trm_scale(span, known->force), turning = trm_scale(span, known->torque);
    touch->lambda[0] = fmax(trm_dot(impulse, touch->spot.d[0]), 0);
    for (int r = 1; r < 3; r++) {
        touch->lambda[r] = trm_dot(impulse, touch->spot.d[r]);
        touch->turn_lambda[r - 1] = trm_dot(turning, touch->spot.d[r]);
    }
}

void trm_touching_recall(trm_maximal *w, double span)
{
    trm_touching *t = w->touching;
    const bool listed = list_known(w); /* else all begin from nothing */
    const trm_touched nothing = {0};
    for (int i = 0; i < t->count; i++) {
        const trm_touched *known = listed ? find_touched(w, t->touches[i].contact.id) : NULL;
        begin_with(&t->touches[i], known ? known : &nothing, span);
    }
}

/* What is known of contacts that sleep goes first; how many there are. */
static int keep_sleeping(trm_maximal *w)
{
    trm_state *state = w->stepper->state;
    int kept = 0;
    for (int i = 0; i < state->clock->touched; i++) {
        const int *body = state->touched[i].body;
        if (trm_touching_is_still(w, body[0]) && trm_touching_is_still(w, body[1]))
            state->touched[kept++] = state->touched[i];
    }
    return kept;
}

void trm_touching_remember(trm_maximal *w, double span)
{
    const trm_touching *t = w->touching;
    trm_state *state = w->stepper->state;
    const int asleep = keep_sleeping(w), room = state->touched_room - asleep;
    const int count = span == 0 ? 0 : t->count < room ? t->count : room;
    trm_state_know_touched(state, asleep + count);
    for (int i = 0; i < count; i++) {
        const trm_touch *touch = &t->touches[i];
        state->touched[asleep + i] = (trm_touched){touch->contact.id,
                                                   {touch->contact.body[0], touch->contact.body[1]},
                                                   trm_scale(1 / span, trm_touching_impulse(touch)),
                                                   trm_scale(1 / span, trm_touching_turning_impulse(touch))};
    }
}

void trm_touching_add_impulses(const trm_touching *t, trm_spatial *wrench)
{
    for (int i = 0; i < t->count; i++) {
        const trm_touch *touch = &t->touches[i];
        const trm_vec3 p = trm_touching_impulse(touch), turning = trm_touching_turning_impulse(touch);
        for (int k = 0; k < 2; k++) {
            trm_spatial *F = &wrench[touch->contact.body[k]];
            *F = trm_sp_add_scaled(*F, k ? -1 : 1, trm_sp(trm_add(trm_cross(touch->spot.arm[k], p), turning), p));
        }
    }
}

void trm_touching_press(trm_maximal *w, trm_spatial *wrench)
{
    trm_touching_recall(w, 1);
    trm_touching_add_impulses(w->touching, wrench);
}

void trm_touching_push(trm_maximal *w)
{
    const int bodies = w->stepper->model->body_count;
    memset(w->pressed, 0, (size_t)bodies * sizeof *w->pressed);
    trm_touching_add_impulses(w->touching, w->pressed);
    for (int i = 0; i < bodies; i++)
        if (w->touching->in_contact[i] && !w->held[i]) trm_maximal_hit(w, i, w->pressed[i]);
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

/* Contacts that sleep, as far as memory goes; behind the others. */
static void add_sleeping(trm_maximal *w)
{
    trm_touching *t = w->touching;
    if (trm_bodies_asleep(w->stepper->state) == 0 || !find_pairs(w, fabs(w->stepper->state->clock->step), true) ||
        !make_room(w))
        return;
    for (int i = 0; i < t->found.count; i++) add_touch(w, &t->found.items[i]);
}

int trm_touching_report(trm_maximal *w, trm_contact_row *rows, int most)
{
    trm_touching *t = w->touching;
    int count = 0;
    trm_touching_forget_strikes(w, w->stepper->state->clock->strikes + 1);
    for (int i = 0; i < t->struck_count; i++, count++)
        if (count < most) rows[count] = t->struck[i];
    t->struck_count = 0;
    if (!list_known(w)) return count;
    const int awake = t->count;
    add_sleeping(w);
    for (int i = 0; i < t->count; i++) {
        const trm_touched *known = find_touched(w, t->touches[i].contact.id);
        if (!known) continue;
        if (count < most) rows[count] = trm_touching_row(w, &t->touches[i], known->force, false);
        count++;
    }
    t->count = awake;
    return count;
}

/* ---- Between steps ------------------------------------------------------------------------ */

bool trm_touching_find_pressed(trm_maximal *w)
{
    trm_touching *t = w->touching;
    int kept = 0;
    if (!find_in_window(w, w->stepper->state->clock->step) || !list_known(w)) return false;
    for (int i = 0; i < t->count; i++) {
        const trm_touched *known = find_touched(w, t->touches[i].contact.id);
        if (t->touches[i].at.gap > t->near && !(known && trm_length(known->force) > 0)) continue;
        t->touches[kept] = t->touches[i];
        t->touches[kept++].rebound = 0;
    }
    t->count = kept;
    return true;
}

/* ---- Holds -------------------------------------------------------------------------------- */

static int count_holds(const trm_maximal *w)
{
    const trm_touching *t = w->touching;
    int count = t->count + w->damper_count;
    for (int i = 0; i < t->count; i++) count += t->touches[i].law.rolling > 0;
    for (int i = 0; i < w->joint_count; i++) count += w->joints[i].on;
    return count;
}

static bool make_room_for_turns(trm_maximal *w)
{
    trm_touching *t = w->touching;
    int count = 0;
    for (int i = 0; i < t->count; i++) count += t->touches[i].law.rolling > 0;
    if (count <= t->turns_room) return true;
    const int room = trm_arena_ample(count);
    t->turns = trm_arena_move(w->stepper->arena, t->turns, 0, (size_t)room, sizeof *t->turns);
    t->turns_room = t->turns ? room : 0;
    return t->turns;
}

/* Rolling friction of all contacts that have it, rows included. */
static void list_turns(trm_maximal *w)
{
    trm_touching *t = w->touching;
    t->turn_count = 0;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        if (!(touch->law.rolling > 0)) continue;
        trm_turn_rows *rows = &t->turns[t->turn_count++];
        for (int r = 0; r < 4; r++) {
            rows->J[r] = trm_sp(trm_scale(r % 2 ? -1 : 1, touch->spot.d[1 + r / 2]), trm_v3(0, 0, 0));
            rows->W[r] = trm_maximal_response(w, touch->contact.body[r % 2], rows->J[r]);
        }
        t->holds[t->hold_count++] = (trm_hold){.law = TRM_DISC,
                                               .rows = 2,
                                               .bodies = 2,
                                               .body = touch->contact.body,
                                               .J = rows->J,
                                               .W = rows->W,
                                               .b = touch->turn_b,
                                               .lambda = touch->turn_lambda,
                                               .friction = touch->law.rolling,
                                               .press = touch->lambda};
    }
}

/* Those that act for the time dt. */
static void list_dampers(trm_maximal *w, double dt)
{
    trm_touching *t = w->touching;
    for (int i = 0; dt != 0 && i < w->damper_count; i++) {
        trm_maximal_damper *d = &w->dampers[i];
        const int *body = w->stepper->model->forces[d->force].body;
        if (!trm_force_acts(w->stepper->state, d->force) || !(t->in_contact[body[0]] || t->in_contact[body[1]]))
            continue;
        d->impulse = 0;
        t->holds[t->hold_count++] = (trm_hold){.law = TRM_PULL,
                                               .rows = 1,
                                               .bodies = 2,
                                               .body = body,
                                               .J = d->row.J,
                                               .W = d->W,
                                               .lambda = &d->impulse,
                                               .pull = &d->row,
                                               .dt = dt};
    }
}

static void list_joint(trm_maximal *w, const trm_maximal_joint *j, double span)
{
    trm_touching *t = w->touching;
    const bool limited = isfinite(j->joint->most);
    trm_hold hold = {.law = limited ? TRM_BOUNDED : TRM_CLOSED};
    if (limited) hold.least = -j->joint->most * fabs(span), hold.most = j->joint->most * fabs(span);
    if (trm_touching_is_engaged(w, j)) hold = trm_touching_bounded_hold(w, j, span);
    hold.driven = j->driven;
    hold.rows = j->joint->rows;
    hold.bodies = j->joint->body_count;
    hold.body = j->joint->body;
    hold.J = j->J;
    hold.W = j->W;
    hold.b = t->joint_b + j->joint->row_offset;
    hold.lambda = t->joint_lambda + j->joint->row_offset;
    t->holds[t->hold_count++] = hold;
}

static bool make_room_for_holds(trm_maximal *w)
{
    trm_touching *t = w->touching;
    trm_arena *arena = w->stepper->arena;
    const int count = count_holds(w);
    const size_t room = (size_t)trm_arena_ample(count);
    if (count <= t->hold_room) return true;
    t->holds = trm_arena_move(arena, t->holds, 0, room, sizeof *t->holds);
    t->islands.holds = trm_arena_move(arena, t->islands.holds, 0, room, sizeof *t->islands.holds);
    t->islands.of_hold = trm_arena_move(arena, t->islands.of_hold, 0, room, sizeof *t->islands.of_hold);
    t->hold_room = t->holds && t->islands.holds && t->islands.of_hold ? (int)room : 0;
    return t->hold_room > 0;
}

bool trm_touching_list_holds(trm_maximal *w, double span, double dt)
{
    trm_touching *t = w->touching;
    if (!make_room_for_holds(w) || !make_room_for_turns(w)) return false;
    t->hold_count = 0;
    for (int i = 0; i < t->count; i++) {
        trm_touch *touch = &t->touches[i];
        t->holds[t->hold_count++] = (trm_hold){.law = TRM_CONE,
                                               .rows = 3,
                                               .bodies = 2,
                                               .body = touch->contact.body,
                                               .spot = &touch->spot,
                                               .b = touch->b,
                                               .lambda = touch->lambda,
                                               .friction = touch->friction};
    }
    list_turns(w);
    for (int i = 0; i < w->joint_count; i++)
        if (w->joints[i].on && trm_touching_has_joint(w, &w->joints[i])) list_joint(w, &w->joints[i], span);
    list_dampers(w, dt);
    return true;
}
