/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/minimal/joint_forces.h"

#include <string.h>

#include "linalg/block_ldlt.h"
#include "linalg/min_norm.h"
#include "linalg/qr.h"

bool trm_cut_multipliers(const trm_loop *l, double *right, double *lambda, trm_arena *scratch)
{
    const size_t entries = (size_t)(l->n * l->m);
    double *GT = TRM_NEW_ROOM(scratch, double, entries), *b = TRM_NEW_ROOM(scratch, double, l->n);
    double *room = TRM_NEW_ROOM(scratch, double, 3 * l->m);
    int *order = TRM_NEW_ROOM(scratch, int, l->m);
    if (!GT || !b || !room || !order) return false;
    memcpy(GT, l->G, entries * sizeof *GT); /* rows of G are columns of G^T */
    memcpy(b, right, (size_t)l->n * sizeof *b);
    trm_min_norm_solve(GT, l->n, l->m, b, TRM_DROPPED, lambda, room, order);
    for (int r = 0; r < l->m; r++)
        for (int i = 0; i < l->n; i++) right[i] -= lambda[r] * l->G[r * l->n + i];
    return true;
}

void trm_cut_forces(const trm_loop *l, const trm_tree *tree, const double *memory, const double *lambda,
                    double *reaction, trm_spatial *wrench)
{
    for (int j = 0; j < l->branch->cut_count; lambda += l->joints[j++]->rows) {
        const trm_joint *joint = l->joints[j];
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        trm_joint_jacobian_at(joint, tree->pose, tree->t, memory, J);
        for (int r = 0; r < joint->rows; r++) {
            reaction[joint->row_offset + r] = lambda[r];
            for (int b = 0; b < joint->body_count; b++) {
                trm_spatial *F = &wrench[joint->body[b]];
                *F = trm_sp_add_scaled(*F, lambda[r], J[r * joint->body_count + b]);
            }
        }
    }
}

/* Solves J^T l = F by least squares; exact to rounding. */
void trm_link_forces(const trm_link *link, const trm_tree *tree, const trm_dynamics *d, const double *memory,
                     double *reaction)
{
    const trm_joint *joint = link->joint;
    const int rows = joint->rows, side = link->backward ? 0 : 1;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double A[6 * TRM_JOINT_ROWS], tau[TRM_JOINT_ROWS];
    const trm_spatial F = d->force[link->body];
    double b[6] = {F.ang.x, F.ang.y, F.ang.z, F.lin.x, F.lin.y, F.lin.z};
    trm_joint_jacobian_at(joint, tree->pose, tree->t, memory, J);
    for (int r = 0; r < rows; r++) {
        const trm_spatial at = J[r * joint->body_count + side];
        const double column[6] = {at.ang.x, at.ang.y, at.ang.z, at.lin.x, at.lin.y, at.lin.z};
        for (int i = 0; i < 6; i++) A[i * rows + r] = column[i];
    }
    trm_qr_factor(A, 6, rows, tau);
    trm_qr_solve(A, tau, 6, rows, b, 1);
    for (int r = 0; r < rows; r++) reaction[joint->row_offset + r] = b[r];
}
