/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Ranks that are threads of this process.
 *
 * From each rank to each other there is a mailbox: a queue of bytes under its own lock, in which each message
 * follows its length. It grows to the largest amount that it ever held, so that nothing is allocated once warm. A
 * rank that leaves wakes all that wait. */

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "thread_exchange.h"

typedef struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *bytes;
    size_t begin, end, room; /* bytes not received yet are begin .. end - 1 */
} mailbox;

typedef struct group_rank {
    trm_exchange exchange; /* must be first: pointers are cast */
    exchange_group *group;
} group_rank;

struct exchange_group {
    trm_allocator allocator;
    int count;
    atomic_bool lost;
    group_rank *ranks;
    mailbox *boxes; /* count x count: by sender, then by receiver */
};

static mailbox *box_between(exchange_group *group, int from, int to)
{
    TRM_ASSERT(from >= 0 && from < group->count && to >= 0 && to < group->count);
    return &group->boxes[(size_t)from * (size_t)group->count + (size_t)to];
}

/* ---- A mailbox ----------------------------------------------------------------------------- */

/* Makes room for this many more bytes: moves the contents to the front, into a larger buffer if they fill more than
 * half. */
static bool make_room(mailbox *box, const trm_allocator *allocator, size_t more)
{
    const size_t used = box->end - box->begin;
    if (box->room - box->end >= more) return true;
    if (more > SIZE_MAX / 2 - used) return false;
    char *place = box->bytes;
    if (box->room / 2 < used + more) {
        const size_t room = 2 * (used + more);
        place = trm_allocate(allocator, room);
        if (!place) return false;
        if (used > 0) memcpy(place, box->bytes + box->begin, used);
        trm_release(allocator, box->bytes, box->room);
        box->bytes = place;
        box->room = room;
    } else if (used > 0) {
        memmove(place, box->bytes + box->begin, used);
    }
    box->begin = 0;
    box->end = used;
    return true;
}

static void put(mailbox *box, const void *bytes, size_t count)
{
    if (count > 0) memcpy(box->bytes + box->end, bytes, count);
    box->end += count;
}

static void take(mailbox *box, void *bytes, size_t count)
{
    if (count > 0) memcpy(bytes, box->bytes + box->begin, count);
    box->begin += count;
    if (box->begin == box->end) box->begin = box->end = 0;
}

/* ---- Messages ------------------------------------------------------------------------------ */

/* Sets the flag before it wakes anyone, so that a rank that has seen it sees no other data. */
static void lose(exchange_group *group)
{
    atomic_store(&group->lost, true);
    for (int i = 0; i < group->count * group->count; i++) {
        pthread_mutex_lock(&group->boxes[i].lock);
        pthread_cond_broadcast(&group->boxes[i].changed);
        pthread_mutex_unlock(&group->boxes[i].lock);
    }
}

static bool send(trm_exchange *exchange, int to, const void *bytes, size_t count)
{
    exchange_group *group = ((group_rank *)exchange)->group;
    mailbox *box = box_between(group, exchange->rank, to);
    pthread_mutex_lock(&box->lock);
    const bool fits = count <= SIZE_MAX - sizeof count && make_room(box, &group->allocator, sizeof count + count);
    const bool sent = fits && !atomic_load(&group->lost);
    if (sent) {
        put(box, &count, sizeof count);
        put(box, bytes, count);
        pthread_cond_signal(&box->changed);
    }
    pthread_mutex_unlock(&box->lock);
    if (!fits) lose(group); /* a rank without memory counts as lost */
    if (sent) exchange->messages++, exchange->bytes += (long long)count;
    return sent;
}

static bool receive(trm_exchange *exchange, int from, void *bytes, size_t count)
{
    exchange_group *group = ((group_rank *)exchange)->group;
    mailbox *box = box_between(group, from, exchange->rank);
    pthread_mutex_lock(&box->lock);
    while (box->begin == box->end && !atomic_load(&group->lost)) pthread_cond_wait(&box->changed, &box->lock);
    const bool there = !atomic_load(&group->lost);
    if (there) {
        size_t length;
        take(box, &length, sizeof length);
        TRM_ASSERT(length == count);
        take(box, bytes, count);
    }
    pthread_mutex_unlock(&box->lock);
    return there;
}

/* ---- The group ------------------------------------------------------------------------------ */

exchange_group *exchange_group_create(int count)
{
    const trm_allocator allocator = trm_default_allocator();
    TRM_ASSERT(count >= 1);
    const size_t ranks = (size_t)count;
    exchange_group *group = trm_allocate(&allocator, sizeof *group);
    if (!group) return NULL;
    *group = (exchange_group){.allocator = allocator,
                              .ranks = trm_allocate(&allocator, ranks * sizeof *group->ranks),
                              .boxes = trm_allocate(&allocator, ranks * ranks * sizeof *group->boxes)};
    if (!group->ranks || !group->boxes) {
        trm_release(&allocator, group->boxes, ranks * ranks * sizeof *group->boxes);
        trm_release(&allocator, group->ranks, ranks * sizeof *group->ranks);
        trm_release(&allocator, group, sizeof *group);
        return NULL;
    }
    group->count = count;
    for (int i = 0; i < count * count; i++) {
        pthread_mutex_init(&group->boxes[i].lock, NULL);
        pthread_cond_init(&group->boxes[i].changed, NULL);
    }
    for (int r = 0; r < count; r++)
        group->ranks[r] = (group_rank){{.rank = r, .count = count, .send = send, .receive = receive}, group};
    return group;
}

trm_exchange *exchange_group_rank(exchange_group *group, int rank)
{
    TRM_ASSERT(rank >= 0 && rank < group->count);
    return &group->ranks[rank].exchange;
}

void exchange_group_leave(exchange_group *group, int rank)
{
    TRM_ASSERT(rank >= 0 && rank < group->count);
    lose(group);
}

void exchange_group_destroy(exchange_group *group)
{
    if (!group) return;
    const size_t ranks = (size_t)group->count;
    const trm_allocator allocator = group->allocator;
    for (size_t i = 0; i < ranks * ranks; i++) {
        pthread_mutex_destroy(&group->boxes[i].lock);
        pthread_cond_destroy(&group->boxes[i].changed);
        trm_release(&allocator, group->boxes[i].bytes, group->boxes[i].room);
    }
    trm_release(&allocator, group->boxes, ranks * ranks * sizeof *group->boxes);
    trm_release(&allocator, group->ranks, ranks * sizeof *group->ranks);
    trm_release(&allocator, group, sizeof *group);
}
