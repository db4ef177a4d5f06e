/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the work of contacts, and bounds it so that passive contacts add no energy.
 *
 * Impulses lambda along rows J take the velocities V0 of an island to V. With u = J V their work is
 *
 *     sum lambda . (u0 + u) / 2 = sum lambda . u - 1/2 lambda^T W lambda,      W = J M^-1 J^T
 *
 * so it is never positive if no constraint ends with lambda . u > 0: passive contacts, friction and joints that are
 * not driven. In the look-ahead a constraint obeys its law in the mean of the step, u~ = J V + b, where b includes
 * the contributions of gravity and of the curvature of the motion. The work is then
 *
 *     sum lambda . (u0~ + u~) / 2  -  sum lambda . b,      b without the remaining gap
 *
 * The first sum is the gain. It is positive only if the solver has not converged. Then all contact impulses of the
 * island are scaled by the largest s without gain, s (lambda . u0~) + s^2/2 lambda . W lambda <= 0. The second sum is
 * lent: the end of the step takes it back, because contacts that the curvature lifts at t approach at t + h.
 *
 * Rebounds (phases.c) require speeds u > 0, and with friction even e < 1 can add energy (Kane). The work
 * of both ends of the step bounds them: with (lambda_0, V_0) the solution without rebounds and (lambda_1, V_1) the
 * one with them,
 *
 *     lambda = (1 - s) lambda_0 + s lambda_1,      the largest s in [0, 1] with W_close + W_fit(s) <= 0
 *
 * lies in all cones, because they are convex, approaches nowhere, and keeps joints closed. */

#include <stdio.h>
#include <string.h>

#include "methods/contact/contact_set.h"

/* Fraction of the sum of |lambda u| that is rounding. A larger value hides contacts that gain energy, a smaller one
 * repeats good steps. Tests pass with a tenth and with ten times of it. */
static const double WORK_ROUNDING = 1e-9;
/* Fractions of it that the solver may leave in an island with joints: usually, and in a repeated step. Larger
 * values hide energy gains, smaller ones repeat steps that cannot be improved. */
static const double LEFT_BY_SOLVER = 1e-6, LEFT_AT_LAST = 1e-3;
/* Fraction of the lent work that a step may keep, because both ends of a step agree only up to its order. With a
 * larger value rolling bodies gain energy, a smaller one repeats steps that are correct to their order. Tests pass
 * with a tenth and with ten times of it. */
static const double KEPT = 0.25;
/* Fractions of the kinetic energy of an island: the energy that the curvature of its motion may lend in a step, and
 * an amount so small that the next step may take it back. With larger values bodies gain speed in rolling over
 * edges, smaller ones shorten almost every step of a rolling body. Tests pass with a tenth and with ten times of
 * it. */
static const double LENT = 0.01, LITTLE_LENT = 1e-6;

/* ---- Speeds ------------------------------------------------------------------------------- */

void trm_contact_set_note_speeds(trm_maximal *w)
{
    for (int i = 0; i < w->contact_set->count; i++) {
        trm_step_contact *contact = &w->contact_set->contacts[i];
        contact->free = trm_contact_set_velocity(w, contact, true);
        if (trm_contact_resists_turning(&contact->law))
            contact->details->free_turn = trm_contact_set_turn(w, contact, true);
    }
}

/* Returns the input that keeps bodies on their prescribed motion against the impulses of a contact, J. */
static double work_of_moving_bodies(const trm_maximal *w, const trm_step_contact *contact)
{
    const trm_body *bodies = w->stepper->model->bodies;
    const int *body = contact->features.body;
    if (!bodies[body[0]].motion && !bodies[body[1]].motion) return 0;
    const trm_vec3 moved =
        trm_v3_sub(trm_contact_set_velocity(w, contact, false), trm_contact_set_velocity(w, contact, true));
    const trm_vec3 turned =
        trm_v3_sub(trm_contact_set_turn(w, contact, false), trm_contact_set_turn(w, contact, true));
    const bool resists = trm_contact_resists_turning(&contact->law);
    const double turning = resists ? trm_v3_dot(trm_contact_set_turning_impulse(contact), turned) : 0;
    return -trm_v3_dot(trm_contact_set_impulse(contact), moved) - turning;
}

static trm_works work_at(const trm_maximal *w, double share)
{
    const trm_contact_set *t = w->contact_set;
    double work = 0, input = 0, moving = 0;
    for (int i = 0; i < t->count; i++) {
        const trm_step_contact *contact = &t->contacts[i];
        if (!trm_contact_set_acts(contact)) continue;
        const trm_vec3 now = share > 0 ? trm_contact_set_velocity(w, contact, true) : contact->free;
        work += trm_v3_dot(trm_contact_set_impulse(contact),
                           trm_v3_add_scaled(contact->free, share, trm_v3_sub(now, contact->free)));
        moving += work_of_moving_bodies(w, contact);
        if (!trm_contact_resists_turning(&contact->law)) continue;
        const trm_vec3 turn = trm_v3_sub(trm_contact_set_turn(w, contact, true), contact->details->free_turn);
        work += trm_v3_dot(trm_contact_set_turning_impulse(contact),
                           trm_v3_add_scaled(contact->details->free_turn, share, turn));
    }
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        if (!j->on || !j->driven || !trm_contact_set_has_joint(w, j)) continue; /* others count their own work */
        if (trm_contact_set_is_engaged(w, j)) continue;
        for (int r = 0; r < j->joint->rows; r++) input += t->joint_lambda[j->joint->row_offset + r] * j->drive[r];
    }
    const trm_works own = {.input = input + moving, .contact = work - moving};
    return trm_works_add_scaled(own, 1, trm_contact_set_bounded_work(w, share));
}

/* Returns the work of impulses p that act at once: p . (u0 + u)/2, the mean of the speeds before the forces of this
 * end of the step and after all impulses. Friction in joints, whose impulse is bounded by its force, and motors have
 * that of their own rows. Contacts and limits share theirs: p . u at the end, less the loss p . (u - u0)/2 on the way
 * there, because a contact that a limit closes may have separated before. Each gets a part of the loss in proportion
 * to the change of its own speed; if no speed changes along its impulse, its own part. */
static trm_works work_at_once(const trm_maximal *w)
{
    const trm_works start = work_at(w, 0), end = work_at(w, 1);
    trm_works work = end;
    const double contact = fmax(end.contact - start.contact, 0), impact = fmax(end.impact - start.impact, 0),
                 sum = contact + impact;
    const double loss = 0.5 * (start.contact + start.impact - end.contact - end.impact);
    work.input = 0.5 * (start.input + end.input);
    work.friction = 0.5 * (start.friction + end.friction);
    work.contact += sum > 0 ? loss * contact / sum : 0.5 * (start.contact - end.contact);
    work.impact += sum > 0 ? loss * impact / sum : 0.5 * (start.impact - end.impact);
    return work;
}

trm_works trm_contact_set_work(const trm_maximal *w, double share)
{
    return share > 0 && share < 1 ? work_at_once(w) : work_at(w, share);
}

/* Computes J V of a constraint; for contacts from their frames, because those in piles have no rows. */
static void speeds_of(const trm_contact_set *t, int constraint, const trm_spatial *V, double *u)
{
    const trm_constraint *h = &t->constraints[constraint];
    if (constraint >= t->count) {
        trm_constraint_speeds(h, V, u);
        for (int r = 0; h->b && r < h->rows; r++) u[r] -= h->b[r];
        return;
    }
    const trm_spatial a = V[h->body[0]], b = V[h->body[1]];
    const trm_vec3 apart = trm_v3_sub(trm_v3_add(a.lin, trm_v3_cross(a.ang, h->frame->arm[0])),
                                      trm_v3_add(b.lin, trm_v3_cross(b.ang, h->frame->arm[1])));
    for (int r = 0; r < 3; r++) u[r] = trm_v3_dot(h->frame->d[r], apart);
}

/* Returns the part of b of a row that contributes to the work: the remaining gap, or a rebound, is not a speed of
 * the mean motion. */
static double lift_of(const trm_contact_set *t, int constraint, int row)
{
    const trm_constraint *h = &t->constraints[constraint];
    const double b = h->b ? h->b[row] : 0;
    return constraint < t->count && row == 0 ? b - t->contacts[constraint].left : b;
}

/* Returns the speed, m/s, at which a contact separates penetrating bodies. It is not a gain: it ends with the
 * penetration. */
static double recovery_of(const trm_contact_set *t, int constraint, int row)
{
    return constraint < t->count && row == 0 ? t->contacts[constraint].recovery : 0;
}

/* Computes the contribution of gravity to the mean speeds of the step along all rows, m/s. */
static void find_fall(const trm_maximal *w, int constraint, double *fall)
{
    const trm_contact_set *t = w->contact_set;
    const trm_constraint *h = &t->constraints[constraint];
    for (int r = 0; r < h->rows; r++) fall[r] = 0;
    for (int k = 0; k < h->bodies; k++) {
        if (w->held[h->body[k]]) continue;
        const trm_vec3 falls = trm_v3_scale(t->falling, w->stepper->model->bodies[h->body[k]].gravity);
        for (int r = 0; r < h->rows; r++)
            fall[r] += constraint >= t->count ? trm_v3_dot(h->J[r * h->bodies + k].lin, falls)
                                              : (k ? -1 : 1) * trm_v3_dot(h->frame->d[r], falls);
    }
}

/* Computes V without the impulses of all passive constraints, into start.velocity. */
static void remove_passive_impulses(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    const int bodies = w->stepper->model->body_count;
    trm_spatial *V = t->start.velocity;
    memcpy(V, w->stepper->state->velocity, (size_t)bodies * sizeof *V);
    memset(w->accelerations.contact_wrench, 0, (size_t)bodies * sizeof *w->accelerations.contact_wrench);
    trm_contact_set_add_impulses(t, w->accelerations.contact_wrench);
    for (int i = t->count + t->memory.turn_count; i < t->constraint_count; i++) {
        const trm_constraint *constraint = &t->constraints[i];
        for (int r = 0; trm_constraint_is_passive(constraint) && r < constraint->rows; r++)
            for (int k = 0; k < constraint->bodies; k++)
                V[constraint->body[k]] = trm_sp_add_scaled(V[constraint->body[k]], -constraint->lambda[r],
                                                           constraint->W[r * constraint->bodies + k]);
    }
    for (int i = 0; i < bodies; i++)
        if (!w->held[i])
            V[i] = trm_sp_add_scaled(V[i], -1, trm_maximal_response(w, i, w->accelerations.contact_wrench[i]));
}

/* ---- The balance of an island ------------------------------------------------------------- */

typedef struct balance {
    double at_start;    /* J: lambda . u0~ */
    double at_end;      /* J: lambda . u~ */
    double lent;        /* J: -lambda . b of passive constraints that are not driven */
    double fallen;      /* J: part of the lent work that gravity takes back */
    double turnover;    /* J: sum |lambda| (|u0| + |u|) */
    bool contacts_only; /* it has no joints */
} balance;

static balance balance_of(const trm_maximal *w, const trm_problem_island *island)
{
    const trm_contact_set *t = w->contact_set;
    balance sum = {.contacts_only = true};
    for (int i = 0; i < island->constraint_count; i++) {
        const int constraint = island->constraints[i];
        const trm_constraint *h = &t->constraints[constraint];
        double before[TRM_JOINT_ROWS], now[TRM_JOINT_ROWS], fall[TRM_JOINT_ROWS];
        if (!trm_constraint_is_passive(h) ||
            (constraint < t->count && !trm_contact_set_acts(&t->contacts[constraint])))
            continue;
        sum.contacts_only = sum.contacts_only && constraint < t->count + t->memory.turn_count;
        speeds_of(t, constraint, t->start.velocity, before);
        speeds_of(t, constraint, w->stepper->state->velocity, now);
        find_fall(w, constraint, fall);
        for (int r = 0; r < h->rows; r++) {
            const double lambda = h->lambda[r], lift = lift_of(t, constraint, r),
                         recovery = recovery_of(t, constraint, r);
            sum.at_start += lambda * (before[r] + lift - recovery);
            sum.at_end += lambda * (now[r] + lift - recovery);
            sum.lent -= h->driven ? 0 : lambda * lift;
            sum.fallen -= h->driven ? 0 : lambda * fall[r];
            sum.turnover += fabs(lambda) * (fabs(before[r]) + fabs(now[r]) + fabs(lift));
        }
    }
    return sum;
}

static double gain_of(const balance *b)
{
    return 0.5 * (b->at_start + b->at_end);
}

/* Scales all impulses of an island that has only contacts by s. Its look-ahead follows from the scaled velocities. */
static void scale_impulses(trm_maximal *w, const trm_problem_island *island, double s)
{
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &w->contact_set->constraints[island->constraints[i]];
        for (int r = 0; r < constraint->rows; r++) constraint->lambda[r] *= s;
    }
    for (int i = 0; i < island->body_count; i++) {
        const int body = island->bodies[i];
        const trm_spatial from = w->contact_set->start.velocity[body];
        trm_spatial *V = &w->stepper->state->velocity[body];
        *V = trm_sp_add_scaled(from, s, trm_sp_add_scaled(*V, -1, from));
        w->look.moved[body] = !w->held[body];
    }
}

/* Scales impulses so that there is no gain. Returns false if there are joints and the gain is more than the solver
 * may leave. */
static bool remove_gain(trm_maximal *w, const trm_problem_island *island, balance *b)
{
    const double gain = gain_of(b);
    if (gain <= WORK_ROUNDING * b->turnover) return true;
    if (!b->contacts_only)
        return gain <= (w->stepper->step.dissipative ? LEFT_AT_LAST : LEFT_BY_SOLVER) * b->turnover;
    scale_impulses(w, island, fmax(0, -b->at_start / (b->at_end - b->at_start)));
    *b = balance_of(w, island);
    return true;
}

/* Returns the kinetic energy of an island before the impulses of this solution, J. */
static double kinetic_energy(const trm_maximal *w, const trm_problem_island *island)
{
    double sum = 0;
    for (int i = 0; i < island->body_count; i++) {
        const int body = island->bodies[i];
        const trm_body *b = &w->stepper->model->bodies[body];
        const trm_spatial V = w->contact_set->start.velocity[body];
        const trm_vec3 turn = trm_rotate_back(w->stepper->state->pose[body].q, V.ang);
        sum += 0.5 * (b->mass * trm_v3_dot(V.lin, V.lin) + b->inertia.x * turn.x * turn.x +
                      b->inertia.y * turn.y * turn.y + b->inertia.z * turn.z * turn.z);
    }
    return sum;
}

/* Returns whether the end of the step can take back the work that a look-ahead adds: that of gravity in half a
 * step, and for the curvature a small part of the kinetic energy. Distant solutions, where points of curved bodies
 * have moved far along their surface, lend more. */
static bool may_lend(const trm_maximal *w, double energy, const balance *b)
{
    return w->stepper->step.dissipative ||
           gain_of(b) + b->lent - b->fallen <= LENT * energy + WORK_ROUNDING * b->turnover;
}

bool trm_contact_set_bound_gain(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    bool good = true;
    t->lends = false;
    remove_passive_impulses(w);
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        const double energy = kinetic_energy(w, &island);
        balance b = balance_of(w, &island);
        good = remove_gain(w, &island, &b) && may_lend(w, energy, &b) && good;
        t->lends =
            t->lends || (b.contacts_only && b.lent - b.fallen > LITTLE_LENT * energy + WORK_ROUNDING * b.turnover);
        const double n = island.body_count;
        for (int k = 0; k < island.body_count; k++) {
            t->ledger[island.bodies[k]] =
                (trm_ledger){(gain_of(&b) + b.lent) / n, fabs(b.lent) / n, fmax(b.fallen, 0) / n};
        }
    }
    return good;
}

/* ---- Rebounds ----------------------------------------------------------------------------- */

/* Returns the sum of the ledger of an island's bodies. */
static trm_ledger ledger_of(const trm_contact_set *t, const trm_problem_island *island)
{
    trm_ledger sum = {0, 0, 0};
    for (int i = 0; i < island->body_count; i++) {
        sum.work += t->ledger[island->bodies[i]].work;
        sum.lent += t->ledger[island->bodies[i]].lent;
        sum.fallen += t->ledger[island->bodies[i]].fallen;
    }
    return sum;
}

static bool rebounds(const trm_contact_set *t, const trm_problem_island *island)
{
    for (int i = 0; i < island->constraint_count; i++)
        if (island->constraints[i] < t->count && t->contacts[island->constraints[i]].b[0] < 0) return true;
    return false;
}

/* The solution with rebounds, of all islands. */
typedef struct rebounded {
    trm_spatial *V; /* per body */
    double *lambda; /* six per constraint */
    bool *bounded;  /* per island: it would add energy */
} rebounded;

static bool make_rebounded(const trm_maximal *w, rebounded *r)
{
    const trm_contact_set *t = w->contact_set;
    trm_arena *arena = w->stepper->arena;
    r->V = trm_arena_copy(arena, w->stepper->state->velocity, (size_t)w->stepper->model->body_count, sizeof *r->V);
    r->lambda = TRM_NEW_ARRAY(arena, double, TRM_JOINT_ROWS * t->constraint_count);
    r->bounded = TRM_NEW_ARRAY(arena, bool, t->islands.count);
    for (int i = 0; r->lambda && i < t->constraint_count; i++)
        memcpy(r->lambda + TRM_JOINT_ROWS * i, t->constraints[i].lambda,
               (size_t)t->constraints[i].rows * sizeof(double));
    return r->V && r->lambda && r->bounded;
}

/* Restores the velocities before all impulses, and removes rebounds. */
static void begin_without_rebounds(trm_maximal *w, const trm_problem_island *island)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < island->body_count; i++)
        w->stepper->state->velocity[island->bodies[i]] = t->start.velocity[island->bodies[i]];
    for (int i = 0; i < island->constraint_count; i++) {
        const int constraint = island->constraints[i];
        if (trm_constraint_is_passive(&t->constraints[constraint]))
            memset(t->constraints[constraint].lambda, 0, (size_t)t->constraints[constraint].rows * sizeof(double));
        if (constraint < t->count) t->contacts[constraint].b[0] = t->contacts[constraint].left = 0;
    }
}

/* W_fit(s) = (1-s)^2 W_00 + s (1-s) W_01 + s^2 W_11 */
typedef struct blend {
    double none, both, all;
} blend;

static blend blend_of(const trm_maximal *w, const trm_problem_island *island, const rebounded *r)
{
    const trm_contact_set *t = w->contact_set;
    blend W = {0, 0, 0};
    for (int i = 0; i < island->constraint_count; i++) {
        const int constraint = island->constraints[i];
        const trm_constraint *h = &t->constraints[constraint];
        double before[TRM_JOINT_ROWS], without[TRM_JOINT_ROWS], with[TRM_JOINT_ROWS];
        speeds_of(t, constraint, t->start.velocity, before);
        speeds_of(t, constraint, w->stepper->state->velocity, without);
        speeds_of(t, constraint, r->V, with);
        for (int k = 0; trm_constraint_is_passive(h) && k < h->rows; k++) {
            const double lambda[2] = {h->lambda[k], r->lambda[TRM_JOINT_ROWS * constraint + k]};
            const double from = before[k] + 2 * lift_of(t, constraint, k);
            W.none += 0.5 * lambda[0] * (from + without[k]);
            W.both += 0.5 * (lambda[0] * (from + with[k]) + lambda[1] * (from + without[k]));
            W.all += 0.5 * lambda[1] * (from + with[k]);
        }
    }
    return W;
}

/* Returns the largest s in [0, 1] with W(s) + work <= 0; 0 if there is none. */
static double share_of(blend W, double work)
{
    const double a = W.none - W.both + W.all, b = 0.5 * (W.both - 2 * W.none), c = W.none + work;
    if (a + 2 * b + c <= 0) return 1;
    if (c >= 0) return 0;
    const double root = sqrt(fmax(b * b - a * c, 0)); /* c < 0 < a + 2 b + c: one crossing in between */
    return fmin(fmax(b > 0 ? -c / (b + root) : (root - b) / a, 0), 1);
}

static void mix_solutions(trm_maximal *w, const trm_problem_island *island, const rebounded *r, double s)
{
    for (int i = 0; i < island->body_count; i++) {
        trm_spatial *V = &w->stepper->state->velocity[island->bodies[i]];
        *V = trm_sp_add_scaled(*V, s, trm_sp_add_scaled(r->V[island->bodies[i]], -1, *V));
    }
    for (int i = 0; i < island->constraint_count; i++) {
        const int constraint = island->constraints[i];
        double *lambda = w->contact_set->constraints[constraint].lambda;
        for (int k = 0; k < w->contact_set->constraints[constraint].rows; k++)
            lambda[k] += s * (r->lambda[TRM_JOINT_ROWS * constraint + k] - lambda[k]);
    }
}

/* Solves islands that would add energy again without rebounds, and adds as much of the rebounds as their energy
 * permits. */
static bool reduce_rebounds(trm_maximal *w, const rebounded *r, trm_contact_set_accuracy accuracy,
                            trm_outcome *outcome)
{
    trm_contact_set *t = w->contact_set;
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        t->islands.changed[i] = r->bounded[i];
        if (r->bounded[i]) begin_without_rebounds(w, &island);
    }
    if (!trm_contact_set_solve(w, accuracy, outcome)) return false;
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        if (!r->bounded[i]) continue;
        balance b = balance_of(w, &island);
        if (!remove_gain(w, &island, &b) && !w->stepper->step.dissipative) return trm_contact_set_gained(w, outcome);
        mix_solutions(w, &island, r, share_of(blend_of(w, &island, r), ledger_of(t, &island).work));
        w->stepper->counters->guarded++;
    }
    return true;
}

/* Returns whether bodies without contact have returned the energy that was lent to them. */
static bool is_returned_by_others(const trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    trm_ledger sum = {0, 0, 0};
    for (int i = 0; i < w->stepper->model->body_count; i++) {
        if (t->islands.of[i] >= 0) continue;
        sum.work += t->ledger[i].work;
        sum.lent += t->ledger[i].lent;
        sum.fallen += t->ledger[i].fallen;
    }
    return sum.work <= (KEPT + WORK_ROUNDING) * sum.lent + sum.fallen;
}

/* Returns whether any island must be solved again. Sets *good to false if one has gained energy without rebounds. */
static bool find_bounded(trm_maximal *w, bool *bounded, bool *good)
{
    const trm_contact_set *t = w->contact_set;
    bool any = false;
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        const trm_ledger ledger = ledger_of(t, &island);
        const bool rebound = rebounds(t, &island);
        balance b = balance_of(w, &island);
        if (!rebound && !remove_gain(w, &island, &b)) *good = false;
        const double gain = gain_of(&b) + ledger.work, rounding = WORK_ROUNDING * (b.turnover + fabs(ledger.work));
        bounded[i] = rebound && gain > rounding;
        any = any || bounded[i];
        if (!rebound && gain > KEPT * ledger.lent + ledger.fallen + rounding) *good = false;
    }
    *good = *good && is_returned_by_others(w);
    return any;
}

bool trm_contact_set_bound_rebounds(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome)
{
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    rebounded r;
    bool good = true, ok = true;
    remove_passive_impulses(w);
    if (!make_rebounded(w, &r))
        ok = trm_fail_memory(outcome, "contacts");
    else if (find_bounded(w, r.bounded, &good) && good)
        ok = reduce_rebounds(w, &r, accuracy, outcome);
    trm_arena_reset(w->stepper->arena, mark);
    return ok && (good || w->stepper->step.dissipative || trm_contact_set_gained(w, outcome));
}

bool trm_contact_set_gained(trm_maximal *w, trm_outcome *outcome)
{
    w->stepper->step.gained = true;
    return trm_fail(outcome, INFINITY, "contacts", NULL, "they would add energy");
}
