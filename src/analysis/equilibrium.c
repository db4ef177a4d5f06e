/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Static equilibrium: a minimum of the potential on the surface defined by the rows (analysis/system.h).
 *
 * At a pose on the surface the multipliers of the active rows leave a force r. Newton's method works in the null space
 * S of the rows with a force. With K_r = S^T K S = V diag(w) V^T the step is y = S V p, p_i = (V^T S^T r)_i / |w_i|,
 * which leads downhill also where the potential has negative curvature. Steps are limited by a trust radius (rad, and
 * fractions of the machine's size). Each step is followed by a return to the surface (balance.c). It is accepted if
 * the potential, and the work of forces without one, decrease as predicted. Close to the solution these changes are
 * rounding, and every step is accepted. A step ends at the first bound that it reaches; a one-sided row at its bound
 * that a step would violate becomes active. A direction without stiffness in which a force remains is followed with
 * growing steps until a row becomes active. If the machine has moved 10000 times its size, there is no equilibrium. */

#include "analysis/equilibrium.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/steady.h"
#include "base/message.h"
#include "base/print.h"
#include "model/def.h"

/* rad: largest rotation in one step. A larger value trusts the linearisation beyond half a right angle and may reach
 * another branch, a smaller one takes more steps. Tests pass with a tenth and with ten times of it. */
static const double LARGEST_TURN = 0.7;
/* rad, and fraction of the machine's size: initial trust radius. The radius adapts, so that a larger or smaller value
 * only changes the first steps. Tests pass with a tenth and with ten times of it. */
static const double FIRST_RADIUS = 0.3;
/* Multiple of the machine's size: a search that has moved farther ends. A larger value delays the message that there
 * is no equilibrium, a smaller one gives up on machines whose equilibrium is far away. Tests pass with a tenth and
 * with ten times of it. */
static const double FARTHEST = 1e4;
/* Fraction of the largest stiffness that counts as zero. A larger value counts soft springs as neutral directions.
 * With a smaller one rounding of neutral directions counts as stiffness, and the search moves along them. Tests pass
 * with a tenth and with ten times of it. */
static const double NO_STIFFNESS = 1e-10;
/* Fraction of the largest force that counts as balanced. A larger value ends the search early, a smaller one is below
 * rounding, and the search ends where the force stops falling. Tests pass with a tenth and with ten times of it. */
static const double BALANCED = 2e-14;
enum { MOST_NAMED = 20, MOST_DISTURBED = 20 };

typedef struct search {
    trm_system s;
    trm_balance b;
    trm_equilibrium_def def;
    trm_equilibrium_result *result;
    trm_state *before;
    double *y, *way, *workers, *p;
    bool *also;
    double radius; /* trust radius: rad, fraction of the machine's size */
    double margin; /* m: contacts closer than this have rows */
    double best;   /* least residual since steps are at rounding level */
    int stalls;
    double travelled; /* distance so far, in machine sizes */
} search;

/* ---- A step ------------------------------------------------------------------------------- */

/* Returns the largest motion of a body by y, in units of the trust radius: rotations in rad, displacements as
 * fractions of the machine's size. */
static double radii_of(const search *q, const double *y)
{
    const trm_system *s = &q->s;
    double largest = 0;
    for (int i = 0; i < s->n; i++) {
        const int body = trm_system_body(s, i);
        const bool turn = s->model->bodies[body].kind == TRM_BODY_RIGID && i < s->first[body] + 3;
        const double most = turn ? fmin(q->radius, LARGEST_TURN) / s->unit[i] : q->radius * s->size;
        largest = fmax(largest, fabs(y[i]) / most);
    }
    return largest;
}

/* Computes the motion of the machine along eigenvector i of the reduced stiffness, into y. */
static void expand_eigenvector(search *q, int i, double *y)
{
    const trm_balance *b = &q->b;
    const int f = b->freedoms;
    double *column = b->room + q->s.n;
    for (int k = 0; k < f; k++) column[k] = b->reduced[(size_t)k * (size_t)f + (size_t)i];
    trm_null_space_expand(b->null, column, y);
}

/* Returns the component of the step along eigenvector i, for a force along it. Each component is limited to the
 * radius separately, so that a direction without stiffness, which may go as far as the radius, does not shorten the
 * others. */
static double component_of(search *q, int i, double force, double stiffest)
{
    const trm_balance *b = &q->b;
    const bool neutral = fabs(b->w[i]) <= NO_STIFFNESS * stiffest;
    if (force == 0 || (neutral && fabs(force) <= q->def.tolerance * b->scale)) return 0;
    expand_eigenvector(q, i, q->y);
    const double most = 1 / radii_of(q, q->y), w = fmax(fabs(b->w[i]), NO_STIFFNESS * stiffest);
    return w * most > fabs(force) ? force / w : copysign(most, force);
}

/* Computes the step y, within the radius. Returns the predicted change of the potential. */
static double newton_step(search *q)
{
    trm_balance *b = &q->b;
    const int f = b->freedoms;
    double *reduced = b->room, *coefficient = b->room + q->s.n, stiffest = 0, predicted = 0;
    trm_null_space_reduce(b->null, b->r, reduced);
    for (int i = 0; i < f; i++) stiffest = fmax(stiffest, fabs(b->w[i]));
    for (int i = 0; i < f; i++) {
        double force = 0;
        for (int k = 0; k < f; k++) force += b->reduced[(size_t)k * (size_t)f + (size_t)i] * reduced[k];
        q->p[i] = component_of(q, i, force, stiffest);
        predicted += q->p[i] * (0.5 * b->w[i] * q->p[i] - force);
    }
    for (int k = 0; k < f; k++) {
        coefficient[k] = 0;
        for (int i = 0; i < f; i++) coefficient[k] += b->reduced[(size_t)k * (size_t)f + (size_t)i] * q->p[i];
    }
    trm_null_space_expand(b->null, coefficient, q->y);
    const double factor = fmin(1, 1 / fmax(radii_of(q, q->y), DBL_MIN));
    for (int i = 0; i < q->s.n; i++) q->y[i] *= factor;
    return factor * predicted;
}

/* Activates the rows at their bound without a force that y violates. Returns whether there are any. */
static bool add_violated(search *q)
{
    const trm_balance *b = &q->b;
    bool added = false;
    for (int k = 0; k < b->candidate_count; k++) {
        double speed = 0;
        if (!b->one_sided[k] || q->also[k] || b->lambda[k] < -1e-9 * b->scale) continue;
        for (int i = 0; i < q->s.n; i++) speed += b->J[(size_t)k * (size_t)q->s.n + (size_t)i] * q->y[i];
        if (speed > 1e-9 * q->s.size * q->radius) q->also[k] = added = true;
    }
    return added;
}

/* Shortens the step so that it ends at the first bound of a one-sided row that it would pass. Returns the fraction of
 * the step that remains. */
static double stop_at_bounds(search *q)
{
    const trm_system *s = &q->s;
    double share = 1;
    for (int i = 0; i < s->row_count; i++) {
        const double *row = s->J + (size_t)i * (size_t)s->n, left = -s->c[i];
        double by = 0;
        if (!s->rows[i].one_sided || !(left > TRM_AT_BOUND * s->size)) continue;
        for (int k = 0; k < s->n; k++) by += row[k] * q->y[k];
        if (by > left) share = fmin(share, left / by);
    }
    for (int k = 0; share < 1 && k < s->n; k++) q->y[k] *= share;
    return share;
}

static double work_of(const search *q, const double *way)
{
    double sum = 0;
    for (int i = 0; i < q->s.n; i++) sum += q->workers[i] * way[i];
    return sum;
}

/* Moves by y and back onto the rows. Returns the change of the potential minus the work of forces without one;
 * INFINITY if the rows cannot be closed. */
static double try_step(search *q)
{
    trm_system *s = &q->s;
    const double potential = trm_system_potential(s);
    trm_system_nonconservative(s, q->workers);
    trm_state_copy(q->before, s->state);
    trm_system_move(s, 1, q->y);
    if (!trm_system_find_rows(s, 2 * q->radius * s->size) || !trm_balance_project(&q->b)) return INFINITY;
    trm_system_displacement(s, q->before->pose, q->way);
    double work = 0.5 * work_of(q, q->way);
    trm_system_nonconservative(s, q->workers);
    work += 0.5 * work_of(q, q->way);
    return trm_system_potential(s) - potential - work;
}

/* Returns to the pose before the step, with the rows that it had there. */
static void restore_pose(search *q)
{
    trm_state_copy(q->s.state, q->before);
    if (!trm_system_find_rows(&q->s, q->margin)) return;
    trm_system_residuals(&q->s);
    trm_system_jacobian(&q->s);
}

static double length_of(const search *q, const double *y)
{
    double most = 0;
    for (int i = 0; i < q->s.n; i++) most = fmax(most, fabs(y[i]));
    return most / q->s.size;
}

/* Makes one accepted step, as long as the trust region allows. Returns false if no step decreases the potential. */
static bool make_step(search *q)
{
    trm_balance *b = &q->b;
    memset(q->also, 0, (size_t)b->candidate_count * sizeof *q->also);
    for (int tries = 0; tries < 60; tries++) {
        if (!trm_balance_stiffness(b, q->also)) return false;
        const double whole = newton_step(q);
        if (add_violated(q)) continue;
        const double predicted = whole * stop_at_bounds(q);
        const double energy = b->scale * q->s.size;
        const bool rounding = fabs(predicted) < 1e-11 * energy;
        const double change = try_step(q);
        if (q->s.failed) return false;
        if (rounding ? isfinite(change) : change <= 0.1 * predicted + 1e-15 * energy) {
            q->travelled += length_of(q, q->way);
            if (rounding || change < 0.7 * predicted) q->radius = fmin(2 * q->radius, FARTHEST);
            return true;
        }
        restore_pose(q);
        q->radius = 0.25 * fmin(q->radius, fmax(length_of(q, q->y), 1e-12));
        if (q->radius < 1e-13) return false;
    }
    return false;
}

/* ---- The search --------------------------------------------------------------------------- */

/* Names the body with the largest component without balance, and the force, or the torque, to which it belongs. */
static void name_unbalanced(search *q)
{
    const trm_system *s = &q->s;
    int worst = 0;
    for (int i = 1; i < s->n; i++)
        if (fabs(q->b.r[i]) > fabs(q->b.r[worst])) worst = i;
    const int body = trm_system_body(s, worst);
    const bool rigid = s->model->bodies[body].kind == TRM_BODY_RIGID, turns = rigid && worst < s->first[body] + 3;
    const double *r = q->b.r + s->first[body] + (rigid && !turns ? 3 : 0);
    trm_print(q->result->element, sizeof q->result->element, "body '%.60s'", s->model->bodies[body].name);
    trm_print(
        q->result->why, sizeof q->result->why,
        "%s: nothing balances a %s of (%.4g, %.4g, %.4g) %s on it; support it by a joint, a spring or a contact",
        q->travelled > FARTHEST ? "there is no equilibrium" : "the search ended without an equilibrium",
        turns ? "torque" : "force", r[0], r[1], r[2], turns ? "N m" : "N");
}

/* Returns whether the search ends here; *found: with an equilibrium. */
static bool is_over(search *q, bool *found)
{
    const trm_balance *b = &q->b;
    const double relative = b->scale > 0 ? b->residual / b->scale : 0;
    *found = relative <= q->def.tolerance;
    if (relative <= BALANCED) return true;
    if (*found) { /* until rounding: Newton's method doubles the digits in each step */
        q->stalls = b->residual < 0.5 * q->best ? 0 : q->stalls + 1;
        q->best = fmin(q->best, b->residual);
        if (q->stalls >= 2) return true;
    }
    return q->travelled > FARTHEST;
}

/* Moves from the current pose to an equilibrium. Returns false if there is none nearby, or when out of memory
 * (failed). */
static bool descend(search *q)
{
    bool found = false;
    q->radius = FIRST_RADIUS;
    q->best = INFINITY, q->stalls = 0;
    for (; q->result->iterations < q->def.most_iterations; q->result->iterations++) {
        const trm_arena_mark mark = trm_arena_get_mark(&q->s.arena);
        q->margin = 2 * q->radius * q->s.size;
        if (!trm_system_find_rows(&q->s, q->margin) || !trm_balance_forces(&q->b)) {
            q->s.failed = true;
            return false;
        }
        if (is_over(q, &found) || !make_step(q)) break;
        trm_arena_reset(&q->s.arena, mark);
    }
    return found && !q->s.failed;
}

/* Leaves an unstable equilibrium along its least stiff direction. */
static void disturb(search *q)
{
    trm_balance *b = &q->b;
    const int f = b->freedoms;
    double *coefficient = b->room;
    for (int k = 0; k < f; k++) coefficient[k] = b->reduced[(size_t)k * (size_t)f];
    trm_null_space_expand(b->null, coefficient, q->y);
    const double most = length_of(q, q->y);
    trm_system_move(&q->s, 1e-3 / most, q->y);
    if (trm_system_find_rows(&q->s, q->s.size)) trm_balance_project(b);
}

static double stiffest_of(const trm_balance *b)
{
    double stiffest = 0;
    for (int i = 0; i < b->freedoms; i++) stiffest = fmax(stiffest, fabs(b->w[i]));
    return stiffest;
}

/* Returns the threshold of zero stiffness, from the largest stiffness and from a force over the machine's size. */
static double no_stiffness(const search *q)
{
    return 1e-9 * fmax(stiffest_of(&q->b), q->b.scale / q->s.size);
}

static bool run(search *q)
{
    bool found = descend(q);
    for (int i = 0; found && q->def.relaxed && i < MOST_DISTURBED; i++) {
        memset(q->also, 0, (size_t)q->b.candidate_count * sizeof *q->also);
        if (!trm_balance_stiffness(&q->b, NULL) || q->b.freedoms == 0 || q->b.w[0] >= -no_stiffness(q)) break;
        disturb(q);
        found = descend(q);
    }
    return found;
}

/* ---- The result --------------------------------------------------------------------------- */

/* Copies eigenvectors, starting with number `first`, into rows of a basis. */
static void gather(search *q, int first, int count, double *basis)
{
    trm_balance *b = &q->b;
    for (int i = first; i < first + count; i++) {
        for (int k = 0; k < b->freedoms; k++) b->room[k] = b->reduced[(size_t)k * (size_t)b->freedoms + (size_t)i];
        trm_null_space_expand(b->null, b->room, basis + (size_t)(i - first) * (size_t)q->s.n);
    }
}

/* Counts unstable, neutral and stable directions; the eigenvalues are in ascending order. */
static bool judge_stability(search *q)
{
    trm_equilibrium_result *r = q->result;
    trm_balance *b = &q->b;
    if (!trm_balance_stiffness(b, NULL)) return false;
    const double nothing = no_stiffness(q);
    r->freedoms = b->freedoms;
    for (int i = 0; i < b->freedoms; i++) {
        r->unstable += b->w[i] < -nothing;
        r->neutral_count += fabs(b->w[i]) <= nothing;
    }
    double *basis = TRM_NEW_ROOM(&q->s.arena, double, ((size_t)b->freedoms + 1) * ((size_t)q->s.n + 1));
    trm_motion_note *neutral = TRM_NEW_ARRAY(r->arena, trm_motion_note, b->freedoms + 1);
    trm_motion_note *unstable = TRM_NEW_ARRAY(r->arena, trm_motion_note, b->freedoms + 1);
    if (!basis || !neutral || !unstable) return false;
    gather(q, r->unstable, r->neutral_count, basis);
    if (!trm_name_motions(&q->s, basis, r->neutral_count, neutral, &q->s.arena)) return false;
    r->unstable_count = r->unstable < MOST_NAMED ? r->unstable : MOST_NAMED;
    gather(q, 0, r->unstable_count, basis);
    for (int i = 0; i < r->unstable_count; i++) {
        if (!trm_name_motions(&q->s, basis + (size_t)i * (size_t)q->s.n, 1, &unstable[i], &q->s.arena)) return false;
        unstable[i].stiffness = b->w[i];
    }
    r->neutral = neutral, r->unstable_motions = unstable;
    return true;
}

/* Finds the rows whose multipliers are not determined by balance: those in the null space of J^T. */
static bool find_not_unique(search *q)
{
    trm_equilibrium_result *r = q->result;
    trm_balance *b = &q->b;
    const int m = b->working_count, n = q->s.n;
    int *joints = TRM_NEW_ARRAY(r->arena, int, m + 1);
    double *T = TRM_NEW_ROOM(&q->s.arena, double, ((size_t)n + 1) * ((size_t)m + 1));
    trm_null_space *null = trm_null_space_create(&q->s.arena, n, m);
    if (!joints || !T || !null) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            T[(size_t)i * (size_t)m + (size_t)k] = b->J[(size_t)b->working[k] * (size_t)n + (size_t)i];
    trm_null_space_find(null, T, n, 1e-7);
    for (int k = 0; k < m; k++) {
        double square = 0;
        for (int i = null->rank; i < m; i++) square += null->Q[k * m + i] * null->Q[k * m + i];
        const trm_system_row *row = &q->s.rows[b->candidates[b->working[k]]];
        if (square < 1e-12 || row->joint < 0) continue;
        const int shown = q->s.model->joints[row->joint].shown;
        if (r->not_unique_count == 0 || joints[r->not_unique_count - 1] != shown)
            joints[r->not_unique_count++] = shown;
    }
    r->not_unique = joints;
    return true;
}

static bool list_active(search *q)
{
    trm_equilibrium_result *r = q->result;
    const trm_system *s = &q->s;
    int *active = TRM_NEW_ARRAY(r->arena, int, q->b.candidate_count + 1);
    trm_contact_load *contacts = TRM_NEW_ARRAY(r->arena, trm_contact_load, q->b.candidate_count + 1);
    if (!active || !contacts) return false;
    memset(s->state->reaction, 0, (size_t)s->model->row_count * sizeof(double));
    for (int k = 0; k < q->b.candidate_count; k++) {
        const trm_system_row *row = &s->rows[q->b.candidates[k]];
        const double lambda = q->b.lambda[k];
        if (row->joint >= 0) {
            s->state->reaction[s->model->joints[row->joint].row_offset + row->row] = lambda;
            if (row->one_sided && lambda < 0) active[r->active_count++] = s->model->joints[row->joint].shown;
            continue;
        }
        const trm_contact *c = &s->contacts.items[row->contact];
        const trm_contact_at at = trm_contact_at_poses(c, s->state->pose[c->body[0]], s->state->pose[c->body[1]]);
        contacts[r->contact_count++] = (trm_contact_load){{c->body[0], c->body[1]}, at.point[0], at.normal, -lambda};
    }
    r->active = active, r->contacts = contacts;
    return true;
}

/* ---- Making it ---------------------------------------------------------------------------- */

static bool make_room(search *q)
{
    trm_arena *arena = &q->s.arena;
    const size_t n = (size_t)q->s.n + 1;
    trm_balance *b = &q->b;
    b->s = &q->s;
    b->g = TRM_NEW_ARRAY(arena, double, n), b->r = TRM_NEW_ARRAY(arena, double, n);
    b->K = TRM_NEW_ARRAY(arena, double, n *n), b->reduced = TRM_NEW_ARRAY(arena, double, n *n);
    b->w = TRM_NEW_ARRAY(arena, double, n), b->room = TRM_NEW_ARRAY(arena, double, 4 * n);
    q->y = TRM_NEW_ARRAY(arena, double, n), q->way = TRM_NEW_ARRAY(arena, double, n);
    q->p = TRM_NEW_ARRAY(arena, double, n), q->workers = TRM_NEW_ARRAY(arena, double, n);
    q->before = trm_state_create(q->s.model, &arena->allocator);
    if (!trm_system_find_rows(&q->s, q->s.size)) return false;
    const int most = q->s.model->row_count + 3 * (q->s.contacts.count + 8 * q->s.model->body_count) + 1000;
    b->null = trm_null_space_create(arena, most, q->s.n);
    q->also = TRM_NEW_ARRAY(arena, bool, most);
    return b->g && b->r && b->K && b->reduced && b->w && b->room && q->y && q->way && q->p && q->workers &&
           q->before && b->null && q->also;
}

static void rest(trm_state *state)
{
    const trm_model *model = state->model;
    for (int i = 0; i < model->body_count; i++)
        if (trm_body_freedoms(&model->bodies[i]) > 0)
            state->velocity[i] = state->acceleration[i] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
}

static void summarise(search *q, bool found)
{
    trm_equilibrium_result *r = q->result;
    r->found = found;
    r->residual = q->b.residual;
    r->relative = q->b.scale > 0 ? q->b.residual / q->b.scale : 0;
    r->potential = trm_system_potential(&q->s);
    if (!found) name_unbalanced(q);
}

static trm_status solve(search *q, trm_state *state, trm_messages *messages)
{
    if (!make_room(q)) return TRM_OUT_OF_MEMORY;
    rest(q->s.state);
    if (!trm_balance_project(&q->b)) {
        if (!q->s.failed)
            trm_add_error(messages, (trm_place){0},
                          "the joints cannot be closed near this pose: correct lengths or anchors");
        return q->s.failed ? TRM_OUT_OF_MEMORY : TRM_BAD_INPUT;
    }
    const bool found = run(q);
    if (q->s.failed) return TRM_OUT_OF_MEMORY;
    summarise(q, found);
    if (found && (!judge_stability(q) || !find_not_unique(q))) return TRM_OUT_OF_MEMORY;
    if (!list_active(q)) return TRM_OUT_OF_MEMORY;
    trm_state_copy(state, q->s.state);
    return TRM_OK;
}

/* Reports a motor that would need more than its largest force, as no equilibrium. */
static void judge_motors(search *q)
{
    const trm_model *model = q->s.model;
    for (int j = 0; q->result->found && j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        if (!isfinite(joint->most) || joint->one_sided || trm_joint_is_friction(joint)) continue;
        const double force = fabs(q->s.state->reaction[joint->row_offset]);
        if (!(force > joint->most)) continue;
        q->result->found = false;
        trm_print(q->result->element, sizeof q->result->element, "motor '%.60s'", joint->name);
        trm_print(
            q->result->why, sizeof q->result->why,
            "it needs %.6g to keep its velocity, more than its \"max\" of %.6g [N or N m]; raise \"max\" or lower "
            "the velocity",
            force, joint->most);
    }
}

/* Warns of contacts in the result, because the search for steady motion ignores contacts. Returns false when out of
 * memory. */
static bool warn_of_contacts(search *q, trm_messages *messages)
{
    if (!trm_system_find_rows(&q->s, 0)) return false;
    if (q->s.contacts.count > 0)
        trm_add_warning(messages, (trm_place){0},
                        "'%s' and '%s' touch in this steady motion, whose search ignores contacts",
                        q->s.model->bodies[q->s.contacts.items[0].body[0]].name,
                        q->s.model->bodies[q->s.contacts.items[0].body[1]].name);
    q->s.collider = NULL;
    return true;
}

/* Finds the relative equilibrium and the forces of its joints: those that balance applied forces and inertia. */
static trm_status solve_moving(search *q, trm_state *state, trm_messages *messages)
{
    trm_equilibrium_result *r = q->result;
    trm_balance *b = &q->b;
    const trm_status status = trm_find_steady(state, &q->def, r, &q->s.arena.allocator, messages);
    if (status != TRM_OK || !r->found) return status;
    trm_state_copy(q->s.state, state);
    b->moving = true;
    if (!warn_of_contacts(q, messages) || !make_room(q) || !trm_balance_forces(b) ||
        !trm_balance_stiffness(b, NULL) || !find_not_unique(q) || !list_active(q))
        return TRM_OUT_OF_MEMORY;
    r->residual = b->residual, r->relative = b->scale > 0 ? b->residual / b->scale : 0;
    r->found = r->relative <= q->def.tolerance;
    if (!r->found) name_unbalanced(q);
    judge_motors(q);
    trm_state_copy(state, q->s.state);
    return TRM_OK;
}

trm_status trm_equilibrium_sized(trm_state *state, trm_sized def, const trm_allocator *allocator,
                                 trm_messages *messages, trm_equilibrium_result **result)
{
    search q = {0};
    trm_read_def(TRM_DEF_EQUILIBRIUM, def, &q.def);
    *result = NULL;
    trm_arena *arena = trm_owner_create(allocator, sizeof *arena);
    if (!arena) return TRM_OUT_OF_MEMORY;
    q.result = TRM_NEW(arena, trm_equilibrium_result);
    if (q.result) q.result->arena = arena;
    trm_status status = q.result ? trm_system_create(&q.s, state, allocator, messages) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK && trm_is_driven_now(state))
        status = solve_moving(&q, state, messages);
    else if (status == TRM_OK)
        status = solve(&q, state, messages);
    trm_state_destroy(q.before);
    if (q.result) trm_system_destroy(&q.s);
    if (status == TRM_OK) {
        *result = q.result;
        return TRM_OK;
    }
    trm_owner_destroy(arena, sizeof *arena);
    return status;
}

void trm_equilibrium_destroy(trm_equilibrium_result *result)
{
    if (result) trm_owner_destroy(result->arena, sizeof *result->arena);
}
