/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves an island reduced to its contacts. Joints are factorised once. A small dense problem remains, in the
 * impulses p of contacts, torsional and rolling friction, bounded rows and velocity-dependent forces.
 *
 *     u = D p + c          D, c: joints closed (reduced_joints.c)
 *
 * Each constraint obeys its law. As in newton.c its multiplier is a function of u from an estimate lambda_k and a
 * stiffness rho = R/D_own, for a cone  lambda(u) = P(lambda_k - rho (u + s n)).  Newton's method finds p with g = p -
 * lambda(D p + c) = 0 (reduced_step.c). Then lambda_k <- p and s <- mu |u_t|, until every constraint obeys (the
 * proximal, or augmented Lagrangian, iteration). Points of a face make D singular. The matrix of Newton's method is
 * regular, and convergence is judged by velocities, as far as their rounding permits. Rounding adds to p, along the
 * null space of D, rho times the rounding of u. Therefore p is taken from Newton's step, not from lambda(u), and rho
 * is raised only if more than rounding is left.
 *
 * Joints, responses and D belong to the rows of a problem. They are kept for all solutions with the same rows.
 *
 * A row that joints block, D_own being zero, has no impulse. If it is violated, joints and contacts contradict each
 * other. Friction and motors in joints that a drive moves are blocked, too, but their impulses are finite: they slip
 * with their whole force, which the drive overcomes. */

#include "methods/contact/reduced.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"
#include "methods/contact/newton.h"

enum { MOST_ROWS = 240, MOST_JOINTS = 400 };
enum { MOST_STEPS = 20, QUICK_ROUNDS = 6, MOST_ROUNDS = 20, COUPLED_ROUNDS = 15, ENOUGH_ROUNDS = 3, SWEEPS = 300 };
/* A response below this fraction of that without joints counts as zero. A larger value ignores contacts that act on
 * slender machines, a smaller one divides by a response of rounding. Tests pass with a tenth and with ten times of
 * it. */
static const double BLOCKED = 1e-9;
/* Where s is part of Newton's method: initial stiffness, smallest part of a step, and fractions that a step and a
 * round may leave. Larger or smaller values change how often this attempt succeeds, not its result; the attempts
 * that follow take over. Tests pass with a tenth and with ten times of it. */
static const double COUPLED_BOTTOM = 100, LEAST_PART = 0.01, STALLED_COUPLED = 0.95, LITTLE_BETTER = 0.9;
/* Part of the initial residual from which the natural map is tried again. With a larger value it is tried in vain, with
 * a smaller one loads that move nothing and have to grow remain. */
static const double NEAR_SOLUTION = 0.1;
/* Fraction of the fastest row: accepted violation of a contact that joints block. A larger value accepts contacts
 * that sink where joints block them, with a smaller one rounding counts as a contradiction. Tests pass with a tenth
 * and with ten times of it. */
static const double CONTRADICTS = 1e-6;

/* ---- Rounds ------------------------------------------------------------------------------- */

static void set_stiffness(trm_reduced_search *s, double R)
{
    s->R = R;
    for (int h = 0; h < s->r->constraints; h++)
        for (int i = 0; i < s->r->constraint[h]->rows; i++)
            s->rho[s->r->first[h] + i] = s->own[h] > 0 ? R / s->own[h] : 0;
}

/* Returns an estimate of the s with mu |u_t| = s by a secant: s of this round has led to f, that of the last round
 * to last_slip. */
static double better_lift(trm_reduced_search *s, int h, double f)
{
    const double lift = s->lift[h];
    double slope = (f - s->last_slip[h]) / (lift - s->last_lift[h]);
    slope = isfinite(slope) ? fmin(fmax(slope, -TRM_MOST_SLOPE), TRM_MOST_SLOPE) : 0;
    s->last_lift[h] = lift, s->last_slip[h] = f;
    return fmax(lift + (f - lift) / (1 - slope), 0);
}

/* Returns s, or the radius, of the present solution. */
static double lift_of(const trm_reduced_search *s, int h)
{
    const trm_constraint *constraint = s->r->constraint[h];
    const double *u = s->u + s->r->first[h];
    if (constraint->law == TRM_CONE) return constraint->friction * sqrt(u[1] * u[1] + u[2] * u[2]);
    return constraint->law == TRM_DISC ? trm_disc_radius(constraint) : 0;
}

/* Returns the residual of constraint h, m/s, with the given s. */
static double residual_of(const trm_reduced_search *s, int h, double lift)
{
    const trm_constraint *constraint = s->r->constraint[h];
    const int first = s->r->first[h];
    double lambda[TRM_JOINT_ROWS], rho[TRM_JOINT_ROWS], square = 0;
    if (!(s->own[h] > 0)) return 0;
    for (int i = 0; i < constraint->rows; i++) rho[i] = 1 / s->own[h];
    trm_constraint_obey(constraint, lift, s->p + first, rho, s->u + first, lambda, NULL);
    for (int i = 0; i < constraint->rows; i++)
        square += (s->p[first + i] - lambda[i]) * (s->p[first + i] - lambda[i]);
    return s->own[h] * sqrt(square);
}

/* Sets p of constraint h to lambda(u). Where g = 0 both are equal except for rounding of rho u, which p does not
 * have. Then p is kept and projected onto the law. */
static void take_lambda(trm_reduced_search *s, int h)
{
    static const double none[TRM_JOINT_ROWS] = {0};
    const trm_constraint *constraint = s->r->constraint[h];
    const int first = s->r->first[h];
    double lambda[TRM_JOINT_ROWS];
    const int place = trm_reduced_obey(s, h, s->u + first, lambda, NULL);
    const bool bound = place == TRM_CONE_OPEN || (constraint->law == TRM_BOUNDED && place == TRM_CONE_MANTLE);
    if (s->at_rest && !bound)
        trm_constraint_obey(constraint, s->lift[h], s->p + first, none, s->u + first, lambda, NULL);
    memcpy(s->p + first, lambda, (size_t)constraint->rows * sizeof *lambda);
}

/* Updates p to lambda, lambda_k and s. Returns the largest residual with the previous s. */
static double renew(trm_reduced_search *s)
{
    double worst = 0;
    for (int h = 0; h < s->r->constraints; h++) take_lambda(s, h);
    memcpy(s->estimate, s->lambda, (size_t)s->r->rows * sizeof *s->p);
    for (int h = 0; h < s->r->constraints; h++)
        memcpy(s->r->constraint[h]->lambda, s->p + s->r->first[h], (size_t)s->r->constraint[h]->rows * sizeof *s->p);
    trm_reduced_speeds(s);
    s->shifted = 0;
    for (int h = 0; h < s->r->constraints; h++) {
        worst = fmax(worst, residual_of(s, h, s->lift[h]));
        const bool cone = s->r->constraint[h]->law == TRM_CONE;
        const double lift = cone ? better_lift(s, h, lift_of(s, h)) : lift_of(s, h);
        s->shifted = fmax(s->shifted, fabs(lift - s->lift[h]) * (cone ? 1 : s->own[h]));
        s->lift[h] = lift;
    }
    return worst;
}

static double worst_residual(const trm_reduced_search *s)
{
    double worst = 0;
    for (int h = 0; h < s->r->constraints; h++) worst = fmax(worst, residual_of(s, h, lift_of(s, h)));
    return worst;
}

/* Returns the required residual, m/s, at least that of rounding. */
static double good_of(const trm_reduced_search *s)
{
    return fmax(fmax(s->r->p->tolerance, s->r->p->soon),
                fmax(2 * TRM_GRADIENT_ROUNDING * s->fastest, s->r->p->part * s->initial));
}

/* Returns whether the residual is accepted if the solver cannot reduce it further. Closing speeds are tested
 * separately, because the residual of a steep cone may be small although its contact is jammed. */
static bool is_enough(const trm_reduced_search *s, double enough)
{
    for (int h = 0; h < s->r->constraints; h++) {
        const bool closes = s->r->constraint[h]->law == TRM_CONE && s->own[h] > 0 && -s->u[s->r->first[h]] > enough;
        if (closes || !(residual_of(s, h, lift_of(s, h)) <= enough)) return false;
    }
    return true;
}

/* Returns whether constraints obey their laws. After some rounds a lower accuracy is accepted. */
static bool obeys(const trm_reduced_search *s, int round)
{
    return worst_residual(s) <= good_of(s) || (round >= ENOUGH_ROUNDS && is_enough(s, s->r->p->enough_closed));
}

static bool converge(trm_reduced_search *s, double R, int most_rounds)
{
    double before = INFINITY;
    set_stiffness(s, R);
    for (int round = 0; round < most_rounds; round++) {
        const double shifted = s->shifted;
        trm_reduced_minimise(s);
        const double left = renew(s);
        if (obeys(s, round)) return true;
        if (left > good_of(s) && left > TRM_LITTLE_GAIN * fmax(before, shifted) && s->R < TRM_R_HIGHEST)
            set_stiffness(s, TRM_R_RAISED * s->R);
        before = left;
    }
    return is_enough(s, s->r->p->enough);
}

/* ---- An island ---------------------------------------------------------------------------- */

static bool make_workspace(trm_reduced_search *s)
{
    trm_arena *a = s->r->p->arena;
    const size_t n = (size_t)s->r->rows, m = (size_t)s->r->constraints;
    s->columns = TRM_NEW_ARRAY(a, int, m);
    double **const per_row[] = {&s->p,  &s->u,        &s->dp,  &s->du,     &s->g,
                                &s->Dg, &s->estimate, &s->rho, &s->lambda, &s->z};
    double **const per_constraint[] = {&s->own, &s->lift, &s->last_lift, &s->last_slip};
    for (size_t i = 0; i < sizeof per_row / sizeof *per_row; i++)
        if (!(*per_row[i] = TRM_NEW_ARRAY(a, double, n))) return false;
    for (size_t i = 0; i < sizeof per_constraint / sizeof *per_constraint; i++)
        if (!(*per_constraint[i] = TRM_NEW_ARRAY(a, double, m))) return false;
    s->C = TRM_NEW_ARRAY(a, double, 9 * m);
    s->G = TRM_NEW_ARRAY(a, double, 9 * m);
    s->S = TRM_NEW_ROOM(a, double, n *n);
    s->J = TRM_NEW_ROOM(a, double, n *n);
    return s->C && s->G && s->S && s->J && s->columns;
}

/* Returns whether a row that joints block has an impulse: friction and motors of limited force. It starts from none:
 * where the row does not move, any impulse up to its force obeys, and the others have no part in it. */
static bool acts_if_blocked(const trm_constraint *constraint)
{
    return constraint->law == TRM_BOUNDED && isfinite(constraint->least);
}

static void find_own(trm_reduced_search *s)
{
    const int n = s->r->rows;
    for (int h = 0; h < s->r->constraints; h++) {
        const trm_constraint *constraint = s->r->constraint[h];
        for (int i = 0; i < constraint->rows; i++)
            s->own[h] = fmax(s->own[h], s->r->D[(size_t)(s->r->first[h] + i) * (size_t)(n + 1)]);
        const double alone = trm_constraint_largest_response(constraint);
        if (constraint->law == TRM_PULL) {
            s->own[h] = fmax(s->own[h], DBL_MIN); /* it acts even if it moves nothing */
        } else if (!(s->own[h] > BLOCKED * alone)) {
            s->own[h] = acts_if_blocked(constraint) ? alone : 0;
            if (acts_if_blocked(constraint)) constraint->lambda[0] = 0;
        }
    }
}

/* Starts from impulses p: sets lambda_k and s. */
static void set_start(trm_reduced_search *s, const double *p)
{
    memcpy(s->p, p, (size_t)s->r->rows * sizeof *p);
    memcpy(s->estimate, p, (size_t)s->r->rows * sizeof *p);
    s->fastest = 0;
    trm_reduced_speeds(s);
    s->shifted = 0;
    for (int h = 0; h < s->r->constraints; h++) {
        s->lift[h] = lift_of(s, h);
        s->last_lift[h] = s->last_slip[h] = NAN;
    }
}

/* ---- Newton's method with the slip of the solution ------------------------------------------ */

/* Where rounds for s do not converge, s = mu |u_t| is part of Newton's method: with y = lambda_k - rho (u + mu |u_t|
 * n)
 *
 *     g = p - P(y) = 0,   (I + K D) dp = -g,   K = rho P' (I + n (0, mu u_t/|u_t|)^T)
 *
 * This is not the gradient of a convex function: a step is halved until |D_own g| decreases. */

/* Computes s of cones at speeds u, lambda there and g, and K if requested. Returns the largest D_own |g|, m/s. */
static double find_coupled(trm_reduced_search *s, const double *u, const double *p, bool K)
{
    double most = 0;
    for (int h = 0; h < s->r->constraints; h++) {
        const trm_constraint *constraint = s->r->constraint[h];
        const int first = s->r->first[h];
        const double *v = u + first;
        const double slip = constraint->law == TRM_CONE ? sqrt(v[1] * v[1] + v[2] * v[2]) : 0;
        double *C = s->C + 9 * h;
        if (constraint->law == TRM_CONE) s->lift[h] = constraint->friction * slip;
        trm_reduced_obey(s, h, v, s->lambda + first, K ? C : NULL);
        for (int r = 0; K && slip > 0 && r < 3; r++)
            for (int k = 1; k < 3; k++) C[3 * r + k] += C[3 * r] * constraint->friction * v[k] / slip;
        for (int r = first; r < first + constraint->rows; r++) {
            s->g[r] = p[r] - s->lambda[r];
            most = fmax(most, s->own[h] * fabs(s->g[r]));
        }
    }
    return most;
}

/* Fills the rows of I + K D, and -g in dp. */
static void fill_coupled(trm_reduced_search *s, double *A)
{
    const int n = s->r->rows;
    for (int h = 0; h < s->r->constraints; h++)
        for (int r = 0; r < s->r->constraint[h]->rows; r++) {
            const int first = s->r->first[h], m = s->r->constraint[h]->rows;
            double *row = A + (size_t)(first + r) * (size_t)n;
            memset(row, 0, (size_t)n * sizeof *row);
            for (int k = 0; k < m; k++) {
                const double K = s->C[9 * h + 3 * r + k], *D = s->r->D + (size_t)(first + k) * (size_t)n;
                for (int c = 0; K != 0 && c < n; c++) row[c] += K * D[c];
            }
            row[first + r] += 1;
            s->dp[first + r] = -s->g[first + r];
        }
}

/* Moves p and u by a part of dp, halved until g decreases. Returns the new g, m/s. */
static double take_coupled_step(trm_reduced_search *s, double before)
{
    const size_t bytes = (size_t)s->r->rows * sizeof *s->p;
    double *p = s->z, *u = s->Dg, left = INFINITY;
    trm_reduced_multiply(s->r, s->dp, s->du);
    for (double part = 1; part > LEAST_PART; part *= 0.5) {
        for (int i = 0; i < s->r->rows; i++) p[i] = s->p[i] + part * s->dp[i], u[i] = s->u[i] + part * s->du[i];
        left = find_coupled(s, u, p, false);
        if (left < (1 - 0.1 * part) * before) break;
    }
    memcpy(s->p, p, bytes);
    memcpy(s->u, u, bytes);
    return left;
}

/* Newton's method with s of the solution, from the present p. */
static void minimise_coupled(trm_reduced_search *s)
{
    const double enough = fmax(TRM_INNER * s->r->p->tolerance, 2 * TRM_GRADIENT_ROUNDING * s->R * s->fastest);
    double left = find_coupled(s, s->u, s->p, true);
    for (int step = 0; step < MOST_STEPS && left > enough; step++) {
        fill_coupled(s, s->S);
        if (!trm_dense_solve(s->S, s->r->rows, s->dp, 1)) break;
        const double now = take_coupled_step(s, left);
        s->steps++;
        if (!(now < STALLED_COUPLED * left)) break;
        left = find_coupled(s, s->u, s->p, true);
    }
    s->at_rest = left <= enough;
}

/* Makes rounds of Newton's method with s of the solution. Returns whether all constraints obey their laws. */
static bool converge_coupled(trm_reduced_search *s, double R)
{
    double before = INFINITY;
    set_stiffness(s, R);
    memcpy(s->estimate, s->p, (size_t)s->r->rows * sizeof *s->p);
    for (int round = 0; round < COUPLED_ROUNDS; round++) {
        trm_reduced_speeds(s);
        minimise_coupled(s);
        renew(s);
        const double residual = worst_residual(s);
        if (!isfinite(residual)) return false;
        if (obeys(s, round)) return true;
        if (!(residual < LITTLE_BETTER * before) && round > ENOUGH_ROUNDS) break;
        before = residual;
    }
    return is_enough(s, s->r->p->enough);
}

/* Solves by the natural map. Where rows contradict each other, it leaves the least squares of their residuals with
 * forces that differ little from the initial ones, whereas the other searches would load the few points without
 * contradictions. */
static bool converge_natural(trm_reduced_search *s)
{
    trm_reduced_natural(s, good_of(s));
    const double left = worst_residual(s);
    if (left <= good_of(s) || is_enough(s, s->r->p->enough_closed)) return true;
    return s->nearly = left <= s->r->p->contradiction * s->initial;
}

/* ---- Problems without a solution ----------------------------------------------------------- */

/* Solves one constraint while all others keep their impulses (one for each is a sweep of projected Gauss-Seidel). */
static void relax_constraint(trm_reduced_search *s, int h)
{
    const trm_constraint *constraint = s->r->constraint[h];
    const int n = s->r->rows, first = s->r->first[h];
    double u[TRM_JOINT_ROWS], rho[TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS], trace = 0;
    if (!(s->own[h] > 0)) return;
    for (int i = 0; i < constraint->rows; i++) {
        const double *D = s->r->D + (size_t)(first + i) * (size_t)n;
        u[i] = s->r->c[first + i];
        for (int k = 0; k < n; k++) u[i] += D[k] * s->p[k];
        trace += D[first + i]; /* at least the largest eigenvalue */
    }
    if (constraint->law == TRM_PULL) {
        lambda[0] = trm_force_impulse(constraint->pull, constraint->dt, u[0] - trace * s->p[first], trace);
    } else {
        const double lift = constraint->law == TRM_CONE   ? constraint->friction * sqrt(u[1] * u[1] + u[2] * u[2])
                            : constraint->law == TRM_DISC ? trm_disc_radius(constraint)
                                                          : 0;
        for (int i = 0; i < constraint->rows; i++) rho[i] = 1 / trace;
        trm_constraint_obey(constraint, lift, s->p + first, rho, u, lambda, NULL);
    }
    memcpy(s->p + first, lambda, (size_t)constraint->rows * sizeof *lambda);
    memcpy(constraint->lambda, lambda, (size_t)constraint->rows * sizeof *lambda);
}

/* Impulses p do the work p . (c + D p / 2). Scales those of passive constraints by the largest factor, at most 1,
 * that adds no energy. */
static void remove_gain(trm_reduced_search *s)
{
    double at_start = 0, more = 0;
    trm_reduced_multiply(s->r, s->p, s->u);
    for (int h = 0; h < s->r->constraints; h++)
        for (int i = s->r->first[h];
             trm_constraint_is_passive(s->r->constraint[h]) && i < s->r->first[h] + s->r->constraint[h]->rows; i++) {
            at_start += s->p[i] * s->r->c[i];
            more += s->p[i] * s->u[i];
        }
    const double part = fmin(1, fmax(0, more > 0 ? -2 * at_start / more : at_start < 0));
    for (int h = 0; part < 1 && h < s->r->constraints; h++)
        for (int i = s->r->first[h];
             trm_constraint_is_passive(s->r->constraint[h]) && i < s->r->first[h] + s->r->constraint[h]->rows; i++)
            s->p[i] *= part;
}

/* Finds impulses by sweeps from zero. They add no energy. */
static void sweep(trm_reduced_search *s)
{
    memset(s->p, 0, (size_t)s->r->rows * sizeof *s->p);
    for (int n = 0; n < SWEEPS; n++)
        for (int h = 0; h < s->r->constraints; h++) relax_constraint(s, h);
    remove_gain(s);
    trm_reduced_speeds(s);
}

/* ---- All ----------------------------------------------------------------------------------- */

/* Searches from the usual stiffness, then with a stiffness that climbs to it, both from the initial impulses. */
static bool search_from(trm_reduced_search *s, const double *start)
{
    set_start(s, start);
    s->initial = worst_residual(s);
    if (s->initial <= s->r->p->tolerance || converge_natural(s)) return true;
    set_start(s, start);
    if (converge(s, TRM_R_USUAL, QUICK_ROUNDS) || converge_natural(s)) return true;
    if (converge_coupled(s, TRM_R_USUAL)) return true;
    set_start(s, start);
    for (double R = TRM_R_BOTTOM; R < TRM_R_USUAL; R *= 10) {
        set_stiffness(s, R);
        trm_reduced_minimise(s);
        renew(s);
    }
    if (worst_residual(s) <= NEAR_SOLUTION * s->initial && converge_natural(s)) return true;
    if (converge_coupled(s, COUPLED_BOTTOM) || converge_coupled(s, TRM_R_USUAL)) return true;
    return converge(s, TRM_R_USUAL, MOST_ROUNDS) || converge_coupled(s, TRM_R_USUAL);
}

/* Returns the largest violation of constraints that joints block, m/s. */
static double contradiction(const trm_reduced_search *s)
{
    double worst = 0;
    for (int h = 0; h < s->r->constraints; h++) {
        const trm_constraint *constraint = s->r->constraint[h];
        const double u = s->u[s->r->first[h]];
        if (s->own[h] > 0) continue;
        if (constraint->law == TRM_CONE) worst = fmax(worst, -u);
        if (constraint->law == TRM_BOUNDED && isinf(constraint->least)) worst = fmax(worst, u);
    }
    return worst;
}

/* Searches from the initial impulses. These are kept if there is no solution and sweeps are not requested. */
static trm_solved search_island(trm_reduced_search *s, bool sweeps, int *steps)
{
    trm_arena *arena = s->r->p->arena;
    double *start = TRM_NEW_ARRAY(arena, double, s->r->rows);
    if (!make_workspace(s) || !start) return TRM_SOLVE_NO_MEMORY;
    trm_reduced_begin(s->r);
    find_own(s);
    for (int h = 0; h < s->r->constraints; h++)
        memcpy(start + s->r->first[h], s->r->constraint[h]->lambda,
               (size_t)s->r->constraint[h]->rows * sizeof *start);
    const bool done = search_from(s, start);
    *steps += s->steps;
    if (!done && sweeps) sweep(s);
    trm_reduced_apply(s->r, done || sweeps ? s->p : start);
    const double enough = fmax(s->r->p->enough, CONTRADICTS * s->fastest);
    if (!done || contradiction(s) > enough) return TRM_NOT_SOLVED;
    return s->nearly ? TRM_NEARLY_SOLVED : TRM_SOLVED;
}

bool trm_problem_can_reduce(const trm_problem *problem, const trm_problem_island *island)
{
    int rows = 0, joints = 0;
    for (int i = 0; i < island->constraint_count; i++) {
        const trm_constraint *constraint = &problem->constraints[island->constraints[i]];
        if (constraint->law == TRM_CLOSED)
            joints++;
        else
            rows += constraint->rows;
    }
    return rows <= MOST_ROWS && joints <= MOST_JOINTS;
}

/* Returns the matrices of an island, new or kept; NULL: out of memory. */
static trm_reduced *reduce(const trm_problem *problem, const trm_problem_island *island, bool limits_apart)
{
    trm_reduced *r = problem->kept ? island->kept[0] : NULL;
    if (!r || (limits_apart && !r->limits_apart)) {
        trm_arena *arena = problem->kept ? problem->kept : problem->arena;
        r = TRM_NEW(arena, trm_reduced);
        if (!r) return NULL;
        *r = (trm_reduced){.p = problem, .island = *island, .arena = arena, .limits_apart = limits_apart};
        if (!trm_reduced_make(r)) return NULL;
        if (problem->kept) island->kept[0] = r;
    }
    r->p = problem;
    return r;
}

trm_solved trm_problem_reduced(const trm_problem *problem, const trm_problem_island *island, bool sweeps, int *steps)
{
    const trm_arena_mark mark = trm_arena_get_mark(problem->arena);
    trm_solved solved = TRM_SOLVE_NO_MEMORY;
    bool passes = false;
    do {
        trm_reduced_search s = {.r = reduce(problem, island, passes)};
        if (!s.r) break;
        solved = search_island(&s, sweeps, steps);
        passes = solved != TRM_SOLVE_NO_MEMORY && !passes && trm_reduced_passes_limit(s.r);
    } while (passes);
    trm_arena_reset(problem->arena, mark);
    return solved;
}
