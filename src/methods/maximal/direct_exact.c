/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The exact matrix of an island: the derivative of c(free(q_t, V + W lambda, h)) by lambda, over h,
 *
 *     B = J(q_{t+h}) D W(q_t),     W = M^-1 J^T,     h D = derivative of the free motion by V
 *
 * D is the unit matrix for translations and for turns about a fixed axis, and differs from it by O(h |omega|) for turns
 * in space (motion/free.h). B is unsymmetric, may have any rank, and is solved densely.
 *
 * Rows and columns are scaled by the roots of the diagonal elements of A, so that rows in metres and radians, of light
 * and heavy bodies, are comparable. Of all impulses that close the joints as far as possible, the solver takes the
 * shortest in this norm. */

#include <string.h>

#include "methods/maximal/direct.h"

/* Pivots below this fraction of the largest count as zero. A larger value drops rows near singular poses, a smaller
 * one divides by rounding. Tests pass with a tenth and with ten times of it. */
static const double EXACT_RANK = 1e-11;

bool trm_direct_create_scratch(int rows, trm_arena *arena, trm_direct_scratch *scratch)
{
    const size_t n = (size_t)rows;
    scratch->B = TRM_NEW_ARRAY(arena, double, n *n);
    scratch->b = TRM_NEW_ARRAY(arena, double, n);
    scratch->step = TRM_NEW_ARRAY(arena, double, n);
    scratch->root = TRM_NEW_ARRAY(arena, double, n);
    scratch->room = TRM_NEW_ARRAY(arena, double, 3 * n);
    scratch->permutation = TRM_NEW_ARRAY(arena, int, n);
    return !arena->failed;
}

/* Fills the block of joints a and b: rows of a in the look-ahead (J) times responses of b at the present pose,
 * over the bodies that they share. The block starts at B; columns have length n. */
static void fill_block(const trm_maximal_joint *a, const trm_spatial *J, const trm_maximal_joint *b, double *B, int n)
{
    const int na = a->joint->body_count, nb = b->joint->body_count;
    for (int k = 0; k < na; k++)
        for (int l = 0; l < nb; l++) {
            if (a->joint->body[k] != b->joint->body[l]) continue;
            for (int r = 0; r < a->joint->rows; r++)
                for (int c = 0; c < b->joint->rows; c++) B[c * n + r] += trm_sp_dot(J[r * na + k], b->W[c * nb + l]);
        }
}

/* Returns whether a joint takes part. A slack rope, or a stop away from its bound, does not act: its rows and
 * columns are zero. */
static bool takes_part(const trm_maximal *w, const trm_maximal_joint *j)
{
    return j->on && !trm_maximal_leaves_out(w, j);
}

/* Computes J(q(t+h)) D of a joint: the derivative of its residuals in the look-ahead by the velocities, over h. */
static void take_derivative(const trm_maximal *w, const trm_joint *joint, trm_spatial *J)
{
    trm_joint_jacobian_at(joint, w->look.ahead, w->stepper->step.goal, w->stepper->state->memory, J);
    for (int k = 0; k < joint->body_count; k++) {
        const int body = joint->body[k];
        if (w->held[body]) continue;
        const trm_mat3 D = trm_look_ahead_derivative(&w->look.start[body], &w->stepper->state->velocity[body]);
        for (int r = 0; r < joint->rows; r++) {
            trm_spatial *row = &J[r * joint->body_count + k];
            row->ang = trm_mat_t_vec(D, row->ang);
        }
    }
}

/* Fills the rows of one joint against all joints that take part. B points to the first of its rows. */
static void fill_rows(const trm_maximal *w, const trm_direct_island *island, const trm_maximal_joint *joint,
                      double *B)
{
    const int n = island->joint_rows;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    take_derivative(w, joint->joint, J);
    for (int b = 0, column = 0; b < island->joint_count; b++) {
        if (takes_part(w, &island->joints[b])) fill_block(joint, J, &island->joints[b], B + column * n, n);
        column += island->joints[b].joint->rows;
    }
}

/* Fills B, the right side b from x, and the roots. */
static void fill(const trm_maximal *w, const trm_direct_island *island, trm_direct_scratch *scratch)
{
    const int n = island->joint_rows;
    memset(scratch->B, 0, (size_t)n * (size_t)n * sizeof *scratch->B);
    for (int a = 0, row = 0; a < island->joint_count; a++) {
        const trm_maximal_joint *joint = &island->joints[a];
        const int first = island->blocks[a].first, rows = joint->joint->rows;
        const bool takes = takes_part(w, joint);
        if (takes) fill_rows(w, island, joint, scratch->B + row);
        for (int r = 0; r < rows; r++, row++) {
            scratch->b[row] = takes ? island->x[first + r] : 0;
            scratch->root[row] = takes ? sqrt(island->scale[first + r]) : 1;
        }
    }
}

void trm_direct_solve_exactly(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch)
{
    const int n = island->joint_rows;
    fill(w, island, scratch);
    for (int r = 0; r < n; r++) scratch->b[r] /= scratch->root[r];
    for (int c = 0; c < n; c++)
        for (int r = 0; r < n; r++) scratch->B[c * n + r] /= scratch->root[r] * scratch->root[c];
    trm_min_norm_solve(scratch->B, n, n, scratch->b, EXACT_RANK, scratch->step, scratch->room, scratch->permutation);
    for (int j = 0, row = 0; j < island->joint_count; j++)
        for (int r = 0; r < island->joints[j].joint->rows; r++, row++)
            island->x[island->blocks[j].first + r] = scratch->step[row] / scratch->root[row];
}
