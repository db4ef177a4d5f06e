/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sweeps over the constraints of an island and makes each in turn obey its law (projected Gauss-Seidel).
 *
 *     closed   row after row:  lambda -= u / K
 *     cone     lambda_n = max(0, lambda_n - u_n / K_n), then lambda_t - u_t / K_t projected onto the disc of radius
 *              mu lambda_n
 *     disc     both rows, lambda - u / K projected onto the disc, with lambda_n from before the sweep
 *     pull     in closed form
 *     bounded  lambda - u / K clamped to its bounds
 *
 * K_t is the larger eigenvalue of the tangents' own response. Both tangents have the same step, because with two the
 * slip would not be opposite to the friction. Contacts go in four parallel lanes (lanes.h), after all others.
 *
 * A sweep moves an impulse only by one contact, so that the weight of a tower takes many sweeps to reach the ground.
 * Islands that have only contacts are therefore extrapolated between sweeps in the direction p of the previous ones, a
 * nonlinear conjugate gradient (Silcowitz, Niebe and Erleben 2010): with the change D of all impulses in a sweep
 *
 *     beta = |D|^2 / |D of the sweep before|^2,  0 if that is 1 or more;   lambda += beta p;   p <- beta p + D
 *
 * |D|^2 = sum K D^2 is twice the work of the changes on themselves. V is linear in lambda and extrapolated alike. The
 * last sweep is not followed by an extrapolation, so that its impulses are within their cones. */

#include "methods/contact/cone.h"
#include "methods/contact/lanes.h"
#include "methods/contact/problem.h"

static inline void apply_row_impulse(const trm_constraint *constraint, int row, double change, trm_spatial *V)
{
    const int n = constraint->bodies;
    constraint->lambda[row] += change;
    for (int k = 0; k < n; k++)
        V[constraint->body[k]] = trm_sp_add_scaled(V[constraint->body[k]], change, constraint->W[row * n + k]);
}

static inline double speed_along(const trm_constraint *constraint, int row, const trm_spatial *V)
{
    const int n = constraint->bodies;
    double u = constraint->b ? constraint->b[row] : 0;
    for (int k = 0; k < n; k++) u += trm_sp_dot(constraint->J[row * n + k], V[constraint->body[k]]);
    return u;
}

static double close_rows(const trm_constraint *constraint, trm_spatial *V)
{
    double most = 0;
    for (int r = 0; r < constraint->rows; r++) {
        const double K = trm_constraint_response(constraint, r);
        if (!(K > 0)) continue;
        const double u = speed_along(constraint, r, V);
        apply_row_impulse(constraint, r, -u / K, V);
        most = fmax(most, fabs(u));
    }
    return most;
}

static double relax_force(const trm_constraint *constraint, trm_spatial *V)
{
    const double K = trm_constraint_response(constraint, 0),
                 rate = speed_along(constraint, 0, V) - K * constraint->lambda[0];
    const double change = trm_force_impulse(constraint->pull, constraint->dt, rate, K) - constraint->lambda[0];
    apply_row_impulse(constraint, 0, change, V);
    return K * fabs(change);
}

static double relax_bounded(const trm_constraint *constraint, trm_spatial *V)
{
    const double K = trm_constraint_response(constraint, 0);
    if (!(K > 0)) return 0;
    const double target = constraint->lambda[0] - speed_along(constraint, 0, V) / K;
    const double change = fmin(fmax(target, constraint->least), constraint->most) - constraint->lambda[0];
    apply_row_impulse(constraint, 0, change, V);
    return K * fabs(change);
}

/* Relaxes a disc. All rows have the same step, the inverse of their largest response K, as in friction. */
static double relax_disc(const trm_constraint *constraint, trm_spatial *V)
{
    const double K = trm_constraint_largest_response(constraint);
    if (!(K > 0)) return 0;
    double target[2] = {0, 0}, allowed[2], most = 0;
    for (int r = 0; r < constraint->rows; r++) target[r] = constraint->lambda[r] - speed_along(constraint, r, V) / K;
    trm_disc_project(trm_disc_radius(constraint), target, allowed);
    for (int r = 0; r < constraint->rows; r++) {
        const double change = allowed[r] - constraint->lambda[r];
        apply_row_impulse(constraint, r, change, V);
        most = fmax(most, K * fabs(change));
    }
    return most;
}

/* Sweeps in which changes must fall to a half. Slower ones never reach the accuracy of contacts, and where drives
 * contradict contacts they do not fall at all. */
enum { SWEEPS_TO_HALVE = 200 };

/* ---- All ---------------------------------------------------------------------------------- */

typedef struct sweeper {
    const trm_problem *p;
    const trm_constraint **others; /* all that are not cones */
    int count;
    bool discs; /* some of them are discs */
    trm_lanes lanes;
} sweeper;

static bool make_sweeper(sweeper *s, const trm_problem_island *island)
{
    s->others = TRM_NEW_ARRAY(s->p->arena, const trm_constraint *, island->constraint_count);
    for (int i = 0; s->others && i < island->constraint_count; i++) {
        const trm_constraint *constraint = &s->p->constraints[island->constraints[i]];
        if (constraint->law != TRM_CONE) s->others[s->count++] = constraint;
        s->discs = s->discs || constraint->law == TRM_DISC;
    }
    return s->others && trm_lanes_make(&s->lanes, s->p, island);
}

/* Sweeps once; the contacts start from impulses extrapolated by beta. */
static trm_lanes_change sweep(sweeper *s, double beta)
{
    double change = 0;
    if (s->discs) trm_lanes_write_back(&s->lanes); /* discs need lambda_n */
    for (int i = 0; i < s->count; i++) {
        const trm_constraint *constraint = s->others[i];
        change = fmax(change, constraint->law == TRM_PULL      ? relax_force(constraint, s->p->V)
                              : constraint->law == TRM_BOUNDED ? relax_bounded(constraint, s->p->V)
                              : constraint->law == TRM_DISC    ? relax_disc(constraint, s->p->V)
                                                               : close_rows(constraint, s->p->V));
    }
    trm_lanes_change all = trm_lanes_sweep(&s->lanes, beta);
    all.most = fmax(change, all.most);
    return all;
}

/* The extrapolation of V between sweeps. */
typedef struct extrapolation {
    const int *bodies;
    int count;
    trm_spatial *before; /* per body of the island: V at the start of the sweep */
    trm_spatial *p;      /* per body of the island: direction of the extrapolation */
    double squares;      /* |D|^2 of the sweep before the last one */
} extrapolation;

static bool make_extrapolation(extrapolation *a, const trm_problem *problem, const trm_problem_island *island)
{
    *a = (extrapolation){.bodies = island->bodies,
                         .count = island->body_count,
                         .before = TRM_NEW_ROOM(problem->arena, trm_spatial, island->body_count),
                         .p = TRM_NEW_ARRAY(problem->arena, trm_spatial, island->body_count)};
    return a->before && a->p;
}

static void note_start(extrapolation *a, const trm_spatial *V)
{
    for (int i = 0; i < a->count; i++) a->before[i] = V[a->bodies[i]];
}

/* Extrapolates V after a sweep with the given |D|^2. Returns beta. */
static double extrapolate(extrapolation *a, double squares, trm_spatial *V)
{
    const double beta = squares < a->squares ? squares / a->squares : 0;
    a->squares = squares;
    for (int i = 0; i < a->count; i++) {
        trm_spatial *now = &V[a->bodies[i]];
        const trm_spatial change = trm_sp_add_scaled(*now, -1, a->before[i]);
        *now = a->before[i] = trm_sp_add_scaled(*now, beta, a->p[i]);
        a->p[i] = trm_sp_add_scaled(change, beta, a->p[i]);
    }
    return beta;
}

static double work_of(const sweeper *s)
{
    double work = trm_lanes_work(&s->lanes);
    for (int i = 0; i < s->count; i++)
        for (int r = 0; r < s->others[i]->rows; r++)
            work += s->others[i]->lambda[r] * speed_along(s->others[i], r, s->p->V);
    return work;
}

/* Applies the impulses, times share, to V. */
static void apply_impulses(sweeper *s, double share)
{
    trm_lanes_act(&s->lanes, share);
    for (int i = 0; i < s->count; i++)
        for (int r = 0; r < s->others[i]->rows; r++) {
            const double lambda = s->others[i]->lambda[r];
            apply_row_impulse(s->others[i], r, share * lambda, s->p->V);
            s->others[i]->lambda[r] = lambda;
        }
}

static void clear_impulses(sweeper *s)
{
    trm_lanes_forget(&s->lanes);
    for (int i = 0; i < s->count; i++)
        for (int r = 0; r < s->others[i]->rows; r++) s->others[i]->lambda[r] = 0;
}

/* Removes the initial impulses if they add energy, lambda (u without them + u with them) / 2 > 0. Impulses of the
 * last step may be wrong in this one, and few sweeps cannot correct them; sweeps only reduce the energy from its
 * initial value. */
static void begin_without_gain(sweeper *s)
{
    const double with = work_of(s);
    apply_impulses(s, -1);
    if (with + work_of(s) <= 0)
        apply_impulses(s, 1);
    else
        clear_impulses(s);
}

/* Returns whether all constraints of the island obey their laws: joints to enough_closed, the others to enough. */
static bool all_obey(sweeper *s, const trm_problem_island *island)
{
    trm_lanes_write_back(&s->lanes);
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &s->p->constraints[island->constraints[i]];
        const double enough = constraint->law == TRM_CLOSED ? s->p->enough_closed : s->p->enough;
        if (!(trm_constraint_residual(constraint, s->p->V) <= enough)) return false;
    }
    return true;
}

trm_solved trm_problem_sweep_out(const trm_problem *problem, const trm_problem_island *island, int most, int *sweeps)
{
    const trm_arena_mark mark = trm_arena_get_mark(problem->arena);
    const double enough = fmax(problem->enough, problem->enough_closed);
    sweeper s = {.p = problem};
    const bool made = make_sweeper(&s, island);
    bool solved = false;
    if (made) begin_without_gain(&s);
    for (int round = 1; made && !solved && round <= most; round++, ++*sweeps)
        solved = sweep(&s, 0).most <= enough && all_obey(&s, island);
    if (made) trm_lanes_write_back(&s.lanes);
    trm_arena_reset(problem->arena, mark);
    return !made ? TRM_SOLVE_NO_MEMORY : solved ? TRM_SOLVED : TRM_NOT_SOLVED;
}

double trm_problem_sweeps(const trm_problem *problem, const trm_problem_island *island, int rounds, int most,
                          double calm)
{
    const trm_arena_mark mark = trm_arena_get_mark(problem->arena);
    sweeper s = {.p = problem};
    extrapolation a;
    trm_lanes_change change = {INFINITY, INFINITY};
    if (make_sweeper(&s, island) && make_extrapolation(&a, problem, island)) {
        begin_without_gain(&s);
        note_start(&a, problem->V);
        double before = INFINITY;
        for (int round = 0; round < (change.most > calm ? most : rounds) && change.most > problem->tolerance;
             round++) {
            if (round % SWEEPS_TO_HALVE == SWEEPS_TO_HALVE - 1) {
                if (!(change.most < 0.5 * before)) break;
                before = change.most;
            }
            change = sweep(&s, round > 0 && s.count == 0 ? extrapolate(&a, change.squares, problem->V) : 0);
        }
        trm_lanes_write_back(&s.lanes);
    }
    trm_arena_reset(problem->arena, mark);
    return change.most;
}
