/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the rates of the unknowns for the integrator.
 *
 * The power of all forces without a potential is the rate of change of the energy. With F_b the wrenches of a force
 * on its bodies and P its power without a potential, dU/dt = P - sum F_b . V_b, so that
 *
 *     power = sum V . (I A, + omega x I omega) + sum over forces (P - sum F_b . V_b)
 *
 * In a compiled branch only forces do work, so its power is the sum of P. For forces of the caller P = F . V. */

#include <float.h>
#include <string.h>

#include "math/rotation.h"
#include "methods/minimal/minimal.h"

/* Number of step ends from which dependent coordinates are extrapolated. */
enum { HERMITE = 3 };
/* rad, m: extrapolated coordinates farther than this from the parabola are rejected. A larger value may lead into
 * another branch of the closure; a smaller one uses the worse prediction, which costs Newton steps. Tests pass with
 * a tenth and with ten times of it. */
static const double FARTHEST_EXTRAPOLATED = 0.2;

/* ---- Unknowns ----------------------------------------------------------------------------- */

/* Returns the coordinate of position unknown k of a branch. */
static int coordinate_of(const trm_minimal *w, int branch, int k)
{
    const trm_loop *loop = w->loops[branch];
    return w->tree->branches[branch].first + (loop ? loop->independent[k] : k);
}

static int freedoms_of(const trm_minimal *w, int branch)
{
    return w->loops[branch] ? w->loops[branch]->f : w->tree->branches[branch].count;
}

void trm_minimal_gather(const trm_minimal *w, const double *y, const double *yd, double *z)
{
    int at = 0;
    if (!w->has_loops) {
        memcpy(z, y, (size_t)w->unknowns * sizeof *z);
        memcpy(z + w->unknowns, yd, (size_t)w->unknowns * sizeof *z);
        return;
    }
    for (int b = 0; b < w->tree->branch_count; b++)
        for (int k = 0; k < freedoms_of(w, b); k++, at++) {
            z[at] = y[coordinate_of(w, b, k)];
            z[w->unknowns + at] = yd[coordinate_of(w, b, k)];
        }
}

static void scatter(const trm_minimal *w, const double *z, double *y, double *yd)
{
    int at = 0;
    if (!w->has_loops) {
        memcpy(y, z, (size_t)w->unknowns * sizeof *z);
        memcpy(yd, z + w->unknowns, (size_t)w->unknowns * sizeof *z);
        return;
    }
    for (int b = 0; b < w->tree->branch_count; b++)
        for (int k = 0; k < freedoms_of(w, b); k++, at++) {
            y[coordinate_of(w, b, k)] = z[at];
            yd[coordinate_of(w, b, k)] = z[w->unknowns + at];
        }
}

/* ---- Poses and velocities ----------------------------------------------------------------- */

/* Predicts by the parabola at the last end of a step. */
static void predict(trm_minimal *w, double t)
{
    const double dt = t - w->base.t;
    for (int i = 0; i < w->tree->coordinates; i++)
        w->predicted[i] = w->base.y[i] + dt * (w->base.yd[i] + 0.5 * dt * w->base.ydd[i]);
}

/* Returns a coordinate at t by the polynomial of degree 3 HERMITE - 1 through position, rate and acceleration at
 * HERMITE ends of steps: Newton's divided differences with each end three times. */
static double extrapolate(const trm_minimal *w, int i, double t)
{
    enum { NODES = 3 * HERMITE };
    double at[NODES], d[NODES], sum;
    for (int k = 0; k < NODES; k++) at[k] = w->ends.list[k / 3].t, d[k] = w->ends.list[k / 3].y[i];
    for (int order = 1; order < NODES; order++)
        for (int k = NODES - 1; k >= order; k--) {
            const double span = at[k] - at[k - order];
            const trm_moment *m = &w->ends.list[k / 3];
            d[k] = span != 0 ? (d[k] - d[k - 1]) / span : order == 1 ? m->yd[i] : 0.5 * m->ydd[i];
        }
    sum = d[NODES - 1];
    for (int k = NODES - 2; k >= 0; k--) sum = d[k] + (t - at[k]) * sum;
    return sum;
}

/* Predicts the dependent coordinates so accurately that one step of Newton's method suffices. Predictions far from
 * the parabola are rejected, because a jump of a force makes them wrong. */
static void predict_dependent(trm_minimal *w, const trm_loop *loop, double t)
{
    if (w->ends.count < HERMITE || w->ends.list[0].t != w->base.t) return;
    for (int i = 0; i < loop->n - loop->f; i++) {
        const int at = loop->branch->first + loop->dependent[i];
        const double better = extrapolate(w, at, t);
        if (fabs(better - w->predicted[at]) <= FARTHEST_EXTRAPOLATED) w->predicted[at] = better;
    }
}

static void set_predicted(trm_minimal *w, const trm_loop *loop)
{
    for (int i = 0; i < loop->n - loop->f; i++) {
        const int at = loop->branch->first + loop->dependent[i];
        w->now.y[at] = w->predicted[at];
    }
}

void trm_minimal_forget_seen(trm_minimal *w)
{
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->loops[b]) w->loops[b]->seen_t = NAN;
}

bool trm_minimal_place(trm_minimal *w, double t, const double *z)
{
    trm_tree *tree = w->tree;
    double *memory = w->memory;
    w->now.t = t;
    scatter(w, z, w->now.y, w->now.yd);
    if (w->has_loops) predict(w, t);
    trm_tree_set_time(tree, t);
    for (int b = 0; b < tree->branch_count; b++) {
        trm_loop *loop = w->loops[b];
        if (loop && !loop->form) predict_dependent(w, loop, t);
        if (loop) set_predicted(w, loop);
        if (loop || w->needs_poses) trm_tree_set_turns(tree, &tree->branches[b], w->now.y, memory);
        if (w->compiled[b] && !loop) {
            trm_compiled_move(w->compiled[b], w->now.y, w->now.yd);
            if (w->needs_poses) trm_compiled_write(w->compiled[b], tree, false);
            continue;
        }
        if (!loop) {
            trm_tree_place(tree, &tree->branches[b], w->now.y);
            trm_tree_move(tree, &tree->branches[b], w->now.y, w->now.yd);
            continue;
        }
        if (!trm_loop_close(loop, tree, memory, w->now.y, w->predicted) ||
            !trm_loop_factorise_rows(loop, tree, memory))
            return false;
        w->stepper->counters->newton += loop->newton;
        trm_loop_dependent_rates(loop, tree, memory, w->now.y, w->now.yd);
    }
    return true;
}

/* ---- Forces ------------------------------------------------------------------------------- */

/* Returns whether a force is the weight of a body in a compiled branch, which includes gravity by itself. */
static bool is_weight(const trm_minimal *w, const trm_force *force)
{
    return force->type == &trm_force_gravity && w->is_compiled[force->body[0]];
}

/* Computes tau of the forces along coordinates of compiled branches, and their power. */
static bool find_tau(trm_minimal *w, double *power, double *damping)
{
    const trm_stepper *s = w->stepper;
    bool finite = true;
    memset(w->along.tau, 0, (size_t)w->tree->coordinates * sizeof *w->along.tau);
    for (int i = 0; i < s->model->force_count; i++) {
        const int at = w->along.force_coordinate[i];
        if (at < 0 || !trm_force_acts(s->state, i)) continue;
        const trm_force *force = &s->model->forces[i];
        const trm_force_at here = {.force = force, .t = w->now.t, .memory = w->memory + force->host->memory_offset};
        const trm_force_along along = force->type->along(&here, w->now.y[at], w->now.yd[at]);
        w->along.tau[at] += along.tau;
        *power += along.power;
        if (force->type->passive) *damping += along.power;
        finite = finite && isfinite(along.tau);
    }
    return finite;
}

void trm_minimal_add_weights(trm_minimal *w)
{
    for (int i = 0; i < w->stepper->model->force_count; i++) {
        const trm_force *force = &w->stepper->model->forces[i];
        if (!is_weight(w, force)) continue;
        trm_vec3 *lin = &w->wrench[force->body[0]].lin;
        *lin = trm_v3_add(*lin, force->weight);
    }
}

/* Adds all forces on all bodies, except those that compiled branches include by themselves. Computes the power of
 * forces without a potential, and the part of dampers in it. Returns false if a force is not finite. The power of
 * forces on bodies of general branches is subtracted, because kinetic_power includes it. */
static bool add_forces(trm_minimal *w, double *power, double *damping)
{
    const trm_stepper *s = w->stepper;
    const trm_tree *tree = w->tree;
    bool finite = true;
    for (int i = 0; i < s->model->body_count; i++) w->wrench[i] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    for (int i = 0; i < s->model->force_count; i++) {
        const trm_force *force = &s->model->forces[i];
        trm_spatial F[TRM_JOINT_BODIES];
        if (!trm_force_acts(s->state, i) || is_weight(w, force) || w->along.force_coordinate[i] >= 0) continue;
        trm_force_at at;
        trm_force_place(force, tree->pose, tree->velocity, tree->t, w->memory, &at);
        force->type->wrench(&at, F);
        const double own = w->works ? trm_force_power(&at) : 0;
        *power += own;
        if (force->type->passive) *damping += own;
        for (int b = 0; b < force->body_count; b++) {
            w->wrench[force->body[b]] = trm_sp_add_scaled(w->wrench[force->body[b]], 1, F[b]);
            if (!w->is_compiled[force->body[b]]) *power -= trm_sp_dot(F[b], tree->velocity[force->body[b]]);
            finite = finite && trm_sp_is_finite(F[b]);
        }
    }
    if (s->called_count > 0) trm_tree_write(tree, s->state); /* functions of the caller read the state */
    for (int i = 0; i < s->called_count; i++) {
        const int body = s->called[i].body;
        const trm_spatial F = s->called[i].force(s->called[i].context, s->state);
        w->wrench[body] = trm_sp_add_scaled(w->wrench[body], 1, F);
        if (w->is_compiled[body]) *power += trm_sp_dot(F, tree->velocity[body]);
        finite = finite && trm_sp_is_finite(F);
    }
    return finite;
}

/* Returns V M A of a link and its rotors, for velocities V, and accelerations or velocities A of all bodies. */
static double kinetic_product(const trm_tree *tree, const trm_link *link, const trm_spatial *all)
{
    const trm_body *b = &tree->model->bodies[link->body];
    const trm_spatial V = tree->velocity[link->body], A = all[link->body];
    const trm_quat q = tree->pose[link->body].q;
    const trm_vec3 omega = trm_rotate_back(q, V.ang), alpha = trm_rotate_back(q, A.ang);
    double sum = b->mass * trm_v3_dot(V.lin, A.lin) + b->inertia.x * omega.x * alpha.x +
                 b->inertia.y * omega.y * alpha.y + b->inertia.z * omega.z * alpha.z;
    for (int k = 0; k < link->count; k++)
        sum += link->armature[k] * tree->velocity[link->rotor[k]].lin.z * all[link->rotor[k]].lin.z;
    return sum;
}

/* Returns the growth rate of the kinetic energy of general branches. */
static double kinetic_power(const trm_minimal *w)
{
    const trm_tree *tree = w->tree;
    double power = 0;
    for (int i = 0; i < tree->link_count; i++)
        if (!w->is_compiled[tree->links[i].body]) power += kinetic_product(tree, &tree->links[i], tree->acceleration);
    return power;
}

double trm_minimal_kinetic(const trm_minimal *w)
{
    double twice = 0;
    for (int i = 0; i < w->tree->link_count; i++)
        twice += kinetic_product(w->tree, &w->tree->links[i], w->tree->velocity);
    return 0.5 * twice;
}

/* ---- Accelerations ------------------------------------------------------------------------ */

bool trm_minimal_accelerate(trm_minimal *w)
{
    trm_tree *tree = w->tree;
    double power = 0, damping = 0;
    const trm_loop_forces forces = {w->wrench, w->stepper->model->gravity, w->along.any ? w->along.tau : NULL};
    if (w->needs_poses && !add_forces(w, &power, &damping)) return false;
    if (w->along.any && !find_tau(w, &power, &damping)) return false;
    for (int b = 0; b < tree->branch_count; b++) {
        const trm_branch *branch = &tree->branches[b];
        if (w->compiled[b] && w->needs_poses) trm_compiled_apply_wrenches(w->compiled[b], w->wrench);
        if (w->compiled[b] && !w->loops[b]) {
            trm_compiled_accelerate(w->compiled[b], w->stepper->model->gravity, w->along.any ? w->along.tau : NULL,
                                    w->now.ydd);
            continue;
        }
        if (!w->loops[b])
            trm_dynamics_articulate(w->dynamics, tree, branch, w->wrench, NULL, w->now.ydd);
        else if (!trm_loop_accelerate(w->loops[b], tree, w->dynamics, w->memory, &forces, w->now.ydd))
            return false;
        if (w->loops[b] && !w->compiled[b] && w->works) trm_tree_accelerate(tree, branch, w->now.ydd);
    }
    w->now.power[0] = w->works ? power + kinetic_power(w) - damping : 0;
    w->now.power[1] = damping;
    for (int i = 0; i < tree->coordinates; i++)
        if (!isfinite(w->now.ydd[i])) return false;
    return true;
}

/* Returns the error of the rates by rounding. Loops close to eps; with r the smallest independent part of a column of
 * G_D, dependent coordinates have errors eps / r, the direction in which they move eps / r^2, and accelerations eps
 * yd^2 / r^3 + eps ydd / r^2. */
static double rounding_of_rates(const trm_minimal *w)
{
    double most = 0;
    for (int b = 0; b < w->tree->branch_count; b++) {
        const trm_branch *branch = &w->tree->branches[b];
        double fastest = 0, hardest = 0;
        for (int i = branch->first; w->loops[b] && i < branch->first + branch->count; i++) {
            fastest = fmax(fastest, fabs(w->now.yd[i]));
            hardest = fmax(hardest, fabs(w->now.ydd[i]));
        }
        const double r = w->loops[b] ? w->loops[b]->regular : 1;
        most = fmax(most, DBL_EPSILON * (fastest * fastest / r + hardest) / (r * r));
    }
    return most;
}

bool trm_minimal_rates(void *minimal, double t, const double *z, double *rates)
{
    trm_minimal *w = minimal;
    w->evaluations++;
    if (!trm_minimal_place(w, t, z) || !trm_minimal_accelerate(w)) return false;
    trm_minimal_gather(w, w->now.yd, w->now.ydd, rates);
    trm_minimal_set_works(w, w->now.power, rates);
    if (w->has_loops) trm_adams_set_rounding(w->adams, rounding_of_rates(w));
    return true;
}
