/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Limits, ropes, motors and friction in joints as rows of a time-stepping step (Stewart, Trinkle 1996; Anitescu,
 * Potra 1997).
 *
 * Between events such a joint has a mode: slack or held, sticking or slipping (sim/events.c). In a time-stepping step
 * it has none. Its row has bounds for its impulse, and is solved together with all contacts and joints of its island
 * (problem.h, bounded):
 *
 *     limit, rope        c(t+h) <= 0,             -inf <= lambda <= 0
 *     motor, friction    q(t+h) - q(t) = v h,     -F dt <= lambda <= F dt
 *
 * The position of a sticking motor or friction is measured from the position where it began to stick. A row is
 * engaged if a limit or rope may reach its bound in the step, and always if its force is limited. A row that has
 * reached its bound fast gets its rebound e u at the end of the step. After the step its mode is derived from its
 * impulse, because reports, the memory of the joint and its forces need it. */

#include <string.h>

#include "methods/contact/contact_set.h"

/* A limit is engaged if its distance is at most IN_REACH times the travel of its bodies in the step. In an active
 * island the factor is IN_REACH_BY_IMPACT, and limits within NEAR_ANGLE (rad) are engaged, too, because an impact
 * may turn a body at once. Larger factors engage limits that are not reached, which costs time; smaller ones let a
 * joint pass its limit by a step. Tests pass with a tenth and with ten times of it. */
static const double IN_REACH = 2, IN_REACH_BY_IMPACT = 8, NEAR_ANGLE = 0.5;
/* Largest number of projections of poses after a step. */
enum { PROJECTIONS = 4 };
/* m, rad: a bound that was expected to be out of reach may be passed by this. A larger value shows, a smaller one
 * repeats steps because of tolerances. Tests pass with a tenth and with ten times of it. */
static const double PASSED = 1e-6;
/* m/s, rad/s: a row that is slower at its bound stays there. A larger value keeps rows at their bound that leave
 * it, with a smaller one rounding releases them. Tests pass with a tenth and with ten times of it. */
static const double NO_SPEED = 1e-9;

bool trm_contact_set_prepare_bounded(trm_maximal *w)
{
    trm_arena *arena = w->stepper->arena;
    trm_contact_set *t = w->contact_set;
    t->bounded.engaged = TRM_NEW_ARRAY(arena, bool, w->joint_count);
    t->bounded.rows = TRM_NEW_ARRAY(arena, trm_bounded_row, w->joint_count);
    return t->bounded.engaged && t->bounded.rows;
}

bool trm_contact_set_is_engaged(const trm_maximal *w, const trm_maximal_joint *j)
{
    return w->exempt.engaged && w->exempt.engaged[j - w->joints];
}

/* ---- Engaged rows --------------------------------------------------------------------------- */

/* Returns the largest change of c, m or rad, in a step at the present speeds. */
static double travel_of(const trm_maximal *w, const trm_joint_at *at, const trm_spatial *J, double h)
{
    const trm_model *model = w->stepper->model;
    double travel = 0;
    for (int b = 0; b < at->joint->body_count; b++) {
        const bool falls = model->bodies[at->joint->body[b]].inverse_mass > 0;
        travel += trm_v3_length(J[b].ang) * trm_v3_length(at->V[b].ang) +
                  trm_v3_length(J[b].lin) * trm_v3_length(at->V[b].lin);
        travel += falls ? trm_v3_length(J[b].lin) * trm_v3_length(model->gravity) * fabs(h) : 0;
    }
    return fabs(h) * travel;
}

static void evaluate_row(trm_maximal *w, int i, double h)
{
    const trm_joint_at at = trm_joint_now(w->stepper->state, w->joints[i].index);
    const trm_joint *joint = at.joint;
    trm_bounded_row *row = &w->contact_set->bounded.rows[i];
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double c[TRM_JOINT_ROWS];
    *row = (trm_bounded_row){0};
    trm_joint_residual(&at, c);
    trm_joint_jacobian(&at, J);
    row->c = c[0];
    row->travel = joint->one_sided && !w->contact_set->repeats ? travel_of(w, &at, J, h) : INFINITY;
    for (int b = 0; b < joint->body_count; b++) row->u += trm_sp_dot(J[b], at.V[b]);
    const double resting = 2 * trm_v3_length(w->stepper->model->gravity) * fabs(h);
    row->fast = joint->one_sided && row->u > resting;
    if (row->fast) row->rebound = joint->limit_restitution * row->u;
}

bool trm_contact_set_hits_bound(const trm_maximal *w, int joint)
{
    const trm_bounded_row *row = &w->contact_set->bounded.rows[joint];
    return row->fast && row->acted;
}

/* Returns whether an island has an engaged row or a contact. */
static bool is_active(const trm_maximal *w, int island)
{
    const trm_contact_set *t = w->contact_set;
    for (int j = w->first_joint[island]; j < w->first_joint[island + 1]; j++)
        if (t->bounded.engaged[j]) return true;
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < 2; k++)
            if (w->island_of[t->contacts[i].features.body[k]] == island) return true;
    return false;
}

static void engage_island(trm_maximal *w, int island, double h)
{
    trm_contact_set *t = w->contact_set;
    const trm_state *state = w->stepper->state;
    bool any = false;
    for (int j = w->first_joint[island]; j < w->first_joint[island + 1]; j++) {
        const trm_joint *joint = w->joints[j].joint;
        t->bounded.engaged[j] = false;
        if (!trm_joint_is_bounded(joint) || !state->attached[w->joints[j].index]) continue;
        any = true;
        evaluate_row(w, j, h);
        t->bounded.engaged[j] = t->bounded.rows[j].c >= -IN_REACH * t->bounded.rows[j].travel;
    }
    if (!any || !is_active(w, island)) return;
    for (int j = w->first_joint[island]; j < w->first_joint[island + 1]; j++) {
        const trm_joint *joint = w->joints[j].joint;
        if (!joint->one_sided || !state->attached[w->joints[j].index]) continue;
        const double far = fmax(IN_REACH_BY_IMPACT * t->bounded.rows[j].travel, joint->angular[0] ? NEAR_ANGLE : 0);
        t->bounded.engaged[j] = t->bounded.rows[j].c >= -far;
    }
}

void trm_contact_set_engage(trm_maximal *w, double h)
{
    trm_contact_set *t = w->contact_set;
    t->bounded.count = 0;
    w->exempt.engaged = NULL;
    if (!w->stepper->bounded_rows || !w->stepper->window) return;
    for (int i = 0; i < w->island_count; i++) engage_island(w, i, h);
    for (int j = 0; j < w->joint_count; j++) t->bounded.count += t->bounded.engaged[j];
    if (t->bounded.count > 0) w->exempt.engaged = t->bounded.engaged;
}

bool trm_contact_set_passes_bound(const trm_maximal *w)
{
    const trm_state *state = w->stepper->state;
    if (!w->stepper->bounded_rows) return false;
    for (int i = 0; i < w->joint_count; i++) {
        double c[TRM_JOINT_ROWS];
        const trm_maximal_joint *j = &w->joints[i];
        if (!j->joint->one_sided || !state->attached[j->index] || w->contact_set->bounded.engaged[i]) continue;
        trm_joint_residual_at(j->joint, w->look.ahead, w->stepper->step.goal, state->memory, c);
        if (c[0] > PASSED && c[0] > w->contact_set->bounded.rows[i].c) return true;
    }
    return false;
}

void trm_contact_set_disengage(trm_maximal *w)
{
    w->exempt.engaged = NULL;
    if (w->contact_set) w->contact_set->bounded.count = 0;
}

void trm_contact_set_note_bounded(trm_maximal *w)
{
    for (int i = 0; w->exempt.engaged && i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        trm_bounded_row *row = &w->contact_set->bounded.rows[i];
        if (!w->exempt.engaged[i]) continue;
        double c[TRM_JOINT_ROWS];
        const trm_joint_at at = trm_joint_now(w->stepper->state, j->index);
        trm_joint_residual(&at, c);
        row->c = c[0];
        row->u = 0;
        for (int b = 0; b < j->joint->body_count; b++) row->u += trm_sp_dot(j->J[b], at.V[b]);
    }
}

/* ---- Targets, rates and modes ---------------------------------------------------------------- */

/* Returns the target of c at the end of a step. A sticking motor or friction returns to the position where it began
 * to stick, because otherwise it would creep by the residual speed of each step. A slipping one has c = 0. A joint
 * beyond its bound returns to it. recovery: the largest return in a step. */
double trm_contact_set_bounded_target(const trm_maximal *w, const trm_maximal_joint *j, double recovery)
{
    const double c = w->contact_set->bounded.rows[j - w->joints].c;
    if (j->joint->one_sided && c <= 0) return 0;
    return c - fmin(fmax(c, -recovery), recovery);
}

double trm_contact_set_bounded_residual(const trm_maximal *w, const trm_maximal_joint *j, double c)
{
    const double lambda = fabs(w->contact_set->joint_lambda[j->joint->row_offset]);
    const double per_tolerance = j->joint->angular[0] ? w->per_tolerance.angle : w->per_tolerance.position;
    const double span = w->look.span != 0 ? w->look.span : 0.5 * w->look.h;
    const bool holds = j->joint->one_sided || lambda < TRM_NEARLY_ALL * j->joint->most * fabs(span);
    if (j->joint->one_sided && lambda == 0) return fmax(c, 0) * per_tolerance;
    return holds ? fabs(c) * per_tolerance : 0;
}

double trm_contact_set_bounded_rate(const trm_maximal *w, const trm_maximal_joint *j)
{
    const trm_bounded_row *row = &w->contact_set->bounded.rows[j - w->joints];
    if (j->joint->one_sided) return row->open ? 0 : row->rebound;
    return j->driven ? j->c_t[0] : 0;
}

trm_constraint trm_contact_set_bounded_constraint(const trm_maximal *w, const trm_maximal_joint *j, double span)
{
    const trm_bounded_row *row = &w->contact_set->bounded.rows[j - w->joints];
    trm_constraint constraint = {.law = TRM_BOUNDED};
    if (j->joint->one_sided)
        constraint.least = row->open ? 0 : -INFINITY;
    else
        constraint.least = -j->joint->most * fabs(span), constraint.most = j->joint->most * fabs(span);
    return constraint;
}

/* Marks the one-sided rows that are open at the end of a step and had no impulse in it: they do not act there. */
void trm_contact_set_open_bounded(trm_maximal *w)
{
    for (int i = 0; w->exempt.engaged && i < w->joint_count; i++) {
        trm_bounded_row *row = &w->contact_set->bounded.rows[i];
        if (w->exempt.engaged[i])
            row->open = w->joints[i].joint->one_sided && !row->acted && row->c < -w->contact_set->scale.near;
    }
}

/* Returns u + J V of the row of a joint. */
static double with_speed(const trm_maximal *w, const trm_maximal_joint *j, double u)
{
    for (int b = 0; b < j->joint->body_count; b++)
        u += trm_sp_dot(j->J[b], w->stepper->state->velocity[j->joint->body[b]]);
    return u;
}

static double rate_of(const trm_maximal *w, const trm_maximal_joint *j)
{
    return with_speed(w, j, j->driven ? j->c_t[0] : 0);
}

/* Returns the mode of a joint. A joint that uses its whole force slips, even if the solver leaves its impulse a
 * rounding error below the bound. */
static trm_joint_mode mode_of(const trm_maximal *w, const trm_maximal_joint *j, double span, bool ends)
{
    const double lambda = w->contact_set->joint_lambda[j->joint->row_offset], most = j->joint->most * fabs(span);
    if (j->joint->one_sided) return lambda < 0 && (!ends || fabs(rate_of(w, j)) <= NO_SPEED) ? TRM_HELD : TRM_SLACK;
    const double u = ends ? rate_of(w, j) : with_speed(w, j, w->contact_set->joint_b[j->joint->row_offset]);
    if (fabs(lambda) >= most || (fabs(lambda) >= TRM_NEARLY_ALL * most && fabs(u) > NO_SPEED))
        return lambda > 0 ? TRM_MINUS : TRM_PLUS;
    return !ends || fabs(u) <= NO_SPEED ? TRM_HELD : u > 0 ? TRM_PLUS : TRM_MINUS;
}

/* If a joint slips at the end of a step, stores its present position as the one where it may begin to stick. */
static void follow_slip(trm_maximal *w, const trm_maximal_joint *j)
{
    const trm_joint_at at = trm_joint_now(w->stepper->state, j->index);
    if (!j->joint->one_sided && at.mode != TRM_HELD)
        trm_joint_remember(&at, 0, w->stepper->state->memory + j->joint->memory_offset);
}

void trm_contact_set_take_modes(trm_maximal *w, double span, bool ends)
{
    for (int i = 0; w->exempt.engaged && i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        if (!w->exempt.engaged[i] || !trm_contact_set_has_joint(w, j)) continue;
        w->stepper->state->mode[j->index] = (signed char)mode_of(w, j, span, ends);
        if (ends)
            follow_slip(w, j);
        else
            w->contact_set->bounded.rows[i].acted = w->contact_set->joint_lambda[j->joint->row_offset] < 0;
    }
}

/* ---- Work ----------------------------------------------------------------------------------- */

/* Returns J V of bodies that no impulse moves. The work through them is input. */
static double held_rate(const trm_maximal *w, const trm_maximal_joint *j)
{
    double u = 0;
    for (int b = 0; b < j->joint->body_count; b++)
        if (w->held[j->joint->body[b]]) u += trm_sp_dot(j->J[b], w->stepper->state->velocity[j->joint->body[b]]);
    return u;
}

trm_works trm_contact_set_bounded_work(const trm_maximal *w, double share)
{
    trm_works sum = {0};
    for (int i = 0; w->exempt.engaged && i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        if (!w->exempt.engaged[i] || !trm_contact_set_has_joint(w, j)) continue;
        const double lambda = w->contact_set->joint_lambda[j->joint->row_offset],
                     before = w->contact_set->bounded.rows[i].u;
        const double now = rate_of(w, j) - (j->driven ? j->c_t[0] : 0);
        const double work = lambda * (before + share * (now - before)), held = lambda * held_rate(w, j);
        sum.input -= held;
        *(j->joint->one_sided ? &sum.impact : trm_joint_is_friction(j->joint) ? &sum.friction : &sum.input) += work;
    }
    return sum;
}

/* ---- Positions after a dissipative step ------------------------------------------------------ */

/* Sets limits that have been passed to held. Returns whether there are any that were not held before. */
static bool engage_passed_limits(trm_maximal *w, const bool *engaged)
{
    trm_state *state = w->stepper->state;
    bool any = false;
    for (int i = 0; engaged && i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        double c[TRM_JOINT_ROWS];
        if (!engaged[i] || !j->joint->one_sided || state->mode[j->index] == TRM_HELD) continue;
        trm_joint_residual_at(j->joint, state->pose, state->clock->time, state->memory, c);
        if (c[0] > 0) state->mode[j->index] = TRM_HELD, any = true;
    }
    return any;
}

/* Repeats the projection while it moves joints beyond limits that were not held before. */
bool trm_contact_set_project(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    trm_outcome ignored = {.ok = true};
    const bool *engaged = w->exempt.engaged;
    const size_t bytes = (size_t)w->stepper->model->body_count * sizeof(trm_pose);
    trm_pose *before = trm_arena_copy(w->stepper->arena, w->stepper->state->pose, bytes, 1);
    bool again = true;
    if (!before) return false;
    engage_passed_limits(w, engaged);
    for (int i = 0; i < w->joint_count; i++) t->marks.not_projected[i] = !t->marks.joint[i];
    w->exempt.engaged = NULL;
    w->exempt.joints = t->marks.not_projected;
    for (int round = 0; again && round < PROJECTIONS; round++) {
        again = trm_maximal_project_positions(w, &ignored);
        if (!again) memcpy(w->stepper->state->pose, before, bytes);
        again = again && engage_passed_limits(w, engaged);
    }
    w->exempt.joints = NULL;
    w->exempt.engaged = engaged;
    return true;
}
