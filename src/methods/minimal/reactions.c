/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the forces in the joints at a state (joint_forces.h). */

#include <string.h>

#include "methods/minimal/joint_forces.h"
#include "methods/minimal/minimal.h"

/* Writes the multipliers of one loop into the state, and adds their wrenches on the bodies of its cut joints. */
static bool cut_forces(trm_minimal *w, trm_loop *l, trm_arena *scratch)
{
    trm_state *state = w->stepper->state;
    double *right = TRM_NEW_ARRAY(scratch, double, w->tree->coordinates);
    double *lambda = TRM_NEW_ARRAY(scratch, double, l->m);
    if (!right || !lambda) return false;
    trm_dynamics_load(w->dynamics, w->tree, l->branch, w->now.ydd, w->wrench, right);
    if (!trm_cut_multipliers(l, right + l->branch->first, lambda, scratch)) return false;
    trm_cut_forces(l, w->tree, state->memory, lambda, state->reaction, w->wrench);
    return true;
}

/* Adds forces along coordinates of compiled branches as wrenches. */
static void add_coordinate_forces(trm_minimal *w)
{
    const trm_tree *tree = w->tree;
    for (int i = 0; i < tree->model->force_count; i++) {
        const trm_force *force = &tree->model->forces[i];
        trm_spatial F[TRM_JOINT_BODIES];
        if (w->along.force_coordinate[i] < 0 || !trm_force_acts(w->stepper->state, i)) continue;
        const trm_force_at at = trm_force_at_poses(force, tree->pose, tree->velocity, tree->t, w->memory);
        force->type->wrench(&at, F);
        for (int b = 0; b < force->body_count; b++)
            w->wrench[force->body[b]] = trm_sp_add_scaled(w->wrench[force->body[b]], 1, F[b]);
    }
}

/* Computes the whole motion at the state. */
static bool place_state(trm_minimal *w)
{
    trm_state *state = w->stepper->state;
    trm_tree *tree = w->tree;
    w->now.t = state->clock->time;
    trm_tree_set_time(tree, w->now.t);
    trm_tree_read(tree, state, w->now.y, w->now.yd);
    memcpy(w->memory, state->memory, (size_t)tree->model->memory_count * sizeof *w->memory);
    for (int b = 0; b < tree->branch_count; b++) {
        trm_tree_place(tree, &tree->branches[b], w->now.y);
        trm_tree_move(tree, &tree->branches[b], w->now.y, w->now.yd);
        if (w->loops[b]) trm_loop_place(w->loops[b], tree, w->now.y);
        if (w->loops[b] && !trm_loop_factorise_rows(w->loops[b], tree, state->memory)) return false;
        if (!w->compiled[b] && w->loops[b]) trm_tree_move(tree, &tree->branches[b], w->now.y, w->now.yd);
        if (!w->compiled[b]) continue;
        trm_compiled_move(w->compiled[b], w->now.y, w->now.yd);
        trm_compiled_write(w->compiled[b], tree, false);
    }
    if (!trm_minimal_accelerate(w)) return false;
    if (!w->needs_poses) memset(w->wrench, 0, (size_t)tree->model->body_count * sizeof *w->wrench);
    trm_minimal_add_weights(w);
    add_coordinate_forces(w);
    return true;
}

/* Computes the multiplier l of each rotor's gear from m d2q/dt2 = J l, and adds its wrenches on the bodies of its
 * host. */
static void rotor_forces(trm_minimal *w, const trm_link *link)
{
    trm_state *state = w->stepper->state;
    for (int k = 0; k < link->count; k++) {
        if (!link->rotor[k]) continue;
        const trm_joint *gear = &w->tree->model->joints[link->rotor_gear[k]];
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        trm_joint_jacobian_at(gear, w->tree->pose, w->tree->t, state->memory, J);
        const trm_spatial A = w->tree->acceleration[link->rotor[k]];
        const double l = link->armature[k] * A.lin.z / J[3].lin.z;
        state->acceleration[link->rotor[k]] = A;
        state->reaction[gear->row_offset] = l;
        for (int b = 0; b < 2; b++) w->wrench[gear->body[b]] = trm_sp_add_scaled(w->wrench[gear->body[b]], l, J[b]);
    }
}

bool trm_minimal_reactions(trm_minimal *w, trm_outcome *outcome)
{
    trm_tree *tree = w->tree;
    trm_state *state = w->stepper->state;
    trm_arena *scratch = w->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    bool good = place_state(w);
    memset(state->reaction, 0, (size_t)state->model->row_count * sizeof *state->reaction);
    for (int b = 0; good && b < tree->branch_count; b++) {
        double *load = TRM_NEW_ARRAY(scratch, double, tree->coordinates);
        if (!load || (w->loops[b] && !cut_forces(w, w->loops[b], scratch)))
            return trm_fail_memory(outcome, "method minimal");
        trm_tree_accelerate(tree, &tree->branches[b], w->now.ydd);
        for (int i = 0; i < tree->branches[b].link_count; i++)
            rotor_forces(w, &tree->links[tree->branches[b].first_link + i]);
        trm_dynamics_load(w->dynamics, tree, &tree->branches[b], w->now.ydd, w->wrench, load);
        for (int i = 0; i < tree->branches[b].link_count; i++) {
            const trm_link *link = &tree->links[tree->branches[b].first_link + i];
            state->acceleration[link->body] = tree->acceleration[link->body];
            if (link->index >= 0) trm_link_forces(link, tree, w->dynamics, state->memory, state->reaction);
        }
    }
    trm_arena_reset(scratch, mark);
    return good || trm_fail(outcome, INFINITY, "method minimal", NULL, "a loop cannot be closed");
}
