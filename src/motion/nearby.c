/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "motion/nearby.h"

#include "linalg/block_ldlt.h"
#include "math/rotation.h"
#include "motion/rank.h"

/* Weight w of the rows relative to the displacement, large enough for the weakest row that counts as independent
 * (TRM_DEPENDENT). A larger one loses the displacement to rounding, a smaller one leaves weak rows open. Tests pass
 * with a tenth and with ten times of it. */
static const double WEIGHT = 1 / (TRM_DEPENDENT * TRM_DEPENDENT);
/* The largest and the smallest displacement tried, in rad and fractions of a length, and the factor between
 * trials. Larger displacements may leave the branch; with a tenth of FARTHEST a third crank is not found redundant
 * (test methods_regularity). A smaller SHORTEST only adds trials. */
static const double FARTHEST = 0.05, SHORTEST = 5e-4, SHORTER = 0.25;
/* A change of the displacement of at most SETTLED ends the iteration. After all iterations GOOD_ENOUGH is sufficient.
 * A larger SETTLED ends too early; with a smaller one the count of iterations ends the search, and GOOD_ENOUGH
 * decides. */
static const double SETTLED = 1e-11, GOOD_ENOUGH = 1e-8;
enum { MOST_ROUNDS = 40 };

struct trm_nearby {
    const trm_state *start;
    const bool *chosen;
    trm_spatial *J;   /* per row and body of its joint, J[row * TRM_JOINT_BODIES + k], of length one */
    double *per_row;  /* factor by which the row was multiplied */
    double *residual; /* per row, at the start */
    int *block;       /* per body: number of its block; -1: it stays */
    trm_block_symbolic symbolic;
    double *values;    /* values of 1 + w J^T J, factorised */
    double *x;         /* in elimination order */
    trm_spatial *step; /* per body */
    trm_spatial *seed; /* per body: the v of a search */
    double *size;      /* m, per body: its radius of gyration; for a point the shortest of its distance joints */
    double span;       /* m: extent of all bodies that move */
};

static bool touches(const trm_nearby *n, const trm_joint *joint)
{
    bool any = false;
    for (int r = 0; r < joint->rows; r++) any = any || n->chosen[joint->row_offset + r];
    return any;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void scale_row(const trm_nearby *n, const trm_joint *joint, const trm_spatial *J, int row)
{
    trm_spatial *scaled = n->J + (size_t)row * TRM_JOINT_BODIES;
    double squared = 0;
    for (int k = 0; k < joint->body_count; k++) {
        const trm_body *body = &n->start->model->bodies[joint->body[k]];
        if (n->block[joint->body[k]] >= 0) scaled[k] = trm_sp(trm_v3_scale(trm_per_radian(body), J[k].ang), J[k].lin);
        squared += trm_sp_dot(scaled[k], scaled[k]);
    }
    n->per_row[row] = squared > 0 ? 1 / sqrt(squared) : 0;
    for (int k = 0; k < joint->body_count; k++) {
        scaled[k].ang = trm_v3_scale(n->per_row[row], scaled[k].ang);
        scaled[k].lin = trm_v3_scale(n->per_row[row], scaled[k].lin);
    }
}

static void find_rows(const trm_nearby *n)
{
    for (int j = 0; j < n->start->model->joint_count; j++) {
        const trm_joint *joint = &n->start->model->joints[j];
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        if (!touches(n, joint)) continue;
        const trm_joint_at at = trm_joint_now(n->start, j);
        trm_joint_jacobian(&at, J);
        trm_joint_residual(&at, n->residual + joint->row_offset);
        for (int r = 0; r < joint->rows; r++)
            if (n->chosen[joint->row_offset + r])
                scale_row(n, joint, J + r * joint->body_count, joint->row_offset + r);
    }
}

/* ---- Sizes --------------------------------------------------------------------------------- */

static void learn_sizes(trm_nearby *n)
{
    const trm_model *model = n->start->model;
    for (int i = 0; i < model->body_count; i++) {
        const double per_radian = trm_per_radian(&model->bodies[i]);
        n->size[i] = per_radian > 0 ? 1 / per_radian : INFINITY;
    }
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        if (joint->type != &trm_joint_distance || !(joint->length > 0)) continue;
        for (int k = 0; k < 2; k++)
            if (model->bodies[joint->body[k]].kind == TRM_BODY_POINT)
                n->size[joint->body[k]] = fmin(n->size[joint->body[k]], joint->length);
    }
    for (int i = 0, first = -1; i < model->body_count; i++) {
        if (!isfinite(n->size[i])) n->size[i] = 1; /* a point without a length scale */
        if (n->block[i] < 0) continue;
        if (first < 0) first = i;
        n->span = fmax(n->span, n->size[i] + trm_v3_length(trm_v3_sub(n->start->pose[i].p, n->start->pose[first].p)));
    }
}

/* ---- The matrix ---------------------------------------------------------------------------- */

/* Numbers the blocks (free bodies with chosen rows) and sets their sizes. Returns the number of blocks. */
static int number_blocks(const trm_nearby *n, int *size)
{
    const trm_model *model = n->start->model;
    int count = 0;
    for (int i = 0; i < model->body_count; i++) n->block[i] = -1;
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        if (!touches(n, joint)) continue;
        for (int k = 0; k < joint->body_count; k++) {
            const trm_body *body = &model->bodies[joint->body[k]];
            if (body->inverse_mass == 0 || n->block[joint->body[k]] >= 0) continue;
            size[count] = trm_body_freedoms(body);
            n->block[joint->body[k]] = count++;
        }
    }
    return count;
}

/* Blocks are neighbours if their bodies share a joint. */
static bool find_pattern(trm_nearby *n, trm_arena *arena, trm_arena *scratch)
{
    const trm_model *model = n->start->model;
    trm_block_elements elements;
    trm_block_graph graph;
    int *size = TRM_NEW_ARRAY(scratch, int, model->body_count);
    if (!size ||
        !trm_block_elements_create(&elements, model->joint_count, model->joint_count * TRM_JOINT_BODIES, scratch))
        return false;
    const int blocks = number_blocks(n, size);
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        if (touches(n, joint)) trm_block_elements_add(&elements, n->block, joint->body, joint->body_count);
    }
    return trm_block_graph_make(&elements, blocks, size, scratch, &graph) &&
           trm_block_symbolic_find(&graph, arena, scratch, &n->symbolic);
}

static void numbers_of(trm_spatial y, double *numbers)
{
    const double all[6] = {y.lin.x, y.lin.y, y.lin.z, y.ang.x, y.ang.y, y.ang.z};
    for (int i = 0; i < 6; i++) numbers[i] = all[i];
}

/* Adds w J_k^T J_l of one row. */
static void add_product(const trm_nearby *n, int a, int b, trm_spatial J_a, trm_spatial J_b)
{
    bool transposed = false;
    double left[6], right[6];
    const size_t place = trm_block_place(&n->symbolic, a, b, &transposed);
    if (transposed) return; /* the pair also comes in the other order */
    numbers_of(J_a, left);
    numbers_of(J_b, right);
    const int rows = n->symbolic.size[n->symbolic.position[a]], columns = n->symbolic.size[n->symbolic.position[b]];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) n->values[place + (size_t)(i * columns + k)] += WEIGHT * left[i] * right[k];
}

static void fill_matrix(const trm_nearby *n)
{
    for (int p = 0; p < n->symbolic.blocks; p++) {
        const int size = n->symbolic.size[p];
        for (int i = 0; i < size; i++) n->values[n->symbolic.pivot[p] + (size_t)(i * size + i)] = 1;
    }
    for (int j = 0; j < n->start->model->joint_count; j++) {
        const trm_joint *joint = &n->start->model->joints[j];
        for (int r = joint->row_offset; r < joint->row_offset + joint->rows; r++) {
            const trm_spatial *J = n->J + (size_t)r * TRM_JOINT_BODIES;
            for (int k = 0; n->chosen[r] && k < joint->body_count; k++)
                for (int l = 0; l < joint->body_count; l++) {
                    const int a = n->block[joint->body[k]], b = n->block[joint->body[l]];
                    if (a >= 0 && b >= 0) add_product(n, a, b, J[k], J[l]);
                }
        }
    }
}

static bool factorise(const trm_nearby *n, trm_arena *scratch)
{
    double *scale = TRM_NEW_ARRAY(scratch, double, n->symbolic.rows);
    bool *dropped = TRM_NEW_ARRAY(scratch, bool, n->symbolic.rows);
    if (!scale || !dropped) return false;
    fill_matrix(n);
    for (int r = 0; r < n->symbolic.rows; r++) scale[r] = 1; /* the smallest possible value */
    trm_block_factorise(&n->symbolic, n->values, scale, dropped);
    return true;
}

static bool make(trm_nearby *n, trm_arena *arena, trm_arena *scratch)
{
    const trm_model *model = n->start->model;
    n->J = TRM_NEW_ARRAY(arena, trm_spatial, (size_t)model->row_count * TRM_JOINT_BODIES);
    n->per_row = TRM_NEW_ARRAY(arena, double, model->row_count);
    n->residual = TRM_NEW_ARRAY(arena, double, model->row_count);
    n->block = TRM_NEW_ARRAY(arena, int, model->body_count);
    n->step = TRM_NEW_ARRAY(arena, trm_spatial, model->body_count);
    n->seed = TRM_NEW_ARRAY(arena, trm_spatial, model->body_count);
    n->size = TRM_NEW_ARRAY(arena, double, model->body_count);
    if (arena->failed || !find_pattern(n, arena, scratch)) return false;
    n->values = TRM_NEW_ARRAY(arena, double, n->symbolic.values);
    n->x = TRM_NEW_ARRAY(arena, double, n->symbolic.rows);
    if (arena->failed) return false;
    find_rows(n);
    learn_sizes(n);
    return factorise(n, scratch);
}

trm_nearby *trm_nearby_create(const trm_state *start, const bool *chosen, trm_arena *arena)
{
    trm_arena scratch;
    trm_nearby *nearby = TRM_NEW(arena, trm_nearby);
    if (!nearby) return NULL;
    *nearby = (trm_nearby){.start = start, .chosen = chosen};
    trm_arena_init(&scratch, &arena->allocator);
    const bool made = make(nearby, arena, &scratch);
    trm_arena_destroy(&scratch);
    return made ? nearby : NULL;
}

/* ---- The displacement ---------------------------------------------------------------------- */

/* Computes step <- B step and converts its rotations from metres to radians. */
static void solve(trm_nearby *n)
{
    const trm_model *model = n->start->model;
    for (int i = 0; i < model->body_count; i++) {
        double numbers[6];
        if (n->block[i] < 0) continue;
        numbers_of(n->step[i], numbers);
        const int p = n->symbolic.position[n->block[i]];
        for (int k = 0; k < n->symbolic.size[p]; k++) n->x[n->symbolic.first_row[p] + k] = numbers[k];
    }
    trm_block_solve(&n->symbolic, n->values, n->x);
    for (int i = 0; i < model->body_count; i++) {
        if (n->block[i] < 0) continue;
        const int p = n->symbolic.position[n->block[i]];
        const double *y = n->x + n->symbolic.first_row[p];
        n->step[i] = trm_sp(trm_v3(0, 0, 0), trm_v3(y[0], y[1], y[2]));
        if (n->symbolic.size[p] == 6)
            n->step[i].ang = trm_v3_scale(trm_per_radian(&model->bodies[i]), trm_v3(y[3], y[4], y[5]));
    }
}

/* Returns the size of a displacement: the maximum of the largest rotation, the largest translation as a fraction of
 * the whole extent, and the largest relative motion of the ends of a distance as a fraction of its length. */
static double extent(const trm_nearby *n, const trm_spatial *step)
{
    const trm_model *model = n->start->model;
    double most = 0;
    for (int i = 0; i < model->body_count; i++) {
        if (n->block[i] < 0) continue;
        most = fmax(most, fmax(trm_v3_length(step[i].ang), trm_v3_length(step[i].lin) / n->span));
    }
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        if (joint->type != &trm_joint_distance || !(joint->length > 0) || !touches(n, joint)) continue;
        const trm_joint_at at = trm_joint_now(n->start, j);
        trm_vec3 v[2];
        for (int k = 0; k < 2; k++) {
            const trm_spatial *y = &step[joint->body[k]];
            v[k] = trm_v3_add(y->lin, trm_v3_cross(y->ang, at.r[k]));
        }
        most = fmax(most, trm_v3_length(trm_v3_sub(v[1], v[0])) / joint->length);
    }
    return most;
}

static void random_step(trm_nearby *n, trm_random *random)
{
    for (int i = 0; i < n->start->model->body_count; i++) {
        double y[6] = {0};
        for (int k = 0; n->block[i] >= 0 && k < 6; k++) y[k] = n->size[i] * trm_random_uniform(random, -1, 1);
        n->step[i] = trm_sp(trm_v3(y[3], y[4], y[5]), trm_v3(y[0], y[1], y[2]));
    }
    solve(n);
    for (int i = 0; i < n->start->model->body_count; i++) n->seed[i] = n->step[i];
}

static void move(const trm_nearby *n, const trm_spatial *step, double factor, trm_state *state)
{
    for (int i = 0; i < n->start->model->body_count; i++) {
        if (n->block[i] < 0) continue;
        const trm_quat turn = trm_quat_exp(trm_v3_scale(factor, step[i].ang));
        state->pose[i].p = trm_v3_add_scaled(state->pose[i].p, factor, step[i].lin);
        state->pose[i].q = trm_quat_unit(trm_quat_mul(turn, state->pose[i].q));
    }
}

/* Computes step <- -w J^T (c - c(0)). */
static void set_correction(trm_nearby *n, const trm_state *state)
{
    for (int i = 0; i < n->start->model->body_count; i++) n->step[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int j = 0; j < n->start->model->joint_count; j++) {
        const trm_joint *joint = &n->start->model->joints[j];
        double c[TRM_JOINT_ROWS];
        if (!touches(n, joint)) continue;
        const trm_joint_at at = trm_joint_now(state, j);
        trm_joint_residual(&at, c);
        for (int r = 0; r < joint->rows; r++) {
            const int row = joint->row_offset + r;
            const double pull = -WEIGHT * n->per_row[row] * (c[r] - n->residual[row]);
            for (int k = 0; n->chosen[row] && k < joint->body_count; k++) {
                trm_spatial *step = &n->step[joint->body[k]];
                *step = trm_sp_add_scaled(*step, pull, n->J[(size_t)row * TRM_JOINT_BODIES + (size_t)k]);
            }
        }
    }
}

/* Iterates. Returns whether the chosen rows have their initial residuals again. */
static bool converge(trm_nearby *n, double reach, trm_state *state)
{
    double change = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        set_correction(n, state);
        solve(n);
        change = extent(n, n->step);
        if (!(change < reach)) return false; /* also if change is NaN */
        move(n, n->step, 1, state);
        if (change <= SETTLED) return true;
    }
    return change <= GOOD_ENOUGH;
}

bool trm_nearby_go(trm_nearby *nearby, trm_random *random, trm_state *state)
{
    random_step(nearby, random);
    const double length = extent(nearby, nearby->seed);
    if (!(length > 0)) return false;
    for (double reach = FARTHEST; reach >= SHORTEST; reach *= SHORTER) {
        trm_state_copy(state, nearby->start);
        move(nearby, nearby->seed, reach / length, state);
        if (converge(nearby, reach, state)) return true;
    }
    return false;
}
