/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Simulation and stabilisation in the coordinates of a spanning tree (Kasper, Vlasenko, steps 4 to 7 and section
 * 3).
 *
 * Accelerations are computed by subsystems in the coordinates of all bodies. The integrated coordinates are y, the
 * angles of bodies in the plane and the displacements of sliders; cut joints require g(y) = 0:
 *
 *     X = X(y),   X' = X'(y, y'),   y'' = y''(X, X', X'')                                        (8)
 *     y'' of a joint is H^+ (acceleration of its body relative to its parent, without the bias of y')
 *     z(y, y') = blockdiag(G^+, G^+) (g; G y'),   G = dg/dy,   G^+ = G^T (G G^T)^-1;   (y, y') <- (y, y') - z, twice
 *
 * The printed z has one G^+ for both (erratum 10). In turn: y first, then y' at the corrected y. */

#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/min_norm.h"
#include "methods/spanning/tree.h"
#include "methods/subsystem/subsystem.h"

/* A row of G is redundant if less than this fraction of its column remains. A larger value drops rows near singular
 * poses, a smaller one divides by rounding. Tests pass with a tenth and with ten times of it. */
static const double NOTHING = 1e-11;

struct trm_generalised {
    trm_tree *tree;
    double *y, *yd;          /* at the start of the step */
    double *y_at, *yd_at;    /* at the current stage */
    double *rates;           /* stage after stage: y' and y'' */
    double *G, *g;           /* of the current branch: rows of G, residuals */
    double *columns, *right; /* G by columns, right-hand side; both overwritten */
    double *z, *room;        /* solution, scratch */
    int *permutation;
    bool *attached; /* per joint: attached when the tree was created */
};

/* ---- Between y and X ------------------------------------------------------------------------ */

/* Writes X(y), X'(y, y') at a time into the state. */
static void write_state(trm_subsystems *w, double t)
{
    trm_generalised *v = w->generalised;
    trm_tree_set_time(v->tree, t);
    for (int b = 0; b < v->tree->branch_count; b++) {
        trm_tree_place(v->tree, &v->tree->branches[b], v->y_at);
        trm_tree_move(v->tree, &v->tree->branches[b], v->y_at, v->yd_at);
    }
    w->stepper->state->clock->time = t;
    trm_tree_write(v->tree, w->stepper->state);
}

/* Returns the acceleration of a body minus the part that follows from the motion of its parent and the bias. */
static trm_spatial own_acceleration(const trm_link *link, const trm_spatial *A)
{
    const trm_spatial parent = A[link->parent];
    const trm_spatial carried = trm_sp(parent.ang, trm_v3_add(parent.lin, trm_v3_cross(parent.ang, link->r)));
    return trm_sp_add_scaled(trm_sp_add_scaled(A[link->body], -1, carried), -1, link->bias);
}

/* Computes y'' of one joint: H^+ of the relative acceleration. */
static void solve_link(const trm_link *link, const trm_spatial *A, double *ydd)
{
    const int n = link->count;
    double N[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES], inverse[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES];
    const trm_spatial own = own_acceleration(link, A);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) N[i * n + j] = trm_sp_dot(link->H[i], link->H[j]);
    if (n == 0 || !trm_dense_inverse_positive(N, n, inverse)) return;
    for (int i = 0; i < n; i++) {
        ydd[i] = 0;
        for (int j = 0; j < n; j++) ydd[i] += inverse[i * n + j] * trm_sp_dot(link->H[j], own);
    }
}

/* Computes y''(X, X', X''), transformed from angles between bodies to angles in the plane. */
static void read_accelerations(const trm_generalised *v, const trm_spatial *A, double *ydd)
{
    for (int i = 0; i < v->tree->link_count; i++) solve_link(&v->tree->links[i], A, ydd + v->tree->links[i].first);
    for (int b = 0; b < v->tree->branch_count; b++) trm_tree_transform_rates(v->tree, &v->tree->branches[b], ydd);
}

/* ---- Stabilisation ------------------------------------------------------------------------- */

/* x -= G^+ r of one branch; r: g, or G y' with `rates`. */
static void subtract_shortest(trm_generalised *v, const trm_branch *branch, const double *rates, double *x)
{
    const int m = branch->rows, n = branch->count;
    for (int i = 0; i < m; i++) {
        v->right[i] = rates ? 0 : v->g[i];
        for (int j = 0; j < n; j++) {
            v->columns[j * m + i] = v->G[i * n + j];
            if (rates) v->right[i] += v->G[i * n + j] * rates[j];
        }
    }
    trm_min_norm_solve(v->columns, m, n, v->right, NOTHING, v->z, v->room, v->permutation);
    for (int j = 0; j < n; j++) x[j] -= v->z[j];
}

/* Computes g and G at y_at. */
static void find_cut_rows(trm_generalised *v, const trm_branch *branch, const double *memory)
{
    trm_tree_place(v->tree, branch, v->y_at);
    trm_tree_move(v->tree, branch, v->y_at, v->yd_at);
    trm_tree_cut_residuals(v->tree, branch, memory, v->g);
    trm_tree_cut_rows(v->tree, branch, memory, v->G);
}

static void stabilise(const trm_subsystems *w, const trm_branch *branch)
{
    trm_generalised *v = w->generalised;
    const double *memory = w->stepper->state->memory;
    double *y = v->y_at + branch->first, *yd = v->yd_at + branch->first;
    for (int pass = 0; w->projection != TRM_PROJECT_NOT && pass < w->passes; pass++) {
        find_cut_rows(v, branch, memory);
        if (w->projection == TRM_PROJECT_AT_ONCE) subtract_shortest(v, branch, yd, yd);
        subtract_shortest(v, branch, NULL, y);
    }
    if (w->projection != TRM_PROJECT_IN_TURN) return;
    find_cut_rows(v, branch, memory);
    subtract_shortest(v, branch, yd, yd);
}

/* ---- The step ------------------------------------------------------------------------------ */

/* Returns whether the attached joints are those of the tree. If not, outcome names one that is not. */
static bool has_same_joints(const trm_subsystems *w, trm_outcome *outcome)
{
    const trm_state *state = w->stepper->state;
    for (int j = 0; j < state->model->joint_count; j++) {
        if (state->attached[j] == w->generalised->attached[j]) continue;
        return trm_fail(outcome, NAN, "joint", state->model->joints[j].name,
                        "it was attached or detached: generalised coordinates require joints that stay attached");
    }
    return true;
}

/* Computes y and y' from the start of the step and the weighted sum of rates. */
static void advance_to_stage(trm_generalised *v, double h, const double *weights, int count)
{
    const int n = v->tree->coordinates;
    for (int i = 0; i < n; i++) {
        v->y_at[i] = v->y[i];
        v->yd_at[i] = v->yd[i];
        for (int s = 0; s < count; s++) {
            v->y_at[i] += h * weights[s] * v->rates[2 * s * n + i];
            v->yd_at[i] += h * weights[s] * v->rates[(2 * s + 1) * n + i];
        }
    }
}

static bool evaluate(trm_subsystems *w, int s, double t, trm_works *power, trm_outcome *outcome)
{
    trm_generalised *v = w->generalised;
    const int n = v->tree->coordinates;
    write_state(w, t);
    if (!trm_subsystems_accelerate(w, outcome)) return false;
    memcpy(v->rates + 2 * s * n, v->yd_at, (size_t)n * sizeof *v->yd_at);
    read_accelerations(v, w->machine->accelerations.a, v->rates + (2 * s + 1) * n);
    *power = trm_maximal_power_of_all(w->machine);
    return true;
}

bool trm_generalised_step(trm_subsystems *w, double h, trm_outcome *outcome)
{
    trm_generalised *v = w->generalised;
    trm_state *state = w->stepper->state;
    const trm_runge_kutta *rule = w->integration->rule;
    const double start = state->clock->time, goal = w->stepper->step.goal;
    trm_works power[TRM_MOST_STAGES];
    if (!has_same_joints(w, outcome)) return false;
    trm_tree_set_time(v->tree, start);
    trm_tree_read(v->tree, state, v->y, v->yd);

    /* k_i = f(t + c_i h, y + h sum a_ij k_j) */
    const double *a = rule->a;
    for (int s = 0; s < rule->stages; a += s++) {
        advance_to_stage(v, h, a, s);
        if (!evaluate(w, s, rule->c[s] == 1 ? goal : start + rule->c[s] * h, &power[s], outcome)) return false;
    }

    /* y(t+h) = y + h sum b_i k_i;  y <- y - z */
    advance_to_stage(v, h, rule->b, rule->stages);
    trm_tree_set_time(v->tree, goal);
    for (int b = 0; b < v->tree->branch_count; b++)
        if (v->tree->branches[b].cut_count > 0) stabilise(w, &v->tree->branches[b]);
    write_state(w, goal);
    for (int s = 0; s < rule->stages; s++) trm_add_work(state, h * rule->b[s], power[s]);
    state->clock->step = h;
    trm_remember_turns(state, h, NULL);
    state->clock->velocities_projected = 0;
    return true;
}

/* ---- Creating ------------------------------------------------------------------------------ */

/* Returns whether all joints of the model are always attached and active, because the tree is created once, with
 * all rows of G. If not, why names the first one that is not. */
static bool has_constant_joints(const trm_model *model, char *why, size_t size)
{
    const char *name = NULL;
    for (int j = 0; !name && j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        if (joint->one_sided || isfinite(joint->most) || isfinite(joint->break_force) ||
            isfinite(joint->break_torque))
            name = joint->name;
    }
    for (int i = 0; !name && i < model->schedule.count; i++) {
        const int j = model->schedule.events[i].detach >= 0 ? model->schedule.events[i].detach
                                                            : model->schedule.events[i].attach;
        if (j >= 0) name = model->joints[j].name;
    }
    if (name) snprintf(why, size, "joint '%s' is not always active, as generalised coordinates require", name);
    return !name;
}

/* Returns whether the cut joints are independent of time, because z uses G y' as the whole velocity error. If not,
 * why names one that depends on it. */
static bool cuts_are_not_driven(const trm_tree *tree, char *why, size_t size)
{
    for (int j = 0; j < tree->cut_count; j++) {
        const trm_joint *joint = &tree->model->joints[tree->cuts[j]];
        bool driven = trm_joint_is_rheonomic(joint);
        for (int b = 0; b < joint->body_count; b++) driven |= tree->model->bodies[joint->body[b]].motion != NULL;
        if (!driven) continue;
        snprintf(why, size, "joint '%s' is driven: generalised coordinates do not support prescribed motions",
                 joint->name);
        return false;
    }
    return true;
}

static bool make_workspace(trm_generalised *v, int stages, trm_arena *arena)
{
    const int n = v->tree->coordinates;
    int rows = 0, columns = 0;
    for (int b = 0; b < v->tree->branch_count; b++) {
        rows = v->tree->branches[b].rows > rows ? v->tree->branches[b].rows : rows;
        columns = v->tree->branches[b].count > columns ? v->tree->branches[b].count : columns;
    }
    v->G = TRM_NEW_ARRAY(arena, double, rows *columns);
    v->columns = TRM_NEW_ARRAY(arena, double, rows *columns);
    v->g = TRM_NEW_ARRAY(arena, double, rows);
    v->right = TRM_NEW_ARRAY(arena, double, rows);
    v->z = TRM_NEW_ARRAY(arena, double, columns);
    v->room = TRM_NEW_ARRAY(arena, double, 3 * columns);
    v->permutation = TRM_NEW_ARRAY(arena, int, columns);
    v->y = TRM_NEW_ARRAY(arena, double, n);
    v->yd = TRM_NEW_ARRAY(arena, double, n);
    v->y_at = TRM_NEW_ARRAY(arena, double, n);
    v->yd_at = TRM_NEW_ARRAY(arena, double, n);
    v->rates = TRM_NEW_ARRAY(arena, double, 2 * n * stages);
    return !arena->failed;
}

trm_generalised *trm_generalised_create(trm_subsystems *w, trm_arena *arena, char *why, size_t size)
{
    trm_generalised *v = TRM_NEW(arena, trm_generalised);
    if (!v) return NULL;
    const trm_state *state = w->stepper->state;
    if (!has_constant_joints(state->model, why, size)) return NULL;
    v->attached = TRM_NEW_ARRAY(arena, bool, state->model->joint_count);
    v->tree = trm_tree_create(state, (trm_tree_options){.rotors_apart = true}, arena, why, size);
    const bool made = v->attached && v->tree && trm_tree_take_absolute_angles(v->tree, state, why, size) &&
                      cuts_are_not_driven(v->tree, why, size) &&
                      make_workspace(v, w->integration->rule->stages, arena);
    if (made) memcpy(v->attached, state->attached, (size_t)state->model->joint_count * sizeof *v->attached);
    return made ? v : NULL;
}
