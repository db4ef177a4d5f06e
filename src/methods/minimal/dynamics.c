/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Composite bodies, Newton-Euler and articulated bodies (Featherstone 2008, chapters 5 to 7), in world axes at the
 * centres of mass.
 *
 * With r from the parent's centre of mass to the child's, twists, wrenches and inertias are transferred to the
 * parent by
 *
 *     (ang, lin) -> (ang, lin + ang x r),     (torque, force) -> (torque + r x force, force)
 *     aa -> aa + [r] al^T - (al + [r] ll) [r],   al -> al + [r] ll,   ll -> ll
 *
 * Articulated bodies: the inertia and load that a link, whose coordinates are free to move, adds to its parent,
 *
 *     U = I H,   D = H^T U,   I_a = I - U D^-1 U^T,   p_a = p + I_a c + U D^-1 (tau - H^T p),
 *     d2y/dt2 = D^-1 (tau - H^T (I A' + p)),    A' = the parent's acceleration here + c,   c = bias */

#include "methods/minimal/dynamics.h"

#include <string.h>

#include "linalg/dense.h"

/* Data of an articulated link. */
struct trm_articulation {
    trm_spatial U[TRM_JOINT_COORDINATES];
    double inverse[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES]; /* D^-1 */
    double pull[TRM_JOINT_COORDINATES];                            /* tau - H^T p */
    trm_spatial p;
};

trm_dynamics *trm_dynamics_create(const trm_tree *tree, trm_arena *arena)
{
    trm_dynamics *d = TRM_NEW(arena, trm_dynamics);
    if (!d) return NULL;
    d->inertia = TRM_NEW_ARRAY(arena, trm_inertia6, tree->link_count);
    d->force = TRM_NEW_ARRAY(arena, trm_spatial, tree->model->body_count);
    d->articulation = TRM_NEW_ARRAY(arena, struct trm_articulation, tree->link_count);
    return d->inertia && d->force && d->articulation ? d : NULL;
}

/* ---- Inertia ------------------------------------------------------------------------------ */

/* Returns R diag(I) R^T. */
static trm_mat3 world_inertia(const trm_body *body, trm_quat q)
{
    const trm_mat3 R = trm_quat_matrix(q);
    trm_mat3 I = {{{0}}};
    const double J[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c <= r; c++) {
            for (int k = 0; k < 3; k++) I.m[r][c] += R.m[r][k] * J[k] * R.m[c][k];
            I.m[c][r] = I.m[r][c];
        }
    return I;
}

static trm_inertia6 inertia_of(const trm_tree *tree, int body)
{
    const trm_body *b = &tree->model->bodies[body];
    const trm_inertia6 I = {.aa =
                                b->kind == TRM_BODY_RIGID ? world_inertia(b, tree->pose[body].q) : (trm_mat3){{{0}}},
                            .ll = trm_diag(trm_v3(b->mass, b->mass, b->mass))};
    return I;
}

static trm_spatial times(const trm_inertia6 *I, trm_spatial A)
{
    return trm_sp(trm_v3_add(trm_mat_vec(I->aa, A.ang), trm_mat_vec(I->al, A.lin)),
                  trm_v3_add(trm_mat_t_vec(I->al, A.ang), trm_mat_vec(I->ll, A.lin)));
}

/* Returns [r] m: r x each column. */
static trm_mat3 cross_columns(trm_vec3 r, trm_mat3 m)
{
    return trm_columns(trm_v3_cross(r, trm_column(m, 0)), trm_v3_cross(r, trm_column(m, 1)),
                       trm_v3_cross(r, trm_column(m, 2)));
}

/* Adds an inertia that is displaced by r. */
static void add_shifted(trm_inertia6 *to, const trm_inertia6 *from, trm_vec3 r)
{
    const trm_mat3 al = trm_mat_add_scaled(from->al, 1, cross_columns(r, from->ll));
    /* (al + [r] ll) [r] = -([r] (al + [r] ll)^T)^T */
    const trm_mat3 back = trm_transpose(cross_columns(r, trm_transpose(al)));
    const trm_mat3 aa = trm_mat_add_scaled(from->aa, 1, cross_columns(r, trm_transpose(from->al)));
    to->aa = trm_mat_add_scaled(to->aa, 1, trm_mat_add_scaled(aa, 1, back));
    to->al = trm_mat_add_scaled(to->al, 1, al);
    to->ll = trm_mat_add_scaled(to->ll, 1, from->ll);
}

/* Returns whether a body is a point mass: it transmits no torque and has no rotation of its own. */
static bool is_point(const trm_tree *tree, int body)
{
    return tree->model->bodies[body].kind == TRM_BODY_POINT;
}

static void clear_torques(trm_inertia6 *I)
{
    I->aa = I->al = (trm_mat3){{{0}}};
}

static trm_spatial shifted(trm_spatial F, trm_vec3 r)
{
    return trm_sp(trm_v3_add(F.ang, trm_v3_cross(r, F.lin)), F.lin);
}

/* ---- The mass matrix ---------------------------------------------------------------------- */

/* Fills the columns of a link's coordinates: its own block, and those of all links between it and the root. */
static void fill_columns(const trm_dynamics *d, const trm_tree *tree, const trm_branch *branch, int index, double *M,
                         int n)
{
    const trm_link *link = &tree->links[index];
    for (int k = 0; k < link->count; k++) {
        trm_spatial F = times(&d->inertia[index], link->H[k]);
        const int column = link->first - branch->first + k;
        for (int i = index; i >= 0; i = tree->link_of[tree->links[i].parent]) {
            const trm_link *at = &tree->links[i];
            for (int l = 0; l < at->count; l++) {
                const int row = at->first - branch->first + l;
                M[row * n + column] = M[column * n + row] = trm_sp_dot(at->H[l], F);
            }
            if (is_point(tree, at->body)) F.ang = trm_v3(0, 0, 0);
            F = shifted(F, at->r);
        }
    }
}

/* Transforms M from the coordinates between bodies to those of the tree: rows, then columns. */
static void transform(const trm_tree *tree, const trm_branch *branch, double *M, int n)
{
    for (int side = 0; side < 2; side++) {
        for (int r = 0; r < branch->count; r++) trm_tree_transform_forces(tree, branch, M + r * n, branch->first);
        for (int r = 0; r < branch->count; r++)
            for (int c = 0; c < r; c++) {
                const double other = M[r * n + c];
                M[r * n + c] = M[c * n + r];
                M[c * n + r] = other;
            }
    }
}

void trm_dynamics_mass(trm_dynamics *d, const trm_tree *tree, const trm_branch *branch, double *M, int n)
{
    const int first = branch->first_link, end = first + branch->link_count;
    for (int r = 0; r < branch->count; r++) memset(M + r * n, 0, (size_t)branch->count * sizeof *M);
    for (int i = first; i < end; i++) d->inertia[i] = inertia_of(tree, tree->links[i].body);
    for (int i = end - 1; i >= first; i--) {
        const int parent = tree->link_of[tree->links[i].parent];
        if (is_point(tree, tree->links[i].body)) clear_torques(&d->inertia[i]);
        if (parent >= 0) add_shifted(&d->inertia[parent], &d->inertia[i], tree->links[i].r);
        fill_columns(d, tree, branch, i, M, n);
        for (int k = 0; k < tree->links[i].count; k++)
            M[(tree->links[i].first - branch->first + k) * (n + 1)] += tree->links[i].armature[k];
    }
    transform(tree, branch, M, n);
}

/* ---- Newton-Euler ------------------------------------------------------------------------- */

/* Returns the wrench that a body requires besides F: I A + omega x I omega - F. */
static trm_spatial net_wrench(const trm_tree *tree, int body, trm_spatial A, trm_spatial F)
{
    const trm_body *b = &tree->model->bodies[body];
    const trm_vec3 omega = trm_rotate_back(tree->pose[body].q, tree->velocity[body].ang);
    const trm_vec3 alpha = trm_rotate_back(tree->pose[body].q, A.ang), I = b->inertia;
    const trm_vec3 L = trm_v3(I.x * omega.x, I.y * omega.y, I.z * omega.z);
    const trm_vec3 torque = trm_v3_add(trm_v3(I.x * alpha.x, I.y * alpha.y, I.z * alpha.z), trm_v3_cross(omega, L));
    const trm_vec3 turning =
        b->kind == TRM_BODY_RIGID ? trm_v3_sub(trm_rotate(tree->pose[body].q, torque), F.ang) : trm_v3(0, 0, 0);
    return trm_sp(turning, trm_v3_sub(trm_v3_scale(b->mass, A.lin), F.lin));
}

void trm_dynamics_load(trm_dynamics *d, trm_tree *tree, const trm_branch *branch, const double *ydd,
                       const trm_spatial *wrench, double *load)
{
    const int first = branch->first_link, end = first + branch->link_count;
    trm_tree_accelerate(tree, branch, ydd);
    for (int i = first; i < end; i++) {
        const int body = tree->links[i].body;
        d->force[body] = net_wrench(tree, body, tree->acceleration[body], wrench[body]);
    }
    for (int i = end - 1; i >= first; i--) {
        const trm_link *link = &tree->links[i];
        const trm_spatial F = d->force[link->body];
        for (int k = 0; k < link->count; k++) load[link->first + k] = trm_sp_dot(link->H[k], F);
        for (int k = 0; k < link->count; k++)
            if (link->rotor[k]) load[link->first + k] += link->armature[k] * tree->acceleration[link->rotor[k]].lin.z;
        if (tree->link_of[link->parent] < 0) continue;
        trm_spatial *to = &d->force[link->parent];
        *to = trm_sp_add_scaled(*to, 1, shifted(F, link->r));
        if (is_point(tree, link->parent)) to->ang = trm_v3(0, 0, 0);
    }
    trm_tree_transform_forces(tree, branch, load + branch->first, branch->first);
}

/* ---- Articulated bodies ------------------------------------------------------------------- */

static void articulate_link(trm_dynamics *d, const trm_link *link, int index, const double *tau)
{
    struct trm_articulation *a = &d->articulation[index];
    const int n = link->count;
    double D[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES];
    for (int k = 0; k < n; k++) {
        a->U[k] = times(&d->inertia[index], link->H[k]);
        a->pull[k] = (tau ? tau[link->first + k] : 0) - trm_sp_dot(link->H[k], a->p);
    }
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) D[k * n + l] = trm_sp_dot(link->H[k], a->U[l]);
    for (int k = 0; k < n; k++) D[k * (n + 1)] += link->armature[k];
    if (n == 1)
        a->inverse[0] = 1 / D[0];
    else if (n > 1)
        trm_dense_inverse_positive(D, n, a->inverse);
}

static void subtract_outer(trm_mat3 *m, trm_vec3 u, trm_vec3 v, double s)
{
    const double a[3] = {s * u.x, s * u.y, s * u.z}, b[3] = {v.x, v.y, v.z};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) m->m[r][c] -= a[r] * b[c];
}

/* Adds inertia and load of a link to its parent: I_a, p_a. */
static void add_to_parent(trm_dynamics *d, const trm_tree *tree, const trm_link *link, int index)
{
    const int n = link->count, parent = tree->link_of[link->parent];
    const struct trm_articulation *a = &d->articulation[index];
    trm_inertia6 I = d->inertia[index];
    trm_spatial p = a->p;
    for (int k = 0; k < n; k++) {
        trm_spatial row = {{0, 0, 0}, {0, 0, 0}};
        for (int l = 0; l < n; l++) row = trm_sp_add_scaled(row, a->inverse[k * n + l], a->U[l]);
        subtract_outer(&I.aa, a->U[k].ang, row.ang, 1);
        subtract_outer(&I.al, a->U[k].ang, row.lin, 1);
        subtract_outer(&I.ll, a->U[k].lin, row.lin, 1);
        p = trm_sp_add_scaled(p, a->pull[k], row);
    }
    p = trm_sp_add_scaled(p, 1, times(&I, link->bias));
    if (is_point(tree, link->body)) clear_torques(&I), p.ang = trm_v3(0, 0, 0);
    add_shifted(&d->inertia[parent], &I, link->r);
    d->articulation[parent].p = trm_sp_add_scaled(d->articulation[parent].p, 1, shifted(p, link->r));
}

static void accelerate_link(trm_dynamics *d, trm_tree *tree, int index, double *ydd)
{
    const trm_link *link = &tree->links[index];
    const struct trm_articulation *a = &d->articulation[index];
    const trm_spatial A_p = tree->acceleration[link->parent];
    trm_spatial A = trm_sp(A_p.ang, trm_v3_add(A_p.lin, trm_v3_cross(A_p.ang, link->r)));
    if (is_point(tree, link->body)) A.ang = trm_v3(0, 0, 0);
    A = trm_sp_add_scaled(A, 1, link->bias);
    const int n = link->count;
    double right[TRM_JOINT_COORDINATES];
    for (int k = 0; k < n; k++) right[k] = a->pull[k] - trm_sp_dot(a->U[k], A);
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int l = 0; l < n; l++) sum += a->inverse[k * n + l] * right[l];
        ydd[link->first + k] = sum;
    }
    for (int k = 0; k < n; k++) {
        A = trm_sp_add_scaled(A, ydd[link->first + k], link->H[k]);
        if (link->rotor[k]) tree->acceleration[link->rotor[k]].lin.z = ydd[link->first + k];
    }
    tree->acceleration[link->body] = A;
}

void trm_dynamics_articulate(trm_dynamics *d, trm_tree *tree, const trm_branch *branch, const trm_spatial *wrench,
                             const double *tau, double *ydd)
{
    const int first = branch->first_link, end = first + branch->link_count;
    const trm_spatial none = {{0, 0, 0}, {0, 0, 0}};
    for (int i = first; i < end; i++) {
        const int body = tree->links[i].body;
        d->inertia[i] = inertia_of(tree, body);
        d->articulation[i].p = net_wrench(tree, body, none, wrench[body]);
    }
    for (int i = end - 1; i >= first; i--) {
        articulate_link(d, &tree->links[i], i, tau);
        if (tree->link_of[tree->links[i].parent] >= 0) add_to_parent(d, tree, &tree->links[i], i);
    }
    for (int i = first; i < end; i++) accelerate_link(d, tree, i, ydd);
    trm_tree_transform_rates(tree, branch, ydd);
}
