/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Islands of a problem: bodies that holds join, the others standing still or moving as prescribed. Each is solved by
 * Newton's method, or by sweeps where it is too large for that or Newton's method does not come to an end. */

#include <stdio.h>

#include "methods/contact/touching.h"

/* Sweeps over an island in place of Newton's method, and after it has failed. */
enum { SWEEPS = 10, MOST_SWEEPS = 40, SWEEPS_IN_WINDOW = 20, SWEEPS_INSTEAD = 2000 };
/* Of the fastest speed of an island in a window: the tolerance, and what will do. */
static const double OF_SPEED = 1e-3, SOON = 0.03;
/* Of the tolerance: what sweeps may leave where Newton's method was wanted. */
static const double LEFT_BY_SWEEPS = 10;

static int root_of(int *parent, int body)
{
    while (parent[body] != body) body = parent[body] = parent[parent[body]];
    return body;
}

static void join_bodies(const trm_maximal *w, int *parent)
{
    for (int i = 0; i < w->stepper->model->body_count; i++) parent[i] = i;
    for (int i = 0; i < w->touching->hold_count; i++) {
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

static void find_islands(trm_maximal *w)
{
    trm_islands *found = &w->touching->islands;
    const int bodies = w->stepper->model->body_count, holds = w->touching->hold_count;
    found->count = 0;
    join_bodies(w, found->parent);
    for (int i = 0; i < bodies; i++) found->of[i] = -1;
    for (int i = 0; i < holds; i++) {
        const int mover = mover_of(w, &w->touching->holds[i]), root = mover < 0 ? -1 : root_of(found->parent, mover);
        if (root >= 0 && found->of[root] < 0) found->of[root] = found->count++;
        found->of_hold[i] = root < 0 ? -1 : found->of[root];
    }
    for (int i = 0; i < bodies; i++) found->of[i] = w->held[i] ? -1 : found->of[root_of(found->parent, i)];
    sort_by_group(found->of, bodies, found->count, found->first_body, found->bodies);
    sort_by_group(found->of_hold, holds, found->count, found->first_hold, found->holds);
}

static trm_problem_island island_at(const trm_islands *all, int i)
{
    return (trm_problem_island){all->bodies + all->first_body[i], all->first_body[i + 1] - all->first_body[i],
                                all->holds + all->first_hold[i], all->first_hold[i + 1] - all->first_hold[i]};
}

static bool is_swept(const trm_maximal *w, const trm_problem_island *island)
{
    return island->body_count > w->touching->newton_bodies;
}

bool trm_touching_prepare(trm_maximal *w, double span, double dt, trm_outcome *outcome)
{
    trm_touching *t = w->touching;
    if (!trm_touching_list_holds(w, span, dt)) return trm_touching_out_of_memory(outcome);
    find_islands(w);
    for (int i = 0; i < t->count; i++) {
        const int of = t->islands.of_hold[i];
        const trm_problem_island island = of < 0 ? (trm_problem_island){0} : island_at(&t->islands, of);
        t->touches[i].pile = is_swept(w, &island);
    }
    if (!trm_touching_make_rows(w, false)) return trm_touching_out_of_memory(outcome);
    for (int i = 0; i < t->count; i++) t->holds[i].J = t->touches[i].J, t->holds[i].W = t->touches[i].W;
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
    trm_problem_sweeps(problem, island, SWEEPS, MOST_SWEEPS, weight);
}

static double sweep_instead(const trm_problem *problem, const trm_problem_island *island, int rounds)
{
    return trm_problem_sweeps(problem, island, rounds, rounds, 0);
}

/* In a window what moves need not obey more closely than by a part of its speed. */
static trm_problem as_asked(const trm_maximal *w, const trm_problem *problem, const trm_problem_island *island)
{
    trm_problem asked = *problem;
    double fastest = 0;
    for (int i = 0; w->stepper->window && i < island->body_count; i++)
        fastest = fmax(fastest, trm_length(problem->V[island->bodies[i]].lin));
    asked.tolerance = fmax(problem->tolerance, OF_SPEED * fastest);
    asked.soon = SOON * fastest;
    asked.enough = fmax(problem->enough, asked.soon);
    return asked;
}

static bool solve_island(trm_maximal *w, const trm_problem *problem, const trm_problem_island *island,
                         trm_outcome *outcome)
{
    int steps = 0;
    if (is_swept(w, island)) {
        sweep_pile(w, problem, island);
        return true;
    }
    const trm_problem asked = as_asked(w, problem, island);
    trm_solved solved = trm_problem_newton(&asked, island, &steps);
    w->stepper->counters->newton += steps;
    if (solved == TRM_NOT_SOLVED && !w->stepper->window) solved = trm_problem_dense(problem, island);
    if (solved == TRM_SOLVE_NO_MEMORY) return trm_touching_out_of_memory(outcome);
    if (solved == TRM_SOLVED) return true;
    if (w->stepper->window) return sweep_instead(problem, island, SWEEPS_IN_WINDOW) >= 0;
    const double left = sweep_instead(problem, island, SWEEPS_INSTEAD);
    return left <= LEFT_BY_SWEEPS * problem->enough || not_solved(outcome, w, island->bodies[0], left);
}

bool trm_touching_solve(trm_maximal *w, double tolerance, double enough, trm_outcome *outcome)
{
    const trm_islands *islands = &w->touching->islands;
    const trm_problem problem = {.holds = w->touching->holds,
                                 .hold_count = w->touching->hold_count,
                                 .body_count = w->stepper->model->body_count,
                                 .bodies = w->stepper->model->bodies,
                                 .poses = w->stepper->state->pose,
                                 .inverse_inertia = w->inverse_inertia,
                                 .V = w->stepper->state->velocity,
                                 .tolerance = tolerance,
                                 .enough = enough,
                                 .arena = w->stepper->arena};
    bool good = true;
    for (int i = 0; good && i < islands->count; i++) {
        const trm_problem_island island = island_at(islands, i);
        good = solve_island(w, &problem, &island, outcome);
    }
    for (int i = 0; i < problem.body_count; i++) w->moved[i] = !w->held[i];
    return good;
}
