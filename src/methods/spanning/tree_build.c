/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Builds the tree: chooses the joints that carry bodies and those that are cut.
 *
 * A joint can carry a body if it has coordinates and is not named as one to be cut. A breadth-first search over
 * these joints (model/topology.h) gives every body the shortest path to a body that is not free. All other attached
 * joints are cut: they close loops, drive a coordinate, or couple coordinates. A rotor that a gear drives by a
 * coordinate of the tree belongs to that coordinate (model/build_parts.c): it has no link, and its gear is not
 * cut. */

#include <stdio.h>

#include "methods/spanning/tree.h"
#include "model/topology.h"

static bool is_held(const trm_model *model, int body)
{
    return model->bodies[body].inverse_mass == 0;
}

/* Returns whether a joint can carry a body. A point mass on a line or plane cannot carry the body of that line or
 * plane, because it has no rotation. */
static bool can_carry(const trm_model *model, const trm_joint *joint)
{
    if (!joint->type->place || joint->host || joint->body_count != 2) return false;
    return !(joint->b_is_point && joint->type->points_on_a) || is_held(model, joint->body[0]);
}

/* ---- Joints to be cut, by name ------------------------------------------------------------ */

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || c == '+';
}

/* Marks the named joints as cut. Returns false if a word is not the name of a joint; `why` names it. */
static bool mark_named(const trm_state *state, const char *names, bool *carries, char *why, size_t size)
{
    while (names && *names) {
        char name[80];
        size_t length = 0;
        while (names[length] && !is_separator(names[length])) length++;
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        names += length + (names[length] ? 1 : 0);
        if (length == 0) continue;
        const int joint = trm_find_joint(state->model, name);
        if (joint < 0 || !state->attached[joint]) {
            snprintf(why, size, "option 'minimal.cut' names '%s', which is not an attached joint", name);
            return false;
        }
        carries[joint] = false;
    }
    return true;
}

/* ---- Links -------------------------------------------------------------------------------- */

/* Returns the number of coordinates; a point mass has no rotations of its own. */
static int coordinates_of(const trm_model *model, const trm_joint *joint, int child)
{
    int count = 0;
    if (model->bodies[child].kind != TRM_BODY_POINT) return joint->coordinates;
    while (count < joint->coordinates && joint->type->kind[count] == TRM_COORDINATE_LENGTH) count++;
    return count;
}

static trm_joint *make_free(trm_arena *arena, const trm_model *model, int body)
{
    trm_joint *joint = TRM_NEW(arena, trm_joint);
    if (!joint) return NULL;
    *joint = (trm_joint){.name = model->bodies[body].name,
                         .type = &trm_joint_free,
                         .body_count = 2,
                         .body = {0, body},
                         .frame = {trm_pose_inverse(model->bodies[0].start), trm_pose_identity()},
                         .coordinates = model->bodies[body].kind == TRM_BODY_POINT ? 3 : 6};
    return joint;
}

static bool make_link(trm_tree *tree, int body, int parent_joint, trm_arena *arena, trm_link *link)
{
    const trm_model *model = tree->model;
    const trm_joint *joint = parent_joint >= 0 ? &model->joints[parent_joint] : make_free(arena, model, body);
    if (!joint) return false;
    const bool backward = joint->body[0] == body;
    *link = (trm_link){.body = body,
                       .parent = joint->body[backward ? 1 : 0],
                       .joint = joint,
                       .index = parent_joint,
                       .backward = backward,
                       .first = tree->coordinates,
                       .above = -1,
                       .count = parent_joint >= 0 ? coordinates_of(model, joint, body) : joint->coordinates};
    tree->coordinates += link->count;
    tree->link_of[body] = tree->link_count++;
    return true;
}

/* ---- Rotors ------------------------------------------------------------------------------- */

/* Per body and per joint: whether it is a rotor, or the gear of a rotor, that belongs to a coordinate of the tree. */
typedef struct rotors {
    bool *body, *gear;
} rotors;

static bool find_rotors(const trm_tree *tree, const trm_topology *carried, const bool *attached, trm_arena *scratch,
                        rotors *r)
{
    const trm_model *model = tree->model;
    *r = (rotors){TRM_NEW_ARRAY(scratch, bool, model->body_count), TRM_NEW_ARRAY(scratch, bool, model->joint_count)};
    for (int j = 0; !scratch->failed && attached && j < model->joint_count; j++) {
        const trm_joint *gear = &model->joints[j];
        if (!attached[j] || !trm_joint_drives_rotor(model, gear) || !carried->tree_joint[gear->host - model->joints])
            continue;
        r->gear[j] = r->body[gear->body[3]] = true;
    }
    return !scratch->failed;
}

static void set_rotors(trm_tree *tree, const rotors *r)
{
    for (int j = 0; j < tree->model->joint_count; j++) {
        const trm_joint *gear = &tree->model->joints[j];
        for (int b = 0; r->gear[j] && b < 2; b++) {
            const int i = tree->link_of[gear->host->body[b]];
            if (i < 0 || tree->links[i].joint != gear->host) continue;
            trm_link *link = &tree->links[i];
            link->rotor[gear->coordinate] = gear->body[3];
            link->rotor_gear[gear->coordinate] = j;
            link->armature[gear->coordinate] = tree->model->bodies[gear->body[3]].mass;
        }
    }
}

/* ---- Branches ----------------------------------------------------------------------------- */

/* Collects links and cut joints of one branch, in their order. */
static bool make_branch(trm_tree *tree, int branch, const trm_topology *carried, const trm_topology *whole,
                        const rotors *embedded, trm_arena *arena)
{
    const trm_model *model = tree->model;
    trm_branch *b = &tree->branches[branch];
    *b = (trm_branch){.first_link = tree->link_count, .first = tree->coordinates, .first_cut = tree->cut_count};
    for (int i = 0; i < carried->order_count; i++) {
        const int body = carried->order[i];
        if (whole->island_of_body[body] != branch || embedded->body[body]) continue;
        if (!make_link(tree, body, carried->parent_joint[body], arena, &tree->links[tree->link_count])) return false;
    }
    for (int j = 0; j < model->joint_count; j++) {
        if (whole->island_of_joint[j] != branch || carried->tree_joint[j] || embedded->gear[j]) continue;
        tree->cuts[tree->cut_count++] = j;
        b->rows += model->joints[j].rows;
    }
    b->link_count = tree->link_count - b->first_link;
    b->count = tree->coordinates - b->first;
    b->cut_count = tree->cut_count - b->first_cut;
    return true;
}

static bool make_arrays(trm_tree *tree, int branches, trm_arena *arena)
{
    const int bodies = tree->model->body_count;
    tree->links = TRM_NEW_ARRAY(arena, trm_link, bodies);
    tree->branches = TRM_NEW_ARRAY(arena, trm_branch, branches);
    tree->link_of = TRM_NEW_ARRAY(arena, int, bodies);
    tree->cuts = TRM_NEW_ARRAY(arena, int, tree->model->joint_count);
    tree->pose = TRM_NEW_ARRAY(arena, trm_pose, bodies);
    tree->velocity = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    tree->acceleration = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    for (int i = 0; tree->link_of && i < bodies; i++) tree->link_of[i] = -1;
    return !arena->failed;
}

static bool build(trm_tree *tree, const trm_state *state, const bool *carries, bool rotors_apart, trm_arena *arena,
                  trm_arena *scratch)
{
    trm_topology carried, whole;
    rotors embedded;
    if (!trm_topology_find(tree->model, carries, scratch, &carried) ||
        !trm_topology_find(tree->model, state->attached, scratch, &whole))
        return false;
    if (!find_rotors(tree, &carried, rotors_apart ? NULL : state->attached, scratch, &embedded)) return false;
    if (!make_arrays(tree, whole.island_count, arena)) return false;
    for (; tree->branch_count < whole.island_count; tree->branch_count++)
        if (!make_branch(tree, tree->branch_count, &carried, &whole, &embedded, arena)) return false;
    set_rotors(tree, &embedded);
    for (int i = 0; i < tree->model->body_count; i++)
        tree->pose[i] = state->pose[i], tree->velocity[i] = state->velocity[i];
    return true;
}

trm_tree *trm_tree_create(const trm_state *state, trm_tree_options options, trm_arena *arena, char *why, size_t size)
{
    trm_arena scratch;
    trm_tree *tree = TRM_NEW(arena, trm_tree);
    if (size > 0) why[0] = 0;
    if (!tree) return NULL;
    tree->model = state->model;
    trm_arena_init(&scratch, &arena->allocator);
    bool *carries = TRM_NEW_ARRAY(&scratch, bool, state->model->joint_count);
    for (int j = 0; carries && j < state->model->joint_count; j++)
        carries[j] = state->attached[j] && can_carry(state->model, &state->model->joints[j]);
    const bool built = carries && mark_named(state, options.cut, carries, why, size) &&
                       build(tree, state, carries, options.rotors_apart, arena, &scratch);
    trm_arena_destroy(&scratch);
    return built ? tree : NULL;
}

/* ---- Absolute angles ---------------------------------------------------------------------- */

static trm_vec3 axis_of(const trm_state *state, const trm_link *link)
{
    const trm_pose A = trm_pose_mul(state->pose[link->joint->body[0]], link->joint->frame[0]);
    return trm_rotate(A.q, trm_axis(2));
}

/* Returns the next absolute angle towards the root. */
static int find_above(const trm_tree *tree, const trm_link *link)
{
    for (int i = tree->link_of[link->parent]; i >= 0; i = tree->link_of[tree->links[i].parent])
        if (tree->links[i].sense != 0) return tree->links[i].first;
    return -1;
}

bool trm_tree_take_absolute_angles(trm_tree *tree, const trm_state *state, char *why, size_t size)
{
    /* Axes count as parallel if the cosine of their angle differs from 1 by less than this. A larger value would
     * treat spatial machines as planar, a smaller one would refuse axes that were read with ten digits. */
    static const double PARALLEL = 1e-9;
    trm_vec3 normal = {0, 0, 0};
    for (int i = 0; i < tree->link_count; i++) {
        trm_link *link = &tree->links[i];
        const bool hinge = link->joint->type == &trm_joint_hinge;
        bool planar = true;
        for (int k = 0; k < link->count && !hinge; k++)
            planar = planar && link->joint->type->kind[k] == TRM_COORDINATE_LENGTH;
        const trm_vec3 axis = axis_of(state, link);
        if (hinge && trm_v3_dot(normal, normal) == 0) normal = axis;
        const double along = trm_v3_dot(axis, normal);
        if (!planar || (hinge && fabs(along) < 1 - PARALLEL)) {
            snprintf(why, size, "joint '%s' does not turn in one plane with the others: there are no absolute angles",
                     link->joint->name);
            return false;
        }
        if (!hinge) continue;
        link->above = find_above(tree, link);
        link->sense = (along > 0) != link->backward ? 1 : -1;
    }
    return true;
}
