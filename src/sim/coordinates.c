/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sets joint coordinates of a state. A spanning tree connects the bodies (methods/spanning/tree.h). Its coordinates
 * y are read from the state, changed, and give the poses and velocities of all bodies again. */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "methods/spanning/tree.h"
#include "motion/state.h"
#include "trammel/arrays.h"

/* Returns the link of the tree that belongs to a joint of the model; NULL: the joint is cut. */
static const trm_link *link_of(const trm_tree *tree, int joint)
{
    for (int i = 0; i < tree->link_count; i++)
        if (tree->links[i].index == joint) return &tree->links[i];
    return NULL;
}

static void copy_coordinates(const trm_link *link, const double *from, double *to)
{
    for (int k = 0; from && k < link->count; k++)
        if (!isnan(from[k])) to[link->first + k] = from[k];
}

/* Stores the coordinates that were set: whole turns are counted from them. */
static void remember(trm_state *state, const trm_link *link, const double *y)
{
    double *memory = state->memory + link->joint->memory_offset;
    for (int k = 0; k < link->count && k < link->joint->memory_count; k++) memory[k] = y[link->first + k];
}

/* Moves all poses first, then all velocities, so that each velocity uses its new pose. */
static void move_bodies(trm_state *state, const trm_tree *tree)
{
    for (int i = 0; i < tree->link_count; i++) {
        const int body = tree->links[i].body;
        if (body < state->model->shown_body_count)
            trm_set_body_pose(state, body,
                              trm_pose_mul(tree->pose[body], trm_pose_inverse(state->model->bodies[body].X_BP)));
    }
    for (int i = 0; i < tree->link_count; i++) {
        const int body = tree->links[i].body;
        const trm_spatial V = tree->velocity[body];
        if (body >= state->model->shown_body_count) continue;
        const trm_vec3 to_origin = trm_v3_sub(trm_body_pose(state, body).p, state->pose[body].p);
        trm_set_body_velocity(state, body, trm_sp(V.ang, trm_v3_add(V.lin, trm_v3_cross(V.ang, to_origin))));
    }
}

/* Sets the state to the coordinates y of the tree and their rates. */
static void place_tree(trm_state *state, trm_tree *tree, const double *y, const double *yd)
{
    trm_tree_set_time(tree, state->clock->time);
    for (int b = 0; b < tree->branch_count; b++) {
        trm_tree_place(tree, &tree->branches[b], y);
        trm_tree_move(tree, &tree->branches[b], y, yd);
    }
    move_bodies(state, tree);
}

/* Sets the coordinates and rates of a joint, or of all joints if joint is -1. NULL and NAN leave them unchanged.
 * Fails only when out of memory. */
static trm_status set_coordinates(trm_state *state, int joint, const double *q, const double *qd)
{
    char ignored[2]; /* there are no names that could be wrong */
    trm_arena arena;
    trm_arena_init(&arena, &state->allocator);
    trm_tree *tree = trm_tree_create(state, (trm_tree_options){0}, &arena, ignored, sizeof ignored);
    double *y = tree ? TRM_NEW_ARRAY(&arena, double, tree->coordinates) : NULL;
    double *yd = tree ? TRM_NEW_ARRAY(&arena, double, tree->coordinates) : NULL;
    const bool made = tree && !arena.failed;
    if (made) trm_tree_read(tree, state, y, yd);
    for (int j = 0, at = 0; made && j < state->model->shown_joint_count; j++) {
        const trm_link *link = joint < 0 || j == joint ? link_of(tree, j) : NULL;
        if (link) {
            copy_coordinates(link, q ? q + at : NULL, y);
            copy_coordinates(link, qd ? qd + at : NULL, yd);
            remember(state, link, y);
        }
        if (joint < 0) at += state->model->joints[j].coordinates;
    }
    if (made) place_tree(state, tree, y, yd);
    trm_arena_destroy(&arena);
    return made ? TRM_OK : TRM_OUT_OF_MEMORY;
}

trm_status trm_set_coordinates(trm_state *state, const double *q, const double *qd)
{
    return set_coordinates(state, -1, q, qd);
}

trm_status trm_set_joint_values(trm_state *state, int joint, const double *q, const double *qd)
{
    return set_coordinates(state, joint, q, qd);
}

/* Moves a body that no joint carries to the frame X, and all that joints connect to it along with it. */
static trm_status place_free_body(trm_state *state, int body, trm_pose X)
{
    char ignored[2];
    trm_arena arena;
    trm_arena_init(&arena, &state->allocator);
    trm_tree *tree = trm_tree_create(state, (trm_tree_options){0}, &arena, ignored, sizeof ignored);
    const trm_link *link = tree && tree->link_of[body] >= 0 ? &tree->links[tree->link_of[body]] : NULL;
    double *y = tree ? TRM_NEW_ARRAY(&arena, double, 4 * (size_t)tree->coordinates) : NULL;
    const bool made = tree && !arena.failed;
    if (made && link && link->index < 0) {
        double *yd = y + tree->coordinates, *moved = yd + tree->coordinates;
        trm_tree_read(tree, state, y, yd);
        trm_set_body_pose(state, body, X);
        trm_tree_read(tree, state, moved, moved + tree->coordinates);
        memcpy(&y[link->first], &moved[link->first], (size_t)link->count * sizeof *y);
        place_tree(state, tree, y, yd);
    }
    trm_arena_destroy(&arena);
    return made ? TRM_OK : TRM_OUT_OF_MEMORY;
}

trm_status trm_set_pose(trm_state *state, int pose)
{
    const trm_pose_def *def = &state->model->poses[pose];
    trm_status status = TRM_OK;
    for (int i = 0; i < def->input_count; i++)
        state->memory[trm_find_input(state->model, def->inputs[i].name)] = def->inputs[i].value;
    for (int i = 0; status == TRM_OK && i < def->body_count; i++) {
        const trm_named_frame *frame = &def->bodies[i];
        const trm_pose X = {trm_quat_unit(frame->orientation), frame->position};
        status = place_free_body(state, trm_find_body(state->model, frame->name), X);
    }
    for (int i = 0; status == TRM_OK && i < def->value_count; i++)
        status = set_coordinates(state, trm_find_joint(state->model, def->values[i].joint), def->values[i].q, NULL);
    return status;
}
