/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The graph of an island's blocks: which meet in which body, hubs cut into slices, order and pattern of the
 * factorisation. Made once. */

#include "methods/maximal/direct.h"

/* A body with more ends of joints than HUB is cut into slices with PER_SLICE of them. */
enum { HUB = 8, PER_SLICE = 4 };

/* One end of a block at a body. */
typedef struct end {
    int block, slot;
} end;

/* The ends at each of an island's free bodies: of local body i, list[first[i]] .. list[first[i+1] - 1]. */
typedef struct ends {
    int bodies;
    int *body; /* in the model, per local body */
    int *first;
    end *list;
} ends;

static bool is_free(const trm_maximal *w, int body)
{
    return w->stepper->model->bodies[body].inverse_mass > 0;
}

/* Numbers the island's free bodies; local: per body of the model, any numbers. Returns how many ends they have. */
static int number_bodies(const trm_maximal *w, const trm_direct_island *island, int *local, ends *e)
{
    int count = 0;
    for (int j = 0; j < island->joint_count; j++) {
        const trm_joint *joint = island->joints[j].joint;
        for (int k = 0; k < joint->body_count; k++) {
            const int body = joint->body[k];
            if (!is_free(w, body)) continue;
            if (local[body] < 0 || local[body] >= e->bodies || e->body[local[body]] != body)
                local[body] = e->bodies, e->body[e->bodies++] = body;
            e->first[local[body] + 1]++;
            count++;
        }
    }
    return count;
}

static bool list_ends(const trm_maximal *w, const trm_direct_island *island, int *local, trm_arena *scratch, ends *e)
{
    const size_t most = TRM_JOINT_BODIES * (size_t)island->joint_count;
    *e = (ends){.body = TRM_NEW_ARRAY(scratch, int, most), .first = TRM_NEW_ARRAY(scratch, int, most + 1)};
    int *next = TRM_NEW_ARRAY(scratch, int, most + 1);
    if (!e->body || !e->first || !next) return false;
    e->list = TRM_NEW_ARRAY(scratch, end, number_bodies(w, island, local, e));
    if (!e->list) return false;
    for (int i = 0; i < e->bodies; i++) next[i + 1] = e->first[i + 1] += e->first[i];
    for (int j = 0; j < island->joint_count; j++) {
        const trm_joint *joint = island->joints[j].joint;
        for (int k = 0; k < joint->body_count; k++)
            if (is_free(w, joint->body[k])) e->list[next[local[joint->body[k]]]++] = (end){j, k};
    }
    return true;
}

/* ---- Slices and glue ------------------------------------------------------------------------ */

static int slices_of(const ends *e, int local)
{
    const int count = e->first[local + 1] - e->first[local];
    return count <= HUB ? 1 : (count + PER_SLICE - 1) / PER_SLICE;
}

static int count_glue(const ends *e)
{
    int count = 0;
    for (int i = 0; i < e->bodies; i++) count += slices_of(e, i) - 1;
    return count;
}

/* V_s - V_(s+1) */
static void make_glue(trm_direct_glue *glue, int body)
{
    glue->body = body;
    for (int r = 0; r < 3; r++) {
        glue->J[2 * r] = trm_sp(trm_axis(r), trm_v3(0, 0, 0));
        glue->J[2 * r + 6] = trm_sp(trm_v3(0, 0, 0), trm_axis(r));
    }
    for (int r = 0; r < 6; r++) glue->J[2 * r + 1] = trm_sp(trm_neg(glue->J[2 * r].ang), trm_neg(glue->J[2 * r].lin));
}

static bool make_blocks(const ends *e, trm_arena *arena, trm_direct_island *island)
{
    const int glue_count = count_glue(e);
    island->block_count = island->joint_count + glue_count;
    island->blocks = TRM_NEW_ARRAY(arena, trm_direct_block, island->block_count);
    island->glue = TRM_NEW_ARRAY(arena, trm_direct_glue, glue_count);
    if (!island->blocks || !island->glue) return false;
    for (int j = 0; j < island->joint_count; j++) {
        const trm_maximal_joint *joint = &island->joints[j];
        island->blocks[j] = (trm_direct_block){joint->J, joint->W, joint->joint->rows, joint->joint->body_count, 0};
        island->joint_rows += joint->joint->rows;
    }
    for (int i = 0, g = 0; i < e->bodies; i++)
        for (int s = 1; s < slices_of(e, i); s++, g++) {
            make_glue(&island->glue[g], e->body[i]);
            island->blocks[island->joint_count + g] =
                (trm_direct_block){island->glue[g].J, island->glue[g].W, 6, 2, 0};
        }
    return true;
}

/* The ends in one slice of a body: of its joints, and of the glue to the slices before and behind. Returns how many. */
static int ends_in_slice(const ends *e, int local, int slice, int slices, int first_glue, end *list)
{
    int count = 0;
    const int from = e->first[local] + (slices > 1 ? slice * PER_SLICE : 0);
    const int to = slice + 1 < slices ? from + PER_SLICE : e->first[local + 1];
    for (int p = from; p < to; p++) list[count++] = e->list[p];
    if (slice > 0) list[count++] = (end){first_glue + slice - 1, 1};
    if (slice + 1 < slices) list[count++] = (end){first_glue + slice, 0};
    return count;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* Visits every pair of ends in one slice of a body; with list NULL it only counts. */
static int find_shares(const ends *e, const trm_direct_island *island, trm_direct_share *list)
{
    int count = 0, first_glue = island->joint_count;
    for (int i = 0; i < e->bodies; i++) {
        const int slices = slices_of(e, i);
        for (int s = 0; s < slices; s++) {
            end here[HUB + 2];
            const int n = ends_in_slice(e, i, s, slices, first_glue, here);
            for (int p = 0; p < n; p++)
                for (int q = 0; q < n; q++, count++)
                    if (list)
                        list[count] = (trm_direct_share){.a = here[p].block,
                                                         .b = here[q].block,
                                                         .k = (short)here[p].slot,
                                                         .l = (short)here[q].slot,
                                                         .weight = (float)slices};
        }
        first_glue += slices - 1;
    }
    return count;
}

/* The neighbours of each block; a host and its drive meet in two bodies and are named twice. */
static bool make_graph(const trm_direct_island *island, const trm_direct_share *shares, int share_count,
                       trm_arena *scratch, trm_block_graph *graph)
{
    const int n = island->block_count;
    int *size = TRM_NEW_ARRAY(scratch, int, n), *first = TRM_NEW_ARRAY(scratch, int, n + 1);
    int *next = TRM_NEW_ARRAY(scratch, int, n + 1), *neighbour = TRM_NEW_ARRAY(scratch, int, share_count);
    if (scratch->failed) return false;
    for (int b = 0; b < n; b++) size[b] = island->blocks[b].rows;
    for (int m = 0; m < share_count; m++) first[shares[m].a + 1] += shares[m].a != shares[m].b;
    for (int b = 0; b < n; b++) next[b + 1] = first[b + 1] += first[b];
    for (int m = 0; m < share_count; m++)
        if (shares[m].a != shares[m].b) neighbour[next[shares[m].a]++] = shares[m].b;
    *graph = (trm_block_graph){n, size, first, neighbour, NULL};
    return true;
}

/* Of each pair of blocks one is stored, (a, b) or (b, a): its shares are kept. */
static bool keep_stored_shares(const trm_direct_share *shares, int count, trm_arena *arena, trm_direct_island *island)
{
    int kept = 0;
    bool transposed;
    for (int m = 0; m < count; m++) {
        trm_block_place(&island->symbolic, shares[m].a, shares[m].b, &transposed);
        kept += !transposed;
    }
    island->shares = TRM_NEW_ARRAY(arena, trm_direct_share, kept);
    if (!island->shares) return false;
    for (int m = 0; m < count; m++) {
        trm_direct_share share = shares[m];
        share.place = trm_block_place(&island->symbolic, share.a, share.b, &transposed);
        if (!transposed) island->shares[island->share_count++] = share;
    }
    return true;
}

static bool keep_bodies(const ends *e, trm_arena *arena, trm_direct_island *island)
{
    island->bodies = TRM_NEW_ARRAY(arena, int, e->bodies);
    if (!island->bodies) return false;
    for (int i = 0; i < e->bodies; i++) island->bodies[i] = e->body[i];
    island->body_count = e->bodies;
    return true;
}

static bool make_matrix(const ends *e, trm_arena *scratch, trm_arena *arena, trm_direct_island *island)
{
    trm_block_graph graph;
    const int count = find_shares(e, island, NULL);
    trm_direct_share *shares = TRM_NEW_ARRAY(scratch, trm_direct_share, count);
    if (!shares) return false;
    find_shares(e, island, shares);
    if (!make_graph(island, shares, count, scratch, &graph)) return false;
    if (!trm_block_symbolic_find(&graph, arena, &island->symbolic)) return false;
    return keep_stored_shares(shares, count, arena, island);
}

bool trm_direct_make_island(const trm_maximal *w, int index, int *local, trm_direct_island *island)
{
    trm_arena *arena = w->stepper->arena, scratch;
    ends e;
    island->joints = w->joints + w->first_joint[index];
    island->joint_count = w->first_joint[index + 1] - w->first_joint[index];
    trm_arena_init(&scratch, &arena->allocator);
    const bool made = list_ends(w, island, local, &scratch, &e) && keep_bodies(&e, arena, island) &&
                      make_blocks(&e, arena, island) && make_matrix(&e, &scratch, arena, island);
    trm_arena_destroy(&scratch);
    if (!made) return false;
    const trm_block_symbolic *symbolic = &island->symbolic;
    for (int b = 0; b < island->block_count; b++)
        island->blocks[b].first = symbolic->first_row[symbolic->position[b]];
    island->values = TRM_NEW_ARRAY(arena, double, symbolic->values);
    island->scale = TRM_NEW_ARRAY(arena, double, symbolic->rows);
    island->x = TRM_NEW_ARRAY(arena, double, symbolic->rows);
    island->lambda = TRM_NEW_ARRAY(arena, double, symbolic->rows);
    island->dropped = TRM_NEW_ARRAY(arena, bool, symbolic->rows);
    return !arena->failed;
}
