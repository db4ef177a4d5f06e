/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The data of the direct solver: islands, their block matrices, and the workspace for the exact matrix.
 *
 * An island's matrix A has one diagonal block per joint, and an off-diagonal block per pair of joints that share a
 * free body. k joints on one body would be a dense clique of k^2 blocks. A body with many joints, a hub, is
 * therefore cut into n slices of mass m/n, each with a few of the joints. Six rows, the glue, connect neighbouring
 * slices:
 *
 *     V_s - V_(s+1) = 0,   each slice has n times the response of the body
 *
 * The machine is the same, so lambda is the same, and its graph is as sparse as that of a chain. */

#ifndef TRM_METHODS_MAXIMAL_DIRECT_H
#define TRM_METHODS_MAXIMAL_DIRECT_H

#include "linalg/block_kernels.h"
#include "linalg/block_ldlt.h"
#include "linalg/min_norm.h"
#include "methods/maximal/maximal.h"

/* A block of rows: those of a joint, or of the glue between two slices. */
typedef struct trm_direct_block {
    const trm_spatial *J, *W; /* rows x bodies */
    int rows, bodies;
    int first; /* index of its first row in x */
} trm_direct_block;

/* The rows that connect two neighbouring slices of a body. */
typedef struct trm_direct_glue {
    int body;
    trm_spatial J[12], W[12];
} trm_direct_glue;

/* One end of a block at a body. */
typedef struct trm_direct_end {
    int block, slot;
} trm_direct_end;

/* The ends at each of some bodies: those of body i are list[first[i]] .. list[first[i+1] - 1]. */
typedef struct trm_direct_ends {
    int bodies;
    const int *body; /* per body: index in the model */
    int *first;
    trm_direct_end *list;
} trm_direct_ends;

/* The elements of an island: its free bodies, or slices of them. The ends at element e are ends[first[e]] ..
 * ends[first[e + 1] - 1]. */
typedef struct trm_direct_elements {
    int count;
    int *body;   /* per element: index in the model */
    int *slices; /* per element: number of slices of its body */
    int *first;
    trm_direct_end *ends;
} trm_direct_elements;

/* The matrix of some blocks in an elimination order with little fill. */
typedef struct trm_direct_product trm_direct_product;
typedef struct trm_direct_sparse_matrix {
    trm_block_symbolic symbolic;
    trm_direct_product *products;
    int product_count;
    double *values;
} trm_direct_sparse_matrix;

typedef struct trm_direct_island trm_direct_island;
typedef struct trm_direct_tree trm_direct_tree;

/* How the matrix of an island is stored, factorised and solved: sparse, or as a hierarchy of subsystems. */
struct trm_direct_matrix {
    /* Allocates the matrix and decides where the rows of each block are in x. The caller frees scratch. Returns
     * false when out of memory. */
    bool (*make)(trm_maximal *w, int index, const trm_direct_elements *elements, trm_arena *scratch,
                 trm_direct_island *island);
    /* Factorises at the present pose: drops barred rows, softens the others, sets dropped and weakest. Returns the
     * number of dropped rows. */
    int (*factorise)(trm_maximal *w, trm_direct_island *island);
    /* x <- A^-1 x, where the right side of the glue is 0, whatever x holds there. */
    void (*solve)(trm_maximal *w, trm_direct_island *island);
};

extern const trm_direct_matrix trm_direct_sparse;

struct trm_direct_island {
    const trm_maximal_joint *joints;
    int joint_count;
    int joint_rows;
    int *bodies; /* free bodies */
    int body_count;
    trm_direct_block *blocks; /* joints, then glue */
    int block_count;
    trm_direct_glue *glue;
    int rows;       /* rows of all blocks */
    void *matrix;   /* data of the trm_direct_matrix in use */
    double *scale;  /* per row: diagonal of A for free bodies */
    double *x;      /* per row: right side, then solution */
    double *lambda; /* per row: sum of the impulses of this look-ahead, N s or N m s */
    bool *dropped;
    int dropped_count; /* dropped rows of joints at the present pose; with several ranks the largest of all ranks */
    bool loops;        /* rows of different joints may be dependent; if not, left_out, barred and limit are NULL */
    /* Per row: whether this rank, or the rank that closes it, dropped it. With one rank this is the array
     * `dropped`. */
    bool *left_out;
    bool *barred;             /* per row: always dropped, whatever its pivot */
    double *limit;            /* per row: scale with which its pivot is compared; infinite for barred rows */
    double softening;         /* fraction of scale added to the diagonal of each joint row */
    double weakest;           /* smallest kept pivot, as a fraction of its scale */
    double velocity_residual; /* of the last velocity round, in units of the tolerance */
    trm_maximal_worst worst;  /* largest residual of the last round */
    bool failed;              /* its joints could not be closed */
    trm_direct_tree *tree;    /* its joints as a tree, for Newton in joint coordinates; NULL: they are none */
    bool unfactorised;        /* its joints act as that tree, and A of the present pose was not needed yet */
    bool shared;              /* this rank has only some of its bodies and joints; other ranks have the rest */
    trm_maximal_tally tally;
};

/* Workspace of a thread for the exact system of an island, large enough for the largest one that is solved
 * exactly. */
typedef struct trm_direct_scratch {
    double *B, *b, *step, *root, *room;
    int *permutation;
    double *stresses;   /* room for self-stresses of islands with loops */
    size_t stress_room; /* number of doubles in it */
} trm_direct_scratch;

struct trm_direct {
    trm_direct_island *islands;
    int island_count;
    trm_direct_scratch *scratch; /* one per thread */
    int scratch_count;           /* number of workspaces */
    trm_spatial *response;       /* per body: response to joint impulses, while the rank is decided; NULL: no loops */
    double h;                    /* s: length of the look-ahead whose joints are being closed */
    int round;                   /* of the velocity projection, from 1 */
};

/* direct.c: implements trm_maximal_solver. */
bool trm_direct_create(trm_maximal *w);
void trm_direct_prepare(trm_maximal *w);
bool trm_direct_correct_joints(trm_maximal *w, double h, trm_outcome *outcome);
void trm_direct_velocity_round(trm_maximal *w, int round, trm_maximal_worst *worst);
void trm_direct_respond(trm_maximal *w, const int *body);
void trm_direct_acceleration_round(trm_maximal *w);
void trm_direct_island_acceleration_round(trm_maximal *w, int index);
int trm_direct_dropped(const trm_maximal *w, trm_row_name *rows, int most);

/* The table of a direct solver. Direct solvers differ in the storage of the matrix and the division among ranks
 * (further fields). They need one or two velocity rounds, more only if forces take part in them. Accelerations are
 * solved and refined twice, positions are solved and refined once. */
#define TRM_DIRECT_SOLVER(named, kept, ...)                                                                          \
    {                                                                                                                \
        .name = named, .matrix = kept, .create = trm_direct_create, .prepare = trm_direct_prepare,                   \
        .correct_joints = trm_direct_correct_joints, .velocity_round = trm_direct_velocity_round,                    \
        .most_velocity_rounds = 1000, .respond = trm_direct_respond,                                                 \
        .acceleration_round = trm_direct_acceleration_round,                                                         \
        .island_acceleration_round = trm_direct_island_acceleration_round, .most_reaction_rounds = 3,                \
        .most_projection_rounds = 2, .dropped = trm_direct_dropped, .opened_by_rank = trm_direct_opened_by_rank,     \
        __VA_ARGS__                                                                                                  \
    }

/* Islands with more rows than this are not solved with the exact matrix, which takes 2 n^3 operations each time. */
enum { TRM_MOST_EXACT_ROWS = 1000 };

/* direct_graph.c: find_elements makes the blocks and elements of an island from its joints, which need no rows
 * yet. make_island makes the whole island. local is scratch with one entry per body of the model, of any value.
 * Both return false when out of memory. */
bool trm_direct_find_elements(const trm_maximal *w, int *local, trm_arena *arena, trm_arena *scratch,
                              trm_direct_island *island, trm_direct_elements *elements);
bool trm_direct_make_island(trm_maximal *w, int index, int *local, trm_direct_island *island);

/* direct_graph.c: for bodies with given ends, counts the glue between slices, makes its blocks, whose W is not set, and
 * makes the elements; the number of the first glue is joint_count. make_elements returns false when out of memory. */
int trm_direct_count_glue(const trm_direct_ends *e);
void trm_direct_make_glue(const trm_direct_ends *e, trm_direct_glue *glue, trm_direct_block *blocks);
bool trm_direct_make_elements(const trm_direct_ends *e, int joint_count, trm_arena *arena,
                              trm_direct_elements *elements);

/* direct_sparse.c: make_sparse finds the elimination order and the first row of each block, and allocates the values.
 * It returns false when out of memory. fill computes J W of all blocks in the values. */
bool trm_direct_make_sparse(const trm_direct_elements *elements, trm_direct_block *blocks, int block_count,
                            trm_arena *arena, trm_arena *scratch, trm_direct_sparse_matrix *m);
void trm_direct_fill_sparse(const trm_direct_sparse_matrix *m, const trm_direct_block *blocks);

/* Adds weight J W^T of m and n rows at one body to the block, whose rows are `stride` doubles apart. The inner loop
 * runs over columns, so that it vectorises. */
TRM_KERNEL void trm_direct_add_rows(double *restrict block, int stride, const trm_spatial *J, int J_bodies,
                                    const trm_spatial *W, int W_bodies, double weight, int m, int n)
{
    double w[6][TRM_JOINT_ROWS];
    for (int c = 0; c < n; c++) {
        const trm_spatial F = W[c * W_bodies];
        w[0][c] = weight * F.ang.x, w[1][c] = weight * F.ang.y, w[2][c] = weight * F.ang.z;
        w[3][c] = weight * F.lin.x, w[4][c] = weight * F.lin.y, w[5][c] = weight * F.lin.z;
    }
    for (int r = 0; r < m; r++) {
        const trm_spatial G = J[r * J_bodies];
        for (int c = 0; c < n; c++)
            block[r * stride + c] += (G.ang.x * w[0][c] + G.ang.y * w[1][c] + G.ang.z * w[2][c]) +
                                     (G.lin.x * w[3][c] + G.lin.y * w[4][c] + G.lin.z * w[5][c]);
    }
}

/* Adds weight J_a W_b to block for two blocks that meet in an element, in slot k of one and slot l of the other.
 * Rows of the result are `stride` doubles apart. */
static inline void trm_direct_add_product(double *block, int stride, const trm_direct_block *a, int k,
                                          const trm_direct_block *b, int l, double weight)
{
    const trm_spatial *J = a->J + k, *W = b->W + l;
    if (a->rows == b->rows && stride == b->rows)
        TRM_WITH_CONSTANT(a->rows, N, trm_direct_add_rows(block, N, J, a->bodies, W, b->bodies, weight, N, N))
    else if (a->rows == b->rows)
        TRM_WITH_CONSTANT(a->rows, N, trm_direct_add_rows(block, stride, J, a->bodies, W, b->bodies, weight, N, N))
    else
        trm_direct_add_rows(block, stride, J, a->bodies, W, b->bodies, weight, a->rows, b->rows);
}

/* redundancy.c: decides which redundant rows to drop, namely those that carry most of the island's self-stresses,
 * and factorises again if the present factorisation dropped others. lost: rows dropped so far. Returns the number
 * of rows that are dropped now. */
int trm_direct_decide_rank(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch, int lost);

/* The choice of dropped rows is tested if the weakest kept pivot is below this fraction of its scale. A larger
 * value tests more often, which costs time; a smaller one keeps a redundant row that rounding made independent.
 * Tests pass with a tenth and with ten times of it. */
static const double TRM_WEAK_PIVOT = 1e-4;

/* Returns whether the island has rows that were dropped or nearly dropped: another pose may need other rows. */
static inline bool trm_direct_rank_matters(const trm_direct_island *island)
{
    return island->loops && (island->dropped_count > 0 || !(island->weakest > TRM_WEAK_PIVOT));
}

/* Pivots of the softened matrix are always kept: they are compared with this fraction of their scale. A larger
 * value drops rows of the softened matrix, a smaller one compares pivots with rounding only. Tests pass with a
 * tenth and with ten times of it. */
static const double TRM_SOFT_LIMIT = 1e-4;

/* trm_maximal_solver.opened_by_rank */
const trm_joint *trm_direct_opened_by_rank(trm_maximal *w);

/* Computes the values with which pivots of an island's rows are compared, from scale, barred and softening. */
static inline void trm_direct_find_limits(trm_direct_island *island)
{
    const double share = island->softening > 0 ? TRM_SOFT_LIMIT : 1;
    for (int r = 0; island->loops && r < island->rows; r++)
        island->limit[r] = island->barred[r] ? INFINITY : share * island->scale[r];
}

/* direct_exact.c: trm_direct_create_scratch allocates a workspace for `rows` rows and returns false when out of memory.
 * solve_exactly replaces the right side in x by impulses that close the island's joints to first order. */
bool trm_direct_create_scratch(int rows, trm_arena *arena, trm_direct_scratch *scratch);
void trm_direct_solve_exactly(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch);

/* direct_joint.c: Newton's method in joint coordinates. make_tree sets island->tree if its joints are a tree. local
 * is scratch with one entry per body of the model. It returns false when out of memory. The others take an island
 * with a tree. tree_applies returns whether exactly the joints of the tree act at present. begin_tree begins a
 * look-ahead. solve_tree replaces the right side in x by impulses that close the joints at the present look-ahead; it
 * returns false if the matrix is singular. */
bool trm_direct_make_tree(trm_maximal *w, int *local, trm_arena *scratch, trm_direct_island *island);
bool trm_direct_tree_applies(const trm_maximal *w, const trm_direct_island *island);
void trm_direct_begin_tree(trm_maximal *w, trm_direct_island *island);
bool trm_direct_solve_tree(trm_maximal *w, trm_direct_island *island);

#endif
