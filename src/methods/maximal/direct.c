/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves for all joints of an island at once (Schmitt 2003, section 7; SBP sections 4, 5).
 *
 * Positions: c(q(t+h)) = 0 is solved for the impulses lambda at t. Two iterations solve  dlambda = -(matrix)^-1 c/h:
 *
 *     simplified Newton   A = J(q_t) M^-1 J(q_t)^T, factorised once per pose and used in all rounds. It differs from
 *                         the derivative by O(h): the rate is linear, each round gains a factor of order 1/h. It starts
 *                         with the forces of the last step.
 *     Newton              B, the derivative itself (direct_exact.c), recomputed in every round: quadratic. B is solved
 *                         densely for the shortest dlambda that closes the joints as far as possible. It starts from 0.
 *
 * After a round of the first that gained less than a factor GAIN the second one takes over; near singular poses only it
 * converges. Islands of more than TRM_MOST_EXACT_ROWS rows try the first again, from 0 and with any gain.
 * trm_maximal_exact uses only the second one, as SBP section 5 does.
 *
 * Velocities: A mu = -(J V + c_t) with the factorisation that the next look-ahead uses.
 *
 * Redundant rows: A is positive semi-definite. The right sides are consistent: exactly for velocities, to first order
 * for c, and the residuals of dropped rows are checked in every round. The solver therefore drops rows whose pivot
 * vanishes (linalg/block_ldlt.h), or others that carry more of the dependency (redundancy.c). It counts and names
 * them.
 *
 * Islands are independent: each is solved alone, several at a time where there are many. */

#include "methods/maximal/direct.h"

#include <string.h>

#include "base/parallel.h"
#include "methods/ranks/rank_map.h"

/* Simplified Newton ends after a round that reduces the residual by less than this factor. A larger value would
 * change to the exact matrix where two more rounds suffice; a smaller one would continue rounds that converge
 * slowly. */
static const double GAIN = 4;
enum { MOST_NEWTON = 40, GROWTH_ALLOWED = 100 };
/* Velocities of redundant rows are consistent if they differ by at most the fraction CONSISTENT of the speeds of
 * the rows, or by the angle PER_ARM D_max by which open joints turn rows on lever arms of a centimetre or more.
 * Larger values hide drives that contradict each other, smaller ones report rounding. Tests pass with a tenth and
 * with ten times of it. */
static const double CONSISTENT = 1e-9, PER_ARM = 100;
/* Several threads are used for at least this many islands with this many rows together. */
enum { MANY_ISLANDS = 8, MANY_ROWS = 3000 };

/* ---- Creating ------------------------------------------------------------------------------ */

/* Islands shared among ranks are too large, and this rank does not know all of their rows. */
static bool is_solved_exactly(const trm_maximal *w, const trm_direct_island *island)
{
    return !island->shared && (w->solver->exact || island->joint_rows <= TRM_MOST_EXACT_ROWS);
}

/* Allocates memory for at least one self-stress of the largest island with loops. If the workspace of the exact
 * matrix is large enough, it is used: both are never in use at the same time. Returns false when out of memory. */
static bool make_stress_workspaces(trm_direct *d, int exact_rows, int bodies, trm_arena *arena)
{
    int most = 0;
    for (int i = 0; i < d->island_count; i++)
        if (d->islands[i].loops && d->islands[i].rows > most) most = d->islands[i].rows;
    if (most > 0) d->response = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    for (int i = 0; i < d->scratch_count; i++) {
        trm_direct_scratch *scratch = &d->scratch[i];
        const size_t exact = (size_t)exact_rows * (size_t)exact_rows;
        const bool enough = exact >= (size_t)most;
        scratch->stresses = enough ? scratch->B : TRM_NEW_ARRAY(arena, double, most);
        scratch->stress_room = enough ? exact : (size_t)most;
    }
    return !arena->failed;
}

/* Allocates one workspace per thread, at most one per island, large enough for the largest island that is solved
 * exactly. Ranks exchange messages in a fixed order and therefore use one thread. Returns false when out of
 * memory. */
static bool make_scratch(const trm_maximal *w, trm_direct *d, int rows, trm_arena *arena)
{
    const bool many = d->island_count >= MANY_ISLANDS && rows >= MANY_ROWS && !trm_rank_map_divides(w->rank_map);
    const int threads = many ? trm_most_threads() : 1;
    int most = 0;
    for (int i = 0; i < d->island_count; i++)
        if (is_solved_exactly(w, &d->islands[i]) && d->islands[i].joint_rows > most) most = d->islands[i].joint_rows;
    d->scratch_count = threads < d->island_count ? threads : d->island_count > 0 ? d->island_count : 1;
    d->scratch = TRM_NEW_ARRAY(arena, trm_direct_scratch, d->scratch_count);
    for (int i = 0; d->scratch && i < d->scratch_count; i++)
        if (!trm_direct_create_scratch(most, arena, &d->scratch[i])) return false;
    return d->scratch && make_stress_workspaces(d, most, w->stepper->model->body_count, arena);
}

bool trm_direct_create(trm_maximal *w)
{
    trm_arena *arena = w->stepper->arena, scratch;
    trm_direct *d = TRM_NEW(arena, trm_direct);
    trm_arena_init(&scratch, &arena->allocator);
    int *local = TRM_NEW_ARRAY(&scratch, int, w->stepper->model->body_count);
    bool made = d && local;
    if (made) d->islands = TRM_NEW_ARRAY(arena, trm_direct_island, w->island_count);
    made = made && d->islands;
    int rows = 0;
    for (int i = 0; made && i < w->island_count; i++) {
        made = trm_direct_make_island(w, i, local, &d->islands[i]);
        rows += d->islands[i].joint_rows;
    }
    trm_arena_destroy(&scratch);
    if (!made) return false;
    d->island_count = w->island_count;
    w->direct = d;
    return make_scratch(w, d, rows, arena);
}

/* ---- The frozen matrix A --------------------------------------------------------------------- */

static void respond(const trm_maximal *w, trm_direct_glue *glue)
{
    for (int i = 0; i < 12; i++) glue->W[i] = trm_maximal_response(w, glue->body, glue->J[i]);
}

static int count_dropped(const trm_direct_island *island)
{
    int count = 0;
    for (int j = 0; j < island->joint_count; j++)
        for (int r = 0; island->joints[j].on && r < island->blocks[j].rows; r++)
            count += island->dropped[island->blocks[j].first + r];
    return count;
}

/* Prepares A of one island at the present pose, with the held rank or with one decided there. Newton's method in joint
 * coordinates does not need A, and the joints of a tree have no redundant rows: there A is factorised when it is first
 * needed. */
static void prepare_island(void *context, int index, int thread)
{
    trm_maximal *w = context;
    trm_direct_island *island = &w->direct->islands[index];
    const bool decides = island->loops && !w->rank.held;
    if (decides) memset(island->barred, 0, (size_t)island->rows * sizeof *island->barred);
    island->unfactorised = island->tree && trm_direct_tree_applies(w, island);
    if (island->unfactorised) {
        memset(island->dropped, 0, (size_t)island->rows * sizeof *island->dropped);
        island->dropped_count = 0;
        island->weakest = 1;
        return;
    }
    for (int g = 0; g < island->block_count - island->joint_count; g++) respond(w, &island->glue[g]);
    int lost = w->solver->matrix->factorise(w, island);
    if (decides && (trm_rank_map_divides(w->rank_map) || lost > 0 || 1 / island->weakest > 1 / TRM_WEAK_PIVOT))
        lost = trm_direct_decide_rank(w, island, &w->direct->scratch[thread], lost);
    if (decides) memcpy(island->barred, island->dropped, (size_t)island->rows * sizeof *island->barred);
    double dropped = lost > 0 ? count_dropped(island) : 0;
    trm_rank_map_largest(w->rank_map, &dropped, NULL);
    island->dropped_count = (int)dropped;
}

/* Factorises A of a tree. */
static void factorise_tree(trm_maximal *w, trm_direct_island *island)
{
    for (int g = 0; g < island->block_count - island->joint_count; g++) respond(w, &island->glue[g]);
    island->dropped_count = w->solver->matrix->factorise(w, island);
    island->unfactorised = false;
}

void trm_direct_prepare(trm_maximal *w)
{
    trm_for_each(w->direct->island_count, w->direct->scratch_count, prepare_island, w);
    w->rank.stale = false;
    for (int i = 0; w->rank.held && i < w->direct->island_count; i++)
        w->rank.stale |= trm_direct_rank_matters(&w->direct->islands[i]);
    const bool resumed = isnan(w->rows_at.time) && w->stepper->counters->steps > 0; /* counted already */
    if (!resumed) w->stepper->counters->factorisations++;
}

/* x <- -A^-1 x */
static void solve(trm_maximal *w, trm_direct_island *island)
{
    if (island->unfactorised) factorise_tree(w, island);
    for (int r = 0; r < island->rows; r++) island->x[r] = -island->x[r];
    w->solver->matrix->solve(w, island);
}

/* Returns whether the present correction leaves out all active joints of an island. */
static bool leaves_out_all(const trm_maximal *w, const trm_direct_island *island)
{
    bool any = false;
    for (int j = 0; j < island->joint_count; j++) {
        const bool out = trm_maximal_leaves_out(w, &island->joints[j]);
        if (island->joints[j].on && !out) return false;
        any = any || out;
    }
    return any;
}

static void apply_impulses(trm_maximal *w, trm_direct_island *island, const double *lambda)
{
    double uncounted = 0;
    for (int j = 0; j < island->joint_count; j++) {
        if (trm_maximal_leaves_out(w, &island->joints[j])) continue;
        const bool counts = trm_rank_map_counts(w->rank_map, island->joints[j].index);
        trm_maximal_apply_joint_impulse(w, &island->joints[j], lambda + island->blocks[j].first,
                                        counts ? &island->tally.work : &uncounted);
    }
    if (island->shared) trm_rank_map_broadcast(w->rank_map, w->stepper->state->velocity);
}

/* Adds work and counters of all islands, in their order. */
static void take_tallies(trm_maximal *w)
{
    for (int i = 0; i < w->direct->island_count; i++) {
        if (w->needs.work) trm_rank_map_sum(w->rank_map, &w->direct->islands[i].tally.work);
        trm_maximal_take_tally(w, &w->direct->islands[i].tally);
        w->direct->islands[i].tally = (trm_maximal_tally){0};
    }
}

/* ---- Positions ---------------------------------------------------------------------------- */

/* Starts with the impulses of the forces of the last step over this one. Returns false if all are zero. A last step
 * that was much shorter than this one only closed gaps of rounding: its forces are not used. */
static bool begin_with_last_forces(trm_maximal *w, trm_direct_island *island)
{
    const double full = trm_maximal_span(w, (int)(island - w->direct->islands));
    const bool usable = fabs(w->stepper->state->clock->step) > TRM_USABLE_STEP * fabs(w->look.h);
    bool any = island->shared; /* other ranks may have some */
    for (int j = 0; j < island->joint_count; j++) {
        const double *force = w->stepper->state->force + island->joints[j].joint->row_offset;
        double *lambda = island->lambda + island->blocks[j].first;
        const bool acts = island->joints[j].on && !trm_maximal_leaves_out(w, &island->joints[j]);
        const double span = acts && usable ? full : 0;
        for (int r = 0; r < island->blocks[j].rows; r++) any |= (lambda[r] = span * force[r]) != 0;
    }
    if (any) apply_impulses(w, island, island->lambda);
    return any;
}

/* Stores the forces as a start for the next step. Near singular poses forces change abruptly and are a bad start:
 * zeros are stored. */
static void remember_forces(trm_maximal *w, const trm_direct_island *island, bool restarted)
{
    const double span = trm_maximal_span(w, (int)(island - w->direct->islands));
    const double per_span = restarted || island->dropped_count > 0 || span == 0 ? 0 : 1 / span;
    for (int j = 0; j < island->joint_count; j++) {
        double *force = w->stepper->state->force + island->joints[j].joint->row_offset;
        if (trm_joint_sleeps(w->stepper->state, island->joints[j].index)) continue;
        if (trm_maximal_leaves_out(w, &island->joints[j])) continue;
        const double *lambda = island->lambda + island->blocks[j].first;
        for (int r = 0; r < island->blocks[j].rows; r++) force[r] = per_span * lambda[r];
    }
}

/* Takes back all impulses of this look-ahead. */
static void restart_from_zero(trm_maximal *w, trm_direct_island *island)
{
    for (int r = 0; r < island->rows; r++) island->x[r] = -island->lambda[r], island->lambda[r] = 0;
    apply_impulses(w, island, island->x);
}

/* Computes the residuals of all joints into x. Returns the largest, in units of the tolerance. Updates the
 * look-aheads of all bodies, because every round, and the forces before the first, change all velocities. */
static double largest_residual(trm_maximal *w, trm_direct_island *island)
{
    island->worst = (trm_maximal_worst){0, "", "", -1};
    trm_maximal_update_look_aheads(w, island->bodies, island->body_count);
    for (int j = 0; j < island->joint_count; j++) {
        const double open = trm_maximal_residual_at(w, &island->joints[j], w->look.ahead, w->stepper->step.goal,
                                                    island->x + island->blocks[j].first);
        trm_maximal_take_worse_joint(&island->worst, open, &island->joints[j]);
    }
    trm_maximal_agree(w, &island->worst);
    island->tally.checks += island->joint_count;
    return island->worst.residual;
}

/* The matrix of Newton's method: A at t, that of a tree in joint coordinates, or the derivative itself. */
typedef enum newton_matrix { FROZEN, IN_JOINTS, EXACT } newton_matrix;

/* Does one round of Newton's method. scratch: of the exact matrix. Returns false if the matrix is singular. */
static bool correct_all(trm_maximal *w, trm_direct_island *island, double h, newton_matrix matrix,
                        trm_direct_scratch *scratch)
{
    for (int r = 0; r < island->rows; r++) island->x[r] *= -1 / h;
    if (matrix == FROZEN)
        w->solver->matrix->solve(w, island);
    else if (matrix == EXACT)
        trm_direct_solve_exactly(w, island, scratch);
    else if (!trm_direct_solve_tree(w, island))
        return false;
    for (int r = 0; r < island->rows; r++) island->lambda[r] += island->x[r];
    apply_impulses(w, island, island->x);
    island->tally.corrections += island->joint_count;
    return true;
}

/* Returns the largest rotation of a body of the island in a step of length h [rad]. */
static double largest_turn(const trm_maximal *w, const trm_direct_island *island, double h)
{
    double largest = 0;
    for (int i = 0; i < island->body_count; i++)
        largest = fmax(largest, h * trm_v3_length(w->stepper->state->velocity[island->bodies[i]].ang));
    trm_rank_map_largest(w->rank_map, &largest, NULL);
    return largest;
}

/* Iterates until all joints are closed. Returns false if that fails, if a round gains less than least_gain, or, where
 * rounds need not gain, if a body spins up without bound: residuals of angles are bounded and do not show it, and
 * look-aheads over thousands of turns take seconds. */
static bool iterate(trm_maximal *w, trm_direct_island *island, double h, double least_gain, newton_matrix matrix,
                    trm_direct_scratch *scratch)
{
    double first = 0, before = INFINITY;
    const double most_turn = least_gain == 0 ? GROWTH_ALLOWED * (1 + largest_turn(w, island, h)) : INFINITY;
    for (int round = 1;; round++) {
        const double open = largest_residual(w, island);
        island->tally.newton++;
        if (open < 1) break;
        if (round == 1) first = open;
        if (!(open <= GROWTH_ALLOWED * first) || least_gain * open > before || round > MOST_NEWTON) return false;
        before = open;
        if (!correct_all(w, island, h, matrix, scratch)) return false;
        if (least_gain == 0 && largest_turn(w, island, h) > most_turn) return false;
    }
    remember_forces(w, island, least_gain == 0);
    return true;
}

/* Does w->look.rounds rounds from zero with the frozen matrix. One is enough for second order (SBP section 8, whose
 * proof holds with M instead of M_h, which differs from it by O(h)). Returns false if the gaps grow. */
static bool close_partly(trm_maximal *w, trm_direct_island *island, double h)
{
    double first = 0;
    for (int r = 0; r < island->rows; r++) island->lambda[r] = 0;
    for (int round = 1; round <= w->look.rounds; round++) {
        const double open = largest_residual(w, island);
        if (round == 1) first = open;
        if (open < 1) break;
        correct_all(w, island, h, FROZEN, NULL);
        island->tally.newton++;
    }
    return largest_residual(w, island) <= fmax(first, GROWTH_ALLOWED); /* near the tolerance rounding dominates */
}

/* Closes the joints of an island as a tree, in joint coordinates, if they are one at present. Otherwise takes back all
 * impulses and returns false. */
static bool close_tree(trm_maximal *w, trm_direct_island *island, double h)
{
    if (island->tree && trm_direct_tree_applies(w, island)) {
        trm_direct_begin_tree(w, island);
        begin_with_last_forces(w, island);
        if (iterate(w, island, h, GAIN, IN_JOINTS, NULL)) return true;
        restart_from_zero(w, island);
    }
    island->tally.in_body++;
    return false;
}

/* Closes the joints of an island. Iterates with the frozen matrix from the last forces while each round gains enough,
 * otherwise with the exact matrix. Near a singular pose the impulses applied so far are a bad start: the shortest
 * impulses are counted from zero. A solver that is always exact starts from zero, as SBP section 5 does. */
static void close_island(void *context, int index, int thread)
{
    trm_maximal *w = context;
    trm_direct_island *island = &w->direct->islands[index];
    const double h = w->direct->h;
    island->failed = false;
    if (w->exempt.joints && leaves_out_all(w, island)) return;
    if (w->solver->in_joints && w->look.rounds == 0 && close_tree(w, island, h)) return;
    if (island->unfactorised) factorise_tree(w, island);
    if (w->look.rounds > 0) {
        island->failed = !close_partly(w, island, h);
        return;
    }
    if (!w->solver->exact) {
        begin_with_last_forces(w, island);
        if (iterate(w, island, h, GAIN, FROZEN, NULL)) return;
        restart_from_zero(w, island);
    } else {
        memset(island->lambda, 0, (size_t)island->rows * sizeof *island->lambda);
    }
    const bool exact = is_solved_exactly(w, island);
    island->failed = !iterate(w, island, h, 0, exact ? EXACT : FROZEN, &w->direct->scratch[thread]);
}

bool trm_direct_correct_joints(trm_maximal *w, double h, trm_outcome *outcome)
{
    trm_direct *d = w->direct;
    d->h = h;
    trm_for_each(d->island_count, d->scratch_count, close_island, w);
    take_tallies(w);
    if (trm_rank_map_is_lost(w->rank_map)) return trm_maximal_lost(w, outcome);
    for (int i = 0; i < d->island_count; i++)
        if (d->islands[i].failed)
            return trm_maximal_diverged(outcome, &d->islands[i].worst, "its gap could not be closed");
    return true;
}

/* ---- Velocities --------------------------------------------------------------------------- */

/* Returns the largest speed that a body has along a row, whatever the directions. The rest of J V is this speed
 * times the angle by which open joints have turned the row. */
static double row_speed(const trm_maximal *w, const trm_direct_island *island)
{
    double largest = 0;
    for (int j = 0; j < island->joint_count; j++) {
        const trm_joint *joint = island->joints[j].joint;
        for (int r = 0; r < joint->rows; r++)
            for (int b = 0; b < joint->body_count; b++) {
                const trm_spatial J = island->joints[j].J[r * joint->body_count + b];
                const trm_spatial V = w->stepper->state->velocity[joint->body[b]];
                largest = fmax(largest, trm_v3_length(J.ang) * trm_v3_length(V.ang) +
                                            trm_v3_length(J.lin) * trm_v3_length(V.lin));
            }
    }
    trm_rank_map_largest(w->rank_map, &largest, NULL);
    return largest;
}

/* Returns whether the residual of an island is as small as its redundant rows allow: they agree with the others
 * only as well as the joints are closed. That is so if the last round did not halve a small residual, even if no
 * row was dropped: rounding may hide that rows are redundant. */
static bool cannot_be_reduced(const trm_maximal *w, trm_direct_island *island, int round)
{
    const trm_simulation_def *o = w->stepper->options;
    const double residual = island->worst.residual, before = round > 1 ? island->velocity_residual : INFINITY;
    const double share = fmax(CONSISTENT, PER_ARM * fmax(o->position_tolerance, o->angle_tolerance));
    return 2 * residual > before && residual * o->velocity_tolerance <= share * row_speed(w, island);
}

static void velocity_round_of_island(void *context, int index, int thread)
{
    trm_maximal *w = context;
    (void)thread;
    trm_direct_island *island = &w->direct->islands[index];
    island->worst = (trm_maximal_worst){0, "", "", -1};
    if (w->exempt.joints && leaves_out_all(w, island)) return;
    for (int j = 0; j < island->joint_count; j++) {
        const double open = trm_maximal_check_velocity(w, &island->joints[j], island->x + island->blocks[j].first);
        trm_maximal_take_worse_joint(&island->worst, open, &island->joints[j]);
    }
    trm_maximal_agree(w, &island->worst);
    const double residual = island->worst.residual;
    if (residual >= 1 && cannot_be_reduced(w, island, w->direct->round)) island->worst.residual = 0;
    island->velocity_residual = residual;
    if (island->worst.residual < 1) return;
    solve(w, island);
    apply_impulses(w, island, island->x);
}

void trm_direct_velocity_round(trm_maximal *w, int round, trm_maximal_worst *worst)
{
    trm_direct *d = w->direct;
    d->round = round;
    trm_for_each(d->island_count, d->scratch_count, velocity_round_of_island, w);
    take_tallies(w);
    for (int i = 0; i < d->island_count; i++) {
        const trm_maximal_worst *here = &d->islands[i].worst;
        if (!isnan(worst->residual) && !(here->residual <= worst->residual)) *worst = *here;
    }
}

static bool acts_on_either(const trm_maximal_joint *j, const int *body)
{
    for (int b = 0; b < j->joint->body_count; b++)
        if (j->joint->body[b] == body[0] || j->joint->body[b] == body[1]) return true;
    return false;
}

/* Corrects velocities for a machine in which only these two bodies move: only their joints have residuals. */
void trm_direct_respond(trm_maximal *w, const int *body)
{
    for (int i = 0; i < w->direct->island_count; i++) {
        trm_direct_island *island = &w->direct->islands[i];
        double ignored = 0;
        bool any = false;
        for (int j = 0; j < island->joint_count; j++) {
            double *x = island->x + island->blocks[j].first;
            const bool here = acts_on_either(&island->joints[j], body);
            any |= here;
            if (here)
                trm_maximal_check_velocity(w, &island->joints[j], x);
            else
                memset(x, 0, (size_t)island->blocks[j].rows * sizeof *x);
        }
        if (!any && !island->shared) continue;
        solve(w, island);
        for (int j = 0; j < island->joint_count; j++)
            trm_maximal_apply_joint_impulse(w, &island->joints[j], island->x + island->blocks[j].first, &ignored);
        if (island->shared) trm_rank_map_broadcast(w->rank_map, w->stepper->state->velocity);
    }
}

void trm_direct_island_acceleration_round(trm_maximal *w, int index)
{
    trm_direct_island *island = &w->direct->islands[index];
    for (int j = 0; j < island->joint_count; j++)
        trm_maximal_acceleration_gap(w, &island->joints[j], island->x + island->blocks[j].first);
    solve(w, island);
    for (int j = 0; j < island->joint_count; j++)
        trm_maximal_apply_joint_force(w, &island->joints[j], island->x + island->blocks[j].first);
    if (island->shared) trm_rank_map_broadcast(w->rank_map, w->accelerations.a);
}

void trm_direct_acceleration_round(trm_maximal *w)
{
    for (int i = 0; i < w->direct->island_count; i++) trm_direct_island_acceleration_round(w, i);
}

int trm_direct_dropped(const trm_maximal *w, trm_row_name *rows, int most)
{
    int count = 0;
    for (int i = 0; i < w->direct->island_count; i++) {
        const trm_direct_island *island = &w->direct->islands[i];
        for (int j = 0; j < island->joint_count; j++)
            for (int r = 0; island->joints[j].on && r < island->blocks[j].rows; r++) {
                if (!island->dropped[island->blocks[j].first + r]) continue;
                if (count < most) rows[count] = (trm_row_name){island->joints[j].index, r};
                count++;
            }
    }
    return trm_rank_map_collect_rows(w->rank_map, rows, count, most, &w->stepper->arena->allocator);
}

const trm_maximal_solver trm_maximal_direct = TRM_DIRECT_SOLVER("direct", &trm_direct_sparse, .plan = NULL);
const trm_maximal_solver trm_maximal_exact = TRM_DIRECT_SOLVER("direct", &trm_direct_sparse, .exact = true);
const trm_maximal_solver trm_maximal_in_joints = TRM_DIRECT_SOLVER("direct", &trm_direct_sparse, .in_joints = true);
const trm_maximal_solver trm_maximal_in_cheaper =
    TRM_DIRECT_SOLVER("direct", &trm_direct_sparse, .in_joints = true, .if_cheaper = true);
