/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Decides for each branch of the tree whether it has a loop and whether it is compiled, and finds the forces that
 * act along its coordinates. */

#include "methods/minimal/closed_form.h"
#include "methods/minimal/minimal.h"

bool trm_minimal_make_loops(trm_minimal *w, bool closed_forms, trm_arena *arena)
{
    w->loops = TRM_NEW_ARRAY(arena, trm_loop *, w->tree->branch_count);
    for (int b = 0; w->loops && b < w->tree->branch_count; b++) {
        const trm_branch *branch = &w->tree->branches[b];
        if (branch->rows == 0) continue;
        w->loops[b] = trm_loop_create(w->tree, branch, w->compiled[b], arena);
        if (!w->loops[b]) return false;
        if (closed_forms && !trm_closed_form_recognise(w->loops[b], w->tree, arena)) return false;
        w->has_loops = true;
    }
    return w->loops != NULL;
}

bool trm_branch_falls_freely(const trm_tree *tree, const trm_branch *branch)
{
    const trm_model *model = tree->model;
    int weights = 0;
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        const int link = tree->link_of[force->body[0]] - branch->first_link;
        if (force->type != &trm_force_gravity || link < 0 || link >= branch->link_count) continue;
        const trm_vec3 expected = trm_v3_scale(model->bodies[force->body[0]].mass, model->gravity);
        if (trm_v3_length(trm_v3_sub(force->weight, expected)) > 1e-15 * trm_v3_length(expected)) return false;
        weights++;
    }
    return weights == branch->link_count || trm_v3_length(model->gravity) == 0;
}

/* Returns the coordinate of a compiled branch along which a force acts; -1 if there is none. */
static int coordinate_of_force(const trm_minimal *w, const trm_force *force)
{
    const trm_tree *tree = w->tree;
    if (!force->type->along) return -1;
    for (int b = 0; b < 2; b++) {
        const int i = tree->link_of[force->host->body[b]];
        if (i >= 0 && tree->links[i].joint == force->host && w->is_compiled[tree->links[i].body])
            return tree->links[i].first + force->coordinate;
    }
    return -1;
}

/* Returns whether some force needs poses: a force of the caller, or one that is neither the weight of a compiled
 * branch nor along one of its coordinates. */
static bool some_force_needs_poses(const trm_minimal *w)
{
    const trm_model *model = w->stepper->model;
    for (int i = 0; i < model->force_count; i++) {
        const bool weight = model->forces[i].type == &trm_force_gravity && w->is_compiled[model->forces[i].body[0]];
        if (!weight && w->along.force_coordinate[i] < 0) return true;
    }
    return w->stepper->called_count > 0;
}

static void find_counted_turns(trm_minimal *w)
{
    const trm_tree *tree = w->tree;
    for (int j = 0; j < tree->model->joint_count; j++) w->counts_turns[j] = true;
    for (int i = 0; i < tree->link_count; i++) {
        const trm_link *link = &tree->links[i];
        if (link->index >= 0 && link->sense == 0 && !link->joint->type->remember)
            w->counts_turns[link->index] = false;
    }
}

static void mark_compiled(trm_minimal *w, const trm_branch *branch)
{
    for (int i = branch->first_link; i < branch->first_link + branch->link_count; i++) {
        const trm_link *link = &w->tree->links[i];
        w->is_compiled[link->body] = true;
        for (int k = 0; k < link->count; k++)
            if (link->rotor[k]) w->is_compiled[link->rotor[k]] = true;
    }
}

bool trm_minimal_compile(trm_minimal *w, trm_arena *arena)
{
    const trm_tree *tree = w->tree;
    w->compiled = TRM_NEW_ARRAY(arena, trm_compiled *, tree->branch_count);
    w->is_compiled = TRM_NEW_ARRAY(arena, bool, tree->model->body_count);
    w->counts_turns = TRM_NEW_ARRAY(arena, bool, tree->model->joint_count);
    w->along.force_coordinate = TRM_NEW_ARRAY(arena, int, tree->model->force_count);
    w->along.tau = TRM_NEW_ARRAY(arena, double, tree->coordinates);
    if (arena->failed) return false;
    for (int b = 0; b < tree->branch_count; b++) {
        if (trm_branch_falls_freely(tree, &tree->branches[b]))
            w->compiled[b] = trm_compiled_create(tree, &tree->branches[b], arena);
        if (w->compiled[b]) mark_compiled(w, &tree->branches[b]);
    }
    for (int i = 0; i < tree->model->force_count; i++) {
        w->along.force_coordinate[i] = coordinate_of_force(w, &tree->model->forces[i]);
        w->along.any = w->along.any || w->along.force_coordinate[i] >= 0;
    }
    find_counted_turns(w);
    w->needs_poses = some_force_needs_poses(w);
    return !arena->failed;
}
