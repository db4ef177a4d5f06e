/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/minimal/loop.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/qr.h"
#include "linalg/vectors.h"
#include "methods/minimal/closed_form.h"

/* Newton's method ends at a step shorter than LAST_STEP, or at one shorter than STAGNATION that did not shrink, in
 * units of 1 + |y|: both are rounding. Larger values leave loops open by as much; smaller ones are below rounding,
 * and Newton's method runs to its limit of steps. Tests pass with a tenth and with ten times of it. */
static const double LAST_STEP = 3e-15, STAGNATION = 1e-13;
/* m, rad: largest residual of redundant rows, which are solved together by least squares. A larger value accepts
 * loops that do not close, a smaller one refuses loops of files with nine digits. Tests pass with a tenth and with
 * ten times of it. */
static const double AGREE = 1e-9;
/* Residual of a closed row in roundings of the largest body coordinate, or of 1 rad, for branches with at most
 * FEW_LINKS links. With more links it grows with the square root of their number, as sums of random errors do. A
 * larger value leaves loops open by as much; with a tenth of it long loops do not close (test
 * methods_minimal_loops). */
static const double ROUNDINGS = 8, FEW_LINKS = 8;
enum { MOST_NEWTON = 12 };
/* rad, m: largest distance of a coordinate from its prediction; largest change in a step. Larger values accept
 * another branch; with a tenth of either the driven slider-crank fails (test methods_inverse). */
static const double FARTHEST = 0.65, LONGEST = 1;
/* m, rad: largest Phi that a closed form may leave, unless rounding is larger. With more, the loop does not have
 * that form. A larger value accepts forms that leave the loop open, a smaller one leaves closed loops to Newton's
 * method. Tests pass with a tenth and with ten times of it. */
static const double CLOSED = 1e-12;
/* The dependent coordinates are not determined if less than this fraction of a column of G_D is independent of the
 * others. A larger value fails near dead centres, a smaller one divides by rounding. Tests pass with a tenth and
 * with ten times of it. */
static const double SINGULAR = 1e-12;

/* ---- Creating ----------------------------------------------------------------------------- */

static bool depends_on_time(const trm_tree *tree, const trm_branch *branch)
{
    for (int i = 0; i < branch->cut_count; i++)
        if (trm_joint_is_rheonomic(&tree->model->joints[tree->cuts[branch->first_cut + i]])) return true;
    for (int i = 0; i < tree->model->body_count; i++)
        if (tree->model->bodies[i].motion) return true;
    return false;
}

trm_loop *trm_loop_create(const trm_tree *tree, const trm_branch *branch, trm_compiled *compiled, trm_arena *arena)
{
    trm_loop *l = TRM_NEW(arena, trm_loop);
    const trm_joint **joints = TRM_NEW_ARRAY(arena, const trm_joint *, branch->cut_count);
    if (!l || !joints) return NULL;
    const int n = branch->count, m = branch->rows, r = m < n ? m : n; /* at most r are dependent */
    for (int i = 0; i < branch->cut_count; i++) joints[i] = &tree->model->joints[tree->cuts[branch->first_cut + i]];
    *l = (trm_loop){.branch = branch,
                    .joints = joints,
                    .n = n,
                    .m = m,
                    .driven = depends_on_time(tree, branch),
                    .compiled = compiled,
                    .seen_t = NAN,
                    .noise = sqrt(fmax(1, branch->link_count / FEW_LINKS)),
                    .independent = TRM_NEW_ARRAY(arena, int, n),
                    .dependent = TRM_NEW_ARRAY(arena, int, n),
                    .phi = TRM_NEW_ARRAY(arena, double, m),
                    .G = TRM_NEW_ARRAY(arena, double, m *n),
                    .factor = TRM_NEW_ARRAY(arena, double, m *r),
                    .tau = TRM_NEW_ARRAY(arena, double, r),
                    .X = TRM_NEW_ARRAY(arena, double, r *n),
                    .eta = TRM_NEW_ARRAY(arena, double, r),
                    .xi = TRM_NEW_ARRAY(arena, double, r),
                    .M = compiled ? NULL : TRM_NEW_ARRAY(arena, double, n *n),
                    .weight = TRM_NEW_ARRAY(arena, double, n),
                    .R = TRM_NEW_ARRAY(arena, double, r *n),
                    .Y = TRM_NEW_ARRAY(arena, double, r *n),
                    .A = TRM_NEW_ARRAY(arena, double, r *r),
                    .seen = TRM_NEW_ARRAY(arena, double, n),
                    .room = TRM_NEW_ARRAY(arena, double, (m + 1) * (n + 1))};
    return arena->failed ? NULL : l;
}

void trm_loop_choose(trm_loop *l, int f, const int *independent)
{
    l->f = f;
    l->seen_t = NAN;
    for (int i = 0, k = 0, d = 0; i < l->n; i++)
        if (k < f && independent[k] == i)
            l->independent[k++] = i;
        else
            l->dependent[d++] = i;
}

/* ---- Rows --------------------------------------------------------------------------------- */

static void residuals(trm_loop *l, const trm_tree *tree, const double *memory)
{
    trm_tree_cut_residuals(tree, l->branch, memory, l->phi);
}

void trm_loop_place(trm_loop *l, trm_tree *tree, const double *y)
{
    l->has_rows = false;
    if (l->compiled) {
        trm_compiled_place(l->compiled, y);
        trm_compiled_pose(l->compiled, tree);
        return;
    }
    trm_tree_place(tree, l->branch, y);
    trm_tree_move(tree, l->branch, y, NULL);
}

/* Projects the rows of one cut joint onto the coordinates of a compiled branch. */
static void project_joint(const trm_loop *l, const trm_tree *tree, const trm_joint *joint, const double *memory,
                          double *G)
{
    const int bodies = joint->body_count;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], own[TRM_JOINT_ROWS];
    trm_joint_jacobian_at(joint, tree->pose, tree->t, memory, J);
    for (int b = 0; b < bodies; b++) {
        const int link = tree->link_of[joint->body[b]] - l->branch->first_link;
        if (tree->link_of[joint->body[b]] < 0) continue;
        for (int r = 0; r < joint->rows; r++) own[r] = J[r * bodies + b];
        trm_compiled_project(l->compiled, link, own, joint->rows, G);
    }
}

void trm_loop_rows(trm_loop *l, const trm_tree *tree, const double *memory)
{
    residuals(l, tree, memory);
    l->has_rows = true;
    if (!l->compiled) {
        trm_tree_cut_rows(tree, l->branch, memory, l->G);
        return;
    }
    memset(l->G, 0, (size_t)(l->m * l->n) * sizeof *l->G);
    double *G = l->G;
    for (int j = 0; j < l->branch->cut_count; G += l->joints[j++]->rows * l->n)
        project_joint(l, tree, l->joints[j], memory, G);
}

/* Returns J . M^-1 J of one body. */
static double free_value(const trm_tree *tree, int body, trm_spatial J)
{
    const trm_body *b = &tree->model->bodies[body];
    const trm_vec3 turn = trm_rotate_back(tree->pose[body].q, J.ang), I = b->inverse_inertia;
    return b->inverse_mass * trm_v3_dot(J.lin, J.lin) + I.x * turn.x * turn.x + I.y * turn.y * turn.y +
           I.z * turn.z * turn.z;
}

void trm_loop_free_values(const trm_loop *l, const trm_tree *tree, const double *memory, double *values)
{
    for (int j = 0; j < l->branch->cut_count; values += l->joints[j++]->rows) {
        const trm_joint *joint = l->joints[j];
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        trm_joint_jacobian_at(joint, tree->pose, tree->t, memory, J);
        for (int r = 0; r < joint->rows; r++) {
            values[r] = 0;
            for (int b = 0; b < joint->body_count; b++)
                values[r] += free_value(tree, joint->body[b], J[r * joint->body_count + b]);
        }
    }
}

/* Factorises G_D. */
static bool factor_dependent(trm_loop *l)
{
    const int d = l->n - l->f;
    for (int r = 0; r < l->m; r++)
        for (int c = 0; c < d; c++) l->factor[r * d + c] = l->G[r * l->n + l->dependent[c]];
    l->regular = trm_qr_factor(l->factor, l->m, d, l->tau);
    return l->regular > SINGULAR;
}

/* Solves G_D x = b for one right-hand side of m numbers. */
static void solve_dependent(trm_loop *l, double *b, double *x)
{
    const int d = l->n - l->f;
    trm_qr_solve(l->factor, l->tau, l->m, d, b, 1);
    for (int i = 0; i < d; i++) x[i] = b[i];
}

/* ---- Closing ------------------------------------------------------------------------------ */

/* Returns the error of a row of lengths due to rounding of positions, m. */
static double rounding_of_places(const trm_loop *l, const trm_tree *tree)
{
    double largest = 0;
    for (int i = l->branch->first_link; i < l->branch->first_link + l->branch->link_count; i++) {
        const trm_vec3 p = tree->pose[tree->links[i].body].p;
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    return ROUNDINGS * l->noise * DBL_EPSILON * largest;
}

/* Returns whether no residual exceeds the larger of `enough` and the error due to rounding. */
static bool is_within(const trm_loop *l, const trm_tree *tree, double enough)
{
    const double turn = fmax(enough, ROUNDINGS * l->noise * DBL_EPSILON),
                 shift = fmax(enough, rounding_of_places(l, tree));
    const double *phi = l->phi;
    for (int j = 0; j < l->branch->cut_count; phi += l->joints[j++]->rows)
        for (int r = 0; r < l->joints[j]->rows; r++)
            if (!(fabs(phi[r]) <= (l->joints[j]->angular[r] ? turn : shift))) return false;
    return true;
}

/* Makes one step of Newton's method from known rows. Returns its length relative to 1 + |y|; infinity if there is
 * no step. */
static double correct(trm_loop *l, trm_tree *tree, double *y)
{
    const int d = l->n - l->f;
    double longest = 0;
    if (!factor_dependent(l)) return INFINITY;
    for (int r = 0; r < l->m; r++) l->room[r] = -l->phi[r];
    solve_dependent(l, l->room, l->xi);
    for (int i = 0; i < d; i++) {
        double *at = &y[l->branch->first + l->dependent[i]];
        *at += l->xi[i];
        if (!(fabs(l->xi[i]) <= LONGEST)) return INFINITY;
        longest = fmax(longest, fabs(l->xi[i]) / (1 + fabs(*at)));
    }
    trm_loop_place(l, tree, y);
    return longest;
}

/* Closes the loops by Newton's method. Stops where rows are closed to rounding. Returns false also if redundant
 * rows contradict others: their least-squares solution is not a closed loop. */
static bool close_by_newton(trm_loop *l, trm_tree *tree, const double *memory, double *y)
{
    double before = INFINITY;
    trm_loop_place(l, tree, y);
    for (l->newton = 0; l->newton < MOST_NEWTON; l->newton++) {
        trm_loop_rows(l, tree, memory);
        if (is_within(l, tree, 0)) return true;
        const double length = correct(l, tree, y);
        if (!isfinite(length)) return false;
        if (length <= LAST_STEP || (length <= l->noise * STAGNATION && length >= 0.5 * before)) {
            l->newton++;
            return is_within(l, tree, AGREE); /* by the rows before the last step, which was rounding */
        }
        before = length;
    }
    return false;
}

static bool is_near(const trm_loop *l, const double *y, const double *predicted)
{
    for (int i = 0; i < l->n - l->f; i++) {
        const int at = l->branch->first + l->dependent[i];
        if (!(fabs(y[at] - predicted[at]) <= FARTHEST)) return false;
    }
    return true;
}

/* Closes the loop by its form; Newton's method continues where the form leaves it open. */
static bool close_by_form(trm_loop *l, trm_tree *tree, const double *memory, double *y)
{
    const trm_closure closure = trm_closed_form_solve(l, y);
    if (closure == TRM_CLOSURE_NONE) return false;
    if (closure == TRM_CLOSURE_FOUND) {
        l->newton = 0;
        trm_loop_place(l, tree, y);
        residuals(l, tree, memory);
        if (is_within(l, tree, CLOSED)) return true;
    }
    return close_by_newton(l, tree, memory, y);
}

/* Predicts y_D from the last X and the change of y_I, with an error quadratic in the distance. */
static void predict_from_last(const trm_loop *l, double *y)
{
    const int first = l->branch->first;
    for (int i = 0; i < l->n - l->f; i++) {
        double sum = l->seen[l->dependent[i]];
        for (int k = 0; k < l->f; k++)
            sum += l->X[i * l->f + k] * (y[first + l->independent[k]] - l->seen[l->independent[k]]);
        y[first + l->dependent[i]] = sum;
    }
}

bool trm_loop_close(trm_loop *l, trm_tree *tree, const double *memory, double *y, const double *predicted)
{
    for (int i = 0; i < l->n - l->f; i++) {
        const int at = l->branch->first + l->dependent[i];
        y[at] = predicted[at];
    }
    const bool iterates = !l->form || l->form == &trm_closed_form_rings; /* which may leave loops open */
    if (iterates && l->seen_t == tree->t) predict_from_last(l, y);
    const bool closed = l->form ? close_by_form(l, tree, memory, y) : close_by_newton(l, tree, memory, y);
    return closed && is_near(l, y, predicted);
}

/* ---- Velocities --------------------------------------------------------------------------- */

bool trm_loop_factorise_rows(trm_loop *l, trm_tree *tree, const double *memory)
{
    const int d = l->n - l->f;
    if (!l->has_rows) trm_loop_rows(l, tree, memory);
    if (!factor_dependent(l)) return false;
    for (int r = 0; r < l->m; r++)
        for (int c = 0; c < l->f; c++) l->room[r * l->f + c] = -l->G[r * l->n + l->independent[c]];
    trm_qr_solve(l->factor, l->tau, l->m, d, l->room, l->f);
    for (int i = 0; i < d * l->f; i++) l->X[i] = l->room[i];
    return true;
}

/* Computes J V + c_t of all rows at the tree's velocities. */
static void rates(const trm_loop *l, const trm_tree *tree, const double *memory, double *phi_dot)
{
    for (int j = 0; j < l->branch->cut_count; phi_dot += l->joints[j++]->rows) {
        const trm_joint *joint = l->joints[j];
        const int n = joint->body_count;
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        const trm_joint_at at =
            trm_joint_at_poses(joint, tree->pose, tree->velocity, tree->t, memory + joint->memory_offset);
        trm_joint_rate(&at, phi_dot);
        trm_joint_jacobian(&at, J);
        for (int r = 0; r < joint->rows; r++)
            for (int b = 0; b < n; b++) phi_dot[r] += trm_sp_dot(J[r * n + b], tree->velocity[joint->body[b]]);
    }
}

void trm_loop_dependent_rates(trm_loop *l, trm_tree *tree, const double *memory, const double *y, double *yd)
{
    const int d = l->n - l->f, first = l->branch->first;
    memset(l->eta, 0, (size_t)d * sizeof *l->eta);
    if (l->driven) { /* rates at dy/dt = 0 */
        trm_tree_move(tree, l->branch, y, NULL);
        rates(l, tree, memory, l->room);
        for (int r = 0; r < l->m; r++) l->room[r] = -l->room[r];
        solve_dependent(l, l->room, l->eta);
    }
    for (int i = 0; i < d; i++) {
        double sum = l->eta[i];
        for (int k = 0; k < l->f; k++) sum += l->X[i * l->f + k] * yd[first + l->independent[k]];
        yd[first + l->dependent[i]] = sum;
    }
    memcpy(l->seen, y + first, (size_t)l->n * sizeof *l->seen);
    l->seen_t = tree->t;
    if (l->compiled) {
        trm_compiled_twist(l->compiled, yd);
        trm_compiled_write(l->compiled, tree, true);
    } else {
        trm_tree_move(tree, l->branch, y, yd);
    }
}

/* ---- Accelerations ------------------------------------------------------------------------ */

/* ---- M^-1 ---- */

bool trm_loop_factorise_mass(trm_loop *l, trm_tree *tree, trm_dynamics *d)
{
    if (l->compiled) return trm_compiled_articulate(l->compiled);
    trm_dynamics_mass(d, tree, l->branch, l->M, l->n);
    return trm_dense_cholesky(l->M, l->n);
}

void trm_loop_respond(const trm_loop *l, const double *g, double *a)
{
    if (l->compiled) {
        trm_compiled_respond(l->compiled, g, a);
        return;
    }
    memcpy(a, g, (size_t)l->n * sizeof *a);
    trm_dense_solve_lower(l->M, l->n, a);
    trm_dense_solve_upper(l->M, l->n, a);
}

/* (M^-1)_ii = |L^-1 e_i|^2 */
bool trm_loop_find_weights(trm_loop *l, trm_arena *scratch)
{
    double *e = l->compiled ? NULL : TRM_NEW_ARRAY(scratch, double, l->n);
    if (l->compiled) trm_compiled_diagonal(l->compiled, l->weight);
    if (!l->compiled && !e) return false;
    for (int i = 0; i < l->n && e; i++) {
        memset(e, 0, (size_t)l->n * sizeof *e);
        e[i] = 1;
        trm_dense_solve_lower(l->M, l->n, e);
        l->weight[i] = 0;
        for (int k = i; k < l->n; k++) l->weight[i] += e[k] * e[k];
    }
    for (int i = 0; i < l->n; i++) l->weight[i] = sqrt(l->weight[i]);
    return true;
}

/* ---- Closed --------------------------------------------------------------------------- */

/* d2y_D/dt2 = X d2y_I/dt2 + xi */
static void follow(const trm_loop *l, double *ydd)
{
    const int first = l->branch->first;
    for (int i = 0; i < l->n - l->f; i++) {
        double sum = l->xi[i];
        for (int k = 0; k < l->f; k++) sum += l->X[i * l->f + k] * ydd[first + l->independent[k]];
        ydd[first + l->dependent[i]] = sum;
    }
}

/* Computes accelerations of the open tree, and of the bodies of its cut joints. */
static bool accelerate_open(trm_loop *l, trm_tree *tree, trm_dynamics *d, const trm_loop_forces *forces, double *ydd)
{
    const int first = l->branch->first;
    if (!l->compiled) {
        if (!trm_loop_factorise_mass(l, tree, d)) return false;
        trm_dynamics_load(d, tree, l->branch, NULL, forces->wrench, ydd);
        for (int i = 0; i < l->n; i++) l->room[i] = -ydd[first + i];
        trm_loop_respond(l, l->room, ydd + first);
        trm_tree_accelerate(tree, l->branch, ydd);
        return true;
    }
    trm_compiled_accelerate(l->compiled, forces->gravity, forces->tau, ydd);
    for (int j = 0; j < l->branch->cut_count; j++)
        for (int b = 0; b < l->joints[j]->body_count; b++) {
            const int body = l->joints[j]->body[b], link = tree->link_of[body];
            if (link >= 0)
                tree->acceleration[body] =
                    trm_compiled_acceleration(l->compiled, link - l->branch->first_link, forces->gravity);
        }
    return true;
}

/* Computes R, M^-1 R^T and the factor of R M^-1 R^T. */
static bool factor_rows(trm_loop *l)
{
    const int d = l->n - l->f, n = l->n;
    memset(l->R, 0, (size_t)(d * n) * sizeof *l->R);
    for (int i = 0; i < d; i++) {
        double *row = l->R + i * n;
        row[l->dependent[i]] = 1;
        for (int k = 0; k < l->f; k++) row[l->independent[k]] = -l->X[i * l->f + k];
        trm_loop_respond(l, row, l->Y + i * n);
        for (int k = 0; k <= i; k++) l->A[i * d + k] = vectors_dot_in_order(l->R + k * n, l->Y + i * n, n);
    }
    return trm_dense_cholesky(l->A, d);
}

bool trm_loop_accelerate(trm_loop *l, trm_tree *tree, trm_dynamics *d, const double *memory,
                         const trm_loop_forces *forces, double *ydd)
{
    const int dependent = l->n - l->f;
    double *own = ydd + l->branch->first;
    if (!accelerate_open(l, tree, d, forces, ydd)) return false;

    /* xi <- error of R d2y/dt2; then the forces that correct it */
    trm_tree_cut_gamma(tree, l->branch, memory, l->room);
    solve_dependent(l, l->room, l->xi);
    if (!factor_rows(l)) return false;
    trm_dense_solve_lower(l->A, dependent, l->xi);
    trm_dense_solve_upper(l->A, dependent, l->xi);
    for (int i = 0; i < dependent; i++)
        for (int k = 0; k < l->n; k++) own[k] += l->xi[i] * l->Y[i * l->n + k];
    return true;
}

void trm_loop_dependent_accelerations(trm_loop *l, trm_tree *tree, const double *memory, double *ydd)
{
    trm_tree_accelerate(tree, l->branch, NULL);
    trm_tree_cut_gamma(tree, l->branch, memory, l->room);
    solve_dependent(l, l->room, l->xi);
    follow(l, ydd);
    trm_tree_accelerate(tree, l->branch, ydd);
}
