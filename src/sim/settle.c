/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What joints do from an event on: all that can change at the present state are looked at together.
 *
 * Candidates are the one-sided joints at their bound and the joints of limited force that do not slip. Without them the
 * machine answers to unit impulses along their rows by velocities, and their rows to each other by D, symmetric and not
 * negative.
 *
 *     impact        w = v + D p,   p <= 0,   w <= -e v,   one of both equal:   the impulses of one-sided joints. A limited
 *                   force has no impulse, so that what stuck by one may slip now.
 *     from then on  c'' = b + D l:   l <= 0, c'' <= 0 of one-sided joints, one of both 0;   -F <= l <= F of limited
 *                   ones, c'' = 0 between the bounds, away from them beyond
 *
 * Both are boxed complementarity problems and are solved by projected Gauss-Seidel, which converges for such D. Who has a
 * force within its bounds is held; the others let go, or slip. Where neither force nor c'' tells, as at the very moment
 * at which a force ends, the joint whose event this is changes, and the others stay what they were. */

#include "sim/sim.h"

/* m/s, rad/s: slower than this nothing bounces; and a joint that opens no faster is still there. */
static const double REST_SPEED = 1e-6, NO_SPEED = 1e-10;
/* Sweeps of Gauss-Seidel, and by how much of the largest unknown they may still change one. */
enum { MOST_SWEEPS = 100000 };
/* Events in one step, more than which are many. */
enum { MANY_EVENTS = 64 };
static const double SETTLED = 1e-14;
/* Of a row's own answer: where less is left, the rows before it imply it. */
static const double IMPLIED = 1e-8;
/* Parts of the largest acceleration that are nothing. */
static const double NO_ACCELERATION = 1e-9;

/* The problem: unknowns x within lo .. hi, and y = b + D x. */
typedef struct box {
    int count;
    const int *joints;
    double *D, *b, *lo, *hi, *x;
} box;

static const trm_joint *joint_of(const trm_sim *sim, int joint)
{
    return &sim->state->model->joints[joint];
}

static bool can_slip(const trm_joint *joint)
{
    return isfinite(joint->most);
}

/* ---- The problem -------------------------------------------------------------------------- */

static double row_of_box(const box *p, int i)
{
    double y = p->b[i];
    for (int k = 0; k < p->count; k++) y += p->D[i * p->count + k] * p->x[k];
    return y;
}

static void solve_box(box *p)
{
    for (int i = 0; i < p->count; i++) p->x[i] = 0;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double change = 0, largest = 0;
        for (int i = 0; i < p->count; i++) {
            const double own = p->D[i * p->count + i], before = p->x[i];
            if (!(own > 0)) continue;
            p->x[i] = fmin(fmax(before - row_of_box(p, i) / own, p->lo[i]), p->hi[i]);
            change = fmax(change, fabs(p->x[i] - before));
            largest = fmax(largest, fabs(p->x[i]));
        }
        if (change <= SETTLED * largest) return;
    }
}

/* How the rows of all candidates answer to each, none of them acting. */
static bool fill_box(trm_sim *sim, box *p, trm_outcome *outcome)
{
    for (int k = 0; k < p->count; k++) {
        trm_spatial *V = sim->responses + (size_t)k * (size_t)sim->state->model->body_count;
        if (!sim->method->respond(sim->workspace, p->joints[k], V, outcome)) return false;
        for (int i = 0; i < p->count; i++) {
            trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
            const trm_joint_at at = trm_joint_now(sim->state, p->joints[i]);
            trm_joint_jacobian(&at, J);
            p->D[i * p->count + k] = 0;
            for (int b = 0; b < at.joint->body_count; b++)
                p->D[i * p->count + k] += trm_sp_dot(J[b], V[at.joint->body[b]]);
        }
    }
    return true;
}

/* Room for all watched joints. */
static box make_box(trm_sim *sim, const int *joints, int count)
{
    double *room = sim->box;
    const size_t n = (size_t)sim->watched_count;
    return (box){count, joints, room, room + n * n, room + n * n + n, room + n * n + 2 * n, room + n * n + 3 * n};
}

/* ---- Candidates --------------------------------------------------------------------------- */

static bool is_at_bound(const trm_sim *sim, int joint)
{
    double c[TRM_JOINT_ROWS];
    const trm_joint_at at = trm_joint_now(sim->state, joint);
    trm_joint_residual(&at, c);
    return c[0] >= -2 * trm_sim_nearness(sim, joint);
}

/* One-sided joints at their bound that leave it no faster than this, and one that is not to leave; they do not act from
 * now on. */
static int choose_one_sided(trm_sim *sim, double leaving, int kept, int *list)
{
    int count = 0;
    for (int i = 0; i < sim->watched_count; i++) {
        const int joint = sim->watched[i];
        if (!joint_of(sim, joint)->one_sided || !sim->state->attached[joint]) continue;
        const bool stays = joint == kept || trm_joint_speed(sim->state, joint) >= -leaving;
        const bool there = is_at_bound(sim, joint) && stays;
        sim->state->mode[joint] = TRM_SLACK;
        if (there) list[count++] = joint;
    }
    return count;
}

/* What was remembered of a joint that has slipped is where it is now. */
static void remember_place(trm_sim *sim, int joint)
{
    const trm_joint_at at = trm_joint_now(sim->state, joint);
    if (at.mode != TRM_HELD) trm_joint_remember(&at, 0, sim->state->memory + at.joint->memory_offset);
}

/* Joints of limited force that stand still; all others slip as their speed has it. */
static int choose_still(trm_sim *sim, int *list)
{
    int count = 0;
    for (int i = 0; i < sim->watched_count; i++) {
        const int joint = sim->watched[i];
        if (!can_slip(joint_of(sim, joint)) || !sim->state->attached[joint]) continue;
        const double speed = trm_joint_speed(sim->state, joint);
        if (fabs(speed) <= TRM_NO_SLIP) {
            remember_place(sim, joint);
            sim->state->mode[joint] = TRM_SLACK;
            list[count++] = joint;
        } else {
            sim->state->mode[joint] = speed > 0 ? TRM_PLUS : TRM_MINUS;
        }
    }
    return count;
}

/* ---- Impact ------------------------------------------------------------------------------- */

/* Limited forces are out of an impact, and what they did is looked up when it is over. */
void trm_sim_let_limited_go(trm_sim *sim)
{
    for (int i = 0; i < sim->watched_count; i++) {
        const int joint = sim->watched[i];
        if (!can_slip(joint_of(sim, joint)) || sim->state->mode[joint] != TRM_HELD) continue;
        remember_place(sim, joint);
        sim->state->mode[joint] = TRM_PLUS;
    }
}

static void apply_impulses(trm_sim *sim, const box *p)
{
    trm_state *state = sim->state;
    for (int k = 0; k < p->count; k++) {
        const trm_spatial *V = sim->responses + (size_t)k * (size_t)state->model->body_count;
        for (int i = 0; i < state->model->body_count; i++)
            if (state->model->bodies[i].inverse_mass > 0)
                state->velocity[i] = trm_sp_add_scaled(state->velocity[i], p->x[k], V[i]);
    }
}

static double work_at_present_speeds(const trm_sim *sim, const box *p)
{
    double work = 0;
    for (int i = 0; i < p->count; i++) work += p->x[i] * trm_joint_speed(sim->state, p->joints[i]);
    return work;
}

/* What bounces to and fro many times in one step comes to rest in it, as far as that step can tell: the speed below which
 * nothing bounces grows. */
static double rest_speed(const trm_sim *sim)
{
    return REST_SPEED * exp2(0.25 * fmax(sim->events_in_row - MANY_EVENTS, 0));
}

/* Velocities after all impacts at this state. */
static bool strike(trm_sim *sim, trm_outcome *outcome)
{
    const int count = choose_one_sided(sim, INFINITY, -1, sim->candidates);
    box p = make_box(sim, sim->candidates, count);
    bool any = false;
    for (int i = 0; i < count; i++) any = any || trm_joint_speed(sim->state, p.joints[i]) > NO_SPEED;
    if (!any) return true;
    const double before = trm_state_energy(sim->state).kinetic;
    trm_sim_let_limited_go(sim);
    if (!fill_box(sim, &p, outcome)) return false;
    for (int i = 0; i < count; i++) {
        const double speed = fmax(trm_joint_speed(sim->state, p.joints[i]), 0);
        const double rebound = joint_of(sim, p.joints[i])->limit_restitution * speed;
        p.b[i] = trm_joint_speed(sim->state, p.joints[i]) + (rebound > rest_speed(sim) ? rebound : 0);
        p.lo[i] = -INFINITY, p.hi[i] = 0;
        sim->counters.impacts += speed > REST_SPEED;
    }
    solve_box(&p);
    double own = work_at_present_speeds(sim, &p);
    apply_impulses(sim, &p);
    own = 0.5 * (own + work_at_present_speeds(sim, &p));
    trm_add_impact_work(sim->state, trm_state_energy(sim->state).kinetic - before, own);
    return true;
}

/* ---- From then on ------------------------------------------------------------------------- */

/* Within its bounds, at the lower or at the upper one, as far as rounding tells. */
static int side_of(const box *p, int i, double nothing)
{
    const double own = p->D[i * p->count + i];
    const double none = isfinite(p->lo[i]) ? NO_ACCELERATION * fabs(p->lo[i]) : own > 0 ? nothing / own : 0;
    return p->x[i] <= p->lo[i] + none ? -1 : p->x[i] >= p->hi[i] - none ? 1 : 0;
}

static trm_joint_mode mode_of(const trm_sim *sim, const box *p, int i, double nothing, int trigger)
{
    const int joint = p->joints[i], side = side_of(p, i, nothing);
    const double c_ddot = row_of_box(p, i);
    const bool was_held = sim->was[joint] == TRM_HELD;
    const trm_joint_mode free = joint_of(sim, joint)->one_sided ? TRM_SLACK
                                : side < 0                      ? TRM_PLUS
                                                                : TRM_MINUS; /* at -F it slips on */
    if (!(p->D[i * p->count + i] > 0) && !joint_of(sim, joint)->one_sided)
        return c_ddot >= 0 ? TRM_PLUS : TRM_MINUS; /* others move it */
    if (side == 0) return TRM_HELD;
    if (fabs(c_ddot) > nothing) return free;
    return was_held == (joint == trigger) ? free : TRM_HELD;
}

/* A row that the others which hold imply holds already, and two that differ by rounding would fight: it is let go, stops
 * being kept before forces of limited size. By elimination in D, whose rows are those that hold, in this order. */
static void let_implied_go(trm_sim *sim, box *p)
{
    const int n = p->count;
    double *own = p->lo; /* nobody asks for bounds any more */
    for (int k = 0; k < n; k++) own[k] = p->D[k * n + k];
    for (int k = 0; k < n; k++) {
        signed char *mode = &sim->state->mode[p->joints[k]];
        const double pivot = p->D[k * n + k];
        if (*mode == TRM_HELD && !(pivot > IMPLIED * own[k])) *mode = TRM_SLACK;
        if (*mode != TRM_HELD) continue;
        for (int i = k + 1; i < n; i++) {
            const double share = p->D[i * n + k] / pivot;
            for (int c = k + 1; c < n; c++) p->D[i * n + c] -= share * p->D[k * n + c];
        }
    }
}

static bool hold(trm_sim *sim, int trigger, int kept, trm_outcome *outcome)
{
    const int one_sided = choose_one_sided(sim, NO_SPEED, kept, sim->candidates);
    const int count = one_sided + choose_still(sim, sim->candidates + one_sided);
    box p = make_box(sim, sim->candidates, count);
    if (count == 0) return true;
    if (!fill_box(sim, &p, outcome) || !sim->method->reactions(sim->workspace, outcome)) return false;
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const double most = joint_of(sim, p.joints[i])->most, own = p.D[i * count + i];
        p.b[i] = sim->method->opening(sim->workspace, p.joints[i]);
        p.lo[i] = -most, p.hi[i] = i < one_sided ? 0 : most;
        largest = fmax(largest, fmax(fabs(p.b[i]), own * (isfinite(most) ? most : sim->state->clock->largest_force)));
    }
    solve_box(&p);
    for (int i = 0; i < count; i++)
        sim->state->mode[p.joints[i]] = (signed char)mode_of(sim, &p, i, NO_ACCELERATION * largest, trigger);
    let_implied_go(sim, &p);
    return true;
}

bool trm_sim_settle(trm_sim *sim, int trigger, trm_outcome *outcome)
{
    for (int j = 0; j < sim->state->model->joint_count; j++) sim->was[j] = sim->state->mode[j];
    if (!sim->method->fit_velocities(sim->workspace, outcome)) return false;
    /* one that leaves its bound and still comes to its event has bounced too low to be seen: it stays */
    const bool too_low = trigger >= 0 && joint_of(sim, trigger)->one_sided && sim->was[trigger] == TRM_SLACK &&
                         trm_joint_speed(sim->state, trigger) < 0;
    return strike(sim, outcome) && hold(sim, trigger, too_low ? trigger : -1, outcome) &&
           sim->method->capture(sim->workspace, outcome);
}
