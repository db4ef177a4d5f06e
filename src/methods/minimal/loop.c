/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/minimal/loop.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/qr.h"
#include "methods/minimal/closed_form.h"

/* Newton's method: of 1 + |y|, when a step is rounding; when it may be, though it does not shrink; so many at most. */
static const double ROUNDING = 3e-15, STAGNATION = 1e-13;
/* m, rad: by which rows that are solved for together may differ. */
static const double AGREE = 1e-9;
/* Roundings of the largest coordinate of a body, or of 1 rad, that a closed row may be off by. */
static const double ROUNDINGS = 8;
enum { MOST_NEWTON = 12 };
/* rad, m: no coordinate is farther than this from where it was expected, nor goes so far in a step. */
static const double FARTHEST = 0.65, LONGEST = 1;
/* m, rad: what a closed form may leave of Phi, unless rounding is more; if it leaves more, the loop is not of that form after all. */
static const double CLOSED = 1e-12;
/* Of a column of G_D: when less is left of it beside the others, the dependent coordinates are none. */
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

trm_loop *trm_loop_create(const trm_tree *tree, const trm_branch *branch, trm_arena *arena)
{
    trm_loop *l = TRM_NEW(arena, trm_loop);
    const trm_joint **joints = TRM_NEW_ARRAY(arena, const trm_joint *, branch->cut_count);
    if (!l || !joints) return NULL;
    const int n = branch->count, m = branch->rows;
    for (int i = 0; i < branch->cut_count; i++) joints[i] = &tree->model->joints[tree->cuts[branch->first_cut + i]];
    *l = (trm_loop){.branch = branch,
                    .joints = joints,
                    .n = n,
                    .m = m,
                    .driven = depends_on_time(tree, branch),
                    .independent = TRM_NEW_ARRAY(arena, int, n),
                    .dependent = TRM_NEW_ARRAY(arena, int, n),
                    .phi = TRM_NEW_ARRAY(arena, double, m),
                    .G = TRM_NEW_ARRAY(arena, double, m *n),
                    .factor = TRM_NEW_ARRAY(arena, double, m *n),
                    .tau = TRM_NEW_ARRAY(arena, double, n),
                    .X = TRM_NEW_ARRAY(arena, double, n *n),
                    .eta = TRM_NEW_ARRAY(arena, double, n),
                    .xi = TRM_NEW_ARRAY(arena, double, n),
                    .M = TRM_NEW_ARRAY(arena, double, n *n),
                    .M1 = TRM_NEW_ARRAY(arena, double, n *n),
                    .inverse = TRM_NEW_ARRAY(arena, double, n *n),
                    .load = TRM_NEW_ARRAY(arena, double, n),
                    .room = TRM_NEW_ARRAY(arena, double, (m + 1) * (n + 1))};
    return arena->failed ? NULL : l;
}

void trm_loop_choose(trm_loop *l, int f, const int *independent)
{
    l->f = f;
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

void trm_loop_rows(trm_loop *l, const trm_tree *tree, const double *memory)
{
    residuals(l, tree, memory);
    trm_tree_cut_rows(tree, l->branch, memory, l->G);
}

/* J . M^-1 J of one body. */
static double free_value(const trm_tree *tree, int body, trm_spatial J)
{
    const trm_body *b = &tree->model->bodies[body];
    const trm_vec3 turn = trm_rotate_back(tree->pose[body].q, J.ang), I = b->inverse_inertia;
    return b->inverse_mass * trm_dot(J.lin, J.lin) + I.x * turn.x * turn.x + I.y * turn.y * turn.y +
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

/* G_D factorised. */
static bool factor_dependent(trm_loop *l)
{
    const int d = l->n - l->f;
    for (int r = 0; r < l->m; r++)
        for (int c = 0; c < d; c++) l->factor[r * d + c] = l->G[r * l->n + l->dependent[c]];
    l->regular = trm_qr_factor(l->factor, l->m, d, l->tau);
    return l->regular > SINGULAR;
}

/* x of G_D x = b for one right side of m numbers. */
static void solve_dependent(trm_loop *l, double *b, double *x)
{
    const int d = l->n - l->f;
    trm_qr_solve(l->factor, l->tau, l->m, d, b, 1);
    for (int i = 0; i < d; i++) x[i] = b[i];
}

/* ---- Closing ------------------------------------------------------------------------------ */

/* Poses and what G needs of them. */
static void place(const trm_loop *l, trm_tree *tree, const double *y)
{
    trm_tree_place(tree, l->branch, y);
    trm_tree_move(tree, l->branch, y, NULL);
}

/* m: by which a row of lengths is off when positions are rounded. */
static double rounding_of_places(const trm_loop *l, const trm_tree *tree)
{
    double largest = 0;
    for (int i = l->branch->first_link; i < l->branch->first_link + l->branch->link_count; i++) {
        const trm_vec3 p = tree->pose[tree->links[i].body].p;
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    return ROUNDINGS * DBL_EPSILON * largest;
}

/* Whether no row is open by more than `enough`, or than rounding explains. */
static bool is_within(const trm_loop *l, const trm_tree *tree, double enough)
{
    const double turn = fmax(enough, ROUNDINGS * DBL_EPSILON), shift = fmax(enough, rounding_of_places(l, tree));
    const double *phi = l->phi;
    for (int j = 0; j < l->branch->cut_count; phi += l->joints[j++]->rows)
        for (int r = 0; r < l->joints[j]->rows; r++)
            if (!(fabs(phi[r]) <= (l->joints[j]->angular[r] ? turn : shift))) return false;
    return true;
}

/* One step of Newton's method, where the rows are known; its length against 1 + |y|, or infinity if there is none. */
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
    place(l, tree, y);
    return longest;
}

/* Where rows are closed to rounding, more steps would follow the noise of their rounding. Rows that depend on others may contradict
 * them: the least squares of both are no closed loop. */
static bool close_by_newton(trm_loop *l, trm_tree *tree, const double *memory, double *y)
{
    double before = INFINITY;
    place(l, tree, y);
    for (l->newton = 1; l->newton <= MOST_NEWTON; l->newton++) {
        trm_loop_rows(l, tree, memory);
        const bool closed = is_within(l, tree, 0);
        const double length = correct(l, tree, y);
        if (!isfinite(length)) return false;
        if (closed || length <= ROUNDING || (length <= STAGNATION && length >= 0.5 * before))
            return is_within(l, tree, AGREE);
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

/* By its form; what that leaves open is left to Newton's method. */
static bool close_by_form(trm_loop *l, trm_tree *tree, const double *memory, double *y)
{
    const trm_closure closure = trm_closed_form_solve(l, y);
    if (closure == TRM_CLOSURE_NONE) return false;
    if (closure == TRM_CLOSURE_FOUND) {
        l->newton = 0;
        place(l, tree, y);
        residuals(l, tree, memory);
        if (is_within(l, tree, CLOSED)) return true;
    }
    return close_by_newton(l, tree, memory, y);
}

bool trm_loop_close(trm_loop *l, trm_tree *tree, const double *memory, double *y, const double *predicted)
{
    for (int i = 0; i < l->n - l->f; i++) {
        const int at = l->branch->first + l->dependent[i];
        y[at] = predicted[at];
    }
    const bool closed = l->form ? close_by_form(l, tree, memory, y) : close_by_newton(l, tree, memory, y);
    return closed && is_near(l, y, predicted);
}

/* ---- Velocities --------------------------------------------------------------------------- */

bool trm_loop_turn(trm_loop *l, trm_tree *tree, const double *memory)
{
    const int d = l->n - l->f;
    trm_loop_rows(l, tree, memory);
    if (!factor_dependent(l)) return false;
    for (int r = 0; r < l->m; r++)
        for (int c = 0; c < l->f; c++) l->room[r * l->f + c] = -l->G[r * l->n + l->independent[c]];
    trm_qr_solve(l->factor, l->tau, l->m, d, l->room, l->f);
    for (int i = 0; i < d * l->f; i++) l->X[i] = l->room[i];
    return true;
}

/* J V + c_t of all rows, at the tree's velocities. */
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

void trm_loop_move(trm_loop *l, trm_tree *tree, const double *memory, const double *y, double *yd)
{
    const int d = l->n - l->f, first = l->branch->first;
    memset(l->eta, 0, (size_t)d * sizeof *l->eta);
    if (l->driven) { /* with dy/dt = 0, as place has left it */
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
    trm_tree_move(tree, l->branch, y, yd);
}

/* ---- Accelerations ------------------------------------------------------------------------ */

/* J^T v: of a full vector, what the independent coordinates feel. */
static double felt(const trm_loop *l, const double *v, int k)
{
    double sum = v[l->independent[k]];
    for (int i = 0; i < l->n - l->f; i++) sum += l->X[i * l->f + k] * v[l->dependent[i]];
    return sum;
}

/* M J of one independent coordinate. */
static void push_along(const trm_loop *l, int k, double *MJ)
{
    for (int r = 0; r < l->n; r++) {
        double sum = l->M[r * l->n + l->independent[k]];
        for (int i = 0; i < l->n - l->f; i++) sum += l->M[r * l->n + l->dependent[i]] * l->X[i * l->f + k];
        MJ[r] = sum;
    }
}

/* M_1 = J^T M J, and its inverse. */
static bool reduce_mass(trm_loop *l)
{
    for (int k = 0; k < l->f; k++) {
        push_along(l, k, l->room);
        for (int i = 0; i < l->f; i++) l->M1[i * l->f + k] = felt(l, l->room, i);
    }
    return trm_dense_inverse_positive(l->M1, l->f, l->inverse);
}

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

bool trm_loop_accelerate(trm_loop *l, trm_tree *tree, trm_dynamics *d, const double *memory,
                         const trm_spatial *wrench, double *ydd)
{
    const int first = l->branch->first, dependent = l->n - l->f;
    trm_dynamics_mass(d, tree, l->branch, l->M, l->n);
    trm_dynamics_load(d, tree, l->branch, NULL, wrench, ydd);
    for (int i = 0; i < l->n; i++) l->load[i] = ydd[first + i];

    /* xi <- gamma;  right <- -J^T (load + M (0, xi)) */
    trm_tree_cut_gamma(tree, l->branch, memory, l->room);
    solve_dependent(l, l->room, l->xi);
    for (int r = 0; r < l->n; r++)
        for (int i = 0; i < dependent; i++) l->load[r] += l->M[r * l->n + l->dependent[i]] * l->xi[i];
    if (!reduce_mass(l)) return false;
    for (int k = 0; k < l->f; k++) l->room[k] = -felt(l, l->load, k);
    for (int k = 0; k < l->f; k++) {
        double sum = 0;
        for (int i = 0; i < l->f; i++) sum += l->inverse[k * l->f + i] * l->room[i];
        ydd[first + l->independent[k]] = sum;
    }
    follow(l, ydd);
    return true;
}

void trm_loop_follow(trm_loop *l, trm_tree *tree, const double *memory, double *ydd)
{
    trm_tree_accelerate(tree, l->branch, NULL);
    trm_tree_cut_gamma(tree, l->branch, memory, l->room);
    solve_dependent(l, l->room, l->xi);
    follow(l, ydd);
    trm_tree_accelerate(tree, l->branch, ydd);
}
