/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Compiles a branch: divides joints into elementary motions and assigns bodies to nodes (compiled.h).
 *
 * With X_p the pose of the parent's node to which the joint's frame there is fixed, and P the rotation that brings
 * z to the axis of an elementary motion, the frames follow each other as
 *
 *     X_p F_A | P1  motion1  P1^-1 | P2  motion2  P2^-1 | ... | F_B^-1  principal frame
 *
 * and everything between two motions is one constant pose. Where the joint's first body is the child, the motions
 * come in reverse order with the opposite sign. */

#include "methods/minimal/compiled.h"

#include <math.h>

#include "methods/minimal/compiled_nodes.h"

/* ---- Joints as elementary motions --------------------------------------------------------- */

typedef struct element {
    node_kind kind;
    int axis; /* 0, 1, 2: x, y, z */
} element;

enum { MOST_ELEMENTS = 3 };

typedef struct recipe {
    const trm_joint_type *type;
    int count;
    element elements[MOST_ELEMENTS]; /* in the order of the coordinates */
} recipe;

static const recipe RECIPES[] = {
    {&trm_joint_hinge, 1, {{NODE_TURN, 2}}},
    {&trm_joint_slider, 1, {{NODE_SHIFT, 2}}},
    {&trm_joint_screw, 1, {{NODE_SCREW, 2}}},
    {&trm_joint_universal, 2, {{NODE_TURN, 2}, {NODE_TURN, 0}}},
    {&trm_joint_gimbal, 3, {{NODE_TURN, 2}, {NODE_TURN, 1}, {NODE_TURN, 0}}},
    {&trm_joint_cylinder, 2, {{NODE_TURN, 2}, {NODE_SHIFT, 2}}},
    {&trm_joint_planar, 3, {{NODE_SHIFT, 0}, {NODE_SHIFT, 1}, {NODE_TURN, 2}}},
    {&trm_joint_ball, 1, {{NODE_SPIN, 2}}},
    {&trm_joint_rail, 2, {{NODE_SHIFT, 2}, {NODE_SPIN, 2}}},
    {&trm_joint_slot, 3, {{NODE_SHIFT, 0}, {NODE_SHIFT, 1}, {NODE_SPIN, 2}}},
    {&trm_joint_free, 1, {{NODE_FREE, 2}}},
    {&trm_joint_fixed, 0, {{NODE_TURN, 2}}},
};

static const recipe *recipe_of(const trm_joint_type *type)
{
    for (size_t i = 0; i < sizeof RECIPES / sizeof *RECIPES; i++)
        if (RECIPES[i].type == type) return &RECIPES[i];
    return NULL;
}

static int coordinates_of(node_kind kind)
{
    return kind == NODE_FREE ? 6 : kind == NODE_SPIN ? 3 : 1;
}

/* Returns whether a drive or prescribed motion acts. Its work is not part of the work of forces. */
static bool has_drive(const trm_tree *tree, const trm_branch *branch)
{
    for (int i = branch->first_cut; i < branch->first_cut + branch->cut_count; i++) {
        const trm_joint *joint = &tree->model->joints[tree->cuts[i]];
        if (trm_joint_is_rheonomic(joint)) return true;
        for (int b = 0; b < joint->body_count; b++)
            if (tree->model->bodies[joint->body[b]].motion) return true;
    }
    return false;
}

/* Returns whether a rotor acts on a coordinate of a rotation exp q. Only nodes with one coordinate can have
 * armature. */
static bool has_rotor_on_rotation(const trm_link *link)
{
    for (int k = 0; k < link->count; k++)
        if (link->rotor[k] && (link->index < 0 || link->joint->type->kind[k] == TRM_COORDINATE_ROTATION)) return true;
    return false;
}

static bool can_be_compiled(const trm_tree *tree, const trm_branch *branch)
{
    if (has_drive(tree, branch)) return false;
    for (int i = branch->first_link; i < branch->first_link + branch->link_count; i++) {
        const trm_link *link = &tree->links[i];
        if (!(recipe_of(link->joint->type) || link->joint->links) || link->sense != 0 ||
            tree->model->bodies[link->parent].motion || tree->model->bodies[link->body].kind != TRM_BODY_RIGID ||
            has_rotor_on_rotation(link))
            return false;
        if (link->joint->type == &trm_joint_free && link->parent != 0) return false;
    }
    return true;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

/* Returns the rotation that brings z to an axis. */
static trm_quat towards(int axis)
{
    const double half = sqrt(0.5);
    if (axis == 0) return (trm_quat){half, 0, half, 0};
    if (axis == 1) return (trm_quat){half, -half, 0, 0};
    return trm_quat_identity();
}

static trm_pose turned(trm_pose X, trm_quat q)
{
    return trm_pose_mul(X, (trm_pose){q, {0, 0, 0}});
}

/* Adds a node; X is its frame at q = 0 in that of its parent. */
static int add_node(trm_compiled *c, element e, int parent, trm_pose X, const trm_link *link, int coordinate)
{
    const trm_mat3 R = trm_quat_matrix(X.q);
    c->fixture[c->node_count] = (node_fixture){
        .kind = e.kind,
        .parent = parent,
        .first = link->first + coordinate,
        .sign = link->backward ? -1 : 1,
        .spin = e.kind == NODE_SPIN || e.kind == NODE_FREE ? c->spin_count++ : -1,
        .pitch = link->joint->pitch,
        .armature = link->armature[coordinate],
        .axes = {trm_column(R, 0), trm_column(R, 1), trm_column(R, 2)},
        .turn = X.q,
        .origin = X.p,
    };
    return c->node_count++;
}

/* Adds the nodes of a chain, each on its own line: E(q) = P (rotation about z, or translation along it) P^-1. */
static int add_chain(trm_compiled *c, const trm_link *link, int parent, trm_pose *X)
{
    int node = parent;
    for (int i = 0; i < link->count; i++) {
        const int k = link->backward ? link->count - 1 - i : i;
        const trm_chain_link *line = &link->joint->links[k];
        const trm_pose P = {trm_frame_from_z(line->axis), line->point};
        const element e = {line->slides ? NODE_SHIFT : NODE_TURN, 2};
        node = add_node(c, e, node, trm_pose_mul(*X, P), link, k);
        *X = trm_pose_inverse(P);
    }
    return node;
}

/* Adds the nodes of a joint. *X leads from the parent's node to the joint, afterwards from its last node to the
 * child's end. Returns the last node. */
static int add_joint(trm_compiled *c, const trm_link *link, int parent, trm_pose *X)
{
    const recipe *r = recipe_of(link->joint->type);
    int node = parent, ends[MOST_ELEMENTS] = {0};
    if (link->joint->links) return add_chain(c, link, parent, X);
    for (int k = 0, at = 0; k < r->count; at += coordinates_of(r->elements[k++].kind)) ends[k] = at;
    for (int i = 0; i < r->count; i++) {
        const int k = link->backward ? r->count - 1 - i : i;
        const trm_quat P = towards(r->elements[k].axis);
        node = add_node(c, r->elements[k], node, turned(*X, P), link, ends[k]);
        *X = (trm_pose){trm_quat_conj(P), {0, 0, 0}};
    }
    return node;
}

/* Adds mass, moment and inertia of a body about its node's origin: R J R^T + m (c^2 - c c^T). */
static void add_inertia(node_fixture *f, const trm_body *body, trm_pose principal)
{
    const trm_mat3 R = trm_quat_matrix(principal.q);
    const trm_vec3 o = principal.p, J = body->inertia;
    double I[3][3];
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            I[r][k] = R.m[r][0] * J.x * R.m[k][0] + R.m[r][1] * J.y * R.m[k][1] + R.m[r][2] * J.z * R.m[k][2];
    const double m = body->mass;
    f->mass += m;
    f->moment = trm_v3_add_scaled(f->moment, m, o);
    f->inertia.xx += I[0][0] + m * (o.y * o.y + o.z * o.z);
    f->inertia.yy += I[1][1] + m * (o.x * o.x + o.z * o.z);
    f->inertia.zz += I[2][2] + m * (o.x * o.x + o.y * o.y);
    f->inertia.xy += I[0][1] - m * o.x * o.y;
    f->inertia.xz += I[0][2] - m * o.x * o.z;
    f->inertia.yz += I[1][2] - m * o.y * o.z;
}

static void add_link(trm_compiled *c, const trm_tree *tree, const trm_branch *branch, const trm_link *link)
{
    const int child = link->backward ? 0 : 1, above = tree->link_of[link->parent];
    int node = -1;
    trm_pose X = tree->pose[link->parent]; /* a body without a link is at rest */
    if (above >= 0) {
        const node_body *parent = &c->bodies[above - branch->first_link];
        node = parent->node, X = parent->principal;
    }
    X = trm_pose_mul(X, link->joint->frame[1 - child]);
    node = add_joint(c, link, node, &X);
    const trm_pose principal = trm_pose_mul(X, trm_pose_inverse(link->joint->frame[child]));
    c->bodies[c->body_count++] = (node_body){link->body, node, principal};
    for (int k = 0; k < link->count; k++)
        if (link->rotor[k]) c->rotors[c->rotor_count++] = (node_rotor){link->rotor[k], link->first + k};
    if (node >= 0) add_inertia(&c->fixture[node], &tree->model->bodies[link->body], principal);
}

trm_compiled *trm_compiled_create(const trm_tree *tree, const trm_branch *branch, trm_arena *arena)
{
    if (!can_be_compiled(tree, branch)) return NULL;
    const int most = branch->count > 0 ? branch->count : 1;
    trm_compiled *c = TRM_NEW(arena, trm_compiled);
    if (!c) return NULL;
    c->fixture = TRM_NEW_ARRAY(arena, node_fixture, most);
    c->motion = TRM_NEW_ARRAY(arena, node_motion, most);
    c->articulation = TRM_NEW_ARRAY(arena, node_articulation, most);
    c->maps = TRM_NEW_ARRAY(arena, trm_exp_maps, most);
    c->first = branch->first;
    c->coordinates = branch->count;
    c->response = TRM_NEW_ARRAY(arena, node_response, most);
    c->composite = TRM_NEW_ARRAY(arena, node_composite, most);
    c->direction = TRM_NEW_ARRAY(arena, trm_spatial, branch->count);
    c->mobility = TRM_NEW_ARRAY(arena, node_inertia, most);
    c->world = TRM_NEW_ARRAY(arena, trm_pose, most);
    c->bodies = TRM_NEW_ARRAY(arena, node_body, branch->link_count);
    c->rotors = TRM_NEW_ARRAY(arena, node_rotor, most);
    if (arena->failed) return NULL;
    for (int i = 0; i < branch->link_count; i++) add_link(c, tree, branch, &tree->links[branch->first_link + i]);
    return c;
}
