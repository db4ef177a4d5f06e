/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves the islands of a problem (islands.c) one by one. Islands with joints or few contacts are reduced to their
 * contacts. Others are solved by Newton's method on velocities and, if that does not converge, in contact space.
 * Sweeps solve those that are too large for it. In time-stepping, an island of several bodies without joints is not
 * reduced, because that takes as long. The iterative solver sweeps all islands: impulses of joints, contacts and
 * friction in turn until all are within tolerance (Schmitt 2003, section 11). If that takes too long, the other
 * solvers follow. */

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "methods/contact/contact_set.h"

/* Number of contacts from which several threads are worth it. */
enum { MANY_CONTACTS = 200 };
/* Numbers of sweeps over an island in place of Newton's method, and after it has failed. */
enum { SWEEPS = 10, MOST_SWEEPS = 40, SWEEPS_OF_FEW = 160, SWEEPS_IN_WINDOW = 20, SWEEPS_INSTEAD = 2000 };
/* Number of sweeps of the iterative solver, after which another one takes over. */
enum { MOST_SWEEPS_IN_TURN = 5000 };
/* Islands with more bodies and more loops than these are piles, and sweeps solve them. Newton's matrix of a smaller
 * island is cheap even if it is full; with fewer loops it is nearly as sparse as that of a stack. In event-driven steps
 * more loops are worth their time, because the speeds that sweeps leave would cause impacts of all contacts. */
enum { NEWTON_BODIES = 64, NEWTON_LOOPS = 64, NEWTON_LOOPS_OF_EVENTS = 5000 };
/* Islands with at most this many bodies are never swept in place of Newton's method. */
enum { FEW_BODIES = 4 };
/* Fraction of the speed that gravity adds in a step: sweeps continue while they change speeds by more, in piles and
 * in smaller islands. If it is larger, towers of ten boxes tremble. If it is smaller, piles take more sweeps
 * without a visible gain. */
static const double WEIGHT = 0.5, WEIGHT_OF_FEW = 1e-3;
/* m: contacts in an island that Newton's method solves are not deeper than this. With a larger value Newton's
 * method throws sunk bodies apart, with a smaller one sweeps solve islands at rest. Tests pass with a tenth and
 * with ten times of it. */
static const double DEEP = 1e-6;
/* Islands without joints and with at most this many rows are reduced to their contacts, too: the dense matrix is then
 * no larger than the one that Newton's method on velocities factorises in its many steps. */
enum { FEW_ROWS = 72 };
/* Fractions of the fastest speed of a moving island in time-stepping: tolerance, and accepted accuracy. Larger
 * values show in the paths of moving bodies, smaller ones only cost rounds. Tests pass with a tenth and with ten
 * times of it. */
static const double OF_SPEED = 1e-3, SOON = 0.01;
/* Part of the residual that a first solution may leave where the whole accuracy is not reached at once. A larger one
 * takes more solutions, with a much smaller one Newton's method fails as before. */
static const double FIRST_PART = 1e-3;
/* Fractions of the speeds in a row: rounding, and rounding where large impulses cancel; m/s: an accuracy surely
 * above both. Larger values leave speeds that show as drift at rest, smaller ones require more than rounding
 * permits, and solutions fail. Tests pass with a tenth and with ten times of it. */
static const double SPEED_ROUNDING = 32 * DBL_EPSILON, CANCELLED = 1e-10, SURELY_MORE = 1e-9;
/* In units of the accepted accuracy: residual that sweeps may leave where Newton's method failed. A larger value
 * accepts bodies that sink, a smaller one shortens steps where sweeps converge slowly. Tests pass with a tenth and
 * with ten times of it. */
static const double LEFT_BY_SWEEPS = 10;
/* Fraction of the largest speed of an island: residual where drives contradict contacts. A larger value hides
 * drives that push into a contact, with a smaller one slow convergence counts as a contradiction. Tests pass with a
 * tenth and with ten times of it. */
static const double CONTRADICTS = 1e-3;

/* Returns the bodies of a constraint that impulses move, at most the first two: one number for a pair. */
static int64_t pair_of(const trm_maximal *w, const trm_constraint *constraint)
{
    int64_t pair = 0;
    int moved = 0;
    for (int k = 0; k < constraint->bodies && moved < 2; k++)
        if (!w->held[constraint->body[k]]) pair = pair * w->stepper->model->body_count + constraint->body[k], moved++;
    return moved == 2 ? pair : -1;
}

/* Returns the number of loops of an island: pairs of bodies in contact beyond those that connect it. The contacts of a
 * pair follow each other. A stack of any height has no loops, and factors of its matrix have no fill. */
static int loops_of(const trm_maximal *w, const trm_problem_island *island)
{
    int64_t last = -1;
    int pairs = 0;
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &w->contact_set->constraints[island->constraints[i]];
        const int64_t pair = constraint->law == TRM_DISC ? -1 : pair_of(w, constraint);
        pairs += pair >= 0 && pair != last;
        last = pair;
    }
    return pairs - (island->body_count - 1);
}

/* Returns whether all steps of the run are time-stepping. If only some are, in runs with events, contacts must not
 * stay deep, because they would be impacts again in the next step. */
static bool all_time_stepping(const trm_maximal *w)
{
    return w->stepper->window && strcmp(w->stepper->options->impact, "window") == 0;
}

/* Returns whether piles are solved by time-stepping for as long as they last: "auto" leaves it only some steps after
 * their islands have become small, in which the depth that sweeps leave is pushed out. */
static bool piles_stay(const trm_maximal *w)
{
    return w->stepper->window && strcmp(w->stepper->options->impact, "event") != 0;
}

/* Returns whether the factors of Newton's matrix would take too long. */
static bool is_pile(const trm_maximal *w, const trm_problem_island *island)
{
    const int most = piles_stay(w) ? NEWTON_LOOPS : NEWTON_LOOPS_OF_EVENTS;
    return island->body_count > NEWTON_BODIES && loops_of(w, island) > most;
}

/* Returns the speed that gravity adds in a step, m/s. */
static double speed_of_fall(const trm_maximal *w)
{
    return trm_v3_length(w->stepper->model->gravity) * fabs(w->look.h);
}

/* Returns whether the contacts of an island are all it has, and one of them is deep, or a body moves faster than
 * gravity makes it in a step: boxes that collide, slide and rock. Newton's method takes a hundred steps for such an
 * island, because most contacts change between open, sticking and slipping. Sweeps slow it down and leave it deep,
 * so that sweeps solve it in the next step, too. A stack that begins at rest is neither deep nor fast. */
static bool is_agitated(const trm_maximal *w, const trm_problem_island *island)
{
    const trm_contact_set *t = w->contact_set;
    const double fall = speed_of_fall(w);
    bool agitated = false;
    for (int i = 0; i < island->constraint_count; i++) {
        if (t->constraints[island->constraints[i]].law != TRM_CONE) return false;
        agitated = agitated || t->contacts[island->constraints[i]].at.gap < -DEEP;
    }
    for (int i = 0; i < island->body_count; i++)
        agitated = agitated || trm_v3_length(w->stepper->state->velocity[island->bodies[i]].lin) > fall;
    return agitated;
}

/* Decides for each island whether it is solved by sweeps: piles, and in time-stepping agitated islands, unless the
 * iterative solver is selected, which sweeps until all laws are obeyed. */
static void choose_sweeps(trm_maximal *w)
{
    trm_contact_set *t = w->contact_set;
    const bool agitated = all_time_stepping(w) && w->solver != &trm_maximal_iterative;
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        t->islands.swept[i] =
            is_pile(w, &island) || (agitated && island.body_count > FEW_BODIES && is_agitated(w, &island));
    }
    for (int i = 0; i < t->count; i++) {
        const int of = t->islands.of_constraint[i];
        t->contacts[i].pile = of >= 0 && t->islands.swept[of];
    }
}

/* ---- Kept matrices ------------------------------------------------------------------------- */

static bool has_joints(const trm_constraint *constraints, const trm_problem_island *island)
{
    for (int i = 0; i < island->constraint_count; i++)
        if (constraints[island->constraints[i]].law == TRM_CLOSED) return true;
    return false;
}

static int rows_of(const trm_constraint *constraints, const trm_problem_island *island)
{
    int rows = 0;
    for (int i = 0; i < island->constraint_count; i++) rows += constraints[island->constraints[i]].rows;
    return rows;
}

/* Returns whether an island is reduced to its contacts if it is not too large. */
static bool is_reduced(const trm_maximal *w, const trm_problem_island *island)
{
    const trm_constraint *constraints = w->contact_set->constraints;
    if (has_joints(constraints, island)) return true;
    return (!w->stepper->window || island->body_count == 1) && rows_of(constraints, island) <= FEW_ROWS;
}

/* Returns whether the matrices of a problem may be used for the next one: islands are reduced. Bounded rows are
 * chosen again for each step, and contacts in swept islands have no rows. */
static bool may_keep(const trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    bool any = false;
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        if (t->islands.swept[i]) return false;
        any = any || is_reduced(w, &island);
    }
    return any && t->count > 0 && t->count < MANY_CONTACTS && t->bounded.count == 0 && !t->modes.frozen;
}

static bool has_pulls(const trm_contact_set *t)
{
    for (int i = 0; i < t->constraint_count; i++)
        if (t->constraints[i].law == TRM_PULL) return true;
    return false;
}

/* Returns the rows of the present problem; those of contacts were made last. Only velocity-dependent forces depend on
 * dt. */
static trm_kept_rows present_rows(const trm_maximal *w, double dt)
{
    const trm_contact_set *t = w->contact_set;
    return (trm_kept_rows){.valid = may_keep(w),
                           .joints = w->rows_at.number,
                           .dt = has_pulls(t) ? dt : 0,
                           .contacts = t->count,
                           .constraints = t->constraint_count,
                           .rows = t->memory.rows};
}

static bool are_same_rows(const trm_kept_rows *a, const trm_kept_rows *b)
{
    return a->valid && b->valid && a->joints == b->joints && a->dt == b->dt && a->contacts == b->contacts &&
           a->constraints == b->constraints && memcmp(a->rows, b->rows, (size_t)a->contacts * sizeof *a->rows) == 0;
}

/* Keeps matrices made from the same rows, and discards others. Steps that are repeated from one pose share them, and
 * so do the velocities at the end of a step and the next step. Returns false if out of memory. */
static bool keep_matrices(trm_maximal *w, double dt)
{
    trm_arena *kept = w->stepper->kept;
    trm_islands *islands = &w->contact_set->islands;
    trm_kept_rows rows = present_rows(w, dt);
    if (!kept || are_same_rows(&islands->kept_of, &rows)) return true;
    trm_arena_reset(kept, (trm_arena_mark){0});
    islands->kept_of.valid = false;
    islands->kept = TRM_NEW_ARRAY(kept, struct trm_reduced *, islands->count);
    if (!islands->kept || !rows.valid) return islands->kept;
    rows.rows = TRM_NEW_ROOM(kept, trm_contact_rows, rows.contacts);
    if (!rows.rows) return false;
    memcpy(rows.rows, w->contact_set->memory.rows, (size_t)rows.contacts * sizeof *rows.rows);
    islands->kept_of = rows;
    return true;
}

/* Returns the number of contacts of the largest island. */
static int largest_island(const trm_contact_set *t)
{
    int most = 0;
    for (int i = 0; i < t->islands.count; i++) {
        const trm_problem_island island = trm_contact_set_island(t, i);
        int contacts = 0;
        for (int k = 0; k < island.constraint_count; k++) contacts += island.constraints[k] < t->count;
        most = contacts > most ? contacts : most;
    }
    return most;
}

bool trm_contact_set_prepare(trm_maximal *w, double span, double dt, trm_outcome *outcome)
{
    trm_contact_set *t = w->contact_set;
    trm_contact_set_mark_islands(w, dt);
    if (!trm_contact_set_list_constraints(w, span, dt)) return trm_fail_memory(outcome, "contacts");
    trm_contact_set_find_islands(w);
    w->stepper->largest_island = largest_island(t);
    choose_sweeps(w);
    if (!trm_contact_set_make_rows(w, false) || !keep_matrices(w, dt)) return trm_fail_memory(outcome, "contacts");
    for (int i = 0; i < t->count; i++) {
        trm_constraint *constraint = &t->constraints[i];
        constraint->J = t->contacts[i].J, constraint->W = t->contacts[i].W;
        if (!t->contacts[i].pile) constraint->own = trm_constraint_largest_response(constraint);
    }
    return true;
}

static bool not_solved(trm_outcome *outcome, const trm_maximal *w, int body, double left)
{
    trm_fail(outcome, left / w->stepper->options->velocity_tolerance, "body", w->stepper->model->bodies[body].name,
             "its contacts could not be solved: %.3g m/s is left", left);
    trm_contact_set_report_loaded(w, body, outcome);
    return false;
}

/* Returns the contact of an island with the largest normal impulse; -1: none. */
static int most_loaded(const trm_maximal *w, int island)
{
    const trm_contact_set *t = w->contact_set;
    double most = 0;
    int worst = -1;
    for (int i = 0; i < t->count; i++)
        if (t->islands.of_constraint[i] == island && (worst < 0 || t->contacts[i].lambda[0] > most))
            most = t->contacts[i].lambda[0], worst = i;
    return worst;
}

static bool is_driven(const trm_maximal *w, int island)
{
    const trm_contact_set *t = w->contact_set;
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        for (int b = 0; t->marks.joint[i] && j->driven && b < j->joint->body_count; b++)
            if (t->islands.of[j->joint->body[b]] == island) return true;
    }
    return false;
}

void trm_contact_set_report_loaded(const trm_maximal *w, int body, trm_outcome *outcome)
{
    const int island = w->contact_set->islands.of[body], loaded = island < 0 ? -1 : most_loaded(w, island);
    const size_t length = strlen(outcome->why);
    if (loaded < 0) return;
    const int *of = w->contact_set->contacts[loaded].features.body;
    const trm_body *bodies = w->stepper->model->bodies;
    snprintf(outcome->why + length, sizeof outcome->why - length,
             "; the largest normal force is between '%s' and '%s'%s", bodies[of[0]].name, bodies[of[1]].name,
             is_driven(w, island) ? ", and drives cannot yield: use servos" : "");
}

/* Makes a few sweeps, from the result of the last step. Makes more while they change speeds by more than gravity does
 * in a step: a tower that starts from zero impulses builds up its weight from the ground. */
static void sweep_pile(const trm_maximal *w, const trm_problem *problem, const trm_problem_island *island)
{
    const bool few = island->body_count <= NEWTON_BODIES;
    const double calm = (few ? WEIGHT_OF_FEW : WEIGHT) * speed_of_fall(w);
    trm_problem_sweeps(problem, island, SWEEPS, few ? SWEEPS_OF_FEW : MOST_SWEEPS, calm);
}

static double sweep_instead(const trm_problem *problem, const trm_problem_island *island, int rounds)
{
    return trm_problem_sweeps(problem, island, rounds, rounds, 0);
}

/* Returns whether an island needs only a fraction of its speed: it has only contacts and, if all steps are
 * time-stepping, several moving bodies. Elsewhere it has more than a few bodies, and normal impulses from the last
 * step: one that starts from zero impulses is solved to full accuracy. */
static bool is_heap(const trm_maximal *w, const trm_problem *problem, const trm_problem_island *island,
                    double fastest)
{
    bool loaded = false;
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &problem->constraints[island->constraints[i]];
        if (constraint->law != TRM_CONE) return false;
        loaded = loaded || constraint->lambda[0] > 0;
    }
    return all_time_stepping(w) ? fastest > 0 && island->body_count > 1 : loaded && island->body_count > FEW_BODIES;
}

/* Returns the speed of the fastest body of an island, m/s, less what gravity adds in a step. */
static double speed_of(const trm_maximal *w, const trm_problem *problem, const trm_problem_island *island)
{
    double fastest = 0;
    for (int i = 0; i < island->body_count; i++) {
        const trm_vec3 gravity = w->stepper->model->bodies[island->bodies[i]].gravity;
        const trm_vec3 v = trm_v3_add_scaled(problem->V[island->bodies[i]].lin, w->contact_set->falling, gravity);
        fastest = fmax(fastest, trm_v3_length(v));
    }
    return fmax(0, fastest - speed_of_fall(w));
}

/* Returns the problem with the required accuracy. In time-stepping the contacts between moving bodies need only a
 * fraction of their speed. A body no faster than gravity makes it in a step is at rest, and must come to rest
 * exactly, because otherwise a pile never stops creeping. */
static trm_problem with_required_accuracy(const trm_maximal *w, const trm_problem *problem,
                                          const trm_problem_island *island)
{
    trm_problem required = *problem;
    if (!w->stepper->window) return required;
    const double fastest = speed_of(w, problem, island);
    if (!(fastest > 0)) required.enough = problem->enough_closed;
    if (!is_heap(w, problem, island, fastest)) return required;
    required.tolerance = fmax(problem->tolerance, OF_SPEED * fastest);
    required.soon = SOON * fastest;
    required.enough = fmax(required.enough, required.soon);
    return required;
}

/* Returns the largest term in the sums of speeds along rows, m/s. */
static double largest_speed(const trm_problem *problem, const trm_problem_island *island)
{
    double most = 0;
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &problem->constraints[island->constraints[i]];
        for (int r = 0; constraint->b && r < constraint->rows; r++) most = fmax(most, fabs(constraint->b[r]));
    }
    for (int i = 0; i < island->body_count; i++) most = fmax(most, trm_v3_length(problem->V[island->bodies[i]].lin));
    return most;
}

/* Raises tolerances to the rounding of the speeds, because no row can be more accurate. */
static void allow_for_rounding(trm_problem *problem, const trm_problem_island *island)
{
    if (problem->enough > SURELY_MORE) return; /* at any speed of the bodies */
    const double speed = largest_speed(problem, island);
    problem->tolerance = fmax(problem->tolerance, SPEED_ROUNDING * speed);
    problem->enough_closed = fmax(problem->enough_closed, CANCELLED * speed);
    problem->enough = fmax(problem->enough, CANCELLED * speed);
}

/* Result for an island. */
typedef struct verdict {
    trm_solved solved;
    int steps;    /* number of Newton steps */
    int sweeps;   /* number of sweeps of the iterative solver */
    bool swept;   /* the iterative solver has solved it */
    bool rough;   /* it is solved only as accurately as its speed requires */
    bool relaxed; /* it obeys its laws only approximately */
    bool failed;  /* Newton's method has not solved it */
    double left;  /* m/s: residual if it is not solved */
} verdict;

/* Returns the largest residual of the constraints of an island, m/s. */
static double left_of(const trm_problem *problem, const trm_problem_island *island)
{
    double worst = 0;
    for (int i = 0; i < island->constraint_count; i++)
        worst = fmax(worst, trm_constraint_residual(&problem->constraints[island->constraints[i]], problem->V));
    return worst;
}

static bool has_drives(const trm_problem *problem, const trm_problem_island *island)
{
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &problem->constraints[island->constraints[i]];
        if (constraint->law == TRM_CLOSED && constraint->driven) return true;
    }
    return false;
}

/* In time-stepping: accepts an approximate solution, which adds no energy. It is not accepted if drives continue to
 * move against contacts: these contradict each other in steps of any length. */
static verdict accept_approximation(const trm_problem *problem, const trm_problem_island *island, verdict v)
{
    v.left = left_of(problem, island);
    const double enough = fmax(problem->enough, CONTRADICTS * largest_speed(problem, island));
    v.solved = has_drives(problem, island) && !(v.left <= enough) ? TRM_NOT_SOLVED : TRM_SOLVED;
    v.relaxed = true;
    return v;
}

/* Reduces the residual of an island at rest to the part FIRST_PART; it is then solved again from there. A stack that
 * starts without impulses may be too far from its solution for Newton's method, and sweeps would let it sink. */
static trm_solved solve_in_part(const trm_problem *problem, const trm_problem_island *island, int *steps)
{
    trm_problem rough = *problem;
    rough.part = FIRST_PART;
    const trm_solved solved = trm_problem_newton(&rough, island, steps);
    return solved == TRM_SOLVED ? TRM_NEARLY_SOLVED : solved;
}

static verdict solve_island(const trm_maximal *w, const trm_problem *problem, const trm_problem_island *island)
{
    const trm_problem required = with_required_accuracy(w, problem, island);
    verdict v = {.solved = TRM_SOLVED, .rough = required.soon > 0 && all_time_stepping(w)};
    if (w->solver == &trm_maximal_iterative) {
        v.solved = trm_problem_sweep_out(&required, island, MOST_SWEEPS_IN_TURN, &v.sweeps);
        v.swept = v.solved == TRM_SOLVED;
        if (v.solved != TRM_NOT_SOLVED) return v;
        v.solved = TRM_SOLVED;
    }
    if (w->contact_set->islands.swept[w->contact_set->islands.of[island->bodies[0]]]) {
        sweep_pile(w, problem, island);
        return v;
    }
    const bool joints = has_joints(problem->constraints, island), window = w->stepper->window;
    const bool can_reduce = (joints || !window || island->body_count == 1) && trm_problem_can_reduce(problem, island);
    const bool reduced = can_reduce && is_reduced(w, island);
    v.solved = reduced ? trm_problem_reduced(&required, island, window && joints, &v.steps) : TRM_NOT_SOLVED;
    if (v.solved == TRM_NOT_SOLVED && reduced && window && joints) return accept_approximation(problem, island, v);
    /* in runs with events sweeps replace Newton's method where it has failed before in this step */
    const bool again = window && !all_time_stepping(w) &&
                       w->contact_set->islands.failed[w->contact_set->islands.of[island->bodies[0]]];
    if (v.solved == TRM_NOT_SOLVED && !again) v.solved = trm_problem_newton(&required, island, &v.steps);
    if (v.solved == TRM_NOT_SOLVED && window && !again && !joints && !(required.soon > 0))
        v.solved = solve_in_part(&required, island, &v.steps);
    v.failed = v.solved == TRM_NOT_SOLVED;
    if (v.solved == TRM_NOT_SOLVED && !reduced && can_reduce)
        v.solved = trm_problem_reduced(&required, island, false, &v.steps);
    const bool by_table = !window || joints;
    if (v.solved == TRM_NOT_SOLVED && by_table) v.solved = trm_problem_dense(problem, island);
    if (v.solved != TRM_NOT_SOLVED) return v;
    v.left = sweep_instead(problem, island, window ? SWEEPS_IN_WINDOW : SWEEPS_INSTEAD);
    if (window || v.left <= LEFT_BY_SWEEPS * problem->enough) v.solved = TRM_SOLVED;
    return v;
}

/* Data for solving islands in parallel. Islands share nothing that is written; each thread has its own workspace. */
typedef struct solving {
    const trm_maximal *w;
    trm_problem problem;
    trm_arena *scratch; /* per thread */
    verdict *verdicts;
} solving;

static void visit_island(void *context, int i, int thread)
{
    const solving *s = context;
    trm_islands *islands = &s->w->contact_set->islands;
    const trm_problem_island island = trm_contact_set_island(s->w->contact_set, i);
    s->verdicts[i] = (verdict){.solved = TRM_SOLVED};
    if (!islands->changed[i]) return;
    trm_problem problem = s->problem;
    if (s->scratch) problem.arena = &s->scratch[thread];
    allow_for_rounding(&problem, &island);
    s->verdicts[i] = solve_island(s->w, &problem, &island);
    islands->changed[i] = s->verdicts[i].solved == TRM_NEARLY_SOLVED;
    islands->solved[i] = true;
    islands->rough[i] = s->verdicts[i].rough;
    islands->failed[i] = s->verdicts[i].failed;
}

/* Returns false at the first island that is not solved; outcome gives the reason. */
static bool judge(trm_maximal *w, const verdict *verdicts, trm_outcome *outcome)
{
    for (int i = 0; i < w->contact_set->islands.count; i++) {
        w->stepper->counters->newton += verdicts[i].steps;
        w->stepper->counters->rounds += verdicts[i].sweeps;
        w->stepper->counters->contact_problems++;
        w->stepper->counters->swept += verdicts[i].swept;
        w->stepper->counters->dissipative += verdicts[i].relaxed && verdicts[i].solved == TRM_SOLVED;
        if (verdicts[i].solved == TRM_SOLVE_NO_MEMORY) return trm_fail_memory(outcome, "contacts");
        if (verdicts[i].solved == TRM_NOT_SOLVED)
            return not_solved(outcome, w, trm_contact_set_island(w->contact_set, i).bodies[0], verdicts[i].left);
    }
    return true;
}

bool trm_contact_set_solve(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome)
{
    const int islands = w->contact_set->islands.count;
    const bool large = islands > 1 && w->contact_set->count >= MANY_CONTACTS;
    const bool many = large && w->stepper->scratch_count > 1;
    trm_arena *arena = w->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(arena);
    const trm_problem problem = {.constraints = w->contact_set->constraints,
                                 .constraint_count = w->contact_set->constraint_count,
                                 .body_count = w->stepper->model->body_count,
                                 .bodies = w->stepper->model->bodies,
                                 .poses = w->stepper->state->pose,
                                 .inverse_inertia = w->inverse_inertia,
                                 .V = w->stepper->state->velocity,
                                 .tolerance = accuracy.tolerance,
                                 .enough = accuracy.enough,
                                 .enough_closed = accuracy.enough_closed,
                                 .part = accuracy.part,
                                 .contradiction = accuracy.contradiction,
                                 .arena = arena,
                                 .kept =
                                     large ? NULL : w->stepper->kept}; /* bit-identical for any number of threads */
    solving s = {w, problem, many ? w->stepper->scratch : NULL, TRM_NEW_ARRAY(arena, verdict, islands)};
    if (s.verdicts) trm_for_each(islands, many ? w->stepper->scratch_count : 1, visit_island, &s);
    const bool good = s.verdicts ? judge(w, s.verdicts, outcome) : trm_fail_memory(outcome, "contacts");
    trm_arena_reset(arena, mark);
    for (int i = 0; i < problem.body_count; i++)
        if (w->contact_set->islands.of[i] >= 0 && w->contact_set->islands.solved[w->contact_set->islands.of[i]])
            w->look.moved[i] = !w->held[i];
    return good;
}
