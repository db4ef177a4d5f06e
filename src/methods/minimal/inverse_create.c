/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Creates the inverse dynamics: finds the sought forces and the known forces, and builds the tree. */

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "methods/minimal/inverse.h"
#include "model/def.h"

/* ---- Sought forces ------------------------------------------------------------------------ */

static bool is_named(const trm_coordinate_name *list, int count, trm_coordinate_name name)
{
    for (int i = 0; i < count; i++)
        if (list[i].joint == name.joint && list[i].coordinate == name.coordinate) return true;
    return false;
}

/* Returns whether the force on a host joint is sought. Drives, motors and servos act on its first coordinate. */
static bool is_sought(const trm_inverse *v, const trm_joint *host)
{
    return is_named(v->driven, v->count, (trm_coordinate_name){.joint = (int)(host - v->model->joints)});
}

static bool report(trm_messages *messages, const trm_joint *joint, const char *what)
{
    char element[100];
    snprintf(element, sizeof element, "joint '%s'", joint->name);
    trm_add_message(messages, TRM_ERROR, joint->source, element, "%s", what);
    return false;
}

static bool check_names(const trm_model *model, const trm_inverse_def *def, trm_messages *messages)
{
    for (int i = 0; i < def->driven_count; i++) {
        const trm_coordinate_name name = def->driven[i];
        if (name.joint < 0 || name.joint >= model->shown_joint_count) {
            trm_add_error(messages, (trm_place){0}, "there is no joint number %d", name.joint);
            return false;
        }
        const trm_joint *joint = &model->joints[name.joint];
        if (!joint->attached) return report(messages, joint, "is not attached, so nothing can drive it");
        if (name.coordinate < 0 || name.coordinate >= joint->coordinates)
            return report(messages, joint, "has no coordinate of this number");
        if (is_named(def->driven, i, name))
            return report(messages, joint, "is listed twice among the driven coordinates");
    }
    return true;
}

static bool is_drive(const trm_joint *joint)
{
    return joint->type == &trm_joint_drive || joint->type == &trm_joint_motor;
}

/* Lists the coordinates that elements of the model drive. Returns their number. */
static int find_driven(const trm_model *model, trm_coordinate_name *list)
{
    int count = 0;
    for (int j = 0; j < model->shown_joint_count; j++) {
        const trm_coordinate_name name = {.joint = j};
        bool driven = false;
        for (int i = 0; i < model->shown_joint_count; i++)
            driven = driven || (is_drive(&model->joints[i]) && model->joints[i].attached &&
                                model->joints[i].host == &model->joints[j]);
        for (int i = 0; i < model->force_count; i++)
            driven =
                driven || (model->forces[i].type == &trm_force_servo && model->forces[i].host == &model->joints[j]);
        if (driven && model->joints[j].attached) list[count++] = name;
    }
    return count;
}

/* ---- Other elements ----------------------------------------------------------------------- */

/* Elements whose force follows from the motion. Limits are assumed not to be reached. */
static const unsigned CAN = TRM_CAN_SMOOTH | TRM_CAN_DISTANCE | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_BREAK |
                            TRM_CAN_IMPLICIT | TRM_CAN_EVENTS;

static trm_status check_model(const trm_state *state, const trm_allocator *allocator, trm_messages *messages)
{
    char why[300];
    const trm_method known = {.name = "inverse", .can = CAN};
    trm_analysis *analysis = trm_analyse(state, allocator);
    if (!analysis) return TRM_OUT_OF_MEMORY;
    bool good = trm_method_can_run(&known, state, analysis, why, sizeof why);
    trm_analysis_destroy(analysis);
    if (!good) trm_add_error(messages, (trm_place){0}, "%s: its forces do not follow from the motion", why);
    for (int i = 0; good && i < state->model->joint_count; i++)
        if (state->model->joints[i].rope)
            good = report(messages, &state->model->joints[i],
                          "is a rope, which only pulls: its force does not follow from the motion");
    return good ? TRM_OK : TRM_BAD_INPUT;
}

/* Attaches joints and chooses functions as they are after `events` events. */
static void apply_events(trm_state *shape, int events)
{
    const trm_model *model = shape->model;
    for (int j = 0; j < model->joint_count; j++) shape->attached[j] = model->joints[j].attached;
    for (int e = 0; e < model->schedule.timed; e++)
        for (int i = 0; i < model->schedule.events[e].choice_count; i++)
            shape->memory[model->schedule.events[e].choices[i].memory] = 0;
    for (int e = 0; e < events; e++) {
        const trm_event *event = &model->schedule.events[e];
        if (event->attach >= 0) shape->attached[event->attach] = true;
        if (event->detach >= 0) shape->attached[event->detach] = false;
        for (int i = 0; i < event->choice_count; i++)
            shape->memory[event->choices[i].memory] = event->choices[i].number;
    }
    for (int j = 0; j < model->joint_count; j++)
        if (trm_joint_lacks_host(shape, &model->joints[j])) shape->attached[j] = false;
}

/* Reports motors that are not sought: their forces are unknown. */
static bool motors_are_sought(const trm_inverse *v, trm_messages *messages)
{
    for (int j = 0; j < v->model->shown_joint_count; j++) {
        const trm_joint *joint = &v->model->joints[j];
        if (joint->type == &trm_joint_motor && !is_sought(v, joint->host))
            return report(messages, joint,
                          "is a motor whose force is unknown; list its joint among the driven coordinates");
    }
    return true;
}

/* Returns whether a joint is the rail or the gear of a rotor. */
static bool is_of_rotor(const trm_model *model, const trm_joint *joint)
{
    for (int b = 0; b < joint->body_count; b++)
        if (joint->body[b] >= model->shown_body_count) return true;
    return false;
}

/* Selects the joints that are rows, and the known forces. Limits and friction generated by the model are not rows;
 * rotors add their inertia to the coordinates of their joints. */
static void select_rows(trm_inverse *v)
{
    const trm_model *model = v->model;
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        const bool made = j >= model->shown_joint_count && !is_of_rotor(model, joint);
        v->left_out[j] = !made && is_drive(joint) && v->shape->attached[j] && is_sought(v, joint->host);
        if (made || v->left_out[j]) v->shape->attached[j] = false;
    }
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        v->acts[i] = trm_force_acts(v->shape, i) && !(force->type == &trm_force_servo && is_sought(v, force->host));
    }
}

/* ---- The tree ----------------------------------------------------------------------------- */

static bool make_tree(trm_inverse *v)
{
    char ignored[2]; /* without names of joints to cut only memory can fail */
    trm_arena *arena = &v->built;
    v->tree = trm_tree_create(v->shape, (trm_tree_options){0}, arena, ignored, sizeof ignored);
    if (!v->tree) return false;
    const int n = v->tree->coordinates;
    v->dynamics = trm_dynamics_create(v->tree, arena);
    v->loops = TRM_NEW_ARRAY(arena, trm_loop *, v->tree->branch_count);
    v->y = TRM_NEW_ARRAY(arena, double, n);
    v->yd = TRM_NEW_ARRAY(arena, double, n);
    v->ydd = TRM_NEW_ARRAY(arena, double, n);
    v->load = TRM_NEW_ARRAY(arena, double, n);
    v->goal = TRM_NEW_ARRAY(arena, double, n);
    v->wrench = TRM_NEW_ARRAY(arena, trm_spatial, v->model->body_count);
    for (int b = 0; v->loops && b < v->tree->branch_count; b++) {
        const trm_branch *branch = &v->tree->branches[b];
        if (branch->rows > 0 && !(v->loops[b] = trm_loop_create(v->tree, branch, NULL, arena))) return false;
    }
    return !arena->failed;
}

static void find_coordinates(const trm_inverse *v)
{
    for (int i = 0; i < v->count; i++) {
        v->at[i] = -1;
        for (int k = 0; k < v->tree->link_count; k++)
            if (v->tree->links[k].index == v->driven[i].joint && v->driven[i].coordinate < v->tree->links[k].count)
                v->at[i] = v->tree->links[k].first + v->driven[i].coordinate;
    }
}

/* ---- Independent coordinates -------------------------------------------------------------- */

/* Chooses independent coordinates of a branch at the start, counted from its first. Returns their number; -1 when
 * out of memory or if a coordinate moves no mass. */
static int choose(trm_inverse *v, int b, int *chosen, trm_arena *scratch)
{
    const trm_branch *branch = &v->tree->branches[b];
    trm_loop *l = v->loops[b];
    trm_tree_place(v->tree, branch, v->y);
    trm_tree_move(v->tree, branch, v->y, NULL);
    if (!l) {
        for (int i = 0; i < branch->count; i++) chosen[i] = i;
        return branch->count;
    }
    double *values = TRM_NEW_ARRAY(scratch, double, l->m);
    trm_loop_choice choice;
    if (!values) return -1;
    trm_loop_place(l, v->tree, v->y);
    trm_loop_rows(l, v->tree, v->shape->memory);
    trm_loop_free_values(l, v->tree, v->shape->memory, values);
    if (!trm_loop_factorise_mass(l, v->tree, v->dynamics) || !trm_loop_find_weights(l, scratch) ||
        !trm_choice_find(l, values, &choice, scratch))
        return -1;
    memcpy(chosen, choice.independent, (size_t)(l->n - choice.rank) * sizeof *chosen);
    return l->n - choice.rank;
}

/* Returns the name of a coordinate of the tree; joint -1 for a free body. */
static trm_coordinate_name name_of(const trm_tree *tree, int coordinate)
{
    int i = tree->link_count - 1;
    while (tree->links[i].first > coordinate || tree->links[i].count == 0) i--;
    return (trm_coordinate_name){tree->links[i].index, coordinate - tree->links[i].first};
}

static bool find_independent(trm_inverse *v, trm_coordinate_name *list)
{
    const trm_arena_mark mark = trm_arena_get_mark(&v->arena);
    int *chosen = TRM_NEW_ARRAY(&v->arena, int, v->tree->coordinates), found = 0;
    trm_tree_set_time(v->tree, 0);
    trm_tree_read(v->tree, v->shape, v->y, v->yd);
    for (int b = 0; chosen && found >= 0 && b < v->tree->branch_count; b++) {
        found = choose(v, b, chosen, &v->arena);
        for (int i = 0; i < found; i++) {
            const trm_coordinate_name name = name_of(v->tree, v->tree->branches[b].first + chosen[i]);
            if (name.joint >= 0) list[v->count++] = name;
        }
    }
    trm_arena_reset(&v->arena, mark);
    return chosen && found >= 0;
}

/* ---- Creating ----------------------------------------------------------------------------- */

static int all_coordinates(const trm_model *model)
{
    int count = 0;
    for (int j = 0; j < model->shown_joint_count; j++) count += model->joints[j].coordinates;
    return count;
}

bool trm_inverse_build(trm_inverse *v, int events)
{
    trm_arena_destroy(&v->built);
    v->events = -1;
    v->follows = false;
    apply_events(v->shape, events);
    select_rows(v);
    if (!make_tree(v)) return false;
    find_coordinates(v);
    v->events = events;
    return true;
}

static trm_status build(trm_inverse *v, trm_messages *messages)
{
    const int most = all_coordinates(v->model);
    trm_coordinate_name *list = TRM_NEW_ARRAY(&v->arena, trm_coordinate_name, most);
    v->shape = trm_state_create(v->model, &v->arena.allocator);
    v->acts = TRM_NEW_ARRAY(&v->arena, bool, v->model->force_count);
    v->left_out = TRM_NEW_ARRAY(&v->arena, bool, v->model->joint_count);
    v->at = TRM_NEW_ARRAY(&v->arena, int, most);
    if (!list || !v->shape || !v->acts || !v->left_out || !v->at) return TRM_OUT_OF_MEMORY;
    const trm_status status = check_model(v->shape, &v->arena.allocator, messages);
    if (status != TRM_OK) return status;
    v->driven = list;
    v->count = v->def.driven_count > 0 ? v->def.driven_count : find_driven(v->model, list);
    for (int i = 0; i < v->def.driven_count; i++) list[i] = v->def.driven[i];
    v->def.driven = list;
    if (!motors_are_sought(v, messages)) return TRM_BAD_INPUT;
    if (!trm_inverse_build(v, 0)) return TRM_OUT_OF_MEMORY;
    if (v->count == 0 && !find_independent(v, list)) return TRM_OUT_OF_MEMORY;
    find_coordinates(v);
    return TRM_OK;
}

trm_status trm_inverse_create_sized(const trm_model *model, trm_sized given, const trm_allocator *allocator,
                                    trm_messages *messages, trm_inverse **inverse)
{
    *inverse = NULL;
    trm_inverse_def def;
    trm_read_def(TRM_DEF_INVERSE, given, &def);
    if (!check_names(model, &def, messages)) return TRM_BAD_INPUT;
    trm_inverse *v = trm_owner_create(allocator, sizeof *v);
    if (!v) return TRM_OUT_OF_MEMORY;
    v->model = model;
    v->def = def;
    v->last = NAN;
    trm_arena_init(&v->built, &v->arena.allocator);
    const trm_status status = build(v, messages);
    if (status == TRM_OK)
        *inverse = v;
    else
        trm_inverse_destroy(v);
    return status;
}

void trm_inverse_destroy(trm_inverse *inverse)
{
    if (!inverse) return;
    trm_state_destroy(inverse->shape);
    trm_arena_destroy(&inverse->built);
    trm_owner_destroy(inverse, sizeof *inverse);
}

int trm_inverse_count(const trm_inverse *inverse)
{
    return inverse->count;
}

trm_coordinate_name trm_inverse_driven(const trm_inverse *inverse, int index)
{
    return inverse->driven[index];
}

bool trm_inverse_is_torque(const trm_inverse *inverse, int index)
{
    const trm_coordinate_name name = inverse->driven[index];
    return inverse->model->joints[name.joint].type->kind[name.coordinate] != TRM_COORDINATE_LENGTH;
}
