/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/minimal/inverse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/min_norm.h"
#include "methods/minimal/joint_forces.h"
#include "trammel/elementary.h"

/* A force has no effect if less than this fraction of its column of B remains after the part that joints can carry
 * is removed. A larger value ignores weak drives, a smaller one finds huge forces that are due to rounding. Tests
 * pass with a tenth and with ten times of it. */
static const double NO_EFFECT = 1e-10;
/* Remainders shorter than this fraction of the longest column of P B are ignored. A larger value drops drives near
 * a dead centre, a smaller one divides by rounding. Tests pass with a tenth and with ten times of it. */
static const double DEPENDENT = 1e-10;
/* rad, m: largest change of coordinates between two closures of loops. If it is ten times larger, loops jump to
 * another branch (test methods_inverse); a smaller one takes more closures. */
static const double STRIDE = 0.1;
/* Largest number of strides from one row of results to the next. */
enum { MOST_STRIDES = 10000 };

static trm_outcome refuse(double t, double residual, const char *kind, const char *name, const char *format, ...)
    TRM_PRINTF(5, 6);

static trm_outcome refuse(double t, double residual, const char *kind, const char *name, const char *format, ...)
{
    trm_outcome outcome = {.time = t, .residual = residual};
    va_list arguments;
    va_start(arguments, format);
    if (name) snprintf(outcome.element, sizeof outcome.element, "%s '%s'", kind, name);
    vsnprintf(outcome.why, sizeof outcome.why, format, arguments);
    va_end(arguments);
    return outcome;
}

static trm_outcome out_of_memory(double t)
{
    return refuse(t, NAN, "", NULL, "out of memory");
}

/* ---- Consistency of the motion ------------------------------------------------------------ */

static double size_of(trm_spatial V)
{
    return fmax(trm_v3_length(V.ang), trm_v3_length(V.lin));
}

/* Returns the largest velocity, or the largest acceleration including omega^2; at least 1. */
static double largest(const trm_state *state, bool acceleration)
{
    double most = 1;
    for (int i = 0; i < state->model->body_count; i++) {
        const double turning = trm_v3_dot(state->velocity[i].ang, state->velocity[i].ang);
        most =
            fmax(most, acceleration ? fmax(size_of(state->acceleration[i]), turning) : size_of(state->velocity[i]));
    }
    return most;
}

/* Returns the norms of the metres and of the radians in J A - gamma. */
static trm_gap acceleration_gap(const trm_state *state, int joint)
{
    const trm_joint_at at = trm_joint_now(state, joint);
    const int n = at.joint->body_count;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double gap[TRM_JOINT_ROWS];
    trm_gap norms = {0, 0};
    trm_joint_gamma(&at, gap);
    trm_joint_jacobian(&at, J);
    for (int r = 0; r < at.joint->rows; r++) {
        for (int b = 0; b < n; b++) gap[r] -= trm_sp_dot(J[r * n + b], state->acceleration[at.joint->body[b]]);
        double *norm = at.joint->angular[r] ? &norms.angle : &norms.position;
        *norm = trm_hypot(*norm, gap[r]);
    }
    return norms;
}

static double worse(trm_gap gap, double tolerance)
{
    return fmax(gap.position, gap.angle) / tolerance;
}

/* Returns the first joint whose error exceeds a tolerance; ok if there is none. */
static trm_outcome check_tolerances(const trm_inverse *v, const trm_state *state)
{
    const double t = state->clock->time;
    const double velocity = v->def.velocity_tolerance * largest(state, false);
    const double acceleration = v->def.acceleration_tolerance * largest(state, true);
    for (int j = 0; j < v->model->shown_joint_count; j++) {
        const char *name = v->model->joints[j].name;
        if (!v->shape->attached[j]) continue;
        trm_gap gap = trm_position_gap(state, j);
        if (!(worse(gap, v->def.position_tolerance) <= 1))
            return refuse(t, worse(gap, v->def.position_tolerance), "joint", name,
                          "does not allow these poses: it is open by %.3g m and %.3g rad", gap.position, gap.angle);
        gap = trm_velocity_gap(state, j);
        if (!(worse(gap, velocity) <= 1))
            return refuse(t, worse(gap, velocity), "joint", name,
                          "does not allow these velocities: it opens at %.3g m/s and %.3g rad/s", gap.position,
                          gap.angle);
        gap = acceleration_gap(state, j);
        if (!(worse(gap, acceleration) <= 1))
            return refuse(t, worse(gap, acceleration), "joint", name,
                          "does not allow these accelerations: it opens at %.3g m/s^2 and %.3g rad/s^2", gap.position,
                          gap.angle);
    }
    return (trm_outcome){.ok = true, .time = t};
}

/* ---- The motion in coordinates ------------------------------------------------------------ */

static void read_accelerations(const trm_inverse *v, const trm_state *state)
{
    for (int i = 0; i < v->tree->link_count; i++) {
        const trm_link *link = &v->tree->links[i];
        trm_spatial G[2 * TRM_JOINT_COORDINATES];
        double bias[TRM_JOINT_COORDINATES];
        if (link->count == 0) continue;
        const trm_joint_at at =
            trm_joint_at_poses(link->joint, state->pose, state->velocity, state->clock->time, NULL);
        trm_joint_coordinate_rows(&at, G);
        trm_joint_coordinate_bias(&at, bias);
        for (int k = 0; k < link->count; k++) {
            double *ydd = &v->ydd[link->first + k];
            *ydd = bias[k];
            for (int b = 0; b < 2; b++) *ydd += trm_sp_dot(G[2 * k + b], state->acceleration[link->joint->body[b]]);
        }
    }
}

static void count_turns(trm_inverse *v, trm_state *state)
{
    const double t = state->clock->time;
    trm_remember_turns(state, isnan(v->last) ? 0 : t - v->last, NULL);
    v->last = t;
}

/* Returns the number of timed events up to t. */
static int events_until(const trm_model *model, double t)
{
    int count = 0;
    while (count < model->schedule.timed && model->schedule.events[count].at <= t) count++;
    return count;
}

/* Attaches joints and chooses functions as they are at this time. */
static bool apply_events(trm_inverse *v, trm_state *state, double t)
{
    const int events = events_until(v->model, t);
    if (events != v->events && !trm_inverse_build(v, events)) return false;
    for (int e = 0; e < v->model->schedule.timed; e++)
        for (int i = 0; i < v->model->schedule.events[e].choice_count; i++) {
            const int at = v->model->schedule.events[e].choices[i].memory;
            state->memory[at] = v->shape->memory[at];
        }
    for (int j = 0; events > 0 && j < v->model->shown_joint_count; j++)
        state->attached[j] = v->shape->attached[j] || v->left_out[j];
    return true;
}

static void read_motion(trm_inverse *v, trm_state *state)
{
    trm_set_state_time(state, state->clock->time); /* moves bodies with prescribed motion */
    count_turns(v, state);
    trm_tree_set_time(v->tree, state->clock->time);
    trm_tree_read(v->tree, state, v->y, v->yd);
    read_accelerations(v, state);
    for (int b = 0; b < v->tree->branch_count; b++) {
        trm_tree_place(v->tree, &v->tree->branches[b], v->y);
        trm_tree_move(v->tree, &v->tree->branches[b], v->y, v->yd);
        if (v->loops[b]) trm_loop_rows(v->loops[b], v->tree, state->memory);
    }
}

/* ---- Forces ------------------------------------------------------------------------------- */

static void add(const trm_inverse *v, int body, double scale, trm_spatial F)
{
    v->wrench[body] = trm_sp_add_scaled(v->wrench[body], scale, F);
}

/* Adds the friction of a moving joint; none at rest. */
static void add_friction(const trm_inverse *v, trm_state *state, int joint)
{
    trm_spatial F[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    trm_joint_at at = trm_joint_now(state, joint);
    const double speed = trm_joint_speed(state, joint);
    at.mode = speed > TRM_NO_SLIP ? TRM_PLUS : speed < -TRM_NO_SLIP ? TRM_MINUS : TRM_HELD;
    trm_joint_slip_force(&at, F);
    for (int b = 0; b < at.joint->body_count; b++) add(v, at.joint->body[b], 1, F[b]);
    state->reaction[at.joint->row_offset] = at.mode == TRM_PLUS    ? -at.joint->most
                                            : at.mode == TRM_MINUS ? at.joint->most
                                                                   : 0;
}

/* Adds all known forces. Returns false if one is not finite. */
static bool add_forces(const trm_inverse *v, trm_state *state)
{
    const trm_model *model = v->model;
    memset(v->wrench, 0, (size_t)model->body_count * sizeof *v->wrench);
    memset(state->reaction, 0, (size_t)model->row_count * sizeof *state->reaction);
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        trm_spatial F[TRM_JOINT_BODIES];
        if (!v->acts[i]) continue;
        const trm_force_at at =
            trm_force_at_poses(force, v->tree->pose, v->tree->velocity, v->tree->t, state->memory);
        force->type->wrench(&at, F);
        for (int b = 0; b < force->body_count; b++) add(v, force->body[b], 1, F[b]);
    }
    for (int j = model->shown_joint_count; j < model->joint_count; j++)
        if (model->joints[j].type == &trm_joint_motor && v->shape->attached[model->joints[j].host - model->joints])
            add_friction(v, state, j);
    for (int i = 0; i < model->body_count; i++)
        if (!trm_v3_is_finite(v->wrench[i].ang) || !trm_v3_is_finite(v->wrench[i].lin)) return false;
    return true;
}

/* ---- Forces that are sought --------------------------------------------------------------- */

/* Returns the branch of a sought force; -1 if both bodies of its joint are not free. */
static int branch_of(const trm_inverse *v, int sought)
{
    const trm_joint *joint = &v->model->joints[v->driven[sought].joint];
    int link = -1, b = 0;
    for (int k = 0; k < joint->body_count; k++) link = link < 0 ? v->tree->link_of[joint->body[k]] : link;
    if (link < 0) return -1;
    while (link >= v->tree->branches[b].first_link + v->tree->branches[b].link_count) b++;
    return b;
}

/* Computes the wrenches of a unit force on the joint's bodies. */
static void unit_wrench(const trm_inverse *v, int sought, trm_spatial *F)
{
    const trm_joint *joint = &v->model->joints[v->driven[sought].joint];
    trm_spatial G[2 * TRM_JOINT_COORDINATES];
    const trm_joint_at at = trm_joint_at_poses(joint, v->tree->pose, v->tree->velocity, v->tree->t, NULL);
    trm_joint_coordinate_rows(&at, G);
    for (int b = 0; b < joint->body_count; b++) F[b] = G[joint->body_count * v->driven[sought].coordinate + b];
}

static double length_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Computes P B of the listed forces, column by column. */
static bool project_columns(const trm_inverse *v, const trm_loop *l, const int *list, int count, double *PB,
                            double *lambda, trm_arena *scratch)
{
    for (int c = 0; c < count; c++) {
        const trm_joint *joint = &v->model->joints[v->driven[list[c]].joint];
        double *column = PB + c * l->n;
        trm_spatial F[TRM_JOINT_BODIES];
        unit_wrench(v, list[c], F);
        for (int b = 0; b < joint->body_count; b++)
            trm_tree_project(v->tree, joint->body[b], F[b], l->branch->first, column);
        const double before = length_of(column, l->n);
        if (!trm_cut_multipliers(l, column, lambda, scratch)) return false;
        if (length_of(column, l->n) <= NO_EFFECT * before) memset(column, 0, (size_t)l->n * sizeof *column);
    }
    return true;
}

/* Computes tau of the listed forces in a branch with loops from its load. Returns false when out of memory. */
static bool solve_loops(trm_inverse *v, const trm_loop *l, const int *list, int count, double *forces)
{
    trm_arena *scratch = &v->built;
    double *PB = TRM_NEW_ARRAY(scratch, double, l->n *count), *lambda = TRM_NEW_ARRAY(scratch, double, l->m);
    double *P_load = TRM_NEW_ARRAY(scratch, double, l->n), *tau = TRM_NEW_ARRAY(scratch, double, count);
    double *room = TRM_NEW_ARRAY(scratch, double, 3 * count);
    int *order = TRM_NEW_ARRAY(scratch, int, count);
    if (!PB || !lambda || !P_load || !tau || !room || !order) return false;
    memcpy(P_load, v->load + l->branch->first, (size_t)l->n * sizeof *P_load);
    if (!trm_cut_multipliers(l, P_load, lambda, scratch) || !project_columns(v, l, list, count, PB, lambda, scratch))
        return false;
    trm_min_norm_solve(PB, l->n, count, P_load, DEPENDENT, tau, room, order);
    for (int c = 0; c < count; c++) forces[list[c]] = tau[c];
    return true;
}

/* Computes the sought forces of a branch. Without loops each force is the load of its coordinate. */
static bool solve_branch(trm_inverse *v, int b, double *forces)
{
    int *list = TRM_NEW_ARRAY(&v->built, int, v->count), count = 0;
    if (!list) return false;
    for (int i = 0; i < v->count; i++)
        if (branch_of(v, i) == b) list[count++] = i;
    if (v->loops[b]) return solve_loops(v, v->loops[b], list, count, forces);
    for (int c = 0; c < count; c++)
        if (v->at[list[c]] >= 0) forces[list[c]] = v->load[v->at[list[c]]];
    return true;
}

/* Applies the computed forces, and stores them as reactions of the drives and motors of the model. */
static void apply(const trm_inverse *v, trm_state *state, const double *forces)
{
    for (int i = 0; i < v->count; i++) {
        const trm_joint *joint = &v->model->joints[v->driven[i].joint];
        trm_spatial F[TRM_JOINT_BODIES];
        unit_wrench(v, i, F);
        for (int b = 0; b < joint->body_count; b++) add(v, joint->body[b], forces[i], F[b]);
        for (int j = 0; j < v->model->shown_joint_count; j++) {
            const trm_joint *drive = &v->model->joints[j];
            if (drive->host != joint || v->driven[i].coordinate != 0 || !v->left_out[j]) continue;
            state->reaction[drive->row_offset] = forces[i];
            break;
        }
    }
}

/* ---- Joint forces, and forces that nothing provides --------------------------------------- */

/* Returns the largest force on bodies of a branch, including inertia. */
static double scale_of(const trm_inverse *v, const trm_branch *branch)
{
    double scale = 0;
    for (int i = 0; i < branch->link_count; i++) {
        const int body = v->tree->links[branch->first_link + i].body;
        const double mass = v->model->bodies[body].mass;
        scale = fmax(scale, fmax(size_of(v->wrench[body]), mass * trm_v3_length(v->tree->acceleration[body].lin)));
        scale = fmax(scale, size_of(v->dynamics->force[body]));
    }
    return scale;
}

static trm_outcome report_missing_force(const trm_inverse *v, const trm_branch *branch, double scale)
{
    const trm_tree *tree = v->tree;
    const trm_link *worst = NULL;
    int coordinate = 0;
    double most = v->def.force_tolerance * scale;
    for (int i = 0; i < branch->link_count; i++) {
        const trm_link *link = &tree->links[branch->first_link + i];
        for (int k = 0; k < link->count; k++)
            if (!(fabs(v->load[link->first + k]) <= most))
                worst = link, coordinate = k, most = fabs(v->load[link->first + k]);
    }
    if (!worst) return (trm_outcome){.ok = true, .time = tree->t};
    const bool is_length =
        worst->index < 0 ? coordinate < 3 : worst->joint->type->kind[coordinate] == TRM_COORDINATE_LENGTH;
    return refuse(tree->t, NAN, worst->index < 0 ? "body" : "joint", worst->joint->name,
                  "would need %.3g %s along its coordinate %d, which nothing provides",
                  v->load[worst->first + coordinate], is_length ? "N" : "N m", coordinate + 1);
}

/* Computes multipliers under all forces: of cut joints, then of the joints of the tree. Returns false when out of
 * memory. */
static bool find_multipliers(trm_inverse *v, trm_state *state, int b, trm_outcome *outcome)
{
    const trm_branch *branch = &v->tree->branches[b];
    trm_loop *l = v->loops[b];
    double *lambda = TRM_NEW_ARRAY(&v->built, double, branch->rows);
    if (!lambda) return false;
    trm_dynamics_load(v->dynamics, v->tree, branch, v->ydd, v->wrench, v->load);
    const double scale = scale_of(v, branch);
    if (l) {
        if (!trm_cut_multipliers(l, v->load + branch->first, lambda, &v->built)) return false;
        trm_cut_forces(l, v->tree, state->memory, lambda, state->reaction, v->wrench);
    }
    if (outcome->ok) *outcome = report_missing_force(v, branch, scale);
    trm_dynamics_load(v->dynamics, v->tree, branch, v->ydd, v->wrench, v->load);
    for (int i = 0; i < branch->link_count; i++) {
        const trm_link *link = &v->tree->links[branch->first_link + i];
        state->acceleration[link->body] = v->tree->acceleration[link->body];
        if (link->index >= 0) trm_link_forces(link, v->tree, v->dynamics, state->memory, state->reaction);
    }
    return true;
}

trm_outcome trm_inverse_at(trm_inverse *v, trm_state *state, double *forces)
{
    const double t = state->clock->time;
    bool memory = true;
    for (int i = 0; i < v->count; i++) forces[i] = 0;
    if (!apply_events(v, state, t)) return out_of_memory(t);
    const trm_arena_mark mark = trm_arena_get_mark(&v->built);
    read_motion(v, state);
    trm_outcome outcome = check_tolerances(v, state);
    if (!outcome.ok) return outcome;
    if (!add_forces(v, state)) return refuse(t, NAN, "", NULL, "the forces of the model are not finite");
    for (int b = 0; memory && b < v->tree->branch_count; b++) {
        trm_dynamics_load(v->dynamics, v->tree, &v->tree->branches[b], v->ydd, v->wrench, v->load);
        memory = solve_branch(v, b, forces);
    }
    if (memory) apply(v, state, forces);
    for (int b = 0; memory && b < v->tree->branch_count; b++) memory = find_multipliers(v, state, b, &outcome);
    trm_arena_reset(&v->built, mark);
    return memory ? outcome : out_of_memory(t);
}

/* ---- The motion from the sought coordinates ----------------------------------------------- */

static int compare_integers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Makes the sought coordinates the independent ones of their branches. */
static trm_outcome choose_sought(trm_inverse *v, double t)
{
    int *list = TRM_NEW_ARRAY(&v->built, int, v->count);
    if (!list) return out_of_memory(t);
    for (int b = 0; b < v->tree->branch_count; b++) {
        const trm_branch *branch = &v->tree->branches[b];
        int count = 0;
        for (int i = 0; i < v->count; i++) {
            if (v->at[i] < 0)
                return refuse(t, NAN, "joint", v->model->joints[v->driven[i].joint].name,
                              "closes a loop: its coordinate cannot be given; give the poses of all bodies instead");
            if (v->at[i] >= branch->first && v->at[i] < branch->first + branch->count)
                list[count++] = v->at[i] - branch->first;
        }
        if (count + branch->rows < branch->count)
            return refuse(t, NAN, "body", v->model->bodies[v->tree->links[branch->first_link].body].name,
                          "and the bodies connected with it have %d coordinates, but only %d are given",
                          branch->count, count);
        qsort(list, (size_t)count, sizeof *list, compare_integers);
        if (v->loops[b]) trm_loop_choose(v->loops[b], count, list);
    }
    v->follows = true;
    return (trm_outcome){.ok = true};
}

/* Moves all coordinates of a branch to a part of the way from `from` to the goal, and closes its loops. Returns
 * false if they cannot be closed. */
static bool stride(trm_inverse *v, int b, const double *memory, const double *from, double part)
{
    const trm_branch *branch = &v->tree->branches[b];
    trm_loop *l = v->loops[b];
    double *predicted = v->load;
    for (int i = 0; i < v->count; i++) v->y[v->at[i]] = from[v->at[i]] + part * (v->goal[v->at[i]] - from[v->at[i]]);
    if (!l) {
        trm_tree_place(v->tree, branch, v->y);
        return true;
    }
    memcpy(predicted, v->y, (size_t)v->tree->coordinates * sizeof *predicted);
    return trm_loop_close(l, v->tree, memory, v->y, predicted);
}

/* Moves by strides from the pose of the state to the goal. Returns the first loop that cannot be closed; NULL:
 * none. */
static const trm_loop *go_to_goal(trm_inverse *v, const trm_state *state, const double *from)
{
    double farthest = 0;
    for (int i = 0; i < v->count; i++) farthest = fmax(farthest, fabs(v->goal[v->at[i]] - from[v->at[i]]));
    const int strides = farthest < STRIDE * MOST_STRIDES ? 1 + (int)(farthest / STRIDE) : 1;
    for (int s = 1; s <= strides; s++)
        for (int b = 0; b < v->tree->branch_count; b++)
            if (!stride(v, b, state->memory, from, (double)s / strides)) return v->loops[b];
    return NULL;
}

/* Computes velocities and accelerations. Returns the first loop whose dependent coordinates are not determined;
 * NULL: none. */
static const trm_loop *find_dependent_rates(trm_inverse *v, const trm_state *state)
{
    for (int b = 0; b < v->tree->branch_count; b++) {
        const trm_branch *branch = &v->tree->branches[b];
        trm_loop *l = v->loops[b];
        if (l && !trm_loop_factorise_rows(l, v->tree, state->memory)) return l;
        if (l) {
            trm_loop_dependent_rates(l, v->tree, state->memory, v->y, v->yd);
            trm_loop_dependent_accelerations(l, v->tree, state->memory, v->ydd);
        } else {
            trm_tree_move(v->tree, branch, v->y, v->yd);
            trm_tree_accelerate(v->tree, branch, v->ydd);
        }
    }
    return NULL;
}

/* Computes the whole motion at v->goal and the given rates. */
static trm_outcome close_loops(trm_inverse *v, double time, const trm_state *state)
{
    double *from = TRM_NEW_ARRAY(&v->built, double, v->tree->coordinates);
    if (!from) return out_of_memory(time);
    memcpy(from, v->y, (size_t)v->tree->coordinates * sizeof *from);
    trm_tree_set_time(v->tree, time);
    const trm_loop *open = go_to_goal(v, state, from);
    if (!open) open = find_dependent_rates(v, state);
    if (open)
        return refuse(time, NAN, "joint", open->joints[0]->name, "closes a loop that these coordinates leave open");
    return (trm_outcome){.ok = true, .time = time};
}

trm_outcome trm_inverse_close(trm_inverse *v, double time, const double *q, const double *qd, const double *qdd,
                              trm_state *state)
{
    trm_outcome outcome = {.ok = true, .time = time};
    if (!apply_events(v, state, time)) return out_of_memory(time);
    const trm_arena_mark mark = trm_arena_get_mark(&v->built);
    if (!v->follows) outcome = choose_sought(v, time);
    if (outcome.ok) {
        trm_tree_read(v->tree, state, v->y, v->yd);
        for (int i = 0; i < v->count; i++)
            v->goal[v->at[i]] = q[i], v->yd[v->at[i]] = qd[i], v->ydd[v->at[i]] = qdd[i];
        outcome = close_loops(v, time, state);
    }
    trm_arena_reset(&v->built, mark);
    if (!outcome.ok) return outcome;
    trm_set_state_time(state, time);
    trm_tree_write(v->tree, state);
    memcpy(state->acceleration, v->tree->acceleration, (size_t)v->model->body_count * sizeof *state->acceleration);
    return outcome;
}
