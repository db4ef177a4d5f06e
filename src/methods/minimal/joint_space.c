/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Quantities in joint coordinates (trammel/joint_space.h), by the recursions of dynamics.c (Featherstone 2008,
 * chapters 5 to 7).
 *
 * Branches that fall freely are compiled (compiled.h). Mass matrix, bias and, without other forces and constraints,
 * inverse and forward dynamics need the compiled tree alone; poses in the world are computed when another function
 * needs them.
 *
 * Constraints. With M = L L^T, a = M^-1 (tau - load) and w = L^T (qdd - a), Gauss's principle of least constraint
 * requires the shortest w with
 *
 *     (G L^-T) w = gamma - G a,      qdd = a + L^-T w,      L^-1 G^T lambda = w
 *
 * Rows may be redundant (linalg/min_norm.h).
 *
 * Order. The tree numbers its coordinates branch after branch, parents before children. Callers see another order:
 * free bodies by their numbers, then joints by theirs. order[i] is the tree's number of the caller's coordinate i;
 * arrays are permuted where they enter and leave. Functions in the tree's order are static here.
 *
 * Centroidal momentum (Orin, Goswami 2008). The component of the momentum along a unit twist e at the centre of
 * mass is sum_b (I_b e_b) . V_b, with e_b the twist e at body b. So its row is the projection of the wrenches I_b
 * e_b onto all coordinates. */

#include "trammel/joint_space.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/min_norm.h"
#include "methods/minimal/compiled.h"
#include "methods/minimal/dynamics.h"

/* Remainders smaller than this fraction of the largest row of G L^-T are redundant. A larger value drops rows near
 * singular poses, a smaller one divides by rounding. Tests pass with a tenth and with ten times of it. */
static const double REDUNDANT = 1e-10;

struct trm_joint_space {
    trm_arena arena;
    const trm_model *model;
    trm_state *state; /* attached joints; joint memory of the current q */
    trm_tree *tree;
    trm_dynamics *dynamics;
    trm_compiled **compiled; /* per branch; NULL: some branch cannot be compiled, and general functions treat all */
    bool other_forces;       /* there are forces besides gravity */
    bool *placed;            /* poses and velocities of the tree and of the state are those of q and qd */
    int rows;
    int *order;    /* the tree's number of each coordinate of the caller */
    bool in_order; /* order[i] = i: nothing has to be permuted */
    double *q, *qd, *load, *bias;
    double *given, *taken;       /* n: an array of the caller, and one for the caller, in the tree's order */
    double *table;               /* n x n: M in the tree's order; NULL if in_order */
    trm_spatial *wrench;         /* per body */
    double *M, *G, *gamma;       /* n x n, m x n, m; NULL where there are no constraints */
    double *right, *room, *work; /* n; scratch for trm_min_norm_solve */
    double *columns;             /* scratch: m x n matrix that the solver overwrites */
    int *permutation;
};

/* ---- Creating ----------------------------------------------------------------------------- */

/* Returns whether a joint is a constraint here: one-sided and bounded joints are not. */
static bool takes_part(const trm_joint *joint)
{
    return !joint->one_sided && !isfinite(joint->most);
}

static bool make_workspace(trm_joint_space *s)
{
    const int n = s->tree->coordinates, m = s->rows, most = n > m ? n : m;
    s->q = TRM_NEW_ARRAY(&s->arena, double, n);
    s->qd = TRM_NEW_ARRAY(&s->arena, double, n);
    s->placed = TRM_NEW_ARRAY(&s->arena, bool, 1);
    s->load = TRM_NEW_ARRAY(&s->arena, double, n);
    s->bias = TRM_NEW_ARRAY(&s->arena, double, n);
    s->given = TRM_NEW_ARRAY(&s->arena, double, n);
    s->taken = TRM_NEW_ARRAY(&s->arena, double, n);
    if (!s->in_order) s->table = TRM_NEW_ARRAY(&s->arena, double, (size_t)n *(size_t)n);
    s->right = TRM_NEW_ARRAY(&s->arena, double, most);
    s->wrench = TRM_NEW_ARRAY(&s->arena, trm_spatial, s->model->body_count);
    if (m == 0) return !s->arena.failed;
    s->M = TRM_NEW_ARRAY(&s->arena, double, (size_t)n *(size_t)n);
    s->G = TRM_NEW_ARRAY(&s->arena, double, (size_t)m *(size_t)n);
    s->gamma = TRM_NEW_ARRAY(&s->arena, double, m);
    s->room = TRM_NEW_ARRAY(&s->arena, double, 3 * most);
    s->work = TRM_NEW_ARRAY(&s->arena, double, most);
    s->columns = TRM_NEW_ARRAY(&s->arena, double, (size_t)m *(size_t)n);
    s->permutation = TRM_NEW_ARRAY(&s->arena, int, most);
    return !s->arena.failed;
}

/* Compiles all branches, or none. Returns false if out of memory. */
static bool compile(trm_joint_space *s)
{
    const trm_tree *tree = s->tree;
    for (int i = 0; i < s->model->force_count; i++)
        s->other_forces = s->other_forces || !s->model->forces[i].type->built_in;
    s->compiled = TRM_NEW_ARRAY(&s->arena, trm_compiled *, tree->branch_count);
    for (int b = 0; s->compiled && b < tree->branch_count; b++) {
        const bool falls = trm_branch_falls_freely(tree, &tree->branches[b]);
        if (falls) s->compiled[b] = trm_compiled_create(tree, &tree->branches[b], &s->arena);
        if (!s->compiled[b]) s->compiled = NULL;
    }
    return !s->arena.failed;
}

static void append_link(trm_joint_space *s, const trm_link *link, int *count)
{
    for (int k = 0; k < link->count; k++) s->order[(*count)++] = link->first + k;
}

/* Free bodies by their numbers, then joints by theirs: the order of trm_coordinate_at. */
static bool find_order(trm_joint_space *s)
{
    const trm_tree *tree = s->tree;
    const trm_link **of_joint = TRM_NEW_ARRAY(&s->arena, const trm_link *, s->model->joint_count);
    int count = 0;
    s->order = TRM_NEW_ARRAY(&s->arena, int, tree->coordinates);
    if (s->arena.failed) return false;
    for (int i = 0; i < s->model->body_count; i++) {
        const trm_link *link = tree->link_of[i] >= 0 ? &tree->links[tree->link_of[i]] : NULL;
        if (link && link->index >= 0) of_joint[link->index] = link;
        if (link && link->index < 0) append_link(s, link, &count);
    }
    for (int j = 0; j < s->model->joint_count; j++)
        if (of_joint[j]) append_link(s, of_joint[j], &count);
    s->in_order = true;
    for (int i = 0; i < count; i++) s->in_order = s->in_order && s->order[i] == i;
    return true;
}

static bool build(trm_joint_space *s)
{
    char ignored[2]; /* without names of joints to cut only memory can fail */
    s->state = trm_state_create(s->model, &s->arena.allocator);
    if (!s->state) return false;
    for (int j = 0; j < s->model->joint_count; j++)
        s->state->attached[j] = s->state->attached[j] && takes_part(&s->model->joints[j]);
    s->tree = trm_tree_create(s->state, (trm_tree_options){0}, &s->arena, ignored, sizeof ignored);
    if (!s->tree) return false;
    s->dynamics = trm_dynamics_create(s->tree, &s->arena);
    for (int b = 0; b < s->tree->branch_count; b++) s->rows += s->tree->branches[b].rows;
    return s->dynamics && find_order(s) && compile(s) && make_workspace(s);
}

/* Moves the tree to q and qd, which are set. */
static void move_to(trm_joint_space *s, double time)
{
    trm_tree_set_time(s->tree, time);
    *s->placed = false;
    for (int b = 0; s->compiled && b < s->tree->branch_count; b++) trm_compiled_move(s->compiled[b], s->q, s->qd);
}

trm_status trm_joint_space_create(const trm_model *model, const trm_allocator *allocator, trm_joint_space **space)
{
    *space = NULL;
    trm_joint_space *s = trm_owner_create(allocator, sizeof *s);
    if (!s) return TRM_OUT_OF_MEMORY;
    s->model = model;
    if (!build(s)) {
        trm_joint_space_destroy(s);
        return TRM_OUT_OF_MEMORY;
    }
    trm_tree_read(s->tree, s->state, s->q, s->qd);
    move_to(s, 0);
    *space = s;
    return TRM_OK;
}

void trm_joint_space_destroy(trm_joint_space *space)
{
    if (!space) return;
    trm_state_destroy(space->state);
    trm_owner_destroy(space, sizeof *space);
}

int trm_joint_space_size(const trm_joint_space *space)
{
    return space->tree->coordinates;
}

int trm_joint_space_constraints(const trm_joint_space *space)
{
    return space->rows;
}

trm_joint_space_name trm_joint_space_name_of(const trm_joint_space *space, int index)
{
    const trm_link *link = space->tree->links;
    const int own = space->order[index];
    while (own >= link->first + link->count) link++;
    return (trm_joint_space_name){.joint = link->index,
                                  .body = link->body,
                                  .coordinate = own - link->first,
                                  .angular = trm_link_turns(link, own - link->first)};
}

/* ---- The caller's order ------------------------------------------------------------------- */

/* Returns an array of the caller in the tree's order, in `room` if it has to be permuted. NULL stays NULL. */
static const double *to_tree_order(const trm_joint_space *s, const double *x, double *room)
{
    if (!x || s->in_order) return x;
    for (int i = 0; i < s->tree->coordinates; i++) room[s->order[i]] = x[i];
    return room;
}

/* Returns the array in which to compute a result for the caller in the tree's order; to_caller_order then permutes
 * it into x. */
static double *buffer_for(const trm_joint_space *s, double *x)
{
    return s->in_order ? x : s->taken;
}

static void to_caller_order(const trm_joint_space *s, const double *from, double *x)
{
    for (int i = 0; from != x && i < s->tree->coordinates; i++) x[i] = from[s->order[i]];
}

/* Permutes the columns of a matrix from the tree's order to the caller's. */
static void permute_columns(const trm_joint_space *s, int rows, double *X)
{
    const int n = s->tree->coordinates;
    for (int r = 0; !s->in_order && r < rows; r++, X += n) {
        memcpy(s->taken, X, (size_t)n * sizeof *X);
        to_caller_order(s, s->taken, X);
    }
}

/* ---- To and from a state ------------------------------------------------------------------ */

void trm_joint_space_read(const trm_joint_space *space, const trm_state *state, double *q, double *qd)
{
    double *own = buffer_for(space, q);
    trm_tree_read(space->tree, state, own, space->load);
    to_caller_order(space, own, q);
    if (qd) to_caller_order(space, space->load, qd);
}

/* Sets the whole turns in the memory of the tree's joints to those of q, and those of other joints to the nearest
 * ones. */
static void remember(const trm_tree *tree, const double *q, trm_state *state)
{
    trm_remember_turns(state, 0, NULL);
    for (int b = 0; b < tree->branch_count; b++) trm_tree_set_turns(tree, &tree->branches[b], q, state->memory);
}

/* Places the tree and the state at q and qd, unless they are there. */
static void update_state(const trm_joint_space *s)
{
    if (*s->placed) return;
    for (int b = 0; b < s->tree->branch_count; b++) {
        trm_tree_place(s->tree, &s->tree->branches[b], s->q);
        trm_tree_move(s->tree, &s->tree->branches[b], s->q, s->qd);
    }
    trm_tree_write(s->tree, s->state);
    s->state->clock->time = s->tree->t;
    remember(s->tree, s->q, s->state);
    *s->placed = true;
}

void trm_joint_space_set(trm_joint_space *space, double time, const double *q, const double *qd)
{
    for (int i = 0; i < space->tree->coordinates; i++) {
        space->q[space->order[i]] = q[i];
        space->qd[space->order[i]] = qd ? qd[i] : 0;
    }
    move_to(space, time);
}

void trm_joint_space_write(const trm_joint_space *space, trm_state *state)
{
    update_state(space);
    trm_tree_write(space->tree, state);
    state->clock->time = space->tree->t;
    remember(space->tree, space->q, state);
}

/* ---- Forces ------------------------------------------------------------------------------- */

typedef enum which_forces { GRAVITY = 1, OTHERS = 2 } which_forces;

static void find_wrenches(trm_joint_space *s, unsigned which)
{
    update_state(s);
    memset(s->wrench, 0, (size_t)s->model->body_count * sizeof *s->wrench);
    for (int i = 0; i < s->model->force_count; i++) {
        const trm_force *force = &s->model->forces[i];
        trm_spatial F[TRM_JOINT_BODIES];
        if (!trm_force_acts(s->state, i) || !(which & (force->type->built_in ? GRAVITY : OTHERS))) continue;
        const trm_force_at at =
            trm_force_at_poses(force, s->tree->pose, s->tree->velocity, s->tree->t, s->state->memory);
        force->type->wrench(&at, F);
        for (int b = 0; b < force->body_count; b++)
            s->wrench[force->body[b]] = trm_sp_add_scaled(s->wrench[force->body[b]], 1, F[b]);
    }
}

/* Computes M qdd + k - forces. */
static void find_load(trm_joint_space *s, unsigned which, const double *qdd, double *load)
{
    if (s->compiled && (which == GRAVITY || !s->other_forces)) {
        for (int b = 0; b < s->tree->branch_count; b++)
            trm_compiled_inverse(s->compiled[b], s->model->gravity, qdd, load);
        return;
    }
    find_wrenches(s, which);
    for (int b = 0; b < s->tree->branch_count; b++)
        trm_dynamics_load(s->dynamics, s->tree, &s->tree->branches[b], qdd, s->wrench, load);
}

/* Projects the wrenches on all bodies onto all coordinates. */
static void project_wrenches(trm_joint_space *s, double sign, double *along)
{
    memset(along, 0, (size_t)s->tree->coordinates * sizeof *along);
    for (int i = 0; i < s->model->body_count; i++) {
        const trm_spatial F = s->wrench[i];
        trm_tree_project(s->tree, i, trm_sp_scale(sign, F), 0, along);
    }
}

void trm_bias_force(trm_joint_space *space, double *bias)
{
    double *own = buffer_for(space, bias);
    find_load(space, GRAVITY, NULL, own);
    to_caller_order(space, own, bias);
}

void trm_gravity_force(trm_joint_space *space, double *gravity)
{
    double *own = buffer_for(space, gravity);
    find_wrenches(space, GRAVITY);
    project_wrenches(space, -1, own);
    to_caller_order(space, own, gravity);
}

void trm_model_force(trm_joint_space *space, double *force)
{
    double *own = buffer_for(space, force);
    find_wrenches(space, OTHERS);
    project_wrenches(space, 1, own);
    to_caller_order(space, own, force);
}

void trm_inverse_dynamics(trm_joint_space *space, const double *qdd, double *tau)
{
    double *own = buffer_for(space, tau);
    find_load(space, GRAVITY | OTHERS, to_tree_order(space, qdd, space->given), own);
    to_caller_order(space, own, tau);
}

/* ---- The mass matrix ---------------------------------------------------------------------- */

/* Computes M in the tree's order. */
static void find_mass(trm_joint_space *s, double *M)
{
    const trm_tree *tree = s->tree;
    const int n = tree->coordinates;
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    if (!s->compiled) update_state(s);
    for (int b = 0; b < tree->branch_count; b++) {
        const trm_branch *branch = &tree->branches[b];
        double *block = M + (size_t)branch->first * (size_t)(n + 1);
        if (s->compiled)
            trm_compiled_mass(s->compiled[b], block, n);
        else
            trm_dynamics_mass(s->dynamics, tree, branch, block, n);
    }
}

void trm_mass_matrix(trm_joint_space *space, double *M)
{
    const size_t n = (size_t)space->tree->coordinates;
    find_mass(space, space->in_order ? M : space->table);
    for (size_t i = 0; !space->in_order && i < n; i++)
        to_caller_order(space, space->table + (size_t)space->order[i] * n, M + i * n);
}

/* ---- Constraints -------------------------------------------------------------------------- */

/* Spreads the rows of one branch over all n columns. */
static void spread_rows(const trm_joint_space *s, const trm_branch *branch, double *G)
{
    const size_t n = (size_t)s->tree->coordinates, own = (size_t)branch->count;
    trm_tree_cut_rows(s->tree, branch, s->state->memory, s->columns);
    memset(G, 0, (size_t)branch->rows * n * sizeof *G);
    for (int r = 0; r < branch->rows; r++)
        memcpy(G + (size_t)r * n + branch->first, s->columns + (size_t)r * own, own * sizeof *G);
}

/* Computes the constraint rows in the tree's order. */
static void find_rows(trm_joint_space *s, double *phi, double *G, double *gamma)
{
    const trm_tree *tree = s->tree;
    update_state(s);
    for (int b = 0, row = 0; b < tree->branch_count; row += tree->branches[b++].rows) {
        const trm_branch *branch = &tree->branches[b];
        if (branch->rows == 0) continue;
        if (phi) trm_tree_cut_residuals(tree, branch, s->state->memory, phi + row);
        if (G) spread_rows(s, branch, G + (size_t)row * (size_t)tree->coordinates);
        if (!gamma) continue;
        trm_tree_accelerate(s->tree, branch, NULL);
        trm_tree_cut_gamma(tree, branch, s->state->memory, gamma + row);
    }
}

void trm_constraint_rows(trm_joint_space *space, double *phi, double *G, double *gamma)
{
    find_rows(space, phi, G, gamma);
    if (G) permute_columns(space, space->rows, G);
}

/* ---- Forward dynamics --------------------------------------------------------------------- */

/* Replaces the rows of G by those of G L^-T: solves L x = g for each. */
static void reduce_rows(const trm_joint_space *s)
{
    const int n = s->tree->coordinates;
    for (int r = 0; r < s->rows; r++) trm_dense_solve_lower(s->M, n, s->G + (size_t)r * (size_t)n);
}

/* columns <- A or A^T in column order, A = G L^-T m x n. */
static void take_columns(const trm_joint_space *s, bool transposed)
{
    const int n = s->tree->coordinates, m = s->rows;
    if (transposed) { /* the columns of A^T are the rows of A */
        memcpy(s->columns, s->G, (size_t)m * (size_t)n * sizeof *s->columns);
        return;
    }
    for (int c = 0; c < n; c++)
        for (int r = 0; r < m; r++)
            s->columns[(size_t)c * (size_t)m + (size_t)r] = s->G[(size_t)r * (size_t)n + (size_t)c];
}

/* Computes the shortest w with A w = right, into s->work. */
static void solve_rows(trm_joint_space *s)
{
    take_columns(s, false);
    trm_min_norm_solve(s->columns, s->rows, s->tree->coordinates, s->right, REDUNDANT, s->work, s->room,
                       s->permutation);
}

/* Computes the shortest lambda with A^T lambda = w. */
static void find_forces(trm_joint_space *s, double *lambda)
{
    const int n = s->tree->coordinates;
    memcpy(s->right, s->work, (size_t)n * sizeof *s->right);
    take_columns(s, true);
    trm_min_norm_solve(s->columns, n, s->rows, s->right, REDUNDANT, lambda, s->room, s->permutation);
}

/* Computes accelerations with constraints. On entry qdd is tau - load. */
static bool accelerate_with_rows(trm_joint_space *s, double *qdd, double *lambda)
{
    const int n = s->tree->coordinates;
    find_mass(s, s->M);
    if (!trm_dense_cholesky(s->M, n)) return false;
    find_rows(s, NULL, s->G, s->gamma);
    trm_dense_solve_lower(s->M, n, qdd); /* L^T a */
    reduce_rows(s);
    for (int r = 0; r < s->rows; r++) {
        s->right[r] = s->gamma[r];
        for (int k = 0; k < n; k++) s->right[r] -= s->G[(size_t)r * (size_t)n + (size_t)k] * qdd[k];
    }
    solve_rows(s);
    for (int k = 0; k < n; k++) qdd[k] += s->work[k];
    trm_dense_solve_upper(s->M, n, qdd);
    if (lambda) find_forces(s, lambda);
    return true;
}

static bool accelerate_freely(trm_joint_space *s, const double *tau, double *qdd)
{
    const int n = s->tree->coordinates;
    const bool fast = s->compiled && !s->other_forces;
    if (!fast) find_wrenches(s, GRAVITY | OTHERS);
    for (int b = 0; b < s->tree->branch_count; b++)
        if (fast)
            trm_compiled_accelerate(s->compiled[b], s->model->gravity, tau, qdd);
        else
            trm_dynamics_articulate(s->dynamics, s->tree, &s->tree->branches[b], s->wrench, tau, qdd);
    for (int i = 0; i < n; i++)
        if (!isfinite(qdd[i])) return false;
    return true;
}

/* Computes qdd under tau in the tree's order. */
static bool accelerate(trm_joint_space *s, const double *tau, double *qdd, double *lambda)
{
    if (s->rows == 0) return accelerate_freely(s, tau, qdd);
    find_load(s, GRAVITY | OTHERS, NULL, qdd);
    for (int i = 0; i < s->tree->coordinates; i++) qdd[i] = (tau ? tau[i] : 0) - qdd[i];
    return accelerate_with_rows(s, qdd, lambda);
}

bool trm_forward_dynamics(trm_joint_space *space, const double *tau, double *qdd, double *lambda)
{
    double *own = buffer_for(space, qdd);
    const bool good = accelerate(space, to_tree_order(space, tau, space->given), own, lambda);
    to_caller_order(space, own, qdd);
    return good;
}

/* ---- Jacobians ---------------------------------------------------------------------------- */

/* Returns the vector from the centre of mass of a body to a point in its frame, world axes. */
static trm_vec3 arm_of(const trm_joint_space *s, int body, trm_vec3 point)
{
    return trm_v3_sub(trm_point_position(s->state, body, point), s->tree->pose[body].p);
}

static trm_spatial unit_twist(int direction)
{
    const trm_vec3 none = {0, 0, 0};
    return direction < 3 ? trm_sp(trm_axis(direction), none) : trm_sp(none, trm_axis(direction - 3));
}

void trm_point_jacobian(const trm_joint_space *space, int body, trm_vec3 point, double *J)
{
    update_state(space);
    const trm_vec3 arm = arm_of(space, body, point);
    const int n = space->tree->coordinates;
    memset(J, 0, 6 * (size_t)n * sizeof *J);
    for (int r = 0; r < 6; r++) {
        const trm_spatial e = unit_twist(r);
        trm_tree_project(space->tree, body, trm_sp(trm_v3_add(e.ang, trm_v3_cross(arm, e.lin)), e.lin), 0, J + r * n);
    }
    permute_columns(space, 6, J);
}

trm_spatial trm_point_bias(trm_joint_space *space, int body, trm_vec3 point)
{
    const trm_tree *tree = space->tree;
    update_state(space);
    for (int b = 0; b < tree->branch_count; b++) trm_tree_accelerate(space->tree, &tree->branches[b], NULL);
    const trm_vec3 arm = arm_of(space, body, point), omega = tree->velocity[body].ang;
    const trm_spatial A = tree->acceleration[body];
    return trm_sp(A.ang, trm_v3_add(trm_v3_add(A.lin, trm_v3_cross(A.ang, arm)),
                                    trm_v3_cross(omega, trm_v3_cross(omega, arm))));
}

/* ---- The whole machine -------------------------------------------------------------------- */

double trm_total_mass(const trm_joint_space *space)
{
    double mass = 0;
    for (int i = 0; i < space->tree->link_count; i++) mass += space->model->bodies[space->tree->links[i].body].mass;
    return mass;
}

trm_vec3 trm_centre_of_mass(const trm_joint_space *space)
{
    trm_vec3 sum = {0, 0, 0};
    update_state(space);
    for (int i = 0; i < space->tree->link_count; i++) {
        const int body = space->tree->links[i].body;
        sum = trm_v3_add_scaled(sum, space->model->bodies[body].mass, space->tree->pose[body].p);
    }
    const double mass = trm_total_mass(space);
    return mass > 0 ? trm_v3_scale(1 / mass, sum) : sum;
}

void trm_centre_of_mass_jacobian(trm_joint_space *space, double *J)
{
    const double mass = trm_total_mass(space);
    const int n = space->tree->coordinates;
    update_state(space);
    for (int r = 0; r < 3; r++) {
        memset(space->wrench, 0, (size_t)space->model->body_count * sizeof *space->wrench);
        for (int i = 0; i < space->tree->link_count; i++) {
            const int body = space->tree->links[i].body;
            space->wrench[body].lin = trm_v3_scale(space->model->bodies[body].mass / mass, trm_axis(r));
        }
        project_wrenches(space, 1, J + r * n);
    }
    permute_columns(space, 3, J);
}

/* Returns inertia times a twist at the centre of mass of a body: angular and linear momentum. */
static trm_spatial momentum_of(const trm_joint_space *s, int body, trm_spatial V)
{
    const trm_body *b = &s->model->bodies[body];
    const trm_quat q = s->tree->pose[body].q;
    const trm_vec3 w = trm_rotate_back(q, V.ang);
    const trm_vec3 L = {b->inertia.x * w.x, b->inertia.y * w.y, b->inertia.z * w.z};
    return trm_sp(b->kind == TRM_BODY_RIGID ? trm_rotate(q, L) : trm_v3(0, 0, 0), trm_v3_scale(b->mass, V.lin));
}

trm_spatial trm_centroidal_momentum(const trm_joint_space *space)
{
    const trm_vec3 centre = trm_centre_of_mass(space);
    trm_spatial sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < space->tree->link_count; i++) {
        const int body = space->tree->links[i].body;
        const trm_spatial p = momentum_of(space, body, space->tree->velocity[body]);
        const trm_vec3 arm = trm_v3_sub(space->tree->pose[body].p, centre);
        sum = trm_sp_add_scaled(sum, 1, trm_sp(trm_v3_add(p.ang, trm_v3_cross(arm, p.lin)), p.lin));
    }
    return sum;
}

void trm_centroidal_matrix(trm_joint_space *space, double *A)
{
    const trm_vec3 centre = trm_centre_of_mass(space);
    const int n = space->tree->coordinates;
    for (int r = 0; r < 6; r++) {
        const trm_spatial e = unit_twist(r);
        memset(space->wrench, 0, (size_t)space->model->body_count * sizeof *space->wrench);
        for (int i = 0; i < space->tree->link_count; i++) {
            const int body = space->tree->links[i].body;
            const trm_vec3 arm = trm_v3_sub(space->tree->pose[body].p, centre);
            space->wrench[body] =
                momentum_of(space, body, trm_sp(e.ang, trm_v3_add(e.lin, trm_v3_cross(e.ang, arm))));
        }
        project_wrenches(space, 1, A + r * n);
    }
    permute_columns(space, 6, A);
}
