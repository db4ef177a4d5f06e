/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Modes of joints after an event: all joints that can change at the present state are solved together.
 *
 * Candidates are the one-sided joints at their bound and the joints of limited force that do not slip. Without them,
 * the response of the machine to unit impulses along their rows is a set of velocities, and the response of their
 * rows to each other is D, symmetric and positive semidefinite.
 *
 *     impact      w = v + D p,   p <= 0,   w <= -e v,   one of the two equal:   the impulses of one-sided joints. A
 *                 limited force has no impulse, so that a joint that sticks by it may slip after the impact.
 *     afterwards  c'' = b + D l:   l <= 0, c'' <= 0 of one-sided joints, one of the two 0;   -F <= l <= F of limited
 *                 ones, c'' = 0 between the bounds, away from them beyond
 *
 * Both are boxed complementarity problems over all candidates (linalg/lcp.h). Dantzig's method solves them. If
 * rounding of dependent rows defeats it, Lemke's method follows, then sweeps. A joint with a force within its bounds
 * is closed or sticks; the others open or slip. Where neither force nor c'' decides, for example at the very time at
 * which a force ends, the joint whose event this is changes its mode, and the others keep theirs.
 *
 * An impact of shapes may open stops and ropes that are held: a ball that hits a door pressed against its stop swings it
 * open. They take part in it only if they are pushed towards their bounds. Therefore all are open at first. Those that
 * then move towards their bounds are held, and the impact is computed again, until none does.
 *
 * Impacts of several stops may follow each other infinitely often, each impact opening the other stop. A stop that
 * leaves its bound at the speed v but is pushed back with the acceleration a rises by v^2/(2a). Where that is less than
 * the nearness within which a joint is at its bound, the rise is not visible, and the stop stays closed instead.
 *
 * Contacts of shapes enter this problem only by their forces of the last step. Where they decide, the next step may
 * find at once that a stop does not leave its bound although its c'' says so. Events that follow each other many times
 * in one step end in a time-stepping step (time_step.c). */

#include "linalg/lcp.h"
#include "methods/maximal/maximal.h"
#include "sim/sim.h"

/* m/s, rad/s: nothing slower than REST_SPEED bounces, and a joint that opens no faster than NO_SPEED is still at its
 * bound. Larger values end bounces too early and count opening joints as closed, smaller ones make events of
 * rounding. */
static const double REST_SPEED = 1e-6, NO_SPEED = 1e-10;
/* Largest number of Gauss-Seidel sweeps. */
enum { MOST_SWEEPS = 1000 };
/* Fraction of the largest unknown: a smaller change ends the sweeps. A larger value leaves accelerations of its size,
 * a smaller one is below rounding, so that MOST_SWEEPS ends the sweeps. Tests pass with a tenth and with ten times of
 * it. */
static const double SETTLED = 1e-14;
/* Fraction of a row's own response: if less is left, the preceding rows imply it. A larger value releases rows that
 * others do not imply, a smaller one keeps redundant rows and makes the system singular. Tests pass with a tenth and
 * with ten times of it. */
static const double IMPLIED = 1e-8;
/* In units of nearness: the joint whose event it is counts as at its bound within this distance. A larger value holds
 * joints that have not arrived, a smaller one misses the joint of the event where steps are long. Tests pass with a
 * tenth and with ten times of it. */
static const double TRIGGER_NEAR = 1e3;
/* Fraction of the largest acceleration: a smaller one is rounding. A larger value holds joints that open slowly, a
 * smaller one releases joints because of rounding. */
static const double NO_ACCELERATION = 1e-9;

/* The problem: unknowns x within lo .. hi, and y = b + D x. */
typedef struct box {
    int count;
    const int *joints;
    double *D, *b, *lo, *hi, *x;
} box;

/* ---- The problem -------------------------------------------------------------------------- */

static double row_of_box(const box *p, int i)
{
    double y = p->b[i];
    for (int k = 0; k < p->count; k++) y += p->D[i * p->count + k] * p->x[k];
    return y;
}

/* Excludes rows without response from the forces, so that no solver divides by them. */
static void exclude_dead_rows(box *p)
{
    for (int i = 0; i < p->count; i++)
        if (!(p->D[i * p->count + i] > 0)) p->lo[i] = p->hi[i] = 0;
}

/* Solves the problem. Returns false if out of memory. */
static bool solve_box(trm_sim *sim, box *p)
{
    const trm_lcp lcp = {.n = p->count, .A = p->D, .b = p->b, .lo = p->lo, .hi = p->hi, .x = p->x};
    const trm_lcp_sweeps sweeps = {.most = MOST_SWEEPS, .sor = 1, .tolerance = SETTLED};
    const trm_arena_mark mark = trm_arena_get_mark(&sim->arena);
    exclude_dead_rows(p);
    trm_lcp_status status = trm_lcp_dantzig(&lcp, &sim->arena).status;
    if (status != TRM_LCP_SOLVED && status != TRM_LCP_NO_MEMORY) status = trm_lcp_lemke(&lcp, &sim->arena).status;
    if (status != TRM_LCP_SOLVED && status != TRM_LCP_NO_MEMORY) {
        for (int i = 0; i < p->count; i++) p->x[i] = 0;
        status = trm_lcp_pgs(&lcp, &sweeps, &sim->arena).status;
    }
    trm_arena_reset(&sim->arena, mark);
    return status != TRM_LCP_NO_MEMORY;
}

/* Removes rounding from D, because solvers rely on its symmetry. */
static void make_symmetric(box *p)
{
    const int n = p->count;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) p->D[i * n + k] = p->D[k * n + i] = 0.5 * (p->D[i * n + k] + p->D[k * n + i]);
}

/* Computes D, the response of the rows of all candidates to each, while none of them acts. Returns false on
 * failure. */
static bool fill_box(trm_sim *sim, box *p, trm_outcome *outcome)
{
    for (int k = 0; k < p->count; k++) {
        trm_spatial *V = sim->settling.responses + (size_t)k * (size_t)sim->state->model->body_count;
        if (!trm_maximal_respond(sim->stepper.machine, p->joints[k], V, outcome)) return false;
        for (int i = 0; i < p->count; i++) {
            trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
            const trm_joint_at at = trm_joint_now(sim->state, p->joints[i]);
            trm_joint_jacobian(&at, J);
            p->D[i * p->count + k] = 0;
            for (int b = 0; b < at.joint->body_count; b++)
                p->D[i * p->count + k] += trm_sp_dot(J[b], V[at.joint->body[b]]);
        }
    }
    make_symmetric(p);
    return true;
}

/* Returns a problem for these joints, in memory with room for all watched joints. */
static box make_box(trm_sim *sim, const int *joints, int count)
{
    double *room = sim->settling.box;
    const size_t n = (size_t)sim->events.watched_count;
    return (box){count, joints, room, room + n * n, room + n * n + n, room + n * n + 2 * n, room + n * n + 3 * n};
}

/* ---- Candidates --------------------------------------------------------------------------- */

static double residual_of(const trm_sim *sim, int joint)
{
    double c[TRM_JOINT_ROWS];
    const trm_joint_at at = trm_joint_now(sim->state, joint);
    trm_joint_residual(&at, c);
    return c[0];
}

/* Returns whether a joint is at its bound. The joint whose event this is may be a little farther away: where other
 * joints jump as their gaps close, the time of the event is not located more exactly. */
static bool is_at_bound(const trm_sim *sim, int joint, int trigger)
{
    return residual_of(sim, joint) >= -(joint == trigger ? TRIGGER_NEAR : 2) * trm_sim_nearness(sim, joint);
}

/* Lists the one-sided joints at their bound, and deactivates all one-sided joints. Returns how many are listed. */
static int choose_one_sided(trm_sim *sim, int trigger, int *list)
{
    int count = 0;
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        if (!trm_sim_joint(sim, joint)->one_sided || !sim->state->attached[joint]) continue;
        if (is_at_bound(sim, joint, trigger)) list[count++] = joint;
        sim->state->mode[joint] = TRM_SLACK;
    }
    return count;
}

/* Stores the present position of a joint that has slipped. */
void trm_sim_remember_place(trm_sim *sim, int joint)
{
    const trm_joint_at at = trm_joint_now(sim->state, joint);
    if (at.mode != TRM_HELD) trm_joint_remember(&at, 0, sim->state->memory + at.joint->memory_offset);
}

/* Lists the joints of limited force that are at rest; all others slip in the direction of their speed. Returns how
 * many are listed. */
static int choose_still(trm_sim *sim, int *list)
{
    int count = 0;
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        if (!trm_joint_can_slip(trm_sim_joint(sim, joint)) || !sim->state->attached[joint]) continue;
        const double speed = trm_joint_speed(sim->state, joint);
        if (fabs(speed) <= TRM_NO_SLIP) {
            trm_sim_remember_place(sim, joint);
            sim->state->mode[joint] = TRM_SLACK;
            list[count++] = joint;
        } else {
            sim->state->mode[joint] = speed > 0 ? TRM_PLUS : TRM_MINUS;
        }
    }
    return count;
}

/* ---- Impact ------------------------------------------------------------------------------- */

/* Joints of limited force take no part in an impact; their modes are found after it. */
void trm_sim_release_limited(trm_sim *sim)
{
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        if (!trm_joint_can_slip(trm_sim_joint(sim, joint)) || sim->state->mode[joint] != TRM_HELD) continue;
        trm_sim_remember_place(sim, joint);
        sim->state->mode[joint] = TRM_PLUS;
    }
}

/* Lists the one-sided joints that are held, and opens them. Returns how many are listed. */
static int open_held(trm_sim *sim, int *list)
{
    int count = 0;
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        if (!trm_sim_joint(sim, joint)->one_sided || sim->state->mode[joint] != TRM_HELD) continue;
        sim->state->mode[joint] = TRM_SLACK;
        list[count++] = joint;
    }
    return count;
}

/* Holds, in the state to start again from, the listed joints that are open and move towards their bounds. Returns
 * whether there are any. */
static bool activate_pushed(const trm_sim *sim, const int *list, int count, trm_state *again)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (sim->state->mode[list[i]] != TRM_SLACK || trm_joint_speed(sim->state, list[i]) <= NO_SPEED) continue;
        again->mode[list[i]] = TRM_HELD;
        any = true;
    }
    return any;
}

bool trm_sim_impact_of_shapes(trm_sim *sim, trm_outcome *outcome)
{
    int *held = sim->settling.candidates;
    const int count = open_held(sim, held);
    const long long guarded = sim->counters.guarded;
    bool again = count > 0;
    if (again) trm_state_copy(sim->steps.before, sim->state);
    do {
        if (!sim->method->contacts->impact(sim->stepper.machine, outcome)) return false;
        again = again && activate_pushed(sim, held, count, sim->steps.before);
        if (!again) continue;
        trm_state_copy(sim->state, sim->steps.before);
        sim->counters.guarded = guarded;
    } while (again);
    for (int i = 0; i < count; i++)
        if (trm_joint_speed(sim->state, held[i]) >= -NO_SPEED) sim->state->mode[held[i]] = TRM_HELD;
    return true;
}

static void apply_impulses(trm_sim *sim, const box *p)
{
    trm_state *state = sim->state;
    for (int k = 0; k < p->count; k++) {
        const trm_spatial *V = sim->settling.responses + (size_t)k * (size_t)state->model->body_count;
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

/* Computes the velocities after all impacts at this state. Returns false on failure. */
static bool apply_impacts(trm_sim *sim, int trigger, trm_outcome *outcome)
{
    const int count = choose_one_sided(sim, trigger, sim->settling.candidates);
    box p = make_box(sim, sim->settling.candidates, count);
    bool any = false;
    for (int i = 0; i < count; i++) any = any || trm_joint_speed(sim->state, p.joints[i]) > NO_SPEED;
    if (!any) return true;
    const double before = trm_state_energy(sim->state).kinetic;
    trm_sim_release_limited(sim);
    if (!fill_box(sim, &p, outcome)) return false;
    for (int i = 0; i < count; i++) {
        const double speed = fmax(trm_joint_speed(sim->state, p.joints[i]), 0);
        const double rebound = trm_sim_joint(sim, p.joints[i])->limit_restitution * speed;
        p.b[i] = trm_joint_speed(sim->state, p.joints[i]) + (rebound > REST_SPEED ? rebound : 0);
        p.lo[i] = -INFINITY, p.hi[i] = 0;
        sim->counters.impacts += speed > REST_SPEED;
    }
    if (!solve_box(sim, &p)) return trm_fail_memory(outcome, "joints");
    double own = work_at_present_speeds(sim, &p);
    apply_impulses(sim, &p);
    own = 0.5 * (own + work_at_present_speeds(sim, &p));
    trm_add_impact_work(sim->state, trm_state_energy(sim->state).kinetic - before, own);
    return true;
}

/* ---- After the impact --------------------------------------------------------------------- */

/* Returns 0 for a force within its bounds, -1 at the lower and 1 at the upper one, up to rounding. */
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
    const bool was_held = sim->settling.was[joint] == TRM_HELD;
    const bool forwards = p->lo[i] < p->hi[i] ? side < 0 : c_ddot >= 0; /* at -F it slips forwards; F may be 0 */
    const trm_joint_mode free = trm_sim_joint(sim, joint)->one_sided ? TRM_SLACK : forwards ? TRM_PLUS : TRM_MINUS;
    if (!(p->D[i * p->count + i] > 0) && !trm_sim_joint(sim, joint)->one_sided)
        return c_ddot >= 0 ? TRM_PLUS : TRM_MINUS;                               /* others move it */
    if (trm_sim_joint(sim, joint)->one_sided && p->lo[i] == 0) return TRM_SLACK; /* it opens */
    if (side == 0) return TRM_HELD;
    if (fabs(c_ddot) > nothing) return free;
    return was_held == (joint == trigger) ? free : TRM_HELD;
}

/* Deactivates rows that other active rows imply, because two rows that differ by rounding would contradict each
 * other. Stops have priority over limited forces. Eliminates in D, in the order of the active rows. */
static void release_implied(trm_sim *sim, box *p)
{
    const int n = p->count;
    double *own = p->lo; /* bounds are not needed any more */
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

/* Returns the row, among the first one_sided, with the highest visible bounce; -1: none is visible. */
static int highest_bounce(const trm_sim *sim, const box *p, int one_sided, int kept)
{
    int highest = -1;
    double most = 1;
    for (int i = 0; i < one_sided; i++) {
        const double speed = -trm_joint_speed(sim->state, p->joints[i]);
        const double pressed = -p->x[i] * p->D[i * p->count + i]; /* m/s^2, rad/s^2: towards its bound */
        const double height = 0.5 * speed * speed / trm_sim_nearness(sim, p->joints[i]);
        if (p->joints[i] == kept || speed <= NO_SPEED || p->lo[i] == 0 || p->hi[i] > 0) continue;
        if (height > most * pressed || !(pressed > 0)) most = pressed > 0 ? height / pressed : INFINITY, highest = i;
    }
    return highest;
}

/* Computes the forces of all candidates. A stop that leaves its bound with a visible bounce has none. Returns false
 * if out of memory. */
static bool find_forces(trm_sim *sim, box *p, int one_sided, int kept)
{
    for (int i = 0; i >= 0;) {
        if (!solve_box(sim, p)) return false;
        i = highest_bounce(sim, p, one_sided, kept);
        if (i >= 0) p->lo[i] = p->hi[i] = 0;
    }
    return true;
}

static bool find_modes(trm_sim *sim, int trigger, int kept, trm_outcome *outcome)
{
    const int one_sided = choose_one_sided(sim, trigger, sim->settling.candidates);
    const int count = one_sided + choose_still(sim, sim->settling.candidates + one_sided);
    box p = make_box(sim, sim->settling.candidates, count);
    if (count == 0) return true;
    if (!fill_box(sim, &p, outcome) || !sim->method->reactions(sim->workspace, outcome)) return false;
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const trm_joint_at at = trm_joint_now(sim->state, p.joints[i]);
        const double most = trm_joint_most(&at), own = p.D[i * count + i];
        p.b[i] = trm_maximal_row_acceleration(sim->stepper.machine, p.joints[i]);
        p.lo[i] = -most, p.hi[i] = i < one_sided ? 0 : most;
        largest = fmax(largest, fmax(fabs(p.b[i]), own * (isfinite(most) ? most : sim->state->clock->largest_force)));
    }
    if (!find_forces(sim, &p, one_sided, kept)) return trm_fail_memory(outcome, "joints");
    const double nothing = NO_ACCELERATION * largest;
    for (int i = 0; i < count; i++)
        sim->state->mode[p.joints[i]] = (signed char)mode_of(sim, &p, i, nothing, trigger);
    release_implied(sim, &p);
    return true;
}

/* Returns whether an active one-sided joint is farther from its bound than the joint tolerance. */
static bool is_any_open(const trm_sim *sim)
{
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        const trm_joint *j = trm_sim_joint(sim, joint);
        const double closed = j->angular[0] ? sim->options.angle_tolerance : sim->options.position_tolerance;
        if (j->one_sided && sim->state->attached[joint] && sim->state->mode[joint] == TRM_HELD &&
            fabs(residual_of(sim, joint)) > closed)
            return true;
    }
    return false;
}

/* Closes the remaining gaps of active stops. Otherwise the next step, of any length, would close them, and would move
 * joints that are close to their bounds across them. Returns false if out of memory. */
static bool close_held(trm_sim *sim)
{
    trm_outcome unheard = {.ok = true};
    trm_state *state = sim->state;
    const size_t bodies = (size_t)state->model->body_count;
    const trm_arena_mark mark = trm_arena_get_mark(&sim->arena);
    if (!is_any_open(sim)) return true;
    trm_pose *poses = trm_arena_copy(&sim->arena, state->pose, bodies, sizeof *poses);
    if (poses && !sim->method->project_positions(sim->workspace, &unheard))
        memcpy(state->pose, poses, bodies * sizeof *poses);
    trm_arena_reset(&sim->arena, mark);
    return poses != NULL;
}

static double energy_beyond_work(const trm_sim *sim)
{
    return trm_state_energy(sim->state).kinetic - trm_works_sum(sim->state->clock->work);
}

/* Projects velocities onto the active constraints. A stop that was opening loses energy in this projection, as in an
 * impact. Returns false on failure. */
static bool capture(trm_sim *sim, trm_outcome *outcome)
{
    if (!close_held(sim)) return trm_fail_memory(outcome, "joints");
    const double before = energy_beyond_work(sim);
    if (!sim->method->capture(sim->workspace, outcome)) return false;
    trm_add_work(sim->state, 1, (trm_works){.impact = energy_beyond_work(sim) - before});
    return true;
}

bool trm_sim_settle(trm_sim *sim, int trigger, trm_outcome *outcome)
{
    for (int j = 0; j < sim->state->model->joint_count; j++) sim->settling.was[j] = sim->state->mode[j];
    if (!sim->method->project_velocities(sim->workspace, outcome)) return false;
    /* a stop that leaves its bound but still has an event has bounced too low to be visible: it stays closed */
    const bool too_low = trigger >= 0 && trm_sim_joint(sim, trigger)->one_sided &&
                         sim->settling.was[trigger] == TRM_SLACK && trm_joint_speed(sim->state, trigger) < 0;
    return apply_impacts(sim, trigger, outcome) && find_modes(sim, trigger, too_low ? trigger : -1, outcome) &&
           capture(sim, outcome);
}
