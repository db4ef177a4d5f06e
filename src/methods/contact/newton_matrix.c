/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The matrix of Newton's method on the velocities of an island, M + sum J^T C J with C = -dlambda/du. It has six rows
 * per body, and a block for each pair of bodies that a constraint connects (newton.c). */

#include "linalg/block_kernels.h"
#include "methods/contact/newton.h"

/* ---- Constraints -------------------------------------------------------------------------- */

/* The rows of a constraint on one of its bodies, and C times them. */
typedef struct constraint_rows {
    double J[TRM_JOINT_ROWS][6], CJ[TRM_JOINT_ROWS][6];
} constraint_rows;

/* Fills the rows. m is a compile-time constant where it matters, so that the loops unroll. */
TRM_KERNEL void fill_rows(const trm_newton *d, const trm_constraint *constraint, int k,
                          double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS], int m, constraint_rows *rows)
{
    for (int r = 0; r < m; r++)
        trm_newton_put(&d->p->bodies[constraint->body[k]], constraint->J[r * constraint->bodies + k], rows->J[r]);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < 6; c++) {
            double sum = C[r][0] * rows->J[0][c];
            for (int s = 1; s < m; s++) sum += C[r][s] * rows->J[s][c];
            rows->CJ[r][c] = sum;
        }
}

/* block += J_a^T C J_b, rows x columns */
TRM_KERNEL void add_product(double *block, const constraint_rows *a, const constraint_rows *b, int m, int rows,
                            int columns)
{
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < columns; c++) {
            double sum = a->J[0][i] * b->CJ[0][c];
            for (int r = 1; r < m; r++) sum += a->J[r][i] * b->CJ[r][c];
            block[i * columns + c] += sum;
        }
}

TRM_KERNEL void add_constraint_of(trm_newton *d, const trm_constraint *constraint,
                                  double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS], int m)
{
    constraint_rows rows[TRM_JOINT_BODIES] = {0};
    for (int k = 0; k < constraint->bodies; k++)
        if (d->matrix.slot[constraint->body[k]] >= 0) fill_rows(d, constraint, k, C, m, &rows[k]);
    for (int k = 0; k < constraint->bodies; k++)
        for (int l = 0; l < constraint->bodies; l++) {
            const int a = d->matrix.slot[constraint->body[k]], b = d->matrix.slot[constraint->body[l]];
            bool transposed;
            if (a < 0 || b < 0 || d->matrix.symbolic.position[a] < d->matrix.symbolic.position[b]) continue;
            double *block = d->matrix.values + trm_block_place(&d->matrix.symbolic, a, b, &transposed);
            const int height = d->matrix.symbolic.size[d->matrix.symbolic.position[a]],
                      width = d->matrix.symbolic.size[d->matrix.symbolic.position[b]];
            if (height == 6 && width == 6)
                add_product(block, &rows[k], &rows[l], m, 6, 6);
            else
                add_product(block, &rows[k], &rows[l], m, height, width);
        }
}

/* H += J^T C J of a constraint */
static void add_constraint(trm_newton *d, const trm_constraint *constraint, double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    TRM_WITH_CONSTANT(constraint->rows, M, add_constraint_of(d, constraint, C, M))
}

/* ---- Contacts of two bodies --------------------------------------------------------------- */

/* A row or column over the six freedoms of a rigid body. */
typedef struct six {
    trm_four lin, ang;
} six;

TRM_KERNEL trm_four three(trm_vec3 v)
{
    return (trm_four){v.x, v.y, v.z, 0};
}

/* All contacts of two rigid bodies as springs between them, at the centre of mass of the first: rows of 6 x 6. With X
 * V = (v + w x c, w) the velocity of the second body at that point, c from its centre of mass to that of the first,
 * they add
 *
 *     S to H_aa,   -S X to H_ab,   X^T S X to H_bb */
typedef struct pair_springs {
    int body[2]; /* -1: none yet */
    trm_vec3 c;
    six S[6];
} pair_springs;

/* S += A^T C A, A = (d, arm x d) */
static void add_spring(pair_springs *pair, const trm_contact_frame *frame, double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    six A[3], CA[3];
    for (int r = 0; r < 3; r++) A[r] = (six){three(frame->d[r]), three(trm_v3_cross(frame->arm[0], frame->d[r]))};
    for (int r = 0; r < 3; r++) {
        CA[r].lin = C[r][0] * A[0].lin + C[r][1] * A[1].lin + C[r][2] * A[2].lin;
        CA[r].ang = C[r][0] * A[0].ang + C[r][1] * A[1].ang + C[r][2] * A[2].ang;
    }
    for (int i = 0; i < 6; i++)
        for (int r = 0; r < 3; r++) {
            const double a = i < 3 ? A[r].lin[i] : A[r].ang[i - 3];
            pair->S[i].lin += a * CA[r].lin;
            pair->S[i].ang += a * CA[r].ang;
        }
}

/* Returns X^T times a column, or a row times X: (l, a + c x l). */
static six shifted(trm_vec3 c, six row)
{
    const trm_vec3 turn = trm_v3_cross(c, trm_v3(row.lin[0], row.lin[1], row.lin[2]));
    return (six){row.lin, row.ang + three(turn)};
}

static void add_block(double *block, const six *rows, double sign)
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            block[6 * i + k] += sign * rows[i].lin[k];
            block[6 * i + 3 + k] += sign * rows[i].ang[k];
        }
}

static void transpose_six(const six *from, six *to)
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            to[i].lin[k] = i < 3 ? from[k].lin[i] : from[k].ang[i - 3];
            to[i].ang[k] = i < 3 ? from[3 + k].lin[i] : from[3 + k].ang[i - 3];
        }
}

static void add_pair(trm_newton *d, const pair_springs *pair)
{
    if (pair->body[0] < 0) return;
    const int a = d->matrix.slot[pair->body[0]], b = d->matrix.slot[pair->body[1]];
    six SX[6], XS[6], XSX[6];
    bool transposed;
    for (int i = 0; i < 6; i++) SX[i] = shifted(pair->c, pair->S[i]);
    if (a >= 0) add_block(d->matrix.values + d->matrix.symbolic.pivot[d->matrix.symbolic.position[a]], pair->S, 1);
    if (b >= 0) {
        transpose_six(SX, XS); /* = X^T S, because S is symmetric */
        for (int i = 0; i < 6; i++) XSX[i] = shifted(pair->c, XS[i]);
        add_block(d->matrix.values + d->matrix.symbolic.pivot[d->matrix.symbolic.position[b]], XSX, 1);
    }
    if (a >= 0 && b >= 0) {
        double *block = d->matrix.values + trm_block_place(&d->matrix.symbolic, a, b, &transposed);
        add_block(block, transposed ? XS : SX, -1);
    }
}

static bool are_rigid(const trm_newton *d, const trm_constraint *constraint)
{
    for (int k = 0; k < 2; k++)
        if (trm_body_freedoms(&d->p->bodies[constraint->body[k]]) != 6 && d->matrix.slot[constraint->body[k]] >= 0)
            return false;
    return true;
}

/* Adds a contact of rigid bodies to the preceding contacts of the same two bodies, or begins a new pair. */
static void add_cone(trm_newton *d, pair_springs *pair, const trm_constraint *constraint,
                     double C[TRM_JOINT_ROWS][TRM_JOINT_ROWS])
{
    if (constraint->body[0] != pair->body[0] || constraint->body[1] != pair->body[1]) {
        add_pair(d, pair);
        *pair = (pair_springs){.body = {constraint->body[0], constraint->body[1]},
                               .c = trm_v3_sub(constraint->frame->arm[1], constraint->frame->arm[0])};
    }
    add_spring(pair, constraint->frame, C);
}

static void add_inertia(trm_newton *d, int i)
{
    const trm_body *of = &d->p->bodies[d->island->bodies[i]];
    const int n = trm_body_freedoms(of);
    double *block = d->matrix.values + d->matrix.symbolic.pivot[d->matrix.symbolic.position[i]];
    for (int r = 0; r < 3; r++) block[r * n + r] += of->mass;
    for (int r = 0; n == 6 && r < 3; r++)
        for (int c = 0; c < 3; c++) block[(3 + r) * n + 3 + c] += d->inertia[i].m[r][c];
}

/* Sets scales so small that no row is dropped, because all rows have inertia. */
static void fill_scales(trm_newton *d, int i)
{
    const int position = d->matrix.symbolic.position[i], n = d->matrix.symbolic.size[position];
    const double *block = d->matrix.values + d->matrix.symbolic.pivot[position];
    for (int r = 0; r < n; r++)
        d->matrix.scale[d->matrix.symbolic.first_row[position] + r] = 1e-30 * block[r * n + r];
}

/* M + sum J^T C J at the present velocities, factorised. */
void trm_newton_factorise(trm_newton *d)
{
    pair_springs pair = {.body = {-1, -1}};
    memset(d->matrix.values, 0, d->matrix.symbolic.values * sizeof *d->matrix.values);
    for (int i = 0; i < d->island->body_count; i++) add_inertia(d, i);
    for (int i = 0; i < d->island->constraint_count; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        double lambda[TRM_JOINT_ROWS], C[TRM_JOINT_ROWS][TRM_JOINT_ROWS];
        if (trm_newton_obey(d, i, d->u + TRM_JOINT_ROWS * i, lambda, C) == TRM_CONE_OPEN) continue;
        if (constraint->law == TRM_CONE && are_rigid(d, constraint))
            add_cone(d, &pair, constraint, C);
        else
            add_constraint(d, constraint, C);
    }
    add_pair(d, &pair);
    for (int i = 0; i < d->island->body_count; i++) fill_scales(d, i);
    trm_block_factorise(&d->matrix.symbolic, d->matrix.values, d->matrix.scale, d->matrix.dropped);
    d->matrix.factorised = true;
    d->matrix.places = d->places;
}

/* ---- Structure of the matrix --------------------------------------------------------------- */

/* Bodies are neighbours if a constraint connects them. */
bool trm_newton_make_symbolic(trm_newton *d)
{
    trm_arena *arena = d->p->arena;
    const int n = d->island->body_count, constraints = d->island->constraint_count;
    trm_block_elements elements;
    trm_block_graph graph;
    int *size = TRM_NEW_ARRAY(arena, int, n);
    if (!size || !trm_block_elements_create(&elements, constraints, constraints * TRM_JOINT_BODIES, arena))
        return false;
    for (int i = 0; i < n; i++) size[i] = trm_body_freedoms(&d->p->bodies[d->island->bodies[i]]);
    for (int i = 0; i < constraints; i++) {
        const trm_constraint *constraint = trm_newton_constraint(d, i);
        trm_block_elements_add(&elements, d->matrix.slot, constraint->body, constraint->bodies);
    }
    return trm_block_graph_make(&elements, n, size, arena, &graph) &&
           trm_block_symbolic_find(&graph, arena, arena, &d->matrix.symbolic);
}
