/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts at a pose, their rows, and their forces in the last step.
 *
 *     J_a = (r_a x d, d),  J_b = -(r_b x d, d)   for d = n, t1, t2;   W = M^-1 J^T
 *     J_a = (d, 0),        J_b = -(d, 0)         for d = n of torsional, and d = t1, t2 of rolling friction */

#include "methods/contact/contact_set.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Contacts closer than this multiple of the position tolerance are closed. If it is ten times larger or smaller, a
 * ladder leaves its wall at another height (test methods_lagrange_contact). */
static const double NEAR = 100;
/* In position tolerances: gaps of contacts that meet at the same instant differ by less than this, because joints
 * between them may be open by the tolerance each. A larger value joins successive impacts; with a tenth of it,
 * faces that land flat have one impact per corner (test methods_contact_landings). */
static const double SAME_INSTANT = 10;
/* In roundings of the largest coordinate: the gap of a contact at the time of its impact, and the difference of two
 * such gaps after the rotations of some hundred steps. Larger values report impacts of contacts that are still
 * open, smaller ones miss the impact that a search has just found. Tests pass with a tenth and with ten times of
 * it. */
static const double ROUNDED_GAP = 8, ROUNDED_DIFFERENCE = 256;
/* m: in time-stepping, a contact with a force at the start of a step is closed at its end up to this gap, which the
 * look-ahead does not resolve. A larger value keeps forces of contacts that have opened; with a smaller one
 * contacts at rest lose their initial values, and piles tremble. Tests pass with a tenth and with ten times of it. */
static const double STILL_CLOSED = 1e-5;
/* m: in time-stepping, bodies that were not known to approach may meet by this much in a step. A larger value shows as
 * overlap, a smaller one repeats steps because of tolerances. Tests pass with a tenth and with ten times of it. */
static const double UNFORESEEN = 1e-6;

/* Allocates memory for the islands. Returns false if there is none. */
static bool make_islands(trm_contact_set *t, trm_arena *arena, int bodies)
{
    t->islands = (trm_islands){.of = TRM_NEW_ARRAY(arena, int, bodies),
                               .parent = TRM_NEW_ARRAY(arena, int, bodies),
                               .first_body = TRM_NEW_ARRAY(arena, int, bodies + 1),
                               .changed = TRM_NEW_ARRAY(arena, bool, bodies),
                               .solved = TRM_NEW_ARRAY(arena, bool, bodies),
                               .swept = TRM_NEW_ARRAY(arena, bool, bodies),
                               .rough = TRM_NEW_ARRAY(arena, bool, bodies),
                               .failed = TRM_NEW_ARRAY(arena, bool, bodies),
                               .bodies = TRM_NEW_ARRAY(arena, int, bodies),
                               .first_constraint = TRM_NEW_ARRAY(arena, int, bodies + 1)};
    const trm_islands *i = &t->islands;
    return i->of && i->parent && i->first_body && i->changed && i->solved && i->swept && i->rough && i->failed &&
           i->bodies && i->first_constraint;
}

trm_contact_set *trm_contact_set_create(trm_maximal *w, trm_collider *collider)
{
    trm_arena *arena = w->stepper->arena;
    trm_contact_set *t = TRM_NEW(arena, trm_contact_set);
    if (!t) return NULL;
    t->collider = collider;
    t->scale.near = NEAR * w->stepper->options->position_tolerance;
    t->scale.still = TRM_STILL;
    const int bodies = w->stepper->model->body_count;
    t->joint_b = TRM_NEW_ARRAY(arena, double, w->stepper->model->row_count);
    t->joint_lambda = TRM_NEW_ARRAY(arena, double, w->stepper->model->row_count);
    t->reach = TRM_NEW_ARRAY(arena, double, bodies);
    t->travel = TRM_NEW_ARRAY(arena, double, bodies);
    t->log.impacts = TRM_NEW_ARRAY(arena, trm_contact_row, TRM_IMPACTS_KEPT);
    t->start.velocity = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    t->start.given = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    t->start.mode = TRM_NEW_ARRAY(arena, signed char, w->stepper->model->joint_count);
    t->ledger = TRM_NEW_ARRAY(arena, trm_ledger, bodies);
    t->seen = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    t->log.bounces = TRM_NEW_ARRAY(arena, trm_bounce, TRM_BOUNCES_KEPT);
    w->contact_set = t;
    if (!make_islands(t, arena, bodies) || !trm_contact_set_prepare_rest(w) || !trm_contact_set_prepare_islands(w) ||
        !trm_contact_set_prepare_bounded(w))
        return NULL;
    for (int i = 0; t->reach && i < bodies; i++) t->reach[i] = trm_body_reach(&w->stepper->model->bodies[i]);
    return t->joint_b && t->joint_lambda && t->reach && t->travel && t->log.impacts && t->start.velocity &&
                   t->start.given && t->start.mode && t->ledger && t->seen && t->log.bounces
               ? t
               : NULL;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Finds two unit vectors orthogonal to n that change little if n does. */
static void find_tangents(trm_vec3 n, trm_vec3 tangent[2])
{
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const trm_vec3 other = trm_axis(x <= y && x <= z ? 0 : y <= z ? 1 : 2);
    tangent[0] = trm_v3_unit(trm_v3_cross(n, other));
    tangent[1] = trm_v3_cross(n, tangent[0]);
}

trm_vec3 trm_contact_set_velocity(const trm_maximal *w, const trm_step_contact *contact, bool free)
{
    trm_vec3 apart = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const int body = contact->features.body[k];
        const trm_spatial V = w->stepper->state->velocity[body];
        if (!free || !w->held[body])
            apart =
                trm_v3_add_scaled(apart, k ? -1 : 1, trm_v3_add(V.lin, trm_v3_cross(V.ang, contact->frame.arm[k])));
    }
    return apart;
}

trm_vec3 trm_contact_set_turn(const trm_maximal *w, const trm_step_contact *contact, bool free)
{
    trm_vec3 apart = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const int body = contact->features.body[k];
        if (!free || !w->held[body])
            apart = trm_v3_add_scaled(apart, k ? -1 : 1, w->stepper->state->velocity[body].ang);
    }
    return apart;
}

/* Returns the impulse of a contact on its first body, N s. */
trm_vec3 trm_contact_set_impulse(const trm_step_contact *contact)
{
    trm_vec3 p = trm_v3_scale(contact->lambda[0], contact->frame.d[0]);
    for (int r = 1; r < 3; r++) p = trm_v3_add_scaled(p, contact->lambda[r], contact->frame.d[r]);
    return p;
}

/* Returns the impulse of its torsional and rolling friction, N m s. */
trm_vec3 trm_contact_set_turning_impulse(const trm_step_contact *contact)
{
    const double *lambda = contact->details->turning.lambda;
    if (!trm_contact_resists_turning(&contact->law)) return trm_v3(0, 0, 0);
    const trm_vec3 rolling =
        trm_v3_add_scaled(trm_v3_scale(lambda[1], contact->frame.d[1]), lambda[2], contact->frame.d[2]);
    return trm_v3_add_scaled(rolling, lambda[0], contact->frame.d[0]);
}

bool trm_contact_set_is_still(const trm_maximal *w, int body)
{
    const trm_body *b = &w->stepper->model->bodies[body];
    return trm_body_sleeps(w->stepper->state, body) || (b->inverse_mass == 0 && !b->motion);
}

/* Computes the contact frame and the speeds of a contact at the present pose. */
static void find_contact_frame(const trm_maximal *w, trm_step_contact *contact)
{
    const trm_pose *pose = w->stepper->state->pose;
    const int *body = contact->features.body;
    contact->at = trm_contact_at_poses(&contact->features, pose[body[0]], pose[body[1]]);
    const trm_vec3 where = trm_v3_scale(
        0.5, trm_v3_add(contact->at.point[0],
                        contact->at.point[1])); /* the same point for both bodies, so that there is no net torque */
    contact->frame.d[0] = contact->at.normal;
    find_tangents(contact->at.normal, contact->frame.d + 1);
    for (int k = 0; k < 2; k++) {
        const bool turns = w->stepper->model->bodies[body[k]].kind != TRM_BODY_POINT;
        contact->frame.arm[k] = turns ? trm_v3_sub(where, pose[body[k]].p) : trm_v3(0, 0, 0);
    }
    const trm_vec3 apart = trm_contact_set_velocity(w, contact, false);
    for (int r = 0; r < 3; r++) contact->u[r] = trm_v3_dot(contact->frame.d[r], apart);
    contact->free = w->held[body[0]] || w->held[body[1]] ? trm_contact_set_velocity(w, contact, true) : apart;
    if (trm_contact_resists_turning(&contact->law)) {
        contact->details->turn = trm_contact_set_turn(w, contact, false);
        contact->details->free_turn = trm_contact_set_turn(w, contact, true);
    }
    contact->friction.mu =
        trm_contact_friction(&contact->law, sqrt(contact->u[1] * contact->u[1] + contact->u[2] * contact->u[2]));
}

static void make_rows(const trm_maximal *w, const trm_step_contact *contact)
{
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 2; k++) {
            const trm_vec3 d = trm_v3_scale(k ? -1 : 1, contact->frame.d[r]);
            contact->J[2 * r + k] = trm_sp(trm_v3_cross(contact->frame.arm[k], d), d);
            contact->W[2 * r + k] = trm_maximal_response(w, contact->features.body[k], contact->J[2 * r + k]);
        }
}

bool trm_contact_set_make_rows(trm_maximal *w, bool piles_too)
{
    trm_contact_set *t = w->contact_set;
    int count = 0;
    for (int i = 0; i < t->count; i++) count += piles_too || !t->contacts[i].pile;
    if (count > t->memory.room) {
        const int room = trm_arena_ample(count);
        t->memory.rows = trm_arena_move(w->stepper->arena, t->memory.rows, 0, (size_t)room, sizeof *t->memory.rows);
        t->memory.room = t->memory.rows ? room : 0;
        if (!t->memory.rows) return false;
    }
    trm_contact_rows *rows = t->memory.rows;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        if (contact->pile && !piles_too) continue;
        contact->J = rows->J, contact->W = rows->W;
        for (int k = 0; k < 2; k++)
            rows->body[k] = contact->features.body[k], rows->shape[k] = contact->features.shape[k];
        make_rows(w, contact);
        rows++;
    }
    return true;
}

/* Returns whether the contact point moves over a surface. Only corners are fixed in their bodies. */
static bool is_curved(const trm_contact *contact)
{
    for (int k = 0; k < 2; k++)
        if (contact->feature[k].kind == TRM_FEATURE_CIRCLE || contact->feature[k].kind == TRM_FEATURE_ELLIPSOID ||
            (contact->feature[k].kind != TRM_FEATURE_PLANE && contact->feature[k].radius > 0))
            return true;
    return false;
}

static bool are_of_one_pair(const trm_contact *a, const trm_contact *b)
{
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] && a->shape[0] == b->shape[0] &&
           a->shape[1] == b->shape[1];
}

/* Allocates memory for the contacts that were found and those that exist already. Returns false if out of memory. */
static bool make_room(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    trm_arena *arena = w->stepper->arena;
    const int count = t->count + t->found.count, kept = t->count > 0 ? t->room : 0, room = trm_arena_ample(count);
    const trm_contact_details *before = t->memory.details;
    if (count <= t->room) return true;
    t->room = kept;
    trm_step_contact *contacts = trm_arena_move(arena, t->contacts, (size_t)kept, (size_t)room, sizeof *contacts);
    if (contacts || kept == 0) t->contacts = contacts;
    trm_contact_details *details =
        contacts ? trm_arena_move(arena, t->memory.details, (size_t)kept, (size_t)room, sizeof *details) : NULL;
    if (details || (contacts && kept == 0)) t->memory.details = details;
    if (!details) return false;
    for (int i = 0; i < room; i++) contacts[i].details = details + (i < kept ? contacts[i].details - before : i);
    t->room = room;
    return true;
}

static trm_step_contact *add_contact(trm_maximal *w, const trm_contact *features)
{
    trm_contact_set *t = w->contact_set;
    trm_step_contact *contact = &t->contacts[t->count++];
    *contact = (trm_step_contact){.features = *features,
                                  .slide = INFINITY,
                                  .curved = is_curved(features),
                                  .friction.part = 1,
                                  .details = contact->details};
    contact->law = t->count > 1 && are_of_one_pair(features, &contact[-1].features)
                       ? contact[-1].law
                       : trm_contact_law_of(w->stepper->model, features->body[0], features->shape[0],
                                            features->body[1], features->shape[1]);
    if (trm_contact_resists_turning(&contact->law))
        contact->details->turning = (trm_contact_turning){.ends = INFINITY};
    t->mu_varies = (t->count > 1 && t->mu_varies) || contact->law.speed_count > 0;
    find_contact_frame(w, contact);
    return contact;
}

/* ---- Finding ------------------------------------------------------------------------------ */

/* Returns the largest distance that a body may travel in a step. */
static double travel_of(const trm_maximal *w, int body, double h)
{
    const trm_model *model = w->stepper->model;
    const trm_spatial V = w->stepper->state->velocity[body];
    const double fall = model->bodies[body].inverse_mass > 0 ? trm_v3_length(model->gravity) * h * h : 0;
    return h * (trm_v3_length(V.lin) + w->contact_set->reach[body] * trm_v3_length(V.ang)) + fall;
}

/* Computes how far each body may travel in a step of length h. In a repeated step it is at least what the first try
 * has shown. */
static void find_travel(trm_maximal *w, double h)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < w->stepper->state->model->body_count; i++) {
        const double travel = h != 0 && isfinite(t->reach[i]) ? travel_of(w, i, h) : 0;
        t->travel[i] = t->repeats && h != 0 ? fmax(travel, t->travel[i]) : travel;
    }
}

/* Pairs of bodies whose contacts are sought. */
typedef enum pairs_sought {
    AWAKE,   /* one of them is not still */
    STILL,   /* both are still */
    FARTHER, /* one of them travels farther in the look-ahead than was expected */
} pairs_sought;

static bool is_sought(const trm_maximal *w, const int body[2], pairs_sought which)
{
    const bool *farther = w->contact_set->marks.farther;
    if (which == FARTHER) return farther[body[0]] || farther[body[1]];
    return (trm_contact_set_is_still(w, body[0]) && trm_contact_set_is_still(w, body[1])) == (which == STILL);
}

/* Finds the contacts of some pairs within the distance that bodies may travel. */
static bool find_pairs(trm_maximal *w, pairs_sought which)
{
    trm_contact_set *t = w->contact_set;
    const trm_state *state = w->stepper->state;
    const trm_near_pair *pairs;
    trm_maximal_rows(w);
    t->found.count = 0;
    const int count = trm_near_pairs(t->collider, state->pose, t->travel, t->scale.near, state->attached, &pairs);
    for (int i = 0; i < count; i++) {
        const int *body = pairs[i].body;
        const double margin = t->travel[body[0]] + t->travel[body[1]] + t->scale.near;
        if (!is_sought(w, body, which)) continue;
        if (!trm_find_contacts(t->collider, &pairs[i], state->pose, margin, &t->found)) return false;
    }
    return count >= 0;
}

/* Wakes all bodies that may be in contact, and all bodies if sleep is off. Returns whether any woke. */
static bool wake_found(trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    trm_state *state = w->stepper->state;
    const int before = trm_bodies_asleep(state);
    for (int i = 0; before > 0 && i < t->found.count; i++)
        for (int k = 0; k < 2; k++) trm_state_wake(state, t->found.items[i].body[k]);
    for (int i = 0; before > 0 && !t->rest.sleeps && i < state->model->body_count; i++) trm_state_wake(state, i);
    return before > 0 && trm_bodies_asleep(state) < before;
}

/* Returns the largest coordinate of all bodies and their shapes, m; planes do not count. */
static double largest_coordinate(const trm_maximal *w)
{
    double most = 0;
    for (int i = 0; i < w->stepper->model->body_count; i++) {
        const trm_vec3 p = w->stepper->state->pose[i].p;
        const double reach = isfinite(w->contact_set->reach[i]) ? w->contact_set->reach[i] : 0;
        most = fmax(most, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) + reach);
    }
    return most;
}

/* Sets the distances that count as "at the same instant" at the present poses. */
static void find_widths(trm_maximal *w)
{
    const double tolerance = w->stepper->options->position_tolerance;
    const double rounding = DBL_EPSILON * largest_coordinate(w);
    w->contact_set->scale.impact_gap = fmax(tolerance, ROUNDED_GAP * rounding);
    w->contact_set->scale.together = fmax(SAME_INSTANT * tolerance, ROUNDED_DIFFERENCE * rounding);
}

/* Finds all contacts of awake bodies, and wakes the bodies with which they may collide. Returns false if out of
 * memory. */
static bool find_near(trm_maximal *w, double h)
{
    w->contact_set->count = 0;
    find_widths(w);
    do {
        find_travel(w, h);
        if (!find_pairs(w, AWAKE)) return false;
    } while (wake_found(w));
    return true;
}

bool trm_contact_set_find(trm_maximal *w, double slowest, double fastest)
{
    trm_contact_set *t = w->contact_set;
    t->approached = false;
    if (!find_near(w, 0) || !make_room(w)) return false;
    for (int i = 0; i < t->found.count; i++) {
        const trm_step_contact *contact = add_contact(w, &t->found.items[i]);
        t->approached = t->approached || (contact->u[0] < slowest && contact->at.gap <= t->scale.impact_gap);
        if (!(contact->u[0] >= slowest && contact->u[0] <= fastest)) t->count--;
    }
    return true;
}

/* Returns the quantities at the start of a step that its end needs. Called before the contact moves to the pose at
 * the end. */
static trm_step_slip slip_of_step(const trm_step_contact *contact)
{
    const trm_vec3 *d = contact->frame.d;
    const trm_contact_details *details = contact->details;
    const bool turns = trm_contact_resists_turning(&contact->law);
    const trm_vec3 slip = trm_v3_add_scaled(trm_v3_scale(contact->u[1], d[1]), contact->u[2], d[2]);
    return (trm_step_slip){.slip = contact->keeps_sliding ? slip : trm_v3(0, 0, 0),
                           .turn = turns && details->turning.roll_lasts ? details->turn : trm_v3(0, 0, 0),
                           .spin = turns && details->turning.spin_lasts ? trm_v3_dot(details->turn, d[0]) : 0,
                           .normal = d[0]};
}

void trm_contact_set_follow(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    int kept = 0;
    trm_maximal_rows(w);
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[kept];
        if (kept < i) trm_contact_set_move(t, i, kept);
        if (!w->stepper->window) contact->details->step = slip_of_step(contact);
        contact->friction.of_step = contact->friction.mu;
        contact->known = true;
        const bool acted = w->stepper->window && contact->lambda[0] > 0;
        find_contact_frame(w, contact);
        kept += t->modes.frozen || (acted && contact->impacts) ||
                contact->at.gap <= (acted ? STILL_CLOSED : t->scale.near);
    }
    t->count = kept;
}

/* ---- Forces of the last step ---------------------------------------------------------------- */

/* Returns the place of a contact in the hash table. Ids are well mixed, so that their last bits are the hash;
 * collisions go to the next free place. */
static int *place_of(const trm_maximal *w, uint64_t id)
{
    const trm_contact_set *t = w->contact_set;
    const trm_stored_contact *stored = w->stepper->state->contacts;
    const uint64_t mask = (uint64_t)t->known.room - 1;
    uint64_t place = id & mask;
    while (t->known.table[place] > 0 && stored[t->known.table[place] - 1].id != id) place = (place + 1) & mask;
    return &t->known.table[place];
}

/* Fills the hash table of known contacts. Returns false if out of memory. */
static bool list_known(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    const int count = (int)w->stepper->state->clock->contact_count;
    if (t->known.room < 2 * count + 1) {
        int room = 64;
        while (room < 4 * count) room *= 2;
        int *known = TRM_NEW_ARRAY(w->stepper->arena, int, room);
        if (!known) return false;
        t->known.table = known;
        t->known.room = room;
    }
    memset(t->known.table, 0, (size_t)t->known.room * sizeof *t->known.table);
    for (int i = 0; i < count; i++) *place_of(w, w->stepper->state->contacts[i].id) = i + 1;
    return true;
}

/* Returns the stored forces of a contact; NULL: the state has none. */
static const trm_stored_contact *find_stored_contact(const trm_maximal *w, uint64_t id)
{
    const int known = *place_of(w, id);
    return known > 0 ? &w->stepper->state->contacts[known - 1] : NULL;
}

/* Returns whether a contact pressed in the last step, and the velocities contain the forces of its second half, which
 * the contact has not yet balanced. It approaches, but this is no impact. */
static bool is_pressed(trm_maximal *w, const trm_step_contact *contact, bool *listed)
{
    if (w->contact_set->projected || !(*listed = *listed || list_known(w))) return false;
    const trm_stored_contact *known = find_stored_contact(w, contact->features.id);
    return known && trm_v3_length(known->force) > 0;
}

/* Finds all contacts that may close in a step of time-stepping. */
static bool find_in_window(trm_maximal *w, double h)
{
    trm_contact_set *t = w->contact_set;
    bool listed = false;
    if (!find_near(w, fabs(h)) || !make_room(w)) return false;
    const double resting = 2 * trm_v3_length(w->stepper->model->gravity) * fabs(h);
    for (int i = 0; i < t->found.count; i++) {
        trm_step_contact *contact = add_contact(w, &t->found.items[i]);
        contact->impacts = contact->u[0] < -resting && !is_pressed(w, contact, &listed);
        if (contact->impacts) contact->rebound = contact->law.restitution * contact->u[0];
    }
    return true;
}

bool trm_contact_set_find_closed(trm_maximal *w, double h)
{
    w->contact_set->projected = w->stepper->state->clock->velocities_projected;
    if (w->stepper->window) return find_in_window(w, h);
    return trm_contact_set_find(w, -w->contact_set->scale.still,
                                fmax(w->contact_set->scale.still, w->stepper->leaving));
}

static void set_initial_impulses(trm_step_contact *contact, const trm_stored_contact *known, double span)
{
    const trm_vec3 impulse = trm_v3_scale(span, known->force), turning = trm_v3_scale(span, known->torque);
    contact->lambda[0] = fmax(trm_v3_dot(impulse, contact->frame.d[0]), 0);
    for (int r = 1; r < 3; r++) contact->lambda[r] = trm_v3_dot(impulse, contact->frame.d[r]);
    for (int r = 0; trm_contact_resists_turning(&contact->law) && r < 3; r++)
        contact->details->turning.lambda[r] = trm_v3_dot(turning, contact->frame.d[r]);
}

/* Most contacts have the same order as in the last step. Only the others are looked up in the hash table. */
void trm_contact_set_recall(trm_maximal *w, double span)
{
    trm_contact_set *t = w->contact_set;
    const trm_stored_contact nothing = {0}, *stored = w->stepper->state->contacts;
    const trm_stored_contact *next = stored, *end = stored + w->stepper->state->clock->contact_count;
    bool tried = false, listed = false; /* without the hash table all others start from zero */
    for (int i = 0; i < t->count; i++) {
        const uint64_t id = t->contacts[i].features.id;
        const trm_stored_contact *known = next < end && next->id == id ? next : NULL;
        if (!known && !tried) tried = true, listed = list_known(w);
        if (!known && listed) known = find_stored_contact(w, id);
        if (known) next = known + 1;
        set_initial_impulses(&t->contacts[i], known ? known : &nothing, span);
    }
}

/* Moves the known contacts of sleeping bodies to the front. Returns their number. */
static int keep_sleeping(trm_maximal *w)
{
    trm_state *state = w->stepper->state;
    int kept = 0;
    for (int i = 0; i < state->clock->contact_count; i++) {
        const int *body = state->contacts[i].body;
        if (trm_contact_set_is_still(w, body[0]) && trm_contact_set_is_still(w, body[1]))
            state->contacts[kept++] = state->contacts[i];
    }
    return kept;
}

void trm_contact_set_remember(trm_maximal *w, double span)
{
    const trm_contact_set *t = w->contact_set;
    trm_state *state = w->stepper->state;
    const int asleep = keep_sleeping(w), room = state->stored_contact_room - asleep;
    const int count = span == 0 ? 0 : t->count < room ? t->count : room;
    trm_state_set_contact_count(state, asleep + count);
    for (int i = 0; i < count; i++) {
        const trm_step_contact *contact = &t->contacts[i];
        state->contacts[asleep + i] =
            (trm_stored_contact){contact->features.id,
                                 {contact->features.body[0], contact->features.body[1]},
                                 trm_v3_scale(1 / span, trm_contact_set_impulse(contact)),
                                 trm_v3_scale(1 / span, trm_contact_set_turning_impulse(contact))};
    }
}

void trm_contact_set_add_impulses(const trm_contact_set *t, trm_spatial *wrench)
{
    for (int i = 0; i < t->count; i++) {
        const trm_step_contact *contact = &t->contacts[i];
        if (!trm_contact_set_acts(contact)) continue;
        const trm_vec3 p = trm_contact_set_impulse(contact), turning = trm_contact_set_turning_impulse(contact);
        for (int k = 0; k < 2; k++) {
            trm_spatial *F = &wrench[contact->features.body[k]];
            *F = trm_sp_add_scaled(*F, k ? -1 : 1,
                                   trm_sp(trm_v3_add(trm_v3_cross(contact->frame.arm[k], p), turning), p));
        }
    }
}

void trm_contact_set_add_wrenches(trm_maximal *w, trm_spatial *wrench)
{
    trm_contact_set_recall(w, 1);
    trm_contact_set_add_impulses(w->contact_set, wrench);
}

void trm_contact_set_apply_impulses(trm_maximal *w)
{
    const int bodies = w->stepper->model->body_count;
    memset(w->accelerations.contact_wrench, 0, (size_t)bodies * sizeof *w->accelerations.contact_wrench);
    trm_contact_set_add_impulses(w->contact_set, w->accelerations.contact_wrench);
    for (int i = 0; i < bodies; i++)
        if (w->contact_set->marks.body[i] && !w->held[i])
            trm_maximal_apply_impulse(w, i, w->accelerations.contact_wrench[i]);
}

/* ---- Reports -------------------------------------------------------------------------------- */

trm_contact_row trm_contact_set_row(const trm_maximal *w, const trm_step_contact *contact, trm_vec3 on_first,
                                    bool impact)
{
    return (trm_contact_row){.time = w->stepper->state->clock->time,
                             .impact = impact,
                             .body = {contact->features.body[0], contact->features.body[1]},
                             .point = trm_v3_scale(0.5, trm_v3_add(contact->at.point[0], contact->at.point[1])),
                             .normal = trm_v3_sub(trm_v3(0, 0, 0), contact->at.normal),
                             .gap = contact->at.gap,
                             .force = trm_v3_sub(trm_v3(0, 0, 0), on_first)};
}

/* Adds the contacts of sleeping bodies after the others, as far as memory permits. */
static void add_sleeping(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    if (trm_bodies_asleep(w->stepper->state) == 0) return;
    find_travel(w, fabs(w->stepper->state->clock->step));
    if (!find_pairs(w, STILL) || !make_room(w)) return;
    for (int i = 0; i < t->found.count; i++) add_contact(w, &t->found.items[i]);
}

int trm_contact_set_report(trm_maximal *w, trm_contact_row *rows, int most)
{
    trm_contact_set *t = w->contact_set;
    int count = 0;
    trm_contact_set_forget_impacts(w, w->stepper->state->clock->impact_count + 1);
    for (int i = 0; i < t->log.impact_count; i++, count++)
        if (count < most) rows[count] = t->log.impacts[i];
    t->log.impact_count = 0;
    if (!list_known(w)) return count;
    const int awake = t->count;
    add_sleeping(w);
    for (int i = 0; i < t->count; i++) {
        const trm_stored_contact *known = find_stored_contact(w, t->contacts[i].features.id);
        if (!known) continue;
        if (count < most) rows[count] = trm_contact_set_row(w, &t->contacts[i], known->force, false);
        count++;
    }
    t->count = awake;
    return count;
}

/* ---- Between steps ------------------------------------------------------------------------ */

bool trm_contact_set_find_loaded(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    int kept = 0;
    if (!find_in_window(w, w->stepper->state->clock->step) || !list_known(w)) return false;
    for (int i = 0; i < t->count; i++) {
        const trm_stored_contact *known = find_stored_contact(w, t->contacts[i].features.id);
        if (t->contacts[i].at.gap > t->scale.near && !(known && trm_v3_length(known->force) > 0)) continue;
        if (kept < i) trm_contact_set_move(t, i, kept);
        t->contacts[kept++].rebound = 0;
    }
    t->count = kept;
    return true;
}

/* ---- Contacts that were not foreseen -------------------------------------------------------- */

/* Raises the travel of bodies to that of the look-ahead, and marks those that travel farther than was expected. Two
 * bodies that are not marked cannot meet by UNFORESEEN if they were out of reach. Returns whether any is marked. */
static bool raise_travel(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    const trm_state *state = w->stepper->state;
    bool any = false;
    for (int i = 0; i < state->model->body_count; i++) {
        t->marks.farther[i] = false;
        if (!isfinite(t->reach[i]) || trm_contact_set_is_still(w, i)) continue;
        trm_maximal_update_look_ahead(w, i);
        const double way = trm_v3_length(trm_v3_sub(w->look.ahead[i].p, state->pose[i].p)) +
                           t->reach[i] * fabs(w->look.h) * trm_v3_length(state->velocity[i].ang);
        t->marks.farther[i] = way > t->travel[i] + 0.5 * UNFORESEEN;
        any = any || t->marks.farther[i];
        t->travel[i] = fmax(t->travel[i], way);
    }
    return any;
}

bool trm_contact_set_find_unforeseen(trm_maximal *w, bool *any)
{
    trm_contact_set *t = w->contact_set;
    const bool farther = raise_travel(w);
    *any = trm_contact_set_passes_bound(w);
    if (*any || !farther) return true;
    if (!find_pairs(w, FARTHER) || (t->found.count > 0 && !list_known(w))) return false;
    for (int i = 0; i < t->found.count && !*any; i++) {
        const trm_contact *contact = &t->found.items[i];
        const trm_pose *ahead = w->look.ahead;
        if (find_stored_contact(w, contact->id)) continue;
        *any = trm_contact_at_poses(contact, ahead[contact->body[0]], ahead[contact->body[1]]).gap < -UNFORESEEN;
    }
    return true;
}

/* ---- Constraints ---------------------------------------------------------------------------- */

static int count_constraints(const trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    int count = t->count + w->dampers.count;
    for (int i = 0; i < t->count; i++) count += (t->contacts[i].law.torsional > 0) + (t->contacts[i].law.rolling > 0);
    for (int i = 0; i < w->joint_count; i++) count += w->joints[i].on;
    return count;
}

static bool make_room_for_turns(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    int count = 0;
    for (int i = 0; i < t->count; i++) count += trm_contact_resists_turning(&t->contacts[i].law);
    if (count <= t->memory.turns_room) return true;
    const int room = trm_arena_ample(count);
    t->memory.turns = trm_arena_move(w->stepper->arena, t->memory.turns, 0, (size_t)room, sizeof *t->memory.turns);
    t->memory.turns_room = t->memory.turns ? room : 0;
    return t->memory.turns;
}

/* Adds the friction about `rows` directions of the contact frame, from direction `first` on, unless its lever arm
 * is 0. */
static void list_turn(trm_contact_set *t, trm_step_contact *contact, const trm_turning_rows *of, int first, int rows,
                      double arm)
{
    if (!(arm > 0)) return;
    t->constraints[t->constraint_count++] = (trm_constraint){.law = TRM_DISC,
                                                             .rows = rows,
                                                             .bodies = 2,
                                                             .body = contact->features.body,
                                                             .J = of->J + 2 * first,
                                                             .W = of->W + 2 * first,
                                                             .b = contact->details->turning.b + first,
                                                             .lambda = contact->details->turning.lambda + first,
                                                             .friction = arm,
                                                             .normal = contact->lambda};
    t->memory.turn_count++;
}

/* Lists the torsional and the rolling friction of all contacts that have it, with its rows. */
static void list_turns(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    trm_turning_rows *rows = t->memory.turns;
    t->memory.turn_count = 0;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        if (!trm_contact_resists_turning(&contact->law)) continue;
        contact->details->turning.first = t->constraint_count;
        for (int r = 0; r < 6; r++) {
            rows->J[r] = trm_sp(trm_v3_scale(r % 2 ? -1 : 1, contact->frame.d[r / 2]), trm_v3(0, 0, 0));
            rows->W[r] = trm_maximal_response(w, contact->features.body[r % 2], rows->J[r]);
        }
        list_turn(t, contact, rows, 0, 1, contact->law.torsional);
        list_turn(t, contact, rows, 1, 2, contact->law.rolling);
        rows++;
    }
}

/* Lists the dampers that act for the time dt. */
static void list_dampers(trm_maximal *w, double dt)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; dt != 0 && i < w->dampers.count; i++) {
        trm_maximal_damper *d = &w->dampers.list[i];
        const trm_force *force = trm_maximal_force_of(w, d);
        const bool marked = trm_contact_set_marks_any(t, force->body, force->body_count);
        if (!trm_force_acts(w->stepper->state, d->force) || !marked) continue;
        d->impulse = 0;
        t->constraints[t->constraint_count++] = (trm_constraint){.law = TRM_PULL,
                                                                 .rows = 1,
                                                                 .bodies = force->body_count,
                                                                 .body = force->body,
                                                                 .J = d->row.J,
                                                                 .W = d->W,
                                                                 .lambda = &d->impulse,
                                                                 .pull = &d->row,
                                                                 .dt = dt};
    }
}

static void list_joint(trm_maximal *w, const trm_maximal_joint *j, double span)
{
    trm_contact_set *t = w->contact_set;
    const bool limited = isfinite(j->joint->most);
    trm_constraint constraint = {.law = limited ? TRM_BOUNDED : TRM_CLOSED};
    if (limited) constraint.least = -j->joint->most * fabs(span), constraint.most = j->joint->most * fabs(span);
    if (trm_contact_set_is_engaged(w, j)) constraint = trm_contact_set_bounded_constraint(w, j, span);
    constraint.driven = j->driven;
    constraint.rows = j->joint->rows;
    constraint.bodies = j->joint->body_count;
    constraint.body = j->joint->body;
    constraint.J = j->J;
    constraint.W = j->W;
    constraint.b = t->joint_b + j->joint->row_offset;
    constraint.lambda = t->joint_lambda + j->joint->row_offset;
    t->constraints[t->constraint_count++] = constraint;
}

static bool make_room_for_constraints(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    trm_arena *arena = w->stepper->arena;
    const int count = count_constraints(w);
    const size_t room = (size_t)trm_arena_ample(count);
    if (count <= t->constraint_room) return true;
    t->constraints = trm_arena_move(arena, t->constraints, 0, room, sizeof *t->constraints);
    t->islands.constraints = trm_arena_move(arena, t->islands.constraints, 0, room, sizeof *t->islands.constraints);
    t->islands.of_constraint =
        trm_arena_move(arena, t->islands.of_constraint, 0, room, sizeof *t->islands.of_constraint);
    t->constraint_room = t->constraints && t->islands.constraints && t->islands.of_constraint ? (int)room : 0;
    return t->constraint_room > 0;
}

bool trm_contact_set_list_constraints(trm_maximal *w, double span, double dt)
{
    trm_contact_set *t = w->contact_set;
    if (!make_room_for_constraints(w) || !make_room_for_turns(w)) return false;
    t->constraint_count = 0;
    for (int i = 0; i < t->count; i++) {
        trm_step_contact *contact = &t->contacts[i];
        t->constraints[t->constraint_count++] = (trm_constraint){.law = TRM_CONE,
                                                                 .rows = 3,
                                                                 .bodies = 2,
                                                                 .body = contact->features.body,
                                                                 .frame = &contact->frame,
                                                                 .b = contact->b,
                                                                 .lambda = contact->lambda,
                                                                 .friction = contact->friction.mu};
    }
    list_turns(w);
    for (int i = 0; i < w->joint_count; i++)
        if (w->joints[i].on && trm_contact_set_has_joint(w, &w->joints[i])) list_joint(w, &w->joints[i], span);
    list_dampers(w, dt);
    return true;
}
