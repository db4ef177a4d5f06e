/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Newton's method in joint coordinates: solves  B x = c  for the exact matrix of a tree of joints in linear time.
 *
 *     B = J(q_{t+h}) D W(q_t),     W = M^-1 J^T,     h D = derivative of the free motion by V      (direct_exact.c)
 *
 * Unknowns are the motions u along the joints at the end of the step. With w = D dV the twist by which a body's pose
 * changes, divided by h, N = M D^-1 its inertia for w, F the wrench of the joint between a body and its parent p, X
 * the shift of twists from the parent's centre of mass to that of the body, and a prime for q_{t+h}:
 *
 *     w = X' w_p + L' c + S' u           the joint opens by c; S' spans its free motion, J' L' = 1
 *     N w = F - sum over children k of X_k^T F_k,     S^T F = 0     its impulses act at q_t and do no work on S
 *     x = L^T F
 *
 * Elimination from the leaves to the roots with F = N^A w + p (articulated-body recursion, Featherstone 2008, section
 * 7.3, here unsymmetric because S', X' differ from S, X), d = S^T N^A S':
 *
 *     N^A_p += X^T (N^A - N^A S' d^-1 S^T N^A) X',     p_p += X^T (1 - N^A S' d^-1 S^T) (N^A L' c + p)
 *
 * The rows of a joint are orthonormal at the origin x of its frame B if it is closed, so L = J^T there.
 *
 * D of a rotation: omega' = I^-1 ((I omega) x omega) gives to first order in h, with the angular momentum I omega,
 *
 *     M D^-1 = I - h/2 (I [omega]x - [omega]x I + [I omega]x)
 *
 * The matrix belongs to the first look-ahead of a step and is used in all rounds. It differs from the derivative at the
 * solution by O(h^2), so that each round gains a factor of order 1/h^2; the frozen matrix A gains one of order 1/h.
 * Computing it again in every round was tried and taken back: in steps that are too long for the motion, Newton's
 * method then found solutions far from the start. */

#include <string.h>

#include "linalg/dense.h"
#include "math/rotation.h"
#include "methods/maximal/direct.h"
#include "model/joints/parts.h"

typedef struct vector6 {
    double v[6]; /* angular part first */
} vector6;

typedef struct matrix6 {
    vector6 column[6];
} matrix6;

/* A body and the joint that connects it with its parent. */
typedef struct node {
    const trm_maximal_joint *joint; /* NULL: no joint, the body is free */
    int body, parent;               /* parent: index of its node; -1: the ground */
    int parent_body;
    int side; /* of the body in its joint */
    int block, rows, freedoms;
    bool constant;
    trm_spatial local[TRM_JOINT_COORDINATES]; /* S in axes of frame A at the origin of frame B, if it is constant */
    trm_vec3 r, r_end;                        /* m: from the parent's centre of mass, at t and t + h */
    vector6 S[TRM_JOINT_COORDINATES], S_end[TRM_JOINT_COORDINATES]; /* at the centre of mass */
    vector6 L[TRM_JOINT_ROWS], L_end[TRM_JOINT_ROWS];
    matrix6 N;                                                     /* N^A; of a free body its inverse */
    vector6 G[TRM_JOINT_COORDINATES], T[TRM_JOINT_COORDINATES];    /* N^A S' d^-1, S^T N^A */
    double inverse[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES]; /* d^-1 */
    vector6 e, p, w;
} node;

struct trm_direct_tree {
    node *nodes; /* parents before children */
    int node_count;
    bool *in_tree;        /* per joint of the island */
    bool known;           /* the matrix belongs to this look-ahead */
    uint64_t start_known; /* number of the rows to which S, L, r belong */
};

/* ---- Vectors ------------------------------------------------------------------------------ */

static inline vector6 to_six(trm_spatial a)
{
    return (vector6){{a.ang.x, a.ang.y, a.ang.z, a.lin.x, a.lin.y, a.lin.z}};
}

static inline trm_vec3 ang(const vector6 *a)
{
    return trm_v3(a->v[0], a->v[1], a->v[2]);
}

static inline trm_vec3 lin(const vector6 *a)
{
    return trm_v3(a->v[3], a->v[4], a->v[5]);
}

static inline double dot(const vector6 *a, const vector6 *b)
{
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += a->v[i] * b->v[i];
    return sum;
}

static inline void add_scaled(vector6 *a, double s, const vector6 *b)
{
    for (int i = 0; i < 6; i++) a->v[i] += s * b->v[i];
}

/* Returns N a. */
static inline vector6 times(const matrix6 *N, const vector6 *a)
{
    vector6 b = {{0}};
    for (int c = 0; c < 6; c++) add_scaled(&b, a->v[c], &N->column[c]);
    return b;
}

/* Returns N^T a. */
static inline vector6 transposed_times(const matrix6 *N, const vector6 *a)
{
    vector6 b;
    for (int c = 0; c < 6; c++) b.v[c] = dot(&N->column[c], a);
    return b;
}

static inline void add_ang(vector6 *a, trm_vec3 b)
{
    a->v[0] += b.x, a->v[1] += b.y, a->v[2] += b.z;
}

/* ---- The joints at a pose ----------------------------------------------------------------- */

/* Computes S and L of a joint at the centre of mass of its body. */
static void find_spans(const trm_maximal *w, const node *n, const trm_pose *poses, double t, const trm_spatial *J,
                       vector6 *S, vector6 *L)
{
    const trm_joint *joint = n->joint->joint;
    const trm_quat A = trm_quat_mul(poses[joint->body[0]].q, joint->frame[0].q);
    const trm_vec3 x = trm_pose_point(poses[joint->body[1]], joint->frame[1].p);
    const trm_vec3 d = trm_v3_sub(poses[n->body].p, x);
    const trm_spatial *span = n->local;
    trm_spatial varying[TRM_JOINT_COORDINATES];
    if (!n->constant) {
        double q[TRM_JOINT_COORDINATES] = {0};
        const trm_joint_at at =
            trm_joint_at_poses(joint, poses, NULL, t, w->stepper->state->memory + joint->memory_offset);
        joint->type->coordinates_from(joint, trm_joint_relative_pose(&at), q);
        joint->type->subspace(joint, q, varying);
        span = varying;
    }
    for (int k = 0; k < n->freedoms; k++) {
        const trm_vec3 a = trm_rotate(A, span[k].ang), l = trm_rotate(A, span[k].lin);
        S[k] = to_six(trm_sp(a, trm_v3_add(l, trm_v3_cross(a, d))));
    }
    for (int r = 0; r < n->rows; r++) {
        const trm_spatial row = J[2 * r + n->side];
        const trm_vec3 a = trm_v3_add(row.ang, trm_v3_cross(d, row.lin));
        L[r] = to_six(trm_sp(a, trm_v3_add(row.lin, trm_v3_cross(a, d))));
    }
}

/* ---- Creating ------------------------------------------------------------------------------ */

static bool is_free(const trm_maximal *w, int body)
{
    const trm_body *b = &w->stepper->model->bodies[body];
    return b->inverse_mass > 0 && !b->motion;
}

/* Returns whether the rows of the closed joint are orthonormal at the origin of frame B: unit vectors along or about
 * perpendicular axes. */
static bool rows_are_orthonormal(const trm_joint_type *type)
{
    static const trm_part *const parts[] = {&trm_part_point,    &trm_part_line,   &trm_part_plane,
                                            &trm_part_parallel, &trm_part_square, &trm_part_lock};
    for (int p = 0; p < TRM_JOINT_PARTS && type->parts[p]; p++) {
        bool known = false;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) known |= type->parts[p] == parts[i];
        if (!known) return false;
    }
    return true;
}

/* Returns whether a joint can be part of the tree: attached at the start of the model, between two rigid bodies, with
 * rows and coordinates for all six freedoms. */
static bool fits(const trm_maximal *w, const trm_maximal_joint *j)
{
    const trm_joint *joint = j->joint;
    if (!joint->attached || !rows_are_orthonormal(joint->type)) return false;
    if (joint->body_count != 2 || !joint->type->place || joint->rows + joint->coordinates != 6) return false;
    if (joint->one_sided || joint->aligns || j->driven || joint->b_is_point || isfinite(joint->most)) return false;
    for (int b = 0; b < 2; b++) {
        const trm_body *body = &w->stepper->model->bodies[joint->body[b]];
        if (is_free(w, joint->body[b]) && body->kind != TRM_BODY_RIGID) return false;
    }
    return true;
}

static node connect(const trm_maximal_joint *j, int block, int side, int parent)
{
    static const double zeros[TRM_JOINT_COORDINATES];
    const trm_joint *joint = j->joint;
    node n = {.joint = j,
              .body = joint->body[side],
              .parent = parent,
              .parent_body = joint->body[1 - side],
              .side = side,
              .block = block,
              .rows = joint->rows,
              .freedoms = joint->coordinates};
    const bool spins = joint->type->parts[0] == &trm_part_point && !joint->type->parts[1]; /* any axes span these */
    n.constant = spins || joint->type->subspace_rate == trm_constant_subspace_rate;
    joint->type->subspace(joint, zeros, n.local);
    return n;
}

/* The graph of an island while its tree is made. Bodies are numbered as in island->bodies. */
typedef struct graph {
    int *number;  /* per body of the model: its number; valid for bodies of the island only */
    int *first;   /* per body: its joints are joints[first[number]] .. joints[first[number + 1] - 1] */
    int *joints;  /* joints of the island */
    int *node_of; /* per body: its node; -1: none yet */
} graph;

static bool make_graph(const trm_maximal *w, const trm_direct_island *island, int *number, trm_arena *scratch,
                       graph *g)
{
    const int n = island->body_count;
    int *next = TRM_NEW_ARRAY(scratch, int, n + 1);
    *g = (graph){number, TRM_NEW_ARRAY(scratch, int, n + 1), TRM_NEW_ARRAY(scratch, int, 2 * island->joint_count),
                 TRM_NEW_ARRAY(scratch, int, n)};
    if (scratch->failed) return false;
    for (int i = 0; i < n; i++) number[island->bodies[i]] = i, g->node_of[i] = -1;
    for (int pass = 0; pass < 2; pass++) { /* count, then list */
        for (int j = 0; j < island->joint_count; j++)
            for (int b = 0; fits(w, &island->joints[j]) && b < 2; b++) {
                const int body = island->joints[j].joint->body[b];
                if (!is_free(w, body)) continue;
                if (pass == 0)
                    g->first[number[body] + 1]++;
                else
                    g->joints[next[number[body]]++] = j;
            }
        for (int i = 0; pass == 0 && i < n; i++) next[i + 1] = g->first[i + 1] += g->first[i];
    }
    return true;
}

/* Adds the body on one side of a joint if it is free and no node has it yet. */
static void add_node(const trm_maximal *w, const trm_direct_island *island, graph *g, trm_direct_tree *tree,
                     int joint, int side, int parent)
{
    const int body = island->joints[joint].joint->body[side];
    if (!is_free(w, body) || g->node_of[g->number[body]] >= 0) return;
    g->node_of[g->number[body]] = tree->node_count;
    tree->in_tree[joint] = true;
    tree->nodes[tree->node_count++] = connect(&island->joints[joint], joint, side, parent);
}

/* Adds the bodies that joints connect with the ground, or the first body if there are none, and then all that joints
 * connect with them. */
static void grow(const trm_maximal *w, const trm_direct_island *island, graph *g, trm_direct_tree *tree)
{
    for (int j = 0; j < island->joint_count; j++) {
        const int *body = island->joints[j].joint->body;
        for (int side = 0; fits(w, &island->joints[j]) && side < 2; side++)
            if (!is_free(w, body[1 - side])) add_node(w, island, g, tree, j, side, -1);
    }
    if (tree->node_count == 0) {
        tree->nodes[tree->node_count++] = (node){.body = island->bodies[0], .parent = -1};
        g->node_of[0] = 0;
    }
    for (int i = 0; i < tree->node_count; i++) {
        const int here = g->number[tree->nodes[i].body];
        for (int k = g->first[here]; k < g->first[here + 1]; k++) {
            const int joint = g->joints[k];
            add_node(w, island, g, tree, joint, island->joints[joint].joint->body[0] == tree->nodes[i].body, i);
        }
    }
}

/* Multiplications per joint with m rows and f freedoms: in the factorisation of A and three rounds with it, and in the
 * recursion with two rounds. */
static double operations_with_A(int m)
{
    return 36.0 * m * m + 7.0 / 3 * m * m * m;
}

static double operations_of_recursion(int m, int f)
{
    return 500 + 48.0 * m + 175.0 * f;
}

/* Returns whether the recursion takes fewer operations than A. */
static bool is_cheaper(const trm_direct_tree *tree)
{
    double in_joints = 0, in_bodies = 0;
    for (int i = 0; i < tree->node_count; i++) {
        const node *n = &tree->nodes[i];
        if (!n->joint) continue;
        in_bodies += operations_with_A(n->rows);
        in_joints += operations_of_recursion(n->rows, n->freedoms);
    }
    return in_joints < in_bodies;
}

bool trm_direct_make_tree(trm_maximal *w, int *local, trm_arena *scratch, trm_direct_island *island)
{
    trm_arena *arena = w->stepper->arena;
    graph g;
    if (island->shared || island->body_count == 0) return true;
    if (!make_graph(w, island, local, scratch, &g)) return false;
    trm_direct_tree *tree = TRM_NEW(arena, trm_direct_tree);
    if (!tree) return false;
    tree->nodes = TRM_NEW_ARRAY(arena, node, island->body_count);
    tree->in_tree = TRM_NEW_ARRAY(arena, bool, island->joint_count);
    if (!tree->nodes || !tree->in_tree) return false;
    grow(w, island, &g, tree);
    if (tree->node_count < island->body_count) return true;
    if (!w->solver->if_cheaper || is_cheaper(tree)) island->tree = tree;
    return true;
}

bool trm_direct_tree_applies(const trm_maximal *w, const trm_direct_island *island)
{
    if (w->softness) return false;
    for (int j = 0; j < island->joint_count; j++) {
        const bool acts = island->joints[j].on && !trm_maximal_leaves_out(w, &island->joints[j]);
        if (acts != island->tree->in_tree[j]) return false;
    }
    return true;
}

/* ---- The matrix ---------------------------------------------------------------------------- */

/* Returns R J R^T v with the columns of R. */
static inline trm_vec3 turned(trm_vec3 x, trm_vec3 y, trm_vec3 z, trm_vec3 J, trm_vec3 v)
{
    const trm_vec3 a = trm_v3_scale(J.x * trm_v3_dot(x, v), x);
    return trm_v3_add_scaled(trm_v3_add_scaled(a, J.y * trm_v3_dot(y, v), y), J.z * trm_v3_dot(z, v), z);
}

/* Returns the inertia of a body in world axes. */
static trm_mat3 inertia_of(const trm_maximal *w, int body)
{
    const trm_mat3 R = trm_quat_matrix(w->stepper->state->pose[body].q);
    const trm_vec3 x = trm_column(R, 0), y = trm_column(R, 1), z = trm_column(R, 2);
    const trm_vec3 J = w->stepper->model->bodies[body].inertia;
    return trm_columns(turned(x, y, z, J, trm_axis(0)), turned(x, y, z, J, trm_axis(1)),
                       turned(x, y, z, J, trm_axis(2)));
}

/* Returns M D^-1 of a rotation to first order in h. The rows of I [omega]x are I_c x omega, and its negative transpose
 * is [omega]x I. */
static trm_mat3 first_order(const trm_maximal *w, int body, trm_mat3 I)
{
    const trm_vec3 turn = trm_v3_scale(0.5 * w->look.h, w->stepper->state->velocity[body].ang);
    const trm_mat3 S = trm_skew(trm_mat_vec(I, turn));
    const trm_mat3 P = trm_columns(trm_v3_cross(trm_column(I, 0), turn), trm_v3_cross(trm_column(I, 1), turn),
                                   trm_v3_cross(trm_column(I, 2), turn));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) I.m[r][c] -= P.m[r][c] + P.m[c][r] + S.m[r][c];
    return I;
}

/* N = M D^-1 */
static void find_inertia(const trm_maximal *w, node *n)
{
    const trm_mat3 N = first_order(w, n->body, inertia_of(w, n->body));
    memset(&n->N, 0, sizeof n->N);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) n->N.column[c].v[r] = N.m[r][c];
        n->N.column[3 + c].v[3 + c] = w->stepper->model->bodies[n->body].mass;
    }
}

/* N_p += X^T N X' */
static void add_to_parent(const node *n, matrix6 *N, matrix6 *parent)
{
    const trm_vec3 r = n->r_end;
    const vector6 x = N->column[3], y = N->column[4], z = N->column[5];
    for (int i = 0; i < 6; i++) {
        N->column[0].v[i] += r.y * z.v[i] - r.z * y.v[i];
        N->column[1].v[i] += r.z * x.v[i] - r.x * z.v[i];
        N->column[2].v[i] += r.x * y.v[i] - r.y * x.v[i];
    }
    for (int c = 0; c < 6; c++) {
        add_ang(&N->column[c], trm_v3_cross(n->r, lin(&N->column[c])));
        add_scaled(&parent->column[c], 1, &N->column[c]);
    }
}

/* Computes d^-1. Returns false if d is singular. */
static bool invert(const double *d, int f, double *inverse)
{
    if (f > 1) return trm_dense_inverse(d, f, inverse);
    inverse[0] = 1 / d[0];
    return isfinite(inverse[0]);
}

/* Eliminates the motion along a joint and adds the rest to the parent. */
static bool eliminate(node *n, matrix6 *parent)
{
    const int f = n->freedoms;
    vector6 U[TRM_JOINT_COORDINATES]; /* N^A S' */
    double d[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES];
    for (int k = 0; k < f; k++) U[k] = times(&n->N, &n->S_end[k]), n->T[k] = transposed_times(&n->N, &n->S[k]);
    for (int k = 0; k < f; k++)
        for (int l = 0; l < f; l++) d[k * f + l] = dot(&n->S[k], &U[l]);
    if (f > 0 && !invert(d, f, n->inverse)) return false;
    for (int l = 0; l < f; l++) {
        n->G[l] = (vector6){{0}};
        for (int k = 0; k < f; k++) add_scaled(&n->G[l], n->inverse[k * f + l], &U[k]);
    }
    if (!parent) return true;
    matrix6 N = n->N;
    for (int l = 0; l < f; l++)
        for (int c = 0; c < 6; c++) add_scaled(&N.column[c], -n->T[l].v[c], &n->G[l]);
    add_to_parent(n, &N, parent);
    return true;
}

static bool invert_root(node *n)
{
    const matrix6 N = n->N;
    return trm_dense_inverse(N.column[0].v, 6, n->N.column[0].v); /* columns by columns */
}

/* Computes S, L, r at the start of the step, from the rows there. */
static void find_start(const trm_maximal *w, trm_direct_tree *tree)
{
    const trm_state *state = w->stepper->state;
    for (int i = 0; i < tree->node_count; i++) {
        node *n = &tree->nodes[i];
        if (!n->joint) continue;
        find_spans(w, n, state->pose, state->clock->time, n->joint->J, n->S, n->L);
        n->r = trm_v3_sub(state->pose[n->body].p, state->pose[n->parent_body].p);
    }
}

static void find_end(const trm_maximal *w, node *n)
{
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    trm_joint_jacobian_at(n->joint->joint, w->look.ahead, w->stepper->step.goal, w->stepper->state->memory, J);
    find_spans(w, n, w->look.ahead, w->stepper->step.goal, J, n->S_end, n->L_end);
    n->r_end = trm_v3_sub(w->look.ahead[n->body].p, w->look.ahead[n->parent_body].p);
}

/* Computes the matrix at the present look-ahead. */
static bool factorise(const trm_maximal *w, trm_direct_tree *tree)
{
    for (int i = 0; i < tree->node_count; i++) {
        if (tree->nodes[i].joint) find_end(w, &tree->nodes[i]);
        find_inertia(w, &tree->nodes[i]);
    }
    for (int i = tree->node_count - 1; i >= 0; i--) {
        node *n = &tree->nodes[i];
        if (!(n->joint ? eliminate(n, n->parent >= 0 ? &tree->nodes[n->parent].N : NULL) : invert_root(n)))
            return false;
    }
    return true;
}

/* ---- The solution -------------------------------------------------------------------------- */

static void shift_inwards(const node *n, node *parent, const vector6 *F)
{
    add_scaled(&parent->p, 1, F);
    add_ang(&parent->p, trm_v3_cross(n->r, lin(F)));
}

/* Eliminates a node: p -> p + N^A L' c, passed on without its part along S. */
static void pass_inwards(trm_direct_tree *tree, node *n, const double *c)
{
    n->e = (vector6){{0}};
    for (int r = 0; r < n->rows; r++) add_scaled(&n->e, c[r], &n->L_end[r]);
    const vector6 Ne = times(&n->N, &n->e);
    add_scaled(&n->p, 1, &Ne);
    if (n->parent < 0) return;
    vector6 F = n->p;
    for (int l = 0; l < n->freedoms; l++) add_scaled(&F, -dot(&n->S[l], &n->p), &n->G[l]);
    shift_inwards(n, &tree->nodes[n->parent], &F);
}

/* Computes w of a node, and x from the wrench of its joint. */
static void pass_outwards(const trm_direct_tree *tree, node *n, double *x)
{
    const int f = n->freedoms;
    vector6 w = {{0}}, F = n->p;
    if (n->parent >= 0) {
        w = tree->nodes[n->parent].w;
        const trm_vec3 turned = trm_v3_cross(ang(&w), n->r_end);
        w.v[3] += turned.x, w.v[4] += turned.y, w.v[5] += turned.z;
    }
    double left[TRM_JOINT_COORDINATES];
    for (int k = 0; k < f; k++) left[k] = dot(&n->T[k], &w) + dot(&n->S[k], &n->p);
    for (int k = 0; k < f; k++) {
        double u = 0;
        for (int l = 0; l < f; l++) u -= n->inverse[k * f + l] * left[l];
        add_scaled(&w, u, &n->S_end[k]);
    }
    const vector6 Nw = times(&n->N, &w); /* without e, whose N e is in p */
    add_scaled(&F, 1, &Nw);
    for (int r = 0; r < n->rows; r++) x[r] = dot(&n->L[r], &F);
    add_scaled(&w, 1, &n->e);
    n->w = w;
}

static void solve(trm_direct_island *island)
{
    trm_direct_tree *tree = island->tree;
    for (int i = 0; i < tree->node_count; i++) tree->nodes[i].p = (vector6){{0}};
    for (int i = tree->node_count - 1; i >= 0; i--)
        if (tree->nodes[i].joint)
            pass_inwards(tree, &tree->nodes[i], island->x + island->blocks[tree->nodes[i].block].first);
    for (int i = 0; i < tree->node_count; i++) {
        node *n = &tree->nodes[i];
        if (n->joint) {
            pass_outwards(tree, n, island->x + island->blocks[n->block].first);
        } else {
            n->w = times(&n->N, &n->p);
            for (int k = 0; k < 6; k++) n->w.v[k] *= -1;
        }
    }
}

void trm_direct_begin_tree(trm_maximal *w, trm_direct_island *island)
{
    trm_direct_tree *tree = island->tree;
    tree->known = false;
    if (tree->start_known == w->rows_at.number) return;
    find_start(w, tree);
    tree->start_known = w->rows_at.number;
}

bool trm_direct_solve_tree(trm_maximal *w, trm_direct_island *island)
{
    trm_direct_tree *tree = island->tree;
    tree->known = tree->known || factorise(w, tree);
    if (tree->known) solve(island);
    return tree->known;
}
