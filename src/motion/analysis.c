/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Analysis of a machine in one pose: islands, loops, rank of its constraints, gaps.
 *
 * Rank (motion/rank.h): rows are added joint by joint in the order of the model, so a redundant row is reported for
 * the last of the joints involved. */

#include "motion/rank.h"

/* ---- Rank --------------------------------------------------------------------------------- */

typedef struct rank_search {
    const trm_state *state;
    const trm_topology *topology;
    trm_analysis *analysis;
    trm_island *islands;
    trm_row_name *redundant;
    trm_rank *rank;
} rank_search;

/* Adds the rows of one joint. Returns false when out of memory. */
static bool add_joint(rank_search *s, int index)
{
    const trm_joint_at at = trm_joint_now(s->state, index);
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    bool holds[TRM_JOINT_ROWS];
    trm_island *island = &s->islands[s->topology->island_of_joint[index]];
    trm_joint_jacobian(&at, J);
    trm_active_rows(&at, holds);
    for (int row = 0; row < at.joint->rows; row++) {
        if (!holds[row]) continue;
        const trm_spatial *J_row = J + row * at.joint->body_count;
        const trm_echelon_result result = trm_rank_add(s->rank, at.joint, J_row, TRM_DEPENDENT);
        if (result == TRM_ROW_NO_MEMORY) return false;
        island->rows++;
        if (result == TRM_ROW_INDEPENDENT)
            island->rank++;
        else
            s->redundant[s->analysis->redundant_count++] = (trm_row_name){index, row};
    }
    return true;
}

static bool find_rank(rank_search *s, trm_arena *arena)
{
    s->rank = trm_rank_create(s->state->model, s->topology, arena);
    if (!s->rank) return false;
    for (int j = 0; j < s->state->model->shown_joint_count; j++)
        if (s->topology->island_of_joint[j] >= 0 && !add_joint(s, j)) return false;
    return true;
}

/* ---- Counting ----------------------------------------------------------------------------- */

static void count_islands(const trm_model *model, const trm_topology *topology, trm_island *islands)
{
    /* rotors are not counted, because they have no freedom of their own */
    for (int i = 0; i < model->shown_body_count; i++) {
        if (topology->island_of_body[i] < 0) continue;
        trm_island *island = &islands[topology->island_of_body[i]];
        island->bodies++;
        island->freedoms += trm_body_freedoms(&model->bodies[i]);
    }
    for (int j = 0; j < model->shown_joint_count; j++) {
        if (topology->island_of_joint[j] < 0) continue;
        trm_island *island = &islands[topology->island_of_joint[j]];
        island->joints++;
        if (!topology->tree_joint[j] && !model->joints[j].host) island->loops++;
    }
}

static trm_island sum_of(const trm_island *islands, int count)
{
    trm_island sum = {0};
    for (int i = 0; i < count; i++) {
        sum.bodies += islands[i].bodies;
        sum.joints += islands[i].joints;
        sum.loops += islands[i].loops;
        sum.freedoms += islands[i].freedoms;
        sum.rows += islands[i].rows;
        sum.rank += islands[i].rank;
    }
    return sum;
}

static bool measure_gaps(const trm_state *state, trm_arena *arena, trm_analysis *analysis)
{
    const int count = state->model->shown_joint_count;
    trm_gap *gaps = TRM_NEW_ARRAY(arena, trm_gap, count), *velocity_gaps = TRM_NEW_ARRAY(arena, trm_gap, count);
    if (!gaps || !velocity_gaps) return false;
    for (int j = 0; j < count; j++) {
        if (!state->attached[j]) continue;
        gaps[j] = trm_position_gap(state, j);
        velocity_gaps[j] = trm_velocity_gap(state, j);
    }
    analysis->gaps = gaps;
    analysis->velocity_gaps = velocity_gaps;
    return true;
}

/* Computes all results, in the arena. Returns false when out of memory. */
static bool analyse(const trm_state *state, trm_arena *arena, trm_analysis *analysis)
{
    trm_topology topology;
    if (!trm_topology_find(state->model, state->attached, arena, &topology)) return false;
    rank_search s = {.state = state, .topology = &topology, .analysis = analysis};
    s.islands = TRM_NEW_ARRAY(arena, trm_island, topology.island_count);
    s.redundant = TRM_NEW_ARRAY(arena, trm_row_name, state->model->row_count);
    if (!s.islands || !s.redundant || !measure_gaps(state, arena, analysis)) return false;
    count_islands(state->model, &topology, s.islands);
    if (!find_rank(&s, arena)) return false;

    analysis->island_count = topology.island_count;
    analysis->islands = s.islands;
    analysis->whole = sum_of(s.islands, topology.island_count);
    analysis->redundant = s.redundant;
    analysis->island_of_body = topology.island_of_body;
    analysis->tree_joint = topology.tree_joint;
    return true;
}

trm_analysis *trm_analyse(const trm_state *state, const trm_allocator *allocator)
{
    trm_arena *arena = trm_owner_create(allocator, sizeof *arena);
    trm_analysis *analysis = arena ? TRM_NEW(arena, trm_analysis) : NULL;
    if (!analysis || !analyse(state, arena, analysis)) {
        trm_owner_destroy(arena, sizeof *arena);
        return NULL;
    }
    analysis->arena = arena;
    return analysis;
}

void trm_analysis_destroy(trm_analysis *analysis)
{
    if (analysis) trm_owner_destroy(analysis->arena, sizeof *analysis->arena);
}
