/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A hall: ranks that are threads of this process.
 *
 * From each rank to each other there is a mailbox: a queue of bytes under a lock of its own, in which each message stands
 * behind its length. It grows until it holds the most that ever lay in it, so that nothing is allocated once warm. A rank
 * that leaves wakes all who wait. */

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "methods/subsystem/exchange.h"

typedef struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *bytes;
    size_t begin, end, room; /* what was not taken yet is begin .. end - 1 */
} mailbox;

typedef struct hall_rank {
    trm_exchange exchange; /* first: one is cast to the other */
    trm_exchange_hall *hall;
} hall_rank;

struct trm_exchange_hall {
    trm_allocator allocator;
    int count;
    atomic_bool lost;
    hall_rank *ranks;
    mailbox *boxes; /* count x count: by sender, then by receiver */
};

static mailbox *box_between(trm_exchange_hall *hall, int from, int to)
{
    TRM_ASSERT(from >= 0 && from < hall->count && to >= 0 && to < hall->count);
    return &hall->boxes[(size_t)from * (size_t)hall->count + (size_t)to];
}

/* ---- A mailbox ----------------------------------------------------------------------------- */

/* Room for so many bytes more: what lies there moves to the front, into a larger place if it fills more than half. */
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

/* The word is there before anyone is woken: who has heard it once hears nothing else. */
static void lose(trm_exchange_hall *hall)
{
    atomic_store(&hall->lost, true);
    for (int i = 0; i < hall->count * hall->count; i++) {
        pthread_mutex_lock(&hall->boxes[i].lock);
        pthread_cond_broadcast(&hall->boxes[i].changed);
        pthread_mutex_unlock(&hall->boxes[i].lock);
    }
}

static bool send(trm_exchange *exchange, int to, const void *bytes, size_t count)
{
    trm_exchange_hall *hall = ((hall_rank *)exchange)->hall;
    mailbox *box = box_between(hall, exchange->rank, to);
    pthread_mutex_lock(&box->lock);
    const bool fits = count <= SIZE_MAX - sizeof count && make_room(box, &hall->allocator, sizeof count + count);
    const bool sent = fits && !atomic_load(&hall->lost);
    if (sent) {
        put(box, &count, sizeof count);
        put(box, bytes, count);
        pthread_cond_signal(&box->changed);
    }
    pthread_mutex_unlock(&box->lock);
    if (!fits) lose(hall); /* without memory a rank is as good as lost */
    if (sent) exchange->messages++, exchange->bytes += (long long)count;
    return sent;
}

static bool receive(trm_exchange *exchange, int from, void *bytes, size_t count)
{
    trm_exchange_hall *hall = ((hall_rank *)exchange)->hall;
    mailbox *box = box_between(hall, from, exchange->rank);
    pthread_mutex_lock(&box->lock);
    while (box->begin == box->end && !atomic_load(&hall->lost)) pthread_cond_wait(&box->changed, &box->lock);
    const bool there = !atomic_load(&hall->lost);
    if (there) {
        size_t length;
        take(box, &length, sizeof length);
        TRM_ASSERT(length == count);
        take(box, bytes, count);
    }
    pthread_mutex_unlock(&box->lock);
    return there;
}

/* ---- The hall ------------------------------------------------------------------------------ */

trm_exchange_hall *trm_exchange_hall_create(int count)
{
    const trm_allocator allocator = trm_default_allocator();
    TRM_ASSERT(count >= 1);
    const size_t ranks = (size_t)count;
    trm_exchange_hall *hall = trm_allocate(&allocator, sizeof *hall);
    if (!hall) return NULL;
    *hall = (trm_exchange_hall){.allocator = allocator,
                                .ranks = trm_allocate(&allocator, ranks * sizeof *hall->ranks),
                                .boxes = trm_allocate(&allocator, ranks * ranks * sizeof *hall->boxes)};
    if (!hall->ranks || !hall->boxes) {
        trm_release(&allocator, hall->boxes, ranks * ranks * sizeof *hall->boxes);
        trm_release(&allocator, hall->ranks, ranks * sizeof *hall->ranks);
        trm_release(&allocator, hall, sizeof *hall);
        return NULL;
    }
    hall->count = count;
    for (int i = 0; i < count * count; i++) {
        pthread_mutex_init(&hall->boxes[i].lock, NULL);
        pthread_cond_init(&hall->boxes[i].changed, NULL);
    }
    for (int r = 0; r < count; r++)
        hall->ranks[r] = (hall_rank){{.rank = r, .count = count, .send = send, .receive = receive}, hall};
    return hall;
}

trm_exchange *trm_exchange_in_hall(trm_exchange_hall *hall, int rank)
{
    TRM_ASSERT(rank >= 0 && rank < hall->count);
    return &hall->ranks[rank].exchange;
}

void trm_exchange_hall_leave(trm_exchange_hall *hall, int rank)
{
    TRM_ASSERT(rank >= 0 && rank < hall->count);
    lose(hall);
}

void trm_exchange_hall_destroy(trm_exchange_hall *hall)
{
    if (!hall) return;
    const size_t ranks = (size_t)hall->count;
    const trm_allocator allocator = hall->allocator;
    for (size_t i = 0; i < ranks * ranks; i++) {
        pthread_mutex_destroy(&hall->boxes[i].lock);
        pthread_cond_destroy(&hall->boxes[i].changed);
        trm_release(&allocator, hall->boxes[i].bytes, hall->boxes[i].room);
    }
    trm_release(&allocator, hall->boxes, ranks * ranks * sizeof *hall->boxes);
    trm_release(&allocator, hall->ranks, ranks * sizeof *hall->ranks);
    trm_release(&allocator, hall, sizeof *hall);
}
