/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Newton's method on the velocities of an island, with contacts in round cones.
 *
 * The multiplier of a constraint is a function of velocities, from an estimate lambda_k of it and a stiffness rho:
 *
 *     closed   lambda = lambda_k - rho u
 *     cone     lambda = P(lambda_k - rho (u + s n)),   s = mu |u_t| of the last round (De Saxce's term)
 *     disc     lambda = P(lambda_k - rho u),   its radius c lambda_n of the last round
 *     pull     lambda = dt pull(u)
 *     bounded  lambda = lambda_k - rho u, clamped to its bounds
 *
 * V is the solution of g = M (V - V_free) - sum J^T lambda(V) = 0, where g is the gradient of a convex function:
 *
 *     (M + sum J^T C J) dV = -g,   C = -dlambda/du = rho, rho P', dt slope;      step length from dV . g
 *
 * The matrix has six rows per body, so that redundant points of a face need no special treatment. Then lambda_k <-
 * lambda, and this is repeated until every constraint obeys its law. The residual falls by about R in each round,
 * with rho = R/K and K the constraint's own response. R = 1e4 needs one or two factorisations if little has changed
 * since the last time. R is raised if rounds gain little: first rho of cones to R m/4, with m the largest mass of
 * the island, if that is more, then R of all constraints, as high stacks need. A high R loses digits of u in rho u.
 * If that fails, R climbs from 1 by factors of ten.
 *
 * R of joints is raised before that of contacts. Sticking feet may contradict a drive that turns, until one slips.
 * The residual is then left in the contacts, which tolerate much more of it, and not in the joints.
 *
 * s is found by secants: with f(s) = mu |u_t| of the solution for s, s <- s + (f - s) / (1 - df/ds). */

#include <float.h>
#include <string.h>

#include "base/bracket.h"
#include "base/larger.h"
#include "linalg/block_kernels.h"
#include "methods/contact/newton.h"

/* Newton steps of a round before R climbs, and while it climbs; rounds before R climbs, and after it. */
enum {
    QUICK_STEPS = 15,
    SOON_STEPS = 3,
    RUNG_STEPS = 15,
    QUICK_ROUNDS = 8,
    ENOUGH_ROUNDS = 3,
    MOST_ROUNDS = 40,
    MOST_CUTS = 30
};
/* The lowest rung of the ladder of stiffnesses (newton.h) if another attempt follows soon. A larger value fails
 * more often before the next attempt, a smaller one spends rounds that are discarded. Tests pass with a tenth and
 * with ten times of it. */
static const double SOON_BOTTOM = 10;
/* Fraction of the largest g that may be left while R climbs. A larger value climbs to stiff problems with a poor
 * start, a smaller one solves rungs more accurately than needed. Tests pass with a tenth and with ten times of it. */
static const double ROUGH = 0.1;
/* If more than the fraction STALLED of g is left after a step, and g is small, rounding dominates. g is small below
 * NEARLY tolerances or the fraction NEARLY_ALL of the fastest speed. Larger values end Newton's method before it
 * has converged, with smaller ones it repeats steps that are rounding. Tests pass with a tenth and with ten times
 * of it. */
static const double STALLED = 0.3, NEARLY = 10, NEARLY_ALL = 1e-11;
/* The factors of the last matrix are reused while a step leaves less than this fraction of g. A larger value keeps
 * factors that converge slowly, a smaller one factorises in almost every step. Results change by rounding only.
 * Tests pass with a tenth and with ten times of it. */
static const double GOOD_FACTORS = 0.1;
/* Fraction of the speed that the largest impulse gives: an island with a smaller residual is near its solution. A
 * larger value fails more often with its high R, a smaller one makes more rounds at rest. */
static const double NEAR_SOLUTION = 1e-8;
/* Fraction of the fastest speed: smaller changes are added to u. A larger value keeps their rounding after they have
 * cancelled, a smaller one computes u from V near a solution, too. */
static const double SMALL_CHANGE = 1e-7;
/* Roundings in the sum of the impulses of a body. A larger value ends Newton's method early near a solution, with a
 * smaller one it repeats steps that are rounding. */
static const double MANY_TERMS = 100;

/* ---- A step ------------------------------------------------------------------------------- */

/* Returns the momentum of body i of the island. */
static trm_spatial momentum(const trm_newton *d, int i, trm_spatial V)
{
    return trm_sp(trm_mat_vec(d->inertia[i], V.ang), trm_v3_scale(d->p->bodies[d->island->bodies[i]].mass, V.lin));
}

/* Returns the largest velocity change of body i of the island by an impulse and an angular impulse. */
static double response_of(const trm_newton *d, int i, double force, double torque)
{
    const trm_body *body = &d->p->bodies[d->island->bodies[i]];
    const trm_vec3 per = body->inverse_inertia;
    return trm_fmax(force * body->inverse_mass, torque * trm_fmax(trm_fmax(per.x, per.y), per.z));
}

TRM_KERNEL void subtract_impulses_of(const trm_newton *d, const trm_constraint *constraint, const double *lambda,
                                     trm_spatial *to, int rows, int bodies)
{
    for (int k = 0; k < bodies; k++) {
        const int slot = d->matrix.slot[constraint->body[k]];
        if (slot < 0) continue;
        trm_spatial sum = to[slot];
        for (int r = 0; r < rows; r++) sum = trm_sp_add_scaled(sum, -lambda[r], constraint->J[r * bodies + k]);
        to[slot] = sum;
    }
}

/* to -= J^T lambda, per body of the island */
static void subtract_impulses(const trm_newton *d, const trm_constraint *constraint, const double *lambda,
                              trm_spatial *to)
{
    TRM_WITH_SHAPE(constraint, ROWS, BODIES, subtract_impulses_of(d, constraint, lambda, to, ROWS, BODIES))
}

/* Computes g at the present velocities. Returns the largest M^-1 g, m/s and rad/s. */
static double find_gradient(trm_newton *d)
{
    double most = 0;
    d->places = 0;
    for (int i = 0; i < d->island->body_count; i++) d->g[i] = d->Q[i];
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        double lambda[TRM_JOINT_ROWS];
        d->places = 31 * d->places + (unsigned)trm_newton_obey(d, i, d->u + TRM_JOINT_ROWS * i, lambda, NULL);
        subtract_impulses(d, constraint, lambda, d->g);
        for (int r = 0; r < constraint->rows; r++)
            d->scale.loaded = trm_fmax(d->scale.loaded, d->own[i] * fabs(lambda[r]));
    }
    for (int i = 0; i < d->island->body_count; i++)
        most = trm_fmax(most, response_of(d, i, trm_v3_length(d->g[i].lin), trm_v3_length(d->g[i].ang)));
    return most;
}

/* Computes the change of the speeds of a constraint along dV. */
TRM_KERNEL void find_change(const trm_newton *d, const trm_constraint *constraint, double *du, int rows, int bodies)
{
    for (int r = 0; r < rows; r++) du[r] = 0;
    for (int k = 0; k < bodies; k++) {
        const int slot = d->matrix.slot[constraint->body[k]];
        if (slot < 0) continue;
        const trm_spatial dV = d->dV[slot];
        for (int r = 0; r < rows; r++) du[r] += trm_sp_dot(constraint->J[r * bodies + k], dV);
    }
}

/* Computes dV = -H^-1 g. */
static void find_direction(trm_newton *d)
{
    for (int i = 0; i < d->island->body_count; i++) {
        const int body = d->island->bodies[i];
        double *x = d->x + d->matrix.symbolic.first_row[d->matrix.symbolic.position[i]];
        trm_newton_put(&d->p->bodies[body], d->g[i], x);
        for (int k = 0; k < trm_body_freedoms(&d->p->bodies[body]); k++) x[k] = -x[k];
    }
    trm_block_solve(&d->matrix.symbolic, d->matrix.values, d->x);
    for (int i = 0; i < d->island->body_count; i++) {
        const int body = d->island->bodies[i];
        const double *x = d->x + d->matrix.symbolic.first_row[d->matrix.symbolic.position[i]];
        const bool turns = trm_body_freedoms(&d->p->bodies[body]) == 6;
        d->dV[i] = trm_sp(turns ? trm_v3(x[3], x[4], x[5]) : trm_v3(0, 0, 0), trm_v3(x[0], x[1], x[2]));
    }
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        double *du = d->du + TRM_JOINT_ROWS * i;
        TRM_WITH_SHAPE(constraint, ROWS, BODIES, find_change(d, constraint, du, ROWS, BODIES))
    }
}

/* The inertial parts of dV . g(V + part dV). */
typedef struct inertial_slope {
    double at_start, per_part;
} inertial_slope;

static inertial_slope find_inertial_slope(const trm_newton *d)
{
    inertial_slope slope = {0, 0};
    for (int i = 0; i < d->island->body_count; i++) {
        const trm_spatial dV = d->dV[i];
        slope.at_start += trm_sp_dot(dV, d->Q[i]);
        slope.per_part += trm_sp_dot(dV, momentum(d, i, dV));
    }
    return slope;
}

/* Puts all cones along dV into lanes. Unused lanes have no friction and do not move. */
static void line_up_cones(trm_newton *d)
{
    d->cones = 0;
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        if (constraint->law != TRM_CONE) continue;
        const int first = TRM_JOINT_ROWS * i, lane = d->cones % TRM_LANES;
        trm_cone_lanes *four = &d->along[d->cones++ / TRM_LANES];
        if (lane == 0) memset(four, 0, sizeof *four);
        four->friction[lane] = constraint->friction;
        for (int r = 0; r < 3; r++) {
            const double rho = d->rho[first];
            four->y[r][lane] = d->estimate[first + r] - rho * (d->u[first + r] + (r == 0 ? d->lift[i] : 0));
            four->dy[r][lane] = -rho * d->du[first + r];
            four->du[r][lane] = d->du[first + r];
        }
    }
}

/* Returns sum du . lambda of the cones: trm_cone_project, four at a time. */
static double slope_of_cones(const trm_newton *d, double part)
{
    const trm_four none = {0, 0, 0, 0}, all = {1, 1, 1, 1};
    trm_four sum = none;
    for (int i = 0; i < (d->cones + TRM_LANES - 1) / TRM_LANES; i++) {
        const trm_cone_lanes *c = &d->along[i];
        const trm_four n = c->y[0] + part * c->dy[0], y1 = c->y[1] + part * c->dy[1], y2 = c->y[2] + part * c->dy[2];
        const trm_four t = trm_four_sqrt(y1 * y1 + y2 * y2), mu = c->friction;
        const trm_four_flags inside = (n >= none) & (t <= mu * n);
        const trm_four tau = trm_four_max((n + mu * t) / (all + mu * mu), none);
        const trm_four normal = trm_four_choose(inside, n, tau);
        const trm_four share = trm_four_choose(inside, all, trm_four_choose(t > none, mu * tau / t, none));
        sum += c->du[0] * normal + share * (c->du[1] * y1 + c->du[2] * y2);
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

static double slope_at(const trm_newton *d, inertial_slope inertial, double part)
{
    double slope = inertial.at_start + part * inertial.per_part - slope_of_cones(d, part);
    for (int i = 0; i < d->island->constraint_count && d->cones < d->island->constraint_count; i++) {
        if (trm_newton_constraint(d, i)->law == TRM_CONE) continue;
        const int rows = trm_newton_constraint(d, i)->rows;
        const double *at_start = d->u + TRM_JOINT_ROWS * i, *du = d->du + TRM_JOINT_ROWS * i;
        double u[TRM_JOINT_ROWS], lambda[TRM_JOINT_ROWS];
        for (int r = 0; r < rows; r++) u[r] = at_start[r] + part * du[r];
        trm_newton_obey(d, i, u, lambda, NULL);
        for (int r = 0; r < rows; r++) slope -= du[r] * lambda[r];
    }
    return slope;
}

/* Returns the step length: all of dV, or just beyond the zero of the slope along it. There the contact that caused
 * the zero is active. */
static double length_of_step(trm_newton *d)
{
    const inertial_slope inertial = find_inertial_slope(d);
    line_up_cones(d);
    const double at_start = slope_at(d, inertial, 0), enough = TRM_LEFT * fabs(at_start);
    trm_bracket b = {.high = 1, .at_low = at_start, .at_high = slope_at(d, inertial, 1)};
    double here = b.at_high;
    while (b.tries < MOST_CUTS && !(here >= 0 && here <= enough) && b.at_high > enough) {
        const double part = trm_bracket_next(&b, 4);
        here = slope_at(d, inertial, part);
        trm_bracket_update(&b, part, here);
    }
    return b.high;
}

/* Computes the speeds u from the velocities, and the largest term in their sums. */
static void find_speeds(trm_newton *d)
{
    for (int i = 0; i < d->island->body_count; i++)
        d->scale.fastest = trm_fmax(d->scale.fastest, trm_v3_length(d->p->V[d->island->bodies[i]].lin));
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        trm_constraint_speeds(constraint, d->p->V, d->u + TRM_JOINT_ROWS * i);
        for (int r = 0; constraint->b && r < constraint->rows; r++)
            d->scale.fastest = trm_fmax(d->scale.fastest, fabs(constraint->b[r]));
    }
}

/* Changes the speeds by part du. While changes are small, u is the sum of them, so that its rounding is that of the
 * changes and not that of V and b, which cancel: near a solution rho u is then as accurate as lambda, also with a
 * high R, and bodies at rest need no steps to undo the rounding of the last solution. */
static void change_speeds(trm_newton *d, double part)
{
    double most = 0;
    for (int i = 0; i < d->island->constraint_count; i++)
        for (int r = TRM_JOINT_ROWS * i; r < TRM_JOINT_ROWS * i + trm_newton_constraint(d, i)->rows; r++) {
            d->u[r] += part * d->du[r];
            most = trm_fmax(most, trm_fmax(fabs(d->u[r]), fabs(part * d->du[r])));
        }
    d->scale.changed = trm_fmax(d->scale.changed, most);
    if (d->scale.changed > SMALL_CHANGE * d->scale.fastest) find_speeds(d);
}

static void take_step(trm_newton *d, double part)
{
    for (int i = 0; i < d->island->body_count; i++) {
        const int body = d->island->bodies[i];
        const trm_spatial dV = trm_sp_scale(part, d->dV[i]);
        d->p->V[body] = trm_sp_add_scaled(d->p->V[body], 1, dV);
        d->Q[i] = trm_sp_add_scaled(d->Q[i], 1, momentum(d, i, dV));
    }
    change_speeds(d, part);
}

/* ---- Rounds ------------------------------------------------------------------------------- */

static void set_stiffness(trm_newton *d, double R, double joint_R)
{
    d->R = R;
    d->joint_R = joint_R;
    d->matrix.factorised = false;
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        const bool is_round = constraint->law == TRM_CONE || constraint->law == TRM_DISC;
        for (int r = 0; r < constraint->rows; r++) {
            const double K = is_round ? d->own[i] : trm_constraint_response(constraint, r);
            const double least = constraint->law == TRM_CONE && d->heavy ? 4 / d->heaviest : K;
            d->rho[TRM_JOINT_ROWS * i + r] = K > 0 ? (is_round ? R : joint_R) / fmin(K, least) : 0;
        }
    }
}

/* Returns an estimate of the s with mu |u_t| = s by a secant: s of this round has led to f, that of the last round
 * to last_slip. */
static double better_lift(trm_newton *d, int i, double f)
{
    const double s = d->lift[i], change = s - d->last_lift[i];
    double slope = (f - d->last_slip[i]) / change;
    slope = isfinite(slope) ? fmin(trm_fmax(slope, -TRM_MOST_SLOPE), TRM_MOST_SLOPE) : 0;
    d->last_lift[i] = s, d->last_slip[i] = f;
    return trm_fmax(s + (f - s) / (1 - slope), 0);
}

/* Updates the radius of a disc from the present lambda_n of its contact, which precedes it. V does not include the
 * change yet. */
static void renew_radius(trm_newton *d, int i)
{
    const double radius = trm_disc_radius(trm_newton_constraint(d, i));
    d->pending = trm_fmax(d->pending, d->own[i] * fabs(radius - d->lift[i]));
    d->lift[i] = radius;
}

/* Updates lambda_k = lambda(V) and s from the velocities of the last gradient. Returns the largest residual of the
 * constraints with the previous s, m/s. */
static double renew_estimates(trm_newton *d)
{
    double worst = 0;
    d->shifted = d->pending = 0;
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        const double *u = d->u + TRM_JOINT_ROWS * i;
        double lambda[TRM_JOINT_ROWS];
        if (constraint->law == TRM_DISC) renew_radius(d, i);
        trm_newton_obey(d, i, u, lambda, NULL);
        memcpy(d->estimate + TRM_JOINT_ROWS * i, lambda, (size_t)constraint->rows * sizeof *lambda);
        memcpy(constraint->lambda, lambda, (size_t)constraint->rows * sizeof *lambda);
        if (constraint->law == TRM_CONE) {
            worst = trm_fmax(worst, trm_cone_residual(constraint, u, d->lift[i], d->own[i]));
            const double s = better_lift(d, i, constraint->friction * sqrt(u[1] * u[1] + u[2] * u[2]));
            d->shifted = trm_fmax(d->shifted, fabs(s - d->lift[i]));
            d->lift[i] = s;
        } else {
            worst = trm_fmax(worst, trm_constraint_residual(constraint, d->p->V));
        }
    }
    return worst;
}

/* Returns the residual of constraint i at the velocities of the last gradient, m/s. */
static double residual_of(const trm_newton *d, int i)
{
    const trm_constraint *constraint = trm_newton_constraint(d, i);
    const double *u = d->u + TRM_JOINT_ROWS * i;
    if (constraint->law != TRM_CONE) return trm_constraint_residual(constraint, d->p->V);
    return d->own[i] > 0
               ? trm_cone_residual(constraint, u, constraint->friction * sqrt(u[1] * u[1] + u[2] * u[2]), d->own[i])
               : 0;
}

/* Residuals of contacts, and of all other constraints, m/s. V does not include the last change of disc radii. */
typedef struct residuals {
    double contacts, others;
} residuals;

static residuals find_residuals(const trm_newton *d)
{
    residuals worst = {0, d->pending};
    for (int i = 0; i < d->island->constraint_count; i++) {
        double *of = trm_newton_constraint(d, i)->law == TRM_CONE ? &worst.contacts : &worst.others;
        *of = trm_fmax(*of, residual_of(d, i));
    }
    return worst;
}

static bool are_within(residuals left, double others, double contacts)
{
    return left.others <= others && left.contacts <= contacts;
}

/* Returns whether the residual is accepted if the solver cannot reduce it further. Closing speeds are tested
 * separately, because the residual of a steep cone may be small although its contact is jammed. */
static bool is_enough(const trm_newton *d)
{
    if (!(d->pending <= d->p->enough)) return false;
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        const double enough = constraint->law == TRM_CLOSED ? d->p->enough_closed : d->p->enough;
        const bool closes = constraint->law == TRM_CONE && d->own[i] > 0 && -d->u[TRM_JOINT_ROWS * i] > enough;
        if (closes || !(residual_of(d, i) <= enough)) return false;
    }
    return true;
}

static bool are_contacts_enough(const trm_newton *d)
{
    return find_residuals(d).contacts <= d->p->enough;
}

/* Raises R of joints first. If contacts are already accurate enough, lowers their R in favour of joints. Otherwise
 * raises R for heavy bodies, then for all constraints. */
static void stiffen(trm_newton *d)
{
    if (d->joints && d->joint_R < TRM_R_HIGHEST)
        set_stiffness(d, d->R, TRM_R_RAISED * d->joint_R);
    else if (d->joints && are_contacts_enough(d))
        set_stiffness(d, trm_fmax(d->R / TRM_R_RAISED, TRM_R_BOTTOM), d->joint_R);
    else if (!d->heavy)
        d->heavy = true, set_stiffness(d, d->R, d->joint_R);
    else if (d->R < TRM_R_HIGHEST)
        set_stiffness(d, TRM_R_RAISED * d->R, trm_fmax(d->joint_R, TRM_R_RAISED * d->R));
}

/* Returns the largest residual, computed from the velocities. */
static double largest_residual(const trm_newton *d)
{
    double worst = 0;
    for (int i = 0; i < d->island->constraint_count; i++)
        worst = trm_fmax(worst, trm_constraint_residual(trm_newton_constraint(d, i), d->p->V));
    return worst;
}

/* Returns the largest term in the sums u, m/s, whose rounding is that of u. */
static double largest_term(const trm_newton *d)
{
    return d->scale.changed > SMALL_CHANGE * d->scale.fastest ? d->scale.fastest : d->scale.changed;
}

/* Returns the part of M^-1 g that is rounding for sure, m/s: of u, or of the impulses in the sum. */
static double least_gradient(const trm_newton *d)
{
    return TRM_GRADIENT_ROUNDING *
           fmin(d->R * d->scale.fastest, trm_fmax(d->R * largest_term(d), MANY_TERMS * d->scale.loaded));
}

/* Computes the uncertainty of a constraint's lambda by rounding of the products in it, per row. */
static void find_uncertainty(const trm_newton *d, int i, double *uncertain)
{
    const trm_constraint *constraint = trm_newton_constraint(d, i);
    const int n = constraint->bodies;
    const bool small = largest_term(d) == d->scale.changed;
    for (int r = 0; r < constraint->rows; r++) {
        double terms = small ? d->scale.changed : constraint->b ? fabs(constraint->b[r]) : 0;
        for (int k = 0; k < n && !small; k++) {
            const trm_spatial J = constraint->J[r * n + k], V = d->p->V[constraint->body[k]];
            terms += trm_v3_length(J.lin) * trm_v3_length(V.lin) + trm_v3_length(J.ang) * trm_v3_length(V.ang);
        }
        uncertain[r] =
            DBL_EPSILON * (fabs(d->estimate[TRM_JOINT_ROWS * i + r]) + d->rho[TRM_JOINT_ROWS * i + r] * terms);
    }
}

/* Returns the part of M^-1 g that is rounding, m/s and rad/s: the uncertainties of all terms of g, added as errors of
 * random sign. */
static double rounding_of_gradient(const trm_newton *d, trm_spatial *squares)
{
    double most = 0;
    for (int i = 0; i < d->island->body_count; i++) squares[i] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        double uncertain[TRM_JOINT_ROWS];
        find_uncertainty(d, i, uncertain);
        for (int k = 0; k < constraint->bodies; k++) {
            const int slot = d->matrix.slot[constraint->body[k]];
            for (int r = 0; slot >= 0 && r < constraint->rows; r++) {
                const trm_spatial J = constraint->J[r * constraint->bodies + k];
                squares[slot].lin.x += uncertain[r] * uncertain[r] * trm_v3_dot(J.lin, J.lin);
                squares[slot].ang.x += uncertain[r] * uncertain[r] * trm_v3_dot(J.ang, J.ang);
            }
        }
    }
    for (int i = 0; i < d->island->body_count; i++)
        most = trm_fmax(most, response_of(d, i, sqrt(squares[i].lin.x), sqrt(squares[i].ang.x)));
    return most;
}

/* Returns whether g is only rounding: of the tolerance, of the fastest speed, or of the terms of g. */
static bool is_rounding(const trm_newton *d, double left)
{
    if (left <= trm_fmax(NEARLY * d->p->tolerance, NEARLY_ALL * d->scale.fastest)) return true;
    return left <= fmin(NEARLY * rounding_of_gradient(d, d->dV), TRM_INNER * d->p->enough_closed);
}

/* Finds V with g = 0. Returns the number of steps, or most + 1 if it did not converge. Factorises the matrix again if
 * the last one gave a poor step. */
static int minimise(trm_newton *d, int most, double rough)
{
    double before = INFINITY, first = 0;
    for (int step = 0;; step++) {
        const double left = find_gradient(d);
        first = trm_fmax(first, left);
        if (left <= rough * first || left <= trm_fmax(TRM_INNER * d->p->tolerance, least_gradient(d))) return step;
        if (left > STALLED * before && is_rounding(d, left)) return step;
        if (step == most) return most + 1;
        if (!d->matrix.factorised || d->places != d->matrix.places || left > GOOD_FACTORS * before)
            trm_newton_factorise(d);
        before = left;
        find_direction(d);
        take_step(d, length_of_step(d));
    }
}

static void restore(trm_newton *d)
{
    d->scale.changed = 0;
    for (int i = 0; i < d->island->body_count; i++) {
        d->p->V[d->island->bodies[i]] = d->start.V[i];
        d->Q[i] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    }
    find_speeds(d);
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        const double *u = d->u + TRM_JOINT_ROWS * i;
        for (int r = 0; r < constraint->rows; r++) d->scale.changed = trm_fmax(d->scale.changed, fabs(u[r]));
        memcpy(constraint->lambda, d->start.lambda + TRM_JOINT_ROWS * i,
               (size_t)constraint->rows * sizeof *constraint->lambda);
        memcpy(d->estimate + TRM_JOINT_ROWS * i, constraint->lambda,
               (size_t)constraint->rows * sizeof *constraint->lambda);
        d->lift[i] = constraint->law == TRM_CONE   ? constraint->friction * sqrt(u[1] * u[1] + u[2] * u[2])
                     : constraint->law == TRM_DISC ? trm_disc_radius(constraint)
                                                   : 0;
        d->last_lift[i] = d->last_slip[i] = NAN;
        double opposite[TRM_JOINT_ROWS];
        for (int r = 0; r < constraint->rows; r++) opposite[r] = -constraint->lambda[r];
        subtract_impulses(d, constraint, opposite, d->Q);
    }
}

/* Returns the first R. Where the residual of the start is small compared with what the impulses do, modes stay, and a
 * high R solves a high stack in one step, because its u is as accurate as its changes (change_speeds). */
static double first_stiffness(const trm_newton *d)
{
    double loaded = 0;
    for (int i = 0; i < d->island->constraint_count; i++)
        loaded = trm_fmax(loaded, d->own[i] * d->start.lambda[TRM_JOINT_ROWS * i]);
    return d->scale.off < NEAR_SOLUTION * loaded ? TRM_R_RAISED * TRM_R_USUAL : TRM_R_USUAL;
}

/* Makes rounds of multipliers from the usual stiffness on, until every constraint obeys its law. */
static bool converge(trm_newton *d, int most_steps, int most_rounds, int *steps)
{
    double before = INFINITY;
    d->heavy = false;
    const double R = first_stiffness(d);
    set_stiffness(d, R, R);
    d->shifted = d->pending = 0;
    for (int round = 0; round < most_rounds; round++) {
        const double shifted = trm_fmax(d->shifted, d->pending);
        const int taken = minimise(d, most_steps, 0);
        *steps += taken;
        if (taken > most_steps) return false;
        const double left = renew_estimates(d), good = trm_fmax(trm_fmax(d->p->tolerance, d->p->soon), d->good);
        if (are_within(find_residuals(d), good, good) || (round >= ENOUGH_ROUNDS && is_enough(d))) return true;
        const double expected = TRM_LITTLE_GAIN * trm_fmax(before, shifted);
        if (left > d->p->tolerance && left > expected) stiffen(d);
        before = left;
    }
    return is_enough(d);
}

static bool climb(trm_newton *d, int *steps)
{
    const bool soon = d->p->soon > 0;
    d->heavy = false;
    for (double R = soon ? SOON_BOTTOM : TRM_R_BOTTOM; R < TRM_R_USUAL; R *= 10) {
        set_stiffness(d, R, R);
        *steps += minimise(d, RUNG_STEPS, soon ? ROUGH : 0);
        renew_estimates(d);
    }
    return converge(d, RUNG_STEPS, MOST_ROUNDS, steps);
}

/* Returns M^-1 times a momentum of body i of the island. */
static trm_spatial velocity_of(const trm_newton *d, int i, trm_spatial momentum_of)
{
    const int body = d->island->bodies[i];
    const trm_vec3 per = d->p->bodies[body].inverse_inertia;
    const trm_vec3 L = trm_rotate_back(d->p->poses[body].q, momentum_of.ang);
    return trm_sp(trm_rotate(d->p->poses[body].q, trm_v3(per.x * L.x, per.y * L.y, per.z * L.z)),
                  trm_v3_scale(d->p->bodies[body].inverse_mass, momentum_of.lin));
}

static void shift_velocities(trm_newton *d, double by)
{
    for (int i = 0; i < d->island->body_count; i++) {
        trm_spatial *V = &d->p->V[d->island->bodies[i]];
        *V = trm_sp_add_scaled(*V, by, d->g[i]);
    }
}

/* g = M (V - V_free) - sum J^T lambda of the constraints. It is that of the last gradient, whose lambda they have got
 * (renew_estimates), unless the radius of a disc has changed. */
static void find_mismatch(trm_newton *d)
{
    if (!d->discs) return;
    for (int i = 0; i < d->island->body_count; i++) d->g[i] = d->Q[i];
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        subtract_impulses(d, constraint, constraint->lambda, d->g);
    }
}

/* Computes V again from lambda, so that momentum is conserved, because rounding of rho u may have made the two
 * differ. Keeps the old V if the laws are then violated. */
static void match_impulses(trm_newton *d)
{
    find_mismatch(d);
    for (int i = 0; i < d->island->body_count; i++) d->g[i] = velocity_of(d, i, d->g[i]);
    const double before = d->joints ? largest_residual(d) : 0;
    shift_velocities(d, -1);
    if (!(largest_residual(d) <= trm_fmax(d->p->tolerance, before))) shift_velocities(d, 1);
}

/* ---- An island ---------------------------------------------------------------------------- */

static void make_slots(trm_newton *d)
{
    for (int i = 0; i < d->island->constraint_count; i++)
        for (int k = 0; k < trm_newton_constraint(d, i)->bodies; k++)
            d->matrix.slot[trm_newton_constraint(d, i)->body[k]] = -1;
    for (int i = 0; i < d->island->body_count; i++) d->matrix.slot[d->island->bodies[i]] = i;
}

static bool make_scratch(trm_newton *d)
{
    trm_arena *arena = d->p->arena;
    const int n = d->island->body_count, m = d->island->constraint_count;
    d->matrix.slot = TRM_NEW_ROOM(arena, int, d->p->body_count);
    if (!d->matrix.slot) return false;
    make_slots(d);
    if (!trm_newton_make_symbolic(d)) return false;
    d->matrix.values = TRM_NEW_ROOM(arena, double, d->matrix.symbolic.values);
    d->matrix.scale = TRM_NEW_ROOM(arena, double, d->matrix.symbolic.rows);
    d->x = TRM_NEW_ROOM(arena, double, d->matrix.symbolic.rows);
    d->matrix.dropped = TRM_NEW_ARRAY(arena, bool, d->matrix.symbolic.rows);
    d->Q = TRM_NEW_ROOM(arena, trm_spatial, n);
    d->g = TRM_NEW_ROOM(arena, trm_spatial, n);
    d->start.V = TRM_NEW_ROOM(arena, trm_spatial, n);
    d->dV = TRM_NEW_ROOM(arena, trm_spatial, n);
    d->estimate = TRM_NEW_ROOM(arena, double, TRM_JOINT_ROWS *m);
    d->start.lambda = TRM_NEW_ROOM(arena, double, TRM_JOINT_ROWS *m);
    d->rho = TRM_NEW_ROOM(arena, double, TRM_JOINT_ROWS *m);
    d->lift = TRM_NEW_ROOM(arena, double, m);
    d->u = TRM_NEW_ROOM(arena, double, TRM_JOINT_ROWS *m);
    d->du = TRM_NEW_ROOM(arena, double, TRM_JOINT_ROWS *m);
    d->along = TRM_NEW_ROOM(arena, trm_cone_lanes, m / TRM_LANES + 1);
    d->own = TRM_NEW_ROOM(arena, double, m);
    d->inertia = TRM_NEW_ROOM(arena, trm_mat3, n);
    d->last_lift = TRM_NEW_ROOM(arena, double, m);
    d->last_slip = TRM_NEW_ROOM(arena, double, m);
    return d->matrix.values && d->matrix.scale && d->x && d->matrix.dropped && d->Q && d->g && d->start.V && d->dV &&
           d->estimate && d->start.lambda && d->rho && d->lift && d->last_lift && d->last_slip && d->u && d->du &&
           d->along && d->own && d->inertia;
}

static void remember_start(trm_newton *d)
{
    d->heaviest = 0;
    for (int i = 0; i < d->island->body_count; i++) {
        d->start.V[i] = d->p->V[d->island->bodies[i]];
        d->heaviest = trm_fmax(d->heaviest, d->p->bodies[d->island->bodies[i]].mass);
        const trm_mat3 R = trm_quat_matrix(d->p->poses[d->island->bodies[i]].q);
        d->inertia[i] =
            trm_mat_mul(R, trm_mat_mul(trm_diag(d->p->bodies[d->island->bodies[i]].inertia), trm_transpose(R)));
    }
    for (int i = 0; i < d->island->constraint_count; i++) {
        d->own[i] = trm_constraint_largest_response(trm_newton_constraint(d, i));
        d->joints = d->joints || trm_newton_constraint(d, i)->law == TRM_CLOSED;
        memcpy(d->start.lambda + TRM_JOINT_ROWS * i, trm_newton_constraint(d, i)->lambda,
               (size_t)trm_newton_constraint(d, i)->rows * sizeof(double));
    }
}

static bool has_discs(const trm_newton *d)
{
    for (int i = 0; i < d->island->constraint_count; i++)
        if (trm_newton_constraint(d, i)->law == TRM_DISC) return true;
    return false;
}

trm_solved trm_problem_newton(const trm_problem *problem, const trm_problem_island *island, int *steps)
{
    trm_newton d = {.p = problem, .island = island};
    const double off = largest_residual(&d);
    if (off <= problem->tolerance) return TRM_SOLVED;
    d.scale.off = off;
    d.discs = has_discs(&d);
    d.good = d.discs ? 0 : problem->part * off; /* rounds are needed to find the radius of a disc */
    const trm_arena_mark mark = trm_arena_get_mark(problem->arena);
    trm_solved solved = TRM_SOLVE_NO_MEMORY;
    if (make_scratch(&d)) {
        remember_start(&d);
        restore(&d);
        bool done = converge(&d, problem->soon > 0 ? SOON_STEPS : QUICK_STEPS, QUICK_ROUNDS, steps);
        if (!done) restore(&d), done = climb(&d, steps);
        if (!done) restore(&d);
        if (done) match_impulses(&d);
        solved = done ? TRM_SOLVED : TRM_NOT_SOLVED;
    }
    trm_arena_reset(problem->arena, mark);
    return solved;
}
