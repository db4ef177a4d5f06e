/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/ranks/rank_map.h"

#include <string.h>

/* ---- Messages ------------------------------------------------------------------------------ */

static bool note_loss(trm_rank_map *map, bool arrived)
{
    if (!arrived) map->lost = true;
    return arrived;
}

bool trm_rank_map_send(trm_rank_map *map, int to, const void *bytes, size_t count)
{
    return !map->lost && note_loss(map, map->exchange->send(map->exchange, to, bytes, count));
}

bool trm_rank_map_receive(trm_rank_map *map, int from, void *bytes, size_t count)
{
    return !map->lost && note_loss(map, map->exchange->receive(map->exchange, from, bytes, count));
}

bool trm_rank_map_agree(trm_rank_map *map, double *value, int *tag)
{
    int ignored = 0;
    return !map->lost && note_loss(map, trm_exchange_largest(map->exchange, value, tag ? tag : &ignored));
}

bool trm_rank_map_collect(trm_rank_map *map, const void *piece, const size_t *sizes, void *all)
{
    return !map->lost && note_loss(map, trm_exchange_collect(map->exchange, piece, sizes, all));
}

bool trm_rank_map_sum(trm_rank_map *map, double *value)
{
    double all[TRM_MOST_RANKS], sum = 0;
    if (!map) return true;
    for (int r = 0; r < map->exchange->count; r++) map->sizes[r] = sizeof *value;
    if (!trm_rank_map_collect(map, value, map->sizes, all)) return false;
    for (int r = 0; r < map->exchange->count; r++) sum += all[r];
    *value = sum;
    return true;
}

/* Collects counts first, then names, at most `most` of each rank. */
int trm_rank_map_collect_rows(trm_rank_map *map, trm_row_name *rows, int count, int most,
                              const trm_allocator *allocator)
{
    if (!map) return count;
    int counts[TRM_MOST_RANKS], sum = 0, listed = 0;
    trm_arena scratch;
    const int ranks = map->exchange->count;
    for (int r = 0; r < ranks; r++) map->sizes[r] = sizeof *counts;
    if (!trm_rank_map_collect(map, &count, map->sizes, counts)) return count;
    trm_arena_init(&scratch, allocator);
    for (int r = 0; r < ranks; r++) {
        const int named = counts[r] < most ? counts[r] : most;
        map->sizes[r] = (size_t)named * sizeof *rows;
        sum += counts[r];
        listed += named;
    }
    trm_row_name *all = TRM_NEW_ARRAY(&scratch, trm_row_name, listed);
    if (all && trm_rank_map_collect(map, rows, map->sizes, all))
        memcpy(rows, all, (size_t)(listed < most ? listed : most) * sizeof *rows);
    trm_arena_destroy(&scratch);
    return sum;
}

/* ---- Lists --------------------------------------------------------------------------------- */

/* Sorts the items that have a rank by rank. */
static bool sort_by_rank(const int *rank_of, int items, int ranks, trm_arena *arena, trm_rank_map_lists *lists)
{
    lists->first = TRM_NEW_ARRAY(arena, int, ranks + 1);
    lists->item = TRM_NEW_ARRAY(arena, int, items);
    if (!lists->first || !lists->item) return false;
    int count = 0;
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < items; i++)
            if (rank_of[i] == r) lists->item[count++] = i;
        lists->first[r + 1] = count;
    }
    return true;
}

/* Lists, for each other rank, the bodies that one of the two ranks owns and the other one knows. sends: this rank
 * is the owner. Returns false when out of memory. */
static bool list_exchanged(const trm_rank_map *map, int bodies, const bool *known, bool sends, trm_arena *arena,
                           trm_rank_map_lists *lists)
{
    const int me = map->exchange->rank, ranks = map->exchange->count;
    lists->first = TRM_NEW_ARRAY(arena, int, ranks + 1);
    if (!lists->first) return false;
    for (int pass = 0, count = 0; pass < 2; pass++, count = 0) {
        for (int other = 0; other < ranks; other++) {
            const int sender = sends ? me : other, receiver = sends ? other : me;
            for (int i = 0; other != me && i < bodies; i++) {
                if (map->owner[i] != sender || !known[(size_t)receiver * (size_t)bodies + (size_t)i]) continue;
                if (pass == 1) lists->item[count] = i;
                count++;
            }
            lists->first[other + 1] = count;
        }
        if (pass == 0) lists->item = TRM_NEW_ARRAY(arena, int, count);
        if (!lists->item) return false;
    }
    return true;
}

bool trm_rank_map_make_lists(trm_rank_map *map, const trm_model *model, const bool *known, trm_arena *arena)
{
    const int ranks = map->exchange->count;
    if (!sort_by_rank(map->owner, model->body_count, ranks, arena, &map->owned) ||
        !sort_by_rank(map->keeper, model->joint_count, ranks, arena, &map->kept) ||
        !list_exchanged(map, model->body_count, known, true, arena, &map->to) ||
        !list_exchanged(map, model->body_count, known, false, arena, &map->from))
        return false;
    map->outgoing = TRM_NEW_ARRAY(arena, trm_spatial, map->to.first[ranks]);
    map->incoming = TRM_NEW_ARRAY(arena, trm_spatial, map->from.first[ranks]);
    map->sizes = TRM_NEW_ARRAY(arena, size_t, ranks);
    return !arena->failed;
}

/* ---- Bodies -------------------------------------------------------------------------------- */

void trm_rank_map_broadcast(trm_rank_map *map, trm_spatial *per_body)
{
    if (!map) return;
    const int ranks = map->exchange->count;
    for (int r = 0; r < ranks; r++) {
        const int from = map->to.first[r], count = map->to.first[r + 1] - from;
        for (int i = 0; i < count; i++) map->outgoing[i] = per_body[map->to.item[from + i]];
        if (count > 0) trm_rank_map_send(map, r, map->outgoing, (size_t)count * sizeof *per_body);
    }
    for (int r = 0; r < ranks; r++) {
        const int from = map->from.first[r], count = map->from.first[r + 1] - from;
        if (count == 0) continue;
        if (!trm_rank_map_receive(map, r, map->incoming, (size_t)count * sizeof *per_body)) return;
        for (int i = 0; i < count; i++) per_body[map->from.item[from + i]] = map->incoming[i];
    }
}

/* ---- The whole state ----------------------------------------------------------------------- */

/* The part of the state that belongs to a body. A joint has its memory and two numbers per row. */
typedef struct body_part {
    trm_pose pose;
    trm_spatial velocity, acceleration;
} body_part;

static size_t size_of_joint(const trm_joint *joint)
{
    return ((size_t)joint->memory_count + 2 * (size_t)joint->rows) * sizeof(double);
}

static size_t size_of_rank(const trm_rank_map *map, const trm_model *model, int rank)
{
    size_t size = (size_t)(map->owned.first[rank + 1] - map->owned.first[rank]) * sizeof(body_part);
    for (int k = map->kept.first[rank]; k < map->kept.first[rank + 1]; k++)
        size += size_of_joint(&model->joints[map->kept.item[k]]);
    return size;
}

/* Copies numbers of a joint between the state and a message. Returns the position after them in the message. */
static char *copy_numbers(bool write, double *state, char *message, int count)
{
    const size_t size = (size_t)count * sizeof *state;
    if (write)
        memcpy(state, message, size);
    else
        memcpy(message, state, size);
    return message + size;
}

/* Copies the part of the state that a rank computes into a message, or back. */
static void copy_part(const trm_rank_map *map, trm_state *state, int rank, bool write, char *message)
{
    for (int k = map->owned.first[rank]; k < map->owned.first[rank + 1]; k++) {
        const int i = map->owned.item[k];
        body_part part = {state->pose[i], state->velocity[i], state->acceleration[i]};
        if (write) {
            memcpy(&part, message, sizeof part);
            state->pose[i] = part.pose, state->velocity[i] = part.velocity,
            state->acceleration[i] = part.acceleration;
        } else {
            memcpy(message, &part, sizeof part);
        }
        message += sizeof part;
    }
    for (int k = map->kept.first[rank]; k < map->kept.first[rank + 1]; k++) {
        const trm_joint *joint = &state->model->joints[map->kept.item[k]];
        message = copy_numbers(write, state->memory + joint->memory_offset, message, joint->memory_count);
        message = copy_numbers(write, state->force + joint->row_offset, message, joint->rows);
        message = copy_numbers(write, state->reaction + joint->row_offset, message, joint->rows);
    }
}

bool trm_rank_map_gather(trm_rank_map *map, trm_state *state)
{
    if (!map) return true;
    trm_arena scratch;
    size_t sum = 0;
    const int ranks = map->exchange->count;
    for (int r = 0; r < ranks; r++) sum += map->sizes[r] = size_of_rank(map, state->model, r);
    trm_arena_init(&scratch, &state->allocator);
    char *all = TRM_NEW_ARRAY(&scratch, char, sum);
    char *mine = TRM_NEW_ARRAY(&scratch, char, map->sizes[map->exchange->rank]);
    bool done = all && mine;
    if (done) copy_part(map, state, map->exchange->rank, false, mine);
    done = done && trm_rank_map_collect(map, mine, map->sizes, all);
    for (int r = 0; done && r < ranks; r++) {
        if (r != map->exchange->rank) copy_part(map, state, r, true, all);
        all += map->sizes[r];
    }
    trm_arena_destroy(&scratch);
    return done;
}
