/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Islands of a problem: bodies that holds join, the others standing still or moving as prescribed. Each is solved by
 * Newton's method, or by sweeps where it is too large for that or Newton's method does not come to an end. */

#include <stdio.h>

#include "methods/contact/touching.h"

/* Sweeps over an island in place of Newton's method, and after it has failed. */
enum { SWEEPS = 10, MORE_SWEEPS = 3, SWEEPS_IN_WINDOW = 20, SWEEPS_INSTEAD = 2000 };
/* Of the tolerance: what sweeps may leave where Newton's method was wanted. */
static const double LEFT_BY_SWEEPS = 10;

typedef struct islands {
    int *of; /* per body: its island; -1: none */
    int count;
    int *first_body; /* count + 1 */
    int *bodies;
    int *first_hold; /* likewise */
    int *holds;
} islands;

static int root_of(int *parent, int body)
{
    while (parent[body] != body) body = parent[body] = parent[parent[body]];
    return body;
}

static void join_bodies(const trm_maximal *w, int hold_count, int *parent)
{
    for (int i = 0; i < w->stepper->model->body_count; i++) parent[i] = i;
    for (int i = 0; i < hold_count; i++) {
        const trm_hold *hold = &w->touching->holds[i];
        int first = -1;
        for (int k = 0; k < hold->bodies; k++) {
            if (w->held[hold->body[k]]) continue;
            const int root = root_of(parent, hold->body[k]);
            if (first >= 0 && root != first) parent[root > first ? root : first] = root > first ? first : root;
            first = root_of(parent, root);
        }
    }
}

/* The first body of a hold that an impulse moves; -1: none. */
static int mover_of(const trm_maximal *w, const trm_hold *hold)
{
    for (int k = 0; k < hold->bodies; k++)
        if (!w->held[hold->body[k]]) return hold->body[k];
    return -1;
}

/* Numbers the items of each group one after another; of[i] -1: item i is in none. */
static void sort_by_group(const int *of, int items, int groups, int *first, int *sorted)
{
    for (int g = 0; g <= groups; g++) first[g] = 0;
    for (int i = 0; i < items; i++)
        if (of[i] >= 0) first[of[i] + 1]++;
    for (int g = 0; g < groups; g++) first[g + 1] += first[g];
    for (int i = 0; i < items; i++)
        if (of[i] >= 0) sorted[first[of[i]]++] = i;
    for (int g = groups; g > 0; g--) first[g] = first[g - 1];
    first[0] = 0;
}

static bool find_islands(const trm_maximal *w, int hold_count, trm_arena *arena, islands *found)
{
    const int bodies = w->stepper->model->body_count;
    int *parent = TRM_NEW_ARRAY(arena, int, bodies), *of_hold = TRM_NEW_ARRAY(arena, int, hold_count);
    *found = (islands){.of = TRM_NEW_ARRAY(arena, int, bodies),
                       .first_body = TRM_NEW_ARRAY(arena, int, bodies + 1),
                       .bodies = TRM_NEW_ARRAY(arena, int, bodies),
                       .first_hold = TRM_NEW_ARRAY(arena, int, bodies + 1),
                       .holds = TRM_NEW_ARRAY(arena, int, hold_count)};
    if (!parent || !of_hold || !found->of || !found->first_body || !found->bodies || !found->first_hold ||
        !found->holds)
        return false;
    join_bodies(w, hold_count, parent);
    for (int i = 0; i < bodies; i++) found->of[i] = -1;
    for (int i = 0; i < hold_count; i++) {
        const int mover = mover_of(w, &w->touching->holds[i]), root = mover < 0 ? -1 : root_of(parent, mover);
        if (root >= 0 && found->of[root] < 0) found->of[root] = found->count++;
        of_hold[i] = root < 0 ? -1 : found->of[root];
    }
    for (int i = 0; i < bodies; i++) found->of[i] = w->held[i] ? -1 : found->of[root_of(parent, i)];
    sort_by_group(found->of, bodies, found->count, found->first_body, found->bodies);
    sort_by_group(of_hold, hold_count, found->count, found->first_hold, found->holds);
    return true;
}

static bool not_solved(trm_outcome *outcome, const trm_maximal *w, int body, double left)
{
    outcome->ok = false;
    outcome->residual = left;
    snprintf(outcome->element, sizeof outcome->element, "body '%s'", w->stepper->model->bodies[body].name);
    snprintf(outcome->why, sizeof outcome->why, "its contacts could not be held: %.3g m/s is left", left);
    return false;
}

bool trm_touching_out_of_memory(trm_outcome *outcome)
{
    outcome->ok = false;
    outcome->residual = NAN;
    snprintf(outcome->element, sizeof outcome->element, "contacts");
    snprintf(outcome->why, sizeof outcome->why, "out of memory");
    return false;
}

/* A few sweeps, from where the last step left off; more where they still change speeds by what gravity makes in a step: a
 * tower that begins from nothing has to learn its weight from the ground up. */
static void sweep_pile(const trm_maximal *w, const trm_problem *problem, const trm_problem_island *island)
{
    const double weight = 0.5 * trm_length(w->stepper->model->gravity) * fabs(w->h);
    double left = trm_problem_sweeps(problem, island, SWEEPS);
    for (int more = 0; more < MORE_SWEEPS && left > weight; more++)
        left = trm_problem_sweeps(problem, island, SWEEPS);
}

static bool solve_island(trm_maximal *w, const trm_problem *problem, const trm_problem_island *island,
                         trm_outcome *outcome)
{
    int steps = 0;
    if (island->body_count > w->touching->newton_bodies) {
        sweep_pile(w, problem, island);
        return true;
    }
    trm_solved solved = trm_problem_newton(problem, island, !w->stepper->window, &steps);
    w->stepper->counters->newton += steps;
    if (solved == TRM_NOT_SOLVED && !w->stepper->window) solved = trm_problem_dense(problem, island);
    if (solved == TRM_SOLVE_NO_MEMORY) return trm_touching_out_of_memory(outcome);
    if (solved == TRM_SOLVED) return true;
    if (w->stepper->window) return trm_problem_sweeps(problem, island, SWEEPS_IN_WINDOW) >= 0;
    const double left = trm_problem_sweeps(problem, island, SWEEPS_INSTEAD);
    return left <= LEFT_BY_SWEEPS * problem->enough || not_solved(outcome, w, island->bodies[0], left);
}

bool trm_touching_find_piles(trm_maximal *w, int hold_count, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    islands found;
    const bool good = find_islands(w, hold_count, arena, &found) || trm_touching_out_of_memory(outcome);
    for (int i = 0; good && i < w->touching->count; i++) {
        trm_touch *touch = &w->touching->touches[i];
        const int mover = mover_of(w, &w->touching->holds[i]), of = mover < 0 ? -1 : found.of[mover];
        touch->pile = of >= 0 && found.first_body[of + 1] - found.first_body[of] > w->touching->newton_bodies;
    }
    trm_arena_reset(arena, mark);
    return good;
}

bool trm_touching_solve(trm_maximal *w, int hold_count, double tolerance, double enough, trm_outcome *outcome)
{
    trm_arena *arena = w->stepper->arena;
    const trm_problem problem = {.holds = w->touching->holds,
                                 .hold_count = hold_count,
                                 .body_count = w->stepper->model->body_count,
                                 .bodies = w->stepper->model->bodies,
                                 .poses = w->stepper->state->pose,
                                 .V = w->stepper->state->velocity,
                                 .tolerance = tolerance,
                                 .enough = enough,
                                 .arena = arena};
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    islands found;
    bool good = find_islands(w, hold_count, arena, &found) || trm_touching_out_of_memory(outcome);
    for (int i = 0; good && i < found.count; i++) {
        const trm_problem_island island = {
            found.bodies + found.first_body[i], found.first_body[i + 1] - found.first_body[i],
            found.holds + found.first_hold[i], found.first_hold[i + 1] - found.first_hold[i]};
        good = solve_island(w, &problem, &island, outcome);
    }
    trm_arena_reset(arena, mark);
    for (int i = 0; i < problem.body_count; i++) w->moved[i] = !w->held[i];
    return good;
}
