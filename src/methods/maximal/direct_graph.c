/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The graph of an island: the blocks that meet in each body, with hubs cut into slices (direct.h). It is made
 * once. */

#include "methods/maximal/direct.h"
#include "methods/ranks/rank_map.h"

/* A body with more than HUB ends of joints is cut into slices with PER_SLICE ends each. */
enum { HUB = 8, PER_SLICE = 4 };

static bool is_free(const trm_maximal *w, int body)
{
    return w->stepper->model->bodies[body].inverse_mass > 0;
}

/* Numbers the island's free bodies from 0: numbers lists them, and local has the number of each body of the model,
 * where it may have any value before. Returns the number of ends at these bodies. */
static int number_bodies(const trm_maximal *w, const trm_direct_island *island, int *local, int *numbers,
                         trm_direct_ends *e)
{
    int count = 0;
    for (int j = 0; j < island->joint_count; j++) {
        const trm_joint *joint = island->joints[j].joint;
        for (int k = 0; k < joint->body_count; k++) {
            const int body = joint->body[k];
            if (!is_free(w, body)) continue;
            if (local[body] < 0 || local[body] >= e->bodies || e->body[local[body]] != body)
                local[body] = e->bodies, numbers[e->bodies++] = body;
            e->first[local[body] + 1]++;
            count++;
        }
    }
    return count;
}

static bool list_ends(const trm_maximal *w, const trm_direct_island *island, int *local, trm_arena *scratch,
                      trm_direct_ends *e)
{
    const size_t most = TRM_JOINT_BODIES * (size_t)island->joint_count;
    int *numbers = TRM_NEW_ARRAY(scratch, int, most), *next = TRM_NEW_ARRAY(scratch, int, most + 1);
    *e = (trm_direct_ends){.body = numbers, .first = TRM_NEW_ARRAY(scratch, int, most + 1)};
    if (!numbers || !e->first || !next) return false;
    e->list = TRM_NEW_ARRAY(scratch, trm_direct_end, number_bodies(w, island, local, numbers, e));
    if (!e->list) return false;
    for (int i = 0; i < e->bodies; i++) next[i + 1] = e->first[i + 1] += e->first[i];
    for (int j = 0; j < island->joint_count; j++) {
        const trm_joint *joint = island->joints[j].joint;
        for (int k = 0; k < joint->body_count; k++)
            if (is_free(w, joint->body[k])) e->list[next[local[joint->body[k]]]++] = (trm_direct_end){j, k};
    }
    return true;
}

/* ---- Slices and glue ------------------------------------------------------------------------ */

static int slices_of(const trm_direct_ends *e, int local)
{
    const int count = e->first[local + 1] - e->first[local];
    return count <= HUB ? 1 : (count + PER_SLICE - 1) / PER_SLICE;
}

int trm_direct_count_glue(const trm_direct_ends *e)
{
    int count = 0;
    for (int i = 0; i < e->bodies; i++) count += slices_of(e, i) - 1;
    return count;
}

/* Sets the rows V_s - V_(s+1). */
static void set_glue(trm_direct_glue *glue, int body)
{
    glue->body = body;
    for (int r = 0; r < 3; r++) {
        glue->J[2 * r] = trm_sp(trm_axis(r), trm_v3(0, 0, 0));
        glue->J[2 * r + 6] = trm_sp(trm_v3(0, 0, 0), trm_axis(r));
    }
    for (int r = 0; r < 6; r++)
        glue->J[2 * r + 1] = trm_sp(trm_v3_neg(glue->J[2 * r].ang), trm_v3_neg(glue->J[2 * r].lin));
}

void trm_direct_make_glue(const trm_direct_ends *e, trm_direct_glue *glue, trm_direct_block *blocks)
{
    for (int i = 0, g = 0; i < e->bodies; i++)
        for (int s = 1; s < slices_of(e, i); s++, g++) {
            set_glue(&glue[g], e->body[i]);
            blocks[g] = (trm_direct_block){glue[g].J, glue[g].W, 6, 2, 0};
        }
}

static bool make_blocks(const trm_direct_ends *e, trm_arena *arena, trm_direct_island *island)
{
    const int glue_count = trm_direct_count_glue(e);
    island->block_count = island->joint_count + glue_count;
    island->blocks = TRM_NEW_ARRAY(arena, trm_direct_block, island->block_count);
    island->glue = TRM_NEW_ARRAY(arena, trm_direct_glue, glue_count);
    if (!island->blocks || !island->glue) return false;
    for (int j = 0; j < island->joint_count; j++) {
        const trm_maximal_joint *joint = &island->joints[j];
        island->blocks[j] = (trm_direct_block){joint->J, joint->W, joint->joint->rows, joint->joint->body_count, 0};
        island->joint_rows += joint->joint->rows;
    }
    trm_direct_make_glue(e, island->glue, island->blocks + island->joint_count);
    return true;
}

/* Lists the ends in one slice of a body: those of its joints, and of the glue to the previous and the next slice.
 * Returns their number. */
static int ends_in_slice(const trm_direct_ends *e, int local, int slice, int slices, int first_glue,
                         trm_direct_end *list)
{
    int count = 0;
    const int from = e->first[local] + (slices > 1 ? slice * PER_SLICE : 0);
    const int to = slice + 1 < slices ? from + PER_SLICE : e->first[local + 1];
    for (int p = from; p < to; p++) list[count++] = e->list[p];
    if (slice > 0) list[count++] = (trm_direct_end){first_glue + slice - 1, 1};
    if (slice + 1 < slices) list[count++] = (trm_direct_end){first_glue + slice, 0};
    return count;
}

bool trm_direct_make_elements(const trm_direct_ends *e, int joint_count, trm_arena *arena,
                              trm_direct_elements *elements)
{
    const int glue = trm_direct_count_glue(e), count = e->bodies + glue;
    int first_glue = joint_count;
    *elements = (trm_direct_elements){
        .body = TRM_NEW_ARRAY(arena, int, count),
        .slices = TRM_NEW_ARRAY(arena, int, count),
        .first = TRM_NEW_ARRAY(arena, int, count + 1),
        .ends = TRM_NEW_ARRAY(arena, trm_direct_end, e->first[e->bodies] + 2 * glue),
    };
    if (arena->failed) return false;
    for (int i = 0; i < e->bodies; i++) {
        const int slices = slices_of(e, i);
        for (int s = 0; s < slices; s++) {
            const int here = elements->count++, from = elements->first[here];
            elements->body[here] = e->body[i];
            elements->slices[here] = slices;
            elements->first[here + 1] = from + ends_in_slice(e, i, s, slices, first_glue, elements->ends + from);
        }
        first_glue += slices - 1;
    }
    return true;
}

static bool keep_bodies(const trm_direct_ends *e, trm_arena *arena, trm_direct_island *island)
{
    island->bodies = TRM_NEW_ARRAY(arena, int, e->bodies);
    if (!island->bodies) return false;
    for (int i = 0; i < e->bodies; i++) island->bodies[i] = e->body[i];
    island->body_count = e->bodies;
    return true;
}

/* Returns whether joints close loops. All fixed bodies count as one. */
static bool has_loops(const trm_maximal *w, const trm_direct_ends *e, const trm_direct_island *island)
{
    bool grounded = false, simple = true;
    for (int j = 0; j < island->joint_count; j++) {
        const trm_joint *joint = island->joints[j].joint;
        simple &= joint->body_count <= 2;
        for (int b = 0; b < joint->body_count; b++) grounded |= !is_free(w, joint->body[b]);
    }
    return !simple || island->joint_count > e->bodies - !grounded;
}

bool trm_direct_find_elements(const trm_maximal *w, int *local, trm_arena *arena, trm_arena *scratch,
                              trm_direct_island *island, trm_direct_elements *elements)
{
    trm_direct_ends e;
    if (!list_ends(w, island, local, scratch, &e)) return false;
    island->loops = has_loops(w, &e, island);
    return keep_bodies(&e, arena, island) && make_blocks(&e, arena, island) &&
           trm_direct_make_elements(&e, island->joint_count, scratch, elements);
}

bool trm_direct_make_island(trm_maximal *w, int index, int *local, trm_direct_island *island)
{
    trm_arena *arena = w->stepper->arena, scratch;
    trm_direct_elements elements;
    island->joints = w->joints + w->first_joint[index];
    island->joint_count = w->first_joint[index + 1] - w->first_joint[index];
    trm_arena_init(&scratch, &arena->allocator);
    const bool made = trm_direct_find_elements(w, local, arena, &scratch, island, &elements) &&
                      w->solver->matrix->make(w, index, &elements, &scratch, island) &&
                      (!w->solver->in_joints || trm_direct_make_tree(w, local, &scratch, island));
    trm_arena_destroy(&scratch);
    if (!made) return false;
    island->scale = TRM_NEW_ARRAY(arena, double, island->rows);
    island->x = TRM_NEW_ARRAY(arena, double, island->rows);
    island->lambda = TRM_NEW_ARRAY(arena, double, island->rows);
    island->dropped = TRM_NEW_ARRAY(arena, bool, island->rows);
    if (island->loops) {
        island->barred = TRM_NEW_ARRAY(arena, bool, island->rows);
        island->limit = TRM_NEW_ARRAY(arena, double, island->rows);
        island->left_out =
            trm_rank_map_divides(w->rank_map) ? TRM_NEW_ARRAY(arena, bool, island->rows) : island->dropped;
    }
    return !arena->failed;
}
