/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What can be said of a machine in one pose: islands, loops, rank of its constraints, gaps.
 *
 * Rank. Row i of the Jacobian of all attached joints is scaled per body: velocities as they are, angular velocities by
 * 1/rho, rho the body's largest radius of gyration, so that metres and radians compare. Rows are added joint by joint
 * in the model's order (linalg/echelon.h): a row of which nothing is left after those before it is redundant. Columns
 * are numbered from the leaves of the spanning tree to its roots: a tree joint leads with its child's columns, so that
 * only loops fill rows up. */

#include "base/memory.h"
#include "linalg/echelon.h"
#include "model/topology.h"
#include "motion/state.h"

/* Squared, this is the 1e-11 of its free-body value below which a solver drops a pivot. */
static const double DEPENDENT = 3.2e-6;
/* A rope counts as taut up to so much slack, m. */
static const double TAUT = 1e-9;

/* ---- Rank --------------------------------------------------------------------------------- */

typedef struct rank_search {
    const trm_state *state;
    const trm_topology *topology;
    trm_analysis *analysis;
    trm_island *islands;
    trm_row_name *redundant;
    trm_echelon *echelon;
    int *first_column;  /* of each body; -1: held */
    double *per_radian; /* 1/rho of each body */
} rank_search;

static bool number_columns(rank_search *s, trm_arena *arena)
{
    const trm_model *model = s->state->model;
    int columns = 0;
    s->first_column = TRM_NEW_ARRAY(arena, int, model->body_count);
    s->per_radian = TRM_NEW_ARRAY(arena, double, model->body_count);
    if (!s->first_column || !s->per_radian) return false;
    for (int i = 0; i < model->body_count; i++) s->first_column[i] = -1;
    for (int i = s->topology->order_count - 1; i >= 0; i--) {
        const int index = s->topology->order[i];
        const trm_body *body = &model->bodies[index];
        const double largest = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
        s->first_column[index] = columns;
        s->per_radian[index] = largest > 0 ? sqrt(body->mass / largest) : 0;
        columns += trm_body_freedoms(body);
    }
    s->echelon = trm_echelon_create(arena, columns);
    return s->echelon != NULL;
}

/* One row of a joint as sparse entries, columns increasing; returns how many. */
static int sparse_row(const rank_search *s, const trm_joint *joint, const trm_spatial *J, int *columns,
                      double *values)
{
    int sequence[TRM_JOINT_BODIES], bodies = 0, count = 0;
    for (int k = 0; k < joint->body_count; k++) { /* insertion sort of the free bodies by column */
        if (s->first_column[joint->body[k]] < 0) continue;
        int at = bodies++;
        for (; at > 0 && s->first_column[joint->body[sequence[at - 1]]] > s->first_column[joint->body[k]]; at--)
            sequence[at] = sequence[at - 1];
        sequence[at] = k;
    }
    for (int b = 0; b < bodies; b++) {
        const int k = sequence[b], body = joint->body[k];
        const double scale = s->per_radian[body];
        const double row[6] = {J[k].lin.x,         J[k].lin.y,         J[k].lin.z,
                               scale * J[k].ang.x, scale * J[k].ang.y, scale * J[k].ang.z};
        for (int i = 0; i < trm_body_freedoms(&s->state->model->bodies[body]); i++, count++) {
            columns[count] = s->first_column[body] + i;
            values[count] = row[i];
        }
    }
    return count;
}

/* Adds the rows of one joint; false: out of memory. */
static bool add_joint(rank_search *s, int index)
{
    const trm_joint_at at = trm_joint_now(s->state, index);
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double c[TRM_JOINT_ROWS];
    trm_row_law law[TRM_JOINT_ROWS];
    trm_island *island = &s->islands[s->topology->island_of_joint[index]];
    trm_joint_jacobian(&at, J);
    trm_joint_residual(&at, c);
    trm_joint_law(&at, law);
    for (int row = 0; row < at.joint->rows; row++) {
        int columns[6 * TRM_JOINT_BODIES];
        double values[6 * TRM_JOINT_BODIES];
        if (law[row].hi == 0 && c[row] < -TAUT) continue; /* slack */
        const int count = sparse_row(s, at.joint, J + row * at.joint->body_count, columns, values);
        const trm_echelon_result result = trm_echelon_add(s->echelon, columns, values, count, DEPENDENT);
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
    if (!number_columns(s, arena)) return false;
    for (int j = 0; j < s->state->model->joint_count; j++)
        if (s->topology->island_of_joint[j] >= 0 && !add_joint(s, j)) return false;
    return true;
}

/* ---- Counting ----------------------------------------------------------------------------- */

static void count_islands(const trm_model *model, const trm_topology *topology, trm_island *islands)
{
    for (int i = 0; i < model->body_count; i++) {
        if (topology->island_of_body[i] < 0) continue;
        trm_island *island = &islands[topology->island_of_body[i]];
        island->bodies++;
        island->freedoms += trm_body_freedoms(&model->bodies[i]);
    }
    for (int j = 0; j < model->joint_count; j++) {
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
    const int count = state->model->joint_count;
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

/* All of it into the arena; false: out of memory. */
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
    trm_arena arena;
    trm_arena_init(&arena, allocator);
    trm_analysis *analysis = TRM_NEW(&arena, trm_analysis);
    trm_arena *owner = TRM_NEW(&arena, trm_arena);
    if (!analysis || !owner || !analyse(state, &arena, analysis)) {
        trm_arena_destroy(&arena);
        return NULL;
    }
    *owner = arena;
    analysis->arena = owner;
    return analysis;
}

void trm_analysis_destroy(trm_analysis *analysis)
{
    if (!analysis) return;
    trm_arena arena = *analysis->arena; /* lives inside itself */
    trm_arena_destroy(&arena);
}
