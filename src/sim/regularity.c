/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Finds the dependent rows that are dependent in this pose only.
 *
 * Of the constraint rows at a pose q, let S be a largest independent set and D the rest. The poses near q at which
 * the rows of S stay closed form a smooth surface. The machine is regular in q (Schmitt, Bender, Prautzsch 2005,
 * section 4: what is left without D is kinematically the same machine) exactly if D stays closed on all of it, that
 * is if the rank is the same everywhere on it. So the rank is computed at some random poses of that surface
 * (motion/nearby.h), with the rows of S first:
 *
 *     rows of D that depend on others there too   are redundant: they may be dropped
 *     the others                                  make q singular: dropping them would allow motions that are
 *                                                 impossible
 *
 * In a singular pose, poses q' that satisfy all joints are examined, too. They are found by assembly from the random
 * ones. A row of D that depends on others at some q', where not all rows of D do, is redundant along the motion that
 * leaves q. If all of D depend on others at every q' that was found, as in a chain stretched between two pins, the
 * motions that the rank at q counts are only infinitesimal.
 *
 * Cost: a factorisation over the bodies and at most SAMPLES ranks; in a singular pose as many assemblies and ranks
 * more. Only islands with rows in D that can move at all are examined. */

#include "motion/nearby.h"
#include "motion/rank.h"
#include "sim/sim.h"

enum { SAMPLES = 3 };
/* Tolerance of assembled poses, m and rad. Where no finite motion exists, assembled poses are within its square root
 * of a singular pose. A larger value leaves poses so far from the singular one that they seem regular, a smaller one
 * is below rounding. Tests pass with a tenth and with ten times of it. */
static const double ASSEMBLED = 1e-13;
/* Fraction of a row that must be independent of others at an assembled pose. It is many times the square root of
 * ASSEMBLED. With ten times of it, a third crank is not found redundant (test methods_regularity); a smaller value
 * comes near that root and counts rounding as independence. */
static const double CLEARLY_INDEPENDENT = 3e-5;

typedef struct search {
    const trm_state *state;
    const trm_analysis *analysis;
    trm_arena *arena;
    trm_topology topology;
    bool *kept;            /* per row of the model: it is in S of an island in doubt */
    trm_row_name *doubted; /* rows D of these islands */
    int doubted_count;
    bool *depends;    /* per row of D: it depends on others at the last pose */
    bool *redundant;  /* per row of D: the result */
    int independents; /* number of independent rows of D at the best pose so far */
    trm_random random;
    trm_state *nearby, *assembled;
} search;

/* ---- Islands in doubt ----------------------------------------------------------------------- */

/* Returns whether the island of a joint has dependent rows and can move. An island that cannot move has no other
 * poses nearby. */
static bool in_doubt(const search *s, int joint)
{
    const int index = s->topology.island_of_joint[joint];
    const trm_island *island = index < 0 ? NULL : &s->analysis->islands[index];
    return island && island->rank < island->rows && island->rank < island->freedoms;
}

static void choose_rows(search *s)
{
    for (int j = 0; j < s->state->model->shown_joint_count; j++) {
        bool holds[TRM_JOINT_ROWS];
        if (!in_doubt(s, j)) continue;
        const trm_joint_at at = trm_joint_now(s->state, j);
        trm_active_rows(&at, holds);
        for (int r = 0; r < at.joint->rows; r++) s->kept[at.joint->row_offset + r] = holds[r];
    }
    for (int i = 0; i < s->analysis->redundant_count; i++) {
        const trm_row_name row = s->analysis->redundant[i];
        if (!in_doubt(s, row.joint)) continue;
        s->kept[s->state->model->joints[row.joint].row_offset + row.row] = false;
        s->doubted[s->doubted_count++] = row;
    }
}

static bool prepare(search *s)
{
    const trm_model *model = s->state->model;
    const int most = s->analysis->redundant_count;
    if (!trm_topology_find(model, s->state->attached, s->arena, &s->topology)) return false;
    s->kept = TRM_NEW_ARRAY(s->arena, bool, model->row_count);
    s->doubted = TRM_NEW_ARRAY(s->arena, trm_row_name, most);
    s->depends = TRM_NEW_ARRAY(s->arena, bool, most);
    s->redundant = TRM_NEW_ARRAY(s->arena, bool, most);
    if (s->arena->failed) return false;
    choose_rows(s);
    return true;
}

/* ---- Rank at other poses -------------------------------------------------------------------- */

typedef enum found { FOUND, NOT_FOUND, NO_MEMORY } found;

static bool add_kept(const search *s, const trm_state *at_state, trm_rank *rank)
{
    for (int j = 0; j < at_state->model->shown_joint_count; j++) {
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        if (!in_doubt(s, j)) continue;
        const trm_joint_at at = trm_joint_now(at_state, j);
        trm_joint_jacobian(&at, J);
        for (int r = 0; r < at.joint->rows; r++)
            if (s->kept[at.joint->row_offset + r] &&
                trm_rank_add(rank, at.joint, J + r * at.joint->body_count, TRM_DEPENDENT) == TRM_ROW_NO_MEMORY)
                return false;
    }
    return true;
}

/* Finds the rows of D that depend on those before them at another pose. Returns how many do not; -1: out of
 * memory. */
static int count_independent_rows(const search *s, const trm_state *at_state, double tolerance)
{
    int independents = 0;
    const trm_arena_mark mark = trm_arena_get_mark(s->arena);
    trm_rank *rank = trm_rank_create(at_state->model, &s->topology, s->arena);
    if (!rank || !add_kept(s, at_state, rank)) return -1;
    for (int i = 0; i < s->doubted_count; i++) {
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        const trm_joint_at at = trm_joint_now(at_state, s->doubted[i].joint);
        trm_joint_jacobian(&at, J);
        const trm_echelon_result result =
            trm_rank_add(rank, at.joint, J + s->doubted[i].row * at.joint->body_count, tolerance);
        if (result == TRM_ROW_NO_MEMORY) return -1;
        s->depends[i] = result == TRM_ROW_DEPENDENT;
        independents += !s->depends[i];
    }
    trm_arena_reset(s->arena, mark);
    return independents;
}

/* Keeps the result of the pose with the largest rank. */
static found take_better(search *s, const trm_state *at_state, double tolerance)
{
    const int independents = count_independent_rows(s, at_state, tolerance);
    if (independents < 0) return NO_MEMORY;
    if (independents > s->independents || s->independents < 0) {
        s->independents = independents;
        for (int i = 0; i < s->doubted_count; i++) s->redundant[i] = s->depends[i];
    }
    return FOUND;
}

/* ---- Poses ---------------------------------------------------------------------------------- */

/* Examines random poses at which S stays closed. */
static found search_nearby(search *s, trm_nearby *nearby)
{
    found best = NOT_FOUND;
    s->independents = -1;
    for (int i = 0; i < SAMPLES && s->independents < s->doubted_count; i++) {
        if (!trm_nearby_go(nearby, &s->random, s->nearby)) continue;
        if (take_better(s, s->nearby, CLEARLY_INDEPENDENT) == NO_MEMORY) return NO_MEMORY;
        best = FOUND;
    }
    return best;
}

/* Finds the pose near s->nearby at which all joints are closed, and stores it in s->assembled. */
static found assemble(search *s)
{
    trm_assembly done;
    trm_simulation_def options = s->state->model->simulation;
    options.position_tolerance = options.angle_tolerance = ASSEMBLED;
    trm_fill_tolerances(&options, s->state);
    trm_messages *unheard = trm_messages_create(&s->arena->allocator);
    if (!unheard) return NO_MEMORY;
    trm_state_copy(s->assembled, s->nearby);
    const trm_status status = trm_assemble_within(s->assembled, &options, &s->arena->allocator, unheard, &done);
    trm_messages_destroy(unheard);
    return status == TRM_OK ? FOUND : status == TRM_OUT_OF_MEMORY ? NO_MEMORY : NOT_FOUND;
}

/* Examines random poses at which all joints are closed. FOUND: at one of them the rank is larger than at the
 * start. */
static found search_closed_poses(search *s, trm_nearby *nearby)
{
    const int most = s->independents;
    s->independents = 0;
    for (int i = 0; i < SAMPLES && s->independents < most; i++) {
        if (!trm_nearby_go(nearby, &s->random, s->nearby)) continue;
        const found fits = assemble(s);
        if (fits == NO_MEMORY) return NO_MEMORY;
        if (fits == FOUND && take_better(s, s->assembled, CLEARLY_INDEPENDENT) == NO_MEMORY) return NO_MEMORY;
    }
    return s->independents > 0 ? FOUND : NOT_FOUND;
}

/* ---- Result --------------------------------------------------------------------------------- */

static bool search_poses(search *s, trm_regularity *regularity)
{
    trm_nearby *nearby = trm_nearby_create(s->state, s->kept, s->arena);
    s->nearby = trm_state_create(s->state->model, &s->arena->allocator);
    s->assembled = trm_state_create(s->state->model, &s->arena->allocator);
    found result = nearby && s->nearby && s->assembled ? search_nearby(s, nearby) : NO_MEMORY;
    regularity->known = result == FOUND;
    if (result == FOUND && s->independents > 0) {
        result = search_closed_poses(s, nearby);
        regularity->infinitesimal = result == NOT_FOUND;
    }
    trm_state_destroy(s->nearby);
    trm_state_destroy(s->assembled);
    return result != NO_MEMORY;
}

/* Puts all dependent rows, in their order, into one of the two lists. Returns false if out of memory. */
static bool sort_rows(const search *s, trm_regularity *regularity)
{
    const trm_analysis *a = s->analysis;
    trm_row_name *redundant = TRM_NEW_ARRAY(s->arena, trm_row_name, a->redundant_count);
    trm_row_name *singular = TRM_NEW_ARRAY(s->arena, trm_row_name, a->redundant_count);
    if (!redundant || !singular) return false;
    for (int i = 0, doubted = 0; i < a->redundant_count; i++) {
        const bool was_in_doubt = in_doubt(s, a->redundant[i].joint);
        if (!was_in_doubt || s->redundant[doubted])
            redundant[regularity->redundant_count++] = a->redundant[i];
        else
            singular[regularity->singular_count++] = a->redundant[i];
        doubted += was_in_doubt;
    }
    regularity->redundant = redundant;
    regularity->singular = singular;
    regularity->rows = a->whole.rows - regularity->redundant_count;
    return true;
}

static bool judge(const trm_state *state, const trm_analysis *analysis, trm_arena *arena, trm_regularity *regularity)
{
    search s = {.state = state, .analysis = analysis, .arena = arena, .random = trm_random_seed(1)};
    regularity->known = true;
    if (!prepare(&s)) return false;
    if (s.doubted_count > 0 && !search_poses(&s, regularity)) return false;
    if (!sort_rows(&s, regularity)) return false;
    regularity->regular = regularity->known && regularity->singular_count == 0;
    return true;
}

trm_regularity *trm_find_regularity(const trm_state *state, const trm_analysis *analysis,
                                    const trm_allocator *allocator)
{
    trm_arena *arena = trm_owner_create(allocator, sizeof *arena);
    trm_regularity *regularity = arena ? TRM_NEW(arena, trm_regularity) : NULL;
    if (!regularity || !judge(state, analysis, arena, regularity)) {
        trm_owner_destroy(arena, sizeof *arena);
        return NULL;
    }
    regularity->arena = arena;
    return regularity;
}

void trm_regularity_destroy(trm_regularity *regularity)
{
    if (regularity) trm_owner_destroy(regularity->arena, sizeof *regularity->arena);
}
