/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The direct solver inside: its islands, their block matrices, and where the exact matrix is solved.
 *
 * An island's matrix A has a block per joint, and off the diagonal one per pair of joints that share a free body. k
 * joints on one body would be a dense clique of k^2 blocks; a body with many joints, a hub, is therefore cut into n
 * slices of mass m/n, each with a few of the joints, and neighbouring slices are glued by six rows more:
 *
 *     V_s - V_(s+1) = 0,   each slice answering to impulses n times as strongly as the body
 *
 * That is the same machine, so lambda is the same, and its graph is as sparse as a chain. */

#ifndef TRM_METHODS_MAXIMAL_DIRECT_H
#define TRM_METHODS_MAXIMAL_DIRECT_H

#include "linalg/min_norm.h"
#include "methods/maximal/maximal.h"

/* A block of rows: of a joint, or of the glue between two slices. */
typedef struct trm_direct_block {
    const trm_spatial *J, *W; /* rows x bodies */
    int rows, bodies;
    int first; /* its first row in x */
} trm_direct_block;

typedef struct trm_direct_glue {
    int body;
    trm_spatial J[12], W[12];
} trm_direct_glue;

/* One end of a block at a body. */
typedef struct trm_direct_end {
    int block, slot;
} trm_direct_end;

/* What has mass: free bodies, or slices of one. The ends at element e are ends[first[e]] .. ends[first[e + 1] - 1]. */
typedef struct trm_direct_elements {
    int count;
    int *body;   /* in the model, per element */
    int *slices; /* per element: into how many its body is cut */
    int *first;
    trm_direct_end *ends;
} trm_direct_elements;

typedef struct trm_direct_island trm_direct_island;

/* How the matrix of an island is kept, factorised and solved: sparse, or by a hierarchy of subsystems. */
struct trm_direct_matrix {
    /* Says where the rows of each block are in x and makes room; scratch is given back. False: out of memory. */
    bool (*make)(trm_maximal *w, int index, const trm_direct_elements *elements, trm_arena *scratch,
                 trm_direct_island *island);
    /* At the present pose: barred rows are dropped, the others are softened; sets dropped and weakest. Returns how many rows
     * were dropped. */
    int (*factorise)(trm_maximal *w, trm_direct_island *island);
    void (*solve)(trm_maximal *w, trm_direct_island *island); /* x <- A^-1 x */
};

extern const trm_direct_matrix trm_direct_sparse;

struct trm_direct_island {
    const trm_maximal_joint *joints;
    int joint_count;
    int joint_rows;
    int *bodies; /* the free ones */
    int body_count;
    trm_direct_block *blocks; /* joints, then glue */
    int block_count;
    trm_direct_glue *glue;
    int rows;       /* of all blocks */
    void *matrix;   /* its own kind's */
    double *scale;  /* per row: its free-body value, */
    double *x;      /* right side, then solution, */
    double *lambda; /* all impulses of this look-ahead */
    bool *dropped;
    int dropped_count; /* rows of joints at the present pose; of several ranks the most of one */
    bool loops;        /* rows of different joints may depend on each other; else the next three are not there */
    bool *left_out; /* per row: dropped, here or by the rank that closes it; dropped itself where there is one rank */
    bool *barred;   /* per row: it is dropped, whatever is left of it */
    double *limit;  /* per row: what its pivot is compared with; infinite for barred rows */
    double softening;         /* share of its scale that is added to the diagonal of each row of a joint */
    double weakest;           /* smallest pivot that was kept, as a share of its scale */
    double velocity_residual; /* of the last round over velocities, in tolerances */
    trm_maximal_worst worst;  /* of the last round */
    bool failed;              /* it could not be closed */
    bool shared;              /* bodies and joints here are only some of it: other ranks have the others */
    trm_maximal_tally tally;
};

/* Where a thread solves the exact system of an island: room for the largest that is solved so. */
typedef struct trm_direct_scratch {
    double *B, *b, *step, *root, *room;
    int *permutation;
    double *stresses;   /* room for self-stresses of islands with loops, */
    size_t stress_room; /* so many numbers */
} trm_direct_scratch;

struct trm_direct {
    trm_direct_island *islands;
    int island_count;
    trm_direct_scratch *scratch; /* one per thread */
    int desk_count;
    trm_spatial *response; /* per body: what impulses in joints do to it, while ranks are decided; NULL: no loops */
    double h;              /* s: of the look-ahead whose joints are being closed */
    int round;             /* over velocities */
};

/* direct.c: functions of trm_maximal_solver. */
bool trm_direct_create(trm_maximal *w);
void trm_direct_prepare(trm_maximal *w);
bool trm_direct_correct_joints(trm_maximal *w, double h, trm_outcome *outcome);
void trm_direct_match_velocities(trm_maximal *w, int round, trm_maximal_worst *worst);
void trm_direct_respond(trm_maximal *w, const int *body);
void trm_direct_match_accelerations(trm_maximal *w);
void trm_direct_match_island(trm_maximal *w, int index);
int trm_direct_dropped(const trm_maximal *w, trm_row_name *rows, int most);

/* Direct solvers differ in how they keep the matrix, and in who works on what (further fields). They need one or two rounds over
 * velocities, unless forces take part in them; accelerations are solved for and refined twice, positions once. */
#define TRM_DIRECT_SOLVER(named, kept, ...)                                                                          \
    {                                                                                                                \
        .name = named, .matrix = kept, .create = trm_direct_create, .prepare = trm_direct_prepare,                   \
        .correct_joints = trm_direct_correct_joints, .match_velocities = trm_direct_match_velocities,                \
        .most_velocity_rounds = 1000, .answer = trm_direct_respond,                                                  \
        .match_accelerations = trm_direct_match_accelerations, .match_island = trm_direct_match_island,              \
        .most_reaction_rounds = 3, .most_fit_rounds = 2, .dropped = trm_direct_dropped,                              \
        .opened_by_rank = trm_direct_opened_by_rank, __VA_ARGS__                                                     \
    }

/* An island with more rows than this is not solved with the exact matrix: 2 n^3 operations each time. */
enum { TRM_MOST_EXACT_ROWS = 1000 };

/* direct_graph.c: blocks and elements of an island whose joints are known, joints without rows too; local: any numbers,
 * per body of the model. False: out of memory. */
bool trm_direct_find_elements(const trm_maximal *w, int *local, trm_arena *arena, trm_arena *scratch,
                              trm_direct_island *island, trm_direct_elements *elements);
bool trm_direct_make_island(trm_maximal *w, int index, int *local, trm_direct_island *island);

/* block += weight J_a W_b of two blocks in the element where they meet, slot k of one and l of the other; rows of the result
 * are so many numbers apart. */
void trm_direct_add_product(double *block, int apart, const trm_direct_block *a, int k, const trm_direct_block *b,
                            int l, double weight);

/* redundancy.c: the factorisation with the rows left out that carry most of the island's self-stresses, where the one at hand left
 * out others. lost: rows dropped so far. Returns how many rows are dropped then. */
int trm_direct_decide_rank(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch, int lost);

/* Whether the island has rows that were dropped, or nearly were: another pose may ask for others. */
bool trm_direct_rank_matters(const trm_direct_island *island);

/* trm_maximal_solver.opened_by_rank */
const trm_joint *trm_direct_opened_by_rank(trm_maximal *w);

/* What pivots of an island's rows are compared with, from scale, barred and softening. */
void trm_direct_find_limits(trm_direct_island *island);

/* direct_exact.c: impulses that close the island's joints in the linear picture, from the right side in x; applied. */
bool trm_direct_make_desk(int rows, trm_arena *arena, trm_direct_scratch *scratch);
void trm_direct_solve_exactly(trm_maximal *w, trm_direct_island *island, trm_direct_scratch *scratch);

#endif
