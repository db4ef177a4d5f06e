/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "motion/rank.h"

/* m: a rope with at most this slack counts as taut. A larger one treats slack ropes as taut, a smaller one treats
 * taut ropes as slack that are open by their tolerance. Tests pass with a tenth and with ten times of it. */
static const double TAUT = 1e-9;

struct trm_rank {
    const trm_model *model;
    trm_echelon *echelon;
    int *first_column; /* per body; -1: held */
};

double trm_per_radian(const trm_body *body)
{
    const double largest = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
    return largest > 0 ? sqrt(body->mass / largest) : 0;
}

trm_rank *trm_rank_create(const trm_model *model, const trm_topology *topology, trm_arena *arena)
{
    int columns = 0;
    trm_rank *rank = TRM_NEW(arena, trm_rank);
    int *first_column = TRM_NEW_ARRAY(arena, int, model->body_count);
    if (!rank || !first_column) return NULL;
    for (int i = 0; i < model->body_count; i++) first_column[i] = -1;
    for (int i = topology->order_count - 1; i >= 0; i--) {
        const int body = topology->order[i];
        first_column[body] = columns;
        columns += trm_body_freedoms(&model->bodies[body]);
    }
    *rank = (trm_rank){model, trm_echelon_create(arena, columns), first_column};
    return rank->echelon ? rank : NULL;
}

/* Returns whether the same body occurs earlier in the joint, where its row is (joints/gear.c). */
static bool is_named_before(const trm_joint *joint, int k)
{
    for (int i = 0; i < k; i++)
        if (joint->body[i] == joint->body[k]) return true;
    return false;
}

/* Lists the free bodies of a joint by column, each at its first occurrence. Returns their number. */
static int bodies_by_column(const trm_rank *rank, const trm_joint *joint, int *sequence)
{
    int count = 0;
    for (int k = 0; k < joint->body_count; k++) { /* insertion sort */
        if (rank->first_column[joint->body[k]] < 0 || is_named_before(joint, k)) continue;
        int at = count++;
        for (; at > 0 && rank->first_column[joint->body[sequence[at - 1]]] > rank->first_column[joint->body[k]]; at--)
            sequence[at] = sequence[at - 1];
        sequence[at] = k;
    }
    return count;
}

trm_echelon_result trm_rank_add(trm_rank *rank, const trm_joint *joint, const trm_spatial *J, double tolerance)
{
    int sequence[TRM_JOINT_BODIES], columns[6 * TRM_JOINT_BODIES], count = 0;
    double values[6 * TRM_JOINT_BODIES];
    const int bodies = bodies_by_column(rank, joint, sequence);
    for (int b = 0; b < bodies; b++) {
        const int k = sequence[b];
        const trm_body *body = &rank->model->bodies[joint->body[k]];
        const double scale = trm_per_radian(body);
        const double row[6] = {J[k].lin.x,         J[k].lin.y,         J[k].lin.z,
                               scale * J[k].ang.x, scale * J[k].ang.y, scale * J[k].ang.z};
        for (int i = 0; i < trm_body_freedoms(body); i++, count++) {
            columns[count] = rank->first_column[joint->body[k]] + i;
            values[count] = row[i];
        }
    }
    return trm_echelon_add(rank->echelon, columns, values, count, tolerance);
}

void trm_active_rows(const trm_joint_at *at, bool *holds)
{
    double c[TRM_JOINT_ROWS];
    trm_joint_residual(at, c);
    for (int row = 0; row < at->joint->rows; row++)
        holds[row] = !trm_joint_is_spring(at->joint) && !(at->joint->one_sided && c[row] < -TAUT);
}
