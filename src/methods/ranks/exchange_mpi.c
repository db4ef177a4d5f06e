/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Messages between ranks by MPI; the only file that uses MPI.
 *
 * A message is copied and sent without waiting. Its buffer is reused once it has been sent, so that nothing is
 * allocated after the first steps. Waiting is by polling: first at full speed, because a message is mostly a few
 * microseconds away; then yielding the processor between polls; then sleeping. The waiting functions of MPI do
 * neither of the last two and do not notice signals.
 *
 * MPI counts in int: both sides split long messages into the same pieces. */

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trammel/mpi.h"

enum {
    LONGEST_PIECE = 1 << 30, /* bytes */
    POLLS_AT_SPEED = 2000,   /* about 0.2 ms; none where there are more ranks than processors */
    POLLS_YIELDING = 20000,  /* about 10 ms */
    SLEEP_NANOSECONDS = 50000,
    MESSAGE_TAG = 1,
};

/* The buffer of a message that is being sent. */
typedef struct send_buffer {
    MPI_Request request; /* MPI_REQUEST_NULL: it has been sent */
    char *bytes;
    size_t room;
} send_buffer;

typedef struct mpi_exchange {
    trm_exchange exchange; /* must be first: pointers are cast */
    MPI_Comm ranks;
    bool begun_here;
    bool crowded; /* more ranks than processors */
    send_buffer *buffers;
    int buffer_count;
} mpi_exchange;

/* Set by signal handlers, which can only set global variables. */
static volatile sig_atomic_t given_up;

void trm_mpi_give_up(void)
{
    given_up = 1;
}

bool trm_mpi_has_given_up(void)
{
    return given_up;
}

/* ---- Waiting ------------------------------------------------------------------------------- */

static void pause_between(const mpi_exchange *x, long polls)
{
    const long at_speed = x->crowded ? 0 : POLLS_AT_SPEED;
    if (polls < at_speed) return;
    if (polls < at_speed + POLLS_YIELDING)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
}

/* Waits for a request until a time (seconds of MPI_Wtime). Returns false if the run was given up or the time is
 * over. */
static bool wait_for(const mpi_exchange *x, MPI_Request *request, MPI_Status *status, double until)
{
    for (long polls = 0; !given_up; polls++) {
        int done = 0;
        if (MPI_Test(request, &done, status) != MPI_SUCCESS) return false;
        if (done) return true;
        if (MPI_Wtime() > until) return false;
        pause_between(x, polls);
    }
    return false;
}

/* ---- Sending ------------------------------------------------------------------------------- */

static bool is_sent(send_buffer *l)
{
    int done = 1;
    return l->request == MPI_REQUEST_NULL || (MPI_Test(&l->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done);
}

/* Returns the smallest free buffer that is large enough, else the largest free one. Returns NULL if none is free. */
static send_buffer *find_free_buffer(mpi_exchange *x, size_t count)
{
    send_buffer *best = NULL;
    for (int i = 0; i < x->buffer_count; i++) {
        send_buffer *l = &x->buffers[i];
        if (!is_sent(l)) continue;
        const bool better =
            !best || (best->room < count ? l->room > best->room : l->room >= count && l->room < best->room);
        if (better) best = l;
    }
    return best;
}

static send_buffer *add_buffer(mpi_exchange *x)
{
    send_buffer *more = realloc(x->buffers, ((size_t)x->buffer_count + 1) * sizeof *more);
    if (!more) return NULL;
    x->buffers = more;
    more[x->buffer_count] = (send_buffer){.request = MPI_REQUEST_NULL};
    return &more[x->buffer_count++];
}

static send_buffer *buffer_for(mpi_exchange *x, size_t count)
{
    send_buffer *l = find_free_buffer(x, count);
    if (!l) l = add_buffer(x);
    if (!l || l->room >= count) return l;
    free(l->bytes);
    l->bytes = malloc(count);
    l->room = l->bytes ? count : 0;
    return l->bytes ? l : NULL;
}

static bool send_piece(mpi_exchange *x, int to, const char *bytes, size_t count)
{
    send_buffer *l = buffer_for(x, count);
    if (!l) return false;
    if (count > 0) memcpy(l->bytes, bytes, count);
    return MPI_Isend(l->bytes, (int)count, MPI_BYTE, to, MESSAGE_TAG, x->ranks, &l->request) == MPI_SUCCESS;
}

static size_t piece_of(size_t count)
{
    return count < LONGEST_PIECE ? count : LONGEST_PIECE;
}

static bool send_message(trm_exchange *exchange, int to, const void *bytes, size_t count)
{
    mpi_exchange *x = (mpi_exchange *)exchange;
    const char *next = bytes;
    size_t left = count;
    if (given_up) return false;
    do {
        const size_t piece = piece_of(left);
        if (!send_piece(x, to, next, piece)) return false;
        next += piece;
        left -= piece;
    } while (left > 0);
    exchange->messages++;
    exchange->bytes += (long long)count;
    return true;
}

/* ---- Receiving ----------------------------------------------------------------------------- */

static bool receive_piece(mpi_exchange *x, int from, char *bytes, size_t count)
{
    MPI_Request request;
    MPI_Status status;
    int length = 0;
    if (MPI_Irecv(bytes, (int)count, MPI_BYTE, from, MESSAGE_TAG, x->ranks, &request) != MPI_SUCCESS) return false;
    if (!wait_for(x, &request, &status, (double)INFINITY)) {
        if (request != MPI_REQUEST_NULL) MPI_Cancel(&request); /* the caller may free bytes */
        return false;
    }
    return MPI_Get_count(&status, MPI_BYTE, &length) == MPI_SUCCESS && (size_t)length == count;
}

static bool receive_message(trm_exchange *exchange, int from, void *bytes, size_t count)
{
    char *next = bytes;
    size_t left = count;
    if (given_up) return false;
    do {
        const size_t piece = piece_of(left);
        if (!receive_piece((mpi_exchange *)exchange, from, next, piece)) return false;
        next += piece;
        left -= piece;
    } while (left > 0);
    return true;
}

/* ---- Beginning and end --------------------------------------------------------------------- */

/* Returns whether there are more ranks than processors on this machine. */
static bool is_crowded(MPI_Comm ranks)
{
    MPI_Comm here;
    int count = 1;
    if (MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS) return true;
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    return count > sysconf(_SC_NPROCESSORS_ONLN);
}

trm_exchange *trm_mpi_begin(int *argc, char ***argv)
{
    int begun = 0, provided, rank, count;
    mpi_exchange *x = calloc(1, sizeof *x);
    if (!x || MPI_Initialized(&begun) != MPI_SUCCESS ||
        (!begun && MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) ||
        MPI_Comm_dup(MPI_COMM_WORLD, &x->ranks) != MPI_SUCCESS) {
        free(x);
        return NULL;
    }
    MPI_Comm_set_errhandler(x->ranks, MPI_ERRORS_RETURN);
    MPI_Comm_rank(x->ranks, &rank);
    MPI_Comm_size(x->ranks, &count);
    x->begun_here = !begun;
    x->crowded = is_crowded(x->ranks);
    x->exchange = (trm_exchange){.rank = rank, .count = count, .send = send_message, .receive = receive_message};
    return &x->exchange;
}

/* Waits until all ranks have arrived and all messages have been sent. Returns false if the time is over. */
static bool wait_for_all(mpi_exchange *x, double until)
{
    MPI_Request all;
    if (given_up || MPI_Ibarrier(x->ranks, &all) != MPI_SUCCESS) return false;
    bool arrived = wait_for(x, &all, MPI_STATUS_IGNORE, until);
    for (int i = 0; arrived && i < x->buffer_count; i++)
        arrived = wait_for(x, &x->buffers[i].request, MPI_STATUS_IGNORE, until);
    return arrived;
}

bool trm_mpi_end(trm_exchange *exchange, double patience)
{
    mpi_exchange *x = (mpi_exchange *)exchange;
    if (!x) return true;
    if (!wait_for_all(x, MPI_Wtime() + patience)) return false;
    for (int i = 0; i < x->buffer_count; i++) free(x->buffers[i].bytes);
    free(x->buffers);
    MPI_Comm_free(&x->ranks);
    if (x->begun_here) MPI_Finalize();
    free(x);
    return true;
}
